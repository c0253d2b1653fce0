"""The example of the demo."""

import numpy as np
import pytest

from causalaug import check_graph
from causalaug.datasets import make_machine_wear
from causalaug.exceptions import ParameterError


def test_one_seed_gives_one_table():
    first, again = make_machine_wear(20, random_state=3), make_machine_wear(20, random_state=3)
    assert first.frame.equals(again.frame)
    assert not first.frame.equals(make_machine_wear(20, random_state=4).frame)


def test_the_graph_is_the_true_one():
    data = make_machine_wear(500, random_state=0)
    assert check_graph(data.frame, data.graph, random_state=0).verdict == "not rejected"


def test_the_weather_ties_heat_and_noise():
    frame = make_machine_wear(5000, random_state=0).frame
    heat, noise = frame["heat"] - frame["wear"], frame["noise"] - np.abs(frame["wear"])
    assert np.corrcoef(heat, noise)[0, 1] == pytest.approx(0.5, abs=0.05)


def test_there_must_be_a_row():
    with pytest.raises(ParameterError, match="`n_rows` must be an integer of at least 1"):
        make_machine_wear(0)
