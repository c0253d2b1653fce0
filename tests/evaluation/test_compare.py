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
from causalaug.estimators._preprocessing import FilledIn
from causalaug.evaluation import Comparison, Gain
from causalaug.evaluation._rivals import GaussianProcess, default_learner, plain_learners
from causalaug.evaluation._trials import as_typed
from causalaug.exceptions import ParameterError, TableError

FAST = ca.BudgetExpansion(60)
DATA = ca.datasets.make_sem(40, "chain", n_variables=4, random_state=0)


@pytest.fixture(autouse=True, scope="module")
def few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("causalaug.evaluation._rivals.N_TREES", 5)
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
        "without knowledge",
        "order",
        "augmented",
        "graph model",
        "tuned ridge",
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
    steps = (result.without_knowledge, result.order, result.independences)
    assert result.total.change == pytest.approx(sum(step.change for step in steps))
    assert result.smoothing == result.without_knowledge
    assert result.graph == result.independences


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("holes", [False, True])
def test_a_graph_that_claims_nothing_brings_exactly_nothing(classes, holes):
    frame = DATA.frame.copy()
    if holes:
        frame.iloc[::5, 0] = np.nan
    if classes:
        frame["Y"] = np.where(frame["Y"] > 0.0, "high", "low")
    order = DATA.graph.topological_order()
    last = [*(name for name in order if name != "Y"), "Y"]
    options = {"estimator": LogisticRegression() if classes else Ridge(), "n_splits": 2}
    options |= {"augmented_share": ca.Blend(n_splits=2), "rivals": False}
    groups = np.arange(len(frame)) // 2
    result = compare(frame, ca.complete_graph(order), groups=groups, **options)
    assert result.independences == Gain(0.0, 0.0)
    assert result.order != Gain(0.0, 0.0)
    assert "independences" not in result.helps_by
    result = compare(frame, ca.complete_graph(last), groups=groups, **options)
    assert result.independences == result.order == Gain(0.0, 0.0)
    assert result.total == result.without_knowledge


def test_the_model_alone_is_the_estimator_that_a_user_has(result):
    rows = result.frame[(result.frame["method"] == "graph model") & (result.frame["repeat"] == 0)]
    for _, fold in rows.groupby("fold"):
        held_out, train = DATA.frame.loc[fold["row"]], DATA.frame.drop(index=fold["row"])
        model = ca.GraphRegressor(DATA.graph, random_state=0).fit(train.drop(columns="Y"), train.Y)
        expected = np.square(model.predict(held_out.drop(columns="Y")) - held_out["Y"])
        np.testing.assert_allclose(fold["loss"], expected, rtol=0.2)


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


def test_a_rival_of_the_own_kind_is_a_tuned_one():
    found = compare(n_splits=2).losses
    assert "ridge" not in found
    assert "tuned ridge" in found
    boosting = compare(estimator=GradientBoostingRegressor(n_estimators=3), n_splits=2).losses
    assert "boosting" not in boosting
    assert "tuned boosting" in boosting


def test_gaussian_processes_say_that_they_saw_some_rows_only(monkeypatch):
    assert not compare(n_splits=2, seconds=1e-9).notes
    monkeypatch.setattr("causalaug.evaluation._compare.MOST_ROWS", 10)
    note = f"Gaussian processes were fitted to 10 of {len(DATA.frame) // 2} training rows."
    assert note in compare(n_splits=2, seconds=1e-9).notes


@pytest.mark.parametrize("classification", [True, False])
def test_gaussian_processes_of_many_rows_are_fitted_to_some(monkeypatch, classification):
    monkeypatch.setattr("causalaug.evaluation._rivals.MOST_ROWS", 30)
    monkeypatch.setattr("causalaug.evaluation._rivals.ROWS_OF_SEARCH", 20)
    y = DATA.y > 0.0 if classification else DATA.y
    fitted = GaussianProcess(classification=classification, random_state=0).fit(DATA.X, y)
    inner = fitted.process_.base_estimator_ if classification else fitted.process_
    assert len(inner.X_train_) == 30
    losses = np.asarray(fitted.predict(DATA.X)) == y if classification else [0.9]
    assert np.mean(losses) > 0.7


