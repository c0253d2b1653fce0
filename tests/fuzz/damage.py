"""Data sets in files with one bit that is not what was written.

A case flips a bit anywhere in the folder. "refused" is a flip that reading found, "passed" one
that changes nothing that is read. In both cases the job that wrote the folder is run again: it
must mend the folder, byte for byte, or refuse and leave it alone.
"""

import tempfile
from pathlib import Path

from causalaug.engine import augment_to_parquet, read_augmented
from causalaug.exceptions import StoreError
from engine.jobs import content, job
from fuzz.cases import FoundError
from fuzz.processes import ONCE


def _write():
    """Return the files of a complete data set, and what is read from them."""
    with tempfile.TemporaryDirectory(prefix="causalaug-fuzz-") as folder:
        augment_to_parquet(path=Path(folder) / "whole", **job())
        return content(Path(folder) / "whole"), _read(Path(folder) / "whole")


def _read(folder):
    found = read_augmented(folder)
    return found.frame(), (found.columns, found.seed, found.mass)


def flips_a_bit(rng):
    """A flipped bit is found by reading, or what is read is the same."""
    files, expected = ONCE("flips", _write)
    # By size most bits are in the parts; the small files matter as much.
    by_size = rng.random() < 0.8
    name = rng.choices(list(files), [len(each) if by_size else 1 for each in files.values()])[0]
    place = rng.randrange(8 * len(files[name]))
    changed = bytearray(files[name])
    changed[place // 8] ^= 1 << place % 8
    with tempfile.TemporaryDirectory(prefix="causalaug-fuzz-") as parent:
        folder = Path(parent) / "set"
        folder.mkdir()
        for each, held in {**files, name: bytes(changed)}.items():
            (folder / each).write_bytes(held)
        where = f"bit {place} of {name}"
        try:
            _check_same(_read(folder), expected, where)
            seen = None
        except StoreError as error:
            seen = error
        _check_mended(folder, files, where)
    if seen is not None:
        raise seen


def _check_same(found, expected, where):
    if not found[0].equals(expected[0]) or found[1] != expected[1]:
        raise FoundError(f"another table is read, and no error: {where}")


def _check_mended(folder, files, where):
    """Run the job again: the folder must be whole then, or refused and as it was."""
    before = content(folder)
    try:
        augment_to_parquet(path=folder, **job())
    except StoreError:
        if content(folder) != before:
            raise FoundError(f"the job refused the folder, and changed it: {where}") from None
        return
    if content(folder) != files:
        raise FoundError(f"the job did not mend the folder: {where}")
