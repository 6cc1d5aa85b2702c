"""Light on what a picture shows: a key light with soft edges, a sky that reaches only where it is open, fine creases.

Key and sky are one mechanism: many small lights, each with a shadow map. Neighbouring samples of one pixel see
different lights, so supersampling averages them and no noise is left. Surfaces are lit on both sides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.space import Floats
from sim3d.view.camera import Lens, Triple
from sim3d.view.raster import Depths, Indices, in_parallel, rasterise, rows_of

KEY_LIGHTS = 24  # steps of a soft shadow's edge
KEY_SPREAD = 0.032  # radius of the key light as a tangent: a window across the room, not a spotlight
KEY_ELEVATION_DEG = 48.0
KEY_ELEVATION_PLAN_DEG = 57.0  # on a plan long shadows would hide what lies beside a tower
PLAN_STEEP = 0.9  # sine of the elevation from which a view is a plan
KEY_MAP = 2048  # samples across the key's shadow map, at most
SKY_LIGHTS = 64
SKY_LOWEST = 0.08  # sine of the lowest sky light's elevation: below that every light grazes the floor
SKY_MAP = 1024
TEXELS_PER_PIXEL = 1.5  # of the key's map for a pixel of the picture: a small picture asks for no more than it shows
LEAST_MAP = 128  # samples across the key's map of the smallest picture
OFFSET_TEXELS = 1.6  # how far a point is lifted off its surface before it asks the map: beats the map's own steps
GOLDEN = math.pi * (3 - math.sqrt(5))
CREASE_COS = math.cos(math.radians(38))  # faces that meet at less are one curved surface, at more an edge
MOST_FACES_AT_CORNER = 64  # a fan larger than this is a cap: flat, and not worth the square of its size
CREASE_TAPS = 10  # points compared around each sample for the fine shading of creases
CREASE_PIXELS = 13.0  # how far away, in pixels of the finished picture


@compiled
def corner_normals(points: Any, faces: Any, smooth: Any, starts: Any, members: Any, normals: Any) -> None:
    """Unit normals (m, 3, 3) of every corner: of the face, or of all faces there that bend less than a crease."""
    flat = np.zeros((faces.shape[0], 3))
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        flat[f, 0], flat[f, 1], flat[f, 2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        starts[a + 1] += 1
        starts[b + 1] += 1
        starts[c + 1] += 1
    for v in range(starts.shape[0] - 1):
        starts[v + 1] += starts[v]
    place = starts.copy()
    for f in range(faces.shape[0]):
        for j in range(3):
            v = faces[f, j]
            members[place[v]] = f
            place[v] += 1
    for f in range(faces.shape[0]):
        nx, ny, nz = flat[f, 0], flat[f, 1], flat[f, 2]
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        for j in range(3):
            v = faces[f, j]
            sx, sy, sz = nx, ny, nz
            count = starts[v + 1] - starts[v]
            if smooth[f] and length > 0 and count <= MOST_FACES_AT_CORNER:
                sx, sy, sz = 0.0, 0.0, 0.0
                for k in range(starts[v], starts[v + 1]):
                    g = members[k]
                    gx, gy, gz = flat[g, 0], flat[g, 1], flat[g, 2]
                    other = math.sqrt(gx * gx + gy * gy + gz * gz)
                    if gx * nx + gy * ny + gz * nz >= CREASE_COS * length * other:
                        sx, sy, sz = sx + gx, sy + gy, sz + gz
            size = math.sqrt(sx * sx + sy * sy + sz * sz)
            if size > 0:
                normals[f, j, 0], normals[f, j, 1], normals[f, j, 2] = sx / size, sy / size, sz / size
            else:
                normals[f, j, 0], normals[f, j, 1], normals[f, j, 2] = 0.0, 0.0, 1.0


@lean
def place(frame: Any, optics: Any, px: float, py: float, near: float) -> tuple[float, float, float]:
    """The point in mm that a sample shows."""
    z = 1.0 / near if optics[3] > 0.5 else -near
    reach = z if optics[3] > 0.5 else 1.0
    x = (px - optics[1]) / optics[0] * reach
    y = (optics[2] - py) / optics[0] * reach
    return (
        frame[0, 0] + x * frame[1, 0] + y * frame[2, 0] + z * frame[3, 0],
        frame[0, 1] + x * frame[1, 1] + y * frame[2, 1] + z * frame[3, 1],
        frame[0, 2] + x * frame[1, 2] + y * frame[2, 2] + z * frame[3, 2],
    )


@lean
def shares(points: Any, faces: Any, f: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """How much each corner of face `f` counts at a point on it, each from 0 to 1, together 1."""
    a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    wx, wy, wz = x - points[a, 0], y - points[a, 1], z - points[a, 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    wu, wv = wx * ux + wy * uy + wz * uz, wx * vx + wy * vy + wz * vz
    det = uu * vv - uv * uv
    if not det > 0:
        return 1.0, 0.0, 0.0
    s = min(max((wu * vv - wv * uv) / det, 0.0), 1.0)
    t = min(max((wv * uu - wu * uv) / det, 0.0), 1.0 - s)
    return 1.0 - s - t, s, t


@lean
def sample_normals(
    points: Any,
    faces: Any,
    corner: Any,
    depth: Any,
    shown: Any,
    frame: Any,
    optics: Any,
    over: int,
    first: int,
    last: int,
    out: Any,
) -> None:
    """The unit normal of every sample, turned towards the eye; the buffers begin at row `over` of the picture."""
    for row in range(first, last):
        for column in range(depth.shape[1]):
            f = shown[row, column]
            if f < 0:
                continue
            x, y, z = place(frame, optics, column + 0.5, row + over + 0.5, float(depth[row, column]))
            p, q, r = shares(points, faces, f, x, y, z)
            nx = p * corner[f, 0, 0] + q * corner[f, 1, 0] + r * corner[f, 2, 0]
            ny = p * corner[f, 0, 1] + q * corner[f, 1, 1] + r * corner[f, 2, 1]
            nz = p * corner[f, 0, 2] + q * corner[f, 1, 2] + r * corner[f, 2, 2]
            ex, ey, ez = frame[3, 0], frame[3, 1], frame[3, 2]
            if optics[3] > 0.5:
                ex, ey, ez = x - frame[0, 0], y - frame[0, 1], z - frame[0, 2]
            size = math.sqrt(nx * nx + ny * ny + nz * nz)
            if nx * ex + ny * ey + nz * ez > 0:
                size = -size
            if size != 0:
                out[row, column, 0], out[row, column, 1], out[row, column, 2] = nx / size, ny / size, nz / size


@lean
def shine(
    depth: Any, normals: Any, frame: Any, optics: Any, over: int, many: int, phase: int, map_depth: Any, map_frame: Any,
    map_optics: Any, weight: float, out: Any,
) -> None:  # fmt: skip
    """Add one light to every `many`-th sample in both directions, where its map (2 by 2 texels, blended) sees it."""
    lx, ly, lz = -map_frame[3, 0], -map_frame[3, 1], -map_frame[3, 2]
    lift = OFFSET_TEXELS / map_optics[0]
    tall, wide = map_depth.shape
    for i in range(out.shape[0]):
        row = i * many + phase // many
        for j in range(out.shape[1]):
            column = j * many + phase % many
            near = float(depth[row, column])
            if near == -np.inf:
                continue
            nx, ny, nz = normals[row, column, 0], normals[row, column, 1], normals[row, column, 2]
            facing = nx * lx + ny * ly + nz * lz
            if facing <= 0:
                continue
            x, y, z = place(frame, optics, column + 0.5, row + over + 0.5, near)
            x, y, z = x + nx * lift - map_frame[0, 0], y + ny * lift - map_frame[0, 1], z + nz * lift - map_frame[0, 2]
            u = map_optics[1] - 0.5 + map_optics[0] * (x * map_frame[1, 0] + y * map_frame[1, 1] + z * map_frame[1, 2])
            v = map_optics[2] - 0.5 - map_optics[0] * (x * map_frame[2, 0] + y * map_frame[2, 1] + z * map_frame[2, 2])
            here = -(x * map_frame[3, 0] + y * map_frame[3, 1] + z * map_frame[3, 2])
            iu, iv = math.floor(u), math.floor(v)
            seen = 1.0
            if iu >= 0 and iv >= 0 and iu < wide - 1 and iv < tall - 1:
                fu, fv = u - iu, v - iv
                a = 1.0 - fu if map_depth[iv, iu] <= here else 0.0
                b = fu if map_depth[iv, iu + 1] <= here else 0.0
                c = 1.0 - fu if map_depth[iv + 1, iu] <= here else 0.0
                d = fu if map_depth[iv + 1, iu + 1] <= here else 0.0
                seen = (a + b) * (1.0 - fv) + (c + d) * fv
            out[i, j] += weight * facing * seen


@lean
def creases(
    depth: Any, normals: Any, frame: Any, optics: Any, over: int, many: int, first: int, last: int, out: Any
) -> None:
    """How much light is left in fine hollows and along outlines, 0 to 1: surroundings compared in the depth buffer."""
    tall, wide = depth.shape
    reach = CREASE_PIXELS * many
    for row in range(first, last):
        for column in range(wide):
            near = float(depth[row, column])
            if near == -np.inf:
                continue
            x, y, z = place(frame, optics, column + 0.5, row + over + 0.5, near)
            nx, ny, nz = normals[row, column, 0], normals[row, column, 1], normals[row, column, 2]
            pixel = 1.0 / (near * optics[0]) if optics[3] > 0.5 else 1.0 / optics[0]
            radius = reach * pixel
            phase = (row % many) * many + column % many
            hidden = 0.0
            for k in range(CREASE_TAPS):
                angle = GOLDEN * (k * many * many + phase)
                away = reach * math.sqrt((k + (phase + 0.5) / (many * many)) / CREASE_TAPS)
                i, j = (
                    math.floor(row + over + 0.5 + away * math.sin(angle)) - over,
                    math.floor(column + 0.5 + away * math.cos(angle)),
                )
                if i < 0 or j < 0 or i >= tall or j >= wide or (i == row and j == column):
                    continue
                other = float(depth[i, j])
                if other == -np.inf:
                    continue
                qx, qy, qz = place(frame, optics, j + 0.5, i + over + 0.5, other)
                qx, qy, qz = qx - x, qy - y, qz - z
                far = qx * qx + qy * qy + qz * qz
                rise = qx * nx + qy * ny + qz * nz - 0.15 * pixel * many
                if rise > 0 and far < radius * radius:
                    hidden += rise / math.sqrt(far) * (1.0 - far / (radius * radius))
            left = 1.0 / (1.0 + 2.6 * hidden / CREASE_TAPS)
            edge = 0.0
            for k in range(4):
                i, j = row + (k == 0) - (k == 1), column + (k == 2) - (k == 3)
                if i < 0 or j < 0 or i >= tall or j >= wide:
                    continue
                other = float(depth[i, j])
                if other == -np.inf:
                    edge = max(edge, 0.10)
                    continue
                qx, qy, qz = place(frame, optics, j + 0.5, i + over + 0.5, other)
                step = (qx - x) * nx + (qy - y) * ny + (qz - z) * nz
                if step < -6.0 * pixel:
                    edge = max(edge, 0.22)
                if nx * normals[i, j, 0] + ny * normals[i, j, 1] + nz * normals[i, j, 2] < 0.75:
                    edge = max(edge, 0.10)
            out[row, column] = left * (1.0 - edge)


def key_direction(lens: Lens) -> Triple:
    """Towards the key light: from the left of the frame, in front of a view from the side, north-west on a plan."""
    steep = -lens.forward[2]  # 1 looking straight down
    ahead = (lens.up[0] * steep + lens.forward[0] * (1 - steep), lens.up[1] * steep + lens.forward[1] * (1 - steep))
    long = math.hypot(*ahead)
    s = (0.75 if steep > PLAN_STEEP else -0.35) / long if long > 0 else 0.0
    x, y = -lens.right[0] + ahead[0] * s, -lens.right[1] + ahead[1] * s
    flat = math.hypot(x, y)
    e = math.radians(KEY_ELEVATION_PLAN_DEG if steep > PLAN_STEEP else KEY_ELEVATION_DEG)
    if not flat > 0:
        return (0.0, 0.0, 1.0)
    return (x / flat * math.cos(e), y / flat * math.cos(e), math.sin(e))


def directions(key: Triple) -> tuple[Floats, Floats]:
    """Unit vectors towards the small lights of the key (k, 3) and of the sky (s, 3)."""
    side = np.array([-key[1], key[0], 0.0])
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 0 else np.array([1.0, 0.0, 0.0])
    over = np.cross(key, side)
    n = np.arange(KEY_LIGHTS)
    r = KEY_SPREAD * np.sqrt((n + 0.5) / KEY_LIGHTS)
    spots = np.array(key) + side * (r * np.cos(n * GOLDEN))[:, None] + over * (r * np.sin(n * GOLDEN))[:, None]
    n = np.arange(SKY_LIGHTS)
    z = SKY_LOWEST + (1 - SKY_LOWEST) * (n + 0.5) / SKY_LIGHTS
    flat = np.sqrt(1 - z * z)
    sky = np.stack([flat * np.cos(n * GOLDEN), flat * np.sin(n * GOLDEN), z], axis=1)
    return spots / np.linalg.norm(spots, axis=1)[:, None], sky


def light_lens(towards: Floats, corners: Floats, size: int) -> Lens:
    """A parallel view from a light onto everything within the eight corners, on a square map."""
    forward = -towards
    right = np.array([-towards[1], towards[0], 0.0])
    length = math.sqrt(right[0] ** 2 + right[1] ** 2)
    right = right / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
    up = np.cross(right, forward)
    x, y = (corners * right).sum(axis=1), (corners * up).sum(axis=1)
    middle = right * (x.min() + x.max()) / 2 + up * (y.min() + y.max()) / 2
    across = max(float(np.ptp(x)), float(np.ptp(y)), 1e-3)

    def triple(a: Any) -> Triple:
        return (float(a[0]), float(a[1]), float(a[2]))

    scale = (size - 4) / across  # two free texels all around: outside the map there is no shadow
    return Lens(triple(middle), triple(right), triple(up), triple(forward), scale, (size / 2, size / 2), False)


def map_size(corners: Floats, lens: Lens, many: int) -> int:
    """Samples across the key's map for a picture of what lies within the corners, `many` samples across each pixel."""
    frame = lens.frame()
    ahead = float(((corners - frame[0]) * frame[3]).sum(axis=1).min())
    mm = many / lens.scale * (max(ahead, lens.nearest_mm) if lens.perspective else 1.0)  # a pixel, where it shows least
    across = math.sqrt(float(((corners.max(axis=0) - corners.min(axis=0)) ** 2).sum()))
    return math.ceil(min(float(KEY_MAP), max(float(LEAST_MAP), TEXELS_PER_PIXEL * across / mm)))


