"""How a solid's parts lie: where it crosses itself, what hangs in the air, how thick its walls are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim3d.finding import Place
from sim3d.solid.contact import contacts
from sim3d.solid.joined import joined
from sim3d.solid.mend import agreeing, all_but_closed
from sim3d.solid.solid import Solid
from sim3d.solid.survey import cross_of, parts_by_corner
from sim3d.solid.wrapped import winding
from sim3d.space import Bools, Floats, Ints

CROSS_MM = 0.01  # a tenth of a layer: less is rounding where faces touch
GROUND_MM = 0.1  # a part that reaches this near to the lowest point stands on the bed: half a first layer
ASKEW = 0.4  # radians: no slope and no repeat of what is modelled
ROUNDED_MM = 1e-3  # of a wall: many are drawn at just the limit, and a file rounds their corners
DEPTH_DIGITS = 4  # of mm: what is as thin but for rounding is told in the order of places, as they are but for that
SAMPLES = 4000  # places where a wall's thickness is measured: one for every 5 mm square of a large ruin
SKIN_MM = 1e-3  # a ray starts this far inside, so that it does not meet the triangle it starts from
FACING = 0.966  # a wall's other side looks the other way within 15 degrees: else it is the tip of a wedge
PER_ROW, MOST_ROWS = 16, 1000  # points, and rows in which they lie, to find the triangles over them
BLUR = 1e-12  # of coordinates: what float64 blurs
CHUNK = 4_000_000  # pairs of a ray and a triangle that are looked at together


@dataclass(frozen=True, slots=True)
class Crossing:
    """Pairs of triangles of one part that pass through each other, and how deep; `gave_up`: why there may be more."""

    count: int
    deepest_mm: float
    places: tuple[Place, ...]
    gave_up: str = ""


def crosses_itself(solid: Solid) -> Crossing:
    """Where a part of the solid passes through itself, deeper than what rounding does to faces that touch."""
    _, part = parts_by_corner(solid.faces, len(solid.vertices))
    met = contacts(solid.vertices, solid.faces, part.astype(np.int64))
    depth = _how_deep(solid, met.pairs)
    deep = np.flatnonzero(depth > CROSS_MM)
    worst = deep[np.argsort(-depth[deep], kind="stable")[:5]]
    middles = solid.vertices[solid.faces[met.pairs[worst]]].mean(axis=(1, 2))
    places = tuple(_place(at, float(depth[i])) for at, i in zip(middles, worst, strict=True))
    return Crossing(len(deep), float(depth[worst[0]]) if len(worst) else 0.0, places, met.gave_up)


def _place(at: Floats, size: float) -> Place:
    return Place(float(at[0]), float(at[1]), float(at[2]), size)


def _how_deep(solid: Solid, pairs: Ints) -> Floats:
    """How deep the triangles of a pair reach through each other: by what is on either side of the other's plane, and
    by the length along which they cross; nothing for triangles in one plane."""
    depth = np.full(len(pairs), np.inf)
    start, end = np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf)
    normals = [cross_of(solid.vertices, solid.faces[pairs[:, k]]) for k in range(2)]
    normals = [n / np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None] for n in normals]
    along = np.cross(normals[0], normals[1])
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    for one, other, normal in ((0, 1, normals[0]), (1, 0, normals[1])):
        origin = solid.vertices[solid.faces[pairs[:, one], 0]]
        corners = solid.vertices[solid.faces[pairs[:, other]]]
        over = np.einsum("ijk,ik->ij", corners - origin[:, None], normal)
        depth = np.minimum(depth, np.minimum(over.max(axis=1), -over.min(axis=1)))
        low, high = _across(np.einsum("ijk,ik->ij", corners, along), over)
        start, end = np.maximum(start, low), np.minimum(end, high)
    deep: Floats = np.maximum(np.minimum(depth, end - start), 0.0)
    return deep


def _across(place: Floats, over: Floats) -> tuple[Floats, Floats]:
    """From where to where triangles cross a plane, measured along the line in which they do: each corner's place on
    that line, and its height over the plane."""
    low, high = np.full(len(place), np.inf), np.full(len(place), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        apart = over[:, i] - over[:, j]
        share = np.divide(over[:, i], apart, out=np.full(len(place), np.nan), where=apart != 0)
        here = np.where((share >= 0) & (share <= 1), place[:, i] + share * (place[:, j] - place[:, i]), np.nan)
        low, high = np.fmin(low, here), np.fmax(high, here)
    return low, high


def in_the_air(solid: Solid) -> tuple[Place, ...] | None:
    """The lowest point of every part that neither stands on the ground nor touches what does; `size` is its height.

    What lies no farther off than rounding puts faces that touch does touch: most files keep seven digits.
    None where parts meet in so many places that they are not told one by one: what touches what is unknown then.
    """
    count, part = parts_by_corner(solid.faces, len(solid.vertices))
    if count == 1:
        return ()
    corners = solid.vertices[solid.faces]
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, part, corners[:, :, 2].min(axis=1))
    np.maximum.at(high, part, corners[:, :, 2].max(axis=1))
    low_enough = low <= low.min() + GROUND_MM
    if low_enough.all():
        return ()
    met = contacts(solid.vertices, solid.faces, np.zeros(len(solid.faces), np.int64))
    if met.gave_up:
        return None
    a, b = part[met.pairs[:, 0]], part[met.pairs[:, 1]]
    _, group = joined(count, a, b)
    hanging = ~np.isin(group, np.unique(group[low_enough]))
    while hanging.any():
        lying = np.zeros(count, np.bool_)
        lying[_nearly_met(solid, part, hanging)] = True
        carried = hanging & np.isin(group, np.unique(group[lying]))
        if not carried.any():
            break
        hanging &= ~carried
    return tuple(_not_within(solid, part, np.flatnonzero(hanging), high - low)) if hanging.any() else ()


def _not_within(solid: Solid, part: Ints, some: Ints, sizes: Floats) -> Iterator[Place]:
    """The lowest point of each of some parts that lies in no other part."""
    solid = agreeing(solid)  # a small hole lets nothing out of what it lies within
    wrapping = solid.bounds_a_part | (all_but_closed(solid.vertices, solid.faces) > 0)
    corners = solid.vertices[solid.faces]
    least, most = np.full((len(sizes), 3), np.inf), np.full((len(sizes), 3), -np.inf)
    np.minimum.at(least, part, corners.min(axis=1))
    np.maximum.at(most, part, corners.max(axis=1))
    of_part = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1])
    for k in some:
        at = corners[of_part[k]].reshape(-1, 3)
        point = at[np.argmin(at[:, 2])]
        around = np.flatnonzero(((least <= point) & (point <= most)).all(axis=1))
        faces = np.concatenate([of_part[n] for n in around if n != k] or [part[:0]])
        if winding((solid.vertices, solid.outward[faces[wrapping[faces]]]), point) <= 0.5:
            yield _place(point, float(sizes[k]))


def _nearly_met(solid: Solid, part: Ints, hanging: Bools) -> Ints:
    """The parts among those that hang which touch one of the others when they are moved by a rounding along an axis."""
    mine = hanging[part]
    corners = solid.vertices[solid.faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = np.ones(len(mine), np.bool_)
    for own in (mine, ~mine):  # only what reaches into the box of the others can touch them
        box = low[own].min(axis=0) - CROSS_MM, high[own].max(axis=0) + CROSS_MM
        near[~own] &= ((low <= box[1]) & (high >= box[0])).all(axis=1)[~own]
    some = np.flatnonzero(near)
    faces, moves = solid.faces[some].copy(), mine[some]
    faces[moves] += len(solid.vertices)
    found: list[Ints] = []
    for step in (*np.eye(3), *-np.eye(3)):
        met = contacts(np.concatenate([solid.vertices, solid.vertices + CROSS_MM * step]), faces, np.zeros_like(some))
        across = met.pairs[moves[met.pairs[:, 0]] != moves[met.pairs[:, 1]]]
        found.append(part[some[across[moves[across]]]])
    return np.unique(np.concatenate(found))


@dataclass(frozen=True, slots=True)
class Thin:
    """The share of the surface over walls thinner than asked, the thinnest, and where."""

    share: float
    area_mm2: float
    thinnest_mm: float
    places: tuple[Place, ...]


def thin_walls(solid: Solid, wall_mm: float) -> Thin:
    """Walls thinner than `wall_mm`, measured straight inwards at some thousand places spread over the surface.

    They are the same however the surface is cut into triangles, and in whichever order these are.
    Parts through one another are one: what of a part lies within another is no wall's side.
    """
    double = cross_of(solid.vertices, solid.outward)
    size = np.linalg.norm(double, axis=1)
    normal = double / np.where(size > 0, size, 1.0)[:, None]
    at, own, stands_for = _spread_over(solid, double, SAMPLES)
    depth = _through(solid, normal, at, own, wall_mm)
    thin = np.flatnonzero(depth < wall_mm - ROUNDED_MM)
    told = np.round(np.column_stack([at[thin], depth[thin]]), DEPTH_DIGITS)
    told = told[np.lexsort(told.T)]
    places = tuple(_place(one[:3], round(wall_mm - float(one[3]), DEPTH_DIGITS)) for one in told[:5])
    area, thinnest = float(stands_for[thin].sum()), float(depth[thin].min(initial=np.inf))
    return Thin(area / max(float(stands_for.sum()), 1e-300), area, thinnest, places)


def _through(solid: Solid, normal: Floats, at: Floats, own: Ints, reach: float) -> Floats:
    """How far it is from each place straight inwards to the open again; inf beyond `reach`, and from within a part."""
    depth = _depths(solid, normal, at, own, np.full(len(at), SKIN_MM), reach)
    thin = np.flatnonzero(depth < reach)
    depth[thin[wraps(solid, at[thin] + normal[own[thin]] * SKIN_MM) > 0]] = np.inf
    thin = np.flatnonzero(depth < reach)
    while len(thin):
        behind = depth[thin] + SKIN_MM
        buried = wraps(solid, at[thin] - normal[own[thin]] * behind[:, None]) > 0
        thin, behind = thin[buried], behind[buried]
        depth[thin] = _depths(solid, normal, at[thin], own[thin], behind, reach)
        thin = thin[depth[thin] < reach]
    return depth


def wraps(solid: Solid, points: Floats) -> Ints:
    """How many parts each point (n, 3) lies in, by the triangles straight above it; only what is closed wraps.

    >>> from sim3d.solid.boolean import box
    >>> cube = Solid.of(*box((0, 0, 0), (2, 2, 2)))
    >>> wraps(cube, np.array([[0.6, 1, 1], [0.6, 1, 3], [0.6, 1, -1], [3, 1, 1]])).tolist()
    [1, 0, 0, 0]
    """
    found = np.zeros(len(points), np.int64)
    if not len(points):
        return found
    a, b, c = (solid.vertices[solid.outward[:, k]] for k in range(3))
    turn = cross_of(solid.vertices, solid.outward)[:, 2]
    high = np.maximum(np.maximum(a[:, 2], b[:, 2]), c[:, 2])
    some = np.flatnonzero((turn != 0) & (high > points[:, 2].min()) & solid.bounds_a_part)
    for own, which in _over_in_plan((a[some, :2], b[some, :2], c[some, :2]), points[:, :2]):
        face = some[own]
        p, z = points[which], np.zeros(len(which))
        over = np.ones(len(which), np.bool_)
        for one, other, far in ((a, b, c), (b, c, a), (c, a, b)):
            (ux, uy), (vx, vy) = (other[face] - one[face])[:, :2].T, (p - one[face])[:, :2].T
            share = (ux * vy - uy * vx) / turn[face]
            over &= share >= 0
            z += share * far[face, 2]
        over &= z > p[:, 2]
        np.add.at(found, which[over], np.sign(turn[face[over]]).astype(np.int64))
    return found


def _over_in_plan(corners: tuple[Floats, Floats, Floats], points: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of a triangle and a point in the plane that may lie in it, some at a time: none that does is left out.

    The points lie in rows, sorted along each; of a row a triangle takes what lies between its ends there.
    """
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    rows = min(max(1, len(points) // PER_ROW), MOST_ROWS)
    high, wide = max(float(y1 - y0), 1e-9) / rows, float(x1 - x0) + 1.0
    blur = BLUR * (abs(x0) + abs(x1) + abs(y0) + abs(y1) + 1.0)
    row = ((points[:, 1] - y0) / high).astype(np.int64).clip(0, rows - 1)
    order = np.lexsort((points[:, 0], row))
    places = row[order] * wide + (points[order, 0] - x0)
    ys = np.stack([p[:, 1] for p in corners])
    low, tall = ys.min(axis=0) - blur, ys.max(axis=0) + blur
    first, last = (((y - y0) / high).clip(0, rows - 1).astype(np.int64) for y in (low, tall))
    counts = (last - first + 1) * ((tall >= y0) & (low <= y1))
    for which, nth in _spread_out(counts):
        here = first[which] + nth
        bottom, top = y0 + here * high - blur, y0 + (here + 1) * high + blur
        left, right = np.full(len(which), np.inf), np.full(len(which), -np.inf)
        for p, q in zip(corners, (*corners[1:], corners[0]), strict=True):
            (px, py), (qx, qy) = p[which].T, q[which].T
            rise = qy - py
            misses = (np.maximum(py, qy) < bottom) | (np.minimum(py, qy) > top)
            for y, level in ((bottom, 0.0), (top, 1.0)):  # of a level side both ends
                share = np.divide(y - py, rise, out=np.full(len(which), level), where=rise != 0)
                x = px + share.clip(0, 1) * (qx - px)
                left = np.where(misses, left, np.minimum(left, x))
                right = np.where(misses, right, np.maximum(right, x))
        start = np.searchsorted(places, here * wide + (left - blur - x0).clip(0, wide - 0.5))
        stop = np.searchsorted(places, here * wide + (right + blur - x0).clip(-0.5, wide - 0.5), side="right")
        for some, k in _spread_out((stop - start).clip(0)):
            yield which[some], order[start[some] + k]


def _spread_out(counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every number of things with so many of each: which one it is, and the how many-th of it, some at a time."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = int(ends[start] - counts[start])
        stop = max(start + 1, int(np.searchsorted(ends, before + CHUNK // 4, side="right")))
        which = np.repeat(np.arange(start, stop), counts[start:stop])
        if len(which):
            yield which, np.arange(len(which)) - (ends[which] - counts[which] - before)
        start = stop


def _spread_over(solid: Solid, double: Floats, many: int) -> tuple[Floats, Ints, Floats]:
    """About so many places spread evenly over the surface, the triangle of each, and the mm² that each stands for.

    They are a square lattice, seen along whichever axis a triangle looks at most. It lies askew, so that what repeats
    itself along an axis, as planks or bars, is not met everywhere alike. `double`: twice the area along the normals.
    """
    axis = np.abs(double).argmax(axis=1)
    seen = np.abs(double[np.arange(len(double)), axis]) / 2  # of each triangle along that axis
    step = float(np.sqrt(seen.sum() / many))
    if step == 0.0:
        return np.empty((0, 3)), np.empty(0, np.int64), np.empty(0)
    corners = (solid.vertices - solid.vertices.min(axis=0))[solid.outward]
    plan = np.take_along_axis(corners, np.array([[1, 2], [2, 0], [0, 1]])[axis][:, None], axis=2)
    c, s = np.cos(ASKEW), np.sin(ASKEW)
    plan = plan @ np.array([[c, -s], [s, c]]) / step + ASKEW  # in steps of the lattice
    low = np.ceil(plan.min(axis=1)).astype(np.int64)
    wide = (np.floor(plan.max(axis=1)).astype(np.int64) - low + 1).clip(0)
    found = [(np.empty((0, 3)), np.empty(0, np.int64))]
    for own, nth in _spread_out(wide[:, 0] * wide[:, 1]):
        x, y = (low[own] + np.column_stack([nth % wide[own, 0], nth // wide[own, 0]])).T
        shares = np.empty((len(own), 3))
        for k in range(3):
            (px, py), (qx, qy) = plan[own, (k + 1) % 3].T, plan[own, (k + 2) % 3].T
            shares[:, k] = (qx - px) * (y - py) - (qy - py) * (x - px)
        within = (shares >= 0).all(axis=1) | (shares <= 0).all(axis=1)
        whole = shares.sum(axis=1)
        within &= whole != 0
        shares, own = shares[within] / whole[within][:, None], own[within]
        found.append((np.einsum("ij,ijk->ik", shares, solid.vertices[solid.outward[own]]), own))
    at, of = (np.concatenate(some) for some in zip(*found, strict=True))
    return at, of, step**2 * np.linalg.norm(double[of], axis=1) / 2 / seen[of]


def _depths(solid: Solid, normal: Floats, at: Floats, own: Ints, behind: Floats, reach: float) -> Floats:
    """How far it is from each place straight inwards to a triangle that looks the other way, farther than `behind`; inf
    beyond `reach`."""
    depth = np.full(len(at), np.inf)
    way = -normal[own]
    middles = at + way * (reach / 2)
    a, b, c = (solid.vertices[solid.outward[:, k]] for k in range(3))
    centre = (np.minimum(np.minimum(a, b), c) + np.maximum(np.maximum(a, b), c)) / 2
    radius = np.sqrt(np.maximum.reduce([((p - centre) ** 2).sum(axis=1) for p in (a, b, c)])) + reach / 2
    from scipy.spatial import cKDTree  # not before parts are near each other

    tree = cKDTree(middles)
    counts = tree.query_ball_point(centre, radius, return_length=True)
    ends = np.cumsum(counts)
    start = 0
    near = np.flatnonzero(counts)
    while start < len(near):
        before = ends[near[start]] - counts[near[start]]
        stop = max(start + 1, int(np.searchsorted(ends[near], before + CHUNK // 10, side="right")))
        some = near[start:stop]
        rays = np.concatenate([np.asarray(r, np.int64) for r in tree.query_ball_point(centre[some], radius[some])])
        _strike(depth, at, way, own, rays, np.repeat(some, counts[some]), (a, b, c), normal, behind, reach)
        start = stop
    return depth


def _strike(
    depth: Floats,
    at: Floats,
    way: Floats,
    own: Ints,
    rays: Ints,
    faces: Ints,
    corners: tuple[Floats, Floats, Floats],
    normal: Floats,
    behind: Floats,
    reach: float,
) -> None:
    """Shorten depths to what pairs of rays and triangles meet."""
    slope = np.einsum("ij,ij->i", way[rays], normal[faces])
    keep = (slope > FACING) & (own[rays] != faces)
    rays, faces, slope = rays[keep], faces[keep], slope[keep]
    a, b, c = (p[faces] for p in corners)
    far = np.einsum("ij,ij->i", a - at[rays], normal[faces]) / slope
    keep = (far > behind[rays]) & (far < reach)
    rays, faces, far, a, b, c = rays[keep], faces[keep], far[keep], a[keep], b[keep], c[keep]
    hit = at[rays] + way[rays] * far[:, None]
    inside = np.ones(len(rays), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(q - p, hit - p), normal[faces]) >= 0
    np.minimum.at(depth, rays[inside], far[inside])
