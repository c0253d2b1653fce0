import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, PredefinedSplit
from sklearn.pipeline import make_pipeline

import causalaug as ca
from causalaug.estimators import with_encoding
from causalaug.estimators._filled_in import FilledIn
from causalaug.evaluation import Comparison, Gain
from causalaug.evaluation._compare import _notes
from causalaug.evaluation._gaussian_process import GaussianProcess
from causalaug.evaluation._plain import default_learner, plain_learners
from causalaug.evaluation._trials import as_typed
from causalaug.exceptions import ParameterError, TableError

FAST = ca.BudgetExpansion(60)
DATA = ca.datasets.make_sem(40, "chain", n_variables=4, random_state=0)


@pytest.fixture(autouse=True, scope="module")
def few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("causalaug.evaluation._plain.N_TREES", 5)
        yield


def compare(frame=DATA.frame, graph=DATA.graph, target="Y", estimator=None, **options):
    estimator = Ridge() if estimator is None else estimator
    options = {"augmented_share": 0.5, "expansion": FAST, "random_state": 0} | options
    return ca.compare(frame, graph, target, estimator, **options)


@pytest.fixture(scope="module")
def result(few_trees):
    return compare(n_splits=4, repeats=2)


def test_every_row_is_held_out_once_per_repeat_by_every_method(result):
    counts = result.frame.groupby(["method", "repeat"])["row"].agg(["count", "nunique"])
    assert (counts == len(DATA.frame)).all(axis=None)
    assert list(result.losses) == [
        "baseline",
        "control",
        "augmented",
        "graph model",
        "forest",
        "boosting",
        "Gaussian process",
        "Gaussian process on the Markov blanket",
    ]


def test_methods_are_judged_on_the_same_folds(result):
    folds = result.frame.pivot_table(index=["repeat", "row"], columns="method", values="fold")
    assert (folds.nunique(axis=1) == 1).all()


def test_the_baseline_is_the_learner_itself(result):
    rows = result.frame[(result.frame["method"] == "baseline") & (result.frame["repeat"] == 0)]
    for _, fold in rows.groupby("fold"):
        held_out = DATA.frame.loc[fold["row"]]
        train = DATA.frame.drop(index=fold["row"])
        learner = Ridge().fit(train.drop(columns="Y"), train["Y"])
        expected = np.square(learner.predict(held_out.drop(columns="Y")) - held_out["Y"])
        np.testing.assert_allclose(fold["loss"], expected)


def test_the_parts_add_up_to_the_total(result):
    assert result.total.change == pytest.approx(result.smoothing.change + result.graph.change)


def test_the_complete_graph_leaves_nothing_to_the_graph():
    complete = ca.complete_graph(DATA.graph.topological_order())
    result = compare(graph=complete)
    assert result.graph == Gain(0.0, 0.0)
    assert result.total == result.smoothing


def test_one_seed_gives_one_result(result):
    again = compare(n_splits=4, repeats=2)
    pd.testing.assert_frame_equal(result.frame, again.frame)
    other = compare(n_splits=4, repeats=2, random_state=1)
    assert not other.losses.equals(result.losses)


def test_a_gate_that_stays_shut_says_so():
    wrong = ca.ADMG(DATA.graph.nodes)
    result = compare(graph=wrong, augmented_share=ca.Gate())
    assert result.share == 0.0
    text = (
        "The graph makes no difference, its rows got no weight: the MSE of Ridge on held-out rows "
        "changes by +0.0% ± 0.0 (± is one standard error)."
    )
    assert result.findings[0] == text


def test_two_blends_share_what_they_have_in_common():
    result = compare(augmented_share="auto", n_splits=2)
    alone = compare(augmented_share=0.0, n_splits=2)
    np.testing.assert_allclose(result.losses["baseline"], alone.losses["baseline"])
    assert 0.0 < result.share <= 1.0
    complete = ca.complete_graph(DATA.graph.topological_order())
    blind = compare(graph=complete, augmented_share=ca.Blend(model=False), n_splits=2)
    assert set(blind.losses) == {*result.losses}
    assert result.total.change == pytest.approx(result.smoothing.change + result.graph.change)


