"""What a parser hands over: triangles as the file tells them, in its own unit and axes, and what was odd about it.

Units and axes are changed in one place only: `Soup.in_mm`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim3d.finding import Finding
from sim3d.space import Floats, Ints

NOWHERE = 2**61  # from here on, and from its negative down: numbers of corners that are nowhere in the file


def behind(faces: Ints, before: int, corners: int) -> Ints:
    """Triangles over so many corners, renumbered behind `before` others; a broken number stays out of range.

    >>> there = behind(np.array([[0, 1, 2], [0, 1, 9], [-1, 0, 1]]), 100, 3)
    >>> there.tolist()[0], as_written(int(there.max())), as_written(int(there.min()))
    ([100, 101, 102], 9, -1)
    """
    if not len(faces) or (faces.min() >= 0 and faces.max() < corners):
        return faces + before
    low, high = faces < 0, faces >= corners
    few = np.where(low & (faces <= -NOWHERE), faces + NOWHERE, np.where(faces >= NOWHERE, faces - NOWHERE, faces))
    few = few.clip(-NOWHERE + 1, NOWHERE - 1)
    return np.where(low, few - NOWHERE, np.where(high, few + NOWHERE, faces + before))


def as_written(number: int) -> int:
    """The number of a corner as its file has it, where `behind` put it out of range."""
    return number - NOWHERE if number >= NOWHERE else number + NOWHERE if number <= -NOWHERE else number


MM_PER = {
    "micron": 0.001,
    "um": 0.001,
    "mm": 1.0,
    "millimeter": 1.0,
    "cm": 10.0,
    "centimeter": 10.0,
    "m": 1000.0,
    "meter": 1000.0,
    "in": 25.4,
    "inch": 25.4,
    "ft": 304.8,
    "foot": 304.8,
}  # every name of a unit that is understood, and its length
UPS = ("z", "y")


@dataclass(frozen=True, slots=True)
class Soup:
    """Triangles as a file tells them; `single` says that its numbers were float32, which far out lose detail."""

    vertices: Floats
    faces: Ints
    kind: str
    unit: str = "mm"
    up: str = "z"
    declared: int | None = None  # how many triangles or polygons the file says it has
    single: bool = False
    name: str = ""
    left_out: dict[str, int] = field(default_factory=dict)  # why, and how many
    findings: tuple[Finding, ...] = ()

    def in_mm(self, *, unit: str | None = None, up: str | None = None) -> Floats:
        """The corners in millimetres with z up: the only place where a unit or an axis is converted.

        >>> Soup(np.array([[1.0, 2.0, 3.0]]), np.empty((0, 3), np.int64), "glb", unit="m", up="y").in_mm().tolist()
        [[1000.0, -3000.0, 2000.0]]
        """
        scale = MM_PER[unit or self.unit]
        corners = self.vertices
        if (up or self.up) == "y":  # a quarter turn about x: y becomes z, z becomes -y, nothing is mirrored
            corners = np.column_stack([corners[:, 0], -corners[:, 2], corners[:, 1]])
        scaled = corners if scale == 1.0 else corners * scale
        return np.ascontiguousarray(scaled + 0.0)  # adding zero makes -0 a plain 0: one corner, one spelling
