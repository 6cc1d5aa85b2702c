"""Whether minis are in cohesion with their leader, and every reason why not (CO01 to CO16).

On the leader's own level it takes a way: one that is legal as a move of the slowest speed, from the leader's place.
Onto another level nobody goes, unless the leader has just climbed, or its move ignores terrain of that height.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import faces_near
from sim3d.ground.way import LOW_MM, rims_mm
from sim3d.plane import apart_mm, filled, foot_on, gaps_mm
from sim3d.rules.legion.actions import KINDS
from sim3d.rules.legion.bare import bare_at
from sim3d.rules.legion.battle import (
    Battle,
    all_beside,
    cut_for_mates,
    feet_mm,
    near,
    overlap_mm,
    ring_of,
    tokens_under,
    touching,
)
from sim3d.rules.legion.passage import OFF_MM, carried, pieces_at
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.terrain import ignored_mm, room_mm, walk_of
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.unit import Unit
from sim3d.rules.legion.ways import Way, Ways, beyond_mm, blockers_of, way_to
from sim3d.space import Floats
from sim3d.table import Placed

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made

ALONG_MM = 1.0  # step of the search for places along a wall
CORNER = 2  # decimals of a wall's end: what ends nearer to another end than this goes on there,
CORNER_MM = 10.0**-CORNER  # and what a wall goes on by beyond a point
FEW, MANY = 8, 64  # such places that are looked at at a time, at first and at last
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Placing:
    """What the leader has just done, as far as it lets minis onto other levels."""

    climbed: tuple[int, ...] = ()  # 1 up, -1 down; both where nobody knows which
    contact: Point | None = None  # where it touched what it climbed
    start_mm: float | None = None  # how high it stood before
    ignored_mm: float = 0.0  # the height of terrain that its move ignores


@dataclass(frozen=True, slots=True)
class Site:
    """A leader where it ended, and everything that its minis' cohesion is measured against."""

    battle: Battle  # with all minis where they are; the unit's own are not looked at
    unit: Unit
    ruleset: Ruleset
    leader: Placed
    feet: float
    cut: float | None  # what its minis go below, as it did
    placing: Placing
    ways: Ways
    carriers: tuple[str, ...]  # the pieces that the leader stands on
    melee: tuple[str, ...] = ()  # the enemy units that may be touched
    known: dict[tuple[object, ...], Kept] = field(default_factory=dict, compare=False, repr=False)  # of minis alone


@dataclass(frozen=True, slots=True)
class Kept:
    """One mini against its leader: how far beyond the tool, how much higher, how it faces, and what is wrong."""

    mini: Placed
    leader: Placed
    beyond_mm: float  # farther than the tool goes; negative within it
    off_deg: float  # from the leader's facing; 0 for a base without notches
    rise_mm: float
    other_level: bool
    way: Way
    level_rule: str = ""  # the row that forbids its level
    too_high: bool = False  # no legal climb
    wall_mm: float = 0.0  # from the terrain that it has to touch
    nearer_mm: float = 0.0  # how much nearer to the point of contact it could be

    @property
    def gap_mm(self) -> float:
        """From its leader's base to its own: nobody asks but who tells it."""
        return apart_mm(ring_of(self.leader), ring_of(self.mini))

    def whole(self, ruleset: Ruleset) -> bool:
        """Whether it is in cohesion."""
        n = ruleset.numbers
        near = self.beyond_mm <= n.contact_mm and self.off_deg <= n.flush_deg
        if not self.other_level:
            return near and self.way.found
        return near and not self.level_rule and not self.too_high and self.at_wall(ruleset)

    def at_wall(self, ruleset: Ruleset) -> bool:
        """Whether it touches the terrain that was climbed, as near as can be to where that was."""
        return self.wall_mm < ruleset.numbers.contact_mm and self.nearer_mm <= ruleset.numbers.edge_mm


def placing_of(unit: Unit, ruleset: Ruleset, *, jumping: bool = False) -> Placing:
    """What a unit's state lets its minis do: after a climb both levels, over terrain that its keyword ignores."""
    climbed = (1, -1) if unit.state.done[-1:] in (("climb",), ("clamber",)) else ()
    return Placing(climbed, None, None, ignored_mm(unit, ruleset, jumping=jumping))


