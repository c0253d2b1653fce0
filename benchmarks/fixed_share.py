"""New rows at a fixed share of the weight: simulated truth, the same search for every side.

Writes docs/results/fixed_share.md. Every unit is a fresh random structural model with its own
training rows and 2,000 test rows. `--units` sets how many units a cell has at least, `--jobs` how
many processes work, `--only` which sections run.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

import causalaug as ca
from sections import RESULTS, Page, run_sections
from units import draw, options, percent, to_markdown

SHAPES = ("star", "chain", "two-layer")
SHARE = 0.5
N_FOLDS = 3
NEW_ROWS = 10
"""New rows per observed row."""


@dataclass(frozen=True)
class Rows:
    """What a learner is trained or tested on."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, frame, target, weights=None):
        X = pd.get_dummies(frame.drop(columns=target)).to_numpy(dtype=float)
        return cls(X, frame[target].to_numpy(), np.ones(len(frame)) if weights is None else weights)


# Learners, and the settings that are searched for each.


class RidgeSearch:
    name = "ridge"
    settings = tuple(np.logspace(-1, 3, 9))

    def learner(self, alpha):
        return Ridge(alpha=alpha)

    def fit(self, setting, rows):
        return self.learner(setting).fit(rows.X, rows.y, sample_weight=rows.weights)

    def losses(self, fitted, rows):
        return np.square(fitted.predict(rows.X) - rows.y)

    def losses_by_setting(self, rows, held_out):
        return {each: self.losses(self.fit(each, rows), held_out) for each in self.settings}


class BoostingSearch(RidgeSearch):
    name = "boosting"
    leaves = (4, 16)
    stages = (25, 50, 100, 200)

    def learner(self, setting):
        n_leaves, n_stages = setting
        return HistGradientBoostingRegressor(
            max_leaf_nodes=n_leaves, max_iter=n_stages, min_samples_leaf=3, early_stopping=False
        )

    def losses_by_setting(self, rows, held_out):
        """Fit the longest run of each size once and score it at every stage."""
        losses = {}
        for n_leaves in self.leaves:
            fitted = self.fit((n_leaves, max(self.stages)), rows)
            for stage, predicted in enumerate(fitted.staged_predict(held_out.X), start=1):
                if stage in self.stages:
                    losses[n_leaves, stage] = np.square(predicted - held_out.y)
        return losses


RIDGE, BOOSTING = RidgeSearch(), BoostingSearch()


# One side of a comparison: the rows alone, or with new rows of some graph.


@dataclass(frozen=True)
class Side:
    graph: ca.ADMG | None = None
    conditional: object = None
    share: float = SHARE

    def rows(self, frame, target, seed):
        if self.graph is None:
            return Rows.of(frame, target)
        n = len(frame)
        expansion = ca.BudgetExpansion(NEW_ROWS * n)
        conditional = self.conditional or ca.ResidualConditional()
        new = ca.augment(frame, self.graph, conditional, expansion, random_state=seed)
        both, weights = new.mixed(self.share)
        return Rows.of(both, target, weights)


def search(space, side, train, target, seed):
    """Choose the setting on held-out observed rows, with new rows inside every fold."""
    total = {}
    for fit, held in KFold(N_FOLDS, shuffle=True, random_state=seed).split(train):
        rows = side.rows(train.iloc[fit].reset_index(drop=True), target, seed)
        held_out = Rows.of(train.iloc[held], target)
        for setting, losses in space.losses_by_setting(rows, held_out).items():
            total[setting] = total.get(setting, 0.0) + losses.sum()
    return min(total, key=total.get)


def open_unit(model_options, n, space, seed, conditional=None, share=SHARE):
    """Return the losses without a graph, with the true one, and with the complete one."""
    model, train, test = draw(model_options, n, seed)
    test, target = test.iloc[n:], model.target
    control = ca.complete_graph(model.graph.topological_order())
    losses = {}
    for name, graph in (("plain", None), ("graph", model.graph), ("control", control)):
        side = Side(graph, conditional, share)
        setting = search(space, side, train, target, seed)
        fitted = space.fit(setting, side.rows(train, target, seed))
        losses[name] = float(space.losses(fitted, Rows.of(test, target)).mean())
    return losses


# Cells and sections.


def run(jobs, unit, cells, units, first_seed=1000):
    """Return one row per unit of every cell; `cells` maps labels to arguments."""
    tasks = [(label, arguments, seed) for label, arguments in cells for seed in range(units)]
    results = jobs(
        delayed(unit)(*arguments[:3], first_seed + 7 * seed, *arguments[3:])
        for _, arguments, seed in tasks
    )
    labels = pd.DataFrame([label for label, _, _ in tasks])
    return pd.concat([labels, pd.DataFrame(results)], axis=1)


