"""The speed that a user feels: evaluations, checks and default fits; docs/results/evaluating.md.

    make bench
    python benchmarks/evaluate_speed.py --before ../older-tree

Two kinds of figures. The cost of `evaluate` is a ratio of processor time to the learner fits that
it asks for, which are noted and done again alone. The seconds are those of one core, each job in a
process of its own: so a machine that is busy with something else changes them little. The column
"before" is measured in a tree of older sources where one is given, and else taken over from the
page as it is.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench_check import rows_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "evaluating.md"
TITLE = "## Seconds"
HEAD = ["job", "rows x columns", "before", "now", "times faster"]
HEAD_OF_RATIO = [
    "rows x columns",
    "learner",
    "learner fits",
    "these alone",
    "evaluate",
    "evaluate / these",
]

PATIENCE = 600.0
"""Seconds after which a job is stopped; the page then says "over 10 min"."""

TABLES = ((250, 12), (1_000, 8), (4_000, 9))
LEARNERS = ("ridge", "boosting")

LARGE_TABLE, FEW_FOLDS = 1_000, 2
"""Beyond so many rows the ratio is measured on two folds: it hardly depends on their number, and
the page is to take no more than a quarter of an hour."""


def simulate(n_rows: int, n_columns: int) -> Any:
    """Return rows of a random nonlinear model and its graph; the target is Y."""
    from causalaug.datasets import make_sem_model

    model = make_sem_model("random", n_variables=n_columns, mechanism="nonlinear", random_state=1)
    return model.sample(n_rows, random_state=2)


def learner_of(name: str) -> Any:
    """Return ridge regression, or None for the default learner, which is boosting."""
    from sklearn.linear_model import Ridge

    return Ridge() if name == "ridge" else None


def evaluate(data: Any, learner: Any, n_splits: int = 5) -> object:
    """Evaluate as `causalaug evaluate` does, in one process."""
    import causalaug as ca

    return ca.evaluate(
        data.frame, data.graph, "Y", estimator=learner, n_splits=n_splits, random_state=0
    )


def evaluating(learner: str, shape: tuple[int, int]) -> Callable[[], object]:
    """Return an evaluation."""
    data = simulate(*shape)
    return lambda: evaluate(data, learner_of(learner))


def checking(shape: tuple[int, int]) -> Callable[[], object]:
    """Return a check of a graph."""
    import causalaug as ca

    # What is imported when the name is first asked for is no part of the work.
    data, check_graph = simulate(*shape), ca.check_graph
    return lambda: check_graph(data.frame, data.graph, random_state=0)


def fitting(shape: tuple[int, int]) -> Callable[[], object]:
    """Return a fit of `AugmentedRegressor` with every default."""
    import causalaug as ca

    data = simulate(*shape)
    learner = ca.AugmentedRegressor(graph=data.graph, target="Y", random_state=0)
    return lambda: learner.fit(data.X, data.y)


def size_of(shape: tuple[int, int]) -> str:
    """Return rows and columns as the page writes them.

    >>> size_of((1000, 8))
    '1,000 x 8'
    """
    return f"{shape[0]:,} x {shape[1]}"


def jobs() -> dict[tuple[str, str], Callable[[], Callable[[], object]]]:
    """Return, by name and size, what prepares each job: the preparation is not timed."""

    found: dict[tuple[str, str], Callable[[], Callable[[], object]]] = {}
    for shape in TABLES:
        for learner in LEARNERS:
            found[f"evaluate, {learner}", size_of(shape)] = lambda n=learner, s=shape: evaluating(
                n, s
            )
    found["check_graph", size_of((2_000, 300))] = lambda: checking((2_000, 300))
    found["default fit", size_of((60, 12))] = lambda: fitting((60, 12))
    found["default fit", size_of((100_000, 4))] = lambda: fitting((100_000, 4))
    return found


def work(name: str, size: str) -> None:
    """Do one job in this process, and print how many seconds it took."""
    warnings.simplefilter("ignore")
    print(json.dumps(processor_time(jobs()[name, size]())))


def seconds_of(tree: Path, name: str, size: str) -> float | None:
    """Return the seconds of one job with the sources of a tree; None if it takes too long."""
    path = os.pathsep.join([str(tree / "src"), str(ROOT / "benchmarks")])
    # Threads that wait for work count as work, so there is one.
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--work", name, size]
    try:
        done = subprocess.run(
            command, env=environment, timeout=PATIENCE, capture_output=True, text=True, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        sys.exit(f"{name} of {size} failed in {tree}:\n{error.stderr}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def in_words(seconds: float | None) -> str:
    """Return seconds as the page writes them.

    >>> in_words(7.3104), in_words(75.2), in_words(None)
    ('7.3 s', '75 s', 'over 10 min')
    """
    if seconds is None:
        return f"over {PATIENCE / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds < 10.0 else f"{seconds:.0f} s"


def times_faster(before: str, now: float | None) -> str:
    """Return how often the time now fits into the time before; at least so often, if it was cut.

    >>> times_faster("75 s", 7.5), times_faster("over 10 min", 60.0), times_faster("75 s", None)
    ('10.0', 'over 10.0', '')
    """
    if now is None or before == "":
        return ""
    if before.endswith("min"):
        return f"over {PATIENCE / now:.1f}"
    return f"{float(before.removesuffix(' s')) / now:.1f}"


def measure_seconds(
    known: Mapping[tuple[str, str], str], older: Path | None, wanted: str
) -> Iterable[list[str]]:
    """Yield a row per job; `known` are figures of before, by name and size."""
    for name, size in jobs():
        if wanted not in f"{name} {size}":
            continue
        before = known.get((name, size), "")
        if older is not None:
            before = in_words(seconds_of(older, name, size))
        now = seconds_of(ROOT, name, size)
        yield [name, size, before, in_words(now), times_faster(before, now)]


def known_before() -> dict[tuple[str, str], str]:
    """Return the figures of before as the page has them."""
    if not PAGE.exists():
        return {}
    rows = rows_of(PAGE.read_text(encoding="utf-8"), TITLE)
    return {(row[HEAD[0]], row[HEAD[1]]): row["before"] for row in rows}


def processor_time(run: Callable[[], object]) -> float:
    """Return the seconds that the processor was at work for this process."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure_ratio(wanted: str = "") -> Iterable[list[str]]:
    """Yield what `evaluate` costs in units of the learner fits that it asks for."""
    for shape in TABLES:
        for learner in LEARNERS:
            if wanted in f"ratio, {learner} {size_of(shape)}":
                yield [size_of(shape), learner, *ratio_of(learner, shape)]


