"""Rules that a graph keeps: who may be a node, what may be an edge, no directed cycle."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from causalaug._validation import typing_slips
from causalaug.exceptions import CyclicGraphError, GraphError

Edge = tuple[str, str]


def check_nodes(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return the node names as a tuple, or raise if one cannot be a node."""
    if isinstance(nodes, str | Set):
        raise GraphError(
            "The nodes must be an ordered collection of names, such as a list. "
            f"Found {nodes!r}, a {type(nodes).__name__}. Write [...] around the names."
        )
    names = tuple(nodes)
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise GraphError(
            "Node names must be non-empty strings. "
            f"Found {wrong[0]!r}, of type {type(wrong[0]).__name__}. Convert or rename it."
        )
    if not names:
        raise GraphError("A graph must have at least one node. Found none. Name the variables.")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise GraphError(f"Node names must be unique. Found more than once: {repeated}. Rename.")
    return tuple(map(str, names))


def check_edges(edges: Iterable[Edge], nodes: Collection[str], arrow: str) -> tuple[Edge, ...]:
    """Return the edges as pairs of names, or raise if one does not join two known nodes."""
    checked = []
    for edge in edges:
        pair = () if isinstance(edge, str) else tuple(edge)
        if len(pair) != 2 or not all(isinstance(end, str) for end in pair):
            raise GraphError(
                f"An edge must be a pair of node names. Found {edge!r}. Write ('A', 'B')."
            )
        check_known(pair, nodes, f"The edge {pair[0]} {arrow} {pair[1]}")
        if pair[0] == pair[1]:
            raise GraphError(
                f"An edge must join two different nodes. Found {pair[0]} {arrow} {pair[1]}. "
                "Remove this self-loop."
            )
        checked.append((str(pair[0]), str(pair[1])))
    return tuple(checked)


def check_known(names: Iterable[str], nodes: Collection[str], subject: str) -> None:
    """Raise unless all `names` are nodes; `subject` opens the message."""
    unknown = [name for name in names if name not in nodes]
    if not unknown:
        return
    slips = typing_slips([name for name in unknown if isinstance(name, str)], nodes)
    raise GraphError(
        f"{subject} must name nodes of the graph. Not a node: "
        f"{', '.join(map(repr, unknown))}. {slips}The nodes are {list(nodes)}."
    )


def check_acyclic(parents: Mapping[str, Sequence[str]], stuck: Sequence[str]) -> None:
    """Raise if some nodes are `stuck`: each of them has a parent that is stuck too."""
    if not stuck:
        return
    walk = [stuck[0]]
    while walk.count(walk[-1]) == 1:
        walk.append(next(parent for parent in parents[walk[-1]] if parent in stuck))
    cycle = walk[walk.index(walk[-1]) :][::-1]
    first = min(range(len(cycle) - 1), key=lambda i: stuck.index(cycle[i]))
    cycle = [*cycle[first:-1], *cycle[: first + 1]]
    hint = f"bidirected=[({cycle[0]!r}, {cycle[1]!r})]" if len(cycle) == 3 else "bidirected=[...]"
    raise CyclicGraphError(
        f"The directed edges must not form a cycle. Found {' -> '.join(cycle)}. "
        f"Remove an edge of it; a hidden common cause is written {hint}."
    )
