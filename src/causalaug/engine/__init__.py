"""More rows than memory, and more work than one process.

A job is cut into blocks of rows. How many there are, and the seed of each, follow from the job
alone: the result is the same on one core, on all of them, or on a cluster.
"""

from causalaug.engine._dataset import AugmentedDataset, read_augmented
from causalaug.engine._parquet import augment_to_parquet

__all__ = ["AugmentedDataset", "augment_to_parquet", "read_augmented"]
