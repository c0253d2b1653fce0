"""Fit the factors of a graph to a table, and expand what was fitted into new rows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from causalaug._augmented_table import AugmentedTable
from causalaug._random import RandomState, as_generator, as_seed
from causalaug._threads import one_blas_thread
from causalaug._validation import check_integer, different_variables
from causalaug._workers import Engine, check_engine
from causalaug.conditionals import (
    AutoConditional,
    Belief,
    Conditional,
    FittedConditional,
    Fitter,
    KernelConditional,
    Wish,
    belief_by_variable,
    check_belief,
    find_wishes,
    fit_several,
    mixtures,
)
from causalaug.exceptions import ParameterError
from causalaug.expansion import (
    BlockwiseExpansion,
    BudgetExpansion,
    Expansion,
    PrunedExpansion,
)
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG, SeveralGraphs, read_graph
from causalaug.model._blocks import BlockJob, grow_blocks
from causalaug.model._completion import each_copy
from causalaug.model._fitted import CompletedRows, FittedFactors
from causalaug.model._loss import MOST_LOST, warn_of_loss
from causalaug.model._size import check_size, n_paths
from causalaug.model._usable import fit_drawn, fit_factors, fit_first, has_gaps
from causalaug.table import KindName, Limits, Table, code_rows
from causalaug.typing import FloatArray

Fit: TypeAlias = Callable[[Sequence[Factor]], Sequence[FittedConditional]]

BLOCK_ROWS = 1 << 18
"""Rows of a block, about, unless the caller says otherwise."""

FEW_ROWS = 1_024
"""Up to so many rows values that are copied are weighed by tables, without linear algebra. To set
the number of its threads would take longer than the rest of a small job."""

ROUNDS = 3
"""Rounds of stochastic EM. Without any, the error of a model with holes is as low in stars and
chains, and 5% higher where variables have two or three causes; if seven features cause the target,
it is 70 to 140% higher than after three (60 rows, a fifth of the cells missing). Five gain nothing
more (100 rows, two fifths missing), and lose 1% where the last is drawn several times (47 models of
seeds 1,320,000 and up, 60 and 150 rows): what was drawn from a poor fit is learnt again. With ten
times as many rows without a target, 1, 2, 3 and 5 rounds took 7, 9, 8 and 9% off the error where
mechanisms are nonlinear, and nothing where they are linear (30 models each, standard error 2)."""

DRAWS = 5
"""Draws of the last round, whose fits are averaged. With the fit of one draw the error of the model
alone was 1.9 +- 4.5% above that on an imputer's rows; with the densities of five rounds averaged it
was 5.8 +- 2.3% below, and with ten 6.5 (40 models of seeds 1,300,049 and up, 60 rows, a fifth of
the cells missing, drawn rows counting in full). Five draws of the third round are drawn in one go,
and the error is 1% lower still on 60 rows and on 150; eight gain nothing more (47 models of seeds
1,320,000 and up). To average predictions instead loses where a target has many effects, about 10%
(5 nonlinear stars), and nothing elsewhere."""

DEFAULT_CONDITIONAL = KernelConditional()
DEFAULT_EXPANSION = BudgetExpansion()


@dataclass(frozen=True, eq=False, repr=False)
class GraphModel(FittedFactors):
    """A table and a graph, fitted: the factors in order, each with its conditional.

    Make one with `fit_model`.

    Parameters
    ----------
    graph : ADMG
        The causal graph.
    table : Table
        The observed rows.
    product : tuple of Factor
        The conditionals that the joint distribution is a product of, Eq. (1) of the paper, in
        the order that was used. With bidirected edges they depend on that order. `factors` are
        the same, fitted.
    conditional : Conditional
        How each factor was modelled.
    fitted : tuple of FittedConditional
        One fitted conditional per factor; where cells are missing, its `rows` are those that it
        was fitted to.
    earlier : tuple of GraphModel, optional
        Fits to other draws of the same holes. The density of a number is the mean over them and
        `fitted`.
    belief : "full", "auto", float or mapping of str to float
        How far the graph was to be trusted, by variable where beliefs in edges were stated.
    wishes : tuple of Wish or None
        What each factor is mixed with beside the graph's own; `trust` tells it as a frame. The
        pillow of such a factor has more variables than the graph gives it.
    """

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

        Warns
        -----
        CausalAugWarning
            If more than 1% of the mass was dropped. With the defaults none is.
        """
        result = self.make_rows(expansion, random_state, engine, block_rows)
        self._warn_if_lost(result, expansion)
        return result

    def _warn_if_lost(
        self, result: AugmentedTable, expansion: Expansion | None, stacklevel: int = 4
    ) -> None:
        """Warn if more than 1% of the mass was dropped."""
        # With the defaults no path can end, and nothing is pruned.
        may_lose = expansion is not None or any(each.weigher.may_end for each in self.fitted)
        if may_lose and result.dropped_mass > MOST_LOST:
            warn_of_loss(self, result, stacklevel)

    def make_rows(
        self,
        expansion: Expansion | None = None,
        random_state: RandomState = None,
        engine: Engine = None,
        block_rows: int | None = None,
    ) -> AugmentedTable:
        """Do what `expand` does, for those who have their own way to tell of mass that was lost."""
        job = self.plan(expansion, block_rows)
        if not _is_small(job.expansion, self.table.n_rows):
            check_size(self, job.expansion)
        if engine is not None:
            check_engine(engine)
        if job.n_blocks == 1:
            is_copied = all(each.shift is None for each in self.fitted)
            with _one_thread_unless(is_copied and self.table.n_rows <= FEW_ROWS):
                paths = job.expansion.expand(self, as_generator(random_state))
        else:
            paths = grow_blocks(replace(job, seed=as_seed(random_state)), engine)
        originals = None if self.table.missing is None else CompletedRows(self)
        return AugmentedTable(self.table, paths, self.product, originals)

    def refined(
        self,
        rounds: int = ROUNDS,
        random_state: RandomState = None,
        *,
        labels: Collection[str] = (),
        draws: int = DRAWS,
    ) -> "GraphModel":
        """Fit again to rows whose holes were drawn from the last fit: stochastic EM.

        Each factor learns from all rows that have its target, then, and a little less from a row
        in which one of the causes was drawn. Without holes the model is returned as it is.

        Parameters
        ----------
        rounds : int, default=3
            How often the holes are drawn and all factors fitted anew.
        random_state : int, Generator, RandomState, SeedSequence or None, optional
            The seed of the draws.
        labels : collection of str, optional
            Variables that most rows lack, as unlabelled rows do the target. If another variable
            depends on one, its own factor learns from drawn values too, and these count in full.
        draws : int, default=5
            How often the holes are drawn in the last round. Each draw has a fit of its own, and
            the densities of numbers are averaged over them; levels go by the last.

        Returns
        -------
        GraphModel
            The model; its table has no holes. New rows are made of the last draw alone.
        """
        check_integer("rounds", rounds, at_least=0)
        check_integer("draws", draws, at_least=1)
        if self.table.missing is None or rounds == 0:
            return self
        rng, model = as_generator(random_state), self
        for _ in range(rounds - 1):
            (model,) = self._fitted_anew(model, 1, labels, rng)
        *earlier, model = self._fitted_anew(model, draws, labels, rng)
        return replace(model, earlier=tuple(earlier))

    def _fitted_anew(
        self, last: "GraphModel", draws: int, labels: Collection[str], rng: np.random.Generator
    ) -> list["GraphModel"]:
        """Return fits to these rows, one for each time that the last fit draws their holes."""
        own = factorize(self.graph, self.order)
        wished = self.wishes or (None,) * len(own)
        first = [
            fit.parts[0].fitted if wish and fit.parts else fit
            for fit, wish in zip(self.fitted, wished, strict=True)
        ]
        # Factors that every row has all cells of have nothing more to learn.
        numbers = [number for number, each in enumerate(own) if has_gaps(self.table, each)]
        open_factors = [own[number] for number in numbers]
        labels = {name for name in labels if any(name in factor.pillow for factor in own)}
        table, models, wishes = self.table, list["GraphModel"](), None
        assert table.missing is not None
        for frame in each_copy(last.complete(table.source, draws, rng), draws):
            filled = table.filled(frame, code_rows(table, frame, list(self.graph.nodes)))
            fit: Fit = partial(
                fit_drawn, self.conditional, filled, missing=table.missing, labels=labels
            )
            drawn = _of_each_graph(fit, filled, self.graph, own)(open_factors)
            fits = dict(enumerate(first)) | dict(zip(numbers, drawn, strict=True))
            fitted = [fits[number] for number in range(len(fits))]
            # All draws have the same pillows, or their densities could not be averaged.
            wishes = wishes or find_wishes(Fitter(filled, fit), own, fitted, self.belief)
            models.append(
                replace(self, table=filled, **_trusting(Fitter(filled, fit), own, fitted, wishes))
            )
        return models

    def plan(self, expansion: Expansion | None = None, block_rows: int | None = None) -> BlockJob:
        """Return the job of an expansion, cut into blocks; its seed is 0 until it is set."""
        if block_rows is not None:
            check_integer("block_rows", block_rows, at_least=1)
        expansion = DEFAULT_EXPANSION if expansion is None else expansion
        check_strategies(self.conditional, expansion)
        n_blocks = count_blocks(expansion, self.table.n_rows, block_rows)
        # A budget as large as the tree is the tree; blocks would divide its paths between them.
        if n_blocks > 1 and block_rows is None and isinstance(expansion, BudgetExpansion):
            size = n_paths(self, merge_equal=expansion.merge_equal)
            n_blocks = n_blocks if size > BLOCK_ROWS else 1
        return BlockJob(self, expansion, n_blocks)


