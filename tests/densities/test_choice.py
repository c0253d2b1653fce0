"""Laws of a factor, judged by rows that are left out."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.densities import likeliest

TEMPERATURES = (0.6, 2.5)


def laws_of(kind, n_rows, seed=0):
    """Return laws of `y` given `x`, the mean first."""
    rng = np.random.default_rng(seed)
    x, noise = rng.uniform(1.0, 3.0, n_rows), rng.normal(size=n_rows)
    side = rng.choice([-1.0, 1.0], n_rows)
    y = {"line": 2.0 * x + 0.1 * noise, "branches": side * x + 0.05 * noise}[kind]
    table = ca.Table.from_frame(pd.DataFrame({"x": x, "y": y}))
    factors = ca.factorize(ca.read_graph("x -> y"))
    conditionals = [ca.ResidualConditional()]
    conditionals += [ca.KernelConditional(temperature=each) for each in TEMPERATURES]
    return [each.fit(table, factors)[1].law() for each in conditionals]


@pytest.mark.parametrize("n_rows", [60, 900])
@pytest.mark.parametrize("kind", ["line", "branches"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_weighed_where_no_mean_makes_left_out_ones_as_likely(kind, n_rows, seed):
    laws = laws_of(kind, n_rows, seed)
    found = likeliest(laws)
    assert (found > 0) == (kind == "branches")
    some = np.arange(0, n_rows, 3)
    alone = [law.log_left_out(some).sum() for law in laws]
    assert np.argmax(alone) == found
