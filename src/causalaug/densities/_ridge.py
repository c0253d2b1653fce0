"""Ridge regression of weighted rows, at many penalties at a time.

A `Line` in the inputs is the plainest guess there is. Features of a mean are compared by their
evidence alone; what rows owe to a fit takes longer, and is worked out for the best of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from causalaug.densities._student import spread, unit_of
from causalaug.typing import FloatArray

FEW_ROWS = 20
"""With fewer rows the leave-one-out error decides instead of the evidence."""

LEAST_FREEDOM = 1e-6
"""A row that determines its own fitted value cannot be left out; it is not divided by zero."""

RIDGE_PENALTIES = np.logspace(-3, 3, 13)
"""Penalties of a ridge regression on standardised columns that are tried."""

LEAST_UNEXPLAINED = 1e-24
"""A part of the target's variance that no rounding can tell from nothing."""


@dataclass(frozen=True, eq=False)
class Response:
    """A target of weighted rows, as a regression wants it.

    Parameters
    ----------
    share : array of shape (n_rows,)
        The weights, which sum to one.
    centre, unit : float
        The mean of the target and its standard deviation.
    root, standard : array of shape (n_rows,)
        The roots of the weights, and the standardised target times these.
    n_rows : float
        How many rows there are, effectively.
    """

    target: FloatArray
    share: FloatArray
    centre: float
    unit: float
    root: FloatArray
    standard: FloatArray
    n_rows: float

    @classmethod
    def of(cls, target: FloatArray, share: FloatArray, n_rows: float | None = None) -> "Response":
        """Return the target in its own unit, and count its rows."""
        n_rows = 1.0 / float(share @ share) if n_rows is None else n_rows
        centre, root = float(share @ target), np.sqrt(share)
        away = target - centre
        unit = unit_of(away, share)
        return cls(target, share, centre, unit, root, root * (away / unit), n_rows)

    def centred(self, design: FloatArray) -> "Centred":
        """Return features less their means, times the roots of the weights."""
        middle = self.share @ design
        rows = design - middle
        rows *= self.root[:, np.newaxis]
        return Centred(design, rows, middle)


