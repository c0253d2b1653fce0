"""Endless rows in small batches: each batch is a fresh, unbiased picture of the whole tree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from causalaug._random import RandomState, as_seed
from causalaug._validation import check_integer
from causalaug.conditionals import Conditional
from causalaug.engine._dataset import Batch
from causalaug.exceptions import ParameterError
from causalaug.expansion import Blocks, BlockwiseExpansion, Expansion, SampledExpansion
from causalaug.model import BlockJob, check_strategies, fit_model
from causalaug.table import KindName, Limits
from causalaug.typing import FloatArray


@dataclass(frozen=True, eq=False)
class BatchStream:
    """Weighted batches, drawn anew in each epoch. Make one with `stream_batches`.

    Batch `b` of epoch `e` is the same whenever it is asked for.
    """

    job: BlockJob
    batch_rows: int
    n_batches: int
    epochs: int | None

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of all epochs."""
        for number in count() if self.epochs is None else range(self.epochs):
            yield from self.epoch(number)

    def epoch(self, *number: int) -> Iterator[Batch]:
        """Yield the batches of one epoch; any integers tell it from others."""
        return (self.batch(*number, batch) for batch in range(self.n_batches))

    def batch(self, *number: int) -> Batch:
        """Return one batch: its rows as a frame, and their weights."""
        rng = np.random.default_rng(np.random.SeedSequence(self.job.seed, spawn_key=number))
        paths = self._blocks.grow(0, rng)
        paths = paths.at(rng.permutation(len(paths)))
        return self.job.model.table.take(paths.rows, paths.shifted), paths.weights * self.batch_rows

    def __getstate__(self) -> dict[str, Any]:
        """Return what tells it from other streams; what is fitted is fitted again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def n_rows(self) -> int:
        """The rows of an epoch, unless some are dropped."""
        return self.n_batches * self.batch_rows

    @property
    def n_observed(self) -> int:
        """The number of observed rows that they are made from."""
        return self.job.model.table.n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the batches."""
        return self.job.model.table.columns

    @cached_property
    def _blocks(self) -> Blocks:
        job, expansion = self.job, self.job.expansion
        assert isinstance(expansion, BlockwiseExpansion)
        return expansion.in_blocks(job.model, 1)


def stream_batches(
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
    batch_rows: int = 1024,
    epochs: int | None = 1,
) -> BatchStream:
    """Make new, weighted rows as `augment` does, a batch at a time, and others in each epoch.

    Every batch stands for the whole tree: the expected weight of a row in it is that of the
    row in the tree, so that a step along the gradient of a batch is one along the gradient of
    everything, on average. Nothing is kept but the batch.

    Parameters
    ----------
    frame, graph, conditional, order, kinds, limits, sample_weight
        As for `augment`.
    expansion : SampledExpansion or BudgetExpansion, optional
        How the rows of a batch are found; by default ``SampledExpansion()``. Its number of
        rows is that of an epoch, rounded up to whole batches.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of all epochs.
    batch_rows : int, default=1024
        The rows of a batch. With a `BudgetExpansion` there are fewer if the tree is smaller.
    epochs : int or None, default=1
        How often to go on; None never ends.

    Returns
    -------
    BatchStream
        Iterate over it for ``(rows, weights)``, rows as a frame like the input. The weights of
        a batch add up to `batch_rows`, less the mass that is dropped.

    Examples
    --------
    >>> import pandas as pd
    >>> from causalaug import ADMG
    >>> from causalaug.engine import stream_batches
    >>> days = pd.DataFrame({"sun": [True, True, False, False], "ice": [9.0, 7.0, 2.0, 4.0]})
    >>> graph = ADMG(["sun", "ice"], [("sun", "ice")])
    >>> stream = stream_batches(days, graph, random_state=0, batch_rows=8, epochs=2)
    >>> [(len(rows), weights.sum().round(6).item()) for rows, weights in stream]
    [(8, 8.0), (8, 8.0), (8, 8.0), (8, 8.0), (8, 8.0), (8, 8.0)]
    """
    check_integer("batch_rows", batch_rows, at_least=1)
    if epochs is not None:
        check_integer("epochs", epochs, at_least=1)
    expansion = SampledExpansion() if expansion is None else expansion
    model = fit_model(frame, graph, conditional, order, kinds, limits, sample_weight)
    check_strategies(model.conditional, expansion)
    _check_draws(expansion)
    n_batches = -(-expansion.most_rows(model.table.n_rows) // batch_rows)  # type: ignore[attr-defined]
    per_batch = replace(expansion, rows=batch_rows)  # type: ignore[type-var]
    job = BlockJob(model, per_batch, n_blocks=1, seed=as_seed(random_state))
    return BatchStream(job, batch_rows, n_batches, epochs)


def _check_draws(expansion: Expansion) -> None:
    """Raise unless the expansion makes as many rows as it is told, other ones each time."""
    has_rows = is_dataclass(expansion) and "rows" in {each.name for each in fields(expansion)}
    if not (has_rows and isinstance(expansion, BlockwiseExpansion)):
        raise ParameterError(
            "`expansion` must draw a number of rows that can be chosen: SampledExpansion or "
            f"BudgetExpansion. Found {expansion!r}, which gives the same rows each time."
        )
