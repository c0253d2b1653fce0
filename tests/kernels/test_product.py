import pickle
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from causalaug._ragged import Dense, Ragged
from causalaug.kernels import (
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    NEGLIGIBLE,
    ORDERED_KERNEL,
    ColumnKernel,
    ProductKernel,
    RowWeigher,
    _neighbours,
    _product,
)
from oracles import exact_log_kernels, exact_log_weights, weights_with_rare_mismatches

ROUTES = {
    "as it comes": {},
    "listed, from windows and the search tree": {
        (_product, "SMALL_TABLE"): 0,
        (_product, "DENSE_PART"): 2.0,
    },
    "listed, few neighbours": {
        (_product, "WIDEST_SQUARE"): -1.0,
        (_neighbours, "N_NEAREST"): (1, 2),
    },
    "listed, relative to pivots": {
        (_product, "WIDEST_SQUARE"): -1.0,
        (_product, "LARGEST_PLAIN_EXPONENT"): -1.0,
    },
    "dense, from tables": {(_product, "LEAST_QUERIES"): 0.0},
    "dense, from the reference text": {(_product, "LEAST_QUERIES"): np.inf},
    "dense, by a matrix product": {(_product, "LARGEST_TABLE"): 0},
    "dense, from tables that are not kept": {
        (_product, "LEAST_QUERIES"): 0.0,
        (_product, "LARGEST_KEPT_TABLE"): 0,
    },
    "dense, if candidates are many": {
        (_product, "SMALL_TABLE"): 0,
        (_product, "DENSE_PART"): -1.0,
    },
    "a few at a time": {
        (_product, "BLOCK_ENTRIES"): 3,
        (_product, "BATCH_QUERIES"): 2,
    },
}
every_route = pytest.mark.parametrize("route", list(ROUTES))
cells = st.integers(-4, 4).map(lambda step: step / 4) | st.integers(-512, 512).map(
    lambda step: step / 512
)


@contextmanager
def forced(route):
    """Choose how weights are found, by the constants that decide it."""
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), value in ROUTES[route].items():
            patch.setattr(module, name, value)
        yield


@st.composite
def kernels(draw, names=(*CONTINUOUS_KERNELS, *DISCRETE_KERNELS, ORDERED_KERNEL)):
    name = draw(st.sampled_from(names))
    if name in ("aitchison_aitken", ORDERED_KERNEL):
        return ColumnKernel(name, draw(st.sampled_from([0.0, 1e-9, 0.05, 0.4])))
    exponent = draw(st.integers(-14, 12) | st.integers(-2, 4)) / 4
    return ColumnKernel(name, draw(st.sampled_from([10.0**exponent, 1.0, 0.0])))


@st.composite
def problems(draw, names=None, max_columns=4):
    """Draw kernels, a reference and queries, of observed values, new ones and mixtures."""
    chosen = draw(st.lists(kernels(names) if names else kernels(), max_size=max_columns))
    n_rows, n_queries = draw(st.integers(1, 10)), draw(st.integers(0, 4))
    columns = [draw(st.lists(cells, min_size=n_rows, max_size=n_rows)) for _ in chosen]
    wanted = [
        draw(st.lists(st.sampled_from(c) | cells, min_size=n_queries, max_size=n_queries))
        for c in columns
    ]
    reference = np.array(columns, dtype=float).reshape(len(chosen), n_rows).T
    return chosen, reference, np.array(wanted, dtype=float).reshape(len(chosen), n_queries).T


def pairs(chosen):
    return [(kernel.name, kernel.bandwidth) for kernel in chosen]