def test_the_share_of_a_fold_is_that_of_the_learner():
    model = ca.AugmentedRegressor(Ridge(), graph=DATA.graph, expansion=FAST, random_state=0)
    parts = model.fit_parts(DATA.X, DATA.y)
    again = ca.AugmentedRegressor(Ridge(), graph=DATA.graph, expansion=FAST, random_state=0)
    again.fit(DATA.X, DATA.y)
    np.testing.assert_array_equal(parts["graph"].predict(DATA.X), again.predict(DATA.X))
    np.testing.assert_allclose(
        parts["plain"].predict(DATA.X), Ridge().fit(DATA.X, DATA.y).predict(DATA.X)
    )
    pd.testing.assert_frame_equal(model.blend_, again.blend_)


@pytest.mark.parametrize("share", [0.5, "auto"])
def test_one_seed_gives_one_result_whatever_the_jobs(share):
    alone, shared = (
        compare(augmented_share=share, n_splits=2, n_jobs=jobs).frame for jobs in (None, 2)
    )
    pd.testing.assert_frame_equal(alone, shared)


def test_groups_are_held_out_together_here_and_within():
    groups = np.arange(len(DATA.frame)) // 4
    result = compare(groups=groups, n_splits=3)
    folds = result.frame[result.frame["method"] == "baseline"].set_index("row")["fold"]
    assert folds.groupby(groups[folds.index]).nunique().max() == 1
    given = compare(groups=groups, cv=GroupKFold(4))
    assert given.frame["fold"].nunique() == 4
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        compare(cv=GroupKFold(4))


def test_the_learner_itself_is_no_rival():
    assert "ridge" not in compare(n_splits=2).losses
    boosting = compare(estimator=GradientBoostingRegressor(n_estimators=3), n_splits=2).losses
    assert "boosting" not in boosting
    assert "ridge" in boosting


def test_gaussian_processes_say_that_they_saw_some_rows_only():
    assert not _notes(1000, rivals=True)
    assert _notes(1001, rivals=True) == (
        "Gaussian processes were fitted to 1,000 of 1,001 training rows.",
    )


@pytest.mark.parametrize("classification", [True, False])
def test_gaussian_processes_of_many_rows_are_fitted_to_some(monkeypatch, classification):
    monkeypatch.setattr("causalaug.evaluation._gaussian_process.MOST_ROWS", 30)
    monkeypatch.setattr("causalaug.evaluation._gaussian_process.ROWS_OF_SEARCH", 20)
    y = DATA.y > 0.0 if classification else DATA.y
    fitted = GaussianProcess(classification=classification, random_state=0).fit(DATA.X, y)
    inner = fitted.process_.base_estimator_ if classification else fitted.process_
    assert len(inner.X_train_) == 30
    losses = np.asarray(fitted.predict(DATA.X)) == y if classification else [0.9]
    assert np.mean(losses) > 0.7


def test_progress_is_reported_after_each_fit():
    seen = []
    compare(n_splits=2, callback=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 10) for done in range(1, 11)]


def test_fits_can_be_mapped_elsewhere():
    backwards = compare(map_=lambda fit, trials: [fit(trial) for trial in reversed(trials)])
    forwards = compare()
    pd.testing.assert_frame_equal(
        backwards.losses.sort_index()[list(forwards.losses)], forwards.losses.sort_index()
    )


@pytest.mark.parametrize("to_frame", [pl.from_pandas, lambda frame: frame[list(DATA.graph.nodes)]])
def test_frames_of_other_libraries_and_arrays_do(to_frame):
    frame = to_frame(DATA.frame)
    expected = compare(n_splits=2)
    np.testing.assert_allclose(compare(frame, n_splits=2).losses, expected.losses, rtol=1e-6)
    array = DATA.frame[list(DATA.graph.nodes)].to_numpy()
    assert compare(array, n_splits=2).losses.shape == expected.losses.shape


def test_classes_are_compared_by_their_log_loss():
    data = ca.datasets.make_sem(60, "star", n_variables=4, dtypes={"Y": "category"}, random_state=0)
    result = compare(data.frame, data.graph, estimator=LogisticRegression(), n_splits=3)
    assert result.loss_name == "log-loss"
    assert {"forest", "boosting", "Gaussian process", "graph model"} < set(result.losses)


