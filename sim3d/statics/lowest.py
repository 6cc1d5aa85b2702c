"""The resting plane: the lowest at the centre of mass's ground point that lies over all terrain under the footprint.

Compiled. The plane is z = c + gx x + gy y about the base's middle. At finite tilt the footprint shortens and the ground
point moves downhill, so the plane is solved again for its own footprint until both agree, to rounding.
"""

from __future__ import annotations

import math

from sim3d.compiled import compiled, copied, exchanged, lean, scratch, scratch_marks
from sim3d.ground.foot import CX, CY, RX, RY, U0, U1, V0, V1, X0, X1, Y0, Y1, Foot, crossings, farthest_on_arc, inside
from sim3d.space import Floats, Ints
from sim3d.statics.basis import among, guessed, leaving, plane_through, props, weights
from sim3d.statics.over import (
    CORNER,
    EDGE,
    FACE_ARC,
    OVER_MM,
    PROP,
    SIDES,
    Under,
    face_slope,
    ground_point,
    over_plane,
    over_triangle,
    rise_in_base,
    to_base,
    to_table,
    under,
    worst,
)
from sim3d.statics.rim import CREEPING_MM, along_rim

RESTS, TOPPLES, FALLS, LOST = 0, 1, 2, 3  # what came out: a pose, no support on a side, nothing there, no convergence
SAME_GRADIENT = 1e-11  # two rounds agree
SAME_SLOPE = 3e-7  # the same once it goes to and fro: contacts of one face, or nearly of a plane, change places
BEYOND = 5e-6  # radians: an arc's end lies lower than its farthest point there by less than AGREED_MM
AGREED_MM = 1e-9  # contacts this near the plane lie on it; nothing may stand higher over it
TIE = 1e-7  # a share this small: the ground point lies on an edge between two facets
ASIDE_MM = 1e-5  # how far beside it the other facet is looked for
ON_EDGE = 2e-7  # a share by which the ground point may lie outside its contacts: rounding
LEAP = 0.05  # of a gradient: a pose this near is the one that was meant, however small the step before
ROUNDS = 60  # of footprint and ground point; two or three do, near-vertical faces take more
SLOWEST, FASTEST = 0.05, 4.0  # of a step
IN_CIRCLES = 6  # times that the shortest step turned back: there is no pose, its footprint carries another
STRAIGHT = 0.9  # cosine: of a step and the one before it
PIVOTS = 400  # of one program; ten do
LUMPS = 64  # of terrain: with more, what lies far below the plane of the round before is left out at first
BELOW_MM = 0.3  # that far, and as far as that round still moved the plane
APART_MM = (
    2e-11  # two contacts that are one place on the rim let it stand over the plane so far: less than is asked for
)
KNOWN = 64  # terrain points of one program that are kept


