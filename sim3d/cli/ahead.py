"""The first run of all: while loops are compiled for a command, a second process compiles what it needs later.

That process answers a question of the other kind, `maps` or `stands`; nobody hears what it says.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

What = Literal["maps", "stands"]


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
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path)},
            start_new_session=True,  # an interrupt from the keyboard is for us to handle
        )
    try:
        yield
    finally:
        if beside is not None:
            beside.kill()
            beside.wait()


def maps() -> None:
    """An arch, looked at as a pack of one piece: it has storeys."""
    from sim3d.forge.gallery import arch
    from sim3d.pack import How
    from sim3d.report.validating import Asked, validated
    from sim3d.solid.write import write_mesh

    with tempfile.TemporaryDirectory() as folder:
        write_mesh(Path(folder, "arch.stl"), *arch())
        validated(Path(folder), Asked(How(workers=0), keep=False, bases=("27",), pitch=5.0), said=lambda _: None)


def stands() -> None:
    """A mini on a crate, half over its edge."""
    from sim3d.mini import Mini
    from sim3d.solid import Solid
    from sim3d.solid.boolean import box
    from sim3d.stand import stand
    from sim3d.table import Table

    crate = Solid.of(*box((-20.0, -20.0, 0.0), (20.0, 20.0, 20.0)))
    stand(Table.of(crate), Mini("27", height=40.0), at=(15.0, 5.0), physics="never")
