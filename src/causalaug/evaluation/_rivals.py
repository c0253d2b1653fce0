"""Plain learners beside which ours must stand, so that nobody is sold a gain over a weak baseline.

Each is lightly tuned, as an untuned rival is none. Gaussian processes are hard to beat on few rows
and smooth mechanisms.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, ConstantKernel, WhiteKernel
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from causalaug._optional import import_optional
from causalaug._validation import check_choice
from causalaug.densities import RIDGE_PENALTIES
from causalaug.estimators import Classification, Regression, default_booster, with_encoding
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.estimators import Task
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

    def fit(self, X: Any, y: Any) -> GaussianProcess:
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


def columns_of(features: Any, names: Sequence[str]) -> Any:
    """Return some columns of a frame, as the same kind of frame."""
    return nw.from_native(features, eager_only=True).select(*names).to_native()


class _Chosen(BaseEstimator):
    """What predicts by the setting that was chosen, `estimator_`."""

    def predict(self, X: Any) -> Any:
        """Predict with the chosen setting."""
        return self.estimator_.predict(np.asarray(X))

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class."""
        return self.estimator_.predict_proba(np.asarray(X))

    def __sklearn_tags__(self) -> Any:
        """Say that features may be missing if the learner takes that."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags


class TunedForest(_Chosen):
    """A forest whose leaves are as large as the rows that its trees did not see speak for.

    Each of two forests has half of the trees, so that the choice costs nothing.

    Parameters
    ----------
    estimator : estimator
        A random forest.
    leaves : tuple of int
        The fewest rows of a leaf.
    """

    def __init__(self, estimator: Any, leaves: tuple[int, ...] = (1, 5)) -> None:
        self.estimator = estimator
        self.leaves = leaves

    def fit(self, X: Any, y: Any) -> TunedForest:
        """Fit a forest with each size of leaves, and keep the better one."""
        X, y = np.asarray(X), np.asarray(y)
        n_trees = max(self.estimator.n_estimators // len(self.leaves), 1)
        options = {"n_estimators": n_trees, "oob_score": True, "bootstrap": True}
        with warnings.catch_warnings():
            # With few trees some rows are in all their samples; they have no say.
            warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
            forests = [
                clone(self.estimator).set_params(min_samples_leaf=leaf, **options).fit(X, y)
                for leaf in self.leaves
            ]
        self.estimator_ = min(forests, key=lambda forest: _unseen_loss(forest, y))
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self


def _unseen_loss(forest: Any, y: Any) -> float:
    """Return the mean loss of rows by the trees that did not see them."""
    if not hasattr(forest, "classes_"):
        return float(np.square(forest.oob_prediction_ - y).mean())
    said = forest.oob_decision_function_
    own = said[np.arange(len(y)), np.searchsorted(forest.classes_, y)]
    known = np.isfinite(own)
    # A hundred trees cannot say less than that of a class that none of them names.
    return float(-np.log(np.maximum(own[known], 0.01)).mean()) if known.any() else 0.0


class Tuned(_Chosen):
    """A learner with that of a few settings that predicts held-out rows best.

    Parameters
    ----------
    estimator : estimator
        The learner.
    grid : sequence of mappings
        The settings, the default first: it wins ties, and where rows are too few to try.
    classification : bool
        Whether classes are predicted; they are judged by their probabilities.
    random_state : int or None
        The seed of the folds.
    """

    def __init__(
        self,
        estimator: Any,
        grid: Sequence[Mapping[str, Any]],
        *,
        classification: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.classification = classification
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Tuned:
        """Choose a setting on folds of at most 300 rows, and fit it to all."""
        X, y = np.asarray(X), np.asarray(y)
        rng = np.random.default_rng(self.random_state)
        some = rng.permutation(len(y))[:ROWS_OF_SEARCH]
        losses = self._losses(X[some], y[some], int(rng.integers(2**31)))
        self.best_ = self.grid[int(np.argmin(losses))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.estimator_ = clone(self.estimator).set_params(**self.best_).fit(X, y)
        if self.classification:
            self.classes_ = self.estimator_.classes_
        return self

    def _losses(self, X: Any, y: Any, seed: int) -> FloatArray:
        """Return the loss of each setting, 0 of all where rows are too few to hold any out."""
        task: Task = Classification(np.unique(y), True) if self.classification else Regression()
        total = np.zeros(len(self.grid))
        # Light, since it is done within every fold of a comparison.
        n_folds = 2
        if len(y) < 2 * n_folds:
            return total
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for train, held_out in task.folds(y, n_folds, seed):
                if not task.can_learn(y[train]):
                    continue
                for place, setting in enumerate(self.grid):
                    tried = clone(self.estimator).set_params(**setting).fit(X[train], y[train])
                    total[place] += task.losses(tried, X[held_out], y[held_out]).sum()
        return total


N_TREES = 200

GRIDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "GradientBoosting": [{}, {"learning_rate": 0.03}],
    "LogisticRegression": [{}, {"C": 0.1}, {"C": 10.0}],
}
"""Settings that plain learners choose among, by their family, the default first. Ridge regression
and Gaussian processes choose their penalties themselves, a forest the size of its leaves."""


def plain_learners(
    features: Any, *, classification: bool, blanket: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return a linear learner, a forest, boosting and a Gaussian process, for columns of any kind.

    With the target's Markov blanket, a Gaussian process that sees only these columns is the
    hardest of all rivals: it knows the graph, too, and nothing but which columns matter.
    """
    linear = LogisticRegression(max_iter=1000) if classification else RidgeCV(RIDGE_PENALTIES)
    forest = RandomForestClassifier if classification else RandomForestRegressor
    process = GaussianProcess(classification=classification)
    found = {
        "logistic" if classification else "ridge": with_encoding(linear, features, scale=True),
        "forest": with_encoding(forest(N_TREES), features),
        "boosting": default_learner(features, classification=classification),
        "Gaussian process": with_encoding(process, features, scale=True),
    }
    if blanket:
        on_blanket = with_encoding(process, columns_of(features, blanket), scale=True)
        found["Gaussian process on the Markov blanket"] = make_pipeline(
            FunctionTransformer(columns_of, kw_args={"names": tuple(blanket)}), on_blanket
        )
    return found


