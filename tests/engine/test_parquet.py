"""A data set in files: the rows of `augment`, whatever happens on the way."""

import json
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import causalaug as ca
from causalaug.engine import augment_to_parquet, read_augmented
from causalaug.exceptions import OutputError, ParameterError, StoreError, TableError
from engine.jobs import GRAPH, content, environment, job, make_frame

EXPANSIONS = [
    ca.BudgetExpansion(800),
    ca.SampledExpansion(800),
    ca.PrunedExpansion(0.05),
    ca.BeamExpansion(300),
]


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=lambda each: type(each).__name__)
def test_the_files_hold_the_rows_of_augment(tmp_path, expansion):
    done = augment_to_parquet(path=tmp_path / "set", **job(expansion=expansion))
    expected = ca.augment(**job(expansion=expansion))
    found = done.frame()
    pd.testing.assert_frame_equal(found[list(done.columns)], expected.frame)
    np.testing.assert_array_equal(found["weight"], expected.weights)
    np.testing.assert_array_equal(found.filter(like="row_of_"), expected.rows)
    assert len(done) == len(expected) > 100
    assert done.mass == pytest.approx(expected.mass, abs=1e-12)
    assert done.dropped_mass == pytest.approx(expected.dropped_mass, abs=1e-12)
    assert (len(done.files) == 1) == isinstance(expansion, ca.BeamExpansion)


def test_values_that_move_are_written_as_they_are(tmp_path):
    options = {"conditional": ca.ResidualConditional(), "expansion": ca.BudgetExpansion(300)}
    done = augment_to_parquet(path=tmp_path / "set", **job(**options))
    expected = ca.augment(**job(**options))
    assert expected.paths.shifted
    pd.testing.assert_frame_equal(done.frame()[list(done.columns)], expected.frame)


def as_array(frame):
    return frame.assign(sex=frame["sex"].cat.codes).to_numpy(dtype=float)


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, pa.Table.from_pandas, as_array], ids=["polars", "arrow", "array"]
)
def test_any_frame_can_be_written(tmp_path, convert):
    frame = convert(make_frame())
    done = augment_to_parquet(path=tmp_path / "set", **job(frame=frame))
    expected = ca.augment(**job(frame=frame)).frame
    if isinstance(expected, np.ndarray):
        expected = pd.DataFrame(expected, columns=list(GRAPH.nodes))
    elif not isinstance(expected, pd.DataFrame):
        expected = expected.to_pandas()
    pd.testing.assert_frame_equal(
        done.frame()[list(done.columns)], expected, check_dtype=False, check_categorical=False
    )


@pytest.mark.parametrize("in_flight", [1, 2, 4])
def test_the_bytes_do_not_depend_on_the_engine(tmp_path, in_flight):
    augment_to_parquet(path=tmp_path / "serial", **job())
    augment_to_parquet(path=tmp_path / "threads", engine="threads", in_flight=in_flight, **job())
    expected = content(tmp_path / "serial")
    assert len(expected) == 10
    assert content(tmp_path / "threads") == expected


def stop_after(n_blocks):
    def callback(done, total):
        if done == n_blocks:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("engine", [None, "threads"])
def test_what_was_stopped_goes_on(tmp_path, engine):
    expected = augment_to_parquet(path=tmp_path / "whole", **job())
    folder = tmp_path / "set"
    with pytest.raises(KeyboardInterrupt):
        augment_to_parquet(path=folder, engine=engine, callback=stop_after(3), **job())
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*.parquet")}
    assert 3 <= len(before) < 8
    assert not list(folder.glob(".*"))
    with pytest.raises(StoreError, match="must have a manifest"):
        read_augmented(folder)
    steps = []
    augment_to_parquet(path=folder, callback=lambda *step: steps.append(step), **job())
    assert steps == [(number, 8) for number in range(len(before), 9)]
    after = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*.parquet")}
    assert {name: after[name] for name in before} == before
    assert content(folder) == content(expected.path)


