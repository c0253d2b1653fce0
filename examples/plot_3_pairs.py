"""
Before and after
================

What does augmentation do to a table with many columns? It keeps each pair that the graph joins
by an edge, and loosens pairs that are related by accident.
"""

# %%
# Forty rows of a simulated chain with curves, and its true graph:

import matplotlib.pyplot as plt

import causalaug as ca

data = ca.datasets.make_sem(40, "chain", n_variables=6, mechanism="nonlinear", random_state=3)
fig, ax = plt.subplots(figsize=(4.5, 4.5))
ca.plot.plot_graph(data.graph, ax=ax, highlight=data.target)
fig.tight_layout()

# %%
# The pairs that changed most, observed above and augmented below. Large and dark marks are heavy.
# Every value was observed; what is new is which values stand in one row.

result = ca.augment(data.frame, data.graph, random_state=0)
panels = ca.plot.plot_pairs(data.frame, result)

# %%
# Two neighbours of the chain, for comparison. Their shape stays.

first, second = data.graph.directed[0]
panels = ca.plot.plot_pairs(data.frame, result, columns=[first, second])
print(f"{result.novel_mass:.0%} of the mass is on rows that were not observed")

# sphinx_gallery_thumbnail_number = 2
