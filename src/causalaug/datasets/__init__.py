"""Tables with their causal graphs: simulated truth, and examples of the literature."""

from causalaug.datasets._dataset import Dataset
from causalaug.datasets._examples import example_graph, list_example_graphs
from causalaug.datasets._model import StructuralModel
from causalaug.datasets._sem import make_sem, make_sem_model, make_trivariate

__all__ = [
    "Dataset",
    "StructuralModel",
    "example_graph",
    "list_example_graphs",
    "make_sem",
    "make_sem_model",
    "make_trivariate",
]
