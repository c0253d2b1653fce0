"""One split of a data set into rows to learn from and rows to be judged on."""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from causalaug.datasets import Dataset
from causalaug.graphs import ADMG
from causalaug.typing import FloatArray
from reproduction.boosting import WeightedRows


@dataclass(frozen=True, eq=False)
class Split:
    """The two parts of a data set, and the seed of whatever is random in a run on them."""

    train: pd.DataFrame
    test: pd.DataFrame
    graph: ADMG
    target: str
    seed: int

    def features_and_target(self, frame: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Return the columns as a learner takes them."""
        features = frame.drop(columns=self.target).to_numpy(dtype=np.float64)
        return features, frame[self.target].to_numpy(dtype=np.float64)

    def rows_of(self, frame: pd.DataFrame) -> WeightedRows:
        """Return rows of weight 1."""
        return WeightedRows(*self.features_and_target(frame), np.ones(len(frame)))


def paper_columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the kinds and the limits of the columns as the paper has them, for `augment`.

    Every integer is told apart from the others, and floats have no limits.

    >>> paper_columns(pd.DataFrame({"cylinders": [4, 8], "mpg": [33.5, 14.0]}))
    {'kinds': {'cylinders': 'nominal'}, 'limits': {'mpg': (None, None)}}
    """
    kinds = {name: dtype.kind for name, dtype in frame.dtypes.items()}
    return {
        "kinds": {name: "nominal" for name, kind in kinds.items() if kind in "iu"},
        "limits": {name: (None, None) for name, kind in kinds.items() if kind == "f"},
    }


def split_dataset(dataset: Dataset, name: str, fraction: float, number: int, seed: int) -> Split:
    """Return a random split; its rows depend on the four numbers and names alone.

    >>> from causalaug.datasets import make_trivariate
    >>> split = split_dataset(make_trivariate(50, random_state=0), "small", 0.3, 1, seed=0)
    >>> len(split.train), len(split.test)
    (15, 35)
    """
    key = [seed, zlib.crc32(name.encode()), round(fraction * 1e6), number]
    rng = np.random.default_rng(np.random.SeedSequence(key))
    order = rng.permutation(len(dataset))
    n_train = int(np.floor(fraction * len(dataset)))
    return Split(
        dataset.frame.iloc[order[:n_train]].reset_index(drop=True),
        dataset.frame.iloc[order[n_train:]].reset_index(drop=True),
        dataset.graph,
        dataset.target,
        int(rng.integers(2**31)),
    )
