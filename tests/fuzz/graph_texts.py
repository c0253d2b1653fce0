"""Graphs in every format of text: written by a grammar from a known graph, or mutated."""

import re
from dataclasses import dataclass

from causalaug.graphs import ADMG, read_graph, write_graph
from fuzz.cases import FoundError

PLAIN = ["a", "b", "c", "Xy", "dose_1", "z9", "é", "Größe", "_u", "变量"]
ODD = [
    "x y",
    "a -> b",
    'q"t',
    "back\\slash",
    "{",
    "node",
    "digraph",
    "1",
    "-.5",
    "latent",
    "o",
    ",",
]
ODD += ["#", "//", "<->", "[x]", "it's", "a;b", "&amp;", "edge", "graph", " lead", "end ", "A:B"]
FORMATS = ["arrows", "dagitty", "dot", "gml", "tetrad"]
WRITTEN = ["arrows", "dagitty", "dot", "gml"]
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict", "o", "latent"}


@dataclass(frozen=True)
class Truth:
    """The graph that a text shall mean."""

    nodes: tuple
    directed: frozenset
    bidirected: frozenset

    @classmethod
    def of(cls, graph):
        return cls(
            tuple(graph.nodes),
            frozenset(graph.directed),
            frozenset(map(frozenset, graph.bidirected)),
        )

    def same_as(self, other):
        return (
            set(self.nodes) == set(other.nodes)
            and self.directed == other.directed
            and self.bidirected == other.bidirected
        )


def draw_truth(rng, *, plain=False, bidirected=True):
    """Draw a graph; edges run from earlier to later nodes of a hidden order."""
    pool = PLAIN if plain else PLAIN + ODD
    order = rng.sample(pool, rng.randint(1, 6))
    pairs = [(a, b) for number, b in enumerate(order) for a in order[:number]]
    directed = frozenset(pair for pair in pairs if rng.random() < 0.4)
    both = frozenset(frozenset(pair) for pair in pairs if bidirected and rng.random() < 0.2)
    nodes = list(order)
    rng.shuffle(nodes)
    return Truth(tuple(nodes), directed, both)


def escaped(name, quote='"'):
    return quote + name.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def quoted_unless_plain(rng, name):
    is_word = _WORD.fullmatch(name) and name.lower() not in _KEYWORDS
    return name if is_word and rng.random() < 0.7 else escaped(name)


def edges_in_order(rng, truth):
    """Return edges as (left, mark, right), in random order and written from either side."""
    edges = [
        (a, "->", b) if rng.random() < 0.7 else (b, "<-", a) for a, b in sorted(truth.directed)
    ]
    for pair in sorted(map(sorted, truth.bidirected)):
        rng.shuffle(pair)
        edges.append((pair[0], "<->", pair[1]))
    rng.shuffle(edges)
    return edges


def lone_nodes(rng, truth):
    """Return the nodes to mention alone: all without edges, and some others."""
    joined = {node for edge in truth.directed for node in edge}
    joined |= {node for edge in truth.bidirected for node in edge}
    return [node for node in truth.nodes if node not in joined or rng.random() < 0.3]


def write_arrows(rng, truth):
    def name(node):
        if rng.random() < 0.15:
            return escaped(node, "'")
        return quoted_unless_plain(rng, node)

    marks = {"->": ["->", "-->", "→"], "<-": ["<-", "←"], "<->": ["<->", "↔"]}
    lines = [name(node) for node in lone_nodes(rng, truth)]
    for left, mark, right in edges_in_order(rng, truth):
        group = rng.random() < 0.2
        left, right = name(left), name(right)
        space = rng.choice([" ", "  ", "\t"])
        lines.append(
            f"{'{' + left + '}' if group else left}{space}{rng.choice(marks[mark])} {right}"
            + rng.choice(["", "", " [0.5]", "[ 1 ]"])
        )
    rng.shuffle(lines)
    return "".join(line + rng.choice(["\n", "; ", " ;\n\n", " # a -> b\n"]) for line in lines)


def write_dagitty(rng, truth):
    notes = ["", "", ' [pos="0.1,-2"]', " [exposure]", ' [outcome,pos="1,1"]']
    lines = [quoted_unless_plain(rng, node) + rng.choice(notes) for node in lone_nodes(rng, truth)]
    for left, mark, right in edges_in_order(rng, truth):
        left, right = quoted_unless_plain(rng, left), quoted_unless_plain(rng, right)
        right = f"{{{right}}}" if rng.random() < 0.2 else right
        lines.append(f"{left} {mark} {right}" + rng.choice(["", "", " [beta=0.5]"]))
    rng.shuffle(lines)
    heading = rng.choice(["dag {", "dag{", 'dag "g" {', 'dag {\nbb="0,0,1,1"'])
    return heading + "\n" + "".join(line + rng.choice(["\n", ";", ";\n"]) for line in lines) + "}"


