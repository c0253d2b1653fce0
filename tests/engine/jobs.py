"""A small job that takes several blocks, for the tests of the engine."""

import numpy as np
import pandas as pd

import causalaug as ca

GRAPH = ca.read_graph("sex -> size -> weight_kg; sex -> shoe")


def make_frame(n_rows=60):
    rng = np.random.default_rng(0)
    sex = rng.integers(2, size=n_rows)
    size = 165.0 + 12.0 * sex + 7.0 * rng.normal(size=n_rows)
    return pd.DataFrame(
        {
            "sex": pd.Categorical.from_codes(sex, ["female", "male"]),
            "size": size,
            "weight_kg": (0.9 * size - 90.0 + 6.0 * rng.normal(size=n_rows)).astype(np.float32),
            "shoe": np.rint(38 + 4 * sex + rng.normal(size=n_rows)).astype(np.int16),
        }
    )


def job(**options):
    """Return the arguments of a job of eight blocks."""
    options = {"expansion": ca.BudgetExpansion(800), "random_state": 5, **options}
    return {"frame": make_frame(), "graph": GRAPH, "block_rows": 100, **options}


def content(folder):
    """Return the bytes of every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
