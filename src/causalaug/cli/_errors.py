"""Errors as a user of the shell wants them: one line, an exit code, no traceback."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn, ParamSpec

import typer

from causalaug._atomic import noting_outputs
from causalaug.cli._text import listed, on_one_line
from causalaug.exceptions import CausalAugError, GraphMismatchError

FAILED, INTERRUPTED, TERMINATED = 1, 130, 143
BROKEN_PIPE = "The reader of the output went away before all was written (broken pipe)."
SHELL_HINT = (
    " In the shell: --drop takes columns away, `causalaug graph convert --keep` projects "
    "variables out of a graph."
)

NOTHING_WRITTEN = "Nothing was written."

Arguments = ParamSpec("Arguments")


class Terminated(BaseException):
    """Somebody asked the process to end (SIGTERM)."""


def complain(message: str) -> None:
    """Print an error in one line, on the standard error stream."""
    print(f"error: {on_one_line(message)}", file=sys.stderr)


def reported(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Let a command end with one line and an exit code, whatever happens in it.

    The command has the options `debug`, to see where an error came from, and `quiet`, to see
    no warnings.
    """

    @wraps(command)
    def run(*args: Arguments.args, **options: Arguments.kwargs) -> None:
        debug = bool(options.get("debug")) or os.environ.get("CAUSALAUG_DEBUG", "") not in ("", "0")
        with _one_line_each(debug=debug), _short_warnings(quiet=bool(options.get("quiet"))):
            command(*args, **options)

    return run


@contextmanager
def _one_line_each(*, debug: bool) -> Iterator[None]:
    """Turn what was raised into a line and an exit code."""
    with noting_outputs() as written:
        try:
            yield
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except KeyboardInterrupt as stop:
            _end(f"Interrupted. {_kept(stop, written())}", INTERRUPTED, debug=debug)
        except Terminated as stop:
            _end(f"Terminated. {_kept(stop, written())}", TERMINATED, debug=debug)
        except BrokenPipeError:
            _end(BROKEN_PIPE, FAILED, debug=debug)
        except Exception as error:
            _end(_in_words(error), FAILED, debug=debug)


def _kept(stop: BaseException, written: list[str]) -> str:
    """Return what somebody who stopped a command finds: what is kept, and which files are new."""
    files = f"Written before that: {listed(written)}." if written else ""
    return " ".join(filter(None, [str(stop), files])) or NOTHING_WRITTEN


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """Say what is kept if somebody stops the block."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as stop:
        raise type(stop)(what) from None


def _in_words(error: Exception) -> str:
    """Return the message of an error; one that is not ours gets its name and a way to look."""
    if isinstance(error, GraphMismatchError):
        return f"{error}{SHELL_HINT}"
    if isinstance(error, CausalAugError):
        return str(error)
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
    complain(message)
    raise typer.Exit(code)


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
