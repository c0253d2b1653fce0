"""Does the graph help? Simulated truth, every default, held-out models.

Writes docs/results/learning.md. Every unit is a fresh random structural model with its own
training rows and 2,000 test rows; units are kept in a store, so that a run can be stopped and
continued. `--units` sets how many units a cell has at least, `--jobs` how many processes work,
`--only` which sections run.
"""

import time
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

import causalaug as ca
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import (
    best_plain,
    draw,
    learner_of,
    options,
    percent,
    to_markdown,
    worst,
    worst_tenth,
    wrong_graph,
)

FIRST_FINAL_SEED = 750_000
"""The seeds of the final tables; those from 700,000 to 700,100 were looked at while the bounds of
the graph's model were chosen."""
FIRST_SEED_OF_BLENDS = 800_000
"""Of right and wrong graphs: the weights of regressors were chosen on seeds from 430,000 to 460,000
and on splits of real tables after those from 750,000 on had been looked at."""
FIRST_SEED_OF_CLASSES = 780_000
"""The weights of log-losses were improved after seeds from 750,000, 755,000, 760,000 and 770,000 on
had been looked at. They were chosen on seeds from 360,000 to 390,100."""
ALL_SHAPES = ("star", "chain", "two-layer", "random")
WRONG = ("another model's", "shuffled", "one arrow reversed", "one edge missing")
CLASS_SIGNALS = {"star": 0.15, "chain": 0.75, "two-layer": 0.5, "random": 0.5}
"""How much of a variable its causes explain: eleven strong signs would part the classes."""
CURVE = (20, 40, 60, 150, 400)
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
    """How much is computed, and the units of cells."""

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

    def starting(self, first_seed):
        """Return the same with other models, unless the user chose some."""
        return replace(self, first_seed=first_seed) if self.first_seed == FIRST_FINAL_SEED else self

    def per_shape(self, n_shapes=4):
        """Return how many units a shape needs, so that all together have enough."""
        return 1 if self.quick else -(-self.units // n_shapes)


def parts_of(cell):
    """Return the columns that every table of a blend has."""
    plain = cell["plain"]
    return {
        "units": len(cell),
        "blend with the graph, %": percent(cell["graph"] / plain - 1.0),
        "without knowledge, %": percent(cell["nothing"] / plain - 1.0),
        "by the order, %": percent((cell["order"] - cell["nothing"]) / plain),
        "by the independences, %": percent((cell["graph"] - cell["order"]) / plain),
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
    learners = ("boosting", "ridge")
    cells = cells_of(learners[:1], rivals=True) + cells_of(learners[1:])
    results = run.starting(FIRST_SEED_OF_BLENDS).of("right", blend_unit, cells, run.per_shape())
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
    """Wrong graphs, 60 rows."""
    cells = cells_of(("boosting", "ridge"), graphs=WRONG)
    results = run.starting(FIRST_SEED_OF_BLENDS).of("wrong", blend_unit, cells, run.per_shape())

    def harm(cell):
        change = cell["graph"] / cell["plain"] - 1.0
        of_graph = (cell["graph"] - cell["order"]) / cell["plain"]
        return {
            "units": len(cell),
            "blend with the graph, %": percent(change),
            "worst tenth, %": worst_tenth(change),
            "worst unit, %": worst(change),
            "of which the graph, %": percent(of_graph),
            "worst tenth of it, %": worst_tenth(of_graph),
            "graph model alone, %": percent(cell["graph model"] / cell["plain"] - 1.0),
        }

    tables = [["learner"], ["learner", "given", "mechanism"]]
    return "\n\n".join(blend_table(results, by, harm) for by in tables)


def worth(run):
    """How many rows a graph is worth: learning curves with and without it."""
    sizes = (30, 60, 150) if run.quick else CURVE
    cells = [cell for n in sizes for cell in cells_of(("boosting",), n=n, rivals=True)]
    results = run.of("worth", blend_unit, cells, run.per_shape()).sort_values(
        "mechanism", kind="stable"
    )

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
    found = []
    for name, more in kinds.items():
        cells = [
            ({"table": name, **label}, arguments)
            for label, arguments in cells_of(("boosting", "ridge"), **more)
        ]
        n_models = 2 * len(more.get("shapes", ALL_SHAPES))
        found.append(run.of("tables", blend_unit, cells, run.per_shape(n_models)))
    cells = []
    truth = {shape: options(shape, "mixed", dtypes={"Y": "float"}) for shape in ALL_SHAPES}
    for learner in ("boosting", "ridge"):
        for shape in ALL_SHAPES:
            label = {"table": "mixed columns", "learner": learner, "shape": shape}
            cells.append((label, (truth[shape], 60, learner, "right")))
    found.append(run.of("tables", blend_unit, cells, run.per_shape()))
    return blend_table(pd.concat(found), ["table", "learner"])


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
    fresh = run.starting(FIRST_SEED_OF_CLASSES)
    # Forty units of right graphs leave an error of more than three points: there are 120 of them.
    right = [cell for cell in cells if cell[0]["given"] == "right"]
    wrong = [cell for cell in cells if cell[0]["given"] != "right"]
    results = pd.concat(
        [
            fresh.of("classes", class_unit, right, 3 * run.per_shape()),
            fresh.of("classes", class_unit, wrong, run.per_shape()),
        ]
    )

    def scores(cell):
        change = cell["graph"] / cell["plain"] - 1.0
        return {
            "units": len(cell),
            "plain log-loss": f"{cell['plain'].mean():.3f}",
            "blended": f"{cell['graph'].mean():.3f}",
            "graph model": f"{cell['graph model'].mean():.3f}",
            "change, %": percent(change),
            "by the independences, %": percent((cell["graph"] - cell["order"]) / cell["plain"]),
            "worst tenth, %": worst_tenth(change),
            "Brier, plain": f"{cell['plain brier'].mean():.3f}",
            "Brier, blended": f"{cell['graph brier'].mean():.3f}",
            "off by, plain": f"{cell['plain off'].mean():.3f}",
            "off by, blended": f"{cell['graph off'].mean():.3f}",
        }

    lead = (
        "60 rows. The signs are weak (a star explains 15% of each of its eleven), so that classes "
        'overlap. "Off by" is the mean distance of ten bins of probabilities from what happened.'
    )
    tables = [["given", "learner"], ["given", "learner", "shape"]]
    return "\n\n".join([lead, *(blend_table(results, by, scores) for by in tables)])


SECTIONS = {
    "Right graphs, 12 variables, 60 rows": right,
    "Wrong graphs": wrong,
    "How many rows a graph is worth": worth,
    "Hidden causes, mixed columns, uneven noise": kinds_of_tables,
    "Classification": classes,
    "Calibration of the graph's model": calibration,
}

INTRODUCTION = f"""# Does the graph help?

Made by `make learning`. Change in test loss (MSE; log-loss for classification) against the
same learner on the observed rows alone, mean over units ± standard error; below 0 is better. A unit
is a fresh random structural model (`datasets.make_sem_model`, 12 variables) with its own training
rows and 2,000 test rows. The models have the seeds {FIRST_FINAL_SEED:,} and up, those of right and
wrong graphs {FIRST_SEED_OF_BLENDS:,}, those of classes {FIRST_SEED_OF_CLASSES:,}; nothing was
chosen on them.

Every learner is blended with every default (`augmented_share="auto"`). "Boosting" is
`HistGradientBoostingRegressor(max_leaf_nodes=8, max_iter=60, min_samples_leaf=5,
early_stopping=False)`; ridge has the penalty 10 on scaled columns; the penalty of logistic
regression is chosen by three folds. *Without knowledge* is the blend that is given the complete
graph with the target last, *by the order* what it gains with the complete graph along the graph's
order, *by the independences* what the missing arrows add to that; *of which the graph* is that last
step. A worst tenth is the mean of the worst tenth of units. What new rows bring at a fixed share of
the weight is on [a page of its own](fixed_share.md).
"""


def main():
    asked = read_options(
        __doc__,
        SECTIONS,
        store="learning.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=2,
        quick="one unit per shape",
    )
    run = Run.from_options(asked)
    final = not asked.quick and asked.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "learning.md", INTRODUCTION, tuple(SECTIONS)) if final else None
    run_sections(SECTIONS, asked.only, lambda _, section: section(run), page)


if __name__ == "__main__":
    main()
