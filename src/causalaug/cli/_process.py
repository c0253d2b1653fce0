"""The process around the commands: its signals, its streams and its exit code."""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from causalaug.cli._app import app
from causalaug.cli._errors import (
    BROKEN_PIPE,
    FAILED,
    INTERRUPTED,
    TERMINATED,
    Terminated,
    complain,
)


def run() -> None:
    """Run the command that the arguments of the process name, and exit."""
    _open_streams()
    with suppress(ValueError):  # only the main thread may set a handler
        signal.signal(signal.SIGTERM, _terminate)
    try:
        app(prog_name="causalaug")
    except SystemExit as stop:
        _end_quietly_from_now_on()
        sys.exit(_flushed(stop.code))
    except KeyboardInterrupt:
        complain("Interrupted.")
        sys.exit(INTERRUPTED)
    except Terminated:
        complain("Terminated.")
        sys.exit(TERMINATED)


def _terminate(number: int, frame: FrameType | None) -> None:
    """Leave by an exception, so that temporary files are removed on the way out."""
    raise Terminated


def _end_quietly_from_now_on() -> None:
    """Let signals end the process as they do by default: all is said, and a traceback is noise."""
    with suppress(ValueError):
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):  # what is ignored stays ignored
                signal.signal(number, signal.SIG_DFL)


def _open_streams() -> None:
    """Let there be streams, and let them write what they cannot encode as escapes."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  open to the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _flushed(code: str | int | None) -> str | int | None:
    """Write out what is left, while it can still be told that this failed."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at exit, and would complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        gone = isinstance(error, BrokenPipeError)
        complain(BROKEN_PIPE if gone else f"The output could not be used: {error.strerror}.")
        return FAILED
    return code
