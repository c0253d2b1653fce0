"""Data flows down a list of layers; imports only point up it."""

import ast
from pathlib import Path

import pytest

import causalaug

ROOT = Path(causalaug.__file__).parent
LAYERS = [
    ["exceptions", "typing"],
    ["_heap", "_markup", "_validation", "_optional", "_random", "_segments", "_threads"],
    ["_atomic", "_workers"],
    ["graphs"],
    ["table"],
    ["factorization"],
    ["kernels"],
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
    ["records"],
    ["experiments"],
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


def imports_of(path):
    """Yield the dotted names of the package's own modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "causalaug")


def layer_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} == set(DEPTH)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_up(path):
    own = layer_of(path)
    for name in imports_of(path):
        other = name.split(".")[1]
        assert other == own or DEPTH[other] < DEPTH[own], f"{own} must not import {name}"


@pytest.mark.parametrize("name", sorted(EXPANSIONS))
def test_expansions_do_not_know_each_other(name):
    imported = {
        part for each in imports_of(ROOT / f"expansion/{name}.py") for part in each.split(".")
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
