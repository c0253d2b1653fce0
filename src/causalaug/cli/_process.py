"""The process around a command: its signals, its streams, and errors as a user of the shell wants.

That is one line and an exit code, no traceback.
"""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from types import FrameType
from typing import Any, NoReturn

import typer

from causalaug._atomic import noting_outputs
from causalaug.cli._options import with_groups
from causalaug.cli._output import listed, on_one_line
from causalaug.exceptions import CausalAugError, GraphMismatchError

FAILED, INTERRUPTED, TERMINATED = 1, 130, 143
SHELL_HINT = (
    " In the shell: --drop takes columns away, `causalaug graph convert --keep` projects "
    "variables out of a graph."
)


class Terminated(BaseException):
    """Somebody asked the process to end (SIGTERM)."""


def run(app: typer.Typer) -> None:
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
        _complain("Interrupted.")
        sys.exit(INTERRUPTED)
    except Terminated:
        _complain("Terminated.")
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
        _complain(_in_words(error))
        return FAILED
    return code


def reported(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command end with one line and an exit code, whatever happens in it.

    The command has the options `debug`, to see where an error came from, and `quiet`, to see
    no warnings. Options in groups are its parameters, see `with_groups`.
    """
    command = with_groups(command)

    @wraps(command)
    def run(**options: Any) -> None:
        debug = bool(options.get("debug")) or os.environ.get("CAUSALAUG_DEBUG", "") not in ("", "0")
        with _one_line_each(debug=debug), _short_warnings(quiet=bool(options.get("quiet"))):
            command(**options)

    return run


@contextmanager
def _one_line_each(*, debug: bool) -> Iterator[None]:
    """Turn what was raised into a line and an exit code."""
    with noting_outputs() as written:
        try:
            yield
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except (KeyboardInterrupt, Terminated) as stop:
            is_signal = isinstance(stop, Terminated)
            word, code = ("Terminated", TERMINATED) if is_signal else ("Interrupted", INTERRUPTED)
            files = f"Written before that: {listed(written())}." if written() else ""
            _end(f"{word}. {files or 'Nothing was written.'}", code, debug=debug)
        except Exception as error:
            _end(_in_words(error), FAILED, debug=debug)


def _in_words(error: Exception) -> str:
    """Return the message of an error; one that is not ours gets its name and a way to look."""
    if isinstance(error, GraphMismatchError):
        return f"{error}{SHELL_HINT}"
    if isinstance(error, CausalAugError):
        return str(error)
    if isinstance(error, BrokenPipeError):
        return "The reader of the output went away before all was written (broken pipe)."
    if isinstance(error, OSError) and error.strerror:
        # An error without the name of a file comes from a stream.
        what = "The output" if error.filename is None else repr(error.filename)
        return f"{what} could not be used: {error.strerror}."
    if isinstance(error, MemoryError):
        return "There is not enough memory. Ask for fewer rows, or use fewer columns."
    return f"{type(error).__name__}: {error}. Run it again with --debug to see where."


def _end(message: str, code: int, *, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exc(file=sys.stderr)
    _complain(message)
    raise typer.Exit(code)


def _complain(message: str) -> None:
    print(f"error: {on_one_line(message)}", file=sys.stderr)


@contextmanager
def _short_warnings(*, quiet: bool) -> Iterator[None]:
    """Print each warning of the libraries once and in one line, or not at all."""
    seen = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = on_one_line(str(message))
        if line not in seen and not quiet:
            seen.add(line)
            print(f"warning: {line}", file=sys.stderr)

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("default")
            for silent in (DeprecationWarning, PendingDeprecationWarning, ImportWarning):
                warnings.simplefilter("ignore", silent)
            # The remarks on the file and its kinds say that, in words of the shell.
            warnings.filterwarnings("ignore", message="Columns of text that hold numbers")
        warnings.showwarning = show
        yield
