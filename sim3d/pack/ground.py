"""`Ground`: where one base stands on one piece, storey by storey, and where it can walk and climb to.

Made from a standing map; all that the standing checks look at, so that they can be tried on grounds made by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim3d.atlas import Atlas, Contradicted, Layer
from sim3d.plane import Outline
from sim3d.solid import Solid
from sim3d.solid.joined import joined
from sim3d.space import Bools, Floats, Ints
from sim3d.stand import WORDS

STABLE, PRECARIOUS, STEEP, UNDECIDED = "stable", "precarious", "too-steep", "undecided"
SAME_MM = 1.0  # two storeys of a map are one where their heights differ by less
ABOVE_MM = 1.0  # over the table: lower is the table itself, or a piece's foot
LEVEL_TILT_DEG = 2.5  # what players call level
LEVEL_BIN_MM = 1.0
ROOM_MM = 10.0  # two floors over a place that are nearer than this are one: no mini is so small
WALL_MM = 10.0  # a base stands before it and then on it, or behind it
RIM = 1e-9  # of a cell: so near to its rim is on it
CHUNK = 2_000_000  # pairs of a triangle and a cell that are looked at together


@dataclass(frozen=True, slots=True)
class Ground:
    """Storeys of cells: (k, ny, nx) heights over the table, NaN where there is none, their words and tilts."""

    base: str
    width_mm: float
    pitch_mm: float
    x0: float  # the middle of the first cell
    y0: float
    height: Floats
    word: NDArray[np.str_]
    tilt: Floats
    top: Floats  # (ny, nx): how high the terrain reaches; 0 is the table
    undecided: int = 0  # cells of the plain map
    audit: tuple[int, int, int, int] = (0, 0, 0, 0)  # asked, agreed, in the band, disagreed
    contradicted: tuple[tuple[float, float, float], ...] = ()  # where the engine disagreed
    rim: Floats | None = None  # (k, ny, nx): how far it reaches below its middle; None: as a round one
    floor_mm: float = 0.0  # the table's height in the terrain's own coordinates, in which places are told
    passed: Floats | None = None  # (m, ny, nx): over what else a base goes, though it does not rest there

    @property
    def cell_mm2(self) -> float:
        """The area of a cell."""
        return self.pitch_mm**2

    def is_word(self, *words: str) -> Bools:
        """Where one of these words holds on the piece: no part of the base rests on the table."""
        rim = self.width_mm / 2 * np.sin(np.radians(self.tilt)) if self.rim is None else self.rim
        found: Bools = np.isin(self.word, words) & (self.height - rim > ABOVE_MM)
        return found

    def place(self, k: int, j: int, i: int) -> tuple[float, float, float]:
        """The middle of a cell, as high as in the terrain's own coordinates."""
        return self.x0 + i * self.pitch_mm, self.y0 + j * self.pitch_mm, float(self.height[k, j, i]) + self.floor_mm

    def levels(self) -> tuple[tuple[float, float], ...]:
        """Heights with level ground to stand on, at least a quarter of the base's square each, and its mm²."""
        level = self.is_word(STABLE) & (self.tilt < LEVEL_TILT_DEG)
        heights = np.sort(self.height[level])
        found = []
        start = 0
        for k in range(1, len(heights) + 1):
            if k == len(heights) or heights[k] - heights[k - 1] > LEVEL_BIN_MM:
                area = (k - start) * self.cell_mm2
                if area >= self.width_mm**2 / 4:
                    found.append((round(float(np.median(heights[start:k])), 1), area))
                start = k
        return tuple(found)


def ground_of(atlas: Atlas, solid: Solid, outline: Outline) -> Ground:
    """The ground of a standing map of a piece that stands on the table (its lowest point is the table's height)."""
    width = min(outline.length_mm, outline.width_mm)
    ground = ground_over(atlas, solid.vertices, solid.faces, solid.bounds[0][2], width)
    if outline.radius_mm is not None:
        return ground
    return replace(ground, rim=np.stack([_rim(outline, layer) for layer in atlas.layers]))


