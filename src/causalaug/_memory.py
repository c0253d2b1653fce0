"""How much memory a process may use."""

import os

try:
    import resource
except ImportError:  # pragma: no cover  (Windows)
    resource = None  # type: ignore[assignment]


def memory_of_process() -> float:
    """Return the bytes that this process could have: the machine's, or a limit of its own.

    Infinite where the system does not say.
    """
    limits = [float("inf")]
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        limits.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    if resource is not None:
        limits.append(float(resource.getrlimit(resource.RLIMIT_AS)[0]))
    # A limit that there is none is told by a number that is not positive.
    return min(limit for limit in limits if limit > 0)
