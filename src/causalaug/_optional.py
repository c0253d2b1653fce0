"""Optional dependencies: imported where they are used, their absence explained."""

from importlib import import_module
from types import ModuleType

from causalaug.exceptions import MissingDependencyError


def import_optional(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or raise an error with the install line of its extra."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise MissingDependencyError(
            f"{purpose} needs {module!r}, which is not installed. "
            f'Install it with: pip install "causalaug[{extra}]"'
        ) from error
