"""Terrain as seen from above through a lattice of rays: at each point every surface that has room over it, top first.

The lattice divides the way from centre to centre, so that turning or mirroring it by a hexside gives the same points.
How a mesh is wound decides nothing: one that is turned inside out is the same terrain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim3d.ground.patch import Ground
from sim3d.rules.hexes.grid import EVEN_MM, WAYS, Hex, Layout
from sim3d.solid.volume import outward
from sim3d.space import Bools, Floats, Ints
from sim3d.table import Table

DIVISIONS = 40  # of the way from centre to centre: 2.2 mm at the usual size, some 1,600 rays a hex
EDGE = 1e-7  # of a division: a point this near to a triangle's edge is on it, and so on both triangles
ROW = 1e-3  # of a division: points this far beside a triangle's cut are tried, too
SAME_MM = 1e-4  # hits of one facing nearer than this are one surface met twice, as on an edge
THIN = 1e-9  # seen from above, of its length: a thinner triangle has no height at a point, who is there is at its sides
AT_ONCE = 2_000_000  # rays tried together, some 100 bytes each
DIGITS = 6  # of every height in mm that is kept
FLOOR = -1  # the owner of a hit on the table's floor


@dataclass(frozen=True, slots=True)
class Skin:
    """A table's triangles and which way they look, whatever way they were wound; its floor, its edge."""

    table: Table
    corners: Floats  # (m, 3, 3) mm
    owners: Ints  # (m,) the piece of each
    turn: Ints  # (m,) 1 or -1: by which the way it is wound is multiplied; 0: it has no side
    part: Ints  # (m,) what hangs together
    wound: Bools  # (m,) whether its piece's triangles agree which side is outside
    level: Bools  # (m,) whether it has a height at a point: it is no wall

    def on_table(self, xy: Floats) -> Bools:
        """Whether points are on the table; one without an edge goes on for ever."""
        if self.table.size_mm is None:
            return np.ones(len(xy), dtype=bool)
        x, y = np.abs(xy).T
        on: Bools = (x <= self.table.size_mm[0] / 2 + EDGE) & (y <= self.table.size_mm[1] / 2 + EDGE)
        return on


def skin_of(table: Table, ground: Ground) -> Skin:
    """A table's triangles. What is closed looks outwards; what is not, to the sky where it is seen from there."""
    none = np.zeros(0, np.int64)
    turns, parts, wound, before = [none], [none], [none.astype(bool)], 0
    for piece in table.pieces:
        solid = piece.solid
        whole = np.concatenate([solid.faces, solid.slivers])
        turn, part = (told[: len(solid.faces)] for told in outward(solid.vertices, whole, solid.edges))
        turns.append(turn)
        parts.append(part + before)
        wound.append(np.full(len(turn), solid.wound))
        before += int(part.max(initial=-1)) + 1
    sides: Floats = np.roll(ground.corners, -1, axis=1)[:, :, :2] - ground.corners[:, :, :2]
    longest = (sides**2).sum(axis=2).max(axis=1, initial=0.0)  # squared; along no axis: turned it is as long
    level = np.abs(_cross(sides[:, 0], sides[:, 1])) > THIN * longest
    told = np.concatenate(turns), np.concatenate(parts), np.concatenate(wound)
    return Skin(table, ground.corners, ground.pieces, *told, level)


@dataclass(frozen=True, slots=True)
class Samples:
    """Surfaces under the points (a, b) of a lattice: `heights[i, j]` the j-th from the top, NaN where there is none."""

    layout: Layout
    low: tuple[int, int]  # the point (a, b) of the first row and column
    heights: Floats  # (columns, rows, layers)
    ceilings: Floats  # (columns, rows, layers), what hangs over each; infinite under the sky
    owners: Ints  # (columns, rows, layers), the piece of each, or FLOOR

    def index(self, a: int, b: int) -> tuple[int, int]:
        """Where a point is kept."""
        return a - self.low[0], b - self.low[1]

    def middle(self, at: Hex) -> tuple[int, int]:
        """The point in the middle of a hex."""
        return at.q * DIVISIONS, at.r * DIVISIONS


def _in_cell() -> Ints:
    """The points (a, b) about (0, 0) that are no nearer to another hex's middle, nearest first."""
    n = DIVISIONS
    a, b = (v.ravel() for v in np.meshgrid(np.arange(-n, n + 1), np.arange(-n, n + 1), indexing="ij"))
    inside = np.ones(len(a), dtype=bool)
    for q, r in WAYS:
        inside &= 2 * (a * q + b * r) + a * r + b * q <= n
    a, b = a[inside], b[inside]
    order = np.lexsort((b, a, a * a + a * b + b * b))
    return np.column_stack([a, b])[order].astype(np.int64)


CELL = _in_cell()
INNER = CELL[[all(2 * (a * q + b * r) + a * r + b * q < DIVISIONS for q, r in WAYS) for a, b in CELL]]  # on no hexside


