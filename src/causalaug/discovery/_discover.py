"""From a table to a graph, or to all graphs that the table cannot tell apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from causalaug._random import RandomState, as_generator, new_seed
from causalaug._validation import check_choice
from causalaug.discovery._knowledge import Knowledge, check_knowledge
from causalaug.discovery._members import choose_admg
from causalaug.discovery._methods import Sample, direct_lingam, fci, ges, pc, read_sample
from causalaug.discovery._origins import Discovery, edge_origins
from causalaug.discovery._pag import PAG
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG
from causalaug.table import KindName

METHODS = ("direct-lingam", "pc", "ges", "fci")
TESTS = {"auto": None, "partial_correlation": False, "g_squared": True}
"""The tests of independence, and whether they take discrete columns; None: whatever comes."""


@dataclass(frozen=True)
class Finder:
    """One method with its settings: a sample in, a class of graphs out."""

    method: str
    knowledge: Knowledge
    alpha: float
    discrete: bool | None

    def read(self, frame: Any, kinds: Mapping[str, KindName] | None) -> Sample:
        """Return the checked rows of a frame."""
        sample = read_sample(frame, kinds, discrete=self.discrete)
        self.knowledge.check_names(sample.columns)
        return sample

    def find(self, sample: Sample, seed: int) -> PAG:
        """Return what the sample tells."""
        if len(sample.columns) == 1:
            return PAG(sample.columns)
        if self.method == "direct-lingam":
            return direct_lingam(sample, self.knowledge, seed)
        if self.method == "ges":
            return ges(sample)
        return (pc if self.method == "pc" else fci)(sample, self.alpha)


def make_finder(method: str, knowledge: Knowledge | None, alpha: float, test: str) -> Finder:
    """Return the finder for checked settings."""
    check_choice("method", method, METHODS)
    check_choice("test", test, TESTS)
    if not isinstance(alpha, Real) or isinstance(alpha, bool) or not 0.0 < alpha < 1.0:
        raise ParameterError(f"`alpha` must be a number between 0 and 1. Found {alpha!r}.")
    if test != "auto" and method not in ("pc", "fci"):
        raise ParameterError(
            f"`test` is for the methods 'pc' and 'fci', which test independences. Found {test!r} "
            f"with method={method!r}. Leave it out."
        )
    discrete = False if method == "direct-lingam" else TESTS[test]
    return Finder(method, check_knowledge(knowledge), float(alpha), discrete)


def discover(
    frame: Any,
    method: str = "direct-lingam",
    *,
    knowledge: Knowledge | None = None,
    kinds: Mapping[str, KindName] | None = None,
    alpha: float = 0.05,
    test: str = "auto",
    random_state: RandomState = None,
) -> ADMG:
    """Estimate a causal graph from data alone.

    An estimate is no knowledge. Look at it with `check_graph`, see with `bootstrap_edges` which
    edges are stable, and let the gate of the estimators decide whether it helps.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The rows, without missing values.
    method : {"direct-lingam", "pc", "ges", "fci"}, optional
        ``"direct-lingam"`` finds one DAG, for linear causes with noise that is not normal
        (Shimizu et al., 2011, by pairwise likelihoods: what the paper uses); by the package
        lingam. The others, by causal-learn, find an equivalence class; here they give its first
        member, `discover_class` the class itself. ``"pc"`` tests independences, ``"ges"`` climbs
        a score (BIC, or BDeu if all columns are discrete). Both suppose that nothing is hidden.
        ``"fci"`` does not, and may return bidirected edges.
    knowledge : Knowledge, optional
        Edges that must or cannot be, and tiers. ``"direct-lingam"`` uses it in its search; of a
        class, the first member that agrees is taken.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default, as in `augment`.
    alpha : float, optional
        For ``"pc"`` and ``"fci"``: the level of each test. Lower gives fewer edges.
    test : {"auto", "partial_correlation", "g_squared"}, optional
        For ``"pc"`` and ``"fci"``: the test of independence. "auto" takes G-squared if all
        columns are discrete, none being a number with more than ten values; else partial
        correlation, for which all columns must be numbers.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed that is handed to the package lingam. At present no method draws at random.

    Returns
    -------
    ADMG
        The graph, its nodes in the order of the columns.

    Raises
    ------
    MissingDependencyError
        If the package is not installed: ``pip install "causalaug[discovery]"``.
    TableError
        If cells are missing, columns are constant, linear combinations of others or not numbers,
        or rows are few.
    GraphError
        If no graph of the class agrees with the knowledge.

    Notes
    -----
    On few rows tests contradict each other, and it may be that no graph has all that they say.
    Then the marks are followed one by one, the definite ones first, and one that would close a
    cycle is turned: the graph has the edges that were found, but is in no class.
    `enumerate_admgs` of `discover_class` raises an error instead.

    Examples
    --------
    The noise of a chain is not normal, so that its direction can be told. By independences
    alone it cannot: the graph of ``"pc"`` runs as it does for want of a reason to the contrary,
    and turns when one is given.

    >>> import causalaug as ca
    >>> chain = ca.datasets.make_sem(500, "chain", n_variables=3, random_state=0)
    >>> print(chain.graph)
    ADMG of X1, X2, Y: X1 -> Y, Y -> X2
    >>> print(discover(chain.frame))  # doctest: +SKIP
    ADMG of X1, X2, Y: X1 -> Y, Y -> X2
    >>> print(discover(chain.frame, "pc"))  # doctest: +SKIP
    ADMG of X1, X2, Y: X1 -> Y, Y -> X2
    >>> known = ca.discovery.Knowledge(tiers=[["X2"], ["Y"]])
    >>> print(discover(chain.frame, "pc", knowledge=known))  # doctest: +SKIP
    ADMG of X1, X2, Y: X2 -> Y, Y -> X1

    Most mistakes are found before the package is needed:

    >>> import numpy as np
    >>> discover(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 5.0], [1.0, 8.0]]))
    Traceback (most recent call last):
    causalaug.exceptions.TableError: Columns must vary, or nothing can depend on them. ...
    """
    return discover_explained(
        frame,
        method,
        knowledge=knowledge,
        kinds=kinds,
        alpha=alpha,
        test=test,
        random_state=random_state,
    ).graph


def discover_explained(
    frame: Any,
    method: str = "direct-lingam",
    *,
    knowledge: Knowledge | None = None,
    kinds: Mapping[str, KindName] | None = None,
    alpha: float = 0.05,
    test: str = "auto",
    random_state: RandomState = None,
) -> Discovery:
    """Estimate a graph, and say which of its edges the data determine.

    Independences alone leave directions open: of the graphs that have the same ones, `discover`
    takes the first. This says which arrows all of them share, which ones only what you know
    decides, and which are a choice among equals that you may turn.

    Parameters
    ----------
    frame, method, knowledge, kinds, alpha, test, random_state
        As for `discover`.

    Returns
    -------
    Discovery
        The graph, its class, a table of the edges with their origin, and `summary` in words.

    Examples
    --------
    >>> import causalaug as ca
    >>> chain = ca.datasets.make_sem(500, "chain", n_variables=3, random_state=0)
    >>> print(discover_explained(chain.frame, "pc").summary())  # doctest: +SKIP
    The data determine none of the 2 edges.
    A choice among equals: X1 -> Y (or Y -> X1), Y -> X2 (or X2 -> Y). Turn them by what you know.
    """
    finder = make_finder(method, knowledge, alpha, test)
    seed = new_seed(as_generator(random_state))
    found = finder.find(finder.read(frame, kinds), seed)
    graph = choose_admg(found, finder.knowledge)
    return Discovery(graph, found, edge_origins(graph, found, finder.knowledge), method)


def discover_class(
    frame: Any,
    method: str = "pc",
    *,
    kinds: Mapping[str, KindName] | None = None,
    alpha: float = 0.05,
    test: str = "auto",
    random_state: RandomState = None,
) -> PAG:
    """Estimate the class of graphs that data alone cannot tell apart.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The rows, without missing values.
    method : {"pc", "ges", "fci", "direct-lingam"}, optional
        ``"pc"`` and ``"ges"`` give a CPDAG, ``"fci"`` a PAG, and ``"direct-lingam"`` a class of
        one graph; see `discover`.
    kinds, alpha, test, random_state
        As for `discover`.

    Returns
    -------
    PAG
        The class. `enumerate_admgs` lists its members, and takes knowledge; `augment_average`
        augments with all of them.

    Examples
    --------
    >>> import causalaug as ca
    >>> chain = ca.datasets.make_sem(500, "chain", n_variables=3, random_state=0)
    >>> print(discover_class(chain.frame, "ges"))  # doctest: +SKIP
    CPDAG of X1, X2, Y: X1 -- Y, X2 -- Y
    >>> found = discover_class(chain.frame, "fci")  # doctest: +SKIP
    >>> print(found)  # doctest: +SKIP
    PAG of X1, X2, Y: X1 o-o Y, X2 o-o Y
    >>> len(list(ca.discovery.enumerate_admgs(found)))  # doctest: +SKIP
    5
    """
    finder = make_finder(method, None, alpha, test)
    seed = new_seed(as_generator(random_state))
    return finder.find(finder.read(frame, kinds), seed)
