"""The report as one HTML page: complete in itself, without any script.

Everything comes from small functions that return markup, so that nothing has to be installed and
nothing reaches the page unescaped.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from causalaug._markup import Markup, element, join, shorten
from causalaug.report._sections import (
    Section,
    columns_section,
    gain_section,
    graph_section,
    learners_section,
    pairs_section,
    reproduce_section,
    rows_section,
    settings_section,
    tests_section,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.report._contents import Contents

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LONGEST_TITLE = 120
FIGURE = re.compile(r"([+−][\d.]+% ± \d+(?:\.\d+)?)")
"""A change with its error."""
CODE_OR_FIGURE = re.compile(rf"(`[^`]*`|{FIGURE.pattern[1:]}")
"""Not for the answer: that names the target, in which ticks are letters."""


def page(evaluation: Contents) -> Markup:
    """Return the whole page."""
    target = shorten(evaluation.target, LONGEST_TITLE)
    sections = [
        graph_section(evaluation),
        gain_section(evaluation),
        learners_section(evaluation),
        tests_section(evaluation),
        rows_section(evaluation),
        columns_section(evaluation),
        pairs_section(evaluation),
        settings_section(evaluation),
        reproduce_section(evaluation),
    ]
    header = element(
        "header",
        element("p", f"causalaug {evaluation.versions['causalaug']} · report", class_="eyebrow"),
        element("h1", "Does the graph help to predict ", element("bdi", target), "?"),
        verdict(evaluation),
        _contents(sections),
    )
    parts = [
        element(
            "section", element("h2", part.title, id=part.key), part.body, aria_labelledby=part.key
        )
        for part in sections
    ]
    footer = element("footer", "This file holds all it shows: it loads nothing and runs no script.")
    body = element("body", header, element("main", *parts), footer)
    return join(
        [
            Markup("<!doctype html>\n"),
            element("html", _head(f"Does the graph help to predict {target}?"), body, lang="en"),
            Markup("\n"),
        ]
    )


def verdict(evaluation: Contents) -> Markup:
    """Return the answer, and below it what else was found."""
    total = evaluation.comparison.total
    tone = ("better" if total.change < 0.0 else "worse") if total.is_clear else "plain"
    first, *rest = evaluation.findings
    return element(
        "section",
        element("p", _sentence(first, FIGURE), class_="answer"),
        element("ul", *(element("li", _sentence(finding)) for finding in rest)),
        class_=f"verdict {tone}",
        aria_label="Verdict",
    )


def _sentence(sentence: str, kept_together: re.Pattern[str] = CODE_OR_FIGURE) -> Markup:
    """Return a sentence with its code, true minus signs, and no line break within a figure."""
    parts = kept_together.split(re.sub(r"(?<!\S)-(?=\d)", "−", sentence))
    return join(
        part
        if place % 2 == 0
        else element("code", part.strip("`"))
        if part.startswith("`")
        else element("span", part, class_="together")
        for place, part in enumerate(parts)
    )


def _head(title: str) -> Markup:
    style = files("causalaug.report").joinpath("style.css").read_text(encoding="utf-8")
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style)),
    )


def _contents(sections: Sequence[Section]) -> Markup:
    links = [element("a", part.key.capitalize(), href=f"#{part.key}") for part in sections]
    return element(
        "nav", element("ul", *(element("li", link) for link in links)), aria_label="Contents"
    )
