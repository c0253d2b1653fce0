"""The Python blocks of the README run in order, in one namespace, and print what it shows."""

import re
from pathlib import Path

import causalaug as ca
from markdown_blocks import plain, read_blocks, run

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = read_blocks(README)


def test_every_block_prints_what_is_shown():
    namespace = {}
    for code, shown, _ in BLOCKS:
        assert plain(run(code, namespace, "README.md")) == plain(shown), code


def test_no_block_is_overlooked():
    assert len(BLOCKS) == README.count("```python") >= 8


def test_no_output_is_overlooked():
    assert sum(bool(block.shown) for block in BLOCKS) == README.count("```text")


def test_first_screen_has_ten_lines_of_code():
    assert len([line for line in BLOCKS[0].code.splitlines() if line.strip()]) <= 10


def test_names_that_are_used_exist():
    used = set(re.findall(r"\bca\.(\w+)", README))
    used |= set(re.findall(r"\b[A-Z]\w+(?:Expansion|Conditional)\b", README))
    assert used <= set(ca.__all__)


def test_every_expansion_and_conditional_is_presented():
    strategies = {n for n in ca.__all__ if n.endswith(("Expansion", "Conditional"))}
    assert all(name in README for name in strategies)