def weighed(kernel, query, log_cut=0.0):
    """Return a matrix of log-weights, -inf where a row is left out."""
    blocks = list(kernel.weigh(query, log_cut))
    found = np.full((sum(block.n_owners for block in blocks), kernel.n_rows), -np.inf)
    done = 0
    for block in blocks:
        entries = np.arange(block.n_entries)
        owner = np.repeat(np.arange(block.n_owners), block.counts)
        found[done + owner, block.index_at(entries)] = block.log_weight_at(entries)
        np.testing.assert_array_equal(
            (found[done : done + block.n_owners] > -np.inf).any(axis=1), block.is_alive
        )
        done += block.n_owners
    return found


@st.composite
def row_weights(draw, n_rows):
    """Draw no row weights, or some that differ by orders of magnitude."""
    weight = st.sampled_from([1e-12, 0.25, 1.0, 3.0, 7.0, 1e6])
    drawn = draw(st.none() | st.lists(weight, min_size=n_rows, max_size=n_rows))
    return None if drawn is None else np.array(drawn)


def assert_as_exact(found, chosen, reference, query, log_cut, counts=None):
    """Compare with 40 digits: each weight that matters to a share of 1e-9.

    Where the exponents of several columns cancel, their last digit is lost to rounding.
    """
    assert len(found) == len(query)
    for point, row in zip(query, found, strict=True):
        exact = exact_log_weights(reference, pairs(chosen), point, counts)
        logs = exact_log_kernels(reference, pairs(chosen), point, counts)
        nearest = max((float(log) for log in logs if log is not None), default=0.0)
        matters = exact >= exact.max() - max(log_cut, np.log(len(reference)) + NEGLIGIBLE)
        matters &= exact > -np.inf
        slack = 1e-9 + 4e-16 * abs(nearest)
        np.testing.assert_allclose(row[matters], exact[matters], rtol=1e-12, atol=slack)
        assert np.exp(row[~matters]).sum() < 1e-14
        assert (row[exact == -np.inf] == -np.inf).all()


@every_route
@pytest.mark.parametrize("log_cut", [0.0, 60.0, np.inf])
@given(problem=problems(), data=st.data())
@settings(max_examples=40)
def test_weights_are_exact_whichever_way_they_are_found(route, log_cut, problem, data):
    chosen, reference, query = problem
    counts = data.draw(row_weights(len(reference)))
    with forced(route):
        found = weighed(ProductKernel(reference, chosen, counts), query, log_cut)
    assert_as_exact(found, chosen, reference, query, log_cut, counts)


@every_route
@pytest.mark.parametrize("log_cut", [0.0, np.inf])
@given(problem=problems(), wide=st.booleans(), data=st.data())
@settings(max_examples=60)
def test_weights_are_those_of_the_reference_text_whichever_way_they_are_found(
    route, log_cut, problem, wide, data
):
    chosen, reference, query = problem
    if wide:
        # Only wide Gaussians, and queries that were observed, go by tables of kernel values.
        chosen = [replace(k, bandwidth=1.0) if k.name == "gaussian" else k for k in chosen]
        chosen = [ColumnKernel("gaussian", 0.8), *chosen]
        reference = np.column_stack([np.linspace(-1.0, 1.0, len(reference)), reference])
        query = reference[np.arange(3 * len(chosen)).reshape(3, -1) % len(reference)]
        query = query[:, np.arange(len(chosen)), np.arange(len(chosen))]
    kernel = ProductKernel(reference, chosen, data.draw(row_weights(len(reference))))
    expected = kernel.log_weights(query)
    heaviest = kernel.log_kernel(query).max(axis=1, initial=-1e300)
    rounding = 1e-9 + np.where(heaviest > -1e200, 2e-15 * np.abs(heaviest), 0.0)
    with forced(route):
        found = weighed(kernel, query, log_cut)
    assert found.shape == expected.shape
    least = expected.max(axis=1, initial=-np.inf) - max(log_cut, NEGLIGIBLE)
    for one, other, floor, slack in zip(found, expected, least, rounding, strict=True):
        matters = (other >= floor) & (other > -np.inf)
        np.testing.assert_allclose(one[matters], other[matters], rtol=1e-12, atol=slack)
        assert np.exp(one[~matters]).sum() < 1e-13
        assert (one[other == -np.inf] == -np.inf).all()


