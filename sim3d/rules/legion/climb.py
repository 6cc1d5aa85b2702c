"""Climbing and clambering: contact with the terrain, the nearest edge above or below, the room there (CL01 to CL03)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim3d.finding import Hit, Severity, check
from sim3d.ground import Ground, ground_of
from sim3d.ground.relief import LEVEL_MM, rise
from sim3d.ground.way import LOW_MM, TOUCH_MM, faces_near
from sim3d.plane import foot_on, gaps_mm
from sim3d.rules.legion.battle import beside, feet_mm, ring_of
from sim3d.rules.legion.move import VERTICAL, Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.tool import reach_mm
from sim3d.rules.legion.unit import Unit
from sim3d.stand import Stand
from sim3d.table import Placed, Table

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made

SEEN_MM = 60.0  # how far around its base the leader looks for a wall and for the edge above it
INWARD_MM = 0.5  # step of the search for room, from the base's whole width on the edge to its middle


@dataclass(frozen=True, slots=True)
class Climb:
    """A climb as it would be made: how far the wall is, where it is touched, the edge, the end and its answer there."""

    gap_mm: float  # from the base to the wall; infinite where there is none
    piece: str
    edge: tuple[float, float] | None  # the nearest point to stand on, above or below
    rise_mm: float  # up is positive
    at: tuple[float, float]
    level: float | None
    off_edge_mm: float  # how far the end's base is from the edge's nearest point
    stand: Stand | None
    contact: tuple[float, float] | None = None  # where the base touches the wall, or is nearest to it


def climb_of(
    table: Table, leader: Placed, unit: Unit, move: Move, feet: float, ruleset: Ruleset, standing: Standing
) -> Climb:
    """Where a climb takes a leader: to the edge nearest to its point of contact, or where the player says."""
    ground = ground_of(table)
    n = ruleset.numbers
    band = (feet + LEVEL_MM, feet + max(leader.mini.height_mm, 2 * LOW_MM))
    if not move.up:
        band = (feet - max(leader.mini.height_mm, 2 * LOW_MM), feet - LEVEL_MM)
    reach = leader.mini.base.outline.reach_mm()
    ends, owners = faces_near(ground, *leader.at, reach + SEEN_MM, *band, n.slope_deg)
    gaps = gaps_mm(ring_of(leader), ends)
    gap = float(gaps.min()) if len(gaps) else math.inf
    if not len(gaps):
        return Climb(math.inf, "", None, 0.0, leader.at, leader.level, math.inf, None)
    near = gaps <= gap + TOUCH_MM
    feet_of = foot_on(leader.at, ends[near])
    first = int(np.argmin(np.hypot(feet_of[:, 0] - leader.at[0], feet_of[:, 1] - leader.at[1])))
    contact = (float(feet_of[first, 0]), float(feet_of[first, 1]))
    piece = table.pieces[int(owners[near][first])].name
    edge = _edge(ground, contact, feet, n.slope_deg) if move.up else contact
    away = math.atan2(contact[1] - leader.at[1], contact[0] - leader.at[0])
    if edge is None:
        return Climb(gap, piece, None, 0.0, leader.at, leader.level, math.inf, None, contact)
    at, stand = _room(table, leader, move, edge, away, standing)
    there = beside(table, replace(leader, at=at, level=move.level))
    height = stand.pose.place[2] if stand is not None and stand.pose is not None else feet_mm(table, there)
    off = float(gaps_mm(ring_of(there), np.array([[edge, edge]]))[0])
    return Climb(gap, piece, edge, height - feet, at, there.level, off, stand, contact)


def _edge(ground: Ground, contact: tuple[float, float], feet: float, slope_deg: float) -> tuple[float, float] | None:
    """The nearest point of walkable ground over the feet; of several as near, the lowest."""
    flat = math.cos(math.radians(slope_deg)) - 1e-6
    best: tuple[float, float, tuple[float, float]] | None = None
    for number in ground.near(*contact, SEEN_MM):
        tri = ground.corners[number]
        if tri[:, 2].max() <= feet + LOW_MM or rise(tri) < flat:
            continue
        gap, point = _nearest(tri[:, :2], contact)
        height = float(tri[:, 2].min())
        if gap > SEEN_MM:
            continue
        as_near = best is not None and abs(gap - best[0]) <= LEVEL_MM
        if best is None or (height < best[1] if as_near else gap < best[0]):
            best = (gap, height, point)
    return best[2] if best else None


def _nearest(corners: np.ndarray, point: tuple[float, float]) -> tuple[float, tuple[float, float]]:
    """The distance from a point to a flat triangle, and the point of it that is nearest."""
    sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    cross = (sides[:, 1, 0] - sides[:, 0, 0]) * (point[1] - sides[:, 0, 1]) - (sides[:, 1, 1] - sides[:, 0, 1]) * (
        point[0] - sides[:, 0, 0]
    )
    if (cross > 0).all() or (cross < 0).all():
        return 0.0, point
    feet = foot_on(point, sides)
    away = np.hypot(feet[:, 0] - point[0], feet[:, 1] - point[1])
    best = int(np.argmin(away))
    return float(away[best]), (float(feet[best, 0]), float(feet[best, 1]))


def _room(
    table: Table, leader: Placed, move: Move, edge: tuple[float, float], away: float, standing: Standing
) -> tuple[tuple[float, float], Stand | None]:
    """Where a leader ends: as told, or with its base flush inside the edge, or as little over it as lets it stand."""
    bare = replace(table, minis=())
    whole = reach_mm(leader.mini.base.outline, math.degrees(away) - leader.turn)
    if move.to is not None:
        return move.to, standing(bare, [beside(table, replace(leader, at=move.to, level=move.level))])[0]
    first: tuple[tuple[float, float], Stand] | None = None
    steps = int(whole / INWARD_MM) + 1
    for k in range(steps):
        inward = whole - k * INWARD_MM if move.up else whole + k * INWARD_MM
        at = (edge[0] + inward * math.cos(away), edge[1] + inward * math.sin(away))
        answer = standing(bare, [beside(table, replace(leader, at=at, level=move.level))])[0]
        first = first or (at, answer)
        if answer.answer == "stable":
            return at, answer
    return first if first is not None else (leader.at, None)


def may_climb(unit: Unit) -> bool:
    """Troopers but creatures and emplacements, and vehicles with the keyword; nobody who is grounded (CL03)."""
    return not unit.has("grounded") and (unit.type == "trooper" or unit.has("climbing vehicle"))


@check("CLIMB_NOT_FOR_UNIT", Severity.ERROR, "{unit} is {type} and cannot {kind}")
def climb_not_for_unit(made: Made) -> Iterable[Hit]:
    """A unit climbs that cannot (CL03).

    Why: only troopers other than creatures and emplacements climb, and vehicles with the keyword. Example: a walker.
    Do: go around, or give the unit the keyword it has.
    """
    if made.move.kind in VERTICAL and not may_climb(made.unit):
        yield Hit(rules="CL03", unit=made.unit.name, type=made.unit.type, kind=made.move.kind)


@check("CLIMB_NO_CONTACT", Severity.ERROR, "{leader} is {gap_mm:.1f} mm from a wall; a climb begins in contact")
def climb_no_contact(made: Made) -> Iterable[Hit]:
    """A climb begins away from the terrain (CL01).

    Why: the leader's base touches what it climbs. Example: a base 0.1 mm from the wall. Do: move into contact first.
    """
    if made.climb is not None and made.climb.gap_mm >= made.ruleset.numbers.contact_mm:
        yield Hit(rules="CL01", leader=made.leader.name, gap_mm=min(made.climb.gap_mm, 9999.0))


@check("CLIMB_TOO_HIGH", Severity.ERROR, "it is {rise_mm:.1f} mm, a climb goes at most {limit_mm:.1f}")
def climb_too_high(made: Made) -> Iterable[Hit]:
    """A climb goes higher or lower than height 1 (CL01).

    Why: that is as far as a climb goes at once. Example: a tower of 152.5 mm. Do: climb by a ledge on the way.
    """
    n = made.ruleset.numbers
    limit = n.climb_heights * n.height_1_mm
    if made.climb is not None and abs(made.climb.rise_mm) > limit + LEVEL_MM:
        yield Hit(rules="CL01", rise_mm=abs(made.climb.rise_mm), limit_mm=limit)


@check("CLIMB_OFF_EDGE", Severity.ERROR, "it ends {off_mm:.1f} mm from the edge nearest to where it climbed")
def climb_off_edge(made: Made) -> Iterable[Hit]:
    """A climb ends away from the edge nearest to its point of contact (CL01, CO13).

    Why: a climb goes up or down where the wall was touched. Example: 1.1 mm behind the edge. Do: end on the edge.
    """
    if made.climb is not None and made.climb.edge is not None:
        off = made.climb.off_edge_mm
        if off > made.ruleset.numbers.edge_mm:
            yield Hit(rules="CL01 CO13", off_mm=off)


@check("CLIMB_NO_ROOM", Severity.ERROR, "there is no room to stand {where}")
def climb_no_room(made: Made) -> Iterable[Hit]:
    """Where a climb ends nobody can stand (CL03).

    Why: a climb ends at rest. Example: a wall too thin for the base. Do: climb where there is a floor.
    """
    climb = made.climb
    if climb is not None and (climb.edge is None or climb.stand is None or climb.stand.answer != "stable"):
        yield Hit(rules="CL03", where="above" if made.move.up else "below")
