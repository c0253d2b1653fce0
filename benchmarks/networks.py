"""Networks that experts made: the graph's model beside plain learners and the network itself.

Writes docs/results/networks.md; needs pgmpy (`pip install "causalaug[networks]"`), which ships the
networks. A draw is a network and a seed: its rows and one of its variables, which is to be
predicted from all others. Every draw is learnt from 50, 100, 200 and 500 of its rows and judged on
2,000 fresh ones. `--units` draws a network. Records are kept in a file, so that a run can be
stopped and continued; `--compare BEFORE AFTER` prints the paired differences of two such files.
"""

import warnings
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

import causalaug as ca
from causalaug.evaluation._rivals import tuned_learners
from records import (
    RIVALS,
    Benchmark,
    fitted,
    log_ratio,
    run,
    trusting,
    with_rivals,
)
from units import N_TEST, percent, plain_rivals, to_markdown, worst, worst_tenth

FIRST_FINAL_SEED = 7_500_000
"""Seeds from 7,000,000 on are for choosing."""
UNITS = 10
SIZES = ("50", "100", "200", "500")
OF_CLASSES = ("asia", "sachs", "child", "insurance", "hailfinder", "hepar2")
OF_NUMBERS = ("ecoli70", "magic-niab")
LEARNERS = ("graph model",)
UNIT = ["network", "n", "seed"]
KEY = [*UNIT, "learner"]
BDEU_SIZES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Equivalent sample sizes, of which folds take the best."""
FLOOR = 1e-6
"""No learner's probability counts as less: one row would be the whole loss of a forest."""
LEAST_LOSS = 0.05
"""A target whose log-loss under the true network is less is as good as known: the ratio of two
losses near nothing says nothing, and another target is drawn."""


# Networks: tables of levels, or lines. Rows are arrays, one column per variable in the order of the
# graph; levels are numbers from 0.


@dataclass(frozen=True)
class Tables:
    """A network of levels: for each variable the probabilities of its levels given its parents.

    The first axis of a table is the variable's, the others are its parents', as in `families`.
    """

    graph: ca.ADMG
    families: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[str, ...], ...]
    tables: tuple[np.ndarray, ...]

    def draw(self, node, rows, rng):
        """Return levels of one variable given its parents in the rows."""
        parents = tuple(rows[:, self.families[node][1:]].T)
        shares = np.cumsum(self.tables[node][:, *parents].reshape(len(self.levels[node]), -1), 0)
        return np.minimum((shares < rng.random(len(rows))).sum(0), len(shares) - 1)

    def learnt(self, rows, size=None):
        """Return the same network with tables of counts: BDeu of this size, or Laplace."""
        tables = []
        for family, table in zip(self.families, self.tables, strict=True):
            counts = np.full(table.shape, 1.0 if size is None else size / table.size)
            np.add.at(counts, tuple(rows[:, family].T), 1.0)
            tables.append(counts / counts.sum(0))
        return Tables(self.graph, self.families, self.levels, tuple(tables))

    def predict(self, target, rows):
        """Return the probabilities of the target's levels given all other variables."""
        n_levels = len(self.levels[target])
        log_odds = np.zeros((len(rows), n_levels))
        for level in range(n_levels):
            with_level = rows.copy()
            with_level[:, target] = level
            for family, table in zip(self.families, self.tables, strict=True):
                if target in family:
                    shares = table[tuple(with_level[:, family].T)]
                    log_odds[:, level] += np.log(np.maximum(shares, np.finfo(float).tiny))
        odds = np.exp(log_odds - log_odds.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)


@dataclass(frozen=True)
class Lines:
    """A linear Gaussian network: intercept, slopes on the parents and noise of each variable."""

    graph: ca.ADMG
    families: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[np.ndarray, float], ...]

    def draw(self, node, rows, rng):
        coefficients, noise = self.lines[node]
        return self._mean(node, rows, coefficients) + noise * rng.standard_normal(len(rows))

    def _mean(self, node, rows, coefficients):
        return coefficients[0] + rows[:, self.families[node][1:]] @ coefficients[1:]

    def learnt(self, rows):
        """Return the same network with lines by least squares."""
        lines = []
        for node, *parents in self.families:
            design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
            coefficients = np.linalg.lstsq(design, rows[:, node], rcond=None)[0]
            squares = np.square(rows[:, node] - design @ coefficients).sum()
            lines.append((coefficients, float(np.sqrt(squares / (len(rows) - design.shape[1])))))
        return Lines(self.graph, self.families, tuple(lines))

    def predict(self, target, rows):
        """Return the mean of the target given all other variables."""
        blank = rows.copy()
        blank[:, target] = 0.0
        weighted, precision = np.zeros(len(rows)), 0.0
        for node, (family, (coefficients, noise)) in enumerate(
            zip(self.families, self.lines, strict=True)
        ):
            if target in family:
                # Each factor says: slope * target is this far, give or take the noise.
                rest = blank[:, node] - self._mean(node, blank, coefficients)
                own = node == target
                slope = 1.0 if own else coefficients[family.index(target)]
                weighted += slope * (-rest if own else rest) / noise**2
                precision += slope**2 / noise**2
        return weighted / precision


