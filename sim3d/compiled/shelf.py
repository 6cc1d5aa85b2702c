"""Compiled loops on disk: found by every copy of the same sources, never run where they are torn or another version's.

A large loop is called where it is; the code of a small one is taken into all that call it. Of several processes that
need the same one compiled one does it, and the others wait for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numba
import numba.core.config
import numba.core.event
import numpy as np
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary, ll  # type: ignore[attr-defined]  # its own door to llvmlite
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import dumps

try:
    import fcntl
except ImportError:  # Windows: every process compiles for itself
    fcntl = None  # type: ignore[assignment]

LARGE = 25_000  # bytes: a loop of more is called where it is, a smaller one is taken into all that call it
KEPT = 3  # versions of the compiled loops left on disk: two checkouts and the one before
TURNS = "turns"  # the file beside the folder in which a process marks what it compiles
PATIENCE_S = 60.0  # without a new loop on disk: who has its turn is stopped, or stuck; one takes some seconds
LOOK_S = 0.05  # from one look whether it is our turn to the next
WAITING = "sim3d:waiting for a loop that another process compiles"  # an event, as numba's own are


def _arrays_known() -> None:
    """Read what numba knows of arrays without a look for a library of linear algebra, a fifth of a second.

    No loop here calls one. Where somebody's does, it is looked for then.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    if not hasattr(linalg, "ensure_blas"):  # another numba: let it look
        return
    look = linalg.ensure_blas
    linalg.ensure_blas = _not_looked_for
    try:
        arrays: Any = importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
    arrays._HAVE_BLAS = True


def _not_looked_for() -> None:
    raise ImportError("no library of linear algebra was looked for")


_TAKEN = re.compile(rb"^from (sim3d(?:\.\w+)+) import", re.MULTILINE)
_NUMBER = re.compile(rb"^[A-Z][A-Z0-9_]*\b[^=#\n]*= [^#\n]*", re.MULTILINE)


def _sources_digest(home: Path = Path(__file__).parents[1]) -> str:
    """Of every file that compiles, and of what compiles them: a loop holds what was compiled of those that it calls.

    And of the numbers of the files that these take some from: a loop keeps what they were when it was compiled. Loops
    that check each index (NUMBA_BOUNDSCHECK=1) are others.
    """
    checks = numba.core.config.BOUNDSCHECK  # type: ignore[attr-defined]  # made from the environment
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version} {checks}".encode())
    others: dict[str, bytes] = {}
    taken: set[str] = set()
    for path in sorted(home.rglob("*.py")):
        text, name = path.read_bytes(), path.relative_to(home).as_posix()
        if b"sim3d.compiled" in text or name.startswith("compiled/"):
            digest.update(name.encode() + text)
            taken.update(found.decode().removeprefix("sim3d.").replace(".", "/") for found in _TAKEN.findall(text))
        else:
            others[name] = text
    for name, text in others.items():
        if taken & {name.removesuffix(".py"), *(p.as_posix() for p in PurePosixPath(name).parents)}:
            digest.update(name.encode() + b"".join(number.rstrip() for number in _NUMBER.findall(text)))
    return digest.hexdigest()[:16]


def _home() -> Path:
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked and os.access(asked, os.W_OK):
        return Path(asked) / "sim3d"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "sim3d"
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (caches if caches.is_absolute() else Path.home() / ".cache") / "sim3d"


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


def _place() -> Path | None:
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


