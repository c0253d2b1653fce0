"""Files that a maintainer inherits: they agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest

import causalaug

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_the_citation_names_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.M)[1] == causalaug.__version__


def test_the_topmost_section_of_the_changelog_is_that_of_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.M)[1] == causalaug.__version__


def test_hosted_tests_run_on_every_python_that_is_promised_and_on_three_systems():
    promised = [
        name.rpartition(" ")[2]
        for name in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", name)
    ]
    tested = re.search(r"^        python: \[(.+)\]$", WORKFLOW, re.M)[1]
    assert re.findall(r'"([\d.]+)"', tested) == promised == ["3.11", "3.12", "3.13", "3.14"]
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in WORKFLOW


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    sources = [WORKFLOW, (ROOT / ".ci" / "run").read_text(encoding="utf-8")]
    sources += [(ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md",)]
    named = {name for text in sources for name in re.findall(r"\bmake ([a-z-]+)", text)}
    assert named <= targets
    assert {"lint", "test", "bench-check"} <= named
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.M)[1].split()
    assert set(phony) == targets


@pytest.mark.parametrize("tool", ["ruff", "mypy", "codespell", "check-jsonschema"])
def test_commits_are_checked_as_make_lint_checks(tool):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert f"$(BIN)/{tool}" in makefile
    assert f"entry: .venv/bin/{tool}" in hooks
    assert any(each.startswith(tool) for each in PROJECT["project"]["optional-dependencies"]["dev"])
