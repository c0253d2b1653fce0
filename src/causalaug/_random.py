"""What may seed a computation, and the generator that it becomes."""

import numpy as np

from causalaug.exceptions import ParameterError

RandomState = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None


def make_generator(random_state: RandomState) -> np.random.Generator:
    """Return the generator for a `random_state`, or raise if it cannot be one."""
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
