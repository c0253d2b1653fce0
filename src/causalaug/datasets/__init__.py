"""Tables with their causal graphs: simulated truth, and examples of the literature."""

from causalaug.datasets._dataset import Dataset
from causalaug.datasets._examples import example_graph, list_example_graphs
from causalaug.datasets._real import (
    fetch_gss,
    list_datasets,
    load_auto_mpg,
    load_boston_housing,
    load_dataset,
    load_red_wine,
    load_sachs,
    load_white_wine,
)
from causalaug.datasets._simulated import (
    make_machine_wear,
    make_sem,
    make_sem_model,
    make_trivariate,
)
from causalaug.datasets._structural import StructuralModel

__all__ = [
    "Dataset",
    "StructuralModel",
    "example_graph",
    "fetch_gss",
    "list_datasets",
    "list_example_graphs",
    "load_auto_mpg",
    "load_boston_housing",
    "load_dataset",
    "load_red_wine",
    "load_sachs",
    "load_white_wine",
    "make_machine_wear",
    "make_sem",
    "make_sem_model",
    "make_trivariate",
]
