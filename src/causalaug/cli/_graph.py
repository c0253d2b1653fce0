"""``causalaug graph`` and ``discover``: look at a graph, translate it, guess at one."""

from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from causalaug.cli._options import (
    Data,
    GraphOut,
    GraphSource,
    Kinds,
    Overwrite,
    Seed,
    TableFormat,
    option,
    parse_kinds,
    refuse,
)
from causalaug.cli._output import Output, listed

if TYPE_CHECKING:
    from causalaug.discovery import Knowledge

FormatName = StrEnum("FormatName", ["arrows", "dagitty", "dot", "gml"])
MethodName = StrEnum(
    "MethodName", {"direct_lingam": "direct-lingam", "pc": "pc", "ges": "ges", "fci": "fci"}
)


def show(source: GraphSource, *, output: Output) -> None:
    """Print what a graph says: edges, order, districts and factors.

    \b
    Which conditionals does the front-door graph lead to?
      causalaug graph show 'smoking -> tar -> cancer; smoking <-> cancer'
    """
    from causalaug.cli import _files
    from causalaug.factorization import factorize

    admg = _files.open_graph(source)
    factors = [str(factor) for factor in factorize(admg)]
    output.document(
        {
            **_files.graph_as_json(admg),
            "is_dag": admg.is_dag,
            "is_mb_shielded": admg.is_mb_shielded(),
            "order": admg.topological_order(),
            "districts": admg.districts(),
            "factors": factors,
        }
    )
    shared = [listed(district) for district in admg.districts() if len(district) > 1]
    used = (
        "yes, the method uses all" if admg.is_mb_shielded() else "no, the method does not use all"
    )
    facts = {
        "Variables": listed(admg.nodes),
        "Causes": listed(f"{a} -> {b}" for a, b in admg.directed),
        "Hidden causes": listed(f"{a} <-> {b}" for a, b in admg.bidirected),
        "Order": listed(admg.topological_order()),
        "Districts": "; ".join(shared) or "-",
        "Factors": " ".join(factors),
        "Used in full": f"{used} that the graph claims",
    }
    for name, fact in facts.items():
        output.say(f"{name + ':':<14} {fact}")


def convert(
    source: GraphSource,
    to: FormatName | None = option(
        "The text to write; by default by the ending of --out, else arrows.", default=None
    ),
    out: GraphOut = None,
    keep: list[str] | None = option(
        "A variable to keep; the others become hidden and are projected out. Can be repeated.",
        default=None,
        metavar="NAME",
    ),
    overwrite: Overwrite = False,
    *,
    output: Output,
) -> None:
    """Write a graph as arrows, DAGitty, DOT or GML text; or without some variables.

    \b
    For dagitty.net, for Graphviz, and without a variable that was not observed:
      causalaug graph convert graph.txt --to dagitty
      causalaug graph convert graph.txt --out graph.dot
      causalaug graph convert 'U -> {A, B}; A -> B' --keep A --keep B
    """
    from causalaug.cli import _files
    from causalaug.graphs import latent_projection, write_graph

    admg = _files.open_graph(source)
    admg = latent_projection(admg, keep=keep) if keep else admg
    format = _files.graph_format(out) if to is None else to.value
    if out is not None:
        _files.check_not_an_input(out, [source], overwrite=overwrite)
        _files.write_graph_file(admg, out, format)
        output.remark(f"Wrote {out}")
    output.document({**_files.graph_as_json(admg), "format": format, "out": out and str(out)})
    if out is None:
        output.say(write_graph(admg, format).rstrip("\n"))


def pillow(
    source: GraphSource,
    variable: str | None = typer.Argument(
        None, metavar="[VARIABLE]", help="All of them if left out."
    ),
    *,
    output: Output,
) -> None:
    """Print the Markov pillow of a variable: what its values are drawn given.

    These are its parents if nothing is hidden; with hidden causes, also what it shares them
    with among the earlier variables, and the parents of those.

    \b
    Smoking enters the pillow of cancer, although no arrow joins them:
      causalaug graph pillow 'smoking -> tar -> cancer; smoking <-> cancer' cancer
    """
    from causalaug.cli import _files
    from causalaug.graphs import markov_pillow

    admg = _files.open_graph(source)
    variables = admg.topological_order() if variable is None else (variable,)
    pillows = {node: markov_pillow(admg, node) for node in variables}
    output.document({"order": admg.topological_order(), "pillows": pillows})
    if variable is None:
        output.table(["variable", "pillow"], [(v, listed(p)) for v, p in pillows.items()])
    else:
        output.say("\n".join(pillows[variable]) or "-")


