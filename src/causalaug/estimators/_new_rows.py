"""New rows of some observed ones, and the training rows that are made of both.

A model is fitted to the same rows once and expanded once; every share and both kinds of targets
are read from that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug.estimators._holes import GivenRows, originals_of
from causalaug.estimators._learner import Training, seeing, take_rows
from causalaug.estimators._predictors import ModelMember, probabilities_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Conditional
    from causalaug.estimators._features_and_target import Observed
    from causalaug.expansion import Expansion
    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray

DRAWN, EXPECTED = "drawn", "expected"

RAREST_CLASS = 1e-3
"""A class that is less probable gets no row of its own; the others take its weight."""


@dataclass(frozen=True, eq=False)
class NewRows:
    """The graph's model of some rows, the new rows that it makes, and their expected targets.

    Parameters
    ----------
    observed : Observed
        The rows that the model was fitted to.
    model : GraphModel
        The model.
    augmented : AugmentedTable
        Its new rows.
    classes : array, optional
        The classes of the target, sorted; None for a number.
    lent : frame, optional
        The cells of the new rows outside the graph; None if there are none.
    """

    observed: Observed
    model: GraphModel = field(repr=False)
    augmented: AugmentedTable = field(repr=False)
    classes: NDArray[Any] | None = None
    lent: Any = field(default=None, repr=False)

    @cached_property
    def expected(self) -> FloatArray:
        """The mean of each new row's target given its features, or the classes' probabilities.

        Shape (n_new_rows,), or (n_new_rows, n_classes).
        """
        model, name = self.model, self.observed.target
        if self.classes is not None:
            return probabilities_of(model.predict(name, self.augmented.frame), self.classes)
        columns = [self.augmented.values(number) for number in range(model.table.n_columns)]
        return model.target(name).means(np.column_stack(columns))

    def model_alone(self) -> Any:
        """Return the model as a learner by itself."""
        observed = self.observed
        names = tuple(node for node in observed.names.values() if node is not None)
        member = ModelMember(self.model, observed.target, names, self.classes)
        return seeing(member, observed.in_graph)

    def training(self, share: float, targets: str) -> Training:
        """Return observed and new rows; a share of 0, or no new row, leaves the observed ones."""
        if share == 0.0 or not len(self.augmented):
            return Training(*self.observed.weighted(), self.observed.n_rows)
        n = self.observed.n_rows
        features, target, weights = self.observed.mixed(self.augmented, share, self.lent)
        if targets == DRAWN:
            return Training(features, target, weights, n)
        if self.classes is None:
            target = np.concatenate([np.asarray(target[:n], dtype=np.float64), self.expected])
            return Training(features, target, weights, n)
        return self._with_each_class(features, target, weights)

    def _with_each_class(self, features: Any, target: Any, weights: FloatArray) -> Training:
        """Return rows in which a new row stands once for each class that it may have."""
        n = self.observed.n_rows
        probable = np.where(self.expected >= RAREST_CLASS, self.expected, 0.0)
        probable /= probable.sum(axis=1, keepdims=True)
        row, label = np.nonzero(probable)
        rows = np.concatenate([np.arange(n), n + row])
        assert self.classes is not None
        classes = np.concatenate([target[:n], self.classes[label]])
        shared = np.concatenate([weights[:n], weights[n + row] * probable[row, label]])
        return Training(take_rows(features, rows), classes, shared, n)


def plain_rows(observed: Observed, conditional: Conditional, seed: int) -> Training:
    """Return the observed rows as they are; those with holes are completed."""
    if observed.table.missing is not None:
        observed = originals_of(observed, conditional, seed)
    return Training(*observed.weighted(), observed.n_rows)


def numbered_as_observed(made: AugmentedTable, observed: Observed) -> tuple[AugmentedTable, Any]:
    """Return new rows that name the observed rows by their own numbers, and their extra cells.

    The model numbers rows by their contents. Where cells are missing its rows are drawn ones, and
    the numbers are those of its own table. A new row has the cells outside the graph of the row
    that its target came from.
    """
    _, numbers = observed.by_contents()
    lent = None
    if observed.extra is not None:
        lender = numbers[made.rows[:, made.table.index(observed.target)]]
        lent = take_rows(observed.extra, lender)
    if observed.table.missing is not None:
        return made, lent
    paths = replace(made.paths, rows=np.asfortranarray(numbers[made.rows]))
    return replace(made, table=observed.table, paths=paths), lent


def make_new_rows(
    observed: Observed,
    conditional: Conditional,
    expansion: Expansion,
    classes: NDArray[Any] | None,
    seed: int,
) -> NewRows:
    """Fit the graph's model to rows, and expand it."""
    originals, has_holes = observed, observed.table.missing is not None
    if has_holes:
        originals = originals_of(observed, conditional, seed)
    model = observed.fit(conditional, seed)
    augmented, lent = numbered_as_observed(model.make_rows(expansion, seed), observed)
    if has_holes:
        given = GivenRows(originals.table.source, originals.sample_weight)
        augmented = replace(augmented, originals=given)
    return NewRows(originals, model, augmented, classes, lent)
