"""At the terrain's edge: the walls between two levels, how far a base is from them, places in contact with them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import faces_near
from sim3d.ground.way import LOW_MM, rims_mm
from sim3d.plane import filled, foot_on, gaps_mm
from sim3d.rules.legion.battle import all_beside, feet_mm, ring_of
from sim3d.rules.legion.passage import pieces_at
from sim3d.rules.legion.site import Point, Site
from sim3d.rules.legion.terrain import room_mm
from sim3d.space import Floats
from sim3d.table import Placed

ALONG_MM = 1.0  # step of the search for places along a wall
CORNER = 2  # decimals of a wall's end: what ends nearer to another end than this goes on there,
CORNER_MM = 10.0**-CORNER  # and what a wall goes on by beyond a point
DIGITS = 6  # decimals of mm to which places are as near: turned or moved, the last ones of all numbers are others
FEW, MANY = 8, 64  # such places that are looked at at a time, at first and at last


def seen_from(leader: Placed, spots: Floats) -> Floats:
    """Places (n, 2) as a leader sees them: ahead and to the left, alike wherever the table is turned and moved to."""
    a, away = math.radians(leader.turn), spots - np.array(leader.at)
    ahead = away[:, 0] * math.cos(a) + away[:, 1] * math.sin(a)
    left = away[:, 1] * math.cos(a) - away[:, 0] * math.sin(a)
    seen: Floats = np.column_stack([ahead, left]).round(DIGITS) + 0.0
    return seen


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


def from_walls_mm(mini: Placed, ends: Floats) -> float:
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
    table, step = site.battle.table, site.ways.walk.step_mm
    return (place for place in offered(site, mini, feet, ends) if abs(feet_mm(table, place) - feet) <= step)


def offered(site: Site, mini: Placed, feet: float, ends: Floats) -> Iterator[Placed]:
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
    away = np.hypot(*(spots - contact).T).round(DIGITS)
    spots, away = spots[away <= limit], away[away <= limit]
    over = (away <= round(far, DIGITS)) & (mini.mini.base.outline.radius_mm is not None)
    seen = seen_from(site.leader, spots)
    order = np.lexsort((seen[:, 1], seen[:, 0], np.where(over, -away, away), ~over))
    _, first = np.unique(seen[order], axis=0, return_index=True)
    nearest: Floats = spots[order][np.sort(first)]
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
