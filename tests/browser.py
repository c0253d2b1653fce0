"""A headless Chromium for tests and pictures, where there is one."""

import os
import shutil
from contextlib import contextmanager

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
NAMES = ["chromium", "chromium-browser", "google-chrome"]


def missing():
    """Return what is not there to drive a browser with, or None."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "the package playwright is not installed"
    if _executable() is None:
        return f"none of {NAMES} is on the path; CAUSALAUG_CHROMIUM can name one"
    return None


def _executable():
    named = os.environ.get("CAUSALAUG_CHROMIUM")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def open_browser():
    """Yield a browser that was just started."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_executable(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
