"""The commands, and what stands above them. To add one: write its file, and a line here."""

from importlib import import_module
from typing import Annotated

import typer

from causalaug.cli._augment import augment
from causalaug.cli._check import check
from causalaug.cli._complete import complete
from causalaug.cli._datasets import datasets
from causalaug.cli._demo import demo
from causalaug.cli._discover import discover
from causalaug.cli._evaluate import evaluate
from causalaug.cli._graph import graph
from causalaug.cli._predict import predict

app = typer.Typer(
    name="causalaug",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command()(augment)
app.command()(evaluate)
app.command()(predict)
app.command()(complete)
app.command()(check)
app.command()(discover)
app.add_typer(graph)
app.add_typer(datasets)


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
