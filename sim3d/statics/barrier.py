"""The energy barrier: the smallest lift of the centre of mass, over every way and chain of facets, that takes it over.

Compiled. Best first over facets: the way whose highest point so far is lowest goes on.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, uncounted
from sim3d.space import Floats, Ints
from sim3d.statics.footing import BEHIND_MM, FREE, WALK_MM, Footing, followed, roll, stepped
from sim3d.statics.near import Terrain
from sim3d.statics.roll import NEVER, ahead
from sim3d.statics.tip import BACK_AGAIN, LYING, ON_HULL_MM, STEPS, driven_on
from sim3d.statics.touch import dot, hull, touching
from sim3d.statics.ways import (
    BY_LIFT,
    STEEPEST,
    apart,
    at_home,
    axis_at,
    beyond,
    com_place,
    foot_of_com,
    lift_over,
    top_of,
    ways_over,
)

SPACING = 0.02  # of the reach: poses nearer than this are one while the easiest way is sought; about a degree
SAME = 0.6  # of that spacing
NODES = 100  # facets in all while the easiest way is sought; beyond it the barrier found so far is a lower bound
ENTRY, TOP, OVER = 0, 1, 2  # a way not yet tried; free up to its top; over for good


@compiled
def barrier(on: Footing, high: float) -> tuple[float, bool]:
    """The lift (mm) of the centre of mass on the easiest way over for good, at most `high`; whether that is final.

    Not final: a lower bound.
    """
    on = uncounted(on)
    com, foot, close = on.com, on.foot, on.close
    frames = np.empty((NODES + 1, 4, 3))
    at, reached = np.zeros(NODES + 1), np.zeros(NODES + 1)  # the lift at each facet, and the highest on the way to it
    frames[0] = on.frame
    known, grown, n = 1, 0, 0
    levels, froms, kinds, axes = np.empty(64), np.empty(64, np.int64), np.empty(64, np.int64), np.empty((64, 3, 3))
    while True:
        while grown < known:
            frame = frames[grown]
            close = followed(on, close, frame)
            contacts = touching(close, frame, foot, 0.5 * WALK_MM)
            ring = hull(contacts)
            if ring.shape[0] < 2:
                return reached[grown], True
            out, lifts = ways_over(contacts, ring, frame, foot.edges, com, BY_LIFT)
            while n + lifts.shape[0] > levels.shape[0]:
                levels, froms, kinds, axes = longer(levels, froms, kinds, axes)
            for i in range(lifts.shape[0]):
                axes[n], froms[n] = out[i], grown
                if ahead(frame, out[i], foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
                    kinds[n], levels[n] = OVER, max(reached[grown], at[grown] + lifts[i])
                else:  # it may be stopped before the top
                    kinds[n], levels[n] = ENTRY, max(reached[grown], at[grown])
                n += 1
            grown += 1
        if n == 0:
            return high, True
        i = int(np.argmin(levels[:n]))
        level, source, kind, axis = levels[i], froms[i], kinds[i], axes[i].copy()
        if level >= high or kind == OVER:
            return min(level, high), True
        n -= 1  # the last one takes its place, and its own is free for what comes of it
        levels[i], froms[i], kinds[i], axes[i] = levels[n], froms[n], kinds[n], axes[n]
        froms[n], axes[n] = source, axis
        frame = frames[source]
        close = followed(on, close, frame)
        top = min(top_of(frame, axis, com), STEEPEST) if kind == ENTRY else STEEPEST
        exact, _ = roll(on, close, frame, axis, WALK_MM, top)
        if exact >= NEVER and kind == TOP:
            return level, True
        if exact >= NEVER:
            kinds[n] = TOP
            levels[n] = max(reached[source], at[source] + lift_over(frame, axis, com, STEEPEST)[0])
            n += 1
            continue
        over, landed, rise, end, close = roll_on(on, close, frame, axis)
        peak = max(reached[source], at[source] + rise)
        if not over:
            fresh = True
            for k in range(known):
                fresh = fresh and apart(frames[k], landed, foot.reach_mm) >= SAME * SPACING * foot.reach_mm
            if not fresh:
                continue
            over = lost(on, close, landed)
        if over:  # at this height: final once nothing lower waits
            levels[n], kinds[n] = peak, OVER
            n += 1
        elif known > NODES:
            return level, False
        else:
            frames[known], at[known], reached[known] = landed, at[source] + end, peak
            known += 1


@compiled
def least_lift(on: Footing) -> float:
    """The lift (mm) without which it leaves its contacts over no edge: to the top, or to what stops it before that."""
    axes, lifts = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, on.com, BY_LIFT)
    least = math.inf
    for i in range(lifts.shape[0]):
        lift = lifts[i]
        if lift < least and ahead(on.frame, axes[i], on.foot) > BEHIND_MM:
            stopped, _ = roll(
                on, on.close, on.frame, axes[i], WALK_MM, min(top_of(on.frame, axes[i], on.com), STEEPEST)
            )
            if stopped < NEVER:
                lift = lift_over(on.frame, axes[i], on.com, stopped)[0]
        least = min(least, lift)
    return least


@compiled
def longer(levels: Floats, froms: Ints, kinds: Ints, axes: Floats) -> tuple[Floats, Ints, Ints, Floats]:
    """The same lists with twice the room."""
    n = levels.shape[0]
    more_levels, more_axes = np.empty(2 * n), np.empty((2 * n, 3, 3))
    more_froms, more_kinds = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    more_levels[:n], more_froms[:n], more_kinds[:n], more_axes[:n] = levels, froms, kinds, axes
    return more_levels, more_froms, more_kinds, more_axes


@compiled
def lost(on: Footing, close: Terrain, landed: Floats) -> bool:
    """Whether a base that has rolled so far is over for good: it rests elsewhere, or goes on under its own weight."""
    if at_home(landed, on.frame)[0]:
        return False
    contacts = touching(close, landed, on.foot, 0.5 * WALK_MM)
    ring = hull(contacts)
    if ring.shape[0] < 2:
        return True
    vx, vy = foot_of_com(landed, on.com, 0.0, 0.0, -1.0)
    rests = beyond(contacts, ring, landed, vx, vy)[1] <= ON_HULL_MM
    return rests or driven_on(contacts, ring, landed, on.frame, on.com, on.foot)


@compiled
def roll_on(on: Footing, close: Terrain, start: Floats, first: Floats) -> tuple[bool, Floats, float, float, Terrain]:
    """Tip over an edge, and where the rim rolls on in tiny steps go on the same way until the pose is clearly another.

    Whether nothing stopped it, the pose, the highest lift on the way, the lift at its end (mm, against the start), and
    what is near there.
    """
    com, foot = on.com, on.foot
    frame, older, axis = start.copy(), start + 1e3, first.copy()
    height = com_place(start, com)[2]
    rise = level = 0.0
    ox, oy, oz = first[2, 0], first[2, 1], first[2, 2]
    for _ in range(STEPS):
        kind, angle, there, contacts, ring, close = stepped(on, close, frame, axis)
        if kind == FREE:
            most, end = lift_over(frame, axis, com, STEEPEST)
            return True, frame, max(rise, level + most), level + end, close
        rise = max(rise, level + lift_over(frame, axis, com, angle)[0])
        level = com_place(there, com)[2] - height
        rise = max(rise, level)
        stuck = apart(there, older, foot.reach_mm) < BACK_AGAIN * WALK_MM
        older, frame = frame, there
        if frame[3, 2] < LYING:
            return True, frame, rise, level, close
        if stuck:  # to and fro: at this pace it would not get to another pose
            break
        if apart(frame, start, foot.reach_mm) >= SPACING * foot.reach_mm:
            break
        many = ring.shape[0]
        if many < 2:
            break
        best, chosen = 0.0, -1
        for i in range(many):
            axis_at(contacts, ring[i], ring[(i + 1) % many], frame, foot.edges, math.nan, axis)
            along = dot(ox, oy, oz, axis[2])
            if along > best:
                best, chosen = along, i
        if chosen < 0:
            break
        axis_at(contacts, ring[chosen], ring[(chosen + 1) % many], frame, foot.edges, math.nan, axis)
    return False, frame, rise, level, close
