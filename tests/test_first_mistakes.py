"""What a new user gets wrong on the first day, and the sentence that answers.

Every answer is an error of ours that says what must hold, what was found and what to do; none is a
traceback of another library. Each sentence is given in full, as it is printed: it is the interface.
"""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.exceptions import CausalAugError
from command import run

PARTS = ca.datasets.make_machine_wear(30, random_state=0)
FRAME = PARTS.frame[["load", "wear", "heat", "noise"]].round(3)
X, Y = FRAME.drop(columns="wear"), FRAME["wear"]
ARROWS = "load -> wear -> {heat, noise}"
CLASSES = pd.Series(np.where(Y > 0.0, "worn", "good"), name="wear")

DATES = pd.date_range("2001", periods=len(FRAME))
FITTED = ca.AugmentedRegressor(Ridge(), graph=ARROWS, augmented_share=0.5).fit(X, Y)

TETRAD = """\
Graph Nodes:
load;wear;heat

Graph Edges:
1. load --> wear
2. wear --- heat
"""

LACKS_WEAR = (
    "The target must be a node of the graph. Found 'wear', which is missing from the graph of "
    "['load', 'heat']. Add it with its edges to the causes and effects, or name another target."
)
MISTAKES = {
    "an arrow with an equals sign": (
        lambda: ca.read_graph("load => wear"),
        "Arrow text, line 1: an edge must be ->, <- or <->. Found load => wear: it is no arrow. "
        "Choose load -> wear, load <- wear, or load <-> wear (a hidden common cause).",
    ),
    "a line without a direction": (
        lambda: ca.read_graph("load -- wear"),
        "Arrow text, line 1: an edge must be ->, <- or <->. Found load -- wear: it has no "
        "direction. Choose load -> wear, load <- wear, or load <-> wear (a hidden common cause).",
    ),
    "a formula": (
        lambda: ca.read_graph("wear ~ load + heat"),
        "Arrow text, line 1: an edge must be ->, <- or <->. Found wear ~ load: it is no arrow. "
        "Choose wear -> load, wear <- load, or wear <-> load (a hidden common cause).",
    ),
    "a wrong arrow that closes a circle": (
        lambda: ca.read_graph("load -> wear -> load"),
        "The directed edges must not form a cycle. Found load -> wear -> load. Remove an edge of "
        "it; a hidden common cause is written bidirected=[('load', 'wear')].",
    ),
    "a Tetrad file with an open edge": (
        lambda: ca.read_graph(TETRAD),
        "Tetrad text, line 6: an edge must be ->, <- or <->. Found wear --- heat: it has no "
        "direction. Choose wear -> heat, wear <- heat, or wear <-> heat (a hidden common cause).",
    ),
    "a graph file that is not there": (
        lambda: ca.read_graph("graph.txt"),
        "A graph file must exist and be readable. Found 'graph.txt': No such file or directory. "
        "Correct the path; a graph in arrow text has an arrow, such as 'A -> B', or a line break.",
    ),
    "a misspelt column in the graph": (
        lambda: ca.augment(FRAME, "load -> waer -> {heat, noise}"),
        "The graph and the data must name the same variables. Only in the graph: ['waer']. Only "
        "in the data: ['wear']. A typing slip? 'waer' -> 'wear'. Rename or drop columns, or "
        "project variables out of the graph with "
        "`latent_projection(graph, keep=['load', 'heat', 'noise'])`.",
    ),
    "a misspelt target": (
        lambda: ca.compare(FRAME, ARROWS, "waer", Ridge()),
        "`target` must be one of ['heat', 'load', 'noise', 'wear']. Found 'waer'. A typing slip? "
        "'waer' -> 'wear'.",
    ),
    "a misspelt kind": (
        lambda: ca.augment(FRAME, ARROWS, kinds={"load": "continous"}),
        "`kinds['load']` must be one of ['continuous', 'discrete', 'nominal', 'ordered']. Found "
        "'continous'. A typing slip? 'continous' -> 'continuous'.",
    ),
    "the name of a learner": (
        lambda: ca.compare(FRAME, ARROWS, "wear", "ridge"),
        "`estimator` must be a scikit-learn estimator with `fit` and `predict`. Found 'ridge'. "
        "Write the learner itself, such as sklearn.linear_model.Ridge(); learners by name come "
        "from causalaug.evaluation.named_learner('ridge', X, classification=False).",
    ),
    "the class of a learner": (
        lambda: ca.evaluate(FRAME, ARROWS, "wear", estimator=Ridge),
        "`estimator` must be a scikit-learn estimator with `fit` and `predict`. Found "
        "<class 'sklearn.linear_model._ridge.Ridge'>. Write Ridge(), with parentheses.",
    ),
    "table and graph swapped": (
        lambda: ca.compare(ARROWS, FRAME, "wear", Ridge()),
        "A graph must be text, a path, an ADMG or a graph of another library. Found a table of 30 "
        "rows and 4 columns. The table comes first, the graph second: are the two swapped?",
    ),
    "a classifier for a number": (
        lambda: ca.compare(FRAME, ARROWS, "wear", LogisticRegression()),
        f"To be classified, the target must have classes. Found numbers such as {Y[0]:.4g}. Use a "
        "regressor, or cut the target into classes.",
    ),
    "a classifier in a regressor": (
        lambda: ca.AugmentedRegressor(LogisticRegression(), graph=ARROWS).fit(X, Y),
        "The learner inside must be a regressor. Found the classifier LogisticRegression. Use "
        "AugmentedClassifier for classes, or a regressor.",
    ),
    "a regressor in a classifier": (
        lambda: ca.AugmentedClassifier(Ridge(), graph=ARROWS).fit(X, CLASSES),
        "The learner inside must be a classifier. Found the regressor Ridge. Use "
        "AugmentedRegressor for numbers, or a classifier.",
    ),
    "a single class": (
        lambda: ca.AugmentedClassifier(LogisticRegression(), graph=ARROWS).fit(X, CLASSES == "oak"),
        "The target must have rows of at least two classes for this learner; rows of weight zero "
        "do not count. Found one class, False, for LogisticRegression. Add rows of another class, "
        "or use a learner that takes one.",
    ),
    "a target of dates": (
        lambda: ca.evaluate(FRAME.assign(wear=DATES), ARROWS, "wear"),
        "The target must hold numbers or classes. Found times in 'wear', such as "
        "'2001-01-01 00:00:00'. Make numbers of them, such as days since the first: "
        "`(y - y.min()) / pandas.Timedelta(days=1)`; or, if they are classes, pass a classifier as "
        "the estimator.",
    ),
    "a target that is called like a feature": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=ARROWS).fit(X, Y.rename("heat")),
        "The name of `y` must be that of its own node, and not of a feature. Found 'heat', which "
        "the features have as well, while no column is called ['wear']. Rename the series, "
        "y.rename('wear'), or write target='wear'.",
    ),
    "names that are not those of the frame": (
        lambda: ca.GraphRegressor(ARROWS, feature_names=["heat", "load", "noise"]).fit(X, Y),
        "`feature_names` must be the names of the columns. Found ['heat', 'load', 'noise'] for a "
        "frame whose columns are ['load', 'heat', 'noise']. Leave it out: a frame has its own "
        "names; or rename the columns of the frame.",
    ),
    "rows without a group": (
        lambda: ca.compare(FRAME, ARROWS, "wear", Ridge(), groups=[None, *"ab" * 14, None]),
        "`groups` must name a group for every row. Found none at the rows [0, 29], counted from 0. "
        "Give each of them a group, one of its own if it belongs to no other row, or drop the "
        "rows.",
    ),
    "classes that are called continuous": (
        lambda: ca.GraphClassifier(ARROWS, kinds={"wear": "continuous"}).fit(X, CLASSES),
        "The target of a classifier must be nominal or ordered. Found "
        "kinds={'wear': 'continuous'}. Leave it out of `kinds`, or use the regressor for numbers.",
    ),
    "an infinite cell to predict from": (
        lambda: FITTED.predict(X.assign(heat=np.inf)),
        "The data must be finite. Found infinite cells in ['heat']. Replace them by finite values, "
        "or by missing ones.",
    ),
    "a target of words, to be compared": (
        lambda: ca.compare(FRAME.assign(wear=CLASSES), ARROWS, "wear", Ridge()),
        f"To be regressed, the target must be a number. Found cells such as {CLASSES[0]!r}. Use "
        'task="classification", or a classifier.',
    ),
    "a target of words, to be fitted": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=ARROWS).fit(X, CLASSES),
        f"The target of a regression must be numbers. Found cells such as {CLASSES[0]!r} (string). "
        "Convert them to numbers, or use the classifier for classes.",
    ),
    "a column of words for a learner of numbers": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=PARTS.graph).fit(PARTS.X, PARTS.y),
        "The learner must take the columns as they are. Found ['alloy'], which hold no numbers, "
        "and a Ridge that failed on them: could not convert string to float: 'steel' Encode them "
        "inside: `make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), "
        "['alloy']), remainder='passthrough'), Ridge())`.",
    ),
    "the path of a table": (
        lambda: ca.augment("rows.csv", ARROWS),
        "The data must be a pandas or polars DataFrame, a pyarrow Table, or a 2-d numpy array. "
        "Found builtins.str. A file must be read first: `pandas.read_csv('rows.csv')`.",
    ),
    "the target left among the features": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=ARROWS).fit(FRAME, Y),
        "The features must not hold the target. Found 'wear' among the columns "
        "['load', 'wear', 'heat', 'noise']. Drop it, or name another target.",
    ),
    "an array without names": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=ARROWS).fit(X.to_numpy(), Y),
        "With a graph, the features must have names: columns are matched to nodes by name. Found "
        "an array without any. Either let the steps before return frames, "
        '`set_output(transform="pandas")`; or say what the columns are, feature_names=[...]; or '
        "put the preprocessing inside the estimator, "
        "`AugmentedRegressor(make_pipeline(StandardScaler(), Ridge()), graph=graph)`.",
    ),
    "a share in percent": (
        lambda: ca.AugmentedRegressor(Ridge(), graph=ARROWS, augmented_share=50).fit(X, Y),
        "`augmented_share` must lie between 0 and 1. Found 50.",
    ),
    "a number of rows where a conditional belongs": (
        lambda: ca.augment(FRAME, ARROWS, 500),
        "`conditional` must be an object with a method `fit`, such as KernelConditional(). Found "
        "500. The third argument of `augment` is `conditional`, the fourth `expansion`.",
    ),
    "more folds than rows allow": (
        lambda: ca.compare(FRAME, ARROWS, "wear", Ridge(), n_splits=40),
        "There must be at least two rows for each of the 40 folds. Found 30 rows. Use fewer folds, "
        "or more rows.",
    ),
    "a target that the graph lacks": (
        lambda: ca.compare(FRAME, "load -> heat", "wear", Ridge()),
        LACKS_WEAR,
    ),
    "a learner's target that the graph lacks": (
        lambda: ca.AugmentedRegressor(Ridge(), graph="load -> heat").fit(X, Y),
        LACKS_WEAR,
    ),
    "a learner's target, named, that the graph lacks": (
        lambda: ca.GraphRegressor(graph="load -> heat", target="wear").fit(X, Y),
        LACKS_WEAR,
    ),
    "quantiles in percent": (
        lambda: ca.GraphRegressor(graph=ARROWS).fit(X, Y).predict_quantile(X, [10, 90]),
        "The level of a quantile must lie between 0 and 1, as in [0.1, 0.9] for an interval that "
        "holds eight in ten. Found 10. Write 0.1.",
    ),
    "a quantile of a prediction in percent": (
        lambda: ca.fit_model(FRAME, ARROWS).predict("wear", X).quantile(90),
        "The level of a quantile must lie between 0 and 1, as in [0.1, 0.9] for an interval that "
        "holds eight in ten. Found 90. Write 0.9.",
    ),
    "a filter that left nothing": (
        lambda: ca.augment(FRAME[FRAME["load"] > 100.0], ARROWS),
        "The data must have at least one row and one column. Found 0 rows and 4 columns. Was every "
        "row filtered out?",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_python_is_answered_in_our_words(name):
    make, sentence = MISTAKES[name]
    with pytest.raises(CausalAugError) as caught:
        make()
    assert " ".join(str(caught.value).split()) == sentence


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("rows.csv", index=False)
    FRAME.to_csv("semicolons.csv", index=False, sep=";")
    (tmp_path / "rows.xlsx").touch()
    (tmp_path / "graph.txt").write_text(ARROWS)
    return tmp_path


AT_THE_SHELL = {
    "a spreadsheet": (
        "check rows.xlsx --graph graph.txt",
        "error: A table must end in one of .csv, .tsv, .tab, .parquet, .pq, .feather, .arrow. "
        "Found 'rows.xlsx', a spreadsheet. Export it as CSV, and name that file.",
    ),
    "a target that the graph lacks": (
        "evaluate rows.csv --graph load->heat --target wear",
        f"error: {LACKS_WEAR}",
    ),
    "a target to predict that the graph lacks": (
        "predict rows.csv rows.csv --graph load->heat --target wear --out new.csv",
        f"error: {LACKS_WEAR}",
    ),
    "a table that is not there": (
        "check row.csv --graph graph.txt",
        "error: A table must be a file. Found none: 'row.csv'. Did you mean 'rows.csv'?",
    ),
    "a wrong separator": (
        "check semicolons.csv --graph graph.txt",
        "error: The table must have its names in the first line. Found one: "
        "'load;wear;heat;noise'. If that is several, say --separator ';'.",
    ),
    "an arrow that is none": (
        "check rows.csv --graph load=>wear",
        "error: Arrow text, line 1: an edge must be ->, <- or <->. Found load => wear: it is no "
        "arrow. Choose load -> wear, load <- wear, or load <-> wear (a hidden common cause).",
    ),
    "a graph file that is not there": (
        "check rows.csv --graph graf.txt",
        "error: A graph must be a file. Found none: 'graf.txt'. Did you mean 'graph.txt'? Arrow "
        "text has an arrow: 'A -> B; B <-> C'.",
    ),
    "a misspelt target": (
        "evaluate rows.csv --graph graph.txt --target waer",
        "error: `--target` names columns that the data do not have: ['waer']. A typing slip? "
        "'waer' -> 'wear'. The columns are ['load', 'wear', 'heat', 'noise'].",
    ),
    "files swapped": (
        "check graph.txt --graph rows.csv",
        "error: A graph must not be a table. Found 'rows.csv'. The table comes first, the graph "
        "after --graph: are the two swapped?",
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", AT_THE_SHELL)
def test_a_mistake_at_the_shell_is_one_line(name):
    words, sentence = AT_THE_SHELL[name]
    result = run(*words.split())
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"{sentence}\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["chek", "rows.csv"], "No such command 'chek'."),
        (["check", "rows.csv", "--graf", "graph.txt"], "No such option: --graf"),
        (["evaluate", "rows.csv", "-g", "graph.txt"], "Missing option '--target'"),
        (
            ["evaluate", "rows.csv", "-g", "graph.txt", "-t", "wear", "--estimator", "rigde"],
            "'rigde' is not one of 'boosting', 'forest', 'logistic', 'ridge', 'xgboost'",
        ),
    ],
    ids=str,
)
def test_a_mistake_in_the_options_names_the_option(words, part):
    result = run(*words)
    assert result.exit_code == 2
    assert part in re.sub(r"\s+", " ", result.stderr)
    assert "Traceback" not in result.stderr


def test_twenty_mistakes_and_more_are_listed():
    assert len(MISTAKES) + len(AT_THE_SHELL) >= 20
