"""A small mixed problem, and problems grown in blocks, for the tests of expansions."""

from contextlib import ExitStack
from unittest.mock import patch

import pandas as pd

import causalaug as ca
from causalaug import _ragged
from causalaug.expansion import _children, _enumeration, _frontier, _trellis
from causalaug.kernels import _product
from causalaug.model import BlockJob
from strategies import by_rows

MIXED = pd.DataFrame(
    {
        "a": [0.0, 0.0, 1.0, 2.0, 2.5],
        "b": [0.3, -1.2, 0.8, 0.8, 1.9],
        "c": [1.0, 1.0, 2.0, 1.0, 2.0],
        "d": [0.1, 1.4, -0.6, 2.2, 0.9],
    }
)
GRAPH = ca.read_graph("a -> b; a -> c; {b, c} -> d; b <-> c")
CONDITIONAL = ca.KernelConditional(kernel={"c": "identity"}, bandwidth=0.7)


def in_blocks(problem, expansion, n_blocks, seed=0):
    """Return the augmented table of a problem, grown in so many blocks."""
    job = BlockJob(problem.fit(), expansion, n_blocks, seed=seed)
    return [ca.AugmentedTable(problem.table, job.grow(block), ()) for block in range(n_blocks)]


def all_by_rows(parts):
    """Return {rows: weight} of several blocks, which must have no path in common."""
    found = [by_rows(part) for part in parts]
    merged = {rows: weight for part in found for rows, weight in part.items()}
    assert len(merged) == sum(map(len, found))
    return merged


TINY = {
    (_ragged, "CHUNK"): 2,
    (_ragged, "LARGEST_KEY"): 8,
    (_frontier, "LARGEST_KEY"): 8,
    (_trellis, "BLOCK_EDGES"): 3,
    (_enumeration, "BLOCK_NODES"): 3,
    (_children, "MOST_PATHS"): 2,
    (_children, "STRIDE"): 2,
    (_product, "BLOCK_ENTRIES"): 4,
    (_product, "BATCH_QUERIES"): 3,
}
"""Constants that cut the work into blocks, so small that all of them matter."""


def patched(settings_):
    stack = ExitStack()
    for (module, name), value in settings_.items():
        stack.enter_context(patch.object(module, name, value))
    return stack