KILLED = """
import os, signal, sys
from pathlib import Path
import pyarrow.parquet as pq
from causalaug.engine import augment_to_parquet
from engine.jobs import job

plain, calls = pq.ParquetWriter.write_table, []

def write_table(self, *args, **kwargs):
    plain(self, *args, **kwargs)
    calls.append(1)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)

pq.ParquetWriter.write_table = write_table
augment_to_parquet(path=Path(sys.argv[1]), **job(random_state=None))
"""


def test_a_killed_process_leaves_whole_files_and_is_resumed_without_its_seed(tmp_path):
    folder = tmp_path / "set"
    command = [sys.executable, "-c", KILLED, str(folder)]
    done = subprocess.run(command, env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL
    names = sorted(path.name for path in folder.iterdir())
    assert names[0].startswith(".part-00002.")
    parts = ["part-00000.parquet", "part-00001.parquet"]
    assert names[1:] == sorted(["job.json", *parts, *(f"{name}.sha256" for name in parts)])
    found = augment_to_parquet(path=folder, **job(random_state=None))
    whole = augment_to_parquet(path=tmp_path / "whole", **job(random_state=found.seed))
    assert content(folder) == content(whole.path)


def test_a_finished_set_is_left_alone(tmp_path):
    first = augment_to_parquet(path=tmp_path / "set", **job())
    before = {path.name: path.stat().st_mtime_ns for path in first.path.iterdir()}
    again = augment_to_parquet(path=tmp_path / "set", **job(random_state=None))
    assert again == first
    assert {path.name: path.stat().st_mtime_ns for path in first.path.iterdir()} == before


@pytest.mark.parametrize("damage", ["lost", "cut", "foreign", "plain"])
def test_a_part_that_is_lost_or_damaged_is_written_again(tmp_path, damage):
    folder = augment_to_parquet(path=tmp_path / "set", **job()).path
    expected, part = content(folder), folder / "part-00002.parquet"
    other = augment_to_parquet(path=tmp_path / "other", **job(random_state=6)).path
    if damage == "lost":
        part.unlink()
        with pytest.raises(StoreError, match=r"Found no \['part-00002.parquet'\]"):
            read_augmented(folder)
    elif damage == "cut":
        part.write_bytes(part.read_bytes()[:-100])
    elif damage == "foreign":
        part.write_bytes((other / part.name).read_bytes())
    else:
        pq.write_table(pa.table({"x": [1]}), part)
    augment_to_parquet(path=folder, **job())
    assert content(folder) == expected


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("seed", {"random_state": 6}),
        ("expansion", {"expansion": ca.BudgetExpansion(801)}),
        ("conditional", {"conditional": ca.KernelConditional(temperature=0.5)}),
        ("table", {"frame": make_frame().assign(size=lambda frame: frame["size"] + 1.0)}),
        ("table", {"kinds": {"shoe": "continuous"}}),
        ("table", {"sample_weight": np.arange(1.0, 61.0)}),
        ("n_blocks", {"block_rows": 50}),
        ("factors", {"graph": ca.read_graph("sex -> size -> shoe; sex -> weight_kg")}),
        ("weight", {"weight": "w"}),
        ("provenance", {"provenance": None}),
    ],
)
def test_another_job_is_refused(tmp_path, name, change):
    folder = augment_to_parquet(path=tmp_path / "set", **job()).path
    before = content(folder)
    with pytest.raises(StoreError, match=f"Found that .*{name} is .* there"):
        augment_to_parquet(path=folder, **job(**change))
    assert content(folder) == before


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(StoreError, match=r"must be new.*Found \['thesis.txt'\]"):
        augment_to_parquet(path=tmp_path, **job())
    with pytest.raises(OutputError, match="needs a folder that can be written"):
        augment_to_parquet(path=tmp_path / "thesis.txt", **job())
    with pytest.raises(OutputError, match="create the folder above it"):
        augment_to_parquet(path=tmp_path / "no" / "such", **job())
    assert content(tmp_path) == {"thesis.txt": b"precious"}


@pytest.mark.parametrize("text", ["", "[1]", '{"format": 99}'])
def test_a_job_that_cannot_be_read_is_refused(tmp_path, text):
    (tmp_path / "job.json").write_text(text)
    with pytest.raises(StoreError, match=r"job\.json' must"):
        augment_to_parquet(path=tmp_path, **job())


