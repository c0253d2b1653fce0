from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug._markup import (
    Markup,
    element,
    escape,
    html_table,
    join,
    markdown_table,
    shorten,
    visible,
)

ANY_TEXT = st.text(st.characters())
"""Halves of pairs among it, which no file can hold."""


class Texts(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@given(ANY_TEXT)
def test_text_stays_text(text):
    read = Texts(element("p", text, title=text))
    assert read.tags == [("p", {"title": visible(text)})]
    assert read.text == visible(text)


@given(ANY_TEXT)
def test_what_is_visible_can_be_written_and_stays_as_it_is(text):
    shown = visible(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown
    assert not any(mark in shown for mark in "\0\n\r\u202a\u202e\u2066\u2067\u2069")


@given(ANY_TEXT, st.integers(1, 20))
def test_nothing_is_longer_than_allowed(text, most):
    assert len(shorten(text, most)) <= most


@given(st.lists(ANY_TEXT, min_size=2, max_size=2))
def test_cells_of_markdown_hold_neither_html_nor_borders(cells):
    last = markdown_table(["a", "b"], [cells]).split("\n")
    assert len(last) == 3
    row = last[2].replace(r"\|", "")
    assert row.count("|") == 3
    assert "<" not in row
    assert unescape(last[2].replace(r"\|", "|")) == f"| {visible(cells[0])} | {visible(cells[1])} |"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("\ud800", r"\ud800"),
        ("\u202eabc", r"\u202eabc"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("température 温度 🌡", "température 温度 🌡"),
    ],
)
def test_only_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


def test_markup_is_not_escaped_twice():
    inner = element("b", "1 < 2")
    assert element("p", inner, " & ") == "<p><b>1 &lt; 2</b> &amp; </p>"
    assert escape(inner) is inner
    assert isinstance(join([inner, "<"]), Markup)


def test_attributes_that_are_none_are_left_out():
    assert element("meta", charset="utf-8", content=None) == '<meta charset="utf-8">'


def test_the_first_cell_of_a_row_is_its_heading():
    table = html_table(["a", "b"], [["<x>", 1]], numbers=[1])
    assert '<th scope="row">&lt;x&gt;</th><td class="number">1</td>' in table
