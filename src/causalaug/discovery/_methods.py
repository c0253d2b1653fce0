"""The methods that find graphs, by the packages lingam and causal-learn, and the rows they take.

Knowledge is not handed to causal-learn, which turns an edge that must not run one way into one
that runs the other way; that is wrong if a hidden cause is possible. What is known chooses among
the graphs of the class instead.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from itertools import combinations, product
from typing import Any

import numpy as np

from causalaug._optional import import_optional
from causalaug._validation import some
from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._pag import PAG
from causalaug.exceptions import ParameterError, TableError
from causalaug.graphs import ADMG
from causalaug.table import KindName, Table
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that have passed the checks.

    Parameters
    ----------
    columns : tuple of str
        The variables.
    values : array of shape (n_rows, n_columns)
        Numbers; of discrete columns, codes from 0.
    is_discrete : bool
        Whether all columns are levels without a scale, and not numbers.
    """

    columns: tuple[str, ...]
    values: FloatArray
    is_discrete: bool

    def at(self, rows: IntArray) -> "Sample":
        """Return the sample of some rows, which may repeat."""
        return replace(self, values=self.values[rows])

    @property
    def constant(self) -> list[str]:
        """The columns with a single value."""
        still = np.all(self.values == self.values[:1], axis=0)
        return [name for name, is_still in zip(self.columns, still, strict=True) if is_still]


def read_sample(
    frame: Any, kinds: Mapping[str, KindName] | None, *, discrete: bool | None
) -> Sample:
    """Return the checked rows of a frame.

    `discrete` says what the method takes: levels, numbers, or, if None, either.
    """
    table = Table.from_frame(frame, kinds=kinds, holes=True)
    is_discrete = _all_levels(table) if discrete is None else discrete
    (_check_discrete if is_discrete else _check_numbers)(table)
    # After the columns: nobody is to fill in cells of a table that is then refused.
    _check_complete(table)
    table.check_magnitudes()
    columns = table.values.T
    if is_discrete:
        columns = np.array([np.unique(column, return_inverse=True)[1] for column in columns])
    sample = Sample(table.columns, np.ascontiguousarray(columns.T, dtype=float), is_discrete)
    n_rows, n_columns = sample.values.shape
    if n_rows < n_columns + 2:
        raise TableError(
            f"There must be at least two rows more than columns, here {n_columns + 2}. "
            f"Found {n_rows}. Collect more rows or drop columns."
        )
    if sample.constant:
        raise TableError(
            "Columns must vary, or nothing can depend on them. "
            f"Found a single value in {sample.constant}. Drop these columns."
        )
    if not is_discrete:
        _check_independent(sample)
    return sample


def _check_complete(table: Table) -> None:
    """Raise if cells are missing: the libraries behind the methods take none."""
    if table.missing is None:
        return
    counts = dict(zip(table.columns, table.missing.sum(axis=0).tolist(), strict=True))
    found = ", ".join(f"{count} in {name!r}" for name, count in counts.items() if count)
    n_complete = int((~table.missing.any(axis=1)).sum())
    raise TableError(
        f"To look for a graph, no cell may be missing. Found {found}; {n_complete} of "
        f"{table.n_rows} rows are complete. Drop the other rows, or columns with many holes; or "
        "fill the cells in with a graph that assumes nothing: fit_model(frame, "
        "complete_graph(frame.columns)).complete(frame).frame, in the shell `causalaug complete`."
    )


def _all_levels(table: Table) -> bool:
    """Return whether every column has levels, and none is a number with more than ten."""
    facts = zip(table.kinds, table.numeric, table.values.T, strict=True)
    return all(
        kind != "continuous" and not (numeric and len(np.unique(values[~np.isnan(values)])) > 10)
        for kind, numeric, values in facts
    )


def _check_discrete(table: Table) -> None:
    facts = zip(table.columns, table.kinds, strict=True)
    continuous = [name for name, kind in facts if kind == "continuous"]
    if continuous:
        raise ParameterError(
            f"The test 'g_squared' needs ordered or nominal columns. Found continuous ones: "
            f"{continuous}. Use test='auto', or kinds={{...: 'nominal'}} if their values repeat."
        )


def _check_numbers(table: Table) -> None:
    facts = zip(table.columns, table.numeric, strict=True)
    without_scale = [name for name, numeric in facts if not numeric]
    if without_scale:
        raise TableError(
            "Columns must be numbers for this method, which fits straight lines. Found columns "
            f"without a scale: {some(without_scale)}. Drop them, in the shell with --drop, or make "
            "numbers of them; 'pc', 'ges' and 'fci' also take tables of discrete columns alone."
        )


