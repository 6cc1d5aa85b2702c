"""The ground as ways see it: its triangles in cells, and how high and how steep each cell gets. Compiled.

So most of what lies near a place is passed over without a look.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.patch import Ground
from sim3d.space import Bools, Floats, Ints

LEVEL_MM = 1e-3  # heights nearer than this are the same height, so that a step of exactly the limit is within it
MIXED = -1  # a cell's triangles belong to several pieces
ROOM = 256  # triangles over a height, before they are counted
LOW, HIGH, COSINE, X0, X1, Y0, Y1 = range(7)  # columns of `Terrain.faces`


class Terrain(NamedTuple):
    """A ground's arrays, as compiled loops take them."""

    corners: Floats
    faces: Floats  # (m, 7) of each triangle its lowest and highest z, the cosine of its slope (of an underside, as far
    # as it is known for one, less than 0), from x to x, from y to y
    owners: Ints
    floor: float  # NaN: none
    cell: float
    shape: Ints
    starts: Ints
    members: Ints
    lids: Floats  # (cells,) the highest corner of each cell's triangles
    whose: Ints  # (cells,) the piece they all belong to; MIXED: several, or none
    slopes: Floats  # (cells,) the cosine of the steepest of them
    flats: Floats  # (cells,) and of the flattest; less than 0: there is none


def terrain_of(ground: Ground) -> Terrain:
    """The same ground for compiled loops; kept for the last grounds seen."""
    for known, terrain in _SEEN:
        if known is ground:
            return terrain
    faces = _faces(ground.corners, ground.undersides())
    lids, whose, slopes, flats = _lids(faces, ground.pieces, ground.starts, ground.members)
    made = Terrain(
        ground.corners, faces, ground.pieces, ground.floor_mm, ground.cell_mm, ground.shape, ground.starts,
        ground.members, lids, whose, slopes, flats,
    )  # fmt: skip
    _SEEN.insert(0, (ground, made))
    del _SEEN[_KEPT:]
    return made


_KEPT = 4  # as many as `patch.ground_of` keeps
_SEEN: list[tuple[Ground, Terrain]] = []


@lean
def rise(tri: Floats) -> float:
    """The cosine of a triangle's slope; 0 for a wall, and for no area at all."""
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return 0.0 if size == 0.0 else abs(nz) / size


@compiled
def _faces(corners: Floats, under: Bools) -> Floats:
    out = np.empty((corners.shape[0], 7))
    for n in range(corners.shape[0]):
        tri = corners[n]
        out[n, LOW], out[n, HIGH] = min(tri[0, 2], tri[1, 2], tri[2, 2]), max(tri[0, 2], tri[1, 2], tri[2, 2])
        out[n, COSINE] = -rise(tri) if under[n] else rise(tri)
        out[n, X0], out[n, X1] = min(tri[0, 0], tri[1, 0], tri[2, 0]), max(tri[0, 0], tri[1, 0], tri[2, 0])
        out[n, Y0], out[n, Y1] = min(tri[0, 1], tri[1, 1], tri[2, 1]), max(tri[0, 1], tri[1, 1], tri[2, 1])
    return out


@compiled
def _lids(faces: Floats, owners: Ints, starts: Ints, members: Ints) -> tuple[Floats, Ints, Floats, Floats]:
    cells = starts.shape[0] - 1
    lids, whose = np.full(cells, -math.inf), np.full(cells, MIXED, np.int64)
    slopes, flats = np.ones(cells), np.full(cells, -2.0)
    for c in range(cells):
        for m in range(starts[c], starts[c + 1]):
            n = members[m]
            lids[c] = max(lids[c], faces[n, HIGH])
            slopes[c], flats[c] = min(slopes[c], faces[n, COSINE]), max(flats[c], faces[n, COSINE])
            if m == starts[c]:
                whose[c] = owners[n]
            elif whose[c] != owners[n]:
                whose[c] = MIXED
    return lids, whose, slopes, flats


@lean
def floor_below(terrain: Terrain, cap: float) -> float:
    """The endless floor's height, where there is one and it is no higher than a cap."""
    return terrain.floor if terrain.floor == terrain.floor and terrain.floor <= cap else -math.inf


@lean
def window_of(terrain: Terrain, k: int, x: float, y: float, reach: float) -> tuple[int, int, int, int]:
    """The cells of one level within reach of a place: first and last across, first and last up."""
    width = terrain.cell * 2.0**k
    shape = terrain.shape[k]
    return (
        max(math.floor((x - reach) / width) - shape[0], 0),
        min(math.floor((x + reach) / width) - shape[0], shape[2] - 1),
        max(math.floor((y - reach) / width) - shape[1], 0),
        min(math.floor((y + reach) / width) - shape[1], shape[3] - 1),
    )


@lean
def near_here(terrain: Terrain, n: int, x: float, y: float, r: float) -> bool:
    """Whether a triangle's bounds come within reach of a place."""
    f = terrain.faces
    return not (f[n, X0] > x + r or f[n, X1] < x - r or f[n, Y0] > y + r or f[n, Y1] < y - r)


@lean
def told_here(
    terrain: Terrain, n: int, k: int, cell: tuple[int, int], first: tuple[int, int], x: float, y: float, r: float
) -> bool:
    """Whether a triangle is near a place, and this the first of its cells that the window sees."""
    if not near_here(terrain, n, x, y, r):
        return False
    width = terrain.cell * 2.0**k
    i = math.floor(terrain.faces[n, X0] / width) - terrain.shape[k, 0]
    j = math.floor(terrain.faces[n, Y0] / width) - terrain.shape[k, 1]
    return max(i, first[0]) == cell[0] and max(j, first[1]) == cell[1]
