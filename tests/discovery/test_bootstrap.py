import numpy as np
import pandas as pd
import pytest

from causalaug.discovery import Knowledge, bootstrap_edges
from causalaug.exceptions import ParameterError, TableError
from discovery_stand_ins import put_causallearn


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=["A", "B", "C"])


def answer(values):
    """Answer by the rows: the edge of A and B is directed by the means, the others never are."""
    a, b, _ = values.mean(axis=0)
    turned = ("A", "TAIL", "ARROW", "B") if a < b else ("A", "ARROW", "TAIL", "B")
    return [turned, ("B", "CIRCLE", "ARROW", "C")]


def test_every_draw_is_counted_once(frame, monkeypatch):
    seen = []
    put_causallearn(monkeypatch, lambda values: seen.append(values) or answer(values), [])
    found = bootstrap_edges(frame, "fci", n_bootstrap=40, random_state=0)
    assert list(found.columns) == ["one", "other", "->", "<-", "<->", "open", "absent"]
    assert list(zip(found["one"], found["other"], strict=True)) == [
        ("A", "B"),
        ("A", "C"),
        ("B", "C"),
    ]
    np.testing.assert_allclose(found.iloc[:, 2:].sum(axis=1), 1.0)
    forward = np.mean([answer(values)[0][1] == "TAIL" for values in seen])
    assert 0.0 < forward < 1.0
    np.testing.assert_allclose(found.loc[0, ["->", "<-"]].astype(float), [forward, 1.0 - forward])
    assert found.loc[1, "absent"] == 1.0
    assert found.loc[2, "open"] == 1.0
    rows = {tuple(row) for row in frame.to_numpy()}
    assert all({tuple(row) for row in values} < rows for values in seen)


def test_knowledge_decides_what_the_class_leaves_open(frame, monkeypatch):
    put_causallearn(monkeypatch, answer, [])
    known = Knowledge([("B", "C")], tiers=[["A"], ["B"]])
    found = bootstrap_edges(frame, "fci", n_bootstrap=3, knowledge=known, random_state=0)
    assert found.loc[2, "->"] == 1.0
    known = Knowledge(forbidden=[("B", "C")])
    found = bootstrap_edges(frame, "fci", n_bootstrap=3, knowledge=known, random_state=0)
    assert found.loc[2, "<->"] == 1.0


def test_one_seed_gives_one_result_whatever_the_map(frame, monkeypatch):
    put_causallearn(monkeypatch, answer, [])

    def backwards(function, items):
        return [function(item) for item in list(items)[::-1]][::-1]

    expected = bootstrap_edges(frame, "fci", n_bootstrap=20, random_state=1)
    again = bootstrap_edges(frame, "fci", n_bootstrap=20, random_state=1, map_=backwards)
    pd.testing.assert_frame_equal(expected, again)
    other = bootstrap_edges(frame, "fci", n_bootstrap=20, random_state=2)
    assert not expected.equals(other)


def test_progress_is_reported(frame, monkeypatch):
    put_causallearn(monkeypatch, answer, [])
    calls = []
    bootstrap_edges(frame, "fci", n_bootstrap=3, callback=lambda *done: calls.append(done))
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_a_draw_without_variation_is_replaced(monkeypatch):
    put_causallearn(monkeypatch, lambda values: [], [])
    rare = pd.DataFrame({"A": np.arange(12.0), "B": np.eye(12)[0]})
    assert bootstrap_edges(rare, "pc", n_bootstrap=30, random_state=0).loc[0, "absent"] == 1.0
    wide = pd.DataFrame(np.eye(300)[:, :250]).rename(columns=str)
    with pytest.raises(TableError, match="^Columns must vary in rows drawn with replacement."):
        bootstrap_edges(wide, "pc", n_bootstrap=1, random_state=0)


def test_one_column_has_no_pairs(frame):
    assert len(bootstrap_edges(frame[["A"]], n_bootstrap=2)) == 0


def test_the_number_of_draws_is_checked(frame):
    with pytest.raises(ParameterError, match="^`n_bootstrap` must be an integer of at least 1."):
        bootstrap_edges(frame, n_bootstrap=0)
