"""The result of `evaluate`: one value, shown in several ways."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape as escape_html
from typing import TYPE_CHECKING, Any

from causalaug._atomic import atomic_path
from causalaug._markup import (
    Markup,
    element,
    markdown_findings,
    markdown_table,
    markdown_text,
    visible,
)
from causalaug.report._page import page

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Comparison, Gain
    from causalaug.graphs import ADMG
    from causalaug.report._summary import AugmentationSummary, Marginal


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
        return self._with_violations(answer), *others, self.check.finding

    def _with_violations(self, answer: str) -> str:
        n_violated = len(self.check.violations)
        if not n_violated:
            return answer
        told = (
            f"The data contradict {n_violated} of the {len(self.check)} independences of the graph"
        )
        first, *rest = answer.split(". ")
        but = f"; but {told[0].lower()}{told[1:]}"
        return ". ".join([f"{first.removesuffix('.')}{but}", *rest]) + ("." if not rest else "")

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
        text = str(page(self))
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
        summary = self.augmentation
        return {
            "verdict": self.verdict,
            "findings": list(self.findings),
            **_comparison(self.comparison),
            "shares": list(self.shares),
            "check": _check(self.check),
            "augmentation": _plain(dict(summary.figures)) | {"factors": list(summary.factors)},
            "warnings": [] if summary.warning is None else [summary.warning],
            "marginals": [_marginal(each) for each in summary.marginals],
            "pairs": [
                {"columns": [pair.x.column, pair.y.column], "change": pair.change}
                for pair in summary.pairs
            ],
            "graph": {
                "nodes": list(self.graph.nodes),
                "directed": [list(edge) for edge in self.graph.directed],
                "bidirected": [list(edge) for edge in self.graph.bidirected],
            },
            "settings": dict(self.settings),
            "seed": self.seed,
            "versions": dict(self.versions),
            "source": self.source,
        }

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style stays there."""
        title = f"Report on {self.target}"
        style = "width:100%;height:40rem;border:1px solid #8888"
        srcdoc = Markup(escape_html(self.to_html()))
        return str(element("iframe", title=title, sandbox="", srcdoc=srcdoc, style=style))


def _comparison(compared: Comparison) -> dict[str, Any]:
    return {
        "target": compared.target,
        "learner": compared.learner,
        "loss": compared.loss_name,
        "gain": {
            "total": _gain(compared.total),
            "without_knowledge": _gain(compared.without_knowledge),
            "order": _gain(compared.order),
            "independences": _gain(compared.independences),
            # The former names of the first and the last step.
            "smoothing": _gain(compared.smoothing),
            "graph": _gain(compared.graph),
            "against_best_plain": _gain(compared.against_best_plain),
            "model_alone": None if compared.model_alone is None else _gain(compared.model_alone),
        },
        "helps_by": list(compared.helps_by),
        "next_steps": list(compared.next_steps),
        "best_plain": compared.best_plain,
        "left_out": list(compared.left_out),
        "methods": [
            {"name": name, "loss": _known(compared.losses[name].mean())}
            | _gain(compared.gain(name))
            for name in map(str, compared.losses)
        ],
    }


def _check(check: GraphCheck) -> dict[str, Any]:
    return {
        "verdict": check.verdict,
        "alpha": check.alpha,
        "mb_shielded": check.mb_shielded,
        "rows": check.n_rows,
        "factor_rows": dict(check.factor_rows),
        "independences": [_plain(row._asdict()) for row in check],
        "trust": [
            _plain({str(name): value for name, value in row.items()})
            for row in check.trust.to_dict(orient="records")
        ],
        "wishes": list(check.wishes),
    }


def _gain(gain: Gain) -> dict[str, Any]:
    return {
        "change": _known(gain.change),
        "standard_error": _known(gain.standard_error),
        "is_clear": bool(gain.is_clear),
    }


def _marginal(marginal: Marginal) -> dict[str, Any]:
    return {
        "column": marginal.axis.column,
        "kind": marginal.axis.kind,
        "labels": list(marginal.axis.labels),
        "observed": marginal.observed.tolist(),
        "new": marginal.new.tolist(),
        "change": marginal.change,
    }


def _known(number: float) -> float | None:
    """Return a finite number, or None."""
    return float(number) if math.isfinite(number) else None


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that JSON has."""
    return {
        name: list(value)
        if isinstance(value, tuple)
        else (_known(value) if isinstance(value, float) else value)
        for name, value in values.items()
    }
