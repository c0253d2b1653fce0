"""Rules that a graph keeps: who may be a node, what may be an edge, no directed cycle.

An error stays readable however long the input was: what it found is shown by `brief`, `some` and
the functions at the end of this module.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Any, TypeGuard

from causalaug._validation import MOST_NAMED, brief, some, typing_slips
from causalaug.exceptions import CyclicGraphError, GraphError

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
        if not isinstance(name, str) or not name:
            raise GraphError(
                f"Node names must be non-empty strings. Found {brief(name)}, of type "
                f"{type(name).__name__}. Convert or rename it."
            )
        # No file can hold half of a surrogate pair.
        if not name.isascii() and name.encode(errors="ignore").decode() != name:
            raise GraphError(
                "Node names must be text that a file can hold. "
                f"Found {brief(name)}, with half of a surrogate pair. Rename it."
            )
    if not names:
        raise GraphError("A graph must have at least one node. Found none. Name the variables.")
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise GraphError(
            f"Node names must be unique. Found more than once: {some(repeated)}. Rename."
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
    if can_be_listed(values) and not isinstance(values, str | Set):
        return tuple(values)
    advice = "Write [...] around the names."
    if isinstance(values, Set):
        advice = "A set has no order, and results depend on it: write a list, or sorted(...)."
    raise GraphError(
        f"{subject} must be {what}. Found {brief(values)}, a {type(values).__name__}. {advice}"
    )


def check_edges(edges: Iterable[Edge], nodes: Collection[str], arrow: str) -> tuple[Edge, ...]:
    """Return the edges as pairs of names, or raise if one does not join two known nodes."""
    if not can_be_listed(edges):
        raise GraphError(
            f"Edges must be a collection of pairs. Found {brief(edges)}, of type "
            f"{type(edges).__name__}. Write [('A', 'B')]."
        )
    return tuple(_checked_edge(edge, nodes, arrow) for edge in edges)


def _checked_edge(edge: Iterable[Any], nodes: Collection[str], arrow: str) -> Edge:
    """Return one edge as a pair of known, different names."""
    # A set of two is a pair without a direction: fine for <->, a coin toss for ->.
    is_pair = can_be_listed(edge) and not isinstance(edge, str)
    pair = tuple(edge) if is_pair and not (arrow == "->" and isinstance(edge, Set)) else ()
    if len(pair) != 2 or not all(isinstance(end, str) for end in pair):
        raise GraphError(
            f"An edge must be a pair of node names. Found {brief(edge)}. Write ('A', 'B')."
        )
    a, b = pair
    if a not in nodes or b not in nodes:
        check_known(pair, nodes, f"The edge {plain(a)} {arrow} {plain(b)}")
    if a == b:
        raise GraphError(
            f"An edge must join two different nodes. Found {plain(a)} {arrow} {plain(b)}. "
            "Remove this self-loop."
        )
    return str(a), str(b)


def check_known(names: Iterable[Any], nodes: Collection[str], subject: str) -> None:
    """Raise unless all `names` are nodes; `subject` opens the message."""
    known = nodes if isinstance(nodes, Set | Mapping) else frozenset(nodes)
    unknown = [name for name in names if not isinstance(name, str) or name not in known]
    if unknown:
        raise GraphError(
            f"{subject} must name nodes of the graph. Not a node: "
            f"{', '.join(map(brief, unknown[:MOST_NAMED]))}. {slips(unknown, nodes)}The nodes are "
            f"{some(nodes)}."
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
    cycle = walk[step_of[walk[-1]] + 1 :][::-1]
    first = min(range(len(cycle)), key=lambda i: place[cycle[i]])
    cycle = [*cycle[first:], *cycle[: first + 1]]
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
    known = frozenset(nodes)
    foreign = [name for name in names if not isinstance(name, str) or name not in known]
    count = Counter(name for name in names if isinstance(name, str))
    if foreign or count != Counter(nodes):
        raise GraphError(
            "An order must name every node of the graph exactly once. "
            f"Missing: {some([v for v in nodes if v not in count])}. Not a node: {some(foreign)}. "
            f"Repeated: {some([v for v in nodes if count[v] > 1])}."
        )
    place = {name: i for i, name in enumerate(names)}
    for cause, effect in directed:
        if place[cause] > place[effect]:
            raise GraphError(
                f"An order must put causes before effects. Found {brief(effect)} before "
                f"{brief(cause)}, against the edge {plain(cause)} -> {plain(effect)}. One that "
                f"fits: {some(fitting)}."
            )
    return tuple(map(str, names))


def plain(name: object) -> str:
    """Return a name as it stands beside an arrow: without quotes if it can be printed."""
    return name if isinstance(name, str) and name.isprintable() and len(name) < 61 else brief(name)


def group(names: Sequence[str]) -> str:
    """Return one name, or several in braces, as in arrow text.

    >>> group(["A"]), group(["A", "B"])
    ('A', '{A, B}')
    """
    if len(names) == 1:
        return plain(names[0])
    more = f", ... ({len(names):,} in all)" if len(names) > MOST_NAMED else ""
    return f"{{{', '.join(map(plain, names[:MOST_NAMED]))}{more}}}"


def arrows(nodes: Sequence[str]) -> str:
    """Return a directed path; of a long one only the first nodes and the last.

    >>> arrows(["A", "B", "A"])
    'A -> B -> A'
    """
    if len(nodes) > MOST_NAMED:
        left_out = f"... ({len(nodes) - MOST_NAMED:,} more)"
        return " -> ".join([*map(plain, nodes[: MOST_NAMED - 1]), left_out, plain(nodes[-1])])
    return " -> ".join(map(plain, nodes))


def slips(wrong: Sequence[object], right: Collection[str]) -> str:
    """Return a sentence that pairs wrong names with those they resemble, or ''."""
    few = [v for v in wrong[:MOST_NAMED] if isinstance(v, str) and len(v) <= 60]
    # Among more names, looking for similar ones takes longer than a reader waits.
    return typing_slips(few, right) if len(right) <= 1_000 else ""
