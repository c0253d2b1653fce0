from hypothesis import given
from hypothesis import strategies as st

from causalaug.graphs._shorten import (
    MOST_CHARACTERS,
    MOST_NAMES,
    NAME_CHARACTERS,
    arrows,
    group,
    listed,
    plain,
    quoted,
    shown,
    slips,
)

# Escapes make a text longer: \U0001f600 stands for one character.
WIDEST = len("\\U0001f600")
NAMES = st.text(st.characters(exclude_categories=()), max_size=3 * NAME_CHARACTERS)


@given(st.text(max_size=NAME_CHARACTERS))
def test_short_texts_are_shown_in_full(text):
    assert shown(text) == repr(text)
    assert plain(text) == (text if text.isprintable() else repr(text))


@given(st.lists(NAMES, max_size=MOST_NAMES))
def test_short_lists_are_shown_as_lists(names):
    if all(len(name) <= NAME_CHARACTERS for name in names):
        assert listed(names) == str(names)


@given(st.lists(NAMES, min_size=1, max_size=40))
def test_no_list_is_long(names):
    longest = MOST_NAMES * (NAME_CHARACTERS * WIDEST + len(" -> ''...")) + 40
    for text in (listed(names), quoted(names), group(names), arrows(names)):
        assert len(text) <= longest
        text.encode()


@given(st.binary(max_size=5 * MOST_CHARACTERS))
def test_no_value_is_long(value):
    assert len(shown(value)) <= MOST_CHARACTERS + len("...")
    assert shown(value).removesuffix("...") in repr(value)


def test_a_value_that_cannot_be_shown_is_named_by_its_type():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    assert shown(nested) == "<list>"
    assert shown(10**5000) == "<int>"


def test_what_is_left_out_is_counted():
    names = [f"v{i}" for i in range(1_012)]
    assert listed(names).endswith("'v9'] and 1,002 more")
    assert group(names).endswith("v9} and 1,002 more")
    assert arrows(names).endswith("v8 -> ... (1,002 more) -> v1011")


def test_slips_are_sought_among_few_names_only():
    assert slips(["smokin"], ["smoking"]) == "A typing slip? 'smokin' -> 'smoking'. "
    assert slips(["v1"], [f"v{i}" for i in range(5_000)]) == ""
    assert slips([None, "x" * 1_000], ["smoking"]) == ""
