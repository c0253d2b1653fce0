"""One run, done: from names to a row of figures."""

from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib import metadata
from typing import Any

import numpy as np
import xgboost

from causalaug.datasets import Dataset, load_dataset
from reproduction.outcome import NewRows, Outcome
from reproduction.protocols import PROTOCOLS
from reproduction.records import BASELINE
from reproduction.spec import ExperimentSpec, Run
from reproduction.splits import Split, split_dataset

TIMINGS = ("seconds_augmenting", "seconds_learning")
"""The columns that differ between two runs of the same."""


@dataclass(frozen=True)
class Record:
    """A run and what came out of it; figures on new rows are None where there are none."""

    dataset: str
    fraction: float
    split: int
    protocol: str
    method: str
    seed: int
    rows_train: int
    rows_test: int
    mse: float
    n_rounds: int
    reg_lambda: float
    share: float
    rows_augmented: int | None
    rows_only_augmented: int | None
    rows_in_both: int | None
    rows_only_original: int | None
    mass: float | None
    novel_mass: float | None
    effective_sample_size: float | None
    seconds_augmenting: float
    seconds_learning: float
    version: str
    xgboost_version: str


def perform(run: Run, spec: ExperimentSpec) -> Record:
    """Do one run. The result depends on the run and the settings of the spec alone."""
    dataset = _load_once(run.dataset)
    split = split_dataset(dataset, run.dataset, run.fraction, run.split, spec.seed)
    protocol = PROTOCOLS[run.protocol]
    method = protocol.run_baseline if run.method == BASELINE else protocol.run_augmented
    return _record(run, split, method(split, spec.grid))


def _record(run: Run, split: Split, outcome: Outcome) -> Record:
    _, truth = split.features_and_target(split.test)
    on_new_rows = {} if outcome.new_rows is None else asdict(outcome.new_rows)
    figures: dict[str, Any] = dict.fromkeys(field.name for field in fields(NewRows)) | on_new_rows
    return Record(
        **run._asdict(),
        seed=split.seed,
        rows_train=len(split.train),
        rows_test=len(split.test),
        mse=float(np.mean(np.square(outcome.prediction - truth))),
        n_rounds=outcome.n_rounds,
        reg_lambda=outcome.reg_lambda,
        share=outcome.share,
        **figures,
        seconds_augmenting=outcome.seconds_augmenting,
        seconds_learning=outcome.seconds_learning,
        version=metadata.version("causalaug"),
        xgboost_version=xgboost.__version__,
    )


@lru_cache(maxsize=2)
def _load_once(name: str) -> Dataset:
    return load_dataset(name)
