"""What a hand does to a mini: `Ask`, where it is put, how far it is pushed over an edge, its friction and weight.

The question is asked of the same `stand` that the rules ask; nothing here decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sim3d.atlas import atlas
from sim3d.engine import MOST_FRICTION
from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.space import Floats
from sim3d.stand import Physics, Stand, stand
from sim3d.table import Placed, Table
from sim3d.view.maps import OUTLINE_MM
from sim3d.view.scene import Map

LOOKS_MM = 80.0  # how far from its middle an edge is looked for
RINGS_MM = 0.5  # and how finely
WAYS = 72  # directions that are looked in
DROP_MM = 3.0  # ground this far under the underside carries nothing: the underside hangs over it
SAME_MM = 0.01  # an overhang is met this closely
TRIES = 8
MAP_MM = 80.0  # a standing map reaches so far around a mini
MAP_PITCH_MM = 2.0


@dataclass(frozen=True, slots=True)
class Ask:
    """Where a mini is asked about, and what is otherwise about it than its table says."""

    at: tuple[float, float]
    turn: float
    friction: float | None = None  # None: of the surfaces that meet
    com_mm: float | None = None  # None: as the mini says
    over_mm: float = 0.0  # pushed over the nearest edge until so much hangs over; 0: left where it is

    def mini(self, mini: Mini) -> Mini:
        """The mini with this centre of mass, never over its top."""
        if self.com_mm is None:
            return mini
        x, y, _ = mini.com
        return Mini(mini.base, body=mini.body, mass_g=mini.mass_g, com=(x, y, min(self.com_mm, mini.height_mm)))


def asked(
    table: Table, placed: Placed, ask: Ask, *, engine: str | None = None, physics: Physics = "never"
) -> tuple[Placed, Stand]:
    """The mini as it is asked about, and the verdict; `table` is everything else."""
    there = replace(placed, mini=ask.mini(placed.mini), at=ask.at, turn=ask.turn)
    friction = None if ask.friction is None else min(ask.friction, MOST_FRICTION)

    def verdict(at: tuple[float, float], how: Physics) -> Stand:
        return stand(
            table,
            there.mini,
            at=at,
            turn=ask.turn,
            level=placed.level,
            friction=friction,
            material=placed.material,
            engine=engine,
            physics=how,
        )

    if ask.over_mm > 0:
        found = verdict(ask.at, "never")
        edge = nearest_edge(table, found)
        if edge is not None:
            x, y, away = edge
            push = away + ask.over_mm - _reach(there, math.atan2(y, x))
            for _ in range(TRIES):
                at = (ask.at[0] + push * x, ask.at[1] + push * y)
                seen = verdict(at, "never").overhang_mm
                if seen is None or abs(seen - ask.over_mm) <= SAME_MM:
                    break
                push += ask.over_mm - seen
            there = replace(there, at=at)
    return there, verdict(there.at, physics)


def map_around(table: Table, placed: Placed) -> Map:
    """A standing map of the mini as it is turned, around its place."""
    x, y = placed.at
    pitch = MAP_PITCH_MM
    low_x, low_y = (pitch * math.floor((v - MAP_MM) / pitch) for v in (x, y))
    area = (low_x, low_y, low_x + 2 * MAP_MM, low_y + 2 * MAP_MM)
    made = atlas(table, placed.mini, pitch=pitch, turns=(placed.turn,), area=area, material=placed.material)
    return Map(f"where {placed.name} stands", made, 0, placed.mini.base.outline.polygon(OUTLINE_MM))


def nearest_edge(table: Table, found: Stand) -> tuple[float, float, float] | None:
    """The direction (x, y) and distance in mm to the nearest place where the ground falls away; None: none near.

    Seen from the middle of a mini at rest, over the plane of its underside; a rise is no edge.
    """
    if found.pose is None:
        return None
    patch = ground_of(table).patch(*found.at, LOOKS_MM + RINGS_MM, level=found.level)
    tris = patch.tris + np.array([0.0, 0.0, patch.z])  # about the middle, heights of the table
    ux, uy, uz = (float(c) for c in found.pose.rotation()[:, 2])
    _, _, z = found.pose.place
    angle = 2 * math.pi * np.arange(WAYS) / WAYS
    ways = np.column_stack([np.cos(angle), np.sin(angle)])
    for far in np.arange(RINGS_MM, LOOKS_MM, RINGS_MM).tolist():
        points = far * ways
        plane = z - (points @ np.array([ux, uy])) / uz
        gone = ~(_tops(tris, points) >= plane - DROP_MM)
        if gone.any():
            x, y = ways[int(np.argmax(gone))].tolist()
            return x, y, far - RINGS_MM / 2
    return None


def _tops(tris: Floats, points: Floats) -> Floats:
    """The highest terrain over each point (n, 2); NaN where there is none."""
    a, b, c = (tris[:, k, :2][None] for k in range(3))
    p = points[:, None]

    def cross(u: Floats, v: Floats) -> Floats:
        area: Floats = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
        return area

    whole = cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        r, s = cross(p - a, c - a) / whole, cross(b - a, p - a) / whole
        z = tris[:, 0, 2] + r * (tris[:, 1, 2] - tris[:, 0, 2]) + s * (tris[:, 2, 2] - tris[:, 0, 2])
        z = np.where((r >= 0) & (s >= 0) & (r + s <= 1) & (whole != 0), z, -np.inf)
    top = z.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(top), top, np.nan)


def _reach(placed: Placed, way_rad: float) -> float:
    """How far the base reaches from its middle in a direction on the table."""
    corners, _ = placed.mini.base.mesh(chord_mm=0.05)
    turn = way_rad - math.radians(placed.turn)
    return float((corners[:, :2] @ np.array([math.cos(turn), math.sin(turn)])).max())
