"""A move as it would be made: everything that checks look at, worked out once. Facts, no judgement.

`Standing` answers whether minis stand at places; by default exact statics, where a map is at hand the map.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim3d.finding import Refused
from sim3d.ground import ground_of
from sim3d.ground.way import Track, Walk
from sim3d.rules.legion.actions import BAIL_OUT, BY_TOOL, DEPLOY, KINDS, LAID, NO_ACTION, VERTICAL
from sim3d.rules.legion.arranging import Arranged, cohere
from sim3d.rules.legion.bare import bare, bare_at
from sim3d.rules.legion.battle import (
    Battle,
    beside,
    cut_for_mates,
    engaged_with,
    feet_mm,
    foes_touched,
    ring_of,
    touching,
)
from sim3d.rules.legion.climb import Climb, climb_of, climbs
from sim3d.rules.legion.cohesion import Kept, Placing, Site, kept, placing_of, site_of
from sim3d.rules.legion.displacement import Displacement, put_back, set_aside
from sim3d.rules.legion.move import Move, move_unsound, sound
from sim3d.rules.legion.passage import (
    OFF_MM,
    Met,
    Stop,
    carried,
    displaceable,
    left_at,
    minis_met,
    names_met,
    other_floor,
    outside_mm,
    rings_along,
    stop_at,
    within_mm,
)
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing, exact, searching
from sim3d.rules.legion.terrain import Footing, footing, walk_of
from sim3d.rules.legion.tool import Path, Tool, notches_of, path_of
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.stand import OVERLAP_MM, Stand
from sim3d.table import Placed, Table

if TYPE_CHECKING:
    from sim3d.rules.legion.compulsory import Compelled

__all__ = ["OFF_MM", "Made", "Standing", "exact", "make", "raised_speed", "speed_of", "stood"]

FULL_MM = 1e-9  # a partial move this near to the tool's end is a full one


@dataclass(frozen=True, slots=True)
class Made:
    """A move, and all that happens when it is made as it is told."""

    battle: Battle
    ruleset: Ruleset
    move: Move
    unit: Unit
    leader: Placed  # before
    tool: Tool | None
    path: Path | None
    travel_mm: float
    poses: Floats
    walk: Walk
    feet: float  # how high the leader stands before
    track: Track | None
    stop: Stop | None  # where terrain stops it
    met: tuple[Met, ...]
    slow: tuple[str, ...]  # pieces of difficult terrain that its minis move out of, into or through
    barred: tuple[str, ...]  # pieces of impassable terrain that its leader overlaps
    no_end: tuple[str, ...]  # pieces that it ends on and nobody may
    speed: int  # its maximum, as reduced
    outside_mm: float  # how far its leader's base leaves the battlefield
    ends: tuple[Placed, ...]  # the leader and its followers, after
    put: tuple[str, ...]  # those of them that were put somewhere
    stands: tuple[Stand, ...]  # of those that were put somewhere, in the same order
    engaged: tuple[str, ...]
    touched: tuple[str, ...]  # enemy units in contact before
    floors: tuple[float, float] | None = None  # how high its way leads and its leader is put, where that is apart
    climb: Climb | None = None
    site: Site | None = None  # of those who follow; none where nobody does
    kept: tuple[Kept, ...] = ()  # the minis that follow, each against its leader
    displacement: Displacement | None = None  # who is pushed aside, and where to
    compelled: Compelled | None = None  # of a compulsory move: how it came out
    told_mm: float | None = None  # how far a player said that a compulsory move goes
    arranged: Arranged | None = None  # what was found for those whom nobody placed, where that was asked for

    @property
    def stop_mm(self) -> float | None:
        """How far along the tool it comes before terrain stops it."""
        return None if self.stop is None else self.stop.travel_mm

    @property
    def melee(self) -> tuple[str, ...]:
        """The enemy units whose melee this unit is in: of one that it enters, too, once its leader is there (MV10)."""
        if self.move.withdraw:
            return ()
        entered = (self.move.melee,) if self.enters and self._leader_touches(self.move.melee) else ()
        return tuple(dict.fromkeys((*self.touched, *entered)))

    @property
    def enters(self) -> bool:
        """Whether its leader may come into contact with a unit whose melee it enters."""
        return self.unit.melee and bool(self.move.melee) and not self.move.withdraw

    def _leader_touches(self, foe: str) -> bool:
        """Whether the leader ends in contact with one of a unit's minis."""
        table = self.battle.table
        theirs = (m for m in table.minis if m.name in self.battle.unit(foe).minis and m.name not in self.displaced)
        return any(touching(table, self.end, other, self.ruleset) for other in theirs)

    @property
    def lost(self) -> tuple[str, ...]:
        """The minis that were to be put where a place is found, and there is none: they are nowhere."""
        sought = self.move.gather and not (self.arranged is not None and self.arranged.whole)
        return tuple(m.name for m in self.ends if m.name not in self.put) if sought else ()

    @property
    def there(self) -> tuple[Placed, ...]:
        """The unit's minis that are somewhere, after."""
        return tuple(m for m in self.ends if m.name not in self.lost)

    def may_touch(self, mini: Placed, other: Placed) -> bool:
        """Whether a mini may end in contact with an enemy's (MV10); a leader without a melee weapon where it was."""
        foe = self.battle.unit_of(other.name)
        if foe is not None and mini.name == self.unit.leader and self.enters and foe.name == self.move.melee:
            return True
        if foe is None or foe.name not in self.melee:
            return False
        if self.unit.melee or mini.name != self.unit.leader:
            return True
        table = self.battle.table
        return any(touching(table, m, other, self.ruleset) for m in table.minis if m.name in self.unit.minis)

    @property
    def laid_turn(self) -> float:
        """How the leader faces when the tool is laid."""
        return self.leader.turn + (self.move.turn_deg if self.move.reposition == "before" else 0.0)

    @property
    def end(self) -> Placed:
        """The leader, after."""
        return self.ends[0]

    @property
    def full(self) -> bool:
        """Whether it goes to the far end of the tool."""
        return self.path is not None and abs(self.travel_mm - self.path.full_mm) <= FULL_MM

    @property
    def displaced(self) -> tuple[str, ...]:
        """The minis that are pushed aside."""
        return tuple(m.mini for m in self.met if m.way == "displace")

    @property
    def boarding(self) -> tuple[str, ...]:
        """The minis that leave the table aboard of a vehicle (MV17), and are in nobody's way any more."""
        return self.unit.minis if self.move.kind == "embark" else ()

    @property
    def left_aboard(self) -> tuple[str, ...]:
        """The minis that nobody set down although their unit leaves its vehicle (MV17)."""
        leaves = self.move.kind in ("disembark", BAIL_OUT)
        return tuple(m.name for m in self.unit.carried) if leaves else ()

    def after(self) -> Table:
        """The table with the unit where it ends."""
        by_name = {m.name: m for m in self.ends}
        if self.displacement is not None:
            by_name |= {m.name: m for m in self.displacement.places}
        table = self.battle.table
        return replace(table, minis=tuple(by_name.get(m.name, m) for m in table.minis))


