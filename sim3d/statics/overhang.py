"""How much of the underside hangs over nothing: the part with no terrain within 3 mm below it.

Compiled. The underside is cut into scan lines; along each the terrain's triangles cover exact stretches. What is bare
is summed over lines that lie the closer, the less smoothly it changes; the farthest point is narrowed on its edge.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, lent, scratch
from sim3d.ground.foot import A0, CX, CY, KIND, RX, RY, SIDE, STRAIGHT, SWEEP, X0, X1, Y0, Y1, Foot
from sim3d.plane import Arc, Outline, filled
from sim3d.space import Floats, Ints
from sim3d.statics.touch import dot

BELOW_MM = 3.0  # terrain deeper than this under the base does not carry a finger, let alone the eye
ABOVE_MM = 1e-3  # terrain higher than this over its plane lies beside it: at rest none under it does
BANDS = 64  # over the width at first
HALVED = 26  # times, at most, that one of them is
ROOM = HALVED + 2
SHARE = 3e-8  # of the area: so true the bare part is
JOIN_MM = 1e-9  # a gap that is rounding
PARTS = 24  # room for stretches on a line at first
STEP = 0.0175  # radians, or a share of the reach: so close the points of the outline are that are looked at first
GAIN_MM = 1e-9  # a place that can be farther by no more is not looked at
GOLDEN = 0.3819660112501051
CHORD_MM = 1e-4  # of the ends of a stadium, the only one whose sides are cut off at chords


class Underside(NamedTuple):
    """A base's underside: its outline, and the same without notches, which is convex: an ellipse, or else a ring."""

    foot: Foot
    rx: float  # 0: it is a ring
    ry: float
    ring: Floats  # (n, 2) counterclockwise
    inner: float  # how far all around the middle lies inside

    @staticmethod
    def of(outline: Outline) -> Underside:
        """The compiled form of an outline."""
        arcs = [e for e in outline.edges if isinstance(e, Arc)]
        radii = {(e.rx, e.ry) for e in arcs if e.centre == (0.0, 0.0)}
        whole = len(radii) == 1 and all(e.centre == (0.0, 0.0) for e in arcs)
        rx, ry = radii.pop() if whole else (0.0, 0.0)
        ring = filled(outline, CHORD_MM)
        sides = np.roll(ring, -1, axis=0) - ring
        out = (ring[:, 0] * sides[:, 1] - ring[:, 1] * sides[:, 0]) / np.hypot(*sides.T)
        return Underside(Foot.of(outline), float(rx), float(ry), ring, max(0.0, float(out.min())))


class Cover(NamedTuple):
    """The terrain near the underside as the base sees it: convex rings, none of them deep under it."""

    rings: Floats  # (n, 5, 2)
    counts: Ints
    left: Floats  # (n,) from this x ...
    right: Floats  # ... to this one,
    low: Floats  # and in y
    high: Floats
    under: Floats  # (n, 5, 2) of each side the shares between which it lies under the base; NaN: nobody asked yet


@compiled
def overhang(tris: Floats, spans: Floats, frame: Floats, base: Underside) -> tuple[float, float]:
    """The farthest outline point from the carried part (mm), and the uncarried share of the area (0 to 1).

    Terrain beside the base carries nothing. Nothing carried at all: the whole reach, and 1.
    """
    base = lent(base)
    cover = cover_of(tris, spans, frame, base)
    if cover.counts.shape[0] == 0:
        return base.foot.reach_mm, 1.0
    share = bare_share(cover, base.foot.pieces)
    if share <= 0.0:
        return 0.0, 0.0
    farthest = farthest_from(cover, base)
    return (base.foot.reach_mm, 1.0) if farthest == math.inf else (farthest, min(1.0, share))


