"""The real tables: five come with the package, the General Social Survey is read from your files.

The rows of Shimizu et al. (2011) have not been published. What `fetch_gss` makes is a re-creation
from the survey by rule; it need not agree with theirs row by row.
"""

import gzip
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from causalaug._validation import check_bool, typing_slips
from causalaug.datasets._dataset import Dataset
from causalaug.exceptions import DataNotFoundError, ParameterError, TableError
from causalaug.graphs import ADMG, read_graph

_ESTIMATED = (
    "The graph is an estimate and no expert knowledge: DirectLiNGAM with the pairwise-likelihood "
    "measure, run on all rows, as in Teshima and Sugiyama (2021). It has seen your test rows."
)


@dataclass(frozen=True)
class _Source:
    """What a table needs beyond its file."""

    target: str
    description: str
    integers: tuple[str, ...] = ()
    logarithms: tuple[str, ...] = ()


_SOURCES: Mapping[str, _Source] = {
    "sachs": _Source(
        target="PKA",
        logarithms=("Raf", "Mek", "PKA"),
        description=(
            "Flow cytometry of 11 phosphorylated proteins and phospholipids in human immune "
            "cells, without intervention (Sachs et al., 2005). The graph is the consensus "
            "network of experts."
        ),
    ),
    "boston_housing": _Source(
        target="MEDV",
        integers=("CHAS",),
        description=(
            "Median house prices in 506 census tracts of Boston (Harrison and Rubinfeld, 1978). "
            "Column B codes the share of Black residents by the authors' assumption that "
            "segregation raises prices: for comparison with published results only. " + _ESTIMATED
        ),
    ),
    "auto_mpg": _Source(
        target="mpg",
        integers=("cylinders", "model_year"),
        description=(
            "City fuel consumption of 392 cars, in miles per gallon (Quinlan, 1993); cars "
            "without horsepower, the origin and the name are left out. " + _ESTIMATED
        ),
    ),
    "white_wine": _Source(
        target="quality",
        integers=("quality",),
        description=(
            "Chemistry and tasted quality of 4898 white Portuguese wines (Cortez et al., 2009). "
            + _ESTIMATED
        ),
    ),
    "red_wine": _Source(
        target="quality",
        integers=("quality",),
        description=(
            "Chemistry and tasted quality of 1599 red Portuguese wines (Cortez et al., 2009). "
            + _ESTIMATED
        ),
    ),
}


def load_sachs(*, raw: bool = False) -> Dataset:
    """Load the protein signals of Sachs et al. (2005): 853 rows, 11 columns, target PKA.

    The graph is the consensus network of experts, with 17 directed edges.

    Parameters
    ----------
    raw : bool, optional
        Whether to leave the values as they were published. By default Raf, Mek and PKA are
        replaced by their logarithms, then every column gets mean 0 and (population) standard
        deviation 1: the distances that kernels compare need a common scale.

    Returns
    -------
    Dataset
        The rows, the graph, the target and the origin of all that.

    Examples
    --------
    >>> sachs = load_sachs()
    >>> sachs
    Dataset(853 rows of Raf, Mek, Plcg, ..., Jnk; target PKA; 17 edges)

    The published values are one keyword away:

    >>> load_sachs(raw=True).frame.loc[0, ["Raf", "Mek", "PKA"]].tolist()
    [26.4, 13.2, 414.0]
    """
    return _load("sachs", raw)


def load_boston_housing(*, raw: bool = False) -> Dataset:
    """Load Boston Housing (Harrison and Rubinfeld, 1978): 506 rows, 14 columns, target MEDV.

    The graph is an estimate from these rows (DirectLiNGAM). Column B rests on an assumption
    about race that nobody should build a product on; the data are here for comparison with
    published results.

    Parameters
    ----------
    raw : bool, optional
        Whether to leave the values as they were published. By default all columns but the
        integer CHAS get mean 0 and (population) standard deviation 1.

    Returns
    -------
    Dataset
        The rows, the graph, the target and the origin of all that.

    Examples
    --------
    CHAS is an integer, hence matched exactly; RAD, an index, is a quantity:

    >>> load_boston_housing().frame[["CHAS", "RAD"]].dtypes.astype(str).tolist()
    ['int64', 'float64']
    """
    return _load("boston_housing", raw)