def site_of(battle: Battle, unit: Unit, ruleset: Ruleset, placing: Placing, melee: tuple[str, ...] = ()) -> Site:
    """A leader's place as its minis see it. `melee`: the enemy units that they may touch (CO04) and pass (CO09)."""
    table, leader = battle.table, battle.leader(unit)
    feet = feet_mm(table, leader)
    walk = replace(walk_of(unit, leader.mini, feet, ruleset), over_mm=-math.inf)
    carriers = pieces_at(table, leader, walk, feet)
    if placing.ignored_mm > 0:
        walk = replace(walk, over_mm=feet + placing.ignored_mm)
    free = placing.ignored_mm > 0 or ruleset.options.deep_drop == "free"
    ways = Ways(battle, unit, ruleset, leader, feet, walk, blockers_of(battle, unit, melee, ruleset), free, carriers)
    cut = cut_for_mates(table, leader)
    return Site(battle, unit, ruleset, leader, feet, cut, placing, ways, carriers, melee)


def kept(
    site: Site, mini: Placed, mates: Sequence[Placed] = (), standing: Standing | None = None, *, bent: bool = True
) -> Kept:
    """One mini of the unit at its place. `mates` and `standing` judge whether it could be nearer after a climb.

    Without `bent` only the straight way is looked at. Places that are judged alone are judged once.
    """
    if mates or standing is not None:
        return _kept(site, mini, mates, standing, bent)
    key = (mini, bent)
    if key not in site.known:
        site.known[key] = _kept(site, mini, mates, standing, bent)
    return site.known[key]


def _kept(site: Site, mini: Placed, mates: Sequence[Placed], standing: Standing | None, bent: bool) -> Kept:
    """The same, worked out."""
    n = site.ruleset.numbers
    feet = feet_mm(site.battle.table, mini)
    rise = feet - site.feet
    notched = bool(notches_of(mini.mini.base))
    off = abs((mini.turn - site.leader.turn + 180.0) % 360.0 - 180.0) if notched else 0.0
    beyond = beyond_mm(site.leader, mini, site.ruleset)
    if beyond > n.contact_mm:  # no way is shorter than the straight one
        return Kept(mini, site.leader, beyond, off, rise, False, Way(False, None, ("the distance",)))
    way = way_to(site.ways, mini, feet, bent=bent)
    step = site.ways.walk.step_mm
    if way.found:
        deep = site.placing.ignored_mm > 0 and abs(rise) > step
        rule = "CO16" if deep and abs(rise) > site.placing.ignored_mm + LEVEL_MM else ""
        return Kept(mini, site.leader, beyond, off, rise, deep, way, rule)
    if abs(rise) <= step + LEVEL_MM:
        return Kept(mini, site.leader, beyond, off, rise, False, way)
    rule = _level_rule(site, rise)
    high = not rule and abs(rise) > n.climb_heights * n.height_1_mm + LEVEL_MM
    wall, nearer = (0.0, 0.0) if rule or high else _at_wall(site, mini, feet, mates, standing)
    return Kept(mini, site.leader, beyond, off, rise, True, way, rule, high, wall, nearer)


def _level_rule(site: Site, rise: float) -> str:
    """The row that forbids another level, this much higher (CO14, CO15, CO16)."""
    climbed = site.placing.climbed
    if not climbed:
        return "CO15 CO16" if site.placing.ignored_mm > 0 else "CO15"
    up = rise > 0
    return "CO14" if (-1 if up else 1) not in climbed else ""


# --- at the terrain's edge --------------------------------------------------------------------------------------------


def walls_of(site: Site, mini: Placed, feet: float) -> Floats:
    """The walls between a mini's level and the leader's (m, 2, 2), of what the upper one stands on, near the mini."""
    table = site.battle.table
    low, high = sorted((feet, site.feet))
    reach = mini.mini.base.outline.reach_mm() + site.ruleset.tool_mm(site.ruleset.numbers.slowest)
    ends, owners = faces_near(
        ground_of(table), *mini.at, reach, low + LEVEL_MM, max(high - LEVEL_MM, low + 2 * LOW_MM),
        site.ruleset.numbers.slope_deg,
    )  # fmt: skip
    upper = site.carriers
    if feet > site.feet:
        still = replace(site.ways.walk, over_mm=-math.inf)
        upper = pieces_at(table, mini, still, feet)
    mine = np.array([piece.name in upper for piece in table.pieces], dtype=bool)
    return ends[mine[owners]] if len(ends) else ends


