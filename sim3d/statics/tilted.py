"""What gravity that leans does to a base in one pose: from which tilt on it goes over, about which axis.

Compiled.
"""

from __future__ import annotations

import math

from sim3d.compiled import copied, lean, scratch
from sim3d.ground.foot import RX, RY
from sim3d.space import Floats, Ints
from sim3d.statics.footing import Footing
from sim3d.statics.home import SURELY_MM
from sim3d.statics.roll import NEVER
from sim3d.statics.touch import ANGLE, ARC, PX, QX, QY, dot, on_same_arc, within_half_turn
from sim3d.statics.ways import (
    NUDGE,
    STEEPEST,
    axis_at,
    beyond,
    foot_of_com,
    lift_over,
    point_axis,
    side_axis,
    sides_of,
    way_out,
)

ON_HULL_MM = 1e-5  # the foot of the centre of mass may lie so far outside its contacts: so near a line, it balances
GRAZES = 1e-9  # a sine: under gravity along its plane, or nearly, no contact holds a base
GOES, STAYS, IS_OVER = 0, 1, 2  # what a base does under gravity tilted so far


@lean
def is_drawn_off(frame: Floats, ux: float, uy: float, tilt: float) -> bool:
    """Whether gravity that leans so far draws a base off its own plane: it falls over, whatever it leant on."""
    return math.cos(tilt) * frame[3, 2] - math.sin(tilt) * (ux * frame[3, 0] + uy * frame[3, 1]) <= GRAZES


@lean
def rise_when_drawn_off(
    com: Floats, frame: Floats, contacts: Floats, ring: Ints, ux: float, uy: float, tilt: float
) -> float:
    """How far (mm) its centre of mass rises yet as it falls over then, over the contact that is farthest that way."""
    if ring.shape[0] == 0:
        return 0.0
    gx, gy, gz = math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt)
    wx, wy = dot(gx, gy, gz, frame[1]), dot(gx, gy, gz, frame[2])
    last, farthest = ring[0], -math.inf
    for i in ring:
        far = wx * contacts[i, QX] + wy * contacts[i, QY]
        if far > farthest:
            last, farthest = i, far
    axis = scratch(3, 3)
    point_axis(contacts[last], wx, wy, frame, axis)
    return lift_over(frame, axis, com, STEEPEST)[0]


@lean
def off_a_point(
    com: Floats, frame: Floats, contact: Floats, ux: float, uy: float, tilt: float, limit: float, axis: Floats
) -> tuple[int, float]:
    """A base on one point leans wherever gravity does: what it does, from which tilt on, and about which axis."""
    k = dot(ux, uy, 0.0, frame[3])
    vx, vy, vz = ux - k * frame[3, 0], uy - k * frame[3, 1], -k * frame[3, 2]
    size = math.sqrt(vx * vx + vy * vy + vz * vz)
    if size == 0.0:
        return IS_OVER, tilt
    for a in range(3):
        axis[0, a] = contact[PX + a]
    axis[2, 0], axis[2, 1], axis[2, 2] = vx / size, vy / size, vz / size
    axis[1, 0] = frame[3, 1] * axis[2, 2] - frame[3, 2] * axis[2, 1]
    axis[1, 1] = frame[3, 2] * axis[2, 0] - frame[3, 0] * axis[2, 2]
    axis[1, 2] = frame[3, 0] * axis[2, 1] - frame[3, 1] * axis[2, 0]
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    before = (fx - contact[QX]) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]) + (fy - contact[QY]) * dot(
        axis[2, 0], axis[2, 1], axis[2, 2], frame[2]
    )
    if before < 0.0:
        onset = tilt_over(frame, axis, com, ux, uy)
        if onset >= NEVER:
            return STAYS, tilt
        tilt = max(tilt, onset)
    return (STAYS if tilt >= limit else GOES), tilt


@lean
def off_its_hull(
    com: Floats,
    edges: Floats,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    ux: float,
    uy: float,
    tilt: float,
    limit: float,
    axis: Floats,
) -> tuple[int, float, bool]:
    """What a base on several contacts does, from which tilt on, about which axis; whether it rested before that."""
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    leaving, out = beyond(contacts, ring, fx, fy)
    rests = out <= ON_HULL_MM
    if rests:
        lx, ly = foot_of_com(frame, com, math.sin(limit) * ux, math.sin(limit) * uy, -math.cos(limit))
        if beyond(contacts, ring, lx, ly)[1] < 0.0:
            return STAYS, tilt, True
        least = NEVER
        for i in range(sides_of(ring)):  # lean on to the side it leaves over
            side_axis(contacts, ring, i, frame, edges, axis)
            t = tilt_over(frame, axis, com, ux, uy)
            if t < least and is_bow(contacts, ring, i):  # a bow is wider than its chord
                bow_axis(contacts, ring, i, frame, edges, ux, uy, axis)
                t = tilt_over(frame, axis, com, ux, uy)
            if t < least:
                least, leaving = t, i
        tilt = max(tilt, least)
        if tilt >= limit:
            return STAYS, tilt, True
    if not is_bow(contacts, ring, leaving):
        side_axis(contacts, ring, leaving, frame, edges, axis)
    else:
        bow_axis(contacts, ring, leaving, frame, edges, ux, uy, axis)
        onset = tilt_over(frame, axis, com, ux, uy)
        if rests and onset < NEVER:
            tilt = max(tilt, onset)
        if tilt >= limit:
            return STAYS, tilt, rests
    return GOES, tilt, rests


