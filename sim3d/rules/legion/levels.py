"""Elevation levels, from the terrain itself: two spots are on one level when a way joins them that climbs nothing.

A way climbs nothing when every rise and every drop on it is within the step limit. It is looked for on a lattice, so
a passage narrower than the base and a lattice step may be missed; a way that is found is walked exactly.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.way import Walk, arrived
from sim3d.plane import filled
from sim3d.rules.legion.passage import outside_each_mm, outside_mm
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.terrain import height_band
from sim3d.space import Floats
from sim3d.table import Placed, Table

LATTICE_MM = 12.0  # under half of the smallest base: a detour around a corner is found
FAR_MM = 400.0  # how far a detour may lead from both spots: farther is another part of the table
AROUND = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)])
SAME_MM = 1.0  # a way that comes back at another height than this is on another storey


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and how high it is."""

    x: float
    y: float
    z: float


def same_level(table: Table, mini: Placed, walk: Walk, start: Spot, goal: Spot) -> bool:
    """Whether a base can be carried from one spot to the other without climbing."""
    if walked(table, mini, walk, start, (goal.x, goal.y), goal.z):
        return True
    queue: list[tuple[float, float, int, int, float]] = [
        (math.dist((start.x, start.y), (goal.x, goal.y)), 0.0, 0, 0, start.z)
    ]
    seen: set[tuple[int, int, int]] = set()
    while queue:
        _, gone, i, j, z = heapq.heappop(queue)
        key = (i, j, round(z / SAME_MM))
        if key in seen:
            continue
        seen.add(key)
        x, y = start.x + i * LATTICE_MM, start.y + j * LATTICE_MM
        here = Spot(x, y, z)
        if math.dist((x, y), (goal.x, goal.y)) <= 2 * LATTICE_MM and walked(
            table, mini, walk, here, (goal.x, goal.y), goal.z
        ):
            return True
        around = np.array([(x, y)]) + LATTICE_MM * AROUND
        left = np.hypot(around[:, 0] - goal.x, around[:, 1] - goal.y)
        near = (left <= FAR_MM) | (np.hypot(around[:, 0] - start.x, around[:, 1] - start.y) <= FAR_MM)
        for k, end in zip(np.flatnonzero(near).tolist(), ends_of(table, mini, walk, here, around[near]), strict=True):
            if not math.isnan(end):
                di, dj = AROUND[k].tolist()
                far = gone + math.hypot(di, dj) * LATTICE_MM
                heapq.heappush(queue, (far + float(left[k]), far, i + di, j + dj, float(end)))
    return False


def walked(table: Table, mini: Placed, walk: Walk, start: Spot, to: tuple[float, float], z: float) -> bool:
    """Whether the straight way ends at that height."""
    end = carried_to(table, mini, walk, start, to)
    return end is not None and abs(end - z) <= SAME_MM


def carried_to(table: Table, mini: Placed, walk: Walk, start: Spot, to: tuple[float, float]) -> float | None:
    """How high the straight way ends; None where something stops it, or it drops, or leaves the table."""
    end = ends_of(table, mini, walk, start, np.array([to]))[0]
    return None if math.isnan(end) else float(end)


def ends_of(table: Table, mini: Placed, walk: Walk, start: Spot, places: Floats) -> Floats:
    """How high straight ways to places (n, 2) end; NaN where there is none."""
    base, turn = mini.mini.base, np.full((len(places), 1), mini.turn)
    out = np.full(len(places), math.nan)
    if outside_mm(table, base, np.array([[start.x, start.y, mini.turn]])) > 0:
        return out
    there = np.flatnonzero(outside_each_mm(table, base, np.hstack([places, turn])) <= 0)
    ring = filled(base.outline)
    out[there] = arrived(ground_of(table), ring, (start.x, start.y, start.z), mini.turn, places[there], walk)
    return out


def apart_in_heights(one: Spot, other: Spot, ruleset: Ruleset) -> int:
    """The height difference of two spots in bands of the range ruler."""
    return height_band(abs(one.z - other.z), ruleset)
