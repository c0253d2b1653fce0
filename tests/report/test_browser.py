"""The report in a real browser: what only rendering can tell."""

import os

import pytest

import browser
from report_cases import EVIL, quick_evaluation

if reason := browser.missing():
    if os.environ.get("CAUSALAUG_REQUIRE_BROWSER"):
        pytest.fail(f"A browser is required, but {reason}.", pytrace=False)
    pytest.skip(f"No browser: {reason}.", allow_module_level=True)

LEAST_CONTRAST = 4.5

CONTRASTS = """
() => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    const box = element.closest('.node');
    if (box) return rgba(getComputedStyle(box.querySelector('rect')).fill);
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  document.querySelectorAll('details').forEach((details) => { details.open = true; });
  return [...document.body.querySelectorAll('*')]
    .filter((each) => each.localName !== 'title' && each.getClientRects().length)
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((each) => {
      const style = getComputedStyle(each);
      const ink = rgba(each.localName === 'text' ? style.fill : style.color);
      const [dim, bright] = [light(ink), light(behind(each))].sort((a, b) => a - b);
      return [each.textContent.slice(0, 40), (bright + 0.05) / (dim + 0.05)];
    });
}
"""


@pytest.fixture(scope="module")
def chromium():
    with browser.open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    quick_evaluation(EVIL, discrete=[1]).to_html(path)
    return path.as_uri()


def open_report(chromium, report, **options):
    """Return the page, what it asked for, and what it complained about."""
    asked, complaints = [], []
    page = chromium.new_page(**options)
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(report, wait_until="networkidle")
    return page, asked, complaints


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_renders(chromium, report, scheme, width):
    page, asked, complaints = open_report(
        chromium, report, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    assert asked == [report]
    assert complaints == []
    assert page.locator("h1").inner_text().startswith("Does the graph help to predict")
    assert page.locator("svg").count() > 10
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 100
    assert min(contrasts, key=lambda each: each[1])[1] >= LEAST_CONTRAST
    page.close()


def test_schemes_differ(chromium, report):
    grounds = set()
    for scheme in ("light", "dark"):
        page, _, _ = open_report(chromium, report, color_scheme=scheme)
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert len(grounds) == 2


def test_scripts_are_not_needed(chromium, report):
    with_scripts, _, _ = open_report(chromium, report)
    shown = with_scripts.locator("body").inner_text()
    with_scripts.close()
    page, asked, complaints = open_report(chromium, report, java_script_enabled=False)
    assert page.locator("body").inner_text() == shown
    assert asked == [report]
    assert complaints == []
    page.close()


def test_labels_stay_within_their_pictures(chromium, report):
    page, _, _ = open_report(chromium, report, viewport={"width": 390, "height": 800})
    outside = page.evaluate(
        """() => [...document.querySelectorAll('svg text')].filter((label) => {
          const own = label.getBoundingClientRect();
          const all = label.ownerSVGElement.getBoundingClientRect();
          const across = own.left < all.left - 1 || own.right > all.right + 1;
          return across || own.bottom > all.bottom + 1;
        }).map((label) => label.textContent)"""
    )
    assert outside == []
    page.close()
