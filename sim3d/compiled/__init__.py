"""The one door to numba: loops that are compiled once, kept on disk, and give the same bytes on every run.

No fast-math anywhere: a reordered sum would change the last bit of an answer between machines.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numba.core.config
import numba.core.event
import numpy as np
import numpy.typing as npt
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array, populate_array

from sim3d.compiled.quicker import made_quicker
from sim3d.compiled.shelf import KEPT_IN, MADE, WAITING, Loops, Named, named

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
T = TypeVar("T")
Numbers = TypeVar("Numbers", Floats, Ints)
F = TypeVar("F", bound=Callable[..., Any])
SHARES = 4  # blocks of work for each thread at least, for some are dear

made_quicker()


class _Heard(numba.core.event.Listener):
    """Logs once that loops are compiled, at the first that is not on disk: where all are kept it is silent.

    And sums up how long that takes, or to wait for it; one loop is compiled within another, and never two at once.
    """

    told = False
    depth = 0
    begun = taken = 0.0

    def on_start(self, event: numba.core.event.Event) -> None:
        """A loop begins to be compiled, or to be waited for."""
        if self.depth == 0:
            self.begun = monotonic()
        self.depth += 1
        ours = event.kind == WAITING or event.data["dispatcher"].py_func.__module__.startswith("sim3d.")
        if not self.told and ours:
            self.told = True
            how = "once" if KEPT_IN else "in every run: there is no folder to keep them in"
            logging.getLogger("sim3d").info("loops are being compiled, which takes seconds to minutes, %s", how)

    def on_end(self, event: numba.core.event.Event) -> None:
        """It is there."""
        self.depth -= 1
        if self.depth == 0:
            self.taken += monotonic() - self.begun


HEARD = _Heard()
for kind in ("numba:compile", WAITING):
    numba.core.event.register(kind, HEARD)  # type: ignore[no-untyped-call]  # a library without types


def compiling_s() -> float:
    """How long (seconds) this process has compiled loops so far, or waited for another one that did."""
    return HEARD.taken


def none_is_kept() -> bool:
    """Whether no loop was ever compiled here, and what will be is kept: the first run of all."""
    off = numba.core.config.DISABLE_JIT  # type: ignore[attr-defined]  # made from the environment
    return KEPT_IN is not None and not off and KEPT_IN.is_dir() and not any(KEPT_IN.iterdir())


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
            MADE[function] = named(function)
            always = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}  # nothing is handed over to C
            loop = numba.njit(pipeline_class=Named, **always, **asked)(function)
            told = loop.get_call_template

            def of_any_value(kinds, named):  # a constant that is handed over makes no version of its own
                return told(tuple(map(types.unliteral, kinds)), {k: types.unliteral(v) for k, v in named.items()})

            loop.get_call_template = of_any_value
            loop._cache = Loops(function, KEPT_IN)
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
