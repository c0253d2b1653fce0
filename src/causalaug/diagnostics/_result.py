"""The answer of `check_graph`: a verdict on each independence, and what the data want beside it.

A test says whether an independence is contradicted. Trust says what it would be worth to give it
up: by how much rows become likelier that a factor has not seen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from causalaug._markup import element, html_table, join, markdown_table, markdown_text
from causalaug._progress import OUT_OF_TIME
from causalaug.conditionals import AutoConditional, Wish
from causalaug.exceptions import CausalAugError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG
from causalaug.model import GraphModel, fit_table
from causalaug.table import Table

COLUMNS = ("variable", "pillow", "trust", "wanted", "gain")


@dataclass(frozen=True, eq=False)
class Trust:
    """How far left-out rows let each factor of a graph be believed; fitted when it is looked at.

    Parameters
    ----------
    table : Table
        The observed rows.
    graph : ADMG
        The graph; beliefs that somebody stated do not count, only the rows do.
    order : sequence of str, optional
        The topological order to follow.
    """

    table: Table
    graph: ADMG
    order: Sequence[str] | None = None

    @cached_property
    def _fitted(self) -> tuple[GraphModel | None, str]:
        """The model, or None and why there is none."""
        graph = ADMG(self.graph.nodes, self.graph.directed, self.graph.bidirected)
        try:
            return fit_table(self.table, graph, AutoConditional(), self.order, "auto"), ""
        except CausalAugError as error:
            # A check must answer where nothing can be fitted, such as where no row is complete.
            return None, str(error)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per variable, as `GraphModel.trust` has it; none if nothing could be fitted."""
        model, _ = self._fitted
        return pd.DataFrame(columns=list(COLUMNS)) if model is None else model.trust

    def in_words(self) -> list[str]:
        """Return what is wanted, the clearest first, or why that cannot be told."""
        model, problem = self._fitted
        if model is None:
            return [f"What the data want beside the graph cannot be told: {problem}"]
        return trust_in_words(model)


def trust_in_words(model: GraphModel) -> list[str]:
    """Return a sentence for each factor beside which the data want something, the clearest first.

    The model is one that was fitted with ``trust="auto"``; what somebody stated is no finding.
    """
    own = factorize(model.graph, model.order)
    parts = zip(own, model.wishes, model.trust["trust"], strict=True)
    wanted = [(factor, wish, share) for factor, wish, share in parts if wish and wish.gain > 0.0]
    return [_in_words(*each) for each in sorted(wanted, key=lambda each: -each[1].gain)]


def _in_words(factor: Factor, wish: Wish, share: float) -> str:
    """Return in words what the data want beside the pillow of a variable."""
    name, names = factor.target, wish.wanted
    edges = " and ".join(f"{each} -> {name}" for each in names)
    given = f" given {', '.join(factor.pillow)}" if factor.pillow else ", without causes"
    return (
        f"{name}{given}: the data also want {' and '.join(names)}, as if {edges} were missing. "
        f"Left-out rows are likelier by {wish.gain:.1f} (a logarithm, over all rows) with "
        f"{'it' if len(names) == 1 else 'them'}; the graph's own factor keeps a weight of "
        f"{share:.2f}."
    )


VIOLATED, NOT_REJECTED, CANNOT_TELL = "violated", "not rejected", "cannot tell"
HEAD = ("independence", "test", "statistic", "p", "p (Holm)", "verdict")


