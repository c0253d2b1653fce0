"""Arguments and options that several commands have, each written once."""

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

ONE_KIND = re.compile(r"(.+?)=(continuous|discrete)(?:,|\Z)", re.DOTALL)

Data: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="The table: a .csv, .tsv, .parquet, .feather or .arrow file.",
        show_default=False,
    ),
]
Graph: TypeAlias = Annotated[
    str,
    typer.Option(
        "--graph",
        "-g",
        metavar="FILE|ARROWS",
        help="The causal graph: a file (arrows, DAGitty, DOT, GML), or the arrows themselves: "
        "'A -> B; B <-> C'.",
        show_default=False,
    ),
]
GraphSource: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A file (arrows, DAGitty, DOT, GML), or the arrows themselves: 'A -> B; B <-> C'.",
        show_default=False,
    ),
]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--kinds",
        metavar="COLUMN=KIND,...",
        help="Columns that are not what they look like, as in cylinders=continuous,month=discrete. "
        "By default floats are continuous, all else is discrete.",
        show_default=False,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="A column to leave out, such as a row number. Can be repeated.",
        show_default=False,
    ),
]
Encoding: TypeAlias = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="The encoding of a .csv or .tsv table.")
]
Separator: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="SIGN",
        help="What separates the cells of a .csv table, if it is no comma.",
        show_default=False,
    ),
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option("--overwrite", help="Let the output replace a file that is read, if it is one."),
]
Seed: TypeAlias = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="One seed gives one result.")
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, and nothing else.")
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No remarks, no warnings, no progress.")
]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", help="Show where an error came from (or CAUSALAUG_DEBUG=1).")
]


def parse_kinds(given: list[str] | None) -> dict[str, Literal["continuous", "discrete"]]:
    """Return the kind of each column that was named.

    Names may hold commas and equals signs; the kinds tell where they end:

    >>> parse_kinds(["a=b=discrete,x, y=continuous"])
    {'a=b': 'discrete', 'x, y': 'continuous'}
    """
    kinds: dict[str, Literal["continuous", "discrete"]] = {}
    for text in given or ():
        found = list(ONE_KIND.finditer(text))
        if "".join(match.group() for match in found) != text or not text:
            raise typer.BadParameter(
                f"must be COLUMN=continuous or COLUMN=discrete, with commas between. Found {text}",
                param_hint="'--kinds'",
            )
        kinds.update((match[1], match[2]) for match in found)  # type: ignore[misc]
    return kinds