@cache
def read_network(name):
    """Return a network that pgmpy ships."""
    try:
        from pgmpy.utils import get_example_model
    except ImportError as error:
        hint = 'Expert networks come with pgmpy: pip install "causalaug[networks]"'
        raise SystemExit(hint) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = get_example_model(name)
    names = sorted(model.nodes())
    place = {node: number for number, node in enumerate(names)}
    graph = ca.ADMG(names, list(model.edges()))
    found = [model.get_cpds(node) for node in names]
    families = tuple(tuple(place[each] for each in cpd.variables) for cpd in found)
    if name in OF_NUMBERS:
        lines = tuple((np.asarray(cpd.beta, dtype=float), float(cpd.std)) for cpd in found)
        return Lines(graph, families, lines)
    levels = tuple(tuple(cpd.state_names[node]) for node, cpd in zip(names, found, strict=True))
    check_levels(found, dict(zip(names, levels, strict=True)))
    return Tables(graph, families, levels, tuple(np.asarray(cpd.values) for cpd in found))


def check_levels(found, levels):
    """Raise unless all tables count the levels of a variable in the same order."""
    for cpd in found:
        for node, named in cpd.state_names.items():
            if tuple(named) != levels[node]:
                raise ValueError(f"Levels of {node} must be in one order; {cpd} has {named}.")


def sample(network, n_rows, rng):
    """Return rows of a network."""
    place = {node: number for number, node in enumerate(network.graph.nodes)}
    order = [place[node] for node in network.graph.topological_order()]
    rows = np.zeros((n_rows, len(order)), dtype=int if isinstance(network, Tables) else float)
    for node in order:
        rows[:, node] = network.draw(node, rows, rng)
    return rows


# Draws, and the losses of whoever learns from their rows.


@dataclass(frozen=True)
class Draw:
    """A network, rows to learn from and fresh ones, and the variable to be predicted."""

    network: Tables | Lines
    target: int
    train: np.ndarray
    test: np.ndarray

    @property
    def name(self):
        return self.network.graph.nodes[self.target]

    def loss(self, predict, learn, judge):
        """Return the loss on rows to judge by of `predict(learn, judge)`.

        Only levels that the rows to learn from have are asked for: no plain learner knows others.
        """
        said, truth = predict(learn, judge), judge[:, self.target]
        if isinstance(self.network, Lines):
            return float(np.square(said - truth).mean())
        known = np.isin(np.arange(said.shape[1]), learn[:, self.target])
        said = np.maximum(np.where(known, said, 0.0), np.where(known, FLOOR, 0.0))
        said /= said.sum(1, keepdims=True)
        asked = known[truth]
        return float(-np.log(said[asked, truth[asked]]).mean())

    def by_folds(self, candidates):
        """Return the name of the candidate with the least loss in five folds."""
        folds = list(KFold(5, shuffle=True, random_state=0).split(self.train))

        def total(predict):
            return sum(
                self.loss(predict, self.train[learn], self.train[judge]) for learn, judge in folds
            )

        return min(candidates, key=lambda name: total(candidates[name]))

    def frame(self, rows):
        """Return features and target as a user has them: numbers, or categories with all levels."""
        names = self.network.graph.nodes
        if isinstance(self.network, Lines):
            found = pd.DataFrame(rows, columns=list(names))
        else:
            columns = zip(names, rows.T, self.network.levels, strict=True)
            found = pd.DataFrame(
                {name: pd.Categorical.from_codes(codes, levels) for name, codes, levels in columns}
            )
        return found.drop(columns=self.name), found[self.name]

    def said_by(self, learnt, rows):
        """Return what a fitted learner predicts: numbers, or probabilities of all levels."""
        X, _ = self.frame(rows)
        if isinstance(self.network, Lines):
            return np.asarray(learnt.predict(X), dtype=float)
        levels = self.network.levels[self.target]
        said = np.zeros((len(rows), len(levels)))
        said[:, [levels.index(name) for name in learnt.classes_]] = learnt.predict_proba(X)
        return said