def raised_speed(unit: Unit, ruleset: Ruleset) -> int:
    """A unit's maximum speed with what raises it, before anything lowers it."""
    n = ruleset.numbers
    return min(unit.speed + n.spur_speed, n.fastest) if unit.state.spurred else unit.speed


def speed_of(unit: Unit, move: Move, ruleset: Ruleset, *, slow: bool) -> int:
    """The greatest speed that a unit may move at; 0: it cannot. Gains come before losses (MV01, CL04)."""
    n = ruleset.numbers
    speed = max(0, raised_speed(unit, ruleset) - n.immobile_speed * unit.state.immobilized)
    if speed == 0:
        return 0
    if slow:
        speed = max(n.slowest, speed - n.difficult_speed)
    if move.kind in LAID[1:]:
        speed = max(n.slowest, speed - n.backwards_speed)
    if move.withdraw or move.kind in ("embark", "disembark"):
        speed = n.slowest
    return speed


def make(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing = exact) -> Made:
    """Work a move out; `Refused` where it makes no sense."""
    sound(move, battle, ruleset)
    unit = battle.unit(move.unit)
    if move.kind in ("disembark", BAIL_OUT):
        battle = _set_down(battle, unit, move)
        unit = battle.unit(unit.name)
    leader = battle.leader(unit)
    table, base = battle.table, leader.mini.base
    feet = feet_mm(table, leader)
    if feet == -math.inf and move.kind in KINDS:
        reason = f"nothing that could carry {leader.name!r} is under its base; a move begins where a mini stands"
        raise Refused(move_unsound.hit(reason=reason))
    walk = walk_of(unit, leader.mini, feet, ruleset, jumping=move.jump)
    tool, path, travel, poses = _laid(unit, leader, move, ruleset)
    climb = None
    track: Track | None = None
    stop: Stop | None = None
    met: tuple[Met, ...] = ()
    turn = leader.turn
    at, level = leader.at, leader.level
    if move.kind in VERTICAL:
        climb = climb_of(table, leader, unit, move, feet, ruleset, standing)
        at, level = climb.at, climb.level
        poses = np.array([[*leader.at, turn, 0.0], [*at, turn, 0.0]])
    elif move.kind in NO_ACTION:
        at, turn = move.begin or at, leader.turn if move.end_turn is None else move.end_turn
        level = cut_for_mates(table, leader) if move.level is None else move.level
        poses = np.array([[*at, turn, 0.0]])
    elif len(poses) > 1:
        track = carried(table, base, poses, walk, feet)
        if track.stopped >= 0:
            stop = stop_at(ground_of(table), base, poses, walk, track, len(table.pieces))
        over = walk.over_mm if move.jump else -np.inf  # a jump passes minis of that height, too
        met = minis_met(battle, unit, leader, poses, track.heights, ruleset, withdrawing=move.withdraw, over_mm=over)
        at, turn = (float(poses[-1, 0]), float(poses[-1, 1])), float(poses[-1, 2])
        level = _level(move, track, walk, travel, None if stop is None else stop.travel_mm)
    ends, put = _ends(battle, unit, leader, move, at, turn, level)
    floors = None
    falls = track is not None and track.dropped >= 0 and walk.over_mm <= feet and ruleset.options.deep_drop != "free"
    if move.level is not None and track is not None and track.stopped < 0 and not falls:
        usual = beside(table, replace(ends[0], level=_level(replace(move, level=None), track, walk, travel, None)))
        if feet_mm(table, usual) != feet_mm(table, ends[0]):  # else the cut takes it nowhere else
            floors = other_floor(table, ends[0], poses, track, walk, feet, move.level)
    outside = outside_mm(table, base, poses) if len(poses) > 1 or move.kind in NO_ACTION else -1.0
    if outside > OFF_MM:
        left = left_at(table, base, poses)
        met = tuple(m for m in met if m.way != "displace" or m.at.part <= left.part)
    elif move.compulsory:
        under = displaceable(battle, unit, ends[0], ruleset)
        met = tuple(m for m in met if m.mini not in under) + tuple(
            Met(n, _owner(battle, n), "displace", Stop(travel)) for n in under
        )
    known = (
        tuple(m for m in ends if m.name in put) if move.gather else ends
    )  # who is gathered does not end where it was
    slow, barred, no_end = _terrain(battle, unit, leader, move, poses, track, walk, known, ruleset)
    made = Made(
        battle=battle,
        ruleset=ruleset,
        move=move,
        unit=unit,
        leader=leader,
        tool=tool,
        path=path,
        travel_mm=travel,
        poses=poses,
        walk=walk,
        feet=feet,
        track=track,
        stop=stop,
        met=met,
        slow=slow,
        barred=barred,
        no_end=no_end,
        speed=speed_of(unit, move, ruleset, slow=bool(slow)),
        outside_mm=outside,
        ends=ends,
        put=put,
        stands=(),
        engaged=engaged_with(battle, unit, ruleset),
        touched=foes_touched(battle, unit, ruleset),
        floors=floors,
        climb=climb,
    )
    sought = searching(standing)
    return stood(_displaced(_trodden(_followed(made, sought)), sought), standing)


