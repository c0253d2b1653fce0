"""One expansion of one model, cut into blocks that can be grown anywhere."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from causalaug._random import block_generator
from causalaug._workers import Engine, map_blocks
from causalaug.expansion import (
    Blocks,
    BlockwiseExpansion,
    Expansion,
    Paths,
    PrunedExpansion,
    join_paths,
)
from causalaug.model._fitted import FittedFactors


@dataclass(frozen=True, eq=False)
class BlockJob:
    """What a worker has to know to grow any block of an expansion.

    The number of blocks and the seed of each follow from the job alone, so that the result is
    the same wherever its blocks are grown, and in whatever order.
    """

    model: FittedFactors
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


def grow_blocks(job: BlockJob, engine: Engine) -> Paths:
    """Return the paths of all blocks, in their order."""
    parts, n_paths = [], 0
    for paths in map_blocks(BlockJob.grow, job, range(job.n_blocks), engine):
        parts.append(paths)
        n_paths += len(paths)
        if isinstance(job.expansion, PrunedExpansion) and n_paths > job.expansion.max_rows:
            raise job.expansion.too_large(job.model.table.n_rows)
    return join_paths(parts)
