"""The result of a comparison, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causalaug._markup import (
    element,
    html_findings,
    html_table,
    join,
    markdown_findings,
    markdown_table,
    markdown_text,
    shorten,
)

if TYPE_CHECKING:
    import pandas as pd

    from causalaug.diagnostics import Trust
    from causalaug.typing import FloatArray, IntArray

BASELINE, MODEL = "baseline", "graph model"
NOTHING, ORDER, AUGMENTED = "without knowledge", "order", "augmented"
"""The learner's blends on the rungs of the ladder: no knowledge, order, graph."""

NO_RIVALS = (NOTHING, ORDER, AUGMENTED, MODEL)
"""Methods that are not plain learners."""

CLEAR = 2.0
"""A difference of this many standard errors is called clear."""

NEGLIGIBLE = 0.02
"""A change that is certain to be smaller than this is called none. Learners differ by more than two
percent from one seed to the next; where the error alone is larger, nobody can tell."""


@dataclass(frozen=True)
class Gain:
    """A change in loss, as a share of a loss that is named; below zero is better.

    >>> print(Gain(-0.123, 0.02))
    -12.3% ± 2.0
    """

    change: float
    standard_error: float

    @property
    def is_clear(self) -> bool:
        """Whether the change is more than two standard errors from none."""
        return abs(self.change) > CLEAR * self.standard_error

    def rows_to_tell(self, n_rows: int) -> int | None:
        """Return how many rows would make such a change clear, two digits; None if none is there.

        The error shrinks with the square root of the number of rows.

        >>> Gain(-0.1, 0.1).rows_to_tell(60)
        240
        """
        if self.is_clear or self.change == 0.0:
            return n_rows if self.is_clear else None
        needed = n_rows * (CLEAR * self.standard_error / self.change) ** 2
        # Nobody has more rows than these: a change that needs more is none.
        if not needed <= 10**9:
            return None
        digits: int = 10 ** max(int(np.log10(needed)) - 1, 0)
        # Rounded, so that a whole number of rows is not one more by an error of the last digit.
        return int(np.ceil(round(needed / digits, 6))) * digits

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
        The learner of the baseline and of the blends.
    notes : tuple of str
        What a reader of the tables must know besides.
    left_out : tuple of str
        Plain learners and repeats that were not begun within the limit of time.
    copies : int array of shape (n_rows,), optional
        A number for each row of the table, the same for copies of one row: they are one witness,
        and standard errors do not shrink by them. None if there are no copies.
    trust_source : Trust, optional
        What `trust` is fitted to when it is looked at.
    """

    frame: pd.DataFrame = field(repr=False)
    target: str
    loss_name: str
    learner: str
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    copies: IntArray | None = field(default=None, repr=False)
    trust_source: Trust | None = field(default=None, repr=False)

    @property
    def trust(self) -> pd.DataFrame | None:
        """How far left-out rows let each factor of the graph be believed, and what they want.

        As `GraphCheck.trust`: of a model of all rows, fitted when it is looked at. None if the
        comparison was made by hand.
        """
        return None if self.trust_source is None else self.trust_source.frame

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
    def without_knowledge(self) -> Gain:
        """What it gains without any causal knowledge, as a share of the baseline's loss.

        The blend of the complete graph with the target last: a model of the target given all
        else, and smoothing rows.
        """
        return self.gain(NOTHING, BASELINE)

    @property
    def order(self) -> Gain:
        """What the causal order adds, as a share of the baseline's loss.

        The blend of the complete graph along the graph's order, which claims no independence,
        against that without knowledge.
        """
        return self.gain(ORDER, NOTHING, of=BASELINE)

    @property
    def independences(self) -> Gain:
        """What the independences of the graph add, as a share of the baseline's loss.

        The blend of the graph against that of its order. Exactly nothing for a graph that claims
        no independence.
        """
        return self.gain(AUGMENTED, ORDER, of=BASELINE)

    @property
    def smoothing(self) -> Gain:
        """The same as `without_knowledge`, which contains a model of the target by now."""
        return self.without_knowledge

    @property
    def graph(self) -> Gain:
        """The same as `independences`: what the order brings is no part of it any more."""
        return self.independences

    @property
    def model_alone(self) -> Gain | None:
        """What the graph's model changes by itself, without the learner; None if not asked.

        It is `GraphRegressor` or `GraphClassifier`, as they predict.
        """
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
        """What the augmented learner changes against the best plain one, of that one's loss."""
        return self.gain(AUGMENTED, self.best_plain)

    @property
    def share(self) -> float:
        """The mean share of the weight that the new rows got, with the graph."""
        chosen = self.frame.loc[self.frame["method"] == AUGMENTED, "share"]
        return float(chosen.mean())

    @property
    def n_rows(self) -> int:
        """The number of rows that the methods were judged on."""
        return len(self.losses)

    @property
    def _n_distinct(self) -> int:
        """The number of rows without copies: a copy is no more evidence."""
        if self.copies is None:
            return self.n_rows
        return len(np.unique(self.copies[self.losses.index.to_numpy()]))

    @property
    def findings(self) -> tuple[str, ...]:
        """What to make of the gain, of its parts, and of the other learners, in words.

        Where nobody can tell whether the graph helps, the last one says what to do next.
        """
        said = self._about_the_gain(), self._about_its_parts(), self._about_the_best()
        return (*said, f"Next: {'; '.join(self.next_steps)}.") if self.next_steps else said

    @property
    def verdict(self) -> str:
        """What to make of it, in words; the first sentence is the answer."""
        return " ".join(self.findings)

    @property
    def parts(self) -> dict[str, Gain]:
        """The gain in total, and the steps that it is made of."""
        return {
            "in total": self.total,
            "without knowledge": self.without_knowledge,
            "by the order": self.order,
            "by the independences": self.independences,
        }

    @property
    def next_steps(self) -> tuple[str, ...]:
        """What to try where the rows cannot tell whether the graph helps; else nothing."""
        if self.total.is_clear or self.share == 0.0 or self._is_negligible:
            return ()
        steps = [self._about_more_rows()]
        if self.independences.change > 0.0:
            steps.append("try its order alone, which is a graph, too")
        if self.against_best_plain.change > 0.0 and self.best_plain != BASELINE:
            steps.append(f"take plain {self.best_plain}, whose loss is lower")
        return tuple(steps)

    def gain(self, method: str, against: str = BASELINE, *, of: str | None = None) -> Gain:
        """Return how the loss of a method differs from that of another, row by row.

        It is a share of the loss of `of`, by default of the method that is compared with.
        """
        difference = (self.losses[method] - self.losses[against]).to_numpy()
        copies = None if self.copies is None else self.copies[self.losses.index.to_numpy()]
        return _paired_gain(difference, float(self.losses[of or against].mean()), copies)

    def to_markdown(self) -> str:
        """Return the verdict and two tables: losses by method, and the parts of the gain.

        Below stands what left-out rows want beside the graph, if that is anything.
        """
        wishes = "".join(f"\n\n{markdown_text(wish)}" for wish in self._wishes())
        return f"{markdown_findings(self.findings)}\n\n{self.tables_as_markdown()}{wishes}"

    def tables_as_markdown(self) -> str:
        """Return the two tables alone: losses by method, and the parts of the gain."""
        return "\n\n".join(markdown_table(head, rows) for head, rows in self._tables())

    def to_html(self) -> str:
        """Return the same as a piece of HTML."""
        tables = [html_table(head, rows, numbers=(1, 2)) for head, rows in self._tables()]
        wishes = [element("p", wish) for wish in self._wishes()]
        return str(join([html_findings(self.findings), *tables, *wishes]))

    def _wishes(self) -> list[str]:
        return [] if self.trust_source is None else self.trust_source.in_words()

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
        if self.has_rivals and self.best_plain != BASELINE:
            figures += f", against plain {self.best_plain} by {self.against_best_plain}"
        if not self.total.is_clear or self._is_negligible:
            return f"{self._without_a_clear_change()}: {figures}."
        if self.total.change > 0.0:
            return f"{self._who_hurts()}: {figures}. Do not use it here."
        if self.is_beaten:
            return f"Plain {self.best_plain} is better than anything with this graph: {figures}."
        return f"{self._who_helps()}: {figures}."

    @property
    def is_beaten(self) -> bool:
        """Whether a plain learner is clearly better than the blend with the graph."""
        gain = self.against_best_plain
        return self.best_plain != BASELINE and gain.is_clear and gain.change > 0.0

    @property
    def helps_by(self) -> tuple[str, ...]:
        """Which knowledge helps: "order", "independences", both or none.

        The gain in total must be clear, the step as well, and no plain learner clearly better.
        """
        is_better = self.total.is_clear and self.total.change < 0.0 and not self._is_negligible
        if not is_better or self.is_beaten:
            return ()
        steps = {"order": self.order, "independences": self.independences}
        return tuple(name for name, gain in steps.items() if gain.is_clear and gain.change < 0.0)

    def _who_helps(self) -> str:
        name = shorten(self.target, 60)
        worse = self.independences.is_clear and self.independences.change > 0.0
        if self.helps_by == ("order",):
            if self.independences == Gain(0.0, 0.0):
                rest = "which claims no independence"
            elif worse:
                rest = "its independences cost part of that"
            else:
                rest = "its independences not clearly"
            return f"The order of the graph helps to predict {name}, {rest}"
        if self.helps_by:
            return f"The graph helps to predict {name} by its {' and its '.join(self.helps_by)}"
        if worse:
            return "New rows help, but without this graph they help more"
        return "New rows help, the graph itself not clearly"

    def _who_hurts(self) -> str:
        if self.independences.is_clear and self.independences.change > 0.0:
            return "The graph hurts"
        if self.order.is_clear and self.order.change > 0.0:
            return "The order of the graph hurts"
        return "New rows hurt"

    def _without_a_clear_change(self) -> str:
        if self.share == 0.0:
            return "The graph makes no difference, its rows got no weight"
        if self._is_negligible:
            return "The graph makes hardly any difference"
        name = shorten(self.target, 60)
        return f"Cannot tell whether the graph helps to predict {name}"

    @property
    def _is_negligible(self) -> bool:
        return abs(self.total.change) + CLEAR * self.total.standard_error <= NEGLIGIBLE

    def _about_more_rows(self) -> str:
        """Say how many rows would tell: errors shrink with the square root of their number."""
        low, high = (
            100 * (self.total.change + sign * CLEAR * self.total.standard_error)
            for sign in (-1.0, 1.0)
        )
        # No loss falls by more than all of it.
        low = max(low, -100.0)
        range_ = (
            f"the blend is not clearly worse than {self.learner} alone, the change may be anything "
            f"from {low:+.0f} to {high:+.0f} percent"
        )
        needed = self.total.rows_to_tell(self._n_distinct)
        if needed is None:
            return f"{range_}; no number of rows would tell a change as small as the one seen"
        return (
            f"{range_}; if it stays as it is, about {needed:,} rows would tell "
            f"({self._n_distinct} now)"
        )

    def _about_its_parts(self) -> str:
        parts = (
            f"Of that, {self.without_knowledge} needs no causal knowledge (a model of the target "
            f"given all else, and smoothing rows), the order brings {self.order}, the "
            f"independences {self.independences}."
        )
        if self.model_alone is not None:
            parts += f" The graph's model without the learner: {self.model_alone}."
        if not self.independences.is_clear:
            return f"{parts} What the independences bring is within two of its errors."
        if self.independences.change < 0.0:
            return f"{parts} The independences of the graph carry information."
        return (
            f"{parts} The graph makes it worse than its order alone: check it with `check_graph`."
        )

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
        best = f"The best plain learner is {self.best_plain}; against it, as a share of its loss,"
        if not gain.is_clear:
            return f"{best} no clear change: {gain}."
        if gain.change < 0.0:
            return f"{best} {gain}."
        return f"{best} the augmented learner is worse: {gain}. Try it as the estimator."


def _paired_gain(difference: FloatArray, whole: float, copies: IntArray | None = None) -> Gain:
    """Return the mean of paired differences as a share of a mean loss.

    Copies count as one row of their summed weight: the error is that of as many rows as the
    weights effectively are.
    """
    if whole == 0.0:
        return Gain(0.0, 0.0)
    if copies is None:
        error = float(difference.std(ddof=1)) / np.sqrt(len(difference))
    else:
        times = np.unique(copies, return_counts=True)[1]
        n_effective = len(difference) ** 2 / float(np.square(times).sum())
        error = float(difference.std()) / np.sqrt(max(n_effective - 1.0, 1.0))
    return Gain(float(difference.mean()) / whole, float(error) / whole)
