"""What left-out rows want beside a graph is told where users look."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.diagnostics import Trust, trust_in_words

LACKING = "load -> wear -> heat -> noise"
FULL = "load -> wear; load -> heat; wear -> heat -> noise"


def machine(n_rows=80):
    """Return rows in which heat depends on wear and on load."""
    rng = np.random.default_rng(0)
    load = rng.normal(size=n_rows)
    wear = load + 0.7 * rng.normal(size=n_rows)
    heat = np.sin(wear) + load + 0.4 * rng.normal(size=n_rows)
    noise = heat + 0.5 * rng.normal(size=n_rows)
    return pd.DataFrame({"load": load, "wear": wear, "heat": heat, "noise": noise})


@pytest.fixture(scope="module")
def check():
    return ca.check_graph(machine(), LACKING, random_state=0)


def test_the_trust_is_that_of_a_model_with_every_default(check):
    model = ca.fit_model(machine(), LACKING, "auto", trust="auto")
    pd.testing.assert_frame_equal(check.trust, model.trust)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(check)).trust, model.trust)


def test_nothing_is_fitted_before_it_is_looked_at(monkeypatch):
    calls = []
    monkeypatch.setattr("causalaug.diagnostics._result.fit_table", lambda *args: calls.append(args))
    found = ca.check_graph(machine(), LACKING, random_state=0)
    assert repr(found).startswith("GraphCheck(3 independences")
    assert found.verdict == "violated"
    assert found.finding
    assert not calls


def test_a_wish_is_told_in_plain_words(check):
    row = check.trust.set_index("variable").loc["heat"]
    assert check.wishes == (
        "heat given wear: the data also want load, as if load -> heat were missing. Left-out rows "
        f"are likelier by {row['gain']:.1f} (a logarithm, over all rows) with it; the graph's own "
        f"factor keeps a weight of {row['trust']:.2f}.",
    )
    assert row["gain"] > 10.0
    assert check.summary().splitlines()[1] == check.wishes[0]
    assert "the data also want load, as if load -&gt; heat were missing" in check.to_markdown()
    assert "the data also want load, as if load -&gt; heat were missing" in check.to_html()


def test_several_wishes_come_the_clearest_first():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 100))
    frame = pd.DataFrame({"a": a, "b": b})
    frame["c, d"] = a + b + 0.5 * rng.normal(size=100)
    frame["e"] = frame["c, d"] + 1.5 * rng.normal(size=100)
    found = ca.check_graph(frame, ca.ADMG(frame.columns), random_state=0)
    first, second = found.wishes
    assert first.startswith(
        "c, d, without causes: the data also want a and b, as if a -> c, d and b -> c, d were"
    ) or first.startswith(
        "c, d, without causes: the data also want b and a, as if b -> c, d and a -> c, d were"
    )
    assert "with them;" in first
    assert second.startswith("e, without causes: the data also want c, d, as if c, d -> e were")


def test_a_graph_beside_which_nothing_is_wanted():
    found = ca.check_graph(machine(), FULL, random_state=0)
    assert found.wishes == ()
    assert (found.trust["trust"] == 1.0).all()


def test_a_graph_that_claims_nothing_has_nothing_to_be_doubted():
    found = ca.check_graph(machine(), "load, wear < heat < noise", random_state=0)
    assert found.wishes == ()
    assert (found.trust["trust"] == 1.0).all()


def test_beliefs_of_the_user_are_no_evidence(check):
    believed = ca.check_graph(machine(), LACKING.replace("noise", "noise [0.5]").replace(
        "-> heat -> noise [0.5]", "-> heat; heat -> noise [0.5]"
    ), random_state=0)  # fmt: skip
    pd.testing.assert_frame_equal(believed.trust, check.trust)


def test_a_check_answers_where_nothing_can_be_fitted():
    frame = machine(12)
    frame.loc[:5, "heat"] = np.nan
    frame.loc[6:, "wear"] = np.nan
    found = ca.check_graph(frame, LACKING, random_state=0)
    assert len(found.trust) == 0
    assert found.wishes[0].startswith("What the data want beside the graph cannot be told: ")
    assert found.wishes[0] in found.summary()


def test_a_check_that_was_made_by_hand_has_no_trust(check):
    bare = ca.GraphCheck(check.frame, mb_shielded=True, alpha=0.05)
    assert len(bare.trust) == 0
    assert bare.wishes == ()
    assert list(bare.trust.columns) == list(check.trust.columns)


def test_trust_follows_the_order():
    frame, order = machine(40), ("noise", "load")
    found = ca.check_graph(frame[list(order)], ca.ADMG(["load", "noise"]), order=order)
    assert found.trust["variable"].tolist() == list(order)
    assert isinstance(found.trust_source, Trust)


def test_trust_is_json(check):
    assert json.loads(json.dumps(check.trust.to_dict(orient="records")))


@pytest.fixture(scope="module")
def compared():
    options = {"n_splits": 2, "rivals": False, "random_state": 0}
    trust = {"heat -> noise": 0.5}
    return ca.compare(machine(60), LACKING, "noise", Ridge(), trust=trust, **options)


def test_a_comparison_says_what_the_data_want_of_all_rows(compared):
    model = ca.fit_model(machine(60), LACKING, "auto", trust="auto")
    pd.testing.assert_frame_equal(compared.trust, model.trust)
    (wish,) = trust_in_words(model)
    assert compared.to_markdown().endswith(wish.replace(">", "&gt;"))
    assert wish.replace(">", "&gt;").split("'")[0] in compared.to_html()


def test_a_comparison_goes_by_the_trust(compared):
    options = {"n_splits": 2, "rivals": False, "random_state": 0}
    full = ca.compare(machine(60), LACKING, "noise", Ridge(), trust="full", **options)
    assert not np.allclose(full.losses["graph model"], compared.losses["graph model"])
    # What knows no independence cannot be believed more or less.
    assert np.allclose(full.losses["without knowledge"], compared.losses["without knowledge"])
    assert np.allclose(full.losses["order"], compared.losses["order"])


def test_a_comparison_that_was_made_by_hand_has_no_trust(compared):
    assert replace(compared, trust_source=None).trust is None
