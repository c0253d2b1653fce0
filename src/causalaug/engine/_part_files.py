"""One block in one Parquet file, which is there in full or not at all.

Each part has a checksum, the SHA-256 of its file, since a flipped bit in a Parquet file may well
give another table instead of an error. It cannot stand in the file itself. While the data set
grows it is in a small file beside the part, which ``sha256sum -c`` can read; once all parts are
there, the manifest lists all checksums, and the small files go.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug.engine._added_columns import AddedColumns
from causalaug.engine._arrow import as_arrow, import_arrow
from causalaug.expansion import Paths
from causalaug.model import BlockJob

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
    """What the manifest lists of a file; all but the checksum, it says of itself."""

    file: str
    rows: int
    mass: float
    sha256: str


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


def part_name(block: int) -> str:
    """Return the name of the file of a block."""
    return f"part-{block:05d}.parquet"


def checksum_path(part: Path) -> Path:
    """Return where the checksum of a part is while the data set grows."""
    return part.with_name(f"{part.name}.sha256")


def checksum_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_checksums(folder: Path) -> None:
    """Remove the checksums beside the parts; the manifest has them all."""
    for path in folder.glob("part-*.parquet.sha256"):
        with suppress(OSError):
            path.unlink()
