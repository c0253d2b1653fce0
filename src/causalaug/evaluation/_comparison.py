"""The result of a comparison, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causalaug._markup import (
    html_findings,
    html_table,
    join,
    markdown_findings,
    markdown_table,
    shorten,
)

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.typing import FloatArray

BASELINE, CONTROL, AUGMENTED, MODEL = "baseline", "control", "augmented", "graph model"
NO_RIVALS = (AUGMENTED, CONTROL, MODEL)
"""Methods that are not plain learners."""

CLEAR = 2.0
"""A difference of this many standard errors is called clear."""

LONGEST_NAME = 60

NEGLIGIBLE = 0.02
"""A change that is certain to be smaller than this is called none. Learners differ by more than two
percent from one seed to the next; where the error alone is larger, nobody can tell."""


@dataclass(frozen=True)
class Gain:
    """A change in loss, as a share of the baseline's; below zero is better.

    >>> print(Gain(-0.123, 0.02))
    -12.3% ± 2.0
    """

    change: float
    standard_error: float

    @property
    def is_clear(self) -> bool:
        """Whether the change is more than two standard errors from none."""
        return abs(self.change) > CLEAR * self.standard_error

    def __str__(self) -> str:
        """Return the change in percent, with its standard error."""
        return f"{100 * self.change:+.1f}% ± {100 * self.standard_error:.1f}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Losses on held-out rows, method by method, and what follows from them.

    Parameters
    ----------
    frame : pandas DataFrame
        One row per method, repeat and held-out row: ``method``, ``repeat``, ``fold``,
        ``row``, ``loss``, and ``share``, the share of the weight that new rows got.
    target : str
        What was predicted.
    loss_name : str
        What the losses are.
    learner : str
        The learner of baseline, augmented and control.
    notes : tuple of str
        What a reader of the tables must know besides.
    left_out : tuple of str
        Plain learners and repeats that were not begun within the limit of time.
    """

    frame: pd.DataFrame = field(repr=False)
    target: str
    loss_name: str
    learner: str
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @cached_property
    def losses(self) -> pd.DataFrame:
        """The loss of each row, averaged over repeats, one column per method."""
        table = self.frame.pivot_table(index="row", columns="method", values="loss", sort=False)
        return table[list(dict.fromkeys(self.frame["method"]))]

    @property
    def total(self) -> Gain:
        """What the learner gains with the graph: the blend with it, against the plain learner."""
        return self.gain(AUGMENTED, BASELINE)

    @property
    def smoothing(self) -> Gain:
        """What it gains without: the blend of plain and control rows, which assume nothing."""
        return self.gain(CONTROL, BASELINE)

    @property
    def graph(self) -> Gain:
        """What the independences of the graph change: the difference of the two blends."""
        return self.gain(AUGMENTED, CONTROL)

    @property
    def model_alone(self) -> Gain | None:
        """What the graph's model changes by itself, without the learner; None if not asked."""
        return self.gain(MODEL) if MODEL in self.losses else None

    @property
    def best_plain(self) -> str:
        """The plain learner with the least loss, the baseline among them."""
        means = self.losses.drop(columns=list(NO_RIVALS), errors="ignore").mean()
        return str(means.idxmin())

    @property
    def has_rivals(self) -> bool:
        """Whether plain learners other than the baseline were tried."""
        return bool(set(self.losses) - {BASELINE, *NO_RIVALS})

    @property
    def against_best_plain(self) -> Gain:
        """What the augmented learner changes against the best plain one."""
        return self.gain(AUGMENTED, self.best_plain)

    @property
    def share(self) -> float:
        """The mean share of the weight that the new rows got, with the graph."""
        chosen = self.frame.loc[self.frame["method"] == AUGMENTED, "share"]
        return float(chosen.mean())

    @property
    def findings(self) -> tuple[str, str, str]:
        """What to make of the gain, of its parts, and of the other learners, in words."""
        return self._about_the_gain(), self._about_its_parts(), self._about_the_best()

    @property
    def verdict(self) -> str:
        """What to make of it, in words; the first sentence is the answer."""
        return " ".join(self.findings)

    @property
    def parts(self) -> dict[str, Gain]:
        """The gain in total, and what it is made of."""
        return {
            "in total": self.total,
            "of which smoothing": self.smoothing,
            "of which the graph": self.graph,
        }

    def gain(self, method: str, against: str = BASELINE) -> Gain:
        """Return how the loss of a method differs from that of another, row by row."""
        baseline = float(self.losses[BASELINE].mean())
        difference = (self.losses[method] - self.losses[against]).to_numpy()
        return _paired_gain(difference, baseline)

    def to_markdown(self) -> str:
        """Return the verdict and two tables: losses by method, and the parts of the gain."""
        return f"{markdown_findings(self.findings)}\n\n{self.tables_as_markdown()}"

    def tables_as_markdown(self) -> str:
        """Return the two tables alone: losses by method, and the parts of the gain."""
        return "\n\n".join(markdown_table(head, rows) for head, rows in self._tables())

    def to_html(self) -> str:
        """Return the same as a piece of HTML."""
        tables = [html_table(head, rows, numbers=(1, 2)) for head, rows in self._tables()]
        return str(join([html_findings(self.findings), *tables]))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        """Return the answer, and what was compared."""
        return f"Comparison({len(self.losses.columns)} methods. {self.findings[0]})"

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return head and rows of the table of methods, and of that of the gain's parts."""
        methods = [
            [
                f"{method} ({self.learner})" if method == BASELINE else method,
                f"{self.losses[method].mean():.4g}",
                "" if method == BASELINE else str(self.gain(method)),
            ]
            for method in map(str, self.losses)
        ]
        parts = [[name, str(gain)] for name, gain in self.parts.items()]
        return [
            (["method", self.loss_name, "against the baseline"], methods),
            (["part of the gain", f"change in {self.loss_name}"], parts),
        ]

    def _about_the_gain(self) -> str:
        """Answer in one sentence whether the graph helps, with the error of the answer."""
        # The one place that says what ± is: every output begins with this sentence.
        figures = (
            f"the {self.loss_name} of {self.learner} on held-out rows changes by {self.total} "
            "(± is one standard error)"
        )
        if not self.total.is_clear:
            return f"{self._without_a_clear_change()}: {figures}."
        if self.total.change > 0.0:
            what = "The graph hurts" if self._graph_is_worse else "New rows hurt"
            return f"{what}: {figures}. Do not use it here."
        if not self.graph.is_clear:
            return f"New rows help, the graph itself not clearly: {figures}."
        if self._graph_is_worse:
            return f"New rows help, but without this graph they help more: {figures}."
        return f"The graph helps to predict {shorten(self.target, LONGEST_NAME)}: {figures}."

    def _without_a_clear_change(self) -> str:
        if self.share == 0.0:
            return "The graph makes no difference, its rows got no weight"
        largest = abs(self.total.change) + CLEAR * self.total.standard_error
        if largest <= NEGLIGIBLE:
            return "The graph makes hardly any difference"
        name = shorten(self.target, LONGEST_NAME)
        return f"Cannot tell whether the graph helps to predict {name}"

    @property
    def _graph_is_worse(self) -> bool:
        return self.graph.is_clear and self.graph.change > 0.0

    def _about_its_parts(self) -> str:
        parts = (
            f"Of that, smoothing (new rows that assume no independence) brings {self.smoothing}, "
            f"the graph itself {self.graph}."
        )
        if self.model_alone is not None:
            parts += f" The graph's model without the learner: {self.model_alone}."
        if not self.graph.is_clear:
            return f"{parts} The graph's own part is within two of its errors."
        if self.graph.change < 0.0:
            return f"{parts} The independences of the graph carry information."
        return f"{parts} The graph makes it worse than no graph: check it with `check_graph`."

    def _about_the_best(self) -> str:
        """Say how the best plain learner does; it is called better only if it clearly is."""
        if not self.has_rivals:
            words = "No other learner was tried: another one may do better without any graph."
        elif self.best_plain == BASELINE:
            rivals = self.losses.drop(columns=[BASELINE, *NO_RIVALS], errors="ignore")
            nearest = str(rivals.mean().idxmin())
            words = (
                "No other plain learner that was tried is better than the baseline; the nearest, "
                f"{nearest}: {self.gain(nearest)}."
            )
        else:
            words = self._against_the_best(self.against_best_plain)
        missing = (f"Left out for want of time: {', '.join(self.left_out)}.",)
        return " ".join([words, *self.notes, *(missing if self.left_out else ())])

    def _against_the_best(self, gain: Gain) -> str:
        if not gain.is_clear:
            return (
                f"The best plain learner is {self.best_plain}; against it no clear change: {gain}."
            )
        if gain.change < 0.0:
            return f"The best plain learner is {self.best_plain}; against it {gain}."
        return (
            f"But plain {self.best_plain} is better still: against it the augmented learner is "
            f"at {gain}. Try it as the estimator."
        )


def _paired_gain(difference: FloatArray, baseline: float) -> Gain:
    """Return the mean of paired differences as a share of the baseline's mean loss."""
    if baseline == 0.0:
        return Gain(0.0, 0.0)
    error = float(difference.std(ddof=1)) / np.sqrt(len(difference))
    return Gain(float(difference.mean()) / baseline, float(error) / baseline)
