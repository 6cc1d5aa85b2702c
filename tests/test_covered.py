"""What of a triangle a base covers on its way: against plain clipping, for long, thin, level and upright triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from scipy.spatial import HalfspaceIntersection

from sim3d.ground.covered import CORE, carried_by, off_way, sides_of, within
from sim3d.mini import Base
from sim3d.plane import filled
from sim3d.space import Floats

BASES = ("27", "50n", "100x175n", "60x35")
TAKE_MM = 0.05


def triangle(dice: np.random.Generator, reach: float) -> Floats:
    """Long, small, level or upright, somewhere near."""
    size = reach * float(dice.choice([0.05, 1.0, 6.0]))
    tri = dice.uniform(-1.4 * reach, 1.4 * reach, 3) + dice.uniform(-size, size, (3, 3))
    kind = int(dice.integers(4))
    if kind == 0:
        tri[:, 2] = 7.5
    elif kind == 1:  # a wall: a line, seen from above
        tri[2, :2] = tri[0, :2] + dice.uniform() * (tri[1, :2] - tri[0, :2])
    return tri


def clipped(tri: Floats, planes: Floats, take: float, inside: Floats) -> tuple[float, float]:
    """The lowest and the highest of what is within all half planes, of which a place lies `inside`.

    That is at an end of what is left of one of its sides, or over a corner of what the half planes enclose.
    """
    heights = []
    for a, b in zip(tri, np.roll(tri, -1, axis=0), strict=True):
        deep, after = planes[:, 2] - take - planes[:, :2] @ a[:2], planes[:, 2] - take - planes[:, :2] @ b[:2]
        crossed = (deep >= 0) != (after >= 0)
        share = deep[crossed] / (deep - after)[crossed]
        first = max(share[deep[crossed] < 0], default=0.0)
        last = min(share[deep[crossed] >= 0], default=1.0)
        if first <= last and (np.maximum(deep, after) >= 0).all():
            heights += [float(a[2] + s * (b[2] - a[2])) for s in (first, last)]
    sides = np.roll(tri, -1, axis=0)[:, :2] - tri[:, :2]
    if abs(float(np.cross([*sides[0], 0.0], [*sides[1], 0.0])[2])) > 1e-9:
        corners = HalfspaceIntersection(np.column_stack([planes[:, :2], take - planes[:, 2]]), inside).intersections
        off = corners[:, None] - tri[None, :, :2]
        left = sides[None, :, 0] * off[:, :, 1] - sides[None, :, 1] * off[:, :, 0]
        over = corners[(left >= 0).all(axis=1) | (left <= 0).all(axis=1)]
        slope = np.linalg.solve(sides[:2], np.roll(tri, -1, axis=0)[:2, 2] - tri[:2, 2])
        heights += (tri[0, 2] + (over - tri[0, :2]) @ slope).tolist()
    return min(heights, default=math.inf), max(heights, default=-math.inf)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("turned", [0.0, 12.0])
def test_the_covered_part_is_as_low_and_as_high_as_plain_clipping_says(name: str, turned: float) -> None:
    dice = np.random.default_rng(11)
    ring = np.ascontiguousarray(filled(Base.named(name).outline))
    it = carried_by(ring, np.zeros(4))
    seen = {1: 0, 0: 0, -1: 0}
    for _ in range(400):
        tri = triangle(dice, it.reach)
        before = np.array([0.3, -0.2, float(dice.uniform(-180, 180))])
        pose = before + np.array([*dice.uniform(-2, 2, 2), turned])
        count = sides_of(it, 1.0, pose, before, True)
        low, high = clipped(tri, it.sides[:count], TAKE_MM, 0.5 * (before + pose)[:2])
        assert within(it, 1.0, tri, pose, before, count, TAKE_MM) == pytest.approx((low, high), abs=1e-9)
        where = off_way(tri, pose, before, it.fits - TAKE_MM, it.reach)
        seen[where] += 1
        if where == 1:  # all of its heights are covered
            assert (low, high) == pytest.approx((tri[:, 2].min(), tri[:, 2].max()), abs=1e-9)
        elif where == -1:
            assert high < low
        count = sides_of(it, CORE, pose, pose, False)
        assert within(it, CORE, tri, pose, pose, count, 0.0) == pytest.approx(
            clipped(tri, it.sides[:count], 0.0, pose[:2]), abs=1e-9
        )
    assert min(seen.values()) >= 20


@pytest.mark.parametrize("name", BASES)
def test_the_sides_are_about_what_the_base_covers(name: str) -> None:
    ring = np.ascontiguousarray(filled(Base.named(name).outline))
    it = carried_by(ring, np.zeros(4))
    before, pose = np.array([5.0, -3.0, 30.0]), np.array([6.5, -1.5, 30.0])
    count = sides_of(it, 1.0, pose, before, True)
    a = math.radians(30)
    turned = ring @ np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    hull = shapely.MultiPoint(np.concatenate([turned + before[:2], turned + pose[:2]])).convex_hull
    for x, y in np.random.default_rng(3).uniform(-1.2 * it.reach, 1.2 * it.reach, (2000, 2)):
        deep = float((it.sides[:count, 2] - it.sides[:count, 0] * x - it.sides[:count, 1] * y).min())
        if abs(deep) > 1e-6:
            assert hull.contains(shapely.Point(x, y)) == (deep > 0)
