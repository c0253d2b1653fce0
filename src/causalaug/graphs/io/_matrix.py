"""Adjacency matrices, whose orientation must be said, and fitted LiNGAM models."""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from causalaug._validation import brief, some
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import check_nodes, check_ordered
from causalaug.graphs.io._draft import Draft
from causalaug.typing import FloatArray

ROW_TO_COLUMN = "adjacency:row-to-column"
COLUMN_TO_ROW = "adjacency:column-to-row"
LINGAM = "lingam"
MATRICES = (ROW_TO_COLUMN, COLUMN_TO_ROW, LINGAM)


def read_matrix(source: Any, names: Iterable[str] | None, format: str) -> Draft:
    """Read a square matrix: an entry that is not zero is an edge.

    With "adjacency:row-to-column" entry (i, j) means i -> j, with
    "adjacency:column-to-row" j -> i. "lingam" is the latter, where NaN at (i, j) and
    (j, i) means a hidden common cause of the two.
    """
    labels = _labels(source)
    matrix = _square(_aligned(source, labels))
    nodes = labels or _given(names, len(matrix))
    unknown = np.isnan(matrix)
    one_sided = (unknown != unknown.T) | np.diag(unknown.diagonal())
    if unknown.any() and format != LINGAM:
        i, j = np.argwhere(unknown)[0]
        raise GraphFormatError(
            f"An adjacency matrix must have no missing entry. Found NaN at ({nodes[i]!r}, "
            f'{nodes[j]!r}). Write 0, or format="{LINGAM}" if it means a hidden common cause.'
        )
    if one_sided.any():
        i, j = np.argwhere(one_sided)[0]
        raise GraphFormatError(
            "In a LiNGAM matrix NaN must stand on both sides of a pair of variables. "
            f"Found one side only at {nodes[i]!r}, {nodes[j]!r}. Complete it, or write a number."
        )
    draft = Draft(dict.fromkeys(nodes))
    for i, j in np.argwhere(matrix != 0):
        if unknown[i, j]:
            draft.add_edge(nodes[i], "<->", nodes[j])
        else:
            draft.add_edge(nodes[i], "->" if format == ROW_TO_COLUMN else "<-", nodes[j])
    draft.check_one_way("Adjacency matrix")
    return draft


def needs_orientation() -> GraphFormatError:
    """Return the error for a matrix that comes without an orientation."""
    return GraphFormatError(
        "An adjacency matrix must come with its orientation, since libraries differ. Write "
        f'read_graph(matrix, format="{ROW_TO_COLUMN}") if entry (i, j) means i -> j, '
        f'format="{COLUMN_TO_ROW}" if it means j -> i, or format="{LINGAM}" for the '
        "matrix of a LiNGAM model."
    )


def _labels(source: Any) -> tuple[str, ...]:
    """Return the names that a frame gives to its columns, or none for a plain array."""
    columns = getattr(source, "columns", None)
    if columns is None:
        return ()
    labels = check_ordered(columns, "The columns of an adjacency frame")
    wrong = [label for label in labels if not isinstance(label, str)]
    if wrong:
        raise GraphFormatError(
            f"The columns of an adjacency frame must be strings. Found {brief(wrong[0])}, of type "
            f"{type(wrong[0]).__name__}. Rename them, or pass frame.to_numpy() and names=[...]."
        )
    return check_nodes(labels)


def _aligned(source: Any, labels: Sequence[str]) -> Any:
    """Return a frame with its rows in the order of its columns, other sources unchanged."""
    index = getattr(source, "index", None)
    if not labels or index is None:
        return source
    rows = list(check_ordered(index, "The rows of an adjacency frame"))
    if all(isinstance(row, str) for row in rows) and sorted(rows) == sorted(labels):
        return source.loc[list(labels)]
    numbered = all(isinstance(row, Integral) and not isinstance(row, bool) for row in rows)
    if numbered and rows == list(range(len(labels))):
        return source
    raise GraphFormatError(
        "The rows and columns of an adjacency frame must have the same names. "
        f"Found rows {some(rows)} and columns {some(labels)}. Rename one of them."
    )


def _square(source: Any) -> FloatArray:
    """Return the matrix as floats, or raise unless it is a square of numbers."""
    if isinstance(source, np.ma.MaskedArray):
        raise GraphFormatError(
            "An adjacency matrix must say of each pair whether there is an edge. Found a masked "
            "array. Write matrix.filled(0) if masked means no edge."
        )
    try:
        found = np.asarray(source)
        if found.dtype.kind not in "biufOUS":
            # Numpy would convert these without a word: a date to days, a complex to a real.
            raise TypeError(f"its type is {found.dtype}")
        matrix = found.astype(np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise GraphFormatError(
            "An adjacency matrix must hold numbers or truth values: "
            f"{str(error)[:100]}. Convert it."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise GraphFormatError(
            "An adjacency matrix must be square, one row and one column per node. "
            f"Found shape {matrix.shape}. Pass a matrix of shape (n, n)."
        )
    if np.isinf(matrix).any():
        raise GraphFormatError(
            "An adjacency matrix must hold finite numbers. Found infinity in row and column "
            f"{tuple(map(int, np.argwhere(np.isinf(matrix))[0]))}. Write 1 for an edge, 0 for none."
        )
    return matrix


def _given(names: Iterable[str] | None, n_nodes: int) -> tuple[str, ...]:
    """Return the names for a matrix that has none of its own."""
    if names is None:
        raise GraphFormatError(
            f"A matrix without labels needs names for its {n_nodes} nodes. Found none. "
            "Write read_graph(..., names=list(frame.columns))."
        )
    nodes = check_nodes(names)
    if len(nodes) != n_nodes:
        raise GraphFormatError(
            f"`names` must have one name per row of the matrix, {n_nodes} in all. "
            f"Found {len(nodes)}: {some(nodes)}. Add or remove names."
        )
    return nodes
