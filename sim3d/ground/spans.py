"""The terrain as a sweep meets it: a raster of lids over the triangles, so that any plane finds what stands over it.

Compiled. Nothing here rounds terrain to a raster: a cell keeps its triangles, the highest first, and a lid (a plane
over all of them that counts). A lid under a plane proves that nothing in the cell reaches it; any other cell is opened,
and its triangles decide. So what is asked of a plane is answered exactly, from a few triangles instead of thousands.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, compiled_parallel, copied, lean, prange, scratch
from sim3d.ground.patch import below
from sim3d.space import Bools, Floats, Ints

CELL_MM = 2.0  # a 27 mm base lies over 180 such cells; smaller ones cost more to pass over than they save to open
PARTS = 4  # a cell of many triangles is cut into so many by so many leaves, each with a lid of its own
LEAVES = PARTS * PARTS
CROWDED = 6  # triangles that are not hidden: more are many
HIDDEN_MM = 0.01  # a triangle this far under one that covers the whole cell neither carries nor touches there
STEEPEST_LID = 3.0  # a gradient: a lid over a wall is better flat than as steep as the wall
LID_MM = 1e-9  # a lid lies this much over its terrain: rounding
STEEPER = 4.0  # gradients: that much steeper than a lid, to either side, more lids are laid
WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))  # the directions in which they are
LEVEL_MM = 1e-7  # heights this near are one level
FARTHEST = 64  # cells: level ground is followed no farther; the largest base reaches 50


class Spans(NamedTuple):
    """A raster over triangles (m, 3, 3): per cell its list, highest first, how much of it is not hidden, its lid."""

    corners: Floats
    floor: float  # the height of the endless floor, NaN: none
    low: float  # nothing is lower
    x0: float
    y0: float
    cell: float
    nx: int
    ny: int
    starts: Ints  # (nx ny + 1,)
    members: Ints  # triangle numbers
    highs: Floats  # of each member the highest z within the cell
    tops: Ints  # (nx ny,) how many of a cell's list are not hidden
    lids: Floats  # (3, nx ny) gradient, and height over the cell's middle: many are looked at in a row
    steep_lids: Floats  # (nx ny, 8) heights of the lids that are so much steeper, in each of WAYS
    level: Floats  # (nx ny,) the height where all of the cell's top is level, else NaN
    leaves: Ints  # (nx ny + 1,) where the leaves of each cell begin: one for all of it, or PARTS by PARTS
    leaf_lids: Floats  # (5, n) the middle's x and y against x0 and y0, gradient, height over the middle
    leaf_steep_lids: Floats  # (n, 8)
    leaf_halves: Floats  # (n,) half the side
    leaf_lists: Ints  # (n, 2) of `members` and `highs` the first that is not hidden, and the end of those
    crowns: Floats  # (nx ny,) the highest of a cell's `highs`; -inf where it has none


def spans_of(
    corners: Floats,
    floor_mm: float,
    cell_mm: float = CELL_MM,
    box: tuple[float, float, float, float] | None = None,
) -> Spans:
    """The raster over triangles (m, 3, 3) and a floor (NaN: none): over all of them, or what of them lies in a box.

    Each of them has to reach into the box (x, y to x, y); beside it the floor is all that there is.
    """
    corners = np.ascontiguousarray(corners, dtype=np.float64)
    low = min(float(corners[:, :, 2].min(initial=math.inf)), math.inf if math.isnan(floor_mm) else floor_mm)
    if not len(corners):
        none, zero = np.zeros(0), np.zeros(0, np.int64)
        return Spans(
            corners,
            floor_mm,
            low,
            0.0,
            0.0,
            cell_mm,
            0,
            0,
            np.zeros(1, np.int64),
            zero,
            none,
            zero,
            np.zeros((3, 0)),
            np.zeros((0, 8)),
            none,
            np.zeros(1, np.int64),
            np.zeros((5, 0)),
            np.zeros((0, 8)),
            none,
            np.zeros((0, 2), np.int64),
            none,
        )
    first = np.floor(corners[:, :, :2].min(axis=(0, 1)) / cell_mm)
    last = np.floor(corners[:, :, :2].max(axis=(0, 1)) / cell_mm)
    if box is not None:
        first = np.maximum(first, np.floor(np.array(box[:2]) / cell_mm))
        last = np.minimum(last, np.floor(np.array(box[2:]) / cell_mm))
    nx, ny = (int(n) for n in last - first + 1)
    if nx * ny > 50_000_000:
        raise ValueError(
            f"the table is too large for a raster: {nx * ny:,} cells of {cell_mm:g} mm; is a piece far off?"
        )
    x0, y0 = (float(v) for v in first * cell_mm)
    starts, members, highs, floors = listed(corners, floor_mm, x0, y0, cell_mm, nx, ny)
    tops, lids, steep = np.zeros(nx * ny, np.int64), np.zeros((3, nx * ny)), np.zeros((nx * ny, 8))
    level = np.full(nx * ny, np.nan)
    lidded(corners, floor_mm, x0, y0, cell_mm, nx, ny, starts, members, highs, floors, tops, lids, steep, level)
    members, highs, leaves, leaf_lids, leaf_steep, halves, lists = cut_up(
        corners, floor_mm, x0, y0, cell_mm, nx, ny, starts, members, highs, tops, lids, steep
    )
    of_cells = (starts, members, highs, tops, lids, steep, level)
    of_leaves = (leaves, leaf_lids, leaf_steep, halves, lists)
    crowns, some = np.full(nx * ny, -math.inf), starts[1:] > starts[:-1]
    crowns[some] = highs[starts[:-1][some]]
    return Spans(corners, floor_mm, low, x0, y0, cell_mm, nx, ny, *of_cells, *of_leaves, crowns)


@lean
def slab(ring: Floats, count: int, axis: int, low: float, high: float, out: Floats) -> int:
    """The part of a ring (n, 3) between two values of one coordinate; how many corners were written."""
    work = scratch(10, 3)
    n = 0
    for i in range(count):
        j = (i + 1) % count
        a, b = ring[i, axis] - low, ring[j, axis] - low
        if a >= 0.0:
            copied(ring[i], work[n])
            n += 1
        if (a >= 0.0) != (b >= 0.0):
            s = a / (a - b)
            for k in range(3):
                work[n, k] = ring[i, k] + s * (ring[j, k] - ring[i, k])
            work[n, axis] = low
            n += 1
    m = 0
    for i in range(n):
        j = (i + 1) % n
        a, b = high - work[i, axis], high - work[j, axis]
        if a >= 0.0:
            copied(work[i], out[m])
            m += 1
        if (a >= 0.0) != (b >= 0.0):
            s = a / (a - b)
            for k in range(3):
                out[m, k] = work[i, k] + s * (work[j, k] - work[i, k])
            out[m, axis] = high
            m += 1
    return m


@lean
def covers(tri: Floats, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Whether a triangle lies over or under all of a rectangle, by more than rounding."""
    turn = (tri[1, 0] - tri[0, 0]) * (tri[2, 1] - tri[0, 1]) - (tri[1, 1] - tri[0, 1]) * (tri[2, 0] - tri[0, 0])
    if turn == 0.0:
        return False
    for i in range(3):
        j = (i + 1) % 3
        dx, dy = tri[j, 0] - tri[i, 0], tri[j, 1] - tri[i, 1]
        if turn < 0.0:
            dx, dy = -dx, -dy
        # the corner of the rectangle farthest to the right of this side
        x, y = (x0 if dy <= 0.0 else x1), (y1 if dx <= 0.0 else y0)
        if dx * (y - tri[i, 1]) - dy * (x - tri[i, 0]) < 1e-9 * (abs(dx) + abs(dy)):
            return False
    return True


