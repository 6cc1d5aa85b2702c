"""Areas: shapely, for shapes that come from meshes; rings are (n, 2) corners without a repeated first one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon

from sim3d.plane.outline import Point
from sim3d.space import Bools, Floats, Ints

Places = np.ndarray[Any, Any]  # points of shapely's, for one question after another

NOTHING_MM = 1e-12  # coordinates nearer to 0 are 0
GRID_MM = 1e-9  # corners nearer than this are one, where a union has lost an area
LOST_MM = 1e-6  # what goes farther out of a union of shapes than this was lost
JOINT_MM = 0.01  # covers that are nearer to each other have no gap between them
FLAT_MM2 = 1e-9  # what has less area is a line or a point
CORNER = 2  # sides of a quarter of a circle, where what is widened turns a corner
FIRST_LOOKS = 2048  # along a ring
COARSE = 32  # of these the first to be taken, and then those between them
PEAKS = 64  # of these at most, the highest, are followed to their tops: where many are as high they are alike
FIND_MM = 1e-6  # so near the farthest place on it is come to
ROWS = 4096  # pairs that are looked at before the answer is looked for
KEPT = 256  # unions of covers at most: a move asks about the same few again and again


def triangles_of(ring: Floats) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Counter-clockwise triangles (m, 3) of indices that cover the inside of a ring (n, 2), however it is notched."""
    index = {(float(x), float(y)): i for i, (x, y) in enumerate(ring)}
    made = []
    for triangle in shapely.constrained_delaunay_triangles(Polygon(ring)).geoms:
        a, b, c = ((float(x), float(y)) for x, y in list(triangle.exterior.coords)[:3])
        left = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        made.append((index[a], index[b], index[c]) if left > 0 else (index[a], index[c], index[b]))
    return np.array(sorted(made), dtype=np.int64)


def united(shapes: Sequence[shapely.Geometry] | np.ndarray[Any, Any]) -> shapely.Geometry:
    """What shapes cover together, none of them lost: of two whose common side differs by a rounding one may be."""
    whole = shapely.union_all(shapes)
    wider = whole.buffer(LOST_MM)
    shapely.prepare(wider)
    return whole if shapely.covers(wider, shapes).all() else shapely.union_all(shapes, grid_size=GRID_MM)


def covering(rings: Sequence[Floats]) -> Floats:
    """Counter-clockwise triangles (n, 3, 2) of the area that rings cover together.

    >>> square = np.array([[0.0, 0.0], [2, 0], [2, 2], [0, 2]])
    >>> len(covering([square, square + 1.0]))
    6
    """
    return _cut(united([Polygon(ring) for ring in rings]))


def clipped(rings: Sequence[Floats], triangles: Floats) -> tuple[Floats, Ints]:
    """What rings cover together of triangles (m, 3, 2): triangles (n, 3, 2), and of which one each is a part."""
    whole = united([Polygon(ring) for ring in rings])
    shapely.prepare(whole)
    given = shapely.polygons(triangles)
    inside = shapely.contains(whole, given)
    parts, numbers = [triangles[inside]], [np.nonzero(inside)[0]]
    for number in np.nonzero(shapely.intersects(whole, given) & ~inside)[0].tolist():
        cut = _cut(shapely.intersection(whole, given[number]))
        parts.append(cut)
        numbers.append(np.full(len(cut), number))
    made = np.concatenate(parts)
    x, y = (made[:, 1:] - made[:, :1])[:, :, 0], (made[:, 1:] - made[:, :1])[:, :, 1]
    back = x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0] < 0
    made[back] = made[back][:, ::-1]
    return made, np.concatenate(numbers).astype(np.int64)


def _cut(area: shapely.Geometry) -> Floats:
    """Counter-clockwise triangles (n, 3, 2) of polygons; lines and points that came of cutting have none."""
    areas = [part for part in shapely.get_parts(area).tolist() if isinstance(part, Polygon)]
    if not areas:
        return np.zeros((0, 3, 2))
    cut = shapely.get_parts(shapely.constrained_delaunay_triangles(MultiPolygon(areas)))
    corners: Floats = shapely.get_coordinates(shapely.orient_polygons(cut)).reshape(-1, 4, 2)[:, :3]
    return corners


