"""The experiment of Teshima and Sugiyama (2021): as published, as written, and honestly."""

from causalaug.experiments._blended import BlendedProtocol
from causalaug.experiments._boosting import Booster, BoostingGrid
from causalaug.experiments._honest import HonestProtocol
from causalaug.experiments._plain_floats import PlainFloatConditional
from causalaug.experiments._protocols import ABLATIONS, METHODS, PROTOCOLS
from causalaug.experiments._published import PublishedProtocol
from causalaug.experiments._record import TIMINGS, Record
from causalaug.experiments._runner import run_experiment
from causalaug.experiments._spec import PAPER_FRACTIONS, ExperimentSpec, Run
from causalaug.experiments._store import RecordStore
from causalaug.experiments._summary import summarize

__all__ = [
    "ABLATIONS",
    "BlendedProtocol",
    "METHODS",
    "PAPER_FRACTIONS",
    "PROTOCOLS",
    "TIMINGS",
    "Booster",
    "BoostingGrid",
    "ExperimentSpec",
    "HonestProtocol",
    "PlainFloatConditional",
    "PublishedProtocol",
    "Record",
    "RecordStore",
    "Run",
    "run_experiment",
    "summarize",
]
