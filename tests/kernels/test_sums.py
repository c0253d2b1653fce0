"""Sums over sorted rows are those of the rows, and places lead to the rows of their running sum."""

import numpy as np
import pytest

from causalaug.kernels import ColumnKernel, ProductKernel, _product

QUERY = np.array([[-9.0], [-3.1], [0.0], [0.7], [2.9]])


@pytest.fixture(params=[None, "weighted"])
def kernel(request, monkeypatch):
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    rng = np.random.default_rng(0)
    row_weights = None if request.param is None else rng.uniform(0.5, 2.0, 800)
    return ProductKernel(
        rng.normal(size=(800, 1)), [ColumnKernel("gaussian", 0.1)], row_weights=row_weights
    )


def test_totals_are_those_of_all_rows_and_unknown_where_none_is_near(kernel):
    expected = np.exp(kernel.log_kernel(QUERY)).sum(axis=1)
    expected[expected < 1.0] = 0.0
    assert 0 < np.count_nonzero(expected) < len(QUERY)
    np.testing.assert_allclose(kernel.sums.totals(QUERY), expected, rtol=1e-13)


def test_places_lead_to_every_row_in_proportion_to_its_weight(kernel):
    n_places = 40_000
    query, place = QUERY[[2, 3]], (np.arange(n_places) + 0.5) / n_places
    owner = np.repeat([0, 1], n_places)
    rows = kernel.sums.rows_at(query, owner, np.tile(place, 2))
    for number in (0, 1):
        found = np.bincount(rows[owner == number], minlength=800) / n_places
        expected = np.exp(kernel.log_weights(query[[number]])[0])
        np.testing.assert_allclose(found, expected, atol=1.01 / n_places)


@pytest.mark.parametrize(
    "kernels",
    [[("gaussian", 0.1)] * 2, [("epanechnikov", 0.1)], [("gaussian", 1e-5)], [("identity", 0.0)]],
    ids=str,
)
def test_only_a_single_gaussian_of_many_rows_has_sums(kernels, monkeypatch):
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    values = np.random.default_rng(0).normal(size=(50, len(kernels)))
    assert ProductKernel(values, [ColumnKernel(*each) for each in kernels]).sums is None
