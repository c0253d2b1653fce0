"""Densities of weighted rows, each judged by rows that are left out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

import causalaug as ca
from causalaug.densities import _kernel_density
from causalaug.densities._kernel_density import _log_mixed, _log_sums
from causalaug.densities._weighed import WeighedRows


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=50)
    frame = pd.DataFrame({"cause": cause, "effect": np.sin(cause) + 0.2 * rng.normal(size=50)})
    table, factors = ca.Table.from_frame(frame), ca.factorize(ca.read_graph("cause -> effect"))
    fitted = ca.KernelConditional().fit(table, factors)[1]
    return fitted.density(table, factors[1]), table.values[:, :1]


def test_rows_are_left_out_a_few_at_a_time_with_the_same_result(problem, monkeypatch):
    density, pillow = problem
    some = np.arange(0, 50, 3)
    at_once = density.log_left_out(pillow, some)
    monkeypatch.setattr(_kernel_density, "LEFT_OUT_ENTRIES", 4 * 50)
    # Products of matrices of another size may differ in the last digit.
    np.testing.assert_allclose(density.log_left_out(pillow, some), at_once, rtol=1e-12)


def test_bumps_are_shared_by_all_ways_to_weigh_rows(problem):
    density, pillow = problem
    some = np.arange(0, 50, 7)
    other = ca.kernels.ProductKernel(pillow, [ca.kernels.ColumnKernel("gaussian", 2.0)])
    ways = [density.rows, WeighedRows(other, 50)]
    alone = [replace(density, rows=way).log_left_out(pillow, some) for way in ways]
    np.testing.assert_allclose(density.log_left_out(pillow, some, ways), alone, rtol=1e-14)


@pytest.mark.parametrize("temperature", [0.01, 0.6, 2.5])
def test_a_row_that_is_left_out_has_the_density_of_the_table_without_it(problem, temperature):
    density, pillow = problem
    kernel = ca.kernels.ColumnKernel("gaussian", temperature)
    rows = WeighedRows(ca.kernels.ProductKernel(pillow, [kernel]), 50)
    found = replace(density, rows=rows).log_left_out(pillow, np.arange(50))
    for row in (0, 17, 49):
        others = np.delete(np.arange(50), row)
        weigher = ca.kernels.ProductKernel(pillow[others], [kernel])
        without = replace(density, rows=WeighedRows(weigher, 49), values=density.values[others])
        slow = without.log_density(density.values[[row]], pillow[[row]])
        np.testing.assert_allclose(found[row], slow[0], rtol=1e-9)


def test_a_row_that_is_left_out_does_not_speak_for_itself(problem):
    density, pillow = problem
    some = np.arange(50)
    assert (density.log_left_out(pillow, some) < density.log_density(density.values, pillow)).all()


def test_sums_of_logarithms_are_those_of_scipy():
    logs = 300.0 * np.random.default_rng(0).normal(size=(6, 20))
    logs[1] = -np.inf
    logs[2, ::2] = -np.inf
    np.testing.assert_allclose(_log_sums(logs.copy()), logsumexp(logs, axis=1), rtol=1e-14)


@given(shift=st.floats(-2000.0, 600.0), seed=st.integers(0, 99))
def test_mixed_bumps_do_not_depend_on_the_unit(shift, seed):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(4), size=3)
    weights[0, 1:] = 0.0
    log_bump = rng.normal(size=(3, 4))
    slow = np.log((weights * np.exp(log_bump)).sum(axis=1)) + shift
    found = _log_mixed(weights, np.exp(log_bump + shift), log_bump + shift)
    np.testing.assert_allclose(found, slow)
