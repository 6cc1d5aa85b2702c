"""The terrain along a way: what a flat convex shape meets that is carried over ground by hand, step by step.

It steps up and down by at most so much at once, keeps off steep faces that rise higher, passes under what hangs over
it. What it stands on at each step is the highest walkable ground under the middle half of its outline. Compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.foot import length
from sim3d.ground.patch import ANY, Ground, gather
from sim3d.space import Floats, Ints

CORE = 0.5  # the share of the outline whose ground counts as what it stands on: a rim over a step has not stepped yet
STRIDE_MM = 2.0  # between two steps of a way; what lies between is swept, not skipped
TOUCH_MM = 0.05  # shapes this deep in each other only touch: half of the 0.1 mm that players' limits are tested by
LEVEL_MM = 1e-3  # heights nearer than this are the same height, so that a step of exactly the limit is within it
LOW_MM = 1.0  # walls lower than this are rubble
ROOM = 16  # corners of a clipped triangle: one for each side of the ring that cuts it, and a few
FREE = -1  # nothing is in the way
MIXED = -1  # a cell's triangles belong to several pieces
LIMITS = 4  # numbers that `limits_of` a walk
WALKED_COS = 0.5  # ground steeper than 60 degrees is nobody's height


class Terrain(NamedTuple):
    """A ground's arrays, as compiled loops take them."""

    corners: Floats
    owners: Ints
    floor: float  # NaN: none
    cell: float
    shape: Ints
    starts: Ints
    members: Ints
    lids: Floats  # (cells,) the highest corner of each cell's triangles
    whose: Ints  # (cells,) the piece they all belong to; MIXED: several, or none


class Carried(NamedTuple):
    """A shape that is carried, and room to work in: one for each thread."""

    ring: Floats  # (n, 2) convex
    core: Floats  # the middle half of it
    fits: float  # the radius of the circle that fits in it
    reach: float  # and of the one that it fits in
    first: float  # where the first side of a round ring looks, in radians; NaN: it is not round
    step: float
    tall: float
    flat: float  # the cosine of the steepest ground that it walks
    over: float
    sides: Floats
    middle: Floats
    work: Floats
    kept: Floats


class Stride(NamedTuple):
    """What one step of a way comes to."""

    height: float  # what it stands on
    stopper: int  # the piece that is in the way; FREE: none
    top: float  # how high that reaches
    drop: float  # how deep it dropped by more than a step; 0: it did not
    overhead: bool


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


def terrain_of(ground: Ground) -> Terrain:
    """The same ground for compiled loops; kept for the last grounds seen."""
    for known, terrain in _SEEN:
        if known is ground:
            return terrain
    lids, whose = _lids(ground.corners, ground.pieces, ground.starts, ground.members)
    made = Terrain(
        ground.corners, ground.pieces, ground.floor_mm, ground.cell_mm, ground.shape, ground.starts, ground.members,
        lids, whose,
    )  # fmt: skip
    _SEEN.insert(0, (ground, made))
    del _SEEN[_KEPT:]
    return made


_KEPT = 4  # as many as `patch.ground_of` keeps
_SEEN: list[tuple[Ground, Terrain]] = []


def limits_of(walk: Walk) -> Floats:
    """Step, height, the cosine of the slope and what is passed over, as compiled loops take them."""
    return np.array([walk.step_mm, walk.tall_mm, math.cos(math.radians(walk.slope_deg)) - 1e-6, walk.over_mm])


def along(
    ground: Ground, ring: Floats, poses: Floats, walk: Walk, start_mm: float, pieces: int, *, drops: bool = True
) -> Track:
    """Carry a convex ring (n, 2) over poses (m, 3: x, y, degrees) from the height `start_mm`.

    Not `drops`: no farther than to the first deep drop, for nobody asks what comes after it.
    """
    poses = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1, 3)
    heights, met, overhead, stops = _carried(
        terrain_of(ground), np.ascontiguousarray(ring), poses, limits_of(walk), float(start_mm), pieces, drops
    )
    stopped, stopper, top, dropped, drop = stops
    return Track(heights, met, overhead, int(stopped), int(stopper), float(top), int(dropped), float(drop))


