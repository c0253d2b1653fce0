import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug import _ragged
from causalaug._ragged import (
    Dense,
    Groups,
    Ragged,
    blocks_by_size,
    combine_codes,
    concatenated_ranges,
    descending_order,
    exp_or_zero,
    first_below,
    first_reaching,
    group_by_key,
    largest_of_each,
    lengths_of,
    offsets_of,
    owned_ranges,
    run_offsets,
    segment_reduce,
)

counts_lists = st.lists(st.integers(0, 5), max_size=8)
number = st.integers(-3, 3).map(float) | st.sampled_from([-np.inf, np.inf])


@st.composite
def sorted_ragged(draw, *, descending):
    """Draw segments that are sorted each, with gaps between them, and a target for each."""
    segments = draw(st.lists(st.lists(number, max_size=6), max_size=6))
    gaps = draw(st.lists(st.integers(0, 2), min_size=len(segments), max_size=len(segments)))
    flat, starts, stops = [], [], []
    for segment, gap in zip(segments, gaps, strict=True):
        flat += [np.nan] * gap
        starts.append(len(flat))
        flat += sorted(segment, reverse=descending)
        stops.append(len(flat))
    targets = draw(st.lists(number, min_size=len(segments), max_size=len(segments)))
    places = np.array([starts, stops], dtype=np.int64).reshape(2, -1)
    return np.array(flat), *places, np.array(targets)


def ints(values):
    return np.array(values, dtype=np.int64)


@given(counts_lists)
def test_offsets_delimit_the_counts(counts):
    offsets = offsets_of(ints(counts))
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [0, *itertools.accumulate(counts)]
    assert lengths_of(offsets).tolist() == counts


@given(st.lists(st.integers(0, 3), max_size=8))
def test_runs_are_those_of_equal_keys(keys):
    lengths = [len(list(run)) for _, run in itertools.groupby(sorted(keys))]
    assert lengths_of(run_offsets(ints(sorted(keys)))).tolist() == lengths


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_concatenated_ranges_are_ranges(pairs):
    starts, counts = ints(pairs).reshape(-1, 2).T
    expected = [number for start, count in pairs for number in range(start, start + count)]
    assert concatenated_ranges(starts, counts).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_owned_ranges_are_ranges_with_their_numbers(pairs):
    starts, counts = ints(pairs).reshape(-1, 2).T
    owner, flat = owned_ranges(starts, counts)
    assert owner.tolist() == [k for k, (_, count) in enumerate(pairs) for _ in range(count)]
    assert flat.tolist() == concatenated_ranges(starts, counts).tolist()


@given(counts_lists, st.integers(0, 12))
def test_blocks_are_as_long_as_the_limit_allows(counts, limit):
    blocks = list(blocks_by_size(ints(counts), limit))
    covered = [number for block in blocks for number in range(block.start, block.stop)]
    assert covered == list(range(len(counts)))
    for block in blocks:
        size = sum(counts[block])
        assert size <= limit or block.stop == block.start + 1
        assert block.stop == len(counts) or size + counts[block.stop] > limit


@pytest.mark.parametrize("chunk", [1, 2, 1 << 15])
@given(problem=sorted_ragged(descending=True))
def test_first_below_is_a_linear_search(chunk, problem):
    values, starts, stops, floor = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "CHUNK", chunk)
        found = first_below(values, starts, stops, floor)
    assert found.tolist() == [
        next((i for i in range(start, stop) if values[i] < least), stop)
        for start, stop, least in zip(starts, stops, floor, strict=True)
    ]


@pytest.mark.parametrize("strictly", [False, True])
@given(problem=sorted_ragged(descending=False))
def test_first_reaching_is_a_linear_search(strictly, problem):
    values, starts, stops, target = problem
    before = starts.copy(), stops.copy()
    found = first_reaching(values, starts, stops, target, strictly=strictly)
    reaches = np.greater if strictly else np.greater_equal
    assert found.tolist() == [
        next((i for i in range(start, stop) if reaches(values[i], goal)), stop)
        for start, stop, goal in zip(starts, stops, target, strict=True)
    ]
    np.testing.assert_array_equal(before, (starts, stops))


@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 6), st.integers(-3, 3).map(float) | st.just(-np.inf)), max_size=20
    )
)
def test_each_owner_is_sorted_with_ties_as_they_stand(pairs):
    pairs = sorted(pairs, key=lambda pair: pair[0])
    owner, values = ints([owner for owner, _ in pairs]), np.array([value for _, value in pairs])
    order = descending_order(owner, values)
    assert order.tolist() == sorted(range(len(pairs)), key=lambda k: (pairs[k][0], -pairs[k][1]))


