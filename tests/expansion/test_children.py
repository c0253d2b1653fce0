"""Children are listed where they are heavy, and drawn by their running sum where light."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug._ragged import Dense, Ragged
from causalaug.expansion import _children
from causalaug.expansion._children import LevelChildren, draw_entries, draw_rows
from causalaug.expansion._frontier import Frontier, describe_tree
from causalaug.kernels import ColumnKernel, ProductKernel, _product
from strategies import problems

kernels = st.lists(st.sampled_from([0.0, 1e-200, 1e-3, 0.5, 1.0]), min_size=1, max_size=90)
shares = st.lists(
    st.floats(0.0, 1.0, exclude_max=True) | st.just(np.nextafter(1.0, 0.0)), min_size=1, max_size=5
)


def slow_entry(kernel, share):
    """Return the first entry at which the running sum passes a share of the total."""
    target = share * np.cumsum(kernel)[-1]
    running = 0.0
    for entry, weight in enumerate(kernel):
        running += weight
        if running > target:
            return entry
    return max(entry for entry, weight in enumerate(kernel) if weight > 0.0)


def is_right(kernel, share, found):
    """Return whether an entry is the one at the share, but for rounding of the running sum."""
    low, high = sorted([found, slow_entry(kernel, share)])
    between = [sum(kernel[: low + 1]) - share * sum(kernel), sum(kernel[low + 1 : high])]
    return low == high or np.abs(between).max() <= 1e-9 * sum(kernel)


@given(kernels.filter(any), shares)
def test_dense_entries_are_drawn_by_their_running_sum(kernel, share):
    matrix = np.array([kernel[::-1], kernel])
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(Dense.normalised(matrix), owner, np.array(share)) - len(kernel)
    assert (np.array(kernel)[found] > 0.0).all()
    for entry, each in zip(found, share, strict=True):
        assert is_right(kernel, each, entry)


@given(kernels.map(lambda kernel: [w for w in kernel if w > 1e-100]).filter(any), shares)
def test_listed_entries_are_drawn_by_their_running_sum(kernel, share):
    log_kernel = np.log([1.0, 1.0, *kernel])
    offsets = np.array([0, 2, len(log_kernel)])
    weights = Ragged.normalised(offsets, np.arange(len(log_kernel)), log_kernel)
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(weights, owner, np.array(share)) - 2
    for entry, each in zip(found, share, strict=True):
        assert is_right(kernel, each, entry)


@pytest.mark.parametrize("n_zeros", [0, 1, 40])
def test_rounding_never_leads_past_the_last_entry_of_some_weight(n_zeros):
    kernel = np.concatenate([np.full(3, 0.1), np.zeros(n_zeros)])
    place = np.full(1, np.nextafter(1.0, 0.0))
    found = draw_entries(Dense.normalised(kernel[np.newaxis]), np.zeros(1, dtype=int), place)
    assert found.tolist() == [2]


# Rows drawn by their weights, proposed or weighed.


@pytest.mark.parametrize("at_once", [4000, 1 << 17])
@pytest.mark.parametrize("n_rows", [40, 600])
def test_rows_are_drawn_by_their_weights_whether_proposed_or_not(n_rows, at_once, monkeypatch):
    values = np.sort(np.random.default_rng(0).normal(size=n_rows))[:, np.newaxis]
    kernel = ProductKernel(values, [ColumnKernel("gaussian", 0.4)])
    query = np.array([[0.0], [6.0]])
    owner = np.repeat([0, 1], 15_000)
    monkeypatch.setattr(_children, "MOST_DRAWS", at_once)
    first, second = draw_rows(kernel, query, owner, 2, np.random.default_rng(1))
    for number in (0, 1):
        share = np.exp(kernel.log_weights(query[[number]])[0])
        for rows in (first, second):
            drawn = rows[owner == number]
            mean, sd = share @ values[:, 0], np.sqrt(share @ values[:, 0] ** 2)
            assert (share[drawn] > 1e-300).all()
            assert abs(values[drawn, 0].mean() - mean) < 5.0 * sd / np.sqrt(15_000)
    assert np.mean(first == second) < 0.9


@pytest.mark.parametrize("at_once", [1, 3, 7])
@pytest.mark.parametrize("batch", [2, 1 << 14])
def test_drawn_a_part_at_a_time_every_entry_gets_a_row_of_its_own_query(
    at_once, batch, monkeypatch
):
    monkeypatch.setattr(_children, "MOST_DRAWS", at_once)
    monkeypatch.setattr(_product, "BATCH_QUERIES", batch)
    values = np.arange(30.0)[:, np.newaxis]
    kernel = ProductKernel(values, [ColumnKernel("gaussian", 1e-3)])
    owner = np.random.default_rng(0).integers(0, 12, 40)
    query = values[::-2][:12]
    rows = draw_rows(kernel, query, owner, 2, np.random.default_rng(1))
    np.testing.assert_array_equal(values[rows, 0], np.tile(query[owner, 0], (2, 1)))


def test_a_query_on_which_the_kernel_vanishes_draws_nothing():
    kernel = ProductKernel(np.array([[1.0], [2.0]]), [ColumnKernel("identity")])
    query = np.array([[1.0], [3.0]])
    rows = draw_rows(kernel, query, np.array([0, 1, 0]), 1, np.random.default_rng(0))
    assert rows.tolist() == [[0, -1, 0]]


# The children of a level.


def frontiers(problem):
    """Yield the frontier before each level of the full tree, and the level."""
    tree = describe_tree(problem.fit(), merge_equal=False)
    frontier = Frontier(tree)
    for level in tree.levels:
        yield frontier, level
        frontier.grow(level, LevelChildren(frontier, level).all())


def slow_children(frontier, level):
    """Return {(path, choice): weight}, one path at a time, by the reference text."""
    found = {}
    for path in range(len(frontier)):
        query = frontier.tree.pillow_values(level, frontier.codes, np.array([path]))
        weights = np.exp(frontier.log_weights[path] + level.weigher.log_weights(query)[0])
        found |= {(path, row): weight for row, weight in enumerate(weights) if weight > 0.0}
    return found


def as_dict(children):
    keys = zip(children.owner.tolist(), children.index.tolist(), strict=True)
    return dict(zip(keys, np.exp(children.log_weight), strict=True))


@given(problems(max_rows=4, max_nodes=3, kernels=("gaussian", "identity", "tricube")))
@settings(max_examples=40)
def test_all_children_are_those_of_each_path(problem):
    for frontier, level in frontiers(problem):
        children = LevelChildren(frontier, level)
        expected = slow_children(frontier, level)
        found = as_dict(children.all())
        assert {k: w for k, w in found.items() if w > 1e-300} == pytest.approx(
            {k: w for k, w in expected.items() if w > 1e-300}, rel=1e-9
        )
        going_on = {path for path, _ in expected}
        assert children.n_dead == len(frontier) - len(going_on)
        assert children.mass == pytest.approx(np.exp(frontier.log_weights[[*going_on]]).sum())


@pytest.mark.parametrize("at_a_time", [1, 3, 1 << 62])
@pytest.mark.parametrize("most_paths", [1, 1 << 16])
@given(problem=problems(max_rows=4, max_nodes=3), least=st.sampled_from([1e-6, 0.02, 0.1]))
@settings(max_examples=40)
def test_heavy_children_are_listed_whatever_is_listed_at_a_time(
    at_a_time, most_paths, problem, least
):
    for frontier, level in frontiers(problem):
        children = LevelChildren(frontier, level)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_children, "MOST_PATHS", most_paths)
            heavy = children.gather(children.listed(lambda: least, at_a_time))
        expected = slow_children(frontier, level)
        near = {key for key, weight in expected.items() if abs(weight - least) < 1e-9}
        found = {key: weight for key, weight in as_dict(heavy).items() if key not in near}
        wanted = {k: w for k, w in expected.items() if w >= least and k not in near}
        assert found == pytest.approx(wanted, rel=1e-9)
        mass = np.zeros(len(frontier))
        for (path, _), weight in expected.items():
            mass[path] += weight
        for (path, _), weight in as_dict(heavy).items():
            mass[path] -= weight
        np.testing.assert_allclose(children.remainders(heavy), mass, rtol=1e-6, atol=1e-12)


def test_children_that_turn_out_too_light_are_not_sorted(monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2)), columns=["x", "y"])
    tree = describe_tree(ca.fit_model(frame, "x -> y"), merge_equal=False)
    frontier = Frontier(tree)
    frontier.grow(tree.levels[0], LevelChildren(frontier, tree.levels[0]).all())
    children, n_sorted, plain = LevelChildren(frontier, tree.levels[1]), [], Ragged.heaviest_first

    def noted(self):
        n_sorted.append(self.n_entries)
        return plain(self)

    monkeypatch.setattr(Ragged, "heaviest_first", noted)
    # Nothing is known of the weight that is wanted before the first are listed.
    wanted = iter([0.0, 0.0])
    listed = list(children.listed(lambda: next(wanted, 1e-3), 2 * 80))
    assert sum(n_sorted) < 80 * 80 / 5
    heavy = children.gather(listed[1:])
    first = set(listed[0][0].tolist())
    expected = {
        key: weight
        for key, weight in slow_children(frontier, tree.levels[1]).items()
        if weight >= 1e-3 and key[0] not in first
    }
    assert as_dict(heavy) == pytest.approx(expected, rel=1e-9)


def test_light_children_are_drawn_by_their_weight_past_the_heavy_ones():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(12, 2)), columns=["x", "y"])
    model = ca.fit_model(frame, "x -> y", ca.KernelConditional(bandwidth=1.0))
    tree = describe_tree(model, merge_equal=False)
    frontier = Frontier(tree)
    frontier.grow(tree.levels[0], LevelChildren(frontier, tree.levels[0]).all())
    children = LevelChildren(frontier, tree.levels[1])
    heavy = children.gather(children.listed(lambda: 0.01))
    left = children.remainders(heavy)
    parent = np.repeat(np.arange(12), 5000)
    offset = np.tile((np.arange(5000) + 0.5) / 5000, 12) * left[parent]
    choice = children.draw(parent, offset, heavy)
    expected = slow_children(frontier, tree.levels[1])
    taken = set(as_dict(heavy))
    assert 0 < len(taken) < len(expected)
    for path in range(12):
        found = np.bincount(choice[parent == path], minlength=12) / 5000
        light = [0.0 if (path, c) in taken else expected[path, c] / left[path] for c in range(12)]
        np.testing.assert_allclose(found, light, atol=1e-3)
