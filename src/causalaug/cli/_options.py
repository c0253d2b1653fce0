"""Arguments and options that several commands have, each written once, and what they mean.

Typer asks the signature of a command for its options, one parameter for each. How a table is read
takes seven, and six commands read tables. So options that are always given together are a group, a
frozen dataclass whose fields are annotated as the parameters would be, and a command has one
parameter for the group:

>>> from inspect import signature
>>> @with_groups
... def show(path: str, *, about: About) -> None:
...     print(path, about.kinds)

What typer sees, and calls, has the fields in the place of the group:

>>> list(signature(show).parameters)
['path', 'kinds', 'limits', 'trust']
>>> show(path="rows.csv", kinds=["x=ordered"], limits=None, trust=None)
rows.csv ['x=ordered']
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, get_type_hints

import typer

KindName: TypeAlias = Literal["continuous", "ordered", "nominal", "discrete"]
ONE_KIND = re.compile(r"(.+?)=(continuous|ordered|nominal|discrete)(?:,|\Z)", re.DOTALL)
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
ONE_LIMIT = re.compile(rf"(.+?)=({NUMBER})?:({NUMBER})?(?:,|\Z)", re.DOTALL)

TaskName = StrEnum("TaskName", ["regression", "classification"])
LearnerName = StrEnum("LearnerName", ["boosting", "forest", "logistic", "ridge", "xgboost"])


def option(
    help: str, *, names: str = "", metavar: str | None = None, default: Any = ..., **more: Any
) -> Any:
    """Return an option of typer; its names, if not that of the parameter, have blanks between."""
    return typer.Option(default, *names.split(), metavar=metavar, help=help, **more)


def refuse(name: str, message: str) -> NoReturn:
    """End a command as a mistake in one of its options."""
    raise typer.BadParameter(message, param_hint=f"'{name}'")


Task: TypeAlias = Annotated[
    TaskName | None,
    option(
        "By default what the learner does; else text and whole numbers of which exactly two "
        "differ are classes, all other numbers are numbers."
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
    option(
        "The causal graph: a file (arrows, DAGitty, DOT, GML), or the arrows themselves: "
        "'A -> B; B <-> C'. Behind an edge its belief may stand, 'A -> B [0.7]'. An order alone is "
        "'A, B < C < D'.",
        names="--graph -g",
        metavar="FILE|ARROWS",
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
Target: TypeAlias = Annotated[
    str, option("The column to predict.", names="--target -t", metavar="COLUMN")
]
Out: TypeAlias = Annotated[
    Path,
    option(
        "Where the rows go: .csv, .tsv, .parquet, .feather or .arrow. A file that is there is "
        "replaced, once all is written.",
        names="--out -o",
        metavar="FILE",
    ),
]
GraphOut: TypeAlias = Annotated[
    Path | None,
    option(
        "Where the graph goes: arrows, or by the ending .dot, .gml or .dagitty. Printed if left "
        "out.",
        names="--out -o",
        metavar="FILE",
    ),
]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    option(
        "Columns that are not what they look like, as in cylinders=continuous,month=nominal. "
        "By default floats, dates and integers with more than 10 values are continuous, other "
        "integers ordered, all else nominal.",
        metavar="COLUMN=KIND,...",
    ),
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option("--overwrite", help="Let the output replace a file that is read, if it is one."),
]
WeightColumn: TypeAlias = Annotated[
    str,
    option("The column that the weights go to.", metavar="NAME"),
]
SafeCsv: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text that a spreadsheet would run as a formula.",
    ),
]
Seed: TypeAlias = Annotated[int, option("One seed gives one result.", metavar="N", min=0)]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, and nothing else.")
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No remarks, no warnings, no progress.")
]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", help="Show where an error came from (or CAUSALAUG_DEBUG=1).")
]


def _checked_jobs(jobs: int) -> int:
    """Refuse a number of processes that is none."""
    if jobs == 0:
        refuse("--jobs", "must be a number of processes, or -1 for all cores. Found 0")
    return jobs


Jobs: TypeAlias = Annotated[
    int,
    option(
        "How many processes share the work; -1 for all cores. The result is the same.",
        names="--jobs -j",
        metavar="N",
        callback=_checked_jobs,
    ),
]


@dataclass(frozen=True)
class TableFormat:
    """Which columns of a table are used, and how the text of a .csv or .tsv becomes cells."""

    columns: Annotated[
        list[str] | None,
        option(
            "The columns to use; all others are left out. Can be repeated.", metavar="COLUMN,..."
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        option(
            "Columns to leave out, such as a row number. Can be repeated.", metavar="COLUMN,..."
        ),
    ] = None
    encoding: Annotated[str, option("The encoding of a .csv or .tsv table.", metavar="NAME")] = (
        "utf-8"
    )
    separator: Annotated[
        str | None,
        option("What separates the cells of a .csv table, if it is no comma.", metavar="SIGN"),
    ] = None
    decimal: Annotated[
        str | None,
        option(
            "What stands before the decimals in a .csv or .tsv table: a point, or a comma.",
            metavar="SIGN",
        ),
    ] = None
    dates: Annotated[
        bool,
        typer.Option(
            "--dates/--no-dates", help="Read cells such as 2024-02-29 of a .csv table as dates."
        ),
    ] = True
    missing: Annotated[
        list[str] | None,
        option(
            "What stands for a missing cell in a .csv or .tsv table, beside NA and the like: '*', "
            "-999. Can be repeated.",
            metavar="CELL",
        ),
    ] = None

    def with_all_columns(self) -> "TableFormat":
        """Return the same for a table of which no column is left out."""
        return replace(self, columns=None, drop=None)


@dataclass(frozen=True)
class About:
    """What the user says of the columns, and how far the graph is believed."""

    kinds: Kinds = None
    limits: Annotated[
        list[str] | None,
        option(
            "What columns may hold, as in dose=0:,share=0:1. By default what was never negative "
            "and comes close to 0 stays so.",
            metavar="COLUMN=LOW:HIGH,...",
        ),
    ] = None
    trust: Annotated[
        str | None,
        option(
            "How far the graph is believed: as it stands (full), factor by factor as far as "
            "left-out rows let it be (auto), or by a number from 0, its order alone, to 1, full.",
            metavar="full|auto|P",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return what was said as the library takes it.

        >>> About(["x=ordered"], ["dose=0:"], "0.5").options()
        {'kinds': {'x': 'ordered'}, 'limits': {'dose': (0.0, None)}, 'trust': 0.5}
        """
        limits = parse_limits(self.limits)
        return {"kinds": parse_kinds(self.kinds), "limits": limits, **parse_trust(self.trust)}


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups as parameters of their own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(command)
    def run(**options: Any) -> None:
        for name, group in groups.items():
            own = {field.name: options.pop(field.name) for field in fields(group)}
            options[name] = group(**own)
        command(**options)

    parameters = list(_flat_parameters(command, hints))
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    return run


