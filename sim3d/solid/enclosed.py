"""How much a surface encloses that touches itself or passes through itself: every place in it counted once.

Where triangles meet they are cut into cells. A cell counts where it parts inside from outside, and that is told by the
triangles straight ahead of it: those that look along the way, less those that look back. Of triangles that lie on one
another the later of the file counts as ahead, so that a stack of them adds up like one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled, lean
from sim3d.solid.contact import Vector, along, cross, length
from sim3d.solid.joined import joined
from sim3d.solid.survey import heights_of
from sim3d.space import SAME_VERTEX_MM, Floats, Ints

ON_MM = 1e-11  # a corner this near to a cut lies on it: some ten times what float64 blurs on a table
CELLS_MOST = 10_000  # of one triangle
CORNERS_MOST = 70  # of one cell
LOOKS_MOST = 300_000_000  # triangles looked at ahead of cells: some five seconds
OPEN_SHARE = 1e-6  # of the area: the cells that count must close up this well, or there was a mistake
SPREAD = (0.7548776662466927, 0.5698402909980532)  # so that no place lies on an edge of round numbers
_PLACE, _VOLUME, _MOMENT, _OUT, _AREA, _WIDTH = 0, 3, 4, 7, 10, 11  # columns of a cell


class Tangled(ValueError):
    """What is inside cannot be told; the reason is the text."""


def enclosed(
    vertices: Floats, faces: Ints, one: Ints, other: Ints, pairs: Ints, marked: NDArray[np.bool_]
) -> tuple[float, tuple[float, float, float]]:
    """Volume in mm³ and its centre of all places that the surface wraps, once each; `Tangled` where it cannot be told.

    `one` and `other` are neighbours along plain edges, `pairs` triangles that meet otherwise, and `marked` those that
    meet others along edges of more than two.
    """
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    vertices = vertices - middle
    area, height = heights_of(vertices, faces)
    thin = height < SAME_VERTEX_MM  # a sliver parts nothing; its neighbours meet what it would
    marked = marked.copy()
    marked[pairs.ravel()] = True
    chosen, patch = _patches(len(faces), one, other, area, marked | thin)
    whole = np.flatnonzero(~(marked | thin))
    cut = np.flatnonzero(marked & ~thin)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], np.append(cut, len(faces)))
    owner = np.empty(20 * len(both) + len(cut) + CELLS_MOST, np.int64)
    cells = np.zeros((len(owner), _WIDTH))
    count = _add_cells(vertices, faces, cut, first, np.ascontiguousarray(both[:, 1]), owner, cells)
    if count < 0:
        raise Tangled("its surface touches or passes through itself in too many places")
    owners = np.concatenate([chosen, owner[:count]])
    sums = np.concatenate([_of_patches(vertices, faces, whole, patch[whole], chosen), cells[:count]])
    outer = _outer_wraps(vertices, faces, owners, sums[:, _PLACE:_VOLUME])
    border = sums[outer == 0]
    total = border.sum(axis=0)
    volume = float(total[_VOLUME])
    if np.linalg.norm(total[_OUT:_AREA]) > OPEN_SHARE * total[_AREA] + area[thin].sum():
        raise Tangled("its surface passes through itself in a way that cannot be taken apart")
    if volume <= 0 or abs(sums[outer == -1, _VOLUME].sum()) > OPEN_SHARE * volume:
        raise Tangled("its surface passes through itself, and part of it is inside out")
    x, y, z = (float(middle[k] + total[_MOMENT + k] / volume) for k in range(3))
    return volume, (x, y, z)


def _patches(count: int, one: Ints, other: Ints, area: Floats, apart: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Groups of triangles that hang together unmet: the largest triangle of each, and the group of every triangle."""
    kept = ~(apart[one] | apart[other])
    _, label = joined(count, one[kept], other[kept])
    plain = np.flatnonzero(~apart)
    order = plain[np.lexsort((-area[plain], label[plain]))]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = label[order][1:] != label[order][:-1]
    patch = np.zeros(count, np.int64)
    patch[order] = np.cumsum(fresh) - 1
    return order[fresh], patch