def _trodden(made: Made) -> Made:
    """With the terrain under the places that were found for who was gathered, not under their old ones."""
    if made.arranged is None:
        return made
    told = (made.battle, made.unit, made.leader, made.move, made.poses, made.track, made.walk, made.there, made.ruleset)
    slow, barred, no_end = _terrain(*told)
    speed = speed_of(made.unit, made.move, made.ruleset, slow=bool(slow))
    return replace(made, slow=slow, barred=barred, no_end=no_end, speed=speed)


def _displaced(made: Made, standing: Standing) -> Made:
    """With everybody who is pushed aside, and where the other player puts them."""
    if not made.displaced:
        return made
    aside = set_aside(made.battle, made.displaced, made.unit)
    gone = made.unit.minis if made.outside_mm > OFF_MM else ()  # who left the battlefield is in nobody's way
    between = Battle(made.after(), made.battle.units).without((*made.displaced, *gone))
    back = put_back(between, aside, made.move.displaced, made.ruleset, standing, seed=made.move.seed)
    return replace(made, displacement=back)


def _followed(made: Made, standing: Standing) -> Made:
    """With every other mini of the unit against its leader: where it was put, or where a place was found (MV06)."""
    minis = made.ends[1:]
    if not minis or not made.put or made.outside_mm > OFF_MM:
        return made
    if made.move.gather and not climbs(made):  # nobody follows a leader who does not climb
        return made
    unit, move, ruleset = made.unit, made.move, made.ruleset
    placing = placing_of(unit, ruleset, jumping=move.jump)
    placing = replace(placing, climbed=())
    if made.climb is not None:
        placing = Placing((1 if move.up else -1,), made.climb.contact, made.feet, placing.ignored_mm)
    after = Battle(made.after(), made.battle.units).without(made.displaced)
    site = site_of(after, unit, ruleset, placing, made.melee)
    arranged = None
    loose = tuple(m for m in minis if m.name not in made.put)
    if move.gather and loose:
        fixed = tuple(m for m in minis if m.name in made.put)
        for off in _shunned(made):
            arranged = cohere(
                site, loose, mates=fixed, keep=_beside_wreck(made), off=off, seed=move.seed, standing=standing
            )
            if arranged.whole:
                break
        assert arranged is not None
        found = {m.name: m for m in arranged.places}
        minis = tuple(found.get(m.name, m) for m in minis)
        made = replace(made, ends=(made.end, *minis), put=(*made.put, *found), arranged=arranged)
        made = replace(made, put=tuple(m.name for m in made.ends if m.name in made.put))
    minis = made.there[1:]
    facts = tuple(kept(site, mini, minis, standing) for mini in minis)
    return replace(made, site=site, kept=facts)


