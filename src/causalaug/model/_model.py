"""Fit the factors of a graph to a table, and keep what was fitted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from causalaug._augmented_table import AugmentedTable
from causalaug._random import RandomState, as_generator, as_seed, block_generator
from causalaug._validation import check_integer, different_variables
from causalaug._workers import Engine, check_engine, map_blocks
from causalaug.conditionals import Conditional, FittedConditional, KernelConditional
from causalaug.exceptions import ParameterError
from causalaug.expansion import (
    Blocks,
    BlockwiseExpansion,
    BudgetExpansion,
    Expansion,
    Paths,
    PrunedExpansion,
    join_paths,
)
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG, read_graph
from causalaug.table import ColumnKind, Table
from causalaug.typing import FloatArray

BLOCK_ROWS = 1 << 18
"""Rows of a block, about, unless the caller says otherwise."""

DEFAULT_CONDITIONAL = KernelConditional()
DEFAULT_EXPANSION = BudgetExpansion()


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A table and a graph, fitted: the factors in order, each with its conditional.

    Make one with `fit_model`.

    Parameters
    ----------
    graph : ADMG
        The causal graph.
    table : Table
        The observed rows.
    factors : tuple of Factor
        The conditionals that the joint distribution is a product of, Eq. (1) of the paper, in
        the order that was used. With bidirected edges they depend on that order.
    conditional : Conditional
        How each factor was modelled.
    fitted : tuple of FittedConditional
        One fitted conditional per factor.
    """

    graph: ADMG
    table: Table = field(repr=False)
    factors: tuple[Factor, ...]
    conditional: Conditional
    fitted: tuple[FittedConditional, ...] = field(repr=False)

    @property
    def order(self) -> tuple[str, ...]:
        """The topological order of the variables that the factors follow."""
        return tuple(factor.target for factor in self.factors)

    def expand(
        self,
        expansion: Expansion | None = None,
        random_state: RandomState = None,
        engine: Engine = None,
        block_rows: int | None = None,
    ) -> AugmentedTable:
        """Make new, weighted rows.

        Parameters
        ----------
        expansion : Expansion, optional
            How the tree of possible rows is grown; by default ``BudgetExpansion()``.
        random_state : int, Generator, RandomState, SeedSequence or None, optional
            The seed of what is random in the expansion. One seed gives one result.
        engine : None, "threads" or dask.distributed.Client, optional
            Where blocks of rows are made, as in `augment`.
        block_rows : int, optional
            Cut the job into blocks of about so many rows, as in `augment`.

        Returns
        -------
        AugmentedTable
            The rows, their weights, and where each cell came from.
        """
        job = self.plan(expansion, block_rows)
        if engine is not None:
            check_engine(engine)
        if job.n_blocks == 1:
            paths = job.expansion.expand(self, as_generator(random_state))
        else:
            paths = _grow_blocks(replace(job, seed=as_seed(random_state)), engine)
        return AugmentedTable(self.table, paths, self.factors)

    def plan(self, expansion: Expansion | None = None, block_rows: int | None = None) -> "BlockJob":
        """Return the job of an expansion, cut into blocks; its seed is 0 until it is set."""
        if block_rows is not None:
            check_integer("block_rows", block_rows, at_least=1)
        expansion = DEFAULT_EXPANSION if expansion is None else expansion
        check_strategies(self.conditional, expansion)
        return BlockJob(self, expansion, count_blocks(expansion, self.table.n_rows, block_rows))


def fit_model(
    frame: Any,
    graph: Any,
    conditional: Conditional | None = None,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, ColumnKind] | None = None,
    sample_weight: FloatArray | None = None,
) -> GraphModel:
    """Fit one conditional per factor of the graph to the rows of a table.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The observed rows. The columns of an array are named by the graph's nodes, in order.
    graph : ADMG or anything that `read_graph` reads
        The causal graph; its nodes are the columns. Bidirected edges stand for hidden
        common causes.
    conditional : Conditional, optional
        How one factor is modelled; by default ``KernelConditional()``.
    order : sequence of str, optional
        The topological order to follow; by default the one of the graph, ties broken by
        the order of its nodes. With bidirected edges the result depends on it.
    kinds : mapping of str to {"continuous", "discrete"}, optional
        Kinds of columns that differ from the default: floats are continuous, integers,
        booleans, categories and strings are discrete.
    sample_weight : array of shape (n,), optional
        How much each observed row counts, positive: a row of weight 2 lends its cells twice
        as often.

    Returns
    -------
    GraphModel
        What was fitted. Ask it for new rows (`expand`).

    Examples
    --------
    One fit serves several expansions:

    >>> import pandas as pd
    >>> from causalaug import BudgetExpansion, SampledExpansion, fit_model
    >>> patients = pd.DataFrame(
    ...     {"fever": [39.1, 40.2, 36.8], "sick": [True, True, False], "cough": [7.0, 9.0, 1.0]}
    ... )
    >>> model = fit_model(patients, "fever <- sick -> cough")
    >>> [len(model.expand(each, 0)) for each in (BudgetExpansion(), SampledExpansion(100))]
    [5, 100]
    """
    graph = graph if isinstance(graph, ADMG) else read_graph(graph)
    conditional = DEFAULT_CONDITIONAL if conditional is None else conditional
    check_strategies(conditional)
    table = Table.from_frame(frame, names=graph.nodes, kinds=kinds, row_weights=sample_weight)
    if set(graph.nodes) != set(table.columns):
        raise different_variables(graph.nodes, table.columns)
    return fit_table(table, graph, conditional, order)


