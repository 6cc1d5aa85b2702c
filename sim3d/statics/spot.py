"""One place on a raster of lids: which triangle stands highest over a plane there, and all that stand over it.

Compiled. What `over` says of every triangle under a footprint is asked here of the few that a lid lets through.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch, scratch_marks
from sim3d.ground.foot import Foot
from sim3d.ground.patch import out_of_reach
from sim3d.ground.spans import LEAVES, Spans, lower
from sim3d.space import Floats, Ints
from sim3d.statics.over import PROP, over_one

FLOOR, NONE = -1, -2  # numbers of the endless floor and of no triangle
SURE_MM = 1e-9  # a triangle that stands higher by less than this, a rounding, is passed over
OVER_LID_MM = 5e-9  # more than a lid lies over its terrain: else every cell of a level floor would be opened
ROOM = 8  # triangles kept for a place: three carry, the others were close
ASKED = 64  # triangles that a look remembers: one it has asked is not asked again
STRIDE = 40503  # places between neighbours in a mesh: side by side they would fill long runs, each searched to its end
DEEP_MM = -1e6  # under everything
WIDE = 16.0  # reaches: how far the triangle that stands for the floor goes


class Spot(NamedTuple):
    """One place to be solved: where, what stands there, and room for the triangles that matter."""

    x: float
    y: float
    com: Floats
    ct: float
    st: float
    foot: Foot
    tris: Floats  # (n, 3, 3) relative to the place
    numbers: Ints  # (n,) which each is; NONE: free
    floor: Floats  # (3, 3) the floor's triangle, relative to the place
    cells: Ints  # room for the cells that a look opens,
    overs: Floats  # and for how far their lids stand over the plane
    rows: Ints  # (k, 3) of the raster that may lie under the base: number, first cell, last cell
    led_on: Ints  # (1,) how often the last search went on from contacts that hold nothing, from a tie, or beyond LONG


@compiled
def floor_about(floor: float, reach: float) -> Floats:
    """The triangle (3, 3) that stands for the floor about a place."""
    tri = np.empty((3, 3))
    for i in range(3):
        a = 2.0 * math.pi * i / 3.0 + 0.4
        tri[i, 0], tri[i, 1], tri[i, 2] = WIDE * reach * math.cos(a), WIDE * reach * math.sin(a), floor
    return tri


@compiled
def spot_at(spans: Spans, x: float, y: float, com: Floats, turn: float, foot: Foot) -> Spot:
    """A place, ready."""
    across = 2 * math.ceil(foot.reach_mm / spans.cell) + 2
    return Spot(
        x,
        y,
        com,
        math.cos(turn),
        math.sin(turn),
        foot,
        np.empty((ROOM, 3, 3)),
        np.full(ROOM, NONE),
        floor_about(spans.floor, foot.reach_mm),
        np.empty(across * across, np.int64),
        np.empty(across * across),
        rows_under(spans, x, y, foot.reach_mm),
        np.zeros(1, np.int64),
    )


@compiled
def spot_like(spot: Spot) -> Spot:
    """The same place with room of its own."""
    return Spot(
        spot.x,
        spot.y,
        spot.com,
        spot.ct,
        spot.st,
        spot.foot,
        spot.tris.copy(),
        spot.numbers.copy(),
        spot.floor,
        spot.cells,
        spot.overs,
        spot.rows,
        spot.led_on,
    )


@compiled
def rows_under(spans: Spans, x: float, y: float, reach: float) -> Ints:
    """The rows of a raster that come within reach of a place, and from where to where: the same in every look."""
    cell, fx0, fy0 = spans.cell, x - spans.x0, y - spans.y0
    j0 = max(math.floor((fy0 - reach) / cell), 0)
    j1 = min(math.floor((fy0 + reach) / cell), spans.ny - 1)
    rows, n = np.empty((max(j1 - j0 + 1, 0), 3), np.int64), 0
    for j in range(j0, j1 + 1):
        low = j * cell - fy0
        near = low if low > 0.0 else -(low + cell) if low + cell < 0.0 else 0.0
        if near >= reach:
            continue
        wide = math.sqrt(reach * reach - near * near) * (1.0 + 1e-12)
        rows[n, 0] = j
        rows[n, 1] = max(math.floor((fx0 - wide) / cell), 0)
        rows[n, 2] = min(math.floor((fx0 + wide) / cell), spans.nx - 1)
        n += rows[n, 1] <= rows[n, 2]
    return rows[:n]


@lean
def taken(spans: Spans, spot: Spot, number: int, features: Ints) -> int:
    """Where a triangle lies in the room of a place; put there, in place of one that no contact needs, if it did not."""
    free = -1
    for k in range(ROOM):
        if spot.numbers[k] == number:
            return k
        used = False
        for i in range(3):
            used = used or (features[i, 0] != PROP and features[i, 1] == k)
        if not used and (free < 0 or (spot.numbers[k] == NONE and spot.numbers[free] != NONE)):
            free = k
    if number == FLOOR:
        for i in range(3):
            copied(spot.floor[i], spot.tris[free, i])
    else:
        relative(spans.corners, number, spot.x, spot.y, spot.tris[free])
    spot.numbers[free] = number
    return free


@lean
def relative(corners: Floats, number: int, x: float, y: float, out: Floats) -> None:
    """A triangle as seen from a place."""
    for i in range(3):
        out[i, 0], out[i, 1], out[i, 2] = corners[number, i, 0] - x, corners[number, i, 1] - y, corners[number, i, 2]


@lean
def worst_over(
    spans: Spans,
    spot: Spot,
    c: float,
    gx: float,
    gy: float,
    fx: float,
    fy: float,
    enough: float,
    ax: float,
    ay: float,
    least_along: float,
    point: Floats,
    feature: Ints,
    tri: Floats,
    shares: Floats,
) -> tuple[float, int]:
    """How far the worst terrain point under the footprint stands over the plane, as `worst`; its triangle's number.

    One that stands over it by a share that is `enough` of what the worst may do does as well. Terrain that lies less
    far along (ax, ay) than `least_along` (mm) may be passed over.
    """
    least = OVER_LID_MM * (1.0 + abs(gx) + abs(gy))  # heights over a steep plane are rounded as steeply
    best, chosen = least, NONE
    foot, ct, st = spot.foot, spot.ct, spot.st
    pieces, edges, reach, inner = foot.pieces, foot.edges, foot.reach_mm, foot.inner_mm
    cell = spans.cell
    half = 0.5 * cell
    if spans.floor == spans.floor:
        v = over_one(spot.floor, c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, best, point, feature, shares)
        if v > best:
            best, chosen = v, FLOOR
    for k in range(spot.numbers.shape[0]):  # what carried the plane before is a good guess: it lifts the bar
        if spot.numbers[k] >= 0:
            v = over_one(
                spot.tris[k], c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, best, point, feature, shares
            )
            if v > best:
                best, chosen = v, spot.numbers[k]
    px, py = spot.x, spot.y
    fx0, fy0 = px - spans.x0, py - spans.y0
    nx, lids, steep_lids, leaf_steep_lids = spans.nx, spans.lids, spans.steep_lids, spans.leaf_steep_lids  # taken once
    leaves, leaf_lids, halves, lists = spans.leaves, spans.leaf_lids, spans.leaf_halves, spans.leaf_lists
    highs, members, corners = spans.highs, spans.members, spans.corners
    steep = abs(gx) + abs(gy)
    c0 = c - gx * px - gy * py  # the plane over the table's own zero, only to pass triangles over
    many, top, bar = 0, 0, best + least  # along a straight edge many stand as high, but for a rounding
    cells, overs, asked, parts = spot.cells, spot.overs, scratch_marks(ASKED), scratch(LEAVES)
    sec = math.sqrt(1.0 + fx * fx + fy * fy)
    wide = (abs(ax) + abs(ay)) * half
    for r in range(spot.rows.shape[0]):
        j, i0, i1 = spot.rows[r, 0], spot.rows[r, 1], spot.rows[r, 2]
        yc, xc0, row, end = j * cell - fy0 + half, i0 * cell - fx0 + half, j * nx + i0, j * nx + i1 + 1
        rises, leans, heights = lids[0, row:end], lids[1, row:end], lids[2, row:end]
        plane = c + gx * xc0 + gy * yc
        seen = overs[many : many + end - row]  # a row at once, without a question: processors take several together
        for i in range(end - row):
            seen[i] = heights[i] - plane - gx * (i * cell) + (abs(rises[i] - gx) + abs(leans[i] - gy)) * half
        for i in range(end - row):
            over = seen[i]
            if over <= bar:
                continue
            xc, mx, my = xc0 + i * cell, rises[i] - gx, leans[i] - gy
            if ax * xc + ay * yc + wide < least_along or not under_base(xc, yc, half, fx, fy, sec, reach):
                continue
            middle = over - (abs(mx) + abs(my)) * half
            over -= lower(heights[i], steep_lids[row + i], -mx, -my, half)
            if over <= bar:
                continue
            over = min(over, within_reach(middle, mx, my, xc, yc, half, fx, fy, sec, reach))
            if over <= bar:
                continue
            cells[many], overs[many] = row + i, over
            if over > overs[top]:
                top = many
            many += 1
    # the cell whose lid stands highest comes first: then the bar is high, and few others are opened
    for q in range(many):
        at = top if q == 0 else 0 if q == top else q
        if overs[at] <= best + least:
            continue
        first, last = leaves[cells[at]], leaves[cells[at] + 1]
        xs, ys, heights = leaf_lids[0, first:last], leaf_lids[1, first:last], leaf_lids[4, first:last]
        rises, leans, widths = leaf_lids[2, first:last], leaf_lids[3, first:last], halves[first:last]
        for i in range(last - first):
            plane = c + gx * (xs[i] - fx0) + gy * (ys[i] - fy0)
            parts[i] = heights[i] - plane + (abs(rises[i] - gx) + abs(leans[i] - gy)) * widths[i]
        for i in range(last - first):
            over, bar = parts[i], best + least
            if over <= bar:
                continue
            leaf, half, x, y = first + i, widths[i], xs[i] - fx0, ys[i] - fy0
            if ax * x + ay * y + (abs(ax) + abs(ay)) * half < least_along:
                continue
            if not under_base(x, y, half, fx, fy, sec, reach):
                continue
            plane, mx, my = c + gx * x + gy * y, rises[i] - gx, leans[i] - gy
            if over - lower(heights[i], leaf_steep_lids[leaf], -mx, -my, half) <= bar:
                continue
            if within_reach(heights[i] - plane, mx, my, x, y, half, fx, fy, sec, reach) <= bar:
                continue
            under = plane - steep * half  # the plane is nowhere lower in this leaf
            for k in range(lists[leaf, 0], lists[leaf, 1]):
                if highs[k] - under <= best:
                    break
                m = members[k]
                known = best + c0 + SURE_MM * (1.0 + steep)  # neighbours share the corner that is the highest so far
                if (
                    corners[m, 0, 2] - gx * corners[m, 0, 0] - gy * corners[m, 0, 1] <= known
                    and corners[m, 1, 2] - gx * corners[m, 1, 0] - gy * corners[m, 1, 1] <= known
                    and corners[m, 2, 2] - gx * corners[m, 2, 0] - gy * corners[m, 2, 1] <= known
                ):
                    continue
                if asked[m % ASKED] == m + 1:  # a long one lies in many cells: what it came to holds in all of them
                    continue
                asked[m % ASKED] = m + 1
                for a in range(3):
                    tri[a, 0], tri[a, 1], tri[a, 2] = corners[m, a, 0] - px, corners[m, a, 1] - py, corners[m, a, 2]
                v = over_one(tri, c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, best, point, feature, shares)
                if v > best:
                    best, chosen = v, m
        if best > max(enough * overs[top], least):
            break
    return (best if best > least else 0.0), chosen


@lean
def highest(
    spans: Spans,
    spot: Spot,
    gx: float,
    gy: float,
    ax: float,
    ay: float,
    least_along: float,
    point: Floats,
    feature: Ints,
    tri: Floats,
    shares: Floats,
) -> tuple[float, int]:
    """The height at which a base of a gradient, let down, touches first, and the triangle it does; NaN: none.

    Terrain that lies less far along (ax, ay) than `least_along` (mm) may be passed over.
    """
    over, number = worst_over(
        spans, spot, DEEP_MM, gx, gy, gx, gy, 1.0, ax, ay, least_along, point, feature, tri, shares
    )
    return DEEP_MM + over if over > 0.0 else math.nan, number


@compiled
def under_base(x: float, y: float, half: float, fx: float, fy: float, sec: float, reach: float) -> bool:
    """Whether any of a square about (x, y) may lie under a base of a gradient (`sec` its secant), as `to_base` maps."""
    k = (fx * x + fy * y) / (1.0 + sec)
    qx, qy, far = x + fx * k, y + fy * k, reach + 1.4143 * half * sec
    return qx * qx + qy * qy <= far * far


@lean
def within_reach(
    middle: float,
    mx: float,
    my: float,
    x: float,
    y: float,
    half: float,
    fx: float,
    fy: float,
    sec: float,
    reach: float,
) -> float:
    """How high a lid stands over a plane at most, in that part of a square that may lie under a base of a gradient.

    `middle` is how high it does in the square's middle (x, y), with a slope (mx, my). Farther out along (x, y) than the
    base reaches nothing counts: what the lid rises that way ends there.
    """
    far = math.sqrt(x * x + y * y)
    if (far + 1.4143 * half) * sec <= reach:
        return math.inf
    rx, ry = x / far, y / far
    along = (rx * fx + ry * fy) / sec
    ends = reach * math.sqrt(1.0 - along * along)  # seen from above, a leaning base is shorter downhill
    out = max(mx * rx + my * ry, 0.0)
    return middle + out * (ends - far) + (abs(mx - out * rx) + abs(my - out * ry)) * half


@compiled
def gathered(
    spans: Spans, spot: Spot, c: float, gx: float, gy: float, reach: float, over: float
) -> tuple[Ints, Floats]:
    """All triangles with a corner more than `over` (mm, vertical) over a plane that come within `reach` of a place.

    Those that are not hidden under others, each once; relative to the place. The floor comes first.
    """
    room, n = 16, 0
    numbers, tris = np.empty(room, np.int64), np.empty((room, 3, 3))
    seen = np.full(4 * room, NONE)  # the numbers again, each where `place_in` finds it
    if spans.floor == spans.floor and spans.floor - c + math.hypot(gx, gy) * reach > over:
        numbers[0], tris[0] = FLOOR, spot.floor
        n = 1
    cell = spans.cell
    half = 0.5 * cell
    fx0, fy0 = spot.x - spans.x0, spot.y - spans.y0
    j0 = max(math.floor((fy0 - reach) / cell), 0)
    j1 = min(math.floor((fy0 + reach) / cell), spans.ny - 1)
    steep = abs(gx) + abs(gy)
    tri = scratch(3, 3)  # counted, an array handed on for every triangle costs several times what is done with it
    reach2 = reach * reach * (1.0 + 1e-9)
    for j in range(j0, j1 + 1):
        low = j * cell - fy0
        near = low if low > 0.0 else -(low + cell) if low + cell < 0.0 else 0.0
        if near >= reach:
            continue
        wide = math.sqrt(reach * reach - near * near) * (1.0 + 1e-12)
        i0 = max(math.floor((fx0 - wide) / cell), 0)
        i1 = min(math.floor((fx0 + wide) / cell), spans.nx - 1)
        yc = low + half
        for i in range(i0, i1 + 1):
            m = j * spans.nx + i
            xc = i * cell - fx0 + half
            plane = c + gx * xc + gy * yc
            first = spans.starts[m]
            last = first + spans.tops[m]
            mx, my = spans.lids[0, m] - gx, spans.lids[1, m] - gy
            if spans.lids[2, m] - plane + (abs(mx) + abs(my)) * half <= over:
                continue
            for k in range(first, last):
                if spans.highs[k] - plane + steep * half <= over:
                    break
                number = spans.members[k]
                free = place_in(seen, number)
                if seen[free] == number:
                    continue
                relative(spans.corners, number, spot.x, spot.y, tri)
                v = -math.inf
                for a in range(3):
                    v = max(v, tri[a, 2] - c - gx * tri[a, 0] - gy * tri[a, 1])
                if v <= over or out_of_reach(tri, reach2):
                    continue
                if n == room:
                    room *= 2
                    numbers, seen = with_more_room(numbers)
                    more = np.empty((room, 3, 3))
                    more[:n] = tris
                    tris, free = more, place_in(seen, number)
                tris[n], numbers[n], seen[free] = tri, number, number
                n += 1
    return numbers[:n], tris[:n]


@compiled
def with_more_room(numbers: Ints) -> tuple[Ints, Ints]:
    """Numbers with room for as many again, and the list in which `place_in` finds them."""
    n = numbers.shape[0]
    more, seen = np.empty(2 * n, np.int64), np.full(8 * n, NONE)
    more[:n] = numbers
    for k in range(n):
        seen[place_in(seen, numbers[k])] = numbers[k]
    return more, seen


@lean
def place_in(seen: Ints, number: int) -> int:
    """Where a number stands in a list that is never more than half full, or where it belongs."""
    k = number * STRIDE % seen.shape[0]
    while seen[k] != NONE and seen[k] != number:
        k = (k + 1) % seen.shape[0]
    return k
