"""``causalaug augment`` and ``complete``: new rows, and old rows without holes."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causalaug.cli._options import (
    About,
    Data,
    Graph,
    Out,
    Overwrite,
    SafeCsv,
    Seed,
    TableFormat,
    WeightColumn,
    option,
    refuse,
)
from causalaug.cli._output import Output, kinds_in_words

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.augmentation import AugmentedTable
    from causalaug.model import GraphModel

MEANINGS = {
    "rows": "new rows",
    "mass": "what the weights add up to",
    "dropped_mass": "what pruning or dead ends lost",
    "novel_mass": "on rows that were not observed",
    "effective_sample_size": "in rows of equal weight",
}
"""What stands beside each figure of an augmented table."""

ConditionalName = StrEnum("ConditionalName", ["kernel", "residual"])
ExpansionName = StrEnum("ExpansionName", ["budget", "pruned", "sampled", "beam"])


def augment(
    data: Data,
    graph: Graph,
    out: Out,
    rows: int | None = option(
        "How many rows to make at most; by default five for each observed row.",
        default=None,
        metavar="N",
        min=1,
    ),
    conditional: ConditionalName = option(
        "Copy cells by kernel weights, or move them by a fitted mean as well.",
        default=ConditionalName.kernel,
    ),
    temperature: float | None = option(
        "How wide the kernels are: low stays close to the data, high smooths. By default "
        "0.3 for kernel, 2 for residual.",
        default=None,
        metavar="T",
    ),
    expansion: ExpansionName = option(
        "Keep N rows without bias (budget), those above a threshold (pruned), draw N "
        "(sampled), or keep the N heaviest (beam).",
        default=ExpansionName.budget,
    ),
    threshold: float | None = option(
        "For pruned: paths of a weight below T / n end. By default 0.001.",
        default=None,
        metavar="T",
    ),
    weight_column: WeightColumn = "weight",
    originals: bool = option(
        "Put the observed rows first, with their weight.", default=False, names="--originals"
    ),
    share: float | None = option(
        "With --originals: how much of the weight the new rows hold. By default 0.5.",
        default=None,
        metavar="S",
        min=0.0,
        max=1.0,
    ),
    provenance: bool = option(
        "Add columns row_of_...: the observed row that each cell came from, from 0.",
        default=False,
        names="--provenance",
    ),
    safe_csv: SafeCsv = False,
    overwrite: Overwrite = False,
    *,
    about: About,
    table: TableFormat,
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
    from causalaug.cli import _files, _rows, _tables

    options = {
        "conditional": _conditional(conditional, temperature),
        "expansion": _expansion(expansion, rows, threshold),
        **about.options(),
        "random_state": seed,
    }
    if share is not None and not originals:
        refuse("--share", "is for --originals.")
    _tables.check_table_output(out, safe=safe_csv)
    _files.check_not_an_input(out, (data, graph), overwrite=overwrite)
    admg, frame = _rows.read_rows(data, graph, table, options["kinds"], output)
    _rows.check_new_columns(list(frame.columns), weight_column, provenance=provenance)
    with output.progress("Growing the tree"):
        result = augment_frame(frame, admg, **options)
        held = (0.5 if share is None else share) if originals else None
        new = _rows.weighted_rows(result, weight_column, share=held, provenance=provenance)
    with output.progress(f"Writing {out}"):
        _tables.write_table(_rows.with_whole_numbers(frame, new), out, safe=safe_csv)
    _show_augmented(output, result, n_written=len(new), out=out)


def _conditional(name: str, temperature: float | None) -> Any:
    """Return the conditional of that name."""
    from causalaug.conditionals import KernelConditional, ResidualConditional

    conditional = {"kernel": KernelConditional, "residual": ResidualConditional}[name]
    return conditional() if temperature is None else conditional(temperature=temperature)


def _expansion(name: str, rows: int | None, threshold: float | None) -> Any:
    """Return the expansion of that name; raise if an option is for another."""
    from causalaug.expansion import (
        BeamExpansion,
        BudgetExpansion,
        PrunedExpansion,
        SampledExpansion,
    )

    if threshold is not None and name != "pruned":
        refuse("--threshold", "is for --expansion pruned.")
    if rows is not None and name == "pruned":
        refuse("--rows", "is not for --expansion pruned, which takes --threshold.")
    if rows is None and name == "beam":
        refuse("--rows", "is needed for --expansion beam.")
    if name == "pruned":
        return PrunedExpansion() if threshold is None else PrunedExpansion(threshold)
    known: dict[str, Any] = {"beam": BeamExpansion, "budget": BudgetExpansion}
    return known.get(name, SampledExpansion)(rows)


def _show_augmented(output: Output, result: "AugmentedTable", *, n_written: int, out: Path) -> None:
    """Say what was made, and what it is worth."""
    table = result.table
    kinds = dict(zip(table.columns, table.kinds, strict=True))
    n_missing = 0 if table.missing is None else int(table.missing.sum())
    factors = [str(factor) for factor in result.factors]
    figures = {name: len(result) if name == "rows" else getattr(result, name) for name in MEANINGS}
    output.document(
        {
            **figures,
            "out": str(out),
            "rows_written": n_written,
            "observed_rows": table.n_rows,
            "missing_cells": n_missing,
            "kinds": kinds,
            "factors": factors,
        }
    )
    if output.quiet:
        return
    rows = [(name.replace("_", " "), figures[name], MEANINGS[name]) for name in MEANINGS]
    output.table(["", "", ""], rows)
    output.say(kinds_in_words(kinds))
    if n_missing:
        output.say(
            f"Missing cells: {n_missing}. Each factor goes by the rows that have its cells; "
            "`causalaug check` says how many they are."
        )
    output.say(f"Factors: {' '.join(factors)}")
    output.say(f"Wrote {n_written} rows to {out}")


def complete(
    data: Data,
    out: Out,
    graph: str | None = option(
        "The causal graph: a file (arrows, DAGitty, DOT, GML), or the arrows themselves: "
        "'A -> B; B <-> C', or an order, 'A, B < C'. Without one, all columns are used and no "
        "independence is assumed.",
        default=None,
        metavar="FILE|ARROWS",
        names="--graph -g",
    ),
    copies: int = option(
        "How often each row with holes is filled in. From 2 on a column of weights is "
        "added: the copies of a row share its weight, 1.",
        default=1,
        metavar="N",
        min=1,
    ),
    weight_column: WeightColumn = "weight",
    safe_csv: SafeCsv = False,
    overwrite: Overwrite = False,
    *,
    about: About,
    table: TableFormat,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Fill in missing cells by all that the graph knows of them.

    Each missing cell is drawn given the cells of its row that are there: causes, effects, causes
    of effects. Columns that are no node of the graph stay as they are. One copy is a guess, drawn
    at random and no average; several with weights show how sure it is. Which cells of a variable
    and its causes are missing must not depend on the variable, given the causes.

    \b
    A survey in which questions were skipped; for a learner that takes weights, ten copies:
      causalaug complete survey.csv --graph graph.txt --out full.csv
      causalaug complete survey.csv --graph graph.txt --out full.csv --copies 10
    """
    from causalaug.cli import _cells, _files, _rows, _tables
    from causalaug.graphs import complete_graph
    from causalaug.model import fit_model

    options = about.options()
    _tables.check_table_output(out, safe=safe_csv)
    _files.check_not_an_input(out, [data] if graph is None else (data, graph), overwrite=overwrite)
    admg = None if graph is None else _files.open_graph(graph)
    # Where cells are written out, those of other columns stay as they are, digit by digit. A
    # typed file is to have numbers, not text.
    nodes = admg.nodes if admg is not None and _tables.is_text_file(out) else None
    frame = _tables.read_table(data, table, _cells.Expected(nodes, options["kinds"]), output.remark)
    if copies > 1:
        _rows.check_new_columns(list(frame.columns), weight_column, provenance=False)
    admg = complete_graph(list(frame.columns)) if admg is None else admg
    inside = _rows.only_nodes(frame, admg.nodes, output, "Left as they are")
    with output.progress("Filling in"):
        model = fit_model(inside, admg, "auto", **options).refined(random_state=seed)
        made = model.complete(inside, copies=copies, random_state=seed)
    filled = _rows.with_whole_numbers(frame, made.frame.reset_index(drop=True))
    full = frame.iloc[made.rows].reset_index(drop=True)
    for name in filled:
        full[name] = filled[name]
    if copies > 1:
        full[weight_column] = made.weights
    outside = set(frame.columns.difference(inside.columns))
    with output.progress(f"Writing {out}"):
        _tables.write_table(full, out, safe=safe_csv, as_written=outside)
    _show_completed(output, model, inside.isna().sum(), n_written=len(full), out=out)


def _show_completed(
    output: Output, model: "GraphModel", missing: "pd.Series[int]", *, n_written: int, out: Path
) -> None:
    """Say how many cells were filled in, and what they were taken for."""
    kinds = dict(zip(model.table.columns, model.table.kinds, strict=True))
    counts = {str(name): int(count) for name, count in missing.items() if count}
    output.document({"out": str(out), "rows": n_written, "filled_in": counts, "kinds": kinds})
    if counts:
        cells = ", ".join(f"{name} {count}" for name, count in counts.items())
        output.say(f"Cells filled in: {sum(counts.values())} ({cells}).")
    else:
        output.say("No cell was missing.")
    if not output.quiet:
        output.say(kinds_in_words(kinds))
        output.say(f"Wrote {n_written} rows to {out}")
