"""The plainest guess there is: ridge regression, its penalty chosen by rows that were left out."""

from dataclasses import dataclass

import numpy as np

from causalaug.densities._spread import spread
from causalaug.typing import FloatArray

RIDGE_PENALTIES = np.logspace(-3, 3, 13)
"""Penalties of a ridge regression on standardised columns that are tried."""


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line in several inputs, and how much of left-out rows it explains.

    `explained` is the share of their squared distance to the mean of the others that the line
    takes away, without the row that speaks for it most; 0 if it is no better than that mean.
    """

    centre: FloatArray
    slopes: FloatArray
    intercept: float
    explained: float

    @classmethod
    def fit(cls, inputs: FloatArray, target: FloatArray, weights: FloatArray) -> "Line":
        """Return the line whose penalty has the least squared error on rows that were left out.

        Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). With one singular value
        decomposition ``U S V'`` of the weighted inputs, all penalties are tried at once: row `i`
        pulls its own fitted value by ``h_i = w_i + sum_k U_ik^2 s_k^2 / (s_k^2 + penalty)``, and
        the residual that it would have without itself is its residual over ``1 - h_i``.
        """
        share = weights / weights.sum()
        centre, scale = share @ inputs, spread(inputs, weights)
        scale[scale == 0.0] = 1.0
        root, middle = np.sqrt(share), float(share @ target)
        standard = (inputs - centre) / scale
        left, sizes, right = np.linalg.svd(root[:, np.newaxis] * standard, full_matrices=False)
        # Weights that sum to one count each row for less: so must the penalty.
        penalties = RIDGE_PENALTIES / weights.sum()
        kept = np.square(sizes) / (np.square(sizes) + penalties[:, np.newaxis])
        scores = left.T @ (root * (target - middle))
        fitted = left @ (kept * scores).T
        residuals = (root * (target - middle))[:, np.newaxis] - fitted
        leverages = share[:, np.newaxis] + np.square(left) @ kept.T
        # A row that alone decides about a slope says nothing about the others' error.
        left_out = residuals / np.maximum(1.0 - leverages, np.finfo(np.float64).eps)
        squares = np.square(left_out)
        best = int(np.argmin(squares.sum(axis=0)))
        slopes = right.T @ (sizes / (np.square(sizes) + penalties[best]) * scores) / scale
        of_mean = np.square(root * (target - middle) / np.maximum(1.0 - share, share))
        return cls(centre, slopes, middle, _explained(squares[:, best], of_mean))

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the line at each row of inputs."""
        straight: FloatArray = (inputs - self.centre) @ self.slopes + self.intercept
        return straight


def _explained(squares: FloatArray, of_mean: FloatArray) -> float:
    """Return by how much squared errors are smaller than those of a mean: a share, at least 0.

    One row far out can hold nearly all of both. It is left out, whichever makes that most.

    >>> _explained(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 99.0])).__round__(3)
    0.333
    """
    rest, rest_of_mean = squares.sum() - squares, of_mean.sum() - of_mean
    share = rest / np.maximum(rest_of_mean, np.finfo(np.float64).tiny)
    return max(float(1.0 - share.max()), 0.0)
