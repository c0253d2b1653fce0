"""Augment a small table by its causal graph, and ask whether that helps a predictor.

The data are simulated: the wear of a machine part, two causes of it, and four signs of it.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import causalaug as ca

GRAPH = "{alloy, load} -> wear -> {vibration, heat, noise, debris}; heat <-> noise"
TARGET = "wear"
N_ROWS = 60
N_FOLDS = 5


def simulate(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows from structural equations that have the graph above."""
    alloy = rng.choice(["brass", "steel"], n_rows)
    load = rng.normal(size=n_rows)
    wear = 0.8 * load + 1.2 * (alloy == "brass") + rng.normal(size=n_rows)
    weather = rng.normal(size=n_rows)  # hidden: the common cause of heat and noise
    return pd.DataFrame(
        {
            "alloy": alloy,
            "load": load,
            "wear": wear,
            "vibration": np.square(wear) + rng.normal(size=n_rows),
            "heat": wear + weather + rng.normal(size=n_rows),
            "noise": np.abs(wear) + weather + rng.normal(size=n_rows),
            "debris": np.exp(0.5 * wear) + rng.normal(size=n_rows),
        }
    )


def heaviest_new_rows(frame: pd.DataFrame, augmented: ca.AugmentedTable, count: int) -> str:
    """Return the heaviest rows that equal no observed row, and where their cells are from."""
    observed = set(frame.itertuples(index=False, name=None))
    rows = augmented.frame.itertuples(index=False, name=None)
    is_new = np.array([row not in observed for row in rows])
    heaviest = np.argsort(-augmented.weights * is_new, kind="stable")[:count]
    shown = augmented.frame.iloc[heaviest].assign(
        weight=augmented.weights[heaviest],
        copied_from=[" ".join(f"{i:2d}" for i in rows) for rows in augmented.rows[heaviest]],
    )
    return shown.round(4).to_string(index=False)


def describe(augmented: ca.AugmentedTable) -> Iterator[str]:
    """Yield the mass accounting, one line each."""
    yield f"rows                  {len(augmented):6d}"
    yield f"mass                  {augmented.mass:6.3f}  what the weights add up to"
    yield f"dropped mass          {augmented.dropped_mass:6.3f}  what pruning or dead ends lost"
    yield f"novel mass            {augmented.novel_mass:6.3f}  on rows that were not observed"
    yield f"effective sample size {augmented.effective_sample_size:6.1f}  in rows of equal weight"


def learner() -> Pipeline:
    """Return ridge regression that can read the alloy."""
    encoder = make_column_transformer((OneHotEncoder(), ["alloy"]), remainder="passthrough")
    return make_pipeline(encoder, Ridge())


def main() -> None:
    """Run the example and print what it shows."""
    graph = ca.read_graph(GRAPH)
    frame = simulate(N_ROWS, np.random.default_rng(0))
    augmented = ca.augment(frame, graph, random_state=0)
    print(f"Graph:   {GRAPH}")
    print(f"Factors: {' '.join(str(factor) for factor in augmented.factors[:4])}")
    print(f"         {' '.join(str(factor) for factor in augmented.factors[4:])}")
    print(f"\nThe heaviest new rows from a table of {len(frame)} rows")
    print(heaviest_new_rows(frame, augmented, count=5))
    print("copied_from: the observed row of each cell, in the order of the columns\n")
    print("\n".join(describe(augmented)))
    print(f"\nDoes the graph fit the data? {ca.check_graph(frame, graph).summary()}")
    print(f"\nDoes it help to predict {TARGET!r}? Ridge, {N_FOLDS} folds, some seconds ...\n")
    result = ca.compare(frame, graph, TARGET, learner(), n_splits=N_FOLDS, random_state=0)
    print(result.to_markdown())
    print("\nControl: the complete graph, which assumes no independence and only smooths.")
    print("Read next: README.md; docs/results/learning.md, on when it helps and when not.")


if __name__ == "__main__":
    main()
