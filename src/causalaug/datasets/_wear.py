"""The wear of a machine part, its causes and its signs: simulated, with a column of text."""

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator
from causalaug._validation import check_integer
from causalaug.datasets._dataset import Dataset
from causalaug.graphs import read_graph

GRAPH = "{alloy, load} -> wear -> {vibration, heat, noise, debris}; heat <-> noise"


def make_machine_wear(n_rows: int = 60, *, random_state: RandomState = None) -> Dataset:
    """Draw rows of an example with mixed columns: the wear of a machine part and its signs.

    The alloy and the load cause the wear, which shows in four signs, some of them curved. The
    weather, which nobody recorded, changes heat and noise alike.

    Parameters
    ----------
    n_rows : int, optional
        How many rows.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.

    Returns
    -------
    Dataset
        The text column alloy, the numbers load, wear, vibration, heat, noise and debris; the
        target wear; the graph with a bidirected edge between heat and noise.

    Examples
    --------
    >>> parts = make_machine_wear(random_state=0)
    >>> print(parts.graph)  # doctest: +NORMALIZE_WHITESPACE
    ADMG of alloy, load, wear, vibration, heat, noise, debris: alloy -> wear, load -> wear,
    wear -> vibration, wear -> heat, wear -> noise, wear -> debris, heat <-> noise
    >>> sorted(parts.frame["alloy"].unique())
    ['brass', 'steel']
    """
    check_integer("n_rows", n_rows, at_least=1)
    rng = as_generator(random_state)
    size = int(n_rows)
    alloy = rng.choice(["brass", "steel"], size)
    load = rng.normal(size=size)
    wear = 0.8 * load + 1.2 * (alloy == "brass") + rng.normal(size=size)
    weather = rng.normal(size=size)  # hidden: the common cause of heat and noise
    frame = pd.DataFrame(
        {
            "alloy": alloy,
            "load": load,
            "wear": wear,
            "vibration": np.square(wear) + rng.normal(size=size),
            "heat": wear + weather + rng.normal(size=size),
            "noise": np.abs(wear) + weather + rng.normal(size=size),
            "debris": np.exp(0.5 * wear) + rng.normal(size=size),
        }
    )
    description = (
        "Simulated: the wear of a machine part, two causes of it, and four signs of it. The "
        "graph is the true one; the weather, a common cause of heat and noise, is hidden."
    )
    return Dataset(frame, read_graph(GRAPH, format="arrows"), "wear", description)
