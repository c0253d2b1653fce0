"""The small graphs that the literature argues with, by name."""

from collections.abc import Mapping

from causalaug._validation import typing_slips
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, read_graph

_ARROWS: Mapping[str, str] = {
    "asia": (
        "asia -> tuberculosis; smoking -> {cancer, bronchitis}; "
        "{tuberculosis, cancer} -> either; either -> xray; {either, bronchitis} -> dyspnoea"
    ),
    "back-door": "Z -> {X, Y}; X -> Y",
    "bow": "X -> Y; X <-> Y",
    "butterfly": "Z -> {X, Y}; X -> Y; X <-> Z; Z <-> Y",
    "chain": "X -> Z -> Y",
    "collider": "X -> Z <- Y",
    "fork": "X <- Z -> Y",
    "front-door": "X -> M -> Y; X <-> Y",
    "instrument": "Z -> X -> Y; X <-> Y",
    "m-bias": "X -> Y; X <-> Z; Z <-> Y",
    "mediation": "X -> M -> Y; X -> Y",
    "napkin": "W -> Z -> X -> Y; W <-> X; W <-> Y",
    "sprinkler": "season -> {sprinkler, rain}; {sprinkler, rain} -> wet -> slippery",
    "trivariate": "X1 <- Y -> X2",
    "verma": "A -> B -> C -> D; B <-> D",
}


def list_example_graphs() -> tuple[str, ...]:
    """Return the names that `example_graph` knows, sorted.

    Examples
    --------
    >>> list_example_graphs()[:4]
    ('asia', 'back-door', 'bow', 'butterfly')
    """
    return tuple(sorted(_ARROWS))


def example_graph(name: str) -> ADMG:
    """Return a small causal graph of the literature.

    =============== ==========================================================================
    ``asia``        the chest clinic, a DAG of 8 variables (Lauritzen and Spiegelhalter, 1988)
    ``back-door``   a treatment X, an outcome Y, and an observed common cause Z
    ``bow``         a cause that shares a hidden cause with its effect: not identified
    ``butterfly``   ``m-bias`` whose Z is a common cause as well
    ``chain``       X acts on Y through Z alone
    ``collider``    X and Y are independent until Z, their common effect, is held fixed
    ``fork``        X and Y are independent once Z, their common cause, is held fixed
    ``front-door``  a hidden common cause, and a mediator that escapes it (Pearl, 1995)
    ``instrument``  Z acts on Y through X alone, where X and Y share a hidden cause
    ``m-bias``      holding Z fixed opens a path that was closed (Greenland, 2003)
    ``mediation``   X acts on Y both directly and through M
    ``napkin``      identified, but neither by a back door nor by a front door (Pearl, 2018)
    ``sprinkler``   season, sprinkler, rain, a wet and slippery pavement (Pearl, 1988)
    ``trivariate``  two signs of one class (Teshima and Sugiyama, 2021, Figure 1)
    ``verma``       its only constraint is no conditional independence (Verma and Pearl, 1990)
    =============== ==========================================================================

    Parameters
    ----------
    name : str
        One of `list_example_graphs`.

    Returns
    -------
    ADMG
        The graph. Hidden common causes are bidirected edges.

    Examples
    --------
    No edge joins A and D in the graph of Verma and Pearl, and still A and D are dependent
    whatever is held fixed:

    >>> from causalaug import m_separated
    >>> graph = example_graph("verma")
    >>> print(graph)
    ADMG of A, B, C, D: A -> B, B -> C, C -> D, B <-> D
    >>> [m_separated(graph, "A", "D", given) for given in ([], ["B"], ["C"], ["B", "C"])]
    [False, False, False, False]
    """
    if name not in _ARROWS:
        raise ParameterError(
            f"There is no example graph {name!r}. "
            + typing_slips([str(name)], _ARROWS)
            + f"The names are {list(list_example_graphs())}."
        )
    return read_graph(_ARROWS[name], format="arrows")
