"""More rows than memory, more work than one core: prints tables, writes docs/results/scale.md.

Every measurement is a process of its own, so that its peak of memory is its own. Run it by
`make scale`, on a machine that does nothing else; it takes about half an hour. `--quick` takes some
seconds per table, to see that it works.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import causalaug as ca
from causalaug.engine import as_xgboost_iter, augment_to_parquet, read_augmented

ROOT = Path(__file__).resolve().parent.parent
TWELVE = ca.read_graph(
    "A -> B -> C; A -> D; {B, D} -> E; E -> F; C -> G -> H; {F, H} -> I; I -> J -> K -> L"
)
EXPANSIONS = {"budget": ca.BudgetExpansion, "sampled": ca.SampledExpansion}


def simulate(graph: ca.ADMG, n_rows: int) -> pd.DataFrame:
    """Draw a table from nonlinear structural equations on a graph, without ties."""
    rng = np.random.default_rng(0)
    values: dict[str, np.ndarray] = {}
    for node in graph.topological_order():
        signal = sum(np.tanh(values[v]) + 0.5 * values[v] for v in graph.parents(node))
        values[node] = signal + 0.7 * rng.standard_normal(n_rows)
    return pd.DataFrame({node: values[node] for node in graph.nodes})


def make_graph(n_columns: int) -> ca.ADMG:
    """Return the graph of twelve columns, or a chain of more."""
    if n_columns == 12:
        return TWELVE
    return ca.read_graph(" -> ".join(f"X{number}" for number in range(n_columns)))


def peak() -> float:
    """Return the most memory that this process has held, in bytes."""
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextmanager
def workers(number: int) -> Iterator[Any]:
    """Yield a client of so many worker processes, or None for this process itself."""
    if number == 0:
        yield None
        return
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=number, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        cluster.get_client() as client,
    ):
        client.wait_for_workers(number)
        yield client


def write(
    folder: str,
    n_observed: int,
    n_rows: int,
    expansion: str = "budget",
    n_columns: int = 12,
    n_workers: int = 0,
    block_rows: int = 1 << 18,
) -> dict[str, float]:
    """Write a data set; the workers are there before the clock starts."""
    graph = make_graph(n_columns)
    frame = simulate(graph, n_observed)
    with workers(n_workers) as client:
        start = time.perf_counter()
        done = augment_to_parquet(
            frame,
            graph,
            folder,
            expansion=EXPANSIONS[expansion](n_rows),
            random_state=0,
            block_rows=block_rows,
            engine=client,
        )
        seconds = time.perf_counter() - start
    size = sum(file.stat().st_size for file in done.files)
    return {"seconds": seconds, "peak": peak(), "rows": len(done), "bytes": size}


def train(folder: str, limit: float, n_rounds: int = 10) -> dict[str, float]:
    """Train XGBoost on a data set in external memory, under a limit that the system enforces.

    The limit is on what a process allocates (RLIMIT_DATA); files that are mapped do not count.
    """
    import xgboost

    resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    dataset = read_augmented(folder)
    target = dataset.columns[-1]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as cache:
        iterator = as_xgboost_iter(dataset, target, cache_prefix=Path(cache, "pages"))
        matrix = xgboost.ExtMemQuantileDMatrix(iterator, max_bin=64)
        model = xgboost.train({"max_bin": 64, "nthread": 1}, matrix, n_rounds)
        seconds = time.perf_counter() - start
        error = float(model.eval(matrix).split(":")[-1])
        del matrix
    plain = float(np.std(simulate(make_graph(len(dataset.columns)), 10_000)[target]))
    return {"seconds": seconds, "peak": peak(), "error": error, "plain": plain}


def load(folder: str, limit: float) -> dict[str, float]:
    """Try to read the whole data set at once under the same limit; 1 if it does not fit."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    dataset = read_augmented(folder)
    try:
        dataset.frame()
    except (MemoryError, OSError):
        return {"failed": 1.0}
    return {"failed": 0.0}


TASKS: dict[str, Callable[..., dict[str, float]]] = {"write": write, "train": train, "load": load}


def measure(task: str, **arguments: Any) -> dict[str, float]:
    """Do one task in a process of its own.

    The memory that pyarrow would reserve for itself beforehand counts against a limit, used or
    not, so it takes what it needs from the system.
    """
    command = [sys.executable, __file__, "--task", task, json.dumps(arguments)]
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"


def rows_of_memory(sizes: dict[str, Any]) -> Iterator[list[str]]:
    for n_rows in sizes["written"]:
        with tempfile.TemporaryDirectory() as folder:
            got = measure("write", folder=folder, n_observed=1000, n_rows=n_rows)
        yield [
            f"{got['rows']:,.0f}",
            f"{got['seconds']:,.0f} s",
            f"{got['rows'] / got['seconds']:,.0f}",
            f"{got['bytes'] / got['rows']:.0f}",
            megabytes(got["peak"]),
        ]


