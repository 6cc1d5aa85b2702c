"""`Field`: terrain as a round base meets it on its way, cell by cell, in bounds that hold for every place of a cell.

A cell of a millimetre keeps, for a base with its middle anywhere in it, what is there in any case and what could be
there: heights of walkable ground under its core, steep faces and barred things under its rim. Compiled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, in_threads, lean
from sim3d.ground.covered import CORE
from sim3d.ground.patch import Ground
from sim3d.ground.relief import COSINE, LEVEL_MM, terrain_of
from sim3d.ground.way import TOUCH_MM, Walk, tall_over
from sim3d.space import Floats, Ints

CELL_MM = 1.0  # half of its diagonal is how much nearer to an obstacle than a sure way one could still be
MARGIN_MM = CELL_MM * math.sqrt(0.5) + 1e-6
KEPT = 6  # intervals of height in one list: floors, decks and roofs one over the other
AROUND_MM = 2.0  # terrain this far beside a base counts as near it
UNDER_IN, UNDER_OUT, STEEP_IN, STEEP_OUT, BARRED_IN, BARRED_OUT, SLOW_IN, SLOW_OUT = range(8)
LISTS = 8
ROWS = 64  # of cells that a thread takes at a time
BIN_MM = 2.0  # small triangles are put together in bins of this size
WALKED, STEEP, HUNG, BINNED = range(4)


class Field(NamedTuple):
    """Lists of height intervals, cell by cell, and what hangs over each cell."""

    x0: float  # the low corner of the first cell
    y0: float
    nx: int
    ny: int
    floor: float  # NaN: none
    counts: Ints  # (nx ny, LISTS)
    spans: Floats  # (nx ny, LISTS, KEPT, 2) low, high
    hung: Floats  # (nx ny,) the highest underside of anything that could be over the base
    walk: Floats  # step, tall, over, reach, whether drops are free


def field_of(
    ground: Ground,
    area: tuple[float, float, float, float],
    radius_mm: float,
    walk: Walk,
    *,
    low_mm: float,
    barred: Ints,
    slow: Ints,
    free_drop: bool = False,
) -> Field:
    """The field over an area (x, y to x, y) for a round base; `low_mm` is the lowest height it could come to.

    `barred` and `slow` say for each piece (0 or 1) whether it may not be met, and whether meeting it is to be told.
    """
    x0, y0 = math.floor(area[0] / CELL_MM) * CELL_MM, math.floor(area[1] / CELL_MM) * CELL_MM
    nx, ny = math.ceil((area[2] - x0) / CELL_MM) + 1, math.ceil((area[3] - y0) / CELL_MM) + 1
    reach = radius_mm + MARGIN_MM + BIN_MM
    lows, highs = bounds_of(ground.corners)
    flat, tall = math.cos(math.radians(walk.slope_deg)) - 1e-6, tall_over(ground, walk)
    cosines = terrain_of(ground).faces[:, COSINE]
    counts = np.zeros((nx * ny, LISTS), np.int64)
    spans = np.empty((nx * ny, LISTS, KEPT, 2))
    hung = np.full(nx * ny, -math.inf)
    across = (lows[:, 0] <= x0 + nx * CELL_MM + reach) & (highs[:, 0] >= x0 - reach)

    def some(row: int) -> None:
        """Rows of a block: what they hold depends on nothing but the block."""
        many = min(ROWS, ny - row)
        begin, end = y0 + row * CELL_MM, y0 + (row + many) * CELL_MM
        near = np.flatnonzero(across & (lows[:, 1] <= end + reach) & (highs[:, 1] >= begin - reach))
        part = slice(row * nx, (row + many) * nx)
        owners = ground.pieces[near]
        _filled(
            ground.corners[near], cosines[near], barred[owners], slow[owners], x0, begin, nx, many, radius_mm, flat,
            low_mm, walk.step_mm, tall, counts[part], spans[part], hung[part],
        )  # fmt: skip

    in_threads(some, range(0, ny, ROWS))
    values = np.array([walk.step_mm, tall, walk.over_mm, radius_mm, float(free_drop)])
    return Field(x0, y0, nx, ny, ground.floor_mm, counts, spans, hung, values)


def bounds_of(corners: Floats) -> tuple[Floats, Floats]:
    """The low and the high corner (m, 3) of the box about each triangle."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def block(field: Field, ring: Floats, low_mm: float, high_mm: float) -> None:
    """Bar what a convex ring (n, 2) covers between two heights: another mini's base."""
    tris = np.empty((len(ring) - 2, 3, 3))
    tris[:, 0, :2], tris[:, 1, :2], tris[:, 2, :2] = ring[0], ring[1:-1], ring[2:]
    tris[:, :, 2] = low_mm
    radius = float(field.walk[3])
    for tri in tris:
        _spread(tri, field.x0, field.y0, field.nx, field.ny, radius - TOUCH_MM, low_mm, high_mm,
                field.counts, field.spans, BARRED_IN, BARRED_OUT)  # fmt: skip


