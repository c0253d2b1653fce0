"""``causalaug predict``: a column of new rows, given their other cells."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug._validation import check_same_variables, no_node
from causalaug.cli._errors import reported
from causalaug.cli._evaluate import LearnerName, as_codes, task_of_learner
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
    Graph,
    Kinds,
    Limits,
    Overwrite,
    Seed,
    Task,
    TaskName,
    TextFormat,
    Trust,
    parse_kinds,
    parse_limits,
    parse_trust,
)
from causalaug.cli._output import Output
from causalaug.cli._text import kinds_in_words
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from causalaug.cli._blocks import Blocks
    from causalaug.graphs import ADMG
    from causalaug.model import Prediction
    from causalaug.table import KindName


class ModelName(StrEnum):
    """What predicts."""

    blend = "blend"
    graph = "graph"


LEVELS = (0.05, 0.5, 0.95)
"""The quantiles that are written unless others are asked for: a nine in ten interval."""

New = Annotated[
    Path,
    typer.Argument(metavar="NEW", help="The rows to predict; cells may be missing."),
]
Target = Annotated[
    str,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict."),
]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="Where the predictions go."),
]
Quantiles = Annotated[
    str | None,
    typer.Option(
        metavar="P,...",
        help="Quantiles of a number to write, as in 0.05,0.5,0.95. Classes have none.",
        show_default=False,
    ),
]
Model = Annotated[
    ModelName | None,
    typer.Option(
        help="What predicts: the learner, blended with what the graph knows as held-out rows speak "
        "for it, as `evaluate` judges it; or the graph's own model alone. By default the blend, "
        "unless rows are too few to hold any out.",
        show_default=False,
    ),
]
Learner = Annotated[
    LearnerName | None,
    typer.Option(help="The learner of the blend; by default boosting.", show_default=False),
]


@reported
@with_groups
def predict(
    data: Data,
    new: New,
    graph: Graph,
    target: Target,
    out: Out,
    model: Model = None,
    estimator: Learner = None,
    quantiles: Quantiles = None,
    task: Task = None,
    kinds: Kinds = None,
    limits: Limits = None,
    trust: Trust = None,
    overwrite: Overwrite = False,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Predict a column by a learner and all that the graph knows, as held-out rows speak for them.

    The learner alone, learners with new rows, and the graph's own model are fitted to DATA and
    weighed by how they predict rows that were held out. For each row of NEW the output has the mean
    and quantiles of a number, or the probability of each class, in the order of the rows. Text and
    whole numbers of which exactly two differ are classes, all other numbers are numbers, unless
    --task or --kinds says otherwise. Columns of
    NEW must hold what they hold in DATA: numbers, text or dates. Cells may be missing in both, and
    nodes in NEW: what is missing is integrated out.

    \b
    A nine in ten interval of the wear of machines that were not opened:
      causalaug predict opened.csv new.csv --graph graph.txt --target wear --out wear.csv
    The same by the graph's own model, or around another learner:
      causalaug predict opened.csv new.csv -g graph.txt -t wear -o wear.csv --model graph
      causalaug predict opened.csv new.csv -g graph.txt -t wear -o wear.csv --estimator ridge
    """
    from causalaug.cli._blocks import read_blocks
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._rows import kinds_taken, only_evidence, only_nodes, task_in_words
    from causalaug.cli._table_files import (
        Expected,
        check_table_output,
        read_table,
        without_unchosen,
    )

    levels = _parse_levels(quantiles)
    _check_has_learner(model, estimator)
    options: dict[str, Any] = {
        "kinds": parse_kinds(kinds),
        "limits": parse_limits(limits),
        **parse_trust(trust),
    }
    check_table_output(out, safe=False)
    check_not_an_input(out, [data, new], overwrite=overwrite)
    admg = open_graph(graph)
    expected = Expected(admg.nodes, options["kinds"])
    if target not in admg.nodes:
        raise ParameterError(no_node(target, admg.nodes))
    train = read_table(data, text, chosen, expected, output.remark)
    train = only_nodes(train, admg.nodes, output)
    check_same_variables(admg.nodes, list(train.columns))
    if task is None and estimator is not None and target not in options["kinds"]:
        task = task_of_learner(estimator, train[target])
    is_said = task is not None or target in options["kinds"]
    options["kinds"] = _with_task(options["kinds"], target, train[target], task)
    if quantiles is not None:
        _check_has_quantiles(target, train[target], kinds_taken(train, options["kinds"])[target])
    # What NEW says of the target is not looked at, and may be anything.
    known = train.drop(columns=target, errors="ignore")
    blocks = read_blocks(
        new,
        text,
        Expected(set(known.columns), like=known),
        lambda line: output.remark(f"NEW: {line}"),
    )
    first = next(iter(blocks))
    used = only_evidence(without_unchosen(first, chosen), admg.nodes, target, output).columns
    problem = Problem(train, admg, target, levels, options)
    with output.progress("Fitting learners"):
        answer = _answer(problem, model, estimator or LearnerName.boosting, seed, output)
    with output.progress("Predicting") as progress:
        _write_predictions(answer, blocks, list(used), out, progress)
    output.document(
        {"out": str(out), "rows": blocks.n_rows, "target": target, "kinds": answer.kinds}
        | answer.about
    )
    if output.quiet:
        return
    output.say(kinds_in_words(answer.kinds))
    if answer.kinds[target] != "continuous":
        output.say(_about_classes(target, train[target], answer.kinds[target]))
    elif not is_said and (note := task_in_words(target, train[target], "regression")):
        output.say(note)
    output.say(answer.words)
    output.say(f"Wrote {blocks.n_rows} predictions of {target} to {out}")


