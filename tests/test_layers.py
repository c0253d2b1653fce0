"""Data flows down a list of layers; imports only point up it."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import causalaug

ROOT = Path(causalaug.__file__).parent
LAYERS = [
    ["exceptions", "typing"],
    [
        "_heap",
        "_magnitudes",
        "_memory",
        "_markup",
        "_validation",
        "_optional",
        "_random",
        "_ragged",
        "_threads",
    ],
    ["_atomic", "_progress", "_workers"],
    ["graphs"],
    ["table"],
    ["factorization"],
    ["kernels"],
    ["densities"],
    ["conditionals"],
    ["expansion"],
    ["_augmented_table"],
    ["model"],
    ["augmentation"],
    ["engine"],
    ["diagnostics"],
    ["estimators"],
    ["evaluation"],
    ["datasets"],
    ["discovery"],
    ["plot"],
    ["report"],
    ["cli"],
    ["__main__"],
]
DEPTH = {name: depth for depth, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")
KNOWS_SCIKIT_LEARN = {"estimators", "evaluation"}
KNOWS_MATPLOTLIB = {"plot"}
EXPANSIONS = {"_pruned", "_budget", "_sampled", "_beam"}
PRIVATE = {
    ("factorization", "graphs._admg.as_graph"): "one file less between a graph and its factors",
    ("factorization", "graphs._admg.order_of"): "an order is checked once, here",
    ("factorization", "graphs._admg.pillows"): "the pillows of all variables at once",
    ("discovery._pag", "graphs._checks.check_edges"): "a PAG keeps the rules of a graph",
    ("discovery._pag", "graphs._checks.check_known"): "a PAG keeps the rules of a graph",
    ("discovery._pag", "graphs._checks.check_nodes"): "a PAG keeps the rules of a graph",
    ("plot._graph", "graphs._checks.Edge"): "a type",
    ("plot._graph", "graphs._checks.check_known"): "the same words for a node that is none",
    ("report._sections", "graphs._drawing.draw_graph"): "one picture of a graph, here and there",
    ("report._sections", "graphs._drawing.near_target"): "one picture of a graph, here and there",
}
"""Private names that another package may import, and why."""

LAZY = {
    "cli": "nothing heavy is imported for help",
}
"""Packages and modules that may import within a function, and why."""


class Imported(NamedTuple):
    """A dotted name that a module imports, and whether it does so within a function."""

    name: str
    is_lazy: bool


def imports_of(path):
    """Yield the package's own modules and names that a file imports, anywhere in it."""
    for node, is_lazy in nodes_of(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        own = (name for name in names if name.split(".")[0] == "causalaug")
        yield from (Imported(name.removeprefix("causalaug."), is_lazy) for name in own)


def nodes_of(tree, is_lazy=False):
    """Yield all nodes below one, and whether a function stands between."""
    for node in ast.iter_child_nodes(tree):
        yield node, is_lazy
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from nodes_of(node, is_lazy or is_function)


def module_of(path):
    """Return the dotted name of a module, without that of the whole; a package has its own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULE_NAMES = {module_of(path) for path in MODULES}


def imported_module(name):
    """Return the module that a dotted name is, or is in; None for a name of the whole package."""
    while name not in MODULE_NAMES:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def layer_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} == set(DEPTH)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_up(path):
    own = layer_of(path)
    for name, _ in imports_of(path):
        other = name.split(".")[0]
        assert other == own or DEPTH[other] < DEPTH[own], f"{own} must not import {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_private_names_stay_in_their_package(path):
    found = {
        (module_of(path), name)
        for name, _ in imports_of(path)
        if name.split(".")[0] != layer_of(path)
        and any(part.startswith("_") for part in name.split(".")[1:])
    }
    allowed = {pair for pair in PRIVATE if pair[0] == module_of(path)}
    assert found == allowed, "import what the package exports, or list the name and say why"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_stand_at_the_top(path):
    lazy = [name for name, is_lazy in imports_of(path) if is_lazy]
    if not {layer_of(path), module_of(path)} & set(LAZY):
        assert not lazy, "an import within a function hides what a module needs"


@pytest.mark.parametrize("name", sorted(LAZY))
def test_what_may_import_late_does(name):
    paths = [path for path in MODULES if name in (layer_of(path), module_of(path))]
    assert any(is_lazy for path in paths for _, is_lazy in imports_of(path))


def test_no_module_needs_itself():
    needs = {
        module_of(path): {imported_module(name) for name, _ in imports_of(path)} - {None}
        for path in MODULES
    }
    try:
        tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("name", sorted(EXPANSIONS))
def test_expansions_do_not_know_each_other(name):
    imported = {
        part for each, _ in imports_of(ROOT / f"expansion/{name}.py") for part in each.split(".")
    }
    assert not imported & (EXPANSIONS - {name})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_glue_knows_scikit_learn_and_only_plot_plots(path):
    source = ast.parse(path.read_text())
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(source)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom)
    }
    allowed = {"sklearn"} if layer_of(path) in KNOWS_SCIKIT_LEARN else set()
    allowed |= {"matplotlib"} if layer_of(path) in KNOWS_MATPLOTLIB else set()
    assert not imported & ({"sklearn", "matplotlib", "polars", "pyarrow"} - allowed)