# --- filling ----------------------------------------------------------------------------------------------------------


@compiled
def _filled(
    tris: Floats,
    cosines: Floats,
    barred: Ints,
    slow: Ints,
    x0: float,
    y0: float,
    nx: int,
    ny: int,
    radius: float,
    flat: float,
    low: float,
    step: float,
    tall: float,
    counts: Ints,
    spans: Floats,
    hung: Floats,
) -> None:
    """Every triangle into the lists; small ones are put together first, a bin of two millimetres at a time."""
    edge = radius + MARGIN_MM + BIN_MM
    bx, by = math.floor((x0 - edge) / BIN_MM) * BIN_MM, math.floor((y0 - edge) / BIN_MM) * BIN_MM
    mx, my = int((nx * CELL_MM + 2 * edge) / BIN_MM) + 2, int((ny * CELL_MM + 2 * edge) / BIN_MM) + 2
    many, held = np.zeros((mx * my, BINNED), np.int64), np.empty((mx * my, BINNED, KEPT, 2))
    boxes = np.empty((mx * my, BINNED, 4))
    for t in range(tris.shape[0]):
        tri = tris[t]
        bottom = min(tri[0, 2], tri[1, 2], tri[2, 2])
        top = max(tri[0, 2], tri[1, 2], tri[2, 2])
        if top < low - step:
            continue
        lx, hx = min(tri[0, 0], tri[1, 0], tri[2, 0]), max(tri[0, 0], tri[1, 0], tri[2, 0])
        ly, hy = min(tri[0, 1], tri[1, 1], tri[2, 1]), max(tri[0, 1], tri[1, 1], tri[2, 1])
        i, j = math.floor((0.5 * (lx + hx) - bx) / BIN_MM), math.floor((0.5 * (ly + hy) - by) / BIN_MM)
        small = hx - lx <= BIN_MM and hy - ly <= BIN_MM and 0 <= i < mx and 0 <= j < my
        walkable = cosines[t] >= flat
        if walkable or top > low + min(step, tall):
            which, under = WALKED if walkable else STEEP, cosines[t] <= -flat
            if under or not (small and _binned(many, held, boxes, j * mx + i, which, lx, hx, ly, hy, bottom, top)):
                into = UNDER_IN if walkable else STEEP_OUT if under else STEEP_IN  # it may stand on what that is under
                reach = radius * CORE if walkable else radius - TOUCH_MM
                could = UNDER_OUT if walkable else STEEP_OUT
                _spread(tri, x0, y0, nx, ny, reach, bottom, top, counts, spans, into, could)
        if bottom > low + tall and not (
            small and _binned(many, held, boxes, j * mx + i, HUNG, lx, hx, ly, hy, bottom, bottom)
        ):
            _raised(tri, x0, y0, nx, ny, radius + MARGIN_MM, bottom, hung)
        if barred[t]:
            _spread(tri, x0, y0, nx, ny, radius - TOUCH_MM, bottom, top, counts, spans, BARRED_IN, BARRED_OUT)
        if slow[t]:
            _spread(tri, x0, y0, nx, ny, radius - TOUCH_MM, bottom, top, counts, spans, SLOW_IN, SLOW_OUT)
    for m in range(mx * my):
        for which in range(BINNED):
            if many[m, which]:
                reach = radius * CORE if which == WALKED else radius - TOUCH_MM if which == STEEP else radius
                into = UNDER_IN if which == WALKED else STEEP_IN
                _poured(
                    boxes[m, which], many[m, which], held[m, which], x0, y0, nx, ny, reach, counts, spans, into,
                    which == HUNG, hung,
                )  # fmt: skip