@lean
def solve(
    tris: Floats,
    lumps: Floats,
    traits: Ints,
    below: Under,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    foot: Foot,
    basis: Floats,
    features: Ints,
) -> tuple[int, float, float, float]:
    """The program for a fixed footprint (that of gradient fx, fy) and target, from a basis that carries the target.

    Constraints are found as they are needed: of each side the worst point over the plane joins those that are known,
    and as long as one of these stands over it, the worst takes the place of the basis point that may go without leaving
    the target uncarried.
    """
    overs, found, marks = scratch(SIDES), scratch(SIDES, 3), scratch_marks(SIDES, 4)
    known, names = scratch(KNOWN, 3), scratch_marks(KNOWN, 4)
    share, entering = scratch(3), scratch(3)
    c = gx = gy = 0.0
    many = 0
    for _ in range(PIVOTS):
        ok, c, gx, gy = plane_through(basis)
        if not ok:
            return LOST, c, gx, gy
        most, worst_one = OVER_MM * (1.0 + abs(gx) + abs(gy)), -1
        for k in range(many):
            v = known[k, 2] - c - gx * known[k, 0] - gy * known[k, 1]
            if v > most and not among(basis, known[k]):
                most, worst_one = v, k
        if worst_one < 0:
            over_plane(tris, lumps, traits, below, c, gx, gy, fx, fy, ct, st, foot, overs, found, marks)
            if many > KNOWN - SIDES:
                many = 0
            for k in range(SIDES):
                if overs[k] > 0.0 and not among(basis, found[k]):
                    if overs[k] > most:
                        most, worst_one = overs[k], many
                    copied(found[k], known[many])
                    copied(marks[k], names[many])
                    many += 1
            if worst_one < 0:
                for i in range(3):
                    if features[i, 0] == PROP:
                        return TOPPLES, c, gx, gy
                return RESTS, c, gx, gy
        leave = leaving(basis, tx, ty, known[worst_one, 0], known[worst_one, 1], share, entering)
        if leave < 0:
            return LOST, c, gx, gy
        copied(known[worst_one], basis[leave])
        copied(names[worst_one], features[leave])
        if features[leave, 0] == FACE_ARC and most > CREEPING_MM:
            along_rim(tris, features, basis, leave, tx, ty, fx, fy, ct, st, foot.edges, APART_MM)
    return LOST, c, gx, gy


@lean
def just_beyond(edge: Floats, ux: float, uy: float) -> tuple[bool, float, float]:
    """The end of an arc where the point farthest along (ux, uy) would lie a hair beyond it.

    A straight side that lies on a face has its arcs' ends on it: which way they look then is rounding.
    """
    vx, vy = edge[RX] * ux, edge[RY] * uy
    size = math.hypot(vx, vy)
    if math.hypot(vx - size * edge[U0], vy - size * edge[V0]) < BEYOND * size:
        return True, edge[X0], edge[Y0]
    return math.hypot(vx - size * edge[U1], vy - size * edge[V1]) < BEYOND * size, edge[X1], edge[Y1]


@lean
def refreshed(
    tris: Floats,
    feature: Ints,
    old: Floats,
    gx: float,
    gy: float,
    ct: float,
    st: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    out: Floats,
) -> bool:
    """A contact feature's point for a footprint of gradient (gx, gy); false where the feature is not there any more."""
    kind, tri = feature[0], tris[feature[1]]
    if kind == CORNER:
        copied(tri[feature[2]], out)
        slant = gx * out[0] + gy * out[1]
        d2 = out[0] * out[0] + out[1] * out[1] + slant * slant
        if d2 < inner * inner:
            return True
        if d2 > reach * reach:
            return False
        qx, qy = to_base(out[0], out[1], gx, gy, ct, st)
        return inside(pieces, reach, inner, qx, qy)
    if kind == EDGE:
        i = feature[2]
        j = (i + 1) % 3
        ax, ay = to_base(tri[i, 0], tri[i, 1], gx, gy, ct, st)
        bx, by = to_base(tri[j, 0], tri[j, 1], gx, gy, ct, st)
        shares = scratch(16)
        near, found = math.inf, False
        for k in range(crossings(edges, reach, inner, ax, ay, bx, by, shares)):
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
        edge = edges[feature[2]]
        ux, uy = rise_in_base(mx - gx, my - gy, gx, gy, ct, st)
        if ux * ux + uy * uy < SAME_SLOPE * SAME_SLOPE:  # it lies in that face: all of the rim on it touches
            qx, qy = to_base(old[0], old[1], gx, gy, ct, st)
            ux, uy = (qx - edge[CX]) / (edge[RX] * edge[RX]), (qy - edge[CY]) / (edge[RY] * edge[RY])
        found, qx, qy = farthest_on_arc(edge, ux, uy)
        if not found:
            found, qx, qy = just_beyond(edge, ux, uy)
        if not found:
            return False
    else:
        qx, qy = edges[feature[2], X0], edges[feature[2], Y0]
    out[0], out[1] = to_table(qx, qy, gx, gy, ct, st)
    out[2] = tri[0, 2] + mx * (out[0] - tri[0, 0]) + my * (out[1] - tri[0, 1])
    return over_triangle(tri, out[0], out[1])


