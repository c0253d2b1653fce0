import numpy as np
import pandas as pd
import polars as pl
import pytest
from imblearn.pipeline import make_pipeline
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from causalaug.exceptions import CausalAugError, GraphMismatchError, TableError
from learners import GRAPH, rows_of_classification, rows_of_regression


def make(**options):
    return ca.CausalAugmenter(**{"graph": GRAPH, "random_state": 0, **options})


@pytest.mark.parametrize(
    ("share", "rows", "n_new", "n_own"),
    [
        (0.5, None, 20, 20),
        (0.0, None, 0, 20),
        (0.75, None, 60, 20),
        (0.5, 10, 5, 5),
        (0.25, 100, 25, 75),
        (1.0, 7, 7, 0),
        (1, 1, 1, 0),
        (0.0, 50, 0, 50),
    ],
)
def test_the_share_and_the_number_of_rows_are_as_asked(share, rows, n_new, n_own):
    X, y = rows_of_regression(20)
    result = make(augmented_share=share, rows=rows).fit_resample(X, y)
    assert len(result) == 2
    more, target = result
    assert len(more) == len(target) == n_new + n_own
    own = more[:n_own].assign(y=target[:n_own]).to_numpy()
    observed = {tuple(row): number for number, row in enumerate(X.assign(y=y).to_numpy())}
    numbers = [observed[tuple(row)] for row in own]
    assert numbers == sorted(numbers)
    counts = np.bincount(numbers, minlength=20)
    assert counts.max() - counts.min() <= 1
    assert not any(
        tuple(row) in observed for row in more[n_own:].assign(y=target[n_own:]).to_numpy()
    )


def test_without_a_graph_the_rows_stay_as_they_are():
    X, y = rows_of_regression()
    more, target = make(graph=None).fit_resample(X, y)
    assert more is X
    assert target is y


def test_draws_that_end_early_are_made_up_for():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 6, 30), "b": rng.integers(0, 6, 30)})
    y = pd.Series(rng.integers(0, 2, 30), name="y")
    exact = ca.KernelConditional(discrete_kernel="identity")
    graph = ca.read_graph("a -> y <- b")
    augmenter = make(graph=graph, conditional=exact, augmented_share=1.0, rows=500)
    more, target = augmenter.fit_resample(X, y)
    assert len(more) == len(target) == 500
    known = set(map(tuple, X.assign(y=y).to_numpy()))
    assert set(map(tuple, more.assign(y=target).to_numpy())) <= known


def test_where_hardly_a_draw_reaches_its_end_it_is_said():
    columns = [f"v{i}" for i in range(8)]
    X = pd.DataFrame(np.arange(20)[:, np.newaxis] + np.zeros((20, 8), dtype=int), columns=columns)
    graph = ca.ADMG([*columns, "y"], [(column, "y") for column in columns])
    with pytest.raises(TableError, match="New rows must be possible. Found next to none"):
        make(
            graph=graph,
            conditional=ca.KernelConditional(discrete_kernel="identity"),
            kinds=dict.fromkeys(columns, "nominal"),
        ).fit_resample(X, pd.Series(np.arange(20), name="y"))


@pytest.mark.parametrize(
    ("dtype", "labels"),
    [
        ("Int64", [0, 1]),
        ("boolean", [False, True]),
        ("int8", [0, 1]),
        ("category", ["no", "yes"]),
        (pd.CategoricalDtype(["yes", "no"], ordered=True), ["no", "yes"]),
        ("string", ["no", "yes"]),
        (object, ["no", "yes"]),
    ],
)
@pytest.mark.parametrize("as_array", [False, True])
def test_labels_stay_what_they_are(dtype, labels, as_array):
    X, y = rows_of_classification(classes=labels)
    y = y.astype(dtype)
    features = X.to_numpy() if as_array else X
    more, target = make(feature_names=["a", "b", "c"]).fit_resample(features, y)
    assert target.dtype == y.dtype
    assert target.name == "y"
    assert set(target) == set(labels)
    assert type(more) is type(features)
    assert len(more) == 60


