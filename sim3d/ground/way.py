"""The terrain along a way: what a flat convex shape meets that is carried over ground by hand, step by step.

It steps up and down by at most so much at once, keeps off steep faces that rise higher, passes under what hangs over
it. What it stands on at each step is the highest walkable ground under the middle half of its outline. Compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.patch import Ground, gather
from sim3d.space import Floats, Ints

CORE = 0.5  # the share of the outline whose ground counts as what it stands on: a rim over a step has not stepped yet
STRIDE_MM = 2.0  # between two steps of a way; what lies between is swept, not skipped
TOUCH_MM = 0.05  # shapes this deep in each other only touch: half of the 0.1 mm that players' limits are tested by
LEVEL_MM = 1e-3  # heights nearer than this are the same height, so that a step of exactly the limit is within it
LOW_MM = 1.0  # walls lower than this are rubble
ROOM = 16  # corners of a clipped triangle: one for each side of the ring that cuts it, and a few


@dataclass(frozen=True, slots=True)
class Walk:
    """How high it steps, how tall it is, how steep it still walks, up to which height nothing stops it."""

    step_mm: float
    tall_mm: float
    slope_deg: float
    over_mm: float = -math.inf  # an absolute height: terrain up to it is passed over and landed on


@dataclass(frozen=True, slots=True)
class Track:
    """What was met: a height for each pose, the pieces in reach, the first face in the way, the first drop."""

    heights: Floats  # (m,) mm, what it stands on
    met: Ints  # (pieces,) the first pose at which each piece was within a step below and the shape's height, or -1
    overhead: Ints  # (m,) 1 where something hangs over it
    stopped: int  # the first pose that cannot be reached, or -1
    stopper: int  # the piece that is in the way there, or -1
    stop_top_mm: float  # how high that reaches
    dropped: int  # the first pose after a drop of more than a step, or -1
    drop_mm: float  # how deep that is


def along(ground: Ground, ring: Floats, poses: Floats, walk: Walk, start_mm: float, pieces: int) -> Track:
    """Carry a convex ring (n, 2) over poses (m, 3: x, y, degrees) from the height `start_mm`."""
    poses = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1, 3)
    heights, met, overhead, stops = _carried(
        ground.corners,
        ground.pieces,
        ground.floor_mm,
        ground.cell_mm,
        ground.shape,
        ground.starts,
        ground.members,
        np.ascontiguousarray(ring),
        poses,
        np.array([walk.step_mm, walk.tall_mm, math.cos(math.radians(walk.slope_deg)) - 1e-6, walk.over_mm, start_mm]),
        pieces,
    )
    stopped, stopper, top, dropped, drop = stops
    return Track(heights, met, overhead, int(stopped), int(stopper), float(top), int(dropped), float(drop))


def height_under(
    ground: Ground, ring: Floats, pose: tuple[float, float, float], *, level: float | None = None
) -> float:
    """The highest walkable ground under the middle half of a ring, below a cut; the floor where there is none."""
    cut = math.inf if level is None else level
    return float(
        _under(
            ground.corners,
            ground.floor_mm,
            ground.cell_mm,
            ground.shape,
            ground.starts,
            ground.members,
            np.ascontiguousarray(ring) * CORE,
            np.array(pose, dtype=np.float64),
            cut,
        )
    )


def rim_mm(
    ground: Ground, ring: Floats, pose: tuple[float, float, float], feet_mm: float, tall_mm: float
) -> tuple[float, float]:
    """The highest terrain well inside a ring's outline, and the highest that its rim touches, up to its own height."""
    return _rim(
        ground.corners,
        ground.floor_mm,
        ground.cell_mm,
        ground.shape,
        ground.starts,
        ground.members,
        np.ascontiguousarray(ring),
        np.array(pose, dtype=np.float64),
        feet_mm + tall_mm,
    )