def _tidied(folder: Path) -> None:
    """Drop the loops of old versions beside it."""
    try:
        os.utime(folder)
        old = sorted(folder.parent.glob("loops-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    except OSError:  # another process tidies at the same time
        return
    for stale in [p for p in old if p != folder][KEPT:]:
        shutil.rmtree(stale, ignore_errors=True)


KEPT_IN = _place()  # without a place on disk every process compiles for itself: slower, never wrong
if KEPT_IN:
    _tidied(KEPT_IN)


READY: dict[str, tuple[str, Any]] = {}  # the file and the code of each large loop, by its name in compiled code
MADE: dict[Callable[..., Any], int] = {}  # what tells a loop's name in compiled code from others'
TIMES: Counter[str] = Counter()  # how often the same lines were made into a loop


def named(function: Callable[..., Any]) -> int:
    """A number that is the same in every process: there one that calls it may come from disk.

    The same lines made into a loop again have another: what they call may be something else by then.
    """
    lines = _lines(function)
    TIMES[lines] += 1
    return int.from_bytes(hashlib.sha256(f"{lines} {TIMES[lines]}".encode()).digest()[:6])


def _lines(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}"


class Named(Compiler):
    """Compiles a loop under such a name."""

    def _compile_bytecode(self) -> Any:
        self.state.func_id.unique_id = MADE[self.state.func_id.func]
        return super()._compile_bytecode()  # type: ignore[no-untyped-call]


class _Shelved(JITCodeLibrary):
    """A loop from disk. Its code for others to take in is not read before one is compiled that does: mostly never."""

    bitcode = b""

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = ll.parse_bitcode(self.bitcode)
        return self._shared_module


class _Shelf(NamedTuple):
    """What is kept of a loop's code."""

    code: bytes  # ready to run
    bitcode: bytes  # for others to take in
    defined: tuple[str, ...]  # the names in it
    called: tuple[tuple[str, str], ...]  # file and name of each large loop that it calls
    apart: str  # its own name where it is one


def _shelved(name: str, loop: Any, file: Path) -> _Shelf:
    """A loop that was compiled. Who calls a large one only learns its name: to take it in would compile it again.

    And again with all that call those. What is defined is noted, for it is not read from the code when that is taken
    down.
    """
    library = loop.library
    module = library._get_module_for_linking()
    bitcode = module.as_bitcode()
    defined = tuple(
        v.name for some in (module.functions, module.global_variables) for v in some if not v.is_declaration
    )
    called = tuple((READY[f.name][0], f.name) for f in module.functions if f.is_declaration and f.name in READY)
    apart = ""
    if len(bitcode) > LARGE:
        apart = loop.fndesc.mangled_name
        nothing = ll.parse_assembly("")
        nothing.triple, nothing.data_layout = module.triple, module.data_layout
        library._shared_module, bitcode = nothing, nothing.as_bitcode()
        READY[apart] = file.name, library
    return _Shelf(library._get_compiled_object(), bitcode, defined, called, apart)


class _NotThereError(Exception):
    """A large loop that another one calls is not on disk, or not under that name: to run it would end the process."""


def _taken_down(codegen: Any, file: Path, name: str, shelf: _Shelf) -> Any:
    """A loop's code, ready to run, as numba does it but for what others take in; what it calls is taken down first."""
    if shelf.apart in READY:
        return READY[shelf.apart][1]
    for other, called in shelf.called:
        if called not in READY:
            read = _read(file.with_name(other))
            if read is None or called != read[1].apart:
                raise _NotThereError(called)
            _taken_down(codegen, file.with_name(other), *read[:2])
    library = _Shelved(codegen, name)  # type: ignore[no-untyped-call]
    library.enable_object_caching()  # type: ignore[no-untyped-call]
    library._set_compiled_object(shelf.code)  # type: ignore[no-untyped-call]
    library.bitcode = shelf.bitcode
    library._finalize_final_module()  # type: ignore[no-untyped-call]
    codegen._engine._defined_symbols.update(shelf.defined)
    if shelf.apart:
        READY[shelf.apart] = file.name, library
    return library


def _read(file: Path) -> tuple[str, _Shelf, bytes] | None:
    """The name of a loop's code, that, and what numba knows of it; None where there is no whole file."""
    try:
        whole = file.read_bytes()
    except OSError:  # not compiled yet
        return None
    seal, held = whole[:32], whole[32:]
    if hashlib.sha256(held).digest() != seal:
        return None
    name, shelf, about = pickle.loads(held)
    return name, _Shelf(*shelf), about


class _Turns:
    """Whose turn it is to compile a loop: one process at a time, by marks that end with the process that made them.

    Loops do not call each other in circles, so nobody waits for one who waits for them. Where the disk knows no such
    marks, or who has its turn makes nothing any more, each compiles for itself: slower, never wrong.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._marks: int | None = None

    def begin(self, name: str) -> None:
        """Returns when it is our turn, or nobody's."""
        if self._folder is None or fcntl is None:
            return
        try:
            if self._marked(name, self._folder):
                return
            with numba.core.event.trigger_event(WAITING):
                self._waited(name, self._folder)
        except OSError:  # a disk without such marks, or that is full
            return

    def _waited(self, name: str, folder: Path) -> None:
        made, since = folder.stat().st_mtime_ns, time.monotonic()
        while not self._marked(name, folder):
            time.sleep(LOOK_S)
            if (newer := folder.stat().st_mtime_ns) != made:
                made, since = newer, time.monotonic()
            if time.monotonic() - since > PATIENCE_S:
                return

    def _marked(self, name: str, folder: Path) -> bool:
        """Whether it is our turn: the mark is a byte of a file, far beyond its end."""
        if self._marks is None:
            self._marks = os.open(folder.with_name(TURNS), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(self._marks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._byte_of(name))
        except (BlockingIOError, PermissionError):
            return False
        return True

    def end(self, name: str) -> None:
        """It is somebody else's turn."""
        if self._marks is not None:
            with contextlib.suppress(OSError):
                fcntl.lockf(self._marks, fcntl.LOCK_UN, 1, self._byte_of(name))

    def _byte_of(self, name: str) -> int:
        return int.from_bytes(hashlib.sha256(f"{self._folder}/{name}".encode()).digest()[:6])


_TURNS = _Turns(KEPT_IN)


class Loops(_Cache):
    """One loop on disk, a file for each kinds of arguments, named by what it holds; without a folder it is not kept.

    Every copy of the same sources finds it, a checkout and what was installed; a process that compiles writes whole
    files, and a file that was torn is compiled anew, not run.
    """

    def __init__(self, function: Callable[..., Any], folder: Path | None) -> None:
        if folder and function.__closure__:
            raise TypeError(
                f"{function.__qualname__} holds values of its surroundings: two such loops would be one file"
            )
        where = _lines(function)
        self.folder, self.name = folder, where.replace("<", "").replace(">", "")

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self.folder)

    def _file(self, signature: object, codegen: Any) -> Path:
        told = hashlib.sha256(f"{signature} {codegen.magic_tuple()}".encode()).hexdigest()[:20]
        return (self.folder or Path()) / f"{self.name}-{told}"

    def load_overload(self, sig: object, target_context: Any) -> object | None:
        """The loop for these kinds of arguments, or None: then it is this process's turn to compile it."""
        _arrays_known()
        target_context.refresh()
        codegen = target_context.codegen()
        if self.folder is None:
            return None
        file = self._file(sig, codegen)
        loop = self._taken(file, target_context, codegen)
        if loop is None:
            _TURNS.begin(file.name)
            loop = self._taken(file, target_context, codegen)  # somebody may have compiled it since
            if loop is not None:
                _TURNS.end(file.name)
        return loop

    def _taken(self, file: Path, target_context: Any, codegen: Any) -> object | None:
        read = _read(file)
        if read is None:
            return None
        codegen.unserialize_library = lambda told: _taken_down(codegen, file, *told)
        try:
            loop: object = CompileResult._rebuild(target_context, read[:2], *pickle.loads(read[2]))  # type: ignore[no-untyped-call]
        except _NotThereError:
            return None
        finally:
            del codegen.unserialize_library
        return loop

    def save_overload(self, sig: object, data: Any) -> None:
        """Keep it; where the disk is full it is said, and compiled again by the next process."""
        file = self._file(sig, data.codegen)
        try:
            self._save(file, data)
        finally:
            _TURNS.end(file.name)

    def _save(self, file: Path, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:
            return
        (name, _, _), *about = data._reduce()
        shelf = _shelved(name, data, file)
        if self.folder is None:
            return
        held = pickle.dumps((name, tuple(shelf), dumps(about)))  # type: ignore[no-untyped-call]
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            draft.write_bytes(hashlib.sha256(held).digest() + held)
            draft.replace(file)
        except OSError as error:
            logging.getLogger("sim3d").info("cannot keep a compiled loop in %s: %s", self.folder, error.strerror)
            with contextlib.suppress(OSError):
                draft.unlink()

    def enable(self) -> None:
        """It is."""

    def disable(self) -> None:
        """Not asked for."""

    def flush(self) -> None:
        """What is compiled again has the same name."""
