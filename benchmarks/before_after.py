"""The speed of two trees, case by case and in turns: writes docs/results/before_after.md.

    python benchmarks/before_after.py ../older-tree
    python benchmarks/before_after.py ../one-tree ../another-tree

Two processes, one for each tree, do the same case one after the other, several times; the shortest
of each counts, in processor time of one thread. So a machine that is busy with something else
slows both down alike. A case is what the tree's own `benchmarks/speed.py` makes of it.
`--only WORD` does the cases whose name has the word; then, or with two trees, no page is written.
"""

import argparse
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results/before_after.md"
ROUNDS, ENOUGH_SECONDS, MOST_ROUNDS = 3, 0.3, 30
"""Every case is done in so many rounds, short ones until they have taken so long."""

SLOWER = 1.1

TWO_COLUMNS = "the grid for two Gaussian columns is gone"
COMPLETIONS = "completions are no longer walked once for all prefixes"
KEPT = "weights are no longer kept for the next variable of equal pillow"
GLIMPSE = "nothing bounds the survival weight before children are listed"
BOUND = "the bound on the heaviest of a pillow's rows is gone"
RICHER = "factors are chosen among several; targets are expected ones"
RICHER_MEAN = "means and noise are chosen among several"
BUDGET = f"{TWO_COLUMNS}; {KEPT}; {GLIMPSE}"


def cases() -> Iterator[tuple[str, str, Callable[[], Callable[[], object]]]]:
    """Yield the name of each case, why it may be slower, and what makes it ready to run."""
    for table, graph, n_rows in (("apart", "APART", 200), ("meet", "MEETING", 200)):
        for t in (1e-3, 0.1, 1.0):
            why = COMPLETIONS if table == "apart" else f"{COMPLETIONS}; {BOUND}"
            name = f"pruned, 200 rows, two roots {table}, temperature {t:g}"
            yield name, why, functools.partial(expansion, graph, n_rows, t, "Pruned", 1e-3)
    for t in (1e-3, 0.1, 1.0):
        name = f"pruned, Sachs graph, 300 rows, temperature {t:g}"
        why = f"{COMPLETIONS}; {TWO_COLUMNS}"
        yield name, why, functools.partial(expansion, "SACHS", 300, t, "Pruned", 1e-3)
    for graph, n_rows, t, threshold in (
        ("MEETING", 200, 1.0, 3e-7),
        ("MEETING", 200, 0.1, 1e-5),
        ("SACHS", 300, 0.1, 2e-5),
        ("SACHS", 853, 0.01, 1e-4),
    ):
        name = f"low threshold {threshold:g}, {n_rows} rows, temperature {t:g}"
        why = f"{COMPLETIONS}; {TWO_COLUMNS}" if graph == "SACHS" else f"{COMPLETIONS}; {BOUND}"
        yield name, why, functools.partial(expansion, graph, n_rows, t, "Pruned", threshold)
    for t in (1e-3, 1e-2, 0.1, 1.0):
        for kind in ("Sampled", "Budget"):
            for rows in (10_000, 100_000, 1_000_000):
                name = f"{kind.lower()}, 853 rows to {rows:,}, temperature {t:g}"
                why = BUDGET if kind == "Budget" else TWO_COLUMNS
                yield name, why, functools.partial(expansion, "SACHS", 853, t, kind, rows)
    for t in (1e-2, 1.0):
        for kind in ("Sampled", "Budget"):
            for n_rows in (1_000, 10_000, 100_000):
                name = f"{kind.lower()}, {n_rows:,} rows to 10,000, temperature {t:g}"
                why = BUDGET if kind == "Budget" else TWO_COLUMNS
                yield name, why, functools.partial(expansion, "SACHS", n_rows, t, kind, 10_000)
    for n_rows in (100, 300, 1000):
        for learner in ("HistGradientBoostingRegressor", "RandomForestRegressor", "Ridge"):
            name = f"fixed share, {learner}, {n_rows:,} rows"
            yield name, RICHER, functools.partial(fit, learner, n_rows)
        for kind, why in (("residual", RICHER_MEAN), ("kernel", "")):
            name = f"fixed share, Ridge, {n_rows:,} rows, {kind} conditional, drawn targets"
            yield name, why, functools.partial(fit, "Ridge", n_rows, conditional=kind)
    for shape in ("chain", "star"):
        name = f"budget, {shape} of 4 columns, 50,000 rows to 250,000"
        yield name, "", functools.partial(large, shape)
    yield "1,000,000 rows written to Parquet", "", parquet


# What is timed. A tree's own modules are imported by the process that works in it.


def expansion(graph: str, n_rows: int, t: float, kind: str, size: float) -> Callable[[], object]:
    import causalaug as ca
    import speed

    job = speed.Job(getattr(speed, graph), n_rows, t)
    return functools.partial(job.expand, getattr(ca, f"{kind}Expansion")(size))


