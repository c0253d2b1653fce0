"""Structural equation models: how one variable comes from its causes and its own noise.

A continuous variable is ``sqrt(share) * signal + sqrt(1 - share) * scale * noise``, each of
the three parts having variance 1 in the population. A discrete variable reads its level off
latent variables of that form: the interval that one falls in (an ordered logistic model), or
the largest of several (a multinomial logistic model). Values travel as floats, levels as
codes 0, 1, ...

Equations are drawn at random and scaled by a large simulation that has a random stream of its own.
Rows that are drawn later play no part in it, so they are independent of each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log, pi, sqrt
from typing import TypeAlias

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator
from causalaug._validation import check_integer
from causalaug.datasets._dataset import Dataset
from causalaug.graphs import ADMG
from causalaug.typing import FloatArray, IntArray

NOISES: Mapping[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "laplace": lambda rng, n: rng.laplace(scale=sqrt(0.5), size=n),
    "uniform": lambda rng, n: rng.uniform(-sqrt(3.0), sqrt(3.0), size=n),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1.0,
    "gumbel": lambda rng, n: (rng.gumbel(size=n) - np.euler_gamma) * (sqrt(6.0) / pi),
    "logistic": lambda rng, n: rng.logistic(size=n) * (sqrt(3.0) / pi),
}
"""Noise of mean 0 and variance 1, by the name of its family."""

Key: TypeAlias = str | tuple[str, str]
"""An observed variable, or the hidden cause of a pair of them."""

Values: TypeAlias = Mapping[Key, FloatArray | IntArray]


@dataclass(frozen=True)
class Line:
    """The cause itself."""

    def __call__(self, cause: FloatArray | IntArray) -> FloatArray:
        """Return the values as they are."""
        return cause.astype(np.float64, copy=False)


@dataclass(frozen=True)
class Wave:
    """A random smooth function: a slope that saturates, a sine, and a bump."""

    heights: tuple[float, float, float]
    steepness: float
    frequency: float
    phase: float
    centre: float

    def __call__(self, cause: FloatArray | IntArray) -> FloatArray:
        """Return the function at each value."""
        slope, sine, bump = self.heights
        value: FloatArray = (
            slope * np.tanh(self.steepness * cause)
            + sine * np.sin(self.frequency * cause + self.phase)
            + bump * np.exp(-np.square(cause - self.centre))
        )
        return value


@dataclass(frozen=True)
class Levels:
    """One effect per level of a discrete cause."""

    effects: tuple[float, ...]

    def __call__(self, cause: FloatArray | IntArray) -> FloatArray:
        """Return the effect of each code."""
        return np.asarray(self.effects)[cause.astype(np.intp, copy=False)]


Curve: TypeAlias = Line | Wave | Levels
"""How one cause acts, before any scaling."""


@dataclass(frozen=True)
class Arrow:
    """One cause, its curve, and the centre and weight that make its effect comparable."""

    cause: Key
    curve: Curve
    centre: float
    weight: float

    def __call__(self, values: Values) -> FloatArray:
        """Return the contribution of the cause."""
        return self.weight * (self.curve(values[self.cause]) - self.centre)


@dataclass(frozen=True)
class Signal:
    """The joint effect of all causes, with mean 0 and variance 1 in the population."""

    arrows: tuple[Arrow, ...]
    centre: float = 0.0
    spread: float = 1.0

    def __call__(self, values: Values) -> FloatArray:
        """Return the standardised sum of the contributions."""
        total: FloatArray = np.sum([arrow(values) for arrow in self.arrows], axis=0)
        return (total - self.centre) / self.spread


@dataclass(frozen=True)
class NoiseScale:
    """How the causes calm or stir the noise: between 1/2 and 2, then of mean square 1."""

    signal: Signal
    root_mean_square: float = 1.0

    def __call__(self, values: Values) -> FloatArray:
        """Return the factor of the noise."""
        scale: FloatArray = np.exp(log(2.0) * np.tanh(1.5 * self.signal(values)))
        return scale / self.root_mean_square


@dataclass(frozen=True)
class Continuous:
    """A real variable: mean 0, and variance 1 if its signal has variance 1."""

    noise: str
    share: float = 0.0
    signal: Signal | None = None
    scale: NoiseScale | None = None

    def draw(self, values: Values, n: int, rng: np.random.Generator) -> FloatArray:
        """Return n values."""
        noise = NOISES[self.noise](rng, n)
        if self.signal is None:
            return noise
        if self.scale is not None:
            noise = noise * self.scale(values)
        return sqrt(self.share) * self.signal(values) + sqrt(1.0 - self.share) * noise


@dataclass(frozen=True)
class Thresholds:
    """An ordered level: the interval that a latent variable falls in."""

    latent: Continuous
    cuts: tuple[float, ...]

    def draw(self, values: Values, n: int, rng: np.random.Generator) -> IntArray:
        """Return n codes."""
        return np.searchsorted(np.asarray(self.cuts), self.latent.draw(values, n, rng))


@dataclass(frozen=True)
class Choice:
    """An unordered level: the one whose latent variable is the largest."""

    latents: tuple[Continuous, ...]

    def draw(self, values: Values, n: int, rng: np.random.Generator) -> IntArray:
        """Return n codes."""
        streams = rng.spawn(len(self.latents))
        utilities = [
            latent.draw(values, n, stream)
            for latent, stream in zip(self.latents, streams, strict=True)
        ]
        codes: IntArray = np.argmax(utilities, axis=0)
        return codes


Equation: TypeAlias = Continuous | Thresholds | Choice
"""How one variable comes from its causes: ``draw(values, n, rng)`` returns n values of it."""

N_CALIBRATION = 2**15
"""The rows of the simulation that equations are scaled by."""


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
            effects = np.arange(n_levels) if ordered else self.spaced(n_levels)
            return Levels(tuple(map(float, effects)))
        return Line() if self.recipe.mechanism == "linear" else self.wave()

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


@dataclass(frozen=True, eq=False, repr=False)
class StructuralModel:
    """A structural equation model with its true graph; `make_sem_model` draws one.

    Rows are independent and have the same law, whichever call they come from: a model gives
    a small table to learn from and a large one to test on.

    Parameters
    ----------
    graph : ADMG
        The true graph. Each bidirected edge is a hidden variable that acts on both ends.
    target : str
        The variable to predict.
    description : str
        The kind of model, in words.
    equations : mapping of variables to equations
        How each variable, hidden ones included, comes from its causes; causes first.
    dtypes : mapping of str to {"float", "int", "bool", "category"}
        What each column holds.
    n_levels : mapping of str to int
        The number of levels of each discrete column.

    Examples
    --------
    Few rows to learn from, many to test on, all of one law:

    >>> from causalaug.datasets import make_sem_model
    >>> model = make_sem_model("star", n_variables=4, random_state=0)
    >>> train, test = model.sample(20, random_state=1), model.sample(5000, random_state=2)
    >>> train
    Dataset(20 rows of X1, X2, X3, Y; target Y; 3 edges)
    >>> test.frame.std().round(1).tolist()
    [1.0, 1.0, 1.0, 1.0]

    A longer table starts with the rows of the shorter one, so learning curves are nested:

    >>> model.sample(40, random_state=1).frame.head(20).equals(train.frame)
    True
    """

    graph: ADMG
    target: str
    description: str
    equations: Mapping[Key, Equation]
    dtypes: Mapping[str, str]
    n_levels: Mapping[str, int]

    def sample(self, n_rows: int, random_state: RandomState = None) -> Dataset:
        """Draw independent rows.

        Parameters
        ----------
        n_rows : int
            How many.
        random_state : int, Generator, RandomState, SeedSequence or None, optional
            The seed of the rows. It has nothing to do with the seed of the model.

        Returns
        -------
        Dataset
            The rows with the true graph.
        """
        check_integer("n_rows", n_rows, at_least=1)
        # The second child: the first is the one that models are drawn from.
        rng = as_generator(random_state).spawn(2)[1]
        values: dict[Key, FloatArray | IntArray] = {}
        streams = rng.spawn(len(self.equations))
        for (key, equation), stream in zip(self.equations.items(), streams, strict=True):
            values[key] = equation.draw(values, int(n_rows), stream)
        frame = pd.DataFrame({node: self._column(node, values[node]) for node in self.graph.nodes})
        return Dataset(frame, self.graph, self.target, self.description)

    def _column(self, node: str, values: FloatArray | IntArray) -> object:
        """Return values or codes as what a frame should hold."""
        match self.dtypes[node]:
            case "category":
                levels = pd.Index(list("abcd"[: self.n_levels[node]]))
                return pd.Categorical.from_codes(values.astype(np.intp), levels)
            case "bool":
                return values.astype(bool)
            case "int":
                return values.astype(np.int64)
            case _:
                return values

    def __repr__(self) -> str:
        """Return the sizes and the kind."""
        return (
            f"StructuralModel({len(self.graph.nodes)} variables; target {self.target}; "
            f"{len(self.graph.directed)} directed and {len(self.graph.bidirected)} bidirected "
            f"edges; {self.description})"
        )
