"""Marks as meshes: arrows, rods, beads, plates, what a polygon covers of the terrain; and normals that shade a mesh.

Every prop is `(corners, faces)` in mm, facing outward, ready to be drawn by whoever draws meshes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sim3d.plane import clipped, covering
from sim3d.space import Floats, Ints
from sim3d.view.light import corner_normals
from sim3d.view.scene import Point3

Mesh = tuple[Floats, Ints]
SIDES = 14  # of what is round
HEAD_WIDE, HEAD_LONG = 2.4, 2.6  # of an arrow, in widths of its shaft
SHORTEST_MM = 1e-6  # what is shorter is not drawn
STEEPEST = 0.2  # the z of a terrain normal under which ground is a wall, and no mark lies on it


def joined(parts: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    corners, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for v, f in parts:
        corners.append(v)
        faces.append(f + count)
        count += len(v)
    return np.vstack(corners), np.vstack(faces)


def turned(profile: Sequence[tuple[float, float]], start: Point3, end: Point3) -> Mesh:
    """A body turned on the axis from `start` to `end`: (share of the way, radius) from one end to the other."""
    a, b = np.array(start), np.array(end)
    long = float(np.linalg.norm(b - a))
    if long < SHORTEST_MM:
        return joined(())
    axis = (b - a) / long
    u = np.cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0))
    u /= np.linalg.norm(u)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * np.cross(axis, u)
    corners = np.vstack([a + s * (b - a) + r * ring for s, r in profile])
    i, j = np.arange(SIDES), np.roll(np.arange(SIDES), -1)
    faces = []
    for number, ((_, lower), (_, upper)) in enumerate(pairwise(profile)):
        k = number * SIDES
        faces += [np.column_stack([i + k, j + k, j + k + SIDES])] if lower > 0 else []
        faces += [np.column_stack([i + k, j + k + SIDES, i + k + SIDES])] if upper > 0 else []
    return corners, np.vstack(faces).astype(np.int64)


def arrow(start: Point3, end: Point3, width: float) -> Mesh:
    """From `start`, its tip at `end`; shorter than its head, it is all head."""
    long = math.dist(start, end)
    neck = max(0.0, 1.0 - HEAD_LONG * width / long) if long > SHORTEST_MM else 0.0
    half, head = width / 2, HEAD_WIDE * width / 2
    return turned([(0.0, 0.0), (0.0, half), (neck, half), (neck, head), (1.0, 0.0)], start, end)


def rod(points: Sequence[Point3], width: float) -> Mesh:
    """A round line through points."""
    half = width / 2
    profile = [(0.0, 0.0), (0.0, half), (1.0, half), (1.0, 0.0)]
    return joined([turned(profile, a, b) for a, b in pairwise(points)])


def bead(at: Point3, radius: float) -> Mesh:
    """A ball."""
    x, y, z = at
    t = np.linspace(0.0, math.pi, 9)
    profile = [((1 - math.cos(a)) / 2, radius * math.sin(a)) for a in t.tolist()]
    return turned(profile, (x, y, z - radius), (x, y, z + radius))


def plate(corners: Sequence[Point3]) -> Mesh:
    """A convex polygon, seen from both sides."""
    n = len(corners)
    if n < 3:
        return joined(())
    fan = np.array([(0, k, k + 1) for k in range(1, n - 1)])
    return np.array(corners, dtype=np.float64), np.vstack([fan, fan[:, ::-1]])


def flat(rings: Sequence[Floats], z: float) -> Mesh:
    """The area that rings cover together, level at a height, seen from above."""
    triangles = covering(rings)
    return _soup(np.dstack([triangles, np.full(triangles.shape[:2], z)]))


def draped(rings: Sequence[Floats], terrain: Floats, over_mm: float) -> Mesh:
    """What rings cover of terrain triangles (n, 3, 3) that are no walls, raised a little, seen from above."""
    normal = np.cross(terrain[:, 1] - terrain[:, 0], terrain[:, 2] - terrain[:, 0])
    floor = normal[:, 2] > STEEPEST * np.linalg.norm(normal, axis=1)
    whole = np.vstack(list(rings))
    low, high = whole.min(axis=0), whole.max(axis=0)
    near = (terrain[:, :, :2].max(axis=1) >= low).all(axis=1) & (terrain[:, :, :2].min(axis=1) <= high).all(axis=1)
    chosen, normal = terrain[floor & near], normal[floor & near]
    triangles, number = clipped(rings, chosen[:, :, :2])
    a, n = chosen[number, :1], normal[number][:, None]
    z = a[:, :, 2] - ((triangles - a[:, :, :2]) * n[:, :, :2]).sum(axis=2) / n[:, :, 2] + over_mm
    return _soup(np.dstack([triangles, z]))


def _soup(triangles: Floats) -> Mesh:
    return triangles.reshape(-1, 3), np.arange(3 * len(triangles), dtype=np.int64).reshape(-1, 3)


def shaded(corners: Floats, faces: Ints, *, smooth: bool = True) -> tuple[Floats, Ints, Floats]:
    """A mesh whose corners each have one normal: a corner is there once for every side of a crease."""
    points = np.ascontiguousarray(corners, dtype=np.float64)
    indices = np.ascontiguousarray(faces, dtype=np.int32)
    normals = np.zeros((len(indices), 3, 3), dtype=np.float32)
    corner_normals(
        points,
        indices,
        np.full(len(indices), smooth),
        np.zeros(len(points) + 1, dtype=np.int64),
        np.zeros(len(indices) * 3, dtype=np.int32),
        normals,
    )
    rows = np.column_stack([indices.reshape(-1, 1), np.round(normals.reshape(-1, 3) * 512)])
    _, first, back = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return points[indices.ravel()[first]], back.reshape(-1, 3), normals.reshape(-1, 3)[first].astype(np.float64)
