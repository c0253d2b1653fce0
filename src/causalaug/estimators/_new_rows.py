"""New rows of some observed ones, and the training rows that are made of both.

A model is fitted to the same rows once and expanded once; every share and both kinds of targets
are read from that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug.estimators._holes import (
    GivenRows,
    completed_rows,
    originals_of,
)
from causalaug.estimators._learner import Training, seeing, take_rows
from causalaug.estimators._members import ModelMember, probabilities_of
from causalaug.graphs import complete_graph
from causalaug.model import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Conditional
    from causalaug.estimators._observed import Observed
    from causalaug.expansion import Expansion
    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray

DRAWN, EXPECTED = "drawn", "expected"

LEAST_PROBABILITY = 1e-3
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
    """

    observed: Observed
    model: GraphModel = field(repr=False)
    augmented: AugmentedTable = field(repr=False)
    classes: NDArray[Any] | None = None

    @cached_property
    def expected(self) -> FloatArray:
        """The mean of each new row's target given its features, or the classes' probabilities.

        Shape (n_new_rows,), or (n_new_rows, n_classes).
        """
        model, name = self.model, self.observed.target
        if self.classes is not None:
            return probabilities_of(model.predict(name, self.augmented.frame), self.classes)
        columns = [self.augmented.values(number) for number in range(model.table.n_columns)]
        target = Target(model.table, model.factors, model.densities, name)
        return target.means(np.column_stack(columns))

    def model_alone(self) -> Any:
        """Return the model as a learner by itself."""
        observed = self.observed
        names = tuple(node for node in observed.names.values() if node is not None)
        member = ModelMember.of(self.model, observed.target, self.classes, names)
        return seeing(member, observed.in_graph)

    def training(self, share: float, targets: str) -> Training:
        """Return observed and new rows; a share of 0, or no new row, leaves the observed ones."""
        if share == 0.0 or not len(self.augmented):
            return Training(*self.observed.weighted(), self.observed.n_rows)
        n = self.observed.n_rows
        features, target, weights = self.observed.mixed(self.augmented, share)
        if targets == DRAWN:
            return Training(features, target, weights, n, self.observed.in_graph)
        if self.classes is None:
            target = np.concatenate([np.asarray(target[:n], dtype=np.float64), self.expected])
            return Training(features, target, weights, n, self.observed.in_graph)
        return self._with_each_class(features, target, weights)

    def _with_each_class(self, features: Any, target: Any, weights: FloatArray) -> Training:
        """Return rows in which a new row stands once for each class that it may have."""
        n = self.observed.n_rows
        probable = np.where(self.expected >= LEAST_PROBABILITY, self.expected, 0.0)
        probable /= probable.sum(axis=1, keepdims=True)
        row, label = np.nonzero(probable)
        rows = np.concatenate([np.arange(n), n + row])
        assert self.classes is not None
        classes = np.concatenate([target[:n], self.classes[label]])
        shared = np.concatenate([weights[:n], weights[n + row] * probable[row, label]])
        return Training(take_rows(features, rows), classes, shared, n, self.observed.in_graph)


def plain_rows(observed: Observed, conditional: Conditional, seed: int) -> Training:
    """Return the observed rows as they are; those with holes are completed."""
    if observed.table.missing is not None:
        observed = originals_of(observed, conditional, seed)
    return Training(*observed.weighted(), observed.n_rows)


def make_new_rows(
    observed: Observed,
    conditional: Conditional,
    expansion: Expansion,
    classes: NDArray[Any] | None,
    seed: int,
    *,
    expected: bool,
    control: bool = False,
) -> NewRows:
    """Fit the graph's model, or that of the complete graph, to rows, and expand it.

    Parameters
    ----------
    control : bool
        Whether to assume no independence: the complete graph. A number that is the target comes
        last there: any order says the same, namely nothing, and the expected target is then one
        mean given all the rest, not a product of eleven factors.
    expected : bool
        Whether expected targets are wanted. They are computed here, so that they are computed
        once and in the process that made the rows.
    """
    originals, has_holes = observed, observed.table.missing is not None
    if has_holes:
        originals = originals_of(observed, conditional, seed)
        # Without independences a factor needs all columns, which few rows with holes have.
        observed = completed_rows(observed, conditional, seed, copies=1) if control else observed
    if control:
        order = observed.graph.topological_order()
        if classes is None:
            order = (*(name for name in order if name != observed.target), observed.target)
        observed = replace(observed, graph=complete_graph(order))
    model = observed.fit(conditional, seed)
    augmented = model.make_rows(expansion, seed)
    if has_holes:
        given = GivenRows(originals.table.source, originals.sample_weight)
        augmented = replace(augmented, originals=given)
    made = NewRows(originals, model, augmented, classes)
    if expected and len(made.augmented):
        _ = made.expected
    return made
