"""``causalaug demo``: the whole of it on an example that is built in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalaug.cli._errors import reported
from causalaug.cli._evaluate import check_report, tell, write_report
from causalaug.cli._options import Debug, Json, Quiet
from causalaug.cli._output import Output

if TYPE_CHECKING:
    from causalaug.augmentation import AugmentedTable
    from causalaug.datasets import Dataset

N_ROWS, N_FOLDS, N_SHOWN = 60, 5, 5


@reported
def demo(
    report: Annotated[
        Path,
        typer.Option("--report", "-r", metavar="FILE", help="Where the report goes."),
    ] = Path("causalaug-demo.html"),
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the whole method on simulated data, and write a report.

    The wear of a machine part is predicted from two causes and four signs of it, by ridge
    regression on 60 rows. Takes some seconds.

    \b
    Then open the report in a browser:
      causalaug demo --report demo.html
    """
    from causalaug.augmentation import augment
    from causalaug.datasets import make_machine_wear
    from causalaug.evaluation import named_learner
    from causalaug.report import evaluate

    output = Output(json=json, quiet=quiet)
    check_report(report)
    data = make_machine_wear(N_ROWS, random_state=0)
    if not quiet:
        _show_rows(output, data, augment(data.frame, data.graph, random_state=0))
    with output.progress("Fitting learners") as progress:
        result = evaluate(
            data.frame,
            data.graph,
            data.target,
            estimator=named_learner("ridge", data.X, classification=False),
            n_splits=N_FOLDS,
            random_state=0,
            callback=progress,
            source="causalaug demo",
        )
    write_report(result, report)
    tell(output, result, report)


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
