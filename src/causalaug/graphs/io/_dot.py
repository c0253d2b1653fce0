"""DOT text, the language of Graphviz: ``digraph { A -> B; B -> C [dir=both] }``."""

from collections.abc import Sequence, Set
from itertools import pairwise, product
from typing import NamedTuple

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._beliefs import number
from causalaug.graphs._editing import as_triples
from causalaug.graphs._shorten import shown
from causalaug.graphs.io._braces import Attributes, Parsed, Statement, parse
from causalaug.graphs.io._draft import Draft, belief_in, is_latent
from causalaug.graphs.io._drawn_edges import drawn_arrow
from causalaug.graphs.io._tokens import quote_unless_plain

_KEYWORDS = frozenset({"digraph", "edge", "graph", "node", "strict", "subgraph"})


class _Step(NamedTuple):
    """One arrow of a chain with what stands at its ends."""

    left: Sequence[str]
    mark: str
    right: Sequence[str]
    attributes: Attributes
    where: str


def read_dot(text: str) -> Draft:
    """Read the nodes and edges; of the attributes, those that bear on their meaning."""
    parsed = parse(text, "DOT text", ("digraph",), keywords=True)
    draft = Draft(dict.fromkeys(parsed.nodes), latent=_latent(parsed))
    for step in _steps(parsed):
        belief = belief_in(step.attributes, step.where)
        draft.add_chain([step.left, step.right], [_arrow(step, draft.latent)], [belief])
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
                steps.append(_Step(left, mark, right, own, statement.where))
                continue
            for a, b in product(left, right):
                if (a, b, key) in merged:
                    merged[a, b, key].update(statement.attributes)
                else:
                    merged[a, b, key] = dict(own)
                    steps.append(_Step([a], mark, [b], merged[a, b, key], statement.where))
    return steps


def _key(statement: Statement, strict: bool) -> str | None:
    """Return by what edges between two nodes are told apart, or None if all are different."""
    key = statement.attributes.get("key")
    if strict and statement.arrows and key is not None:
        raise GraphFormatError(
            f"{statement.where}: an edge of a strict graph must have no key. Found key="
            f"{shown(key)}, with which Graphviz forgets attributes of edges that it merges. "
            "Remove 'strict', or the key."
        )
    return "" if strict else key


def _latent(parsed: Parsed) -> set[str]:
    """Return the hidden nodes; a default holds for nodes first mentioned under it."""
    said = {name: dict(defaults) for name, defaults in parsed.nodes.items()}
    for statement in parsed.statements:
        if not statement.arrows and statement.attributes:
            for name in statement.terms[0]:
                said[name].update(statement.attributes)
    return {name for name, attributes in said.items() if is_latent(attributes)}


def _arrow(step: _Step, latent: Set[str]) -> str:
    """Return the arrow of an edge, once its attributes are considered."""
    if step.mark != "->":
        return step.mark
    return drawn_arrow(step.attributes, step.left, step.right, step.where, latent)


def write_dot(graph: ADMG) -> str:
    """Write the nodes, then the edges, one per line."""

    def name(node: str) -> str:
        return quote_unless_plain(node, _KEYWORDS)

    lines = [f"{name(node)};" for node in graph.nodes]
    for a, arrow, b in as_triples(graph.directed, graph.bidirected):
        marks = ["dir=both", "style=dashed"] if arrow == "<->" else []
        belief = graph.beliefs.get((a, arrow, b))
        marks += [] if belief is None else [f'belief="{number(belief)}"']
        lines.append(f"{name(a)} -> {name(b)}{_in_brackets(marks)};")
    return "\n  ".join(["digraph {", *lines]) + "\n}\n"


def _in_brackets(marks: Sequence[str]) -> str:
    return f" [{', '.join(marks)}]" if marks else ""