@dataclass(frozen=True, eq=False)
class Centred:
    """Features of all rows: as they are, and centred and weighed, with the means taken off."""

    design: FloatArray
    rows: FloatArray
    middle: FloatArray

    @property
    def is_tall(self) -> bool:
        """Whether there are at least as many rows as features."""
        return bool(self.rows.shape[1] <= len(self.rows))

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the features; to compare them and to fit them takes the same one."""
        return self.rows.T @ self.rows


def log_evidence(features: Centred, response: Response, penalties: FloatArray) -> FloatArray:
    """Return the log-likelihood of the target at each penalty, coefficients integrated out.

    The intercept is free. With centred features `F` and noise of variance `s`, the target is
    normal with covariance ``s (1 + F F' / penalty)``; `s` is where its likelihood is largest. Of
    few rows it is that of each under a fit to the others.
    """
    rows, standard = features.rows, response.standard
    if response.n_rows < FEW_ROWS:
        return _log_left_out(rows, response, penalties)
    ratios = penalties / response.n_rows
    if features.is_tall:
        product, volumes = inverse_forms(features.covariance, rows.T @ standard, ratios)
        unexplained = standard @ standard - product
    else:  # the same by the smaller matrix
        product, volumes = inverse_forms(rows @ rows.T, standard, ratios)
        unexplained = ratios * product
    unexplained = np.maximum(unexplained, LEAST_UNEXPLAINED)
    evidence: FloatArray = -0.5 * response.n_rows * np.log(unexplained) - 0.5 * volumes
    return evidence


def inverse_forms(
    matrix: FloatArray, vector: FloatArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ``v' (M + r)^-1 v`` and ``log det(M / r + 1)`` for each ratio `r`.

    Reflections of ``[[0, v'], [v, M]]`` make `M` tridiagonal in a basis that starts with `v`. To
    factorise a tridiagonal matrix takes next to nothing: all ratios do so at once, laid end to
    end. The last pivot, which belongs to `v`, is one over the first element of the inverse. Of 64
    features this takes a third of the time that eigenvalues and their vectors take.
    """
    size = len(matrix)
    bordered = np.zeros((size + 1, size + 1), order="F")
    bordered[1:, 0], bordered[1:, 1:] = vector, matrix
    _, diagonal, beside, _, _ = lapack.dsytrd(bordered, lower=1, overwrite_a=1)
    diagonals = diagonal[:0:-1] + ratios[:, np.newaxis]
    besides = np.zeros((len(ratios), size))
    besides[:, :-1] = beside[:0:-1]
    pivots, _, failed = lapack.dpttrf(diagonals.ravel(), besides.ravel()[:-1])
    if failed:  # a ratio is lost in rounding beside features that depend on each other
        return _inverse_forms_of_principal(matrix, vector, ratios)
    pivots = pivots.reshape(diagonals.shape)
    volumes = np.log(pivots / ratios[:, np.newaxis]).sum(axis=1)
    return beside[0] ** 2 / pivots[:, -1], volumes


def _inverse_forms_of_principal(
    matrix: FloatArray, vector: FloatArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the same by eigenvalues, of which none is below zero."""
    variances, directions = np.linalg.eigh(matrix)
    variances = np.maximum(variances, 0.0)[:, np.newaxis]
    product = np.square(vector @ directions) @ (1.0 / (variances + ratios))
    return product, np.log1p(variances / ratios).sum(axis=0)


def _log_left_out(rows: FloatArray, response: Response, penalties: FloatArray) -> FloatArray:
    """Return the log-likelihood of rows, each under a fit to the others, at each penalty."""
    variances, directions = _principal(rows)
    projected = directions.T @ (rows.T @ response.standard)
    shrunk = 1.0 / (variances[:, np.newaxis] + penalties / response.n_rows)
    scores = rows @ directions
    left_out = response.standard[:, np.newaxis] - scores @ (projected[:, np.newaxis] * shrunk)
    leverages = response.share[:, np.newaxis] + np.square(scores) @ shrunk
    left_out /= np.maximum(1.0 - leverages, LEAST_FREEDOM)
    error = np.maximum(np.square(left_out).sum(axis=0), LEAST_UNEXPLAINED)
    evidence: FloatArray = -0.5 * response.n_rows * np.log(error)
    return evidence


@dataclass(frozen=True, eq=False)
class Coefficients:
    """The coefficients of features at one penalty, and how sure they are.

    `directions` are independent of each other; `doubts` are the variances along them, in variances
    of the noise over the number of rows.
    """

    coefficients: FloatArray
    intercept: float
    middle: FloatArray
    directions: FloatArray
    doubts: FloatArray
    residuals: FloatArray
    leverages: FloatArray


def fit_coefficients(features: Centred, response: Response, penalty: float) -> Coefficients:
    """Fit the features of all rows at one penalty."""
    rows, middle = features.rows, features.middle
    ratio = penalty / response.n_rows
    is_many = features.is_tall and response.n_rows >= FEW_ROWS
    variances, directions = _whitened(features, ratio) if is_many else _principal(rows)
    doubts = 1.0 / (variances + ratio)
    scores = rows @ directions
    values = response.unit * (directions @ ((response.standard @ scores) * doubts))
    intercept = response.centre - float(middle @ values)
    residuals = response.target - (features.design @ values + intercept)
    scores *= scores
    leverages = np.minimum(response.share + scores @ doubts, 1.0)
    return Coefficients(values, intercept, middle, directions, doubts, residuals, leverages)


def _principal(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return variances and directions of the features, from the smaller of two matrices."""
    n_rows, n_features = rows.shape
    if n_features <= n_rows:
        variances, directions = np.linalg.eigh(rows.T @ rows)
        return np.maximum(variances, 0.0), directions
    variances, basis = np.linalg.eigh(rows @ rows.T)
    kept = variances > 1e-13 * max(float(variances[-1]), 1e-300)
    variances, basis = variances[kept], basis[:, kept]
    return variances, (rows.T @ basis) / np.sqrt(variances)


def _whitened(features: Centred, ratio: float) -> tuple[FloatArray, FloatArray]:
    """Return variances and directions that serve one penalty as well as principal ones.

    With ``L L'`` the covariance of the features plus the penalty, the columns of ``L'^-1`` have
    the length one in it. A Cholesky factorisation takes a fifth of the time that eigenvalues do.
    """
    covariance = features.covariance.copy()
    covariance.flat[:: len(covariance) + 1] += ratio
    factor, failed = lapack.dpotrf(covariance, lower=1)  # zeros above the diagonal
    if failed:  # the penalty is lost in rounding beside features that depend on each other
        return _principal(features.rows)
    inverse, _ = lapack.dtrtri(factor, lower=1)
    lengths = factor.diagonal()
    variances: FloatArray = np.maximum(np.square(lengths) - ratio, 0.0)
    return variances, inverse.T * lengths


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