def _rim(outline: Outline, layer: Layer) -> Floats:
    """How far below its middle a base reaches where it leans as a layer says."""
    turn = math.radians(layer.turn)
    x, y = outline.polygon().T
    along, across = (layer.numbers[:, :, k] for k in (1, 2))  # the slopes of its underside
    rim = np.full(along.shape, -np.inf)
    for p, q in zip(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn), strict=True):
        rim = np.maximum(rim, -(along * p + across * q))  # NaN where it does not rest
    return rim / np.sqrt(1.0 + along**2 + across**2)


def ground_over(atlas: Atlas, vertices: Floats, faces: Ints, floor: float, width_mm: float) -> Ground:
    """The ground of a standing map of any terrain over a floor."""
    heights: list[Floats] = []
    words: list[NDArray[np.str_]] = []
    tilts: list[Floats] = []
    passed: list[Floats] = []
    for layer in atlas.layers:
        height = layer.numbers[:, :, 0] - floor
        word = np.array(WORDS)[layer.words]
        seen = np.isin(word, (STABLE, PRECARIOUS, STEEP)) & np.isfinite(height)
        for before in heights:
            seen &= ~(np.abs(before - height) < SAME_MM)
        heights.append(np.where(seen, height, np.nan))
        words.append(np.where(seen, word, ""))
        tilts.append(np.where(seen, layer.numbers[:, :, 3], np.nan))
        passed.append(np.where(word == UNDECIDED, height, np.nan))
    x0, y0 = (atlas.first[k] * atlas.pitch_mm for k in range(2))
    ny, nx = atlas.shape
    audit = (atlas.audit.asked, atlas.audit.agreed, atlas.audit.in_band, len(atlas.audit.disagreed))
    return Ground(
        atlas.base,
        width_mm,
        atlas.pitch_mm,
        x0,
        y0,
        np.stack(heights),
        np.stack(words),
        np.stack(tilts),
        tops(vertices - [0, 0, floor], faces, atlas.pitch_mm, (x0, y0), (ny, nx)),
        int((atlas.layers[0].words == WORDS.index(UNDECIDED)).sum()),
        audit,
        tuple(_placed(atlas, one) for one in atlas.audit.disagreed),
        floor_mm=floor,
        passed=apart_from(np.stack(heights), np.stack(passed)),
    )


def apart_from(storeys: Floats, others: Floats) -> Floats:
    """Heights (m, ny, nx) without those that are a storey's (k, ny, nx), or the same as one before."""
    kept = np.full(others.shape, np.nan)
    for k, height in enumerate(others):
        near = (np.abs(np.concatenate([storeys, kept[:k]]) - height) < ROOM_MM).any(axis=0)  # NaN is near nothing
        kept[k] = np.where(near, np.nan, height)
    return kept


def _placed(atlas: Atlas, one: Contradicted) -> tuple[float, float, float]:
    """Where a cell that the engine contradicts lies: as high as the base, or as the terrain where none rests."""
    k = next(k for k, layer in enumerate(atlas.layers) if (layer.turn, layer.level) == (one.turn, one.level))
    j, i = round(one.y / atlas.pitch_mm) - atlas.first[1], round(one.x / atlas.pitch_mm) - atlas.first[0]
    height, *_, surface = atlas.layers[k].numbers[j, i]
    z = height if math.isfinite(height) else surface
    return one.x, one.y, float(z)


def tops(vertices: Floats, faces: Ints, pitch_mm: float, first: tuple[float, float], shape: tuple[int, int]) -> Floats:
    """How high triangles reach anywhere over each cell, its rim included; 0, the table, where there are none.

    A wall may be thinner than a cell and miss every middle.

    >>> corners = np.array([[0.0, 0, 5], [9.2, 0, 5], [0, 9.2, 5]])
    >>> tops(corners, np.array([[0, 1, 2]]), 1.0, (0.5, 0.5), (2, 12))[0].tolist()
    [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0.0, 0.0]
    """
    top = np.zeros(shape)
    for cells, z in touched(vertices, faces, pitch_mm, first, shape):
        np.maximum.at(top.reshape(-1), cells, z)
    return top


