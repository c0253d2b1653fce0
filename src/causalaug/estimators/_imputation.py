"""Missing cells, as plain learners meet them: taken as they are, or filled in without a graph.

A learner that is compared with ours must not profit from the graph, not even by the cells that it
is given; and of columns outside the graph its model knows nothing. A learner that takes NaN gets
it; for all others numbers are filled in by scikit-learn's `IterativeImputer`, which regresses each
column on the others, and other cells by the most common one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  it is still experimental
from sklearn.impute import IterativeImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

if TYPE_CHECKING:
    from causalaug.typing import FloatArray


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
