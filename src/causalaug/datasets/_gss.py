"""Status attainment in the General Social Survey: from a user's file, or rebuilt by rule.

The rows of Shimizu et al. (2011) have not been published. What stands here is a re-creation
from the survey by the rules below; it need not agree with theirs row by row.
"""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from causalaug._validation import check_bool
from causalaug.datasets._bundled import read_graph_of, scaled
from causalaug.datasets._dataset import Dataset
from causalaug.exceptions import DataNotFoundError, TableError

ENVIRONMENT = "CAUSALAUG_DATA"
COLUMNS = {
    "v1": "pasei",  # father's occupation, socio-economic index
    "v2": "realrinc",  # son's income in constant dollars
    "v3": "paeduc",  # father's years of school
    "v4": "sei",  # son's occupation, socio-economic index
    "v5": "educ",  # son's years of school
    "v6": "sibs",  # number of siblings
}
# Releases differ: some have true gaps, some have codes such as 99 beyond these limits.
LIMITS = {
    "pasei": (1.0, 99.0),
    "realrinc": (1.0, 900_000.0),
    "paeduc": (0.0, 20.0),
    "sei": (1.0, 99.0),
    "educ": (0.0, 20.0),
    "sibs": (0.0, 90.0),
}
FARMERS = {
    "paocc80": (*range(473, 478), 479),
    "paocc16": (801, 802, 806, *range(821, 827)),
    "paind80": (10, 11),
    "paind16": (17, 18),
}
WHO = ("year", "age", "sex", "race", "wrkstat")
LAST_YEAR = 2006
_ORIGIN = (
    "Status attainment of white men aged 35 to 44 in the General Social Survey up to 2006: a "
    "re-creation of the rows of Shimizu et al. (2011), which have not been published. v1 father's "
    "occupation, v2 income, v3 father's education, v4 occupation, v5 education, v6 siblings. "
    "The graph is the model of Duncan, Featherman and Duncan (1972)."
)


def fetch_gss(data_home: str | os.PathLike[str] | None = None, *, raw: bool = False) -> Dataset:
    """Read status attainment in the General Social Survey: columns v1 to v6, target v4.

    The survey is not bundled, and nothing is downloaded. Either put a table of your own into
    a folder, as ``gss.csv`` with the columns v1 to v6; or put the yearly Stata files of NORC
    there, as ``*.dta`` or, all of them, as the ``*.zip`` that they come in. Then the table is
    rebuilt: white men aged 35 to 44, working full or part time, surveyed up to
    2006, whose father was no farmer, with no gap in the six columns.

    Parameters
    ----------
    data_home : str or path, optional
        The folder. By default the one that the environment variable ``CAUSALAUG_DATA`` names,
        else ``causalaug_data`` in your home folder.
    raw : bool, optional
        Whether to leave the values as they are. By default every column gets mean 0 and
        (population) standard deviation 1.

    Returns
    -------
    Dataset
        The rows with the graph of the status attainment model, which has three bidirected
        edges. Rebuilt rows are a re-creation: the original ones have not been published.

    Examples
    --------
    >>> fetch_gss("no/such/folder")
    Traceback (most recent call last):
    causalaug.exceptions.DataNotFoundError: The survey must be in a folder of yours. Found ...
    """
    check_bool("raw", raw)
    home = _home(data_home)
    own = home / "gss.csv"
    yearly = _with_suffix(home, ".dta") or _with_suffix(home, ".zip")
    if own.is_file():
        frame, origin = _read_own(own), "Read from a file of the user."
    elif yearly:
        frame = recreate(pd.concat(map(_only_needed, _years(yearly)), ignore_index=True))
        origin = f"Rebuilt from {len(yearly)} files of the survey."
    else:
        raise DataNotFoundError(
            f"The survey must be in a folder of yours. Found neither 'gss.csv' nor a Stata file "
            f"in {str(home)!r}. Get the yearly Stata files from gss.norc.org, put them there, or "
            f"name another folder by `data_home` or the environment variable {ENVIRONMENT}."
        )
    description = f"{_ORIGIN} {origin}"
    return Dataset(frame if raw else scaled(frame), read_graph_of("gss"), "v4", description)


def recreate(survey: pd.DataFrame) -> pd.DataFrame:
    """Return the columns v1 to v6 of the men that the rules select, in the order of the survey.

    The survey has lower-case names; a column that some year lacks is a gap in that year.
    """
    survey = survey.reindex(columns=[*WHO, *LIMITS, *FARMERS])
    chosen = (
        (survey["year"] <= LAST_YEAR)
        & survey["age"].between(35, 44)
        & (survey["sex"] == 1)
        & (survey["race"] == 1)
        & survey["wrkstat"].isin([1, 2])
    )
    for name, limits in LIMITS.items():
        chosen &= survey[name].between(*limits)
    for name, codes in FARMERS.items():
        chosen &= ~survey[name].isin(codes)
    if not chosen.any():
        raise TableError(
            f"The survey must have men that the rules select. Found none in {len(survey)} rows. "
            f"Check that the files reach back before {LAST_YEAR} and have the columns "
            f"{[*WHO, *LIMITS]}."
        )
    kept = survey.loc[chosen, list(COLUMNS.values())].astype(np.float64)
    return kept.set_axis(list(COLUMNS), axis="columns").reset_index(drop=True)


def _home(data_home: str | os.PathLike[str] | None) -> Path:
    if data_home is not None:
        return Path(data_home).expanduser()
    named = os.environ.get(ENVIRONMENT)
    return Path(named).expanduser() if named else Path.home() / "causalaug_data"


def _with_suffix(home: Path, suffix: str) -> list[Path]:
    paths = home.iterdir() if home.is_dir() else ()
    return sorted(path for path in paths if path.suffix.lower() == suffix)


def _read_own(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path)
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise TableError(
            f"{str(path)!r} must have the columns {list(COLUMNS)}. Missing: {missing}. "
            f"Found {list(map(str, frame.columns))}. Rename them."
        )
    return frame[list(COLUMNS)].astype(np.float64)


def _years(paths: list[Path]) -> Iterator[pd.DataFrame]:
    """Yield the content of each Stata file, zipped or not."""
    for path in paths:
        if path.suffix.lower() == ".dta":
            yield _read_stata(path)
            continue
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.namelist()):
                if member.lower().endswith(".dta"):
                    with archive.open(member) as file:
                        yield _read_stata(file)


def _read_stata(source: Path | IO[bytes]) -> pd.DataFrame:
    return pd.read_stata(source, convert_categoricals=False)


def _only_needed(year: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that the rules look at, under lower-case names, as floats."""
    lower = year.rename(columns=str.lower)
    needed = [name for name in (*WHO, *LIMITS, *FARMERS) if name in lower.columns]
    return lower[needed].astype(np.float64)
