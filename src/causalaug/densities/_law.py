"""The law of one factor, fitted to the rows of a table: its density, and left-out rows under it.

A law is made of weighted rows, which serves any factor; of a mean and the noise around it; or of
tables of levels that back off. Whichever it is, where the values of a number pile up at one of
them, that has a probability of its own, and the density is one of the other rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug.densities._kernel_density import Broad, KernelDensity
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._mean_noise import MeanNoise, fit_means
from causalaug.densities._mixed import AtomDensity, PileDensity, ReflectedDensity, find_pile
from causalaug.densities._student import floor_of_scale
from causalaug.densities._transform import PlainTransform
from causalaug.densities._weighed import WeighedRows, rows_that_suffice, some_rows
from causalaug.kernels import RowWeigher, silverman

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.densities._back_off import BackOff
    from causalaug.densities._base import Density, Shift
    from causalaug.factorization import Factor
    from causalaug.table import Table
    from causalaug.typing import FloatArray, IntArray

LEAST_LOG = -1e3
"""A row counts for no less than this log-density: none must make all others worthless."""


@dataclass(frozen=True, eq=False)
class Law(ABC):
    """How one factor is modelled, fitted to the rows of a table.

    Parameters
    ----------
    weigher : RowWeigher
        What weighs the rows, given values of the pillow.
    table : Table
        The rows.
    factor : Factor
        The variable, and what it is conditioned on.
    rows : int array, optional
        The numbers of the rows among those that the factor was given; None: they are these.
    """

    weigher: RowWeigher
    table: Table
    factor: Factor
    rows: IntArray | None = field(default=None, kw_only=True)

    @abstractmethod
    def density_among(self, some: IntArray | None) -> Density:
        """Return the density where only some of the rows count; None: all."""

    @abstractmethod
    def log_left_out(self, some: IntArray) -> FloatArray:
        """Return the log-density of some rows, each without its own row."""

    def density(self) -> Density:
        """Return the density, which is made anew: rows are often all one wants."""
        share = self.table.original_weights() / self.table.total_weight
        pile = find_pile(self.values, share) if self.kind == "continuous" else None
        if pile is None:
            return self.density_among(None)
        is_piled = (self.values == pile).astype(np.float64)
        elsewhere = self.density_among(np.flatnonzero(is_piled == 0.0))
        # Of many rows, those that suffice tell how likely a row is at the pile.
        rows = rows_that_suffice(len(is_piled))
        if rows is None or np.ptp(is_piled[rows]) == 0.0:
            at_pile = LevelDensity.of(self.weigher, is_piled, share, DEFAULT_SMOOTHING)
        else:
            some = is_piled[rows], share[rows], DEFAULT_SMOOTHING
            at_pile = LevelDensity.of(self.weigher_among(rows), *some)
        return PileDensity(at_pile, elsewhere, pile)

    def weigher_among(self, enough: IntArray) -> RowWeigher:
        """Return what weighs the rows that are enough."""
        return self.weigher.among(enough)

    def thinned(self, enough: Sample | None, to_judge: Sample | None) -> Law:
        """Return the law where fewer rows of a long table are weighed, if any are."""
        return self

    def itself(self) -> Law:
        """Return the law, for those who call for one."""
        return self

    @property
    def column(self) -> int:
        """The column of the variable."""
        return self.table.index(self.factor.target)

    @property
    def kind(self) -> str:
        """The kind of the variable."""
        return self.table.kinds[self.column]

    @property
    def values(self) -> FloatArray:
        """What the rows hold of the variable."""
        return np.asarray(self.table.values[:, self.column])

    @property
    def pillow(self) -> FloatArray:
        """What the rows hold of the pillow."""
        return self.table.values[:, [self.table.index(name) for name in self.factor.pillow]]


@dataclass(frozen=True, eq=False)
class FittedLaw(Law):
    """A mean and the noise around it, or tables that back off: both know left-out rows."""

    fit: MeanNoise | BackOff

    def density_among(self, some: IntArray | None) -> Density:
        """Return the density; to some of the rows a mean is fitted anew."""
        if some is None:
            return self.fit.density()
        with one_blas_thread():
            (fit,) = fit_means([self.table.select(some)], [self.factor])
        return fit.density()

    def log_left_out(self, some: IntArray) -> FloatArray:
        """Return the log-density of some rows, each without its own row."""
        return np.maximum(self.fit.left_out[some], LEAST_LOG)


class Sample(NamedTuple):
    """Some rows of a table, ascending, the table of these alone, and what weighs them."""

    rows: IntArray
    table: Table
    weigher: RowWeigher


@dataclass(frozen=True, eq=False)
class RowLaw(Law):
    """Weighted rows: the slow default, which serves any conditional that can weigh rows.

    A level is as likely as the rows that hold it are heavy; a number has a bump on what each row
    holds, or lends with a `shift`. In a long table fewer rows are `enough`, and still fewer,
    `to_judge`, decide how a factor is modelled.
    """

    shift: Shift | None = None
    level_smoothing: float = DEFAULT_SMOOTHING
    enough: Sample | None = None
    to_judge: Sample | None = None

    def density_among(self, some: IntArray | None) -> Density:
        """Return the density of weighted rows: of all, or of those that are enough."""
        if self.enough is None:
            return self._of_all(some)
        some = None if some is None else np.flatnonzero(np.isin(self.enough.rows, some))
        # A level that none of these rows has is as probable as it is in the whole table.
        return self._of(self.enough)._of_all(some).widened(self.table, self.factor)

    def weigher_among(self, enough: IntArray) -> RowWeigher:
        """Return what weighs the rows that are enough."""
        return super().weigher_among(enough) if self.enough is None else self.enough.weigher

    def thinned(self, enough: Sample | None, to_judge: Sample | None) -> RowLaw:
        """Return the law where fewer rows of a long table are weighed, if any are."""
        return replace(self, enough=enough, to_judge=to_judge)

    def log_left_out(self, some: IntArray) -> FloatArray:
        """Return the log-density of some rows, each without its own row.

        A number without causes is modelled by its rows alone. Noise around a constant often makes
        them likelier, and so would noise around a line in whatever variable: where that is so, it
        speaks for the factor.
        """
        if np.ptp(self.values) == 0.0:
            return np.zeros(len(some))
        logs: FloatArray = _logs_left_out([self], some)[0]
        is_number = self.kind == "continuous" and self.table.resolution[self.column] is not None
        if self.factor.pillow or not is_number:
            return logs
        (noise,) = fit_means([self.table], [self.factor])
        around = np.maximum(noise.left_out[some], LEAST_LOG)
        weights = self.table.original_weights()[some]
        return around if weights @ around > weights @ logs else logs

    def _of(self, sample: Sample) -> RowLaw:
        """Return the law of a sample alone."""
        smoothing = self.level_smoothing
        return RowLaw(sample.weigher, sample.table, self.factor, level_smoothing=smoothing)

    def _of_all(self, among: IntArray | None) -> Density:
        """Return the density where every row of the table is weighed."""
        values, share = self.values, self.table.original_weights() / self.table.total_weight
        if self.kind != "continuous":
            density = LevelDensity.of(self.weigher, values, share, self.level_smoothing)
            has_order = self.kind == "ordered" and len(density.levels) > 2
            if not has_order or self.level_smoothing == 0.0:
                return density
            return density.smoothed_by_rank(self.pillow, some_rows(self.table.n_rows))
        if np.ptp(values) == 0.0:
            return AtomDensity(float(values[0]))
        is_integer = self.table.resolution[self.column] == 1.0
        limits = PlainTransform.of(self.table.limits[self.column], is_integer=is_integer)
        numbers = self._of_numbers(values, share, among)
        return numbers if limits == PlainTransform() else ReflectedDensity(numbers, limits)

    def _of_numbers(
        self, values: FloatArray, share: FloatArray, among: IntArray | None
    ) -> KernelDensity:
        """Return the density of a column of numbers, whatever its limits."""
        apart = values if self.shift is None else self.shift.marks
        if among is None:
            # Bandwidths of a pillow ask for the same of its columns: it is found once.
            is_column = self.shift is None and self.table.missing is None
            width = self.table.summary(self.column, silverman) if is_column else silverman(apart)
        else:
            width, share = silverman(apart[among]), share[among] / share[among].sum()
        tail = Broad.of(values if among is None else values[among], share)
        rows = WeighedRows(self.weigher, len(values), among)
        width = max(width, floor_of_scale(values))
        return KernelDensity(rows, values, width, tail, self.shift)


def _logs_left_out(laws: Sequence[RowLaw], some: IntArray) -> FloatArray:
    """Return the log-density of some rows, each without its own, under laws of weighted rows.

    They differ in what weighs the rows, and in nothing else: of numbers all have the bumps of the
    first. Shape: (n_laws, n).
    """
    samples = [law.to_judge or law.enough for law in laws]
    judged = [law._of(each) if each else law for law, each in zip(laws, samples, strict=True)]
    some = np.searchsorted(samples[0].rows, some) if samples[0] else some
    first, pillow = judged[0]._of_all(None), judged[0].pillow
    # Rows that are left out of a mean are not reflected either: like is judged by like.
    bumps = first.density if isinstance(first, ReflectedDensity) else first
    if isinstance(bumps, KernelDensity):
        ways = [WeighedRows(law.weigher, law.table.n_rows) for law in judged]
        return np.maximum(bumps.log_left_out(pillow, some, ways), LEAST_LOG)
    densities = [first, *(law._of_all(None) for law in judged[1:])]
    levels = [each for each in densities if isinstance(each, LevelDensity)]
    return np.maximum([each.log_left_out(pillow, some) for each in levels], LEAST_LOG)


def likeliest(laws: Sequence[Law]) -> int:
    """Return the number of the law under which left-out rows are most likely; the first of equals.

    All are fitted to the same rows. Laws of weighted rows come last.
    """
    some, weights = some_rows(laws[0].table.n_rows), laws[0].table.original_weights()
    of_rows = [law for law in laws if isinstance(law, RowLaw)]
    known = [law.log_left_out(some) for law in laws[: len(laws) - len(of_rows)]]
    logs = np.vstack([*known, _logs_left_out(of_rows, some)])
    return int(np.argmax(logs @ weights[some]))
