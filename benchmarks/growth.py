"""How fits grow with the rows of a table, beside an older tree: docs/results/growth.md.

    make bench
    python benchmarks/growth.py --before ../older-tree
    python benchmarks/growth.py --before ../older-tree --only "mixed, numbers" --sizes 250 500 1000

Each job is done once, in a process of its own, with the sources of the tree; what counts are the
seconds of one core. The jobs are fits with every default. A mixed table has 13 columns, three of
them nominal and two ordered; some of its factors have no mean that would describe them (two
branches of one curve, a number that is often zero). A table of strings has 20 columns of 2 to 4
levels. Errors are those of rows that no fit has seen: what a sample of rows costs is seen there.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "growth.md"

PATIENCE = 600.0
"""Seconds after which a job is stopped."""

N_TEST = 5_000
"""Rows that are predicted."""

SIZES = (250, 500, 1_000, 2_000, 5_000, 10_000, 20_000)

MIXED = """
region -> {kind, visits, income, sign2}; kind -> {dose, y}; heat -> y; dose -> y;
age -> {grade, visits, income, heat, wear}; y -> {sign1, sign2, alarm, wear}; sign1 -> alarm
"""


@dataclass(frozen=True)
class Data:
    """Rows, their graph, and what is predicted."""

    frame: pd.DataFrame
    graph: Any
    target: str

    @property
    def features(self) -> pd.DataFrame:
        """All columns but the target."""
        return self.frame.drop(columns=self.target)


def mixed(n_rows: int, target: str, seed: int) -> Data:
    """Draw rows of 13 columns: strings, ordered numbers, and numbers of all shapes."""
    rng = np.random.default_rng(seed)
    region = rng.choice(4, n_rows, p=[0.4, 0.3, 0.2, 0.1])
    chances = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
    kind = (rng.random((n_rows, 1)) > chances.cumsum(axis=1)[region][:, :2]).sum(axis=1)
    age = rng.uniform(18.0, 80.0, n_rows)
    a = (age - 49.0) / 18.0
    grade = np.clip(np.round(3.0 + a + 0.5 * rng.logistic(size=n_rows)), 1, 5).astype(int)
    visits = np.minimum(rng.poisson(np.exp(0.4 * a + 0.2 * region)), 8)
    income = np.exp(10.0 + 0.3 * a + 0.2 * region + 0.4 * rng.normal(size=n_rows))
    is_none = rng.random(n_rows) < 0.6 - 0.2 * kind
    dose = np.where(is_none, 0.0, rng.gamma(2.0, 1.0 + kind))
    heat = rng.choice([-1, 1], n_rows) * (1.0 + 0.5 * a) + 0.3 * rng.normal(size=n_rows)
    y = 2.0 * np.sin(heat) + 0.5 * dose * (kind > 0) + 0.3 * kind + 0.5 * rng.laplace(size=n_rows)
    sign1 = rng.choice([-1, 1], n_rows) * y + 0.3 * rng.normal(size=n_rows)
    sign2 = 0.8 * y + 0.5 * region + rng.normal(size=n_rows) * (0.3 + 0.2 * np.abs(y))
    utility = np.stack([np.zeros(n_rows), y - 1.0, 0.7 * np.abs(sign1) - 1.0], axis=1)
    alarm = (utility + rng.gumbel(size=utility.shape)).argmax(axis=1)
    steps = np.floor(2.0 * np.tanh(y) + 0.5 * a * a + 0.3 * rng.normal(size=n_rows))
    columns = {
        "region": np.array(["north", "south", "east", "west"])[region],
        "kind": np.array(["p", "q", "r"])[kind],
        "age": age,
        "grade": grade,
        "visits": visits,
        "income": income,
        "dose": dose,
        "heat": heat,
        "y": y,
        "sign1": sign1,
        "sign2": sign2,
        "alarm": np.array(["none", "low", "high"])[alarm],
        "wear": steps + rng.exponential(size=n_rows),
    }
    import causalaug as ca

    return Data(pd.DataFrame(columns), ca.read_graph(MIXED), target)


def strings(n_rows: int, seed: int) -> Data:
    """Draw rows of a random network of 20 columns of levels."""
    from causalaug.datasets import make_sem_model

    model = make_sem_model("random", n_variables=20, mechanism="discrete", random_state=1)
    drawn = model.sample(n_rows, random_state=seed)
    return Data(drawn.frame.astype(str), drawn.graph, drawn.target)


def learner_of(name: str, data: Data) -> Any:
    """Return what is fitted: with every default, or logistic regression within."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    import causalaug as ca

    inner = ()
    if name.endswith("logistic"):
        encoder = OneHotEncoder(handle_unknown="ignore")
        inner = (make_pipeline(encoder, LogisticRegression(max_iter=500)),)
    kind = getattr(ca, name.split()[0])
    return kind(*inner, graph=data.graph, target=data.target, random_state=0)


