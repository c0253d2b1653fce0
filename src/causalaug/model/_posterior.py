"""The target given the rest: Bayes' rule along the factors of the graph.

``q(y | x)`` is proportional to ``p(y | x_mp(y))`` times ``p(x_c | x_mp(c), y)`` over the factors
`c` whose pillow holds the target. All others do not depend on y and cancel. Levels are
enumerated. For a number the product is evaluated on points that start as quantiles of the first
factor, and are added where the mass turns out to be: eleven children make a posterior much
narrower than the prior.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from causalaug.densities import Along, Density
from causalaug.typing import FloatArray, IntArray

FIRST_POINTS = 33
"""Points of the first round: quantiles of the target given its own pillow."""

MORE_POINTS = 24
"""Points that each further round adds. A spike between two points is 20 times narrower after it."""

MOST_ROUNDS = 7
"""Rounds after which a posterior stays as it is. Noise has a floor of a millionth of the spread:
five rounds reach it."""

LARGEST_CELL = 0.06
"""A row is done when no space between two points holds more of its mass. With half of it, quantiles
are off by a quarter less and take twice as long (96 posteriors of 80 to 100 rows)."""

MEAN_POINTS = 13
"""Points of each round if only the mean is wanted."""

MOST_MEAN_ROUNDS = 4
"""Rounds after which a mean stays as it is: the fourth changes it by little, wherever it is."""

BLOCK_ROWS = 1024
"""Rows of which the products are held at a time."""


@dataclass(frozen=True, eq=False)
class Child:
    """A factor whose pillow holds the target: its columns, and where the target is in them."""

    density: Density
    column: int
    pillow: IntArray
    position: int

    def given(self, values: FloatArray) -> Along:
        """Return how likely the child's cell in each of some rows is at points of the target."""
        own, pillow = values[:, self.column], values[:, self.pillow]
        return self.density.along(own, pillow, self.position)


@dataclass(frozen=True, eq=False)
class Posterior:
    """All factors that hold the target: its own, and those of its children."""

    density: Density
    pillow: IntArray
    children: tuple[Child, ...]

    def given(self, values: FloatArray) -> Along:
        """Return the log of the product of all factors, given some rows, at points of the target.

        Rows are asked for by number. What does not depend on the points is worked out once.

        A factor that is zero at every point says nothing of where the target is, only that the
        row is impossible; it is left out, instead of making everything zero. Where the factors
        contradict each other at every point, the target's own factor speaks alone.
        """
        own = self.density.given(values[:, self.pillow])
        children = [each.given(values) for each in self.children]

        def log_joint(rows: IntArray, points: FloatArray) -> FloatArray:
            total = alone = own(rows, points)
            for child in children:
                log_likelihood = child(rows, points)
                impossible = np.isneginf(log_likelihood).all(axis=1, keepdims=True)
                total = total + np.where(impossible, 0.0, log_likelihood)
            return np.where(np.isneginf(total).all(axis=1, keepdims=True), alone, total)

        return log_joint

    def log_joint(self, values: FloatArray, points: FloatArray) -> FloatArray:
        """Return the log of the product of all factors at points of each row: (n, n_points)."""
        return self.given(values)(np.arange(len(values)), points)

    def cover(self, values: FloatArray, n_points: int) -> FloatArray:
        """Return points that cover the target given its own pillow."""
        return self.density.cover(values[:, self.pillow], n_points)


