"""Loops are compiled in two thirds of the time, and are the same to the byte: numba asks itself less often.

While it compiles, numba compares its settings and types the same sum of two numbers tens of thousands of times. Each of
these is replaced by what gives the same answer at once; where another numba has it otherwise, it is left alone.
"""

from __future__ import annotations

from typing import Any

import numba.core.base
from numba.core import types
from numba.core.codegen import ll  # type: ignore[attr-defined]  # its own door to llvmlite
from numba.core.targetconfig import TargetConfig

PLAIN = (types.Float, types.Integer, types.Boolean)  # and nothing derived from these: a constant is typed by its value


def _settings_compared() -> None:
    """By what is set, first: mostly it is the same. Before, each of forty settings was looked up, twice."""
    slowly = TargetConfig.__eq__

    def equal(self: Any, other: object) -> Any:
        if self is other:
            return True
        if type(other) is type(self):
            mine, others = self._values, other._values  # type: ignore[attr-defined]  # of the same class
            if mine == others:
                return True
            if mine.keys() == others.keys():
                return False
        return slowly(self, other)  # type: ignore[no-untyped-call]  # a library without types

    def hashed(self: Any) -> int:  # of the settings' names before: the same for all
        return 0

    TargetConfig.__eq__ = equal  # type: ignore[method-assign]
    TargetConfig.__hash__ = hashed  # type: ignore[method-assign]


def _plain(kind: Any) -> bool:
    """Numbers, arrays of them, and pairs: what a function of these gives is always the same."""
    if type(kind) is types.UniTuple:
        return type(kind.dtype) in PLAIN
    return type(kind) in PLAIN or (type(kind) is types.Array and type(kind.dtype) in PLAIN)


def _calls_of_plain_numbers_typed_once() -> None:
    """A sum of two numbers was typed anew wherever it stands, by a dozen tries that fail and one that does not.

    Kept is only what no setting decides: an answer whose code is found by the function's own name.
    """
    function: Any = types.BaseFunction
    anew, known = function.get_call_type, {}

    def typed(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(map(_plain, args)) or not hasattr(self, "_impl_keys"):
            return anew(self, context, args, kws)
        asked = context, self.templates, tuple(args)
        if asked not in known:
            told = anew(self, context, args, kws)
            if told is None or not any(self._impl_keys[told.args] is t.key for t in self.templates):
                return told
            known[asked] = told, self._impl_keys[told.args]
        told, self._impl_keys[known[asked][0].args] = known[asked]
        return told

    function.get_call_type = typed


def _calls_into_llvm_not_timed() -> None:
    """Each of a few hundred thousand was an event of its own, twice, for everyone who takes times: nobody does."""
    lock = getattr(getattr(ll.ffi.lib, "_lock", None), "_cblist", ())
    for begins, ends in list(lock):
        if begins.__module__ == ends.__module__ == numba.core.base.__name__:
            ll.ffi.unregister_lock_callback(begins, ends)


def made_quicker() -> None:
    """All of these, once in a process."""
    if hasattr(TargetConfig(), "_values"):  # type: ignore[no-untyped-call]
        _settings_compared()
    if hasattr(types.BaseFunction, "get_call_type"):
        _calls_of_plain_numbers_typed_once()
    if hasattr(ll.ffi, "unregister_lock_callback"):
        _calls_into_llvm_not_timed()
