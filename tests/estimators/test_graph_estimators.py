"""The learners that are the graph's own model."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_score

import causalaug as ca
from causalaug.exceptions import (
    CausalAugWarning,
    GraphMismatchError,
    ParameterError,
    TableError,
)


def star(mechanism, seed, n_rows=60, n_test=400, noise="gaussian", n_variables=12):
    model = ca.datasets.make_sem_model(
        "star", n_variables=n_variables, mechanism=mechanism, noise=noise, random_state=seed
    )
    frame = model.sample(n_rows + n_test, random_state=seed + 1).frame
    X, y = frame.drop(columns="Y"), frame["Y"]
    return model.graph, X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


@pytest.mark.parametrize(
    ("mechanism", "noise", "most"),
    [("linear", "laplace", 0.9), ("nonlinear", "gaussian", 0.5), ("linear", "gaussian", 1.03)],
)
def test_a_star_of_eleven_signs_is_no_worse_than_ridge(mechanism, noise, most):
    """With lines and Gaussian noise nothing can be much better than ridge."""
    ratios = []
    for seed in range(6):
        graph, X, y, X_new, y_new = star(mechanism, seed, noise=noise)
        ridge = RidgeCV(np.logspace(-2, 3, 11)).fit(X, y).predict(X_new)
        own = ca.GraphRegressor(graph).fit(X, y).predict(X_new)
        ratios.append(np.mean(np.square(own - y_new)) / np.mean(np.square(ridge - y_new)))
    assert np.exp(np.mean(np.log(ratios))) < most


def test_intervals_hold_about_what_they_say():
    inside = []
    for seed in range(4):
        graph, X, y, X_new, y_new = star("nonlinear", seed)
        low, high = ca.GraphRegressor(graph).fit(X, y).predict_quantile(X_new, [0.05, 0.95]).T
        inside.append(np.mean((low <= y_new) & (y_new <= high)))
    assert 0.85 < np.mean(inside) < 0.95


def test_without_a_graph_the_complete_one_is_taken_and_said_so():
    _, X, y, X_new, _ = star("linear", 0)
    with pytest.warns(CausalAugWarning, match="GraphRegressor has no graph"):
        model = ca.GraphRegressor().fit(X, y)
    assert model.model_.graph == ca.complete_graph([*X.columns, "Y"])
    assert model.predict(X_new).shape == (len(X_new),)


def test_holes_and_frames_of_other_libraries():
    graph, X, y, X_new, y_new = star("linear", 1, n_variables=5)
    model = ca.GraphRegressor(graph).fit(X, y)
    full = model.predict(X_new)
    polars = ca.GraphRegressor(graph).fit(pl.from_pandas(X), pl.from_pandas(y))
    np.testing.assert_allclose(polars.predict(pl.from_pandas(X_new)), full)
    holes = X_new.mask(np.random.default_rng(0).random(X_new.shape) < 0.3)
    error = np.mean(np.square(model.predict(holes) - y_new))
    assert np.mean(np.square(full - y_new)) < error < 0.5 * np.var(y_new)


def test_rows_with_holes_are_fitted():
    graph, X, y, X_new, y_new = star("linear", 1, n_rows=40, n_variables=3)
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    model = ca.GraphRegressor(graph, random_state=0).fit(holes, y)
    again = ca.GraphRegressor(graph, random_state=0).fit(holes, y)
    np.testing.assert_array_equal(model.predict(X_new), again.predict(X_new))
    whole = ca.GraphRegressor(graph).fit(X, y)
    losses = [np.square(each.predict(X_new) - y_new).mean() for each in (model, whole)]
    assert losses[0] < 2.0 * losses[1]


def test_rows_without_a_target_are_fitted():
    graph, X, y, X_new, y_new = star("linear", 1, n_variables=3)
    some = y.where(np.arange(len(y)) < 30)
    model = ca.GraphRegressor(graph, random_state=0).fit(X, some)
    assert model.model_.table.n_rows == len(y)
    assert np.square(model.predict(X_new) - y_new).mean() < np.var(y_new)


def test_classes_may_be_missing():
    graph, X, y, X_new, y_new = star("linear", 1, n_variables=3)
    label = pd.Series(np.where(y > 0, "up", "down"), name="Y", dtype=object)
    label = label.where(np.arange(len(y)) < 40)
    model = ca.GraphClassifier(graph, random_state=0).fit(X, label)
    assert model.classes_.tolist() == ["down", "up"]
    assert (model.predict(X_new) == np.where(y_new > 0, "up", "down")).mean() > 0.7


def test_whole_weights_repeat_rows_and_zero_leaves_out():
    graph, X, y, X_new, _ = star("linear", 2, n_rows=40)
    weights = np.random.default_rng(0).integers(0, 4, 40)
    weighted = ca.GraphRegressor(graph).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(40), weights)
    repeated = ca.GraphRegressor(graph).fit(X.iloc[rows], y.iloc[rows])
    np.testing.assert_allclose(weighted.predict(X_new), repeated.predict(X_new))


def test_copies_of_all_rows_tell_nothing_more():
    graph, X, y, X_new, _ = star("nonlinear", 3, n_rows=40)
    once = ca.GraphRegressor(graph).fit(X, y)
    thrice = ca.GraphRegressor(graph).fit(pd.concat([X] * 3), pd.concat([y] * 3))
    np.testing.assert_allclose(thrice.predict(X_new), once.predict(X_new))
    np.testing.assert_allclose(
        thrice.predict_quantile(X_new, [0.05]), once.predict_quantile(X_new, [0.05])
    )


def test_whole_weights_are_not_worse_than_those_a_little_off():
    rng = np.random.default_rng(0)
    y = pd.Series(np.where(rng.random(120) < 0.2, "rare", "common"), name="y")
    is_rare = (y == "rare").to_numpy()
    X = pd.DataFrame({"a": is_rare + rng.normal(size=120), "b": is_rare + rng.normal(size=120)})
    whole, nearly = (
        ca.GraphClassifier("a <- y -> b").fit(X, y, sample_weight=np.where(is_rare, weight, 1.0))
        for weight in (4.0, 4.0001)
    )
    np.testing.assert_allclose(whole.predict_proba(X), nearly.predict_proba(X), atol=1e-3)


def test_weights_of_levels_are_counts():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.choice(["u", "v"], 30), "b": rng.choice(["u", "v", "w"], 30)})
    y = pd.Series(rng.choice(["no", "yes"], 30), name="y")
    weights = rng.integers(1, 4, 30)
    for counts in (weights, np.full(30, 3)):
        rows = np.repeat(np.arange(30), counts)
        weighted = ca.GraphClassifier("a <- y -> b").fit(X, y, sample_weight=counts)
        repeated = ca.GraphClassifier("a <- y -> b").fit(X.iloc[rows], y.iloc[rows])
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_codes_that_are_nominal_are_no_quantities():
    rng = np.random.default_rng(2)
    site, x = rng.integers(0, 12, 150), rng.normal(size=150)
    y = pd.Series(3.0 * rng.normal(size=12)[site] + x + 0.3 * rng.normal(size=150), name="y")
    graph, kinds = "site -> y <- x", {"site": "nominal"}
    X = pd.DataFrame({"site": site, "x": x})
    words = X.assign(site=[f"site {number:02}" for number in site])
    codes = ca.GraphRegressor(graph, kinds=kinds).fit(X[:100], y[:100])
    named = ca.GraphRegressor(graph, kinds=kinds).fit(words[:100], y[:100])
    np.testing.assert_allclose(codes.predict(X), named.predict(words))
    assert np.mean(np.square(codes.predict(X[100:]) - y[100:])) < 0.3


def test_an_array_needs_names_when_there_is_a_graph():
    graph, X, y, X_new, _ = star("linear", 0)
    with pytest.raises(GraphMismatchError, match="the features must have names"):
        ca.GraphRegressor(graph, target="Y").fit(X.to_numpy(), y)
    with pytest.raises(ParameterError, match=r"Found 2 names, .*, for 11 columns"):
        ca.GraphRegressor(graph, feature_names=["X1", "X2"]).fit(X.to_numpy(), y)
    named = ca.GraphRegressor(graph, feature_names=list(X)).fit(X.to_numpy(), y)
    expected = ca.GraphRegressor(graph).fit(X, y).predict(X_new)
    np.testing.assert_allclose(named.predict(X_new.to_numpy()), expected)


MISTAKES = {
    "no names": lambda X, y: (X.to_numpy(), y, {}),
    "too few names": lambda X, y: (X.to_numpy(), y, {"feature_names": ["X1"]}),
    "other names": lambda X, y: (X, y, {"feature_names": [f"Z{number}" for number in range(11)]}),
    "target among features": lambda X, y: (X.assign(Y=y), y, {}),
    "masked array": lambda X, y: (np.ma.masked_less(X.to_numpy(), 0.0), y, {}),
    "short target": lambda X, y: (X, y[:-1], {}),
    "no target": lambda X, y: (X, y * np.nan, {}),
    "unknown extra": lambda X, y: (X, y, {"extra": "guess"}),
    "other target": lambda X, y: (X, y, {"target": "Z"}),
    "no weights": lambda X, y: (X, y, {"sample_weight": np.zeros(len(y))}),
}


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_the_same_mistake_gives_the_same_error_with_both_learners(mistake):
    graph, X, y, *_ = star("linear", 0)
    X, y, options = MISTAKES[mistake](X, y)
    weights = options.pop("sample_weight", None)
    errors = []
    for kind in (ca.GraphRegressor, ca.AugmentedRegressor):
        model = kind(graph=graph, **{"target": "Y"} | options)
        with pytest.raises(ca.exceptions.CausalAugError) as caught:
            model.fit(X, y, sample_weight=weights)
        errors.append((caught.type, str(caught.value)))
    assert errors[0] == errors[1]


def test_columns_that_are_no_nodes_are_named_or_refused():
    graph, X, y, X_new, _ = star("linear", 0)
    with pytest.warns(CausalAugWarning, match=r"no node of the graph are not used: \['id'\]"):
        model = ca.GraphRegressor(graph).fit(X.assign(id=1.0), y)
    expected = ca.GraphRegressor(graph).fit(X, y).predict(X_new)
    for number in (2.0, "two", np.inf):
        np.testing.assert_allclose(model.predict(X_new.assign(id=number)), expected)
    with pytest.raises(GraphMismatchError, match="Only in the data"):
        ca.GraphRegressor(graph, extra="error").fit(X.assign(id=1.0), y)


@pytest.mark.parametrize("estimator", [ca.GraphRegressor, ca.GraphClassifier])
def test_names_that_are_no_strings_are_refused_before_they_are_left_out(estimator):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=[0, 1, 3])
    y = pd.Series(np.arange(20) % 2, name="2")
    with pytest.raises(TableError, match=r"names must be strings.*\[0, 1, 3\].*columns.map\(str\)"):
        estimator("{0, 1} -> 2 -> 3").fit(X, y)
    named = estimator("{0, 1} -> 2 -> 3", feature_names=[0, 1, 3])
    with pytest.raises(TableError, match="names must be strings"):
        named.fit(X.to_numpy(), y)


def test_quantiles_need_a_level():
    graph, X, y, X_new, _ = star("linear", 0)
    model = ca.GraphRegressor(graph).fit(X, y)
    with pytest.raises(ParameterError, match=r"`levels` must hold at least one.*\[0.05, 0.95\]"):
        model.predict_quantile(X_new, [])


def test_classes_keep_their_order_and_their_type():
    rng = np.random.default_rng(0)
    y = pd.Series(rng.choice(["no", "maybe", "yes"], 90), name="answer")
    sign = pd.DataFrame({"x": rng.normal(y.map({"no": -2.0, "maybe": 0.0, "yes": 2.0}))})
    model = ca.GraphClassifier("answer -> x").fit(sign, y)
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    probabilities = model.predict_proba(pd.DataFrame({"x": [-3.0, 0.0, 3.0]}))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert probabilities.argmax(axis=1).tolist() == [1, 0, 2]
    np.testing.assert_allclose(
        np.exp(model.predict_log_proba(sign.head(3))), model.predict_proba(sign.head(3))
    )
    assert cross_val_score(model, sign, y, cv=3).mean() > 0.7


def test_blocks_of_rows_have_the_answers_of_all_rows(monkeypatch):
    data = ca.datasets.make_sem(40, "star", n_variables=4, random_state=0)
    model = ca.GraphRegressor(data.graph).fit(data.X, data.y)
    classes = ca.GraphClassifier(data.graph).fit(data.X, data.y > 0.0)
    answers = [
        lambda: model.predict(data.X),
        lambda: model.predict_quantile(data.X, [0.1, 0.9]),
        lambda: classes.predict_proba(data.X),
        lambda: model.predict(data.X.head(0)),
    ]
    whole = [answer() for answer in answers]
    assert [each.shape for each in whole] == [(40,), (40, 2), (40, 2), (0,)]
    monkeypatch.setattr("causalaug.estimators._predictors.PREDICTED_AT_ONCE", 7)
    for expected, answer in zip(whole, answers, strict=True):
        np.testing.assert_allclose(answer(), expected, rtol=1e-9)


def test_memory_does_not_grow_with_rows_times_points():
    data = ca.datasets.make_sem(60, "star", n_variables=4, random_state=0)
    model = ca.GraphRegressor(data.graph).fit(data.X, data.y)
    peaks = []
    for times in (100, 400):
        rows = pd.concat([data.X] * times)
        model.predict(rows.head(1))
        tracemalloc.start()
        model.predict_quantile(rows, [0.1])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # 18,000 more rows: a few numbers for each, where a distribution has a hundred.
    assert peaks[1] - peaks[0] < 18_000 * 8 * 30


@pytest.mark.parametrize("unlabelled", [0, 10])
@pytest.mark.parametrize("dtype", [int, float])
def test_counts_have_whole_intervals_that_hold_their_zeros(dtype, unlabelled):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300)})
    y = pd.Series(rng.poisson(np.exp(0.3 + 0.8 * X["x"])), name="y")
    train = y[:200].astype(dtype)
    if unlabelled:
        train = train.where(np.arange(200) >= unlabelled)
    model = ca.GraphRegressor("x -> y", random_state=0).fit(X[:200], train)
    low, high = model.predict_quantile(X[200:], [0.05, 0.95]).T
    assert (low == np.round(low)).all()
    assert (high == np.round(high)).all()
    zeros = y[200:] == 0
    assert (low[zeros] == 0.0).mean() > 0.9
