"""Files that are there in full or not at all.

What is written goes to a hidden file in the same folder; only when it is complete, and on the
disk, does it take the name that was asked for. Whatever happens before that, an error, a full
disk, Ctrl-C, leaves what was there as it was.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from causalaug.exceptions import OutputError

__all__ = ["atomic_path", "check_output"]

_LONGEST_STEM = 100


@contextmanager
def atomic_path(path: "str | os.PathLike[str]") -> Iterator[Path]:
    """Yield a temporary path in the same folder, which becomes `path` if the block succeeds.

    Parameters
    ----------
    path : str or path
        The file to be written or replaced. A symbolic link stays, and what it points to is
        replaced. A device or a pipe, such as ``/dev/stdout``, is written to as it is.

    Yields
    ------
    Path
        An empty file to write to, with the ending of `path`, which many writers go by.

    Raises
    ------
    OutputError
        If the folder is missing, if `path` is a folder or must not be written, or if the
        block or the system fails to write: the disk is full, say.

    Examples
    --------
    A block that fails leaves the old file, and nothing else:

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "report.txt")
    >>> with atomic_path(path) as temporary:
    ...     _ = temporary.write_text("old")
    >>> with atomic_path(path) as temporary:
    ...     _ = temporary.write_text("half of the n")
    ...     raise ValueError("no more")
    Traceback (most recent call last):
    ValueError: no more
    >>> path.read_text(), os.listdir(folder.name)
    ('old', ['report.txt'])
    >>> folder.cleanup()
    """
    check_output(path)
    final = Path(os.path.realpath(path))
    if final.exists() and not final.is_file():
        with _explained(path):
            yield final
        return
    with _explained(path):
        temporary = _create_beside(final)
        try:
            yield temporary
            _sync(temporary)
            os.replace(temporary, final)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        with suppress(OSError):
            _sync(final.parent)


def check_output(path: "str | os.PathLike[str]") -> None:
    """Raise unless a file could be written at `path`; worth asking before long work.

    >>> check_output("no/such/folder/report.html")
    Traceback (most recent call last):
    causalaug.exceptions.OutputError: The folder of an output must exist. ...
    """
    with _explained(path):
        _check_place(Path(os.path.realpath(path)), repr(os.fspath(path)))


def _check_place(final: Path, shown: str) -> None:
    if final.is_dir():
        raise OutputError(f"An output must be a file. Found a folder: {shown}. Add a file name.")
    if not final.parent.is_dir():
        raise OutputError(
            f"The folder of an output must exist. Found no {str(final.parent)!r}. "
            "Create it, or correct the path."
        )
    touched = final if final.exists() else final.parent
    replaced = final.parent if final.is_file() else touched
    if not (os.access(touched, os.W_OK) and os.access(replaced, os.W_OK)):
        raise OutputError(
            f"An output must be writable. Found that {shown} is not. "
            "Change its permissions, or write to another place."
        )


@contextmanager
def _explained(path: "str | os.PathLike[str]") -> Iterator[None]:
    """Turn an error of the system into one that names the output."""
    try:
        yield
    except (OutputError, BrokenPipeError):
        raise
    except OSError as error:
        raise OutputError(
            f"The output {os.fspath(path)!r} could not be written: {error.strerror or error}. "
            "Nothing was changed. Free some space, or write to another place."
        ) from error


def _create_beside(final: Path) -> Path:
    """Create an empty, hidden file in the folder of `final`, with its ending and permissions."""
    stem = final.stem[:_LONGEST_STEM]
    temporary = final.with_name(f".{stem}.{token_hex(6)}.tmp{final.suffix}")
    temporary.touch(mode=0o666, exist_ok=False)
    if final.exists():
        temporary.chmod(stat.S_IMODE(final.stat().st_mode))
    return temporary


def _sync(path: Path) -> None:
    """Wait until the file, or the names in the folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
