"""Tables as they come: missing cells, unlabelled rows, whole numbers, and what each costs.

Writes docs/results/incomplete.md. A unit is a random model of 8 variables (or a split of a
bundled table) with its own training rows and 2,000 test rows; units are kept in a store, so that a
run can be stopped and continued. `--units` says how many a cell has at least (below 40 no page is
written), `--only` which sections run, `--quick` does few units. The seeds of the final tables
are 1,800,000 and up. How often holes are drawn, what such rows count and how they are judged was
chosen on seeds below 1,400,000 and confirmed on those below 1,500,000; earlier versions had been
measured on 1,600,000 and up, so that these are left alone.
"""

import time
import warnings
from dataclasses import dataclass
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  it is still experimental
from sklearn.impute import IterativeImputer

import causalaug as ca
from causalaug.conditionals import KernelConditional
from sections import RESULTS, Page, Settings, read_options, run_sections
from units import BOOSTING, percent, ridge, to_markdown, worst_tenth, wrong_graph

FIRST_FINAL_SEED = 1_800_000
FEWEST_UNITS = 40
"""With fewer units a cell the tables are printed, and no page is written."""
N_VARIABLES, N_TEST, N_HOLED = 8, 2000, 500
"""Sizes of the models and of their test rows; with holes, fewer are asked for."""
SHAPES = ("star", "chain", "two-layer", "random")
MECHANISMS = ("linear", "nonlinear")
LEARNERS = ("boosting", "ridge")
WRONG = ("another model's", "shuffled", "one arrow reversed", "one edge missing")
COPIES = 10
"""Copies of each row with holes that the plain learner is given, together of the row's weight."""
TIMES_UNLABELLED = 10
TABLES = ("auto_mpg", "boston_housing", "red_wine", "sachs", "white_wine")


# Rows, holes, learners.


def draw(shape, mechanism, n, seed, n_more=0):
    """Return a fresh model, training rows, further rows and test rows."""
    noise = "laplace" if mechanism == "linear" else "gaussian"
    options = {"graph": shape, "mechanism": mechanism, "noise": noise, "n_variables": N_VARIABLES}
    model = ca.datasets.make_sem_model(**options, random_state=seed)
    rows = model.sample(n + n_more + N_TEST, random_state=seed + 10**6).frame
    parts = np.split(np.arange(len(rows)), [n, n + n_more])
    return model, *(rows.iloc[part].reset_index(drop=True) for part in parts)


def punched(frame, share, seed):
    """Return the frame with a share of its cells missing completely at random."""
    holes = np.random.default_rng([seed, 1]).random(frame.shape) < share
    return frame.mask(holes)


def learner_of(name):
    return HistGradientBoostingRegressor(**BOOSTING) if name == "boosting" else ridge()


def fit_plain(name, frame, target, weights=None):
    learner = learner_of(name)
    step = "" if name == "boosting" else "ridge__"
    weighed = {} if weights is None else {f"{step}sample_weight": weights}
    return learner.fit(frame.drop(columns=target), frame[target], **weighed)


def fit_ours(name, graph, frame, target, seed):
    learner = ca.AugmentedRegressor(learner_of(name), graph=graph, target=target, random_state=seed)
    return learner.fit(frame.drop(columns=target), frame[target])


def loss(fitted, test, target):
    predicted = np.asarray(fitted.predict(test.drop(columns=target)))
    return float(np.square(predicted - test[target].to_numpy()).mean())


def imputer_of(seed):
    return IterativeImputer(random_state=seed % 2**31)


def imputed(frame, target, seed):
    """Return the labelled rows, holes filled from the other features, as a pipeline would do it."""
    rows = frame[frame[target].notna()].reset_index(drop=True)
    features = rows.drop(columns=target)
    filled = imputer_of(seed).fit_transform(features)
    return pd.DataFrame(filled, columns=features.columns).assign(**{target: rows[target]})


def imputed_with_target(frame, seed):
    """Return all rows, holes filled from the other features and the target, and in it."""
    return pd.DataFrame(imputer_of(seed).fit_transform(frame), columns=frame.columns)


def completed(graph, frame, seed):
    """Return completed copies of all rows and their weights."""
    model = ca.fit_model(frame, graph, "auto").refined(random_state=seed)
    made = model.complete(frame, copies=COPIES, random_state=seed)
    return made.frame, made.weights


# Units.


