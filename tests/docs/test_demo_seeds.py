"""What the pages say of other seeds of the demo is what its table says."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = (DOCS / "results" / "demo.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in RESULTS.splitlines() if re.match(r"\| \d+ \|", line)]


def test_nine_of_ten_seeds_give_the_verdict_and_the_pages_say_how_many():
    helped = sum("The graph helps" in row[2] for row in ROWS)
    assert helped >= 0.9 * len(ROWS) >= 18
    assert f'"The graph helps" came {helped} times in {len(ROWS)}' in RESULTS
    start = (DOCS / "start.md").read_text(encoding="utf-8")
    assert f"with {helped} of {len(ROWS)} seeds" in start


def test_a_wrong_graph_does_no_clear_harm_with_any_seed():
    for row in ROWS:
        change, error = map(float, re.fullmatch(r"([+-][\d.]+)% ± ([\d.]+)", row[3]).groups())
        assert change <= 2.0 * error + 0.1, row