def height_under(
    ground: Ground, ring: Floats, pose: tuple[float, float, float], *, level: float | None = None
) -> float:
    """The highest walkable ground under the middle half of a ring, below a cut; the floor where there is none."""
    cut = math.inf if level is None else float(level)
    return float(_under(terrain_of(ground), np.ascontiguousarray(ring) * CORE, np.array(pose, dtype=np.float64), cut))


def rims_mm(ground: Ground, ring: Floats, poses: Floats, cuts: Floats, tall_mm: float) -> Floats:
    """For many poses (m, 3) with a cut each, rows of heights: what it stands on below the cut, and up to its own height
    over that the highest terrain well inside its outline, and the highest that its rim touches.
    """
    poses = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1, 3)
    return _rims(terrain_of(ground), np.ascontiguousarray(ring), poses, np.asarray(cuts, np.float64), float(tall_mm))


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


@lean
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


@lean
def even_from(ring: Floats) -> float:
    """Where the first side of a ring looks whose sides are evenly spread all round, in radians; NaN: they are not."""
    n = ring.shape[0]
    start = math.nan
    for i in range(n):
        j = (i + 1) % n
        looks = math.atan2(ring[i, 0] - ring[j, 0], ring[j, 1] - ring[i, 1])
        if i == 0:
            start = looks
        off = (looks - start - 2.0 * math.pi * i / n + math.pi) % (2.0 * math.pi) - math.pi
        if abs(off) > 0.5 * math.pi / n:
            return math.nan
    return start


@lean
def facing(it: Carried, radius: float, tri: Floats, pose: Floats, before: Floats, take: float) -> tuple[int, int]:
    """The sides of a ring of a radius, taken in by `take`, that could cut a triangle: the first one, and how many.

    Nearer to the way of its middle than this, a round leaves no doubt which way a triangle sticks out of it.
    """
    n = it.ring.shape[0]
    if it.first != it.first:
        return 0, n
    mx, my = (tri[0, 0] + tri[1, 0] + tri[2, 0]) / 3.0, (tri[0, 1] + tri[1, 1] + tri[2, 1]) / 3.0
    far = 0.0
    for i in range(3):
        far = max(far, math.hypot(tri[i, 0] - mx, tri[i, 1] - my))
    dx, dy, wx, wy = pose[0] - before[0], pose[1] - before[1], mx - before[0], my - before[1]
    size = dx * dx + dy * dy
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
    ux, uy = wx - s * dx, wy - s * dy
    off, within = math.hypot(ux, uy), radius - take - far
    if within >= off:
        return 0, 0
    if within <= -off or off < LEVEL_MM:
        return 0, n
    each = 2.0 * math.pi / n
    half = math.acos(within / off) / each
    middle = (math.atan2(uy, ux) - it.first - math.radians(pose[2])) / each
    low, high = math.floor(middle - half) - 1, math.ceil(middle + half) + 1
    return (0, n) if high - low + 1 >= n else (low % n, high - low + 1)


@lean
def heights_in(
    tri: Floats, sides: Floats, some: tuple[int, int], n_ring: int, count: int, take: float, work: Floats, kept: Floats
) -> tuple[float, float]:
    """The lowest and highest z of the part of a triangle within half planes taken in by `take`; (inf, -inf): none.

    Of the ring's half planes only `some` are looked at (`facing`), of those behind them all.
    """
    for i in range(3):
        for a in range(3):
            work[i, a] = tri[i, a]
    n = 3
    for m in range(some[1] + count - n_ring):
        s = (some[0] + m) % n_ring if m < some[1] else n_ring + m - some[1]
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


@lean
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
        far = max(far, length(tri[i, 0] - mx, tri[i, 1] - my))
    wx, wy = mx - before[0], my - before[1]
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / size))
    return -1 if length(wx - s * dx, wy - s * dy) > outer + far else 0


