"""Small charts as inline SVG: pure functions from figures to markup.

Observed rows are filled shapes, new rows are outlines, so that no reader depends on colour. The
colours themselves are classes, which the page's style sets for light and dark.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from causalaug._markup import Markup, element, join, number, shorten, text
from causalaug.evaluation import CLEAR, Gain
from causalaug.report._axes import Axis
from causalaug.report._pairs import PairChange
from causalaug.report._summary import Marginal
from causalaug.typing import FloatArray

WIDTH = 340
"""The width of charts, in their own units: about the width of a telephone."""
LONGEST_LABEL = 18
MOST_TICKS = 6
_LETTER = 6.8


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


def interval_chart(gains: Mapping[str, Gain], label: str) -> Markup:
    """Return a bar per gain, from no change to the gain, with whiskers of two standard errors."""
    shown = {name: gain for name, gain in gains.items() if math.isfinite(gain.standard_error)}
    left, right, row, top = 124.0, WIDTH - 14.0, 28.0, 6.0
    low, high = _range_of(shown.values())
    bottom = top + row * len(shown)

    def across(change: float) -> float:
        return left + (change - low) / (high - low) * (right - left)

    grid = []
    for tick, words in ticks(low, high, right - left).items():
        grid.append(line(across(tick), top, across(tick), bottom, "grid" if tick else "zero"))
        grid.append(text(across(tick), bottom + 15, words, "tick", "middle"))
    rows = [
        _interval(name, gain, across, top + row * (place + 0.5))
        for place, (name, gain) in enumerate(shown.items())
    ]
    ends = [
        text(left, bottom + 32, "← less loss, better", "tick"),
        text(right, bottom + 32, "worse →", "tick", "end"),
    ]
    return picture(WIDTH, bottom + 38, label, *grid, *rows, *ends)


def _interval(name: str, gain: Gain, across: Callable[[float], float], middle: float) -> Markup:
    """Return the row of one gain."""
    start, end = sorted([across(0.0), across(gain.change)])
    error = CLEAR * gain.standard_error
    first, last = across(gain.change - error), across(gain.change + error)
    whiskers = [
        line(first, middle, last, middle, "whisker"),
        line(first, middle - 4, first, middle + 4, "whisker"),
        line(last, middle - 4, last, middle + 4, "whisker"),
    ]
    tone = "better" if gain.change < 0.0 else "worse"
    bar = rectangle(start, middle - 7, end - start, 14, tone) if gain.change else ""
    return join([text(0, middle + 4, shorten(name, LONGEST_LABEL)), bar, *whiskers])


def ladder_chart(steps: Mapping[str, Gain], label: str) -> Markup:
    """Return the steps of a gain as stairs: each bar begins where the one before it ended.

    Whiskers are two standard errors of the step, at its end.
    """
    shown = {name: gain for name, gain in steps.items() if math.isfinite(gain.standard_error)}
    left, right, row, top = 124.0, WIDTH - 14.0, 28.0, 6.0
    starts = {}
    change = 0.0
    for name, gain in shown.items():
        starts[name] = change
        change += gain.change
    ends = [Gain(starts[name] + gain.change, gain.standard_error) for name, gain in shown.items()]
    low, high = _range_of(ends)
    bottom = top + row * len(shown)

    def across(change: float) -> float:
        return left + (change - low) / (high - low) * (right - left)

    drawn = []
    for tick, words in ticks(low, high, right - left).items():
        drawn.append(line(across(tick), top, across(tick), bottom, "grid" if tick else "zero"))
        drawn.append(text(across(tick), bottom + 15, words, "tick", "middle"))
    for place, (name, gain) in enumerate(shown.items()):
        middle, start = top + row * (place + 0.5), starts[name]

        def from_start(change: float, start: float = start) -> float:
            return across(start + change)

        drawn.append(_interval(name, gain, from_start, middle))
        if place + 1 < len(shown):
            end = from_start(gain.change)
            drawn.append(line(end, middle + 7, end, middle + row - 7, "stair"))
    drawn += [
        text(left, bottom + 32, "← less loss, better", "tick"),
        text(right, bottom + 32, "worse →", "tick", "end"),
    ]
    return picture(WIDTH, bottom + 38, label, *drawn)


def _range_of(gains: Iterable[Gain]) -> tuple[float, float]:
    """Return ends that hold no change and all whiskers, never both the same."""
    ends = [0.0]
    for gain in gains:
        error = CLEAR * gain.standard_error
        ends += [gain.change - error, gain.change + error]
    low, high = min(ends), max(ends)
    return (low, high) if high - low > 1e-6 else (-0.01, 0.01)


def ticks(low: float, high: float, room: float) -> dict[float, str]:
    """Return round changes between two ends with their labels, as many as there is room for.

    >>> ticks(-0.13, 0.04, room=200)
    {-0.1: '−10%', -0.05: '−5%', 0.0: '0%'}
    >>> ticks(-0.13, 0.04, room=80)
    {-0.1: '−10%', 0.0: '0%'}
    """
    for most in range(MOST_TICKS, 0, -1):
        rough = (high - low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * unit for unit in (1, 2, 2.5, 5, 10) if power * unit >= rough)
        places = range(math.ceil(low / step), math.floor(high / step) + 1)
        found = {place * step: f"{signed(100 * place * step)}%" for place in places}
        if sum(_LETTER * (len(label) + 1) for label in found.values()) <= room:
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
