"""Hexes by axial coordinates: directions, distance, lines, rings, turns; and where they lie on a table (`Layout`).

Directions are 0 E, 1 NE, 2 NW, 3 W, 4 SW, 5 SE: direction k points at 60 k degrees from the layout's own x axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np

from sim3d.space import Floats

WAYS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))  # (q, r) of the six directions
SIDES = len(WAYS)
TURN_DEG = 360 / SIDES
ROOT3 = math.sqrt(3.0)
HEX_MM = 50.0  # from a centre to a corner, unless somebody says otherwise: 100 mm across corners
EVEN_MM = 1e-3  # heights and walls that differ by less are equal: meshes keep no more digits, and sums lose some
LARGEST_MM = 100_000.0  # of a hex from centre to corner, as of anything on a table
FARTHEST_MM = 1_000_000.0  # of the middle hex from the middle of the table, along x and y


class Hex(NamedTuple):
    """A hex, and which of its levels: 0 is what lies open to the sky, then the floors below it, from the top."""

    q: int
    r: int
    level: int = 0

    def __str__(self) -> str:
        return f"({self.q}, {self.r})" + (f" level {self.level}" if self.level else "")


def is_whole(value: object) -> bool:
    """Whether something is a whole number; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_hex(value: object) -> bool:
    """Whether something is a hex in whole numbers.

    >>> is_hex(Hex(0, 1)), is_hex((0, 1)), is_hex(Hex(0.5, 1))
    (True, False, False)
    """
    return isinstance(value, Hex) and all(map(is_whole, value))


def neighbour(at: Hex, way: int) -> Hex:
    """The hex next to it in a direction, on its top level.

    >>> neighbour(Hex(0, 0), 1), neighbour(Hex(0, 0), 7)
    (Hex(q=1, r=-1, level=0), Hex(q=1, r=-1, level=0))
    """
    q, r = WAYS[way % SIDES]
    return Hex(at.q + q, at.r + r)


def distance(a: Hex, b: Hex) -> int:
    """Hexes from one to the other, whatever their levels.

    >>> distance(Hex(0, 0), Hex(2, -1)), distance(Hex(3, 1), Hex(3, 1))
    (2, 0)
    """
    q, r = b.q - a.q, b.r - a.r
    return (abs(q) + abs(r) + abs(q + r)) // 2


def way_to(a: Hex, b: Hex) -> int | None:
    """The direction of a neighbour; None where it is none.

    >>> way_to(Hex(0, 0), Hex(0, 1)), way_to(Hex(0, 0), Hex(2, 0))
    (5, None)
    """
    step = (b.q - a.q, b.r - a.r)
    return WAYS.index(step) if step in WAYS else None


def turned(at: Hex, times: int = 1) -> Hex:
    """Turned about hex (0, 0) by so many times 60 degrees, counter-clockwise.

    >>> turned(Hex(1, 0)), turned(Hex(2, -1), 6)
    (Hex(q=1, r=-1, level=0), Hex(q=2, r=-1, level=0))
    """
    q, r = at.q, at.r
    for _ in range(times % SIDES):
        q, r = q + r, -q
    return Hex(q, r, at.level)


def mirrored(at: Hex) -> Hex:
    """Mirrored about the layout's x axis: direction k becomes -k.

    >>> mirrored(Hex(1, -1)), mirrored(Hex(1, 0))
    (Hex(q=0, r=1, level=0), Hex(q=1, r=0, level=0))
    """
    return Hex(at.q + at.r, -at.r, at.level)


