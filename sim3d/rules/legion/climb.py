"""Climbing and clambering: contact with the terrain, the nearest edge above or below, the room there (CL01 to CL03).

A wall is climbed that the base's rim touches: up along a steep face beside it, down over an edge beyond which nothing
carries it any more. Each such place leads to one edge, and the player chooses among them; else it is the nearest.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.ground import Ground, ground_of
from sim3d.ground.covered import CORE
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import faces_near
from sim3d.ground.way import LOW_MM, TOUCH_MM, height_under, heights_under
from sim3d.plane import filled, foot_on, gaps_mm, hull
from sim3d.rules.legion.actions import VERTICAL
from sim3d.rules.legion.around import Around, Point, around, kept, nearest
from sim3d.rules.legion.battle import beside, feet_mm, ring_of
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.terrain import room_mm, step_mm
from sim3d.rules.legion.tool import reach_mm
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats, Ints
from sim3d.stand import Stand
from sim3d.table import Placed, Table

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made

SEEN_MM = 60.0  # how far around its base the leader looks for a wall and for the edge above it
INWARD_MM = 0.5  # step of the search for room, from the base's whole width on the edge to its middle
PROBE_MM = 2 * TOUCH_MM  # just beyond an edge, or just inside it
FINELY_MM = 0.1  # the same for how wide that ground is
ALONG_MM = 0.5  # step of the search for ground that goes on, beyond an edge
APART_MM = 2.0  # places of contact nearer to each other than this are one
MIDDLE = 0.02  # of a base's width: its middle alone
WITHIN = 0.98  # of a base's width, for what hangs over it: a wall that its rim touches does not
HALVED = 16  # times that the last step to an edge's end is halved
TRIED = 24  # edges at which room is looked for, the nearest first
TENTHS = 1  # decimals of a way's length in mm: what differs by less is as near
ALIKE = 6  # decimals of a place or an angle: what differs by less is rounding


@dataclass(frozen=True, slots=True)
class Climb:
    """A climb as it would be made: how far the wall is, where it is touched, the edge, the end and its answer there."""

    gap_mm: float  # from the base to the wall; infinite where there is none
    piece: str
    edge: Point | None  # the nearest point to stand on, above; where the wall's foot is, below
    rise_mm: float  # up is positive
    at: Point
    level: float | None
    off_edge_mm: float  # how far the end's base is from the edge's nearest point
    stand: Stand | None
    contact: Point | None = None  # where the base touches the wall, or is nearest to it


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a base touches what may be climbed, and which way that is from its middle."""

    gap_mm: float
    at: Point
    away: float  # radians
    piece: str

    def beyond(self, mm: float) -> Point:
        """The point so far beyond it; negative: before it."""
        return self.at[0] + mm * math.cos(self.away), self.at[1] + mm * math.sin(self.away)

    def points(self, *mm: float) -> Floats:
        """Several such points (n, 2)."""
        return np.array([self.beyond(m) for m in mm]).reshape(-1, 2)

    def strip(self, low: float, high: float) -> Floats:
        """A narrow ring from one such point to another."""
        aside = PROBE_MM * np.array([-math.sin(self.away), math.cos(self.away)])
        ends = self.points(low, high)
        return hull(np.vstack([ends - aside, ends + aside]))


