"""The one door to numba: loops that are compiled once, kept on disk, and give the same bytes on every run.

No fast-math anywhere: a reordered sum would change the last bit of an answer between machines.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numba.core.config
import numba.core.event

F = TypeVar("F", bound=Callable[..., Any])
COMPILES = b"from sim3d.compiled import compiled"  # a file that says so has loops
KEPT = 3  # versions of the compiled loops left on disk: two checkouts and the one before


def _sources_digest() -> str:
    """Of every file that compiles: numba looks at a loop's own file only, and keeps stale what calls into others."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        text = path.read_bytes()
        if COMPILES in text or path == Path(__file__):
            digest.update(path.name.encode() + text)
    return digest.hexdigest()[:16]


def _home() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "sim3d"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sim3d"


def _own(folder: Path) -> bool:
    """Made where it was not; whether it can be written in and nobody else's: loops from disk are run, not checked."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.lstat()
        if sys.platform != "win32" and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            return False
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):  # read-only, no home at all, a file in the way, a link to nowhere
        return False
    return stat.S_ISDIR(status.st_mode)


def _kept_in() -> Path | None:
    """Where compiled loops of this version are kept: in the user's cache, else beside other temporary files, or not."""
    user = "" if sys.platform == "win32" else f"-{os.getuid()}"
    for home in (_home, lambda: Path(tempfile.gettempdir()) / f"sim3d{user}"):
        try:
            folder = home() / f"loops-{_sources_digest()}"
        except (OSError, RuntimeError):  # no home, no place for temporary files
            continue
        if _own(folder.parent) and _own(folder):
            return folder
    return None


def _keep_compiled_loops() -> bool:
    """Tell numba the folder for this version's loops, and drop those of old ones; whether any are kept on disk."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked and os.access(asked, os.W_OK):
        return True
    folder = _kept_in()
    if folder is None:
        return False
    numba.core.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]  # made at run time
    try:
        os.utime(folder)
        old = sorted(folder.parent.glob("loops-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    except OSError:  # another process tidies at the same time
        return True
    for stale in [p for p in old if p != folder][KEPT:]:
        shutil.rmtree(stale, ignore_errors=True)
    return True


KEEPS = _keep_compiled_loops()  # without a place on disk every process compiles for itself: slower, never wrong


class _Heard(numba.core.event.Listener):
    """Logs once that loops are compiled, at the first that is not on disk: where all are kept it is silent."""

    told = False

    def on_start(self, event: numba.core.event.Event) -> None:
        """A loop begins to be compiled."""
        if not self.told and event.data["dispatcher"].py_func.__module__.startswith("sim3d."):
            self.told = True
            how = "once" if KEEPS else "in every run: there is no folder to keep them in"
            logging.getLogger("sim3d").info("loops are being compiled, which takes seconds to minutes, %s", how)

    def on_end(self, event: numba.core.event.Event) -> None:
        """It is compiled."""


numba.core.event.register("numba:compile", _Heard())  # type: ignore[no-untyped-call]  # a library without types

if TYPE_CHECKING:
    prange = range

    def compiled(function: F) -> F:
        """Typed as the function it compiles."""
        return function

    def compiled_parallel(function: F) -> F:
        """Typed as the function it compiles."""
        return function
else:
    prange = numba.prange
    compiled = numba.njit(cache=KEEPS, error_model="numpy", nogil=True)
    compiled_parallel = numba.njit(cache=KEEPS, error_model="numpy", nogil=True, parallel=True)


def set_threads(count: int) -> None:
    """How many threads `compiled_parallel` loops use; answers never depend on it."""
    numba.set_num_threads(count)
