"""One cell's verdict, compiled: the pose from the raster, then only as many numbers as the word needs.

What lies near a limit, or where there is no proof, is marked for the exact solver. No word here is a guess.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.atlas.clear import FREE, HIT, NEARLY, Model
from sim3d.atlas.fit import free_at, is_walled_up, upright_room
from sim3d.atlas.judged import judged, on_three, without_rest
from sim3d.atlas.place import Index, Place, beyond_edge
from sim3d.atlas.pose import BY_A_HAIR, caught, caught_on_triangles, on_triangles
from sim3d.atlas.topple import goes_over
from sim3d.atlas.words import (
    ASK,
    BLOCKED,
    BOUND,
    EXACT_BELOW_DEG,
    FLAT,
    HEIGHT_Z,
    NOT_OVER,
    OFF,
    ROOM,
    SLOPE_X,
    SLOPE_Y,
    STABLE,
    STEEP,
    SURE_DEG,
    SURFACE,
    TILT,
    UNDECIDED,
    UNDER,
    WANDERED,
)
from sim3d.compiled import compiled, lean, lent, uncounted
from sim3d.ground.room import Shells
from sim3d.ground.spans import LEVEL_MM, Spans
from sim3d.ground.storeys import height_at
from sim3d.space import WORD_BAND_MM, Bools, Floats, Ints
from sim3d.stand import STEEP_DEG
from sim3d.statics.everywhere import lowest_at
from sim3d.statics.footing import Trodden
from sim3d.statics.lowest import LOST, RESTS, TOPPLES
from sim3d.statics.spot import Spot, spot_at
from sim3d.statics.touch import frame_of

STRAIGHT_ON = 1  # a search led on more often ends where a hair's breadth takes it: one by raster, or one by triangles


@compiled
def verdict(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    model: Model,
    place: Place,
    trodden: Trodden,
    x: float,
    y: float,
    out: Floats,
) -> tuple[int, int]:
    """The word of one cell, and how it was found; its numbers into `out`. `spans` carries, `room` can be in the way."""
    out[:] = math.nan
    outside = beyond_edge(place, x, y)
    if outside > WORD_BAND_MM:
        return OFF, 0
    if abs(outside) <= WORD_BAND_MM:
        return UNDECIDED, 0
    spot = spot_at(spans, x, y, model.com, place.turn, model.foot)
    return set_down(spans, room, index, closed, spot, model, place, trodden, out)


@compiled
def set_down(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    spot: Spot,
    model: Model,
    place: Place,
    trodden: Trodden,
    out: Floats,
) -> tuple[int, int]:
    """The same of a cell on the table."""
    spot = lent(spot)
    x, y, com = spot.x, spot.y, model.com
    words = place.exact_deg < EXACT_BELOW_DEG
    if words and place.posts.shape[0] > 0 and is_walled_up(spans, room, closed, spot, model, place, out):
        return BLOCKED, UNDER
    out[HEIGHT_Z] = math.nan
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    state, c, gx, gy = lowest_at(spans, spot, com, basis, features)
    straight = state == RESTS and spot.led_on[0] <= STRAIGHT_ON
    wandered = state != LOST and spot.led_on[0] > STRAIGHT_ON
    if wandered:
        state, c, gx, gy = on_triangles(index, model, place, x, y)
        spot.led_on[0] = 0
    under, upright = UNDER, FREE
    if state != RESTS:
        upright = upright_room(spans, room, closed, spot, model, place, out)
    if state in (LOST, TOPPLES) and (wandered or state == LOST or not goes_over(spans, spot, com, gx, gy)):
        under, no_room = 0, upright == HIT
        if wandered:
            state, c, gx, gy = caught_on_triangles(index, model, place, trodden, x, y, state, gx, gy, no_room)
        else:
            state, c, gx, gy = caught(spans, index, spot, model, place, trodden, state, gx, gy, no_room)
        if state == BY_A_HAIR:
            return ASK, NOT_OVER
    if state != RESTS:
        word, how = without_rest(state, upright)
        return word, how if word == ASK else how | under
    if spot.led_on[0] > STRAIGHT_ON:
        return ASK, WANDERED
    frame = frame_of(0.0, 0.0, c, gx, gy, place.turn)
    tilt = math.degrees(math.atan(math.hypot(gx, gy)))
    out[HEIGHT_Z], out[SLOPE_X], out[SLOPE_Y], out[TILT] = c, gx, gy, tilt
    free = free_at(room, closed, x, y, frame, model, place, c, gx, gy)
    if free == NEARLY:
        return ASK, ROOM
    near_45 = abs(tilt - STEEP_DEG) < SURE_DEG
    if words and straight and not near_45 and on_three(spot, basis, features, frame, model, place, gx, gy, free == HIT):
        return (
            BLOCKED if free == HIT else STEEP if tilt > STEEP_DEG else STABLE,
            under if free == HIT else BOUND | under,
        )
    return judged(spans, room, index, closed, spot, model, place, trodden, frame, free == HIT, under, out)


@compiled
def swept(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    clear: Floats,
    level_word: int,
    level: Floats,
    model: Model,
    place: Place,
    trodden: Trodden,
    i0: int,
    j0: int,
    nx: int,
    ny: int,
    pitch: float,
    known: Bools,
    words: Ints,
    ways: Ints,
    numbers: Floats,
) -> None:
    """Rows of cells; the middle of cell (i, j) is (i0 + i, j0 + j) pitches. `level_word` is the word on level ground,
    `level` are the numbers there, its height 0.

    What is known is left as it is. `trodden` is room for the steps of one base after another.

    A row's cells depend on nothing but the terrain: not on threads, not on what was swept before.
    """
    spans, room, index, trodden = lent(spans), lent(room), lent(index), lent(trodden)
    model, place = lent(model), lent(place)
    closed, clear = uncounted(closed), uncounted(clear)
    for j in range(ny):
        for i in range(nx):
            if known[j, i]:
                continue
            x, y = (i0 + i) * pitch, (j0 + j) * pitch
            z = level_here(spans, clear, x, y, model.farthest)
            if z == z and place.cut == math.inf and beyond_edge(place, x, y) < -WORD_BAND_MM:
                words[j, i], ways[j, i] = level_word, FLAT | (UNDER if model.farthest <= model.foot.reach_mm else 0)
                numbers[j, i, :] = level
                numbers[j, i, HEIGHT_Z] += z
                numbers[j, i, SURFACE] = z
                continue
            words[j, i], ways[j, i] = verdict(spans, room, index, closed, model, place, trodden, x, y, numbers[j, i])
            numbers[j, i, SURFACE] = surface_at(spans, x, y)


@lean
def surface_at(spans: Spans, x: float, y: float) -> float:
    """The height of the highest terrain over a point; NaN over nothing."""
    best = spans.floor if spans.floor == spans.floor else -math.inf
    i, j = math.floor((x - spans.x0) / spans.cell), math.floor((y - spans.y0) / spans.cell)
    if 0 <= i < spans.nx and 0 <= j < spans.ny:
        m = j * spans.nx + i
        for k in range(spans.starts[m], spans.starts[m + 1]):
            if spans.highs[k] <= best:
                break
            over, z = height_at(spans.corners[spans.members[k]], x, y)
            if over:
                best = max(best, z)
    return best if best > -math.inf else math.nan


@lean
def level_here(spans: Spans, clear: Floats, x: float, y: float, reach: float) -> float:
    """The height of the ground where all of it within reach is level, else NaN."""
    if spans.nx == 0:
        return spans.floor
    i, j = math.floor((x - spans.x0) / spans.cell), math.floor((y - spans.y0) / spans.cell)
    if 0 <= i < spans.nx and 0 <= j < spans.ny:
        # what lies outside the raster is the floor, and the cells beside it are broken unless they are the floor, too
        return spans.level[j * spans.nx + i] if clear[j, i] > reach + LEVEL_MM else math.nan
    dx = max(spans.x0 - x, x - spans.x0 - spans.nx * spans.cell, 0.0)
    dy = max(spans.y0 - y, y - spans.y0 - spans.ny * spans.cell, 0.0)
    return spans.floor if math.hypot(dx, dy) > reach + LEVEL_MM else math.nan
