"""An experiment as data: what to run, and with which settings."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from causalaug._validation import brief, check_choice, check_integer, is_positive, typing_slips
from causalaug.datasets import list_datasets
from causalaug.exceptions import DataNotFoundError, ParameterError
from reproduction.boosting import BoostingGrid
from reproduction.protocols import METHODS, PROTOCOLS

PAPER_FRACTIONS = tuple(round(0.05 * step, 2) for step in range(2, 18))
"""The sixteen training fractions of the paper: .1, .15, ..., .85."""
MOST_RUNS = 1_000_000
"""The paper's whole design has 11,520. All runs are listed at once; more would take gigabytes."""
LARGEST_SEED = 2**128 - 1
"""The largest that numpy draws by itself; far larger ones could not be written into a store."""
LONGEST_SPEC = 16_384
"""Characters of a file. A spec has some hundred; the time and memory that reading TOML takes may
grow with the square of the length, so that a file of 200,000 could take all there is."""
LONGEST_REASON = 300
"""Characters of what a library says of a file."""


class Run(NamedTuple):
    """What names one run: no two records of a store have the same."""

    dataset: str
    fraction: float
    split: int
    protocol: str
    method: str


@dataclass(frozen=True)
class ExperimentSpec:
    """What to run, and with which settings.

    Parameters
    ----------
    datasets : tuple of str
        Names of `causalaug.datasets.list_datasets`; by default all six of the paper.
    fractions : tuple of float
        Shares of the rows to learn from; by default the paper's sixteen.
    n_splits : int, default=20
        How often the rows are split at random, for each data set and fraction.
    protocols : tuple of str, default=("reference", "paper", "honest")
        Names of `reproduction.PROTOCOLS`.
    methods : tuple of str, default=("baseline", "augmented")
        Which of the two methods to run.
    rounds, reg_lambda : tuple
        The numbers of boosting rounds and the penalties to choose from.
    seed : int, default=0
        Fixes all splits. Methods and protocols see the same ones.

    Examples
    --------
    >>> spec = ExperimentSpec(datasets=["sachs"], fractions=[0.1, 0.3], n_splits=10)
    >>> len(spec.runs()), spec.runs()[0]
    (120, Run(dataset='sachs', fraction=0.1, split=1, protocol='reference', method='baseline'))
    >>> ExperimentSpec.from_dict({"datasets": ["sacks"]})
    Traceback (most recent call last):
    ...
    causalaug.exceptions.ParameterError: `datasets` must be among ['auto_mpg', 'boston_housing', \
'gss', 'red_wine', 'sachs', 'white_wine']. Found ['sacks']. A typing slip? 'sacks' -> 'sachs'.
    """

    datasets: tuple[str, ...] = list_datasets()
    fractions: tuple[float, ...] = PAPER_FRACTIONS
    n_splits: int = 20
    protocols: tuple[str, ...] = ("reference", "paper", "honest")
    methods: tuple[str, ...] = METHODS
    rounds: tuple[int, ...] = BoostingGrid.rounds
    reg_lambda: tuple[float, ...] = BoostingGrid.reg_lambda
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse names that do not exist and numbers out of range; lists become tuples."""
        for field in fields(self):
            if isinstance(field.default, tuple):
                object.__setattr__(
                    self, field.name, _as_tuple(field.name, getattr(self, field.name))
                )
        _check_names("datasets", self.datasets, list_datasets())
        _check_names("protocols", self.protocols, PROTOCOLS)
        _check_names("methods", self.methods, METHODS)
        check_integer("n_splits", self.n_splits, at_least=1)
        check_integer("seed", self.seed, at_least=0)
        if self.seed > LARGEST_SEED:
            raise ParameterError(f"`seed` must be below 2**128. Found {brief(self.seed)}.")
        for fraction in self.fractions:
            if not is_positive(fraction) or fraction >= 1.0:
                raise ParameterError(
                    f"`fractions` must lie between 0 and 1, both excluded. Found {brief(fraction)}."
                )
        for n_rounds in self.rounds:
            check_integer("rounds", n_rounds, at_least=1)
        for penalty in self.reg_lambda:
            if not is_positive(penalty):
                raise ParameterError(f"`reg_lambda` must be positive. Found {brief(penalty)}.")
        _check_number_of_runs(self)

    @property
    def grid(self) -> BoostingGrid:
        """The settings that a search chooses from."""
        return BoostingGrid(tuple(sorted(self.rounds)), tuple(sorted(self.reg_lambda)))

    @property
    def shared_settings(self) -> dict[str, Any]:
        """What all runs of one store have in common."""
        return {
            "seed": self.seed,
            **{name: list(value) for name, value in asdict(self.grid).items()},
        }

    def runs(self) -> tuple[Run, ...]:
        """Return every run, small tables first within a data set."""
        splits = range(1, self.n_splits + 1)
        return tuple(
            Run(dataset, fraction, split, protocol, method)
            for dataset, fraction, split, protocol, method in product(
                self.datasets, self.fractions, splits, self.protocols, self.methods
            )
        )

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> "ExperimentSpec":
        """Return the spec that a mapping describes; what it leaves out has its default."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(str(name) for name in settings if name not in known)
        if unknown:
            raise ParameterError(
                f"An experiment must have no other settings than {known}. Found {brief(unknown)}. "
                + typing_slips(_short(unknown), known)
            )
        return cls(**settings)

    @classmethod
    def from_file(cls, path: "str | Path") -> "ExperimentSpec":
        """Read a spec from a file in TOML or JSON, told by its ending."""
        path = Path(path)
        check_choice("ending of the file", path.suffix.lower(), (".toml", ".json"))
        loads = tomllib.loads if path.suffix.lower() == ".toml" else json.loads
        try:
            settings = loads(_read_text(path))
        except (ValueError, RecursionError) as error:
            # The errors of both libraries are ValueErrors; so is a number of 5,000 digits.
            raise ParameterError(
                f"{brief(str(path))} must hold an experiment in {path.suffix[1:].upper()}. "
                f"Found: {str(error)[:LONGEST_REASON]}."
            ) from error
        if not isinstance(settings, Mapping):
            raise ParameterError(
                f"{brief(str(path))} must hold names with values. "
                f"Found a {type(settings).__name__}."
            )
        return cls.from_dict(settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain lists and numbers, to be written as JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def _read_text(path: Path) -> str:
    """Return the text of a file; ValueError if it is none, or if its path cannot be one."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LONGEST_SPEC + 1)
    except OSError as error:
        raise DataNotFoundError(
            f"An experiment must be a file that can be read. Found {brief(str(path))}: "
            f"{error.strerror or error}. Correct the path."
        ) from error
    if len(text) > LONGEST_SPEC:
        raise ValueError(f"more than {LONGEST_SPEC:,} characters")
    return text


def _as_tuple(name: str, values: Any) -> tuple[Any, ...]:
    """Return a list as a tuple, each entry once."""
    # A set has no order, and a mapping is a slip: its values would be lost.
    is_list = hasattr(values, "__len__") and hasattr(values, "__iter__")
    if not is_list or isinstance(values, str | bytes | Set | Mapping) or not len(values):
        raise ParameterError(
            f"`{name}` must be a list of at least one entry. Found {brief(values)}."
        )
    try:
        return tuple(dict.fromkeys(values))
    except TypeError as error:  # Lists cannot be compared by hash.
        raise ParameterError(
            f"`{name}` must be a list of names or numbers, without lists in it. "
            f"Found {brief(values)}."
        ) from error


def _check_names(name: str, found: tuple[str, ...], known: Any) -> None:
    unknown = [each for each in found if each not in known]
    if unknown:
        raise ParameterError(
            f"`{name}` must be among {list(known)}. Found {brief(unknown)}. "
            + typing_slips(_short(unknown), list(known)).rstrip()
        )


def _short(names: Sequence[object]) -> list[str]:
    """Return the names that may be typing slips: few, and not endless."""
    return [str(name) for name in names[:10] if isinstance(name, str) and len(name) < 50]


def _check_number_of_runs(spec: ExperimentSpec) -> None:
    listed = (spec.datasets, spec.fractions, spec.protocols, spec.methods)
    number = spec.n_splits * math.prod(map(len, listed))
    if number > MOST_RUNS:
        raise ParameterError(
            f"An experiment must have at most {MOST_RUNS:,} runs. Found {brief(number)}. "
            "Ask for fewer splits, fractions, data sets, protocols or methods."
        )
