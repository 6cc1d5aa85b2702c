"""What carries a base, as ways over: the edges of its contacts with the axes to roll about, and what each costs.

Compiled. A bow of the rim is one way, at the point of it where it is easiest.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean, scratch, uncounted
from sim3d.ground.foot import CX, CY, RX, RY, length
from sim3d.space import Floats, Ints
from sim3d.statics.touch import ANGLE, ARC, QX, QY, dot, on_same_arc, within_half_turn

HOME_MM = 1.0  # farther than this from where it was put, it did not come back
HOME_DEG = 2.0
STEEPEST = 1.55  # radians a roll is followed: beyond a right angle it lies on its side
GOLDEN = 0.3819660112501051
LEVEL = 1e-9  # costs this near are the same
BY_TILT, BY_LIFT, BY_HEIGHT = 0, 1, 2  # what a way costs: the sine of the gravity tilt; mm of lift; see `height_at`
NUDGE = math.radians(5.0)  # the gravity tilt of a bumped table


@lean
def com_place(frame: Floats, com: Floats) -> tuple[float, float, float]:
    """The centre of mass on the table."""
    return (
        frame[0, 0] + com[0] * frame[1, 0] + com[1] * frame[2, 0] + com[2] * frame[3, 0],
        frame[0, 1] + com[0] * frame[1, 1] + com[1] * frame[2, 1] + com[2] * frame[3, 1],
        frame[0, 2] + com[0] * frame[1, 2] + com[1] * frame[2, 2] + com[2] * frame[3, 2],
    )


@lean
def foot_of_com(frame: Floats, com: Floats, dx: float, dy: float, dz: float) -> tuple[float, float]:
    """Where a line from the centre of mass along (dx, dy, dz) meets the underside, in the base's coordinates."""
    down = -dot(dx, dy, dz, frame[3])
    if down <= 1e-9:
        return 1e9, 1e9
    k = com[2] / down
    return com[0] + k * dot(dx, dy, dz, frame[1]), com[1] + k * dot(dx, dy, dz, frame[2])


@lean
def axis_at(contacts: Floats, a: int, b: int, frame: Floats, edges: Floats, angle: float, axis: Floats) -> None:
    """The axis of a hull edge: through its two contacts, or with an angle the tangent of the rim there."""
    if math.isnan(angle):
        qx, qy = contacts[a, QX], contacts[a, QY]
        dx, dy = contacts[b, QX] - qx, contacts[b, QY] - qy
    else:
        e = int(contacts[a, ARC])
        qx = edges[e, CX] + edges[e, RX] * math.cos(angle)
        qy = edges[e, CY] + edges[e, RY] * math.sin(angle)
        dx, dy = -edges[e, RX] * math.sin(angle), edges[e, RY] * math.cos(angle)
    for k in range(3):  # in the base's plane, also where the contact lies a hair under it
        axis[0, k] = frame[0, k] + qx * frame[1, k] + qy * frame[2, k]
    directed(dx, dy, frame, axis)


@lean
def directed(dx: float, dy: float, frame: Floats, axis: Floats) -> None:
    """The direction of an axis, and outward: to the right of it."""
    size = length(dx, dy)
    dx, dy = dx / size, dy / size
    for k in range(3):
        axis[1, k] = dx * frame[1, k] + dy * frame[2, k]
        axis[2, k] = dy * frame[1, k] - dx * frame[2, k]


@lean
def sides_of(ring: Ints) -> int:
    """How many sides a hull has to go over: those of a line go past its ends, too."""
    many = ring.shape[0]
    return 4 if many == 2 else many


@lean
def side_axis(contacts: Floats, ring: Ints, side: int, frame: Floats, edges: Floats, axis: Floats) -> None:
    """The axis of one side of a hull; past an end of a line it lies across that."""
    many = ring.shape[0]
    a, b = ring[side % many], ring[(side + 1) % many]
    axis_at(contacts, a, b, frame, edges, math.nan, axis)
    if side >= many:  # on from a, away from b
        directed(contacts[b, QY] - contacts[a, QY], contacts[a, QX] - contacts[b, QX], frame, axis)


@lean
def point_axis(contact: Floats, wx: float, wy: float, frame: Floats, axis: Floats) -> None:
    """The axis through one contact over which a base leaves towards (wx, wy), in its own coordinates."""
    for k in range(3):
        axis[0, k] = frame[0, k] + contact[QX] * frame[1, k] + contact[QY] * frame[2, k]
    directed(-wy, wx, frame, axis)


@lean
def leaving_axis(
    contacts: Floats, ring: Ints, side: int, x: float, y: float, frame: Floats, edges: Floats, axis: Floats
) -> None:
    """The axis over which a base leaves what carries it when its weight points to (x, y), beyond that side."""
    if ring.shape[0] > 1:
        side_axis(contacts, ring, side, frame, edges, axis)
    else:
        only = contacts[ring[0]]
        point_axis(only, x - only[QX], y - only[QY], frame, axis)


