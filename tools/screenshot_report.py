"""Write pictures of the report of the demo, at desktop and telephone width, to docs/images.

Needs a Chromium and the package playwright. Run it by `make screenshots`.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import open_browser

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"desktop": (1100, 2900), "phone": (390, 4400)}
"""Width, and how much of the page is shown."""
LARGEST = 400_000


def make_report(path: Path) -> None:
    """Write the report of the demo."""
    command = [sys.executable, "-m", "causalaug", "demo", "--quiet", "--report", str(path)]
    subprocess.run(command, check=True)


def main() -> None:
    """Render the report in each scheme and width that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--scheme", choices=["light", "dark"], default="light")
    parser.add_argument("--report", type=Path, help="a report that exists, instead of the demo's")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        report = options.report or Path(folder, "report.html")
        if options.report is None:
            make_report(report)
        for name, (width, height) in SIZES.items():
            page = browser.new_page(
                viewport={"width": width, "height": 900}, color_scheme=options.scheme
            )
            page.goto(report.resolve().as_uri())
            path = options.out / f"report-{name}.png"
            shown = {"x": 0, "y": 0, "width": width, "height": height}
            page.screenshot(path=path, full_page=True, clip=shown)
            size = path.stat().st_size
            print(f"{path}: {size:,} bytes")
            if size > LARGEST:
                sys.exit(f"{path} is larger than {LARGEST:,} bytes.")


if __name__ == "__main__":
    main()
