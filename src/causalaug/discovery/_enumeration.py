"""From a class of graphs to its members, one by one."""

from collections.abc import Iterator
from itertools import combinations

from causalaug._validation import check_integer
from causalaug.discovery._knowledge import Knowledge, check_knowledge
from causalaug.discovery._nearest import nearest_admg
from causalaug.discovery._pag import PAG
from causalaug.discovery._search import Search, allowed_arrows, as_admg, open_arrows
from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs import ADMG


def enumerate_admgs(
    pag: PAG, *, limit: int | None = 1000, knowledge: Knowledge | None = None
) -> Iterator[ADMG]:
    """Yield the graphs of an equivalence class, one by one.

    They imply the same independences, so that no test of independence can choose between them.
    What augmentation makes of them differs on few rows: see `augment_average`.

    Parameters
    ----------
    pag : PAG
        The class. A CPDAG yields the DAGs with its edges and its unshielded colliders. A PAG
        yields the maximal ancestral graphs with its marks that are Markov equivalent to it:
        at most one edge joins two nodes, and a directed edge does not rule out a hidden cause
        of both ends.
    limit : int or None, optional
        The largest number of graphs. If there are more, the graph after the last raises an
        error: the class is never cut short in silence. None is no limit. To see some graphs of
        a large class, use ``itertools.islice``.
    knowledge : Knowledge, optional
        Yield only the graphs that agree with it.

    Yields
    ------
    ADMG
        The graphs, always in the same order: first those with no bidirected edge beyond the
        ones that the class proves; among them, those whose edges run in the order of the nodes.

    Raises
    ------
    GraphError
        If no graph has these marks, or none of the class agrees with the knowledge.
    ParameterError
        If there are more than `limit`.

    Examples
    --------
    Three variables in a chain. A collider in the middle would show, so it is no member:

    >>> chain = PAG(["A", "B", "C"], [("A", "--", "B"), ("B", "--", "C")])
    >>> for graph in enumerate_admgs(chain):
    ...     print(graph)
    ADMG of A, B, C: A -> B, B -> C
    ADMG of A, B, C: B -> A, B -> C
    ADMG of A, B, C: B -> A, C -> B

    If variables may be hidden there are two more. That A comes first leaves two of the five:

    >>> open_ends = PAG(["A", "B", "C"], [("A", "o-o", "B"), ("B", "o-o", "C")])
    >>> len(list(enumerate_admgs(open_ends)))
    5
    >>> first = Knowledge(tiers=[["A"], ["B", "C"]])
    >>> for graph in enumerate_admgs(open_ends, knowledge=first):
    ...     print(graph)
    ADMG of A, B, C: A -> B, B -> C
    ADMG of A, B, C: B -> C, A <-> B
    """
    if not isinstance(pag, PAG):
        raise ParameterError(
            f"`pag` must be a PAG. Found {type(pag).__name__}. For a graph of causal-learn, use "
            "PAG.from_causallearn."
        )
    if limit is not None:
        check_integer("limit", limit, at_least=1)
    known = check_knowledge(knowledge)
    known.check_names(pag.nodes)
    return _limited(pag, limit, known)


def choose_admg(pag: PAG, knowledge: Knowledge) -> ADMG:
    """Return the first graph of the class, or the nearest one if marks contradict each other."""
    first = next(members_of(pag, knowledge), None)
    if first is None and Search.prepare(pag).connections() is None:
        first = nearest_admg(pag, knowledge)
    if first is None:
        raise GraphError(_why_none(pag, knowledge))
    return first


def _limited(pag: PAG, limit: int | None, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the members, and raise if there is none or one too many."""
    count = 0
    for count, graph in enumerate(members_of(pag, knowledge), start=1):
        if limit is not None and count > limit:
            raise ParameterError(
                f"The class must have no more graphs than `limit`. Found more than {limit}. Raise "
                "the limit, add knowledge, or take the first ones with "
                "`itertools.islice(enumerate_admgs(pag), n)`."
            )
        yield graph
    if not count:
        raise GraphError(_why_none(pag, knowledge))


def members_of(pag: PAG, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the graphs of the class that agree with the knowledge."""
    search = Search.prepare(pag)
    connections = search.connections()
    if connections is None:
        return
    informed = search.informed_by(pag, knowledge)
    for plain in (True, False):
        for leaf in informed.leaves(plain=plain):
            if pag.is_cpdag or leaf.connections() == connections:
                graph = as_admg(leaf, pag.nodes)
                if knowledge.allows(graph):
                    yield graph


def _why_none(pag: PAG, knowledge: Knowledge) -> str:
    """Return the message for a class without a member."""
    reasons = _contradictions(pag, knowledge)
    if not reasons and Search.prepare(pag).connections() is None:
        sort = "DAG" if pag.is_cpdag else "maximal ancestral graph"
        return (
            f"A class must have a member. Found that no {sort} has the edges, marks and "
            f"unshielded colliders of this one: {pag}. If it was found on data, the tests "
            "contradicted each other: try another `alpha`, or method='ges', or take the graph of "
            "`discover`, which settles such contradictions."
        )
    reasons = reasons or ["its statements contradict it together"]
    return (
        "Some graph of the class must agree with the knowledge. Found none: "
        f"{'; '.join(reasons)}. Remove a statement, or, if the class was found on data, try "
        "another `alpha`."
    )


def _contradictions(pag: PAG, knowledge: Knowledge) -> list[str]:
    """Return, in words, the single statements that no graph of the class can agree with."""
    drawn = {(a, b): drawing for a, drawing, b in pag.edges}
    reasons = [
        f"{a} -> {b} is required, and the class has no edge between them"
        for a, b in knowledge.required
        if pag.mark(a, b) is None
    ]
    return reasons + [
        f"the class has {a} {drawn[a, b]} {b}, which the knowledge rules out"
        for a, b in combinations(pag.nodes, 2)
        if (a, b) in drawn and not allowed_arrows(knowledge, a, b, open_arrows(drawn[a, b]))
    ]