def _at_wall(
    site: Site, mini: Placed, feet: float, mates: Sequence[Placed], standing: Standing | None
) -> tuple[float, float]:
    """How far a mini is from the terrain it has to touch (CO12), and how much nearer it could be (CO13)."""
    ends = walls_of(site, mini, feet)
    if not len(ends):
        return math.inf, 0.0
    wall = _from_walls_mm(mini, ends)
    contact = site.placing.contact
    if wall >= site.ruleset.numbers.contact_mm or contact is None or standing is None:
        return wall, 0.0
    own, step = from_point_mm(mini, contact), site.ways.walk.step_mm
    for place in _offered(site, mini, feet, ends):
        gap = from_point_mm(place, contact)
        far = gap >= own - site.ruleset.numbers.edge_mm
        if not (far or free(site, place, mates)) or abs(feet_mm(site.battle.table, place) - feet) > step:
            continue
        if far:
            break
        if stands(site, place, standing):
            return wall, own - gap
    return wall, 0.0


def _from_walls_mm(mini: Placed, ends: Floats) -> float:
    """From a base to the nearest of some walls (m, 2, 2); those that cannot be it are not measured."""
    ring = ring_of(mini)
    sides = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
    least = np.hypot(*(foot_on(mini.at, sides) - mini.at).T).min()
    most = np.hypot(*(ring - mini.at).T).max()
    away = np.hypot(*(foot_on(mini.at, ends) - mini.at).T)
    return float(gaps_mm(ring, ends[away - most <= max(0.0, away.min() - least)]).min())


def from_point_mm(mini: Placed, point: Point) -> float:
    """From a base to a point; 0 where the base covers it."""
    return float(gaps_mm(ring_of(mini), np.array([[point, point]]))[0])


def along_wall(site: Site, mini: Placed, feet: float, ends: Floats) -> Iterator[Placed]:
    """Places in contact with walls, nearest to the point of contact first; on the side where the mini's level is."""
    step = site.ways.walk.step_mm
    offered = _offered(site, mini, feet, ends)
    return (place for place in offered if abs(feet_mm(site.battle.table, place) - feet) <= step)


def _offered(site: Site, mini: Placed, feet: float, ends: Floats) -> Iterator[Placed]:
    """The same, some of them not on the mini's level: nobody has asked yet how high they are."""
    table, tall = site.battle.table, room_mm(mini.mini)
    step, slope = site.ways.walk.step_mm, math.radians(site.ruleset.numbers.slope_deg)
    most = step + mini.mini.base.outline.reach_mm() * math.tan(slope)  # what is higher within its rim is a wall
    ground, ring = ground_of(table), filled(mini.mini.base.outline)
    spots, done, many = _beside_walls(site, mini, ends), 0, FEW
    while done < len(spots):
        some = [replace(mini, at=(x, y), level=feet + tall) for x, y in spots[done : done + many].tolist()]
        poses = np.array([[*place.at, place.turn] for place in some])
        under, inner, _ = rims_mm(ground, ring, poses, np.full(len(some), feet + tall), tall).T
        yield from all_beside(table, [p for p, on, top in zip(some, under, inner, strict=True) if top <= on + most])
        done, many = done + many, min(2 * many, MANY)


