"""What the data want beside a graph, in a table and in plain words.

A test says whether an independence is contradicted. Trust says what it would be worth to give it
up: by how much rows become likelier that a factor has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from causalaug.conditionals import AutoConditional, Wish
from causalaug.exceptions import CausalAugError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG
from causalaug.model import GraphModel, fit_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.table import Table

COLUMNS = ("variable", "pillow", "trust", "wanted", "gain")


@dataclass(frozen=True, eq=False)
class Trust:
    """How far left-out rows let each factor of a graph be believed; fitted when it is looked at.

    Parameters
    ----------
    table : Table
        The observed rows.
    graph : ADMG
        The graph; beliefs that somebody stated do not count, only the rows do.
    order : sequence of str, optional
        The topological order to follow.
    """

    table: Table
    graph: ADMG
    order: Sequence[str] | None = None

    @cached_property
    def _fitted(self) -> tuple[GraphModel | None, str]:
        """The model, or None and why there is none."""
        graph = ADMG(self.graph.nodes, self.graph.directed, self.graph.bidirected)
        try:
            return fit_table(self.table, graph, AutoConditional(), self.order, "auto"), ""
        except CausalAugError as error:
            # A check must answer where nothing can be fitted, such as where no row is complete.
            return None, str(error)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per variable, as `GraphModel.trust` has it; none if nothing could be fitted."""
        model, _ = self._fitted
        return pd.DataFrame(columns=list(COLUMNS)) if model is None else model.trust

    def in_words(self) -> list[str]:
        """Return what is wanted, the clearest first, or why that cannot be told."""
        model, problem = self._fitted
        if model is None:
            return [f"What the data want beside the graph cannot be told: {problem}"]
        return trust_in_words(model)


def trust_in_words(model: GraphModel) -> list[str]:
    """Return a sentence for each factor beside which the data want something, the clearest first.

    The model is one that was fitted with ``trust="auto"``; what somebody stated is no finding.
    """
    own = factorize(model.graph, model.order)
    parts = zip(own, model.wishes, model.trust["trust"], strict=True)
    wanted = [(factor, wish, share) for factor, wish, share in parts if wish and wish.gain > 0.0]
    return [_in_words(*each) for each in sorted(wanted, key=lambda each: -each[1].gain)]


def _in_words(factor: Factor, wish: Wish, share: float) -> str:
    """Return in words what the data want beside the pillow of a variable."""
    name, names = factor.target, wish.wanted
    edges = " and ".join(f"{each} -> {name}" for each in names)
    given = f" given {', '.join(factor.pillow)}" if factor.pillow else ", without causes"
    return (
        f"{name}{given}: the data also want {' and '.join(names)}, as if {edges} were missing. "
        f"Left-out rows are likelier by {wish.gain:.1f} (a logarithm, over all rows) with "
        f"{'it' if len(names) == 1 else 'them'}; the graph's own factor keeps a weight of "
        f"{share:.2f}."
    )