@dataclass(frozen=True)
class Climber:
    """A leader who climbs: where it is, how it steps, the terrain around it. One for all walls that it touches."""

    table: Table
    leader: Placed
    move: Move
    feet: float
    step: float
    ruleset: Ruleset
    standing: Standing

    @cached_property
    def ground(self) -> Ground:
        """All terrain."""
        return ground_of(self.table)

    @cached_property
    def near(self) -> Around:
        """The terrain that a climb could come to: an edge in sight, and the base beyond it."""
        reach = self.leader.mini.base.outline.reach_mm()
        return around(self.ground, self.leader.at, SEEN_MM + 2 * 2 * reach, self.ruleset.numbers.slope_deg)

    @cached_property
    def tall(self) -> float:
        """How much room it needs over its feet."""
        return max(room_mm(self.leader.mini), 2 * LOW_MM)

    @cached_property
    def head(self) -> float:
        """What rises higher over its feet than this is in its way: lower than its step it is stepped over."""
        return max(self.step, self.tall)

    @cached_property
    def slack(self) -> float:
        """How much lower or higher its rim may be on walkable ground than what it stands on."""
        slope = math.radians(self.ruleset.numbers.slope_deg)
        return self.leader.mini.base.outline.reach_mm() * (1 + CORE) * math.tan(slope)

    @cached_property
    def limit(self) -> float:
        """How far a climb goes."""
        return self.ruleset.numbers.climb_heights * self.ruleset.numbers.height_1_mm

    def whole(self, away: float) -> float:
        """From its middle to its rim, in a direction (radians)."""
        return reach_mm(self.leader.mini.base.outline, math.degrees(away) - self.leader.turn)

    def ring(self, at: Point, share: float = 1.0) -> Floats:
        """Its base at a place, or the middle part of it."""
        x, y = at
        placed: Floats = np.array(at) + share * (ring_of(replace(self.leader, at=(x, y))) - np.array(at))
        return placed

    def passes(self, to: Point, z: float) -> bool:
        """Whether its middle part gets to over a place at a height, lifted by a step at most, its model upright."""
        x, y = self.leader.at
        if math.dist((x, y), to) < TOUCH_MM:
            return True
        u = (np.array(to) - (x, y)) / math.dist((x, y), to)
        ahead = CORE * self.whole(math.atan2(u[1], u[0])) * u
        aside = CORE * self.whole(math.atan2(u[0], -u[1])) * np.array([-u[1], u[0]])
        begin, end = np.array([x, y]) - ahead, np.array(to) + ahead
        lane = np.array([begin - aside, end - aside, end + aside, begin + aside])
        top = z
        for low, high in self.near.spans(lane, z + LOW_MM, z + self.step + self.tall):
            if low >= top + self.tall - LOW_MM:
                break
            top = max(top, high)
        return top <= z + self.step + LEVEL_MM


def climb_of(
    table: Table, leader: Placed, unit: Unit, move: Move, feet: float, ruleset: Ruleset, standing: Standing
) -> Climb:
    """Where a climb takes a leader: of all walls that it touches onto the nearest edge, or where the player says."""
    it = Climber(table, leader, move, feet, step_mm(unit, leader.mini, ruleset), ruleset, standing)
    touched = _above(it) if move.up else _below(it)
    if not touched:
        return Climb(math.inf, "", None, 0.0, leader.at, leader.level, math.inf, None)
    ways = [w for w in (_up(it, c) if move.up else _down(it, c) for c in touched) if w is not None]
    if not ways:
        first = touched[0]
        return Climb(first.gap_mm, first.piece, None, 0.0, leader.at, leader.level, math.inf, None, first.at)
    ways.sort(key=lambda w: (round(w.mm, TENTHS), *_ahead(it, w.contact)))
    if move.to is not None:
        ways.sort(key=lambda w: w.off(it, move.to or leader.at))
        return _ended(it, ways[0])
    best: Climb | None = None
    for way in ways[:TRIED]:
        climb = _ended(it, way)
        whole = stands(climb) and climb.off_edge_mm <= ruleset.numbers.edge_mm
        if whole and abs(climb.rise_mm) <= it.limit + LEVEL_MM:
            return climb
        best = best or climb
    assert best is not None
    return best


def stands(climb: Climb) -> bool:
    """Whether there is room where a climb ends."""
    return climb.edge is not None and climb.stand is not None and climb.stand.answer == "stable"


# --- what is touched --------------------------------------------------------------------------------------------------


def _above(it: Climber) -> list[Contact]:
    """Where the rim touches steep faces that rise from about its feet; what lies under the base is not climbed."""
    return _near_first(it, it.feet + LEVEL_MM, it.feet + it.tall, _beside)


def _below(it: Climber) -> list[Contact]:
    """Where the ground that carries the base ends, within its rim or at it, and nothing carries it from there on."""
    return _near_first(it, it.feet - it.tall, it.feet - LEVEL_MM, _drops)


