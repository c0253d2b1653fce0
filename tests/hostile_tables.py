"""Tables on which a prediction may go astray, and what no prediction may do.

Long tails, counts, rare causes and outliers, joined by sums, products and exponentials.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import causalaug as ca

SPANS = 3.0
"""How many spans of the rows a prediction may lie beyond them."""

TIMES = 2.0
"""How much larger than that of the mean, or of the plain learner if it is worse, a test error may
be."""

FEWEST_ROWS = 30
"""With fewer rows nothing is said about test errors."""


def _noise(rng, n):
    """Return noise of one of several families, of scale 1."""
    family = rng.integers(6)
    if family == 0:
        return rng.normal(size=n)
    if family == 1:
        return rng.lognormal(0.0, rng.uniform(0.5, 1.5), n)
    if family == 2:
        return rng.pareto(rng.uniform(1.5, 4.0), n)
    if family == 3:
        return rng.poisson(rng.uniform(0.5, 20.0), n).astype(float)
    if family == 4:
        return np.where(rng.random(n) < rng.uniform(0.8, 0.97), 0.0, rng.exponential(size=n))
    outlying = rng.random(n) < 0.03
    return np.where(outlying, rng.uniform(10.0, 100.0, n), 1.0) * rng.normal(size=n)


def _mechanism(rng, causes, noise):
    """Return an effect: a sum, a product, or an exponential of its causes and a noise."""
    strength = rng.uniform(-1.5, 1.5, len(causes))
    if not causes:
        return noise
    standard = [each / (np.abs(each).mean() + 1e-9) for each in causes]
    total = sum(s * each for s, each in zip(strength, standard, strict=True))
    way = rng.integers(4)
    if way == 0:
        return total + noise
    if way == 1:
        return np.exp(np.clip(total, -8.0, 8.0)) * (0.1 + np.abs(noise))
    if way == 2:
        return np.prod([np.abs(each) ** 0.5 for each in standard], axis=0) * noise
    return np.floor(np.exp(np.clip(0.5 * total, -5.0, 8.0)) + np.abs(noise))


def draw_table(seed, n_rows):
    """Return a graph, a target and rows, of which some are to be learnt from and some are asked."""
    rng = np.random.default_rng(seed)
    names = [f"v{number}" for number in range(int(rng.integers(2, 7)))]
    edges, columns = [], {}
    for place, name in enumerate(names):
        size = int(rng.integers(0, min(place, 3) + 1))
        causes = rng.choice(names[:place], size, replace=False).tolist() if size else []
        edges += [(cause, name) for cause in causes]
        columns[name] = _mechanism(rng, [columns[c] for c in causes], _noise(rng, n_rows))
    frame = pd.DataFrame(columns)
    for name in names:
        if rng.random() < 0.1:
            frame[name] = frame[name].round()
    return ca.ADMG(names, directed=edges), str(rng.choice(names)), frame


def plain_line(X):
    """Return the plain linear learner, for columns of any kind."""
    words = make_column_selector(dtype_exclude="number")
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        remainder="passthrough",
    )
    return make_pipeline(coded, StandardScaler(), RidgeCV(np.logspace(-3, 3, 13)))


def far_outside(X, factor=10.0):
    """Return rows whose numbers lie so many times as far from their median."""
    numbers = X.select_dtypes("number")
    return X.assign(**(numbers.median() + factor * (numbers - numbers.median())))


def absurdities(learner, X, y, asked, truth):
    """Return what is wrong with the predictions of a learner, as a list of sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X, y)
        line = plain_line(X).fit(X, y)
        # A blend may go as far as the learner that it was given.
        own = clone(getattr(learner, "estimator", plain_line(X))).fit(X, y)
        found = []
        for where, rows in {
            "inside": asked,
            "far outside": far_outside(asked),
            "farther": far_outside(asked, 1e3),
        }.items():
            predicted, straight, plain = (each.predict(rows) for each in (learner, line, own))
            room = SPANS * np.ptp(y)
            wrong = ~np.isfinite(predicted)
            wrong |= (predicted > y.max() + room) & (np.maximum(straight, plain) <= y.max() + room)
            wrong |= (predicted < y.min() - room) & (np.minimum(straight, plain) >= y.min() - room)
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                found.append(
                    f"{where}: predicted {predicted[at]:.4g}, the line {straight[at]:.4g}, rows "
                    f"from {y.min():.4g} to {y.max():.4g}"
                )
        errors = {
            name: float(np.square(each - truth).mean())
            for name, each in {
                "learner": learner.predict(asked),
                "mean": np.full(len(truth), y.mean()),
                "plain": own.predict(asked),
            }.items()
        }
        if len(y) >= FEWEST_ROWS and errors["learner"] > TIMES * max(
            errors["mean"], errors["plain"]
        ):
            found.append(
                f"test error {errors['learner']:.4g}, of the mean {errors['mean']:.4g}, of the "
                f"plain learner {errors['plain']:.4g}"
            )
    return found
