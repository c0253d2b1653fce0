"""Random tables through every public function: dtypes stay, mass is there or reported."""

from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.diagnostics import moved_mass
from causalaug.discovery import augment_average
from causalaug.engine import stream_batches
from causalaug.exceptions import CausalAugError
from causalaug.table import missing_cells
from fuzz.cases import FoundError

MASS_SLACK = 1e-9
"""How far sums of weights may be off by rounding."""

NAMES = ["a", "b", "y", "x y", "Größe", "0", "dose_1"]


def _normal(rng, n_rows):
    return np.array([rng.gauss(0.0, 1.0) for _ in range(n_rows)])


def _floats(rng, n_rows):
    scale = rng.choice([1.0, 1.0, 1.0, 1e-8, 1e6, 1e50, 1e-200, 1e200, 1e308])
    with np.errstate(over="ignore"):
        cells = _normal(rng, n_rows) * scale
        cells = np.round(cells, 1) if rng.random() < 0.3 else cells
        return pd.Series(cells, dtype=rng.choice(["float64", "float64", "float32"]))


def _odd_floats(rng, n_rows):
    odd = [0.0, -0.0, 1.0, 5e-324, 1.7e308, -1e308, float("inf"), float("nan"), 2.0**53, 0.1]
    return pd.Series(rng.choices(odd, k=n_rows), dtype="float64")


def _integers(rng, n_rows):
    dtype = rng.choice(["int64", "int8", "uint8", "int16", "Int64", "uint64"])
    most = rng.choice([1, 3, 100])
    return pd.Series([rng.randint(0, most) for _ in range(n_rows)], dtype=dtype)


def _huge_integers(rng, n_rows):
    return pd.Series([rng.choice([2**62, 2**63 - 1, -(2**63), 0, 1]) for _ in range(n_rows)])


def _constants(rng, n_rows):
    return pd.Series([rng.choice([0.0, 1e-300, 3, "only", True])] * n_rows)


def _words(rng, n_rows):
    cells = rng.choices(["low", "high", "", "é", "a\x00b", "1", "nan", "<b>"], k=n_rows)
    return pd.Series(cells, dtype=rng.choice(["object", "string"]))


def _categories(rng, n_rows):
    levels = ["low", "mid", "high"]
    cells = pd.Categorical(rng.choices(levels, k=n_rows), levels, ordered=rng.random() < 0.5)
    return pd.Series(cells)


def _booleans(rng, n_rows):
    return pd.Series(
        [rng.random() < 0.5 for _ in range(n_rows)], dtype=rng.choice([bool, "boolean"])
    )


def _times(rng, n_rows):
    days = [rng.randint(0, 5000) for _ in range(n_rows)]
    start = pd.Timestamp("2001-02-03", tz=rng.choice([None, "UTC", "Europe/Berlin"]))
    return pd.Series([start + timedelta(days=day) for day in days])


def _objects(rng, n_rows):
    made = rng.choice(
        [
            lambda: Decimal(rng.randint(0, 99)) / 10,
            lambda: date(2001, 1, rng.randint(1, 28)),
            lambda: timedelta(hours=rng.randint(0, 50)),
            lambda: rng.choice([1, "a", 2.5, None, True, (1, 2)]),
            lambda: rng.choice([1, 2.5]),
            lambda: [1],
            lambda: 10**400,
        ]
    )
    return pd.Series([made() for _ in range(n_rows)], dtype=object)


def _with_holes(rng, n_rows):
    column = rng.choice([_floats, _integers, _words, _categories, _times])(rng, n_rows)
    column = column.astype(object) if column.dtype.kind in "iu" else column
    column[[rng.random() < 0.3 for _ in range(n_rows)]] = None
    return column


COLUMNS = [_floats] * 6 + [_integers] * 4 + [_categories] * 3 + [_booleans] * 2 + [_words] * 2
COLUMNS += [_times] * 2 + [_odd_floats, _huge_integers, _constants, _objects, _with_holes]


