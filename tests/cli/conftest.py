"""A small table with its graph, in files."""

import pytest

PATIENTS = """\
sick,fever,cough
yes,39.1,7.5
yes,40.2,9.5
yes,39.6,8.25
no,36.8,1.5
no,37.0,0.5
no,36.5,-1.25
"""
ARROWS = "fever <- sick -> cough"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(PATIENTS)
    return path


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(ARROWS)
    return path
