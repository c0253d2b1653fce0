"""The whole method as one function: a table and a graph in, weighted rows out."""

from collections.abc import Mapping, Sequence
from typing import Any

from causalaug._augmented_table import AugmentedTable
from causalaug._random import RandomState
from causalaug._workers import Engine
from causalaug.conditionals import Conditional
from causalaug.expansion import Expansion
from causalaug.graphs import ADMG
from causalaug.model import MOST_LOST, fit_model, warn_of_loss
from causalaug.table import KindName, Limits
from causalaug.typing import FloatArray

__all__ = ["AugmentedTable", "augment"]


def augment(
    frame: Any,
    graph: ADMG,
    conditional: Conditional | None = None,
    expansion: Expansion | None = None,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, KindName] | None = None,
    random_state: RandomState = None,
    *,
    limits: Mapping[str, Limits] | None = None,
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
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default: floats, dates and integers with more than
        10 distinct values are continuous, other integers and ordered categories are ordered,
        booleans, categories and strings are nominal. ``"discrete"`` is another word for nominal.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of what is random in the expansion. One seed gives one result.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in
        ``{"dose": (0, None)}``; None where there is no bound. By default a column that was never
        negative stays so, and one of floats between 0 and 1 stays there.
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
    0   36.8  False    1.0   0.333
    1   39.1   True    7.0   0.167
    2   39.1   True    9.0   0.167
    3   40.2   True    7.0   0.167
    4   40.2   True    9.0   0.167
    >>> round(result.novel_mass, 3), result.dropped_mass
    (0.333, 0.0)
    """
    model = fit_model(frame, graph, conditional, order, kinds, limits, sample_weight)
    result = model.expand(expansion, random_state, engine=engine, block_rows=block_rows)
    if result.dropped_mass > MOST_LOST:
        warn_of_loss(model, result)
    return result
