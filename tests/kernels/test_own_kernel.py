"""A kernel of a stranger: hours of the day, which no kernel of ours knows, under every expansion.

And the law that every kernel keeps: its values lie within its bounds.
"""

import math
from dataclasses import dataclass
from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import causalaug as ca
from causalaug.kernels import (
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    ORDERED_KERNEL,
    ColumnKernel,
    Kernel,
    KernelColumn,
    ProductKernel,
    _product,
)
from oracles import all_paths, merge_by_value
from strategies import by_rows, by_values


@dataclass(frozen=True)
class VonMises(Kernel):
    """Values on a circle: an hour before midnight is near to an hour after."""

    period: float
    concentration: float

    def log_kernel(self, query, values):
        return self.concentration * np.cos(2.0 * np.pi / self.period * (query - values))

    def log_bounds(self):
        return -self.concentration, self.concentration


@dataclass(frozen=True)
class Window(Kernel):
    """Hours within a window around the query, which vanishes elsewhere."""

    period: float
    half_width: float

    def log_kernel(self, query, values):
        apart = np.abs((query - values + self.period / 2) % self.period - self.period / 2)
        return np.where(apart < self.half_width, 0.0, -np.inf)

    def log_bounds(self):
        return -np.inf, 0.0


STRANGERS = {
    "blunt": (VonMises(24.0, 2.0), lambda d: 2.0 * math.cos(d * math.pi / 12)),
    # At noon and no heat, rows of noon outweigh those without heat, eleven bandwidths nearer.
    "sharp": (VonMises(24.0, 40.0), lambda d: 40.0 * math.cos(d * math.pi / 12)),
    "vanishing": (Window(24.0, 4.0), lambda d: 0.0 if min(abs(d), 24 - abs(d)) < 4 else -inf),
}
GRAPH = ca.ADMG(["hour", "heat", "load"], directed=[("hour", "load"), ("heat", "load")])
ORDER = ("hour", "heat", "load")
FRAME = pd.DataFrame(
    {
        "hour": [0.5, 23.5, 11.0, 12.5, 6.0, 18.5],
        "heat": [0.0, 0.1, 1.1, 1.2, 0.5, 0.7],
        "load": [1.0, 2.5, 3.25, 4.0, 5.5, 6.75],
    }
)
BANDWIDTH = 0.1


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Weigh rows as in a small table, or search and propose them as in a large one."""
    if request.param == "large":
        monkeypatch.setattr(_product, "SMALL_TABLE", 0)
        monkeypatch.setattr(_product, "LARGE_TABLE", 0)
        monkeypatch.setattr(_product, "FEWEST_TO_PROPOSE", 0)
        monkeypatch.setattr(_product, "LARGEST_KEPT_TABLE", 0)
        monkeypatch.setattr(_product, "DENSE_PART", 1.0)


@pytest.fixture(params=sorted(STRANGERS))
def stranger(request):
    return STRANGERS[request.param]


def conditional_with(kernel):
    return ca.KernelConditional(kernel={"hour": kernel}, bandwidth={"heat": BANDWIDTH})


def dense_paths(formula):
    values, kernels = FRAME.to_numpy(), [formula, "gaussian", "gaussian"]
    pillows = {0: [], 1: [], 2: [0, 1]}
    return dict(all_paths(values, (0, 1, 2), pillows, kernels, [1.0, BANDWIDTH, 1.0]))


def augment(kernel, expansion, seed=0):
    return ca.augment(FRAME, GRAPH, conditional_with(kernel), expansion, ORDER, random_state=seed)


def assert_same_weights(found, expected):
    keys = sorted({*found, *expected})
    assert_allclose(
        [found.get(key, 0.0) for key in keys],
        [expected.get(key, 0.0) for key in keys],
        rtol=1e-9,
        atol=1e-15,
    )


@pytest.mark.parametrize(
    "expansion",
    [
        ca.PrunedExpansion(0, merge_equal=False),
        ca.BudgetExpansion(1000, merge_equal=False),
        ca.BeamExpansion(1000, merge_equal=False),
    ],
    ids=["pruned", "budget", "beam"],
)
def test_the_whole_tree_has_the_weights_of_the_dense_oracle(stranger, expansion, size):
    kernel, formula = stranger
    assert_same_weights(by_rows(augment(kernel, expansion)), dense_paths(formula))


@pytest.mark.parametrize("threshold", [0.01, 0.1])
def test_pruning_keeps_what_the_dense_oracle_keeps(stranger, threshold, size):
    kernel, formula = stranger
    found = augment(kernel, ca.PrunedExpansion(threshold, merge_equal=False))
    least = threshold / len(FRAME)
    kept = {rows: weight for rows, weight in dense_paths(formula).items() if weight >= least}
    assert_same_weights(by_rows(found), kept)


@pytest.mark.parametrize(
    "expansion", [ca.SampledExpansion(500), ca.BudgetExpansion(60)], ids=["sampled", "budget"]
)
def test_the_mean_over_seeds_is_that_of_the_dense_oracle(stranger, expansion, size):
    kernel, formula = stranger
    exact = merge_by_value(dense_paths(formula), FRAME.to_numpy())
    model = ca.fit_model(FRAME, GRAPH, conditional_with(kernel), ORDER)
    n_seeds = 100
    weights = np.zeros((n_seeds, len(exact)))
    number = {values: position for position, values in enumerate(exact)}
    for seed in range(n_seeds):
        found = by_values(model.expand(expansion, random_state=seed))
        for values, weight in found.items():
            weights[seed, number[values]] = weight
    expected = np.array(list(exact.values()))
    # A weight that is 0 or at most c, and e on average, has a variance of at most c e.
    error = np.sqrt(expected * np.maximum(weights.max(axis=0), expected) / n_seeds)
    common = expected > 5e-3
    assert common.sum() > 8
    assert np.abs((weights.mean(axis=0) - expected) / error)[common].max() < 4.0


@pytest.mark.parametrize("n_others", [0, 1, 2])
def test_among_many_rows_those_that_matter_are_found_and_drawn(stranger, n_others, size):
    """Beside narrow Gaussians a search leaves rows out, by what the stranger may take off."""
    kernel, formula = stranger
    rng = np.random.default_rng(0)
    reference = np.column_stack([rng.uniform(0, 24, 300), rng.uniform(0, 1, (300, n_others))])
    query = reference[:40]
    product = ProductKernel(reference, [kernel, *[ColumnKernel("gaussian", 0.05)] * n_others])
    apart = query[:, np.newaxis] - reference
    logs = np.vectorize(formula, otypes=[float])(apart[:, :, 0])
    logs = logs - 0.5 * np.square(apart[:, :, 1:] / 0.05).sum(axis=2)
    expected = np.exp(logs - logs.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    found, start = np.zeros_like(expected), 0
    for block in product.weigh(query):
        owner = np.repeat(np.arange(block.n_owners), block.counts)
        entries = np.arange(block.n_entries)
        found[start + owner, block.index_at(entries)] = np.exp(block.log_weight_at(entries))
        start += block.n_owners
    assert_allclose(found, expected, rtol=1e-8, atol=1e-14)
    drawn = product.propose(query[:1], np.zeros(20_000, dtype=int), rng)
    drawn = drawn[drawn >= 0]
    share = np.bincount(drawn, minlength=300) / max(len(drawn), 1)
    error = np.sqrt(expected[0] / max(len(drawn), 1)) + 1e-3
    assert not len(drawn) or (np.abs(share - expected[0]) < 5.0 * error).all()


def test_a_kernel_cannot_be_written_without_its_bounds():
    class Unbounded(Kernel):
        def log_kernel(self, query, values):
            return -np.abs(query - values)

    with pytest.raises(TypeError, match="log_bounds"):
        Unbounded()


@pytest.mark.parametrize("bounds", [(-1.0, 2.0), (-2.0, 1.0), (-1.0, 0.0)])
def test_a_kernel_that_leaves_its_bounds_is_refused(bounds):
    class Wrong(VonMises):
        def log_bounds(self):
            return bounds

    with pytest.raises(ca.exceptions.ParameterError, match="must lie within its `log_bounds`"):
        augment(Wrong(24.0, 2.0), ca.PrunedExpansion(0))


def test_a_kernel_that_is_no_number_is_refused():
    class NotANumber(VonMises):
        def log_kernel(self, query, values):
            return super().log_kernel(query, values) * np.nan

    with pytest.raises(ca.exceptions.ParameterError, match="Found nan to nan"):
        augment(NotANumber(24.0, 2.0), ca.PrunedExpansion(0))


def test_a_kernel_of_distances_is_refused_for_names():
    frame = FRAME.assign(hour=list("abcabc"))
    with pytest.raises(ca.exceptions.ParameterError, match="values without a scale"):
        ca.augment(frame, GRAPH, conditional_with(VonMises(24.0, 2.0)))


def test_neither_bandwidth_nor_temperature_touches_the_kernel_of_a_stranger():
    kernel = VonMises(24.0, 2.0)
    conditional = ca.KernelConditional(kernel, bandwidth=7.0, temperature=9.0)
    assert conditional.column_kernels(ca.Table.from_frame(FRAME)) == (kernel,) * 3


values_of_columns = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12)


@given(
    st.sampled_from(
        [
            *((name, h) for name in CONTINUOUS_KERNELS for h in (0.0, 1e-9, 0.5, 1e4)),
            *((name, h) for name in (*DISCRETE_KERNELS, ORDERED_KERNEL) for h in (0.0, 1e-9, 0.3)),
            VonMises(24.0, 2.0),
            Window(24.0, 4.0),
        ]
    ),
    values_of_columns,
    values_of_columns,
    st.floats(0.0, 800.0),
)
def test_every_kernel_stays_within_its_bounds(kernel, values, query, log_cut):
    kernel = kernel if isinstance(kernel, Kernel) else ColumnKernel(*kernel)
    column = KernelColumn.of(kernel, np.array(values))
    query = np.array(query)[:, np.newaxis]
    log_kernel = column.shape.log_kernel(query, column.values)
    least, most = column.shape.log_bounds()
    slack = 1e-9 * max(abs(most), abs(least) if least > -inf else 0.0)
    assert (log_kernel >= least - slack).all()
    assert (log_kernel <= most + slack).all()
    assert column.may_vanish or least > -inf or column.is_gaussian
    if column.is_gaussian or column.is_compact:
        apart = np.abs(query - column.values) / column.distance.bandwidth
        nearest = apart.min(axis=1)
        beyond = apart > column.distance.reach(nearest, log_cut)[:, np.newaxis]
        heaviest = log_kernel.max(axis=1, keepdims=True)
        assert (log_kernel <= heaviest - log_cut)[beyond].all()
