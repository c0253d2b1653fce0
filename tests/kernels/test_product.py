from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from causalaug.kernels import (
    CONTINUOUS_KERNELS,
    NEGLIGIBLE,
    ColumnKernel,
    ListedRows,
    ProductKernel,
    WholeRows,
    _candidates,
    _product,
    _whole,
)
from oracles import exact_log_kernels, exact_log_weights

ROUTES = {
    "as it comes": {},
    "listed, from windows and the search tree": {
        (_product, "SMALL_TABLE"): 0,
        (_product, "DENSE_SHARE"): 2.0,
    },
    "listed, few neighbours": {
        (_product, "WIDEST_SQUARE"): -1.0,
        (_candidates, "N_NEAREST"): (1, 2),
    },
    "listed, from cells": {
        (_product, "WIDEST_SQUARE"): -1.0,
        (_candidates, "QUERIES_FOR_CELLS"): 0,
    },
    "listed, relative to pivots": {
        (_product, "WIDEST_SQUARE"): -1.0,
        (_product, "LARGEST_PLAIN_EXPONENT"): -1.0,
    },
    "whole, without tables": {(_whole, "LARGEST_TABLE"): 0},
    "whole, if candidates are many": {
        (_product, "SMALL_TABLE"): 0,
        (_product, "DENSE_SHARE"): -1.0,
    },
    "whole, all totals distrusted": {(_whole, "SMALLEST_LOG"): 600.0},
    "a few at a time": {
        (_product, "BLOCK_ENTRIES"): 3,
        (_product, "BATCH_QUERIES"): 2,
        (_whole, "BLOCK_ENTRIES"): 5,
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
def kernels(draw, names=(*CONTINUOUS_KERNELS, "identity", "aitchison_aitken")):
    name = draw(st.sampled_from(names))
    if name == "aitchison_aitken":
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


def log_weights(kernel, query, log_cut=0.0):
    """Return a matrix of log-weights, -inf where a row is left out."""
    blocks = list(kernel.weigh(query, log_cut))
    found = np.full((sum(block.n_queries for block in blocks), kernel.n_rows), -np.inf)
    done = 0
    for block in blocks:
        owner = np.repeat(np.arange(block.n_queries), block.counts)
        alive = np.flatnonzero(block.totals[owner] > 0.0)
        rows = block.rows_at(alive)
        found[done + owner[alive], rows] = block.log_weights_at(alive, owner[alive])
        done += block.n_queries
    return found


def assert_as_exact(found, chosen, reference, query, log_cut):
    """Compare with 40 digits: each weight that matters to a share of 1e-9.

    Where the exponents of several columns cancel, their last digit is lost to rounding.
    """
    assert len(found) == len(query)
    for point, row in zip(query, found, strict=True):
        exact = exact_log_weights(reference, pairs(chosen), point)
        logs = exact_log_kernels(reference, pairs(chosen), point)
        nearest = max((float(log) for log in logs if log is not None), default=0.0)
        matters = exact >= exact.max() - max(log_cut, np.log(len(reference)) + NEGLIGIBLE)
        matters &= exact > -np.inf
        slack = 1e-9 + 4e-16 * abs(nearest)
        np.testing.assert_allclose(row[matters], exact[matters], rtol=1e-12, atol=slack)
        assert np.exp(row[~matters]).sum() < 1e-14
        assert (row[exact == -np.inf] == -np.inf).all()


@every_route
@pytest.mark.parametrize("log_cut", [0.0, 60.0, np.inf])
@given(problem=problems())
@settings(max_examples=40)
def test_weights_are_exact_whichever_way_they_are_found(route, log_cut, problem):
    chosen, reference, query = problem
    with forced(route):
        found = log_weights(ProductKernel(reference, chosen), query, log_cut)
    assert_as_exact(found, chosen, reference, query, log_cut)


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
        found = log_weights(ProductKernel(reference, chosen), query)
    assert_as_exact(found, chosen, reference, query, 0.0)


@given(problem=problems(["gaussian"], max_columns=3))
def test_a_gaussian_weighs_some_row_and_keeps_all_mass(problem):
    chosen, reference, query = problem
    assume(all(kernel.bandwidth > 0.0 for kernel in chosen))
    found = log_weights(ProductKernel(reference, chosen), query)
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0, rtol=1e-12)


@given(problem=problems(max_columns=3), data=st.data())
def test_shuffled_rows_give_shuffled_weights(problem, data):
    chosen, reference, query = problem
    order = data.draw(st.permutations(range(len(reference))))
    found = log_weights(ProductKernel(reference[order], chosen), query)
    expected = log_weights(ProductKernel(reference, chosen), query)[:, order]
    np.testing.assert_allclose(np.exp(found), np.exp(expected), rtol=1e-6, atol=1e-14)


@pytest.mark.parametrize("bandwidth", [1e-3, 1e-4, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("log_cut", [0.0, 1e4, np.inf])
def test_one_narrow_column_is_exact_however_large_the_exponents(bandwidth, log_cut):
    rng = np.random.default_rng(0)
    reference = np.concatenate([rng.random(20), 0.5 + bandwidth * rng.random(20)])[:, np.newaxis]
    query = np.array([[0.5], [0.5 + bandwidth / 3], [1.5], [-700.0], [reference[3, 0]]])
    chosen = [ColumnKernel("gaussian", bandwidth)]
    found = log_weights(ProductKernel(reference, chosen), query, log_cut)
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
    found = log_weights(ProductKernel(reference, chosen), query)
    assert_as_exact(found, chosen, reference, query, 0.0)


@pytest.mark.parametrize("bandwidth", [1e150, 1e300, np.inf])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_an_endless_bandwidth_ignores_the_pillow(bandwidth, n_columns):
    reference = np.random.default_rng(0).normal(size=(7, n_columns))
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", bandwidth)] * n_columns)
    found = log_weights(kernel, reference + 1.0)
    np.testing.assert_allclose(found, -np.log(7), rtol=1e-12)


def test_a_question_that_was_asked_before_is_not_taken_for_another():
    rng = np.random.default_rng(0)
    reference, first, second = rng.normal(size=(3, 20, 2))
    narrow = [ColumnKernel("gaussian", 1e-3)] * 2
    kernel, query = ProductKernel(reference, narrow), first.copy()
    asked = [log_weights(kernel, query), log_weights(kernel, query)]
    query[:] = second
    asked += [log_weights(kernel, query), log_weights(kernel, query, 1e4)]
    for found, wanted, cut in zip(
        asked, [first, first, second, second], [0.0, 0.0, 0.0, 1e4], strict=True
    ):
        np.testing.assert_array_equal(
            found, log_weights(ProductKernel(reference, narrow), wanted, cut)
        )


@pytest.mark.parametrize("n_queries", [0, 1, 3])
def test_no_columns_give_every_row_the_same_weight(n_queries):
    found = log_weights(ProductKernel(np.empty((5, 0)), []), np.empty((n_queries, 0)))
    np.testing.assert_allclose(found, np.full((n_queries, 5), -np.log(5)))


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS, "identity", "aitchison_aitken"])
def test_a_single_row_has_all_the_weight_near_it(name):
    kernel = ProductKernel(np.array([[2.0]]), [ColumnKernel(name, 0.5)])
    assert log_weights(kernel, np.array([[2.0]])).tolist() == [[0.0]]


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS[1:], "identity"])
def test_a_kernel_that_vanishes_on_every_row_weighs_none(name):
    kernel = ProductKernel(np.array([[2.0], [2.5]]), [ColumnKernel(name, 0.5)])
    (weights,) = kernel.weigh(np.array([[3.0], [2.5], [1e300]]))
    assert weights.totals[[0, 2]].tolist() == [0.0, 0.0]
    assert weights.counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("n_rows", "bandwidth", "n_columns", "form"),
    [
        (50, 0.5, 2, WholeRows),
        (50, 1e-4, 2, ListedRows),
        (50, 0.5, 1, WholeRows),
        (50, 1e-4, 1, ListedRows),
        (3000, 0.5, 2, WholeRows),
        (3000, 1e-2, 2, ListedRows),
        (3000, 1e-4, 2, ListedRows),
        (3000, 0.5, 1, WholeRows),
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
    found = np.exp(log_weights(kernel, query))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-15)


