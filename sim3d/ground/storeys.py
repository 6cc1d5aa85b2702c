"""Which floors a table has one over the other: the cuts under which a base could be set down below a roof.

A cut is only a question: the word for a cut is the exact solver's. What is chosen here is which cuts are worth asking.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.patch import upright
from sim3d.ground.room import HEADROOM_MM, Shells, ray_from
from sim3d.ground.spans import Spans
from sim3d.space import Bools, Floats

LOW_SHARE = 0.25  # of a storey's area, the part with the lowest ceilings that a cut may run above: arches come down
MOST_CUTS = 12  # of one table: more storeys than any terrain has
CLEAR_MM = 1e-3  # a cut keeps half of this from every floor and ceiling


@compiled
def ceilings(spans: Spans, closed: Shells) -> Floats:
    """Over the middle of every cell each floor with a ceiling over it: rows (x, y, height of floor, of ceiling)."""
    out = np.empty((64, 4))
    n = 0
    heights, pieces, rims = np.empty(256), np.empty(256, np.int64), np.empty(256)
    for j in range(spans.ny):
        y = spans.y0 + (j + 0.5) * spans.cell
        for i in range(spans.nx):
            x = spans.x0 + (i + 0.5) * spans.cell
            m = j * spans.nx + i
            many = 0
            if spans.floor == spans.floor:
                heights[0], pieces[0], many = spans.floor, -1, 1
            for k in range(spans.starts[m], spans.starts[m + 1]):
                tri = spans.corners[spans.members[k]]
                ok, z = height_at(tri, x, y)
                if ok and many < 256 and not upright(tri):
                    heights[many], pieces[many] = z, closed.of[spans.members[k]]
                    rims[many] = closed.rim[spans.members[k]]
                    many += 1
            order = np.argsort(heights[:many], kind="mergesort")
            for a in range(many - 1):
                low, high = heights[order[a]], heights[order[a + 1]]
                if high - low < HEADROOM_MM:
                    continue
                within = False  # a ray up leaves a closed piece once more than it enters it: that is its inside
                for b in range(a + 1, many):
                    piece, count = pieces[order[b]], 0
                    over = ray_from(rims[order[b]], low, HEADROOM_MM)
                    for d in range(a + 1, many):
                        count += piece >= 0 and pieces[order[d]] == piece and heights[order[d]] >= over
                    within = within or count % 2 == 1
                if within:
                    continue
                if n == out.shape[0]:
                    more = np.empty((2 * n, 4))
                    more[:n] = out
                    out = more
                out[n, 0], out[n, 1], out[n, 2], out[n, 3] = x, y, low, high
                n += 1
    return out[:n].copy()


@lean
def height_at(tri: Floats, x: float, y: float) -> tuple[bool, float]:
    """Whether (x, y) lies over a triangle, and how high the triangle is there."""
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    det = ux * vy - uy * vx
    if det == 0.0:
        return False, 0.0
    px, py = x - tri[0, 0], y - tri[0, 1]
    a, b = (px * vy - py * vx) / det, (ux * py - uy * px) / det
    return a >= 0.0 and b >= 0.0 and a + b < 1.0, tri[0, 2] + a * uz + b * vz


def cuts_of(spans: Spans, closed: Shells, least_mm2: float) -> tuple[float, ...]:
    """The cuts, highest first: none is left out that runs through more than `least_mm2` of floor no other runs through.

    First where most floor is at once, under most of its ceilings; then where most is of what is left.
    """
    rows = ceilings(spans, closed)[:, 2:]
    least = least_mm2 / spans.cell**2
    cuts: list[float] = []
    while len(cuts) < MOST_CUTS:
        through = _through_most(rows)
        mine = rows[_met(rows, through)]
        if len(mine) <= least:
            break
        low, tops = float(mine[:, 0].max()), np.sort(mine[:, 1])
        cut = 0.5 * (low + float(tops[int(LOW_SHARE * len(tops))]))
        tenths = math.floor(10.0 * cut) / 10.0
        cut = tenths if tenths > low else cut
        if _met(rows, cut).sum() <= least:
            cut = through
        cuts.append(cut)
        rows = rows[~_met(rows, cut)]
    return tuple(sorted(cuts, reverse=True))


def _met(rows: Floats, cut: float) -> Bools:
    """Which floors and ceilings a cut runs between."""
    met: Bools = (rows[:, 0] < cut) & (rows[:, 1] > cut)
    return met


def _through_most(rows: Floats) -> float:
    """The height that runs between most floors and their ceilings; the lowest of such heights."""
    ends = np.concatenate([rows[:, 0], rows[:, 1]])
    order = np.argsort(ends, kind="stable")
    ends, over = ends[order], np.cumsum(np.repeat([1, -1], len(rows))[order])
    between = np.flatnonzero(np.diff(ends) > CLEAR_MM)
    if not len(between):
        return math.nan
    k = between[over[between].argmax()]
    return float(0.5 * (ends[k] + ends[k + 1]))
