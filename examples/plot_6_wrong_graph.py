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
# First every model gets each share of the weight for new rows of the graph as it stands; the line
# at 1 is the learner without any. Then every default: each factor is trusted as far as the sixty
# rows allow, and a blend weighs learners with and without the graph.

trains = [model.sample(60, random_state=100) for model in models]
tests = [model.sample(2000, random_state=200) for model in models]


def learn(train, graph, share):
    options = {} if share == "auto" else {"augmented_share": share, "trust": "full"}
    learner = ca.AugmentedRegressor(Ridge(), graph=graph, random_state=0, **options)
    return learner.fit(train.X, train.y)


def ratio(learner, train, test):
    """Return the loss on fresh rows, relative to that of the learner alone."""
    alone = Ridge().fit(train.X, train.y)
    losses = [mean_squared_error(test.y, each.predict(test.X)) for each in (learner, alone)]
    return losses[0] / losses[1]


def trust(learner):
    """Return how far the factors of the graph are trusted, on average."""
    return learner.model_.trust["trust"].mean()


shares = [0.5, 1.0]
trusted = {}
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
    trusted[name] = [trust(each) for each in blended]
    right.plot(trusted[name], ratios, linestyle="", marker=mark, alpha=0.7, label=f"{name} graph")
    print(f"{name} graph: loss {fixed[0]:.2f} at share 0.5, {np.mean(ratios):.2f} blended")
    print(f"  its factors are trusted by {min(trusted[name]):.2f} to {max(trusted[name]):.2f}")
left.set(xlabel="share of the weight on new rows", ylabel="loss, relative to no new rows")
right.set(xlabel="mean trust in the factors of the graph, one mark per model", xlim=left.get_xlim())
right.set_ylim(0.85, 1.15)
left.legend()
for panel in (left, right):
    panel.axhline(1, color="grey", linewidth=1)

# %%
# A factor whose pillow lacks a variable that makes left-out rows likelier is mixed with one that
# has it. The wrong graph lost much of its trust that way in each of six models, the true one
# hardly any: `model_.trust` says which factor, and which variables the rows want beside. What is
# left of a wrong graph is harmless: with every default the loss is that of the learner alone.
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
