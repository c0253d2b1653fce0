"""A mixture of fitted factors is a fitted factor: parts may have different pillows.

Its rows are those of the first part, then those of the second, and so on, each with the weight of
its part: a row that both parts would choose stands twice, and may lend two values. An expansion
does not notice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np

from causalaug.conditionals._base import FittedConditional, LeftOut, Part
from causalaug.densities import MixedDensity, is_like
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from causalaug.densities import Density, Shift
    from causalaug.table import Table
    from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MixedWeigher(RowWeigher):
    """Weighs the rows of all parts.

    Parameters
    ----------
    weighers : tuple of RowWeigher
        What weighs the rows of each part.
    weights : array of shape (n_parts,)
        How much each part counts.
    columns : tuple of int arrays
        For each part, which columns of the pillow are its own.
    """

    weighers: tuple[RowWeigher, ...]
    weights: FloatArray
    columns: tuple[IntArray, ...]

    @property
    def may_vanish(self) -> bool:
        """Whether a row of any part may have no weight."""
        return any(each.may_vanish for each in self.weighers)

    @property
    def may_end(self) -> bool:
        """Whether all rows of all parts may have no weight."""
        return all(each.may_end for each in self.weighers)

    def log_kernel(self, query: FloatArray) -> FloatArray:
        """Return the log-weights of each part's rows, with the weight of the part."""
        parts = zip(self.weighers, self.weights, self.columns, strict=True)
        return np.hstack([each.log_weights(query[:, own]) + np.log(w) for each, w, own in parts])

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row of each part and take one; give up where any part does.

        If only the part that is taken could give up, those that seldom do would be drawn too often.
        """
        parts = zip(self.weighers, self.columns, strict=True)
        rows = np.stack([each.propose(query[:, own], owner, rng) for each, own in parts])
        chosen = rng.choice(len(rows), size=len(owner), p=self.weights)
        drawn = rows[chosen, np.arange(len(owner))] + self._starts[chosen]
        return np.where((rows < 0).any(axis=0), -1, drawn)

    @cached_property
    def _starts(self) -> IntArray:
        """The number of the first row of each part."""
        nowhere = [np.zeros((1, len(own))) for own in self.columns]
        pairs = zip(self.weighers, nowhere, strict=True)
        sizes = [each.log_kernel(query).shape[1] for each, query in pairs]
        return np.cumsum([0, *sizes[:-1]])


@dataclass(frozen=True, eq=False)
class MixedShift:
    """Changes the values of each part's rows as the part does.

    Parameters
    ----------
    shifts : tuple of Shift or None
        How each part changes values; None: its rows lend what they hold.
    held : tuple of arrays
        What the rows of each part hold.
    columns : tuple of int arrays
        For each part, which columns of the pillow are its own.
    """

    shifts: tuple[Shift | None, ...]
    held: tuple[FloatArray, ...]
    columns: tuple[IntArray, ...]

    @cached_property
    def marks(self) -> FloatArray:
        """One number per row: the same only for rows of one part that lend the same."""
        marks, n_before = [], 0
        for shift, held in zip(self.shifts, self.held, strict=True):
            distinct, number = np.unique(
                held if shift is None else shift.marks, return_inverse=True
            )
            marks.append(n_before + number)
            n_before += len(distinct)
        return np.concatenate(marks).astype(np.float64)

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``, one value per entry."""
        result, start = np.empty(len(rows)), 0
        for shift, held, own in zip(self.shifts, self.held, self.columns, strict=True):
            mine = np.flatnonzero((rows >= start) & (rows < start + len(held)))
            numbers = rows[mine] - start
            if shift is None:
                result[mine] = held[numbers]
            elif len(mine):
                result[mine] = shift.values(query[:, own], owner[mine], numbers)
            start += len(held)
        return result


