import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.discovery import PAG, augment_average, enumerate_admgs
from causalaug.exceptions import CausalAugError
from graph_strategies import admgs

CHAIN = PAG(["A", "B", "C"], [("A", "o-o", "B"), ("B", "o-o", "C")])
ALL = ca.PrunedExpansion(0.0)


@pytest.fixture
def frame():
    values = np.random.default_rng(0).normal(size=(6, 3))
    return pd.DataFrame(values, columns=["A", "B", "C"])


def by_row(augmented):
    merged = augmented.merged()
    keys = map(tuple, np.asarray(merged.frame))
    return pd.Series(merged.weights, index=pd.MultiIndex.from_tuples(keys)).sort_index()


def test_the_average_is_the_mean_of_the_weights(frame):
    graphs = list(enumerate_admgs(CHAIN))
    average = by_row(augment_average(frame, graphs, expansion=ALL))
    each = [by_row(ca.augment(frame, graph, expansion=ALL)) for graph in graphs]
    expected = pd.concat(each).groupby(level=[0, 1, 2]).sum() / len(graphs)
    np.testing.assert_allclose(average, expected.loc[average.index], rtol=1e-12)
    assert len(average) == len(expected)


@settings(max_examples=30)
@given(st.lists(admgs(min_nodes=3, max_nodes=3), min_size=1, max_size=4))
def test_mass_is_kept_and_loss_is_averaged(graphs):
    values = np.random.default_rng(1).normal(size=(5, 3))
    half = ca.PrunedExpansion(0.2)
    average = augment_average(values, graphs, expansion=half)
    each = [ca.augment(values, graph, expansion=half) for graph in graphs]
    np.testing.assert_allclose(average.mass, np.mean([one.mass for one in each]))
    np.testing.assert_allclose(average.mass + average.dropped_mass, 1.0)
    assert len(average) == sum(map(len, each))
    np.testing.assert_allclose(average.novel_mass, np.mean([one.novel_mass for one in each]))


def test_one_graph_is_what_augment_makes_of_it(frame):
    graph = next(enumerate_admgs(CHAIN))
    one = augment_average(frame, [graph], expansion=ALL)
    pd.testing.assert_frame_equal(one.frame, ca.augment(frame, graph, expansion=ALL).frame)
    assert one.order == ()


def test_columns_that_only_some_graphs_shift_are_joined(frame):
    graphs = [ca.ADMG(["A", "B", "C"], [("A", "B")]), ca.ADMG(["A", "B", "C"], [("B", "A")])]
    shift = ca.ResidualConditional()
    average = augment_average(frame, graphs, shift, ALL)
    each = [ca.augment(frame, graph, shift, ALL) for graph in graphs]
    assert set(each[0].paths.shifted) != set(each[1].paths.shifted)
    expected = pd.concat([one.frame for one in each], ignore_index=True)
    pd.testing.assert_frame_equal(average.frame, expected)


def test_one_seed_gives_one_result(frame):
    def made(seed):
        few = ca.BudgetExpansion(rows=8)
        return augment_average(frame, enumerate_admgs(CHAIN), expansion=few, random_state=seed)

    np.testing.assert_array_equal(made(0).rows, made(0).rows)
    assert not np.array_equal(made(0).rows, made(1).rows)


def test_rows_that_count_more_do_so_in_every_graph(frame):
    weights = np.array([5.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    graphs = [ca.ADMG(["A", "B", "C"])] * 2
    average = augment_average(frame, graphs, expansion=ALL, sample_weight=weights)
    first = average.weights[average.frame["A"].to_numpy() == frame["A"][0]].sum()
    np.testing.assert_allclose(first, 0.5)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (
            ca.ADMG(["A"]),
            "^`graphs` must be several ADMGs. Found ADMG. For one graph use `augment`",
        ),
        (CHAIN, "^`graphs` must be several ADMGs. Found PAG."),
        ([], "^`graphs` must hold at least one ADMG. Found none."),
        ([CHAIN], "A graph must be text.* of type PAG"),
        ([ca.ADMG(["A", "B"]), ca.ADMG(["B", "A"])], "^`graphs` must all have the same nodes"),
    ],
)
def test_what_is_no_list_of_graphs_is_refused(frame, graphs, message):
    with pytest.raises(CausalAugError, match=message):
        augment_average(frame, graphs)


def test_rows_with_holes_are_completed_when_they_are_mixed(frame):
    holed = frame.assign(B=frame["B"].where(frame.index > 1))
    mixed, weights = augment_average(holed, enumerate_admgs(CHAIN), random_state=0).mixed(0.5)
    assert not mixed.isna().any(axis=None)
    assert weights.sum() == pytest.approx(6.0)
    pd.testing.assert_series_equal(mixed["B"][2:6], frame["B"][2:])
