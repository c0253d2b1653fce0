"""Regression of several columns on others: straight where that suffices, else smooth.

The straight part is fitted freely. What it leaves over is fitted by Gaussian kernels under a
ridge penalty. Which kernel and how strong a penalty is chosen for each column by generalised
cross-validation; on linear data the choice is so strong a penalty that the fit is linear.

Tables of targets are laid out column by column in memory: some columns are read and written at a
time, and all rows of them.
"""

from collections.abc import Callable, Iterator, Sequence
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

MOST_HELD = LARGEST_BASIS
"""Numbers of functions that are held until all kernels were tried; beyond, fits are written out."""

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

    Shape of targets: (n_rows, n_targets).
    """
    basis = orthonormal_basis(on.straight)
    search = _Search(_fit_straight(targets, basis), basis)
    for places in on.kernel_places():
        search.try_kernel(kernel_functions(places))
    return search.result()


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


@dataclass(frozen=True, eq=False)
class _Waves:
    """Orthonormal combinations of kernel functions, and how each penalty shrinks them.

    The waves are ``functions @ mix``. Scores go by the parts of the targets along them, which need
    no wave: most kernels win no target, and their waves are never written out.

    Shapes: functions (n_rows, n_functions), mix (n_functions, n_waves), parts (n_waves, n_targets),
    shrink (n_waves, n_penalties), degrees (n_penalties,).
    """

    functions: FloatArray
    mix: FloatArray
    parts: FloatArray
    shrink: FloatArray
    degrees: FloatArray


class _Search:
    """Finds the kernel and the penalty of the best score for each target.

    Scores need no residual. A fit is written out once its target has seen all kernels, and not
    for each kernel that is better than those before; with hundreds of targets, that and the reads
    of single columns took most of the time.
    """

    def __init__(self, plain: Fit, basis: FloatArray) -> None:
        self.plain, self.basis = plain, basis
        n_targets = plain.residuals.shape[1]
        self.best = plain
        self.score = np.full(n_targets, np.inf)
        self.total = _squares(plain.residuals)[:, np.newaxis]
        self.settled = plain.settled.copy()
        self.kernel = np.full(n_targets, -1)
        self.used = np.zeros(n_targets, dtype=np.int64)
        self.n_tried = 0
        self.held: dict[int, _Waves] = {}

    def try_kernel(self, functions: FloatArray) -> None:
        """Let these kernel functions win the targets that they score better on; they are used up.

        Of the functions, what is straight is taken out in their own place.
        """
        n_rows, n_targets = self.plain.residuals.shape
        most = functions.shape[1] == most_functions(n_rows)
        functions -= _explained(self.basis, functions)
        mix, power = _principal_waves(functions)
        shrink = power[:, np.newaxis] / (power[:, np.newaxis] + n_rows * PENALTIES)
        parts = mix.T @ (functions.T @ self.plain.residuals)
        left = np.maximum(self.total - np.square(parts).T @ (shrink * (2.0 - shrink)), 0.0)
        degrees = self.basis.shape[1] + shrink.sum(axis=0)
        room = n_rows / 2
        if most:
            room = min(room, self.basis.shape[1] + functions.shape[1])
        allowed = degrees <= room
        allowed[-1] = True
        scores = np.where(allowed, left / np.square(np.maximum(n_rows - degrees, 1.0)), np.inf)
        # Of equal scores the stiffest fit wins: a column of zeros is fitted by zero.
        stiffest = len(PENALTIES) - 1
        choice = stiffest - scores[:, ::-1].argmin(axis=1)
        score = scores[np.arange(n_targets), choice]
        better = np.flatnonzero(score < self.score)
        choice = choice[better]
        self.score[better] = score[better]
        self.used[better] = np.where(
            choice == stiffest, choice, np.maximum(choice - UNDERSMOOTHING, 0)
        )
        self.settled[better] = (choice == stiffest) | (degrees[choice] <= room * 2 / 3)
        self.kernel[better] = self.n_tried
        self.held[self.n_tried] = _Waves(functions, mix, parts, shrink, degrees)
        self.n_tried += 1
        self._let_go()

    def result(self) -> Fit:
        """Return the best fit of each target."""
        self._write()
        return replace(self.best, settled=self.settled)

    def _let_go(self) -> None:
        """Forget kernels that no target wants any more, and hold no more than the limit."""
        wanted = set(self.kernel.tolist())
        self.held = {number: each for number, each in self.held.items() if number in wanted}
        if sum(each.functions.size for each in self.held.values()) > MOST_HELD:
            self._write()

    def _write(self) -> None:
        """Write out the fits of the kernels that are held."""
        if self.held and self.best is self.plain:
            self.best = _blank(self.plain)
        for number, each in self.held.items():
            won = np.flatnonzero(self.kernel == number)
            used = self.used[won]
            waves = each.functions @ each.mix
            fitted = (each.shrink[:, used] * each.parts[:, won]).T @ waves.T
            np.subtract(self.plain.residuals.T[won], fitted, out=fitted)
            self.best.residuals.T[won] = fitted
            # What a fit keeps of the noise depends on its penalty alone, of which there are few.
            penalties = np.unique(used)
            by = each.shrink[:, penalties]
            follows = (by * (2.0 - by)).T @ np.square(waves, out=waves).T
            for penalty, kept in zip(penalties, self.plain.kept[:, 0] - follows, strict=True):
                self.best.kept.T[won[used == penalty]] = kept
            self.best.degrees[won] = each.degrees[used]
        self.held = {}


def _blank(fit: Fit) -> Fit:
    """Return a fit of the same size that is yet to be written.

    Each target has won by the first kernel: any score is better than none.
    """
    residuals, kept = (np.empty(fit.residuals.shape, order="F") for _ in range(2))
    return Fit(residuals, kept, fit.degrees.copy(), fit.settled)


def _explained(basis: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the part of some columns that an orthonormal basis explains."""
    part: FloatArray = ((columns.T @ basis) @ basis.T).T
    return part