def drawn(name, n, seed):
    """Return a draw with so many rows to learn from; the target is the same for all sizes."""
    network, rng = read_network(name), np.random.default_rng(seed)
    most, least = int(SIZES[-1]), int(SIZES[0])
    rows = sample(network, most + N_TEST, rng)
    near = {node for edge in network.graph.directed for node in edge}
    for target in rng.permutation(len(network.graph.nodes)):
        found = Draw(network, int(target), rows[:least], rows[most:])
        if found.name in near and is_open(found):
            return Draw(network, int(target), rows[:n], rows[most:])
    raise ValueError(f"{name} must have a target that is not known from the others.")


def is_open(draw):
    """Return whether there is something to predict: two levels twice, and a true law that errs."""
    if isinstance(draw.network, Lines):
        return True
    counts = np.bincount(draw.train[:, draw.target])
    return (counts >= 2).sum() >= 2 and truth_loss(draw) > LEAST_LOSS


def truth_loss(draw):
    return draw.loss(lambda _, rows: draw.network.predict(draw.target, rows), draw.train, draw.test)


def rivals_unit(network, n, seed):
    """Return the losses of plain learners, of the network itself and of the true one."""
    draw = drawn(network, n, seed)

    def plain(learner, learn, judge):
        return draw.said_by(seeded(learner).fit(*draw.frame(learn)), judge)

    def forest(learner, learn, judge):
        # Trees that agree say 0: as with counts, one row more of all levels alike.
        said = plain(learner, learn, judge)
        return (len(learn) * said + 1.0 / said.shape[1]) / (len(learn) + 1.0)

    def itself(options, learn, judge):
        return draw.network.learnt(learn, **options).predict(draw.target, judge)

    losses = {"truth": truth_loss(draw)}
    X, _ = draw.frame(draw.train)
    if isinstance(draw.network, Lines):
        networks = {"linear Gaussian": partial(itself, {})}
        learners = plain_rivals()
    else:
        sized = {size: partial(itself, {"size": size}) for size in BDEU_SIZES}
        networks = {
            "BDeu 5": sized[5.0],
            "BDeu 10": sized[10.0],
            "BDeu by folds": sized[draw.by_folds(sized)],
            "Laplace": partial(itself, {}),
        }
        learners = tuned_learners(X, classification=True)
        del learners["Gaussian process"]
    plains = {name: partial(plain, learner) for name, learner in learners.items()}
    if isinstance(draw.network, Tables):
        plains["forest"] = partial(forest, learners["forest"])
    best = draw.by_folds(plains)
    for name, predict in (networks | plains).items():
        losses[name] = draw.loss(predict, draw.train, draw.test)
    return losses | {"best plain": losses[best], "best plain is": best, "target": draw.name}


def seeded(learner):
    """Return the learner with all its seeds set, so that a unit can be measured again."""
    names = [name for name in learner.get_params() if name.endswith("random_state")]
    return learner.set_params(**dict.fromkeys(names, 0))


def graph_unit(network, n, learner, seed, **more):
    """Return the loss of the graph's model, and its seconds."""
    draw = drawn(network, n, seed)
    is_number = isinstance(draw.network, Lines)
    asked = (ca.GraphRegressor if is_number else ca.GraphClassifier)(
        graph=draw.network.graph, target=draw.name, random_state=seed, **more
    )
    learnt, seconds = fitted(asked, *draw.frame(draw.train))
    loss = draw.loss(lambda _, rows: draw.said_by(learnt, rows), draw.train, draw.test)
    return {"loss": loss, "seconds": seconds}


def tasks_of(asked):
    """Return keys and calls, draw by draw, so that a run that is stopped has balanced cells."""
    tasks = []
    for seed in range(asked.first_seed, asked.first_seed + asked.units):
        for network in asked.networks:
            for n in map(int, asked.sizes):
                key = {"network": network, "n": n, "seed": seed}
                tasks.append((key | {"learner": RIVALS}, partial(rivals_unit, **key)))
                for learner in asked.learners:
                    named = key | {"learner": learner} | trusting(asked)
                    tasks.append((named, partial(graph_unit, **named)))
    return tasks


