"""What a command says, and to whom."""

import io
import json
import re
import sys
import time

import pytest

from causalaug import _progress
from causalaug._markup import plain
from causalaug.cli._output import Output


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_and_only_there(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown, hidden = Terminal(), io.StringIO()
    for stream in (shown, hidden):
        monkeypatch.setattr(sys, "stderr", stream)
        with Output().progress("Fitting") as step:
            step(1, 2)
            step(2, 2)
    assert "Fitting" in shown.getvalue()
    assert "2 of 2 steps" in shown.getvalue()
    assert hidden.getvalue() == ""


def test_elsewhere_a_line_is_written_every_ten_seconds(monkeypatch):
    assert _progress.SECONDS_BETWEEN_LINES == 10.0
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN_LINES", 0.05)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Output().progress("Fitting") as step:
        time.sleep(0.12)
        step(1, 4)
        time.sleep(0.12)
    ended = stream.getvalue()
    time.sleep(0.12)
    assert stream.getvalue() == ended
    first, *_, last = ended.splitlines()
    assert first == "Fitting: 0 s so far"
    assert re.fullmatch(r"Fitting: 1 of 4 steps, 0 s so far, about [01] s left", last)


def test_quiet_shows_no_progress_and_no_remark(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Output(quiet=True).progress("Fitting") as step:
        step(1, 2)
    Output(quiet=True).remark("by the way")
    assert stream.getvalue() == ""


def test_text_is_for_people_and_the_document_for_machines(capsys):
    for output in (Output(), Output(json=True)):
        output.say("hello")
        output.table(["a"], [(1,)])
        output.document({"a": 1})
    printed = capsys.readouterr().out
    assert printed.startswith("hello\n")
    assert json.loads(printed[printed.index("{") :]) == {"a": 1}
    assert printed.count("hello") == 1


def test_cells_are_no_markup_and_no_commands(capsys):
    Output().table(["[bold]name[/bold]"], [("[red]x[/red]\x1b[2J\nnext",)])
    printed = capsys.readouterr().out
    assert "[bold]name[/bold]" in printed
    assert r"[red]x[/red]\x1b[2J next" in printed


def test_long_lines_are_broken_on_a_terminal_only(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    words = "word " * 20
    for stream, is_broken in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stdout", stream)
        Output().say(words)
        assert (max(map(len, stream.getvalue().splitlines())) <= 20) == is_broken


def test_a_table_keeps_to_the_width_of_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    Output().table(["name", "about"], [("a", "many words " * 10)])
    assert max(map(len, stream.getvalue().splitlines())) <= 40


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_finite_number_is_null(value):
    assert json.loads(json.dumps(plain({"x": [value]}))) == {"x": [None]}


def test_values_of_numpy_and_dates_are_plain():
    np = pytest.importorskip("numpy")
    assert plain({1: np.float64(0.5), "n": np.int64(2), "a": np.array([1.0, np.nan])}) == {
        "1": 0.5,
        "n": 2,
        "a": [1.0, None],
    }
    assert plain(np.datetime64("2020-01-02")) == "2020-01-02"
