"""The terrain under a footprint, exactly: every triangle of a table, found by place in a grid of nested cells.

Meshes may be open, doubled, flipped or full of slivers; millions of triangles are found as fast as hundreds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim3d.compiled import compiled
from sim3d.space import Floats, Ints
from sim3d.table import Table

FINEST_MM = 2.0  # cells below this hold single triangles of the finest prints: nothing is won
SPAN = 2  # a triangle lives on the level where it spans at most this many cells a side, plus one
LEVELS = 14  # 2 mm doubled 14 times is 32 m


@dataclass(frozen=True, slots=True)
class Ground:
    """All triangles of a table with the index that finds them, and the height of the floor (NaN: none)."""

    corners: Floats  # (m, 3, 3) mm
    pieces: Ints  # (m,) which piece each belongs to
    floor_mm: float
    cell_mm: float
    shape: Ints  # (levels, 5): origin cell x, y, cells along x, y, offset of the level's first cell
    starts: Ints  # where each cell's list begins
    members: Ints  # triangle numbers, cell by cell

    def near(self, x: float, y: float, reach_mm: float) -> Ints:
        """The numbers of all triangles whose bounds come within `reach_mm` of (x, y), in rising order."""
        found = gather(self.corners, self.cell_mm, self.shape, self.starts, self.members, x, y, reach_mm)
        found.sort()
        return found


def ground_of(table: Table) -> Ground:
    """The ground of a table; kept for the last tables seen, since a sweep asks thousands of times."""
    for pieces, floor, ground in _RECENT:
        if pieces is table.pieces and floor == table.floor_mm:
            return ground
    ground = _built(table)
    _RECENT.insert(0, (table.pieces, table.floor_mm, ground))
    del _RECENT[_KEPT:]
    return ground


_KEPT = 4  # tables whose ground is kept: a game has one, a comparison two
_RECENT: list[tuple[object, float | None, Ground]] = []


def _built(table: Table) -> Ground:
    soups = [piece.vertices()[piece.solid.faces] for piece in table.pieces]
    corners = np.concatenate([np.zeros((0, 3, 3)), *soups])
    owners = np.repeat(np.arange(len(soups), dtype=np.int64), [len(s) for s in soups])
    return index(corners, owners, math.nan if table.floor_mm is None else table.floor_mm)


def index(corners: Floats, pieces: Ints, floor_mm: float) -> Ground:
    """The index over triangles (m, 3, 3)."""
    corners = np.ascontiguousarray(corners, dtype=np.float64)
    if not len(corners):
        return Ground(corners, pieces, floor_mm, FINEST_MM, np.zeros((0, 5), np.int64), np.zeros(1, np.int64), pieces)
    low, high = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1)
    size = (high - low).max(axis=1)
    # the finest cell is near the middle triangle's size, so that a cell holds a few
    cell = max(FINEST_MM, float(np.median(size)))
    level = np.clip(np.ceil(np.log2(np.maximum(size / (cell * SPAN), 1.0))), 0, LEVELS).astype(np.int64)
    shape, offset = [], 0
    for k in range(int(level.max()) + 1):
        mine = level == k
        if not mine.any():
            shape.append((0, 0, 0, 0, offset))
            continue
        width = cell * 2.0**k
        first = np.floor(low[mine].min(axis=0) / width).astype(np.int64)
        last = np.floor(high[mine].max(axis=0) / width).astype(np.int64)
        nx, ny = (int(n) for n in last - first + 1)
        shape.append((int(first[0]), int(first[1]), nx, ny, offset))
        offset += nx * ny
        if offset > 200_000_000:
            raise ValueError("the table is too large for its triangles: over 200 million cells; is a piece far off?")
    levels = np.array(shape, dtype=np.int64)
    starts, members = fill(low, high, level, levels, cell, offset)
    return Ground(corners, pieces, floor_mm, cell, levels, starts, members)


@compiled
def fill(low: Floats, high: Floats, level: Ints, shape: Ints, cell: float, cells: int) -> tuple[Ints, Ints]:
    """Two passes: count, then place; a cell's list is in rising order."""
    starts = np.zeros(cells + 1, np.int64)
    for turn in range(2):
        if turn == 1:
            total = 0
            for c in range(cells + 1):
                count = starts[c]
                starts[c] = total
                total += count
            members = np.empty(total, np.int64)
            ends = starts.copy()
        else:
            members = np.empty(0, np.int64)
            ends = starts
        for i in range(low.shape[0]):
            k = level[i]
            width = cell * 2.0**k
            x0 = int(math.floor(low[i, 0] / width)) - shape[k, 0]
            x1 = int(math.floor(high[i, 0] / width)) - shape[k, 0]
            y0 = int(math.floor(low[i, 1] / width)) - shape[k, 1]
            y1 = int(math.floor(high[i, 1] / width)) - shape[k, 1]
            for y in range(y0, y1 + 1):
                for x in range(x0, x1 + 1):
                    c = shape[k, 4] + y * shape[k, 2] + x
                    if turn == 1:
                        members[ends[c]] = i
                    ends[c] += 1
    return starts, members


@compiled
def gather(
    corners: Floats, cell: float, shape: Ints, starts: Ints, members: Ints, x: float, y: float, reach: float
) -> Ints:
    """Each triangle near (x, y) once: it counts only in the first of its cells that the window sees."""
    found = np.empty(64, np.int64)
    n = 0
    lx, hx, ly, hy = x - reach, x + reach, y - reach, y + reach
    for k in range(shape.shape[0]):
        nx, ny = shape[k, 2], shape[k, 3]
        if nx == 0:
            continue
        width = cell * 2.0**k
        i0 = max(int(math.floor(lx / width)) - shape[k, 0], 0)
        i1 = min(int(math.floor(hx / width)) - shape[k, 0], nx - 1)
        j0 = max(int(math.floor(ly / width)) - shape[k, 1], 0)
        j1 = min(int(math.floor(hy / width)) - shape[k, 1], ny - 1)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = shape[k, 4] + j * nx + i
                for m in range(starts[c], starts[c + 1]):
                    t = members[m]
                    ax = min(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0])
                    ay = min(corners[t, 0, 1], corners[t, 1, 1], corners[t, 2, 1])
                    if (
                        ax > hx
                        or ay > hy
                        or max(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0]) < lx
                        or max(corners[t, 0, 1], corners[t, 1, 1], corners[t, 2, 1]) < ly
                    ):
                        continue
                    if max(int(math.floor(ax / width)) - shape[k, 0], i0) != i:
                        continue
                    if max(int(math.floor(ay / width)) - shape[k, 1], j0) != j:
                        continue
                    if n == found.shape[0]:
                        more = np.empty(2 * n, np.int64)
                        more[:n] = found
                        found = more
                    found[n] = t
                    n += 1
    return found[:n]
