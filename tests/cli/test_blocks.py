"""Tables in blocks: the types of the whole, and predictions that do not depend on how they came."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.cli import _tables
from causalaug.cli._cells import Expected
from causalaug.cli._options import TableFormat
from causalaug.cli._tables import read_blocks, read_table
from command import succeed

CELLS = {
    "numbers": ["", "1", "-2", "0.5", "1e3", "007", "-", "NA", " 3 "],
    "text": [
        "",
        "a",
        "b",
        "1",
        "-",
        "NA",
        " 3 ",
        "\u00e9",
        '"a ""b"" c"',
        '"two\nlines"',
        '5" pipe',
    ],
    "digits": ["", "007", "010", "-", "NA"],
    "anything": ["1", "true", "word", "-", "1,5", "2024-02-29", "2024-02-30"],
}
LIKE = {"numbers": [1.5, 2.0], "text": ["a", "b"], "digits": ["007", "012"], "anything": [1.5, 2.0]}


@st.composite
def written_tables(draw):
    """Draw the text of a file of two columns, and a table that says what they hold."""
    contents = [draw(st.sampled_from(sorted(CELLS))) for _ in range(2)]
    cells = st.tuples(*(st.sampled_from(CELLS[name]) for name in contents))
    rows = draw(st.lists(cells, min_size=1, max_size=12))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(["p,q", *(",".join(row) for row in rows)]) + draw(st.sampled_from(["", end]))
    return text, pd.DataFrame(dict(zip("pq", (LIKE[name] for name in contents), strict=True)))


def outcome(read):
    """Return what came of it: the frame and the remarks, or the error."""
    try:
        return read()
    except ca.exceptions.CausalAugError as error:
        return str(error)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(written_tables())
def test_blocks_together_are_the_table_that_is_read_at_once(tmp_path, monkeypatch, written):
    content, like = written
    monkeypatch.setattr(_tables, "BLOCK_ROWS", 3)
    path = tmp_path / "rows.csv"
    path.write_bytes(content.encode())

    def whole():
        remarks = []
        return read_table(path, expected=Expected(like=like), remark=remarks.append), remarks

    def in_blocks():
        remarks = []
        blocks = read_blocks(path, TableFormat(), Expected(like=like), remarks.append)
        parts = list(blocks.frames())
        assert len(parts) == blocks.n_blocks
        assert sum(map(len, parts)) == blocks.n_rows
        return pd.concat(parts, ignore_index=True), remarks

    expected, found = outcome(whole), outcome(in_blocks)
    if isinstance(expected, str):
        assert isinstance(found, str)
        return
    pd.testing.assert_frame_equal(found[0], expected[0], check_dtype=False)
    assert sorted(found[1]) == sorted(expected[1])


@pytest.fixture
def task(tmp_path):
    drawn = ca.datasets.make_sem(250, "chain", n_variables=4, mechanism="mixed", random_state=0)
    holes = np.random.default_rng(0).random((190, 4)) < 0.1
    drawn.frame[:60].to_csv(tmp_path / "train.csv", index=False)
    drawn.frame[60:].mask(holes).to_csv(tmp_path / "new.csv", index=False)
    drawn.frame[60:].mask(holes).to_parquet(tmp_path / "new.parquet")
    (tmp_path / "graph.txt").write_text(ca.write_graph(drawn.graph))
    return tmp_path


def predict(folder, new, out, *options):
    words = [folder / "train.csv", folder / new, "--graph", folder / "graph.txt", "-t", "Y"]
    succeed("predict", *words, "--out", folder / out, *options)
    return (folder / out).read_bytes()


@pytest.mark.parametrize(
    ("new", "out", "model"),
    [
        ("new.csv", "p.csv", "graph"),
        ("new.parquet", "p.parquet", "graph"),
        ("new.csv", "p.csv", "blend --estimator ridge"),
    ],
)
def test_predictions_are_the_same_bytes_however_the_rows_are_read(
    task, monkeypatch, new, out, model
):
    monkeypatch.setattr(_tables, "BLOCK_ROWS", 64)
    streamed = predict(task, new, out, "--model", *model.split())

    monkeypatch.setattr(_tables, "BLOCK_ROWS", 1000)
    assert predict(task, new, out, "--model", *model.split()) == streamed


def test_the_memory_of_reading_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(_tables, "BLOCK_ROWS", 500)
    peaks = []
    for n_rows in (8_000, 24_000):
        path = tmp_path / f"{n_rows}.csv"
        pd.DataFrame(np.random.default_rng(0).random((n_rows, 4))).to_csv(path, index=False)
        tracemalloc.start()
        blocks = read_blocks(path, TableFormat(), Expected(), pytest.fail)
        assert sum(len(block) for block in blocks.frames()) == n_rows
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_an_interrupted_prediction_leaves_the_old_file(task, monkeypatch):
    monkeypatch.setattr(_tables, "BLOCK_ROWS", 64)
    before = predict(task, "new.csv", "p.csv", "--model", "graph")
    (task / "p.csv").write_bytes(b"old")
    typed, seen = _tables.Columns.typed, []

    def stop(*args):
        seen.append(args)
        if len(seen) == 6:  # three blocks are read twice, before the fit and after it
            raise OSError(5, "no more")
        return typed(*args)

    monkeypatch.setattr(_tables.Columns, "typed", stop)
    with pytest.raises(AssertionError):
        predict(task, "new.csv", "p.csv", "--model", "graph")
    assert (task / "p.csv").read_bytes() == b"old" != before
    assert not list(task.glob(".p*"))
