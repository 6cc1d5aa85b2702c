"""What part of a triangle a flat convex ring covers, set down or on its way from one pose to the next. Compiled."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.foot import length
from sim3d.ground.relief import LEVEL_MM
from sim3d.space import Floats, Ints

CORE = 0.5  # the share of the outline whose ground counts as what it stands on: a rim over a step has not stepped yet
BINS = 256  # angles by which the sides of a ring are found
ROUNDED = 1e-9  # radians: sides that go on straight may look as much back
ROUND = 12  # sides all round that a long triangle is cut by first
ROOM = 16  # corners of a clipped triangle: one for each side of the ring that cuts it, and a few


class Carried(NamedTuple):
    """A shape that is carried, and room to work in: one for each thread."""

    ring: Floats  # (n, 2) convex
    normals: Floats  # (n, 3) of each side the way that it looks, and how far off it is that way; infinite: it is none
    fits: float  # the radius of the circle that fits in it
    reach: float  # and of the one that it fits in
    first: float  # where the first side looks, in radians; NaN: nothing is known of where they look
    before: Ints  # (BINS,) how many sides look less far round from it than each angle
    step: float
    tall: float
    flat: float  # the cosine of the steepest ground that it walks
    over: float
    sides: Floats
    work: Floats
    kept: Floats


@lean
def within_mm(ring: Floats) -> tuple[float, float]:
    """The radii of the circles about the origin that fit in a convex ring, and that it fits in."""
    outer, inner = 0.0, math.inf
    n = ring.shape[0]
    for i in range(n):
        j = (i + 1) % n
        outer = max(outer, math.hypot(ring[i, 0], ring[i, 1]))
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        size = math.hypot(ex, ey)
        if size > 0.0:
            inner = min(inner, (ey * ring[i, 0] - ex * ring[i, 1]) / size)
    return max(inner, 0.0), outer


@lean
def sorted_by_look(ring: Floats, before: Ints) -> float:
    """How many sides of a convex ring look less far round from the first than each of so many angles, into `before`.

    Given back: where the first looks, in radians; NaN: the sides do not look round and round, or one has no length.
    """
    n = ring.shape[0]
    first, last, k = math.nan, 0.0, 0
    for i in range(n):
        j = (i + 1) % n
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        if ex == 0.0 and ey == 0.0:
            return math.nan
        looks = math.atan2(-ex, ey)
        if i == 0:
            first = looks
        round_by = (looks - first + ROUNDED) % (2.0 * math.pi) - ROUNDED
        if round_by < last - ROUNDED:
            return math.nan
        last = max(last, round_by)
        while k < BINS and 2.0 * math.pi * k / BINS <= last:
            before[k] = i
            k += 1
    for m in range(k, BINS):
        before[m] = n
    return first


@compiled
def carried_by(ring: Floats, limits: Floats) -> Carried:
    """A convex ring as it is carried, with the `limits_of` a walk."""
    fits, reach = within_mm(ring)
    sides, room = ring.shape[0] + 2, ring.shape[0] + ROOM
    before = np.empty(BINS, np.int64)
    return Carried(
        ring, _normals(ring), fits, reach, sorted_by_look(ring, before), before,
        limits[0], limits[1], limits[2], limits[3],
        np.empty((sides, 3)), np.empty((room, 3)), np.empty((room, 3)),
    )  # fmt: skip


@compiled
def _normals(ring: Floats) -> Floats:
    n = ring.shape[0]
    out = np.zeros((n, 3))
    for i in range(n):
        j = (i + 1) % n
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        size = math.hypot(ex, ey)
        if size == 0.0:
            out[i, 2] = math.inf
        else:
            out[i, 0], out[i, 1] = ey / size, -ex / size
            out[i, 2] = out[i, 0] * ring[i, 0] + out[i, 1] * ring[i, 1]
    return out


@lean
def sides_of(it: Carried, scale: float, pose: Floats, before: Floats, moved: bool) -> int:
    """Half planes (a, b, c: a x + b y <= c) about what a ring, scaled, covers on its way from one pose to the next.

    They are put into its `sides`; given back is how many there are.
    """
    ring, normals, n, out = it.ring, it.normals, it.ring.shape[0], it.sides
    t, u = math.radians(pose[2]), math.radians(before[2])
    ct, st, cu, su = math.cos(t), math.sin(t), math.cos(u), math.sin(u)
    for i in range(n):
        lx, ly, off = normals[i, 0], normals[i, 1], scale * normals[i, 2]
        a, b = lx * ct - ly * st, lx * st + ly * ct
        c = a * pose[0] + b * pose[1] + off
        if moved:
            if pose[2] == before[2]:
                c = max(c, a * before[0] + b * before[1] + off)
            else:
                for m in range(n):
                    px = scale * (ring[m, 0] * cu - ring[m, 1] * su) + before[0]
                    py = scale * (ring[m, 0] * su + ring[m, 1] * cu) + before[1]
                    c = max(c, a * px + b * py)
        out[i, 0], out[i, 1], out[i, 2] = a, b, c
    k = n
    dx, dy = pose[0] - before[0], pose[1] - before[1]
    size = math.hypot(dx, dy)
    if moved and size > 0.0:
        for sign in (-1.0, 1.0):
            a, b = -dy / size * sign, dx / size * sign
            c = -math.inf
            for m in range(n):
                c = max(c, a * (ring[m, 0] * ct - ring[m, 1] * st) + b * (ring[m, 0] * st + ring[m, 1] * ct))
            if pose[2] != before[2]:
                for m in range(n):
                    c = max(c, a * (ring[m, 0] * cu - ring[m, 1] * su) + b * (ring[m, 0] * su + ring[m, 1] * cu))
            c *= scale
            out[k, 0], out[k, 1], out[k, 2] = a, b, c + a * pose[0] + b * pose[1]
            k += 1
    return k


@lean
def facing(
    it: Carried, radius: float, corners: Floats, many: int, pose: Floats, before: Floats, take: float
) -> tuple[int, int]:
    """The sides of a ring of a radius, taken in by `take`, that could cut some corners: the first one, and how many.

    Nearer to the way of its middle than this, a round leaves no doubt which way they stick out of it.
    """
    n = it.ring.shape[0]
    if it.first != it.first:
        return 0, n
    mx, my, far = 0.0, 0.0, 0.0
    for i in range(many):
        mx, my = mx + corners[i, 0] / many, my + corners[i, 1] / many
    for i in range(many):
        far = max(far, length(corners[i, 0] - mx, corners[i, 1] - my))
    dx, dy, wx, wy = pose[0] - before[0], pose[1] - before[1], mx - before[0], my - before[1]
    size = dx * dx + dy * dy
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
    ux, uy = wx - s * dx, wy - s * dy
    off, within = length(ux, uy), radius - take - far
    if within >= off:
        return 0, 0
    if within <= -off or off < LEVEL_MM:
        return 0, n
    half, each = math.acos(within / off), 2.0 * math.pi / BINS
    middle = math.atan2(uy, ux) - it.first - math.radians(pose[2])
    begin = _before(it.before, n, math.floor((middle - half) / each) - 1)
    end = _before(it.before, n, math.ceil((middle + half) / each) + 1)
    return (0, n) if end - begin >= n else (begin % n, end - begin)


@lean
def _before(before: Ints, n: int, k: int) -> int:
    """How many sides look less far round than an angle by its number, which may be beyond one turn, or behind."""
    return before[k % BINS] + n * (k // BINS)


@lean
def _cut(work: Floats, n: int, a: float, b: float, c: float, kept: Floats) -> int:
    """Cut a polygon of n corners by a half plane, in place; how many are left."""
    outside = False
    for i in range(n):
        if a * work[i, 0] + b * work[i, 1] > c:
            outside = True
            break
    if not outside:
        return n
    m = 0
    for i in range(n):
        j = (i + 1) % n
        u, v = c - a * work[i, 0] - b * work[i, 1], c - a * work[j, 0] - b * work[j, 1]
        if u >= 0.0:
            kept[m, 0], kept[m, 1], kept[m, 2] = work[i, 0], work[i, 1], work[i, 2]
            m += 1
        if (u >= 0.0) != (v >= 0.0):
            share = u / (u - v)
            for k in range(3):
                kept[m, k] = work[i, k] + share * (work[j, k] - work[i, k])
            m += 1
    for i in range(m):
        work[i, 0], work[i, 1], work[i, 2] = kept[i, 0], kept[i, 1], kept[i, 2]
    return m


@lean
def within(
    it: Carried, share: float, tri: Floats, pose: Floats, before: Floats, count: int, take: float
) -> tuple[float, float]:
    """The lowest and highest z of the part of a triangle under a share of the ring on its way, taken in by `take`.

    (inf, -inf): there is none. The `count` sides are those that `sides_of` the same share has set. A long triangle is
    cut by a few sides all round first: few others cut what is left.
    """
    sides, work, kept, n, radius = it.sides, it.work, it.kept, it.ring.shape[0], it.fits * share
    for i in range(3):
        for a in range(3):
            work[i, a] = tri[i, a]
    many = 3
    begin, some = facing(it, radius, work, many, pose, before, take)
    if some > 2 * ROUND:
        for k in range(ROUND):
            s = k * n // ROUND
            many = _cut(work, many, sides[s, 0], sides[s, 1], sides[s, 2] - take, kept)
        if many == 0:
            return math.inf, -math.inf
        begin, some = facing(it, radius, work, many, pose, before, take)
    for m in range(some + count - n):  # what lies behind the ring's sides belongs to its way
        s = (begin + m) % n if m < some else n + m - some
        many = _cut(work, many, sides[s, 0], sides[s, 1], sides[s, 2] - take, kept)
        if many == 0:
            return math.inf, -math.inf
    low, high = math.inf, -math.inf
    for i in range(many):
        low, high = min(low, work[i, 2]), max(high, work[i, 2])
    return low, high


@lean
def off_way(tri: Floats, pose: Floats, before: Floats, inner: float, outer: float) -> int:
    """Whether a round on its way between two poses meets a triangle: 1 where the part under it is as low and as high
    as all of it, -1 where it is out of reach, else 0.
    """
    dx, dy = pose[0] - before[0], pose[1] - before[1]
    size = dx * dx + dy * dy
    within = 0
    for i in range(3):
        wx, wy = tri[i, 0] - before[0], tri[i, 1] - before[1]
        s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
        px, py = wx - s * dx, wy - s * dy
        if px * px + py * py <= inner * inner:
            within += 1
    if within == 3:
        return 1
    if within > 0:
        return 1 if tri[0, 2] == tri[1, 2] == tri[2, 2] else 0
    mx, my = (tri[0, 0] + tri[1, 0] + tri[2, 0]) / 3.0, (tri[0, 1] + tri[1, 1] + tri[2, 1]) / 3.0
    far = 0.0
    for i in range(3):
        far = max(far, length(tri[i, 0] - mx, tri[i, 1] - my))
    wx, wy = mx - before[0], my - before[1]
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
    if length(wx - s * dx, wy - s * dy) > outer + far:
        return -1
    apart = _apart2(tri, before[0], before[1], dx, dy)
    if tri[0, 2] == tri[1, 2] == tri[2, 2] and apart <= inner * inner * (1.0 - ROUNDED):
        return 1
    return 0 if apart <= outer * outer * (1.0 + ROUNDED) else -1


@lean
def _apart2(tri: Floats, x: float, y: float, dx: float, dy: float) -> float:
    """The square of the distance between a triangle and a way from (x, y), seen from above; 0 where they meet."""
    left = right = False
    best, way = math.inf, dx * dx + dy * dy
    for i in range(3):
        j = (i + 1) % 3
        ax, ay = tri[i, 0] - x, tri[i, 1] - y
        ex, ey = tri[j, 0] - tri[i, 0], tri[j, 1] - tri[i, 1]
        size = ex * ex + ey * ey
        s = 0.0 if way == 0.0 else min(1.0, max(0.0, (ax * dx + ay * dy) / way))  # its corner from the way
        best = min(best, (ax - s * dx) ** 2 + (ay - s * dy) ** 2)
        one, other = ey * ax - ex * ay, ey * (ax - dx) - ex * (ay - dy)  # on which side the way begins and ends
        left, right = left or one >= 0.0, right or one <= 0.0
        for end in range(2):
            px, py = ax - end * dx, ay - end * dy
            s = 0.0 if size == 0.0 else min(1.0, max(0.0, -(px * ex + py * ey) / size))
            best = min(best, (px + s * ex) ** 2 + (py + s * ey) ** 2)
        here, there = dx * ay - dy * ax, dx * (ay + ey) - dy * (ax + ex)
        if one * other < 0.0 and here * there < 0.0:
            return 0.0
    return best if left and right else 0.0
