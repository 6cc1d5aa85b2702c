"""Climbing and clambering: contact with the terrain, the nearest edge above or below, the room there (CL01 to CL03).

A wall is climbed that the base's rim touches: up along a steep face beside it, down over an edge beyond which nothing
carries it any more. Each such place leads to one edge, and the player chooses among them; else it is the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import LOW_MM
from sim3d.plane import gaps_mm
from sim3d.rules.legion.actions import VERTICAL
from sim3d.rules.legion.around import Point
from sim3d.rules.legion.battle import beside, feet_mm, ring_of
from sim3d.rules.legion.climber import ALONG_MM, SEEN_MM, Climber, Contact
from sim3d.rules.legion.edges import (
    Way,
    aside,
    clear_down,
    edges_over,
    foot_below,
    foot_of,
    inward,
    landing_under,
    midst,
    outward,
)
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing, searching
from sim3d.rules.legion.terrain import step_mm
from sim3d.rules.legion.touched import above, ahead, below
from sim3d.rules.legion.unit import Unit
from sim3d.stand import Stand
from sim3d.table import Placed, Table

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made

WITHIN = 0.98  # of a base's width, for what hangs over it: a wall that its rim touches does not
TRIED = 24  # edges at which room is looked for, the nearest first
TENTHS = 1  # decimals of a way's length in mm: what differs by less is as near


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


def climb_of(
    table: Table, leader: Placed, unit: Unit, move: Move, feet: float, ruleset: Ruleset, standing: Standing
) -> Climb:
    """Where a climb takes a leader: of all walls that it touches onto the nearest edge, or where the player says.

    Farther ahead than walls mostly lead is looked only where that comes to no end.
    """
    it = Climber(table, leader, move, feet, step_mm(unit, leader.mini, ruleset), ruleset, standing)
    touched = above(it) if move.up else below(it)
    if not touched:
        return Climb(math.inf, "", None, 0.0, leader.at, leader.level, math.inf, None)
    climb = _led(it, touched)
    return climb if _ends_well(it, climb) else _led(replace(it, seen_mm=it.farthest), touched)


def _led(it: Climber, touched: list[Contact]) -> Climb:
    """Where the walls that are touched lead."""
    leader, move = it.leader, it.move
    ways = [w for w in (_up(it, c) if move.up else _down(it, c) for c in touched) if w is not None]
    if not ways:
        first = touched[0]
        return Climb(first.gap_mm, first.piece, None, 0.0, leader.at, leader.level, math.inf, None, first.at)
    ways.sort(key=lambda w: (round(w.mm, TENTHS), *ahead(it, w.contact)))
    if move.to is not None:
        ways.sort(key=lambda w: w.off(it, move.to or leader.at))
        return _ended(it, ways[0])
    best: Climb | None = None
    for way in ways[:TRIED]:
        climb = _ended(it, way)
        if _ends_well(it, climb):
            return climb
        best = best or climb
    assert best is not None
    return best


def _ends_well(it: Climber, climb: Climb) -> bool:
    """Whether there is room where a climb ends, on its edge, and no farther up or down than one goes."""
    near = climb.off_edge_mm <= it.ruleset.numbers.edge_mm
    return stands(climb) and near and abs(climb.rise_mm) <= it.limit + LEVEL_MM


def stands(climb: Climb) -> bool:
    """Whether there is room where a climb ends."""
    return climb.edge is not None and climb.stand is not None and climb.stand.answer == "stable"


# --- the edge that each place of contact leads to ---------------------------------------------------------------------


def _up(it: Climber, one: Contact) -> Way | None:
    """The nearest edge over a place of contact that carries the base where it is put flush there, and has room for it.

    Where there is none within a climb's limit, or the player's place is on none, the nearest that is too narrow for
    that, but on which it stands.
    """
    narrow: list[Way] = []
    broad: list[Way] = []
    for way in edges_over(it, one):
        (broad if way.flush else narrow).append(way)
        if not way.flush:
            continue
        if way.height - it.feet > it.limit + LEVEL_MM or len(broad) > TRIED:
            break
        if stands(_ended(it, way)):
            return way
    for way in narrow[:TRIED]:
        if way.height - it.feet <= it.limit + LEVEL_MM and stands(_ended(it, way)):
            return way
    return broad[0] if broad else None


def _down(it: Climber, one: Contact) -> Way | None:
    """The foot below a place of contact, with how deep it is; none where the base would go down nowhere."""
    found = foot_below(it, one)
    if found is None:
        return None
    edge, landing = found
    return Way(one, it.feet - landing + math.dist(it.leader.at, edge), edge, landing)


# --- where it ends ----------------------------------------------------------------------------------------------------


def _ended(it: Climber, way: Way) -> Climb:
    """A climb onto an edge: as told, or with the base flush there, or as little over it as lets it stand.

    Where it does not stand so, as little aside along the edge as lets it, as beside a corner.
    """
    up, limit = it.move.up, it.ruleset.numbers.edge_mm
    beside_it: Iterable[Point] = ()
    if it.move.to is not None:
        ends: Iterable[Point] = (it.move.to,)
    elif up:
        inside = replace(way.contact, at=way.edge)
        ends, beside_it = inward(it, inside), aside(it, inside, limit)
        if not way.flush:  # it may be narrower than a step of that search
            ends = chain(ends, [midst(it, inside, way.height)])
    else:
        far, whole = math.dist(way.contact.at, way.edge), it.whole(way.contact.away)
        slopes = far + ALONG_MM > whole  # the wall leans: its foot is farther out than the base goes beyond the edge
        outside = replace(way.contact, at=way.edge) if slopes else way.contact
        ends, beside_it = outward(it, outside), aside(it, outside, limit)
    first: Climb | None = None
    for at in ends:
        climb = _set(it, way, at)
        if stands(climb):
            return climb
        first = first or climb
        if not up and climb.off_edge_mm > limit:  # from there on it is only farther away
            break
    for at in beside_it:
        climb = _set(it, way, at)
        if stands(climb) and climb.off_edge_mm <= limit:
            return climb
    assert first is not None
    return first


def _set(it: Climber, way: Way, at: Point) -> Climb:
    """A climb that ends at a place."""
    up, one = it.move.up, way.contact
    landing = way.height if up else landing_under(it, at)
    level = it.move.level
    over = landing + it.tall  # where nothing is below, nothing is over that
    if level is None and math.isfinite(over) and it.near.through(it.ring(at, WITHIN), over, math.inf):
        level = over
    there = beside(it.table, replace(it.leader, at=at, level=level))
    bare = replace(it.table, minis=())
    answer: Stand | None = searching(it.standing)(bare, [there])[0]
    posed = answer is not None and answer.pose is not None
    height = answer.pose.place[2] if answer is not None and answer.pose is not None else feet_mm(it.table, there)
    rise = height - it.feet
    edge = way.edge if up else foot_of(it, one, landing)
    there_too = abs(height - way.height) <= it.slack if up else clear_down(it, at, landing)
    if posed and ((rise if up else -rise) <= LOW_MM or not there_too):
        answer = None
    if answer is not None and answer.answer == "stable":  # a look said so: now everything is asked
        answer = it.standing(bare, [there])[0]
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
