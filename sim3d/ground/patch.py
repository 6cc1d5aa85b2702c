"""The terrain under a footprint, exactly: every triangle of a table, found by place in a grid of nested cells.

Meshes may be open, doubled, flipped or full of slivers; millions of triangles are found as fast as hundreds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.ground.creases import ALL_SPEAK, FLAT_MM, traits_of, under_a_cut
from sim3d.ground.room import NO_HOLES, Shells
from sim3d.solid.bells import bells_of, bordered
from sim3d.solid.walls import WALL_COS, ends_of
from sim3d.space import Bools, Floats, Ints
from sim3d.table import Piece, Table

FINEST_MM = 2.0  # cells below this hold single triangles of the finest prints: nothing is won
SPAN = 2  # a triangle lives on the level where it spans at most this many cells a side, plus one
LEVELS = 14  # 2 mm doubled 14 times is 32 m
LUMP = 32  # triangles passed over at once: neighbours mostly follow each other
SPARSE = 40  # times as many numbers in a range as are wanted: then they are sorted, else ticked off
NO_ENDS: Floats = np.zeros(0)  # without a cut nobody asks
ANY = (0.0, 0.0, 0.0, -1.0)  # a plane (its normal, its offset) that everything stands over


@dataclass(frozen=True, slots=True)
class Ground:
    """All triangles of a table with the index that finds them, and the height of the floor (NaN: none)."""

    corners: Floats  # (m, 3, 3) mm
    pieces: Ints  # (m,) which piece each belongs to
    floor_mm: float
    cell_mm: float
    shape: Ints  # (levels, 5): origin cell x, y, cells along x, y, offset of the level's first cell
    starts: Ints  # where each cell's list begins
    members: Ints  # triangle numbers, cell by cell
    traits: Ints  # (m,) bits, as `creases` tells them
    made_of: tuple[Piece, ...] = ()
    _ends: list[Floats] = field(default_factory=list, repr=False, compare=False)  # once a cut is asked for
    _insides: list[Shells] = field(default_factory=list, repr=False, compare=False)  # once somebody may be in one
    _sided: list[bool] = field(default_factory=list, repr=False, compare=False)  # once somebody is carried over it

    def ends(self) -> Floats:
        """Of every triangle the height that a cut must not be under for it to carry, as `walls.ends_of`."""
        if not self._ends:
            told = [ends_of(p.vertices(), p.solid.faces, p.solid.sided) for p in self.made_of]
            self._ends.append(np.concatenate([np.zeros(0), *told]))
        return self._ends[0]

    def undersides(self) -> Bools:
        """Of every triangle whether it is known for an underside: nobody stands on it."""
        return np.isposinf(self.ends())

    def sided(self) -> bool:
        """Whether all undersides are known: every piece has an inside, and its triangles agree on that."""
        if not self._sided:
            self._sided.append(all(p.solid.sided.all() for p in self.made_of))
        return self._sided[0]

    def insides(self) -> Shells:
        """Of every triangle the shell whose inside it bounds, and over which height.

        What has a border all round, as a hill without a bottom, is closed by whatever it stands on.
        """
        if not self._insides:
            self._insides.append(_insides_of(self.made_of))
        return self._insides[0]

    def near(self, x: float, y: float, reach_mm: float) -> Ints:
        """The numbers of all triangles whose bounds come within `reach_mm` of (x, y), in rising order."""
        return in_order(gather(self.corners, self.cell_mm, self.shape, self.starts, self.members, x, y, reach_mm, ANY))

    def patch(
        self,
        x: float,
        y: float,
        reach_mm: float,
        *,
        level: float | None = None,
        over: tuple[float, float, float, float] = ANY,
    ) -> Patch:
        """What a base with its middle at (x, y) could meet: everything within `reach_mm`, cut off at `level`.

        With a plane (its unit normal and its offset along it) only the triangles of which something stands over it.
        """
        cut = math.inf if level is None else level
        numbers, tris, traits, high = cut_out(
            self.corners,
            self.traits,
            NO_ENDS if level is None else self.ends(),
            self.cell_mm,
            self.shape,
            self.starts,
            self.members,
            self.floor_mm,
            x,
            y,
            reach_mm,
            cut,
            over,
        )
        lumps, spans = sizes(tris)
        return Patch(x, y, high, tris, lumps, spans, numbers, traits)


def _insides_of(pieces: tuple[Piece, ...]) -> Shells:
    """The shells of all pieces; what has a border is asked where it stands, and beside what it meets."""
    shells, left, holed = [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)], [np.zeros(0, np.bool_)]
    points, faces = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)]
    many = corners = 0
    for piece in pieces:
        solid, own = piece.solid, piece.solid.insides
        some = bordered(solid.faces, own) if (own < 0).any() or len(solid.edges.crowded) else own < 0
        left.append(some)
        whole = solid.closed and solid.wound and not some.any() and bool((own >= 0).all())
        holed.append(np.full(len(own), not whole))
        if some.any():
            faces.append(solid.faces[some] + corners)
            points.append(piece.vertices())
            corners += len(solid.vertices)
        shells.append(np.where((own >= 0) & ~some, own + many, -1))
        many += int(own.max(initial=-1)) + 1
    told, bells = np.concatenate(shells), np.concatenate(left)
    rims = np.full(len(told), -math.inf)
    if bells.any():
        bell, rims[bells] = bells_of(np.concatenate(points), np.concatenate(faces))
        told[bells] = np.where(rims[bells] < math.inf, bell + many, -1)
    holes = np.concatenate(holed) & (told >= 0)
    return Shells(told, rims, holes if holes.any() else NO_HOLES)


@dataclass(frozen=True, slots=True)
class Patch:
    """Triangles around a place, relative to it and to the highest of their corners (so that no digit is wasted)."""

    x: float
    y: float
    z: float
    tris: Floats  # (m, 3, 3)
    lumps: Floats  # (m / LUMP, 5) of so many triangles after each other: from x to x, from y to y, and the highest z
    spans: Floats  # (m,) the longer edge at the first corner: nothing of the triangle is farther from it
    numbers: Ints  # (m,) which triangle of the ground each was; FLOOR for the floor
    traits: Ints  # (m,) bits: corners it speaks for, so that each is looked at once; edges and corners that are none


FLOOR = -1  # the number of the endless floor's triangle


def ground_of(table: Table) -> Ground:
    """The ground of a table; kept for the last tables seen, since a sweep asks thousands of times."""
    for pieces, floor, ground in _RECENT:
        if pieces is table.pieces and floor == table.floor_mm:
            return ground
    ground = _built(table)
    _RECENT.insert(0, (table.pieces, table.floor_mm, ground))
    del _RECENT[_KEPT:]
    return ground


_KEPT = 4  # tables whose ground is kept: a game has one, a comparison two
_RECENT: list[tuple[object, float | None, Ground]] = []


def _built(table: Table) -> Ground:
    soups = [piece.vertices()[piece.solid.faces] for piece in table.pieces]
    corners = np.concatenate([np.zeros((0, 3, 3)), *soups])
    owners = np.repeat(np.arange(len(soups), dtype=np.int64), [len(s) for s in soups])
    traits = [traits_of(piece.vertices(), piece.solid.faces) for piece in table.pieces]
    told = np.concatenate([np.zeros(0, np.int64), *traits])
    return index(corners, owners, told, math.nan if table.floor_mm is None else table.floor_mm, table.pieces)


def index(corners: Floats, pieces: Ints, traits: Ints, floor_mm: float, made_of: tuple[Piece, ...]) -> Ground:
    """The index over triangles (m, 3, 3)."""
    corners = np.ascontiguousarray(corners, dtype=np.float64)
    if not len(corners):
        none = np.zeros(0, np.int64)
        return Ground(
            corners, none, floor_mm, FINEST_MM, np.zeros((0, 5), np.int64), np.zeros(1, np.int64), none, none, made_of
        )
    low, high = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1)
    size = (high - low).max(axis=1)
    # the finest cell is near the middle triangle's size, so that a cell holds a few
    cell = max(FINEST_MM, float(np.median(size)))
    level = np.clip(np.ceil(np.log2(np.maximum(size / (cell * SPAN), 1.0))), 0, LEVELS).astype(np.int64)
    shape, offset = [], 0
    for k in range(int(level.max()) + 1):
        mine = level == k
        if not mine.any():
            shape.append((0, 0, 0, 0, offset))
            continue
        width = cell * 2.0**k
        first = np.floor(low[mine].min(axis=0) / width).astype(np.int64)
        last = np.floor(high[mine].max(axis=0) / width).astype(np.int64)
        nx, ny = (int(n) for n in last - first + 1)
        shape.append((int(first[0]), int(first[1]), nx, ny, offset))
        offset += nx * ny
        if offset > 200_000_000:
            raise ValueError("the table is too large for its triangles: over 200 million cells; is a piece far off?")
    levels = np.array(shape, dtype=np.int64)
    starts, members = fill(low, high, level, levels, cell, offset)
    return Ground(corners, pieces, floor_mm, cell, levels, starts, members, traits, made_of)


@compiled
def fill(low: Floats, high: Floats, level: Ints, shape: Ints, cell: float, cells: int) -> tuple[Ints, Ints]:
    """Two passes: count, then place; a cell's list is in rising order."""
    starts = np.zeros(cells + 1, np.int64)
    for turn in range(2):
        if turn == 1:
            total = 0
            for c in range(cells + 1):
                count = starts[c]
                starts[c] = total
                total += count
            members = np.empty(total, np.int64)
            ends = starts.copy()
        else:
            members = np.empty(0, np.int64)
            ends = starts
        for i in range(low.shape[0]):
            k = level[i]
            width = cell * 2.0**k
            x0 = math.floor(low[i, 0] / width) - shape[k, 0]
            x1 = math.floor(high[i, 0] / width) - shape[k, 0]
            y0 = math.floor(low[i, 1] / width) - shape[k, 1]
            y1 = math.floor(high[i, 1] / width) - shape[k, 1]
            for y in range(y0, y1 + 1):
                for x in range(x0, x1 + 1):
                    c = shape[k, 4] + y * shape[k, 2] + x
                    if turn == 1:
                        members[ends[c]] = i
                    ends[c] += 1
    return starts, members


