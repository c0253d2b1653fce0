"""What the package promises to the outside: names, docstrings, a light import."""

import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import causalaug as ca

HEAVY = ["matplotlib", "xgboost", "dask", "torch", "sklearn", "polars", "pyarrow.parquet"]
HEAVY += ["lingam", "causallearn", "numpy", "pandas", "scipy", "networkx", "typer", "rich"]
CLASSES_AND_FUNCTIONS = [name for name in ca.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", CLASSES_AND_FUNCTIONS)
def test_every_public_name_is_documented(name):
    documented = inspect.getdoc(getattr(ca, name))
    assert documented
    assert documented.splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", CLASSES_AND_FUNCTIONS)
def test_every_public_method_is_documented(name):
    members = inspect.getmembers(getattr(ca, name)) if inspect.isclass(getattr(ca, name)) else []
    missing = [key for key, member in members if not key.startswith("_") and _lacks_doc(member)]
    assert not missing


def _lacks_doc(member):
    is_code = callable(member) or isinstance(member, property)
    return is_code and not inspect.getdoc(member)


@pytest.mark.parametrize("name", ca.datasets.__all__)
def test_every_name_of_datasets_is_documented(name):
    documented = inspect.getdoc(getattr(ca.datasets, name))
    assert documented
    assert "Examples" in documented


@pytest.mark.parametrize("name", ca.discovery.__all__)
def test_every_name_of_discovery_is_documented(name):
    documented = inspect.getdoc(getattr(ca.discovery, name))
    assert documented
    assert "Examples" in documented


@pytest.mark.parametrize("name", ca.engine.__all__)
def test_every_name_of_the_engine_is_documented(name):
    documented = inspect.getdoc(getattr(ca.engine, name))
    assert documented
    assert "Examples" in documented or "Make one with" in documented or "Open one" in documented


@pytest.mark.parametrize("name", ca.plot.__all__)
def test_every_name_of_plot_is_documented(name):
    documented = inspect.getdoc(getattr(ca.plot, name))
    assert documented
    assert "Examples" in documented


def test_all_is_sorted_and_complete():
    assert sorted(ca.__all__) == ca.__all__
    assert dir(ca) == ca.__all__
    for name in ca.__all__:
        assert getattr(ca, name) is not None


def test_every_name_is_the_one_of_its_home():
    assert {*ca._HOMES, "__version__"} == set(ca.__all__)
    for name, home in ca._HOMES.items():
        module = import_module(f"causalaug.{home}")
        assert getattr(ca, name) is (module if name == home else getattr(module, name))


@pytest.mark.parametrize("name", ["datasets", "discovery", "exceptions", "graphs"])
def test_a_module_is_an_attribute_before_it_is_imported(name):
    code = f"import causalaug; print(causalaug.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"causalaug.{name}"


def test_a_name_that_does_not_exist_is_refused():
    with pytest.raises(AttributeError, match="module 'causalaug' has no attribute 'augmnt'"):
        _ = ca.augmnt


def test_the_import_is_light():
    code = f"import sys, causalaug; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rows_are_made_without_what_only_an_engine_needs():
    code = (
        "import sys, numpy, causalaug as ca, causalaug.engine;"
        "ca.augment(numpy.eye(3), ca.ADMG(['a', 'b', 'c']), random_state=0);"
        "print([m for m in ('dask', 'distributed', 'pyarrow.parquet', 'xgboost', 'torch')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_types_are_shipped():
    assert Path(ca.__file__).with_name("py.typed").exists()


def test_the_version_is_a_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", ca.__version__)


def test_the_lowest_versions_are_those_of_the_project():
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    bounds = dict(
        requirement.split(">=")
        for requirement in [*project["dependencies"], *extras["test"]]
        if ">=" in requirement
    )
    lines = (root / "constraints-lowest.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    assert {dependency.split(">=")[0] for dependency in project["dependencies"]} <= set(pinned)
    for name, version in pinned.items():
        if name == "click":  # no dependency of ours: what the oldest typer is made of
            continue
        assert (version + ".").startswith(bounds[name] + "."), name
