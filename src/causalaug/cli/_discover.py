"""``causalaug discover``: a first guess at a graph, from data alone."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from causalaug.cli._errors import reported
from causalaug.cli._options import (
    Columns,
    Data,
    Dates,
    Debug,
    Decimal,
    Drop,
    Encoding,
    Json,
    Kinds,
    Overwrite,
    Quiet,
    Seed,
    Separator,
    parse_kinds,
)
from causalaug.cli._output import Output


class MethodName(StrEnum):
    """How a graph is looked for."""

    direct_lingam = "direct-lingam"
    pc = "pc"
    ges = "ges"
    fci = "fci"


@reported
def discover(
    data: Data,
    method: Annotated[
        MethodName,
        typer.Option(
            help="Linear causes with noise that is not normal (direct-lingam); tests of "
            "independence (pc); a score (ges); tests that allow for hidden causes (fci)."
        ),
    ] = MethodName.direct_lingam,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the graph goes: arrows, or by the ending .dot, .gml or .dagitty. "
            "Printed if left out.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(metavar="P", help="For pc and fci: the level of each test.")
    ] = 0.05,
    kinds: Kinds = None,
    overwrite: Overwrite = False,
    columns: Columns = None,
    drop: Drop = None,
    encoding: Encoding = "utf-8",
    separator: Separator = None,
    decimal: Decimal = None,
    dates: Dates = True,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Estimate a causal graph from data alone.

    An estimate is no knowledge: read it, correct it by what you know, check it, and let
    `causalaug evaluate` say whether it helps. Needs lingam and causal-learn: pip install
    "causalaug[discovery]".

    \b
    A first graph, to be edited:
      causalaug discover data.csv --method direct-lingam --out graph.txt
      causalaug check data.csv --graph graph.txt
    """
    from causalaug._atomic import check_output
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import graph_as_json, output_format, write_graph_file
    from causalaug.cli._table_files import read_table
    from causalaug.discovery import discover as discover_graph
    from causalaug.graphs import write_graph

    checked_kinds = parse_kinds(kinds)
    output = Output(json=json, quiet=quiet)
    if out is not None:
        check_output(out)
        check_not_an_input(out, [data], overwrite=overwrite)
    frame = read_table(
        data,
        encoding=encoding,
        separator=separator,
        columns=columns,
        drop=drop,
        decimal=decimal,
        dates=dates,
    )
    with output.progress("Looking for a graph"):
        found = discover_graph(
            frame, method.value, kinds=checked_kinds, alpha=alpha, random_state=seed
        )
    output.document({"method": method.value, **graph_as_json(found), "out": out and str(out)})
    if out is None:
        output.say(write_graph(found).rstrip("\n"))
        return
    write_graph_file(found, out, output_format(out))
    n_edges = len(found.directed) + len(found.bidirected)
    output.remark(f"Wrote {n_edges} edges to {out}. An estimate is no knowledge: read it first.")