@compiled
def gather(
    corners: Floats,
    cell: float,
    shape: Ints,
    starts: Ints,
    members: Ints,
    x: float,
    y: float,
    reach: float,
    over: tuple[float, float, float, float],
) -> Ints:
    """The triangles near (x, y) that stand over a plane; one that lies in several cells is told several times.

    What lies in a cell that the window holds as a whole is near without a look.
    """
    ux, uy, uz, bar = over
    anything = bar < 0.0 and ux == 0.0 and uy == 0.0 and uz == 0.0
    found = np.empty(64, np.int64)
    n = 0
    lx, hx, ly, hy = x - reach, x + reach, y - reach, y + reach
    for k in range(shape.shape[0]):
        nx, ny = shape[k, 2], shape[k, 3]
        if nx == 0:
            continue
        width = cell * 2.0**k
        i0 = max(math.floor(lx / width) - shape[k, 0], 0)
        i1 = min(math.floor(hx / width) - shape[k, 0], nx - 1)
        j0 = max(math.floor(ly / width) - shape[k, 1], 0)
        j1 = min(math.floor(hy / width) - shape[k, 1], ny - 1)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = shape[k, 4] + j * nx + i
                inside = anything and i0 < i < i1 and j0 < j < j1
                room = found.shape[0]
                if n + starts[c + 1] - starts[c] > room:
                    more = np.empty(2 * room + starts[c + 1] - starts[c], np.int64)
                    more[:n] = found[:n]
                    found = more
                for m in range(starts[c], starts[c + 1]):
                    t = members[m]
                    if not inside:
                        if (
                            min(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0]) > hx
                            or min(corners[t, 0, 1], corners[t, 1, 1], corners[t, 2, 1]) > hy
                            or max(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0]) < lx
                            or max(corners[t, 0, 1], corners[t, 1, 1], corners[t, 2, 1]) < ly
                        ):
                            continue
                        if (
                            ux * corners[t, 0, 0] + uy * corners[t, 0, 1] + uz * corners[t, 0, 2] <= bar
                            and ux * corners[t, 1, 0] + uy * corners[t, 1, 1] + uz * corners[t, 1, 2] <= bar
                            and ux * corners[t, 2, 0] + uy * corners[t, 2, 1] + uz * corners[t, 2, 2] <= bar
                        ):
                            continue
                    found[n] = t
                    n += 1
    return found[:n]


