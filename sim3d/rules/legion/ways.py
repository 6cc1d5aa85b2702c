"""The speed-1 way between two places, by hand along the tool: straight, or bent around what is in between.

A bent way is told by where its hinge lies. Hinges are tried every few degrees; between two neighbours that fail for
different reasons (the first leg here, the second there) the gap is halved until it is a tenth of a degree wide: where
one leg comes free before the other is shut, that opening is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.way import TOUCH_MM, Walk, along
from sim3d.plane import filled, parted_mm, swept
from sim3d.rules.legion.bare import bare
from sim3d.rules.legion.battle import Battle, feet_mm, feet_of, reach_of, ring_of
from sim3d.rules.legion.levels import SAME_MM
from sim3d.rules.legion.passage import names_met, outside_mm, way_through, within_mm
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.terrain import footing, room_mm
from sim3d.rules.legion.tool import STRIDE_MM, from_end_mm, notches_of
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.table import Placed, Table

HINGE_DEG = 3.0  # between two hinges tried first: 2.7 mm on a tool of speed 1
FINEST_DEG = 0.1
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Blocker:
    """A mini that may not be passed through: what its base covers, from where to where it reaches up."""

    name: str
    ring: Floats
    middle: Point
    reach_mm: float
    low_mm: float
    high_mm: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One half of a way: what stops it, and how high it ends."""

    stopped_by: tuple[str, ...]
    z: float


@dataclass(slots=True)
class Half:
    """The first half of bent ways in one direction: where their hinge is, how far one kind of mini gets from there."""

    hinge: Point
    second_mm: float
    leg: Leg | None = None  # walked when first asked about


@dataclass(frozen=True, slots=True)
class Ways:
    """Everything that ways from one leader share: where it is, who may be in the way, what is carried over what."""

    battle: Battle
    unit: Unit
    ruleset: Ruleset
    leader: Placed
    feet: float
    walk: Walk
    blockers: tuple[Blocker, ...]
    free_drop: bool = False  # comes down however deep
    carriers: tuple[str, ...] = ()  # the pieces that the leader stands on: its own level is always allowed (CO15)
    halves: dict[tuple[object, ...], dict[float, Half]] = field(default_factory=dict, compare=False, repr=False)  # kept
    straight: dict[tuple[object, ...], Leg] = field(default_factory=dict, compare=False, repr=False)  # whole ways, kept


@dataclass(frozen=True, slots=True)
class Way:
    """Whether there is one, over which hinge (None: straight); without one, what is in the way of the straight one."""

    found: bool
    hinge: Point | None = None
    stopped_by: tuple[str, ...] = ()


def blockers_of(battle: Battle, unit: Unit, engaged: tuple[str, ...], ruleset: Ruleset) -> tuple[Blocker, ...]:
    """The minis that a unit's minis may not pass through on a way that is only measured.

    Its own are pushed aside (CO05), the enemy troopers that it is engaged with are passed through (CO09).
    """
    found = []
    for other in battle.table.minis:
        if other.name in unit.minis:
            continue
        owner = battle.unit_of(other.name)
        if owner is not None and owner.name in engaged and owner.trooper and unit.trooper:
            continue
        if way_through(battle, unit, owner, ruleset, withdrawing=False) == "block":
            feet = feet_mm(battle.table, other)
            reach = other.mini.base.outline.reach_mm()
            found.append(Blocker(other.name, ring_of(other), other.at, reach, feet, feet + room_mm(other.mini)))
    return tuple(found)


def tool_mm(leader: Placed, mini: Placed, heading: float, other: float, ruleset: Ruleset) -> tuple[float, float]:
    """How far the middle goes to the hinge, and from there at most, on a tool of the slowest speed.

    Notched bases count as turned into their notches (CO10): the tool goes from notch to notch.
    """
    half = ruleset.tool_mm(ruleset.numbers.slowest) / 2
    return half + _end_mm(leader, heading, ruleset), half + _end_mm(mini, other + 180.0, ruleset)


def _end_mm(mini: Placed, heading: float, ruleset: Ruleset) -> float:
    base = mini.mini.base
    return from_end_mm(base, 0.0 if notches_of(base) else heading - mini.turn, ruleset)