@lean
def _binned(
    many: Ints,
    held: Floats,
    boxes: Floats,
    m: int,
    which: int,
    lx: float,
    hx: float,
    ly: float,
    hy: float,
    low: float,
    high: float,
) -> bool:
    """Into a bin's list, if there is room; its box grows."""
    n = many[m, which]
    if n == KEPT:
        return False
    box = boxes[m, which]
    if n == 0:
        box[0], box[1], box[2], box[3] = lx, hx, ly, hy
    box[0], box[1], box[2], box[3] = min(box[0], lx), max(box[1], hx), min(box[2], ly), max(box[3], hy)
    _put(many[m], held[m], which, low, high, False)
    return True


@lean
def _poured(
    box: Floats,
    n: int,
    rows: Floats,
    x0: float,
    y0: float,
    nx: int,
    ny: int,
    reach: float,
    counts: Ints,
    spans: Floats,
    into: int,
    hangs: bool,
    hung: Floats,
) -> None:
    """A bin's intervals into every cell in reach of its box: there in any case where all of the box is in reach."""
    inner, outer = reach - MARGIN_MM, reach + MARGIN_MM
    i0 = max(0, math.floor((box[0] - outer - x0) / CELL_MM - 0.5))
    i1 = min(nx - 1, math.ceil((box[1] + outer - x0) / CELL_MM - 0.5))
    j0 = max(0, math.floor((box[2] - outer - y0) / CELL_MM - 0.5))
    j1 = min(ny - 1, math.ceil((box[3] + outer - y0) / CELL_MM - 0.5))
    for j in range(j0, j1 + 1):
        y = y0 + (j + 0.5) * CELL_MM
        dy, fy = max(box[2] - y, y - box[3], 0.0), max(y - box[2], box[3] - y)
        for i in range(i0, i1 + 1):
            x = x0 + (i + 0.5) * CELL_MM
            dx = max(box[0] - x, x - box[1], 0.0)
            if dx * dx + dy * dy > outer * outer:
                continue
            m = j * nx + i
            if hangs:
                hung[m] = max(hung[m], rows[n - 1, 1])
                continue
            fx = max(x - box[0], box[1] - x)
            sure = fx * fx + fy * fy <= inner * inner
            for k in range(n):
                _put(counts[m], spans[m], into + 1, rows[k, 0], rows[k, 1], True)
                if sure:
                    _put(counts[m], spans[m], into, rows[k, 0], rows[k, 1], False)


@lean
def _raised(tri: Floats, x0: float, y0: float, nx: int, ny: int, reach: float, value: float, out: Floats) -> None:
    """Raise every cell within reach of a triangle to a value."""
    i0, i1, j0, j1 = _cells(tri, x0, y0, nx, ny, reach)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            if out[j * nx + i] < value:
                x, y = x0 + (i + 0.5) * CELL_MM, y0 + (j + 0.5) * CELL_MM
                if _off2(tri, x, y) <= reach * reach:
                    out[j * nx + i] = value


@lean
def _cells(tri: Floats, x0: float, y0: float, nx: int, ny: int, reach: float) -> tuple[int, int, int, int]:
    lx, hx = min(tri[0, 0], tri[1, 0], tri[2, 0]) - reach, max(tri[0, 0], tri[1, 0], tri[2, 0]) + reach
    ly, hy = min(tri[0, 1], tri[1, 1], tri[2, 1]) - reach, max(tri[0, 1], tri[1, 1], tri[2, 1]) + reach
    return (
        max(0, math.floor((lx - x0) / CELL_MM - 0.5)),
        min(nx - 1, math.ceil((hx - x0) / CELL_MM - 0.5)),
        max(0, math.floor((ly - y0) / CELL_MM - 0.5)),
        min(ny - 1, math.ceil((hy - y0) / CELL_MM - 0.5)),
    )


