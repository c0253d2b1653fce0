"""Names of features, columns outside the graph, cells that are no numbers, no graph at all."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import causalaug as ca
from causalaug.exceptions import CausalAugWarning, GraphMismatchError, ParameterError
from learners import GRAPH, Recorder, rows_of_classification, rows_of_regression

LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.from_pandas}


def make(estimator=None, **options):
    defaults = {"graph": GRAPH, "augmented_share": 0.5, "random_state": 0}
    return ca.AugmentedRegressor(estimator or Ridge(), **{**defaults, **options})


@pytest.fixture
def rows():
    return rows_of_regression()


# Arrays.


@pytest.mark.parametrize(
    "learner", [make(), ca.CausalAugmenter(graph=GRAPH)], ids=lambda x: str(x)[:9]
)
def test_an_array_without_names_is_refused_with_three_ways_out(rows, learner):
    words = (
        r"the features must have names.*Found an array without any.*"
        r"`set_output\(transform=\"pandas\"\)`.*feature_names=\[\.\.\.\].*"
        r"inside the estimator, `AugmentedRegressor\(make_pipeline\(StandardScaler\(\), Ridge\(\)\)"
    )
    with pytest.raises(GraphMismatchError, match=words):
        learner.fit(rows[0].to_numpy(), rows[1])


def test_a_step_before_that_returns_arrays_is_noticed(rows):
    with pytest.raises(GraphMismatchError, match="must have names"):
        make_pipeline(StandardScaler(), make()).fit(*rows)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), make()).fit(*rows)
    assert pipeline[-1].augmented_.table.columns == ("a", "b", "c", "y")


def test_feature_names_say_what_the_columns_of_an_array_are(rows):
    X, y = rows
    shuffled = ["c", "a", "b"]
    named = make(feature_names=shuffled).fit(X[shuffled].to_numpy(), y)
    assert_allclose(
        named.predict(X[shuffled].to_numpy()), make().fit(X[shuffled], y).predict(X[shuffled])
    )
    assert named.augmented_.table.columns == ("c", "a", "b", "y")


def test_feature_names_must_be_as_many_as_the_columns(rows):
    words = r"`feature_names` must name each column.*Found 2 names, \['a', 'b'\], for 3 columns"
    with pytest.raises(ParameterError, match=words):
        make(feature_names=["a", "b"]).fit(rows[0].to_numpy(), rows[1])


def test_without_a_graph_an_array_needs_no_names(rows):
    with pytest.warns(CausalAugWarning):
        make(graph=None).fit(rows[0].to_numpy(), rows[1])


# Prefixes of a ColumnTransformer.


def test_prefixes_are_seen_through(rows):
    X, y = rows
    scaler = ColumnTransformer([("num", StandardScaler(), ["a", "b"])], remainder="passthrough")
    pipeline = make_pipeline(scaler.set_output(transform="pandas"), make(Recorder())).fit(X, y)
    learner = pipeline[-1]
    assert learner.augmented_.table.columns == ("a", "b", "c", "y")
    assert list(learner.estimator_.X_.columns) == ["num__a", "num__b", "remainder__c"]
    assert_array_equal(learner.feature_names_in_, ["num__a", "num__b", "remainder__c"])


def test_the_target_is_found_beside_prefixed_names(rows):
    X, y = rows
    learner = make().fit(X.add_prefix("num__"), y.to_numpy())
    assert learner.augmented_.table.columns == ("a", "b", "c", "y")


def test_two_columns_for_one_node_are_refused(rows):
    X, y = rows
    X = X.rename(columns={"a": "num__a"}).assign(cat__a=1.0)
    words = r"Found \['num__a', 'cat__a'\] for the node 'a'.*verbose_feature_names_out=False"
    with pytest.raises(GraphMismatchError, match=words):
        make().fit(X, y)


def test_a_node_that_was_encoded_away_is_named(rows):
    X, y = rows
    X = X.assign(cat__a_low=0.0, cat__a_high=1.0).drop(columns="a")
    words = (
        r"Found no column 'a', but \['cat__a_low', 'cat__a_high'\].*Encode inside the estimator.*"
        r"verbose_feature_names_out=False"
    )
    with pytest.raises(GraphMismatchError, match=words):
        make(target="y").fit(X, y)


def test_a_column_of_that_very_name_comes_first(rows):
    X, y = rows
    with pytest.warns(CausalAugWarning, match=r"no node of the graph: \['num__a'\]"):
        learner = make().fit(X.assign(num__a=0.0), y)
    assert learner.augmented_.table.columns == ("a", "b", "c", "y")


# Columns outside the graph.


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_columns_outside_the_graph_are_for_learners_only(rows, convert, share):
    X, y = rows
    wide = convert(X.assign(id=np.arange(24.0))[["a", "id", "b", "c"]])
    words = (
        r"^Columns that are no node of the graph: \['id'\]\. Learners see them, the "
        r"graph's model does not\. Drop them, or add them to the graph\.$"
    )
    with pytest.warns(CausalAugWarning, match=words) as caught:
        learner = make(Recorder(), augmented_share=share).fit(wide, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert list(learner.estimator_.X_.columns) == ["a", "id", "b", "c"]
    assert learner.augmented_.table.columns == ("a", "b", "c", "y")
    assert learner.n_features_in_ == 4
    assert len(learner.predict(wide)) == 24


@pytest.mark.parametrize("share", [0.0, 0.5, "auto"])
@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_predictions_are_those_of_the_columns_that_were_seen(rows, share):
    X, y = rows
    wide = X.assign(id=np.arange(24.0)).set_axis(np.arange(24)[::-1], axis=0)
    learner = make(augmented_share=share).fit(wide, y)
    if share == "auto":
        assert np.isfinite(learner.predict(wide)).all()
    elif learner.augmented_share_ == 0.0:
        plain = Ridge().fit(wide, y.to_numpy())
        assert_array_equal(learner.predict(wide), plain.predict(wide))
    else:
        assert learner.estimator_.n_features_in_ == 4
        assert_array_equal(learner.predict(wide), learner.estimator_.predict(wide))


@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_arrays_have_columns_outside_the_graph_as_well(rows):
    X, y = rows
    wide = X.assign(id=np.arange(24.0))[["id", "a", "b", "c"]]
    learner = make(feature_names=["id", "a", "b", "c"]).fit(wide.to_numpy(), y)
    assert_allclose(learner.predict(wide.to_numpy()), make().fit(wide, y).predict(wide))


@pytest.mark.filterwarnings("ignore:Columns that are no node")
@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_a_new_row_has_the_other_cells_of_the_row_that_lent_its_target(rows, convert):
    X, y = rows
    wide = convert(X.assign(id=np.arange(24.0))[["a", "id", "b", "c"]])
    learner = make(Recorder(), augmented_share=0.5, new_targets="drawn").fit(wide, y)
    new = learner.augmented_
    lenders = new.rows[:, new.table.index("y")]
    assert len(lenders) > 0
    assert_array_equal(np.asarray(learner.estimator_.X_["id"])[24:], lenders)


@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_new_rows_keep_what_the_other_cells_say():
    # Only the column outside the graph tells anything of the target.
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abz"))
    y = pd.Series(3.0 * X["z"], name="y")
    learner = make(graph="{a, b} -> y", augmented_share=0.9).fit(X, y)
    assert learner.estimator_.coef_[2] > 2.5


@pytest.mark.filterwarnings("ignore:Columns that are no node")
@pytest.mark.parametrize("share", [0.5, "auto"])
def test_a_pipeline_may_name_a_column_outside_the_graph(rows, share):
    X, y = rows
    wide = X.assign(site=np.resize(["n", "s"], 24))
    encoder = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
    learner = make(make_pipeline(encoder, Ridge()), augmented_share=share).fit(wide, y)
    assert np.isfinite(learner.predict(wide)).all()


@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_the_gate_lets_the_plain_learner_see_all_columns():
    X, y = rows_of_regression(60)
    telling = X.assign(answer=y.to_numpy() * 2.0)
    learner = make(augmented_share=ca.Gate()).fit(telling, y)
    assert learner.augmented_share_ == 0.0
    assert learner.gate_.frame["loss"][0] < 0.1 * learner.gate_.frame["loss"][1]


@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_the_blend_lets_the_plain_learner_see_all_columns():
    X, y = rows_of_regression(60)
    telling = X.assign(answer=y.to_numpy() * 2.0)
    learner = make(augmented_share="auto").fit(telling, y)
    assert learner.blend_["weight"][0] > 0.99
    np.testing.assert_allclose(learner.predict(telling), y, atol=0.2)


def test_extra_columns_can_be_an_error(rows):
    X, y = rows
    with pytest.raises(GraphMismatchError, match=r"Only in the data: \['id'\]"):
        make(extra="error").fit(X.assign(id=1.0), y)
    with pytest.raises(ParameterError, match=r"`extra` must be one of \['error', 'ignore'\]"):
        make(extra="drop").fit(X, y)


def test_a_node_that_is_no_column_is_an_error_with_the_call_to_paste(rows):
    X, y = rows
    words = r"Only in the graph: \['b'\].*`latent_projection\(graph, keep=\['a', 'y', 'c'\]\)`"
    with pytest.raises(GraphMismatchError, match=words):
        make().fit(X.drop(columns="b"), y)


@pytest.mark.parametrize("learner", [ca.GraphRegressor, ca.AugmentedRegressor])
def test_a_column_that_looks_like_a_node_is_shown_by_its_characters(rows, learner):
    X, y = rows
    renamed = X.rename(columns={"a": "e\u0301"})
    graph = "\xe9 -> b -> c -> y"
    message = r"differ in their characters: '\\xe9' and 'e\\u0301'"
    with pytest.raises(GraphMismatchError, match=message):
        learner(graph=graph, target="y").fit(renamed, y)
    with pytest.raises(GraphMismatchError, match=r"target.*'e\\u0301' and '\\xe9'"):
        learner(graph=graph, target="e\u0301").fit(X, y)
    with pytest.raises(ParameterError, match=r"Found none.*'e\\u0301' and '\\xe9'.*Write target="):
        learner(graph=graph).fit(renamed, np.asarray(y))


@pytest.mark.parametrize(
    "convert",
    [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas],
    ids=["pandas", "polars", "pyarrow"],
)
def test_a_check_leaves_columns_out_of_every_library(rows, convert):
    X, y = rows
    frame = X.assign(y=y)
    with pytest.warns(CausalAugWarning, match=r"no node of the graph: \['id'\]") as caught:
        found = ca.check_graph(convert(frame.assign(id=1.0)), GRAPH, random_state=0)
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(found.frame, ca.check_graph(frame, GRAPH, random_state=0).frame)


def test_a_comparison_warns_once_and_shows_all_columns_to_plain_learners():
    X, y = rows_of_regression(40)
    frame = X.assign(y=y, answer=y * 2.0)
    with pytest.warns(CausalAugWarning, match=r"no node of the graph: \['answer'\]") as caught:
        found = ca.compare(
            frame, GRAPH, "y", Ridge(), augmented_share=0.5, n_splits=2, random_state=0
        )
    assert len(caught) == 1
    assert found.losses["baseline"].mean() < 0.1 * found.losses["augmented"].mean()
    with pytest.raises(GraphMismatchError, match=r"Only in the data: \['answer'\]"):
        ca.compare(frame, GRAPH, "y", Ridge(), extra="error")


# Kinds and limits are decided once.


def test_every_fold_has_the_kinds_and_the_limits_of_the_whole_table(monkeypatch):
    X, y = rows_of_regression(40)
    X = X.assign(a=np.r_[np.arange(11), np.zeros(29, dtype=int)], b=np.r_[-1.0, np.ones(39) * 2.5])
    X["b"] += np.linspace(0.0, 0.5, 40)
    seen = []
    from_frame = ca.table.Table.from_frame

    def spy(frame, **options):
        table = from_frame(frame, **options)
        seen.append(
            (table.n_rows, dict(zip(table.columns, table.kinds, strict=True)), table.limits)
        )
        return table

    monkeypatch.setattr(ca.table.Table, "from_frame", spy)
    options = {"augmented_share": 0.5, "n_splits": 4, "random_state": 0}
    ca.compare(X.assign(y=y), GRAPH, "y", Ridge(), **options)
    assert {n_rows for n_rows, _, _ in seen} == {30, 40}
    assert {kinds["a"] for _, kinds, _ in seen} == {"continuous"}
    lowest = -np.finfo(float).max
    assert {limits[1][0] for n_rows, _, limits in seen} == {lowest}


# Strings, categories and times.


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_the_default_learner_takes_strings_and_times(convert):
    X, y = rows_of_regression(40)
    town = np.where(X["a"] > 0.0, "Ulm", "Kiel")
    day = [dt.datetime(2024, 1, 1) + dt.timedelta(days=int(10 * b)) for b in X["b"]]
    frame = convert(X.assign(b=day, c=town))
    learner = ca.AugmentedRegressor(graph=GRAPH, augmented_share=0.5, random_state=0)
    predicted = learner.fit(frame, y).predict(frame)
    assert np.corrcoef(predicted, y)[0, 1] > 0.5


def test_the_default_classifier_takes_strings():
    X, y = rows_of_classification(40)
    X = X.assign(c=pd.Categorical(np.where(X["a"] > 0.0, "Ulm", "Kiel")))
    learner = ca.AugmentedClassifier(graph=GRAPH, augmented_share=0.5, random_state=0).fit(X, y)
    assert learner.predict_proba(X).shape == (40, 2)


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_a_learner_that_chokes_on_strings_is_told_the_pipeline(convert):
    X, y = rows_of_classification(40)
    frame = convert(X.assign(c=np.where(X["a"] > 0.0, "Ulm", "Kiel")))
    learner = ca.AugmentedClassifier(LogisticRegression(), graph=GRAPH, random_state=0)
    words = (
        r"must take the columns as they are\. Found \['c'\], which hold no numbers, and a "
        r"LogisticRegression that failed on them: .*make_pipeline\(make_column_transformer\("
        r"\(OneHotEncoder\(handle_unknown='ignore'\), \['c'\]\), remainder='passthrough'\), "
        r"LogisticRegression\(\)\)`"
    )
    with pytest.raises(ParameterError, match=words):
        learner.fit(frame, y)
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["c"]), remainder="passthrough"
    )
    if convert is not LIBRARIES["pandas"] and tuple(
        map(int, sklearn.__version__.split(".")[:2])
    ) < (1, 7):
        return  # The ColumnTransformer of scikit-learn 1.6 cannot stack columns of polars.
    learner.set_params(estimator=make_pipeline(encoder, LogisticRegression())).fit(frame, y)


def test_other_errors_of_a_learner_stay_what_they_are(rows):
    with pytest.raises(ValueError, match="alpha"):
        make(Ridge(alpha=-1.0)).fit(*rows)


# No graph.


@pytest.mark.parametrize(
    "learner",
    [ca.AugmentedRegressor(Ridge()), ca.CausalAugmenter()],
    ids=["regressor", "augmenter"],
)
def test_a_learner_without_a_graph_warns_once(rows, learner):
    words = r"^`graph` is None: nothing is known, and the rows stay as they are. Pass graph="
    with pytest.warns(CausalAugWarning, match=words) as caught:
        learner.fit(*rows)
    assert len(caught) == 1