def fit_table(
    table: Table, graph: ADMG, conditional: Conditional, order: Sequence[str] | None = None
) -> GraphModel:
    """Return the model of rows that were checked before."""
    factors = factorize(graph, order)
    fitted = tuple(conditional.fit(table, factors))
    return GraphModel(graph, table, factors, conditional, fitted)


@dataclass(frozen=True, eq=False)
class BlockJob:
    """What a worker has to know to grow any block of an expansion.

    The number of blocks and the seed of each follow from the job alone, so that the result is
    the same wherever its blocks are grown, and in whatever order.
    """

    model: GraphModel
    expansion: Expansion
    n_blocks: int
    seed: int = 0

    def grow(self, block: int) -> Paths:
        """Return the paths of one block."""
        rng = block_generator(self.seed, block, self.n_blocks)
        if self._blocks is None:
            return self.expansion.expand(self.model, rng)
        return self._blocks.grow(block, rng)

    @cached_property
    def _blocks(self) -> Blocks | None:
        if not isinstance(self.expansion, BlockwiseExpansion):
            return None
        return self.expansion.in_blocks(self.model, self.n_blocks)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was laid out: it may be much larger than the model."""
        return {name: value for name, value in vars(self).items() if name != "_blocks"}


def count_blocks(expansion: Expansion, n_rows: int, block_rows: int | None) -> int:
    """Return the number of blocks of a job.

    How many rows a threshold leaves is not known beforehand, so a pruned tree is only cut
    where `block_rows` is given, into no more blocks than its first variable has choices. What
    cannot be cut is one block.

    >>> from causalaug.expansion import BeamExpansion, BudgetExpansion
    >>> count_blocks(BudgetExpansion(1_000_000), n_rows=100, block_rows=None)
    4
    >>> count_blocks(BeamExpansion(1_000_000), n_rows=100, block_rows=1000)
    1
    """
    if not isinstance(expansion, BlockwiseExpansion):
        return 1
    n_blocks = max(-(-expansion.most_rows(n_rows) // (block_rows or BLOCK_ROWS)), 1)
    if isinstance(expansion, PrunedExpansion):
        return 1 if block_rows is None else min(n_blocks, n_rows)
    return n_blocks


def _grow_blocks(job: BlockJob, engine: Engine) -> Paths:
    """Return the paths of all blocks, in their order."""
    parts, n_paths = [], 0
    for paths in map_blocks(BlockJob.grow, job, range(job.n_blocks), engine):
        parts.append(paths)
        n_paths += len(paths)
        if isinstance(job.expansion, PrunedExpansion) and n_paths > job.expansion.max_rows:
            raise job.expansion.too_large(job.model.table.n_rows)
    return join_paths(parts)


def check_strategies(conditional: object, expansion: object | None = None) -> None:
    """Raise unless both are objects that can do their work."""
    _check_strategy("conditional", conditional, "fit", "KernelConditional()")
    if expansion is not None:
        _check_strategy("expansion", expansion, "expand", "BudgetExpansion()")


def _check_strategy(name: str, value: object, verb: str, example: str) -> None:
    """Raise unless `value` is an object that has the verb: no class, name or other strategy."""
    if isinstance(value, type) or not callable(getattr(value, verb, None)):
        raise ParameterError(
            f"`{name}` must be an object with a method `{verb}`, such as {example}. "
            f"Found {value!r}. The third argument of `augment` is `conditional`, the fourth "
            "`expansion`."
        )


def augment(
    frame: Any,
    graph: Any,
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
    graph : ADMG or anything that `read_graph` reads
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
    0   39.1   True    7.0   0.167
    1   39.1   True    9.0   0.167
    2   40.2   True    7.0   0.167
    3   40.2   True    9.0   0.167
    4   36.8  False    1.0   0.333
    >>> round(result.novel_mass, 3), result.dropped_mass
    (0.333, 0.0)
    """
    model = fit_model(frame, graph, conditional, order, kinds, sample_weight=sample_weight)
    return model.expand(expansion, random_state, engine=engine, block_rows=block_rows)
