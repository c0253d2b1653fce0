import matplotlib.pyplot as plt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from causalaug.exceptions import GraphError, GraphFormatError, ParameterError
from causalaug.graphs import ADMG, complete_graph
from causalaug.plot import plot_graph
from causalaug.plot._style import INK, ORANGE, plain
from graph_strategies import admgs

LONG = [f"a rather long name of variable number {i}" for i in range(16)]
CHAINS = [(LONG[i], LONG[i + 1]) for i in range(15) if i % 4 != 3]


def lines_of(ax):
    return sorted(arrow.get_linestyle() for arrow in ax.patches)


def overlaps(ax):
    """Return the pairs of nodes whose boxes overlap, once they are drawn."""
    ax.figure.draw_without_rendering()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    pairs = [(i, j) for j in range(len(boxes)) for i in range(j)]
    return [pair for pair in pairs if boxes[pair[0]].overlaps(boxes[pair[1]])]


@settings(max_examples=12)
@given(admgs(max_nodes=7))
def test_every_node_and_every_edge_is_drawn_once(graph):
    ax = plot_graph(graph)
    assert [text.get_text() for text in ax.texts] == list(graph.nodes)
    dashed, solid = ["--"] * len(graph.bidirected), ["-"] * len(graph.directed)
    assert lines_of(ax) == sorted(dashed + solid)
    plt.close(ax.figure)


@settings(max_examples=8)
@given(admgs(min_nodes=2, max_nodes=7))
def test_bidirected_edges_are_curved_and_have_two_heads(graph):
    ax = plot_graph(graph)
    for arrow in ax.patches:
        is_arc = arrow.get_linestyle() == "--"
        assert arrow.get_arrowstyle().arrow == ("<|-|>" if is_arc else "-|>")
        assert not is_arc or arrow.get_connectionstyle().rad != 0.0
    plt.close(ax.figure)


@settings(max_examples=8)
@given(admgs(max_nodes=7))
def test_no_two_boxes_overlap(graph):
    ax = plot_graph(graph)
    assert not overlaps(ax)
    plt.close(ax.figure)


@pytest.mark.parametrize(
    "graph",
    [ADMG(LONG, CHAINS), ADMG(LONG), complete_graph(LONG[:14])],
    ids=["chains", "no edges", "complete"],
)
def test_long_names_do_not_overlap_and_stay_on_the_page(graph):
    ax = plot_graph(graph)
    assert not overlaps(ax)
    page = ax.figure.bbox
    for text in ax.texts:
        box = text.get_bbox_patch().get_window_extent()
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert text.get_fontsize() == 11


def test_a_small_place_gets_shorter_and_smaller_names():
    ax = plt.figure(figsize=(7, 5)).subplots()
    assert plot_graph(ADMG(LONG, CHAINS), ax=ax) is ax
    assert not overlaps(ax)
    assert all(6 <= text.get_fontsize() < 11 for text in ax.texts)
    assert len({text.get_text() for text in ax.texts}) == 16


def test_arrows_end_at_the_boxes_after_the_figure_was_resized():
    ax = plot_graph(ADMG(["A", "B"], directed=[("A", "B")]))
    ax.figure.set_size_inches(9, 9)
    ax.figure.draw_without_rendering()
    [arrow] = ax.patches
    below = ax.texts[1].get_bbox_patch().get_window_extent()
    tip = arrow.get_window_extent().y0
    assert abs(tip - below.y1) < 4


def test_edges_bend_around_the_nodes_between_their_ends():
    names = ["A", "B", "C", "D"]
    ax = plot_graph(ADMG(names, bidirected=[("A", "D")]))
    ax.figure.draw_without_rendering()
    [arc] = ax.patches
    drawn = arc.get_transform().transform_path(arc.get_path())
    curve = [point for line in drawn.to_polygons(closed_only=False) for point in line]
    assert len(curve) > 20
    for text in ax.texts[1:3]:
        box = text.get_bbox_patch().get_window_extent()
        assert not any(box.contains(x, y) for x, y in curve)


def test_causes_are_drawn_above_effects():
    ax = plot_graph(ADMG(["effect", "cause"], directed=[("cause", "effect")]))
    heights = [ax.transData.transform(text.get_position())[1] for text in ax.texts]
    assert heights[0] < heights[1]


@pytest.mark.parametrize("highlight", ["B", ["B"], {"B"}])
def test_highlighted_nodes_are_filled(highlight):
    ax = plot_graph(ADMG(["A", "B"]), highlight=highlight)
    fills = [to_hex(text.get_bbox_patch().get_facecolor()) for text in ax.texts]
    assert fills == ["#ffffff", ORANGE]


def test_an_unknown_node_to_highlight_is_refused():
    with pytest.raises(GraphError, match="`highlight` must name nodes .* Not a node: 'C'"):
        plot_graph(ADMG(["A", "B"]), highlight="C")


def test_what_is_no_graph_is_refused():
    with pytest.raises(GraphFormatError, match="A graph must be text, a path"):
        plot_graph(5)


def test_what_is_no_axes_is_refused():
    with pytest.raises(ParameterError, match="`ax` must be matplotlib Axes. Found Figure"):
        plot_graph(ADMG(["A"]), ax=plt.figure())


@pytest.mark.parametrize("name", ["$x", "a$b$c", r"$\frac$", r"\$", "<b>", "_hidden"])
def test_names_are_shown_as_they_are(name):
    ax = plot_graph(ADMG([name, "B"], directed=[(name, "B")]))
    ax.figure.draw_without_rendering()
    assert ax.texts[0]._preprocess_math(ax.texts[0].get_text()) == (name, False)


@pytest.mark.parametrize(("name", "shown"), [("a\nb", "a b"), ("\x07", ""), ("\ta", "a")])
def test_what_cannot_be_printed_is_a_blank(name, shown):
    ax = plot_graph(ADMG([name]))
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_text().strip() == shown


@given(st.text(), st.integers(2, 20), st.integers(1, 4))
def test_broken_names_keep_to_their_width(name, width, lines):
    broken = plain(name, width, lines).replace(r"\$", "$").split("\n")
    assert len(broken) <= lines
    assert all(len(line) <= width for line in broken)


def test_the_style_around_a_plot_is_left_alone():
    before = dict(plt.rcParams)
    plot_graph(ADMG(["A"]))
    assert dict(plt.rcParams) == before


def test_a_dark_style_around_a_plot_does_not_make_it_unreadable():
    with plt.style.context("dark_background"):
        ax = plot_graph(ADMG(["A", "B"], directed=[("A", "B")]))
    assert to_hex(ax.figure.get_facecolor()) == "#ffffff"
    assert to_hex(ax.texts[0].get_color()) == INK