@lean
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


@lean
def rise(tri: Floats) -> float:
    """The cosine of a triangle's slope; 0 for a wall, and for no area at all."""
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return 0.0 if size == 0.0 else abs(nz) / size


@compiled
def carried_by(ring: Floats, limits: Floats) -> Carried:
    """A convex ring as it is carried, with the `limits_of` a walk."""
    fits, reach = within_mm(ring)
    sides, room = ring.shape[0] + 2, ring.shape[0] + ROOM
    return Carried(
        ring, ring * CORE, fits, reach, even_from(ring), limits[0], limits[1], limits[2], limits[3],
        np.empty((sides, 3)), np.empty((sides, 3)), np.empty((room, 3)), np.empty((room, 3)),
    )  # fmt: skip


@lean
def within_ring(it: Carried, tri: Floats, pose: Floats, before: Floats, count: int, take: float) -> tuple[float, float]:
    """The lowest and the highest of a triangle's part under the ring on its way, taken in; its `sides` are set."""
    n = it.ring.shape[0]
    return heights_in(tri, it.sides, facing(it, it.fits, tri, pose, before, take), n, count, take, it.work, it.kept)


@lean
def within_core(it: Carried, tri: Floats, pose: Floats, count: int) -> tuple[float, float]:
    """The same under the core, set down; its `middle` is set."""
    n = it.ring.shape[0]
    some = facing(it, it.fits * CORE, tri, pose, pose, 0.0)
    return heights_in(tri, it.middle, some, n, count, 0.0, it.work, it.kept)


@compiled
def near_to(terrain: Terrain, x: float, y: float, reach: float) -> Ints:
    """The numbers of the triangles near a place."""
    return gather(terrain.corners, terrain.cell, terrain.shape, terrain.starts, terrain.members, x, y, reach, ANY)


@lean
def low_and_high(tri: Floats) -> tuple[float, float]:
    """The lowest and the highest corner of a triangle."""
    return min(tri[0, 2], tri[1, 2], tri[2, 2]), max(tri[0, 2], tri[1, 2], tri[2, 2])


@compiled
def _lids(corners: Floats, owners: Ints, starts: Ints, members: Ints) -> tuple[Floats, Ints]:
    cells = starts.shape[0] - 1
    lids, whose = np.full(cells, -math.inf), np.full(cells, MIXED, np.int64)
    for c in range(cells):
        for m in range(starts[c], starts[c + 1]):
            lids[c] = max(lids[c], low_and_high(corners[members[m]])[1])
            if m == starts[c]:
                whose[c] = owners[members[m]]
            elif whose[c] != owners[members[m]]:
                whose[c] = MIXED
    return lids, whose


@lean
def _window(terrain: Terrain, k: int, x: float, y: float, reach: float) -> tuple[int, int, int, int]:
    """The cells of one level within reach of a place: first and last across, first and last up."""
    width = terrain.cell * 2.0**k
    shape = terrain.shape[k]
    return (
        max(math.floor((x - reach) / width) - shape[0], 0),
        min(math.floor((x + reach) / width) - shape[0], shape[2] - 1),
        max(math.floor((y - reach) / width) - shape[1], 0),
        min(math.floor((y + reach) / width) - shape[1], shape[3] - 1),
    )


@lean
def _told_here(
    terrain: Terrain, tri: Floats, k: int, cell: tuple[int, int], first: tuple[int, int], x: float, y: float, r: float
) -> bool:
    """Whether a triangle is near a place, and this the first of its cells that the window sees."""
    ax, bx = min(tri[0, 0], tri[1, 0], tri[2, 0]), max(tri[0, 0], tri[1, 0], tri[2, 0])
    ay, by = min(tri[0, 1], tri[1, 1], tri[2, 1]), max(tri[0, 1], tri[1, 1], tri[2, 1])
    if ax > x + r or bx < x - r or ay > y + r or by < y - r:
        return False
    width = terrain.cell * 2.0**k
    i, j = math.floor(ax / width) - terrain.shape[k, 0], math.floor(ay / width) - terrain.shape[k, 1]
    return max(i, first[0]) == cell[0] and max(j, first[1]) == cell[1]


