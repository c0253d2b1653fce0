"""The report as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalaug._markup import Markup, element, join

if TYPE_CHECKING:
    from causalaug.report._evaluation import Evaluation

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(evaluation: Evaluation) -> Markup:
    """Return the whole page: complete in itself, without any script."""
    title = f"Does the graph help to predict {evaluation.target}?"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
    )
    body = element(
        "body",
        element("h1", title),
        *(element("p", finding) for finding in evaluation.findings),
        Markup(evaluation.comparison.to_html()),
        Markup(evaluation.check.to_html()),
    )
    return join([Markup("<!doctype html>\n"), element("html", head, body, lang="en")])
