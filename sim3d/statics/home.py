"""Whether a base that has rolled away goes home once gravity is as it was, and whether it can get away at all.

Compiled. Home is within 1 mm and 2 degrees of where it stood.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.space import WORD_BAND_MM, Floats, Ints
from sim3d.statics.footing import (
    BEHIND_MM,
    FREE,
    ON_RIM,
    STEPS,
    UNASKED,
    Footing,
    Trodden,
    followed,
    met_rolling,
    stepped,
)
from sim3d.statics.glide import WALK_MM
from sim3d.statics.roll import ahead
from sim3d.statics.touch import MEETING, TRIANGLE, dot
from sim3d.statics.ways import (
    BY_TILT,
    apart,
    at_home,
    beyond,
    foot_of_com,
    leaving_axis,
    side_axis,
    way_out,
    ways_over,
)

LYING = 0.17  # cosine: a base tilted beyond 80 degrees lies on its side
BACK_AGAIN = 5.0  # contact widths: a pose this near the one before last is the same
SURELY_MM = WORD_BAND_MM  # what gravity drives back by less, as it is, may as well stay where it is
SAME_AXIS = 0.99  # cosine: where it comes to something new it rolls back over what it turned about, or another way
MANY_STEPS = 200  # of all ways on: some go round and round
WAYS = 16  # that are not followed yet, and in all: most bases have four
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


@compiled
def is_held(on: Footing, limit: float) -> bool:
    """Whether no gravity tilted up to a limit (radians), whichever way, takes a base from where it stands for good.

    Every way over that some direction takes by less is followed, and those from where it leads to, on and on. True
    where all of them end at a pose that takes more than the limit, and the base would come home from all along. False
    where it goes over, rolls on one point, or there are too many ways. The farthest is asked first whether it comes
    home: that way is looked at step by step, and those from nearer by lead into it.
    """
    foot, most = on.foot, math.sin(limit)
    frames, axes = np.empty((WAYS, 4, 3)), np.empty((WAYS, 3, 3))
    away, many, t = np.empty(MANY_STEPS, np.int64), 0, on.trodden
    last, close, taken = np.zeros((3, 3)), on.close, 0
    t.gone[0] = 0  # ways home that were found before: those of another base, or from nearer by
    n = ways_on(on, on.contacts, on.ring, on.frame, last, most, frames, axes, 0)
    for _ in range(WAYS):
        if n <= 0:
            break
        n -= 1
        frame, axis = frames[n].copy(), axes[n].copy()
        close = followed(on, close, frame)
        contacts = met_rolling(close, frame, foot) if moved_at_all(frame, on.frame) else on.contacts
        for step in range(STEPS):
            left = contacts
            kind, _, frame, contacts, ring, close, number = stepped(on, close, frame, axis, left, 1 + step)
            taken += 1
            if kind == FREE or frame[3, 2] < LYING or ring.shape[0] < 2 or taken > MANY_STEPS:
                return False
            if not at_home(frame, on.frame)[0]:
                if number < 0:
                    return False
                same = step > 0 and kind == ON_RIM and on_the_same_two(left, contacts)
                if not (same and leads_back(on, frame, contacts, ring, axis)):
                    away[many] = number
                    many += 1
            if kind != ON_RIM or ring.shape[0] != 2:
                n = ways_on(on, contacts, ring, frame, axis, most, frames, axes, n)
                break
            if min(past_end(on, contacts, ring, frame, 0), past_end(on, contacts, ring, frame, 1)) < most:
                return False
            if onward(on, contacts, ring, frame, axis) >= most:
                break
        else:
            return False
    if n != 0:
        return False
    for k in range(many - 1, -1, -1):
        a, b, c, d = t.parts[away[k], 0], t.parts[away[k], 1], t.parts[away[k], 2], t.parts[away[k], 3]
        if not comes_back(on, t.frames[away[k]], t.contacts[a:b], t.rings[c:d], away[k]):
            return False
    return True


@lean
def on_the_same_two(one: Floats, other: Floats) -> bool:
    """Whether two poses of a roll touch the same two pieces of terrain, and nothing else."""
    if one.shape[0] != 2 or other.shape[0] != 2:
        return False
    same = True
    for k in range(2):
        same = same and one[k, TRIANGLE] == other[k, TRIANGLE] and one[k, MEETING] == other[k, MEETING]
    return same


@lean
def leads_back(on: Footing, frame: Floats, contacts: Floats, ring: Ints, last: Floats) -> bool:
    """Whether a base that has rolled on two contacts goes back over them under gravity as it is: as it came."""
    vx, vy = foot_of_com(frame, on.com, 0.0, 0.0, -1.0)
    side, out = beyond(contacts, ring, vx, vy)
    if out <= SURELY_MM or side >= ring.shape[0]:
        return False
    axis = scratch(3, 3)
    side_axis(contacts, ring, side, frame, on.foot.edges, axis)
    return dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) < -SAME_AXIS


@lean
def past_end(on: Footing, contacts: Floats, ring: Ints, frame: Floats, end: int) -> float:
    """The sine of the gravity tilt that takes a base past one end of the line through two contacts."""
    axis = scratch(3, 3)
    side_axis(contacts, ring, 2 + end, frame, on.foot.edges, axis)
    return way_out(frame, axis, on.com, scratch(3))


@lean
def onward(on: Footing, contacts: Floats, ring: Ints, frame: Floats, axis: Floats) -> float:
    """The axis over two contacts that points as the last one, which it overwrites; the sine of the tilt over it."""
    side = scratch(3, 3)
    for k in range(2):
        side_axis(contacts, ring, k, frame, on.foot.edges, side)
        if dot(side[2, 0], side[2, 1], side[2, 2], axis[2]) > 0.0:
            break
    for r in range(3):
        copied(side[r], axis[r])
    return way_out(frame, axis, on.com, scratch(3))


@compiled
def ways_on(
    on: Footing,
    contacts: Floats,
    ring: Ints,
    frame: Floats,
    last: Floats,
    most: float,
    frames: Floats,
    axes: Floats,
    n: int,
) -> int:
    """Write the ways over of a pose that take less than a tilt of that sine, but for that it came by, after `n` others.

    How many there are then; -1: over the rim itself, or more than there is room for.
    """
    out, sines = ways_over(contacts, ring, frame, on.foot.edges, on.com, BY_TILT)
    for i in range(sines.shape[0]):
        if sines[i] >= most or dot(last[2, 0], last[2, 1], last[2, 2], out[i, 2]) < -SAME_AXIS:
            continue
        if n >= frames.shape[0] or ahead(frame, out[i], on.foot) <= BEHIND_MM:
            return -1
        frames[n], axes[n] = frame, out[i]
        n += 1
    return n


@lean
def moved_at_all(one: Floats, other: Floats) -> bool:
    """Whether two frames differ in any bit."""
    for r in range(4):
        for a in range(3):
            if one[r, a] != other[r, a]:
                return True
    return False
