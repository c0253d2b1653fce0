"""Speed and memory of the expansions: prints tables and writes docs/results/speed.md.

All figures are ratios or rates measured in one run, best of several. The yardsticks are the
dense algorithm (a kernel matrix of frontier by n at every level, all children materialised,
numpy, no data frames; `tests/oracles.py`) and the time to gather the same rows by
`numpy.take`. Run it by `make bench`; it takes some minutes.
"""

import functools
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.expansion._frontier import describe_tree
from causalaug.expansion._trellis import Trellis, build_trellis, enumerate_paths
from causalaug.model import fit_table
from learner_fits import fit_again, noted

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from oracles import dense_pruned_tree  # noqa: E402

APART = ca.read_graph("A -> C -> D -> E; B -> F -> G")
MEETING = ca.read_graph("A -> C <- B; C -> D -> F <- E <- B; C -> G")
SACHS = ca.ADMG(
    ["Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"],
    ca.read_graph(
        "Plcg -> {PIP2, PKC}; PIP2 -> PKC; PIP3 -> {PIP2, Plcg, Akt}; Mek -> Erk;"
        "PKA -> {Akt, Erk, Mek, Raf, Jnk, P38}; PKC -> {Mek, Raf, Jnk, P38}"
    ).directed,
)


def simulate(graph: ca.ADMG, n_rows: int) -> pd.DataFrame:
    """Draw a table from nonlinear structural equations on a graph, without ties."""
    rng = np.random.default_rng(0)
    values: dict[str, np.ndarray] = {}
    for node in graph.topological_order():
        signal = sum(np.tanh(values[v]) + 0.5 * values[v] for v in graph.parents(node))
        values[node] = signal + 0.7 * rng.standard_normal(n_rows)
    return pd.DataFrame({node: values[node] for node in graph.nodes})


