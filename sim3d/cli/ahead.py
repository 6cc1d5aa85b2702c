"""The first run of all: while loops are compiled for a command, a second process compiles what it needs later.

That process answers a question of the other kind, `maps` or `stands`; nobody hears what it says. It ends when its input
does, so with us, however we end: somebody may kill us.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

What = Literal["maps", "stands"]
PATIENCE_S = 5.0  # to put its files away, once it is told to end


@contextmanager
def compiled_ahead(what: What) -> Iterator[None]:
    """Where nothing is compiled yet, and there is a core to do it, what one kind of question needs is, beside us.

    It ends with us; what it has not come to is compiled by who needs it.
    """
    from sim3d.compiled import none_is_kept

    beside: subprocess.Popen[bytes] | None = None
    if (os.cpu_count() or 1) > 1 and none_is_kept():
        beside = subprocess.Popen(
            [sys.executable, "-c", f"from sim3d.cli import ahead; ahead.{what}()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path)},
            start_new_session=True,  # an interrupt from the keyboard is for us to handle
        )
    try:
        yield
    finally:
        if beside is not None:
            _ended(beside)


def _ended(beside: subprocess.Popen[bytes]) -> None:
    """Nothing is left of it: neither a process nor, if it could, a file."""
    assert beside.stdin is not None
    beside.stdin.close()
    try:
        beside.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        beside.kill()
        beside.wait()


def _until_the_input_ends(*made: str) -> None:
    """From now on this process ends with its input, and takes the folders that it made with it."""

    def listen() -> None:
        while os.read(0, 1):  # not through sys.stdin: who is done before would find it held
            pass
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)  # it was not done

    threading.Thread(target=listen, daemon=True).start()


def maps() -> None:
    """An arch, looked at as a pack of one piece: it has storeys."""
    with tempfile.TemporaryDirectory() as folder:
        _until_the_input_ends(folder)
        _maps_in(folder)


def _maps_in(folder: str) -> None:
    from sim3d.forge.gallery import arch
    from sim3d.pack import How
    from sim3d.report.validating import Asked, validated
    from sim3d.solid.write import write_mesh

    write_mesh(Path(folder, "arch.stl"), *arch())
    validated(Path(folder), Asked(How(workers=0), keep=False, bases=("27",), pitch=5.0), said=lambda _: None)


def stands() -> None:
    """A mini on a crate, half over its edge."""
    _until_the_input_ends()
    from sim3d.mini import Mini
    from sim3d.solid import Solid
    from sim3d.solid.boolean import box
    from sim3d.stand import stand
    from sim3d.table import Table

    crate = Solid.of(*box((-20.0, -20.0, 0.0), (20.0, 20.0, 20.0)))
    stand(Table.of(crate), Mini("27", height=40.0), at=(15.0, 5.0), physics="never")
