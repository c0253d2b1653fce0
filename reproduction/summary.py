"""From records of runs to a table of means and standard errors."""

import numpy as np
import pandas as pd

from reproduction.records import AUGMENTED, BASELINE, read_records, with_baseline

CELL = ["dataset", "fraction", "protocol"]


def summarize(records: pd.DataFrame, reference: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per data set, fraction and protocol: both methods, and their change.

    Parameters
    ----------
    records : pandas DataFrame
        Records of runs: ``dataset``, ``fraction``, ``split``, ``method`` and ``mse``, and
        ``protocol`` if there are several. A protocol without a baseline of its own is compared
        with that of ``"reference"``, which sees the same splits.
    reference : pandas DataFrame, optional
        Records of others, such as the authors' own, to be put beside: their columns start with
        ``reference_``.

    Returns
    -------
    pandas DataFrame
        ``n_splits``, ``baseline`` and ``augmented`` (mean MSE) with their standard errors, and
        ``change``: the mean of the relative changes in percent, split by split, with its error.

    Examples
    --------
    >>> records = pd.DataFrame({"dataset": "d", "fraction": 0.1, "split": [1, 1, 2, 2],
    ...     "method": ["baseline", "augmented"] * 2, "mse": [1.0, 0.9, 2.0, 1.6]})
    >>> summarize(records)[["n_splits", "baseline", "augmented", "change", "change_error"]]
       n_splits  baseline  augmented  change  change_error
    0         2       1.5       1.25   -15.0           5.0
    """
    table = _cells(read_records(records))
    if reference is None:
        return table
    theirs = _cells(read_records(reference, "reference")).drop(columns="protocol")
    named = {name: f"reference_{name}" for name in theirs if name not in CELL}
    return table.merge(theirs.rename(columns=named), how="left", on=["dataset", "fraction"])


def _cells(records: pd.DataFrame) -> pd.DataFrame:
    paired = with_baseline(records).rename(columns={"baseline_mse": BASELINE, "mse": AUGMENTED})
    paired = paired[paired["method"] == AUGMENTED]
    paired["change"] = 100.0 * (paired[AUGMENTED] / paired[BASELINE] - 1.0)
    grouped = paired.groupby(CELL, sort=True)
    columns = {"n_splits": grouped.size()}
    for name in (BASELINE, AUGMENTED, "change"):
        columns[name] = grouped[name].mean()
        columns[f"{name}_error"] = grouped[name].std() / np.sqrt(columns["n_splits"])
    return pd.DataFrame(columns).reset_index()