def faces_near(
    ground: Ground, x: float, y: float, reach_mm: float, low_mm: float, high_mm: float, slope_deg: float
) -> tuple[Floats, Ints]:
    """Plan segments (m, 2, 2) of faces steeper than a slope, cut at both heights, and the piece of each.

    A face is told by its lines at the two heights and by its own edges between them; what ends less than
    `LOW_MM` over the lower height, or begins less than that under the higher one, is rubble.
    """
    numbers = ground.near(x, y, reach_mm)
    tris = ground.corners[numbers]
    normals = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    steep = (np.abs(normals[:, 2]) < math.cos(math.radians(slope_deg)) * sizes) & (sizes > 0)
    steep &= (tris[:, :, 2].max(axis=1) > low_mm + LOW_MM) & (tris[:, :, 2].min(axis=1) < high_mm - LOW_MM)
    ends: list[Floats] = []
    owners: list[int] = []
    for tri, number in zip(tris[steep], numbers[steep], strict=True):
        ring = _between(tri, low_mm, high_mm)
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            ends.append(np.array([a[:2], b[:2]]))
            owners.append(int(ground.pieces[number]))
    return np.array(ends).reshape(-1, 2, 2), np.array(owners, dtype=np.int64)


def _between(tri: Floats, low: float, high: float) -> Floats:
    """The corners of the part of a triangle between two heights."""
    ring = [np.asarray(p) for p in tri]
    for sign, limit in ((1.0, low), (-1.0, high)):
        kept = []
        for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True):
            u, v = sign * (a[2] - limit), sign * (b[2] - limit)
            if u >= 0:
                kept.append(a)
            if (u >= 0) != (v >= 0):
                kept.append(a + u / (u - v) * (b - a))
        ring = kept
    return np.array(ring).reshape(-1, 3)


# --- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def sides_of(ring: Floats, pose: Floats, before: Floats, moved: bool, out: Floats) -> int:
    """Half planes (a, b, c: a x + b y <= c) about what a ring covers on its way from one pose to the next."""
    n = ring.shape[0]
    t, u = math.radians(pose[2]), math.radians(before[2])
    ct, st, cu, su = math.cos(t), math.sin(t), math.cos(u), math.sin(u)
    k = 0
    for i in range(n):
        j = (i + 1) % n
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        size = math.hypot(ex, ey)
        if size == 0.0:
            continue
        lx, ly = ey / size, -ex / size
        a, b = lx * ct - ly * st, lx * st + ly * ct
        c = a * pose[0] + b * pose[1] + lx * ring[i, 0] + ly * ring[i, 1]
        if moved:
            if pose[2] == before[2]:
                c = max(c, a * before[0] + b * before[1] + lx * ring[i, 0] + ly * ring[i, 1])
            else:
                for m in range(n):
                    px = ring[m, 0] * cu - ring[m, 1] * su + before[0]
                    py = ring[m, 0] * su + ring[m, 1] * cu + before[1]
                    c = max(c, a * px + b * py)
        out[k, 0], out[k, 1], out[k, 2] = a, b, c
        k += 1
    dx, dy = pose[0] - before[0], pose[1] - before[1]
    size = math.hypot(dx, dy)
    if moved and size > 0.0:
        for sign in (-1.0, 1.0):
            a, b = -dy / size * sign, dx / size * sign
            c = -math.inf
            for m in range(n):
                c = max(c, a * (ring[m, 0] * ct - ring[m, 1] * st) + b * (ring[m, 0] * st + ring[m, 1] * ct))
                c = max(c, a * (ring[m, 0] * cu - ring[m, 1] * su) + b * (ring[m, 0] * su + ring[m, 1] * cu))
            out[k, 0], out[k, 1], out[k, 2] = a, b, c + a * pose[0] + b * pose[1]
            k += 1
    return k


@compiled
def heights_in(tri: Floats, sides: Floats, count: int, take: float, work: Floats, kept: Floats) -> tuple[float, float]:
    """The lowest and highest z of the part of a triangle within half planes taken in by `take`; (inf, -inf): none."""
    for i in range(3):
        for a in range(3):
            work[i, a] = tri[i, a]
    n = 3
    for s in range(count):
        a, b, c = sides[s, 0], sides[s, 1], sides[s, 2] - take
        outside = False
        for i in range(n):
            if a * work[i, 0] + b * work[i, 1] > c:
                outside = True
                break
        if not outside:
            continue
        m = 0
        for i in range(n):
            j = (i + 1) % n
            u, v = c - a * work[i, 0] - b * work[i, 1], c - a * work[j, 0] - b * work[j, 1]
            if u >= 0.0:
                kept[m, 0], kept[m, 1], kept[m, 2] = work[i, 0], work[i, 1], work[i, 2]
                m += 1
            if (u >= 0.0) != (v >= 0.0):
                share = u / (u - v)
                for k in range(3):
                    kept[m, k] = work[i, k] + share * (work[j, k] - work[i, k])
                m += 1
        n = m
        if n == 0:
            return math.inf, -math.inf
        for i in range(n):
            work[i, 0], work[i, 1], work[i, 2] = kept[i, 0], kept[i, 1], kept[i, 2]
    low, high = math.inf, -math.inf
    for i in range(n):
        low, high = min(low, work[i, 2]), max(high, work[i, 2])
    return low, high