@pytest.mark.parametrize(
    "names", [{"weight": "shoe"}, {"weight": "row_of_shoe"}, {"provenance": ""}, {"weight": 3}]
)
def test_a_name_that_is_taken_is_refused(tmp_path, names):
    with pytest.raises(ParameterError, match=r"names of their own|must be a string"):
        augment_to_parquet(path=tmp_path / "set", **job(**names))
    assert not (tmp_path / "set").exists()


def test_cells_that_parquet_cannot_hold_are_refused_before_any_work(tmp_path):
    frame = pd.DataFrame({"x": [1, "a", 2.5]})
    with pytest.raises(TableError, match="types that Parquet can hold"):
        augment_to_parquet(frame, ca.ADMG(["x"]), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_categories_come_back_whole(tmp_path):
    dtype = pd.CategoricalDtype(["low", "mid", "high", "never"], ordered=True)
    levels = pd.Series(["low", "mid", "high"] * 4, dtype=dtype)
    frame = pd.DataFrame({"level": levels, "x": np.arange(12.0)})
    graph = ca.read_graph("level -> x")
    done = augment_to_parquet(frame, graph, tmp_path / "set", block_rows=20, random_state=0)
    assert len(done.files) == 3
    assert done.frame()["level"].dtype == dtype
    assert all(batch["level"].dtype == dtype for batch, _ in done.batches())


def test_categories_of_polars_do_not_depend_on_what_was_seen_before(tmp_path):
    frame = pl.DataFrame({"pet": ["dog", "cat", "dog", "ant"], "x": [1.0, 2.0, 3.0, 4.0]})
    frame = frame.with_columns(frame["pet"].cast(pl.Categorical))
    done = augment_to_parquet(frame, ca.read_graph("pet -> x"), tmp_path / "set", random_state=0)
    assert done.frame()["pet"].cat.categories.tolist() == ["ant", "cat", "dog"]
    schema = pq.read_schema(done.files[0])
    assert not pa.types.is_dictionary(schema.field("pet").type)


def test_names_of_columns_may_be_anything(tmp_path):
    frame = pd.DataFrame({'a"b/../é\n': [1.0, 2.0], "b": [1, 2]})
    graph = ca.ADMG(list(frame.columns))
    done = augment_to_parquet(frame, graph, tmp_path / "set", random_state=0)
    assert done.columns == tuple(frame.columns)
    assert read_augmented(tmp_path / "set") == done


def test_the_manifest_says_what_there_is(tmp_path):
    done = augment_to_parquet(path=tmp_path / "set", **job())
    manifest = json.loads((done.path / "manifest.json").read_text())
    assert manifest["n_rows"] == sum(part["rows"] for part in manifest["parts"]) == len(done)
    assert manifest["seed"] == 5
    assert [part["file"] for part in manifest["parts"]] == [file.name for file in done.files]


@pytest.mark.parametrize("batch_rows", [30, 70_000])
def test_batches_are_all_rows_in_order(tmp_path, batch_rows):
    done = augment_to_parquet(path=tmp_path / "set", **job())
    frames, weights = zip(*done.batches(batch_rows), strict=True)
    assert max(map(len, frames)) <= batch_rows
    expected = ca.augment(**job())
    pd.testing.assert_frame_equal(pd.concat(frames, ignore_index=True), expected.frame)
    np.testing.assert_array_equal(np.concatenate(weights), expected.weights)


def test_a_generator_is_asked_for_a_seed(tmp_path):
    done = augment_to_parquet(path=tmp_path / "a", **job(random_state=np.random.default_rng(1)))
    same = augment_to_parquet(path=tmp_path / "b", **job(random_state=np.random.default_rng(1)))
    assert done.seed == same.seed > 2**64
    assert content(done.path) == content(same.path)


def test_the_whole_job_needs_no_more_than_its_largest_part(tmp_path):
    """The rows of a block are gone before those of the next are made."""
    alive = []

    def callback(done, total):
        alive.append(sum(isinstance(each, ca.Paths) for each in _objects()))

    augment_to_parquet(path=tmp_path / "set", callback=callback, **job())
    assert len(alive) == 9
    assert max(alive) - min(alive) <= 1


def _objects():
    import gc

    return gc.get_objects()
