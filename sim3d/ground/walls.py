"""Steep faces near a place: which they are, and where they stand, seen from above."""

from __future__ import annotations

import math

import numpy as np

from sim3d.ground.patch import Ground
from sim3d.ground.relief import COSINE, HIGH, LOW, terrain_of
from sim3d.ground.way import LOW_MM
from sim3d.space import Floats, Ints


def walls_near(
    ground: Ground, x: float, y: float, reach_mm: float, low_mm: float, high_mm: float, slope_deg: float
) -> Ints:
    """The numbers of the faces near a place that are steeper than a slope, between two heights.

    What ends less than `LOW_MM` over the lower height, or begins less than that under the higher one, is rubble.
    """
    faces, numbers = terrain_of(ground).faces, ground.near(x, y, reach_mm)
    numbers = numbers[np.abs(faces[numbers, COSINE]) < math.cos(math.radians(slope_deg))]
    numbers = numbers[(faces[numbers, HIGH] > low_mm + LOW_MM) & (faces[numbers, LOW] < high_mm - LOW_MM)]
    tris = ground.corners[numbers]
    areas = np.linalg.norm(np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]), axis=1)
    return numbers[areas > 0]


def faces_near(
    ground: Ground, x: float, y: float, reach_mm: float, low_mm: float, high_mm: float, slope_deg: float
) -> tuple[Floats, Ints]:
    """Plan segments (m, 2, 2) of the `walls_near` a place, cut at both heights, and the piece of each.

    A face is told by its lines at the two heights and by its own edges between them.
    """
    numbers = walls_near(ground, x, y, reach_mm, low_mm, high_mm, slope_deg)
    ends, rows = _between(ground.corners[numbers], low_mm, high_mm)
    return ends, ground.pieces[numbers[rows]].astype(np.int64)


def _between(tris: Floats, low: float, high: float) -> tuple[Floats, Ints]:
    """The outlines (m, 2, 2) of the parts of triangles between two heights, seen from above, and whose each is."""
    begin, end = tris, np.roll(tris, -1, axis=1)
    rise = end[:, :, 2] - begin[:, :, 2]
    slope = np.where(rise == 0.0, 1.0, rise)
    shares = [np.where(rise == 0.0, far, (z - begin[:, :, 2]) / slope) for z, far in ((low, 0.0), (high, 1.0))]
    first, last = np.clip(np.minimum(*shares), 0.0, 1.0), np.clip(np.maximum(*shares), 0.0, 1.0)
    level = (rise != 0.0) | ((begin[:, :, 2] >= low) & (begin[:, :, 2] <= high))
    rows, sides = np.nonzero(level & (first < last))
    kept = _points(begin, end, rows, sides, first[rows, sides]), _points(begin, end, rows, sides, last[rows, sides])
    ends, whose = [np.stack(kept, axis=1)], [rows]
    for z, over in ((low, tris[:, :, 2] >= low), (high, tris[:, :, 2] <= high)):
        across = over != np.roll(over, -1, axis=1)
        rows, sides = np.nonzero(across)  # of each triangle none, or two sides that follow each other
        share = (z - begin[rows, sides, 2]) / slope[rows, sides]
        ends.append(_points(begin, end, rows, sides, share).reshape(-1, 2, 2))
        whose.append(rows[::2])
    numbers = np.concatenate(whose)
    order = np.argsort(numbers, kind="stable")
    return np.concatenate(ends)[order], numbers[order]


def _points(begin: Floats, end: Floats, rows: Ints, sides: Ints, share: Floats) -> Floats:
    """Points on sides of triangles, seen from above; a corner is met exactly."""
    a, b = begin[rows, sides, :2], end[rows, sides, :2]
    points: Floats = np.where(share[:, None] < 1.0, a + share[:, None] * (b - a), b)
    return points
