"""Triangles into a depth buffer, exactly: a sample on an edge two triangles share belongs to exactly one of them.

Corners are snapped to 1/256 pixel and edges are decided in whole numbers (samples at pixel centres, top-left rule).
The buffer keeps `near`, a number that is linear on the screen and larger for what is closer: 1/z in perspective, -z in
a parallel projection. Where two surfaces are equally near, the triangle that comes first in the list is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled
from sim3d.space import Floats
from sim3d.view.camera import Lens

Indices = NDArray[np.int32]
Depths = NDArray[np.float32]

SUB = 256  # steps per pixel: a snapped corner is within 1/512 pixel of the true one
HALF = SUB // 2
GUARD = float(2**20)  # pixels: what reaches farther is clipped, so that edge products stay far inside 64 bits
BANDS = 8  # strips of rows that may be filled at the same time; each sample is written by one strip only
MOST_CORNERS = 8  # of a triangle cut by the near plane and the four guards
FAR = np.float32(-np.inf)  # the depth of a sample that shows nothing


def in_parallel(work: Callable[[int], None], parts: int, threads: int) -> None:
    """Call `work(0) … work(parts - 1)`; the parts must not write to the same place."""
    if threads <= 1 or parts <= 1:
        for part in range(parts):
            work(part)
        return
    with ThreadPoolExecutor(min(threads, parts)) as pool:
        for _ in pool.map(work, range(parts)):
            pass


def rows_of(part: int, parts: int, height: int) -> tuple[int, int]:
    """The first row of a strip, and the first row after it."""
    return height * part // parts, height * (part + 1) // parts


@compiled
def project(points: Any, frame: Any, optics: Any, xy: Any, near: Any, outside: Any) -> int:
    """Screen coordinates in 1/SUB pixel, nearness, and a flag for what must be clipped; how many flags."""
    scale, cx, cy, perspective, nearest = optics[0], optics[1], optics[2], optics[3] > 0.5, optics[4]
    flagged = 0
    for i in range(points.shape[0]):
        dx, dy, dz = points[i, 0] - frame[0, 0], points[i, 1] - frame[0, 1], points[i, 2] - frame[0, 2]
        x = (dx * frame[1, 0] + dy * frame[1, 1] + dz * frame[1, 2]) * scale
        y = (dx * frame[2, 0] + dy * frame[2, 1] + dz * frame[2, 2]) * scale
        z = dx * frame[3, 0] + dy * frame[3, 1] + dz * frame[3, 2]
        out = False
        if perspective:
            if z < nearest:
                out = True
            else:
                x, y = x / z, y / z
                near[i] = 1.0 / z
        else:
            near[i] = -z
        if not out and (abs(x + cx) > GUARD or abs(cy - y) > GUARD):
            out = True
        outside[i] = out
        if out:
            flagged += 1
        else:
            xy[i, 0] = np.int32(np.floor((cx + x) * SUB + 0.5))
            xy[i, 1] = np.int32(np.floor((cy - y) * SUB + 0.5))
    return flagged


@compiled
def clip(
    points: Any, faces: Any, which: Any, frame: Any, optics: Any, xy: Any, near: Any, made: Any, source: Any
) -> int:
    """Cut the triangles `which` to what is in front and within the guards; new corners and triangles are written."""
    scale, cx, cy, perspective, nearest = optics[0], optics[1], optics[2], optics[3] > 0.5, optics[4]
    corners, triangles = 0, 0
    a = np.zeros((16, 4))
    b = np.zeros((16, 4))
    for k in range(which.shape[0]):
        f = which[k]
        count = 3
        for j in range(3):
            v = faces[f, j]
            dx, dy, dz = points[v, 0] - frame[0, 0], points[v, 1] - frame[0, 1], points[v, 2] - frame[0, 2]
            z = dx * frame[3, 0] + dy * frame[3, 1] + dz * frame[3, 2]
            a[j, 0] = (dx * frame[1, 0] + dy * frame[1, 1] + dz * frame[1, 2]) * scale
            a[j, 1] = (dx * frame[2, 0] + dy * frame[2, 1] + dz * frame[2, 2]) * scale
            a[j, 2] = z if perspective else 1.0
            a[j, 3] = z
        for plane in range(5):
            kept = 0
            for j in range(count):
                i = (j + 1) % count
                s, t = 0.0, 0.0
                if plane == 0:
                    if perspective:
                        s, t = a[j, 3] - nearest, a[i, 3] - nearest
                elif plane == 1:
                    s, t = a[j, 0] + (cx + GUARD) * a[j, 2], a[i, 0] + (cx + GUARD) * a[i, 2]
                elif plane == 2:
                    s, t = (GUARD - cx) * a[j, 2] - a[j, 0], (GUARD - cx) * a[i, 2] - a[i, 0]
                elif plane == 3:
                    s, t = (cy + GUARD) * a[j, 2] - a[j, 1], (cy + GUARD) * a[i, 2] - a[i, 1]
                else:
                    s, t = a[j, 1] + (GUARD - cy) * a[j, 2], a[i, 1] + (GUARD - cy) * a[i, 2]
                if s >= 0:
                    b[kept] = a[j]
                    kept += 1
                if (s >= 0) != (t >= 0):
                    # Always from the inside corner: neighbours that share the edge then compute the same point.
                    if s >= 0:
                        b[kept] = a[j] + (a[i] - a[j]) * (s / (s - t))
                    else:
                        b[kept] = a[i] + (a[j] - a[i]) * (t / (t - s))
                    kept += 1
            count = kept
            for j in range(count):
                a[j] = b[j]
            if count < 3:
                break
        if count < 3:
            continue
        for j in range(count):
            w = max(a[j, 2], nearest) if perspective else 1.0
            x = min(max(cx + a[j, 0] / w, -GUARD), GUARD)
            y = min(max(cy - a[j, 1] / w, -GUARD), GUARD)
            xy[corners + j, 0] = np.int32(np.floor(x * SUB + 0.5))
            xy[corners + j, 1] = np.int32(np.floor(y * SUB + 0.5))
            near[corners + j] = 1.0 / w if perspective else -a[j, 3]
        for j in range(1, count - 1):
            made[triangles, 0], made[triangles, 1], made[triangles, 2] = corners, corners + j, corners + j + 1
            source[triangles] = f
            triangles += 1
        corners += count
    return triangles


@compiled
def fill(xy: Any, near: Any, faces: Any, first: int, last: int, over: int, depth: Any, shown: Any, keep: bool) -> None:
    """Draw the triangles into rows `first` to `last` of the picture: `depth`, and if `keep` their numbers in `shown`.

    The buffers begin `over` rows below the picture's first.
    """
    width = np.int64(depth.shape[1])
    for f in range(faces.shape[0]):
        ia, ib, ic = faces[f, 0], faces[f, 1], faces[f, 2]
        ay, by, cy = np.int64(xy[ia, 1]), np.int64(xy[ib, 1]), np.int64(xy[ic, 1])
        top = max(np.int64(first), (min(ay, by, cy) - HALF + SUB - 1) // SUB)
        bottom = min(np.int64(last) - 1, (max(ay, by, cy) - HALF) // SUB)
        if top > bottom:
            continue
        ax, bx, cx = np.int64(xy[ia, 0]), np.int64(xy[ib, 0]), np.int64(xy[ic, 0])
        left = max(np.int64(0), (min(ax, bx, cx) - HALF + SUB - 1) // SUB)
        right = min(width - 1, (max(ax, bx, cx) - HALF) // SUB)
        if left > right:
            continue
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0:
            continue
        if area < 0:
            ib, ic = ic, ib
            bx, cx = cx, bx
            by, cy = cy, by
            area = -area
        na, nb, nc = near[ia], near[ib], near[ic]
        slope_x = ((nb - na) * (cy - ay) - (nc - na) * (by - ay)) / area
        slope_y = ((nc - na) * (bx - ax) - (nb - na) * (cx - ax)) / area
        lowest, highest = min(na, nb, nc), max(na, nb, nc)
        # An edge belongs to the triangle on its right (going up) or below it; of the other, one step is taken away.
        ux, uy = bx - ax, by - ay
        vx, vy = cx - bx, cy - by
        wx, wy = ax - cx, ay - cy
        ku = np.int64(0) if uy < 0 or (uy == 0 and ux > 0) else np.int64(-1)
        kv = np.int64(0) if vy < 0 or (vy == 0 and vx > 0) else np.int64(-1)
        kw = np.int64(0) if wy < 0 or (wy == 0 and wx > 0) else np.int64(-1)
        px0 = left * SUB + HALF
        for row in range(top, bottom + 1):
            py = row * SUB + HALF
            here = row - over
            eu = ux * (py - ay) - uy * (px0 - ax) + ku
            ev = vx * (py - by) - vy * (px0 - bx) + kv
            ew = wx * (py - cy) - wy * (px0 - cx) + kw
            start, stop = np.int64(0), right - left
            for edge in range(3):
                e, step = eu, -uy * SUB
                if edge == 1:
                    e, step = ev, -vy * SUB
                elif edge == 2:
                    e, step = ew, -wy * SUB
                if step > 0:
                    if e < 0:
                        start = max(start, (-e + step - 1) // step)
                elif step < 0:
                    stop = min(stop, e // -step) if e >= 0 else np.int64(-1)
                elif e < 0:
                    stop = np.int64(-1)
            base = na + slope_y * (py - ay) + slope_x * (px0 - ax)
            for column in range(start, stop + 1):
                n = np.float32(min(max(base + slope_x * (column * SUB), lowest), highest))
                if n > depth[here, left + column]:
                    depth[here, left + column] = n
                    if keep:
                        shown[here, left + column] = f


def rasterise(
    points: Floats, faces: Indices, lens: Lens, *, size: tuple[int, int], keep: bool, threads: int, over: int = 0
) -> tuple[Depths, Indices]:
    """Depth (h, w) and, if `keep`, the number of the face each sample shows (h, w), -1 for none.

    The `size` (h, w) is that of the buffers, whose first row is row `over` of the picture that the lens is for.
    """
    height, width = size
    depth = np.full((height, width), FAR, dtype=np.float32)
    shown = np.full((height, width) if keep else (1, 1), -1, dtype=np.int32)
    if not len(faces):
        return depth, shown
    frame, optics = lens.frame(), lens.optics()
    xy = np.zeros((len(points), 2), dtype=np.int32)
    near = np.zeros(len(points))
    outside = np.zeros(len(points), dtype=np.bool_)
    drawn, source = faces, None
    if project(points, frame, optics, xy, near, outside):
        cut = outside[faces].any(axis=1)
        xy, near, drawn, source = _with_cut(points, faces, cut, frame, optics, xy, near)

    def strip(part: int) -> None:
        first, last = rows_of(part, BANDS if threads > 1 else 1, height)
        fill(xy, near, drawn, first + over, last + over, over, depth, shown, keep)

    in_parallel(strip, BANDS if threads > 1 else 1, threads)
    if keep and source is not None:
        shown = np.where(shown >= 0, source[shown], np.int32(-1)) if len(source) else shown
    return depth, shown


def _with_cut(
    points: Floats, faces: Indices, cut: Any, frame: Floats, optics: Floats, xy: Any, near: Any
) -> tuple[Any, Any, Indices, Indices]:
    which: Sequence[int] | Any = np.nonzero(cut)[0]
    new_xy = np.zeros((len(which) * MOST_CORNERS, 2), dtype=np.int32)
    new_near = np.zeros(len(which) * MOST_CORNERS)
    made = np.zeros((len(which) * (MOST_CORNERS - 2), 3), dtype=np.int32)
    source = np.zeros(len(made), dtype=np.int32)
    count = clip(points, faces, which, frame, optics, new_xy, new_near, made, source)
    whole = np.nonzero(~cut)[0].astype(np.int32)
    drawn = np.concatenate([faces[whole], made[:count] + np.int32(len(xy))])
    return (
        np.concatenate([xy, new_xy]),
        np.concatenate([near, new_near]),
        np.ascontiguousarray(drawn),
        np.concatenate([whole, source[:count]]),
    )
