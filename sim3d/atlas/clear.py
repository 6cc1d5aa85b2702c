"""Whether terrain is in the way of a base and its body at a pose: only what is near enough to their axis is asked.

Compiled. A leaning body is a cylinder about a leaning axis: of a cell of the raster the highest triangle tells how far
its terrain can reach towards that axis, and most cells are passed over.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch, scratch_marks
from sim3d.ground.foot import Foot
from sim3d.ground.patch import upright
from sim3d.ground.room import APART, Shells, in_the_way, ray_from
from sim3d.ground.spans import Spans
from sim3d.ground.storeys import height_at
from sim3d.overlap import OVERLAP_MM
from sim3d.space import WORD_BAND_MM, Floats
from sim3d.statics.spot import ASKED, NONE, floor_about, place_in, relative, with_more_room

FREE, HIT, NEARLY = 0, 1, 2  # there is room; terrain is in the way; within the overlap's band
SOME = 16  # triangles that are looked at together
ROW = 64  # cells of the raster that are weighed together
ROOM_MM = 0.01  # ten times a word's band: by so much what is said of no room at all is more than rounding
ON_GROUND_MM = 1e-6  # parts that stand on each other are rounded
ROUND_MM = 1e-6  # distances are rounded: what is nearer than this to the body's side is asked


class Model(NamedTuple):
    """What is set down: its foot, the same taken in for the two sides of the overlap's band, body, centre of mass."""

    foot: Foot
    within: Foot  # by a hair less than the overlap that is allowed
    without: Foot  # by a hair more
    rounds: Floats
    com: Floats
    hearts: Floats  # points in its outline, as `hearts_of` tells them
    thickness: float
    height: float
    farthest: float  # of the body's rounds or the base
    upright_fits: bool  # body over base: upright, what is under the base is under it all


@compiled
def in_way(
    spans: Spans, x0: float, y0: float, frame: Floats, model: Model, c: float, gx: float, gy: float, cut: float
) -> int:
    """FREE, HIT or NEARLY, of a base and its body at a pose.

    Asked are all triangles with a corner in the height of base and body that may come as near to the axis as these
    reach, each once and a few at a time: inside a wall the first of them will do.
    """
    if math.hypot(gx, gy) / math.sqrt(1.0 + gx * gx + gy * gy) <= 1e-9 and model.upright_fits and cut == math.inf:
        return FREE
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    slope, steep = math.hypot(gx, gy), abs(gx) + abs(gy)
    least, most = (OVERLAP_MM - 2.0 * WORD_BAND_MM) * sec, max(model.height, model.thickness) * sec + ROUND_MM
    reach = model.farthest + slope / sec * model.height + 1.0
    n, many, nearly = 0, 0, False
    numbers, seen = np.empty(SOME, np.int64), np.full(4 * SOME, NONE)
    tris, lengths = np.empty((SOME, 3, 3)), np.empty(SOME)
    if spans.floor == spans.floor and spans.floor - c + slope * reach > least:
        tris[0] = floor_about(spans.floor, reach)
        many = 1
    dx, dy = (-gx / slope, -gy / slope) if slope > 0.0 else (1.0, 0.0)  # downhill
    cell, crowns = spans.cell, spans.crowns
    half = 0.5 * cell
    fx0, fy0 = x0 - spans.x0, y0 - spans.y0
    # from the middle of the underside to where the axis ends, and as far beside both as base and body reach
    tall, beside = max(model.height, model.thickness) / sec, model.farthest + 1.0
    j0 = max(math.floor((fy0 + min(-gy * tall, 0.0) - beside) / cell), 0)
    j1 = min(math.floor((fy0 + max(-gy * tall, 0.0) + beside) / cell), spans.ny - 1)
    i0 = max(math.floor((fx0 + min(-gx * tall, 0.0) - beside) / cell), 0)
    i1 = min(math.floor((fx0 + max(-gx * tall, 0.0) + beside) / cell), spans.nx - 1)
    tri, asked, overs = scratch(3, 3), scratch_marks(ASKED), scratch(ROW)
    for j in range(j0, j1 + 1):
        y, row = j * cell - fy0 + half, j * spans.nx
        for i in range(i0, i1 + 1):
            at = (i - i0) % ROW
            if at == 0:  # so many at once, without a question: processors take several together
                end = min(i + ROW, i1 + 1)
                high = crowns[row + i : row + end]
                plane = c + gx * (i * cell - fx0 + half) + gy * y - steep * half
                for k in range(end - i):
                    overs[k] = high[k] - plane - gx * (k * cell)
            if overs[at] <= least:
                continue
            m, x = row + i, i * cell - fx0 + half
            lowest = c + gx * x + gy * y - steep * half  # of the plane, in this cell
            down, across = dx * x + dy * y, dx * y - dy * x
            for k in range(spans.starts[m], spans.starts[m + 1]):
                height = spans.highs[k] - lowest
                if height <= least or off_axis(down, across, height, half, slope, sec, model):
                    break  # the next ones are lower
                number = spans.members[k]
                if asked[number % ASKED] == number + 1:  # a long one lies in many cells
                    continue
                asked[number % ASKED] = number + 1
                relative(spans.corners, number, x0, y0, tri)
                highest, deepest = -math.inf, math.inf
                for a in range(3):
                    over = tri[a, 2] - c - gx * tri[a, 0] - gy * tri[a, 1]
                    highest, deepest = max(highest, over), min(deepest, over)
                if highest <= least or deepest > most:  # most are: storeys above
                    continue
                free = place_in(seen, number)
                if seen[free] == number:
                    continue
                if n == numbers.shape[0]:
                    numbers, seen = with_more_room(numbers)
                    free = place_in(seen, number)
                numbers[n], seen[free] = number, number
                n += 1
                if many == SOME:
                    met = in_way_of(tris, lengths, many, frame, model)
                    if met == HIT:
                        return HIT
                    nearly, many = nearly or met == NEARLY, 0
                for a in range(3):
                    copied(tri[a], tris[many, a])
                many += 1
    met = in_way_of(tris, lengths, many, frame, model)
    return NEARLY if nearly and met == FREE else met


