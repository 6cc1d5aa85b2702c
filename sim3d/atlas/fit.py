"""Whether there is room for a model in a cell: upright, in a pose, or however it comes to rest.

Compiled. From above there is always; on a level it is asked of what the cut leaves.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.atlas.clear import FREE, HIT, Model, in_way, inside_closed, leaves_no_room
from sim3d.atlas.place import Index, Place
from sim3d.atlas.pose import BY_A_HAIR, caught_on_triangles, on_triangles
from sim3d.atlas.words import HEIGHT_Z
from sim3d.compiled import compiled, scratch
from sim3d.ground.room import Shells, gap_under
from sim3d.ground.spans import Spans
from sim3d.overlap import HEARTS
from sim3d.space import Floats
from sim3d.statics.footing import Trodden
from sim3d.statics.lowest import LOST, RESTS, TOPPLES
from sim3d.statics.spot import Spot, highest
from sim3d.statics.touch import frame_of


@compiled
def upright_height(spans: Spans, spot: Spot) -> float:
    """The highest terrain under the upright footprint; NaN over nothing."""
    point, feature, tri, shares = np.empty(3), np.zeros(4, np.int64), np.empty((3, 3)), np.empty(16)
    return highest(spans, spot, 0.0, 0.0, 0.0, 0.0, 0.0, point, feature, tri, shares)[0]


@compiled
def free_at(
    room: Spans,
    closed: Shells,
    x: float,
    y: float,
    frame: Floats,
    model: Model,
    place: Place,
    c: float,
    gx: float,
    gy: float,
) -> int:
    """Whether there is room for a model in a pose: FREE, HIT or NEARLY, as `in_way`; inside of a solid it is HIT, too.

    From above, only a base that leans far comes to lie inside of one that nothing of it touches.
    """
    free = in_way(room, x, y, frame, model, c, gx, gy, place.cut)
    if free == FREE and (place.cut < math.inf or math.hypot(gx, gy) > 0.5 * model.foot.inner_mm / model.thickness):
        points, half = scratch(HEARTS, 3), 0.5 * model.thickness
        for p in range(HEARTS):
            u, v = model.hearts[p, 0], model.hearts[p, 1]
            points[p, 0] = x + u * frame[1, 0] + v * frame[2, 0] + half * frame[3, 0]
            points[p, 1] = y + u * frame[1, 1] + v * frame[2, 1] + half * frame[3, 1]
            points[p, 2] = c + u * frame[1, 2] + v * frame[2, 2] + half * frame[3, 2]
        if inside_closed(room, closed, points, gap_under(model.height, model.thickness)):
            return HIT
    return free


@compiled
def upright_room(spans: Spans, room: Spans, closed: Shells, spot: Spot, model: Model, place: Place, out: Floats) -> int:
    """Whether there is room to set a model down upright on a level: FREE, HIT or NEARLY; from above there is.

    Where there is none, its height is written.
    """
    z = upright_height(spans, spot) if place.cut < math.inf else math.nan
    if z != z:
        return FREE
    frame = frame_of(0.0, 0.0, z, 0.0, 0.0, place.turn)
    free = free_at(room, closed, spot.x, spot.y, frame, model, place, z, 0.0, 0.0)
    if free != FREE:
        out[HEIGHT_Z] = z
    return free


@compiled
def is_walled_up(
    spans: Spans, room: Spans, closed: Shells, spot: Spot, model: Model, place: Place, out: Floats
) -> bool:
    """Whether there is no room for a model on a level, set down upright nor however it comes to rest: none is sought.

    How high it would stand upright is written.
    """
    x, y, foot = spot.x, spot.y, model.foot
    if not leaves_no_room(room, place.posts, model, x, y, -math.inf):  # nothing stands near enough
        return False
    high = upright_height(spans, spot) if foot.inner_mm == foot.reach_mm else place.cut
    if not (high == high and leaves_no_room(room, place.posts, model, x, y, high)):
        return False
    return upright_room(spans, room, closed, spot, model, place, out) == HIT


@compiled
def no_room_at_all(
    spans: Spans, room: Spans, index: Index, closed: Shells, spot: Spot, model: Model, place: Place, trodden: Trodden
) -> bool:
    """Whether a base that hardly balances has no room on a level: upright, and where the exact solver lets it rest."""
    x, y = spot.x, spot.y
    if upright_room(spans, room, closed, spot, model, place, np.empty(8)) != HIT:
        return False
    state, c, gx, gy = on_triangles(index, model, place, x, y)
    if state in (LOST, TOPPLES):
        state, c, gx, gy = caught_on_triangles(index, model, place, trodden, x, y, state, gx, gy, True)
    if state != RESTS:
        return state != BY_A_HAIR
    frame = frame_of(0.0, 0.0, c, gx, gy, place.turn)
    return free_at(room, closed, x, y, frame, model, place, c, gx, gy) == HIT
