"""
From discovery to augmentation
==============================

No graph at hand? Discovery methods estimate one, up to what data can tell. Rather than pick one
graph of the class they return, augment with all of them.
"""

# %%
# A chain, three hundred rows. Independences alone do not tell its direction. If causal-learn is
# installed (``pip install "causalaug[discovery]"``), the PC algorithm estimates the class; here we
# can also write it down.

import matplotlib.pyplot as plt

import causalaug as ca
from causalaug.discovery import PAG, augment_average, discover_class, enumerate_admgs
from causalaug.exceptions import MissingDependencyError

data = ca.datasets.make_sem(300, "chain", n_variables=4, random_state=0)
try:
    found = discover_class(data.frame, "pc")
except MissingDependencyError:
    edges = [(cause, "--", effect) for cause, effect in data.graph.directed]
    found = PAG(data.frame.columns, edges)
graphs = list(enumerate_admgs(found))
fig, axes = plt.subplots(1, len(graphs), figsize=(2.4 * len(graphs), 4.6), squeeze=False)
for ax, graph in zip(axes[0], graphs, strict=True):
    ca.plot.plot_graph(graph, ax=ax, highlight=data.target)
fig.tight_layout()
print(f"The class has {len(graphs)} members, the true graph among them: {data.graph in graphs}")

# %%
# They imply the same independences, so that no test can choose. `augment_average` gives each the
# same share of the weight. On a table of forty rows:

few = data.frame[:40]
average = augment_average(few, graphs, random_state=0)
single = ca.augment(few, data.graph, random_state=0)
print(f"{len(single)} rows from the true graph, {len(average)} from all; mass {average.mass:.2f}")
panels = ca.plot.plot_pairs(few, average)

# %%
# Treat an estimated graph as a guess. `check_graph` asks whether the rows contradict it, preferably
# other rows than those it was estimated from, and the blend of the learners decides on
# held-out rows of how much use it is.

print(ca.check_graph(data.frame, graphs[0], random_state=0).summary())

# sphinx_gallery_thumbnail_number = 2
