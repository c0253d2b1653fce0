"""The nearest relatives of the method, in our own terms, on simulated truth.

Writes docs/results/neighbours.md. Every unit is a fresh random structural model with 60 training
rows and 2,000 test rows. `--units` sets how many units each shape and mechanism has.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import KFold

import causalaug as ca
from causalaug.evaluation import named_learner
from sections import RESULTS, Page, run_sections
from units import draw, options, percent, ridge, to_markdown

SHAPES = ("star", "chain", "two-layer")
MECHANISMS = ("linear", "nonlinear")
N_ROWS = 60
FIRST_SEED = 900_000
SHARE = 0.5
N_FOLDS = 5
MIXTURES = np.linspace(0.0, 1.0, 11)
"""How much of the regression is in the mixture with the structural model."""

ANYWHERE = ca.ResidualConditional(temperature=float("inf"))
"""Every row may lend its residual everywhere: each factor's residuals are bootstrapped."""

WAYS = {
    "near, expected targets": {"augmented_share": SHARE},
    "anywhere, expected targets": {"augmented_share": SHARE, "conditional": ANYWHERE},
    "near, drawn targets": {"augmented_share": SHARE, "new_targets": "drawn"},
    "anywhere, drawn targets": {
        "augmented_share": SHARE,
        "conditional": ANYWHERE,
        "new_targets": "drawn",
    },
    "blend, near": {},
    "blend, anywhere": {"conditional": ANYWHERE},
}
"""Where residuals come from, and what new rows carry; each is options of the learner."""


class LinearNetwork:
    """Least squares for each variable on its parents, and the joint normal law of all of them."""

    def __init__(self, graph, target):
        self.graph, self.target = graph, target

    def fit(self, frame):
        nodes = list(self.graph.nodes)
        values = frame[nodes].to_numpy(dtype=float)
        self.mean = values.mean(axis=0)
        centred = values - self.mean
        slopes, noise = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes))
        for j, node in enumerate(nodes):
            parents = [nodes.index(each) for each in self.graph.parents(node)]
            slopes[j, parents] = np.linalg.lstsq(centred[:, parents], centred[:, j])[0]
            residuals = centred[:, j] - centred @ slopes[j]
            noise[j] = residuals @ residuals / (len(frame) - len(parents) - 1)
        total = np.linalg.inv(np.eye(len(nodes)) - slopes)
        self.covariance = (total * noise) @ total.T
        return self

    def predict(self, frame):
        nodes = list(self.graph.nodes)
        y = nodes.index(self.target)
        others = [j for j in range(len(nodes)) if j != y]
        slopes = np.linalg.solve(
            self.covariance[np.ix_(others, others)], self.covariance[others, y]
        )
        return self.mean[y] + (
            frame[nodes].to_numpy(dtype=float)[:, others] - self.mean[others]
        ) @ (slopes)


def both_predictions(network, learner, train, test):
    """Return what the network and the regression predict, one column each."""
    X, y = train.drop(columns=network.target), train[network.target]
    regression = clone(learner).fit(X, y)
    return np.column_stack(
        [network.fit(train).predict(test), regression.predict(test[list(X.columns)])]
    )


def mixture(network, learner, train, test, seed):
    """Return the predictions of the mixture that was best on held-out rows, and its share."""
    held_out = np.empty((len(train), 2))
    for fit, held in KFold(N_FOLDS, shuffle=True, random_state=seed).split(train):
        held_out[held] = both_predictions(network, learner, train.iloc[fit], train.iloc[held])
    y = train[network.target].to_numpy()
    shares = np.column_stack([1.0 - MIXTURES, MIXTURES])
    losses = np.square(held_out @ shares.T - y[:, np.newaxis]).sum(axis=0)
    best = shares[losses.argmin()]
    predicted = both_predictions(network, learner, train, test)
    return predicted @ best, float(best[1])


def loss(predicted, test, target):
    return float(np.square(predicted - test[target].to_numpy()).mean())


def residuals_unit(learner_name, shape, mechanism, seed):
    """Return the test error of a learner alone and in each of the ways."""
    model, train, test = draw(options(shape, mechanism), N_ROWS, seed)
    test, target = test.iloc[N_ROWS:], model.target
    X, y = train.drop(columns=target), train[target]
    learner = ridge()
    if learner_name == "boosting":
        learner = named_learner("boosting", X, classification=False)
    losses = {"plain": loss(clone(learner).fit(X, y).predict(test[X.columns]), test, target)}
    for name, how in WAYS.items():
        fitted = ca.AugmentedRegressor(
            clone(learner), graph=model.graph, target=target, random_state=seed, **how
        ).fit(X, y)
        losses[name] = loss(fitted.predict(test[X.columns]), test, target)
    return {"learner": learner_name, "shape": shape, "mechanism": mechanism, **losses}