def shadows(corners: Floats, faces: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> list[Floats]:
    """The outer rings (n, 2) of the areas that flat triangles cover together, largest first, none inside another.

    Collinear corners are dropped; triangles without an area cover nothing.
    """
    corners = np.where(np.abs(corners) < NOTHING_MM, 0.0, corners)  # subnormal sizes are no end of halving to shapely
    triangles = shapely.polygons(corners[faces])
    whole = united(triangles[shapely.area(triangles) > 0])
    filled = united([Polygon(part.exterior) for part in shapely.get_parts(whole)])
    rings = []
    for part in sorted(shapely.get_parts(filled), key=lambda g: -g.area):
        ring = np.array(part.simplify(1e-6).exterior.coords)[:-1]
        rings.append(ring if Polygon(ring).exterior.is_ccw else ring[::-1].copy())
    return rings


def difference_mm(ring: Floats, other: Floats) -> float:
    """The farthest that either ring (n, 2) strays from the other (both ways), seen every half millimetre."""
    a, b = shapely.linearrings(ring), shapely.linearrings(other)
    return max(_strays(a, b), _strays(b, a))


def _strays(ring: shapely.LinearRing, other: shapely.LinearRing) -> float:
    points = shapely.points(shapely.get_coordinates(shapely.segmentize(ring, 0.5)))
    shapely.prepare(other)
    return float(shapely.distance(points, other).max())


def shrunk(ring: Floats, by_mm: float) -> Floats:
    """A ring (n, 2) taken in all round; a ring too thin for it is a `ValueError`."""
    inner = Polygon(ring).buffer(-by_mm, join_style="mitre")
    if isinstance(inner, MultiPolygon):
        inner = max(inner.geoms, key=lambda g: g.area)
    if inner.is_empty:
        raise ValueError(f"an outline cannot be taken in by {by_mm} mm: nothing is left")
    return np.array(inner.exterior.coords)[:-1]


def shrunk_whole(ring: Floats, by_mm: float) -> Floats | None:
    """The same, or None where nothing would be left, or more than one part."""
    inner = Polygon(ring).buffer(-by_mm, join_style="mitre")
    return None if inner.is_empty or isinstance(inner, MultiPolygon) else np.array(inner.exterior.coords)[:-1]


def meets_any(ring: Floats, parts: Floats, *, deeper_mm: float) -> bool:
    """Whether a ring, made so much smaller, meets the hull of any of some parts (m, k, 2): flat ones, lines, points.

    >>> square = np.array([[0.0, 0], [9, 0], [9, 9], [0, 9]])
    >>> [meets_any(square, np.array([[[x, 4.0], [x, 5.0]]]), deeper_mm=0.05) for x in (8.9, 9.0)]
    [True, False]
    """
    inner = shrunk_whole(ring, deeper_mm)
    hulls = _hulls(parts)
    return inner is not None and bool(shapely.intersects(shapely.polygons(inner), hulls).any())


class Covers:
    """Triangles (m, 3, 2) seen from above, to be asked which of them come near some others, or hide them."""

    __slots__ = ("_hulls", "_tree", "_whole")

    def __init__(self, plans: Floats) -> None:
        self._hulls = _hulls(plans)
        self._tree = shapely.STRtree(self._hulls)
        self._whole: dict[bytes, shapely.Geometry] = {}  # what some of them cover together

    def near(self, plans: Floats | Within) -> tuple[Ints, Ints]:
        """Pairs by their bounds: the number of a triangle (n, 3, 2), and which of these comes near it.

        >>> one = np.array([[[0.0, 0.0], [9, 0], [0, 9]]])
        >>> [row.tolist() for row in Covers(np.concatenate([one, one + 20.0])).near(one + 18.0)]
        [[0], [1]]
        """
        number, which = self._tree.query(plans.hulls if isinstance(plans, Within) else _hulls(plans))
        return number, which

    def hide(self, some: Ints, within: Within, rows: Ints) -> Bools:
        """Of which of some rows all that is in a ring is under some of these together.

        >>> square = np.array([[0.0, 0], [9, 0], [9, 9], [0, 9]])
        >>> two = np.stack([square[:3], square[[0, 2, 3]]])
        >>> within = Within(square, np.stack([square[:3] * 0.5, square[:3] + 0.5]), deeper_mm=1.0)
        >>> [Covers(two).hide(np.array(some), within, np.array([0, 1])).tolist() for some in ([0, 1], [1])]
        [[True, True], [False, False]]
        """
        key = some.tobytes()
        if key not in self._whole:
            if len(self._whole) == KEPT:
                self._whole.clear()
            self._whole[key] = _widened(self._hulls[some], JOINT_MM)
            shapely.prepare(self._whole[key])
        hidden: Bools = shapely.covers(self._whole[key], shapely.intersection(within.inner, within.hulls[rows]))
        return hidden


class Within:
    """Triangles (m, 3, 2) that a ring meets, made so much smaller: which of them, and their shapes."""

    __slots__ = ("hulls", "inner", "rows")

    def __init__(self, ring: Floats, plans: Floats, *, deeper_mm: float) -> None:
        hulls = _hulls(plans)
        self.inner = Polygon(ring).buffer(-deeper_mm, join_style="mitre")
        shapely.prepare(self.inner)
        self.rows: Ints = np.flatnonzero(shapely.intersects(self.inner, hulls))
        self.hulls = hulls[self.rows]


def meeting(ring: Floats, plans: Floats, *, deeper_mm: float) -> Bools:
    """Which triangles (m, 3, 2) a ring meets, made so much smaller; without an area they are lines or points."""
    met = np.zeros(len(plans), np.bool_)
    met[Within(ring, plans, deeper_mm=deeper_mm).rows] = True
    return met


def left_bare(ring: Floats | None, part: Floats, covers: Sequence[Floats], *, deeper_mm: float = 0.0) -> bool:
    """Whether anything of the hull of a part (k, 2) is in a ring, made so much smaller, and under no cover's hull.

    Covers that meet to a hundredth of a millimetre leave no gap. Without a ring it is asked of the whole part.

    >>> square = np.array([[0.0, 0], [9, 0], [9, 9], [0, 9]])
    >>> [left_bare(square, square, [square + by], deeper_mm=0.05) for by in (0.0, 0.04, 0.2)]
    [False, False, True]
    """
    seen = shapely.MultiPoint(part).convex_hull
    if ring is not None:
        seen = shapely.intersection(Polygon(ring).buffer(-deeper_mm, join_style="mitre"), seen)
    if seen.is_empty:
        return False
    low, high = np.array(seen.bounds).reshape(2, 2) + JOINT_MM * np.array([[-1.0], [1.0]])
    near = [cover for cover in covers if (cover.min(axis=0) <= high).all() and (cover.max(axis=0) >= low).all()]
    if not near:
        return True
    of = np.repeat(np.arange(len(near)), [len(cover) for cover in near])
    over = _widened(shapely.convex_hull(shapely.multipoints(np.concatenate(near), indices=of)), JOINT_MM)
    return not bool(shapely.is_empty(shapely.difference(seen, over)))


def _widened(shapes: Sequence[shapely.Geometry] | np.ndarray[Any, Any], by_mm: float) -> shapely.Geometry:
    """What shapes cover together, each so much wider all round: so none shares a side with another."""
    return shapely.union_all(shapely.buffer(shapes, by_mm, quad_segs=CORNER))


def share_plan(some: Floats, others: Floats) -> bool:
    """Whether any of some triangles (m, 3, 2) covers a part of the other one (m, 3, 2) in its row.

    >>> one = np.array([[[0.0, 0.0], [9, 0], [0, 9]]])
    >>> share_plan(one, one + 4.0), share_plan(one, one + 5.0)
    (True, False)
    """
    return any(
        bool((shapely.area(shapely.intersection(_hulls(a), _hulls(b))) > JOINT_MM * JOINT_MM).any())
        for a, b in ((some[k : k + ROWS], others[k : k + ROWS]) for k in range(0, len(some), ROWS))
    )


def may_hide(ring: Floats, area: Floats, covers: Floats) -> bool:
    """Whether a ring around the origin could be put where it meets an area, but nothing of that outside some covers.

    Both are triangles (m, 3, 2). It could not where the covers are too small for it and keep off the area's border. In
    doubt it could.

    >>> square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    >>> field = np.stack([20 * square[:3], 20 * square[[0, 2, 3]]])
    >>> [may_hide(square, field, field * size + by) for size, by in ((0.04, 3.0), (0.04, 20.0), (0.1, 3.0))]
    [False, True, True]
    """
    room = 0.9 * float(shapely.linearrings(ring).distance(shapely.Point(0.0, 0.0)))
    over = _widened(shapely.polygons(covers), 10 * JOINT_MM)
    if not over.buffer(-room).is_empty:
        return True
    return not bool(shapely.union_all(shapely.polygons(area)).buffer(-10 * JOINT_MM).covers(over))


def _hulls(plans: Floats) -> Any:
    """The hulls of rows of points (m, k, 2): flat ones are lines or points."""
    if plans.shape[1] != 3:
        return shapely.convex_hull(shapely.multipoints(plans))
    a, b = plans[:, 1] - plans[:, 0], plans[:, 2] - plans[:, 0]
    flat = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) <= FLAT_MM2
    made = np.empty(len(plans), dtype=object)
    made[~flat] = shapely.polygons(plans[~flat])  # much sooner made
    made[flat] = shapely.convex_hull(shapely.multipoints(plans[flat]))
    return made


