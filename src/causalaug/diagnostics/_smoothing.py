"""Regression of several columns on others: straight where that suffices, else smooth.

The straight part is fitted freely. What it leaves over is fitted by Gaussian kernels under a
ridge penalty. Which kernel and how strong a penalty is chosen for each column by generalised
cross-validation; on linear data the choice is so strong a penalty that the fit is linear.

Tables of targets are laid out column by column in memory: some columns are read and written at a
time, and all rows of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from causalaug.typing import BoolArray, FloatArray

WIDTHS = (0.5, 1.0, 2.0)
"""Widths of the kernels; a joint one has the square root of the number of columns as unit."""

PENALTIES = np.logspace(-6.0, 2.0, 25)
"""Ridge penalties per row; the last one leaves nothing but the straight part."""

UNDERSMOOTHING = 2
"""Steps from the chosen penalty to the one that is used, a fifth of it.

Prediction wants bias and variance in balance. A test wants less bias: a curve that the fits of
two columns both miss looks like a dependence between them.
"""

MOST_FUNCTIONS, LARGEST_BASIS = 200, 10_000_000
"""Limits on the kernel functions and on the numbers that hold them: memory grows with rows."""

TOLERANCE = 1e-4
"""Share of a kernel that may go unexplained."""

ROUNDING = 1e-10
"""What is left of a column below this share of it is rounding, and counts as nothing."""


@dataclass(frozen=True, eq=False)
class Regressors:
    """What to regress on.

    Parameters
    ----------
    straight : array of shape (n_rows, n_columns)
        Columns with a free coefficient each; the intercept is understood.
    curves : array of shape (n_rows, n_curves)
        Coordinates that the targets may follow in any smooth way.
    corners : array of shape (n_rows, n_corners)
        Further coordinates, zeros and ones, that the curves may differ by.
    n_corner_variables : int
        How many variables the corners stand for.
    """

    straight: FloatArray
    curves: FloatArray
    corners: FloatArray
    n_corner_variables: int

    @property
    def n_variables(self) -> int:
        """The number of variables with coordinates."""
        return int(self.curves.shape[1]) + self.n_corner_variables

    def kernel_places(self) -> Iterator[list[FloatArray]]:
        """Yield, per candidate kernel, the scaled coordinates of each of its summands.

        One candidate kernel lets all variables interact; another is a sum of one curve each,
        which needs far fewer rows if it is right. One variable of corners alone has neither:
        the straight part is already all there is.
        """
        if self.curves.shape[1] or self.n_corner_variables > 1:
            both = np.hstack([self.curves, self.corners])
            yield from ([both / (width * self.n_variables**0.5)] for width in WIDTHS)
        if self.curves.shape[1] and self.n_variables > 1:
            columns = np.split(self.curves, self.curves.shape[1], axis=1)
            yield from ([column / width for column in columns] for width in WIDTHS)


@dataclass(frozen=True, eq=False)
class Fit:
    """What a regression leaves over.

    Parameters
    ----------
    residuals : array of shape (n_rows, n_targets)
        What is not explained; all zero for a target that the straight part explains.
    kept : array of shape (n_rows, n_targets)
        The share of the noise variance that is expected in each squared residual: less than 1,
        because a fit follows the noise too.
    degrees : array of shape (n_targets,)
        Degrees of freedom that the fit of each target used.
    settled : array of shape (n_targets,)
        False where the data ask for a rougher curve than the rows can carry.
    """

    residuals: FloatArray
    kept: FloatArray
    degrees: FloatArray
    settled: BoolArray


def regress_straight(targets: FloatArray, straight: FloatArray) -> Fit:
    """Regress each target on the constant and the columns of `straight` by least squares.

    Shapes: targets (n_rows, n_targets), straight (n_rows, n_columns). Columns may be
    constant or collinear.
    """
    return _fit_straight(targets, orthonormal_basis(straight))


def regress(targets: FloatArray, on: Regressors) -> Fit:
    """Regress each target on the straight columns, and smoothly on the curves and corners.

    Of the kernels and penalties each target has the one of the best score. Shape of targets:
    (n_rows, n_targets).
    """
    basis = orthonormal_basis(on.straight)
    straight = _fit_straight(targets, basis)
    best = replace(
        straight,
        residuals=straight.residuals.copy(order="F"),
        kept=np.array(straight.kept, order="F"),
        degrees=straight.degrees.copy(),
        settled=straight.settled.copy(),
    )
    score = np.full(targets.shape[1], np.inf)
    for places in on.kernel_places():
        _try_kernel(kernel_functions(places), basis, straight, best, score)
    return best


def _try_kernel(
    functions: FloatArray, basis: FloatArray, straight: Fit, best: Fit, score: FloatArray
) -> None:
    """Write into `best` and `score` the fits of the targets that this kernel scores better on.

    The functions are used up: what is straight is taken out in their own place. What is left is
    mixed into orthonormal waves, which each penalty shrinks by their variance, so that the scores
    of all penalties need no fit.
    """
    n_rows, n_targets = straight.residuals.shape
    n_functions, n_straight = functions.shape[1], basis.shape[1]
    functions -= _explained(basis, functions)
    power, directions = np.linalg.eigh(functions.T @ functions)
    real = power > ROUNDING * n_functions
    power = power[real, np.newaxis]
    waves = functions @ (directions[:, real] / np.sqrt(power[:, 0]))
    shrink = power / (power + n_rows * PENALTIES)
    parts = waves.T @ straight.residuals
    total = _squares(straight.residuals)[:, np.newaxis]
    left = np.maximum(total - np.square(parts).T @ (shrink * (2.0 - shrink)), 0.0)
    degrees = n_straight + shrink.sum(axis=0)
    room = n_rows / 2
    if n_functions == most_functions(n_rows):
        room = min(room, n_straight + n_functions)
    stiffest = len(PENALTIES) - 1
    allowed = (degrees <= room) | (np.arange(stiffest + 1) == stiffest)
    scores = np.where(allowed, left / np.square(np.maximum(n_rows - degrees, 1.0)), np.inf)
    # Of equal scores the stiffest fit wins: a column of zeros is fitted by zero.
    choice = stiffest - scores[:, ::-1].argmin(axis=1)
    found = scores[np.arange(n_targets), choice]
    better = np.flatnonzero(found < score)
    score[better] = found[better]
    for chosen in np.unique(choice[better]):
        won = better[choice[better] == chosen]
        used = chosen if chosen == stiffest else max(chosen - UNDERSMOOTHING, 0)
        by = shrink[:, used, np.newaxis]
        best.residuals[:, won] = straight.residuals[:, won] - waves @ (by * parts[:, won])
        best.kept[:, won] = straight.kept[:, :1] - np.square(waves) @ (by * (2.0 - by))
        best.degrees[won] = degrees[used]
        best.settled[won] = chosen == stiffest or degrees[chosen] <= room * 2 / 3


def orthonormal_basis(columns: FloatArray) -> FloatArray:
    """Return an orthonormal basis of the constant and the columns, collinear ones left out.

    Shapes: columns (n_rows, n_columns), result (n_rows, at most n_columns + 1).
    """
    n_rows = len(columns)
    centred = columns - columns.mean(axis=0)
    norms = np.sqrt(np.square(centred).sum(axis=0))
    varies = norms > ROUNDING * np.sqrt(np.square(columns).sum(axis=0))
    left, spread, _ = np.linalg.svd(centred[:, varies] / norms[varies], full_matrices=False)
    constant = np.full((n_rows, 1), n_rows**-0.5)
    return np.hstack([constant, left[:, spread > ROUNDING * spread.max(initial=0.0)]])


def _fit_straight(targets: FloatArray, basis: FloatArray) -> Fit:
    """Take out of the targets what the basis explains."""
    residuals = _explained(basis, targets)
    np.subtract(targets, residuals, out=residuals)
    residuals[:, _squares(residuals) <= ROUNDING**2 * _squares(targets)] = 0.0
    kept = 1.0 - np.square(basis).sum(axis=1, keepdims=True)
    degrees = np.full(targets.shape[1], float(basis.shape[1]))
    of_each = np.broadcast_to(kept, targets.shape)
    return Fit(residuals, of_each, degrees, np.ones(targets.shape[1], bool))


def _explained(basis: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the part of some columns that an orthonormal basis explains."""
    part: FloatArray = ((columns.T @ basis) @ basis.T).T
    return part


