"""``causalaug evaluate`` and ``check``: whether the graph helps, and whether it fits the data."""

import shlex
import sys
from enum import StrEnum
from json import dumps as dump_json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causalaug._atomic import atomic_path, check_output
from causalaug._markup import plain
from causalaug.cli._options import (
    About,
    Data,
    Graph,
    Jobs,
    Kinds,
    LearnerName,
    Overwrite,
    Seed,
    TableFormat,
    Target,
    Task,
    TaskName,
    option,
    parse_kinds,
)
from causalaug.cli._output import Output, kinds_in_words, listed
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.report import Evaluation

ENDINGS = (".html", ".htm", ".md", ".json")
"""The endings of a report."""

IndependenceTest = StrEnum(
    "IndependenceTest", ["auto", "partial_correlation", "g_squared", "gcm", "kci"]
)


def evaluate(
    data: Data,
    graph: Graph,
    target: Target,
    report: Path | None = option(
        "Where a report for people goes: .html, .md or .json.",
        default=None,
        metavar="FILE",
        names="--report -r",
    ),
    estimator: LearnerName = option(
        "The learner that is to be helped.", default=LearnerName.boosting
    ),
    task: Task = None,
    folds: int | None = option(
        "The number of folds: 5, or 3 if quick.", default=None, metavar="N", min=2
    ),
    repeats: int = option("How often the rows are split anew.", default=1, metavar="N", min=1),
    quick: bool = option(
        "A first look: fewer folds, no other learners.", default=False, names="--quick"
    ),
    minutes: float | None = option(
        "About how long the fits may take. What is not begun by then, other learners "
        "first, is left out and listed.",
        default=None,
        metavar="M",
    ),
    jobs: Jobs = 1,
    overwrite: Overwrite = False,
    *,
    about: About,
    table: TableFormat,
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
    from causalaug.cli import _cells, _files, _tables
    from causalaug.report import evaluate as evaluate_graph

    options = {
        **about.options(),
        "n_splits": folds or (3 if quick else 5),
        "repeats": repeats,
        "rivals": not quick,
        "minutes": minutes,
        "n_jobs": jobs,
        "random_state": seed,
        "source": shlex.join(["causalaug", *sys.argv[1:]]),
    }
    if report is not None:
        check_report(report)
        _files.check_not_an_input(report, (data, graph), overwrite=overwrite)
    admg = _files.open_graph(graph)
    # All columns, nodes or not: a plain learner sees the others, too.
    frame = _tables.read_table(data, table, _cells.Expected(kinds=options["kinds"]), output.remark)
    frame, learner = _learner(frame, target, estimator, task, output)
    with output.progress("Fitting learners") as progress:
        result = evaluate_graph(
            frame, admg, target, estimator=learner, callback=progress, **options
        )
    if report is not None:
        write_report(result, report)
    output.document({**result.to_dict(), "report": report and str(report)})
    if output.quiet:
        output.say(result.verdict)
        return
    answer, *reasons = result.findings
    output.say("\n".join([answer, *(f"- {reason}" for reason in reasons)]))
    output.say()
    show_figures(output, result)
    if report is not None:
        output.say(f"Report: {report.resolve()}")


def _learner(
    frame: "pd.DataFrame", target: str, name: LearnerName, task: TaskName | None, output: Output
) -> tuple["pd.DataFrame", Any]:
    """Return a learner by its name, and the frame with a target that it takes."""
    from causalaug._validation import check_columns_exist
    from causalaug.cli import _rows
    from causalaug.evaluation import named_learner, task_of

    check_columns_exist("--target", [target], list(frame.columns))
    task = task if task is not None else _rows.task_of_learner(name, frame[target])
    taken = task_of(frame[target], task and task.value)
    note = None if task is not None else _rows.task_in_words(target, frame[target], taken)
    if note is not None:
        output.remark(note)
    classification = taken == TaskName.classification.value
    features = frame.drop(columns=target)
    learner = named_learner(name.value, features, classification=classification)
    if name == LearnerName.xgboost and classification:
        codes, classes = _rows.as_codes(frame[target])
        names = ", ".join(f"{code} = {label}" for code, label in enumerate(classes))
        output.remark(f"XGBoost takes classes as numbers: {names}")
        frame = frame.assign(**{target: codes})
    return frame, learner


def check_report(path: Path) -> None:
    """Raise unless a report could be written there; worth asking before long work."""
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"A report must end in one of {', '.join(ENDINGS)}. Found {str(path)!r}. Rename it."
        )
    check_output(path)


