"""The terrain around a climber: what walkable ground is over a point, what a column or a way would have to go through.

Exact for triangles as they are, whichever way they face; heights are cut, plans are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim3d.ground import Ground
from sim3d.plane import foot_on, gaps_mm
from sim3d.space import Floats

SLIVER_MM = 1e-9  # twice the area that a triangle covers, seen from above, over its size: less is a wall
INSIDE = 1e-9  # how far outside of a triangle, as a share of it, a point on its rim still counts
Point = tuple[float, float]
Bools = npt.NDArray[np.bool_]
Plane = tuple[float, float, float, float]  # nx, ny, nz, d: what is kept has nx x + ny y + nz z >= d


@dataclass(frozen=True, slots=True)
class Around:
    """The triangles near a place, the heights and the plan bounds of each, and which of them are walked."""

    tris: Floats  # (m, 3, 3)
    low: Floats
    high: Floats
    boxes: Floats  # (m, 4) from x, from y, to x, to y
    walked: Bools  # (m,) no steeper than the slope

    def heights(self, points: Floats) -> list[Floats]:
        """The heights of all walkable ground over and under each of some points (n, 2)."""
        tris = self.tris[self.walked]
        boxes = self.boxes[self.walked]
        found = []
        for x, y in points:
            near = (boxes[:, 0] <= x) & (boxes[:, 1] <= y) & (boxes[:, 2] >= x) & (boxes[:, 3] >= y)
            found.append(_heights(tris[near], float(x), float(y)))
        return found

    def carried(self, points: Floats, low: float, high: float) -> list[bool]:
        """Whether walkable ground between two heights lies over each of some points."""
        return [bool(((z > low) & (z < high)).any()) for z in self.heights(points)]

    def through(self, ring: Floats, low: float, high: float) -> bool:
        """Whether any terrain between two heights is inside a convex ring, seen from above."""
        return bool(len(self._inside(ring, low, high)))

    def lowest(self, ring: Floats, low: float) -> float:
        """How low terrain over a height comes inside a convex ring; infinite where there is none."""
        return min((float(part[:, 2].min()) for part in self._inside(ring, low, math.inf)), default=math.inf)

    def spans(self, ring: Floats, low: float, high: float) -> list[tuple[float, float]]:
        """From which height to which each triangle goes inside a convex ring (counter-clockwise), the lowest first."""
        planes = sides_of(ring)
        parts = [kept(part, planes) for part in self._inside(ring, low, high)]
        return sorted((float(p[:, 2].min()), float(p[:, 2].max())) for p in parts if len(p))

    def _inside(self, ring: Floats, low: float, high: float) -> list[Floats]:
        """The parts of triangles between two heights that meet a ring."""
        (x0, y0), (x1, y1) = ring.min(axis=0), ring.max(axis=0)
        b = self.boxes
        near = (self.high > low) & (self.low < high) & (b[:, 0] < x1) & (b[:, 2] > x0) & (b[:, 1] < y1) & (b[:, 3] > y0)
        parts = [kept(tri, [(0.0, 0.0, 1.0, low), (0.0, 0.0, -1.0, -high)]) for tri in self.tris[near]]
        parts = [p for p in parts if len(p)]
        met = gaps_mm(ring, np.array([p[[0, -1], :2] for p in parts]).reshape(-1, 2, 2))
        return [p for p, m in zip(parts, met, strict=True) if m == 0 or len(kept(p, sides_of(ring)))]


def around(ground: Ground, at: Point, reach_mm: float, slope_deg: float) -> Around:
    """Everything within reach of a place."""
    tris = ground.corners[ground.near(*at, reach_mm)]
    normals = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    flat = math.cos(math.radians(slope_deg)) - 1e-6
    walked = (sizes > 0) & (np.abs(normals[:, 2]) >= flat * sizes)
    low, high = tris.min(axis=1), tris.max(axis=1)
    return Around(tris, low[:, 2], high[:, 2], np.hstack([low[:, :2], high[:, :2]]), walked)


def sides_of(ring: Floats) -> list[Plane]:
    """The upright planes that keep what is inside a convex ring (counter-clockwise)."""
    sides = np.roll(ring, -1, axis=0) - ring
    return [(-dy, dx, 0.0, dx * y - dy * x) for (x, y), (dx, dy) in zip(ring.tolist(), sides.tolist(), strict=True)]


def kept(tri: Floats, planes: Sequence[Plane]) -> Floats:
    """The corners (n, 3) of the part of a triangle on the kept side of every plane; none where nothing is."""
    ring = tri
    for nx, ny, nz, d in planes:
        if not len(ring):
            break
        if math.isinf(d):
            continue
        over = ring @ np.array([nx, ny, nz]) - d
        corners = []
        for k in range(len(ring)):
            j = (k + 1) % len(ring)
            if over[k] >= 0:
                corners.append(ring[k])
            if (over[k] >= 0) != (over[j] >= 0):
                corners.append(ring[k] + over[k] / (over[k] - over[j]) * (ring[j] - ring[k]))
        ring = np.array(corners).reshape(-1, 3)
    return ring


def nearest(corners: Floats, point: Point) -> tuple[float, Floats]:
    """The flat distance from a point to a convex polygon (n, 3), and its place that is nearest, seen from above."""
    sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    cross = (sides[:, 1, 0] - sides[:, 0, 0]) * (point[1] - sides[:, 0, 1]) - (sides[:, 1, 1] - sides[:, 0, 1]) * (
        point[0] - sides[:, 0, 0]
    )
    if (cross > 0).all() or (cross < 0).all():
        return 0.0, np.array([*point, _height(corners, *point)])
    feet = foot_on(point, sides[:, :, :2])
    away = np.hypot(feet[:, 0] - point[0], feet[:, 1] - point[1])
    best = int(np.argmin(away))
    a, b = sides[best]
    size = math.dist(a[:2], b[:2])
    share = math.dist(a[:2], feet[best]) / size if size > 0 else 0.0
    return float(away[best]), np.array([*feet[best], a[2] + share * (b[2] - a[2])])


def _height(corners: Floats, x: float, y: float) -> float:
    """The height of a polygon's plane at a point."""
    normal = np.zeros(3)
    for k in range(1, len(corners) - 1):
        normal += np.cross(corners[k] - corners[0], corners[k + 1] - corners[0])
    a = corners[0]
    return float(a[2] - (normal[0] * (x - a[0]) + normal[1] * (y - a[1])) / normal[2])


def _heights(tris: Floats, x: float, y: float) -> Floats:
    """The heights of those triangles that a point lies in, seen from above."""
    a, u, v = tris[:, 0], tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    solid = np.abs(area) > SLIVER_MM
    a, u, v, area = a[solid], u[solid], v[solid], area[solid]
    px, py = x - a[:, 0], y - a[:, 1]
    s = (px * v[:, 1] - py * v[:, 0]) / area
    t = (u[:, 0] * py - u[:, 1] * px) / area
    inside = (s >= -INSIDE) & (t >= -INSIDE) & (s + t <= 1 + INSIDE)
    heights: Floats = (a[:, 2] + s * u[:, 2] + t * v[:, 2])[inside]
    return heights
