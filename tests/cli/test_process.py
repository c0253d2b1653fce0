"""The command as a process: what it imports, how it ends, what it leaves behind."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import causalaug
from causalaug.cli import HELP
from causalaug.cli._app import app
from command import start, succeed

HEAVY = ["numpy", "pandas", "scipy", "sklearn", "networkx", "pyarrow", "matplotlib"]
GRAPH = "fever <- sick -> cough"

LISTING = f"""
import sys
from causalaug.cli import main
try:
    main()
except SystemExit as stop:
    print("heavy:", [name for name in {HEAVY!r} if name in sys.modules])
    raise
"""

# Writing a table takes forever, and says when it has begun.
SLOW = """
import time
import pandas as pd
from causalaug.cli import main

def write(self, file, **_):
    file.write("half")
    print("begun", flush=True)
    time.sleep(60)

pd.DataFrame.to_csv = write
main()
"""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["augment", "--help"], 0),
        (["evaluate", "--help"], 0),
        (["graph", "show", "--help"], 0),
        (["augment", "data.csv"], 2),
        (["augment", "--rows", "many"], 2),
    ],
    ids=str,
)
def test_help_and_mistakes_of_usage_import_nothing_heavy(words, code):
    process = start(*words, code=LISTING)
    printed, _ = process.communicate()
    assert process.returncode == code
    assert printed.splitlines()[-1] == "heavy: []"


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
@pytest.mark.parametrize(
    ("number", "code", "line", "old"),
    [
        (signal.SIGINT, 130, "error: Interrupted. Nothing was written.\n", "old"),
        (signal.SIGTERM, 143, "error: Terminated. Nothing was written.\n", None),
    ],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_signal_leaves_the_folder_as_it_was(data, tmp_path, number, code, line, old):
    out = tmp_path / "new.csv"
    if old is not None:
        out.write_text(old)
    before = sorted(tmp_path.iterdir())
    process = start("augment", data, "--graph", GRAPH, "--out", out, code=SLOW)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    printed, complained = process.communicate()
    assert process.returncode == code
    assert (printed, complained) == ("", line)
    assert sorted(tmp_path.iterdir()) == before
    assert old is None or out.read_text() == old


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
def test_a_kill_leaves_the_old_file_and_at_most_a_hidden_one(data, tmp_path):
    out = tmp_path / "new.csv"
    out.write_text("old")
    process = start("augment", data, "--graph", GRAPH, "--out", out, code=SLOW)
    assert process.stdout.readline() == "begun\n"
    process.kill()
    process.communicate()
    assert out.read_text() == "old"
    left = {path.name for path in tmp_path.iterdir()} - {"data.csv", "new.csv"}
    assert all(name.startswith(".new.") and ".tmp" in name for name in left)
    succeed("augment", data, "--graph", GRAPH, "--out", out)
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "new.csv"}


# The signal comes as soon as the file has its name.
LATE = """
import os, signal, sys
real, number = os.replace, getattr(signal, sys.argv.pop())

def replace(source, target):
    real(source, target)
    os.kill(os.getpid(), number)

