"""What the regressor and the classifier share."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from causalaug._random import as_generator
from causalaug._validation import check_share
from causalaug.conditionals import Conditional, KernelConditional, ResidualConditional
from causalaug.estimators._encoding import with_encoding
from causalaug.estimators._gate import (
    FEWEST_ROWS,
    Candidate,
    Gate,
    pass_through_gate,
)
from causalaug.estimators._learner import check_learner, fit_learner, seeded
from causalaug.estimators._observed import (
    check_named,
    check_rows,
    is_frame,
    name_of_target,
    observe,
    take_columns,
    warn_of_no_graph,
)
from causalaug.exceptions import ParameterError
from causalaug.expansion import BudgetExpansion
from causalaug.graphs import as_graph
from causalaug.model import check_strategies, warn_of_loss

CONDITIONALS = (
    ResidualConditional(),
    ResidualConditional(temperature=float("inf")),
    KernelConditional(),
)
"""What ``conditional="auto"`` tries, simplest first."""

FEWEST_NEW_ROWS = 1000
"""New rows cost little beside what they calm in a learner, up to about this many."""


def default_conditional() -> Conditional:
    """Return how the learners model one factor unless they are told."""
    return CONDITIONALS[0]


def default_expansion(n_rows: int) -> BudgetExpansion:
    """Return how the learners make new rows of so many observed ones unless they are told."""
    return BudgetExpansion(max(5 * n_rows, FEWEST_NEW_ROWS))


class AugmentedEstimator(MetaEstimatorMixin, BaseEstimator):
    """A learner that is trained on the rows that its causal graph makes plausible."""

    def __init__(
        self,
        estimator=None,
        *,
        graph=None,
        target=None,
        conditional=None,
        expansion=None,
        augmented_share="auto",
        extra="ignore",
        feature_names=None,
        kinds=None,
        limits=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.graph = graph
        self.target = target
        self.conditional = conditional
        self.expansion = expansion
        self.augmented_share = augmented_share
        self.extra = extra
        self.feature_names = feature_names
        self.kinds = kinds
        self.limits = limits
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Make new rows, choose their share, and fit the learner to old and new rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features. With a graph, the columns of an array are named by `feature_names`.
        y : series or array of shape (n,)
            The target.
        sample_weight : array of shape (n,), optional
            How much each observed row counts, for the learner and for the new rows alike.

        Returns
        -------
        self
            The fitted estimator.
        """
        learner, gate, candidates = self._check_parameters(X)
        named_y = y
        X, y = check_rows(self, X, y, y_numeric=self._kind_of_target == "continuous")
        y = self._check_target(y)
        weights = _check_weights(sample_weight, len(y))
        rng = as_generator(self.random_state)
        learner = seeded(learner, rng)
        self.augmented_, self.gate_, self.augmented_share_ = None, None, 0.0
        self.model_, self._in_graph = None, None
        if self.graph is None:
            warn_of_no_graph()
            self.estimator_ = fit_learner(learner, X, y, weights)
            return self
        graph = as_graph(self.graph)
        check_named(X, self.feature_names)
        name = name_of_target(self.target, named_y, X, graph, self.feature_names)
        observed = observe(
            X,
            y,
            graph=graph,
            name=name,
            kinds={name: self._kind_of_target, **(self.kinds or {})},
            sample_weight=weights,
            limits=self.limits,
            extra=self.extra,
            feature_names=self.feature_names,
        )
        self._fit_with_graph(observed, learner, gate, candidates, rng)
        return self

    def _fit_with_graph(self, observed, learner, gate, candidates, rng):
        """Choose among the candidates, make new rows, and fit the learner to all rows."""
        expansion = self._expansion(observed.n_rows)
        chosen = candidates[0]
        if len(candidates) > 1 and observed.n_rows >= FEWEST_ROWS:
            self.gate_ = pass_through_gate(
                gate, observed, candidates, expansion, learner, self._task(learner), rng
            )
            chosen = candidates[self.gate_.chosen]
        self.model_ = observed.fit(chosen.conditional)
        self.augmented_ = self.model_.expand(expansion, rng)
        warn_of_loss(self.model_, self.augmented_, stacklevel=4)
        self.augmented_share_ = float(chosen.share)
        if self.augmented_share_ == 0.0:
            rows = observed.weighted()
        else:
            rows = observed.mixed(self.augmented_, self.augmented_share_)
            self._in_graph = observed.in_graph
        self.estimator_ = fit_learner(learner, *rows)

    def predict(self, X):
        """Predict with the learner."""
        return self._fitted_learner().predict(self._check_features(X))

    def _check_parameters(self, X):
        """Return the learner, the gate and what it may choose from, simplest first."""
        learner = self.estimator
        if learner is None:
            learner = with_encoding(self._default_learner(), X, one_hot=False)
        check_learner(learner)
        conditionals = self._conditionals()
        expansion = BudgetExpansion() if self.expansion is None else self.expansion
        for conditional in conditionals:
            check_strategies(conditional, expansion)
        gate = self._gate()
        candidates = [
            Candidate(conditional, share)
            for share in sorted(set(gate.shares))
            for conditional in (conditionals if share > 0.0 else conditionals[:1])
        ]
        return learner, gate, candidates

    def _conditionals(self):
        if self.conditional is None:
            return (default_conditional(),)
        if isinstance(self.conditional, str) and self.conditional == "auto":
            return CONDITIONALS
        return (self.conditional,)

    def _gate(self):
        if isinstance(self.augmented_share, Gate):
            return self.augmented_share
        if isinstance(self.augmented_share, str) and self.augmented_share == "auto":
            return Gate()
        if isinstance(self.augmented_share, str):
            raise ParameterError(
                '`augmented_share` must be "auto", a number from 0 to 1, or a Gate. '
                f"Found {self.augmented_share!r}."
            )
        check_share("augmented_share", self.augmented_share)
        return Gate(shares=(self.augmented_share,))

    def _expansion(self, n_rows):
        if self.expansion is not None:
            return self.expansion
        return default_expansion(n_rows)

    def _check_features(self, X):
        if is_frame(X) and hasattr(self, "feature_names_in_"):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, X, reset=False)
        return X if self._in_graph is None else take_columns(X, self._in_graph)

    def _fitted_learner(self):
        check_is_fitted(self, "estimator_")
        return self.estimator_


def _check_weights(sample_weight, n_rows):
    """Return non-negative weights, ones by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight)
    if weights.shape != (n_rows,) or weights.dtype.kind not in "biuf":
        raise ParameterError(
            f"`sample_weight` must hold one number for each of the {n_rows} rows. "
            f"Found {weights.dtype} of shape {weights.shape}."
        )
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or weights.min() < 0.0 or weights.max() == 0.0:
        raise ParameterError(
            "`sample_weight` must be finite, not negative, and not all zero. Found values from "
            f"{weights.min()} to {weights.max()}."
        )
    return weights