def plain_unit(shape, mechanism, n, share, name, seed):
    """Return the losses of the plain learner on rows that were filled in, in several ways."""
    model, train, _, test = draw(shape, mechanism, n, seed)
    target, holed = model.target, punched(train, share, seed)
    rows, weights = completed(model.graph, holed, seed)
    filled = {
        "all cells": train,
        "imputer": imputed(holed, target, seed),
        "imputer with the target": imputed_with_target(holed, seed),
    }
    found = {way: loss(fit_plain(name, each, target), test, target) for way, each in filled.items()}
    found["completed"] = loss(fit_plain(name, rows, target, weights), test, target)
    if name == "boosting":
        labelled = holed[holed[target].notna()]
        found["holes as they are"] = loss(fit_plain(name, labelled, target), test, target)
    if share < 0.05:
        found["complete rows"] = loss(fit_plain(name, holed.dropna(), target), test, target)
    return found


def ours_unit(shape, mechanism, n, share, name, seed):
    """Return the losses of our learner on the holes, and on rows that the imputer filled in.

    Then both are asked about rows with holes, which the same imputer fills in.
    """
    model, train, _, test = draw(shape, mechanism, n, seed)
    target, holed = model.target, punched(train, share, seed)
    started = time.process_time()
    ours = fit_ours(name, model.graph, holed, target, seed)
    found = {"ours": loss(ours, test, target), "seconds": time.process_time() - started}
    if share < 0.05:
        rows = holed.dropna().reset_index(drop=True)
        found["complete rows"] = loss(fit_ours(name, model.graph, rows, target, seed), test, target)
        return found
    filled = fit_ours(name, model.graph, imputed(holed, target, seed), target, seed)
    found["imputer"] = loss(filled, test, target)
    found["all cells"] = loss(fit_ours(name, model.graph, train, target, seed), test, target)
    asked = punched(test[:N_HOLED].drop(columns=target), share, seed + 1)
    truth = test[target][:N_HOLED].to_numpy()
    labelled = holed[holed[target].notna()].drop(columns=target)
    imputer = imputer_of(seed).fit(labelled)
    guessed = pd.DataFrame(imputer.transform(asked), columns=asked.columns)
    found["ours, asked with holes"] = float(np.square(ours.predict(asked) - truth).mean())
    found["imputer, asked with holes"] = float(np.square(filled.predict(guessed) - truth).mean())
    return found


def unlabelled_unit(shape, mechanism, n, given, name, seed):
    """Return the losses of our learner without and with ten times as many unlabelled rows."""
    model, train, more, test = draw(shape, mechanism, n, seed, n_more=TIMES_UNLABELLED * n)
    target = model.target
    graph = model.graph if given == "right" else wrong_graph(given, model.graph, seed)
    both = pd.concat([train, more.assign(**{target: np.nan})], ignore_index=True)
    plain = fit_plain(name, train, target)
    with_them = fit_ours(name, graph, both, target, seed)
    return {
        "plain": loss(plain, test, target),
        "without": loss(fit_ours(name, graph, train, target, seed), test, target),
        "with": loss(with_them, test, target),
        "model without": loss(model_alone(graph, train, target, seed), test, target),
        "model with": loss(model_alone(graph, both, target, seed), test, target),
    }


def model_alone(graph, frame, target, seed):
    learner = ca.GraphRegressor(graph, target=target, random_state=seed)
    return learner.fit(frame.drop(columns=target), frame[target])


def old_default():
    """Return a context in which nominal cells must match exactly, as they once had to."""
    exactly = partial(KernelConditional, discrete_kernel="identity")
    return mock.patch("causalaug.conditionals._auto.KernelConditional", exactly)


def table_unit(table, kinds, n, seed):
    """Return the losses of one split: the plain learner, and ours with old or new kinds."""
    graph, frame, target = table_of(table)
    frame = frame.astype({target: float})
    order = np.random.default_rng(seed).permutation(len(frame))
    train = frame.iloc[order[:n]].reset_index(drop=True)
    test = frame.iloc[order[n : n + N_TEST]].reset_index(drop=True)
    plain = loss(fit_plain("boosting", train, target), test, target)
    options = {"graph": graph, "target": target, "random_state": seed}
    if kinds == "after":
        ours = ca.AugmentedRegressor(learner_of("boosting"), **options)
        ours.fit(train.drop(columns=target), train[target])
    else:
        labels = dict.fromkeys(integers(frame), "nominal")
        with old_default():
            ours = ca.AugmentedRegressor(learner_of("boosting"), kinds=labels, **options)
            ours.fit(train.drop(columns=target), train[target])
    return {"plain": plain, "ours": loss(ours, test, target)}


