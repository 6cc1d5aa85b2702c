"""How high the centre of mass may lie: few people know where theirs is.

Compiled. Where the base goes over the edge of what carries it now, that is a closed form; where it would first rock on
to other terrain, the height is searched.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import Foot
from sim3d.space import Floats, Ints
from sim3d.statics.lowest import RESTS, lowest
from sim3d.statics.near import near, whole
from sim3d.statics.roll import NEVER
from sim3d.statics.tip import WALK_MM, tip
from sim3d.statics.touch import frame_of, hull, touching
from sim3d.statics.ways import BY_HEIGHT, NUDGE, ways_over

HIGHEST_MM = 1e3  # a centre of mass over this is no miniature's
BESIDE = 1e-3  # a share of the height, tried to either side of the closed form
CLOSE_MM, CLOSE = 0.02, 1e-3  # how near the search comes: in mm, as a share of the height


@compiled
def stands_with(
    tris: Floats,
    tops: Floats,
    outs: Floats,
    spans: Floats,
    owns: Ints,
    com: Floats,
    height: float,
    turn: float,
    foot: Foot,
) -> bool:
    """Whether a centre of mass at this height would rest at 45 degrees or less and come through the nudge."""
    raised = com.copy()
    raised[2] = height
    basis, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    out, c, gx, gy, _ = lowest(tris, tops, outs, owns, raised, turn, 0.0, 0.0, foot, basis, marks)
    if out != RESTS or gx * gx + gy * gy > 1.0:
        return False
    frame = frame_of(0.0, 0.0, c, gx, gy, turn)
    close = near(tris, spans, owns, frame, foot)
    contacts = touching(close, frame, foot, 0.5 * WALK_MM)
    return tip(whole(tris, spans), owns, close, frame, contacts, hull(contacts), raised, foot, NUDGE, False) >= NEVER


@compiled
def com_limit(
    tris: Floats,
    tops: Floats,
    outs: Floats,
    spans: Floats,
    owns: Ints,
    com: Floats,
    turn: float,
    foot: Foot,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    stands: bool,
) -> float:
    """The highest centre of mass (mm) that would still stand here; 0 where none would, infinite where any does.

    `contacts` and `ring` are those of the rest; `stands` says whether it stands with the centre of mass it has.
    """
    direct = math.inf
    if ring.shape[0] >= 2:
        direct = max(ways_over(contacts, ring, frame, foot.edges, com, BY_HEIGHT)[1].min(), 0.0)
    low, high = (com[2], math.inf) if stands else (0.0, com[2])
    if low < direct < high:
        beyond = (1.0 + BESIDE) * direct
        if direct > HIGHEST_MM or not stands_with(tris, tops, outs, spans, owns, com, beyond, turn, foot):
            below = (1.0 - BESIDE) * direct
            if stands or stands_with(tris, tops, outs, spans, owns, com, below, turn, foot):
                return direct if direct <= HIGHEST_MM else math.inf
            high = below
        else:
            low = beyond
    while high == math.inf:
        more = 1.5 * low
        if more > HIGHEST_MM:
            return math.inf
        if stands_with(tris, tops, outs, spans, owns, com, more, turn, foot):
            low = more
        else:
            high = more
    while high - low > max(CLOSE_MM, CLOSE * high):
        middle = 0.5 * (low + high)
        if stands_with(tris, tops, outs, spans, owns, com, middle, turn, foot):
            low = middle
        else:
            high = middle
    return low
