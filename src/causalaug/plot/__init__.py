"""Pictures of graphs and of augmented tables.

They are drawn by matplotlib, an extra: ``pip install "causalaug[plot]"``. It is imported when
something is drawn. Every function takes the Axes to draw on, makes new ones if none are given,
and returns them.
"""

from causalaug.plot._augmented import plot_pairs, plot_trivariate, plot_weights
from causalaug.plot._graph import plot_graph, plot_trust
from causalaug.plot._style import save_figure
from causalaug.plot._tree import plot_probability_tree

__all__ = [
    "plot_graph",
    "plot_pairs",
    "plot_probability_tree",
    "plot_trivariate",
    "plot_trust",
    "plot_weights",
    "save_figure",
]
