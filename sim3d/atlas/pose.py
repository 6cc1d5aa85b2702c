"""The pose of a cell where none is found from level on the raster: on the triangles, or on its way over.

Compiled. Each step is the exact solver's own; what is within a hair of either is marked for it.
"""

from __future__ import annotations

import numpy as np

from sim3d.atlas.clear import Model
from sim3d.atlas.place import Index, Place, about, footing_at, patch_at
from sim3d.atlas.topple import CLEARLY, HELD, nearly_carried, way_down
from sim3d.compiled import compiled
from sim3d.ground.patch import sizes
from sim3d.ground.spans import Spans
from sim3d.space import WORD_BAND_MM, Floats
from sim3d.statics.everywhere import lowest_from
from sim3d.statics.footing import Trodden
from sim3d.statics.lowest import LOST, RESTS, TOPPLES, lowest
from sim3d.statics.proofs import any_way_over, way_over
from sim3d.statics.roll import NEVER
from sim3d.statics.spot import Spot
from sim3d.statics.tip import tip

BY_A_HAIR = 4  # besides what comes out of `lowest`: within a hair of being carried, or of not being


@compiled
def on_triangles(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[int, float, float, float]:
    """The pose as the exact solver finds it, on the same triangles."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    state, c, gx, gy, _ = lowest(tris, lumps, traits, model.com, place.turn, 0.0, 0.0, model.foot, basis, features)
    return state, c + high, gx, gy


@compiled
def firmly(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> int:
    """Whether a pose RESTS by more than a balance on one point of its rim, as `rest` asks; TOPPLES, or BY_A_HAIR."""
    on = footing_at(index, model, place, trodden, x, y, c, gx, gy)
    band = WORD_BAND_MM / model.com[2]
    tip_at, _ = tip(on, 2.0 * band, 0.5 * band)
    return RESTS if tip_at >= NEVER else BY_A_HAIR if tip_at > 0.5 * band else TOPPLES


@compiled
def slips_off(tris: Floats, lumps: Floats, model: Model, place: Place, only_clearly: bool) -> tuple[bool, bool]:
    """Whether a base set down level provably goes over, whatever it could lean on then; and whether clearly."""
    _, _, over, _, _, clearly = any_way_over(tris, lumps, model.com, place.turn, model.foot, only_clearly)
    return over, clearly


@compiled
def caught(
    spans: Spans,
    index: Index,
    spot: Spot,
    model: Model,
    place: Place,
    trodden: Trodden,
    state: int,
    gx: float,
    gy: float,
    no_room: bool,
) -> tuple[int, float, float, float]:
    """What becomes of a base that no pose was found for from level, as the exact solver says: TOPPLES, or how it RESTS.

    It rests on something farther down that it meets on its way over. BY_A_HAIR: nearly carried; LOST: neither is known.
    Where there is no room for it upright that is its word, and it is not asked whether it is nearly carried.
    """
    com = model.com
    tris, lumps = about(index, model, place, spot.x, spot.y)
    if state == LOST:
        over, clearly = slips_off(tris, lumps, model, place, False)
        if over:
            over = clearly or no_room or not nearly_carried(spans, spot, com)
            return (TOPPLES if over else BY_A_HAIR), 0.0, gx, gy
    hx, hy, way = way_down(spans, spot, tris, lumps, com, place.turn, gx, gy)
    if way == CLEARLY:
        return TOPPLES, 0.0, gx, gy
    if way == HELD:
        basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
        found, c, hx, hy = lowest_from(spans, spot, com, hx, hy, basis, features)
        if found == RESTS:
            found = firmly(index, model, place, trodden, spot.x, spot.y, c, hx, hy)
            if found != TOPPLES:
                return found, c, hx, hy
        if state == LOST:
            return LOST, 0.0, gx, gy
    return (TOPPLES if no_room or not nearly_carried(spans, spot, com) else BY_A_HAIR), 0.0, gx, gy


@compiled
def caught_on_triangles(
    index: Index,
    model: Model,
    place: Place,
    trodden: Trodden,
    x: float,
    y: float,
    state: int,
    gx: float,
    gy: float,
    no_room: bool,
) -> tuple[int, float, float, float]:
    """The same by the exact solver's own loops, for a search that wandered on the raster."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    com, turn, foot = model.com, place.turn, model.foot
    over, clearly, hx, hy = False, False, gx, gy
    if state == LOST:
        hx, hy, over, _, _, clearly = any_way_over(tris, lumps, com, turn, foot, False)
    if not over:
        _, hx, hy, over, _, _, clearly = way_over(tris, lumps, com, turn, foot, gx, gy)
    if not over:
        basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
        found, c, hx, hy, _ = lowest(tris, lumps, traits, com, turn, hx, hy, foot, basis, features)
        if found == RESTS:
            found = firmly(index, model, place, trodden, x, y, c + high, hx, hy)
            if found != TOPPLES:
                return found, c + high, hx, hy
        if state == LOST:
            return LOST, 0.0, gx, gy
    return (TOPPLES if clearly or no_room else BY_A_HAIR), 0.0, gx, gy
