"""The sections of the report: from the evaluation to a title and what is below it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from causalaug._markup import Markup, element, html_table, join, shorten
from causalaug.diagnostics import CANNOT_TELL, NOT_REJECTED, VIOLATED
from causalaug.graphs import write_graph
from causalaug.graphs._drawing import draw_graph, near_target
from causalaug.report._charts import (
    interval_chart,
    ladder_chart,
    marginal_chart,
    pair_chart,
    picture,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Gain
    from causalaug.report._contents import Contents


class Section(NamedTuple):
    """A part of the page: the word that links to it, its title, and what is below it."""

    key: str
    title: str
    body: Markup


LONGEST_NAME, LONGEST_FACT, LONGEST_TEXT = 40, 600, 20_000
SMALLEST_P = 0.001
MOST_NAMES, MOST_GIVEN, FIRST_TESTS, MOST_TESTS = 40, 8, 12, 100


def graph_section(evaluation: Contents) -> Section:
    """Draw the graph, and give it as text."""
    graph, drawn = evaluation.graph, near_target(evaluation.graph, evaluation.target)
    n_left = len(graph.nodes) - len(drawn.nodes)
    note = f" Drawn are the {len(drawn.nodes)} nearest to the target; {n_left} more are not."
    lead = "Causes stand above their effects; the target has the thick border."
    if graph.bidirected:
        lead += " A dashed edge with two heads stands for a hidden common cause."
    text = lines_of(write_graph(graph))
    return Section(
        "graph",
        "The graph",
        join(
            [
                _lead(lead + (note if n_left else "")),
                _scrolled(draw_graph(drawn, evaluation.target), "Drawing of the graph", "graph"),
                element("details", element("summary", "The graph as text"), element("pre", text)),
            ]
        ),
    )


def gain_section(evaluation: Contents) -> Section:
    """Show the gain as a ladder: what each rung of knowledge adds."""
    compared = evaluation.comparison
    lead = (
        f"Change in {compared.loss_name} on held-out rows, as a share of that of the learner "
        f"alone, {compared.learner}, rung by rung. Without knowledge: a blend with a model of the "
        "target given all else and with smoothing rows, which needs no graph. By the order: each "
        "variable is modelled from those before it, no independence is claimed. By the "
        "independences: what the missing arrows of the graph add. Each bar begins where the one "
        "before it ended; whiskers reach two standard errors of the step each way."
    )
    total, *steps = compared.parts.items()
    label = f"Change in {compared.loss_name}, step by step; in total {total[1]}"
    chart = ladder_chart(dict(steps), label)
    head = ["step", "change", "std. error", "clear"]
    rows = [[name, *_cells(gain)] for name, gain in (*steps, total)]
    return Section(
        "gain",
        "What the graph brings",
        join([_lead(lead), _split(chart, html_table(head, rows, numbers=(1, 2)))]),
    )


def learners_section(evaluation: Contents) -> Section:
    """Show all methods beside the baseline."""
    compared = evaluation.comparison
    gains = {name: compared.gain(name) for name in map(str, compared.losses)}
    baseline, *others = gains
    lead = (
        "A gain over a weak learner is none: these were trained and judged on the same rows. "
        "Augmented is the blend of the baseline with what the graph gives, order the blend with "
        "its order alone, without knowledge the blend without either, graph model the graph "
        "without a learner. Plain learners are lightly tuned. "
        + (
            f"The best plain learner is {compared.best_plain}."
            if compared.has_rivals
            else "No other learner was tried."
        )
    )
    chart = interval_chart(
        {name: gains[name] for name in others}, f"Change in {compared.loss_name}, by method"
    )
    losses = dict(zip(gains, _losses(compared.losses.mean().tolist()), strict=True))
    rows = [[f"{baseline} ({compared.learner})", losses[baseline], "", ""]]
    rows += [[name, losses[name], *_cells(gains[name])[:2]] for name in others]
    head = ["method", compared.loss_name, "change", "std. error"]
    return Section(
        "learners",
        "Beside other learners",
        join([_lead(lead), _split(chart, html_table(head, rows, numbers=(1, 2, 3)))]),
    )


def tests_section(evaluation: Contents) -> Section:
    """Show the independences that were tested, those most in doubt first."""
    check = evaluation.check
    lead = (
        "The method trusts these independences. Corrected p-values (Holm) allow one false alarm "
        f"anywhere in {1 / check.alpha:.0f} such tables. "
        + ("" if check.mb_shielded else "The graph implies more than these.")
    )
    if not len(check):
        nothing = _lead("There is no independence to test.")
        shown = [nothing, *_factor_rows(check)]
        return Section("tests", "Does the graph fit the data?", join(shown))
    counts = Counter(check.frame["verdict"])
    told = [f"{counts[each]} {each}" for each in (VIOLATED, NOT_REJECTED, CANNOT_TELL)]
    rank = {VIOLATED: 0, NOT_REJECTED: 1, CANNOT_TELL: 2}
    rows = sorted(check, key=lambda row: (rank[row.verdict], row.p_holm, row.p_value))
    shown = [element("p", f"{len(check)} in all: {', '.join(told)}.")]
    shown.append(_tests(rows[:FIRST_TESTS]))
    if len(rows) > FIRST_TESTS:
        more = rows[FIRST_TESTS:MOST_TESTS]
        n_left = len(rows) - FIRST_TESTS - len(more)
        title = f"{len(more)} more" + (f"; another {n_left} are not listed" if n_left else "")
        shown.append(element("details", element("summary", title), _tests(more)))
    shown += [*_wishes(check), *_factor_rows(check)]
    return Section("tests", "Does the graph fit the data?", join([_lead(lead), *shown]))


def rows_section(evaluation: Contents) -> Section:
    """Show the mass accounting of the new rows."""
    figures = evaluation.augmentation.figures
    shares = evaluation.shares
    tiles = [
        ("observed rows", f"{figures['observed rows']:,.0f}", "what the new rows are made of"),
        ("new rows", f"{figures['new rows']:,.0f}", "with a weight each"),
        ("mass", f"{figures['mass']:.3f}", "what the weights add up to; 1 if nothing is lost"),
        ("dropped mass", f"{figures['dropped mass']:.3f}", "lost to pruning and dead ends"),
        ("novel mass", f"{figures['novel mass']:.3f}", "on rows that equal no observed row"),
        (
            "effective sample size",
            f"{figures['effective sample size']:,.0f}",
            "rows of equal weight that the new ones are worth",
        ),
        (
            "share of the new rows",
            f"{evaluation.comparison.share:.2f}",
            f"mean of {len(shares)} folds, from {min(shares):.2f} to {max(shares):.2f}; the "
            "graph's model counts as 1",
        ),
    ]
    lead = "New rows of the whole table, made as the learner makes them within each fold."
    warning = evaluation.augmentation.warning
    said = [element("p", f"Warning: {warning}", class_="warning", role="alert")] if warning else []
    return Section("rows", "The new rows", join([_lead(lead), *said, _tiles(tiles)]))


def columns_section(evaluation: Contents) -> Section:
    """Show the marginal of each column, before and after."""
    summary = evaluation.augmentation
    figures = [
        _figure(
            element("bdi", shorten(each.axis.column, LONGEST_NAME)),
            f"{each.axis.kind}; {100 * each.change:.0f}% of the mass moved",
            marginal_chart(each),
        )
        for each in summary.marginals
    ]
    lead = (
        "Each column by itself. The graph says nothing about a column alone, so little should move."
    )
    parts = [_lead(lead), _legend(), element("div", *figures, class_="cards")]
    if summary.unshown:
        parts.append(element("p", "Changed less, and not shown: ", _names(summary.unshown), "."))
    return Section("columns", "Columns before and after", join(parts))


def pairs_section(evaluation: Contents) -> Section:
    """Show the pairs of columns that changed most."""
    figures = [
        _figure(
            join(
                [
                    element("bdi", shorten(pair.x.column, LONGEST_NAME)),
                    " across, ",
                    element("bdi", shorten(pair.y.column, LONGEST_NAME)),
                    " up",
                ]
            ),
            f"{100 * pair.change:.0f}% of the mass moved" + _correlations(pair.correlation),
            pair_chart(pair),
        )
        for pair in evaluation.augmentation.pairs
    ]
    lead = (
        "The pairs whose joint distribution moved most, on a grid of four by four. An independence "
        "that the graph assumes loosens a pair; with few rows, part of any change is chance. "
        "Points of new rows are drawn by weight."
    )
    if not figures:
        return Section("pairs", "Pairs that changed most", _lead("There are no pairs to compare."))
    cards = element("div", *figures, class_="cards wide")
    return Section("pairs", "Pairs that changed most", join([_lead(lead), _legend(), cards]))


def settings_section(evaluation: Contents) -> Section:
    """Show what was chosen."""
    facts = {"target": evaluation.target, **evaluation.settings}
    return Section("settings", "Settings", _facts(facts.items()))


def reproduce_section(evaluation: Contents) -> Section:
    """Show how the same result is had again."""
    versions = ", ".join(f"{name} {version}" for name, version in evaluation.versions.items())
    facts = {"seed": str(evaluation.seed), "versions": versions}
    lead = "The same table, graph, seed and versions give the same figures."
    source = element("pre", lines_of(evaluation.source))
    return Section(
        "reproduce", "How to reproduce this", join([_lead(lead), source, _facts(facts.items())])
    )


def lines_of(text: str, most: int = LONGEST_TEXT) -> Markup:
    """Return text of several lines, every character visible, cut where it is too long."""
    cut = text if len(text) <= most else text[:most] + "\n…"
    return join(cut.split("\n"), Markup("\n"))


def _lead(words: str) -> Markup:
    return element("p", words, class_="lead")


def _split(chart: Markup, table: Markup) -> Markup:
    """Put a chart beside its table, or above it where there is no room."""
    return element("div", chart, _scrolled(table, "Figures of the chart"), class_="split")


def _scrolled(content: Markup, label: str, class_: str = "") -> Markup:
    """Return a box that scrolls by itself, with the keyboard too, when its content is too wide."""
    given = {"role": "region", "aria_label": label, "tabindex": "0"}
    return element("div", content, class_=f"scroll {class_}".strip(), **given)


def _cells(gain: Gain) -> tuple[str, str, str]:
    return (
        _minus(f"{100 * gain.change:+.1f}%"),
        f"{100 * gain.standard_error:.1f}",
        "yes" if gain.is_clear else "no",
    )


def _losses(means: Sequence[float]) -> list[str]:
    """Return losses with as many decimals as the largest needs for four figures."""
    largest = max((abs(mean) for mean in means if math.isfinite(mean)), default=0.0) or 1.0
    decimals = min(max(3 - math.floor(math.log10(largest)), 0), 12)
    return [f"{mean:,.{decimals}f}" for mean in means]


def _tests(rows: Sequence[Any]) -> Markup:
    head = ["independence", "verdict", "p (Holm)", "p", "statistic", "test"]
    cells = []
    for row in rows:
        figures = [_p_value(row.p_holm), _p_value(row.p_value), _minus(f"{row.statistic:.2f}")]
        figures = figures if not row.reason else [""] * 3
        cells.append([_claim(row), _said(row), *figures, row.test.replace("_", " ")])
    table = html_table(head, cells, numbers=(2, 3, 4))
    return _scrolled(table, "Independence tests", "tests")


def _wishes(check: GraphCheck) -> list[Markup]:
    """Say what left-out rows want beside the graph, and how far they believe each factor."""
    if not len(check.trust):
        return [element("p", each) for each in check.wishes]
    title = element("summary", "Trust by factor")
    head = ["variable", "given", "trust", "also wanted", "gain"]
    rows = [
        [
            element("bdi", shorten(row.variable, LONGEST_NAME)),
            shorten(row.pillow, LONGEST_FACT),
            f"{row.trust:.2f}",
            shorten(row.wanted, LONGEST_FACT),
            f"{row.gain:.1f}" if row.wanted else "",
        ]
        for row in check.trust.head(MOST_TESTS).itertuples(index=False)
    ]
    table = html_table(head, rows, numbers=(2, 4))
    words = [element("li", shorten(each, LONGEST_FACT)) for each in check.wishes[:FIRST_TESTS]]
    listed = [element("ul", *words)] if words else []
    return [*listed, element("details", title, _scrolled(table, "Trust by factor"))]


def _factor_rows(check: GraphCheck) -> list[Markup]:
    """Say how many rows each factor had, the fewest first, if cells are missing."""
    if not check.has_holes:
        return []
    counts = sorted(check.factor_rows.items(), key=lambda factor: factor[1])
    rows = [
        [element("bdi", shorten(name, LONGEST_NAME)), f"{count:,}"]
        for name, count in counts[:MOST_TESTS]
    ]
    words = (
        f"Cells are missing. Each variable is modelled by those of the {check.n_rows:,} rows that "
        "have it and all that it depends on."
    )
    title = element("summary", "Rows of each factor, the fewest first")
    table = html_table(["variable", "rows"], rows, numbers=(1,))
    return [element("p", words), element("details", title, _scrolled(table, "Rows of factors"))]


def _p_value(value: float) -> str:
    return f"{value:.3f}" if value >= SMALLEST_P else f"< {SMALLEST_P}"


def _minus(figure: str) -> str:
    """Return a figure with a true minus sign, which is as wide as a plus."""
    return figure.replace("-", "−")


def _claim(row: Any) -> Markup:
    names = [
        element("bdi", shorten(name, LONGEST_NAME)) for name in (row.variable, row.independent_of)
    ]
    given = join([" given ", _names(row.given, MOST_GIVEN)]) if row.given else ""
    return join([names[0], " ⊥ ", names[1], given])


def _said(row: Any) -> Markup:
    class_ = {VIOLATED: "violated", NOT_REJECTED: "kept", CANNOT_TELL: "untold"}[row.verdict]
    reason = element("span", row.reason, class_="reason") if row.reason else ""
    return join([element("span", row.verdict, class_=f"said {class_}"), reason])


def _names(names: Sequence[str], most: int = MOST_NAMES) -> Markup:
    """Return some names, each kept apart from the text around it, and how many more there are."""
    shown = [element("bdi", shorten(name, LONGEST_NAME)) for name in names[:most]]
    rest = [f"{len(names) - most} more"] if len(names) > most else []
    return join([*shown, *rest], ", ")


def _tiles(tiles: Iterable[tuple[str, str, str]]) -> Markup:
    shown = [
        element(
            "div",
            element("dt", name),
            element("dd", figure, class_="figure"),
            element("dd", note, class_="note"),
        )
        for name, figure, note in tiles
    ]
    return element("dl", *shown, class_="tiles")


def _figure(title: object, note: str, chart: Markup) -> Markup:
    return element("figure", element("figcaption", title, element("small", note)), chart)


def _correlations(correlation: tuple[float, float] | None) -> str:
    if correlation is None:
        return ""
    before, after = (_minus(f"{value:.2f}") for value in correlation)
    return f"; correlation {before} observed, {after} new"


def _legend() -> Markup:
    box = {"x": "1", "y": "1", "width": "16", "height": "10"}
    marks = [("observed", "observed rows: filled"), ("new", "new rows: outlined")]
    return element(
        "ul",
        *(
            element("li", picture(18, 12, name, element("rect", class_=name, **box)), words)
            for name, words in marks
        ),
        class_="legend",
    )


def _facts(facts: Iterable[tuple[str, str]]) -> Markup:
    rows = [[name, shorten(fact, LONGEST_FACT)] for name, fact in facts]
    return element("div", html_table(["what", "used"], rows), class_="facts")
