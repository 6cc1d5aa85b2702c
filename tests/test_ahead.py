"""What the first run of all compiles in a second process: only where nothing is compiled, and for no longer than us."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sim3d import compiled
from sim3d.cli import ahead

LOOPS = """
from sim3d.atlas.cell import swept
from sim3d.ground.spans import cut_off
from sim3d.solid.contact import _met
from sim3d.statics.numbers import numbers_of
print(*(sum(sum(seen.values()) for seen in loop.stats[1:]) > 0 for loop in (swept, cut_off, _met, numbers_of)))
"""


@pytest.mark.parametrize(
    ("cores", "there", "many"), [(2, [], 1), (1, [], 0), (2, ["a loop"], 0)], ids=["first run", "one core", "not first"]
)
def test_it_begins_where_nothing_is_compiled_and_ends_with_who_began_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int, there: list[str], many: int
) -> None:
    begun = []

    def sleeping(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
        begun.append((command[1:], real([sys.executable, "-c", "import time; time.sleep(600)"], **how)))
        return begun[-1][1]

    real = subprocess.Popen
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(ahead.subprocess, "Popen", sleeping)
    monkeypatch.setattr(compiled, "KEPT_IN", tmp_path)
    for name in there:
        (tmp_path / name).touch()
    with ahead.compiled_ahead("maps"):
        assert [process.poll() for _, process in begun] == [None] * many
    assert [command for command, _ in begun] == [["-c", "from sim3d.cli import ahead; ahead.maps()"]] * many
    assert all(process.poll() not in (None, 0) for _, process in begun)


@pytest.mark.parametrize(("what", "needs"), [("maps", [True] * 4), ("stands", [False] * 3 + [True])])
def test_it_needs_the_loops_that_the_question_needs(what: str, needs: list[bool]) -> None:
    code = f"import sim3d.cli.ahead as a; a.{what}()" + LOOPS
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(one) for one in needs]
    assert run.stderr == ""