def mixtures_unit(shape, mechanism, seed):
    """Return the test error of ridge regression, of the linear network, and of both."""
    model, train, test = draw(options(shape, mechanism), N_ROWS, seed)
    test, target = test.iloc[N_ROWS:], model.target
    X, y = train.drop(columns=target), train[target]
    network = LinearNetwork(model.graph, target)
    alone = both_predictions(network, ridge(), train, test)
    mixed, share = mixture(network, ridge(), train, test, seed)
    blend = ca.AugmentedRegressor(ridge(), graph=model.graph, target=target, random_state=seed)
    return {
        "shape": shape,
        "mechanism": mechanism,
        "plain": loss(alone[:, 1], test, target),
        "linear network": loss(alone[:, 0], test, target),
        "mixture": loss(mixed, test, target),
        "blend, every default": loss(blend.fit(X, y).predict(test[X.columns]), test, target),
        "regression in the mixture": share,
    }


def quietly(unit, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return unit(*arguments)


def run(asked, unit, *firsts):
    """Return one row per unit of every shape and mechanism."""
    return pd.DataFrame(
        Parallel(n_jobs=asked.jobs)(
            delayed(quietly)(unit, *firsts, shape, mechanism, FIRST_SEED + 7 * number)
            for shape in SHAPES
            for mechanism in MECHANISMS
            for number in range(asked.units)
        )
    )


def changes(results, by, names):
    """Return the change of the error against the plain learner, for each cell."""
    rows = []
    for key, cell in results.groupby(by, sort=False):
        row = dict(zip(by, key, strict=True)) | {"units": len(cell)}
        row |= {f"{name}, %": percent(cell[name] / cell["plain"] - 1.0) for name in names}
        rows.append(row)
    return to_markdown(rows)


def residuals(asked):
    found = [run(asked, residuals_unit, name) for name in ("ridge", "boosting")]
    results = pd.concat(found, ignore_index=True)
    fixed, blends = (
        [name for name in WAYS if name.startswith("blend") == is_blend]
        for is_blend in (False, True)
    )
    by = ["learner", "mechanism"]
    tables = [changes(results, by, fixed), changes(results, by, blends)]
    near = results["near, drawn targets"]
    apart = {
        name: percent((cell["anywhere, drawn targets"] - near[cell.index]) / cell["plain"])
        for name, cell in results.groupby("learner", sort=False)
    }
    words = "; ".join(f"{name} {figure}%" for name, figure in apart.items())
    return "\n\n".join([*tables, f"Anywhere less near, drawn targets: {words} of the plain error."])


def mixtures(asked):
    results = run(asked, mixtures_unit)
    names = ["linear network", "mixture", "blend, every default"]
    share = results.groupby("mechanism", sort=False)["regression in the mixture"].mean()
    words = ", ".join(f"{value:.2f} where mechanisms are {name}" for name, value in share.items())
    table = changes(results, ["mechanism"], names)
    return f"{table}\n\nThe regression's share in the mixture: {words}."


SECTIONS = {
    "Residuals from rows nearby, or from anywhere": residuals,
    "A linear structural model mixed with a regression": mixtures,
}


def introduction(units):
    return f"""# The nearest relatives of the method

Made by `benchmarks/neighbours.py`. These are re-implementations in our own terms, not the packages
and not the papers' own code; where they do worse or better here, that says something of the idea
on these models, and nothing of the packages. Change in test MSE against the same learner on the
observed rows alone, mean over units ± standard error. A unit is a fresh random structural model
(`datasets.make_sem_model`, 12 variables, no hidden causes; star, chain and two layers, {units}
models for each shape and mechanism) with {N_ROWS} training rows and 2,000 test rows, and its true
graph. The seeds are {FIRST_SEED:,} and every seventh from there. Ridge has the penalty 10 on
scaled columns, boosting is the default learner.

*Anywhere* is `ResidualConditional(temperature=inf)`: every factor's residuals are drawn from all
rows, whatever their pillow. That is Causal-Residual Bootstrapping (arXiv 2603.15335) in our terms;
with *drawn* targets new rows carry what was drawn for them, as there. *Near* is the default,
`temperature=2`: a residual comes from rows whose pillow is near. New rows hold half of the weight,
or a `Blend` decides.

*Mixture* is in the spirit of lavaan's `lavPredictY(lambda=)`: least squares for each variable on
its parents, the conditional mean of the joint normal law, and ridge regression, mixed in a ratio
that {N_FOLDS} folds choose among {len(MIXTURES)}. Linear models have Laplace noise here, of which a
normal law makes no use, while a blend can. lavaan itself mixes covariance matrices, and has
latent variables.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=3, help="units a shape and mechanism")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=[f.__name__ for f in SECTIONS.values()])
    asked = parser.parse_args()
    page = Page(RESULTS / "neighbours.md", introduction(asked.units), tuple(SECTIONS))
    run_sections(SECTIONS, asked.only, lambda _, section: section(asked), page)


if __name__ == "__main__":
    main()
