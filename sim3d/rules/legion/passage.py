"""What a base meets on its way: terrain, other minis, the battlefield's edge. Facts alone; checks say what they mean.

Where bases are swept, arcs are rings of corners 2 microns near; bases 0.05 mm deep in each other only touch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from sim3d.ground import Ground, ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import TOUCH_MM, Track, Walk, along, heights_under
from sim3d.mini import Base
from sim3d.plane import Outline, filled, hull, meeting, meets_any, parted_mm, placed
from sim3d.rules.legion.battle import Battle, engaged_with, feet_mm, near, overlap_mm, ring_of
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.terrain import room_mm
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.stand import Stand
from sim3d.table import Placed, Table

Way = Literal["pass", "displace", "block"]
TURNS = 4096  # of bases, whose reach along the table's sides is kept
OFF_MM = 1e-6  # a leader's base this far over the battlefield's edge is off it
LINE_MM = 1e-6  # strides whose product is smaller lie in one line
STOP_MM = 0.005  # how exactly a stop is found: a twentieth of what players measure
STOP_DEG = 0.005  # the same of a turn on the spot
LIFTED_DEG = 1.0  # a base that turns by more from one pose to the next is lifted round
HUNG_MM = 0.01  # what is higher than its feet by more, over its middle, hung there before it was lifted
PER_ONE = 100.0  # hundredths: in a message a stop has two decimals
NEVER = 1e-7  # of a hundredth: a stop this near to a whole number of them is told as that


@dataclass(frozen=True, slots=True)
class Stop:
    """How far a base comes: mm along the tool, and degrees of the turn on the spot that it is in; in their order."""

    travel_mm: float
    part: float = math.inf  # of its poses, counted from 0: two stops on the spot are told apart by it
    turned_deg: float = 0.0

    @property
    def said(self) -> str:
        """In a player's words, cut after the hundredth: who goes as far as that is not stopped yet."""
        mm, deg = (f"{math.floor(v * PER_ONE + NEVER) / PER_ONE:.2f}" for v in (self.travel_mm, abs(self.turned_deg)))
        if self.turned_deg == 0.0:
            return f"{mm} mm"
        return f"{deg} degrees" if self.travel_mm == 0.0 else f"{mm} mm and {deg} degrees"


@dataclass(frozen=True, slots=True)
class Met:
    """A mini whose place the mover's base overlaps, how far it comes before that, and what that means."""

    mini: str
    unit: str
    way: Way
    at: Stop
    rule: str = ""  # why it cannot be pushed aside: engaged (DP03), or a creature or emplacement (DP04)


def carried(table: Table, base: Base, poses: Floats, walk: Walk, start_mm: float) -> Track:
    """The terrain along poses (m, 4); what lies between two poses is swept, but not where it is lifted from one to the
    other: there one way ends and another begins, whose first stride keeps off what it is set down in.
    """
    ground, ring, pieces = ground_of(table), filled(base.outline), len(table.pieces)
    marks = [*lifts_of(base, poses), len(poses)]
    whole = along(ground, ring, poses[: marks[0], :3], walk, start_mm, pieces)
    for first, last in pairwise(marks):
        if whole.stopped >= 0:
            return _ended(whole, len(poses))
        feet = _set_round(ground, ring, poses[first - 1 : first + 1, :3], walk, float(whole.heights[-1]))
        whole = _joined(whole, along(ground, ring, poses[first:last, :3], walk, feet, pieces))
    return whole


def lifts_of(base: Base, poses: Floats) -> list[int]:
    """The poses (m, 4) that a base is lifted round to from the one before, where that is more than turning a circle."""
    away = np.hypot(*filled(base.outline).T)
    if np.ptp(away) <= LINE_MM:
        return []
    return (np.flatnonzero(np.abs(np.diff(poses[:, 2])) > LIFTED_DEG + LINE_MM) + 1).tolist()