@compiled
def off_way(tri: Floats, pose: Floats, before: Floats, inner: float, outer: float) -> int:
    """1 where a triangle lies under a round on its way between two poses, -1 where it is out of reach, else 0."""
    dx, dy = pose[0] - before[0], pose[1] - before[1]
    size = dx * dx + dy * dy
    within = 0
    for i in range(3):
        wx, wy = tri[i, 0] - before[0], tri[i, 1] - before[1]
        s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
        px, py = wx - s * dx, wy - s * dy
        if px * px + py * py <= inner * inner:
            within += 1
    if within == 3:
        return 1
    if within > 0:
        return 0
    mx, my = (tri[0, 0] + tri[1, 0] + tri[2, 0]) / 3.0, (tri[0, 1] + tri[1, 1] + tri[2, 1]) / 3.0
    far = 0.0
    for i in range(3):
        far = max(far, math.hypot(tri[i, 0] - mx, tri[i, 1] - my))
    wx, wy = mx - before[0], my - before[1]
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
    return -1 if math.hypot(wx - s * dx, wy - s * dy) > outer + far else 0


@compiled
def within_mm(ring: Floats) -> tuple[float, float]:
    """The radii of the circles about the origin that fit in a convex ring, and that it fits in."""
    outer, inner = 0.0, math.inf
    n = ring.shape[0]
    for i in range(n):
        j = (i + 1) % n
        outer = max(outer, math.hypot(ring[i, 0], ring[i, 1]))
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        size = math.hypot(ex, ey)
        if size > 0.0:
            inner = min(inner, (ey * ring[i, 0] - ex * ring[i, 1]) / size)
    return max(inner, 0.0), outer


@compiled
def rise(tri: Floats) -> float:
    """The cosine of a triangle's slope; 0 for a wall, and for no area at all."""
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return 0.0 if size == 0.0 else abs(nz) / size


