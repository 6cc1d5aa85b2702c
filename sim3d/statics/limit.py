"""How high the centre of mass may lie: few people know where theirs is.

Compiled. Where the base goes over the edge of what carries it now, that is a closed form; where it would first rock on
to other terrain, the way over tells with which height it would just be one, and that is tried.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.space import WORD_BAND_DEG, Floats
from sim3d.statics.away import easiest_away
from sim3d.statics.footing import BEHIND_MM, Footing, footing_of, for_another, forgotten, is_full
from sim3d.statics.lowest import RESTS, lowest
from sim3d.statics.ramp import ramp
from sim3d.statics.roll import ahead
from sim3d.statics.tip import FAR_FIRST, HELD_BY, easiest_way
from sim3d.statics.touch import frame_of
from sim3d.statics.ways import BY_HEIGHT, NUDGE, apart, ways_over

STEEPEST = math.tan(math.radians(45.0 + WORD_BAND_DEG))  # a gradient: what is at the limit counts, to rounding
HIGHEST_MM = 1e3  # a centre of mass over this is no miniature's
FARTHER = math.radians(4.0)  # than the nudge: so far another way than that over an edge may be the easier one
BARELY = 1e-7  # a share of the height, tried to either side of one that is told
GUESSES = 16  # heights that are told by a way over and tried; three or four do
LEVEL = 1.0 - 1e-15  # cosine: so a base rests as the program begins, whatever the height of its centre of mass
SAME_MM = 1e-9  # poses that differ by less are one
CLOSE_MM, CLOSE = 0.02, 1e-3  # how near the search by all ways comes: in mm, as a share of the height


@compiled
def stands_with(
    on: Footing, lumps: Floats, height: float, turn: float, hint: float, only_hint: bool
) -> tuple[bool, float, float]:
    """Whether a centre of mass at this height would rest at 45 degrees or less and come through the nudge.

    And the direction (radians) in which it did not, if that is known: tried first the next time, as a `hint`, it spares
    all others; last the height with which it just would that way, or infinity. `only_hint`: no other way is tried; it
    may not stand after all.
    """
    raised = on.com.copy()
    raised[2] = height
    basis, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    tris, spans = on.whole.tris, on.whole.spans
    out, c, gx, gy, _ = lowest(tris, lumps, on.whole.traits, raised, turn, 0.0, 0.0, on.foot, basis, marks)
    if out != RESTS or gx * gx + gy * gy > STEEPEST * STEEPEST:
        return False, math.nan, math.inf
    room = forgotten(on.trodden) if is_full(on.trodden) else for_another(on.trodden)
    frame = frame_of(0.0, 0.0, c, gx, gy, turn)
    if apart(frame, on.frame, on.foot.reach_mm) < SAME_MM:  # but for a rounding: so its steps are known, too
        there = Footing(on.whole, on.about, on.close, on.frame, on.contacts, on.ring, raised, on.foot, room)
    else:
        there = footing_of(tris, spans, on.whole.traits, frame, raised, on.foot, room)
    if not math.isnan(hint):
        seen = ramp(there, math.cos(hint), math.sin(hint), NUDGE, False, 0.0)
        if seen.tilt < NUDGE:
            return False, hint, seen.high
    if only_hint:
        return True, hint, math.inf
    if easiest_away(there, HELD_BY, True).held:
        return True, hint, math.inf
    tilt, _, way, high = easiest_way(there, NUDGE + FARTHER, 0.0, FAR_FIRST)  # the way that a number would be told of
    return tilt >= NUDGE, way, high


@compiled
def com_limit(on: Footing, lumps: Floats, turn: float, stands: bool, guess: float, hint: float) -> float:
    """The highest centre of mass (mm) that would still stand here; 0 where none would, infinite where any does.

    The steps that were taken before may be forgotten: it takes others, in the same room.

    `lumps` are those of the patch; `stands` says whether it stands with the centre of mass it has; `guess` is a height
    with which it just would the way that is easiest now, and `hint` the direction of that.
    """
    com = on.com
    if on.ring.shape[0] >= 2:
        axes, heights = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, com, BY_HEIGHT)
        first = np.argmin(heights)
        if ahead(on.frame, axes[first], on.foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
            direct = max(heights[first], 0.0)
            guess = min(guess, direct)
            if stands and direct > com[2] and on.frame[3, 2] > LEVEL:
                return direct if direct <= HIGHEST_MM else math.inf
    least, high = (com[2], math.inf) if stands else (0.0, com[2])
    under = (1.0 - BARELY) * guess
    if least < under < min(high, HIGHEST_MM) / (1.0 + 2.0 * BARELY) and (  # mostly the way that is easiest now tells it
        stands_with(on, lumps, under, turn, math.nan, False)[0]
        and not stands_with(on, lumps, (1.0 + BARELY) * guess, turn, hint, False)[0]
    ):
        return under
    low, high, hint, guess = narrowed(on, lumps, turn, least, high, guess, hint)
    if low >= HIGHEST_MM:
        return math.inf
    return closer(on, lumps, turn, low, high, hint)


@compiled
def closer(on: Footing, lumps: Floats, turn: float, low: float, high: float, hint: float) -> float:
    """The highest with which it stands, between one with which it does and one with which not, to a part in millions.

    The way over at the higher one is asked alone, and what that says is proven by all ways: they are ten times as dear.
    """
    while high > CLOSE_MM and high - low > 4.0 * BARELY * high:
        under, over = low, high
        while over > CLOSE_MM and over - under > 4.0 * BARELY * over:
            middle = 0.5 * (under + over)
            if stands_with(on, lumps, middle, turn, hint, True)[0]:
                under = middle
            else:
                over = middle
        if under == low:
            return low
        passes, way, _ = stands_with(on, lumps, under, turn, math.nan, False)
        if passes:
            return under
        high, hint = under, way
        middle = 0.5 * (low + high)  # another way is easier there: it is not led on by hairs
        passes, way, _ = stands_with(on, lumps, middle, turn, math.nan, False)
        low, high, hint = (middle, high, hint) if passes else (low, middle, way)
    return low


@compiled
def narrowed(
    on: Footing, lumps: Floats, turn: float, low: float, high: float, guess: float, hint: float
) -> tuple[float, float, float, float]:
    """Between a height with which it stands and a higher one with which not: both, close to each other.

    Then the way over at the higher one, as `stands_with` tells it: its direction, and the height with which it just
    would be one, which is tried from either side. Both are the highest that is looked at where it stands with that.
    """
    guessed = 0
    while high == math.inf or high - low > 4.0 * BARELY * high:
        if low < guess < min(high, HIGHEST_MM) and guessed < GUESSES:
            under = (1.0 - BARELY) * guess > low
            height, guessed = ((1.0 - BARELY) if under else (1.0 + BARELY)) * guess, guessed + 1
            if height >= high:
                break
        elif high == math.inf:
            under, height = False, min(2.0 * low, HIGHEST_MM)
        elif high - low > max(CLOSE_MM, CLOSE * high):
            under, height = False, 0.5 * (low + high)
        else:
            break
        passes, way, over = stands_with(on, lumps, height, turn, math.nan if under else hint, False)
        if passes and height == HIGHEST_MM:
            return height, height, hint, math.inf
        low, high, hint, guess = (height, high, hint, guess) if passes else (low, height, way, over)
    return low, high, hint, guess
