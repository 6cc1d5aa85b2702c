"""What becomes of a base that no pose was found for from level: it topples, leans on something, or cannot be told.

Compiled. The way over is that of `proofs.way_over`, with every look asked of the raster: a base that leans down beside
a wall has thousands of triangles under it, and touches a few.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean, scratch, scratch_marks
from sim3d.ground.spans import Spans
from sim3d.space import WORD_BAND_MM, Floats
from sim3d.statics.everywhere import lowest_at
from sim3d.statics.lowest import RESTS
from sim3d.statics.near import loose
from sim3d.statics.over import ground_point, to_base
from sim3d.statics.proofs import (
    BACK,
    CENTRAL,
    CLEAR_MM,
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
from sim3d.statics.spot import Spot, gathered, highest, relative
from sim3d.statics.touch import touching

HELD, OVER, CLEARLY = 0, 1, 2  # what becomes of a base on its way over: terrain holds it, nothing does, by far
NOWHERE = -1.0  # no angle at which it was held
NEAR = 1.01  # of a band, in which triangles are gathered: all that touch within it, and a few more
ROUND = 1e-6  # a share of the reach: a ground point farther beside the rim lies beside it, whatever was rounded


@compiled
def goes_over(spans: Spans, spot: Spot, com: Floats, gx: float, gy: float) -> bool:
    """Whether a base touches first behind its ground point, clearly, all the way from level to a last gradient.

    That the last one is carried by nothing is known: then it topples, as `proofs.way_over` shows of a patch.
    """
    if gx == 0.0 and gy == 0.0:
        return False  # at level there is no way to go: the exact solver knows more
    contact = np.empty(3)
    to = normal_of(gx, gy)
    return goes_on(spans, spot, com, np.array([0.0, 0.0, 1.0]), to, contact, NOWHERE)[0] and contact[2] < -CLEAR_MM


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
def way_down(
    spans: Spans, spot: Spot, tris: Floats, lumps: Floats, com: Floats, turn: float, gx: float, gy: float
) -> tuple[float, float, int]:
    """The last gradient of a base that topples, and what becomes of it there: terrain holds it, or it goes over.

    As `proofs.way_over` finds it. `tris` is the patch about the place, which is asked for what is not there.
    """
    last, here, there = normal_of(gx, gy), np.array([0.0, 0.0, 1.0]), np.empty(3)
    free = bare_beyond(spans, spot, tris, lumps, com, turn, gx, gy)
    contact, against = np.zeros(3), np.zeros(2)
    through = np.empty((LEGS, 3))
    n, turned_back, foremost = 0, False, -math.inf
    stopped = NOWHERE  # how far from the last gradient the straight way there was held
    while n < LEGS and not turned_back:
        level = last[0] == here[0] and last[1] == here[1]
        over = free
        if free and not level:
            over, stopped = goes_on(spans, spot, com, here, last, contact, stopped)
        if over:
            return gx, gy, CLEARLY if not level and max(foremost, contact[2]) < -CLEAR_MM else OVER
        if not step_on(spans, spot, com, here, last[0] - here[0], last[1] - here[1], contact, there):
            against[:] = contact[:2]
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
            if bare_beyond(spans, spot, tris, lumps, com, turn, hx, hy):
                return hx, hy, CLEARLY if max(foremost, contact[2]) < -CLEAR_MM else OVER
        foremost = max(foremost, contact[2])
        for k in range(n):  # back where it was: it would go round in circles
            gap = abs(through[k, 0] - there[0]) + abs(through[k, 1] - there[1]) + abs(through[k, 2] - there[2])
            turned_back = turned_back or gap < BACK * LEG
        here[:] = there
        through[n] = here
        n += 1
    return -here[0] / here[2], -here[1] / here[2], HELD


@compiled
def goes_on(
    spans: Spans, spot: Spot, com: Floats, here: Floats, there: Floats, out: Floats, likely: float
) -> tuple[bool, float]:
    """Whether a base tilting from one normal to another touches first behind its centre of mass, all the way.

    Where it is held `out` is that contact, seen from the ground point, and it is told at which angle from the end.
    Last in `out` is how far before the ground point the foremost contact lay; negative: behind, where all that is
    farther than CLEAR_MM is one. `likely` is such an angle, at which it was held before: there it is looked at first.
    """
    point, feature, tri, shares = scratch(3), scratch_marks(4), scratch(3, 3), scratch(16)
    up = scratch(3)
    ahead_x, ahead_y = there[0] - here[0], there[1] - here[1]
    size = math.hypot(ahead_x, ahead_y)
    wx, wy = ahead_x / size, ahead_y / size
    foremost = -math.inf
    angle = math.acos(max(-1.0, min(1.0, here[0] * there[0] + here[1] * there[1] + here[2] * there[2])))
    looks = max(1, math.ceil(angle / LEG))
    first = 0 if likely == NOWHERE or angle == 0.0 else min(max(round((1.0 - likely / angle) * looks), 0), looks - 1)
    for m in range(looks):
        k = first if m == 0 else m - 1 if m <= first else m  # the last of them comes last, if it is not the first
        share = max(k / looks, EASED)
        a, b = math.sin((1.0 - share) * angle), math.sin(share * angle)
        for i in range(3):
            up[i] = a * here[i] + b * there[i]
        gx, gy = -up[0] / up[2], -up[1] / up[2]
        tx, ty = ground_point(com, gx, gy, spot.ct, spot.st)
        x = y = ahead = 0.0
        for look in range(2):  # if what is clearly behind is all that is higher, it need not be told which of it is
            clear = wx * tx + wy * ty - CLEAR_MM if look == 0 else -math.inf
            height, number = highest(spans, spot, gx, gy, wx, wy, clear, point, feature, tri, shares)
            if height != height and look == 1:
                return False, (1.0 - share) * angle
            x, y = point[0] - tx, point[1] - ty
            ahead = wx * x + wy * y
            if height == height and ahead < -CLEAR_MM:
                break
        keep(spans, spot, number, m)
        foremost = max(foremost, ahead)
        if ahead >= 0.0:
            out[0], out[1], out[2] = x, y, foremost
            return False, (1.0 - share) * angle
    out[2] = foremost
    return True, NOWHERE


@lean
def keep(spans: Spans, spot: Spot, number: int, look: int) -> None:
    """Keep what a look found for the next ones, in place of what an earlier one did: where it leans on, it is near."""
    if number < 0:
        return
    for k in range(spot.numbers.shape[0]):
        if spot.numbers[k] == number:
            return
    k = look % spot.numbers.shape[0]
    relative(spans.corners, number, spot.x, spot.y, spot.tris[k])
    spot.numbers[k] = number


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
    return goes_on(spans, spot, com, here, there, contact, NOWHERE)[0]


@compiled
def free_way(spans: Spans, spot: Spot, com: Floats, turn: float, up: Floats, band: float) -> tuple[float, float]:
    """The horizontal direction in which nothing that a base touches, lowered with this normal, holds it."""
    gx, gy = -up[0] / up[2], -up[1] / up[2]
    point, feature, tri, shares = scratch(3), scratch_marks(4), scratch(3, 3), scratch(16)
    height, _ = highest(spans, spot, gx, gy, 0.0, 0.0, 0.0, point, feature, tri, shares)
    _, tris = gathered(spans, spot, height, gx, gy, spot.foot.reach_mm * (1.0 + ROUND), -NEAR * band)
    seen, lengths, along = seen_from(tris, gx, gy, turn, height)
    held = touching(loose(seen, lengths), LEVEL.copy(), spot.foot, band)
    _, middle = widest_gap(held, *target_of(com, gx, gy, turn, along))
    return along_of(along, middle)


@compiled
def bare_beyond(
    spans: Spans, spot: Spot, tris: Floats, lumps: Floats, com: Floats, turn: float, gx: float, gy: float
) -> bool:
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
    return nothing_beyond(tris, lumps, com, gx, gy, turn, foot)[0]
