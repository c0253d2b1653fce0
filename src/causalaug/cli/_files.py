"""Files that a command reads or writes: they must be there, and not be the same."""

import os
import stat
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from causalaug._validation import brief
from causalaug.exceptions import DataNotFoundError, OutputError


def check_input(path: Path, what: str) -> None:
    """Raise unless there is a file to be read; `what` opens the message, as in "A table"."""
    shown = brief(str(path))
    # The functions of `os.path` say no where those of `Path` raise: zero bytes, endless names.
    if os.path.isdir(path):
        raise DataNotFoundError(
            f"{what} must be a file. Found a folder: {shown}. Name a file in it."
        )
    if not os.path.exists(path):
        raise DataNotFoundError(f"{what} must be a file. Found none: {shown}. {_near(path)}")
    if not os.path.isfile(path):  # It may have no end, or wait for ever for a first byte.
        raise DataNotFoundError(
            f"{what} must be a regular file. Found a {_sort_of_file(path)}: {shown}. Write its "
            "content to a file first."
        )


def check_not_an_input(
    out: Path, inputs: Iterable["str | os.PathLike[str]"], *, overwrite: bool
) -> None:
    """Raise if an output is a file that is read, by whatever name, unless that is what is wanted.

    Symbolic and hard links are other names of the same file. An input that is no file, such as
    arrows, is none of our business.
    """
    same = [] if overwrite else [each for each in inputs if _is_same_file(out, each)]
    if same:
        raise OutputError(
            f"The output must not be a file that is read. Found that {brief(str(out))} is "
            f"{brief(os.fspath(same[0]))}. Name another file, or say --overwrite."
        )


def _is_same_file(out: Path, given: "str | os.PathLike[str]") -> bool:
    try:
        return os.path.samefile(out, given)
    except (OSError, ValueError):  # There is none, or there cannot be one: zero bytes.
        return False


def _sort_of_file(path: Path) -> str:
    mode = os.stat(path).st_mode
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _near(path: Path) -> str:
    """Return a question about a file whose name is close, or advice."""
    folder = path.parent
    if not os.path.isdir(folder):
        return f"There is no folder {brief(str(folder))} either."
    close = get_close_matches(path.name, sorted(os.listdir(folder)), n=1)
    return f"Did you mean {str(folder / close[0])!r}?" if close else "Correct the path."
