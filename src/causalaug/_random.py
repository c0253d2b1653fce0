"""Seeds: whatever a user may pass as `random_state` becomes one generator."""

import numpy as np

from causalaug.exceptions import ParameterError

RandomState = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return the generator that `random_state` stands for, or raise."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    try:
        if isinstance(random_state, bool):
            raise TypeError
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "`random_state` must be None, a non-negative integer, a Generator, a RandomState "
            f"or a SeedSequence. Found {random_state!r}."
        ) from error
