"""What a fitted model asks of an expansion."""

from typing import Protocol, runtime_checkable

import numpy as np

from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import FittedModel


class Expansion(Protocol):
    """A policy for growing the probability tree."""

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return weighted paths through the tree of the factors, fitted to the table."""


class Blocks(Protocol):
    """A tree that is laid out, to be grown block by block, in any order and anywhere."""

    def grow(self, block: int, rng: np.random.Generator) -> Paths:
        """Return the paths of one block; those of all blocks together stand for the tree."""


@runtime_checkable
class BlockwiseExpansion(Protocol):
    """A policy whose tree can be cut into blocks that know nothing of each other."""

    def most_rows(self, n_rows: int) -> int:
        """Return a bound on the number of paths, given that of the observed rows."""

    def in_blocks(self, model: FittedModel, n_blocks: int) -> Blocks:
        """Fit the tree and cut it; one block is the whole."""
