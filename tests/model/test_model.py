"""A model is fitted once: its jobs, its blocks, its journey through pickle."""

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import causalaug as ca
from block_cases import CONDITIONAL, GRAPH, MIXED
from causalaug.kernels import BANDWIDTH_RULES, silverman
from causalaug.model import BlockJob, count_blocks


@pytest.mark.parametrize(
    "expansion", [ca.BudgetExpansion(60), ca.SampledExpansion(500), ca.PrunedExpansion(1e-3)]
)
def test_threads_give_what_one_after_the_other_gives(expansion):
    options = {"expansion": expansion, "random_state": 3, "block_rows": 15}
    serial = ca.augment(MIXED, GRAPH, CONDITIONAL, **options)
    threads = ca.augment(MIXED, GRAPH, CONDITIONAL, **options, engine="threads")
    assert len(serial) > 50
    np.testing.assert_array_equal(serial.rows, threads.rows)
    np.testing.assert_array_equal(serial.weights, threads.weights)
    pd.testing.assert_frame_equal(serial.frame, threads.frame)


def test_a_job_of_one_block_is_the_expansion_itself():
    expansion = ca.BudgetExpansion(30)
    model = ca.fit_model(MIXED, GRAPH, CONDITIONAL)
    expected = expansion.expand(model, np.random.default_rng(7))
    found = ca.augment(MIXED, GRAPH, CONDITIONAL, expansion, random_state=7, engine="threads")
    job = BlockJob(model, expansion, n_blocks=1, seed=7)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(job.grow(0).rows, expected.rows)


def test_seeds_matter_and_generators_give_other_rows_each_time():
    job = MIXED, GRAPH, CONDITIONAL, ca.BudgetExpansion(30)
    rng = np.random.default_rng(0)
    draws = [ca.augment(*job, random_state=rng, block_rows=10) for _ in range(2)]
    draws += [ca.augment(*job, random_state=seed, block_rows=10) for seed in (0, 1)]
    assert len({draw.weights.tobytes() + draw.rows.tobytes() for draw in draws}) == 4


def test_a_pruned_tree_has_no_more_blocks_than_rows_to_begin_with():
    assert count_blocks(ca.PrunedExpansion(1e-9), 3, block_rows=1) == 3
    assert count_blocks(ca.PrunedExpansion(0.1), 1000, block_rows=4000) == 3


def test_what_cannot_be_cut_is_one_block():
    assert count_blocks(ca.BeamExpansion(50), 5, block_rows=1) == 1
    cut = ca.augment(MIXED, GRAPH, CONDITIONAL, ca.BeamExpansion(50), block_rows=10)
    whole = ca.augment(MIXED, GRAPH, CONDITIONAL, ca.BeamExpansion(50))
    np.testing.assert_array_equal(cut.rows, whole.rows)


@pytest.mark.parametrize("block_rows", [0, 2.5, True])
def test_a_size_of_blocks_that_is_no_number_of_rows_is_refused(block_rows):
    with pytest.raises(ca.exceptions.ParameterError, match="`block_rows` must be an integer"):
        ca.augment(MIXED, GRAPH, block_rows=block_rows)


# A model travels.

CONDITIONALS = {
    "kernel": ca.KernelConditional(),
    "kernel, narrow": CONDITIONAL,
    "residual": ca.ResidualConditional(),
    "residual, everywhere": ca.ResidualConditional(temperature=float("inf")),
    "residual, a user's regressor": ca.ResidualConditional(Ridge()),
}
EXPANSIONS = [
    ca.PrunedExpansion(1e-2),
    ca.BudgetExpansion(20),
    ca.SampledExpansion(20),
    ca.BeamExpansion(20),
]


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 6.0)], ids=["alike", "weighted"])
@pytest.mark.parametrize("name", CONDITIONALS)
def test_a_model_that_was_pickled_gives_the_same_rows(name, weights):
    model = ca.fit_model(MIXED, GRAPH, CONDITIONALS[name], sample_weight=weights)
    used = [model.expand(each, 3) for each in EXPANSIONS]
    travelled = pickle.loads(pickle.dumps(model))
    assert travelled.order == model.order
    for expansion, expected in zip(EXPANSIONS, used, strict=True):
        found = travelled.expand(expansion, 3)
        pd.testing.assert_frame_equal(found.frame, expected.frame)
        np.testing.assert_array_equal(found.weights, expected.weights)
        np.testing.assert_array_equal(found.rows, expected.rows)


def test_a_model_does_not_carry_what_it_can_compute_again():
    values = np.random.default_rng(0).normal(size=(300, 3))
    model = ca.fit_model(values, "a -> b -> c; a -> c")
    fresh = len(pickle.dumps(model))
    model.expand(ca.BudgetExpansion(3000), 0)
    assert len(pickle.dumps(model)) < 1.05 * fresh


def test_a_job_that_was_pickled_grows_the_same_blocks():
    job = BlockJob(ca.fit_model(MIXED, GRAPH, CONDITIONAL), ca.BudgetExpansion(30), 3, seed=5)
    expected = [job.grow(block) for block in range(3)]
    state = pickle.dumps(job)
    assert "_blocks" not in vars(pickle.loads(state))
    found = [pickle.loads(state).grow(block) for block in range(3)]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.log_weights, other.log_weights)


# A model is fitted once.


def test_one_fit_serves_all_expansions():
    model = ca.fit_model(MIXED, GRAPH, CONDITIONAL)
    for expansion in EXPANSIONS:
        found = model.expand(expansion, 0)
        expected = ca.augment(MIXED, GRAPH, CONDITIONAL, expansion, random_state=0)
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(found.weights, expected.weights)


def test_a_gated_fit_computes_each_bandwidth_once_per_column_and_set_of_rows(monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = pd.Series(X.sum(axis=1) + rng.normal(size=60), name="y")
    asked = Counter()

    def counted(values):
        asked[np.asarray(values).tobytes()] += 1
        return silverman(values)

    monkeypatch.setitem(BANDWIDTH_RULES, "silverman", counted)
    gate = ca.Gate(shares=(0.0, 0.25, 0.5), n_splits=4)
    learner = ca.AugmentedRegressor(
        Ridge(), graph="{a, b} -> c -> y; a -> y", augmented_share=gate, random_state=0
    )
    assert learner.fit(X, y).gate_ is not None
    assert set(asked.values()) == {1}
    # Of the four columns, three are in a pillow.
    assert len(asked) == 3 * (4 + 1)
