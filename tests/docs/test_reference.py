"""Every public name is in the reference, and nothing else."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import causalaug as ca

API = Path(__file__).parents[2] / "docs" / "api"
MODULES = [each.name for each in pkgutil.iter_modules(ca.__path__) if not each.name.startswith("_")]


def listed(text):
    """Return the full names in the tables of a page, and those of its constants."""
    names, module, in_table = set(), None, False
    for line in text.splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split()[-1]
        in_table = line.startswith(".. autosummary::") or (in_table and not line.startswith("```"))
        if in_table and re.fullmatch(r"   \w+", line):
            names.add(f"{module}.{line.strip()}")
    constants = re.findall(r"^```\{py:data\} (\w+)\n:module: (\S+)$", text, re.M)
    return names | {f"{module}.{name}" for name, module in constants}


INTERNALS = listed((API / "internals.md").read_text(encoding="utf-8"))
"""What a user does not need stands on a page of its own."""


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_of_a_module_is_listed(name):
    module = import_module(f"causalaug.{name}")
    expected = {
        f"causalaug.{each}" if each in ca.__all__ else f"{module.__name__}.{each}"
        for each in module.__all__
    }
    internal = {each for each in INTERNALS if each.rpartition(".")[0] == module.__name__}
    shown = listed((API / f"{name}.md").read_text(encoding="utf-8"))
    assert shown | internal == expected
    assert not shown & internal


def test_every_name_of_the_root_is_listed():
    pages = [path.read_text(encoding="utf-8") for path in API.glob("*.md")]
    found = set().union(*map(listed, pages))
    names = {name for name in ca.__all__ if not name.startswith("__") and name not in MODULES}
    assert {f"causalaug.{name}" for name in names} <= found


def test_every_page_is_in_the_table_of_contents():
    index = (API / "index.md").read_text(encoding="utf-8")
    pages = {path.stem for path in API.glob("*.md")} - {"index"}
    assert pages == {line for line in index.splitlines() if line in pages}
    assert pages == {*MODULES, "internals"}


VALUES = ("Dataset", "StructuralModel", "Discovery", "GraphModel", "Evaluation", "Trust")
"""What holds a graph and is made by the library."""


def functions_of_a_graph():
    """Return public functions and learners with an argument `graph`, and what is said of it."""
    found = {}
    for module in MODULES:
        public = import_module(f"causalaug.{module}")
        for name in public.__all__:
            value = getattr(public, name)
            if callable(value) and name not in VALUES and hasattr(value, "__doc__"):
                said = re.search(r"^ *graph : (.*)$", value.__doc__ or "", re.M)
                is_internal = f"{public.__name__}.{name}" in INTERNALS
                if said and not is_internal and "graph" in inspect.signature(value).parameters:
                    found[f"{module}.{name}"] = said[1]
    return found


def test_the_reference_says_wherever_a_graph_may_be_text():
    said = functions_of_a_graph()
    # A model to be simulated has shapes, which are words themselves.
    assert '{"random", "star"' in said.pop("datasets.make_sem_model")
    assert {"model.augment", "graphs.write_graph", "estimators.GraphRegressor"} <= set(said)
    text = 'ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads'
    assert {name for name, words in said.items() if not words.startswith(text)} == set()


def test_functions_of_a_graph_alone_take_text():
    assert ca.write_graph("A -> B") == ca.write_graph(ca.read_graph("A -> B"))
    assert ca.graphs.layered_layout("A -> B")["A"] == (0.5, 0.0)
    pair = ca.discovery.PAG(["A", "B"], [("A", "--", "B")])
    assert ca.discovery.edge_origins("A -> B", pair)["origin"].tolist() == ["choice"]
