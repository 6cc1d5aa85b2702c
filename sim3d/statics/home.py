"""Whether a base that has rolled away goes home once gravity is as it was.

Compiled. Home is within 1 mm and 2 degrees of where it stood.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, lent, scratch
from sim3d.ground.foot import length
from sim3d.space import TOUCH_MM, WORD_BAND_MM, Floats, Ints
from sim3d.statics.footing import (
    FREE,
    ON_RIM,
    STEPS,
    UNASKED,
    Footing,
    Step,
    Trodden,
    beside,
    followed,
    one_step,
    stepped,
)
from sim3d.statics.glide import SINK_MM, WALK_MM
from sim3d.statics.near import Terrain
from sim3d.statics.roll import turned_into
from sim3d.statics.touch import dot, gap2, hull, touching
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
FAR_DEG = 3.0  # from home: half as far again as what still counts as having come back
JUST_SO = 0.9  # cosine: of 26 degrees between the way it leaned and the way it goes on
A_LITTLE = 1e-3  # radians: turned on by so much, it is seen whether that leads away
ONWARD = 0.5  # cosine: of 60 degrees between what it turned about and what it turns about next
FINER, FINEST_MM = 16.0, 2e-6  # times less deep, a quarter as long; down to less than that
NO_SHORTER = 0.99  # of a step that may sink in so much deeper: both land on the same
TOGETHER = 8  # poses of one way that are asked at once: the farthest rolls home by the others
KNOWN = 5  # numbers of each
HOME, ELSEWHERE, OVER = 0, 1, 2  # where a base comes to that rolls by itself: back, to another rest, down for good


class Known(NamedTuple):
    """What was known of a base in a pose that it strayed to, as gravity leaned on: what the caller wants back."""

    tilt: float  # radians
    rocked: float  # degrees
    way: float  # radians or NaN
    lift: float  # mm
    high: float  # mm


class Strayed(NamedTuple):
    """Poses on one way from which it was not asked yet whether a base comes home, and what was known of it there."""

    numbers: Ints  # (STEPS,) of the steps that led there
    known: Floats  # (STEPS, KNOWN) as `Known` names them
    many: Ints  # (1,)


@compiled
def none_strayed() -> Strayed:
    """None yet."""
    return Strayed(np.empty(STEPS, np.int64), np.empty((STEPS, KNOWN)), np.zeros(1, np.int64))


@compiled
def is_gone(
    on: Footing,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    number: int,
    strayed: Strayed,
    together: int,
    known: Known,
) -> bool:
    """Whether a base does not come home from a pose, or from one of those before; so far it may be asked `together`.

    Of a pose to which no step led that is remembered it is asked at once.
    """
    if number < 0:
        return not comes_back(on, frame, contacts, ring, number)
    n = strayed.many[0]
    if n == 0 or strayed.numbers[n - 1] != number:
        strayed.numbers[n], strayed.many[0] = number, n + 1
        for k in range(KNOWN):
            strayed.known[n, k] = known[k]
    return strayed.many[0] >= together and not all_come_back(on, strayed)


@compiled
def all_come_back(on: Footing, strayed: Strayed) -> bool:
    """Whether from all of them it comes home; then there are none any more. The farthest is asked first."""
    for i in range(strayed.many[0]):
        if not step_comes_back(on, strayed.numbers[strayed.many[0] - 1 - i]):
            return False
    strayed.many[0] = 0
    return True


@compiled
def first_gone(on: Footing, strayed: Strayed, below: float) -> int:
    """The first of them from which it does not come home, of those that took less tilt than that; -1: from all it does.

    The tilt is the first of what is known of each: gravity leans on from one to the next.
    """
    for i in range(strayed.many[0]):
        if strayed.known[i, 0] >= below:
            break
        if not step_comes_back(on, strayed.numbers[i]):
            return i
    return -1


@compiled
def step_comes_back(on: Footing, number: int) -> bool:
    """Whether a base comes home from where a step led that is remembered."""
    t = on.trodden
    a, b, c, d = t.parts[number, 0], t.parts[number, 1], t.parts[number, 2], t.parts[number, 3]
    return comes_back(on, t.frames[number], t.contacts[a:b], t.rings[c:d], number)


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
    end, many = rolls_home(on, frame, contacts, ring)
    home = end == HOME
    for k in range(many):
        t.homes[t.passed[k]] = 1 if home else 0
    if number >= 0:
        t.homes[number] = 1 if home else 0
    return home


@compiled
def rolls_home(on: Footing, frame: Floats, contacts: Floats, ring: Ints) -> tuple[int, int]:
    """Where it comes to, HOME, ELSEWHERE or OVER, and how many remembered steps were taken on that way.

    A way that meets one that was found to lead home does so, too, and is noted down.
    """
    axis, before, close, t, sink = scratch(3, 3), np.zeros(3), on.close, on.trodden, SINK_MM
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
            return HOME, many
        if n < t.ways.shape[0]:
            t.ways[n], t.leads[n] = frame, True
            n += 1
        if ring.shape[0] == 0 or out <= SURELY_MM:
            break
        leaving_axis(contacts, ring, side, vx, vy, frame, on.foot.edges, axis)
        if dot(before[0], before[1], before[2], axis[2]) < -SAME_AXIS:
            break  # to and fro: it rests between
        copied(axis[2], before)
        step, sink = home_step(on, close, frame, axis, contacts, ring, out, back, sink)
        if sink == 0.0:
            break  # for all that can be seen it rests on that way
        kind, there, contacts, ring = step.kind, step.frame, step.contacts, step.ring
        close, number = step.close, step.number
        if kind == FREE or there[3, 2] < LYING:
            return OVER, many
        if apart(there, older, on.foot.reach_mm) < BACK_AGAIN * WALK_MM:
            break
        if number >= 0 and t.homes[number] != UNASKED:
            if t.homes[number] == 1 and n > start:
                t.gone[0], t.leads[n - 1] = n, False
            return (HOME if t.homes[number] == 1 else ELSEWHERE), many
        if number >= 0:
            t.passed[many] = number
            many += 1
        older, frame = frame, there
    return ELSEWHERE, many


@compiled
def goes_over_from(on: Footing, frame: Floats) -> bool:
    """Whether a base let go in another pose rolls down for good, and never past the one in which it rests."""
    on = lent(on)
    met = touching(on.whole, frame, on.foot, TOUCH_MM)
    return rolls_home(on, frame, met, hull(met))[0] == OVER


@compiled
def may_stay(on: Footing, frame: Floats) -> bool:
    """Whether a base away from home could rest there with gravity upright: nobody is sure that it comes home.

    It is rolled home off what it touches to a millionth; what is less than `TOUCH_MM` under its plane carries, too.
    """
    if at_home(frame, on.frame)[0]:
        return False
    touch = touching(followed(on, on.close, frame), frame, on.foot, TOUCH_MM)
    x, y = foot_of_com(frame, on.com, 0.0, 0.0, -1.0)
    return bool(beyond(touch, hull(touch), x, y)[1] <= WORD_BAND_MM)


@compiled
def home_step(
    on: Footing,
    close: Terrain,
    frame: Floats,
    axis: Floats,
    contacts: Floats,
    ring: Ints,
    out: float,
    more: int,
    sink: float,
) -> tuple[Step, float]:
    """One step on the way home that passes no pose in which a base would rest; as deep as the next may sink in (mm).

    Where it may pass one it is made again, less deep. 0: it may, however short; `out` is how far gravity points beyond
    the contacts.
    """
    by_before = math.inf
    while True:
        if sink >= SINK_MM:
            step = stepped(on, close, frame, axis, contacts, more)
        else:
            kind, by, there, met, about = one_step(on, followed(on, close, frame), frame, axis, contacts, sink)
            step = Step(kind, by, there, met, hull(met), about, -1)
        moved = step.by * (on.foot.reach_mm + on.com[2])  # at most, the place that gravity points to
        if out > beside(on.foot) + moved or not may_rest_between(on, frame, contacts, ring, step):
            return step, min(FINER * sink, SINK_MM)
        if step.kind != ON_RIM and step.by > NO_SHORTER * by_before:  # on its way to a landing it touches nothing else
            return step, min(FINER * sink, SINK_MM)
        if sink < FINEST_MM:
            return step, 0.0
        sink, by_before = sink / FINER, step.by


@compiled
def may_rest_between(on: Footing, frame: Floats, contacts: Floats, ring: Ints, step: Step) -> bool:
    """Whether a base may rest on what it touches before a step and after it, both at once: on the way it does.

    Its rim rolls on from contact to contact, and a step sees where it ends only. What it lands on it touches there.
    """
    many, more = ring.shape[0], step.ring.shape[0]
    if many == 0 or more == 0:
        return False
    both = np.empty((many + more, contacts.shape[1]))
    for k in range(many):
        copied(contacts[ring[k]], both[k])
    for k in range(more):
        copied(step.contacts[step.ring[k]], both[many + k])
        moved = math.inf
        for i in range(many):
            moved = min(moved, gap2(both, i, many + k))
        if moved > beside(on.foot) ** 2:
            return False
    outer = hull(both)
    for k in range(2):
        x, y = foot_of_com(frame if k == 0 else step.frame, on.com, 0.0, 0.0, -1.0)
        if beyond(both, outer, x, y)[1] <= SURELY_MM:
            return True
    return False


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
