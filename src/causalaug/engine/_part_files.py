"""One block in one Parquet file, which is there in full or not at all."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug.engine._added_columns import AddedColumns
from causalaug.engine._arrow import as_arrow, import_arrow
from causalaug.expansion import BlockJob, Paths

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


@dataclass(frozen=True)
class Part:
    """What a file says of itself, and what the manifest lists."""

    file: str
    rows: int
    mass: float


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
        part = Part(part_name(block), len(paths), float(paths.weights.sum()))
        label = json.dumps({"fingerprint": self.fingerprint, **vars(part)}).encode()
        schema = self._full_schema(label)
        writer_class = import_arrow("pyarrow.parquet").ParquetWriter
        with (
            atomic_path(self.folder / part.file) as temporary,
            writer_class(temporary, schema, **WRITER) as writer,
        ):
            for rows in self._tables(paths, schema):
                writer.write_table(rows)
        return part

    def find(self, block: int) -> Part | None:
        """Return the part of a block if its file is complete and of this job, else None."""
        arrow, parquet = import_arrow(), import_arrow("pyarrow.parquet")
        try:
            metadata = parquet.read_metadata(self.folder / part_name(block)).metadata
            label = json.loads(metadata[KEY])
        except (OSError, arrow.ArrowException, KeyError, TypeError, ValueError):
            return None
        return Part(**label) if label.pop("fingerprint", None) == self.fingerprint else None

    def _full_schema(self, label: bytes) -> Any:
        arrow = import_arrow()
        types = [arrow.float64()] + [arrow.int32()] * self.job.table.n_columns
        names = self.layout.added(self.job.table.columns)
        schema = self.schema
        for name, kind in zip(names, types, strict=False):
            schema = schema.append(arrow.field(name, kind, nullable=False))
        return schema.with_metadata({**(schema.metadata or {}), KEY: label})

    def _tables(self, paths: Paths, schema: Any) -> Iterator[Any]:
        """Yield the rows of a block, some at a time, as Arrow tables."""
        arrow, table = import_arrow(), self.job.table
        for start in range(0, len(paths), ROW_GROUP):
            some = paths.at(slice(start, start + ROW_GROUP))
            frame = table.take(some.rows, some.shifted)
            columns = as_arrow(frame, table.columns).cast(self.schema).columns
            columns.append(arrow.array(some.weights))
            if self.layout.provenance is not None:
                columns += [arrow.array(rows) for rows in some.rows.T]
            yield arrow.Table.from_arrays(columns, schema=schema)


def part_name(block: int) -> str:
    """Return the name of the file of a block."""
    return f"part-{block:05d}.parquet"
