"""What of the terrain under a footprint stands over a plane: corners, edges across the rim, the rim on faces.

Compiled. The plane is z = c + gx x + gy y about the base's middle; the footprint is that of a base with a gradient
(fx, fy) of its own, (ct, st) the cosine and sine of its turn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch, scratch_marks
from sim3d.ground.foot import KIND, ROUND, X0, Y0, Foot, crossings, farthest_on_arc, inside
from sim3d.ground.patch import LUMP, off_strip, out_of_reach, over_lump
from sim3d.space import Floats, Ints

OVER_MM = 1e-10  # a point this much over the plane is over it: a hundred times the rounding at 100 mm

ROUNDED_MM = 1e-9  # more than rounding makes of a height over a plane a kilometre away

# A contact feature: what kind, which triangle, which of its edges or which edge of the outline, where along.
CORNER, EDGE, FACE_ARC, FACE_CORNER, PROP = 0, 1, 2, 3, 4
SIDES = 8  # of a place, of which each tells what stands highest over a plane; a power of two


@lean
def to_base(px: float, py: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """A horizontal offset from the middle as the base's own coordinates on the tilted plane."""
    k = (gx * px + gy * py) / (1.0 + math.sqrt(1.0 + gx * gx + gy * gy))
    qx, qy = px + gx * k, py + gy * k
    return ct * qx + st * qy, ct * qy - st * qx


