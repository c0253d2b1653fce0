"""``python -m reproduction``: the experiment, as far as one likes, and further later.

``run`` does what it is told, and prints a table of means; ``page`` does all that
docs/results/reproduction.md shows, and writes it; ``cost`` measures what a run costs. Stop it
whenever you like: what is done is kept, and the same command goes on. Several processes may work on
one store.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from causalaug import plot
from causalaug.cli._files import check_input
from causalaug.exceptions import CausalAugError
from reproduction.curves import plot_improvement, plot_learning_curves
from reproduction.page import SPECS, write_cost, write_page
from reproduction.records import read_records
from reproduction.runner import run_experiment
from reproduction.spec import ExperimentSpec
from reproduction.store import RecordStore
from reproduction.summary import summarize

SECONDS_BETWEEN_LINES = 10.0
FAILED, INTERRUPTED = 1, 130
COLUMNS = ["dataset", "fraction", "protocol", "n_splits", "baseline", "augmented"]
COLUMNS += ["change", "change_error", "reference_change", "reference_change_error"]


def main(words: Sequence[str] | None = None) -> None:
    """Do what the arguments of the process say; end with one line if it cannot be done."""
    options = parse(words)
    try:
        options.command(options)
    except KeyboardInterrupt:
        print(
            f"error: Interrupted. What is done is in {options.store}; the same command goes on.",
            file=sys.stderr,
        )
        sys.exit(INTERRUPTED)
    except (CausalAugError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED)


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the options, and in `command` what to do with them."""
    parser = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="some runs, a table of means, and pictures")
    runs.add_argument("--spec", type=Path, help="what to run, in .toml or .json")
    runs.add_argument("--dataset", action="append", dest="datasets", metavar="NAME")
    runs.add_argument("--fraction", action="append", dest="fractions", type=float, metavar="SHARE")
    runs.add_argument("--splits", dest="n_splits", type=int, metavar="N")
    runs.add_argument("--protocol", action="append", dest="protocols", metavar="NAME")
    runs.add_argument("--seed", type=int, metavar="N")
    runs.add_argument("--figures", type=Path, metavar="FOLDER", help="where pictures go")
    page = commands.add_parser("page", help="all runs of docs/results/reproduction.md, and it")
    for each in (runs, page):
        each.add_argument("--store", type=Path, default=Path("reproduction.sqlite"))
        each.add_argument("--reference", type=Path, help="records of others, a .csv file")
        each.add_argument("--jobs", type=int, default=-1, help="workers; -1 for one per core")
        each.add_argument("--report-only", action="store_true", help="run nothing")
    cost = commands.add_parser("cost", help="what a run costs, for the page; some minutes")
    runs.set_defaults(command=run)
    page.set_defaults(command=make_page)
    cost.set_defaults(command=lambda _: write_cost(), store="reproduction.sqlite")
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> None:
    """Do some runs, and say what the store holds."""
    others = _read_reference(options.reference)
    _do([_specify(options)], options)
    records = RecordStore(options.store).frame()
    summary = summarize(records, others)
    shown = summary[[name for name in COLUMNS if name in summary]]
    print(shown.to_string(index=False, float_format="{:.4g}".format))
    print(
        f"{len(records)} records in {options.store}. "
        "Change: of the MSE, in percent, split by split."
    )
    if options.figures is not None:
        print(f"Wrote {_draw(records, others, options.figures)} pictures to {options.figures}.")


def make_page(options: argparse.Namespace) -> None:
    """Do all runs of the page, and write it."""
    others = _read_reference(options.reference)
    _do(SPECS, options)
    write_page(RecordStore(options.store), others)


def _do(specs: Sequence[ExperimentSpec], options: argparse.Namespace) -> None:
    """Do what is missing, unless only a report is wanted."""
    for spec in () if options.report_only else specs:
        run_experiment(spec, options.store, n_jobs=options.jobs, callback=_Progress())


class _Progress:
    """Says how far the runs are, every ten seconds at most."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._said >= SECONDS_BETWEEN_LINES:
            self._said = now
            print(f"{done} of {total} runs, {now - self._began:.0f} s", file=sys.stderr, flush=True)


def _specify(options: argparse.Namespace) -> ExperimentSpec:
    """Return the spec of a file, or the paper's, with what the options say."""
    if options.spec is not None:
        check_input(options.spec, "An experiment")
    base = ExperimentSpec() if options.spec is None else ExperimentSpec.from_file(options.spec)
    settings = base.to_dict()
    asked = {name: each for name, each in vars(options).items() if name in settings}
    return ExperimentSpec.from_dict(settings | {k: v for k, v in asked.items() if v is not None})


def _read_reference(path: Path | None) -> pd.DataFrame | None:
    if path is None:
        return None
    check_input(path, "A table")
    frame = pd.read_csv(path)
    read_records(frame, str(path))
    return frame


def _draw(records: pd.DataFrame, others: pd.DataFrame | None, folder: Path) -> int:
    """Write the pictures, and return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(records["dataset"]))
    shared = None if others is None else others[others["dataset"].isin(names)]
    drawn: dict[str, Any] = {}
    for name in names:
        beside = shared if shared is not None and name in set(shared["dataset"]) else None
        drawn[name] = plot_learning_curves(records, name, reference=beside)
    drawn["improvement"] = plot_improvement(records, reference=shared)
    for name, axes in drawn.items():
        for ending in (".png", ".svg"):
            plot.save_figure(axes, folder / f"{name}{ending}")
    return 2 * len(drawn)


if __name__ == "__main__":
    main()
