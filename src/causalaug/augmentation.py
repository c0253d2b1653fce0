"""The whole method as one pure function: a table and a graph in, weighted rows out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from causalaug._markup import element, html_table, join
from causalaug._random import RandomState, as_generator, as_seed
from causalaug._segments import Groups, combine_codes, group_by_key
from causalaug._validation import check_integer, check_same_variables
from causalaug._workers import Engine, check_engine, map_blocks
from causalaug.conditionals import Conditional, KernelConditional
from causalaug.exceptions import ParameterError
from causalaug.expansion import (
    BlockJob,
    BudgetExpansion,
    Expansion,
    Paths,
    PrunedExpansion,
    count_blocks,
    join_paths,
)
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG
from causalaug.table import ColumnKind, Table
from causalaug.typing import BoolArray, FloatArray, IntArray

__all__ = ["AugmentedTable", "augment"]


@dataclass(frozen=True, eq=False)
class AugmentedTable:
    """Weighted rows, where each of their cells came from, and what they stand for.

    Parameters
    ----------
    table : Table
        The observed rows.
    paths : Paths
        For each new row, the observed row that each cell is copied from, and its weight.
    factors : tuple of Factor
        The conditionals that the weights are a product of, in the order that was used. With
        bidirected edges they depend on that order.
    """

    table: Table = field(repr=False)
    paths: Paths = field(repr=False)
    factors: tuple[Factor, ...]

    @cached_property
    def frame(self) -> Any:
        """The rows, in the dataframe library, column order and dtypes of the input.

        Built when first asked for.
        """
        return self.table.take(self.paths.rows, self.paths.shifted)

    @property
    def weights(self) -> FloatArray:
        """The weight of each row. They add up to `mass`."""
        return self.paths.weights

    @property
    def rows(self) -> IntArray:
        """The number of the observed row that each cell came from, shape (m, D).

        A cell that was shifted by a fitted mean names the row whose residual was taken.
        """
        return self.paths.rows

    def values(self, column: int) -> FloatArray:
        """Return the values of a column, by its number, coded as those of `table`."""
        if column in self.paths.shifted:
            return self.paths.shifted[column]
        copied: FloatArray = self.table.values[self.rows[:, column], column]
        return copied

    @property
    def order(self) -> tuple[str, ...]:
        """The topological order of the variables that the factors follow."""
        return tuple(factor.target for factor in self.factors)

    @cached_property
    def mass(self) -> float:
        """The sum of the weights: 1 if nothing was dropped."""
        return float(self.weights.sum())

    @property
    def dropped_mass(self) -> float:
        """The mass of paths that were pruned, or that ended where a conditional vanishes."""
        return self.paths.dropped_mass

    @cached_property
    def effective_sample_size(self) -> float:
        """How many rows of equal weight these are worth: ``sum(w)^2 / sum(w^2)``.

        Equal rows count separately; ``merged().effective_sample_size`` counts them once.
        """
        squares = float(np.square(self.weights).sum())
        return self.mass**2 / squares if squares > 0.0 else 0.0

    @cached_property
    def is_novel(self) -> BoolArray:
        """Whether each row equals no observed row."""
        key, bound = self._row_keys(include_observed=True)
        groups = group_by_key(key, bound)
        observed = np.zeros(len(groups.offsets) - 1, dtype=bool)
        observed[groups.ranks[len(self) :]] = True
        is_novel: BoolArray = ~observed[groups.ranks[: len(self)]]
        return is_novel

    @cached_property
    def novel_mass(self) -> float:
        """The mass of the rows that equal no observed row."""
        return float(self.weights[self.is_novel].sum())

    def merged(self) -> "AugmentedTable":
        """Return the table with equal rows merged and their weights added.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import ADMG, PrunedExpansion, augment
        >>> tied = pd.DataFrame({"x": [1, 1, 2], "y": [5, 6, 6]})
        >>> both = augment(tied, ADMG(["x", "y"]), expansion=PrunedExpansion(0, merge_equal=False))
        >>> len(both), len(both.merged())
        (9, 4)
        >>> both.merged().weights.round(3)
        array([0.222, 0.444, 0.111, 0.222])
        """
        groups = self.equal_rows()
        first = groups.first
        heaviest = np.full(len(first), -np.inf)
        np.maximum.at(heaviest, groups.ranks, self.paths.log_weights)
        relative = np.exp(self.paths.log_weights - heaviest[groups.ranks])
        log_weights = heaviest + np.log(np.bincount(groups.ranks, relative))
        paths = replace(self.paths.at(first), log_weights=log_weights)
        return AugmentedTable(self.table, paths, self.factors)

    def equal_rows(self) -> Groups:
        """Return the positions of the rows, grouped by equal values."""
        return group_by_key(*self._row_keys(include_observed=False))

    def to_html(self) -> str:
        """Return what the rows stand for, in figures, as a piece of HTML."""
        figures = [[name, f"{value:,.4g}"] for name, value in self.figures().items()]
        factors = " ".join(str(factor) for factor in self.factors)
        return str(
            join([html_table(["new rows", ""], figures, numbers=(1,)), element("p", factors)])
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def figures(self) -> dict[str, float]:
        """Return the numbers of rows and the mass accounting, each under its name.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import ADMG, augment
        >>> augment(pd.DataFrame({"x": [1, 2], "y": [5, 6]}), ADMG(["x", "y"])).figures()
        {'observed rows': 2, 'new rows': 4, 'mass': 1.0, 'dropped mass': 0.0, 'novel mass': 0.5, \
'effective sample size': 4.0}
        """
        return {
            "observed rows": self.table.n_rows,
            "new rows": len(self),
            "mass": self.mass,
            "dropped mass": self.dropped_mass,
            "novel mass": self.novel_mass,
            "effective sample size": self.effective_sample_size,
        }

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.paths)

    def _row_keys(self, *, include_observed: bool) -> tuple[IntArray, int]:
        """Return a key per row that is equal where all values are; observed rows come last."""
        codes, sizes = [], []
        n_observed = self.table.n_rows
        for number, column in enumerate(self.table.values.T):
            lent = self.paths.shifted.get(number, ())
            values, code = np.unique(np.concatenate([column, lent]), return_inverse=True)
            new = code[n_observed:] if len(lent) else code[self.paths.rows[:, number]]
            codes.append(np.concatenate([new, code[:n_observed]]) if include_observed else new)
            sizes.append(len(values))
        return combine_codes(codes, sizes, len(codes[0]))


def augment(
    frame: Any,
    graph: ADMG,
    conditional: Conditional | None = None,
    expansion: Expansion | None = None,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, ColumnKind] | None = None,
    random_state: RandomState = None,
    *,
    sample_weight: FloatArray | None = None,
    engine: Engine = None,
    block_rows: int | None = None,
) -> AugmentedTable:
    """Make new, weighted rows from the conditional independences of a causal graph.

    Walk the variables in topological order and copy each cell from an observed row, chosen
    with a weight that compares the row with what was copied so far, on the variables that
    this one depends on. The weight of a new row is the product of those weights: it
    estimates the probability that the row is what comes next.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The observed rows. The columns of an array are named by the graph's nodes, in order.
    graph : ADMG
        The causal graph; its nodes are the columns. Bidirected edges stand for hidden
        common causes.
    conditional : Conditional, optional
        How one factor is modelled; by default ``KernelConditional()``.
    expansion : Expansion, optional
        How the tree of possible rows is grown; by default ``BudgetExpansion()``, which keeps
        five rows per observed row, biases no weight and loses no mass.
    order : sequence of str, optional
        The topological order to follow; by default the one of the graph, ties broken by
        the order of its nodes. With bidirected edges the result depends on it.
    kinds : mapping of str to {"continuous", "discrete"}, optional
        Kinds of columns that differ from the default: floats are continuous, integers,
        booleans, categories and strings are discrete.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of what is random in the expansion. One seed gives one result.
    sample_weight : array of shape (n,), optional
        How much each observed row counts, positive: a row of weight 2 lends its cells twice
        as often.
    engine : None, "threads" or dask.distributed.Client, optional
        Where blocks of rows are made: one after the other, on a thread per core, or on the
        workers of a cluster. The result is the same. A job of one block is done here.
    block_rows : int, optional
        Cut the job into blocks of about so many rows, each with a seed of its own; by default
        262,144, and a `PrunedExpansion`, whose number of rows is not known beforehand, is not
        cut. The result depends on it. A job of one block is the expansion itself.

    Returns
    -------
    AugmentedTable
        The rows as a frame like the input, their weights, which observed row each cell came
        from, and how much mass was kept, dropped and new.

    Examples
    --------
    Two symptoms of one disease are independent given the disease, so that they can be
    combined anew within the sick and within the healthy, and only there:

    >>> import pandas as pd
    >>> from causalaug import ADMG, augment
    >>> patients = pd.DataFrame(
    ...     {"fever": [39.1, 40.2, 36.8], "sick": [True, True, False], "cough": [7.0, 9.0, 1.0]}
    ... )
    >>> graph = ADMG(["fever", "sick", "cough"], directed=[("sick", "fever"), ("sick", "cough")])
    >>> result = augment(patients, graph, random_state=0)
    >>> result.frame.assign(weight=result.weights.round(3))
       fever   sick  cough  weight
    0   36.8  False    1.0   0.333
    1   39.1   True    7.0   0.167
    2   39.1   True    9.0   0.167
    3   40.2   True    7.0   0.167
    4   40.2   True    9.0   0.167
    >>> round(result.novel_mass, 3), result.dropped_mass
    (0.333, 0.0)
    """
    check_engine(engine)
    plan = plan_augmentation(
        frame, graph, conditional, expansion, order, kinds, sample_weight, block_rows
    )
    if plan.n_blocks == 1:
        rng = as_generator(random_state)
        paths = plan.expansion.expand(plan.table, plan.factors, plan.conditional, rng)
    else:
        paths = _grow_blocks(replace(plan, seed=as_seed(random_state)), engine)
    return AugmentedTable(plan.table, paths, tuple(plan.factors))


def plan_augmentation(
    frame: Any,
    graph: ADMG,
    conditional: Conditional | None,
    expansion: Expansion | None,
    order: Sequence[str] | None,
    kinds: Mapping[str, ColumnKind] | None,
    sample_weight: FloatArray | None,
    block_rows: int | None,
) -> BlockJob:
    """Check what `augment` is given, and return the job with all defaults filled in.

    Its seed is 0 until it is replaced.
    """
    check_graph_type(graph)
    if block_rows is not None:
        check_integer("block_rows", block_rows, at_least=1)
    conditional = KernelConditional() if conditional is None else conditional
    expansion = BudgetExpansion() if expansion is None else expansion
    check_strategies(conditional, expansion)
    table = Table.from_frame(frame, names=graph.nodes, kinds=kinds, row_weights=sample_weight)
    check_same_variables(graph.nodes, table.columns)
    factors = factorize(graph, order)
    n_blocks = count_blocks(expansion, table.n_rows, block_rows)
    return BlockJob(table, factors, conditional, expansion, n_blocks, seed=0)


def _grow_blocks(job: BlockJob, engine: Engine) -> Paths:
    """Return the paths of all blocks, in their order."""
    parts, n_paths = [], 0
    for paths in map_blocks(BlockJob.grow, job, range(job.n_blocks), engine):
        parts.append(paths)
        n_paths += len(paths)
        if isinstance(job.expansion, PrunedExpansion) and n_paths > job.expansion.max_rows:
            raise job.expansion.too_large(job.table.n_rows)
    return join_paths(parts)


def check_graph_type(graph: object) -> None:
    """Raise unless `graph` is an ADMG."""
    if not isinstance(graph, ADMG):
        raise ParameterError(
            f"`graph` must be an ADMG. Found {type(graph).__name__}. "
            "Turn it into one with `read_graph`."
        )


def check_strategies(conditional: object, expansion: object) -> None:
    """Raise unless both are objects that can do their work."""
    _check_strategy("conditional", conditional, "fit", "KernelConditional()")
    _check_strategy("expansion", expansion, "expand", "BudgetExpansion()")


def _check_strategy(name: str, value: object, verb: str, example: str) -> None:
    """Raise unless `value` is an object that has the verb: no class, name or other strategy."""
    if isinstance(value, type) or not callable(getattr(value, verb, None)):
        raise ParameterError(
            f"`{name}` must be an object with a method `{verb}`, such as {example}. "
            f"Found {value!r}. The third argument of `augment` is `conditional`, the fourth "
            "`expansion`."
        )
