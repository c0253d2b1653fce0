"""What is a graph worth that is partly wrong? Edges missing, reversed, too many; only an order.

Writes docs/results/partial_graphs.md. A unit is a fresh random model with 60 training rows and
2,000 test rows, one graph and one learner; all graphs and learners get the same models. Records are
kept in a file, so that a run can be stopped and continued. `--models foreign` draws models that the
library did not make. `--compare BEFORE AFTER` prints the paired differences of two such files.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

import causalaug as ca
from causalaug.estimators import default_booster
from records import (
    RIVALS,
    Benchmark,
    against,
    fitted,
    log_ratio,
    run,
    table,
    trusting,
    with_rivals,
)
from units import (
    N_TEST,
    best_plain,
    draw,
    learner_of,
    options,
    percent,
    with_missing,
    with_reversed,
    wrong_graph,
)

FIRST_FINAL_SEED = 6_500_000
"""Seeds from 6,000,000 on are for choosing."""
UNITS = 40
N_ROWS = 60
SHAPES = ("star", "chain", "two-layer", "random")
MECHANISMS = {"simulated": ("linear", "nonlinear"), "foreign": ("waves",)}
GRAPHS = (
    "right",
    "a quarter missing",
    "half missing",
    "half too many",
    "a quarter reversed",
    "order only",
    "shuffled",
)
LEARNERS = ("ridge", "boosting", "graph model")
CELL = ["mechanism", "graph", "learner"]
KEY = [*CELL, "seed"]


# Models that the library did not make.

N_FOREIGN = 9
EDGE = 0.3
"""The probability of an edge: ten or eleven of them."""
NOISE = 0.5
"""The scale of the noise, where the signal has variance 1."""
FREEDOM = 4
"""Degrees of freedom of Student's t."""
FAR = 3.0
"""Squares end at so many standard deviations: those of t would leave one row the whole error."""
WAVES = (
    lambda x: np.sin(2.0 * x),
    lambda x: np.tanh(2.0 * x),
    lambda x: np.square(np.clip(x, -FAR, FAR)),
)


@dataclass(frozen=True)
class Drawn:
    """A graph, its target, and rows of its model to learn from and to be judged by."""

    graph: ca.ADMG
    target: str
    train: pd.DataFrame
    test: pd.DataFrame


def simulated(mechanism, seed):
    """Return a model of the library; the shapes take turns."""
    shape = SHAPES[seed % len(SHAPES)]
    model, train, test = draw(options(shape, mechanism), N_ROWS, seed)
    return Drawn(model.graph, model.target, train, test.iloc[N_ROWS:])


def foreign(seed):
    """Return a random DAG of sums of waves, steps and squares of the causes, with t noise."""
    rng = np.random.default_rng(seed)
    names = [f"V{number}" for number in range(N_FOREIGN)]
    order = rng.permutation(N_FOREIGN)
    arrows = np.triu(rng.random((N_FOREIGN, N_FOREIGN)) < EDGE, 1)
    arrows[0, 1] |= not arrows.any()
    rows = np.empty((N_ROWS + N_TEST, N_FOREIGN))
    edges = []
    for place, node in enumerate(order):
        causes = order[:place][arrows[:place, place]]
        edges += [(names[cause], names[node]) for cause in causes]
        noise = rng.standard_t(FREEDOM, len(rows)) / np.sqrt(FREEDOM / (FREEDOM - 2))
        rows[:, node] = noise
        if len(causes):
            signal = sum(
                rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 1.5) * scaled(wave(rows[:, cause]))
                for cause, wave in zip(causes, rng.choice(WAVES, len(causes)), strict=True)
            )
            rows[:, node] = scaled(scaled(signal) + NOISE * noise)
    frame = pd.DataFrame(rows, columns=names)
    target = str(rng.choice(sorted({name for edge in edges for name in edge})))
    return Drawn(ca.ADMG(names, edges), target, frame[:N_ROWS], frame[N_ROWS:])


def scaled(values):
    return (values - values.mean()) / values.std()


def model_of(mechanism, seed):
    return foreign(seed) if mechanism in MECHANISMS["foreign"] else simulated(mechanism, seed)


# Graphs.


def given_graph(kind, graph, seed):
    """Return what a user may give instead of the right graph; `kind` is one of `GRAPHS`."""
    rng = np.random.default_rng(seed)
    n_edges = len(graph.directed)
    quarter, half = max(round(n_edges / 4), 1), max(round(n_edges / 2), 1)
    if kind == "right":
        return graph
    if kind == "order only":
        return ca.complete_graph(graph.topological_order())
    if kind == "half too many":
        return with_more(graph, half, rng)
    if kind == "a quarter reversed":
        return with_reversed(graph, quarter, rng)
    if kind == "shuffled":
        return wrong_graph(kind, graph, seed)
    return with_missing(graph, quarter if kind == "a quarter missing" else half, rng)


def with_more(graph, n_edges, rng):
    """Return the graph with so many more arrows along its order, or as many as there is room."""
    every = ca.complete_graph(graph.topological_order()).directed
    others = [edge for edge in every if edge not in graph.directed]
    added = rng.permutation(len(others))[:n_edges]
    return ca.ADMG(graph.nodes, [*graph.directed, *(others[number] for number in added)])


# Units.


def plain_unit(mechanism, seed):
    """Return the test MSE of the plain learners, and of the best of them by five folds."""
    drawn = model_of(mechanism, seed)
    X, y = drawn.train.drop(columns=drawn.target), drawn.train[drawn.target]
    chosen, best = best_plain(X, y)
    plain = {"best plain": best} | {name: plain_learner(name, X, y) for name in LEARNERS[:2]}
    losses = {name: test_loss(each.fit(X, y), drawn) for name, each in plain.items()}
    return losses | {"best plain is": chosen}


