"""The graph's model as a member of a blend: what it says of the target, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug.estimators._new_rows import NewRows, probabilities_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray

MARGIN = 0.1
"""How far a prediction may lie outside the observed targets, as a share of their range. A model
that is wrong is at its worst where it extrapolates, and held-out rows may not show it."""


@dataclass(frozen=True, eq=False)
class ModelMember:
    """Predicts the target given the rest.

    Parameters
    ----------
    model : GraphModel
        The model.
    target : str
        What is predicted.
    names : tuple of str or None
        The names of the columns of an array; None if features come as a frame.
    classes_ : array, optional
        The classes, sorted; None for a number.
    bounds : (float, float), optional
        The least and the largest prediction of a number.
    """

    model: GraphModel = field(repr=False)
    target: str
    names: tuple[str, ...] | None = field(repr=False)
    classes_: NDArray[Any] | None = None
    bounds: tuple[float, float] | None = None

    @classmethod
    def of(cls, rows: NewRows) -> ModelMember:
        """Return the model behind new rows."""
        observed = rows.observed
        table = observed.table
        names = tuple(name for name in table.columns if name != observed.target)
        bounds = None
        if rows.classes is None:
            values = table.values[:, table.index(observed.target)]
            margin = MARGIN * float(np.ptp(values))
            bounds = float(values.min()) - margin, float(values.max()) + margin
        return cls(
            rows.model, observed.target, names if observed.as_array else None, rows.classes, bounds
        )

    def predict(self, X: Any) -> Any:
        """Return the mean of the target, or its most probable class."""
        if self.classes_ is not None:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        mean = np.asarray(self.model.predict(self.target, self._named(X)).mean, dtype=np.float64)
        return mean if self.bounds is None else np.clip(mean, *self.bounds)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""
        assert self.classes_ is not None
        return probabilities_of(self.model.predict(self.target, self._named(X)), self.classes_)

    def _named(self, X: Any) -> Any:
        return X if self.names is None else pd.DataFrame(np.asarray(X), columns=list(self.names))
