import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import causalaug as ca
from causalaug.exceptions import OutputError

DATA = ca.datasets.make_sem(40, "chain", n_variables=4, n_hidden=1, random_state=0)


pytestmark = pytest.mark.usefixtures("few_trees")


def evaluate(data=DATA, **options):
    options = {"estimator": Ridge(), "n_splits": 2, "random_state": 0} | options
    return ca.evaluate(data.frame, data.graph, data.target, **options)


@pytest.fixture(scope="module")
def result(few_trees):
    return evaluate(source="causalaug evaluate rows.csv")


def test_it_is_compare_and_check_graph_with_the_same_seed(result):
    compared = ca.compare(DATA.frame, DATA.graph, "Y", Ridge(), n_splits=2, random_state=0)
    pd.testing.assert_frame_equal(result.comparison.frame, compared.frame)
    checked = ca.check_graph(DATA.frame, DATA.graph, random_state=0)
    pd.testing.assert_frame_equal(result.check.frame, checked.frame)


def test_the_new_rows_are_those_that_the_learner_would_make(result):
    augmented = ca.augment(
        DATA.frame,
        DATA.graph,
        ca.ResidualConditional(),
        ca.BudgetExpansion(1000),
        random_state=0,
    )
    assert result.augmentation.figures == augmented.figures()
    model = ca.AugmentedRegressor(Ridge(), graph=DATA.graph, augmented_share=0.5).fit(
        DATA.frame.drop(columns="Y"), DATA.frame["Y"]
    )
    assert len(model.augmented_) == result.augmentation.figures["new rows"]


def test_the_verdict_starts_with_the_gain_and_ends_with_the_check(result):
    assert result.verdict.startswith(result.comparison.verdict)
    assert result.findings[0] == result.comparison.findings[0]
    assert result.verdict.endswith(result.findings[-1])


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ([], "takes no independence from the graph"),
        (["cannot tell"], "cannot tell whether the graph is right: of its 1 independence, 1 could"),
        (["not rejected"], "none of the graph's 1 independence. That is no proof"),
        (["violated", "not rejected"], "contradict the graph in 1 of its 2 independences (a right"),
        (["violated", "cannot tell"], "in 1 of its 2 independences, and cannot tell of 1 (a"),
        (["cannot tell", "cannot tell", "not rejected"], "of its 3 independences, 2 could not be"),
        (["cannot tell", "not rejected"], "none of the graph's 2 independences, and cannot tell"),
    ],
)
def test_the_check_is_told_in_words(result, verdicts, words):
    rows = (
        pd.concat([result.check.frame[:1]] * len(verdicts)) if verdicts else result.check.frame[:0]
    )
    check = ca.GraphCheck(rows.assign(verdict=verdicts), mb_shielded=True, alpha=0.05)
    assert words in replace(result, check=check).findings[-1]


def test_everything_is_ready_for_json(result):
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["verdict"] == result.verdict
    assert told["gain"]["total"]["change"] == pytest.approx(result.comparison.total.change)
    assert [each["name"] for each in told["methods"]] == list(result.comparison.losses)
    assert told["augmentation"]["novel mass"] == result.augmentation.figures["novel mass"]
    assert len(told["check"]["independences"]) == len(result.check)
    assert told["graph"]["bidirected"] == [list(edge) for edge in DATA.graph.bidirected]
    assert told["shares"] == list(result.shares)


def test_what_could_not_be_tested_is_null_in_json():
    few = ca.datasets.make_sem(12, "chain", n_variables=3, random_state=0)
    told = evaluate(few).to_dict()["check"]["independences"]
    assert told[0]["p_value"] is None
    assert told[0]["verdict"] == "cannot tell"


def test_markdown_holds_the_same(result):
    text = result.to_markdown()
    assert text.startswith("# Does the graph help to predict Y?\n")
    assert f"\n**{result.findings[0]}**\n\n- " in text
    assert all(text.count(finding) == 1 for finding in result.findings[:-1])
    assert re.search(r"^\| by the independences \| [+-][\d.]+% ± [\d.]+ \|$", text, re.M)
    assert re.search(r"^\| novel mass \| [\d.]+ \|$", text, re.M)
    assert text.endswith("\n    causalaug evaluate rows.csv\n")


def test_one_seed_gives_one_report(result):
    again = evaluate(source="causalaug evaluate rows.csv")
    assert again.to_html() == result.to_html()
    assert again.to_dict() == result.to_dict()


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(0)])
def test_a_seed_that_was_not_given_is_told(random_state):
    found = evaluate(random_state=random_state, rivals=False)
    assert found.to_dict() == evaluate(random_state=found.seed, rivals=False).to_dict()


def test_every_step_is_reported():
    seen = []
    evaluate(callback=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 16) for done in range(1, 17)]


def test_the_former_name_of_the_callback_still_works_and_says_so():
    seen = []
    with pytest.warns(FutureWarning, match="`progress` is now called `callback`"):
        evaluate(rivals=False, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 6) for done in range(1, 7)]


