"""Whether a model has room where it rests: what of the terrain, and of other minis, reaches into base and body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sim3d.ground import Foot, Ground, ground_of
from sim3d.ground.foot import heart_of
from sim3d.ground.patch import FLOOR, Patch
from sim3d.ground.room import APART, crossings_above, gap_under, in_the_way, ray_from
from sim3d.mini import Base, Mini
from sim3d.plane import Outline, shrunk
from sim3d.space import WORD_BAND_MM, Floats, Pose
from sim3d.statics.lowest import RESTS
from sim3d.statics.rest import case_of, foot_of, pose_of
from sim3d.table import Placed, Table

OVERLAP_MM = 0.2  # terrain this deep inside a model is print tolerance; deeper is in the way
HEARTS = 13  # points of a base that are asked whether it is inside of what has holes: most of them tell
HEART_MM = 0.05  # so much farther inside than what may overlap
JOINT_MM = 2 * OVERLAP_MM + 0.01  # to either side of where base and body meet: taken in, it is more than they lose
STRAYS_MM = 0.002  # a base in others' way is round but for that: a hundredth of what it may overlap
SLICE_MM = 2.0  # a body from a mesh is a round for each so much of its height,
SLICED_MM = 0.005  # and its base's outline, as it is known there, may stray so much
LIP_MM = 1.0  # beside its base, lower than its top, it may reach so far: a seam or a lip of the base's own


@lru_cache(maxsize=64)
def taken_in(base: Base, by_mm: float) -> Foot:
    """The base's outline, taken in all round."""
    return Foot.of(Outline.polygon_of([(float(x), float(y)) for x, y in shrunk(base.outline.polygon(0.005), by_mm)]))


@lru_cache(maxsize=64)
def body_rounds(mini: Mini) -> Floats:
    """The body as rounds (low, high, radius) over the underside: one for a cylinder, slices for a mesh.

    Of a mesh what reaches beside the base, lower than its top, comes last: a wing that droops, a wider foot.
    """
    low = mini.base.thickness_mm
    if mini.body.mesh is None:
        return np.array([[low, mini.body.height_mm, mini.body.diameter_mm / 2]])
    vertices, faces = mini.body.mesh
    corners = vertices[faces]
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    ring = shrunk(mini.base.outline.polygon(SLICED_MM), -LIP_MM)
    around = Outline.polygon_of([(float(x), float(y)) for x, y in ring])
    beside = _slices(sides, 0.0, low, around)
    return np.array(_slices(sides, low, mini.body.height_mm) + beside).reshape(-1, 3)


def _slices(sides: Floats, low: float, high: float, around: Outline | None = None) -> list[tuple[float, float, float]]:
    """Rounds between two heights that hold the sides (n, 2, 3) of triangles; of those outside of an outline."""
    rows = []
    for a in np.arange(low, high, SLICE_MM).tolist():
        b = min(a + SLICE_MM, high)
        far = _farthest_between(sides, a, b, around)
        if far > 0.0 and b > a:
            rows.append((a, b, far))
    return rows


def _farthest_between(sides: Floats, low: float, high: float, around: Outline | None) -> float:
    """How far from the axis the sides (n, 2, 3) of triangles reach between two heights; 0 where there are none.

    Round an outline only what ends outside of it counts.
    """
    some = sides[(sides[:, :, 2].max(axis=1) >= low) & (sides[:, :, 2].min(axis=1) <= high)]
    one, way = some[:, 0], some[:, 1] - some[:, 0]
    rise = np.where(way[:, 2] == 0.0, 1.0, way[:, 2])  # a level side lies between them with all of it
    ends = np.sort((np.array([[low], [high]]) - one[:, 2]) / rise, axis=0).clip(0.0, 1.0)
    ends[:, way[:, 2] == 0.0] = [[0.0], [1.0]]
    places = (one + ends[:, :, None] * way).reshape(-1, 3)
    if around is not None:
        places = places[~around.contains(places[:, :2])]
    return float(np.hypot(places[:, 0], places[:, 1]).max(initial=0.0))


@lru_cache(maxsize=64)
def rooms_of(mini: Mini) -> Floats:
    """What must be free over a base, as `body_rounds`, and where one ends and the next begins, or base and body do.

    Each is taken in on all sides when it is asked: nothing that is thin slips in between two of them.
    """
    rounds = body_rounds(mini)
    before = [(mini.base.thickness_mm, foot_of(mini.base).inner_mm), *((high, r) for _, high, r in rounds.tolist())]
    joints = [
        (max(end - JOINT_MM, 0.0), begin + JOINT_MM, min(one, other))
        for (end, one), (begin, high, other) in zip(before, rounds.tolist(), strict=False)
        if high > begin and abs(begin - end) < 1e-6
    ]
    return np.concatenate([rounds, np.array(joints).reshape(-1, 3)])


