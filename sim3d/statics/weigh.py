"""From contacts to margins and normals: how far the ground point lies inside what carries it, which way each pushes.

Compiled.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import CX, CY, RX, RY
from sim3d.space import Floats, Ints
from sim3d.statics.touch import ANGLE, ARC, MEETING, PX, PY, QX, QY, RIM_ON_EDGE, RIM_ON_FACE, TRIANGLE, on_same_arc
from sim3d.statics.ways import com_place

GOLDEN = 0.3819660112501051


@compiled
def horizontal_margin(contacts: Floats, ring: Ints, frame: Floats, com: Floats, edges: Floats) -> float:
    """The horizontal distance from the ground point of the centre of mass to the border of what carries it.

    Negative outside. Bows of the rim count as bows, not as chords.
    """
    gx, gy, _ = com_place(frame, com)
    many = ring.shape[0]
    if many == 0:
        return -math.inf
    if many == 1:
        return -math.hypot(gx - contacts[ring[0], PX], gy - contacts[ring[0], PY])
    least, within = math.inf, True
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        dx, dy = contacts[b, PX] - contacts[a, PX], contacts[b, PY] - contacts[a, PY]
        size = dx * dx + dy * dy
        if size == 0.0:
            continue
        wx, wy = gx - contacts[a, PX], gy - contacts[a, PY]
        if dx * wy - dy * wx < 0.0:
            within = False
        s = min(1.0, max(0.0, (wx * dx + wy * dy) / size))
        away = math.hypot(wx - s * dx, wy - s * dy)
        if on_same_arc(contacts[a], contacts[b]) and away < least + 0.01:
            away = to_bow(contacts, a, b, frame, edges, gx, gy)
        least = min(least, away)
    return least if within else -least


@compiled
def to_bow(contacts: Floats, a: int, b: int, frame: Floats, edges: Floats, gx: float, gy: float) -> float:
    """The horizontal distance from a point to the bow of the rim between two contacts."""
    e = int(contacts[a, ARC])
    low = contacts[a, ANGLE]
    high = low + ((contacts[b, ANGLE] - low + math.pi) % (2.0 * math.pi) - math.pi)
    best = math.inf
    for _ in range(45):
        x1, x2 = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
        v1, v2 = bow_gap(x1, e, frame, edges, gx, gy), bow_gap(x2, e, frame, edges, gx, gy)
        best = min(best, v1, v2)
        if v1 <= v2:
            high = x2
        else:
            low = x1
    return min(best, bow_gap(low, e, frame, edges, gx, gy), bow_gap(high, e, frame, edges, gx, gy))


@compiled
def bow_gap(angle: float, e: int, frame: Floats, edges: Floats, gx: float, gy: float) -> float:
    """The horizontal distance from a point to the rim at an angle."""
    qx = edges[e, CX] + edges[e, RX] * math.cos(angle)
    qy = edges[e, CY] + edges[e, RY] * math.sin(angle)
    x = frame[0, 0] + qx * frame[1, 0] + qy * frame[2, 0]
    y = frame[0, 1] + qx * frame[1, 1] + qy * frame[2, 1]
    return math.hypot(x - gx, y - gy)


@compiled
def normals_of(contacts: Floats, tris: Floats, frame: Floats, edges: Floats) -> Floats:
    """The way each contact pushes: the base's normal under a face, the terrain's under the rim, across two edges."""
    out = np.empty((contacts.shape[0], 3))
    for i in range(contacts.shape[0]):
        out[i] = frame[3]
        if contacts[i, MEETING] != RIM_ON_FACE and contacts[i, MEETING] != RIM_ON_EDGE:
            continue
        tri = tris[int(contacts[i, TRIANGLE])]
        ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
        bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        if contacts[i, MEETING] == RIM_ON_EDGE:
            k = nearest_edge(tri, contacts[i])
            j = (k + 1) % 3
            ex, ey, ez = tri[j, 0] - tri[k, 0], tri[j, 1] - tri[k, 1], tri[j, 2] - tri[k, 2]
            tx, ty = tangent_at(edges, contacts[i, QX], contacts[i, QY])
            rx = tx * frame[1, 0] + ty * frame[2, 0]
            ry = tx * frame[1, 1] + ty * frame[2, 1]
            rz = tx * frame[1, 2] + ty * frame[2, 2]
            nx, ny, nz = ey * rz - ez * ry, ez * rx - ex * rz, ex * ry - ey * rx
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        if size < 1e-12 or abs(nz) < 1e-6 * size:
            continue  # upright: a rim does not rest on a wall; the edge above it carries, with the base's normal
        if nz < 0.0:
            size = -size
        out[i, 0], out[i, 1], out[i, 2] = nx / size, ny / size, nz / size
    return out


@compiled
def nearest_edge(tri: Floats, contact: Floats) -> int:
    """Which edge of a triangle a contact lies on."""
    best, found = math.inf, 0
    for k in range(3):
        j = (k + 1) % 3
        dx, dy, dz = tri[j, 0] - tri[k, 0], tri[j, 1] - tri[k, 1], tri[j, 2] - tri[k, 2]
        px, py, pz = contact[PX] - tri[k, 0], contact[PY] - tri[k, 1], contact[PX + 2] - tri[k, 2]
        cx, cy, cz = dy * pz - dz * py, dz * px - dx * pz, dx * py - dy * px
        size = dx * dx + dy * dy + dz * dz
        if size == 0.0:
            continue
        away = (cx * cx + cy * cy + cz * cz) / size
        if away < best:
            best, found = away, k
    return found


@compiled
def tangent_at(edges: Floats, x: float, y: float) -> tuple[float, float]:
    """The direction of the outline at the point of it nearest to (x, y)."""
    best, tx, ty = math.inf, 1.0, 0.0
    for e in range(edges.shape[0]):
        if edges[e, 0] == 0.0:
            dx, dy = edges[e, 3] - edges[e, 1], edges[e, 4] - edges[e, 2]
            size = math.hypot(dx, dy)
            away = abs(dx * (y - edges[e, 2]) - dy * (x - edges[e, 1])) / size
            s = ((x - edges[e, 1]) * dx + (y - edges[e, 2]) * dy) / (size * size)
            if not -1e-6 <= s <= 1.0 + 1e-6:
                continue
        else:
            px, py = (x - edges[e, CX]) / edges[e, RX], (y - edges[e, CY]) / edges[e, RY]
            r = math.hypot(px, py)
            away = abs(r - 1.0) * min(edges[e, RX], edges[e, RY])
            dx, dy = -edges[e, RX] * py, edges[e, RY] * px
            size = math.hypot(dx, dy)
            if size == 0.0:
                continue
        if away < best:
            best, tx, ty = away, dx / size, dy / size
    return tx, ty
