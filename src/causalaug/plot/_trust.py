"""The graph with edges as strong as the trust in them, and dashed those that the data want."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG
from causalaug.model import GraphModel
from causalaug.plot._graph import draw_graph
from causalaug.plot._style import VERMILION, styled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

FAINTEST = 0.15
"""How visible an edge is that is not believed at all: it is in the graph, and shall be seen."""


@styled
def plot_trust(
    model: GraphModel, ax: Axes | None = None, highlight: str | Iterable[str] | None = None
) -> Axes:
    """Draw the graph of a model, its edges as strong as the trust in the factor of their effect.

    Dashed arrows in another colour are those that the data want beside the graph. The numbers
    are in `GraphModel.trust`.

    Parameters
    ----------
    model : GraphModel
        A model that was fitted with ``trust="auto"``, such as ``model_`` of a learner; or with
        beliefs.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure, as in `plot_graph`.
    highlight : str or iterable of str, optional
        Nodes to fill with colour, such as the target.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    The graph lacks an edge, which is drawn dashed:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from causalaug import fit_model
    >>> rng = np.random.default_rng(0)
    >>> load, wear = rng.normal(size=(2, 60))
    >>> heat = wear + load + 0.5 * rng.normal(size=60)
    >>> frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat})
    >>> model = fit_model(frame, "load; wear -> heat", "auto", trust="auto")
    >>> ax = plot_trust(model)
    >>> [(arrow.get_linestyle(), round(arrow.get_alpha(), 1)) for arrow in ax.patches]
    [('--', 1.0), ('-', 0.2)]
    """
    if not isinstance(model, GraphModel):
        raise ParameterError(
            "`model` must be a GraphModel, such as fit_model(frame, graph, 'auto', trust='auto') "
            f"or learner.model_. Found {model!r}."
        )
    shares = dict(zip(model.order, model.trust["trust"], strict=True))
    wanted = wanted_edges(model)
    place = {name: number for number, name in enumerate(model.order)}
    looks: dict[tuple[tuple[str, str], str], dict[str, object]] = {}
    for a, b in model.graph.directed:
        looks[(a, b), "->"] = {"alpha": _alpha(shares[b])}
    for a, b in model.graph.bidirected:
        looks[(a, b), "<->"] = {"alpha": _alpha(shares[max(a, b, key=place.__getitem__)])}
    for edge in wanted:
        looks[edge, "->"] = {"alpha": 1.0, "color": VERMILION, "linestyle": "--"}
    whole = ADMG(model.graph.nodes, [*model.graph.directed, *wanted], model.graph.bidirected)
    return draw_graph(whole, ax, highlight, looks)


def wanted_edges(model: GraphModel) -> list[tuple[str, str]]:
    """Return the edges that the data want beside those of the graph."""
    pairs = zip(model.order, model.wishes, strict=False)
    return [
        (cause, name) for name, wish in pairs if wish and wish.gain > 0.0 for cause in wish.wanted
    ]


def _alpha(share: float) -> float:
    """Return how visible an edge is that is believed so far."""
    return FAINTEST + (1.0 - FAINTEST) * share
