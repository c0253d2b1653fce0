"""The maps of the modules and of the formulas say what is there."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("write_maps", ROOT / "tools/write_maps.py")
maps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(maps)


@pytest.mark.parametrize(
    ("page", "table"),
    [(maps.MODULES, maps.module_map), (maps.FORMULAS, maps.formula_map)],
    ids=["modules", "formulas"],
)
def test_a_map_shows_what_is_there(page, table):
    assert page.read_text() == maps.with_map(page, table()), "run python tools/write_maps.py"


def test_every_module_says_what_it_is_about():
    assert "| |" not in maps.module_map().replace("|  |", "| |")