@lean
def way_out(frame: Floats, axis: Floats, com: Floats, normal: Floats) -> float:
    """The outward normal of the plane through an axis and the centre of mass; returns its z, the sine of the tilt."""
    gx, gy, gz = com_place(frame, com)
    x, y, z = gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2]
    ax, ay, az = axis[1, 0], axis[1, 1], axis[1, 2]
    nx, ny, nz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        normal[0], normal[1], normal[2] = axis[2, 0], axis[2, 1], axis[2, 2]
    else:
        if dot(nx, ny, nz, axis[2]) < 0.0:
            size = -size
        normal[0], normal[1], normal[2] = nx / size, ny / size, nz / size
    return normal[2]


@lean
def lift_over(frame: Floats, axis: Floats, com: Floats, limit: float) -> tuple[float, float]:
    """The most the centre of mass rises while turning about an axis up to an angle, and by how much at its end."""
    gx, gy, gz = com_place(frame, com)
    x, y, z = gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2]
    up, out = dot(x, y, z, frame[3]), dot(x, y, z, axis[2])
    c = up * frame[3, 2] + out * axis[2, 2]
    s = up * axis[2, 2] - out * frame[3, 2]
    far, wide = math.cos(limit), math.sin(limit)
    end = c * far + s * wide - c
    if s > 0.0 and c * wide > s * far:  # highest on the way
        return math.hypot(c, s) - c, end
    return max(0.0, end), end


@lean
def top_of(frame: Floats, axis: Floats, com: Floats) -> float:
    """The angle (radians, 0 or more) about an axis at which the centre of mass is highest."""
    gx, gy, gz = com_place(frame, com)
    x, y, z = gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2]
    up, out = dot(x, y, z, frame[3]), dot(x, y, z, axis[2])
    return max(0.0, math.atan2(up * axis[2, 2] - out * frame[3, 2], up * frame[3, 2] + out * axis[2, 2]))


@lean
def cost_of(frame: Floats, axis: Floats, com: Floats, kind: int) -> float:
    """What it takes to bring the centre of mass over an axis."""
    if kind == BY_LIFT:
        return lift_over(frame, axis, com, STEEPEST)[0]
    if kind == BY_HEIGHT:
        return height_at(frame, axis, com)
    return way_out(frame, axis, com, scratch(3))


@lean
def height_at(frame: Floats, axis: Floats, com: Floats) -> float:
    """The height (mm) of a centre of mass over the base's plane at which the nudge takes it just over an axis."""
    gx, gy, gz = com_place(frame, com)
    within = -dot(gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2], axis[2])
    # leaning back from the axis by phi as the base sees it, the plane through both leans R cos(phi - delta) to gravity
    size, delta = math.hypot(axis[2, 2], frame[3, 2]), math.atan2(axis[2, 2], frame[3, 2])
    if math.sin(NUDGE) >= size:
        return 0.0
    phi = delta + math.acos(math.sin(NUDGE) / size)
    return math.inf if phi >= 0.5 * math.pi else within * math.tan(phi)


@compiled
def ways_over(
    contacts: Floats, ring: Ints, frame: Floats, edges: Floats, com: Floats, kind: int
) -> tuple[Floats, Floats]:
    """The axis (n, 3, 3) and the cost (n,) of every way over: each straight side, and of each bow its lowest places."""
    contacts, ring, frame, edges, com = uncounted((contacts, ring, frame, edges, com))
    many = ring.shape[0]
    costs, axes = np.empty(many), np.empty((many, 3, 3))
    bow = np.empty(many, np.bool_)
    lowest = -1
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        bow[i] = on_same_arc(contacts[a], contacts[b])
        angle = math.nan
        if bow[i]:  # its tangent in the middle: chords are short and long, and tell ups and downs that are not there
            turn = within_half_turn(contacts[b, ANGLE] - contacts[a, ANGLE])
            angle = contacts[a, ANGLE] + 0.5 * turn
        axis_at(contacts, a, b, frame, edges, angle, axes[i])
        costs[i] = cost_of(frame, axes[i], com, kind)
        if bow[i] and (lowest < 0 or costs[i] < costs[lowest]):
            lowest = i
    n = 0
    kept, prices = np.empty((sides_of(ring), 3, 3)), np.empty(sides_of(ring))
    for i in range(many):
        if bow[i]:
            before, after = (i - 1) % many, (i + 1) % many
            falls = not bow[before] or costs[i] < costs[before] - LEVEL
            rises = not bow[after] or costs[i] <= costs[after] + LEVEL
            if i != lowest and not (falls and rises):
                continue
            first = ring[before] if bow[before] else ring[i]
            last = ring[(i + 2) % many] if bow[after] else ring[(i + 1) % many]
            lowest_on_bow(contacts, first, ring[i], last, frame, edges, com, kind, axes[i])
            costs[i] = cost_of(frame, axes[i], com, kind)
        kept[n], prices[n] = axes[i], costs[i]
        n += 1
    for i in range(many, sides_of(ring)):
        end = ring[i - many]
        if kind == BY_LIFT and contacts[end, ARC] >= 0.0:  # lifted over the rim it need not go straight over its end
            axis_at(contacts, end, end, frame, edges, contacts[end, ANGLE], kept[n])
        else:
            side_axis(contacts, ring, i, frame, edges, kept[n])
        prices[n] = cost_of(frame, kept[n], com, kind)
        n += 1
    return kept[:n].copy(), prices[:n].copy()


