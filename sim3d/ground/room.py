"""Is there room? Whether an upright shape at a pose overlaps terrain, how deep, and which triangle is in the way.

Compiled. A shape is a stack of slices along the base's normal: the base's outline below, rounds of the body above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import copied, lean, scratch
from sim3d.ground.foot import X0, Y0, crossings, inside
from sim3d.space import Bools, Floats, Ints

APART = -1  # nothing is in the way
NO_HOLES = np.zeros(0, np.bool_)  # no shell has any
HEADROOM_MM = 12.0  # what hangs lower than this over a floor leaves no room for a miniature, and lets none in


class Shells(NamedTuple):
    """Of every triangle the shell whose inside it bounds, -1 for none, and the height over which that is closed."""

    of: Ints
    rim: Floats  # -inf: everywhere
    holed: Bools = NO_HOLES  # whether it may have holes; empty where none has: then one ray tells, wherever it goes up


@lean
def ray_from(rim: float, z: float, gap: float) -> float:
    """From how high a ray up from a point tells whether it is inside of a shell with a rim; inf: the point is under it.

    Whoever is over a rim, or under it by no more than a gap through which nobody gets, has come through the shell.
    """
    return max(z, rim) if rim <= z + gap else math.inf


@lean
def gap_under(height: float, thickness: float) -> float:
    """How high over the middle of its base a rim may be for a model not to get in under it."""
    return min(height, HEADROOM_MM) - 0.5 * thickness


@lean
def sliced(tri: Floats, frame: Floats, low: float, high: float, ring: Floats) -> int:
    """The part of a triangle between two heights over the base's plane, in the base's coordinates; corners written."""
    work, kept = scratch(8, 3), scratch(8, 3)
    count = 3
    for i in range(3):
        dx, dy, dz = tri[i, 0] - frame[0, 0], tri[i, 1] - frame[0, 1], tri[i, 2] - frame[0, 2]
        for a in range(3):
            row = frame[1 + a]
            work[i, a] = dx * row[0] + dy * row[1] + dz * row[2]
    for side in range(2):
        n = 0
        for i in range(count):
            j = (i + 1) % count
            a = work[i, 2] - low if side == 0 else high - work[i, 2]
            b = work[j, 2] - low if side == 0 else high - work[j, 2]
            if a >= 0.0:
                copied(work[i], kept[n])
                n += 1
            if (a >= 0.0) != (b >= 0.0):
                s = a / (a - b)
                for k in range(3):
                    kept[n, k] = work[i, k] + s * (work[j, k] - work[i, k])
                n += 1
        count = n
        if count == 0:
            return 0
        for i in range(count):
            copied(kept[i], work[i])
    for i in range(count):
        copied(work[i], ring[i])
    return count


@lean
def goes_round(ring: Floats, count: int, x: float, y: float) -> bool:
    """Whether a flat convex ring goes round a point."""
    left = right = False
    for i in range(count):
        j = (i + 1) % count
        side = (ring[j, 0] - ring[i, 0]) * (y - ring[i, 1]) - (ring[j, 1] - ring[i, 1]) * (x - ring[i, 0])
        left, right = left or side > 1e-12, right or side < -1e-12
    return count >= 3 and left != right


@lean
def gap_to_axis(ring: Floats, count: int) -> float:
    """The distance from the axis to a flat convex ring; 0 where it goes round the axis."""
    if goes_round(ring, count, 0.0, 0.0):
        return 0.0
    best = math.inf
    for i in range(count):
        j = (i + 1) % count
        ax, ay = ring[i, 0], ring[i, 1]
        dx, dy = ring[j, 0] - ax, ring[j, 1] - ay
        size = dx * dx + dy * dy
        s = 0.0 if size == 0.0 else min(1.0, max(0.0, -(ax * dx + ay * dy) / size))
        best = min(best, math.hypot(ax + s * dx, ay + s * dy))
    return best


@lean
def in_the_way(
    tris: Floats,
    spans: Floats,
    frame: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    low: float,
    high: float,
    rounds: Floats,
    slack: float,
) -> int:
    """The first triangle that reaches into the base (its outline given, `low` to `high`) or into a round of the body.

    `rounds` rows: low, high, radius; each is taken in by `slack`. APART: none. Of a base so thin that nothing is left
    of it the middle is asked.
    """
    if high < low:
        low = high = 0.5 * (low + high)
    ring = scratch(8, 3)
    shares = scratch(16)
    farthest = reach
    for r in range(rounds.shape[0]):
        farthest = max(farthest, rounds[r, 2])
    top = high
    for r in range(rounds.shape[0]):
        top = max(top, rounds[r, 1])
    for t in range(tris.shape[0]):
        dx, dy, dz = tris[t, 0, 0] - frame[0, 0], tris[t, 0, 1] - frame[0, 1], tris[t, 0, 2] - frame[0, 2]
        h = dx * frame[3, 0] + dy * frame[3, 1] + dz * frame[3, 2]
        if h + spans[t] < low or h - spans[t] > top:
            continue
        away2 = dx * dx + dy * dy + dz * dz - h * h
        if away2 > (farthest + spans[t]) ** 2:
            continue
        count = sliced(tris[t], frame, low, high, ring)
        if count > 0:
            for i in range(count):
                if inside(pieces, reach, inner, ring[i, 0], ring[i, 1]):
                    return t
                j = (i + 1) % count
                if crossings(edges, reach, inner, ring[i, 0], ring[i, 1], ring[j, 0], ring[j, 1], shares) > 0:
                    return t
            if goes_round(ring, count, edges[0, X0], edges[0, Y0]):
                return t
        for r in range(rounds.shape[0]):
            if rounds[r, 1] - slack <= rounds[r, 0] + slack or rounds[r, 2] <= slack:
                continue
            count = sliced(tris[t], frame, rounds[r, 0] + slack, rounds[r, 1] - slack, ring)
            if count > 0 and gap_to_axis(ring, count) < rounds[r, 2] - slack:
                return t
    return APART


@lean
def crossings_above(tris: Floats, x: float, y: float, z: float) -> int:
    """How many triangles a ray straight up from a point crosses: odd means inside, where a surface is closed."""
    count = 0
    for t in range(tris.shape[0]):
        hit = False
        for i in range(3):
            j = (i + 1) % 3
            ax, ay, bx, by = tris[t, i, 0], tris[t, i, 1], tris[t, j, 0], tris[t, j, 1]
            if (ay <= y) != (by <= y):
                if ay > by:  # both triangles at an edge decide alike, to the last digit
                    ax, ay, bx, by = bx, by, ax, ay
                if x < ax + (y - ay) * (bx - ax) / (by - ay):
                    hit = not hit
        if not hit:
            continue
        ux, uy, uz = tris[t, 1, 0] - tris[t, 0, 0], tris[t, 1, 1] - tris[t, 0, 1], tris[t, 1, 2] - tris[t, 0, 2]
        vx, vy, vz = tris[t, 2, 0] - tris[t, 0, 0], tris[t, 2, 1] - tris[t, 0, 1], tris[t, 2, 2] - tris[t, 0, 2]
        det = ux * vy - uy * vx
        if det == 0.0:
            continue
        px, py = x - tris[t, 0, 0], y - tris[t, 0, 1]
        a, b = (px * vy - py * vx) / det, (ux * py - uy * px) / det
        if tris[t, 0, 2] + a * uz + b * vz > z:
            count += 1
    return count
