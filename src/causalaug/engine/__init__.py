"""More rows than memory, and more work than one process.

A job is cut into blocks of rows. How many there are, and the seed of each, follow from the job
alone: the result is the same on one core, on all of them, or on a cluster.
"""

from causalaug.engine._dataset import AugmentedDataset, read_augmented
from causalaug.engine._learners import (
    as_dask_frame,
    as_torch_dataset,
    as_xgboost_iter,
    partial_fit,
)
from causalaug.engine._parquet import augment_to_parquet
from causalaug.engine._stream import BatchStream, stream_batches

__all__ = [
    "AugmentedDataset",
    "BatchStream",
    "as_dask_frame",
    "as_torch_dataset",
    "as_xgboost_iter",
    "augment_to_parquet",
    "partial_fit",
    "read_augmented",
    "stream_batches",
]