def jobs() -> dict[str, tuple[str, Callable[[int, int], Data]]]:
    """Return, by name, what is fitted to which rows."""
    return {
        "mixed, numbers, GraphRegressor": ("GraphRegressor", lambda n, s: mixed(n, "y", s)),
        "mixed, numbers, AugmentedRegressor": ("AugmentedRegressor", lambda n, s: mixed(n, "y", s)),
        "mixed, classes, GraphClassifier": ("GraphClassifier", lambda n, s: mixed(n, "alarm", s)),
        "mixed, classes, AugmentedClassifier": (
            "AugmentedClassifier",
            lambda n, s: mixed(n, "alarm", s),
        ),
        "strings, GraphClassifier": ("GraphClassifier", strings),
        "strings, AugmentedClassifier, logistic": ("AugmentedClassifier logistic", strings),
    }


def work(name: str, n_rows: int) -> None:
    """Do one job in this process; print its seconds, those of its learner fits, and its error."""
    from learner_fits import fit_again, noted

    warnings.simplefilter("ignore")
    kind, draw = jobs()[name]
    data, new = draw(n_rows, 2), draw(N_TEST, 3)
    learner = learner_of(kind, data)
    with noted() as fits:
        start = time.process_time()
        learner.fit(data.features, data.frame[data.target])
        fitted = time.process_time()
    predicted = learner.predict(new.features)
    end = time.process_time()
    fit_again(fits)
    alone = time.process_time() - end
    truth = new.frame[new.target].to_numpy()
    is_number = truth.dtype.kind == "f"
    loss = np.mean(np.square(predicted - truth)) if is_number else np.mean(predicted != truth)
    found = {"fit": fitted - start, "predict": end - fitted, "alone": alone, "error": float(loss)}
    print(json.dumps(found))


def measured(tree: Path, name: str, n_rows: int) -> dict[str, float] | None:
    """Return what one job says with the sources of a tree; None if it takes too long."""
    path = os.pathsep.join([str(tree / "src"), str(ROOT / "benchmarks")])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--work", name, str(n_rows)]
    try:
        done = subprocess.run(
            command, env=environment, timeout=PATIENCE, capture_output=True, text=True, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        sys.exit(f"{name} of {n_rows} rows failed in {tree}:\n{error.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the power of the rows that seconds grow with.

    >>> exponent([1000, 2000, 4000], [1.0, 4.0, 16.0])
    2.0
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return round(float(slope), 2)


def in_words(found: dict[str, float] | None, key: str) -> str:
    """Return seconds or an error as the page writes them."""
    if found is None:
        return f"over {PATIENCE:.0f}" if key != "error" else ""
    return f"{found[key]:.4f}" if key == "error" else f"{found[key]:.1f}"


def section(name: str, sizes: tuple[int, ...], before: Path | None) -> Iterator[str]:
    """Yield the lines of one job: a row for each size, and how the seconds grow."""
    columns = ("fit", "predict", "error")
    head = ["rows", *(f"{each}, {tree}" for each in columns for tree in ("before", "now"))]
    head += ["learner fits alone", "fit / these"]
    yield f"## {name}"
    yield ""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    done: dict[int, float] = {}
    slow = before is None
    for n_rows in sizes:
        old = None if slow else measured(before, name, n_rows)  # type: ignore[arg-type]
        slow = slow or old is None
        new = measured(ROOT, name, n_rows)
        cells = [f"{n_rows:,}"]
        for each in columns:
            cells += ["" if before is None else in_words(old, each), in_words(new, each)]
        alone = 0.0 if new is None else new["alone"]
        ratio = f"{new['fit'] / alone:.1f}" if new is not None and alone > 0.05 else ""
        yield "| " + " | ".join([*cells, f"{alone:.1f}" if alone else "", ratio]) + " |"
        if new is not None and n_rows >= 1_000:
            done[n_rows] = new["fit"]
    if len(done) > 1:
        first, last = min(done), max(done)
        power = exponent(list(done), list(done.values()))
        yield ""
        yield f"From {first:,} to {last:,} rows the fit grows with the rows to the power {power}."
    yield ""


def main() -> None:
    """Measure and write the page, or do one job for another process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, metavar="TREE", help="sources to compare with")
    parser.add_argument("--only", default="", metavar="TEXT", help="print these jobs, write none")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="ROWS")
    parser.add_argument("--work", nargs=2, metavar=("JOB", "ROWS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        work(chosen.work[0], int(chosen.work[1]))
        return
    lines = []
    for name in jobs():
        if chosen.only in name:
            for line in section(name, tuple(chosen.sizes), chosen.before):
                print(line, flush=True)
                lines.append(line)
    if not chosen.only:
        PAGE.write_text("\n".join([*introduction(), *lines]), encoding="utf-8")


def introduction() -> list[str]:
    """Return what stands above the tables."""
    return [
        "# How fits grow with the rows",
        "",
        f"Written by `make bench` (Python {platform.python_version()}, {platform.machine()}). "
        "Seconds of one core, each job once in a process of its own, before and now in turns. "
        f"{N_TEST:,} new rows are predicted; the error is their mean squared error, or the share "
        "of wrong classes. An older tree is not asked for more rows once it took longer than "
        f"{PATIENCE / 60:.0f} minutes. The learner fits are those that the fit asked for, done "
        "again alone.",
        "",
    ]


if __name__ == "__main__":
    main()