def _beside_wreck(made: Made) -> Callable[[Placed], bool] | None:
    """Who gets out of a vehicle that is destroyed is put in contact with it (MV17); nobody else has to be."""
    if made.move.kind != BAIL_OUT:
        return None
    table, vehicle = made.battle.table, made.battle.unit(made.unit.state.aboard)
    hulls = [m for m in table.minis if m.name in vehicle.minis]
    return lambda place: any(touching(table, place, hull, made.ruleset) for hull in hulls)


def _shunned(made: Made) -> tuple[tuple[str, ...], ...]:
    """The pieces that nobody is put on: where players agreed so (MV19), and at first what slows the unit too much."""
    pieces = [(p.name, footing(p, made.unit)) for p in made.battle.table.pieces]
    agreed = tuple(name for name, foot in pieces if foot.no_end)
    fast = made.tool is not None and made.tool.speed > speed_of(made.unit, made.move, made.ruleset, slow=True)
    if not fast or made.unit.has("unhindered") or made.walk.over_mm > -np.inf:
        return (agreed,)
    slowing = tuple(name for name, foot in pieces if foot.word == "difficult")
    return tuple(dict.fromkeys(((*agreed, *slowing), agreed)))


def _owner(battle: Battle, mini: str) -> str:
    unit = battle.unit_of(mini)
    return unit.name if unit is not None else ""


