"""DOT text, the language of Graphviz, and DAGitty text, which its website shows.

``digraph { A -> B; B -> C [dir=both] }`` and ``dag { A [latent] A -> B; B <-> C }``.
"""

from collections.abc import Sequence
from itertools import pairwise, product, repeat

from causalaug._validation import brief, some
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG, believed_edges
from causalaug.graphs._edges import number
from causalaug.graphs.io._braces import FLAG, Attributes, Parsed, Statement, parse
from causalaug.graphs.io._draft import Draft, belief_in, drawn_arrow, is_latent
from causalaug.graphs.io._tokens import quote_unless_plain

_KEYWORDS = frozenset({"digraph", "edge", "graph", "node", "strict", "subgraph"})
# Marks of nodes in DAGitty text, each with the short form that DAGitty's own parser takes.
_MARKS = {"latent": "latent", "l": "latent", "unobserved": "latent", "u": "latent"}
_MARKS |= {"selected": "selected", "s": "selected", "adjusted": "adjusted", "a": "adjusted"}


_Step = tuple[Sequence[str], str, Sequence[str], Attributes, str]
"""One arrow of a chain: left end, mark, right end, attributes, and where it stands."""


def read_dot(text: str) -> Draft:
    """Read the nodes and edges; of the attributes, those that bear on their meaning."""
    parsed = parse(text, "DOT text", ("digraph",), keywords=True)
    draft = Draft(dict.fromkeys(parsed.nodes), latent=_latent(parsed))
    for left, mark, right, attributes, where in _steps(parsed):
        # Only of an arrow that runs from left to right do the attributes say more.
        arrow = drawn_arrow(attributes, left, right, where, draft.latent) if mark == "->" else mark
        draft.add_chain([left, right], [arrow], [belief_in(attributes, where)])
    return draft


def _steps(parsed: Parsed) -> list[_Step]:
    """Return the edges of all chains, those in one that Graphviz takes for one edge.

    In a strict graph these are all edges between two nodes, elsewhere those with one key. The
    defaults are those of the first mention; attributes of later ones are added to it.
    """
    steps: list[_Step] = []
    merged: dict[tuple[str, str, str], dict[str, str]] = {}
    for statement in parsed.statements:
        own = {**statement.edge_defaults, **statement.attributes}
        key = _key(statement, parsed.strict)
        for (left, right), mark in zip(pairwise(statement.terms), statement.arrows, strict=True):
            if mark != "->" or key is None:
                steps.append((left, mark, right, own, statement.where))
                continue
            for a, b in product(left, right):
                if (a, b, key) in merged:
                    merged[a, b, key].update(statement.attributes)
                else:
                    merged[a, b, key] = dict(own)
                    steps.append(([a], mark, [b], merged[a, b, key], statement.where))
    return steps


def _key(statement: Statement, strict: bool) -> str | None:
    """Return by what edges between two nodes are told apart, or None if all are different."""
    key = statement.attributes.get("key")
    if strict and statement.arrows and key is not None:
        raise GraphFormatError(
            f"{statement.where}: an edge of a strict graph must have no key, with which Graphviz "
            f"forgets attributes. Found key={brief(key)}. Remove 'strict', or the key."
        )
    return "" if strict else key


def _latent(parsed: Parsed) -> set[str]:
    """Return the hidden nodes; a default holds for nodes first mentioned under it."""
    attributes_of = {name: dict(defaults) for name, defaults in parsed.nodes.items()}
    for statement in parsed.statements:
        if not statement.arrows and statement.attributes:
            for name in statement.terms[0]:
                attributes_of[name].update(statement.attributes)
    return {name for name, attributes in attributes_of.items() if is_latent(attributes)}


def write_dot(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""

    def name(node: str) -> str:
        return quote_unless_plain(node, _KEYWORDS)

    lines = [f"{name(node)};" for node in graph.nodes]
    for a, arrow, b, belief in believed_edges(graph):
        marks = ["dir=both", "style=dashed"] if arrow == "<->" else []
        marks += [] if belief is None else [f'belief="{number(belief)}"']
        in_brackets = f" [{', '.join(marks)}]" if marks else ""
        lines.append(f"{name(a)} -> {name(b)}{in_brackets};")
    return "\n  ".join(["digraph {", *lines]) + "\n}\n"


def read_dagitty(text: str) -> Draft:
    """Read the nodes and edges; positions, exposures and coefficients have no bearing."""
    parsed = parse(text, "DAGitty text", ("dag", "mag", "pdag", "pag"), keywords=False)
    draft = Draft(dict.fromkeys(parsed.nodes))
    chosen: dict[str, None] = {}
    for statement in parsed.statements:
        belief = belief_in(statement.attributes, statement.where) if statement.arrows else None
        draft.add_chain(statement.terms, statement.arrows, repeat(belief))
        if not statement.arrows and statement.attributes:
            marks = _marks(statement)
            if "latent" in marks:
                draft.latent.update(statement.terms[0])
            if marks & {"selected", "adjusted"}:
                chosen.update(dict.fromkeys(statement.terms[0]))
    if chosen:
        draft.warnings.append(
            f"DAGitty text marks {some(chosen)} as selected or adjusted. Selection is not "
            "modelled: the graph is read as if no row had been left out because of them. Remove "
            "the mark if that holds; otherwise what is learned holds for such rows only."
        )
    return draft


def _marks(statement: Statement) -> set[str]:
    """Return what a node is marked as, or raise if a mark is also denied."""
    attributes = {key.lower(): value for key, value in statement.attributes.items()}
    marks = {"latent"} if is_latent(attributes) else set()
    for key in sorted(attributes.keys() & _MARKS.keys()):
        if attributes[key].lower() not in (FLAG, "1", "yes"):
            raise GraphFormatError(
                f"{statement.where}: a mark of a node must stand alone. Found {key}="
                f"{brief(attributes[key])}, read as {_MARKS[key]} by DAGitty. Remove it, or write "
                f"[{_MARKS[key]}]."
            )
        marks.add(_MARKS[key])
    return marks


def write_dagitty(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""
    name = quote_unless_plain
    lines = [name(node) for node in graph.nodes]
    for a, arrow, b, belief in believed_edges(graph):
        mark = "" if belief is None else f' [belief="{number(belief)}"]'
        lines.append(f"{name(a)} {arrow} {name(b)}{mark}")
    return "\n  ".join(["dag {", *lines]) + "\n}\n"
