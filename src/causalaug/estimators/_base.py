"""What the regressor and the classifier share."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from causalaug._augmented_table import no_new_rows
from causalaug._random import as_generator, new_seed
from causalaug._validation import check_choice, check_share
from causalaug.conditionals import Conditional, ResidualConditional
from causalaug.estimators._blend import (
    Blend,
    CrossFit,
    Workshop,
    candidates_of,
    cross_fit,
    fit_members,
)
from causalaug.estimators._folds import check_groups
from causalaug.estimators._gate import (
    FEWEST_ROWS,
    Candidate,
    Gate,
    GateTrial,
    pass_through_gate,
)
from causalaug.estimators._learner import (
    Learner,
    Training,
    check_fit_params,
    check_learner,
    seeded,
)
from causalaug.estimators._losses import EXPECTED_LOSSES, loss_of
from causalaug.estimators._new_rows import DRAWN, EXPECTED
from causalaug.estimators._observed import check_rows, is_frame, name_of_target, observe
from causalaug.exceptions import ParameterError
from causalaug.expansion import BudgetExpansion
from causalaug.graphs import as_graph
from causalaug.model import check_strategies

NEW_TARGETS = ("auto", "drawn", "expected")

FEWEST_NEW_ROWS = 1000
"""New rows cost little beside what they calm in a learner, up to about this many."""


def default_conditional() -> Conditional:
    """Return how the learners model one factor unless they are told."""
    return ResidualConditional()


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
        new_targets="auto",
        kinds=None,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.graph = graph
        self.target = target
        self.conditional = conditional
        self.expansion = expansion
        self.augmented_share = augmented_share
        self.new_targets = new_targets
        self.kinds = kinds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, groups=None, **fit_params):
        """Make new rows, weigh what can be learnt from them, and fit the learner.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features. The columns of an array are the graph's nodes other than the
            target, in their order.
        y : series or array of shape (n,)
            The target.
        sample_weight : array of shape (n,), optional
            How much each observed row counts, for the learner and for the new rows alike.
        groups : array of shape (n,), optional
            Rows of one group are held out together; for splitters that ask for groups, too.
        **fit_params
            Passed on to the learner's own `fit` each time, such as ``eval_set``. They must not
            hold one value per row.

        Returns
        -------
        self
            The fitted estimator.
        """
        learner, rule = self._check_parameters()
        named_y = y
        X, y = check_rows(self, X, y, y_numeric=self._kind_of_target == "continuous")
        y = self._check_target(y)
        weights = _check_weights(sample_weight, len(y))
        groups = check_groups(groups, len(y))
        check_fit_params(fit_params, len(y))
        rng = as_generator(self.random_state)
        learner = seeded(self._default_learner(len(y)) if learner is None else learner, rng)
        self._forget()
        learner = Learner(learner, fit_params)
        if self.graph is None:
            rows = Training(X, y, weights, len(y))
            self.estimator_ = learner.fit(rows, new_seed(rng))
            return self
        graph = as_graph(self.graph)
        name = name_of_target(self.target, named_y, X, graph)
        observed = observe(
            X,
            y,
            graph=graph,
            name=name,
            kinds={name: self._kind_of_target, **(self.kinds or {})},
            sample_weight=weights,
        )
        groups = None if groups is None else groups[weights > 0.0]
        if isinstance(rule, Blend):
            self._fit_blend(observed, learner, rule, groups, rng)
        else:
            self._fit_one(observed, learner, rule, groups, rng)
        return self

    def _forget(self):
        """Reset what an earlier fit has learnt; a blend and one learner leave different things."""
        for name in ("estimator_", "estimators_", "blend_", "_members"):
            if hasattr(self, name):
                delattr(self, name)
        self.augmented_, self.model_, self.gate_ = None, None, None
        self.augmented_share_ = 0.0

    def _fit_blend(self, observed, learner, blend, groups, rng):
        """Weigh the candidates on held-out rows, and fit those that have weight to all rows."""
        candidates = candidates_of(blend, self.new_targets, learner.estimator)
        workshop = Workshop(
            candidates,
            learner,
            self._task(learner.estimator),
            self._conditional(),
            self._expansion(observed.n_rows),
        )
        if observed.n_rows >= FEWEST_ROWS:
            judged = cross_fit(blend, workshop, observed, groups, rng, self.n_jobs)
        else:
            judged = CrossFit.of_nothing(workshop)
        weights = judged.weights()
        chosen = [each for each, weight in zip(candidates, weights, strict=True) if weight > 0.0]
        rows, members = fit_members(workshop, observed, chosen, new_seed(rng), self.n_jobs)
        self.blend_ = judged.frame(weights)
        self.estimators_ = list(members.values())
        self._members = [
            (float(weight), members[each])
            for each, weight in zip(candidates, weights, strict=True)
            if weight > 0.0
        ]
        self.augmented_, self.model_ = rows.augmented, rows.model
        self.augmented_share_ = float(weights @ [each.share for each in candidates])

    def _fit_one(self, observed, learner, gate, groups, rng):
        """Choose one share, make new rows, and fit the learner to all rows."""
        conditional = self._conditional()
        trial = GateTrial(
            tuple(Candidate(conditional, share) for share in sorted(set(gate.shares))),
            learner,
            self._task(learner.estimator),
            self._expansion(observed.n_rows),
            self._targets_of_one(learner.estimator),
        )
        chosen = trial.candidates[0]
        if len(trial.candidates) > 1 and observed.n_rows >= FEWEST_ROWS:
            self.gate_ = pass_through_gate(gate, trial, observed, groups, rng, self.n_jobs)
            chosen = trial.candidates[self.gate_.chosen]
        seed = new_seed(rng)
        rows = trial.make_rows(observed, chosen, seed)
        self.augmented_, self.model_ = rows.augmented, rows.model
        self.augmented_share_ = float(chosen.share)
        if chosen.share > 0.0 and not len(rows.augmented):
            raise no_new_rows()
        self.estimator_ = learner.fit(rows.training(chosen.share, trial.targets), seed)

    def _targets_of_one(self, learner):
        if self.new_targets == "auto":
            return EXPECTED if loss_of(learner) in EXPECTED_LOSSES else DRAWN
        return self.new_targets

    def predict(self, X):
        """Predict with the learner, or with the weighted mean of the blend."""
        check_is_fitted(self)
        X = self._check_features(X)
        if hasattr(self, "estimator_"):
            return self.estimator_.predict(X)
        return self._from_blend(X)

    def _blended(self, X):
        """Return the weighted mean of what the members of the blend predict."""
        task = self._task(self.estimators_[0])
        return sum(weight * task.predictions(member, X) for weight, member in self._members)

    @property
    def feature_importances_(self):
        """Those of the learner, where one learner was fitted."""
        return self._of_one_learner("feature_importances_")

    @property
    def coef_(self):
        """Those of the learner, where one learner was fitted."""
        return self._of_one_learner("coef_")

    @property
    def intercept_(self):
        """That of the learner, where one learner was fitted."""
        return self._of_one_learner("intercept_")

    def _of_one_learner(self, name):
        if hasattr(self, "estimators_"):
            raise AttributeError(
                f"`{name}` must come from one learner. Found a blend of {len(self.estimators_)}: "
                f"see `estimators_`, or use augmented_share=Gate() or a number."
            )
        check_is_fitted(self)
        return getattr(self.estimator_, name)

    def __sklearn_is_fitted__(self):
        """Say whether `fit` was called, with or without success in between."""
        return hasattr(self, "estimator_") or hasattr(self, "estimators_")

    def _check_parameters(self):
        """Return the learner, None for the default, and the rule that weighs new rows."""
        if self.estimator is not None:
            check_learner(self.estimator)
        expansion = BudgetExpansion() if self.expansion is None else self.expansion
        check_strategies(self._conditional(), expansion)
        check_choice("new_targets", self.new_targets, NEW_TARGETS)
        loss = None if self.estimator is None else loss_of(self.estimator)
        if self.new_targets == EXPECTED and loss is not None and loss not in EXPECTED_LOSSES:
            raise ParameterError(
                'With new_targets="expected" the learner must minimise squared error or log-loss: '
                "an expected target means something else to any other loss. "
                f'Found {self.estimator!r}. Use new_targets="drawn".'
            )
        return self.estimator, self._rule()

    def _conditional(self):
        if self.conditional is None or (
            isinstance(self.conditional, str) and self.conditional == "auto"
        ):
            return default_conditional()
        return self.conditional

    def _rule(self):
        """Return the blend, or the gate; a fixed share is a gate with nothing to choose."""
        share = self.augmented_share
        if isinstance(share, Gate | Blend):
            return share
        if isinstance(share, str) and share == "auto":
            return Blend()
        if isinstance(share, str):
            raise ParameterError(
                '`augmented_share` must be "auto", a number from 0 to 1, a Blend or a Gate. '
                f"Found {share!r}."
            )
        check_share("augmented_share", share)
        return Gate(shares=(share,))

    def _expansion(self, n_rows):
        if self.expansion is not None:
            return self.expansion
        return default_expansion(n_rows)

    def _check_features(self, X):
        if is_frame(X) and hasattr(self, "feature_names_in_"):
            validate_data(self, X, skip_check_array=True, reset=False)
            return X
        return validate_data(self, X, reset=False)


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