def stood(made: Made, standing: Standing) -> Made:
    """The same move with other answers to whether its minis stand."""
    by_name = {m.name: m for m in made.ends}
    places = [by_name[name] for name in made.put]
    return replace(made, stands=tuple(standing(replace(made.battle.table, minis=()), places)))


def _set_down(battle: Battle, unit: Unit, move: Move) -> Battle:
    """The battle with a unit that leaves its vehicle: its leader where it is set down, the others where they are put.

    Who is gathered begins where the leader does; whom nobody places stays aboard.
    """
    assert move.begin is not None
    places = {f.mini: f.at for f in move.followers} | {unit.leader: move.begin}
    minis = tuple(
        replace(m, at=places.get(m.name, move.begin), level=move.level)
        for m in unit.carried
        if m.name in places or move.gather
    )
    table = replace(battle.table, minis=(*battle.table.minis, *minis))
    left = replace(unit, carried=tuple(m for m in unit.carried if m.name not in [p.name for p in minis]))
    return Battle(table, tuple(left if u.name == left.name else u for u in battle.units))


def _laid(unit: Unit, leader: Placed, move: Move, ruleset: Ruleset) -> tuple[Tool | None, Path | None, float, Floats]:
    """The tool as it is laid, the path it makes, how far the leader goes on it, and its poses."""
    still = np.array([[*leader.at, leader.turn, 0.0]])
    if move.kind == "pivot":
        return None, None, 0.0, _turned(still[0], move.turn_deg)
    if move.kind not in BY_TOOL:
        return None, None, 0.0, still
    n = ruleset.numbers
    usual = min(speed_of(unit, move, ruleset, slow=False), move.speed_x or n.fastest)
    speed = move.tool or max(usual, n.slowest)
    kind = move.kind if move.kind in LAID else "standard"
    if move.reposition == "before":
        leader = replace(leader, turn=leader.turn + move.turn_deg)
    ahead = leader.turn + {"standard": 0.0, "reverse": 180.0, "strafe left": 90.0, "strafe right": -90.0}[kind]
    start = ahead if move.start_deg is None else move.start_deg
    tool = Tool(speed, ruleset.tool_mm(speed), start, move.bend_deg)
    path = path_of(tool, leader.mini.base, leader.at, leader.turn, kind, ruleset)
    travel = path.full_mm if move.travel_mm is None else move.travel_mm
    poses = path.poses(min(travel, path.full_mm), turning=ruleset.options.hinge == "turning")
    if move.reposition == "before":
        poses = np.vstack([_turned(still[0], move.turn_deg)[:-1], poses])
    elif move.reposition == "after":
        poses = np.vstack([poses[:-1], _turned(poses[-1], move.turn_deg)])
    return tool, path, travel, poses


def _turned(pose: Floats, by_deg: float) -> Floats:
    """Poses of a base that turns on the spot, degree by degree."""
    n = max(1, int(np.ceil(abs(by_deg))))
    rows = np.tile(pose, (n + 1, 1))
    rows[:, 2] += by_deg * np.arange(n + 1) / n
    return rows


def _level(move: Move, track: Track, walk: Walk, travel: float, stop: float | None) -> float | None:
    """The cut below which a move ends: none where nothing hangs over it."""
    if move.level is not None:
        return move.level
    if stop is not None:  # what it only grazed carries nothing; put down farther in, it is set on top
        if travel - stop > OVERLAP_MM:
            return None
        return max(float(track.heights[-1]) + walk.step_mm, walk.over_mm)
    return max(float(track.heights[-1]) + walk.tall_mm, walk.over_mm) if track.overhead[-1] else None


def faced(move: Move, leader: Placed, turn: float) -> float:
    """How a leader faces at the end: a plain round base as the player says, others as the move turns them."""
    free = move.kind in (*BY_TOOL, *VERTICAL) and leader.mini.base.outline.radius_mm is not None
    return move.end_turn if free and move.end_turn is not None else turn