@lean
def in_way_of(tris: Floats, lengths: Floats, many: int, frame: Floats, model: Model) -> int:
    """The same, for the first few of some triangles. `lengths` is room: no corner is farther from a first one."""
    for t in range(many):
        lengths[t] = 0.0
        for i in range(1, 3):
            dx, dy, dz = tris[t, i, 0] - tris[t, 0, 0], tris[t, i, 1] - tris[t, 0, 1], tris[t, i, 2] - tris[t, 0, 2]
            lengths[t] = max(lengths[t], math.sqrt(dx * dx + dy * dy + dz * dz))
    for side in range(2):
        foot = model.without if side == 0 else model.within
        slack = OVERLAP_MM + WORD_BAND_MM if side == 0 else OVERLAP_MM - WORD_BAND_MM
        hit = in_the_way(
            tris[:many],
            lengths,
            frame,
            foot.edges,
            foot.pieces,
            foot.reach_mm,
            foot.inner_mm,
            slack,
            model.thickness - slack,
            model.rounds,
            slack,
        )
        if hit != APART:
            return HIT if side == 0 else NEARLY
    return FREE


@lean
def off_axis(down: float, across: float, height: float, half: float, slope: float, sec: float, model: Model) -> bool:
    """Whether nothing in a square of terrain comes as near to a leaning axis as base and body reach.

    The square's middle is given as (downhill, across), its terrain by how high it stands over the plane at most. A
    point so far downhill, and that high, lies `down sec - height sin` from the axis along the plane.
    """
    wide = 1.4143 * half
    low = (down - wide) * sec - min(height, model.height * sec) * slope / sec
    high = (down + wide) * sec
    along = max(low, -high, 0.0)
    beside = max(abs(across) - wide, 0.0)
    return along * along + beside * beside > (model.farthest + ROUND_MM) ** 2


@lean
def inside_closed(spans: Spans, closed: Shells, points: Floats, gap: float) -> bool:
    """Whether a base is inside of a closed piece: most of its points (n, 3) are, or the first of one without holes.

    `gap` as of `ray_from`.
    """
    many = points.shape[0]
    asked = many // 2 + 1 if closed.holed.shape[0] > 0 else 1  # where most are inside one of so many is
    for p in range(asked):
        z = points[p, 2]
        first, last = over_point(spans, points[p, 0], points[p, 1])
        for k in range(first, last):
            if spans.highs[k] < z:
                break
            number = spans.members[k]
            piece, rim = closed.of[number], closed.rim[number]
            holed = closed.holed.shape[0] > 0 and closed.holed[number]
            if piece < 0 or (p > 0 and not holed) or ray_from(rim, points[0, 2], gap) == math.inf:
                continue
            before = False
            for n in range(first, k):
                before = before or closed.of[spans.members[n]] == piece
            if before or not leaves(spans, closed, piece, rim, points[p]):
                continue
            if not holed:
                return True
            inside = 0
            for q in range(many):
                inside += leaves(spans, closed, piece, rim, points[q])
            if 2 * inside > many:
                return True
    return False


@lean
def over_point(spans: Spans, x: float, y: float) -> tuple[int, int]:
    """Where the list of the cell over a point begins and ends; a point beside the raster has none."""
    i, j = math.floor((x - spans.x0) / spans.cell), math.floor((y - spans.y0) / spans.cell)
    if not (0 <= i < spans.nx and 0 <= j < spans.ny):
        return 0, 0
    m = j * spans.nx + i
    return spans.starts[m], spans.starts[m + 1]


@lean
def leaves(spans: Spans, closed: Shells, piece: int, rim: float, point: Floats) -> bool:
    """Whether a ray up from a point, or from over it at a rim, leaves a piece once more than it enters."""
    x, y, z = point[0], point[1], max(point[2], rim)
    first, last = over_point(spans, x, y)
    count = 0
    for k in range(first, last):
        if spans.highs[k] < z:
            break
        number = spans.members[k]
        if closed.of[number] == piece and crosses(spans.corners[number], x, y, z):
            count += 1
    return count % 2 == 1


