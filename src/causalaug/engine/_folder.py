"""The folder of a data set: what is being made, and what is complete.

`job.json` is written first and says what the parts belong to. `manifest.json` is written last
and lists them with their checksums; without it the data set is not complete. Neither holds a date
or a machine, so that the same job gives the same bytes. Each ends with a checksum of the rest:
a flipped bit in the name of a category would change the table as well as one in a part.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib

from causalaug._atomic import atomic_path
from causalaug._markup import steady_repr
from causalaug._validation import brief
from causalaug.engine._arrow import find_categories, hash_source
from causalaug.exceptions import OutputError, ParameterError, StoreError
from causalaug.model import BlockJob

FORMAT = 2
"""1 had no checksums."""
JOB, MANIFEST = "job.json", "manifest.json"
LIBRARIES = ("causalaug", "numpy", "scipy", "scikit-learn", "pyarrow")
"""Another version of these may give other bytes."""
LONGEST_REASON = 300
"""Characters of what a library says of a file."""
REMEDY = "Delete the folder and call `augment_to_parquet` again, or put a copy in its place."


@dataclass(frozen=True)
class AddedColumns:
    """The names of the columns that are added.

    Parameters
    ----------
    weight : str
        The column of weights.
    provenance : str or None
        What is put before the name of a column for the one that says which observed row each
        cell came from; None leaves them out.

    Examples
    --------
    >>> AddedColumns("weight", "row_of_").added(["x", "y"])
    ('weight', 'row_of_x', 'row_of_y')
    """

    weight: str
    provenance: str | None

    def added(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the columns that are added."""
        if self.provenance is None:
            return (self.weight,)
        return (self.weight, *(f"{self.provenance}{column}" for column in columns))

    def check(self, columns: Sequence[str]) -> None:
        """Raise unless all names are new."""
        for name, value in (("weight", self.weight), ("provenance", self.provenance)):
            if not isinstance(value, str) and not (name == "provenance" and value is None):
                raise ParameterError(f"`{name}` must be a string. Found {value!r}.")
        added = self.added(columns)
        taken = sorted({name for name in added if name in columns or added.count(name) > 1})
        if taken:
            raise ParameterError(
                f"The columns that are added must have names of their own. Found {taken} twice. "
                f"Choose other names: weight={self.weight!r} and provenance={self.provenance!r}, "
                "which is put before the name of each column, are what was asked for."
            )


@dataclass(frozen=True)
class Part:
    """What the manifest lists of a file; all but the checksum, it says of itself."""

    file: str
    rows: int
    mass: float
    sha256: str


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


def describe_job(job: BlockJob, layout: AddedColumns) -> dict[str, Any]:
    """Return all that the parts depend on, as plain values."""
    return {
        "format": FORMAT,
        "seed": job.seed,
        "n_blocks": job.n_blocks,
        "n_observed": job.model.table.n_rows,
        "columns": list(job.model.table.columns),
        "categories": find_categories(job.model.table),
        "weight": layout.weight,
        "provenance": layout.provenance,
        "table": hash_source(job.model.table),
        "factors": [str(factor) for factor in job.model.factors],
        "conditional": _describe_strategy(job.model.conditional),
        "expansion": _describe_strategy(job.expansion),
        "versions": {name: version(name) for name in LIBRARIES},
    }


def _describe_strategy(strategy: object) -> str:
    """Return a text that is equal for equal strategies, also in another process."""
    return f"{steady_repr(strategy)} ({joblib.hash(strategy)})"