NUMERIC = [_floats, _integers, _booleans, _floats]


def draw_table(rng, sorts=COLUMNS):
    """Return a frame of some library, and a graph of its columns."""
    n_rows = rng.choice([1, 2, 3, 5, 8, 12, 20])
    names = rng.sample(NAMES, rng.randint(1, 4))
    frame = pd.DataFrame({name: rng.choice(sorts)(rng, n_rows) for name in names})
    order = rng.sample(names, len(names))
    pairs = [(a, b) for number, b in enumerate(order) for a in order[:number]]
    directed = [pair for pair in pairs if rng.random() < 0.5]
    bidirected = [pair for pair in pairs if rng.random() < 0.15]
    return _as_library(rng, frame), ca.ADMG(names, directed, bidirected)


def _as_library(rng, frame):
    library = rng.choice(["pandas"] * 4 + ["index", "polars", "arrow", "array"])
    if library == "index":
        return frame.set_axis(rng.choices(range(-2, 9), k=len(frame)), axis=0)
    try:
        if library == "polars":
            return pl.from_pandas(frame)
        if library == "arrow":
            return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return frame  # what the library cannot hold
    return frame.to_numpy() if library == "array" else frame


def _dtypes(frame):
    if isinstance(frame, pd.DataFrame):
        return list(frame.dtypes)
    if isinstance(frame, np.ndarray):
        return frame.dtype
    return frame.schema.types if isinstance(frame, pa.Table) else frame.dtypes


def check_dtypes(before, after):
    if type(before) is not type(after) or _dtypes(before) != _dtypes(after):
        raise FoundError(
            f"dtypes {_dtypes(before)} became {_dtypes(after)} ({type(after).__name__})"
        )


def check_weights(weights, total, what):
    weights = np.asarray(weights)
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise FoundError(f"weights that are negative or not finite {what}")
    if abs(weights.sum() - total) > MASS_SLACK * max(total, 1.0):
        raise FoundError(f"weights that sum to {weights.sum()} and not to {total} {what}")


def draw_conditional(rng):
    return rng.choice(
        [
            None,
            ca.KernelConditional(),
            ca.KernelConditional(kernel="epanechnikov"),
            ca.KernelConditional(discrete_kernel="identity"),
            ca.KernelConditional(bandwidth=rng.choice([1e-3, 1.0, 1e3, 1e-300])),
            ca.ResidualConditional(),
        ]
    )


def draw_expansion(rng):
    return rng.choice(
        [
            None,
            ca.BudgetExpansion(rng.choice([1, 10, 40])),
            ca.BudgetExpansion(20, merge_equal=False),
            ca.SampledExpansion(rng.choice([1, 30])),
            ca.BeamExpansion(rng.choice([1, 20])),
            ca.PrunedExpansion(rng.choice([1e-3, 0.1, 1.0, 5.0]), merge_equal=rng.random() < 0.7),
            ca.PrunedExpansion(0.0, max_rows=3000),
        ]
    )


def draw_weights(rng, n_rows):
    if rng.random() < 0.6:
        return None
    first = 10.0 ** rng.uniform(*rng.choice([(-1, 1), (-9, 9), (-300, 300)]))
    return np.array([first, *(10.0 ** rng.uniform(-1, 1) for _ in range(n_rows - 1))])


def augments(rng):
    """New rows have the dtypes of the data, and all mass is there or reported."""
    frame, graph = draw_table(rng)
    weights = draw_weights(rng, len(frame))
    found = ca.augment(
        frame,
        graph,
        draw_conditional(rng),
        draw_expansion(rng),
        sample_weight=weights,
        random_state=rng.randint(0, 99),
        block_rows=rng.choice([None, None, None, 7]),
    )
    check_dtypes(frame, found.frame)
    check_weights(found.weights, 1.0 - found.dropped_mass, "in new rows")
    total = len(frame) if weights is None else float(weights.sum())
    if len(found):
        rows, mixed = found.mixed(rng.choice([0.0, 0.3, 0.5, 1.0]))
        check_dtypes(frame, rows)
        check_weights(mixed, total, "in the mixture")
        merged = found.merged()
        check_dtypes(frame, merged.frame)
        check_weights(merged.weights, found.weights.sum(), "in merged rows")
    if not 0.0 <= found.novel_mass <= 1.0 + MASS_SLACK:
        raise FoundError(f"a novel mass of {found.novel_mass}")
    if len(graph.nodes) > 1 and len(found):
        moved_mass(found)
    found.to_html()


