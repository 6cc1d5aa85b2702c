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
STIRRED = math.radians(0.1)  # who is stirred by less mostly rocks; by more, the easiest edge is asked first
HELD_BY = NUDGE + math.radians(FARTHER_AT_LEAST_DEG)  # so far it is asked first whether any way leads away
FOLLOWED_OUT = math.radians(10.3)  # so far every way is followed in order: a tip below is exact
TIGHT = 1e-6  # radians: so near to what the easiest way of all takes, one is it
ROUND = 120  # directions tried all around: the same for a word as for the number, so that both see the same ways
CLOSELY = 720  # where a nudge may take it, for all that is known of the ways, and no direction was found that does
BETWEEN = 1.1  # of a limit: between directions that are tried one may lead over that takes so much less
MINIMA = 4  # of the directions that are easier than those beside them so many are narrowed, the easiest first
PAST = math.radians(0.01)  # so far beside a corner
NARROWED = math.radians(0.3)  # directions nearer than this are one
FINEST = math.radians(0.004)  # to so near the easiest direction is narrowed where two edges meet that lead over
PINNED = 2e-7  # radians: and so near the easiest one of all, for a number
SURELY = 1e-7  # radians: less is no easier way, it is rounding
WAY, TILT, LIFT, HIGH, EASIER = range(5)  # of a direction that was tried: as `Leaned` tells what came of it
FOLLOWED = 6  # directions tried one after the other, each told by the last; two or three do


class Easiest(NamedTuple):
    """The easiest way over an edge that was found."""

    tilt: float  # radians; the limit where there is none
    lift: float  # mm
    high: float  # mm, as `Leaned` tells it
    towards: float  # radians: the direction in which gravity leant
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
    return _easiest_way(lent(on), limit, enough, near)


@compiled
def _easiest_way(on: Footing, limit: float, enough: float, near: float) -> tuple[float, float, float, float]:
    start, com = on.frame, on.com
    if on.ring.shape[0] < 2:
        return 0.0, 0.0, 0.0, math.inf
    words = enough > 0.0
    axes, sines = ways_over(on.contacts, on.ring, start, on.foot.edges, com, BY_TILT)
    order = np.argsort(sines, kind="mergesort")
    onset = math.asin(max(-1.0, min(1.0, sines[order[0]])))
    if onset >= limit:
        return NEVER, math.inf, 0.0, math.inf
    if words and STIRRED < onset < enough:
        easy = over_an_edge(on, axes, order[:1], limit, enough)
        if easy.tilt < enough:
            return easy.tilt, easy.lift, easy.towards, easy.high
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
    within = BETWEEN * limit if BETWEEN * limit < STEEPEST else limit
    far = min(within, max(near, FARTHER_BY * onset))
    easy = over_an_edge(on, axes, order, far, enough)
    while easy.tilt >= far and far < within:
        far = min(within, FARTHER_BY * far)
        easy = over_an_edge(on, axes, order, far, enough)
    best, lift, high, towards, easier, first = easy
    if best < enough:
        return best, lift, towards, high
    rocks = not math.isnan(first) and best > onset + SURELY
    if rocks and not away.held:
        if words:
            away = easiest_away(on, min(best, FOLLOWED_OUT) - SURELY, False)
        if not (away.held or math.isnan(away.way)):
            seen = ramp(on, math.cos(away.way), math.sin(away.way), best, False, enough)
            if seen.tilt < best:
                best, easier, lift, towards, high = seen.tilt, seen.way, seen.lift, away.way, seen.high
        if best < enough or best <= away.tilt + TIGHT:
            return (best, lift, towards, high) if best < limit else (NEVER, math.inf, towards, math.inf)
    if rocks:  # on to other edges: the way over that is easiest may lead between those that it stands on
        found = np.array([towards, best, lift, high, easier])
        doubted = not away.held and not math.isnan(away.way) and away.tilt < NUDGE <= best
        lows, easiest = all_round(on, first, CLOSELY if doubted else ROUND, found, within, enough), -1
        for k in range(lows.shape[0]):
            if best < enough:
                break
            if not words or lows[k, TILT] < BETWEEN * enough:
                narrowed(on, lows[k], enough)
            if lows[k, TILT] < best - SURELY:
                easiest, best = k, lows[k, TILT]
        if easiest >= 0:
            if not words:
                pinned(on, lows[easiest])
            towards, best, lift, high = (
                lows[easiest, WAY],
                lows[easiest, TILT],
                lows[easiest, LIFT],
                lows[easiest, HIGH],
            )
    return (best, lift, towards, high) if best < limit else (NEVER, math.inf, towards, math.inf)