@compiled
def in_order(numbers: Ints) -> Ints:
    """Numbers in rising order, each once: ticked off in their range where they fill it well, for that is faster."""
    many = numbers.shape[0]
    if many < 2:
        return numbers
    low, high = numbers[0], numbers[0]
    for i in range(many):
        low, high = min(low, numbers[i]), max(high, numbers[i])
    out, n = np.empty(many, np.int64), 0
    if high - low >= SPARSE * many:
        before = low - 1
        for k in np.sort(numbers):
            if k > before:
                out[n], before = k, k
                n += 1
        return out[:n]
    ticked = np.zeros(high - low + 1, np.bool_)
    for i in range(many):
        ticked[numbers[i] - low] = True
    for k in range(high - low + 1):
        if ticked[k]:
            out[n] = low + k
            n += 1
    return out[:n]


@lean
def out_of_reach(ring: Floats, reach2: float) -> bool:
    """Whether a triangle, or any convex ring, lies farther from the origin than a reach (its square), seen from above.

    Most that is asked for has a corner in reach: that is asked first, and nothing is divided.
    """
    many = ring.shape[0]
    for i in range(many):
        if ring[i, 0] * ring[i, 0] + ring[i, 1] * ring[i, 1] <= reach2:
            return False
    left = right = False
    for i in range(many):
        j = (i + 1) % many
        ax, ay = ring[i, 0], ring[i, 1]
        dx, dy = ring[j, 0] - ax, ring[j, 1] - ay
        side = dy * ax - dx * ay
        left = left or side >= 0.0
        right = right or side <= 0.0
        size = dx * dx + dy * dy
        along = -(ax * dx + ay * dy)
        if 0.0 < along < size and side * side <= reach2 * size:
            return False
    return left and right


