"""Files that are not there: what to say, and what may have been meant."""

import os
from difflib import get_close_matches
from pathlib import Path

from causalaug.exceptions import DataNotFoundError


def check_input(path: Path, what: str) -> None:
    """Raise unless there is a file to be read; `what` opens the message, as in "A table"."""
    if path.is_dir():
        raise DataNotFoundError(
            f"{what} must be a file. Found a folder: {str(path)!r}. Name a file in it."
        )
    if not path.exists():
        raise DataNotFoundError(f"{what} must be a file. Found none: {str(path)!r}. {_near(path)}")


def _near(path: Path) -> str:
    """Return a question about a file whose name is close, or advice."""
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {str(folder)!r} either."
    close = get_close_matches(path.name, sorted(os.listdir(folder)), n=1)
    return f"Did you mean {str(folder / close[0])!r}?" if close else "Correct the path."
