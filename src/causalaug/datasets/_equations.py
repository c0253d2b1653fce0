"""Structural equations: how one variable comes from its causes and its own noise.

A continuous variable is ``sqrt(share) * signal + sqrt(1 - share) * scale * noise``, each of
the three parts having variance 1 in the population. A discrete variable reads its level off
latent variables of that form: the interval that one falls in (an ordered logistic model), or
the largest of several (a multinomial logistic model). Values travel as floats, levels as
codes 0, 1, ...
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Protocol, TypeAlias

import numpy as np

from causalaug.datasets._noise import NOISES
from causalaug.typing import FloatArray, IntArray

Key: TypeAlias = str | tuple[str, str]
"""An observed variable, or the hidden cause of a pair of them."""

Values: TypeAlias = Mapping[Key, FloatArray | IntArray]

LOG_WILD = log(2.0)  # noise scales lie between 1/2 and 2: a factor of 4


class Equation(Protocol):
    """How one variable comes from its causes."""

    def draw(self, values: Values, n: int, rng: np.random.Generator) -> FloatArray | IntArray:
        """Return n values of the variable, given n values of each of its causes."""
        ...


class Curve(Protocol):
    """How one cause acts, before any scaling."""

    def __call__(self, cause: FloatArray | IntArray) -> FloatArray:
        """Return the effect of each value or code."""
        ...


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
        scale: FloatArray = np.exp(LOG_WILD * np.tanh(1.5 * self.signal(values)))
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