def beyond_mm(leader: Placed, mini: Placed, ruleset: Ruleset) -> float:
    """How much farther a mini is from its leader than the tool goes, end to end; negative within it (CO02)."""
    dx, dy = mini.at[0] - leader.at[0], mini.at[1] - leader.at[1]
    aim = math.degrees(math.atan2(dy, dx))
    return math.hypot(dx, dy) - sum(tool_mm(leader, mini, aim, aim, ruleset))


def way_to(ways: Ways, mini: Placed, feet: float, *, bent: bool = True) -> Way:
    """The way from the leader to where a mini stands, this high, legal as a move of the slowest speed (CO08).

    Into a gap that the mini stands over, a way may have sunk by a step.
    """
    (under,) = feet_of(ways.battle.table, [mini])
    ends = (feet, under) if feet - under <= ways.walk.step_mm else (feet,)
    start, goal = ways.leader.at, mini.at
    aim = math.degrees(math.atan2(goal[1] - start[1], goal[0] - start[0]))
    key = (mini.mini.base, mini.turn, goal)
    straight = ways.straight.get(key)
    if straight is None:
        straight = ways.straight[key] = _leg(ways, mini, start, goal, ways.feet)
    if not straight.stopped_by and _is_one_of(straight.z, ends):
        return Way(True)
    reasons = straight.stopped_by or ("another level",)
    for hinge in _hinges(ways, mini, ends, aim) if bent else ():
        return Way(True, hinge)
    return Way(False, None, reasons)


def _is_one_of(z: float, ends: tuple[float, ...]) -> bool:
    """Whether a height is one of these."""
    return any(abs(z - end) <= SAME_MM for end in ends)


def _hinges(ways: Ways, mini: Placed, ends: tuple[float, ...], aim: float) -> Iterator[Point]:
    """Hinges over which a way is free, found from coarse to fine."""
    halves = ways.halves.setdefault((mini.mini.base, mini.turn), {})
    edge, touch = ways.ruleset.numbers.bend_deg, ways.ruleset.numbers.contact_mm

    def tried(heading: float) -> tuple[Point | None, tuple[object, ...]]:
        half = halves.get(heading)
        if half is None:
            half = halves[heading] = _half(ways, mini, heading)
        hinge = half.hinge
        rest = math.dist(hinge, mini.at)
        bend = math.degrees(math.atan2(mini.at[1] - hinge[1], mini.at[0] - hinge[0])) - heading
        bend = abs((bend + 180.0) % 360.0 - 180.0)
        if rest > half.second_mm + touch or bend > edge + 1e-9:
            return None, ("beyond",)
        if half.leg is None:
            half.leg = _leg(ways, mini, ways.leader.at, hinge, ways.feet)
        one = half.leg
        if one.stopped_by:
            return None, (1, one.stopped_by)
        two = _leg(ways, mini, hinge, mini.at, one.z)
        if not two.stopped_by and _is_one_of(two.z, ends):
            return hinge, ()
        return None, (2, two.stopped_by)

    queue: list[tuple[float, float, tuple[object, ...], tuple[object, ...]]] = []
    steps = int(edge / HINGE_DEG) + 1
    for side in (1.0, -1.0):
        before: tuple[object, ...] | None = None
        first = round(aim / HINGE_DEG) * HINGE_DEG  # the same headings for all places: first legs are walked once
        for k in range(steps):
            here = first + side * k * HINGE_DEG
            hinge, why = tried(here)
            if hinge is not None:
                yield hinge
            if before is not None and before != why:
                queue.append((here - side * HINGE_DEG, here, before, why))
            before = why
            if why == ("beyond",):
                break
    while queue:
        low, high, below, above = queue.pop(0)
        if abs(high - low) <= FINEST_DEG:
            continue
        middle = (low + high) / 2
        hinge, why = tried(middle)
        if hinge is not None:
            yield hinge
        queue += [(a, b, u, v) for a, b, u, v in ((low, middle, below, why), (middle, high, why, above)) if u != v]