@compiled
def _carried(
    corners: Floats,
    owners: Ints,
    floor: float,
    cell: float,
    shape: Ints,
    starts: Ints,
    members: Ints,
    ring: Floats,
    poses: Floats,
    walk: Floats,
    pieces: int,
) -> tuple[Floats, Ints, Ints, Floats]:
    step, tall, flat, over, z = walk[0], walk[1], walk[2], walk[3], walk[4]
    m = poses.shape[0]
    heights, overhead = np.empty(m), np.zeros(m, np.int64)
    met = np.full(pieces, -1, np.int64)
    stops = np.array([-1.0, -1.0, -math.inf, -1.0, 0.0])
    sides, core = np.empty((ring.shape[0] + 2, 3)), np.empty((ring.shape[0] + 2, 3))
    room = ring.shape[0] + ROOM
    work, kept = np.empty((room, 3)), np.empty((room, 3))
    fits, reach = within_mm(ring)
    small = ring * CORE
    for p in range(m):
        before = poses[max(p - 1, 0)]
        count = sides_of(ring, poses[p], before, p > 0, sides)
        middle = sides_of(small, poses[p], before, False, core)
        away = math.hypot(poses[p, 0] - before[0], poses[p, 1] - before[1])
        near = np.sort(gather(corners, cell, shape, starts, members, poses[p, 0], poses[p, 1], reach + away))
        cap = max(z + step, over) + LEVEL_MM
        under = floor if floor == floor and floor <= cap else -math.inf
        widest = under
        lows, highs = np.empty(near.shape[0]), np.empty(near.shape[0])
        whose = np.empty(near.shape[0], np.int64)
        steep = 0
        for k in range(near.shape[0]):
            t = near[k]
            where = off_way(corners[t], poses[p], before, fits - TOUCH_MM, reach)
            if where < 0:
                continue
            low = min(corners[t, 0, 2], corners[t, 1, 2], corners[t, 2, 2])
            high = max(corners[t, 0, 2], corners[t, 1, 2], corners[t, 2, 2])
            if where == 0:
                low, high = heights_in(corners[t], sides, count, TOUCH_MM, work, kept)
            if high < low:
                continue
            owner = owners[t]
            if low > z + tall and high > cap:
                overhead[p] = 1
            if low > max(z + tall, cap):
                continue
            if met[owner] < 0 and high >= z - step and low <= max(z + tall, cap):
                met[owner] = p
            walkable = rise(corners[t]) >= flat
            if not walkable:
                if high > cap and p > 0:
                    lows[steep], highs[steep], whose[steep] = low, high, owner
                    steep += 1
                elif p > 0 and high > z + tall:
                    lows[steep], highs[steep], whose[steep] = low, high, -1
                    steep += 1
                continue
            where = off_way(corners[t], poses[p], poses[p], fits * CORE, reach * CORE)
            if where < 0 or high <= under:
                continue
            if where == 0:
                low, high = heights_in(corners[t], core, middle, 0.0, work, kept)
            if low <= high and low <= cap:  # a slope goes on over what one step takes: as far as that it has come
                under = max(under, min(high, cap - LEVEL_MM))
        # faces that begin within its own height, or on top of such faces, and rise over what it may pass
        top, grown = z + tall, True
        while grown:
            grown = False
            for k in range(steep):
                if lows[k] <= top + LEVEL_MM and highs[k] > top:
                    top, grown = highs[k], True
        for k in range(steep):
            if whose[k] >= 0 and lows[k] <= top + LEVEL_MM and highs[k] > stops[2]:
                stops[0], stops[1], stops[2] = float(p), float(whose[k]), highs[k]
        if stops[0] >= 0.0:
            heights[p:] = z
            break
        if p > 0 or under >= z - step:
            if under < z - step - LEVEL_MM:  # its middle hangs over a drop: does anything carry its rim?
                still = sides_of(ring, poses[p], poses[p], False, core)
                for k in range(near.shape[0]):
                    low, high = heights_in(corners[near[k]], core, still, TOUCH_MM, work, kept)
                    if low <= high and low <= cap and rise(corners[near[k]]) >= flat:
                        widest = max(widest, min(high, cap))
            if under >= z - step - LEVEL_MM:
                z = under
            elif widest >= z - step - LEVEL_MM:
                z = widest
            else:
                if stops[3] < 0.0:
                    stops[3], stops[4] = float(p), z - widest
                if widest > -math.inf:
                    z = widest
        heights[p] = z
    return heights, met, overhead, stops


@compiled
def _under(
    corners: Floats,
    floor: float,
    cell: float,
    shape: Ints,
    starts: Ints,
    members: Ints,
    ring: Floats,
    pose: Floats,
    cut: float,
) -> float:
    sides = np.empty((ring.shape[0] + 2, 3))
    count = sides_of(ring, pose, pose, False, sides)
    room = ring.shape[0] + ROOM
    work, kept = np.empty((room, 3)), np.empty((room, 3))
    reach = 0.0
    for i in range(ring.shape[0]):
        reach = max(reach, math.hypot(ring[i, 0], ring[i, 1]))
    best = floor if floor == floor and floor <= cut else -math.inf
    near = gather(corners, cell, shape, starts, members, pose[0], pose[1], reach)
    for k in range(near.shape[0]):
        low, high = heights_in(corners[near[k]], sides, count, 0.0, work, kept)
        if low <= high <= cut + LEVEL_MM and high > best and rise(corners[near[k]]) > 0.5:
            best = high
    return best


@compiled
def _rim(
    corners: Floats,
    floor: float,
    cell: float,
    shape: Ints,
    starts: Ints,
    members: Ints,
    ring: Floats,
    pose: Floats,
    cap: float,
) -> tuple[float, float]:
    sides = np.empty((ring.shape[0] + 2, 3))
    count = sides_of(ring, pose, pose, False, sides)
    room = ring.shape[0] + ROOM
    work, kept = np.empty((room, 3)), np.empty((room, 3))
    reach = 0.0
    for i in range(ring.shape[0]):
        reach = max(reach, math.hypot(ring[i, 0], ring[i, 1]))
    inner = outer = floor if floor == floor else -math.inf
    near = gather(corners, cell, shape, starts, members, pose[0], pose[1], reach + TOUCH_MM)
    for k in range(near.shape[0]):
        low, high = heights_in(corners[near[k]], sides, count, TOUCH_MM, work, kept)
        if low <= cap:
            inner = max(inner, high)
        low, high = heights_in(corners[near[k]], sides, count, -TOUCH_MM, work, kept)
        if low <= cap:
            outer = max(outer, high)
    return inner, outer
