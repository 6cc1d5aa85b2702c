"""The resting plane from a raster of lids: the same program as `lowest`, step by step, asking far fewer triangles.

Compiled. `lowest` looks at everything under the footprint in every step; here a step asks the raster which triangle
stands highest over the plane. It is the same triangle, so the steps and the answer are the same, to rounding.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, lent, scratch, scratch_marks
from sim3d.ground.foot import KIND, ROUND, X0, Y0, farthest_on_arc
from sim3d.ground.spans import Spans
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
from sim3d.statics.over import CORNER, FACE_ARC, FACE_CORNER, PROP, ground_point, to_table
from sim3d.statics.rim import CREEPING_MM, along_rim
from sim3d.statics.spot import FLOOR, NONE, Spot, relative, spot_like, taken, worst_over

APART_MM = 1e-9  # two contacts that are one place on the rim let it stand over the plane so far: less than a lid may
MOST = 0.5  # of how far the worst point may stand over a plane: it lifts the plane nearly as far, and is sooner found
NO_PLANE, CONSISTENT, RESTING = 0, 1, 2  # what Newton's way ends in
LONG = 15  # rounds: by far the most searches take fewer
TIED = 2  # times that a pose counts as led on to where the first program ended in a tie, and in no pose: rounding chose


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
            if x * x + y * y >= inner * inner:
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