def fit_model(
    frame: Any,
    graph: Any,
    conditional: Conditional | Literal["auto"] | None = None,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, KindName] | None = None,
    limits: Mapping[str, Limits] | None = None,
    sample_weight: FloatArray | None = None,
    trust: Belief = "full",
) -> GraphModel:
    """Fit one conditional per factor of the graph to the rows of a table.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The observed rows. The columns of an array are named by the graph's nodes, in order.
        Cells may be missing (NaN, None, NA, NaT, null): a row serves every factor whose target
        and pillow it has. That is right where, for each factor, which of its cells are missing
        does not depend on its target, given its pillow.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph; its nodes are the columns. Bidirected edges stand for hidden
        common causes.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default ``KernelConditional()``. ``"auto"`` is
        ``AutoConditional()``: for each factor what makes left-out rows most likely.
    order : sequence of str, optional
        The topological order to follow; by default the one of the graph, ties broken by
        the order of its nodes. With bidirected edges the result depends on it.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default: floats, dates and integers with more than
        10 distinct values are continuous, other integers and ordered categories are ordered,
        booleans, categories and strings are nominal. ``"discrete"`` is another word for nominal.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in
        ``{"dose": (0, None)}``; None where there is no bound. By default a column that was never
        negative and comes within a standard deviation of 0 stays above it, and one of floats
        between 0 and 1 that comes as close to 1 stays below that.
    sample_weight : array of shape (n,), optional
        How much each observed row counts, positive: a row of weight 2 lends its cells twice
        as often, and is the same as the row twice. Of weights that are not whole only the ratios
        matter.
    trust : {"full", "auto"}, float or mapping to float, default="full"
        How far the graph is believed, factor by factor. ``"full"``: as it stands. ``"auto"``: a
        factor is mixed with one that knows those few variables more, of those before it in the
        order, which make left-out rows likelier; `GraphModel.trust` says which. A number is your
        own belief, the weight of the graph's factors beside factors that know all variables
        before them: 1 is ``"full"``, 0 believes the order alone. A dict has such numbers by
        variable, ``"b"``, or by edge, ``("a", "b")`` or ``"a -> b"``; of others the data decide.
        A factor is believed as far as the weakest edge of its pillow that has a number, here or as
        a belief in the graph, ``"a -> b [0.7]"``; one without edges as far as all edges are on
        average, if all have one. Edges without a number count as certain beside such ones.

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
    conditional = resolve_conditional(conditional)
    table = Table.from_frame(
        frame,
        names=graph.nodes,
        kinds=kinds,
        limits=limits,
        row_weights=sample_weight,
        holes=True,
    )
    if set(graph.nodes) != set(table.columns):
        raise different_variables(graph.nodes, table.columns)
    table.check_magnitudes()
    check_belief(trust)
    return fit_table(table, graph, conditional, order, trust)


def resolve_conditional(conditional: Any, default: Conditional | None = None) -> Conditional:
    """Return the conditional that is meant: ``"auto"`` by name, None by default."""
    if isinstance(conditional, str) and conditional == "auto":
        return AutoConditional()
    if conditional is None:
        return DEFAULT_CONDITIONAL if default is None else default
    check_strategies(conditional)
    resolved: Conditional = conditional
    return resolved


def fit_table(
    table: Table,
    graph: ADMG,
    conditional: Conditional,
    order: Sequence[str] | None = None,
    trust: Belief = "full",
    *,
    to_refine: bool = False,
) -> GraphModel:
    """Return the model of rows that were checked before.

    A factor learns from the rows that have all its cells. With `to_refine` the model is the first
    of several, and a factor that no row can serve, or hardly one, begins with rows whose holes
    are filled by the nearest rows; how far the graph is to be trusted is asked when they are drawn.
    """
    factors = factorize(graph, order)
    trust = belief_by_variable(trust, graph, [factor.target for factor in factors])
    with _one_thread_unless(isinstance(conditional, KernelConditional) and trust == "full"):
        if table.missing is not None and to_refine:
            fit = _of_each_graph(partial(fit_first, conditional, table), table, graph, factors)
            first = tuple(fit(factors))
            return GraphModel(graph, table, factors, conditional, first, belief=trust)
        fit = (
            partial(conditional.fit, table)
            if table.missing is None
            else partial(fit_factors, conditional, table)
        )
        source = Fitter(table, fit)
        fitted = tuple(_of_each_graph(fit, table, graph, factors)(factors))
        wishes = find_wishes(source, factors, fitted, trust)
        found = _trusting(source, factors, fitted, wishes)
    return GraphModel(graph, table, conditional=conditional, belief=trust, **found)


def _of_each_graph(fit: Fit, table: Table, graph: ADMG, factors: Sequence[Factor]) -> Fit:
    """Return how factors are fitted: where there are several graphs, to the pillows of each."""
    if not isinstance(graph, SeveralGraphs):
        return fit
    found = graph.weighted_pillows([factor.target for factor in factors])
    return partial(fit_several, fit, table, dict(zip(factors, found, strict=True)))


def _trusting(
    source: Fitter,
    factors: Sequence[Factor],
    fitted: Sequence[FittedConditional],
    wishes: Sequence[Wish | None],
) -> dict[str, Any]:
    """Return the factors of a model, their fits and their wishes, given those of its graph."""
    pairs = zip(factors, wishes, strict=True)
    return {
        "product": tuple(factor if wish is None else wish.factor for factor, wish in pairs),
        "fitted": tuple(mixtures(source, factors, fitted, wishes)),
        "wishes": tuple(wishes),
    }


def _one_thread_unless(is_plain: bool) -> AbstractContextManager[Any]:
    """Return a context of one thread for linear algebra, unless there is none to be done."""
    return nullcontext() if is_plain else one_blas_thread()


def _is_small(expansion: Expansion, n_rows: int) -> bool:
    """Say whether an expansion makes fewer rows than it allows, whatever the tree."""
    allowed = getattr(expansion, "max_rows", 0)
    return isinstance(expansion, BlockwiseExpansion) and expansion.most_rows(n_rows) < allowed


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
    kinds: Mapping[str, KindName] | None = None,
    random_state: RandomState = None,
    *,
    limits: Mapping[str, Limits] | None = None,
    sample_weight: FloatArray | None = None,
    trust: Belief = "full",
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
        Cells may be missing (NaN, None, NA, NaT, null), as in `fit_model`; new rows have no hole.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
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
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default: floats, dates and integers with more than
        10 distinct values are continuous, other integers and ordered categories are ordered,
        booleans, categories and strings are nominal. ``"discrete"`` is another word for nominal.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of what is random in the expansion. One seed gives one result.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in
        ``{"dose": (0, None)}``; None where there is no bound. By default a column that was never
        negative and comes within a standard deviation of 0 stays above it, and one of floats
        between 0 and 1 that comes as close to 1 stays below that.
    sample_weight : array of shape (n,), optional
        How much each observed row counts, positive: a row of weight 2 lends its cells twice
        as often, and is the same as the row twice. Of weights that are not whole only the ratios
        matter.
    trust : {"full", "auto"}, float or mapping to float, default="full"
        How far the graph is believed, factor by factor, as in `fit_model`.
    engine : None, "threads" or dask.distributed.Client, optional
        Where blocks of rows are made: one after the other, on a thread per core, or on the
        workers of a cluster. The result is the same. A job of one block is done here.
    block_rows : int, optional
        Cut the job into blocks of about so many rows, each with a seed of its own; by default
        262,144, and a `PrunedExpansion`, whose number of rows is not known beforehand, is not
        cut. The result depends on it. A job of one block is the expansion itself.

    Warns
    -----
    CausalAugWarning
        If more than 1% of the mass was dropped. With the defaults none is.

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
    model = fit_model(frame, graph, conditional, order, kinds, limits, sample_weight, trust)
    result = model.make_rows(expansion, random_state, engine, block_rows)
    model._warn_if_lost(result, expansion)
    return result
