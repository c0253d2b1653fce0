"""The laws of the ladder: a graph that claims nothing brings exactly nothing."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.estimators import Blend
from causalaug.estimators._cross_fit import PLAIN, jobs_of
from causalaug.estimators._observed_rows import GRAPH, NOTHING, ORDER, RUNGS, Ladder
from causalaug.factorization import factorize
from graph_strategies import admgs

SMALL = ca.BudgetExpansion(60)


@dataclass(frozen=True)
class _Rows:
    """What a ladder needs of rows."""

    graph: ca.ADMG
    target: str
    table: object = field(default_factory=lambda: SimpleNamespace(missing=None))
    keep_holes: bool = False


ORDER_OF_ROWS = ("a", "y", "b", "c")
DRAWN = ca.ADMG(ORDER_OF_ROWS, directed=[("a", "y"), ("y", "b"), ("y", "c")])
IN_ORDER = ca.complete_graph(ORDER_OF_ROWS)
TARGET_LAST = ca.complete_graph(["a", "b", "c", "y"])


def rows(n=24, *, classes=False, holes=False, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    y = a + rng.normal(size=n)
    X = pd.DataFrame({"a": a, "b": y + rng.normal(size=n), "c": -y + rng.normal(size=n)})
    target = pd.Series(np.where(y > 0.0, "high", "low") if classes else y, name="y")
    return (X.mask(rng.random(X.shape) < 0.2) if holes else X), target


def make(graph, *, classes=False, **options):
    kind = ca.AugmentedClassifier if classes else ca.AugmentedRegressor
    learner = LogisticRegression() if classes else Ridge()
    options = {
        "expansion": SMALL,
        "random_state": 0,
        "augmented_share": Blend(n_splits=2),
    } | options
    return kind(learner, graph=graph, target="y", **options)


def predictions(fitted, X):
    said = fitted.predict_proba if hasattr(fitted, "classes_") else fitted.predict
    return np.asarray(said(X), dtype=float)


CASES = [
    {"classes": classes, "holes": holes, "share": share}
    for classes in (False, True)
    for holes in (False, True)
    for share in (Blend(n_splits=2), 0.5)
    if not (holes and classes)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_rung_is_the_learner_with_the_graph_of_that_rung(case):
    X, y = rows(classes=case["classes"], holes=case["holes"])
    weights = np.arange(len(y)) % 3
    groups = np.arange(len(y)) % 6
    options = {"classes": case["classes"], "augmented_share": case["share"]}
    parts = make(DRAWN, **options).fit_parts(X, y, groups, weights)
    for rung, graph in {NOTHING: TARGET_LAST, ORDER: IN_ORDER, GRAPH: DRAWN}.items():
        alone = make(graph, **options).fit(X, y, weights, groups)
        assert_array_equal(predictions(parts[rung], X), predictions(alone, X))
    assert not np.array_equal(predictions(parts[ORDER], X), predictions(parts[NOTHING], X))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_graph_that_claims_nothing_brings_nothing(case):
    X, y = rows(classes=case["classes"], holes=case["holes"])
    options = {"classes": case["classes"], "augmented_share": case["share"]}
    in_order = make(IN_ORDER, **options).fit_parts(X, y)
    assert_array_equal(predictions(in_order[GRAPH], X), predictions(in_order[ORDER], X))
    last = make(TARGET_LAST, **options).fit_parts(X, y)
    for rung in (ORDER, NOTHING):
        assert_array_equal(predictions(last[GRAPH], X), predictions(last[rung], X))


def test_an_order_claims_nothing():
    ladder = Ladder.of(_Rows(ca.tiers([["a", "b"], ["y"], ["c"]]), "y"))
    assert ladder.places[ORDER] == ladder.places[GRAPH] != ladder.places[NOTHING]


def test_several_graphs_claim_more_than_their_union():
    ladder = Ladder.of(_Rows(ca.read_graph(["a -> y", "a; y"]), "y"))
    assert ladder.places[ORDER] != ladder.places[GRAPH]


def test_the_plain_learner_is_there_whatever_the_graph():
    X, y = rows()
    plain = make(TARGET_LAST).fit_parts(X, y)["plain"]
    np.testing.assert_allclose(plain.predict(X), Ridge().fit(X, y).predict(X))


@settings(max_examples=30)
@given(admgs(), st.data())
def test_rungs_with_equal_factors_are_one(graph, data):
    target = data.draw(st.sampled_from(graph.nodes))
    ladder = Ladder.of(_Rows(graph, target))
    factors = {rung: factorize(ladder.on(rung).graph) for rung in RUNGS}
    for one in RUNGS:
        for other in RUNGS:
            assert (factors[one] == factors[other]) == (ladder.places[one] == ladder.places[other])
    assert ladder.on(GRAPH).graph == graph
    assert ladder.on(NOTHING).graph.topological_order()[-1] == target or len(ladder.rungs) < 3


def test_what_two_blends_have_in_common_is_fitted_once():
    ladder = Ladder.of(_Rows(DRAWN, "y"))
    candidates = Blend().candidates("auto", Ridge())
    jobs = jobs_of(ladder, [(rung, each) for rung in RUNGS for each in candidates])
    fits = [(job.place, each) for job in jobs for each in job.candidates if each.share < 1.0]
    # The plain learner, the control, and one learner with the rows of each rung.
    assert len(fits) == len(set(fits)) == 5
    assert sum(each == PLAIN for _, each in fits) == 1
    assert all(each == PLAIN or each.trusts_graph for _, each in fits)
