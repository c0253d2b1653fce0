import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import causalaug as ca
from causalaug.exceptions import ParameterError
from causalaug.plot import plot_graph, plot_trust
from causalaug.plot._style import VERMILION


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    load, wear = rng.normal(size=(2, 60))
    heat = wear + load + 0.5 * rng.normal(size=60)
    return pd.DataFrame({"load": load, "wear": wear, "heat": heat})


def looks(ax):
    """Return the colour, the line and the strength of each edge."""
    return [
        (to_hex(arrow.get_edgecolor()), arrow.get_linestyle(), round(arrow.get_alpha(), 6))
        for arrow in ax.patches
    ]


def test_edges_are_as_strong_as_the_trust_and_wanted_ones_dashed(frame):
    model = ca.fit_model(frame, "load; wear -> heat", "auto", trust="auto")
    ax = plot_trust(model, highlight="heat")
    share = model.trust.set_index("variable").loc["heat", "trust"]
    wanted, own = looks(ax)
    assert wanted == (VERMILION, "--", 1.0)
    assert own[1:] == ("-", round(0.15 + 0.85 * share, 6))
    assert share < 0.5
    plt.close(ax.figure)


def test_a_graph_that_is_believed_looks_as_it_stands(frame):
    graph = ca.read_graph("load -> heat; wear <-> heat")
    ax = plot_trust(ca.fit_model(frame, graph))
    plain = plot_graph(graph)
    lines = [[arrow.get_linestyle() for arrow in each.patches] for each in (ax, plain)]
    assert lines[0] == lines[1]
    assert {strength for *_, strength in looks(ax)} == {1.0}
    plt.close("all")


def test_what_the_user_believes_is_drawn_and_nothing_is_wanted_by_it(frame):
    ax = plot_trust(ca.fit_model(frame, "load; wear -> heat [0]; wear <-> load"))
    assert [each[1:] for each in looks(ax)] == [("-", 0.15), ("--", 1.0)]
    assert VERMILION not in {colour for colour, *_ in looks(ax)}
    plt.close(ax.figure)


def test_what_is_no_model_is_refused(frame):
    with pytest.raises(ParameterError, match="`model` must be a GraphModel, such as fit_model"):
        plot_trust(frame)
