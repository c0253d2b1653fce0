"""Simulated truth: random graphs and structural equation models, and rows drawn from them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

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
from causalaug.datasets._examples import example_graph
from causalaug.datasets._structural import NOISES, Recipe, StructuralModel, draw_equations
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, read_graph

Edge = tuple[str, str]
TARGET = "Y"


def draw_graph(
    shape: str, n_variables: int, expected_degree: float, n_hidden: int, rng: np.random.Generator
) -> ADMG:
    """Return a graph of X1, X2, ... and Y: its arrows by shape, its hidden causes at random."""
    features = [f"X{i}" for i in range(1, n_variables)]
    nodes = (*features, TARGET)
    directed = SHAPES[shape](features, expected_degree, rng)
    pairs = list(combinations(nodes, 2))
    if n_hidden > len(pairs):
        raise ParameterError(
            "Each hidden cause must have a pair of variables of its own. Found "
            f"n_hidden={n_hidden} and {len(pairs)} pairs of {n_variables} variables. "
            "Lower `n_hidden` or raise `n_variables`."
        )
    hidden = rng.choice(len(pairs), size=n_hidden, replace=False)
    return ADMG(nodes, directed, [pairs[i] for i in hidden])


def _star(features: Sequence[str], expected_degree: float, rng: np.random.Generator) -> list[Edge]:
    """Y causes all others."""
    return [(TARGET, feature) for feature in features]


def _chain(features: Sequence[str], expected_degree: float, rng: np.random.Generator) -> list[Edge]:
    """Each causes the next; Y stands in the middle."""
    middle = len(features) // 2
    walk = [*features[:middle], TARGET, *features[middle:]]
    return list(zip(walk[:-1], walk[1:], strict=True))


def _two_layer(
    features: Sequence[str], expected_degree: float, rng: np.random.Generator
) -> list[Edge]:
    """Y and the first third cause the others, each of which has two of them as parents."""
    n_causes = max(1, round((len(features) + 1) / 3))
    causes = [TARGET, *features[: n_causes - 1]]
    edges = []
    for i, effect in enumerate(features[n_causes - 1 :]):
        parents = rng.choice(n_causes, size=min(2, n_causes), replace=False)
        if i == 0 and 0 not in parents:
            parents[0] = 0  # so that Y is never without an effect
        edges += [(causes[parent], effect) for parent in parents]
    return edges


def _random(
    features: Sequence[str], expected_degree: float, rng: np.random.Generator
) -> list[Edge]:
    """Every pair has an arrow with the same probability; Y is in the middle of the order.

    The other names are shuffled: X1 does not come before X2, or a user who breaks ties by
    node order would know more than the graph says.
    """
    shuffled = [features[i] for i in rng.permutation(len(features))]
    middle = len(features) // 2
    order = [*shuffled[:middle], TARGET, *shuffled[middle:]]
    probability = min(1.0, expected_degree / max(1, len(features)))
    pairs = list(combinations(order, 2))
    drawn = rng.random(len(pairs)) < probability
    return [pair for pair, kept in zip(pairs, drawn, strict=True) if kept]


Shape = Callable[[Sequence[str], float, np.random.Generator], list[Edge]]
SHAPES: Mapping[str, Shape] = {
    "star": _star,
    "chain": _chain,
    "two-layer": _two_layer,
    "random": _random,
}


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
    check_integer("n_variables", n_variables, at_least=1)
    check_at_least("expected_degree", expected_degree, 0.0)
    check_integer("n_hidden", n_hidden, at_least=0)
    check_choice("mechanism", mechanism, MECHANISMS)
    check_choice("noise", noise, NOISES)
    check_bool("heteroscedastic", heteroscedastic)
    check_at_least("signal", signal, 0.0)
    if not 0.0 < signal < 1.0:
        raise ParameterError(
            f"`signal` must be between 0 and 1, both excluded. Found {signal!r}. "
            "It is the part of the variance that the causes explain."
        )
    # The first child: `StructuralModel.sample` draws from the second.
    rng = as_generator(random_state).spawn(2)[0]
    if not isinstance(graph, ADMG):
        check_choice("graph", graph, SHAPES)
        shape = graph
        truth = draw_graph(graph, int(n_variables), float(expected_degree), int(n_hidden), rng)
    elif n_hidden:
        raise ParameterError(
            f"`n_hidden` must be 0 for a graph of your own. Found {n_hidden}. "
            "Add bidirected edges to the graph: each is a hidden common cause."
        )
    else:
        truth, shape = graph, "given"
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
