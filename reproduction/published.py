"""The published experiment, with one switch for each of its peculiarities."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal

import numpy as np
import pandas as pd

from causalaug._ragged import combine_codes
from causalaug.augmentation import AugmentedTable
from causalaug.conditionals import KernelConditional
from causalaug.expansion import BudgetExpansion, PrunedExpansion
from causalaug.graphs import ADMG
from causalaug.model import fit_model
from causalaug.typing import FloatArray
from reproduction.boosting import (
    Booster,
    BoostingGrid,
    WeightedRows,
    best_of_grid,
    search_grid,
    unshuffled_folds,
)
from reproduction.outcome import Outcome, describe_new_rows
from reproduction.plain_floats import PlainFloatConditional
from reproduction.splits import Split, paper_columns

MOST_LEAVES = 100_000_000
"""Ties multiply the leaves of the tree: 16 million for 300 cars."""


@dataclass(frozen=True)
class PublishedProtocol:
    """What the published code does, or the same with some of it put right.

    Parameters
    ----------
    equal_rows : {"multiply", "add"}, default="multiply"
        What becomes of the weights of leaves with equal values. The published code adds
        logarithms, so that it multiplies weights; the text says that they add.
    tree : {"pruned", "lossless", "none"}, default="pruned"
        ``"pruned"``: kernels in plain floats, where mass underflows, and a tree cut at
        ``threshold / n``. ``"lossless"``: the same kernels in logarithms, and a budget of rows
        that loses no mass; equal rows then add. ``"none"``: no new row at all.
    total_weight : {"shrinks", "restored"}, default="shrinks"
        Whether lost mass shrinks the total weight, which strengthens the learner's
        regularisation, or all weights are scaled up to the number of rows again.
    folds : {"union", "originals"}, default="union"
        Whether settings are chosen by folds over originals and new rows together, where
        copies of a held-out row are trained on, or by folds of the originals, with new rows
        made from the training part.
    temperature : float, default=1e-3
        Factor on Silverman's bandwidths.
    threshold : float, default=1e-3
        A path is dropped when its weight falls below ``threshold / n``.
    share : float, default=0.5
        The weight of the new rows against the originals, lambda in the paper.
    n_folds : int, default=3
        The number of folds, taken as the rows come.
    """

    equal_rows: Literal["multiply", "add"] = "multiply"
    tree: Literal["pruned", "lossless", "none"] = "pruned"
    total_weight: Literal["shrinks", "restored"] = "shrinks"
    folds: Literal["union", "originals"] = "union"
    temperature: float = 1e-3
    threshold: float = 1e-3
    share: float = 0.5
    n_folds: int = 3
    booster: Booster = field(default_factory=lambda: Booster("exact", base_score=0.5))

    def run_baseline(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn from the originals alone, each of weight 1."""
        started = perf_counter()
        originals = split.rows_of(split.train)
        prediction, n_rounds, reg_lambda = self._learn(split, grid, originals)
        seconds = perf_counter() - started
        return Outcome(prediction, n_rounds, reg_lambda, 0.0, None, 0.0, seconds)

    def run_augmented(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn from originals and new rows."""
        started = perf_counter()
        augmented, weights = self.make_rows(split, split.train)
        made = perf_counter()
        rows = self.mix(split, split.train, augmented, weights)
        prediction, n_rounds, reg_lambda = self._learn(split, grid, rows)
        learned = perf_counter()
        new_rows = None if augmented is None else describe_new_rows(augmented, weights)
        return Outcome(
            prediction, n_rounds, reg_lambda, self.share, new_rows, made - started, learned - made
        )

    def make_rows(
        self, split: Split, frame: pd.DataFrame
    ) -> tuple[AugmentedTable | None, FloatArray]:
        """Return the distinct new rows and their weights; the weights of a tree add up to 1."""
        if self.tree == "none":
            return None, np.empty(0)
        kernel = KernelConditional(discrete_kernel="identity", temperature=self.temperature)
        order, columns = published_order(split.graph), paper_columns(frame)
        if self.tree == "lossless":
            budget, seed = BudgetExpansion(), split.seed
            leaves = fit_model(frame, split.graph, kernel, order, **columns).make_rows(budget, seed)
            return merged_in_tree_order(leaves, "add")
        pruned = PrunedExpansion(self.threshold, merge_equal=False, max_rows=MOST_LEAVES)
        conditional = PlainFloatConditional(kernel)
        leaves = fit_model(frame, split.graph, conditional, order, **columns).make_rows(pruned)
        return merged_in_tree_order(leaves, self.equal_rows)

    def mix(
        self,
        split: Split,
        frame: pd.DataFrame,
        augmented: AugmentedTable | None,
        weights: FloatArray,
    ) -> WeightedRows:
        """Return originals and new rows together; without any new row, the originals alone.

        This is the published mixture, where lost mass shrinks the total weight, and not
        `AugmentedTable.mixed`.
        """
        originals = split.rows_of(frame)
        if augmented is None:
            return originals._replace(weight=originals.weight * (1.0 - self.share))
        if not len(augmented):
            return originals
        features, target = split.features_and_target(augmented.frame)
        n_rows = originals.n_rows
        weight = np.concatenate(
            [originals.weight * (1.0 - self.share), weights * (self.share * n_rows)]
        )
        if self.total_weight == "restored":
            weight *= n_rows / weight.sum()
        mixed = WeightedRows(
            np.vstack([originals.features, features]),
            np.concatenate([originals.target, target]),
            weight,
        )
        return mixed.at(np.flatnonzero(weight > 0.0))

    def _learn(
        self, split: Split, grid: BoostingGrid, rows: WeightedRows
    ) -> tuple[FloatArray, int, float]:
        losses = search_grid(self.booster, grid, self._folds(split, rows))
        n_rounds, reg_lambda = best_of_grid(grid, losses)
        asked, _ = split.features_and_target(split.test)
        prediction = self.booster.predict(rows, reg_lambda, n_rounds, asked)
        return prediction, n_rounds, reg_lambda

    def _folds(
        self, split: Split, rows: WeightedRows
    ) -> Iterator[tuple[WeightedRows, WeightedRows]]:
        """Yield what to train on and what to be judged on."""
        if self.folds == "union" or rows.n_rows == len(split.train):
            for train, held_out in unshuffled_folds(rows.n_rows, self.n_folds):
                yield rows.at(train), rows.at(held_out)
            return
        for train, held_out in unshuffled_folds(len(split.train), self.n_folds):
            frame = split.train.iloc[train].reset_index(drop=True)
            yield (
                self.mix(split, frame, *self.make_rows(split, frame)),
                split.rows_of(split.train.iloc[held_out]),
            )


def published_order(graph: ADMG) -> tuple[str, ...]:
    """Return the topological order in which later nodes come first wherever they may.

    With hidden common causes the tree depends on the order. In this one the numbers of new
    rows on the GSS data are those of the authors' records; in that of the nodes there are up
    to seven times as many.

    >>> published_order(ADMG(["a", "b", "c"], [("a", "c")], [("a", "b")]))
    ('b', 'a', 'c')
    """
    return ADMG(graph.nodes[::-1], graph.directed, graph.bidirected).topological_order()


def merged_in_tree_order(
    leaves: AugmentedTable, equal_rows: Literal["multiply", "add"]
) -> tuple[AugmentedTable, FloatArray]:
    """Return the distinct rows as they first appear in the tree, and their weights.

    The tree is walked variable by variable, row by row. Unshuffled folds depend on this order.
    Two equal leaves of weight 1/4 stand for 1/2 of the mass; multiplied, they get 1/16.
    """
    table = leaves.table
    choices = [leaves.rows[:, table.index(name)] for name in leaves.order]
    key, _ = combine_codes(choices, [table.n_rows] * len(choices), len(leaves))
    walked = replace(leaves, paths=leaves.paths.at(np.argsort(key, kind="stable")))
    groups = walked.equal_rows()
    appearance = np.argsort(groups.first)
    merged = walked.merged()
    if equal_rows == "multiply":
        logs = walked.paths.log_weights
        weights: FloatArray = np.exp(np.bincount(groups.ranks, logs, minlength=len(merged)))
    else:
        weights = merged.weights
    return replace(merged, paths=merged.paths.at(appearance)), weights[appearance]