def _half(ways: Ways, mini: Placed, heading: float) -> Half:
    """The first half of a way that begins with a heading (degrees), nobody on it yet."""
    first, second = tool_mm(ways.leader, mini, heading, heading, ways.ruleset)
    a = math.radians(heading)
    return Half((ways.leader.at[0] + first * math.cos(a), ways.leader.at[1] + first * math.sin(a)), second)


def _leg(ways: Ways, mini: Placed, start: Point, goal: Point, z: float) -> Leg:
    """A straight leg: what stops it, and how high it ends.

    Where the mini's base does not fit in its leader's place, the leader's is carried as long as the two would overlap.
    """
    leader = ways.leader
    leg = _carried(ways, mini, start, goal, z)
    if not leg.stopped_by or start != leader.at or mini.mini.base == leader.mini.base:
        return leg
    length = math.dist(start, goal)
    clear = min(mini.mini.base.outline.reach_mm() + leader.mini.base.outline.reach_mm(), length)
    share = clear / length if length > 0 else 0.0
    parted = (start[0] + share * (goal[0] - start[0]), start[1] + share * (goal[1] - start[1]))
    first = _carried(ways, leader, start, parted, z)
    second = _carried(ways, mini, parted, goal, first.z) if clear < length else first
    return leg if first.stopped_by or second.stopped_by else second


def _carried(ways: Ways, mini: Placed, start: Point, goal: Point, z: float) -> Leg:
    """A straight leg of one base all the way: what stops it, and how high it ends."""
    table, base = ways.battle.table, mini.mini.base
    length = math.dist(start, goal)
    turn = mini.turn
    if notches_of(base) and length > 0:
        turn = math.degrees(math.atan2(goal[1] - start[1], goal[0] - start[0]))
    n = max(1, math.ceil(length / STRIDE_MM))
    share = np.arange(n + 1) / n
    poses = np.column_stack(
        [start[0] + share * (goal[0] - start[0]), start[1] + share * (goal[1] - start[1]), np.full(n + 1, turn)]
    )
    within = _within(table, reach_of(base), start, goal)
    if not within and outside_mm(table, base, poses) > ways.ruleset.numbers.contact_mm:
        return Leg(("the edge of the battlefield",), z)
    ring = filled(base.outline)
    track = along(ground_of(table), ring, poses, ways.walk, z, len(table.pieces))
    end = float(track.heights[-1])
    if track.stopped >= 0:
        return Leg((table.pieces[track.stopper].name,), end)
    if track.dropped >= 0 and not ways.free_drop:
        return Leg(("a drop",), end)
    over = ways.walk.over_mm
    barred = tuple(
        name
        for name in names_met(table, track)
        if footing(table.piece(name), ways.unit).word == "impassable"
        and name not in ways.carriers
        and not (over > -math.inf and within_mm(table, name, [swept(ring, (*start, turn), goal)], over))
    )
    barred = bare(table, base, poses, track, ways.walk, barred) if barred else ()
    if barred:
        return Leg(barred, end)
    reach = reach_of(base)
    whole: Floats | None = None
    for other in ways.blockers:
        if _off_line(other.middle, start, goal) > reach + other.reach_mm:
            continue
        if other.low_mm >= max(z, end) + room_mm(mini.mini) or min(z, end) >= other.high_mm:
            continue
        whole = swept(ring, (*start, turn), goal) if whole is None else whole
        if parted_mm(whole, other.ring) < -TOUCH_MM:
            return Leg((other.name,), end)
    return Leg((), end)


def _within(table: Table, reach_mm: float, *ends: Point) -> bool:
    """Whether what reaches so far from its middle is on the battlefield at both ends, whichever way it is turned."""
    half = (math.inf, math.inf) if table.size_mm is None else table.size_mm
    return all(abs(x) + reach_mm <= half[0] / 2 and abs(y) + reach_mm <= half[1] / 2 for x, y in ends)


def _off_line(point: Point, start: Point, goal: Point) -> float:
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    size = dx * dx + dy * dy
    share = 0.0 if size == 0 else ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / size
    share = min(max(share, 0.0), 1.0)
    return math.dist(point, (start[0] + share * dx, start[1] + share * dy))
