"""The terrain around a climber: what walkable ground is over a point, what a column or a way would have to go through.

Exact for triangles as they are, whichever way they face; heights are cut, plans are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim3d.ground import Ground
from sim3d.ground.inside import meeting, over_points, spans_inside
from sim3d.plane import foot_on
from sim3d.space import Bools, Floats, Ints

Point = tuple[float, float]
Plane = tuple[float, float, float, float]  # nx, ny, nz, d: what is kept has nx x + ny y + nz z >= d


@dataclass(frozen=True, slots=True)
class Around:
    """The triangles near a place, the heights and the plan bounds of each, and which of them are walked."""

    tris: Floats  # (m, 3, 3)
    heights: Floats  # (m, 2) from, to
    boxes: Floats  # (m, 4) from x, from y, to x, to y
    walked: Bools  # (m,) no steeper than the slope

    def carried(self, points: Floats, low: float, high: float) -> list[bool]:
        """Whether walkable ground between two heights lies over each of some points (n, 2)."""
        few = self._near(points, low, high)
        few = few[self.walked[few]]
        over: list[bool] = over_points(self.tris[few], self.boxes[few], points, low, high).tolist()
        return over

    def through(self, ring: Floats, low: float, high: float) -> bool:
        """Whether any terrain between two heights is inside a convex ring (counter-clockwise), seen from above."""
        return bool(len(self._inside(ring, low, high, one_will_do=True)))

    def lowest(self, ring: Floats, low: float) -> float:
        """How low terrain over a height comes inside a convex ring; infinite where there is none."""
        return float(self._inside(ring, low, math.inf)[:, 0].min(initial=math.inf))

    def spans(self, ring: Floats, low: float, high: float) -> list[tuple[float, float]]:
        """From which height to which each triangle goes inside a convex ring, the lowest first."""
        return sorted((a, b) for a, b in self._inside(ring, low, high).tolist())

    def _inside(self, ring: Floats, low: float, high: float, *, one_will_do: bool = False) -> Floats:
        few = self._near(ring, low, high)
        most = min(high, float(self.heights[few, 1].max(initial=low)))
        return spans_inside(self.tris, few, sides_of(ring), float(low), most, one_will_do)

    def _near(self, seen: Floats, low: float, high: float) -> Ints:
        """Which triangles come near what has such corners, between two heights."""
        return meeting(self.boxes, self.heights, seen.min(axis=0), seen.max(axis=0), float(low), float(high))


def around(ground: Ground, at: Point, reach_mm: float, slope_deg: float) -> Around:
    """Everything within reach of a place."""
    tris = ground.corners[ground.near(*at, reach_mm)]
    normals = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    flat = math.cos(math.radians(slope_deg)) - 1e-6
    walked = (sizes > 0) & (np.abs(normals[:, 2]) >= flat * sizes)
    low, high = tris.min(axis=1), tris.max(axis=1)
    heights = np.column_stack([low[:, 2], high[:, 2]])
    return Around(tris, heights, np.hstack([low[:, :2], high[:, :2]]), walked)


def sides_of(ring: Floats) -> Floats:
    """The upright planes (n, 3: nx, ny, d) that keep what is inside a convex ring (counter-clockwise)."""
    (dx, dy), (x, y) = (np.roll(ring, -1, axis=0) - ring).T, ring.T
    return np.column_stack([-dy, dx, dx * y - dy * x])


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
