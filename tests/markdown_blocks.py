"""Markdown pages whose Python blocks run, and print what is shown below them.

A block may say, in a comment above it, which package it needs: ``<!-- needs: lingam -->``.
"""

import contextlib
import io
import re
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
