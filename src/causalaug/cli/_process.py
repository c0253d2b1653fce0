"""The process around the commands: its signals, its streams and its exit code."""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from causalaug.cli._app import app
from causalaug.cli._errors import BROKEN_PIPE, FAILED, INTERRUPTED, Terminated, complain


def run() -> None:
    """Run the command that the arguments of the process name, and exit."""
    _stay_writable()
    with suppress(ValueError):  # only the main thread may set a handler
        signal.signal(signal.SIGTERM, _terminate)
    try:
        app(prog_name="causalaug")
    except SystemExit as stop:
        sys.exit(_flushed(stop.code))
    except KeyboardInterrupt:
        complain("Interrupted.")
        sys.exit(INTERRUPTED)


def _terminate(number: int, frame: FrameType | None) -> None:
    """Leave by an exception, so that temporary files are removed on the way out."""
    raise Terminated


def _stay_writable() -> None:
    """Let characters that the output cannot encode be written as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _flushed(code: str | int | None) -> str | int | None:
    """Write out what is left, while a reader that has gone can still be told about."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at exit, and would complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain(BROKEN_PIPE)
        return FAILED
    except OSError as error:
        complain(f"The output could not be written: {error.strerror}.")
        return FAILED
    return code
