"""The command ``causalaug``: the library for those who have a file and a shell.

One file per command, named after it; what they share is in ``_options``, ``_output`` and
``_errors``, and for what is read and written in ``_files``, ``_table_files`` and
``_graph_files``. A command imports what is heavy (numpy, pandas, scikit-learn) inside its body,
so that help and mistakes in the options take no time.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process, and exit."""
    try:
        import rich  # noqa: F401  what draws is imported late, but missed early

        from causalaug.cli._process import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(
            f"error: The command `causalaug` needs {error.name!r}, which is not installed. "
            'Install it with: pip install "causalaug[cli]"'
        )
    run()
