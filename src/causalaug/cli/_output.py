"""What a command says: results on the output, remarks and progress beside it.

Names and cells come from data: to a terminal, none of them is a command.
"""

from __future__ import annotations

import io
import json
import math
import sys
import textwrap
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from causalaug._markup import plain, visible
from causalaug._progress import Steps, shown
from causalaug.cli._options import Debug, Json, Quiet  # noqa: TC001  typer reads them

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


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
        """Print a part of the result for people; lines are broken for a terminal only."""
        if self.json:
            return
        lines = [printable(line) for line in text.split("\n")]
        if sys.stdout.isatty():
            width = get_terminal_size().columns
            lines = [part for line in lines for part in textwrap.wrap(line, width) or [""]]
        print("\n".join(lines))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table for people; numbers stand to the right."""
        if self.json:
            return
        width = get_terminal_size().columns if sys.stdout.isatty() else 1000
        drawn = _drawn(head, rows, width)
        print("\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()))

    def document(self, content: Mapping[str, Any]) -> None:
        """Print the result for machines, if they asked."""
        if self.json:
            print(json.dumps(plain(content), indent=2, allow_nan=False))

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """Yield a function to call with the steps done and their total.

        Who stops the work, by Ctrl-C or otherwise, reads how far it was.
        """
        if self.quiet:
            yield lambda done, total: None
            return
        steps = Steps(label)
        try:
            with shown(label) as steps:
                yield steps
        except BaseException as stop:
            if steps.done and not isinstance(stop, Exception):
                self.remark(f"{steps.line().partition(', about')[0]}, then it was stopped.")
            raise


def printable(text: str) -> str:
    r"""Return the text with control characters as escapes; line breaks stay.

    >>> printable("dose \x1b[2J")
    'dose \\x1b[2J'
    """
    return "\n".join(map(visible, text.split("\n")))


def on_one_line(text: str) -> str:
    r"""Return the text without line breaks and other control characters.

    >>> on_one_line("a\n  column\twith\x07breaks")
    'a column with\\x07breaks'
    """
    return visible(" ".join(text.split()))


def listed(names: Iterable[str]) -> str:
    """Return names with commas between them, or a dash.

    >>> listed(["load", "wear"]), listed([])
    ('load, wear', '-')
    """
    return ", ".join(names) or "-"


def kinds_in_words(kinds: Mapping[str, str]) -> str:
    """Return in one line which columns are of which kind, and how to change it.

    >>> kinds_in_words({"load": "continuous", "town": "nominal", "heat": "continuous"})
    'Kinds: continuous: load, heat; nominal: town (--kinds changes them).'
    """
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(kind, []).append(name)
    words = "; ".join(f"{kind}: {listed(names)}" for kind, names in by_kind.items())
    return f"Kinds: {words} (--kinds changes them)."


def _drawn(head: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> str:
    """Return a table as text; cells are shown as they are, and are no markup."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    takes_lines = (sys.stdout.encoding or "").lower().startswith("utf")
    table = Table(box=box.SIMPLE_HEAD if takes_lines else box.ASCII2, show_header=any(head))
    for place, name in enumerate(head):
        numbers = all(isinstance(row[place], int | float) for row in rows)
        table.add_column(Text(on_one_line(name)), justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    drawing = io.StringIO()
    Console(file=drawing, width=width).print(table)
    return drawing.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return on_one_line(str(value))
