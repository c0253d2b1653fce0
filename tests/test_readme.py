"""The Python blocks of the README run in order, in one namespace, and print what it shows."""

import contextlib
import io
import re
from pathlib import Path

import causalaug as ca

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
PYTHON_AND_OUTPUT = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?", re.M | re.S)
BLOCKS = PYTHON_AND_OUTPUT.findall(README)


def run(code, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), namespace)
    return printed.getvalue()


def plain(text):
    return [line.rstrip() for line in text.splitlines()]


def test_every_block_prints_what_is_shown():
    namespace = {}
    for code, shown in BLOCKS:
        assert plain(run(code, namespace)) == plain(shown), code


def test_no_block_is_overlooked():
    assert len(BLOCKS) == README.count("```python") >= 8


def test_no_output_is_overlooked():
    assert sum(bool(shown) for _, shown in BLOCKS) == README.count("```text")


def test_first_screen_has_ten_lines_of_code():
    first, _ = BLOCKS[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 10


def test_names_that_are_used_exist():
    used = set(re.findall(r"\bca\.(\w+)", README))
    used |= set(re.findall(r"\b[A-Z]\w+(?:Expansion|Conditional)\b", README))
    assert used <= set(ca.__all__)


def test_every_expansion_and_conditional_is_presented():
    strategies = {n for n in ca.__all__ if n.endswith(("Expansion", "Conditional"))}
    assert all(name in README for name in strategies)