@lean
def _under_core(terrain: Terrain, it: Carried, pose: Floats, cap: float) -> float:
    """The ground that it steps on to: the highest walkable under its core, cells that are no higher passed over.

    A slope goes on over what one step takes: as far as the cap it has come.
    """
    x, y, r = pose[0], pose[1], it.reach * CORE
    count = sides_of(it.core, pose, pose, False, it.middle)
    best = terrain.floor if terrain.floor == terrain.floor and terrain.floor <= cap else -math.inf
    for k in range(terrain.shape.shape[0]):
        i0, i1, j0, j1 = _window(terrain, k, x, y, r)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = terrain.shape[k, 4] + j * terrain.shape[k, 2] + i
                if min(terrain.lids[c], cap - LEVEL_MM) <= best:
                    continue
                for m in range(terrain.starts[c], terrain.starts[c + 1]):
                    tri = terrain.corners[terrain.members[m]]
                    low, high = low_and_high(tri)
                    if min(high, cap - LEVEL_MM) <= best or low > cap or rise(tri) < it.flat:
                        continue
                    if not _told_here(terrain, tri, k, (i, j), (i0, j0), x, y, r):
                        continue
                    where = off_way(tri, pose, pose, it.fits * CORE, r)
                    if where == 0:
                        low, high = within_core(it, tri, pose, count)
                    if where >= 0 and low <= high and low <= cap:
                        best = max(best, min(high, cap - LEVEL_MM))
    return best


@lean
def _worth_in(
    terrain: Terrain,
    window: tuple[int, int, int],
    cell: tuple[int, int],
    at: tuple[float, float, float],
    top: float,
    least: float,
    met: Ints,
    found: Ints,
    n: int,
) -> int:
    """What of one cell is worth a look (`_worth`), into `found` from n on; the new n."""
    k, i0, j0 = window
    c = terrain.shape[k, 4] + cell[1] * terrain.shape[k, 2] + cell[0]
    for m in range(terrain.starts[c], terrain.starts[c + 1]):
        t = terrain.members[m]
        tri = terrain.corners[t]
        high = low_and_high(tri)[1]
        if high <= top and (high < least or met[terrain.owners[t]] >= 0):
            continue
        if _told_here(terrain, tri, k, cell, (i0, j0), at[0], at[1], at[2]):
            found[n] = t
            n += 1
    return n


@compiled
def _worth(terrain: Terrain, x: float, y: float, r: float, top: float, least: float, met: Ints) -> Ints:
    """The triangles near a place that reach over a height, or over a lower one if their piece is not met yet."""
    found, n = np.empty(64, np.int64), 0
    lids, whose, starts, shape = terrain.lids, terrain.whose, terrain.starts, terrain.shape
    for k in range(shape.shape[0]):
        i0, i1, j0, j1 = _window(terrain, k, x, y, r)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = shape[k, 4] + j * shape[k, 2] + i
                known = lids[c] < least or (whose[c] != MIXED and met[whose[c]] >= 0)
                if (lids[c] <= top and known) or starts[c] == starts[c + 1]:
                    continue
                if n + starts[c + 1] - starts[c] > found.shape[0]:
                    more = np.empty(2 * (n + starts[c + 1] - starts[c]), np.int64)
                    more[:n] = found[:n]
                    found = more
                n = _worth_in(terrain, (k, i0, j0), (i, j), (x, y, r), top, least, met, found, n)
    return found[:n]