@lean
def balanced(
    com: Floats,
    edges: Floats,
    frame: Floats,
    contacts: Floats,
    ring: Ints,
    ux: float,
    uy: float,
    tilt: float,
    last: Floats,
    back: float,
    held: Floats,
) -> tuple[float, bool]:
    """The gravity tilt that holds a base in the middle of rolling on its rim: less would let it roll back from here.

    At least what it was: where that takes it on by itself. It rolls back over an axis that points as the `last` one,
    turned round, but for an angle of cosine `back`. The axis over which it is held is written, if there is one. And
    whether it rolls on two points and that tilt takes it over one of them: then the axis is that.
    """
    many = ring.shape[0]
    if many < 2:
        return tilt, False
    fx, fy = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
    leaving, out = beyond(contacts, ring, fx, fy)
    if out <= ON_HULL_MM:
        return tilt, False
    axis = scratch(3, 3)
    side_axis(contacts, ring, leaving, frame, edges, axis)
    for k in range(3):
        axis[1, k], axis[2, k] = -axis[1, k], -axis[2, k]
    if dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) <= back:
        return tilt, False
    least = tilt_over(frame, axis, com, ux, uy)
    for k in range(3):
        copied(axis[k], held[k])
    if many == 2 and tilt < least < NEVER:
        fx, fy = foot_of_com(frame, com, math.sin(least) * ux, math.sin(least) * uy, -math.cos(least))
        end, out = beyond(contacts, ring, fx, fy)
        if end >= many and out > ON_HULL_MM:
            side_axis(contacts, ring, end, frame, edges, held)
            return max(tilt, min(least, tilt_over(frame, held, com, ux, uy))), True
    return (max(tilt, least) if least < NEVER else tilt), False


@lean
def tilt_over(frame: Floats, axis: Floats, com: Floats, ux: float, uy: float) -> float:
    """The gravity tilt (radians) towards (ux, uy) that brings the centre of mass over an axis; NEVER: none does."""
    normal = scratch(3)
    sine = way_out(frame, axis, com, normal)
    along = normal[0] * ux + normal[1] * uy
    return math.atan2(sine, along) if along > 1e-9 else NEVER


@lean
def easiest(frame: Floats, axis: Floats, com: Floats) -> float:
    """The direction (radians) in which the least gravity tilt brings the centre of mass over an axis; NaN: none."""
    normal = scratch(3)
    way_out(frame, axis, com, normal)
    return math.nan if normal[0] == 0.0 and normal[1] == 0.0 else math.atan2(normal[1], normal[0])


@lean
def height_over(frame: Floats, axis: Floats, com: Floats, ux: float, uy: float) -> float:
    """How high (mm) over the underside a centre of mass lies that the nudge towards (ux, uy) brings over an axis."""
    s, c = math.sin(NUDGE), math.cos(NUDGE)
    ax, ay, az = axis[1, 0], axis[1, 1], axis[1, 2]  # crossed with gravity: out of the plane of the two
    wx, wy, wz = az * s * uy + ay * c, -az * s * ux - ax * c, ay * s * ux - ax * s * uy
    rises = dot(wx, wy, wz, frame[3])
    if dot(wx, wy, wz, axis[2]) < 0.0:
        wx, wy, wz, rises = -wx, -wy, -wz, -rises
    within = 0.0  # how far under the centre of mass the underside ends at that plane
    for k in range(3):
        w = wx if k == 0 else wy if k == 1 else wz
        within += w * (axis[0, k] - frame[0, k] - com[0] * frame[1, k] - com[1] * frame[2, k])
    if within <= 0.0:
        return 0.0
    return within / rises if rises > 0.0 else math.inf


@lean
def is_bow(contacts: Floats, ring: Ints, side: int) -> bool:
    """Whether a side of a hull stands for a bow of the rim."""
    many = ring.shape[0]
    return side < many and on_same_arc(contacts[ring[side]], contacts[ring[(side + 1) % many]])


@lean
def bow_axis(
    contacts: Floats, ring: Ints, side: int, frame: Floats, edges: Floats, ux: float, uy: float, axis: Floats
) -> None:
    """The axis of such a side: the tangent where it looks the way that gravity leans."""
    a, b = ring[side], ring[(side + 1) % ring.shape[0]]
    axis_at(contacts, a, b, frame, edges, on_the_bow(contacts[a], contacts[b], frame, edges, ux, uy), axis)


@lean
def on_the_bow(a: Floats, b: Floats, frame: Floats, edges: Floats, ux: float, uy: float) -> float:
    """Of a bow of the rim between two contacts the angle of the point that looks where gravity leans."""
    wx, wy = dot(ux, uy, 0.0, frame[1]), dot(ux, uy, 0.0, frame[2])
    e = int(a[ARC])
    angle = math.atan2(edges[e, RY] * wy, edges[e, RX] * wx)
    span = within_half_turn(b[ANGLE] - a[ANGLE])
    off = within_half_turn(angle - a[ANGLE])
    if 0.0 <= off <= span:
        return angle
    return float(a[ANGLE] + (0.0 if abs(off) < abs(off - span) else span))


@lean
def unmoved(on: Footing, tilt: float) -> bool:
    """Whether gravity tilted so far, any way, still points well inside what carries the base: then nothing stirs."""
    return still_inside(on.contacts, on.ring, on.frame, on.com, tilt) > SURELY_MM


@lean
def still_inside(contacts: Floats, ring: Ints, frame: Floats, com: Floats, tilt: float) -> float:
    """How far (mm) inside its contacts gravity from the centre of mass points at least, tilted so far any way.

    Negative where it may point beside them.
    """
    leans = math.acos(min(1.0, frame[3, 2]))
    if ring.shape[0] < 3 or leans + tilt > STEEPEST:
        return -math.inf
    x, y = foot_of_com(frame, com, 0.0, 0.0, -1.0)
    far = com[2] * (math.tan(leans + tilt) - math.tan(leans))
    return -beyond(contacts, ring, x, y)[1] - far
