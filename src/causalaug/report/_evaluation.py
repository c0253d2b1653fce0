"""The result of `evaluate`: one value, shown in several ways.

Its page is complete in itself, without any script. Everything comes from small functions that
return markup, so that nothing has to be installed and nothing reaches the page unescaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape as escape_html
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from causalaug._atomic import atomic_path
from causalaug._markup import (
    Markup,
    element,
    join,
    markdown_findings,
    markdown_table,
    markdown_text,
    plain,
    shorten,
    visible,
)
from causalaug.report._sections import (
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
    import os
    from collections.abc import Iterable, Mapping

    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Comparison, Gain
    from causalaug.graphs import ADMG
    from causalaug.report._summary import AugmentationSummary

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
FIGURE = re.compile(r"([+−][\d.]+% ± \d+(?:\.\d+)?)")
"""A change with its error."""
CODE_OR_FIGURE = re.compile(rf"(`[^`]*`|{FIGURE.pattern[1:]}")
"""Not for the answer: that names the target, in which ticks are letters."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Whether a graph helps to predict a target, and what the answer rests on.

    Parameters
    ----------
    comparison : Comparison
        Losses on held-out rows: the learner alone, its blends without knowledge, with the order
        and with the graph, and other plain learners.
    check : GraphCheck
        The independences of the graph, tested on the data.
    augmentation : AugmentationSummary
        The new rows of the whole table: mass, novelty, effective sample size, and how columns
        and pairs of columns changed.
    graph : ADMG
        The graph.
    settings : mapping of str to str
        What was chosen, and how.
    seed : int
        The seed that gives the same result again.
    versions : mapping of str to str
        Those of Python and of the packages that took part.
    source : str
        How the result was made.
    """

    comparison: Comparison
    check: GraphCheck
    augmentation: AugmentationSummary = field(repr=False)
    graph: ADMG = field(repr=False)
    settings: Mapping[str, str] = field(repr=False)
    seed: int
    versions: Mapping[str, str] = field(repr=False)
    source: str = field(repr=False)

    @property
    def target(self) -> str:
        """What was predicted."""
        return self.comparison.target

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in words: the gain first, the check of the graph last.

        The first sentence says as well if the data contradict independences of the graph.
        """
        answer, *others = self.comparison.findings
        if n_violated := len(self.check.violations):
            first, full_stop, rest = answer.partition(". ")
            answer = (
                f"{first.removesuffix('.')}; but the data contradict {n_violated} of the "
                f"{len(self.check)} independences of the graph{full_stop or '.'}{rest}"
            )
        return answer, *others, self.check.finding

    @property
    def verdict(self) -> str:
        """The findings as one text; its first sentence is the answer."""
        return " ".join(self.findings)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the weight that new rows got, in each fold."""
        frame = self.comparison.frame
        chosen = frame[frame["method"] == "augmented"].groupby(["repeat", "fold"])["share"].first()
        return tuple(map(float, chosen))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as one HTML page, and write it if a path is given.

        The page is complete in itself: it loads nothing and runs no script.

        Parameters
        ----------
        path : str or path, optional
            The file to write, in full or not at all.

        Returns
        -------
        str
            The page.
        """
        text = str(_page(self))
        if path is not None:
            with atomic_path(path) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
        return text

    def to_markdown(self) -> str:
        """Return the verdict and the tables of the report in Markdown."""
        figures = [[name, f"{value:.4g}"] for name, value in self.augmentation.figures.items()]
        pairs = [
            [f"{pair.x.column}, {pair.y.column}", f"{pair.change:.3f}"]
            for pair in self.augmentation.pairs
        ]
        facts = {**self.settings, "seed": str(self.seed), **self.versions}
        sections = [
            f"# Does the graph help to predict {markdown_text(self.target)}?",
            markdown_findings(self.findings),
            f"## Gain\n\n{self.comparison.tables_as_markdown()}",
            f"## Independences\n\n{self.check.to_markdown().rstrip()}",
            f"## New rows\n\n{self._warning()}{markdown_table(['figure', 'value'], figures)}",
            f"## Pairs that changed most\n\n{markdown_table(['pair', 'moved mass'], pairs)}",
            f"## How to reproduce this\n\n{markdown_table(['what', 'used'], facts.items())}",
            "\n".join(f"    {visible(line)}".rstrip() for line in self.source.splitlines()),
        ]
        return "\n\n".join(sections) + "\n"

    def _warning(self) -> str:
        warning = self.augmentation.warning
        return "" if warning is None else f"**Warning:** {markdown_text(warning)}\n\n"

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values, ready for JSON; None stands for what is not known."""
        compared, check, summary = self.comparison, self.check, self.augmentation
        steps = ["total", "without_knowledge", "order", "independences"]
        # The former names of the first and the last step, and comparisons beside the ladder.
        steps += ["smoothing", "graph", "against_best_plain", "model_alone"]
        values = {
            **_named(self, "verdict", "findings"),
            **_named(compared, "target", "learner"),
            "loss": compared.loss_name,
            "gain": {name: _gain(getattr(compared, name)) for name in steps},
            **_named(compared, "helps_by", "next_steps", "best_plain", "left_out"),
            "methods": [
                {"name": name, "loss": losses.mean(), **(_gain(compared.gain(str(name))) or {})}
                for name, losses in compared.losses.items()
            ],
            "shares": self.shares,
            "check": {
                **_named(check, "verdict", "alpha", "mb_shielded"),
                "rows": check.n_rows,
                "factor_rows": check.factor_rows,
                "independences": [row._asdict() for row in check],
                "trust": check.trust.to_dict(orient="records"),
                "wishes": check.wishes,
            },
            "augmentation": {**summary.figures, "factors": summary.factors},
            "warnings": [] if summary.warning is None else [summary.warning],
            "marginals": [
                {
                    **_named(marginal.axis, "column", "kind", "labels"),
                    **_named(marginal, "observed", "new", "change"),
                }
                for marginal in summary.marginals
            ],
            "pairs": [
                {"columns": [pair.x.column, pair.y.column], "change": pair.change}
                for pair in summary.pairs
            ],
            "graph": _named(self.graph, "nodes", "directed", "bidirected"),
            **_named(self, "settings", "seed", "versions", "source"),
        }
        plain_values: dict[str, Any] = plain(values)
        return plain_values

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style stays there."""
        title = f"Report on {self.target}"
        style = "width:100%;height:40rem;border:1px solid #8888"
        srcdoc = Markup(escape_html(self.to_html()))
        return str(element("iframe", title=title, sandbox="", srcdoc=srcdoc, style=style))


