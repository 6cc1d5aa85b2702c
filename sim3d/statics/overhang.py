"""How much of the underside hangs over nothing: the part with no terrain within 3 mm below it.

Compiled. The underside is cut into scan lines; along each the terrain's triangles cover exact stretches.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.space import Floats
from sim3d.statics.touch import dot

BELOW_MM = 3.0  # terrain deeper than this under the base does not carry a finger, let alone the eye
LINES = 128  # over the width; the share errs by about a thousandth
JOIN_MM = 1e-9  # a gap that is rounding
PARTS = 24  # room for stretches on a line at first; neighbours grow together


@compiled
def overhang(
    tris: Floats, spans: Floats, frame: Floats, rim: Floats, around: Floats, reach: float
) -> tuple[float, float]:
    """The farthest outline point from the carried part (mm), and the uncarried share of the area (0 to 1).

    `rim` are points (n, 2) of the outline, `around` is the same without notches: convex, counterclockwise. Terrain
    beside the base carries nothing. Nothing carried at all: the whole reach, and 1.
    """
    inner = inner_of(around)
    low_y = high_y = 0.0
    for i in range(rim.shape[0]):
        low_y, high_y = min(low_y, rim[i, 1]), max(high_y, rim[i, 1])
    step = (high_y - low_y) / LINES
    covered, parts = np.empty((LINES, PARTS, 2)), np.zeros(LINES, np.int64)  # of each line: sorted, apart
    ring, q, h = scratch(4, 2), scratch(3, 2), scratch(3)
    rings, counts = np.empty((tris.shape[0], 4, 2)), np.zeros(tris.shape[0], np.int64)
    under = np.empty((tris.shape[0], 4, 2))  # of each side of a ring, the shares between which it lies under the base
    used = 0
    for t in range(tris.shape[0]):
        dx, dy, dz = tris[t, 0, 0] - frame[0, 0], tris[t, 0, 1] - frame[0, 1], tris[t, 0, 2] - frame[0, 2]
        if dot(dx, dy, dz, frame[3]) + spans[t] < -BELOW_MM:
            continue
        count = 0
        for i in range(3):
            dx, dy, dz = tris[t, i, 0] - frame[0, 0], tris[t, i, 1] - frame[0, 1], tris[t, i, 2] - frame[0, 2]
            h[i] = dot(dx, dy, dz, frame[3])
            q[i, 0], q[i, 1] = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
        for i in range(3):
            j = (i + 1) % 3
            if h[i] >= -BELOW_MM:
                ring[count, 0], ring[count, 1] = q[i, 0], q[i, 1]
                count += 1
            if (h[i] >= -BELOW_MM) != (h[j] >= -BELOW_MM):
                s = (-BELOW_MM - h[i]) / (h[j] - h[i])
                ring[count, 0] = q[i, 0] + s * (q[j, 0] - q[i, 0])
                ring[count, 1] = q[i, 1] + s * (q[j, 1] - q[i, 1])
                count += 1
        if count < 3:
            continue
        rings[used, :count], counts[used] = ring[:count], count
        for i in range(count):
            stretch_within(around, inner, ring[i], ring[(i + 1) % count], under[used, i])
        used += 1
        low = high = ring[0, 1]
        for i in range(count):
            low, high = min(low, ring[i, 1]), max(high, ring[i, 1])
        first = max(0, math.ceil((low - low_y) / step - 0.5))
        last = min(LINES - 1, math.floor((high - low_y) / step - 0.5))
        for line in range(first, last + 1):
            y = low_y + (line + 0.5) * step
            a, b = math.inf, -math.inf
            for i in range(count):
                j = (i + 1) % count
                y0, y1 = ring[i, 1], ring[j, 1]
                if (y0 <= y) != (y1 <= y):
                    x = ring[i, 0] + (y - y0) * (ring[j, 0] - ring[i, 0]) / (y1 - y0)
                    a, b = min(a, x), max(b, x)
            if b > a:
                if parts[line] == covered.shape[1]:
                    more = np.empty((LINES, 2 * covered.shape[1], 2))
                    more[:, : covered.shape[1]] = covered
                    covered = more
                parts[line] = joined(covered[line], parts[line], a, b)
    if used == 0:
        return reach, 1.0
    whole = carried = 0.0
    held = np.empty((8, 2))
    for line in range(LINES):
        for k in range(chords(rim, low_y + (line + 0.5) * step, held)):
            whole += held[k, 1] - held[k, 0]
            for m in range(parts[line]):
                carried += max(0.0, min(covered[line, m, 1], held[k, 1]) - max(covered[line, m, 0], held[k, 0]))
    share = 1.0 - carried / whole if whole > 0.0 else 1.0
    if share < 1e-9:
        return 0.0, 0.0
    farthest = 0.0
    for i in range(rim.shape[0]):
        near = math.inf
        for t in range(used):
            near = min(near, gap_to(rings[t], under[t], counts[t], rim[i, 0], rim[i, 1]))
            if near <= farthest:
                break
        farthest = max(farthest, near)
    return reach if farthest == math.inf else farthest, max(0.0, min(1.0, share))


@lean
def joined(stretches: Floats, count: int, a: float, b: float) -> int:
    """A stretch added to sorted ones that lie apart; those it meets become one with it. How many there are now."""
    first = 0
    while first < count and stretches[first, 1] < a - JOIN_MM:
        first += 1
    last = first
    while last < count and stretches[last, 0] <= b + JOIN_MM:
        a, b = min(a, stretches[last, 0]), max(b, stretches[last, 1])
        last += 1
    shift = 1 - (last - first)
    if shift > 0:
        for k in range(count - 1, last - 1, -1):
            copied(stretches[k], stretches[k + 1])
    elif shift < 0:
        for k in range(last, count):
            copied(stretches[k], stretches[k + shift])
    stretches[first, 0], stretches[first, 1] = a, b
    return count + shift


@compiled
def chords(rim: Floats, y: float, out: Floats) -> int:
    """Where a scan line lies inside a closed ring of points, as sorted stretches; how many."""
    cuts = np.empty(16)
    n = 0
    for i in range(rim.shape[0]):
        j = (i + 1) % rim.shape[0]
        y0, y1 = rim[i, 1], rim[j, 1]
        if (y0 <= y) != (y1 <= y) and n < 16:
            cuts[n] = rim[i, 0] + (y - y0) * (rim[j, 0] - rim[i, 0]) / (y1 - y0)
            n += 1
    cuts[:n].sort()
    for k in range(n // 2):
        out[k, 0], out[k, 1] = cuts[2 * k], cuts[2 * k + 1]
    return n // 2


@lean
def inner_of(around: Floats) -> float:
    """How far all around the origin lies inside of a convex ring; 0 where the origin does not."""
    least = math.inf
    for i in range(around.shape[0]):
        j = (i + 1) % around.shape[0]
        dx, dy = around[j, 0] - around[i, 0], around[j, 1] - around[i, 1]
        size = math.sqrt(dx * dx + dy * dy)
        if size > 0.0:
            least = min(least, (around[i, 0] * dy - around[i, 1] * dx) / size)
    return max(0.0, least)


@lean
def stretch_within(around: Floats, inner: float, a: Floats, b: Floats, out: Floats) -> None:
    """Between which shares of the way from a to b it lies inside of a convex ring; the first is larger: nowhere."""
    first, last = 0.0, 1.0
    if max(a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]) > inner * inner:
        for i in range(around.shape[0]):
            j = (i + 1) % around.shape[0]
            dx, dy = around[j, 0] - around[i, 0], around[j, 1] - around[i, 1]
            here = dx * (a[1] - around[i, 1]) - dy * (a[0] - around[i, 0])
            there = dx * (b[1] - around[i, 1]) - dy * (b[0] - around[i, 0])
            if here < 0.0 and there < 0.0:
                first, last = 1.0, 0.0
                break
            if here < 0.0:
                first = max(first, here / (here - there))
            elif there < 0.0:
                last = min(last, here / (here - there))
    out[0], out[1] = first, last


@lean
def gap_to(ring: Floats, under: Floats, count: int, x: float, y: float) -> float:
    """The distance from a point of the outline to that part of a convex ring that lies under the base; 0 inside."""
    best = math.inf
    left = right = False
    for i in range(count):
        j = (i + 1) % count
        dx, dy = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        px, py = x - ring[i, 0], y - ring[i, 1]
        side = dx * py - dy * px
        left = left or side > 0.0
        right = right or side < 0.0
        if under[i, 0] > under[i, 1]:
            continue  # the nearest point is on a side that enters the base, for the base is convex
        size = dx * dx + dy * dy
        s = 0.0 if size == 0.0 else min(under[i, 1], max(under[i, 0], (px * dx + py * dy) / size))
        ex, ey = px - s * dx, py - s * dy
        best = min(best, math.sqrt(ex * ex + ey * ey))
    return best if left and right else 0.0
