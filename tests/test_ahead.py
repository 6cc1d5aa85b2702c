"""What the first run of all compiles in a second process: only where nothing is compiled, and for no longer than us."""

from __future__ import annotations

import os
import subprocess
import sys
import time
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
    monkeypatch.setattr(ahead, "PATIENCE_S", 0.2)  # this one does not hear that its input ends
    monkeypatch.setattr(compiled, "KEPT_IN", tmp_path)
    for name in there:
        (tmp_path / name).touch()
    with ahead.compiled_ahead("maps"):
        assert [process.poll() for _, process in begun] == [None] * many
    assert [command for command, _ in begun] == [["-c", "from sim3d.cli import ahead; ahead.maps()"]] * many
    assert all(process.poll() not in (None, 0) for _, process in begun)


KILLED = """
import os, time
from sim3d.cli import ahead
os.cpu_count = lambda: 2
begin = ahead.subprocess.Popen
def told(*how, **more):
    process = begin(*how, **more)
    print(process.pid, flush=True)
    return process
ahead.subprocess.Popen = told
with ahead.compiled_ahead("stands"):
    time.sleep(600)
"""


def runs(pid: int) -> bool:
    """Whether a process of this system still works: one that ended may wait for somebody to ask how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_does_not_outlive_who_began_it_and_was_killed(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, env=env) as parent:
        assert parent.stdout is not None
        beside = int(parent.stdout.readline())
        assert runs(beside)
        parent.kill()
    until = time.monotonic() + 60  # it may not have come to listen yet
    while runs(beside) and time.monotonic() < until:
        time.sleep(0.05)
    assert not runs(beside)


def test_told_to_end_it_takes_its_files_with_it(tmp_path: Path) -> None:
    code = "import sys, time; from sim3d.cli.ahead import _until_the_input_ends as f; f(sys.argv[1]); time.sleep(600)"
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "arch.stl").touch()
    with subprocess.Popen([sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 1
    assert not folder.exists()


@pytest.mark.parametrize(("what", "needs"), [("maps", [True] * 4), ("stands", [False] * 3 + [True])])
def test_it_needs_the_loops_that_the_question_needs(what: str, needs: list[bool]) -> None:
    code = f"import sim3d.cli.ahead as a; a.{what}()" + LOOPS
    there, ours = os.pipe()  # an input that does not end
    try:
        run = subprocess.run([sys.executable, "-c", code], stdin=there, capture_output=True, text=True, check=True)
    finally:
        os.close(there)
        os.close(ours)
    assert run.stdout.split() == [str(one) for one in needs]
    assert run.stderr == ""