@lean
def _looked(
    terrain: Terrain,
    it: Carried,
    near: Ints,
    pose: Floats,
    before: Floats,
    moved: bool,
    z: float,
    met: Ints,
    number: int,
    faces: Floats,
    owners: Ints,
) -> tuple[int, bool]:
    """How many steep faces were put into `faces` (low, high) and `owners`, and whether something hangs over.

    What is met for the first time gets this step's number. A face that is no higher than what it may pass over is
    nobody's: others may stand on it.
    """
    cap, head = max(z + it.step, it.over) + LEVEL_MM, z + it.tall
    count = sides_of(it.ring, pose, before, moved, it.sides)
    steep, overhead = 0, False
    for k in range(near.shape[0]):
        tri, owner = terrain.corners[near[k]], terrain.owners[near[k]]
        low, high = low_and_high(tri)
        if high <= min(cap, head) and (met[owner] >= 0 or high < z - it.step):  # it has nothing left to tell
            continue
        where = off_way(tri, pose, before, it.fits - TOUCH_MM, it.reach)
        if where < 0:
            continue
        if where == 0:
            low, high = within_ring(it, tri, pose, before, count, TOUCH_MM)
        if high < low:
            continue
        overhead = overhead or (low > head and high > cap)
        if low > max(head, cap):
            continue
        if met[owner] < 0 and high >= z - it.step:
            met[owner] = number
        if moved and (high > cap or high > head) and rise(tri) < it.flat:
            faces[steep, 0], faces[steep, 1], owners[steep] = low, high, owner if high > cap else FREE
            steep += 1
    return steep, overhead


@lean
def _stopped(faces: Floats, owners: Ints, steep: int, top: float) -> tuple[int, float]:
    """Of faces that begin below a height, or on top of such faces, the highest that is somebody's, and its top."""
    grown = True
    while grown:
        grown = False
        for k in range(steep):
            if faces[k, 0] <= top + LEVEL_MM and faces[k, 1] > top:
                top, grown = faces[k, 1], True
    stopper, highest = FREE, -math.inf
    for k in range(steep):
        if owners[k] != FREE and faces[k, 0] <= top + LEVEL_MM and faces[k, 1] > highest:
            stopper, highest = owners[k], faces[k, 1]
    return stopper, highest


@compiled
def _widest(terrain: Terrain, it: Carried, pose: Floats, cap: float) -> float:
    """The highest walkable ground below a cap under the whole of it: what carries its rim where its middle hangs."""
    return _widest_of(terrain, it, near_to(terrain, pose[0], pose[1], it.reach), pose, cap)


@lean
def _widest_of(terrain: Terrain, it: Carried, near: Ints, pose: Floats, cap: float) -> float:
    """The same of some triangles."""
    count = sides_of(it.ring, pose, pose, False, it.sides)
    best = terrain.floor if terrain.floor == terrain.floor and terrain.floor <= cap else -math.inf
    for k in range(near.shape[0]):
        tri = terrain.corners[near[k]]
        low, high = low_and_high(tri)
        if min(high, cap) <= best or low > cap or rise(tri) < it.flat:
            continue
        low, high = within_ring(it, tri, pose, pose, count, TOUCH_MM)
        if low <= high and low <= cap:
            best = max(best, min(high, cap))
    return best


@compiled
def stepped(
    terrain: Terrain, it: Carried, pose: Floats, before: Floats, moved: bool, z: float, met: Ints, number: int
) -> Stride:
    """One step of a way, from a height, to a pose; without `moved` it is only set down there."""
    away, least = math.hypot(pose[0] - before[0], pose[1] - before[1]), z - it.step
    cap = max(z + it.step, it.over) + LEVEL_MM
    near = _worth(terrain, pose[0], pose[1], it.reach + away, min(cap, z + it.tall), least, met)
    faces, owners = np.empty((near.shape[0], 2)), np.empty(near.shape[0], np.int64)
    steep, overhead = _looked(terrain, it, near, pose, before, moved, z, met, number, faces, owners)
    stopper, top = _stopped(faces, owners, steep, z + it.tall)
    if stopper != FREE:
        return Stride(z, stopper, top, 0.0, overhead)
    under = _under_core(terrain, it, pose, cap)
    if not moved and under < least:
        return Stride(z, FREE, top, 0.0, overhead)
    if under >= least - LEVEL_MM:
        return Stride(under, FREE, top, 0.0, overhead)
    widest = _widest(terrain, it, pose, cap)
    if widest >= least - LEVEL_MM:
        return Stride(widest, FREE, top, 0.0, overhead)
    return Stride(widest if widest > -math.inf else z, FREE, top, z - widest, overhead)


