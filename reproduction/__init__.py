"""The experiment of Teshima and Sugiyama (2021): as published, as written, and honestly.

A tool of the project, not a part of what is installed: it runs from the root of the repository,
``python -m reproduction --help``, with XGBoost, matplotlib and joblib. ``make reproduction`` runs
all of it and writes docs/results/reproduction.md.
"""

from reproduction.blended import BlendedProtocol
from reproduction.boosting import Booster, BoostingGrid, WeightedRows
from reproduction.honest import HonestProtocol
from reproduction.plain_floats import PlainFloatConditional
from reproduction.protocols import ABLATIONS, METHODS, PROTOCOLS
from reproduction.published import PublishedProtocol
from reproduction.record import TIMINGS, Record
from reproduction.runner import ExperimentError, run_experiment
from reproduction.spec import PAPER_FRACTIONS, ExperimentSpec, Run
from reproduction.store import RecordStore
from reproduction.summary import summarize

__all__ = [
    "ABLATIONS",
    "BlendedProtocol",
    "METHODS",
    "PAPER_FRACTIONS",
    "PROTOCOLS",
    "TIMINGS",
    "Booster",
    "BoostingGrid",
    "ExperimentError",
    "ExperimentSpec",
    "HonestProtocol",
    "PlainFloatConditional",
    "PublishedProtocol",
    "Record",
    "RecordStore",
    "Run",
    "WeightedRows",
    "run_experiment",
    "summarize",
]
