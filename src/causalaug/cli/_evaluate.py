"""``causalaug evaluate``: whether the graph helps, and whether it fits the data."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._options import (
    Columns,
    Data,
    Dates,
    Debug,
    Decimal,
    Drop,
    Encoding,
    Graph,
    Json,
    Kinds,
    Limits,
    Quiet,
    Seed,
    Separator,
    parse_kinds,
    parse_limits,
)
from causalaug.cli._output import Output

if TYPE_CHECKING:
    import pandas as pd


class LearnerName(StrEnum):
    """The learners that have a name here."""

    boosting = "boosting"
    forest = "forest"
    logistic = "logistic"
    ridge = "ridge"
    xgboost = "xgboost"


class TaskName(StrEnum):
    """What is predicted: numbers or classes."""

    regression = "regression"
    classification = "classification"


Target = Annotated[
    str,
    typer.Option("--target", "-t", metavar="COLUMN", help="What to predict.", show_default=False),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        "-r",
        metavar="FILE",
        help="Where a report for people goes: .html, .md or .json.",
        show_default=False,
    ),
]
Task = Annotated[
    TaskName | None,
    typer.Option(
        help="By default what the learner does; else numbers are regressed, all else is "
        "classified.",
        show_default=False,
    ),
]


@reported
def evaluate(
    data: Data,
    graph: Graph,
    target: Target,
    report: Report = None,
    estimator: Annotated[
        LearnerName, typer.Option(help="The learner that is to be helped.")
    ] = LearnerName.boosting,
    task: Task = None,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="The number of folds.")] = 5,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often the rows are split anew.")
    ] = 1,
    kinds: Kinds = None,
    limits: Limits = None,
    columns: Columns = None,
    drop: Drop = None,
    encoding: Encoding = "utf-8",
    separator: Separator = None,
    decimal: Decimal = None,
    dates: Dates = True,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Ask whether a graph helps to predict, and fits the data.

    The learner is trained alone, with new rows of the graph, and with new rows that assume
    nothing (the control), and judged on the same held-out rows. What the control gains is
    smoothing; what the graph gains beyond it is its own. The verdict comes first.

    \b
    A report to show to a colleague, and the figures for a script:
      causalaug evaluate data.csv --graph graph.txt --target wear --report report.html
      causalaug evaluate data.csv --graph graph.txt --target wear --estimator ridge --json
    """
    from causalaug.cli._evaluations import check_report, tell, write_report
    from causalaug.cli._graphs import open_graph
    from causalaug.cli._tables import read_table
    from causalaug.report import evaluate as evaluate_graph

    checked_kinds, checked_limits = parse_kinds(kinds), parse_limits(limits)
    output = Output(json=json, quiet=quiet)
    if report is not None:
        check_report(report)
    admg = open_graph(graph)
    frame = read_table(
        data,
        encoding=encoding,
        separator=separator,
        columns=columns,
        drop=drop,
        decimal=decimal,
        dates=dates,
    )
    frame, learner = _learner(frame, target, estimator.value, task and task.value, output)
    with output.progress("Fitting learners") as progress:
        result = evaluate_graph(
            frame,
            admg,
            target,
            estimator=learner,
            kinds=checked_kinds,
            limits=checked_limits,
            n_splits=folds,
            repeats=repeats,
            random_state=seed,
            progress=progress,
            source=shlex.join(["causalaug", *sys.argv[1:]]),
        )
    if report is not None:
        write_report(result, report)
    tell(output, result, report)


def _learner(
    frame: pd.DataFrame, target: str, name: str, task: str | None, output: Output
) -> tuple[pd.DataFrame, Any]:
    """Return the frame and a learner that can predict its target."""
    import pandas as pd

    from causalaug._validation import check_columns_exist
    from causalaug.evaluation import named_learner

    check_columns_exist("--target", [target], list(frame.columns))
    labels = frame[target]
    is_number = pd.api.types.is_numeric_dtype(labels) and not pd.api.types.is_bool_dtype(labels)
    default = "classification" if name == "logistic" or not is_number else "regression"
    classification = (task or default) == "classification"
    features = frame.drop(columns=target)
    learner = named_learner(name, features, classification=classification)
    if name == "xgboost" and classification:
        codes, classes = pd.factorize(labels, sort=True)
        names = ", ".join(f"{code} = {label}" for code, label in enumerate(classes))
        output.remark(f"XGBoost takes classes as numbers: {names}")
        frame = frame.assign(**{target: codes})
    return frame, learner