def overlapped(table: Table, mini: Mini, at: tuple[float, float], pose: Pose) -> tuple[str, str] | None:
    """("blocked", why) where terrain or a mini reaches into the model; ("undecided", why) within a micron of that.

    `at` is where its middle is put, and `pose` the one in which it rests there.
    """
    ground = ground_of(table)
    rounds = rooms_of(mini)
    patch = _over_it(ground, mini, pose, body_rounds(mini))
    frame = frame_at(pose, (patch.x, patch.y, patch.z))
    hits = []
    for slack in (OVERLAP_MM - WORD_BAND_MM, OVERLAP_MM + WORD_BAND_MM):
        foot = taken_in(mini.base, slack)
        shape = (foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm)
        low, high = slack, mini.base.thickness_mm - slack
        hits.append(in_the_way(patch.tris, patch.spans, frame, *shape, low, high, rounds, slack))
    if hits[1] != APART:
        number = int(patch.numbers[hits[1]])
        name = "the table" if number == FLOOR else table.pieces[int(ground.pieces[number])].name
        heights = patch.z + patch.tris[hits[1], :, 2] - pose.place[2]
        return "blocked", _barred(name, float(heights.min()), float(heights.max()), mini.base.thickness_mm)
    inside = _inside_of(ground, patch, mini, pose)
    if inside is not None:
        return "blocked", f"it would stand inside {table.pieces[inside].name}."
    mine = frame_at(pose, (0.0, 0.0, 0.0))
    for other in table.minis:
        if near(mini, at, other.mini, other.at) and against(mini, mine, standing(table, other)):
            return "blocked", f"{other.name} stands there."
    if hits[0] != APART:
        return "undecided", "terrain touches it exactly as deep as is allowed."
    return None


def _barred(name: str, low: float, over: float, thickness: float) -> str:
    """That something is in the way which reaches from so low to so high over its feet, in mm.

    >>> _barred("a wall", 0.0, 120.0, 3.2), _barred("a ceiling", 38.0, 38.0, 3.2)
    ('a wall is in the way, up to 120.0 mm over its feet.', 'a ceiling is in the way, 38.0 mm over its feet.')
    """
    if over < 0.0:
        return f"{name} is in the way: the model leans down into it, {-over:.1f} mm under its feet."
    if low < thickness and over - low > WORD_BAND_MM:  # it stands beside it, or through it: what is overhead does not
        return f"{name} is in the way, up to {over:.1f} mm over its feet."
    both = f"{low:.1f} to " if f"{low:.1f}" != f"{over:.1f}" else ""
    return f"{name} is in the way, {both}{over:.1f} mm over its feet."


@lru_cache(maxsize=64)
def hearts_of(base: Base) -> Floats:
    """Points (n, 2) of a base from which a ray up tells whether it is inside of something: its heart, and all round.

    What is not in its way lies wholly beside it or round it, so of a surface without holes the first one tells.
    """
    ring = shrunk(base.outline.polygon(0.005), OVERLAP_MM + HEART_MM)
    sides = np.hypot(*(np.roll(ring, -1, axis=0) - ring).T)
    ends = np.concatenate([[0.0], np.cumsum(sides)])
    closed = np.vstack([ring, ring[:1]])
    along = np.arange(HEARTS - 1) / (HEARTS - 1) * ends[-1]
    around = np.column_stack([np.interp(along, ends, closed[:, k]) for k in (0, 1)])
    return np.vstack([heart_of(base.outline), around])


def _inside_of(ground: Ground, patch: Patch, mini: Mini, pose: Pose) -> int | None:
    """The piece that a base is inside of: so are most of its points. Right under a hole a ray finds no lid."""
    half, hearts = mini.base.thickness_mm / 2, hearts_of(mini.base)
    points = pose.apply(np.column_stack([hearts, np.full(len(hearts), half)])) - (patch.x, patch.y, patch.z)
    terrain = np.flatnonzero(patch.numbers >= 0)
    if not any(crossings_above(patch.tris[terrain], x, y, z) for x, y, z in points):
        return None
    insides, numbers = ground.insides(), patch.numbers[terrain]
    shells = insides.of[numbers]
    for shell in np.unique(shells[shells >= 0]).tolist():
        mine, first = terrain[shells == shell], numbers[shells == shell][0]
        rim = float(insides.rim[first]) - patch.z
        if ray_from(rim, points[0, 2], gap_under(mini.height_mm, mini.base.thickness_mm)) == math.inf:
            continue
        asked = points if len(insides.holed) and insides.holed[first] else points[:1]
        if 2 * sum(crossings_above(patch.tris[mine], x, y, max(z, rim)) % 2 for x, y, z in asked) > len(asked):
            return int(ground.pieces[first])
    return None


