import numpy as np
import pandas as pd
import polars as pl
import pytest

from causalaug.exceptions import CyclicGraphError, GraphError, GraphFormatError
from causalaug.graphs import ADMG, read_graph

NAMES = ["A", "B", "C"]
MATRIX = np.array([[0, 1, 0], [0, 0, -0.5], [0, 0, 0]])
ROW_TO_COLUMN = "adjacency:row-to-column"
COLUMN_TO_ROW = "adjacency:column-to-row"
FORWARD = ADMG(NAMES, directed=[("A", "B"), ("B", "C")])
BACKWARD = ADMG(NAMES, directed=[("B", "A"), ("C", "B")])


@pytest.mark.parametrize(
    "matrix", [MATRIX, MATRIX.tolist(), MATRIX != 0, (MATRIX != 0).astype(int)]
)
@pytest.mark.parametrize(
    ("format", "expected"),
    [(ROW_TO_COLUMN, FORWARD), (COLUMN_TO_ROW, BACKWARD), ("lingam", BACKWARD)],
)
def test_the_orientation_decides(matrix, format, expected):
    assert read_graph(matrix, names=NAMES, format=format) == expected


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(MATRIX, index=NAMES, columns=NAMES),
        pd.DataFrame(MATRIX, index=NAMES, columns=NAMES).loc[["C", "A", "B"]],
        pd.DataFrame(MATRIX, columns=NAMES),
        pl.DataFrame(MATRIX, schema=NAMES),
    ],
)
def test_frames_bring_their_names(frame):
    assert read_graph(frame, format=ROW_TO_COLUMN) == FORWARD


def test_names_reorder_a_frame():
    frame = pd.DataFrame(MATRIX, index=NAMES, columns=NAMES)
    graph = read_graph(frame, names=["C", "X", "B", "A"], format=ROW_TO_COLUMN)
    assert graph == ADMG(["C", "X", "B", "A"], directed=FORWARD.directed)


def test_missing_pairs_of_lingam_are_bidirected():
    matrix = [[0, np.nan, 0], [np.nan, 0, 0], [2.0, 0, 0]]
    expected = ADMG(NAMES, directed=[("A", "C")], bidirected=[("A", "B")])
    assert read_graph(matrix, names=NAMES, format="lingam") == expected


@pytest.mark.parametrize(
    "source", [MATRIX, MATRIX.tolist(), pd.DataFrame(MATRIX, columns=NAMES), pl.DataFrame(MATRIX)]
)
def test_without_orientation_the_choices_are_shown(source):
    with pytest.raises(GraphFormatError, match='format="adjacency:row-to-column".* i -> j'):
        read_graph(source, names=NAMES)


@pytest.mark.parametrize(
    ("matrix", "format", "message"),
    [
        ([[0, np.nan], [0, 0]], ROW_TO_COLUMN, r"Found NaN at \('A', 'B'\). .*format=\"lingam\""),
        ([[0, np.nan], [1, 0]], "lingam", "NaN must stand on both sides .*'A', 'B'"),
        ([[np.nan, 0], [0, 0]], "lingam", "NaN must stand on both sides .*'A', 'A'"),
        ([[0, 1], [1, 0]], ROW_TO_COLUMN, "one way. Found both A -> B and B -> A. .*bidirected"),
        ([[0, 1, 0], [0, 0, 0]], ROW_TO_COLUMN, r"must be square.*Found shape \(2, 3\)"),
        ([0, 1], ROW_TO_COLUMN, r"Found shape \(2,\)"),
        (np.zeros((0, 0)), ROW_TO_COLUMN, r"Found shape \(0, 0\)"),
        ([["x", "y"], ["z", "w"]], ROW_TO_COLUMN, "must hold numbers or truth values"),
        ([[0, 1j], [0, 0]], ROW_TO_COLUMN, "must hold numbers .* its type is complex128"),
        (np.array([[0, 1j], [0, 0]], dtype=object), ROW_TO_COLUMN, "must hold numbers"),
        (np.zeros((2, 2), dtype="M8[D]"), ROW_TO_COLUMN, r"its type is datetime64\[D\]"),
        (np.zeros((2, 2), dtype="m8[s]"), ROW_TO_COLUMN, r"its type is timedelta64\[s\]"),
        (np.ma.masked_equal([[0, 1], [0, 0]], 1), ROW_TO_COLUMN, r"masked.*matrix.filled\(0\)"),
        ([[0, np.inf], [0, 0]], ROW_TO_COLUMN, r"finite numbers. Found infinity .*\(0, 1\)"),
        ([[0, -np.inf], [0, 0]], "lingam", "finite numbers"),
        ([[0, 10**5000], [0, 0]], ROW_TO_COLUMN, "must hold numbers"),
        ([["x" * 10_000, "y"], ["z", "w"]], ROW_TO_COLUMN, "must hold numbers or truth values"),
        (np.zeros((3, 3)), ROW_TO_COLUMN, r"one name per row of the matrix, 3 in all. Found 2"),
    ],
)
def test_matrices_are_checked(matrix, format, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(matrix, names=["A", "B"], format=format)


def test_a_matrix_needs_names():
    with pytest.raises(GraphFormatError, match="names for its 3 nodes.*names=list"):
        read_graph(MATRIX, format=ROW_TO_COLUMN)


def test_frames_are_checked():
    with pytest.raises(GraphFormatError, match="must be strings. Found 0, of type int"):
        read_graph(pd.DataFrame(MATRIX), format=ROW_TO_COLUMN)
    frame = pd.DataFrame(MATRIX, index=["A", "B", "X"], columns=NAMES)
    with pytest.raises(GraphFormatError, match=r"same names. Found rows \['A', 'B', 'X'\]"):
        read_graph(frame, format=ROW_TO_COLUMN)


@pytest.mark.parametrize("index", [[1, "2"], [pd.NA, "1"], ["1", "1"], [True, False], [1.0, 2.0]])
def test_labels_that_only_look_alike_are_refused(index):
    frame = pd.DataFrame(np.zeros((2, 2)), columns=["1", "2"], index=pd.Index(index, dtype=object))
    with pytest.raises(GraphFormatError, match="rows and columns .* must have the same names"):
        read_graph(frame, format=ROW_TO_COLUMN)


def test_rules_of_graphs_hold_for_matrices():
    with pytest.raises(GraphError, match="self-loop"):
        read_graph(np.eye(2), names=["A", "B"], format=ROW_TO_COLUMN)
    with pytest.raises(CyclicGraphError, match="A -> B -> C -> A"):
        read_graph([[0, 1, 0], [0, 0, 1], [1, 0, 0]], names=NAMES, format=ROW_TO_COLUMN)