def _near_first(it: Climber, low: float, high: float, fits: Callable[[Climber, Contact], bool]) -> list[Contact]:
    """The nearest places of contact with steep faces between two heights that fit, looked for nearby first."""
    reach = it.leader.mini.base.outline.reach_mm()
    for far in (APART_MM, SEEN_MM):
        segments, owners = faces_near(it.ground, *it.leader.at, reach + far, low, high, it.ruleset.numbers.slope_deg)
        gaps = gaps_mm(ring_of(it.leader), segments)
        order = np.argsort(gaps, kind="stable")
        order = order[gaps[order] <= far]  # faces are found by a box around the base
        found = _fitting(it, _contacts(it, segments[order], owners[order], gaps[order]), fits)
        if found and found[0].gap_mm + TOUCH_MM <= far:
            return _distinct(it, found)
    return _distinct(it, found)


def _fitting(it: Climber, contacts: Iterable[Contact], fits: Callable[[Climber, Contact], bool]) -> list[Contact]:
    """Of places in the order of their gaps the first that fits, and all that are as near; each place is asked once."""
    found: list[Contact] = []
    asked: dict[tuple[int, ...], bool] = {}
    for one in contacts:
        if found and one.gap_mm > found[0].gap_mm + TOUCH_MM:
            break
        key = tuple(round(v / PROBE_MM) for v in (*one.at, one.away))
        if key not in asked:
            asked[key] = fits(it, one)
        if asked[key]:
            found.append(one)
    return found


def _beside(it: Climber, one: Contact) -> bool:
    """Whether a face is at the rim, no deeper under the base than an eye sees."""
    rim = it.whole(one.away) - math.dist(one.at, it.leader.at)
    return one.gap_mm > 0 or rim <= it.ruleset.numbers.edge_mm


def _contacts(it: Climber, segments: Floats, owners: Ints, gaps: Floats) -> Iterator[Contact]:
    """The point of each segment that is nearest to the leader's middle, as a place of contact."""
    feet = foot_on(it.leader.at, segments)
    for (a, b), gap, (x, y), owner in zip(segments, gaps.tolist(), feet.tolist(), owners, strict=True):
        dx, dy = x - it.leader.at[0], y - it.leader.at[1]
        aways = [math.atan2(dy, dx)]
        if math.hypot(dx, dy) < TOUCH_MM:  # it stands with its middle on the edge: to either side
            across = math.atan2(b[0] - a[0], a[1] - b[1])
            aways = [across, across + math.pi]
        for away in aways:
            yield Contact(gap, (x, y), away, it.table.pieces[int(owner)].name)


def _distinct(it: Climber, found: list[Contact]) -> list[Contact]:
    """One place of contact for several that are next to each other, those nearest to the leader's middle first."""
    out: list[Contact] = []
    for one in sorted(found, key=lambda c: _ahead(it, c)):
        if all(math.dist(one.beyond(APART_MM), o.beyond(APART_MM)) > APART_MM for o in out):
            out.append(one)
    return out


def _ahead(it: Climber, one: Contact) -> tuple[float, float, float]:
    """The order of places of contact: by how far they are from the leader's middle, then by how far they are aside of
    where it faces, the left one first. It turns with the table.
    """
    aside = math.remainder(one.away - math.radians(it.leader.turn), math.tau)
    return round(math.dist(one.at, it.leader.at), ALIKE), round(abs(aside), ALIKE), -aside


def _drops(it: Climber, one: Contact) -> bool:
    """Whether nothing carries the base from a face to its rim, and the face begins about where its feet are."""
    rim = it.whole(one.away) - math.dist(one.at, it.leader.at)
    beyond = one.points(*np.arange(PROBE_MM, max(rim, 0.0) + 2 * PROBE_MM, ALONG_MM))
    if any(it.near.carried(beyond, it.feet - LOW_MM, it.feet + it.tall)):
        return False
    return it.near.through(one.strip(-PROBE_MM, PROBE_MM), it.feet - it.slack, it.feet + LOW_MM)