def touched(
    vertices: Floats, faces: Ints, pitch_mm: float, first: tuple[float, float], shape: tuple[int, int]
) -> Iterator[tuple[Ints, Floats]]:
    """The corners of what of triangles lies over each cell, its rim included: the cell's number, row by row, and z.

    Such a corner is one of the triangle, or lies over one of the cell, or where a side crosses the cell's rim.
    """
    ny, nx = shape
    before = (first[0] - pitch_mm / 2, first[1] - pitch_mm / 2)
    place = np.column_stack([(vertices[:, :2] - np.array(before)) / pitch_mm, vertices[:, 2]])  # cell k from k to k + 1
    for j, i, z in over(vertices, faces, pitch_mm, before, (ny + 1, nx + 1)):
        yield from _beside(np.column_stack([i, j, z]), shape)
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    ends = np.divmod(np.unique(sides[:, 0] * len(vertices) + sides[:, 1]), max(len(vertices), 1))
    yield from _beside(place[np.unique(faces)], shape)
    for start in range(0, len(ends[0]), CHUNK):
        one, other = (place[end[start : start + CHUNK]] for end in ends)
        for axis in (0, 1):
            yield from _beside(_crossings(one, other, axis, (nx, ny)[axis]), shape)


def _crossings(one: Floats, other: Floats, axis: int, many: int) -> Floats:
    """Where ways from one point to another cross the lines between cells, and the two at the ends: x, y in cells, z."""
    a, b = one[:, axis], other[:, axis]
    low = np.ceil(np.minimum(a, b)).clip(0, many + 1).astype(np.int64)
    counts = (np.floor(np.maximum(a, b)).clip(-1, many).astype(np.int64) - low + 1).clip(0)
    counts[a == b] = 0  # along a line: its ends say all
    own = np.repeat(np.arange(len(a)), counts)
    line = low[own] + np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (line - a[own]) / (b[own] - a[own])
    found: Floats = one[own] + share[:, None] * (other[own] - one[own])
    found[:, axis] = line
    return found


def _beside(points: Floats, shape: tuple[int, int]) -> Iterator[tuple[Ints, Floats]]:
    """The cells over which points lie; what lies on a rim lies over the cells on both sides of it."""
    ny, nx = shape
    low, high = (np.floor(points[:, :2] + aside).astype(np.int64) for aside in (-RIM, RIM))
    on_x, on_y = (low != high).T
    for some, cells in (
        (slice(None), low),
        (on_x, np.column_stack([high[:, 0], low[:, 1]])),
        (on_y, np.column_stack([low[:, 0], high[:, 1]])),
        (on_x & on_y, high),
    ):
        i, j = cells[some].T
        inside = (i >= 0) & (i < nx) & (j >= 0) & (j < ny)
        yield (j * nx + i)[inside], points[some, 2][inside]


def over(
    vertices: Floats, faces: Ints, pitch_mm: float, first: tuple[float, float], shape: tuple[int, int]
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Where triangles lie over (or under) the middles of cells: row, column and height, some thousands at a time."""
    ny, nx = shape
    place = (vertices[:, :2] - np.array(first)) / pitch_mm  # in cells
    corners = place[faces]
    low = np.ceil(corners.min(axis=1) - 1e-9).astype(np.int64).clip(0)
    high = np.floor(corners.max(axis=1) + 1e-9).astype(np.int64).clip(max=[nx - 1, ny - 1])
    wide = (high - low + 1).clip(0)
    counts = wide[:, 0] * wide[:, 1]
    ends = np.cumsum(counts)
    start = 0
    while start < len(faces):
        before = ends[start] - counts[start]
        stop = max(start + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
        own = np.repeat(np.arange(start, stop), counts[start:stop])
        nth = np.arange(len(own)) - (ends[own] - counts[own] - before)
        i, j = low[own, 0] + nth % wide[own, 0].clip(1), low[own, 1] + nth // wide[own, 0].clip(1)
        yield _met(corners, vertices[faces][:, :, 2], own, i, j)
        start = stop


def _met(corners: Floats, heights: Floats, own: Ints, i: Ints, j: Ints) -> tuple[Ints, Ints, Floats]:
    """Of pairs of a triangle and a cell those where it lies over the cell's middle, and how high."""
    a, b, c = (corners[own, k] for k in range(3))
    px, py = i - a[:, 0], j - a[:, 1]
    ux, uy = (b - a).T
    vx, vy = (c - a).T
    area = ux * vy - uy * vx
    sound = np.abs(area) > 1e-12
    s = np.divide(px * vy - py * vx, area, out=np.full(len(own), -1.0), where=sound)
    t = np.divide(ux * py - uy * px, area, out=np.full(len(own), -1.0), where=sound)
    inside = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9)
    own, s, t = own[inside], s[inside], t[inside]
    z = heights[own]
    return j[inside], i[inside], z[:, 0] + s * (z[:, 1] - z[:, 0]) + t * (z[:, 2] - z[:, 0])


