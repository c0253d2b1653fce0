"""How large a job would be, said before the work: rows, memory and time."""

import math

import numpy as np

from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion import (
    BlockwiseExpansion,
    Expansion,
    FittedModel,
    PrunedExpansion,
    SizedExpansion,
)

BYTES_PER_CELL = 24
"""A row number and a copied value for each cell, and once more as much on the way to them."""


def check_size(model: FittedModel, expansion: Expansion, n_blocks: int = 1) -> None:
    """Raise if an expansion would make more rows than it allows, before anything is made.

    How many paths a threshold above zero leaves is known only by growing the tree, which
    `PrunedExpansion` does under a limit of its own.
    """
    if isinstance(expansion, PrunedExpansion):
        _check_whole_tree(model, expansion, n_blocks)
        return
    if not isinstance(expansion, SizedExpansion):
        return
    n_rows = _rows_of(model, expansion)
    if -(-n_rows // n_blocks) > expansion.max_rows:
        raise TreeTooLargeError(
            f"No more than max_rows={expansion.max_rows:,} rows must be made at once. Found "
            f"{type(expansion).__name__}, which would make {_estimate(model, expansion, n_rows)}. "
            f"Ask for fewer, or raise max_rows. {_way_out(expansion)}"
        )


def n_paths(model: FittedModel, *, merge_equal: bool) -> int:
    """Return the number of paths of the whole tree: the product of the choices of each column.

    Values that are moved are told apart by what is moved, as in the tree itself.
    """
    table = model.table
    if not merge_equal:
        return int(table.n_rows**table.n_columns)
    return math.prod(
        len(table.coding(table.index(factor.target)).values)
        if fitted.shift is None
        else len(np.unique(fitted.shift.marks))
        for factor, fitted in zip(model.factors, model.fitted, strict=True)
    )


def _rows_of(model: FittedModel, expansion: SizedExpansion) -> int:
    """Return how many rows an expansion would make at most."""
    wanted = expansion.most_rows(model.table.n_rows)
    merge_equal = getattr(expansion, "merge_equal", None)
    # What merges may not repeat a path: then the tree, which may be smaller, is a bound as well.
    # It is counted only where that matters, since wide ones take a while.
    if wanted <= expansion.max_rows or merge_equal is None:
        return wanted
    return min(wanted, n_paths(model, merge_equal=merge_equal))


def _check_whole_tree(model: FittedModel, expansion: PrunedExpansion, n_blocks: int) -> None:
    """Raise if nothing is pruned, no path ends, and the tree is larger than allowed."""
    if expansion.threshold > 0.0 or any(fitted.weigher.may_vanish for fitted in model.fitted):
        return
    n_rows = n_paths(model, merge_equal=expansion.merge_equal)
    if n_rows > expansion.max_rows * n_blocks:
        raise expansion.too_large(model.table.n_rows, _estimate(model, expansion, n_rows))


def _estimate(model: FittedModel, expansion: object, n_rows: int) -> str:
    """Return rows, memory and, if the expansion says what a cell takes, time in words."""
    # Beyond any machine the figures say nothing; the tree of a wide table has 1e1000 rows.
    cells = float(min(n_rows, 10**18)) * model.table.n_columns
    more = " more than" if n_rows > 10**18 else ""
    memory = f"{cells * BYTES_PER_CELL / 1e9:,.0f} GB of memory"
    seconds_per_cell = getattr(expansion, "seconds_per_cell", None)
    if seconds_per_cell is None:
        return f"{_words(n_rows)} rows:{more} about {memory}"
    seconds = cells * seconds_per_cell
    time = f"{seconds / 60:,.1f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"
    return f"{_words(n_rows)} rows:{more} about {memory} and {time}"


def _words(number: int) -> str:
    """Return a count as a reader takes it in, however large.

    >>> _words(1_000_000), _words(10**400)
    ('1,000,000', 'about 1e400')
    """
    digits = int(math.log10(number)) if number else 0
    return f"{number:,}" if digits < 12 else f"about 1e{digits}"


def _way_out(expansion: object) -> str:
    """Return how more rows than fit into memory are made."""
    by_blocks = (
        "More rows than memory are made block by block by `causalaug.engine.augment_to_parquet`"
    )
    if isinstance(expansion, BlockwiseExpansion):
        return f"{by_blocks}."
    return f"{by_blocks}, with BudgetExpansion, which can be cut."
