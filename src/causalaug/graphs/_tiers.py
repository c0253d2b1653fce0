"""Knowing what comes before what, and nothing else: an order as a graph.

Every variable has those of all earlier tiers as causes, and any two of one tier share a hidden
cause. Then a variable depends on all before it, in whichever order a tier is walked, and no
independence is claimed. A directed edge within a tier would say more than the tier does, namely
which of the two comes first; no edge would say that they are independent.

Edges that cannot be are left out where that says something. What an effect cannot come by directly
may still come by another variable of its tier, since within a tier nothing is known. So a tier is
cut into *blocks*, which no allowed edge joins, and a cause has no edge to a block if it has none to
any of its variables.
"""

from collections.abc import Collection, Iterable, Sequence, Set
from itertools import combinations
from typing import Any

from causalaug.exceptions import GraphError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import MOST_EDGES, Edge, check_nodes, check_ordered


def tiers(groups: Iterable[Iterable[str]]) -> ADMG:
    """Return an order and nothing else, as a graph.

    It claims no independence. What it knows is which variables come first, so that each mechanism
    is modelled in its natural direction.

    Parameters
    ----------
    groups : iterable of iterables of str
        The tiers, the earliest first. A variable may depend on all of earlier tiers; within
        a tier nothing is assumed.

    Returns
    -------
    ADMG
        Directed edges from each tier to all later ones, bidirected ones within a tier: a variable
        depends on all before it, in whichever order those of its tier are taken.

    Examples
    --------
    >>> from causalaug import factorize
    >>> graph = tiers([["age", "sex"], ["smoking"], ["tar"]])
    >>> print(graph)
    ADMG of age, sex, smoking, tar: age -> smoking, age -> tar, sex -> smoking, sex -> tar, \
smoking -> tar, age <-> sex
    >>> print(*factorize(graph))
    p(age) p(sex | age) p(smoking | age, sex) p(tar | age, sex, smoking)

    The same as text, which every argument `graph` takes:

    >>> from causalaug import read_graph
    >>> read_graph("age, sex < smoking < tar") == graph
    True
    """
    found = check_ordered(groups, "Tiers", "a list of groups of names")
    return order_graph([check_ordered(group, "A tier") for group in found])


def order_graph(
    groups: Sequence[Sequence[Any]],
    forbidden: Set[Edge] = frozenset(),
    required: Collection[Edge] = (),
) -> ADMG:
    """Return the graph of an order, less forbidden edges, with required ones within tiers.

    The edges that are required fit the order.
    """
    nodes = check_nodes([name for group in groups for name in group], "The names in tiers")
    empty = [number for number, group in enumerate(groups, 1) if not group]
    if empty:
        raise GraphError(
            f"A tier must hold a name. Found none in tier {empty[0]} of {len(groups)}. Leave it "
            "out, or name a variable."
        )
    n_pairs = len(nodes) * (len(nodes) - 1) // 2
    if n_pairs > MOST_EDGES:
        raise GraphError(
            f"An order must join at most {MOST_EDGES:,} pairs of variables. Found {n_pairs:,}. "
            "Leave out variables that are of no interest."
        )
    directed: list[Edge] = list(required)
    bidirected: list[Edge] = []
    earlier: list[str] = []
    for group in groups:
        for block in _blocks(group, forbidden):
            directed += (
                (cause, effect)
                for cause in earlier
                if any((cause, name) not in forbidden for name in block)
                for effect in block
            )
            bidirected += combinations(block, 2)
        earlier += group
    return ADMG(nodes, directed, bidirected)


def _blocks(group: Sequence[str], forbidden: Set[Edge]) -> list[list[str]]:
    """Return the variables of a tier, those together that a chain of allowed edges joins."""
    blocks: list[list[str]] = []
    for name in group:
        near = [
            block
            for block in blocks
            if any(not {(name, other), (other, name)} <= forbidden for other in block)
        ]
        joined = [*(other for block in near for other in block), name]
        blocks = [block for block in blocks if block not in near] + [joined]
    return blocks
