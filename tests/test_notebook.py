"""How values show themselves at the end of a notebook's cell, and in a terminal."""

import re
import xml.etree.ElementTree as ET

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.graphs._drawing import MOST_NODES
from graph_strategies import admgs
from learners import GRAPH, rows_of_classification, rows_of_regression
from report_cases import EVIL, Outline

SVG = "{http://www.w3.org/2000/svg}"
DAYS = pd.DataFrame({"sun": [True, True, False, False], "ice": [9.0, 7.0, 2.0, 4.0]})


@settings(max_examples=30)
@given(admgs(max_nodes=6))
def test_a_graph_draws_itself_without_any_page(graph):
    picture = ET.fromstring(graph._repr_svg_())
    assert picture.tag == f"{SVG}svg"
    shapes = [each.get("class") for each in picture.iter(f"{SVG}g")]
    assert shapes.count("node") == len(graph.nodes)
    assert shapes.count("directed") == len(graph.directed)
    assert shapes.count("bidirected") == len(graph.bidirected)


def test_the_style_of_a_picture_reaches_nothing_else():
    style = ET.fromstring(ca.read_graph("a -> b <-> c")._repr_svg_()).find(f"{SVG}style").text
    rules = re.findall(r"([^{}]+)\{", style)
    assert len(rules) > 3
    assert all(rule.startswith(".causalaug-graph") for rule in rules)


def test_names_of_nodes_are_text_in_a_picture():
    graph = ca.ADMG(EVIL, directed=[(EVIL[0], EVIL[1])])
    picture = ET.fromstring(graph._repr_svg_())
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} == {
        *("svg", "title", "style", "g", "rect", "text", "path")
    }


def test_a_graph_too_large_for_a_picture_stays_text():
    names = [f"v{number}" for number in range(MOST_NODES + 1)]
    assert ca.ADMG(names)._repr_svg_() is None
    assert ca.ADMG(names[1:])._repr_svg_() is not None


@pytest.mark.parametrize("to_frame", [lambda frame: frame, pl.from_pandas])
def test_an_augmented_table_shows_rows_weights_and_mass(to_frame):
    made = ca.augment(to_frame(DAYS), "sun -> ice", random_state=0)
    assert repr(made) == (
        "AugmentedTable(4 new rows from 4 of 2 columns; mass 1; effective sample size 4)"
    )
    page = Outline(made.to_html())
    assert page.counts["table"] == 2
    assert "novel mass" in page.text
    assert "The heaviest 4 of 4, with their weights:" in page.text
    for cell in ("True", "False", "7", "0.25"):
        assert cell in page.text


def test_the_heaviest_rows_come_first():
    frame = pd.DataFrame({"x": list("aaabcde"), "y": range(7)})
    made = ca.augment(frame, ca.ADMG(["x", "y"]), expansion=ca.PrunedExpansion(0.0))
    page = Outline(made.to_html()).text
    assert f"The heaviest 5 of {len(made)}" in page
    shown = page.partition("with their weights:")[2]
    assert f"{made.weights.max():.4g}" in shown
    assert f"{made.weights.min():.4g}" not in shown


def test_a_table_that_lost_mass_says_so():
    lost = ca.augment(DAYS, ca.ADMG(["sun", "ice"]), expansion=ca.PrunedExpansion(1.0))
    assert re.search(r"mass 0\.?\d*, [\d.]+ dropped;", repr(lost))
    assert "heaviest" not in lost.to_html() or len(lost)


def test_a_model_shows_its_graph_and_factors():
    model = ca.fit_model(DAYS, "sun -> ice")
    assert repr(model).startswith("GraphModel(4 rows; p(sun) p(ice | sun); KernelConditional(")
    page = model._repr_html_()
    assert page.count("<svg") == 1
    assert '<th scope="row">p(ice | sun)</th><td>continuous</td>' in page
    assert "Fitted to 4 rows by KernelConditional(" in page


def test_a_prediction_shows_its_first_rows():
    model = ca.fit_model(DAYS, "sun -> ice")
    levels = model.predict("sun", pd.DataFrame({"ice": [8.0] * 7}))
    assert repr(levels) == "Prediction('sun' of 7 rows: probabilities of False, True)"
    page = Outline(levels._repr_html_())
    assert "sun, predicted in 7 rows; the first 5:" in page.text
    assert page.counts["tr"] == 6
    numbers = model.predict("ice", DAYS[["sun"]][:1])
    assert repr(numbers) == "Prediction(a number, 'ice', of 1 row: mean, quantile, sample)"
    page = Outline(numbers._repr_html_()).text
    assert "ice, predicted in 1 row:" in page
    assert f"{numbers.mean[0]:.4g}" in page
    assert f"{numbers.quantile(0.95)[0]:.4g}" in page


@pytest.mark.parametrize("learner", [Ridge(alpha=0.25), RandomForestRegressor(3)])
def test_the_diagram_of_an_estimator_shows_the_learner_inside(learner):
    model = ca.AugmentedRegressor(learner, graph=GRAPH, augmented_share=0.5, random_state=0)
    assert type(learner).__name__ in model._repr_html_()
    X, y = rows_of_regression()
    page = model.fit(X, y)._repr_html_()
    assert f"estimator: {type(learner).__name__}" in page
    assert "AugmentedRegressor" in page


def test_a_blend_reads_as_a_table():
    X, y = rows_of_classification()
    model = ca.AugmentedClassifier(LogisticRegression(), graph=GRAPH, random_state=0)
    found = model.fit(X, y).blend_
    assert list(found) == ["candidate", "share", "loss", "weight"]
    assert found["candidate"].tolist()[0] == "plain"
    assert found["weight"].sum() == pytest.approx(1.0)