@every_route
@given(problem=problems(max_columns=3))
@settings(max_examples=40)
def test_weights_are_exact_in_groups_of_exact_match(route, problem):
    chosen, reference, query = problem
    chosen = [ColumnKernel("gaussian", 0.01), ColumnKernel("gaussian", 0.05), *chosen]
    extra = np.linspace(-1.0, 1.0, len(reference) or 1)
    reference = np.column_stack([extra, extra[::-1], reference])
    query = np.column_stack([np.resize(extra, (2, len(query))).T, query])
    with forced(route):
        found = weighed(ProductKernel(reference, chosen), query)
    assert_as_exact(found, chosen, reference, query, 0.0)


# The fewest mismatches.


@every_route
@given(problem=problems(["nearest", "gaussian"]))
@settings(max_examples=40)
def test_the_nearest_are_the_equal_ones_wherever_a_row_is_equal(route, problem):
    chosen, reference, query = problem
    assume(all(kernel.bandwidth > 0.0 for kernel in chosen if kernel.name == "gaussian"))
    strict = [ColumnKernel("identity") if k.name == "nearest" else k for k in chosen]
    with forced(route):
        found = weighed(ProductKernel(reference, chosen), query)
        expected = weighed(ProductKernel(reference, strict), query)
    matched = (expected > -np.inf).any(axis=1)
    np.testing.assert_allclose(found[matched], expected[matched], rtol=1e-9, atol=1e-9)
    is_nominal = [kernel.name == "nearest" for kernel in chosen]
    equal = (query[:, np.newaxis, is_nominal] == reference[:, is_nominal]).all(axis=2).any(axis=1)
    np.testing.assert_array_equal(matched, equal)
    assert (found > -np.inf).any(axis=1).all()


@every_route
@given(problem=problems(["nearest", "nearest", "identity", "gaussian", "aitchison_aitken"]))
@settings(max_examples=40)
def test_the_nearest_are_the_limit_of_mismatches_that_cost_ever_more(route, problem):
    chosen, reference, query = problem
    chosen = [ColumnKernel("gaussian", 2.0) if k.name == "gaussian" else k for k in chosen]
    assume(all(k.bandwidth > 1e-3 for k in chosen if k.name == "aitchison_aitken"))
    assume(all(len(set(c)) > 1 for k, c in zip(chosen, reference.T, strict=True) if k.bandwidth))
    with forced(route):
        found = np.exp(weighed(ProductKernel(reference, chosen), query))
    for row, point in zip(found, query, strict=True):
        limit = weights_with_rare_mismatches(reference, pairs(chosen), point, epsilon=1e-9)
        np.testing.assert_allclose(row, limit, rtol=1e-3, atol=1e-3)


