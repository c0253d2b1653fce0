"""
A hidden common cause
=====================

Often two variables have a common cause that nobody recorded. Then they depend on each other
whatever is held fixed, and the graph has to say so: by a bidirected edge, drawn dashed.
"""

# %%
# Rows of a machine: the weather changes both heat and noise, and is in no column.

import matplotlib.pyplot as plt

import causalaug as ca

data = ca.datasets.make_machine_wear(300, random_state=0)
naive = ca.ADMG(data.graph.nodes, directed=data.graph.directed)

fig, axes = plt.subplots(2, 1, figsize=(7, 7))
for ax, graph, title in zip(
    axes, (naive, data.graph), ("without the hidden cause", "with it"), strict=True
):
    ca.plot.plot_graph(graph, ax=ax, highlight=data.target)
    ax.set_title(title)
fig.tight_layout()

# %%
# What the method takes from a graph is its factors. The edge adds heat to what noise depends on.

for graph in (naive, data.graph):
    print(*(factor for factor in ca.factorize(graph) if factor.target == "noise"))

# %%
# The naive graph claims that heat and noise are independent given the wear. The data say no, and
# `check_graph` names the pair:

for name, graph in (("without", naive), ("with", data.graph)):
    found = ca.check_graph(data.frame, graph, random_state=0)
    pairs = [(row.variable, row.independent_of) for row in found.violations.itertuples()]
    print(f"{name} the edge: {found.verdict} {pairs}")

# %%
# And this is what the naive graph would do to the table. It combines heat and noise anew, so that
# their dependence beyond the wear is lost. The true graph keeps it.

frames = {"observed": data.frame}
for name, graph in (("without", naive), ("with", data.graph)):
    drawn = ca.augment(data.frame, graph, expansion=ca.SampledExpansion(300), random_state=0)
    frames[f"new rows, {name} the edge"] = drawn.frame

fig, panels = plt.subplots(1, 3, figsize=(10, 3.6), sharex=True, sharey=True, layout="constrained")
for panel, (title, frame) in zip(panels, frames.items(), strict=True):
    panel.scatter(frame["heat"], frame["noise"], s=8)
    correlation = frame["heat"].corr(frame["noise"])
    panel.set(title=f"{title}\ncorrelation {correlation:.2f}", xlabel="heat")
panels[0].set_ylabel("noise")

# %%
# A graph that draws the hidden cause itself is fine, too: `latent_projection` turns it into edges
# between what was observed.

full = ca.read_graph("wear -> {heat, noise}; weather -> {heat, noise}")
print(ca.latent_projection(full, keep=["wear", "heat", "noise"]))

# sphinx_gallery_thumbnail_number = 2
