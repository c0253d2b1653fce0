"""Whether intervals of a blend hold what they say, and whether its probabilities do.

Writes docs/results/intervals.md. A unit is a fresh random structural model with its right graph or
one whose names are shuffled, training rows, and 1,000 test rows. `--quick` runs one unit per shape.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

import causalaug as ca
from causalaug.estimators._intervals import ends_of, quantiles_of_errors
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import draw, learner_of, options, percent, to_markdown, worst, wrong_graph

FIRST_FINAL_SEED = 1_700_000
N_TEST = 1_000
LEVEL = 0.9
SHAPES = ("star", "chain", "two-layer", "random")
MECHANISMS = ("nonlinear", "linear")
CLASS_SIGNALS = {"star": 0.15, "chain": 0.75, "two-layer": 0.5, "random": 0.5}
"""How much of a variable its causes explain: eleven strong signs would part the classes."""
LEAST, MOST = np.log(0.1), np.log(10.0)


class Judged:
    """Keeps what a blend said of held-out rows."""

    def _keep_errors(self, observed, judged, weights, model):
        super()._keep_errors(observed, judged, weights, model)
        self.judged_ = judged.blended(weights), judged.target, judged.row_weights


class Regressor(Judged, ca.AugmentedRegressor):
    """The regressor, which keeps them."""


class Classifier(Judged, ca.AugmentedClassifier):
    """The classifier, which keeps them."""


def unit(n, learner, given, shape, mechanism, seed, holes=0.0, uneven=False):
    """Return how often intervals hold the targets of test rows, and how wide they are."""
    model, train, test = draw(options(shape, mechanism, heteroscedastic=uneven), n, seed)
    test, target = test.iloc[n : n + N_TEST], model.target
    graph = model.graph if given == "right" else wrong_graph(given, model.graph, seed)
    X, y = train.drop(columns=target), train[target]
    asked, truth = test.drop(columns=target), test[target].to_numpy()
    asked = asked.mask(np.random.default_rng(seed).random(asked.shape) < holes)
    chosen = learner_of(learner, X, y)
    blend = Regressor(chosen, graph=graph, target=target, random_state=seed).fit(X, y)
    said = {
        "blend": blend.predict_interval(asked, LEVEL),
        "graph model": quantiles_of_model(blend, target, asked),
        "even": even_interval(blend, asked),
    }
    unsure = np.diff(said["graph model"])[:, 0]
    unsure = unsure >= np.quantile(unsure, 2 / 3)
    found = {}
    for name, (low, high) in ((name, each.T) for name, each in said.items()):
        inside = (low <= truth) & (truth <= high)
        found[f"{name} covered"] = float(inside.mean())
        found[f"{name} covered where unsure"] = float(inside[unsure].mean())
        found[f"{name} width"] = float((high - low).mean() / truth.std())
    return found


def quantiles_of_model(blend, target, asked):
    prediction = blend.model_.predict(target, asked)
    return np.column_stack([prediction.quantile(p) for p in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)])


def even_interval(blend, asked):
    """Return intervals of one width, by the quantiles of the held-out errors as they are."""
    said, target, weights = blend.judged_
    ends = quantiles_of_errors(target - said, weights, np.array(ends_of(LEVEL)))
    return blend.predict(asked)[:, np.newaxis] + ends


def run(settings, section, cells, call, n_units):
    """Return one row per unit; a cell is what `call` is asked for but the model.

    All shapes and mechanisms take turns. Units come before cells, so that a run that is stopped
    has about as many of each cell.
    """
    tasks = []
    for number in range(n_units):
        shape = SHAPES[number % len(SHAPES)]
        mechanism = MECHANISMS[number // len(SHAPES) % len(MECHANISMS)]
        for cell in cells:
            seed = settings.first_seed + 7 * number
            key = {**cell, "shape": shape, "mechanism": mechanism, "seed": seed}
            tasks.append(({"section": section, **key}, partial(call, **key)))
    return pd.DataFrame(settings.store.run(tasks, settings.jobs))


def table(results, by, columns):
    rows = [
        dict(zip(by, key, strict=True)) | columns(cell)
        for key, cell in results.groupby(by, sort=False)
    ]
    return to_markdown(rows)


def coverage(cell):
    def share(name):
        return percent(cell[name]).lstrip("+")

    return {
        "units": len(cell),
        "covered, %": share("blend covered"),
        "where unsure, %": share("blend covered where unsure"),
        "width": f"{cell['blend width'].mean():.2f}",
        "of one width: covered, %": share("even covered"),
        "where unsure, % ": share("even covered where unsure"),
        "width ": f"{cell['even width'].mean():.2f}",
        "graph model: covered, %": share("graph model covered"),
        "width  ": f"{cell['graph model width'].mean():.2f}",
    }


def cells_of(learner, **more):
    return [
        {"n": n, "learner": learner, "given": given, **more}
        for n in (60, 200)
        for given in ("right", "shuffled")
    ]


def intervals(settings):
    """Rows like the observed ones."""
    cells = [*cells_of("ridge"), *cells_of("boosting")]
    results = run(settings, "intervals", cells, unit, n_units(settings))
    ordered = results.sort_values("learner", ascending=False, kind="stable")
    return table(ordered, ["learner", "n", "given"], coverage)


def unlike(settings):
    """Rows of which less is known than of those that were held out, and uneven noise."""
    both = []
    for name, more in {
        "40% of the new cells missing": {"holes": 0.4},
        "uneven noise": {"uneven": True},
    }.items():
        cells = cells_of("ridge", **more)
        found = run(settings, name, cells, unit, n_units(settings))
        both.append(found.assign(rows=name))
    return table(pd.concat(both), ["rows", "n", "given"], coverage)


def n_units(settings):
    return len(SHAPES) if settings.quick else settings.units


def tempered(probabilities, power):
    """Return probabilities whose logarithms are multiplied by a number."""
    logs = power * np.log(np.maximum(probabilities, 1e-9))
    raised = np.exp(logs - logs.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def best_power(probabilities, target, weights, classes):
    """Return the power that makes held-out labels likeliest."""
    own = np.searchsorted(classes, target)

    def loss(log_power):
        said = tempered(probabilities, np.exp(log_power))[np.arange(len(own)), own]
        return float(-weights @ np.log(np.maximum(said, 1e-9)))

    return float(np.exp(minimize_scalar(loss, bounds=(LEAST, MOST), method="bounded").x))


def class_unit(n, learner, given, shape, mechanism, seed):
    """Return log-loss and calibration error of a blend as it is, and tempered."""
    model, train, test = draw(
        options(shape, mechanism, dtypes={"Y": "bool"}, signal=CLASS_SIGNALS[shape]), n, seed
    )
    test, target = test.iloc[n : n + N_TEST], model.target
    graph = model.graph if given == "right" else wrong_graph(given, model.graph, seed)
    X, y = train.drop(columns=target), train[target]
    asked, truth = test.drop(columns=target), test[target].to_numpy()
    chosen = learner_of(learner, X, y, classification=True)
    blend = Classifier(chosen, graph=graph, target=target, random_state=seed).fit(X, y)
    power = best_power(*blend.judged_, blend.classes_)
    said = blend.predict_proba(asked)
    found = {"power": power}
    for name, each in {
        "blend": said,
        "tempered": tempered(said, power),
        "softened": tempered(said, min(power, 1.0)),
    }.items():
        own = np.where(truth, each[:, 1], each[:, 0])
        found[f"{name} loss"] = float(-np.log(np.maximum(own, 1e-9)).mean())
        found[f"{name} off"] = calibration_error(each[:, 1], truth)
    return found


def calibration_error(yes, truth):
    """Return how far ten bins of probabilities are from what happened, on average."""
    bins = np.minimum((10 * yes).astype(int), 9)
    gaps = [abs(yes[bins == b].sum() - truth[bins == b].sum()) for b in range(10)]
    return float(np.sum(gaps) / len(yes))


def probabilities(settings):
    """Probabilities of classes, as they are and by temperature."""
    cells = [
        {"n": 60, "learner": learner, "given": given}
        for learner in ("logistic", "boosting")
        for given in ("right", "shuffled")
    ]
    results = run(settings, "classes", cells, class_unit, n_units(settings))

    def scores(cell):
        change, softer = (
            cell[f"{name} loss"] / cell["blend loss"] - 1.0 for name in ("tempered", "softened")
        )
        return {
            "units": len(cell),
            "log-loss": f"{cell['blend loss'].mean():.3f}",
            "off by": f"{cell['blend off'].mean():.3f}",
            "any power: log-loss, %": percent(change),
            "worst unit, %": worst(change),
            "off by ": f"{cell['tempered off'].mean():.3f}",
            "at most 1: log-loss, %": percent(softer),
            "worst unit, % ": worst(softer),
            "off by  ": f"{cell['softened off'].mean():.3f}",
            "median power": f"{cell['power'].median():.2f}",
        }

    lead = (
        "60 rows, classes that overlap. *Off by* is the mean distance of ten bins of probabilities "
        "from what happened. Temperature scaling multiplies the blend's log-probabilities by one "
        "power, the one that makes the labels of held-out rows likeliest: any, or at most 1, which "
        "can only soften. Changes are against `predict_proba` as it is, which has no temperature. "
        "Any power does harm where a few held-out rows ask for a sharp one; one of at most 1 helps "
        "boosting with shuffled graphs, and neither helps nor clearly harms elsewhere."
    )
    return f"{lead}\n\n{table(results, ['learner', 'given'], scores)}"


SECTIONS = {
    "Intervals": intervals,
    "Holes in new rows, uneven noise": unlike,
    "Probabilities of classes": probabilities,
}

INTRODUCTION = f"""# Intervals and probabilities

Made by `benchmarks/intervals.py`. How many of {N_TEST:,} test rows lie within the nine in ten
intervals of `AugmentedRegressor.predict_interval`, mean over units ± standard error, and how wide
these are, in standard deviations of the target. A unit is a fresh random structural model
(`datasets.make_sem_model`, 12 variables) of the seeds {FIRST_FINAL_SEED:,} and up, with its own
training rows; a shuffled graph has the right shape and wrong names. Rows are *unsure* if they
are in the third whose intervals are widest by the graph's own model. *Of one width* are intervals
by the same held-out errors, without the scale that the graph's model gives each row; the *graph
model* has quantiles of its own (`GraphRegressor.predict_quantile`). Boosting and ridge are those of
[Does the graph help?](learning.md).
"""


def main():
    asked = read_options(
        __doc__,
        SECTIONS,
        store="intervals.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=1,
        quick="one unit per shape",
        units=12,
    )
    settings = Settings.from_options(asked)
    final = not asked.quick and asked.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "intervals.md", INTRODUCTION, tuple(SECTIONS)) if final else None
    run_sections(SECTIONS, asked.only, lambda _, section: section(settings), page)


if __name__ == "__main__":
    main()
