"""Corners that are one and edges that triangles share, counted in passes instead of sorted: for meshes of millions.

Compiled. `survey` says what comes out, sorts where there are few, and is the reference in the tests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled
from sim3d.space import Ints

LOOKS = 8  # at taken slots, for every corner: more, and somebody has chosen the corners so that they collide
FEW = 24  # edges at one corner that are sorted as they come in
MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def first_seen(bits: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Of rows (n, 3) the first of each kind in their order, and for each row which of those it is like.

    Nothing where that takes too many looks.
    """
    n = bits.shape[0]
    size = 1
    while size < 2 * n:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int32)
    keep, became = np.empty(n, np.int64), np.empty(n, np.int64)
    many, looks = 0, 0
    for i in range(n):
        x, y, z = bits[i, 0], bits[i, 1], bits[i, 2]
        mixed = x * MIX
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ y) * MIX
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ z) * MIX
        at = (mixed ^ (mixed >> np.uint64(32))) & mask
        while True:
            seen = slots[at]
            if seen < 0:
                slots[at] = many
                keep[many], became[i] = i, many
                many += 1
                break
            j = keep[seen]
            if bits[j, 0] == x and bits[j, 1] == y and bits[j, 2] == z:
                became[i] = seen
                break
            at = (at + np.uint64(1)) & mask
            looks += 1
        if looks > LOOKS * n:
            return keep[:0].copy(), became[:0].copy()
    return keep[:many].copy(), became


@compiled
def shared(faces: Ints, corners: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Of triangles (m, 3) the edges (n, 2) in order, how many use each, how many of them from low to high; and for each
    half-edge, those 0-1 of all triangles first, on which edge it lies."""
    m = faces.shape[0]
    starts = np.zeros(corners + 1, np.int64)
    for t in range(m):
        for k in range(3):
            starts[min(faces[t, k], faces[t, (k + 1) % 3]) + 1] += 1
    for c in range(corners):
        starts[c + 1] += starts[c]
    highs, halves, free = np.empty(3 * m, np.int64), np.empty(3 * m, np.int64), starts[:corners].copy()
    for k in range(3):
        for t in range(m):
            a, b = faces[t, k], faces[t, (k + 1) % 3]
            low = min(a, b)
            at = free[low]
            highs[at], halves[at] = max(a, b), k * m + t
            free[low] = at + 1
    n = 0
    for low in range(corners):
        first, last = starts[low], starts[low + 1]
        if last - first <= FEW:
            for i in range(first + 1, last):
                high, half, j = highs[i], halves[i], i
                while j > first and highs[j - 1] > high:
                    highs[j], halves[j] = highs[j - 1], halves[j - 1]
                    j -= 1
                highs[j], halves[j] = high, half
        else:
            order = np.argsort(highs[first:last], kind="mergesort")
            highs[first:last], halves[first:last] = highs[first:last][order], halves[first:last][order]
        for i in range(first, last):
            n += i == first or highs[i] != highs[i - 1]
    ends, uses, forward = np.empty((n, 2), np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    of_half = np.empty(3 * m, np.int64)
    n = 0
    for low in range(corners):
        for i in range(starts[low], starts[low + 1]):
            if i == starts[low] or highs[i] != highs[i - 1]:
                ends[n, 0], ends[n, 1] = low, highs[i]
                n += 1
            half = halves[i]
            uses[n - 1] += 1
            forward[n - 1] += low < highs[i] and faces[half % m, half // m] == low
            of_half[half] = n - 1
    return ends, uses, forward, of_half
