"""DAGitty text, as the website shows it: ``dag { A [latent] A -> {B C} }``."""

from causalaug.graphs._admg import ADMG
from causalaug.graphs.io._braces import parse
from causalaug.graphs.io._draft import Draft, is_latent
from causalaug.graphs.io._tokens import quote_unless_plain

_KINDS = ("dag", "mag", "pdag", "pag")


def read_dagitty(text: str) -> Draft:
    """Read the nodes and edges; positions, exposures and coefficients have no bearing."""
    nodes, statements = parse(text, "DAGitty text", _KINDS, keywords=False)
    draft = Draft(dict.fromkeys(nodes))
    for statement in statements:
        draft.add_chain(statement.terms, statement.arrows)
        if not statement.arrows and is_latent(statement.attributes):
            draft.latent.update(statement.terms[0])
    return draft


def write_dagitty(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""
    name = quote_unless_plain
    lines = [name(node) for node in graph.nodes]
    lines += [f"{name(a)} -> {name(b)}" for a, b in graph.directed]
    lines += [f"{name(a)} <-> {name(b)}" for a, b in graph.bidirected]
    return "\n  ".join(["dag {", *lines]) + "\n}\n"
