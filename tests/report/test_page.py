import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug._markup import shorten, visible
from causalaug.report._charts import pair_chart, ticks
from causalaug.report._sections import LONGEST_NAME
from causalaug.report._summary import summarize
from report_cases import EVIL, Outline, comparison, quick_evaluation

PLAIN = ["a", "b", "c", "d"]
MIXED = quick_evaluation(PLAIN, discrete=[1])
TAGS = Outline(MIXED.to_html()).tags
MOST_BYTES = 1_500_000


def outline(evaluation):
    return Outline(evaluation.to_html())


def test_the_page_is_well_formed():
    read = outline(MIXED)
    assert len(set(read.ids)) == len(read.ids)
    assert read.headings[0] == 1
    assert read.headings.count(1) == 1
    assert all(
        after - before <= 1 for before, after in zip(read.headings, read.headings[1:], strict=False)
    )
    assert read.tags[0] == ("html", ("lang",))


def test_every_link_leads_to_a_section():
    read = outline(MIXED)
    links = [value for value in read.values if value.startswith("#") and len(value) > 1]
    assert links
    assert {link[1:] for link in links} == set(read.ids)


def test_every_picture_has_a_name():
    read = outline(MIXED)
    pictures = [names for tag, names in read.tags if tag == "svg"]
    assert pictures
    assert all({"role", "aria-label"} <= set(names) for names in pictures)
    assert read.counts["title"] >= len(pictures) + 1


def test_nothing_runs_and_nothing_is_loaded():
    text = MIXED.to_html()
    read = Outline(text)
    assert not {"script", "img", "link", "iframe", "object", "image", "use"} & set(read.counts)
    names = {name for _, names in read.tags for name in names}
    assert not [name for name in names if name.startswith("on") or name in {"src", "xlink:href"}]
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in read.values
    assert "@import" not in text
    assert "url(" not in text
    assert not re.search(r"https?:", text)


def test_all_that_was_promised_is_on_the_page():
    text = outline(MIXED).text
    for finding in MIXED.findings:
        assert finding.replace("-", "−").split("`")[0] in text.replace("-", "−")
    steps = ["without knowledge", "by the order", "by the independences", "in total"]
    for word in [*steps, "baseline (Ridge)", "forest"]:
        assert word in text
    for word in ["dropped mass", "novel mass", "effective sample size", "seed", "python 3"]:
        assert word in text
    assert "causalaug evaluate --target 'd'\n# and more" in text
    assert "a ⊥" in text or "⊥ a" in text
    assert "a <-> d" in text


def test_the_drawing_marks_the_target_and_dashes_hidden_causes():
    text = MIXED.to_html()
    assert text.count('class="target node"') == 1
    # Besides the graph, the style of the stairs has dashes.
    assert text.count("stroke-dasharray") == 2
    assert len(re.findall(r'class="(?:target )?node"', text)) == 4
    assert text.count('class="directed"') == 3


# Names are text.

NAMES = st.lists(
    st.text(min_size=1, max_size=30), min_size=4, max_size=4, unique_by=lambda n: n.strip()
)


@settings(max_examples=20)
@given(NAMES)
def test_names_change_no_markup(names):
    page = quick_evaluation(names, discrete=[1]).to_html()
    read = Outline(page)
    assert read.tags == TAGS
    for name in names:
        assert shorten(name, LONGEST_NAME) in read.text
    assert page.encode("utf-8")


@pytest.mark.parametrize("name", EVIL)
def test_evil_names_stay_text(name):
    read = outline(quick_evaluation(["a", "b", "c", name], discrete=[1]))
    assert read.tags == TAGS
    assert shorten(name, LONGEST_NAME) in read.text


def test_evil_cells_and_settings_stay_text():
    frame = pd.DataFrame({"a": [EVIL[0], "x"] * 10, "b": np.arange(20) * 1.0})
    graph = ca.ADMG(["a", "b"], directed=[("a", "b")])
    augmented = ca.augment(frame, graph, random_state=0)
    evil = replace(
        MIXED,
        augmentation=summarize(augmented, "b", 0),
        settings={EVIL[1]: EVIL[0]},
        versions={"causalaug": EVIL[0]},
        source=f"{EVIL[0]}\n{EVIL[3]}",
    )
    read = outline(evil)
    assert "script" not in read.counts
    assert "img" not in read.counts
    assert shorten(EVIL[0], 12) in read.text
    assert f"{EVIL[0]}\n" in read.text


@pytest.mark.parametrize("name", EVIL)
def test_evil_names_are_no_html_in_markdown_and_survive_json(name):
    evaluation = quick_evaluation(["a", "b", "c", name], discrete=[1])
    text = evaluation.to_markdown()
    prose = [line for line in text.splitlines() if not line.startswith("    ")]
    assert not [line for line in prose if "<" in line]
    assert json.loads(json.dumps(evaluation.to_dict()))["target"] == name


@pytest.mark.parametrize("name", EVIL)
def test_evil_names_of_learners_are_no_html_in_markdown(name):
    evaluation = quick_evaluation(["a", "b", "c"])
    compared = evaluation.comparison
    named = replace(compared, frame=compared.frame.replace({"forest": name}))
    assert named.best_plain == name  # so that the verdict speaks of it
    for text in (replace(evaluation, comparison=named).to_markdown(), named.to_markdown()):
        prose = [line for line in text.splitlines() if not line.startswith("    ")]
        assert not [line for line in prose if "<" in line]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    read = Outline(MIXED._repr_html_())
    assert [tag for tag, _ in read.tags] == ["iframe"]
    assert read.values[2] == MIXED.to_html()