@dataclass(frozen=True, eq=False, repr=False)
class GraphCheck:
    """The independences that the method takes from a graph, and what the data say of each.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per independence, in the order of the factorization: `variable` is independent
        of `independent_of`, an earlier variable, given the variables in the tuple `given`, its
        Markov pillow. Then `test`, `statistic`, `p_value`, `p_holm` (corrected for the number
        of tests) and `verdict`: "violated", "not rejected" or "cannot tell". In the last case
        there are no figures, and `reason` says why.
    mb_shielded : bool
        Whether these independences are all that the graph implies about the distribution.
    alpha : float
        The probability of a false alarm, anywhere in the frame, that was allowed.
    factor_rows : mapping of str to int
        By variable, in the order of the factorization, how many rows have the variable and its
        Markov pillow: what its factor can be fitted to.
    n_rows : int
        The number of rows; every factor has them all unless cells are missing.
    trust_source : Trust, optional
        What `trust` is fitted to when it is looked at.
    """

    frame: pd.DataFrame
    mb_shielded: bool
    alpha: float
    factor_rows: Mapping[str, int] = field(default_factory=dict)
    n_rows: int = 0
    trust_source: Trust | None = None

    @property
    def trust(self) -> pd.DataFrame:
        """How far each factor is believed by left-out rows, and what they want beside it.

        As `GraphModel.trust`, of a model with every default of the learners. It is fitted when it
        is looked at, here or by `summary`, and takes about as long as `fit_model`. It asks another
        question than the tests: not whether an independence is contradicted, but by how much rows
        become likelier without it.
        """
        if self.trust_source is None:
            return pd.DataFrame(columns=list(COLUMNS))
        return self.trust_source.frame

    @property
    def wishes(self) -> tuple[str, ...]:
        """What left-out rows want beside the graph, in words, the clearest first."""
        if self.trust_source is None or not len(self):
            return ()
        return tuple(self.trust_source.in_words())

    @property
    def has_holes(self) -> bool:
        """Whether a factor lacks rows, because cells are missing."""
        return any(rows < self.n_rows for rows in self.factor_rows.values())

    @property
    def violations(self) -> pd.DataFrame:
        """The independences that the data contradict, the clearest first."""
        violated = self.frame[self.frame["verdict"] == VIOLATED]
        return violated.sort_values(["p_holm", "p_value"], kind="stable")

    @property
    def left_out(self) -> pd.DataFrame:
        """The independences that a limit of time left out, in the order of the frame."""
        return self.frame[self.frame["reason"] == OUT_OF_TIME]

    @property
    def verdict(self) -> str:
        """The verdict on the graph.

        "violated" if an independence is; "cannot tell" if most could not be tested, or were left
        out; else "not rejected", which is no proof that the graph is right.
        """
        found = Counter(self.frame["verdict"])
        if found[VIOLATED]:
            return VIOLATED
        return CANNOT_TELL if found[CANNOT_TELL] > found[NOT_REJECTED] else NOT_REJECTED

    @property
    def finding(self) -> str:
        """The verdict in one sentence."""
        found, n_all = Counter(self.frame["verdict"]), len(self)
        untold = found[CANNOT_TELL]
        if not n_all:
            return "The method takes no independence from the graph, so that there is none to test."
        some = f"{n_all} independence{'s' if n_all > 1 else ''}"
        besides = f", and cannot tell of {untold}" if untold else ""
        if found[VIOLATED]:
            return (
                f"The data contradict the graph in {found[VIOLATED]} of its {some}{besides} "
                f"(a right graph is contradicted at most {100 * self.alpha:g}% of the time)."
            )
        if self.verdict == CANNOT_TELL:
            return (
                f"The data cannot tell whether the graph is right: of its {some}, {untold} "
                "could not be tested."
            )
        return (
            f"The data contradict none of the graph's {some}{besides}. That is no proof of the "
            "graph."
        )

    def summary(self) -> str:
        """Return the result in words, a line each, the verdict first."""
        return "\n".join(self._sentences())

    def to_markdown(self) -> str:
        """Return the frame as a Markdown table, and the summary below it."""
        below = [markdown_text(sentence) for sentence in self._sentences()]
        return "\n\n".join([markdown_table(HEAD, self._cells()), *below]) + "\n"

    def to_html(self) -> str:
        """Return the summary, and the frame below it, as a piece of HTML."""
        above = [element("p", sentence) for sentence in self._sentences()]
        table = html_table(HEAD, self._cells(), numbers=(2, 3, 4))
        return str(join([*above, table] if len(self) else above))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __len__(self) -> int:
        """Return the number of independences."""
        return len(self.frame)

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows of the frame as named tuples."""
        return self.frame.itertuples(index=False, name="Statement")

    def __repr__(self) -> str:
        """Return the counts of the verdicts."""
        return f"GraphCheck({self._counted().rstrip('.')})"

    def _sentences(self) -> list[str]:
        shield = [*self.left_out_in_words(), self._shield_in_words(), *self._rows_in_words()]
        if not len(self):
            return [self.finding, *shield]
        violations = self._violations_in_words()
        return [self.finding, *self.wishes, self._counted(), *violations, *shield]

    def _cells(self) -> Iterator[list[str]]:
        """Yield the rows of the frame as they are shown."""
        for row in self:
            figures = [f"{row.statistic:.3g}", f"{row.p_value:.2g}", f"{row.p_holm:.2g}"]
            verdict = row.verdict + (f": {row.reason}" if row.reason else "")
            yield [
                _independence(row),
                row.test,
                *(figures if not row.reason else [""] * 3),
                verdict,
            ]

    def _counted(self) -> str:
        found = Counter(self.frame["verdict"])
        if not found:
            return "No independence to test: the method assumes none."
        counts = ", ".join(f"{found[v]} {v}" for v in (VIOLATED, NOT_REJECTED, CANNOT_TELL))
        return f"{len(self)} independence{'s' if len(self) > 1 else ''}: {counts}."

    def _violations_in_words(self) -> Iterator[str]:
        for row in self.violations.itertuples(index=False):
            yield f"Violated: {_independence(row)} (p = {row.p_holm:.2g} after Holm's correction)."

    def left_out_in_words(self) -> Iterator[str]:
        """Yield one sentence if time was over before all tests: which were left out."""
        n_left_out = len(self.left_out)
        if n_left_out:
            least = int(self.left_out["given"].map(len).min())
            yield (
                f"For want of time {n_left_out} of {len(self)} independences were left out, those "
                f"with the most variables held fixed: {least} or more. Give more `seconds`."
            )

    def _shield_in_words(self) -> str:
        if self.mb_shielded:
            return "These are all constraints that the graph puts on the data."
        return (
            "The graph implies more than these independences, and the method does not use the rest."
        )

    def _rows_in_words(self) -> Iterator[str]:
        """Yield one sentence if cells are missing: how many rows each factor had."""
        if self.has_holes:
            counts = ", ".join(f"{name} {rows}" for name, rows in self.factor_rows.items())
            yield (
                f"Cells are missing. Of {self.n_rows} rows, so many have a variable and its "
                f"pillow: {counts}."
            )


def _independence(row: Any) -> str:
    return f"{row.variable} ⊥ {row.independent_of}" + (
        f" | {', '.join(row.given)}" if row.given else ""
    )
