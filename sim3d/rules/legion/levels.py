"""Elevations, from the terrain itself: a place is on a mini's own when a way joins them that climbs nothing.

A way climbs nothing when every rise and every drop on it is within the step limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.way import Walk, arrived
from sim3d.plane import filled
from sim3d.rules.legion.passage import outside_each_mm, outside_mm
from sim3d.space import Floats
from sim3d.table import Placed, Table

SAME_MM = 1.0  # a way that comes back at another height than this is on another storey


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and how high it is."""

    x: float
    y: float
    z: float


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
