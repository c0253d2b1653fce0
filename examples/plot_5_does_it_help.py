"""
Does my graph help?
===================

`compare` trains a learner on the observed rows alone, and in a blend on each rung of a ladder of
knowledge: nothing, the order of the graph, the graph. All are judged on the same held-out rows.
"""

# %%
# Sixty simulated rows, and their true graph. Ridge regression is the learner. In each
# fold, the blend weighs learners with and without new rows, and the graph's own model.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error

import causalaug as ca

data = ca.datasets.make_sem(60, "chain", mechanism="nonlinear", random_state=0)
result = ca.compare(data.frame, data.graph, data.target, Ridge(), random_state=0)
print(result.verdict)

# %%
# Below zero is better. The bars are one standard error to each side. The steps add up to the total:
# what needs no causal knowledge, what the order adds, and what the independences add to that.


def draw(parts, ax):
    for place, (change, error) in enumerate(parts.values()):
        ax.errorbar(100 * change, place, xerr=100 * error, fmt="o", capsize=4)
    ax.axvline(0, color="grey", linewidth=1)
    ax.set_yticks(range(len(parts)), list(parts))
    ax.set(xlabel="change in mean squared error, %", ylim=(3.5, -0.5))


fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
draw({name: (gain.change, gain.standard_error) for name, gain in result.parts.items()}, ax)

# %%
# One table of sixty rows is little to judge by: the bars are wide. And a plain learner of another
# kind, a Gaussian process, does about as well, as `Comparison.verdict` says. It can follow curves,
# and so can the graph's model, which is a part of the blend.
#
# With simulated truth we can ask what happens on average. Sixteen models of the same kind, sixty
# rows each, and 2,000 fresh rows to judge by. Now only the learner counts, with half of the weight
# on new rows:

changes = []
for seed in range(16):
    model = ca.datasets.make_sem_model(
        "chain", n_variables=8, mechanism="nonlinear", random_state=seed
    )
    train = model.sample(60, random_state=100 + seed)
    test = model.sample(2000, random_state=200 + seed)

    def loss(learner, train=train, test=test):
        return mean_squared_error(test.y, learner.fit(train.X, train.y).predict(test.X))

    alone = loss(Ridge())
    order = train.graph.topological_order()
    last = [*(name for name in order if name != "Y"), "Y"]
    nothing, by_order, total = (
        loss(ca.AugmentedRegressor(Ridge(), graph=graph, augmented_share=0.5, random_state=0))
        / alone
        - 1
        for graph in (ca.complete_graph(last), ca.complete_graph(order), train.graph)
    )
    changes.append([total, nothing, by_order - nothing, total - by_order])

mean = np.mean(changes, axis=0)
error = np.std(changes, axis=0, ddof=1) / np.sqrt(len(changes))
fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
draw(dict(zip(result.parts, zip(mean, error, strict=True), strict=True)), ax)
print(*(f"{name}: {100 * m:+.1f}%" for name, m in zip(result.parts, mean, strict=True)), sep="\n")

# %%
# On average the graph helps ridge regression here; the steps say by which knowledge. These models
# have a correct graph and curved equations, which ridge regression cannot follow by itself.
# The page "When does it help, and when not?" has other learners, sizes and graphs.

# sphinx_gallery_thumbnail_number = 2
