"""Does the graph help? Simulated truth, honest folds, the same search for every side.

Prints tables and writes them to docs/results/learning.md. Every unit is a fresh random
structural model with its own training rows and 2,000 test rows. `--units` sets how many
units a cell has at least, `--jobs` how many processes work, `--only` which sections run.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca

RESULTS = Path(__file__).parent.parent / "docs" / "results" / "learning.md"
SHAPES = ("star", "chain", "two-layer")
SHARE = 0.5
N_TEST = 2000
N_FOLDS = 3
NEW_ROWS = 10
"""New rows per observed row, in the sections without the gate."""


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


class LogisticSearch(RidgeSearch):
    name = "logistic"
    settings = tuple(np.logspace(-2, 2, 9))

    def learner(self, strength):
        return make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1000))

    def fit(self, setting, rows):
        return self.learner(setting).fit(
            rows.X, rows.y, logisticregression__sample_weight=rows.weights
        )

    def losses(self, fitted, rows):
        own = fitted.predict_proba(rows.X)[:, 1]
        own = np.where(rows.y == fitted.classes_[1], own, 1.0 - own)
        return -np.log(np.maximum(own, 1e-9))


RIDGE, BOOSTING, LOGISTIC = RidgeSearch(), BoostingSearch(), LogisticSearch()


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
        both = pd.concat([frame, new.frame], ignore_index=True)
        lent = new.weights / new.mass * n * self.share
        return Rows.of(both, target, np.concatenate([np.full(n, 1.0 - self.share), lent]))


def search(space, side, train, target, seed):
    """Choose the setting on held-out observed rows, with new rows inside every fold."""
    total = {}
    labels = train[target]
    kind = KFold if labels.dtype.kind == "f" else StratifiedKFold
    for fit, held in kind(N_FOLDS, shuffle=True, random_state=seed).split(train, labels):
        rows = side.rows(train.iloc[fit].reset_index(drop=True), target, seed)
        held_out = Rows.of(train.iloc[held], target)
        for setting, losses in space.losses_by_setting(rows, held_out).items():
            total[setting] = total.get(setting, 0.0) + losses.sum()
    return min(total, key=total.get)


def draw(model_options, n, seed):
    """Return a fresh model, training rows and test rows."""
    model = ca.datasets.make_sem_model(**model_options, random_state=seed)
    return model, *(model.sample(m, random_state=seed + 10**6).frame for m in (n, n + N_TEST))


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


def gated_unit(model_options, n, space, seed, wrong):
    """Return the losses without a graph, behind the gate, and at a fixed share.

    The learner's setting is chosen on the plain rows and then kept for all three. A wrong
    graph is that of another random model with the same variables.
    """
    model, train, test = draw(model_options, n, seed)
    test, target = test.iloc[n:], model.target
    graph = model.graph
    if wrong:
        options = {"graph": "random", "n_variables": len(graph.nodes)}
        graph = ca.datasets.make_sem_model(**options, random_state=seed + 1).graph
    setting = search(space, Side(), train, target, seed)
    plain = space.fit(setting, Rows.of(train, target))
    losses = {"plain": float(space.losses(plain, Rows.of(test, target)).mean())}
    kind = ca.AugmentedClassifier if space is LOGISTIC else ca.AugmentedRegressor
    for name, share in (("gated", "auto"), ("open", SHARE)):
        fitted = kind(
            space.learner(setting),
            graph=graph,
            expansion=ca.BudgetExpansion(NEW_ROWS * n),
            augmented_share=share,
            random_state=seed,
        ).fit(train.drop(columns=target), train[target])
        asked = Rows(test.drop(columns=target), test[target].to_numpy(), None)
        losses[name] = float(space.losses(fitted, asked).mean())
        losses[f"share_{name}"] = fitted.augmented_share_
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


def percent(ratio):
    """Return a mean with its standard error, in percent."""
    change = 100.0 * np.asarray(ratio)
    return f"{change.mean():+.1f} ± {change.std(ddof=1) / np.sqrt(len(change)):.1f}"


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


def gated_table(results, by):
    rows = []
    for key, cell in results.groupby(by, sort=False):
        gated = cell["gated"] / cell["plain"] - 1.0
        worst = np.sort(gated)[-max(len(gated) // 10, 1) :]
        rows.append(
            dict(zip(by, key, strict=True))
            | {
                "units": len(cell),
                "gated, %": percent(gated),
                "gated, worst tenth, %": f"{100 * worst.mean():+.1f}",
                "share .5 without gate, %": percent(cell["open"] / cell["plain"] - 1.0),
                "mean share chosen": f"{cell['share_gated'].mean():.2f}",
            }
        )
    return to_markdown(rows)


def to_markdown(rows):
    header = list(rows[0])
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(row[name]) for name in header) + " |" for row in rows]
    return "\n".join(lines)


def options(shape, mechanism="nonlinear", **more):
    noise = "laplace" if mechanism == "linear" else "gaussian"
    return {"graph": shape, "mechanism": mechanism, "noise": noise, **more}


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


def gate(jobs, units):
    cells = [
        (
            {"graph": "wrong" if wrong else "correct", "learner": space.name, "n": n},
            (options(shape), n, space, wrong),
        )
        for wrong in (True, False)
        for space in (RIDGE, BOOSTING)
        for n in (60, 100)
        for shape in SHAPES
    ]
    results = run(jobs, gated_unit, cells, (units + 1) // 2)
    return gated_table(results, ["graph", "learner", "n"])


def classification(jobs, units):
    truth = {shape: options(shape, dtypes={"Y": "bool"}) for shape in SHAPES}
    cells = [({"n": 60, "shape": shape}, (truth[shape], 60, LOGISTIC)) for shape in SHAPES]
    openly = run(jobs, open_unit, cells, units)
    cells = [
        ({"graph": "wrong" if wrong else "correct", "n": 60}, (truth[shape], 60, LOGISTIC, wrong))
        for wrong in (False, True)
        for shape in SHAPES
    ]
    gated = run(jobs, gated_unit, cells, units)
    return "\n\n".join(
        [
            open_table(openly, ["n"]),
            open_table(openly, ["n", "shape"]),
            gated_table(gated, ["graph", "n"]),
        ]
    )


SECTIONS = {
    "The gate": gate,
    "Classification, logistic regression": classification,
    "Correct graphs, 12 variables": correct_graphs,
    "Ridge regression by share": shares,
    "Ridge regression at share .75, on fresh models": fresh_models,
    "Boosting, even and uneven noise": noise,
    "Hidden common causes": hidden,
    "Mixed tables": mixed,
    "Which conditional": temperatures,
}

INTRODUCTION = f"""# Does the graph help?

