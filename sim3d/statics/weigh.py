"""From contacts to margins and normals: how far the ground point lies inside what carries it, which way each pushes.

Compiled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.foot import CX, CY, RX, RY, Foot, length
from sim3d.space import Floats, Ints
from sim3d.statics.friction import balance, needed, slips_at
from sim3d.statics.touch import (
    ANGLE,
    ARC,
    HEIGHT,
    MEETING,
    PX,
    PY,
    PZ,
    QX,
    QY,
    RIM_ON_EDGE,
    RIM_ON_FACE,
    TRIANGLE,
    UNDER,
    gap2,
    hull,
    on_same_arc,
    within_half_turn,
)
from sim3d.statics.ways import LEVEL, beyond, com_place, foot_of_com

ROUNDING_MM = 1e-9
GOLDEN = 0.3819660112501051
BOW_CONTACTS = 32  # of those on bows of the rim, where there are hundreds; a centre of mass near the rim needs them
ONE_WAY = 1e-6  # radians: normals that differ by less are one; a file of short numbers tells a plane no better
LEVEL_RADIANS = 1e-12  # what leans by less is level, and holds without friction
FIRM_MM = 2e-6  # what really touches, and pushes along its own normal; the rest of the band only widens the margin
SAME_PLACE_MM = 1e-5  # contacts nearer than this are one
ALONG = 5e-4  # as a share: a rim that goes up its face by more does not lie on it, it crosses an edge farther up
PART = 0.1  # of a move of its contacts: a line that passes the ground point by less is not moved by one of them
BESIDE_MM = 1e-5  # a ground point this far outside its contacts lies between them: a rim's place on a face is rounded
ASIDE_MM = 0.02  # ... or this far, where a bow of the rim lies on a face: by a millionth of a lean it touches elsewhere
SUNK_MM = 1e-7  # so near a face a bow of the rim still is where it touches it


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
    least = math.inf
    bow, gaps = np.empty(many, np.bool_), np.empty(many)  # whether a side is a bow; how far off each contact is
    lowest = -1
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        dx, dy = contacts[b, PX] - contacts[a, PX], contacts[b, PY] - contacts[a, PY]
        wx, wy = gx - contacts[a, PX], gy - contacts[a, PY]
        bow[i], gaps[i] = on_same_arc(contacts[a], contacts[b]), length(wx, wy)
        if bow[i]:
            continue
        size = dx * dx + dy * dy
        s = min(1.0, max(0.0, (wx * dx + wy * dy) / size)) if size > 0.0 else 0.0
        least = min(least, length(wx - s * dx, wy - s * dy))
    for i in range(many):
        if (bow[i - 1] or bow[i]) and (lowest < 0 or gaps[i] < gaps[lowest]):
            lowest = i
    for i in range(many):
        before, after = (i - 1) % many, (i + 1) % many
        if not (bow[before] or bow[i]):
            continue
        falls = not bow[before] or gaps[i] < gaps[before] - LEVEL
        rises = not bow[i] or gaps[i] <= gaps[after] + LEVEL
        if i == lowest or (falls and rises):
            first, last = ring[before] if bow[before] else ring[i], ring[after] if bow[i] else ring[i]
            least = min(least, to_bow(contacts, first, ring[i], last, frame, edges, gx, gy))
    # in the base's plane the hull is convex; seen from above, contacts of other heights may spoil that by a hair
    fx, fy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
    return least if beyond(contacts, ring, fx, fy)[1] <= ROUNDING_MM else -least


@lean
def to_bow(
    contacts: Floats, first: int, middle: int, last: int, frame: Floats, edges: Floats, gx: float, gy: float
) -> float:
    """The horizontal distance from a point to the bow of the rim between two contacts, by way of one between them."""
    e, about = int(contacts[middle, ARC]), contacts[middle, ANGLE]
    low = about + within_half_turn(contacts[first, ANGLE] - about)
    high = about + within_half_turn(contacts[last, ANGLE] - about)
    best = min(bow_gap(low, e, frame, edges, gx, gy), bow_gap(high, e, frame, edges, gx, gy))
    x1, x2 = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
    v1, v2 = bow_gap(x1, e, frame, edges, gx, gy), bow_gap(x2, e, frame, edges, gx, gy)
    while high - low > 1e-10:
        if v1 <= v2:
            high, x2, v2 = x2, x1, v1
            x1 = low + GOLDEN * (high - low)
            v1 = bow_gap(x1, e, frame, edges, gx, gy)
        else:
            low, x1, v1 = x1, x2, v2
            x2 = high - GOLDEN * (high - low)
            v2 = bow_gap(x2, e, frame, edges, gx, gy)
        best = min(best, v1, v2)
    return best


@lean
def bow_gap(angle: float, e: int, frame: Floats, edges: Floats, gx: float, gy: float) -> float:
    """The horizontal distance from a point to the rim at an angle."""
    qx = edges[e, CX] + edges[e, RX] * math.cos(angle)
    qy = edges[e, CY] + edges[e, RY] * math.sin(angle)
    x = frame[0, 0] + qx * frame[1, 0] + qy * frame[2, 0]
    y = frame[0, 1] + qx * frame[1, 1] + qy * frame[2, 1]
    return length(x - gx, y - gy)


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


@lean
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


@lean
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


@compiled
def carrying(touch: Floats, ring: Ints) -> Ints:
    """Of all contacts those that may carry: the corners of the hull of what truly touches, each place once.

    Of a bow of the rim so many that a ring stays round. Where rim and edge cross, that contact says how it pushes, also
    of the places beside it along the rim.
    """
    firm = np.flatnonzero(touch[:, HEIGHT] > -FIRM_MM)
    around = firm[hull(touch[firm])] if firm.shape[0] > 1 else ring
    many = around.shape[0]
    bows = 0
    inner = np.zeros(many, np.bool_)
    for k in range(many):
        here = touch[around[k]]  # a bow's ends are corners of their own
        inner[k] = on_same_arc(touch[around[k - 1]], here) and on_same_arc(here, touch[around[(k + 1) % many]])
        bows += inner[k]
    each = max(1, math.ceil(bows / BOW_CONTACTS))
    kept = np.empty(many, np.int64)
    n = met = 0
    for k in range(many):
        met += inner[k]
        if inner[k] and met % each != 0:
            continue
        best = farther_up(touch, firm, around[k])
        for m in range(firm.shape[0]):
            i = firm[m]
            if gap2(touch, i, best) < SAME_PLACE_MM * SAME_PLACE_MM and rank(touch[i]) < rank(touch[best]):
                best = i
        if n == 0 or best not in (kept[0], kept[n - 1]):
            kept[n] = best
            n += 1
    return kept[:n].copy()


@lean
def farther_up(touch: Floats, firm: Ints, of: int) -> int:
    """Of a place where a bow of the rim goes up the face that it nearly touches, the highest one there; else itself."""
    best, here = of, touch[of]
    for m in range(firm.shape[0] if here[ARC] >= 0.0 else 0):
        i = firm[m]
        if (
            touch[i, ARC] == here[ARC]
            and touch[i, TRIANGLE] == here[TRIANGLE]
            and touch[i, HEIGHT] > touch[best, HEIGHT]
        ):
            rise = touch[i, HEIGHT] - here[HEIGHT]
            if rise * rise > ALONG * ALONG * gap2(touch, i, of):
                best = i
    return best


@compiled
def along_rims(mine: Floats, tris: Floats, frame: Floats, com: Floats, edges: Floats) -> Floats:
    """Contacts, those of bows of the rim on faces moved along it by what is unsure: the ground point lies between them.

    How a base leans is known to a millionth. A bow rises so little over a face beside where it touches it that it
    touches there for a lean that differs by less: across a groove a tenth of a micron beside, and nothing held it.
    """
    many = mine.shape[0]
    gx, gy, _ = com_place(frame, com)
    for i in range(many):
        j = (i + 1) % many
        dx, dy = mine[j, PX] - mine[i, PX], mine[j, PY] - mine[i, PY]
        wx, wy = gx - mine[i, PX], gy - mine[i, PY]
        size = math.hypot(dx, dy)
        if size <= SAME_PLACE_MM:
            continue
        out = (dy * wx - dx * wy) / size
        if not 0.0 < out < ASIDE_MM:
            continue
        share = (dx * wx + dy * wy) / (size * size)
        one, other = on_a_face(mine[i]), on_a_face(mine[j])
        moves = 1.0 if one and other else 1.0 - share if one else share if other else 0.0
        if moves < PART:
            continue
        for k in (i, j):
            if on_a_face(mine[k]):
                move_along(mine[k], tris, frame, edges, dy / size, -dx / size, out / moves)
    return mine


@lean
def on_a_face(contact: Floats) -> bool:
    """Whether a bow of the rim touches a face."""
    return bool(contact[MEETING] == RIM_ON_FACE and contact[ARC] >= 0.0)


@lean
def move_along(contact: Floats, tris: Floats, frame: Floats, edges: Floats, nx: float, ny: float, by_mm: float) -> None:
    """Move a contact along its bow, farther by so much in a direction, if it still touches its face there."""
    e, angle = int(contact[ARC]), contact[ANGLE]
    tx, ty = -edges[e, RX] * math.sin(angle), edges[e, RY] * math.cos(angle)
    along = (tx * frame[1, 0] + ty * frame[2, 0]) * nx + (tx * frame[1, 1] + ty * frame[2, 1]) * ny
    if abs(along) < 0.5 * length(tx, ty):
        return
    there = angle + by_mm / along
    qx = edges[e, RX] * (math.cos(there) - math.cos(angle))
    qy = edges[e, RY] * (math.sin(there) - math.sin(angle))
    x = qx * frame[1, 0] + qy * frame[2, 0]
    y = qx * frame[1, 1] + qy * frame[2, 1]
    z = qx * frame[1, 2] + qy * frame[2, 2]
    tri = tris[int(contact[TRIANGLE])]
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    mx, my, mz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    away = mx * x + my * y + mz * z
    if away * away > SUNK_MM * SUNK_MM * (mx * mx + my * my + mz * mz):
        return
    contact[QX] += qx
    contact[QY] += qy
    contact[ANGLE] = there
    contact[PX] += x
    contact[PY] += y
    contact[PZ] += z


@compiled
def arms_of(mine: Floats, frame: Floats, com: Floats) -> Floats:
    """From the centre of mass to each contact, in their order round it; one beside them by rounding lies between them.

    Of two contacts no friction could hold what lies beside their line, be it by a millionth of a millimetre.
    """
    many = mine.shape[0]
    gx, gy, gz = com_place(frame, com)
    for i in range(many):
        j = (i + 1) % many
        dx, dy = mine[j, PX] - mine[i, PX], mine[j, PY] - mine[i, PY]
        size = math.hypot(dx, dy)
        if size > SAME_PLACE_MM:
            out = (dy * (gx - mine[i, PX]) - dx * (gy - mine[i, PY])) / size
            if 0.0 < out < BESIDE_MM:
                gx, gy = gx - out * dy / size, gy + out * dx / size
    arms = np.empty((many, 3))
    for i in range(many):
        arms[i, 0], arms[i, 1], arms[i, 2] = mine[i, PX] - gx, mine[i, PY] - gy, mine[i, PX + 2] - gz
    return arms


@lean
def rank(contact: Floats) -> int:
    """Which of several contacts in one place says how it pushes: rim on edge, under the base, rim on face."""
    return 0 if contact[MEETING] == RIM_ON_EDGE else 1 if contact[MEETING] == UNDER else 2


class Weighed(NamedTuple):
    """How the contacts carry: the friction that it needs, and of each contact its place, normal, force, triangle."""

    needs: float
    places: Floats
    arms: Floats  # of each contact, from the centre of mass
    normals: Floats
    loads: Floats
    triangles: Ints
    lean: float  # radians: of the base where all push along its normal, else NaN


@compiled
def told_apart(mine: Floats, normals: Floats) -> Ints:
    """Contacts without those that lie close to another one and push the same way: what either bears, one bears."""
    kept, n = np.empty(mine.shape[0], np.int64), 0
    for i in range(mine.shape[0]):
        alone = True
        for k in range(n):
            j = kept[k]
            across = 0.0
            for a in range(3):
                across = max(across, abs(normals[i, a] - normals[j, a]))
            alone = alone and not (gap2(mine, i, j) < SAME_PLACE_MM * SAME_PLACE_MM and across < ONE_WAY)
        if alone:
            kept[n] = i
            n += 1
    return kept[:n].copy()


@compiled
def weighed(touch: Floats, ring: Ints, tris: Floats, frame: Floats, com: Floats, foot: Foot) -> Weighed:
    """The smallest coefficient that holds it, and the loads."""
    mine = along_rims(touch[carrying(touch, ring)], tris, frame, com, foot.edges)
    normals = normals_of(mine, tris, frame, foot.edges)
    apart = told_apart(mine, normals)
    mine, normals = mine[apart], normals[apart]
    many = mine.shape[0]
    places, arms, loads = np.empty((many, 3)), arms_of(mine, frame, com), np.zeros((many, 3))
    triangles = np.empty(many, np.int64)
    plain = True
    for i in range(many):
        triangles[i] = int(mine[i, TRIANGLE])
        for a in range(3):
            places[i, a] = mine[i, PX + a]
            plain = plain and abs(normals[i, a] - frame[3, a]) < ONE_WAY
    down, lean = np.array([0.0, 0.0, -1.0]), math.nan
    if plain:  # one normal for all: the slope's own tangent, exactly
        for i in range(many):
            normals[i] = frame[3]
        lean = math.atan2(math.sqrt(frame[3, 0] ** 2 + frame[3, 1] ** 2), frame[3, 2])
        lean = lean if lean > LEVEL_RADIANS else 0.0
        needs = math.tan(lean)
        balance(arms, normals, down, foot.reach_mm, needs * (1.0 + 1e-9), loads, np.zeros(6))
    else:
        needs = needed(arms, normals, down, foot.reach_mm, loads)
    return Weighed(needs, places, arms, normals, loads, triangles, lean)


@compiled
def held(by: Weighed, scale: float, mu: float) -> tuple[float, Floats]:
    """The gravity tilt (radians) at which it slides with a coefficient; 0 where it does at once, with the motion (6):
    a force and moment that no loads balance.
    """
    motion = np.zeros(6)
    if mu < by.needs:
        balance(by.arms, by.normals, np.array([0.0, 0.0, -1.0]), scale, mu, np.zeros_like(by.loads), motion)
        return 0.0, motion
    if by.lean == by.lean:
        return math.atan(mu) - by.lean, motion
    return slips_at(by.arms, by.normals, scale, mu), motion