# --- ways -------------------------------------------------------------------------------------------------------------


def reached(ground: Ground, up_mm: float) -> Bools:
    """Where a base gets to from the table around when it rises at most so far at once, and comes down as it likes.

    Between two places that are farther apart than its reach it has to stand; within it, it may go over whatever is not
    higher than it rises. It goes through no floor and no roof.
    """
    stands = np.isin(ground.word, (STABLE, PRECARIOUS))
    rooms, here = rooms_of(ground), _around(ground, stands)
    there, offer = here, np.full(rooms.low.shape, -np.inf)
    while here.any():
        near = _offered(ground, rooms, rooms.over(np.where(here, ground.height + up_mm, -np.inf), -np.inf))
        offer = np.maximum(offer, near)
        here = stands & ~there & (ground.height <= rooms.floors_of(offer) + 1e-6)
        there = there | here
    return there


def leaves(ground: Ground, up_mm: float) -> Bools:
    """From where a base gets back to the table around when it rises at most so far at once."""
    stands = np.isin(ground.word, (STABLE, PRECARIOUS))
    rooms, here = rooms_of(ground), _around(ground, stands)
    out, needed = here, np.full(rooms.low.shape, np.inf)
    while here.any():
        near = _needed(ground, rooms, rooms.over(np.where(here, ground.height, np.inf), np.inf))
        needed = np.minimum(needed, near)
        here = stands & ~out & (ground.height + up_mm >= rooms.floors_of(needed) - 1e-6)
        out = out | here
    return out


def _around(ground: Ground, stands: Bools) -> Bools:
    """The table around the terrain: what a base walks to on it from the map's rim, not a yard that walls shut off.

    Where nobody stands at the rim, as on a table with an edge, it is all of the table: players begin anywhere on it.
    """
    table: Bools = stands & (ground.height <= ABOVE_MM)
    anywhere: Bools = np.any(table, axis=0)
    groups, _ = labelled(anywhere, np.zeros(ground.top.shape), np.inf)
    rim = np.concatenate([groups[0], groups[-1], groups[:, 0], groups[:, -1]])
    rim = rim[rim >= 0]
    return table & np.isin(groups, rim) if len(rim) else table


@dataclass(frozen=True, slots=True)
class Rooms:
    """What is free over each cell: from every storey on which a base rests up to the next one, and over the top.

    Over some floors a base goes and does not rest, as over their edge under the eaves: over these is a room, too.

    `low` (m, ny, nx) rises from room to room, infinite where a cell has no more; `nth` (k, ny, nx) is the room over
    each storey. Every room `here` is open to the room `there` of a cell beside it; they are numbered through.
    """

    low: Floats
    nth: Ints
    here: Ints
    there: Ints

    def over(self, storeys: Floats, empty: float) -> Floats:
        """A number of each storey as one of the room over it."""
        made = np.full(self.low.shape, empty)
        np.put_along_axis(made, self.nth, storeys, axis=0)
        return made

    def floors_of(self, rooms: Floats) -> Floats:
        """A number of each room as one of the storey under it."""
        found: Floats = np.take_along_axis(rooms, self.nth, axis=0)
        return found

    def from_some(self, some: Bools) -> tuple[Ints, Ints]:
        """The ways from some of the rooms, numbered through: where each begins, and where it leads."""
        way = some[self.here]
        return self.here[way], self.there[way]


