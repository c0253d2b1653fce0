"""Learners take numbers: strings, categories and times are made such."""

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from causalaug.typing import FloatArray

FEWEST_OF_LABEL = 2
"""Rows that a label needs, to count as one of its own; all rarer ones are taken together. So an id,
which no row shares with another, is a constant: one column per id doubled the held-out error of
Gaussian processes, and trees learnt from ids what no new row has."""


def with_encoding(learner: Any, features: Any, *, one_hot: bool = True, scale: bool = False) -> Any:
    """Return the learner behind an encoder of the columns that hold no numbers.

    Which columns these are is looked up again when it is fitted: it may get fewer.
    """
    steps: list[Any] = []
    if columns_without_numbers(features) or columns_of_times(features):
        encoder = (
            OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                min_frequency=FEWEST_OF_LABEL,
                sparse_output=False,
            )
            if one_hot
            else OrdinalEncoder(
                handle_unknown="use_encoded_value",
                unknown_value=-1,
                min_frequency=FEWEST_OF_LABEL,
            )
        )
        times = FunctionTransformer(seconds_of_times, feature_names_out="one-to-one")
        encoded = [
            ("encode", encoder, columns_without_numbers),
            ("times", times, columns_of_times),
        ]
        # Not "passthrough": that hands on an arrow table, which the transformer cannot stack.
        numbers = FunctionTransformer(np.asarray, feature_names_out="one-to-one")
        steps.append(ColumnTransformer(encoded, remainder=numbers))
    if scale:
        steps.append(StandardScaler())
    if not steps:
        return learner
    own = [step for _, step in learner.steps] if isinstance(learner, Pipeline) else [learner]
    return make_pipeline(*steps, *own)


def columns_without_numbers(features: Any) -> list[str]:
    """Return the columns of a frame that hold neither numbers nor times."""
    return [
        name
        for name, dtype in _schema(features).items()
        if not (dtype.is_numeric() or dtype == nw.Boolean or _is_time(dtype))
        and not _are_decimals(features, name, dtype)
    ]


def columns_of_times(features: Any) -> list[str]:
    """Return the columns of a frame that hold dates, times or durations."""
    return [name for name, dtype in _schema(features).items() if _is_time(dtype)]


def seconds_of_times(features: Any) -> FloatArray:
    """Return columns of times as seconds.

    >>> import pandas as pd
    >>> seconds_of_times(pd.DataFrame({"day": pd.to_datetime(["1970-01-02", "1970-01-01"])}))
    array([[86400.],
           [    0.]])
    """
    opened = nw.from_native(features, eager_only=True)
    return np.column_stack([_seconds(opened[name].to_numpy()) for name in opened.columns])


def _seconds(cells: Any) -> FloatArray:
    kind = "m8" if cells.dtype.kind == "m" else "M8"
    nanoseconds: FloatArray = cells.astype(f"{kind}[ns]").astype(np.int64) / 1e9
    return nanoseconds


def _schema(features: Any) -> dict[str, Any]:
    opened = nw.from_native(features, eager_only=True, pass_through=True)
    return dict(opened.schema) if isinstance(opened, nw.DataFrame) else {}


def _are_decimals(features: Any, name: str, dtype: Any) -> bool:
    """Say whether objects are decimals: pandas has no dtype for these numbers."""
    if dtype != nw.Object:
        return False
    cells = nw.from_native(features, eager_only=True)[name].to_list()
    return bool(pd.api.types.infer_dtype(cells, skipna=True) == "decimal")


def _is_time(dtype: Any) -> bool:
    return any(dtype == time for time in (nw.Date, nw.Datetime, nw.Duration))
