"""What statics hands on as proof: what carries the base where a nudge leads, and which way nothing does.

`sim3d.check` proves a word from it without this code.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import CX, CY, RX, RY
from sim3d.space import Floats, Ints
from sim3d.statics.lowest import ground_point, to_base
from sim3d.statics.tip import com_place, foot_of_com
from sim3d.statics.touch import ANGLE, ARC, PX, PY, PZ, QX, QY, hull, on_same_arc, touching

BESIDE = 1e-7  # a share of the weight by which a ground point may lie outside its contacts: rounding
ON_LINE_MM = 1e-6  # how far it may lie beside the line of two
EVERYTHING_MM = 1e6  # a band so deep that all terrain under a base counts


@compiled
def aside(place: Floats, com: Floats, ux: float, uy: float, dx: float, dz: float) -> tuple[float, float]:
    """A place as seen along tilted gravity from the centre of mass: how far across the lean, and along it."""
    x, y, z = place[0] - com[0], place[1] - com[1], place[2] - com[2]
    # gravity is (dx ux, dx uy, dz): across is level, along is at a right angle to both
    return uy * x - ux * y, -dz * (ux * x + uy * y) + dx * z


@compiled
def carried_by(
    contacts: Floats,
    ring: Ints,
    frame: Floats,
    com: Floats,
    edges: Floats,
    ux: float,
    uy: float,
    tilt: float,
    places: Floats,
    shares: Floats,
) -> bool:
    """The three places (3, 3) and their shares of the weight that carry the centre of mass, gravity tilted to (ux, uy).

    Of a hull of contacts; beyond a chord of the rim, the rim's own point there carries, too. False where none do.
    """
    many = ring.shape[0]
    if many < 2:
        return False
    middle, seen = np.empty(3), np.empty((max(many, 3), 2))
    middle[0], middle[1], middle[2] = com_place(frame, com)
    dx, dz = math.sin(tilt), -math.cos(tilt)
    for i in range(many):
        seen[i, 0], seen[i, 1] = aside(contacts[ring[i], PX : PZ + 1], middle, ux, uy, dx, dz)
    for i in range(1, max(many - 1, 2)):  # a fan of triangles from the first corner; of two contacts, their line
        j = min(i + 1, many - 1)
        if shared(seen[0], seen[i], seen[j], shares):
            places[0] = contacts[ring[0], PX : PZ + 1]
            places[1] = contacts[ring[i], PX : PZ + 1]
            places[2] = contacts[ring[j], PX : PZ + 1]
            return True
    fx, fy = foot_of_com(frame, com, dx * ux, dx * uy, dz)
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        if not on_same_arc(contacts[a], contacts[b]):
            continue
        e = int(contacts[a, ARC])
        span = (contacts[b, ANGLE] - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
        angle = math.atan2((fy - edges[e, CY]) / edges[e, RY], (fx - edges[e, CX]) / edges[e, RX])
        off = (angle - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
        if not 0.0 <= off <= span:
            continue
        qx, qy = edges[e, CX] + edges[e, RX] * math.cos(angle), edges[e, CY] + edges[e, RY] * math.sin(angle)
        places[0], places[2] = contacts[a, PX : PZ + 1], contacts[b, PX : PZ + 1]
        for k in range(3):
            places[1, k] = frame[0, k] + qx * frame[1, k] + qy * frame[2, k]
        for k in range(3):
            seen[k, 0], seen[k, 1] = aside(places[k], middle, ux, uy, dx, dz)
        return shared(seen[0], seen[1], seen[2], shares)
    return False


@compiled
def shared(a: Floats, b: Floats, c: Floats, shares: Floats) -> bool:
    """The shares with which three points of the plane carry the origin; of points in a line, the outer two do."""
    det = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    size = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2
    if abs(det) <= 1e-9 * size:
        along = -(a[0] * (b[0] - a[0]) + a[1] * (b[1] - a[1])) / size if size > 0.0 else 0.0
        beside = abs(a[0] * (b[1] - a[1]) - a[1] * (b[0] - a[0])) / math.sqrt(size) if size > 0.0 else 1.0
        shares[0], shares[1], shares[2] = 1.0 - along, along, 0.0
        return beside < ON_LINE_MM and -BESIDE <= along <= 1.0 + BESIDE
    shares[1] = (c[0] * a[1] - c[1] * a[0]) / det
    shares[2] = (a[0] * b[1] - a[1] * b[0]) / det
    shares[0] = 1.0 - shares[1] - shares[2]
    return shares.min() >= -BESIDE


def widest_gap(points: Floats) -> tuple[float, float]:
    """The widest angle in which none of the points (n, 2) lies as seen from the origin, and its middle; radians."""
    if not len(points):
        return 2 * math.pi, 0.0
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    gaps = np.diff(np.concatenate([angles, angles[:1] + 2 * math.pi]))
    k = int(gaps.argmax())
    return float(gaps[k]), float(angles[k] + gaps[k] / 2)


def nothing_beyond(
    tris: Floats,
    com: Floats,
    gx: float,
    gy: float,
    turn: float,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
) -> tuple[float, float] | None:
    """The horizontal direction beyond the ground point in which a base of this gradient has nothing under it."""
    ct, st = math.cos(turn), math.sin(turn)
    along = np.array([to_base(1.0, 0.0, gx, gy, ct, st), to_base(0.0, 1.0, gx, gy, ct, st)])  # rows: of x and of y
    seen = np.ascontiguousarray(np.dstack([tris[:, :, :2] @ along, tris[:, :, 2:]]))
    level = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    spans = np.linalg.norm(seen - seen[:, :1], axis=2).max(axis=1)
    under = touching(seen, spans, level, edges, pieces, reach, inner, EVERYTHING_MM)
    target = np.array(ground_point(com, gx, gy, ct, st)) @ along
    gap, middle = widest_gap(under[:, [QX, QY]] - target)
    if gap <= math.pi:
        return None
    x, y = along @ (math.cos(middle), math.sin(middle))
    size = math.hypot(x, y)
    return float(x / size), float(y / size)

