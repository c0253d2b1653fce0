"""Ways to model a factor, judged by rows that are left out: first a few of these, then all."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.conditionals._auto import BESIDE_A_MEAN
from causalaug.densities import _choice, likeliest
from causalaug.densities._choice import CLEARLY, _is_clearly_negative
from causalaug.densities._weighed import WeighedRows


def ways_of(kind, n_rows, seed=0):
    """Return ways to model `y` given `x`, the mean first, with the table and the factor."""
    rng = np.random.default_rng(seed)
    x, noise = rng.uniform(1.0, 3.0, n_rows), rng.normal(size=n_rows)
    side = rng.choice([-1.0, 1.0], n_rows)
    y = {"line": 2.0 * x + 0.1 * noise, "branches": side * x + 0.05 * noise}[kind]
    table = ca.Table.from_frame(pd.DataFrame({"x": x, "y": y}))
    factors = ca.factorize(ca.read_graph("x -> y"))
    conditionals = [ca.ResidualConditional()]
    conditionals += [ca.KernelConditional(temperature=each) for each in BESIDE_A_MEAN]
    ways = [each.fit(table, factors)[1].density for each in conditionals]
    return ways, table, factors[1]


@pytest.fixture
def n_judged(monkeypatch):
    """Return a list to which the number of rows is added whenever rows are weighed."""
    counts, plain = [], WeighedRows.sums_without_own

    def noted(self, pillow, some, size):
        counts.append(len(some))
        return plain(self, pillow, some, size)

    monkeypatch.setattr(WeighedRows, "sums_without_own", noted)
    return counts


@pytest.mark.parametrize("n_rows", [60, 200, 900])
@pytest.mark.parametrize("kind", ["line", "branches"])
@pytest.mark.parametrize("seed", range(3))
def test_a_glance_at_some_rows_chooses_as_all_rows_do(monkeypatch, kind, n_rows, seed):
    problem = ways_of(kind, n_rows, seed)
    found = likeliest(*problem)
    monkeypatch.setattr(_choice, "FEWEST_TO_GLANCE_AT", np.inf)
    assert found == likeliest(*problem)
    assert (found > 0) == (kind == "branches")


def test_what_is_clearly_behind_at_a_glance_is_not_judged_by_all_rows(n_judged):
    likeliest(*ways_of("line", 240))
    assert sum(n_judged) == len(BESIDE_A_MEAN) * 240 // _choice.GLANCE


def test_no_row_is_judged_twice(n_judged):
    likeliest(*ways_of("branches", 240))
    assert sum(n_judged) <= len(BESIDE_A_MEAN) * 240


def test_few_rows_are_judged_at_once(n_judged):
    likeliest(*ways_of("line", 90))
    assert sum(n_judged) == len(BESIDE_A_MEAN) * 90


def test_without_a_mean_nothing_is_ahead(n_judged):
    (_, *kernels), table, factor = ways_of("branches", 240)
    likeliest(kernels, table, factor)
    assert sum(n_judged) == len(kernels) * 240


@pytest.mark.parametrize("errors", [CLEARLY - 0.01, CLEARLY + 0.01])
def test_standard_errors_are_those_of_weighted_means(errors):
    rng = np.random.default_rng(4)
    values, weights = rng.normal(size=50), rng.uniform(1.0, 2.0, 50)
    share = weights / weights.sum()
    values -= share @ values
    values -= errors * np.sqrt(np.square(share * values).sum())
    found = _is_clearly_negative(np.array([values, -values]), weights)
    assert found.tolist() == [errors > CLEARLY, False]