def _flat_parameters(command: Callable[..., None], hints: dict[str, Any]) -> Iterator[Parameter]:
    """Yield the parameters of a command in order, the fields of a group in its place."""
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        flat = [(parameter.name, hint, parameter.default)]
        if is_dataclass(hint):
            own = get_type_hints(hint, include_extras=True)
            flat = [(field.name, own[field.name], field.default) for field in fields(hint)]
        for name, annotation, default in flat:
            default = Parameter.empty if default is MISSING else default
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def parse_trust(given: str | None) -> dict[str, str | float]:
    """Return the option `trust` as the library takes it; nothing if it was not given.

    >>> parse_trust("0.5"), parse_trust("auto"), parse_trust(None)
    ({'trust': 0.5}, {'trust': 'auto'}, {})
    """
    if given is None:
        return {}
    if given in ("full", "auto"):
        return {"trust": given}
    if not (re.fullmatch(NUMBER, given) and 0.0 <= float(given) <= 1.0):
        refuse("--trust", f"must be full, auto, or a number from 0 to 1. Found {given}")
    return {"trust": float(given)}


def parse_kinds(given: list[str] | None) -> dict[str, KindName]:
    """Return the kind of each column that was named.

    Names may hold commas and equals signs; the kinds tell where they end:

    >>> parse_kinds(["a=b=nominal,x, y=continuous"])
    {'a=b': 'nominal', 'x, y': 'continuous'}
    """
    form = "COLUMN=continuous, COLUMN=ordered or COLUMN=nominal, with commas between"
    found = _by_column("--kinds", ONE_KIND, form, given)
    return {name: kind for name, (kind,) in found.items()}


def parse_limits(given: list[str] | None) -> dict[str, tuple[float | None, float | None]]:
    """Return the limits of each column that was named.

    >>> parse_limits(["dose=0:,share=0:1", "t=:-2.5e3"])
    {'dose': (0.0, None), 'share': (0.0, 1.0), 't': (None, -2500.0)}
    """
    form = (
        "COLUMN=LOW:HIGH, either number left out where there is no limit, as in dose=0:,share=0:1"
    )
    found = _by_column("--limits", ONE_LIMIT, form, given)
    return {name: (low and float(low), high and float(high)) for name, (low, high) in found.items()}


def _by_column(
    option: str, pattern: re.Pattern[str], form: str, given: list[str] | None
) -> dict[str, Any]:
    """Return what an option says of each column; the pattern must make up all of its text."""
    found: dict[str, Any] = {}
    for text in given or ():
        matches = list(pattern.finditer(text))
        if not matches or "".join(match.group() for match in matches) != text:
            refuse(option, f"must be {form}. Found {text}")
        for match in matches:
            name, *values = match.groups()
            if name in found:  # nobody knows which of the two is meant
                refuse(option, f"must name each column once. Found {name!r} twice")
            found[name] = values
    return found
