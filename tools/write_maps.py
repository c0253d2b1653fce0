"""Write the maps that name files and lines: of the modules, and of the paper's formulas.

The map in CONTRIBUTING.md lists every package and module with the first line of its docstring; the
one in docs/paper.md says in which file and line each formula stands. A test compares both with the
tree. Run it after a change that moves things: ``python tools/write_maps.py``.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/causalaug"
MODULES = ROOT / "CONTRIBUTING.md"
FORMULAS = ROOT / "docs/paper.md"

PLACES = [
    ("Eq. (1), the product of conditionals", "factorization.py", "def factorize("),
    ("the Markov pillow mp(j)", "graphs/_admg.py", "def pillows("),
    ("Eq. (2) and λ, the weights of old and new rows", "_augmented_table.py", "# Eq. (2)"),
    ("Eq. (3), the weight of a row given its pillow", "kernels/_product.py", "def log_kernel("),
    ("Eq. (3), the product along a path", "expansion/_pruned.py", "a factor of Eq. (3)"),
    ("Algorithm 1, FillProbTree", "expansion/_pruned.py", "def fill_tree("),
    ("Silverman's rule", "kernels/_bandwidths.py", "def silverman("),
]
"""What is looked for, in which file, and a text that stands on its line and nowhere else there."""


def module_map() -> str:
    """Return a table of all packages and modules, and what each is about."""
    rows = ["| in `src/causalaug/` | is about |", "|---|---|"]
    for path in sorted(SOURCE.rglob("*.py"), key=_place):
        name = str(path.relative_to(SOURCE))
        shown = name.removesuffix("__init__.py") or "__init__.py"
        rows.append(f"| `{shown}` | {_first_line(path)} |")
    return "\n".join(rows)


def formula_map() -> str:
    """Return a table of the formulas of the paper, and where they stand."""
    rows = ["| paper | file and line |", "|---|---|"]
    for formula, name, text in PLACES:
        lines = (SOURCE / name).read_text().splitlines()
        found = [number for number, line in enumerate(lines, start=1) if text in line]
        if len(found) != 1:
            raise SystemExit(f"{text!r} must stand on one line of {name}. Found it on {found}.")
        rows.append(f"| {formula} | `src/causalaug/{name}:{found[0]}` |")
    return "\n".join(rows)


def with_map(page: Path, table: str) -> str:
    """Return the text of a page with its map, between two marks, replaced."""
    marked = re.compile(r"(<!-- map -->\n\n).*?(\n\n<!-- end of map -->)", re.DOTALL)
    text, n_found = marked.subn(lambda match: match[1] + table + match[2], page.read_text())
    if n_found != 1:
        raise SystemExit(f"{page.name} must have one map. Found {n_found}.")
    return text


def _place(path: Path) -> tuple[bool, str, bool, str]:
    """Sort packages after the modules of the root, each before its own modules."""
    name = path.relative_to(SOURCE)
    return len(name.parts) > 1, str(name.parent), name.name != "__init__.py", name.name


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    return docstring.partition("\n")[0].replace("|", "\\|")


def main() -> None:
    """Write both maps."""
    MODULES.write_text(with_map(MODULES, module_map()))
    FORMULAS.write_text(with_map(FORMULAS, formula_map()))


if __name__ == "__main__":
    main()
