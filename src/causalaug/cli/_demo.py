"""``causalaug demo``: the whole of it on an example that is built in, with a wrong graph beside."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._evaluate import check_report, tell_figures, write_report
from causalaug.cli._groups import with_groups
from causalaug.cli._options import Jobs, check_jobs
from causalaug.cli._output import Output

if TYPE_CHECKING:
    from causalaug.augmentation import AugmentedTable
    from causalaug.datasets import Dataset
    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Comparison
    from causalaug.report import Evaluation

N_ROWS, N_FOLDS, N_SHOWN, SEED = 120, 3, 5, 0

WRONG_GRAPH = "load -> {alloy, wear, vibration, heat, noise, debris}"
"""Somebody who thinks that all follows from the load: the signs would tell nothing of the wear."""


@reported
@with_groups
def demo(
    report: Annotated[
        Path,
        typer.Option("--report", "-r", metavar="FILE", help="Where the report goes."),
    ] = Path("causalaug-demo.html"),
    jobs: Jobs = 1,
    *,
    output: Output,
) -> None:
    """Run the whole method on simulated data, and write a report.

    The wear of a machine part is predicted from two causes and four signs of it, by ridge
    regression on 120 rows: with the right graph, and with a wrong one beside it, which does no
    harm. Takes some seconds.

    \b
    Then open the report in a browser:
      causalaug demo --report demo.html
    """
    from causalaug.augmentation import augment
    from causalaug.datasets import make_machine_wear
    from causalaug.diagnostics import check_graph
    from causalaug.evaluation import compare, named_learner
    from causalaug.report import evaluate

    check_jobs(jobs)
    check_report(report)
    data = make_machine_wear(N_ROWS, random_state=SEED)
    if not output.quiet:
        _show_rows(output, data, augment(data.frame, data.graph, random_state=SEED))
    learner = named_learner("ridge", data.X, classification=False)
    options: dict[str, Any] = {"n_splits": N_FOLDS, "n_jobs": jobs, "random_state": SEED}
    with output.progress("Fitting learners") as progress:
        result = evaluate(
            data.frame,
            data.graph,
            data.target,
            estimator=learner,
            callback=progress,
            source="causalaug demo",
            **options,
        )
    with output.progress("The same with a wrong graph") as progress:
        wrong = compare(
            data.frame,
            WRONG_GRAPH,
            data.target,
            learner,
            rivals=False,
            callback=progress,
            **options,
        )
    write_report(result, report)
    wrong_check = check_graph(data.frame, WRONG_GRAPH, random_state=SEED)
    _tell(output, result, wrong, wrong_check, report)


def _show_rows(output: Output, data: "Dataset", augmented: "AugmentedTable") -> None:
    """Print the graph, its factors, and the heaviest new rows with where they come from."""
    from causalaug.graphs import write_graph

    edges = write_graph(data.graph).splitlines()[1:]
    output.say(data.description)
    output.say(f"\nGraph:   {'; '.join(edges)}")
    output.say(f"Factors: {' '.join(map(str, augmented.factors))}")
    output.say(f"\nThe heaviest new rows from a table of {len(data)} rows")
    head, rows = _heaviest_new_rows(data, augmented)
    output.table(head, rows)
    output.say("from rows: the observed row of each cell, in the order of the columns\n")
    output.say(f"Does it help to predict {data.target!r}?")


def _heaviest_new_rows(
    data: "Dataset", augmented: "AugmentedTable"
) -> tuple[list[str], list[tuple[object, ...]]]:
    """Return the head and the rows of a table of rows that were not observed."""
    observed = set(data.frame.itertuples(index=False, name=None))
    cells = list(augmented.frame.itertuples(index=False, name=None))
    new = [number for number, row in enumerate(cells) if row not in observed]
    heaviest = sorted(new, key=lambda number: -augmented.weights[number])[:N_SHOWN]
    rows = [
        (
            *cells[number],
            float(augmented.weights[number]),
            " ".join(map(str, augmented.rows[number])),
        )
        for number in heaviest
    ]
    return [*data.frame.columns, "weight", "from rows"], rows


def _tell(
    output: Output,
    result: "Evaluation",
    wrong: "Comparison",
    wrong_check: "GraphCheck",
    report: Path,
) -> None:
    """Show both graphs side by side; the verdict on the right one is the last sentence."""
    beside = {
        "graph": WRONG_GRAPH,
        "verdict": wrong.verdict,
        "change": wrong.total.change,
        "standard_error": wrong.total.standard_error,
        "share": wrong.share,
        "violated": len(wrong_check.violations),
    }
    output.document({**result.to_dict(), "wrong_graph": beside, "report": str(report)})
    if not output.quiet:
        tell_figures(output, result)
        output.say(f"\nBeside it a wrong graph, which somebody might have drawn: {WRONG_GRAPH}")
        rows = _side_by_side(result.comparison, result.check, wrong, wrong_check)
        output.table(["", "the right graph", "a wrong graph"], rows)
        output.say(_about_the_wrong_one(wrong))
        output.say(f"Report: {report.resolve()}\n")
    output.say(result.findings[0])


def _side_by_side(
    right: "Comparison", right_check: "GraphCheck", wrong: "Comparison", wrong_check: "GraphCheck"
) -> list[tuple[str, str, str]]:
    """Return what the two graphs bring, line by line."""
    rows = [
        (f"change in {right.loss_name}, {name}", str(gain), str(wrong.parts[name]))
        for name, gain in right.parts.items()
    ]
    rows.append(("share of the weight on new rows", f"{right.share:.2f}", f"{wrong.share:.2f}"))
    checks = [f"{len(each.violations)} of {len(each)}" for each in (right_check, wrong_check)]
    rows.append(("independences that the data contradict", checks[0], checks[1]))
    return rows


def _about_the_wrong_one(wrong: "Comparison") -> str:
    harm = wrong.total.is_clear and wrong.total.change > 0.0
    words = "The wrong graph does harm here" if harm else "The wrong graph does no harm"
    return f"{words}: {wrong.total}. Held-out rows decide how much a graph may say."
