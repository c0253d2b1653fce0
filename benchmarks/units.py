"""What the benchmarks of learning share: a store of units, learners, wrong graphs, statistics.

A unit is one random model (or one split of a table) with one learner and one graph: a line of
JSON in a store, so that a long run can be stopped and continued. Remove the file to start anew.
"""

import json
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.ensemble._hist_gradient_boosting import binning
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from causalaug.evaluation._rivals import GaussianProcess

BOOSTING = {
    "max_leaf_nodes": 8,
    "max_iter": 60,
    "min_samples_leaf": 5,
    "early_stopping": False,
}
TUNED = {"max_leaf_nodes": [4, 16], "max_iter": [25, 50, 100]}
PERCENTILES = np.linspace(0, 100, num=256)[1:-1]


class Store:
    """Lines of JSON, one per unit, found again by their key."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.units = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                # A line that was cut when a run was killed is done anew.
                with_key = _parsed(line)
                if with_key is not None:
                    self.units[with_key["key"]] = with_key["unit"]

    def run(self, tasks, jobs):
        """Do what the store lacks, and return the units of all tasks in their order.

        `tasks` are pairs of a dictionary, which is the key, and a call without arguments.
        """
        lacking = {}
        for label, call in tasks:
            key = json.dumps(label, sort_keys=True)
            if key not in self.units:
                lacking[key] = call
        done = Parallel(n_jobs=jobs, return_as="generator_unordered")(
            delayed(_do)(key, call) for key, call in lacking.items()
        )
        with self.path.open("a") as file:
            for key, unit in done:
                self.units[key] = unit
                file.write(json.dumps({"key": key, "unit": unit}) + "\n")
                file.flush()
        return [label | self.units[json.dumps(label, sort_keys=True)] for label, _ in tasks]


def _parsed(line):
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None


def _do(key, call):
    binning._weighted_percentile = ManyPercentiles()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return key, call()


class ManyPercentiles:
    """The bins of scikit-learn's histogram boosting, all percentiles of a column at once.

    For weighted rows it asks for 254 percentiles one by one, and sorts anew each time: most of
    the time of a fit on 1,000 rows. The thresholds are the same.
    """

    def __init__(self):
        self.asked, self.found = None, {}

    def __call__(self, array, weights, percentile, average=True):
        if self.asked is None or self.asked[0] is not array or self.asked[1] is not weights:
            self.asked = array, weights
            found = averaged_percentiles(array, weights)
            self.found = dict(zip(PERCENTILES.tolist(), found.tolist(), strict=True))
        return self.found[percentile]


def averaged_percentiles(values, weights):
    """Return `PERCENTILES` of values with weights above 0, as scikit-learn defines them.

    A percentile that falls on the step of a value is the mean of that value and the next one.
    """
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    ranks = PERCENTILES / 100 * reached[-1]
    last = len(order) - 1
    at = np.minimum(np.searchsorted(reached, ranks), last)
    here, next_one = values[order[at]], values[order[np.minimum(at + 1, last)]]
    return np.where(reached[at] - ranks > np.finfo(float).eps, here, (here + next_one) / 2)


# Models and rows.

N_TEST = 2000


def options(shape, mechanism="nonlinear", **more):
    """Return what `make_sem_model` is asked for: heavy tails where mechanisms are linear."""
    noise = "laplace" if mechanism == "linear" else "gaussian"
    return {"graph": shape, "mechanism": mechanism, "noise": noise, **more}


def draw(model_options, n, seed):
    """Return a fresh model, training rows and test rows."""
    model = ca.datasets.make_sem_model(**model_options, random_state=seed)
    return model, *(model.sample(m, random_state=seed + 10**6).frame for m in (n, n + N_TEST))


# Learners.


def ridge():
    return make_pipeline(StandardScaler(), Ridge(10.0))


def plain_rivals():
    """The plain learners, of which cross-validation takes the best."""
    return {
        "ridge": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))),
        "Gaussian process": make_pipeline(StandardScaler(), GaussianProcess(random_state=0)),
        "forest": RandomForestRegressor(200, random_state=0),
        "boosting": HistGradientBoostingRegressor(**BOOSTING),
    }


def best_plain(X, y):
    """Return the name and the plain learner with the least squared error in five folds."""
    rivals = plain_rivals()
    scores = {
        name: cross_val_score(each, X, y, cv=5, scoring="neg_mean_squared_error").mean()
        for name, each in rivals.items()
    }
    best = max(scores, key=scores.get)
    return best, rivals[best]


def learner_of(name, X, y, *, classification=False):
    """Return the user's learner; a tuned one is tuned on the plain rows, by three folds."""
    if classification:
        if name == "logistic":
            plain = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            strengths = {"logisticregression__C": np.logspace(-3, 2, 6).tolist()}
            search = GridSearchCV(plain, strengths, cv=3, scoring="neg_log_loss")
            return search.fit(X, y).best_estimator_
        return HistGradientBoostingClassifier(**BOOSTING)
    if name == "ridge":
        return ridge()
    boosting = HistGradientBoostingRegressor(**BOOSTING)
    if name == "boosting":
        return boosting
    if name == "tuned boosting":
        return GridSearchCV(boosting, TUNED, cv=3).fit(X, y).best_estimator_
    return best_plain(X, y)[1]