def _beside_walls(site: Site, mini: Placed, ends: Floats) -> Floats:
    """Where a mini's middle is that touches walls (m, 2, 2) on either side or where they end, the nearest first.

    A millimetre apart along each wall and around each corner. Round bases that would cover the point of contact are all
    as near: who is deepest over it is in the wall, and comes last of these.
    """
    contact = np.array(site.placing.contact or site.leader.at)
    reach = mini.mini.base.outline.reach_mm()
    limit = reach + site.ruleset.tool_mm(site.ruleset.numbers.slowest)
    sizes = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    ends, sizes = ends[sizes >= LEVEL_MM], sizes[sizes >= LEVEL_MM]
    along = (ends[:, 1] - ends[:, 0]) / sizes[:, None]
    middles = ((foot_on((contact[0], contact[1]), ends) - ends[:, 0]) * along).sum(axis=1)
    rows, marks = [np.arange(len(ends))] * 2, [np.zeros(len(ends)), sizes]
    for k in range(-int(limit), int(limit) + 1):
        at = middles + k * ALONG_MM
        there = np.flatnonzero((at >= 0.0) & (at <= sizes))
        rows, marks = [*rows, there], [*marks, at[there]]
    row, mark = np.concatenate(rows), np.concatenate(marks)[:, None]
    on = ends[row, 0] + mark * along[row]
    far = reach + site.ruleset.numbers.contact_mm / 2
    out = far * np.column_stack([-along[row, 1], along[row, 0]])
    spots = np.concatenate([on + out, on - out, _round_corners(ends, along, far)])
    away = np.hypot(*(spots - contact).T).round(6)
    spots, away = spots[away <= limit], away[away <= limit]
    over = (away <= round(far, 6)) & (mini.mini.base.outline.radius_mm is not None)
    order = np.lexsort((spots[:, 1], spots[:, 0], np.where(over, -away, away), ~over))
    spots = spots[order]
    _, first = np.unique(spots.round(6), axis=0, return_index=True)
    nearest: Floats = spots[np.sort(first)]
    return nearest


def _round_corners(ends: Floats, along: Floats, far: float) -> Floats:
    """Points so far from where walls (m, 2, 2) end, and no nearer to those that meet there; `along` are their ways.

    A wall of many triangles is cut at a height: what ends there on another part of it is no corner.
    """
    every = ends.reshape(-1, 2)
    _, one, whose = np.unique(every.round(CORNER), axis=0, return_index=True, return_inverse=True)
    corners = every[one]
    ways = np.stack([along, -along], axis=1).reshape(-1, 2)  # into the wall from each end
    angles, whose = np.arctan2(ways[:, 1], ways[:, 0]), whose.reshape(-1)
    order = np.lexsort((angles, whose))
    angles, whose = angles[order], whose[order]
    first = np.flatnonzero(np.diff(whose, prepend=-1))
    following = np.roll(angles, -1)
    following[np.append(first[1:], len(whose))[: len(first)] - 1] = angles[first] + 2 * math.pi
    free_by = following - angles - math.pi  # where no wall is within a quarter turn to either side
    open_at = np.flatnonzero(free_by * far > ALONG_MM)
    whole = np.array([not _passed(ends, along, corner) for corner in corners[whose[open_at]]], dtype=bool)
    open_at = open_at[whole]
    many = (free_by[open_at] * far / ALONG_MM).astype(np.int64)
    row = np.repeat(open_at, many)
    number = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many) + 1
    turn = angles[row] + math.pi / 2 + number * ALONG_MM / far
    spots: Floats = corners[whose[row]] + far * np.column_stack([np.cos(turn), np.sin(turn)])
    return spots


def _passed(ends: Floats, along: Floats, point: Floats) -> bool:
    """Whether one of some walls (m, 2, 2) goes on through a point to either side."""
    before, after = point - ends[:, 0], ends[:, 1] - point
    aside = np.abs(before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0])
    inside = ((before * along).sum(axis=1) > CORNER_MM) & ((after * along).sum(axis=1) > CORNER_MM)
    return bool((inside & (aside <= CORNER_MM)).any())


def free(site: Site, mini: Placed, mates: Sequence[Placed] = ()) -> bool:
    """Whether a place is on nobody's base and no token, and touches no enemy that it may not touch (CO04)."""
    battle, limit = site.battle, site.ruleset.numbers.contact_mm
    others = (m for m in battle.table.minis if m.name not in site.unit.minis)
    for other in (*others, site.leader, *mates):
        if other.name == mini.name or not near(mini, other):
            continue
        if overlap_mm(battle.table, mini, other) > limit or strikes(site, mini, other):
            return False
    return not any(True for _ in tokens_under(battle.table, mini, site.ruleset))


def strikes(site: Site, mini: Placed, other: Placed) -> bool:
    """Whether a mini touches an enemy outside of its unit's melee (CO04)."""
    foe = site.battle.unit_of(other.name)
    hostile = foe is not None and foe.side != site.unit.side and foe.name not in site.melee
    return hostile and touching(site.battle.table, mini, other, site.ruleset)


