"""The protocols by name: the published one, ours, and what lies between them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol as Interface

from reproduction.blended import BlendedProtocol
from reproduction.boosting import BoostingGrid
from reproduction.honest import HonestProtocol
from reproduction.outcome import Outcome
from reproduction.published import PublishedProtocol
from reproduction.records import AUGMENTED, BASELINE
from reproduction.splits import Split


class Protocol(Interface):
    """A way to run both methods on a split."""

    def run_baseline(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn from the originals alone."""

    def run_augmented(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn with new rows."""


PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        "reference": PublishedProtocol(),
        "paper": PublishedProtocol(equal_rows="add"),
        "honest": HonestProtocol(),
        "blended": BlendedProtocol(),
        "reference, full weight": PublishedProtocol(total_weight="restored"),
        "reference, honest folds": PublishedProtocol(folds="originals"),
        "paper, no mass lost": PublishedProtocol(equal_rows="add", tree="lossless"),
        "half weight, no new rows": PublishedProtocol(tree="none"),
    }
)
"""Every protocol that a spec may name.

``"reference"`` is what the published code does, ``"paper"`` what its text says, ``"honest"`` one
learner whose share of new rows passes a gate, ``"blended"`` our defaults. The others change one
thing at a time, to show what drives the published effect.
"""

ABLATIONS = tuple(PROTOCOLS)[4:]
"""The protocols that take the published experiment apart."""

METHODS = (BASELINE, AUGMENTED)
"""Learning from the originals alone, and with new rows."""
