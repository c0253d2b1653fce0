import re
import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

from causalaug import ADMG, augment
from causalaug.datasets import load_sachs, make_trivariate
from causalaug.exceptions import MissingDependencyError, ParameterError
from causalaug.plot import (
    plot_graph,
    plot_pairs,
    plot_probability_tree,
    plot_trivariate,
    plot_weights,
    save_figure,
)

DATA = make_trivariate(20, random_state=0)
AUGMENTED = augment(DATA.frame, DATA.graph, random_state=0)
DRAWINGS = {
    "graph": lambda: plot_graph(load_sachs().graph),
    "pairs": lambda: plot_pairs(DATA.frame, AUGMENTED),
    "weights": lambda: plot_weights(AUGMENTED),
    "trivariate": plot_trivariate,
}


@pytest.mark.parametrize("suffix", [".png", ".svg"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_picture_is_the_same_bytes(name, suffix, tmp_path):
    first, second = (
        save_figure(DRAWINGS[name](), tmp_path / f"{number}{suffix}").read_bytes()
        for number in (1, 2)
    )
    assert first == second
    assert len(first) > 1000


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_figure_may_be_saved_again(suffix, tmp_path):
    axes = plot_pairs(DATA.frame, AUGMENTED)
    path = tmp_path / f"figure{suffix}"
    assert save_figure(axes, path).read_bytes() == save_figure(axes, path).read_bytes()


def test_another_process_writes_the_same_bytes(tmp_path):
    code = (
        "import sys, matplotlib; matplotlib.use('Agg'); import causalaug as ca;"
        "ca.plot.save_figure(ca.plot.plot_graph(ca.datasets.load_sachs().graph), sys.argv[1])"
    )
    other = tmp_path / "other.svg"
    subprocess.run([sys.executable, "-c", code, other], check=True)
    here = save_figure(plot_graph(load_sachs().graph), tmp_path / "here.svg")
    assert here.read_bytes() == other.read_bytes()


def test_a_file_tells_nothing_about_when_and_by_what_it_was_made(tmp_path):
    ax = plot_graph(ADMG(["A"]))
    svg = save_figure(ax, tmp_path / "a.svg").read_text()
    assert not re.search(r"<dc:date>|<dc:creator>|matplotlib v|20\d\d-", svg, re.IGNORECASE)
    assert b"Software" not in save_figure(ax, tmp_path / "a.png").read_bytes()


def test_no_id_of_a_file_is_used_twice(tmp_path):
    svg = save_figure(plot_probability_tree(DATA.frame[:3], DATA.graph), tmp_path / "a.svg")
    ids = re.findall(r'\bid="([^"]*)"', svg.read_text())
    assert len(set(ids)) == len(ids) > 10


def test_text_from_the_data_cannot_become_markup(tmp_path):
    name = "--><script>alert(1)</script>"
    svg = save_figure(plot_graph(ADMG([name])), tmp_path / "a.svg").read_text()
    assert "<script" not in svg


def test_axes_arrays_and_figures_are_saved_alike(tmp_path):
    axes = plot_trivariate()
    files = [
        save_figure(each, tmp_path / f"{number}.svg").read_bytes()
        for number, each in enumerate([axes, axes[1], axes[0].figure, list(axes)])
    ]
    assert files == files[:1] * 4


def test_axes_of_a_part_of_a_figure_save_the_whole(tmp_path):
    figure = plt.figure()
    ax = figure.subfigures(1, 2)[0].subplots()
    plot_graph(ADMG(["A"]), ax=ax)
    part = save_figure(ax, tmp_path / "part.svg").read_bytes()
    assert part == save_figure(figure, tmp_path / "whole.svg").read_bytes()


def test_a_file_that_exists_is_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "a.PNG"
    path.write_text("old")
    assert save_figure(plot_graph(ADMG(["A"])), str(path)) == path
    assert path.read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_text("old")

    def fail(self, target):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_figure(plot_graph(ADMG(["A"])), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_other_formats_are_refused(tmp_path):
    message = r"one of \['.png', '.svg'\], by the suffix of its path. Found 'a.pdf'"
    with pytest.raises(ParameterError, match=message):
        save_figure(plot_graph(ADMG(["A"])), tmp_path / "a.pdf")


@pytest.mark.parametrize("axes", ["picture", [], None])
def test_what_is_no_picture_is_refused(axes, tmp_path):
    with pytest.raises(ParameterError, match="`axes` must be matplotlib Axes, an array of them"):
        save_figure(axes, tmp_path / "a.png")


def test_a_resolution_must_be_positive(tmp_path):
    with pytest.raises(ParameterError, match="`dpi` must be a positive number. Found 0"):
        save_figure(plot_graph(ADMG(["A"])), tmp_path / "a.png", dpi=0)


def test_without_matplotlib_the_install_line_is_named(monkeypatch):
    def find_nothing(module):
        raise ModuleNotFoundError(name="matplotlib")

    monkeypatch.setattr("causalaug._optional.import_module", find_nothing)
    with pytest.raises(MissingDependencyError, match=r'pip install "causalaug\[plot\]"'):
        plot_graph(ADMG(["A"]))


def test_the_trivariate_picture_shows_the_classes_and_keeps_to_them():
    _, observed, made = plot_trivariate(14)
    n_observed = [len(marks.get_offsets()) for marks in observed.collections]
    n_made = [len(marks.get_offsets()) for marks in made.collections]
    assert sum(n_observed) == 14
    assert [new + old for new, old in zip(n_made[:2], n_made[2:], strict=True)] == [
        count**2 for count in n_observed
    ]
    assert n_made[2:] == n_observed
