"""Texts that others read too: what they are made of, and how Graphviz reads DOT."""

import shutil
import subprocess

from causalaug.graphs.io._tokens import unescape

# Pieces of DOT text.

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