def _of_patches(vertices: Floats, faces: Ints, whole: Ints, patch: Ints, chosen: Ints) -> Floats:
    """For every patch a place on it and the sums over its triangles."""
    a, b, c = (vertices[faces[whole, k]] for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    normal = np.cross(b - a, c - a)
    rows = [six / 6, *((six / 24)[:, None] * (a + b + c)).T, *normal.T, np.linalg.norm(normal, axis=1)]
    sums = np.empty((len(chosen), _WIDTH))
    a, b, c = (vertices[faces[chosen, k]] for k in range(3))
    sums[:, :_VOLUME] = a + SPREAD[0] / 2 * (b - a) + SPREAD[1] / 2 * (c - a)
    for k, row in enumerate(rows):
        sums[:, _VOLUME + k] = np.bincount(patch, weights=row, minlength=len(chosen))
    return sums


def _outer_wraps(vertices: Floats, faces: Ints, owners: Ints, places: Floats) -> Ints:
    """How often the surface wraps what lies just outside each of these places on triangles; it looks ahead along the
    axis that each triangle faces most."""
    outer = np.zeros(len(owners), np.int64)
    a, b, c = (vertices[faces[owners, k]] for k in range(3))
    facing = np.argmax(np.abs(np.cross(b - a, c - a)), axis=1)
    left = LOOKS_MOST
    for axis in range(3):
        which = np.flatnonzero(facing == axis)
        if not len(which):
            continue
        turn = [(axis + 1) % 3, (axis + 2) % 3, axis]  # a turn, no mirror image
        turned = np.ascontiguousarray(vertices[:, turn])
        grid = _grid(turned, faces)
        asked = np.ascontiguousarray(places[np.ix_(which, np.array(turn))])
        made = np.zeros(len(which), np.int64)
        left = _ask(turned, faces, *grid, owners[which], asked, made, left)
        if left <= 0:
            raise Tangled("its surface touches or passes through itself in too many places")
        outer[which] = made
    return outer


def _grid(vertices: Floats, faces: Ints) -> tuple[Ints, Ints, Floats]:
    """For every field of a plan seen from above the triangles over it: where its list begins, the lists, the plan."""
    low, high = vertices[:, :2].min(axis=0), vertices[:, :2].max(axis=0)
    side = int(min(1024, max(1, math.isqrt(len(faces)))))
    while True:
        plan = np.array([low[0], low[1], max((high[0] - low[0]) / side, 1e-9), max((high[1] - low[1]) / side, 1e-9)])
        counts = np.zeros(side * side + 1, np.int64)
        total = _fill(vertices, faces, plan, side, counts, np.empty(0, np.int64))
        if total <= 16 * len(faces) + 1000 or side == 1:
            break
        side = side // 2
    starts = np.concatenate([[0], np.cumsum(counts[:-1])])
    lists = np.empty(total, np.int64)
    _fill(vertices, faces, plan, side, starts[:-1].copy(), lists)
    return starts, lists, plan


@lean
def _fill(vertices: Floats, faces: Ints, plan: Floats, side: int, at: Ints, lists: Ints) -> int:
    total = 0
    for t in range(len(faces)):
        a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
        xs = (vertices[a, 0], vertices[b, 0], vertices[c, 0])
        ys = (vertices[a, 1], vertices[b, 1], vertices[c, 1])
        for j in range(_field(min(ys), plan[1], plan[3], side), _field(max(ys), plan[1], plan[3], side) + 1):
            for i in range(_field(min(xs), plan[0], plan[2], side), _field(max(xs), plan[0], plan[2], side) + 1):
                if len(lists):
                    lists[at[j * side + i]] = t
                at[j * side + i] += 1
                total += 1
    return total


@lean
def _field(value: float, low: float, step: float, side: int) -> int:
    return int(min(max((value - low) / step, 0.0), side - 1.0))


@lean
def _left_of(vertices: Floats, a: int, b: int, x: float, y: float) -> bool:
    """Whether a place is left of an edge seen from above; on the edge, whether a place a trifle further along is."""
    p, q = min(a, b), max(a, b)  # the same edge always decides the same way
    along_x, along_y = vertices[q, 0] - vertices[p, 0], vertices[q, 1] - vertices[p, 1]
    turn = along_x * (y - vertices[p, 1]) - along_y * (x - vertices[p, 0])
    if turn == 0.0:
        turn = -along_y if along_y != 0.0 else along_x
    return bool((turn > 0.0) == (a < b))


@lean
def _corner(vertices: Floats, a: int) -> Vector:
    return vertices[a, 0], vertices[a, 1], vertices[a, 2]


@lean
def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@lean
def _normal_of(vertices: Floats, faces: Ints, t: int) -> Vector:
    a = _corner(vertices, faces[t, 0])
    return cross(_minus(_corner(vertices, faces[t, 1]), a), _minus(_corner(vertices, faces[t, 2]), a))


@lean
def _ask(
    vertices: Floats, faces: Ints, starts: Ints, lists: Ints, plan: Floats,
    owners: Ints, places: Floats, made: Ints, left: int,
) -> int:  # fmt: skip
    """How often what lies just outside of places on triangles is wrapped; how many looks are left, if any."""
    side = int(math.sqrt(starts.shape[0] - 1) + 0.5)
    for i in range(len(owners)):
        p = (places[i, 0], places[i, 1], places[i, 2])
        own = owners[i]
        field = _field(p[1], plan[1], plan[3], side) * side + _field(p[0], plan[0], plan[2], side)
        total = 0
        for k in range(starts[field], starts[field + 1]):
            t = lists[k]
            a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
            up = _left_of(vertices, a, b, p[0], p[1])
            if t == own or up != _left_of(vertices, b, c, p[0], p[1]) or up != _left_of(vertices, c, a, p[0], p[1]):
                continue
            n = _normal_of(vertices, faces, t)
            over = along(n, _minus(p, _corner(vertices, a)))
            same = abs(over) <= ON_MM * length(n)
            ahead = t > own if same else (over < 0.0) == up
            if ahead:
                total += 1 if up else -1
        made[i] = total if _normal_of(vertices, faces, own)[2] > 0.0 else total - 1
        left -= starts[field + 1] - starts[field] + 1
        if left <= 0:
            return left
    return left


@compiled
def _cut(cells: Floats, sizes: Ints, count: int, at: Vector, n: Vector, line: Vector, low: float, high: float) -> int:
    """Cells cut in two along a plane, those that it crosses between two places of a line in it; -1 for too many."""
    far = np.empty(CORNERS_MOST)
    for i in range(count):
        above = below = False
        for k in range(sizes[i]):
            far[k] = along((cells[i, k, 0] - at[0], cells[i, k, 1] - at[1], cells[i, k, 2] - at[2]), n)
            above |= far[k] > ON_MM
            below |= far[k] < -ON_MM
        if not (above and below):
            continue
        if count == CELLS_MOST or sizes[i] + 2 > CORNERS_MOST:
            return -1
        old = cells[i, : sizes[i]].copy()
        corners = sizes[i]
        first = second = 0
        least, most = np.inf, -np.inf
        for k in range(corners):
            j = (k + 1) % corners
            if far[k] >= -ON_MM:
                cells[i, first] = old[k]
                first += 1
            if far[k] <= ON_MM:
                cells[count, second] = old[k]
                second += 1
            here = 0.0
            if (far[k] > ON_MM and far[j] < -ON_MM) or (far[k] < -ON_MM and far[j] > ON_MM):
                share = far[k] / (far[k] - far[j])
                for axis in range(3):
                    value = old[k, axis] + share * (old[j, axis] - old[k, axis])
                    cells[i, first, axis] = value
                    cells[count, second, axis] = value
                    here += line[axis] * value
                first += 1
                second += 1
            elif abs(far[k]) <= ON_MM:
                here = line[0] * old[k, 0] + line[1] * old[k, 1] + line[2] * old[k, 2]
            else:
                continue
            least, most = min(least, here), max(most, here)
        if most < low - ON_MM or least > high + ON_MM:  # it crosses the plane elsewhere: as it was
            cells[i, : sizes[i]] = old
            continue
        sizes[i], sizes[count] = first, second
        count += 1
    return count


@lean
def _cut_by(cells: Floats, sizes: Ints, count: int, vertices: Floats, faces: Ints, t: int, u: int) -> int:
    """The cells of one triangle cut where another runs through it, or where they share a plane, along its sides."""
    n, m = _normal_of(vertices, faces, t), _normal_of(vertices, faces, u)
    n, m = _unit(n), _unit(m)
    line = cross(n, m)
    slope = length(line)
    at = _corner(vertices, faces[t, 0])
    if slope > 1e-9:
        line = _unit(line)
        low, high = np.inf, -np.inf
        for k in range(3):
            p, q = _corner(vertices, faces[u, k]), _corner(vertices, faces[u, (k + 1) % 3])
            far, next_far = along(_minus(p, at), n), along(_minus(q, at), n)
            if abs(far) <= ON_MM:
                low, high = min(low, along(line, p)), max(high, along(line, p))
            elif (far > 0.0) != (next_far > 0.0):
                here = along(line, p) + far / (far - next_far) * along(line, _minus(q, p))
                low, high = min(low, here), max(high, here)
        count = _cut(cells, sizes, count, _corner(vertices, faces[u, 0]), m, line, low, high)
    if slope < 1e-4:
        for k in range(3):
            p, q = _corner(vertices, faces[u, k]), _corner(vertices, faces[u, (k + 1) % 3])
            if count > 0:
                line = _unit(_minus(q, p))
                ends = along(line, p), along(line, q)
                count = _cut(cells, sizes, count, p, _unit(cross(n, line)), line, ends[0], ends[1])
    return count


@lean
def _unit(a: Vector) -> Vector:
    size = length(a)
    return a[0] / size, a[1] / size, a[2] / size


@compiled
def _add_cells(
    vertices: Floats, faces: Ints, which: Ints, first: Ints, others: Ints, owner: Ints, made: Floats
) -> int:  # fmt: skip
    """The cells of triangles that others meet: how many there are, -1 for too many."""
    cells, sizes = np.empty((CELLS_MOST + 1, CORNERS_MOST + 2, 3)), np.empty(CELLS_MOST + 1, np.int64)
    total = 0
    for i in range(len(which)):
        t = which[i]
        for k in range(3):
            cells[0, k] = vertices[faces[t, k]]
        sizes[0] = 3
        count = 1
        for m in range(first[i], first[i + 1]):
            count = _cut_by(cells, sizes, count, vertices, faces, t, others[m])
            if count < 0:
                return -1
        if total + count > len(owner):
            return -1
        for cell in range(count):
            owner[total] = t
            _sum_up(cells[cell], sizes[cell], made[total])
            total += 1
    return total


@lean
def _sum_up(cell: Floats, corners: int, row: Floats) -> None:
    """A place within a cell, and its share of the volume by the divergence theorem."""
    weight = 0.0
    for k in range(corners):
        own = 1.0 + (SPREAD[0] * (k + 1) ** 2) % 1.0
        weight += own
        for axis in range(3):
            row[_PLACE + axis] += own * cell[k, axis]
    for axis in range(3):
        row[_PLACE + axis] /= weight
    a = _corner(cell, 0)
    for k in range(1, corners - 1):
        b, c = _corner(cell, k), _corner(cell, k + 1)
        six, n = along(a, cross(b, c)), cross(_minus(b, a), _minus(c, a))
        row[_VOLUME] += six / 6.0
        for axis in range(3):
            row[_MOMENT + axis] += six / 24.0 * (a[axis] + b[axis] + c[axis])
            row[_OUT + axis] += n[axis]
        row[_AREA] += length(n)
