"""One expansion of one table, cut into blocks that can be grown anywhere.

The number of blocks and the seed of each follow from the job alone, so that the result is the
same wherever its blocks are grown, and in whatever order.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from causalaug._random import block_generator
from causalaug.expansion._base import Blocks, BlockwiseExpansion, Expansion
from causalaug.expansion._paths import Paths
from causalaug.expansion._pruned import PrunedExpansion
from causalaug.expansion._tree import FittedModel

BLOCK_ROWS = 1 << 18
"""Rows of a block, about, unless the caller says otherwise."""


@dataclass(frozen=True, eq=False)
class BlockJob:
    """What a worker has to know to grow any of the blocks."""

    model: FittedModel
    expansion: Expansion
    n_blocks: int
    seed: int = 0

    def with_seed(self, seed: int) -> "BlockJob":
        """Return the same job with another seed."""
        return replace(self, seed=seed)

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
