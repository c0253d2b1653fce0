"""The command ``causalaug``: the library for those who have a file and a shell.

The commands are in files named after them; what they share is in ``_options``, ``_output`` and
``_process``, and for what is read and written in ``_files``, ``_tables`` and ``_cells``. A command
imports what is heavy (numpy, pandas, scikit-learn) inside its body, so that help and mistakes in
the options take no time. Without typer and rich, the extra ``cli``, there is still a version and a
help, here, where nothing but the standard library is imported.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

__all__ = ["main"]

INSTALL = 'pip install "causalaug[cli]"'

HELP = f"""\
Usage: causalaug [OPTIONS] COMMAND [ARGS]...

  Turn a small table and a causal graph into better predictions.

  The commands need typer and rich, which are not installed. To get them:

    {INSTALL}

  Then, on an example that is built in:

    causalaug demo

  From Python nothing more is needed:

    import causalaug as ca
    data = ca.datasets.make_machine_wear(random_state=0)
    print(ca.evaluate(data.frame, data.graph, "wear", rivals=False, random_state=0).verdict)

Options:
  --version   Print the version, and exit.
  -h, --help  Show this message, and exit.

Commands, once they are installed:
  demo       The whole method on simulated data, and a report.
  evaluate   Ask whether a graph helps to predict, and fits the data.
  augment    Make new, weighted rows.
  predict    Predict a column of new rows by the graph's own model.
  complete   Fill in the cells that are missing.
  check      Test the independences of a graph on the data.
  discover   Estimate a causal graph from data alone.
  graph      Look at a graph, translate it, ask what a variable depends on.
  datasets   Tables with graphs to try the other commands on.
"""


def main() -> None:
    """Run the command line of this process, and exit."""
    try:
        import rich  # noqa: F401  what draws is imported late, but missed early

        from causalaug.cli._app import app
        from causalaug.cli._process import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(_run_bare(sys.argv[1:], str(error.name)))
    run(app)


def _run_bare(words: Sequence[str], missing: str) -> str | int:
    """Answer what can be answered without `missing`; return what to exit with.

    >>> print(_run_bare(["check", "rows.csv"], "typer"))
    error: The command `causalaug` needs 'typer', which is not installed. Install it with: \
pip install "causalaug[cli]"
    """
    if "--version" in words[:1]:
        print(f"causalaug {import_module('causalaug').__version__}")
        return 0
    if not words or words[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0
    return (
        f"error: The command `causalaug` needs {missing!r}, which is not installed. "
        f"Install it with: {INSTALL}"
    )
