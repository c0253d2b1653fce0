"""A fitted factor: the law of one variable given its pillow, and its four verbs.

All that a model does is asked of its factors: an expansion weighs rows and draws from them, the
target given the rest and missing cells are products of densities.

>>> import pandas as pd
>>> from causalaug import fit_model
>>> days = pd.DataFrame({"sun": [0.0, 2.0, 4.0, 6.0], "ice": [1.0, 3.0, 5.0, 7.0]})
>>> sun, ice = fit_model(days, "sun -> ice", conditional="auto").factors
>>> ice.mean(pd.DataFrame({"sun": [1.0, 5.0]})).round(1)
array([2., 6.])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator
from causalaug.exceptions import TableError
from causalaug.factorization import Factor
from causalaug.model._posterior import Posterior, means
from causalaug.table import cells_of, check_no_times, code_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from causalaug.conditionals import FittedConditional
    from causalaug.densities import Density
    from causalaug.table import Table
    from causalaug.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class FittedFactor(Factor):
    """One factor of a model. It equals the `Factor` that it was fitted as.

    A pillow is given as a frame with its columns (others of the table may be there, and are not
    looked at), or as an array of its columns in their order. A factor without a pillow needs none:
    what is asked without it is one row. No cell may be missing, and none may be a level that the
    fitted table lacks.

    Parameters
    ----------
    target, pillow : str and tuple of str
        The variable, and what it is conditioned on.
    table : Table
        The observed rows.
    fitted : FittedConditional
        What weighs them.
    density : callable
        Returns what says how likely values are; it is made when it is first asked for.
    """

    table: Table
    fitted: FittedConditional
    density: Callable[[], Density]

    def __eq__(self, other: object) -> bool:
        """Say whether another factor is of the same variables."""
        if not isinstance(other, Factor):
            return NotImplemented
        return (self.target, self.pillow) == (other.target, other.pillow)

    def __hash__(self) -> int:
        """Return the hash of the factor that this one was fitted as."""
        return hash((self.target, self.pillow))

    def __repr__(self) -> str:
        """Return the factor in words, without the rows."""
        return f"<fitted {self}>"

    def weigh(self, pillow: Any = None) -> FloatArray:
        """Return the log-weight of each observed row given each row of the pillow: Eq. (3).

        Shape: (n, number of observed rows). The weights of a line sum to one after ``exp``; where
        no row has any weight they are all ``-inf``. So they are for rows that lack a cell of the
        factor.
        """
        log_weights = self.fitted.weigher.log_weights(self._query(pillow))
        rows = self.fitted.rows
        if rows is None:
            return log_weights
        result = np.full((self.table.n_rows, len(log_weights)), -np.inf)
        # A mixture weighs a row once for each of its parts.
        np.logaddexp.at(result, rows, log_weights.T)
        return result.T

    def draw(self, pillow: Any = None, rng: RandomState = None) -> Any:
        """Return one new cell for each row of the pillow, as an expansion would draw it.

        An observed row is drawn by its weight; what it holds is the new cell, moved by the fitted
        mean if the conditional is one that moves (`ResidualConditional`). Where no row has any
        weight there is an error.
        """
        query, fitted = self._query(pillow), self.fitted
        running = np.cumsum(np.exp(fitted.weigher.log_weights(query)), axis=1)
        if (running[:, -1] == 0.0).any():
            raise TableError(
                f"To draw {self.target!r}, some observed row must be near each row of the pillow. "
                f"Found none for row {int(np.argmin(running[:, -1]))}. Widen the kernels, or ask "
                "`weigh`, which says that no row has any weight."
            )
        uniform = as_generator(rng).random((len(query), 1)) * running[:, -1:]
        chosen = (running <= uniform).sum(axis=1)
        if fitted.shift is not None:
            values = fitted.shift.values(query, np.arange(len(query)), chosen)
        else:
            numbers = chosen if fitted.rows is None else fitted.rows[chosen]
            values = self.table.values[numbers, self._column]
        return cells_of(self.table, self._column, values)

    def log_density(self, value: Any, pillow: Any = None) -> FloatArray:
        """Return how likely each value is, given the row of the pillow beside it: a logarithm.

        Of levels it is the logarithm of a probability: ``-inf`` if no observed row has the level.
        """
        cells = pd.DataFrame({self.target: np.asarray(value).reshape(-1)})
        values = code_rows(self.table, cells)[:, self._column]
        query = self._query(pillow, len(values))
        if len(values) != len(query):
            raise TableError(
                "There must be one value for each row of the pillow. "
                f"Found {len(values)} values and {len(query)} rows."
            )
        seen = np.isfinite(values)
        result = np.full(len(values), -np.inf)
        result[seen] = self.density().log_density(values[seen], query[seen])
        return result

    def mean(self, pillow: Any = None) -> FloatArray:
        """Return what is expected of the variable, given each row of the pillow.

        Levels have a mean if they are numbers.
        """
        check_no_times(self.table, self.target)
        query = self._query(pillow)
        levels = self.density().levels
        if levels is None:
            # The target given its pillow is a posterior without children.
            posterior = Posterior(self.density(), np.arange(query.shape[1]), ())
            return self.table.numbers(self._column, means(posterior, query))
        numbers = self._numbers_of(levels)
        points = np.broadcast_to(levels, (len(query), len(levels)))
        chances = np.exp(self.density().log_density(points, query))
        expected: FloatArray = chances @ numbers / chances.sum(axis=1)
        return expected

    @property
    def _column(self) -> int:
        return self.table.index(self.target)

    def _query(self, pillow: Any, n_rows: int = 1) -> FloatArray:
        """Return rows of the pillow in the coding of the table; without one, so many of nothing."""
        if not self.pillow:
            n_rows = n_rows if pillow is None else len(pillow)
            return np.empty((n_rows, 0))
        if pillow is None:
            raise TableError(
                f"The pillow of {self.target!r} must be given: a frame with the columns "
                f"{list(self.pillow)}. Found None."
            )
        columns = [self.table.index(name) for name in self.pillow]
        query = code_rows(self.table, pillow, self.pillow)[:, columns]
        if not np.isfinite(query).all():
            lacking = np.array(self.pillow)[~np.isfinite(query).all(axis=0)]
            raise TableError(
                f"Each row of the pillow of {self.target!r} must have all its cells, and levels "
                f"that the fitted table has. Found other cells in {lacking.tolist()}. Ask "
                "`model.predict`, which integrates them out."
            )
        return query

    def _numbers_of(self, levels: FloatArray) -> FloatArray:
        """Return what levels are as numbers, or raise."""
        cells = np.asarray(cells_of(self.table, self._column, levels))
        if cells.dtype.kind not in "biuf":
            raise TableError(
                f"Only numbers have a mean. Found labels in {self.target!r}, such as "
                f"{cells[0]!r}. Ask `log_density` how likely each of them is."
            )
        return cells.astype(np.float64)
