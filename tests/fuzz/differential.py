"""Others read the same: Graphviz DOT text, networkx GML text."""

import networkx as nx

from causalaug.graphs.io._dot import read_dot
from causalaug.graphs.io._gml import read_gml
from causalaug.graphs.io._networkx import read_networkx
from foreign_readers import (
    ATTRIBUTES,
    NAMES,
    PIECES,
    REMARKS,
    SPACES,
    read_by_graphviz,
)
from fuzz.cases import FoundError

TEXTS = 50
"""DOT texts that Graphviz reads at a time: starting it takes as long as reading them."""


def _statements(rng, depth=0):
    return "".join(_statement(rng, depth) + rng.choice(SPACES) for _ in range(rng.randint(0, 4)))


def _statement(rng, depth):
    sort = rng.randint(0, 4)
    if sort < 2:
        if rng.random() < 0.4:
            return f"{_node_list(rng)} {_attributes(rng)}"
        chain = " -> ".join(_term(rng, depth) for _ in range(rng.randint(2, 3)))
        return f"{chain} {_attributes(rng)}"
    if sort == 2:
        return f"{rng.choice(['node', 'edge', 'graph', 'EDGE'])} {_attributes(rng, 1)}"
    return rng.choice(["rankdir=LR", "a=b", '"b" = "c"']) if sort == 3 else _term(rng, depth)


def _node_list(rng):
    return ", ".join(rng.choices(NAMES, k=rng.randint(1, 2)))


def _term(rng, depth):
    if depth == 2 or rng.random() < 0.6:
        return _node_list(rng)
    heading = rng.choice(["", "subgraph ", "subgraph s ", "subgraph t "])
    return f"{heading}{{ {_statements(rng, depth + 1)} }}"


def _attributes(rng, least=0):
    lists = [rng.choices(ATTRIBUTES, k=rng.randint(least, 2)) for _ in range(rng.randint(least, 2))]
    return " ".join(f"[{', '.join(one)}]" if one else "" for one in lists)


def _dot_text(rng):
    if rng.random() < 0.7:
        heading = rng.choice(["digraph", 'DiGraph "a b"'])
        return f"{heading} {{ {_statements(rng)} }}"
    # Keys in strict graphs are refused, since Graphviz loses attributes with them.
    return f"strict digraph g {{ {_statements(rng).replace('key=', 'keys=')} }}"


def dot_as_graphviz(rng):
    """A batch of DOT texts must be read as Graphviz reads them."""
    texts = [_dot_text(rng) for _ in range(TEXTS)]
    theirs = read_by_graphviz(texts)
    if len(theirs) != len(texts):
        raise FoundError(f"Graphviz found {len(theirs)} graphs in {len(texts)} texts")
    for text, (nodes, directed, bidirected, hidden) in zip(texts, theirs, strict=True):
        ours = read_dot(text)
        same = list(ours.nodes) == list(nodes) and set(ours.directed) == directed
        if not same or set(ours.bidirected) != bidirected or ours.latent != hidden:
            raise FoundError(f"{text!r} was read as {ours!r}, by Graphviz as {nodes, directed}")


def _gml_text(rng):
    """Draw a graph whose edges run from earlier nodes to later ones."""
    labels = {}
    for _ in range(rng.randint(1, 5)):
        label = "".join(rng.choices(PIECES, k=rng.randint(1, 4)))
        if label != "[]":  # networkx takes it for an empty list, and fails
            meant = next(iter(nx.parse_gml(f'graph [ node [ id 0 label "{label}" ] ]')))
            labels.setdefault(meant, label)
    ids = list(range(-2, len(labels) - 2))
    rng.shuffle(ids)
    lines = []
    for number, text in zip(ids, labels.values(), strict=True):
        hidden = rng.choice(["", 'observed "no" ', "latent 1 ", 'observed "yes" '])
        remark = rng.choice(REMARKS)
        lines.append(f'node [ {remark}id {number} {hidden}label "{text}" {rng.choice(REMARKS)}]')
    for i in range(len(ids)):
        for j in range(i):
            if rng.random() < 0.5:
                mark = rng.choice(["", "bidirected 1 ", 'type "bidirected" '])
                remark = rng.choice(REMARKS)
                lines.append(f"edge [ source {ids[j]} {mark}target {ids[i]} {remark}]")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    body = "".join(f"{line}\n{rng.choice(REMARKS)}" for line in lines)
    return f'Creator "x"\ngraph [\n {rng.choice(REMARKS)}directed 1\n{body}]\n'


def gml_as_networkx(rng):
    """A GML text must be read as networkx reads it."""
    text = _gml_text(rng)
    ours, theirs = read_gml(text), read_networkx(nx.parse_gml(text), None)
    if (
        list(ours.nodes) != list(theirs.nodes)
        or set(ours.directed) != set(theirs.directed)
        or set(ours.bidirected) != set(theirs.bidirected)
        or ours.latent != theirs.latent
    ):
        raise FoundError(f"{text!r} was read as {ours!r}, by networkx as {theirs!r}")