def well_inside(ring: Floats, points: Floats, by_mm: float) -> Bools:
    """Which points (n, 2) lie inside a ring, and at least so far from it.

    >>> square = np.array([[0.0, 0], [9, 0], [9, 9], [0, 9]])
    >>> well_inside(square, np.array([[4.0, 4], [8.5, 4], [9.5, 4]]), 1.0).tolist()
    [True, False, False]
    """
    whole, border = Polygon(ring), shapely.linearrings(ring)
    for shape in (whole, border):
        shapely.prepare(shape)
    inside: Bools = shapely.contains_xy(whole, points[:, 0], points[:, 1])
    inside[inside] = shapely.distance(border, shapely.points(points[inside])) >= by_mm
    return inside


def area_of(ring: Floats) -> float:
    """The area inside a ring (n, 2) of corners."""
    return float(Polygon(ring).area)


def circle_around(ring: Floats) -> tuple[Point, float]:
    """The middle of the smallest circle around a ring (n, 2), and the share of it that the ring's hull fills."""
    circle = shapely.minimum_bounding_circle(Polygon(ring))
    radius = shapely.minimum_bounding_radius(Polygon(ring))
    return (circle.centroid.x, circle.centroid.y), float(Polygon(ring).convex_hull.area / (math.pi * radius**2))


