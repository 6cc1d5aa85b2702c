"""The energy barrier: the smallest lift of the centre of mass, over every way and chain of facets, that takes it over.

Compiled. Best first over facets: the way whose highest point so far is lowest goes on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean, lent, scratch
from sim3d.space import Floats, Ints
from sim3d.statics.footing import BEHIND_MM, FREE, STEPS, Footing, followed, met_rolling, stepped
from sim3d.statics.glide import WALK_MM
from sim3d.statics.home import BACK_AGAIN, LYING, SAME_AXIS, SURELY_MM, driven_on, leaned_so
from sim3d.statics.near import Terrain
from sim3d.statics.roll import ahead
from sim3d.statics.tilted import ON_HULL_MM
from sim3d.statics.touch import dot, hull
from sim3d.statics.ways import (
    BY_LIFT,
    HOME_DEG,
    HOME_MM,
    STEEPEST,
    apart,
    beyond,
    com_place,
    foot_of_com,
    leaving_axis,
    lift_over,
    point_axis,
    side_axis,
    sides_of,
    top_of,
    way_out,
    ways_over,
)

SPACING = 0.02  # of the reach: poses nearer than this are one while the easiest way is sought; about a degree
SAME = 0.6  # of that spacing
HOME_CHORD = 2.0 * math.sin(math.radians(HOME_DEG) / 2.0)  # of normals at home
NODES = 100  # facets in all while the easiest way is sought; beyond it the barrier found so far is what is told
TURNED = 300  # of them where those count apart that differ by a turn about the base's own axis
ENTRY, TOP, LANDED = range(3)  # a way not yet tried; free up to its top; come to another pose
PAST = 3  # not yet tried, past an end of the line that it rolls on: taken to its end at once, no poses are kept of it
ENDS = 2  # of the ways over two points those past an end come last


class Waiting(NamedTuple):
    """Ways that are not done, each with the lift that it takes at least: rows of equal numbers."""

    levels: Floats  # mm
    ties: Floats  # mm: of equal levels the one goes first whose centre of mass comes lower
    froms: Ints  # the facet that it leaves
    kinds: Ints
    axes: Floats  # (n, 3, 3)
    frames: Floats  # (n, 4, 3) where it has landed
    ends: Floats  # the lift there


@compiled
def barrier(on: Footing, high: float) -> tuple[float, bool]:
    """The lift (mm) of the centre of mass on the easiest way over for good, at most `high`; whether that is final.

    Not final: no way that was sought is easier, but poses nearer than a degree were taken for one. A pose counts as
    reached once no easier way to it can wait.
    """
    on = lent(on)
    com, foot, close = on.com, on.foot, on.close
    alike = foot.inner_mm == foot.reach_mm and com[0] == 0.0 and com[1] == 0.0  # however it is turned about its axis
    most = NODES if alike else TURNED
    frames = np.empty((most + 1, 4, 3))
    at, reached = np.zeros(most + 1), np.zeros(most + 1)  # the lift at each facet, and the highest on the way to it
    frames[0], normal = on.frame, scratch(3)
    known, grown, n = 1, 0, 0
    waiting = room_for(64)
    while True:
        while grown < known:
            frame = frames[grown]
            close = followed(on, close, frame)
            contacts = met_rolling(close, frame, foot)
            ring = hull(contacts)
            if grown == 0 and ring.shape[0] < 2:
                return 0.0, True
            out, lifts = ways_from(contacts, ring, frame, foot.edges, com)
            while n + lifts.shape[0] > waiting.levels.shape[0]:
                waiting = longer(waiting)
            for i in range(lifts.shape[0]):
                if ahead(frame, out[i], foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
                    high = min(high, max(reached[grown], at[grown] + lifts[i]))
                else:  # it may be stopped before the top
                    past = grown > 0 and ring.shape[0] == 2 and i >= lifts.shape[0] - ENDS
                    waiting.axes[n], waiting.froms[n], waiting.kinds[n] = out[i], grown, PAST if past else ENTRY
                    waiting.levels[n] = max(reached[grown], at[grown] + (lifts[i] if past else 0.0))
                    waiting.ties[n] = at[grown] + com[2] * way_out(frame, out[i], com, normal)
                    n += 1
            grown += 1
        if n == 0:
            return high, True
        i = next_of(waiting, n)
        level, tie, source, kind = waiting.levels[i], waiting.ties[i], waiting.froms[i], waiting.kinds[i]
        if level >= high:
            return high, True
        axis, landed, end = waiting.axes[i].copy(), waiting.frames[i].copy(), waiting.ends[i]
        n -= 1  # the last one takes its place, and its own is free for what comes of it
        moved(waiting, n, i)
        if kind == LANDED:
            if known > most:
                return level, False
            if is_new(landed, frames[:known], foot.reach_mm, alike):
                frames[known], at[known], reached[known] = landed, end, level
                known += 1
            continue
        waiting.froms[n], waiting.axes[n] = source, axis
        frame = frames[source]
        close = followed(on, close, frame)
        top = STEEPEST if kind == TOP else min(top_of(frame, axis, com), STEEPEST)
        met, by, _, _, _, close, _ = stepped(on, close, frame, axis, met_rolling(close, frame, foot), 0)
        free = met == FREE or by > top
        if free and kind == TOP:
            return level, True
        if free:
            waiting.kinds[n], waiting.ties[n] = TOP, tie
            waiting.levels[n] = max(reached[source], at[source] + lift_over(frame, axis, com, STEEPEST)[0])
            n += 1
            continue
        over, landed, rise, end, close = roll_on(on, close, frame, axis, high - at[source])
        peak = max(reached[source], at[source] + rise)
        if peak >= high:
            continue
        if over:
            high = peak
        elif kind != PAST and is_new(landed, frames[:known], foot.reach_mm, alike):
            waiting.levels[n], waiting.frames[n], waiting.ends[n] = peak, landed, at[source] + end
            waiting.kinds[n], waiting.ties[n] = LANDED, waiting.ends[n]
            n += 1


@compiled
def ways_from(contacts: Floats, ring: Ints, frame: Floats, edges: Floats, com: Floats) -> tuple[Floats, Floats]:
    """The ways over what carries a base, with the lift of each; from one point it goes where its weight takes it."""
    if ring.shape[0] > 1:
        return ways_over(contacts, ring, frame, edges, com, BY_LIFT)
    fall = np.empty((ring.shape[0], 3, 3))
    if ring.shape[0] == 1:
        fx, fy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
        leaving_axis(contacts, ring, 0, fx, fy, frame, edges, fall[0])
    return fall, np.zeros(ring.shape[0])


@lean
def next_of(waiting: Waiting, n: int) -> int:
    """Which of so many ways goes on next: the same one however the base or the terrain is turned or mirrored."""
    best = 0
    for i in range(1, n):
        if waiting.levels[i] < waiting.levels[best] or (
            waiting.levels[i] == waiting.levels[best] and waiting.ties[i] < waiting.ties[best]
        ):
            best = i
    return best


@compiled
def is_new(landed: Floats, frames: Floats, reach: float, alike: bool) -> bool:
    """Whether a pose is none of those that are known; `alike`: however it is turned about its own axis, it is one."""
    new = True
    for k in range(frames.shape[0]):
        far, chord = toppled_by(frames[k], landed)
        if not alike:
            chord = max(chord, turned_by(frames[k], landed))
        new = new and max(far, chord * reach) >= SAME * SPACING * reach
    return new


@lean
def turned_by(one: Floats, other: Floats) -> float:
    """The chord between two poses' fronts."""
    chord = 0.0
    for a in range(3):
        chord += (one[1, a] - other[1, a]) ** 2
    return math.sqrt(chord)


