"""Records of runs, ours or others': checked at the door, and paired with their baselines."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from causalaug._validation import typing_slips
from causalaug.exceptions import TableError

__all__ = ["AUGMENTED", "BASELINE", "read_records", "with_baseline"]

BASELINE, AUGMENTED = "baseline", "augmented"
SYNONYMS = {"proposed": AUGMENTED}
"""What other people's records call the same method."""
SHARED = "reference"
"""The protocol whose baseline serves those that have none."""
RUN = ["dataset", "protocol", "fraction", "split", "method"]
NEEDED = ("dataset", "fraction", "split", "method", "mse")


def read_records(records: object, name: str = "records", also: Sequence[str] = ()) -> pd.DataFrame:
    """Check a frame of records, and give it a protocol and our names if it has others."""
    needed = [*NEEDED, *also]
    if not isinstance(records, pd.DataFrame):
        raise TableError(
            f"`{name}` must be a pandas DataFrame. Found {type(records).__name__}. "
            "Read a file with `pandas.read_csv`."
        )
    missing = [column for column in needed if column not in records]
    if missing:
        raise TableError(
            f"`{name}` must have the columns {needed}, one row per run. Missing: {missing}. "
            + typing_slips(missing, [str(column) for column in records])
            + f"Found: {[str(column) for column in records]}."
        )
    checked = records[needed].assign(
        protocol=records["protocol"].astype(str) if "protocol" in records else "",
        method=records["method"].astype(str).replace(SYNONYMS),
        dataset=records["dataset"].astype(str),
    )
    _check_numbers(checked, name, ["fraction", "mse", *also])
    _check_unique(checked, name)
    return checked


def _check_numbers(records: pd.DataFrame, name: str, columns: Sequence[str]) -> None:
    """Raise unless fractions, losses and sizes are numbers that they can be."""
    for column in columns:
        numbers = pd.to_numeric(records[column], errors="coerce").to_numpy(float)
        wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0.0)))
        if len(wrong):
            raise TableError(
                f"`{column}` of `{name}` must be finite and not negative. "
                f"Found {records[column].iloc[wrong[0]]!r} at row {wrong[0]}, and {len(wrong)} "
                "such rows in all. Drop runs that failed."
            )


def _check_unique(records: pd.DataFrame, name: str) -> None:
    repeated = records[records.duplicated(RUN)]
    if len(repeated):
        run = {column: repeated.iloc[0][column] for column in RUN}
        raise TableError(
            f"`{name}` must hold every run once. Found {len(repeated)} repeated, the first of "
            f"{run}. Drop them, or tell protocols apart by a column `protocol`."
        )


def with_baseline(records: pd.DataFrame) -> pd.DataFrame:
    """Return the other runs that have a baseline on the same split, with its MSE beside theirs.

    A protocol without a baseline of its own is compared with that of ``"reference"``, which sees
    the same splits.
    """
    is_baseline = records["method"] == BASELINE
    runs, baseline = records[~is_baseline], records[is_baseline]
    split = ["dataset", "fraction", "split"]
    columns = [*split, "mse"]
    own = baseline[["protocol", *columns]].rename(columns={"mse": "baseline_mse"})
    shared = baseline.loc[baseline["protocol"] == SHARED, columns]
    paired = runs.merge(own, how="left", on=["protocol", *split])
    paired = paired.merge(shared.rename(columns={"mse": "shared_mse"}), how="left", on=split)
    paired["baseline_mse"] = paired["baseline_mse"].fillna(paired.pop("shared_mse"))
    paired = paired.dropna(subset="baseline_mse")
    _check_paired(paired)
    return paired


def _check_paired(paired: pd.DataFrame) -> None:
    if not len(paired):
        raise TableError(
            "An improvement needs runs of the baseline and of another method on the same "
            "splits. Found none. `method` must be 'baseline' for the former."
        )
    if (paired["baseline_mse"] == 0.0).any():
        raise TableError(
            "An improvement is relative to the baseline's MSE, which must not be 0. "
            f"Found {int((paired['baseline_mse'] == 0.0).sum())} such runs. Drop them."
        )
