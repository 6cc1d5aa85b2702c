"""`with_roofed()`: where a base stands under roofs that are smaller than a storey, such as the lintel of a door.

A map asks for a cut only where much floor lies under a roof. What is left is a few cells, and each is asked by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim3d.atlas import Atlas
from sim3d.mini import Mini
from sim3d.pack.ground import PRECARIOUS, SAME_MM, STABLE, STEEP, UNDECIDED, Ground, apart_from, over, touched
from sim3d.solid.survey import cross_of
from sim3d.space import Floats, Ints
from sim3d.stand import WORDS, stand
from sim3d.table import Table

OVER = ("topples", "slides", UNDECIDED)  # it does not stay there, as over an edge, and nothing is in its way
ASIDE = (1.7e-4, 0.9e-4)  # of a cell: so that no look goes along the edges of round numbers


def with_roofed(ground: Ground, atlas: Atlas, table: Table, mini: Mini) -> Ground:
    """The ground with a storey more for what the cuts of its map left out, and with what a base goes over under roofs
    without resting there; the map has one facing."""
    assert table.floor_mm is not None
    floor, turn = table.floor_mm, atlas.layers[0].turn
    cuts = [(layer.level - floor, layer) for layer in atlas.layers if layer.level is not None]
    shape = ground.top.shape
    storeys: list[tuple[Floats, NDArray[np.str_], Floats, Floats]] = []
    gone_over: list[tuple[int, float, float, float]] = []  # cell, floor, cut and ceiling
    ring = mini.base.outline.polygon()
    under = np.column_stack([ring, np.zeros(len(ring))])
    for cell, low, high in zip(*(some.tolist() for some in _roofed(ground, table, floor, mini.height_mm)), strict=True):
        at = divmod(cell, shape[1])
        known = [*ground.height[:, at[0], at[1]], *(storey[0][at] for storey in storeys)]
        through = [(cut, layer) for cut, layer in cuts if low < cut < high]
        if any(low - SAME_MM < one < high for one in known):  # NaN is nowhere
            continue
        if through:
            if any(WORDS[layer.words[at]] in OVER for _, layer in through):
                gone_over.append((cell, low, through[0][0], high))
            continue
        x, y, _ = ground.place(0, *at)
        level = floor + (low + high) / 2
        found = stand(table, mini, at=(x, y), turn=turn, level=level, physics="never", brief=True)
        if found.answer in OVER:
            gone_over.append((cell, low, level - floor, high))
        if found.answer not in (STABLE, PRECARIOUS, STEEP) or found.pose is None:
            continue
        z = found.pose.place[2] - floor
        if any(abs(one - z) < SAME_MM for one in known):
            continue
        k = next((k for k, storey in enumerate(storeys) if math.isnan(storey[0][at])), len(storeys))
        if k == len(storeys):
            none = np.full(shape, np.nan)
            storeys.append((none.copy(), np.full(shape, "", ground.word.dtype), none.copy(), none.copy()))
        height, word, tilt, rim = storeys[k]
        height[at], word[at], tilt[at] = z, found.answer, found.tilt_deg
        rim[at] = z + floor - found.pose.apply(under)[:, 2].min()
    if storeys:
        heights, words, tilts, rims = (np.stack(some) for some in zip(*storeys, strict=True))
        ground = replace(
            ground,
            height=np.concatenate([ground.height, heights]),
            word=np.concatenate([ground.word, words]),
            tilt=np.concatenate([ground.tilt, tilts]),
            rim=None if ground.rim is None else np.concatenate([ground.rim, rims]),
        )
    more = _gone_over(ground, table, floor, mini.height_mm, gone_over)
    passed = more if ground.passed is None else np.concatenate([ground.passed, more])
    return replace(ground, passed=apart_from(ground.height, passed))


def _gone_over(
    ground: Ground, table: Table, floor: float, least_mm: float, places: Sequence[tuple[int, float, float, float]]
) -> Floats:
    """How high terrain reaches under the cut of each of these places, its cell's rim included, where as much room as
    `least_mm` is left under the ceiling: (m, ny, nx), as many as there are over one cell."""
    shape = ground.top.shape
    if not places:
        return np.empty((0, *shape))
    cells, low, cut, high = (np.array(some) for some in zip(*sorted(places), strict=True))
    reach = low.copy()
    raster = ground.pitch_mm, (ground.x0, ground.y0), shape
    nth = np.arange(len(cells)) - np.searchsorted(cells, cells)  # of the places over one cell
    for piece in table.pieces:
        for cell, z in touched(piece.vertices() - [0, 0, floor], piece.solid.faces, *raster):
            first, after = np.searchsorted(cells, cell), np.searchsorted(cells, cell, side="right")
            for k in range(int(nth.max()) + 1):
                which = first + k
                there = which < after
                there[there] = z[there] < cut[which[there]]
                np.maximum.at(reach, which[there], z[there])
    passed = np.full((int(nth.max()) + 1, *shape), np.nan)
    room = high - reach >= least_mm
    passed.reshape(len(passed), -1)[nth[room], cells[room]] = reach[room]
    return passed


def _roofed(ground: Ground, table: Table, floor: float, least_mm: float) -> tuple[Ints, Floats, Floats]:
    """Where something reaches over a cell with this much room below it, in which no base of the map stands: the cell's
    number, the floor under its middle, and the ceiling."""
    cells, roofs, columns = [], [], []
    ny, nx = ground.top.shape
    raster = ground.pitch_mm, (ground.x0, ground.y0), (ny, nx)
    aside = ground.x0 + ASIDE[0] * ground.pitch_mm, ground.y0 + ASIDE[1] * ground.pitch_mm
    for piece in table.pieces:
        faces, corners, closed = piece.solid.outward, piece.vertices() - [0, 0, floor], piece.solid.closed
        looks = cross_of(corners, faces)[:, 2]
        roof = (looks < 0) if closed else (looks != 0)
        for cell, z in touched(corners, faces[roof & (corners[faces][:, :, 2].max(axis=1) >= least_mm)], *raster):
            high = z >= least_mm
            cells.append(cell[high])
            roofs.append(z[high])
        for sign in (1, -1):
            for j, i, z in over(corners, faces[looks * sign > 0], ground.pitch_mm, aside, (ny, nx)):
                columns.append((j * nx + i, z, np.full(len(z), sign if closed else 0)))
    cell, roof_mm = (np.concatenate([np.empty(0, kind), *some]) for kind, some in ((np.int64, cells), (float, roofs)))
    if not len(cell):
        return cell, roof_mm, roof_mm
    bare = np.unique(cell)
    columns.append((bare, np.zeros(len(bare)), np.zeros(len(bare), np.int64)))  # the table, below all
    of, z, leaves = (np.concatenate(some) for some in zip(*columns, strict=True))
    order = np.lexsort((z, of))
    of, z, leaves = of[order], z[order].clip(0), leaves[order]
    tall = float(z.max()) + float(roof_mm.max()) + 1.0
    k = np.searchsorted(of * tall + z, cell * tall + (roof_mm - least_mm), side="right") - 1  # the highest floor below
    after = np.where(np.append(of[1:] == of[:-1], False), np.append(z[1:], np.inf), np.inf)
    # Inside of what is closed is no room: there a way up leaves more parts than it enters.
    within = np.cumsum(leaves[::-1])[::-1] - leaves
    ends = np.searchsorted(of, of[k], side="right")
    inside = within[k] - np.append(np.cumsum(leaves[::-1])[::-1], 0)[ends] > 0
    low, high = z[k], np.minimum(after[k], roof_mm)
    open_ = (of[k] == cell) & ~inside & (high - low >= least_mm)
    heights = ground.height.reshape(len(ground.height), -1)[:, cell]
    open_ &= ~(np.abs(heights - low) < SAME_MM).any(axis=0)  # NaN is near nothing
    at = np.flatnonzero(open_)
    at = at[np.lexsort((high[at], low[at], cell[at]))]  # of each floor the lowest roof
    at = at[np.append(True, (np.diff(cell[at]) != 0) | (np.diff(low[at]) != 0))[: len(at)]]
    return cell[at], low[at], high[at]