def test_progress_is_reported_after_each_fit():
    seen = []
    compare(n_splits=2, callback=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 14) for done in range(1, 15)]


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
                "share": 0.5 if method in {"augmented", "order", "without knowledge"} else 0.0,
            }
        )
        for method, mean in means.items()
    ]
    return Comparison(pd.concat(parts), "y", "MSE", "Ridge")


def ladder(nothing, order, augmented):
    return {"without knowledge": nothing, "order": order, "augmented": augmented}


@pytest.mark.parametrize(
    ("means", "words"),
    [
        (
            {**ladder(0.95, 0.95, 0.8), "forest": 1.2},
            "The graph helps to predict y by its independences: the MSE of Ridge on held-out rows "
            "changes by -20.0% ± ",
        ),
        (
            {**ladder(0.95, 0.9, 0.8), "forest": 1.2},
            "The graph helps to predict y by its order and its independences: the MSE",
        ),
        (
            {**ladder(0.95, 0.8, 0.8), "forest": 1.2},
            "The order of the graph helps to predict y, which claims no independence: the MSE",
        ),
        (
            {**ladder(0.95, 0.8, 0.85), "forest": 1.2},
            "The order of the graph helps to predict y, its independences cost part of that: the",
        ),
        (
            {**ladder(0.9, 0.9, 0.9), "forest": 1.2},
            "New rows help, the graph itself not clearly: the MSE of Ridge",
        ),
        (
            {**ladder(0.8, 0.8, 0.9), "forest": 1.2},
            "New rows help, but without this graph they help more: the MSE",
        ),
        (
            {**ladder(1.3, 1.3, 1.3), "forest": 1.2},
            "New rows hurt: the MSE of Ridge on held-out rows changes by +30.0%",
        ),
        (
            {**ladder(1.0, 1.3, 1.3), "forest": 1.2},
            "The order of the graph hurts: the MSE",
        ),
        ({**ladder(0.95, 0.95, 0.8), "forest": 1.2}, "independences of the graph carry"),
        ({**ladder(0.95, 0.95, 0.8), "forest": 1.2}, "nearest, forest: +20.0% ± "),
        ({**ladder(0.8, 0.8, 0.8), "forest": 1.2}, "bring is within two of its errors"),
        ({**ladder(1.0, 1.0, 1.3), "forest": 1.2}, "The graph hurts: the MSE"),
        ({**ladder(1.0, 1.0, 1.3), "forest": 1.2}, "check it with `check_graph`"),
        ({**ladder(1.0, 1.0, 1.0), "forest": 1.2}, "makes hardly any difference: the"),
        # As a share of the forest's own loss, .9: the blend is at .8.
        ({**ladder(1.0, 1.0, 0.8), "forest": 0.9}, "against plain forest by -11.1% ± "),
        (
            {**ladder(1.0, 1.0, 0.8), "forest": 0.4},
            "Plain forest is better than anything with this graph: the MSE of Ridge on held-out "
            "rows changes by -20.0% ± ",
        ),
        ({**ladder(1.0, 1.0, 0.8), "forest": 0.4}, "against plain forest by +100.0%"),
        ({**ladder(1.0, 1.0, 0.8), "forest": 0.4}, "the augmented learner is worse: +100.0%"),
        ({**ladder(1.0, 1.0, 0.8), "forest": 0.8}, "its loss, no clear change"),
        ({**ladder(1.0, 1.0, 0.8), "graph model": 0.7}, "without the learner: -30.0%"),
        ({**ladder(1.0, 1.0, 0.8), "graph model": 0.7}, "No other learner was tried"),
    ],
)
def test_the_verdict_says_what_the_numbers_say(means, words):
    assert words in comparison(baseline=1.0, **means).verdict


def test_a_plain_learner_that_is_better_takes_the_claim_away():
    means = ladder(1.0, 1.0, 0.8)
    assert comparison(baseline=1.0, **means, forest=0.9).helps_by == ("independences",)
    assert comparison(baseline=1.0, **means, forest=0.4).helps_by == ()
    assert comparison(baseline=1.0, **means, forest=0.4).is_beaten


