"""Several fits of one factor as one density: it is their mean, however it is asked."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
from causalaug.densities import MixedDensity, NoiseDensity, mix_draws
from causalaug.exceptions import ParameterError


def noisy_line(slope, noise=1.0):
    """Return the density of noise around a line, fitted to rows of it."""
    x = np.linspace(-2.0, 2.0, 40)
    away = np.random.default_rng(int(10 * noise)).normal(size=40)
    frame = pd.DataFrame({"x": x, "y": slope * x + noise * away})
    model = ca.fit_model(frame, "x -> y", ca.ResidualConditional())
    return model.densities[1]


LINES = tuple(noisy_line(slope, noise) for slope, noise in ((1.0, 0.5), (1.5, 1.0), (-0.5, 0.3)))


def mean_of(parts):
    """Return the mean of densities that have one pillow."""
    columns = (np.arange(1),) * len(parts)
    return MixedDensity(tuple(parts), np.full(len(parts), 1.0 / len(parts)), columns)


def with_holes(n_rows=60, seed=0):
    """Return rows of a chain, a fifth of the cells of two columns missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    y = x + 0.5 * rng.normal(size=n_rows)
    z = y + 0.5 * rng.normal(size=n_rows)
    frame = pd.DataFrame({"w": rng.normal(size=n_rows), "x": x, "y": y, "z": z})
    holes = rng.random((n_rows, 2)) < 0.2
    return frame.assign(y=frame["y"].mask(holes[:, 0]), z=frame["z"].mask(holes[:, 1]))


@given(st.integers(1, 3), st.integers(0, 50))
def test_the_density_is_the_mean_of_the_densities(n_parts, seed):
    rng = np.random.default_rng(seed)
    values, pillow = rng.normal(size=5), rng.normal(size=(5, 1))
    mixed = mean_of(LINES[:n_parts])
    found = np.exp(mixed.log_density(values, pillow))
    each = [np.exp(part.log_density(values, pillow)) for part in LINES[:n_parts]]
    np.testing.assert_allclose(found, np.mean(each, axis=0))


def test_a_value_that_one_part_rules_out_has_the_mass_of_the_others():
    never = pd.DataFrame({"x": [0.0] * 6})
    constant = ca.fit_model(never, "x").densities[0]
    nothing = (np.arange(0),) * 2
    pair = MixedDensity((constant, constant), np.full(2, 0.5), nothing)
    found = pair.log_density(np.array([0.0, 1.0]), np.empty((2, 0)))
    np.testing.assert_array_equal(found, [0.0, -np.inf])


def test_all_questions_to_noise_have_one_answer():
    rng = np.random.default_rng(0)
    mixed, values = mean_of(LINES), rng.normal(size=6)
    pillow, points = rng.normal(size=(6, 1)), rng.normal(size=(6, 4))
    rows = np.arange(6)
    along = mixed.along(values, pillow, 0)(rows, points)
    one_by_one = [mixed.log_density(values, points[:, [number]]) for number in range(4)]
    np.testing.assert_allclose(along, np.column_stack(one_by_one))
    given = mixed.given(pillow)(rows, points)
    np.testing.assert_allclose(given, mixed.log_density(points, pillow))


def test_draws_follow_the_mean():
    even = (np.arange(30_000) + 0.5) / 30_000
    pillow = np.full((len(even), 1), 1.5)
    drawn = mean_of(LINES).draw(pillow, even)
    below = [np.mean(part.draw(pillow, even) < 1.0) for part in LINES]
    assert np.mean(drawn < 1.0) == pytest.approx(np.mean(below), abs=1e-3)
    centre = mean_of(LINES).centre(pillow[:1])
    assert drawn.mean() == pytest.approx(centre[0], abs=0.01)