@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.minimum])
@given(segments=st.lists(st.lists(st.integers(-9, 9).map(float), max_size=4), max_size=6))
def test_segment_reduce_reduces_each_segment(ufunc, segments):
    flat = np.array([value for segment in segments for value in segment], dtype=float)
    offsets = offsets_of(ints([len(segment) for segment in segments]))
    expected = [ufunc.reduce(segment) if segment else -77.0 for segment in segments]
    assert segment_reduce(ufunc, flat, offsets, empty=-77.0).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-9.0, 9.0)), max_size=9))
def test_the_largest_of_each_number_is_found(pairs):
    number, values = ints([k for k, _ in pairs]), np.array([v for _, v in pairs], dtype=float)
    expected = [max((v for k, v in pairs if k == each), default=-np.inf) for each in range(5)]
    assert largest_of_each(number, values, 5).tolist() == expected


@st.composite
def code_columns(draw):
    """Draw code columns and their sizes; some sizes multiply past 64 bits."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 1000, 1 << 20, 1 << 31]), max_size=6))
    length = draw(st.integers(0, 6))
    columns = [
        ints(draw(st.lists(st.integers(0, size - 1), min_size=length, max_size=length)))
        for size in sizes
    ]
    return columns, sizes, length


@given(code_columns())
def test_combined_codes_are_equal_exactly_where_the_rows_are(problem):
    columns, sizes, length = problem
    key, bound = combine_codes(columns, sizes, length)
    rows = [tuple(column[i] for column in columns) for i in range(length)]
    assert [[a == b for b in key] for a in key] == [[a == b for b in rows] for a in rows]
    assert len(key) == length
    assert ((key >= 0) & (key < bound)).all()


def test_combined_codes_follow_the_order_of_the_rows_past_64_bits():
    top = (1 << 31) - 1
    columns = [ints([top, 0, top]), ints([top, top, top]), ints([1, top, 0])]
    key, bound = combine_codes(columns, [1 << 31] * 3, 3)
    assert np.argsort(key).tolist() == [1, 2, 0]
    assert bound == 2 << 31


TOPS = [20, 1 << 17, (1 << 32) - 1, (1 << 62) - 1]
some_keys = [st.lists(st.integers(0, 9) | st.integers(0, top), max_size=12) for top in TOPS]


@pytest.mark.parametrize("few", [0, 1 << 11])
@pytest.mark.parametrize("few_runs", [0, 2, 8])
@given(keys=st.one_of(some_keys))
def test_groups_hold_equal_keys_in_order(few, few_runs, keys):
    bound = max(keys, default=0) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "FEW_KEYS", few)
        patch.setattr(_ragged, "FEW_RUNS", few_runs)
        groups = group_by_key(ints(keys), bound)
    expected = [[i for i, key in enumerate(keys) if key == each] for each in sorted(set(keys))]
    found = [groups.order[slice(*ends)].tolist() for ends in itertools.pairwise(groups.offsets)]
    assert found == expected
    assert groups.first.tolist() == [group[0] for group in expected]
    assert groups.ranks.tolist() == [sorted(set(keys)).index(key) for key in keys]


@given(st.lists(st.floats(-2000.0, 0.0) | st.sampled_from([-np.inf, -700.0]), max_size=6))
def test_exponentials_too_small_to_matter_are_zero(logs):
    found = exp_or_zero(np.array(logs, dtype=float))
    expected = [np.exp(log) if log >= -700.0 else 0.0 for log in logs]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


# Weighted entries, listed or dense. The kernel of one owner after the other, as a matrix.


def ragged(matrix):
    """Return the entries on which the kernel does not vanish, from a matrix of logarithms."""
    keep = matrix > -np.inf
    return Ragged.normalised(offsets_of(keep.sum(axis=1)), np.nonzero(keep)[1], matrix[keep])


def dense(matrix):
    return Dense.normalised(np.exp(matrix))


both_forms = pytest.mark.parametrize("form", [ragged, dense])
log_kernels = st.floats(-650.0, 0.0) | st.sampled_from([0.0, -np.inf])


@st.composite
def matrices(draw):
    """Draw the log-kernels of some owners by some rows; the largest of an owner is 0."""
    n_rows = draw(st.integers(1, 6))
    row = st.lists(log_kernels, min_size=n_rows, max_size=n_rows)
    matrix = np.array(draw(st.lists(row, max_size=4)), dtype=float).reshape(-1, n_rows)
    heaviest = matrix.max(axis=1, keepdims=True)
    return matrix - np.where(np.isfinite(heaviest), heaviest, 0.0)


@st.composite
def partitions(draw, n_rows):
    ranks = draw(st.lists(st.integers(0, n_rows - 1), min_size=n_rows, max_size=n_rows))
    return group_by_key(ints(ranks), n_rows)


def owners_of(weights):
    return np.repeat(np.arange(weights.n_owners), weights.counts)


def as_matrix(weights, n_columns):
    """Return a matrix of log-weights, -inf where there is no entry or no weight."""
    matrix = np.full((weights.n_owners, n_columns), -np.inf)
    entries = np.arange(weights.n_entries)
    matrix[owners_of(weights), weights.index_at(entries)] = weights.log_weight_at(entries)
    return matrix


def slow_log_weights(matrix):
    log_totals = [np.log(np.exp(row).sum()) if row.max() > -np.inf else 0.0 for row in matrix]
    return matrix - np.reshape(log_totals, (-1, 1))


@both_forms
@given(matrix=matrices())
def test_weights_of_each_owner_sum_to_one_or_are_none(form, matrix):
    weights, expected = form(matrix), slow_log_weights(matrix)
    assert weights.n_owners == len(matrix)
    assert weights.n_entries == weights.offsets[-1] == len(weights.weight)
    np.testing.assert_array_equal(np.diff(weights.offsets), weights.counts)
    np.testing.assert_array_equal(weights.is_alive, (matrix > -np.inf).any(axis=1))
    found = as_matrix(weights, matrix.shape[1])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    sums = np.bincount(owners_of(weights), weights.weight, minlength=len(matrix))
    np.testing.assert_allclose(sums, weights.is_alive.astype(float), rtol=1e-12)


@both_forms
@given(data=st.data(), matrix=matrices())
def test_entries_at_least_a_floor_are_those_at_or_above_it(form, data, matrix):
    floors = st.sampled_from([-np.inf, -600.0, -30.5, -3.5, -0.25, 0.5, 600.0])
    floor = np.array(data.draw(st.lists(floors, min_size=len(matrix), max_size=len(matrix))))
    found = form(matrix).at_least(floor)
    expected = slow_log_weights(matrix)
    near = np.isclose(expected, floor[:, np.newaxis], rtol=0.0, atol=1e-9) & np.isfinite(expected)
    above = (expected >= floor[:, np.newaxis]) & (expected > -np.inf)
    is_found = np.zeros_like(above)
    is_found[found.owner, found.index] = True
    np.testing.assert_array_equal(is_found[~near], above[~near])
    np.testing.assert_allclose(found.log_weight, expected[found.owner, found.index], atol=1e-9)
    assert found.n_owners == len(matrix)
    assert (np.diff(found.owner) >= 0).all()


def test_an_entry_of_no_weight_is_never_at_least_anything():
    weights = Dense.normalised(np.array([[1e-200, 0.0, 1e-200], [0.0, 0.0, 0.0]]))
    assert weights.at_least(np.array([-np.inf, -np.inf])).index.tolist() == [0, 2]


@both_forms
@given(data=st.data(), matrix=matrices())
def test_merged_weights_add_up(form, data, matrix):
    groups = data.draw(partitions(matrix.shape[1]))
    expected = np.full((len(matrix), groups.n_groups), -np.inf)
    for i, group in enumerate(groups.ranks):
        expected[:, group] = np.logaddexp(expected[:, group], slow_log_weights(matrix)[:, i])
    merged = form(matrix).merged(groups)
    np.testing.assert_array_equal(merged.is_alive, (matrix > -np.inf).any(axis=1))
    found = as_matrix(merged, groups.n_groups)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(st.data(), st.integers(1, 8))
def test_groups_are_trivial_if_each_holds_one(data, n_rows):
    groups = data.draw(partitions(n_rows))
    assert lengths_of(groups.offsets).sum() == n_rows
    assert groups.is_trivial == (max(lengths_of(groups.offsets)) == 1)
    every = range(groups.n_groups)
    expected = [i for g in every for i in range(n_rows) if g == groups.ranks[i]]
    assert groups.order.tolist() == expected


def test_listed_weights_are_exact_far_below_what_exp_can_hold():
    logs = np.array([0.0, -5000.0, -5000.0])
    weights = Ragged.normalised(ints([0, 3]), ints([4, 1, 0]), logs)
    assert weights.weight.tolist() == [1.0, 0.0, 0.0]
    assert weights.log_weight.tolist() == [0.0, -5000.0, -5000.0]
    merged = weights.merged(group_by_key(ints([0, 0, 2, 2, 1]), 3))
    assert merged.index.tolist() == [0, 1]
    np.testing.assert_allclose(merged.log_weight, [-5000.0 + np.log(2.0), 0.0], rtol=1e-15)


def test_merging_no_entries_at_all():
    nothing = Ragged.normalised(ints([0, 0, 0]), ints([]), np.empty(0))
    merged = nothing.merged(Groups(np.arange(5), ints([0, 5]), np.zeros(5, dtype=int)))
    assert (merged.n_owners, merged.is_alive.tolist()) == (2, [False, False])


def test_dense_weights_of_an_owner_without_any_are_zero():
    weights = Dense.normalised(np.array([[0.0, 0.0], [1.0, 3.0]]))
    assert weights.weight.tolist() == [0.0, 0.0, 0.25, 0.75]
    np.testing.assert_allclose(
        weights.log_weight_at(np.arange(4)), [-np.inf, -np.inf, np.log(0.25), np.log(0.75)]
    )


# What only listed entries can do, against lists of pairs.

entries = st.tuples(st.integers(0, 9), st.integers(-5, 0).map(float))
pair_lists = st.lists(st.lists(entries, max_size=4), max_size=5)


def as_ragged(lists):
    pairs = [pair for owned in lists for pair in owned]
    index, logs = ints([i for i, _ in pairs]), np.array([w for _, w in pairs], dtype=float)
    return Ragged(offsets_of(ints([len(owned) for owned in lists])), index, logs)


def as_lists(weights):
    pairs = list(zip(weights.index.tolist(), weights.log_weight.tolist(), strict=True))
    return [pairs[slice(*ends)] for ends in itertools.pairwise(weights.offsets)]


@given(pair_lists)
def test_owners_are_named_entry_by_entry(lists):
    weights = as_ragged(lists)
    assert weights.owner.tolist() == [k for k, owned in enumerate(lists) for _ in owned]
    np.testing.assert_array_equal(weights.weight, np.exp(weights.log_weight))


@given(pair_lists, st.randoms(use_true_random=False))
def test_entries_may_come_in_any_order_of_their_owners(lists, random):
    flat = [(k, *pair) for k, owned in enumerate(lists) for pair in owned]
    random.shuffle(flat)
    owner, index = ints([each[0] for each in flat]), ints([each[1] for each in flat])
    logs = np.array([each[2] for each in flat], dtype=float)
    found = Ragged.of_owners(owner, index, logs, len(lists))
    expected = [[pair for k, *pair in flat if k == number] for number in range(len(lists))]
    assert as_lists(found) == [[tuple(pair) for pair in owned] for owned in expected]
    assert found.owner.tolist() == sorted(owner.tolist())


@given(st.lists(pair_lists, max_size=3))
def test_joined_parts_follow_each_other(parts):
    expected = [owned for lists in parts for owned in lists]
    assert as_lists(Ragged.joined([as_ragged(lists) for lists in parts])) == expected


@given(pair_lists, st.data())
def test_some_entries_stay_with_their_owners(lists, data):
    n_entries = sum(map(len, lists))
    kept = data.draw(st.lists(st.booleans(), min_size=n_entries, max_size=n_entries))
    found = as_ragged(lists).at(np.flatnonzero(np.array(kept, dtype=bool)))
    flags = iter(kept)
    assert as_lists(found) == [[pair for pair in owned if next(flags)] for owned in lists]


@given(pair_lists)
def test_the_heaviest_of_each_owner_come_first_with_ties_as_they_stand(lists):
    expected = [sorted(owned, key=lambda pair: -pair[1]) for owned in lists]
    assert as_lists(as_ragged(lists).heaviest_first()) == expected


@given(pair_lists, st.data())
def test_an_entry_that_ties_with_the_floor_stays(lists, data):
    floors = data.draw(
        st.lists(st.integers(-6, 1).map(float), min_size=len(lists), max_size=len(lists))
    )
    found = as_lists(as_ragged(lists).at_least(np.array(floors)))
    expected = [
        [pair for pair in owned if pair[1] >= floor]
        for owned, floor in zip(lists, floors, strict=True)
    ]
    assert found == expected


@given(counts_lists.filter(len), st.data())
def test_consecutive_owners_keep_their_entries(counts, data):
    offsets = offsets_of(np.array(counts))
    index, logs = np.arange(offsets[-1]), -np.arange(float(offsets[-1]))
    stop = data.draw(st.integers(0, len(counts)))
    start = data.draw(st.integers(0, stop))
    found = Ragged(offsets, index, logs).of(start, stop)
    assert found.counts.tolist() == counts[start:stop]
    np.testing.assert_array_equal(found.index, index[offsets[start] : offsets[stop]])
    np.testing.assert_array_equal(found.log_weight, -found.index)


def test_consecutive_owners_of_a_matrix_are_its_rows():
    dense = Dense.normalised(np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]]))
    part = dense.of(1, 3)
    assert part.is_alive.tolist() == [False, True]
    np.testing.assert_array_equal(part.matrix, [[0.0, 0.0], [0.5, 0.5]])
