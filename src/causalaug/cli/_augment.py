"""``causalaug augment``: a table and a graph in, a table with weights out."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

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
    Limits,
    Out,
    Overwrite,
    Quiet,
    SafeCsv,
    Seed,
    Separator,
    WeightColumn,
    parse_kinds,
    parse_limits,
)
from causalaug.cli._output import Output
from causalaug.cli._text import kinds_in_words, listed

if TYPE_CHECKING:
    from pathlib import Path

    from causalaug.augmentation import AugmentedTable


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
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="T",
        help="For pruned: paths of a weight below T / n end. By default 0.001.",
        show_default=False,
    ),
]


@reported
def augment(
    data: Data,
    graph: Graph,
    out: Out,
    rows: Rows = None,
    conditional: Annotated[
        ConditionalName,
        typer.Option(help="Copy cells by kernel weights, or move them by a fitted mean as well."),
    ] = ConditionalName.kernel,
    temperature: Temperature = None,
    expansion: Annotated[
        ExpansionName,
        typer.Option(
            help="Keep N rows without bias (budget), those above a threshold (pruned), draw N "
            "(sampled), or keep the N heaviest (beam)."
        ),
    ] = ExpansionName.budget,
    threshold: Threshold = None,
    kinds: Kinds = None,
    limits: Limits = None,
    weight_column: WeightColumn = "weight",
    originals: Annotated[
        bool, typer.Option("--originals", help="Put the observed rows first, with their weight.")
    ] = False,
    share: Annotated[
        float,
        typer.Option(
            metavar="S",
            min=0.0,
            max=1.0,
            help="With --originals: how much of the weight the new rows hold.",
        ),
    ] = 0.5,
    provenance: Annotated[
        bool,
        typer.Option(
            "--provenance",
            help="Add columns row_of_...: the observed row that each cell came from, from 0.",
        ),
    ] = False,
    safe_csv: SafeCsv = False,
    overwrite: Overwrite = False,
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
    from causalaug.cli._rows import check_new_columns, weighted_rows, with_whole_numbers
    from causalaug.cli._table_files import check_table_output, read_table, write_table
    from causalaug.table import without_extra

    strategies = {
        "conditional": _conditional(conditional, temperature),
        "expansion": _expansion(expansion, rows, threshold),
    }
    checked_kinds, checked_limits = parse_kinds(kinds), parse_limits(limits)
    output = Output(json=json, quiet=quiet)
    check_table_output(out, safe=safe_csv)
    check_not_an_input(out, (data, graph), overwrite=overwrite)
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
    frame, outside = without_extra(frame, admg.nodes, "ignore")
    if outside:
        output.remark(f"Left out, since they are no node of the graph: {listed(outside)}")
    check_new_columns(list(frame.columns), weight_column, provenance=provenance)
    with output.progress("Growing the tree"):
        result = augment_frame(
            frame,
            admg,
            kinds=checked_kinds,
            limits=checked_limits,
            random_state=seed,
            **strategies,
        )
        new = weighted_rows(
            result, weight_column, share=share if originals else None, provenance=provenance
        )
    with output.progress(f"Writing {out}"):
        write_table(with_whole_numbers(frame, new), out, safe=safe_csv)
    _tell(output, result, n_written=len(new), out=out)


def _conditional(name: ConditionalName, temperature: float | None) -> Any:
    from causalaug.conditionals import KernelConditional, ResidualConditional

    known = {
        ConditionalName.kernel: KernelConditional,
        ConditionalName.residual: ResidualConditional,
    }
    return known[name]() if temperature is None else known[name](temperature=temperature)


def _expansion(name: ExpansionName, rows: int | None, threshold: float | None) -> Any:
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


def _tell(output: Output, result: AugmentedTable, *, n_written: int, out: Path) -> None:
    """Say what was made, and what it is worth."""
    kinds = dict(zip(result.table.columns, result.table.kinds, strict=True))
    facts = {
        "rows": len(result),
        "mass": result.mass,
        "dropped_mass": result.dropped_mass,
        "novel_mass": result.novel_mass,
        "effective_sample_size": result.effective_sample_size,
    }
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
    meanings = (
        "new rows",
        "what the weights add up to",
        "what pruning or dead ends lost",
        "on rows that were not observed",
        "in rows of equal weight",
    )
    names = [name.replace("_", " ") for name in facts]
    output.table(["", "", ""], list(zip(names, facts.values(), meanings, strict=True)))
    output.say(kinds_in_words(kinds))
    if _n_missing(result):
        output.say(
            f"Missing cells: {_n_missing(result)}. Each factor goes by the rows that have its "
            "cells; `causalaug check` says how many they are."
        )
    output.say(f"Factors: {' '.join(str(factor) for factor in result.factors)}")
    output.say(f"Wrote {n_written} rows to {out}")


def _n_missing(result: AugmentedTable) -> int:
    return 0 if result.table.missing is None else int(result.table.missing.sum())
