"""An experiment is data, and bad data are refused at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.datasets import list_datasets
from causalaug.exceptions import ParameterError
from causalaug.experiments import METHODS, PAPER_FRACTIONS, PROTOCOLS, ExperimentSpec

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
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        ExperimentSpec.from_dict(settings)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("spec.yaml", "datasets: [sachs]", "ending"),
        ("spec.toml", "datasets = [", "in TOML"),
        ("spec.json", "{", "in JSON"),
        ("spec.json", "[1]", "names with values"),
    ],
)
def test_files_that_hold_no_spec_are_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ParameterError, match=message):
        ExperimentSpec.from_file(path)
