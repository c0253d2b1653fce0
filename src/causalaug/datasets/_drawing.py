"""Drawing structural equations at random, scaled to the population and not to any sample.

The scales come from a large simulation that has a random stream of its own. Rows that are
drawn later play no part in it, so they are independent of each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from causalaug.datasets._equations import (
    Arrow,
    Choice,
    Continuous,
    Curve,
    Equation,
    Key,
    Levels,
    Line,
    NoiseScale,
    Signal,
    Thresholds,
    Wave,
)
from causalaug.graphs import ADMG
from causalaug.typing import FloatArray, IntArray

N_CALIBRATION = 2**15


@dataclass(frozen=True)
class Recipe:
    """What is wanted of the equations that are to be drawn."""

    mechanism: str
    noise: str
    share: float
    heteroscedastic: bool
    dtypes: Mapping[str, str]


def draw_equations(
    graph: ADMG, recipe: Recipe, rng: np.random.Generator
) -> dict[Key, tuple[Equation, int]]:
    """Return the equation and the number of levels of each variable, causes first.

    Zero levels mean a real variable. Each bidirected edge is a hidden variable of its own,
    and hidden variables come first.
    """
    draft = _Draft(recipe, rng)
    for pair in graph.bidirected:
        draft.add(pair, Continuous(recipe.noise), 0)
    for node in graph.topological_order():
        hidden = [pair for pair in graph.bidirected if node in pair]
        draft.add(node, *draft.equation(node, (*graph.parents(node), *hidden)))
    return draft.equations


class _Draft:
    """The equations so far, and the large simulation that they are scaled by."""

    def __init__(self, recipe: Recipe, rng: np.random.Generator) -> None:
        self.recipe = recipe
        self.rng, self.simulation_rng = rng.spawn(2)
        self.equations: dict[Key, tuple[Equation, int]] = {}
        self.values: dict[Key, FloatArray | IntArray] = {}

    def add(self, key: Key, equation: Equation, n_levels: int) -> None:
        self.equations[key] = equation, n_levels
        self.values[key] = equation.draw(self.values, N_CALIBRATION, self.simulation_rng)

    def equation(self, node: str, causes: tuple[Key, ...]) -> tuple[Equation, int]:
        dtype = self.recipe.dtypes[node]
        if dtype == "float":
            return self.continuous(causes, self.recipe.noise, self.recipe.heteroscedastic), 0
        if dtype == "category":
            n_levels = int(self.rng.integers(2, 5))
            return self.choice(causes, n_levels), n_levels
        n_levels = 2 if dtype == "bool" else int(self.rng.integers(3, 6))
        return self.thresholds(self.continuous(causes, "logistic", False), n_levels), n_levels

    def continuous(self, causes: tuple[Key, ...], noise: str, heteroscedastic: bool) -> Continuous:
        if not causes:
            return Continuous(noise)
        scale = self.noise_scale(causes) if heteroscedastic else None
        return Continuous(noise, self.recipe.share, self.signal(causes), scale)

    def thresholds(self, latent: Continuous, n_levels: int) -> Thresholds:
        shares = self.rng.dirichlet(np.full(n_levels, 20.0))
        values = latent.draw(self.values, N_CALIBRATION, self.simulation_rng)
        cuts = np.quantile(values, np.cumsum(shares)[:-1])
        return Thresholds(latent, tuple(map(float, cuts)))

    def choice(self, causes: tuple[Key, ...], n_levels: int) -> Choice:
        """Return latents of which a common shift is no effect: their differences are scaled."""
        if not causes:
            return Choice((Continuous("gumbel"),) * n_levels)
        # Of each cause, every level gets another weight: equal ones would cancel.
        sizes = self.rng.uniform(0.5, 1.5, len(causes))
        weights = np.array([size * self.spaced(n_levels) for size in sizes])
        signals = [Signal(tuple(map(self.arrow, causes, of_level))) for of_level in weights.T]
        totals = np.array([signal(self.values) for signal in signals])
        variance = (totals - totals.mean(axis=0)).var(axis=1).sum() / (n_levels - 1)
        scaled = [
            replace(signal, centre=float(total.mean()), spread=float(np.sqrt(variance)))
            for signal, total in zip(signals, totals, strict=True)
        ]
        return Choice(tuple(Continuous("gumbel", self.recipe.share, each) for each in scaled))

    def signal(self, causes: tuple[Key, ...]) -> Signal:
        signs = self.rng.choice([-1.0, 1.0], len(causes))
        weights = signs * self.rng.uniform(0.5, 1.5, len(causes))
        raw = Signal(tuple(map(self.arrow, causes, weights)))
        total = raw(self.values)
        return replace(raw, centre=float(total.mean()), spread=float(total.std()))

    def noise_scale(self, causes: tuple[Key, ...]) -> NoiseScale:
        raw = NoiseScale(self.signal(causes))
        mean_square = np.square(raw(self.values)).mean()
        return replace(raw, root_mean_square=float(np.sqrt(mean_square)))

    def arrow(self, cause: Key, weight: float) -> Arrow:
        curve = self.curve(cause)
        effect = curve(self.values[cause])
        return Arrow(cause, curve, float(effect.mean()), float(weight / effect.std()))

    def curve(self, cause: Key) -> Curve:
        n_levels = self.equations[cause][1]
        if n_levels:
            ordered = isinstance(cause, str) and self.recipe.dtypes[cause] != "category"
            return self.levels(n_levels, ordered)
        return Line() if self.recipe.mechanism == "linear" else self.wave()

    def levels(self, n_levels: int, ordered: bool) -> Levels:
        if ordered:
            return Levels(tuple(map(float, range(n_levels))))
        return Levels(tuple(map(float, self.spaced(n_levels))))

    def spaced(self, n_levels: int) -> FloatArray:
        """Return numbers around 0 in random order, no two of them close: one for each level."""
        jitter = self.rng.uniform(-0.25, 0.25, n_levels)
        return self.rng.permutation(np.arange(n_levels) - (n_levels - 1) / 2.0 + jitter)

    def wave(self) -> Wave:
        heights = self.rng.dirichlet([2.0, 2.0, 2.0]) * self.rng.choice([-1.0, 1.0], 3)
        return Wave(
            heights=(float(heights[0]), float(heights[1]), float(heights[2])),
            steepness=float(self.rng.uniform(0.5, 2.0)),
            frequency=float(self.rng.uniform(0.8, 2.0)),
            phase=float(self.rng.uniform(-np.pi, np.pi)),
            centre=float(self.rng.uniform(-1.0, 1.0)),
        )
