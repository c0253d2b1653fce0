"""``causalaug check``: whether the graph fits the data."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._options import (
    Columns,
    Data,
    Dates,
    Debug,
    Decimal,
    Drop,
    Encoding,
    Graph,
    Json,
    Kinds,
    Quiet,
    Seed,
    Separator,
    parse_kinds,
)
from causalaug.cli._output import Output
from causalaug.cli._text import kinds_in_words, listed


class IndependenceTest(StrEnum):
    """How an independence is tested."""

    auto = "auto"
    partial_correlation = "partial_correlation"
    g_squared = "g_squared"
    gcm = "gcm"
    kci = "kci"


@reported
def check(
    data: Data,
    graph: Graph,
    test: Annotated[
        IndependenceTest,
        typer.Option(help="How to test an independence; auto goes by the kinds of the columns."),
    ] = IndependenceTest.auto,
    alpha: Annotated[
        float,
        typer.Option(metavar="P", help="The allowed probability of any false alarm, over all."),
    ] = 0.05,
    kinds: Kinds = None,
    columns: Columns = None,
    drop: Drop = None,
    encoding: Encoding = "utf-8",
    separator: Separator = None,
    decimal: Decimal = None,
    dates: Dates = True,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Test the independences of a graph on the data.

    A graph claims that some variables are independent given others. Each claim is tested, and
    a missing edge is named. Not rejected is no proof; few rows cannot tell.

    \b
    Does the wear alone explain heat and noise?
      causalaug check data.csv --graph 'load -> wear -> {heat, noise}'
    The verdict, for a script:
      causalaug check data.csv --graph graph.txt --json | jq -r .verdict
    """
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._table_files import read_table
    from causalaug.diagnostics import check_graph

    checked_kinds = parse_kinds(kinds)
    output = Output(json=json, quiet=quiet)
    admg = open_graph(graph)
    frame = read_table(
        data,
        encoding=encoding,
        separator=separator,
        columns=columns,
        drop=drop,
        decimal=decimal,
        dates=dates,
    )
    with output.progress("Testing independences"):
        found = check_graph(
            frame, admg, kinds=checked_kinds, test=test.value, alpha=alpha, random_state=seed
        )
    _tell(output, found, _kinds(frame, admg, checked_kinds))


def _kinds(frame: Any, graph: Any, kinds: Any) -> dict[str, str]:
    """Return the kinds that the columns of the graph are taken for."""
    from causalaug.table import Table, without_extra

    inside, _ = without_extra(frame, graph.nodes, "ignore")
    table = Table.from_frame(inside, kinds=kinds, holes=True)
    return dict(zip(table.columns, table.kinds, strict=True))


def _tell(output: Output, found: Any, kinds: dict[str, str]) -> None:
    """Say the verdict first, then what it rests on."""
    output.document(
        {
            "verdict": found.verdict,
            "alpha": found.alpha,
            "mb_shielded": found.mb_shielded,
            "kinds": kinds,
            "rows": found.n_rows,
            "factor_rows": dict(found.factor_rows),
            "independences": found.frame.to_dict(orient="records"),
        }
    )
    output.say(f"Verdict: {found.verdict}. {found.summary()}")
    if output.quiet:
        return
    if len(found):
        rows = [
            (
                row.variable,
                row.independent_of,
                listed(row.given),
                row.test,
                row.statistic,
                row.p_value,
                row.p_holm,
                row.verdict + (f": {row.reason}" if row.reason else ""),
            )
            for row in found
        ]
        head = ["variable", "independent of", "given", "test", "statistic", "p", "p (Holm)"]
        output.table([*head, "verdict"], rows)
    output.say(kinds_in_words(kinds))
