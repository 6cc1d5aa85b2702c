"""The command line: as a process of its own or, where that is not what is asked, within this one, loaded already."""

from __future__ import annotations

import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner, Result

from sim3d.cli import app


def process(*words: str | Path, cwd: Path | None = None, said: str = "") -> subprocess.CompletedProcess[str]:
    """The command as people and programs start it."""
    command = [sys.executable, "-m", "sim3d", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=cwd, input=said)


def sim3d(*words: str | Path, cwd: Path | None = None) -> Result:
    """The same words within this process; what it does not catch fails the test."""
    with chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(app, [str(word) for word in words], prog_name="sim3d")
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done
