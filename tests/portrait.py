"""`python -m tests.portrait PAGE PNG [X,Y,Z]`: a picture of a page as a browser shows it, after a click on a place."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.chromium import Browser


def main(page: Path, png: Path, place: str = "") -> None:
    """Take it."""
    with Browser(1360, 860) as browser:
        browser.open(page)
        if place:
            x, y = browser.ask(f"window.sim3d.stage.project({place})")[:2]
            browser.click(x, y)
        png.write_bytes(browser.picture())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4])
