"""From one record per run to curves: means with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causalaug._validation import typing_slips
from causalaug.exceptions import ParameterError
from reproduction.records import BASELINE, with_baseline

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.typing import FloatArray, IntArray


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
    >>> import pandas as pd
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
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"dataset": "d", "protocol": "", "method": ["baseline", "augmented"] * 2,
    ...      "fraction": 0.1, "rows_train": 10, "split": [1, 1, 2, 2],
    ...      "mse": [0.5, 0.4, 1.0, 0.6]}
    ... )
    >>> [curve] = improvements(runs)
    >>> curve.mean.round(3), curve.standard_error.round(3)
    (array([0.3]), array([0.1]))
    """
    paired = with_baseline(runs)
    paired = paired.assign(improvement=1.0 - paired["mse"] / paired["baseline_mse"])
    return [
        _curve(group, "improvement", str(method), str(protocol))
        for (protocol, method), group in _groups(paired, ["protocol", "method"])
    ]


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
