"""``causalaug augment``: a table and a graph in, a table with weights out."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
    Graph,
    Kinds,
    Limits,
    Out,
    Overwrite,
    SafeCsv,
    Seed,
    TextFormat,
    Trust,
    WeightColumn,
    parse_kinds,
    parse_limits,
    parse_trust,
)
from causalaug.cli._output import Output
from causalaug.cli._text import kinds_in_words

if TYPE_CHECKING:
    from causalaug.augmentation import AugmentedTable

MEANINGS = {
    "rows": "new rows",
    "mass": "what the weights add up to",
    "dropped_mass": "what pruning or dead ends lost",
    "novel_mass": "on rows that were not observed",
    "effective_sample_size": "in rows of equal weight",
}
"""What stands beside each figure."""
SHARE = 0.5
"""How much of the weight new rows hold beside the originals, unless it is said."""


class ConditionalName(StrEnum):
    """How one factor is modelled."""

    kernel = "kernel"
    residual = "residual"


class ExpansionName(StrEnum):
    """How the tree of possible rows is grown."""

    budget = "budget"
    pruned = "pruned"
    sampled = "sampled"
    beam = "beam"


Rows = Annotated[
    int | None,
    typer.Option(
        "--rows",
        metavar="N",
        min=1,
        help="How many rows to make at most; by default five for each observed row.",
        show_default=False,
    ),
]
ConditionalOption = Annotated[
    ConditionalName,
    typer.Option(help="Copy cells by kernel weights, or move them by a fitted mean as well."),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        metavar="T",
        help="How wide the kernels are: low stays close to the data, high smooths. By default "
        "0.3 for kernel, 2 for residual.",
        show_default=False,
    ),
]
ExpansionOption = Annotated[
    ExpansionName,
    typer.Option(
        help="Keep N rows without bias (budget), those above a threshold (pruned), draw N "
        "(sampled), or keep the N heaviest (beam)."
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="T",
        help="For pruned: paths of a weight below T / n end. By default 0.001.",
        show_default=False,
    ),
]

Originals = Annotated[
    bool, typer.Option("--originals", help="Put the observed rows first, with their weight.")
]
Share = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        min=0.0,
        max=1.0,
        help="With --originals: how much of the weight the new rows hold. By default 0.5.",
        show_default=False,
    ),
]
Provenance = Annotated[
    bool,
    typer.Option(
        "--provenance",
        help="Add columns row_of_...: the observed row that each cell came from, from 0.",
    ),
]


@reported
@with_groups
def augment(
    data: Data,
    graph: Graph,
    out: Out,
    rows: Rows = None,
    conditional: ConditionalOption = ConditionalName.kernel,
    temperature: Temperature = None,
    expansion: ExpansionOption = ExpansionName.budget,
    threshold: Threshold = None,
    kinds: Kinds = None,
    limits: Limits = None,
    trust: Trust = None,
    weight_column: WeightColumn = "weight",
    originals: Originals = False,
    share: Share = None,
    provenance: Provenance = False,
    safe_csv: SafeCsv = False,
    overwrite: Overwrite = False,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Make new, weighted rows that a causal graph makes plausible.

    Each cell of a new row is copied from an observed row; the graph says which cells may be
    combined anew. Give the weights to your learner: they estimate the probability of each row,
    and add up to 1 unless mass was dropped. With --originals they add up to the number of
    observed rows. Cells may be missing: a row serves every factor whose cells it has, and no cell
    of a new row is missing; missing cells of originals are drawn.

    \b
    Two signs of one disease, three ways to write the result:
      causalaug augment data.csv --graph 'fever <- sick -> cough' --out new.csv
      causalaug augment data.csv --graph graph.txt --out new.parquet --rows 5000
      causalaug augment data.csv --graph graph.txt --out new.csv --originals --share 0.3
    """
    from causalaug.augmentation import augment as augment_frame
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._rows import (
        check_new_columns,
        only_nodes,
        weighted_rows,
        with_whole_numbers,
    )
    from causalaug.cli._table_files import Expected, check_table_output, read_table, write_table

    options: dict[str, Any] = {
        "conditional": _conditional(conditional, temperature),
        "expansion": _expansion(expansion, rows, threshold),
        "kinds": parse_kinds(kinds),
        "limits": parse_limits(limits),
        **parse_trust(trust),
        "random_state": seed,
    }
    held = _held_by_new(originals=originals, share=share)
    check_table_output(out, safe=safe_csv)
    check_not_an_input(out, (data, graph), overwrite=overwrite)
    admg = open_graph(graph)
    expected = Expected(admg.nodes, options["kinds"])
    frame = read_table(data, text, chosen, expected, output.remark)
    frame = only_nodes(frame, admg.nodes, output)
    check_new_columns(list(frame.columns), weight_column, provenance=provenance)
    with output.progress("Growing the tree"):
        result = augment_frame(frame, admg, **options)
        new = weighted_rows(result, weight_column, share=held, provenance=provenance)
    with output.progress(f"Writing {out}"):
        write_table(with_whole_numbers(frame, new), out, safe=safe_csv)
    _tell(output, result, n_written=len(new), out=out)


