"""Hostile tables: what a learner predicts inside the rows and far outside is never absurd."""

from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from fuzz.cases import FoundError
from hostile_tables import absurdities, draw_table

N_TEST = 200


def predicts_sanely(rng):
    """Ask the graph's own model."""
    _ask(rng, lambda graph, n_rows: ca.GraphRegressor(graph))


def blends_sanely(rng):
    """Ask a blend around ridge regression, or around boosting."""
    ridge = make_pipeline(StandardScaler(), Ridge())
    boosting = HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=5, early_stopping=False)
    learner = rng.choice([ridge, boosting])
    _ask(
        rng,
        lambda graph, n_rows: ca.AugmentedRegressor(
            learner, graph=graph, expansion=ca.BudgetExpansion(2 * n_rows), random_state=0
        ),
    )


def _ask(rng, make):
    n_rows = rng.randint(10, 80)
    graph, target, frame = draw_table(rng.randrange(2**32), n_rows + N_TEST)
    X, y = frame.drop(columns=target), frame[target]
    rows = X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:].to_numpy()
    found = absurdities(make(graph, n_rows), *rows)
    if found:
        raise FoundError("; ".join(found))