def plain_learner(name, X, y):
    """Return the learner of the user; boosting is what is used where none is given."""
    if name == "boosting":
        return default_booster(len(X), classification=False).set_params(random_state=0)
    return learner_of(name, X, y)


def graph_unit(mechanism, graph, learner, seed, **more):
    """Return the test MSE of a learner that is given a graph, and its seconds."""
    drawn = model_of(mechanism, seed)
    X, y = drawn.train.drop(columns=drawn.target), drawn.train[drawn.target]
    more |= {
        "graph": given_graph(graph, drawn.graph, seed),
        "target": drawn.target,
        "random_state": seed,
    }
    if learner == "graph model":
        asked = ca.GraphRegressor(**more)
    else:
        asked = ca.AugmentedRegressor(plain_learner(learner, X, y), **more)
    learnt, seconds = fitted(asked, X, y)
    return {"loss": test_loss(learnt, drawn), "seconds": seconds}


def test_loss(learnt, drawn):
    asked, truth = drawn.test.drop(columns=drawn.target), drawn.test[drawn.target].to_numpy()
    return float(np.square(np.asarray(learnt.predict(asked)) - truth).mean())


def tasks_of(asked):
    """Return keys and calls, model by model, so that a run that is stopped has balanced cells."""
    tasks = []
    for seed in range(asked.first_seed, asked.first_seed + asked.units):
        for mechanism in (each for models in asked.models for each in MECHANISMS[models]):
            key = {"mechanism": mechanism, "seed": seed}
            tasks.append((key | {"learner": RIVALS}, partial(plain_unit, **key)))
            for graph in asked.graphs:
                for learner in asked.learners:
                    named = key | {"graph": graph, "learner": learner} | trusting(asked)
                    tasks.append((named, partial(graph_unit, **named)))
    return tasks


# Tables.


def results_of(asked):
    """Return one line per unit: its loss, and those of its rivals and of the right graph."""
    unit = ["mechanism", "seed"]
    results = with_rivals(run(asked, tasks_of(asked)), unit)
    results["plain"] = np.nan
    for name in LEARNERS[:2]:
        results["plain"] = results["plain"].mask(results["learner"] == name, results[name])
    right = results.loc[results["graph"] == "right", [*unit, "learner", "loss"]]
    results = results.merge(
        right.rename(columns={"loss": "right graph"}), on=[*unit, "learner"], how="left"
    )
    results["shape"] = [SHAPES[seed % len(SHAPES)] for seed in results["seed"]]
    return results


def columns_of(cell):
    behind = log_ratio(cell["loss"], cell["right graph"])
    return (
        against(cell, "best plain")
        | against(cell, "plain")
        | {
            "against the right graph": percent(behind) if np.isfinite(behind).all() else "",
            "seconds": f"{cell['seconds'].mean():.1f}",
        }
    )


def section(results):
    """Return the tables of one source of models."""
    tables = [table(results, CELL, columns_of)]
    if set(results["mechanism"]) <= set(MECHANISMS["simulated"]):
        tables += ["By shape:", table(results, ["shape", *CELL], by_shape)]
    return "\n\n".join(tables)


def by_shape(cell):
    return {
        title: shown
        for rival in ("best plain", "plain")
        for title, shown in against(cell, rival).items()
        if "tenth" not in title
    }


TITLES = {"simulated": "Simulated models", "foreign": "Models of nine variables, t noise, waves"}

INTRODUCTION = f"""# What a graph is worth that is partly wrong

Made by `make partial-graphs`. 100 log(MSE / MSE of a rival) on 2,000 fresh rows, mean over units ±
standard error; below 0 is better, -50 is 39% less error. A unit is a fresh random model with
{N_ROWS} training rows. *Simulated models* are those of `datasets.make_sem_model`, 12 variables;
star, chain, two-layer and random in turns. The others are written in the benchmark: a random DAG of
{N_FOREIGN} variables, each a sum of waves, steps and squares of its causes, with noise of Student's
t with {FREEDOM} degrees of freedom. The seeds are {FIRST_FINAL_SEED:,} and up, on which nothing was
chosen.

*Missing*: so many of the edges are left out. *Too many*: half as many edges are added, along a
true order. *Reversed*: so many edges are turned around, as far as no cycle comes of it. *Order
only*: the complete graph along a true order. *Shuffled*: the right graph with the names of its
variables permuted.

The best plain learner is chosen by five folds among ridge, Gaussian process, forest and boosting.
*Plain* is the learner itself on the observed rows: ridge has the penalty 10 on scaled columns,
boosting is the learner of `AugmentedRegressor` when none is given. The graph model is
`GraphRegressor` with every default. The worst tenth is the mean of the worst tenth of units.
"""


def sections(asked):
    """Yield title and tables of each source of models."""
    results = results_of(asked)
    for models in asked.models:
        part = results[results["mechanism"].isin(MECHANISMS[models])]
        if not part.empty:
            yield TITLES[models], section(part)


BENCHMARK = Benchmark(
    name="partial_graphs",
    introduction=INTRODUCTION,
    titles=tuple(TITLES.values()),
    first_seed=FIRST_FINAL_SEED,
    units=UNITS,
    choices={"models": tuple(MECHANISMS), "graphs": GRAPHS, "learners": LEARNERS},
    cell=CELL,
    key=KEY,
)

if __name__ == "__main__":
    BENCHMARK.main(__doc__, sections)