def sampled(skin: Skin, layout: Layout, hexes: Sequence[Hex], room_mm: float) -> Samples:
    """Every surface under the hexes with at least `room_mm` over it; beyond the table's edge there is nothing."""
    centres = np.array([(h.q, h.r) for h in hexes]) * DIVISIONS
    low, high = centres.min(axis=0) - DIVISIONS, centres.max(axis=0) + DIVISIONS
    columns, rows = (int(v) for v in high - low + 1)
    basis = steps_of(layout)
    wanted = np.zeros((columns, rows), dtype=bool)
    for centre in centres:
        a, b = (CELL + centre - low).T
        wanted[a, b] = True
    points = np.argwhere(wanted) + low
    on = skin.on_table(points @ basis + np.array(layout.origin))
    a, b = (points - low).T
    wanted[a[~on], b[~on]] = False
    hits = _hits(skin, basis, np.array(layout.origin), low, wanted)
    layers = layers_of(skin, hits, a[on] * rows + b[on], room_mm)
    return _dense(layout, (int(low[0]), int(low[1])), (columns, rows), layers)


def steps_of(layout: Layout) -> Floats:
    """A step of the lattice along a, and one along b, mm."""
    return np.array([layout.vector(0), layout.vector(5)]) / DIVISIONS


Hits = tuple[Ints, Floats, Ints]  # where, how high, which triangle


def _hits(skin: Skin, basis: Floats, origin: Floats, low: Ints, wanted: Bools) -> Hits:
    """Where rays through the wanted points meet triangles."""
    columns, rows = wanted.shape
    lattice: Floats = (skin.corners[:, :, :2] - origin) @ np.linalg.inv(basis) - low
    first = np.maximum(np.ceil(lattice.min(axis=1) - EDGE), 0).astype(np.int64)
    last = np.minimum(np.floor(lattice.max(axis=1) + EDGE), [columns - 1, rows - 1]).astype(np.int64)
    span = np.maximum(last - first + 1, 0)
    counts = np.where(skin.level, span[:, 0] * span[:, 1], 0)
    found: list[Hits] = []
    chosen = np.flatnonzero(counts)
    for group in in_groups(chosen, counts):
        t, a = run(group, first[group, 0], span[group, 0])
        begin, many = _row(lattice[t], a, first[t, 1], last[t, 1])
        row, b = run(np.arange(len(t)), begin, many)
        t, a = t[row], a[row]
        keep = wanted[a, b]
        t, a, b = t[keep], a[keep], b[keep]
        inside, z = met(lattice[t], skin.corners[t, :, 2], a, b)
        found.append((a[inside] * rows + b[inside], z[inside], t[inside]))
    return together(found)


def together(found: Sequence[Hits]) -> Hits:
    """Hits after each other."""
    none = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))
    where, z, t = (np.concatenate(part) for part in zip(none, *found, strict=True))
    return where, z, t


def in_groups(chosen: Ints, counts: Ints) -> list[Ints]:
    """Triangles in groups whose rays fit into memory together."""
    if not len(chosen):
        return []
    ends = np.cumsum(counts[chosen]) // AT_ONCE
    return [g for g in np.split(chosen, np.flatnonzero(np.diff(ends)) + 1) if len(g)]


def run(items: Ints, begin: Ints, many: Ints) -> tuple[Ints, Ints]:
    """Each item so many times, and numbers that run on from its beginning."""
    k = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(items, many), np.repeat(begin, many) + k


