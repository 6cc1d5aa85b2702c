"""The one door to numba: loops that are compiled once, kept on disk, and give the same bytes on every run.

No fast-math anywhere: a reordered sum would change the last bit of an answer between machines.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import logging
import math
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numba
import numba.core.config
import numba.core.event
import numpy as np
import numpy.typing as npt
from numba.core import cgutils, types
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary, ll  # type: ignore[attr-defined]  # its own door to llvmlite
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import dumps
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array, populate_array

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
T = TypeVar("T")
Numbers = TypeVar("Numbers", Floats, Ints)
F = TypeVar("F", bound=Callable[..., Any])
SHARES = 4  # blocks of work for each thread at least, for some are dear
LARGE = 25_000  # bytes: a loop of more is called where it is, a smaller one is taken into all that call it
KEPT = 3  # versions of the compiled loops left on disk: two checkouts and the one before


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


def _sources_digest(home: Path = Path(__file__).parent) -> str:
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
        if b"sim3d.compiled" in text or name == Path(__file__).name:
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


def _named(function: Callable[..., Any]) -> int:
    """A number that is the same in every process: there one that calls it may come from disk.

    The same lines made into a loop again have another: what they call may be something else by then.
    """
    lines = _lines(function)
    TIMES[lines] += 1
    return int.from_bytes(hashlib.sha256(f"{lines} {TIMES[lines]}".encode()).digest()[:6])


def _lines(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}"


class _Named(Compiler):
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


class _Loops(_Cache):
    """One loop on disk, a file for each kinds of arguments, named by what it holds; without a folder it is not kept.

    Every copy of the same sources finds it, a checkout and what was installed; of several processes that compile at
    once each writes whole files of the same content, and a file that was torn is compiled anew, not run.
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
        """The loop for these kinds of arguments, or None."""
        _arrays_known()
        target_context.refresh()
        codegen = target_context.codegen()
        file = self._file(sig, codegen)
        read = _read(file) if self.folder else None
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
        if data.lifted or data.library.has_dynamic_globals:
            return
        (name, _, _), *about = data._reduce()
        file = self._file(sig, data.codegen)
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


class _Heard(numba.core.event.Listener):
    """Logs once that loops are compiled, at the first that is not on disk: where all are kept it is silent.

    And sums up how long that takes; one loop is compiled within another, and never two at once.
    """

    told = False
    depth = 0
    begun = taken = 0.0

    def on_start(self, event: numba.core.event.Event) -> None:
        """A loop begins to be compiled."""
        if self.depth == 0:
            self.begun = monotonic()
        self.depth += 1
        if not self.told and event.data["dispatcher"].py_func.__module__.startswith("sim3d."):
            self.told = True
            how = "once" if KEPT_IN else "in every run: there is no folder to keep them in"
            logging.getLogger("sim3d").info("loops are being compiled, which takes seconds to minutes, %s", how)

    def on_end(self, event: numba.core.event.Event) -> None:
        """It is compiled."""
        self.depth -= 1
        if self.depth == 0:
            self.taken += monotonic() - self.begun


HEARD = _Heard()
numba.core.event.register("numba:compile", HEARD)  # type: ignore[no-untyped-call]  # a library without types


def compiling_s() -> float:
    """How long (seconds) this process has compiled loops so far."""
    return HEARD.taken


if TYPE_CHECKING or numba.core.config.DISABLE_JIT:
    prange = range

    def compiled(function: F) -> F:
        """A compiled loop that may make arrays, and give them back."""
        return function

    def lean(function: F) -> F:
        """A compiled loop that makes no arrays and gives none back: those that it is given are not counted.

        Counts of who holds an array are shared between threads, and cost more than what a small loop does.
        """
        return function

    def compiled_parallel(function: F) -> F:
        """A compiled loop over `prange`, in as many threads as `set_threads` says."""
        return function

    def scratch(*shape: int) -> Floats:
        """Room for a few numbers that ends with the function it is made in: it must not be given back from there."""
        return np.empty(shape)

    def scratch_marks(*shape: int) -> Ints:
        """The same for whole numbers; zero at first."""
        return np.zeros(shape, np.int64)

    def uncounted(values: T) -> T:
        """Arrays, or a named tuple of such, whose holders are not counted: the caller holds them all the while."""
        return values

    def unlent(values: T) -> T:
        """The named tuple itself that was lent, uncounted."""
        return values

    def lent(values: T) -> T:
        """A named tuple that is handed on as its address: one of many arrays is hundreds of numbers to copy for a call.

        Uncounted, and it ends with the function it is lent in: so a function lends what it was given, whose caller
        holds it, never what it has made, and gives nothing of it back. What is lent already is.
        """
        return values