def fit(name: str, n_rows: int, *, conditional: str = "") -> Callable[[], object]:
    import inspect

    import causalaug as ca
    import speed

    data = ca.datasets.make_sem(n_rows, mechanism="nonlinear", random_state=0)
    options = {"early_stopping": False} if name.startswith("Hist") else {}
    learner = getattr(speed, name)(**options)
    more = {}
    if conditional:
        more["conditional"] = getattr(ca, f"{conditional.title()}Conditional")()
        # Before, targets were always drawn.
        if "new_targets" in inspect.signature(ca.AugmentedRegressor).parameters:
            more["new_targets"] = "drawn"
    model = ca.AugmentedRegressor(
        learner, graph=data.graph, augmented_share=0.5, random_state=0, **more
    )
    return functools.partial(model.fit, data.X, data.y)


def large(shape: str) -> Callable[[], object]:
    import causalaug as ca
    import speed

    graph = ca.read_graph({"chain": "A -> B -> C -> D", "star": "A -> {B, C, D}"}[shape])
    frame = speed.simulate(graph, 50_000)
    size = ca.BudgetExpansion(250_000)
    return functools.partial(ca.augment, frame, graph, expansion=size, random_state=0)


def parquet() -> Callable[[], object]:
    import causalaug as ca
    import scale
    from causalaug.engine import augment_to_parquet

    frame = scale.simulate(scale.TWELVE, 1_000)
    size = ca.BudgetExpansion(1_000_000)

    def write() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            augment_to_parquet(frame, scale.TWELVE, path, expansion=size, random_state=0)

    return write


# Two processes in turns.


def serve() -> None:
    """Do the cases whose names come in, line by line, and say how long each took."""
    known = {name: ready for name, _, ready in cases()}
    done, run = "", None
    print("ready", flush=True)
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name != done:
            done, run = name, known[name]()
        assert run is not None
        started = time.process_time()
        run()
        print(time.process_time() - started, flush=True)


class Tree:
    """A process that works in one tree."""

    def __init__(self, root: Path) -> None:
        paths = [str(root / part) for part in ("src", "benchmarks", "tests")]
        env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}
        # This file is not in the other tree: it is run from here, with the modules from there.
        command = [sys.executable, "-W", "ignore", str(Path(__file__).resolve()), "--serve"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)
        while self._answer() != "ready":
            pass

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("A process ended before its time; see its error above.")
        return line.strip()

    def seconds(self, name: str) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return float(self._answer())


def compare(trees: tuple[Tree, Tree], name: str) -> tuple[float, float]:
    """Return the shortest time of each tree."""
    times: list[tuple[float, float]] = []
    spent = 0.0
    while len(times) < ROUNDS or (spent < ENOUGH_SECONDS and len(times) < MOST_ROUNDS):
        before, now = (tree.seconds(name) for tree in trees)
        times.append((before, now))
        spent += before
    first, second = zip(*times, strict=True)
    return min(first), min(second)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, nargs="?", help="the older tree")
    parser.add_argument("now", type=Path, nargs="?", default=ROOT, help="the newer one, or this")
    parser.add_argument("--only", metavar="WORD", help="cases whose name has it")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        # The folder of this file comes first by itself, and has modules of the same names.
        sys.path.remove(str(Path(__file__).resolve().parent))
        serve()
        return
    if chosen.before is None:
        parser.error("name the older tree, such as a git worktree of an earlier commit")
    trees = Tree(chosen.before.resolve()), Tree(chosen.now.resolve())
    lines = ["| case | before | now | now / before | slower, because |", "| --- |" + " --- |" * 4]
    for name, why, _ in cases():
        if chosen.only and chosen.only not in name:
            continue
        before, now = compare(trees, name)
        ratio = now / before
        reason = why if ratio > SLOWER else ""
        line = f"| {name} | {in_words(before)} | {in_words(now)} | {ratio:.2f} | {reason} |"
        print(line, flush=True)
        lines.append(line)
    if not chosen.only and chosen.now == ROOT:
        PAGE.write_text("\n".join([INTRODUCTION, *lines]) + "\n")


def in_words(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.2f} s"


INTRODUCTION = """# Speed before and after the fitted model

Made by `benchmarks/before_after.py`, with the last commit before there was a fitted model. Both
trees do a case in turns, several times; the shortest time of each counts, in processor time of one
thread. Read the ratios.

What was deleted, and is slower for it:

- *The grid for two Gaussian columns*: 160 lines that found the rows near a point of the plane. A
  search tree finds them for any number of columns.
- *Weights that were kept*: of up to two million rows near the pillows of a level, for its second
  pass and for the next variable of equal pillow. It matters where more new rows are wanted than
  there are pairs of observed ones, and kernels are narrow.
- *A bound on the survival weight* from the largest choice of each pillow, so that a budget lists
  and sorts fewer children of wide kernels.
- *Completions*: at low thresholds the last levels of the tree were walked once for every context,
  and their ends put together with all prefixes that lead there. Now every path is walked.
- *The bound on the heaviest row of a pillow*, from the mean of fourth powers, which every
  conditional had to provide: pillows too light to matter were left out without weighing their rows.

A learner's fit does more than it did: every factor's mean, noise and conditional are chosen by how
likely they make left-out rows, and new rows get expected targets. With a residual conditional and
drawn targets the mean and the noise still are; with a kernel conditional both trees do the same
work.
"""


if __name__ == "__main__":
    main()