def test_a_mismatch_costs_the_same_whatever_the_column():
    reference = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    kernel = ProductKernel(reference, [ColumnKernel("nearest")] * 3)
    query = np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 9.0], [8.0, 9.0, 7.0], [0.0, 0.0, 0.0]])
    expected = [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    expected[2] = [1 / 3] * 3
    np.testing.assert_allclose(np.exp(weighed(kernel, query)), expected)
    assert kernel.may_vanish
    assert not kernel.may_end


@pytest.mark.parametrize(
    ("names", "may_vanish", "may_end"),
    [
        ([], False, False),
        (["gaussian", "aitchison_aitken", "li_racine"], False, False),
        (["gaussian", "nearest"], True, False),
        (["nearest", "identity"], True, True),
        (["gaussian", "identity"], True, True),
        (["gaussian", "tricube"], True, True),
    ],
)
@pytest.mark.parametrize("counts", [None, np.arange(1.0, 5.0)])
def test_a_kernel_says_whether_rows_may_vanish_and_paths_may_end(
    names, may_vanish, may_end, counts
):
    reference = np.tile(np.arange(4.0)[:, np.newaxis], len(names)).reshape(4, len(names))
    kernel = ProductKernel(reference, [ColumnKernel(name, 0.5) for name in names], counts)
    assert (kernel.may_vanish, kernel.may_end) == (may_vanish, may_end)


# Row weights.


@every_route
@given(problem=problems(max_columns=3), data=st.data())
@settings(max_examples=40)
def test_a_row_weight_of_two_is_a_row_twice(route, problem, data):
    chosen, reference, query = problem
    assume(all(kernel.name != "aitchison_aitken" for kernel in chosen))
    repeats = st.lists(st.integers(1, 3), min_size=len(reference), max_size=len(reference))
    counts = np.array(data.draw(repeats))
    twice = ProductKernel(np.repeat(reference, counts, axis=0), chosen)
    with forced(route):
        found = np.exp(weighed(ProductKernel(reference, chosen, counts.astype(float)), query))
        copies = np.exp(weighed(twice, query))
    starts = np.cumsum(counts) - counts
    expected = np.add.reduceat(copies, starts, axis=1) if len(query) else copies[:, : len(counts)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("n_columns", [0, 1, 2])
def test_only_ratios_of_row_weights_matter(n_columns):
    rng = np.random.default_rng(0)
    reference, counts = rng.normal(size=(20, n_columns)), rng.uniform(1.0, 5.0, 20)
    chosen = [ColumnKernel("gaussian", 0.5)] * n_columns
    plain, scaled = (
        weighed(ProductKernel(reference, chosen, factor * counts), reference[:3])
        for factor in (1.0, 1e-290)
    )
    np.testing.assert_allclose(plain, scaled, rtol=1e-9)
    if not n_columns:
        np.testing.assert_allclose(np.exp(plain[0]), counts / counts.sum())


# Kernels that travel.


@given(problem=problems(), data=st.data())
def test_a_pickled_kernel_gives_the_same_weights_and_leaves_its_tables_at_home(problem, data):
    chosen, reference, query = problem
    kernel = ProductKernel(reference, chosen, data.draw(row_weights(len(reference))))
    expected = weighed(kernel, query)
    state = pickle.dumps(kernel)
    np.testing.assert_array_equal(weighed(pickle.loads(state), query), expected)
    fresh = ProductKernel(reference, chosen, data.draw(st.none()))
    assert set(vars(fresh)) >= set(kernel.__getstate__()) - {"_tables"}
    assert kernel.__getstate__()["_tables"] == {}


@given(problem=problems(["gaussian"], max_columns=3))
def test_a_gaussian_weighs_some_row_and_keeps_all_mass(problem):
    chosen, reference, query = problem
    assume(all(kernel.bandwidth > 0.0 for kernel in chosen))
    found = weighed(ProductKernel(reference, chosen), query)
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0, rtol=1e-12)


@given(problem=problems(max_columns=3), data=st.data())
def test_shuffled_rows_give_shuffled_weights(problem, data):
    chosen, reference, query = problem
    order = data.draw(st.permutations(range(len(reference))))
    found = weighed(ProductKernel(reference[order], chosen), query)
    expected = weighed(ProductKernel(reference, chosen), query)[:, order]
    np.testing.assert_allclose(np.exp(found), np.exp(expected), rtol=1e-6, atol=1e-14)


@pytest.mark.parametrize("bandwidth", [1e-3, 1e-4, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("log_cut", [0.0, 1e4, np.inf])
def test_one_narrow_column_is_exact_however_large_the_exponents(bandwidth, log_cut):
    rng = np.random.default_rng(0)
    reference = np.concatenate([rng.random(20), 0.5 + bandwidth * rng.random(20)])[:, np.newaxis]
    query = np.array([[0.5], [0.5 + bandwidth / 3], [1.5], [-700.0], [reference[3, 0]]])
    chosen = [ColumnKernel("gaussian", bandwidth)]
    found = weighed(ProductKernel(reference, chosen), query, log_cut)
    for point, row in zip(query, found, strict=True):
        exact = exact_log_weights(reference, pairs(chosen), point)
        near = exact > exact.max() - NEGLIGIBLE
        np.testing.assert_allclose(row[near], exact[near], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("bandwidth", [3e-4, 1e-4])
def test_two_narrow_columns_are_exact_to_the_rounding_of_exponents(bandwidth):
    rng = np.random.default_rng(1)
    angle = 2.0 * np.pi * rng.random(40)
    reference = np.column_stack([np.cos(angle), np.sin(angle)])
    query = np.array([[0.0, 0.0], [1e-9, 0.0], [0.3, 0.4]])
    chosen = [ColumnKernel("gaussian", bandwidth)] * 2
    found = weighed(ProductKernel(reference, chosen), query)
    assert_as_exact(found, chosen, reference, query, 0.0)


@pytest.mark.parametrize("bandwidth", [1e150, 1e300, np.inf])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_an_endless_bandwidth_ignores_the_pillow(bandwidth, n_columns):
    reference = np.random.default_rng(0).normal(size=(7, n_columns))
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", bandwidth)] * n_columns)
    found = weighed(kernel, reference + 1.0)
    np.testing.assert_allclose(found, -np.log(7), rtol=1e-12)


def test_a_question_that_was_asked_before_is_not_taken_for_another():
    rng = np.random.default_rng(0)
    reference, first, second = rng.normal(size=(3, 20, 2))
    narrow = [ColumnKernel("gaussian", 1e-3)] * 2
    kernel, query = ProductKernel(reference, narrow), first.copy()
    asked = [weighed(kernel, query), weighed(kernel, query)]
    query[:] = second
    asked += [weighed(kernel, query), weighed(kernel, query, 1e4)]
    for found, wanted, cut in zip(
        asked, [first, first, second, second], [0.0, 0.0, 0.0, 1e4], strict=True
    ):
        np.testing.assert_array_equal(found, weighed(ProductKernel(reference, narrow), wanted, cut))


@pytest.mark.parametrize("n_queries", [0, 1, 3])
def test_no_columns_give_every_row_the_same_weight(n_queries):
    found = weighed(ProductKernel(np.empty((5, 0)), []), np.empty((n_queries, 0)))
    np.testing.assert_allclose(found, np.full((n_queries, 5), -np.log(5)))


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS, *DISCRETE_KERNELS, ORDERED_KERNEL])
def test_a_single_row_has_all_the_weight_near_it(name):
    kernel = ProductKernel(np.array([[2.0]]), [ColumnKernel(name, 0.5)])
    assert weighed(kernel, np.array([[2.0]])).tolist() == [[0.0]]


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS[1:], "identity"])
def test_a_kernel_that_vanishes_on_every_row_weighs_none(name):
    kernel = ProductKernel(np.array([[2.0], [2.5]]), [ColumnKernel(name, 0.5)])
    (weights,) = kernel.weigh(np.array([[3.0], [2.5], [1e300]]))
    assert weights.is_alive.tolist() == [False, True, False]
    assert weights.counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("n_rows", "bandwidth", "n_columns", "form"),
    [
        (50, 0.5, 2, Dense),
        (50, 1e-4, 2, Ragged),
        (50, 0.5, 1, Dense),
        (50, 1e-4, 1, Ragged),
        (3000, 0.5, 2, Dense),
        (3000, 1e-2, 2, Ragged),
        (3000, 1e-4, 2, Ragged),
        (3000, 0.5, 1, Dense),
    ],
)
def test_large_tables_are_weighed_as_small_ones(n_rows, bandwidth, n_columns, form):
    rng = np.random.default_rng(2)
    reference = rng.random((n_rows, n_columns))
    query = np.concatenate([reference[:2], rng.permuted(reference[:50], axis=0)[:2]])
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", bandwidth)] * n_columns)
    assert {type(block) for block in kernel.weigh(query)} == {form}
    scaled = (query[:, np.newaxis, :] - reference) / bandwidth
    log_kernel = -0.5 * np.square(scaled).sum(axis=2)
    log_kernel -= log_kernel.max(axis=1, keepdims=True)
    expected = np.exp(log_kernel) / np.exp(log_kernel).sum(axis=1, keepdims=True)
    found = np.exp(weighed(kernel, query))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-15)


