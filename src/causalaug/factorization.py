"""From a graph to an ordered product of conditionals: Eq. (1) of the paper.

A variable depends on its Markov pillow alone, given all variables before it. Below this module
nobody knows graphs, only which columns each column is conditioned on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from causalaug.graphs._admg import as_graph, order_of, pillows

__all__ = ["Factor", "factorize"]


@dataclass(frozen=True)
class Factor:
    """One conditional of the product: how `target` depends on `pillow`.

    Parameters
    ----------
    target : str
        The variable.
    pillow : tuple of str
        The variables that it is conditioned on, in the order of the factorization.
        ``mp(j)`` in the paper.
    """

    target: str
    pillow: tuple[str, ...]

    def __str__(self) -> str:
        """Return the conditional as it is written in a formula."""
        return (
            f"p({self.target} | {', '.join(self.pillow)})" if self.pillow else f"p({self.target})"
        )


def factorize(graph: Any, order: Sequence[str] | None = None) -> tuple[Factor, ...]:
    """Return the factors of the joint distribution that the graph allows.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    order : sequence of str, optional
        A topological order of the graph; by default `graph.topological_order()`.

    Returns
    -------
    tuple of Factor
        One per variable, in that order: ``p(z) = prod_j p(z_j | z_mp(j))``, Eq. (1).

    Examples
    --------
    The order matters when hidden common causes are assumed:

    >>> from causalaug import ADMG
    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")])
    >>> print(*factorize(graph))
    p(A) p(B | A) p(C | A, B)
    >>> print(*factorize(graph, order=["C", "A", "B"]))
    p(C) p(A) p(B | C, A)
    """
    graph = as_graph(graph)
    names = order_of(graph, order)
    # Eq. (1): one conditional per variable, given its pillow, along a topological order.
    return tuple(map(Factor, names, pillows(graph, names)))
