"""Random graphs by the name of their shape; the variable to predict is called Y."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG

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
    check_hidden(n_hidden, len(pairs), n_variables)
    hidden = rng.choice(len(pairs), size=n_hidden, replace=False)
    return ADMG(nodes, directed, [pairs[i] for i in hidden])


def check_hidden(n_hidden: int, n_pairs: int, n_variables: int) -> None:
    """Raise if there are more hidden causes than pairs of variables to share them."""
    if n_hidden > n_pairs:
        raise ParameterError(
            "Each hidden cause must have a pair of variables of its own. Found "
            f"n_hidden={n_hidden} and {n_pairs} pairs of {n_variables} variables. "
            "Lower `n_hidden` or raise `n_variables`."
        )


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
