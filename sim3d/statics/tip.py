"""How far from toppling: the smallest gravity tilt that takes a resting base over for good.

Compiled. The base rolls without slipping from contacts to contacts; every way over is followed, chains of facets too.
"Over for good" is: nothing stops it, or it comes to rest more than 1 mm or 2 degrees from where it stood.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, lent, scratch
from sim3d.ground.foot import RX, RY
from sim3d.space import WORD_BAND_MM, Floats, Ints
from sim3d.statics.away import easiest_away
from sim3d.statics.footing import (
    BEHIND_MM,
    FREE,
    ON_RIM,
    STEPS,
    Footing,
    followed,
    lifted,
    met_rolling,
    stepped,
)
from sim3d.statics.glide import SINK_MM, WALK_MM
from sim3d.statics.home import (
    BACK_AGAIN,
    LYING,
    SAME_AXIS,
    SURELY_MM,
    TOGETHER,
    Known,
    Strayed,
    all_come_back,
    first_gone,
    is_gone,
    is_lost,
    none_strayed,
)
from sim3d.statics.near import Terrain
from sim3d.statics.roll import NEVER, ahead, turned
from sim3d.statics.touch import ANGLE, ARC, PX, QX, QY, dot, hull, on_same_arc, touching, within_half_turn
from sim3d.statics.ways import (
    BY_TILT,
    NUDGE,
    STEEPEST,
    apart,
    at_home,
    axis_at,
    beyond,
    com_place,
    foot_of_com,
    height_at,
    lift_over,
    side_axis,
    sides_of,
    way_out,
    ways_over,
)

SAME_WAY = 0.05  # radians between directions that count as one
ROUNDABOUT = 8  # steps after which a way may have come round; then twice as many
BALANCES_MM = 2.0 * WORD_BAND_MM  # a base whose centre of mass lies no farther inside what carries it
LEAN_ON = math.radians(0.02)  # where it balances on an edge, gravity leans on in such steps
LEANS, LEANS_BY = math.radians(0.25), 0.05  # the most where it follows on its rim; or so much of what gravity leans
SWINGS = 0.1  # of a step: where the next one leads back by all but so little, it rests between both
ON_HULL_MM = 1e-5  # the foot of the centre of mass may lie so far outside its contacts: so near a line, it balances
FARTHER_AT_LEAST_DEG = 0.25  # than an angle that is asked for: tells apart none of 4,400 words, of 2,750 tips in maps
FAR_FIRST = math.radians(1.25)  # as far ways over edges are looked for at first where the easiest is asked for
FARTHER_BY = 2.0  # times as far the next time
HELD_BY = NUDGE + math.radians(FARTHER_AT_LEAST_DEG)  # so far it is asked first whether any way leads away
FOLLOWED_OUT = math.radians(10.3)  # so far every way is followed in order: a tip below is exact
TIGHT = 1e-6  # radians: so near to what the easiest way of all takes, one is it
ROUND = 40  # directions tried all around: the same for a word as for the number, so that both see the same ways
SAMPLED = math.radians(12.0)  # apart, the directions tried beside one that goes over a chain
PAST = math.radians(0.01)  # so far beside a corner
NARROWED = math.radians(0.3)  # directions nearer than this are one
SURELY = 1e-7  # radians: less is no easier way, it is rounding
FOLLOWED = 6  # directions tried one after the other, each told by the last; two or three do
ROUNDS = 20  # to a pose that a tilt holds; four do
HELD = 1e-5  # radians: held by a tilt so near
GOES, STAYS, IS_OVER = 0, 1, 2  # what a base does under gravity tilted so far


class Leaned(NamedTuple):
    """A base under gravity that leaned over."""

    tilt: float  # radians: of gravity, where it is over for good; NEVER if it still stands, or would come back
    rocked: float  # degrees: the most it leaned where it rested
    frame: Floats  # where it ended
    way: float  # radians or NaN: the direction in which what it leaned over last is leaned over most easily
    lift: float  # mm: the most its centre of mass rose
    high: float  # mm: a centre of mass that the nudge takes just over what it leaned over; infinite if that is not told


class Easiest(NamedTuple):
    """The easiest way over an edge that was found."""

    tilt: float  # radians; the limit where there is none
    lift: float  # mm
    high: float  # mm, as `Leaned` tells it
    towards: float  # radians: the direction in which gravity leant
    along: float  # the same, where it went on over a chain of facets, else NaN
    easier: float  # radians or NaN: as `Leaned.way`
    first: float  # radians: the first direction that was tried; NaN: none was


@compiled
def ramp(on: Footing, ux: float, uy: float, limit: float, posed: bool, enough: float) -> Leaned:
    """What a base does as gravity leans towards (ux, uy), farther and farther, up to a limit (radians).

    Unless it is to be `posed`, where it leans at the limit is not sought: what holds it so far, holds it. Where a tilt
    below `enough` takes it over, it is not asked whether less would have done, but for hardly any: then it balances.
    """
    strayed, below = none_strayed(), math.inf
    leaned = leant_over(on, ux, uy, limit, posed, strayed, STEPS if enough > 0.0 else TOGETHER)
    if leaned.tilt < enough:
        below = BALANCES_MM / on.com[2]
    elif all_come_back(on, strayed):
        return leaned
    first = first_gone(on, strayed, below)
    if first < 0:
        return leaned
    seen, there = strayed.known[first], on.trodden.frames[strayed.numbers[first]]
    return Leaned(seen[0], seen[1], there, seen[2], seen[3], seen[4])


@compiled
def leant_over(on: Footing, ux: float, uy: float, limit: float, posed: bool, later: Strayed, together: int) -> Leaned:
    """The same, but for poses that were strayed to: of so many `together` it is asked whether it comes home."""
    start, reach = on.frame, on.foot.reach_mm
    frame, close = start.copy(), on.close
    axis, held = scratch(3, 3), scratch(3, 3)
    contacts, ring = on.contacts, on.ring
    old, older = start + 1e3, start + 1e3  # a first step may be as small as it likes
    # gravity leans as far as `lean`; so far as `tilt` it is known to stand
    tilt, lean, leans, rocked, strayed, way, ends = 0.0, 0.0, LEAN_ON, 0.0, False, math.nan, False
    height, lift, high = com_place(start, on.com)[2], 0.0, 0.0
    on.trodden.gone[0], number = 0, -1  # the step that led here, where one did
    on_rim = 0  # steps so far: about as many may follow
    mark, marked, since, away = start.copy(), ROUNDABOUT, NEVER, False  # a pose to leave and come back to
    for step in range(STEPS):
        if ring.shape[0] == 0:
            return Leaned(tilt, rocked, frame, way, lift, high)
        before, rests, does = lean, False, GOES
        if ends:
            axis[:] = held
        elif ring.shape[0] == 1:
            does, lean = off_a_point(on.com, frame, contacts[ring[0]], ux, uy, lean, limit, axis)
        else:
            does, lean, rests = off_its_hull(on.com, on.foot.edges, frame, contacts, ring, ux, uy, lean, limit, axis)
            known = Known(tilt, rocked, way, lift, high)
            if strayed and rests and is_gone(on, frame, contacts, ring, number, later, together, known):
                does, lean = IS_OVER, before
            rocked = max(rocked, at_home(frame, start)[1]) if posed and rests and does != IS_OVER else rocked
        tilt = lean if lean > before else tilt
        if does != GOES:
            return Leaned(tilt if does == IS_OVER else NEVER, rocked, frame, way, lift, high)
        if lean > before:
            way = easiest(frame, axis, on.com)
        high = max(high, height_over(frame, axis, on.com, ux, uy))
        older[:] = old
        old[:] = frame
        left = contacts
        kind, by, frame, contacts, ring, close, number = stepped(on, close, old, axis, left, 1 + on_rim)
        on_rim = on_rim + 1 if kind == ON_RIM else 0
        lift = max(lift, com_place(old, on.com)[2] - height + lift_over(old, axis, on.com, by)[0])
        if kind == FREE or frame[3, 2] < LYING or is_lost(on.com, on.foot.edges, start, frame, contacts, ring, axis):
            return Leaned(tilt, rocked, frame, way, lift, high)
        strayed = not at_home(frame, start)[0]
        # it came here as gravity leant over, little by little: if it would not, nothing lets it roll back
        back = 0.0 if kind == ON_RIM else SAME_AXIS
        holds, ends = balanced(on.com, on.foot.edges, frame, contacts, ring, ux, uy, lean, axis, back, held)
        if ends and kind == ON_RIM:  # a step goes past where it begins to go over
            holds, frame, contacts = ended_at(
                on, close, old, axis, left, by, ux, uy, lean, holds, frame, contacts, held
            )
            ring, number = hull(contacts), -1
        if lean >= limit and kind == ON_RIM:
            return Leaned(NEVER, max(rocked, at_home(frame, start)[1]), frame, way, lift, high)
        if holds > lean:
            known = Known(tilt, rocked, way, lift, high)
            if strayed and is_gone(on, frame, contacts, ring, number, later, together, known):
                return Leaned(tilt, rocked, frame, way, lift, high)
            if holds >= limit and not posed:  # here it would roll back: between, it stays
                return Leaned(NEVER, max(rocked, at_home(frame, start)[1]), frame, way, lift, high)
            if holds >= limit:
                frame = held_at(on, close, old, axis, left, by, ux, uy, lean, holds, limit)
                close, holds, number, ends = followed(on, close, frame), limit, -1, False
                contacts = met_rolling(close, frame, on.foot)
                ring = hull(contacts)
                fx, fy = foot_of_com(frame, on.com, math.sin(limit) * ux, math.sin(limit) * uy, -math.cos(limit))
                if beyond(contacts, ring, fx, fy)[1] <= ON_HULL_MM:
                    return Leaned(NEVER, max(rocked, at_home(frame, start)[1]), frame, way, lift, high)
            rocked, way = max(rocked, at_home(frame, start)[1]), easiest(frame, held, on.com)
            high = max(high, height_over(frame, held, on.com, ux, uy))
            tilt = lean = holds
        step_mm, back_mm, near = apart(frame, old, reach), apart(frame, older, reach), BACK_AGAIN * WALK_MM
        here = apart(frame, mark, reach) < near  # who creeps on in steps as small as that has not come back
        again, away = lean == since and away and here, away or not here
        swings = kind == ON_RIM and back_mm < SWINGS * step_mm
        if again or swings or (back_mm < near and back_mm <= step_mm):
            # to and fro over one edge or one place of its rim, or round: it balances there till gravity leans on
            known = Known(tilt, rocked, way, lift, high)
            if strayed and is_gone(on, frame, contacts, ring, number, later, together, known):
                return Leaned(tilt, rocked, frame, way, lift, high)
            rocked = max(rocked, at_home(frame, start)[1])
            if swings:  # it stands between the two, and follows as gravity leans
                tilt, lean = lean, lean + leans
                leans = min(2.0 * leans, max(LEANS, LEANS_BY * lean))
            else:
                near = SINK_MM if again else near  # what it is lifted out of on the way round, it stands on
                close = followed(on, close, frame)
                lean = leant_on(on, close, frame, ux, uy, lean, near)
                tilt, high = lean, math.inf
            if lean >= limit:
                return Leaned(NEVER, rocked, frame, way, lift, high)
        if again or step == marked:
            mark[:] = frame
            since, away, marked = lean, False, 2 * step if step == marked else marked
    return Leaned(tilt, rocked, frame, way, lift, high)


@compiled
def leant_on(on: Footing, close: Terrain, frame: Floats, ux: float, uy: float, tilt: float, near: float) -> float:
    """The gravity tilt that moves on a base that goes to and fro: what it meets on both ends of that carries it.

    That is what lies as near as that under its plane (mm).
    """
    contacts = touching(close, frame, on.foot, near)
    ring = hull(contacts)
    least = tilt + LEAN_ON
    if ring.shape[0] > 2:
        fx, fy = foot_of_com(frame, on.com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
        if beyond(contacts, ring, fx, fy)[1] <= 0.0:
            axis, first = scratch(3, 3), NEVER
            for i in range(ring.shape[0]):
                side_axis(contacts, ring, i, frame, on.foot.edges, axis)
                over = tilt_over(frame, axis, on.com, ux, uy)
                first = min(first, over) if over >= tilt else first
            least = max(least, first)
    return least


@compiled
def held_at(
    on: Footing,
    close: Terrain,
    frame: Floats,
    axis: Floats,
    before: Floats,
    by: float,
    ux: float,
    uy: float,
    tilt: float,
    holds: float,
    limit: float,
) -> Floats:
    """The pose within one step that gravity tilted to the limit holds; at its end (`by`) it is `holds` that does."""
    low, high, least, most = 0.0, by, tilt, holds
    there = frame
    for _ in range(ROUNDS):
        middle = low + min(max((limit - least) / (most - least), 0.1), 0.9) * (high - low)
        rolled = turned(frame, axis, middle)
        close = followed(on, close, rolled)
        too_far, rim, there, contacts = lifted(on, close, rolled, axis, before)
        if too_far > 0.0 or not rim:
            break
        ring = hull(contacts)
        seen = balanced(on.com, on.foot.edges, there, contacts, ring, ux, uy, tilt, axis, 0.0, scratch(3, 3))[0]
        if abs(seen - limit) < HELD:
            break
        if seen < limit:
            low, least = middle, seen
        else:
            high, most = middle, seen
    return there


@compiled
def ended_at(
    on: Footing,
    close: Terrain,
    frame: Floats,
    axis: Floats,
    before: Floats,
    by: float,
    ux: float,
    uy: float,
    tilt: float,
    holds: float,
    there: Floats,
    met: Floats,
    held: Floats,
) -> tuple[float, Floats, Floats]:
    """Where in one step the tilt that holds it first takes it over one of its two points; at its end it does (`holds`).

    That tilt, the pose, and what it has met; the axis is written.
    """
    low, high, over = 0.0, by, scratch(3, 3)
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        rolled = turned(frame, axis, middle)
        close = followed(on, close, rolled)
        too_far, _, pose, contacts = lifted(on, close, rolled, axis, before)
        if too_far > 0.0:
            break
        ring = hull(contacts)
        seen, ends = balanced(on.com, on.foot.edges, pose, contacts, ring, ux, uy, tilt, axis, 0.0, over)
        if ends:
            high, holds, there, met = middle, seen, pose, contacts
            held[:] = over
        else:
            low = middle
    return holds, there, met


@lean
def balanced(
    com: Floats,
    edges: Floats,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    ux: float,
    uy: float,
    tilt: float,
    last: Floats,
    back: float,
    held: Floats,
) -> tuple[float, bool]:
    """The gravity tilt that holds a base in the middle of rolling on its rim: less would let it roll back from here.

    At least what it was: where that takes it on by itself. It rolls back over an axis that points as the `last` one,
    turned round, but for an angle of cosine `back`. The axis over which it is held is written, if there is one. And
    whether it rolls on two points and that tilt takes it over one of them: then the axis is that.
    """
    many = ring.shape[0]
    if many < 2:
        return tilt, False
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    leaving, out = beyond(contacts, ring, fx, fy)
    if out <= ON_HULL_MM:
        return tilt, False
    axis = scratch(3, 3)
    side_axis(contacts, ring, leaving, frame, edges, axis)
    for k in range(3):
        axis[1, k], axis[2, k] = -axis[1, k], -axis[2, k]
    if dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) <= back:
        return tilt, False
    least = tilt_over(frame, axis, com, ux, uy)
    for k in range(3):
        copied(axis[k], held[k])
    if many == 2 and tilt < least < NEVER:
        fx, fy = foot_of_com(frame, com, math.sin(least) * ux, math.sin(least) * uy, -math.cos(least))
        end, out = beyond(contacts, ring, fx, fy)
        if end >= many and out > ON_HULL_MM:
            side_axis(contacts, ring, end, frame, edges, held)
            return max(tilt, min(least, tilt_over(frame, held, com, ux, uy))), True
    return (max(tilt, least) if least < NEVER else tilt), False


@lean
def off_a_point(
    com: Floats, frame: Floats, contact: Floats, ux: float, uy: float, tilt: float, limit: float, axis: Floats
) -> tuple[int, float]:
    """A base on one point leans wherever gravity does: what it does, from which tilt on, and about which axis."""
    k = dot(ux, uy, 0.0, frame[3])
    vx, vy, vz = ux - k * frame[3, 0], uy - k * frame[3, 1], -k * frame[3, 2]
    size = math.sqrt(vx * vx + vy * vy + vz * vz)
    if size == 0.0:
        return IS_OVER, tilt
    for a in range(3):
        axis[0, a] = contact[PX + a]
    axis[2, 0], axis[2, 1], axis[2, 2] = vx / size, vy / size, vz / size
    axis[1, 0] = frame[3, 1] * axis[2, 2] - frame[3, 2] * axis[2, 1]
    axis[1, 1] = frame[3, 2] * axis[2, 0] - frame[3, 0] * axis[2, 2]
    axis[1, 2] = frame[3, 0] * axis[2, 1] - frame[3, 1] * axis[2, 0]
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    before = (fx - contact[QX]) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]) + (fy - contact[QY]) * dot(
        axis[2, 0], axis[2, 1], axis[2, 2], frame[2]
    )
    if before < 0.0:
        onset = tilt_over(frame, axis, com, ux, uy)
        if onset >= NEVER:
            return STAYS, tilt
        tilt = max(tilt, onset)
    return (STAYS if tilt >= limit else GOES), tilt


@lean
def off_its_hull(
    com: Floats,
    edges: Floats,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    ux: float,
    uy: float,
    tilt: float,
    limit: float,
    axis: Floats,
) -> tuple[int, float, bool]:
    """What a base on several contacts does, from which tilt on, about which axis; whether it rested before that."""
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    leaving, out = beyond(contacts, ring, fx, fy)
    rests = out <= ON_HULL_MM
    if rests:
        lx, ly = foot_of_com(frame, com, math.sin(limit) * ux, math.sin(limit) * uy, -math.cos(limit))
        if beyond(contacts, ring, lx, ly)[1] < 0.0:
            return STAYS, tilt, True
        least = NEVER
        for i in range(sides_of(ring)):  # lean on to the side it leaves over
            side_axis(contacts, ring, i, frame, edges, axis)
            t = tilt_over(frame, axis, com, ux, uy)
            if t < least and is_bow(contacts, ring, i):  # a bow is wider than its chord
                bow_axis(contacts, ring, i, frame, edges, ux, uy, axis)
                t = tilt_over(frame, axis, com, ux, uy)
            if t < least:
                least, leaving = t, i
        tilt = max(tilt, least)
        if tilt >= limit:
            return STAYS, tilt, True
    if not is_bow(contacts, ring, leaving):
        side_axis(contacts, ring, leaving, frame, edges, axis)
    else:
        bow_axis(contacts, ring, leaving, frame, edges, ux, uy, axis)
        onset = tilt_over(frame, axis, com, ux, uy)
        if rests and onset < NEVER:
            tilt = max(tilt, onset)
        if tilt >= limit:
            return STAYS, tilt, rests
    return GOES, tilt, rests


@lean
def tilt_over(frame: Floats, axis: Floats, com: Floats, ux: float, uy: float) -> float:
    """The gravity tilt (radians) towards (ux, uy) that brings the centre of mass over an axis; NEVER: none does."""
    normal = scratch(3)
    sine = way_out(frame, axis, com, normal)
    along = normal[0] * ux + normal[1] * uy
    return math.atan2(sine, along) if along > 1e-9 else NEVER


@lean
def height_over(frame: Floats, axis: Floats, com: Floats, ux: float, uy: float) -> float:
    """How high (mm) over the underside a centre of mass lies that the nudge towards (ux, uy) brings over an axis."""
    s, c = math.sin(NUDGE), math.cos(NUDGE)
    ax, ay, az = axis[1, 0], axis[1, 1], axis[1, 2]  # crossed with gravity: out of the plane of the two
    wx, wy, wz = az * s * uy + ay * c, -az * s * ux - ax * c, ay * s * ux - ax * s * uy
    rises = dot(wx, wy, wz, frame[3])
    if dot(wx, wy, wz, axis[2]) < 0.0:
        wx, wy, wz, rises = -wx, -wy, -wz, -rises
    within = 0.0  # how far under the centre of mass the underside ends at that plane
    for k in range(3):
        w = wx if k == 0 else wy if k == 1 else wz
        within += w * (axis[0, k] - frame[0, k] - com[0] * frame[1, k] - com[1] * frame[2, k])
    if within <= 0.0:
        return 0.0
    return within / rises if rises > 0.0 else math.inf


@lean
def is_bow(contacts: Floats, ring: Ints, side: int) -> bool:
    """Whether a side of a hull stands for a bow of the rim."""
    many = ring.shape[0]
    return side < many and on_same_arc(contacts[ring[side]], contacts[ring[(side + 1) % many]])


@lean
def bow_axis(
    contacts: Floats, ring: Ints, side: int, frame: Floats, edges: Floats, ux: float, uy: float, axis: Floats
) -> None:
    """The axis of such a side: the tangent where it looks the way that gravity leans."""
    a, b = ring[side], ring[(side + 1) % ring.shape[0]]
    axis_at(contacts, a, b, frame, edges, on_the_bow(contacts[a], contacts[b], frame, edges, ux, uy), axis)


@lean
def on_the_bow(a: Floats, b: Floats, frame: Floats, edges: Floats, ux: float, uy: float) -> float:
    """Of a bow of the rim between two contacts the angle of the point that looks where gravity leans."""
    wx, wy = dot(ux, uy, 0.0, frame[1]), dot(ux, uy, 0.0, frame[2])
    e = int(a[ARC])
    angle = math.atan2(edges[e, RY] * wy, edges[e, RX] * wx)
    span = within_half_turn(b[ANGLE] - a[ANGLE])
    off = within_half_turn(angle - a[ANGLE])
    if 0.0 <= off <= span:
        return angle
    return float(a[ANGLE] + (0.0 if abs(off) < abs(off - span) else span))


@compiled
def nudges(on: Footing, many: int, limit: float, posed: bool) -> tuple[float, float, Floats, float]:
    """Gravity tilted up to a limit, evenly all round: the least tilt that takes it over, the most it rocked.

    And the frames (n, 4, 3) into which it leans at the limit, and the first direction (radians): with the terrain they
    turn. Unless they are to be `posed`, frames and rocking are only what was met on the way.
    """
    on, frames = lent(on), np.empty((many, 4, 3))
    least, rocked = NEVER, 0.0
    if unmoved(on, limit):
        for k in range(many):
            frames[k] = on.frame
        return least, rocked, frames, 0.0
    first = easiest_edge(on)
    for k in range(many):
        way = first + 2.0 * math.pi * k / many
        seen = ramp(on, math.cos(way), math.sin(way), min(limit, least), posed, 0.0)
        frames[k] = seen.frame
        least, rocked = min(least, seen.tilt), max(rocked, seen.rocked)
    return least, rocked, frames, first


@compiled
def easiest_edge(on: Footing) -> float:
    """The direction (radians) of the easiest way over an edge of what carries it; 0 where there is none."""
    if on.ring.shape[0] < 2:
        return 0.0
    axes, sines = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, on.com, BY_TILT)
    normal = scratch(3)
    way_out(on.frame, axes[np.argmin(sines)], on.com, normal)
    return math.atan2(normal[1], normal[0])


@lean
def unmoved(on: Footing, tilt: float) -> bool:
    """Whether gravity tilted so far, any way, still points well inside what carries the base: then nothing stirs."""
    return still_inside(on.contacts, on.ring, on.frame, on.com, tilt) > SURELY_MM


@lean
def still_inside(contacts: Floats, ring: Ints, frame: Floats, com: Floats, tilt: float) -> float:
    """How far (mm) inside its contacts gravity from the centre of mass points at least, tilted so far any way.

    Negative where it may point beside them.
    """
    leans = math.acos(min(1.0, frame[3, 2]))
    if ring.shape[0] < 3 or leans + tilt > STEEPEST:
        return -math.inf
    x, y = foot_of_com(frame, com, 0.0, 0.0, -1.0)
    far = com[2] * (math.tan(leans + tilt) - math.tan(leans))
    return -beyond(contacts, ring, x, y)[1] - far


@compiled
def tip(on: Footing, limit: float, enough: float) -> tuple[float, float]:
    """The smallest gravity tilt (radians, at most `limit`) that takes it over for good; NEVER beyond the limit.

    And how high (mm) its centre of mass rises on that way. Below `enough` one that takes it over is answer enough.
    """
    tilt, lift, _, _ = easiest_way(on, limit, enough, limit if enough > 0.0 else FAR_FIRST)
    return tilt, lift


@compiled
def tip_for_word(on: Footing, limit: float, enough: float) -> float:
    """A tip (radians) that lies on the same side of `enough` as the true one, and of what a balance takes; or NEVER."""
    hardly, _ = tip(on, BALANCES_MM / on.com[2], 0.0)
    return hardly if hardly < NEVER else tip(on, limit, enough)[0]


@compiled
def easiest_way(on: Footing, limit: float, enough: float, near: float) -> tuple[float, float, float, float]:
    """The same, the direction in which gravity leant then, or nearly (radians), and a height (mm).

    With its centre of mass so high, the nudge would take it just over that way; infinite where that is not told. Ways
    over edges are looked for as far as `near` (radians) first, then farther: others may be easier.
    """
    on = lent(on)
    start, com = on.frame, on.com
    if on.ring.shape[0] < 2:
        return 0.0, 0.0, 0.0, math.inf
    words = enough > 0.0
    away = easiest_away(on, min(limit, HELD_BY), True)  # asked first for a number, too: who does not come home is noted
    if away.held and (words or limit <= HELD_BY):
        return NEVER, math.inf, 0.0, math.inf
    if not words:
        away = easiest_away(on, min(limit, FOLLOWED_OUT), False)
        if away.held and limit <= FOLLOWED_OUT:
            return NEVER, math.inf, 0.0, math.inf
        if not (away.held or math.isnan(away.way)):
            seen = ramp(on, math.cos(away.way), math.sin(away.way), limit, False, 0.0)
            if seen.tilt <= away.tilt + TIGHT:
                return seen.tilt, seen.lift, away.way, seen.high
    axes, sines = ways_over(on.contacts, on.ring, start, on.foot.edges, com, BY_TILT)
    order = np.argsort(sines, kind="mergesort")
    onset = math.asin(max(-1.0, min(1.0, sines[order[0]])))
    far = min(limit, max(near, FARTHER_BY * onset))
    easy = over_an_edge(on, axes, order, far, enough)
    while easy.tilt >= far and far < limit:
        far = min(limit, FARTHER_BY * far)
        easy = over_an_edge(on, axes, order, far, enough)
    best, lift, high, towards, along, easier, first = easy
    if best < enough:
        return best, lift, towards, high
    rocks = not math.isnan(first) and best > onset + SURELY
    if rocks and not away.held:
        if words:
            away = easiest_away(on, min(best, FOLLOWED_OUT) - SURELY, False)
        if not (away.held or math.isnan(away.way)):
            seen = ramp(on, math.cos(away.way), math.sin(away.way), best, False, enough)
            if seen.tilt < best:
                best, easier, lift, along, towards, high = seen.tilt, seen.way, seen.lift, away.way, away.way, seen.high
        if best < enough or best <= away.tilt + TIGHT:
            return (best, lift, towards, high) if best < limit else (NEVER, math.inf, towards, math.inf)
    if rocks:
        # it rocks on to other edges: the way over that is easiest may lead between those that it stands on
        fx, fy = foot_of_com(start, com, 0.0, 0.0, -1.0)
        for k in range(ROUND + 2 * on.ring.shape[0]):
            if k < ROUND:
                way = first + 2.0 * math.pi * k / ROUND  # it turns with the terrain
            else:  # close past a corner to facets on the other side of it: few directions lead there
                corner = on.contacts[on.ring[(k - ROUND) // 2]]
                dx, dy = corner[QX] - fx, corner[QY] - fy
                way = math.atan2(dx * start[1, 1] + dy * start[2, 1], dx * start[1, 0] + dy * start[2, 0])
                way += PAST if k % 2 == 0 else -PAST  # straight over it either edge may go first, by a rounding
            seen = ramp(on, math.cos(way), math.sin(way), best, False, enough)
            if seen.tilt < best - SURELY:
                best, easier, lift, along, towards, high = seen.tilt, seen.way, seen.lift, way, way, seen.high
                if best < enough:
                    return best, lift, towards, high
    if not math.isnan(along) and best < limit:
        best, lift, towards, high = chained(on, along, easier, best, lift, high)  # the easiest may not cross an edge
    return (best, lift, towards, high) if best < limit else (NEVER, math.inf, towards, math.inf)


@compiled
def over_an_edge(on: Footing, axes: Floats, order: Ints, limit: float, enough: float) -> Easiest:
    """The easiest way that begins over an edge of what carries it, of those within a limit; `order` puts them so."""
    start, com, foot = on.frame, on.com, on.foot
    best, lift, high, towards, along, easier = limit, math.inf, math.inf, 0.0, math.nan, math.nan
    asked, normal, n = np.empty(order.shape[0]), scratch(3), 0
    for k in range(order.shape[0]):
        axis = axes[order[k]]
        onset = math.asin(max(-1.0, min(1.0, way_out(start, axis, com, normal))))
        if onset >= best - 1e-12:
            break
        if normal[0] == 0.0 and normal[1] == 0.0:
            continue
        way = math.atan2(normal[1], normal[0])
        if ahead(start, axis, foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
            best, along, lift, towards = max(onset, 0.0), math.nan, lift_over(start, axis, com, STEEPEST)[0], way
            high = height_at(start, axis, com)
            break
        known = False
        for m in range(n):  # an easier edge that looks the same way was asked: the same path
            known = known or apart_by(way, asked[m]) < SAME_WAY
        if known:
            continue
        asked[n] = way
        n += 1
        seen = ramp(on, math.cos(way), math.sin(way), best, False, enough)
        over = max(seen.tilt, onset)
        if over < best:
            best, easier, lift, towards, high = over, seen.way, seen.lift, way, seen.high
            along = way if over > onset + 1e-7 else math.nan
            if best < enough:
                break
    return Easiest(best, lift, high, towards, along, easier, asked[0] if n > 0 else math.nan)


@compiled
def chained(
    on: Footing, base: float, easier: float, best: float, lift: float, high: float
) -> tuple[float, float, float, float]:
    """The least tilt over a chain of facets of directions within 24 degrees of one, narrowed to a third of one.

    With the lift on that way, its direction, and how high the centre of mass may lie, as `easiest_way` tells them.
    `easier` is where what it leaned over last is easiest: the edge that is met last tells the direction to try.
    """
    centre, way = base, easier
    for k in (-2, -1, 1, 2):
        angle = base + k * SAMPLED
        seen = ramp(on, math.cos(angle), math.sin(angle), best, False, 0.0)
        if seen.tilt < best - SURELY:
            best, lift, centre, way, high = seen.tilt, seen.lift, angle, seen.way, seen.high
    step = 0.25 * SAMPLED
    for _ in range(FOLLOWED):
        if math.isnan(way) or apart_by(way, centre) < NARROWED:
            break
        seen = ramp(on, math.cos(way), math.sin(way), best, False, 0.0)
        if seen.tilt >= best - SURELY:
            break
        step = min(step, 0.25 * apart_by(way, centre))
        best, lift, centre, way, high = seen.tilt, seen.lift, way, seen.way, seen.high
    if math.isnan(way) or apart_by(way, centre) >= NARROWED:  # it met other edges there
        while step >= 0.5 * NARROWED:
            around = centre
            for k in (-2, -1, 1, 2):
                angle = around + k * step
                seen = ramp(on, math.cos(angle), math.sin(angle), best, False, 0.0)
                if seen.tilt < best - SURELY:
                    best, lift, centre, high = seen.tilt, seen.lift, angle, seen.high
            step *= 0.25
    return best, lift, centre, high


@lean
def apart_by(one: float, other: float) -> float:
    """The angle (radians) between two directions."""
    return abs(within_half_turn(one - other))


@lean
def easiest(frame: Floats, axis: Floats, com: Floats) -> float:
    """The direction (radians) in which the least gravity tilt brings the centre of mass over an axis; NaN: none."""
    normal = scratch(3)
    way_out(frame, axis, com, normal)
    return math.nan if normal[0] == 0.0 and normal[1] == 0.0 else math.atan2(normal[1], normal[0])
