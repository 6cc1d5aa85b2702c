"""Convex rings that move: where they are, what they sweep, how far apart two are, how deep they overlap.

A ring is (n, 2) corners in mm, counter-clockwise, without a repeated first one; rings of arcs are inscribed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import shapely
from shapely.geometry import Polygon

from sim3d.plane.area import united
from sim3d.plane.crowd import parted_mm
from sim3d.plane.outline import Arc, Outline
from sim3d.space import Floats

ARC_MM = 2e-3  # how far a ring may stray from the arc it stands for: fifty times finer than limits people measure


def hull(points: Floats) -> Floats:
    """The convex ring around points (n, 2)."""
    ring = np.array(shapely.linestrings(points).convex_hull.exterior.coords)[:-1]
    return ring if Polygon(ring).exterior.is_ccw else ring[::-1].copy()


@lru_cache(maxsize=64)
def filled(outline: Outline, chord_mm: float = ARC_MM) -> Floats:
    """The convex ring of an outline with its notches filled up to the arcs they were cut from.

    >>> filled(Outline.ellipse(50, 50).notched()).shape == filled(Outline.ellipse(50, 50)).shape
    True
    """
    wholes = dict.fromkeys((e.centre, e.rx, e.ry) for e in outline.edges if isinstance(e, Arc))
    points = [p for whole in wholes for p in Arc(*whole, 0.0, 360.0).points(chord_mm)]
    points += [e.start for e in outline.edges if not isinstance(e, Arc)]
    ring = hull(np.array(points))
    ring.setflags(write=False)
    return ring


def placed(ring: Floats, x: float, y: float, turn: float) -> Floats:
    """A ring at a place, turned in degrees.

    >>> placed(np.array([[1.0, 0.0]]), 5, 0, 180).round(9).tolist()
    [[4.0, 0.0]]
    """
    a = math.radians(turn)
    c, s = math.cos(a), math.sin(a)
    moved: Floats = ring @ np.array([[c, s], [-s, c]]) + np.array([x, y])
    return moved


def swept(ring: Floats, start: tuple[float, float, float], end: tuple[float, float]) -> Floats:
    """What a convex ring at (x, y, turn) sweeps on a straight way to `end`, exactly: the hull of both."""
    first = placed(ring, *start)
    last = placed(ring, end[0], end[1], start[2])
    return hull(np.concatenate([first, last]))


def turned_through(ring: Floats, x: float, y: float, turn: float, by_deg: float, step_deg: float = 0.25) -> Floats:
    """The convex ring around what a ring sweeps when it turns about its own origin."""
    n = max(1, math.ceil(abs(by_deg) / step_deg))
    return hull(np.concatenate([placed(ring, x, y, turn + by_deg * k / n) for k in range(n + 1)]))


def apart_mm(one: Floats, other: Floats) -> float:
    """The distance between two convex rings; where they overlap, how far they would have to part, negative.

    >>> square = np.array([[0.0, 0.0], [2, 0], [2, 2], [0, 2]])
    >>> apart_mm(square, square + [5.0, 0.0]), apart_mm(square, square + [1.5, 0.0])
    (3.0, -0.5)
    """
    deep = parted_mm(one, other)
    if deep < 0:
        return deep
    gap = float(shapely.distance(Polygon(one), Polygon(other)))
    return max(gap, 0.0)


def area_mm2(rings: Sequence[Floats]) -> float:
    """The area that rings cover together."""
    return float(united([Polygon(r) for r in rings]).area)


def covered(rings: Sequence[Floats], others: Sequence[Floats], *, within_mm: float) -> bool:
    """Whether `others` lie inside what `rings` cover together, give or take."""
    whole = united([Polygon(r) for r in rings]).buffer(within_mm)
    return bool(whole.covers(united([Polygon(r) for r in others])))


def gaps_mm(ring: Floats, ends: Floats) -> Floats:
    """The distance from what a ring covers to each of the segments (m, 2, 2); 0 where they meet."""
    distances: Floats = shapely.distance(Polygon(ring), shapely.linestrings(ends)) if len(ends) else np.zeros(0)
    return distances


def foot_on(point: tuple[float, float], ends: Floats) -> Floats:
    """The point of each segment (m, 2, 2) that is nearest to a point.

    >>> foot_on((1.0, 5.0), np.array([[[0.0, 0.0], [3.0, 0.0]]])).tolist()
    [[1.0, 0.0]]
    """
    a, d = ends[:, 0], ends[:, 1] - ends[:, 0]
    size = (d * d).sum(axis=1)
    along = ((np.array(point) - a) * d).sum(axis=1) / np.where(size > 0, size, 1.0)
    feet: Floats = a + np.clip(along, 0.0, 1.0)[:, None] * d
    return feet
