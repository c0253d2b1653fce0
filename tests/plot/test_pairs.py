import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from causalaug import ADMG, BudgetExpansion, PrunedExpansion, augment
from causalaug.datasets import make_machine_wear, make_sem, make_trivariate
from causalaug.exceptions import ParameterError
from causalaug.plot import plot_pairs, plot_weights
from strategies import problems

DATA = make_trivariate(20, random_state=0)
AUGMENTED = augment(DATA.frame, DATA.graph, random_state=0)


def points(ax):
    return np.asarray(ax.collections[0].get_offsets())


def test_every_row_is_a_point_above_and_every_new_row_one_below():
    axes = plot_pairs(DATA.frame, AUGMENTED)
    assert axes.shape == (2, 3)
    for upper, lower in axes.T:
        assert len(points(upper)) == 20
        assert len(points(lower)) == len(AUGMENTED)
        assert upper.get_xlim() == lower.get_xlim()
        assert upper.get_ylim() == lower.get_ylim()


def test_heavier_rows_are_larger_and_darker_and_lie_on_top():
    data = make_sem(15, "chain", n_variables=3, random_state=0)
    uneven = augment(data.frame, data.graph, expansion=PrunedExpansion(0.01))
    axes = plot_pairs(data.frame, uneven, columns=["X1", "Y"])
    drawn = axes[1, 0].collections[0]
    order = np.argsort(uneven.weights, kind="stable")
    rises = np.diff(uneven.weights[order]) > 1e-6
    assert rises.any()
    assert (np.diff(drawn.get_sizes())[rises] > 0).all()
    assert (np.diff(drawn.get_alpha())[rises] > 0).all()
    made = uneven.frame[["X1", "Y"]].to_numpy()
    np.testing.assert_array_equal(points(axes[1, 0]), made[order])


def test_discrete_columns_have_named_places_and_points_near_them():
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["small", "large", "small"], ["small", "large"], ordered=True),
            "price": [1.0, 2.0, 1.5],
        }
    )
    result = augment(frame, ADMG(["size", "price"]))
    axes = plot_pairs(frame, result)
    upper = axes[0, 0]
    assert [text.get_text() for text in upper.get_xticklabels()] == ["small", "large"]
    assert np.round(points(upper)[:, 0]).tolist() == [0.0, 1.0, 0.0]
    assert points(upper)[:, 1].tolist() == [1.0, 2.0, 1.5]


def test_mixed_data_of_many_kinds_are_drawn():
    data = make_sem(40, mechanism="mixed", n_variables=5, random_state=0)
    frame = data.frame.assign(**{"$odd$": [f"${i}$" for i in range(40)]})
    graph = ADMG([*data.graph.nodes, "$odd$"], data.graph.directed, data.graph.bidirected)
    axes = plot_pairs(frame, augment(frame, graph, random_state=0), columns=list(frame)[-3:])
    axes[0, 0].figure.draw_without_rendering()
    assert axes.shape == (2, 3)


def test_rows_that_lack_a_cell_of_a_pair_are_not_drawn():
    frame = make_machine_wear(40, random_state=0).frame[["alloy", "load", "wear"]]
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.3)
    holed = augment(frame, "{alloy, load} -> wear", random_state=0)
    axes = plot_pairs(frame, holed, columns=["alloy", "load", "wear"])
    pairs = [("alloy", "load"), ("alloy", "wear"), ("load", "wear")]
    for upper, lower, pair in zip(*axes, pairs, strict=True):
        drawn = np.ma.masked_invalid(upper.collections[0].get_offsets())
        assert (~np.ma.getmaskarray(drawn).any(axis=1)).sum() == len(frame[list(pair)].dropna())
        assert np.isfinite([*upper.get_xlim(), *upper.get_ylim()]).all()
        assert "nan" not in [tick.get_text() for tick in lower.get_xticklabels()]


def test_given_axes_are_used_and_must_be_enough():
    axes = plt.figure().subplots(2, 1)
    drawn = plot_pairs(DATA.frame, AUGMENTED, columns=["X1", "X2"], ax=axes)
    assert drawn.ravel().tolist() == axes.tolist()
    with pytest.raises(ParameterError, match="one Axes per panel, here 6. Found 2."):
        plot_pairs(DATA.frame, AUGMENTED, ax=axes)


@pytest.mark.parametrize("columns", [["X1"], [], "X1"])
def test_a_pair_needs_two_columns(columns):
    with pytest.raises(ParameterError, match="`columns` must name at least two columns"):
        plot_pairs(DATA.frame, AUGMENTED, columns=columns)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(ParameterError, match=r"`columns` names columns .* \['X9'\]"):
        plot_pairs(DATA.frame, AUGMENTED, columns=["X1", "X9"])


def test_another_frame_is_refused():
    with pytest.raises(ParameterError, match="must hold the 20 rows that were augmented"):
        plot_pairs(DATA.frame.iloc[::-1], AUGMENTED)


def test_what_is_not_augmented_is_refused():
    with pytest.raises(ParameterError, match="must be an AugmentedTable. Found DataFrame"):
        plot_pairs(DATA.frame, AUGMENTED.frame)


@settings(max_examples=15)
@given(problems(max_rows=5, max_nodes=3))
def test_the_curve_of_weights_is_concave_and_ends_at_the_mass(problem):
    augmented = problem.augment(BudgetExpansion())
    ax = plot_weights(augmented)
    rows, mass = ax.lines[0].get_data()
    assert rows.tolist() == list(range(len(augmented) + 1))
    assert mass[0] == 0.0
    assert mass[-1] == pytest.approx(augmented.mass)
    assert (np.diff(mass, 2) <= 1e-12).all()
    plt.close(ax.figure)


def test_what_the_weights_are_worth_is_written():
    ax = plot_weights(AUGMENTED)
    written = ax.get_legend().get_title().get_text()
    assert f"effective sample size {AUGMENTED.effective_sample_size:,.1f}" in written
    assert f"novel mass {AUGMENTED.novel_mass:.3f}" in written
    assert "100 rows from 20" in written
    assert ax.lines[2].get_xdata()[0] == AUGMENTED.effective_sample_size


def test_an_augmented_table_without_rows_is_refused():
    empty = augment(DATA.frame, DATA.graph, expansion=PrunedExpansion(10.0))
    with pytest.raises(ParameterError, match="`augmented` must have rows. Found none"):
        plot_weights(empty)
