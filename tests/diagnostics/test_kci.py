"""The kernel test is that of causal-learn; what we hand over and take back is ours."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.exceptions import MissingDependencyError

GRAPH = ca.read_graph("cause -> effect; cause -> group; other")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    cause, other = rng.normal(size=(2, 80))
    group = np.where(cause + rng.normal(size=80) > 0.0, "high", "low")
    return pd.DataFrame(
        {"cause": cause, "effect": cause + rng.normal(size=80), "group": group, "other": other}
    )


def test_without_causal_learn_the_error_has_the_install_line(frame, monkeypatch):
    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name == "causallearn":
                raise ModuleNotFoundError(name=name)

    for name in [name for name in sys.modules if name.partition(".")[0] == "causallearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Blocker(), *sys.meta_path])
    message = (
        "^The test 'kci' of `check_graph` needs 'causallearn.utils.KCI.KCI', which is not "
        r'installed. Install it with: pip install "causalaug\[kci\]"$'
    )
    with pytest.raises(MissingDependencyError, match=message):
        ca.check_graph(frame, GRAPH, test="kci")


@pytest.fixture
def calls(monkeypatch):
    """Put a stand-in in the place of causal-learn, and return what it was asked."""
    asked = []

    class Conditional:
        def compute_pvalue(self, x, y, z):
            asked.append((x.shape, y.shape, z.shape))
            return 0.25, 3.0

    class Unconditional:
        def compute_pvalue(self, x, y):
            asked.append((x.shape, y.shape))
            return 0.0001, 9.0

    for name in ("causallearn", "causallearn.utils", "causallearn.utils.KCI"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    module = ModuleType("causallearn.utils.KCI.KCI")
    module.KCI_CInd, module.KCI_UInd = Conditional, Unconditional
    monkeypatch.setitem(sys.modules, "causallearn.utils.KCI.KCI", module)
    return asked


def test_pillows_are_handed_over_and_figures_come_back(frame, calls):
    check = ca.check_graph(frame, GRAPH, test="kci")
    assert set(check.frame["test"]) == {"kci"}
    told = {(row.variable, row.independent_of): row for row in check}
    assert told["group", "effect"].p_value == 0.25
    assert told["group", "effect"].statistic == 3.0
    assert told["other", "cause"].verdict == "violated"
    assert sorted(calls, key=len) == [((80, 1), (80, 1))] * 3 + [((80, 1), (80, 1), (80, 1))]


def test_what_cannot_be_told_is_not_asked(frame, calls):
    check = ca.check_graph(frame.assign(other=1.0), GRAPH, test="kci")
    still = check.frame[check.frame["variable"] == "other"]
    assert set(still["reason"]) == {"nothing varies once the pillow is held fixed"}
    assert len(calls) == 1
    few = ca.check_graph(frame[:10], GRAPH, test="kci")
    assert few.verdict == "cannot tell"
    assert len(calls) == 1


def test_a_constant_pillow_is_not_handed_over(frame, calls):
    ca.check_graph(
        frame.assign(cause=1.0), ca.read_graph("cause -> {effect, other}; group"), test="kci"
    )
    assert {len(asked) for asked in calls} == {2}


@pytest.mark.filterwarnings("default")
def test_the_real_one_finds_what_no_covariance_shows():
    pytest.importorskip("causallearn")
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    frame = pd.DataFrame({"x": x, "y": np.square(x) + 0.5 * rng.normal(size=150)})
    graph = ca.ADMG(["x", "y"])
    assert ca.check_graph(frame, graph, test="kci").verdict == "violated"
    assert ca.check_graph(frame, graph).verdict == "not rejected"
