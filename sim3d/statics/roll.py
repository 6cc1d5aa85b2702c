"""A base rolling without slipping: about an edge of its contacts until the terrain touches it again.

Compiled. Turning is exact at any angle: corners, edges against the rim and rim against faces each meet where they meet.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import KIND, ROUND, X0, Y0, farthest_on_arc, inside
from sim3d.space import Floats
from sim3d.statics.touch import dot

NEVER = 4.0  # radians: no touch
STEEPEST = 1.55  # radians a roll is followed: beyond a right angle it lies on its side
TINY = 1e-12


@compiled
def meets(along_n: float, along_w: float, slack: float) -> float:
    """The angle at which a point (height over the plane, distance before the axis) stands `slack` over the plane."""
    r = math.hypot(along_n, along_w)
    if r <= slack or along_w <= 0.0:
        return NEVER
    angle = math.asin(min(1.0, slack / r)) - math.atan2(along_n, along_w)
    return max(angle, 0.0)


@compiled
def first_touch(
    tris: Floats,
    spans: Floats,
    frame: Floats,
    axis: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    slack: float,
    limit: float,
) -> tuple[float, float]:
    """Turned about an axis (a point, along, outward): the angle of the first touch, and that of touching by `slack`.

    The outward side goes down. What lies in the plane now may sink in by `slack` before it counts. NEVER: no touch.
    """
    best, exact = limit, NEVER
    # the axis in the base's own coordinates
    ox, oy, oz = axis[0, 0] - frame[0, 0], axis[0, 1] - frame[0, 1], axis[0, 2] - frame[0, 2]
    qx, qy = dot(ox, oy, oz, frame[1]), dot(ox, oy, oz, frame[2])
    ux, uy = dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]), dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2])
    wx, wy = dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]), dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[2])
    p = np.empty((3, 3))  # of each corner: along the axis, outward, over the plane
    normal, outward = frame[3], axis[2]
    for phase in range(2):
        slope = math.tan(best) if best < 1.57 else 1e9
        for t in range(tris.shape[0]):
            dx, dy, dz = tris[t, 0, 0] - axis[0, 0], tris[t, 0, 1] - axis[0, 1], tris[t, 0, 2] - axis[0, 2]
            ahead = dot(dx, dy, dz, outward) + spans[t]
            if ahead <= 0.0 or dot(dx, dy, dz, normal) + spans[t] + ahead * slope < 0.0:
                continue  # behind the axis, or below what the base sweeps before the best touch so far
            lower = NEVER
            for i in range(3):
                dx, dy, dz = tris[t, i, 0] - axis[0, 0], tris[t, i, 1] - axis[0, 1], tris[t, i, 2] - axis[0, 2]
                p[i, 0], p[i, 1], p[i, 2] = dot(dx, dy, dz, axis[1]), dot(dx, dy, dz, outward), dot(dx, dy, dz, normal)
                angle = meets(p[i, 2], p[i, 1], slack)
                if angle < lower:
                    lower = angle
            if lower >= best:
                continue
            if phase == 0:
                for i in range(3):
                    angle = meets(p[i, 2], p[i, 1], slack)
                    if angle >= best:
                        continue
                    r = math.sqrt(p[i, 1] * p[i, 1] + p[i, 2] * p[i, 2])
                    x, y = qx + ux * p[i, 0] + wx * r, qy + uy * p[i, 0] + wy * r
                    if inside(pieces, reach, inner, x, y):
                        best, exact = angle, max(-math.atan2(p[i, 2], p[i, 1]), 0.0)
                continue
            for i in range(3):
                j = (i + 1) % 3
                if meets(p[i, 2], p[i, 1], slack) >= best and meets(p[j, 2], p[j, 1], slack) >= best:
                    continue
                best, exact = edge_touch(p[i], p[j], qx, qy, ux, uy, wx, wy, pieces, reach, inner, slack, best, exact)
            best, exact = rim_touch(p, qx, qy, ux, uy, wx, wy, edges, slack, best, exact)
    if exact >= NEVER:
        return NEVER, NEVER
    return exact, best


@compiled
def under(
    pieces: Floats,
    reach: float,
    inner: float,
    qx: float,
    qy: float,
    ux: float,
    uy: float,
    wx: float,
    wy: float,
    a: Floats,
    b: Floats,
    s: float,
) -> bool:
    """Whether the point a share `s` along an edge comes to lie under the base when the plane reaches it."""
    u, w, n = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
    if w <= 0.0:
        return False
    r = math.sqrt(w * w + n * n)
    return inside(pieces, reach, inner, qx + ux * u + wx * r, qy + uy * u + wy * r)


@compiled
def edge_touch(
    a: Floats,
    b: Floats,
    qx: float,
    qy: float,
    ux: float,
    uy: float,
    wx: float,
    wy: float,
    pieces: Floats,
    reach: float,
    inner: float,
    slack: float,
    best: float,
    exact: float,
) -> tuple[float, float]:
    """An edge of the terrain against the rim: the ends of the parts of it that come to lie under the base.

    The angle falls or rises steadily along an edge, so only such ends (and corners, seen before) can be first.
    """
    parts = 8
    before = under(pieces, reach, inner, qx, qy, ux, uy, wx, wy, a, b, 0.0)
    for k in range(parts):
        s0, s1 = k / parts, (k + 1) / parts
        after = under(pieces, reach, inner, qx, qy, ux, uy, wx, wy, a, b, s1)
        if before != after:
            low, high, low_in = s0, s1, before
            for _ in range(60):
                middle = 0.5 * (low + high)
                if under(pieces, reach, inner, qx, qy, ux, uy, wx, wy, a, b, middle) == low_in:
                    low = middle
                else:
                    high = middle
                if high - low < 1e-14:
                    break
            s = low if low_in else high
            w, n = a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])
            angle = meets(n, w, slack)
            if angle < best:
                best, exact = angle, max(-math.atan2(n, w), 0.0)
        before = after
    return best, exact


@compiled
def rim_touch(
    p: Floats,
    qx: float,
    qy: float,
    ux: float,
    uy: float,
    wx: float,
    wy: float,
    edges: Floats,
    slack: float,
    best: float,
    exact: float,
) -> tuple[float, float]:
    """The rim against a face: its corners, and on arcs the point that the face meets first."""
    ax, ay, az = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    bx, by, bz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        return best, exact
    nx, ny, nz = nx / size, ny / size, nz / size
    if nz < 0.0:  # the side that faces the base
        nx, ny, nz = -nx, -ny, -nz
    d = nx * p[0, 0] + ny * p[0, 1] + nz * p[0, 2]
    for e in range(edges.shape[0]):
        if edges.shape[0] > 1:
            best, exact = rim_point(
                p, edges[e, X0], edges[e, Y0], qx, qy, ux, uy, wx, wy, nx, ny, nz, d, slack, best, exact
            )
        if edges[e, KIND] != ROUND:
            continue
        # the arc's point deepest in the face at an angle tells a smaller angle at which it is only just deep enough;
        # from above, and the deepest point moves little, so a few rounds reach the first touch
        angle = best
        x = y = 0.0
        found = False
        for _ in range(60):
            c, s = math.cos(angle), math.sin(angle)
            # how the height over the face changes along the base's axes, at this angle
            hu, hw = nx, ny * c - nz * s
            found, x, y = farthest_on_arc(edges[e], -(hu * ux + hw * wx), -(hu * uy + hw * wy))
            if not found:
                break
            u, w = (x - qx) * ux + (y - qy) * uy, (x - qx) * wx + (y - qy) * wy
            new = sinks(u, w, nx, ny, nz, d - slack)
            if new >= angle:
                found = found and new < angle + 1e-9
                break
            small = angle - new < 1e-12
            angle = new
            if small:
                break
        if found:
            best, exact = rim_point(p, x, y, qx, qy, ux, uy, wx, wy, nx, ny, nz, d, slack, best, exact)
    return best, exact


@compiled
def sinks(u: float, w: float, nx: float, ny: float, nz: float, d: float) -> float:
    """The angle at which a rim point (along, outward) comes down onto the plane n . p = d; negative: it was through."""
    if w <= TINY:
        return NEVER
    r = w * math.hypot(ny, nz)
    if r == 0.0:
        return NEVER
    k = (d - nx * u) / r
    if k < -1.0 or k > 1.0:
        return NEVER
    # n . (u, w cos, -w sin) = d: cos(angle + delta) = k, falling through it
    return math.acos(k) - math.atan2(nz, ny)


@compiled
def rim_point(
    p: Floats,
    x: float,
    y: float,
    qx: float,
    qy: float,
    ux: float,
    uy: float,
    wx: float,
    wy: float,
    nx: float,
    ny: float,
    nz: float,
    d: float,
    slack: float,
    best: float,
    exact: float,
) -> tuple[float, float]:
    """One point of the rim against a face: counts if it comes down inside the triangle."""
    u, w = (x - qx) * ux + (y - qy) * uy, (x - qx) * wx + (y - qy) * wy
    touch = sinks(u, w, nx, ny, nz, d)
    deep = sinks(u, w, nx, ny, nz, d - slack)
    if touch >= NEVER or deep >= best or touch < -0.1:
        return best, exact
    c, s = math.cos(deep), math.sin(deep)
    if not in_triangle(p, u, w * c, -w * s):
        return best, exact
    return max(deep, 0.0), max(touch, 0.0)


@compiled
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


@compiled
def turned(frame: Floats, axis: Floats, angle: float) -> Floats:
    """The frame turned about an axis (rows: a point, along, outward) by an angle, the outward side down."""
    c, s = math.cos(angle), math.sin(angle)
    kx, ky, kz = axis[1, 0], axis[1, 1], axis[1, 2]
    # outward goes to outward cos - normal sin: a turn about `along` by -angle if along x outward = normal, else +angle
    cx, cy, cz = (
        ky * axis[2, 2] - kz * axis[2, 1],
        kz * axis[2, 0] - kx * axis[2, 2],
        kx * axis[2, 1] - ky * axis[2, 0],
    )
    s = -s if dot(cx, cy, cz, frame[3]) > 0.0 else s
    out = np.empty((4, 3))
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
    return out