def test_the_cover_reaches_as_far_as_that_of_each_part():
    pillow = np.array([[-1.0], [2.0]])
    covers = np.array([part.cover(pillow, 9) for part in LINES])
    found = mean_of(LINES).cover(pillow, 9)
    assert found.shape == (2, 9)
    assert (np.diff(found, axis=1) >= 0.0).all()
    np.testing.assert_array_equal(found[:, 0], covers.min(axis=(0, 2)))
    np.testing.assert_array_equal(found[:, -1], covers.max(axis=(0, 2)))


def test_levels_go_by_the_last_draw():
    frames = [pd.DataFrame({"x": list(labels) * 4}) for labels in ("aab", "abb")]
    parts = [ca.fit_model(frame, "x").densities[0] for frame in frames]
    assert mix_draws(parts, 0) is parts[-1]


def test_only_fits_with_the_same_atoms_are_averaged():
    dose = pd.DataFrame({"x": [0.0] * 10 + [1.3, 2.2, 0.7, 4.1, 3.3]})
    number = pd.DataFrame({"x": [0.1, 0.4, 1.3, 2.2, 0.7, 4.1, 3.3]})
    label = pd.DataFrame({"x": list("abab")})
    edge, plain, levels = (ca.fit_model(frame, "x").densities[0] for frame in (dose, number, label))
    assert mix_draws([edge, plain], 0) is plain
    assert mix_draws([plain, edge], 0) is edge
    assert mix_draws([levels, plain], 0) is plain
    assert mix_draws([plain, levels], 0) is levels
    alike = [edge, edge, ca.fit_model(dose, "x").densities[0]]
    assert isinstance(mix_draws(alike, 0), MixedDensity)


def test_a_refined_model_is_the_mean_over_its_draws():
    frame = with_holes()
    model = ca.fit_model(frame, "w; x -> y -> z", "auto")
    refined = model.refined(2, 0, draws=3)
    alone = [replace(each, earlier=()) for each in (*refined.earlier, refined)]
    assert len(alone) == 3
    asked = frame.dropna().reset_index(drop=True)
    each = [np.exp(one.log_density(asked)) for one in alone]
    np.testing.assert_allclose(np.exp(refined.log_density(asked)), np.mean(each, axis=0))
    missing = model.table.missing
    for one, other in pairwise(alone):
        np.testing.assert_array_equal(one.table.values[~missing], other.table.values[~missing])
        assert (one.table.values[missing] != other.table.values[missing]).all()


def test_factors_without_holes_are_those_of_the_first_fit():
    frame = with_holes()
    model = ca.fit_model(frame, "w; x -> y -> z", "auto")
    refined = model.refined(random_state=0)
    for name in ("w", "x"):
        number = model.order.index(name)
        assert refined.fitted[number] is model.fitted[number]
        assert not isinstance(refined.densities[number], MixedDensity)
    pd.testing.assert_frame_equal(
        refined.log_density(frame)[["w", "x"]], model.log_density(frame)[["w", "x"]]
    )
    assert isinstance(refined.densities[model.order.index("y")], MixedDensity)


def test_more_draws_depend_less_on_the_seed():
    frame = with_holes(40)
    model = ca.fit_model(frame, "w; x -> y -> z", ca.ResidualConditional())
    asked = pd.DataFrame({"w": 0.0, "x": [-1.0, 0.0, 2.0], "z": [0.0, 1.0, 3.0]})

    def spread(draws):
        said = [model.refined(2, seed, draws=draws).predict("y", asked).mean for seed in range(6)]
        return np.var(said, axis=0).mean()

    assert spread(8) < 0.5 * spread(1)


def test_one_draw_is_asked_as_before():
    model = ca.fit_model(with_holes(), "w; x -> y -> z", ca.ResidualConditional())
    assert model.refined(1, 0, draws=1).earlier == ()
    assert isinstance(model.refined(1, 0, draws=1).densities[2], NoiseDensity)
    assert model.refined(0, 0) is model


def test_the_number_of_draws_must_be_one():
    with pytest.raises(ParameterError, match="`draws` must be"):
        ca.fit_model(with_holes(), "w; x -> y -> z").refined(draws=0)
