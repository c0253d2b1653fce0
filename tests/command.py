"""The command `causalaug` as tests call it: within this process, or as one of its own."""

import os
import signal
import subprocess
import sys

import pandas
from typer.testing import CliRunner

from causalaug.cli._app import app

RUNNER = CliRunner()
EXACTLY = (
    {}
    if tuple(map(int, pandas.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}
)
"""What makes pandas read every digit of a number; newer versions do so unasked."""


def run(*words):
    """Run a command in this process; the result has exit_code, stdout and stderr."""
    return RUNNER.invoke(app, [str(word) for word in words], prog_name="causalaug")


def succeed(*words):
    """Run a command that must succeed."""
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return result


def _heed_control_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*words, code="from causalaug.cli import main; main()", **options):
    """Start a command as a process; `code` is what Python runs. It writes as a shell lets it."""
    # Under `nohup`, or in the background of a script, Ctrl-C is ignored, and would be here, too.
    options.setdefault("preexec_fn", None if os.name == "nt" else _heed_control_c)
    environment = {**os.environ, **options.pop("env", {})}
    environment.pop("PYTHONUNBUFFERED", None)
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )
