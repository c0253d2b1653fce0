"""Hypothesis strategies for whole problems: a small table, a graph, kernels."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import causalaug as ca
from graph_strategies import admgs
from oracles import all_paths, merge_by_value

COARSE = st.integers(-4, 4).map(lambda step: step / 4)
FINE = st.floats(-2.0, 2.0, allow_subnormal=False)
KERNELS = ["gaussian", "epanechnikov", "biweight", "triweight", "tricube"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a graph and a conditional, with the exact answer at hand."""

    frame: pd.DataFrame
    graph: ca.ADMG
    order: tuple[str, ...]
    conditional: ca.KernelConditional

    @property
    def factors(self):
        return ca.factorize(self.graph, self.order)

    @property
    def table(self):
        return ca.Table.from_frame(self.frame)

    def exact_paths(self):
        """Return {rows in column order: weight} of every path, by brute force."""
        table = self.table
        kernels = self.conditional.column_kernels(table)
        column = {name: number for number, name in enumerate(table.columns)}
        order = [column[factor.target] for factor in self.factors]
        pillows = {column[f.target]: [column[name] for name in f.pillow] for f in self.factors}
        names = [kernel.name for kernel in kernels]
        bandwidths = [kernel.bandwidth for kernel in kernels]
        return dict(all_paths(table.values, order, pillows, names, bandwidths))

    def exact_values(self):
        """Return {values: weight} of the value tree."""
        return merge_by_value(self.exact_paths(), self.table.values)

    def fit(self):
        return ca.fit_model(self.frame, self.graph, self.conditional, self.order)

    def augment(self, expansion, seed=0):
        return ca.augment(
            self.frame, self.graph, self.conditional, expansion, self.order, random_state=seed
        )


def by_rows(augmented):
    """Return {rows: weight}; no two paths may be the same."""
    keys = [tuple(row) for row in augmented.rows.tolist()]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, augmented.weights, strict=True))


def by_values(augmented):
    """Return {values: weight}, weights of equal rows added."""
    weights = {}
    for row, weight in zip(augmented.frame.to_numpy(), augmented.weights, strict=True):
        weights[tuple(row)] = weights.get(tuple(row), 0.0) + weight
    return weights


@st.composite
def conditionals(draw, columns, kernels):
    bandwidths = st.sampled_from([0.05, 0.3, 1.0, 5.0])
    return ca.KernelConditional(
        kernel={c: draw(st.sampled_from(kernels)) for c in columns},
        bandwidth={c: draw(bandwidths) for c in columns},
    )


@st.composite
def problems(draw, max_rows=5, max_nodes=4, kernels=("gaussian", "identity"), cells=None):
    """Draw a problem whose full tree is small enough for brute force."""
    graph = draw(admgs(max_nodes=max_nodes))
    n_rows = draw(st.integers(1, max_rows))
    cells = draw(st.sampled_from([COARSE, FINE])) if cells is None else cells
    column = st.lists(cells, min_size=n_rows, max_size=n_rows)
    columns = draw(st.permutations(graph.nodes))
    frame = pd.DataFrame({name: np.array(draw(column), dtype=float) for name in columns})
    order = _topological_order(draw, graph)
    return Problem(frame, graph, order, draw(conditionals(graph.nodes, list(kernels))))


def _topological_order(draw, graph):
    order, left = [], list(graph.nodes)
    while left:
        ready = [v for v in left if set(graph.parents(v)) <= set(order)]
        order.append(draw(st.sampled_from(ready)))
        left.remove(order[-1])
    return tuple(order)