def _squares(columns: FloatArray) -> FloatArray:
    """Return the sum of squares of each column, without a table of squares."""
    squares: FloatArray = np.einsum("ij,ij->j", columns, columns)
    return squares


def most_functions(n_rows: int) -> int:
    """Return how many kernel functions may be used; a kernel that needs more is cut short."""
    return min(n_rows, MOST_FUNCTIONS, max(LARGEST_BASIS // n_rows, 1))


def kernel_functions(places: Sequence[FloatArray]) -> FloatArray:
    """Return functions whose products add up to a mean of Gaussian kernels, or nearly.

    An incomplete Cholesky decomposition, which always takes the row that is explained worst
    so far. Each of the `places` has the coordinates of one kernel, shape (n_rows,
    n_coordinates); the result has shape (n_rows, n_functions).
    """
    n_rows = len(places[0])
    rank = most_functions(n_rows)
    functions = np.empty((n_rows, rank), order="F")
    unexplained = np.ones(n_rows)
    halves = [0.5 * np.square(each).sum(axis=1) for each in places]
    for k in range(rank):
        worst = int(unexplained.argmax())
        if unexplained[worst] < TOLERANCE:
            return functions[:, :k]
        # -|x - z|^2 / 2 as x z - x^2 / 2 - z^2 / 2: a product of a matrix and a vector is fast, and
        # scaled coordinates are so small that no digit is lost that matters.
        logs = [x @ x[worst] - half - half[worst] for x, half in zip(places, halves, strict=True)]
        kernel = np.exp(logs).mean(axis=0)
        kernel -= functions[:, :k] @ functions[worst, :k]
        np.divide(kernel, np.sqrt(unexplained[worst]), out=functions[:, k])
        unexplained -= np.square(functions[:, k], out=kernel)
    return functions
