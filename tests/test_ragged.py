import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug import _ragged
from causalaug._ragged import (
    blocks_by_size,
    combine_codes,
    concatenated_ranges,
    descending_order,
    even_blocks,
    first_below,
    first_reaching,
    group_by_key,
    keep_in_ragged,
    offsets_of,
    owned_ranges,
    rank_keys,
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


@given(counts_lists, st.integers(1, 12))
def test_even_blocks_keep_to_the_limit_and_leave_no_small_remainder(counts, limit):
    blocks = list(even_blocks(ints(counts), limit))
    covered = [number for block in blocks for number in range(block.start, block.stop)]
    assert covered == list(range(len(counts)))
    assert all(sum(counts[block]) <= limit or len(counts[block]) == 1 for block in blocks)
    if set(counts) <= {1}:
        sizes = [len(counts[block]) for block in blocks]
        assert len(blocks) == max(1, -(-len(counts) // limit))
        assert max(sizes) - min(sizes) < len(blocks)


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


@pytest.mark.parametrize("few", [0, 1 << 10])
@given(pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3).map(float)), max_size=20))
def test_each_owner_is_sorted_with_ties_as_they_stand(few, pairs):
    pairs = sorted(pairs, key=lambda pair: pair[0])
    owner, values = ints([owner for owner, _ in pairs]), np.array([value for _, value in pairs])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "FEW", few)
        order = descending_order(owner, values)
    assert order.tolist() == sorted(range(len(pairs)), key=lambda k: (pairs[k][0], -pairs[k][1]))


@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.minimum])
@given(segments=st.lists(st.lists(st.integers(-9, 9).map(float), max_size=4), max_size=6))
def test_segment_reduce_reduces_each_segment(ufunc, segments):
    flat = np.array([value for segment in segments for value in segment], dtype=float)
    offsets = offsets_of(ints([len(segment) for segment in segments]))
    expected = [ufunc.reduce(segment) if segment else -77.0 for segment in segments]
    assert segment_reduce(ufunc, flat, offsets, empty=-77.0).tolist() == expected


@given(st.lists(st.lists(st.booleans(), max_size=4), max_size=6))
def test_filtered_ragged_keep_their_own(segments):
    keep = np.array([value for segment in segments for value in segment], dtype=bool)
    offsets = offsets_of(ints([len(segment) for segment in segments]))
    kept = [sum(segment) for segment in segments]
    assert np.diff(keep_in_ragged(offsets, keep)).tolist() == kept


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


@pytest.mark.parametrize("largest_lookup", [0, 1 << 22])
@given(keys=st.lists(st.integers(0, 30), max_size=12), slack=st.integers(0, 5))
def test_ranks_do_not_depend_on_how_they_are_found(largest_lookup, keys, slack):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "LARGEST_LOOKUP", largest_lookup)
        ranks, first = rank_keys(ints(keys), max(keys, default=-1) + 1 + slack)
    distinct = sorted(set(keys))
    assert ranks.tolist() == [distinct.index(key) for key in keys]
    assert first.tolist() == [keys.index(key) for key in distinct]