def write_report(result: "Evaluation", path: Path) -> None:
    """Write a report in the format of its ending, in full or not at all."""
    if path.suffix.lower() in ENDINGS[:2]:
        result.to_html(path)
        return
    as_json = path.suffix.lower() == ".json"
    text = dump_json(plain(result.to_dict()), indent=2) if as_json else result.to_markdown()
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def show_figures(output: Output, result: "Evaluation") -> None:
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


def check(
    data: Data,
    graph: Graph,
    test: IndependenceTest = option(
        "How to test an independence; auto goes by the kinds of the columns.",
        default=IndependenceTest.auto,
    ),
    alpha: float = option(
        "The allowed probability of any false alarm, over all.", default=0.05, metavar="P"
    ),
    every: bool = option(
        "List the independences that are not rejected, too.", default=False, names="--all"
    ),
    kinds: Kinds = None,
    seconds: float | None = option(
        "About how long the tests may take. Those with the most variables held fixed are "
        "left out, and listed.",
        default=None,
        metavar="S",
    ),
    *,
    table: TableFormat,
    jobs: Jobs = 1,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Test the independences of a graph on the data.

    A graph claims that some variables are independent given others. Each claim is tested, and
    a missing edge is named. Not rejected is no proof; few rows cannot tell. Listed is what is
    violated, then what cannot be told; --all lists the rest as well. Below stands what left-out
    rows want beside the graph, and how much likelier they are with it.

    \b
    Does the wear alone explain heat and noise?
      causalaug check data.csv --graph 'load -> wear -> {heat, noise}'
    The verdict, for a script:
      causalaug check data.csv --graph graph.txt --json | jq -r .verdict
    """
    from causalaug.cli import _rows
    from causalaug.diagnostics import check_graph

    checked_kinds = parse_kinds(kinds)
    admg, frame = _rows.read_rows(data, graph, table, checked_kinds, output)
    with output.progress("Testing independences") as progress:
        found = check_graph(
            frame,
            admg,
            kinds=checked_kinds,
            test=test.value,
            alpha=alpha,
            seconds=seconds,
            n_jobs=jobs,
            random_state=seed,
            callback=progress,
        )
    _show_check(output, found, _rows.kinds_taken(frame, checked_kinds), every=every)


def _show_check(output: Output, found: Any, kinds: dict[str, str], *, every: bool) -> None:
    """Say the verdict first, then what it rests on, what is in doubt before the rest."""
    output.document(
        {
            "verdict": found.verdict,
            "finding": found.finding,
            "alpha": found.alpha,
            "mb_shielded": found.mb_shielded,
            "kinds": kinds,
            "rows": found.n_rows,
            "left_out": len(found.left_out),
            "factor_rows": dict(found.factor_rows),
            "independences": found.frame.to_dict(orient="records"),
            "trust": found.trust.to_dict(orient="records"),
            "wishes": list(found.wishes),
        }
    )
    output.say(f"Verdict: {found.verdict}. {found.finding}")
    if output.quiet:
        return
    rank = {"violated": 0, "cannot tell": 1, "not rejected": 2}
    ordered = sorted(found, key=lambda row: (rank[row.verdict], row.p_holm))
    shown = [row for row in ordered if every or row.verdict != "not rejected"]
    if shown:
        head = ["variable", "independent of", "given", "test", "statistic", "p", "p (Holm)"]
        output.table([*head, "verdict"], [_cells(row) for row in shown])
    if len(shown) < len(found):
        some = "" if not shown else " more"
        output.say(f"{len(found) - len(shown)}{some} not rejected; --all lists them.")
    for line in (*found.left_out_in_words(), *found.wishes, found.summary().splitlines()[-1]):
        output.say(line)
    output.say(kinds_in_words(kinds))


def _cells(row: Any) -> tuple[object, ...]:
    """Return what is shown of one independence."""
    return (
        row.variable,
        row.independent_of,
        listed(row.given),
        row.test,
        row.statistic,
        row.p_value,
        row.p_holm,
        row.verdict + (f": {row.reason}" if row.reason else ""),
    )