def _set_round(ground: Ground, ring: Floats, poses: Floats, walk: Walk, feet: float) -> float:
    """How high a base begins that is lifted round: where it steps up to, but not onto what hung over it."""
    cap = max(feet + walk.step_mm, walk.over_mm)
    hung = float(heights_under(ground, ring, poses[:1], np.array([cap]))[0])
    below = hung - HUNG_MM if hung > feet + HUNG_MM else cap
    return max(feet, float(heights_under(ground, ring, poses[1:], np.array([below]))[0]))


def _joined(one: Track, two: Track) -> Track:
    """A way that goes on as another one."""
    n = len(one.heights)

    def later(k: int) -> int:
        return k if k < 0 else k + n

    met = np.array([a if a >= 0 else later(int(b)) for a, b in zip(one.met, two.met, strict=True)], dtype=np.int64)
    dropped, deep = (one.dropped, one.drop_mm) if one.dropped >= 0 else (later(two.dropped), two.drop_mm)
    return Track(
        np.concatenate([one.heights, two.heights]), met, np.concatenate([one.overhead, two.overhead]),
        later(two.stopped), two.stopper, two.stop_top_mm, dropped, deep,
    )  # fmt: skip


def _ended(track: Track, poses: int) -> Track:
    """A way that is stopped, told for as many poses as it was to have."""
    more = poses - len(track.heights)
    heights = np.concatenate([track.heights, np.full(more, track.heights[-1])])
    return replace(track, heights=heights, overhead=np.concatenate([track.overhead, np.zeros(more, np.int64)]))


def pieces_at(table: Table, mini: Placed, walk: Walk, feet: float) -> tuple[str, ...]:
    """The pieces that a mini stands in or on: within a step below it and its own height above."""
    pose = np.array([[*mini.at, mini.turn, 0.0]])
    return names_met(table, carried(table, mini.mini.base, pose, walk, feet))


def names_met(table: Table, track: Track) -> tuple[str, ...]:
    """The pieces of a track, in the table's order."""
    return tuple(piece.name for piece, first in zip(table.pieces, track.met, strict=True) if first >= 0)


def other_floor(
    table: Table, mini: Placed, poses: Floats, track: Track, walk: Walk, start_mm: float, cut: float
) -> tuple[float, float] | None:
    """How high a way leads, and how high a mini is that was put below a player's cut there; None: on the same floor.

    Who goes over terrain may keep below what hangs there, all the way or from where it comes down under the open sky.
    """
    there = feet_mm(table, mini)
    ways = [float(track.heights[-1])]
    if walk.over_mm > cut:
        below = min(walk.over_mm, _hangs_mm(table, mini.mini.base, poses[-1], cut) - 2 * LEVEL_MM)
        ways += _ways_below(table, mini.mini.base, poses, track, walk, start_mm, max(below, cut))
    if any(abs(there - way) <= walk.step_mm + LEVEL_MM for way in ways):
        return None
    return ways[0], there


def _ways_below(
    table: Table, base: Base, poses: Floats, track: Track, walk: Walk, start_mm: float, below: float
) -> list[float]:
    """How high ways end that go over what is lower than that alone: from the start, and from where the way over more
    has come down for the last time, if it does so under the open sky.
    """
    high = track.heights > below
    low = np.flatnonzero(~high)
    tops = np.flatnonzero(high[: low[-1]]) if len(low) else low
    starts = [(0, start_mm)]
    if len(tops):
        down = int(tops[-1]) + 1
        open_sky = _hangs_mm(table, base, poses[down], below) >= walk.over_mm
        starts += [(down, float(track.heights[down]))] if open_sky else []
    ways = [carried(table, base, poses[k:], replace(walk, over_mm=below), feet) for k, feet in starts]
    return [float(way.heights[-1]) for way in ways if way.stopped < 0]


def _hangs_mm(table: Table, base: Base, pose: Floats, cut: float) -> float:
    """How high the lowest thing over a base begins that is all higher than a cut; infinite where nothing is."""
    ground, ring = ground_of(table), placed(filled(base.outline), *pose[:3])
    numbers = ground.near(float(pose[0]), float(pose[1]), base.outline.reach_mm())
    tris = ground.corners[numbers]
    tris = tris[tris[:, :, 2].min(axis=1) >= cut]
    tris = tris[meeting(ring, tris[:, :, :2], deeper_mm=TOUCH_MM)] if len(tris) else tris
    return float(tris[:, :, 2].min(initial=math.inf))


