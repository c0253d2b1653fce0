"""DAGitty text, as the website shows it: ``dag { A [latent] A -> {B C} }``."""

from itertools import repeat

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._beliefs import number
from causalaug.graphs._editing import as_triples
from causalaug.graphs._shorten import listed, shown
from causalaug.graphs.io._braces import FLAG, Statement, parse
from causalaug.graphs.io._draft import Draft, belief_in, is_latent
from causalaug.graphs.io._tokens import quote_unless_plain

_KINDS = ("dag", "mag", "pdag", "pag")
# Each with the short form that DAGitty's own parser takes.
_HIDDEN = {"latent": "latent", "l": "latent", "unobserved": "latent", "u": "latent"}
_CHOSEN = {"selected": "selected", "s": "selected", "adjusted": "adjusted", "a": "adjusted"}


def read_dagitty(text: str) -> Draft:
    """Read the nodes and edges; positions, exposures and coefficients have no bearing."""
    parsed = parse(text, "DAGitty text", _KINDS, keywords=False)
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
            f"DAGitty text marks {listed(chosen)} as selected or adjusted. Selection is not "
            "modelled: the graph is read as if no row had been left out because of them. Remove "
            "the mark if that holds; otherwise what is learned holds for such rows only."
        )
    return draft


def _marks(statement: Statement) -> set[str]:
    """Return what a node is marked as, or raise if a mark is also denied."""
    marks = set()
    attributes = {key.lower(): value for key, value in statement.attributes.items()}
    for key, value in attributes.items():
        mark = {**_HIDDEN, **_CHOSEN}.get(key)
        if mark is None:
            continue
        if value.lower() not in (FLAG, "1", "yes"):
            raise GraphFormatError(
                f"{statement.where}: a mark of a node must stand alone. Found {key}="
                f"{shown(value)}, which DAGitty reads as {mark} whatever the value is. Write "
                f"[{mark}], or remove it."
            )
        marks.add(mark)
    return marks | ({"latent"} if is_latent(attributes) else set())


def write_dagitty(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""
    name = quote_unless_plain
    lines = [name(node) for node in graph.nodes]
    for a, arrow, b in as_triples(graph.directed, graph.bidirected):
        belief = graph.beliefs.get((a, arrow, b))
        mark = "" if belief is None else f' [belief="{number(belief)}"]'
        lines.append(f"{name(a)} {arrow} {name(b)}{mark}")
    return "\n  ".join(["dag {", *lines]) + "\n}\n"
