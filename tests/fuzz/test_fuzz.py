"""The attack finds what is broken on purpose, and finds it again by its line."""

import time

import numpy as np
import pytest

import causalaug as ca
from causalaug.exceptions import GraphError
from fuzz import damage, differential, frames, graph_texts
from fuzz.__main__ import main
from fuzz.cases import FoundError, Kind, run_case
from fuzz.kinds import all_kinds


def verdicts(run, n_cases=30):
    kind = Kind("kind", "group", run, 1.0)
    return {run_case(kind, 0, number, 5).verdict for number in range(n_cases)}


def test_one_of_our_errors_is_an_answer_and_any_other_is_not():
    def ours(rng):
        raise GraphError("The graph must be one. Found none. Draw one.")

    def endless(rng):
        time.sleep(60.0)

    def overflow(rng):
        np.float64(1e308) * np.float64(10.0)

    assert verdicts(ours, 1) == {"refused"}
    assert verdicts(lambda rng: None, 1) == {"passed"}
    assert verdicts(lambda rng: {}["a"], 1) == {"failed"}
    assert verdicts(overflow, 1) == {"failed"}
    kind = Kind("kind", "group", endless, 1.0)
    assert "HangError" in run_case(kind, 0, 0, 1).reason


def test_an_error_that_repeats_its_input_fails():
    def verbose(rng):
        raise GraphError("a" * 5000)

    assert verdicts(verbose, 1) == {"failed"}


@pytest.mark.parametrize("format", graph_texts.FORMATS)
def test_a_misread_graph_is_found(monkeypatch, format):
    run = graph_texts.reads_what_was_written(format)
    assert verdicts(run) == {"passed"}

    def misread(*args, **options):
        graph = ca.read_graph(*args, **options)
        return ca.ADMG(graph.nodes, [(b, a) for a, b in graph.directed], graph.bidirected)

    monkeypatch.setattr(graph_texts, "read_graph", misread)
    assert "failed" in verdicts(run)


@pytest.mark.skipif(not differential.has_graphviz(), reason="Graphviz is not installed")
def test_another_reading_than_graphviz_is_found(monkeypatch):
    real = differential.read_dot
    assert verdicts(differential.dot_as_graphviz, 10) == {"passed"}
    # As it once was: a comma between nodes was skipped.
    monkeypatch.setattr(differential, "read_dot", lambda text: real(text.replace(", ", "; ")))
    assert verdicts(differential.dot_as_graphviz, 2) == {"failed"}


def test_lost_mass_and_changed_dtypes_are_found(monkeypatch):
    wear = ca.datasets.make_machine_wear(8, random_state=0)
    frame, graph = wear.frame, wear.graph
    found = ca.augment(frame, graph, random_state=0)
    with pytest.raises(FoundError, match="sum to"):
        frames.check_weights(found.weights[1:], 1.0, "here")
    with pytest.raises(FoundError, match="dtypes"):
        frames.check_dtypes(frame, found.frame.astype(object))
    monkeypatch.setattr(type(found), "dropped_mass", 0.25)
    assert "failed" in verdicts(frames.augments)


def test_every_kind_has_a_case_that_passes():
    kinds = all_kinds().values()
    assert {kind.group for kind in kinds} == {
        "graph texts",
        "graph objects",
        "frames",
        "predictions of hostile tables",
        "bit flips",
        "kills and interrupts",
    }


def test_a_short_round_counts_and_reports(capsys):
    assert main(["--minutes", "0.02", "--jobs", "1", "--kinds", "arrows,augment"]) == 0
    printed = capsys.readouterr().out
    assert "arrows" in printed
    assert "frames" in printed
    assert main(["--case", "arrows:3"]) == 0
    assert "arrows:3: passed" in capsys.readouterr().out


def test_a_number_of_cases_is_run_however_long_it_takes(capsys):
    assert main(["--cases", "3", "--minutes", "0", "--jobs", "2", "--kinds", "arrows,flips"]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[:2] for line in printed.splitlines()[1:]] == [
        ["arrows", "3"],
        ["graph", "texts"],
        ["flips", "3"],
        ["bit", "flips"],
    ]


def test_a_flip_that_nobody_notices_is_found(monkeypatch):
    assert verdicts(damage.flips_a_bit, 5) == {"refused"}
    files, (frame, rest) = damage.ONCE("flips", damage._write)
    # As it once was: a part is read, and its checksum is not.
    other = frame.assign(size=frame["size"] + 1.0)
    monkeypatch.setattr(damage, "_read", lambda folder: (other, rest))
    assert verdicts(damage.flips_a_bit, 2) == {"failed"}
    monkeypatch.setattr(damage, "_read", lambda folder: (frame, rest))
    assert verdicts(damage.flips_a_bit, 2) <= {"passed"}
    monkeypatch.setattr(damage, "augment_to_parquet", lambda **job: None)
    assert verdicts(damage.flips_a_bit, 2) == {"failed"}
