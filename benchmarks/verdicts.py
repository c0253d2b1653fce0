"""Are the verdicts true? What `compare` says beside what a large test set says.

Writes docs/results/verdicts.md. Every table is a fresh random structural model with its own rows.
Three kinds of graphs are judged: the right one, the right one with shuffled names, and the complete
graph along the right order, which claims no independence. The truth is the loss of the same blends
on 2,000 rows that nobody learnt from. Tables are kept in a store, so that a run can be stopped and
continued: `--tables` sets how many each kind has, `--rows` how many rows, `--jobs` how many
processes work.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import causalaug as ca
from causalaug.evaluation import named_learner
from units import Store, to_markdown, wrong_graph

PAGE = Path(__file__).parents[1] / "docs" / "results" / "verdicts.md"
FIRST_SEED = 1_700_000
KINDS = ("right", "shuffled", "complete")
SHAPES = ("star", "chain", "two-layer", "random")
MECHANISMS = ("linear", "nonlinear")
N_VARIABLES, N_TEST = 6, 2000
LARGE = 0.2
"""A true gain beyond it is to be found."""


def table_of(kind, n_rows, number):
    """Return the verdict on one table, and the truth on rows that nobody learnt from."""
    seed = FIRST_SEED + number
    model = ca.datasets.make_sem_model(
        SHAPES[number % 4],
        mechanism=MECHANISMS[number // 4 % 2],
        n_variables=N_VARIABLES,
        random_state=seed,
    )
    train = model.sample(n_rows, random_state=seed).frame
    test = model.sample(N_TEST, random_state=seed + 10_000_000).frame
    graph, target = model.graph, model.target
    if kind == "shuffled":
        graph = wrong_graph("shuffled", graph, seed)
    elif kind == "complete":
        graph = ca.complete_graph(graph.topological_order())
    X, y = train.drop(columns=target), train[target]
    learner = named_learner("ridge", X, classification=False)
    said = ca.compare(train, graph, target, learner, rivals=False, random_state=seed)
    fitted = ca.AugmentedRegressor(learner, graph=graph, target=target, random_state=seed)
    parts = fitted.fit_parts(X, y)
    asked, truth = test.drop(columns=target), test[target].to_numpy()
    losses = {
        name: float(np.square(np.asarray(parts[name].predict(asked)) - truth).mean())
        for name in ("plain", "nothing", "order", "graph")
    }
    return {
        "helps": bool(said.total.is_clear and said.total.change < 0.0),
        "by order": "order" in said.helps_by,
        "by independences": "independences" in said.helps_by,
        "step": said.independences.change,
        "true gain": losses["graph"] / losses["plain"] - 1.0,
        "true order": (losses["order"] - losses["nothing"]) / losses["plain"],
        "true independences": (losses["graph"] - losses["order"]) / losses["plain"],
    }


def share(said, true=None):
    """Return how many of the tables, and of how many."""
    hits = said if true is None else said & true
    total = len(said) if true is None else int(true.sum())
    return f"{int(hits.sum())} of {total}"


def line_of(kind, found):
    """Return the row of one kind of graph."""
    helps, large = found["helps"], found["true gain"] < -LARGE
    by, truly = found["by independences"], found["true independences"] < 0.0
    return {
        "graph": kind,
        "tables": len(found),
        '"helps"': share(helps),
        "of these true": share(found["true gain"] < 0.0, helps),
        "true gains above 20% found": share(helps, large),
        '"by its order"': share(found["by order"]),
        "of these order true": share(found["true order"] < 0.0, found["by order"]),
        '"by its independences"': share(by),
        "of these independences true": share(truly, by),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", default="build/verdicts.jsonl")
    options = parser.parse_args()
    labels = [
        {"kind": kind, "rows": options.rows, "number": number}
        for number in range(options.tables)
        for kind in KINDS
    ]
    tasks = [
        (label, partial(table_of, label["kind"], label["rows"], label["number"]))
        for label in labels
    ]
    found = pd.DataFrame(Store(options.store).run(tasks, options.jobs))
    lines = [line_of(kind, found[found["kind"] == kind].reset_index()) for kind in KINDS]
    PAGE.write_text(
        f"""# Verdicts beside the truth

`python benchmarks/verdicts.py --tables {options.tables} --rows {options.rows}`: {options.tables}
simulated models (stars, chains, two layers and random graphs of {N_VARIABLES} variables, linear and
nonlinear, seeds {FIRST_SEED:,} and up), {options.rows} rows each, ridge regression, no rivals. The
truth is the loss of the same blends, fitted to all rows, on {N_TEST:,} rows that are not seen.

{to_markdown(lines)}

A claim is false if the large test set does not show that part of the gain. A complete graph claims
no independence, so that no gain can be ascribed to one; a shuffled graph claims wrong ones.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
