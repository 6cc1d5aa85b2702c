"""How high the centre of mass may lie: few people know where theirs is.

Compiled. Where the base goes over the edge of what carries it now, that is a closed form; where it would first rock on
to other terrain, the height is searched.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.space import WORD_BAND_DEG, Floats
from sim3d.statics.footing import BEHIND_MM, KEPT, Footing, footing_of, forgotten
from sim3d.statics.lowest import RESTS, lowest
from sim3d.statics.roll import ahead
from sim3d.statics.tip import FARTHER_DEG, easiest_way, ramp
from sim3d.statics.touch import frame_of
from sim3d.statics.ways import BY_HEIGHT, NUDGE, ways_over

STEEPEST = math.tan(math.radians(45.0 + WORD_BAND_DEG))  # a gradient: what is at the limit counts, to rounding
HIGHEST_MM = 1e3  # a centre of mass over this is no miniature's
BESIDE = 1e-3  # a share of the height, tried to either side of the closed form
LEVEL = 1.0 - 1e-15  # cosine: so a base rests as the program begins, whatever the height of its centre of mass
CLOSE_MM, CLOSE = 0.02, 1e-3  # how near the search comes: in mm, as a share of the height


@compiled
def stands_with(on: Footing, lumps: Floats, height: float, turn: float, sure: bool, hint: float) -> tuple[bool, float]:
    """Whether a centre of mass at this height would rest at 45 degrees or less and come through the nudge.

    And the direction (radians) in which it did not, if that is known: tried first the next time, as a `hint`, it spares
    all others. Not `sure`: ways over chains of facets that only begin beyond the nudge are left out.
    """
    raised = on.com.copy()
    raised[2] = height
    basis, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    tris, spans = on.whole.tris, on.whole.spans
    out, c, gx, gy, _ = lowest(tris, lumps, on.owns, raised, turn, 0.0, 0.0, on.foot, basis, marks)
    if out != RESTS or gx * gx + gy * gy > STEEPEST * STEEPEST:
        return False, math.nan
    room = on.trodden if on.trodden.many[0] < KEPT // 2 else forgotten(on.trodden)
    there = footing_of(tris, spans, on.owns, frame_of(0.0, 0.0, c, gx, gy, turn), raised, on.foot, room)
    if not math.isnan(hint) and ramp(there, math.cos(hint), math.sin(hint), NUDGE, False).tilt < NUDGE:
        return False, hint
    farther = math.radians(FARTHER_DEG) if sure else 0.0
    tilt, _, way = easiest_way(there, NUDGE + farther, NUDGE)
    return tilt >= NUDGE, way


@compiled
def com_limit(on: Footing, lumps: Floats, turn: float, stands: bool) -> float:
    """The highest centre of mass (mm) that would still stand here; 0 where none would, infinite where any does.

    The steps that were taken before may be forgotten: it takes others, in the same room.

    `lumps` are those of the patch; `stands` says whether it stands with the centre of mass it has.
    """
    com = on.com
    direct, last = math.inf, False
    if on.ring.shape[0] >= 2:
        axes, heights = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, com, BY_HEIGHT)
        first = np.argmin(heights)
        direct = max(heights[first], 0.0)
        last = ahead(on.frame, axes[first], on.foot) <= BEHIND_MM  # over the rim: nothing is left that could stop it
    low, high = (com[2], math.inf) if stands else (0.0, com[2])
    if low < direct < high:
        beyond = (1.0 + BESIDE) * direct
        if direct > HIGHEST_MM or last or not stands_with(on, lumps, beyond, turn, True, math.nan)[0]:
            below = min((1.0 - BESIDE) * direct, HIGHEST_MM)
            level = stands and on.frame[3, 2] > LEVEL
            if below <= low or level or stands_with(on, lumps, below, turn, True, math.nan)[0]:
                return direct if direct <= HIGHEST_MM else math.inf
            high = below
        else:
            low = beyond
    least = low
    low, high, hint = narrowed(on, lumps, turn, low, high, math.nan, False)
    step = 2.0 * CLOSE
    while low > least:  # where a chain of facets leads over sooner, a little less will do most often
        passes, way = stands_with(on, lumps, low, turn, True, hint)
        if passes:
            break
        high, low, hint, step = low, max(least, (1.0 - step) * low), way, 4.0 * step
    low, high, hint = narrowed(on, lumps, turn, low, high, hint, True)
    return low if low < HIGHEST_MM else math.inf


@compiled
def narrowed(
    on: Footing, lumps: Floats, turn: float, low: float, high: float, hint: float, sure: bool
) -> tuple[float, float, float]:
    """Between a height with which it stands and a higher one with which not: both, close to each other; and a hint.

    Both are the highest that is looked at where it stands with that.
    """
    while high == math.inf:
        more = min(1.5 * low, HIGHEST_MM)
        passes, way = stands_with(on, lumps, more, turn, sure, hint)
        if passes and more == HIGHEST_MM:
            return more, more, hint
        low, high, hint = (more, high, hint) if passes else (low, more, way)
    while high - low > max(CLOSE_MM, CLOSE * high):
        middle = 0.5 * (low + high)
        passes, way = stands_with(on, lumps, middle, turn, sure, hint)
        low, high, hint = (middle, high, hint) if passes else (low, middle, way)
    return low, high, hint
