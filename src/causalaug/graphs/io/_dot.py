"""DOT text, the language of Graphviz: ``digraph { A -> B; B -> C [dir=both] }``."""

from collections.abc import Iterable

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs.io._braces import Attributes, Statement, parse
from causalaug.graphs.io._draft import Draft, check_arrow, is_bidirected, is_latent
from causalaug.graphs.io._tokens import quote_unless_plain

_KEYWORDS = frozenset({"digraph", "edge", "graph", "node", "strict", "subgraph"})
_ENDS = {"forward": (False, True), "back": (True, False), "both": (True, True)}
_CIRCLES = ("dot", "odot")


def read_dot(text: str) -> Draft:
    """Read the nodes and edges; of the attributes, those that bear on their meaning."""
    nodes, statements = parse(text, "DOT text", ("digraph",), keywords=True)
    draft = Draft(dict.fromkeys(nodes), latent=_latent(statements))
    for statement in statements:
        arrows = [_arrow(draft, statement, i) for i in range(len(statement.arrows))]
        draft.add_chain(statement.terms, arrows)
    return draft


def _latent(statements: Iterable[Statement]) -> set[str]:
    """Return the hidden nodes; a default holds for nodes first mentioned under it."""
    said: dict[str, dict[str, str]] = {}
    for statement in statements:
        own = {} if statement.arrows else statement.attributes
        for name in (name for term in statement.terms for name in term):
            said.setdefault(name, dict(statement.node_defaults)).update(own)
    return {name for name, attributes in said.items() if is_latent(attributes)}


def _arrow(draft: Draft, statement: Statement, i: int) -> str:
    """Return the arrow of one step of a chain, once its attributes are considered."""
    attributes = {**statement.edge_defaults, **statement.attributes}
    left, right = statement.terms[i : i + 2]
    if statement.arrows[i] != "->":
        return statement.arrows[i]
    if is_bidirected({**attributes, "dir": ""}):
        return "<->"
    if "dir" not in attributes and "dashed" in attributes.get("style", ""):
        _check_dashed(draft, left, right, statement.where)
    return check_arrow(_drawn(attributes), left, right, statement.where)


def _drawn(attributes: Attributes) -> str:
    """Return the mark that Graphviz draws: the direction says which ends have a head."""
    tail, head = _ENDS.get(attributes.get("dir", "forward"), (False, False))
    left = _end(attributes.get("arrowtail", "normal"), "<") if tail else ""
    right = _end(attributes.get("arrowhead", "normal"), ">") if head else ""
    return f"{left}-{right}" if left or right else "--"


def _end(shape: str, arrow: str) -> str:
    return "" if shape == "none" else "o" if shape in _CIRCLES else arrow


def _check_dashed(draft: Draft, left: tuple[str, ...], right: tuple[str, ...], where: str) -> None:
    """Raise if a dashed arrow may be a hidden common cause, or may just be dashed."""
    if draft.latent.isdisjoint((*left, *right)):
        raise GraphFormatError(
            f"{where}: a dashed edge must say its direction. Found style=dashed alone on "
            f"{', '.join(left)} -> {', '.join(right)}. Add dir=both for a hidden common "
            "cause, or dir=forward for a directed edge."
        )


def write_dot(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""

    def name(node: str) -> str:
        return quote_unless_plain(node, _KEYWORDS)

    lines = [f"{name(node)};" for node in graph.nodes]
    lines += [f"{name(a)} -> {name(b)};" for a, b in graph.directed]
    lines += [f"{name(a)} -> {name(b)} [dir=both, style=dashed];" for a, b in graph.bidirected]
    return "\n  ".join(["digraph {", *lines]) + "\n}\n"
