"""The whole method as one function, and its result: a table and a graph in, weighted rows out."""

from causalaug._augmented_table import AugmentedTable
from causalaug.model import augment

__all__ = ["AugmentedTable", "augment"]
