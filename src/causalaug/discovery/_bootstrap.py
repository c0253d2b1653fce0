"""How often each edge is found when the rows are drawn anew."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator, new_seed
from causalaug._validation import check_integer
from causalaug.discovery._discover import Finder, make_finder
from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._members import allowed_arrows, open_arrows
from causalaug.discovery._methods import Sample
from causalaug.discovery._pag import PAG
from causalaug.exceptions import TableError
from causalaug.table import KindName

OUTCOMES = ("->", "<-", "<->", "open", "absent")


def bootstrap_edges(
    frame: Any,
    method: str = "direct-lingam",
    *,
    n_bootstrap: int = 100,
    knowledge: Knowledge | None = None,
    kinds: Mapping[str, KindName] | None = None,
    alpha: float = 0.05,
    test: str = "auto",
    random_state: RandomState = None,
    callback: Callable[[int, int], object] | None = None,
    map_: Callable[..., Iterable[PAG]] = map,
) -> pd.DataFrame:
    """Return how often each edge is found on rows that are drawn anew with replacement.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The rows, without missing values.
    method : {"direct-lingam", "pc", "ges", "fci"}, optional
        How to find a graph, or a class of graphs; see `discover`.
    n_bootstrap : int, optional
        How many times to draw as many rows as there are.
    knowledge : Knowledge, optional
        ``"direct-lingam"`` uses it in its search. For the others it decides arrows that the
        class leaves open, edge by edge.
    kinds, alpha, test
        As for `discover`.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of the draws. One seed gives one result, whatever `map_` is.
    callback : callable, optional
        Called as ``callback(done, n_bootstrap)`` after each graph.
    map_ : callable, optional
        What to use for `map`, such as that of a pool of processes.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of columns ``one`` and ``other``, in column order, with the
        shares of the draws in which the edge was ``->``, ``<-``, ``<->``, ``open`` (joined, with
        an arrow that the class of graphs leaves open) or ``absent``. They add up to 1.

    Notes
    -----
    A draw in which a column is constant is replaced by another one.

    Examples
    --------
    The edges of a class are counted as they are, and not in the direction that some member
    happens to have:

    >>> import causalaug as ca
    >>> chain = ca.datasets.make_sem(500, "chain", n_variables=3, random_state=0)
    >>> edges = bootstrap_edges(
    ...     chain.frame, "ges", n_bootstrap=20, random_state=0
    ... )  # doctest: +SKIP
    >>> edges[edges["absent"] < 0.5]  # doctest: +SKIP
      one other   ->   <-  <->  open  absent
    1  X1     Y  0.0  0.0  0.0   1.0     0.0
    2  X2     Y  0.0  0.0  0.0   1.0     0.0
    """
    check_integer("n_bootstrap", n_bootstrap, at_least=1)
    finder = make_finder(method, knowledge, alpha, test)
    sample = finder.read(frame, kinds)
    rngs = as_generator(random_state).spawn(int(n_bootstrap))
    found = map_(partial(_find_anew, finder, sample), rngs)
    return _tabulate(_reported(found, int(n_bootstrap), callback), sample, finder.knowledge)


def _find_anew(finder: Finder, sample: Sample, rng: np.random.Generator) -> PAG:
    """Return the class that is found on rows drawn with replacement."""
    return finder.find(_redraw(sample, rng), new_seed(rng))


def _redraw(sample: Sample, rng: np.random.Generator) -> Sample:
    n_rows = len(sample.values)
    for _ in range(100):
        drawn = sample.at(rng.integers(n_rows, size=n_rows))
        if not drawn.constant:
            return drawn
    raise TableError(
        "Columns must vary in rows drawn with replacement. Found that in 100 draws some did not, "
        f"such as {drawn.constant[0]!r}. Drop columns of which nearly all cells are equal."
    )


def _reported(
    found: Iterable[PAG], total: int, callback: Callable[[int, int], object] | None
) -> Iterator[PAG]:
    for done, pag in enumerate(found, start=1):
        yield pag
        if callback is not None:
            callback(done, total)


def _tabulate(found: Iterable[PAG], sample: Sample, knowledge: Knowledge) -> pd.DataFrame:
    """Return the shares of the outcomes for each pair of columns."""
    pairs = list(combinations(sample.columns, 2))
    counts = np.zeros((len(pairs), len(OUTCOMES)))
    for pag in found:
        drawn = {(a, b): drawing for a, drawing, b in pag.edges}
        for row, pair in enumerate(pairs):
            counts[row, OUTCOMES.index(_outcome(pair, drawn.get(pair), knowledge))] += 1.0
    # Every draw has one outcome for each pair, so that any row holds their number.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    names = pd.DataFrame(pairs, columns=["one", "other"], dtype=object)
    return pd.concat([names, pd.DataFrame(shares, columns=list(OUTCOMES))], axis=1)


def _outcome(pair: tuple[str, str], drawn: str | None, knowledge: Knowledge) -> str:
    """Return what was found between two columns."""
    if drawn is None:
        return "absent"
    arrows = open_arrows(drawn)
    known = allowed_arrows(knowledge, *pair, arrows) or arrows
    return known[0] if len(known) == 1 else "open"