# --- the edge that each leads to --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """From a place of contact to the edge that is nearest to it, and how long that is: up or down, and across."""

    contact: Contact
    mm: float
    edge: Point
    height: float  # of the edge
    flush: bool = True  # whether the ground there carries a base that is put flush on the edge

    def off(self, it: Climber, at: Point) -> float:
        """How far a base at a place would be from the edge."""
        return float(gaps_mm(it.ring(at), np.array([[self.edge, self.edge]]))[0])


def _up(it: Climber, one: Contact) -> Way | None:
    """The nearest edge over a place of contact that carries the base where it is put flush there.

    Where none does within a climb's limit, or the player's place is not on it, the nearest that is too narrow for that,
    but on which it stands.
    """
    narrow: list[Way] = []
    broad: Way | None = None
    for way in _edges(it, one):
        if way.flush:
            broad = way
            break
        narrow.append(way)
    within = broad is not None and broad.height - it.feet <= it.limit + LEVEL_MM
    if broad is not None and within and (it.move.to is None or stands(_ended(it, broad))):
        return broad
    for way in narrow[:TRIED]:
        if way.height - it.feet <= it.limit + LEVEL_MM and stands(_ended(it, way)):
            return way
    return broad


def _edges(it: Climber, one: Contact) -> Iterator[Way]:
    """The edges over a place of contact, the nearest first: straight up and then in, no farther aside than in.

    The shortest way counts, and one within a climb's limit before any that is not. Terrain over the middle of the base
    ends it (what hangs over less of the base is climbed around), and so does what is between there and the edge.
    """
    near = it.near
    roof = near.lowest(it.ring(it.leader.at, MIDDLE), it.feet + it.step)
    cut = math.inf if it.move.level is None else it.move.level
    x, y = one.at
    mine = near.walked & (near.heights[:, 1] > it.feet + LOW_MM) & (near.heights[:, 0] < min(cut, roof))
    mine &= (near.boxes[:, 0] <= x + SEEN_MM) & (near.boxes[:, 2] >= x - SEEN_MM)
    mine &= (near.boxes[:, 1] <= y + SEEN_MM) & (near.boxes[:, 3] >= y - SEEN_MM)
    cone = _cone(one)
    planes = [(0.0, 0.0, 1.0, it.feet + LOW_MM), (0.0, 0.0, -1.0, -cut), *cone]
    numbers = np.flatnonzero(mine)
    for nx, ny, _, d in cone:  # what lies beyond one of the planes with every corner has no part within
        seen_from = near.tris[numbers][:, :, 0] * nx + near.tris[numbers][:, :, 1] * ny - d
        numbers = numbers[seen_from.max(axis=1, initial=-math.inf) >= -TOUCH_MM]
    boxes = near.boxes[numbers]
    ways = np.hypot(
        np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0),
        np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0),
    )
    rises = np.maximum(near.heights[numbers, 0] - it.feet, LOW_MM)
    queue: list[tuple[bool, float, float, int, Floats | None]] = [
        (rise > it.limit + LEVEL_MM, rise + away, away, number, None)
        for number, rise, away in zip(numbers.tolist(), rises.tolist(), ways.tolist(), strict=True)
        if away <= SEEN_MM + TOUCH_MM
    ]
    heapq.heapify(queue)
    seen: set[tuple[float, ...]] = set()
    while queue:
        _, mm, _, number, place = heapq.heappop(queue)
        if place is None:
            part = kept(near.tris[number], planes)
            if not len(part):
                continue
            away, place = nearest(part, one.at)
            rise = float(place[2]) - it.feet
            if away <= SEEN_MM:
                heapq.heappush(queue, (rise > it.limit + LEVEL_MM, rise + away, away, number, place))
            continue
        key = tuple(round(float(v) / ALONG_MM) for v in place)
        if key not in seen and place[2] + it.tall <= roof + LEVEL_MM:
            edge, z = _rim(it, one, place), float(place[2])
            flush = _open(it, one, edge, z)
            if flush is not None:
                yield Way(one, mm, edge, z, flush)
        seen.add(key)


