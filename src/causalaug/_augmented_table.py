"""Weighted new rows with their provenance, and the mixture of old and new rows.

`AugmentedTable.mixed` is the only place that says how originals and new rows share the weight:
lambda in the paper's augmented risk, ``(1 - lambda) R_emp + lambda R_aug``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from causalaug._markup import Markup, element, html_table, join
from causalaug._ragged import Groups, combine_codes, group_by_key
from causalaug._validation import check_share
from causalaug.exceptions import TableError
from causalaug.expansion import Paths
from causalaug.factorization import Factor
from causalaug.table import Table, rows_of, stack_frames
from causalaug.typing import BoolArray, FloatArray, IntArray

N_SHOWN = 5
"""Rows that a notebook shows: enough to see what a row is."""


@dataclass(frozen=True, eq=False, repr=False)
class AugmentedTable:
    """Weighted rows, where each of their cells came from, and what they stand for.

    Parameters
    ----------
    table : Table
        The observed rows.
    paths : Paths
        For each new row, the observed row that each cell is copied from, and its weight.
    factors : tuple of Factor
        The conditionals that the weights are a product of, in the order that was used. With
        bidirected edges they depend on that order.
    originals : callable, optional
        Returns a frame and weights that stand for the observed rows in `mixed`, where these have
        holes: completed rows. By default the observed rows stand for themselves.
    """

    table: Table = field(repr=False)
    paths: Paths = field(repr=False)
    factors: tuple[Factor, ...]
    originals: Callable[[], tuple[Any, FloatArray]] | None = field(default=None, repr=False)

    @cached_property
    def frame(self) -> Any:
        """The rows, in the dataframe library, column order and dtypes of the input.

        Built when first asked for.
        """
        return self.table.take(self.paths.rows, self.paths.shifted)

    @property
    def weights(self) -> FloatArray:
        """The weight of each row. They add up to `mass`."""
        return self.paths.weights

    @property
    def rows(self) -> IntArray:
        """The number of the observed row that each cell came from, shape (m, D).

        A cell that was shifted by a fitted mean names the row whose residual was taken.
        """
        return self.paths.rows

    def values(self, column: int) -> FloatArray:
        """Return the values of a column, by its number, coded as those of `table`."""
        if column in self.paths.shifted:
            return self.paths.shifted[column]
        copied: FloatArray = self.table.values[self.rows[:, column], column]
        return copied

    @property
    def order(self) -> tuple[str, ...]:
        """The topological order of the variables that the factors follow."""
        return tuple(factor.target for factor in self.factors)

    @cached_property
    def mass(self) -> float:
        """The sum of the weights: 1 if nothing was dropped."""
        return float(self.weights.sum())

    @property
    def dropped_mass(self) -> float:
        """The mass of paths that were pruned, or that ended where a conditional vanishes."""
        return self.paths.dropped_mass

    @cached_property
    def effective_sample_size(self) -> float:
        """How many rows of equal weight these are worth: ``sum(w)^2 / sum(w^2)``.

        Equal rows count separately; ``merged().effective_sample_size`` counts them once.
        """
        squares = float(np.square(self.weights).sum())
        return self.mass**2 / squares if squares > 0.0 else 0.0

    @cached_property
    def is_novel(self) -> BoolArray:
        """Whether each row equals no observed row."""
        key, bound = self._row_keys(include_observed=True)
        groups = group_by_key(key, bound)
        observed = np.zeros(len(groups.offsets) - 1, dtype=bool)
        observed[groups.ranks[len(self) :]] = True
        is_novel: BoolArray = ~observed[groups.ranks[: len(self)]]
        return is_novel

    @cached_property
    def novel_mass(self) -> float:
        """The mass of the rows that equal no observed row."""
        return float(self.weights[self.is_novel].sum())

    def merged(self) -> "AugmentedTable":
        """Return the table with equal rows merged and their weights added.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import ADMG, PrunedExpansion, augment
        >>> tied = pd.DataFrame({"x": [1, 1, 2], "y": [5, 6, 6]})
        >>> both = augment(tied, ADMG(["x", "y"]), expansion=PrunedExpansion(0, merge_equal=False))
        >>> len(both), len(both.merged())
        (9, 4)
        >>> both.merged().weights.round(3)
        array([0.222, 0.444, 0.111, 0.222])
        """
        groups = self.equal_rows()
        first = groups.first
        heaviest = np.full(len(first), -np.inf)
        np.maximum.at(heaviest, groups.ranks, self.paths.log_weights)
        relative = np.exp(self.paths.log_weights - heaviest[groups.ranks])
        log_weights = heaviest + np.log(np.bincount(groups.ranks, relative))
        paths = replace(self.paths.at(first), log_weights=log_weights)
        return replace(self, paths=paths)

    def mixed(self, share: float = 0.5) -> tuple[Any, FloatArray]:
        """Return original and new rows together, weighted so that a learner can take them.

        Parameters
        ----------
        share : float, default=0.5
            How much of the weight the new rows hold, lambda in the paper's augmented risk
            ``(1 - lambda) R_emp + lambda R_aug``. 0 leaves them in with no weight, 1 does the
            same to the originals.

        Returns
        -------
        frame
            The originals first, then the new rows, in the library and the dtypes of the input.
            Originals with holes are completed, one draw for each, as `GraphModel.complete` does.
        weights : array of shape (n + m,)
            They sum to the total weight of the originals: n without sample weights. A learner
            whose regularisation counts weight is then as strict as without new rows.

        Raises
        ------
        TableError
            If there is no new row to give a share above 0 to.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import ADMG, augment
        >>> rows = pd.DataFrame({"x": [1, 2], "y": [5, 6]})
        >>> frame, weights = augment(rows, ADMG(["x", "y"]), random_state=0).mixed(share=0.25)
        >>> frame.assign(weight=weights)
           x  y  weight
        0  1  5   0.750
        1  2  6   0.750
        2  1  5   0.125
        3  1  6   0.125
        4  2  5   0.125
        5  2  6   0.125
        """
        check_share("share", share)
        own = self._completed[1]
        total = self.table.total_weight if self.originals is None else float(own.sum())
        # Eq. (2), the risk of the new rows, counts lambda; that of the originals 1 - lambda.
        originals = (1.0 - share) * own
        if share == 0.0:
            return self._stacked, np.concatenate([originals, np.zeros(len(self))])
        if not self.mass > 0.0:
            raise no_new_rows()
        # Mass that was dropped is made up for: what is left of the new rows holds the share.
        factor = share * total / self.mass
        # A huge total over next to no mass overflows; the weights themselves do not.
        is_held = np.isfinite(factor)
        new = self.weights * factor if is_held else self.weights / self.mass * (share * total)
        return self._stacked, np.concatenate([originals, new])

    @cached_property
    def _stacked(self) -> Any:
        """The originals and the new rows in one frame, built once for all shares."""
        return self.stacked_on(np.arange(len(self._completed[1])))

    @cached_property
    def _completed(self) -> tuple[Any, FloatArray]:
        if self.originals is None:
            return self.table.source, self.table.original_weights()
        return self.originals()

    def stacked_on(self, originals: IntArray) -> Any:
        """Return some of the original rows, by number, followed by the new rows."""
        if self.originals is not None:
            return stack_frames(rows_of(self._completed[0], originals), self.frame)
        rows = np.empty((len(originals) + len(self), self.table.n_columns), np.int64, order="F")
        rows[: len(originals)] = originals[:, np.newaxis]
        rows[len(originals) :] = self.rows
        changed = {
            column: np.concatenate([self.table.values[originals, column], values])
            for column, values in self.paths.shifted.items()
        }
        return self.table.take(rows, changed)

    def at(self, positions: IntArray | slice) -> "AugmentedTable":
        """Return some of the new rows, with their weights."""
        return replace(self, paths=self.paths.at(positions))

    def equal_rows(self) -> Groups:
        """Return the positions of the rows, grouped by equal values."""
        return group_by_key(*self._row_keys(include_observed=False))

    def to_html(self) -> str:
        """Return what the rows stand for, and the heaviest of them, as a piece of HTML."""
        figures = [[name, f"{value:,.4g}"] for name, value in self.figures().items()]
        factors = " ".join(str(factor) for factor in self.factors)
        parts = [html_table(["new rows", ""], figures, numbers=(1,)), element("p", factors)]
        return str(join([*parts, *self._heaviest_as_html()]))

    def _heaviest_as_html(self) -> list[Markup]:
        """Return a table of the heaviest new rows, and what is above it."""
        if not len(self):
            return []
        heaviest = np.argsort(-self.weights, kind="stable")[:N_SHOWN]
        some = self.at(heaviest)
        is_array = isinstance(some.frame, np.ndarray)
        cells = some.frame if is_array else nw.from_native(some.frame, eager_only=True).rows()
        rows = [
            [int(place), *map(_cell, row), f"{weight:.4g}"]
            for place, row, weight in zip(heaviest, cells, some.weights, strict=True)
        ]
        title = f"The heaviest {len(rows)} of {len(self):,}, with their weights:"
        return [element("p", title), html_table(["", *self.table.columns, "weight"], rows)]

    def _repr_html_(self) -> str:
        return self.to_html()

    def figures(self) -> dict[str, float]:
        """Return the numbers of rows and the mass accounting, each under its name.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import ADMG, augment
        >>> augment(pd.DataFrame({"x": [1, 2], "y": [5, 6]}), ADMG(["x", "y"])).figures()
        {'observed rows': 2, 'new rows': 4, 'mass': 1.0, 'dropped mass': 0.0, 'novel mass': 0.5, \
'effective sample size': 4.0}
        """
        return {
            "observed rows": self.table.n_rows,
            "new rows": len(self),
            "mass": self.mass,
            "dropped mass": self.dropped_mass,
            "novel mass": self.novel_mass,
            "effective sample size": self.effective_sample_size,
        }

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.paths)

    def __repr__(self) -> str:
        """Return how many rows there are, and what they weigh."""
        # Nothing here takes longer than a sum: a table may hold millions of rows.
        lost = f", {self.dropped_mass:.3g} dropped" if self.dropped_mass > 0.0 else ""
        return (
            f"AugmentedTable({len(self):,} new rows from {self.table.n_rows:,} of "
            f"{self.table.n_columns} columns; mass {self.mass:.3g}{lost}; effective sample size "
            f"{self.effective_sample_size:,.4g})"
        )

    def _row_keys(self, *, include_observed: bool) -> tuple[IntArray, int]:
        """Return a key per row that is equal where all values are; observed rows come last."""
        codes, sizes = [], []
        n_observed = self.table.n_rows
        for number, column in enumerate(self.table.values.T):
            lent = self.paths.shifted.get(number, ())
            values, code = np.unique(np.concatenate([column, lent]), return_inverse=True)
            new = code[n_observed:] if len(lent) else code[self.paths.rows[:, number]]
            codes.append(np.concatenate([new, code[:n_observed]]) if include_observed else new)
            sizes.append(len(values))
        return combine_codes(codes, sizes, len(codes[0]))


def _cell(value: object) -> str:
    """Return a cell as a notebook shows it."""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def no_new_rows() -> TableError:
    """Return the error of a graph and a conditional that allow no new row."""
    return TableError(
        "New rows must be possible. Found next to none: paths were pruned, or end where a "
        "kernel gives no observed row any weight. Use a share of 0, another expansion, or a "
        'kernel that does not vanish, such as kernel="gaussian" or '
        'discrete_kernel="aitchison_aitken".'
    )
