"""What each switch of the published experiment does, and what the honest one never does."""

from dataclasses import replace

import numpy as np
import pytest

from causalaug.datasets import load_dataset, make_sem
from causalaug.graphs import read_graph
from reproduction import (
    BlendedProtocol,
    BoostingGrid,
    HonestProtocol,
    PublishedProtocol,
)
from reproduction import honest as honest_module
from reproduction.blended import as_estimator
from reproduction.outcome import describe_new_rows
from reproduction.published import published_order
from reproduction.splits import split_dataset

GRID = BoostingGrid(rounds=(5, 20), reg_lambda=(1.0, 10.0))


@pytest.fixture(scope="module")
def split():
    return split_dataset(
        make_sem(200, "two-layer", n_variables=6, random_state=0), "sem", 0.3, 1, seed=0
    )


def mixed(protocol, split):
    return protocol.mix(split, split.train, *protocol.make_rows(split, split.train))


def new_rows(name, fraction, number, protocol=None):
    split = split_dataset(load_dataset(name), name, fraction, number, seed=0)
    return describe_new_rows(*(protocol or PublishedProtocol()).make_rows(split, split.train))


def test_splits_are_disjoint_paired_and_repeatable(split):
    dataset = make_sem(200, "two-layer", n_variables=6, random_state=0)
    again = split_dataset(dataset, "sem", 0.3, 1, seed=0)
    assert split.train.equals(again.train)
    assert len(split.train) == 60
    both = np.vstack([split.train, split.test])
    assert sorted(map(tuple, both)) == sorted(map(tuple, dataset.frame.to_numpy()))
    for other in [("other", 0.3, 1, 0), ("sem", 0.3, 2, 0), ("sem", 0.3, 1, 1)]:
        assert not split.train.equals(split_dataset(dataset, *other).train)


def test_weights_of_the_reference_shrink_and_can_be_restored(split):
    reference = mixed(PublishedProtocol(), split)
    n_rows = len(split.train)
    assert reference.weight[:n_rows] == pytest.approx(np.full(n_rows, 0.5))
    assert reference.weight.sum() < 0.9 * n_rows
    restored = mixed(PublishedProtocol(total_weight="restored"), split)
    assert restored.weight.sum() == pytest.approx(n_rows)
    assert restored.weight / reference.weight == pytest.approx(
        np.full(reference.n_rows, n_rows / reference.weight.sum())
    )


def test_a_lossless_tree_keeps_the_total_weight(split):
    lossless = mixed(PublishedProtocol(equal_rows="add", tree="lossless"), split)
    assert lossless.weight.sum() == pytest.approx(len(split.train))


def test_products_are_lighter_than_sums(split):
    product = PublishedProtocol().make_rows(split, split.train)[1]
    total = PublishedProtocol(equal_rows="add").make_rows(split, split.train)[1]
    assert (product <= total * (1 + 1e-9)).all()


def test_without_new_rows_the_originals_weigh_half(split):
    rows = mixed(PublishedProtocol(tree="none"), split)
    assert rows.weight == pytest.approx(np.full(len(split.train), 0.5))
    outcome = PublishedProtocol(tree="none").run_augmented(split, GRID)
    assert outcome.new_rows is None


def test_where_every_path_is_pruned_both_methods_are_one(split):
    protocol = PublishedProtocol(threshold=1e9)
    baseline = protocol.run_baseline(split, GRID)
    augmented = protocol.run_augmented(split, GRID)
    np.testing.assert_array_equal(baseline.prediction, augmented.prediction)
    assert augmented.new_rows.rows_augmented == 0
    assert augmented.new_rows.rows_only_original == len(split.train)


def test_union_folds_leak_and_originals_folds_do_not(split):
    leaky, clean = PublishedProtocol(), PublishedProtocol(folds="originals")
    observed = set(map(tuple, split.rows_of(split.train).features))
    for protocol, must_leak in ((leaky, True), (clean, False)):
        rows = mixed(protocol, split)
        leaks = [
            set(map(tuple, train.features)) & set(map(tuple, judged.features)) & observed
            for train, judged in protocol._folds(split, rows)
        ]
        assert any(leaks) == must_leak


