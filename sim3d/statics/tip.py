"""How far from toppling: the smallest gravity tilt that takes a resting base over for good.

Compiled. Every way over is followed, as `ramp` rolls it; "over for good" is as it says.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean, lent, scratch
from sim3d.space import Floats, Ints
from sim3d.statics.away import easiest_away
from sim3d.statics.footing import BEHIND_MM, Footing
from sim3d.statics.ramp import BALANCES_MM, ramp
from sim3d.statics.roll import NEVER, ahead
from sim3d.statics.touch import QX, QY, within_half_turn
from sim3d.statics.ways import BY_TILT, NUDGE, STEEPEST, foot_of_com, height_at, lift_over, way_out, ways_over

SAME_WAY = 0.05  # radians between directions that count as one
FARTHER_AT_LEAST_DEG = 0.25  # than an angle that is asked for: tells apart none of 4,400 words, of 2,750 tips in maps
FAR_FIRST = math.radians(1.25)  # as far ways over edges are looked for at first where the easiest is asked for
FARTHER_BY = 2.0  # times as far the next time
HELD_BY = NUDGE + math.radians(FARTHER_AT_LEAST_DEG)  # so far it is asked first whether any way leads away
FOLLOWED_OUT = math.radians(10.3)  # so far every way is followed in order: a tip below is exact
TIGHT = 1e-6  # radians: so near to what the easiest way of all takes, one is it
ROUND = 40  # directions tried all around: the same for a word as for the number, so that both see the same ways
BETWEEN = 1.1  # of a limit: between directions that are tried one may lead over that takes so much less
SAMPLED = math.radians(12.0)  # apart, the directions tried beside one that goes over a chain
PAST = math.radians(0.01)  # so far beside a corner
NARROWED = math.radians(0.3)  # directions nearer than this are one
FINEST = math.radians(0.004)  # to so near the easiest direction is narrowed where two edges meet that lead over
SURELY = 1e-7  # radians: less is no easier way, it is rounding
FOLLOWED = 6  # directions tried one after the other, each told by the last; two or three do


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
    within = BETWEEN * limit if BETWEEN * limit < STEEPEST else limit
    far = min(within, max(near, FARTHER_BY * onset))
    easy = over_an_edge(on, axes, order, far, enough)
    while easy.tilt >= far and far < within:
        far = min(within, FARTHER_BY * far)
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
    if not math.isnan(along) and best < within:
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
    """The least tilt over a chain of facets of directions within 24 degrees of one, narrowed.

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
        while step >= FINEST:
            around = centre
            for k in (-1, 1):
                angle = around + k * step
                seen = ramp(on, math.cos(angle), math.sin(angle), best, False, 0.0)
                if seen.tilt < best - SURELY:
                    best, lift, centre, high = seen.tilt, seen.lift, angle, seen.high
            if centre == around:
                step *= 0.5
    return best, lift, centre, high


@lean
def apart_by(one: float, other: float) -> float:
    """The angle (radians) between two directions."""
    return abs(within_half_turn(one - other))
