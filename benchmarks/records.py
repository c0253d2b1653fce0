"""Records of losses: the options that make them, their tables, and two files of them side by side.

A record is one unit of a store (`units.Store`): its key says what was drawn, which learner and
which graph; the record holds the `loss` on fresh rows and the `seconds` of the fit. Units have
seeds, so that two versions of the code can be measured on the same ones and compared pair by pair:
run each with a file of its own (`--records`), then `--compare before.jsonl after.jsonl`.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sections import RESULTS, STORES, Page
from units import Store, percent, to_markdown, worst, worst_tenth

RIVALS = "rivals"
"""The learner of records that hold the losses of rivals, each under its name."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with records: what its command line chooses, and what its page shows.

    `choices` maps the options that choose among names to these names; all are the default. `key`
    names the columns that make a unit, `cell` those of them that make a cell.
    """

    name: str
    introduction: str
    titles: tuple[str, ...]
    first_seed: int
    units: int
    choices: Mapping[str, Sequence[str]]
    cell: Sequence[str]
    key: Sequence[str]

    def main(self, description, sections):
        """Do what the command line asks for; `sections` makes pairs of title and text."""
        asked = self.read_options(description)
        if asked.compare:
            print(comparison(*asked.compare, self.cell, self.key))
            return
        page = Page(RESULTS / f"{self.name}.md", self.introduction, self.titles)
        for title, text in sections(asked):
            print(f"## {title}\n\n{text}\n")
            if self.is_final(asked):
                page.record(title, text)

    def read_options(self, description):
        """Return the options of the command line."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--units", type=int, default=self.units, help="units a cell")
        parser.add_argument("--first-seed", type=int, default=self.first_seed)
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--records", type=Path, default=STORES / f"{self.name}.jsonl")
        parser.add_argument("--trust", type=trust_of, help="auto, full or a number, for learners")
        parser.add_argument(
            "--recorded", action="store_true", help="tables of the units that are there, no others"
        )
        parser.add_argument(
            "--compare",
            type=Path,
            nargs=2,
            metavar=("BEFORE", "AFTER"),
            help="print the differences of two files of records, and compute nothing",
        )
        for name, values in self.choices.items():
            parser.add_argument(f"--{name}", nargs="+", choices=values, default=list(values))
        return parser.parse_args()

    def is_final(self, asked):
        """Return whether a run has all that a page shows, on seeds that nothing was chosen on."""
        complete = all(
            set(getattr(asked, name)) == set(values) for name, values in self.choices.items()
        )
        plain = asked.trust is None and not asked.recorded
        fresh = asked.first_seed == self.first_seed
        return complete and plain and fresh and asked.units >= self.units


def trust_of(text):
    """Return what `trust` of a learner may be: a word or a number.

    >>> trust_of("full"), trust_of("0.5")
    ('full', 0.5)
    """
    return text if text in ("auto", "full") else float(text)


def trusting(asked):
    """Return the arguments of a learner that `--trust` adds: none unless it was given."""
    return {} if asked.trust is None else {"trust": asked.trust}


def fitted(learner, X, y):
    """Return the fitted learner and the seconds of processor time that it took."""
    started = time.process_time()
    return learner.fit(X, y), time.process_time() - started


def run(asked, tasks):
    """Return the units of all tasks, or of those that the records have."""
    store = Store(asked.records)
    if asked.recorded:
        tasks = [
            (key, call) for key, call in tasks if json.dumps(key, sort_keys=True) in store.units
        ]
    return store.run(tasks, asked.jobs)


# Tables.


def log_ratio(losses, rivals):
    """Return the log of the ratio of losses: what `percent` shows as 100 log(loss / rival)."""
    return np.log(np.asarray(losses, dtype=float) / np.asarray(rivals, dtype=float))


def against(cell, rival, loss="loss"):
    """Return three columns: the mean against a rival, the worst tenth of units, the worst unit."""
    ratios = log_ratio(cell[loss], cell[rival])
    ratios = ratios[np.isfinite(ratios)]
    shown = {
        f"against {rival}": percent,
        f"worst tenth against {rival}": worst_tenth,
        f"worst unit against {rival}": worst,
    }
    return {title: show(ratios) if len(ratios) else "" for title, show in shown.items()}


def table(results, by, columns):
    """Return a table with one line per cell; `columns` makes them of the units of a cell."""
    return to_markdown(
        [
            dict(zip(by, key, strict=True)) | {"units": len(cell)} | columns(cell)
            for key, cell in results.groupby(by, sort=False)
        ]
    )


def with_rivals(units, on):
    """Return one line per record of a learner, with the losses of the rivals on the same unit."""
    found = pd.DataFrame(units)
    is_rival = found["learner"] == RIVALS
    own = found[~is_rival].dropna(axis="columns", how="all")
    shared = ["learner", *(name for name in own if name not in on)]
    return own.merge(found[is_rival].drop(columns=shared, errors="ignore"), on=on)


# Two files of records.


def read_records(path):
    """Return the records of a file, with what their keys say as columns."""
    units = Store(path).units
    found = pd.DataFrame([json.loads(key) | unit for key, unit in units.items()])
    if "loss" not in found:
        raise ValueError(f"{path} must have records with a loss. Run the benchmark with it first.")
    return found.drop(columns="trust", errors="ignore")


def comparison(before, after, by, key):
    """Return the table of paired differences of two files of records.

    `key` names the columns that make a unit, `by` those of them that make a cell. Units that only
    one file has are left out.
    """
    both = [
        read_records(path).dropna(subset="loss")[[*key, "loss", "seconds"]]
        for path in (before, after)
    ]
    for path, found in zip((before, after), both, strict=True):
        if found.duplicated(key).any():
            raise ValueError(f"{path} must have each unit once. Give each trust a file of its own.")
    paired = both[0].merge(both[1], on=key, suffixes=(" before", " after"))
    if paired.empty:
        raise ValueError(f"{before} and {after} must share units. Run both with the same seeds.")

    def columns(cell):
        return against(cell, "loss before", "loss after") | {
            "seconds before": f"{cell['seconds before'].mean():.2f}",
            "seconds after": f"{cell['seconds after'].mean():.2f}",
        }

    return table(paired, list(by), columns)
