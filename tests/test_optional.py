import json

import pytest

from causalaug._optional import import_optional
from causalaug.exceptions import CausalAugError, MissingDependencyError


def test_a_module_that_is_there_is_imported():
    assert import_optional("json", extra="json", purpose="Reading") is json


def test_a_module_that_is_missing_has_its_install_line():
    message = (
        "^Reading a moon needs 'no_such_moon', which is not installed. "
        r'Install it with: pip install "causalaug\[moons\]"$'
    )
    with pytest.raises(MissingDependencyError, match=message) as caught:
        import_optional("no_such_moon", extra="moons", purpose="Reading a moon")
    assert isinstance(caught.value, CausalAugError)
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_a_module_that_is_broken_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_moon.py").write_text("import no_such_moon")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_moon") as caught:
        import_optional("broken_moon", extra="moons", purpose="Reading a moon")
    assert not isinstance(caught.value, MissingDependencyError)