@compiled
def cut_out(
    corners: Floats,
    told: Ints,
    ends: Floats,
    cell: float,
    shape: Ints,
    starts: Ints,
    members: Ints,
    floor: float,
    x: float,
    y: float,
    reach: float,
    cut: float,
    over: tuple[float, float, float, float],
) -> tuple[Ints, Floats, Ints, float]:
    """Numbers, corners and traits of what is in reach and under the cut, relative to (x, y, highest corner).

    `ends`: of every triangle, as `walls.ends_of`; under no cut nobody looks at them.
    """
    near = in_order(gather(corners, cell, shape, starts, members, x, y, reach, over))
    room = (1 if cut == math.inf else 2) * near.shape[0] + 1
    traits, numbers, tris = np.empty(room, np.int64), np.empty(room, np.int64), np.empty((room, 3, 3))
    n = put_in(near, corners, told, ends, x, y, reach, cut, numbers, tris, traits)
    if floor == floor and floor <= cut:
        wide = 16.0 * reach
        for i in range(3):
            a = 2.0 * math.pi * i / 3.0 + 0.4
            tris[n, i, 0], tris[n, i, 1], tris[n, i, 2] = wide * math.cos(a), wide * math.sin(a), floor
        numbers[n], traits[n] = FLOOR, ALL_SPEAK
        n += 1
    top = -math.inf if n > 0 else 0.0
    for k in range(n):
        top = max(top, tris[k, 0, 2], tris[k, 1, 2], tris[k, 2, 2])
    for k in range(n):
        for i in range(3):
            tris[k, i, 2] -= top
    if 2 * n < room:  # what is kept for long does not hold room for what was left out
        return numbers[:n].copy(), tris[:n].copy(), traits[:n].copy(), top
    return numbers[:n], tris[:n], traits[:n], top