def fallen_mm(stand: Stand, way_mm: float) -> float:
    """How far below its way whatever carries a base lies that rests: its own notches do not carry it, as on the way."""
    if stand.answer != "stable":
        return 0.0
    return way_mm - max((contact.place[2] for contact in stand.contacts), default=way_mm)


def outside_mm(table: Table, base: Base, poses: Floats) -> float:
    """How far a base reaches over the battlefield's edge at its worst; negative inside, and without an edge (MV11).

    A straight leg reaches farthest at one of its ends, and those are among the poses.
    """
    return float(outside_each_mm(table, base, poses).max(initial=-math.inf))


def outside_each_mm(table: Table, base: Base, poses: Floats) -> Floats:
    """The same for each pose (n, 3)."""
    worst = np.full(len(poses), -math.inf)
    if table.size_mm is None:
        return worst
    half = np.array(table.size_mm) / 2
    for turn in dict.fromkeys(poses[:, 2].tolist()):
        mine = poses[:, 2] == turn
        far = np.hstack([poses[mine, :2], -poses[mine, :2]]) + np.array(_reaches(base.outline, turn))
        worst[mine] = (far - np.tile(half, 2)).max(axis=1)
    return worst


@lru_cache(maxsize=TURNS)
def _reaches(outline: Outline, turn: float) -> tuple[float, ...]:
    """How far an outline that is turned so (degrees) reaches along x, along y, and back along both."""
    a = math.radians(turn)
    c, s = math.cos(a), math.sin(a)
    return tuple(outline.support(ux * c + uy * s, uy * c - ux * s) for ux, uy in ((1, 0), (0, 1), (-1, 0), (0, -1)))


def way_through(battle: Battle, mover: Unit, other: Unit | None, ruleset: Ruleset, *, withdrawing: bool) -> Way:
    """Whether a unit's minis pass through another's, push them aside or must stop (MV08, DP01, DP03, DP04, DP05)."""
    options = ruleset.options
    if other is None:
        return "block"
    if mover.type == "repulsor":
        return "pass"
    if mover.type in ("ground", "creature"):
        if not other.trooper or other.type in ("creature", "emplacement"):
            passable = other.type == "repulsor" and options.repulsors_block == "no"
            return "pass" if passable else "block"
        engaged = engaged_with(battle, other, ruleset)
        freed = withdrawing and mover.type == "creature" and mover.name in engaged
        return "displace" if not engaged or freed else "block"
    if other.type in ("creature", "emplacement"):
        return "block" if options.beasts_block == "yes" else "pass"
    return "block" if other.type == "ground" else "pass"


def _fixed_by(mover: Unit, other: Unit | None) -> str:
    """The row that keeps a trooper from being pushed aside by a mover that pushes others (DP03, DP04)."""
    if other is None or not other.trooper or mover.type not in ("ground", "creature"):
        return ""
    return "DP04" if other.type in ("creature", "emplacement") else "DP03"


def displaceable(battle: Battle, unit: Unit, mini: Placed, ruleset: Ruleset) -> tuple[str, ...]:
    """The minis under a place that a compulsory move's end pushes aside (CM06, DP02): no engaged ones, no beasts."""
    out = []
    for other in battle.table.minis:
        owner = battle.unit_of(other.name)
        if owner is None or owner.name == unit.name or owner.type != "trooper" or not near(mini, other):
            continue
        over = overlap_mm(battle.table, mini, other) > ruleset.numbers.contact_mm
        if over and not engaged_with(battle, owner, ruleset):
            out.append(other.name)
    return tuple(out)


