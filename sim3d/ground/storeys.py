"""Which floors a table has one over the other: the cuts under which a base could be set down below a roof.

A cut is only a question: the word for a cut is the exact solver's. What is chosen here is which cuts are worth asking.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.patch import upright
from sim3d.ground.spans import Spans
from sim3d.space import Floats, Ints

HEADROOM_MM = 12.0  # a ceiling lower than this over a floor leaves no room for a miniature
LOW_SHARE = 0.25  # of a storey's area, the part with the lowest ceiling that a cut may run above: arches come down
MOST_CUTS = 12  # of one table: more storeys than any terrain has


@compiled
def ceilings(spans: Spans, closed: Ints) -> Floats:
    """Over the middle of every cell each floor with a ceiling over it: rows (x, y, height of floor, of ceiling)."""
    out = np.empty((64, 4))
    n = 0
    heights, pieces = np.empty(256), np.empty(256, np.int64)
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
                    heights[many], pieces[many] = z, closed[spans.members[k]]
                    many += 1
            order = np.argsort(heights[:many], kind="mergesort")
            for a in range(many - 1):
                low, high = heights[order[a]], heights[order[a + 1]]
                if high - low < HEADROOM_MM:
                    continue
                within = False  # a ray up leaves a closed piece once more than it enters it: that is its inside
                for b in range(a + 1, many):
                    piece, count = pieces[order[b]], 0
                    for d in range(a + 1, many):
                        count += piece >= 0 and pieces[order[d]] == piece
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


def cuts_of(spans: Spans, closed: Ints, least_mm2: float) -> tuple[float, ...]:
    """The cuts, highest first, that between them run through every covered floor of more than `least_mm2`.

    Each is taken through the highest floor that is left and all others it meets, under most of their ceilings.
    """
    rows = ceilings(spans, closed)[:, 2:]
    cuts: list[float] = []
    area = spans.cell**2
    while len(rows) * area > least_mm2 and len(cuts) < MOST_CUTS:
        highest = rows[:, 0].max()
        mine = rows[rows[:, 1] > highest + 1e-3]
        tops = np.sort(mine[:, 1])
        top = float(tops[min(int(LOW_SHARE * len(tops)), len(tops) - 1)])
        cut = math.floor(10.0 * (0.5 * (float(highest) + top))) / 10.0
        if cut <= highest:
            cut = 0.5 * (float(highest) + top)
        met = (rows[:, 0] < cut) & (rows[:, 1] > cut)
        if met.sum() * area > least_mm2:
            cuts.append(cut)
            rows = rows[~met]
        else:  # a ledge or two: nothing stands on so little
            rows = rows[rows[:, 0] < highest - 1e-3]
    return tuple(sorted(cuts, reverse=True))
