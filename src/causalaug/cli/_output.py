"""What a command says: results on the output, remarks and progress beside it."""

from __future__ import annotations

import io
import json
import math
import sys
import textwrap
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any

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
        """Yield a function to call with the steps done and their total."""
        if self.quiet:
            yield lambda done, total: None
            return
        if not sys.stderr.isatty():
            with _Heartbeat(label) as beat:
                yield beat.note
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            "left",
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bars:
            task = bars.add_task(label, total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)


class _Heartbeat:
    """Says every ten seconds how far the work is, from a thread of its own.

    The work itself reports only after each step, and one step may take a minute.
    """

    def __init__(self, label: str) -> None:
        self._label, self._began = label, monotonic()
        self._done, self._total = 0, 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="causalaug-progress", daemon=True)

    def note(self, done: int, total: int) -> None:
        """Keep how many steps are done, and of how many."""
        self._done, self._total = done, total

    def __enter__(self) -> _Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_LINES):
            print(self._line(monotonic() - self._began), file=sys.stderr, flush=True)

    def _line(self, seconds: float) -> str:
        steps = f" {self._done} of {self._total} steps," if self._total else ""
        left = seconds * (self._total - self._done) / self._done if self._done else 0.0
        after = f", about {left:.0f} s left" if left else ""
        return f"{self._label}:{steps} {seconds:.0f} s so far{after}"


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