# Tables.

OF_PLAIN = {True: ("logistic", "forest", "boosting"), False: tuple(plain_rivals())}
OF_NETWORK = {
    True: ("BDeu 5", "BDeu 10", "BDeu by folds", "Laplace"),
    False: ("linear Gaussian",),
}


def section(results, classes):
    """Return the tables of networks of classes, or of numbers."""
    rivals = ["best plain", *OF_PLAIN[classes], *OF_NETWORK[classes], "truth"]
    ratios = results[UNIT].assign(
        **{name: log_ratio(results["loss"], results[name]) for name in rivals}
    )
    return "\n\n".join(
        [
            to_markdown([overall(name, ratios) for name in rivals]),
            "By network, over all sizes:",
            means(ratios, "network", rivals),
            "By size:",
            means(ratios, "n", rivals),
        ]
    )


def overall(rival, ratios):
    """Return the line of one rival: the mean over networks, and the worst units."""
    by_network = by_draw(ratios, rival).groupby("network")
    # Networks weigh the same, however many draws each has.
    error = np.sqrt(by_network.var(ddof=1) / by_network.count())
    mean, n_networks = by_network.mean().mean(), by_network.ngroups
    spread = np.sqrt(np.square(error).sum(skipna=False)) / n_networks
    return {
        "rival": rival,
        "units": len(ratios),
        "against it": f"{100 * mean:+.1f} ± {100 * spread:.1f}",
        "worst network": worst(by_network.mean()),
        "worst tenth of units": worst_tenth(ratios[rival]),
        "worst unit": worst(ratios[rival]),
    }


def by_draw(ratios, rival):
    """Return the mean over the sizes of a draw: they share rows, and are no units of their own."""
    return ratios.groupby(["network", "seed"], sort=False)[rival].mean()


def means(ratios, by, rivals):
    return to_markdown(
        [
            {by: key, "draws": cell.groupby(["network", "seed"]).ngroups}
            | {name: percent(by_draw(cell, name)) for name in rivals}
            for key, cell in ratios.groupby(by, sort=False)
        ]
    )


TITLES = {True: "Classes: log-loss", False: "Numbers: mean squared error"}

INTRODUCTION = f"""# Networks that experts made

Made by `make networks`. 100 log(loss / loss of a rival) on {N_TEST:,} fresh rows, mean ± standard
error over draws; below 0 is better for `GraphClassifier` and `GraphRegressor` with every default,
which are given the network's graph. The networks are those of the bnlearn repository, as pgmpy
ships them, whole: all variables are columns. A draw is a network and a seed: its rows, and a target
among the variables with a neighbour. Of classes it must have two that occur twice in {SIZES[0]}
rows, and a log-loss above {LEAST_LOSS} under the true network: ratios of losses near nothing say
nothing. A unit is a draw with {", ".join(SIZES[:-1])} or {SIZES[-1]} of its rows. The seeds are
{FIRST_FINAL_SEED:,} and up, on which nothing was chosen.

*BDeu*, *Laplace* and *linear Gaussian* are the network itself, learnt with the same graph: tables
of counts with an equivalent sample of 5 or 10 rows, or of a size that five folds choose among
{", ".join(f"{size:g}" for size in BDEU_SIZES)}, or with one more row in each cell; lines by least
squares. Their target is predicted by its exact law given all other variables. *Truth* is the
network that the rows were drawn from: no learner can be below 0 in the long run. The best plain
learner is chosen by five folds; those of classes are lightly tuned, and a forest gets one more row
of all levels alike, since its trees may agree on 0. Columns are categories with all levels, and
only levels of the target that the training rows have are asked for.
"""


def sections(asked):
    """Yield title and tables of classes, then of numbers."""
    results = with_rivals(run(asked, tasks_of(asked)), UNIT)
    for classes, names in ((True, OF_CLASSES), (False, OF_NUMBERS)):
        part = results[results["network"].isin(names)]
        if not part.empty:
            yield TITLES[classes], section(part, classes)


BENCHMARK = Benchmark(
    name="networks",
    introduction=INTRODUCTION,
    titles=tuple(TITLES.values()),
    first_seed=FIRST_FINAL_SEED,
    units=UNITS,
    choices={"networks": (*OF_CLASSES, *OF_NUMBERS), "sizes": SIZES, "learners": LEARNERS},
    cell=("network", "n"),
    key=KEY,
)

if __name__ == "__main__":
    BENCHMARK.main(__doc__, sections)
