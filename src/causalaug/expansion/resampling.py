"""Optimal resampling (Fearnhead & Clifford, 2003): fewer points, no weight biased, no mass lost.

Of many weighted points `n` are to be kept. With `c` such that ``sum(min(w / c, 1)) = n``, a point
of weight at least `c` survives as it is; the others survive with probability ``w / c``, and then
weigh `c`. The expected weight of every point is its weight, and among all schemes that are right
on average this one changes the weights least.

>>> import numpy as np
>>> kept, log_weights = resample(np.log([0.5, 0.3, 0.1, 0.1]), 3, np.random.default_rng(0))
>>> kept[:2], np.exp(log_weights).round(3)
(array([0, 1]), array([0.5, 0.3, 0.2]))
"""

import numpy as np

from causalaug._ragged import owned_ranges
from causalaug.typing import FloatArray, IntArray

EVEN = 1e-9
"""Weights that differ by less, relatively, are rounding."""

NO_MASS = 1e-13
"""A remainder of this part of the whole is rounding."""


def resample(
    log_weights: FloatArray, n: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return the positions of `n` survivors, or of all if they are fewer, and their log-weights."""
    weights = np.exp(log_weights)
    is_heavy = weights >= survival_weight(weights, 0.0, n)
    heavy, light = np.flatnonzero(is_heavy), np.where(is_heavy, 0.0, weights)
    n_light = n - len(heavy)
    if n_light <= 0 or not light.any():
        return heavy, log_weights[heavy]
    drawn, _ = spread_points(light, n_light, rng)
    survival = np.full(n_light, np.log(light.sum() / n_light))
    return np.concatenate([heavy, drawn]), np.concatenate([log_weights[heavy], survival])


def survival_weight(weights: FloatArray, rest: float, n: int) -> float:
    """Return `c` such that ``sum(min(w / c, 1)) + rest / c = n``; 0 if all may stay.

    `rest` is the mass of points that are not listed, all lighter than `c`.

    >>> survival_weight(np.array([0.5, 0.2, 0.1]), rest=0.2, n=2)
    0.5
    """
    light = weights[weights > 0.0]
    if len(light) <= n and rest <= NO_MASS * (rest + float(light.sum())):
        return 0.0
    n_heavy = 0
    while True:
        survival = (max(rest, 0.0) + float(light.sum())) / (n - n_heavy)
        is_heavy = light >= survival
        n_heavy += int(is_heavy.sum())
        if n_heavy == n:
            return float(light[is_heavy].min())
        if not is_heavy.any():
            return survival
        light = light[~is_heavy]


def spread_points(
    masses: FloatArray, n: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return `n` points spread over some owners: whose each is, and its offset in their mass.

    Every point stands for the same mass `c`, so an owner of mass `m` gets ``m / c`` points,
    rounded down or up so that there are `n` in all, by one systematic draw. Points of
    one owner are `c` apart. Where its first point lies is drawn for each owner on its own,
    given their number: over all draws it is uniform, so any part of its mass that is
    lighter than `c` is hit with a probability in proportion, and never twice.
    """
    holders = np.flatnonzero(masses)
    masses = masses[holders]
    running = np.cumsum(masses)
    spacing = running[-1] / n
    done = np.clip(np.ceil(running / spacing - rng.random()), 0, n).astype(np.int64)
    done[-1] = n
    counts = np.diff(done, prepend=0)
    hit = np.flatnonzero(counts)
    counts, masses, owners = counts[hit], masses[hit], holders[hit]
    earliest = np.maximum(masses - counts * spacing, 0.0)
    latest = np.minimum(masses - (counts - 1) * spacing, spacing)
    phase = earliest + rng.random(len(owners)) * np.maximum(latest - earliest, 0.0)
    owner, number = owned_ranges(np.zeros_like(counts), counts)
    offset = phase[owner] + number * spacing
    return owners[owner], np.clip(offset, 0.0, masses[owner])
