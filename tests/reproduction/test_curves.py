import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.exceptions import ParameterError, TableError
from reproduction.curves import plot_improvement, plot_learning_curves
from reproduction.means import improvements, learning_curves
from reproduction.records import read_records as read_all_records


def make_records(datasets=("wine",), protocols=(None,), n_splits=5, seed=0, augmented="augmented"):
    rng = np.random.default_rng(seed)
    rows = [
        (dataset, fraction, split, method, protocol, rng.uniform(0.5, 1.5), int(100 * fraction))
        for dataset in datasets
        for protocol in protocols
        for fraction in (0.1, 0.2, 0.4)
        for split in range(n_splits)
        for method in ("baseline", augmented)
    ]
    names = ["dataset", "fraction", "split", "method", "protocol", "mse", "rows_train"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.drop(columns="protocol") if protocols == (None,) else frame


def read_records(records):
    return read_all_records(records, also=["rows_train"])


def half_widths(ax):
    """Return the half-width of each band at each training size."""
    widths = []
    for band in ax.collections:
        vertices = band.get_paths()[0].vertices
        sizes = np.unique(vertices[:, 0])
        widths.append([np.ptp(vertices[vertices[:, 0] == size, 1]) / 2 for size in sizes])
    return widths


def curves_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


@settings(max_examples=10)
@given(st.integers(2, 8), st.integers(0, 1000))
def test_curves_are_means_and_bands_are_standard_errors(n_splits, seed):
    records = make_records(n_splits=n_splits, seed=seed)
    ax = plot_learning_curves(records, "wine")
    for method, widths in zip(("baseline", "augmented"), half_widths(ax), strict=True):
        groups = records[records["method"] == method].groupby("fraction")["mse"]
        np.testing.assert_allclose(curves_of(ax)[method].get_ydata(), groups.mean())
        np.testing.assert_allclose(curves_of(ax)[method].get_xdata(), [10, 20, 40])
        np.testing.assert_allclose(widths, groups.std(ddof=1) / np.sqrt(n_splits))
    plt.close(ax.figure)


@settings(max_examples=10)
@given(st.integers(2, 8), st.integers(0, 1000))
def test_improvements_are_paired_by_split(n_splits, seed):
    records = make_records(n_splits=n_splits, seed=seed).sample(frac=1.0, random_state=seed)
    ax = plot_improvement(records, "wine")
    wide = records.pivot_table(index=["fraction", "split"], columns="method", values="mse")
    change = (100 * (1 - wide["augmented"] / wide["baseline"])).groupby("fraction")
    np.testing.assert_allclose(curves_of(ax)["augmented"].get_ydata(), change.mean())
    np.testing.assert_allclose(half_widths(ax)[0], change.std(ddof=1) / np.sqrt(n_splits))
    plt.close(ax.figure)


def test_an_equal_error_is_no_improvement():
    records = make_records().assign(mse=0.7)
    assert curves_of(plot_improvement(records, "wine"))["augmented"].get_ydata().tolist() == [0] * 3


def test_splits_without_a_partner_are_left_out():
    records = make_records(n_splits=3)
    lonely = (records["split"] == 2) & (records["method"] == "baseline")
    [curve] = improvements(read_records(records[~lonely]))
    assert curve.n_splits.tolist() == [2, 2, 2]


def test_a_protocol_without_a_baseline_borrows_that_of_the_reference():
    records = make_records(protocols=("reference", "paper", "honest"))
    is_baseline = records["method"] == "baseline"
    lent = records[~(is_baseline & (records["protocol"] == "paper"))]
    shared = records[is_baseline & (records["protocol"] == "reference")]
    explicit = pd.concat([lent, shared.assign(protocol="paper")])
    pairs = zip(improvements(read_records(lent)), improvements(read_records(explicit)), strict=True)
    for borrowed, own in pairs:
        assert borrowed.protocol == own.protocol
        np.testing.assert_array_equal(borrowed.mean, own.mean)
    with pytest.raises(TableError, match="needs runs of the baseline"):
        improvements(read_records(lent[lent["protocol"] == "paper"]))


def test_a_single_split_has_no_band():
    [curve, _] = learning_curves(read_records(make_records(n_splits=1)))
    assert np.isnan(curve.standard_error).all()
    plot_learning_curves(make_records(n_splits=1), "wine").figure.draw_without_rendering()


def test_proposed_is_another_word_for_augmented():
    ax = plot_learning_curves(make_records(augmented="proposed"), "wine")
    assert list(curves_of(ax)) == ["baseline", "augmented"]


def test_each_protocol_has_its_colour_and_each_method_its_line():
    ax = plot_learning_curves(make_records(protocols=("paper", "honest")), "wine")
    curves = curves_of(ax)
    assert list(curves) == [
        "paper, baseline", "paper, augmented", "honest, baseline", "honest, augmented",
    ]  # fmt: skip
    assert [line.get_linestyle() for line in curves.values()] == ["--", "-", "--", "-"]
    assert [line.get_color() for line in curves.values()] == [
        curve.get_color()
        for name in ("paper", "honest")
        for curve in [curves[f"{name}, augmented"]] * 2
    ]
    assert len({line.get_color() for line in curves.values()}) == 2
    assert len(ax.collections) == 4


def test_a_reference_is_dotted():
    ax = plot_learning_curves(
        make_records(), "wine", reference=make_records(seed=1, augmented="proposed")
    )
    dotted = {name for name, line in curves_of(ax).items() if line.get_linestyle() == ":"}
    assert dotted == {"published, baseline", "published, augmented"}


def test_all_data_sets_have_a_panel_each():
    records = make_records(datasets=("wine", "cars", "cells", "houses"))
    panels = plot_improvement(records, reference=make_records(datasets=("cars",)))
    assert [panel.get_title(loc="left") for panel in panels] == ["wine", "cars", "cells", "houses"]
    assert [len(curves_of(panel)) for panel in panels] == [1, 2, 1, 1]
    assert len(panels[0].figure.axes) == 4
    [legend] = panels[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["augmented", "published, augmented"]


def test_given_axes_are_used():
    axes = plt.figure().subplots(1, 2)
    records = make_records(datasets=("wine", "cars"))
    assert plot_improvement(records, ax=axes).tolist() == axes.tolist()
    assert plot_improvement(records, "cars", ax=axes[1]) is axes[1]
    assert plot_learning_curves(records, "cars", ax=axes[0]) is axes[0]
    with pytest.raises(ParameterError, match="one Axes per panel, here 2. Found 1."):
        plot_improvement(records, ax=axes[0])


def test_other_methods_are_drawn_as_they_are_called():
    control = make_records().replace({"method": {"baseline": "control", "augmented": "$best$"}})
    ax = plot_improvement(pd.concat([make_records(), control]), "wine")
    ax.figure.draw_without_rendering()
    assert list(curves_of(ax)) == [r"\$best\$", "augmented", "control"]


def test_the_frame_is_left_as_it_was():
    records = make_records(augmented="proposed")
    before = records.copy()
    plot_learning_curves(records, "wine")
    pd.testing.assert_frame_equal(records, before)


@pytest.mark.parametrize("column", ["dataset", "fraction", "split", "method", "mse", "rows_train"])
@pytest.mark.parametrize("draw", [plot_learning_curves, plot_improvement])
def test_a_missing_column_is_named(draw, column):
    records = make_records().rename(columns={column: column + "s"})
    message = rf"Missing: \['{column}'\]. A typing slip\? '{column}' -> '{column}s'"
    with pytest.raises(TableError, match=message):
        draw(records, "wine")
    with pytest.raises(TableError, match="^`reference` must have the columns"):
        draw(make_records(), "wine", reference=records)


def test_what_is_no_frame_is_refused():
    with pytest.raises(TableError, match="`records` must be a pandas DataFrame. Found list"):
        plot_learning_curves([], "wine")


def test_an_unknown_data_set_is_refused():
    with pytest.raises(ParameterError, match=r"\['wine'\]. Found 'wines'. A typing slip\?"):
        plot_learning_curves(make_records(), "wines")
    with pytest.raises(ParameterError, match=r"one of those in `reference`: \['cars'\]"):
        plot_learning_curves(make_records(), "wine", reference=make_records(("cars",)))


def test_a_run_that_is_there_twice_is_refused():
    records = make_records()
    with pytest.raises(TableError, match="must hold every run once. Found 2 repeated"):
        plot_learning_curves(pd.concat([records, records[:2]]), "wine")


@pytest.mark.parametrize("mse", [np.nan, np.inf, -1.0, "failed"])
def test_a_run_without_a_result_is_refused(mse):
    records = make_records().astype({"mse": object})
    records.loc[3, "mse"] = mse
    with pytest.raises(TableError, match="`mse` of `records` must be finite .* at row 3"):
        plot_learning_curves(records, "wine")


def test_an_improvement_needs_a_baseline():
    records = make_records()
    with pytest.raises(TableError, match="needs runs of the baseline and of another method"):
        plot_improvement(records[records["method"] == "augmented"], "wine")
    with pytest.raises(TableError, match="baseline's MSE, which must not be 0. Found 15"):
        plot_improvement(records.assign(mse=0.0), "wine")
