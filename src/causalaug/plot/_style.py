"""How all pictures look, colours, sizes, text that is taken as it is, and how they become files."""

from __future__ import annotations

import re
import textwrap
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from causalaug._atomic import atomic_path
from causalaug._optional import import_optional
from causalaug._validation import is_positive
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METADATA = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
"""What each format would say about when and by what it was made."""

P = ParamSpec("P")
R = TypeVar("R")

INK, GREY, PALE = "#222222", "#767676", "#c4c4c4"
BLUE, VERMILION, ORANGE, GREEN = "#0072b2", "#d55e00", "#e69f00", "#009e73"
"""Colours of Okabe and Ito, which the colour-blind can tell apart."""

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.facecolor": "white",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 11,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 12,
    "figure.facecolor": "white",
    "font.size": 11,
    "grid.color": "#e6e6e6",
    "grid.linestyle": "-",
    "grid.linewidth": 0.8,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "savefig.facecolor": "white",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 10,
    "ytick.color": INK,
    "ytick.labelsize": 10,
}


def load_pyplot() -> ModuleType:
    """Import matplotlib's pyplot, or say how to install it."""
    return import_optional("matplotlib.pyplot", extra="plot", purpose="Drawing")


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw in our style, whatever the style around it, and change none of it."""

    @wraps(draw)
    def draw_in_style(*args: P.args, **kwargs: P.kwargs) -> R:
        with load_pyplot().rc_context(STYLE):
            return draw(*args, **kwargs)

    return draw_in_style


def as_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given Axes, or those of a new figure of `size` inches."""
    if ax is not None:
        _check_axes([ax], "`ax`")
        return ax
    made: Axes = load_pyplot().subplots(figsize=size, layout="constrained")[1]
    return made


def as_panels(
    ax: Any, shape: tuple[int, int], panel_size: tuple[float, float]
) -> np.ndarray[Any, Any]:
    """Return the given Axes as an array of `shape`, or those of a new figure."""
    n_rows, n_columns = shape
    if ax is None:
        size = (n_columns * panel_size[0], n_rows * panel_size[1])
        figure = load_pyplot().figure(figsize=size, layout="constrained")
        made: np.ndarray[Any, Any] = figure.subplots(n_rows, n_columns, squeeze=False)
        return made
    panels = np.asarray(ax, dtype=object)
    _check_axes(panels.ravel().tolist(), "Every element of `ax`")
    if panels.size != n_rows * n_columns:
        raise ParameterError(
            f"`ax` must have one Axes per panel, here {n_rows * n_columns}. "
            f"Found {panels.size}. Pass as many, or leave it out."
        )
    return panels.reshape(shape)


def _check_axes(found: list[object], subject: str) -> None:
    axes_type = import_optional("matplotlib.axes", extra="plot", purpose="Drawing").Axes
    wrong = [each for each in found if not isinstance(each, axes_type)]
    if wrong:
        raise ParameterError(
            f"{subject} must be matplotlib Axes. Found {type(wrong[0]).__name__}. "
            "Make them with `matplotlib.pyplot.subplots()`, or leave `ax` out."
        )


def plain(text: object, width: int | None = None, lines: int = 3) -> str:
    r"""Return text that matplotlib shows as it is: no formula, nothing unprintable.

    With a `width` it is broken into at most so many `lines`. What does not fit is left out
    before the end, because names often differ there.

    >>> print(plain("cost in $ or $"))
    cost in \$ or \$
    >>> print(plain("the prestige of the occupation of the father", width=14, lines=2))
    the prestige
    …the father
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in str(text))
    if width is not None:
        broken = textwrap.wrap(shown, width, break_on_hyphens=False) or [" "]
        if len(broken) > lines:
            broken = [*broken[: lines - 1], "…" + broken[-1][1 - width :]]
        shown = "\n".join(broken)
    return shown.replace("$", r"\$")


def column_cells(frame: Any, name: str, number: int) -> np.ndarray[Any, Any]:
    """Return the cells of a column; those of an array are found by number."""
    return np.asarray(frame[:, number] if isinstance(frame, np.ndarray) else frame[name])


def short(value: object) -> str:
    """Return a cell in few letters: numbers rounded, all else as text.

    >>> short(3.14159), short(np.int64(7)), short("sick"), short(np.True_)
    ('3.14', '7', 'sick', 'True')
    """
    is_float = isinstance(value, float | np.floating)
    return f"{value:.3g}" if is_float else str(value)


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
    content = _rendered(_figure_of(axes), suffix, float(dpi))
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
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