@compiled
def over_an_edge(on: Footing, axes: Floats, order: Ints, limit: float, enough: float) -> Easiest:
    """The easiest way that begins over an edge of what carries it, of those within a limit; `order` puts them so."""
    start, com, foot = on.frame, on.com, on.foot
    best, lift, high, towards, easier = limit, math.inf, math.inf, 0.0, math.nan
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
            best, lift, towards = max(onset, 0.0), lift_over(start, axis, com, STEEPEST)[0], way
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
            if best < enough:
                break
    return Easiest(best, lift, high, towards, easier, asked[0] if n > 0 else math.nan)


@compiled
def all_round(on: Footing, first: float, around: int, found: Floats, within: float, enough: float) -> Floats:
    """The directions that are easier than those beside them, of so many all `around` and of one that was found before.

    Rows of WAY, TILT, LIFT, HIGH and EASIER, the least tilt first, and few. The first below `enough` is answer enough.
    """
    corners, start = on.ring.shape[0], on.frame
    fx, fy = foot_of_com(start, on.com, 0.0, 0.0, -1.0)
    many, least = around + 2 * corners, found[TILT]
    tried = np.empty((many + 1, 5))
    tried[many] = found
    for k in range(many):
        if k < around:
            way = first + 2.0 * math.pi * k / around  # it turns with the terrain
        else:  # close past a corner to facets on the other side of it: few directions lead there
            corner = on.contacts[on.ring[(k - around) // 2]]
            dx, dy = corner[QX] - fx, corner[QY] - fy
            way = math.atan2(dx * start[1, 1] + dy * start[2, 1], dx * start[1, 0] + dy * start[2, 0])
            way += PAST if k % 2 == 0 else -PAST  # straight over it either edge may go first, by a rounding
        seen = ramp(on, math.cos(way), math.sin(way), min(within, BETWEEN * least), False, enough)
        tried[k, WAY], tried[k, TILT], tried[k, LIFT], tried[k, HIGH] = way, seen.tilt, seen.lift, seen.high
        tried[k, EASIER] = seen.way
        least = min(least, seen.tilt)
        if least < enough:
            return tried[k : k + 1].copy()
    tried = tried[np.argsort((tried[:, WAY] - first) % (2.0 * math.pi), kind="mergesort")]
    lows, n = np.empty(many + 1, np.int64), 0
    for k in range(many + 1):
        before, here, after = tried[k - 1, TILT], tried[k, TILT], tried[(k + 1) % (many + 1), TILT]
        if here < min(within, BETWEEN * least) and here <= before and here < after:
            lows[n] = k
            n += 1
    easiest_first = np.argsort(tried[lows[:n], TILT], kind="mergesort")
    return tried[lows[easiest_first[:MINIMA]]]


@compiled
def narrowed(on: Footing, low: Floats, enough: float) -> None:
    """The least tilt near a direction (a row of `all_round`), in place of that: below `enough` any is.

    Where what it leaned over last is easiest tells the direction to try next: that is the edge that is met last.
    """
    step = math.pi / ROUND
    for _ in range(FOLLOWED):
        if math.isnan(low[EASIER]) or apart_by(low[EASIER], low[WAY]) < NARROWED or low[TILT] < enough:
            break
        step = min(step, 0.25 * apart_by(low[EASIER], low[WAY]))
        if not is_easier(on, low[EASIER], low):
            break
    if math.isnan(low[EASIER]) or apart_by(low[EASIER], low[WAY]) >= NARROWED:  # it met other edges there
        halved(on, low, step, FINEST, enough)


@compiled
def pinned(on: Footing, low: Floats) -> None:
    """The least tilt close to a direction that is narrowed, for a number: where one edge tells it, straight over that.

    Else past that direction another edge may be met, and that takes more by a jump: it is told as near as can be.
    """
    if not math.isnan(low[EASIER]) and apart_by(low[EASIER], low[WAY]) < NARROWED:
        is_easier(on, low[EASIER], low)
    else:
        halved(on, low, FINEST, PINNED, 0.0)


@compiled
def halved(on: Footing, low: Floats, step: float, finest: float, enough: float) -> None:
    """The least tilt near a direction, by steps to both sides that are halved where neither takes less."""
    while step >= finest and low[TILT] >= enough:
        around = low[WAY]
        for k in (-1, 1):
            is_easier(on, around + k * step, low)
        if low[WAY] == around:
            step *= 0.5


@compiled
def is_easier(on: Footing, way: float, low: Floats) -> bool:
    """Whether a direction takes less than one (a row of `all_round`): then it is written in place of that."""
    seen = ramp(on, math.cos(way), math.sin(way), low[TILT], False, 0.0)
    if seen.tilt >= low[TILT] - SURELY:
        return False
    low[WAY], low[TILT], low[LIFT], low[HIGH], low[EASIER] = way, seen.tilt, seen.lift, seen.high, seen.way
    return True


@lean
def apart_by(one: float, other: float) -> float:
    """The angle (radians) between two directions."""
    return abs(within_half_turn(one - other))