def test_a_quick_look_is_as_the_long_one_without_the_rivals(result):
    quick = evaluate(rivals=False)
    methods = list(quick.comparison.losses)
    assert methods == [
        "baseline",
        "without knowledge",
        "order",
        "augmented",
        "graph model",
    ]
    pd.testing.assert_frame_equal(
        quick.comparison.losses, result.comparison.losses[methods], check_names=False
    )
    assert quick.settings["plain learners"] == "not tried"
    assert "rivals=False, random_state=0" in quick.source


def test_a_limit_of_time_is_told_and_the_steps_still_end():
    seen = []
    quick = evaluate(minutes=1e-9, callback=lambda done, total: seen.append((done, total)))
    assert quick.to_dict()["left_out"][0] == "tuned ridge"
    assert seen == [*((done, 16) for done in (1, 2, 3, 4)), (15, 16), (16, 16)]
    assert quick.settings["limit of time"] == "1e-09 minutes"
    assert "minutes=1e-09" in quick.source


def test_one_seed_gives_one_evaluation_whatever_the_jobs(result):
    shared = evaluate(n_jobs=2, source="causalaug evaluate rows.csv")
    assert shared.to_dict() == result.to_dict()


def test_the_answer_says_if_the_data_contradict_the_graph():
    options = {"estimator": Ridge(), "n_splits": 2, "rivals": False, "random_state": 0}
    wrong = ca.ADMG(DATA.graph.nodes)
    result = ca.evaluate(DATA.frame, wrong, "Y", task="regression", **options)
    n_violated = len(result.check.violations)
    assert n_violated > 0
    told = f"; but the data contradict {n_violated} of the {len(result.check)} independences"
    assert told in result.findings[0].split(". ")[0]
    assert "task='regression'" in result.source


def test_the_call_is_told_unless_another_source_is():
    call = evaluate(kinds={"X1": "continuous"}).source
    assert "ca.evaluate(frame, graph, 'Y', estimator=Ridge(), kinds={'X1': 'continuous'}" in call
    assert "n_splits=2, repeats=1, random_state=0)" in call


class WithoutRepr:
    """A splitter that says of itself where it is in memory."""

    def split(self, X, y=None, groups=None):
        return KFold(2).split(X)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


def test_equal_objects_at_other_places_in_memory_give_the_same_report():
    def evaluation():
        learner = make_pipeline(FunctionTransformer(lambda X: X), Ridge())
        return evaluate(estimator=learner, cv=WithoutRepr(), rivals=False)

    first, second = evaluation(), evaluation()
    assert first.to_dict() == second.to_dict()
    assert first.to_markdown() == second.to_markdown()
    assert first.to_html() == second.to_html()
    assert "WithoutRepr" in first.to_markdown()


def test_the_versions_of_the_learner_are_told():
    xgboost = pytest.importorskip("xgboost")
    learner = xgboost.XGBRegressor(n_estimators=2, n_jobs=1)
    assert evaluate(estimator=learner).versions["xgboost"] == xgboost.__version__


def test_classes_and_other_frames_do():
    data = ca.datasets.make_sem(60, "star", n_variables=4, dtypes={"Y": "category"}, random_state=0)
    frame = pl.from_pandas(data.frame.astype({"Y": str}))
    found = ca.evaluate(
        frame, data.graph, "Y", estimator=LogisticRegression(), n_splits=2, random_state=0
    )
    shown = {each.axis.column: each.axis for each in found.augmentation.marginals}
    assert shown["Y"].kind == "nominal"
    assert set(shown["Y"].labels) == set(frame["Y"])
    assert found.comparison.loss_name == "log-loss"


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_cells_and_targets_may_be_missing(convert):
    holes = np.random.default_rng(0).random(DATA.frame.shape) < 0.15
    frame = DATA.frame.mask(holes)
    holed = replace(DATA, frame=convert(frame))
    result = evaluate(holed, estimator=make_pipeline(Ridge()), rivals=False)
    assert result.check.factor_rows == ca.check_graph(frame, DATA.graph).factor_rows
    assert result.check.has_holes
    n_labels = int(frame[DATA.target].notna().sum())
    assert len(result.comparison.losses) == n_labels
    assert f"Rows without a target: {len(frame) - n_labels}." in result.verdict
    assert result.to_dict()["check"]["rows"] == len(frame)
    page = result.to_html()
    assert "nan" not in page.lower().replace("nanum", "")
    assert "Rows of each factor" in page


def test_the_report_is_written_in_full_or_not_at_all(result, tmp_path):
    path = tmp_path / "report.html"
    text = result.to_html(path)
    assert path.read_text(encoding="utf-8") == text == result.to_html()
    with pytest.raises(OutputError, match="folder of an output must exist"):
        result.to_html(tmp_path / "none" / "report.html")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_bad_input_is_refused_before_any_work():
    with pytest.raises(ValueError, match="`target` must be one of .* Found 'Z'"):
        ca.evaluate(DATA.frame, DATA.graph, "Z", callback=pytest.fail)