def asks_a_model(rng):
    """Densities are no NaN where cells are there, and predictions are distributions."""
    frame, graph = draw_table(rng)
    conditional = draw_conditional(rng) if rng.random() < 0.8 else "auto"
    model = ca.fit_model(frame, graph, conditional, sample_weight=draw_weights(rng, len(frame)))
    density = model.log_density(frame).to_numpy()
    if np.isposinf(density).any():
        raise FoundError("an infinite density")
    target = rng.choice(graph.nodes)
    prediction = model.predict(target, frame)
    if prediction.probabilities is None:
        low, middle, high = (prediction.quantile(level) for level in (0.1, 0.5, 0.9))
        if not ((low <= middle) & (middle <= high)).all():
            raise FoundError("quantiles that are not in order")
        if not np.isfinite(prediction.mean).all():
            raise FoundError("a mean that is not finite")
    elif np.abs(prediction.probabilities.sum(axis=1) - 1.0).max() > MASS_SLACK:
        raise FoundError("probabilities that do not sum to one")
    prediction.sample(2, 0)


def completes(rng):
    """Holes are filled, in the dtypes of the frame; each row keeps its weight."""
    frame, graph = draw_table(rng, [_with_holes, _with_holes, *COLUMNS])
    model = ca.fit_model(frame, graph, draw_conditional(rng))
    other = _with_other_dtype(rng, frame)
    found = model.complete(other, copies=rng.choice([1, 2]), random_state=0)
    check_dtypes(other, found.frame)
    check_weights(found.weights, len(other), "in completed rows")
    missing = [each.any() for each in missing_cells(found.frame, graph.nodes).values()]
    if any(missing):
        raise FoundError(f"holes are left in {found.frame}")


def _with_other_dtype(rng, frame):
    """Return the frame, perhaps with a column in another dtype."""
    if not isinstance(frame, pd.DataFrame) or rng.random() < 0.6:
        return frame
    name = rng.choice(list(frame.columns))
    dtype = rng.choice(["float32", "Int8", "Int64", "boolean", "object", "string", "category"])
    try:
        return frame.astype({name: dtype})
    except (TypeError, ValueError, OverflowError, RuntimeWarning):
        return frame  # what the dtype cannot hold


def checks_a_graph(rng):
    """Every p-value is one."""
    frame, graph = draw_table(rng)
    found = ca.check_graph(frame, graph)
    p_values = found.frame["p_value"].dropna().to_numpy(dtype=float)
    if ((p_values < 0.0) | (p_values > 1.0)).any():
        raise FoundError(f"p-values {p_values}")
    str(found)


def _features_and_target(rng, sorts=COLUMNS):
    frame, graph = draw_table(rng, sorts)
    while not isinstance(frame, pd.DataFrame | pl.DataFrame) or frame.shape[1] < 2:
        frame, graph = draw_table(rng, sorts)
    target = rng.choice(list(frame.columns))
    features = frame.drop(columns=target) if isinstance(frame, pd.DataFrame) else frame.drop(target)
    return features, frame[target], graph, target


def fits_a_graph_learner(rng):
    """The learners that are the graph's model fit and predict."""
    features, y, graph, target = _features_and_target(rng)
    kind = rng.choice([ca.GraphRegressor, ca.GraphClassifier])
    learner = kind(graph, target=target, conditional=draw_conditional(rng))
    learner.fit(features, y, sample_weight=draw_weights(rng, len(y)))
    predicted = learner.predict(_other_features(rng, features))
    if kind is ca.GraphRegressor and not np.isfinite(predicted).all():
        raise FoundError("a prediction that is not finite")


