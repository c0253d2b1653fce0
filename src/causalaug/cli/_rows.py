"""The rows of a command: the columns of its graph on the way in, weights beside on the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from causalaug._validation import look_alikes, some, typing_slips
from causalaug.cli._cells import Expected
from causalaug.cli._files import open_graph
from causalaug.cli._options import LearnerName, TaskName
from causalaug.cli._output import listed
from causalaug.cli._tables import read_table
from causalaug.evaluation import note_on_task
from causalaug.exceptions import ParameterError, TableError
from causalaug.table import Table, without_extra

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from causalaug.augmentation import AugmentedTable
    from causalaug.cli._options import KindName, TableFormat
    from causalaug.cli._output import Output
    from causalaug.graphs import ADMG
    from causalaug.typing import FloatArray, IntArray

ROW_OF = "row_of_"


def read_rows(
    data: Path, graph: str, table: TableFormat, kinds: Mapping[str, KindName], output: Output
) -> tuple[ADMG, pd.DataFrame]:
    """Return the graph, and the columns of the table that are its nodes."""
    admg = open_graph(graph)
    frame = read_table(data, table, Expected(admg.nodes, kinds), output.remark)
    return admg, only_nodes(frame, admg.nodes, output)


def only_nodes(
    frame: pd.DataFrame, nodes: Sequence[str], output: Output, what_becomes: str = "Left out"
) -> pd.DataFrame:
    """Return the columns that are nodes of the graph; a remark names the others."""
    inside: pd.DataFrame
    inside, outside = without_extra(frame, nodes, "ignore")
    if outside:
        output.remark(f"{what_becomes}, since they are no node of the graph: {listed(outside)}")
    return inside


def kinds_taken(frame: pd.DataFrame, kinds: Mapping[str, KindName]) -> dict[str, str]:
    """Return the kinds that columns are taken for.

    >>> kinds_taken(pd.DataFrame({"n": [0, 1, 2], "x": [0.5, 1.5, 2.5]}), {"x": "ordered"})
    {'n': 'ordered', 'x': 'ordered'}
    """
    table = Table.from_frame(frame, kinds=kinds, holes=True)
    return dict(zip(table.columns, table.kinds, strict=True))


def task_in_words(target: str, cells: pd.Series[Any], task: str) -> str | None:
    """Return one line on a target that might be numbers or classes; None if it may not.

    >>> task_in_words("n", pd.Series([1, 2, 3], name="n"), "regression")
    'n has 3 whole values and is predicted as a number; --task classification predicts classes.'
    """
    note = note_on_task(target, cells, task)
    if note is None:
        return None
    return note.replace('task="', "--task ").replace('" predicts', " predicts")


def only_evidence(
    frame: pd.DataFrame, nodes: Sequence[str], target: str, output: Output
) -> pd.DataFrame:
    """Return the columns of new rows that are nodes other than the target; or raise.

    Nodes may be absent, but not all. Remarks name columns that are no node, and absent nodes: a
    name that is misspelt is in both.
    """
    columns = [name for name in frame.columns if name != target]
    present = [name for name in nodes if name in columns]
    absent = [name for name in nodes if name not in columns and name != target]
    alike = look_alikes([name for name in columns if name not in nodes], absent)
    if alike:
        raise TableError(
            f"Columns of NEW must be named as the nodes of the graph are. {alike}".rstrip()
        )
    if not present:
        raise TableError(
            f"NEW must have a column that is a node of the graph, beside the target {target!r}. "
            f"Found columns {some(columns)}, the other nodes are {some(absent)}. "
            + typing_slips(columns, absent)
            + "Rename columns, or the nodes of the graph."
        )
    inside = only_nodes(frame[columns], present, output, "Left out of NEW")
    if absent:
        output.remark(f"Integrated out, since NEW does not have them: {listed(absent)}")
    return inside


def check_new_columns(columns: Collection[str], weight_column: str, *, provenance: bool) -> None:
    """Raise if a column that is to be added is there already."""
    ways = {weight_column: "Choose another with --weight-column."}
    if provenance:
        ways |= {ROW_OF + name: "Rename it, or leave --provenance out." for name in columns}
    taken = [name for name in ways if name in columns]
    if taken:
        raise ParameterError(
            f"A column that is added must have a new name. The table has {taken[0]!r} already. "
            + ways[taken[0]]
        )


def weighted_rows(
    result: AugmentedTable,
    weight_column: str,
    *,
    share: float | None = None,
    provenance: bool = False,
) -> pd.DataFrame:
    """Return the new rows and their weights; with a share, after the observed rows.

    Examples
    --------
    With a share the new rows hold that much of the weight, and the observed rows the rest; the
    total is the number of observed rows:

    >>> from causalaug.augmentation import augment
    >>> from causalaug.graphs import ADMG
    >>> tied = pd.DataFrame({"x": [1, 2], "y": [5, 6]})
    >>> print(weighted_rows(augment(tied, ADMG(["x", "y"])), "weight", share=0.2, provenance=True))
       x  y  weight  row_of_x  row_of_y
    0  1  5     0.8         0         0
    1  2  6     0.8         1         1
    2  1  5     0.1         0         0
    3  1  6     0.1         0         1
    4  2  5     0.1         1         0
    5  2  6     0.1         1         1
    """
    frame, weights, rows = result.frame, result.weights, result.rows
    if share is not None:
        frame, weights = result.mixed(share)
        own = np.arange(result.table.n_rows, dtype=rows.dtype)
        rows = np.concatenate([np.tile(own, (rows.shape[1], 1)).T, rows])
    added: dict[str, FloatArray | IntArray] = {weight_column: weights}
    if provenance:
        added |= {ROW_OF + name: rows[:, j] for j, name in enumerate(result.table.columns)}
    joined: pd.DataFrame = pd.concat([frame, pd.DataFrame(added)], axis=1)
    return joined


def with_whole_numbers(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with integers where they had become floats for the sake of holes.

    >>> ages = pd.DataFrame({"age": [30.0, None, 41.0], "size": [1.5, None, 2.0]})
    >>> with_whole_numbers(ages, ages.fillna(33.0))
       age  size
    0   30   1.5
    1   33  33.0
    2   41   2.0
    """
    whole = [
        name
        for name in after
        if name in before
        and before[name].dtype.kind == "f"
        and before[name].isna().any()
        and (before[name].dropna() % 1 == 0).all()
        and (after[name] % 1 == 0).all()
    ]
    return after.astype(dict.fromkeys(whole, "int64"))


def task_of_learner(name: LearnerName, labels: pd.Series[Any]) -> TaskName | None:
    """Return what a learner does that does one thing only; None if it does both."""
    if name == LearnerName.logistic:
        return TaskName.classification
    is_number = is_numeric_dtype(labels) and not is_bool_dtype(labels)
    return TaskName.regression if name == LearnerName.ridge and is_number else None


def as_codes(labels: pd.Series[Any]) -> tuple[pd.Series[Any], Any]:
    """Return classes as numbers from 0, and which is which; missing ones stay missing."""
    codes, classes = pd.factorize(labels, sort=True)
    coded = pd.Series(codes, index=labels.index, name=labels.name)
    has_all = labels.notna().all()
    return (coded if has_all else coded.astype("Int64").mask(labels.isna())), classes