@pytest.mark.parametrize("part", ["comparison", "check", "augmented"])
def test_the_parts_show_themselves_in_notebooks(part):
    frame = pd.DataFrame({"<b>": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0], "z": [2.0, 1.0, 0.0]})
    graph = ca.ADMG(list(frame), directed=[("<b>", "y")])
    shown = {
        "comparison": comparison("<b>"),
        "check": ca.check_graph(frame, graph),
        "augmented": ca.augment(frame, graph, random_state=0),
    }[part]
    read = Outline(shown.to_html())
    assert shown._repr_html_() == shown.to_html()
    assert read.counts["table"] >= 1
    assert "b" not in read.counts


# Size.


def test_a_large_table_with_long_names_stays_small():
    names = [f"{place:03d}" + '"<&\u202e' * 50 for place in range(60)]
    edges = [(names[a], names[b]) for a in range(60) for b in range(a + 1, min(a + 8, 60))]
    evaluation = quick_evaluation(names, n_rows=250, edges=edges, new_rows=250, discrete=range(9))
    page = evaluation.to_html()
    assert len(page.encode("utf-8")) < MOST_BYTES
    read = Outline(page)
    assert "Drawn are the 40 nearest to the target; 20 more are not." in read.text
    assert "Changed less, and not shown: " in read.text
    assert "are not listed" in read.text


def test_points_are_few_however_many_rows():
    evaluation = quick_evaluation(PLAIN, n_rows=3000, new_rows=6000)
    assert outline(evaluation).counts["circle"] <= 6 * 2 * 200


# What may be missing.


def test_a_graph_without_independences_is_told():
    edges = [(a, b) for place, a in enumerate(PLAIN) for b in PLAIN[place + 1 :]]
    text = outline(quick_evaluation(PLAIN, edges=edges)).text
    assert "There is no independence to test." in text


@pytest.mark.parametrize("edges", [None, list(combinations(PLAIN, 2))])
def test_with_missing_cells_the_rows_of_each_factor_are_listed(edges):
    evaluation = quick_evaluation(PLAIN, edges=edges)
    rows = {name: 1000 + place for place, name in enumerate(PLAIN)}
    check = replace(evaluation.check, factor_rows=rows, n_rows=2000)
    text = outline(replace(evaluation, check=check)).text
    assert "those of the 2,000 rows that have it and all that it depends on" in text
    assert "1,000" in text
    assert "Cells are missing" not in outline(evaluation).text
    document = replace(evaluation, check=check).to_dict()["check"]
    assert (document["rows"], document["factor_rows"]) == (2000, rows)


def test_no_new_rows_leave_an_empty_picture_not_an_error():
    frame = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0)})
    graph = ca.ADMG(["a", "b"])
    augmented = ca.augment(frame, graph, expansion=ca.PrunedExpansion(5.0))
    assert len(augmented) == 0
    summary = summarize(augmented, "b", 0)
    text = outline(replace(MIXED, augmentation=summary)).text
    assert "There are no pairs to compare." in text


def test_losses_that_are_not_finite_are_left_out_of_the_chart():
    broken = comparison("d")
    broken.frame.loc[broken.frame["method"] == "forest", "loss"] = np.inf
    with np.errstate(invalid="ignore"):
        read = outline(replace(MIXED, comparison=broken))
    assert "forest" in read.text


def test_tones_follow_the_verdict():
    assert 'class="verdict better"' in MIXED.to_html()
    same = comparison("d")
    same.frame["loss"] = 1.0
    assert 'class="verdict plain"' in replace(MIXED, comparison=same).to_html()


def test_visible_names_are_what_the_text_of_the_graph_has():
    assert visible("x\ty") in outline(quick_evaluation(["a", "b", "c", "x\ty"])).text


def test_axes_of_pairs_name_few_levels_and_both_ends_of_a_scale():
    pairs = {(pair.x.column, pair.y.column): pair for pair in MIXED.augmentation.pairs}
    read = Outline(pair_chart(pairs["a", "b"]))
    low, high = pairs["a", "b"].x.labels
    for word, count in {"x": 1, "y": 1, "z": 1, low: 2, high: 2}.items():
        assert read.words.count(word) == count


def test_hidden_causes_are_explained_where_there_are_some():
    assert "hidden common cause" in outline(MIXED).text
    dag = replace(MIXED, graph=ca.ADMG(PLAIN, directed=[("a", "d")]))
    assert "hidden common cause" not in outline(dag).text


def test_ticks_are_as_few_as_there_is_room_for():
    assert list(ticks(-0.39, 0.19, room=1000).values()) == ["−30%", "−20%", "−10%", "0%", "+10%"]
    assert 1 <= len(ticks(-0.39, 0.19, room=0)) <= 2


def test_a_page_without_rivals_does_not_speak_of_the_best_one():
    compared = MIXED.comparison
    ours = compared.frame["method"].isin(["baseline", "without knowledge", "order", "augmented"])
    alone = replace(MIXED, comparison=replace(compared, frame=compared.frame[ours]))
    text = outline(alone).text
    assert "No other learner was tried." in text
    assert "The best plain learner is" not in text
    assert "The best plain learner is forest" in outline(MIXED).text
