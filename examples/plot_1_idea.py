"""
The idea in one picture
=======================

A disease causes fever and causes a cough, and nothing else connects the two. Then, among the
sick, any fever may go with any cough. A small table shows few of these combinations. The graph
allows all of them.
"""

# %%
# Below, ``Y`` is the class, ``X1`` and ``X2`` are two signs of it. Every ``X1`` of a class is
# combined with every ``X2`` of the same class, and with none of the other class.

import causalaug as ca

panels = ca.plot.plot_trivariate(14, random_state=0)

# %%
# `augment` does that for any table and any graph. The weight of a new row is its estimated
# probability, so that all weights together make 1. Here every row of a class weighs the same. The
# classes are written as 0 and 1, and integers that are few count as ordered: neighbours would lend
# each other a little. ``kinds`` says that these are labels.

data = ca.datasets.make_trivariate(14, separation=4.0, random_state=0)
kinds = {"Y": "nominal"}
result = ca.augment(data.frame, data.graph, expansion=ca.PrunedExpansion(0.0), kinds=kinds)
print(f"{len(data)} rows became {len(result)}")
print(f"mass {result.mass:.3f}, of which on rows that were never observed {result.novel_mass:.3f}")

# %%
# With continuous causes no two rows are exactly alike. There a kernel takes the place of "the
# same class": rows that are close lend their cells.
