"""Questions to a graph: blankets, separations, and the graph of some of its variables."""

from collections.abc import Iterable
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs._admg import ADMG, as_graph
from causalaug.graphs._checks import MOST_EDGES, Edge, can_be_listed, check_known
from causalaug.graphs._several import SeveralGraphs
from causalaug.graphs._shorten import listed, plain

if TYPE_CHECKING:
    import networkx as nx


def select_markov_blanket(graph: Any, target: str) -> tuple[str, ...]:
    """Return the variables that make `target` independent of all the rest.

    It is the smallest such set that can be read off the graph: drop a member, and the graph
    no longer promises the independence. A predictor of `target` needs no other column.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    target : str
        The variable to be screened off.

    Returns
    -------
    tuple of str
        The nodes joined to `target` by an edge, or by a path on which every node in between
        is a common effect, in node order. In a DAG: parents, children, and the other parents
        of the children.

    Examples
    --------
    The other parent of a child belongs to it, the cause of a cause does not:

    >>> edges = [("age", "diet"), ("diet", "weight"), ("weight", "pulse"), ("coffee", "pulse")]
    >>> graph = ADMG(["age", "diet", "weight", "pulse", "coffee"], directed=edges)
    >>> select_markov_blanket(graph, "weight")
    ('diet', 'pulse', 'coffee')

    Held fixed, the pulse joins its causes, hidden ones included. So if stress, unseen, raises
    both pulse and sleeplessness, a predictor of weight wants to know who sleeps, and why else:

    >>> stressed = ADMG(
    ...     [*graph.nodes, "sleep", "noise"],
    ...     directed=[*edges, ("noise", "sleep")],
    ...     bidirected=[("pulse", "sleep")],
    ... )
    >>> select_markov_blanket(stressed, "weight")
    ('diet', 'pulse', 'coffee', 'sleep', 'noise')
    """
    graph = as_graph(graph)
    check_known([target], graph.nodes, "The target of a Markov blanket")
    common_effects = graph.district([target, *graph.children(target)])
    blanket = {*common_effects, *graph.parents(common_effects)} - {target}
    return tuple(v for v in graph.nodes if v in blanket)


