"""Evaluations that are made in no time, and what reads pages."""

from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pandas as pd

import causalaug as ca
from causalaug.evaluation import Comparison
from causalaug.report import Evaluation
from causalaug.report._summary import summarize

EVIL = [
    "<script>alert(1)</script>",
    "<img src=https://example.invalid/x.png onerror=alert(1)>",
    "\"quoted' & &amp; `ticked` | piped",
    "two\nlines\tand\x00nothing",
    "price\u202eecirp \u2067מחיר\u2069",
    "n" * 200,
    "</style></title></svg></iframe><style>*{display:none}</style>",
    "url(https://example.invalid/y.css)",
]
VOID = {"meta", "br"}


def comparison(target, n_rows=30):
    """Return a comparison as `compare` might have made it."""
    rng = np.random.default_rng(0)
    means = {"baseline": 1.0, "without knowledge": 0.95, "order": 0.9, "augmented": 0.8}
    means |= {"ridge": 1.1, "forest": 0.9}
    parts = [
        pd.DataFrame(
            {
                "method": method,
                "repeat": 0,
                "fold": np.arange(n_rows) % 3,
                "row": np.arange(n_rows),
                "loss": mean * rng.uniform(0.5, 1.5, size=n_rows),
                "share": 0.5 if method in {"augmented", "order"} else 0.0,
            }
        )
        for method, mean in means.items()
    ]
    return Comparison(pd.concat(parts), target, "MSE", "Ridge")


def checked(graph):
    """Return a check with every verdict in it, as `check_graph` might have made it."""
    rows = []
    factors = ca.factorize(graph)
    for place, factor in enumerate(factors):
        for earlier in factors[:place]:
            if earlier.target not in factor.pillow:
                number = len(rows)
                told = ["not rejected", "violated", "cannot tell"][number % 3]
                figures = [np.nan] * 3 if number % 3 == 2 else [-1.5, 0.01, 0.02]
                reason = "too few rows" if number % 3 == 2 else ""
                claim = factor.target, earlier.target, factor.pillow
                rows.append([*claim, "gcm", *figures, told, reason])
    names = ["variable", "independent_of", "given", "test", "statistic", "p_value", "p_holm"]
    frame = pd.DataFrame(rows, columns=[*names, "verdict", "reason"])
    return ca.GraphCheck(frame, graph.is_mb_shielded(), 0.05)


def quick_evaluation(names, *, n_rows=30, discrete=(), edges=None, new_rows=60):
    """Return an evaluation of a table with the given column names; the last is the target."""
    rng = np.random.default_rng(1)
    columns = {
        name: rng.choice(["x", "y", "z"], n_rows)
        if place in discrete
        else rng.normal(size=n_rows).round(3)
        for place, name in enumerate(names)
    }
    directed = list(zip(names, names[1:], strict=False)) if edges is None else edges
    graph = ca.ADMG(names, directed=directed, bidirected=[(names[0], names[-1])])
    frame = pd.DataFrame(columns)
    augmented = ca.augment(frame, graph, expansion=ca.BudgetExpansion(new_rows), random_state=0)
    return Evaluation(
        comparison=comparison(names[-1]),
        check=checked(graph),
        augmentation=summarize(augmented, names[-1], seed=0),
        graph=graph,
        settings={"learner": "Ridge()", "kinds of columns": str({names[0]: "continuous"})},
        seed=0,
        versions={"python": "3", "causalaug": "1"},
        source=f"causalaug evaluate --target {names[-1]!r}\n# and more",
    )


class Outline(HTMLParser):
    """Reads a page, strictly: what is opened must be closed, in order."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.values, self.words = [], [], [], []
        self.headings, self.opened = [], []
        self.feed(page)
        self.close()
        assert not self.opened, f"left open: {self.opened}"

    def handle_starttag(self, tag, attributes):
        names = tuple(name for name, _ in attributes)
        assert len(set(names)) == len(names)
        self.tags.append((tag, names))
        self.ids += [value for name, value in attributes if name == "id"]
        self.values += [value for _, value in attributes]
        if tag not in VOID:
            self.opened.append(tag)
        if tag in {"h1", "h2", "h3"}:
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag, attributes):
        raise AssertionError(f"<{tag}/> closes nothing in HTML")

    def handle_endtag(self, tag):
        assert self.opened[-1:] == [tag], f"</{tag}> closes nothing"
        self.opened.pop()

    def handle_data(self, data):
        self.words.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment")

    @property
    def text(self):
        return "".join(self.words)

    @property
    def counts(self):
        return Counter(tag for tag, _ in self.tags)
