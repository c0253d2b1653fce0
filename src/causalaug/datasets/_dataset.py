"""A table together with its causal graph and the variable to predict."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from causalaug._validation import check_columns_exist, check_same_variables
from causalaug.graphs import ADMG


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table, its causal graph, the variable to predict, and where all that comes from.

    Parameters
    ----------
    frame : pandas DataFrame
        The rows. Its columns are the nodes of the graph, in any order.
    graph : ADMG
        The causal graph.
    target : str
        The column that is to be predicted.
    description : str
        What the rows are, where they come from, and what was done to them.

    Examples
    --------
    >>> from causalaug.datasets import make_trivariate
    >>> dataset = make_trivariate(50, random_state=0)
    >>> dataset
    Dataset(50 rows of X1, X2, Y; target Y; 2 edges)
    >>> list(dataset.X), dataset.y.name
    (['X1', 'X2'], 'Y')
    """

    frame: pd.DataFrame
    graph: ADMG
    target: str
    description: str = field(default="")

    def __post_init__(self) -> None:
        """Check that graph, frame and target fit together."""
        check_same_variables(self.graph.nodes, list(self.frame.columns))
        check_columns_exist("target", [self.target], list(self.frame.columns))

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802  the name that scikit-learn's users expect
        """The columns to predict from."""
        return self.frame.drop(columns=self.target)

    @property
    def y(self) -> "pd.Series[Any]":
        """The column to predict."""
        return self.frame[self.target]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.frame)

    def __repr__(self) -> str:
        """Return the sizes and names, not the rows."""
        names = list(map(str, self.frame.columns))
        shown = ", ".join(names if len(names) <= 8 else [*names[:3], "...", names[-1]])
        n_edges = len(self.graph.directed) + len(self.graph.bidirected)
        return f"Dataset({len(self)} rows of {shown}; target {self.target}; {n_edges} edges)"
