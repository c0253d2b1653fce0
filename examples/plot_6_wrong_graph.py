"""
A wrong graph, and the blend
============================

A graph that is wrong invents rows that cannot be. How much harm does it do, and does the blend
keep it out?
"""

# %%
# Six simulated models, each with a random graph. Every one gets its own graph, and then the one of
# the next model, which is wrong for it. This is the first of them:

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error

import causalaug as ca

models = [
    ca.datasets.make_sem_model("random", n_variables=8, random_state=seed) for seed in range(6)
]
true = [model.graph for model in models]
graphs = {"true": true, "wrong": [*true[1:], true[0]]}

fig, axes = plt.subplots(1, 2, figsize=(9, 4.5))
for ax, (name, given) in zip(axes, graphs.items(), strict=True):
    ca.plot.plot_graph(given[0], ax=ax, highlight="Y")
    ax.set_title(name)
fig.tight_layout()

# %%
# Sixty rows to learn from, ridge regression as the learner, and 2,000 fresh rows to judge by.
# First every model gets each share of the weight for new rows; the line at 1 is the learner
# without any. Then the blend weighs learners with and without the graph for each model, on the
# sixty rows alone.

trains = [model.sample(60, random_state=100) for model in models]
tests = [model.sample(2000, random_state=200) for model in models]


def learn(train, graph, share):
    learner = ca.AugmentedRegressor(Ridge(), graph=graph, augmented_share=share, random_state=0)
    return learner.fit(train.X, train.y)


def ratio(learner, train, test):
    """Return the loss on fresh rows, relative to that of the learner alone."""
    alone = Ridge().fit(train.X, train.y)
    losses = [mean_squared_error(test.y, each.predict(test.X)) for each in (learner, alone)]
    return losses[0] / losses[1]


def trust(learner):
    """Return the weight of all in a blend that assumes what the graph claims."""
    uses_graph = learner.blend_["candidate"].str.startswith("graph")
    return learner.blend_.loc[uses_graph, "weight"].sum()


shares = [0.5, 1.0]
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for (name, given), mark in zip(graphs.items(), "os", strict=True):
    cases = list(zip(trains, tests, given, strict=True))
    fixed = [
        np.mean([ratio(learn(train, graph, share), train, test) for train, test, graph in cases])
        for share in shares
    ]
    left.plot([0.0, *shares], [1.0, *fixed], marker=mark, label=f"{name} graph")
    blended = [learn(train, graph, "auto") for train, _, graph in cases]
    ratios = [ratio(each, *case[:2]) for each, case in zip(blended, cases, strict=True)]
    trusted = [trust(each) for each in blended]
    right.plot(trusted, ratios, linestyle="", marker=mark, alpha=0.7, label=f"{name} graph")
    print(f"{name} graph: loss {fixed[0]:.2f} at share 0.5, {np.mean(ratios):.2f} blended")
    print(f"  the blend trusts it by {min(trusted):.2f} to {max(trusted):.2f}")
left.set(xlabel="share of the weight on new rows", ylabel="loss, relative to no new rows")
right.set(xlabel="weight of the graph in the blend, one mark per model", xlim=left.get_xlim())
right.set_ylim(0.85, 1.15)
left.legend()
for panel in (left, right):
    panel.axhline(1, color="grey", linewidth=1)

# %%
# The blend weighs its learners by held-out observed rows, and those that trust the graph must be
# better by a standard error. Here the wrong graph got no weight in any of six models, the true one
# more than half. What the wrong graph leaves are the plain learner and new rows that assume no
# independence.
#
# `check_graph` asks a different question: do the data contradict the graph?

for name, given in graphs.items():
    found = [
        ca.check_graph(train.frame, graph, random_state=0).verdict
        for train, graph in zip(trains, given, strict=True)
    ]
    print(f"{name} graph: violated in {found.count('violated')} of {len(found)} tables")

# %%
# Neither is a proof. On few rows a wrong graph can pass both, more easily so if it is nearly right.

# sphinx_gallery_thumbnail_number = 2
