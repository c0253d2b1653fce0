"""A data set of weighted rows in Parquet files, to be read in batches or at once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from causalaug._validation import check_integer
from causalaug.engine._arrow import as_pandas, import_arrow
from causalaug.engine._folder import LONGEST_REASON, AddedColumns, check_inside, read_manifest
from causalaug.exceptions import StoreError
from causalaug.expansion import LOST_TO_ROUNDING
from causalaug.typing import FloatArray

Batch = tuple[Any, FloatArray]
"""Some rows as a frame, and their weights."""


@dataclass(frozen=True)
class AugmentedDataset:
    """Weighted rows in files. Open one with `read_augmented`.

    Parameters
    ----------
    path : Path
        The folder.
    columns : tuple of str
        The columns of the observed rows.
    layout : AddedColumns
        The names of the columns of weights and of provenance.
    files : tuple of Path
        The Parquet files, in the order of their blocks.
    checksums : tuple of str
        The SHA-256 of each file. A file is compared with it each time before it is read.
    n_rows : int
        The number of rows in all files.
    n_observed : int
        The number of observed rows that they were made from.
    mass : float
        The sum of all weights.
    seed : int
        What the rows were made with.
    categories : mapping
        The values that category columns may hold, and whether these are ordered.
    """

    path: Path
    columns: tuple[str, ...] = field(repr=False)
    layout: AddedColumns = field(repr=False)
    files: tuple[Path, ...] = field(repr=False)
    checksums: tuple[str, ...] = field(repr=False)
    n_rows: int
    n_observed: int
    mass: float
    seed: int
    categories: Mapping[str, Mapping[str, Any]] = field(repr=False, default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.n_rows

    @property
    def dropped_mass(self) -> float:
        """What is missing from one: paths that were pruned, or that led nowhere."""
        missing = 1.0 - self.mass
        return missing if missing > LOST_TO_ROUNDING else 0.0

    def batches(self, batch_rows: int = 65_536) -> Iterator[Batch]:
        """Yield all rows as pandas frames, some at a time, each with the weights of its rows.

        The weights of all batches together add up to `mass`.
        A batch does not reach across files, so that some are smaller.
        """
        check_integer("batch_rows", batch_rows, at_least=1)
        return self._batches(batch_rows)

    def read(self, number: int) -> pd.DataFrame:
        """Return one file as a pandas frame: the columns of the observed rows, and weights."""
        wanted = [*self.columns, self.layout.weight]
        with self._opened(number) as file:
            return as_pandas(file.read(columns=wanted), self.categories)[wanted]

    def frame(self) -> pd.DataFrame:
        """Return all rows, and what is known of them, as one pandas frame."""
        parts = []
        for number in range(len(self.files)):
            with self._opened(number) as file:
                parts.append(as_pandas(file.read(), self.categories))
        return pd.concat(parts, ignore_index=True)

    @contextmanager
    def _opened(self, number: int, **options: Any) -> Iterator[Any]:
        """Yield a Parquet file whose bytes are those that were written."""
        arrow, parquet = import_arrow(), import_arrow("pyarrow.parquet")
        path = self.files[number]
        try:
            with open(path, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != self.checksums[number]:
                    raise StoreError(
                        f"The files of a data set must be as they were written. Found that "
                        f"{str(path)!r} has another checksum than its manifest says: it is "
                        "damaged. Call `augment_to_parquet` again: it writes that file anew."
                    )
                file.seek(0)
                with parquet.ParquetFile(file, **options) as part:
                    yield part
        except StoreError:
            raise
        except (OSError, arrow.ArrowException, LookupError, TypeError, ValueError) as error:
            raise StoreError(
                f"The files of a data set must be Parquet files with the columns that its manifest "
                f"names. Found that {str(path)!r} cannot be read as one: "
                f"{str(error)[:LONGEST_REASON]}. Call `augment_to_parquet` again."
            ) from error

    def _batches(self, batch_rows: int) -> Iterator[Batch]:
        wanted = [*self.columns, self.layout.weight]
        for number in range(len(self.files)):
            with self._opened(number, pre_buffer=False) as file:
                for batch in file.iter_batches(batch_rows, columns=wanted):
                    frame = as_pandas(batch, self.categories)
                    weights = frame.pop(self.layout.weight).to_numpy(dtype=np.float64)
                    yield frame[[*self.columns]], weights


def read_augmented(path: str | Path) -> AugmentedDataset:
    """Open a data set that `augment_to_parquet` wrote.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    AugmentedDataset
        Its size, its mass and its files. Rows are read when asked for.

    Raises
    ------
    StoreError
        If the data set is not complete (it has no manifest, or lacks files), or if its manifest
        is damaged or names files elsewhere. That a file is damaged is found when it is read.

    Examples
    --------
    >>> read_augmented("no/such/folder")
    Traceback (most recent call last):
    ...
    causalaug.exceptions.StoreError: A data set must have a manifest, which is written when it is \
complete. Found none in 'no/such/folder'. Call `augment_to_parquet` again: it goes on where it \
stopped.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    files = tuple(folder / part["file"] for part in manifest["parts"])
    _check_files(folder, files)
    check_inside(folder, files)
    return AugmentedDataset(
        path=folder,
        columns=tuple(manifest["columns"]),
        layout=AddedColumns(manifest["weight"], manifest["provenance"]),
        files=files,
        checksums=tuple(part["sha256"] for part in manifest["parts"]),
        n_rows=manifest["n_rows"],
        n_observed=manifest["n_observed"],
        mass=manifest["mass"],
        seed=manifest["seed"],
        categories=manifest["categories"],
    )


def _check_files(folder: Path, files: Sequence[Path]) -> None:
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise StoreError(
            f"All {len(files)} files of a data set must be there. Found no {missing[:3]} in "
            f"{str(folder)!r}. Call `augment_to_parquet` again: it writes what is missing."
        )
