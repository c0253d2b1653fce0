"""Features and target as one table, and back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from causalaug._validation import check_same_variables
from causalaug.exceptions import GraphMismatchError, ParameterError, TableError
from causalaug.model import fit_table
from causalaug.table import Table, check_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Conditional
    from causalaug.graphs import ADMG
    from causalaug.model import GraphModel
    from causalaug.table import KindName
    from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Observed:
    """The observed rows with their target, as the method and as a learner see them.

    Rows of weight zero are left out.
    """

    table: Table
    graph: ADMG
    target: str
    as_array: bool = field(repr=False)

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
        return replace(self, table=self.table.select(rows))

    def fit(self, conditional: Conditional) -> GraphModel:
        """Return the graph's model of these rows."""
        return fit_table(self.table, self.graph, conditional)

    def features_and_target(self) -> tuple[Any, Any]:
        """Return the rows as a learner takes them."""
        return self.split(self.table.source)

    def weighted(self) -> tuple[Any, Any, FloatArray]:
        """Return features, target and weights of the rows."""
        return (*self.features_and_target(), self.sample_weight)

    def mixed(self, augmented: AugmentedTable, share: float) -> tuple[Any, Any, FloatArray]:
        """Return features, target and weights of the original and the new rows together."""
        frame, weights = augmented.mixed(share)
        return (*self.split(frame), weights)

    def split(self, frame: Any) -> tuple[Any, Any]:
        """Return features and target of a frame of such rows."""
        opened = nw.from_native(frame, eager_only=True)
        target = opened[self.target].to_numpy()
        features = opened.drop(self.target)
        return (features.to_numpy() if self.as_array else features.to_native()), target


def is_frame(data: object) -> bool:
    """Say whether data have named columns of a dataframe library."""
    if isinstance(data, pd.DataFrame):
        return True
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def check_rows(estimator: Any, X: Any, y: Any, *, y_numeric: bool) -> tuple[Any, Any]:
    """Return features and target as arrays; a frame stays what it is, for `Table` to check.

    Integers and booleans that pandas calls nullable must not become floats or objects on
    their way.
    """
    if isinstance(y, pd.Series):
        y = y.astype(object).infer_objects().to_numpy()
    if not is_frame(X):
        checked: tuple[Any, Any] = validate_data(estimator, X, y, y_numeric=y_numeric)
        return checked
    validate_data(estimator, X, skip_check_array=True)
    target = column_or_1d(y, warn=True)
    check_consistent_length(X, target)
    return X, target


def observe(
    features: Any,
    target: Any,
    *,
    graph: ADMG,
    name: str,
    kinds: Mapping[str, KindName],
    sample_weight: FloatArray,
) -> Observed:
    """Join features and target into one table, checked against the graph."""
    counts = sample_weight > 0.0
    as_array = not is_frame(features)
    if as_array:
        features = pd.DataFrame(features, columns=list(_names_of_array(features, graph, name)))
    _check_features(list(getattr(features, "column_names", features.columns)), name)
    opened = nw.from_native(features, eager_only=True)
    check_same_variables(graph.nodes, [*opened.columns, name])
    namespace = nw.get_native_namespace(opened)
    column = nw.new_series(name, target, native_namespace=namespace)
    frame = opened.with_columns(column if not _is_pandas(features) else _aligned(column, features))
    if not counts.all():
        frame = frame.filter(counts.tolist())
    table = Table.from_frame(frame.to_native(), kinds=kinds, row_weights=sample_weight[counts])
    return Observed(table, graph, name, as_array)


def name_of_target(target: str | None, y: Any, features: Any, graph: ADMG) -> str:
    """Return the name of the target: as given, that of `y`, or the only node left."""
    if target is not None:
        if target not in graph.nodes:
            raise GraphMismatchError(
                f"`target` must be a node of the graph. Found {target!r}; "
                f"the nodes are {list(graph.nodes)}."
            )
        return target
    if getattr(y, "name", None) in graph.nodes:
        return str(y.name)
    left = [node for node in graph.nodes if is_frame(features) and node not in features.columns]
    if len(left) == 1:
        return left[0]
    raise ParameterError(
        "The name of the target must be known, to find it in the graph. Found none: `target` "
        f"is None and `y` has no name among the nodes {list(graph.nodes)}. "
        'Write target="...", or pass `y` as a named pandas or polars series.'
    )


def _check_features(names: Sequence[object], target: str) -> None:
    """Raise unless the features have names of their own, none of them the target's."""
    check_names(names)
    if target in names:
        raise TableError(
            f"The features must not hold the target. Found {target!r} among the columns "
            f"{list(names)}. Drop it, or name another target."
        )


def _names_of_array(features: Any, graph: ADMG, target: str) -> Sequence[str]:
    names = [node for node in graph.nodes if node != target]
    if features.shape[1] != len(names):
        raise GraphMismatchError(
            "An array of features must have one column per node of the graph other than the "
            f"target, in the order of the nodes. Found {features.shape[1]} columns and "
            f"{len(names)} nodes: {names}. Pass a data frame, whose columns are matched by name, "
            "drop columns, or use `latent_projection(graph, keep=...)`."
        )
    return names


def _is_pandas(frame: object) -> bool:
    return isinstance(frame, pd.DataFrame)


def _aligned(column: nw.Series[Any], features: pd.DataFrame) -> nw.Series[Any]:
    """Return the column with the row labels of the features: rows are matched by position."""
    native = column.to_native().set_axis(features.index)
    return nw.from_native(native, series_only=True)
