"""
Two tables, one above the other
===============================

A small survey asked how satisfied people are. A larger check-up of the same staff did not, but
counted their days of absence, which the survey did not. No row has both. A graph connects them.
"""

# %%
# Long hours cause stress; stress causes absences and costs satisfaction; income adds to it.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import causalaug as ca

GRAPH = ca.read_graph("""
    hours -> {stress, income}
    stress -> absences
    {stress, income} -> satisfaction
""")


def staff(n_people, seed):
    """Draw people of whom everything is known."""
    rng = np.random.default_rng(seed)
    hours = rng.normal(size=n_people)
    stress = 0.5 * hours + rng.normal(size=n_people)
    return pd.DataFrame(
        {
            "hours": hours,
            "income": 0.6 * hours + rng.normal(size=n_people),
            "stress": stress,
            "absences": np.tanh(stress) + 0.3 * rng.normal(size=n_people),
            "satisfaction": -np.tanh(1.5 * stress) + 0.2 * hours + 0.3 * rng.normal(size=n_people),
        }
    )


survey = staff(60, seed=0).drop(columns="absences")
checkup = staff(600, seed=1).drop(columns=["satisfaction", "income"])

# %%
# One above the other they are one table with holes. That is all there is to prepare: a row serves
# every factor of the graph whose cells it has. `check_graph` says how many rows that is.

both = pd.concat([survey, checkup], ignore_index=True)
found = ca.check_graph(both, GRAPH, random_state=0)
print(dict(found.factor_rows))

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.imshow(both.notna(), aspect="auto", cmap="Greys", interpolation="nearest")
ax.set(xticks=range(5), xticklabels=both.columns, yticks=[0, 60, 660], ylabel="row")
ax.set_title("Which cells are there (black)")

# %%
# New people: their hours and absences are known, nothing else. A learner that was trained on the
# survey has never seen absences. The graph's model has seen that they tell of stress (in the
# check-up), and that stress tells of satisfaction (in the survey).

people = staff(1000, seed=2)
truth = people["satisfaction"].to_numpy()
asked = people[["hours", "absences"]].reindex(columns=both.columns.drop("satisfaction"))

learner = ca.GraphRegressor(GRAPH, target="satisfaction", random_state=0)
learner.fit(both.drop(columns="satisfaction"), both["satisfaction"])

alone = ca.GraphRegressor(
    ca.latent_projection(GRAPH, keep=list(survey.columns)), target="satisfaction", random_state=0
)
alone.fit(survey.drop(columns="satisfaction"), survey["satisfaction"])

predicted = {
    "survey alone": alone.predict(asked.drop(columns="absences")),
    "survey and check-up": learner.predict(asked),
}
errors = {name: np.square(values - truth).mean() for name, values in predicted.items()}
for name, error in errors.items():
    print(f"{name}: mean squared error {error:.3f}")

# %%
# The gain is made of a factor of each table: no single row shows how absences and satisfaction go
# together.

fig, panels = plt.subplots(1, 2, figsize=(8, 3.8), sharex=True, sharey=True, layout="constrained")
for panel, (name, values) in zip(panels, predicted.items(), strict=True):
    panel.scatter(values, truth, s=6)
    panel.axline((0, 0), slope=1, color="0.5", linewidth=1)
    panel.set(title=f"{name}: MSE {errors[name]:.2f}", xlabel="predicted satisfaction")
panels[0].set_ylabel("satisfaction")

# %%
# The same table completes itself. Ten copies of each row with holes, which share its weight, are
# rows for any learner:

model = ca.fit_model(both, GRAPH, "auto")
completed = model.complete(both, copies=10, random_state=0)
print(
    len(both),
    "rows,",
    len(completed),
    "copies,",
    f"weights add up to {completed.weights.sum():.0f}",
)

# %%
# What must hold: which cells of a variable and its causes are missing does not depend on the
# variable, given the causes. Here the tables are missing cells by design, so that it does. It would
# not if, say, people had left the satisfaction blank because they were not satisfied.

# sphinx_gallery_thumbnail_number = 2
