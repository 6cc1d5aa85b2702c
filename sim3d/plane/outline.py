"""Exact outlines of straight lines and true arcs.

An outline lives in its own frame: millimetres, its middle at the origin, its front towards +x, counter-clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sim3d.space import CHORD_MM, Floats

Point = tuple[float, float]
ON_OUTLINE_MM = 1e-9  # corners this near are the same corner: arithmetic noise of sines at 100 mm


@dataclass(frozen=True, slots=True)
class Line:
    """A straight edge from `start` to `end`."""

    start: Point
    end: Point

    def twice_area(self) -> float:
        """Twice the area swept as seen from the origin (Green's theorem)."""
        return self.start[0] * self.end[1] - self.end[0] * self.start[1]

    def points(self, chord_mm: float) -> list[Point]:
        """Its start; the next edge brings its end."""
        return [self.start]

    def at(self, t: float) -> Point:
        """The point a share `t` along it."""
        return (
            self.start[0] + t * (self.end[0] - self.start[0]),
            self.start[1] + t * (self.end[1] - self.start[1]),
        )

    def part(self, t0: float, t1: float) -> Line:
        """The piece between two shares."""
        return Line(self.at(t0), self.at(t1))

    def where(self, axis: int, value: float) -> list[float]:
        """The shares at which coordinate `axis` equals `value`."""
        a, b = self.start[axis], self.end[axis]
        return [] if a == b else [t for t in ((value - a) / (b - a),) if 0.0 <= t <= 1.0]


@dataclass(frozen=True, slots=True)
class Arc:
    """Part of an upright ellipse: from `start_deg` counter-clockwise over `sweep_deg`; a circle has `rx == ry`."""

    centre: Point
    rx: float
    ry: float
    start_deg: float
    sweep_deg: float

    def at(self, t: float) -> Point:
        """The point a share `t` along it."""
        c, s = _cos_sin(self.start_deg + t * self.sweep_deg)
        return (self.centre[0] + self.rx * c, self.centre[1] + self.ry * s)

    @property
    def start(self) -> Point:
        """Where it begins."""
        return self.at(0.0)

    @property
    def end(self) -> Point:
        """Where it ends."""
        return self.at(1.0)

    def twice_area(self) -> float:
        """Twice the area swept as seen from the origin (Green's theorem, exact)."""
        a0, a1 = math.radians(self.start_deg), math.radians(self.start_deg + self.sweep_deg)
        cx, cy = self.centre
        turned = cx * self.ry * (math.sin(a1) - math.sin(a0)) - cy * self.rx * (math.cos(a1) - math.cos(a0))
        return turned + self.rx * self.ry * (a1 - a0)

    def points(self, chord_mm: float) -> list[Point]:
        """Points on it, so dense that the chords stray at most `chord_mm`; without its end."""
        bend = max(self.rx, self.ry) ** 2 / min(self.rx, self.ry)  # the widest radius of curvature bounds the sagitta
        span = max(self.rx, self.ry)
        step = 2 * math.acos(max(0.0, 1 - chord_mm / max(span, bend))) * (span / bend if bend > span else 1.0)
        n = max(2, math.ceil(math.radians(self.sweep_deg) / max(step, 1e-6)))
        return [self.at(i / n) for i in range(n)]

    def part(self, t0: float, t1: float) -> Arc:
        """The piece between two shares."""
        return Arc(self.centre, self.rx, self.ry, self.start_deg + t0 * self.sweep_deg, (t1 - t0) * self.sweep_deg)

    def where(self, axis: int, value: float) -> list[float]:
        """The shares at which coordinate `axis` equals `value`."""
        ratio = (value - self.centre[axis]) / (self.rx if axis == 0 else self.ry)
        if abs(ratio) > 1:
            return []
        a = math.degrees(math.acos(ratio) if axis == 0 else math.asin(ratio))
        both = (a, -a) if axis == 0 else (a, 180 - a)
        turns = ((angle - self.start_deg) % 360 / self.sweep_deg for angle in both)
        return sorted({t for t in turns if t <= 1.0})


Edge = Line | Arc


def _cos_sin(deg: float) -> Point:
    """Exact at quarter turns, and the same after a full turn: a ring must close to the last bit."""
    deg %= 360.0
    if deg % 90.0 == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(deg // 90.0)]
    return math.cos(math.radians(deg)), math.sin(math.radians(deg))


@dataclass(frozen=True, slots=True)
class Notch:
    """A rectangular cut towards `facing_deg` (0 front, 180 rear, 90 and 270 the sides)."""

    facing_deg: int
    width_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True)
class Outline:
    """A closed counter-clockwise ring of exact edges about its middle.

    >>> round(Outline.ellipse(27, 27).area_mm2(), 6) == round(math.pi * 13.5**2, 6)
    True
    """

    edges: tuple[Edge, ...]

    @staticmethod
    def ellipse(length_mm: float, width_mm: float) -> Outline:
        """Long axis towards the front; equal axes make a circle."""
        return Outline((Arc((0.0, 0.0), length_mm / 2, width_mm / 2, 0.0, 360.0),))

    @staticmethod
    def stadium(length_mm: float, width_mm: float) -> Outline:
        """Straight sides, half-round front and rear; as long as wide it is a circle."""
        if length_mm < width_mm:
            raise ValueError(f"a stadium is at least as long as wide, got {length_mm} by {width_mm} mm")
        if length_mm == width_mm:
            return Outline.ellipse(length_mm, width_mm)
        r = width_mm / 2
        c = length_mm / 2 - r
        return Outline(
            (
                Arc((c, 0.0), r, r, -90.0, 180.0),
                Line((c, r), (-c, r)),
                Arc((-c, 0.0), r, r, 90.0, 180.0),
                Line((-c, -r), (c, -r)),
            )
        )

    @staticmethod
    def polygon_of(corners: Sequence[Point]) -> Outline:
        """Straight edges through the corners, either way round."""
        ring = [(float(x), float(y)) for x, y in corners]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))
        if not abs(area) > 0:
            raise ValueError("an outline needs three corners that are not in a line")
        if area < 0:
            ring.reverse()
        return Outline(tuple(Line(a, b) for a, b in zip(ring, ring[1:] + ring[:1], strict=True)))

    @staticmethod
    def rectangle(length_mm: float, width_mm: float) -> Outline:
        """Length towards the front."""
        x, y = length_mm / 2, width_mm / 2
        return Outline.polygon_of([(x, -y), (x, y), (-x, y), (-x, -y)])

    @staticmethod
    def hexagon(across_flats_mm: float) -> Outline:
        """A regular hexagon with a flat towards the front."""
        r = across_flats_mm / math.sqrt(3)
        return Outline.polygon_of(
            [(r * math.cos(math.radians(60 * k - 30)), r * math.sin(math.radians(60 * k - 30))) for k in range(6)]
        )

    def notched(self, *notches: Notch) -> Outline:
        """The outline with each notch cut out; a notch that does not fit is a `ValueError`."""
        edges = list(self.edges)
        for notch in notches:
            edges = _cut(edges, notch)
        return Outline(tuple(edges))

    def polygon(self, chord_mm: float = CHORD_MM) -> Floats:
        """Corners (n, 2) of a polygon inscribed in it, straying at most `chord_mm`."""
        return _polygon(self, chord_mm).copy()

    def area_mm2(self) -> float:
        """Exact area."""
        return sum(edge.twice_area() for edge in self.edges) / 2

    def bounds(self) -> tuple[float, float, float, float]:
        """Exact (min x, min y, max x, max y)."""
        low, high = [math.inf, math.inf], [-math.inf, -math.inf]
        for edge in self.edges:
            turning = [edge.start, edge.end]
            if isinstance(edge, Arc):
                for axis, radius in ((0, edge.rx), (1, edge.ry)):
                    for side in (-radius, radius):
                        turning += [edge.at(t) for t in edge.where(axis, edge.centre[axis] + side)]
            for point in turning:
                for axis in (0, 1):
                    low[axis] = min(low[axis], point[axis])
                    high[axis] = max(high[axis], point[axis])
        return low[0], low[1], high[0], high[1]

    @property
    def length_mm(self) -> float:
        """Front to rear."""
        x0, _, x1, _ = self.bounds()
        return x1 - x0

    @property
    def width_mm(self) -> float:
        """Side to side."""
        _, y0, _, y1 = self.bounds()
        return y1 - y0

    def reach_mm(self) -> float:
        """The farthest point from the middle: an arc's farthest lies at an end or on its own axes."""
        if all(isinstance(e, Arc) and e.centre == (0.0, 0.0) for e in self.edges):
            return max(max(e.rx, e.ry) for e in self.edges if isinstance(e, Arc))
        if all(isinstance(e, Line) for e in self.edges):
            return max(math.hypot(*e.start) for e in self.edges)
        x0, y0, x1, y1 = self.bounds()
        return max(max(abs(x0), x1, abs(y0), y1), *(math.hypot(*e.start) for e in self.edges))

    @property
    def radius_mm(self) -> float | None:
        """Of a whole circle about its middle; None for any other outline.

        >>> Outline.ellipse(27, 27).radius_mm, Outline.ellipse(60, 35).radius_mm
        (13.5, None)
        """
        match self.edges:
            case (Arc(centre=(0.0, 0.0), rx=rx, ry=ry),) if rx == ry:
                return rx
        return None

    def support(self, ux: float, uy: float) -> float:
        """How far it reaches from its middle along a unit direction, exactly.

        >>> Outline.ellipse(60, 35).support(0.0, 1.0)
        17.5
        """
        most = max(p[0] * ux + p[1] * uy for e in self.edges for p in (e.start, e.end))
        for edge in self.edges:
            if isinstance(edge, Arc):
                angle = math.degrees(math.atan2(edge.ry * uy, edge.rx * ux))
                if (angle - edge.start_deg) % 360.0 <= edge.sweep_deg:
                    centre = edge.centre[0] * ux + edge.centre[1] * uy
                    most = max(most, centre + math.hypot(edge.rx * ux, edge.ry * uy))
        return most

    def contains(self, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of (n, 2) points lie inside, by exact ray crossings (true arcs).

        >>> Outline.ellipse(27, 27).contains(np.array([[13.4999999, 0.0], [13.5000001, 0.0]])).tolist()
        [True, False]
        """
        px, py = np.asarray(points, dtype=np.float64).reshape(-1, 2).T
        inside = np.zeros(len(px), dtype=np.bool_)
        pieces = [piece for edge in self.edges for piece in monotone(edge)]
        y0 = pieces[-1].end[1]
        for piece in pieces:  # each begins where the last one ended, to the bit: a ray slips through no seam
            y1 = piece.end[1]
            crosses = (min(y0, y1) <= py) & (py < max(y0, y1))
            inside ^= crosses & (px < _x_at(piece, py))
            y0 = y1
        return inside


@lru_cache(maxsize=512)
def _polygon(outline: Outline, chord_mm: float) -> Floats:
    return np.array([p for edge in outline.edges for p in edge.points(chord_mm)], dtype=np.float64)


def monotone(edge: Edge) -> list[Edge]:
    """The edge cut where it turns in y, so that each piece crosses a height once."""
    if isinstance(edge, Line):
        return [edge]
    turns = {t for side in (-edge.ry, edge.ry) for t in edge.where(1, edge.centre[1] + side)}
    cuts = [0.0, *sorted(t for t in turns if 0.0 < t < 1.0), 1.0]
    return [edge.part(a, b) for a, b in pairwise(cuts)]


def _x_at(piece: Edge, y: Floats) -> Floats:
    if isinstance(piece, Line):
        (x0, y0), (x1, y1) = piece.start, piece.end
        return x0 + (y - y0) * ((x1 - x0) / (y1 - y0) if y1 != y0 else 0.0)
    side = 1.0 if piece.at(0.5)[0] >= piece.centre[0] else -1.0
    height = np.clip((y - piece.centre[1]) / piece.ry, -1.0, 1.0)
    crossing: Floats = piece.centre[0] + side * piece.rx * np.sqrt(1 - height * height)
    return crossing


def _cut(edges: list[Edge], notch: Notch) -> list[Edge]:
    """Replace what lies in the notch's strip, on its side, by the notch's two walls and floor."""
    across, out = {0: (1, 1.0), 180: (1, -1.0), 90: (0, 1.0), 270: (0, -1.0)}[notch.facing_deg]
    along = 1 - across
    half = notch.width_mm / 2
    kept: list[Edge] = []
    removed: list[Edge] = []
    for edge in edges:
        shares = sorted({0.0, 1.0, *edge.where(across, half), *edge.where(across, -half)})
        for t0, t1 in pairwise(shares):
            if t1 - t0 < 1e-12:
                continue
            middle = edge.at((t0 + t1) / 2)
            inside = abs(middle[across]) < half and middle[along] * out > 0
            (removed if inside else kept).append(edge if (t0, t1) == (0.0, 1.0) else edge.part(t0, t1))
    floor = max((max(e.start[along] * out, e.at(0.5)[along] * out) for e in removed), default=0.0) - notch.depth_mm
    ring = [p for e in removed for p in (e.start, e.end)]
    corners = [p for p in ring if abs(abs(p[across]) - half) < ON_OUTLINE_MM]
    if len(corners) < 2 or floor <= 0 or min(p[along] * out for p in corners) <= floor:
        raise ValueError(
            f"a notch {notch.width_mm} mm wide and {notch.depth_mm} mm deep does not fit an outline of this shape there"
        )
    kept = _joined(kept)
    first = next(i for i in range(len(kept)) if _apart(kept[i - 1].end, kept[i].start))
    kept = kept[first:] + kept[:first]
    a, b = kept[-1].end, kept[0].start

    def foot(p: Point) -> Point:
        return (floor * out, p[1]) if along == 0 else (p[0], floor * out)

    return [*kept, Line(a, foot(a)), Line(foot(a), foot(b)), Line(foot(b), b)]


def _apart(p: Point, q: Point) -> bool:
    return math.hypot(p[0] - q[0], p[1] - q[1]) > ON_OUTLINE_MM


def _joined(edges: list[Edge]) -> list[Edge]:
    """Neighbouring arcs of one ellipse made one again, where a full turn was cut at its own seam."""
    if len(edges) < 2:
        return edges
    last, first = edges[-1], edges[0]
    if (
        isinstance(last, Arc)
        and isinstance(first, Arc)
        and (last.centre, last.rx, last.ry) == (first.centre, first.rx, first.ry)
        and not _apart(last.end, first.start)
    ):
        whole = Arc(last.centre, last.rx, last.ry, last.start_deg, last.sweep_deg + first.sweep_deg)
        return [*edges[1:-1], whole]
    return edges
