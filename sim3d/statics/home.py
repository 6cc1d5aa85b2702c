"""Whether a base that has rolled away goes home once gravity is as it was.

Compiled. Home is within 1 mm and 2 degrees of where it stood.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.ground.foot import length
from sim3d.space import WORD_BAND_MM, Floats, Ints
from sim3d.statics.footing import (
    FREE,
    STEPS,
    UNASKED,
    Footing,
    Trodden,
    stepped,
)
from sim3d.statics.glide import WALK_MM
from sim3d.statics.roll import turned_into
from sim3d.statics.touch import dot
from sim3d.statics.ways import (
    apart,
    at_home,
    beyond,
    foot_of_com,
    leaving_axis,
)

LYING = 0.17  # cosine: a base tilted beyond 80 degrees lies on its side
BACK_AGAIN = 5.0  # contact widths: a pose this near the one before last is the same
SURELY_MM = WORD_BAND_MM  # what gravity drives back by less, as it is, may as well stay where it is
SAME_AXIS = 0.99  # cosine: where it comes to something new it rolls back over what it turned about, or another way
SAME_WAY_MM = 5e-3  # poses this near a way back go it: steps lie on it by half of that
FAR_DEG = 6.0  # from home: three times as far as what still counts as having come back
JUST_SO = 0.9  # cosine: of 26 degrees between the way it leaned and the way it goes on
A_LITTLE = 1e-3  # radians: turned on by so much, it is seen whether that leads away
ONWARD = 0.5  # cosine: of 60 degrees between what it turned about and what it turns about next


@lean
def is_lost(
    com: Floats, edges: Floats, start: Floats, frame: Floats, contacts: Floats, ring: Ints, last: Floats
) -> bool:
    """Whether a base far from home would, under gravity as it is, go on and away as it came, or just as it has leaned.

    `last` is the axis that it came over. To come home it would have to roll back by this pose.
    """
    axis = scratch(3, 3)
    if not driven_on(com, edges, start, frame, contacts, ring, axis):
        return False
    if leaned_so(start, frame, axis):
        return True
    if dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) <= ONWARD:
        return False
    on = scratch(4, 3)
    turned_into(frame, axis, A_LITTLE, on)
    return at_home(on, start)[1] > at_home(frame, start)[1]


@lean
def driven_on(
    com: Floats, edges: Floats, start: Floats, frame: Floats, contacts: Floats, ring: Ints, axis: Floats
) -> bool:
    """Whether gravity, as it is, drives a base on that is far from home; the axis over which is written."""
    if ring.shape[0] == 0 or at_home(frame, start)[1] < FAR_DEG:
        return False
    vx, vy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
    side, out = beyond(contacts, ring, vx, vy)
    if out <= SURELY_MM:
        return False
    leaving_axis(contacts, ring, side, vx, vy, frame, edges, axis)
    return True


@lean
def leaned_so(start: Floats, frame: Floats, axis: Floats) -> bool:
    """Whether it goes on over an axis just the way it has leaned."""
    ax, ay = frame[3, 0] - start[3, 0], frame[3, 1] - start[3, 1]
    size = length(ax, ay) * length(axis[2, 0], axis[2, 1])
    return axis[2, 0] * ax + axis[2, 1] * ay > JUST_SO * size


@compiled
def comes_back(on: Footing, frame: Floats, contacts: Floats, ring: Ints, number: int) -> bool:
    """Whether a base rolls home from a pose under gravity as it is; else it comes to rest elsewhere, or falls.

    The step that led to the pose remembers it by its number, as do all that are taken on the way; -1: none led there.
    """
    t = on.trodden
    if number >= 0 and t.homes[number] != UNASKED:
        return t.homes[number] == 1
    home, many = rolls_home(on, frame, contacts, ring)
    for k in range(many):
        t.homes[t.passed[k]] = 1 if home else 0
    if number >= 0:
        t.homes[number] = 1 if home else 0
    return home


@compiled
def rolls_home(on: Footing, frame: Floats, contacts: Floats, ring: Ints) -> tuple[bool, int]:
    """The same, and how many remembered steps were taken on that way.

    A way that meets one that was found to lead home does so, too, and is noted down.
    """
    axis, before, close, t = scratch(3, 3), np.zeros(3), on.close, on.trodden
    older, start = frame + 1e3, t.gone[0]  # a first step may be as small as it likes
    n, many = start, 0
    for back in range(STEPS):
        home, side, out, vx, vy = at_home(frame, on.frame)[0], 0, math.inf, 0.0, 0.0
        if ring.shape[0] > 0:
            vx, vy = foot_of_com(frame, on.com, 0.0, 0.0, -1.0)
            side, out = beyond(contacts, ring, vx, vy)
        if home or (out > SURELY_MM and leads_home(t, frame, on.foot.reach_mm)):  # where it rests, no way leads on
            if n > start:
                t.leads[n - 1] = False
            t.gone[0] = n
            return True, many
        if n < t.ways.shape[0]:
            t.ways[n], t.leads[n] = frame, True
            n += 1
        if ring.shape[0] == 0 or out <= SURELY_MM:
            break
        leaving_axis(contacts, ring, side, vx, vy, frame, on.foot.edges, axis)
        if dot(before[0], before[1], before[2], axis[2]) < -SAME_AXIS:
            break  # to and fro: it rests between
        copied(axis[2], before)
        kind, _, there, contacts, ring, close, number = stepped(on, close, frame, axis, contacts, back)
        if kind == FREE or there[3, 2] < LYING or apart(there, older, on.foot.reach_mm) < BACK_AGAIN * WALK_MM:
            break
        if number >= 0 and t.homes[number] != UNASKED:
            if t.homes[number] == 1 and n > start:
                t.gone[0], t.leads[n - 1] = n, False
            return t.homes[number] == 1, many
        if number >= 0:
            t.passed[many] = number
            many += 1
        older, frame = frame, there
    return False, many


@lean
def leads_home(t: Trodden, frame: Floats, reach: float) -> bool:
    """Whether a pose lies on a way that is known to lead home."""
    frames = t.ways
    for k in range(t.gone[0] - 1):
        if not t.leads[k]:
            continue
        square = along = gone = 0.0
        for r in range(4):
            weight = 1.0 if r == 0 else 0.5 * reach * reach  # as `apart` weighs them
            for a in range(3):
                way, to = frames[k + 1, r, a] - frames[k, r, a], frame[r, a] - frames[k, r, a]
                square += weight * way * way
                along += weight * way * to
                gone += weight * to * to
        if square == 0.0 or along < 0.0 or along > square:
            continue
        if gone - along * along / square < SAME_WAY_MM * SAME_WAY_MM:
            return True
    return False
