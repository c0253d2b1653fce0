"""Classification."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from causalaug.estimators._base import AugmentedEstimator
from causalaug.estimators._folds import Classification, aligned_probabilities
from causalaug.estimators._input import classes_of
from causalaug.estimators._preprocessing import default_booster


def _learner_has(name, *, of_blend):
    """Return a check that the learner inside has a method, fitted or not.

    A blend has what can be had from probabilities alone.
    """

    def check(self):
        if self._is_blend() and not of_blend:
            return False
        learner = getattr(self, "estimator_", self.estimator)
        return hasattr(self._default_learner(1) if learner is None else learner, name)

    return check


class AugmentedClassifier(ClassifierMixin, AugmentedEstimator):
    """Classifier trained on the weighted rows that its causal graph makes plausible.

    Parameters
    ----------
    estimator : estimator, optional
        The learner: any classifier, or a pipeline that ends in one. Where `fit` takes no
        ``sample_weight``, it gets rows of equal weight, drawn from the mixture. By default
        scikit-learn's gradient boosting, sized to the table, behind an encoder of the columns that
        hold no numbers.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads, optional
        The causal graph of the features and the target. Without one nothing is known, and
        the learner gets the rows as they are.
    target : str, optional
        The target's node in the graph; by default the name of `y`, or the only node that is
        no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default, and with ``"auto"``, chosen for each factor by
        how likely it makes held-out rows (`AutoConditional`).
    expansion : Expansion, optional
        How new rows are made; by default ``BudgetExpansion`` with five rows per observed
        row, but at least 1,000, and at most 5,000 or as many as there are observed rows.
    augmented_share : float, Gate, Blend or "auto", default="auto"
        How much of the weight the new rows hold. ``"auto"`` is ``Blend()``: the plain learner,
        learners with new rows, and the graph's model are weighed by how they predict held-out
        observed rows (by log-loss, or by errors if the learner gives no probabilities), and
        their probabilities averaged. By log-loss, a graph that makes whole held-out rows likelier
        than no independence does lends weight to its model. ``Gate()`` takes one learner instead.
    new_targets : {"auto", "drawn", "expected"}, default="auto"
        What target a new row has: the one that was drawn with it, or what the graph's model
        expects given its features (each class, with its probability as weight). ``"auto"`` takes
        expected targets if the learner's loss is squared error or log-loss; with features outside
        the graph, of which the model expects nothing, drawn ones.
    trust : {"auto", "full"}, float or mapping to float, default="auto"
        How far the graph is believed, factor by factor, as in `fit_model`: by default as far as
        left-out rows let it be; ``model_.trust`` says how far that is.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of features that are no node: the learner sees them, the graph's model does
        not, and a warning names them; or they are an error. A new row has those cells of the
        observed row that its target came from.
    feature_names : sequence of str, optional
        The names of the columns, where `X` is an array. A frame has its own.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default. The target is nominal.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in `augment`.
    keep_holes : bool, default=False
        Whether the learner takes missing features itself. By default it never sees one: with a
        graph, rows with holes are completed several times by the graph's model, and the copies
        share the weight of their row; what is predicted for copies of a row is averaged.
    n_jobs : int, optional
        How many processes share the folds and candidates. The result is the same.
    random_state : int, RandomState, Generator or None, optional
        One seed gives one result. It also seeds the learner, where that has no seed.

    Attributes
    ----------
    blend_ : DataFrame
        With a blend: one row per candidate, with the share of new rows that it learns from, its
        mean loss on held-out rows, and its weight.
    judged_rows_ : int
        With a blend: on how many held-out rows the candidates were judged. In tables of more than
        5,000 rows that is part of them (`Blend`).
    held_out_loss_ : float
        With a blend: its own mean loss on these rows, beside the candidates' in `blend_`. Its
        weights were chosen on the same rows, so that it is a little too low. NaN without rows.
    estimators_ : list
        With a blend: the fitted members that have weight, in the order of `blend_`.
    estimator_ : estimator
        With a fixed share, a gate, or no graph: the fitted learner. Its ``coef_``, ``intercept_``
        and ``feature_importances_`` are passed on.
    classes_ : array
        The classes, sorted.
    augmented_ : AugmentedTable or None
        The new rows of the graph, whatever their weight; None without a graph.
    model_ : GraphModel or None
        The graph's model of the observed rows; None without a graph.
    augmented_share_ : float
        The share of the weight that new rows got; with a blend the share averaged by weight,
        where the graph's model counts as 1.
    gate_ : GateResult or None
        What the gate tried; None if there was none, or nothing to choose.
    feature_names_in_ : array of str
        The names of the features, if they have any.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    Symptoms are independent given the disease. The graph knows; forty patients hardly say. What is
    weighed is what learns from them alone, and what learns from the graph as well:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from causalaug import AugmentedClassifier, read_graph
    >>> rng = np.random.default_rng(0)
    >>> state = pd.Series(["sick", "well"] * 20, name="state")
    >>> raised = np.where(state == "sick", 1.0, 0.0)
    >>> X = pd.DataFrame({name: rng.normal(raised) for name in ("fever", "cough", "ache", "rash")})
    >>> graph = read_graph("state -> fever; state -> cough; state -> ache; state -> rash")
    >>> model = AugmentedClassifier(LogisticRegression(), graph=graph, random_state=0)
    >>> model.fit(X, state).blend_["candidate"].tolist()
    ['plain', 'control, expected, 0.5', 'graph, expected, 0.9', 'control model', 'graph model']
    """

    _kind_of_target = "nominal"

    @available_if(_learner_has("predict_proba", of_blend=True))
    def predict_proba(self, X):
        """Return the probability of each class, in the order of `classes_`."""
        return self._ask(
            lambda fitted, rows: aligned_probabilities(fitted, rows, self.classes_),
            X,
            lambda: np.empty((0, len(self.classes_))),
        )

    @available_if(_learner_has("predict_proba", of_blend=True))
    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_learner_has("decision_function", of_blend=False))
    def decision_function(self, X):
        """Return the learner's confidence scores, where one learner was fitted."""
        return self._ask(
            lambda fitted, rows: fitted.decision_function(rows),
            X,
            lambda: np.empty((0, len(self.classes_)) if len(self.classes_) > 2 else 0),
        )

    def _default_learner(self, n_rows):
        has_graph = self.graph is not None
        return default_booster(n_rows, classification=True, has_graph=has_graph)

    def _no_targets(self):
        return self.classes_[:0]

    def _check_target(self, target):
        self.classes_ = classes_of(target)
        return target

    def _task(self, learner):
        return Classification(self.classes_, hasattr(learner, "predict_proba"))
