"""More rows than memory: a data set written block by block, which goes on after a crash.

Each block is one Parquet file, which is there in full or not at all. Each part has a checksum, the
SHA-256 of its file, since a flipped bit in a Parquet file may well give another table instead of an
error. It cannot stand in the file itself. While the data set grows it is in a small file beside the
part, which ``sha256sum -c`` can read; once all parts are there, the manifest lists all checksums,
and the small files go.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path, remove_leftovers
from causalaug._random import RandomState, as_seed
from causalaug._workers import Engine, check_engine, map_blocks
from causalaug.conditionals import Conditional
from causalaug.engine._arrow import as_arrow, import_arrow, source_schema
from causalaug.engine._dataset import AugmentedDataset, read_augmented
from causalaug.engine._folder import (
    JOB,
    MANIFEST,
    AddedColumns,
    Part,
    check_same_job,
    checksum_of,
    checksum_path,
    describe_job,
    fingerprint_of,
    open_folder,
    part_name,
    read_manifest,
    remove_checksums,
    write_json,
    write_manifest,
)
from causalaug.exceptions import StoreError
from causalaug.expansion import Expansion, Paths
from causalaug.model import BLOCK_ROWS, BlockJob, check_size, fit_model
from causalaug.table import KindName, Limits
from causalaug.typing import FloatArray

ROW_GROUP = 1 << 16
"""Rows that are turned into a frame, and written, at a time."""

WRITER: dict[str, Any] = {
    "version": "2.6",
    "compression": "snappy",
    "use_dictionary": True,
    "write_statistics": True,
    "data_page_version": "1.0",
}
"""Said in full, so that a new default does not change the bytes."""

KEY = b"causalaug"


def augment_to_parquet(
    frame: Any,
    graph: Any,
    path: str | Path,
    conditional: Conditional | None = None,
    expansion: Expansion | None = None,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, KindName] | None = None,
    random_state: RandomState = None,
    *,
    limits: Mapping[str, Limits] | None = None,
    sample_weight: FloatArray | None = None,
    weight: str = "weight",
    provenance: str | None = "row_of_",
    block_rows: int = BLOCK_ROWS,
    engine: Engine = None,
    in_flight: int | None = None,
    callback: Callable[[int, int], object] | None = None,
) -> AugmentedDataset:
    """Make new, weighted rows as `augment` does, and write them to Parquet files.

    There is one file per block of rows, so that no more than the blocks in flight are in
    memory. A file is there in full or not at all. It may be stopped at any moment, by Ctrl-C,
    a crash or a loss of power: called again, it goes on with the blocks that are missing. A
    manifest, written last, says that all are there. The bytes of the files depend on the job
    and its seed, and not on where or in what order its blocks are made.

    Parameters
    ----------
    frame, graph, conditional, expansion, order, kinds, limits, sample_weight
        As for `augment`. An expansion that cannot be cut, such as `BeamExpansion`, is one
        block.
    path : str or path
        The folder, new or with a part of the same job.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed. If there is none, one is drawn and kept in the folder, and found there when
        the job goes on.
    weight : str, default="weight"
        The name of the column of weights.
    provenance : str or None, optional
        What is put before the name of each column for the one that says which observed row its
        cells came from; by default ``row_of_``. None leaves these columns out.
    block_rows : int, default=262_144
        Rows of a block, about. The result depends on it. Of a `PrunedExpansion` the rows are
        not known beforehand: there it is the most that a block would have if they were shared
        evenly and the tree had as many as the threshold allows.
    engine : None, "threads" or dask.distributed.Client, optional
        Where the blocks are made: one after the other, on threads, or on the workers of a
        cluster, which write their files themselves: all must see the same folder.
    in_flight : int, optional
        The number of blocks that are made at once; by default one per worker.
    callback : callable, optional
        Called as ``callback(done, total)`` at the start and after each block.

    Returns
    -------
    AugmentedDataset
        The data set, as `read_augmented` opens it.

    Raises
    ------
    StoreError
        If the folder belongs to another job, or holds something else, or if what it says of the
        job is damaged. Parts that are damaged are written again.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from causalaug import ADMG, BudgetExpansion, augment
    >>> from causalaug.engine import augment_to_parquet
    >>> days = pd.DataFrame({"sun": [True, True, False, False], "ice": [9.0, 7.0, 2.0, 4.0]})
    >>> folder = tempfile.TemporaryDirectory()
    >>> job = days, ADMG(["sun", "ice"], [("sun", "ice")])
    >>> done = augment_to_parquet(*job, folder.name, random_state=0, block_rows=10)
    >>> len(done), [file.name for file in done.files]
    (4, ['part-00000.parquet', 'part-00001.parquet'])

    The rows are those of `augment`, cut in the same way:

    >>> same = augment(*job, random_state=0, block_rows=10)
    >>> bool((done.frame()["weight"] == same.weights).all())
    True

    Another job cannot be mixed in:

    >>> augment_to_parquet(*job, folder.name, random_state=1, block_rows=10)
    Traceback (most recent call last):
    ...
    causalaug.exceptions.StoreError: ... Found that seed is 0 there, 1 here. Use another folder, \