def noisy(errors, **shifts):
    """Return a comparison in which the blend is so many of its errors below the baseline."""
    noise = np.tile([1.0, -1.0], 20)
    shift = errors * noise.std(ddof=1) / np.sqrt(40)
    losses = {"baseline": np.full(40, 9.0), "without knowledge": np.full(40, 9.0)}
    losses["order"] = losses["baseline"] + shifts.get("order", 0.0)
    losses["augmented"] = losses["baseline"] - (noise + shift)
    losses["forest"] = losses["baseline"] + shifts.get("forest", 1.0)
    parts = [
        pd.DataFrame({"method": name, "row": np.arange(40), "loss": loss, "share": 0.5})
        for name, loss in losses.items()
    ]
    return Comparison(pd.concat(parts), "y", "MSE", "Ridge")


@pytest.mark.parametrize(("errors", "is_within"), [(0.5, True), (1.8, True), (2.2, False)])
def test_a_part_is_within_two_of_its_errors_as_the_verdict_says(errors, is_within):
    # Forty differences whose mean is so many of their standard errors.
    result = noisy(errors)
    assert -result.independences.change / result.independences.standard_error == pytest.approx(
        errors
    )
    assert ("within two of its errors" in result.verdict) == is_within
    assert (result.helps_by == ()) == is_within


def test_cannot_tell_has_a_next_step():
    result = noisy(1.0)
    assert result.verdict.startswith("Cannot tell whether the graph helps to predict y")
    # Twice the error is four times the rows.
    assert "about 160 rows would tell (40 now)" in result.next_steps[0]
    assert result.findings[-1].startswith("Next: the blend is not clearly worse than Ridge")
    assert noisy(2.5).next_steps == ()
    tried = noisy(1.0, order=-2.0, forest=-3.0).next_steps
    assert any("order alone" in step for step in tried)
    assert "take plain forest, whose loss is lower" in tried
    assert len(noisy(1.0, forest=-0.1).next_steps) == 1


@pytest.mark.parametrize(
    ("gain", "rows"),
    [
        (Gain(-0.1, 0.1), 240),
        (Gain(0.1, 0.1), 240),
        (Gain(-0.1, 0.01), 60),
        (Gain(0.0, 0.1), None),
        (Gain(1e-9, 0.1), None),
    ],
)
def test_rows_that_would_tell_grow_with_the_square_of_the_error(gain, rows):
    assert gain.rows_to_tell(60) == rows


@pytest.mark.parametrize(
    ("cells", "loss", "words"),
    [
        ([0, 1], "log-loss", 'Y has two values and is predicted as classes; task="regression"'),
        ([0.0, 1.0], "log-loss", "Y has two values and is predicted as classes"),
        ([1, 2, 3], "MSE", "Y has 3 whole values and is predicted as a number"),
        ([1.0, 2.0, 3.0], "MSE", "Y has 3 whole values and is predicted as a number"),
        (["a", "b", "c"], "log-loss", None),
        ([True, False], "log-loss", None),
        ([0.5, 1.5], "MSE", None),
    ],
)
def test_one_rule_says_what_is_predicted(cells, loss, words):
    n = len(DATA.frame)
    frame = DATA.frame.assign(Y=[cells[row % len(cells)] for row in range(n)])
    options = {"expansion": FAST, "augmented_share": 0.5, "n_splits": 2, "random_state": 0}
    result = ca.compare(frame, DATA.graph, "Y", rivals=False, **options)
    assert result.loss_name == loss
    said = [note for note in result.notes if "predicted as" in note]
    assert bool(said) == (words is not None)
    assert words is None or words in said[0]


class Broken(Ridge):
    def fit(self, X, y):
        raise RuntimeError("no luck today")


def test_a_rival_that_fails_is_a_note(monkeypatch):
    plain = {"ridge": Ridge(), "broken": Broken()}
    monkeypatch.setattr(
        "causalaug.evaluation._compare.tuned_learners", lambda *args, **options: plain
    )
    result = compare(n_splits=2)
    assert "broken" not in result.losses
    assert "tuned ridge" in result.losses
    note = "Left out, since it failed: broken (RuntimeError: no luck today)."
    assert note in result.notes
    with pytest.raises(RuntimeError, match="no luck today"):
        compare(estimator=Broken(), n_splits=2)


