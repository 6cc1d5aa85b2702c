"""How far from toppling: the smallest gravity tilt that takes a resting base over for good.

Compiled. The base rolls without slipping from contacts to contacts; every way over is followed, chains of facets too.
"Over for good" is: nothing stops it, or it comes to rest more than 1 mm or 2 degrees from where it stood.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import RX, RY, Foot
from sim3d.space import Floats, Ints
from sim3d.statics.near import Terrain, moved, near
from sim3d.statics.roll import NEVER, ahead, first_touch, turned
from sim3d.statics.touch import ANGLE, ARC, PX, QX, QY, dot, hull, on_same_arc, touching
from sim3d.statics.ways import (
    BY_TILT,
    STEEPEST,
    apart,
    at_home,
    axis_at,
    beyond,
    foot_of_com,
    way_out,
    ways_over,
)

LYING = 0.17  # cosine: a base tilted beyond 80 degrees lies on its side
STEPS = 400  # facets along one way; a smooth rim takes a hundred
SAME_WAY = 0.05  # radians between directions that count as one
WALK_MM = 1e-4  # while rolling, what touches: less takes more steps on a smooth rim, more blurs where it would rest
BACK_AGAIN = 5.0  # contact widths: a pose this near the one before last is the same
LEAN_ON = math.radians(0.02)  # where it balances on an edge, gravity leans on in such steps
ON_HULL_MM = 1e-7  # the foot of the centre of mass may lie this far outside its contacts: rounding
BEHIND_MM = 1e-7  # a base that reaches less over the axis than this meets nothing more
FAR_DEG = 6.0  # from home: three times as far as what still counts as having come back
JUST_SO = 0.9  # cosine: of 26 degrees between the way it leaned and the way it goes on
HALF_ROOM = 0.5  # of the room of what is near: then it is chosen anew


@compiled
def roll(whole: Terrain, close: Terrain, frame: Floats, axis: Floats, foot: Foot, limit: float) -> tuple[float, float]:
    """The first touch, as `first_touch` gives it, among what is near as far as that is sure, else among everything."""
    if ahead(frame, axis, foot) <= BEHIND_MM:
        return NEVER, NEVER
    exact, deep = first_touch(close, frame, axis, foot, WALK_MM, limit)
    upto = limit if exact >= NEVER else deep
    if upto < STEEPEST and moved(close, turned(frame, axis, upto), foot.reach_mm) <= close.room:
        return exact, deep
    return first_touch(whole, frame, axis, foot, WALK_MM, limit)


@compiled
def followed(whole: Terrain, owns: Ints, close: Terrain, frame: Floats, foot: Foot) -> Terrain:
    """What is near, chosen anew where the base has gone too far from where that was done."""
    if moved(close, frame, foot.reach_mm) <= HALF_ROOM * close.room:
        return close
    return near(whole.tris, whole.spans, owns, frame, foot)


@compiled
def ramp(
    whole: Terrain,
    owns: Ints,
    close: Terrain,
    start: Floats,
    touched: Floats,
    corners: Ints,
    com: Floats,
    foot: Foot,
    ux: float,
    uy: float,
    limit: float,
) -> tuple[float, float, Floats]:
    """The gravity tilt (radians) towards (ux, uy) at which it is over for good; the most it rocked; where it ended.

    NEVER if it still stands, or would come back, at the limit. `touched` and `corners` are its contacts at the start.
    """
    edges = foot.edges
    frame = start.copy()
    axis, normal = np.empty((3, 3)), np.empty(3)
    contacts, ring = touched, corners
    old, older = start.copy(), start + 1e3
    tilt, rocked = 0.0, 0.0
    leaving = -1
    for _ in range(STEPS):
        many = ring.shape[0]
        if many == 0:
            return tilt, rocked, frame
        if many == 1:  # a point: it leans wherever gravity does
            dx, dy, dz = math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt)
            wx, wy = ux, uy
            k = dot(wx, wy, 0.0, frame[3])
            vx, vy, vz = wx - k * frame[3, 0], wy - k * frame[3, 1], -k * frame[3, 2]
            size = math.sqrt(vx * vx + vy * vy + vz * vz)
            if size == 0.0:
                return tilt, rocked, frame
            for a in range(3):
                axis[0, a] = contacts[ring[0], PX + a]
            axis[2, 0], axis[2, 1], axis[2, 2] = vx / size, vy / size, vz / size
            axis[1, 0] = frame[3, 1] * axis[2, 2] - frame[3, 2] * axis[2, 1]
            axis[1, 1] = frame[3, 2] * axis[2, 0] - frame[3, 0] * axis[2, 2]
            axis[1, 2] = frame[3, 0] * axis[2, 1] - frame[3, 1] * axis[2, 0]
            fx, fy = foot_of_com(frame, com, dx, dy, dz)
            a0 = ring[0]
            ahead = (fx - contacts[a0, QX]) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]) + (
                fy - contacts[a0, QY]
            ) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[2])
            if ahead < 0.0:
                s = way_out(frame, axis, com, normal)
                c = normal[0] * ux + normal[1] * uy
                if c <= 0.0:
                    return NEVER, rocked, frame
                tilt = max(tilt, math.atan2(s, c))
            if tilt >= limit:
                return NEVER, rocked, frame
        else:
            dx, dy, dz = math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt)
            fx, fy = foot_of_com(frame, com, dx, dy, dz)
            leaving, out = beyond(contacts, ring, frame, fx, fy)
            if out <= ON_HULL_MM:
                # it rests under this gravity; vertical again, would it stay here, away from home?
                home, angle = at_home(frame, start)
                rocked = max(rocked, angle) if home else rocked
                if not home:
                    vx, vy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
                    _, back = beyond(contacts, ring, frame, vx, vy)
                    if back <= ON_HULL_MM:
                        return tilt, rocked, frame
                lx, ly = foot_of_com(frame, com, math.sin(limit) * ux, math.sin(limit) * uy, -math.cos(limit))
                if beyond(contacts, ring, frame, lx, ly)[1] < 0.0:
                    return NEVER, rocked, frame
                # lean on to the edge it leaves over
                least = NEVER
                for i in range(many):
                    a, b = ring[i], ring[(i + 1) % many]
                    axis_at(contacts, a, b, frame, edges, math.nan, axis)
                    s = way_out(frame, axis, com, normal)
                    c = normal[0] * ux + normal[1] * uy
                    if c > 1e-9:
                        t = math.atan2(s, c)
                        if t < least and t >= tilt - 1e-9:
                            least, leaving = t, i
                tilt = max(tilt, least)
                if tilt >= limit:
                    return NEVER, rocked, frame
            elif driven_on(contacts, ring, frame, start, com, foot):
                return tilt, rocked, frame
            a, b = ring[leaving], ring[(leaving + 1) % many]
            angle_on_rim = math.nan
            if on_same_arc(contacts[a], contacts[b]):
                # the bow's point that looks where gravity leans
                wx, wy = dot(ux, uy, 0.0, frame[1]), dot(ux, uy, 0.0, frame[2])
                e = int(contacts[a, ARC])
                angle_on_rim = math.atan2(edges[e, RY] * wy, edges[e, RX] * wx)
                span = (contacts[b, ANGLE] - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
                off = (angle_on_rim - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
                if not 0.0 <= off <= span:
                    angle_on_rim = contacts[a, ANGLE] + (0.0 if abs(off) < abs(off - span) else span)
            axis_at(contacts, a, b, frame, edges, angle_on_rim, axis)
            if not math.isnan(angle_on_rim):
                s = way_out(frame, axis, com, normal)
                c = normal[0] * ux + normal[1] * uy
                if c > 1e-9 and out <= ON_HULL_MM:
                    tilt = max(tilt, math.atan2(s, c))
                if tilt >= limit:
                    return NEVER, rocked, frame
        exact, deep = roll(whole, close, frame, axis, foot, STEEPEST)
        if exact >= NEVER:
            return tilt, rocked, frame
        older[:] = old
        old[:] = frame
        frame = turned(frame, axis, max(exact, 0.5 * deep))
        if frame[3, 2] < LYING:
            return tilt, rocked, frame
        if apart(frame, older, foot.reach_mm) < BACK_AGAIN * WALK_MM:
            # to and fro over one edge: it balances there, and gravity has to lean on to move it
            home, angle = at_home(frame, start)
            rocked = max(rocked, angle) if home else rocked
            tilt += LEAN_ON
            if tilt >= limit:
                return NEVER, rocked, frame
        close = followed(whole, owns, close, frame, foot)
        contacts = touching(close, frame, foot, 0.5 * WALK_MM)
        ring = hull(contacts)
    return tilt, rocked, frame


@compiled
def driven_on(contacts: Floats, ring: Ints, frame: Floats, start: Floats, com: Floats, foot: Foot) -> bool:
    """Whether a base far from home would, under gravity as it is, go on just the way it has leaned: it is lost."""
    if at_home(frame, start)[1] < FAR_DEG:
        return False
    vx, vy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
    edge, out = beyond(contacts, ring, frame, vx, vy)
    if out <= ON_HULL_MM:
        return False
    axis = np.empty((3, 3))
    axis_at(contacts, ring[edge], ring[(edge + 1) % ring.shape[0]], frame, foot.edges, math.nan, axis)
    ax, ay = frame[3, 0] - start[3, 0], frame[3, 1] - start[3, 1]
    size = math.hypot(ax, ay) * math.hypot(axis[2, 0], axis[2, 1])
    return axis[2, 0] * ax + axis[2, 1] * ay > JUST_SO * size


@compiled
def nudges(
    whole: Terrain,
    owns: Ints,
    close: Terrain,
    start: Floats,
    contacts: Floats,
    ring: Ints,
    com: Floats,
    foot: Foot,
    ways: Floats,
    limit: float,
) -> tuple[float, float, Floats]:
    """Gravity tilted up to a limit in several directions (n, 2): the least tilt that takes it over, the most it rocked.

    And the frames (n, 4, 3) into which it leans at the limit.
    """
    frames = np.empty((ways.shape[0], 4, 3))
    least, rocked = NEVER, 0.0
    for k in range(ways.shape[0]):
        over, rock, frames[k] = ramp(
            whole, owns, close, start, contacts, ring, com, foot, ways[k, 0], ways[k, 1], min(limit, least)
        )
        least, rocked = min(least, over), max(rocked, rock)
    return least, rocked, frames


@compiled
def tip(
    whole: Terrain,
    owns: Ints,
    close: Terrain,
    start: Floats,
    contacts: Floats,
    ring: Ints,
    com: Floats,
    foot: Foot,
    limit: float,
    fine: bool,
) -> float:
    """The smallest gravity tilt (radians, at most `limit`) that takes it over for good; NEVER beyond the limit."""
    if ring.shape[0] < 2:
        return 0.0
    axes, sines = ways_over(contacts, ring, start, foot.edges, com, BY_TILT)
    many = sines.shape[0]
    best, along = limit, math.nan
    order = np.argsort(sines, kind="mergesort")
    asked, normal = np.empty(many), np.empty(3)
    n = 0
    for k in range(many):
        axis = axes[order[k]]
        onset = math.asin(max(-1.0, min(1.0, way_out(start, axis, com, normal))))
        if onset >= best - 1e-12:
            break
        if normal[0] == 0.0 and normal[1] == 0.0:
            continue
        if ahead(start, axis, foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
            best, along = max(onset, 0.0), math.nan
            break
        way = math.atan2(normal[1], normal[0])
        seen = False
        for m in range(n):  # an easier edge that looks the same way was asked: the same path
            seen = seen or abs((way - asked[m] + math.pi) % (2.0 * math.pi) - math.pi) < SAME_WAY
        if seen:
            continue
        asked[n] = way
        n += 1
        over, _, _ = ramp(whole, owns, close, start, contacts, ring, com, foot, math.cos(way), math.sin(way), best)
        over = max(over, onset)
        if over < best:
            best = over
            along = way if over > onset + 1e-7 else math.nan
    if fine and not math.isnan(along):
        # over a chain of facets the easiest direction need not be across an edge
        best = chained(whole, owns, close, start, contacts, ring, com, foot, along, best)
    return best if best < limit else NEVER


@compiled
def chained(
    whole: Terrain,
    owns: Ints,
    close: Terrain,
    start: Floats,
    contacts: Floats,
    ring: Ints,
    com: Floats,
    foot: Foot,
    base: float,
    best: float,
) -> float:
    """The easiest direction within 24 degrees of one: sampled, then narrowed to a fifth of a degree."""
    step, centre = math.radians(12.0), base
    for _ in range(4):
        around = centre
        for k in (-2, -1, 1, 2):
            angle = around + k * step
            over, _, _ = ramp(
                whole, owns, close, start, contacts, ring, com, foot, math.cos(angle), math.sin(angle), best
            )
            if over < best:
                best, centre = over, angle
        step *= 0.25
    return best
