"""Trust by factor: how far each factor of a graph is believed, and what the data want beside it.

No graph is all right. A missing edge spoils one factor, so that one is mended: a factor is a
mixture of the graph's own, ``p(z_j | z_mp(j))``, and one that knows those few variables more which
make left-out rows likelier. Both are weighed by the log-densities of rows that they have not seen.
Where no variable is wanted, the factor is the graph's own and nothing else.

Variables are added one by one. Which is tried next is guessed from what the pillow leaves
unexplained (`strengths`); whether it stays is decided by left-out rows. It must make them likelier
by a factor of as many as could have been tried, since one of them would have been the best by
chance, and by `GRAPH_ODDS` beside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from causalaug._validation import check_columns_exist
from causalaug.conditionals._mixture import mix_fits
from causalaug.densities import Design, stacking_weights
from causalaug.factorization import Factor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from causalaug.conditionals._base import FittedConditional
    from causalaug.conditionals._belief import Belief
    from causalaug.table import Table
    from causalaug.typing import FloatArray

GRAPH_ODDS = 1.0
"""How much likelier, as a logarithm, left-out rows must be with one variable more, beside the
number of those that could have been added. With 0 a right graph lost 6 points of what it brings
(100 log ratio of test errors, 12 models), with 3 one that lacks a quarter of its edges lost 3.5."""


@dataclass(frozen=True)
class Wish:
    """What the data want beside the graph's own pillow of a variable.

    Parameters
    ----------
    factor : Factor
        The variable, given its pillow and the variables that are wanted.
    wanted : tuple of str
        Those that the graph's own pillow lacks.
    gain : float
        By how much they make all left-out rows likelier, as a logarithm.
    trust : float or None
        The weight of the graph's own factor if somebody stated it; None: left-out rows decide.
    """

    factor: Factor
    wanted: tuple[str, ...]
    gain: float = 0.0
    trust: float | None = None


@dataclass(frozen=True, eq=False)
class Fitter:
    """A table, and how factors are fitted to it."""

    table: Table
    fit: Callable[[Sequence[Factor]], Sequence[FittedConditional]] = field(repr=False)


def find_wishes(
    source: Fitter,
    factors: Sequence[Factor],
    fits: Sequence[FittedConditional],
    belief: Belief,
) -> list[Wish | None]:
    """Return what each factor is mixed with; None: it stays the graph's own.

    The factors are in the order of the graph: what comes before a variable may be wanted for it.
    """
    if belief == "full":
        return [None] * len(factors)
    stated = _stated(belief, factors, source.table)
    wishes: list[Wish | None] = []
    for number, factor in enumerate(factors):
        before = tuple(each.target for each in factors[:number])
        more = tuple(name for name in before if name not in factor.pillow)
        share = stated.get(factor.target)
        # Several graphs may claim something of a variable though their union does not.
        claims = bool(more or fits[number].parts)
        believed = share is None or share == 1.0 or not claims
        wishes.append(None if believed else Wish(Factor(factor.target, before), more, trust=share))
    asked = [number for number, factor in enumerate(factors) if factor.target not in stated]
    for number, wish in zip(asked, _by_data(source, factors, fits, asked), strict=True):
        wishes[number] = wish
    return wishes


def _stated(belief: Belief, factors: Sequence[Factor], table: Table) -> dict[str, float]:
    """Return the trust that somebody stated, by variable."""
    if isinstance(belief, str):
        return {}
    if isinstance(belief, Mapping):
        check_columns_exist("trust", belief, table.columns)
        return {name: float(value) for name, value in belief.items()}
    return {factor.target: float(belief) for factor in factors}


def mixtures(
    source: Fitter,
    factors: Sequence[Factor],
    fits: Sequence[FittedConditional],
    wishes: Sequence[Wish | None],
) -> list[FittedConditional]:
    """Return the factors as mixtures of the graph's own and what is wanted beside."""
    wanted = [wish.factor for wish in wishes if wish is not None]
    wider = iter(source.fit(wanted) if wanted else ())
    return [
        fit if wish is None else _mixture(source.table, (fit, next(wider)), (factor, wish))
        for fit, factor, wish in zip(fits, factors, wishes, strict=True)
    ]


def _mixture(
    table: Table, fits: tuple[FittedConditional, FittedConditional], pair: tuple[Factor, Wish]
) -> FittedConditional:
    """Return one factor, whose weights left-out rows decide unless somebody stated them."""
    factor, wish = pair
    if wish.trust == 0.0:
        return fits[1]
    factors = (factor, wish.factor)
    if wish.trust is None:
        logs, row_weights = _log_both(table, fits, factors)
        weights = stacking_weights(logs, row_weights)
    else:
        weights = np.array([wish.trust, 1.0 - wish.trust])
    return mix_fits(fits, factors, weights, table, wish.factor)


