"""Turn a causal graph into better predictions on small tables.

>>> import causalaug as ca
>>> graph = ca.read_graph("fever <- sick -> cough")
>>> [str(factor) for factor in ca.factorize(graph)]
['p(sick)', 'p(fever | sick)', 'p(cough | sick)']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from causalaug import datasets, discovery, plot
from causalaug.augmentation import AugmentedTable, augment
from causalaug.conditionals import KernelConditional, ResidualConditional
from causalaug.diagnostics import GraphCheck, check_graph
from causalaug.expansion import (
    BeamExpansion,
    BudgetExpansion,
    Paths,
    PrunedExpansion,
    SampledExpansion,
)
from causalaug.factorization import Factor, factorize
from causalaug.graphs import (
    ADMG,
    complete_graph,
    latent_projection,
    m_separated,
    markov_pillow,
    read_graph,
    select_markov_blanket,
    write_graph,
)
from causalaug.table import Table

if TYPE_CHECKING:
    from causalaug.estimators import (
        AugmentedClassifier,
        AugmentedRegressor,
        CausalAugmenter,
        Gate,
    )
    from causalaug.evaluation import Comparison, compare
    from causalaug.report import Evaluation, evaluate

__version__ = "0.1.0"

__all__ = [
    "ADMG",
    "AugmentedClassifier",
    "AugmentedRegressor",
    "AugmentedTable",
    "BeamExpansion",
    "BudgetExpansion",
    "CausalAugmenter",
    "Comparison",
    "Evaluation",
    "Factor",
    "Gate",
    "GraphCheck",
    "KernelConditional",
    "Paths",
    "PrunedExpansion",
    "ResidualConditional",
    "SampledExpansion",
    "Table",
    "__version__",
    "augment",
    "check_graph",
    "compare",
    "complete_graph",
    "datasets",
    "discovery",
    "evaluate",
    "factorize",
    "latent_projection",
    "m_separated",
    "markov_pillow",
    "plot",
    "read_graph",
    "select_markov_blanket",
    "write_graph",
]

# What needs scikit-learn is imported when it is first asked for.
_HOMES = {
    "AugmentedClassifier": "causalaug.estimators",
    "AugmentedRegressor": "causalaug.estimators",
    "CausalAugmenter": "causalaug.estimators",
    "Comparison": "causalaug.evaluation",
    "Evaluation": "causalaug.report",
    "Gate": "causalaug.estimators",
    "compare": "causalaug.evaluation",
    "evaluate": "causalaug.report",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'causalaug' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