def farthest_bare(ring: Floats, *plans: Floats) -> float:
    """How far the farthest point of a ring (n, 2) is from what hulls of points, (m, k, 2) each, cover of its inside.

    Infinite where they cover none of it.

    >>> square = np.array([[0.0, 0], [4, 0], [4, 4], [0, 4]])
    >>> round(farthest_bare(square, np.array([[[-1.0, 0], [1, 0], [1, 4], [-1, 4]]])), 4)
    3.0
    """
    whole = Polygon(ring)
    shapely.prepare(whole)
    parts = np.concatenate([_hulls(some) for some in plans])
    parts = parts[shapely.intersects(whole, parts)]
    cut = ~shapely.contains(whole, parts)
    parts[cut] = shapely.intersection(whole, parts[cut])
    parts = parts[~shapely.is_empty(parts)]
    if not len(parts):
        return math.inf
    tree, closed = shapely.STRtree(parts), np.vstack([ring, ring[:1]])
    ends = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])

    def gaps(along: Floats) -> Floats:
        places = np.column_stack([np.interp(along % ends[-1], ends, closed[:, k]) for k in (0, 1)])
        _, found = tree.query_nearest(shapely.points(places), return_distance=True, all_matches=False)
        return np.asarray(found, dtype=np.float64)

    step = float(ends[-1]) / FIRST_LOOKS
    along = np.linspace(0.0, FIRST_LOOKS * step, FIRST_LOOKS, endpoint=False)
    far = _looked(gaps, along, step)
    peaks = np.flatnonzero(
        (far >= np.roll(far, 1)) & (far >= np.roll(far, -1)) & (far + step > far.max()) & (far > 0.0)
    )
    peaks = peaks[np.argsort(-far[peaks], kind="stable")[:PEAKS]]
    low, high = along[peaks] - step, along[peaks] + step
    while len(peaks) and step > FIND_MM:  # each is narrowed to a third less, whichever of two places between is nearer
        one, other = low + (high - low) / 3, high - (high - low) / 3
        left, right = gaps(one), gaps(other)
        low, high = np.where(left < right, one, low), np.where(left < right, high, other)
        far, step = np.concatenate([far, left, right]), step * 2 / 3
    return float(far.max())


