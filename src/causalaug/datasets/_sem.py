"""Simulated truth: random structural equation models, and rows drawn from them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from causalaug._random import RandomState, as_generator
from causalaug._validation import (
    check_at_least,
    check_bool,
    check_choice,
    check_columns_exist,
    check_integer,
)
from causalaug.datasets._dataset import Dataset
from causalaug.datasets._drawing import Recipe, draw_equations
from causalaug.datasets._examples import example_graph
from causalaug.datasets._model import StructuralModel
from causalaug.datasets._noise import NOISES
from causalaug.datasets._shapes import SHAPES, TARGET, draw_graph
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG

MECHANISMS = ("linear", "nonlinear", "mixed", "discrete")
DTYPES = ("float", "int", "bool", "category")


def make_sem(
    n_rows: int = 100,
    graph: str | ADMG = "random",
    *,
    n_variables: int = 12,
    expected_degree: float = 3.0,
    n_hidden: int = 0,
    mechanism: str = "linear",
    noise: str = "laplace",
    signal: float = 0.75,
    heteroscedastic: bool = False,
    dtypes: Mapping[str, str] | None = None,
    target: str | None = None,
    random_state: RandomState = None,
) -> Dataset:
    """Draw a structural equation model at random, and rows from it.

    The same as ``make_sem_model(...).sample(n_rows)``, which is the way to get more rows of
    the same model; see `make_sem_model` for the parameters that are not listed here.

    Parameters
    ----------
    n_rows : int, optional
        How many rows.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of the model and of the rows. The model does not depend on `n_rows`.

    Returns
    -------
    Dataset
        The rows and the true graph.

    Examples
    --------
    >>> dataset = make_sem(200, "chain", n_variables=5, random_state=0)
    >>> print(dataset.graph)
    ADMG of X1, X2, X3, X4, Y: X1 -> X2, X2 -> Y, X3 -> X4, Y -> X3

    A hidden common cause is no column. It leaves a bidirected edge:

    >>> confounded = make_sem(200, "chain", n_variables=5, n_hidden=1, random_state=0)
    >>> list(confounded.frame), confounded.graph.bidirected
    (['X1', 'X2', 'X3', 'X4', 'Y'], (('X3', 'Y'),))
    """
    rng = as_generator(random_state)
    check_integer("n_rows", n_rows, at_least=1)
    model = make_sem_model(
        graph,
        n_variables=n_variables,
        expected_degree=expected_degree,
        n_hidden=n_hidden,
        mechanism=mechanism,
        noise=noise,
        signal=signal,
        heteroscedastic=heteroscedastic,
        dtypes=dtypes,
        target=target,
        random_state=rng,
    )
    return model.sample(n_rows, rng)


def make_sem_model(
    graph: str | ADMG = "random",
    *,
    n_variables: int = 12,
    expected_degree: float = 3.0,
    n_hidden: int = 0,
    mechanism: str = "linear",
    noise: str = "laplace",
    signal: float = 0.75,
    heteroscedastic: bool = False,
    dtypes: Mapping[str, str] | None = None,
    target: str | None = None,
    random_state: RandomState = None,
) -> StructuralModel:
    """Draw a structural equation model at random.

    Every real variable has mean 0 and variance 1, to within two percent. That holds for the law
    and not for the drawn rows: no row is scaled by others.

    Parameters
    ----------
    graph : ADMG or {"random", "star", "chain", "two-layer"}, optional
        The true graph, or a shape to draw one from. The variables of a shape are X1, X2, ...
        and Y, which is the target. ``"star"``: Y causes all others. ``"chain"``: each causes
        the next, Y is in the middle. ``"two-layer"``: Y and other first-layer variables, a
        third of all, cause the rest, each of which has two parents. ``"random"``: each pair
        has an arrow with the same probability, Y is in the middle of the causal order.
    n_variables : int, optional
        The number of observed variables of a shape, Y included.
    expected_degree : float, optional
        The mean number of arrows at a variable, for ``"random"``.
    n_hidden : int, optional
        The number of hidden common causes of a shape, each of a random pair of its own.
    mechanism : {"linear", "nonlinear", "mixed", "discrete"}, optional
        ``"linear"``: sums of the causes, weighted between .5 and 1.5 with random sign.
        ``"nonlinear"``: sums of a random smooth function of each cause. ``"mixed"``: the
        same, but four variables in ten are integers, booleans or categories that follow
        logistic models. ``"discrete"``: all variables are categories of 2 to 4 levels.
    noise : {"laplace", "gaussian", "uniform", "exponential", "gumbel", "logistic"}, optional
        The noise of real variables, and the law of hidden ones. With a linear mechanism,
        anything but ``"gaussian"`` lets the graph be discovered.
    signal : float, optional
        The part of the variance of a variable that its causes, hidden ones included,
        explain; between 0 and 1. For discrete variables, of the latent variables behind it.
    heteroscedastic : bool, optional
        Whether the scale of the noise of real variables depends on their causes, with a
        factor of 4 between the calm and the wild regions.
    dtypes : mapping of str to {"float", "int", "bool", "category"}, optional
        What some columns shall hold, whatever the mechanism says. ``{"Y": "bool"}`` makes a
        task of classification.
    target : str, optional
        The variable to predict. By default Y; for a graph without Y, the last variable of
        its topological order.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of the model.

    Returns
    -------
    StructuralModel
        The model: its `sample` draws rows.

    Examples
    --------
    A graph is taken as it is, whatever `n_variables` says. Here X shares a hidden cause
    with Y, so the slope of Y on X is not the causal one:

    >>> from causalaug.datasets import example_graph
    >>> model = make_sem_model(example_graph("instrument"), random_state=3)
    >>> model.graph == example_graph("instrument")
    True

    Booleans, integers and categories come with the dtypes that one would expect:

    >>> model = make_sem_model("star", n_variables=4, dtypes={"Y": "bool", "X1": "category"})
    >>> model.sample(5).frame.dtypes.astype(str).to_dict()
    {'X1': 'category', 'X2': 'float64', 'X3': 'float64', 'Y': 'bool'}
    """
    _check_parameters(n_variables, expected_degree, n_hidden, mechanism, noise, heteroscedastic)
    _check_signal(signal)
    # The first child: `StructuralModel.sample` draws from the second.
    rng = as_generator(random_state).spawn(2)[0]
    if isinstance(graph, ADMG):
        _check_no_hidden(n_hidden)
        truth, shape = graph, "given"
    else:
        check_choice("graph", graph, SHAPES)
        shape = graph
        truth = draw_graph(graph, int(n_variables), float(expected_degree), int(n_hidden), rng)
    predicted = _target(truth, target)
    columns = _column_types(truth, mechanism, dtypes, rng)
    recipe = Recipe(mechanism, noise, float(signal), heteroscedastic, columns)
    drawn = draw_equations(truth, recipe, rng)
    return StructuralModel(
        graph=truth,
        target=predicted,
        description=_description(shape, mechanism, noise, heteroscedastic),
        equations={key: equation for key, (equation, _) in drawn.items()},
        dtypes=columns,
        n_levels={node: drawn[node][1] for node in truth.nodes},
    )


def make_trivariate(
    n_rows: int = 40, *, separation: float = 2.0, random_state: RandomState = None
) -> Dataset:
    """Draw rows of the paper's first example: two independent signs of one class.

    Y is 0 or 1 with equal probability; X1 and X2 are normal with standard deviation 1, and
    independent given Y. All combinations of X1 and X2 within a class are as likely as
    those that were seen (Figure 1 of Teshima and Sugiyama, 2021).

    Parameters
    ----------
    n_rows : int, optional
        How many rows.
    separation : float, optional
        The distance between the means of the two classes, in X1 and in X2.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.

    Returns
    -------
    Dataset
        The columns X1, X2 and Y, an integer; the graph ``X1 <- Y -> X2``.

    Examples
    --------
    The signs are correlated, yet not within a class:

    >>> frame = make_trivariate(4000, random_state=0).frame
    >>> f"{frame['X1'].corr(frame['X2']):.1f}"
    '0.5'
    >>> [f"{abs(rows['X1'].corr(rows['X2'])):.1f}" for _, rows in frame.groupby("Y")]
    ['0.0', '0.0']
    """
    check_integer("n_rows", n_rows, at_least=1)
    check_at_least("separation", separation, 0.0)
    classes, first, second = as_generator(random_state).spawn(3)
    label = classes.integers(0, 2, size=int(n_rows))
    mean = separation * (label - 0.5)
    frame = pd.DataFrame(
        {
            "X1": mean + first.normal(size=len(mean)),
            "X2": mean + second.normal(size=len(mean)),
            "Y": label,
        }
    )
    return Dataset(
        frame,
        example_graph("trivariate"),
        TARGET,
        "A class Y and two signs of it, X1 and X2, normal and independent given the class; "
        f"simulated, the classes {separation:g} standard deviations apart.",
    )


def _check_parameters(
    n_variables: object,
    expected_degree: object,
    n_hidden: object,
    mechanism: object,
    noise: object,
    heteroscedastic: object,
) -> None:
    check_integer("n_variables", n_variables, at_least=1)
    check_at_least("expected_degree", expected_degree, 0.0)
    check_integer("n_hidden", n_hidden, at_least=0)
    check_choice("mechanism", mechanism, MECHANISMS)
    check_choice("noise", noise, NOISES)
    check_bool("heteroscedastic", heteroscedastic)


def _check_signal(signal: object) -> None:
    check_at_least("signal", signal, 0.0)
    if not 0.0 < signal < 1.0:  # type: ignore[operator]
        raise ParameterError(
            f"`signal` must be between 0 and 1, both excluded. Found {signal!r}. "
            "It is the part of the variance that the causes explain."
        )


def _check_no_hidden(n_hidden: int) -> None:
    if n_hidden:
        raise ParameterError(
            f"`n_hidden` must be 0 for a graph of your own. Found {n_hidden}. "
            "Add bidirected edges to the graph: each is a hidden common cause."
        )


def _target(graph: ADMG, target: str | None) -> str:
    if target is None:
        return TARGET if TARGET in graph.nodes else graph.topological_order()[-1]
    check_columns_exist("target", [target], graph.nodes)
    return target


def _column_types(
    graph: ADMG, mechanism: str, dtypes: Mapping[str, str] | None, rng: np.random.Generator
) -> dict[str, str]:
    """Return what each column holds: what the mechanism says, then what the user says."""
    default = "category" if mechanism == "discrete" else "float"
    columns = dict.fromkeys(graph.nodes, default)
    if mechanism == "mixed":
        n_discrete = max(1, round(0.4 * len(graph.nodes)))
        shuffled = rng.permutation(len(graph.nodes))[:n_discrete]
        for i, place in enumerate(shuffled):
            columns[graph.nodes[place]] = ("category", "bool", "int")[i % 3]
    if dtypes is not None:
        check_columns_exist("dtypes", dtypes, graph.nodes)
        for name, dtype in dtypes.items():
            check_choice(f"dtypes[{name!r}]", dtype, DTYPES)
            columns[name] = dtype
    return columns


def _description(shape: str, mechanism: str, noise: str, heteroscedastic: bool) -> str:
    scale = ", whose scale depends on the causes" if heteroscedastic else ""
    tail = "" if mechanism == "discrete" else f", {noise} noise{scale}"
    return f"simulated: {shape} graph, {mechanism} mechanisms{tail}"
