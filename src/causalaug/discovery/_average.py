"""Augmentation with several graphs, none of which can be told to be the right one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from causalaug._random import RandomState, as_generator
from causalaug._validation import some
from causalaug.augmentation import AugmentedTable, augment
from causalaug.conditionals import Conditional
from causalaug.discovery._pag import PAG
from causalaug.exceptions import ParameterError
from causalaug.expansion import Expansion, Paths
from causalaug.graphs import ADMG, as_graph
from causalaug.table import KindName, Limits
from causalaug.typing import FloatArray


def augment_average(
    frame: Any,
    graphs: Iterable[ADMG],
    conditional: Conditional | None = None,
    expansion: Expansion | None = None,
    kinds: Mapping[str, KindName] | None = None,
    random_state: RandomState = None,
    *,
    limits: Mapping[str, Limits] | None = None,
    sample_weight: FloatArray | None = None,
) -> AugmentedTable:
    """Augment with each of several graphs, and give each the same share of the weight.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The observed rows.
    graphs : iterable of ADMG
        The candidates, such as ``enumerate_admgs(pag)``, all with the same nodes.
    conditional, expansion, kinds, limits, sample_weight
        As for `augment`. Each graph is expanded by itself: with the default, k graphs make five
        times k rows per observed row.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed. Each graph has its own stream, which depends on its place only.

    Returns
    -------
    AugmentedTable
        The rows of all graphs, one graph after the other, each weight divided by the number of
        graphs. What the graphs agree on appears more than once; ``merged()`` adds it up. The
        `factors`, and with them the `order`, are empty: each graph has its own.

    Examples
    --------
    The direction of a single edge cannot be told, and does not matter much: both graphs take
    the cells of a row from similar rows.

    >>> import pandas as pd
    >>> from causalaug import PrunedExpansion
    >>> from causalaug.discovery import PAG, augment_average, enumerate_admgs
    >>> pets = pd.DataFrame({"pet": ["cat", "cat", "dog"], "size": ["small", "large", "large"]})
    >>> either = PAG(["pet", "size"], [("pet", "--", "size")])
    >>> both = augment_average(pets, enumerate_admgs(either), expansion=PrunedExpansion(0))
    >>> len(both), len(both.merged()), round(both.mass, 12)
    (6, 3, 1.0)
    """
    candidates = _check_graphs(graphs)
    rngs = as_generator(random_state).spawn(len(candidates))
    options: dict[str, Any] = {"limits": limits, "sample_weight": sample_weight}
    tables = [
        augment(frame, graph, conditional, expansion, None, kinds, rng, **options)
        for graph, rng in zip(candidates, rngs, strict=True)
    ]
    return replace(tables[0], paths=_mixture(tables), factors=())


def _check_graphs(graphs: object) -> tuple[ADMG, ...]:
    """Return the graphs, or raise unless there are some and all have the same nodes."""
    if isinstance(graphs, ADMG | str) or not isinstance(graphs, Iterable):
        raise ParameterError(
            f"`graphs` must be several ADMGs. Found {type(graphs).__name__}. For one graph use "
            "`augment`; for a PAG, `enumerate_admgs(pag)`."
        )
    candidates = tuple(graphs)
    if any(isinstance(graph, PAG) for graph in candidates):
        raise ParameterError(
            "A graph must be text, an ADMG, or anything else that is one. Found a class of graphs, "
            "of type PAG. Write graphs=enumerate_admgs(pag) for all of its members."
        )
    candidates = tuple(map(as_graph, candidates))
    if not candidates:
        raise ParameterError("`graphs` must hold at least one ADMG. Found none.")
    for graph in candidates:
        if graph.nodes != candidates[0].nodes:
            raise ParameterError(
                "`graphs` must all have the same nodes in the same order. Found "
                f"{some(candidates[0].nodes)} and {some(graph.nodes)}."
            )
    return candidates


def _mixture(tables: Sequence[AugmentedTable]) -> Paths:
    """Return the paths of all tables, their weights divided by the number of tables."""
    shifted = sorted({column for each in tables for column in each.paths.shifted})
    return Paths(
        rows=np.asfortranarray(np.concatenate([each.rows for each in tables])),
        log_weights=np.concatenate([each.paths.log_weights for each in tables])
        - np.log(len(tables)),
        shifted={
            column: np.concatenate([each.values(column) for each in tables]) for column in shifted
        },
    )
