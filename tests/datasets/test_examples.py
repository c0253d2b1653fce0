import pytest

from causalaug.datasets import example_graph, list_example_graphs
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, m_separated


def test_every_name_gives_a_graph():
    names = list_example_graphs()
    assert len(names) >= 10
    assert all(isinstance(example_graph(name), ADMG) for name in names)
    assert names == tuple(sorted(names))


def test_every_name_is_documented():
    assert all(f"``{name}``" in example_graph.__doc__ for name in list_example_graphs())


@pytest.mark.parametrize(
    ("name", "x", "y", "closed", "opened"),
    [
        ("back-door", "X", "Y", None, ()),
        ("chain", "X", "Y", ("Z",), ()),
        ("fork", "X", "Y", ("Z",), ()),
        ("collider", "X", "Y", (), ("Z",)),
        ("trivariate", "X1", "X2", ("Y",), ()),
        ("front-door", "X", "Y", None, ("M",)),
        ("instrument", "Z", "Y", None, ("X",)),
        ("napkin", "W", "Y", None, ("Z", "X")),
        ("sprinkler", "sprinkler", "rain", ("season",), ("season", "slippery")),
        ("asia", "asia", "smoking", (), ("xray",)),
        ("asia", "xray", "bronchitis", ("either", "smoking"), ("smoking", "dyspnoea")),
    ],
)
def test_they_separate_what_they_are_famous_for(name, x, y, closed, opened):
    graph = example_graph(name)
    assert closed is None or m_separated(graph, x, y, closed)
    assert not m_separated(graph, x, y, opened)


def test_only_some_have_hidden_causes():
    hidden = {name for name in list_example_graphs() if not example_graph(name).is_dag}
    assert hidden == {"bow", "butterfly", "front-door", "instrument", "m-bias", "napkin", "verma"}


def test_an_unknown_name_is_refused():
    with pytest.raises(ParameterError, match="no example graph 'frontdoor'.*'front-door'"):
        example_graph("frontdoor")
