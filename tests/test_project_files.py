"""Files that a maintainer inherits: they agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest

import causalaug

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit_since_tags_can_be_moved(path):
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action), action


def test_one_action_has_one_commit_in_all_workflows():
    used = [
        action
        for path in WORKFLOWS
        for action in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    ]
    assert len(set(used)) == len({action.partition("@")[0] for action in used})


def requirements_with_hashes():
    """Return the hashes of each requirement of a release, by name and version."""
    text = (ROOT / "constraints-release.txt").read_text(encoding="utf-8")
    lines = re.sub(r"#.*", "", text).replace("\\\n", " ").splitlines()
    return {words[0]: words[1:] for words in map(str.split, lines) if words}


def test_a_release_is_built_with_files_that_are_known_by_their_hashes():
    found = requirements_with_hashes()
    for requirement, hashes in found.items():
        assert hashes, requirement
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes)
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().splitlines()
    assert set(found) <= set(tested)
    needed = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    names = {re.match(r"[\w-]+", each)[0] for each in needed}
    assert names <= {each.partition("==")[0] for each in found}


def test_the_release_workflow_installs_nothing_else():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    installed = re.findall(r"pip install (.+)", text)
    assert installed == [
        "--require-hashes -r constraints-release.txt",
        "--no-index --no-deps dist/*.whl",
    ]


@pytest.mark.parametrize(
    "name", ["constraints.txt", "constraints-lowest.txt", "constraints-release.txt"]
)
def test_constraints_name_no_registry(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in re.sub(r"#.*", "", text)
