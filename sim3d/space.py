"""Where things are, and how exactly: `Pose`, and every tolerance of the house with its unit and its reason.

Lengths are millimetres, angles degrees, z is up, and turns are counter-clockwise seen from above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# --- tolerances: one place, each with its unit and its reason -------------------------------------------------------

WORD_BAND_MM = 1e-3  # nearer than this to a word's limit nobody can call it: a thousandth of a print layer
WORD_BAND_DEG = 1e-3  # the same for angles: 13.5 mm of base times 1e-3 degrees is a quarter of a micron
TOUCH_MM = 2e-4  # terrain this near the resting plane carries; a few hundred times the float noise of a 2 m table
SAME_VERTEX_MM = 1e-5  # corners closer than this are one corner: float32 keeps 1.2e-5 mm apart at 100 mm
CHORD_MM = 2.5e-4  # how far a polygon that stands for an arc may stray from it, when a mesh or picture needs one


@dataclass(frozen=True, slots=True)
class Pose:
    """A place in millimetres and a unit quaternion (w, x, y, z); `a @ b` puts `b` inside `a`.

    >>> (Pose.at(10, 0) @ Pose.at(1, 0, turn=90)).place
    (11.0, 0.0, 0.0)
    """

    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    @staticmethod
    def at(x: float, y: float, z: float = 0.0, *, turn: float = 0.0) -> Pose:
        """Upright at (x, y, z) mm, turned `turn` degrees about z.

        >>> Pose.at(0, 0, turn=180).apply([[1.0, 0.0, 0.0]]).round(9).tolist()
        [[-1.0, 0.0, 0.0]]
        """
        if not all(isinstance(v, Real) and math.isfinite(v) for v in (x, y, z, turn)):
            raise ValueError(f"a place is numbers of mm and a turn one of degrees, got {(x, y, z)} and {turn}")
        half = math.radians(turn) / 2
        return Pose((float(x), float(y), float(z)), (math.cos(half), 0.0, 0.0, math.sin(half)))

    @staticmethod
    def turned(axis: Sequence[float], deg: float) -> Pose:
        """About the origin, `deg` degrees about `axis` (any length but zero).

        >>> Pose.turned((1, 0, 0), 90).apply([[0.0, 1.0, 0.0]]).round(9).tolist()
        [[0.0, 0.0, 1.0]]
        """
        length = math.sqrt(sum(a * a for a in axis))
        if not (0 < length < math.inf and math.isfinite(deg)):
            raise ValueError(f"an axis needs a length, and a turn about it degrees, got {tuple(axis)} and {deg}")
        half = math.radians(deg) / 2
        s = math.sin(half) / length
        return Pose(spin=(math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s))

    def __matmul__(self, other: Pose) -> Pose:
        w, x, y, z = self.spin
        a, b, c, d = other.spin
        spin = (
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        )
        px, py, pz = self.apply(np.array([other.place]))[0]
        return Pose((float(px), float(py), float(pz)), spin)

    def inverse(self) -> Pose:
        """The pose that undoes this one.

        >>> (Pose.at(3, 4) @ Pose.at(3, 4).inverse()).place
        (0.0, 0.0, 0.0)
        """
        w, x, y, z = self.spin
        back = Pose(spin=(w, -x, -y, -z))
        px, py, pz = back.apply(np.array([self.place]))[0]
        return Pose((-float(px), -float(py), -float(pz)), back.spin)

    def rotation(self) -> Floats:
        """The 3 by 3 rotation matrix."""
        w, x, y, z = self.spin
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    def apply(self, points: Floats | Sequence[Sequence[float]]) -> Floats:
        """Points (n, 3) in mm, moved; an empty list stays empty."""
        moved = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if self.spin != (1.0, 0.0, 0.0, 0.0):
            moved = moved @ self.rotation().T
        placed: Floats = moved + np.array(self.place)
        return placed

    def tilt_deg(self) -> float:
        """Degrees between this pose's up and the table's.

        >>> round(Pose.turned((0, 1, 0), 30).tilt_deg(), 9)
        30.0
        """
        _, x, y, _ = self.spin
        return math.degrees(2 * math.asin(min(1.0, math.hypot(x, y))))
