"""What stands before a learner: encoders, imputation without a graph, bins; the default learner.

A learner that is compared with ours must not profit from the graph, not even by the cells that it
is given; and of columns outside the graph its model knows nothing. A learner that takes NaN gets
it; for all others numbers are filled in by scikit-learn's `IterativeImputer`, which regresses each
column on the others, and other cells by the most common one.

With weights, scikit-learn's histogram boosting looks for each of 254 quantiles apart and sorts the
column each time: of a weighted fit on 60,000 rows that takes two thirds. On numbers of bins it has
nothing to look for, and grows the trees that it grows on quantiles of its own.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  it is still experimental
from sklearn.impute import IterativeImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
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


def takes_holes(learner: Any) -> bool:
    """Say whether a learner can be given missing cells.

    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from sklearn.impute import SimpleImputer
    >>> from sklearn.linear_model import Ridge
    >>> takes_holes(HistGradientBoostingRegressor()), takes_holes(Ridge())
    (True, False)
    >>> takes_holes(make_pipeline(SimpleImputer(), Ridge()))
    True
    """
    for step in _steps(learner):
        if "Imputer" in type(step).__name__:
            return True
        if step not in (None, "passthrough") and not get_tags(step).input_tags.allow_nan:
            return False
    return True


def _steps(learner: Any) -> list[Any]:
    """Return what data go through, one after the other."""
    if not isinstance(learner, Pipeline):
        return [learner]
    return [each for _, step in learner.steps for each in _steps(step)]


def with_holes(learner: Any) -> Any:
    """Return the learner, behind a step that fills missing cells in unless it takes them."""
    return learner if takes_holes(learner) else make_pipeline(FilledIn(), learner)


def is_filled_in(learner: Any) -> bool:
    """Say whether missing cells are filled in before the learner."""
    return isinstance(learner, Pipeline) and isinstance(learner.steps[0][1], FilledIn)


class FilledIn(TransformerMixin, BaseEstimator):
    """Fills in numbers from the other numbers, and everything else by the most common cell.

    >>> import pandas as pd
    >>> parts = pd.DataFrame({"alloy": ["tin", None, "tin"], "load": [1.0, 3.0, None]})
    >>> FilledIn().fit(parts).transform(parts)
      alloy  load
    0   tin   1.0
    1   tin   3.0
    2   tin   2.0
    """

    def fit(self, X: Any, y: Any = None) -> FilledIn:
        """Learn how columns of numbers go together, and what is common in the others."""
        opened = _opened(X)
        self.numbers_ = [name for name, dtype in opened.schema.items() if dtype.is_numeric()]
        self.common_ = {
            name: _most_common(opened[name]) for name in opened.columns if name not in self.numbers_
        }
        if self.numbers_:
            self.imputer_ = IterativeImputer(keep_empty_features=True, random_state=0)
            with warnings.catch_warnings():
                # On few rows its rounds need not settle; what it fills in is no worse for that.
                warnings.simplefilter("ignore", ConvergenceWarning)
                self.imputer_.fit(self._matrix(opened))
        return self

    def transform(self, X: Any) -> Any:
        """Return the frame or array without missing cells, numbers as floats."""
        opened = _opened(X)
        columns: dict[str, Any] = {
            name: _filled(opened[name], common) for name, common in self.common_.items()
        }
        if self.numbers_:
            filled = self.imputer_.transform(self._matrix(opened))
            columns |= dict(zip(self.numbers_, filled.T, strict=True))
        columns = {name: columns[name] for name in opened.columns}
        namespace = nw.get_native_namespace(opened)
        filled_in = nw.from_dict(columns, native_namespace=namespace)
        return filled_in.to_numpy() if isinstance(X, np.ndarray) else filled_in.to_native()

    def _matrix(self, opened: nw.DataFrame[Any]) -> FloatArray:
        """Return the columns of numbers, NaN where a cell is missing."""
        return np.column_stack(
            [opened[name].cast(nw.Float64).to_numpy() for name in self.numbers_]
        ).astype(np.float64)


def _opened(features: Any) -> nw.DataFrame[Any]:
    """Return a frame, also of an array, whose columns have no names."""
    if isinstance(features, np.ndarray):
        features = pd.DataFrame(features, columns=[f"{n}" for n in range(features.shape[1])])
    return nw.from_native(features, eager_only=True)


def _most_common(column: nw.Series[Any]) -> Any:
    """Return the most common cell; the first of equals, None if there is none."""
    cells = column.drop_nulls().to_list()
    return Counter(cells).most_common(1)[0][0] if cells else None


def _filled(column: nw.Series[Any], common: Any) -> list[Any]:
    missing = column.is_null().to_list()
    return [common if gone else cell for cell, gone in zip(column.to_list(), missing, strict=True)]


MOST_BINS = 255
"""As many as histogram boosting has itself; it keeps a bin of its own for missing cells."""


class QuantileBins(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replaces each number by the number of its bin; missing cells stay missing.

    The bins of a column hold about equally many rows each. A column of at most 255 distinct values
    has a bin for each.

    Examples
    --------
    >>> import numpy as np
    >>> QuantileBins().fit_transform(np.array([[0.1], [7.0], [np.nan], [0.1]]))
    array([[ 0.],
           [ 1.],
           [nan],
           [ 0.]])
    """

    def fit(self, X: Any, y: Any = None) -> QuantileBins:
        """Find the edges of the bins."""
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        self.edges_ = [edges_of(column[~np.isnan(column)]) for column in X.T]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the number of each cell's bin, NaN where the cell is missing."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        bins = np.empty(X.shape, order="F")
        for number, edges in enumerate(self.edges_):
            bins[:, number] = np.searchsorted(edges, X[:, number])
        bins[np.isnan(X)] = np.nan
        return bins

    def __sklearn_tags__(self) -> Any:
        """Say that cells may be missing."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def edges_of(values: FloatArray) -> FloatArray:
    """Return where bins meet, ascending: between two distinct values, or at quantiles.

    A value that is an edge belongs to the bin below it.
    """
    distinct = np.unique(values)
    if len(distinct) <= MOST_BINS:
        below, above = distinct[:-1], distinct[1:]
        middles: FloatArray = 0.5 * above + 0.5 * below
        # Between two neighbours among doubles there is no middle: it is rounded to one of them.
        return np.where(middles < above, middles, below)
    ranks = np.linspace(0.0, 100.0, MOST_BINS + 1)[1:-1]
    edges: FloatArray = np.unique(np.percentile(values, ranks, method="averaged_inverted_cdf"))
    return edges


TINY_TABLE = 40
"""Below so many rows a leaf holds a tenth of the weight, 2.5 rows of 25. Leaves of 20 rows, which
histograms have, leave the plain learner a mean, against which everything is a gain. Without a graph
it is that mean still: there a row of weight two must be the same as two rows, to the last digit,
and trees of small leaves depend on how ties are broken."""

SMALL_TABLE = 500
"""Up to so many rows plain gradient boosting is the better default. With the weighted new rows of
60 observed ones it takes 0.18 s and histograms (31 leaves, 100 rounds) 0.58 s, most of it for bins
of weighted quantiles; its errors are lower by 37% without new rows and by 2% with them. Beyond, it
is histograms, whose bins are found beforehand: a default fit to 800 rows of 9 columns takes 7
instead of 17 s, with the same test error (-0.0 ± 0.0%, eight models of seeds 500,000 and up; -0.1 ±
0.1% on eight more of seeds 520,000 and up)."""


def default_booster(n_rows: int, *, classification: bool, has_graph: bool = True) -> Any:
    """Return the learner that is used where none is given.

    Leaves hold a share of the weight, not a number of rows: new rows are many and light.

    >>> default_booster(60, classification=False)
    GradientBoostingRegressor(min_weight_fraction_leaf=0.02, n_estimators=60)
    >>> default_booster(1_000, classification=False)
    Pipeline(steps=[('quantilebins', QuantileBins()),
                    ('histgradientboostingregressor',
                     HistGradientBoostingRegressor(early_stopping=False))])
    """
    hist = HistGradientBoostingClassifier if classification else HistGradientBoostingRegressor
    small = GradientBoostingClassifier if classification else GradientBoostingRegressor
    if n_rows > SMALL_TABLE:
        learner = hist(early_stopping=False)
    elif n_rows < TINY_TABLE and not has_graph:
        learner = hist(max_leaf_nodes=8, max_iter=60, early_stopping=False)
    else:
        least = 0.1 if n_rows < TINY_TABLE else 0.02
        learner = small(n_estimators=60, min_weight_fraction_leaf=least)
    if get_config()["enable_metadata_routing"]:
        # In a pipeline it must ask for weights.
        learner.set_fit_request(sample_weight=True)
    return make_pipeline(QuantileBins(), learner) if n_rows > SMALL_TABLE else learner
