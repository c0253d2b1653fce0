"""Which of several ways to model a factor makes rows most likely that it has not seen."""

from collections.abc import Sequence

import numpy as np

from causalaug.densities._back_off import BackOff
from causalaug.densities._base import DensityMaker
from causalaug.densities._mean_noise import MeanNoise, fit_means
from causalaug.densities._rows import LeftOut, RowDensities
from causalaug.densities._weighed import some_rows
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import BoolArray, FloatArray, IntArray

LEAST_LOG = -1e3
"""A row counts for no less than this log-density: none must make all others worthless."""

FIRST: IntArray = np.zeros(1, dtype=np.int64)

GLANCE = 8
"""Ways that weigh rows are first judged by one in so many of the rows that are left out."""

FEWEST_TO_GLANCE_AT = 100
"""With fewer rows that would tell too little, and save nothing."""

CLEARLY = 2.0
"""Standard errors by which a way must be behind a mean at a glance, not to be judged by all rows.
With one, 4 factors of 892 were decided otherwise than by all rows, by up to 0.15 in log-density;
with two none was, nor of 2,496 others (models of seeds 410,000 and up). On 796 new ones (seeds
421,000 and up), made so that kernels win a quarter of them, two decide 3 otherwise, by 0.03 at
most."""


def likeliest(ways: Sequence[DensityMaker | None], table: Table, factor: Factor) -> int:
    """Return the number of the way under which left-out rows are most likely; the first of equals.

    A way is a mean and the noise around it or a table that backs off, which may come first and know
    what they say of left-out rows, or weighs rows. Weighing takes
    far longer, and of simulated factors that have a mean it is chosen for one in forty.
    """
    some, weights = some_rows(table.n_rows), table.original_weights()
    means = [way.left_out[some] for way in ways if isinstance(way, MeanNoise | BackOff)]
    numbers = [number for number, way in enumerate(ways) if isinstance(way, RowDensities)]
    makers = [way for way in ways if isinstance(way, RowDensities)]
    if not makers:
        return 0
    left_out, left = LeftOut.of(makers, table, factor), np.arange(len(makers))
    if means and len(some) >= FEWEST_TO_GLANCE_AT:
        # The rows that are glanced at come first: they are judged once.
        first = np.arange(0, len(some), GLANCE)
        order = np.concatenate([first, np.delete(np.arange(len(some)), first)])
        some, means = some[order], [each[order] for each in means]
        few, rest = some[: len(first)], some[len(first) :]
        known = _logs(left_out, left, few)
        is_left = ~_is_clearly_negative(known - means[0][: len(first)], weights[few])
        left = left[is_left]
        if not len(left):
            return 0
        logs = np.hstack([known[is_left], _logs(left_out, left, rest)])
    else:
        logs = _logs(left_out, left, some)
    judged: list[int] = [*range(len(means)), *(numbers[number] for number in left)]
    return judged[int(np.argmax(np.vstack([*means, logs]) @ weights[some]))]


def _logs(left_out: LeftOut, numbers: IntArray, some: IntArray) -> FloatArray:
    """Return the log-density of some rows, each without its own, under some of the ways."""
    return np.maximum(left_out.logs(numbers, some), LEAST_LOG)


def _is_clearly_negative(differences: FloatArray, weights: FloatArray) -> BoolArray:
    """Say of each row whether its weighted mean is so many standard errors below zero."""
    share = weights / weights.sum()
    means = differences @ share
    errors = np.sqrt(np.square(differences - means[:, np.newaxis]) @ np.square(share))
    clearly: BoolArray = means + CLEARLY * errors < 0.0
    return clearly


def left_out_logs(way: DensityMaker, table: Table, factor: Factor, some: IntArray) -> FloatArray:
    """Return the log-density of some rows under a way to model a factor, each without its own row.

    A way of somebody else may have no left-out densities; it is asked about rows that it has seen.
    A number without causes is modelled by its rows alone. Noise around a constant often makes them
    likelier, and so would noise around a line in whatever variable: where that is so, it speaks for
    the factor.
    """
    logs = np.maximum(_left_out_logs(way, table, factor, some), LEAST_LOG)
    column = table.index(factor.target)
    is_number = table.kinds[column] == "continuous" and table.resolution[column] is not None
    if factor.pillow or not is_number or np.ptp(table.values[:, column]) == 0.0:
        return logs
    (noise,) = fit_means([table], [factor])
    around = np.maximum(noise.left_out[some], LEAST_LOG)
    weights = table.original_weights()[some]
    return around if weights @ around > weights @ logs else logs


def _left_out_logs(way: DensityMaker, table: Table, factor: Factor, some: IntArray) -> FloatArray:
    """Return the same by the way alone, however small."""
    if isinstance(way, MeanNoise | BackOff):
        of_others: FloatArray = way.left_out[some]
        return of_others
    if isinstance(way, RowDensities) and np.ptp(table.values[:, table.index(factor.target)]) > 0.0:
        of_rows: FloatArray = LeftOut.of([way], table, factor).logs(FIRST, some)[0]
        return of_rows
    pillow = table.values[some][:, [table.index(name) for name in factor.pillow]]
    own = table.values[some, table.index(factor.target)]
    return way.make_density(table, factor).log_density(own, pillow)
