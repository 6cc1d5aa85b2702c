"""A base where it stands: what carries it, what it may roll on to, what it is. All that rolls it over takes this.

Compiled.
"""

from __future__ import annotations

from typing import NamedTuple

from sim3d.compiled import compiled
from sim3d.ground.foot import Foot
from sim3d.space import Floats, Ints
from sim3d.statics.near import Terrain, moved, near, whole
from sim3d.statics.roll import NEVER, ahead, first_touch, turned
from sim3d.statics.touch import at_rest, hull, touching
from sim3d.statics.ways import STEEPEST

WALK_MM = 1e-4  # while rolling, what touches: less takes more steps on a smooth rim, more blurs where it would rest
BEHIND_MM = 1e-7  # a base that reaches less over the axis than this meets nothing more
HALF_ROOM = 0.5  # of the room of what is near: then it is chosen anew


class Footing(NamedTuple):
    """One base at rest, as the loops take it."""

    whole: Terrain  # all there is
    owns: Ints  # which corners each triangle of it speaks for
    close: Terrain  # what is near
    frame: Floats  # the pose (4, 3)
    contacts: Floats  # what carries it
    ring: Ints  # those on their hull
    com: Floats
    foot: Foot


@compiled
def footing_of(tris: Floats, spans: Floats, owns: Ints, frame: Floats, com: Floats, foot: Foot) -> Footing:
    """A base in a pose on the triangles of a patch."""
    close = near(tris, spans, owns, frame, foot)
    firm = at_rest(touching(close, frame, foot, 0.5 * WALK_MM))
    return Footing(whole(tris, spans), owns, close, frame, firm, hull(firm), com, foot)


@compiled
def roll(on: Footing, close: Terrain, frame: Floats, axis: Floats, limit: float) -> tuple[float, float]:
    """The first touch, as `first_touch` gives it, among what is near as far as that is sure, else among everything."""
    if ahead(frame, axis, on.foot) <= BEHIND_MM:
        return NEVER, NEVER
    exact, deep = first_touch(close, frame, axis, on.foot, WALK_MM, limit)
    upto = limit if exact >= NEVER else deep
    if upto < STEEPEST and moved(close, turned(frame, axis, upto), on.foot.reach_mm) <= close.room:
        return exact, deep
    return first_touch(on.whole, frame, axis, on.foot, WALK_MM, limit)


@compiled
def followed(on: Footing, close: Terrain, frame: Floats) -> Terrain:
    """What is near, chosen anew where the base has gone too far from where that was done."""
    if moved(close, frame, on.foot.reach_mm) <= HALF_ROOM * close.room:
        return close
    return near(on.whole.tris, on.whole.spans, on.owns, frame, on.foot)
