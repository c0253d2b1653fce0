"""What a model says about one variable, row by row: a distribution, not only a number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._markup import element, html_table, join
from causalaug._random import RandomState, as_generator
from causalaug._validation import check_integer, check_level
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causalaug.typing import FloatArray


N_SHOWN = 5
"""Rows and levels that a notebook shows."""


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """The distribution of the target, given the other cells of each row.

    Of a target with levels it is a probability for each; of a number it is a cumulative
    distribution, linear between points. Where several points are equal, the value has a
    probability of its own.

    Parameters
    ----------
    target : str
        The variable.
    levels : array of shape (n_levels,) or None
        The levels of a discrete target, as cells of its column; None for a number.
    probabilities : array of shape (n, n_levels) or None
        The probability of each level; None for a number.
    points, cumulative : array of shape (n, n_points) or None
        Values in ascending order, and the probability of at most that; None for levels.
    is_integer : bool
        Whether the target holds whole numbers: quantiles and samples are whole, then.
    bounds : array of shape (n, 2) or None
        The least and the largest mean of each row: a standard deviation beyond the observed
        values, or as far as ridge regression on all other columns goes, whichever is farther.

    Examples
    --------
    >>> import pandas as pd
    >>> from causalaug import fit_model
    >>> days = pd.DataFrame({"sun": [True, True, False, False], "ice": [9.0, 7.0, 2.0, 4.0]})
    >>> prediction = fit_model(days, "sun -> ice").predict("sun", pd.DataFrame({"ice": [8.0, 1.0]}))
    >>> prediction.levels, prediction.probabilities[:, 1] > 0.5
    (array([False,  True]), array([ True, False]))
    """

    target: str
    levels: NDArray[Any] | None = None
    probabilities: FloatArray | None = None
    points: FloatArray | None = field(default=None, repr=False)
    cumulative: FloatArray | None = field(default=None, repr=False)
    is_integer: bool = field(default=False, repr=False)
    bounds: FloatArray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        """Return the number of rows."""
        held = self.points if self.probabilities is None else self.probabilities
        return len(held) if held is not None else 0

    def __repr__(self) -> str:
        """Return what is predicted, and of how many rows."""
        rows = self._n_rows()
        if self.levels is None:
            return f"Prediction(a number, {self.target!r}, of {rows}: mean, quantile, sample)"
        levels = ", ".join(map(str, self.levels[:N_SHOWN]))
        more = ", ..." if len(self.levels) > N_SHOWN else ""
        return f"Prediction({self.target!r} of {rows}: probabilities of {levels}{more})"

    def _repr_html_(self) -> str:
        """Return the first rows, for notebooks: quantiles of a number, probabilities of levels."""
        arrays = self.probabilities, self.points, self.cumulative
        chances, points, cumulative = (a if a is None else a[:N_SHOWN] for a in arrays)
        first = replace(self, probabilities=chances, points=points, cumulative=cumulative)
        if first.probabilities is not None and self.levels is not None:
            head, columns = [str(level) for level in self.levels], first.probabilities.T
        else:
            head = ["mean", "5%", "50%", "95%"]
            columns = np.array([first.mean, *map(first.quantile, (0.05, 0.5, 0.95))])
        rows = [[row, *(f"{cell:.4g}" for cell in cells)] for row, cells in enumerate(columns.T)]
        table = html_table(["row", *head], rows, numbers=range(1, len(head) + 1))
        cut = f"; the first {len(first)}" if len(first) < len(self) else ""
        words = f"{self.target}, predicted in {self._n_rows()}{cut}:"
        return str(join([element("p", words), table]))

    def _n_rows(self) -> str:
        return f"{len(self):,} row{'' if len(self) == 1 else 's'}"

    @property
    def mean(self) -> FloatArray:
        """The expected value in each row: shape (n,). Levels must be numbers or booleans."""
        if self.probabilities is not None:
            mean: FloatArray = self.probabilities @ self._numbers()
            return mean
        points, masses = self._cells()
        # From the first point on: sums of numbers far from zero would lose their digits.
        first = points[:, :1]
        middles = 0.5 * ((points[:, 1:] - first) + (points[:, :-1] - first))
        middle: FloatArray = first[:, 0] + (middles * masses).sum(axis=1)
        return middle if self.bounds is None else np.clip(middle, *self.bounds.T)

    @property
    def standard_deviation(self) -> FloatArray:
        """How far values of each row spread: shape (n,). Levels must be numbers or booleans."""
        if self.probabilities is not None:
            away = np.square(self._numbers() - self.mean[:, np.newaxis])
            of_levels: FloatArray = np.sqrt((self.probabilities * away).sum(axis=1))
            return of_levels
        points, masses = self._cells()
        # Of the distribution itself: bounds move the mean alone.
        first = points[:, :1]
        left, right = points[:, :-1] - first, points[:, 1:] - first
        middles = 0.5 * (left + right)
        mean = (middles * masses).sum(axis=1, keepdims=True)
        # Between two points values are spread evenly, by a twelfth of the squared distance.
        squares = np.square(middles - mean) + np.square(right - left) / 12.0
        spread: FloatArray = np.sqrt((squares * masses).sum(axis=1))
        return spread

    def quantile(self, level: float) -> FloatArray:
        """Return the value that the target does not exceed with this probability: shape (n,).

        Of levels it is the first, in their order, at which that is reached; they must be
        numbers or booleans.
        """
        check_level(level)
        wanted: FloatArray = np.full((len(self), 1), level, dtype=np.float64)
        return self.at_shares(wanted)[:, 0]

    def sample(self, k: int = 1, random_state: RandomState = None) -> NDArray[Any]:
        """Draw `k` values for each row: shape (n, k), cells of the column for levels."""
        check_integer("k", k, at_least=1)
        share = as_generator(random_state).random((len(self), int(k)))
        if self.levels is not None:
            cells: NDArray[Any] = self.levels[self._first_reaching(share)]
            return cells
        return self.at_shares(share)

    def _numbers(self) -> FloatArray:
        assert self.levels is not None
        if self.levels.dtype.kind not in "biuf":
            raise ParameterError(
                f"The mean and quantiles of {self.target!r} need levels that are numbers. Found "
                f"{self.levels.tolist()[:5]}. Use `probabilities`, in the order of `levels`."
            )
        return self.levels.astype(np.float64)

    def _cells(self) -> tuple[FloatArray, FloatArray]:
        assert self.points is not None
        assert self.cumulative is not None
        return self.points, np.diff(self.cumulative, axis=1)

    def _first_reaching(self, share: FloatArray) -> NDArray[Any]:
        assert self.probabilities is not None
        running = np.cumsum(self.probabilities, axis=1)
        running[:, -1] = np.inf
        at: NDArray[Any] = (running[:, np.newaxis] < share[:, :, np.newaxis] - 1e-12).sum(axis=2)
        return at

    def at_shares(self, share: FloatArray) -> FloatArray:
        """Return the values at shares of the mass: shape (n, k)."""
        if self.probabilities is not None:
            numbers: FloatArray = self._numbers()[self._first_reaching(share)]
            return numbers
        assert self.points is not None
        assert self.cumulative is not None
        n_points = self.points.shape[1]
        if share.shape[1] > len(share):
            found = [np.searchsorted(*each) for each in zip(self.cumulative, share, strict=True)]
            # Of no rows at all, numpy would make an array of floats.
            right = np.array(found, dtype=np.int64).reshape(share.shape)
        else:
            found = [(self.cumulative < each[:, np.newaxis]).sum(axis=1) for each in share.T]
            right = np.column_stack(found)
        right = np.clip(right, 1, n_points - 1)
        left = right - 1
        low, high = (np.take_along_axis(self.cumulative, side, 1) for side in (left, right))
        begin, end = (np.take_along_axis(self.points, side, 1) for side in (left, right))
        part = np.divide(share - low, high - low, out=np.ones_like(low), where=high > low)
        values: FloatArray = begin + np.clip(part, 0.0, 1.0) * (end - begin)
        # Adding zero turns the -0.0 that rounding may leave into 0.0.
        return np.round(values) + 0.0 if self.is_integer else values
