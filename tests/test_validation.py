import re
import unicodedata
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from causalaug._validation import (
    brief,
    check_at_least,
    check_choice,
    check_columns_exist,
    check_integer,
    check_same_variables,
    typing_slips,
)
from causalaug.exceptions import CausalAugError, GraphMismatchError, ParameterError

# A check returns nothing: that it does not raise is all there is to see where all is well.


def test_the_same_variables_in_any_order_pass():
    check_same_variables(["a", "b"], ("b", "a"))


@pytest.mark.parametrize(
    ("nodes", "columns", "found"),
    [
        (
            ["a", "z"],
            ["a"],
            r"Only in the graph: \['z'\]. Only in the data: \[\]. Rename or drop.*keep=\['a'\]\)`",
        ),
        (
            ["a"],
            ["z", "a", "y"],
            r"graph: \[\]. Only in the data: \['y', 'z'\]. Rename or drop columns\.$",
        ),
        (
            ["height", "a"],
            ["heigth", "a"],
            r"graph: \['height'\]. Only in the data: \['heigth'\]. "
            r"A typing slip\? 'height' -> 'heigth'. Rename or drop columns, or project variables "
            r"out of the graph with `latent_projection\(graph, keep=\['a'\]\)`\.$",
        ),
    ],
)
def test_different_variables_are_named(nodes, columns, found):
    with pytest.raises(GraphMismatchError, match=found) as caught:
        check_same_variables(nodes, columns)
    assert "must name the same variables" in str(caught.value)
    assert isinstance(caught.value, CausalAugError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("wrong", "right", "hint"),
    [
        ([], ["a"], ""),
        (["qqq"], ["weight"], ""),
        (["wieght"], ["weight", "age"], "A typing slip? 'wieght' -> 'weight'. "),
        (
            ["wieght", "qqq", "agge"],
            ["weight", "age"],
            "A typing slip? 'wieght' -> 'weight', 'agge' -> 'age'. ",
        ),
    ],
)
def test_typing_slips_pair_what_looks_alike(wrong, right, hint):
    assert typing_slips(wrong, right) == hint


COMPOSED, DECOMPOSED, JOINED = "\xe9t\xe9", "e\u0301te\u0301", "\xe9t\u200d\xe9"


@pytest.mark.parametrize(
    ("nodes", "columns", "shown"),
    [
        ([COMPOSED, "a"], ["a", DECOMPOSED], r"'\xe9t\xe9' and 'e\u0301te\u0301'"),
        (["a", DECOMPOSED], [COMPOSED, "a"], r"'e\u0301te\u0301' and '\xe9t\xe9'"),
        ([COMPOSED], [JOINED], r"'\xe9t\xe9' and '\xe9t\u200d\xe9'"),
        (["\xb5g"], ["\u03bcg"], r"'\xb5g' and '\u03bcg'"),
        (["a\ufe0f"], ["a"], r"'a\ufe0f' and 'a'"),
        # Both forms on one side, and one on the other.
        ([COMPOSED, DECOMPOSED], [COMPOSED], r"'e\u0301te\u0301' and '\xe9t\xe9'"),
        ([COMPOSED], [COMPOSED, DECOMPOSED], r"'e\u0301te\u0301' and '\xe9t\xe9'"),
    ],
)
def test_names_that_look_equal_are_shown_by_their_characters(nodes, columns, shown):
    with pytest.raises(GraphMismatchError) as caught:
        check_same_variables(nodes, columns)
    assert f"Names that look alike differ in their characters: {shown}. Spell" in str(caught.value)
    assert "typing slip" not in str(caught.value)


def test_columns_that_look_like_others_are_shown_by_their_characters():
    with pytest.raises(
        ParameterError, match=r"characters: 'e\\u0301te\\u0301' and '\\xe9t\\xe9'\. Spell"
    ):
        check_columns_exist("limits", {DECOMPOSED: (0, 1)}, [COMPOSED])


@given(
    st.text(st.sampled_from("aeio\u0301\u0308\xe9\xef\u212b\u1e9b\u0323"), min_size=1),
    st.sampled_from(["NFC", "NFD"]),
)
def test_what_looks_equal_never_reads_equal_in_an_error(name, form):
    other = unicodedata.normalize(form, name)
    assume(other != name)
    hint = typing_slips([name], [other])
    assert ascii(name) in hint
    assert ascii(other) in hint


def test_a_choice_passes():
    check_choice("kernel", "b", ("b", "a"))


@pytest.mark.parametrize("value", ["c", None, 1, ["a"]])
def test_other_choices_are_refused(value):
    message = re.escape(f"`kernel` must be one of ['a', 'b']. Found {value!r}.")
    with pytest.raises(ParameterError, match=message):
        check_choice("kernel", value, ("b", "a"))


def test_columns_that_exist_pass():
    check_columns_exist("kinds", {"a": 1}, ("a", "b"))


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (["wieght", "age"], r"\['wieght'\]. A typing slip\? 'wieght' -> 'weight'. The columns"),
        ([7], r"\['7'\]. The columns are \['age', 'weight'\]."),
    ],
)
def test_columns_that_do_not_exist_are_named(named, found):
    message = "`kinds` names columns that the data do not have: " + found
    with pytest.raises(ParameterError, match=message):
        check_columns_exist("kinds", named, ("age", "weight"))


@pytest.mark.parametrize("value", [1, 1.0, 2, 1e300, np.float32(1.5), np.int64(3), Fraction(3, 2)])
def test_numbers_that_are_large_enough_pass(value):
    check_at_least("threshold", value, 1.0)


@pytest.mark.parametrize(
    "value", [0.999, -1, np.nan, np.inf, True, "2", None, 2j, np.array([1.0]), np.bool_(1)]
)
def test_numbers_must_be_large_enough_and_finite(value):
    message = re.escape(f"`threshold` must be a number of at least 1. Found {value!r}.")
    with pytest.raises(ParameterError, match=message):
        check_at_least("threshold", value, 1.0)


def test_integers_beyond_every_float_are_refused():
    with pytest.raises(ParameterError, match="`threshold` must be a number of at least 0"):
        check_at_least("threshold", 10**400, 0.0)


@pytest.mark.parametrize("value", [1, 5, np.int8(2), 10**400])
def test_integers_that_are_large_enough_pass(value):
    check_integer("rows", value, at_least=1)


@pytest.mark.parametrize("value", [0, -3, 1.0, np.float64(2), True, "2", None])
def test_integers_must_be_integers_and_large_enough(value):
    message = re.escape(f"`rows` must be an integer of at least 1. Found {value!r}.")
    with pytest.raises(ParameterError, match=message):
        check_integer("rows", value, at_least=1)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 800_000,
        list(range(10**5)),
        {"k" * 10**5: "v" * 10**5},
        10**300,
        10**10_000,
        b"x" * 10**6,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_an_error_shows_is_short(value):
    assert len(brief(value)) < 600


def test_nested_lists_are_shown_without_end():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    assert brief(nested) == "[[[[[[[...]]]]]]]"
    while nested:  # Python itself would take them apart one within the other
        nested = nested.pop()


@pytest.mark.parametrize("value", ["name", 3, 2.5, None, ["a", "b"], ("a",), {"a": 1}])
def test_what_is_short_is_shown_as_it_is(value):
    assert brief(value) == repr(value)


def test_an_integer_that_cannot_be_written_out_is_refused_in_words():
    with pytest.raises(ParameterError, match=r"at least 1\. Found an int of too many digits"):
        check_integer("rows", -(10**10_000), at_least=1)
