"""One fit read at several rounds is the same as several fits."""

import numpy as np
import pytest
import xgboost
from sklearn.model_selection import KFold, ParameterGrid

from reproduction import Booster, BoostingGrid, WeightedRows
from reproduction.boosting import (
    best_of_grid,
    search_grid,
    staged_losses,
    unshuffled_folds,
)

GRID = BoostingGrid(rounds=(3, 10, 40), reg_lambda=(1.0, 10.0))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(70, 4))
    target = features[:, 0] ** 2 + features[:, 1] + 0.1 * rng.normal(size=70)
    return WeightedRows(features, target, rng.random(70))


@pytest.mark.parametrize("booster", [Booster("exact", 0.5), Booster()], ids=["exact", "hist"])
def test_stages_of_one_fit_equal_separate_fits(rows, booster):
    train, test = rows.at(np.arange(50)), rows.at(np.arange(50, 70))
    staged = staged_losses(booster, GRID, 1.0, train, test)
    for losses, n_rounds in zip(staged, GRID.rounds, strict=True):
        alone = booster.predict(train, 1.0, n_rounds, test.features)
        np.testing.assert_array_equal(losses, np.square(alone - test.target))
    assert not np.array_equal(staged[0], staged[1])


def test_the_search_is_a_weighted_grid_search(rows):
    booster = Booster("exact", base_score=0.5)
    folds = [(rows.at(a), rows.at(b)) for a, b in unshuffled_folds(rows.n_rows, 3)]
    expected = {}
    for setting in ParameterGrid({"n_estimators": GRID.rounds, "reg_lambda": GRID.reg_lambda}):
        scores = []
        for train, test in folds:
            model = xgboost.XGBRegressor(
                tree_method="exact", base_score=0.5, max_depth=6, n_jobs=1, **setting
            ).fit(train.features, train.target, sample_weight=train.weight)
            loss = np.square(model.predict(test.features) - test.target)
            scores.append(np.average(loss, weights=test.weight))
        expected[setting["n_estimators"], setting["reg_lambda"]] = np.mean(scores)
    losses = search_grid(booster, GRID, folds)
    assert losses.ravel() == pytest.approx(list(expected.values()), rel=1e-5)
    assert best_of_grid(GRID, losses) == min(expected, key=expected.get)


@pytest.mark.parametrize("n_rows", [7, 9, 100])
def test_folds_are_those_of_scikit_learn(n_rows):
    ours = list(unshuffled_folds(n_rows, 3))
    theirs = list(KFold(3).split(np.zeros(n_rows)))
    for (train, held_out), (their_train, their_held_out) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(held_out, their_held_out)


def test_weights_reach_the_learner(rows):
    booster = Booster("exact", base_score=0.5)
    heavy = rows._replace(weight=rows.weight * 100.0)
    light, strong = (booster.predict(each, 100.0, 5, rows.features) for each in (rows, heavy))
    assert np.square(strong - rows.target).mean() < np.square(light - rows.target).mean()
