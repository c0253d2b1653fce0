"""Records in an SQLite file that survives whatever kills a process.

A record is there in full or not at all, and never twice. While a run is being done, its worker
holds a lock on one byte of a file beside the store. The system itself takes the lock away when
the worker ends, however it ends, so that nothing has to be cleaned up after a crash.
"""

import errno
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import pandas as pd

from causalaug._validation import brief
from causalaug.exceptions import StoreError
from reproduction.record import Record
from reproduction.spec import ExperimentSpec, Run

try:
    import fcntl
except ImportError:  # pragma: no cover  (Windows)
    fcntl = None  # type: ignore[assignment]

_KEY = ", ".join(Run._fields)
_COLUMNS = ", ".join(field.name for field in fields(Record))
_BUSY_SECONDS = 60.0
_LONGEST_REASON = 300
"""Characters of what SQLite says of a file."""
_LOCK_FILES: dict[tuple[int, str], int] = {}


class RecordStore:
    """The records of an experiment, in a file that several processes may share.

    Parameters
    ----------
    path : str or path
        The SQLite file; it is created if need be. It must lie on a local disk, since locks on
        network drives cannot be trusted.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = RecordStore(Path(folder.name, "records.sqlite"))
    >>> store.open_for(ExperimentSpec(datasets=["sachs"]))
    >>> len(store.missing(ExperimentSpec(datasets=["sachs"], fractions=[0.1], n_splits=2).runs()))
    12
    >>> store.open_for(ExperimentSpec(datasets=["sachs"], seed=1))
    Traceback (most recent call last):
    ...
    causalaug.exceptions.StoreError: All runs of a store must have the same settings. Found \
seed=1 in the experiment, seed=0 in the store. Use another file, or the same settings.
    >>> folder.cleanup()
    """

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self.path = Path(path)

    def open_for(self, spec: ExperimentSpec) -> None:
        """Create the file if need be, and check that its settings are those of the spec."""
        with self._connected() as connection:
            # Looked at before it is touched: a database of somebody else stays as it is.
            _check_content(connection, self.path, may_be_new=True)
            connection.execute("PRAGMA journal_mode=WAL")
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute(
                "INSERT OR IGNORE INTO settings VALUES ('shared', ?)",
                [json.dumps(spec.shared_settings)],
            )
            (text,) = connection.execute(
                "SELECT value FROM settings WHERE name = 'shared'"
            ).fetchone()
        _check_same_settings(spec.shared_settings, _parse_settings(text, self.path))

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs that have no record, in their order."""
        with self._connected() as connection:
            done = {Run(*row) for row in connection.execute(f"SELECT {_KEY} FROM records")}
        return [run for run in runs if run not in done]

    def add(self, record: Record) -> None:
        """Write one record, in full, or leave the one that is there."""
        places = ", ".join("?" * len(fields(record)))
        with self._connected() as connection:
            connection.execute(f"INSERT OR IGNORE INTO records VALUES ({places})", astuple(record))

    @contextmanager
    def claimed(self, run: Run) -> Iterator[bool]:
        """Yield whether the run is ours to do: no other process is at it, nor has it been done."""
        place = self._place_of(run)
        with _locked_byte(self.path, place) as is_ours:
            yield is_ours and bool(self.missing([run]))

    def frame(self) -> pd.DataFrame:
        """Return all records, sorted by their runs."""
        if not os.path.isfile(self.path):
            raise StoreError(
                f"There must be a store at {brief(str(self.path))}. Found none. "
                "Make one with `run_experiment`."
            )
        with self._connected() as connection:
            _check_content(connection, self.path, may_be_new=False)
            return pd.read_sql_query(f"SELECT * FROM records ORDER BY {_KEY}", connection)

    def _place_of(self, run: Run) -> int:
        """Return the number of a run within the store; it never changes."""
        with self._connected() as connection:
            places = ", ".join("?" * len(run))
            connection.execute(f"INSERT OR IGNORE INTO places({_KEY}) VALUES ({places})", run)
            matches = " AND ".join(f"{name} = ?" for name in Run._fields)
            (place,) = connection.execute(f"SELECT id FROM places WHERE {matches}", run).fetchone()
        return int(place)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are written together, or not at all."""
        try:
            with (
                closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS)) as connection,
                connection,
            ):
                yield connection
        except StoreError:
            raise
        except (sqlite3.Error, pd.errors.DatabaseError, ValueError) as error:
            # A ValueError: the path cannot be one, or text in the store is none.
            raise _not_a_store(self.path, error) from error


_TABLES = {
    "settings": ["name", "value"],
    "places": ["id", *Run._fields],
    "records": [field.name for field in fields(Record)],
}
"""The columns of each table."""

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"CREATE TABLE IF NOT EXISTS places (id INTEGER PRIMARY KEY, {_KEY}, UNIQUE ({_KEY}))",
    f"CREATE TABLE IF NOT EXISTS records ({_COLUMNS}, PRIMARY KEY ({_KEY}))",
)


def _not_a_store(path: Path, found: object) -> StoreError:
    return StoreError(
        f"{brief(str(path))} must be a store of records that can be read and written. "
        f"Found: {str(found)[:_LONGEST_REASON]}. Check the path, its permissions and the space on "
        "the disk; a damaged store must be replaced by a copy, or made anew."
    )


def _check_content(connection: sqlite3.Connection, path: Path, *, may_be_new: bool) -> None:
    """Raise if a database is damaged, or is that of another program."""
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if may_be_new and not n_tables:
        return
    found = {
        name: [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
        for name in _TABLES
    }
    # A store that is being made, or whose making was interrupted, lacks the last tables.
    missing = [name for name in _TABLES if not found[name]]
    wrong = [name for name in _TABLES if found[name] and found[name] != _TABLES[name]]
    if wrong or len(missing) == len(_TABLES) or (missing and not may_be_new):
        raise _not_a_store(path, "a database without the tables of a store")
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise _not_a_store(path, f"damage, {verdict}")


def _parse_settings(text: object, path: Path) -> Mapping[str, Any]:
    try:
        settings = json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_a_store(path, f"settings that cannot be read, {error}") from error
    if not isinstance(settings, dict):
        raise _not_a_store(path, "settings that are none")
    return settings


def _check_same_settings(asked: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    different = [name for name in asked if asked[name] != stored.get(name)]
    if different:
        wanted = ", ".join(f"{name}={brief(asked[name])}" for name in different)
        found = ", ".join(f"{name}={brief(stored.get(name))}" for name in different)
        raise StoreError(
            f"All runs of a store must have the same settings. Found {wanted} in the experiment, "
            f"{found} in the store. Use another file, or the same settings."
        )


@contextmanager
def _locked_byte(path: Path, place: int) -> Iterator[bool]:
    """Yield whether one byte of the lock file could be locked, without waiting for it."""
    if fcntl is None:  # pragma: no cover  (Windows: a run may be done twice, but counts once)
        yield True
        return
    descriptor = _lock_file(path)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError as error:
        # Anything else, a disk without locks for example, would be waited for without end.
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise _not_a_store(path, f"a disk that cannot lock, {error.strerror}") from error
        yield False
        return
    try:
        yield True
    finally:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)


def _lock_file(path: Path) -> int:
    """Return the open lock file of a store: one per process, for closing any frees all locks."""
    key = (os.getpid(), str(path.resolve()))
    if key not in _LOCK_FILES:
        try:
            _LOCK_FILES[key] = os.open(f"{path}-locks", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise _not_a_store(path, f"no locks beside it, {error.strerror}") from error
    return _LOCK_FILES[key]
