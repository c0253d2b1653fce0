"""Stores that are somebody else's, or damaged, are told in our words and left as they are."""

import errno
import random
import sqlite3
from contextlib import closing

import pytest

from causalaug.exceptions import CausalAugError, StoreError
from reproduction import ExperimentSpec, RecordStore
from reproduction import store as store_module
from reproduction.record import Record

SPEC = ExperimentSpec(datasets=["sachs"], fractions=[0.1], n_splits=200, methods=["baseline"])
RUN = SPEC.runs()[0]
FIELDS = RUN._fields
MANY = [f"CREATE TABLE t{number} (a)" for number in range(3)]
SHORT = "CREATE TABLE records (dataset)"
FOREIGN = {
    "another program": MANY,
    "a table of the same name": ["CREATE TABLE settings (a, b, c)"],
    "records of another kind": [SHORT, "INSERT INTO records VALUES ('x')"],
}


def record_of(run):
    figures = {"mse": 1.5, "share": 0.0, "version": "1", "xgboost_version": "3"}
    others = {name: 1 for name in Record.__dataclass_fields__ if name not in FIELDS}
    return Record(**{**others, **figures, **run._asdict()})


@pytest.fixture
def store(tmp_path):
    """A store with some records."""
    found = RecordStore(tmp_path / "records.sqlite")
    found.open_for(SPEC)
    for run in SPEC.runs()[:40]:
        found.add(record_of(run))
        with found.claimed(run):
            pass
    return found


def execute(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_database_is_refused_and_stays_as_it_is(tmp_path, name):
    path = tmp_path / "theirs.sqlite"
    execute(path, *FOREIGN[name])
    before = path.read_bytes()
    with pytest.raises(StoreError, match="Found: a database without the tables of a store"):
        RecordStore(path).open_for(SPEC)
    with pytest.raises(StoreError, match="Found: a database without the tables of a store"):
        RecordStore(path).frame()
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_an_empty_file_can_become_a_store_but_has_no_records(tmp_path):
    path = tmp_path / "records.sqlite"
    path.touch()
    with pytest.raises(StoreError, match="without the tables of a store"):
        RecordStore(path).frame()
    RecordStore(path).open_for(SPEC)
    assert len(RecordStore(path).frame()) == 0


@pytest.mark.parametrize("n_tables", [1, 2])
def test_a_store_whose_making_was_interrupted_is_gone_on_with(tmp_path, n_tables):
    path = tmp_path / "records.sqlite"
    execute(path, *store_module._SCHEMA[:n_tables])
    RecordStore(path).open_for(SPEC)
    assert len(RecordStore(path).frame()) == 0


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "5", "9" * 5000, "x'ff'"], ids=len)
def test_settings_that_cannot_be_read_are_told(store, text):
    value = text if text.startswith("x'") else f"'{text}'"
    execute(store.path, f"UPDATE settings SET value = {value}")
    with pytest.raises(StoreError, match=r"settings that|same settings") as caught:
        store.open_for(SPEC)
    assert len(str(caught.value)) < 1000


def test_text_that_is_none_is_told(store):
    execute(store.path, "UPDATE records SET version = CAST(x'ff00ff' AS TEXT)")
    with pytest.raises(StoreError, match="must be a store of records"):
        store.frame()


@pytest.mark.parametrize("name", ["a\0.sqlite", "\ud800.sqlite", "n" * 5000], ids=len)
def test_a_path_that_cannot_be_is_told(tmp_path, name):
    for ask in (lambda store: store.open_for(SPEC), lambda store: store.frame()):
        with pytest.raises(StoreError, match=r"must be a store") as caught:
            ask(RecordStore(tmp_path / name))
        assert len(str(caught.value)) < 1000


def flipped(content, rng):
    place = rng.randrange(len(content) * 8)
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


@pytest.mark.parametrize("seed", range(3))
def test_damage_gives_records_or_our_error(store, seed):
    """A bit that is flipped in a number is not found: SQLite has no checksums."""
    rng, content, told = random.Random(seed), store.path.read_bytes(), []
    for _ in range(60):
        damaged = content
        for _ in range(rng.choice([1, 20, 400])):
            damaged = flipped(damaged, rng)
        if rng.random() < 0.3:
            damaged = damaged[: rng.randrange(len(damaged))]
        store.path.write_bytes(damaged)
        try:
            store.open_for(SPEC)
            store.missing(SPEC.runs())
            store.add(record_of(SPEC.runs()[50]))
            with store.claimed(SPEC.runs()[51]):
                pass
            store.frame()
        except CausalAugError as error:
            told.append(len(str(error)))
        for beside in store.path.parent.glob("records.sqlite-[wsj]*"):
            beside.unlink()
    assert len(told) > 10
    assert max(told) < 1000


def test_a_disk_without_locks_is_told_instead_of_waited_for(store, monkeypatch):
    pytest.importorskip("fcntl")

    def lockf(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(store_module.fcntl, "lockf", lockf)
    with pytest.raises(StoreError, match="cannot lock, No locks"), store.claimed(RUN):
        pass


def test_a_lock_file_that_cannot_be_opened_is_told(store):
    locks = store.path.with_name("records.sqlite-locks")
    store_module._LOCK_FILES.clear()
    locks.unlink()
    locks.mkdir()
    with pytest.raises(StoreError, match="no locks beside it"), store.claimed(RUN):
        pass
