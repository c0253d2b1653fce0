"""The tables that come with the package: Sachs, Boston Housing, Auto MPG and two wines."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import pandas as pd

from causalaug._validation import check_bool
from causalaug.datasets._dataset import Dataset
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
