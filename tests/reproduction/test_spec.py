"""An experiment is data, and bad data are refused at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.datasets import list_datasets
from causalaug.exceptions import DataNotFoundError, ParameterError
from reproduction import METHODS, PAPER_FRACTIONS, PROTOCOLS, ExperimentSpec

specs = st.builds(
    ExperimentSpec,
    datasets=st.lists(st.sampled_from(list_datasets()), min_size=1, unique=True),
    fractions=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=3, unique=True),
    n_splits=st.integers(1, 3),
    protocols=st.lists(st.sampled_from(list(PROTOCOLS)), min_size=1, unique=True),
    methods=st.lists(st.sampled_from(METHODS), min_size=1, unique=True),
    seed=st.integers(0, 2**31),
)


@given(specs)
def test_a_spec_survives_json(spec):
    assert ExperimentSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


@given(specs)
def test_runs_are_distinct_and_complete(spec):
    runs = spec.runs()
    expected = spec.n_splits
    for names in (spec.datasets, spec.fractions, spec.protocols, spec.methods):
        expected *= len(names)
    assert len(set(runs)) == len(runs) == expected


def test_the_paper_is_the_default():
    spec = ExperimentSpec()
    assert len(PAPER_FRACTIONS) == 16
    assert (PAPER_FRACTIONS[0], PAPER_FRACTIONS[-1]) == (0.1, 0.85)
    assert len(spec.runs()) == 6 * 16 * 20 * 3 * 2
    assert spec.grid.rounds == (10, 50, 250, 1250)
    assert spec.grid.reg_lambda == (1.0, 10.0, 100.0, 1000.0)


def test_toml_and_json_say_the_same(tmp_path):
    toml, as_json = tmp_path / "spec.toml", tmp_path / "spec.json"
    toml.write_text('datasets = ["sachs"]\nfractions = [0.1, 0.3]\nn_splits = 10\n')
    as_json.write_text('{"datasets": ["sachs"], "fractions": [0.1, 0.3], "n_splits": 10}')
    assert ExperimentSpec.from_file(toml) == ExperimentSpec.from_file(as_json)
    assert ExperimentSpec.from_file(toml).n_splits == 10


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"datasets": ["sacks"]}, "'sacks' -> 'sachs'"),
        ({"datasets": "sachs"}, "must be a list"),
        ({"datasets": []}, "at least one entry"),
        ({"datsets": ["sachs"]}, "'datsets' -> 'datasets'"),
        ({"protocols": ["honets"]}, "'honets' -> 'honest'"),
        ({"methods": ["both"]}, "methods"),
        ({"fractions": [1.0]}, "between 0 and 1"),
        ({"fractions": [0]}, "between 0 and 1"),
        ({"n_splits": 0}, "n_splits"),
        ({"rounds": [0]}, "rounds"),
        ({"reg_lambda": [-1]}, "reg_lambda"),
        ({"seed": -1}, "seed"),
        ({"datasets": [["sachs"]]}, "without lists in it"),
        ({"datasets": [{"name": "sachs"}]}, "without lists in it"),
        ({"fractions": [[0.1]]}, "without lists in it"),
        ({"rounds": [5, [10]]}, "without lists in it"),
        ({"datasets": {"sachs": 1}}, "must be a list"),
        ({"datasets": {"sachs", "gss"}}, "must be a list"),
        ({"datasets": (name for name in ["sachs"])}, "must be a list"),
        ({"datasets": [None, 3]}, r"Found \[None, 3\]"),
        ({"datasets": ["s" * 800_000]}, "must be among"),
        ({"d" * 800_000: 1, 5: 2}, "no other settings"),
        ({"fractions": [10**400]}, "between 0 and 1"),
        ({"reg_lambda": [10**5000]}, "reg_lambda"),
        ({"n_splits": 10**30}, "at most 1,000,000 runs"),
        ({"n_splits": 10**5000}, "Found an int of too many digits"),
        ({"seed": 10**5000}, r"below 2\*\*128"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(ParameterError, match=message) as caught:
        ExperimentSpec.from_dict(settings)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("spec.yaml", "datasets: [sachs]", "ending"),
        ("spec.toml", "datasets = [", "in TOML"),
        ("spec.json", "{", "in JSON"),
        ("spec.json", "[1]", "names with values"),
        ("spec.toml", "seed = " + "[" * 10_000, "in TOML"),
        ("spec.toml", "a" + ".a" * 3_000 + " = 1", "in TOML|no other settings"),
        ("spec.toml", "a" + ".a" * 100_000 + " = 1", "more than 16,384 characters"),
        ("spec.json", '{"seed": ' + "[" * 10_000, "in JSON"),
        ("spec.toml", "seed = " + "9" * 5000, "in TOML"),
        ("spec.json", '{"seed": ' + "9" * 5000 + "}", "in JSON"),
        ("spec.json", '{"fractions": [' + "9" * 400 + "]}", "between 0 and 1"),
        ("spec.json", '{"datasets": [["sachs"]]}', "without lists in it"),
        ("spec.toml", "fractions = [nan]", "between 0 and 1"),
        ("spec.toml", "x" * 800_000, "in TOML"),
    ],
    ids=lambda value: value[:30],
)
def test_files_that_hold_no_spec_are_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ParameterError, match=message) as caught:
        ExperimentSpec.from_file(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["gone.toml", "folder.json", "n" * 5000 + ".toml"], ids=len)
def test_a_file_that_is_not_there_is_told(tmp_path, name):
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(DataNotFoundError, match="must be a file that can be read") as caught:
        ExperimentSpec.from_file(tmp_path / name)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["a\0.toml", "\ud800.json"], ids=ascii)
def test_a_path_that_cannot_be_is_told(tmp_path, name):
    with pytest.raises(ParameterError, match="must hold an experiment"):
        ExperimentSpec.from_file(tmp_path / name)
