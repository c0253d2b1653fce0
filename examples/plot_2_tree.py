"""
New rows are paths through a tree
=================================

How does a graph turn a table into new rows? Variable by variable. The graph is factorized, and
each factor chooses among the observed rows.
"""

# %%
# Four patients, and a graph that says that fever and cough depend on the disease alone:

import pandas as pd

import causalaug as ca

patients = pd.DataFrame(
    {
        "sick": ["yes", "yes", "no", "no"],
        "fever": [39.1, 40.2, 36.8, 37.0],
        "cough": [7.0, 9.0, 1.0, 0.0],
    }
)
graph = ca.read_graph("fever <- sick -> cough")
print(*ca.factorize(graph))

# %%
# From left to right: choose a disease, then a fever among the patients who have it, then a cough
# among them. The number on a branch is the weight of that choice. The number at the end is their
# product, the weight of the new row; it is in colour where nobody had this combination.

axes = ca.plot.plot_probability_tree(patients, graph)

# %%
# Now suppose that fever causes cough as well. Then a cough is chosen among those with the same
# disease and a similar fever. The kernel does not forbid the other cough, it gives it less weight:
# new combinations are still there, and are lighter.

dense = ca.read_graph("fever <- sick -> cough; fever -> cough")
axes = ca.plot.plot_probability_tree(patients, dense)

# %%
# The more a graph claims, by the arrows that it lacks, the more is new:

sparse = ca.augment(patients, graph, random_state=0)
result = ca.augment(patients, dense, random_state=0)
print(f"novel mass {sparse.novel_mass:.2f} without the arrow, {result.novel_mass:.2f} with it")
