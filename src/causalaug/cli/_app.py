"""The commands, and what stands above them. To add one: write it, and put it into a list here."""

from collections.abc import Callable
from importlib import import_module
from typing import Annotated

import typer

from causalaug.cli._augment import augment, complete
from causalaug.cli._evaluate import check, evaluate
from causalaug.cli._examples import demo, export, list_
from causalaug.cli._graph import convert, discover, pillow, show
from causalaug.cli._predict import predict
from causalaug.cli._process import reported

app = typer.Typer(
    name="causalaug",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register(to: typer.Typer, *commands: Callable[..., None]) -> typer.Typer:
    for command in commands:
        to.command(command.__name__.rstrip("_"))(reported(command))
    return to


_register(app, demo, augment, evaluate, predict, complete, check, discover)
for name, about, commands in (
    (
        "graph",
        "Look at a graph, translate it, ask what a variable depends on.",
        (show, convert, pillow),
    ),
    ("datasets", "Tables with graphs, to try the other commands on.", (list_, export)),
):
    group = typer.Typer(name=name, no_args_is_help=True, help=about)
    app.add_typer(_register(group, *commands))


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"causalaug {import_module('causalaug').__version__}")
        raise typer.Exit


@app.callback()
def causalaug(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and exit."
        ),
    ] = False,
) -> None:
    """Turn a small table and a causal graph into better predictions.

    A graph says what causes what: 'load -> wear -> {heat, noise}; heat <-> noise', where <-> is
    a hidden common cause. Write it into a file, or straight into the command.

    \b
    To see it all on an example, in under a minute:
      causalaug demo
    Does my graph help to predict, and does it fit the data?
      causalaug evaluate data.csv --graph graph.txt --target wear --report report.html
    Make new, weighted rows for a learner of mine:
      causalaug augment data.csv --graph graph.txt --out augmented.parquet
    """