else:
    prange = numba.prange

    def _kept(**asked):
        def made(function):
            MADE[function] = _named(function)
            always = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}  # nothing is handed over to C
            loop = numba.njit(pipeline_class=_Named, **always, **asked)(function)
            told = loop.get_call_template

            def of_any_value(kinds, named):  # a constant that is handed over makes no version of its own
                return told(tuple(map(types.unliteral, kinds)), {k: types.unliteral(v) for k, v in named.items()})

            loop.get_call_template = of_any_value
            loop._cache = _Loops(function, KEPT_IN)
            return loop

        return made

    compiled = _kept(_nrt=True)
    lean = _kept(_nrt=False)
    compiled_parallel = _kept(parallel=True, _nrt=True)

    def _on_the_stack(context, builder, kind, shape, zero):
        """An array value over memory of the function's own frame, without a count."""
        many = math.prod(shape)
        item = context.get_data_type(kind.dtype)
        data = cgutils.alloca_once(builder, item, size=many)
        if zero:
            cgutils.memset(builder, data, context.get_constant(types.intp, many * 8), 0)
        sizes = [context.get_constant(types.intp, n) for n in shape]
        strides = [context.get_constant(types.intp, 8 * math.prod(shape[k + 1 :])) for k in range(len(shape))]
        made = make_array(kind)(context, builder)
        populate_array(
            made, data=data, shape=sizes, strides=strides, itemsize=context.get_constant(types.intp, 8), meminfo=None
        )
        return made._getvalue()

    def _scratch_of(item, zero):
        @intrinsic(prefer_literal=True)
        def made(typing, *shape):
            shape = shape[0] if len(shape) == 1 and isinstance(shape[0], types.BaseTuple) else shape
            lengths = [n.literal_value for n in shape]
            kind = types.Array(item, len(lengths), "C")

            def value(context, builder, signature, arguments):
                return _on_the_stack(context, builder, kind, lengths, zero)

            return kind(types.StarArgTuple.from_types(shape)), value

        return made

    scratch = _scratch_of(types.float64, False)
    scratch_marks = _scratch_of(types.int64, True)

    def _without_counts(builder, kind, value):
        if isinstance(kind, types.Array):
            return builder.insert_value(value, cgutils.get_null_value(value.type.elements[0]), 0)
        if isinstance(kind, types.BaseTuple):
            for k, part in enumerate(kind):
                inner = builder.extract_value(value, k)
                value = builder.insert_value(value, _without_counts(builder, part, inner), k)
        return value

    @intrinsic
    def uncounted(typing, values):
        """As above."""

        def value(context, builder, signature, arguments):
            return _without_counts(builder, values, arguments[0])

        return values(values), value

    class _Lent(types.Type):
        """Where a named tuple is kept."""

        def __init__(self, kind):
            self.kind = kind
            super().__init__(f"lent({kind})")

    @register_model(_Lent)
    class _LentModel(models.PrimitiveModel):
        """Its address."""

        def __init__(self, manager, kind):
            super().__init__(manager, kind, manager[kind.kind].get_value_type().as_pointer())

    @infer_getattr
    class _LentParts(AttributeTemplate):
        """Its parts are those of the tuple."""

        key = _Lent

        def generic_resolve(self, lent, name):
            return lent.kind.types[lent.kind.fields.index(name)] if name in lent.kind.fields else None

    @lower_getattr_generic(_Lent)
    def _part_of_lent(context, builder, lent, address, name):
        part = cgutils.gep_inbounds(builder, address, 0, lent.kind.fields.index(name))
        return builder.load(part)

    @intrinsic
    def unlent(typing, values):
        """As above."""
        if not isinstance(values, _Lent):
            return values(values), lambda context, builder, signature, arguments: arguments[0]

        def value(context, builder, signature, arguments):
            return builder.load(arguments[0])

        return values.kind(values), value

    @intrinsic
    def lent(typing, values):
        """As above."""
        if isinstance(values, _Lent):
            return values(values), lambda context, builder, signature, arguments: arguments[0]

        def value(context, builder, signature, arguments):
            room = cgutils.alloca_once(builder, arguments[0].type)
            builder.store(_without_counts(builder, values, arguments[0]), room)
            return room

        return _Lent(values)(values), value


@lean
def copied(source: Numbers, target: Numbers) -> None:
    """One row into another: assigned as a slice it could ask for a copy, which is an array."""
    for k in range(source.shape[0]):
        target[k] = source[k]


@lean
def exchanged(one: Numbers, other: Numbers) -> None:
    """Two rows, each in place of the other."""
    for k in range(one.shape[0]):
        one[k], other[k] = other[k], one[k]


def set_threads(count: int) -> None:
    """How many threads `compiled_parallel` loops use; answers never depend on it."""
    numba.set_num_threads(count)


def in_threads(some: Callable[[T], None], blocks: Iterable[T]) -> None:
    """Compiled loops over blocks: they let go of Python, and each writes its own rows."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for _ in pool.map(some, blocks):
            pass


def dealt(rows: int, most: int) -> list[slice]:
    """Rows in blocks of at most so many, dealt out like cards, for dear ones lie side by side."""
    blocks = max(-(-rows // most), min(rows, SHARES * (os.cpu_count() or 1)))
    return [slice(first, None, blocks) for first in range(blocks)]
