"""Pure functions behind the densities, against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import trapezoid

import causalaug as ca
from causalaug.densities._kernel_density import KernelDensity
from causalaug.densities._levels import LevelDensity

SEEDS = st.integers(0, 2**32 - 1)


def fitted(seed, kinds=None, n_rows=12):
    rng = np.random.default_rng(seed)
    frame = ca.Table.from_frame(
        rng.normal(size=(n_rows, 2)).round(1), names=["x", "y"], kinds=kinds
    )
    (factor,) = [each for each in ca.factorize(ca.read_graph("x -> y")) if each.pillow]
    (fit,) = ca.KernelConditional(temperature=1.0).fit(frame, [factor])
    return frame, fit.density(frame, factor)


@given(SEEDS, st.sampled_from([None, {"y": "discrete"}]))
def test_a_row_that_is_left_out_has_the_density_of_weights_without_it(seed, kinds):
    table, density = fitted(seed, kinds)
    assert isinstance(density, KernelDensity if kinds is None else LevelDensity)
    pillow, values = table.values[:, :1], table.values[:, 1]
    found = density.log_left_out(pillow, np.arange(12))
    h = ca.KernelConditional(temperature=1.0).column_kernels(table)[0].bandwidth
    for row in range(12):
        weights = np.exp(-0.5 * np.square((pillow[:, 0] - pillow[row, 0]) / h))
        weights[row] = 0.0
        weights /= weights.sum()
        rows = 1.0 / np.square(weights).sum()
        if kinds is None:
            own = weights @ stats.norm(values, density.bandwidth).pdf(values[row])
            common = np.exp(density.tail.log_density(values[[row]]))[0]
        else:
            own, common = weights @ (values == values[row]), np.mean(values == values[row])
        expected = (rows * own + common) / (rows + 1.0)
        assert found[row] == pytest.approx(np.log(expected), rel=1e-6)


@pytest.mark.parametrize("conditional", [ca.KernelConditional(), ca.ResidualConditional()])
@pytest.mark.parametrize("name", ["x", "y"])
def test_even_numbers_give_values_that_follow_the_density(conditional, name):
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    frame = ca.Table.from_frame(np.column_stack([x, x + rng.normal(size=40)]), names=["x", "y"])
    factors = ca.factorize(ca.read_graph("x -> y"))
    number = ["x", "y"].index(name)
    density = conditional.fit(frame, factors)[number].density(frame, factors[number])
    even = (np.arange(4000) + 0.5) / 4000
    pillow = np.full((4000, number), 0.3)
    drawn = density.draw(pillow, even)
    grid = np.linspace(-30.0, 30.0, 20_001)
    pdf = np.exp(density.log_density(grid, np.full((len(grid), number), 0.3)))
    for level in (0.1, 0.5, 0.9):
        value = np.quantile(drawn, level)
        below = trapezoid(np.where(grid <= value, pdf, 0.0), grid)
        assert below == pytest.approx(level, abs=0.02)