def fingerprint_of(description: Mapping[str, Any]) -> str:
    """Return a short text that tells one job from another."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def open_folder(path: Path) -> dict[str, Any] | None:
    """Make the folder if need be; return the job that it belongs to, None if to no one yet."""
    try:
        path.mkdir(exist_ok=True)
        found = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise OutputError(
            f"A data set needs a folder that can be written. Found {brief(str(path))}: "
            f"{reason or error}. Correct the path, or create the folder above it."
        ) from error
    names = [each.name for each in found]
    if JOB in names:
        check_inside(path, found)
        return _read_job(path / JOB)
    if names:
        raise StoreError(
            f"The folder of a data set must be new, or hold a part of it. Found {names[:3]} in "
            f"{str(path)!r}. Use another folder."
        )
    return None


def check_inside(folder: Path, files: Iterable[Path]) -> None:
    """Raise if one of the files is a link that leads out of the folder."""
    real = os.path.realpath(folder)
    for file in files:
        if file.is_symlink() and os.path.dirname(os.path.realpath(file)) != real:
            raise StoreError(
                f"The files of a data set must lie in its folder. Found that {file.name!r} in "
                f"{str(folder)!r} is a link that leads out of it. Replace it by the file itself."
            )


def check_same_job(wanted: Mapping[str, Any], found: Mapping[str, Any], path: Path) -> None:
    """Raise unless the folder belongs to the job that is to be done."""
    different = [name for name in wanted if wanted[name] != found.get(name)]
    if different:
        shown = "; ".join(
            f"{name} is {brief(found.get(name))} there, {brief(wanted[name])} here"
            for name in different
        )
        raise StoreError(
            f"The folder {str(path)!r} must belong to the same job to go on with it. Found that "
            f"{shown}. Use another folder, or delete this one."
        )


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file of JSON with its own checksum, in full or not at all."""
    whole = {**content, "checksum": fingerprint_of(content)}
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Return what a file of JSON holds; raise if it is none of ours, or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(
            f"{str(path)!r} must be a file of JSON. Found: {str(error)[:LONGEST_REASON]}. {REMEDY}"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(
            f"{str(path)!r} must describe a data set of format {FORMAT}. Found something else. "
            "Use the version of causalaug that wrote it, or another folder."
        )
    if content.pop("checksum", None) != fingerprint_of(content):
        raise StoreError(
            f"{str(path)!r} must be as it was written. Found that its checksum does not fit: it "
            f"is damaged, or was edited. {REMEDY}"
        )
    return content


def _read_job(path: Path) -> dict[str, Any]:
    job = read_json(path)
    if not _is_count(job.get("seed")):
        raise StoreError(f"{str(path)!r} must say the seed of the job. Found none. {REMEDY}")
    return job


def write_manifest(path: Path, description: Mapping[str, Any], parts: Sequence[Part]) -> None:
    """Say that the data set is complete, and what it holds."""
    mass = math.fsum(part.mass for part in parts)
    manifest = {
        **description,
        "fingerprint": fingerprint_of(description),
        "n_rows": sum(part.rows for part in parts),
        "mass": mass,
        "parts": [asdict(part) for part in parts],
    }
    write_json(path / MANIFEST, manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a folder, all that it says checked; raise if it is not usable."""
    file = path / MANIFEST
    if not os.path.isfile(file):
        raise StoreError(
            "A data set must have a manifest, which is written when it is complete. Found none "
            f"in {brief(str(path))}. Call `augment_to_parquet` again: it goes on where it stopped."
        )
    manifest = read_json(file)
    wrong = [name for name, fits in _FITS.items() if not fits(manifest.get(name, _Absent))]
    if wrong:
        raise StoreError(
            f"{str(file)!r} must describe a complete data set. Found that {wrong} do not. {REMEDY}"
        )
    named = [part["file"] for part in manifest["parts"]]
    own = [part_name(block) for block in range(len(named))]
    strange = [name for name, right in zip(named, own, strict=True) if name != right]
    if strange:
        raise StoreError(
            f"{str(file)!r} must name the files of its own folder, part-00000.parquet and so on. "
            f"Found {brief(strange[0])}. {REMEDY}"
        )
    return manifest


class _Absent:
    """What a manifest says where it says nothing; null is something."""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and abs(value) < math.inf


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_categories(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, dict)
        and isinstance(each.get("values"), list)
        and all(isinstance(cell, str | int | float) for cell in each["values"])
        and len(set(each["values"])) == len(each["values"])
        and isinstance(each.get("ordered"), bool)
        for each in value.values()
    )


def _are_parts(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(each, dict)
            and _is_text(each.get("file"))
            and _is_count(each.get("rows"))
            and _is_number(each.get("mass"))
            and _is_text(each.get("sha256"))
            for each in value
        )
    )


_FITS: dict[str, Callable[[object], bool]] = {
    "columns": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "weight": _is_text,
    "provenance": lambda value: value is None or _is_text(value),
    "n_rows": _is_count,
    "n_observed": _is_count,
    "mass": _is_number,
    "seed": _is_count,
    "categories": _are_categories,
    "fingerprint": _is_text,
    "parts": _are_parts,
}
"""What a manifest must say, and how to tell whether it does."""
