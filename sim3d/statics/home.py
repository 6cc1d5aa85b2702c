"""Whether a base that has rolled away goes home once gravity is as it was.

Compiled. Home is within 1 mm and 2 degrees of where it stood.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
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