@compiled
def cover_of(tris: Floats, spans: Floats, frame: Floats, base: Underside) -> Cover:
    """What carries: the parts of all triangles that are not too deep under the underside's plane, and not over it.

    What stands beside a leaning base, as a wall at its foot, comes to lie over it where it is high enough.
    """
    many, reach = tris.shape[0], base.foot.reach_mm
    rings, counts, under = np.empty((many, 5, 2)), np.zeros(many, np.int64), np.empty((many, 5, 2))
    left, right, low, high = np.empty(many), np.empty(many), np.empty(many), np.empty(many)
    ring, q, h = scratch(5, 2), scratch(3, 2), scratch(3)
    used, least = 0, -BELOW_MM - JOIN_MM  # a slab of just that thickness, but for rounding, is near enough
    for t in range(many):
        dx, dy, dz = tris[t, 0, 0] - frame[0, 0], tris[t, 0, 1] - frame[0, 1], tris[t, 0, 2] - frame[0, 2]
        first = dot(dx, dy, dz, frame[3])
        if first + spans[t] < least or first - spans[t] > ABOVE_MM:
            continue
        count = 0
        for i in range(3):
            dx, dy, dz = tris[t, i, 0] - frame[0, 0], tris[t, i, 1] - frame[0, 1], tris[t, i, 2] - frame[0, 2]
            h[i] = dot(dx, dy, dz, frame[3])
            q[i, 0], q[i, 1] = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
        for i in range(3):
            j = (i + 1) % 3
            if least <= h[i] <= ABOVE_MM:
                ring[count, 0], ring[count, 1] = q[i, 0], q[i, 1]
                count += 1
            for k in range(2):  # on the way up it comes in below and goes out above
                low_one = (k == 0) == (h[i] < h[j])
                level = least if low_one else ABOVE_MM
                parted = (h[i] >= least) != (h[j] >= least) if low_one else (h[i] <= level) != (h[j] <= level)
                if parted:
                    s = (level - h[i]) / (h[j] - h[i])
                    ring[count, 0] = q[i, 0] + s * (q[j, 0] - q[i, 0])
                    ring[count, 1] = q[i, 1] + s * (q[j, 1] - q[i, 1])
                    count += 1
        if count < 3:
            continue
        u = used
        left[u] = low[u] = math.inf
        right[u] = high[u] = -math.inf
        for i in range(count):
            left[u], right[u] = min(left[u], ring[i, 0]), max(right[u], ring[i, 0])
            low[u], high[u] = min(low[u], ring[i, 1]), max(high[u], ring[i, 1])
        if left[u] > reach or right[u] < -reach or low[u] > reach or high[u] < -reach:
            continue
        rings[used, :count], counts[used] = ring[:count], count
        under[used, 0, 0] = math.nan
        used += 1
    return Cover(rings[:used], counts[:used], left[:used], right[:used], low[:used], high[:used], under[:used])


@compiled
def bare_share(cover: Cover, pieces: Floats) -> float:
    """The share of the underside that no ring covers.

    Lines lie as the sines of even angles do: so a bow's chords change smoothly up to its ends.
    """
    low_y, high_y = pieces[:, Y0].min(), pieces[:, Y0].max()
    middle, half = 0.5 * (low_y + high_y), 0.5 * (high_y - low_y)
    width = math.pi / BANDS
    stretches, inside = np.empty((PARTS, 2)), np.empty((pieces.shape[0], 2))
    room = scratch(ROOM, 5)  # bands still to be summed: where each begins, its width, and what is bare at three lines
    total, area, met = 0.0, area_of(pieces), np.empty(cover.counts.shape[0], np.int64)
    fine = 15.0 * SHARE * area / math.pi
    last = 0.0  # what is bare where a band ends: the next one begins there
    for k in range(BANDS):
        begins = k * width - 0.5 * math.pi
        some = met[: meeting(cover, middle + half * math.sin(begins), middle + half * math.sin(begins + width), met)]
        room[0, 2] = last
        for i in range(1, 3):
            angle = begins + 0.5 * i * width
            bare = bare_at(cover, some, pieces, middle + half * math.sin(angle), stretches, inside)
            room[0, 2 + i] = bare * half * math.cos(angle)
        last = room[0, 4]
        if room[0, 2] == 0.0 and room[0, 3] == 0.0 and room[0, 4] == 0.0:
            continue
        room[0, 0], room[0, 1] = begins, width
        top = 1
        while top > 0:
            top -= 1
            start, size = room[top, 0], room[top, 1]
            a, b, c = room[top, 2], room[top, 3], room[top, 4]
            one, other = start + 0.25 * size, start + 0.75 * size
            d = bare_at(cover, some, pieces, middle + half * math.sin(one), stretches, inside)
            d *= half * math.cos(one)
            e = bare_at(cover, some, pieces, middle + half * math.sin(other), stretches, inside)
            e *= half * math.cos(other)
            coarse = size * (a + 4.0 * b + c) / 6.0
            better = size * (a + 4.0 * d + 2.0 * b + 4.0 * e + c) / 12.0
            if abs(better - coarse) <= fine * size or size < width / 2.0**HALVED:
                total += better + (better - coarse) / 15.0
                continue
            for m in range(2):
                room[top, 0], room[top, 1] = start + 0.5 * size * m, 0.5 * size
                room[top, 2], room[top, 3], room[top, 4] = b if m else a, e if m else d, c if m else b
                top += 1
    return max(0.0, total / area)


