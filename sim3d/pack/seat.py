"""How a piece sits on the table: what of it touches the ground, whether its weight lies over that, whether it rocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim3d.solid import Solid
from sim3d.solid.boolean import NotManifold, hull
from sim3d.space import Floats

SEAT_MM = 0.05  # what is this near to the ground touches it: a sheet of paper is 0.1
ROCK_LEAST_DEG = 0.1  # less than this is a printer's own unevenness
ROCK_MOST_DEG = 5.0  # more is no wobble: it is lying down on another side
ROCK_SHARE = 0.1  # of the seat's width: a centre of mass this near to an edge goes over it when a hand comes near; and
# of the way from the edge to what it rocks onto: a tenth of its weight, laid down there, tips it
MANY = 1000  # points of a seat: those in its midst are left out before it is gone round
DIRECTIONS = 64  # of a round seat a five-hundredth is left
FLAT_MM = 1e-3  # what is this near to a plane lies in it: files round
ROLLED, NARROWED = 64, 7  # directions in which it may roll, and halvings of what is between them
WELL_MM = 1e-4  # so far within is no corner of a ring, whatever is rounded
SLIVER = 1e-9  # of a hull's area: a facet with less has no normal to speak of


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a piece touches level ground in the pose of its file: the ring of its support; both may be empty."""

    ring: Floats  # corners (n, 2), counter-clockwise; a point or two where it stands on a tip or an edge
    area_mm2: float
    width_mm: float  # its least width

    def margin_mm(self, x: float, y: float) -> float:
        """How far a ground point lies inside the support; negative outside, by the nearest side's line."""
        return min((inside for inside, _ in self.sides(x, y)), default=-math.inf)

    def sides(self, x: float, y: float) -> list[tuple[float, tuple[float, float]]]:
        """For every side how far inside of its line a point lies, and the middle of the side."""
        if len(self.ring) < 3:
            return []
        found = []
        for p, q in zip(self.ring, np.roll(self.ring, -1, axis=0), strict=True):
            along = (q - p) / np.hypot(*(q - p))
            inside = float(along[0] * (y - p[1]) - along[1] * (x - p[0]))
            found.append((inside, (float((p[0] + q[0]) / 2), float((p[1] + q[1]) / 2))))
        return found


def seat_of(solid: Solid) -> Seat:
    """What touches level ground under the solid as it is."""
    low = solid.bounds[0][2]
    ring = ring_around(solid.vertices[solid.vertices[:, 2] <= low + SEAT_MM, :2])
    if len(ring) < 3:
        return Seat(ring, 0.0, 0.0)
    x, y = ring.T
    area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    widths = []
    for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        along = (q - p) / np.hypot(*(q - p))
        widths.append(float((along[0] * (y - p[1]) - along[1] * (x - p[0])).max()))
    return Seat(ring, area, min(widths))