def rooms_of(ground: Ground) -> Rooms:
    """The rooms over every cell, and which of them are open to each other."""
    storeys = ground.height if ground.passed is None else np.concatenate([ground.height, ground.passed])
    floors = np.where(np.isfinite(storeys), storeys, np.inf)
    highest = np.where(np.isfinite(storeys), storeys, -np.inf).max(axis=0)
    below = highest + SAME_MM + ground.pitch_mm  # on a slope terrain rises within a cell
    roof = np.where(ground.top > below, ground.top, np.inf)
    every = np.concatenate([floors, roof[None]])
    rising = np.argsort(every, axis=0, kind="stable")
    low = np.take_along_axis(every, rising, axis=0)
    high = np.concatenate([low[1:], np.full((1, *low.shape[1:]), np.inf)])
    number: Ints = np.arange(low.size).reshape(low.shape)
    heres, theres = [], []
    for first, second in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        for i, j in np.ndindex(len(low), len(low)):
            floor = np.maximum(low[i][first], low[j][second])
            is_open = floor < np.minimum(high[i][first], high[j][second])
            one, other = number[i][first][is_open], number[j][second][is_open]
            heres += [one, other]
            theres += [other, one]
    return Rooms(low, np.argsort(rising, axis=0)[: len(ground.height)], np.concatenate(heres), np.concatenate(theres))


def _offered(ground: Ground, rooms: Rooms, source: Floats) -> Floats:
    """How high a base may come in every room from sources near it, over what lies between: as `low`, mm."""
    offer, low = source.ravel().copy(), rooms.low.ravel()
    fresh = np.isfinite(offer)
    for _ in range(_near_cells(ground)):
        here, there = rooms.from_some(fresh)
        passes = (low[there] <= offer[here] + 1e-6) & (offer[here] > offer[there])
        before = offer.copy()
        np.maximum.at(offer, there[passes], offer[here[passes]])  # who gets over from a lower one does from the highest
        fresh = offer > before
        if not fresh.any():
            break
    return offer.reshape(source.shape)


def _needed(ground: Ground, rooms: Rooms, source: Floats) -> Floats:
    """How high a base has to come to get from every room to sources near it, over what lies between: as `low`, mm."""
    need, low = source.ravel().copy(), rooms.low.ravel()
    fresh = np.isfinite(need)
    for _ in range(_near_cells(ground)):
        here, there = rooms.from_some(fresh)
        before = need.copy()
        np.minimum.at(need, there, np.maximum(need[here], low[here]))  # over the next room, not the one where it begins
        fresh = need < before
        if not fresh.any():
            break
    return need.reshape(source.shape)


def _near_cells(ground: Ground) -> int:
    """How many cells a base reaches over: its own width from the middle, and a wall's thickness."""
    return int(np.ceil((ground.width_mm + WALL_MM) / ground.pitch_mm)) + 1  # a coarse map leaves out the last


def labelled(wanted: Bools, height: Floats, apart_mm: float) -> tuple[Ints, int]:
    """A number for every group of wanted cells that touch along a side at about the same height; -1 elsewhere."""
    cells: Ints = np.arange(wanted.size).reshape(wanted.shape)
    filled = np.where(wanted, height, np.inf)
    with np.errstate(invalid="ignore"):
        across = wanted[:, 1:] & wanted[:, :-1] & (np.abs(filled[:, 1:] - filled[:, :-1]) < apart_mm)
        along = wanted[1:] & wanted[:-1] & (np.abs(filled[1:] - filled[:-1]) < apart_mm)
    one = np.concatenate([cells[:, 1:][across], cells[1:][along]])
    other = np.concatenate([cells[:, :-1][across], cells[:-1][along]])
    _, group = joined(wanted.size, one, other)
    names, numbered = np.unique(group[wanted.ravel()], return_inverse=True)
    made = np.full(wanted.shape, -1, np.int64)
    made[wanted] = numbered.ravel()
    return made, len(names)
