"""The resting plane from a raster of lids: the same program as `lowest`, step by step, asking far fewer triangles.

Compiled. `lowest` looks at everything under the footprint in every step; here a step asks the raster which triangle
stands highest over the plane. It is the same triangle, so the steps and the answer are the same, to rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, lent, scratch, scratch_marks
from sim3d.ground.foot import KIND, ROUND, X0, Y0, Foot, farthest_on_arc
from sim3d.ground.patch import out_of_reach
from sim3d.ground.spans import LEAVES, Spans, lower
from sim3d.space import Floats, Ints
from sim3d.statics.basis import guessed, leaving, plane_through, props, weights
from sim3d.statics.lowest import (
    AGREED_MM,
    ASIDE_MM,
    FALLS,
    FASTEST,
    IN_CIRCLES,
    LEAP,
    LOST,
    PIVOTS,
    RESTS,
    ROUNDS,
    SAME_GRADIENT,
    SAME_SLOPE,
    SLOWEST,
    TIE,
    TOPPLES,
    agreed,
    carries,
    distinct,
    paced,
    refreshed,
)
from sim3d.statics.over import CORNER, FACE_ARC, FACE_CORNER, PROP, ground_point, over_one, to_table
from sim3d.statics.rim import CREEPING_MM, along_rim

FLOOR, NONE = -1, -2  # numbers of the endless floor and of no triangle
SURE_MM = 1e-9  # a triangle that stands higher by less than this, a rounding, is passed over
OVER_LID_MM = 5e-9  # more than a lid lies over its terrain: else every cell of a level floor would be opened
APART_MM = 1e-9  # two contacts that are one place on the rim let it stand over the plane so far: less than a lid may
MOST = 0.5  # of how far the worst point may stand over a plane: it lifts the plane nearly as far, and is sooner found
ROOM = 8  # triangles kept for a place: three carry, the others were close
NO_PLANE, CONSISTENT, RESTING = 0, 1, 2  # what Newton's way ends in
LONG = 15  # rounds: by far the most searches take fewer
TIED = 2  # times that a pose counts as led on to where the first program ended in a tie, and in no pose: rounding chose
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


@compiled
def sectors(spans: Spans, spot: Spot) -> tuple[Floats, Ints]:
    """A first guess: the floor under the rim, and in each third a corner of terrain: where the highest lid is."""
    points, marks = np.empty((6, 3)), np.zeros((6, 4), np.int64)
    cell, inner = spans.cell, spot.foot.inner_mm
    nx, lids, tops = spans.nx, spans.lids, spans.tops
    fx0, fy0 = spot.x - spans.x0, spot.y - spans.y0
    j0, j1 = max(math.floor((fy0 - inner) / cell), 0), min(math.floor((fy0 + inner) / cell), spans.ny - 1)
    i0, i1 = max(math.floor((fx0 - inner) / cell), 0), min(math.floor((fx0 + inner) / cell), nx - 1)
    high, where = np.full(3, -math.inf), np.full(3, -1)
    for j in range(j0, j1 + 1):
        y = (j + 0.5) * cell - fy0
        for i in range(i0, i1 + 1):
            x = (i + 0.5) * cell - fx0
            if x * x + y * y > inner * inner:
                continue
            k = 0 if y > 0.5773502691896258 * abs(x) else 1 if x < 0.0 else 2
            lid = lids[2, j * nx + i]
            if lid > high[k] and tops[j * nx + i] > 0:
                high[k], where[k] = lid, j * nx + i
    n, slot = 0, 0
    if spans.floor == spans.floor:
        spot.tris[slot], spot.numbers[slot] = spot.floor, FLOOR
        for k in range(3):
            a = 2.0 * math.pi * k / 3.0 + 0.3
            qx, qy = farthest_on_rim(spot.foot.edges, math.cos(a), math.sin(a), marks[k])
            points[k, 0], points[k, 1] = to_table(qx, qy, 0.0, 0.0, spot.ct, spot.st)
            points[k, 2], marks[k, 1] = spans.floor, slot
        n, slot = 3, 1
    for k in range(3):
        if where[k] < 0:
            continue
        m = spans.members[spans.starts[where[k]]]
        best, at = -math.inf, -1
        for a in range(3):
            x, y = spans.corners[m, a, 0] - spot.x, spans.corners[m, a, 1] - spot.y
            if x * x + y * y <= 0.99 * inner * inner and spans.corners[m, a, 2] > best:
                best, at = spans.corners[m, a, 2], a
        if at < 0 or spans.corners[m, at, 2] <= spans.floor:
            continue
        relative(spans.corners, m, spot.x, spot.y, spot.tris[slot])
        spot.numbers[slot] = m
        points[n] = spot.tris[slot, at]
        marks[n, 0], marks[n, 1], marks[n, 2] = CORNER, slot, at
        n, slot = n + 1, slot + 1
    return points[:n], marks[:n]


@lean
def farthest_on_rim(edges: Floats, ux: float, uy: float, mark: Ints) -> tuple[float, float]:
    """The point of an outline farthest along (ux, uy), and what it is: of which edge the arc or the corner."""
    most, x, y = -math.inf, 0.0, 0.0
    for e in range(edges.shape[0]):
        found, qx, qy = edges[e, KIND] == ROUND, 0.0, 0.0
        if found:
            found, qx, qy = farthest_on_arc(edges[e], ux, uy)
        for kind in (FACE_ARC, FACE_CORNER):
            if kind == FACE_CORNER:
                found, qx, qy = edges.shape[0] > 1, edges[e, X0], edges[e, Y0]
            if found and ux * qx + uy * qy > most:
                most, x, y = ux * qx + uy * qy, qx, qy
                mark[0], mark[2] = kind, e
    return x, y


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


@lean
def solve_at(
    spans: Spans,
    spot: Spot,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    basis: Floats,
    features: Ints,
    guess: Floats,
    marks: Ints,
    tri: Floats,
    shares: Floats,
) -> tuple[int, float, float, float]:
    """`lowest.solve`, asking the raster; `guess` are terrain points under the footprint that are tried first."""
    point, feature = scratch(3), scratch_marks(4)
    share, entering = scratch(3), scratch(3)
    c = gx = gy = 0.0
    if not guessed(basis, features, tx, ty, guess, marks, guess.shape[0]):
        return LOST, c, gx, gy
    for _ in range(PIVOTS):
        ok, c, gx, gy = plane_through(basis)
        if not ok:
            return LOST, c, gx, gy
        over, number = worst_over(spans, spot, c, gx, gy, fx, fy, MOST, 0.0, 0.0, 0.0, point, feature, tri, shares)
        if over <= 0.0:
            for i in range(3):
                if features[i, 0] == PROP:
                    return TOPPLES, c, gx, gy
            return RESTS, c, gx, gy
        leave = leaving(basis, tx, ty, point[0], point[1], share, entering)
        if leave < 0:
            return LOST, c, gx, gy
        copied(point, basis[leave])
        features[leave, 0] = PROP
        feature[1] = taken(spans, spot, number, features)
        copied(feature, features[leave])
        if feature[0] == FACE_ARC and over > CREEPING_MM:
            along_rim(spot.tris, features, basis, leave, tx, ty, fx, fy, spot.ct, spot.st, spot.foot.edges, APART_MM)
    return LOST, c, gx, gy


@compiled
def flatter_at(
    spans: Spans,
    spot: Spot,
    aside: Spot,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    basis: Floats,
    features: Ints,
    c: float,
    gx: float,
    gy: float,
    tri: Floats,
    shares: Floats,
) -> tuple[float, float, float]:
    """`lowest.flatter`, asking the raster; `aside` is the same place, to try in."""
    aside = lent(aside)
    guess, known = basis.copy(), features.copy()
    other, marks = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    best = math.hypot(gx, gy)
    share = np.empty(3)
    for k in range(6):
        a = math.pi * k / 3.0 + 0.3
        sx, sy = tx + ASIDE_MM * math.cos(a), ty + ASIDE_MM * math.sin(a)
        props(sx, sy, spot.foot.reach_mm, spans.low, other, marks)
        out, oc, ox, oy = solve_at(spans, aside, sx, sy, fx, fy, other, marks, guess, known, tri, shares)
        slope = math.hypot(ox, oy)
        if out == RESTS and slope < best - 1e-12 and weights(other, tx, ty, share) and share.min() > -TIE:
            best = slope
            basis[:], features[:] = other, marks
            spot.tris[:], spot.numbers[:] = aside.tris, aside.numbers
            c, gx, gy = oc, ox, oy
    return c, gx, gy


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


@lean
def proven(
    spans: Spans, spot: Spot, com: Floats, basis: Floats, features: Ints, x: Floats, tri: Floats, shares: Floats
) -> int:
    """Newton's plane x = (gx, gy, c) from these contacts: none; CONSISTENT with its footprint; RESTING on them.

    It rests where nothing stands over it and its contacts carry its own ground point.
    """
    foot, ct, st = spot.foot, spot.ct, spot.st
    count = distinct(features, basis)
    if not agreed(
        spot.tris, features, basis, count, com, x, ct, st, foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    ):
        return NO_PLANE
    tx, ty = ground_point(com, x[0], x[1], ct, st)
    if not carries(basis, count, tx, ty):
        return CONSISTENT
    over, _ = worst_over(
        spans, spot, x[2], x[0], x[1], x[0], x[1], 1.0, 0.0, 0.0, 0.0, scratch(3), scratch_marks(4), tri, shares
    )
    if over > AGREED_MM:
        return CONSISTENT
    if count == 2:
        copied(basis[1], basis[2])
    return RESTING


@compiled
def lowest_at(spans: Spans, spot: Spot, com: Floats, basis: Floats, features: Ints) -> tuple[int, float, float, float]:
    """`lowest.lowest` from level, asking the raster: what came out, and the plane, its height over the table's zero."""
    return lowest_from(spans, spot, com, 0.0, 0.0, basis, features)