@lean
def put_in(
    near: Ints,
    corners: Floats,
    told: Ints,
    ends: Floats,
    x: float,
    y: float,
    reach: float,
    cut: float,
    numbers: Ints,
    tris: Floats,
    traits: Ints,
) -> int:
    """Of triangles near (x, y) what is in reach and under the cut, relative to it, with numbers and traits."""
    n = 0
    reach2 = reach * reach * (1.0 + 1e-9)
    for m in range(near.shape[0]):
        t = near[m]
        if cut < math.inf and ends[t] > cut:  # a wall that goes on over it, an underside: in the way, and no ground
            continue
        first, mine = n, told[t]
        high = max(corners[t, 0, 2], corners[t, 1, 2], corners[t, 2, 2])
        if high <= cut:
            for i in range(3):
                tris[n, i, 0], tris[n, i, 1], tris[n, i, 2] = corners[t, i, 0], corners[t, i, 1], corners[t, i, 2]
            n += 1
            if cut < math.inf:
                mine = under_a_cut(mine, high >= cut - FLAT_MM or upright(corners[t]))
        elif min(corners[t, 0, 2], corners[t, 1, 2], corners[t, 2, 2]) > cut:
            continue
        else:
            n, mine = below(corners[t], cut, tris, n), ALL_SPEAK
        kept = first
        for k in range(first, n):
            within = False  # with a corner in reach nothing else has to be asked
            for i in range(3):
                px, py, pz = tris[k, i, 0] - x, tris[k, i, 1] - y, tris[k, i, 2]
                tris[kept, i, 0], tris[kept, i, 1], tris[kept, i, 2] = px, py, pz
                within = within or px * px + py * py <= reach2
            if within or not out_of_reach(tris[kept], reach2):
                numbers[kept] = t
                traits[kept] = mine
                kept += 1
        n = kept
    return n


@lean
def upright(tri: Floats) -> bool:
    """Whether a triangle is steeper than 70 degrees: a wall, not ground."""
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return nz * nz < WALL_COS * WALL_COS * (nx * nx + ny * ny + nz * nz)


@lean
def below(tri: Floats, cut: float, out: Floats, n: int) -> int:
    """The part of a triangle under a height, as one or two triangles from `out[n]` on; the new n."""
    ring = scratch(4, 3)
    count = 0
    for i in range(3):
        j = (i + 1) % 3
        if tri[i, 2] <= cut:
            copied(tri[i], ring[count])
            count += 1
        if (tri[i, 2] <= cut) != (tri[j, 2] <= cut):
            s = (cut - tri[i, 2]) / (tri[j, 2] - tri[i, 2])
            for a in range(2):
                ring[count, a] = tri[i, a] + s * (tri[j, a] - tri[i, a])
            ring[count, 2] = cut
            count += 1
    for k in range(count - 2):
        for i in range(3):
            copied(ring[0 if i == 0 else k + i], out[n, i])
        n += 1
    return n


@compiled
def sizes(tris: Floats) -> tuple[Floats, Floats]:
    """Of each lump of triangles its bounds; of each triangle its span."""
    many = tris.shape[0]
    lumps, spans = np.empty(((many + LUMP - 1) // LUMP, 5)), np.zeros(many)
    for b in range(lumps.shape[0]):
        lx, hx, ly, hy, top = math.inf, -math.inf, math.inf, -math.inf, -math.inf
        for t in range(b * LUMP, min((b + 1) * LUMP, many)):
            for i in range(3):
                x, y, z = tris[t, i, 0], tris[t, i, 1], tris[t, i, 2]
                lx, hx, ly, hy, top = min(lx, x), max(hx, x), min(ly, y), max(hy, y), max(top, z)
                if i > 0:
                    dx, dy, dz = x - tris[t, 0, 0], y - tris[t, 0, 1], z - tris[t, 0, 2]
                    spans[t] = max(spans[t], math.sqrt(dx * dx + dy * dy + dz * dz))
        lumps[b, 0], lumps[b, 1], lumps[b, 2], lumps[b, 3], lumps[b, 4] = lx, hx, ly, hy, top
    return lumps, spans


@lean
def over_lump(lumps: Floats, b: int, gx: float, gy: float) -> float:
    """What no triangle of a lump exceeds by its height over the plane gx x + gy y."""
    across = gx * (lumps[b, 0] if gx > 0.0 else lumps[b, 1])
    return lumps[b, 4] - across - gy * (lumps[b, 2] if gy > 0.0 else lumps[b, 3])


@lean
def off_strip(lumps: Floats, b: int, fx: float, fy: float, wide: float) -> bool:
    """Whether all of a lump lies where fx x + fy y is less than -wide, or more than wide."""
    low = fx * (lumps[b, 0] if fx > 0.0 else lumps[b, 1]) + fy * (lumps[b, 2] if fy > 0.0 else lumps[b, 3])
    high = fx * (lumps[b, 1] if fx > 0.0 else lumps[b, 0]) + fy * (lumps[b, 3] if fy > 0.0 else lumps[b, 2])
    return low > wide or high < -wide
