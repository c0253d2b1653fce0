"""How often the demo would end as it does, had its seed been another one.

    OMP_NUM_THREADS=1 python benchmarks/demo_seeds.py --seeds 20

Prints a line per seed and the counts; `docs/results/demo.md` holds them.
"""

import argparse
import warnings

import causalaug as ca
from causalaug.cli._examples import N_FOLDS, N_ROWS, WRONG_GRAPH
from causalaug.evaluation import named_learner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    warnings.simplefilter("ignore", ca.exceptions.CausalAugWarning)
    n_seeds = parser.parse_args().seeds
    print("| seed | right graph: change | verdict | wrong graph: change | share of the wrong one |")
    print("|---|---|---|---|---|")
    helped = unharmed = 0
    for seed in range(n_seeds):
        data = ca.datasets.make_machine_wear(N_ROWS, random_state=seed)
        learner = named_learner("ridge", data.X, classification=False)
        right, wrong = (
            ca.compare(
                data.frame,
                graph,
                data.target,
                learner,
                n_splits=N_FOLDS,
                rivals=False,
                random_state=seed,
            )
            for graph in (data.graph, WRONG_GRAPH)
        )
        verdict = right.findings[0].partition(":")[0]
        helped += verdict.startswith("The graph helps")
        unharmed += not (wrong.total.is_clear and wrong.total.change > 0.0)
        cells = [seed, right.total, verdict, wrong.total, f"{wrong.share:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    print(f"\nThe graph helps: {helped} of {n_seeds}. A wrong graph does no harm: {unharmed}.")


if __name__ == "__main__":
    main()
