"""Batches that are drawn anew in each epoch, each a picture of the whole."""

from itertools import islice

import numpy as np
import pandas as pd
import polars as pl
import pytest

import causalaug as ca
from causalaug.engine import stream_batches
from causalaug.exceptions import ParameterError
from engine.jobs import GRAPH, make_frame


def stream(**options):
    options = {"random_state": 1, "batch_rows": 40, **options}
    return stream_batches(make_frame(), GRAPH, **options)


def fingerprint(batch):
    rows, weights = batch
    return rows.to_csv(), weights.tobytes()


@pytest.mark.parametrize("expansion", [None, ca.SampledExpansion(), ca.BudgetExpansion()], ids=str)
def test_no_two_batches_are_the_same_but_one_seed_gives_one_stream(expansion):
    first = [fingerprint(batch) for batch in stream(expansion=expansion, epochs=3)]
    again = [fingerprint(batch) for batch in stream(expansion=expansion, epochs=3)]
    assert len(first) == 3 * 8
    assert len(set(first)) == len(first)
    assert again == first


def test_an_epoch_can_be_asked_for_again():
    fresh = stream(epochs=None)
    everything = [fingerprint(batch) for batch in islice(fresh, 20)]
    assert everything[8:16] == [fingerprint(batch) for batch in fresh.epoch(1)]
    assert everything[:8] == [fingerprint(batch) for batch in fresh.epoch(0)]


@pytest.mark.parametrize("expansion", [ca.SampledExpansion(90), ca.BudgetExpansion(90)], ids=str)
def test_every_batch_stands_for_the_whole(expansion):
    batches = list(stream(expansion=expansion))
    assert len(batches) == 3
    for rows, weights in batches:
        assert len(rows) == len(weights) == 40
        assert weights.sum() == pytest.approx(40.0)
        assert set(rows["sex"]) == {"female", "male"}
        assert (rows.dtypes == make_frame().dtypes).all()


def test_the_mean_over_batches_is_that_of_the_tree():
    whole = ca.augment(make_frame(), GRAPH, expansion=ca.PrunedExpansion(1e-4))
    expected = np.average(whole.frame["weight_kg"], weights=whole.weights)
    batches = stream(expansion=ca.BudgetExpansion(4000), random_state=0)
    means = [np.average(rows["weight_kg"], weights=weights) for rows, weights in batches]
    assert len(means) == 100
    error = np.std(means) / np.sqrt(len(means)) + (1.0 - whole.mass) * 100.0
    assert abs(np.mean(means) - expected) < 4.0 * error < 2.0


def test_batches_are_frames_like_the_input():
    frame = pl.from_pandas(make_frame())
    rows, _ = next(iter(stream_batches(frame, GRAPH, random_state=0)))
    assert rows.schema == frame.schema


@pytest.mark.parametrize("expansion", [ca.PrunedExpansion(), ca.BeamExpansion(5)], ids=str)
def test_an_expansion_that_draws_nothing_is_refused(expansion):
    with pytest.raises(ParameterError, match="gives the same rows each time"):
        stream(expansion=expansion)


@pytest.mark.parametrize("options", [{"batch_rows": 0}, {"epochs": 0}, {"epochs": 1.5}], ids=str)
def test_numbers_out_of_range_are_refused(options):
    with pytest.raises(ParameterError, match="must be an integer of at least 1"):
        stream(**options)


def test_the_rows_of_one_batch_are_in_no_order():
    rows, _ = next(iter(stream(expansion=ca.BudgetExpansion(), batch_rows=200)))
    assert not pd.Series(rows["sex"].cat.codes).is_monotonic_increasing
    assert not pd.Series(rows["sex"].cat.codes).is_monotonic_decreasing