def _check_independent(sample: Sample) -> None:
    """Raise if a column is a sum of multiples of the ones before it."""
    scaled = sample.values - sample.values.mean(axis=0)
    scaled /= np.sqrt(np.square(scaled).sum(axis=0))
    # The diagonal is how long each column is without those before it; the rest is rounding.
    lengths = np.diagonal(np.linalg.qr(scaled, mode="r"))
    for name, length in zip(sample.columns, lengths.tolist(), strict=True):
        if length**2 < 1e-10:
            raise TableError(
                "No column may be a linear combination of others, or nothing tells the cause. "
                f"Found that {name!r} is one of the columns before it. Drop it, or one of those."
            )


@contextmanager
def foreign(module: str, method: str) -> Iterator[Any]:
    """Load a library, keep it from printing and warning, and say in our words that it failed."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        purpose = f"The method {method!r} of `discover`"
        loaded = import_optional(module, extra="discovery", purpose=purpose)
        try:
            yield loaded
        except (ArithmeticError, AssertionError, LookupError, ValueError) as error:
            raise TableError(
                f"The data must be such that the method {method!r} can work on them. It stopped "
                f"with: {error}. Drop columns that are nearly constant or copies, or try another "
                "method."
            ) from error


def direct_lingam(sample: Sample, knowledge: Knowledge, seed: int) -> PAG:
    """Find the causal order by pairwise likelihoods, then the edges by adaptive lasso."""
    paths = _known_paths(sample, knowledge)
    with foreign("lingam", "direct-lingam") as lingam:
        model = lingam.DirectLiNGAM(random_state=seed, prior_knowledge=paths, measure="pwling")
        model.fit(sample.values)
    names = sample.columns
    order = [names[number] for number in model.causal_order_]
    barred = {effect for _, effect in knowledge.forbidden}
    edges = [
        (names[cause], names[effect])
        for effect, cause in zip(*np.nonzero(model.adjacency_matrix_), strict=True)
        if names[effect] not in barred
    ]
    for effect in sorted(barred, key=order.index):
        edges += _edges_to(effect, order, sample, knowledge)
    return PAG.from_admg(ADMG(names, {*edges, *knowledge.required}))


def _known_paths(sample: Sample, knowledge: Knowledge) -> IntArray | None:
    """Return what lingam may know: entry (to, from) is 1 for a path, 0 for none, -1 for open.

    Forbidden edges are no part of it, since a path may lead around them.
    """
    place = {name: number for number, name in enumerate(sample.columns)}
    paths = np.full((len(place), len(place)), -1)
    for cause, effect in knowledge.required:
        paths[place[effect], place[cause]] = 1
    for early, late in combinations(knowledge.tiers, 2):
        for cause, effect in product(late, early):
            paths[place[effect], place[cause]] = 0
    return paths if np.any(paths >= 0) else None


def _edges_to(
    effect: str, order: list[str], sample: Sample, knowledge: Knowledge
) -> list[tuple[str, str]]:
    """Return the edges to one variable from those before it that may be its causes."""
    earlier = order[: order.index(effect)]
    causes = [name for name in earlier if knowledge.permits(name, effect)]
    if not causes:
        return []
    numbers = [sample.columns.index(name) for name in causes]
    with foreign("lingam.utils", "direct-lingam") as utils:
        found = utils.predict_adaptive_lasso(sample.values, numbers, sample.columns.index(effect))
    return [(cause, effect) for cause, size in zip(causes, found, strict=True) if size]


def pc(sample: Sample, alpha: float) -> PAG:
    """Return the class of DAGs that the PC algorithm finds by tests of independence."""
    with foreign("causallearn.search.ConstraintBased.PC", "pc") as module:
        found = module.pc(sample.values, alpha, indep_test=_test(sample), show_progress=False)
    return _renamed(PAG.from_causallearn(found), sample)


def fci(sample: Sample, alpha: float) -> PAG:
    """Return the class of graphs with hidden causes that FCI finds by tests of independence."""
    with foreign("causallearn.search.ConstraintBased.FCI", "fci") as module:
        found, _ = module.fci(sample.values, _test(sample), alpha, show_progress=False)
    return _renamed(PAG.from_causallearn(found, two_tails="o-o"), sample)


def ges(sample: Sample) -> PAG:
    """Return the class of DAGs that greedy search by a score finds."""
    score = "local_score_BDeu" if sample.is_discrete else "local_score_BIC"
    with foreign("causallearn.search.ScoreBased.GES", "ges") as module:
        found = module.ges(sample.values, score)
    return _renamed(PAG.from_causallearn(found["G"]), sample)


def _test(sample: Sample) -> str:
    return "gsq" if sample.is_discrete else "fisherz"


def _renamed(found: PAG, sample: Sample) -> PAG:
    """Return the class with the names of the columns.

    Nodes are in the order of the columns. They are not matched by name, for not every version
    of every method takes names.
    """
    name = dict(zip(found.nodes, sample.columns, strict=True))
    return PAG(sample.columns, [(name[a], drawn, name[b]) for a, drawn, b in found.edges])
