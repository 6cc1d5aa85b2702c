"""The resting plane: the lowest at the centre of mass's ground point that lies over all terrain under the footprint.

Compiled. The plane is z = c + gx x + gy y about the base's middle. At finite tilt the footprint shortens and the ground
point moves downhill, so the plane is solved again for its own footprint until both agree, to rounding.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import KIND, ROUND, X0, Y0, crossings, farthest_on_arc, inside
from sim3d.space import Floats, Ints

RESTS, TOPPLES, FALLS, LOST = 0, 1, 2, 3  # what came out: a pose, no support on a side, nothing there, no convergence
OVER_MM = 1e-10  # a point this much over the plane is over it: a hundred times the rounding at 100 mm
SAME_GRADIENT = 1e-12  # two rounds agree
ROUNDS = 60  # of footprint and ground point; two or three do, near-vertical faces take more
PIVOTS = 400  # of one program; ten do
FAR = 8.0  # three props stand this many reaches out, so deep that any terrain lifts the plane off them
DEEP = 1e4

# A contact feature: what kind, which triangle, which of its edges or which edge of the outline, where along.
CORNER, EDGE, FACE_ARC, FACE_CORNER, PROP = 0, 1, 2, 3, 4


@compiled
def to_base(px: float, py: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """A horizontal offset from the middle as the base's own coordinates on the tilted plane."""
    k = (gx * px + gy * py) / (1.0 + math.sqrt(1.0 + gx * gx + gy * gy))
    qx, qy = px + gx * k, py + gy * k
    return ct * qx + st * qy, ct * qy - st * qx