@lean
def toppled_by(one: Floats, other: Floats) -> tuple[float, float]:
    """How far (mm) the middle has moved from pose to pose, and the chord between their normals.

    A base that is rolled round over what it touches, and down again, has turned about its own axis: over and over, each
    time a little. That is no way to go over.
    """
    far = chord = 0.0
    for a in range(3):
        far += (one[0, a] - other[0, a]) ** 2
        chord += (one[3, a] - other[3, a]) ** 2
    return math.sqrt(far), math.sqrt(chord)


@lean
def back_home(there: Floats, home: Floats) -> bool:
    """Whether a pose is within 1 mm and 2 degrees of where it stood, turned about its own axis or not."""
    far, chord = toppled_by(there, home)
    return far <= HOME_MM and chord <= HOME_CHORD


@compiled
def least_lift(on: Footing) -> float:
    """The lift (mm) without which it leaves its contacts over no edge: to the top, or to where its first step ends.

    An edge that is higher than another one may be left by less, where something stops it sooner.
    """
    on = lent(on)
    axes, lifts = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, on.com, BY_LIFT)
    least = math.inf
    for i in range(lifts.shape[0]):
        lift = lifts[i]
        if ahead(on.frame, axes[i], on.foot) > BEHIND_MM:
            by = stepped(on, on.close, on.frame, axes[i], on.contacts, 0).by
            lift = lift_over(on.frame, axes[i], on.com, by)[0]
        least = min(least, lift)
    return least


@compiled
def room_for(n: int) -> Waiting:
    """Room for so many ways."""
    return Waiting(
        np.empty(n), np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64),
        np.empty((n, 3, 3)), np.empty((n, 4, 3)), np.empty(n),
    )  # fmt: skip


