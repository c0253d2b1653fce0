"""Columns that are no node of the graph."""

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from causalaug._validation import check_choice, check_same_variables, some
from causalaug.exceptions import CausalAugWarning
from causalaug.table._columns import check_names
from causalaug.table._sources import open_source

EXTRA = ("ignore", "error")
"""What may become of them."""


def without_extra(frame: Any, nodes: Sequence[str], extra: str) -> tuple[Any, tuple[str, ...]]:
    """Return a frame without the columns that are no node, and their names; or raise.

    The columns of an array are the nodes, in their order: it cannot have others.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"id": [7, 8], "rain": [0.5, 2.0]})
    >>> kept, left_out = without_extra(table, ["rain"], "ignore")
    >>> list(kept.columns), left_out
    (['rain'], ('id',))
    """
    check_choice("extra", extra, EXTRA)
    source = open_source(frame, nodes)
    check_names(source.names)
    outside = extra_columns([str(name) for name in source.names], nodes, extra)
    if not outside or isinstance(frame, np.ndarray):
        return frame, outside
    return nw.from_native(frame, eager_only=True).drop(*outside).to_native(), outside


def extra_columns(columns: Sequence[str], nodes: Sequence[str], extra: str) -> tuple[str, ...]:
    """Return the columns that are no node; raise if a node is no column, or none is allowed."""
    check_choice("extra", extra, EXTRA)
    outside = tuple(name for name in columns if name not in nodes)
    if extra == "error" or not set(nodes) <= set(columns):
        check_same_variables(nodes, columns)
    return outside


def warn_of_extra(outside: Sequence[str], stacklevel: int = 3) -> None:
    """Name the columns that were left out, if there are any."""
    if outside:
        warnings.warn(
            f"Columns that are no node of the graph are left out: {some(outside)}. Learners "
            "see them, the graph's model does not. Drop them, or add them to the graph.",
            CausalAugWarning,
            stacklevel=stacklevel,
        )