@lean
def distinct(features: Ints, basis: Floats) -> int:
    """Puts different contacts first and counts them: a rim on one face is one contact, however often it was met."""
    count = 3
    for i in range(3):
        for j in range(i):
            same = features[i, 0] == features[j, 0] and features[i, 1] == features[j, 1]
            if same and features[i, 0] == FACE_ARC and features[i, 2] == features[j, 2] and count == 3:
                other = 3 - i - j
                if other != 1:  # between the two
                    exchanged(basis[1], basis[other])
                    exchanged(features[1], features[other])
                count = 2
    return count


@lean
def misfits(
    tris: Floats,
    features: Ints,
    basis: Floats,
    count: int,
    com: Floats,
    x: Floats,
    ct: float,
    st: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    points: Floats,
    out: Floats,
) -> bool:
    """What is wrong with a plane x = (gx, gy, c): its contacts' heights over it, at the places its own footprint gives.

    With two contacts the third fault is how far the ground point lies beside the line that joins them.
    """
    for i in range(count):
        if not refreshed(tris, features[i], basis[i], x[0], x[1], ct, st, edges, pieces, reach, inner, points[i]):
            return False
        out[i] = points[i, 2] - x[2] - x[0] * points[i, 0] - x[1] * points[i, 1]
    if count == 2:
        tx, ty = ground_point(com, x[0], x[1], ct, st)
        dx, dy = points[1, 0] - points[0, 0], points[1, 1] - points[0, 1]
        size = math.hypot(dx, dy)
        if size == 0.0:
            return False
        out[2] = ((tx - points[0, 0]) * dy - (ty - points[0, 1]) * dx) / size
    return True


@lean
def determinant(m: Floats) -> float:
    """Of a 3 by 3 matrix."""
    return (
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    )


@lean
def agreed(
    tris: Floats,
    features: Ints,
    basis: Floats,
    count: int,
    com: Floats,
    x: Floats,
    ct: float,
    st: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
) -> bool:
    """Newton's way to the plane whose own footprint puts its contacts on it; x = (gx, gy, c) and basis move along."""
    points, fault, beside = scratch(3, 3), scratch(3), scratch(3)
    matrix, other, trial = scratch(3, 3), scratch(3, 3), scratch(3)
    copied(basis[2], points[2])
    for _ in range(15):
        if not misfits(tris, features, basis, count, com, x, ct, st, edges, pieces, reach, inner, points, fault):
            return False
        for k in range(3):
            step = 1e-7
            copied(x, trial)
            trial[k] += step
            if not misfits(
                tris, features, basis, count, com, trial, ct, st, edges, pieces, reach, inner, other, beside
            ):
                return False
            for i in range(3):
                matrix[i, k] = (beside[i] - fault[i]) / step
        det = determinant(matrix)
        if det == 0.0 or not math.isfinite(det):
            return False
        for k in range(3):
            for i in range(3):
                copied(matrix[i], other[i])
                other[i, k] = fault[i]
            trial[k] = determinant(other) / det
        size = math.hypot(trial[0], trial[1])
        scale = 0.5 / size if size > 0.5 else 1.0  # a step of more than half a gradient is a guess, not Newton's
        for k in range(3):
            x[k] -= scale * trial[k]
        if size < 1e-12 and abs(trial[2]) < 1e-11:
            break
    if not misfits(tris, features, basis, count, com, x, ct, st, edges, pieces, reach, inner, points, fault):
        return False
    for i in range(count):
        copied(points[i], basis[i])
    return abs(fault[0]) + abs(fault[1]) + abs(fault[2]) < AGREED_MM


