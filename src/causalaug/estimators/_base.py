"""What the regressor and the classifier share."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from causalaug._augmented_table import no_new_rows
from causalaug._random import as_generator, new_seed
from causalaug._validation import check_choice, check_share
from causalaug.conditionals import AutoConditional, Conditional, check_belief
from causalaug.estimators._blend import Blend, Gate, GateResult
from causalaug.estimators._candidates import DRAWN, EXPECTED
from causalaug.estimators._cross_fit import CandidateFitter, fit_candidates
from causalaug.estimators._folds import check_groups, warn_of_copies
from causalaug.estimators._input import (
    is_frame,
    labels_of,
    names_at_fit,
    read_asked,
    read_rows,
    warn_of_no_graph,
    warn_of_no_labels,
)
from causalaug.estimators._learner import (
    EXPECTED_LOSSES,
    Learner,
    Training,
    check_fit_params,
    check_learner,
    check_task,
    loss_of,
    seeded,
    take_rows,
)
from causalaug.estimators._learner_errors import has_holes, huge_cells
from causalaug.estimators._names import name_of_target, named
from causalaug.estimators._observed_rows import GRAPH, RUNGS, Ladder, observe
from causalaug.estimators._preprocessing import with_encoding, with_holes
from causalaug.exceptions import ParameterError
from causalaug.expansion import BudgetExpansion
from causalaug.graphs import as_graph
from causalaug.model import check_strategies, resolve_conditional, warn_of_loss

NEW_TARGETS = ("auto", "drawn", "expected")


def default_conditional() -> Conditional:
    """Return how the learners model one factor unless they are told."""
    return AutoConditional()


def default_expansion(n_rows: int) -> BudgetExpansion:
    """Return how the learners make new rows of so many observed ones unless they are told.

    New rows cost little beside what they calm in a learner, up to about 1,000. Beyond 5,000 a
    learner gets no more new rows than observed ones. They add no information, they calm the
    learner, and so many observed rows are calm; five per row took half of a fit's time. On seven
    tables of 2,000 rows 5,000 new rows instead of 10,000 changed the test error of blended boosting
    by +0.2% in the mean and by +1.1% at most (seeds 6,700,000 and up, docs/results/growth.md, What
    fewer new rows cost), and took a quarter off the time of the fit.

    >>> [default_expansion(n_rows).rows for n_rows in (60, 2_000, 50_000, 200_000)]
    [1000, 5000, 50000, 200000]
    """
    return BudgetExpansion(max(min(5 * n_rows, 5_000), n_rows, 1_000))


class AugmentedEstimator(MetaEstimatorMixin, BaseEstimator):
    """A learner that is trained on the rows that its causal graph makes plausible."""

    _uses_extra = True

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
        trust="auto",
        extra="ignore",
        feature_names=None,
        kinds=None,
        limits=None,
        keep_holes=False,
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
        self.trust = trust
        self.extra = extra
        self.feature_names = feature_names
        self.kinds = kinds
        self.limits = limits
        self.keep_holes = keep_holes
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, groups=None, **fit_params):
        """Make new rows, weigh what can be learnt from them, and fit the learner.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features. With a graph, the columns of an array are named by `feature_names`,
            and cells may be missing.
        y : series or array of shape (n,)
            The target. With a graph it may be missing (NaN, None) in some rows: these serve the
            factors that they can, and are never held out.
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
        self._fit(X, y, sample_weight, groups, fit_params)
        return self

    def fit_parts(self, X, y, groups=None, sample_weight=None):
        """Fit, and return what a comparison judges side by side, each ready to predict.

        That is the plain learner (`plain`), and what this learner would be if it were given the
        graph of each rung of the ladder of knowledge: `nothing`, `order` and `graph`, which is
        the learner itself; and the `graph model` without the learner. What they have in common is
        fitted once.
        """
        found = self._fit(X, y, sample_weight, groups, {}, RUNGS)
        return {**found.parts(), GRAPH: self}

    def _fit(self, X, y, sample_weight, groups, fit_params, rungs=(GRAPH,)):
        """Fit to the rows with the graph of each rung, and keep what comes of the graph's own."""
        learner, rule = self._check_parameters()
        named_y = y
        X, y, weights = read_rows(self, X, y, sample_weight, holes=self.graph is not None)
        groups = check_groups(groups, len(y))
        check_fit_params(fit_params, len(y))
        rng = as_generator(self.random_state)
        if learner is None:
            n_labels = int((~pd.isna(y)).sum())
            learner = with_encoding(self._default_learner(n_labels), X, one_hot=False)
        learner = Learner(seeded(learner, rng), fit_params)
        self._forget()
        graph, named_X = self._known_graph(X)
        if graph is None:
            warn_of_no_graph(stacklevel=4)
            # As with a graph, rows of no weight are not there: trees would still split at them.
            rows = np.flatnonzero(weights)
            if len(rows) < len(y):
                X, y, weights = take_rows(X, rows), y[rows], weights[rows]
            self.estimator_ = learner.fit(Training(X, y, weights, len(y)), new_seed(rng))
            self._predictor = self.estimator_
            return None
        name = name_of_target(self, named_y, named_X, graph)
        as_array = not is_frame(X)
        observed = observe(
            self, named_X, y, weights, graph, name=name, as_array=as_array, stacklevel=5
        )
        warn_of_no_labels(pd.isna(y)[weights > 0.0], stacklevel=4)
        self._labels = labels_of(X)
        if observed.extra is not None and not self.keep_holes and has_holes(observed.extra):
            # The graph's model completes its own columns only.
            learner = replace(learner, estimator=with_holes(learner.estimator))
        groups = None if groups is None else groups[weights > 0.0]
        if rule.cv is None:
            if groups is None:
                warn_of_copies(observed.labelled().equal_rows(), stacklevel=4)
            observed, times = observed.repeated()
            groups = groups if groups is None or times is None else groups[times]
        fitter = CandidateFitter(
            rule.candidates(self._new_targets(observed), learner.estimator),
            learner,
            self._task(learner.estimator),
            self._conditional(),
            self._expansion(observed.n_labels),
            rule.averages,
        )
        found = fit_candidates(rule, fitter, Ladder.of(observed), rungs, groups, rng, self.n_jobs)
        self._keep(observed, found)
        return found

    def _forget(self):
        """Reset what an earlier fit has learnt; a blend and one learner leave different things."""
        for name in ("estimator_", "estimators_", "blend_", "judged_rows_", "held_out_loss_"):
            self.__dict__.pop(name, None)
        self.augmented_, self.model_, self.gate_ = None, None, None
        self.augmented_share_, self._labels = 0.0, {}

    def _keep(self, observed, found):
        """Keep what was fitted with the graph itself, and how it was chosen."""
        judged, weights = found.judged[GRAPH], found.weights[GRAPH]
        self.augmented_, self.model_ = found.rows.augmented, found.rows.model
        self._predictor = found.predictor(GRAPH)
        self.augmented_share_ = float(weights @ [each.share for each in judged.candidates])
        if found.fitter.averages:
            self.estimators_ = [member for _, member in self._predictor.members]
            self._keep_errors(observed, judged, weights, found.rows.model_alone())
            self.blend_ = judged.frame(weights)
            self.judged_rows_ = len(judged.target)
            self.held_out_loss_ = judged.loss(weights)
        else:
            if self.augmented_share_ > 0.0 and not len(self.augmented_):
                raise no_new_rows()
            self.estimator_ = found.one(GRAPH)
            self.gate_ = GateResult.of(judged, weights, self._conditional())
        warn_of_loss(self.model_, self.augmented_, stacklevel=5)

    def _keep_errors(self, observed, judged, weights, model):
        """Keep what held-out rows say of errors to come, if predictions are numbers."""

    def _new_targets(self, observed):
        """Return what the targets of new rows are, as far as the learner does not decide.

        The graph's model does not know columns outside the graph. Expected targets are as if these
        said nothing, while drawn ones come from the rows whose cells they are.
        """
        if self.new_targets == "auto" and observed.extra is not None:
            return DRAWN
        return self.new_targets

    def predict(self, X):
        """Predict with the learner, or with the weighted mean of the blend."""
        return self._ask(lambda fitted, rows: fitted.predict(rows), X, self._no_targets)

    def _ask(self, question, X, no_answer):
        """Return what the fitted learner answers of some rows; of none it is not asked."""
        check_is_fitted(self)
        X = read_asked(self, X, stacklevel=4)
        if not len(X):
            return no_answer()
        try:
            return question(self._predictor, X)
        except ValueError as error:
            huge = huge_cells(X, error, names_at_fit(self))
            if huge is None:
                raise
            raise huge from error

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

    def _is_blend(self):
        """Say whether several learners predict, or will."""
        if self.__sklearn_is_fitted__():
            return hasattr(self, "estimators_")
        share = self.augmented_share
        return self.graph is not None and (
            isinstance(share, Blend) or (isinstance(share, str) and share == "auto")
        )

    def __sklearn_is_fitted__(self):
        """Say whether `fit` was called, with or without success in between."""
        return hasattr(self, "estimator_") or hasattr(self, "estimators_")

    def _check_parameters(self):
        """Return the learner, None for the default, and the rule that weighs new rows."""
        if self.estimator is not None:
            check_learner(self.estimator)
            check_task(self.estimator, classification=self._kind_of_target != "continuous")
        expansion = BudgetExpansion() if self.expansion is None else self.expansion
        check_strategies(self._conditional(), expansion)
        check_choice("new_targets", self.new_targets, NEW_TARGETS)
        check_belief(self.trust)
        loss = None if self.estimator is None else loss_of(self.estimator)
        if self.new_targets == EXPECTED and loss is not None and loss not in EXPECTED_LOSSES:
            raise ParameterError(
                'With new_targets="expected" the learner must minimise squared error or log-loss: '
                "an expected target means something else to any other loss. "
                f'Found {self.estimator!r}. Use new_targets="drawn".'
            )
        return self.estimator, self._rule()

    def _known_graph(self, X):
        """Return the graph, None if there is none, and the features as a frame with names."""
        return (None, X) if self.graph is None else (as_graph(self.graph), named(self, X))

    def _conditional(self):
        return resolve_conditional(self.conditional, default_conditional())

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

    def __sklearn_tags__(self):
        """Say that features may be missing if there is a graph."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.graph is not None
        return tags
