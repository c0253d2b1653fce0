"""Measure the speed again, and fail if it fell behind the committed table.

    make bench-check

Only ratios are compared, of two programs that run side by side: seconds depend on the machine. The
ratios of `docs/results/speed.md` against the dense algorithm must not have fallen below half, and
the rows that come out must be as many.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

SPEED = Path(__file__).resolve().parent.parent / "docs" / "results" / "speed.md"
TITLE = "## The pruned tree against the dense algorithm"
SLACK = 0.5
"""On a busy machine of two cores, ratios of the same code differed by up to a third."""


def rows_of(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of the first table below a title, each by the names of its columns."""
    lines = text.partition(title)[2].splitlines()[1:]
    below = next((i for i, line in enumerate(lines) if line.startswith("#")), len(lines))
    cells = [_cells(line) for line in lines[:below] if line.startswith("|")]
    if not cells:
        raise ValueError(f"There must be a table below {title!r}. Found none.")
    head, _, *body = cells
    return [dict(zip(head, row, strict=True)) for row in body]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def complaints(
    committed: Sequence[dict[str, str]], measured: Iterable[Sequence[str]], slack: float = SLACK
) -> list[str]:
    """Return in words where the measured rows fall behind the committed ones."""
    found = []
    known = {(row["table"], row["temperature"]): row for row in committed}
    for row in measured:
        now = dict(zip(committed[0], row, strict=True))
        name = f"{now['table']}, temperature {now['temperature']}"
        then = known.get((now["table"], now["temperature"]))
        if then is None:
            found.append(f"{name}: not in the committed table. Run `make bench`.")
            continue
        if now["rows out"] != then["rows out"]:
            found.append(f"{name}: {now['rows out']} rows out, committed {then['rows out']}.")
        if float(now["ratio"]) < slack * float(then["ratio"]):
            found.append(f"{name}: {now['ratio']} times the dense speed, was {then['ratio']}.")
    return found


def main() -> None:
    from speed import compare_with_dense

    committed = rows_of(SPEED.read_text(encoding="utf-8"), TITLE)
    measured = []
    for row in compare_with_dense():
        measured.append(row)
        print(" | ".join(row), flush=True)
    found = complaints(committed, measured)
    if found:
        sys.exit("\n".join(["Slower than the committed table:", *found]))
    print(f"As fast as {SPEED.name} says, give or take {1 - SLACK:.0%}.")


if __name__ == "__main__":
    main()