def m_separated(
    graph: Any,
    x: str | Iterable[str],
    y: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> bool:
    """Return whether the graph implies that `x` and `y` are independent given `given`.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph. For a DAG this is d-separation.
    x, y : str or iterable of str
        The variables in question.
    given : str or iterable of str, optional
        The variables that are held fixed.

    Returns
    -------
    bool
        True if `given` blocks every path between `x` and `y`.

    Examples
    --------
    A common effect joins its causes only when it is held fixed, and a hidden cause
    of it and another variable is enough to make it a common effect:

    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")])
    >>> m_separated(graph, "A", "C"), m_separated(graph, "A", "C", given="B")
    (True, False)
    """
    import networkx as nx

    graph = as_graph(graph)
    sides = [_known(graph, *side) for side in (("x", x), ("y", y), ("given", given))]
    for one, other in combinations(sides, 2):
        if one & other:
            raise ParameterError(
                "`x`, `y` and `given` must have no node in common. "
                f"Found {listed(sorted(one & other))} in two of them. Remove it from one."
            )
    # The function has its present name since networkx 3.3.
    separated = getattr(nx, "is_d_separator", None) or nx.d_separated
    return bool(separated(_canonical_dag(graph), *sides))


def _known(graph: ADMG, argument: str, names: str | Iterable[str]) -> set[str]:
    """Return the nodes that an argument names, or raise if it names something else."""
    if not can_be_listed(names):
        names = [names]  # type: ignore[list-item]  # so that the error shows it
    found = [names] if isinstance(names, str) else list(names)
    check_known(found, graph.nodes, f"`{argument}`")
    return set(found)


def _canonical_dag(graph: ADMG) -> "nx.DiGraph":
    """Return the DAG in which every bidirected edge is a hidden parent of its two nodes."""
    import networkx as nx

    dag = nx.DiGraph()
    dag.add_nodes_from(graph.nodes)
    dag.add_edges_from(graph.directed)
    dag.add_edges_from((pair, child) for pair in graph.bidirected for child in pair)
    return dag


def latent_projection(graph: Any, keep: str | Iterable[str]) -> ADMG:
    """Return the graph of the variables in `keep`, the others having become hidden.

    A directed path through hidden variables becomes a directed edge; a hidden common
    cause becomes a bidirected edge (Verma and Pearl, 1990). Among the kept variables
    the same independences hold as before. Edges between kept variables keep the beliefs in them;
    new ones have none.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    keep : iterable of str
        The variables that stay, in any order.

    Returns
    -------
    ADMG
        The projection. Its nodes keep the order that they have in `graph`.

    Examples
    --------
    Hiding a mediator shortens a path; hiding a common cause confounds:

    >>> edges = [("U", "A"), ("U", "B"), ("A", "M"), ("M", "B")]
    >>> graph = ADMG(["U", "A", "M", "B"], directed=edges)
    >>> latent_projection(graph, keep=["A", "B"])
    ADMG(['A', 'B'], directed=[('A', 'B')], bidirected=[('A', 'B')])
    """
    graph = as_graph(graph)
    kept = _known(graph, "keep", keep)
    if isinstance(graph, SeveralGraphs):
        return SeveralGraphs((latent_projection(g, sorted(kept)), w) for g, w in graph.graphs)
    near = _Neighbourhood(graph)
    for node in graph.nodes:
        if node not in kept:
            near.hide(node)
    nodes = [v for v in graph.nodes if v in kept]
    return ADMG(
        nodes,
        directed=((a, b) for a in nodes for b in near.effects[a]),
        bidirected=((a, b) for a in nodes for b in near.siblings[a]),
        beliefs={e: b for e, b in graph.beliefs.items() if {e[0], e[2]} <= kept},
    )


class _Neighbourhood:
    """The neighbours of each node, while nodes are hidden one after the other."""

    def __init__(self, graph: ADMG) -> None:
        self.causes: dict[str, set[str]] = {v: set() for v in graph.nodes}
        self.effects: dict[str, set[str]] = {v: set() for v in graph.nodes}
        self.siblings: dict[str, set[str]] = {v: set() for v in graph.nodes}
        self.n_made = 0
        self._join(graph.directed, self.causes, self.effects)
        self._join(graph.bidirected, self.siblings, self.siblings)

    def hide(self, node: str) -> None:
        """Take a node away: its causes and siblings meet its effects."""
        causes, effects = self.causes.pop(node), self.effects.pop(node)
        siblings = self.siblings.pop(node)
        self._check_size(node, len(causes), len(effects), len(siblings))
        for v in causes:
            self.effects[v].discard(node)
        for v in effects:
            self.causes[v].discard(node)
        for v in siblings:
            self.siblings[v].discard(node)
        shared = ((a, b) for a, b in product(effects | siblings, effects) if a != b)
        self._join(product(causes, effects), self.causes, self.effects)
        self._join(shared, self.siblings, self.siblings)

    def _check_size(self, node: str, n_causes: int, n_effects: int, n_siblings: int) -> None:
        """Raise if hiding a node joins more pairs than can be waited for."""
        self.n_made += n_effects * (n_causes + n_siblings + (n_effects - 1) // 2)
        if self.n_made > MOST_EDGES:
            raise GraphError(
                f"Hiding variables must make at most {MOST_EDGES:,} edges. Found {self.n_made:,} "
                f"with {plain(node)}, which has {n_effects:,} effects. Keep it, or remove effects "
                "that are of no interest from the graph."
            )

    @staticmethod
    def _join(
        edges: Iterable[Edge], causes: dict[str, set[str]], effects: dict[str, set[str]]
    ) -> None:
        for a, b in edges:
            effects[a].add(b)
            causes[b].add(a)


def complete_graph(nodes: Iterable[str]) -> ADMG:
    """Return the DAG in which every variable has all those before it as parents.

    It assumes no independence: with it, augmentation is mere smoothing. Comparisons
    use it as the control that tells the gain of a graph from the gain of smoothing.

    Parameters
    ----------
    nodes : iterable of str
        The variables, in the order in which they are to be factorized.

    Examples
    --------
    >>> complete_graph(["A", "B", "C"]).directed
    (('A', 'B'), ('A', 'C'), ('B', 'C'))
    """
    names = ADMG(nodes).nodes
    return ADMG(names, directed=combinations(names, 2))
