"""The real tables by name."""

from collections.abc import Callable, Mapping

from causalaug._validation import typing_slips
from causalaug.datasets._bundled import (
    load_auto_mpg,
    load_boston_housing,
    load_red_wine,
    load_sachs,
    load_white_wine,
)
from causalaug.datasets._dataset import Dataset
from causalaug.datasets._gss import fetch_gss
from causalaug.exceptions import ParameterError

_LOADERS: Mapping[str, Callable[[], Dataset]] = {
    "auto_mpg": load_auto_mpg,
    "boston_housing": load_boston_housing,
    "gss": fetch_gss,
    "red_wine": load_red_wine,
    "sachs": load_sachs,
    "white_wine": load_white_wine,
}


def list_datasets() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows, sorted: the six tables of the paper.

    Examples
    --------
    >>> list_datasets()
    ('auto_mpg', 'boston_housing', 'gss', 'red_wine', 'sachs', 'white_wine')
    """
    return tuple(sorted(_LOADERS))


def load_dataset(name: str) -> Dataset:
    """Load a table by its name.

    Parameters
    ----------
    name : str
        One of `list_datasets`. All are bundled but ``"gss"``, which needs files of yours; see
        `fetch_gss`.

    Returns
    -------
    Dataset
        What the loader of that name returns.

    Examples
    --------
    >>> load_dataset("auto_mpg").target
    'mpg'
    """
    if name not in _LOADERS:
        raise ParameterError(
            f"There is no data set {name!r}. "
            + typing_slips([str(name)], _LOADERS)
            + f"The names are {list(list_datasets())}."
        )
    return _LOADERS[name]()
