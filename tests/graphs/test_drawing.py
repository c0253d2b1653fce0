import re
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.graphs._drawing import draw_graph, near_target, place_boxes
from graph_strategies import admgs
from report_cases import Outline

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=25).filter(str.strip)


@settings(max_examples=50)
@given(admgs(max_nodes=8, names=NAMES))
def test_boxes_of_one_layer_do_not_touch_and_causes_are_above(graph):
    boxes = place_boxes(graph)
    for a, b in combinations(boxes.values(), 2):
        apart = abs(a.middle.real - b.middle.real) - a.half_width - b.half_width
        assert a.middle.imag != b.middle.imag or apart > 0
    assert all(
        boxes[cause].middle.imag < boxes[effect].middle.imag for cause, effect in graph.directed
    )


@settings(max_examples=50)
@given(admgs(max_nodes=6))
def test_the_drawing_holds_every_node_and_edge_and_nothing_is_outside(graph):
    drawn = draw_graph(graph, graph.nodes[0])
    Outline(drawn)
    assert drawn.count('class="directed"') == len(graph.directed)
    assert drawn.count('class="bidirected"') == len(graph.bidirected)
    assert drawn.count("stroke-dasharray") == len(graph.bidirected)
    left, top, width, height = map(float, re.search(r'viewBox="([^"]*)"', drawn)[1].split())
    for x, y, w, h in re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', drawn):
        assert left <= float(x)
        assert float(x) + float(w) <= left + width
        assert top <= float(y)
        assert float(y) + float(h) <= top + height


def test_an_arrow_points_at_its_effect():
    drawn = draw_graph(ca.ADMG(["a", "b"], directed=[("a", "b")]), "b")
    tip = float(re.search(r'd="M[\d.-]+ ([\d.-]+)L[^"]*Z" class="head"', drawn)[1])
    start = float(re.search(r'<g class="directed"><path d="M[\d.-]+ ([\d.-]+)L', drawn)[1])
    assert tip > start


def test_a_wide_letter_takes_two_places():
    narrow, wide = place_boxes(ca.ADMG(["ab", "温度"])).values()
    assert wide.half_width > narrow.half_width


@given(admgs(min_nodes=2, max_nodes=8), st.integers(1, 8))
def test_what_is_nearest_to_the_target_is_kept(graph, most):
    target = graph.nodes[-1]
    kept = near_target(graph, target, most)
    assert target in kept.nodes
    assert len(kept.nodes) == min(most, len(graph.nodes))
    if most >= len(graph.nodes):
        assert kept == graph
    next_to = {v for edge in (*graph.directed, *graph.bidirected) if target in edge for v in edge}
    if next_to - set(kept.nodes):
        assert set(kept.nodes) <= next_to | {target}