def tuned_learners(
    features: Any, *, classification: bool, blanket: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the same learners, each with the best of a few settings; some tune themselves."""
    found = plain_learners(features, classification=classification, blanket=blanket)
    return {name: _tuned(learner, classification) for name, learner in found.items()}


def _tuned(learner: Any, classification: bool) -> Any:
    """Return a learner that chooses among a few settings; others stay as they are."""
    *before, last = (
        [step for _, step in learner.steps] if isinstance(learner, Pipeline) else [learner]
    )
    family = _family(last)
    if family == "RandomForest":
        chosen: Any = TunedForest(last)
    elif family in GRIDS:
        chosen = Tuned(last, GRIDS[family], classification=classification)
    else:
        return learner
    return make_pipeline(*before, chosen) if before else chosen


def renamed(learner: Any, rivals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rivals; one of the learner's own kind says that it is tuned.

    >>> from sklearn.linear_model import Ridge
    >>> list(renamed(Ridge(), {"ridge": RidgeCV(), "forest": RandomForestRegressor()}))
    ['tuned ridge', 'forest']
    """
    own = _family(learner)
    return {
        f"tuned {name}" if _family(rival) == own else name: rival for name, rival in rivals.items()
    }


def _family(learner: Any) -> str:
    """Return the class of the last step, without what does not make it another learner."""
    while isinstance(learner, Pipeline | Tuned | TunedForest):
        learner = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner.estimator
    name = type(learner).__name__
    for part in ("CV", "Hist", "Classifier", "Regressor"):
        name = name.replace(part, "")
    return name


def default_learner(features: Any, *, classification: bool) -> Any:
    """Return gradient boosting of a size that suits the table, for columns of any kind."""
    n_rows = len(nw.from_native(features, eager_only=True))
    learner = default_booster(n_rows, classification=classification)
    return with_encoding(learner, features, one_hot=False)


LEARNERS = ("boosting", "forest", "logistic", "ridge", "xgboost")
LINEAR = {"logistic": True, "ridge": False}
"""The linear learners, and whether they classify."""


def named_learner(name: str, features: Any, *, classification: bool) -> Any:
    """Return a learner for columns of any kind, ready to be compared or augmented.

    Parameters
    ----------
    name : {"boosting", "forest", "logistic", "ridge", "xgboost"}
        Histogram gradient boosting and a random forest of scikit-learn; logistic and ridge
        regression on scaled columns, with the penalty 1; XGBoost with its defaults, if it is
        installed.
    features : pandas or polars DataFrame
        The columns to predict from; those without numbers are encoded.
    classification : bool
        Whether classes are predicted, not numbers.

    Returns
    -------
    estimator
        A scikit-learn estimator or pipeline whose `fit` takes weights.

    Examples
    --------
    >>> import pandas as pd
    >>> parts = pd.DataFrame({"alloy": ["brass", "steel"], "load": [0.5, 2.0]})
    >>> list(named_learner("ridge", parts, classification=False).named_steps)
    ['columntransformer', 'standardscaler', 'ridge']
    """
    check_choice("estimator", name, LEARNERS)
    if LINEAR.get(name, classification) != classification:
        other = next(linear for linear, classifies in LINEAR.items() if classifies != LINEAR[name])
        raise ParameterError(
            f"The learner {name!r} must predict {'classes' if LINEAR[name] else 'numbers'}. "
            f"Found the task {'classification' if classification else 'regression'}. "
            f"Use {other!r}, or another task."
        )
    if name == "xgboost":
        package = import_optional("xgboost", extra="xgboost", purpose="The learner 'xgboost'")
        kind = package.XGBClassifier if classification else package.XGBRegressor
        # One thread: the rows are few.
        return with_encoding(kind(n_jobs=1), features, one_hot=False)
    if name in LINEAR:
        linear = LogisticRegression(max_iter=1000) if classification else Ridge()
        return with_encoding(linear, features, scale=True)
    if name == "boosting":
        return default_learner(features, classification=classification)
    return plain_learners(features, classification=classification)[name]
