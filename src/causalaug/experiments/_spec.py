"""An experiment as data: what to run, and with which settings."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from causalaug._validation import check_choice, check_integer, is_positive, typing_slips
from causalaug.datasets import list_datasets
from causalaug.exceptions import ParameterError
from causalaug.experiments._boosting import BoostingGrid
from causalaug.experiments._protocols import METHODS, PROTOCOLS

PAPER_FRACTIONS = tuple(round(0.05 * step, 2) for step in range(2, 18))
"""The sixteen training fractions of the paper: .1, .15, ..., .85."""


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
        Names of `causalaug.experiments.PROTOCOLS`.
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
        for fraction in self.fractions:
            if not is_positive(fraction) or fraction >= 1.0:
                raise ParameterError(
                    f"`fractions` must lie between 0 and 1, both excluded. Found {fraction!r}."
                )
        for n_rounds in self.rounds:
            check_integer("rounds", n_rounds, at_least=1)
        for penalty in self.reg_lambda:
            if not is_positive(penalty):
                raise ParameterError(f"`reg_lambda` must be positive. Found {penalty!r}.")

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
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ParameterError(
                f"An experiment must have no other settings than {known}. Found {unknown}. "
                + typing_slips(unknown, known)
            )
        return cls(**settings)

    @classmethod
    def from_file(cls, path: "str | Path") -> "ExperimentSpec":
        """Read a spec from a file in TOML or JSON, told by its ending."""
        path = Path(path)
        check_choice("ending of the file", path.suffix.lower(), (".toml", ".json"))
        try:
            text = path.read_text(encoding="utf-8")
            settings = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
            raise ParameterError(
                f"{str(path)!r} must hold an experiment in {path.suffix[1:].upper()}. "
                f"Found: {error}."
            ) from error
        if not isinstance(settings, Mapping):
            raise ParameterError(
                f"{str(path)!r} must hold names with values. Found a {type(settings).__name__}."
            )
        return cls.from_dict(settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain lists and numbers, to be written as JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def _as_tuple(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__") or not len(values):
        raise ParameterError(f"`{name}` must be a list of at least one entry. Found {values!r}.")
    return tuple(dict.fromkeys(values))


def _check_names(name: str, found: tuple[str, ...], known: Any) -> None:
    unknown = [each for each in found if each not in known]
    if unknown:
        raise ParameterError(
            f"`{name}` must be among {list(known)}. Found {unknown}. "
            + typing_slips([str(each) for each in unknown], list(known)).rstrip()
        )
