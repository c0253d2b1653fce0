import pandas as pd
import pytest

from causalaug.datasets import Dataset
from causalaug.exceptions import GraphMismatchError, ParameterError
from causalaug.graphs import ADMG

FRAME = pd.DataFrame({"A": [1.0, 2.0], "B": [3, 4]})
GRAPH = ADMG(["A", "B"], [("A", "B")])


def test_it_splits_into_features_and_target():
    dataset = Dataset(FRAME, GRAPH, "B", "two rows")
    assert list(dataset.X) == ["A"]
    pd.testing.assert_series_equal(dataset.y, FRAME["B"])
    assert len(dataset) == 2


def test_its_repr_is_short():
    wide = [f"V{i}" for i in range(40)]
    frame = pd.DataFrame(0.0, index=range(9), columns=wide)
    assert repr(Dataset(frame, ADMG(wide), "V3", "")) == (
        "Dataset(9 rows of V0, V1, V2, ..., V39; target V3; 0 edges)"
    )


def test_graph_and_frame_must_fit():
    with pytest.raises(GraphMismatchError, match="Only in the graph: \\['C'\\]"):
        Dataset(FRAME, ADMG(["A", "C"]), "A", "")
    with pytest.raises(ParameterError, match="`target` names columns that the data do not have"):
        Dataset(FRAME, GRAPH, "C", "")
