"""The one door to numba: loops that are compiled once, kept on disk, and give the same bytes on every run.

No fast-math anywhere: a reordered sum would change the last bit of an answer between machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

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
    compiled = numba.njit(cache=True, error_model="numpy", nogil=True)
    compiled_parallel = numba.njit(cache=True, error_model="numpy", nogil=True, parallel=True)


def set_threads(count: int) -> None:
    """How many threads `compiled_parallel` loops use; answers never depend on it."""
    numba.set_num_threads(count)