os.replace = replace
from causalaug.cli import main; main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
@pytest.mark.parametrize(
    ("name", "code", "word"), [("SIGINT", 130, "Interrupted"), ("SIGTERM", 143, "Terminated")]
)
def test_a_signal_that_comes_after_the_output_says_so(data, tmp_path, name, code, word):
    out = tmp_path / "new.csv"
    process = start("augment", data, "--graph", GRAPH, "--out", out, name, code=LATE)
    _, complained = process.communicate()
    assert process.returncode == code
    assert complained == f"error: {word}. Written before that: {out}.\n"
    assert out.read_text().startswith("sick,fever,cough,weight\n")


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
def test_a_signal_between_two_outputs_names_the_first(tmp_path):
    words = ["datasets", "export", "auto_mpg", "--folder", tmp_path, "SIGINT"]
    process = start(*words, code=LATE)
    _, complained = process.communicate()
    assert process.returncode == 130
    assert complained.endswith(f"Written before that: {tmp_path / 'auto_mpg.csv'}.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["auto_mpg.csv"]


# The command is done when the signal comes.
TOO_LATE = """
import os, signal
from causalaug.cli import _process as process
from causalaug.cli._app import app
real = process._flushed

def flushed(code):
    os.kill(os.getpid(), signal.SIGINT)
    return real(code)

process._flushed = flushed
process.run(app)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
def test_a_signal_at_the_very_end_makes_no_noise():
    process = start("graph", "show", GRAPH, code=TOO_LATE)
    _, complained = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert complained == ""


# Every process says when its first fit has begun, and then takes forever.
ENDLESS = """
import os, pathlib, sys, time
from causalaug.evaluation import _compare
place = pathlib.Path(sys.argv.pop())

class Fitter(_compare.Fitter):  # of this script, so that other processes get it as it is
    def __call__(self, trial):
        (place / f"{os.getpid()}.begun").touch()
        time.sleep(60)

_compare.Fitter = Fitter
from causalaug.cli import main; main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
@pytest.mark.parametrize("jobs", [1, 2])
def test_control_c_ends_the_fits_of_all_processes(tmp_path, jobs):
    rows = pd.DataFrame({"a": range(20), "b": [k * k % 7 + 0.5 for k in range(20)]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    words = ["evaluate", tmp_path / "rows.csv", "-g", "a -> b", "-t", "b", "--jobs", jobs, tmp_path]
    process = start(*words, code=ENDLESS, start_new_session=True)
    for _ in range(600):
        if len(list(tmp_path.glob("*.begun"))) == jobs:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to everyone
    printed, complained = process.communicate(timeout=30)
    assert process.returncode == 130
    assert printed == ""
    assert complained.splitlines()[-1] == "error: Interrupted. Nothing was written."
    assert "Traceback" not in complained


@pytest.mark.skipif(os.name == "nt", reason="pipes are another matter on Windows")
@pytest.mark.parametrize("n_nodes", [3, 20_000], ids=["at the end", "on the way"])
def test_a_reader_that_goes_away_is_told_in_one_line(tmp_path, n_nodes):
    names = "\n".join(f"v{number}" for number in range(n_nodes))
    (tmp_path / "graph.txt").write_text(names)
    reading, writing = os.pipe()
    os.close(reading)
    process = start("graph", "convert", tmp_path / "graph.txt", stdout=writing)
    os.close(writing)
    _, complained = process.communicate()
    assert process.returncode == 1
    assert complained.count("\n") == 1
    assert complained.startswith("error: The reader of the output went away")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_under_the_output_is_told_in_one_line(data, tmp_path):
    (tmp_path / "new.csv").symlink_to("/dev/full")
    process = start("augment", data, "--graph", GRAPH, "--out", tmp_path / "new.csv")
    printed, complained = process.communicate()
    assert process.returncode == 1
    assert printed == ""
    assert complained.count("\n") == 1
    assert "No space left on device" in complained


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_under_the_standard_output_is_told_in_one_line():
    with open("/dev/full", "w") as full:
        process = start("graph", "show", GRAPH, stdout=full)
        _, complained = process.communicate()
    assert process.returncode == 1
    assert complained == "error: The output could not be used: No space left on device.\n"


def test_a_name_that_the_output_cannot_encode_is_escaped():
    process = start("graph", "show", "müde -> Fieber", env={"PYTHONIOENCODING": "ascii"})
    printed, complained = process.communicate()
    assert process.returncode == 0, complained
    assert r"m\xfcde -> Fieber" in printed


def test_the_package_can_be_run():
    words = [sys.executable, "-m", "causalaug", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("causalaug ")


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_its_packages_the_command_says_what_to_install(package):
    code = f"import sys; sys.modules[{package!r}] = None\nfrom causalaug.cli import main; main()"
    process = start("graph", "pillow", GRAPH, code=code)
    printed, complained = process.communicate()
    assert process.returncode == 1
    assert printed == ""
    assert complained.count("\n") == 1
    assert 'pip install "causalaug[cli]"' in complained


@pytest.mark.parametrize("package", ["typer", "rich"])
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"], []], ids=str)
def test_without_its_packages_there_is_a_version_and_a_help(package, words):
    code = f"import sys; sys.modules[{package!r}] = None\nfrom causalaug.cli import main; main()"
    process = start(*words, code=code)
    printed, complained = process.communicate()
    assert (process.returncode, complained) == (0, "")
    if words == ["--version"]:
        assert printed == f"causalaug {causalaug.__version__}\n"
    else:
        assert 'pip install "causalaug[cli]"' in printed


def test_the_bare_help_lists_the_commands_that_there_are():
    listed = re.findall(r"^  (\w+) +[A-Z]", HELP.partition("Commands,")[2], re.M)
    assert sorted(listed) == sorted(
        [command.name or command.callback.__name__ for command in app.registered_commands]
        + [group.typer_instance.info.name for group in app.registered_groups]
    )