@dataclass(frozen=True, eq=False)
class MixedConditional(FittedConditional):
    """Fits of one variable to different pillows, and how much each counts."""

    mixed: tuple[Part, ...] = ()
    columns: tuple[IntArray, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The fits that this one is a mixture of, the graph's own first."""
        return self.mixed

    def density(self, table: Table, factor: Factor) -> Density:
        """Return the mixture of the parts' densities.

        Rows that lack cells may leave a part without a level, or without the value at which others
        pile up; such parts cannot be mixed with the graph's own.
        """
        densities = [part.fitted.density(table, part.factor) for part in self.parts]
        alike = [number for number, each in enumerate(densities) if is_like(each, densities[0])]
        weights = np.array([self.parts[number].weight for number in alike])
        return MixedDensity(
            tuple(densities[number] for number in alike),
            weights / weights.sum(),
            tuple(self.columns[number] for number in alike),
        )

    def log_left_out(self, table: Table, factor: Factor) -> LeftOut:
        """Return what the mixture says of the rows that all parts know."""
        found = [part.fitted.log_left_out(table, part.factor) for part in self.parts]
        rows = reduce(np.intersect1d, [each.rows for each in found])
        at = [np.searchsorted(each.rows, rows) for each in found]
        logs = np.array([each.logs[where] for each, where in zip(found, at, strict=True)])
        shares = np.log([part.weight for part in self.parts])[:, np.newaxis]
        return LeftOut(rows, np.logaddexp.reduce(logs + shares), found[0].weights[at[0]])


def mix_fits(
    parts: Sequence[FittedConditional],
    factors: Sequence[Factor],
    weights: FloatArray,
    table: Table,
    whole: Factor,
) -> FittedConditional:
    """Return fits of one variable to different pillows as one.

    Parameters
    ----------
    parts, factors : sequences of FittedConditional and of Factor
        The fits, and the factor that each was fitted as.
    weights : array of shape (n_parts,)
        How much each counts, summing to one.
    table : Table
        The observed rows.
    whole : Factor
        The factor of the mixture: its pillow holds those of all parts.
    """
    columns = tuple(
        np.array([whole.pillow.index(name) for name in factor.pillow], dtype=np.int64)
        for factor in factors
    )
    rows = tuple(np.arange(table.n_rows) if p.rows is None else p.rows for p in parts)
    shift = None
    if any(part.shift is not None for part in parts):
        column = table.values[:, table.index(whole.target)]
        shift = MixedShift(
            tuple(part.shift for part in parts), tuple(column[r] for r in rows), columns
        )
    return MixedConditional(
        MixedWeigher(tuple(part.weigher for part in parts), weights, columns),
        shift,
        rows=np.concatenate(rows),
        mixed=tuple(map(Part, parts, factors, map(float, weights))),
        columns=columns,
    )


def fit_several(
    fit: Callable[[Sequence[Factor]], Sequence[FittedConditional]],
    table: Table,
    pillows: Mapping[Factor, Sequence[tuple[tuple[str, ...], float]]],
    factors: Sequence[Factor],
) -> list[FittedConditional]:
    """Return fits of factors, some of which are mixtures over pillows with stated weights.

    Parameters
    ----------
    fit : callable
        Fits factors to the rows of the table, each with one pillow.
    table : Table
        The observed rows.
    pillows : mapping of Factor to sequence of (tuple of str, float)
        The pillows of a factor and their weights; all are part of its own. Factors that are not
        there have one.
    factors : sequence of Factor
        What is fitted.
    """
    parts = [pillows.get(factor, ((factor.pillow, 1.0),)) for factor in factors]
    single = [
        Factor(f.target, pillow) for f, own in zip(factors, parts, strict=True) for pillow, _ in own
    ]
    fits = iter(zip(fit(single), single, strict=True))
    result = []
    for factor, own in zip(factors, parts, strict=True):
        found = [next(fits) for _ in own]
        if [each for _, each in found] == [factor]:
            result.append(found[0][0])
        else:
            weights = np.array([weight for _, weight in own])
            fitted, single_factors = zip(*found, strict=True)
            result.append(mix_fits(fitted, single_factors, weights, table, factor))
    return result
