"""The golden replays: what the null viewer tells of every scenario; `python -m tests.stories` writes them again."""

from __future__ import annotations

import difflib
import io
import json
import lzma
import re
import sys
from functools import cache
from pathlib import Path

from sim3d.report.running import searched
from sim3d.scenario import Result, play_scenario, read_scenario
from sim3d.view.story import story_of
from sim3d.view.viewer import Teller, tell

FOLDER = Path(__file__).parent.parent / "scenarios"
FILES = searched([FOLDER]).files
GOLDEN = Path(__file__).parent / "data" / "stories.json.xz"
NUMBER = re.compile(r"-?\d+\.\d+")
LAST_DIGIT = 1.5  # of the last digit that is told: another machine may round the other way


def shown(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


def replayed(result: Result) -> str:
    """The story of a scenario as text, by statics alone."""
    out = io.StringIO()
    tell(story_of(result, moving=False), Teller(out))
    return out.getvalue()


@cache
def kept() -> dict[str, str]:
    """The goldens by the names of their files."""
    told: dict[str, str] = json.loads(lzma.decompress(GOLDEN.read_bytes()))
    return told


def different(text: str, golden: str) -> str:
    """How a text differs from its golden; numbers may by their last digit."""
    if NUMBER.split(text) == NUMBER.split(golden):
        pairs = zip(NUMBER.findall(text), NUMBER.findall(golden), strict=True)
        if all(abs(float(a) - float(b)) <= LAST_DIGIT * 10.0 ** -len(b.partition(".")[2]) for a, b in pairs):
            return ""
    return "\n".join(difflib.unified_diff(golden.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=1))


def main() -> None:
    """Write them all."""
    told = {shown(path): replayed(play_scenario(read_scenario(path), physics="never")) for path in FILES}
    for name in told:
        difference = different(told[name], kept().get(name, "")) if GOLDEN.exists() else ""
        sys.stderr.write(f"{name}\n{difference}\n" if difference else "")
    GOLDEN.write_bytes(lzma.compress(json.dumps(told, indent=0).encode(), preset=9))


if __name__ == "__main__":
    main()
