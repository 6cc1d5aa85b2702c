"""A base rolling without slipping: about an edge of its contacts until the terrain touches it again.

Compiled. Turning is exact at any angle: corners, edges against the rim and rim against faces each meet where they meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean, scratch
from sim3d.ground.creases import NO_CORNER, NO_EDGE
from sim3d.ground.foot import KIND, ROUND, X0, X1, Y0, Y1, Foot, farthest_on_arc, inside, length
from sim3d.ground.patch import out_of_reach
from sim3d.space import Floats, Ints
from sim3d.statics.near import BUNCH, Terrain
from sim3d.statics.touch import dot, framed

NEVER = 4.0  # radians: no touch
STEEPEST = 1.55  # radians a roll is followed: beyond a right angle it lies on its side
TINY = 1e-12


@compiled
def meets(along_n: float, along_w: float, slack: float) -> float:
    """The angle at which a point (height over the plane, distance before the axis) stands `slack` over the plane."""
    r = length(along_n, along_w)
    if r <= slack or along_w <= 0.0:
        return NEVER
    angle = math.asin(min(1.0, slack / r)) - math.atan2(along_n, along_w)
    return max(angle, 0.0)


@compiled
def first_touch(
    terrain: Terrain, frame: Floats, axis: Floats, foot: Foot, slack: float, limit: float
) -> tuple[float, float]:
    """As `touch_of`."""
    return touch_of(terrain, frame, axis, foot, slack, limit, np.empty(terrain.tris.shape[0], np.int64))


@lean
def touch_of(
    terrain: Terrain, frame: Floats, axis: Floats, foot: Foot, slack: float, limit: float, hits: Ints
) -> tuple[float, float]:
    """Turned about an axis (a point, along, outward): the angle of the first touch, and that of touching by `slack`.

    The outward side goes down, at most by `limit`. What lies in the plane now may sink in by `slack` before it counts.
    NEVER: no touch. `hits` is room for the number of every triangle.
    """
    best, exact = limit, NEVER
    turning = turning_of(frame, axis)
    ox, oy, oz = axis[0, 0], axis[0, 1], axis[0, 2]
    vx, vy, vz = axis[2, 0], axis[2, 1], axis[2, 2]
    # a point with height n and distance w outward has sunk in by n cos + w sin at an angle
    gx, gy, gz = sinking(frame, axis, best)
    points, tris, spans, traits = terrain.points, terrain.tris, terrain.spans, terrain.traits
    for b in range(terrain.point_balls.shape[0]):
        ball = terrain.point_balls[b]
        dx, dy, dz, far = ball[0] - ox, ball[1] - oy, ball[2] - oz, ball[3]
        if dx * gx + dy * gy + dz * gz + far <= slack or dx * vx + dy * vy + dz * vz + far <= 0.0:
            continue
        for i in range(b * BUNCH, min((b + 1) * BUNCH, points.shape[0])):
            dx, dy, dz = points[i, 0] - ox, points[i, 1] - oy, points[i, 2] - oz
            if dx * gx + dy * gy + dz * gz > slack and dx * vx + dy * vy + dz * vz > 0.0:
                angle, touch = corner_touch(dx, dy, dz, frame, axis, turning, foot, slack)
                if angle < best:
                    best, exact = angle, touch
                    gx, gy, gz = sinking(frame, axis, best)
    many = 0
    for b in range(terrain.balls.shape[0]):  # corners first: they are cheap, and lift the bar for the rest
        ball = terrain.balls[b]
        dx, dy, dz, far = ball[0] - ox, ball[1] - oy, ball[2] - oz, ball[3]
        if dx * gx + dy * gy + dz * gz + far <= slack or dx * vx + dy * vy + dz * vz + far <= 0.0:
            continue
        for t in range(b * BUNCH, min((b + 1) * BUNCH, tris.shape[0])):
            dx, dy, dz = tris[t, 0, 0] - ox, tris[t, 0, 1] - oy, tris[t, 0, 2] - oz
            if dx * gx + dy * gy + dz * gz + spans[t] <= slack or dx * vx + dy * vy + dz * vz + spans[t] <= 0.0:
                continue  # not reached before the best touch so far, or behind the axis
            hits[many] = t
            many += 1
            for i in range(3):
                if traits[t] & (NO_CORNER << i):
                    continue
                if i > 0:
                    dx, dy, dz = tris[t, i, 0] - ox, tris[t, i, 1] - oy, tris[t, i, 2] - oz
                if dx * gx + dy * gy + dz * gz > slack and dx * vx + dy * vy + dz * vz > 0.0:
                    angle, touch = corner_touch(dx, dy, dz, frame, axis, turning, foot, slack)
                    if angle < best:
                        best, exact = angle, touch
                        gx, gy, gz = sinking(frame, axis, best)
    many = crossing_rim(terrain, hits, many, frame, axis, turning, foot, best, slack)
    p = scratch(3, 3)  # of each corner: along the axis, outward, over the plane
    work = scratch(3, 6, 3)
    c, s = math.cos(best), math.sin(best)
    for m in range(many):
        seen = best
        sunk = False
        for i in range(3):
            dx, dy, dz = tris[hits[m], i, 0] - ox, tris[hits[m], i, 1] - oy, tris[hits[m], i, 2] - oz
            p[i, 0], p[i, 1], p[i, 2] = dot(dx, dy, dz, axis[1]), dot(dx, dy, dz, axis[2]), dot(dx, dy, dz, frame[3])
            sunk = sunk or p[i, 2] * c + p[i, 1] * s > slack
        if not sunk or beside_base(p, turning, foot, slack, c, s, work):
            continue
        for i in range(3):
            if traits[hits[m]] & (NO_EDGE << i):
                continue
            best, exact = edge_touch(p[i], p[(i + 1) % 3], turning, foot, slack, c, s, best, exact)
            if best < seen:
                seen, c, s = best, math.cos(best), math.sin(best)
        best, exact = rim_touch(p, turning, foot, slack, c, s, best, exact)
        if best < seen:
            c, s = math.cos(best), math.sin(best)
    if exact >= NEVER:
        return NEVER, NEVER
    return exact, best


@lean
def crossing_rim(
    terrain: Terrain,
    hits: Ints,
    many: int,
    frame: Floats,
    axis: Floats,
    turning: Turning,
    foot: Foot,
    best: float,
    slack: float,
) -> int:
    """Of the triangles that sink in before the best touch so far, those that come to lie across the rim; how many.

    `hits` is overwritten, with the one first that seems to touch first: the sooner a good touch is known, the less is
    left to look at.
    """
    tris, spans = terrain.tris, terrain.spans
    q, n, w = scratch(3, 2), scratch(3), scratch(3)
    kept, first, soonest = 0, -1, math.inf
    gx, gy, gz = sinking(frame, axis, best)
    bar = slack + gx * axis[0, 0] + gy * axis[0, 1] + gz * axis[0, 2]
    for m in range(many):
        t = hits[m]
        if (
            gx * tris[t, 0, 0] + gy * tris[t, 0, 1] + gz * tris[t, 0, 2] <= bar
            and gx * tris[t, 1, 0] + gy * tris[t, 1, 1] + gz * tris[t, 1, 2] <= bar
            and gx * tris[t, 2, 0] + gy * tris[t, 2, 1] + gz * tris[t, 2, 2] <= bar
        ):
            continue
        least, far = math.inf, 0.0
        for i in range(3):
            dx, dy, dz = tris[t, i, 0] - axis[0, 0], tris[t, i, 1] - axis[0, 1], tris[t, i, 2] - axis[0, 2]
            w[i], n[i] = dot(dx, dy, dz, axis[2]), dot(dx, dy, dz, frame[3])
            r = math.sqrt(w[i] * w[i] + n[i] * n[i])
            q[i, 0], q[i, 1] = under_base(turning, dot(dx, dy, dz, axis[1]), r)
            least, far = min(least, r), max(far, q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1])
        # where it comes to lie under the base is a triangle whose sides bow in by less than this
        width = 2.0 * spans[t]
        bow = slack + (width if least <= width else 0.125 * width * width / (least - width))
        if far < max(foot.inner_mm - bow, 0.0) ** 2 or out_of_reach(q, (foot.reach_mm + bow) ** 2):
            continue  # wholly under the base, or wholly beside it
        hits[kept] = t
        for i in range(3):
            j = (i + 1) % 3
            a, b = length(q[i, 0], q[i, 1]), length(q[j, 0], q[j, 1])
            if (a <= foot.reach_mm) == (b <= foot.reach_mm):
                continue
            k = (foot.reach_mm - a) / (b - a)
            out = w[i] + k * (w[j] - w[i])
            guess = -(n[i] + k * (n[j] - n[i])) / out if out > 0.0 else math.inf
            if guess < soonest:
                first, soonest = kept, guess
        kept += 1
    if first > 0:
        hits[0], hits[first] = hits[first], hits[0]
    return kept


@lean
def beside_base(p: Floats, turning: Turning, foot: Foot, slack: float, c: float, s: float, work: Floats) -> bool:
    """Whether all of a triangle that goes down, and has sunk in at an angle, comes to lie beside the base.

    `p` are its corners (along the axis, outward, over the plane); `work` is room (3, 6, 3) for parts of it.
    """
    for i in range(3):
        work[0, i, 0], work[0, i, 1], work[0, i, 2] = p[i, 0], p[i, 1], p[i, 2]
    many = kept_part(work, 0, 3, 1.0, 0.0, 0.0)
    count = kept_part(work, 1, many, s, c, slack)
    bow = 0.0
    for i in range(count):
        r = length(work[2, i, 1], work[2, i, 2])
        bow = max(bow, r - work[2, i, 1])  # no way from the axis falls short of the straight line's by more
        work[0, i, 0], work[0, i, 1] = under_base(turning, work[2, i, 0], r)
    return count == 0 or out_of_reach(work[0, :count], (foot.reach_mm + bow + slack) ** 2 * (1.0 + 1e-9))


@lean
def kept_part(work: Floats, ring: int, count: int, out: float, up: float, bar: float) -> int:
    """The part of a ring where outward and upward, so weighed, come to more than a bar: into the next one; how many."""
    n = 0
    for i in range(count):
        j = (i + 1) % count
        a = work[ring, i, 1] * out + work[ring, i, 2] * up - bar
        b = work[ring, j, 1] * out + work[ring, j, 2] * up - bar
        if a > 0.0:
            for k in range(3):
                work[ring + 1, n, k] = work[ring, i, k]
            n += 1
        if (a > 0.0) != (b > 0.0):
            s = a / (a - b)
            for k in range(3):
                work[ring + 1, n, k] = work[ring, i, k] + s * (work[ring, j, k] - work[ring, i, k])
            n += 1
    return n


class Turning(NamedTuple):
    """An axis in the base's own coordinates: a point of it, its direction, and outward."""

    qx: float
    qy: float
    ux: float
    uy: float
    wx: float
    wy: float


