import pickle

import pytest

from causalaug.discovery import Knowledge
from causalaug.discovery._knowledge import check_knowledge
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG


def test_knowledge_is_a_value():
    known = Knowledge([["A", "B"], ("A", "B")], forbidden=[("B", "C")], tiers=[["A"], ["C", "D"]])
    assert known.required == (("A", "B"),)
    assert known.names == ("A", "B", "C", "D")
    assert {known, pickle.loads(pickle.dumps(known))} == {known}
    assert eval(repr(known)) == known


def test_what_is_known_of_one_edge():
    known = Knowledge([("A", "B")], forbidden=[("B", "C")], tiers=[["A"], ["D"]])
    assert known.permits("A", "B")
    assert not known.permits("B", "A")
    assert not known.permits("B", "C")
    assert known.permits("C", "B")
    assert known.permits("A", "D")
    assert not known.permits("D", "A")
    assert known.requires("B", "A")
    assert not known.requires("B", "C")


@pytest.mark.parametrize(
    ("directed", "allowed"),
    [
        ([("A", "B")], True),
        ([("A", "B"), ("B", "D")], True),
        ([], False),
        ([("A", "B"), ("B", "C")], False),
        ([("A", "B"), ("D", "A")], False),
        ([("A", "B"), ("D", "C"), ("C", "A")], False),
    ],
)
def test_what_is_known_of_a_graph(directed, allowed):
    known = Knowledge([("A", "B")], forbidden=[("B", "C")], tiers=[["A"], ["D"]])
    assert known.allows(ADMG(["A", "B", "C", "D"], directed)) is allowed


def test_nothing_is_known_by_default():
    assert check_knowledge(None) == Knowledge()
    assert Knowledge().allows(ADMG(["A", "B"], [("A", "B")]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"required": "AB"}, "^`required` must be a list. Found 'AB'."),
        ({"forbidden": 7}, "^`forbidden` must be a list. Found 7."),
        ({"forbidden": ["AB"]}, r"^`forbidden` must hold pairs .* Found 'AB'. Write forbidden=\["),
        ({"required": [("A", "A")]}, "^`required` must hold pairs .* of two different names."),
        ({"required": [("A", 1)]}, r"^`required` must hold pairs .* Found \('A', 1\)."),
        ({"required": [3]}, "^`required` must hold pairs .* Found 3."),
        ({"tiers": ["A", "B"]}, "^`tiers` must hold groups of names, .* Found 'A'."),
        ({"tiers": [[]]}, r"^`tiers` must hold groups of names, .* Found \[\]."),
        ({"tiers": [["A"], ["B", "A"]]}, r"^A variable must be in one .* more than once: \['A'\]."),
        (
            {"required": [("A", "B")], "forbidden": [("A", "B")]},
            "^The knowledge must not contradict itself. Found A -> B both required and forbidden.",
        ),
        (
            {"required": [("A", "B"), ("B", "A")]},
            "form a cycle: A -> B -> A. Remove an edge or move a variable.$",
        ),
        ({"required": [("B", "X"), ("X", "A")], "tiers": [["A"], ["B"]]}, "form a cycle: B -> X"),
    ],
)
def test_what_is_no_knowledge_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Knowledge(**arguments)


def test_the_names_must_exist():
    with pytest.raises(
        ParameterError, match=r"^`knowledge` must name variables .* Found \['age'\]"
    ):
        Knowledge(tiers=[["age"], ["ill"]]).check_names(["Age", "ill"])


def test_knowledge_must_be_knowledge():
    with pytest.raises(ParameterError, match="^`knowledge` must be a Knowledge, such as"):
        check_knowledge({"required": []})
