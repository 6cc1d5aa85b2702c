"""How deep places are in what keeps a round off: points, walls, a box's edges, all that is out of reach; how deep two
convex rings overlap. Compiled."""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.space import Floats

TINY_MM = 1e-3  # nearer than this no way out is told


@compiled
def deepest(
    spots: Floats,
    points: Floats,
    walls: Floats,
    gaps: Floats,
    half: Floats,
    middle: Floats,
    reach: float,
    depth: Floats,
    way: Floats,
) -> None:
    """Of each spot the first of the deepest: beyond the tool, beyond the table's edges, in a point, in a wall."""
    for n in range(spots.shape[0]):
        x, y = spots[n, 0], spots[n, 1]
        dx, dy = x - middle[0], y - middle[1]
        far = math.hypot(dx, dy)
        best, wx, wy = far - reach, -dx / max(far, TINY_MM), -dy / max(far, TINY_MM)
        if abs(x) - half[0] > best:
            best, wx, wy = abs(x) - half[0], -np.sign(x), 0.0
        if abs(y) - half[1] > best:
            best, wx, wy = abs(y) - half[1], 0.0, -np.sign(y)
        for k in range(points.shape[0]):
            dx, dy = x - points[k, 0], y - points[k, 1]
            gap = math.hypot(dx, dy)
            if points[k, 2] - gap > best:
                best, wx, wy = points[k, 2] - gap, dx / max(gap, TINY_MM), dy / max(gap, TINY_MM)
        for k in range(walls.shape[0]):
            ax, ay = walls[k, 0, 0], walls[k, 0, 1]
            ex, ey = walls[k, 1, 0] - ax, walls[k, 1, 1] - ay
            size = max(ex * ex + ey * ey, TINY_MM * TINY_MM)
            share = min(max(((x - ax) * ex + (y - ay) * ey) / size, 0.0), 1.0)
            dx, dy = x - ax - share * ex, y - ay - share * ey
            room = gaps[k] - best
            if room <= 0.0 or dx * dx + dy * dy >= room * room:
                continue
            gap = math.hypot(dx, dy)
            if gaps[k] - gap > best:
                best, wx, wy = gaps[k] - gap, dx / max(gap, TINY_MM), dy / max(gap, TINY_MM)
        depth[n], way[n, 0], way[n, 1] = best, wx, wy


@compiled
def parted_mm(one: Floats, other: Floats) -> float:
    """How far two convex rings that overlap would have to part, negative; else how far they are apart at least."""
    return max(_beyond(one, other), _beyond(other, one))


@lean
def _beyond(ring: Floats, other: Floats) -> float:
    """The most by which another convex ring lies wholly beyond one side of a ring."""
    n, m = ring.shape[0], other.shape[0]
    best, k = -math.inf, -1
    for i in range(n):
        j = (i + 1) % n
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        size = math.sqrt(ex * ex + ey * ey)
        if size == 0.0:
            continue
        nx, ny = ey / size, -ex / size
        if k < 0:
            k = 0
            for c in range(m):
                if other[c, 0] * nx + other[c, 1] * ny < other[k, 0] * nx + other[k, 1] * ny:
                    k = c
        least = other[k, 0] * nx + other[k, 1] * ny
        for _ in range(m):  # sides go round, and with them the nearest corner of the other
            c = (k + 1) % m
            there = other[c, 0] * nx + other[c, 1] * ny
            if there > least:
                break
            k, least = c, there
        best = max(best, least - (ring[i, 0] * nx + ring[i, 1] * ny))
    return best
