"""Files that are there in full or not at all.

What is written goes to a hidden file in the same folder; only when it is complete, and on the
disk, does it take the name that was asked for. Whatever happens before that, an error, a full
disk, Ctrl-C, leaves what was there as it was.

A process that is killed (``kill -9``, a loss of power) cannot remove its hidden file. The next
one that writes into the folder does. It must not remove that of a process which is still at work,
perhaps on another machine that shares the folder. So the name of a hidden file says who writes it:
``.STEM.MACHINE-PID-START-TOKEN.tmp.ENDING``.

- MACHINE is equal for two processes that see each other's process numbers: same boot of the same
  kernel, same namespace of processes. Two containers, or a machine before and after a reboot,
  differ. Where it is equal, the process of that number either lives, or its file is removed. START
  is when it started, so that a new process with an old number is not taken for it.
- Where MACHINE differs nothing can be asked, and the file stays until it was not written to for
  a day. That is measured by the clock that stamps the files of this folder, not by ours: the
  clocks of two machines may differ.

No lock is taken. Locks on shared folders are missing, local or mandatory depending on the file
system (a lock on the hidden file itself would stop our own writer on SMB), and a lock file would
be one more leftover.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from secrets import token_hex

from causalaug._validation import brief
from causalaug.exceptions import OutputError

__all__ = ["atomic_path", "check_output", "noting_outputs", "remove_leftovers"]

_HIDDEN = re.compile(
    r"\..*\.([0-9a-f]{8})-([0-9]+)-([0-9]+)-[0-9a-f]{12}\.tmp(\.[^.]*)?", re.DOTALL
)
_Output = tuple[str, Path, tuple[int, ...] | None]
"""A path as it was given, the file, and what takes its name: None if a device takes all at once."""
_NOTED: ContextVar[list[_Output] | None] = ContextVar("noted", default=None)


@contextmanager
def atomic_path(path: "str | os.PathLike[str]", *, sweep: bool = True) -> Iterator[Path]:
    """Yield a temporary path in the same folder, which becomes `path` if the block succeeds.

    Parameters
    ----------
    path : str or path
        The file to be written or replaced. A symbolic link stays, and what it points to is
        replaced. A device or a pipe, such as ``/dev/stdout``, is written to as it is.
    sweep : bool, default=True
        Whether to remove what killed processes left in the folder. Who writes many files into
        one folder calls `remove_leftovers` once instead.

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
    shown, final = os.fspath(path), Path(os.path.realpath(path))
    if final.exists() and not final.is_file():
        _note((shown, final, None))
        with _explained(path):
            yield final
        return
    with _explained(path):
        if sweep:
            remove_leftovers(final.parent)
        temporary = _create_beside(final)
        try:
            yield temporary
            _sync(temporary)
            _note((shown, final, _identity(temporary)))
            os.replace(temporary, final)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        with suppress(OSError):
            _sync(final.parent)


@contextmanager
def noting_outputs() -> Iterator[Callable[[], list[str]]]:
    """Yield a function that returns the outputs that the block has replaced so far.

    It looks at the files, so that it is right at whatever moment an interrupt comes:

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with noting_outputs() as written:
    ...     with atomic_path(Path(folder.name, "report.txt")) as temporary:
    ...         print(written())
    ...     print([Path(path).name for path in written()])
    []
    ['report.txt']
    >>> folder.cleanup()
    """
    noted: list[_Output] = []
    token = _NOTED.set(noted)
    try:
        yield lambda: list(
            dict.fromkeys(
                shown for shown, final, identity in noted if identity in (None, _identity(final))
            )
        )
    finally:
        _NOTED.reset(token)


def _note(output: _Output) -> None:
    noted = _NOTED.get()
    if noted is not None:
        noted.append(output)


