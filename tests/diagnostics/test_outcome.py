import numpy as np
import pytest
from scipy import stats

from causalaug.diagnostics._independence import rows_needed, too_few


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("degrees", [1, 4, 60])
def test_the_rows_needed_find_a_large_effect_every_other_time(degrees, level):
    rows = rows_needed(degrees, level)
    critical = stats.chi2.isf(level, degrees)
    assert stats.ncx2.sf(critical, degrees, 0.25 * rows) >= 0.5
    assert stats.ncx2.sf(critical, degrees, 0.25 * (rows - 1)) < 0.5


def test_a_correlation_of_a_half_is_found_every_other_time():
    rng = np.random.default_rng(0)
    rows = rows_needed(1, 0.05)
    x = rng.normal(size=(1000, rows))
    y = 0.5 * x + np.sqrt(0.75) * rng.normal(size=x.shape)
    p_values = [stats.pearsonr(*pair).pvalue for pair in zip(x, y, strict=True)]
    assert 0.4 <= np.mean(np.array(p_values) <= 0.05) <= 0.65


def test_the_reason_names_what_there_is_and_what_it_takes():
    assert too_few(15.9, 16) == "rows to go by: 15, needed: 16"
    assert too_few(-3.0, 16) == "rows to go by: 0, needed: 16"
    assert too_few(16.0, 16) == ""
