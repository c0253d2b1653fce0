"""A model is fitted once: its jobs, its blocks, its journey through pickle."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from block_cases import CONDITIONAL, GRAPH, MIXED
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