def _named(value: object, *names: str) -> dict[str, Any]:
    """Return attributes of a value by their names."""
    return {name: getattr(value, name) for name in names}


def _gain(gain: Gain | None) -> dict[str, Any] | None:
    return None if gain is None else _named(gain, "change", "standard_error", "is_clear")


def _page(evaluation: Evaluation) -> Markup:
    """Return the whole page."""
    compared, summary = evaluation.comparison, evaluation.augmentation
    sections = [
        graph_section(evaluation.graph, evaluation.target),
        gain_section(compared),
        learners_section(compared),
        tests_section(evaluation.check),
        rows_section(summary, compared.share, evaluation.shares),
        columns_section(summary),
        pairs_section(summary),
        settings_section(evaluation.target, evaluation.settings),
        reproduce_section(evaluation.source, evaluation.seed, evaluation.versions),
    ]
    target = shorten(evaluation.target, 120)
    links = [element("a", part.key.capitalize(), href=f"#{part.key}") for part in sections]
    header = element(
        "header",
        element("p", f"causalaug {evaluation.versions['causalaug']} · report", class_="eyebrow"),
        element("h1", "Does the graph help to predict ", element("bdi", target), "?"),
        _verdict(evaluation),
        element("nav", _list(links), aria_label="Contents"),
    )
    parts = [
        element(
            "section", element("h2", part.title, id=part.key), part.body, aria_labelledby=part.key
        )
        for part in sections
    ]
    footer = element("footer", "This file holds all it shows: it loads nothing and runs no script.")
    body = element("body", header, element("main", *parts), footer)
    head = _head(f"Does the graph help to predict {target}?")
    html = element("html", head, body, lang="en")
    return join([Markup("<!doctype html>\n"), html, Markup("\n")])


def _list(items: Iterable[Markup]) -> Markup:
    return element("ul", *(element("li", item) for item in items))


def _verdict(evaluation: Evaluation) -> Markup:
    """Return the answer, and below it what else was found."""
    total = evaluation.comparison.total
    tone = ("better" if total.change < 0.0 else "worse") if total.is_clear else "plain"
    first, *rest = evaluation.findings
    return element(
        "section",
        element("p", _sentence(first, FIGURE), class_="answer"),
        _list(map(_sentence, rest)),
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
