"""Slow, obvious twins of the fast routines."""

import itertools
import math

import numpy as np


def kernel_value(name, difference, bandwidth, n_values=None):
    u = difference / bandwidth if bandwidth else (0.0 if difference == 0 else math.inf)
    if name == "gaussian":
        return math.exp(-0.5 * u * u)
    if name == "identity":
        return float(difference == 0)
    if name == "aitchison_aitken":
        return 1.0 - bandwidth if difference == 0 else bandwidth / (n_values - 1)
    if abs(u) >= 1.0:
        return 0.0
    return {
        "epanechnikov": 1 - u * u,
        "biweight": (1 - u * u) ** 2,
        "triweight": (1 - u * u) ** 3,
        "tricube": (1 - abs(u) ** 3) ** 3,
    }[name]


def conditional_weights(values, pillow, kernels, bandwidths, point):
    """Return the weight of each row given the pillow values of `point`, all zero if 0/0."""
    weights = np.ones(len(values))
    for i, j in itertools.product(range(len(values)), pillow):
        n_values = len(set(values[:, j]))
        weights[i] *= kernel_value(kernels[j], point[j] - values[i, j], bandwidths[j], n_values)
    total = weights.sum()
    return weights / total if total > 0 else weights


def all_paths(values, order, pillows, kernels, bandwidths):
    """Yield (rows in column order, weight) of all n^D paths of positive weight: Eq. (3)."""

    def grow(depth, rows, weight):
        if depth == len(order):
            yield tuple(rows[j] for j in range(len(order))), weight
            return
        j = order[depth]
        point = {k: values[rows[k], k] for k in pillows[j]}
        edges = conditional_weights(values, pillows[j], kernels, bandwidths, point)
        for i in np.flatnonzero(edges > 0):
            yield from grow(depth + 1, {**rows, j: int(i)}, weight * edges[i])

    yield from grow(0, {}, 1.0)


def dense_pruned_tree(values, order, pillows, bandwidths, theta):
    """Algorithm 1 in dense numpy, Gaussian kernels: all children of all nodes at every level."""
    n = len(values)
    rows = np.zeros((1, 0), dtype=np.int64)
    log_weights = np.zeros(1)
    position = {j: k for k, j in enumerate(order)}
    log_theta = np.log(theta) - 1e-12
    for j in order:
        log_kernel = np.zeros((len(rows), n))
        for k in pillows[j]:
            chosen = values[rows[:, position[k]], k]
            scaled = (chosen[:, np.newaxis] - values[:, k]) / bandwidths[k]
            log_kernel -= 0.5 * np.square(scaled)
        log_kernel -= log_kernel.max(axis=1, keepdims=True)
        log_edges = log_kernel - np.log(np.exp(log_kernel).sum(axis=1, keepdims=True))
        children = (log_weights[:, np.newaxis] + log_edges).ravel()
        last = np.tile(np.arange(n), len(rows))
        child_rows = np.column_stack([np.repeat(rows, n, axis=0), last])
        keep = children >= log_theta
        rows, log_weights = child_rows[keep], children[keep]
    in_columns = np.empty_like(rows)
    in_columns[:, list(order)] = rows
    return in_columns, log_weights
