"""What a case is, how it is run, and what comes of it."""

import random
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import causalaug
from causalaug.exceptions import CausalAugError, CausalAugWarning

LONGEST = 120
"""Seconds that a case may take before it counts as hanging; machines may be busy."""

PACKAGE, HERE = Path(causalaug.__file__).parent, Path(__file__).parent


class FoundError(Exception):
    """Something that the case found wrong; the message says what."""


class HangError(Exception):
    """The case did not end in time."""


@dataclass(frozen=True)
class Kind:
    """A sort of case: its name, what runs one, and how many inputs one case tries.

    `run` gets a random generator. `group` is the line of the table that the inputs are counted
    in; `share` is the part of the time that the kind gets, relative to the others; `longest` are
    the seconds after which a case counts as hanging.
    """

    name: str
    group: str
    run: Callable[[random.Random], None]
    share: float
    inputs: int = 1
    longest: int = LONGEST


@dataclass(frozen=True)
class Outcome:
    """What came of one case: "passed", "refused" by an error of ours, or "failed" and why."""

    verdict: str
    reason: str = ""


def generator(seed, kind, number):
    """Return the generator of one case; strings are hashed the same way in every process."""
    return random.Random(f"{seed}/{kind}/{number}")


def run_case(kind, seed, number, longest=LONGEST):
    """Return what comes of one case."""
    previous = signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(longest)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", category=RuntimeWarning)
            warnings.filterwarnings("ignore", category=CausalAugWarning)
            kind.run(generator(seed, kind.name, number))
    except CausalAugError as error:
        return _of_our_error(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome("failed", f"{type(error).__name__}: {str(error)[:2000]} {_where(error)}")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    return Outcome("passed")


def _of_our_error(error):
    """Return "refused", unless the error cannot be read: too long, or empty."""
    text = str(error)
    if not text or len(text) > 4000:
        return Outcome("failed", f"{type(error).__name__} of {len(text)} characters")
    return Outcome("refused")


def _where(error):
    """Return the last line of ours that an exception came through."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if Path(file).is_relative_to(PACKAGE) or Path(file).is_relative_to(HERE):
            found = f"({Path(file).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return found


def _alarm(signum, frame):
    raise HangError("the case did not end in time")
