"""The help teaches: every command has an example that parses, every option has words."""

import re
import shlex

import pytest

from command import run, succeed

COMMANDS = [
    ["demo"],
    ["augment"],
    ["evaluate"],
    ["predict"],
    ["complete"],
    ["check"],
    ["discover"],
    ["graph", "show"],
    ["graph", "convert"],
    ["graph", "pillow"],
    ["datasets", "list"],
    ["datasets", "export"],
]


def examples_in(text):
    return re.findall(r"^ +(causalaug [^|\n]+)", text.partition("Options:")[0], re.M)


def test_every_command_is_listed():
    listed = {line.split()[0] for line in _commands(succeed("--help").stdout)}
    assert listed >= {command[0] for command in COMMANDS}


def _commands(text):
    return [line for line in text.partition("Commands:\n")[2].splitlines() if line.strip()]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example(command):
    examples = examples_in(succeed(*command, "--help").stdout)
    assert any(shlex.split(example)[1 : len(command) + 1] == command for example in examples)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_example_is_one_that_the_options_allow(command, tmp_path, monkeypatch):
    for number, example in enumerate(examples_in(succeed(*command, "--help").stdout)):
        folder = tmp_path / str(number)  # without files, each ends at the first one that it needs
        folder.mkdir()
        monkeypatch.chdir(folder)
        words = shlex.split(example)[1:]
        if words[0] != "demo":
            assert run(*words).exit_code != 2, example


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_can_speak_to_machines_and_be_quiet(command):
    text = succeed(*command, "-h").stdout
    assert {"--json", "--quiet", "--debug"} <= set(re.findall(r"--[a-z]+", text))


def test_no_words_at_all_show_the_help():
    result = run()
    assert "causalaug demo" in result.stdout + result.stderr