def best_time(run: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


class Job:
    """One expansion of one table, without the data frame."""

    def __init__(self, graph: ca.ADMG, n_rows: int, temperature: float) -> None:
        self.table = ca.Table.from_frame(simulate(graph, n_rows))
        self.graph, self.factors = graph, ca.factorize(graph)
        self.conditional = ca.KernelConditional(temperature=temperature)

    def expand(self, expansion: ca.PrunedExpansion, seed: int = 0) -> ca.Paths:
        # Fitting is part of what is timed: it always was.
        return expansion.expand(self.fit(), np.random.default_rng(seed))

    def fit(self) -> ca.GraphModel:
        return fit_table(self.table, self.graph, self.conditional)

    def dense(self, threshold: float) -> tuple[np.ndarray, np.ndarray]:
        """Return what the dense algorithm gives."""
        column = {name: number for number, name in enumerate(self.table.columns)}
        order = [column[f.target] for f in self.factors]
        pillows = {column[f.target]: [column[v] for v in f.pillow] for f in self.factors}
        bandwidths = [k.bandwidth for k in self.conditional.column_kernels(self.table)]
        values = np.ascontiguousarray(self.table.values)
        return dense_pruned_tree(values, order, pillows, bandwidths, threshold / self.table.n_rows)

    def gather(self, paths: ca.Paths) -> list[np.ndarray]:
        """Return the values of the paths, by numpy.take."""
        return [np.take(v, r) for v, r in zip(self.table.values.T, paths.rows.T, strict=True)]


def compare_with_dense() -> Iterable[list[str]]:
    for name, graph, n_rows, floors in [
        ("7 columns, 200 rows, two roots apart", APART, 200, (150, 100, 20)),
        ("7 columns, 200 rows, two roots that meet", MEETING, 200, (150, 100, 20)),
        ("Sachs graph, 300 rows", SACHS, 300, (50, 20, 3)),
    ]:
        for temperature, floor in zip((1e-3, 0.1, 1.0), floors, strict=True):
            job = Job(graph, n_rows, temperature)
            ours = functools.partial(job.expand, ca.PrunedExpansion(1e-3))
            dense = functools.partial(job.dense, 1e-3)
            paths, (rows, _) = ours(), dense()
            assert len(paths) == len(rows)
            times = [(best_time(ours, 9), best_time(dense, 1)) for _ in range(4)]
            fast, slow = (min(each) for each in zip(*times, strict=True))
            yield [
                name,
                f"{temperature:g}",
                f"{len(paths):,}",
                f"{1e3 * fast:.1f} ms",
                f"{1e3 * slow:,.0f} ms",
                f"{slow / fast:.0f}",
                f"{floor}",
            ]


def measure_memory() -> Iterable[list[str]]:
    for n_rows, temperature, threshold in [
        (300, 1e-3, 1e-3),
        (853, 1e-3, 1e-3),
        (853, 1e-2, 1e-4),
        (853, 0.1, 1e-3),
        (853, 1.0, 1e-3),
        (300, 0.1, 1e-5),
    ]:
        frame = simulate(SACHS, n_rows)
        tracemalloc.start()
        conditional = ca.KernelConditional(temperature=temperature)
        result = ca.augment(frame, SACHS, conditional, ca.PrunedExpansion(threshold))
        output = result.frame.memory_usage(index=False).sum()
        output += result.rows.nbytes + result.weights.nbytes
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        yield [
            f"{n_rows}",
            f"{temperature:g}",
            f"{threshold:g}",
            f"{len(result):,}",
            f"{output / 1e6:.1f} MB",
            f"{peak / 1e6:.1f} MB",
            f"{(3 * output + 50e6) / 1e6:.1f} MB",
        ]


def compare_with_take() -> Iterable[list[str]]:
    for name, graph, n_rows, temperature, threshold in [
        ("7 columns", MEETING, 200, 1.0, 3e-7),
        ("7 columns", MEETING, 200, 0.1, 1e-5),
        ("Sachs graph", SACHS, 300, 0.1, 2e-5),
        ("Sachs graph", SACHS, 853, 0.01, 1e-4),
    ]:
        job = Job(graph, n_rows, temperature)
        expansion = ca.PrunedExpansion(threshold)
        paths = job.expand(expansion)
        whole = best_time(lambda: job.expand(expansion), repeats=3)  # noqa: B023
        trellis = fold(job, threshold)
        enumeration = best_time(lambda: enumerate_paths(trellis, 10**8), repeats=9)  # noqa: B023
        take = best_time(lambda: job.gather(paths), repeats=9)  # noqa: B023
        yield [
            f"{name}, {n_rows} rows",
            f"{temperature:g}",
            f"{threshold:g}",
            f"{len(paths):,}",
            f"{1e3 * take:.0f} ms",
            f"{1e3 * enumeration:.0f} ms",
            f"{enumeration / take:.1f}",
            f"{whole / take:.1f}",
        ]


def fold(job: Job, threshold: float) -> Trellis:
    """Do all but the enumeration: fit the conditionals and fold the tree into a trellis."""
    tree = describe_tree(job.fit(), merge_equal=True)
    return build_trellis(tree, float(np.log(threshold / job.table.n_rows)), 10**8)


EXPANSIONS = [ca.SampledExpansion, ca.BudgetExpansion]


def rows_per_second() -> Iterable[list[str]]:
    for temperature in (1e-3, 1e-2, 0.1, 1.0):
        job = Job(SACHS, 853, temperature)
        for make in EXPANSIONS:
            rates = []
            for n_paths, repeats in [(10_000, 25), (100_000, 4), (1_000_000, 4)]:
                seconds = best_time(lambda: job.expand(make(n_paths)), repeats)  # noqa: B023
                rates.append(f"{n_paths / seconds:,.0f}")
            yield [make.__name__, f"{temperature:g}", *rates]


def growth_in_reference_rows() -> Iterable[list[str]]:
    for temperature in (1e-2, 1.0):
        for make in EXPANSIONS:
            seconds = []
            for n_rows, repeats in [(1_000, 3), (10_000, 2), (100_000, 1)]:
                job = Job(SACHS, n_rows, temperature)
                seconds.append(best_time(lambda: job.expand(make(10_000)), repeats))  # noqa: B023
            steps = [after / before for before, after in zip(seconds, seconds[1:], strict=False)]
            yield [
                make.__name__,
                f"{temperature:g}",
                *(f"{second:.2f} s" for second in seconds),
                *(f"{step:.1f}" for step in steps),
            ]


def large_tables() -> Iterable[list[str]]:
    for name, graph in [("chain", "A -> B -> C -> D"), ("star", "A -> {B, C, D}")]:
        frame = simulate(ca.read_graph(graph), 50_000)
        grow = functools.partial(ca.augment, frame, graph, random_state=0)
        seconds = [best_time(lambda: grow(expansion=make(250_000)), 2) for make in EXPANSIONS]  # noqa: B023
        yield [name, *(f"{second:.1f} s" for second in seconds)]


def cost_of_fitting() -> Iterable[list[str]]:
    boosting = HistGradientBoostingRegressor(early_stopping=False)
    for n_rows in (100, 300, 1000):
        data = ca.datasets.make_sem(n_rows, mechanism="nonlinear", random_state=0)
        for learner in (boosting, RandomForestRegressor(), Ridge()):
            model = ca.AugmentedRegressor(
                learner, graph=data.graph, augmented_share=0.5, random_state=0
            ).fit(data.X, data.y)
            new = model.augmented_
            both = pd.concat([data.frame, new.frame])
            X, y = both.drop(columns="Y"), both["Y"]
            weights = np.concatenate([np.full(n_rows, 0.5), 0.5 * n_rows * new.weights])
            alone = functools.partial(learner.fit, X, y, sample_weight=weights)
            augmented = functools.partial(model.fit, data.X, data.y)
            times = [(best_time(alone, 1), best_time(augmented, 1)) for _ in range(5)]
            fit, whole = (min(each) for each in zip(*times, strict=True))
            yield [
                type(learner).__name__,
                f"{n_rows:,}",
                f"{len(both):,}",
                f"{fit * 1e3:.0f} ms",
                f"{whole / fit:.2f}",
            ]


ISSUED = HistGradientBoostingRegressor(
    max_leaf_nodes=8, max_iter=60, min_samples_leaf=5, early_stopping=False
)
"""The boosting of docs/results/learning.md."""

SHAPES = ("star", "chain", "two-layer", "random")


def cost_of_blending() -> Iterable[list[str]]:
    for shape in SHAPES:
        data = ca.datasets.make_sem(60, shape, mechanism="nonlinear", random_state=3)
        for name, learner in (("default", None), ("boosting, 8 leaves", ISSUED)):
            model = ca.AugmentedRegressor(learner, graph=data.graph, random_state=0)
            with noted() as asked:
                model.fit(data.X, data.y)
            blend = functools.partial(model.fit, data.X, data.y)
            alone = functools.partial(fit_again, asked)
            times = [(best_time(blend, 1), best_time(alone, 1)) for _ in range(4)]
            whole, fits = (min(each) for each in zip(*times, strict=True))
            yield [name, shape, f"{len(asked)}", f"{fits:.2f} s", f"{whole / fits:.2f}"]


def cost_of_predicting() -> Iterable[list[str]]:
    for shape in SHAPES:
        model = ca.datasets.make_sem_model(shape, mechanism="nonlinear", random_state=3)
        train, test = (model.sample(n, random_state=n).frame for n in (1_000, 10_000))
        X, asked = train.drop(columns="Y"), test.drop(columns="Y")
        graph_model = ca.GraphRegressor(model.graph)
        fit = best_time(lambda: graph_model.fit(X, train["Y"]), 1)  # noqa: B023
        graph_model.predict(asked.head(1))
        mean = best_time(lambda: graph_model.predict(asked), 3)  # noqa: B023
        peaks = []
        for n_rows in (2_500, 10_000):
            tracemalloc.start()
            graph_model.predict_quantile(asked.head(n_rows), [0.05, 0.95])
            peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
            tracemalloc.stop()
        memory = (f"{peak:.0f} MB" for peak in peaks)
        yield [shape, f"{fit:.1f} s", f"{mean:.1f} s", *memory]


SECTIONS: list[tuple[str, str, list[str], Callable[[], Iterable[list[str]]]]] = [
    (
        "The pruned tree against the dense algorithm",
        "Threshold 1e-3. Both give the same rows. The dense algorithm computes a kernel matrix "
        "of frontier by n at every level and materialises all children. `floor` is the ratio "
        "aimed at. Where two roots meet in a pillow it is missed at narrow kernels: all pairs of "
        "their values have to be looked up.",
        ["table", "temperature", "rows out", "causalaug", "dense", "ratio", "floor"],
        compare_with_dense,
    ),
    (
        "Peak memory of the pruned tree",
        "Sachs graph, 11 columns, `augment` and its frame, as numpy allocates it. The dense "
        "algorithm would need about 29 GB at 853 rows.",
        ["rows in", "temperature", "threshold", "rows out", "output", "peak", "3 x output + 50 MB"],
        measure_memory,
    ),
    (
        "Enumerating the paths against gathering their values",
        "`enumeration` is what follows the trellis: the paths are written. The last column is "
        "the whole expansion, trellis included, over the same `numpy.take`.",
        [
            "table",
            "temperature",
            "threshold",
            "rows out",
            "take",
            "enumeration",
            "enumeration / take",
            "all / take",
        ],
        compare_with_take,
    ),
    (
        "Rows per second of the expansions of bounded size",
        "853 rows, 11 columns, Sachs graph.",
        ["expansion", "temperature", "10,000 rows", "100,000 rows", "1,000,000 rows"],
        rows_per_second,
    ),
    (
        "Growth with the reference rows",
        "10,000 rows out, 11 columns, Sachs graph; the last columns are the factors from one "
        "size to the next.",
        [
            "expansion",
            "temperature",
            "1,000 rows in",
            "10,000",
            "100,000",
            "x 10",
            "x 10 again",
        ],
        growth_in_reference_rows,
    ),
    (
        "Large tables",
        "`augment` of 50,000 rows and 4 columns to 250,000 rows, every other argument by default.",
        ["graph", *(make.__name__ for make in EXPANSIONS)],
        large_tables,
    ),
    (
        "Fitting with a fixed share",
        "`AugmentedRegressor` with share .5 against fitting its learner to the same original and "
        "new rows, 12 variables. A learner that takes next to no time, as ridge regression does, "
        "shows what making the rows costs.",
        ["learner", "rows in", "rows learned from", "learner alone", "augmented / alone"],
        cost_of_fitting,
    ),
    (
        "Fitting a blend",
        "`AugmentedRegressor` with every default, 60 rows, 12 variables, nonlinear models, against "
        "fitting the same learners to the same rows and weights and nothing else; best of four, "
        "alternating.",
        ["learner", "graph", "learner fits", "these alone", "blend / these"],
        cost_of_blending,
    ),
    (
        "Predicting with the graph's model",
        "`GraphRegressor`, 12 variables, 1,000 training rows, 10,000 rows predicted. Peak memory "
        "is that of 90% intervals: it does not grow with rows times points of quadrature.",
        ["graph", "fit", "predict", "peak, 2,500 rows", "peak, 10,000 rows"],
        cost_of_predicting,
    ),
]


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    parts = [
        "# Speed and memory",
        "Written by `make bench`. Timings depend on the machine; read the ratios, which were "
        f"measured side by side in one run (Python {platform.python_version()}, "
        f"numpy {np.__version__}, {platform.machine()}).",
    ]
    for title, text, header, measure in SECTIONS:
        print(f"{title} ...", flush=True)
        table = markdown(header, list(measure()))
        print(table, flush=True)
        parts += [f"## {title}", text, table]
    target = ROOT / "docs/results/speed.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n\n".join(parts) + "\n")
    print(f"Written to {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