@lean
def turning_of(frame: Floats, axis: Floats) -> Turning:
    """The axis as the base sees it."""
    dx, dy, dz = axis[0, 0] - frame[0, 0], axis[0, 1] - frame[0, 1], axis[0, 2] - frame[0, 2]
    return Turning(
        dot(dx, dy, dz, frame[1]),
        dot(dx, dy, dz, frame[2]),
        dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]),
        dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2]),
        dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]),
        dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[2]),
    )


@lean
def under_base(turning: Turning, u: float, w: float) -> tuple[float, float]:
    """Where a place so far along the axis and so far outward lies in the base's own coordinates."""
    return turning.qx + turning.ux * u + turning.wx * w, turning.qy + turning.uy * u + turning.wy * w


@lean
def sinking(frame: Floats, axis: Floats, angle: float) -> tuple[float, float, float]:
    """The base's normal after the turn: along it a point shows how deep it has sunk in."""
    c, s = math.cos(angle), math.sin(angle)
    return (
        frame[3, 0] * c + axis[2, 0] * s,
        frame[3, 1] * c + axis[2, 1] * s,
        frame[3, 2] * c + axis[2, 2] * s,
    )


@lean
def corner_touch(
    dx: float, dy: float, dz: float, frame: Floats, axis: Floats, turning: Turning, foot: Foot, slack: float
) -> tuple[float, float]:
    """A corner of the terrain, relative to the axis: the angles of touching by `slack` and of touching at all.

    What stands over the plane already is met by no turn: it stands beside the base, or above it.
    """
    u, w, n = dot(dx, dy, dz, axis[1]), dot(dx, dy, dz, axis[2]), dot(dx, dy, dz, frame[3])
    if n > slack:
        return NEVER, NEVER
    x, y = under_base(turning, u, met_at(w, n, slack))
    if not inside(foot.pieces, foot.reach_mm, foot.inner_mm, x, y):
        return NEVER, NEVER
    return meets(n, w, slack), max(-math.atan2(n, w), 0.0)


