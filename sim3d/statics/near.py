"""What of the terrain can touch the underside while the base stays near a pose: points under it, faces at its rim.

Compiled. Far inside the outline a flat underside meets corners of the terrain only; edges and faces matter at the rim.
Both lists are exact for every pose in which no point under the base has moved along it by more than `room`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.ground.creases import ALL_SPEAK, SPEAKS
from sim3d.ground.foot import ROOM_MM, Foot, beside_box, inside, off_rim
from sim3d.ground.patch import out_of_reach
from sim3d.space import Floats, Ints

ABOUT, CLOSE = 0.06, 0.003  # of the reach: a roll by fourteen degrees, or three, moves nothing under the base by more
AROUND = 8  # points tried around one to see that it lies well inside
CORNERS = 1.09  # circles of these points are this much wider than the room asked for
BUNCH = 8  # triangles, or points, that follow each other: mostly they are neighbours, and lie in one small ball
ROUNDED_MM = 1e-9  # a ball reaches this much farther
BETWEEN = 0.6  # of that room is sure: the corner of a notch may reach in between two of the points


class Terrain(NamedTuple):
    """Points and triangles as the loops take them; `numbers` and `owners` say which triangle of the patch each is."""

    points: Floats  # (n, 3) mm
    owners: Ints  # (n,)
    tris: Floats  # (m, 3, 3) mm
    spans: Floats  # (m,) nothing of a triangle is farther than this from its first corner
    traits: Ints  # (m,) bits, as `creases` tells them: what of a triangle is no edge and no corner
    numbers: Ints  # (m,)
    point_balls: Floats  # (n / BUNCH, 4) a ball about so many points that follow each other: its middle, and its radius
    balls: Floats  # (m / BUNCH, 4) the same of triangles
    home: Floats  # the frame about which they were chosen
    room: float  # mm


@compiled
def whole(tris: Floats, spans: Floats, traits: Ints) -> Terrain:
    """All triangles of a patch: exact wherever the base goes."""
    none, many = np.empty(0, np.int64), tris.shape[0]
    balls = balls_about(tris, spans)
    return Terrain(
        np.empty((0, 3)),
        none,
        tris,
        spans,
        traits,
        np.arange(many),
        np.empty((0, 4)),
        balls,
        np.zeros((4, 3)),
        math.inf,
    )


@compiled
def balls_about(tris: Floats, spans: Floats) -> Floats:
    """The balls about triangles."""
    many = tris.shape[0]
    balls = np.empty(((many + BUNCH - 1) // BUNCH, 4))
    for b in range(balls.shape[0]):
        first, last = b * BUNCH, min((b + 1) * BUNCH, many)
        x = y = z = far = 0.0
        for t in range(first, last):
            x, y, z = x + tris[t, 0, 0], y + tris[t, 0, 1], z + tris[t, 0, 2]
        x, y, z = x / (last - first), y / (last - first), z / (last - first)
        for t in range(first, last):
            dx, dy, dz = tris[t, 0, 0] - x, tris[t, 0, 1] - y, tris[t, 0, 2] - z
            far = max(far, math.sqrt(dx * dx + dy * dy + dz * dz) + spans[t])
        balls[b, 0], balls[b, 1], balls[b, 2], balls[b, 3] = x, y, z, far + ROUNDED_MM
    return balls


@compiled
def balls_about_points(points: Floats) -> Floats:
    """The balls about points."""
    many = points.shape[0]
    balls = np.empty(((many + BUNCH - 1) // BUNCH, 4))
    for b in range(balls.shape[0]):
        first, last = b * BUNCH, min((b + 1) * BUNCH, many)
        x = y = z = far = 0.0
        for i in range(first, last):
            x, y, z = x + points[i, 0], y + points[i, 1], z + points[i, 2]
        x, y, z = x / (last - first), y / (last - first), z / (last - first)
        for i in range(first, last):
            dx, dy, dz = points[i, 0] - x, points[i, 1] - y, points[i, 2] - z
            far = max(far, dx * dx + dy * dy + dz * dz)
        balls[b, 0], balls[b, 1], balls[b, 2], balls[b, 3] = x, y, z, math.sqrt(far) + ROUNDED_MM
    return balls


@compiled
def loose(tris: Floats, spans: Floats) -> Terrain:
    """The same of triangles of which nothing else is known: each of their edges and corners is one."""
    return whole(tris, spans, np.full(tris.shape[0], ALL_SPEAK))


@compiled
def near(among: Terrain, frame: Floats, foot: Foot, share: float) -> Terrain:
    """What of some terrain is met near a frame, with room of a share of the reach.

    What lay well inside the outline with all the room of `among` lies so with this one's, wherever `among` holds.
    """
    room = share * foot.reach_mm
    many, known = among.tris.shape[0], among.points.shape[0]
    points, owners = np.empty((known + 3 * many, 3)), np.empty(known + 3 * many, np.int64)
    kept, kept_spans, rows = np.empty((many, 3, 3)), np.empty(many), np.empty(many, np.int64)
    n, m = chosen(among, frame, foot, share, points, owners, kept, kept_spans, rows)
    traits, numbers = np.empty(m, np.int64), np.empty(m, np.int64)
    for k in range(m):
        traits[k], numbers[k] = among.traits[rows[k]], among.numbers[rows[k]]
    points, kept, kept_spans = points[:n].copy(), kept[:m].copy(), kept_spans[:m].copy()
    return Terrain(
        points,
        owners[:n].copy(),
        kept,
        kept_spans,
        traits,
        numbers,
        balls_about_points(points),
        balls_about(kept, kept_spans),
        frame.copy(),
        room if foot.inner_mm == foot.reach_mm else BETWEEN * room,
    )


@lean
def chosen(
    among: Terrain,
    frame: Floats,
    foot: Foot,
    share: float,
    points: Floats,
    owners: Ints,
    kept: Floats,
    kept_spans: Floats,
    rows: Ints,
) -> tuple[int, int]:
    """How many points and triangles are near; they are written, and which row each triangle was."""
    room = share * foot.reach_mm
    round_one = foot.inner_mm == foot.reach_mm
    tris, spans = among.tris, among.spans
    n = m = 0
    # what a roll by as much as the room allows could reach, from the base's far side
    deepest = -2.0 * foot.reach_mm * math.sqrt(2.0 * share) - room
    ox, oy, oz = frame[0, 0], frame[0, 1], frame[0, 2]
    nx, ny, nz = frame[3, 0], frame[3, 1], frame[3, 2]
    far2, safe2 = (foot.reach_mm + room) ** 2, max(foot.inner_mm - room, 0.0) ** 2
    for b in range(among.point_balls.shape[0]):
        ball = among.point_balls[b]
        if (ball[0] - ox) * nx + (ball[1] - oy) * ny + (ball[2] - oz) * nz + ball[3] < deepest:
            continue
        for i in range(b * BUNCH, min((b + 1) * BUNCH, among.points.shape[0])):
            dx, dy, dz = among.points[i, 0] - ox, among.points[i, 1] - oy, among.points[i, 2] - oz
            if dx * nx + dy * ny + dz * nz >= deepest:
                copied(among.points[i], points[n])
                owners[n] = among.owners[i]
                n += 1
    q = scratch(3, 2)
    for b in range(among.balls.shape[0]):
        ball = among.balls[b]
        if (ball[0] - ox) * nx + (ball[1] - oy) * ny + (ball[2] - oz) * nz + ball[3] < deepest:
            continue
        for t in range(b * BUNCH, min((b + 1) * BUNCH, tris.shape[0])):
            dx, dy, dz = tris[t, 0, 0] - ox, tris[t, 0, 1] - oy, tris[t, 0, 2] - oz
            if dx * nx + dy * ny + dz * nz + spans[t] < deepest:
                continue
            inside_of, nearest = 0, math.inf
            for i in range(3):
                dx, dy, dz = tris[t, i, 0] - ox, tris[t, i, 1] - oy, tris[t, i, 2] - oz
                x = dx * frame[1, 0] + dy * frame[1, 1] + dz * frame[1, 2]
                y = dx * frame[2, 0] + dy * frame[2, 1] + dz * frame[2, 2]
                q[i, 0], q[i, 1] = x, y
                nearest = min(nearest, x * x + y * y)
                if inside_of == i and (x * x + y * y < safe2 or (not round_one and well_inside(foot, x, y, room))):
                    inside_of += 1
            if inside_of == 3 and (round_one or spans[t] <= room or apart_from_notches(q, safe2)):
                for i in range(3):
                    if among.traits[t] & (SPEAKS << i):
                        copied(tris[t, i], points[n])
                        owners[n] = among.numbers[t]
                        n += 1
                continue
            if nearest > far2 and out_of_reach(q, far2):
                continue
            if not round_one and beside_box(q, foot.box, room):  # a long base reaches far, but not to all sides
                continue
            for i in range(3):
                copied(tris[t, i], kept[m, i])
            kept_spans[m], rows[m] = spans[t], t
            m += 1
    return n, m


@lean
def well_inside(foot: Foot, x: float, y: float, room: float) -> bool:
    """Whether the outline keeps its distance from a point."""
    within = max(foot.reach_mm - room, 0.0)  # one of the places around it lies as far out, and farther
    if x * x + y * y > within * within:
        return False
    if off_rim(foot.edges, x, y, CORNERS * room + ROOM_MM):  # then all around it is as it is
        return inside(foot.pieces, foot.reach_mm, foot.inner_mm, x, y)
    for k in range(AROUND):
        a = 2.0 * math.pi * k / AROUND
        if not inside(
            foot.pieces,
            foot.reach_mm,
            foot.inner_mm,
            x + CORNERS * room * math.cos(a),
            y + CORNERS * room * math.sin(a),
        ):
            return False
    return True


@lean
def apart_from_notches(q: Floats, safe2: float) -> bool:
    """Whether a triangle lies within the circle that fits inside the outline: no notch reaches into that."""
    farthest = 0.0
    for i in range(3):
        farthest = max(farthest, q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1])
    return farthest < safe2


@lean
def moved(terrain: Terrain, frame: Floats, reach: float) -> float:
    """By how much (mm, at most) a place in the underside lies elsewhere along it than in the frame at home."""
    home = terrain.home
    tx = ty = 0.0
    size = 0.0
    for a in range(3):
        tx += (frame[0, a] - home[0, a]) * home[1, a]
        ty += (frame[0, a] - home[0, a]) * home[2, a]
    for i in range(1, 3):
        for j in range(1, 3):
            s = -1.0 if i == j else 0.0
            for a in range(3):
                s += frame[i, a] * home[j, a]
            size += s * s
    return math.hypot(tx, ty) + reach * math.sqrt(size)
