"""Does the graph help? Simulated truth, honest folds, the same search for every side.

Prints tables and writes them to docs/results/learning.md. Every unit is a fresh random
structural model with its own training rows and 2,000 test rows. `--units` sets how many
units a cell has at least, `--jobs` how many processes work, `--only` which sections run.
"""

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import (
    best_plain,
    learner_of,
    percent,
    to_markdown,
    worst,
    worst_tenth,
    wrong_graph,
)

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
        both, weights = new.mixed(self.share)
        return Rows.of(both, target, weights)


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
    for name, share in (("gated", ca.Gate()), ("open", SHARE)):
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


def options(shape, mechanism="nonlinear", **more):
    noise = "laplace" if mechanism == "linear" else "gaussian"
    return {"graph": shape, "mechanism": mechanism, "noise": noise, **more}


# The blend: units that a store keeps.

FIRST_FINAL_SEED = 700_000
"""The seeds of the final tables; the blend was chosen on seeds from 200,000 to 330,000."""
ALL_SHAPES = ("star", "chain", "two-layer", "random")
WRONG = ("another model's", "shuffled", "one arrow reversed", "one edge missing")
CLASS_SIGNALS = {"star": 0.15, "chain": 0.75, "two-layer": 0.5, "random": 0.5}
"""How much of a variable its causes explain: eleven strong signs would part the classes."""
CURVE = (20, 30, 60, 100, 150, 200, 400)
COVERED = 0.9


def blend_unit(model_options, n, learner_name, graph_kind, seed, rivals=False):
    """Return the test MSE of the parts of a blend, the coverage of the graph's model, the time."""
    model, train, test = draw(model_options, n, seed)
    test, target = test.iloc[n:], model.target
    graph = model.graph if graph_kind == "right" else wrong_graph(graph_kind, model.graph, seed)
    X, y = encoded(train, target)
    asked, truth = encoded(test, target, like=X)
    learner = learner_of(learner_name, X, y)
    if list(X) != [name for name in train if name != target]:
        learner = make_pipeline(Encoder(target), learner)
        X, asked = train.drop(columns=target), test.drop(columns=target)
    started = time.process_time()
    augmented = ca.AugmentedRegressor(learner, graph=graph, target=target, random_state=seed)
    parts = augmented.fit_parts(X, y)
    seconds = time.process_time() - started
    losses = {
        name: float(np.square(np.asarray(each.predict(asked)) - truth).mean())
        for name, each in parts.items()
    }
    said = augmented.model_.predict(target, asked)
    low, high = (said.quantile(level) for level in ((1 - COVERED) / 2, (1 + COVERED) / 2))
    covered = float(((low <= truth) & (truth <= high)).mean())
    found = {**losses, "covered": covered, "seconds": seconds}
    if rivals:
        name, best = best_plain(X, y)
        fitted = best.fit(X, y)
        found["best plain"] = float(np.square(fitted.predict(asked) - truth).mean())
        found["best plain is"] = name
    return found


class Encoder(TransformerMixin, BaseEstimator):
    """Dummies of what is no number, the same columns for every frame."""

    def __init__(self, target=None):
        self.target = target

    def fit(self, X, y=None):
        self.columns_ = list(pd.get_dummies(X, dtype=float))
        return self

    def transform(self, X):
        return pd.get_dummies(X, dtype=float).reindex(columns=self.columns_, fill_value=0.0)


def encoded(frame, target, like=None):
    """Return features as numbers, and the target."""
    X = pd.get_dummies(frame.drop(columns=target), dtype=float)
    X = X if like is None else X.reindex(columns=list(like), fill_value=0.0)
    return X, frame[target].to_numpy(dtype=float)


def class_unit(model_options, n, learner_name, graph_kind, seed):
    """Return log-loss and Brier score of the parts of a blend, and how its probabilities hold."""
    model, train, test = draw(model_options, n, seed)
    test, target = test.iloc[n:], model.target
    graph = model.graph if graph_kind == "right" else wrong_graph(graph_kind, model.graph, seed)
    X, y = train.drop(columns=target), train[target]
    learner = learner_of(learner_name, X, y, classification=True)
    augmented = ca.AugmentedClassifier(learner, graph=graph, target=target, random_state=seed)
    asked, truth = test.drop(columns=target), test[target].to_numpy()
    found = {}
    for name, each in augmented.fit_parts(X, y).items():
        yes = np.asarray(each.predict_proba(asked))[:, 1]
        own = np.where(truth, yes, 1.0 - yes)
        found[name] = float(-np.log(np.maximum(own, 1e-9)).mean())
        found[f"{name} brier"] = float(np.square(1.0 - own).mean())
        found[f"{name} off"] = calibration_error(yes, truth)
    return found