@compiled
def listed(
    corners: Floats, floor: float, x0: float, y0: float, cell: float, nx: int, ny: int
) -> tuple[Ints, Ints, Floats, Floats]:
    """Each cell's triangles, the highest there first, and the height under which it is hidden by one that covers it."""
    floors = np.full(nx * ny, -math.inf if math.isnan(floor) else floor)
    room = 2 * corners.shape[0] + 64
    where, which, high = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    n = 0
    strip, ring = scratch(10, 3), scratch(10, 3)
    counts = np.zeros(nx * ny + 1, np.int64)
    for t in range(corners.shape[0]):
        tri = corners[t]
        ax, bx = min(tri[0, 0], tri[1, 0], tri[2, 0]), max(tri[0, 0], tri[1, 0], tri[2, 0])
        ay, by = min(tri[0, 1], tri[1, 1], tri[2, 1]), max(tri[0, 1], tri[1, 1], tri[2, 1])
        top = max(tri[0, 2], tri[1, 2], tri[2, 2])
        # what ends exactly on a line between cells is listed on both sides of it
        i0, i1 = max(math.ceil((ax - x0) / cell) - 1, 0), min(math.floor((bx - x0) / cell), nx - 1)
        j0, j1 = max(math.ceil((ay - y0) / cell) - 1, 0), min(math.floor((by - y0) / cell), ny - 1)
        for j in range(j0, j1 + 1):
            low_y, high_y = y0 + j * cell, y0 + (j + 1) * cell
            count = 3
            tall = ay < low_y or by > high_y
            if tall:
                count = slab(tri, 3, 1, low_y, high_y, strip)
            else:
                strip[:3] = tri
            if count == 0:
                continue
            for i in range(i0, i1 + 1):
                low_x, high_x = x0 + i * cell, x0 + (i + 1) * cell
                peak = top
                wide = ax < low_x or bx > high_x
                if wide or tall:
                    some = slab(strip, count, 0, low_x, high_x, ring) if wide else count
                    if some == 0:
                        continue
                    part = ring if wide else strip
                    peak = part[0, 2]
                    for k in range(1, some):
                        peak = max(peak, part[k, 2])
                c = j * nx + i
                if n == room:
                    room *= 2
                    more_where, more_which, more_high = (
                        np.empty(room, np.int64),
                        np.empty(room, np.int64),
                        np.empty(room),
                    )
                    more_where[:n], more_which[:n], more_high[:n] = where, which, high
                    where, which, high = more_where, more_which, more_high
                where[n], which[n], high[n] = c, t, min(peak, top) + LID_MM
                n += 1
                counts[c] += 1
                if bx - ax >= cell and by - ay >= cell and covers(tri, low_x, low_y, high_x, high_y):
                    count_c = slab(strip, count, 0, low_x, high_x, ring)
                    least = math.inf
                    for k in range(count_c):
                        least = min(least, ring[k, 2])
                    if count_c > 0:
                        floors[c] = max(floors[c], least)
    total = 0
    for c in range(nx * ny + 1):
        many = counts[c]
        counts[c] = total
        total += many
    members, highs = np.empty(n, np.int64), np.empty(n)
    ends = counts.copy()
    for k in range(n):
        c = where[k]
        members[ends[c]], highs[ends[c]] = which[k], high[k]
        ends[c] += 1
    return counts, members, highs, floors


