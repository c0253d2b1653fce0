"""The result of a comparison, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.typing import FloatArray

BASELINE, AUGMENTED, CONTROL = "baseline", "augmented", "control"
CLEAR = 2.0
"""A difference of this many standard errors is called clear."""


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


@dataclass(frozen=True, eq=False)
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
    """

    frame: pd.DataFrame = field(repr=False)
    target: str
    loss_name: str
    learner: str

    @cached_property
    def losses(self) -> pd.DataFrame:
        """The loss of each row, averaged over repeats, one column per method."""
        table = self.frame.pivot_table(index="row", columns="method", values="loss", sort=False)
        return table[list(dict.fromkeys(self.frame["method"]))]

    @property
    def total(self) -> Gain:
        """What augmentation with the graph changes."""
        return self._gain(AUGMENTED, BASELINE)

    @property
    def smoothing(self) -> Gain:
        """What augmentation with the complete graph changes: no independence is assumed."""
        return self._gain(CONTROL, BASELINE)

    @property
    def graph(self) -> Gain:
        """What the independences of the graph change: the total less the smoothing."""
        return self._gain(AUGMENTED, CONTROL)

    @property
    def best_plain(self) -> str:
        """The plain learner with the least loss, the baseline among them."""
        means = self.losses.drop(columns=[AUGMENTED, CONTROL]).mean()
        return str(means.idxmin())

    @property
    def against_best_plain(self) -> Gain:
        """What the augmented learner changes against the best plain one."""
        return self._gain(AUGMENTED, self.best_plain)

    @property
    def share(self) -> float:
        """The mean share of the weight that the new rows got, with the graph."""
        chosen = self.frame.loc[self.frame["method"] == AUGMENTED, "share"]
        return float(chosen.mean())

    @property
    def verdict(self) -> str:
        """What to make of it, in words."""
        return " ".join([self._about_the_gain(), self._about_its_parts(), self._about_the_best()])

    def to_markdown(self) -> str:
        """Return the verdict and two tables: losses by method, and the parts of the gain."""
        lines = [self.verdict, "", f"| method | {self.loss_name} | against the baseline |"]
        lines.append("|---|---|---|")
        for method in self.losses:
            change = "" if method == BASELINE else str(self._gain(str(method), BASELINE))
            name = f"{method} ({self.learner})" if method == BASELINE else method
            lines.append(f"| {name} | {self.losses[method].mean():.4g} | {change} |")
        lines += ["", f"| part of the gain | change in {self.loss_name} |", "|---|---|"]
        lines += [
            f"| {name} | {gain} |"
            for name, gain in (
                ("in total", self.total),
                ("of which smoothing", self.smoothing),
                ("of which the graph", self.graph),
            )
        ]
        return "\n".join(lines)

    def _gain(self, method: str, against: str) -> Gain:
        baseline = float(self.losses[BASELINE].mean())
        difference = (self.losses[method] - self.losses[against]).to_numpy()
        return _paired_gain(difference, baseline)

    def _about_the_gain(self) -> str:
        total = self.total
        if not total.is_clear:
            words = f"No clear change: {self.loss_name} {total}."
            return words if self.share > 0.0 else f"{words} The gate gave new rows no weight."
        if total.change < 0.0:
            return f"Augmentation helps: {self.loss_name} {total}."
        return f"Augmentation hurts: {self.loss_name} {total}. Do not use it here."

    def _about_its_parts(self) -> str:
        parts = f"Smoothing alone {self.smoothing}, the graph {self.graph}."
        if not self.graph.is_clear:
            return f"{parts} The graph's own part is within its error."
        if self.graph.change < 0.0:
            return f"{parts} The independences of the graph carry information."
        return f"{parts} The graph makes it worse than no graph: check it with `check_graph`."

    def _about_the_best(self) -> str:
        if self.best_plain == BASELINE:
            return "No other plain learner that was tried is better than the baseline."
        gain = self.against_best_plain
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