@lean
def meeting(cover: Cover, low: float, high: float, out: Ints) -> int:
    """Which rings meet a band; how many."""
    n = 0
    for t in range(cover.counts.shape[0]):
        if cover.low[t] <= high and cover.high[t] >= low:
            out[n] = t
            n += 1
    return n


@compiled
def bare_at(cover: Cover, some: Ints, pieces: Floats, y: float, stretches: Floats, inside: Floats) -> float:
    """How much (mm) of the underside's line at a height is bare; `some` are the rings that may cover it."""
    n = chords(pieces, y, inside)
    if n == 0:
        return 0.0
    many = 0
    rings, counts = cover.rings, cover.counts
    for m in range(some.shape[0]):
        t = some[m]
        if cover.low[t] > y or cover.high[t] < y:
            continue
        a, b = math.inf, -math.inf
        for i in range(counts[t]):
            j = (i + 1) % counts[t]
            y0, y1 = rings[t, i, 1], rings[t, j, 1]
            if (y0 <= y) != (y1 <= y):
                x = rings[t, i, 0] + (y - y0) * (rings[t, j, 0] - rings[t, i, 0]) / (y1 - y0)
                a, b = min(a, x), max(b, x)
        if b > a:
            if many == stretches.shape[0]:
                more = np.empty((2 * many, 2))
                more[:many] = stretches
                stretches = more
            many = joined(stretches, many, a, b)
    bare = 0.0
    for k in range(n):
        left, right = inside[k, 0], inside[k, 1]
        free = right - left
        for m in range(many):
            if stretches[m, 0] <= left + JOIN_MM and stretches[m, 1] >= right - JOIN_MM:
                free = 0.0
                break
            free -= max(0.0, min(stretches[m, 1], right) - max(stretches[m, 0], left))
        bare += max(0.0, free)
    return bare


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