or delete this one.
    >>> folder.cleanup()
    """
    import_arrow()
    check_engine(engine, in_flight)
    folder, layout = Path(path), AddedColumns(weight, provenance)
    model = fit_model(frame, graph, conditional, order, kinds, limits, sample_weight)
    job = model.plan(expansion, block_rows)
    check_size(model, job.expansion, job.n_blocks)
    layout.check(job.model.table.columns)
    schema = source_schema(job.model.table)
    started = open_folder(folder)
    resumed = started is not None and random_state is None
    job = replace(job, seed=started["seed"] if started and resumed else as_seed(random_state))
    description = describe_job(job, layout)
    if started is None:
        write_json(folder / JOB, description)
    else:
        check_same_job(description, started, folder)
    remove_leftovers(folder)
    writing = WriteJob(job, folder, layout, schema, fingerprint_of(description))
    parts = _write_missing(writing, engine, in_flight, callback or _ignore)
    if not (folder / MANIFEST).exists():
        write_manifest(folder, description, parts)
    remove_checksums(folder)
    # Once more: workers may have been killed on the way, and replaced.
    remove_leftovers(folder)
    return read_augmented(folder)


@dataclass(frozen=True, eq=False)
class WriteJob:
    """What a worker has to know to write any of the parts."""

    job: BlockJob
    folder: Path
    layout: AddedColumns
    schema: Any
    fingerprint: str

    def write(self, block: int) -> Part:
        """Make one block and write its file."""
        paths = self.job.grow(block)
        known: dict[str, Any] = {
            "file": part_name(block),
            "rows": len(paths),
            "mass": float(paths.weights.sum()),
        }
        label = json.dumps({"fingerprint": self.fingerprint, **known}).encode()
        schema = self._full_schema(label)
        writer_class = import_arrow("pyarrow.parquet").ParquetWriter
        # The folder is swept once per job: to look through it for each part would be quadratic.
        with atomic_path(self.folder / part_name(block), sweep=False) as temporary:
            with open(temporary, "wb") as file, writer_class(file, schema, **WRITER) as writer:
                for rows in self._tables(paths, schema):
                    writer.write_table(rows)
            part = Part(**known, sha256=checksum_of(temporary))
        self.write_checksum(part)
        return part

    def find(self, block: int, checksum: str | None) -> Part | None:
        """Return the part of a block if its file is whole and of this job, else None.

        The checksum is that of the manifest; if there is none, that of the file beside the part.
        """
        arrow, parquet = import_arrow(), import_arrow("pyarrow.parquet")
        path = self.folder / part_name(block)
        try:
            if checksum is None:
                checksum = checksum_path(path).read_text(encoding="ascii").split()[0]
            if checksum_of(path) != checksum:
                return None
            with open(path, "rb") as file:
                label = json.loads(parquet.read_metadata(file).metadata[KEY])
            fingerprint = label.pop("fingerprint")
            part = Part(**label, sha256=checksum)
        except (OSError, arrow.ArrowException, LookupError, TypeError, ValueError):
            return None
        return part if fingerprint == self.fingerprint else None

    def write_checksum(self, part: Part) -> None:
        """Write the checksum beside the part.

        Not with the care for the part itself: whatever a crash makes of it, if it does not fit
        the part, the part is made again.
        """
        text = f"{part.sha256}  {part.file}\n"
        checksum_path(self.folder / part.file).write_text(text, encoding="ascii")

    def _full_schema(self, label: bytes) -> Any:
        arrow = import_arrow()
        types = [arrow.float64()] + [arrow.int32()] * self.job.model.table.n_columns
        names = self.layout.added(self.job.model.table.columns)
        schema = self.schema
        for name, kind in zip(names, types, strict=False):
            schema = schema.append(arrow.field(name, kind, nullable=False))
        return schema.with_metadata({**(schema.metadata or {}), KEY: label})

    def _tables(self, paths: Paths, schema: Any) -> Iterator[Any]:
        """Yield the rows of a block, some at a time, as Arrow tables."""
        arrow, table = import_arrow(), self.job.model.table
        for start in range(0, len(paths), ROW_GROUP):
            some = paths.at(slice(start, start + ROW_GROUP))
            frame = table.take(some.rows, some.shifted)
            columns = as_arrow(frame, table.columns).cast(self.schema).columns
            columns.append(arrow.array(some.weights))
            if self.layout.provenance is not None:
                columns += [arrow.array(rows) for rows in some.rows.T]
            yield arrow.Table.from_arrays(columns, schema=schema)


def _write_missing(
    writing: WriteJob,
    engine: Engine,
    in_flight: int | None,
    callback: Callable[[int, int], object],
) -> list[Part]:
    """Write the parts that are not there yet, and return all of them in order."""
    total = writing.job.n_blocks
    parts = _find_parts(writing)
    missing = [block for block, part in parts.items() if part is None]
    if missing:
        _reopen(writing, parts.values())
    done = total - len(missing)
    callback(done, total)
    written = map_blocks(WriteJob.write, writing, missing, engine, in_flight)
    for block, part in zip(missing, written, strict=True):
        parts[block] = part
        done += 1
        callback(done, total)
    return [part for part in parts.values() if part is not None]


def _find_parts(writing: WriteJob) -> dict[int, Part | None]:
    """Return the part of each block, None where there is none, or none that can be trusted."""
    blocks = range(writing.job.n_blocks)
    if not (writing.folder / MANIFEST).exists():
        return {block: writing.find(block, None) for block in blocks}
    manifest = read_manifest(writing.folder)
    if manifest["fingerprint"] != writing.fingerprint or len(manifest["parts"]) != len(blocks):
        raise StoreError(
            f"The manifest in {str(writing.folder)!r} must be that of the job beside it. Found "
            "that of another. Delete it, or use another folder."
        )
    return {block: writing.find(block, manifest["parts"][block]["sha256"]) for block in blocks}


def _reopen(writing: WriteJob, parts: Iterable[Part | None]) -> None:
    """Say that the data set is not complete, without losing the checksums of what is there."""
    manifest = writing.folder / MANIFEST
    if manifest.exists():
        for part in parts:
            if part is not None:
                writing.write_checksum(part)
        manifest.unlink()


def _ignore(done: int, total: int) -> None:
    """Report nothing."""
