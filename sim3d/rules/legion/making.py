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
from sim3d.rules.legion.actions import BAIL_OUT, KINDS, NO_ACTION, VERTICAL
from sim3d.rules.legion.arranging import Arranged, cohere
from sim3d.rules.legion.battle import (
    Battle,
    beside,
    cut_for_mates,
    engaged_with,
    feet_mm,
    foes_touched,
    overlap_mm,
    touching,
)
from sim3d.rules.legion.climb import Climb, climb_of, climbs
from sim3d.rules.legion.cohesion import kept
from sim3d.rules.legion.laying import disembarked, ends_of, laid, level_at, speed_of
from sim3d.rules.legion.move import Move, move_unsound, sound
from sim3d.rules.legion.passage import (
    OFF_MM,
    Met,
    Stop,
    carried,
    displaceable,
    left_at,
    minis_met,
    other_floor,
    outside_mm,
    stop_at,
)
from sim3d.rules.legion.putback import Displacement, put_back, set_aside
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.site import Kept, Placing, Site, placing_of, site_of
from sim3d.rules.legion.standing import Standing, exact, searching
from sim3d.rules.legion.terrain import footing, walk_of
from sim3d.rules.legion.tool import Path, Tool
from sim3d.rules.legion.underfoot import terrain_met
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.stand import Stand
from sim3d.table import Placed, Table

if TYPE_CHECKING:
    from sim3d.rules.legion.compulsory import Compelled

__all__ = ["OFF_MM", "Made", "Standing", "exact", "make", "speed_of", "stood"]

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


def make(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing = exact) -> Made:
    """Work a move out; `Refused` where it makes no sense."""
    sound(move, battle, ruleset)
    unit = battle.unit(move.unit)
    if move.kind in ("disembark", BAIL_OUT):
        battle = disembarked(battle, unit, move)
        unit = battle.unit(unit.name)
    leader = battle.leader(unit)
    table, base = battle.table, leader.mini.base
    feet = feet_mm(table, leader)
    if feet == -math.inf and move.kind in KINDS:
        reason = f"nothing that could carry {leader.name!r} is under its base; a move begins where a mini stands"
        raise Refused(move_unsound.hit(reason=reason))
    walk = walk_of(unit, leader.mini, feet, ruleset, jumping=move.jump)
    tool, path, travel, poses = laid(unit, leader, move, ruleset)
    way = _gone(battle, unit, leader, move, poses, travel, walk, feet, ruleset, standing)
    ends, put = ends_of(battle, unit, leader, move, way.at, way.turn, way.level)
    outside = outside_mm(table, base, way.poses) if len(way.poses) > 1 or move.kind in NO_ACTION else -1.0
    known = tuple(m for m in ends if m.name in put) if move.gather else ends  # who is gathered ends somewhere else
    slow, barred, no_end = terrain_met(battle, unit, leader, move, way.poses, way.track, walk, known, ruleset)
    made = Made(
        battle=battle,
        ruleset=ruleset,
        move=move,
        unit=unit,
        leader=leader,
        tool=tool,
        path=path,
        travel_mm=travel,
        poses=way.poses,
        walk=walk,
        feet=feet,
        track=way.track,
        stop=way.stop,
        met=_met(battle, unit, tuple(m for m in ends if m.name in put), move, way, travel, outside, ruleset),
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
        floors=_floors(table, ends[0], move, way, travel, walk, feet, ruleset),
        climb=way.climb,
    )
    sought = searching(standing)
    return stood(_displaced(_trodden(_followed(made, sought)), sought), standing)


@dataclass(frozen=True, slots=True)
class _Gone:
    """Where a leader goes, and what it meets there."""

    poses: Floats
    at: tuple[float, float]  # where it ends
    turn: float
    level: float | None  # the cut below which it ends
    track: Track | None = None
    stop: Stop | None = None
    met: tuple[Met, ...] = ()
    climb: Climb | None = None


def _gone(
    battle: Battle,
    unit: Unit,
    leader: Placed,
    move: Move,
    poses: Floats,
    travel: float,
    walk: Walk,
    feet: float,
    ruleset: Ruleset,
    standing: Standing,
) -> _Gone:
    """The way of a leader: up or down a wall, to where it is put, or along its tool over terrain and past minis."""
    table, base, turn = battle.table, leader.mini.base, leader.turn
    if move.kind in VERTICAL:
        climb = climb_of(table, leader, unit, move, feet, ruleset, standing)
        both = np.array([[*leader.at, turn, 0.0], [*climb.at, turn, 0.0]])
        return _Gone(both, climb.at, turn, climb.level, climb=climb)
    if move.kind in NO_ACTION:
        at, turn = move.begin or leader.at, turn if move.end_turn is None else move.end_turn
        level = cut_for_mates(table, leader) if move.level is None else move.level
        return _Gone(np.array([[*at, turn, 0.0]]), at, turn, level)
    if len(poses) <= 1:
        return _Gone(poses, leader.at, turn, leader.level)
    track = carried(table, base, poses, walk, feet)
    stop = None
    if track.stopped >= 0:
        stop = stop_at(ground_of(table), base, poses, walk, track, len(table.pieces))
    over = walk.over_mm if move.jump else -np.inf  # a jump passes minis of that height, too
    met = minis_met(battle, unit, leader, poses, track.heights, ruleset, withdrawing=move.withdraw, over_mm=over)
    x, y, turn = (float(v) for v in poses[-1, :3])
    level = level_at(move, track, walk, travel, None if stop is None else stop.travel_mm)
    return _Gone(poses, (x, y), turn, level, track, stop, met)