def _other_features(rng, features):
    """Return the features, perhaps without a column, with one more, in another order or dtype."""
    if not isinstance(features, pd.DataFrame) or rng.random() < 0.5:
        return features
    name = rng.choice(list(features.columns))
    return rng.choice(
        [
            lambda: features.drop(columns=name),
            lambda: features.assign(more=1.0),
            lambda: features[list(features.columns)[::-1]],
            lambda: features.astype({name: object}),
            lambda: features.assign(**{name: "word"}),
            lambda: features.assign(**{name: pd.Timestamp("2001-02-03")}),
            lambda: features.rename(columns={name: f"{name}_"}),
            lambda: features.iloc[:0],
            lambda: features.to_numpy(),
        ]
    )()


class ComplaintError(CausalAugError):
    """What the learner inside says of data that it cannot take: its own affair."""


def _own(call, *data, **options):
    try:
        return call(*data, **options)
    except Exception as error:
        raise ComplaintError(str(error)[:200]) from error


class _CarefulRidge(Ridge):
    def fit(self, X, y, sample_weight=None):
        return _own(super().fit, X, y, sample_weight)

    def predict(self, X):
        return _own(super().predict, X)


class _CarefulClassifier(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        return _own(super().fit, X, y, sample_weight)

    def predict(self, X):
        return _own(super().predict, X)

    def predict_proba(self, X):
        return _own(super().predict_proba, X)


def fits_a_learner(rng):
    """So do learners with new rows; another learner's own complaint about words is an answer."""
    features, y, graph, target = _features_and_target(rng, rng.choice([NUMERIC, COLUMNS]))
    is_regression = rng.random() < 0.5
    learner = (
        ca.AugmentedRegressor(_CarefulRidge(), graph=graph)
        if is_regression
        else ca.AugmentedClassifier(_CarefulClassifier(max_iter=5), graph=graph)
    )
    learner.set_params(
        target=target,
        augmented_share=0.5,
        conditional=draw_conditional(rng) or ca.KernelConditional(),
        expansion=ca.BudgetExpansion(20),
        random_state=0,
        new_targets=rng.choice(["drawn", "auto"]),
    )
    learner.fit(features, y, sample_weight=draw_weights(rng, len(y)))
    learner.predict(_other_features(rng, features))


def resamples(rng):
    """Rows of equal weight have the dtypes of the data."""
    features, y, graph, target = _features_and_target(rng)
    more, _ = ca.CausalAugmenter(
        graph=graph, target=target, conditional=draw_conditional(rng), random_state=0
    ).fit_resample(features, y)
    check_dtypes(features, more)


def averages_and_streams(rng):
    """Averages over graphs and endless batches keep dtypes and mass."""
    frame, graph = draw_table(rng)
    if rng.random() < 0.5:
        found = augment_average(frame, [graph, ca.complete_graph(graph.nodes)], random_state=0)
        check_dtypes(frame, found.frame)
        check_weights(found.weights, 1.0 - found.dropped_mass, "in an average")
        return
    stream = stream_batches(frame, graph, batch_rows=5, random_state=0)
    rows, weights = next(iter(stream))
    check_dtypes(frame, rows)
    if not np.isfinite(weights).all():
        raise FoundError("weights of a batch that are not finite")


def compares(rng):
    """A comparison has finite figures; it fits many learners, and is tried seldom."""
    frame, graph = draw_table(rng)
    target = rng.choice(graph.nodes)
    found = ca.compare(
        frame,
        graph,
        target,
        n_splits=2,
        conditional=ca.KernelConditional(),
        augmented_share=0.5,
        random_state=0,
    )
    if not np.isfinite([found.total.change, found.total.standard_error]).all():
        raise FoundError(f"a gain of {found.total}")
    found.to_markdown()
