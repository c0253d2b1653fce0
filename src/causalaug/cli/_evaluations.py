"""An evaluation on its way out: a report in a file, a table on the screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from causalaug._atomic import atomic_path, check_output
from causalaug.cli._output import plain
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from causalaug.cli._output import Output
    from causalaug.report import Evaluation

PAGES, ENDINGS = (".html", ".htm"), (".html", ".htm", ".md", ".json")


def check_report(path: Path) -> None:
    """Raise unless a report could be written there; worth asking before long work."""
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"A report must end in one of {', '.join(ENDINGS)}. Found {str(path)!r}. Rename it."
        )
    check_output(path)


def write_report(result: Evaluation, path: Path) -> None:
    """Write a report in the format of its ending, in full or not at all."""
    if path.suffix.lower() in PAGES:
        result.to_html(path)
        return
    as_json = path.suffix.lower() == ".json"
    text = json.dumps(plain(result.to_dict()), indent=2) if as_json else result.to_markdown()
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def tell(output: Output, result: Evaluation, report: Path | None) -> None:
    """Say the verdict first, then the losses, the parts of the gain, and the check."""
    output.document({**result.to_dict(), "report": report and str(report)})
    output.say(result.verdict)
    if output.quiet:
        return
    compared = result.comparison
    losses = [
        (name, float(compared.losses[name].mean()), "" if name == "baseline" else str(gain))
        for name, gain in ((str(name), compared.gain(str(name))) for name in compared.losses)
    ]
    parts = [
        ("in total", str(compared.total)),
        ("of which smoothing", str(compared.smoothing)),
        ("of which the graph", str(compared.graph)),
    ]
    output.say()
    output.table(["method", compared.loss_name, "against the baseline"], losses)
    output.say()
    output.table(["part of the gain", f"change in {compared.loss_name}"], parts)
    output.say(f"\nBaseline: {compared.learner}. Control: a blend that knows no graph.")
    output.say(f"The graph: {result.check.summary()}")
    if report is not None:
        output.say(f"Report: {report.resolve()}")
