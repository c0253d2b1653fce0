"""What `augment` asks of an expansion."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from causalaug.conditionals import Conditional
from causalaug.expansion._paths import Paths
from causalaug.factorization import Factor
from causalaug.table import Table


class Expansion(Protocol):
    """A policy for growing the probability tree."""

    def expand(
        self,
        table: Table,
        factors: Sequence[Factor],
        conditional: Conditional,
        rng: np.random.Generator,
    ) -> Paths:
        """Return weighted paths through the tree of the factors, fitted to the table."""