def on_any(site: Site, mini: Placed, pieces: Sequence[str]) -> bool:
    """Whether a mini stands in or on one of some pieces."""
    if not pieces:
        return False
    table, walk = site.battle.table, replace(site.ways.walk, over_mm=-math.inf)
    return bool(bare_at(table, mini, walk, feet_mm(table, mini), pieces))


def walled(site: Site, mini: Placed) -> bool:
    """Whether a mini is deeper in a wall than touching; who comes there on a way is not."""
    pose = np.array([[*mini.at, mini.turn, 0.0]] * 2)
    walk, table = replace(site.ways.walk, over_mm=-math.inf), site.battle.table
    return carried(table, mini.mini.base, pose, walk, feet_mm(table, mini)).stopped >= 0


def stands(site: Site, mini: Placed, standing: Standing) -> bool:
    """Whether a mini stands at its place, minis aside (CO07)."""
    return standing(replace(site.battle.table, minis=()), [mini])[0].answer == "stable"


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _rows(made: Made, mini: str, rows: str) -> str:
    """The rows of a finding: CO01 for a mini that nobody placed, MV06 after a move."""
    general = "" if mini in [f.mini for f in made.move.followers] else "CO01 "
    return (general + rows + (" MV06" if made.move.kind in KINDS else "")).replace("  ", " ").strip()


@check("FOLLOWER_NO_PLACE", Severity.ERROR, "no place was {told} for {minis}{why}")
def follower_no_place(made: Made) -> Iterable[Hit]:
    """A place was to be found for minis of the unit, and none was; or they stay aboard of what their unit leaves, since
    nobody said where they go (CO01, MV06).

    Why: every other mini is put in cohesion with its leader. Example: a leader in a corner full of others. Do: say
    where they are put (`place`): the search may miss a narrow place; or end elsewhere. Who disembarks may have places
    found, too (`gather`).
    """
    told = made.left_aboard if made.outside_mm <= OFF_MM else ()
    if told:
        why = f": say where they are set down beside {made.leader.name} (place), or have places found (gather)"
        yield Hit(rules=_rows(made, told[0], ""), told="told", minis=" and ".join(told), why=why)
    if made.lost and made.arranged is not None:
        why = ", ".join(f"{row} ({count})" for row, count in made.arranged.why)
        against = f"; what speaks against places: {why}"
        yield Hit(rules=_rows(made, made.lost[0], ""), told="found", minis=" and ".join(made.lost), why=against)


@check("FOLLOWER_TOO_FAR", Severity.ERROR, "{mini} is {gap} mm from its leader, {limit} is cohesion")
def follower_too_far(made: Made) -> Iterable[Hit]:
    """A mini of the unit is farther from its leader than the tool of speed 1 goes (CO01, CO02, MV06).

    Why: every other mini follows the leader; notched bases are measured from notch to notch. Example: 75.1 mm from
    base to base. Do: say where it is put (`place`), or let it be found (`gather`).
    """
    for one in made.kept:
        if one.beyond_mm > made.ruleset.numbers.contact_mm:
            rows = _rows(made, one.mini.name, "CO02")
            within = one.gap_mm - one.beyond_mm
            gap, limit = told_apart(one.gap_mm, within)
            yield Hit(rules=rows, mini=one.mini.name, gap=gap, limit=limit, gap_mm=one.gap_mm, limit_mm=within)


@check("FOLLOWER_WRONG_FACING", Severity.ERROR, "{mini} faces {off} degrees beside its leader")
def follower_wrong_facing(made: Made) -> Iterable[Hit]:
    """A notched mini does not take its leader's exact facing (CO03, MV06).

    Why: notched minis of a unit face as one. Example: 0.1 degrees off. Do: turn it.
    """
    for one in made.kept:
        if one.off_deg > made.ruleset.numbers.flush_deg:
            rows, (off, _) = _rows(made, one.mini.name, "CO03"), told_apart(one.off_deg, 0.0)
            yield Hit(rules=rows, mini=one.mini.name, off=off, off_deg=one.off_deg)


