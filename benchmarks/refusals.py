"""What very large jobs take, or how soon and in which words they are refused.

    OMP_NUM_THREADS=1 python benchmarks/refusals.py
    OMP_NUM_THREADS=1 python benchmarks/refusals.py --before FOLDER/src

Every job runs in a process of its own, which may use so much time of the processor and so many
bytes. The second command measures an older checkout, for the column "before". Figures are kept in
`build/refusals.json`; both commands write `docs/results/refusals.md` from all that is there.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "build" / "refusals.json"
PAGE = ROOT / "docs" / "results" / "refusals.md"
MOST_SECONDS = 120
MOST_BYTES = 8_000_000 * 1024

TABLE = """
import numpy as np, pandas as pd, causalaug as ca
def table(n_rows, n_columns):
    cells = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return pd.DataFrame(cells, columns=[f"v{i}" for i in range(n_columns)])
def chain(n_nodes):
    nodes = [f"v{i}" for i in range(n_nodes)]
    return ca.ADMG(nodes, list(zip(nodes, nodes[1:])))
"""
ARROWS = 'text = " -> ".join(f"v{{i}}" for i in range({}))'
WIDE = "frame = table(100, {0}); graph = ca.ADMG(list(frame.columns))"
SMALL = "frame, graph = table(40, 5), chain(5)"

JOBS = {
    "arrow chain of 20,000 nodes": (ARROWS.format(20_000), "ca.read_graph(text)"),
    "arrow chain of 100,000 nodes": (ARROWS.format(100_000), "ca.read_graph(text)"),
    "`factorize` of a chain of 5,000": ("graph = chain(5_000)", "ca.factorize(graph)"),
    "cycle of 20,000 nodes": (
        'text = "\\n".join(f"v{i} -> v{(i + 1) % 20_000}" for i in range(20_000))',
        "ca.read_graph(text)",
    ),
    "`BeamExpansion(10**8)`, 40 x 5": (
        SMALL,
        "ca.augment(frame, graph, expansion=ca.BeamExpansion(10**8))",
    ),
    "`SampledExpansion(10**9)`, 40 x 5": (
        SMALL,
        "ca.augment(frame, graph, expansion=ca.SampledExpansion(10**9), random_state=0)",
    ),
    "`PrunedExpansion(0)`, 40 x 5": (
        SMALL,
        "ca.augment(frame, graph, expansion=ca.PrunedExpansion(0))",
    ),
    "`augment`, 100 rows, 1,000 columns without edges": (
        WIDE.format(1_000),
        "ca.augment(frame, graph, random_state=0)",
    ),
    "`augment`, 100 rows, 5,000 columns without edges": (
        WIDE.format(5_000),
        "ca.augment(frame, graph, random_state=0)",
    ),
    "`check_graph`, 2,000 rows, chain of 300": (
        "frame, graph = table(2_000, 300), chain(300)",
        "ca.check_graph(frame, graph)",
    ),
}

CHILD = """
import json, sys, time, warnings
setup, work = sys.argv[1:]
scope = {{}}
warnings.simplefilter("ignore")
exec({table!r}, scope)
exec(setup, scope)
# What a first call loads is no part of the job.
scope["ca"].augment(scope["table"](5, 2), scope["chain"](2), random_state=0)
warnings.simplefilter("always")
begun = time.process_time()
with warnings.catch_warnings(record=True) as said:
    try:
        exec(work, scope)
        ended = ["done", "; ".join(str(each.message) for each in said)]
    except BaseException as error:
        ended = [type(error).__name__, str(error)]
print(json.dumps([time.process_time() - begun, *ended]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", help="the folder of another version's sources")
    parser.add_argument("--only", default="", help="jobs whose name holds this")
    options = parser.parse_args()
    known = json.loads(STORE.read_text()) if STORE.exists() else {}
    STORE.parent.mkdir(exist_ok=True)
    for name, job in JOBS.items():
        if options.only in name:
            which = "before" if options.before else "after"
            known.setdefault(name, {})[which] = _run(options.before or ROOT / "src", *job)
            print(name, which, *known[name][which], sep="\n  ", flush=True)
            STORE.write_text(json.dumps(known, indent=1))
            PAGE.write_text(_page(known))


def _run(sources, setup, work):
    """Return the seconds that a job took, how it ended, and what it said."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD.format(table=TABLE), setup, work],
        env={**os.environ, "PYTHONPATH": str(sources), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        preexec_fn=_limit,
        check=False,
    )
    if child.returncode == 0:
        return json.loads(child.stdout.splitlines()[-1])
    if child.returncode < 0:
        return [MOST_SECONDS, "stopped", ""]
    return [None, "died", child.stderr[-300:]]


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _page(known):
    lines = [
        "# Large jobs: done in time, or refused in time",
        "",
        "Measured by `python benchmarks/refusals.py`. Seconds are those of the processor, so that",
        f"other work on the machine does not count. A job is stopped after {MOST_SECONDS} s, and",
        f"may use {MOST_BYTES / 1024**3:.1f} GiB of memory.",
        '"Before" is commit `217cd26`, the last before such jobs were made to refuse in time.',
        '"Over" so many seconds: stopped by hand or by the limit, and not done by then.',
        "",
        "| job | before | | now | |",
        "|---|---|---|---|---|",
    ]
    for name in JOBS:
        cells = [_cells(known.get(name, {}).get(which)) for which in ("before", "after")]
        lines.append(f"| {name} | {' | '.join(part for cell in cells for part in cell)} |")
    lines += ["", "## What is said now", ""]
    for name in JOBS:
        _, ended, text = known.get(name, {}).get("after") or (None, "", "")
        if text:
            lines += [
                f"**{name}**: {'warns' if ended == 'done' else f'`{ended}`'}",
                "",
                f"> {text}",
                "",
            ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _cells(measured):
    if measured is None:
        return "not measured", ""
    seconds, ended, text = measured
    took = (
        "-"
        if seconds is None
        else f"over {seconds} s"
        if ended == "stopped"
        else f"{seconds:.2g} s"
    )
    if ended in ("done", "stopped", "died"):
        return took, ended
    return took, f"`{ended}`, {len(text):,} characters"


if __name__ == "__main__":
    main()
