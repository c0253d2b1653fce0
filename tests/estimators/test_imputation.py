"""Missing cells of plain learners."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.impute import KNNImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from causalaug.estimators._preprocessing import FilledIn, is_filled_in, takes_holes, with_holes
from causalaug.evaluation._rivals import plain_learners

LIBRARIES = [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas]


def mixed():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    frame = pd.DataFrame(
        {
            "x": x,
            "y": 2.0 * x + 0.01 * rng.normal(size=80),
            "count": pd.array(np.arange(80) % 12, dtype="Int64"),
            "town": ["here", "here", "there", "nowhere"] * 20,
            "day": pd.date_range("2024-01-01", periods=80),
            "wet": pd.array([True, False] * 40, dtype="boolean"),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.2)


@pytest.mark.parametrize("convert", LIBRARIES)
def test_nothing_is_missing_afterwards_and_what_was_there_stays(convert):
    frame = mixed()
    filled = FilledIn().fit(convert(frame)).transform(convert(frame))
    assert type(filled) is type(convert(frame))
    filled = filled if isinstance(filled, pd.DataFrame) else filled.to_pandas()
    assert list(filled) == list(frame)
    assert not filled.isna().any(axis=None)
    for name in frame:
        there = frame[name].notna()
        assert filled[name][there].tolist() == frame[name][there].tolist()


def test_numbers_follow_the_other_numbers():
    frame = mixed()
    filled = FilledIn().fit(frame).transform(frame)
    only_y = frame["y"].isna() & frame["x"].notna()
    assert only_y.any()
    np.testing.assert_allclose(filled["y"][only_y], 2.0 * frame["x"][only_y], atol=0.1)


def test_other_cells_are_the_most_common_of_the_training_rows():
    step = FilledIn().fit(pd.DataFrame({"town": ["here", "there", "there", None]}))
    asked = pd.DataFrame({"town": [None, "here"]})
    assert step.transform(asked)["town"].tolist() == ["there", "here"]


def test_a_column_that_is_never_there_is_no_obstacle():
    empty = pd.DataFrame({"x": [np.nan, np.nan, np.nan], "y": [1.0, 2.0, np.nan]})
    assert not FilledIn().fit(empty).transform(empty).isna().any(axis=None)


def test_dates_are_filled_in_by_dates():
    days = pd.DataFrame({"day": pd.to_datetime(["2024-02-29", None, "2024-02-29", "2024-03-01"])})
    assert FilledIn().fit(days).transform(days)["day"][1] == dt.datetime(2024, 2, 29)


@pytest.mark.parametrize(
    ("learner", "takes"),
    [
        (Ridge(), False),
        (LogisticRegression(), False),
        (HistGradientBoostingClassifier(), True),
        (RandomForestRegressor(), True),
        (make_pipeline(StandardScaler(), HistGradientBoostingClassifier()), True),
        (make_pipeline(StandardScaler(), Ridge()), False),
        (make_pipeline("passthrough", Ridge()), False),
        (make_pipeline(KNNImputer(), Ridge()), True),
        (make_pipeline(make_pipeline(KNNImputer(), StandardScaler()), Ridge()), True),
        (make_pipeline(make_pipeline(StandardScaler()), Ridge()), False),
    ],
)
def test_learners_that_take_missing_cells_are_given_them(learner, takes):
    assert takes_holes(learner) is takes
    assert is_filled_in(with_holes(learner)) is not takes
    frame = mixed()[["x", "y"]]
    labels = np.arange(80) % 2
    fitted = with_holes(learner).fit(frame, labels)
    assert len(fitted.predict(frame)) == 80


@pytest.mark.parametrize("convert", LIBRARIES[:2])
@pytest.mark.parametrize("classification", [True, False])
def test_every_plain_learner_can_be_fitted_to_holes(convert, classification, monkeypatch):
    monkeypatch.setattr("causalaug.evaluation._rivals.N_TREES", 3)
    frame = convert(mixed())
    labels = np.arange(80) % 3 if classification else np.arange(80.0)
    for rival in plain_learners(frame, classification=classification, blanket=["x"]).values():
        assert len(with_holes(rival).fit(frame, labels).predict(frame)) == 80