def rows_of_training(sizes: dict[str, Any]) -> Iterator[list[str]]:
    n_columns, n_rows, limit = sizes["training"]
    with tempfile.TemporaryDirectory() as folder:
        measure(
            "write",
            folder=folder,
            n_observed=1000,
            n_rows=n_rows,
            n_columns=n_columns,
            expansion="sampled",
        )
        got = measure("train", folder=folder, limit=limit)
        whole = measure("load", folder=folder, limit=limit)
    yield [
        f"{n_rows:,} x {n_columns}",
        megabytes(8.0 * n_rows * (n_columns + 1)),
        megabytes(limit),
        "no" if whole["failed"] else "yes",
        f"{got['seconds']:,.0f} s",
        megabytes(got["peak"]),
        f"{got['error']:.2f} ({got['plain']:.2f})",
    ]


def rows_of_workers(sizes: dict[str, Any]) -> Iterator[list[str]]:
    n_observed, n_rows = sizes["shared"]
    taken = {}
    for name, n_workers in (("this process", 0), ("Dask, 1 worker", 1), ("Dask, 2 workers", 2)):
        seconds = []
        for _ in range(sizes["repeats"]):
            with tempfile.TemporaryDirectory() as folder:
                got = measure(
                    "write",
                    folder=folder,
                    n_observed=n_observed,
                    n_rows=n_rows,
                    n_workers=n_workers,
                    block_rows=-(-n_rows // 16),
                )
            seconds.append(got["seconds"])
        taken[n_workers] = min(seconds)
        yield [
            name,
            f"{taken[n_workers]:,.1f} s",
            f"{taken[n_workers] / taken[0]:.2f}",
            f"{taken[1] / taken[n_workers]:.2f}" if n_workers else "",
        ]


def rows_of_growth(sizes: dict[str, Any]) -> Iterator[list[str]]:
    for expansion in EXPANSIONS:
        for n_observed in sizes["observed"]:
            seconds = []
            for n_rows in sizes["made"]:
                with tempfile.TemporaryDirectory() as folder:
                    got = measure(
                        "write",
                        folder=folder,
                        n_observed=n_observed,
                        n_rows=n_rows,
                        expansion=expansion,
                        n_workers=2,
                        block_rows=-(-n_rows // 8),
                    )
                seconds.append(f"{got['seconds']:,.1f} s")
            yield [EXPANSIONS[expansion].__name__, f"{n_observed:,}", *seconds]


FULL = {
    "written": [1_000_000, 5_000_000, 20_000_000],
    "training": (60, 8_000_000, 900e6),
    "shared": (1000, 3_000_000),
    "repeats": 3,
    "observed": [10_000, 100_000, 1_000_000],
    "made": [10_000, 100_000, 1_000_000],
}
QUICK = {
    "written": [50_000, 100_000],
    "training": (60, 100_000, 500e6),
    "shared": (500, 50_000),
    "repeats": 1,
    "observed": [1_000, 5_000],
    "made": [1_000, 10_000],
}


def sections(sizes: dict[str, Any]) -> list[tuple[str, str, list[str], Iterator[list[str]]]]:
    return [
        (
            "Writing more rows than memory",
            "`augment_to_parquet` in one process, `BudgetExpansion`, 1,000 observed rows of 12 "
            "columns, weights and provenance included. The peak is that of the whole process; "
            "the aim was less than 1,500 MB for 20 million rows.",
            ["rows", "time", "rows per second", "bytes per row", "peak"],
            rows_of_memory(sizes),
        ),
        (
            "Training on more rows than memory",
            "XGBoost reads the files by `as_xgboost_iter` into an `ExtMemQuantileDMatrix`, 64 "
            "bins, 10 rounds, one thread. The system refuses the process more than the limit "
            "(RLIMIT_DATA). `at once` says whether the whole set could be read within it.",
            ["set", "as floats", "limit", "at once", "time", "peak", "RMSE (spread of the target)"],
            rows_of_training(sizes),
        ),
        (
            "One process, one worker, two workers",
            "The same job of 16 blocks, best of several. The aims were at most 1.20 for the "
            "overhead of one worker, at least 1.6 for two against one.",
            ["where", "time", "against this process", "speed against one worker"],
            rows_of_workers(sizes),
        ),
        (
            "Growth with observed and with new rows",
            "12 columns, two workers, 8 blocks; the columns are the numbers of new rows. Where "
            "more rows are wanted than there are observed ones, `BudgetExpansion` looks for the "
            "heavy ones among all that are near, once: that takes longer than to draw them.",
            ["expansion", "observed rows", *(f"{n_rows:,}" for n_rows in sizes["made"])],
            rows_of_growth(sizes),
        ),
    ]


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(arguments: argparse.Namespace) -> None:
    parts = [
        "# Scale",
        "Written by `make scale`. Timings depend on the machine (here: Python "
        f"{platform.python_version()}, numpy {np.__version__}, {platform.machine()}); every "
        "measurement is a process of its own.",
    ]
    for title, text, header, rows in sections(QUICK if arguments.quick else FULL):
        if arguments.only and arguments.only not in title.lower():
            continue
        print(f"{title} ...", flush=True)
        table = markdown(header, list(rows))
        print(table, flush=True)
        parts += [f"## {title}", text, table]
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n\n".join(parts) + "\n")
    print(f"Written to {arguments.output}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--only", default="", help="only tables whose title has this word")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/results/scale.md")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    options = parse()
    if options.task:
        name, given = options.task
        print(json.dumps(TASKS[name](**json.loads(given))))
    else:
        main(options)
