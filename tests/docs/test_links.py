"""Links within the documentation lead somewhere, and figures are those of the results."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("api/*.md")), ROOT / "README.md"]
LINK = re.compile(r"(?<!\!)\[[^\]]+\]\((?!https?:)([^)\s]+)\)")
PICTURE = re.compile(r"^```\{(?:figure|image|include|literalinclude)\} (\S+)$", re.M)
FENCED = re.compile(r"^```(?:python|text|console)\n.*?^```$", re.M | re.S)
FIGURE = re.compile(r"\d+\.\d ± \d+\.\d")


def source_of(target):
    """Return the file that a target is made from: the gallery is made from the examples."""
    if target.parent == DOCS / "gallery" / "images":
        name = re.fullmatch(r"sphx_glr_(\w+?)_\d{3}\.png", target.name)[1]
        return ROOT / "examples" / f"{name}.py"
    if target == DOCS / "gallery" / "index.rst":
        return ROOT / "examples" / "GALLERY_HEADER.rst"
    if target.parent == DOCS / "gallery":
        return ROOT / "examples" / f"{target.stem}.py"
    return target


def anchors(text):
    """Return the anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text) + PICTURE.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        source = source_of((page.parent / path).resolve()) if path else page
        assert source.exists(), link
        assert not anchor or anchor in anchors(source.read_text(encoding="utf-8")), link


def test_every_page_is_in_the_table_of_contents():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert pages <= set(index.splitlines())


@pytest.mark.parametrize("name", ["when_it_helps", "classification"])
def test_measured_figures_are_those_of_the_results(name):
    results = [path.read_text(encoding="utf-8") for path in (DOCS / "results").glob("*.md")]
    shown = FIGURE.findall(FENCED.sub("", (DOCS / f"{name}.md").read_text(encoding="utf-8")))
    assert shown
    missing = [figure for figure in shown if not any(figure in text for text in results)]
    assert not missing, "Measured anew? Then the page must be read anew, too."


@pytest.mark.parametrize("path", sorted(DOCS.glob("**/*.md")), ids=lambda path: path.name)
def test_pages_load_nothing_from_other_hosts(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=[\"']?https?:|!\[[^\]]*\]\(https?:", text)
