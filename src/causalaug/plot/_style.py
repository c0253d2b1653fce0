"""How all pictures look: colours, sizes, and text that is taken as it is."""

from __future__ import annotations

import textwrap
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from causalaug._optional import import_optional
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from matplotlib.axes import Axes

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
