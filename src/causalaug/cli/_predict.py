"""``causalaug predict``: a column of new rows, given their other cells."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalaug.cli._errors import reported
from causalaug.cli._groups import with_groups
from causalaug.cli._options import (
    Data,
    Graph,
    Kinds,
    Limits,
    Overwrite,
    TextFormat,
    parse_kinds,
    parse_limits,
)
from causalaug.cli._output import Output
from causalaug.cli._text import kinds_in_words
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.model import Prediction

LEVELS = (0.05, 0.5, 0.95)
"""The quantiles that are written unless others are asked for: a nine in ten interval."""

New = Annotated[
    Path,
    typer.Argument(metavar="NEW", help="The rows to predict; cells may be missing."),
]
Target = Annotated[
    str,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict."),
]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="Where the predictions go."),
]
Quantiles = Annotated[
    str | None,
    typer.Option(
        metavar="P,...",
        help="Quantiles of a number to write, as in 0.05,0.5,0.95. Classes have none.",
        show_default=False,
    ),
]


@reported
@with_groups
def predict(
    data: Data,
    new: New,
    graph: Graph,
    target: Target,
    out: Out,
    quantiles: Quantiles = None,
    kinds: Kinds = None,
    limits: Limits = None,
    overwrite: Overwrite = False,
    *,
    text: TextFormat,
    output: Output,
) -> None:
    """Predict a column by all that the graph knows: causes, effects, causes of effects.

    Every factor of the graph is fitted to DATA. For each row of NEW the output has the mean and
    quantiles of a number, or the probability of each class, in the order of the rows. Integers
    with at most 10 values are classes, unless --kinds says that they are continuous. Columns of
    NEW must hold what they hold in DATA: numbers, text or dates. Missing cells of NEW are
    integrated out, and so are nodes that it lacks; a row of DATA with missing cells serves every
    factor whose cells it has.

    \b
    A nine in ten interval of the wear of machines that were not opened:
      causalaug predict opened.csv new.csv --graph graph.txt --target wear --out wear.csv
    """
    from causalaug.cli._files import check_not_an_input
    from causalaug.cli._graph_files import open_graph
    from causalaug.cli._rows import kinds_taken, only_evidence, only_nodes
    from causalaug.cli._table_files import Expected, check_table_output, read_table, write_table
    from causalaug.model import fit_model

    levels = _parse_levels(quantiles)
    options: dict[str, Any] = {"kinds": parse_kinds(kinds), "limits": parse_limits(limits)}
    check_table_output(out, safe=False)
    check_not_an_input(out, [data, new], overwrite=overwrite)
    admg = open_graph(graph)
    expected = Expected(admg.nodes, options["kinds"])
    train = read_table(data, text, expected=expected, remark=output.remark)
    train = only_nodes(train, admg.nodes, output)
    if quantiles is not None and target in train:
        _check_has_quantiles(target, train[target], kinds_taken(train, options["kinds"])[target])
    # What NEW says of the target is not looked at, and may be anything.
    known = train.drop(columns=target, errors="ignore")
    asked = read_table(
        new,
        text,
        expected=Expected(set(known.columns), like=known),
        remark=lambda line: output.remark(f"NEW: {line}"),
    )
    asked = only_evidence(asked, admg.nodes, target, output)
    with output.progress("Fitting the factors"):
        model = fit_model(train, admg, "auto", **options)
        prediction = model.predict(target, asked)
    write_table(_frame(prediction, train, levels), out)
    taken = dict(zip(model.table.columns, model.table.kinds, strict=True))
    output.document({"out": str(out), "rows": len(asked), "target": target, "kinds": taken})
    if output.quiet:
        return
    output.say(kinds_in_words(taken))
    if prediction.levels is not None:
        output.say(_about_classes(target, train[target], taken[target]))
    output.say(f"Wrote {len(asked)} predictions of {target} to {out}")


def _about_classes(target: str, cells: "pd.Series[Any]", kind: str) -> str:
    """Return why there is a probability for each value, and how to have a number instead."""
    return f"{target!r} is predicted as classes, since it is {kind}.{_as_a_number(target, cells)}"


def _as_a_number(target: str, cells: "pd.Series[Any]") -> str:
    """Return how to have a number predicted, if the cells are numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(cells) or not is_numeric_dtype(cells):
        return ""
    return f" --kinds {shlex.quote(f'{target}=continuous')} predicts a number."


def _check_has_quantiles(target: str, cells: "pd.Series[Any]", kind: str) -> None:
    """Raise unless the target is a number; classes have no quantiles."""
    if kind == "continuous":
        return
    raise ParameterError(
        f"--quantiles must be for a number. Found that {target!r} is {kind}, and predicted as "
        f"classes. Leave --quantiles out.{_as_a_number(target, cells)}"
    )


def _parse_levels(text: str | None) -> tuple[float, ...]:
    """Return the levels of the quantiles to write."""
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


def _frame(
    prediction: "Prediction", train: "pd.DataFrame", levels: tuple[float, ...]
) -> "pd.DataFrame":
    """Return one row per prediction: the probability of each class, or mean and quantiles."""
    import pandas as pd

    from causalaug.cli._rows import with_whole_numbers

    target = prediction.target
    if prediction.levels is not None:
        classes = with_whole_numbers(train, pd.DataFrame({target: prediction.levels}))[target]
        names = [f"{target}={level}" for level in classes]
        return pd.DataFrame(prediction.probabilities, columns=names)
    columns = {target: prediction.mean}
    columns |= {f"{target}_q{level:g}": prediction.quantile(level) for level in levels}
    return pd.DataFrame(columns)
