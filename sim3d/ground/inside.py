"""What many triangles are inside of an upright column with convex sides, and over single points. Compiled.

Exact for triangles as they are, whichever way they face; heights are cut, plans are compared.
"""

from __future__ import annotations

import numpy as np

from sim3d.compiled import compiled, copied, lean
from sim3d.space import Bools, Floats, Ints

SLIVER_MM = 1e-9  # twice the area that a triangle covers, seen from above, over its size: less is a wall
ON_RIM = 1e-9  # how far outside of a triangle, as a share of it, a point on its rim still counts


@compiled
def meeting(boxes: Floats, heights: Floats, first: Floats, last: Floats, least: float, most: float) -> Ints:
    """Which triangles' plan bounds (m, 4: from x, from y, to x, to y) meet a box, and heights (m, 2) a span."""
    found = np.empty(64, np.int64)
    n = 0
    for t in range(boxes.shape[0]):
        if boxes[t, 0] > last[0] or boxes[t, 1] > last[1] or boxes[t, 2] < first[0] or boxes[t, 3] < first[1]:
            continue
        if heights[t, 1] <= least or heights[t, 0] >= most:
            continue
        if n == found.shape[0]:
            more = np.empty(2 * n, np.int64)
            more[:n] = found
            found = more
        found[n] = t
        n += 1
    return found[:n]


@compiled
def spans_inside(tris: Floats, few: Ints, sides: Floats, least: float, most: float, one_will_do: bool) -> Floats:
    """From which height to which (n, 2) each of a few triangles (m, 3, 3) goes inside a column, between two heights.

    `sides` (k, 3: nx, ny, d): inside is where nx x + ny y >= d. With `one_will_do` no more than the first is told.
    """
    room = 5 + sides.shape[0]
    ring, spare = np.empty((room, 3)), np.empty((room, 3))
    found = np.empty((1 if one_will_do else few.shape[0], 2))
    n = 0
    for t in few:
        count = 3
        for i in range(3):
            copied(tris[t, i], ring[i])
        count = cut_by(ring, count, 0.0, 0.0, 1.0, least, spare)
        count = cut_by(ring, count, 0.0, 0.0, -1.0, -most, spare)
        for k in range(sides.shape[0]):
            if count == 0:
                break
            count = cut_by(ring, count, sides[k, 0], sides[k, 1], 0.0, sides[k, 2], spare)
        if count == 0:
            continue
        found[n, 0] = found[n, 1] = ring[0, 2]
        for i in range(1, count):
            found[n, 0], found[n, 1] = min(found[n, 0], ring[i, 2]), max(found[n, 1], ring[i, 2])
        n += 1
        if one_will_do:
            break
    return found[:n]


@lean
def cut_by(ring: Floats, count: int, nx: float, ny: float, nz: float, d: float, spare: Floats) -> int:
    """A ring of corners cut by a plane, in place: what has nx x + ny y + nz z >= d is kept. How many corners it has."""
    n = 0
    for i in range(count):
        j = (i + 1) % count
        here = nx * ring[i, 0] + ny * ring[i, 1] + nz * ring[i, 2] - d
        there = nx * ring[j, 0] + ny * ring[j, 1] + nz * ring[j, 2] - d
        if here >= 0.0:
            copied(ring[i], spare[n])
            n += 1
        if (here >= 0.0) != (there >= 0.0):
            share = here / (here - there)
            for a in range(3):
                spare[n, a] = ring[i, a] + share * (ring[j, a] - ring[i, a])
            n += 1
    for i in range(n):
        copied(spare[i], ring[i])
    return n


@compiled
def over_points(tris: Floats, boxes: Floats, points: Floats, least: float, most: float) -> Bools:
    """Over which of some points (n, 2) a triangle lies between two heights, both excluded. `boxes`: plan bounds."""
    found = np.zeros(points.shape[0], np.bool_)
    for p in range(points.shape[0]):
        x, y = points[p, 0], points[p, 1]
        for t in range(tris.shape[0]):
            if x < boxes[t, 0] or y < boxes[t, 1] or x > boxes[t, 2] or y > boxes[t, 3]:
                continue
            ux, uy, uz = tris[t, 1, 0] - tris[t, 0, 0], tris[t, 1, 1] - tris[t, 0, 1], tris[t, 1, 2] - tris[t, 0, 2]
            vx, vy, vz = tris[t, 2, 0] - tris[t, 0, 0], tris[t, 2, 1] - tris[t, 0, 1], tris[t, 2, 2] - tris[t, 0, 2]
            area = ux * vy - uy * vx
            if abs(area) <= SLIVER_MM:
                continue
            px, py = x - tris[t, 0, 0], y - tris[t, 0, 1]
            a, b = (px * vy - py * vx) / area, (ux * py - uy * px) / area
            if a >= -ON_RIM and b >= -ON_RIM and a + b <= 1.0 + ON_RIM:
                z = tris[t, 0, 2] + a * uz + b * vz
                if least < z < most:
                    found[p] = True
                    break
    return found
