"""Independent draws, whichever way they are made."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from block_cases import CONDITIONAL, GRAPH, MIXED
from causalaug.exceptions import ParameterError
from causalaug.model import BlockJob
from regressors import HalfSum

MOVED_GRAPH = ca.read_graph("x -> y -> z; x -> z")
MOVED = ca.ResidualConditional(HalfSum(), temperature=0.7)
EVERYTHING = ca.PrunedExpansion(0.0)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(7, 3)), columns=list("xyz"))


def test_the_draws_of_blocks_add_up_to_the_draws_asked_for():
    job = BlockJob(ca.fit_model(MIXED, GRAPH, CONDITIONAL), ca.SampledExpansion(20), 3, seed=0)
    parts = [job.grow(block) for block in range(3)]
    assert [len(part) for part in parts] == [6, 7, 7]
    assert np.ptp(np.concatenate([part.log_weights for part in parts])) == 0.0
    assert not np.array_equal(parts[1].rows, parts[2].rows)


def test_draws_keep_to_their_pillow_where_paths_ended_and_the_next_value_moves():
    frame = pd.DataFrame(
        {"x": [0.0, 0.0, 5.0], "y": [0.0, 5.0, 5.0], "d": [0, 1, 2], "e": [10.0, 20.0, 30.0]}
    )
    graph = ca.read_graph("{x, y} -> d; {x, y} -> e")
    kernel = ca.KernelConditional(kernel="epanechnikov", bandwidth=1.0)
    conditional = ca.ResidualConditional(kernel=kernel)
    expected = ca.augment(frame, graph, conditional, ca.PrunedExpansion(0.0, merge_equal=False))
    assert expected.mass == pytest.approx(8 / 9)
    found = ca.augment(frame, graph, conditional, ca.SampledExpansion(9000), random_state=0)
    assert found.mass == pytest.approx(8 / 9, abs=0.02)
    assert set(map(tuple, found.rows)) == set(map(tuple, expected.rows))


def test_draws_come_near_to_the_tree(frame):
    exact = ca.augment(frame, MOVED_GRAPH, MOVED, EVERYTHING)
    drawn = ca.augment(frame, MOVED_GRAPH, MOVED, ca.SampledExpansion(40_000), random_state=0)
    for column in "xyz":
        for power in (1, 2):
            expected = np.average(exact.frame[column] ** power, weights=exact.weights)
            found = np.average(drawn.frame[column] ** power, weights=drawn.weights)
            assert found == pytest.approx(expected, abs=0.03)


def test_a_level_that_several_moved_variables_share(frame):
    graph = ca.read_graph("x -> y; x -> z")
    fitted = MOVED.fit(ca.Table.from_frame(frame), ca.factorize(graph))
    assert fitted[1].weigher is fitted[2].weigher
    exact = ca.augment(frame, graph, MOVED, EVERYTHING)
    drawn = ca.augment(frame, graph, MOVED, ca.SampledExpansion(40_000), random_state=0)
    for one, other in [("y", "z"), ("x", "z")]:
        expected = np.average(exact.frame[one] * exact.frame[other], weights=exact.weights)
        assert np.mean(drawn.frame[one] * drawn.frame[other]) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("rows", [0, 2.5, True])
@pytest.mark.parametrize("kind", [ca.SampledExpansion, ca.BudgetExpansion])
def test_a_number_of_rows_that_is_none_is_refused(kind, rows):
    with pytest.raises(ParameterError, match="`rows` must be an integer"):
        kind(rows)
