"""A small job that takes several blocks, for the tests of the engine."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

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


def environment():
    """Return the environment of a process that finds these tests, and the code that we found."""
    tests = Path(__file__).parent.parent
    folders = [str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


@dataclass(frozen=True)
class DeadlyExpansion:
    """Kills the process that grows block 3, unless a file says that this was done before."""

    marker: Path
    always: bool = False
    rows: int = 800

    def most_rows(self, n_rows):
        return self.rows

    def expand(self, model, rng):
        return self.in_blocks(model, 1).grow(0, rng)

    def in_blocks(self, model, n_blocks):
        blocks = ca.BudgetExpansion(self.rows).in_blocks(model, n_blocks)
        return DeadlyBlocks(self, blocks)


@dataclass(frozen=True)
class DeadlyBlocks:
    expansion: DeadlyExpansion
    blocks: object

    def grow(self, block, rng):
        paths = self.blocks.grow(block, rng)
        if block == 3 and (self.expansion.always or not self.expansion.marker.exists()):
            self.expansion.marker.write_text("done")
            os.kill(os.getpid(), signal.SIGKILL)
        return paths
