"""What keeps a mini's base away about its leader, and the way out: bases, tokens, walls, edges, the end of the tool.

Places are pushed out of what they overlap, so that pockets between all of these that are narrower than any lattice
get a place, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import walls_near
from sim3d.ground.way import LOW_MM
from sim3d.plane import foot_on
from sim3d.plane.crowd import deepest
from sim3d.rules.legion.site import Site
from sim3d.rules.legion.standing import NUDGE_DEG
from sim3d.rules.legion.tokens import kept_clear
from sim3d.rules.legion.ways import beyond_mm
from sim3d.space import Floats
from sim3d.table import Placed

SEGMENTS = 300  # walls looked at for pushing; the longest count
SLACK_MM = 0.02


def reach_mm(site: Site, mini: Placed) -> float:
    """The farthest that a mini's middle can be from its leader's."""
    return math.dist(mini.at, site.leader.at) - beyond_mm(site.leader, mini, site.ruleset)


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What keeps a round base away: points with distances, walls with distances, the table's edge, the tool."""

    points: Floats  # (m, 3): x, y, least distance
    walls: Floats  # (w, 2, 2)
    gaps: Floats  # (w,)
    half: tuple[float, float]  # the box for its middle
    middle: tuple[float, float]
    reach: float

    def pushed(self, spots: Floats, rounds: int, apart: float = 0.0) -> Floats:
        """Spots (n, 2), pushed out of what they are deepest in, again and again; with `apart` out of each other."""
        spots = spots.copy()
        for _ in range(rounds):
            depth, way = self.deepest(spots)
            if apart:
                away = spots[:, None] - spots[None]
                gap = np.hypot(away[..., 0], away[..., 1]) + np.eye(len(spots)) * 2 * apart
                deep = apart - gap
                other = deep.argmax(axis=1)
                k = np.arange(len(spots))
                more = deep[k, other] > depth
                size = np.maximum(gap[k, other], LEVEL_MM)[:, None]
                way = np.where(more[:, None], away[k, other] / size, way)
                depth = np.where(more, deep[k, other] / 2 + SLACK_MM, depth)
            moving = depth > 0
            if not moving.any():
                break
            spots[moving] += way[moving] * (depth[moving] + SLACK_MM)[:, None]
        return spots

    def deepest(self, spots: Floats) -> tuple[Floats, Floats]:
        """How deep each spot is in its worst obstacle, and the way out of it."""
        depth, way = np.empty(len(spots)), np.empty((len(spots), 2))
        half, middle = np.array(self.half), np.array(self.middle)
        deepest(np.ascontiguousarray(spots), self.points, self.walls, self.gaps, half, middle, self.reach, depth, way)
        return depth, way


def obstacles_of(site: Site, mini: Placed) -> Obstacles:
    """The obstacles about a leader for one kind of mini; bases that are not round count as far as they reach."""
    table, n = site.battle.table, site.ruleset.numbers
    radius = mini.mini.base.outline.reach_mm()
    reach = reach_mm(site, mini)
    mine = mini.name == site.leader.name
    rows = [] if mine else [(*site.leader.at, radius + site.leader.mini.base.outline.reach_mm())]
    for other in table.minis:
        theirs = other.mini.base.outline.reach_mm()
        if other.name in site.unit.minis or math.dist(other.at, site.leader.at) > reach + radius + theirs:
            continue
        foe = site.battle.unit_of(other.name)
        hostile = foe is not None and foe.side != site.unit.side and foe.name not in site.melee
        rows.append((*other.at, radius + theirs + (n.contact_mm if hostile else 0.0)))
    rows += [(*t.at, radius + t.diameter_mm / 2) for t in table.tokens if kept_clear(t, site.ruleset)]
    walls, gaps = _walls_about(site, mini, reach + radius)
    half = (math.inf, math.inf) if table.size_mm is None else table.size_mm
    box = (half[0] / 2 - radius, half[1] / 2 - radius)
    return Obstacles(np.array(rows).reshape(-1, 3), walls, gaps, box, site.leader.at, reach)


def _walls_about(site: Site, mini: Placed, reach: float) -> tuple[Floats, Floats]:
    """Walls that a base keeps off by its radius, and ledges that its centre of mass keeps off by a nudge's tilt."""
    ground, n = ground_of(site.battle.table), site.ruleset.numbers
    tall = max(mini.mini.height_mm, 2 * LOW_MM)
    radius = mini.mini.base.outline.reach_mm()
    firm = mini.mini.com[2] * math.tan(math.radians(NUDGE_DEG)) + SLACK_MM
    found, gaps = [np.zeros((0, 2, 2))], [np.zeros(0)]
    for low, high, gap in (
        (site.feet + LEVEL_MM, site.feet + tall, radius + SLACK_MM),
        (site.feet - tall, site.feet - LEVEL_MM, firm),
    ):
        mine = ground.corners[walls_near(ground, *site.leader.at, reach, low, high, n.slope_deg)][:, :, :2]
        ends = np.concatenate([mine[:, [0, 1]], mine[:, [1, 2]], mine[:, [2, 0]]])
        found.append(ends)
        gaps.append(np.full(len(ends), gap))
    walls, away = np.concatenate(found), np.concatenate(gaps)
    if not len(walls):
        return walls, away
    near = foot_on(site.leader.at, walls) - np.array(site.leader.at)
    within = np.hypot(near[:, 0], near[:, 1]) <= reach
    walls, away = walls[within], away[within]
    lengths = np.hypot(*(walls[:, 1] - walls[:, 0]).T)
    if len(walls) > SEGMENTS:
        long = lengths >= np.partition(lengths, -SEGMENTS)[-SEGMENTS]
        walls, away, lengths = walls[long], away[long], lengths[long]
    longest = np.argsort(-lengths, kind="stable")[:SEGMENTS]
    return walls[longest], away[longest]