def test_the_honest_gate_judges_held_out_originals_only(split, monkeypatch):
    seen = []
    real = honest_module.staged_losses

    def spy(booster, grid, reg_lambda, train, test):
        seen.append((train, test))
        return real(booster, grid, reg_lambda, train, test)

    monkeypatch.setattr(honest_module, "staged_losses", spy)
    protocol = HonestProtocol()
    protocol._choose_share(split, GRID, 1.0)
    assert len(seen) == 3 * len(protocol.shares)
    originals = set(map(tuple, split.rows_of(split.train).features))
    for train, test in seen:
        judged = set(map(tuple, test.features))
        assert judged <= originals
        assert not judged & set(map(tuple, train.features))
        assert train.weight.sum() == pytest.approx(len(split.train) - len(judged))


def test_the_honest_share_is_zero_where_only_zero_is_allowed(split):
    protocol = HonestProtocol(shares=(0.0,))
    outcome = protocol.run_augmented(split, GRID)
    baseline = protocol.run_baseline(split, GRID)
    assert outcome.share == 0.0
    np.testing.assert_array_equal(outcome.prediction, baseline.prediction)
    fixed = replace(protocol, shares=(0.5,)).run_augmented(split, GRID)
    assert not np.array_equal(fixed.prediction, baseline.prediction)
    assert fixed.new_rows.mass == pytest.approx(1.0)


def test_the_blended_protocol_has_the_plain_learner_of_the_honest_one(split):
    blended, honest = BlendedProtocol(), HonestProtocol()
    baseline, outcome = honest.run_baseline(split, GRID), blended.run_augmented(split, GRID)
    assert (outcome.n_rounds, outcome.reg_lambda) == (baseline.n_rounds, baseline.reg_lambda)
    learner = as_estimator(honest.booster, baseline.n_rounds, baseline.reg_lambda)
    features, _ = split.features_and_target(split.test)
    alone = learner.fit(*split.features_and_target(split.train)).predict(features)
    np.testing.assert_allclose(alone, baseline.prediction, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(blended.run_baseline(split, GRID).prediction, baseline.prediction)


def test_the_blended_protocol_is_better_than_its_baseline_if_the_graph_is_right(split):
    blended = BlendedProtocol()
    truth = split.test[split.target].to_numpy()
    losses = [
        np.square(run(split, GRID).prediction - truth).mean()
        for run in (blended.run_baseline, blended.run_augmented)
    ]
    assert losses[1] < 0.95 * losses[0]


# What the published experiment shows whatever the splits.


@pytest.mark.parametrize("fraction", [0.21, 0.3, 0.85])
def test_white_wine_gives_no_new_row_above_a_thousand(fraction):
    assert new_rows("white_wine", fraction, 1).rows_augmented == 0


def test_white_wine_gives_rows_below_a_thousand():
    assert new_rows("white_wine", 0.1, 1).rows_augmented > 0


@pytest.mark.parametrize("number", range(1, 11))
def test_red_wine_at_a_tenth_gives_no_novel_row(number):
    found = new_rows("red_wine", 0.1, number)
    assert found.rows_only_augmented == 0
    assert found.rows_augmented > 100


def test_the_published_order_puts_later_nodes_first():
    graph = read_graph(
        "v1 -> v4; v1 -> v5; v3 -> v5; v4 -> v2; v5 -> v2; v5 -> v4; v6 -> v4; v6 -> v5;"
        "v3 <-> v1; v1 <-> v6; v6 <-> v3",
        names=["v1", "v2", "v3", "v4", "v5", "v6"],
    )
    assert published_order(graph) == ("v6", "v3", "v1", "v5", "v4", "v2")


@pytest.mark.parametrize(("fraction", "least", "most"), [(0.1, 85, 121), (0.3, 231, 287)])
def test_sachs_gives_as_many_rows_as_its_authors_found(fraction, least, most):
    found = [new_rows("sachs", fraction, number).rows_augmented for number in range(1, 11)]
    assert least <= np.mean(found) <= most