def _conditional(name: ConditionalName, temperature: float | None) -> Any:
    """Return the conditional of that name."""
    from causalaug.conditionals import KernelConditional, ResidualConditional

    known = {
        ConditionalName.kernel: KernelConditional,
        ConditionalName.residual: ResidualConditional,
    }
    return known[name]() if temperature is None else known[name](temperature=temperature)


def _expansion(name: ExpansionName, rows: int | None, threshold: float | None) -> Any:
    """Return the expansion of that name; raise if an option is for another."""
    from causalaug.expansion import (
        BeamExpansion,
        BudgetExpansion,
        PrunedExpansion,
        SampledExpansion,
    )

    if threshold is not None and name != ExpansionName.pruned:
        raise typer.BadParameter("is for --expansion pruned.", param_hint="'--threshold'")
    if name == ExpansionName.pruned:
        if rows is not None:
            raise typer.BadParameter(
                "is not for --expansion pruned, which takes --threshold.", param_hint="'--rows'"
            )
        return PrunedExpansion() if threshold is None else PrunedExpansion(threshold)
    if name == ExpansionName.beam:
        if rows is None:
            raise typer.BadParameter("is needed for --expansion beam.", param_hint="'--rows'")
        return BeamExpansion(rows)
    return BudgetExpansion(rows) if name == ExpansionName.budget else SampledExpansion(rows)


def _held_by_new(*, originals: bool, share: float | None) -> float | None:
    """Return how much of the weight new rows hold beside the originals; None without those."""
    if not originals and share is not None:
        raise typer.BadParameter("is for --originals.", param_hint="'--share'")
    return SHARE if originals and share is None else share


def _tell(output: Output, result: "AugmentedTable", *, n_written: int, out: Path) -> None:
    """Say what was made, and what it is worth."""
    kinds = dict(zip(result.table.columns, result.table.kinds, strict=True))
    facts = _facts(result)
    output.document(
        {
            **facts,
            "out": str(out),
            "rows_written": n_written,
            "observed_rows": result.table.n_rows,
            "missing_cells": _n_missing(result),
            "kinds": kinds,
            "factors": [str(factor) for factor in result.factors],
        }
    )
    if output.quiet:
        return
    rows = [(name.replace("_", " "), fact, MEANINGS[name]) for name, fact in facts.items()]
    output.table(["", "", ""], rows)
    output.say(kinds_in_words(kinds))
    if _n_missing(result):
        output.say(
            f"Missing cells: {_n_missing(result)}. Each factor goes by the rows that have its "
            "cells; `causalaug check` says how many they are."
        )
    output.say(f"Factors: {' '.join(str(factor) for factor in result.factors)}")
    output.say(f"Wrote {n_written} rows to {out}")


def _facts(result: "AugmentedTable") -> dict[str, float]:
    """Return the figures that are shown, by the names of the library."""
    return {
        "rows": len(result),
        "mass": result.mass,
        "dropped_mass": result.dropped_mass,
        "novel_mass": result.novel_mass,
        "effective_sample_size": result.effective_sample_size,
    }


def _n_missing(result: "AugmentedTable") -> int:
    """Return how many cells of the observed rows are missing."""
    return 0 if result.table.missing is None else int(result.table.missing.sum())
