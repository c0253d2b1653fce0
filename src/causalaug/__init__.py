"""Turn a causal graph into better predictions on small tables.

>>> import causalaug as ca
>>> graph = ca.read_graph("fever <- sick -> cough")
>>> [str(factor) for factor in ca.factorize(graph)]
['p(sick)', 'p(fever | sick)', 'p(cough | sick)']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causalaug import datasets, discovery, plot
    from causalaug.augmentation import AugmentedTable, augment
    from causalaug.conditionals import AutoConditional, KernelConditional, ResidualConditional
    from causalaug.diagnostics import GraphCheck, check_graph
    from causalaug.estimators import (
        AugmentedClassifier,
        AugmentedRegressor,
        Blend,
        CausalAugmenter,
        Gate,
        GraphClassifier,
        GraphRegressor,
    )
    from causalaug.evaluation import Comparison, compare
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
        tiers,
        write_graph,
    )
    from causalaug.model import GraphModel, Prediction, fit_model
    from causalaug.report import Evaluation, evaluate
    from causalaug.table import Table

__version__ = "0.1.0"

__all__ = [
    "ADMG",
    "AugmentedClassifier",
    "AugmentedRegressor",
    "AugmentedTable",
    "AutoConditional",
    "BeamExpansion",
    "Blend",
    "BudgetExpansion",
    "CausalAugmenter",
    "Comparison",
    "Completion",
    "Evaluation",
    "Factor",
    "Gate",
    "GraphCheck",
    "GraphClassifier",
    "GraphModel",
    "GraphRegressor",
    "KernelConditional",
    "Paths",
    "Prediction",
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
    "fit_model",
    "latent_projection",
    "m_separated",
    "markov_pillow",
    "plot",
    "read_graph",
    "select_markov_blanket",
    "tiers",
    "write_graph",
]

# What each name is imported from when it is first asked for, so that a command line that only
# prints its help need not wait for numpy and pandas. A module is its own home.
_HOMES = {
    "ADMG": "graphs",
    "AugmentedClassifier": "estimators",
    "AugmentedRegressor": "estimators",
    "AugmentedTable": "augmentation",
    "AutoConditional": "conditionals",
    "BeamExpansion": "expansion",
    "Blend": "estimators",
    "BudgetExpansion": "expansion",
    "CausalAugmenter": "estimators",
    "Comparison": "evaluation",
    "Completion": "model",
    "Evaluation": "report",
    "Factor": "factorization",
    "Gate": "estimators",
    "GraphClassifier": "estimators",
    "GraphRegressor": "estimators",
    "GraphCheck": "diagnostics",
    "GraphModel": "model",
    "KernelConditional": "conditionals",
    "Paths": "expansion",
    "Prediction": "model",
    "PrunedExpansion": "expansion",
    "ResidualConditional": "conditionals",
    "SampledExpansion": "expansion",
    "Table": "table",
    "augment": "augmentation",
    "check_graph": "diagnostics",
    "compare": "evaluation",
    "complete_graph": "graphs",
    "datasets": "datasets",
    "discovery": "discovery",
    "evaluate": "report",
    "factorize": "factorization",
    "fit_model": "model",
    "latent_projection": "graphs",
    "m_separated": "graphs",
    "markov_pillow": "graphs",
    "plot": "plot",
    "read_graph": "graphs",
    "select_markov_blanket": "graphs",
    "tiers": "graphs",
    "write_graph": "graphs",
}


_MODULES = frozenset({*_HOMES.values(), "engine", "exceptions", "kernels", "typing"})


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"causalaug.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'causalaug' has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"causalaug.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return __all__
