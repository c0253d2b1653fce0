"""What the page of a report shows: all that its sections ask of an evaluation.

An `Evaluation` writes its own page, so that the sections cannot import it. They know this protocol
instead.
"""

from collections.abc import Mapping
from typing import Protocol

from causalaug.diagnostics import GraphCheck
from causalaug.evaluation import Comparison
from causalaug.graphs import ADMG
from causalaug.report._summary import AugmentationSummary


class Contents(Protocol):
    """The parts of an evaluation, and what follows from them."""

    @property
    def comparison(self) -> Comparison:
        """Losses on held-out rows."""

    @property
    def check(self) -> GraphCheck:
        """The independences of the graph, tested on the data."""

    @property
    def augmentation(self) -> AugmentationSummary:
        """The new rows of the whole table."""

    @property
    def graph(self) -> ADMG:
        """The graph."""

    @property
    def settings(self) -> Mapping[str, str]:
        """What was chosen, and how."""

    @property
    def seed(self) -> int:
        """The seed that gives the same result again."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Those of Python and of the packages that took part."""

    @property
    def source(self) -> str:
        """How the result was made."""

    @property
    def target(self) -> str:
        """What was predicted."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in words."""

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the weight that the gate gave to new rows, in each fold."""
