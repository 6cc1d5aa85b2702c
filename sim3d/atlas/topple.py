"""What becomes of a base that no pose was found for from level: it topples, leans on something, or cannot be told.

Compiled. The way over is that of `proofs.way_over`, with every look asked of the raster: a base that leans down beside
a wall has thousands of triangles under it, and touches a few.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, scratch, scratch_marks
from sim3d.ground.spans import Spans
from sim3d.space import WORD_BAND_MM, Floats, Ints
from sim3d.statics.everywhere import FLOOR, Spot, gathered, lowest_at, lowest_from, worst_over
from sim3d.statics.lowest import LOST, RESTS
from sim3d.statics.near import whole
from sim3d.statics.over import ground_point, to_base
from sim3d.statics.proofs import (
    BACK,
    CENTRAL,
    EASED,
    HOLDS_MM,
    LEG,
    LEGS,
    LEVEL,
    along_of,
    normal_of,
    nothing_beyond,
    seen_from,
    target_of,
    widest_gap,
)
from sim3d.statics.rest import AROUND_MM, EIGHTHS, STARTS
from sim3d.statics.touch import touching

CLEAR_MM = 0.01  # behind its ground point a base touches by more: ten times the band of a word
DEEP_MM = -1e6  # under everything
NEAR = 1.01  # of a band, in which triangles are gathered: all that touch within it, and a few more
ROUND = 1e-6  # a share of the reach: a ground point farther beside the rim lies beside it, whatever was rounded


@compiled
def goes_over(spans: Spans, spot: Spot, com: Floats, gx: float, gy: float) -> bool:
    """Whether a base touches first behind its ground point, clearly, all the way from level to a last gradient.

    That the last one is carried by nothing is known: then it topples, as `proofs.way_over` shows of a patch.
    """
    point, feature, tri, shares = scratch(3), scratch_marks(4), scratch(3, 3), scratch(16)
    slope = math.hypot(gx, gy)
    if slope == 0.0:
        return False  # at level there is no way to go: the exact solver knows more
    angle = math.atan(slope)
    looks = max(1, math.ceil(angle / LEG))
    for k in range(looks):
        part = math.tan(max(k / looks, EASED) * angle) / slope  # straight from level: all on one line of gradients
        hx, hy = part * gx, part * gy
        over, _ = worst_over(spans, spot, DEEP_MM, hx, hy, hx, hy, point, feature, tri, shares)
        if over <= 0.0:
            return False
        tx, ty = ground_point(com, hx, hy, spot.ct, spot.st)
        if ((point[0] - tx) * gx + (point[1] - ty) * gy) / slope < CLEAR_MM:
            return False
    return True


@compiled
def found_again(spans: Spans, spot: Spot, com: Floats, gx: float, gy: float) -> bool:
    """Whether a pose that was not found from level may be found from elsewhere, as the exact solver goes on to try.

    The gradient is where the search from level ended, in circles.
    """
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    caught = np.empty((1 + len(STARTS) * len(EIGHTHS), 2))
    caught[0, 0], caught[0, 1] = gx, gy
    n = 1
    for slope in STARTS:
        for a in EIGHTHS:
            start_x, start_y = slope * math.cos(a), slope * math.sin(a)
            state, _, ex, ey = lowest_from(spans, spot, com, start_x, start_y, basis, features, caught[:n])
            if state == RESTS:
                return True
            if state == LOST:
                caught[n, 0], caught[n, 1] = ex, ey
                n += 1
    return False


@compiled
def nearly_carried(spans: Spans, spot: Spot, com: Floats) -> bool:
    """Whether a centre of mass a thousandth of a millimetre elsewhere would rest, as `rest` asks."""
    basis, features, beside = np.empty((3, 3)), np.zeros((3, 4), np.int64), com.copy()
    for k in range(8):
        beside[0] = com[0] + WORD_BAND_MM * math.cos(0.25 * math.pi * k)
        beside[1] = com[1] + WORD_BAND_MM * math.sin(0.25 * math.pi * k)
        if lowest_at(spans, spot, beside, basis, features)[0] == RESTS:
            return True
    return False


@compiled
def way_down(spans: Spans, spot: Spot, com: Floats, turn: float, gx: float, gy: float) -> tuple[float, float, bool]:
    """The last gradient of a base that topples, and whether nothing carries it there, as `proofs.way_over` finds it."""
    last, here, there = normal_of(gx, gy), np.array([0.0, 0.0, 1.0]), np.empty(3)
    free = bare_beyond(spans, spot, com, turn, gx, gy)
    contact, against = np.zeros(2), np.zeros(2)
    through = np.empty((LEGS, 3))
    n, turned_back = 0, False
    while n < LEGS and not turned_back:
        level = last[0] == here[0] and last[1] == here[1]
        if free and (level or goes_on(spans, spot, com, here, last, contact)):
            return gx, gy, True
        if not step_on(spans, spot, com, here, last[0] - here[0], last[1] - here[1], contact, there):
            against[:] = contact
            held = True
            for attempt in range(3):
                if attempt < 2:
                    wx, wy = free_way(spans, spot, com, turn, here, HOLDS_MM[attempt])
                else:
                    wx, wy = -against[0], -against[1]
                held = not step_on(spans, spot, com, here, wx, wy, contact, there)
                if not held:
                    break
            if held:
                break
            hx, hy = -there[0] / there[2], -there[1] / there[2]
            if bare_beyond(spans, spot, com, turn, hx, hy):
                return hx, hy, True
        for k in range(n):  # back where it was: it would go round in circles
            gap = abs(through[k, 0] - there[0]) + abs(through[k, 1] - there[1]) + abs(through[k, 2] - there[2])
            turned_back = turned_back or gap < BACK * LEG
        here[:] = there
        through[n] = here
        n += 1
    return -here[0] / here[2], -here[1] / here[2], False


@compiled
def goes_on(spans: Spans, spot: Spot, com: Floats, here: Floats, there: Floats, out: Floats) -> bool:
    """Whether a base tilting from one normal to another touches first behind its centre of mass, all the way.

    Where it does not, or at the start of the last look: `out` is the contact, seen from the ground point.
    """
    point, feature, tri, shares = scratch(3), scratch_marks(4), scratch(3, 3), scratch(16)
    up = scratch(3)
    angle = math.acos(max(-1.0, min(1.0, here[0] * there[0] + here[1] * there[1] + here[2] * there[2])))
    looks = max(1, math.ceil(angle / LEG))
    for k in range(looks):
        share = max(k / looks, EASED)
        a, b = math.sin((1.0 - share) * angle), math.sin(share * angle)
        for i in range(3):
            up[i] = a * here[i] + b * there[i]
        gx, gy = -up[0] / up[2], -up[1] / up[2]
        over, _ = worst_over(spans, spot, DEEP_MM, gx, gy, gx, gy, point, feature, tri, shares)
        if over <= 0.0:
            return False
        tx, ty = ground_point(com, gx, gy, spot.ct, spot.st)
        out[0], out[1] = point[0] - tx, point[1] - ty
        if out[0] * (there[0] - here[0]) + out[1] * (there[1] - here[1]) >= 0.0:
            return False
    return True


@compiled
def step_on(
    spans: Spans, spot: Spot, com: Floats, here: Floats, wx: float, wy: float, contact: Floats, there: Floats
) -> bool:
    """The normal of a base that tilted on by one look in a horizontal direction; false where terrain holds it."""
    size = math.hypot(wx, wy)
    if size == 0.0:
        return False
    there[0], there[1], there[2] = here[0] + LEG / size * wx, here[1] + LEG / size * wy, here[2]
    there /= np.linalg.norm(there)
    return goes_on(spans, spot, com, here, there, contact)


@compiled
def free_way(spans: Spans, spot: Spot, com: Floats, turn: float, up: Floats, band: float) -> tuple[float, float]:
    """The horizontal direction in which nothing that a base touches, lowered with this normal, holds it."""
    gx, gy = -up[0] / up[2], -up[1] / up[2]
    over, _ = worst_over(spans, spot, DEEP_MM, gx, gy, gx, gy, scratch(3), scratch_marks(4), scratch(3, 3), scratch(16))
    height = DEEP_MM + over
    _, tris = gathered(spans, spot, height, gx, gy, spot.foot.reach_mm * (1.0 + ROUND), -NEAR * band)
    seen, lengths, along = seen_from(tris, gx, gy, turn, height)
    held = touching(whole(seen, lengths), LEVEL.copy(), spot.foot, band)
    _, middle = widest_gap(held, *target_of(com, gx, gy, turn, along))
    return along_of(along, middle)


@compiled
def bare_beyond(spans: Spans, spot: Spot, com: Floats, turn: float, gx: float, gy: float) -> bool:
    """Whether a base of this gradient has nothing under it beyond its ground point, in some direction.

    Well inside the outline the floor is all round it; beside the outline nothing can be.
    """
    foot = spot.foot
    x, y = ground_point(com, gx, gy, spot.ct, spot.st)
    x, y = to_base(x, y, gx, gy, spot.ct, spot.st)
    if x * x + y * y > ((1.0 + ROUND) * foot.reach_mm) ** 2:
        return True
    if spans.floor == spans.floor and x * x + y * y < CENTRAL * foot.inner_mm * foot.inner_mm:
        return False
    tris = floor_last(*gathered(spans, spot, DEEP_MM, 0.0, 0.0, foot.reach_mm + AROUND_MM, 0.0))
    return nothing_beyond(tris, com, gx, gy, turn, foot)[0]


@compiled
def floor_last(numbers: Ints, tris: Floats) -> Floats:
    """Triangles that were gathered, in the order of a patch."""
    out = tris.copy()
    if numbers.shape[0] > 0 and numbers[0] == FLOOR:
        out[:-1] = tris[1:]
        out[-1] = tris[0]
    return out
