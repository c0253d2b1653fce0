"""What a command says: results on the output, remarks and progress beside it."""

from __future__ import annotations

import io
import json
import math
import sys
import textwrap
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from causalaug._progress import Shown, Steps
from causalaug.cli._errors import Terminated
from causalaug.cli._options import Debug, Json, Quiet  # noqa: TC001  typer reads them
from causalaug.cli._text import on_one_line, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SECONDS_BETWEEN_LINES = 10.0

WIDE = 1000
"""The width of an output that is no terminal: lines are not broken for a file."""


@dataclass(frozen=True)
class Output:
    """Where a command speaks, and how much.

    Results go to the standard output: as text, or as one JSON document and nothing else.
    Remarks and progress go to the standard error stream. Progress is a bar on a terminal, and
    a line every ten seconds elsewhere, so that a log shows that something is under way. What is
    said of errors is up to `reported`, which looks at `quiet` and `debug`.

    It is a group of options, see `with_groups`: a command that names it has ``--json``, ``--quiet``
    and ``--debug``.
    """

    json: Json = False
    quiet: Quiet = False
    debug: Debug = False

    def remark(self, text: str) -> None:
        """Say something that is not the result."""
        if not self.quiet:
            print(printable(text), file=sys.stderr)

    def say(self, text: str = "") -> None:
        """Print a part of the result for people."""
        if not self.json:
            print(_wrapped(printable(text)) if sys.stdout.isatty() else printable(text))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table for people; numbers stand to the right."""
        if self.json:
            return
        width = get_terminal_size().columns if sys.stdout.isatty() else WIDE
        drawn = _drawn(head, rows, width, in_ascii=not _takes_lines(sys.stdout.encoding))
        print("\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()))

    def document(self, content: Mapping[str, Any]) -> None:
        """Print the result for machines, if they asked."""
        if self.json:
            print(json.dumps(plain(content), indent=2, allow_nan=False))

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """Yield a function to call with the steps done and their total.

        Who interrupts the work reads how far it was.
        """
        if self.quiet:
            yield lambda done, total: None
            return
        shown = _bar(label) if sys.stderr.isatty() else _lines(label)
        try:
            with shown as steps:
                yield steps
        except (KeyboardInterrupt, Terminated):
            if steps.done:
                self.remark(f"{steps.line().partition(', about')[0]}, then it was stopped.")
            raise


def _lines(label: str) -> AbstractContextManager[Steps]:
    """Return what says every ten seconds how far the work is."""
    return Shown(label, every=SECONDS_BETWEEN_LINES, in_place=False)


@contextmanager
def _bar(label: str) -> Iterator[Steps]:
    """Draw a bar on a terminal, from a thread of its own."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    steps = Steps(label)

    class Counted(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{steps.done}/{steps.total}" if steps.total else "")

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            bars.update(task.id, completed=steps.share, total=1.0 if steps.total else None)
            left = steps.seconds_left()
            return Text("" if left is None else f"about {left:.0f} s left")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        Counted(),
        TimeElapsedColumn(),
        Left(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bars.add_task(label, total=None)
        yield steps


def plain(value: Any) -> Any:
    """Return a value as JSON has it; what is no finite number becomes null.

    >>> plain({"p": float("nan"), "given": ("a", "b")})
    {'p': None, 'given': ['a', 'b']}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(cell) for key, cell in value.items()}
    if isinstance(value, list | tuple):
        return [plain(cell) for cell in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)


def _wrapped(text: str) -> str:
    """Return the text with its lines broken between words, for a terminal."""
    width = get_terminal_size().columns
    lines = (textwrap.wrap(line, width) or [""] for line in text.split("\n"))
    return "\n".join(line for broken in lines for line in broken)


def _drawn(
    head: Sequence[str], rows: Sequence[Sequence[object]], width: int, *, in_ascii: bool
) -> str:
    """Return a table as text; cells are shown as they are, and are no markup."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = list(zip(*rows, strict=True)) if rows else [()] * len(head)
    table = Table(box=box.ASCII2 if in_ascii else box.SIMPLE_HEAD, show_header=any(head))
    for name, cells in zip(head, columns, strict=True):
        numbers = all(isinstance(cell, int | float) for cell in cells)
        table.add_column(Text(on_one_line(name)), justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    drawing = io.StringIO()
    Console(file=drawing, width=width).print(table)
    return drawing.getvalue()


def _takes_lines(encoding: str | None) -> bool:
    return (encoding or "").lower().startswith("utf")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return on_one_line(str(value))