def ratio_of(learner: str, shape: tuple[int, int]) -> list[str]:
    """Return the learner fits of an evaluation, and the time of these, of all, and the ratio.

    The evaluation is timed while its fits are noted, which takes no time, and the fits right after
    it, so that both meet the same machine.
    """
    from threadpoolctl import threadpool_limits

    from learner_fits import fit_again, noted

    warnings.simplefilter("ignore")
    n_splits = FEW_FOLDS if shape[0] > LARGE_TABLE else 5
    data, estimator = simulate(*shape), learner_of(learner)
    # Modules that are imported when they are first needed are no part of the work.
    evaluate(simulate(40, 3), estimator, 2)
    # Threads that wait for work count as work, so there is one.
    with threadpool_limits(1):
        with noted() as fits:
            whole = processor_time(lambda: evaluate(data, estimator, n_splits))
        alone = processor_time(lambda: fit_again(fits))
    return [f"{len(fits)}", f"{alone:.1f} s", f"{whole:.1f} s", f"{whole / alone:.2f}"]


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, and print its rows as they come."""
    lines = []
    for row in rows:
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    head = ["| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header))]
    return "\n".join([*head, *lines])


def main() -> None:
    """Measure and write the page, or do one job for another process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, metavar="TREE", help="sources to compare with")
    parser.add_argument("--only", default="", metavar="TEXT", help="print these jobs, write none")
    parser.add_argument("--work", nargs=2, metavar=("JOB", "SIZE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        work(*chosen.work)
        return
    rows = measure_seconds(known_before(), chosen.before, chosen.only)
    if chosen.only:
        markdown(HEAD, rows)
        markdown(HEAD_OF_RATIO, measure_ratio(chosen.only))
        return
    seconds = markdown(HEAD, rows)
    cost = markdown(HEAD_OF_RATIO, measure_ratio())
    PAGE.write_text("\n\n".join([*introduction(), cost, *about_seconds(), seconds]) + "\n")
    print(f"Written to {PAGE.relative_to(ROOT)}")


def introduction() -> list[str]:
    """Return what stands above the table of ratios."""
    return [
        "# How long an evaluation takes",
        f"Written by `make bench` (Python {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores). Simulated rows of random nonlinear models.",
        "## Against the learner fits",
        "`evaluate` (comparison with rivals, check of the graph, new rows) against all learner "
        "fits that it asks for, those of the rivals among them, done again alone on the same rows "
        f"and weights. Processor time on one core; tables of more than {LARGE_TABLE:,} rows are "
        f"split into {FEW_FOLDS} folds, others into 5. The aim is at most 1.3. Ridge regression "
        "takes next to no time itself: its ratio shows what the new rows, the predictions and the "
        "check cost beside the fits of the rivals.",
    ]


def about_seconds() -> list[str]:
    """Return what stands above the table of seconds."""
    return [
        TITLE,
        "Of one core, each job once in a process of its own. `n_jobs=2`, which did not exist "
        "before, shares them out among two. Boosting is the default learner, which is another one "
        "than before. A default fit is one of `AugmentedRegressor` with every default. Before is "
        "version 0.1.0 as of commit 217cd26.",
    ]


if __name__ == "__main__":
    main()
