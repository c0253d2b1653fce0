"""``causalaug complete``: a table with missing cells in, the same table without them out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    ChosenColumns,
    Data,
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
    import pandas as pd

    from causalaug.model import Completion, GraphModel

GraphIfAny = Annotated[
    str | None,
    typer.Option(
        "--graph",
        "-g",
        metavar="FILE|ARROWS",
        help="The causal graph: a file (arrows, DAGitty, DOT, GML), or the arrows themselves: "
        "'A -> B; B <-> C', or an order, 'A, B < C'. Without one, all columns are used and no "
        "independence is assumed.",
        show_default=False,
    ),
]
Copies = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="How often each row with holes is filled in. From 2 on a column of weights is "
        "added: the copies of a row share its weight, 1.",
    ),
]


@reported
@with_groups
def complete(
    data: Data,
    out: Out,
    graph: GraphIfAny = None,
    copies: Copies = 1,
    kinds: Kinds = None,
    limits: Limits = None,
    trust: Trust = None,
    weight_column: WeightColumn = "weight",
    safe_csv: SafeCsv = False,
    overwrite: Overwrite = False,
    *,
    chosen: ChosenColumns,
    text: TextFormat,
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
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._rows import check_new_columns, only_nodes
    from causalaug.cli._table_files import (
        Expected,
        check_table_output,
        is_text_file,
        read_table,
        write_table,
    )
    from causalaug.graphs import complete_graph
    from causalaug.model import fit_model

    options: dict[str, Any] = {
        "kinds": parse_kinds(kinds),
        "limits": parse_limits(limits),
        **parse_trust(trust),
    }
    check_table_output(out, safe=safe_csv)
    check_not_an_input(out, [data] if graph is None else (data, graph), overwrite=overwrite)
    admg = None if graph is None else open_graph(graph)
    # Where cells are written out, those of other columns stay as they are, digit by digit. A
    # typed file is to have numbers, not text.
    nodes = admg.nodes if admg is not None and is_text_file(out) else None
    expected = Expected(nodes, options["kinds"])
    frame = read_table(data, text, chosen, expected, output.remark)
    if copies > 1:
        check_new_columns(list(frame.columns), weight_column, provenance=False)
    admg = complete_graph(list(frame.columns)) if admg is None else admg
    inside = only_nodes(frame, admg.nodes, output, "Left as they are")
    with output.progress("Filling in"):
        model = fit_model(inside, admg, "auto", **options).refined(random_state=seed)
        made = model.complete(inside, copies=copies, random_state=seed)
    filled = _joined(frame, made)
    full = filled.assign(**{weight_column: made.weights}) if copies > 1 else filled
    outside = set(frame.columns.difference(inside.columns))
    with output.progress(f"Writing {out}"):
        write_table(full, out, safe=safe_csv, as_written=outside)
    _tell(output, model, inside.isna().sum(), n_written=len(full), out=out)


def _joined(frame: "pd.DataFrame", made: "Completion") -> "pd.DataFrame":
    """Return the filled in columns in their places among the others, row by row."""
    from causalaug.cli._rows import with_whole_numbers

    joined = frame.iloc[made.rows].reset_index(drop=True)
    filled = with_whole_numbers(frame, made.frame.reset_index(drop=True))
    return joined.assign(**{str(name): filled[name] for name in filled})


def _tell(
    output: Output, model: "GraphModel", missing: "pd.Series[int]", *, n_written: int, out: Path
) -> None:
    """Say how many cells were filled in, and what they were taken for."""
    kinds = dict(zip(model.table.columns, model.table.kinds, strict=True))
    counts = {str(name): int(count) for name, count in missing.items() if count}
    output.document({"out": str(out), "rows": n_written, "filled_in": counts, "kinds": dict(kinds)})
    if counts:
        cells = ", ".join(f"{name} {count}" for name, count in counts.items())
        output.say(f"Cells filled in: {sum(counts.values())} ({cells}).")
    else:
        output.say("No cell was missing.")
    if not output.quiet:
        output.say(kinds_in_words(kinds))
        output.say(f"Wrote {n_written} rows to {out}")
