"""Slow, obvious twins of the fast routines."""

import math

import numpy as np


def log_kernel_value(name, difference, bandwidth, n_values):
    """Return the log-kernel of one pair of values, up to a constant."""
    if name == "identity" or bandwidth == 0.0:
        return 0.0 if difference == 0 else -math.inf
    if name == "aitchison_aitken":
        return math.log(1.0 - bandwidth if difference == 0 else bandwidth / (n_values - 1))
    u = difference / bandwidth
    if name == "gaussian":
        return -0.5 * u * u
    if abs(u) >= 1.0:
        return -math.inf
    return {
        "epanechnikov": math.log(1 - u * u),
        "biweight": 2 * math.log(1 - u * u),
        "triweight": 3 * math.log(1 - u * u),
        "tricube": 3 * math.log(1 - abs(u) ** 3),
    }[name]


def conditional_log_weights(values, pillow, kernels, bandwidths, point):
    """Return the log-weight of each row given the pillow values of `point`; all -inf if 0/0."""
    logs = []
    for row in values:
        terms = [
            log_kernel_value(kernels[j], point[j] - row[j], bandwidths[j], len(set(values[:, j])))
            for j in pillow
        ]
        logs.append(math.fsum(terms) if -math.inf not in terms else -math.inf)
    heaviest = max(logs)
    if heaviest == -math.inf:
        return logs
    log_total = heaviest + math.log(math.fsum(math.exp(log - heaviest) for log in logs))
    return [log - log_total for log in logs]


def all_paths(values, order, pillows, kernels, bandwidths):
    """Yield (rows in column order, weight) of all n^D paths that are not zero: Eq. (3)."""

    def grow(depth, rows, log_weight):
        if depth == len(order):
            yield tuple(rows[j] for j in range(len(order))), math.exp(log_weight)
            return
        j = order[depth]
        point = {k: values[rows[k], k] for k in pillows[j]}
        edges = conditional_log_weights(values, pillows[j], kernels, bandwidths, point)
        for i, edge in enumerate(edges):
            if edge > -math.inf:
                yield from grow(depth + 1, {**rows, j: i}, log_weight + edge)

    yield from grow(0, {}, 0.0)


def merge_by_value(paths, values):
    """Return {values: weight} from {rows: weight}, weights of equal values added."""
    merged = {}
    for rows, weight in paths.items():
        key = tuple(values[i, j] for j, i in enumerate(rows))
        merged[key] = merged.get(key, 0.0) + weight
    return merged


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