@compiled_parallel
def lidded(
    corners: Floats,
    floor: float,
    x0: float,
    y0: float,
    cell: float,
    nx: int,
    ny: int,
    starts: Ints,
    members: Ints,
    highs: Floats,
    floors: Floats,
    tops: Ints,
    lids: Floats,
    steep: Floats,
    level: Floats,
) -> None:
    """Sort each cell's list, see how much of it is hidden, and lay its lids."""
    for j in prange(ny):
        lid = np.empty(3)
        for i in range(nx):
            c = j * nx + i
            first, last = starts[c], starts[c + 1]
            many = last - first
            if many > 1:
                order = np.argsort(-highs[first:last], kind="mergesort")
                members[first:last] = members[first:last][order]
                highs[first:last] = highs[first:last][order]
            seen = 0
            while seen < many and highs[first + seen] >= floors[c] - HIDDEN_MM:
                seen += 1
            tops[c] = seen
            low_x, low_y = x0 + i * cell, y0 + j * cell
            mid_x, mid_y = low_x + 0.5 * cell, low_y + 0.5 * cell
            some, peaks = members[first : first + seen], highs[first : first + seen]
            lid_over(corners, some, peaks, cell, mid_x, mid_y, lid, steep[c])
            for k in range(3):
                lids[k, c] = lid[k]
            level[c] = level_at(corners, some, peaks, floor, cell, mid_x, mid_y)