def test_mixed_columns_are_encoded_for_the_plain_learners():
    data = ca.datasets.make_sem(60, "random", mechanism="mixed", n_variables=6, random_state=1)
    target = next(name for name in data.frame if data.frame[name].dtype == float)
    result = ca.compare(
        data.frame, data.graph, target, augmented_share=0.5, expansion=FAST, n_splits=2
    )
    assert np.isfinite(result.losses).all(axis=None)
    assert result.learner == "GradientBoostingRegressor"
    assert {"ridge", "forest"} < set(result.losses)


@pytest.mark.parametrize("classification", [True, False])
def test_plain_learners_take_numbers_without_an_encoder(classification):
    learner = default_learner(DATA.X, classification=classification)
    assert type(learner).__name__.startswith("GradientBoosting")
    assert "boosting" in plain_learners(DATA.X, classification=classification)


# Verdicts.


def comparison(**means):
    rng = np.random.default_rng(0)
    hardness = rng.uniform(0.5, 1.5, size=40)
    parts = [
        pd.DataFrame(
            {
                "method": method,
                "repeat": 0,
                "fold": 0,
                "row": np.arange(40),
                "loss": mean * hardness,
                "share": 0.5 if method in {"augmented", "control"} else 0.0,
            }
        )
        for method, mean in means.items()
    ]
    return Comparison(pd.concat(parts), "y", "MSE", "Ridge")


@pytest.mark.parametrize(
    ("means", "words"),
    [
        (
            {"augmented": 0.8, "control": 0.95, "forest": 1.2},
            "The graph helps to predict y: the MSE of Ridge on held-out rows changes by -20.0% ± ",
        ),
        (
            {"augmented": 0.9, "control": 0.9, "forest": 1.2},
            "New rows help, the graph itself not clearly: the MSE of Ridge",
        ),
        (
            {"augmented": 0.9, "control": 0.8, "forest": 1.2},
            "New rows help, but without this graph they help more: the MSE",
        ),
        (
            {"augmented": 1.3, "control": 1.3, "forest": 1.2},
            "New rows hurt: the MSE of Ridge on held-out rows changes by +30.0%",
        ),
        (
            {"augmented": 0.8, "control": 0.95, "forest": 1.2},
            "independences of the graph carry",
        ),
        ({"augmented": 0.8, "control": 0.95, "forest": 1.2}, "nearest, forest: +20.0% ± "),
        ({"augmented": 0.8, "control": 0.8, "forest": 1.2}, "own part is within two of its errors"),
        ({"augmented": 1.3, "control": 1.0, "forest": 1.2}, "The graph hurts: the MSE"),
        ({"augmented": 1.3, "control": 1.0, "forest": 1.2}, "check it with `check_graph`"),
        ({"augmented": 1.0, "control": 1.0, "forest": 1.2}, "makes hardly any difference: the"),
        ({"augmented": 0.8, "control": 1.0, "forest": 0.9}, "is forest; against it -10.0%"),
        ({"augmented": 0.8, "control": 1.0, "forest": 0.6}, "plain forest is better still"),
        ({"augmented": 0.8, "control": 1.0, "forest": 0.8}, "forest; against it no clear change"),
        ({"augmented": 0.8, "control": 1.0, "graph model": 0.7}, "without the learner: -30.0%"),
        ({"augmented": 0.8, "control": 1.0, "graph model": 0.7}, "No other learner was tried"),
    ],
)
def test_the_verdict_says_what_the_numbers_say(means, words):
    assert words in comparison(baseline=1.0, **means).verdict


@pytest.mark.parametrize(("errors", "is_within"), [(0.5, True), (1.8, True), (2.2, False)])
def test_a_part_is_within_two_of_its_errors_as_the_verdict_says(errors, is_within):
    # Forty differences whose mean is so many of their standard errors.
    noise = np.tile([1.0, -1.0], 20)
    shift = errors * noise.std(ddof=1) / np.sqrt(40)
    losses = {"baseline": np.full(40, 9.0), "control": np.full(40, 8.0)}
    losses["augmented"] = losses["control"] - (noise + shift)
    parts = [
        pd.DataFrame({"method": name, "row": np.arange(40), "loss": loss, "share": 0.5})
        for name, loss in losses.items()
    ]
    result = Comparison(pd.concat(parts), "y", "MSE", "Ridge")
    assert -result.graph.change / result.graph.standard_error == pytest.approx(errors)
    assert ("within two of its errors" in result.verdict) == is_within