# Graphs.


def wrong_graph(kind, graph, seed):
    """Return a graph that is wrong: another model's, shuffled names, one arrow turned or gone."""
    rng = np.random.default_rng(seed)
    nodes, edges = list(graph.nodes), list(graph.directed)
    if kind == "another model's":
        options = {"graph": "random", "n_variables": len(nodes)}
        other = ca.datasets.make_sem_model(**options, random_state=seed + 1).graph
        names = dict(zip(other.nodes, rng.permutation(nodes).tolist(), strict=True))
        return ca.ADMG(nodes, [(names[a], names[b]) for a, b in other.directed])
    if kind == "shuffled":
        names = dict(zip(nodes, rng.permutation(nodes).tolist(), strict=True))
        return ca.ADMG(nodes, [(names[a], names[b]) for a, b in edges])
    change = with_missing if kind == "one edge missing" else with_reversed
    return change(graph, 1, rng)


def with_missing(graph, n_edges, rng):
    """Return the graph without so many of its arrows."""
    edges = list(graph.directed)
    kept = np.sort(rng.permutation(len(edges))[n_edges:])
    return ca.ADMG(graph.nodes, [edges[number] for number in kept])


def with_reversed(graph, n_edges, rng):
    """Return the graph with so many arrows turned, or as many as make no cycle."""
    nodes, edges = graph.nodes, list(graph.directed)
    for number in rng.permutation(len(edges)):
        if n_edges == 0:
            break
        turned = [*edges[:number], edges[number][::-1], *edges[number + 1 :]]
        try:
            ca.ADMG(nodes, turned)
        except ca.exceptions.CyclicGraphError:
            continue
        edges, n_edges = turned, n_edges - 1
    return ca.ADMG(nodes, edges)


# Statistics.


def percent(ratios):
    """Return the mean with its standard error, of changes that are given as shares."""
    change = 100.0 * np.asarray(ratios, dtype=float)
    error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else float("nan")
    return f"{change.mean():+.1f} ± {error:.1f}"


def worst_tenth(ratios):
    """Return the mean of the worst tenth, in percent."""
    change = np.sort(100.0 * np.asarray(ratios, dtype=float))
    return f"{change[-max(len(change) // 10, 1) :].mean():+.1f}"


def worst(ratios):
    return f"{100.0 * np.max(ratios):+.1f}"


def to_markdown(rows):
    header = list(rows[0])
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(row[name]) for name in header) + " |" for row in rows]
    return "\n".join(lines)
