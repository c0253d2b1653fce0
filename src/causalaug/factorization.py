"""From a graph to an ordered product of conditionals; below this only columns matter."""

from collections.abc import Sequence
from dataclasses import dataclass

from causalaug.graphs import ADMG
from causalaug.graphs._queries import check_order, pillow_in

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


def factorize(graph: ADMG, order: Sequence[str] | None = None) -> tuple[Factor, ...]:
    """Return the factors of the joint distribution that the graph allows.

    Parameters
    ----------
    graph : ADMG
        The causal graph.
    order : sequence of str, optional
        A topological order of the graph; by default `graph.topological_order()`.

    Returns
    -------
    tuple of Factor
        One per variable, in that order: ``p(z) = prod_j p(z_j | z_mp(j))``.

    Examples
    --------
    The order matters when hidden common causes are assumed:

    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")])
    >>> print(*factorize(graph))
    p(A) p(B | A) p(C | A, B)
    >>> print(*factorize(graph, order=["C", "A", "B"]))
    p(C) p(A) p(B | C, A)
    """
    names = check_order(graph, order)
    return tuple(Factor(node, pillow_in(graph, node, names)) for node in names)
