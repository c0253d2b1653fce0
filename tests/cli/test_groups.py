"""Options in groups: typer sees each of them, a command one value."""

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from causalaug.cli._options import with_groups


@dataclass(frozen=True)
class Size:
    height: Annotated[int, typer.Option(help="How high.")]
    width: Annotated[int, typer.Option(help="How wide.")] = 2


@with_groups
def paint(name: str, *, size: Size, colour: str = "red") -> None:
    """Paint a wall."""
    print(name, size, colour)


def test_the_options_of_a_group_stand_in_its_place_with_their_defaults():
    found = [(name, each.default) for name, each in signature(paint).parameters.items()]
    required = [("name", Parameter.empty), ("height", Parameter.empty)]
    assert found == [*required, ("width", 2), ("colour", "red")]


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["wall", "--height", "3"], "wall Size(height=3, width=2) red\n"),
        (["wall", "--width", "5", "--height", "3"], "wall Size(height=3, width=5) red\n"),
    ],
)
def test_a_command_gets_the_group_as_one_value(words, printed):
    app = typer.Typer()
    app.command()(paint)
    assert CliRunner().invoke(app, words).stdout == printed


def test_an_option_without_a_default_is_needed():
    app = typer.Typer()
    app.command()(paint)
    result = CliRunner().invoke(app, ["wall"])
    assert result.exit_code == 2
    assert "--height" in result.stderr
