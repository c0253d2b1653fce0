"""Intervals of what a blend predicts, from its errors on rows that were held out.

A new row's error is as likely to have any rank among the held-out ones as they are themselves: that
is all that conformal intervals take for granted, and no graph need be right for it. Errors are
compared in units of how far off the graph's model expects the prediction to be, so that a row of
which less is known gets a wider interval, be it that cells are missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from causalaug._validation import check_level
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from causalaug.estimators._cross_fit import CrossFit
    from causalaug.model import Range
    from causalaug.typing import FloatArray


def checked_levels(levels: Any) -> FloatArray:
    """Return the levels of quantiles, at least one, each between 0 and 1."""
    found = np.atleast_1d(levels)
    if not found.size:
        raise ParameterError(
            "`levels` must hold at least one probability. Found none. Write, for instance, "
            "[0.05, 0.95] for an interval that holds nine in ten."
        )
    for level in found:
        check_level(level)
    return found


def ends_of(level: Any) -> tuple[float, float]:
    """Return the levels of both ends of an interval that holds a share, as much on either side.

    >>> ends_of(0.5)
    (0.25, 0.75)
    """
    check_level(level)
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def expected_errors(moments: FloatArray, predictions: FloatArray) -> FloatArray:
    """Return how far off predictions are expected to be: roots of expected squared errors.

    The graph's model says the mean and the standard deviation of each row's target. Where it is
    sure of another value than the prediction, their distance is what is expected.

    Shapes: moments (2, n_rows), predictions and result (n_rows,).

    >>> expected_errors(np.array([[5.0, 5.0], [3.0, 0.0]]), np.array([9.0, 9.0]))
    array([5., 4.])
    """
    means, spreads = moments
    errors: FloatArray = np.hypot(spreads, predictions - means)
    return errors


def quantiles_of_errors(errors: FloatArray, weights: FloatArray, levels: FloatArray) -> FloatArray:
    """Return what a new row's error does not exceed with the given probabilities.

    Of n errors that count alike it is the one of rank ``(n + 1) * level``, rounded up above the
    median and down below it; at the ends the last there is. The weight of the new row, which is
    one of n + 1, is the mean of the others' weights, each weighed by itself.

    Shapes: errors (n_rows,), weights (n_rows,), levels and result (n_levels,).

    >>> errors = np.arange(1.0, 20.0)
    >>> quantiles_of_errors(errors, np.ones(19), np.array([0.01, 0.1, 0.5, 0.9, 0.99]))
    array([ 1.,  2., 10., 18., 19.])
    """
    order = np.argsort(errors, kind="stable")
    ascending, own = errors[order], weights[order]
    above = _first_reaching(ascending, own, levels)
    below = -_first_reaching(-ascending[::-1], own[::-1], 1.0 - levels)
    result: FloatArray = np.where(
        levels == 0.5, (above + below) / 2.0, np.where(levels > 0.5, above, below)
    )
    return result


def _first_reaching(ascending: FloatArray, weights: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the first error at which a share of the weight is reached, a new row's included."""
    reached = np.cumsum(weights)
    of_new_row = float(np.square(weights).sum()) / reached[-1]
    # Sums of weights are rounded: what is a rank in theory must not be the next one for it.
    slack = np.sqrt(np.finfo(np.float64).eps) * of_new_row
    wanted = levels * (reached[-1] + of_new_row) - slack
    found: FloatArray = ascending[np.minimum(np.searchsorted(reached, wanted), len(ascending) - 1)]
    return found


@dataclass(frozen=True, eq=False)
class HeldOutErrors:
    """The errors of a blend on held-out rows, and what they say of new ones.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Targets minus predictions, in units of what the graph's model expects them to be.
    weights : array of shape (n_rows,)
        How much the rows count.
    model : estimator
        The graph's model as a member of the blend.
    least : float
        The least error that is expected of any row.
    limits : (float, float)
        What the target may hold.
    is_whole : bool
        Whether all targets are whole, and so are quantiles.
    """

    scores: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    model: Any = field(repr=False)
    least: float
    limits: Range
    is_whole: bool

    @classmethod
    def of(
        cls, judged: CrossFit, weights: FloatArray, model: Any, limits: Range, *, is_whole: bool
    ) -> HeldOutErrors:
        """Return the errors of the weighted mean of candidates."""
        assert judged.moments is not None
        predictions = judged.blended(weights)
        expected = expected_errors(judged.moments, predictions)
        # A model that is sure of everything says nothing of how far off predictions are.
        least = float(expected[expected > 0.0].min(initial=np.inf))
        least = least if np.isfinite(least) else 1.0
        scores = (judged.target - predictions) / np.maximum(expected, least)
        return cls(scores, judged.row_weights, model, least, limits, is_whole)

    def quantiles(self, predictions: FloatArray, X: Any, levels: FloatArray) -> FloatArray:
        """Return quantiles of the targets of rows, given what the blend predicts for them.

        Shapes: predictions (n_rows,), levels (n_levels,), result (n_rows, n_levels).
        """
        expected = expected_errors(self.model.predict_moments(X), predictions)
        scores = quantiles_of_errors(self.scores, self.weights, levels)
        found = predictions[:, np.newaxis] + np.outer(np.maximum(expected, self.least), scores)
        found = np.clip(found, *self.limits)
        # Adding zero turns the -0.0 that rounding may leave into 0.0.
        return np.round(found) + 0.0 if self.is_whole else found


class OnlyOfBlends:
    """A method that estimators have if they are blends, fitted or not; or an error says why not.

    The error is an AttributeError, so that `hasattr` says no.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        update_wrapper(cast("Any", self), method)

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self._method
        if not estimator._is_blend():
            name = self._method.__name__
            raise AttributeError(
                f"`{name}` must come from a blend, whose errors on held-out rows it uses. Found "
                f'{_what_is_no_blend(estimator)}. Use augmented_share="auto" or a Blend with a '
                "graph; `GraphRegressor` has quantiles of the graph's own model."
            )
        return MethodType(self._method, estimator)


def _what_is_no_blend(estimator: Any) -> str:
    if estimator.graph is None:
        return "no graph"
    return f"augmented_share={estimator.augmented_share!r}"
