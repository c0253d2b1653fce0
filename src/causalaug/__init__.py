"""Turn a causal graph into better predictions on small tables.

>>> import causalaug as ca
>>> graph = ca.read_graph("fever <- sick -> cough")
>>> [str(factor) for factor in ca.factorize(graph)]
['p(sick)', 'p(fever | sick)', 'p(cough | sick)']
"""

from causalaug.augmentation import AugmentedTable, augment
from causalaug.conditionals import KernelConditional
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

__version__ = "0.1.0"

__all__ = [
    "ADMG",
    "AugmentedTable",
    "BeamExpansion",
    "BudgetExpansion",
    "Factor",
    "GraphCheck",
    "KernelConditional",
    "Paths",
    "PrunedExpansion",
    "SampledExpansion",
    "Table",
    "__version__",
    "augment",
    "check_graph",
    "complete_graph",
    "factorize",
    "latent_projection",
    "m_separated",
    "markov_pillow",
    "read_graph",
    "select_markov_blanket",
    "write_graph",
]
