"""A structural equation model: a law that rows can be drawn from, again and again."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator
from causalaug._validation import check_integer
from causalaug.datasets._dataset import Dataset
from causalaug.datasets._equations import Equation, Key
from causalaug.graphs import ADMG
from causalaug.typing import FloatArray, IntArray

LEVEL_NAMES = ("a", "b", "c", "d")


@dataclass(frozen=True, eq=False, repr=False)
class StructuralModel:
    """A structural equation model with its true graph; `make_sem_model` draws one.

    Rows are independent and have the same law, whichever call they come from: a model gives
    a small table to learn from and a large one to test on.

    Parameters
    ----------
    graph : ADMG
        The true graph. Each bidirected edge is a hidden variable that acts on both ends.
    target : str
        The variable to predict.
    description : str
        The kind of model, in words.
    equations : mapping of variables to equations
        How each variable, hidden ones included, comes from its causes; causes first.
    dtypes : mapping of str to {"float", "int", "bool", "category"}
        What each column holds.
    n_levels : mapping of str to int
        The number of levels of each discrete column.

    Examples
    --------
    Few rows to learn from, many to test on, all of one law:

    >>> from causalaug.datasets import make_sem_model
    >>> model = make_sem_model("star", n_variables=4, random_state=0)
    >>> train, test = model.sample(20, random_state=1), model.sample(5000, random_state=2)
    >>> train
    Dataset(20 rows of X1, X2, X3, Y; target Y; 3 edges)
    >>> test.frame.std().round(1).tolist()
    [1.0, 1.0, 1.0, 1.0]

    A longer table starts with the rows of the shorter one, so learning curves are nested:

    >>> model.sample(40, random_state=1).frame.head(20).equals(train.frame)
    True
    """

    graph: ADMG
    target: str
    description: str
    equations: Mapping[Key, Equation]
    dtypes: Mapping[str, str]
    n_levels: Mapping[str, int]

    def sample(self, n_rows: int, random_state: RandomState = None) -> Dataset:
        """Draw independent rows.

        Parameters
        ----------
        n_rows : int
            How many.
        random_state : int, Generator, RandomState, SeedSequence or None, optional
            The seed of the rows. It has nothing to do with the seed of the model.

        Returns
        -------
        Dataset
            The rows with the true graph.
        """
        check_integer("n_rows", n_rows, at_least=1)
        # The second child: the first is the one that models are drawn from.
        rng = as_generator(random_state).spawn(2)[1]
        values: dict[Key, FloatArray | IntArray] = {}
        streams = rng.spawn(len(self.equations))
        for (key, equation), stream in zip(self.equations.items(), streams, strict=True):
            values[key] = equation.draw(values, int(n_rows), stream)
        frame = pd.DataFrame({node: self._column(node, values[node]) for node in self.graph.nodes})
        return Dataset(frame, self.graph, self.target, self.description)

    def _column(self, node: str, values: FloatArray | IntArray) -> object:
        """Return values or codes as what a frame should hold."""
        match self.dtypes[node]:
            case "category":
                levels = LEVEL_NAMES[: self.n_levels[node]]
                return pd.Categorical.from_codes(values.astype(np.intp), pd.Index(levels))
            case "bool":
                return values.astype(bool)
            case "int":
                return values.astype(np.int64)
            case _:
                return values

    def __repr__(self) -> str:
        """Return the sizes and the kind."""
        return (
            f"StructuralModel({len(self.graph.nodes)} variables; target {self.target}; "
            f"{len(self.graph.directed)} directed and {len(self.graph.bidirected)} bidirected "
            f"edges; {self.description})"
        )
