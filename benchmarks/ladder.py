"""What knowledge is worth, step by step: nothing, the order, the graph.

Writes docs/results/ladder.md. A unit is a fresh random structural model of 12 variables with 60
training rows and 2,000 test rows; the learner is blended with every default on each rung of the
ladder. `--units` models a cell, `--quick` four of them, `--only` which learner runs.
"""

from functools import partial

import numpy as np
import pandas as pd

import causalaug as ca
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import draw, learner_of, options, percent, to_markdown, worst, worst_tenth, wrong_graph

FIRST_FINAL_SEED = 5_800_000
SHAPES = ("star", "chain", "two-layer", "random")
QUICK_UNITS = 4


def unit(learner, mechanism, given, seed):
    """Return the test errors of the plain learner and of the blend on each rung."""
    shape = SHAPES[seed % len(SHAPES)]
    model, train, test = draw(options(shape, mechanism), 60, seed)
    graph = model.graph if given == "right" else wrong_graph(given, model.graph, seed)
    X, y = train.drop(columns="Y"), train["Y"]
    asked, truth = test.drop(columns="Y"), test["Y"].to_numpy()
    blend = ca.AugmentedRegressor(
        learner_of(learner, X, y), graph=graph, target="Y", random_state=0
    )
    return {
        part: float(np.square(np.asarray(fitted.predict(asked)) - truth).mean())
        for part, fitted in blend.fit_parts(X, y).items()
    }


def steps(settings, learner):
    """Return the table of one learner."""
    n_units = QUICK_UNITS if settings.quick else settings.units
    tasks = []
    for given in ("right", "shuffled"):
        for mechanism in ("linear", "nonlinear"):
            for number in range(n_units):
                key = {
                    "learner": learner,
                    "mechanism": mechanism,
                    "given": given,
                    "seed": settings.first_seed + number,
                }
                tasks.append((key, partial(unit, **key)))
    results = pd.DataFrame(settings.store.run(tasks, settings.jobs))
    lines = []
    for (given, mechanism), cell in results.groupby(["given", "mechanism"], sort=False):
        plain = cell["plain"]
        total = cell["graph"] / plain - 1.0
        lines.append(
            {
                "graph given": given,
                "mechanism": mechanism,
                "units": len(cell),
                "in total, %": percent(total),
                "without knowledge, %": percent(cell["nothing"] / plain - 1.0),
                "by the order, %": percent((cell["order"] - cell["nothing"]) / plain),
                "by the independences, %": percent((cell["graph"] - cell["order"]) / plain),
                "worst tenth in total, %": worst_tenth(total),
                "worst unit, %": worst(total),
            }
        )
    return to_markdown(lines)


def ridge(settings):
    """Ridge regression, penalty 10 on scaled columns."""
    return steps(settings, "ridge")


def boosting(settings):
    """Histogram boosting as in learning.md."""
    return steps(settings, "boosting")


SECTIONS = {"Ridge regression": ridge, "Boosting": boosting}

INTRODUCTION = f"""# What knowledge is worth, step by step

Made by `benchmarks/ladder.py`. Change of the test MSE against the same learner on the observed rows
alone, mean over units ± standard error; below 0 is better. The steps add up to the total. *Without
knowledge* is the blend that is given the complete graph with the target last; *by the order* is
what it gains with the complete graph along the given order; *by the independences* what the missing
arrows add to that. A unit is a fresh random structural model (`datasets.make_sem_model`, 12
variables; star, chain, two-layer and random in turns) with 60 training rows and 2,000 test rows.
The seeds are {FIRST_FINAL_SEED:,} and up, on which nothing was chosen. Learners are those of [the
page on learning](learning.md), whose steps are the same.
"""


def main():
    asked = read_options(
        __doc__,
        SECTIONS,
        store="ladder.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=2,
        quick="four units a cell",
    )
    settings = Settings.from_options(asked)
    final = not asked.quick and asked.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "ladder.md", INTRODUCTION, tuple(SECTIONS)) if final else None
    run_sections(SECTIONS, asked.only, lambda _, section: section(settings), page)


if __name__ == "__main__":
    main()
