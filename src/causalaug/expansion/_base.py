"""What a fitted model and an expansion ask of each other, and the paths that come of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from causalaug.conditionals import FittedConditional
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

LOST_TO_ROUNDING = 1e-12
"""Mass that may be missing from a sum of very many weights although nothing was dropped."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Weighted paths through the probability tree.

    Parameters
    ----------
    rows : int array of shape (n_paths, n_columns)
        The row number that each cell comes from, in the column order of the table.
    log_weights : float array of shape (n_paths,)
        Logarithms of the weights, ``w_i`` in Eq. (3).
    shifted : mapping of int to float array of shape (n_paths,)
        For the columns whose values were shifted on their way: the values. The cells of all
        others are copies.
    """

    rows: IntArray
    log_weights: FloatArray
    shifted: Mapping[int, FloatArray] = field(default_factory=dict)

    @cached_property
    def weights(self) -> FloatArray:
        """The weights."""
        return np.exp(self.log_weights)

    @cached_property
    def dropped_mass(self) -> float:
        """What is missing from one.

        It is the mass of the paths that were pruned, or that ended where a conditional
        vanishes on all rows.
        """
        missing = 1.0 - float(self.weights.sum())
        return missing if missing > LOST_TO_ROUNDING else 0.0

    def at(self, positions: IntArray | slice) -> "Paths":
        """Return some of the paths."""
        shifted = {column: values[positions] for column, values in self.shifted.items()}
        return Paths(np.asfortranarray(self.rows[positions]), self.log_weights[positions], shifted)

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.log_weights)


def join_paths(parts: Sequence[Paths]) -> Paths:
    """Return the paths of several blocks, one after the other.

    >>> one = Paths(np.array([[0, 1]]), np.log([0.5]))
    >>> other = Paths(np.array([[1, 1], [1, 0]]), np.log([0.25, 0.25]))
    >>> join_paths([one, other]).rows.tolist()
    [[0, 1], [1, 1], [1, 0]]
    """
    if len(parts) == 1:
        return parts[0]
    shifted = {
        column: np.concatenate([part.shifted[column] for part in parts])
        for column in parts[0].shifted
    }
    rows = np.concatenate([part.rows.T for part in parts], axis=1).T
    return Paths(rows, np.concatenate([part.log_weights for part in parts]), shifted)


class FittedModel(Protocol):
    """What an expansion needs to know of a fitted model: rows, factors, one conditional each."""

    @property
    def table(self) -> Table:
        """The observed rows."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors, in topological order."""

    @property
    def fitted(self) -> tuple[FittedConditional, ...]:
        """The fitted conditional of each factor."""


class Expansion(Protocol):
    """A policy for growing the probability tree."""

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return weighted paths through the tree of the model."""


@runtime_checkable
class SizedExpansion(Protocol):
    """A policy that says beforehand how large its job may become: too large a one is refused.

    The choice is the policy's own: without these two it is asked to `expand` whatever the table.
    An attribute `seconds_per_cell`, if there is one, lets the refusal name the time.
    """

    @property
    def max_rows(self) -> int:
        """The number of rows that may be made at once."""

    def most_rows(self, n_rows: int) -> int:
        """Return a bound on the number of paths, given that of the observed rows."""


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
        """Lay the tree out and cut it; one block is the whole."""
