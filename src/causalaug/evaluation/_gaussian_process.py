"""Gaussian processes as rivals: on few rows and smooth mechanisms they are hard to beat."""

import warnings
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, ConstantKernel, WhiteKernel

from causalaug.typing import FloatArray

MOST_ROWS = 1000
"""A Gaussian process takes the cube of its rows in time: it is fitted to no more than these."""

ROWS_OF_SEARCH = 300
"""Its length scale and noise are found on no more rows than these; all of them then serve."""


class GaussianProcess(BaseEstimator):
    """A Gaussian process with one length scale and noise, fitted to at most 1,000 rows."""

    def __init__(self, *, classification: bool = False, random_state: Any = None) -> None:
        self.classification = classification
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "GaussianProcess":
        """Find the kernel on some rows, then fit with it to at most 1,000."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        rows = np.random.default_rng(self.random_state).permutation(len(y))[:MOST_ROWS]
        few = self._few_rows_of_each_class(y, rows)
        with warnings.catch_warnings():
            # A kernel at its bounds is a fit like any other, to a column that tells little.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = self._process(self._kernel(X.shape[1])).fit(X[few], y[few])
            if len(few) < len(rows):
                found = self._process(_one_kernel(found.kernel_), optimizer=None)
                found = found.fit(X[rows], y[rows])
        self.process_ = found
        if self.classification:
            self.classes_ = found.classes_
        return self

    def _few_rows_of_each_class(self, y: Any, rows: Any) -> Any:
        few = rows[:ROWS_OF_SEARCH]
        if self.classification and len(np.unique(y[few])) < len(np.unique(y[rows])):
            return rows
        return few

    def predict(self, X: Any) -> Any:
        """Return means, or classes."""
        return self.process_.predict(np.asarray(X, dtype=np.float64))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""
        found: FloatArray = self.process_.predict_proba(np.asarray(X, dtype=np.float64))
        return found

    def _kernel(self, n_columns: int) -> Any:
        # Scaled columns lie about sqrt(2 d) apart, where a kernel is to start with some say.
        smooth = ConstantKernel(1.0, (1e-2, 1e3)) * RBF(np.sqrt(n_columns), (1e-1, 1e3))
        return smooth if self.classification else smooth + WhiteKernel(0.1, (1e-5, 1e1))

    def _process(self, kernel: Any, optimizer: Any = "fmin_l_bfgs_b") -> Any:
        if self.classification:
            return GaussianProcessClassifier(kernel, optimizer=optimizer)
        return GaussianProcessRegressor(kernel, optimizer=optimizer, normalize_y=True)


def _one_kernel(kernel: Any) -> Any:
    """Return a kernel that a process can start from: of one per class, their geometric mean."""
    if not isinstance(kernel, CompoundKernel):
        return kernel
    each = kernel.kernels
    return each[0].clone_with_theta(np.mean([one.theta for one in each], axis=0))


class ColumnsOnly(TransformerMixin, BaseEstimator):
    """Keeps some columns of a frame, and the kind of frame."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self.names = names

    def fit(self, X: Any, y: Any = None) -> "ColumnsOnly":
        """Learn nothing."""
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns."""
        return nw.from_native(X, eager_only=True).select(list(self.names)).to_native()

    def __sklearn_is_fitted__(self) -> bool:
        """Say that there is nothing to fit."""
        return True