def _looked(gaps: Callable[[Floats], Floats], along: Floats, step: float) -> Floats:
    """How far places that lie a step apart along a ring are; -inf where none about them can be the farthest.

    From one place to the next nothing is farther by more than their distance: half of a stretch is looked at only where
    the two ends of it leave that open.
    """
    far, stride = np.full(len(along), -math.inf), COARSE
    far[::stride] = gaps(along[::stride])
    while stride > 1:
        starts = np.arange(0, len(along), stride)
        most = (far[starts] + np.roll(far[starts], -1) + stride * step) / 2
        middles = starts[most >= far.max()] + stride // 2
        if len(middles):
            far[middles] = gaps(along[middles])
        stride //= 2
    return far


def spread_along(ring: Floats, count: int) -> Places:
    """So many places, evenly along a ring (n, 2)."""
    shares = (np.arange(count) + 0.5) / count
    found: Places = shapely.line_interpolate_point(shapely.linearrings(ring), shares, normalized=True)
    return found


def coverage(places: Places, ends: Floats, *, within_mm: float) -> float:
    """The share of some places that have one of the segments (m, 2, 2) within reach.

    >>> square = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]])
    >>> coverage(spread_along(square, 256), np.array([[[0.0, 0.0], [1.0, 0.0]]]), within_mm=1e-9)
    0.25
    """
    if not len(ends):
        return 0.0
    near = shapely.STRtree(shapely.linestrings(ends)).query(places, predicate="dwithin", distance=within_mm)
    return len(np.unique(near[0])) / len(places)


def pockets(ring: Floats, *, about: Point | None = None) -> list[tuple[float, float, float]]:
    """Where a ring falls back from its convex hull: (direction in degrees, width along the hull, depth) of each.

    Directions are seen from `about`, or else from the middle of its area.
    """
    shape = Polygon(ring)
    hull = shape.convex_hull
    x, y = (shape.centroid.x, shape.centroid.y) if about is None else about
    found = []
    gap = hull.difference(shape)
    for part in getattr(gap, "geoms", [gap]):
        if part.is_empty or part.area < 1e-3:
            continue
        rim = part.exterior.intersection(hull.exterior.buffer(1e-6))
        depth = max(hull.exterior.distance(shapely.Point(p)) for p in part.exterior.coords)
        middle = part.centroid
        direction = math.degrees(math.atan2(middle.y - y, middle.x - x))
        found.append((round(direction, 6) % 360.0, float(rim.length), float(depth)))
    return sorted(found)


def axes_deg(ring: Floats) -> tuple[float, float]:
    """Two directions (0 to 180) a shape may call its own: of its second moments, and of the smallest rectangle."""
    x, y = (ring - np.array(shapely.get_coordinates(Polygon(ring).centroid)[0])).T
    u, v = np.roll(x, -1), np.roll(y, -1)
    cross = x * v - u * y
    xx, yy = ((x * x + x * u + u * u) * cross).sum() / 12, ((y * y + y * v + v * v) * cross).sum() / 12
    xy = ((x * v + 2 * x * y + 2 * u * v + u * y) * cross).sum() / 24
    corners = shapely.get_coordinates(Polygon(ring).minimum_rotated_rectangle)
    sides = np.diff(corners[:3], axis=0)
    longest = sides[int(np.argmax(np.hypot(sides[:, 0], sides[:, 1])))]
    return (
        math.degrees(0.5 * math.atan2(2 * xy, xx - yy)) % 180.0,
        math.degrees(math.atan2(longest[1], longest[0])) % 180.0,
    )