@lean
def lid_over(
    corners: Floats, members: Ints, highs: Floats, cell: float, mid_x: float, mid_y: float, lid: Floats, steep: Floats
) -> None:
    """A plane over all that some triangles have in a cell: gradient, and height over its middle.

    And the heights of planes that are STEEPER in each of WAYS: a wall that ends in the cell lies far under the lid at
    the cell's corners.
    """
    strip, ring = scratch(10, 3), scratch(10, 3)
    low_x, low_y = mid_x - 0.5 * cell, mid_y - 0.5 * cell
    mx = my = 0.0
    top = -math.inf
    for w in range(8):
        steep[w] = -math.inf
    for turn in range(2):
        sx = sy = area = 0.0
        for k in range(members.shape[0]):
            tri = corners[members[k]]
            count = slab(tri, 3, 1, low_y, low_y + cell, strip)
            if count > 0:
                count = slab(strip, count, 0, low_x, low_x + cell, ring)
            if turn == 1:
                if count == 0:  # it ends on the cell's border, by rounding beside it
                    over = highs[k] + (abs(mx) + abs(my)) * 0.5 * cell
                    top = max(top, over)
                    for w in range(8):
                        steep[w] = max(steep[w], over + (abs(WAYS[w][0]) + abs(WAYS[w][1])) * STEEPER * 0.5 * cell)
                for a in range(count):
                    x, y = ring[a, 0] - mid_x, ring[a, 1] - mid_y
                    over = ring[a, 2] - mx * x - my * y
                    top = max(top, over)
                    for w in range(8):
                        steep[w] = max(steep[w], over - STEEPER * (WAYS[w][0] * x + WAYS[w][1] * y))
                continue
            twice = 0.0
            for a in range(1, count - 1):
                twice += abs(
                    (ring[a, 0] - ring[0, 0]) * (ring[a + 1, 1] - ring[0, 1])
                    - (ring[a, 1] - ring[0, 1]) * (ring[a + 1, 0] - ring[0, 0])
                )
            if twice <= 0.0:
                continue
            gx, gy = gradient(tri)
            if gx * gx + gy * gy <= STEEPEST_LID * STEEPEST_LID:
                sx, sy, area = sx + twice * gx, sy + twice * gy, area + twice
        if turn == 0 and area > 0.0:
            mx, my = sx / area, sy / area
    lid[0], lid[1], lid[2] = mx, my, top + LID_MM * (1.0 + abs(mx) + abs(my))
    for w in range(8):
        steep[w] += LID_MM * (1.0 + abs(mx) + abs(my) + 2.0 * STEEPER)


