"""The Python blocks of the README run in order, in one namespace, and print what it shows."""

import re
from pathlib import Path

import pytest

import causalaug as ca
from markdown_blocks import differs, read_blocks, run

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = read_blocks(README)


def test_every_block_prints_what_is_shown():
    namespace = {}
    for code, shown, _ in BLOCKS:
        assert not differs(run(code, namespace, "README.md"), shown), code


def test_no_block_is_overlooked():
    assert len(BLOCKS) == README.count("```python") >= 3


def test_no_output_is_overlooked():
    assert sum(bool(block.shown) for block in BLOCKS) == README.count("```text")


def test_first_screen_has_ten_lines_of_code():
    assert len([line for line in BLOCKS[0].code.splitlines() if line.strip()]) <= 10


def test_names_that_are_used_exist():
    used = set(re.findall(r"\bca\.(\w+)", README))
    used |= set(re.findall(r"\b[A-Z]\w+(?:Expansion|Conditional)\b", README))
    assert used <= set(ca.__all__)


def test_it_is_a_page_and_its_first_screen_holds_what_decides():
    assert len(README.split()) < 1100
    screen = README.partition("## How it works")[0]
    for part in ("For whom?", "What do you gain?", "When not?", "pip install", "```python", "!["):
        assert part in screen
    assert re.search(r"\d ± \d.*\(docs/results/", " ".join(screen.split()).replace("[", "("))


@pytest.mark.parametrize("word", ["Markov pillow", "mb-shielded", "mass", "power of D"])
def test_words_of_the_paper_come_later(word):
    assert word not in README


def test_every_expansion_and_conditional_is_presented():
    strategies = {n for n in ca.__all__ if n.endswith(("Expansion", "Conditional"))}
    guide = Path(__file__).parents[1].joinpath("docs", "choosing.md").read_text(encoding="utf-8")
    assert all(name in guide for name in strategies)
