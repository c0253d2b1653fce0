"""Budget and sampling are right on average: means over many seeds against exact weights."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.expansion import _budget
from strategies import Problem, by_values


def make_problem(kernel):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "a": [0.0, 0.0, 1.0, 2.0, 2.5],
            "b": np.round(rng.normal(size=5), 1),
            "c": [1.0, 1.0, 2.0, 1.0, 2.0],
            "d": rng.normal(size=5),
        }
    )
    graph = ca.read_graph("a -> b; a -> c; {b, c} -> d; b <-> c")
    conditional = ca.KernelConditional(kernel=kernel, bandwidth=0.7)
    return Problem(frame, graph, graph.topological_order(), conditional)


@pytest.fixture(scope="module")
def problem():
    """Mixed kinds, ties and a hidden common cause; 4 columns, 5 rows."""
    return make_problem({"c": "identity"})


@pytest.fixture(scope="module")
def smooth_problem():
    """The same with kernels that never vanish: no path can end early, and all know it."""
    return make_problem("gaussian")


@pytest.fixture(scope="module")
def problem_with_dead_ends():
    """Values of b and c that were never seen together leave no choice for d."""
    frame = pd.DataFrame(
        {
            "a": [0.0, 0.1, 1.0, 2.0, 2.5],
            "b": [0.0, 0.0, 1.0, 1.0, 2.0],
            "c": [0.0, 1.0, 0.0, 1.0, 2.0],
            "d": [0.3, -1.0, 0.8, 2.0, 1.1],
        }
    )
    graph = ca.read_graph("a -> b; {b, c} -> d")
    kernel = {"b": "identity", "c": "identity"}
    conditional = ca.KernelConditional(kernel=kernel, bandwidth=0.7)
    return Problem(frame, graph, graph.topological_order(), conditional)


EXPANSIONS = [
    ca.BudgetExpansion(3),
    ca.BudgetExpansion(12),
    ca.BudgetExpansion(40),
    ca.BudgetExpansion(12, merge_equal=False),
    ca.SampledExpansion(8),
]


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=str)
def test_mean_weights_are_the_exact_weights(problem, expansion):
    check_means(problem, expansion, n_seeds=3000)


@pytest.mark.parametrize("rows", [12, 40])
def test_they_are_where_no_path_can_end(smooth_problem, rows):
    check_means(smooth_problem, ca.BudgetExpansion(rows), n_seeds=1500)


@pytest.mark.parametrize("merge_equal", [True, False])
def test_they_are_where_light_paths_are_not_looked_at(merge_equal, monkeypatch):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(np.round(rng.normal(size=(9, 3)), 1), columns=list("abc"))
    graph = ca.read_graph("a -> b; {a, b} -> c")
    conditional = ca.KernelConditional(kernel="gaussian", bandwidth=1.0)
    problem = Problem(frame, graph, graph.topological_order(), conditional)
    left_out = set()
    resample = _budget._resample

    def noted(frontier, level, listed, *others):
        left_out.add(len(frontier) - len(listed))
        return resample(frontier, level, listed, *others)

    monkeypatch.setattr(_budget, "_resample", noted)
    expansion = ca.BudgetExpansion(40, merge_equal=merge_equal)
    check_means(problem, expansion, n_seeds=3000)
    assert max(left_out) >= 10
    for seed in range(100):
        rows = problem.augment(expansion, seed).rows
        assert len(np.unique(rows, axis=0)) == len(rows) == 40


@pytest.mark.parametrize("rows", [12, 40])
def test_paths_that_end_take_only_their_own_weight_with_them(problem_with_dead_ends, rows):
    check_means(problem_with_dead_ends, ca.BudgetExpansion(rows), n_seeds=1500)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["problem", "smooth_problem", "problem_with_dead_ends"])
@pytest.mark.parametrize("expansion", EXPANSIONS, ids=str)
def test_mean_weights_are_the_exact_weights_over_many_seeds(name, expansion, request):
    check_means(request.getfixturevalue(name), expansion, n_seeds=30_000)


def check_means(problem, expansion, n_seeds):
    exact = problem.exact_values()
    model, columns = problem.fit(), np.arange(problem.table.n_columns)
    number = {values: k for k, values in enumerate(exact)}
    weights = np.zeros((n_seeds, len(exact)))
    for seed in range(n_seeds):
        paths = expansion.expand(model, np.random.default_rng(seed))
        cells = map(tuple, model.table.values[paths.rows, columns].tolist())
        np.add.at(weights[seed], [number[values] for values in cells], paths.weights)
    mean, error = weights.mean(axis=0), weights.std(axis=0) / np.sqrt(n_seeds) + 1e-9
    expected = np.array(list(exact.values()))
    common = expected > 20 / n_seeds * mean.max()
    z = ((mean - expected) / error)[common]
    assert len(z) > 10
    assert np.abs(z).max() < 4.5
    assert np.mean(z**2) < 1.0 + 4.0 * spread_of_mean_square(weights[:, common])
    total = weights.sum(axis=1)
    spread = 4 * total.std() / np.sqrt(n_seeds) + 1e-9
    assert mean.sum() == pytest.approx(expected.sum(), abs=spread)


def spread_of_mean_square(weights):
    """Return the standard deviation of the mean of squared z-scores; they are correlated."""
    varies = weights.std(axis=0) > 0.0
    correlations = np.corrcoef(weights[:, varies], rowvar=False)
    return np.sqrt(2.0 * np.square(correlations).sum()) / weights.shape[1]


def test_a_budget_has_less_variance_than_as_many_independent_draws(problem):
    exact = problem.exact_values()

    def mean_square_error(expansion):
        errors = []
        for seed in range(300):
            found = by_values(problem.augment(expansion, seed))
            errors.append(sum((found.get(v, 0.0) - w) ** 2 for v, w in exact.items()))
        return np.mean(errors)

    assert mean_square_error(ca.BudgetExpansion(30)) < 0.5 * mean_square_error(
        ca.SampledExpansion(30)
    )


def test_paths_of_equal_weight_do_not_all_go_the_same_way():
    n = 40
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 3)), columns=list("abc"))
    rows = ca.augment(
        frame, ca.ADMG(list("abc")), expansion=ca.BudgetExpansion(10 * n), random_state=0
    ).rows
    for column in rows.T:
        assert len(np.unique(column)) == n
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        pairs = np.unique(rows[:, [one, other]], axis=0)
        assert len(pairs) > 7 * n