# Extremes.


@pytest.mark.parametrize("log_cut", [0.0, 1000.0])
def test_rows_of_another_group_have_no_weight_in_a_large_table(log_cut):
    rng = np.random.default_rng(0)
    n_rows = 3000 if log_cut == 0.0 else 10
    reference = np.column_stack([rng.random((n_rows, 2)), np.arange(n_rows)])
    wide = 20.0 if log_cut == 0.0 else 0.5
    chosen = [ColumnKernel("gaussian", wide), ColumnKernel("gaussian", wide)]
    kernel = ProductKernel(reference, [*chosen, ColumnKernel("identity")])
    found = weighed(kernel, reference[:5], log_cut)
    np.testing.assert_allclose(np.exp(found), np.eye(5, n_rows), atol=1e-12)


def test_rows_of_another_group_have_no_weight_however_far_the_query():
    reference = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    chosen = [ColumnKernel("gaussian", 1e-3)] * 2 + [ColumnKernel("identity")]
    found = weighed(ProductKernel(reference, chosen), np.array([[100.0, 100.0, 0.0]]))
    assert found.tolist() == [[0.0, -np.inf]]


def test_whole_rows_keep_every_row_up_to_the_cut():
    values = np.linspace(0.0, 1.0, 50)
    reference, query = np.column_stack([values, values]), np.array([[0.0, 1.0]])
    chosen = [ColumnKernel("gaussian", 0.02)] * 2
    found = weighed(ProductKernel(reference, chosen), query, log_cut=500.0)
    assert_as_exact(found, chosen, reference, query, 500.0)


