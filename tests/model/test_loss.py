"""Lost mass is said in words."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.exceptions import CausalAugWarning
from causalaug.model import describe_loss, fit_model
from causalaug.report import _evaluate

GRAPH = ca.read_graph("age -> wage <- sex")
LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}
EXACT = ca.KernelConditional(discrete_kernel="identity")


def people(n_rows=30):
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], n_rows)
    age = rng.permutation(np.arange(20, 20 + n_rows))
    return pd.DataFrame({"age": age, "sex": sex, "wage": age + rng.normal(size=n_rows)})


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_exact_matches_that_fail_are_named_with_what_to_paste(convert):
    words = (
        r"^4\d% of the mass was dropped: paths were pruned, or ended where no observed row has the "
        r"same cells\. Columns whose exact match fails most, with the share of pairs of rows that "
        r"differ: 'age' \(100%\), 'sex' \(\d\d%\)\. Measure them instead, "
        r"kinds=\{'age': \"continuous\"\}, or use "
        r"KernelConditional\(discrete_kernel=\"nearest\"\), which allows mismatches\.$"
    )
    with pytest.warns(CausalAugWarning, match=words) as caught:
        ca.augment(convert(people()), GRAPH, EXACT, kinds={"age": "nominal"}, random_state=0)
    assert caught[0].filename == __file__


def test_a_fitted_model_says_the_same_as_augment():
    model = fit_model(people(), GRAPH, EXACT, kinds={"age": "nominal"})
    with pytest.warns(CausalAugWarning, match=r"^4\d% of the mass was dropped") as caught:
        model.expand(random_state=0)
    assert caught[0].filename == __file__


def test_what_is_advised_loses_nothing(recwarn):
    kinds = {"age": "continuous"}
    smooth = ca.KernelConditional(discrete_kernel="nearest")
    assert ca.augment(people(), GRAPH, EXACT, kinds=kinds, random_state=0).dropped_mass == 0.0
    kinds = {"age": "nominal"}
    result = ca.augment(people(), GRAPH, smooth, kinds=kinds, random_state=0)
    assert result.dropped_mass == pytest.approx(0.0, abs=1e-12)
    assert not [each for each in recwarn if each.category is CausalAugWarning]


def test_columns_without_a_scale_need_another_kernel():
    rng = np.random.default_rng(0)
    towns = [f"town {number}" for number in rng.permutation(30)]
    frame = people().assign(town=towns).drop(columns="age")
    graph = ca.read_graph("town -> wage <- sex")
    words = r"differ: 'town' \(100%\), 'sex' \(\d\d%\)\. Use KernelConditional\(discrete_kernel="
    with pytest.warns(CausalAugWarning, match=words):
        ca.augment(frame, graph, EXACT, random_state=0)


def test_pruning_by_itself_names_no_columns():
    words = (
        r"% of the mass was dropped: paths were pruned\. Lower the threshold, keep more rows, or"
    )
    frame = people().drop(columns="sex").astype(float)
    with pytest.warns(CausalAugWarning, match=words):
        ca.augment(frame, ca.read_graph("age -> wage"), expansion=ca.BeamExpansion(5))


def test_a_conditional_of_somebody_else_is_not_asked_for_its_kernels():
    class Own:
        def fit(self, table, factors):
            return EXACT.fit(table, factors)

    with pytest.warns(CausalAugWarning, match="paths were pruned"):
        ca.augment(people(), GRAPH, Own(), kinds={"age": "nominal"}, random_state=0)


def test_a_loss_of_less_than_a_hundredth_is_not_said():
    model = fit_model(people(), GRAPH, kinds={"age": "continuous"})
    assert describe_loss(model, model.expand(random_state=0)) is None


def test_learners_say_it_of_their_new_rows():
    frame = people()
    learner = ca.AugmentedRegressor(
        Ridge(),
        graph="age -> wage",
        conditional=ca.KernelConditional(discrete_kernel="identity"),
        kinds={"age": "nominal"},
        augmented_share=0.5,
        random_state=0,
    )
    learner.set_params(graph=ca.read_graph("age -> wage; age -> height <- sex; wage -> height"))
    rng = np.random.default_rng(1)
    X = frame.assign(height=rng.normal(size=30), sex=frame["sex"] == "f").drop(columns="wage")
    with pytest.warns(CausalAugWarning, match="of the mass was dropped.*'age'") as caught:
        learner.fit(X, frame["wage"])
    assert caught[0].filename == __file__


def test_a_report_shows_it_as_a_warning(monkeypatch):
    monkeypatch.setattr(_evaluate, "default_conditional", lambda: EXACT)
    frame = people(40)
    with pytest.warns(CausalAugWarning, match="of the mass was dropped") as caught:
        found = ca.evaluate(
            frame.assign(sex=frame["sex"] == "f"),
            GRAPH,
            "wage",
            estimator=Ridge(),
            kinds={"age": "nominal"},
            n_splits=2,
            random_state=0,
        )
    said = [str(each.message) for each in caught]
    assert len(said) == 1
    assert found.to_dict()["warnings"] == said
    assert "**Warning:** " in found.to_markdown()
    assert 'class="warning"' in found.to_html()
