"""What the learners say of rows that may be slips: no target, labels never seen."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.evaluation import named_learner
from causalaug.exceptions import CausalAugWarning

GRAPH = "site -> dose -> y"


def table(n=40):
    rng = np.random.default_rng(0)
    site = rng.choice(["north", "south"], n)
    dose = rng.normal(size=n) + (site == "north")
    X = pd.DataFrame({"site": site, "dose": dose})
    return X, pd.Series(dose + rng.normal(size=n), name="y")


def learners():
    X, _ = table()
    ridge = named_learner("ridge", X, classification=False)
    return [
        ca.AugmentedRegressor(ridge, graph=GRAPH, augmented_share=0.5, random_state=0),
        ca.GraphRegressor(GRAPH),
    ]


def said(question):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        question()
    return [str(each.message) for each in found]


@pytest.mark.parametrize("model", learners(), ids=["augmented", "graph"])
def test_rows_without_a_target_are_counted(model):
    X, y = table()
    assert said(lambda: model.fit(X, y)) == []
    y[:3] = np.nan
    with pytest.warns(CausalAugWarning, match=r"missing in 3 of 40 rows.*Drop them") as record:
        model.fit(X, y)
    assert record[0].filename == __file__


@pytest.mark.parametrize("model", learners(), ids=["augmented", "graph"])
def test_labels_never_seen_are_named(model):
    X, y = table()
    model.fit(X, y)
    asked = X.head(3)
    assert said(lambda: model.predict(asked)) == []
    asked = asked.assign(site=["north", "nroth", None])
    with pytest.warns(CausalAugWarning, match=r"labels \['nroth'\] in 'site'.*slip") as record:
        assert np.isfinite(model.predict(asked)).all()
    assert record[0].filename == __file__


def test_a_classifier_says_it_as_well():
    X, y = table()
    learner = named_learner("logistic", X, classification=True)
    assert isinstance(learner[-1], LogisticRegression)
    model = ca.AugmentedClassifier(learner, graph=GRAPH, augmented_share=0.5, random_state=0)
    model.fit(X, (y > 0).rename("y"))
    with pytest.warns(CausalAugWarning, match="'east'"):
        model.predict_proba(X.head(2).assign(site="east"))


def test_ids_are_never_seen_again_and_nothing_is_said_of_them():
    X, y = table()
    X["id"] = [f"k{number}" for number in range(len(X))]
    model = ca.AugmentedRegressor(
        named_learner("ridge", X, classification=False),
        graph=GRAPH + "; id",
        augmented_share=0.5,
        random_state=0,
    ).fit(X, y)
    assert said(lambda: model.predict(X.head(2).assign(id=["k98", "k99"]))) == []


def test_a_comparison_says_it_once_and_not_of_its_folds():
    X, y = table()
    frame = X.assign(y=y)
    frame.loc[0, "site"] = "east"
    frame.loc[:2, "y"] = np.nan
    frame.loc[5, "site"] = "west"
    learner = named_learner("ridge", X, classification=False)
    options = {"rivals": False, "n_splits": 3, "repeats": 1, "random_state": 0}
    found = said(lambda: ca.compare(frame, GRAPH, "y", learner, **options))
    assert len(found) == 1
    assert "missing in 3 of 40 rows" in found[0]


def test_numbers_are_not_labels():
    X, y = table()
    model = ca.AugmentedRegressor(Ridge(), graph="dose -> y", augmented_share=0.5, random_state=0)
    model.fit(X[["dose"]], y)
    assert said(lambda: model.predict(pd.DataFrame({"dose": [99.0]}))) == []