@pytest.mark.parametrize("log_cut", [0.0, np.inf])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_astronomically_narrow_kernels_keep_all_mass(n_columns, log_cut):
    reference = np.tile([[0.0], [1.0]], n_columns)
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", 1e-200)] * n_columns)
    found = weighed(kernel, np.full((1, n_columns), 0.25), log_cut)
    np.testing.assert_allclose(np.exp(found), [[1.0, 0.0]])


@given(
    st.lists(cells, min_size=1, max_size=6),
    st.sampled_from([0.05, 0.3, 1e-9]),
    st.integers(12, 40),
    st.sampled_from([-1.0, 1.0]),
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_nearest_rows_share_all_weight_however_far_the_query(values, bandwidth, power, side):
    """From 1e16 on all rows look equally far, and any could be taken for the nearest."""
    kernel = ProductKernel(np.array(values)[:, np.newaxis], [ColumnKernel("gaussian", bandwidth)])
    (found,) = weighed(kernel, np.array([[side * 10.0**power]]), np.inf)
    is_nearest = side * np.array(values) == max(side * np.array(values))
    np.testing.assert_allclose(np.exp(found), is_nearest / is_nearest.sum())


# All rows.

DENSE_KERNELS = [
    ("gaussian", 0.3),
    ("epanechnikov", 0.8),
    ("identity", 0.0),
    ("nearest", 0.0),
    ("aitchison_aitken", 0.2),
    ("li_racine", 0.3),
]


def dense_weights(kernels, reference, query, log_cut=40.0):
    kernel = ProductKernel(reference, [ColumnKernel(*each) for each in kernels])
    return np.concatenate([block.matrix for block in kernel._dense_blocks(query, log_cut)])


@pytest.mark.parametrize("largest_table", [0, 1 << 20])
@pytest.mark.parametrize("log_cut", [40.0, 1000.0], ids=["plain", "all totals distrusted"])
@pytest.mark.parametrize("new_values", [False, True])
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.sampled_from([1, 2, 9]),
    kernels=st.lists(st.sampled_from(DENSE_KERNELS), max_size=3),
)
def test_dense_blocks_are_exact_with_and_without_tables(
    largest_table, log_cut, new_values, seed, n_rows, kernels
):
    rng = np.random.default_rng(seed)
    kernels = [("gaussian", 0.3), *kernels]
    reference = rng.integers(0, 5, (n_rows, len(kernels))) / 4
    query = reference[rng.integers(0, n_rows, (5, len(kernels))), np.arange(len(kernels))]
    query += 0.125 * new_values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_product, "LARGEST_TABLE", largest_table)
        found = dense_weights(kernels, reference, query, log_cut)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@given(
    seed=st.integers(0, 10**6),
    bandwidth=st.sampled_from([1e-3, 0.02, 0.3]),
    kernels=st.lists(st.sampled_from(DENSE_KERNELS), max_size=3),
)
def test_kernels_up_to_a_factor_are_those_of_any_weigher(seed, bandwidth, kernels):
    rng = np.random.default_rng(seed)
    kernels = [("gaussian", bandwidth), *kernels]
    reference = rng.integers(0, 5, (7, len(kernels))) / 4
    query = reference[rng.integers(0, 7, (5, len(kernels))), np.arange(len(kernels))]
    kernel = ProductKernel(reference, [ColumnKernel(*each) for each in kernels])
    found, plain = kernel.relative(query), RowWeigher.relative(kernel, query)
    found /= np.where(plain.any(axis=1), found.max(axis=1), 1.0)[:, np.newaxis]
    np.testing.assert_allclose(found, plain, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize(
    ("entries", "blocks"), [(1 << 16, [7]), (12, [3, 3, 1]), (8, [2, 2, 2, 1]), (1, [1] * 7)]
)
@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_blocks_make_no_difference(entries, blocks, n_columns, monkeypatch):
    reference = np.random.default_rng(1).random((4, n_columns))
    query = reference[np.arange(7) % 4]
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", 0.4)] * n_columns)
    expected = weighed(kernel, query)
    monkeypatch.setattr(_product, "BLOCK_ENTRIES", entries)
    assert [block.n_owners for block in kernel.weigh(query)] == blocks
    np.testing.assert_array_equal(weighed(kernel, query), expected)


def test_totals_lost_to_underflow_are_recovered():
    values = np.linspace(0.0, 1.0, 5)
    reference = np.column_stack([values, values])
    kernels = [("gaussian", 0.01), ("gaussian", 0.02)]
    query = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    found = dense_weights(kernels, reference, query)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize(("offset", "away"), [(0.0, 0.0), (2.0**20, 0.0), (0.0, 2.0**20)])
def test_neither_a_table_nor_a_query_far_away_costs_digits(offset, away):
    rng = np.random.default_rng(0)
    kernels = [("gaussian", 0.25), ("gaussian", 2.0), ("aitchison_aitken", 0.2)]
    reference = rng.integers(0, 16, (40, 3)) / 8 + offset
    query = rng.integers(0, 16, (9, 3)) / 8 + offset + away * np.array([0.0, 1.0, 0.0])
    found = dense_weights(kernels, reference, query)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


def test_a_query_on_which_every_row_vanishes_has_no_weights():
    reference = np.array([[0.0, 0.0], [1.0, 1.0]])
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", 1.0), ColumnKernel("identity")])
    (weights,) = kernel._dense_blocks(np.array([[0.0, 5.0], [0.0, 0.0]]), 40.0)
    assert weights.matrix.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert weights.is_alive.tolist() == [False, True]