def _cone(one: Contact) -> list[tuple[float, float, float, float]]:
    """The planes that keep what is no farther aside of a place of contact than beyond it."""
    out = []
    for sign in (1.0, -1.0):
        a = one.away + sign * math.pi / (2 * 2)
        n = (math.cos(a), math.sin(a))
        out.append((*n, 0.0, n[0] * one.at[0] + n[1] * one.at[1] - TOUCH_MM))
    return out


def _rim(it: Climber, one: Contact, place: Floats) -> Point:
    """Where ground over a place of contact ends towards the leader: an eave's edge, if it goes out over the wall."""
    edge, z = (float(place[0]), float(place[1])), float(place[2])
    if math.dist(edge, one.at) > TOUCH_MM:
        return edge

    def carried(out: float) -> bool:
        return it.near.carried(one.points(-out), z - LOW_MM, z + LOW_MM)[0]

    most = math.dist(one.at, it.leader.at)
    inside, outside = 0.0, PROBE_MM
    while outside < most and carried(outside):
        inside, outside = outside, outside + ALONG_MM
    if inside == 0.0:
        return edge
    for _ in range(HALVED):
        half = (inside + outside) / 2
        inside, outside = (half, outside) if carried(half) else (inside, half)
    return one.beyond(-inside)


def _open(it: Climber, one: Contact, edge: Point, z: float) -> bool | None:
    """Whether an edge carries the leader flush on it, or only farther out over it; None where it gets onto nothing.

    It is no edge where terrain goes on around it, nor where something is in between.
    """
    there = replace(one, at=edge)
    if math.dist(edge, one.at) > TOUCH_MM:
        back = replace(one, at=edge, away=math.atan2(one.at[1] - edge[1], one.at[0] - edge[0]))
        if it.near.carried(back.points(PROBE_MM), z - LOW_MM, z + LOW_MM)[0]:
            return None
    if it.near.carried(there.points(PROBE_MM), z + LOW_MM, z + it.tall)[0]:
        return None
    places = [*_inward(it, there), it.move.to] if it.move.to is not None else list(_inward(it, there))
    poses = np.array([(*at, it.leader.turn) for at in places])
    cuts = np.full(len(poses), z + it.slack + LEVEL_MM)
    ring, least = filled(it.leader.mini.base.outline), z - CORE * it.slack - LOW_MM
    flush = bool(heights_under(it.ground, ring, poses[:1], cuts[:1])[0] >= least)
    if not flush and not (heights_under(it.ground, ring, poses[1:], cuts[1:]) >= least).any():
        return None
    return flush if it.passes(edge, z) and _joined(it, one, edge, z) else None


def _inward(it: Climber, edge: Contact) -> Iterator[Point]:
    """Places of a base on an edge: flush there, then farther and farther out over it, to its middle on the edge."""
    whole = it.whole(edge.away)
    return (edge.beyond(whole - k * INWARD_MM) for k in range(int(whole / INWARD_MM) + 1))


def _midst(it: Climber, edge: Contact, z: float) -> Point:
    """The middle of the ground that begins at an edge and goes in from there, as far as a base reaches."""
    marks = np.arange(PROBE_MM, 2 * it.whole(edge.away), FINELY_MM)
    over = it.near.carried(edge.points(*marks), z - LOW_MM, z + LOW_MM)
    return edge.beyond(float(marks[over.index(False) if False in over else -1]) / 2)


def _joined(it: Climber, one: Contact, edge: Point, z: float) -> bool:
    """Whether terrain goes on from a place of contact to an edge farther in, nowhere flatter than what is climbed."""
    far = math.dist(one.at, edge)
    line = replace(one, away=math.atan2(edge[1] - one.at[1], edge[0] - one.at[0]))
    slope = math.tan(math.radians(it.ruleset.numbers.slope_deg))
    for mm in np.arange(ALONG_MM, far - ALONG_MM, ALONG_MM).tolist():
        least = min(it.feet + slope * mm, z) - LOW_MM
        if not it.near.through(line.strip(mm, mm + ALONG_MM), least, z + it.head):
            return False
    return True


