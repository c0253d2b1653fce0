"""``python -m causalaug`` is the command ``causalaug``."""

from causalaug.cli import main

if __name__ == "__main__":
    main()