def _ends(
    battle: Battle, unit: Unit, leader: Placed, move: Move, at: tuple[float, float], turn: float, level: float | None
) -> tuple[tuple[Placed, ...], tuple[str, ...]]:
    """Where the unit's minis are after the move, the leader first; and which were put somewhere (MV06)."""
    if move.kind not in (*BY_TOOL, *VERTICAL, "pivot", *NO_ACTION):
        return (leader,), ()
    turn = faced(move, leader, turn)
    ends = [beside(battle.table, replace(leader, at=at, turn=turn, level=level))]
    put = [leader.name]
    if move.kind == "embark":  # the others leave the table with it, from where they are
        return tuple(ends), tuple(put)
    chosen = {f.mini: f for f in move.followers}
    for name in unit.followers:
        if name not in [m.name for m in battle.table.minis]:
            continue
        mini = battle.table.mini(name)
        follower = chosen.get(name)
        notched = bool(notches_of(mini.mini.base))
        if follower is not None:
            facing = follower.turn if follower.turn is not None else turn if notched else mini.turn
            mini = replace(mini, at=follower.at, turn=facing, level=follower.cut(level))
            put.append(name)
        elif move.kind == DEPLOY and move.begin is None:  # asked about where it is
            put.append(name)
        elif move.kind == "pivot":
            mini = replace(mini, turn=turn)
            put.append(name)
        ends.append(beside(battle.table, mini) if name in put else mini)
    return tuple(ends), tuple(put)


def _terrain(
    battle: Battle,
    unit: Unit,
    leader: Placed,
    move: Move,
    poses: Floats,
    track: Track | None,
    walk: Walk,
    ends: tuple[Placed, ...],
    ruleset: Ruleset,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Pieces that slow, that bar the way and on which nobody ends."""
    table = battle.table
    told = [p.name for p in table.pieces if footing(p, unit) != Footing()]  # nobody asks about the others
    if not told:
        return (), (), ()
    crossed: tuple[str, ...] = ()
    if track is not None:
        crossed = bare(table, leader.mini.base, poses, track, walk, told)
        may = told if move.level is not None else names_met(table, track)  # the player may have put it on another floor
        under_cut = [name for name in may if name in told and name not in crossed]
        for after in (m for m in ends if m.name == leader.name):  # below its cut it is not on what it was carried over
            crossed += bare_at(table, after, _still(walk), feet_mm(table, after), under_cut)
    under: dict[str, None] = dict.fromkeys(crossed)
    ended: dict[str, None] = {}
    for before in [m for m in table.minis if m.name in unit.minis]:
        under |= dict.fromkeys(bare_at(table, before, _still(walk), feet_mm(table, before), told))
    for after in ends:
        there = bare_at(table, after, _still(walk), feet_mm(table, after), told)
        under |= dict.fromkeys(there)
        ended |= dict.fromkeys(there)
    way = rings_along(leader.mini.base, poses)
    whole = [*way, *map(ring_of, ends), *(ring_of(m) for m in table.minis if m.name in unit.minis)]

    def over(piece: str, rings: Sequence[Floats]) -> bool:
        return walk.over_mm > -np.inf and within_mm(table, piece, rings, walk.over_mm)

    spared = ruleset.options.ignored_difficult == "ignored"
    slow = tuple(
        p.name
        for p in table.pieces
        if p.name in under
        and footing(p, unit).word == "difficult"
        and not unit.has("unhindered")
        and not (spared and over(p.name, whole))
    )
    barred = tuple(
        p.name
        for p in table.pieces
        if p.name in crossed and footing(p, unit).word == "impassable" and not over(p.name, way)
    )
    no_end = tuple(p.name for p in table.pieces if p.name in ended and footing(p, unit).no_end)
    if move.kind == "pivot":
        slow = ()
    return slow, barred, no_end


def _still(walk: Walk) -> Walk:
    """The same walk for a mini that only stands."""
    return replace(walk, over_mm=-np.inf)
