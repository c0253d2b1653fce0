"""Figures of pages: with other versions their last digits may differ, and nothing else."""

import pytest

import markdown_blocks
from markdown_blocks import differs

SHOWN = "The MSE changes by -47.8% ± 15.1 on 60 rows.\n"


@pytest.mark.parametrize("pinned", [True, False])
def test_what_is_shown_does_not_differ(pinned, monkeypatch):
    monkeypatch.setattr(markdown_blocks, "are_pinned", lambda: pinned)
    assert differs(SHOWN, SHOWN.rstrip()) == []


@pytest.mark.parametrize(("pinned", "expected"), [(True, 1), (False, 0)])
def test_last_digits_differ_only_with_the_versions_of_the_pages(pinned, expected, monkeypatch):
    monkeypatch.setattr(markdown_blocks, "are_pinned", lambda: pinned)
    assert len(differs(SHOWN.replace("47.8", "48.3"), SHOWN)) == expected


@pytest.mark.parametrize(
    "printed",
    [
        SHOWN.replace("47.8", "48.4"),
        SHOWN.replace("-47.8", "+47.8"),
        SHOWN.replace("60", "61"),
        SHOWN.replace("changes", "may change"),
        SHOWN + "More.\n",
    ],
)
def test_signs_words_counts_and_larger_changes_always_differ(printed, monkeypatch):
    monkeypatch.setattr(markdown_blocks, "are_pinned", lambda: False)
    assert differs(printed, SHOWN)
