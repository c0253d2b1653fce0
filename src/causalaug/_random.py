"""From what users call a seed to one generator, resolved once."""

import numpy as np

from causalaug.exceptions import ParameterError

RandomState = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return the generator that a seed stands for.

    >>> bool(as_generator(0).integers(100) == as_generator(0).integers(100))
    True
    """
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


def new_seed(rng: np.random.Generator) -> int:
    """Return an integer that other libraries take for a seed."""
    return int(rng.integers(2**31))


def as_seed(random_state: RandomState) -> int:
    """Return one integer that stands for all that will be drawn.

    An integer is itself; anything else is asked for a number of 128 bits.

    >>> as_seed(5), as_seed(None) != as_seed(None)
    (5, True)
    """
    rng = as_generator(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int.from_bytes(rng.bytes(16), "little")


def block_generator(seed: int, block: int, n_blocks: int) -> np.random.Generator:
    """Return the generator of one block of a job; a single block has that of the seed itself.

    >>> bool(block_generator(0, 0, 1).integers(100) == as_generator(0).integers(100))
    True
    """
    if n_blocks == 1:
        return np.random.default_rng(seed)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
