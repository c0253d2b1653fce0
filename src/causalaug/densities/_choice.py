"""Which of several ways to model a factor makes rows most likely that it has not seen."""

from collections.abc import Sequence

import numpy as np

from causalaug.densities._base import DensityMaker
from causalaug.densities._mean_noise import MeanNoise
from causalaug.densities._rows import LeftOut, RowDensities
from causalaug.densities._weighed import some_rows
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import BoolArray, FloatArray, IntArray

LEAST_LOG = -1e3
"""A row counts for no less than this log-density: none must make all others worthless."""

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

    A way is a mean and the noise around it, which may come first, or weighs rows. Weighing takes
    far longer, and of simulated factors that have a mean it is chosen for one in forty.
    """
    some, weights = some_rows(table.n_rows), table.original_weights()
    means = [way.left_out[some] for way in ways if isinstance(way, MeanNoise)]
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
