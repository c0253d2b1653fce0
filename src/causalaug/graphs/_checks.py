"""Rules that a graph keeps: who may be a node, what may be an edge, no directed cycle."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Any, TypeGuard

from causalaug.exceptions import CyclicGraphError, GraphError
from causalaug.graphs._shorten import arrows, listed, plain, quoted, shown, slips

Edge = tuple[str, str]

MOST_EDGES = 1_000_000
"""Groups are a short way to write many edges: 5 kB of text may stand for ten million, which take
a gigabyte and half a minute. A graph that somebody drew has far fewer than this."""


def can_be_listed(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a value has parts; an array without dimensions only looks as if it had."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def check_nodes(nodes: Iterable[str], subject: str = "The nodes") -> tuple[str, ...]:
    """Return the node names as a tuple, or raise if one cannot be a node."""
    names = check_ordered(nodes, subject)
    for name in names:
        _check_name(name)
    if not names:
        raise GraphError("A graph must have at least one node. Found none. Name the variables.")
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise GraphError(
            f"Node names must be unique. Found more than once: {listed(repeated)}. Rename."
        )
    return tuple(map(str, names))


def check_ordered(
    values: Iterable[Any],
    subject: str,
    what: str = "an ordered collection of names, such as a list",
) -> tuple[Any, ...]:
    """Return the values as a tuple, or raise unless they have an order of their own.

    The order of a set changes with the hash seed, and the order of nodes breaks ties and
    names the columns of arrays: a set would mean another graph in every run.
    """
    advice = "Write [...] around the names."
    if isinstance(values, Set):
        advice = "A set has no order, and results depend on it: write a list, or sorted(...)."
    elif not isinstance(values, str):
        try:
            return tuple(values)
        except TypeError:
            advice = "Write a list of names."
    raise GraphError(
        f"{subject} must be {what}. Found {shown(values)}, a {type(values).__name__}. {advice}"
    )


def _check_name(name: object) -> None:
    """Raise unless this can be the name of a node."""
    if not isinstance(name, str) or not name:
        raise GraphError(
            "Node names must be non-empty strings. "
            f"Found {shown(name)}, of type {type(name).__name__}. Convert or rename it."
        )
    if name.isascii():
        return
    try:
        name.encode()
    except UnicodeEncodeError:
        raise GraphError(
            "Node names must be text that a file can hold. "
            f"Found {shown(name)}, with half of a surrogate pair. Rename it."
        ) from None


def check_edges(edges: Iterable[Edge], nodes: Collection[str], arrow: str) -> tuple[Edge, ...]:
    """Return the edges as pairs of names, or raise if one does not join two known nodes."""
    if not can_be_listed(edges):
        raise GraphError(
            f"Edges must be a collection of pairs. Found {shown(edges)}, of type "
            f"{type(edges).__name__}. Write [('A', 'B')]."
        )
    return tuple(_checked_edge(edge, nodes, arrow) for edge in edges)


def _checked_edge(edge: Iterable[Any], nodes: Collection[str], arrow: str) -> Edge:
    """Return one edge as a pair of known, different names."""
    # A set of two is a pair without a direction: fine for <->, a coin toss for ->.
    is_pair = can_be_listed(edge) and not isinstance(edge, str)
    if is_pair and not (arrow == "->" and isinstance(edge, Set)):
        pair = tuple(edge)
        if len(pair) == 2 and all(isinstance(end, str) for end in pair):
            a, b = pair
            if a not in nodes or b not in nodes:
                check_known(pair, nodes, f"The edge {plain(a)} {arrow} {plain(b)}")
            if a == b:
                raise GraphError(
                    f"An edge must join two different nodes. Found {plain(a)} {arrow} {plain(b)}. "
                    "Remove this self-loop."
                )
            return str(a), str(b)
    raise GraphError(
        f"An edge must be a pair of node names. Found {shown(edge)}. Write ('A', 'B')."
    )


def check_known(names: Iterable[Any], nodes: Collection[str], subject: str) -> None:
    """Raise unless all `names` are nodes; `subject` opens the message."""
    known = nodes if isinstance(nodes, Set | Mapping) else frozenset(nodes)
    unknown = [name for name in names if not isinstance(name, str) or name not in known]
    if not unknown:
        return
    raise GraphError(
        f"{subject} must name nodes of the graph. Not a node: {quoted(unknown)}. "
        f"{slips(unknown, nodes)}The nodes are {listed(nodes)}."
    )


def check_acyclic(parents: Mapping[str, Sequence[str]], stuck: Sequence[str]) -> None:
    """Raise if some nodes are `stuck`: each of them has a parent that is stuck too."""
    if not stuck:
        return
    place = {node: i for i, node in enumerate(stuck)}
    # Walk from effect to cause among the stuck nodes until one comes up again.
    walk, step_of = [stuck[0]], dict[str, int]()
    while walk[-1] not in step_of:
        step_of[walk[-1]] = len(step_of)
        walk.append(next(parent for parent in parents[walk[-1]] if parent in place))
    cycle = walk[step_of[walk[-1]] :][::-1]
    first = min(range(len(cycle) - 1), key=lambda i: place[cycle[i]])
    cycle = [*cycle[first:-1], *cycle[: first + 1]]
    hint = f"bidirected=[({cycle[0]!r}, {cycle[1]!r})]" if len(cycle) == 3 else "bidirected=[...]"
    raise CyclicGraphError(
        f"The directed edges must not form a cycle. Found {arrows(cycle)}. "
        f"Remove an edge of it; a hidden common cause is written {hint}."
    )


def check_order(
    order: Iterable[str], nodes: Sequence[str], directed: Iterable[Edge], fitting: Sequence[str]
) -> tuple[str, ...]:
    """Return `order` as a tuple, or raise unless it is topological; `fitting` is one that is."""
    names = check_ordered(order, "An order", "a sequence of node names")
    strings = [name for name in names if isinstance(name, str)]
    count = Counter(strings)
    if len(strings) < len(names) or count != Counter(nodes):
        known = frozenset(nodes)
        foreign = [v for v in names if not isinstance(v, str) or v not in known]
        raise GraphError(
            "An order must name every node of the graph exactly once. "
            f"Missing: {listed(v for v in nodes if v not in count)}. "
            f"Not a node: {listed(foreign)}. "
            f"Repeated: {listed(v for v in nodes if count[v] > 1)}."
        )
    place = {name: i for i, name in enumerate(strings)}
    for cause, effect in directed:
        if place[cause] > place[effect]:
            raise GraphError(
                "An order must put causes before effects. Found "
                f"{shown(effect)} before {shown(cause)}, against the edge {plain(cause)} -> "
                f"{plain(effect)}. One that fits: {listed(fitting)}."
            )
    return tuple(map(str, strings))