def discover(
    data: Data,
    method: MethodName = option(
        "Linear causes with noise that is not normal (direct-lingam); tests of "
        "independence (pc); a score (ges); tests that allow for hidden causes (fci).",
        default=MethodName.direct_lingam,
    ),
    out: GraphOut = None,
    alpha: float = option("For pc and fci: the level of each test.", default=0.05, metavar="P"),
    tier: list[str] | None = option(
        "Columns that come before those of the next --tier: nothing later causes them. "
        "Repeat it, the earliest first.",
        default=None,
        metavar="COLUMN,...",
    ),
    forbid: list[str] | None = option(
        "Arrows that cannot be, as in 'A -> B'.", default=None, metavar="ARROWS"
    ),
    require: list[str] | None = option(
        "Arrows that must be, as in 'A -> B'.", default=None, metavar="ARROWS"
    ),
    kinds: Kinds = None,
    overwrite: Overwrite = False,
    *,
    table: TableFormat,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Estimate a causal graph from data alone.

    An estimate is no knowledge: read it, correct it by what you know, check it, and let
    `causalaug evaluate` say whether it helps. Many graphs have the same independences: which
    arrows the data determine, and which are a choice among equals, is said beside it. Needs
    lingam and causal-learn: pip install "causalaug[discovery]".

    \b
    A first graph, to be edited:
      causalaug discover data.csv --method direct-lingam --out graph.txt
      causalaug check data.csv --graph graph.txt
    With what is known: age comes first, and noise heats nothing:
      causalaug discover data.csv --method pc --tier age --tier load,wear --forbid 'noise -> heat'
    """
    from causalaug._atomic import check_output
    from causalaug.cli import _cells, _files, _tables
    from causalaug.discovery import discover_explained
    from causalaug.graphs import write_graph

    checked_kinds = parse_kinds(kinds)
    knowledge = _knowledge(tier, forbid, require)
    if out is not None:
        check_output(out)
        _files.check_not_an_input(out, [data], overwrite=overwrite)
    frame = _tables.read_table(data, table, _cells.Expected(kinds=checked_kinds), output.remark)
    with output.progress("Looking for a graph"):
        result = discover_explained(
            frame,
            method.value,
            knowledge=knowledge,
            kinds=checked_kinds,
            alpha=alpha,
            random_state=seed,
        )
    graph, edges = result.graph, result.edges.to_dict("records")
    described = {"method": method.value, **_files.graph_as_json(graph), "edges": edges}
    output.document({**described, "out": out and str(out)})
    if out is None:
        output.say(write_graph(graph).rstrip("\n"))
    else:
        _files.write_graph_file(graph, out, _files.graph_format(out))
        output.remark(f"Wrote {len(edges)} edges to {out}. An estimate is no knowledge: read it.")
    output.remark(result.summary())


def _knowledge(
    tiers: list[str] | None, forbidden: list[str] | None, required: list[str] | None
) -> "Knowledge":
    """Return what the options say of the graph before the data are seen."""
    from causalaug.discovery import Knowledge

    return Knowledge(
        required=_arrows("--require", required),
        forbidden=_arrows("--forbid", forbidden),
        tiers=[[name.strip() for name in tier.split(",") if name.strip()] for tier in tiers or ()],
    )


def _arrows(name: str, texts: list[str] | None) -> list[tuple[str, str]]:
    """Return the arrows in some texts, and refuse anything else."""
    from causalaug.graphs import read_graph

    found: list[tuple[str, str]] = []
    for text in texts or ():
        graph = read_graph(text, format="arrows")
        if graph.bidirected or not graph.directed:
            refuse(name, f"must be arrows, as in 'A -> B'. Found {text}")
        found += graph.directed
    return found