@lean
def met_at(w: float, n: float, slack: float) -> float:
    """How far before the axis a point comes to lie when it has sunk in by `slack`; 0 where it never does."""
    return math.sqrt(max(w * w + n * n - slack * slack, 0.0))


@lean
def under(turning: Turning, foot: Foot, a: Floats, b: Floats, s: float, slack: float) -> bool:
    """Whether the point a share `s` along an edge comes to lie under the base when the plane reaches it."""
    u, w, n = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
    if w <= 0.0:
        return False
    x, y = under_base(turning, u, met_at(w, n, slack))
    return inside(foot.pieces, foot.reach_mm, foot.inner_mm, x, y)


@lean
def edge_touch(
    a: Floats, b: Floats, turning: Turning, foot: Foot, slack: float, c: float, s: float, best: float, exact: float
) -> tuple[float, float]:
    """An edge of the terrain against the rim: the ends of the parts of it that come to lie under the base.

    The angle falls or rises steadily along an edge, so only such ends (and corners, seen before) can be first.
    """
    sunk_a, sunk_b = a[2] * c + a[1] * s - slack, b[2] * c + b[1] * s - slack  # it sinks in evenly along an edge
    if sunk_a <= 0.0 and sunk_b <= 0.0:
        return best, exact
    # only the part that has sunk in matters; its far end is not under the base where nothing of it is
    low = 0.0 if sunk_a > 0.0 else sunk_a / (sunk_a - sunk_b)
    high = 1.0 if sunk_b > 0.0 else sunk_a / (sunk_a - sunk_b)
    if a[2] > slack or b[2] > slack:  # and of that what does not stand over the plane already
        out = 0.0 if a[2] == b[2] else (a[2] - slack) / (a[2] - b[2])
        low, high = max(low, out if a[2] > slack else 0.0), min(high, out if b[2] > slack else 1.0)
        if low >= high or (a[2] > slack and b[2] > slack):
            return best, exact
    u, w = over_axis(turning, 0.0, 0.0)  # and what may come to lie under the base: of a long edge that is a little
    reach = foot.reach_mm + slack
    low, high = between(a[0], b[0], u - reach, u + reach, low, high)
    low, high = between(a[1], b[1], 0.0, w + reach, low, high)
    if low >= high:
        return best, exact
    ax, ay = place_at(turning, a, b, low, slack)
    bx, by = place_at(turning, a, b, high, slack)
    dx, dy = bx - ax, by - ay
    along, square = -(ax * dx + ay * dy), dx * dx + dy * dy
    near = 0.0 if along <= 0.0 else 1.0 if along >= square else along / square
    # where it comes to lie is a line that bows in by less than this
    size = (high - low) * math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    dw, dn = b[1] - a[1], b[2] - a[2]
    least = min(length(a[1] + low * dw, a[2] + low * dn), length(a[1] + high * dw, a[2] + high * dn)) - size
    bow = slack + (size if least <= 0.125 * size else 0.125 * size * size / least)
    if length(ax + near * dx, ay + near * dy) > foot.reach_mm + bow:
        return best, exact
    # nearly straight, a round base is met twice at most, about the nearest point; else look more closely
    round_one = foot.inner_mm == foot.reach_mm
    parts = 2 if round_one and least > 4.0 * size else 4 if round_one and least > size else 8
    before, s0, middle = under(turning, foot, a, b, low, slack), low, low + near * (high - low)
    halves = parts if near == 0.0 or near == 1.0 else parts // 2
    for k in range(2 * halves):
        start, end = (low, middle) if k < halves else (middle, high)
        s1 = start + (k % halves + 1.0) / halves * (end - start)
        if s1 == s0:
            continue
        after = under(turning, foot, a, b, s1, slack)
        if before != after:
            x = crossing(turning, foot, a, b, s0 if before else s1, s1 if before else s0, slack)
            w, n = a[1] + x * (b[1] - a[1]), a[2] + x * (b[2] - a[2])
            angle = meets(n, w, slack)
            if angle < best:
                best, exact = angle, max(-math.atan2(n, w), 0.0)
        before, s0 = after, s1
    return best, exact


