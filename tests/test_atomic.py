"""A file is there in full or not at all."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from causalaug import _atomic
from causalaug._atomic import atomic_path, check_output, noting_outputs, remove_leftovers
from causalaug.exceptions import CausalAugError, OutputError


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def fail_with(error):
    def fail(*_, **__):
        raise error

    return fail


def write_half(path, error):
    with atomic_path(path) as temporary:
        temporary.write_text("half")
        raise error


def test_a_new_file_gets_its_name_when_the_block_is_done(tmp_path):
    with atomic_path(tmp_path / "table.csv") as temporary:
        temporary.write_text("a,b\n")
        assert not (tmp_path / "table.csv").exists()
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
    assert files_in(tmp_path) == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "a,b\n"


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old and long")
    path.chmod(0o640)
    with atomic_path(str(path)) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    with atomic_path(tmp_path / "atomic"):
        pass
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_block_that_fails_changes_nothing(tmp_path, error, old):
    path = tmp_path / "table.csv"
    if old is not None:
        path.write_text(old)
    before = files_in(tmp_path)
    with pytest.raises(error):
        write_half(path, error)
    assert files_in(tmp_path) == before
    assert old is None or path.read_text() == old


def test_a_full_disk_is_told_and_changes_nothing(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OutputError, match=r"table\.csv' could not be written: No space left"):
        write_half(path, full)
    assert files_in(tmp_path) == ["table.csv"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_of_the_last_steps_changes_nothing(tmp_path, monkeypatch, step):
    path = tmp_path / "table.csv"
    path.write_text("old")
    monkeypatch.setattr(os, step, fail_with(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OutputError, match="Input/output error"), atomic_path(path) as temporary:
        temporary.write_text("new")
    assert files_in(tmp_path) == ["table.csv"]
    assert path.read_text() == "old"


def test_the_content_is_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    calls = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(descriptor):
        calls.append("fsync")
        real_sync(descriptor)

    def replace(source, target):
        calls.append("replace")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    with atomic_path(tmp_path / "table.csv"):
        assert calls == []
    assert calls == ["fsync", "replace", "fsync"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with atomic_path(tmp_path / "link.csv") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_device_is_written_to_as_it_is():
    with atomic_path(os.devnull) as temporary:
        temporary.write_text("gone")
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_that_is_full_says_so():
    with pytest.raises(OutputError, match="No space left"), atomic_path("/dev/full") as temporary:
        temporary.write_text("gone")


def test_a_closed_pipe_is_left_to_whoever_knows_pipes(tmp_path):
    with pytest.raises(BrokenPipeError), atomic_path(tmp_path / "table.csv"):
        raise BrokenPipeError
    assert files_in(tmp_path) == []


def test_the_longest_name_that_a_folder_takes_works(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    with atomic_path(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OutputError, match="Found a folder"):
        check_output(tmp_path)


def test_a_name_that_is_too_long_is_told(tmp_path):
    with pytest.raises(OutputError, match="File name too long"):
        check_output(tmp_path / ("n" * 300))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(OutputError, match=r"Found no '.*gone'"), atomic_path(tmp_path / "gone/a"):
        pass


def test_what_must_not_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("old")
    # Access is asked for by name, since root may write everything.
    monkeypatch.setattr(os, "access", lambda asked, _: Path(asked) != path)
    with pytest.raises(OutputError, match="must be writable"):
        check_output(path)
    check_output(tmp_path / "other.csv")


def test_a_folder_that_must_not_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda asked, _: Path(asked) != tmp_path)
    with pytest.raises(OutputError, match="must be writable"):
        check_output(tmp_path / "table.csv")


def test_the_error_is_ours_and_the_systems():
    assert issubclass(OutputError, CausalAugError)
    assert issubclass(OutputError, OSError)


@pytest.mark.parametrize("path", ["a\0b.csv", "\ud800.csv"], ids=["zero byte", "surrogate"])
def test_a_path_that_no_system_holds_is_refused(tmp_path, path):
    with pytest.raises(OutputError, match="must have a path that the system can hold"):
        check_output(tmp_path / path)
    with pytest.raises(OutputError, match="must have a path"), atomic_path(str(tmp_path / path)):
        pass


def test_an_endless_path_is_not_repeated(tmp_path):
    with pytest.raises(OutputError) as caught:
        check_output(str(tmp_path / ("n" * 100_000)))
    assert len(str(caught.value)) < 600


def test_a_name_of_wide_characters_works(tmp_path):
    path = tmp_path / ("😀" * 60 + ".csv")
    with atomic_path(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


posix = pytest.mark.skipif(os.name == "nt", reason="processes are another matter on Windows")

WRITER = """
import sys, time
from causalaug._atomic import atomic_path
with atomic_path(sys.argv[1]) as temporary:
    temporary.write_text("theirs")
    print("begun", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def start_writer():
    """Start processes that write a file, and end when they are sent a line."""
    started = []

    def start(path):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "begun\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def write(path):
    with atomic_path(path) as temporary:
        temporary.write_text("ours")


@posix
@pytest.mark.parametrize("reaped", [True, False], ids=["reaped", "zombie"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, start_writer, reaped):
    process = start_writer(tmp_path / "table.csv")
    process.kill()
    if reaped:
        process.wait()
    else:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    (left,) = files_in(tmp_path)
    assert left.startswith(".table.")
    assert left.endswith(".tmp.csv")
    write(tmp_path / "other.csv")
    assert files_in(tmp_path) == ["other.csv"]


@posix
def test_what_a_running_process_writes_is_left_to_it(tmp_path, start_writer):
    process = start_writer(tmp_path / "table.csv")
    before = files_in(tmp_path)
    write(tmp_path / "table.csv")
    assert files_in(tmp_path) == sorted([*before, "table.csv"])
    process.communicate("go on\n")
    assert process.returncode == 0
    assert (tmp_path / "table.csv").read_text() == "theirs"
    assert files_in(tmp_path) == ["table.csv"]


def hidden_name(machine=None, pid=None, started=None):
    pid = os.getpid() if pid is None else pid
    started = _atomic._start_and_state(os.getpid())[0] if started is None else started
    return f".table.{machine or _atomic._machine()}-{pid}-{started}-{'0' * 12}.tmp.csv"


@posix
def test_our_own_files_are_not_left_over(tmp_path):
    (tmp_path / hidden_name()).touch()
    remove_leftovers(tmp_path)
    assert files_in(tmp_path) == [hidden_name()]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_a_new_process_with_an_old_number_does_not_keep_the_file(tmp_path):
    (tmp_path / hidden_name(started=1)).touch()
    remove_leftovers(tmp_path)
    assert files_in(tmp_path) == []


@posix
def test_a_number_that_no_process_can_have_is_not_alive(tmp_path):
    (tmp_path / hidden_name(pid=10**30)).touch()
    remove_leftovers(tmp_path)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize(("hours", "stays"), [(0, True), (23, True), (25, False)])
def test_files_of_another_machine_stay_for_a_day(tmp_path, hours, stays):
    # No process of this machine has the number, but that says nothing.
    path = tmp_path / hidden_name(machine="0123abcd", pid=10**9)
    path.touch()
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))
    write(tmp_path / "table.csv")
    assert path.exists() == stays