@dataclass(frozen=True, eq=False)
class Problem:
    """What is asked: rows to learn from, the graph, and how columns are taken."""

    train: "pd.DataFrame"
    graph: "ADMG"
    target: str
    levels: tuple[float, ...]
    options: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Answer:
    """What predicts new rows, the kinds that columns were taken for, and who it is, in two ways."""

    predict: "Callable[[pd.DataFrame], pd.DataFrame]"
    kinds: "Mapping[str, str]"
    words: str
    about: dict[str, Any]


def _write_predictions(
    answer: Answer,
    blocks: "Blocks",
    used: list[str],
    out: Path,
    progress: "Callable[[int, int], None]",
) -> None:
    """Predict and write some rows after the others: memory does not grow with their number."""
    from causalaug.cli._table_files import table_writer

    with table_writer(out) as write:
        for number, block in enumerate(blocks):
            write(answer.predict(block[used]))
            progress(number + 1, blocks.n_blocks)


def _check_has_learner(model: ModelName | None, estimator: LearnerName | None) -> None:
    """Raise if a learner was named that nobody would ask."""
    if model == ModelName.graph and estimator is not None:
        raise ParameterError(
            "--estimator must go with --model blend: the graph's own model needs no learner. Found "
            f"--model graph and --estimator {estimator.value}. Leave one of them out."
        )


def _answer(
    problem: Problem, model: ModelName | None, learner: LearnerName, seed: int, output: Output
) -> Answer:
    """Return what the chosen model predicts; without a choice the blend, if it can be judged."""
    if model == ModelName.graph:
        return _by_graph(problem)
    blended = _by_blend(problem, learner, seed)
    if blended is not None:
        return blended
    told = (
        f"Ten distinct rows at least must have a cell of {problem.target!r}, so that some can be "
        "held out"
    )
    if model == ModelName.blend:
        raise TableError(f"{told}. Found fewer. Use --model graph, or get more rows.")
    output.remark(f"{told}. There are fewer: the graph's own model predicts.")
    return _by_graph(problem)


def _by_graph(problem: Problem) -> Answer:
    """Return what the graph's own model predicts."""
    import pandas as pd

    from causalaug.estimators import predict_in_blocks
    from causalaug.model import fit_model

    model = fit_model(problem.train, problem.graph, "auto", **problem.options)
    kinds = dict(zip(model.table.columns, model.table.kinds, strict=True))
    about = {"model": ModelName.graph.value}

    def predict(asked: "pd.DataFrame") -> "pd.DataFrame":
        # A distribution is some hundred numbers a row, of which a few are written.
        parts = predict_in_blocks(model, problem.target, asked)
        return pd.concat([_frame(part, problem) for part in parts], ignore_index=True)

    return Answer(predict, kinds, "The graph's own model predicts.", about)


