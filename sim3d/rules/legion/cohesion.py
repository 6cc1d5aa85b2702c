"""Whether minis are in cohesion with their leader, and every reason why not (CO01 to CO16).

On the leader's own level it takes a way: one that is legal as a move of the slowest speed, from the leader's place.
Onto another level nobody goes, unless the leader has just climbed, or its move ignores terrain of that height.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.ground.relief import LEVEL_MM
from sim3d.rules.legion.actions import KINDS
from sim3d.rules.legion.battle import feet_mm
from sim3d.rules.legion.passage import OFF_MM
from sim3d.rules.legion.site import Kept, Site, free, stands
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.wallside import from_point_mm, from_walls_mm, offered, walls_of
from sim3d.rules.legion.ways import Way, beyond_mm, way_to
from sim3d.table import Placed

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made


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


def _at_wall(
    site: Site, mini: Placed, feet: float, mates: Sequence[Placed], standing: Standing | None
) -> tuple[float, float]:
    """How far a mini is from the terrain it has to touch (CO12), and how much nearer it could be (CO13)."""
    ends = walls_of(site, mini, feet)
    if not len(ends):
        return math.inf, 0.0
    wall = from_walls_mm(mini, ends)
    contact = site.placing.contact
    if wall >= site.ruleset.numbers.contact_mm or contact is None or standing is None:
        return wall, 0.0
    own, step = from_point_mm(mini, contact), site.ways.walk.step_mm
    for place in offered(site, mini, feet, ends):
        gap = from_point_mm(place, contact)
        far = gap >= own - site.ruleset.numbers.edge_mm
        if not (far or free(site, place, mates)) or abs(feet_mm(site.battle.table, place) - feet) > step:
            continue
        if far:
            break
        if stands(site, place, standing):
            return wall, own - gap
    return wall, 0.0


# what speaks against a place that was tried for a mini, by the row that does
BARRED = {
    "CO02": "are too far from the leader",
    "CO08": "have no legal way there",
    "CO12": "do not touch the leader's terrain",
    "CO14": "are higher, or lower, than its leader climbed",
    "CO15": "are on another level than its leader",
    "CO16": "are on another level than it may go to",
    "MV12": "are taken, or touch an enemy",
    "MV15": "do not let it stand",
    "MV19": "are off limits",
}


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
        counts = sorted(made.arranged.why, key=lambda told: -told[1])
        against = "; of those tried " + ", ".join(
            f"{count} {BARRED.get(row, 'are barred')} ({row})" for row, count in counts
        )
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
