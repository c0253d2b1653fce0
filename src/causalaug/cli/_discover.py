"""``causalaug discover``: a first guess at a graph, from data alone."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
    Kinds,
    Overwrite,
    Seed,
    TextFormat,
    parse_kinds,
)
from causalaug.cli._output import Output

if TYPE_CHECKING:
    from causalaug.discovery import Discovery, Knowledge


class MethodName(StrEnum):
    """How a graph is looked for."""

    direct_lingam = "direct-lingam"
    pc = "pc"
    ges = "ges"
    fci = "fci"


Method = Annotated[
    MethodName,
    typer.Option(
        help="Linear causes with noise that is not normal (direct-lingam); tests of "
        "independence (pc); a score (ges); tests that allow for hidden causes (fci)."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where the graph goes: arrows, or by the ending .dot, .gml or .dagitty. "
        "Printed if left out.",
        show_default=False,
    ),
]
Alpha = Annotated[float, typer.Option(metavar="P", help="For pc and fci: the level of each test.")]
Tiers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,...",
        help="Columns that come before those of the next --tier: nothing later causes them. "
        "Repeat it, the earliest first.",
        show_default=False,
    ),
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARROWS", help="Arrows that cannot be, as in 'A -> B'.", show_default=False
    ),
]
Required = Annotated[
    list[str] | None,
    typer.Option(metavar="ARROWS", help="Arrows that must be, as in 'A -> B'.", show_default=False),
]


@reported
@with_groups
def discover(
    data: Data,
    method: Method = MethodName.direct_lingam,
    out: Out = None,
    alpha: Alpha = 0.05,
    tier: Tiers = None,
    forbid: Forbidden = None,
    require: Required = None,
    kinds: Kinds = None,
    overwrite: Overwrite = False,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
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
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._table_files import Expected, read_table
    from causalaug.discovery import discover_explained

    checked_kinds = parse_kinds(kinds)
    knowledge = _knowledge(tier, forbid, require)
    if out is not None:
        check_output(out)
        check_not_an_input(out, [data], overwrite=overwrite)
    frame = read_table(data, text, chosen, Expected(kinds=checked_kinds), output.remark)
    with output.progress("Looking for a graph"):
        result = discover_explained(
            frame,
            method.value,
            knowledge=knowledge,
            kinds=checked_kinds,
            alpha=alpha,
            random_state=seed,
        )
    _tell(output, result, method, out)


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


def _arrows(option: str, texts: list[str] | None) -> list[tuple[str, str]]:
    """Return the arrows in some texts, and refuse anything else."""
    from causalaug.graphs import read_graph

    found: list[tuple[str, str]] = []
    for text in texts or ():
        graph = read_graph(text, format="arrows")
        if graph.bidirected or not graph.directed:
            raise typer.BadParameter(
                f"must be arrows, as in 'A -> B'. Found {text}", param_hint=f"'{option}'"
            )
        found += graph.directed
    return found


def _tell(output: Output, result: "Discovery", method: MethodName, out: Path | None) -> None:
    """Print the graph or write it to a file, and say how sure its edges are."""
    from causalaug.cli._graph_files import graph_as_json, output_format, write_graph_file
    from causalaug.graphs import write_graph

    graph, edges = result.graph, result.edges.to_dict("records")
    described = {"method": method.value, **graph_as_json(graph), "edges": edges}
    output.document({**described, "out": out and str(out)})
    if out is None:
        output.say(write_graph(graph).rstrip("\n"))
    else:
        write_graph_file(graph, out, output_format(out))
        output.remark(f"Wrote {len(edges)} edges to {out}. An estimate is no knowledge: read it.")
    output.remark(result.summary())
