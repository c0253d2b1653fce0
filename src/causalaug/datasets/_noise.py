"""Noise of mean 0 and variance 1, by the name of its family."""

from collections.abc import Callable, Mapping
from math import pi, sqrt

import numpy as np

from causalaug.typing import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]


def _gaussian(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.normal(size=n)


def _laplace(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.laplace(scale=sqrt(0.5), size=n)


def _uniform(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.uniform(-sqrt(3.0), sqrt(3.0), size=n)


def _exponential(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.exponential(size=n) - 1.0


def _gumbel(rng: np.random.Generator, n: int) -> FloatArray:
    return (rng.gumbel(size=n) - np.euler_gamma) * (sqrt(6.0) / pi)


def _logistic(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.logistic(size=n) * (sqrt(3.0) / pi)


NOISES: Mapping[str, Draw] = {
    "gaussian": _gaussian,
    "laplace": _laplace,
    "uniform": _uniform,
    "exponential": _exponential,
    "gumbel": _gumbel,
    "logistic": _logistic,
}
