"""Slow, obvious twins of the fast routines."""

import decimal
import math
from decimal import Decimal

import numpy as np


def log_kernel_value(name, difference, bandwidth, n_values):
    """Return the log-kernel of one pair of values, up to a constant.

    `name` is that of one of ours, or anybody's function of the difference.
    """
    if callable(name):
        return name(difference)
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


def exact_log_kernels(values, kernels, point, row_weights=None):
    """Return the log-kernel of each row in 40-digit arithmetic, None where it vanishes.

    `kernels` are pairs of name and bandwidth, one per column. Of the rows that match exactly
    where they must, those with the fewest mismatches in the columns called "nearest" serve.
    """
    with decimal.localcontext(prec=40):
        logs = [
            _sum_or_none(
                _exact_log_kernel(*kernel, Decimal(q), Decimal(z), {*map(Decimal, column)})
                for kernel, q, z, column in zip(kernels, point, row, values.T, strict=True)
            )
            for row in values
        ]
        if row_weights is not None:
            heaviest = Decimal(max(row_weights))
            factors = [(Decimal(weight) / heaviest).ln() for weight in row_weights]
            logs = [log if log is None else log + f for log, f in zip(logs, factors, strict=True)]
    counts = [count_mismatches(row, kernels, point) for row in values]
    fewest = min(counts)
    return [log if count == fewest else None for log, count in zip(logs, counts, strict=True)]


def count_mismatches(row, kernels, point):
    """Return in how many of the columns called "nearest" a row differs, inf if it must not."""
    count = 0
    for (name, bandwidth), q, z in zip(kernels, point, row, strict=True):
        if q != z and name == "nearest":
            count += 1
        elif q != z and (name == "identity" or bandwidth == 0.0):
            return math.inf
    return count


def exact_log_weights(values, kernels, point, row_weights=None):
    """Return the log-weight of each row, from 40-digit arithmetic; all -inf if 0/0."""
    logs = exact_log_kernels(values, kernels, point, row_weights)
    with decimal.localcontext(prec=40):
        heaviest = max((log for log in logs if log is not None), default=None)
        if heaviest is None:
            return np.full(len(values), -np.inf)
        total = sum((log - heaviest).exp() for log in logs if log is not None)
        log_total = heaviest + total.ln()
        return np.array([-math.inf if log is None else float(log - log_total) for log in logs])


def weights_with_rare_mismatches(values, kernels, point, epsilon):
    """Return the weight of each row, if every mismatch of a "nearest" column costs `epsilon`."""
    weights = []
    for row in values:
        weight = 1.0
        for (name, bandwidth), q, z, column in zip(kernels, point, row, values.T, strict=True):
            if name == "nearest":
                weight *= 1.0 if q == z else epsilon
            else:
                weight *= math.exp(log_kernel_value(name, q - z, bandwidth, len(set(column))))
        weights.append(weight)
    total = math.fsum(weights)
    return [weight / total if total > 0.0 else 0.0 for weight in weights]


def _exact_log_kernel(name, bandwidth, query, value, column):
    h, difference = Decimal(bandwidth), query - value
    if name == "nearest":
        return Decimal(0)
    if name == "identity" or not bandwidth or (name == "aitchison_aitken" and len(column) < 2):
        return None if difference else Decimal(0)
    if name == "aitchison_aitken":
        return (h / (len(column) - 1) if difference else 1 - h).ln()
    if name == "li_racine":
        apart = _rank(query, sorted(column)) - _rank(value, sorted(column))
        return abs(apart) * min(h, Decimal(1)).ln()
    u = abs(difference / h)
    if name == "gaussian":
        return -u * u / 2
    if u >= 1:
        return None
    inner, outer = {"epanechnikov": (2, 1), "biweight": (2, 2), "triweight": (2, 3)}.get(
        name, (3, 3)
    )
    return outer * (1 - u**inner).ln()


def _rank(value, distinct):
    """Return the rank among sorted values, between two of them in proportion."""
    below = [number for number, each in enumerate(distinct) if each <= value]
    if not below or below[-1] == len(distinct) - 1:
        return Decimal(below[-1] if below else 0)
    low, high = distinct[below[-1]], distinct[below[-1] + 1]
    return below[-1] + (value - low) / (high - low)


def _sum_or_none(terms):
    terms = list(terms)
    return None if None in terms else sum(terms, Decimal(0))


