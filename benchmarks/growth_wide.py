"""Wide and long tables: checks, evaluations, new rows and predictions; prints tables.

    python benchmarks/growth_wide.py
    python benchmarks/growth_wide.py check predict

Every job is a process of its own, so that its time and its peak of memory are its own; the seconds
are those of its processor. `benchmarks/growth.py` has the jobs that fit learners on many rows.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import causalaug as ca  # noqa: E402

Case = tuple[str, Callable[[], Callable[[], object]]]


def draw_graph(rng: np.random.Generator, n_columns: int, most_causes: int = 3) -> ca.ADMG:
    """Draw a graph in which a variable has up to three causes."""
    nodes, edges = [f"V{number}" for number in range(n_columns)], []
    for number, node in enumerate(nodes):
        n_causes = min(number, int(rng.integers(0, most_causes + 1)))
        edges += [(nodes[cause], node) for cause in rng.choice(number, n_causes, replace=False)]
    return ca.ADMG(nodes, edges)


def draw_numbers(rng: np.random.Generator, graph: ca.ADMG, n_rows: int) -> pd.DataFrame:
    """Draw rows of numbers from bent equations."""
    values: dict[str, np.ndarray] = {}
    for node in graph.topological_order():
        signal = sum(
            rng.uniform(0.5, 1.5) * np.tanh(values[cause]) for cause in graph.parents(node)
        )
        values[node] = signal + rng.standard_normal(n_rows)
    return pd.DataFrame(values)[list(graph.nodes)]


def draw_text(rng: np.random.Generator, graph: ca.ADMG, n_rows: int) -> pd.DataFrame:
    """Draw rows of text, two to twelve levels a column."""
    values: dict[str, np.ndarray] = {}
    for node in graph.topological_order():
        n_levels = int(rng.integers(2, 13))
        scores = rng.normal(scale=0.5, size=n_levels) + np.zeros((n_rows, 1))
        for cause in graph.parents(node):
            scores = scores + rng.normal(size=(values[cause].max() + 1, n_levels))[values[cause]]
        values[node] = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    frame = pd.DataFrame(values)[list(graph.nodes)]
    return frame.apply(lambda column: column.map("level {}".format))


def check(kind: str, n_columns: int, *, is_right: bool = True, holes: float = 0.0) -> Case:
    """Check 1,700 rows against their own graph, or against a chain, which is wrong."""
    words = f"1,700 x {n_columns} {kind}, {'right' if is_right else 'wrong'} graph"

    def prepare() -> Callable[[], object]:
        rng = np.random.default_rng(0)
        graph = draw_graph(rng, n_columns)
        frame = (draw_text if kind == "text" else draw_numbers)(rng, graph, 1_700)
        frame = frame.mask(rng.random(frame.shape) < holes) if holes else frame
        asked = graph if is_right else ca.read_graph(" -> ".join(graph.nodes))
        check_graph = ca.check_graph
        return lambda: check_graph(frame, asked, random_state=0)

    return words + (f", {holes:.0%} holes" if holes else ""), prepare


def evaluate(n_columns: int = 18, holes: float = 0.05) -> Case:
    """Evaluate ridge regression on 412 rows with holes."""

    def prepare() -> Callable[[], object]:
        from sklearn.linear_model import Ridge

        rng = np.random.default_rng(1)
        graph = draw_graph(rng, n_columns)
        frame, target = draw_numbers(rng, graph, 412), f"V{n_columns - 1}"
        features = frame.drop(columns=target)
        frame = features.mask(rng.random(features.shape) < holes).assign(**{target: frame[target]})
        return lambda: ca.evaluate(frame, graph, target, estimator=Ridge(), random_state=0)

    return f"evaluate ridge, 412 x {n_columns}, {holes:.0%} holes", prepare


def augment(n_rows: int, seed: int = 0) -> Case:
    """Augment a mixed table of 13 columns, three of text, by as many rows."""

    def prepare() -> Callable[[], object]:
        graph = draw_graph(np.random.default_rng(seed), 13)
        rng = np.random.default_rng(seed + 1)
        frame = draw_numbers(rng, graph, n_rows)
        for name in ("V2", "V6", "V9"):
            cut = pd.cut(frame[name], [-np.inf, -1, 0, 1, np.inf], labels=list("abcd"))
            frame[name] = cut.astype(object)
        size = ca.BudgetExpansion(n_rows)
        return lambda: ca.augment(frame, graph, expansion=size, random_state=0)

    return f"augment {n_rows:,} x 13 mixed", prepare


def predict(n_rows: int) -> Case:
    """Predict rows of a file by `causalaug predict`."""

    def prepare() -> Callable[[], object]:
        from causalaug.cli._app import app

        folder = Path(tempfile.mkdtemp())
        model = ca.datasets.make_sem_model(
            "chain", n_variables=5, mechanism="nonlinear", random_state=0
        )
        train = model.sample(150, random_state=0)
        train.frame.to_csv(folder / "train.csv", index=False)
        (folder / "graph.txt").write_text(ca.write_graph(train.graph))
        # Some rows at a time: the peak of this process is to be that of the command.
        for part in range(0, n_rows, 20_000):
            new = model.sample(min(20_000, n_rows - part), random_state=part + 1).frame
            new.drop(columns="Y").to_csv(
                folder / "new.csv", index=False, mode="a", header=part == 0
            )
        words = ["predict", "train.csv", "new.csv", "-g", "graph.txt", "-t", "Y", "-o", "p.csv"]
        words = [str(folder / word) if "." in word else word for word in words]
        return lambda: app([*words, "--model", "graph"], standalone_mode=False)

    return f"causalaug predict {n_rows:,} rows", prepare


CASES: dict[str, list[Case]] = {
    "check": [
        *(check("text", n, is_right=False) for n in (12, 24, 47)),
        check("text", 47),
        *(check("numbers", n) for n in (27, 55, 110)),
        check("numbers", 110, is_right=False),
        check("numbers", 55, holes=0.02),
    ],
    "evaluate": [evaluate()],
    "augment": [augment(n) for n in (1_000, 4_000, 16_000, 64_000)],
    "predict": [predict(n) for n in (20_000, 60_000, 400_000, 1_000_000)],
}


def work(group: str, number: int) -> None:
    """Do one job in this process, and print its seconds and its peak of memory."""
    warnings.simplefilter("ignore")
    job = CASES[group][number][1]()
    began = time.process_time()
    job()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peak": peak}))


def measured(group: str, number: int) -> dict[str, Any]:
    """Return what one job says of itself."""
    command = [sys.executable, __file__, "--work", group, str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", default=list(CASES))
    parser.add_argument("--work", nargs=2)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], int(options.work[1]))
        return
    print("| job | seconds | peak, MB |\n| --- | ---: | ---: |")
    for group in options.groups:
        for number, (words, _) in enumerate(CASES[group]):
            found = measured(group, number)
            print(f"| {words} | {found['seconds']:.1f} | {found['peak'] / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