def _row(tri: Floats, a: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Of triangles cut along rows a, the first point that may lie inside, and how many; a few more, never fewer."""
    low, high = cut_along(tri, a)
    begin, end = np.maximum(np.ceil(low - ROW), first), np.minimum(np.floor(high + ROW), last)
    many = np.where(end >= begin, end - begin + 1, 0.0)
    return np.where(many > 0, begin, 0.0).astype(np.int64), many.astype(np.int64)


def cut_along(tri: Floats, a: Ints) -> tuple[Floats, Floats]:
    """From where to where rows a cut triangles; from infinity to minus infinity where they do not."""
    low, high = np.full(len(a), np.inf), np.full(len(a), -np.inf)
    for i in range(3):
        p, q = tri[:, i], tri[:, (i + 1) % 3]
        along = q[:, 0] - p[:, 0]
        level = np.abs(along) < EDGE  # such an edge ends in two others, which are asked
        share = np.clip((a - p[:, 0]) / np.where(level, 1.0, along), 0.0, 1.0)
        near = ~level & (np.abs(p[:, 0] + share * along - a) <= 2 * EDGE)
        b = p[:, 1] + share * (q[:, 1] - p[:, 1])
        low, high = np.where(near, np.minimum(low, b), low), np.where(near, np.maximum(high, b), high)
    return low, high


def met(tri: Floats, high: Floats, a: Floats | Ints, b: Floats | Ints) -> tuple[Bools, Floats]:
    """Whether points lie in triangles or on their edges, and the height there."""
    inside = np.ones(len(a), dtype=bool)
    whole = np.zeros(len(a))
    z = np.zeros(len(a))
    at: Floats = np.column_stack([a, b]).astype(np.float64)
    sign = np.sign(_cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 0]))
    for i in range(3):
        p, q = tri[:, (i + 1) % 3], tri[:, (i + 2) % 3]
        side = q - p
        share = sign * _cross(side, at - p)
        inside &= share >= -EDGE * np.hypot(side[:, 0], side[:, 1])
        whole += share
        z += share * high[:, i]
    return inside, z / np.where(whole > 0, whole, 1.0)


def _cross(u: Floats, v: Floats) -> Floats:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def layers_of(skin: Skin, hits: Hits, bare: Ints, room_mm: float) -> tuple[Any, ...]:
    """Of all hits, and of the floor under the points `bare`, those that something can stand on, as `_layers`."""
    where, z, t = hits
    up, owner = _facing_up(skin, hits), skin.owners[t]
    if skin.table.floor_mm is not None:
        count = len(bare)
        where = np.concatenate([where, bare])
        z = np.concatenate([z, np.full(count, skin.table.floor_mm)])
        up = np.concatenate([up, np.ones(count, dtype=bool)])
        owner = np.concatenate([owner, np.full(count, FLOOR)])
    return _layers(where, z, up, owner, room_mm)


def _facing_up(skin: Skin, hits: Hits) -> Bools:
    """Whether the triangles that rays meet face up.

    What has no side faces up where its ray meets it first, and farther down what is wound as that is; every other time
    where its triangles do not agree.
    """
    where, z, t = hits
    edges = skin.corners[t, 1:, :2] - skin.corners[t, :1, :2]
    sign = np.sign(_cross(edges[:, 0], edges[:, 1]))
    up = sign * skin.turn[t] > 0
    loose = np.flatnonzero(skin.turn[t] == 0)
    if not len(loose):
        return up
    order = loose[np.lexsort((-sign[loose], -z[loose], skin.part[t[loose]], where[loose]))]
    of = np.column_stack([where, skin.part[t]])[order]
    fresh = np.r_[True, (np.diff(of, axis=0) != 0).any(axis=1)]
    top = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]
    again = ~fresh & (np.r_[np.inf, -np.diff(z[order])] < SAME_MM)  # met twice, as on an edge
    nth = np.cumsum(~again)
    up[order] = np.where(skin.wound[t[order]], sign[order] == sign[order][top], (nth - nth[top]) % 2 == 0)
    return up


def _layers(where: Ints, z: Floats, up: Bools, owner: Ints, room_mm: float) -> tuple[Any, ...]:
    """Of all hits those that something can stand on: facing up, not inside a solid, room over them; top first."""
    order = np.lexsort((-z, where))
    apart = (np.diff(where[order]) != 0) | (np.diff(-z[order]) >= SAME_MM)
    met = np.empty(len(z), dtype=np.int64)  # at once, as on an edge: what is left comes before what is entered
    met[order] = np.cumsum(np.r_[0, apart]) if len(z) else 0
    order = np.lexsort((owner, -z, up, met))
    where, z, up, owner = where[order], z[order], up[order], owner[order]
    repeated = np.zeros(len(z), dtype=bool)
    for facing in (True, False):
        mine = np.flatnonzero(up == facing)
        same = (np.diff(where[mine]) == 0) & (np.diff(-z[mine]) < SAME_MM)
        repeated[mine[1:][same]] = True
    where, z, up, owner = where[~repeated], z[~repeated], up[~repeated], owner[~repeated]
    if not len(z):
        return where, z, z, owner, where
    starts = np.r_[True, np.diff(where) != 0]
    group = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    sums = np.cumsum(np.where(up, 1, -1))
    above = sums - np.where(up, 1, -1)  # solids entered minus left, over each hit
    depth = above - above[first][group]
    ceiling = np.where(starts, np.inf, np.r_[np.inf, z[:-1]])
    stands = up & (depth <= 0) & (ceiling - z >= room_mm - EVEN_MM)
    where, z, ceiling, owner = where[stands], z[stands], ceiling[stands], owner[stands]
    rank = np.arange(len(z)) - np.searchsorted(where, where, side="left")
    return where, z, ceiling, owner, rank


def _dense(layout: Layout, low: tuple[int, int], size: tuple[int, int], layers: tuple[Any, ...]) -> Samples:
    """Layers by point, in boxes of equal size."""
    where, z, ceiling, owner, rank = layers
    most = int(rank.max(initial=0)) + 1
    count = size[0] * size[1]
    heights = np.full((count, most), np.nan)
    ceilings = np.full((count, most), np.inf)
    owners = np.full((count, most), FLOOR, dtype=np.int64)
    heights[where, rank] = np.round(z, DIGITS)  # so that the last digit of a sum decides nothing
    ceilings[where, rank], owners[where, rank] = np.round(ceiling, DIGITS), owner
    shape = (*size, most)
    return Samples(layout, low, heights.reshape(shape), ceilings.reshape(shape), owners.reshape(shape))