def calibration_error(yes, truth):
    """Return how far ten bins of probabilities are from what happened, on average."""
    bins = np.minimum((10 * yes).astype(int), 9)
    gaps = [abs(yes[bins == b].sum() - truth[bins == b].sum()) for b in range(10)]
    return float(np.sum(gaps) / len(yes))


@dataclass(frozen=True)
class Run(Settings):
    """Units of the sections on blends, which the store keeps."""

    def of(self, section, unit, cells, per_cell):
        """Return one row per unit of every cell; `cells` maps labels to arguments of `unit`."""
        tasks = []
        for label, arguments in cells:
            for number in range(per_cell):
                seed = self.first_seed + 7 * number
                key = {"section": section, **label, "seed": seed}
                graph = (*arguments[:4], seed, *arguments[4:])
                tasks.append((key, partial(unit, *graph)))
        return pd.DataFrame(self.store.run(tasks, self.jobs))

    def per_shape(self, n_shapes=4):
        """Return how many units a shape needs, so that all together have enough."""
        return 1 if self.quick else -(-self.units // n_shapes)


def parts_of(cell):
    """Return the columns that every table of a blend has."""
    plain = cell["plain"]
    return {
        "units": len(cell),
        "blend with the graph, %": percent(cell["graph"] / plain - 1.0),
        "of which smoothing, %": percent(cell["control"] / plain - 1.0),
        "of which the graph, %": percent((cell["graph"] - cell["control"]) / plain),
        "graph model alone, %": percent(cell["graph model"] / plain - 1.0),
    }


def blend_table(results, by, columns=parts_of):
    rows = []
    for key, cell in results.groupby(by, sort=False):
        rows.append(dict(zip(by, key, strict=True)) | columns(cell))
    return to_markdown(rows)


def cells_of(learners, *, graphs=("right",), n=60, shapes=ALL_SHAPES, rivals=False, **more):
    return [
        (
            {"given": graph, "learner": learner, "mechanism": mechanism, "n": n, "shape": shape}
            | ({"more": str(more)} if more else {}),
            (options(shape, mechanism, **more), n, learner, graph, rivals),
        )
        for graph in graphs
        for learner in learners
        for mechanism in ("linear", "nonlinear")
        for shape in shapes
    ]


def right(run):
    """Right graphs, 60 rows."""
    learners = ("boosting", "tuned boosting", "ridge")
    cells = cells_of(learners[:1], rivals=True) + cells_of(learners[1:])
    results = run.of("right", blend_unit, cells, run.per_shape())
    boosted = results[results["learner"] == "boosting"]

    def against_best(cell):
        best = cell["best plain"]
        return {
            "units": len(cell),
            "best plain, MSE": f"{np.exp(np.log(best).mean()):.3f}",
            "blended boosting against it, %": percent(cell["graph"] / best - 1.0),
            "graph model against it, %": percent(cell["graph model"] / best - 1.0),
        }

    return "\n\n".join(
        [
            blend_table(results, ["learner", "mechanism"]),
            "By shape:",
            blend_table(results, ["learner", "mechanism", "shape"]),
            "Against the best of ridge, Gaussian process, forest and boosting by five folds:",
            blend_table(boosted, ["mechanism"], against_best),
        ]
    )


def wrong(run):
    """Wrong graphs, 60 rows: at least 200 units per learner."""
    per_shape = 1 if run.quick else max(7, -(-5 * run.units // 32))
    cells = cells_of(("boosting", "ridge"), graphs=WRONG)
    results = run.of("wrong", blend_unit, cells, per_shape)

    def harm(cell):
        change = cell["graph"] / cell["plain"] - 1.0
        return {
            "units": len(cell),
            "blend with the graph, %": percent(change),
            "worst tenth, %": worst_tenth(change),
            "worst unit, %": worst(change),
            "graph model alone, %": percent(cell["graph model"] / cell["plain"] - 1.0),
        }

    tables = [["learner"], ["learner", "given", "mechanism"]]
    return "\n\n".join(blend_table(results, by, harm) for by in tables)


def worth(run):
    """How many rows a graph is worth: learning curves with and without it."""
    sizes = (30, 60, 150) if run.quick else CURVE
    cells = [cell for n in sizes for cell in cells_of(("boosting",), n=n, rivals=True)]
    results = run.of("worth", blend_unit, cells, run.per_shape(8))

    def curve(cell):
        columns = {
            "plain boosting": "plain",
            "best plain by folds": "best plain",
            "blended boosting": "graph",
            "graph model": "graph model",
        }
        return {"units": len(cell)} | {
            name: f"{np.exp(np.log(cell[column]).mean()):.3f}" for name, column in columns.items()
        }

    lead = "Geometric mean of the test MSE over shapes."
    return f"{lead}\n\n{blend_table(results, ['mechanism', 'n'], curve)}"


def calibration(run):
    """Coverage of the 90% intervals of the graph's model."""
    cells = [
        cell for n in (60, 200) for cell in cells_of(("ridge",), graphs=("right", "shuffled"), n=n)
    ]
    results = run.of("calibration", blend_unit, cells, run.per_shape())

    def coverage(cell):
        return {"units": len(cell), "covered, %": percent(cell["covered"]).lstrip("+")}

    return blend_table(results, ["given", "mechanism", "n"], coverage)


def kinds_of_tables(run):
    """Hidden common causes, mixed tables, uneven noise."""
    kinds = {
        "hidden common causes": {"shapes": ("random",), "n_hidden": 3},
        "uneven noise": {"heteroscedastic": True},
    }
    cells = []
    for name, more in kinds.items():
        for label, arguments in cells_of(("boosting", "ridge"), **more):
            cells.append(({"table": name, **label}, arguments))
    truth = {shape: options(shape, "mixed", dtypes={"Y": "float"}) for shape in ALL_SHAPES}
    for learner in ("boosting", "ridge"):
        for shape in ALL_SHAPES:
            label = {"table": "mixed columns", "learner": learner, "shape": shape}
            cells.append((label, (truth[shape], 60, learner, "right")))
    results = run.of("tables", blend_unit, cells, run.per_shape())
    return blend_table(results, ["table", "learner"])


def classes(run):
    """Classification, where classes are not separable."""
    cells = [
        (
            {"given": graph, "learner": learner, "shape": shape},
            (
                options(shape, dtypes={"Y": "bool"}, signal=CLASS_SIGNALS[shape]),
                60,
                learner,
                graph,
            ),
        )
        for graph in ("right", "shuffled", "another model's")
        for learner in ("logistic", "boosting")
        for shape in ALL_SHAPES
    ]
    results = run.of("classes", class_unit, cells, run.per_shape(1 if run.units < 40 else 2))

    def scores(cell):
        change = cell["graph"] / cell["plain"] - 1.0
        return {
            "units": len(cell),
            "plain log-loss": f"{cell['plain'].mean():.3f}",
            "blended": f"{cell['graph'].mean():.3f}",
            "graph model": f"{cell['graph model'].mean():.3f}",
            "change, %": percent(change),
            "of which the graph, %": percent((cell["graph"] - cell["control"]) / cell["plain"]),
            "worst tenth, %": worst_tenth(change),
            "Brier, plain": f"{cell['plain brier'].mean():.3f}",
            "Brier, blended": f"{cell['graph brier'].mean():.3f}",
            "off by, plain": f"{cell['plain off'].mean():.3f}",
            "off by, blended": f"{cell['graph off'].mean():.3f}",
        }

    tables = [["given", "learner"], ["given", "learner", "shape"]]
    return "\n\n".join(blend_table(results, by, scores) for by in tables)


BLEND_SECTIONS = {
    "Right graphs, 12 variables, 60 rows": right,
    "Wrong graphs": wrong,
    "How many rows a graph is worth": worth,
    "Hidden causes, mixed columns, uneven noise": kinds_of_tables,
    "Classification": classes,
    "Calibration of the graph's model": calibration,
}


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

The first sections are about the blend, `augmented_share="auto"`, with every default: at least 40
units a cell, models of seeds {FIRST_FINAL_SEED:,} and up, on which nothing was chosen. "Boosting"
is `HistGradientBoostingRegressor(max_leaf_nodes=8, max_iter=60, min_samples_leaf=5,
early_stopping=False)`; tuned is the same over 2 sizes and 3 numbers of rounds by three folds on the
plain rows; ridge has the penalty 10 on scaled columns. *Of which the graph* is the difference of
the blend with the graph and the blend without. A worst tenth is the mean of the worst tenth of
units. Classes come from weaker signs (the star explains 15% of a sign), so that they overlap; "off
by" is the mean distance of ten bins of probabilities from what happened.

"Gated" is `augmented_share=Gate()`. There the learner's setting is chosen once, on the plain
rows. A wrong graph is that of another random model on the same variables.
"""


def main():
    sections = {**BLEND_SECTIONS, **SECTIONS}
    options = read_options(
        __doc__,
        sections,
        store="learning.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=2,
        quick="one unit per shape",
    )
    run = Run.from_options(options)
    final = not options.quick and options.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "learning.md", INTRODUCTION, tuple(sections))

    def write(title, section):
        if title in BLEND_SECTIONS:
            return section(run)
        with Parallel(n_jobs=options.jobs) as jobs:
            return section(jobs, options.units)

    run_sections(sections, options.only, write, page if final else None)


if __name__ == "__main__":
    main()
