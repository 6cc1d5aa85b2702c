"""Contacts that are the rim on a face: where they belong at once, not by ever smaller steps.

Compiled. A program that takes the worst point again and again draws nearer to such a place by halves, and each step is
a look at all terrain under the base. But the plane touches the rim there, and where only two contacts carry, the target
lies on the line between them: that says where.
"""

from __future__ import annotations

import math

from sim3d.compiled import copied, lean, scratch
from sim3d.ground.foot import CX, CY, RX, RY, farthest_on_arc, length, on_arc
from sim3d.space import Floats, Ints
from sim3d.statics.basis import plane_through, weights
from sim3d.statics.over import FACE_ARC, PROP, face_slope, over_triangle, rise_in_base, to_base, to_table

CREEPING_MM = 1e-7  # what stands over a plane by less needs a step or two
ROUNDS = 8  # of plane and places; four do
SETTLED_MM = 1e-6  # places that moved by less stand over the plane by less than rounding
TURNS = 20  # of the search for a line that touches two arcs; six do
SAME_PLACE = 1e-13  # radians: two turns agree
FARTHEST = 0.5  # radians: a line so far from where it began belongs to other contacts
WIDEST = 0.1  # radians between the points that stand for one place: a face so nearly in the plane has none


@lean
def along_rim(
    tris: Floats,
    features: Ints,
    basis: Floats,
    entered: int,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
    apart: float,
) -> None:
    """Puts contacts of a basis that are the rim on a face where they belong, once one of them has `entered` it.

    Two that are one place on the rim lie a hair apart then: as far as lets the rim between them stand over the plane by
    `apart` (mm). Nothing is done where a place is beside its arc or its face, where the target would not be carried, or
    where the plane would not lie higher over it: else the program could go in circles.
    """
    mate = -1
    for k in range(3):
        if features[k, 0] == PROP:
            return
        if (
            k != entered
            and features[k, 0] == FACE_ARC
            and features[k, 1] == features[entered, 1]
            and features[k, 2] == features[entered, 2]
        ):
            mate = k
    places = scratch(3, 3)
    for k in range(3):
        copied(basis[k], places[k])
    if mate < 0:
        found = three_along(tris, features, places, tx, ty, fx, fy, ct, st, edges)
    else:
        found = two_along(tris, features, places, entered, mate, tx, ty, fx, fy, ct, st, edges, apart)
    if found and height_over(places, tx, ty) > height_over(basis, tx, ty):
        for k in range(3):
            copied(places[k], basis[k])


@lean
def height_over(basis: Floats, tx: float, ty: float) -> float:
    """How high over a target the plane through three points lies; NaN: they lie in a line."""
    real, c, gx, gy = plane_through(basis)
    return c + gx * tx + gy * ty if real else math.nan


@lean
def three_along(
    tris: Floats,
    features: Ints,
    places: Floats,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
) -> bool:
    """Puts the contacts of three different ones that are the rim where the plane through all three touches it."""
    share = scratch(3)
    for _ in range(ROUNDS):
        real, _, gx, gy = plane_through(places)
        if not real:
            return False
        moved = 0.0
        for i in range(3):
            if features[i, 0] != FACE_ARC:
                continue
            tri = tris[features[i, 1]]
            _, mx, my = face_slope(tri)
            ux, uy = rise_in_base(mx - gx, my - gy, fx, fy, ct, st)
            found, qx, qy = farthest_on_arc(edges[features[i, 2]], ux, uy)
            x, y = to_table(qx, qy, fx, fy, ct, st)
            if not (found and over_triangle(tri, x, y)):
                return False
            moved = max(moved, abs(x - places[i, 0]) + abs(y - places[i, 1]))
            places[i, 0], places[i, 1] = x, y
            places[i, 2] = tri[0, 2] + mx * (x - tri[0, 0]) + my * (y - tri[0, 1])
        if moved < SETTLED_MM:
            return weights(places, tx, ty, share) and min(share[0], share[1], share[2]) >= 0.0
    return False


@lean
def two_along(
    tris: Floats,
    features: Ints,
    places: Floats,
    one: int,
    mate: int,
    tx: float,
    ty: float,
    fx: float,
    fy: float,
    ct: float,
    st: float,
    edges: Floats,
    apart: float,
) -> bool:
    """Puts two contacts that are the rim on one face where the plane touches it that goes through the third, too."""
    third = 3 - one - mate
    both = features[third, 0] == FACE_ARC
    if both and features[third, 1] == features[one, 1]:
        return False  # all three on one face: the plane is that face
    rise, a, b, ends = scratch(3), scratch(3), scratch(3), scratch(3, 3)
    slope, way = scratch(2), scratch(2)
    tri, arc = tris[features[one, 1]], edges[features[one, 2]]
    facing(tri, fx, fy, ct, st, rise)
    px, py = to_base(tx, ty, fx, fy, ct, st)
    if both:
        far_tri, far = tris[features[third, 1]], edges[features[third, 2]]
        start = angle_of(arc, places[one], fx, fy, ct, st)
        then = angle_of(arc, places[mate], fx, fy, ct, st)
        then += 2.0 * math.pi * round((start - then) / (2.0 * math.pi))
        far_rise = scratch(3)
        facing(far_tri, fx, fy, ct, st, far_rise)
        if not line_of_two(arc, far, rise, far_rise, px, py, start, then, a, b, slope, way):
            return False
        laid(b, ends[2], fx, fy, ct, st)
        if not over_triangle(far_tri, ends[2, 0], ends[2, 1]):
            return False
    else:
        copied(places[third], ends[2])
        b[0], b[1] = to_base(places[third, 0], places[third, 1], fx, fy, ct, st)
        b[2] = places[third, 2]
        if not beyond_on_arc(arc, b[0], b[1], px, py, way):
            return False
        placed(arc, way[0], way[1], rise, a)
        slope_of(a, b, arc, way[0], way[1], rise, slope)
    high = outward(arc, way[0], way[1], rise, slope)
    turn = math.sqrt(2.0 * apart / high) if high > 0.0 else math.inf
    if not turn < WIDEST:
        return False
    for k in range(2):
        side = turn if k == 0 else -turn
        u, v = way[0] - side * way[1], way[1] + side * way[0]
        size = length(u, v)
        placed(arc, u / size, v / size, rise, a)
        laid(a, ends[k], fx, fy, ct, st)
        if not (on_arc(arc, u / size, v / size) and over_triangle(tri, ends[k, 0], ends[k, 1])):
            return False
    copied(ends[0], places[one])
    copied(ends[1], places[mate])
    copied(ends[2], places[third])
    return True