def day_of(numbers):
    return pd.Timestamp("2001") + pd.to_timedelta(np.arange(len(numbers)), "D")


@pytest.mark.parametrize(
    "convert",
    [day_of, lambda y: day_of(y).date, lambda y: day_of(y) - pd.Timestamp("2001")],
    ids=["datetimes", "dates", "durations"],
)
@pytest.mark.parametrize("estimator", [None, Ridge()])
def test_a_target_of_times_is_refused(convert, estimator):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["x", "y"])
    frame["y"] = convert(frame["y"])
    with pytest.raises(ParameterError, match="must hold numbers or classes. Found times in 'y'"):
        ca.compare(frame, "x -> y", "y", estimator)


def test_a_classifier_may_take_days_for_classes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=20)})
    frame["y"] = pd.to_datetime(np.where(frame["x"] > 0.0, "2001-02-03", "2001-02-04"))
    options = {"augmented_share": 0.5, "n_splits": 2, "rivals": False, "random_state": 0}
    result = compare(frame, "x -> y", "y", LogisticRegression(), **options)
    assert result.loss_name == "log-loss"


def test_what_is_within_a_large_error_cannot_be_told():
    result = comparison(baseline=1.0, augmented=1.0, control=1.0)
    noise = np.random.default_rng(1).normal(size=len(result.frame))
    is_augmented = (result.frame["method"] == "augmented").to_numpy()
    blurred = result.frame.assign(loss=np.where(is_augmented, 1.0 + noise, result.frame["loss"]))
    assert (
        replace(result, frame=blurred)
        .findings[0]
        .startswith("Cannot tell whether the graph helps to predict y: the MSE of Ridge")
    )


def test_no_change_is_claimed_without_its_error():
    for means in ({"augmented": 0.8, "forest": 0.7}, {"augmented": 1.3}, {"augmented": 1.0}):
        words = comparison(baseline=1.0, control=0.9, **means).verdict
        assert len(re.findall(r"%", words)) == len(re.findall(r"% ± \d", words)) > 0


def test_what_was_left_out_is_said():
    result = comparison(baseline=1.0, augmented=0.8, control=0.95)
    late = replace(result, left_out=("forest", "repeat 2"))
    assert "Left out for want of time: forest, repeat 2." in late.verdict
    assert "Left out" not in result.verdict


def test_the_answer_is_what_a_terminal_shows():
    result = comparison(baseline=1.0, augmented=0.8, control=0.95)
    assert repr(result) == f"Comparison(3 methods. {result.findings[0]})"


def test_a_long_name_is_cut_in_the_answer():
    result = comparison(baseline=1.0, augmented=0.8, control=0.95)
    assert f" {'n' * 59}…: " in replace(result, target="n" * 200).findings[0]


def test_the_error_is_named_once_in_every_output():
    result = comparison(baseline=1.0, augmented=0.8, control=0.95, forest=0.9)
    for text in (result.verdict, result.to_markdown(), result.to_html()):
        assert text.count("standard error") == 1


def test_a_gain_is_a_share_of_the_baseline_with_a_paired_error():
    result = comparison(baseline=2.0, augmented=1.0, control=2.0)
    difference = (result.losses["augmented"] - result.losses["baseline"]).to_numpy()
    mean = result.losses["baseline"].mean()
    assert result.total.change == pytest.approx(difference.mean() / mean)
    error = difference.std(ddof=1) / np.sqrt(40) / mean
    assert result.total.standard_error == pytest.approx(error)


def test_a_perfect_baseline_cannot_be_bettered():
    result = comparison(baseline=0.0, augmented=1.0, control=0.0)
    assert result.total == Gain(0.0, 0.0)


def test_the_markdown_has_a_table_of_methods_and_one_of_parts(result):
    text = result.to_markdown()
    answer, *reasons = result.findings
    assert text.startswith(f"**{answer}**\n\n- {reasons[0]}\n- {reasons[1]}\n\n|")
    assert re.search(r"^\| baseline \(Ridge\) \| [\d.]+ \|  \|$", text, re.M)
    assert re.search(r"^\| of which the graph \| [+-][\d.]+% ± [\d.]+ \|$", text, re.M)


