"""Arguments and options that several commands have, each written once.

Options that are always given together are a group, see `with_groups`: `ChosenColumns` and
`TextFormat` here, `Output` in a module of its own.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

KindName: TypeAlias = Literal["continuous", "ordered", "nominal", "discrete"]
KIND_NAMES = ("continuous", "ordered", "nominal", "discrete")
ONE_KIND = re.compile(rf"(.+?)=({'|'.join(KIND_NAMES)})(?:,|\Z)", re.DOTALL)
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
ONE_LIMIT = re.compile(rf"(.+?)=({NUMBER})?:({NUMBER})?(?:,|\Z)", re.DOTALL)


class TaskName(StrEnum):
    """What is predicted: numbers or classes."""

    regression = "regression"
    classification = "classification"


Task: TypeAlias = Annotated[
    TaskName | None,
    typer.Option(
        help="By default what the learner does; else text and whole numbers of which exactly two "
        "differ are classes, all other numbers are numbers.",
        show_default=False,
    ),
]
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
        "'A -> B; B <-> C'. Behind an edge its belief may stand, 'A -> B [0.7]'. An order alone is "
        "'A, B < C < D'.",
        show_default=False,
    ),
]
GraphSource: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A file (arrows, DAGitty, DOT, GML), or the arrows themselves: 'A -> B; B <-> C'; or "
        "an order, 'A, B < C < D'.",
        show_default=False,
    ),
]
Trust: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--trust",
        metavar="full|auto|P",
        help="How far the graph is believed: as it stands (full), factor by factor as far as "
        "left-out rows let it be (auto), or by a number from 0, its order alone, to 1, full.",
        show_default=False,
    ),
]
Out: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where the rows go: .csv, .tsv, .parquet, .feather or .arrow. A file that is there "
        "is replaced, once all is written.",
        show_default=False,
    ),
]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--kinds",
        metavar="COLUMN=KIND,...",
        help="Columns that are not what they look like, as in cylinders=continuous,month=nominal. "
        "By default floats, dates and integers with more than 10 values are continuous, other "
        "integers ordered, all else nominal.",
        show_default=False,
    ),
]
Limits: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--limits",
        metavar="COLUMN=LOW:HIGH,...",
        help="What columns may hold, as in dose=0:,share=0:1. By default what was never negative "
        "and comes close to 0 stays so.",
        show_default=False,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN,...",
        help="Columns to leave out, such as a row number. Can be repeated.",
        show_default=False,
    ),
]
Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="COLUMN,...",
        help="The columns to use; all others are left out. Can be repeated.",
        show_default=False,
    ),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="What stands before the decimals in a .csv or .tsv table: a point, or a comma.",
        show_default=False,
    ),
]
Dates: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--dates/--no-dates", help="Read cells such as 2024-02-29 of a .csv table as dates."
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
Missing: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="CELL",
        help="What stands for a missing cell in a .csv or .tsv table, beside NA and the like: '*', "
        "-999. Can be repeated.",
        show_default=False,
    ),
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option("--overwrite", help="Let the output replace a file that is read, if it is one."),
]
WeightColumn: TypeAlias = Annotated[
    str,
    typer.Option("--weight-column", metavar="NAME", help="The column that the weights go to."),
]
SafeCsv: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text that a spreadsheet would run as a formula.",
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="One seed gives one result.")
]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="How many processes share the work; -1 for all cores. The result is the same.",
    ),
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


@dataclass(frozen=True)
class ChosenColumns:
    """Which columns of a table are used; by default all."""

    columns: Columns = None
    drop: Drop = None


@dataclass(frozen=True)
class TextFormat:
    """How the text of a .csv or .tsv table becomes cells. Other tables say that themselves."""

    encoding: Encoding = "utf-8"
    separator: Separator = None
    decimal: Decimal = None
    dates: Dates = True
    missing: Missing = None


def check_jobs(jobs: int) -> None:
    """Refuse a number of processes that is none."""
    if jobs == 0:
        raise typer.BadParameter(
            "must be a number of processes, or -1 for all cores. Found 0", param_hint="'--jobs'"
        )


def parse_trust(given: str | None) -> dict[str, str | float]:
    """Return the option `trust` as the library takes it; nothing if it was not given.

    >>> parse_trust("0.5"), parse_trust("auto"), parse_trust(None)
    ({'trust': 0.5}, {'trust': 'auto'}, {})
    """
    if given is None:
        return {}
    if given in ("full", "auto"):
        return {"trust": given}
    if re.fullmatch(NUMBER, given) and 0.0 <= float(given) <= 1.0:
        return {"trust": float(given)}
    raise typer.BadParameter(
        f"must be full, auto, or a number from 0 to 1. Found {given}", param_hint="'--trust'"
    )


def parse_kinds(given: list[str] | None) -> dict[str, KindName]:
    """Return the kind of each column that was named.

    Names may hold commas and equals signs; the kinds tell where they end:

    >>> parse_kinds(["a=b=nominal,x, y=continuous"])
    {'a=b': 'nominal', 'x, y': 'continuous'}
    """
    kinds: dict[str, KindName] = {}
    for text in given or ():
        found = _matches(ONE_KIND, text)
        if not found:
            raise typer.BadParameter(
                "must be COLUMN=continuous, COLUMN=ordered or COLUMN=nominal, with commas between. "
                f"Found {text}",
                param_hint="'--kinds'",
            )
        _check_once("--kinds", [*kinds, *(match[1] for match in found)])
        kinds.update((match[1], match[2]) for match in found)  # type: ignore[misc]
    return kinds


def parse_limits(given: list[str] | None) -> dict[str, tuple[float | None, float | None]]:
    """Return the limits of each column that was named.

    >>> parse_limits(["dose=0:,share=0:1", "t=:-2.5e3"])
    {'dose': (0.0, None), 'share': (0.0, 1.0), 't': (None, -2500.0)}
    """
    limits: dict[str, tuple[float | None, float | None]] = {}
    for text in given or ():
        found = _matches(ONE_LIMIT, text)
        if not found:
            raise typer.BadParameter(
                "must be COLUMN=LOW:HIGH, either number left out where there is no limit, as in "
                f"dose=0:,share=0:1. Found {text}",
                param_hint="'--limits'",
            )
        _check_once("--limits", [*limits, *(match[1] for match in found)])
        limits.update((match[1], (_number(match[2]), _number(match[3]))) for match in found)
    return limits


def _check_once(option: str, names: list[str]) -> None:
    """Refuse a column that is named twice: nobody knows which of the two is meant."""
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise typer.BadParameter(
            f"must name each column once. Found {twice[0]!r} twice", param_hint=f"'{option}'"
        )


def _matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the matches that make up a text; none if something else is in it."""
    found = list(pattern.finditer(text))
    return found if "".join(match.group() for match in found) == text else []


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