def tops_mm(table: Table) -> Mapping[str, float]:
    """The height of each piece's highest point; kept for the last table seen."""
    if not _TOPS or _TOPS[0][0] is not table.pieces:
        ground = ground_of(table)
        tops = np.full(len(table.pieces), -math.inf)
        np.maximum.at(tops, ground.pieces, ground.corners[:, :, 2].max(axis=1, initial=-math.inf))
        _TOPS[:] = [(table.pieces, {p.name: float(top) for p, top in zip(table.pieces, tops, strict=True)})]
    return _TOPS[0][1]


def within_mm(table: Table, piece: str, rings: Sequence[Floats], over_mm: float) -> bool:
    """Whether a piece goes no higher than that where rings cover it: the part moved to counts (CL06)."""
    if tops_mm(table)[piece] <= over_mm:
        return True
    ground = ground_of(table)
    number = [p.name for p in table.pieces].index(piece)
    mine = ground.corners[(ground.pieces == number) & (ground.corners[:, :, 2].max(axis=1) > over_mm)]
    covered = np.concatenate(rings)
    plans = mine[:, :, :2]
    near = (plans.min(axis=1) <= covered.max(axis=0)) & (plans.max(axis=1) >= covered.min(axis=0))
    mine = mine[near.all(axis=1)]
    if not len(mine):
        return True
    parts = np.array([_above(tri, over_mm) for tri in mine])
    return not any(meets_any(ring, parts, deeper_mm=TOUCH_MM) for ring in rings)


def _above(tri: Floats, over_mm: float) -> Floats:
    """The part of a triangle that is higher, seen from above: corners, and where its sides go through that height."""
    seen = [corner[:2] for corner in tri if corner[2] >= over_mm]
    for a, b in zip(tri, np.roll(tri, -1, axis=0), strict=True):
        if (a[2] - over_mm) * (b[2] - over_mm) < 0:
            seen.append((a + (over_mm - a[2]) / (b[2] - a[2]) * (b - a))[:2])
    return np.resize(np.array(seen), (len(tri) + 1, 2))  # as many for all; some twice


def rings_along(base: Base, poses: Floats) -> list[Floats]:
    """What a base covers along poses (m, 4), notches filled: a ring for each straight leg and each turn in place.

    Where it is lifted round at the hinge it covers nothing but the ends of both legs.
    """
    ring = filled(base.outline)
    if len(poses) == 1:
        return [placed(ring, *poses[0, :3])]
    steps = np.diff(poses[:, :3], axis=0)
    product = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    same = (np.abs(product) <= LINE_MM) & (steps[:-1, 2] == 0) & (steps[1:, 2] == 0)
    lifted = [k - 1 for k in lifts_of(base, poses)]
    legs = [leg for leg in np.split(np.arange(len(steps)), np.flatnonzero(~same) + 1) if leg[0] not in lifted]
    ends = [np.concatenate([placed(ring, *poses[k, :3]) for k in (leg[0], leg[-1] + 1)]) for leg in legs]
    return [hull(points) for points in ends]


_TOPS: list[tuple[object, Mapping[str, float]]] = []


def minis_met(
    battle: Battle,
    unit: Unit,
    mini: Placed,
    poses: Floats,
    heights: Floats,
    ruleset: Ruleset,
    *,
    withdrawing: bool = False,
    over_mm: float = -math.inf,
) -> tuple[Met, ...]:
    """The minis of other units whose bases the mover's base overlaps on its way, each at its first moment.

    Those that reach up to `over_mm` at most are passed over.
    """
    ring = filled(mini.mini.base.outline)
    reach = mini.mini.base.outline.reach_mm()
    out = []
    for other in battle.table.minis:
        if other.name in unit.minis:
            continue
        away = np.hypot(poses[:, 0] - other.at[0], poses[:, 1] - other.at[1])
        near = np.flatnonzero(away <= reach + other.mini.base.outline.reach_mm() + 3.0)
        if not len(near):
            continue
        theirs, feet = ring_of(other), feet_mm(battle.table, other)
        owner = battle.unit_of(other.name)
        for i in range(max(int(near[0]), 1), min(int(near[-1]) + 2, len(poses))):
            if feet >= heights[i] + room_mm(mini.mini) or heights[i] >= feet + room_mm(other.mini):
                continue
            if _overlaps(ring, poses[i - 1], poses[i], theirs):
                stop = _met_at(ring, poses, i, theirs)
                way = way_through(battle, unit, owner, ruleset, withdrawing=withdrawing)
                if feet + other.mini.height_mm <= over_mm:
                    way = "pass"
                rule = _fixed_by(unit, owner) if way == "block" else ""
                out.append(Met(other.name, owner.name if owner else "", way, stop, rule))
                break
    return tuple(out)


