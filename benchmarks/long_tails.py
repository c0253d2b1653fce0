"""Long-tailed tables: what the blend and the graph's own model do where a line is a poor guess.

Writes docs/results/long_tails.md. A unit is a random model of eight positive variables: roots are
log-normal, the others products of powers of their causes, or sums of such powers, times log-normal
noise. Each is given its right graph and one whose names are shuffled. Test rows are 2,000 of the
same law, so that some lie far beyond all that was seen. `--quick` runs a tenth of the units.
"""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

import causalaug as ca
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import learner_of, percent, to_markdown, worst, worst_tenth, wrong_graph

FIRST_FINAL_SEED = 5_700_000
N_VARIABLES, N_TEST = 8, 2_000
ROWS = (30, 60, 100, 200)


def long_tailed_model(seed):
    """Return a graph, its target, and a function that draws rows of it."""
    rng = np.random.default_rng(seed)
    names = [f"V{number}" for number in range(N_VARIABLES)]
    causes = {
        name: rng.choice(names[:place], size=min(place, int(rng.integers(0, 4))), replace=False)
        for place, name in enumerate(names)
    }
    powers = {name: rng.uniform(0.3, 1.5, len(causes[name])) for name in names}
    signs = {name: np.where(rng.random(len(causes[name])) < 0.8, 1.0, -1.0) for name in names}
    noise = {name: rng.uniform(0.2, 0.8) for name in names}
    is_product = {name: bool(rng.random() < 0.5) for name in names}
    spread = {name: rng.uniform(0.5, 1.2) for name in names}

    def draw(n, rng):
        columns = {}
        for name in names:
            own = [columns[cause] for cause in causes[name]]
            if not own:
                columns[name] = np.exp(spread[name] * rng.normal(size=n))
                continue
            exponents = powers[name] * (signs[name] if is_product[name] else 1.0)
            terms = [value**power for value, power in zip(own, exponents, strict=True)]
            mean = np.prod(terms, axis=0) if is_product[name] else np.sum(terms, axis=0)
            columns[name] = mean * np.exp(noise[name] * rng.normal(size=n))
        return pd.DataFrame(columns)

    edges = [(str(cause), name) for name in names for cause in causes[name]]
    with_causes = [name for name in names if len(causes[name])]
    target = str(rng.choice(with_causes or names))
    return ca.ADMG(names, directed=edges), target, draw


def unit(seed, n, given):
    """Return the test errors of one model, in variances of the target."""
    graph, target, draw = long_tailed_model(seed)
    rng = np.random.default_rng([seed, 1])
    train, test = draw(n, rng), draw(N_TEST, rng)
    X, y = train.drop(columns=target), train[target]
    asked, truth = test.drop(columns=target), test[target].to_numpy()
    graph = graph if given == "right" else wrong_graph(given, graph, seed)
    learners = {
        "mean": None,
        "ridge": learner_of("ridge", X, y),
        "forest": RandomForestRegressor(200, random_state=0),
        "boosting": learner_of("boosting", X, y),
        "graph model": ca.GraphRegressor(graph),
        "blended ridge": ca.AugmentedRegressor(
            learner_of("ridge", X, y), graph=graph, random_state=0
        ),
    }
    said = {
        name: np.full(N_TEST, y.mean()) if each is None else each.fit(X, y).predict(asked)
        for name, each in learners.items()
    }
    variance = float(truth.var())
    return {name: float(np.square(each - truth).mean()) / variance for name, each in said.items()}


def long_tails(settings):
    """Right and shuffled graphs, 30 to 200 rows."""
    n_units = settings.units // 10 if settings.quick else settings.units
    tasks = []
    for number in range(n_units):
        for given in ("right", "shuffled"):
            key = {
                "seed": settings.first_seed + number,
                "n": ROWS[number % len(ROWS)],
                "given": given,
            }
            tasks.append((key, partial(unit, **key)))
    results = pd.DataFrame(settings.store.run(tasks, settings.jobs))
    lines = []
    for given, part in results.groupby("given", sort=False):
        best = part[["ridge", "forest", "boosting"]].min(axis=1)
        change = part["blended ridge"] / part["ridge"] - 1.0
        against, over_mean = part["graph model"] / best, part["graph model"] / part["mean"]
        lines.append(
            {
                "given": given,
                "models": len(part),
                "blended ridge against ridge, %": percent(change),
                "worst tenth, %": worst_tenth(change),
                "worst unit, %": worst(change),
                "graph model / best plain, median": f"{against.median():.2f}",
                "worst unit, times": f"{against.max():.2f}",
                "graph model / mean, worst unit": f"{over_mean.max():.2f}",
            }
        )
    return to_markdown(lines)


SECTIONS = {"Long tails": long_tails}

INTRODUCTION = f"""# Long tails

Made by `benchmarks/long_tails.py`. A unit is a random model of {N_VARIABLES} positive variables:
roots are log-normal, the others products or sums of powers of their causes, times log-normal noise;
{", ".join(map(str, ROWS))} training rows in turns, {N_TEST:,} test rows of the same law. The models
have the seeds {FIRST_FINAL_SEED:,} and up, on which nothing was chosen. Ridge has the penalty 10 on
scaled columns; the best plain learner is that of ridge, forest and boosting which turned out best
on the test rows. Test errors are mean squared errors.
"""


def main():
    asked = read_options(
        __doc__,
        SECTIONS,
        store="long_tails.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=2,
        quick="a tenth of the units",
        units=200,
    )
    settings = Settings.from_options(asked)
    final = not asked.quick and asked.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "long_tails.md", INTRODUCTION, tuple(SECTIONS)) if final else None
    run_sections(SECTIONS, asked.only, lambda _, section: section(settings), page)


if __name__ == "__main__":
    main()
