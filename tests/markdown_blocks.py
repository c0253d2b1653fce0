"""Markdown pages whose Python blocks run, and print what is shown below them.

A block may say, in a comment above it, which package it needs: ``<!-- needs: lingam -->``.
"""

import contextlib
import io
import re
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(
    r"^(?:<!-- needs: (?P<needs>\w+) -->\n)?"
    r"^```python\n(?P<code>.*?)^```\n"
    r"(?:\n^```text\n(?P<shown>.*?)^```$)?",
    re.M | re.S,
)


class Block(NamedTuple):
    """Code, the output that is shown for it, and the package that it needs, or None."""

    code: str
    shown: str
    needs: str | None


def read_blocks(text):
    """Return the Python blocks of a page in their order."""
    return [
        Block(match["code"], match["shown"] or "", match["needs"]) for match in BLOCK.finditer(text)
    ]


def run(code, namespace, name="page"):
    """Run code in a namespace, and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), namespace)
    return printed.getvalue()


def plain(text):
    """Return lines without what stands at their ends and is not seen."""
    return [line.rstrip() for line in text.splitlines()]


PINNED = re.compile(r"^(numpy|scipy|scikit-learn)==(.*)$", re.M)
FIGURE = re.compile(r"[+-]?\d+\.\d+")
LAST_DIGITS = 5
"""By so many units of its last digit a figure may differ where other versions compute it."""


def are_pinned():
    """Say whether the installed versions are those with which the pages were written."""
    pins = Path(__file__).parents[1].joinpath("constraints.txt").read_text(encoding="utf-8")
    return all(version(name) == pin for name, pin in PINNED.findall(pins))


def differs(printed, shown):
    """Return the lines that are not as shown, in pairs; an empty list if all are.

    With the versions of the pages every character counts. Older forests and solvers give figures
    that differ in their last digits, and may: their words and whole numbers may not.
    """
    printed, shown = plain(printed), plain(shown)
    if len(printed) != len(shown):
        return [(printed, shown)]
    exact = are_pinned()
    pairs = zip(printed, shown, strict=True)
    return [(a, b) for a, b in pairs if a != b and (exact or not _is_close(a, b))]


def _is_close(printed, shown):
    """Say whether two lines differ in nothing but the last digits of figures with a point."""
    if FIGURE.sub("#", printed) != FIGURE.sub("#", shown):
        return False
    pairs = zip(FIGURE.findall(printed), FIGURE.findall(shown), strict=True)
    return all(abs(float(a) - float(b)) <= LAST_DIGITS * _unit(b) * (1 + 1e-9) for a, b in pairs)


def _unit(figure):
    """Return what one more in the last digit of a figure is."""
    return 10.0 ** -len(figure.partition(".")[2])