@lean
def _off2(tri: Floats, x: float, y: float) -> float:
    """The square of the flat distance from a place to a triangle; 0 over or under it."""
    best, inside, turn = math.inf, True, 0.0
    for a in range(3):
        b = (a + 1) % 3
        ex, ey = tri[b, 0] - tri[a, 0], tri[b, 1] - tri[a, 1]
        wx, wy = x - tri[a, 0], y - tri[a, 1]
        size = ex * ex + ey * ey
        s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * ex + wy * ey) / size))
        px, py = wx - s * ex, wy - s * ey
        best = min(best, px * px + py * py)
        side = ex * wy - ey * wx
        if a == 0:
            turn = side
        inside = inside and side * turn > 0.0
    return 0.0 if inside else best


@lean
def _spread(
    tri: Floats,
    x0: float,
    y0: float,
    nx: int,
    ny: int,
    reach: float,
    bottom: float,
    top: float,
    counts: Ints,
    spans: Floats,
    sure: int,
    could: int,
) -> None:
    """Write a triangle into every cell from which it is in any case, or could be, within reach of the middle.

    Of the part that is within reach, heights are bounded by the triangle's plane; what is there in any case are
    its corners within reach, its nearest place and the one that lies straight uphill and downhill from there.
    """
    inner, outer = reach - MARGIN_MM, reach + MARGIN_MM
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    area = ux * vy - uy * vx
    gx = gy = 0.0
    sloped = abs(area) > 1e-9
    if sloped:
        gx, gy = (uz * vy - vz * uy) / area, (ux * vz - vx * uz) / area
    steepness = math.hypot(gx, gy)
    upright = not sloped or steepness > 50.0  # a wall: heights are cut off along its plan instead
    thick = top - bottom
    i0, i1, j0, j1 = _cells(tri, x0, y0, nx, ny, outer)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            x, y = x0 + (i + 0.5) * CELL_MM, y0 + (j + 0.5) * CELL_MM
            near2 = _off2(tri, x, y)
            if near2 > outer * outer:
                continue
            m = j * nx + i
            low, high, lowest, highest = bottom, top, math.inf, -math.inf
            within = 0
            for a in range(3):
                dx, dy = tri[a, 0] - x, tri[a, 1] - y
                if dx * dx + dy * dy <= inner * inner:
                    within += 1
                    lowest, highest = min(lowest, tri[a, 2]), max(highest, tri[a, 2])
            if within == 3:
                lowest, highest = bottom, top
            elif thick > 0.0:
                if upright:
                    low, high = _cut(tri, x, y, outer)
                    under, upper = _cut(tri, x, y, inner)
                    if under <= upper:
                        lowest, highest = min(lowest, under), max(highest, upper)
                    if low > high:  # it is over or under the middle, and no side comes near: a cover seen edge on
                        low, high = bottom, top
                else:
                    z = tri[0, 2] + gx * (x - tri[0, 0]) + gy * (y - tri[0, 1])
                    low, high = max(bottom, z - steepness * outer), min(top, z + steepness * outer)
                    if near2 < inner * inner:
                        under, upper = _seen(tri, x, y, inner, gx, gy, steepness, z)
                        lowest, highest = min(lowest, under), max(highest, upper)
            elif near2 <= inner * inner:
                lowest, highest = bottom, top
            if low <= high:
                _put(counts[m], spans[m], could, low, high, True)
            if lowest <= highest:
                _put(counts[m], spans[m], sure, lowest, highest, False)


