"""The folder of a data set: what is being made, and what is complete.

`job.json` is written first and says what the parts belong to. `manifest.json` is written last
and lists them; without it the data set is not complete. Neither holds a date or a machine, so
that the same job gives the same bytes.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug._optional import import_optional
from causalaug.engine._added_columns import AddedColumns
from causalaug.engine._arrow import find_categories, hash_source
from causalaug.engine._part_files import Part
from causalaug.exceptions import OutputError, StoreError
from causalaug.expansion import BlockJob

FORMAT = 1
JOB, MANIFEST = "job.json", "manifest.json"
LIBRARIES = ("causalaug", "numpy", "scipy", "scikit-learn", "pyarrow")
"""Another version of these may give other bytes."""


def describe_job(job: BlockJob, layout: AddedColumns) -> dict[str, Any]:
    """Return all that the parts depend on, as plain values."""
    return {
        "format": FORMAT,
        "seed": job.seed,
        "n_blocks": job.n_blocks,
        "n_observed": job.table.n_rows,
        "columns": list(job.table.columns),
        "categories": find_categories(job.table),
        "weight": layout.weight,
        "provenance": layout.provenance,
        "table": hash_source(job.table),
        "factors": [str(factor) for factor in job.factors],
        "conditional": _describe_strategy(job.conditional),
        "expansion": _describe_strategy(job.expansion),
        "versions": {name: version(name) for name in LIBRARIES},
    }


def _describe_strategy(strategy: object) -> str:
    """Return a text that is equal for equal strategies, also in another process."""
    joblib = import_optional("joblib", extra="experiments", purpose="A data set in files")
    shown = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(strategy))
    return f"{shown} ({joblib.hash(strategy)})"


def fingerprint_of(description: Mapping[str, Any]) -> str:
    """Return a short text that tells one job from another."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def open_folder(path: Path) -> dict[str, Any] | None:
    """Make the folder if need be; return the job that it belongs to, None if to no one yet."""
    try:
        path.mkdir(exist_ok=True)
        names = sorted(each.name for each in path.iterdir() if not each.name.startswith("."))
    except OSError as error:
        raise OutputError(
            f"A data set needs a folder that can be written. Found {str(path)!r}: "
            f"{error.strerror or error}. Correct the path, or create the folder above it."
        ) from error
    if JOB in names:
        return read_json(path / JOB)
    if names:
        raise StoreError(
            f"The folder of a data set must be new, or hold a part of it. Found {names[:3]} in "
            f"{str(path)!r}. Use another folder."
        )
    return None


def check_same_job(wanted: Mapping[str, Any], found: Mapping[str, Any], path: Path) -> None:
    """Raise unless the folder belongs to the job that is to be done."""
    different = [name for name in wanted if wanted[name] != found.get(name)]
    if different:
        shown = "; ".join(
            f"{name} is {found.get(name)!r} there, {wanted[name]!r} here" for name in different
        )
        raise StoreError(
            f"The folder {str(path)!r} must belong to the same job to go on with it. Found that "
            f"{shown}. Use another folder, or delete this one."
        )


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file of JSON, in full or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Return what a file of JSON holds; raise if it is none of ours."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(f"{str(path)!r} must be a file of JSON. Found: {error}.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(
            f"{str(path)!r} must describe a data set of format {FORMAT}. Found something else. "
            "Use the version of causalaug that wrote it, or another folder."
        )
    return content


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


def remove_leftovers(path: Path) -> None:
    """Remove what killed workers left half written."""
    for leftover in path.glob(".part-*.tmp.parquet"):
        leftover.unlink(missing_ok=True)