@compiled
def longer(ways: Waiting) -> Waiting:
    """The same ways with twice the room."""
    n = ways.levels.shape[0]
    more = room_for(2 * n)
    more.levels[:n], more.ties[:n], more.froms[:n], more.kinds[:n] = ways.levels, ways.ties, ways.froms, ways.kinds
    more.axes[:n], more.frames[:n], more.ends[:n] = ways.axes, ways.frames, ways.ends
    return more


@compiled
def moved(ways: Waiting, a: int, b: int) -> None:
    """One way to another one's row."""
    ways.levels[b], ways.ties[b], ways.ends[b] = ways.levels[a], ways.ties[a], ways.ends[a]
    ways.froms[b], ways.kinds[b] = ways.froms[a], ways.kinds[a]
    ways.axes[b], ways.frames[b] = ways.axes[a], ways.frames[a]


@lean
def lost(on: Footing, landed: Floats, contacts: Floats, ring: Ints) -> bool:
    """Whether a base that has rolled so far is over for good: it rests elsewhere, or goes on under its own weight."""
    if back_home(landed, on.frame):
        return False
    if ring.shape[0] == 0:
        return True
    vx, vy = foot_of_com(landed, on.com, 0.0, 0.0, -1.0)
    if beyond(contacts, ring, vx, vy)[1] <= ON_HULL_MM:
        return True
    axis = scratch(3, 3)
    return driven_on(on.com, on.foot.edges, on.frame, landed, contacts, ring, axis) and leaned_so(
        on.frame, landed, axis
    )


@lean
def rolls_back(on: Footing, there: Floats, contacts: Floats, ring: Ints, last: Floats) -> bool:
    """Whether a base away from home, on two points, would go back the way it came over an axis, or stay there."""
    if ring.shape[0] != 2 or back_home(there, on.frame):
        return False
    fx, fy = foot_of_com(there, on.com, 0.0, 0.0, -1.0)
    side, out = beyond(contacts, ring, fx, fy)
    if out <= SURELY_MM or side >= ring.shape[0]:
        return out <= SURELY_MM
    axis = scratch(3, 3)
    side_axis(contacts, ring, side, there, on.foot.edges, axis)
    return dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) < -SAME_AXIS


@compiled
def roll_on(
    on: Footing, close: Terrain, start: Floats, first: Floats, most: float
) -> tuple[bool, Floats, float, float, Terrain]:
    """Tip over an edge, and where the rim rolls on in tiny steps go on the same way until the pose is clearly another.

    A way that is lifted by as much as `most` is not followed to its end.

    Whether it is over for good, the pose, the highest lift on the way, the lift at its end (mm, against the start), and
    what is near there.
    """
    com, foot = on.com, on.foot
    frame, older, axis = start.copy(), start + 1e3, first.copy()
    height = com_place(start, com)[2]
    rise = level = 0.0
    normal, away = scratch(3), apart(start, on.frame, foot.reach_mm)
    ox, oy, oz = first[2, 0], first[2, 1], first[2, 2]
    contacts = on.contacts[:0]  # of the first step, which is known
    for step in range(STEPS):
        kind, angle, there, contacts, ring, close, _ = stepped(on, close, frame, axis, contacts, step)
        if kind == FREE:
            top, end = lift_over(frame, axis, com, STEEPEST)
            return True, frame, max(rise, level + top), level + end, close
        before, level = level, com_place(there, com)[2] - height
        came_down = level < before or way_out(there, axis, com, normal) < 0.0
        rise = max(rise, before + lift_over(frame, axis, com, angle)[0], level)
        if came_down and rolls_back(on, there, contacts, ring, axis):
            return True, there, rise, level, close  # and would go up again: it rests between
        stuck = apart(there, older, foot.reach_mm) < BACK_AGAIN * WALK_MM
        older, frame = frame, there
        if frame[3, 2] < LYING:
            return True, frame, rise, level, close
        if rise >= most:
            break
        if lost(on, frame, contacts, ring):
            return True, frame, rise, level, close
        far = apart(frame, start, foot.reach_mm) >= SPACING * foot.reach_mm
        onward = level < before and apart(frame, on.frame, foot.reach_mm) > away
        if stuck or ring.shape[0] == 0 or (far and not onward and ring.shape[0] > 1):
            break  # stuck, to and fro: at this pace it would not get to another pose; down and away it goes by itself
        if ring.shape[0] == 1:  # on, the same way
            point_axis(contacts[ring[0]], dot(ox, oy, oz, frame[1]), dot(ox, oy, oz, frame[2]), frame, axis)
            continue
        best, chosen = 0.0, -1
        for i in range(sides_of(ring)):
            side_axis(contacts, ring, i, frame, foot.edges, axis)
            along = dot(ox, oy, oz, axis[2])
            if along > best:
                best, chosen = along, i
        if chosen < 0:
            break
        side_axis(contacts, ring, chosen, frame, foot.edges, axis)
    return False, frame, rise, level, close
