"""A base under gravity that leans more and more: where it rolls, and which tilt takes it over for good.

Compiled. The base rolls without slipping from contacts to contacts, chains of facets too.
"Over for good" is: nothing stops it, or it comes to rest more than 1 mm or 2 degrees from where it stood. What rolls
so far that gravity, as it leans, draws it off its own plane falls over: no contact holds that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lent, scratch
from sim3d.space import TOUCH_MM, WORD_BAND_MM, Floats
from sim3d.statics.footing import FREE, ON_RIM, STEPS, Footing, followed, lifted, met_rolling, stepped
from sim3d.statics.glide import SINK_MM, WALK_MM
from sim3d.statics.home import (
    BACK_AGAIN,
    LYING,
    SAME_AXIS,
    TOGETHER,
    Known,
    Strayed,
    all_come_back,
    first_gone,
    is_gone,
    is_lost,
    may_stay,
    none_strayed,
)
from sim3d.statics.near import Terrain
from sim3d.statics.proofs import carried_by, settled_on
from sim3d.statics.roll import NEVER, turned
from sim3d.statics.tilted import (
    GOES,
    IS_OVER,
    ON_HULL_MM,
    balanced,
    easiest,
    height_over,
    is_drawn_off,
    off_a_point,
    off_its_hull,
    rise_when_drawn_off,
    tilt_over,
    unmoved,
)
from sim3d.statics.touch import HEIGHT, hull, touching
from sim3d.statics.ways import (
    BY_TILT,
    apart,
    at_home,
    beyond,
    com_place,
    foot_of_com,
    lift_over,
    side_axis,
    way_out,
    ways_over,
)

ROUNDABOUT = 8  # steps after which a way may have come round; then twice as many
BALANCES_MM = 2.0 * WORD_BAND_MM  # a base whose centre of mass lies no farther inside what carries it
LEAN_ON = math.radians(0.02)  # where it balances on an edge, gravity leans on in such steps
LEANS, LEANS_BY = math.radians(0.25), 0.05  # the most where it follows on its rim; or so much of what gravity leans
SWINGS = 0.1  # of a step: where the next one leads back by all but so little, it rests between both
ROUNDS = 20  # to a pose that a tilt holds; four do
HELD_BY_MM = 0.1 * ON_HULL_MM  # held by a tilt so near that its ground point moves by no more: what is held so balances
CREEPS = LEAN_ON  # who comes round for a tilt so little greater would take hundreds of rounds


class Leaned(NamedTuple):
    """A base under gravity that leaned over."""

    tilt: float  # radians: of gravity, where it is over for good; NEVER if it still stands, or would come back
    rocked: float  # degrees: the most it leaned where it rested
    frame: Floats  # where it ended
    way: float  # radians or NaN: the direction in which what it leaned over last is leaned over most easily
    lift: float  # mm: the most its centre of mass rose
    high: float  # mm: a centre of mass that the nudge takes just over what it leaned over; infinite if that is not told


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
        if is_drawn_off(frame, ux, uy, lean):
            rise = com_place(frame, on.com)[2] - height
            rise += rise_when_drawn_off(on.com, frame, contacts, ring, ux, uy, lean)
            return Leaned(tilt, rocked, frame, way, max(lift, rise), high)
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
        if is_drawn_off(frame, ux, uy, lean):  # nothing that it touches turns it back
            continue
        strayed = not at_home(frame, start)[0]
        # it came here as gravity leant over, little by little: if it would not, nothing lets it roll back
        back = 0.0 if kind == ON_RIM else SAME_AXIS
        holds, ends = balanced(on.com, on.foot.edges, frame, contacts, ring, ux, uy, lean, axis, back, held)
        if ends and kind == ON_RIM:  # a step goes past where it begins to go over
            holds, frame, contacts = ended_at(
                on, close, old, axis, left, by, ux, uy, lean, holds, frame, contacts, held
            )
            ring, number = hull(contacts), -1
        if lean >= limit and kind == ON_RIM and not posed:  # what is to be posed goes on to where that holds it
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
        round_again, away = abs(lean - since) < CREEPS and away and here, away or not here
        again = round_again and lean == since
        swings = (round_again and not again) or (kind == ON_RIM and back_mm < SWINGS * step_mm)
        if again or swings or (back_mm < near and back_mm <= step_mm):
            # to and fro over one edge or one place of its rim, or round: it balances there till gravity leans on
            known = Known(tilt, rocked, way, lift, high)
            if strayed and is_gone(on, frame, contacts, ring, number, later, together, known):
                return Leaned(tilt, rocked, frame, way, lift, high)
            rocked = max(rocked, at_home(frame, start)[1])
            if swings:  # it stands between these poses, and follows as gravity leans
                tilt, lean = lean, lean + leans
                leans = min(2.0 * leans, max(LEANS, LEANS_BY * lean))
            else:
                near = SINK_MM if again else near  # what it is lifted out of on the way round, it stands on
                close = followed(on, close, frame)
                lean = leant_on(on, close, frame, ux, uy, lean, near)
                tilt, high = lean, math.inf
            if lean >= limit:
                return Leaned(NEVER, rocked, frame, way, lift, high)
        if round_again or step == marked:
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
    there, near = frame, HELD_BY_MM / on.com[2]
    for _ in range(ROUNDS):
        middle = low + min(max((limit - least) / (most - least), 0.1), 0.9) * (high - low)
        rolled = turned(frame, axis, middle)
        close = followed(on, close, rolled)
        too_far, _, there, contacts = lifted(on, close, rolled, axis, before)
        if too_far > 0.0:
            break
        ring = hull(contacts)
        seen = balanced(on.com, on.foot.edges, there, contacts, ring, ux, uy, tilt, axis, 0.0, scratch(3, 3))[0]
        if abs(seen - limit) < near:
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
def may_stay_away(on: Footing, leans: Floats, first: float, tilt: float) -> bool:
    """Whether a nudged base may as well stay in one of the frames (n, 4, 3) into which it leans, or nobody knows what
    carries it there.

    `leans` are those of `nudges`, `first` their first direction, `tilt` (radians) that of gravity.
    """
    stays, places, shares = False, np.empty((3, 3)), np.empty(3)
    for k in range(leans.shape[0]):
        if not stays and not (leans[k] == on.frame).all():
            way = first + 2.0 * math.pi * k / leans.shape[0]
            there, carried = carried_at(on, leans[k], math.cos(way), math.sin(way), tilt, places, shares)
            stays = not carried or may_stay(on, there)
    return stays


@compiled
def carried_at(
    on: Footing, frame: Floats, ux: float, uy: float, tilt: float, places: Floats, shares: Floats
) -> tuple[Floats, bool]:
    """Where a base stands that a nudge towards (ux, uy) led to a frame, and whether what it touches carries it there.

    It may have stopped at what rises beside it: then it is lifted out. By what and by how much is written.
    """
    close, edges, sunk = followed(on, on.close, frame), on.foot.edges, 0.0
    mine = touching(close, frame, on.foot, 0.5 * WALK_MM)
    for i in range(mine.shape[0]):
        sunk = max(sunk, mine[i, HEIGHT])
    if sunk <= TOUCH_MM and carried_by(mine, hull(mine), frame, on.com, edges, ux, uy, tilt, places, shares):
        return frame, True
    there = settled_on(close, frame, on.com, on.foot, ux, uy, tilt)
    for near in (0.5 * WALK_MM, BACK_AGAIN * WALK_MM):  # to and fro between poses that are one
        mine = touching(close, there, on.foot, near)
        if carried_by(mine, hull(mine), there, on.com, edges, ux, uy, tilt, places, shares):
            return there, True
    return there, False


@compiled
def easiest_edge(on: Footing) -> float:
    """The direction (radians) of the easiest way over an edge of what carries it; 0 where there is none."""
    if on.ring.shape[0] < 2:
        return 0.0
    axes, sines = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, on.com, BY_TILT)
    normal = scratch(3)
    way_out(on.frame, axes[np.argmin(sines)], on.com, normal)
    return math.atan2(normal[1], normal[0])
