"""Write what the Python blocks of the pages print into the blocks of text below them.

Run it after a change that is meant to move printed figures: `python tools/write_pages.py start` for
docs/start.md, without a name for all pages and the README. Read the difference before it is
committed: the words around the figures may no longer be true.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from markdown_blocks import BLOCK, run  # noqa: E402


def rewritten(text: str, name: str) -> str:
    """Return a page with what its blocks print now, those of missing packages left out."""
    namespace: dict[str, object] = {}

    def shown(match):
        if match["needs"] is not None:
            return match.group()
        printed = run(match["code"], namespace, name)
        if match["shown"] is None:
            return match.group()
        lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        start, end = (each - match.start() for each in match.span("shown"))
        return match.group()[:start] + lines + match.group()[end:]

    return BLOCK.sub(shown, text)


def main() -> None:
    """Write the pages that are named, or all."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    for page in pages:
        if len(sys.argv) == 1 or page.stem in sys.argv[1:]:
            before = page.read_text(encoding="utf-8")
            after = rewritten(before, page.stem)
            if after != before:
                page.write_text(after, encoding="utf-8")
                print(f"{page.relative_to(ROOT)} is written anew")


if __name__ == "__main__":
    main()
