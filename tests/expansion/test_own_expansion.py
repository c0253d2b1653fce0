"""An expansion of a stranger: one class, known to no other file, works wherever ours do."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import causalaug as ca
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion import Paths


@dataclass(frozen=True)
class RepeatedDraws:
    """Draws whole rows, each variable by its own law, `times` for every observed row."""

    times: int = 3

    def expand(self, model, rng):
        n_paths = self.times * model.table.n_rows
        rows = np.zeros((n_paths, model.table.n_columns), dtype=np.int64)
        for path in rows:
            for factor, fitted in zip(model.factors, model.fitted, strict=True):
                pillow = [model.table.index(name) for name in factor.pillow]
                query = model.table.values[path[pillow], pillow][np.newaxis]
                weights = np.exp(fitted.weigher.log_weights(query)[0])
                path[model.table.index(factor.target)] = rng.choice(len(weights), p=weights)
        return Paths(rows, np.full(n_paths, -np.log(n_paths)))


@dataclass(frozen=True)
class Sized(RepeatedDraws):
    """The same, which says how many rows it makes, so that too many are refused."""

    max_rows: int = 1000

    def most_rows(self, n_rows):
        return self.times * n_rows

    def expand(self, model, rng):
        assert self.most_rows(model.table.n_rows) <= self.max_rows, "not refused before the work"
        return super().expand(model, rng)


class FewerRows(ca.BudgetExpansion):
    """One of ours under another name."""


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    a = rng.normal(size=30)
    return pd.DataFrame({"a": a, "b": a + rng.normal(size=30), "y": a + rng.normal(size=30)})


GRAPH = "a -> b; a -> y"


@pytest.mark.parametrize("expansion", [RepeatedDraws(), Sized(), FewerRows(90)], ids=str)
def test_an_own_expansion_makes_rows(frame, expansion):
    result = ca.augment(frame, GRAPH, expansion=expansion, random_state=0)
    assert 0 < len(result) <= 90
    assert result.weights.sum() == pytest.approx(1.0)
    assert list(result.frame.columns) == ["a", "b", "y"]
    model = ca.AugmentedRegressor(
        LinearRegression(), graph=GRAPH, expansion=expansion, augmented_share=0.5, random_state=0
    ).fit(frame[["a", "b"]], frame["y"])
    assert np.isfinite(model.predict(frame[["a", "b"]])).all()


def test_the_draws_of_an_own_expansion_have_the_weights_of_the_tree(frame):
    few = frame.iloc[:4].round(1)
    model = ca.fit_model(few, GRAPH)
    found = model.expand(RepeatedDraws(2000), random_state=0).merged()
    exact = model.expand(ca.PrunedExpansion(0)).merged()
    both = found.frame.assign(found=found.weights).merge(
        exact.frame.assign(exact=exact.weights), how="outer"
    )
    both = both.fillna(0.0)
    assert_allclose(both["found"], both["exact"], atol=4.0 * np.sqrt(0.25 / 8000))


@pytest.mark.parametrize(
    ("expansion", "text"),
    [
        (
            Sized(10**9),
            r"^No more than max_rows=1,000 rows .*Found Sized, which would make "
            r"30,000,000,000 rows: about 2,160 GB of memory\. Ask for fewer, or raise max_rows\.",
        ),
        (FewerRows(10**9, max_rows=100), "Found FewerRows, which would make 27,000 rows.*minutes"),
    ],
    ids=["own", "subclass"],
)
def test_an_own_expansion_that_is_too_large_is_refused_before_the_work(frame, expansion, text):
    with pytest.raises(TreeTooLargeError, match=text):
        ca.augment(frame, GRAPH, expansion=expansion)


def test_the_way_out_of_what_cannot_be_cut_into_blocks_is_a_budget(frame):
    with pytest.raises(TreeTooLargeError, match="with BudgetExpansion, which can be cut"):
        ca.augment(frame, GRAPH, expansion=Sized(times=40))