def probabilities(posterior: Posterior, values: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the probability of each level in each row: shape (n, n_levels)."""
    result = np.empty((len(values), len(levels)))
    for start in range(0, len(values), BLOCK_ROWS):
        block = values[start : start + BLOCK_ROWS]
        points = np.broadcast_to(levels, (len(block), len(levels)))
        result[start : start + BLOCK_ROWS] = normalised(posterior.log_joint(block, points))
    return result


def normalised(log_masses: FloatArray) -> FloatArray:
    """Return masses that sum to one in each row; equal ones where all are zero."""
    total = logsumexp(log_masses, axis=1, keepdims=True)
    even = -np.log(log_masses.shape[1])
    nothing = np.isneginf(total)
    masses: FloatArray = np.exp(np.where(nothing, even, log_masses - np.where(nothing, 0.0, total)))
    return masses


def means(posterior: Posterior, values: FloatArray) -> FloatArray:
    """Return the mean of a number in each row: far cheaper than its distribution.

    A first round finds where the mass is. Points that are even there integrate smooth functions
    to more digits than are needed, once a standard deviation holds one of them (the trapezoid
    rule); rows whose mass is still on one point get another round.
    """
    if len(posterior.density.atoms):
        points, cumulative, _ = distributions(posterior, values)
        cells = 0.5 * (points[:, 1:] + points[:, :-1]) * np.diff(cumulative, axis=1)
        of_rows: FloatArray = cells.sum(axis=1)
        return of_rows
    blocks = [
        _means(posterior, values[start : start + BLOCK_ROWS])
        for start in range(0, len(values), BLOCK_ROWS)
    ]
    return np.concatenate([np.empty(0), *blocks])


def _means(posterior: Posterior, values: FloatArray) -> FloatArray:
    """Return the means of one block of rows."""
    if not posterior.children:
        centre = posterior.density.centre(values[:, posterior.pillow])
        if centre is not None:
            return centre
    log_product, points = posterior.given(values), posterior.cover(values, MEAN_POINTS)
    result = np.empty(len(values))
    rough = np.arange(len(values))
    for number in range(MOST_MEAN_ROUNDS):
        log_joint = log_product(rough, points)
        cells = _cell_masses(points, log_joint)
        # By the trapezoid rule a point stands for half of the cell on either side of it.
        masses = 0.5 * (np.pad(cells, ((0, 0), (1, 0))) + np.pad(cells, ((0, 0), (0, 1))))
        result[rough] = (masses * points).sum(axis=1)
        # A Gaussian has 0.35 on its middle point if the next is 0.9 standard deviations away.
        is_rough = masses.max(axis=1) > (0.35 if number else 0.0)
        rough, points = rough[is_rough], _evenly(points[is_rough], log_joint[is_rough])
        if not len(rough):
            break
    return result


def _evenly(points: FloatArray, log_joint: FloatArray) -> FloatArray:
    """Return even points where the mass is, from the first space that holds some to the last.

    Between two points the logarithm is taken for a line: a space at whose other end the density
    is next to nothing holds much less than half of what the higher end suggests.
    """
    masses, _, _ = _masses_under_lines(points, log_joint)
    running = np.cumsum(masses, axis=1)
    running /= np.maximum(running[:, -1:], np.finfo(np.float64).tiny)
    # All points may be one, on a limit, and there is no mass between them.
    running[:, -1] = 1.0
    # Points need not reach the outermost half percent of the mass on either side.
    first = (running < 0.005).sum(axis=1, keepdims=True)
    last = (running < 0.995).sum(axis=1, keepdims=True) + 1
    begin, end = (np.take_along_axis(points, each, 1) for each in (first, last))
    return begin + (end - begin) * np.linspace(0.0, 1.0, MEAN_POINTS)


def distributions(
    posterior: Posterior, values: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points, the cumulative distribution at them, and the log of all mass, for each row.

    Shapes: (n, n_points) twice, and (n,). Rows that need fewer points than others repeat their
    last one.
    """
    blocks = [
        _distribution(posterior, values[start : start + BLOCK_ROWS])
        for start in range(0, len(values), BLOCK_ROWS)
    ]
    if not blocks:
        return np.empty((0, 2)), np.empty((0, 2)), np.empty(0)
    width = max(points.shape[1] for points, _, _ in blocks)
    points, cumulative = (
        np.concatenate([padded(block[number], width) for block in blocks]) for number in (0, 1)
    )
    return points, cumulative, np.concatenate([log_mass for _, _, log_mass in blocks])


def padded(array: FloatArray, width: int) -> FloatArray:
    """Return rows that repeat their last entry until they are wide enough."""
    return np.pad(array, ((0, 0), (0, width - array.shape[1])), mode="edge")


def _distribution(
    posterior: Posterior, values: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points, cumulative distribution and log-mass of one block of rows."""
    log_product, points = posterior.given(values), posterior.cover(values, FIRST_POINTS)
    rough = np.arange(len(values))
    log_joint = log_product(rough, points)
    finished: list[tuple[IntArray, FloatArray, FloatArray]] = []
    for _ in range(MOST_ROUNDS):
        masses = _shares(_masses_under_lines(points, log_joint)[0])
        is_rough = masses.max(axis=1) > LARGEST_CELL
        finished.append((rough[~is_rough], points[~is_rough], log_joint[~is_rough]))
        rough, points, log_joint = rough[is_rough], points[is_rough], log_joint[is_rough]
        if not len(rough):
            break
        more = _refined(points, masses[is_rough], MORE_POINTS)
        log_more = log_product(rough, more)
        points, log_joint = _merged(points, log_joint, more, log_more)
    finished.append((rough, points, log_joint))
    return _with_atoms(posterior.density.atoms, log_product, *_assembled(len(values), finished))


def _cell_masses(points: FloatArray, log_joint: FloatArray) -> FloatArray:
    """Return the share of the mass between neighbouring points, by the trapezoid rule.

    For points that are even where the mass is: there its errors cancel.
    """
    top = log_joint.max(axis=1, keepdims=True)
    height = np.exp(log_joint - np.where(np.isfinite(top), top, 0.0))
    return _shares(0.5 * (height[:, 1:] + height[:, :-1]) * np.diff(points, axis=1))


def _masses_under_lines(
    points: FloatArray, log_joint: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mass between neighbouring points, where it is measured from, and its slope.

    The logarithm is taken for a line: the mean of both ends would put far too much into the wide
    cells of a tail. Masses are relative to the highest density, whose logarithm is the second
    result, of shape (n,). The slope is how much higher the right end of each cell is, in logarithm.
    """
    top = log_joint.max(axis=1)
    top = np.where(np.isfinite(top), top, 0.0)
    # What is next to nothing beside the highest stays above zero, and flat cells have a slope.
    relative = np.maximum(log_joint - top[:, np.newaxis], -300.0)
    high, slope = np.maximum(relative[:, 1:], relative[:, :-1]), np.diff(relative, axis=1)
    drop = np.maximum(np.abs(slope), 1e-6)
    masses: FloatArray = np.diff(points, axis=1) * np.exp(high) * -np.expm1(-drop) / drop
    return masses, top, slope


def _shares(masses: FloatArray) -> FloatArray:
    """Return the share of each cell in the mass of its row; equal ones where there is none."""
    total = masses.sum(axis=1, keepdims=True)
    even = 1.0 / masses.shape[1]
    shares: FloatArray = np.divide(masses, total, out=np.full_like(masses, even), where=total > 0.0)
    return shares


def _refined(points: FloatArray, masses: FloatArray, n_points: int) -> FloatArray:
    """Return new points between the old ones, in proportion to the mass there.

    Half of each mass is shared with the spaces beside it: the top of a posterior may lie on
    either side of the highest point. Spaces that hold little get none. The points of a space cut
    it into equal parts: placed by their share of the mass, one at an end would come back to that
    end in every round.
    """
    spread = 0.5 * masses
    spread[:, 1:] += 0.25 * masses[:, :-1]
    spread[:, :-1] += 0.25 * masses[:, 1:]
    spread[spread < 0.25 * LARGEST_CELL] = 0.0
    running = np.cumsum(spread, axis=1)
    running /= running[:, -1:]
    levels = (np.arange(n_points) + 0.5) / n_points
    cell = (running[:, np.newaxis, :] < levels[:, np.newaxis]).sum(axis=2)
    cell = np.minimum(cell, masses.shape[1] - 1)
    is_same = cell[:, :, np.newaxis] == cell[:, np.newaxis, :]
    number = np.tril(is_same).sum(axis=2)
    part = number / (is_same.sum(axis=2) + 1.0)
    left, right = np.take_along_axis(points, cell, 1), np.take_along_axis(points, cell + 1, 1)
    new: FloatArray = left + part * (right - left)
    return new


def _merged(
    points: FloatArray, log_joint: FloatArray, more: FloatArray, log_more: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return old and new points of each row in ascending order."""
    points, log_joint = np.hstack([points, more]), np.hstack([log_joint, log_more])
    order = np.argsort(points, axis=1, kind="stable")
    return np.take_along_axis(points, order, 1), np.take_along_axis(log_joint, order, 1)


def _assembled(
    n_rows: int, finished: Sequence[tuple[IntArray, FloatArray, FloatArray]]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points, cumulative distributions and log-masses of all rows."""
    width = max(points.shape[1] for rows, points, _ in finished if len(rows))
    points, log_joint = np.empty((n_rows, width)), np.empty((n_rows, width))
    for rows, own, log_own in finished:
        points[rows], log_joint[rows] = padded(own, width), padded(log_own, width)
    masses, top, slope = _masses_under_lines(points, log_joint)
    with np.errstate(divide="ignore"):
        log_mass: FloatArray = top + np.log(masses.sum(axis=1))
    return *_with_middles(points, _cumulative(_shares(masses)), slope), log_mass


def _with_middles(
    points: FloatArray, cumulative: FloatArray, slope: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the points with those half way between them, and the cumulative distribution there.

    Between points it is a line, which would hold the mass of a falling tail too far out. Under a
    density whose logarithm rises by `slope`, the left half has ``1 / (1 + exp(slope / 2))``. No
    factor is asked for it.
    """
    middles = 0.5 * points[:, 1:] + 0.5 * points[:, :-1]
    reached = cumulative[:, :-1] + expit(-0.5 * slope) * np.diff(cumulative, axis=1)
    return _interleaved(points, middles), _interleaved(cumulative, reached)


def _interleaved(values: FloatArray, between: FloatArray) -> FloatArray:
    """Return the columns of two arrays in turns, the first with one more."""
    both = np.empty((len(values), values.shape[1] + between.shape[1]))
    both[:, ::2], both[:, 1::2] = values, between
    return both


def _with_atoms(
    atoms: FloatArray,
    log_product: Along,
    points: FloatArray,
    cumulative: FloatArray,
    log_mass: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Add the values that have a probability of their own: two equal points, and a jump."""
    for atom in atoms if (points[:, :1] < points[:, -1:]).any() else ():
        at = np.full((len(points), 1), atom)
        log_atom = log_product(np.arange(len(points)), at)[:, 0]
        total = np.logaddexp(log_mass, log_atom)
        share = np.exp(log_atom - np.where(np.isfinite(total), total, 0.0))[:, np.newaxis]
        # The cumulative distribution at the atom, before it jumps.
        right = np.clip((points < atom).sum(axis=1, keepdims=True), 1, points.shape[1] - 1)
        low, high = (np.take_along_axis(cumulative, each, 1) for each in (right - 1, right))
        begin, end = (np.take_along_axis(points, each, 1) for each in (right - 1, right))
        part = np.divide(at - begin, end - begin, out=np.zeros_like(low), where=end > begin)
        before = low + np.clip(part, 0.0, 1.0) * (high - low)
        joined = np.hstack([cumulative, before, before])
        jump = np.hstack([points > atom, np.zeros_like(at, bool), np.ones_like(at, bool)])
        points = np.hstack([points, at, at])
        order = np.argsort(points, axis=1, kind="stable")
        cumulative = np.take_along_axis((1.0 - share) * joined + share * jump, order, 1)
        points, log_mass = np.take_along_axis(points, order, 1), total
    return points, cumulative, log_mass


def _cumulative(masses: FloatArray) -> FloatArray:
    cumulative = np.zeros((len(masses), masses.shape[1] + 1))
    np.cumsum(masses, axis=1, out=cumulative[:, 1:])
    cumulative[:, 1:] /= cumulative[:, -1:]
    return cumulative