@lean
def carries(basis: Floats, count: int, tx: float, ty: float) -> bool:
    """Whether two or three contacts carry a ground point between them."""
    if count == 2:
        dx, dy = basis[1, 0] - basis[0, 0], basis[1, 1] - basis[0, 1]
        along = (tx - basis[0, 0]) * dx + (ty - basis[0, 1]) * dy
        return 0.0 <= along <= dx * dx + dy * dy
    share = scratch(3)
    return weights(basis, tx, ty, share) and min(share[0], share[1], share[2]) >= -ON_EDGE


@lean
def flatter(
    tris: Floats,
    lumps: Floats,
    traits: Ints,
    below: Under,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    foot: Foot,
    low: float,
    basis: Floats,
    features: Ints,
    c: float,
    gx: float,
    gy: float,
) -> tuple[float, float, float]:
    """Where the ground point lies on an edge between facets, all of them carry it: the flattest is the answer."""
    other, marks = scratch(3, 3), scratch_marks(3, 4)
    best = math.hypot(gx, gy)
    share = scratch(3)
    for k in range(6):
        a = math.pi * k / 3.0 + 0.3
        sx, sy = tx + ASIDE_MM * math.cos(a), ty + ASIDE_MM * math.sin(a)
        props(sx, sy, foot.reach_mm, low, other, marks)
        out, oc, ox, oy = solve(tris, lumps, traits, below, sx, sy, fx, fy, ct, st, foot, other, marks)
        slope = math.hypot(ox, oy)
        if (
            out == RESTS
            and slope < best - 1e-12
            and weights(other, tx, ty, share)
            and min(share[0], share[1], share[2]) > -TIE
        ):
            best = slope
            for i in range(3):
                copied(other[i], basis[i])
                copied(marks[i], features[i])
            c, gx, gy = oc, ox, oy
    return c, gx, gy


@lean
def paced(pace: float, x: float, y: float, before_x: float, before_y: float) -> float:
    """How much of the next step is taken: less where it turns back, for then the rounds go in circles; more where each
    goes on as the last, for then they creep, towards a pose or past the last place that could have been one.
    """
    along = x * before_x + y * before_y
    if along < 0.0:
        return max(0.5 * pace, SLOWEST)
    if along > STRAIGHT * math.hypot(x, y) * math.hypot(before_x, before_y):
        return min(1.3 * pace, FASTEST)
    return pace