@compiled
def _carried(
    terrain: Terrain, ring: Floats, poses: Floats, limits: Floats, z: float, pieces: int, drops: bool
) -> tuple[Floats, Ints, Ints, Floats]:
    m = poses.shape[0]
    heights, overhead = np.empty(m), np.zeros(m, np.int64)
    met = np.full(pieces, -1, np.int64)
    stops = np.array([-1.0, -1.0, -math.inf, -1.0, 0.0])
    it = carried_by(ring, limits)
    for p in range(m):
        done = stepped(terrain, it, poses[p], poses[max(p - 1, 0)], p > 0, z, met, p)
        overhead[p] = 1 if done.overhead else 0
        if done.stopper != FREE:
            stops[0], stops[1], stops[2] = float(p), float(done.stopper), done.top
            heights[p:] = z
            break
        if done.drop > 0.0 and stops[3] < 0.0:
            stops[3], stops[4] = float(p), done.drop
        z = done.height
        heights[p] = z
        if stops[3] >= 0.0 and not drops:
            heights[p:] = z
            break
    return heights, met, overhead, stops


@compiled
def _under(terrain: Terrain, ring: Floats, pose: Floats, cut: float) -> float:
    it = carried_by(ring, np.zeros(LIMITS))
    count = sides_of(ring, pose, pose, False, it.sides)
    best = terrain.floor if terrain.floor == terrain.floor and terrain.floor <= cut else -math.inf
    near = near_to(terrain, pose[0], pose[1], it.reach)
    for k in range(near.shape[0]):
        tri = terrain.corners[near[k]]
        low, high = low_and_high(tri)
        if high <= best or low > cut + LEVEL_MM or rise(tri) <= WALKED_COS:
            continue
        where = off_way(tri, pose, pose, it.fits, it.reach)
        if where == 0:
            low, high = within_ring(it, tri, pose, pose, count, 0.0)
        if where >= 0 and low <= high <= cut + LEVEL_MM:
            best = max(best, high)
    return best


@compiled
def _rims(terrain: Terrain, ring: Floats, poses: Floats, cuts: Floats, tall: float) -> Floats:
    out, core = np.empty((poses.shape[0], 3)), ring * CORE
    for k in range(poses.shape[0]):
        out[k, 0] = _under(terrain, core, poses[k], cuts[k])
        out[k, 1], out[k, 2] = _rim(terrain, ring, poses[k], out[k, 0] + tall)
    return out


@compiled
def _rim(terrain: Terrain, ring: Floats, pose: Floats, cap: float) -> tuple[float, float]:
    it = carried_by(ring, np.zeros(LIMITS))
    count = sides_of(ring, pose, pose, False, it.sides)
    floor = terrain.floor if terrain.floor == terrain.floor else -math.inf
    inner = outer = max(floor, _under_core(terrain, it, pose, cap))
    nobody = np.empty(0, np.int64)
    near = _worth(terrain, pose[0], pose[1], it.reach + 2 * TOUCH_MM, inner, math.inf, nobody)
    for k in range(near.shape[0]):
        tri = terrain.corners[near[k]]
        low, high = low_and_high(tri)
        if high <= inner or low > cap:  # what is well inside is touched, too: outer is never below inner
            continue
        where = off_way(tri, pose, pose, it.fits - TOUCH_MM, it.reach + 2 * TOUCH_MM)
        if where == 1:
            inner, outer = max(inner, high), max(outer, high)
        if where != 0:
            continue
        if high > outer:
            least, most = within_ring(it, tri, pose, pose, count, -TOUCH_MM)
            if least <= cap:
                outer = max(outer, most)
        low, high = within_ring(it, tri, pose, pose, count, TOUCH_MM)
        if low <= cap:
            inner = max(inner, high)
    return inner, outer
