"""Features and target as one table, and back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._validation import brief, look_alikes, no_node, some
from causalaug.conditionals import belief_by_variable
from causalaug.estimators._numeric_target import check_numbers
from causalaug.estimators._validation import as_column, validated, warn_of_number_texts
from causalaug.exceptions import CausalAugWarning, GraphMismatchError, ParameterError, TableError
from causalaug.model import fit_table
from causalaug.table import (
    EqualRows,
    Table,
    check_names,
    column_keys,
    extra_columns,
    repeated_rows,
    stack_frames,
    warn_of_extra,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Belief, Conditional
    from causalaug.graphs import ADMG
    from causalaug.model import GraphModel
    from causalaug.table import KindName, Limits
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
        if self.table.missing is None:
            return compute()
        if key not in self._known:
            self._known[key] = compute()
        found: _T = self._known[key]
        return found

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
            extra = nw.from_native(extra, eager_only=True)[rows].to_native()
            # Both parts have fresh row labels then: pandas would match them otherwise.
            extra = extra.reset_index(drop=True) if _is_pandas(extra) else extra
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
        if "by contents" not in self._known:
            self._known["by contents"] = self._by_contents()
        found: tuple[Observed, IntArray] = self._known["by contents"]
        return found

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

    @property
    def in_graph(self) -> tuple[int, ...] | None:
        """The positions of the features that are nodes; None if all are."""
        if self.extra is None:
            return None
        return tuple(number for number, node in enumerate(self.names.values()) if node is not None)

    def features_and_target(self) -> tuple[Any, Any]:
        """Return the rows as a learner takes them, with the columns outside the graph."""
        if self.extra is None:
            return self.split(self.table.source)
        return self._whole(self.table.source, self.extra), self.split(self.table.source)[1]

    def _whole(self, frame: Any, extra: Any) -> Any:
        """Return the features of rows whose nodes are in one frame, and the others in another."""
        nodes = self._features_of(nw.from_native(_fresh(frame), eager_only=True))
        other = nw.from_native(_fresh(extra), eager_only=True)
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


def _fresh(frame: Any) -> Any:
    """Return a frame with fresh row labels: pandas would match rows by them otherwise."""
    return frame.reset_index(drop=True) if _is_pandas(frame) else frame


def is_frame(data: object) -> bool:
    """Say whether data have named columns of a dataframe library."""
    if isinstance(data, pd.DataFrame):
        return True
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def check_rows(
    estimator: Any, X: Any, y: Any, *, y_numeric: bool, holes: bool = False
) -> tuple[Any, Any]:
    """Return features and target as arrays; a frame stays what it is, for `Table` to check.

    Integers and booleans that pandas calls nullable must not become floats or objects on
    their way. With `holes` cells may be missing; labels that are missing are NaN or None.
    """
    y = _unmasked(y, y_numeric=y_numeric)
    if y_numeric:
        check_numbers(y)
    if isinstance(y, pd.Series):
        try:
            y = y.astype(object).infer_objects().to_numpy()
        except OverflowError:  # from old versions of pandas, of integers that no float can hold
            y = y.to_numpy()
    if holes and (missing := _missing_labels(y)) is not None:
        return _check_unlabelled(estimator, X, y, missing, y_numeric)
    if not is_frame(X):
        finite = "allow-nan" if holes else True
        checked: tuple[Any, Any] = validated(
            estimator, X, y, y_numeric=y_numeric, ensure_all_finite=finite
        )
        return checked
    validated(estimator, X, skip_check_array=True)
    return X, as_column(y, len(X))


def _unmasked(y: Any, *, y_numeric: bool) -> Any:
    """Return a target without a mask: what is masked is missing."""
    if not isinstance(y, np.ma.MaskedArray):
        return y
    if not np.ma.is_masked(y):
        return y.data
    if y_numeric and y.dtype.kind in "biuf":
        return np.ma.filled(y.astype(np.float64), np.nan)
    cells = y.data.astype(object)
    cells[np.ma.getmaskarray(y)] = None
    return cells


def labels_there(target: Any, missing: BoolArray) -> Any:
    """Return the labels that are not missing, in the dtype that they have without the others."""
    cells = target[~missing].tolist()
    try:
        return np.array(cells)
    except ValueError as error:
        odd = next(cell for cell in cells if isinstance(cell, tuple | list | np.ndarray))
        raise TableError(
            "The target must have one value in each row. Found cells that are sequences, such as "
            f"{brief(odd)}. Turn them into words."
        ) from error


def _missing_labels(y: Any) -> BoolArray | None:
    """Return which labels are missing; None if none is."""
    opened = nw.from_native(y, series_only=True, pass_through=True)
    cells = opened.to_list() if isinstance(opened, nw.Series) else y
    try:
        missing = np.asarray(pd.isna(np.asarray(cells, dtype=object)))
    except (TypeError, ValueError):
        return None
    return missing if missing.ndim == 1 and missing.any() else None


def _check_unlabelled(
    estimator: Any, X: Any, y: Any, missing: BoolArray, y_numeric: bool
) -> tuple[Any, Any]:
    """Return features and target of rows of which some have no label."""
    if missing.all():
        raise TableError(
            "At least one row must have a target. Found none: all "
            f"{len(missing)} cells of `y` are missing."
        )
    as_column(missing, len(X))
    opened = nw.from_native(y, series_only=True, pass_through=True)
    listed = opened.to_list() if isinstance(opened, nw.Series) else list(y)
    cells = pd.Series(listed, dtype=object).to_numpy(copy=True)
    labels = as_column(labels_there(cells, missing), int(sum(~missing)))
    if is_frame(X):
        validated(estimator, X, skip_check_array=True)
    else:
        X = validated(estimator, X, ensure_all_finite="allow-nan")
    if y_numeric:
        target = np.full(len(missing), np.nan)
        target[~missing] = np.asarray(labels, dtype=np.float64)
        return X, target
    cells[missing] = None
    return X, cells


def warn_of_no_graph(stacklevel: int = 3) -> None:
    """Say that without a graph there is nothing to gain."""
    warnings.warn(
        "`graph` is None: nothing is known, and the rows stay as they are. Pass graph=..., "
        'anything that `read_graph` reads, such as "rain -> wet -> slow".',
        CausalAugWarning,
        stacklevel=stacklevel,
    )


def observe(
    features: Any,
    target: Any,
    *,
    graph: ADMG,
    name: str,
    kinds: Mapping[str, KindName],
    sample_weight: FloatArray,
    limits: Mapping[str, Limits] | None = None,
    extra: str = "ignore",
    feature_names: Sequence[str] | None = None,
    keep_holes: bool = False,
    trust: Belief = "full",
    stacklevel: int = 4,
) -> Observed:
    """Join features and target into one table, checked against the graph."""
    dtype = None
    if pd.isna(target).any():
        dtype, target = _dtype_and_cells(target)
    counts = sample_weight > 0.0
    as_array = not is_frame(features)
    if as_array:
        features = pd.DataFrame(features, columns=names_of_array(features, feature_names))
    _check_features(_names_of(features), name)
    opened = nw.from_native(features, eager_only=True)
    names = match_names(opened.columns, [node for node in graph.nodes if node != name])
    outside = extra_columns(
        [*(node or own for own, node in names.items()), name], graph.nodes, extra
    )
    warn_of_extra(outside, stacklevel=stacklevel)
    left_out = None
    if outside:
        left_out = opened.select(*outside)
        left_out = (left_out if counts.all() else left_out.filter(counts.tolist())).to_native()
        opened = opened.drop(*outside)
    opened = opened.rename({own: node for own, node in names.items() if node not in (None, own)})
    warn_of_number_texts(opened, kinds, stacklevel=stacklevel)
    features = opened.to_native()
    namespace = nw.get_native_namespace(opened)
    column = nw.new_series(name, target, native_namespace=namespace)
    frame = opened.with_columns(column if not _is_pandas(features) else _aligned(column, features))
    if not counts.all():
        frame = frame.filter(counts.tolist())
    table = Table.from_frame(
        frame.to_native(),
        kinds=kinds,
        limits=limits,
        row_weights=sample_weight[counts],
        holes=True,
    )
    table.check_magnitudes()
    # By variable, since other rungs of a ladder have other edges.
    trust = belief_by_variable(trust, graph, graph.topological_order())
    return Observed(table, graph, name, names, left_out, as_array, dtype, keep_holes, trust)


def _dtype_and_cells(target: Any) -> tuple[Any, Any]:
    """Return the dtype of the labels that are there, and all cells, None where one is missing."""
    missing = pd.isna(target)
    dtype = labels_there(target, missing).dtype
    if target.dtype.kind == "f":
        return dtype, target
    cells = [None if lacks else cell for cell, lacks in zip(target, missing, strict=True)]
    return (None if dtype.kind == "U" else dtype), cells


def match_names(columns: Sequence[str], nodes: Sequence[str]) -> dict[str, str | None]:
    """Return the node of each column, or None; a prefix of a ColumnTransformer is seen through.

    >>> match_names(["num__age", "id"], ["age"])
    {'num__age': 'age', 'id': None}
    """
    prefixed: dict[str, list[str]] = {}
    for column in columns:
        node = column.partition("__")[2]
        if column not in nodes and node in nodes and node not in columns:
            prefixed.setdefault(node, []).append(column)
    doubtful = {node: found for node, found in prefixed.items() if len(found) > 1}
    if doubtful:
        node, found = next(iter(doubtful.items()))
        raise GraphMismatchError(
            f"Each node must be one column. Found {found} for the node {node!r}: prefixes of a "
            "ColumnTransformer. Write ColumnTransformer(..., verbose_feature_names_out=False), "
            "or rename the columns."
        )
    known = {column: column for column in columns if column in nodes}
    known |= {found[0]: node for node, found in prefixed.items()}
    _check_prefixes(columns, [node for node in nodes if node not in known.values()])
    return {column: known.get(column) for column in columns}


def _check_prefixes(columns: Sequence[str], missing: Sequence[str]) -> None:
    """Raise if a node is missing that an encoder seems to have cut into several columns."""
    for node in missing:
        parts = [column for column in columns if column.partition("__")[2].startswith(node)]
        if parts:
            raise GraphMismatchError(
                f"Each node must be one column. Found no column {node!r}, but {parts}, as a "
                "ColumnTransformer names them. Encode inside the estimator, "
                "AugmentedRegressor(make_pipeline(encoder, learner), graph=graph), and write "
                "ColumnTransformer(..., verbose_feature_names_out=False)."
            )


def name_of_target(
    target: str | None,
    y: Any,
    features: Any,
    graph: ADMG,
    feature_names: Sequence[str] | None = None,
) -> str:
    """Return the name of the target: as given, that of `y`, or the only node left."""
    if target is not None:
        if target not in graph.nodes:
            raise GraphMismatchError(no_node(target, graph.nodes))
        return target
    names = _names_of(features) if is_frame(features) else feature_names
    left = [] if names is None else _nodes_left(graph, names)
    if getattr(y, "name", None) in graph.nodes:
        name = str(y.name)
        if names is not None and name in names and left:
            raise ParameterError(
                "The name of `y` must be that of its own node, and not of a feature. Found "
                f"{name!r}, which the features have as well, while no column is called "
                f"{some(left)}. Rename the series, y.rename({left[0]!r}), or write "
                f"target={left[0]!r}."
            )
        return name
    if len(left) == 1:
        return left[0]
    if isinstance(getattr(y, "name", None), str):
        raise GraphMismatchError(no_node(y.name, graph.nodes))
    raise ParameterError(
        "The name of the target must be known, to find it in the graph. Found none: `target` "
        f"is None and `y` has no name among the nodes {some(graph.nodes)}. "
        + look_alikes([*map(str, names or ()), str(getattr(y, "name", ""))], graph.nodes)
        + 'Write target="...", or pass `y` as a named pandas or polars series.'
    )


def _nodes_left(graph: ADMG, names: Sequence[object]) -> list[str]:
    """Return the nodes that are no feature, under its own name or behind a prefix."""
    seen = {each.partition("__")[2] or each for each in map(str, names)}
    return [node for node in graph.nodes if node not in names and node not in seen]


def kinds_with_target(
    name: str, kind: str, kinds: Mapping[str, KindName] | None
) -> dict[str, KindName]:
    """Return the kinds that were asked for, and that of the target; or raise if it has no classes.

    >>> kinds_with_target("y", "nominal", {"a": "ordered"})
    {'y': 'nominal', 'a': 'ordered'}
    """
    wanted: dict[str, Any] = {name: kind, **(kinds or {})}
    if kind != "continuous" and wanted[name] == "continuous":
        raise ParameterError(
            "The target of a classifier must be nominal or ordered. Found "
            f"kinds={{{name!r}: 'continuous'}}. Leave it out of `kinds`, or use the regressor for "
            "numbers."
        )
    return wanted


def _check_features(names: Sequence[object], target: str) -> None:
    """Raise unless the features have names of their own, none of them the target's."""
    check_names(names)
    if target in names:
        raise TableError(
            f"The features must not hold the target. Found {target!r} among the columns "
            f"{some(names)}. Drop it, or name another target."
        )