def test_three_classes_and_many_rows_have_a_gaussian_process():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(330, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    process = GaussianProcess(classification=True, random_state=0).fit(X, y)
    assert process.predict_proba(X).shape == (330, 3)
    assert (process.predict(X) == y).mean() > 0.8


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
    result = comparison(baseline=1.0, **ladder(1.0, 1.0, 1.0))
    noise = np.random.default_rng(1).normal(size=len(result.frame))
    is_augmented = (result.frame["method"] == "augmented").to_numpy()
    blurred = result.frame.assign(loss=np.where(is_augmented, 1.0 + noise, result.frame["loss"]))
    assert (
        replace(result, frame=blurred)
        .findings[0]
        .startswith("Cannot tell whether the graph helps to predict y: the MSE of Ridge")
    )


def test_no_change_is_claimed_without_its_error():
    cases = [{**ladder(0.9, 0.9, last)} for last in (0.8, 1.3, 1.0)]
    cases[0]["forest"] = 0.7
    verdicts = [comparison(baseline=1.0, **means).verdict for means in cases]
    for words in (*verdicts, noisy(1.0).verdict):
        assert len(re.findall(r"%", words)) == len(re.findall(r"% ± \d", words)) > 0


def test_what_was_left_out_is_said():
    result = comparison(baseline=1.0, **ladder(0.95, 0.95, 0.8))
    late = replace(result, left_out=("forest", "repeat 2"))
    assert "Left out for want of time: forest, repeat 2." in late.verdict
    assert "Left out" not in result.verdict


def test_the_answer_is_what_a_terminal_shows():
    result = comparison(baseline=1.0, **ladder(0.95, 0.95, 0.8))
    assert repr(result) == f"Comparison(4 methods. {result.findings[0]})"


def test_a_long_name_is_cut_in_the_answer():
    result = comparison(baseline=1.0, **ladder(0.95, 0.95, 0.8))
    assert f" {'n' * 59}… by its independences: " in replace(result, target="n" * 200).findings[0]


def test_the_error_is_named_once_in_every_output():
    result = comparison(baseline=1.0, **ladder(0.95, 0.95, 0.8), forest=0.9)
    for text in (result.verdict, result.to_markdown(), result.to_html()):
        assert text.count("standard error") == 1


def test_a_gain_is_a_share_of_the_baseline_with_a_paired_error():
    result = comparison(baseline=2.0, **ladder(2.0, 2.0, 1.0))
    difference = (result.losses["augmented"] - result.losses["baseline"]).to_numpy()
    mean = result.losses["baseline"].mean()
    assert result.total.change == pytest.approx(difference.mean() / mean)
    error = difference.std(ddof=1) / np.sqrt(40) / mean
    assert result.total.standard_error == pytest.approx(error)


def test_a_perfect_baseline_cannot_be_bettered():
    result = comparison(baseline=0.0, **ladder(0.0, 0.0, 1.0))
    assert result.total == Gain(0.0, 0.0)


def test_the_markdown_has_a_table_of_methods_and_one_of_parts(result):
    text = result.to_markdown()
    answer, *reasons = result.findings
    listed = "\n".join(f"- {reason}" for reason in reasons)
    assert text.startswith(f"**{answer}**\n\n{listed}\n\n|")
    assert re.search(r"^\| baseline \(Ridge\) \| [\d.]+ \|  \|$", text, re.M)
    assert re.search(r"^\| by the independences \| [+-][\d.]+% ± [\d.]+ \|$", text, re.M)


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
    np.testing.assert_array_equal(result.losses["order"], of_complete.losses["order"])
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
    assert list(result.losses)[:5] == [
        "baseline",
        "without knowledge",
        "order",
        "augmented",
        "graph model",
    ]
    filled, rungs, taken = result.notes
    assert rungs == "On each rung of the ladder its own graph filled them in."
    assert filled.startswith(
        "Cells are missing; for these learners an IterativeImputer filled them in (labels: by the "
        "most common): baseline, "
    )
    assert taken == "These took missing cells as they are: forest."
    assert taken in result.verdict


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