def test_the_clock_is_that_of_the_folder(tmp_path, monkeypatch):
    path = tmp_path / hidden_name(machine="0123abcd")
    path.touch()
    monkeypatch.setattr(time, "time", lambda: 4e9)
    remove_leftovers(tmp_path)
    assert path.exists()


def test_only_our_hidden_files_are_looked_at(tmp_path):
    dead = {"pid": 10**9}
    (tmp_path / ".table.0123456789ab.tmp.csv").touch()
    (tmp_path / hidden_name(**dead).lstrip(".")).touch()
    (tmp_path / hidden_name(**dead, started=2)).mkdir()
    (tmp_path / "precious").write_text("mine")
    (tmp_path / hidden_name(**dead, started=3)).symlink_to("precious")
    before = files_in(tmp_path)
    remove_leftovers(tmp_path)
    assert files_in(tmp_path) == before


def test_two_boots_of_a_machine_are_two_machines(monkeypatch):
    own = _atomic._machine.__wrapped__()
    assert own == _atomic._machine.__wrapped__()
    monkeypatch.setattr(Path, "read_text", lambda self: "another boot")
    assert _atomic._machine.__wrapped__() != own
    monkeypatch.setattr(Path, "read_text", fail_with(FileNotFoundError()))
    assert _atomic._machine.__wrapped__() != own


def test_outputs_are_noted_once_they_have_their_name(tmp_path):
    write(tmp_path / "before.csv")
    with noting_outputs() as written:
        assert written() == []
        with pytest.raises(ValueError, match="no"):
            write_half(tmp_path / "failed.csv", ValueError("no"))
        write(tmp_path / "a.csv")
        write(tmp_path / "a.csv")
        with atomic_path(tmp_path / "b.csv"):
            assert written() == [str(tmp_path / "a.csv")]
        with atomic_path(os.devnull):
            pass
        assert written() == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), os.devnull]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_interrupt_around_the_last_step_is_told_rightly(tmp_path, monkeypatch, moment):
    real = os.replace

    def replace(source, target):
        if moment == "after":
            real(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace)
    with noting_outputs() as written:
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "table.csv")
        there = [str(tmp_path / "table.csv")] if moment == "after" else []
        assert written() == there
    assert files_in(tmp_path) == [Path(path).name for path in there]
