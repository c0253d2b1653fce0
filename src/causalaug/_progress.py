"""How far a long call is, about how long the rest will take, and how long it may take.

Calls that may take minutes have a ``callback``, called with the steps done and their total, and
``verbose``, which shows them on the standard error stream. Steps may differ in length, so who
knows better says by `report_step` which share of the work is done, and estimates go by that.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any

from causalaug._validation import is_positive
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS_BETWEEN_LINES, SECONDS_BETWEEN_DRAWINGS = 10.0, 1.0
"""How often progress is told in a log, and how often one line is drawn anew."""
OUT_OF_TIME = "left out for want of time"
"""What is said of work that a limit of time left out."""


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
    callback: Any = None
    """Who is told of each step as well."""
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
        report_step(self.callback, done, total, share)

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


@contextmanager
def shown(label: str, callback: Any = None) -> Iterator[Steps]:
    """Yield steps that are shown on the standard error stream, from a thread of its own.

    The work itself reports only after each step, and one step may take a minute. On a terminal, or
    in a notebook, a bar is drawn over and over; else there is a line now and then, so that a log
    shows that something is under way.
    """
    steps, over, stream = Steps(label, callback), threading.Event(), sys.stderr
    in_place = stream.isatty() or "ipykernel" in sys.modules
    longest = 0

    def draw(text: str, end: str = "") -> None:
        nonlocal longest
        text = text[: get_terminal_size().columns - 1]
        longest = max(longest, len(text))
        print(f"\r{text.ljust(longest)}", end=end, file=stream, flush=True)

    def bar() -> str:
        full = int(steps.share * 20)
        return f"[{'#' * full}{'.' * (20 - full)}] {steps.line()}"

    def show() -> None:
        while not over.wait(SECONDS_BETWEEN_DRAWINGS if in_place else SECONDS_BETWEEN_LINES):
            if in_place:
                draw(bar())
            else:
                print(steps.line(), file=stream, flush=True)

    thread = threading.Thread(target=show, name="causalaug-progress", daemon=True)
    thread.start()
    try:
        yield steps
    finally:
        over.set()
        thread.join()
        if in_place and steps.total:
            draw(bar(), "\n")
        elif longest:  # nothing was counted: the line makes room for what comes next
            draw("", "\r")


@contextmanager
def watched(label: str, callback: Any, *, verbose: bool) -> Iterator[Any]:
    """Yield what is to be called after each step: `callback`, and what shows it if `verbose`."""
    if verbose:
        with shown(label, callback) as steps:
            yield steps
    else:
        yield callback


def report_step(callback: Any, done: int, total: int, share: float) -> None:
    """Tell a callback of a step, with the share of the work if it takes that; None is not told."""
    if hasattr(callback, "at"):
        callback.at(done, total, share)
    elif callback is not None:
        callback(done, total)


@dataclass(frozen=True)
class Budget:
    """Until when something new may be begun.

    The clock is that of the machine, so that processes share a deadline.
    """

    deadline: float = float("inf")

    @classmethod
    def of(cls, *, minutes: float | None = None, seconds: float | None = None) -> Budget:
        """Return a budget that starts now; None has no end.

        >>> Budget.of(minutes=1, seconds=60)
        Traceback (most recent call last):
        causalaug.exceptions.ParameterError: Either `minutes` or `seconds` must be given. ...
        """
        for name, value in (("minutes", minutes), ("seconds", seconds)):
            if value is not None and not is_positive(value):
                raise ParameterError(
                    f"`{name}` must be a positive number, or None for no limit. Found {value!r}."
                )
        if minutes is not None and seconds is not None:
            raise ParameterError(
                "Either `minutes` or `seconds` must be given. "
                f"Found both, {minutes!r} and {seconds!r}. Leave one of them out."
            )
        if minutes is not None:
            seconds = 60.0 * float(minutes)
        return cls() if seconds is None else cls(monotonic() + float(seconds))

    @property
    def is_limited(self) -> bool:
        """Whether there is an end."""
        return self.deadline < float("inf")

    def allows(self, seconds: float = 0.0) -> bool:
        """Say whether something that takes so long could still be done."""
        return monotonic() + seconds < self.deadline