@check("FOLLOWER_NO_WAY", Severity.ERROR, "there is no speed-1 way from its leader to {mini}: {what} is in between")
def follower_no_way(made: Made) -> Iterable[Hit]:
    """A mini is near enough, but no legal speed-1 move leads to it from its leader's place (CO08).

    Why: cohesion is a way, around what bars it if the tool bends so far; own minis (CO05) and the enemies that the
    unit is engaged with (CO09) do not count, notched bases count as turned (CO10). Example: behind a wall.
    Do: put it on the leader's side.
    """
    for one in made.kept:
        far = one.beyond_mm > made.ruleset.numbers.contact_mm
        if not far and not one.other_level and not one.way.found:
            what = " and ".join(one.way.stopped_by)
            yield Hit(rules=_rows(made, one.mini.name, "CO08"), mini=one.mini.name, what=what)


@check("FOLLOWER_OTHER_LEVEL", Severity.ERROR, "{mini} is on {level}")
def follower_other_level(made: Made) -> Iterable[Hit]:
    """A mini is placed onto a level where its leader's move does not let it go (CO14, CO15, CO16).

    Why: minis keep to their leader's level, unless it has just climbed (then none goes higher than it climbed, or
    lower than it went down) or its move ignores terrain of that height. Example: a leader who walks off below a roof.
    Do: put it on the leader's level, or climb.
    """
    for one in made.kept:
        if one.level_rule:
            rows = _rows(made, one.mini.name, one.level_rule)
            if math.isfinite(one.rise_mm):
                level = f"another level, {one.rise_mm:+.1f} mm from its leader's"
                yield Hit(rules=rows, mini=one.mini.name, level=level, rise_mm=one.rise_mm)
            else:
                yield Hit(rules=rows, mini=one.mini.name, level=_bare(made, one))


@check("FOLLOWER_CLIMB_TOO_HIGH", Severity.ERROR, "{mini} is {where}")
def follower_climb_too_high(made: Made) -> Iterable[Hit]:
    """A mini is farther above or below its leader than a climb goes (CO11).

    Why: the way between them has to be a legal climb. Example: 152.5 mm below. Do: let it follow to the ledge.
    """
    n = made.ruleset.numbers
    for one in made.kept:
        if one.too_high:
            rows = _rows(made, one.mini.name, "CO11")
            far, most = abs(one.rise_mm), n.climb_heights * n.height_1_mm
            if math.isfinite(far):
                rise, limit = told_apart(far, most)
                where = f"{rise} mm from its leader's level, {limit} is a climb"
                yield Hit(rules=rows, mini=one.mini.name, where=where, rise_mm=far, limit_mm=most)
            else:
                yield Hit(rules=rows, mini=one.mini.name, where=f"on {_bare(made, one)}")


def _bare(made: Made, one: Kept) -> str:
    """On which level somebody is where nothing is under it, or under its leader."""
    lost = feet_mm(made.battle.table, one.mini) == -math.inf
    return "no level: nothing is under it" if lost else "another level: nothing is under its leader"


@check("FOLLOWER_OFF_TERRAIN", Severity.ERROR, "{mini} does not touch the terrain between it and its leader")
def follower_off_terrain(made: Made) -> Iterable[Hit]:
    """A mini on the other level is not in contact with what its leader climbed (CO12, CO13).

    Why: it has to be able to climb after it. Example: 0.1 mm from the wall. Do: put it flush with the wall.
    """
    for one in made.kept:
        if one.other_level and one.wall_mm >= made.ruleset.numbers.contact_mm:
            yield Hit(rules=_rows(made, one.mini.name, "CO12 CO13"), mini=one.mini.name)


@check("FOLLOWER_NOT_NEAREST", Severity.ERROR, "{mini} could be {nearer_mm:.1f} mm nearer to where its leader climbed")
def follower_not_nearest(made: Made) -> Iterable[Hit]:
    """A mini on the other level is farther along the wall than it has to be (CO13).

    Why: it goes as near as it can to the place where the leader touched the wall. Example: 2 mm aside.
    Do: move it along the wall, to that place or flush with who is there.
    """
    for one in made.kept:
        if one.nearer_mm > made.ruleset.numbers.edge_mm:
            yield Hit(rules=_rows(made, one.mini.name, "CO13"), mini=one.mini.name, nearer_mm=one.nearer_mm)