@lean
def to_table(qx: float, qy: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """The base's own coordinates as a horizontal offset from the middle."""
    ux, uy = ct * qx - st * qy, st * qx + ct * qy
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    k = (gx * ux + gy * uy) / (sec * (1.0 + sec))
    return ux - gx * k, uy - gy * k


@lean
def ground_point(com: Floats, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """Where the centre of mass lies over, relative to the middle of the underside."""
    x, y = to_table(com[0], com[1], gx, gy, ct, st)
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    return x - com[2] * gx / sec, y - com[2] * gy / sec


@lean
def face_slope(tri: Floats) -> tuple[bool, float, float]:
    """Whether a triangle has a height over each point, and its gradient."""
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    det = ax * by - ay * bx
    size = max(abs(ax), abs(ay), abs(bx), abs(by), abs(az), abs(bz))
    if abs(det) <= 1e-12 * size * size:  # upright or a needle: its edges say all there is
        return False, 0.0, 0.0
    return True, (az * by - bz * ay) / det, (bz * ax - az * bx) / det


@lean
def over_triangle(tri: Floats, x: float, y: float) -> bool:
    """Whether (x, y) lies over a triangle; its border counts."""
    left, right = False, False
    for i in range(3):
        j = (i + 1) % 3
        ax, ay, bx, by = tri[i, 0], tri[i, 1], tri[j, 0], tri[j, 1]
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        slack = 1e-12 * (abs(bx - ax) + abs(by - ay)) * (abs(x - ax) + abs(y - ay))
        if side > slack:
            left = True
        elif side < -slack:
            right = True
    return not (left and right)


@lean
def beside(ax: float, ay: float, bx: float, by: float, cx: float, cy: float, reach2: float) -> bool:
    """Whether a side of a triangle keeps it away from the circle about the origin: all of it lies beyond a line."""
    turn = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    for i in range(3):
        px, py, qx, qy = (ax, ay, bx, by) if i == 0 else (bx, by, cx, cy) if i == 1 else (cx, cy, ax, ay)
        dx, dy = qx - px, qy - py
        out = dy * px - dx * py  # which side of the line the origin lies on, times its length
        if out * turn < 0.0 and out * out > reach2 * (dx * dx + dy * dy):
            return True
    low2 = reach2
    return (
        (min(ax, bx, cx) > 0.0 and min(ax, bx, cx) ** 2 > low2)
        or (max(ax, bx, cx) < 0.0 and max(ax, bx, cx) ** 2 > low2)
        or (min(ay, by, cy) > 0.0 and min(ay, by, cy) ** 2 > low2)
        or (max(ay, by, cy) < 0.0 and max(ay, by, cy) ** 2 > low2)
    )


@lean
def over_one(
    tri: Floats,
    c: float,
    gx: float,
    gy: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    best: float,
    point: Floats,
    feature: Ints,
    shares: Floats,
) -> float:
    """How far a triangle stands over a plane under the footprint of gradient (fx, fy), if more than `best`.

    The point is filled, and of the feature all but the triangle's number.

    Arrays and numbers, not tuples of them: handing over a tuple costs more than the whole work.
    """
    v0 = tri[0, 2] - c - gx * tri[0, 0] - gy * tri[0, 1]
    v1 = tri[1, 2] - c - gx * tri[1, 0] - gy * tri[1, 1]
    v2 = tri[2, 2] - c - gx * tri[2, 0] - gy * tri[2, 1]
    if v0 <= best and v1 <= best and v2 <= best:
        return best
    q0x, q0y = to_base(tri[0, 0], tri[0, 1], fx, fy, ct, st)
    q1x, q1y = to_base(tri[1, 0], tri[1, 1], fx, fy, ct, st)
    q2x, q2y = to_base(tri[2, 0], tri[2, 1], fx, fy, ct, st)
    inner2, reach2 = inner * inner, reach * reach
    nearest, far = math.inf, 0.0
    for i in range(3):
        qx, qy = (q0x, q0y) if i == 0 else (q1x, q1y) if i == 1 else (q2x, q2y)
        d2 = qx * qx + qy * qy
        nearest, far = min(nearest, d2), max(far, d2)
        v = v0 if i == 0 else v1 if i == 1 else v2
        if v <= best or d2 > reach2:
            continue
        if d2 >= inner2 and not inside(pieces, reach, inner, qx, qy):
            continue
        best = v
        point[0], point[1], point[2] = tri[i, 0], tri[i, 1], tri[i, 2]
        feature[0], feature[2] = CORNER, i
    if far < inner2 or (v0 <= best and v1 <= best and v2 <= best):
        return best
    if nearest > reach2 and beside(q0x, q0y, q1x, q1y, q2x, q2y, reach2 * (1.0 + 1e-9)):
        return best
    if lower_within(v0, v1, v2, q0x, q0y, q1x, q1y, q2x, q2y, reach, best):
        return best
    for i in range(3):
        j = (i + 1) % 3
        va = v0 if i == 0 else v1 if i == 1 else v2
        vb = v0 if j == 0 else v1 if j == 1 else v2
        if va <= best and vb <= best:
            continue
        ax, ay = (q0x, q0y) if i == 0 else (q1x, q1y) if i == 1 else (q2x, q2y)
        bx, by = (q0x, q0y) if j == 0 else (q1x, q1y) if j == 1 else (q2x, q2y)
        for k in range(crossings(edges, reach, inner, ax, ay, bx, by, shares)):
            s = shares[k]
            v = va + s * (vb - va)
            if v > best:
                best = v
                for a in range(3):
                    point[a] = tri[i, a] + s * (tri[j, a] - tri[i, a])
                feature[0], feature[2], feature[3] = EDGE, i, k
    if v0 <= best and v1 <= best and v2 <= best:
        return best
    real, mx, my = face_slope(tri)
    if not real:
        return best
    z0 = tri[0, 2] - mx * tri[0, 0] - my * tri[0, 1]
    return rim_over(tri, mx, my, z0, c, gx, gy, fx, fy, ct, st, edges, best, point, feature)


@lean
def lower_within(
    v0: float,
    v1: float,
    v2: float,
    q0x: float,
    q0y: float,
    q1x: float,
    q1y: float,
    q2x: float,
    q2y: float,
    reach: float,
    best: float,
) -> bool:
    """Whether a triangle stands over a plane by less than `best` wherever it may lie under the base.

    Of one whose highest corner lies beside the base, that is asked of all of it that comes as near as the reach on the
    way from that corner to the middle. Heights over the plane, and places in the base's own coordinates.
    """
    x, y = (q0x, q0y) if v0 >= v1 and v0 >= v2 else (q1x, q1y) if v1 >= v2 else (q2x, q2y)
    far = math.sqrt(x * x + y * y)
    if far <= reach:
        return False
    x, y = x / far, y / far
    o0, o1, o2 = q0x * x + q0y * y - reach, q1x * x + q1y * y - reach, q2x * x + q2y * y - reach
    top = -math.inf
    for i in range(3):
        a, b = (o0, o1) if i == 0 else (o1, o2) if i == 1 else (o2, o0)
        va, vb = (v0, v1) if i == 0 else (v1, v2) if i == 1 else (v2, v0)
        if a <= 0.0:
            top = max(top, va)
        if (a <= 0.0) != (b <= 0.0):
            top = max(top, va + a / (a - b) * (vb - va))
    return top < best - ROUNDED_MM


@lean
def rim_over(
    tri: Floats,
    mx: float,
    my: float,
    z0: float,
    c: float,
    gx: float,
    gy: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
    best: float,
    point: Floats,
    feature: Ints,
) -> float:
    """How far a face stands over a plane at the rim, as `over_one`: its gradient, and its height over the middle."""
    # the rise of the face over the plane, as a direction in the base's own coordinates, and how far over its middle
    ux, uy = rise_in_base(mx - gx, my - gy, fx, fy, ct, st)
    middle = z0 - c
    for e in range(edges.shape[0]):
        for kind in (FACE_ARC, FACE_CORNER):
            if kind == FACE_ARC:
                if edges[e, KIND] != ROUND:
                    continue
                found, qx, qy = farthest_on_arc(edges[e], ux, uy)
                if not found:
                    continue
            elif edges.shape[0] > 1:
                qx, qy = edges[e, X0], edges[e, Y0]
            else:
                continue
            if middle + ux * qx + uy * qy <= best - ROUNDED_MM:
                continue
            x, y = to_table(qx, qy, fx, fy, ct, st)
            v = z0 + (mx - gx) * x + (my - gy) * y - c
            if v > best and over_triangle(tri, x, y):
                best = v
                point[0], point[1], point[2] = x, y, z0 + mx * x + my * y
                feature[0], feature[2] = kind, e
    return best


@lean
def sunk(tris: Floats, t: int, c: float, gx: float, gy: float, best: float) -> bool:
    """Whether no part of a triangle stands over a plane by more than `best`: asked before `over_one` is called."""
    return (
        tris[t, 0, 2] - c - gx * tris[t, 0, 0] - gy * tris[t, 0, 1] <= best
        and tris[t, 1, 2] - c - gx * tris[t, 1, 0] - gy * tris[t, 1, 1] <= best
        and tris[t, 2, 2] - c - gx * tris[t, 2, 0] - gy * tris[t, 2, 1] <= best
    )


@lean
def worst(
    tris: Floats,
    lumps: Floats,
    c: float,
    gx: float,
    gy: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    foot: Foot,
    point: Floats,
    feature: Ints,
) -> float:
    """How far the worst terrain point under the footprint stands over the plane; the point and its feature are filled.

    The footprint is that of a base with gradient (fx, fy).
    """
    least = OVER_MM * (1.0 + abs(gx) + abs(gy))  # heights over a steep plane are rounded as steeply
    best = least
    shares = scratch(16)
    edges, pieces, reach, inner = foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    wide = strip(reach, fx, fy)
    first, bound = -1, least
    for b in range(lumps.shape[0]):  # what may stand highest is looked at first: then the bar is high
        over = over_lump(lumps, b, gx, gy) - c
        if over > bound and within_base(lumps, b, fx, fy, inner):
            first, bound = b, over
    if first >= 0:
        for t in range(first * LUMP, min((first + 1) * LUMP, tris.shape[0])):
            if not sunk(tris, t, c, gx, gy, best):
                best = over_one(
                    tris[t], c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, best, point, feature, shares
                )
        best = max(best - ROUNDED_MM, least)  # the first of the highest in their order is told all the same
    for b in range(lumps.shape[0]):
        if over_lump(lumps, b, gx, gy) - c < best - ROUNDED_MM or off_strip(lumps, b, fx, fy, wide):
            continue
        for t in range(b * LUMP, min((b + 1) * LUMP, tris.shape[0])):
            if sunk(tris, t, c, gx, gy, best):
                continue
            v = over_one(tris[t], c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, best, point, feature, shares)
            if v > best:
                best, feature[1] = v, t
    return best if best > least else 0.0


@lean
def within_base(lumps: Floats, b: int, fx: float, fy: float, inner: float) -> bool:
    """Whether the middle of a lump lies well under a base of gradient (fx, fy)."""
    x, y = 0.5 * (lumps[b, 0] + lumps[b, 1]), 0.5 * (lumps[b, 2] + lumps[b, 3])
    return x * x + y * y + (fx * x + fy * y) ** 2 < inner * inner


@lean
def strip(reach: float, fx: float, fy: float) -> float:
    """How far fx x + fy y gets under a base of gradient (fx, fy): so much narrower is its footprint."""
    square = fx * fx + fy * fy
    return reach * math.sqrt(square / (1.0 + square)) * (1.0 + 1e-9)


class Under(NamedTuple):
    """What lies under one footprint: lumps and corners well inside its outline, and triangles that its rim may cross.

    Corners of lumps that are inside as a whole are not told one by one.
    """

    whole: Ints  # (k, 2) numbers of lumps, and of each its side of the middle
    points: Floats  # (n, 3)
    marks: Ints  # (n,) of each its triangle, which corner of it, its side of the middle: `mark_of` packs them
    across: Ints  # (m, 2) numbers of triangles, and of each its side


@lean
def side(x: float, y: float) -> int:
    """Which of the eighths about the middle a point lies in."""
    return (4 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (1 if abs(x) > abs(y) else 0)


@lean
def mark_of(t: int, corner: int, eighth: int) -> int:
    """A triangle, one of its corners and its side in one number: of many corners few are looked at again."""
    return (4 * t + corner) * SIDES + eighth


@compiled
def under(
    tris: Floats,
    lumps: Floats,
    traits: Ints,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    foot: Foot,
    c: float,
    gx: float,
    gy: float,
    deep: float,
) -> Under:
    """What lies under the footprint of a base with gradient (fx, fy): sorted once, weighed many times.

    Lumps that lie deeper than `deep` below the plane c, gx, gy are left out.
    """
    inner2, reach2 = foot.inner_mm * foot.inner_mm, foot.reach_mm * foot.reach_mm
    whole, rest = np.empty((lumps.shape[0], 2), np.int64), np.empty(lumps.shape[0], np.int64)
    inner = border = 0
    for b in range(lumps.shape[0]):
        if over_lump(lumps, b, gx, gy) - c < -deep:
            continue
        if inside_as_whole(lumps, b, fx, fy, inner2):
            x, y = lumps[b, 0] + lumps[b, 1], lumps[b, 2] + lumps[b, 3]
            whole[inner, 0], whole[inner, 1] = b, side(x, y)
            inner += 1
        elif not outside_as_whole(lumps, b, fx, fy, reach2):
            rest[border] = b
            border += 1
    faces = border * LUMP
    points, marks, across = np.empty((3 * faces, 3)), np.empty(3 * faces, np.int64), np.empty((faces, 2), np.int64)
    q = scratch(3, 2)
    n = m = 0
    for k in range(border):
        for t in range(rest[k] * LUMP, min((rest[k] + 1) * LUMP, tris.shape[0])):
            nearest, far = math.inf, 0.0
            for i in range(3):
                x, y = tris[t, i, 0], tris[t, i, 1]
                slant = fx * x + fy * y
                d2 = x * x + y * y + slant * slant
                nearest, far = min(nearest, d2), max(far, d2)
                if d2 < inner2 and traits[t] & (1 << i):
                    copied(tris[t, i], points[n])
                    marks[n] = mark_of(t, i, side(x, y))
                    n += 1
            if far >= inner2:
                if nearest > reach2:
                    for i in range(3):
                        q[i, 0], q[i, 1] = to_base(tris[t, i, 0], tris[t, i, 1], fx, fy, ct, st)
                if nearest <= reach2 or not out_of_reach(q, reach2 * (1.0 + 1e-9)):
                    x, y = tris[t, 0, 0] + tris[t, 1, 0] + tris[t, 2, 0], tris[t, 0, 1] + tris[t, 1, 1] + tris[t, 2, 1]
                    across[m, 0], across[m, 1] = t, side(x, y)
                    m += 1
    return Under(whole[:inner], points[:n], marks[:n], across[:m])


@lean
def inside_as_whole(lumps: Floats, b: int, fx: float, fy: float, inner2: float) -> bool:
    """Whether all of a lump lies well under a base of gradient (fx, fy)."""
    for k in range(4):
        x, y = lumps[b, k % 2], lumps[b, 2 + k // 2]
        slant = fx * x + fy * y
        if x * x + y * y + slant * slant >= inner2:
            return False
    return True


@lean
def outside_as_whole(lumps: Floats, b: int, fx: float, fy: float, reach2: float) -> bool:
    """Whether a lump lies farther out than a base of gradient (fx, fy) reaches."""
    lx, hx, ly, hy = lumps[b, 0], lumps[b, 1], lumps[b, 2], lumps[b, 3]
    x, y = max(lx, -hx, 0.0), max(ly, -hy, 0.0)
    low = fx * (lx if fx > 0.0 else hx) + fy * (ly if fy > 0.0 else hy)
    high = fx * (hx if fx > 0.0 else lx) + fy * (hy if fy > 0.0 else ly)
    slant = max(low, -high, 0.0)
    return x * x + y * y + slant * slant > reach2 * (1.0 + 1e-9)


@lean
def highest_in(tris: Floats, traits: Ints, b: int, c: float, gx: float, gy: float, bar: float, chosen: Ints) -> float:
    """How far the highest corner of a lump stands over a plane, if more than a bar; which one is told, too."""
    for t in range(b * LUMP, min((b + 1) * LUMP, tris.shape[0])):
        for i in range(3):
            v = tris[t, i, 2] - c - gx * tris[t, i, 0] - gy * tris[t, i, 1]
            if v > bar and traits[t] & (1 << i):
                bar, chosen[0], chosen[1] = v, t, i
    return bar


@lean
def over_plane(
    tris: Floats,
    lumps: Floats,
    traits: Ints,
    below: Under,
    c: float,
    gx: float,
    gy: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    foot: Foot,
    overs: Floats,
    found: Floats,
    features: Ints,
) -> None:
    """Of each side how far the worst of what lies under a footprint stands over a plane (0: nothing does), and where.

    Corners come first, those of the lumps that reach highest before all: then the bars are high, and few triangles are
    looked at.
    """
    least = OVER_MM * (1.0 + abs(gx) + abs(gy))  # heights over a steep plane are rounded as steeply
    chosen, high, tops = scratch_marks(SIDES, 2), scratch_marks(SIDES), scratch(SIDES)
    for k in range(SIDES):
        overs[k], tops[k] = least, least
    points, marks, whole = below.points, below.marks, below.whole
    for m in range(whole.shape[0]):
        k, top = whole[m, 1], over_lump(lumps, whole[m, 0], gx, gy) - c
        if top > tops[k]:
            tops[k], high[k] = top, whole[m, 0]
    for k in range(SIDES):
        if tops[k] > least:
            overs[k] = highest_in(tris, traits, high[k], c, gx, gy, least, chosen[k])
    for i in range(points.shape[0]):
        v = points[i, 2] - c - gx * points[i, 0] - gy * points[i, 1]
        k = marks[i] & (SIDES - 1)
        if v > overs[k]:
            overs[k], chosen[k, 0], chosen[k, 1] = v, marks[i] // (4 * SIDES), marks[i] // SIDES % 4
    for m in range(whole.shape[0]):
        k = whole[m, 1]
        if over_lump(lumps, whole[m, 0], gx, gy) - c > overs[k]:
            overs[k] = highest_in(tris, traits, whole[m, 0], c, gx, gy, overs[k], chosen[k])
    for k in range(SIDES):
        if overs[k] > least:
            copied(tris[chosen[k, 0], chosen[k, 1]], found[k])
            features[k, 0], features[k, 1], features[k, 2] = CORNER, chosen[k, 0], chosen[k, 1]
    shares = scratch(16)
    edges, pieces, reach, inner = foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    lean = math.sqrt(gx * gx + gy * gy) * reach
    across = below.across
    for m in range(across.shape[0]):
        t, k = across[m, 0], across[m, 1]
        bar = overs[k]
        if lumps[t // LUMP, 4] <= c - lean + bar or sunk(tris, t, c, gx, gy, bar):
            continue
        v = over_one(
            tris[t], c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, bar, found[k], features[k], shares
        )
        if v > bar:
            overs[k], features[k, 1] = v, t
    for k in range(SIDES):
        overs[k] = overs[k] if overs[k] > least else 0.0


@lean
def rise_in_base(wx: float, wy: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """The direction in the base's plane along which w . p grows fastest (the transpose of `to_table`)."""
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    k = (gx * wx + gy * wy) / (sec * (1.0 + sec))
    ux, uy = wx - gx * k, wy - gy * k
    return ct * ux + st * uy, ct * uy - st * ux