def all_lent_paths(values, order, pillows, kernels, bandwidths, lend, row_weights=None):
    """Yield (rows, cells, weight) of all paths, where row i lends ``lend[j](pillow, i)`` at j.

    `kernels` and `bandwidths` have one list per variable j. A variable that is not in `lend`
    is copied. Row weights multiply the kernels.
    """
    log_rows = np.zeros(len(values)) if row_weights is None else np.log(row_weights)

    def grow(depth, rows, cells, log_weight):
        if depth == len(order):
            columns = range(len(order))
            yield tuple(rows[j] for j in columns), tuple(cells[j] for j in columns), log_weight
            return
        j = order[depth]
        given = conditional_log_weights(values, pillows[j], kernels[j], bandwidths[j], cells)
        if max(given) == -math.inf:
            return
        edges = [edge + log_row for edge, log_row in zip(given, log_rows, strict=True)]
        log_total = math.log(math.fsum(map(math.exp, edges)))
        for i, edge in enumerate(edges):
            if edge > -math.inf:
                pillow = [cells[k] for k in pillows[j]]
                cell = lend[j](pillow, i) if j in lend else values[i, j]
                child = log_weight + edge - log_total
                yield from grow(depth + 1, {**rows, j: i}, {**cells, j: cell}, child)

    for rows, cells, log_weight in grow(0, {}, {}, 0.0):
        yield rows, cells, math.exp(log_weight)


def slow_ridge(design, target, weights, penalty):
    """Return coefficients and intercept of ``sum w (y - b - x c)^2 + penalty |c|^2``."""
    n_features = design.shape[1]
    extended = np.column_stack([design, np.ones(len(design))])
    root = np.sqrt(weights)[:, np.newaxis]
    penalties = np.diag([np.sqrt(penalty)] * n_features + [0.0])
    left = np.vstack([root * extended, penalties])
    right = np.concatenate([root[:, 0] * target, np.zeros(n_features + 1)])
    solution = np.linalg.lstsq(left, right, rcond=None)[0]
    return solution[:-1], solution[-1]


def left_out_error(design, target, weights, penalty):
    """Return the weighted squared error of rows that are left out one at a time: n refits."""
    errors = []
    for i in range(len(target)):
        others = np.arange(len(target)) != i
        slope, intercept = slow_ridge(design[others], target[others], weights[others], penalty)
        errors.append(weights[i] * (target[i] - design[i] @ slope - intercept) ** 2)
    return math.fsum(errors)


def first_within_one_error_of_the_best(losses, weights):
    """Return the first setting that is not worse than the best by more than one error."""
    n_rows, n_settings = losses.shape
    share = [weight / math.fsum(weights) for weight in weights]
    means = [math.fsum(share[i] * losses[i, k] for i in range(n_rows)) for k in range(n_settings)]
    best = means.index(min(means))
    n_effective = 1.0 / math.fsum(s * s for s in share)
    for k in range(n_settings):
        above = [losses[i, k] - losses[i, best] for i in range(n_rows)]
        mean = math.fsum(s * a for s, a in zip(share, above, strict=True))
        variance = math.fsum(s * (a - mean) ** 2 for s, a in zip(share, above, strict=True))
        if mean <= math.sqrt(variance / max(n_effective - 1.0, 1.0)):
            return k
    raise AssertionError("the best is within any error of itself")


def published_tree(values, factors, bandwidths, theta, *, multiply):
    """Return {row values: weight} as the published code makes them, one path at a time.

    `factors` are pairs of a column and its pillow. Kernels are products of doubles, 0 / 0 is 0,
    paths below `theta` end, and leaves of equal values multiply or add.
    """

    def kernel(path, i, pillow):
        product = 1.0
        for k in pillow:
            difference = path[k] - values[i, k]
            if bandwidths[k] == 0.0:
                product *= float(difference == 0.0)
            else:
                product *= math.exp(-(difference**2) / (2 * bandwidths[k] ** 2)) / math.sqrt(
                    2 * math.pi
                )
        return product

    paths = [({}, 0.0)]
    for j, pillow in factors:
        grown = []
        for path, log_weight in paths:
            kernels = [kernel(path, i, pillow) for i in range(len(values))]
            total = math.fsum(kernels)
            for i, k in enumerate(kernels):
                edge = k / total if total > 0.0 else 0.0
                if edge > 0.0 and log_weight + math.log(edge) >= math.log(theta) - 1e-12:
                    grown.append(({**path, j: values[i, j]}, log_weight + math.log(edge)))
        paths = grown
    logs = {}
    for path, log_weight in paths:
        logs.setdefault(tuple(path[j] for j in range(len(path))), []).append(log_weight)
    if multiply:
        return {row: math.exp(math.fsum(each)) for row, each in logs.items()}
    return {row: math.fsum(map(math.exp, each)) for row, each in logs.items()}


