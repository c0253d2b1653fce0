"""Figures as files: the same picture is the same bytes."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._optional import import_optional
from causalaug._validation import is_positive
from causalaug.exceptions import ParameterError
from causalaug.plot._style import load_pyplot, styled

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

METADATA = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
"""What each format would say about when and by what it was made."""


@styled
def save_figure(axes: Any, path: str | os.PathLike[str], *, dpi: float = 150) -> Path:
    """Write a figure to a PNG or SVG file, without a date or anything else that changes.

    Drawn again from the same data by the same version of matplotlib, it is the same file.
    The file is whole or not there: it gets its name when it is complete.

    Parameters
    ----------
    axes : matplotlib Axes, array of Axes, or Figure
        What a plot function returned, or its figure.
    path : str or path
        Where to write. The suffix, ``.png`` or ``.svg``, decides the format.
    dpi : float, optional
        Dots per inch of a PNG.

    Returns
    -------
    Path
        Where the figure is.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from causalaug import ADMG
    >>> from causalaug.plot import plot_graph
    >>> ax = plot_graph(ADMG(["A", "B"], directed=[("A", "B")]))
    >>> with TemporaryDirectory() as folder:
    ...     path = save_figure(ax, Path(folder) / "graph.svg")
    ...     first = path.read_bytes()
    ...     first == save_figure(ax, path).read_bytes()
    True
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in METADATA:
        raise ParameterError(
            f"A figure is saved as one of {sorted(METADATA)}, by the suffix of its path. "
            f"Found {path.name!r}. Rename it."
        )
    if not is_positive(dpi):
        raise ParameterError(f"`dpi` must be a positive number. Found {dpi!r}.")
    _replace(path, _rendered(_figure_of(axes), suffix, float(dpi)))
    return path


def _figure_of(axes: Any) -> Figure:
    """Return the whole figure that something is part of."""
    types = import_optional("matplotlib.figure", extra="plot", purpose="Drawing")
    artist = axes if hasattr(axes, "figure") else next(iter(np.ravel(axes)), None)
    figure = getattr(artist, "figure", None)
    while isinstance(figure, types.SubFigure):
        figure = figure.figure
    if not isinstance(figure, types.Figure):
        raise ParameterError(
            "`axes` must be matplotlib Axes, an array of them, or a Figure. "
            f"Found {type(axes).__name__}. Pass what a plot function returned."
        )
    whole: Figure = figure
    return whole


def _rendered(figure: Figure, suffix: str, dpi: float) -> bytes:
    """Return the bytes of the file."""
    buffer = BytesIO()
    settings = {"svg.hashsalt": "causalaug", "svg.fonttype": "path", "savefig.bbox": None}
    with load_pyplot().rc_context(settings):
        figure.savefig(
            buffer, format=suffix[1:], dpi=dpi, metadata=METADATA[suffix], facecolor="white"
        )
    content = buffer.getvalue()
    return _with_counted_ids(content) if suffix == ".svg" else content


def _with_counted_ids(svg: bytes) -> bytes:
    """Return an SVG file whose ids are numbers in place of hashes.

    Matplotlib hashes what an id stands for, to the last bit, and the last bits of a layout
    may differ when it is computed again.

    >>> _with_counted_ids(b'<g clip-path="url(#p0a1b2c3d4e)"/><clipPath id="p0a1b2c3d4e"/>')
    b'<g clip-path="url(#p0)"/><clipPath id="p0"/>'
    """
    numbered: dict[bytes, bytes] = {}

    def renamed(found: re.Match[bytes]) -> bytes:
        before, name, hashed = found.groups()
        new = numbered.setdefault(name + hashed, name + str(len(numbered)).encode())
        return bytes(before + new)

    return re.sub(rb'(\bid="|#)([a-zA-Z][0-9_]*?)([0-9a-f]{10})\b', renamed, svg)


def _replace(path: Path, content: bytes) -> None:
    """Write beside the path, then rename, so that no reader meets half a file."""
    beside = path.with_name(f".{path.name}.{token_hex(6)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
