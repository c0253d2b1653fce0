"""Names: which column is which node of a graph, and which node is the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from causalaug._validation import look_alikes, no_node, some
from causalaug.estimators._input import is_frame
from causalaug.exceptions import GraphMismatchError, ParameterError, TableError
from causalaug.table import check_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.graphs import ADMG
    from causalaug.table import KindName


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


def name_of_target(learner: Any, y: Any, features: Any, graph: ADMG) -> str:
    """Return the name of the target: as given, that of `y`, or the only node left."""
    if learner.target is not None:
        if learner.target not in graph.nodes:
            raise GraphMismatchError(no_node(learner.target, graph.nodes))
        return str(learner.target)
    names = _names_of(features)
    left = _nodes_left(graph, names)
    if getattr(y, "name", None) in graph.nodes:
        name = str(y.name)
        if name in names and left:
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
        + look_alikes([*map(str, names), str(getattr(y, "name", ""))], graph.nodes)
        + 'Write target="...", or pass `y` as a named pandas or polars series.'
    )


def _nodes_left(graph: ADMG, names: Sequence[object]) -> list[str]:
    """Return the nodes that are no feature, under its own name or behind a prefix."""
    seen = {each.partition("__")[2] or each for each in map(str, names)}
    return [node for node in graph.nodes if node not in names and node not in seen]


def kinds_with_target(
    name: str, kind: str | None, kinds: Mapping[str, KindName] | None
) -> dict[str, KindName]:
    """Return the kinds that were asked for, and that of the target; or raise if it has no classes.

    Without a kind the target is what its cells are.

    >>> kinds_with_target("y", "nominal", {"a": "ordered"})
    {'y': 'nominal', 'a': 'ordered'}
    """
    if kind is None:
        return dict(kinds or {})
    wanted: dict[str, Any] = {name: kind, **(kinds or {})}
    if kind != "continuous" and wanted[name] == "continuous":
        raise ParameterError(
            "The target of a classifier must be nominal or ordered. Found "
            f"kinds={{{name!r}: 'continuous'}}. Leave it out of `kinds`, or use the regressor for "
            "numbers."
        )
    return wanted


def check_features(features: Any, target: str) -> None:
    """Raise unless the features have names of their own, none of them the target's."""
    names = _names_of(features)
    check_names(names)
    if target in names:
        raise TableError(
            f"The features must not hold the target. Found {target!r} among the columns "
            f"{some(names)}. Drop it, or name another target."
        )


def named(learner: Any, features: Any) -> Any:
    """Return features as a frame, whose columns have the names that a graph is matched by."""
    names = learner.feature_names
    check_named(features, names)
    if is_frame(features):
        return features
    return pd.DataFrame(features, columns=names_of_array(features, names))


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


def names_of_array(features: Any, feature_names: Sequence[str]) -> list[str]:
    """Return the names of the columns of an array, as many as there are columns."""
    names = list(feature_names)
    if features.shape[1] != len(names):
        raise ParameterError(
            "`feature_names` must name each column of the features, in their order. "
            f"Found {len(names)} names, {some(names)}, for {features.shape[1]} columns."
        )
    return names