def _squares(columns: FloatArray) -> FloatArray:
    """Return the sum of squares of each column, without a table of squares."""
    squares: FloatArray = np.einsum("ij,ij->j", columns, columns)
    return squares


def _principal_waves(functions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what mixes the functions into orthonormal waves, and the variance along each."""
    power, directions = np.linalg.eigh(functions.T @ functions)
    real = power > ROUNDING * len(functions)
    return directions[:, real] / np.sqrt(power[real]), power[real]


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
    kernel_at = _mean_kernel(places)
    for k in range(rank):
        worst = int(unexplained.argmax())
        if unexplained[worst] < TOLERANCE:
            return functions[:, :k]
        kernel = kernel_at(worst)
        kernel -= functions[:, :k] @ functions[worst, :k]
        np.divide(kernel, np.sqrt(unexplained[worst]), out=functions[:, k])
        unexplained -= np.square(functions[:, k], out=kernel)
    return functions


def _mean_kernel(places: Sequence[FloatArray]) -> Callable[[int], FloatArray]:
    """Return what gives the mean of the kernels between one row and all, shape (n_rows,).

    Of a column the differences are taken. Of several coordinates, ``-|x - z|^2 / 2`` is
    ``x z - x^2 / 2 - z^2 / 2``, and a product of a matrix and a vector takes half the time; scaled
    coordinates are so small that it loses no digit that matters.
    """
    if all(each.shape[1] == 1 for each in places):
        single = np.ascontiguousarray(np.hstack(places).T)
        return lambda row: _mean(_gaussian(single - single[:, row, np.newaxis]))
    halves = [0.5 * np.square(each).sum(axis=1) for each in places]

    def kernel_at(row: int) -> FloatArray:
        logs = np.array(
            [x @ x[row] - half - half[row] for x, half in zip(places, halves, strict=True)]
        )
        return _mean(np.exp(logs, out=logs))

    return kernel_at


def _mean(kernels: FloatArray) -> FloatArray:
    """Return the mean over the first axis; `numpy.mean` is slow for a few rows."""
    mean: FloatArray = kernels[0] if len(kernels) == 1 else kernels.sum(axis=0)
    mean /= len(kernels)
    return mean


def _gaussian(differences: FloatArray) -> FloatArray:
    """Return the kernel of each difference, in its own place."""
    differences *= differences
    differences *= -0.5
    kernel: FloatArray = np.exp(differences, out=differences)
    return kernel