@lean
def between(a: float, b: float, least: float, most: float, low: float, high: float) -> tuple[float, float]:
    """The shares from `low` to `high` of the way from one number to another that lie between two others."""
    if a == b:
        return (low, high) if least <= a <= most else (high, low)
    s, t = (least - a) / (b - a), (most - a) / (b - a)
    return max(low, min(s, t)), min(high, max(s, t))


@lean
def place_at(turning: Turning, a: Floats, b: Floats, s: float, slack: float) -> tuple[float, float]:
    """Where a share along an edge comes to lie under the base."""
    w, n = a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
    return under_base(turning, a[0] + s * (b[0] - a[0]), met_at(w, n, slack))


@lean
def crossing(turning: Turning, foot: Foot, a: Floats, b: Floats, within: float, beside: float, slack: float) -> float:
    """Where an edge passes under the rim: the last share that is under the base, seen from one that is."""
    if foot.inner_mm < foot.reach_mm:
        for _ in range(60):
            middle = 0.5 * (within + beside)
            if under(turning, foot, a, b, middle, slack):
                within = middle
            else:
                beside = middle
            if abs(beside - within) < 1e-14:
                break
        return within
    low, high = over_round(turning, foot, a, b, within, slack), over_round(turning, foot, a, b, beside, slack)
    stayed = 0  # which end did not move last time: it is weighed down, or it would never move
    for _ in range(60):
        middle = within + (beside - within) * low / (low - high)
        value = over_round(turning, foot, a, b, middle, slack)
        if value <= 0.0:
            within, low = middle, value
            high *= 0.5 if stayed == 1 else 1.0
            stayed = 1
            if value > -1e-14:
                break
        else:
            beside, high = middle, value
            low *= 0.5 if stayed == 2 else 1.0
            stayed = 2
        if abs(beside - within) < 1e-14:
            break
    return within


