"""The default learner: histogram boosting, sized to the table."""

from typing import Any

SMALL_TABLE = 2000
"""Up to so many rows the small size is the better one, and several times as fast."""


def boosting_parameters(n_rows: int) -> dict[str, Any]:
    """Return the parameters of scikit-learn's histogram boosting for a table of so many rows.

    Early stopping would hold rows out of few, and at random.

    >>> boosting_parameters(60)
    {'max_leaf_nodes': 8, 'max_iter': 60, 'min_samples_leaf': 5, 'early_stopping': False}
    >>> boosting_parameters(100_000)
    {'early_stopping': False}
    """
    if n_rows > SMALL_TABLE:
        return {"early_stopping": False}
    size = {"max_leaf_nodes": 8, "max_iter": 60, "min_samples_leaf": 5}
    return {**size, "early_stopping": False}
