"""``causalaug evaluate``: whether the graph helps, and whether it fits the data."""

import shlex
import sys
from enum import StrEnum
from json import dumps as dump_json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug._atomic import atomic_path, check_output
from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
    Graph,
    Jobs,
    Kinds,
    Limits,
    Overwrite,
    Seed,
    Task,
    TaskName,
    TextFormat,
    Trust,
    check_jobs,
    parse_kinds,
    parse_limits,
    parse_trust,
)
from causalaug.cli._output import Output, plain
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.report import Evaluation

PAGES, ENDINGS = (".html", ".htm"), (".html", ".htm", ".md", ".json")
"""The endings of a report; the first two are pages."""

FOLDS, QUICK_FOLDS = 5, 3


class LearnerName(StrEnum):
    """The learners that have a name here."""

    boosting = "boosting"
    forest = "forest"
    logistic = "logistic"
    ridge = "ridge"
    xgboost = "xgboost"


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
Learner = Annotated[LearnerName, typer.Option(help="The learner that is to be helped.")]
Folds = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=2, help="The number of folds: 5, or 3 if quick.", show_default=False
    ),
]
Repeats = Annotated[
    int, typer.Option(metavar="N", min=1, help="How often the rows are split anew.")
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A first look: fewer folds, no other learners.")
]
Minutes = Annotated[
    float | None,
    typer.Option(
        metavar="M",
        help="About how long the fits may take. What is not begun by then, other learners "
        "first, is left out and listed.",
        show_default=False,
    ),
]


@reported
@with_groups
def evaluate(
    data: Data,
    graph: Graph,
    target: Target,
    report: Report = None,
    estimator: Learner = LearnerName.boosting,
    task: Task = None,
    folds: Folds = None,
    repeats: Repeats = 1,
    quick: Quick = False,
    minutes: Minutes = None,
    jobs: Jobs = 1,
    kinds: Kinds = None,
    trust: Trust = None,
    overwrite: Overwrite = False,
    limits: Limits = None,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Ask whether a graph helps to predict, and fits the data.

    The learner is trained alone, and in a blend on each rung of a ladder of knowledge: nothing,
    the order of the graph, the graph. All are judged on the same held-out rows; what a rung adds
    to the one below is what that knowledge is worth. The verdict comes first.

    \b
    A first look, in less time:
      causalaug evaluate data.csv --graph graph.txt --target wear --quick --jobs -1
    A report to show to a colleague, and the figures for a script:
      causalaug evaluate data.csv --graph graph.txt --target wear --report report.html
      causalaug evaluate data.csv --graph graph.txt --target wear --estimator ridge --json
    """
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._table_files import Expected, read_table
    from causalaug.report import evaluate as evaluate_graph

    options: dict[str, Any] = {
        "kinds": parse_kinds(kinds),
        "limits": parse_limits(limits),
        **parse_trust(trust),
        "n_splits": folds or (QUICK_FOLDS if quick else FOLDS),
        "repeats": repeats,
        "rivals": not quick,
        "minutes": minutes,
        "n_jobs": jobs,
        "random_state": seed,
        "source": shlex.join(["causalaug", *sys.argv[1:]]),
    }
    check_jobs(jobs)
    if report is not None:
        check_report(report)
        check_not_an_input(report, (data, graph), overwrite=overwrite)
    admg = open_graph(graph)
    # All columns, nodes or not: a plain learner sees the others, too.
    frame = read_table(data, text, chosen, Expected(kinds=options["kinds"]), output.remark)
    frame, learner = _learner(frame, target, estimator, task, output)
    with output.progress("Fitting learners") as progress:
        result = evaluate_graph(
            frame, admg, target, estimator=learner, callback=progress, **options
        )
    if report is not None:
        write_report(result, report)
    tell(output, result, report)


def _learner(
    frame: "pd.DataFrame", target: str, name: LearnerName, task: TaskName | None, output: Output
) -> tuple["pd.DataFrame", Any]:
    """Return a learner by its name, and the frame with a target that it takes."""
    from causalaug._validation import check_columns_exist
    from causalaug.cli._rows import task_in_words
    from causalaug.evaluation import named_learner, task_of

    check_columns_exist("--target", [target], list(frame.columns))
    task = task if task is not None else task_of_learner(name, frame[target])
    taken = task_of(frame[target], task and task.value)
    note = None if task is not None else task_in_words(target, frame[target], taken)
    if note is not None:
        output.remark(note)
    classification = taken == TaskName.classification.value
    features = frame.drop(columns=target)
    learner = named_learner(name.value, features, classification=classification)
    if name == LearnerName.xgboost and classification:
        codes, classes = as_codes(frame[target])
        names = ", ".join(f"{code} = {label}" for code, label in enumerate(classes))
        output.remark(f"XGBoost takes classes as numbers: {names}")
        frame = frame.assign(**{target: codes})
    return frame, learner


def task_of_learner(name: LearnerName, labels: "pd.Series[Any]") -> TaskName | None:
    """Return what a learner does that does one thing only; None if it does both."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if name == LearnerName.logistic:
        return TaskName.classification
    is_number = is_numeric_dtype(labels) and not is_bool_dtype(labels)
    return TaskName.regression if name == LearnerName.ridge and is_number else None


def as_codes(labels: "pd.Series[Any]") -> tuple["pd.Series[Any]", Any]:
    """Return classes as numbers from 0, and which is which; missing ones stay missing."""
    import pandas as pd

    codes, classes = pd.factorize(labels, sort=True)
    coded = pd.Series(codes, index=labels.index, name=labels.name)
    has_all = labels.notna().all()
    return (coded if has_all else coded.astype("Int64").mask(labels.isna())), classes


def check_report(path: Path) -> None:
    """Raise unless a report could be written there; worth asking before long work."""
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"A report must end in one of {', '.join(ENDINGS)}. Found {str(path)!r}. Rename it."
        )
    check_output(path)


def write_report(result: "Evaluation", path: Path) -> None:
    """Write a report in the format of its ending, in full or not at all."""
    if path.suffix.lower() in PAGES:
        result.to_html(path)
        return
    as_json = path.suffix.lower() == ".json"
    text = dump_json(plain(result.to_dict()), indent=2) if as_json else result.to_markdown()
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def tell(output: Output, result: "Evaluation", report: Path | None) -> None:
    """Say the verdict first, then the losses, the parts of the gain, and the check."""
    output.document({**result.to_dict(), "report": report and str(report)})
    if output.quiet:
        output.say(result.verdict)
        return
    answer, *reasons = result.findings
    output.say(answer)
    for reason in reasons:
        output.say(f"- {reason}")
    output.say()
    tell_figures(output, result)
    if report is not None:
        output.say(f"Report: {report.resolve()}")


def tell_figures(output: Output, result: "Evaluation") -> None:
    """Show the losses, the parts of the gain, and the check."""
    compared = result.comparison
    losses = [
        (name, float(compared.losses[name].mean()), "" if name == "baseline" else str(gain))
        for name, gain in ((str(name), compared.gain(str(name))) for name in compared.losses)
    ]
    parts = [(name, str(gain)) for name, gain in compared.parts.items()]
    output.table(["method", compared.loss_name, "against the baseline"], losses)
    output.say()
    output.table(["part of the gain", f"change in {compared.loss_name}"], parts)
    output.say(f"\nBaseline: {compared.learner}. Steps: nothing known, the order, the graph.")
    output.say(f"Kinds: {result.settings['kinds of columns']} (--kinds changes them).")
    for line in result.check.summary().splitlines()[1:]:
        output.say(line)
