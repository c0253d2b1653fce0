"""Rows to learn from, and learners, conditionals and expansions that keep a record."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import causalaug as ca

GRAPH = ca.read_graph("a -> y -> b; y -> c")


def rows_of_regression(n_rows=24, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    y = a + 0.5 * rng.normal(size=n_rows)
    X = pd.DataFrame({"a": a, "b": y + rng.normal(size=n_rows), "c": -y + rng.normal(size=n_rows)})
    return X, pd.Series(y, name="y")


def rows_of_classification(n_rows=30, classes=("no", "yes"), seed=0):
    X, y = rows_of_regression(n_rows, seed)
    quantiles = np.linspace(0.0, 1.0, len(classes) + 1)[1:-1]
    positions = np.searchsorted(np.quantile(y, quantiles), y)
    return X, pd.Series(np.array(classes)[positions], name="y")


class Recorder(RegressorMixin, BaseEstimator):
    """Predicts the weighted mean, and keeps what it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weights_ = X, np.asarray(y), np.asarray(sample_weight)
        self.mean_ = np.average(self.y_, weights=sample_weight)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class RecorderOfClasses(ClassifierMixin, BaseEstimator):
    """Predicts the heaviest class, and keeps what it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weights_ = X, np.asarray(y), np.asarray(sample_weight)
        self.classes_ = np.unique(self.y_[self.weights_ > 0.0])
        return self

    def predict(self, X):
        totals = [self.weights_[self.y_ == each].sum() for each in self.classes_]
        return np.full(len(X), self.classes_[np.argmax(totals)])


@dataclass
class Spy:
    """A conditional that keeps the tables it was fitted to."""

    inner: object = field(default_factory=ca.KernelConditional)
    tables: list = field(default_factory=list)

    def fit(self, table, factors):
        self.tables.append(table)
        return self.inner.fit(table, factors)