@compiled
def lowest_from(
    spans: Spans,
    spot: Spot,
    com: Floats,
    start_gx: float,
    start_gy: float,
    basis: Floats,
    features: Ints,
) -> tuple[int, float, float, float]:
    """The same from a gradient."""
    ct, st, foot = spot.ct, spot.st, spot.foot
    edges, pieces, reach, inner = foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    spot.numbers[:] = NONE
    spot.led_on[0] = 0
    tri, shares = scratch(3, 3), scratch(16)
    gx, gy, c = start_gx, start_gy, 0.0
    share = scratch(3)
    x, point = scratch(3), scratch(3)
    room, named = scratch(3, 3), scratch_marks(3, 4)
    guess, marks = room[:0], named[:0]
    damp, fastest, lx, ly = 1.0, FASTEST, 0.0, 0.0
    sure_x = sure_y = 0.0
    back, turned, tied = 0, False, False
    for turn_no in range(ROUNDS):
        spot.led_on[0] += turn_no > LONG
        tx, ty = ground_point(com, gx, gy, ct, st)
        slant = gx * tx + gy * ty
        if spans.floor == spans.floor and tx * tx + ty * ty + slant * slant > reach * reach * (1.0 + 1e-9):
            if damp > 1.0:
                gx, gy, damp, fastest = sure_x, sure_y, 1.0, 1.0
                continue
            return TOPPLES, c, gx, gy  # nothing under the base can lie round a point beside it
        if turn_no > 0:  # what carried it last, where it is for this footprint
            n = 0
            for i in range(3):
                if features[i, 0] != PROP and refreshed(
                    spot.tris, features[i], basis[i], gx, gy, ct, st, edges, pieces, reach, inner, point
                ):
                    room[n], named[n] = point, features[i]
                    n += 1
            guess, marks = room[:n], named[:n]
        elif gx == 0.0 and gy == 0.0:
            guess, marks = sectors(spans, spot)
        props(tx, ty, reach, spans.low, basis, features)
        out, c, hx, hy = solve_at(spans, spot, tx, ty, gx, gy, basis, features, guess, marks, tri, shares)
        if out == LOST:
            return LOST, c, hx, hy
        if out == TOPPLES and damp > 1.0:  # perhaps past a pose: back, and slowly from here on
            gx, gy, damp, fastest = sure_x, sure_y, 1.0, 1.0
            continue
        if out == TOPPLES:
            bare = True
            for i in range(3):
                bare = bare and features[i, 0] == PROP
            if bare and (gx != 0.0 or gy != 0.0):
                return LOST, c, gx, gy  # a step too far: it has only left what lies under it
            return (FALLS if bare else TOPPLES), c, gx, gy  # the gradient whose footprint carries nothing
        if turn_no == 0 and weights(basis, tx, ty, share) and share.min() < TIE:
            aside, tied = spot_like(spot), True
            c, hx, hy = flatter_at(spans, spot, aside, tx, ty, gx, gy, basis, features, c, hx, hy, tri, shares)
        change = math.hypot(hx - gx, hy - gy)
        same = SAME_SLOPE if turned else SAME_GRADIENT
        if change <= same * (1.0 + math.hypot(gx, gy)):
            spot.led_on[0] += TIED if tied and turn_no > 0 else 0
            return RESTS, c, hx, hy
        x[0], x[1], x[2] = hx, hy, c
        found = proven(spans, spot, com, basis, features, x, tri, shares)
        leap = math.hypot(x[0] - hx, x[1] - hy)
        if found == RESTING and leap <= max(change, LEAP):
            spot.led_on[0] += TIED if tied and turn_no > 0 else 0
            return RESTS, x[2], x[0], x[1]
        if found != NO_PLANE and turn_no < ROUNDS // 3 and leap <= change:
            gx, gy = x[0], x[1]
            spot.led_on[0] += 1
            continue
        # where Newton finds no agreement
        turns = lx * (hx - gx) + ly * (hy - gy) < 0.0
        turned = turned or turns
        back += turns and damp <= SLOWEST
        if back == IN_CIRCLES:
            return LOST, c, gx, gy
        damp = min(paced(damp, hx - gx, hy - gy, lx, ly), fastest)
        lx, ly = hx - gx, hy - gy
        sure_x, sure_y = gx + min(damp, 1.0) * lx, gy + min(damp, 1.0) * ly
        gx, gy = gx + damp * lx, gy + damp * ly
    return LOST, c, gx, gy


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
