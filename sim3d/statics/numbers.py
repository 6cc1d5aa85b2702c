"""All numbers of a base where it rests, from its pose: in one call, since handing a base over costs as much as most.

Compiled. Each number is told where it is made: `weigh`, `tip`, `barrier`, `limit`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sim3d.compiled import compiled
from sim3d.ground.foot import Foot
from sim3d.space import TOUCH_MM, Floats, Ints
from sim3d.statics.barrier import barrier
from sim3d.statics.footing import footing_of, untrodden
from sim3d.statics.limit import STEEPEST, com_limit
from sim3d.statics.ramp import nudges
from sim3d.statics.tip import FAR_FIRST, easiest_way
from sim3d.statics.touch import at_rest, hull, touching
from sim3d.statics.ways import NUDGE
from sim3d.statics.weigh import horizontal_margin

FARTHEST_LIFT_MM = 1e6
DIRECTIONS = 16  # of nudges


class Numbers(NamedTuple):
    """What a base touches, and what it takes to move it."""

    touch: Floats
    ring: Ints  # which of those lie on their hull
    margin: float  # mm
    tip: float  # radians; NEVER: farther than was asked
    rocked: float  # degrees
    leans: Floats  # (n, 4, 3) the frame into which each nudge leads
    first: float  # radians: the direction of the first one
    lift: float  # mm
    final: bool  # whether that is the barrier; else no way that was sought is easier
    com_limit: float  # mm: the highest centre of mass with which it stands; NaN: not asked
    way: float  # radians: the direction in which gravity leans that tips it first, or nearly; 0 where none does


@compiled
def numbers_of(
    tris: Floats,
    spans: Floats,
    lumps: Floats,
    traits: Ints,
    frame: Floats,
    com: Floats,
    foot: Foot,
    turn: float,
    farthest: float,
    limited: bool,
) -> Numbers:
    """The numbers of a base in a pose on a patch: tilted up to `farthest` (radians), nudged all round.

    `limited`: its highest centre of mass, too, which is the dearest of them.
    """
    on = footing_of(tris, spans, traits, frame, com, foot, untrodden())
    touch = at_rest(touching(on.whole, frame, foot, TOUCH_MM))
    ring = hull(touch)
    margin = horizontal_margin(touch, ring, frame, com, foot.edges)
    tip_at, highest, way, high = easiest_way(on, farthest, 0.0, FAR_FIRST)
    over, rocked, leans, first = nudges(on, DIRECTIONS, min(tip_at, NUDGE), True)
    tip_at = min(tip_at, over)
    lift, final = barrier(on, min(highest, FARTHEST_LIFT_MM))
    limit = math.nan
    if limited:
        gentle = frame[3, 0] ** 2 + frame[3, 1] ** 2 <= (STEEPEST * frame[3, 2]) ** 2
        stands = gentle and math.degrees(min(tip_at, farthest)) >= math.degrees(NUDGE)
        limit = com_limit(on, lumps, turn, stands, high, way)
    return Numbers(touch, ring, margin, tip_at, rocked, leans, first, lift, final, limit, way)