def ring(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """The hexes at a distance, counter-clockwise from the east.

    >>> len(ring(Hex(0, 0), 2)), ring(Hex(0, 0), 0)
    (12, (Hex(q=0, r=0, level=0),))
    """
    if radius == 0:
        return (Hex(centre.q, centre.r),)
    at, found = Hex(centre.q + radius, centre.r), []
    for side in range(SIDES):
        for _ in range(radius):
            found.append(at)
            at = neighbour(at, side + 2)
    return tuple(found)


def disc(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """The hexes up to a distance, ring by ring.

    >>> len(disc(Hex(0, 0), 3))
    37
    """
    return tuple(h for n in range(radius + 1) for h in ring(centre, n))


def rectangle(columns: int, rows: int) -> tuple[Hex, ...]:
    """Rows of hexes about (0, 0), every other row half a hex further along x; from the top row down.

    >>> len(rectangle(10, 9)), rectangle(3, 1)
    (90, (Hex(q=-1, r=0, level=0), Hex(q=0, r=0, level=0), Hex(q=1, r=0, level=0)))
    """
    lines = range(-(rows // 2), rows - rows // 2)
    return tuple(Hex(c - columns // 2 - (r - r % 2) // 2, r) for r in lines for c in range(columns))


def missing_from(hexes: Iterable[Hex], at: Hex) -> str:
    """That a hex is not on a board, and what the board has near it: its row, or its rows, or its levels there.

    >>> missing_from(rectangle(6, 5), Hex(3, 1))
    '(3, 1) is not on the board: with r = 1 its q goes from -3 to 2'
    """
    told, known = f"{at} is not on the board", tuple(hexes)
    here = sorted(h.level for h in known if h[:2] == at[:2])
    row, rows = [h.q for h in known if h.r == at.r], [h.r for h in known]
    if here:
        return f"{told}: there it has level{'s' if len(here) > 1 else ''} {', '.join(map(str, here))}"
    if row:
        return f"{told}: with r = {at.r} its q goes from {min(row)} to {max(row)}"
    return f"{told}: its r goes from {min(rows)} to {max(rows)}" if rows else told


def line(a: Hex, b: Hex) -> tuple[Hex, ...]:
    """The hexes that a straight line between two centres crosses, both ends included; along an edge, the left ones.

    >>> [h[:2] for h in line(Hex(0, 0), Hex(1, 1))]
    [(0, 0), (1, 0), (1, 1)]
    """
    n = distance(a, b)
    if n == 0:
        return (a,)
    return (a, *(_nearest(a, b, i, n) for i in range(1, n)), b)


def _nearest(a: Hex, b: Hex, i: int, n: int) -> Hex:
    """The hex nearest to the point i / n of the way, in whole numbers; of two as near, the one left of the line."""
    q, r = a.q * n + (b.q - a.q) * i, a.r * n + (b.r - a.r) * i  # n times the point
    cq, cr = round(q / n), round(r / n)
    around = [(cq + dq, cr + dr) for dq in (-1, 0, 1) for dr in (-1, 0, 1)]

    def far(h: tuple[int, int]) -> tuple[int, int]:
        dq, dr = h[0] * n - q, h[1] * n - r
        left = (b.r - a.r) * dq - (b.q - a.q) * dr  # positive: left of the way
        return dq * dq + dq * dr + dr * dr, -left

    return Hex(*min(around, key=far))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where hexes lie on a table: `size_mm` from centre to corner, turned (0: corners up, flats east), (0, 0) here."""

    size_mm: float = HEX_MM
    turn_deg: float = 0.0
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if not 0 < self.size_mm <= LARGEST_MM:
            told = f"{LARGEST_MM:g} mm from centre to corner at most, got {self.size_mm}"
            raise ValueError(f"a hex measures more than 0 mm and {told}")
        if not all(math.isfinite(v) for v in (self.turn_deg, *self.origin)):
            raise ValueError(f"a layout is turned and placed by numbers, got {self.turn_deg} and {self.origin}")
        if any(abs(v) > FARTHEST_MM for v in self.origin):
            raise ValueError(f"hex (0, 0) is at most {FARTHEST_MM:g} mm off the table's middle, got {self.origin}")

    def vector(self, way: int) -> tuple[float, float]:
        """From a centre to that of the neighbour in a direction, mm.

        >>> x, y = Layout(10).vector(0)
        >>> round(x, 6), y
        (17.320508, 0.0)
        """
        a = math.radians(TURN_DEG * way + self.turn_deg)
        return ROOT3 * self.size_mm * math.cos(a), ROOT3 * self.size_mm * math.sin(a)

    def centre(self, at: Hex) -> tuple[float, float]:
        """The middle of a hex on the table, mm."""
        (ex, ey), (sx, sy) = self.vector(0), self.vector(5)
        return self.origin[0] + at.q * ex + at.r * sx, self.origin[1] + at.q * ey + at.r * sy

    def corners(self, at: Hex) -> Floats:
        """Its six corners (6, 2) mm, counter-clockwise, the first between directions 0 and 1."""
        a = np.radians(TURN_DEG * (np.arange(SIDES) + 0.5) + self.turn_deg)
        return np.array(self.centre(at)) + self.size_mm * np.column_stack([np.cos(a), np.sin(a)])

    def hex_at(self, x: float, y: float) -> Hex:
        """The hex that a point of the table lies in.

        >>> Layout().hex_at(*Layout().centre(Hex(3, -2)))
        Hex(q=3, r=-2, level=0)
        """
        a = math.radians(self.turn_deg)
        dx, dy = x - self.origin[0], y - self.origin[1]
        u, v = dx * math.cos(a) + dy * math.sin(a), dy * math.cos(a) - dx * math.sin(a)
        r = -v / (1.5 * self.size_mm)
        q = u / (ROOT3 * self.size_mm) - r / 2
        return _rounded(q, r)


def _rounded(q: float, r: float) -> Hex:
    """The hex of fractional coordinates: the part that is rounded most follows from the other two."""
    parts = [q, r, -q - r]
    near = [round(p) for p in parts]
    worst = max(range(3), key=lambda i: abs(near[i] - parts[i]))
    near[worst] = -sum(n for i, n in enumerate(near) if i != worst)
    return Hex(near[0], near[1])
