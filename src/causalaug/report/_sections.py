"""The sections of the report: from what was found to a title and what is below it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from causalaug._markup import Markup, element, html_table, join, shorten
from causalaug.diagnostics import CANNOT_TELL, NOT_REJECTED, VIOLATED
from causalaug.graphs import write_graph
from causalaug.graphs._drawing import draw_graph, near_target
from causalaug.report._charts import gain_chart, marginal_chart, pair_chart, picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.diagnostics import GraphCheck
    from causalaug.evaluation import Comparison, Gain
    from causalaug.graphs import ADMG
    from causalaug.report._summary import AugmentationSummary

LONGEST_NAME, LONGEST_FACT, LONGEST_TEXT = 40, 600, 20_000
FIRST_TESTS, MOST_TESTS = 12, 100
TEST_CLASSES = {VIOLATED: "violated", NOT_REJECTED: "kept", CANNOT_TELL: "untold"}
"""The verdicts on an independence, those first that are least often met, and their look."""


class Section(NamedTuple):
    """A part of the page: the word that links to it, its title, and what is below it."""

    key: str
    title: str
    body: Markup


def graph_section(graph: ADMG, target: str) -> Section:
    """Draw the graph, and give it as text."""
    drawn = near_target(graph, target)
    n_left = len(graph.nodes) - len(drawn.nodes)
    lead = "Causes stand above their effects; the target has the thick border."
    if graph.bidirected:
        lead += " A dashed edge with two heads stands for a hidden common cause."
    if n_left:
        lead += f" Drawn are the {len(drawn.nodes)} nearest to the target; {n_left} more are not."
    drawing = _scrolled(draw_graph(drawn, target), "Drawing of the graph", "graph")
    text = element("pre", lines_of(write_graph(graph)))
    return _section("graph", "The graph", lead, drawing, _folded("The graph as text", text))


def gain_section(compared: Comparison) -> Section:
    """Show the gain as a ladder: what each rung of knowledge adds."""
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
    chart = gain_chart(dict(steps), label, stairs=True)
    head = ["step", "change", "std. error", "clear"]
    rows = [[name, *_cells(gain)] for name, gain in (*steps, total)]
    table = html_table(head, rows, numbers=(1, 2))
    return _section("gain", "What the graph brings", lead, _split(chart, table))


def learners_section(compared: Comparison) -> Section:
    """Show all methods beside the baseline."""
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
    shown = {name: gains[name] for name in others}
    chart = gain_chart(shown, f"Change in {compared.loss_name}, by method")
    losses = dict(zip(gains, _losses(compared.losses.mean().tolist()), strict=True))
    rows = [[f"{baseline} ({compared.learner})", losses[baseline], "", ""]]
    rows += [[name, losses[name], *_cells(gains[name])[:2]] for name in others]
    table = html_table(
        ["method", compared.loss_name, "change", "std. error"], rows, numbers=(1, 2, 3)
    )
    return _section("learners", "Beside other learners", lead, _split(chart, table))


def tests_section(check: GraphCheck) -> Section:
    """Show the independences that were tested, those most in doubt first."""
    lead = (
        "The method trusts these independences. Corrected p-values (Holm) allow one false alarm "
        f"anywhere in {1 / check.alpha:.0f} such tables. "
        + ("" if check.mb_shielded else "The graph implies more than these.")
    )
    title = "Does the graph fit the data?"
    if not len(check):
        nothing = "There is no independence to test."
        return _section("tests", title, nothing, *_factor_rows(check))
    verdicts = list(TEST_CLASSES)
    counts = Counter(check.frame["verdict"])
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts)
    rows = sorted(check, key=lambda row: (verdicts.index(row.verdict), row.p_holm, row.p_value))
    shown = [element("p", f"{len(check)} in all: {words}."), _tests(rows[:FIRST_TESTS])]
    if more := rows[FIRST_TESTS:MOST_TESTS]:
        n_left = len(rows) - FIRST_TESTS - len(more)
        unlisted = f"; another {n_left} are not listed" if n_left else ""
        shown.append(_folded(f"{len(more)} more{unlisted}", _tests(more)))
    return _section("tests", title, lead, *shown, *_wishes(check), *_factor_rows(check))


def rows_section(summary: AugmentationSummary, share: float, shares: Sequence[float]) -> Section:
    """Show the mass accounting of the new rows, and the share of the weight that they got."""
    figures = summary.figures
    size = figures["effective sample size"]
    tiles = [
        ("observed rows", f"{figures['observed rows']:,.0f}", "what the new rows are made of"),
        ("new rows", f"{figures['new rows']:,.0f}", "with a weight each"),
        ("mass", f"{figures['mass']:.3f}", "what the weights add up to; 1 if nothing is lost"),
        ("dropped mass", f"{figures['dropped mass']:.3f}", "lost to pruning and dead ends"),
        ("novel mass", f"{figures['novel mass']:.3f}", "on rows that equal no observed row"),
        (
            "effective sample size",
            f"{size:,.0f}",
            "rows of equal weight that the new ones are worth",
        ),
        (
            "share of the new rows",
            f"{share:.2f}",
            f"mean of {len(shares)} folds, from {min(shares):.2f} to {max(shares):.2f}; the "
            "graph's model counts as 1",
        ),
    ]
    shown = [
        element(
            "div",
            element("dt", name),
            element("dd", figure, class_="figure"),
            element("dd", note, class_="note"),
        )
        for name, figure, note in tiles
    ]
    lead = "New rows of the whole table, made as the learner makes them within each fold."
    words = f"Warning: {summary.warning}"
    warning = [element("p", words, class_="warning", role="alert")] if summary.warning else []
    return _section("rows", "The new rows", lead, *warning, element("dl", *shown, class_="tiles"))


def columns_section(summary: AugmentationSummary) -> Section:
    """Show the marginal of each column, before and after."""
    figures = [
        _figure(
            _name(each.axis.column),
            f"{each.axis.kind}; {100 * each.change:.0f}% of the mass moved",
            marginal_chart(each),
        )
        for each in summary.marginals
    ]
    lead = (
        "Each column by itself. The graph says nothing about a column alone, so little should move."
    )
    parts = [_legend(), element("div", *figures, class_="cards")]
    if summary.unshown:
        parts.append(element("p", "Changed less, and not shown: ", _names(summary.unshown), "."))
    return _section("columns", "Columns before and after", lead, *parts)


def pairs_section(summary: AugmentationSummary) -> Section:
    """Show the pairs of columns that changed most."""
    figures = []
    for pair in summary.pairs:
        title = join([_name(pair.x.column), " across, ", _name(pair.y.column), " up"])
        note = f"{100 * pair.change:.0f}% of the mass moved"
        if pair.correlation is not None:
            before, after = (_minus(f"{value:.2f}") for value in pair.correlation)
            note += f"; correlation {before} observed, {after} new"
        figures.append(_figure(title, note, pair_chart(pair)))
    lead = (
        "The pairs whose joint distribution moved most, on a grid of four by four. An independence "
        "that the graph assumes loosens a pair; with few rows, part of any change is chance. "
        "Points of new rows are drawn by weight."
    )
    if not figures:
        return _section("pairs", "Pairs that changed most", "There are no pairs to compare.")
    cards = element("div", *figures, class_="cards wide")
    return _section("pairs", "Pairs that changed most", lead, _legend(), cards)


def settings_section(target: str, settings: Mapping[str, str]) -> Section:
    """Show what was chosen."""
    return Section("settings", "Settings", _facts({"target": target, **settings}))


def reproduce_section(source: str, seed: int, versions: Mapping[str, str]) -> Section:
    """Show how the same result is had again."""
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    lead = "The same table, graph, seed and versions give the same figures."
    facts = _facts({"seed": str(seed), "versions": packages})
    return _section(
        "reproduce", "How to reproduce this", lead, element("pre", lines_of(source)), facts
    )


def lines_of(text: str, most: int = LONGEST_TEXT) -> Markup:
    """Return text of several lines, every character visible, cut where it is too long."""
    cut = text if len(text) <= most else text[:most] + "\n…"
    return join(cut.split("\n"), Markup("\n"))


def _section(key: str, title: str, lead: str, *parts: Markup) -> Section:
    return Section(key, title, join([element("p", lead, class_="lead"), *parts]))


def _split(chart: Markup, table: Markup) -> Markup:
    """Put a chart beside its table, or above it where there is no room."""
    return element("div", chart, _scrolled(table, "Figures of the chart"), class_="split")


def _scrolled(content: Markup, label: str, class_: str = "") -> Markup:
    """Return a box that scrolls by itself, with the keyboard too, when its content is too wide."""
    given = {"role": "region", "aria_label": label, "tabindex": "0"}
    return element("div", content, class_=f"scroll {class_}".strip(), **given)


def _folded(title: str, content: Markup) -> Markup:
    """Return what is shown when its title is opened."""
    return element("details", element("summary", title), content)


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
    """Return a table of independences with their tests."""
    head = ["independence", "verdict", "p (Holm)", "p", "statistic", "test"]
    cells = []
    for row in rows:
        claim = [_name(row.variable), " ⊥ ", _name(row.independent_of)]
        claim += [" given ", _names(row.given, 8)] if row.given else []
        verdict = [element("span", row.verdict, class_=f"said {TEST_CLASSES[row.verdict]}")]
        figures = [_p_value(row.p_holm), _p_value(row.p_value), _minus(f"{row.statistic:.2f}")]
        if row.reason:
            verdict.append(element("span", row.reason, class_="reason"))
            figures = [""] * 3
        cells.append([join(claim), join(verdict), *figures, row.test.replace("_", " ")])
    table = html_table(head, cells, numbers=(2, 3, 4))
    return _scrolled(table, "Independence tests", "tests")


def _wishes(check: GraphCheck) -> list[Markup]:
    """Say what left-out rows want beside the graph, and how far they believe each factor."""
    if not len(check.trust):
        return [element("p", wish) for wish in check.wishes]
    head = ["variable", "given", "trust", "also wanted", "gain"]
    rows = [
        [
            _name(str(row.variable)),
            shorten(row.pillow, LONGEST_FACT),
            f"{row.trust:.2f}",
            shorten(row.wanted, LONGEST_FACT),
            f"{row.gain:.1f}" if row.wanted else "",
        ]
        for row in check.trust.head(MOST_TESTS).itertuples(index=False)
    ]
    table = html_table(head, rows, numbers=(2, 4))
    words = [element("li", shorten(wish, LONGEST_FACT)) for wish in check.wishes[:FIRST_TESTS]]
    listed = [element("ul", *words)] if words else []
    title = "Trust by factor"
    return [*listed, _folded(title, _scrolled(table, title))]


def _factor_rows(check: GraphCheck) -> list[Markup]:
    """Say how many rows each factor had, the fewest first, if cells are missing."""
    if not check.has_holes:
        return []
    counts = sorted(check.factor_rows.items(), key=lambda factor: factor[1])
    rows = [[_name(name), f"{count:,}"] for name, count in counts[:MOST_TESTS]]
    words = (
        f"Cells are missing. Each variable is modelled by those of the {check.n_rows:,} rows that "
        "have it and all that it depends on."
    )
    table = _scrolled(html_table(["variable", "rows"], rows, numbers=(1,)), "Rows of factors")
    return [element("p", words), _folded("Rows of each factor, the fewest first", table)]


def _p_value(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _minus(figure: str) -> str:
    """Return a figure with a true minus sign, which is as wide as a plus."""
    return figure.replace("-", "−")


def _name(name: str) -> Markup:
    """Return a name, kept apart from the direction of the text around it."""
    return element("bdi", shorten(name, LONGEST_NAME))


def _names(names: Sequence[str], most: int = 40) -> Markup:
    """Return some names, and how many more there are."""
    rest = [f"{len(names) - most} more"] if len(names) > most else []
    return join([*map(_name, names[:most]), *rest], ", ")


def _figure(title: object, note: str, chart: Markup) -> Markup:
    return element("figure", element("figcaption", title, element("small", note)), chart)


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


def _facts(facts: Mapping[str, str]) -> Markup:
    rows = [[name, shorten(fact, LONGEST_FACT)] for name, fact in facts.items()]
    return element("div", html_table(["what", "used"], rows), class_="facts")
