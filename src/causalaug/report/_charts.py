"""Small charts as inline SVG: pure functions from figures to markup.

Observed rows are filled shapes, new rows are outlines, so that no reader depends on colour. The
colours themselves are classes, which the page's style sets for light and dark. `causalaug.plot`
draws with matplotlib, which a report must not need, and on Axes of the caller, which have no style.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from causalaug._markup import Markup, element, join, number, shorten, text
from causalaug.evaluation import CLEAR, Gain
from causalaug.report._summary import Axis, Marginal, PairChange
from causalaug.typing import FloatArray

WIDTH = 340
"""The width of charts, in their own units: about the width of a telephone."""


def picture(width: float, height: float, label: str, *children: object) -> Markup:
    """Return an SVG of a given size that names itself to those who cannot see it."""
    return element(
        "svg",
        element("title", label),
        *children,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=number(width),
        height=number(height),
        role="img",
        aria_label=label,
    )


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a straight line."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return element("line", class_=class_, **{name: number(at) for name, at in ends.items()})


def rectangle(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    """Return a rectangle; one without extent stays a hairline."""
    box = {"x": x, "y": y, "width": max(width, 0.5), "height": max(height, 0.5)}
    return element("rect", class_=class_, **{name: number(at) for name, at in box.items()})


def gain_chart(gains: Mapping[str, Gain], label: str, *, stairs: bool = False) -> Markup:
    """Return a bar per gain, with whiskers of two standard errors at its end.

    Each bar begins at no change, or, as stairs, where the one before it ended.
    """
    shown = {name: gain for name, gain in gains.items() if math.isfinite(gain.standard_error)}
    changes = [gain.change for gain in shown.values()]
    starts = [0.0, *accumulate(changes)] if stairs else [0.0] * len(shown)
    bars = [(start, start + change) for start, change in zip(starts, changes, strict=False)]
    errors = [CLEAR * gain.standard_error for gain in shown.values()]
    reach = [
        end + side * error for (_, end), error in zip(bars, errors, strict=True) for side in (-1, 1)
    ]
    low, high = min([0.0, *reach]), max([0.0, *reach])
    low, high = (low, high) if high - low > 1e-6 else (-0.01, 0.01)
    left, right, row, top = 124.0, WIDTH - 14.0, 28.0, 6.0
    bottom = top + row * len(shown)

    def across(change: float) -> float:
        return left + (change - low) / (high - low) * (right - left)

    drawn = []
    for tick, words in ticks(low, high, right - left).items():
        drawn.append(line(across(tick), top, across(tick), bottom, "grid" if tick else "zero"))
        drawn.append(text(across(tick), bottom + 15, words, "tick", "middle"))
    for place, (name, (start, end), error) in enumerate(zip(shown, bars, errors, strict=True)):
        middle = top + row * (place + 0.5)
        drawn.append(text(0, middle + 4, shorten(name, 18)))
        if end != start:
            ends = sorted([across(start), across(end)])
            tone = "better" if end < start else "worse"
            drawn.append(rectangle(ends[0], middle - 7, ends[1] - ends[0], 14, tone))
        whisker = across(end - error), across(end + error)
        drawn.append(line(whisker[0], middle, whisker[1], middle, "whisker"))
        drawn += [line(at, middle - 4, at, middle + 4, "whisker") for at in whisker]
        if stairs and place + 1 < len(shown):
            drawn.append(line(across(end), middle + 7, across(end), middle + row - 7, "stair"))
    drawn.append(text(left, bottom + 32, "← less loss, better", "tick"))
    drawn.append(text(right, bottom + 32, "worse →", "tick", "end"))
    return picture(WIDTH, bottom + 38, label, *drawn)


def ticks(low: float, high: float, room: float) -> dict[float, str]:
    """Return round changes between two ends with their labels, as many as there is room for.

    >>> ticks(-0.13, 0.04, room=200)
    {-0.1: '−10%', -0.05: '−5%', 0.0: '0%'}
    >>> ticks(-0.13, 0.04, room=80)
    {-0.1: '−10%', 0.0: '0%'}
    """
    for most in range(6, 0, -1):
        rough = (high - low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * unit for unit in (1, 2, 2.5, 5, 10) if power * unit >= rough)
        places = range(math.ceil(low / step), math.floor(high / step) + 1)
        found = {place * step: f"{signed(100 * place * step)}%" for place in places}
        if sum(6.8 * (len(label) + 1) for label in found.values()) <= room:
            break
    return found


def signed(value: float) -> str:
    """Return a number with a true minus sign, and none at zero.

    >>> signed(-5.0), signed(0.25), signed(0.0)
    ('−5', '+0.25', '0')
    """
    return f"{value:+.3g}".replace("-", "−") if value else "0"


def marginal_chart(marginal: Marginal) -> Markup:
    """Return the distribution of one column among observed and among new rows."""
    moved = f"{100 * marginal.change:.0f}% of the mass is elsewhere"
    label = f"Distribution of {shorten(marginal.axis.column, 60)}, observed and new: {moved}"
    if marginal.axis.kind == "continuous":
        return _histogram(marginal, label)
    return _bars(marginal, label)


def _histogram(marginal: Marginal, label: str) -> Markup:
    height, width = 92.0, 250.0
    step = width / marginal.axis.n_parts
    tallest = max(float(marginal.observed.max()), float(marginal.new.max())) or 1.0

    def up(share: float) -> float:
        return height - share / tallest * (height - 4)

    filled = [
        rectangle(place * step + 0.5, up(share), step - 1, height - up(share), "observed")
        for place, share in enumerate(marginal.observed)
        if share
    ]
    corners = [
        f"{number(x)} {number(up(share))}"
        for place, share in enumerate(marginal.new)
        for x in (place * step, (place + 1) * step)
    ]
    outline = element("path", d="M" + "L".join(corners), class_="new")
    low, high = (shorten(end, 18) for end in marginal.axis.labels)
    return picture(
        width,
        height + 20,
        label,
        *filled,
        outline,
        line(0, height, width, height, "axis"),
        text(0, height + 15, low, "tick"),
        text(width, height + 15, high, "tick", "end"),
    )


def _bars(marginal: Marginal, label: str) -> Markup:
    left, width, row = 88.0, 250.0, 20.0
    widest = max(float(marginal.observed.max()), float(marginal.new.max())) or 1.0
    rows = []
    shares = zip(marginal.axis.labels, marginal.observed, marginal.new, strict=True)
    for place, (name, observed, new) in enumerate(shares):
        top = row * place
        across = [share / widest * (width - left - 4) for share in (observed, new)]
        rows += [
            text(left - 8, top + 14, shorten(name, 12), "tick", "end"),
            rectangle(left, top + 4, across[0], 12, "observed"),
            rectangle(left, top + 2, across[1], 16, "new"),
        ]
    height = row * marginal.axis.n_parts
    return picture(width, height + 2, label, *rows, line(left, 0, left, height, "axis"))


def pair_chart(pair: PairChange) -> Markup:
    """Return two scatter plots on the same axes: observed rows, and new rows by weight."""
    side, left, top = 136.0, 48.0, 18.0
    gap = WIDTH - left - 2 * side - 6
    x, y = (shorten(axis.column, 40) for axis in (pair.x, pair.y))
    label = f"Scatter plots of {x} (across) and {y} (up): observed rows, and new rows"
    panels = [
        _panel(points, left + place * (side + gap), top, side, pair.x, title, class_)
        for place, (points, title, class_) in enumerate(
            [(pair.observed, "observed", "observed"), (pair.new, "new", "new")]
        )
    ]
    upwards = [
        text(left - 5, top + side * (1 - at) + 4, shorten(name, 7), "tick", "end")
        for at, name in _named_places(pair.y)
    ]
    return picture(WIDTH, top + side + 20, label, *panels, *upwards)


def _panel(
    points: FloatArray, left: float, top: float, side: float, x: Axis, title: str, class_: str
) -> Markup:
    dots = [
        element(
            "circle",
            cx=number(left + 4 + across * (side - 8)),
            cy=number(top + 4 + (1 - up) * (side - 8)),
            r="2.2",
        )
        for across, up in points
    ]
    places = _named_places(x)
    room = max(3, int(side / len(places) / 6.5))
    below = []
    for at, name in places:
        anchor = "start" if at == 0 else "end" if at == 1 else "middle"
        words = shorten(name, room)
        below.append(text(left + at * side, top + side + 14, words, "tick", anchor))
    return join(
        [
            text(left, top - 6, title, "tick"),
            rectangle(left, top, side, side, "frame"),
            element("g", *dots, class_=f"{class_} dots"),
            *below,
        ]
    )


def _named_places(axis: Axis) -> Sequence[tuple[float, str]]:
    """Return where on an axis which label stands: the ends, or every place if they are few."""
    if axis.kind == "continuous":
        return [(0.0, axis.labels[0]), (1.0, axis.labels[-1])]
    middles = [((place + 0.5) / axis.n_parts, name) for place, name in enumerate(axis.labels)]
    return middles if len(middles) <= 4 else [middles[0], middles[-1]]