def units_per_shape(units):
    """Return how many units each shape needs, so that all shapes together have enough."""
    return -(-units // len(SHAPES))


def open_table(results, by):
    rows = []
    for key, cell in results.groupby(by, sort=False):
        plain = cell["plain"]
        rows.append(
            dict(zip(by, key, strict=True))
            | {
                "units": len(cell),
                "with the graph, %": percent(cell["graph"] / plain - 1.0),
                "control, %": percent(cell["control"] / plain - 1.0),
                "of which the graph, %": percent((cell["graph"] - cell["control"]) / plain),
            }
        )
    return to_markdown(rows)


def correct_graphs(jobs, units):
    cells = [
        (
            {"learner": space.name, "n": n, "mechanism": mechanism, "shape": shape},
            (options(shape, mechanism), n, space),
        )
        for space in (RIDGE, BOOSTING)
        for n in (30, 100)
        for mechanism in ("linear", "nonlinear")
        for shape in SHAPES
    ]
    results = run(jobs, open_unit, cells, (units + 1) // 2)
    tables = [["learner", "n"], ["learner", "n", "shape"], ["learner", "n", "mechanism"]]
    return "\n\n".join(open_table(results, by) for by in tables)


def shares(jobs, units):
    cells = [
        (
            {"n": n, "share": share},
            (options(shape, mechanism), n, RIDGE, None, share),
        )
        for n in (30, 100)
        for share in (0.25, 0.5, 0.75)
        for mechanism in ("linear", "nonlinear")
        for shape in SHAPES
    ]
    return open_table(run(jobs, open_unit, cells, (units + 1) // 2), ["n", "share"])


def fresh_models(jobs, units):
    """Repeat the largest share on models that no other section has seen."""
    cells = [
        ({"n": n, "share": 0.75}, (options(shape, mechanism), n, RIDGE, None, 0.75))
        for n in (30, 100)
        for mechanism in ("linear", "nonlinear")
        for shape in SHAPES
    ]
    results = run(jobs, open_unit, cells, (units + 1) // 2, first_seed=500_001)
    return open_table(results, ["n", "share"])


def noise(jobs, units):
    cells = [
        (
            {"noise": name, "n": n, "shape": shape},
            (options(shape, heteroscedastic=name == "uneven"), n, BOOSTING),
        )
        for name in ("even", "uneven")
        for n in (60, 100, 150)
        for shape in SHAPES
    ]
    return open_table(run(jobs, open_unit, cells, units_per_shape(units)), ["noise", "n"])


def temperatures(jobs, units):
    choices = {
        "kernel, .3": ca.KernelConditional(),
        **{
            f"residual, {t:g}": ca.ResidualConditional(temperature=t)
            for t in (1.0, 2.0, 3.0, float("inf"))
        },
    }
    cells = [
        (
            {"conditional": name, "noise": noise},
            (options(shape, heteroscedastic=noise == "uneven"), 60, BOOSTING, conditional),
        )
        for name, conditional in choices.items()
        for noise in ("even", "uneven")
        for shape in SHAPES
    ]
    results = run(jobs, open_unit, cells, units_per_shape(units))
    return open_table(results, ["noise", "conditional"])


def hidden(jobs, units):
    cells = [
        (
            {"learner": space.name, "n": n, "mechanism": mechanism},
            (options("random", mechanism, n_hidden=3), n, space),
        )
        for space in (RIDGE, BOOSTING)
        for n in (30, 100)
        for mechanism in ("linear", "nonlinear")
    ]
    return open_table(run(jobs, open_unit, cells, units), ["learner", "n", "mechanism"])


def mixed(jobs, units):
    truth = {shape: options(shape, "mixed", dtypes={"Y": "float"}) for shape in SHAPES}
    cells = [
        ({"learner": space.name, "n": n}, (truth[shape], n, space))
        for space in (RIDGE, BOOSTING)
        for n in (60, 150)
        for shape in SHAPES
    ]
    return open_table(run(jobs, open_unit, cells, units_per_shape(units)), ["learner", "n"])


SECTIONS = {
    "Correct graphs, 12 variables": correct_graphs,
    "Ridge regression by share": shares,
    "Ridge regression at share .75, on fresh models": fresh_models,
    "Boosting, even and uneven noise": noise,
    "Hidden common causes": hidden,
    "Mixed tables": mixed,
    "Which conditional": temperatures,
}

INTRODUCTION = f"""# New rows at a fixed share of the weight

Made by `benchmarks/fixed_share.py`; measured before there were blends and expected targets, with
targets that are drawn. Change in test MSE against the same learner on the observed rows alone, mean
over units ± standard error. A unit is a fresh random structural model (`datasets.make_sem_model`,
12 variables) with its own training rows and 2,000 test rows. Every side searches its own settings
on held-out observed rows, with new rows made inside each training fold ({N_FOLDS} folds): ridge
over 9 penalties, boosting over 2 sizes and 4 numbers of trees. New rows hold half of the weight,
{NEW_ROWS} per observed row; `ResidualConditional()` unless said otherwise. The control uses the
complete graph: the same conditionals, no independence assumed. *Of which the graph* is the
difference of the two.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=40, help="units a cell, all shapes together")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=[f.__name__ for f in SECTIONS.values()])
    asked = parser.parse_args()

    def write(_, section):
        with Parallel(n_jobs=asked.jobs) as jobs:
            return section(jobs, asked.units)

    page = Page(RESULTS / "fixed_share.md", INTRODUCTION, tuple(SECTIONS))
    run_sections(SECTIONS, asked.only, write, page)


if __name__ == "__main__":
    main()