@compiled
def posts_of(spans: Spans, closed: Shells, cut: float) -> Floats:
    """Over the middle of every cell how high a closed piece goes on over a cut that runs through its inside; else -inf.

    It does so from the ground on: under what hangs, as over a window, a base may lean. What stands there leaves no room
    under the cut: whichever way a base leans, see `leaves_no_room`.
    """
    tops = np.full((spans.ny, spans.nx), -math.inf)
    for j in range(spans.ny):
        y = spans.y0 + (j + 0.5) * spans.cell
        for i in range(spans.nx):
            x = spans.x0 + (i + 0.5) * spans.cell
            m = j * spans.nx + i
            first, last = spans.starts[m], spans.starts[m + 1]
            for k in range(first, last):
                piece = closed.of[spans.members[k]]
                if spans.highs[k] <= cut:
                    break
                if piece >= 0 and (k == first or closed.of[spans.members[k - 1]] != piece):
                    tops[j, i] = max(tops[j, i], top_of_inside(spans, closed, piece, first, last, x, y, cut))
    return tops


@lean
def top_of_inside(
    spans: Spans, closed: Shells, piece: int, first: int, last: int, x: float, y: float, z: float
) -> float:
    """How far up from a point the inside of a closed piece goes that goes down to the ground; else -inf.

    That is its answer, too, where a wall as steep as what a cut takes away lies over or under the point. The piece's
    triangles are among those from `first` to `last`.
    """
    top, bottom, count = math.inf, -math.inf, 0  # over a rim the inside begins there
    ground = spans.floor if spans.floor == spans.floor else -math.inf  # the highest under the bottom of that inside
    for k in range(first, last):
        number = spans.members[k]
        if closed.of[number] == piece:
            if closed.rim[number] > z:
                return -math.inf
            bottom = max(bottom, closed.rim[number])
        if not crosses(spans.corners[number], x, y, -math.inf):
            continue
        if closed.of[number] == piece and upright(spans.corners[number]):
            return -math.inf
        _, height = height_at(spans.corners[number], x, y)
        if closed.of[number] != piece:
            ground = max(ground, height) if height <= z else ground
        elif height > z:
            top, count = min(top, height), count + 1
        elif height >= bottom:
            ground, bottom = max(ground, bottom), height
        else:
            ground = max(ground, height)
    return top if count % 2 and ground >= bottom - ON_GROUND_MM else -math.inf


@compiled
def leaves_no_room(room: Spans, posts: Floats, model: Model, x: float, y: float, high: float) -> bool:
    """Whether no pose in which a model rests on terrain up to so high under it has room for it, for what stands there.

    It leans at most so far that gravity's line through its centre of mass still meets the base. So its plane is not
    much higher over a post than what carries it, and not lower than the post's foot: half of the base's height over
    it the post's middle lies in the base. From there to the base's own middle its side is met, or that is inside, too.
    """
    off, half = math.hypot(model.com[0], model.com[1]), 0.5 * model.thickness
    tan = (model.foot.reach_mm + off) / model.com[2]
    cos = 1.0 / math.sqrt(1.0 + tan * tan)
    far = cos * (model.without.inner_mm - half * tan) - ROOM_MM
    over = high + tan * (tan * cos * model.com[2] + off) + half / cos + ROOM_MM
    cell = room.cell
    j0, j1 = max(math.floor((y - far - room.y0) / cell), 0), min(math.floor((y + far - room.y0) / cell), room.ny - 1)
    i0, i1 = max(math.floor((x - far - room.x0) / cell), 0), min(math.floor((x + far - room.x0) / cell), room.nx - 1)
    for j in range(j0, j1 + 1):
        dy = room.y0 + (j + 0.5) * cell - y
        for i in range(i0, i1 + 1):
            if posts[j, i] > over:
                dx = room.x0 + (i + 0.5) * cell - x
                away = math.sqrt(dx * dx + dy * dy)
                if away < far and posts[j, i] > over + tan * away:
                    return True
    return False


@lean
def crosses(tri: Floats, x: float, y: float, z: float) -> bool:
    """Whether a ray straight up from a point crosses a triangle, as `room.crossings_above` counts them."""
    hit = False
    for i in range(3):
        j = (i + 1) % 3
        ax, ay, bx, by = tri[i, 0] - x, tri[i, 1] - y, tri[j, 0] - x, tri[j, 1] - y
        if (ay <= 0.0) != (by <= 0.0):
            if ay > by:  # both triangles at an edge decide alike, to the last digit
                ax, ay, bx, by = bx, by, ax, ay
            if ax - ay * (bx - ax) / (by - ay) > 0.0:
                hit = not hit
    if not hit:
        return False
    ux, uy, uz = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    vx, vy, vz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    det = ux * vy - uy * vx
    if det == 0.0:
        return False
    px, py = x - tri[0, 0], y - tri[0, 1]
    a, b = (px * vy - py * vx) / det, (ux * py - uy * px) / det
    return bool(tri[0, 2] + a * uz + b * vz > z)
