"""``causalaug predict``: a column of new rows, given their other cells."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug._validation import check_same_variables, no_node
from causalaug.cli._options import (
    About,
    Data,
    Graph,
    LearnerName,
    Overwrite,
    Seed,
    TableFormat,
    Target,
    Task,
    TaskName,
    option,
    refuse,
)
from causalaug.cli._output import Output, kinds_in_words, listed
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from causalaug.graphs import ADMG
    from causalaug.table import KindName

ModelName = StrEnum("ModelName", ["blend", "graph"])


New = Annotated[
    Path, typer.Argument(metavar="NEW", help="The rows to predict; cells may be missing.")
]


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be predicted: rows to learn from, the graph, and how columns are taken."""

    train: "pd.DataFrame"
    graph: "ADMG"
    target: str
    levels: tuple[float, ...]
    options: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Predictor:
    """What predicts new rows, the kinds that columns are taken for, and who it is, in two ways."""

    predict: "Callable[[pd.DataFrame], pd.DataFrame]"
    kinds: dict[str, str]
    words: str
    document: dict[str, Any]


def predict(
    data: Data,
    new: New,
    graph: Graph,
    target: Target,
    out: Path = option("Where the predictions go.", metavar="FILE", names="--out -o"),
    model: ModelName | None = option(
        "What predicts: the learner, blended with what the graph knows as held-out rows speak "
        "for it, as `evaluate` judges it; or the graph's own model alone. By default the blend, "
        "unless rows are too few to hold any out.",
        default=None,
    ),
    estimator: LearnerName | None = option(
        "The learner of the blend; by default boosting.", default=None
    ),
    quantiles: str | None = option(
        "Quantiles of a number to write, as in 0.05,0.5,0.95. Classes have none.",
        default=None,
        metavar="P,...",
    ),
    task: Task = None,
    overwrite: Overwrite = False,
    *,
    about: About,
    table: TableFormat,
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
    from causalaug.cli import _cells, _files, _rows, _tables

    levels = _parse_levels(quantiles)
    if model == ModelName.graph and estimator is not None:
        raise ParameterError(
            "--estimator must go with --model blend: the graph's own model needs no learner. Found "
            f"--model graph and --estimator {estimator.value}. Leave one of them out."
        )
    options = about.options()
    _tables.check_table_output(out)
    _files.check_not_an_input(out, [data, new], overwrite=overwrite)
    admg = _files.open_graph(graph)
    if target not in admg.nodes:
        raise ParameterError(no_node(target, admg.nodes))
    # A learner sees columns that are no node, as `evaluate` lets it; the graph's model does not.
    seen = admg.nodes if model == ModelName.graph else None
    train = _tables.read_table(data, table, _cells.Expected(seen, options["kinds"]), output.remark)
    check_same_variables(admg.nodes, [name for name in train if name in admg.nodes])
    if model == ModelName.graph:
        train = _rows.only_nodes(train, admg.nodes, output)
    cells = train[target]
    if task is None and estimator is not None and target not in options["kinds"]:
        task = _rows.task_of_learner(estimator, cells)
    is_given = task is not None or target in options["kinds"]
    options["kinds"] = _with_task(options["kinds"], target, cells, task)
    kind = _rows.kinds_taken(train, options["kinds"])[target]
    if quantiles is not None and kind != "continuous":
        raise ParameterError(
            f"--quantiles must be for a number. Found that {target!r} is {kind}, and predicted as "
            f"classes. Leave --quantiles out.{_as_a_number(cells)}"
        )
    # What NEW says of the target is not looked at, and may be anything.
    known = train.drop(columns=target)
    expected = _cells.Expected(set(known.columns), like=known)
    blocks = _tables.read_blocks(new, table, expected, lambda line: output.remark(f"NEW: {line}"))
    first = _tables.only_chosen(next(iter(blocks.frames())), table, must_exist=False)
    train, used = _seen_in_both(train, first, admg, target, output)
    problem = Problem(train, admg, target, levels, options)
    with output.progress("Fitting learners"):
        predictor = _predictor(problem, model, estimator or LearnerName.boosting, seed, output)
    # Some rows after the others, so that memory does not grow with their number.
    with output.progress("Predicting") as progress, _tables.table_writer(out) as write:
        for number, block in enumerate(blocks.frames(), 1):
            write(predictor.predict(block[used]))
            progress(number, blocks.n_blocks)
    output.document(
        {"out": str(out), "rows": blocks.n_rows, "target": target, "kinds": predictor.kinds}
        | predictor.document
    )
    if output.quiet:
        return
    output.say(kinds_in_words(predictor.kinds))
    taken = TaskName.regression if kind == "continuous" else TaskName.classification
    if not is_given and (note := _rows.task_in_words(target, cells, taken.value)):
        output.say(note)
    elif taken == TaskName.classification:
        output.say(f"{target!r} is predicted as classes.{_as_a_number(cells)}")
    output.say(predictor.words)
    output.say(f"Wrote {blocks.n_rows} predictions of {target} to {out}")


def _seen_in_both(
    train: "pd.DataFrame", new: "pd.DataFrame", graph: "ADMG", target: str, output: Output
) -> "tuple[pd.DataFrame, list[str]]":
    """Return the rows to learn from, and which columns of NEW are used.

    Nodes may be absent from NEW, and are integrated out; what else it lacks, nobody learns from.
    """
    from causalaug.cli import _rows

    outside = [str(name) for name in train if name not in graph.nodes]
    extra = [name for name in outside if name in new]
    if absent := [name for name in outside if name not in new]:
        output.remark(f"Left out, since NEW does not have them: {listed(absent)}")
    inside = _rows.only_evidence(new.drop(columns=extra), graph.nodes, target, output)
    return train.drop(columns=absent), [*inside.columns, *extra]


def _predictor(
    problem: Problem, model: ModelName | None, learner: LearnerName, seed: int, output: Output
) -> Predictor:
    """Return what was chosen to predict; without a choice the blend, if it can be judged."""
    if model == ModelName.graph:
        return _by_graph(problem)
    blended = _by_blend(problem, learner, seed)
    if blended is not None:
        return blended
    few = (
        f"Ten distinct rows at least must have a cell of {problem.target!r}, so that some can be "
        "held out"
    )
    if model == ModelName.blend:
        raise TableError(f"{few}. Found fewer. Use --model graph, or get more rows.")
    output.remark(f"{few}. There are fewer: the graph's own model predicts.")
    return _by_graph(problem)


def _by_graph(problem: Problem) -> Predictor:
    """Return what predicts by the graph's own model, as `evaluate` judges it."""
    from causalaug.cli import _rows
    from causalaug.estimators import GraphClassifier, GraphRegressor

    names = [name for name in problem.train if name in problem.graph.nodes]
    train, target = problem.train[names], problem.target
    kinds = _rows.kinds_taken(train, problem.options["kinds"])
    is_class = kinds[target] != "continuous"
    features = train.drop(columns=target)
    model: Any = (GraphClassifier if is_class else GraphRegressor)(
        problem.graph, target=target, random_state=0, **problem.options
    )
    model.fit(features, train[target])

    def predict(rows: "pd.DataFrame") -> "pd.DataFrame":
        rows = _with_all_columns(rows, features)
        if is_class:
            return _frame_of_classes(problem, model.classes_, model.predict_proba(rows))
        quantiles = model.predict_quantile(rows, problem.levels).T
        return _frame_of_numbers(problem, model.predict(rows), quantiles)

    words = "The graph's own model predicts."
    if model.graph_weight_ < 1.0:
        words = (
            f"The graph's own model predicts, with a weight of {model.graph_weight_:.2f}; the rest "
            "is a model that needs no causal knowledge."
        )
    return Predictor(predict, kinds, words, {"model": "graph", "weight": model.graph_weight_})


def _by_blend(problem: Problem, name: LearnerName, seed: int) -> Predictor | None:
    """Return what predicts by the blend around a learner; None if no rows could be held out."""
    from causalaug.cli import _rows
    from causalaug.estimators import AugmentedClassifier, AugmentedRegressor
    from causalaug.evaluation import named_learner

    target, kinds = problem.target, _rows.kinds_taken(problem.train, problem.options["kinds"])
    features, labels = problem.train.drop(columns=target), problem.train[target]
    is_class = kinds[target] != "continuous"
    learner = named_learner(name.value, features, classification=is_class)
    classes = None
    if is_class and name == LearnerName.xgboost:
        labels, classes = _rows.as_codes(labels)
    blend: Any = (AugmentedClassifier if is_class else AugmentedRegressor)(
        learner, graph=problem.graph, target=target, random_state=seed, **problem.options
    )
    blend.fit(features, labels)
    if not blend.judged_rows_:
        return None

    def predict(rows: "pd.DataFrame") -> "pd.DataFrame":
        rows = _with_all_columns(rows, features)
        if is_class:
            names = blend.classes_ if classes is None else classes
            return _frame_of_classes(problem, names, blend.predict_proba(rows))
        quantiles = blend.predict_quantile(rows, problem.levels).T
        return _frame_of_numbers(problem, blend.predict(rows), quantiles)

    plain = float(blend.blend_["loss"][0])
    loss_name = "log-loss" if is_class else "MSE"
    document = {
        "model": "blend",
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
    return Predictor(predict, kinds, words, document)


def _with_all_columns(rows: "pd.DataFrame", features: "pd.DataFrame") -> "pd.DataFrame":
    """Return new rows with all features; what NEW lacks is missing in each row, and integrated out.

    A column without any cell has the type that it has in DATA: a learner takes words there, say.
    """
    import pandas as pd

    columns = {
        name: rows[name]
        if name in rows and rows[name].notna().any()
        else features[name].iloc[:0].reindex(rows.index)
        for name in features
    }
    return pd.DataFrame(columns, index=rows.index)


def _with_task(
    kinds: "dict[str, KindName]", target: str, cells: "pd.Series[Any]", task: TaskName | None
) -> "dict[str, KindName]":
    """Return the kinds of columns with that of the target, which says what is predicted.

    A kind that was given decides, unless a task was given that contradicts it.
    """
    from causalaug.cli import _rows
    from causalaug.evaluation import task_of

    if task is None and target in kinds:
        return kinds
    if task_of(cells, task and task.value) == TaskName.regression.value:
        return {**kinds, target: "continuous"}
    taken = _rows.kinds_taken(cells.to_frame(), {target: kinds[target]} if target in kinds else {})
    return kinds if taken[target] != "continuous" else {**kinds, target: "nominal"}


def _as_a_number(cells: "pd.Series[Any]") -> str:
    """Return how to have a number predicted, if the cells are numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(cells) or not is_numeric_dtype(cells):
        return ""
    return " --task regression predicts a number."


def _parse_levels(text: str | None) -> tuple[float, ...]:
    """Return the levels of the quantiles to write; by default a nine in ten interval."""
    if text is None:
        return (0.05, 0.5, 0.95)
    try:
        levels = tuple(float(part) for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        refuse("--quantiles", f"must be numbers between 0 and 1, with commas between. Found {text}")
    return levels


def _frame_of_classes(problem: Problem, classes: Any, probabilities: Any) -> "pd.DataFrame":
    """Return the probability of each class, one row per prediction."""
    import pandas as pd

    from causalaug.cli import _rows

    cells = _rows.with_whole_numbers(problem.train, pd.DataFrame({problem.target: classes}))
    names = [f"{problem.target}={level}" for level in cells[problem.target]]
    return pd.DataFrame(probabilities, columns=names)


def _frame_of_numbers(problem: Problem, mean: Any, quantiles: Any) -> "pd.DataFrame":
    """Return mean and quantiles, one row per prediction."""
    import pandas as pd

    names = [f"{problem.target}_q{level:g}" for level in problem.levels]
    columns = {problem.target: mean} | dict(zip(names, quantiles, strict=True))
    return pd.DataFrame(columns)