def ring_around(points: Floats) -> Floats:
    """The convex ring around points (n, 2), counter-clockwise; fewer than three corners where they lie on a line.

    >>> ring_around(np.array([[0.0, 0], [2, 0], [1, 0], [2, 2], [1, 1]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    ordered = np.unique(_outer(points) if len(points) > MANY else points, axis=0)
    if len(ordered) < 3:
        return ordered
    halves = []
    for some in (ordered, ordered[::-1]):
        kept: list[Floats] = []
        for p in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 1e-9:
                kept.pop()
            kept.append(p)
        halves.append(kept[:-1])
    return np.array(halves[0] + halves[1])


def _outer(points: Floats) -> Floats:
    """The points without those well within the ring of the ones that lie farthest out, in many directions."""
    aside = points - (points.min(axis=0) + points.max(axis=0)) / 2
    angle = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    far = [int((aside[:, 0] * x + aside[:, 1] * y).argmax()) for x, y in zip(np.cos(angle), np.sin(angle), strict=True)]
    ring = ring_around(points[np.unique(far)])
    if len(ring) < 3:
        return points
    within = np.ones(len(points), dtype=bool)
    for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        along = (q - p) / np.hypot(*(q - p))
        within &= along[0] * (points[:, 1] - p[1]) - along[1] * (points[:, 0] - p[0]) > WELL_MM
    return points[~within]


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@dataclass(frozen=True, slots=True)
class Rocking:
    """The easiest way to rock: over an edge that the centre of mass is only so far inside of, by how many degrees."""

    deg: float
    margin_mm: float
    at: tuple[float, float]


def rocking(solid: Solid, com: tuple[float, float, float], seat: Seat) -> Rocking | None:
    """Whether it comes to rest on another few points when it is touched; None where it stands firm."""
    if len(seat.ring) < 3:
        return None
    x, y, _ = solid.extents_mm
    found = []
    for margin, at in seat.sides(com[0], com[1]):
        if not 0 <= margin <= ROCK_SHARE * max(seat.width_mm, math.hypot(x, y)):
            continue
        deg, far = _next_facet(solid, seat, at)
        if ROCK_LEAST_DEG <= deg <= ROCK_MOST_DEG and margin <= ROCK_SHARE * max(seat.width_mm, far):
            found.append(Rocking(deg, margin, at))
    return min(found, key=lambda r: (r.margin_mm, r.deg), default=None)


def _next_facet(solid: Solid, seat: Seat, at: tuple[float, float]) -> tuple[float, float]:
    """How far it turns about the side with its middle at `at` until something else touches the ground, degrees, and how
    far beyond that side it is; inf where nothing is beyond it."""
    sides = list(zip(seat.ring, np.roll(seat.ring, -1, axis=0), strict=True))
    p, q = min(sides, key=lambda s: math.hypot((s[0][0] + s[1][0]) / 2 - at[0], (s[0][1] + s[1][1]) / 2 - at[1]))
    along = (q - p) / np.hypot(*(q - p))
    low = solid.bounds[0][2]
    out = -(along[0] * (solid.vertices[:, 1] - p[1]) - along[1] * (solid.vertices[:, 0] - p[0]))  # beyond the edge
    up = solid.vertices[:, 2] - low
    beyond = out > SEAT_MM
    if not beyond.any():
        return math.inf, math.inf
    out, up = out[beyond], up[beyond]
    first = np.argmin(up / out)
    return float(np.degrees(np.arctan2(up[first], out[first]))), float(out[first])


def rolling(solid: Solid, com: tuple[float, float, float]) -> Rocking | None:
    """Whether it rolls on a rounded underside until it leans, a tenth of its weight being laid down at its rim; None
    where it stands firm, or does not come to rest within what is a wobble."""
    low, (x, y, z) = solid.bounds[0][2], com
    long = math.hypot(*solid.extents_mm[:2])
    flat = ring_around(solid.vertices[solid.vertices[:, 2] <= low + FLAT_MM, :2])
    shift = ROCK_SHARE / (1 + ROCK_SHARE)
    if len(flat) > 2 and min(inside for inside, _ in Seat(flat, 0.0, 0.0).sides(x, y)) > shift * long:
        return None
    below = solid.vertices[:, 2] - low <= math.tan(math.radians(ROCK_MOST_DEG)) * long  # what else could touch
    try:
        corners, _ = hull(solid.vertices[below])
    except NotManifold:
        return None  # all in one plane
    plan = ring_around(solid.vertices[:, :2]) - (x, y)
    corners = corners - (x, y, 0.0)

    def leans(way: float) -> tuple[float, float, float]:
        """How far it leans that way, where that is a wobble; how far ahead it rolls over its first place; the way."""
        towards = np.array([math.cos(way), math.sin(way)])
        far = float((plan @ towards).max())
        ring = ring_around(np.column_stack([corners[:, :2] @ towards, corners[:, 2]]))
        deg, margin = _rolled(ring, z, shift * far) or (0.0, 0.0)
        lowers = far * math.sin(math.radians(deg))  # its rim; of a small piece by no more than a sheet of paper
        rocks = ROCK_LEAST_DEG <= deg <= ROCK_MOST_DEG and lowers > 2 * SEAT_MM
        return (deg, margin, way) if rocks else (0.0, margin, way)

    step = 2 * np.pi / ROLLED
    best = max((leans(k * step) for k in range(ROLLED)), key=lambda one: one[0])
    for _ in range(NARROWED):  # so that a piece that is turned is told the same
        step /= 2
        best = max((best, leans(best[2] - step), leans(best[2] + step)), key=lambda one: one[0])
    deg, margin, way = best
    return Rocking(deg, margin, (x + margin * math.cos(way), y + margin * math.sin(way))) if deg else None


def _rolled(ring: Floats, high: float, shift: float) -> tuple[float, float] | None:
    """How far what stands on the lowest of a ring's sides leans once its centre of mass, over 0 so high, lies `shift`
    farther ahead, degrees; and how far ahead the first place is over which it rolls. None where it rolls over none."""
    start = int(np.where(ring[:, 1] <= ring[:, 1].min() + FLAT_MM, ring[:, 0], -np.inf).argmax())
    ahead = np.roll(ring, -start, axis=0)  # counter-clockwise: from there it goes up
    if len(ring) < 3 or ahead[0, 0] >= shift:
        return None
    for p, q in zip(ahead, np.roll(ahead, -1, axis=0), strict=True):
        along = q - p
        if along[0] <= 0:
            return None  # past its end: it goes over
        if along @ (np.array([shift, high]) - q) <= 0:
            return math.degrees(math.atan2(along[1], along[0])), max(float(ahead[0, 0]), 0.0)
    return None


def flattest_side(solid: Solid) -> tuple[str, float, float]:
    """Of the six sides of its box the one with the largest seat, as "-z"; its area, and that of the seat below."""
    areas = {}
    for axis, name in enumerate("xyz"):
        for sign, word in ((1, "-"), (-1, "+")):
            along = solid.vertices[:, axis] * sign
            others = [k for k in range(3) if k != axis]
            ring = ring_around(solid.vertices[along <= along.min() + SEAT_MM][:, others])
            x, y = ring.T if len(ring) > 2 else (np.zeros(0), np.zeros(0))
            areas[word + name] = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    best = max(areas, key=lambda side: areas[side])
    return best, areas[best], areas["-z"]


def nearest_rest_deg(solid: Solid, com: tuple[float, float, float]) -> float | None:
    """How far it is from its pose in the file to the nearest pose on level ground in which it rests; None: unknown."""
    try:
        corners, faces = hull(solid.vertices)
    except NotManifold:
        return None
    if not len(faces):
        return None
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    sound = size > SLIVER * size.sum()
    a, b, c, normal = a[sound], b[sound], c[sound], normal[sound] / size[sound][:, None]
    over = np.array(com) - normal * np.einsum("ij,ij->i", np.array(com) - a, normal)[:, None]
    inside = np.ones(len(a), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(q - p, over - p), normal) >= 0
    if not inside.any():
        return None
    return float(np.degrees(np.arccos(np.clip(-normal[inside][:, 2], -1, 1))).min())