@compiled
def _cut(tri: Floats, x: float, y: float, reach: float) -> tuple[float, float]:
    """The heights of those parts of a triangle's sides that lie within reach of a place; (inf, -inf): none."""
    low, high = math.inf, -math.inf
    for a in range(3):
        b = (a + 1) % 3
        ex, ey, ez = tri[b, 0] - tri[a, 0], tri[b, 1] - tri[a, 1], tri[b, 2] - tri[a, 2]
        wx, wy = tri[a, 0] - x, tri[a, 1] - y
        size, half, rest = ex * ex + ey * ey, wx * ex + wy * ey, wx * wx + wy * wy - reach * reach
        s0, s1 = 0.0, 1.0
        if size <= 1e-18:
            if rest > 0.0:
                continue
        else:
            root = half * half - size * rest
            if root < 0.0:
                continue
            root = math.sqrt(root)
            s0, s1 = max(0.0, (-half - root) / size), min(1.0, (-half + root) / size)
            if s0 > s1:
                continue
        p, q = tri[a, 2] + s0 * ez, tri[a, 2] + s1 * ez
        low, high = min(low, p, q), max(high, p, q)
    return low, high


@lean
def _seen(
    tri: Floats, x: float, y: float, reach: float, gx: float, gy: float, steepness: float, z: float
) -> tuple[float, float]:
    """Heights that a sloping triangle has within reach of a place: along its sides, and uphill and downhill of it."""
    low, high = _cut(tri, x, y, reach)
    if steepness > 0.0:
        for sign in (-1.0, 1.0):
            px, py = x + sign * reach * gx / steepness, y + sign * reach * gy / steepness
            if _off2(tri, px, py) == 0.0:
                high, low = max(high, z + sign * steepness * reach), min(low, z + sign * steepness * reach)
    if low > high:
        low = high = z
    return low, high


@lean
def _put(counts: Ints, spans: Floats, which: int, low: float, high: float, could: bool) -> None:
    """Into a list of separate intervals in rising order; where it is full, a wider one where that could be, or none."""
    n = counts[which]
    rows = spans[which]
    k = 0
    while k < n and rows[k, 1] < low - LEVEL_MM:
        k += 1
    if k < n and rows[k, 0] <= high + LEVEL_MM:  # it meets that one, and perhaps the next ones
        rows[k, 0], rows[k, 1] = min(rows[k, 0], low), max(rows[k, 1], high)
        while k + 1 < n and rows[k + 1, 0] <= rows[k, 1] + LEVEL_MM:
            rows[k, 1] = max(rows[k, 1], rows[k + 1, 1])
            for a in range(k + 1, n - 1):
                rows[a, 0], rows[a, 1] = rows[a + 1, 0], rows[a + 1, 1]
            n -= 1
        counts[which] = n
        return
    if n == KEPT:
        if could:
            near = min(k, n - 1)
            rows[near, 0], rows[near, 1] = min(rows[near, 0], low), max(rows[near, 1], high)
        return
    for a in range(n, k, -1):
        rows[a, 0], rows[a, 1] = rows[a - 1, 0], rows[a - 1, 1]
    rows[k, 0], rows[k, 1] = low, high
    counts[which] = n + 1


# --- what lies about --------------------------------------------------------------------------------------------------


def cluttered(ground: Ground, field: Field, radius_mm: float, low_mm: float, high_mm: float) -> Floats:
    """Not 0 for each cell of a field from which a base could be near terrain between two heights."""
    out = np.zeros(field.nx * field.ny)
    reach = radius_mm + MARGIN_MM + AROUND_MM
    lows, highs = bounds_of(ground.corners)
    far = (field.x0 + field.nx * CELL_MM + reach, field.y0 + field.ny * CELL_MM + reach)
    near = (lows[:, 0] <= far[0]) & (highs[:, 0] >= field.x0 - reach) & (lows[:, 1] <= far[1])
    near &= (highs[:, 1] >= field.y0 - reach) & (highs[:, 2] > low_mm + LEVEL_MM) & (lows[:, 2] <= high_mm)
    _littered(ground.corners[near], field.x0, field.y0, field.nx, field.ny, reach, out)
    return out


@lean
def _littered(tris: Floats, x0: float, y0: float, nx: int, ny: int, reach: float, out: Floats) -> None:
    for t in range(tris.shape[0]):
        _raised(tris[t], x0, y0, nx, ny, reach, 1.0, out)
