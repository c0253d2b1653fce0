"""Values as text, for pages, Markdown, JSON and messages.

Markup: whatever is not markup already is text, and text is escaped.

Names of columns and cells come from data, so that they are never trusted. Three dangers are met
here, once: text that would be read as HTML, characters that a page cannot hold or that turn the
direction of what follows them, and names too long to be read.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape_html
from typing import Any

__all__ = [
    "Markup",
    "element",
    "escape",
    "html_findings",
    "html_table",
    "join",
    "markdown_findings",
    "markdown_table",
    "markdown_text",
    "number",
    "plain",
    "shorten",
    "steady_repr",
    "text",
    "visible",
]

_VOID = frozenset({"br", "meta"})
_JOINERS = frozenset("\u200c\u200d")
"""They are not printable, but some scripts cannot be written without them."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def visible(text: object) -> str:
    r"""Return text in which every character can be seen, as `repr` would show it.

    Characters of control, halves of pairs, and marks that turn the direction of writing are
    written out:

    >>> print(visible("price\n\u202eecirp"))
    price\n\u202eecirp
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(
        character
        if character.isprintable() or character in _JOINERS
        else character.encode("unicode_escape").decode("ascii")
        for character in shown
    )


def shorten(text: object, most: int) -> str:
    """Return at most so many visible characters, with an ellipsis for the rest.

    >>> shorten("temperature", 6), shorten("heat", 6)
    ('tempe…', 'heat')
    """
    shown = visible(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def escape(text: object) -> Markup:
    """Return text as HTML that shows it; markup stays what it is.

    >>> escape("<b>"), escape(Markup("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    return text if isinstance(text, Markup) else Markup(escape_html(visible(text)))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Return several pieces as one, those that are no markup escaped."""
    return Markup(escape(between).join(escape(part) for part in parts))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return an HTML or SVG element.

    Parameters
    ----------
    tag : str
        Its name.
    *children : object
        What it holds, one after the other: markup as it is, everything else as text.
    **attributes : object
        Their underscores become hyphens, and one at the end is dropped, as in ``class_``. None
        leaves the attribute out.

    Examples
    --------
    >>> element("p", "x < y", element("br"), class_="note", aria_label='"quoted"')
    '<p class="note" aria-label="&quot;quoted&quot;">x &lt; y<br></p>'
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    opened = f"<{tag}{given}>"
    return Markup(opened if tag in _VOID else f"{opened}{join(children)}</{tag}>")


def number(value: float) -> str:
    """Return a coordinate of a picture, short: a tenth is finer than any screen."""
    return f"{value:.1f}".removesuffix(".0")


def text(x: float, y: float, words: object, class_: str = "label", anchor: str = "start") -> Markup:
    """Return a piece of text in a picture; `anchor` says which end of it is at `x`."""
    return element("text", words, x=number(x), y=number(y), class_=class_, text_anchor=anchor)


def html_table(
    head: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: Iterable[int] = ()
) -> Markup:
    """Return a table whose first cell in each row is its heading.

    Columns whose place is in `numbers` get the class ``number``.

    >>> print(html_table(["part", "gain"], [["graph", "-3%"]], numbers=[1]).split("<tbody>")[1])
    <tr><th scope="row">graph</th><td class="number">-3%</td></tr></tbody></table>
    """
    classes = dict.fromkeys(numbers, "number")
    named = [
        element("th", cell, scope="col", class_=classes.get(place))
        for place, cell in enumerate(head)
    ]
    body = [
        element(
            "tr",
            element("th", first, scope="row"),
            *(element("td", cell, class_=classes.get(place)) for place, cell in enumerate(rest, 1)),
        )
        for first, *rest in rows
    ]
    return element("table", element("thead", element("tr", *named)), element("tbody", *body))


def plain(value: Any) -> Any:
    """Return a value as JSON has it; what is no finite number becomes null.

    >>> plain({"p": float("nan"), "given": ("a", "b")})
    {'p': None, 'given': ['a', 'b']}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(cell) for key, cell in value.items()}
    if isinstance(value, list | tuple):
        return [plain(cell) for cell in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)


def html_findings(findings: Sequence[str]) -> Markup:
    """Return the answer as a paragraph, and its reasons as a list.

    >>> html_findings(["It helps.", "So say the rows."])
    '<p><strong>It helps.</strong></p><ul><li>So say the rows.</li></ul>'
    """
    first, *reasons = findings
    listed = [element("ul", *(element("li", reason) for reason in reasons))] if reasons else []
    return join([element("p", element("strong", first)), *listed])


def markdown_findings(findings: Sequence[str]) -> str:
    """Return the answer as a paragraph, and its reasons as a list.

    >>> print(markdown_findings(["It helps.", "So say the rows."]))
    **It helps.**
    <BLANKLINE>
    - So say the rows.
    """
    first, *reasons = map(markdown_text, findings)
    return "\n".join([f"**{first}**", *([""] if reasons else []), *(f"- {r}" for r in reasons)])


def markdown_table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table in Markdown, its cells escaped.

    >>> print(markdown_table(["pair", "change"], [["a | <b>", 0.5]]))
    | pair | change |
    |---|---|
    | a \| &lt;b&gt; | 0.5 |
    """
    lines = [_markdown_row(head), "|" + "---|" * len(head)]
    return "\n".join(lines + [_markdown_row(cells) for cells in rows])


def markdown_text(text: object) -> str:
    """Return text that Markdown takes for neither HTML nor the border of a cell."""
    return escape_html(visible(text), quote=False).replace("|", r"\|")


def _markdown_row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(markdown_text(cell) for cell in cells)} |"


def steady_repr(value: object) -> str:
    """Return what `repr` says of an object, on one line, but not where it is in memory.

    >>> steady_repr({"key": steady_repr})
    "{'key': <function steady_repr>}"
    """
    return " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)).split())