# Refusals.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph": 5}, "A graph must be text, a path"),
        ({"target": "Z"}, "`target` must be one of .* Found 'Z'"),
        ({"n_splits": 1}, "`n_splits` must be an integer of at least 2"),
        ({"repeats": 0}, "`repeats` must be an integer of at least 1"),
        ({"n_splits": 30}, "at least two rows for each of the 30 folds. Found 40 rows"),
        ({"task": "ranking"}, "`task` must be one of"),
        ({"cv": 5}, "`cv` must be a splitter of scikit-learn.* Found 5"),
        ({"groups": [1, 2]}, "`groups` must name a group for each of the 40 rows"),
        ({"groups": np.zeros(40)}, "at least two groups"),
        ({"graph": ca.read_graph("A -> B")}, "must name the same variables"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compare(**options)


def test_words_cannot_be_regressed():
    frame = DATA.frame.assign(Y=np.where(DATA.frame["Y"] > 0, "high", "low"))
    with pytest.raises(ValueError, match="must be a number. Found cells such as '(high|low)'"):
        compare(frame)


def test_the_default_learner_takes_weights_with_metadata_routing_on():
    data = ca.datasets.make_sem(40, "random", mechanism="mixed", n_variables=5, random_state=1)
    target = next(name for name in data.frame if data.frame[name].dtype == float)
    with sklearn.config_context(enable_metadata_routing=True):
        result = ca.compare(
            data.frame, data.graph, target, augmented_share=0.5, expansion=FAST, n_splits=2
        )
    assert np.isfinite(result.losses).all(axis=None)


def test_the_control_assumes_no_independence_whatever_the_graph(result):
    complete = ca.complete_graph(DATA.graph.topological_order())
    of_complete = compare(graph=complete, n_splits=4, repeats=2)
    np.testing.assert_array_equal(result.losses["control"], of_complete.losses["control"])
    assert not np.array_equal(result.losses["augmented"], of_complete.losses["augmented"])


def test_a_target_alone_is_refused():
    frame = pd.DataFrame({"y": np.arange(20.0)})
    with pytest.raises(
        ca.exceptions.TableError, match="a column to predict from. Found the target"
    ):
        ca.compare(frame, {"y": []}, "y")


# Missing cells.


def punched(frame, share=0.15, seed=0, columns=None):
    holes = np.random.default_rng(seed).random(frame.shape) < share
    return frame.mask(holes & frame.columns.isin(frame.columns if columns is None else columns))


HOLED = punched(DATA.frame, columns=[name for name in DATA.frame if name != "Y"])
UNLABELLED = DATA.frame.assign(Y=DATA.frame["Y"].where(np.arange(40) % 4 > 0))


def test_features_may_be_missing_and_the_notes_say_who_got_what():
    result = compare(HOLED, n_splits=2)
    assert not result.losses.isna().any(axis=None)
    assert list(result.losses)[:4] == ["baseline", "control", "augmented", "graph model"]
    filled, control, taken = result.notes
    assert control == "The control knows the graph by the cells that it filled in, and no further."
    assert filled.startswith(
        "Cells are missing; for these learners an IterativeImputer filled them in (labels: by the "
        "most common): baseline, "
    )
    assert taken == "These took missing cells as they are: forest."
    assert result.verdict.endswith(taken)


def test_the_baseline_is_given_no_cell_that_the_graph_filled_in():
    result = compare(HOLED, n_splits=2)
    rows = result.frame[result.frame["method"] == "baseline"]
    for _, fold in rows.groupby("fold"):
        held_out, train = HOLED.loc[fold["row"]], HOLED.drop(index=fold["row"])
        learner = make_pipeline(FilledIn(), Ridge()).fit(train.drop(columns="Y"), train["Y"])
        expected = np.square(learner.predict(held_out.drop(columns="Y")) - held_out["Y"])
        np.testing.assert_allclose(fold["loss"], expected)


def test_a_baseline_that_takes_holes_gets_them():
    boosting = HistGradientBoostingRegressor(max_iter=5)
    result = compare(HOLED, estimator=boosting, n_splits=2)
    assert "These took missing cells as they are: baseline, forest." in result.notes


@pytest.mark.parametrize("share", [0.5, "auto"])
@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_columns_outside_the_graph_may_have_holes(share):
    remarks = np.where(np.arange(40) % 5 == 0, None, "fine")
    frame = DATA.frame.assign(height=np.where(np.arange(40) % 3 == 0, np.nan, 1.0), remark=remarks)
    learner = with_encoding(Ridge(), frame.drop(columns="Y"))
    result = compare(frame, estimator=learner, augmented_share=share, n_splits=2)
    assert not result.losses.isna().any(axis=None)


def test_rows_without_a_target_are_not_judged():
    result = compare(UNLABELLED, n_splits=2)
    labelled = np.flatnonzero(UNLABELLED["Y"].notna())
    assert set(result.frame["row"]) == set(labelled)
    assert not result.losses.isna().any(axis=None)
    (note,) = result.notes
    assert note == (
        "Rows without a target: 10. They help to fit the graph's model; plain learners did not see "
        "them, and nobody is judged on them."
    )


def test_plain_learners_do_not_see_rows_without_a_target():
    both, alone = (
        compare(frame, n_splits=2) for frame in (UNLABELLED, UNLABELLED.dropna(ignore_index=True))
    )
    for method in ("baseline", "Gaussian process"):
        np.testing.assert_allclose(both.losses[method], alone.losses[method])
    assert not np.allclose(both.losses["graph model"], alone.losses["graph model"])


def test_unlabelled_rows_of_a_held_out_group_are_not_learnt_from():
    groups = np.arange(40) % 5
    seen = []

    def spy(fit, trials):
        seen.extend((trial, fit._training_rows(trial)) for trial in trials)
        return map(fit, trials)

    compare(UNLABELLED, groups=groups, n_splits=5, map_=spy)
    ours = [(trial, rows) for trial, rows in seen if trial.method == "augmented"]
    assert len(ours) == 5
    for trial, rows in ours:
        assert not set(groups[rows]) & set(groups[trial.held_out])
        assert set(rows) - set(trial.train)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_classes_may_be_missing(convert):
    frame = DATA.frame.assign(Y=np.where(DATA.frame["Y"] > 0, "yes", "no"))
    frame = punched(frame.astype({"Y": object}), share=0.1)
    result = compare(convert(frame), estimator=LogisticRegression(), n_splits=2)
    assert result.loss_name == "log-loss"
    assert set(result.frame["row"]) == set(np.flatnonzero(frame["Y"].notna()))


def test_classes_that_are_integers_stay_such():
    frame = DATA.frame.assign(Y=pd.array(DATA.frame["Y"] > 0, dtype="Int64"))
    frame.loc[:5, "Y"] = pd.NA
    seen = []

    def spy(fit, trials):
        seen.extend(as_typed(fit.labels[trial.train]) for trial in trials)
        return map(fit, trials)

    result = compare(frame, estimator=LogisticRegression(), n_splits=2, map_=spy)
    assert {labels.dtype.kind for labels in seen} == {"i"}
    assert len(result.losses) == 34


def test_frames_of_all_libraries_give_one_result():
    holed = punched(DATA.frame)
    expected, found = (compare(each, n_splits=2).frame for each in (holed, pl.from_pandas(holed)))
    pd.testing.assert_frame_equal(found, expected)


def test_too_few_rows_with_a_target_are_counted():
    few = DATA.frame.assign(Y=DATA.frame["Y"].where(np.arange(40) < 7))
    message = r"at least two rows for each of the 5 folds. Found 7 rows with a target, of 40\. Use"
    with pytest.raises(TableError, match=message):
        compare(few)


def test_cells_that_are_no_classes_are_refused():
    frame = pd.DataFrame({"x": np.arange(20.0), "y": pd.Series([10**400] * 20, dtype=object)})
    with pytest.raises(ca.exceptions.ParameterError, match="Unknown label type"):
        ca.compare(frame, "x -> y", "y", task="classification")


def test_a_splitter_without_folds_is_refused():
    with pytest.raises(TableError, match=r"rows to hold out. Found no fold: .*another splitter"):
        compare(DATA.frame, cv=PredefinedSplit(np.full(40, -1)))