def check_named(features: Any, feature_names: Sequence[str] | None) -> None:
    """Raise if features have no names by which a graph could be matched, or two for a column."""
    if feature_names is not None and is_frame(features):
        own = _names_of(features)
        if list(feature_names) != own:
            raise ParameterError(
                "`feature_names` must be the names of the columns. Found "
                f"{some(list(feature_names))} for a frame whose columns are {some(own)}. Leave it "
                "out: a frame has its own names; or rename the columns of the frame."
            )
    if feature_names is None and not is_frame(features):
        raise GraphMismatchError(
            "With a graph, the features must have names: columns are matched to nodes by name. "
            "Found an array without any. Either let the steps before return frames, "
            '`set_output(transform="pandas")`; or say what the columns are, feature_names=[...]; '
            "or put the preprocessing inside the estimator, "
            "`AugmentedRegressor(make_pipeline(StandardScaler(), Ridge()), graph=graph)`."
        )


def _names_of(features: Any) -> list[Any]:
    return list(getattr(features, "column_names", features.columns))


def names_of_array(features: Any, feature_names: Sequence[str] | None) -> list[str]:
    check_named(features, feature_names)
    names = list(feature_names or ())
    if features.shape[1] != len(names):
        raise ParameterError(
            "`feature_names` must name each column of the features, in their order. "
            f"Found {len(names)} names, {some(names)}, for {features.shape[1]} columns."
        )
    return names


def _is_pandas(frame: object) -> bool:
    return isinstance(frame, pd.DataFrame)


def _aligned(column: nw.Series[Any], features: pd.DataFrame) -> nw.Series[Any]:
    """Return the column with the row labels of the features: rows are matched by position."""
    native = column.to_native().set_axis(features.index)
    return nw.from_native(native, series_only=True)
