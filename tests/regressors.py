"""Means for residual conditionals that say what they do."""

import numpy as np


class Zero:
    """Predicts 0: a residual is the value itself."""

    def fit(self, inputs, target, sample_weight=None):
        return self

    def predict(self, inputs):
        return np.zeros(len(inputs))


class HalfSum:
    """Predicts half the sum of the inputs, whatever it was fitted to."""

    def fit(self, inputs, target, sample_weight=None):
        return self

    def predict(self, inputs):
        return 0.5 * inputs.sum(axis=1)


class Unweighted:
    """Predicts 0, and cannot be given weights."""

    def fit(self, inputs, target):
        return self

    def predict(self, inputs):
        return np.zeros(len(inputs))