Made by `make learning`. Change in test loss (MSE; log-loss for classification) against the
same learner on the observed rows alone, mean over units ± standard error. A unit is a
fresh random structural model (`datasets.make_sem_model`, 12 variables) with its own training
rows and {N_TEST:,} test rows. Every side searches its own settings on held-out observed rows,
with new rows made inside each training fold ({N_FOLDS} folds): ridge over 9 penalties, boosting
over 2 sizes and 4 numbers of trees, logistic regression over 9 penalties. New rows hold half of
the weight, {NEW_ROWS} per observed row; `ResidualConditional()` unless said otherwise. The control
uses the complete graph: the same conditionals, no independence assumed. *Of which the graph* is
the difference of the two.

"Gated" is `augmented_share="auto"`. There the learner's setting is chosen once, on the plain
rows. A wrong graph is that of another random model on the same variables.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=[f.__name__ for f in SECTIONS.values()])
    arguments = parser.parse_args()
    with Parallel(n_jobs=arguments.jobs) as jobs:
        for title, section in SECTIONS.items():
            if arguments.only and section.__name__ not in arguments.only:
                continue
            start = time.perf_counter()
            table = section(jobs, arguments.units)
            print(f"## {title} ({time.perf_counter() - start:.0f} s)\n\n{table}\n", flush=True)
            record(title, table)


def record(title, table):
    """Put one section into the results page; the others stay as they are."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    found = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    found[title] = f"\n{table}\n"
    parts = [f"## {name}\n{found[name]}" for name in SECTIONS if name in found]
    RESULTS.write_text("\n".join([INTRODUCTION, *parts]))


if __name__ == "__main__":
    main()