def _over_it(ground: Ground, mini: Mini, pose: Pose, rounds: Floats) -> Patch:
    """All that could be in the way: what stands over the plane of its base, in the circle that it fills from above."""
    normal, place = pose.rotation()[:, 2], np.array(pose.place)
    lean = math.hypot(normal[0], normal[1])
    reach = mini.base.outline.reach_mm()
    discs = [(0.0, reach), (mini.base.thickness_mm, reach)]
    discs += [(float(height), float(r)) for low, high, r in rounds for height in (low, high)]
    down = max(lean * high + r for high, r in discs)  # how far it reaches towards where it leans, and the other way
    up = max(r - lean * high for high, r in discs)
    x, y = place[:2] + (normal[:2] / lean * (down - up) / 2 if lean > 0 else 0.0)
    return ground.patch(x, y, (down + up) / 2 + 1.0, over=(*normal, float(normal @ place)))


def frame_at(pose: Pose, origin: tuple[float, float, float]) -> Floats:
    """A pose as a frame, relative to the origin of a patch."""
    rotation = pose.rotation()
    place = np.array(pose.place) - np.array(origin)
    return np.ascontiguousarray(np.vstack([place, rotation.T]))


@dataclass(frozen=True, slots=True)
class Standing:
    """A mini on the table as it is in others' way there."""

    mini: Mini
    at: tuple[float, float]
    pose: Pose
    corners: Floats  # (m, 3, 3) of base and body, on the table
    spans: Floats  # how far each triangle's corners lie from its first


def standing(table: Table, placed: Placed) -> Standing:
    """Where a mini on the table is in others' way."""
    vertices, faces = model_mesh(placed.mini)
    pose = resting_pose(table, placed)
    corners = pose.apply(vertices)[faces]
    spans = np.linalg.norm(corners[:, 1:] - corners[:, :1], axis=2).max(axis=1)
    return Standing(placed.mini, placed.at, pose, corners, spans)


def near(mini: Mini, at: tuple[float, float], other: Mini, its: tuple[float, float]) -> bool:
    """Whether two could touch where they are put, however each of them leans."""
    return math.dist(at, its) <= sum(_widest(m) + m.height_mm for m in (mini, other))


def against(mini: Mini, frame: Floats, other: Standing, slack: float = OVERLAP_MM) -> bool:
    """Whether a mini with its frame (place and axes) on the table and another one overlap by more than that."""
    here = np.vstack([np.zeros(3), frame[1:]])
    corners = other.corners - frame[0]
    foot = taken_in(mini.base, slack)
    shape = (foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm)
    high = mini.base.thickness_mm - slack
    if in_the_way(corners, other.spans, here, *shape, slack, high, rooms_of(mini), slack) != APART:
        return True
    # one wholly inside the other, or in the very same place: a point in each base tells
    mine = np.array([*heart_of(mini.base.outline), mini.base.thickness_mm / 2]) @ here[1:]
    if crossings_above(corners, *mine) % 2:
        return True
    centre = other.pose.apply([[*heart_of(other.mini.base.outline), other.mini.base.thickness_mm / 2]])[0]
    theirs = here[1:] @ (centre - frame[0])
    away = math.hypot(theirs[0], theirs[1])
    if any(low <= theirs[2] <= high and away < radius for low, high, radius in body_rounds(mini).tolist()):
        return True
    within = mini.base.outline.contains(theirs[None, :2])[0] and 0 <= theirs[2] <= mini.base.thickness_mm
    return bool(within)


def _widest(mini: Mini) -> float:
    """How far a mini reaches from its axis."""
    return max(mini.base.outline.reach_mm(), float(body_rounds(mini)[:, 2].max(initial=0.0)))


def resting_pose(table: Table, placed: Placed) -> Pose:
    """Where a mini on the table stands; one that cannot is taken as upright where it was put, still in the way."""
    case = case_of(ground_of(table), placed.mini, at=placed.at, turn=placed.turn, level=placed.level)
    out, c, gx, gy = case.lowest()
    if out == RESTS:
        return pose_of(case.frame(c, gx, gy), case)
    return case.level_pose() or Pose.at(*placed.at, table.floor_mm or 0.0, turn=placed.turn)


@lru_cache(maxsize=64)
def model_mesh(mini: Mini) -> tuple[Floats, Any]:
    """Base and body as one mesh, to stand in others' way."""
    vertices, faces = mini.base.mesh(chord_mm=STRAYS_MM)
    parts_v, parts_f = [vertices], [faces]
    for low, high, radius in body_rounds(mini):
        ring = Outline.ellipse(2 * radius, 2 * radius)
        v, f = Base("body", ring, max(float(high - low), 0.01)).mesh(chord_mm=STRAYS_MM)
        parts_f.append(f + sum(len(p) for p in parts_v))
        parts_v.append(v + np.array([0.0, 0.0, low]))
    return np.vstack(parts_v), np.vstack(parts_f)
