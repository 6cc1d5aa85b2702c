"""The terrain along a way: what a flat convex shape meets that is carried over ground by hand, step by step.

It steps up and down by at most so much at once, keeps off steep faces that rise higher, passes under what hangs over
it. What it stands on at each step is the highest walkable ground under the middle half of its outline. Compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, dealt, in_threads, lean
from sim3d.ground.covered import CORE, Carried, carried_by, off_way, sides_of, within
from sim3d.ground.patch import Ground
from sim3d.ground.relief import (
    COSINE,
    HIGH,
    LEVEL_MM,
    LOW,
    MIXED,
    Terrain,
    floor_below,
    near_here,
    terrain_of,
    told_here,
    window_of,
)
from sim3d.space import Floats, Ints

STRIDE_MM = 2.0  # between two steps of a way; what lies between is swept, not skipped
TOUCH_MM = 0.05  # shapes this deep in each other only touch: half of the 0.1 mm that players' limits are tested by
LOW_MM = 1.0  # walls lower than this are rubble
FREE = -1  # nothing is in the way
NO_FACES = -2.0  # no cosine is lower: nothing is too steep, and no underside keeps anybody off
FACES = 64  # steep faces in the way, before they are counted
MANY = 32  # places that are worth a thread
SHORT_MM = 1000.0  # ways that are longer, all together, are
WALKED_DEG = 60.0  # ground that is steeper is nobody's height
ANY = np.array([0.0, 0.0, NO_FACES, 0.0])  # limits of who asks about every face


class Stride(NamedTuple):
    """What one step of a way comes to."""

    height: float  # what it stands on
    stopper: int  # the piece that is in the way; FREE: none
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


def tall_over(ground: Ground, walk: Walk) -> float:
    """How high over its feet terrain may begin to be in the way.

    What begins as high as it steps is a ceiling or something to step onto: where a mesh does not say which, it is both.
    """
    return walk.tall_mm if ground.sided() else max(walk.tall_mm, walk.step_mm)


def limits_of(ground: Ground, walk: Walk) -> Floats:
    """Step, height, the cosine of the slope and what is passed over, as compiled loops take them."""
    return np.array(
        [walk.step_mm, tall_over(ground, walk), math.cos(math.radians(walk.slope_deg)) - 1e-6, walk.over_mm]
    )


def along(
    ground: Ground, ring: Floats, poses: Floats, walk: Walk, start_mm: float, pieces: int, *, drops: bool = True
) -> Track:
    """Carry a convex ring (n, 2) over poses (m, 3: x, y, degrees) from the height `start_mm`.

    Not `drops`: no farther than to the first deep drop, for nobody asks what comes after it.
    """
    poses = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1, 3)
    heights, met, overhead, stops = _carried(
        terrain_of(ground), np.ascontiguousarray(ring), poses, limits_of(ground, walk), float(start_mm), pieces, drops
    )
    stopped, stopper, top, dropped, drop = stops
    return Track(heights, met, overhead, int(stopped), int(stopper), float(top), int(dropped), float(drop))


def arrived(
    ground: Ground, ring: Floats, start: tuple[float, float, float], turn: float, places: Floats, walk: Walk
) -> Floats:
    """How high straight ways from one place and height to many (n, 2) end; NaN where one is stopped or drops deep.

    They are walked in strides of equal length, with the ring turned so (degrees).
    """
    terrain, ring, limits = terrain_of(ground), np.ascontiguousarray(ring), limits_of(ground, walk)
    pieces, begin = int(ground.pieces.max(initial=-1)) + 1, (float(start[0]), float(start[1]), float(start[2]))
    out = np.empty(len(places))

    def some(part: slice) -> None:
        out[part] = _arrived(terrain, ring, limits, begin, float(turn), np.ascontiguousarray(places[part]), pieces)

    if np.hypot(*(places - begin[:2]).T).sum() < SHORT_MM:
        some(slice(None))
    else:
        in_threads(some, dealt(len(places), MANY))
    return out


def height_under(
    ground: Ground,
    ring: Floats,
    pose: tuple[float, float, float],
    *,
    level: float | None = None,
    slope_deg: float = WALKED_DEG,
) -> float:
    """The highest ground no steeper than that under the middle half of a ring, below a cut; the floor where none is."""
    cuts = np.array([math.inf if level is None else level])
    return float(heights_under(ground, ring, np.array([pose]), cuts, slope_deg)[0])


def heights_under(ground: Ground, ring: Floats, poses: Floats, cuts: Floats, slope_deg: float = WALKED_DEG) -> Floats:
    """The same for many poses (m, 3) with a cut each."""
    poses, cuts = np.ascontiguousarray(poses, np.float64), np.ascontiguousarray(cuts, np.float64)
    return _under(terrain_of(ground), np.ascontiguousarray(ring), poses, cuts, _walked(slope_deg))


def _walked(slope_deg: float) -> Floats:
    """Limits of who asks for ground no steeper than that."""
    return np.array([0.0, 0.0, math.cos(math.radians(slope_deg)) - 1e-6, 0.0])


def rims_mm(ground: Ground, ring: Floats, poses: Floats, cuts: Floats, tall_mm: float) -> Floats:
    """For many poses (m, 3) with a cut each, rows of heights: what it stands on below the cut, and up to its own height
    over that the highest terrain well inside its outline, and the highest that its rim touches.
    """
    poses = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1, 3)
    terrain, ring, cuts = terrain_of(ground), np.ascontiguousarray(ring), np.asarray(cuts, np.float64)
    out = np.empty((len(poses), 3))

    def some(part: slice) -> None:
        there, below = np.ascontiguousarray(poses[part]), np.ascontiguousarray(cuts[part])
        out[part] = _rims(terrain, ring, there, below, float(tall_mm), _walked(WALKED_DEG))

    if len(poses) < MANY:
        some(slice(None))
    else:
        in_threads(some, dealt(len(poses), MANY))
    return out


# --- compiled ---------------------------------------------------------------------------------------------------------


@lean
def _under_core(terrain: Terrain, it: Carried, pose: Floats, cap: float) -> float:
    """The ground that it steps on to: the highest walkable under its core.

    A slope goes on over what one step takes: as far as the cap it has come.
    """
    return _highest(terrain, it, CORE, pose, cap, cap - LEVEL_MM, 0.0, True)


@lean
def _highest(
    terrain: Terrain, it: Carried, share: float, pose: Floats, cap: float, top: float, take: float, through: bool
) -> float:
    """The highest walkable ground that begins below a cap, as far as to the top, under a share of a ring, taken in.

    What goes `through` the top counts up to there, or not at all. The highest cell is looked at first, and those that
    are no higher than what is found there never.
    """
    x, y, r = pose[0], pose[1], it.reach * share - 2.0 * min(take, 0.0)
    best, count, level, column, row, lid = floor_below(terrain, cap), 0, -1, -1, -1, -math.inf
    for k in range(terrain.shape.shape[0]):
        i0, i1, j0, j1 = window_of(terrain, k, x, y, r)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = terrain.shape[k, 4] + j * terrain.shape[k, 2] + i
                if terrain.lids[c] > lid and terrain.flats[c] >= it.flat:
                    level, column, row, lid = k, i, j, terrain.lids[c]
    if min(lid, top) <= best:
        return best
    best, count = _highest_in(terrain, it, share, pose, cap, top, take, through, level, (column, row), best, count)
    for k in range(terrain.shape.shape[0]):
        i0, i1, j0, j1 = window_of(terrain, k, x, y, r)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = terrain.shape[k, 4] + j * terrain.shape[k, 2] + i
                if min(terrain.lids[c], top) > best and terrain.flats[c] >= it.flat:
                    best, count = _highest_in(terrain, it, share, pose, cap, top, take, through, k, (i, j), best, count)
    return best


@lean
def _highest_in(
    terrain: Terrain,
    it: Carried,
    share: float,
    pose: Floats,
    cap: float,
    top: float,
    take: float,
    through: bool,
    k: int,
    cell: tuple[int, int],
    best: float,
    count: int,
) -> tuple[float, int]:
    """The same of one cell, where it is higher than the best so far, and how many sides are set: 0 before the first."""
    c = terrain.shape[k, 4] + cell[1] * terrain.shape[k, 2] + cell[0]
    r = it.reach * share - 2.0 * min(take, 0.0)
    for m in range(terrain.starts[c], terrain.starts[c + 1]):
        n = terrain.members[m]
        low, high = terrain.faces[n, LOW], terrain.faces[n, HIGH]
        if min(high, top) <= best or low > cap or terrain.faces[n, COSINE] < it.flat:
            continue
        if not near_here(terrain, n, pose[0], pose[1], r):
            continue
        tri = terrain.corners[n]
        where = off_way(tri, pose, pose, it.fits * share - take, r)
        if where == 0:
            count = count or sides_of(it, share, pose, pose, False)
            low, high = within(it, share, tri, pose, pose, count, take)
        if where >= 0 and low <= high and low <= cap and (through or high <= top):
            best = max(best, min(high, top))
    return best, count


@lean
def _stood_on(terrain: Terrain, n: int, flat: float, pose: Floats, z: float) -> bool:
    """Whether a triangle is a flat underside of what a shape stands on, rather than under: its plane says so."""
    if terrain.faces[n, COSINE] > -flat:
        return False
    tri = terrain.corners[n]
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    area = ux * vy - uy * vx
    if area == 0.0:
        return False
    gx, gy = (uz * vy - vz * uy) / area, (ux * vz - vx * uz) / area
    return tri[0, 2] + gx * (pose[0] - tri[0, 0]) + gy * (pose[1] - tri[0, 1]) <= z


@lean
def _looked(
    terrain: Terrain,
    it: Carried,
    pose: Floats,
    before: Floats,
    moved: bool,
    z: float,
    met: Ints,
    number: int,
    passed: float,
    head: float,
    faces: Floats,
    owners: Ints,
) -> tuple[int, bool]:
    """How many steep faces begin below its `head`, put into `faces` (low, high) and `owners` as far as they have room.

    And whether something hangs over. What is met for the first time gets this step's number. A face that is no higher
    than what it may pass over is nobody's: others may stand on it. Of a piece that is met nothing is looked at that
    ends below what is `passed`.
    """
    cap, least = max(z + it.step, it.over) + LEVEL_MM, z - it.step
    flat = it.flat if moved else NO_FACES
    x, y, r = pose[0], pose[1], it.reach + math.hypot(pose[0] - before[0], pose[1] - before[1])
    count, steep, overhead = 0, 0, False  # its sides are found when the first triangle has to be cut
    for k in range(terrain.shape.shape[0]):
        i0, i1, j0, j1 = window_of(terrain, k, x, y, r)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = terrain.shape[k, 4] + j * terrain.shape[k, 2] + i
                lid, whose = terrain.lids[c], terrain.whose[c]
                known = lid < least or (whose != MIXED and met[whose] >= 0)
                if known and (lid <= passed or (lid <= head and terrain.slopes[c] >= flat)):
                    continue
                for m in range(terrain.starts[c], terrain.starts[c + 1]):
                    n = terrain.members[m]
                    owner, low, high = terrain.owners[n], terrain.faces[n, LOW], terrain.faces[n, HIGH]
                    known = high < least or met[owner] >= 0
                    if known and high <= passed:
                        continue
                    walked = terrain.faces[n, COSINE] >= flat
                    if known and high <= head and walked:
                        continue
                    if not told_here(terrain, n, k, (i, j), (i0, j0), x, y, r):
                        continue
                    tri = terrain.corners[n]
                    where = off_way(tri, pose, before, it.fits - TOUCH_MM, it.reach)
                    if where == 0:
                        count = count or sides_of(it, 1.0, pose, before, moved)
                        low, high = within(it, 1.0, tri, pose, before, count, TOUCH_MM)
                    if where < 0 or high < low:
                        continue
                    overhead = overhead or (low > head and high > cap)
                    if low > max(head, cap):
                        continue
                    if met[owner] < 0 and high >= least:
                        met[owner] = number
                    if not walked and high > min(cap, z + it.tall) and not _stood_on(terrain, n, flat, before, z):
                        if steep < owners.shape[0]:
                            faces[steep, 0], faces[steep, 1], owners[steep] = low, high, owner if high > cap else FREE
                        steep += 1
    return steep, overhead


@lean
def _grown(faces: Floats, owners: Ints, steep: int, top: float, whose: int) -> tuple[int, float]:
    """Of faces that begin below a height, or on top of such faces, the highest that is somebody's, and its top.

    Where it is asked `whose`, of those that are; FREE: of anybody's.
    """
    grown = True
    while grown:
        grown = False
        for k in range(steep):
            if faces[k, 0] <= top + LEVEL_MM and faces[k, 1] > top:
                top, grown = faces[k, 1], True
    stopper, highest = FREE, -math.inf
    for k in range(steep):
        asked = owners[k] != FREE and (whose == FREE or owners[k] == whose)
        if asked and faces[k, 0] <= top + LEVEL_MM and faces[k, 1] > highest:
            stopper, highest = owners[k], faces[k, 1]
    return stopper, highest


@compiled
def _top_of(
    terrain: Terrain, it: Carried, pose: Floats, before: Floats, moved: bool, z: float, met: Ints, stopper: int
) -> float:
    """How high what stops it reaches there: all of it, not only what begins below its head."""
    seen, head = met.copy(), z + it.tall
    faces, owners = np.empty((FACES, 2)), np.empty(FACES, np.int64)
    steep, _ = _looked(terrain, it, pose, before, moved, z, seen, 0, -math.inf, math.inf, faces, owners)
    if steep > FACES:
        faces, owners = np.empty((steep, 2)), np.empty(steep, np.int64)
        steep, _ = _looked(terrain, it, pose, before, moved, z, seen, 0, -math.inf, math.inf, faces, owners)
    return _grown(faces, owners, steep, head, stopper)[1]


@compiled
def stepped(
    terrain: Terrain, it: Carried, pose: Floats, before: Floats, moved: bool, z: float, met: Ints, number: int
) -> Stride:
    """One step of a way, from a height, to a pose; without `moved` it is only set down there."""
    cap, least = max(z + it.step, it.over) + LEVEL_MM, z - it.step
    head = z + it.tall
    faces, owners = np.empty((FACES, 2)), np.empty(FACES, np.int64)
    steep, overhead = _looked(terrain, it, pose, before, moved, z, met, number, cap, head, faces, owners)
    if steep > 0 and cap > head:  # what stops it may stand on what would not
        steep, overhead = _looked(terrain, it, pose, before, moved, z, met, number, head, head, faces, owners)
    if steep > FACES:
        faces, owners = np.empty((steep, 2)), np.empty(steep, np.int64)
        steep, overhead = _looked(terrain, it, pose, before, moved, z, met, number, min(cap, head), head, faces, owners)
    stopper, _ = _grown(faces, owners, steep, head, FREE)
    if stopper != FREE:
        return Stride(z, stopper, 0.0, overhead)
    under = _under_core(terrain, it, pose, cap)
    if moved and under > z + LEVEL_MM:  # a step up; but what lay over its middle before it went on hangs there
        hung = _under_core(terrain, it, before, cap)
        if hung > z + LEVEL_MM:
            under = _under_core(terrain, it, pose, hung - 2.0 * LEVEL_MM)
    lean = CORE * it.reach  # what it stands on lies no higher over its middle, on no ground that it walks
    if not moved and under > z + lean:
        near = _under_core(terrain, it, pose, z + lean)
        under = near if near >= z - lean else under
    if not moved and under < least:
        return Stride(z, FREE, 0.0, overhead)
    if under >= least - LEVEL_MM:
        return Stride(under, FREE, 0.0, overhead)
    widest = _highest(terrain, it, 1.0, pose, cap, cap, TOUCH_MM, True)  # what carries its rim where its middle hangs
    if widest >= least - LEVEL_MM:
        return Stride(widest, FREE, 0.0, overhead)
    return Stride(widest if widest > -math.inf else z, FREE, z - widest, overhead)


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
            stops[0], stops[1] = float(p), float(done.stopper)
            stops[2] = _top_of(terrain, it, poses[p], poses[max(p - 1, 0)], p > 0, z, met, done.stopper)
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
def _arrived(
    terrain: Terrain,
    ring: Floats,
    limits: Floats,
    start: tuple[float, float, float],
    turn: float,
    places: Floats,
    pieces: int,
) -> Floats:
    it, met = carried_by(ring, limits), np.zeros(pieces, np.int64)  # nobody asks what is met
    out, before, pose = np.empty(places.shape[0]), np.empty(3), np.empty(3)
    before[2] = pose[2] = turn
    for k in range(places.shape[0]):
        dx, dy = places[k, 0] - start[0], places[k, 1] - start[1]
        n = max(1, math.ceil(math.hypot(dx, dy) / STRIDE_MM))
        z, before[0], before[1] = start[2], start[0], start[1]
        for i in range(n + 1):
            pose[0], pose[1] = start[0] + i / n * dx, start[1] + i / n * dy
            done = stepped(terrain, it, pose, before, i > 0, z, met, i)
            if done.stopper != FREE or done.drop > 0.0:
                z = math.nan
                break
            z, before[0], before[1] = done.height, pose[0], pose[1]
        out[k] = z
    return out


@compiled
def _under(terrain: Terrain, ring: Floats, poses: Floats, cuts: Floats, walked: Floats) -> Floats:
    out, it = np.empty(poses.shape[0]), carried_by(ring, walked)
    for k in range(poses.shape[0]):
        out[k] = _walked_under(terrain, it, poses[k], cuts[k])
    return out


@lean
def _walked_under(terrain: Terrain, it: Carried, pose: Floats, cut: float) -> float:
    """The highest ground that somebody walks under the core of a ring, below a cut."""
    return _highest(terrain, it, CORE, pose, cut + LEVEL_MM, cut + LEVEL_MM, 0.0, False)


@compiled
def _rims(terrain: Terrain, ring: Floats, poses: Floats, cuts: Floats, tall: float, walked: Floats) -> Floats:
    out = np.empty((poses.shape[0], 3))
    walking, it = carried_by(ring, walked), carried_by(ring, ANY)
    floor = floor_below(terrain, math.inf)
    for k in range(poses.shape[0]):
        out[k, 0] = _walked_under(terrain, walking, poses[k], cuts[k])
        cap = out[k, 0] + tall
        out[k, 1] = max(floor, _highest(terrain, it, 1.0, poses[k], cap, math.inf, TOUCH_MM, True))
        out[k, 2] = max(out[k, 1], _highest(terrain, it, 1.0, poses[k], cap, math.inf, -TOUCH_MM, True))
    return out