def _floors(
    table: Table, end: Placed, move: Move, way: _Gone, travel: float, walk: Walk, feet: float, ruleset: Ruleset
) -> tuple[float, float] | None:
    """How high its way leads and how high a leader is put, where a cut takes it somewhere else."""
    track = way.track
    if move.level is None or track is None or track.stopped >= 0:
        return None
    if track.dropped >= 0 and walk.over_mm <= feet and ruleset.options.deep_drop != "free":
        return None
    usual = beside(table, replace(end, level=level_at(replace(move, level=None), track, walk, travel, None)))
    if feet_mm(table, usual) == feet_mm(table, end):
        return None
    return other_floor(table, end, way.poses, track, walk, feet, move.level)


def _met(
    battle: Battle,
    unit: Unit,
    ends: tuple[Placed, ...],
    move: Move,
    way: _Gone,
    travel: float,
    outside: float,
    ruleset: Ruleset,
) -> tuple[Met, ...]:
    """The minis that it meets on its way, until it leaves the table; under the ends of a compulsory move, too."""
    if outside > OFF_MM:
        left = left_at(battle.table, ends[0].mini.base, way.poses)
        return tuple(m for m in way.met if m.way != "displace" or m.at.part <= left.part)
    if not move.compulsory:
        return way.met
    return _pushed(battle, unit, ends, way.met, travel, ruleset)


def _pushed(
    battle: Battle, unit: Unit, ends: Sequence[Placed], met: tuple[Met, ...], travel: float, ruleset: Ruleset
) -> tuple[Met, ...]:
    """With everybody who is under one of these ends of a compulsory move, the leader's or a follower's (DP02)."""
    under = dict.fromkeys(name for end in ends for name in displaceable(battle, unit, end, ruleset))
    aside = (Met(name, _owner(battle, name), "displace", Stop(travel)) for name in under)
    return (*(m for m in met if m.mini not in under), *aside)


def _trodden(made: Made) -> Made:
    """With the terrain under the places that were found for who was gathered, not under their old ones."""
    if made.arranged is None:
        return made
    told = (made.battle, made.unit, made.leader, made.move, made.poses, made.track, made.walk, made.there, made.ruleset)
    slow, barred, no_end = terrain_met(*told)
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
    barred = (made.track is not None and made.track.stopped >= 0) or any(met.way == "block" for met in made.met)
    if made.move.gather and (barred or not climbs(made)):  # nobody follows a leader who does not come there
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
        aside = () if arranged.whole or not move.compulsory else _under_pushed(made)
        if aside:  # no room is left but where troopers are
            cleared = site_of(after.without(aside), unit, ruleset, placing, made.melee)
            keep = _on_or_off(made, aside)
            pushing = cohere(cleared, loose, mates=fixed, keep=keep, off=off, seed=move.seed, standing=standing)
            arranged = pushing if pushing.whole else arranged
        found = {m.name: m for m in arranged.places}
        minis = tuple(found.get(m.name, m) for m in minis)
        made = replace(made, ends=(made.end, *minis), put=(*made.put, *found), arranged=arranged)
        made = replace(made, put=tuple(m.name for m in made.ends if m.name in made.put))
        if move.compulsory and arranged.whole and aside:
            met = _pushed(made.battle, unit, made.ends, made.met, made.travel_mm, ruleset)
            made = replace(made, met=met)
            after = Battle(made.after(), made.battle.units).without(made.displaced)
            site = site_of(after, unit, ruleset, placing, made.melee)
    minis = made.there[1:]
    facts = tuple(kept(site, mini, minis, standing) for mini in minis)
    return replace(made, site=site, kept=facts)


def _under_pushed(made: Made) -> tuple[str, ...]:
    """The troopers that minis of a repulsor unit may push aside where they end (DP02): none that are engaged."""
    if made.unit.type != "repulsor":
        return ()
    free = [u for u in made.battle.units if u.type == "trooper" and not engaged_with(made.battle, u, made.ruleset)]
    names = [m.name for m in made.battle.table.minis]
    return tuple(m for u in free if u.name != made.unit.name for m in u.minis if m in names and m not in made.displaced)


def _on_or_off(made: Made, aside: Sequence[str]) -> Callable[[Placed], bool]:
    """Whether a place is on those who are pushed aside, or clear of them: nobody is touched and left standing."""
    table, limit = made.battle.table, made.ruleset.numbers.contact_mm
    others = [m for m in table.minis if m.name in aside]
    return lambda place: all(
        not touching(table, place, other, made.ruleset) or overlap_mm(table, place, other) > limit for other in others
    )


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
