"""Augment a small table from its causal graph, and see whether that helps a predictor.

The data are simulated: the wear of a machine part, what causes it, and what it causes.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline

import causalaug as ca

GRAPH = "{alloy, load} -> wear -> {vibration, heat, noise, debris}; heat <-> noise"
TARGET = "wear"
N_ROWS = 40
N_TEST_ROWS = 2000
N_TABLES = 30
SHARE = 0.5


def simulate(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows from a structural equation model with the graph above."""
    alloy = rng.choice(["brass", "steel"], n_rows)
    load = rng.normal(size=n_rows)
    wear = 0.8 * load + 1.2 * (alloy == "brass") + rng.normal(size=n_rows)
    outdoors = rng.normal(size=n_rows)  # the hidden common cause of heat and noise
    return pd.DataFrame(
        {
            "alloy": alloy,
            "load": load,
            "vibration": np.square(wear) + rng.normal(size=n_rows),
            "heat": wear + outdoors + rng.normal(size=n_rows),
            "noise": np.abs(wear) + outdoors + rng.normal(size=n_rows),
            "debris": np.exp(0.5 * wear) + rng.normal(size=n_rows),
            "wear": wear,
        }
    )


def stacked(originals: pd.DataFrame, augmented: ca.AugmentedTable, share: float):
    """Return originals and new rows together, with weights that add up to n."""
    n = len(originals)
    weights = np.concatenate(
        [np.full(n, 1.0 - share), n * share * augmented.weights / augmented.mass]
    )
    return pd.concat([originals, augmented.frame], ignore_index=True), weights


def features(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=TARGET).assign(alloy=frame["alloy"] == "brass").astype(float)


def held_out_error(learner, frame, weights, test) -> float:
    learner.fit(features(frame), frame[TARGET], sample_weight=weights)
    return float(np.mean(np.square(learner.predict(features(test)) - test[TARGET])))


def errors_of_one_table(graph, seed):
    rng = np.random.default_rng(seed)
    train, test = simulate(N_ROWS, rng), simulate(N_TEST_ROWS, rng)
    control = ca.complete_graph(graph.topological_order())
    tables = {"originals alone": (train, np.ones(N_ROWS))}
    for name, assumed in {"with the graph": graph, "with the complete graph": control}.items():
        tables[name] = stacked(train, ca.augment(train, assumed, random_state=seed), SHARE)
    learners = {"ridge": Ridge(), "boosting": GradientBoostingRegressor(random_state=0),"boosting2": GradientBoostingRegressor(random_state=0,max_depth=2)}
    return {
        (learner, name): held_out_error(learners[learner], frame, weights, test)
        for learner in learners
        for name, (frame, weights) in tables.items()
    }


if __name__ == "__main__":
    import time
    t = time.time()
    graph = ca.read_graph(GRAPH)
    print(*ca.factorize(graph))
    a = ca.augment(simulate(40, np.random.default_rng(0)), graph, random_state=0)
    print(len(a), a.mass, a.dropped_mass, a.effective_sample_size, a.novel_mass)
    errors = pd.DataFrame([errors_of_one_table(graph, s) for s in range(N_TABLES)])
    errors.columns = pd.MultiIndex.from_tuples(errors.columns)
    for l in ["ridge", "boosting", "boosting2"]:
        e = errors[l]
        for name in e:
            d = e[name] - e["originals alone"]
            print(l, name, e[name].mean(), e[name].sem(), d.mean(), d.sem())
        d = e["with the graph"] - e["with the complete graph"]
        print("g vs c", d.mean(), d.sem())
    print(time.time() - t)
