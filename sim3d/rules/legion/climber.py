"""A leader who climbs, and a place where its base touches what it climbs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim3d.ground import Ground, ground_of
from sim3d.ground.covered import CORE
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import LOW_MM, TOUCH_MM
from sim3d.plane import hull
from sim3d.rules.legion.around import Around, Point, around
from sim3d.rules.legion.battle import ring_of
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.terrain import room_mm
from sim3d.rules.legion.tool import reach_mm
from sim3d.space import Floats
from sim3d.table import Placed, Table

SEEN_MM = 60.0  # how far around its base the leader looks for a wall and, at first, for where that leads
PROBE_MM = 2 * TOUCH_MM  # just beyond an edge, or just inside it
ALONG_MM = 0.5  # step of the search for ground that goes on, beyond an edge


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
    """A leader who climbs: where it is, how it steps, the terrain around it. One for all walls that it touches.

    It looks `seen_mm` ahead for the edge over a wall, or for its foot.
    """

    table: Table
    leader: Placed
    move: Move
    feet: float
    step: float
    ruleset: Ruleset
    standing: Standing
    seen_mm: float = SEEN_MM

    @cached_property
    def ground(self) -> Ground:
        """All terrain."""
        return ground_of(self.table)

    @cached_property
    def near(self) -> Around:
        """The terrain that a climb could come to: an edge in sight, and the base beyond it."""
        reach = self.leader.mini.base.outline.reach_mm()
        return around(self.ground, self.leader.at, self.seen_mm + 2 * 2 * reach, self.ruleset.numbers.slope_deg)

    @cached_property
    def steep(self) -> float:
        """The gradient of what is climbed: that or more."""
        return math.tan(math.radians(self.ruleset.numbers.slope_deg))

    @cached_property
    def farthest(self) -> float:
        """How far ahead what it climbs may lead: a wall may lean until it is walked."""
        return max(self.limit / self.steep, SEEN_MM)

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
        return self.leader.mini.base.outline.reach_mm() * (1 + CORE) * self.steep

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