@lean
def line_of_two(
    one: Floats,
    two: Floats,
    one_rise: Floats,
    two_rise: Floats,
    tx: float,
    ty: float,
    start: float,
    then: float,
    a: Floats,
    b: Floats,
    slope: Floats,
    way: Floats,
) -> bool:
    """The line through t whose ends on two arcs, each on its face, a plane touches; from two guesses of its first end.

    Its ends into `a` and `b`, the first as a direction into `way`; the plane's gradient into `slope`.
    """
    before, at, last = start, then, 0.0
    other = scratch(2)
    for turn in range(TURNS):
        angle = start if turn == 0 else at
        way[0], way[1] = math.cos(angle), math.sin(angle)
        placed(one, way[0], way[1], one_rise, a)
        if not beyond_on_arc(two, a[0], a[1], tx, ty, other):
            return False
        placed(two, other[0], other[1], two_rise, b)
        slope_of(a, b, one, way[0], way[1], one_rise, slope)
        fault = (slope[1] - two_rise[1]) * two[RY] * other[0] - (slope[0] - two_rise[0]) * two[RX] * other[1]
        if turn > 0:
            step = fault * (at - before) / (fault - last) if fault != 0.0 else 0.0
            before, at = at, at - step
            if not abs(at - start) < FARTHEST:
                return False
            if abs(step) < SAME_PLACE:
                return outward(two, other[0], other[1], two_rise, slope) > 0.0
        last = fault
    return False


@lean
def beyond_on_arc(edge: Floats, px: float, py: float, tx: float, ty: float, out: Floats) -> bool:
    """Where the way from p through t leaves an arc's ellipse beyond t, as a direction; whether it is on the arc."""
    sx, sy = (px - edge[CX]) / edge[RX], (py - edge[CY]) / edge[RY]
    dx, dy = (tx - px) / edge[RX], (ty - py) / edge[RY]
    a, b, c = dx * dx + dy * dy, sx * dx + sy * dy, sx * sx + sy * sy - 1.0
    root = b * b - a * c
    if not (a > 0.0 and root >= 0.0):
        return False
    root = math.sqrt(root)
    share = -c / (b + root) if b > 0.0 else (root - b) / a  # the farther one, without cancellation
    out[0], out[1] = sx + share * dx, sy + share * dy
    return share >= 1.0 and on_arc(edge, out[0], out[1])


@lean
def slope_of(a: Floats, b: Floats, edge: Floats, u: float, v: float, rise: Floats, out: Floats) -> None:
    """The gradient of the plane that goes through points a and b and touches the rim at a, where its face rises so."""
    dx, dy, lift = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    wx, wy = -edge[RX] * v, edge[RY] * u  # along the rim
    det, along = dx * wy - dy * wx, rise[0] * wx + rise[1] * wy
    out[0], out[1] = (lift * wy - along * dy) / det, (along * dx - lift * wx) / det


@lean
def outward(edge: Floats, u: float, v: float, rise: Floats, slope: Floats) -> float:
    """How much a face rises over a plane from the middle of an arc to the rim."""
    return (rise[0] - slope[0]) * edge[RX] * u + (rise[1] - slope[1]) * edge[RY] * v


@lean
def facing(tri: Floats, fx: float, fy: float, ct: float, st: float, out: Floats) -> None:
    """A face as its gradient in the base's own coordinates and its height over the middle."""
    _, mx, my = face_slope(tri)
    out[0], out[1] = rise_in_base(mx, my, fx, fy, ct, st)
    out[2] = tri[0, 2] - mx * tri[0, 0] - my * tri[0, 1]


@lean
def placed(edge: Floats, u: float, v: float, rise: Floats, out: Floats) -> None:
    """The place on the rim in a direction, and the height of the face there."""
    out[0], out[1] = edge[CX] + edge[RX] * u, edge[CY] + edge[RY] * v
    out[2] = rise[2] + rise[0] * out[0] + rise[1] * out[1]


@lean
def angle_of(edge: Floats, point: Floats, fx: float, fy: float, ct: float, st: float) -> float:
    """A point on the rim as an angle of its arc, stretched to a circle."""
    qx, qy = to_base(point[0], point[1], fx, fy, ct, st)
    return math.atan2((qy - edge[CY]) / edge[RY], (qx - edge[CX]) / edge[RX])


@lean
def laid(source: Floats, target: Floats, fx: float, fy: float, ct: float, st: float) -> None:
    """A point of the base's own coordinates as one of the table."""
    target[0], target[1] = to_table(source[0], source[1], fx, fy, ct, st)
    target[2] = source[2]
