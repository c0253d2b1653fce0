"""
Weights and the effective sample size
=====================================

New rows do not all weigh the same. A thousand rows of which ten hold the mass are ten rows. The
temperature of the kernel decides between copies of the table and a table without dependence.
"""

# %%
# The curve shows how much mass the heaviest rows hold together. The dotted line is the number of
# rows of equal weight that all of them are worth.

import matplotlib.pyplot as plt
import numpy as np

import causalaug as ca

data = ca.datasets.make_sem(60, "chain", n_variables=5, random_state=1)
result = ca.augment(data.frame, data.graph, random_state=0)
ax = ca.plot.plot_weights(result)

# %%
# Now the temperature. Near 0 only the nearest row lends a cell, and most paths lead back to the row
# that they started from: little is new. Towards infinity the pillow is ignored, all combinations
# are equally likely, and what the columns knew of each other is lost. The default, 0.3, is in
# between.

cause, effect = data.graph.directed[0]


def correlation(result):
    """Return the weighted correlation of a cause and its effect."""
    new, weights = result.frame[[cause, effect]].to_numpy(), result.weights
    covariance = np.cov(new.T, aweights=weights)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


temperatures = np.array([0.001, 0.01, 0.1, 0.3, 1.0, 10.0])
figures = []
for temperature in temperatures:
    conditional = ca.KernelConditional(temperature=float(temperature))
    result = ca.augment(
        data.frame, data.graph, conditional, ca.BudgetExpansion(3000), random_state=0
    )
    merged = result.merged()  # equal rows count once
    figures.append([result.novel_mass, merged.effective_sample_size, correlation(result)])

fig, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
names = ["novel mass", "effective sample size", f"correlation of {cause} and {effect}"]
for panel, name, values in zip(panels, names, np.transpose(figures), strict=True):
    panel.semilogx(temperatures, values, marker="o")
    panel.axvline(0.3, color="grey", linestyle=":")
    panel.set(xlabel="temperature", title=name)
panels[2].axhline(data.frame[cause].corr(data.frame[effect]), color="grey")

# %%
# The line in the last panel is the correlation in the observed rows. A large effective sample size
# is no aim in itself: the table at the right end has the largest, and has lost what it knew. What
# helps a learner is decided on held-out rows, by the blend.

# sphinx_gallery_thumbnail_number = 2
