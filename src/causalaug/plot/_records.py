"""Records of experiments: from one row per run to means with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from causalaug._validation import typing_slips
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from causalaug.typing import FloatArray, IntArray

BASELINE, AUGMENTED = "baseline", "augmented"
SYNONYMS = {"proposed": AUGMENTED}
"""What other people's records call the same method."""
SHARED = "reference"
"""The protocol whose baseline serves those that have none."""
RUN = ["dataset", "protocol", "fraction", "split", "method"]
NEEDED = ["dataset", "fraction", "split", "method", "mse", "rows_train"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Means over splits, one per training size, and their standard errors.

    The error of a mean over a single split is unknown: NaN.
    """

    method: str
    protocol: str
    rows: FloatArray
    mean: FloatArray
    standard_error: FloatArray
    n_splits: IntArray


def read_records(records: object, name: str = "records") -> pd.DataFrame:
    """Check a frame of records, and give it one protocol and our names if it has others."""
    if not isinstance(records, pd.DataFrame):
        raise TableError(
            f"`{name}` must be a pandas DataFrame. Found {type(records).__name__}. "
            "Read a file with `pandas.read_csv`."
        )
    missing = [column for column in NEEDED if column not in records]
    if missing:
        raise TableError(
            f"`{name}` must have the columns {NEEDED}, one row per run. Missing: {missing}. "
            + typing_slips(missing, [str(column) for column in records])
            + f"Found: {[str(column) for column in records]}."
        )
    checked = records[NEEDED].assign(
        protocol=records["protocol"].astype(str) if "protocol" in records else "",
        method=records["method"].astype(str).replace(SYNONYMS),
        dataset=records["dataset"].astype(str),
    )
    _check_numbers(checked, name)
    _check_unique(checked, name)
    return checked


def _check_numbers(records: pd.DataFrame, name: str) -> None:
    """Raise unless sizes, fractions and losses are numbers that they can be."""
    for column in ("fraction", "rows_train", "mse"):
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


def select_dataset(records: pd.DataFrame, dataset: str, name: str = "records") -> pd.DataFrame:
    """Return the runs of one data set, or raise and name those that there are."""
    known = list(dict.fromkeys(records["dataset"]))
    if dataset not in known:
        raise ParameterError(
            f"`dataset` must be one of those in `{name}`: {known}. Found {dataset!r}. "
            + typing_slips([str(dataset)], known)
        )
    return records[records["dataset"] == dataset]


def learning_curves(runs: pd.DataFrame) -> list[Curve]:
    """Return the mean MSE of each method and protocol, the baseline first.

    Examples
    --------
    >>> runs = pd.DataFrame(
    ...     {"protocol": "", "method": "baseline", "fraction": 0.1, "rows_train": 10,
    ...      "split": [1, 2], "mse": [0.5, 0.7]}
    ... )
    >>> [curve] = learning_curves(runs)
    >>> curve.mean.round(3), curve.standard_error.round(3)
    (array([0.6]), array([0.1]))
    """
    return [
        _curve(group, "mse", str(method), str(protocol))
        for (protocol, method), group in _groups(runs, ["protocol", "method"])
    ]


def improvements(runs: pd.DataFrame) -> list[Curve]:
    """Return by how much each method beats the baseline, relatively, on the same splits.

    A protocol without a baseline of its own is compared with that of ``"reference"``.

    Examples
    --------
    >>> runs = pd.DataFrame(
    ...     {"protocol": "", "method": ["baseline", "augmented"] * 2, "fraction": 0.1,
    ...      "rows_train": 10, "split": [1, 1, 2, 2], "mse": [0.5, 0.4, 1.0, 0.6]}
    ... )
    >>> [curve] = improvements(runs)
    >>> curve.mean.round(3), curve.standard_error.round(3)
    (array([0.3]), array([0.1]))
    """
    is_baseline = runs["method"] == BASELINE
    paired = _with_baseline(runs[~is_baseline], runs[is_baseline])
    _check_paired(paired)
    paired = paired.assign(improvement=1.0 - paired["mse"] / paired["baseline_mse"])
    return [
        _curve(group, "improvement", str(method), str(protocol))
        for (protocol, method), group in _groups(paired, ["protocol", "method"])
    ]


def _with_baseline(runs: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that have a baseline on the same split, with its MSE beside theirs."""
    split = ["fraction", "split"]
    columns = [*split, "mse"]
    own = baseline[["protocol", *columns]].rename(columns={"mse": "baseline_mse"})
    shared = baseline.loc[baseline["protocol"] == SHARED, columns]
    paired = runs.merge(own, how="left", on=["protocol", *split])
    paired = paired.merge(shared.rename(columns={"mse": "shared_mse"}), how="left", on=split)
    paired["baseline_mse"] = paired["baseline_mse"].fillna(paired.pop("shared_mse"))
    return paired.dropna(subset="baseline_mse")


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


def _groups(runs: pd.DataFrame, by: list[str]) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """Return the runs by protocol, in order of appearance, the baseline before the others."""
    groups = {(str(key[0]), str(key[1])): group for key, group in runs.groupby(by, sort=False)}
    protocols = list(dict.fromkeys(protocol for protocol, _ in groups))
    return sorted(
        groups.items(),
        key=lambda item: (protocols.index(item[0][0]), item[0][1] != BASELINE, item[0][1]),
    )


def _curve(runs: pd.DataFrame, column: str, method: str, protocol: str) -> Curve:
    by_size = runs.groupby("fraction", sort=True)
    count = by_size[column].count().to_numpy()
    return Curve(
        method,
        protocol,
        by_size["rows_train"].mean().to_numpy(float),
        by_size[column].mean().to_numpy(float),
        by_size[column].std(ddof=1).to_numpy(float) / np.sqrt(count),
        count,
    )
