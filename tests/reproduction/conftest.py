"""A cluster as the tests of the engine have it, and pictures that are closed."""

import matplotlib.pyplot as plt
import pytest

from engine.conftest import client, cluster  # noqa: F401  fixtures


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")
