"""How far a long call is: what is done, of how much, and about how long the rest will take.

Calls that may take minutes have a ``callback``, called with the steps done and their total, and
``verbose``, which shows them on the standard error stream. Steps may differ in length, so who
knows better says by `report_step` which share of the work is done, and estimates go by that.
"""

from __future__ import annotations

import sys
import threading
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS_BETWEEN_LINES, SECONDS_BETWEEN_DRAWINGS = 10.0, 1.0
"""How often progress is told in a log, and how often one line is drawn anew."""

WIDTH_OF_BAR = 20


@dataclass
class Steps:
    """What is known of the progress of some work.

    Examples
    --------
    One step of two is done, but it was the long one:

    >>> steps = Steps("Fitting", began=monotonic() - 90.0)
    >>> steps.at(1, 2, share=0.9)
    >>> steps.line()
    'Fitting: 1 of 2 steps, 90 s so far, about 10 s left'
    """

    label: str
    began: float = field(default_factory=monotonic)
    done: int = 0
    total: int = 0
    share: float = 0.0
    at_share: float = 0.0
    """The seconds after which the share was reached."""

    def __call__(self, done: int, total: int) -> None:
        """Keep how many steps are done, and of how many; they count as equally long."""
        self.at(done, total, done / total if total else 0.0)

    def at(self, done: int, total: int, share: float) -> None:
        """Keep how many steps are done, and which share of the work they are."""
        self.done, self.total, self.share = done, total, share
        self.at_share = monotonic() - self.began

    def seconds_left(self) -> float | None:
        """Return about how long the rest will take; None if that cannot be known yet."""
        if not 0.0 < self.share < 1.0:
            return None
        # By the time of the last step: until the next one is done, nothing new is known.
        waited = monotonic() - self.began - self.at_share
        return max(self.at_share * (1.0 - self.share) / self.share - waited, 0.0)

    def line(self) -> str:
        """Return the progress in words."""
        steps = f" {self.done} of {self.total} steps," if self.total else ""
        left = self.seconds_left()
        after = "" if left is None else f", about {left:.0f} s left"
        return f"{self.label}:{steps} {monotonic() - self.began:.0f} s so far{after}"

    def bar(self) -> str:
        """Return the progress as a bar, and in words."""
        full = int(self.share * WIDTH_OF_BAR)
        return f"[{'#' * full}{'.' * (WIDTH_OF_BAR - full)}] {self.line()}"


class Shown(AbstractContextManager[Steps]):
    """Shows steps on the standard error stream, from a thread of its own.

    The work itself reports only after each step, and one step may take a minute. In place, a bar
    is drawn over and over; else there is a line now and then, so that a log shows that something
    is under way.
    """

    def __init__(self, label: str, *, every: float, in_place: bool) -> None:
        self._steps = Steps(label)
        self._every, self._in_place = every, in_place
        self._stream, self._longest = sys.stderr, 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="causalaug-progress", daemon=True)

    def __enter__(self) -> Steps:
        """Begin to show."""
        self._thread.start()
        return self._steps

    def __exit__(self, *error: object) -> None:
        """Show the end, and no more."""
        self._over.set()
        self._thread.join()
        if self._in_place:
            self._draw("\n")

    def _beat(self) -> None:
        while not self._over.wait(self._every):
            if self._in_place:
                self._draw("")
            else:
                print(self._steps.line(), file=self._stream, flush=True)

    def _draw(self, end: str) -> None:
        text = self._steps.bar()
        self._longest = max(self._longest, len(text))
        print("\r" + text.ljust(self._longest), end=end, file=self._stream, flush=True)


@contextmanager
def watched(label: str, callback: Any, *, verbose: bool) -> Iterator[Any]:
    """Yield what is to be called after each step: `callback`, and what shows it if `verbose`."""
    if not verbose:
        yield callback
        return
    in_place = sys.stderr.isatty() or "ipykernel" in sys.modules
    every = SECONDS_BETWEEN_DRAWINGS if in_place else SECONDS_BETWEEN_LINES
    with Shown(label, every=every, in_place=in_place) as steps:
        yield steps if callback is None else _Both(callback, steps)


@dataclass(frozen=True)
class _Both:
    """Tells two of each step."""

    first: Any
    second: Any

    def __call__(self, done: int, total: int) -> None:
        self.first(done, total)
        self.second(done, total)

    def at(self, done: int, total: int, share: float) -> None:
        for callback in (self.first, self.second):
            report_step(callback, done, total, share)


def report_step(callback: Any, done: int, total: int, share: float) -> None:
    """Tell a callback of a step, with the share of the work if it takes that; None is not told."""
    if hasattr(callback, "at"):
        callback.at(done, total, share)
    elif callback is not None:
        callback(done, total)
