"""A leader where it ended, as its minis see it: what they go by, what keeps them off a place, what bars their ways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sim3d.plane import apart_mm
from sim3d.rules.legion.bare import bare_at
from sim3d.rules.legion.battle import Battle, cut_for_mates, feet_mm, near, overlap_mm, ring_of, tokens_under, touching
from sim3d.rules.legion.passage import carried, pieces_at
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.terrain import ignored_mm, walk_of
from sim3d.rules.legion.unit import Unit
from sim3d.rules.legion.ways import Way, Ways, blockers_of
from sim3d.table import Placed

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


# --- whether a place is free, and carries -----------------------------------------------------------------------------


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