@lean
def lowest_on_bow(
    contacts: Floats,
    first: int,
    middle: int,
    last: int,
    frame: Floats,
    edges: Floats,
    com: Floats,
    kind: int,
    axis: Floats,
) -> None:
    """The tangent of the rim, between two contacts on one bow, over which it is easiest to go."""
    about = contacts[middle, ANGLE]
    low = about + within_half_turn(contacts[first, ANGLE] - about)
    high = about + within_half_turn(contacts[last, ANGLE] - about)
    a, b = middle, middle
    x1, x2 = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
    axis_at(contacts, a, b, frame, edges, x1, axis)
    v1 = cost_of(frame, axis, com, kind)
    axis_at(contacts, a, b, frame, edges, x2, axis)
    v2 = cost_of(frame, axis, com, kind)
    while high - low > 1e-9:
        if v1 <= v2:
            high, x2, v2 = x2, x1, v1
            x1 = low + GOLDEN * (high - low)
            axis_at(contacts, a, b, frame, edges, x1, axis)
            v1 = cost_of(frame, axis, com, kind)
        else:
            low, x1, v1 = x1, x2, v2
            x2 = high - GOLDEN * (high - low)
            axis_at(contacts, a, b, frame, edges, x2, axis)
            v2 = cost_of(frame, axis, com, kind)
    axis_at(contacts, a, b, frame, edges, 0.5 * (low + high), axis)


@lean
def beyond(contacts: Floats, ring: Ints, x: float, y: float) -> tuple[int, float]:
    """The side of a hull over which (x, y) lies farthest, and how far from the hull (negative: inside all of them)."""
    worst, side, past = -math.inf, 0, 0.0
    many = ring.shape[0]
    if many == 1:
        a = ring[0]
        return 0, math.hypot(x - contacts[a, QX], y - contacts[a, QY])
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        dx, dy = contacts[b, QX] - contacts[a, QX], contacts[b, QY] - contacts[a, QY]
        size = length(dx, dy)
        if size == 0.0:
            continue
        wx, wy = x - contacts[a, QX], y - contacts[a, QY]
        out, on = (wx * dy - wy * dx) / size, (wx * dx + wy * dy) / size
        if out > worst:
            worst, side, past = out, i, max(-on, on - size)
        if many == 2 and -on > worst:
            worst, side, past = -on, i + many, 0.0
    if many > 2 and worst > 0.0 and past > 0.0:  # beside a sharp corner it lies near the lines of both its sides
        worst = length(worst, past)
    return side, worst


@lean
def at_home(frame: Floats, home: Floats) -> tuple[bool, float]:
    """Whether a pose is within 1 mm and 2 degrees of where it stood, and the angle between them in degrees."""
    moved = math.sqrt(
        (frame[0, 0] - home[0, 0]) ** 2 + (frame[0, 1] - home[0, 1]) ** 2 + (frame[0, 2] - home[0, 2]) ** 2
    )
    sine = 0.0
    for r in range(1, 4):  # half the squared chords: no loss at small angles
        for a in range(3):
            sine += (frame[r, a] - home[r, a]) ** 2
    angle = math.degrees(2.0 * math.asin(min(1.0, math.sqrt(sine / 8.0))))
    return moved <= HOME_MM and angle <= HOME_DEG, angle


@lean
def apart(one: Floats, other: Floats, reach: float) -> float:
    """How far two poses are apart: the most any point of the base has moved, about, in mm.

    The same however the base is turned about its own axis: a round one has no front.
    """
    moved = turned = 0.0
    for a in range(3):
        moved += (one[0, a] - other[0, a]) ** 2
        for r in range(1, 4):
            turned += (one[r, a] - other[r, a]) ** 2
    return math.sqrt(max(moved, 0.5 * turned * reach * reach))  # half of it is the square of the chord
