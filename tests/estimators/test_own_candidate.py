"""A candidate of a stranger: the learner on the Markov blanket of the target, known to nobody."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold

import causalaug as ca
from causalaug.estimators import Candidate
from causalaug.exceptions import ParameterError

GRAPH = ca.ADMG(
    ["a", "y", "b", "c", "d"], directed=[("a", "y"), ("y", "b"), ("a", "c"), ("c", "d")]
)
BLANKET = ["a", "b"]
FOLDS = KFold(3)


@dataclass(frozen=True)
class OnMarkovBlanket(Candidate):
    """The plain learner, which sees the Markov blanket of the target alone."""

    name: str = "blanket"

    def fit(self, rows):
        return rows.fit(rows.observed_rows, ca.select_markov_blanket(rows.graph, rows.target))


class OnNewRowsAlone(Candidate):
    """The learner on new rows of the graph and next to nothing else: no dataclass, no hash."""

    name = "new rows"
    uses_model = True
    share = 0.99

    def fit(self, rows):
        return rows.fit(rows.new_rows.training(self.share, "drawn"))

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return 0


def rows(n=30, *, classes=False, holes=False, unknown=False):
    rng = np.random.default_rng(0)
    a, other = rng.normal(size=(2, n))
    y = a + rng.normal(size=n)
    columns = {"a": a, "b": y + rng.normal(size=n), "c": a + other, "d": other}
    X = pd.DataFrame(columns | ({"z": rng.normal(size=n)} if unknown else {}))
    target = pd.Series(np.where(y > 0.0, "high", "low") if classes else y, name="y")
    return (X.mask(rng.random(X.shape) < 0.1) if holes else X), target


def make(*more, classes=False, **options):
    kind, learner = (
        (ca.AugmentedClassifier, LogisticRegression())
        if classes
        else (ca.AugmentedRegressor, Ridge())
    )
    options = {"conditional": ca.KernelConditional(), "random_state": 0} | options
    blend = ca.Blend(cv=FOLDS, more_candidates=more)
    return kind(
        learner,
        graph=GRAPH,
        target="y",
        expansion=ca.BudgetExpansion(60),
        augmented_share=blend,
        **options,
    )


@pytest.mark.filterwarnings("ignore::causalaug.exceptions.CausalAugWarning")
@pytest.mark.parametrize(
    ("own", "classes", "holes"),
    [
        (OnMarkovBlanket(), False, False),
        (OnMarkovBlanket(), False, True),
        (OnMarkovBlanket(), True, False),
        (OnNewRowsAlone(), False, False),
    ],
)
def test_it_is_judged_beside_the_others_and_changes_none_of_their_judgements(classes, holes, own):
    X, y = rows(16 if holes else 30, classes=classes, holes=holes, unknown=not holes)
    without = make(classes=classes).fit(X, y)
    model = make(own, classes=classes).fit(X, y)
    assert model.blend_["candidate"].tolist() == [*without.blend_["candidate"], own.name]
    assert_array_equal(model.blend_["loss"][:-1], without.blend_["loss"])
    assert_array_equal(model.augmented_.frame, without.augmented_.frame)
    assert model.blend_["weight"].sum() == pytest.approx(1.0)
    assert model.blend_["share"].iloc[-1] == own.share
    predicted = model.predict_proba(X) if classes else model.predict(X)
    assert np.isfinite(predicted).all()


def test_its_loss_is_that_of_the_learner_on_the_blanket():
    X, y = rows()
    model = make(OnMarkovBlanket()).fit(X, y)
    losses = np.zeros(len(y))
    for train, held in FOLDS.split(X):
        fitted = Ridge().fit(X.iloc[train][BLANKET], y.iloc[train])
        losses[held] = np.square(fitted.predict(X.iloc[held][BLANKET]) - y.iloc[held])
    assert_allclose(model.blend_["loss"].iloc[-1], losses.mean())


def test_it_predicts_with_its_weight(monkeypatch):
    X, y = rows()
    alone = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    monkeypatch.setattr(ca.Blend, "weigh", lambda self, judged: alone)
    model = make(OnMarkovBlanket()).fit(X, y)
    expected = Ridge().fit(X[BLANKET], y).predict(X[BLANKET])
    assert_allclose(model.predict(X), expected)


def test_in_a_comparison_every_rung_has_it_with_its_own_graph(monkeypatch):
    """Without independences all variables are in the blanket: there it is the plain learner."""
    X, y = rows()
    alone = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    monkeypatch.setattr(ca.Blend, "weigh", lambda self, judged: alone)
    parts = make(OnMarkovBlanket()).fit_parts(X, y)
    for rung in ("nothing", "order"):
        assert_allclose(parts[rung].predict(X), parts["plain"].predict(X))
    assert not np.allclose(parts["graph"].predict(X), parts["plain"].predict(X))


def test_compare_takes_it():
    X, y = rows()
    frame, options = X.assign(y=y), {"n_splits": 2, "rivals": False, "random_state": 0}
    blend = ca.Blend(n_splits=2, more_candidates=(OnMarkovBlanket(),))
    conditional = ca.KernelConditional()
    result = ca.compare(
        frame, GRAPH, "y", Ridge(), conditional=conditional, augmented_share=blend, **options
    )
    assert np.isfinite(result.total.change)


@dataclass(frozen=True)
class Refitted(Candidate):
    """Not the learner at all: the mean of the target, in a process of its own if need be."""

    name: str = "mean"
    trusts_graph: bool = field(default=False, init=False)

    def fit(self, rows):
        return Mean(
            float(np.average(rows.observed_rows.target, weights=rows.observed_rows.weights))
        )


@dataclass(frozen=True)
class Mean:
    """Predicts a number."""

    value: float

    def predict(self, X):
        return np.full(len(X), self.value)


def test_it_need_not_be_the_learner():
    X, y = rows()
    model = make(Refitted()).fit(X, y)
    expected = [np.square(y.iloc[held] - y.iloc[train].mean()) for train, held in FOLDS.split(X)]
    assert model.blend_["loss"].iloc[-1] == pytest.approx(np.concatenate(expected).mean())


@pytest.mark.parametrize("wrong", [Ridge(), (OnMarkovBlanket,), ("plain",)])
def test_what_is_no_candidate_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"must hold objects of a subclass of .*Candidate"):
        ca.Blend(more_candidates=wrong)


def test_two_candidates_of_one_name_are_refused():
    with pytest.raises(ParameterError, match=r"different names.*Rename one"):
        ca.Blend(more_candidates=(OnMarkovBlanket(), Refitted("blanket")))