def load_auto_mpg(*, raw: bool = False) -> Dataset:
    """Load Auto MPG (Quinlan, 1993): 392 rows, 7 columns, target mpg.

    The graph is an estimate from these rows (DirectLiNGAM).

    Parameters
    ----------
    raw : bool, optional
        Whether to leave the values as they were published. By default all columns but the
        integers cylinders and model_year get mean 0 and (population) standard deviation 1.

    Returns
    -------
    Dataset
        The rows, the graph, the target and the origin of all that.

    Examples
    --------
    >>> load_auto_mpg().frame.dtypes.astype(str).value_counts().to_dict()
    {'float64': 5, 'int64': 2}
    """
    return _load("auto_mpg", raw)


def load_white_wine(*, raw: bool = False) -> Dataset:
    """Load the white wines of Cortez et al. (2009): 4898 rows, 12 columns, target quality.

    The graph is an estimate from these rows (DirectLiNGAM).

    Parameters
    ----------
    raw : bool, optional
        Whether to leave the values as they were published. By default all columns but the
        integer quality get mean 0 and (population) standard deviation 1.

    Returns
    -------
    Dataset
        The rows, the graph, the target and the origin of all that.

    Examples
    --------
    Quality is an integer between 0 and 10, of which tasters used the middle:

    >>> sorted(load_white_wine().y.unique().tolist())
    [3, 4, 5, 6, 7, 8, 9]
    """
    return _load("white_wine", raw)


def load_red_wine(*, raw: bool = False) -> Dataset:
    """Load the red wines of Cortez et al. (2009): 1599 rows, 12 columns, target quality.

    The graph is an estimate from these rows (DirectLiNGAM).

    Parameters
    ----------
    raw : bool, optional
        Whether to leave the values as they were published. By default all columns but the
        integer quality get mean 0 and (population) standard deviation 1.

    Returns
    -------
    Dataset
        The rows, the graph, the target and the origin of all that.

    Examples
    --------
    Many rows are equal; the table is not cleaned:

    >>> int(load_red_wine().frame.duplicated().sum())
    240
    """
    return _load("red_wine", raw)


def read_table(name: str) -> pd.DataFrame:
    """Return a bundled table as it was published; floats, but for columns that are integers."""
    packed = files("causalaug.datasets").joinpath("data", f"{name}.csv.gz").read_bytes()
    header, *lines = gzip.decompress(packed).decode().splitlines()
    # numpy rounds decimals correctly; whether pandas does depends on its version.
    values = np.loadtxt(lines, delimiter=",", ndmin=2)
    frame = pd.DataFrame(values, columns=header.split(","))
    return frame.astype(dict.fromkeys(_SOURCES[name].integers, np.int64))


def read_graph_of(name: str) -> ADMG:
    """Return the graph that is bundled for a table."""
    text = files("causalaug.datasets").joinpath("data", f"{name}.graph.txt").read_text("utf-8")
    return read_graph(text, format="arrows")


def scaled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with mean 0 and population standard deviation 1 in every float column."""
    real = frame.select_dtypes("float")
    return frame.assign(**((real - real.mean()) / real.std(ddof=0)))


def _load(name: str, raw: bool) -> Dataset:
    check_bool("raw", raw)
    source = _SOURCES[name]
    frame = read_table(name)
    if not raw:
        logarithms = {column: np.log(frame[column]) for column in source.logarithms}
        frame = scaled(frame.assign(**logarithms))
    return Dataset(frame, read_graph_of(name), source.target, source.description)


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
        (survey["year"] <= 2006)
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
            f"Check that the files reach back before 2006 and have the columns "
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
            yield pd.read_stata(path, convert_categoricals=False)
            continue
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.namelist()):
                if member.lower().endswith(".dta"):
                    with archive.open(member) as file:
                        yield pd.read_stata(file, convert_categoricals=False)


def _only_needed(year: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that the rules look at, under lower-case names, as floats."""
    lower = year.rename(columns=str.lower)
    needed = [name for name in (*WHO, *LIMITS, *FARMERS) if name in lower.columns]
    return lower[needed].astype(np.float64)


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
