"""Objects as text that is the same in every run."""

import re

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object is in memory, as Python tells it of functions and of objects without a repr."""


def steady_repr(value: object) -> str:
    """Return what `repr` says of an object, on one line, but not where it is in memory.

    >>> steady_repr({"key": steady_repr})
    "{'key': <function steady_repr>}"
    """
    return " ".join(ADDRESS.sub("", repr(value)).split())