def test_polars_and_arrays_come_back_as_they_came():
    X, y = rows_of_classification()
    frame, series = pl.DataFrame(X.to_dict("list")), pl.Series("y", y.to_list())
    more, target = make().fit_resample(frame, series)
    assert more.schema == frame.schema
    assert (target.name, target.dtype) == ("y", pl.String)
    array, labels = make(feature_names=["a", "b", "c"]).fit_resample(X.to_numpy(), y.to_list())
    assert isinstance(array, np.ndarray)
    assert array.shape == (60, 3)
    assert set(labels) == {"no", "yes"}


def test_floats_are_moved_and_labels_are_copied():
    X, y = rows_of_regression()
    moved = make().fit_resample(X, y)[1]
    assert not set(moved[24:]) <= set(y)
    copied = make(kinds={"y": "discrete"}).fit_resample(X, y)[1]
    assert set(copied) <= set(y)
    kernel = make(conditional=ca.KernelConditional()).fit_resample(X, y)
    assert set(kernel[0]["b"]) <= set(X["b"])


def test_one_seed_gives_one_result():
    X, y = rows_of_regression()
    first, same, other = (
        make(random_state=seed).fit_resample(X, y)[0].to_numpy() for seed in (1, 1, 2)
    )
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_fit_checks_and_remembers_the_features():
    X, y = rows_of_regression()
    augmenter = make()
    assert augmenter.fit(X, y) is augmenter
    assert augmenter.feature_names_in_.tolist() == ["a", "b", "c"]
    assert augmenter.n_features_in_ == 3
    with pytest.raises(GraphMismatchError, match="same variables"):
        make().fit(X.rename(columns={"a": "A"}), y)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_it_works_in_a_pipeline_of_imbalanced_learn(task):
    if task == "regression":
        (X, y), learner = rows_of_regression(), KNeighborsRegressor()
    else:
        (X, y), learner = rows_of_classification(), KNeighborsClassifier()
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, make(target="y"), learner).fit(X, y)
    assert pipeline[-1].n_samples_fit_ == 2 * len(X)
    assert len(pipeline.predict(X)) == len(X)
    assert np.isfinite(cross_val_score(clone(pipeline), X, y, cv=3)).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"augmented_share": 1.1}, "`augmented_share` must lie between 0 and 1. Found 1.1"),
        ({"augmented_share": "auto"}, "Found 'auto'"),
        ({"augmented_share": 1.0}, "`rows` must say how many new ones are wanted"),
        ({"rows": 0}, "`rows` must be an integer of at least 1"),
        ({"rows": 2.5}, "Found 2.5"),
        ({"conditional": "auto"}, "`conditional` must be an object"),
        ({"graph": 5}, "A graph must be text, a path"),
        ({"target": "z"}, "The target must be a node of the graph"),
        ({"random_state": -1}, "`random_state` must be"),
        ({"kinds": {"y": "ordinal"}}, "must be one of"),
    ],
)
def test_wrong_parameters_are_refused(options, text):
    with pytest.raises(CausalAugError, match=text):
        make(**options).fit_resample(*rows_of_regression())


def test_a_column_that_is_missing_throughout_is_refused():
    X, y = rows_of_regression()
    with pytest.raises(TableError, match=r"Found none in \['a'\]"):
        make().fit_resample(X.assign(a=np.nan), y)


def test_missing_cells_are_drawn_once():
    X, y = rows_of_regression()
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    features, target = make().fit_resample(holes, y)
    assert features.notna().all(axis=None)
    own = features.iloc[:24].to_numpy()
    there = holes.notna().to_numpy()
    np.testing.assert_array_equal(own[there], holes.to_numpy()[there])
    np.testing.assert_array_equal(target[:24], y)


def test_rows_without_a_target_do_not_come_back():
    X, y = rows_of_regression()
    some = y.where(np.arange(24) < 16)
    features, target = make().fit_resample(X, some)
    assert len(features) == 32
    np.testing.assert_array_equal(target[:16], y[:16])
    assert np.isfinite(target).all()
