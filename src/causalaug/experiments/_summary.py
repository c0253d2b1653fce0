"""From records of runs to a table of means and standard errors."""

import numpy as np
import pandas as pd

from causalaug.exceptions import ParameterError

UNIT = ["dataset", "fraction", "split"]
CELL = ["dataset", "fraction", "protocol"]
SYNONYMS = {"proposed": "augmented"}
"""What other files call our methods."""


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
    table = _cells(_paired(_checked(records)))
    if reference is None:
        return table
    theirs = _cells(_paired(_checked(reference))).drop(columns="protocol")
    named = {name: f"reference_{name}" for name in theirs if name not in CELL}
    return table.merge(theirs.rename(columns=named), how="left", on=["dataset", "fraction"])


def _checked(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records with our names of methods, and a protocol."""
    missing = [name for name in (*UNIT, "method", "mse") if name not in records]
    if missing:
        raise ParameterError(
            "Records must have the columns dataset, fraction, split, method and mse. "
            f"Found no {missing}."
        )
    checked = records.assign(method=records["method"].replace(SYNONYMS))
    if "protocol" not in checked:
        checked["protocol"] = "reference"
    if checked.duplicated([*UNIT, "protocol", "method"]).any():
        raise ParameterError(
            "Each run must have one record. Found two with the same data set, fraction, split, "
            "protocol and method: were two files put together?"
        )
    return checked


def _paired(records: pd.DataFrame) -> pd.DataFrame:
    """Return one row per split and protocol that has both methods."""
    both = records.set_index([*UNIT, "protocol", "method"])["mse"].unstack("method")
    both = both.reindex(columns=["baseline", "augmented"]).reset_index()
    shared = both.loc[both["protocol"] == "reference", [*UNIT, "baseline"]]
    borrowed = both[UNIT].merge(shared, how="left", on=UNIT)["baseline"]
    both["baseline"] = both["baseline"].fillna(borrowed)
    both = both.dropna()
    return both.assign(change=100.0 * (both["augmented"] / both["baseline"] - 1.0))


def _cells(paired: pd.DataFrame) -> pd.DataFrame:
    grouped = paired.groupby(CELL, sort=True)
    columns = {"n_splits": grouped.size()}
    for name in ("baseline", "augmented", "change"):
        columns[name] = grouped[name].mean()
        columns[f"{name}_error"] = grouped[name].std() / np.sqrt(columns["n_splits"])
    return pd.DataFrame(columns).reset_index()