# The bound.


def check_bound(kernel, query, log_factors=None):
    bound = kernel.log_heaviest_bound(query, log_factors)
    assert bound.shape == (len(query),)
    products = np.exp(log_weights(kernel, query))
    if log_factors is not None:
        products *= np.exp(log_factors)
    fourth = np.sum(products**4, axis=1) ** 0.25
    assert (np.exp(bound) >= products.max(axis=1)).all()
    assert (np.exp(bound) >= fourth * (1.0 - 1e-12)).all()
    return bound, fourth


@every_route
@given(problem=problems(), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_the_bound_is_above_the_heaviest_row_and_the_fourth_power_mean(route, problem, seed):
    chosen, reference, query = problem
    factors = np.random.default_rng(seed).uniform(-3.0, 1.0, len(reference))
    with forced(route):
        check_bound(ProductKernel(reference, chosen), query)
        check_bound(ProductKernel(reference, chosen), query, factors)


@pytest.mark.parametrize("others", [[], [ColumnKernel("identity")], [ColumnKernel("tricube", 0.9)]])
def test_the_bound_is_tight_on_a_grid(others):
    reference = np.random.default_rng(3).integers(0, 5, (30, 2 + len(others))) / 4
    grid = np.array(np.meshgrid(*[np.arange(5) / 4] * (2 + len(others)))).reshape(
        len(others) + 2, -1
    )
    chosen = [ColumnKernel("gaussian", 0.2), ColumnKernel("gaussian", 0.5), *others]
    bound, fourth = check_bound(ProductKernel(reference, chosen), grid.T)
    alive = fourth > 0.0
    np.testing.assert_allclose(np.exp(bound[alive]), fourth[alive], rtol=1e-8)
    assert np.isposinf(bound[~alive]).all()


@pytest.mark.parametrize(
    ("constant", "value"), [("LARGEST_TABLE", 30 * 5), ("LEAST_FILL", 10.0), ("LARGEST_TABLE", 0)]
)
def test_there_is_no_bound_where_it_would_not_pay(constant, value, monkeypatch):
    monkeypatch.setattr(_whole, constant, value)
    reference = np.random.default_rng(3).integers(0, 5, (30, 3)) / 4
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", 0.2)] * 3)
    assert np.isposinf(kernel.log_heaviest_bound(reference)).all()


@pytest.mark.parametrize(
    ("bandwidths", "query"),
    [([0.2], [[0.5]]), ([1e-5, 1e-5], [[0.5, 0.5]]), ([0.2, 0.2], [[0.51, 0.5]]), ([], [[]])],
    ids=["one column", "narrow", "a new value", "no column"],
)
def test_there_is_no_bound_outside_small_wide_tables(bandwidths, query):
    reference = np.tile(np.arange(5.0)[:, np.newaxis] / 4, len(bandwidths))
    kernel = ProductKernel(
        reference.reshape(5, len(bandwidths)), [ColumnKernel("gaussian", h) for h in bandwidths]
    )
    assert kernel.log_heaviest_bound(np.array(query)).tolist() == [np.inf]


# Extremes.


@pytest.mark.parametrize("log_cut", [0.0, 1000.0])
def test_rows_of_another_group_have_no_weight_in_a_large_table(log_cut):
    rng = np.random.default_rng(0)
    n_rows = 3000 if log_cut == 0.0 else 10
    reference = np.column_stack([rng.random((n_rows, 2)), np.arange(n_rows)])
    wide = 20.0 if log_cut == 0.0 else 0.5
    chosen = [ColumnKernel("gaussian", wide), ColumnKernel("gaussian", wide)]
    kernel = ProductKernel(reference, [*chosen, ColumnKernel("identity")])
    found = log_weights(kernel, reference[:5], log_cut)
    np.testing.assert_allclose(np.exp(found), np.eye(5, n_rows), atol=1e-12)


def test_rows_of_another_group_have_no_weight_however_far_the_query():
    reference = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    chosen = [ColumnKernel("gaussian", 1e-3)] * 2 + [ColumnKernel("identity")]
    found = log_weights(ProductKernel(reference, chosen), np.array([[100.0, 100.0, 0.0]]))
    assert found.tolist() == [[0.0, -np.inf]]


def test_whole_rows_keep_every_row_up_to_the_cut():
    values = np.linspace(0.0, 1.0, 50)
    reference, query = np.column_stack([values, values]), np.array([[0.0, 1.0]])
    chosen = [ColumnKernel("gaussian", 0.02)] * 2
    found = log_weights(ProductKernel(reference, chosen), query, log_cut=500.0)
    assert_as_exact(found, chosen, reference, query, 500.0)


@pytest.mark.parametrize("log_cut", [0.0, np.inf])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_astronomically_narrow_kernels_keep_all_mass(n_columns, log_cut):
    reference = np.tile([[0.0], [1.0]], n_columns)
    kernel = ProductKernel(reference, [ColumnKernel("gaussian", 1e-200)] * n_columns)
    found = log_weights(kernel, np.full((1, n_columns), 0.25), log_cut)
    np.testing.assert_allclose(np.exp(found), [[1.0, 0.0]])