def _by_blend(problem: Problem, name: LearnerName, seed: int) -> Answer | None:
    """Return what the blend around a learner predicts; None if no rows could be held out."""
    from causalaug.cli._rows import kinds_taken
    from causalaug.estimators import AugmentedClassifier, AugmentedRegressor
    from causalaug.evaluation import named_learner

    target, kinds = problem.target, kinds_taken(problem.train, problem.options["kinds"])
    features, labels = problem.train.drop(columns=target), problem.train[target]
    is_class = kinds[target] != "continuous"
    learner = named_learner(name.value, features, classification=is_class)
    classes = None
    if is_class and name == LearnerName.xgboost:
        labels, classes = as_codes(labels)
    blend: Any = (AugmentedClassifier if is_class else AugmentedRegressor)(
        learner, graph=problem.graph, target=target, random_state=seed, **problem.options
    )
    blend.fit(features, labels)
    if not blend.judged_rows_:
        return None

    def predict(asked: "pd.DataFrame") -> "pd.DataFrame":
        asked = _with_all_columns(asked, features)
        if is_class:
            names = blend.classes_ if classes is None else classes
            return _frame_of_classes(problem, names, blend.predict_proba(asked))
        quantiles = blend.predict_quantile(asked, problem.levels).T
        return _frame_of_numbers(problem, blend.predict(asked), quantiles)

    plain = float(blend.blend_["loss"][0])
    loss_name = "log-loss" if is_class else "MSE"
    about = {
        "model": ModelName.blend.value,
        "estimator": name.value,
        "loss": loss_name,
        "held_out_rows": blend.judged_rows_,
        "held_out_loss": blend.held_out_loss_,
        "plain_loss": plain,
    }
    words = (
        f"The blend around {name.value} predicts: its {loss_name} on {blend.judged_rows_} held-out "
        f"rows is {blend.held_out_loss_:.4g}, that of {name.value} alone {plain:.4g}."
    )
    return Answer(predict, kinds, words, about)


def _with_all_columns(asked: "pd.DataFrame", features: "pd.DataFrame") -> "pd.DataFrame":
    """Return new rows with all features; what NEW lacks is missing in each row, and integrated out.

    A column without any cell has the type that it has in DATA: a learner takes words there, say.
    """
    import pandas as pd

    columns = {
        name: asked[name]
        if name in asked and asked[name].notna().any()
        else features[name].iloc[:0].reindex(asked.index)
        for name in features
    }
    return pd.DataFrame(columns, index=asked.index)


def _with_task(
    kinds: "dict[str, KindName]", target: str, cells: "pd.Series[Any]", task: TaskName | None
) -> "dict[str, KindName]":
    """Return the kinds of columns with that of the target, which says what is predicted.

    A kind that was given decides, unless a task was given that contradicts it.
    """
    from causalaug.cli._rows import kinds_taken
    from causalaug.evaluation import task_of

    if task is None and target in kinds:
        return kinds
    if task_of(cells, task and task.value) == TaskName.regression.value:
        return {**kinds, target: "continuous"}
    taken = kinds_taken(cells.to_frame(), {target: kinds[target]} if target in kinds else {})
    return kinds if taken[target] != "continuous" else {**kinds, target: "nominal"}


def _about_classes(target: str, cells: "pd.Series[Any]", kind: str) -> str:
    """Return why there is a probability for each value, and how to have a number instead."""
    return f"{target!r} is predicted as classes, since it is {kind}.{_as_a_number(cells)}"


def _as_a_number(cells: "pd.Series[Any]") -> str:
    """Return how to have a number predicted, if the cells are numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(cells) or not is_numeric_dtype(cells):
        return ""
    return " --task regression predicts a number."


def _check_has_quantiles(target: str, cells: "pd.Series[Any]", kind: str) -> None:
    """Raise unless the target is a number; classes have no quantiles."""
    if kind == "continuous":
        return
    raise ParameterError(
        f"--quantiles must be for a number. Found that {target!r} is {kind}, and predicted as "
        f"classes. Leave --quantiles out.{_as_a_number(cells)}"
    )


def _parse_levels(text: str | None) -> tuple[float, ...]:
    """Return the levels of the quantiles to write."""
    if text is None:
        return LEVELS
    try:
        levels = tuple(float(part) for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        raise typer.BadParameter(
            f"must be numbers between 0 and 1, with commas between. Found {text}",
            param_hint="'--quantiles'",
        )
    return levels


def _frame(prediction: "Prediction", problem: Problem) -> "pd.DataFrame":
    """Return one row per prediction of the graph's own model."""
    if prediction.levels is not None:
        return _frame_of_classes(problem, prediction.levels, prediction.probabilities)
    quantiles = [prediction.quantile(level) for level in problem.levels]
    return _frame_of_numbers(problem, prediction.mean, quantiles)


def _frame_of_classes(problem: Problem, classes: Any, probabilities: Any) -> "pd.DataFrame":
    """Return the probability of each class, one row per prediction."""
    import pandas as pd

    from causalaug.cli._rows import with_whole_numbers

    cells = with_whole_numbers(problem.train, pd.DataFrame({problem.target: classes}))
    names = [f"{problem.target}={level}" for level in cells[problem.target]]
    return pd.DataFrame(probabilities, columns=names)


def _frame_of_numbers(problem: Problem, mean: Any, quantiles: Any) -> "pd.DataFrame":
    """Return mean and quantiles, one row per prediction."""
    import pandas as pd

    names = [f"{problem.target}_q{level:g}" for level in problem.levels]
    columns = {problem.target: mean} | dict(zip(names, quantiles, strict=True))
    return pd.DataFrame(columns)