def dense_plain_tree(values, factors, bandwidths, theta):
    """The published tree in dense numpy, Gaussian kernels in plain floats.

    `factors` are pairs of a column and its pillow. All children of all nodes are materialised
    at every level. Returns rows in column order, and log-weights.
    """
    n = len(values)
    rows = np.zeros((1, 0), dtype=np.int64)
    log_weights = np.zeros(1)
    position = {j: k for k, (j, _) in enumerate(factors)}
    for _, pillow in factors:
        kernel = np.ones((len(rows), n))
        for k in pillow:
            difference = values[rows[:, position[k]], k][:, np.newaxis] - values[:, k]
            kernel *= np.exp(-np.square(difference) / (2 * bandwidths[k] ** 2))
            kernel /= np.sqrt(2 * np.pi)
        total = kernel.sum(axis=1, keepdims=True)
        edges = np.divide(kernel, total, where=total > 0.0, out=np.zeros_like(kernel))
        with np.errstate(divide="ignore"):
            children = (log_weights[:, np.newaxis] + np.log(edges)).ravel()
        child_rows = np.column_stack([np.repeat(rows, n, axis=0), np.tile(np.arange(n), len(rows))])
        keep = children >= np.log(theta) - 1e-12
        rows, log_weights = child_rows[keep], children[keep]
    in_columns = np.empty_like(rows)
    in_columns[:, [j for j, _ in factors]] = rows
    return in_columns, log_weights


def merge_by_product(values, rows, log_weights):
    """Return the distinct rows of values as they first appear, and the products of weights."""
    cells = np.column_stack([values[rows[:, j], j] for j in range(values.shape[1])])
    distinct, first, group = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    products = np.exp(np.bincount(group.ravel(), log_weights, minlength=len(distinct)))
    appearance = np.argsort(first)
    return distinct[appearance], products[appearance]


def slow_pillow(graph, node, order):
    """Return the Markov pillow by its definition, in the subgraph up to the node."""
    so_far = list(order[: list(order).index(node) + 1])
    district = {node}
    while True:
        near = {v for pair in graph.bidirected for v in pair if district & set(pair)}
        grown = district | (near & set(so_far))
        if grown == district:
            break
        district = grown
    parents = {a for a, b in graph.directed if b in district}
    return tuple(v for v in so_far if v in (district | parents) - {node})


def slow_order(graph):
    """Return the topological order: each time the first node whose parents are all there."""
    order = []
    while len(order) < len(graph.nodes):
        order.append(
            next(
                v
                for v in graph.nodes
                if v not in order and all(a in order for a, b in graph.directed if b == v)
            )
        )
    return tuple(order)


def slow_mb_shielded(graph):
    """Return whether no two nodes without an edge are in each other's Markov blanket."""
    joined = {frozenset(edge) for edge in (*graph.directed, *graph.bidirected)}

    def blanket(node):
        district = graph.district(node)
        return {*district, *graph.parents(district)} - {node}

    return all(
        frozenset((a, b)) in joined or a not in blanket(b)
        for a in graph.nodes
        for b in graph.nodes
        if a != b
    )


def back_off(rows, query, n_levels, strength, share):
    """Return the probabilities of levels given a tuple: the recursion, as it is written.

    Rows are (tuple, level, weight); with more columns than are crossed it is another one.
    """

    def given(columns):
        seen = [0.0] * n_levels
        for values, level, weight in rows:
            if all(values[j] == query[j] for j in columns):
                seen[level] += weight
        total = sum(seen)
        if not columns:
            even = 1.0 / n_levels
            return [(1 - share) * (c / total if total else even) + share * even for c in seen]
        shorter = [given([k for k in columns if k != j]) for j in columns]
        mean = [math.fsum(each) / len(columns) for each in zip(*shorter, strict=True)]
        pairs = zip(seen, mean, strict=True)
        return [(c + strength * m) / (total + strength) for c, m in pairs]

    return given(list(range(len(query))))
