"""Inverse cumulative sums of kernel weights: where along a query's entries a share falls."""

from collections.abc import Iterator

import numpy as np

from causalaug._segments import first_reaching, group_by_key, owned_ranges, rank_keys
from causalaug.expansion._pillows import PillowWeights
from causalaug.kernels import ListedRows, RowWeights, WholeRows
from causalaug.typing import FloatArray, IntArray

MOST_AT_ONCE = 1 << 17
"""Entries for which rows are proposed at a time; so many are sorted by query."""

STRIDE = 32
"""Entries of a whole row that are first added up, so that few cumulative sums are needed."""


def spread_draws(
    masses: FloatArray, n_draws: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return points spread over some owners: whose each is, and its offset in their mass.

    Every point stands for the same mass `c`, so an owner of mass `m` gets ``m / c`` points,
    rounded down or up so that there are `n_draws` in all, by one systematic draw. Points of
    one owner are `c` apart. Where its first point lies is drawn for each owner on its own,
    given their number: over all draws it is uniform, so any part of its mass that is
    lighter than `c` is hit with a probability in proportion, and never twice.
    """
    holders = np.flatnonzero(masses)
    masses = masses[holders]
    running = np.cumsum(masses)
    spacing = running[-1] / n_draws
    done = np.clip(np.ceil(running / spacing - rng.random()), 0, n_draws).astype(np.int64)
    done[-1] = n_draws
    counts = np.diff(done, prepend=0)
    hit = np.flatnonzero(counts)
    counts, masses, owners = counts[hit], masses[hit], holders[hit]
    earliest = np.maximum(masses - counts * spacing, 0.0)
    latest = np.minimum(masses - (counts - 1) * spacing, spacing)
    phase = earliest + rng.random(len(owners)) * np.maximum(latest - earliest, 0.0)
    owner, number = owned_ranges(np.zeros_like(counts), counts)
    offset = phase[owner] + number * spacing
    return owners[owner], np.clip(offset, 0.0, masses[owner])


def draw_rows(
    weights_of: PillowWeights, owner: IntArray, n_draws: int, rng: np.random.Generator
) -> IntArray:
    """Return rows drawn by their weights given tuples by number; -1 where no row has any.

    Shape: (n_draws, n_entries). Rows are proposed where that is likely to succeed; for the
    entries left, all rows are weighed once for all draws.
    """
    n_queries = len(weights_of.query)
    rows: IntArray = np.empty((n_draws, len(owner)), dtype=np.int64)
    if len(owner) > MOST_AT_ONCE and (owner[1:] < owner[:-1]).any():
        order = group_by_key(owner, n_queries).order
        rows[:, order] = draw_rows(weights_of, owner[order], n_draws, rng)
        return rows
    for row in rows:
        _propose(weights_of, owner, row, rng)
    share = rng.random(rows.shape)
    left = np.flatnonzero((rows < 0).any(axis=0))
    ranks, first = rank_keys(owner[left], n_queries)
    done = 0
    for members, weights in _with_members(weights_of.weigh(owner[left[first]]), ranks):
        local = ranks[members] - done
        done += weights.n_queries
        alive = weights.totals[local] > 0.0
        entries, local = left[members[alive]], local[alive]
        for row, number in zip(rows, share, strict=True):
            found = weights.rows_at(draw_entries(weights, local, number[entries]))
            row[entries] = np.where(row[entries] < 0, found, row[entries])
    return rows


def _propose(
    weights_of: PillowWeights, owner: IntArray, rows: IntArray, rng: np.random.Generator
) -> None:
    """Propose a row for each entry, very many a part at a time; owners are then ascending."""
    query = weights_of.query
    if len(owner) <= MOST_AT_ONCE:
        rows[:] = weights_of.weigher.propose(query, owner, rng)
        return
    for start in range(0, len(owner), MOST_AT_ONCE):
        part = slice(start, start + MOST_AT_ONCE)
        some = owner[part]
        near = query[some[0] : some[-1] + 1]
        rows[part] = weights_of.weigher.propose(near, some - some[0], rng)


def _with_members(
    blocks: Iterator[RowWeights], ranks: IntArray
) -> Iterator[tuple[IntArray, RowWeights]]:
    """Yield the positions of the entries that ask for the queries of each block, and the block.

    `ranks` are the query numbers of the entries. Often there is but one block.
    """
    n_queries = int(ranks.max(initial=-1)) + 1
    order: IntArray | None = None
    done = 0
    for weights in blocks:
        if weights.n_queries == n_queries:
            yield np.arange(len(ranks)), weights
            return
        if order is None:
            is_sorted = bool((ranks[1:] >= ranks[:-1]).all())
            order = np.arange(len(ranks)) if is_sorted else group_by_key(ranks, n_queries).order
            ranks = ranks[order]
        bounds = np.searchsorted(ranks, [done, done + weights.n_queries])
        yield order[slice(*bounds)], weights
        done += weights.n_queries


def draw_entries(weights: RowWeights, owner: IntArray, share: FloatArray) -> IntArray:
    """Return the entry of each owner at which a share of its weight is used up.

    `owner` are query numbers with at least one entry, `share` lies in ``[0, 1)``. An entry
    of zero weight is never returned.
    """
    if isinstance(weights, WholeRows):
        return _draw_from_whole_rows(weights, owner, share)
    return _draw_from_listed_rows(weights, owner, share)


def _draw_from_listed_rows(weights: ListedRows, owner: IntArray, share: FloatArray) -> IntArray:
    running = np.concatenate([[0.0], np.cumsum(weights.kernel)])
    starts, stops = weights.offsets[owner], weights.offsets[owner + 1]
    entries = starts.copy()
    several = np.flatnonzero(stops > starts + 1)
    starts, stops, share = starts[several], stops[several], share[several]
    target = _below(running[starts] + share * (running[stops] - running[starts]), running[stops])
    entries[several] = first_reaching(running[1:], starts, stops, target, strictly=True)
    return entries


def _draw_from_whole_rows(weights: WholeRows, owner: IntArray, share: FloatArray) -> IntArray:
    """Find the stride of entries first, then the entry in it.

    The strides of all queries are searched at once: their sums run on from one query to the
    next, as shares of the query's total, so that each query adds one.
    """
    n_rows = weights.matrix.shape[1]
    begins = np.arange(0, n_rows, STRIDE)
    totals = np.where(weights.totals > 0.0, weights.totals, 1.0)
    sums = np.add.reduceat(weights.matrix, begins, axis=1)
    running = np.cumsum(sums / totals[:, np.newaxis])
    first, stop = owner * len(begins), (owner + 1) * len(begins)
    before = np.where(first > 0, running[first - 1], 0.0)
    target = _below(before + share * (running[stop - 1] - before), running[stop - 1])
    found = np.searchsorted(running, target, side="right")
    target -= np.where(found > 0, running[found - 1], 0.0)
    target *= totals[owner]
    stride = found - first
    column = begins[stride][:, np.newaxis] + np.arange(STRIDE)
    inside = weights.matrix[owner[:, np.newaxis], np.minimum(column, n_rows - 1)]
    inside[column >= n_rows] = 0.0
    np.cumsum(inside, axis=1, out=inside)
    target = _below(target, inside[:, -1])
    position = (inside <= target[:, np.newaxis]).sum(axis=1)
    entries: IntArray = owner * n_rows + begins[stride] + position
    return entries


def _below(target: FloatArray, total: FloatArray) -> FloatArray:
    """Return the target, or the number just below the total where rounding reached it."""
    return np.minimum(target, np.nextafter(total, -np.inf))
