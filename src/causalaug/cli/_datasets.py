"""``causalaug datasets``: tables with graphs to try the other commands on."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._output import Output

datasets = typer.Typer(
    name="datasets",
    no_args_is_help=True,
    help="Tables with graphs, to try the other commands on.",
)


class TableEnding(StrEnum):
    """The files that a table can be written as."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    feather = "feather"


@datasets.command("list")
@reported
@with_groups
def list_(*, output: Output) -> None:
    """Name the tables, their sizes and what is to be predicted.

    \b
    Which tables have an estimated graph, and which one of experts?
      causalaug datasets list --json
    """
    from causalaug.datasets import list_datasets, load_dataset
    from causalaug.exceptions import DataNotFoundError

    rows, documents = [], []
    for name in list_datasets():
        try:
            data = load_dataset(name)
        except DataNotFoundError:
            rows.append((name, "-", "-", "-", "not bundled: needs files of yours"))
            documents.append({"name": name, "bundled": False})
            continue
        about = data.description.partition(". ")[0].rstrip(".") + "."
        n_edges = len(data.graph.directed) + len(data.graph.bidirected)
        rows.append((name, str(len(data)), str(data.frame.shape[1]), data.target, about))
        documents.append(
            {
                "name": name,
                "bundled": True,
                "rows": len(data),
                "columns": list(data.frame.columns),
                "target": data.target,
                "edges": n_edges,
                "description": data.description,
            }
        )
    output.document({"datasets": documents})
    output.table(["name", "rows", "columns", "target", "about"], rows)


@datasets.command()
@reported
@with_groups
def export(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="One of the list.", show_default=False),
    ],
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the two files go.")] = Path(
        "."
    ),
    ending: Annotated[
        TableEnding, typer.Option("--format", help="The ending, and so the format, of the table.")
    ] = TableEnding.csv,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    *,
    output: Output,
) -> None:
    """Write a table and its graph into two files.

    Columns are scaled as the loaders of the library scale them, to mean 0 and standard
    deviation 1, except for integers.

    \b
    Then ask whether the graph helps:
      causalaug datasets export auto_mpg
      causalaug evaluate auto_mpg.csv --graph auto_mpg.graph.txt --target mpg
    """
    from causalaug.cli._graph_files import write_graph_file
    from causalaug.cli._table_files import check_table_output, write_table
    from causalaug.datasets import load_dataset
    from causalaug.exceptions import OutputError

    data = load_dataset(name)
    table, arrows = folder / f"{name}.{ending.value}", folder / f"{name}.graph.txt"
    check_table_output(table)
    there = [str(path) for path in (table, arrows) if path.exists()]
    if there and not force:
        raise OutputError(f"The files must be new. Found {there}. Use --force to replace them.")
    write_table(data.frame, table)
    write_graph_file(data.graph, arrows, "arrows")
    output.document(
        {"table": str(table), "graph": str(arrows), "target": data.target, "rows": len(data)}
    )
    if not output.quiet:
        output.say(data.description)
        output.say(f"Wrote {table} and {arrows}. Next:")
        output.say(f"  causalaug evaluate {table} --graph {arrows} --target {data.target}")