@lean
def over_round(turning: Turning, foot: Foot, a: Floats, b: Floats, s: float, slack: float) -> float:
    """How far outside a round base a share along an edge comes to lie: 0 on the rim, negative inside."""
    u, w, n = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
    x, y = under_base(turning, u, met_at(w, n, slack))
    return (x * x + y * y) / (foot.reach_mm * foot.reach_mm) - 1.0


@lean
def rim_touch(
    p: Floats, turning: Turning, foot: Foot, slack: float, c: float, s: float, best: float, exact: float
) -> tuple[float, float]:
    """The rim against a face: its corners, and on arcs the point that the face meets first."""
    ax, ay, az = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    bx, by, bz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        return best, exact
    if nz < 0.0:  # the side that faces the base
        size = -size
    nx, ny, nz = nx / size, ny / size, nz / size
    d = nx * p[0, 0] + ny * p[0, 1] + nz * p[0, 2]
    edges, told = foot.edges, best
    for e in range(edges.shape[0]):
        if edges.shape[0] > 1:
            u, w = over_axis(turning, edges[e, X0], edges[e, Y0])
            best, exact = rim_point(p, u, w, nx, ny, nz, d, slack, best, exact)
        if edges[e, KIND] != ROUND:
            continue
        # the arc's point deepest in the face at an angle tells a smaller angle at which it is only just deep enough;
        # from above, and the deepest point moves little, so a few rounds reach the first touch
        angle, ca, sa = best, c, s
        if best < told:  # a corner of the outline was met before
            ca, sa = math.cos(best), math.sin(best)
        u = w = 0.0
        found = False
        for _ in range(60):
            # how the height over the face changes along the base's axes, at this angle
            hu, hw = nx, ny * ca - nz * sa
            found, x, y = farthest_on_arc(
                edges[e], -(hu * turning.ux + hw * turning.wx), -(hu * turning.uy + hw * turning.wy)
            )
            if not found:  # of this arc an end is deepest; it may be another place before that
                x, y = edges[e, X0], edges[e, Y0]
                u, w = over_axis(turning, edges[e, X1], edges[e, Y1])
                before, out = over_axis(turning, x, y)
                if hu * u + hw * w < hu * before + hw * out:
                    x, y = edges[e, X1], edges[e, Y1]
            u, w = over_axis(turning, x, y)
            found = True
            if hu * u + hw * w > d - slack * (ny * sa + nz * ca):
                found = angle < best  # not that deep at this angle: nor before, unless it was just so a round ago
                break
            new = sinks(u, w, nx, ny, nz, d, slack)
            small = angle - new < 1e-12
            angle = min(angle, new)
            if small:
                break
            ca, sa = math.cos(angle), math.sin(angle)
        if found:
            best, exact = rim_point(p, u, w, nx, ny, nz, d, slack, best, exact)
    return best, exact