def illuminate(
    points: Floats,
    faces: Indices,
    depth: Depths,
    normals: Any,
    lens: Lens,
    *,
    corners: Floats,
    over: int,
    many: int,
    threads: int,
) -> tuple[Any, Any]:
    """Light from the key and from the sky, 1 for a surface that faces all of it: two arrays (many², h, w)."""
    frame, optics = lens.frame(), lens.optics()
    shape = (many * many, depth.shape[0] // many, depth.shape[1] // many)
    key, sky = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    spots, dome = directions(key_direction(lens))
    sums = float(dome[:, 2].sum()) / (many * many)
    large = map_size(corners, lens, many)
    small = math.ceil(large * SKY_MAP / KEY_MAP)
    work = [(spots, large, key, many * many / KEY_LIGHTS), (dome, small, sky, 1 / sums)]

    def phase(part: int) -> None:
        for towards, size, out, weight in work:
            for k in range(part, len(towards), many * many):
                view = light_lens(towards[k], corners, size)
                map_depth, _ = rasterise(points, faces, view, size=(size, size), keep=False, threads=1)
                shine(
                    depth, normals, frame, optics, over, many, part,
                    map_depth, view.frame(), view.optics(), weight, out[part],
                )  # fmt: skip

    in_parallel(phase, many * many, threads)
    return key, sky


def crease_light(depth: Depths, normals: Any, lens: Lens, *, over: int, many: int, threads: int) -> Depths:
    """What fine hollows and outlines leave of the light, per sample."""
    out = np.ones(depth.shape, dtype=np.float32)
    frame, optics = lens.frame(), lens.optics()
    parts = 8 * threads

    def strip(part: int) -> None:
        first, last = rows_of(part, parts, depth.shape[0])
        creases(depth, normals, frame, optics, over, many, first, last, out)

    in_parallel(strip, parts, threads)
    return out