def _overlaps(ring: Floats, before: Floats, row: Floats, theirs: Floats) -> bool:
    """Whether a ring that is carried from one pose to another comes over another ring, deeper than touching.

    One that is lifted round is there only when it is set down.
    """
    mine = placed(ring, *row[:3])
    if abs(row[2] - before[2]) <= LIFTED_DEG + LINE_MM:
        mine = hull(np.concatenate([placed(ring, *before[:3]), mine]))
    return parted_mm(mine, theirs) < -TOUCH_MM


def _met_at(ring: Floats, poses: Floats, number: int, theirs: Floats) -> Stop:
    """How far a ring is carried before it comes over another, in the stride that ends at a pose."""
    return _stop(poses, number, lambda row: not _overlaps(ring, poses[number - 1], row, theirs))


def left_at(table: Table, base: Base, poses: Floats) -> Stop:
    """How far a base comes before it is over the battlefield's edge; as far as it goes where it never is (MV11)."""

    def inside(row: Floats) -> bool:
        return outside_mm(table, base, row[None]) <= OFF_MM

    number = next((k for k, row in enumerate(poses) if not inside(row)), None)
    return Stop(float(poses[-1, 3])) if number is None else _stop(poses, number, inside)


def stop_at(ground: Ground, base: Base, poses: Floats, walk: Walk, track: Track, pieces: int) -> Stop:
    """How far along its way a base comes before terrain stops it."""
    return stop_before(ground, base, poses, walk, track, pieces, track.stopped, lambda tried, _: tried.stopped < 0)


def stop_before(
    ground: Ground, base: Base, poses: Floats, walk: Walk, track: Track, pieces: int, number: int,
    free: Callable[[Track, Floats], bool],
) -> Stop:  # fmt: skip
    """How far along its way a base comes in the stride that ends at a pose, as long as a shorter one is `free`."""
    start, ring, feet = poses[max(number - 1, 0)], filled(base.outline), float(track.heights[max(number - 1, 0)])

    def shorter(row: Floats) -> bool:
        stride = np.vstack([start, row])
        return free(along(ground, ring, stride[:, :3], walk, feet, pieces), stride)

    return _stop(poses, number, shorter)


def _stop(poses: Floats, number: int, free: Callable[[Floats], bool]) -> Stop:
    """How far a base comes in the stride that ends at a pose, to `STOP_MM` or `STOP_DEG`: to where a row is `free`.

    A base that is lifted round at the hinge is there before it or after it, and nowhere in between.
    """
    if number <= 0:
        return Stop(0.0, 0.0)
    start, end = poses[number - 1], poses[number]
    gone, turned = abs(end[3] - start[3]), abs(end[2] - start[2])
    strides = max(gone / STOP_MM, turned / STOP_DEG)
    low, high = 0.0, 1.0
    while turned <= LIFTED_DEG + LINE_MM and (high - low) * strides > 1.0:
        middle = (low + high) / 2
        low, high = (middle, high) if free(start + middle * (end - start)) else (low, middle)
    row = start + low * (end - start)
    return Stop(float(row[3]), number - 1 + low, _turned_deg(poses, number, float(row[2])))


def _turned_deg(poses: Floats, number: int, turn: float) -> float:
    """How far a base has turned on the spot in the turn that a pose is part of; 0 where it goes straight."""
    if poses[number, 2] == poses[number - 1, 2]:
        return 0.0
    first = number
    while first > 0 and poses[first, 3] == poses[first - 1, 3] and poses[first, 2] != poses[first - 1, 2]:
        first -= 1
    return turn - float(poses[first, 2])
