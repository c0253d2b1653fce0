"""``causalaug check``: whether the graph fits the data."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
    Graph,
    Jobs,
    Kinds,
    Seed,
    TextFormat,
    check_jobs,
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


Test = Annotated[
    IndependenceTest,
    typer.Option(help="How to test an independence; auto goes by the kinds of the columns."),
]
Alpha = Annotated[
    float,
    typer.Option(metavar="P", help="The allowed probability of any false alarm, over all."),
]
All = Annotated[
    bool,
    typer.Option("--all", help="List the independences that are not rejected, too."),
]

Seconds = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="About how long the tests may take. Those with the most variables held fixed are "
        "left out, and listed.",
        show_default=False,
    ),
]


@reported
@with_groups
def check(
    data: Data,
    graph: Graph,
    test: Test = IndependenceTest.auto,
    alpha: Alpha = 0.05,
    every: All = False,
    kinds: Kinds = None,
    seconds: Seconds = None,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
    jobs: Jobs = 1,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Test the independences of a graph on the data.

    A graph claims that some variables are independent given others. Each claim is tested, and
    a missing edge is named. Not rejected is no proof; few rows cannot tell. Listed is what is
    violated, then what cannot be told; --all lists the rest as well. Below stands what left-out
    rows want beside the graph, and how much likelier they are with it.

    \b
    Does the wear alone explain heat and noise?
      causalaug check data.csv --graph 'load -> wear -> {heat, noise}'
    The verdict, for a script:
      causalaug check data.csv --graph graph.txt --json | jq -r .verdict
    """
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._rows import kinds_taken, only_nodes
    from causalaug.cli._table_files import Expected, read_table
    from causalaug.diagnostics import check_graph

    checked_kinds = parse_kinds(kinds)
    check_jobs(jobs)
    admg = open_graph(graph)
    expected = Expected(admg.nodes, checked_kinds)
    frame = read_table(data, text, chosen, expected, output.remark)
    frame = only_nodes(frame, admg.nodes, output)
    with output.progress("Testing independences") as progress:
        found = check_graph(
            frame,
            admg,
            kinds=checked_kinds,
            test=test.value,
            alpha=alpha,
            seconds=seconds,
            n_jobs=jobs,
            random_state=seed,
            callback=progress,
        )
    _tell(output, found, kinds_taken(frame, checked_kinds), every=every)


def _tell(output: Output, found: Any, kinds: dict[str, str], *, every: bool) -> None:
    """Say the verdict first, then what it rests on, what is in doubt before the rest."""
    output.document(
        {
            "verdict": found.verdict,
            "finding": found.finding,
            "alpha": found.alpha,
            "mb_shielded": found.mb_shielded,
            "kinds": kinds,
            "rows": found.n_rows,
            "left_out": len(found.left_out),
            "factor_rows": dict(found.factor_rows),
            "independences": found.frame.to_dict(orient="records"),
            "trust": found.trust.to_dict(orient="records"),
            "wishes": list(found.wishes),
        }
    )
    output.say(f"Verdict: {found.verdict}. {found.finding}")
    if output.quiet:
        return
    rank = {"violated": 0, "cannot tell": 1, "not rejected": 2}
    ordered = sorted(found, key=lambda row: (rank[row.verdict], row.p_holm))
    shown = [row for row in ordered if every or row.verdict != "not rejected"]
    if shown:
        head = ["variable", "independent of", "given", "test", "statistic", "p", "p (Holm)"]
        output.table([*head, "verdict"], [_cells(row) for row in shown])
    if len(shown) < len(found):
        some = "" if not shown else " more"
        output.say(f"{len(found) - len(shown)}{some} not rejected; --all lists them.")
    for line in (*found.left_out_in_words(), *found.wishes, found.summary().splitlines()[-1]):
        output.say(line)
    output.say(kinds_in_words(kinds))


def _cells(row: Any) -> tuple[object, ...]:
    """Return what is shown of one independence."""
    return (
        row.variable,
        row.independent_of,
        listed(row.given),
        row.test,
        row.statistic,
        row.p_value,
        row.p_holm,
        row.verdict + (f": {row.reason}" if row.reason else ""),
    )
