"""How high the centre of mass may lie: few people know where theirs is.

Compiled. Where the base goes over the edge of what carries it now, that is a closed form; where it would first rock on
to other terrain, the way over tells with which height it would just be one, and that is tried.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean, lent, unlent
from sim3d.space import WORD_BAND_DEG, Floats
from sim3d.statics.away import easiest_away
from sim3d.statics.footing import BEHIND_MM, Footing, footing_of, for_another, forgotten, is_full
from sim3d.statics.lowest import LOST, RESTS, TOPPLES, lowest
from sim3d.statics.proofs import any_way_over, way_over
from sim3d.statics.ramp import Leaned, ramp
from sim3d.statics.roll import ahead
from sim3d.statics.tip import FAR_FIRST, HELD_BY, HIGH, TILT, WAY, easiest_way, narrowed, pinned
from sim3d.statics.touch import frame_of
from sim3d.statics.ways import BY_HEIGHT, NUDGE, apart, beyond, foot_of_com, ways_over

STEEPEST = math.tan(math.radians(45.0 + WORD_BAND_DEG))  # a gradient: what is at the limit counts, to rounding
HIGHEST_MM = 1e3  # a centre of mass over this is no miniature's
FARTHER = math.radians(4.0)  # than the nudge: so far another way than that over an edge may be the easier one
BARELY = 1e-7  # a share of the height, tried to either side of one that is told
GUESSES = 6  # heights that are told by a way over and tried; one does where that goes over one edge
TOLD = 12  # heights that what was seen last told, of one search; two do where it tells it well
LEVEL = 1.0 - 1e-15  # cosine: so a base rests as the program begins, whatever the height of its centre of mass
SAME_MM = 1e-9  # poses that differ by less are one
JUMP = math.radians(0.1)  # another way that is easier by more is no way at all a hair lower, mostly
FAR_OFF, BETWEEN = 1.25, 3  # a limit so many times its own height is asked about so many heights below it
CLOSE_MM, CLOSE = 0.02, 1e-3  # how near halves come where that is so: in mm, as a share of the height


class Stood(NamedTuple):
    """What tilts a base with another centre of mass: how far (radians) it takes, 0 where it does not rest there at all.

    And the direction (radians) of that, if it is known, and the height (mm) with which the nudge would just tip it so.
    """

    tilt: float
    way: float
    high: float


@compiled
def raised_to(on: Footing, lumps: Floats, height: float, turn: float) -> tuple[bool, Footing]:
    """Whether a base with its centre of mass at this height would rest at 45 degrees or less; and how."""
    raised = on.com.copy()
    raised[2] = height
    basis, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    tris, spans = on.whole.tris, on.whole.spans
    out, c, gx, gy, _ = lowest(tris, lumps, on.whole.traits, raised, turn, 0.0, 0.0, on.foot, basis, marks)
    if out in (LOST, TOPPLES) and still_carries(on, raised):
        out, c, gx, gy = caught(on, lumps, raised, turn, out, gx, gy)
    if out != RESTS or gx * gx + gy * gy > STEEPEST * STEEPEST:
        return False, unlent(on)
    room = forgotten(on.trodden) if is_full(on.trodden) else for_another(on.trodden)
    frame = frame_of(0.0, 0.0, c, gx, gy, turn)
    if apart(frame, on.frame, on.foot.reach_mm) < SAME_MM:  # but for a rounding: so its steps are known, too
        return True, Footing(on.whole, on.about, on.close, on.frame, on.contacts, on.ring, raised, on.foot, room)
    return True, footing_of(tris, spans, on.whole.traits, frame, raised, on.foot, room)


@lean
def still_carries(on: Footing, com: Floats) -> bool:
    """Whether what carries a base in its pose carries another centre of mass, too."""
    x, y = foot_of_com(on.frame, com, 0.0, 0.0, -1.0)
    return on.ring.shape[0] > 2 and beyond(on.contacts, on.ring, x, y)[1] < 0.0


@compiled
def caught(
    on: Footing, lumps: Floats, com: Floats, turn: float, out: int, gx: float, gy: float
) -> tuple[int, float, float, float]:
    """What becomes of a base that no pose was found for from level, as `rest` tells it: it goes over, or is held on its
    way and rests there."""
    tris, over = on.whole.tris, False
    ex, ey = gx, gy
    if out == LOST:
        ex, ey, over, _, _, _ = any_way_over(tris, lumps, com, turn, on.foot, False)
    if not over:
        _, ex, ey, over, _, _, _ = way_over(tris, lumps, com, turn, on.foot, gx, gy)
    if over:
        return TOPPLES, 0.0, gx, gy
    basis, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    out, c, gx, gy, _ = lowest(tris, lumps, on.whole.traits, com, turn, ex, ey, on.foot, basis, marks)
    return out, c, gx, gy


@compiled
def stood(on: Footing, lumps: Floats, height: float, turn: float) -> Stood:
    """What tilts it with a centre of mass at this height, of all ways; it stands where that is the nudge or more."""
    rests, there = raised_to(on, lumps, height, turn)
    return stands_by(there) if rests else Stood(0.0, math.nan, math.inf)


@compiled
def stands_by(there: Footing) -> Stood:
    """The same of a base that rests there."""
    there = lent(there)
    if easiest_away(there, HELD_BY, True).held:
        return Stood(HELD_BY, math.nan, math.inf)
    tilt, _, way, high = easiest_way(there, NUDGE + FARTHER, 0.0, FAR_FIRST)  # the way that a number would be told of
    return Stood(min(tilt, NUDGE + FARTHER), way, high)


@compiled
def stood_led(on: Footing, lumps: Floats, height: float, turn: float, way: float) -> Stood:
    """As `stood`; where it goes over near a way that is known (radians) no other is asked: all are ten times dearer."""
    if not math.isnan(way):
        seen = stood_near(on, lumps, height, turn, way, True)
        if seen.tilt < NUDGE:
            return seen
    return stood(on, lumps, height, turn)


@compiled
def stood_near(on: Footing, lumps: Floats, height: float, turn: float, way: float, narrow: bool) -> Stood:
    """What tilts it one way, or towards the easiest direction near that: so much does, another way may take less."""
    rests, there = raised_to(on, lumps, height, turn)
    return stands_near(there, way, narrow) if rests else Stood(0.0, math.nan, math.inf)


@compiled
def stands_near(there: Footing, way: float, narrow: bool) -> Stood:
    """The same of a base that rests there."""
    there = lent(there)
    seen = ramp(there, math.cos(way), math.sin(way), NUDGE + FARTHER, False, 0.0)
    low = np.array([way, seen.tilt, seen.lift, seen.high, seen.way])
    if narrow:
        narrowed(there, low, 0.0)
        pinned(there, low)
    return Stood(min(low[TILT], NUDGE + FARTHER), low[WAY], low[HIGH])


@compiled
def goes_over(on: Footing, lumps: Floats, height: float, turn: float, way: float) -> bool:
    """Whether the nudge in one direction tips it with a centre of mass at this height."""
    rests, there = raised_to(on, lumps, height, turn)
    return not rests or leant(there, way).tilt < NUDGE


@compiled
def leant(there: Footing, way: float) -> Leaned:
    """What the nudge in one direction does to a base that rests there."""
    there = lent(there)
    return ramp(there, math.cos(way), math.sin(way), NUDGE, False, 0.0)


@compiled
def com_limit(on: Footing, lumps: Floats, turn: float, stands: bool, guess: float, hint: float) -> float:
    """The highest centre of mass (mm) that would still stand here; 0 where none would, infinite where any does.

    The steps that were taken before may be forgotten: it takes others, in the same room.

    `lumps` are those of the patch; `stands` says whether it stands with the centre of mass it has; `guess` is a height
    with which it just would the way that is easiest now, and `hint` the direction of that.
    """
    on = lent(on)
    com = on.com
    if on.ring.shape[0] >= 2:
        axes, heights = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, com, BY_HEIGHT)
        first = np.argmin(heights)
        if ahead(on.frame, axes[first], on.foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
            direct = max(heights[first], 0.0)
            guess = min(guess, direct)
            if stands and direct > com[2] and on.frame[3, 2] > LEVEL:
                return direct if direct <= HIGHEST_MM else math.inf
    low, high = (com[2], math.inf) if stands else (0.0, com[2])
    lower = upper = Stood(math.nan, math.nan, math.inf)
    guessed = 0
    while guessed < GUESSES and low < (1.0 - BARELY) * guess and (1.0 + BARELY) * guess < min(high, HIGHEST_MM):
        guessed += 1  # mostly the way that is easiest now tells it
        under, over = (1.0 - BARELY) * guess, (1.0 + BARELY) * guess
        seen = stood_led(on, lumps, under, turn, hint)
        if seen.tilt < NUDGE:
            high, upper, hint, guess = under, seen, seen.way, seen.high
            continue
        low, lower = under, seen
        if goes_over(on, lumps, over, turn, hint):
            return alike_below(on, lumps, turn, stands, under)
        break
    while high == math.inf:
        height = min(2.0 * low, HIGHEST_MM)
        seen = stood(on, lumps, height, turn)
        if seen.tilt < NUDGE:
            high, upper = height, seen
        elif height == HIGHEST_MM:
            return math.inf
        else:
            low, lower = height, seen
    return alike_below(on, lumps, turn, stands, between(on, lumps, turn, low, lower, high, upper))


@compiled
def alike_below(on: Footing, lumps: Floats, turn: float, stands: bool, limit: float) -> float:
    """A limit, or a lower one where it would not stand with something between its own height and that.

    Raised, a base may first go over, and higher still come to rest on something else: looked at are a few heights.
    """
    own, low, lower = on.com[2], on.com[2], Stood(math.nan, math.nan, math.inf)
    if not stands or limit < FAR_OFF * own:
        return limit
    for k in range(1, BETWEEN + 1):
        height = own * (limit / own) ** (k / (BETWEEN + 1.0))
        seen = stood(on, lumps, height, turn)
        if seen.tilt < NUDGE:
            return between(on, lumps, turn, low, lower, height, seen)
        low, lower = height, seen
    return limit


@compiled
def between(on: Footing, lumps: Floats, turn: float, low: float, lower: Stood, high: float, upper: Stood) -> float:
    """The highest with which it stands, between one with which it does and one with which not, to a part in millions.

    What was seen last may tell it: then a hair to either side is tried. Else the way over at the higher one is asked
    alone, and what that says is proven by all ways: they are ten times as dear.
    """
    led_on = jumps = slowly = False
    guess, guessed = upper.high, 0
    while high > CLOSE_MM and high - low > 4.0 * BARELY * high:
        wide, height = high - low, 0.5 * (low + high)
        under, over = (1.0 - BARELY) * guess, (1.0 + BARELY) * guess
        if guessed < TOLD and over > low and under < high:
            guessed, height = guessed + 1, under if under > (1.0 + BARELY) * low else over
            seen = stood(on, lumps, height, turn)
            if seen.tilt < NUDGE:
                high, upper = height, seen
            else:
                low, lower = height, seen
            guess = seen.high
            continue
        halfway = led_on or math.isnan(upper.way) or (jumps and wide > max(CLOSE_MM, CLOSE * high))
        if not halfway:
            height, high, upper = along(on, lumps, turn, low, lower.tilt, high, upper, not jumps)
            if height == low:
                return low
        elif led_on and not (jumps or slowly or math.isnan(lower.tilt)):  # what tilts both, of all ways, tells it
            height = high - (upper.tilt - NUDGE) * wide / (upper.tilt - lower.tilt)
            height *= (1.0 + BARELY) if height < 0.5 * (low + high) else (1.0 - BARELY)
            height = min(max(height, low + BARELY * high), high - BARELY * high)
        seen = stood_led(on, lumps, height, turn, upper.way if halfway else math.nan)
        if seen.tilt < NUDGE:
            high, upper = height, seen
        else:
            low, lower = height, seen
        guess = seen.high
        if halfway:
            slowly = high - low > 0.5 * wide
        led_on = not halfway and high - low > 0.5 * wide  # another way is easier there: it is not led on by hairs
        jumps = jumps or (led_on and seen.tilt < NUDGE - JUMP)
    return low


@compiled
def along(
    on: Footing, lumps: Floats, turn: float, low: float, tilt: float, high: float, upper: Stood, narrow: bool
) -> tuple[float, float, Stood]:
    """Two heights within a hair, of which near one way the lower stands and the higher does not; and what tilts that.

    Between two such, with what tilts it the lower one (NaN: unknown) and the higher one: false position, halved where
    that does not close in.
    """
    below = (tilt if tilt > NUDGE else NUDGE + FARTHER) - NUDGE
    above, way, wide, steps = upper.tilt - NUDGE, upper.way, high - low, 0
    passed = False
    while high > CLOSE_MM and high - low > 4.0 * BARELY * high:
        steps += 1
        height = high - above * (high - low) / (above - below)
        height *= (1.0 + BARELY) if passed else (1.0 - BARELY)  # a hair to the other side: that may close in at once
        if steps % 3 == 0:
            if high - low > 0.125 * wide:
                height = 0.5 * (low + high)
            wide = high - low
        height = min(max(height, low + BARELY * high), high - BARELY * high)
        seen = stood_near(on, lumps, height, turn, way, narrow)
        if seen.tilt < NUDGE:
            if not passed:
                below *= 0.5
            high, upper, above, passed = height, seen, seen.tilt - NUDGE, False
        else:
            if passed:
                above *= 0.5
            low, below, passed = height, max(seen.tilt - NUDGE, 0.0), True
        if not math.isnan(seen.way):
            way = seen.way
    return low, high, upper
