"""Passages at the foot of a piece: where two obstacles leave a gap that is just too narrow for a base.

The mesh is cut level, just above what is stepped over; what is inside the cut is in the way. A plan of cells finds the
passages, the lines of the cut measure them: a door is as wide in a wall that runs askew through the cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sim3d.atlas.regions import free_around, labelled
from sim3d.solid import Solid
from sim3d.solid.joined import joined
from sim3d.solid.nearest import nearest_mm
from sim3d.solid.survey import cross_of, edges_of, parts_by_corner
from sim3d.space import Bools, Floats, Ints

FINE_MM = 0.25  # of the plan: a gap that is narrower by less than this is none
MOST_CELLS = 2000  # along a side of the plan
JUST_SHARE = 0.15  # beyond a limit: somebody meant it to be within
SOME = 1000  # cells that are compared to find the middle of a gap
OFF_SIDE, FAR_SIDE = 1.5, 0.5  # cells: so much too far or too near a plan may tell the nearest line
ASIDE = 0.5  # of a cell: no way from cell to cell keeps farther from the middle of a passage
SETTLES, SETTLED_MM = 30, 1e-6  # steps to where a passage is narrowest: a few do
MOST_APART = 100  # open parts that are cut one by one
ABOVE_MM = 0.05  # over the step: what is exactly as high is stepped over


@dataclass(frozen=True, slots=True)
class Gap:
    """How wide a passage is, and where."""

    gap_mm: float
    at: tuple[float, float, float]


def narrowest(solid: Solid, width_mm: float, step_mm: float) -> Gap | None:
    """The widest passage that a base of this width just does not pass, between two places where it has room."""
    low, high = (np.array(corner) for corner in solid.bounds)
    z = low[2] + step_mm + ABOVE_MM
    if z >= high[2]:
        return None
    pitch = max(FINE_MM, float(high[:2].max() - low[:2].min()) / MOST_CELLS)
    around = width_mm + 2 * pitch
    first = low[:2] - around
    nx, ny = (int(n) for n in np.ceil((high[:2] - low[:2] + 2 * around) / pitch))
    _, lines = _crossed(solid.vertices, solid.outward, z)
    blocked = section(solid, solid.vertices, z, (float(first[0]), float(first[1])), pitch, (ny, nx))
    free = (free_around(~blocked) - 0.5) * pitch  # to the side of the nearest cell in the way, or to the plan's rim
    half, least = width_mm / 2 - ASIDE * pitch, width_mm / 2 * (1 - JUST_SHARE) - ASIDE * pitch
    near = ~blocked & (free > least - OFF_SIDE * pitch) & (free < half + FAR_SIDE * pitch)
    free[near] = nearest_mm(first + np.argwhere(near)[:, ::-1] * pitch, _along(lines, pitch))
    rooms, many = _rooms(free >= half)
    sizes = np.bincount(rooms[rooms >= 0], minlength=many)
    large = np.flatnonzero(sizes * pitch**2 >= width_mm**2 / 4).tolist()
    if len(large) < 2 or not _joined(free >= least, rooms, large):
        return None
    shut, open_ = half, least
    while shut - open_ > pitch / 4:
        middle = (shut + open_) / 2
        shut, open_ = (shut, middle) if _joined(free >= middle, rooms, large) else (middle, open_)
    j, i = _between(free, open_, half, pitch, rooms, large)
    gap, (x, y) = _measured(lines, first + np.array([i, j]) * pitch, 2 * open_ + 2 * ASIDE * pitch)
    if not width_mm * (1 - JUST_SHARE) <= gap <= width_mm - 2 * ASIDE * pitch:
        return None
    return Gap(gap, (x, y, float(low[2])))


def _crossed(vertices: Floats, faces: Ints, z: float) -> tuple[Ints, Floats]:
    """The triangles (n, 3) that cross a height, and the lines (n, 2 ends, x y) in which they do."""
    height = vertices[faces][:, :, 2] - z
    above = height > 0
    crossing = above.any(axis=1) & ~above.all(axis=1)
    return faces[crossing], _segments(vertices[faces[crossing]], height[crossing])


def _along(lines: Floats, apart_mm: float) -> Floats:
    """Places (n, 2) on lines, their ends and others no farther apart than that."""
    ways = lines[:, 1] - lines[:, 0]
    many = np.ceil(np.hypot(*ways.T) / apart_mm).astype(np.int64).clip(1)
    which = np.repeat(np.arange(len(lines)), many + 1)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(many + 1) - many - 1, many + 1)
    found: Floats = lines[which, 0] + (nth / many[which])[:, None] * ways[which]
    return found


def _measured(lines: Floats, at: Floats, about_mm: float) -> tuple[float, tuple[float, float]]:
    """How wide a passage is where it is narrowest near a place, and the middle between its sides there; a way to the
    nearest line, and one to the nearest on the other side. As wide as it was thought where it has no two sides."""
    start, ways = lines[:, 0], lines[:, 1] - lines[:, 0]
    long2 = (ways**2).sum(axis=1).clip(1e-300)
    middle, gap = at, about_mm
    for _ in range(SETTLES):
        share = (((middle - start) * ways).sum(axis=1) / long2).clip(0, 1)
        to = start + share[:, None] * ways - middle
        far = np.hypot(*to.T)
        one = to[far.argmin()]
        other = far + np.where(to @ one < 0, 0.0, np.inf)
        if not np.isfinite(other.min()):
            return about_mm, (float(at[0]), float(at[1]))
        two = to[other.argmin()]
        gap = float(np.hypot(*(one - two)))
        middle = middle + (one + two) / 2
        if np.hypot(*(one + two)) < SETTLED_MM:
            break
    if np.hypot(*(middle - at)) > about_mm / 2:  # that is another place
        return about_mm, (float(at[0]), float(at[1]))
    return gap, (float(middle[0]), float(middle[1]))


def _rooms(wanted: Bools) -> tuple[Ints, int]:
    """A number for every group of wanted cells that touch, along a side or at a corner; -1 elsewhere."""
    labels, many = labelled(wanted)
    one, other = [], []
    for a, b in ((labels[1:, 1:], labels[:-1, :-1]), (labels[1:, :-1], labels[:-1, 1:])):
        across = (a >= 0) & (b >= 0) & (a != b)
        one.append(a[across])
        other.append(b[across])
    groups, group = joined(many, np.concatenate(one), np.concatenate(other))
    return np.where(labels >= 0, group[labels], -1) if many else labels, groups


def _between(free: Floats, open_: float, half: float, pitch: float, rooms: Ints, large: list[int]) -> tuple[int, int]:
    """The narrow cell that lies straight between two of the rooms: nearest to both."""
    labels, _ = _rooms(free >= open_)
    homes = [int(labels.flat[(rooms == n).argmax()]) for n in large]
    home = next(h for h in homes if homes.count(h) > 1)
    both = [n for n, h in zip(large, homes, strict=True) if h == home][:2]
    narrow = np.argwhere((labels == home) & (free < half))
    narrow = narrow[:: max(1, len(narrow) // SOME)]
    apart = np.zeros(len(narrow))
    for n in both:
        rim = np.argwhere((rooms == n) & (free < half + 2 * pitch))
        rim = rim[:: max(1, len(rim) // SOME)]
        apart = np.maximum(apart, ((narrow[:, None] - rim[None]) ** 2).sum(axis=2).min(axis=1))
    j, i = narrow[np.argmin(apart)]
    return int(j), int(i)


def _joined(wider: Bools, rooms: Ints, large: list[int]) -> bool:
    """Whether two of the rooms hang together in the wider mask."""
    labels, _ = _rooms(wider)
    homes = {int(labels.flat[(rooms == n).argmax()]) for n in large}
    return len(homes) < len(large)


def section(
    solid: Solid, vertices: Floats, z: float, first: tuple[float, float], pitch: float, shape: tuple[int, int]
) -> Bools:
    """Which cells are in the way at this height, of a solid with its corners wherever it stands.

    Closed parts are in the way with all that is in them, together. An open one, such as a hill without a bottom, is by
    itself: with all that its lines go around, and where they do not, with its lines.
    """
    faces, many = solid.outward, 1
    part = np.zeros(len(faces), np.int64)
    open_ = np.array([not (solid.closed and solid.wound)])
    if open_[0]:
        many, part = parts_by_corner(faces, len(vertices))
        edges = edges_of(faces, len(vertices))
        spoilt = (edges.uses % 2 == 1) | (edges.forward * 2 != edges.uses)
        open_ = np.bincount(part, spoilt[edges.of_half].reshape(3, -1).any(axis=0), minlength=many) > 0
    alone = np.flatnonzero(open_) if open_.sum() <= MOST_APART else np.full(1, -1)
    made = np.zeros(shape, dtype=bool)
    if not open_.all():
        made |= cut(vertices, faces[~open_[part]], z, first, pitch, shape, wound=True)
    for k in alone.tolist():
        made |= cut(vertices, faces[open_[part] if k < 0 else part == k], z, first, pitch, shape)
    return made


def cut(
    vertices: Floats,
    faces: Ints,
    z: float,
    first: tuple[float, float],
    pitch: float,
    shape: tuple[int, int],
    *,
    wound: bool = False,
) -> Bools:
    """Which cells are in the way: their middle is inside a mesh at this height, or what is there misses all middles.

    `wound`: it is closed, and its faces look outwards; then it may pass through itself. Where a row or a column of
    cells crosses an odd number of lines, the lines themselves are in the way.

    >>> from sim3d.solid.boolean import box
    >>> cut(*box((0, 0, 0), (2, 1, 9)), 5.0, (-0.5, 0.5), 1.0, (1, 4)).tolist()
    [[False, True, True, False]]
    """
    made = np.zeros(shape, dtype=bool)
    crossing, ends = _crossed(vertices, faces, z)
    looks = np.sign(cross_of(vertices, crossing)).astype(np.int64)
    for axis, cells in ((0, made), (1, made.T)):
        along, across = (ends if axis == 0 else ends[:, :, ::-1]), first[1 - axis]
        rows: Floats = across + np.arange(len(cells), dtype=np.float64) * pitch
        row, at, which = _crossings(along, rows)
        at = (at - first[axis]) / pitch
        begins = np.flatnonzero(np.diff(row, prepend=-1)).tolist()
        for here, there in pairwise([*begins, len(row)]):
            one = slice(here, there)
            turns = -looks[which[one], axis] if wound else np.where(np.arange(there - here) % 2 == 0, 1, -1)
            _block(cells[row[here]], at[one], turns, whole=axis == 0)
    return made


def _block(row: Bools, at: Floats, turns: Ints, *, whole: bool) -> None:
    """Block the cells of a row between crossings, at places in cells; `whole`: else only what misses all middles."""
    if turns.sum() != 0:
        here = np.round(at).astype(np.int64)
        row[here[(here >= 0) & (here < len(row))]] = True
        return
    inside = np.cumsum(turns)
    starts = np.flatnonzero((inside > 0) & (inside - turns <= 0))
    stops = np.flatnonzero((inside <= 0) & (inside - turns > 0))
    for a, b in zip(at[starts].tolist(), at[stops].tolist(), strict=True):
        low, high = math.ceil(a), math.ceil(b)  # the cells with their middle from a to before b
        if low == high:
            low = round((a + b) / 2)
            high = low + 1
        elif not whole:
            continue
        row[max(low, 0) : max(high, 0)] = True


def _segments(corners: Floats, height: Floats) -> Floats:
    """Where triangles cross the plane: (n, 2 ends, x y)."""
    above = height > 0
    lone = np.where(above.sum(axis=1) == 1, np.argmax(above, axis=1), np.argmin(above, axis=1))
    rows = np.arange(len(corners))
    ends = []
    for step in (1, 2):
        other = (lone + step) % 3
        h0, h1 = height[rows, lone], height[rows, other]
        share = (h0 / (h0 - h1))[:, None]
        ends.append(corners[rows, lone, :2] + share * (corners[rows, other, :2] - corners[rows, lone, :2]))
    return np.stack(ends, axis=1)


def _crossings(ends: Floats, rows: Floats) -> tuple[Ints, Floats, Ints]:
    """Every crossing of rows at these y, ascending, with lines: which row, its x, which line; sorted by row and x."""
    low, high = np.minimum(ends[:, 0, 1], ends[:, 1, 1]), np.maximum(ends[:, 0, 1], ends[:, 1, 1])
    begin, end = np.searchsorted(rows, low), np.searchsorted(rows, high)  # from low to before high
    many = end - begin
    which = np.repeat(np.arange(len(ends)), many)
    row = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many) + begin[which]
    a, b = ends[which, 0], ends[which, 1]
    at = a[:, 0] + (rows[row] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    order = np.lexsort((at, row))
    return row[order], at[order], which[order]
