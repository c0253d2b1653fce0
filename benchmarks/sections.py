"""The edges of a benchmark that has sections: its options, its clock, and the page of its results.

A section is a function that returns text; a benchmark maps titles to sections. Each is run, timed
and printed, and goes into the page if the run is a final one: with all units, and with models on
which nothing was chosen.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

from units import Store

STORES = Path(__file__).parent / "store"
RESULTS = Path(__file__).parent.parent / "docs" / "results"


@dataclass(frozen=True)
class Settings:
    """How much is computed, where it is kept, and by how many processes."""

    store: Store
    jobs: int
    units: int
    first_seed: int
    quick: bool

    @classmethod
    def from_options(cls, options):
        """Return the settings that the options of a command line ask for."""
        store = Store(options.store)
        return cls(store, options.jobs, options.units, options.first_seed, options.quick)


def read_options(description, sections, *, store, first_seed, jobs, quick, units=40):
    """Return the options of the command line; `quick` says what a quick run leaves out."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--units", type=int, default=units, help="units a cell, of all shapes")
    parser.add_argument("--jobs", type=int, default=jobs)
    parser.add_argument("--quick", action="store_true", help=f"{quick}; writes no page")
    parser.add_argument("--first-seed", type=int, default=first_seed)
    parser.add_argument("--store", default=STORES / store)
    parser.add_argument("--only", nargs="*", choices=[f.__name__ for f in sections.values()])
    return parser.parse_args()


def run_sections(sections, only, write, page=None):
    """Print what `write` makes of each section, and put it into the page if there is one.

    `only` are the names of the functions to run, or None for all.
    """
    for title, section in sections.items():
        if only is not None and section.__name__ not in only:
            continue
        started = time.perf_counter()
        text = write(title, section)
        print(f"## {title} ({time.perf_counter() - started:.0f} s)\n\n{text}\n", flush=True)
        if page is not None:
            page.record(title, text)


@dataclass(frozen=True)
class Page:
    """A page of results: an introduction, and sections in the order of their titles."""

    path: Path
    introduction: str
    titles: tuple[str, ...]

    def record(self, title, text):
        """Put one section into the page; the others stay as they are."""
        page = self.path.read_text() if self.path.exists() else ""
        found = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
        found[title] = f"\n{text}\n"
        parts = [f"## {name}\n{found[name]}" for name in self.titles if name in found]
        self.path.write_text("\n".join([self.introduction, *parts]))