@lean
def over_axis(turning: Turning, x: float, y: float) -> tuple[float, float]:
    """A place of the base's own coordinates as (along the axis, outward)."""
    dx, dy = x - turning.qx, y - turning.qy
    return dx * turning.ux + dy * turning.uy, dx * turning.wx + dy * turning.wy


@lean
def sinks(u: float, w: float, nx: float, ny: float, nz: float, d: float, slack: float) -> float:
    """The angle at which the plane n . p = d stands `slack` over a rim point (along, outward); negative: it did before.

    Along the base's normal, as an edge or a corner does: a face that is cut into others is met no sooner.
    """
    if w <= TINY:
        return NEVER
    r = length(w, slack) * length(ny, nz)
    if r == 0.0:
        return NEVER
    k = (d - nx * u) / r
    if k < -1.0 or k > 1.0:
        return NEVER
    # n . (u, w cos + slack sin, -w sin + slack cos) = d: the cosine of the angle and what is added is k, and falls
    return math.acos(k) + math.atan2(slack, w) - math.atan2(nz, ny)


@lean
def rim_point(
    p: Floats,
    u: float,
    w: float,
    nx: float,
    ny: float,
    nz: float,
    d: float,
    slack: float,
    best: float,
    exact: float,
) -> tuple[float, float]:
    """One point of the rim (along, outward) against a face: counts if it comes down inside the triangle."""
    touch = sinks(u, w, nx, ny, nz, d, 0.0)
    deep = sinks(u, w, nx, ny, nz, d, slack)
    if touch >= NEVER or deep >= best or touch < -0.1:
        return best, exact
    c, s = math.cos(deep), math.sin(deep)
    if not in_triangle(p, u, w * c + slack * s, slack * c - w * s):
        return best, exact
    return max(deep, 0.0), max(touch, 0.0)


