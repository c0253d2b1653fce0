"""The observed rows: features and target as one table, and back; and their ladder of knowledge.

A rung of the ladder is a graph. *Nothing* is the complete graph with the target last: a model of
the target given all else, and smoothing rows; no causal knowledge. *The order* is the complete
graph along the given order: each mechanism in its own direction, and no independence. *The graph*
is the one that was given. Two rungs whose factors are equal claim the same, and are one: what is
fitted to it is fitted once, and the step between them is exactly nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._validation import some
from causalaug.conditionals import belief_by_variable
from causalaug.estimators._input import labels_there, warn_of_number_texts
from causalaug.estimators._names import (
    check_features,
    kinds_with_target,
    match_names,
)
from causalaug.exceptions import CausalAugWarning
from causalaug.factorization import factorize
from causalaug.graphs import SeveralGraphs, complete_graph
from causalaug.model import fit_table
from causalaug.table import (
    EqualRows,
    Table,
    column_keys,
    extra_columns,
    repeated_rows,
    stack_frames,
    warn_of_extra,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Belief, Conditional
    from causalaug.graphs import ADMG
    from causalaug.model import GraphModel
    from causalaug.typing import BoolArray, FloatArray, IntArray

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Observed:
    """The observed rows with their target, as the method and as a learner see them.

    Rows of weight zero are left out. Cells may be missing, also of the target: such a row is
    unlabelled, and `dtype` is that of the labels. With `keep_holes` a learner gets rows with
    their holes. The columns of `extra` are no nodes: a learner sees them, the graph's model does
    not. `names` are all features in their own order and under their own names, each with its node,
    or None if it has none. `trust` says how far the graph is believed, see `fit_model`.
    """

    table: Table
    graph: ADMG
    target: str
    names: Mapping[str, str | None] = field(repr=False)
    extra: Any = field(repr=False)
    as_array: bool = field(repr=False)
    dtype: Any = field(default=None, repr=False)
    keep_holes: bool = field(default=False, repr=False)
    trust: Belief = field(default="full", repr=False)
    _known: dict[Hashable, Any] = field(init=False, default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {**vars(self), "_known": {}}

    def once(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Return what was computed of rows with holes under this key, or compute it now.

        Completed originals, new rows of the graph and of the control, and rows that are asked all
        need the same model and the same draws; without holes nothing is needed twice.
        """
        return compute() if self.table.missing is None else self._once(key, compute)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @property
    def sample_weight(self) -> FloatArray:
        """The weight of each row, in the user's own scale."""
        return self.table.original_weights()

    def select(self, rows: IntArray) -> Observed:
        """Return some of the rows."""
        return self.once(("rows", rows.tobytes()), partial(self._select, rows))

    def _select(self, rows: IntArray) -> Observed:
        extra = self.extra
        if extra is not None:
            extra = fresh(nw.from_native(extra, eager_only=True)[rows].to_native())
        return replace(self, table=self.table.select(rows), extra=extra)

    def fit(self, conditional: Conditional, seed: int) -> GraphModel:
        """Return the graph's model of these rows, all of which its factors have learnt from."""
        # The model keeps its conditional, so that no other can have its number.
        return self.once(("model", id(conditional), seed), partial(self._fit, conditional, seed))

    def _fit(self, conditional: Conditional, seed: int) -> GraphModel:
        rows, _ = self.by_contents()
        # Drawn targets teach the target's own factor something only if few were observed: with 12
        # of 60 missing the error of the model was 4% higher that way, with 600 of 660 1.5% lower.
        labels = [self.target] if 2 * len(rows.labels) < rows.n_rows else []
        model = fit_table(rows.table, self.graph, conditional, trust=self.trust, to_refine=True)
        return model.refined(random_state=seed, labels=labels)

    def equal_rows(self) -> EqualRows:
        """Return the rows by their contents, those of columns outside the graph among them."""
        if self.extra is None:
            return self.table.equal_rows()
        nodes = self.table.equal_rows()
        other = nw.from_native(self.extra, eager_only=True)
        keys = [_keys_of(other[name]) for name in other.columns]
        tells_apart = np.concatenate([nodes.is_continuous, np.zeros(len(keys), dtype=bool)])
        return EqualRows([*nodes.columns, *keys], nodes.weights, tells_apart)

    def by_contents(self) -> tuple[Observed, IntArray]:
        """Return the rows in an order that their contents decide, and their numbers here.

        Copies are one row of their summed weight; where equal rows are chance, whole weights repeat
        rows. So neither the order of a table nor whether it has copies or weights can change what
        is learnt from it, or drawn.
        """
        return self._once("by contents", self._by_contents)

    def _once(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        if key not in self._known:
            self._known[key] = compute()
        known: _T = self._known[key]
        return known

    def _by_contents(self) -> tuple[Observed, IntArray]:
        equal = self.equal_rows()
        if equal.are_copies:
            rows, weights = equal.first, equal.summed_weights
        else:
            rows, weights = np.argsort(equal.keys, kind="stable"), None
            times = repeated_rows(equal.weights[rows])
            if times is not None:
                rows, weights = rows[times], np.ones(len(times))
        return self.select(rows).weighed(weights), rows

    def weighed(self, weights: FloatArray | None) -> Observed:
        """Return the same rows with other weights; None leaves them."""
        if weights is None:
            return self
        table = self.table.weighed(weights)
        # Rows that differ outside the graph may be copies within it, which is yet to be seen.
        return replace(self, table=replace(table, is_normal=self.extra is None))

    def repeated(self) -> tuple[Observed, IntArray | None]:
        """Return the rows as often as whole weights say, where equal rows are chance, and which."""
        rows = None if self.equal_rows().are_copies else repeated_rows(self.sample_weight)
        if rows is None:
            return self, None
        return self.select(rows).weighed(np.ones(len(rows))), rows

    @property
    def n_labels(self) -> int:
        """The number of rows that have a target, copies counted once."""
        equal = self.labelled().equal_rows()
        return len(equal.first) if equal.are_copies else len(equal.weights)

    @property
    def labels(self) -> IntArray:
        """The numbers of the rows that have a target."""
        if self.table.missing is None:
            return np.arange(self.n_rows)
        found: IntArray = np.flatnonzero(~self.table.missing[:, self.table.index(self.target)])
        return found

    def labelled(self) -> Observed:
        """Return the rows that have a target."""
        rows = self.labels
        return self if len(rows) == self.n_rows else self.select(rows)

    def features_and_target(self) -> tuple[Any, Any]:
        """Return the rows as a learner takes them, with the columns outside the graph."""
        if self.extra is None:
            return self.split(self.table.source)
        return self._whole(self.table.source, self.extra), self.split(self.table.source)[1]

    def _whole(self, frame: Any, extra: Any) -> Any:
        """Return the features of rows whose nodes are in one frame, and the others in another."""
        nodes = self._features_of(nw.from_native(fresh(frame), eager_only=True))
        other = nw.from_native(fresh(extra), eager_only=True)
        columns = [nodes[name] if name in nodes.columns else other[name] for name in self.names]
        # Without a feature in the graph there is no column of nodes to select from.
        return self._as_given((nodes if nodes.columns else other).select(*columns))

    def weighted(self) -> tuple[Any, Any, FloatArray]:
        """Return features, target and weights of the rows."""
        return (*self.features_and_target(), self.sample_weight)

    def mixed(
        self, augmented: AugmentedTable, share: float, lent: Any = None
    ) -> tuple[Any, Any, FloatArray]:
        """Return features, target and weights of the original and the new rows together.

        `lent` are the cells of the new rows outside the graph.
        """
        frame, weights = augmented.mixed(share)
        if self.extra is None:
            return (*self.split(frame), weights)
        other = stack_frames(self.extra, lent)
        return self._whole(frame, other), self.split(frame)[1], weights

    def split(self, frame: Any) -> tuple[Any, Any]:
        """Return features and target of a frame of such rows."""
        opened = nw.from_native(frame, eager_only=True)
        target = opened[self.target].to_numpy()
        if self.dtype is not None and not pd.isna(target).any():
            target = target.astype(self.dtype)
        return self._as_given(self._features_of(opened)), target

    def _features_of(self, opened: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
        """Return the features that are nodes, under their own names."""
        renamed = {node: name for name, node in self.names.items() if node not in (None, name)}
        features = opened.drop(self.target)
        return features.rename(renamed) if renamed else features

    def _as_given(self, features: nw.DataFrame[Any]) -> Any:
        return features.to_numpy() if self.as_array else features.to_native()


def _keys_of(column: nw.Series[Any]) -> Any:
    """Return a number for each cell, equal where the cells are."""
    cells = column.to_numpy()
    if cells.dtype.kind in "biuf":
        return column_keys(cells.astype(np.float64))
    words = [
        None if lacks else str(cell) for cell, lacks in zip(cells, pd.isna(cells), strict=True)
    ]
    return pd.util.hash_array(np.array(words, dtype=object))


def fresh(frame: Any) -> Any:
    """Return a frame with fresh row labels: pandas would match rows by them otherwise."""
    return frame.reset_index(drop=True) if isinstance(frame, pd.DataFrame) else frame


def observe(
    learner: Any,
    X: Any,
    y: Any,
    weights: FloatArray,
    graph: ADMG,
    *,
    name: str,
    as_array: bool = False,
    stacklevel: int = 4,
) -> Observed:
    """Join features and target into one table, checked against the graph and the parameters.

    The features are a frame; with `as_array` a learner gets them as an array.
    """
    dtype, counts = None, weights > 0.0
    if pd.isna(y).any():
        dtype, y = _dtype_and_cells(y)
    check_features(X, name)
    opened = nw.from_native(X, eager_only=True)
    names = match_names(opened.columns, [node for node in graph.nodes if node != name])
    kinds = kinds_with_target(name, learner._kind_of_target, learner.kinds)
    columns = [*(node or own for own, node in names.items()), name]
    outside, left_out = extra_columns(columns, graph.nodes, learner.extra), None
    if outside and learner._uses_extra:
        warn_of_extra(outside, stacklevel=stacklevel)
        left_out = _filtered(opened.select(*outside), counts).to_native()
    elif outside:
        names = {own: node for own, node in names.items() if node is not None}
        warnings.warn(
            f"Columns that are no node of the graph are not used: {some(outside)}. Add them to the "
            'graph, drop them, or write extra="error".',
            CausalAugWarning,
            stacklevel=stacklevel - 1,
        )
    opened = opened.drop(*outside)
    opened = opened.rename({own: node for own, node in names.items() if node not in (None, own)})
    warn_of_number_texts(opened, kinds, stacklevel=stacklevel)
    column = nw.new_series(name, y, native_namespace=nw.get_native_namespace(opened))
    if isinstance(X, pd.DataFrame):
        # Rows are matched by position, not by their labels.
        native = column.to_native().set_axis(X.index)
        column = nw.from_native(native, series_only=True)
    table = Table.from_frame(
        _filtered(opened.with_columns(column), counts).to_native(),
        kinds=kinds,
        limits=learner.limits,
        row_weights=weights[counts],
        holes=True,
    )
    table.check_magnitudes()
    # By variable, since other rungs of a ladder have other edges.
    trust = belief_by_variable(learner.trust, graph, graph.topological_order())
    holes = learner.keep_holes
    return Observed(table, graph, name, names, left_out, as_array, dtype, holes, trust)


def _filtered(opened: nw.DataFrame[Any], counts: BoolArray) -> nw.DataFrame[Any]:
    return opened if counts.all() else opened.filter(counts.tolist())


def _dtype_and_cells(target: Any) -> tuple[Any, Any]:
    """Return the dtype of the labels that are there, and all cells, None where one is missing."""
    missing = pd.isna(target)
    dtype = labels_there(target, missing).dtype
    if target.dtype.kind == "f":
        return dtype, target
    cells = [None if lacks else cell for cell, lacks in zip(target, missing, strict=True)]
    return (None if dtype.kind == "U" else dtype), cells


NOTHING, ORDER, GRAPH = "nothing", "order", "graph"
RUNGS = (NOTHING, ORDER, GRAPH)


@dataclass(frozen=True, eq=False)
class Ladder:
    """The same rows on every rung.

    Parameters
    ----------
    rungs : mapping of str to Observed
        The rows with the graph of each rung.
    places : mapping of str to str
        For each rung the one that stands for it: itself, or one with equal factors.
    """

    rungs: Mapping[str, Observed]
    places: Mapping[str, str]

    @classmethod
    def of(cls, observed: Observed) -> Ladder:
        """Return the ladder that ends in the graph of these rows."""
        order = observed.graph.topological_order()
        last = (*(name for name in order if name != observed.target), observed.target)
        graphs = {
            GRAPH: observed.graph,
            ORDER: complete_graph(order),
            NOTHING: complete_graph(last),
        }
        # The graph comes first: whoever is equal to it, is it.
        first = {_claims(graph): name for name, graph in reversed(graphs.items())}
        places = {name: first[_claims(graph)] for name, graph in graphs.items()}
        rungs = {
            name: observed if name == GRAPH else replace(observed, graph=graphs[name])
            for name in dict.fromkeys(places.values())
        }
        return cls(rungs, places)

    def on(self, rung: str) -> Observed:
        """Return the rows with the graph of a rung."""
        return self.rungs[self.places[rung]]

    def select(self, rows: IntArray) -> Ladder:
        """Return the ladder of some of the rows."""
        return replace(self, rungs={name: each.select(rows) for name, each in self.rungs.items()})

    @property
    def fills_holes(self) -> bool:
        """Whether a learner gets cells that the graph of a rung has filled in."""
        observed = self.rungs[GRAPH]
        return observed.table.missing is not None and not observed.keep_holes


def _claims(graph: ADMG) -> Hashable:
    """Return what tells a graph from others that claim something else: its factors.

    Several graphs claim more than their union, each with its weight.
    """
    return graph if isinstance(graph, SeveralGraphs) else factorize(graph)