@compiled
def lowest(
    tris: Floats,
    lumps: Floats,
    traits: Ints,
    com: Floats,
    turn: float,
    start_gx: float,
    start_gy: float,
    foot: Foot,
    basis: Floats,
    features: Ints,
) -> tuple[int, float, float, float, int]:
    """The pose: what came out, c, gx, gy, rounds. `tris` are relative to the place, `basis` gets the contacts.

    Each round solves for the footprint and ground point of the last gradient, then lets Newton agree the contacts with
    their own footprint. It rests when nothing stands over that plane and its contacts carry its own ground point.
    """
    ct, st = math.cos(turn), math.sin(turn)
    edges, pieces, reach, inner = foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    if tris.shape[0] == 0:
        return FALLS, 0.0, 0.0, 0.0, 0
    low = math.inf
    for t in range(tris.shape[0]):
        low = min(low, tris[t, 0, 2], tris[t, 1, 2], tris[t, 2, 2])
    gx, gy, c = start_gx, start_gy, 0.0
    hx, hy, change = gx, gy, math.inf
    share = scratch(3)
    x, point, feature = scratch(3), scratch(3), scratch_marks(4)
    room, named = scratch(3, 3), scratch_marks(3, 4)
    damp, fastest, lx, ly = 1.0, FASTEST, 0.0, 0.0
    sure_x = sure_y = 0.0
    back, turned = 0, False
    for turn_no in range(ROUNDS):
        tx, ty = ground_point(com, gx, gy, ct, st)
        many = 0
        for i in range(3 if turn_no > 0 else 0):  # what carried it last, where it is for this footprint
            if features[i, 0] != PROP and refreshed(
                tris, features[i], basis[i], gx, gy, ct, st, edges, pieces, reach, inner, point
            ):
                copied(point, room[many])
                copied(features[i], named[many])
                many += 1
        props(tx, ty, reach, low, basis, features)
        deep = BELOW_MM + reach * change if lumps.shape[0] > LUMPS else math.inf
        below = under(tris, lumps, traits, gx, gy, ct, st, foot, c, hx, hy, deep)
        if not guessed(basis, features, tx, ty, room, named, many):
            return LOST, c, gx, gy, turn_no
        out, c, hx, hy = solve(tris, lumps, traits, below, tx, ty, gx, gy, ct, st, foot, basis, features)
        if deep < math.inf and (
            out != RESTS or worst(tris, lumps, c, hx, hy, gx, gy, ct, st, foot, point, feature) > 0.0
        ):
            below = under(tris, lumps, traits, gx, gy, ct, st, foot, c, hx, hy, math.inf)
            if out != RESTS:
                props(tx, ty, reach, low, basis, features)
            out, c, hx, hy = solve(tris, lumps, traits, below, tx, ty, gx, gy, ct, st, foot, basis, features)
        if out == LOST:
            return LOST, c, hx, hy, turn_no
        if out == TOPPLES and damp > 1.0:  # perhaps past a pose: back, and slowly from here on
            gx, gy, damp, fastest, change = sure_x, sure_y, 1.0, 1.0, math.inf
            continue
        if out == TOPPLES:
            bare = True
            for i in range(3):
                bare = bare and features[i, 0] == PROP
            if bare and (gx != 0.0 or gy != 0.0):
                return LOST, c, gx, gy, turn_no  # a step too far: it has only left what lies under it
            return (FALLS if bare else TOPPLES), c, gx, gy, turn_no  # the gradient whose footprint carries nothing
        if turn_no == 0 and weights(basis, tx, ty, share) and share.min() < TIE:
            c, hx, hy = flatter(
                tris, lumps, traits, below, tx, ty, gx, gy, ct, st, foot, low, basis, features, c, hx, hy
            )
        change = math.hypot(hx - gx, hy - gy)
        same = SAME_SLOPE if turned else SAME_GRADIENT
        if change <= same * (1.0 + math.hypot(gx, gy)):
            return RESTS, c, hx, hy, turn_no
        count = distinct(features, basis)
        x[0], x[1], x[2] = hx, hy, c
        if agreed(tris, features, basis, count, com, x, ct, st, edges, pieces, reach, inner):
            # Newton that goes on farther than the step that it began with leaps to another footprint's contacts
            leap = math.hypot(x[0] - hx, x[1] - hy)
            tx, ty = ground_point(com, x[0], x[1], ct, st)
            if carries(basis, count, tx, ty):
                over = worst(tris, lumps, x[2], x[0], x[1], x[0], x[1], ct, st, foot, point, feature)
                if over <= AGREED_MM and leap <= max(change, LEAP):
                    if count == 2:
                        basis[2] = basis[1]
                    return RESTS, x[2], x[0], x[1], turn_no
            if turn_no < ROUNDS // 3 and leap <= change:
                gx, gy = x[0], x[1]
                continue
        # where Newton finds no agreement
        turns = lx * (hx - gx) + ly * (hy - gy) < 0.0
        turned = turned or turns
        back += turns and damp <= SLOWEST
        if back == IN_CIRCLES:
            return LOST, c, gx, gy, turn_no
        damp = min(paced(damp, hx - gx, hy - gy, lx, ly), fastest)
        lx, ly = hx - gx, hy - gy
        sure_x, sure_y = gx + min(damp, 1.0) * lx, gy + min(damp, 1.0) * ly
        gx, gy = gx + damp * lx, gy + damp * ly
    return LOST, c, gx, gy, ROUNDS