def _down(it: Climber, one: Contact) -> Way | None:
    """The foot below a place of contact, with how deep it is; none where the base would go down nowhere."""
    for at in _outward(it, one):
        landing = _landing(it, at)
        if landing < it.feet - LOW_MM and _clear(it, at, landing):
            edge = _foot(it, one, landing)
            return Way(one, it.feet - landing + math.dist(it.leader.at, edge), edge, landing)
    return None


def _outward(it: Climber, one: Contact) -> Iterator[Point]:
    """Places beyond a contact, the base flush outside of it first."""
    whole = it.whole(one.away)
    for k in range(int(whole / INWARD_MM) + 1):
        yield one.beyond(whole + k * INWARD_MM)


def _landing(it: Climber, at: Point) -> float:
    """The ground under a place, below the leader's feet and the player's cut."""
    cut = it.feet - LOW_MM if it.move.level is None else min(it.move.level, it.feet - LOW_MM)
    return height_under(it.ground, filled(it.leader.mini.base.outline), (*at, it.leader.turn), level=cut)


def _clear(it: Climber, at: Point, landing: float) -> bool:
    """Whether nothing is in the way from where the leader is to over a place, and from there down."""
    column = it.ring(at, MIDDLE)
    return not it.near.through(column, landing + it.head, it.feet + it.head) and it.passes(at, it.feet)


def _foot(it: Climber, one: Contact, landing: float) -> Point:
    """Where the terrain beyond an edge ends that is higher than where the base is set down: a wall's foot."""
    far = 0.0
    while far < SEEN_MM:
        ahead = one.strip(far + ALONG_MM, far + 2 * ALONG_MM)
        if not it.near.through(ahead, landing + LOW_MM, it.feet - LEVEL_MM):
            break
        far += ALONG_MM
    return one.beyond(far)


# --- where it ends ----------------------------------------------------------------------------------------------------


def _ended(it: Climber, way: Way) -> Climb:
    """A climb onto an edge: as told, or with the base flush there, or as little over it as lets it stand."""
    up = it.move.up
    if it.move.to is not None:
        ends: Iterable[Point] = (it.move.to,)
    elif up:
        inside = replace(way.contact, at=way.edge)
        ends = _inward(it, inside)
        if not way.flush:  # it may be narrower than a step of that search
            ends = chain(ends, [_midst(it, inside, way.height)])
    else:
        ends = _outward(it, way.contact)
    first: Climb | None = None
    for at in ends:
        climb = _set(it, way, at)
        if stands(climb):
            return climb
        first = first or climb
        if not up and climb.off_edge_mm > it.ruleset.numbers.edge_mm:  # from there on it is only farther away
            break
    assert first is not None
    return first


def _set(it: Climber, way: Way, at: Point) -> Climb:
    """A climb that ends at a place."""
    up, one = it.move.up, way.contact
    landing = way.height if up else _landing(it, at)
    level = it.move.level
    if level is None and it.near.through(it.ring(at, WITHIN), landing + it.tall, math.inf):
        level = landing + it.tall
    there = beside(it.table, replace(it.leader, at=at, level=level))
    answer: Stand | None = it.standing(replace(it.table, minis=()), [there])[0]
    posed = answer is not None and answer.pose is not None
    height = answer.pose.place[2] if answer is not None and answer.pose is not None else feet_mm(it.table, there)
    rise = height - it.feet
    edge = way.edge if up else _foot(it, one, landing)
    there_too = abs(height - way.height) <= it.slack if up else _clear(it, at, landing)
    if posed and ((rise if up else -rise) <= LOW_MM or not there_too):
        answer = None
    off = float(gaps_mm(ring_of(there), np.array([[edge, edge]]))[0])
    return Climb(one.gap_mm, one.piece, edge, rise, at, level, off, answer, one.at)


def may_climb(unit: Unit) -> bool:
    """Troopers but creatures and emplacements, and vehicles with the keyword; nobody who is grounded (CL03)."""
    return not unit.has("grounded") and (unit.type == "trooper" or unit.has("climbing vehicle"))