@lean
def chords(pieces: Floats, y: float, out: Floats) -> int:
    """Where a line lies inside an outline, given as pieces that rise or fall: sorted stretches; how many."""
    n = 0
    for i in range(pieces.shape[0]):
        y0, y1 = pieces[i, Y0], pieces[i, Y1]
        if (y0 <= y) == (y1 <= y):
            continue
        if pieces[i, KIND] == STRAIGHT:
            x = pieces[i, X0] + (y - y0) * (pieces[i, X1] - pieces[i, X0]) / (y1 - y0)
        else:
            height = (y - pieces[i, CY]) / pieces[i, RY]
            x = pieces[i, CX] + pieces[i, SIDE] * pieces[i, RX] * math.sqrt(max(0.0, 1.0 - height * height))
        k = n
        while k > 0 and out[(k - 1) // 2, (k - 1) % 2] > x:
            out[k // 2, k % 2] = out[(k - 1) // 2, (k - 1) % 2]
            k -= 1
        out[k // 2, k % 2] = x
        n += 1
    return n // 2


@lean
def area_of(pieces: Floats) -> float:
    """The area (mm²) inside of an outline."""
    twice = 0.0
    for i in range(pieces.shape[0]):
        twice += pieces[i, X0] * pieces[i, Y1] - pieces[i, X1] * pieces[i, Y0]
        if pieces[i, KIND] != STRAIGHT:  # the bow beyond its chord
            twice += pieces[i, RX] * pieces[i, RY] * (pieces[i, SWEEP] - math.sin(pieces[i, SWEEP]))
    return 0.5 * abs(twice)


@lean
def stretch_within(rx: float, ry: float, around: Floats, inner: float, a: Floats, b: Floats, out: Floats) -> None:
    """Between which shares of the way from a to b it lies inside of an ellipse or a convex ring; the first is larger:
    nowhere.
    """
    first, last = 0.0, 1.0
    if max(a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]) > inner * inner:
        if rx > 0.0:
            ux, uy = a[0] / rx, a[1] / ry
            vx, vy = (b[0] - a[0]) / rx, (b[1] - a[1]) / ry
            square, along = vx * vx + vy * vy, ux * vx + uy * vy
            under = along * along - square * (ux * ux + uy * uy - 1.0)
            if square == 0.0 or under <= 0.0:
                first, last = (0.0, 1.0) if square == 0.0 and ux * ux + uy * uy <= 1.0 else (1.0, 0.0)
            else:
                root = math.sqrt(under)
                first, last = max(0.0, (-along - root) / square), min(1.0, (root - along) / square)
        for i in range(around.shape[0] if rx == 0.0 else 0):
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


@compiled
def farthest_from(cover: Cover, base: Underside) -> float:
    """How far the farthest point of an outline is from what carries.

    Points of each edge first; then between those about each that could be surpassed beside it.
    """
    farthest, last, edges = 0.0, np.zeros(1, np.int64), base.foot.edges
    step = STEP * base.foot.reach_mm
    for e in range(edges.shape[0]):
        size = math.hypot(edges[e, X1] - edges[e, X0], edges[e, Y1] - edges[e, Y0])
        if edges[e, KIND] != STRAIGHT:
            size = abs(edges[e, SWEEP]) * max(edges[e, RX], edges[e, RY])
        many = max(4, math.ceil(size / step))
        far, close = np.empty(many + 1), 2.0 * size / many
        for k in range(many + 1):
            far[k] = gap_at(cover, base, e, k / many, farthest - close, last)
            farthest = max(farthest, far[k])
        if farthest == math.inf:
            break
        for k in range(many + 1):
            before, after = far[max(k - 1, 0)], far[min(k + 1, many)]
            if far[k] + max(far[k] - before, far[k] - after) <= farthest + GAIN_MM:
                continue
            if far[k] < before or far[k] < after:
                continue
            low, high = max(k - 1, 0) / many, min(k + 1, many) / many
            one, other = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
            left, right = gap_at(cover, base, e, one, 0.0, last), gap_at(cover, base, e, other, 0.0, last)
            while high - low > 1e-9:
                if left >= right:
                    high, other, right = other, one, left
                    one = low + GOLDEN * (high - low)
                    left = gap_at(cover, base, e, one, 0.0, last)
                else:
                    low, one, left = one, other, right
                    other = high - GOLDEN * (high - low)
                    right = gap_at(cover, base, e, other, 0.0, last)
            farthest = max(farthest, left, right)
    return farthest


@compiled
def gap_at(cover: Cover, base: Underside, e: int, share: float, enough: float, last: Ints) -> float:
    """The distance from the point a share along an edge of the outline to what carries; or less than `enough`.

    `last` is the ring that was nearest to the point before: the farther away others are, the fewer are looked at.
    """
    edge = base.foot.edges[e]
    x = edge[X0] + share * (edge[X1] - edge[X0])
    y = edge[Y0] + share * (edge[Y1] - edge[Y0])
    if edge[KIND] != STRAIGHT:
        angle = edge[A0] + share * edge[SWEEP]
        x, y = edge[CX] + edge[RX] * math.cos(angle), edge[CY] + edge[RY] * math.sin(angle)
    near = gap_to(cover, last[0], base, x, y)
    for t in range(cover.counts.shape[0]):
        if near <= enough or near == 0.0:
            break
        if max(cover.low[t] - y, y - cover.high[t], cover.left[t] - x, x - cover.right[t]) >= near:
            continue
        gap = gap_to(cover, t, base, x, y)
        if gap < near:
            near, last[0] = gap, t
    return near


@lean
def gap_to(cover: Cover, t: int, base: Underside, x: float, y: float) -> float:
    """The distance from a point of the outline to that part of a convex ring that lies under the base; 0 inside."""
    ring, under, count = cover.rings[t], cover.under[t], cover.counts[t]
    if math.isnan(under[0, 0]):
        for i in range(count):
            stretch_within(base.rx, base.ry, base.ring, base.inner, ring[i], ring[(i + 1) % count], under[i])
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
    return 0.0 if left != right else best  # neither: the ring is a line, a wall seen from above, and goes through it
