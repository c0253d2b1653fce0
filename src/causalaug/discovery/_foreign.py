"""The door to other libraries: they are loaded late, kept quiet, and their errors explained."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from types import ModuleType

from causalaug._optional import import_optional
from causalaug.exceptions import TableError


def load(module: str, method: str) -> ModuleType:
    """Import a module of the extra for discovery."""
    with _silence():
        return import_optional(
            module, extra="discovery", purpose=f"The method {method!r} of `discover`"
        )


@contextmanager
def foreign_work(method: str) -> Iterator[None]:
    """Keep a library from printing and warning, and say in our words that it failed."""
    try:
        with _silence():
            yield
    except (ArithmeticError, AssertionError, LookupError, ValueError) as error:
        raise TableError(
            f"The data must be such that the method {method!r} can work on them. It stopped with: "
            f"{error}. Look for columns that are nearly constant or nearly copies of others, or "
            "try another method."
        ) from error


@contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        yield