def _identity(path: Path) -> tuple[int, ...]:
    """Return what tells a file from all others on this machine; nothing if there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino


def check_output(path: "str | os.PathLike[str]") -> None:
    """Raise unless a file could be written at `path`; worth asking before long work.

    >>> check_output("no/such/folder/report.html")
    Traceback (most recent call last):
    causalaug.exceptions.OutputError: The folder of an output must exist. ...
    """
    shown = brief(os.fspath(path))
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise OutputError(
            "An output must have a path that the system can hold, without zero bytes and halves of "
            f"characters. Found {shown}. Correct it."
        )
    with _explained(path):
        final = Path(os.path.realpath(path))
        if final.is_dir():
            raise OutputError(
                f"An output must be a file. Found a folder: {shown}. Add a file name."
            )
        if not final.parent.is_dir():
            raise OutputError(
                f"The folder of an output must exist. Found no {brief(str(final.parent))}. "
                "Create it, or correct the path."
            )
        # A file is replaced, which takes its folder; a device is written to as it is.
        touched = [final] if final.exists() else [final.parent]
        touched += [final.parent] if final.is_file() else []
        if not all(os.access(each, os.W_OK) for each in touched):
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
            f"The output {brief(os.fspath(path))} could not be written: "
            f"{error.strerror or error}. Nothing was changed. Free some space, or write to "
            "another place."
        ) from error


def _create_beside(final: Path) -> Path:
    """Create an empty, hidden file in the folder of `final`, with its ending and permissions."""
    # A folder takes names of 255 bytes, and what is added to the stem has less than 70.
    stem = os.fsencode(final.stem)[:100].decode(errors="ignore")
    pid = os.getpid()
    writer = f"{_machine()}-{pid}-{_start_and_state(pid)[0]}-{token_hex(6)}"
    temporary = final.with_name(f".{stem}.{writer}.tmp{final.suffix}")
    temporary.touch(mode=0o666, exist_ok=False)
    if final.exists():
        temporary.chmod(stat.S_IMODE(final.stat().st_mode))
    return temporary


def remove_leftovers(folder: Path) -> None:
    """Remove the hidden files of processes that are no more. See the top of this module."""
    with suppress(OSError), os.scandir(folder) as entries:
        hidden = [(Path(entry.path), _HIDDEN.fullmatch(entry.name)) for entry in entries]
        for path, name in hidden:
            with suppress(OSError):
                if name and _is_left_over(path, name[1], int(name[2]), int(name[3])):
                    path.unlink()


def _is_left_over(path: Path, machine: str, pid: int, started: int) -> bool:
    """Return whether nobody writes to a hidden file any more."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        return False
    # On Windows, asking whether a process lives by `os.kill` would end it.
    if machine == _machine() and os.name != "nt":
        return not _is_alive(pid, started)
    # Too short would take the file away from a slow writer, which then fails; too long only lets a
    # hidden file lie. Parts are written within minutes, so that a day is far on the safe side.
    return _now_in(path.parent) - found.st_mtime > 24 * 3600.0


def _is_alive(pid: int, started: int) -> bool:
    """Return whether the process of a number lives, and is the one that started then."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # It is there, but belongs to somebody else.
        pass
    found, state = _start_and_state(pid)
    return state not in "ZX" and (0 in (started, found) or started == found)


def _start_and_state(pid: int) -> tuple[int, str]:
    """Return when a process started, in ticks, and its state; what is not known is 0 and ``?``.

    A process that was killed, but that its parent did not ask for yet, has the state ``Z``.
    """
    try:
        # The second field is the name of the program in brackets, and may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return int(fields[19]), fields[0].decode()
    except (OSError, IndexError, ValueError):
        return 0, "?"


@cache
def _machine() -> str:
    """Return a text that is equal only where process numbers mean the same processes."""
    import hashlib
    import socket
    import uuid

    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:  # Not Linux.
        boot, numbers = f"{uuid.getnode():x}", ""
    known = "\n".join((socket.gethostname(), boot, numbers))
    return hashlib.sha256(known.encode()).hexdigest()[:8]


def _now_in(folder: Path) -> float:
    """Return the time by the clock that stamps the files of a folder."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder) as probe:
        return os.fstat(probe.fileno()).st_mtime


def _sync(path: Path) -> None:
    """Wait until the file, or the names in the folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