def mass_unit(table, kinds, n, seed):
    """Return the mass that `augment` drops of some rows of a table."""
    graph, whole, _ = table_of(table)
    some = np.random.default_rng(seed).permutation(len(whole))[:n]
    frame = whole.iloc[some].reset_index(drop=True)
    if kinds == "after":
        return {"dropped": ca.augment(frame, graph, random_state=seed).dropped_mass}
    labels = dict.fromkeys(integers(frame), "nominal")
    exactly = KernelConditional(discrete_kernel="identity")
    options = {"kinds": labels, "random_state": seed}
    return {"dropped": ca.augment(frame, graph, exactly, **options).dropped_mass}


def table_of(name):
    """Return the graph, the published rows and the target, whole columns as integers."""
    data = getattr(ca.datasets, f"load_{name}")(raw=True)
    whole = [column for column in data.frame if np.all(data.frame[column] % 1 == 0)]
    return data.graph, data.frame.astype(dict.fromkeys(whole, int)), data.target


def integers(frame):
    return [name for name in frame if frame[name].dtype.kind in "iu"]


# Sections.


@dataclass(frozen=True)
class Run(Settings):
    """Units of models in several shapes, with several mechanisms of missing cells."""

    def of(self, section, unit, cells):
        """Return one row per unit; a cell's units are shared out over shapes and mechanisms."""
        kinds = [(shape, mechanism) for shape in SHAPES for mechanism in MECHANISMS]
        kinds = kinds[::3] if self.quick else kinds
        each = 1 if self.quick else -(-self.units // len(kinds))
        tasks = []
        for number in range(each):
            for cell in cells:
                for shape, mechanism in kinds:
                    seed = self.first_seed + 7 * number
                    label = {"section": section, **cell, "shape": shape, "mechanism": mechanism}
                    call = partial(unit, shape, mechanism, *cell.values(), seed)
                    tasks.append((label | {"seed": seed}, call))
        return pd.DataFrame(self.store.run(tasks, self.jobs))


def change(cell, ours, theirs):
    return percent(cell[ours] / cell[theirs] - 1.0)


def tabulated(results, by, columns):
    rows = []
    for key, cell in results.groupby(by, sort=False):
        rows.append(dict(zip(by, key, strict=True)) | {"units": len(cell)} | columns(cell))
    return to_markdown(rows)


def completing(run):
    """One cell in five is missing in training; plain learners on what `complete` filled in."""
    cells = [{"n": n, "share": 0.2, "learner": name} for name in LEARNERS for n in (60, 150)]
    results = run.of("plain", plain_unit, cells)

    def columns(cell):
        has_holes = cell["holes as they are"].notna().all()
        return {
            "against the imputer, %": change(cell, "completed", "imputer"),
            "against the imputer with the target, %": change(
                cell, "completed", "imputer with the target"
            ),
            "against holes as they are, %": change(cell, "completed", "holes as they are")
            if has_holes
            else "it takes none",
            "all cells known, against the imputer, %": change(cell, "all cells", "imputer"),
        }

    groups = (["learner", "n"], ["learner", "n", "mechanism"])
    return "\n\n".join(tabulated(results, by, columns) for by in groups)


def training(run):
    """One cell in five is missing in training; our learner."""
    cells = [{"n": n, "share": 0.2, "learner": name} for name in LEARNERS for n in (60, 150)]
    results = run.of("ours", ours_unit, cells)

    def columns(cell):
        return {
            "against the imputer, %": change(cell, "ours", "imputer"),
            "all cells known, against the imputer, %": change(cell, "all cells", "imputer"),
        }

    groups = (["learner", "n"], ["learner", "n", "mechanism"])
    return "\n\n".join(tabulated(results, by, columns) for by in groups)


def prediction(run):
    """The rows that are asked about have holes, too."""
    cells = [{"n": n, "share": 0.2, "learner": name} for name in LEARNERS for n in (60, 150)]
    ours = run.of("ours", ours_unit, cells)

    def columns(cell):
        holed = "ours, asked with holes"
        return {
            "against the imputer, %": change(cell, holed, "imputer, asked with holes"),
            "against complete rows at prediction, %": change(cell, holed, "ours"),
        }

    return tabulated(ours, ["learner", "n"], columns)


def few_holes(run):
    """One cell in a hundred is missing; plain learners on what `complete` filled in."""
    cells = [{"n": n, "share": 0.01, "learner": name} for name in LEARNERS for n in (60, 150)]
    results = run.of("plain", plain_unit, cells)

    def columns(cell):
        return {"against complete rows alone, %": change(cell, "completed", "complete rows")}

    return tabulated(results, ["learner", "n"], columns)


def few_holes_ours(run):
    """One cell in a hundred is missing; our learner."""
    cells = [{"n": 60, "share": 0.01, "learner": name} for name in LEARNERS]
    results = run.of("ours", ours_unit, cells)

    def columns(cell):
        return {"against complete rows alone, %": change(cell, "ours", "complete rows")}

    return tabulated(results, ["learner", "n"], columns)


def unlabelled(run):
    """Ten times as many rows without the target."""
    right = run.of(
        "unlabelled",
        unlabelled_unit,
        [{"n": 60, "given": "right", "learner": name} for name in LEARNERS],
    )
    wrong = run.of(
        "unlabelled",
        unlabelled_unit,
        [{"n": 60, "given": given, "learner": "ridge"} for given in WRONG],
    )

    def columns(cell):
        harm = cell["with"] / cell["without"] - 1.0
        return {
            "with them against without, %": percent(harm),
            "worst tenth, %": worst_tenth(harm),
            "with them against plain, %": change(cell, "with", "plain"),
            "the graph's model alone, with against without, %": change(
                cell, "model with", "model without"
            ),
        }

    both = pd.concat([right, wrong]).assign(
        graph=lambda rows: np.where(rows["given"] == "right", "right", "wrong")
    )
    return "\n\n".join(
        [
            tabulated(both, ["graph", "learner"], columns),
            tabulated(both, ["given", "learner", "mechanism"], columns),
        ]
    )


def tables(run):
    """The bundled tables, whole numbers taken for labels and for what they are."""
    n_splits = 2 if run.quick else run.units // 2
    tasks, masses = [], []
    for number in range(n_splits):
        seed = run.first_seed + number
        for table in TABLES:
            _, frame, target = table_of(table)
            for kinds in ("before", "after"):
                label = {"table": table, "kinds": kinds, "n": 60, "seed": seed}
                if number < 10:
                    masses.append(
                        (
                            {"section": "mass", **label},
                            partial(mass_unit, table, kinds, 60, seed),
                        )
                    )
                if kinds == "after" or set(integers(frame)) - {target}:
                    tasks.append(
                        (
                            {"section": "tables", **label},
                            partial(table_unit, table, kinds, 60, seed),
                        )
                    )
    return table_of_tables(
        pd.DataFrame(run.store.run(tasks, run.jobs)), pd.DataFrame(run.store.run(masses, run.jobs))
    )


def table_of_tables(results, masses):
    rows = []
    for table in TABLES:
        _, frame, _ = table_of(table)
        known = ca.Table.from_frame(frame)
        taken = {name: known.kinds[known.index(name)] for name in integers(frame)}
        whole = ", ".join(f"{name} {kind}" for name, kind in taken.items())
        dropped = {
            kinds: masses[(masses["table"] == table) & (masses["kinds"] == kinds)]["dropped"]
            for kinds in ("before", "after")
        }
        own = results[results["table"] == table].set_index(["kinds", "seed"])
        gains = {kinds: own.loc[kinds] for kinds in own.index.unique("kinds")}
        said = {kinds: percent(part["ours"] / part["plain"] - 1.0) for kinds, part in gains.items()}
        rows.append(
            {
                "table": table,
                "whole numbers, kinds taken": whole or "none",
                "dropped before, %": f"{100 * dropped['before'].mean():.1f}",
                "dropped now, %": f"{100 * dropped['after'].mean():.1f}",
                "splits": len(gains["after"]),
                "our learner against plain, before, %": said.get("before", "the same"),
                "now, %": said["after"],
            }
        )
    return to_markdown(rows)


def speed(run):
    """What holes cost `fit_model`."""
    rows = []
    for conditional in ("default", "auto"):
        for n in (150, 1000) if conditional == "auto" else (150, 1000, 10_000):
            model, train, *_ = draw("random", "nonlinear", n, run.first_seed)
            holed = punched(train, 0.2, run.first_seed)
            chosen = None if conditional == "default" else conditional
            whole, with_holes = fastest(
                [partial(ca.fit_model, frame, model.graph, chosen) for frame in (train, holed)],
                times=3 if run.quick else 9,
            )
            rows.append(
                {
                    "conditional": conditional,
                    "rows": f"{n:,}",
                    "without holes, ms": f"{1e3 * whole:.1f}",
                    "20% missing, ms": f"{1e3 * with_holes:.1f}",
                    "ratio": f"{with_holes / whole:.2f}",
                }
            )
    return to_markdown(rows)


def fastest(calls, times):
    """Return the least time of each call, the calls taking turns."""
    least = [np.inf] * len(calls)
    for _ in range(times):
        for place, call in enumerate(calls):
            started = time.process_time()
            call()
            least[place] = min(least[place], time.process_time() - started)
    return least


SECTIONS = {
    "One cell in five missing in training: `complete`, then a plain learner": completing,
    "One cell in five missing in training: our learner": training,
    "Holes at prediction": prediction,
    "One cell in a hundred missing: `complete`, then a plain learner": few_holes,
    "One cell in a hundred missing: our learner": few_holes_ours,
    "Ten times as many unlabelled rows": unlabelled,
    "Whole numbers: the bundled tables": tables,
    "What holes cost": speed,
}

LEADS = {
    completing: f"""`fit_model(rows, graph, "auto").refined().complete(rows, copies={COPIES})` gives
each row with holes {COPIES} copies, which share its weight.
The imputer is scikit-learn's `IterativeImputer`, fitted to the features of the rows that have a
target, as in a pipeline. It does better if it is given the target as a further column, and rows
without a target are kept with an imputed one: that is the second rival. Boosting can also take the
holes as they are. The last column says what there is to gain.""",
    training: """On the holes, against the same on what the imputer filled in (features of rows that
have a target). The last column says what there is to gain.""",
    prediction: f"""The learners of the section above, asked about {N_HOLED} rows of which one cell
in five is missing: ours integrates the holes out, the imputer fills them in.""",
    few_holes: "Complete-row analysis drops every row with a hole, about 8% of them.",
    few_holes_ours: "The same with our learner, on the holes and on complete rows.",
    unlabelled: f"""60 rows with the target and {TIMES_UNLABELLED * 60} without. Wrong graphs are
another model's, the right one with shuffled names, with one arrow turned, with one gone; ridge.""",
    tables: f"""Columns of whole numbers are integers here, as in the files that the tables came in.
Before: integers are labels, and cells of a pillow must match exactly. Now: the default kinds and
kernel. Dropped mass is that of `augment` on 60 rows, mean of 10 draws; our learner is boosting with
every default on 60 rows of a split, judged on up to {N_TEST:,} others. "The same" is said where no
feature is a whole number (the target is a number to a regressor).""",
    speed: """`fit_model` on 8 columns, in turns, the fastest of nine runs each (CPU time, one
thread).""",
}

INTRODUCTION = f"""# Tables as they come

Made by `benchmarks/incomplete.py`. Change of the test MSE in percent, mean over units ± standard
error; below 0 is better. A unit is a fresh random structural model (`datasets.make_sem_model`,
{N_VARIABLES} variables; star, chain, two-layer and random graphs, linear and nonlinear, in equal
parts) with its own training rows and {N_TEST:,} test rows. Cells are missing completely at random,
in the target as in the features. The models have the seeds {FIRST_FINAL_SEED:,} and up, on which
nothing was chosen. Boosting is `HistGradientBoostingRegressor(max_leaf_nodes=8, max_iter=60,
min_samples_leaf=5, early_stopping=False)`, ridge has the penalty 10 on scaled columns; "our
learner" is `AugmentedRegressor` around them with every default.
"""


def main():
    options = read_options(
        __doc__,
        SECTIONS,
        store="incomplete.jsonl",
        first_seed=FIRST_FINAL_SEED,
        jobs=1,
        quick="few units",
    )
    run = Run.from_options(options)
    enough = options.units >= FEWEST_UNITS and not options.quick
    final = enough and options.first_seed == FIRST_FINAL_SEED
    page = Page(RESULTS / "incomplete.md", INTRODUCTION, tuple(SECTIONS))

    def write(_, section):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"{LEADS[section]}\n\n{section(run)}"

    run_sections(SECTIONS, options.only, write, page if final else None)


if __name__ == "__main__":
    main()
