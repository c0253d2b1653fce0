"""The command ``causalaug``: the library for those who have a file and a shell.

One file per command, named after it; what they share is in ``_options`` (and ``_groups``, for those
that go together), ``_output`` and ``_errors``, and for what is read and written in ``_files``,
``_table_files`` and ``_graph_files``. A command imports what is heavy (numpy, pandas,
scikit-learn) inside its body, so that help and mistakes in the options take no time. Without typer
and rich, the extra ``cli``, there is still a version and a help: ``_bare``.
"""

import sys

from causalaug.cli._bare import run_bare

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process, and exit."""
    try:
        import rich  # noqa: F401  what draws is imported late, but missed early

        from causalaug.cli._process import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(run_bare(sys.argv[1:], str(error.name)))
    run()
