"""A file is there in full or not at all."""

import errno
import os
from pathlib import Path

import pytest

from causalaug._atomic import atomic_path, check_output
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