def _log_both(
    table: Table,
    fits: tuple[FittedConditional, FittedConditional],
    factors: tuple[Factor, Factor],
) -> tuple[FloatArray, FloatArray]:
    """Return the log-densities of rows that both fits know, each left out, and their weights.

    These sum to the number of rows that there effectively are: copies are no more evidence.
    """
    (rows, logs, weights), (wider_rows, wider_logs, _) = (
        fit.log_left_out(table, factor) for fit, factor in zip(fits, factors, strict=True)
    )
    common, first, second = np.intersect1d(rows, wider_rows, return_indices=True)
    if not len(first):
        return np.empty((0, 2)), np.empty(0)
    # A row whose weight is a number stands there so many times.
    total = np.bincount(rows, weights)[common]
    share = total / total.sum()
    return np.column_stack([logs[first], wider_logs[second]]), share / float(share @ share)


def _by_data(
    source: Fitter,
    factors: Sequence[Factor],
    fits: Sequence[FittedConditional],
    numbers: Sequence[int],
) -> list[Wish | None]:
    """Return what left-out rows want of the variables before each, added one at a time.

    All factors take their next step together: fitting many at once costs less.
    """
    order, inputs = [factor.target for factor in factors], standard_inputs(source.table)
    now = {number: (factors[number], fits[number]) for number in numbers}
    gains, still_open = dict.fromkeys(numbers, 0.0), list(numbers)
    while still_open:
        tried = {}
        for number in still_open:
            factor = now[number][0]
            more = [name for name in order[:number] if name not in factor.pillow]
            if more and _varies(source.table, factor.target):
                best = more[int(np.argmax(strengths(inputs, factor, more)))]
                pillow = [name for name in order[:number] if name in (*factor.pillow, best)]
                tried[number] = Factor(factor.target, tuple(pillow)), len(more)
        found = source.fit([factor for factor, _ in tried.values()]) if tried else ()
        still_open = []
        for (number, (wider, n_more)), fit in zip(tried.items(), found, strict=True):
            factor, last = now[number]
            logs, weights = _log_both(source.table, (last, fit), (factor, wider))
            gain = float(weights @ (logs[:, 1] - logs[:, 0]))
            if gain > math.log(n_more) + GRAPH_ODDS:
                now[number], gains[number] = (wider, fit), gains[number] + gain
                still_open.append(number)
    return [_wish(factors[number], now[number][0], gains[number]) for number in numbers]


def _wish(factor: Factor, wider: Factor, gain: float) -> Wish | None:
    """Return the wish for a wider pillow; None if it is not wider."""
    wanted = tuple(name for name in wider.pillow if name not in factor.pillow)
    return Wish(wider, wanted, gain) if wanted else None


def _varies(table: Table, name: str) -> bool:
    """Say whether a column holds more than one value."""
    values = table.values[:, table.index(name)]
    return bool(np.nanmax(values) > np.nanmin(values))


def standard_inputs(table: Table) -> dict[str, FloatArray]:
    """Return each column as centred inputs of a regression, a row by the root of its weight.

    A number is one input, a column of levels one for each. A missing cell is taken for the mean.
    """
    weights, inputs = table.original_weights(), {}
    for name in table.columns:
        design = Design.of(table, [name])
        held = design(table.values[:, design.columns])
        # Indicators of a missing cell are all zero, and not missing.
        known = ~np.isnan(table.values[:, design.columns]) & ~np.isnan(held)
        total = np.maximum(weights @ known, np.finfo(np.float64).tiny)
        centred = np.where(known, held, 0.0) - (weights @ np.where(known, held, 0.0)) / total
        centred[~np.broadcast_to(known, held.shape)] = 0.0
        scale = np.sqrt(weights @ np.square(centred) / weights.sum())
        inputs[name] = centred / np.where(scale > 0.0, scale, 1.0)
    root = np.sqrt(weights)[:, np.newaxis]
    return {name: each * root for name, each in inputs.items()} | {"": root}


def strengths(inputs: Mapping[str, FloatArray], factor: Factor, names: Sequence[str]) -> FloatArray:
    """Return how much of what a pillow leaves of its variable each of some others explains.

    By least squares: the variable on lines of the pillow; what that leaves, on each other variable
    and its square, less what the pillow explains of these. It only says which is to be tried first.
    """
    root = inputs[""]
    spanned = _orthonormal(np.hstack([root, *(inputs[name] for name in factor.pillow)]))
    left = _without(inputs[factor.target], spanned)
    return np.array([_explained(left, _without(_curve(inputs[n], root), spanned)) for n in names])


def _curve(inputs: FloatArray, root: FloatArray) -> FloatArray:
    """Return inputs and their squares; both are weighed by the root of the weights, once."""
    return np.hstack([inputs, np.square(inputs) / root])


def _orthonormal(matrix: FloatArray) -> FloatArray:
    """Return orthonormal columns that span those of a matrix."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    kept: FloatArray = left[:, sizes > sizes.max(initial=0.0) * 1e-9]
    return kept


def _without(matrix: FloatArray, spanned: FloatArray) -> FloatArray:
    """Return what some orthonormal columns leave of a matrix."""
    rest: FloatArray = matrix - spanned @ (spanned.T @ matrix)
    return rest


def _explained(target: FloatArray, inputs: FloatArray) -> float:
    """Return how much of the squares of a matrix others span."""
    if np.square(inputs).sum() <= 1e-18 * max(np.square(target).sum(), 1.0):
        return 0.0
    return float(np.square(_orthonormal(inputs).T @ target).sum())