@lean
def lower(lid: float, steep: Floats, dx: float, dy: float, half: float) -> float:
    """How much less than its lid says a cell's terrain stands over a plane that is steeper than the lid by (dx, dy).

    How high terrain stands over a plane is a convex function of its gradient: between gradients for which it is known
    it is no more than what lies between.
    """
    ax, ay = min(abs(dx), STEEPER) / STEEPER, min(abs(dy), STEEPER) / STEEPER
    both = steep[4 + (0 if dx >= 0.0 else 2) + (0 if dy >= 0.0 else 1)]
    one = steep[0 if dx >= 0.0 else 1] if ax >= ay else steep[2 if dy >= 0.0 else 3]
    more, less = max(ax, ay), min(ax, ay)
    between = (1.0 - more) * lid + (more - less) * one + less * both
    beyond = max(abs(dx) - STEEPER, 0.0) + max(abs(dy) - STEEPER, 0.0)
    return lid + (abs(dx) + abs(dy)) * half - (between + beyond * half)


@compiled
def cut_up(
    corners: Floats,
    floor: float,
    x0: float,
    y0: float,
    cell: float,
    nx: int,
    ny: int,
    starts: Ints,
    members: Ints,
    highs: Floats,
    tops: Ints,
    lids: Floats,
    steep: Floats,
) -> tuple[Ints, Floats, Ints, Floats, Floats, Floats, Ints]:
    """The leaves of every cell, and their lists after those of the cells: a crowded cell is a raster of its own."""
    leaves = np.zeros(nx * ny + 1, np.int64)
    n = 0
    for c in range(nx * ny):
        leaves[c] = n
        n += LEAVES if tops[c] > CROWDED else 1
    leaves[nx * ny] = n
    leaf_lids, leaf_steep, halves, lists = np.empty((5, n)), np.empty((n, 8)), np.empty(n), np.empty((n, 2), np.int64)
    part, lid = cell / PARTS, np.empty(3)
    room, end = members.shape[0], members.shape[0]
    for c in range(nx * ny):
        first, leaf = starts[c], leaves[c]
        low_x, low_y = (c % nx) * cell, (c // nx) * cell
        if tops[c] <= CROWDED:
            leaf_lids[0, leaf], leaf_lids[1, leaf], halves[leaf] = low_x + 0.5 * cell, low_y + 0.5 * cell, 0.5 * cell
            leaf_lids[2:, leaf], leaf_steep[leaf] = lids[:, c], steep[c]
            lists[leaf, 0], lists[leaf, 1] = first, first + tops[c]
            continue
        mine = members[first : first + tops[c]]
        few = np.empty((tops[c], 3, 3))
        for k in range(tops[c]):
            few[k] = corners[mine[k]]
        begins, which, high, floors = listed(few, floor, x0 + low_x, y0 + low_y, part, PARTS, PARTS)
        if end + which.shape[0] > room:
            room = 2 * room + which.shape[0]
            more, peaks = np.empty(room, np.int64), np.empty(room)
            more[:end], peaks[:end] = members[:end], highs[:end]
            members, highs = more, peaks
        for k in range(LEAVES):
            at, many = begins[k], begins[k + 1] - begins[k]
            order = np.argsort(-high[at : at + many], kind="mergesort")
            seen = 0
            for m in range(many):
                if high[at + order[m]] < floors[k] - HIDDEN_MM:
                    break
                members[end + m], highs[end + m] = mine[which[at + order[m]]], high[at + order[m]]
                seen += 1
            mid_x, mid_y = low_x + (k % PARTS + 0.5) * part, low_y + (k // PARTS + 0.5) * part
            i = leaf + k
            lists[i, 0], lists[i, 1], halves[i] = end, end + seen, 0.5 * part
            leaf_lids[0, i], leaf_lids[1, i] = mid_x, mid_y
            some, peaks = members[end : end + seen], highs[end : end + seen]
            lid_over(corners, some, peaks, part, x0 + mid_x, y0 + mid_y, lid, leaf_steep[i])
            leaf_lids[2:, i] = lid
            end += seen
    return members[:end].copy(), highs[:end].copy(), leaves, leaf_lids, leaf_steep, halves, lists


@lean
def gradient(tri: Floats) -> tuple[float, float]:
    """The slope of a triangle, per mm along x and y; endless where it stands upright."""
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    det = ax * by - ay * bx
    if det == 0.0:
        return math.inf, math.inf
    return (az * by - bz * ay) / det, (bz * ax - az * bx) / det


@lean
def level_at(
    corners: Floats, members: Ints, highs: Floats, floor: float, cell: float, mid_x: float, mid_y: float
) -> float:
    """The height of a cell whose whole top is level, else NaN.

    It is where a level triangle lies over some of it and every side of such triangles is shared by two of them that lie
    to both sides of it: then what they cover has no border in the cell, so it is all of the cell.
    """
    if members.shape[0] == 0 or highs[0] <= floor + 2.0 * LID_MM:
        return floor
    z = highs[0] - LID_MM
    half = 0.5 * cell * (1.0 + 1e-9)
    some = False
    for k in range(members.shape[0]):
        if highs[k] < z - LEVEL_MM:
            break
        tri = corners[members[k]]
        if not is_level(tri, z):
            continue  # a face below that ends here: it reaches the level, not over it
        for i in range(3):
            j = (i + 1) % 3
            if aside(tri[i], tri[j], mid_x, mid_y, half):
                continue
            met = False
            for m in range(members.shape[0]):
                if m == k or highs[m] < z - LEVEL_MM:
                    continue
                other = corners[members[m]]
                if is_level(other, z) and across(tri, i, other):
                    met = True
                    break
            if not met:
                return math.nan
        if not some:  # some of the cell lies under it, for sure
            strip, ring = scratch(10, 3), scratch(10, 3)
            count = slab(tri, 3, 1, mid_y - half, mid_y + half, strip)
            if count > 0:
                count = slab(strip, count, 0, mid_x - half, mid_x + half, ring)
            twice = 0.0
            for a in range(1, count - 1):
                twice += abs(
                    (ring[a, 0] - ring[0, 0]) * (ring[a + 1, 1] - ring[0, 1])
                    - (ring[a, 1] - ring[0, 1]) * (ring[a + 1, 0] - ring[0, 0])
                )
            some = twice > 1e-6 * cell * cell
    return z if some else math.nan


@lean
def is_level(tri: Floats, z: float) -> bool:
    """Whether all of a triangle lies at a height."""
    return abs(tri[0, 2] - z) <= LEVEL_MM and abs(tri[1, 2] - z) <= LEVEL_MM and abs(tri[2, 2] - z) <= LEVEL_MM


@lean
def aside(a: Floats, b: Floats, x: float, y: float, half: float) -> bool:
    """Whether the way from a to b passes beside a square about (x, y)."""
    ax, ay, bx, by = a[0] - x, a[1] - y, b[0] - x, b[1] - y
    if max(ax, bx) < -half or min(ax, bx) > half or max(ay, by) < -half or min(ay, by) > half:
        return True
    dx, dy = bx - ax, by - ay
    side = dx * ay - dy * ax
    return abs(side) > half * (abs(dx) + abs(dy))


@lean
def across(tri: Floats, i: int, other: Floats) -> bool:
    """Whether another triangle shares the side from corner i, and lies on its other side."""
    j, k = (i + 1) % 3, (i + 2) % 3
    for m in range(3):
        n = (m + 1) % 3
        same = (
            other[m, 0] == tri[i, 0]
            and other[m, 1] == tri[i, 1]
            and other[n, 0] == tri[j, 0]
            and other[n, 1] == tri[j, 1]
        ) or (
            other[m, 0] == tri[j, 0]
            and other[m, 1] == tri[j, 1]
            and other[n, 0] == tri[i, 0]
            and other[n, 1] == tri[i, 1]
        )
        if not same:
            continue
        o = (m + 2) % 3
        dx, dy = tri[j, 0] - tri[i, 0], tri[j, 1] - tri[i, 1]
        mine = dx * (tri[k, 1] - tri[i, 1]) - dy * (tri[k, 0] - tri[i, 0])
        theirs = dx * (other[o, 1] - tri[i, 1]) - dy * (other[o, 0] - tri[i, 0])
        if mine * theirs < 0.0:
            return True
    return False


@compiled
def cut_off(corners: Floats, ends: Floats, cut: float) -> Floats:
    """What of the triangles can carry under a height, as `Ground.patch` cuts them; `ends` as `walls.ends_of`."""
    out = np.empty((2 * corners.shape[0], 3, 3))
    n = 0
    for t in range(corners.shape[0]):
        tri = corners[t]
        if ends[t] > cut or min(tri[0, 2], tri[1, 2], tri[2, 2]) > cut:
            continue
        if max(tri[0, 2], tri[1, 2], tri[2, 2]) <= cut:
            out[n] = tri
            n += 1
        else:
            n = below(tri, cut, out, n)
    return out[:n].copy()


@compiled
def clear_of_breaks(spans: Spans) -> Floats:
    """From each cell the distance (mm, at most) over which everything is level at its own height.

    Of every cell the nearest that is not level, or at another height than its neighbours. Outside the raster lies the
    floor.
    """
    nx, ny = spans.nx, spans.ny
    broken = np.zeros((ny, nx), np.bool_)
    for j in range(ny):
        for i in range(nx):
            z = spans.level[j * nx + i]
            bad = math.isnan(z)
            for dj in range(-1, 2):
                for di in range(-1, 2):
                    a, b = i + di, j + dj
                    other = spans.level[b * nx + a] if 0 <= a < nx and 0 <= b < ny else spans.floor
                    bad = bad or not abs(other - z) <= LEVEL_MM
            broken[j, i] = bad
    return clear_of(broken, spans.cell)


@compiled
def clear_of_change(spans: Spans, ends: Floats, low: float, high: float) -> Floats:
    """From each cell the distance (mm, at most) over which two cuts leave the same terrain, as `cut_off` cuts.

    Undersides, which end nowhere, are no change: under no cut what they belong to lies over them.
    """
    changes = np.zeros(spans.corners.shape[0], np.bool_)
    for t in range(spans.corners.shape[0]):
        tri = spans.corners[t]
        top, bottom = max(tri[0, 2], tri[1, 2], tri[2, 2]), min(tri[0, 2], tri[1, 2], tri[2, 2])
        changes[t] = max(top, ends[t]) > low and bottom <= high and ends[t] <= high and ends[t] < math.inf
    changed = np.zeros((spans.ny, spans.nx), np.bool_)
    for j in range(spans.ny):
        for i in range(spans.nx):
            m = j * spans.nx + i
            for k in range(spans.starts[m], spans.starts[m + 1]):
                if changes[spans.members[k]]:
                    changed[j, i] = True
                    break
    return clear_of(changed, spans.cell)


@compiled
def clear_of(broken: Bools, cell: float) -> Floats:
    """From each cell the distance (mm, at most) to the nearest broken one, of their nearest points.

    Two passes, over rows and columns.
    """
    ny, nx = broken.shape
    far = 1e9
    across_row = np.full((ny, nx), far)
    for j in range(ny):
        last = -far
        for i in range(nx):
            if broken[j, i]:
                last = i
            across_row[j, i] = min(across_row[j, i], i - last)
        last = far
        for i in range(nx - 1, -1, -1):
            if broken[j, i]:
                last = i
            across_row[j, i] = min(across_row[j, i], last - i)
    out = np.empty((ny, nx))
    most = min(ny, FARTHEST)
    for j in range(ny):
        for i in range(nx):
            best = far
            for d in range(most):
                if d >= best:
                    break
                for b in (j - d, j + d):
                    if 0 <= b < ny and across_row[b, i] < far:
                        best = min(best, math.hypot(across_row[b, i], d))
            if best >= most and most < ny:  # farther was not looked
                best = most
            out[j, i] = max(0.0, best - 1.5) * cell
    return out
