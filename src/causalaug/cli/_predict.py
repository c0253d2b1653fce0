"""``causalaug predict``: a column of new rows, given their other cells."""

from pathlib import Path
from typing import Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._options import (
    Data,
    Dates,
    Debug,
    Decimal,
    Encoding,
    Graph,
    Json,
    Kinds,
    Limits,
    Overwrite,
    Quiet,
    Separator,
    parse_kinds,
    parse_limits,
)
from causalaug.cli._output import Output
from causalaug.cli._text import listed

LEVELS = (0.05, 0.5, 0.95)
"""The quantiles that are written unless others are asked for: a nine in ten interval."""


@reported
def predict(
    data: Data,
    new: Annotated[
        Path,
        typer.Argument(metavar="NEW", help="The rows to predict; cells may be missing."),
    ],
    graph: Graph,
    target: Annotated[
        str,
        typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where the predictions go."),
    ],
    quantiles: Annotated[
        str | None,
        typer.Option(
            metavar="P,...",
            help="Quantiles of a number to write, as in 0.05,0.5,0.95.",
            show_default=False,
        ),
    ] = None,
    kinds: Kinds = None,
    limits: Limits = None,
    overwrite: Overwrite = False,
    encoding: Encoding = "utf-8",
    separator: Separator = None,
    decimal: Decimal = None,
    dates: Dates = True,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Predict a column by all that the graph knows: causes, effects, causes of effects.

    Every factor of the graph is fitted to DATA. For each row of NEW the output has the mean and
    quantiles of a number, or the probability of each class, in the order of the rows. Missing
    cells of NEW are integrated out; a row of DATA with missing cells serves every factor whose
    cells it has.

    \b
    A nine in ten interval of the wear of machines that were not opened:
      causalaug predict opened.csv new.csv --graph graph.txt --target wear --out wear.csv
    """
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._table_files import check_table_output, read_table, write_table
    from causalaug.model import fit_model
    from causalaug.table import without_extra

    levels = _parse_levels(quantiles)
    options: dict[str, Any] = {"kinds": parse_kinds(kinds), "limits": parse_limits(limits)}
    output = Output(json=json, quiet=quiet)
    check_table_output(out, safe=False)
    check_not_an_input(out, [data, new], overwrite=overwrite)
    admg = open_graph(graph)
    reading: dict[str, Any] = {
        "encoding": encoding,
        "separator": separator,
        "decimal": decimal,
        "dates": dates,
    }
    train, outside = without_extra(read_table(data, **reading), admg.nodes, "ignore")
    if outside:
        output.remark(f"Left out, since they are no node of the graph: {listed(outside)}")
    asked = read_table(new, **reading)
    asked = asked[[name for name in asked.columns if name in admg.nodes]]
    with output.progress("Fitting the factors"):
        model = fit_model(train, admg, "auto", **options)
        prediction = model.predict(target, asked)
    write_table(_frame(prediction, target, levels), out)
    output.document({"out": str(out), "rows": len(asked), "target": target})
    output.say(f"Wrote {len(asked)} predictions of {target} to {out}")


def _parse_levels(text: str | None) -> tuple[float, ...]:
    if text is None:
        return LEVELS
    try:
        levels = tuple(float(part) for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        raise typer.BadParameter(
            f"must be numbers between 0 and 1, with commas between. Found {text}",
            param_hint="'--quantiles'",
        )
    return levels


def _frame(prediction: Any, target: str, levels: tuple[float, ...]) -> Any:
    """Return one row per prediction: the probability of each class, or mean and quantiles."""
    import pandas as pd

    if prediction.levels is not None:
        names = [f"{target}={level}" for level in prediction.levels]
        return pd.DataFrame(prediction.probabilities, columns=names)
    columns = {target: prediction.mean}
    columns |= {f"{target}_q{level:g}": prediction.quantile(level) for level in levels}
    return pd.DataFrame(columns)