@check("CLIMB_NOT_FOR_UNIT", Severity.ERROR, "{unit} ({what}) cannot {kind}")
def climb_not_for_unit(made: Made) -> Iterable[Hit]:
    """A unit climbs that cannot (CL03).

    Why: only troopers other than creatures and emplacements climb, and vehicles with the keyword. Example: a walker.
    Do: go around, or give the unit the keyword it has.
    """
    if made.move.kind in VERTICAL and not may_climb(made.unit):
        unit = made.unit
        what = f"{unit.type}, grounded" if unit.has("grounded") else unit.type
        yield Hit(rules="CL03", unit=unit.name, what=what, kind=made.move.kind)


def climbs(made: Made) -> bool:
    """Whether there is a climb at all: from a wall in contact, no higher than a climb goes (CL01)."""
    if made.climb is None:
        return True
    return math.isfinite(made.climb.rise_mm) and not (climb_no_contact(made) or climb_too_high(made))


@check("CLIMB_NO_CONTACT", Severity.ERROR, "{leader} {where}; a climb begins in contact")
def climb_no_contact(made: Made) -> Iterable[Hit]:
    """A climb begins away from the terrain (CL01).

    Why: the leader's base touches what it climbs. Example: a base 0.1 mm from the wall. Do: move into contact first.
    """
    if made.climb is None or made.climb.gap_mm < made.ruleset.numbers.contact_mm:
        return
    leader, what = made.leader.name, "wall to climb" if made.move.up else "edge to climb down from"
    if math.isinf(made.climb.gap_mm):
        yield Hit(rules="CL01", leader=leader, where=f"has no {what} within {SEEN_MM:.0f} mm of its base")
    else:
        gap, _ = told_apart(made.climb.gap_mm, 0.0)
        yield Hit(rules="CL01", leader=leader, where=f"is {gap} mm from the {what}", gap_mm=made.climb.gap_mm)


@check("CLIMB_TOO_HIGH", Severity.ERROR, "it is {rise} mm, a climb goes at most {limit}")
def climb_too_high(made: Made) -> Iterable[Hit]:
    """A climb goes higher or lower than height 1 (CL01).

    Why: that is as far as a climb goes at once. Example: a tower of 152.5 mm. Do: climb by a ledge on the way.
    """
    n = made.ruleset.numbers
    limit = n.climb_heights * n.height_1_mm
    if made.climb is not None and limit + LEVEL_MM < abs(made.climb.rise_mm) < math.inf:  # to nowhere: no room there
        rise, most = told_apart(abs(made.climb.rise_mm), limit)
        yield Hit(rules="CL01", rise=rise, limit=most, rise_mm=abs(made.climb.rise_mm), limit_mm=limit)


@check(
    "CLIMB_OFF_EDGE",
    Severity.ERROR,
    "it ends {off} mm from the edge nearest to where it climbed; up to {limit} is on it",
)
def climb_off_edge(made: Made) -> Iterable[Hit]:
    """A climb ends away from the edge nearest to its point of contact (CL01, CO13).

    Why: a climb goes up or down where the wall was touched. Example: 1.1 mm behind the edge. Do: end on the edge.
    """
    if made.climb is not None and made.climb.edge is not None:
        off = made.climb.off_edge_mm
        if off > made.ruleset.numbers.edge_mm:
            told, limit = told_apart(off, made.ruleset.numbers.edge_mm)
            yield Hit(rules="CL01 CO13", off=told, limit=limit, off_mm=off)


@check("CLIMB_NO_ROOM", Severity.ERROR, "there is no room to stand {where}")
def climb_no_room(made: Made) -> Iterable[Hit]:
    """Where a climb ends nobody can stand (CL03).

    Why: a climb ends at rest. Example: a wall too thin for the base. Do: climb where there is a floor.
    """
    climb = made.climb
    if climb is not None and (climb.edge is None or climb.stand is None or climb.stand.answer != "stable"):
        yield Hit(rules="CL03", where="above" if made.move.up else "below")
