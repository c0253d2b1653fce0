import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from causalaug import ADMG, PrunedExpansion, ResidualConditional, augment
from causalaug.exceptions import GraphMismatchError, ParameterError, TreeTooLargeError
from causalaug.plot import plot_probability_tree
from causalaug.plot._style import PALE, VERMILION
from causalaug.plot._tree import grow_nodes, heights
from strategies import by_values, problems

PATIENTS = pd.DataFrame(
    {"sick": ["yes", "yes", "no"], "fever": [39.1, 40.2, 36.8], "cough": [7.0, 9.0, 1.0]}
)
GRAPH = ADMG(["sick", "fever", "cough"], directed=[("sick", "fever"), ("sick", "cough")])


def texts(ax, label):
    return [text.get_text() for text in ax.texts if text.get_label() == label]


def branches_of(problem, threshold, merge_equal):
    return grow_nodes(
        problem.fit(),
        threshold=threshold,
        merge_equal=merge_equal,
        max_branches=10_000,
    )


@given(problems(max_rows=4, max_nodes=4), st.sampled_from([0.0, 0.01, 0.3]), st.booleans())
def test_the_leaves_are_the_rows_of_the_pruned_expansion(problem, threshold, merge_equal):
    branches = branches_of(problem, threshold, merge_equal)
    leaves = {}
    for branch in branches:
        if branch.is_kept and branch.depth == len(problem.factors) - 1:
            values = tuple(branch.values[column] for column in range(problem.table.n_columns))
            leaves[values] = leaves.get(values, 0.0) + branch.weight
    expected = by_values(problem.augment(PrunedExpansion(threshold, merge_equal)))
    # A weight too small for a double is no branch here, and no row there if it is 0.
    expected = {values: weight for values, weight in expected.items() if weight > 1e-300}
    leaves = {values: weight for values, weight in leaves.items() if weight > 1e-300}
    assert leaves == pytest.approx(expected)


@given(problems(max_rows=4, max_nodes=3), st.sampled_from([0.0, 0.3]))
def test_the_weights_of_the_choices_at_a_node_add_up_to_one_or_none(problem, threshold):
    branches = branches_of(problem, threshold, merge_equal=True)
    parents = np.array([branch.parent for branch in branches])
    for parent in np.unique(parents):
        total = sum(branches[i].edge_weight for i in np.flatnonzero(parents == parent))
        assert total == pytest.approx(1.0) or total == 0.0
        assert parent < 0 or branches[parent].is_kept


@given(problems(max_rows=4, max_nodes=3), st.sampled_from([0.0, 0.3]))
def test_ends_are_one_below_another_and_no_two_branches_of_a_level_meet(problem, threshold):
    branches = branches_of(problem, threshold, merge_equal=True)
    height = heights(branches)
    inner = {branch.parent for branch in branches}
    ends = [height[i] for i in range(len(branches)) if i not in inner]
    assert sorted(ends) == list(range(len(ends)))
    places = {(branch.depth, y) for branch, y in zip(branches, height, strict=True)}
    assert len(places) == len(branches)


def test_weights_are_written_new_rows_are_bold_and_pruned_branches_pale():
    ax = plot_probability_tree(PATIENTS, GRAPH)
    assert texts(ax, "leaf") == ["0.333", "0.167", "0.167", "0.167", "0.167"]
    leaves = [text for text in ax.texts if text.get_label() == "leaf"]
    assert [text.get_weight() for text in leaves] == ["normal", "normal", "bold", "bold", "normal"]
    assert to_hex(leaves[2].get_color()) == VERMILION
    assert texts(ax, "edge").count("0.5") == 6
    assert not texts(ax, "pruned edge")
    assert texts(ax, "node")[:2] == ["no", "yes"]
    ax = plot_probability_tree(PATIENTS, GRAPH, threshold=0.6)
    assert texts(ax, "leaf") == ["0.333"]
    assert texts(ax, "pruned edge") == ["0.5"] * 4
    pale = [line for line in ax.lines if line.get_color() == PALE]
    assert len(pale) == len(texts(ax, "pruned node")) == 4


def test_a_higher_threshold_prunes_more():
    mild, harsh = (
        len(texts(plot_probability_tree(PATIENTS, GRAPH, threshold=t), "leaf")) for t in (0.0, 0.6)
    )
    assert (mild, harsh) == (5, 1)


def test_rows_are_branches_unless_equal_values_are_merged():
    ax = plot_probability_tree(PATIENTS, GRAPH, merge_equal=False)
    assert texts(ax, "node")[:3] == ["yes", "yes", "no"]


def test_shifted_values_are_written_as_they_become():
    frame = pd.DataFrame({"load": [0.0, 1.0, 2.5], "wear": [0.1, 0.9, 2.0]})
    graph = ADMG(["load", "wear"], directed=[("load", "wear")])
    conditional = ResidualConditional()
    ax = plot_probability_tree(frame, graph, conditional=conditional, threshold=0)
    made = augment(frame, graph, conditional=conditional, expansion=PrunedExpansion(0))
    written = texts(ax, "node")[3:]
    assert sorted(written) == sorted(f"{value:.3g}" for value in made.frame["wear"])


@pytest.mark.parametrize("convert", [pl.from_pandas, pd.DataFrame.to_numpy])
def test_other_frames_are_drawn_as_well(convert):
    ax = plot_probability_tree(convert(PATIENTS), GRAPH)
    assert texts(ax, "node") == texts(plot_probability_tree(PATIENTS, GRAPH), "node")


def test_a_given_axes_is_used():
    ax = plt.figure().subplots()
    assert plot_probability_tree(PATIENTS, GRAPH, ax=ax) is ax


def test_text_from_the_data_is_no_formula():
    frame = pd.DataFrame({"$a$": ["$x^$", "<b>"], "b": [1.0, 2.0]})
    ax = plot_probability_tree(frame, ADMG(["$a$", "b"], directed=[("$a$", "b")]))
    ax.figure.draw_without_rendering()
    assert texts(ax, "node")[:2] == [r"\$x^\$", "<b>"]


def test_a_tree_that_nobody_could_read_is_refused():
    frame = pd.DataFrame(np.arange(300.0).reshape(100, 3), columns=list("abc"))
    message = "at most max_branches=150 branches to be drawn; that of these 100 rows has more"
    with pytest.raises(TreeTooLargeError, match=message):
        plot_probability_tree(frame, ADMG(list("abc")))


def test_a_graph_of_other_variables_is_refused():
    with pytest.raises(GraphMismatchError, match="must name the same variables"):
        plot_probability_tree(PATIENTS, ADMG(["sick"]))


def test_wrong_parameters_are_refused():
    with pytest.raises(ParameterError, match="`threshold` must be a number of at least 0"):
        plot_probability_tree(PATIENTS, GRAPH, threshold=-1)