@lean
def in_triangle(p: Floats, u: float, w: float, n: float) -> bool:
    """Whether a point near a triangle's plane lies within it, seen along its largest normal component."""
    ax, ay, az = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    bx, by, bz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
    nx, ny, nz = abs(ay * bz - az * by), abs(az * bx - ax * bz), abs(ax * by - ay * bx)
    i, j = (0, 1) if nz >= nx and nz >= ny else (0, 2) if ny >= nx else (1, 2)
    px = u if i == 0 else w
    py = w if j == 1 else n
    left = right = False
    for k in range(3):
        m = (k + 1) % 3
        ex, ey = p[m, i] - p[k, i], p[m, j] - p[k, j]
        fx, fy = px - p[k, i], py - p[k, j]
        side = ex * fy - ey * fx
        room = 1e-9 * (abs(ex) + abs(ey))
        left = left or side > room
        right = right or side < -room
    return not (left and right)


@lean
def ahead(frame: Floats, axis: Floats, foot: Foot) -> float:
    """How far (mm) the underside reaches outward over an axis; 0 where all of it lies behind."""
    turning = turning_of(frame, axis)
    most = -math.inf
    for e in range(foot.edges.shape[0]):
        most = max(most, over_axis(turning, foot.edges[e, X0], foot.edges[e, Y0])[1])
        if foot.edges[e, KIND] == ROUND:
            found, x, y = farthest_on_arc(foot.edges[e], turning.wx, turning.wy)
            if found:
                most = max(most, over_axis(turning, x, y)[1])
    return most


@compiled
def turned(frame: Floats, axis: Floats, angle: float) -> Floats:
    """The frame turned about an axis (rows: a point, along, outward) by an angle, the outward side down."""
    out = np.empty((4, 3))
    turned_into(frame, axis, angle, out)
    return out


@lean
def turned_into(frame: Floats, axis: Floats, angle: float, out: Floats) -> None:
    """The same into room for it."""
    c, s = math.cos(angle), math.sin(angle)
    kx, ky, kz = axis[1, 0], axis[1, 1], axis[1, 2]
    # outward goes to outward cos - normal sin: a turn about `along` by -angle if along x outward = normal, else +angle
    cx, cy, cz = (
        ky * axis[2, 2] - kz * axis[2, 1],
        kz * axis[2, 0] - kx * axis[2, 2],
        kx * axis[2, 1] - ky * axis[2, 0],
    )
    s = -s if dot(cx, cy, cz, frame[3]) > 0.0 else s
    for r in range(4):
        x, y, z = frame[r, 0], frame[r, 1], frame[r, 2]
        if r == 0:
            x, y, z = x - axis[0, 0], y - axis[0, 1], z - axis[0, 2]
        k = kx * x + ky * y + kz * z
        out[r, 0] = x * c + (ky * z - kz * y) * s + kx * k * (1.0 - c)
        out[r, 1] = y * c + (kz * x - kx * z) * s + ky * k * (1.0 - c)
        out[r, 2] = z * c + (kx * y - ky * x) * s + kz * k * (1.0 - c)
        if r == 0:
            for a in range(3):
                out[0, a] += axis[0, a]


@compiled
def raised(frame: Floats, c: float, gx: float, gy: float) -> Floats:
    """A pose moved on to a plane given as heights over its own: c + gx x + gy y in the base's coordinates."""
    out = np.empty((4, 3))
    raised_into(frame, c, gx, gy, out)
    return out


@lean
def raised_into(frame: Floats, c: float, gx: float, gy: float, out: Floats) -> None:
    """The same into room for it."""
    level = scratch(4, 3)
    framed(0.0, 0.0, c, gx, gy, 0.0, level)
    for r in range(4):
        for a in range(3):
            out[r, a] = level[r, 0] * frame[1, a] + level[r, 1] * frame[2, a] + level[r, 2] * frame[3, a]
    for a in range(3):
        out[0, a] += frame[0, a]