def write_dot(rng, truth):
    noise = ["", "", "/* a -> b */ ", "// a -> b\n", "\n# a -> b\n", 'x="a -> b"; ', "rankdir=LR\n"]
    lines = [
        quoted_unless_plain(rng, node) + rng.choice(["", " [color=red]", ' [label="a -> b"]'])
        for node in lone_nodes(rng, truth)
    ]
    for left, mark, right in edges_in_order(rng, truth):
        left, right = quoted_unless_plain(rng, left), quoted_unless_plain(rng, right)
        if rng.random() < 0.2:
            # Each with a name of its own: a subgraph that is opened again has its nodes already.
            right = rng.choice(["", f"subgraph s{len(lines)} "]) + f"{{ {right} }}"
        note = {"->": rng.choice(["", " [dir=forward]"]), "<-": " [dir=back]", "<->": " [dir=both]"}
        lines.append(f"{left} -> {right}{note[mark]}")
    rng.shuffle(lines)
    body = "".join(rng.choice(noise) + line + rng.choice([";\n", "\n", "; "]) for line in lines)
    heading = rng.choice(["digraph", "DIGRAPH g", 'digraph "g h"'])
    return f"{heading} {{ {body} }}"


def write_gml(rng, truth):
    numbers = list(range(-2, len(truth.nodes) - 2))
    rng.shuffle(numbers)
    number = dict(zip(truth.nodes, numbers, strict=True))

    def label(node):
        return "".join(
            f"&#{ord(sign)};"
            if sign in '"&' or (ord(sign) > 127 and rng.random() < 0.5)
            else ("&amp;" if sign == "&" else sign)
            for sign in node
        )

    lines = [f'node [ id {number[node]} label "{label(node)}" ]' for node in truth.nodes]
    for left, mark, right in edges_in_order(rng, truth):
        left, right = (right, left) if mark == "<-" else (left, right)
        note = "bidirected 1 " if mark == "<->" else ""
        lines.append(f"edge [ source {number[left]} {note}target {number[right]} ]")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    body = "\n".join(line + rng.choice(["", " # edge [", ' comment "node ["']) for line in lines)
    # Of two edges between two nodes networkx wants to know beforehand.
    return f'Creator "x"\ngraph [\ndirected 1\nmultigraph 1\n{body}\n]\n'


def write_tetrad(rng, truth):
    lines = []
    for number, (left, mark, right) in enumerate(edges_in_order(rng, truth), 1):
        left, right = (right, left) if mark == "<-" else (left, right)
        note = rng.choice(["", "", " dd nl"])
        lines.append(f"{number}. {left} {'<->' if mark == '<->' else '-->'} {right}{note}")
    nodes = rng.choice([";", ",", "; "]).join(truth.nodes)
    return f"Graph Nodes:\n{nodes}\n\nGraph Edges:\n" + "\n".join(lines) + "\n"


WRITERS = {
    "arrows": write_arrows,
    "dagitty": write_dagitty,
    "dot": write_dot,
    "gml": write_gml,
    "tetrad": write_tetrad,
}


def reads_what_was_written(format):
    """Return a case: a text of the grammar must be read as the graph that it was written from."""

    def run(rng):
        truth = draw_truth(rng, plain=format == "tetrad")
        text = WRITERS[format](rng, truth)
        graph = read_graph(text, format=format if rng.random() < 0.5 else None)
        if not truth.same_as(Truth.of(graph)):
            raise FoundError(f"{text!r} was read as {graph!r}")

    return run


def reads_back(rng):
    """What is written is read as the same, node order included, in every format."""
    truth = draw_truth(rng)
    graph = ADMG(truth.nodes, sorted(truth.directed), sorted(map(sorted, truth.bidirected)))
    _check_round_trip(graph, rng.choice(WRITTEN))


def _check_round_trip(graph, format):
    text = write_graph(graph, format)
    again = read_graph(text)
    if again != graph:
        raise FoundError(f"{text!r} of {graph!r} was read as {again!r}")


PIECES = ["a", "B", " ", "\n", "->", "<-", "<->", "--", "o->", "@-@", "{", "}", "[", "]", ";", ","]
PIECES += ["=", ":", "+", '"', "'", "\\", "#", "//", "/*", "*/", "<b>", "-1.5", "dir=both", "\x00"]
PIECES += ["observed=no", "latent", "node", "edge", "graph", "subgraph", "digraph", "strict", "dag"]
PIECES += ["directed 1", "id 0", "label", "source 0", "target 1", "&#65;", "\ud800", "\ufeff", "\r"]
PIECES += ["{" * 200, "[" * 200, '"a" + ' * 100, "9" * 5000, "1e999", "Graph Nodes:", "\u2028", "é"]


def mutated(rng):
    """A text with a few wrong places is read, or refused by an error of ours."""
    format = rng.choice(FORMATS)
    text = WRITERS[format](rng, draw_truth(rng, plain=format == "tetrad"))
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(text))
        stop = min(start + rng.choice([0, 0, 1, 1, 2, 5, 20]), len(text))
        new = rng.choice([rng.choice(PIECES), "", text[start:stop] * 2, text[stop:start:-1]])
        text = text[:start] + new + text[stop:]
    graph = read_graph(text, format=rng.choice([None, format, *FORMATS]))
    _check_round_trip(graph, rng.choice(WRITTEN))


def noise(rng):
    """So is a text that was never a graph."""
    frame = rng.choice(["{}", "dag {{ {} }}", "digraph {{ {} }}", "graph [ directed 1 {} ]"])
    text = frame.format(" ".join(rng.choices(PIECES, k=rng.randint(0, 20))))
    graph = read_graph(text, format=rng.choice([None, *FORMATS]))
    _check_round_trip(graph, rng.choice(WRITTEN))
