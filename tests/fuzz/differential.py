"""Graphviz reads DOT text as we do."""

import shutil
import subprocess

from causalaug.graphs.io._dot import read_dot
from causalaug.graphs.io._tokens import unescape
from fuzz.cases import FoundError

NAMES = ["a", "b", "c", '"a"', '"x y"', '"x " + "y"', "b:n", '"q\\"t"', "1", '"1"', "-.5", "é"]
NAMES += ["a_1:w:n", '"sp\\\nlit"', '"p\\\\q"', '"->"', '"node"', "c /* not */", '"b" // b\n']
ATTRIBUTES = ["dir=both", "dir=back", "dir=forward", "color=red", "DIR=both", "Dir=back", "key=1"]
ATTRIBUTES += [
    "observed=no",
    "observed=yes",
    'observed=""',
    'label="a -> b, c"',
    "label=<<b>x</b>>",
]
SPACES = [" ", "\n", "; ", " /* a -> b */ ", ";\n# a -> b\n", " // a -> b\n"]

REPORT = r"""
BEG_G { printf("graph\n"); }
N { printf("node\t%s\t%s\n", name, isAttr($G, "N", "observed") ? observed : ""); }
E { printf("edge\t%s\t%s\t%s\n", tail.name, head.name, isAttr($G, "E", "dir") ? dir : ""); }
"""
"""A program of gvpr: one line for each graph, node and edge."""


def has_graphviz():
    return shutil.which("gvpr") is not None


def read_by_graphviz(texts):
    """Return (nodes, directed, bidirected, hidden) of each text, as Graphviz has them."""
    run = subprocess.run(
        ["gvpr", REPORT], input="\n".join(texts), capture_output=True, text=True, check=True
    )
    assert "syntax error" not in run.stderr, run.stderr
    graphs = []
    for line in run.stdout.splitlines():
        kind, *fields = line.split("\t")
        if kind == "graph":
            graphs.append(({}, set(), set(), set()))
        nodes, directed, bidirected, hidden = graphs[-1]
        if kind == "node":
            # Backslashes stay in Graphviz; here they are escapes, in every text format.
            nodes[unescape(fields[0])] = None
            if fields[1] == "no":
                hidden.add(unescape(fields[0]))
        if kind == "edge":
            tail, head = map(unescape, fields[:2])
            if fields[2] == "both":
                bidirected.add((tail, head))
            else:
                directed.add((head, tail) if fields[2] == "back" else (tail, head))
    return graphs


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
