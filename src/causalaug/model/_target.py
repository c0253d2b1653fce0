"""From a model, a target and coded rows to a `Prediction`: which factors matter where.

A row may lack cells. What it lacks is integrated out jointly with the target. Rows that lack the
same cells are answered together: they need the same factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug.model._posterior import Child, Posterior, distributions, probabilities
from causalaug.model._prediction import Prediction
from causalaug.table import Table, level_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from causalaug.conditionals import Density
    from causalaug.factorization import Factor
    from causalaug.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Target:
    """One variable as the target, with all factors of the model."""

    table: Table
    factors: Sequence[Factor]
    densities: Sequence[Density]
    name: str

    @property
    def density(self) -> Density:
        """The density of the target given its pillow."""
        return self.densities[self._number(self.name)]

    def _number(self, name: str) -> int:
        return [factor.target for factor in self.factors].index(name)

    def predict(self, values: FloatArray) -> Prediction:
        """Return the distribution of the target in each row; NaN is a missing cell."""
        levels = self.density.levels
        if levels is not None:
            result = np.empty((len(values), len(levels)))
            for rows, hidden in self._patterns(values):
                result[rows] = self._probabilities(values[rows], hidden, levels)
            return Prediction(self.name, _cells_of(self.table, self.name, levels), result)
        parts = [
            (rows, *self._distributions(values[rows], hidden))
            for rows, hidden in self._patterns(values)
        ]
        return Prediction(self.name, None, None, *_gathered(parts, len(values)))

    def posterior(self, factors: Sequence[int]) -> Posterior:
        """Return the product of some of the factors, as a function of the target."""
        children = []
        for number in factors:
            factor = self.factors[number]
            if self.name in factor.pillow:
                pillow = np.array([self.table.index(name) for name in factor.pillow])
                position = factor.pillow.index(self.name)
                column = self.table.index(factor.target)
                children.append(Child(self.densities[number], column, pillow, position))
        own = self.factors[self._number(self.name)]
        columns = np.array([self.table.index(name) for name in own.pillow], dtype=np.int64)
        return Posterior(self.density, columns, tuple(children))

    def _probabilities(
        self, values: FloatArray, hidden: tuple[str, ...], levels: FloatArray
    ) -> FloatArray:
        factors, _ = relevant_factors(self.factors, self.name, hidden)
        return probabilities(self.posterior(factors), values, levels)

    def _distributions(
        self, values: FloatArray, hidden: tuple[str, ...]
    ) -> tuple[FloatArray, FloatArray]:
        factors, _ = relevant_factors(self.factors, self.name, hidden)
        return distributions(self.posterior(factors), values)

    def _patterns(self, values: FloatArray) -> Iterator[tuple[IntArray, tuple[str, ...]]]:
        """Yield rows that lack the same cells, with the names of these; never the target."""
        missing: BoolArray = np.isnan(values)
        missing[:, self.table.index(self.name)] = False
        patterns, of_row = np.unique(missing, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        for number, pattern in enumerate(patterns):
            hidden = tuple(
                name for name, lacks in zip(self.table.columns, pattern, strict=True) if lacks
            )
            yield np.flatnonzero(of_row == number), hidden


def relevant_factors(
    factors: Sequence[Factor], target: str, hidden: Sequence[str]
) -> tuple[list[int], tuple[str, ...]]:
    """Return the factors that say something of the target, and the hidden cells they touch.

    A hidden variable that no other factor looks at sums to one with its own factor, and both are
    left out; then perhaps the next. Of the factors that are left, those count that reach the
    target through unknown variables.

    >>> from causalaug import factorize, read_graph
    >>> chain = factorize(read_graph("a -> y; y -> b; b -> c"))
    >>> relevant_factors(chain, "y", ["c"])
    ([1, 2], ())
    >>> relevant_factors(chain, "y", ["b"])
    ([1, 2, 3], ('b',))
    """
    kept = dict(enumerate(factors))
    unknown = set(hidden)
    for number in sorted(kept, reverse=True):
        name = factors[number].target
        if name in unknown and not any(name in each.pillow for each in kept.values()):
            del kept[number]
            unknown.discard(name)
    reached, frontier = {target}, [target]
    while frontier:
        name = frontier.pop()
        for each in kept.values():
            scope = {each.target, *each.pillow}
            new = (scope & unknown) - reached if name in scope else set()
            reached |= new
            frontier += sorted(new)
    touched = [number for number, each in kept.items() if reached & {each.target, *each.pillow}]
    return touched, tuple(name for name in hidden if name in reached)


def _cells_of(table: Table, name: str, levels: FloatArray) -> Any:
    """Return the cells that levels stand for, as an array."""
    _, cells = level_cells(table, name)
    array = np.array(cells)
    return array if array.ndim == 1 and array.dtype.kind in "biufUM" else np.array(cells, object)


def _gathered(
    parts: Sequence[tuple[IntArray, FloatArray, FloatArray]], n_rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return points and cumulative distributions of all rows, in their order."""
    width = max((points.shape[1] for _, points, _ in parts), default=2)
    points, cumulative = np.empty((n_rows, width)), np.empty((n_rows, width))
    for rows, own, running in parts:
        pad = ((0, 0), (0, width - own.shape[1]))
        points[rows] = np.pad(own, pad, mode="edge")
        cumulative[rows] = np.pad(running, pad, mode="edge")
    return points, cumulative
