"""``causalaug demo`` and ``datasets``: what to try the other commands on.

The demo is the whole method on an example that is built in, with a wrong graph beside.
"""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from causalaug.cli._evaluate import check_report, show_figures, write_report
from causalaug.cli._options import Jobs, option
from causalaug.cli._output import Output

if TYPE_CHECKING:
    from causalaug.augmentation import AugmentedTable
    from causalaug.datasets import Dataset
    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Comparison

N_ROWS, N_FOLDS = 120, 3
WRONG_GRAPH = "load -> {alloy, wear, vibration, heat, noise, debris}"
"""Somebody who thinks that all follows from the load: the signs would tell nothing of the wear."""

TableEnding = StrEnum("TableEnding", ["csv", "tsv", "parquet", "feather"])


def demo(
    report: Path = option(
        "Where the report goes.",
        default=Path("causalaug-demo.html"),
        metavar="FILE",
        names="--report -r",
    ),
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

    check_report(report)
    data = make_machine_wear(N_ROWS, random_state=0)
    if not output.quiet:
        _show_rows(output, data, augment(data.frame, data.graph, random_state=0))
    learner = named_learner("ridge", data.X, classification=False)
    options: dict[str, Any] = {"n_splits": N_FOLDS, "n_jobs": jobs, "random_state": 0}
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
    wrong_check = check_graph(data.frame, WRONG_GRAPH, random_state=0)
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
        show_figures(output, result)
        output.say(f"\nBeside it a wrong graph, which somebody might have drawn: {WRONG_GRAPH}")
        rows = _side_by_side(result.comparison, result.check, wrong, wrong_check)
        output.table(["", "the right graph", "a wrong graph"], rows)
        harm = wrong.total.is_clear and wrong.total.change > 0.0
        words = "does harm here" if harm else "does no harm"
        output.say(
            f"The wrong graph {words}: {wrong.total}. Held-out rows decide how much a graph may "
            "say."
        )
        output.say(f"Report: {report.resolve()}\n")
    # The verdict on the right graph is the last sentence.
    output.say(result.findings[0])


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
    heaviest = sorted(new, key=lambda number: -augmented.weights[number])[:5]
    rows = [
        (
            *cells[number],
            float(augmented.weights[number]),
            " ".join(map(str, augmented.rows[number])),
        )
        for number in heaviest
    ]
    return [*data.frame.columns, "weight", "from rows"], rows


def _side_by_side(
    right: "Comparison", right_check: "GraphCheck", wrong: "Comparison", wrong_check: "GraphCheck"
) -> list[tuple[str, str, str]]:
    """Return what the two graphs bring, line by line."""
    rows = [
        (f"change in {right.loss_name}, {name}", str(gain), str(wrong.parts[name]))
        for name, gain in right.parts.items()
    ]
    rows.append(("share of the weight on new rows", f"{right.share:.2f}", f"{wrong.share:.2f}"))
    checks = [f"{len(check.violations)} of {len(check)}" for check in (right_check, wrong_check)]
    rows.append(("independences that the data contradict", checks[0], checks[1]))
    return rows


def list_(*, output: Output) -> None:
    """Name the tables, their sizes and what is to be predicted.

    \b
    Which tables have an estimated graph, and which one of experts?
      causalaug datasets list --json
    """
    from causalaug.datasets import list_datasets, load_dataset
    from causalaug.exceptions import DataNotFoundError

    rows, documents = [], []
    for name in list_datasets():
        try:
            data = load_dataset(name)
        except DataNotFoundError:
            rows.append((name, "-", "-", "-", "not bundled: needs files of yours"))
            documents.append({"name": name, "bundled": False})
            continue
        about = data.description.partition(". ")[0].rstrip(".") + "."
        n_edges = len(data.graph.directed) + len(data.graph.bidirected)
        rows.append((name, str(len(data)), str(data.frame.shape[1]), data.target, about))
        documents.append(
            {
                "name": name,
                "bundled": True,
                "rows": len(data),
                "columns": list(data.frame.columns),
                "target": data.target,
                "edges": n_edges,
                "description": data.description,
            }
        )
    output.document({"datasets": documents})
    output.table(["name", "rows", "columns", "target", "about"], rows)


def export(
    name: str = typer.Argument(..., metavar="NAME", help="One of the list."),
    folder: Path = option("Where the two files go.", default=Path("."), metavar="FOLDER"),
    ending: TableEnding = option(
        "The ending, and so the format, of the table.", default=TableEnding.csv, names="--format"
    ),
    force: bool = option("Replace files that are there already.", default=False, names="--force"),
    *,
    output: Output,
) -> None:
    """Write a table and its graph into two files.

    Columns are scaled as the loaders of the library scale them, to mean 0 and standard
    deviation 1, except for integers.

    \b
    Then ask whether the graph helps:
      causalaug datasets export auto_mpg
      causalaug evaluate auto_mpg.csv --graph auto_mpg.graph.txt --target mpg
    """
    from causalaug.cli import _files, _tables
    from causalaug.datasets import load_dataset
    from causalaug.exceptions import OutputError

    data = load_dataset(name)
    table, arrows = folder / f"{name}.{ending.value}", folder / f"{name}.graph.txt"
    _tables.check_table_output(table)
    there = [str(path) for path in (table, arrows) if path.exists()]
    if there and not force:
        raise OutputError(f"The files must be new. Found {there}. Use --force to replace them.")
    _tables.write_table(data.frame, table)
    _files.write_graph_file(data.graph, arrows, "arrows")
    output.document(
        {"table": str(table), "graph": str(arrows), "target": data.target, "rows": len(data)}
    )
    if not output.quiet:
        output.say(data.description)
        output.say(f"Wrote {table} and {arrows}. Next:")
        output.say(f"  causalaug evaluate {table} --graph {arrows} --target {data.target}")
