"""``causalaug graph``: look at a graph, translate it, ask what a variable depends on."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import GraphSource, Overwrite
from causalaug.cli._output import Output
from causalaug.cli._text import listed

graph = typer.Typer(
    name="graph",
    no_args_is_help=True,
    help="Look at a graph, translate it, ask what a variable depends on.",
)


class FormatName(StrEnum):
    """The texts that a graph can be written as."""

    arrows = "arrows"
    dagitty = "dagitty"
    dot = "dot"
    gml = "gml"


@graph.command()
@reported
@with_groups
def show(source: GraphSource, *, output: Output) -> None:
    """Print what a graph says: edges, order, districts and factors.

    \b
    Which conditionals does the front-door graph lead to?
      causalaug graph show 'smoking -> tar -> cancer; smoking <-> cancer'
    """
    from causalaug.cli._graph_files import graph_as_json, open_graph
    from causalaug.factorization import factorize

    admg = open_graph(source)
    factors = [str(factor) for factor in factorize(admg)]
    output.document(
        {
            **graph_as_json(admg),
            "is_dag": admg.is_dag,
            "is_mb_shielded": admg.is_mb_shielded(),
            "order": admg.topological_order(),
            "districts": admg.districts(),
            "factors": factors,
        }
    )
    causes = [f"{a} -> {b}" for a, b in admg.directed]
    hidden = [f"{a} <-> {b}" for a, b in admg.bidirected]
    shared = [listed(district) for district in admg.districts() if len(district) > 1]
    output.say(f"Variables:     {listed(admg.nodes)}")
    output.say(f"Causes:        {listed(causes)}")
    output.say(f"Hidden causes: {listed(hidden)}")
    output.say(f"Order:         {listed(admg.topological_order())}")
    output.say(f"Districts:     {'; '.join(shared) or '-'}")
    output.say(f"Factors:       {' '.join(factors)}")
    is_used = admg.is_mb_shielded()
    used = "yes, the method uses all" if is_used else "no, the method does not use all"
    output.say(f"Used in full:  {used} that the graph claims")


@graph.command()
@reported
@with_groups
def convert(
    source: GraphSource,
    to: Annotated[
        FormatName | None,
        typer.Option(help="The text to write; by default by the ending of --out, else arrows."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the graph goes; printed if left out.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A variable to keep; the others become hidden and are projected out. Can be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
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
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import (
        graph_as_json,
        open_graph,
        output_format,
        write_graph_file,
    )
    from causalaug.graphs import latent_projection, write_graph

    admg = open_graph(source)
    admg = latent_projection(admg, keep=keep) if keep else admg
    format = output_format(out) if to is None else to.value
    if out is not None:
        check_not_an_input(out, [source], overwrite=overwrite)
        write_graph_file(admg, out, format)
        output.remark(f"Wrote {out}")
    output.document({**graph_as_json(admg), "format": format, "out": out and str(out)})
    if out is None:
        output.say(write_graph(admg, format).rstrip("\n"))


@graph.command()
@reported
@with_groups
def pillow(
    source: GraphSource,
    variable: Annotated[
        str | None,
        typer.Argument(metavar="[VARIABLE]", help="All of them if left out.", show_default=False),
    ] = None,
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
    from causalaug.cli._graph_files import open_graph
    from causalaug.graphs import markov_pillow

    admg = open_graph(source)
    asked = admg.topological_order() if variable is None else (variable,)
    pillows = {node: markov_pillow(admg, node) for node in asked}
    output.document({"order": admg.topological_order(), "pillows": pillows})
    if variable is None:
        output.table(["variable", "pillow"], [(v, listed(p)) for v, p in pillows.items()])
    else:
        output.say("\n".join(pillows[variable]) or "-")
