"""Classification."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from causalaug.estimators._base import AugmentedEstimator
from causalaug.estimators._defaults import default_booster
from causalaug.estimators._tasks import Classification, aligned_probabilities


def _learner_has(name, *, of_blend):
    """Return a check that the learner inside has a method, fitted or not.

    A blend has what can be had from probabilities alone.
    """

    def check(self):
        if hasattr(self, "estimators_") and not of_blend:
            return False
        learner = getattr(self, "estimator_", self.estimator)
        return hasattr(self._default_learner(1) if learner is None else learner, name)

    return check


class AugmentedClassifier(ClassifierMixin, AugmentedEstimator):
    """Classifier trained on the weighted rows that its causal graph makes plausible.

    Parameters
    ----------
    estimator : estimator, optional
        The learner: any classifier whose `fit` takes ``sample_weight``, or a pipeline that
        passes it on. By default scikit-learn's histogram gradient boosting.
    graph : ADMG, optional
        The causal graph of the features and the target. Without one nothing is known, and
        the learner gets the rows as they are.
    target : str, optional
        The target's node in the graph; by default the name of `y`, or the only node that is
        no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default ``ResidualConditional()``. With ``"auto"``
        the gate chooses among that, the same at infinite temperature, and
        ``KernelConditional()``.
    expansion : Expansion, optional
        How new rows are made; by default ``BudgetExpansion`` with five rows per observed
        row, but at least 1,000.
    augmented_share : float, Gate or "auto", default="auto"
        How much of the weight the new rows hold. ``"auto"`` is the gate: it tries 0, .25,
        .5 and .75 on held-out observed rows, by their log-loss (by their errors if the
        learner gives no probabilities), and takes the smallest that is as good as the best
        within one standard error.
    kinds : mapping of str to {"continuous", "discrete"}, optional
        Kinds of columns that differ from the default. The target is discrete.
    random_state : int, RandomState, Generator or None, optional
        One seed gives one result. It also seeds the learner, where that has no seed.

    Attributes
    ----------
    estimator_ : estimator
        The fitted learner.
    classes_ : array
        The classes, sorted.
    augmented_ : AugmentedTable or None
        The new rows; None without a graph.
    augmented_share_ : float
        The share of the weight that they got.
    gate_ : GateResult or None
        What the gate tried; None if it had nothing to choose.
    feature_names_in_ : array of str
        The names of the features, if they have any.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    Symptoms are independent given the disease. The graph knows; twenty patients do not say:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from causalaug import AugmentedClassifier, read_graph
    >>> rng = np.random.default_rng(0)
    >>> state = pd.Series(["sick", "well"] * 10, name="state")
    >>> raised = np.where(state == "sick", 1.0, 0.0)
    >>> X = pd.DataFrame({name: rng.normal(raised) for name in ("fever", "cough", "ache", "rash")})
    >>> graph = read_graph("state -> fever; state -> cough; state -> ache; state -> rash")
    >>> model = AugmentedClassifier(LogisticRegression(), graph=graph, random_state=0)
    >>> model.fit(X, state).gate_.frame[["share", "loss", "chosen"]].round(2)
       share  loss  chosen
    0   0.00  0.58   False
    1   0.25  0.55   False
    2   0.50  0.53   False
    3   0.75  0.51    True
    """

    _kind_of_target = "discrete"

    @available_if(_learner_has("predict_proba", of_blend=True))
    def predict_proba(self, X):
        """Return the probability of each class, in the order of `classes_`."""
        return aligned_probabilities(self._fitted(), self._check_features(X), self.classes_)

    @available_if(_learner_has("predict_proba", of_blend=True))
    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_learner_has("decision_function", of_blend=False))
    def decision_function(self, X):
        """Return the learner's confidence scores, where one learner was fitted."""
        return self._fitted().decision_function(self._check_features(X))

    def _default_learner(self, n_rows):
        return default_booster(n_rows, classification=True)

    def _check_target(self, target):
        check_classification_targets(target)
        self.classes_ = np.unique(target)
        return target

    def _task(self, learner):
        return Classification(self.classes_, hasattr(learner, "predict_proba"))
