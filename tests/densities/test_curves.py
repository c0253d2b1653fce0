"""Densities of many weighted rows: as curves, and of fewer rows, beside the slow way."""

import pickle

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.densities import Density, RowLaw, _curves, _weighed, rows_that_suffice
from causalaug.kernels import ColumnKernel, ProductKernel, SomeRows

ALONG = "a -> x; {x, a} -> number; {x, g} -> branch; {x, a, g} -> level; x -> rank"


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 600
    a, x = rng.normal(size=n), rng.normal(size=n)
    g = rng.choice(["p", "q"], n)
    columns = {
        "a": a,
        "g": g,
        "x": x,
        "number": rng.choice([-1.0, 1.0], n) * x + a + 0.2 * rng.normal(size=n),
        "branch": np.exp(rng.choice([-1.0, 1.0], n) * (x + (g == "p")) + 0.2 * rng.normal(size=n)),
        "level": rng.choice(["u", "v", "w"], n),
        "rank": np.clip(np.round(x + 3.0), 1, 5).astype(int),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def model(frame):
    return ca.fit_model(frame, ALONG, ca.KernelConditional(temperature=0.6))


def asked(model, name):
    """Return the density of a variable, cells of some rows, and points of x, its cause."""
    number = [factor.target for factor in model.factors].index(name)
    factor, values = model.factors[number], model.table.values[::7]
    pillow = values[:, [model.table.index(each) for each in factor.pillow]]
    points = np.quantile(model.table.values[:, model.table.index("x")], np.linspace(0.02, 0.98, 9))
    points = points + np.zeros((len(values), 1))
    own = values[:, model.table.index(name)]
    return model.densities[number], own, pillow, factor.pillow.index("x"), points


@pytest.mark.parametrize("name", ["number", "branch", "level", "rank"])
def test_curves_along_a_cause_agree_with_rows_that_are_weighed_anew(model, name):
    density, own, pillow, position, points = asked(model, name)
    slow = Density.along(density, own, pillow, position)(np.arange(len(own)), points)
    fast = density.along(own, pillow, position)(np.arange(len(own)), points)
    apart = np.abs(fast - slow)
    assert 0.0 < apart.max() < 0.1, "curves are used, and within a tenth in logarithm"
    assert apart.mean() < 0.01


def test_curves_of_a_number_agree_with_rows_that_are_weighed_anew(model):
    density, own, pillow, _, _ = asked(model, "number")
    points = own[:, np.newaxis] + np.linspace(-1.0, 1.0, 7)
    held = density.given(pillow)(np.arange(len(own)), points)
    apart = np.abs(held - density.log_density(points, pillow))
    assert 0.0 < apart.max() < 0.02


def test_beyond_the_knots_the_slow_way_answers(model):
    density, own, pillow, position, points = asked(model, "number")
    far = points + 1e3
    found = density.along(own, pillow, position)(np.arange(len(own)), far)
    slow = Density.along(density, own, pillow, position)(np.arange(len(own)), far)
    np.testing.assert_array_equal(found, slow)


def test_curves_do_not_depend_on_what_was_asked_before(frame):
    one, other = (
        ca.fit_model(frame, ALONG, ca.KernelConditional(temperature=0.6)) for _ in range(2)
    )
    density, own, pillow, position, points = asked(one, "branch")
    rows = np.arange(len(own))
    density.along(own[::-1], pillow[::-1], position)
    after = density.along(own, pillow, position)(rows, points)
    density, own, pillow, position, points = asked(other, "branch")
    # Products of matrices of another size may differ in the last digits.
    np.testing.assert_allclose(density.along(own, pillow, position)(rows, points), after, rtol=1e-6)


@pytest.mark.parametrize("name", ["number", "level"])
def test_curves_are_not_pickled(model, name):
    density, own, pillow, position, points = asked(model, name)
    found = density.along(own, pillow, position)(np.arange(len(own)), points)
    written = pickle.dumps(density)
    assert len(written) < 20 * density.rows.n_rows * 8
    again = pickle.loads(written).along(own, pillow, position)(np.arange(len(own)), points)
    np.testing.assert_array_equal(again, found)


def test_small_tables_are_answered_as_ever(frame):
    small = frame.iloc[:250]
    model = ca.fit_model(small, ALONG, ca.KernelConditional(temperature=0.6))
    density, own, pillow, position, points = asked(model, "number")
    fast = density.along(own, pillow, position)(np.arange(len(own)), points)
    slow = Density.along(density, own, pillow, position)(np.arange(len(own)), points)
    np.testing.assert_array_equal(fast, slow)


# Fewer rows than the table has.


def test_rows_that_suffice_come_from_all_over_the_table():
    assert rows_that_suffice(_weighed.ROWS_THAT_SUFFICE) is None
    rows = rows_that_suffice(4 * _weighed.ROWS_THAT_SUFFICE)
    np.testing.assert_array_equal(rows // 4, np.arange(_weighed.ROWS_THAT_SUFFICE))
    assert len(np.unique(rows % 4)) == 4, "not every fourth row"
    np.testing.assert_array_equal(rows, rows_that_suffice(4 * _weighed.ROWS_THAT_SUFFICE))


@pytest.fixture
def few_suffice(monkeypatch):
    monkeypatch.setattr(_weighed, "ROWS_THAT_SUFFICE", 120)
    monkeypatch.setattr(_weighed, "ROWS_TO_JUDGE", 60)
    monkeypatch.setattr(_curves, "FEWEST_ROWS", 50)


def auto(frame, **options):
    return ca.fit_model(frame, ALONG, conditional="auto", **options)


@pytest.mark.usefixtures("few_suffice")
def test_every_row_may_lend_its_value_though_fewer_make_the_density(frame):
    model = auto(frame)
    laws = [law for law in (fit.law() for fit in model.fitted) if isinstance(law, RowLaw)]
    assert laws
    for law in laws:
        assert len(law.enough.rows) == 120
        assert len(law.to_judge.rows) == 60
    assert all(fit.rows is None for fit in model.fitted)


@pytest.mark.usefixtures("few_suffice")
def test_weights_equal_repetitions_where_fewer_rows_suffice(frame):
    weighed = auto(frame, sample_weight=np.full(len(frame), 3.0))
    thrice = auto(pd.concat([frame] * 3, ignore_index=True))
    new = frame.iloc[:40]
    pd.testing.assert_frame_equal(
        weighed.log_density(new), thrice.log_density(new), rtol=1e-9, atol=1e-9
    )


@pytest.mark.usefixtures("few_suffice")
def test_a_level_that_no_row_of_the_sample_has_keeps_a_probability(frame):
    rows = set(_weighed.spread_rows(len(frame), 120))
    rare = next(row for row in range(len(frame)) if row not in rows)
    changed = frame.assign(level=frame["level"].where(frame.index != rare, "rare"))
    logs = auto(changed).log_density(changed)["level"]
    assert np.isfinite(logs[rare])


@pytest.mark.usefixtures("few_suffice")
def test_twice_the_rows_take_twice_the_kernel_evaluations(frame, monkeypatch):
    evaluated = []

    def counting(method):
        def counted(self, query):
            evaluated.append(len(query) * self.n_rows)
            return method(self, query)

        return counted

    for name in ("log_kernel", "_exponentiated"):
        monkeypatch.setattr(ProductKernel, name, counting(getattr(ProductKernel, name)))
    counts = []
    for n_rows in (300, 600):
        evaluated.clear()
        model = auto(frame.iloc[:n_rows])
        model.predict("x", frame.iloc[:n_rows].drop(columns="x"))
        counts.append(sum(evaluated))
    assert counts[1] < 2.2 * counts[0]


def test_some_rows_of_a_kernel_are_weighed_as_they_are_among_all():
    rng = np.random.default_rng(0)
    reference, rows = rng.normal(size=(30, 2)), np.array([3, 4, 17])
    kernels = [ColumnKernel("gaussian", 0.5), ColumnKernel("gaussian", 1.0)]
    weigher = ProductKernel(reference, kernels, rng.uniform(1.0, 2.0, 30))
    query = rng.normal(size=(5, 2))
    slow = SomeRows(weigher, rows).log_weights(query)
    np.testing.assert_allclose(weigher.among(rows).log_weights(query), slow)


def test_a_kernel_is_the_product_of_one_column_and_the_rest():
    rng = np.random.default_rng(1)
    reference = np.column_stack([rng.normal(size=30), rng.integers(0, 3, 30)])
    kernels = [ColumnKernel("gaussian", 0.5), ColumnKernel("nearest")]
    weigher = ProductKernel(reference, kernels, rng.uniform(1.0, 2.0, 30))
    others, column = weigher.split(0)
    query = np.array([[0.3, 1.0], [2.0, 0.0]])
    product = others.log_kernel(query[:, 1:])
    product = product + column.log_kernel(query[:, :1], column.values)
    np.testing.assert_allclose(product, weigher.log_kernel(query))
    assert weigher.split(1) is None
