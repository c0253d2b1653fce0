"""The Python blocks and the commands of the pages run, and print what is shown."""

import re
import shlex
from pathlib import Path

import pytest

import command
from markdown_blocks import differs, plain, read_blocks, run

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
BLOCKS = {name: read_blocks(text) for name, text in PAGES.items()}
WITH_CODE = [name for name, blocks in BLOCKS.items() if blocks]
NEEDY = [
    (name, number)
    for name, blocks in BLOCKS.items()
    for number, block in enumerate(blocks)
    if block.needs
]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SLOW_COMMANDS = ["demo", "evaluate"]


@pytest.mark.parametrize("name", WITH_CODE)
def test_every_block_prints_what_is_shown(name):
    namespace = {}
    for block in BLOCKS[name]:
        if block.needs is None:
            assert not differs(run(block.code, namespace, name), block.shown), block.code


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "number"), NEEDY)
def test_blocks_that_need_another_package(name, number):
    *before, block = BLOCKS[name][: number + 1]
    pytest.importorskip(block.needs, exc_type=ImportError)
    namespace = {}
    for earlier in before:
        if earlier.needs is None:
            run(earlier.code, namespace, name)
    assert not differs(run(block.code, namespace, name), block.shown)


@pytest.mark.parametrize("name", WITH_CODE)
def test_nothing_is_overlooked(name):
    assert len(BLOCKS[name]) == PAGES[name].count("```python")
    assert sum(bool(block.shown) for block in BLOCKS[name]) == PAGES[name].count("```text")


def test_what_other_packages_are_needed_is_known():
    needs = {BLOCKS[name][number].needs for name, number in NEEDY}
    assert needs == {"causallearn", "dowhy", "lingam", "pgmpy"}


def commands(text):
    """Yield the words of each command ``$ causalaug ...``, and the lines that it shows."""
    for block in CONSOLE.findall(text):
        for line, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            words = shlex.split(line, comments=True)
            if words[0] == "causalaug":
                yield words[1:], shown


def test_commands_run_and_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(commands(PAGES["command_line"]))
    for words, shown in found:
        if words[0] not in SLOW_COMMANDS:
            printed = command.succeed(*words).stdout
            assert not shown or plain(printed) == plain(shown), words
    assert len(found) >= 6
    assert any(shown for _, shown in found)
