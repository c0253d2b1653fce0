"""Numbers at the edge: finite results, or one of our errors. Warnings are errors in all tests."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from causalaug import (
    AugmentedClassifier,
    AugmentedRegressor,
    CausalAugmenter,
    GraphRegressor,
    ResidualConditional,
    augment,
    check_graph,
    compare,
    evaluate,
    fit_model,
)
from causalaug.exceptions import CausalAugError, ParameterError, TableError

GRAPH = "a -> b -> y"
N_ROWS = 24


def _rows():
    rng = np.random.default_rng(0)
    a = rng.normal(size=N_ROWS)
    b = a + rng.normal(size=N_ROWS)
    return pd.DataFrame({"a": a, "b": b, "y": b + rng.normal(size=N_ROWS)})


ROWS = _rows()
FEATURES = ["a", "b"]


def _compared(rows, weights):
    options = {"n_splits": 2, "augmented_share": 0.5, "random_state": 0}
    gain = compare(rows, GRAPH, "y", LinearRegression(), **options).total
    return [gain.change, gain.standard_error]


def _fitted(learner, rows, weights):
    return learner.fit(rows[FEATURES], rows["y"], sample_weight=weights).predict(rows[FEATURES])


USES = {
    "predict": lambda rows, weights: (
        fit_model(rows, GRAPH, sample_weight=weights).predict("y", rows).mean
    ),
    "log_density": lambda rows, weights: (
        fit_model(rows, GRAPH, "auto", sample_weight=weights).log_density(rows).to_numpy()
    ),
    "augment": lambda rows, weights: augment(
        rows, GRAPH, ResidualConditional(), sample_weight=weights, random_state=0
    ).mixed()[1],
    "augmenter": lambda rows, weights: CausalAugmenter(graph=GRAPH, random_state=0).fit_resample(
        rows[FEATURES], rows["y"]
    )[1],
    "regressor": lambda rows, weights: _fitted(
        AugmentedRegressor(LinearRegression(), graph=GRAPH, random_state=0), rows, weights
    ),
    "graph regressor": lambda rows, weights: _fitted(GraphRegressor(GRAPH), rows, weights),
    "check_graph": lambda rows, weights: check_graph(rows, GRAPH).frame["p_value"],
    "compare": _compared,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@example("y", 200.0)
@example("y", 307.0)
@example("a", 200.0)
@example("y", 120.0)
@example("y", -200.0)
@given(st.sampled_from(["a", "y"]), st.floats(-307.0, 307.0))
@settings(max_examples=3, deadline=None)
def test_columns_of_any_magnitude_are_computed_with_or_refused(use, column, exponent):
    rows = ROWS.assign(**{column: ROWS[column] * 10.0**exponent})
    try:
        found = np.asarray(use(rows, None), dtype=np.float64)
    except CausalAugError:
        assert abs(exponent) > 25.0
    else:
        assert np.isfinite(found).all()
        # Tests of independence standardise the columns, however large; the others refuse.
        assert exponent < 102.0 or use is USES["check_graph"]


@pytest.mark.parametrize("use", [USES[each] for each in ("predict", "augment", "regressor")])
@example(-300.0, 300.0)
@example(308.0, 308.0)
@example(-323.0, -323.0)
@given(st.floats(-323.0, 308.0), st.floats(-323.0, 308.0))
@settings(max_examples=3, deadline=None)
def test_weights_of_any_magnitude_are_computed_with_or_refused(use, low, high):
    weights = np.power(10.0, np.linspace(low, high, N_ROWS))
    try:
        found = np.asarray(use(ROWS, weights), dtype=np.float64)
    except CausalAugError:
        assert max(abs(low), abs(high)) > 29.0
    else:
        assert np.isfinite(found).all()


def test_large_cells_are_named_with_their_column():
    text = r"at most 1e\+100.* overflow. Found values from .* to .* in 'b'. Express"
    with pytest.raises(TableError, match=text):
        augment(ROWS.assign(b=ROWS["b"] * 1e200), GRAPH)


def test_large_cells_of_new_rows_are_named_with_their_column():
    model = fit_model(ROWS, GRAPH)
    with pytest.raises(TableError, match=r"at most 1e\+100. Found 1e\+200 in 'b'. Was the table"):
        model.predict("y", pd.DataFrame({"b": [1.0, -1e200]}))


@pytest.mark.parametrize("weights", [np.full(N_ROWS, 1e-305), np.geomspace(1e-200, 1e200, N_ROWS)])
def test_weights_out_of_range_are_refused_everywhere(weights):
    text = r"must lie between 1e-{0} and 1e\+{0}.*Found values from .* to .*. Divide them"
    with pytest.raises(ParameterError, match="Row weights " + text.format(300)):
        fit_model(ROWS, GRAPH, sample_weight=weights)
    text = text.format(30)
    labels = pd.Series(ROWS["y"] > 0.0, name="y")
    with pytest.raises(ParameterError, match="`sample_weight` " + text):
        AugmentedClassifier(graph=GRAPH).fit(ROWS[FEATURES], labels, sample_weight=weights)


@pytest.mark.parametrize("scale", [1e200, 1e50, 1e-50])
def test_a_target_beyond_single_precision_is_refused_by_all_that_fit_learners(scale):
    rows = ROWS.assign(y=ROWS["y"] * scale)
    text = r"at most 1e\+(30|100)"
    with pytest.raises(ParameterError, match=r"at most 1e\+30.* single precision. Found .* 'y'"):
        AugmentedRegressor(graph=GRAPH).fit(rows[FEATURES], rows["y"])
    with pytest.raises(CausalAugError, match=text):
        compare(rows, GRAPH, "y")
    with pytest.raises(CausalAugError, match=text):
        evaluate(rows, GRAPH, "y")


class _Wild(LinearRegression):
    """A learner that predicts nothing finite."""

    def predict(self, X):
        return np.full(len(X), np.nan)


def test_a_comparison_of_what_is_not_finite_is_refused():
    options = {"n_splits": 2, "augmented_share": 0.5, "random_state": 0}
    with pytest.raises(ParameterError, match=r"finite values. Found others by 'baseline' \(_Wild"):
        compare(ROWS, GRAPH, "y", _Wild(), **options)


def test_a_comparison_refuses_features_beyond_single_precision():
    with pytest.raises(TableError, match=r"at most 1e\+30.* in 'a'"):
        compare(ROWS.assign(a=ROWS["a"] * 1e50), GRAPH, "y")
