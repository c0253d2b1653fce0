"""``causalaug reproduce``: the experiment of the paper, as far as one likes, and further later."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import keeping, reported
from causalaug.cli._groups import with_groups
from causalaug.cli._output import Output

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.experiments import ExperimentSpec, RecordStore


Store = Annotated[
    Path,
    typer.Option(
        "--store",
        "-s",
        metavar="FILE",
        help="The records, an SQLite file: made if need be, else gone on with.",
    ),
]
Spec = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What to run, in .toml or .json: datasets, fractions, n_splits, protocols, methods, "
        "rounds, reg_lambda, seed.",
        show_default=False,
    ),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A data set. Can be repeated; by default all.", show_default=False
    ),
]
Fractions = Annotated[
    list[float] | None,
    typer.Option(
        metavar="SHARE",
        help="A share of rows to learn from. Can be repeated; by default .1, .15, ..., .85.",
        show_default=False,
    ),
]
Protocols = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="reference, paper, honest or blended. Can be repeated; by default the first three.",
        show_default=False,
    ),
]
Reference = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Records of others, a .csv file, to be put beside ours.",
        show_default=False,
    ),
]


@reported
@with_groups
def reproduce(
    store: Store = Path("reproduction.sqlite"),
    spec: Spec = None,
    dataset: Datasets = None,
    fraction: Fractions = None,
    splits: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Random splits per data set and share; by default 20."
        ),
    ] = None,
    protocol: Protocols = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Fixes the splits.", show_default="0")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Workers; -1 for one per core.")
    ] = -1,
    reference: Reference = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where pictures go, as PNG and SVG."),
    ] = None,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; show what the store holds.")
    ] = False,
    *,
    output: Output,
) -> None:
    """Run the experiment of the paper: as published, as written, and honestly.

    Stop it whenever you like: what is done is kept, and the same command goes on. Several may
    work on one store. Needs XGBoost: pip install "causalaug[experiments]". With numba, the extra
    "fast", the published protocols run several times as fast and give the same numbers.

    \b
    A first look, in some minutes:
      causalaug reproduce --dataset auto_mpg --fraction .1 --splits 5
    The paper's own figures beside it, and pictures:
      causalaug reproduce --reference paper_runs.csv --figures figures
    """
    from causalaug.experiments import RecordStore, run_experiment

    others = None if reference is None else _read_reference(reference)
    asked = {
        "datasets": dataset,
        "fractions": fraction,
        "n_splits": splits,
        "protocols": protocol,
        "seed": seed,
    }
    experiment = _specify(spec, {name: value for name, value in asked.items() if value is not None})
    records = RecordStore(store)
    if not report_only:
        kept = f"What is done is in {store}; the same command goes on."
        with keeping(kept):
            with output.progress("Doing runs") as progress:
                run_experiment(experiment, records, n_jobs=jobs, callback=progress)
            _report(output, records, others, figures)
    else:
        _report(output, records, others, figures)


def _report(
    output: Output, records: "RecordStore", others: "pd.DataFrame | None", figures: Path | None
) -> None:
    """Say what the store holds, and draw it if there is a place for pictures."""
    from causalaug.experiments import summarize

    frame = records.frame()
    _tell(output, summarize(frame, others), len(frame), records.path)
    if figures is not None:
        n_pictures = _draw(frame, others, figures)
        output.remark(f"Wrote {n_pictures} pictures to {figures}.")


def _specify(path: Path | None, asked: dict[str, Any]) -> "ExperimentSpec":
    """Return the spec of a file, or the paper's, with what the options say."""
    from causalaug.experiments import ExperimentSpec

    base = ExperimentSpec() if path is None else ExperimentSpec.from_file(path)
    return ExperimentSpec.from_dict({**base.to_dict(), **asked})


def _read_reference(path: Path) -> "pd.DataFrame":
    from causalaug.cli._table_files import read_table
    from causalaug.records import read_records

    frame = read_table(path)
    read_records(frame, str(path))
    return frame


def _tell(output: Output, summary: "pd.DataFrame", n_records: int, store: Path) -> None:
    """Print the table of means."""
    output.document({"store": str(store), "records": n_records, "cells": _rows(summary)})
    names = ["dataset", "fraction", "protocol", "n_splits", "baseline", "augmented"]
    names += ["change", "change_error"]
    names += [name for name in ("reference_change", "reference_change_error") if name in summary]
    head = [name.replace("_", " ") for name in names]
    output.table(head, list(summary[names].itertuples(index=False, name=None)))
    output.say(f"{n_records} records in {store}. Change: of the MSE, in percent, split by split.")


def _rows(summary: "pd.DataFrame") -> list[dict[str, Any]]:
    return [{str(name): cell for name, cell in row.items()} for row in summary.to_dict("records")]


def _draw(records: "pd.DataFrame", others: "pd.DataFrame | None", folder: Path) -> int:
    """Write the pictures, and return how many."""
    from causalaug import plot

    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(records["dataset"]))
    shared = None if others is None else others[others["dataset"].isin(names)]
    drawn = {name: _curves(records, name, shared) for name in names}
    drawn["improvement"] = plot.plot_improvement(records, reference=shared)
    for name, axes in drawn.items():
        for ending in (".png", ".svg"):
            plot.save_figure(axes, folder / f"{name}{ending}")
    return 2 * len(drawn)


def _curves(records: "pd.DataFrame", name: str, others: "pd.DataFrame | None") -> Any:
    from causalaug import plot

    has_others = others is not None and name in set(others["dataset"])
    return plot.plot_learning_curves(records, name, reference=others if has_others else None)