@compiled
def to_table(qx: float, qy: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """The base's own coordinates as a horizontal offset from the middle."""
    ux, uy = ct * qx - st * qy, st * qx + ct * qy
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    k = (gx * ux + gy * uy) / (sec * (1.0 + sec))
    return ux - gx * k, uy - gy * k


@compiled
def ground_point(com: Floats, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """Where the centre of mass lies over, relative to the middle of the underside."""
    x, y = to_table(com[0], com[1], gx, gy, ct, st)
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    return x - com[2] * gx / sec, y - com[2] * gy / sec


@compiled
def face_slope(tri: Floats) -> tuple[bool, float, float]:
    """Whether a triangle has a height over each point, and its gradient."""
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    det = ax * by - ay * bx
    size = max(abs(ax), abs(ay), abs(bx), abs(by), abs(az), abs(bz))
    if abs(det) <= 1e-12 * size * size:  # upright or a needle: its edges say all there is
        return False, 0.0, 0.0
    return True, (az * by - bz * ay) / det, (bz * ax - az * bx) / det


@compiled
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


@compiled
def worst(
    tris: Floats,
    tops: Floats,
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
    point: Floats,
    feature: Ints,
) -> float:
    """How far the worst terrain point under the footprint stands over the plane; the point and its feature are filled.

    The footprint is that of a base with gradient (fx, fy).
    """
    best = OVER_MM
    shares = np.empty(16)
    slope = math.sqrt(gx * gx + gy * gy) * reach
    inner2, reach2 = inner * inner, reach * reach
    for t in range(tris.shape[0]):
        if tops[t] <= c - slope + best:  # all under the lowest point of the plane
            continue
        tri = tris[t]
        v0 = tri[0, 2] - c - gx * tri[0, 0] - gy * tri[0, 1]
        v1 = tri[1, 2] - c - gx * tri[1, 0] - gy * tri[1, 1]
        v2 = tri[2, 2] - c - gx * tri[2, 0] - gy * tri[2, 1]
        if v0 <= best and v1 <= best and v2 <= best:
            continue
        within = 0
        for i in range(3):
            x, y = tri[i, 0], tri[i, 1]
            slant = fx * x + fy * y
            d2 = x * x + y * y + slant * slant
            if d2 <= inner2:
                within += 1
            v = v0 if i == 0 else v1 if i == 1 else v2
            if v <= best or d2 > reach2:
                continue
            if d2 > inner2:
                qx, qy = to_base(x, y, fx, fy, ct, st)
                if not inside(pieces, reach, inner, qx, qy):
                    continue
            best = v
            point[0], point[1], point[2] = x, y, tri[i, 2]
            feature[0], feature[1], feature[2] = CORNER, t, i
        if within == 3:
            continue
        for i in range(3):
            j = (i + 1) % 3
            va = v0 if i == 0 else v1 if i == 1 else v2
            vb = v0 if j == 0 else v1 if j == 1 else v2
            if va <= best and vb <= best:
                continue
            ax, ay = to_base(tri[i, 0], tri[i, 1], fx, fy, ct, st)
            bx, by = to_base(tri[j, 0], tri[j, 1], fx, fy, ct, st)
            for k in range(crossings(edges, ax, ay, bx, by, shares)):
                s = shares[k]
                v = va + s * (vb - va)
                if v > best:
                    best = v
                    for a in range(3):
                        point[a] = tri[i, a] + s * (tri[j, a] - tri[i, a])
                    feature[0], feature[1], feature[2], feature[3] = EDGE, t, i, k
        if v0 <= best and v1 <= best and v2 <= best:
            continue
        real, mx, my = face_slope(tri)
        if not real:
            continue
        z0 = tri[0, 2] - mx * tri[0, 0] - my * tri[0, 1]
        # the rise of the face over the plane, as a direction in the base's own coordinates
        ux, uy = rise_in_base(mx - gx, my - gy, fx, fy, ct, st)
        for e in range(edges.shape[0]):
            if edges[e, KIND] == ROUND:
                found, qx, qy = farthest_on_arc(edges[e], ux, uy)
                if found:
                    x, y = to_table(qx, qy, fx, fy, ct, st)
                    v = z0 + (mx - gx) * x + (my - gy) * y - c
                    if v > best and over_triangle(tri, x, y):
                        best = v
                        point[0], point[1], point[2] = x, y, z0 + mx * x + my * y
                        feature[0], feature[1], feature[2] = FACE_ARC, t, e
            if edges.shape[0] > 1:
                x, y = to_table(edges[e, X0], edges[e, Y0], fx, fy, ct, st)
                v = z0 + (mx - gx) * x + (my - gy) * y - c
                if v > best and over_triangle(tri, x, y):
                    best = v
                    point[0], point[1], point[2] = x, y, z0 + mx * x + my * y
                    feature[0], feature[1], feature[2] = FACE_CORNER, t, e
    return best if best > OVER_MM else 0.0


@compiled
def rise_in_base(wx: float, wy: float, gx: float, gy: float, ct: float, st: float) -> tuple[float, float]:
    """The direction in the base's plane along which w . p grows fastest (the transpose of `to_table`)."""
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    k = (gx * wx + gy * wy) / (sec * (1.0 + sec))
    ux, uy = wx - gx * k, wy - gy * k
    return ct * ux + st * uy, ct * uy - st * ux


@compiled
def plane_through(basis: Floats) -> tuple[bool, float, float, float]:
    """c, gx, gy of the plane through three points."""
    ax, ay, az = basis[1, 0] - basis[0, 0], basis[1, 1] - basis[0, 1], basis[1, 2] - basis[0, 2]
    bx, by, bz = basis[2, 0] - basis[0, 0], basis[2, 1] - basis[0, 1], basis[2, 2] - basis[0, 2]
    det = ax * by - ay * bx
    if det == 0.0:
        return False, 0.0, 0.0, 0.0
    gx, gy = (az * by - bz * ay) / det, (bz * ax - az * bx) / det
    return True, basis[0, 2] - gx * basis[0, 0] - gy * basis[0, 1], gx, gy


@compiled
def weights(basis: Floats, x: float, y: float, out: Floats) -> bool:
    """The shares with which three points carry (x, y); false when they lie in a line."""
    ax, ay = basis[1, 0] - basis[0, 0], basis[1, 1] - basis[0, 1]
    bx, by = basis[2, 0] - basis[0, 0], basis[2, 1] - basis[0, 1]
    px, py = x - basis[0, 0], y - basis[0, 1]
    det = ax * by - ay * bx
    if det == 0.0:
        return False
    out[1] = (px * by - py * bx) / det
    out[2] = (ax * py - ay * px) / det
    out[0] = 1.0 - out[1] - out[2]
    return True


@compiled
def props(tx: float, ty: float, reach: float, low: float, basis: Floats, features: Ints) -> None:
    """Three points far out and far down around the target: a start that any terrain replaces."""
    for i in range(3):
        a = 2.0 * math.pi * i / 3.0 + 0.1
        basis[i, 0], basis[i, 1] = tx + FAR * reach * math.cos(a), ty + FAR * reach * math.sin(a)
        basis[i, 2] = low - DEEP * reach
        features[i, 0] = PROP


@compiled
def solve(
    tris: Floats,
    tops: Floats,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    basis: Floats,
    features: Ints,
) -> tuple[int, float, float, float]:
    """The program for a fixed footprint (that of gradient fx, fy) and target, from a basis that carries the target.

    Constraints are found as they are needed: the worst point over the plane replaces the basis point that keeps the target
    carried. The footprint stays that of (fx, fy); heights over the plane are those of the plane of the moment.
    """
    point, feature = np.empty(3), np.zeros(4, np.int64)
    share, entering = np.empty(3), np.empty(3)
    c = gx = gy = 0.0
    for _ in range(PIVOTS):
        ok, c, gx, gy = plane_through(basis)
        if not ok:
            return LOST, c, gx, gy
        over = worst(tris, tops, c, gx, gy, fx, fy, ct, st, edges, pieces, reach, inner, point, feature)
        if over <= 0.0:
            for i in range(3):
                if features[i, 0] == PROP:
                    return TOPPLES, c, gx, gy
            return RESTS, c, gx, gy
        if not weights(basis, tx, ty, share) or not weights(basis, point[0], point[1], entering):
            return LOST, c, gx, gy
        leave, least = -1, math.inf
        for i in range(3):
            if entering[i] > 1e-14:
                ratio = max(share[i], 0.0) / entering[i]
                if ratio < least or (ratio == least and entering[i] > entering[leave]):
                    leave, least = i, ratio
        if leave < 0:
            return LOST, c, gx, gy
        for a in range(3):
            basis[leave, a] = point[a]
        for a in range(4):
            features[leave, a] = feature[a]
    return LOST, c, gx, gy


@compiled
def refreshed(
    tris: Floats,
    feature: Ints,
    old: Floats,
    gx: float,
    gy: float,
    ct: float,
    st: float,
    edges: Floats,
    out: Floats,
) -> bool:
    """A contact feature's point for a footprint of gradient (gx, gy); false where the feature is not there any more."""
    kind, tri = feature[0], tris[feature[1]]
    if kind == CORNER:
        out[:] = tri[feature[2]]
        return True
    if kind == EDGE:
        i = feature[2]
        j = (i + 1) % 3
        ax, ay = to_base(tri[i, 0], tri[i, 1], gx, gy, ct, st)
        bx, by = to_base(tri[j, 0], tri[j, 1], gx, gy, ct, st)
        shares = np.empty(16)
        near, found = math.inf, False
        for k in range(crossings(edges, ax, ay, bx, by, shares)):
            x = tri[i, 0] + shares[k] * (tri[j, 0] - tri[i, 0])
            y = tri[i, 1] + shares[k] * (tri[j, 1] - tri[i, 1])
            away = math.hypot(x - old[0], y - old[1])
            if away < near:
                near, found = away, True
                out[0], out[1] = x, y
                out[2] = tri[i, 2] + shares[k] * (tri[j, 2] - tri[i, 2])
        return found
    real, mx, my = face_slope(tri)
    if not real:
        return False
    if kind == FACE_ARC:
        ux, uy = rise_in_base(mx - gx, my - gy, gx, gy, ct, st)
        found, qx, qy = farthest_on_arc(edges[feature[2]], ux, uy)
        if not found:
            return False
    else:
        qx, qy = edges[feature[2], X0], edges[feature[2], Y0]
    out[0], out[1] = to_table(qx, qy, gx, gy, ct, st)
    out[2] = tri[0, 2] + mx * (out[0] - tri[0, 0]) + my * (out[1] - tri[0, 1])
    return over_triangle(tri, out[0], out[1])


@compiled
def gaps(
    tris: Floats,
    features: Ints,
    basis: Floats,
    c: float,
    gx: float,
    gy: float,
    ct: float,
    st: float,
    edges: Floats,
    points: Floats,
    out: Floats,
) -> bool:
    """How far each of three features stands over the plane, at the places the plane's own footprint gives them."""
    for i in range(3):
        if not refreshed(tris, features[i], basis[i], gx, gy, ct, st, edges, points[i]):
            return False
        out[i] = points[i, 2] - c - gx * points[i, 0] - gy * points[i, 1]
    return True


@compiled
def agreed(
    tris: Floats,
    features: Ints,
    basis: Floats,
    c: float,
    gx: float,
    gy: float,
    ct: float,
    st: float,
    edges: Floats,
) -> tuple[bool, float, float, float]:
    """Newton's way to the plane whose own footprint puts its three contacts on it; the basis moves along."""
    points, gap, beside = np.empty((3, 3)), np.empty(3), np.empty(3)
    matrix, scratch = np.empty((3, 3)), np.empty((3, 3))
    for _ in range(12):
        if not gaps(tris, features, basis, c, gx, gy, ct, st, edges, points, gap):
            return False, c, gx, gy
        step = 1e-7
        for k in range(2):
            hx, hy = (gx + step, gy) if k == 0 else (gx, gy + step)
            if not gaps(tris, features, basis, c, hx, hy, ct, st, edges, scratch, beside):
                return False, c, gx, gy
            for i in range(3):
                matrix[i, k] = (beside[i] - gap[i]) / step
        for i in range(3):
            matrix[i, 2] = -1.0
        det = (
            matrix[0, 0] * (matrix[1, 1] * matrix[2, 2] - matrix[1, 2] * matrix[2, 1])
            - matrix[0, 1] * (matrix[1, 0] * matrix[2, 2] - matrix[1, 2] * matrix[2, 0])
            + matrix[0, 2] * (matrix[1, 0] * matrix[2, 1] - matrix[1, 1] * matrix[2, 0])
        )
        if det == 0.0 or not math.isfinite(det):
            return False, c, gx, gy
        change = np.empty(3)
        for k in range(3):
            scratch[:] = matrix
            for i in range(3):
                scratch[i, k] = gap[i]
            change[k] = (
                scratch[0, 0] * (scratch[1, 1] * scratch[2, 2] - scratch[1, 2] * scratch[2, 1])
                - scratch[0, 1] * (scratch[1, 0] * scratch[2, 2] - scratch[1, 2] * scratch[2, 0])
                + scratch[0, 2] * (scratch[1, 0] * scratch[2, 1] - scratch[1, 1] * scratch[2, 0])
            ) / det
        size = math.hypot(change[0], change[1])
        limit = 0.5 if size > 0.5 else size  # a step of more than half a gradient is a guess, not Newton's
        scale = limit / size if size > 0.0 else 1.0
        gx, gy, c = gx - scale * change[0], gy - scale * change[1], c - scale * change[2]
        basis[:] = points
        if size < 1e-13 and abs(change[2]) < 1e-11:
            break
    if not gaps(tris, features, basis, c, gx, gy, ct, st, edges, points, gap):
        return False, c, gx, gy
    basis[:] = points
    return True, c, gx, gy


@compiled
def lowest(
    tris: Floats,
    tops: Floats,
    com: Floats,
    turn: float,
    start_gx: float,
    start_gy: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    basis: Floats,
    features: Ints,
) -> tuple[int, float, float, float, int]:
    """The pose: what came out, c, gx, gy, rounds. `tris` are relative to the place, `basis` gets the three contacts.

    Each round solves for the footprint and ground point of the last gradient, then lets Newton agree the contacts with
    their own footprint. It has converged when a round changes nothing; the last round's program is then its own proof.
    """
    ct, st = math.cos(turn), math.sin(turn)
    low = math.inf
    for t in range(tris.shape[0]):
        low = min(low, tris[t, 0, 2], tris[t, 1, 2], tris[t, 2, 2])
    if tris.shape[0] == 0:
        return FALLS, 0.0, 0.0, 0.0, 0
    gx, gy, c = start_gx, start_gy, 0.0
    share = np.empty(3)
    kept = False
    before = math.inf
    for turn_no in range(ROUNDS):
        tx, ty = ground_point(com, gx, gy, ct, st)
        if not kept or not weights(basis, tx, ty, share) or share.min() < 0.0:
            props(tx, ty, reach, low, basis, features)
        out, c, hx, hy = solve(tris, tops, tx, ty, gx, gy, ct, st, edges, pieces, reach, inner, basis, features)
        if out == LOST:
            return LOST, c, hx, hy, turn_no
        if out == TOPPLES:
            nothing = True
            for i in range(3):
                nothing = nothing and features[i, 0] == PROP
            return (FALLS if nothing else TOPPLES), c, hx, hy, turn_no
        change = math.hypot(hx - gx, hy - gy)
        if change <= SAME_GRADIENT * (1.0 + math.hypot(gx, gy)):
            return RESTS, c, hx, hy, turn_no
        saved, marks = basis.copy(), features.copy()
        ok, nc, nx, ny = agreed(tris, features, basis, c, hx, hy, ct, st, edges)
        if ok and math.hypot(nx - gx, ny - gy) <= SAME_GRADIENT * (1.0 + math.hypot(gx, gy)):
            return RESTS, nc, nx, ny, turn_no
        kept = ok
        if ok and turn_no < ROUNDS // 2:
            gx, gy, c = nx, ny, nc
            continue
        basis[:], features[:] = saved, marks
        kept = False
        # where Newton finds no agreement, or the rounds go in circles, ever smaller steps
        damp = 1.0 if change < 0.5 * before else 0.5 if turn_no < ROUNDS // 2 else 0.25
        before = change
        gx, gy = gx + damp * (hx - gx), gy + damp * (hy - gy)
    return LOST, c, gx, gy, ROUNDS
