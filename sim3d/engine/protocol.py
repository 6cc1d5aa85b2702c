"""The few nouns every engine speaks: `Ground`, `Moving`, `Settings`, `Touch`, and the two protocols `World`, `Engine`.

Nothing reaches an engine that is not proven here: corners are finite numbers of sane size, indices are in range, parts
are solid, friction is a number from 0 up. An engine given less accepts it silently and lets bodies fall through.
Lengths are mm, angles degrees, masses grams; what an engine computes in (units of 10 mm, a lighter pull) stays inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from sim3d.space import Floats, Ints, Pose

STANDARD_GRAVITY_M_S2 = 9.80665  # what a table stands in; a pull is given in these units
FAR_MM = 1e5  # coordinates beyond 100 m are a mistake, and float32 engines lose a hundredth of a mm there
MOST_FRICTION = 10.0  # more than any pair of materials has; Bullet cuts off here by itself, silently


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine is run: every number with its unit and its reason; measured in general, never tuned to a case."""

    unit_mm: float = 10.0  # one engine unit: engines carry absolute tolerances meant for bodies about one unit wide
    gravity_m_s2: float = 0.980665  # a tenth of the table's: the same motion 3.2 times slower, so each step is finer
    steps_hz: int = 240  # steps per engine second: 35 in the time in which a 27 mm mini falls over
    contact_mm: float = 0.05  # contacts are kept to this gap: more holds on to neighbours beyond an edge, less flickers
    margin_mm: float = 1e-4  # Bullet rounds every shape by this; its default lets a base hover up to 2 mm
    iterations: int = 50  # of the contact solver a step; 200 changed no verdict
    linear_damping_hz: float = 1.0  # share of speed lost a second: a base rocking on a dome must come to rest
    angular_damping_hz: float = 1.0
    largest_patch: int = 100_000  # triangles in one engine body; pybullet's limit is 524,288 indices

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0 and (value > 0 or name.endswith("damping_hz"))):
                raise ValueError(f"settings: {name} must be over 0, got {value}")


@dataclass(frozen=True, slots=True, init=False)
class Ground:
    """Terrain as an engine takes it: proven triangles (mm), no degenerate and no duplicate ones; it may be empty.

    >>> Ground([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 0], [0, 1, 1]]).faces.tolist()
    [[0, 1, 2]]
    """

    vertices: Floats
    faces: Ints

    def __init__(self, vertices: object, faces: object) -> None:
        corners = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
        given = np.asarray(faces)
        if given.size and given.dtype.kind not in "iu":
            raise ValueError(f"faces are whole numbers, got {given.dtype}")
        triangles = given.astype(np.int64).reshape(-1, 3)
        if not np.isfinite(corners).all():
            raise ValueError(f"{int((~np.isfinite(corners)).any(axis=1).sum())} corners of the terrain are not numbers")
        if corners.size and np.abs(corners).max() > FAR_MM:
            raise ValueError(f"a corner of the terrain lies {np.abs(corners).max():g} mm out; at most {FAR_MM:g}")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(corners)):
            raise ValueError(
                f"a triangle names corner {int(triangles.max() if triangles.min() >= 0 else triangles.min())} "
                f"of {len(corners)}"
            )
        corners, triangles = _welded(corners, triangles)
        object.__setattr__(self, "vertices", corners)
        object.__setattr__(self, "faces", triangles)

    def moved(self, shift: tuple[float, float, float]) -> Floats:
        """The corners, shifted: an engine works about its own origin, where numbers are finest."""
        shifted: Floats = self.vertices + np.array(shift)
        return shifted


def _welded(corners: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Equal corners made one, unused ones dropped; flat triangles and second copies dropped, whichever way they face.

    What is dropped carries nothing that the rest does not carry. Order is kept, so that a shuffled mesh differs only
    by its shuffle.
    """
    if not len(triangles):
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    used, flat = np.unique(triangles, return_inverse=True)
    corners = corners[used] + 0.0  # -0.0 and 0.0 are one place
    rows = np.ascontiguousarray(corners).view([("", np.float64)] * 3).ravel()
    _, first, same = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    corners = corners[first[order]]
    triangles = rank[same[flat.ravel()]].reshape(-1, 3)
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    triangles = triangles[area > 0]
    ring = np.sort(triangles, axis=1)
    key = (ring[:, 0] * len(corners) + ring[:, 1]) * len(corners) + ring[:, 2]
    _, first = np.unique(key, return_index=True)
    return corners, triangles[np.sort(first)].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Moving:
    """What is released: convex parts (each (k, 3) points, mm) in the base's own frame, com, mass, inertia.

    `inertia_g_mm2` is about the centre of mass along the frame's axes.
    """

    parts: tuple[Floats, ...]
    com: tuple[float, float, float]
    mass_g: float
    inertia_g_mm2: tuple[float, float, float]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a moving body needs at least one part")
        for part in self.parts:
            if part.ndim != 2 or part.shape[1] != 3 or len(part) < 4 or not np.isfinite(part).all():
                raise ValueError(f"a part is at least four points of three numbers, got shape {part.shape}")
            if np.linalg.matrix_rank(part[1:] - part[0], tol=1e-6) < 3:
                raise ValueError("a part is flat: its points lie in a plane")
        numbers = (*self.com, self.mass_g, *self.inertia_g_mm2)
        if not all(math.isfinite(n) for n in numbers) or min(numbers[3:]) <= 0:
            raise ValueError(f"centre of mass, mass and inertia must be numbers, the last over 0, got {numbers}")

    def reach_mm(self) -> float:
        """The farthest point from the base's middle."""
        return max(float(np.linalg.norm(part, axis=1).max()) for part in self.parts)

    def gyration_mm(self) -> float:
        """The largest radius of gyration about the centre of mass."""
        return math.sqrt(max(self.inertia_g_mm2) / self.mass_g)


def checked_friction(friction: float) -> float:
    """The product of both surfaces' coefficients, from 0 to 10; anything else is a `ValueError`."""
    if not (math.isfinite(friction) and 0 <= friction <= MOST_FRICTION):
        raise ValueError(f"friction is a number from 0 to {MOST_FRICTION:g}, got {friction}")
    return float(friction)


@dataclass(frozen=True, slots=True)
class Touch:
    """One contact as the engine sees it: where (mm), the terrain's push direction, gap (mm, negative inside), newtons."""

    place: tuple[float, float, float]
    normal: tuple[float, float, float]
    gap_mm: float
    force_n: float


class World(Protocol):
    """One body over one ground, alive until closed; never handed out of a settle."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leaves nothing behind in the process."""

    def step(self, count: int = 1) -> None:
        """`count` steps of one over `steps_hz` engine seconds."""

    def pull(self, gravity_m_s2: tuple[float, float, float]) -> None:
        """Gravity from now on, as on a real table: (0, 0, -9.80665) is level."""

    def grip(self, friction: float) -> None:
        """The product of the two coefficients of friction from now on."""

    def pose(self) -> Pose:
        """Of the base's frame: the middle of its underside, not the centre of mass."""

    def velocity(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Of the centre of mass in mm, and turning in degrees, an engine second."""

    def contacts(self) -> tuple[Touch, ...]:
        """What carries it now."""

    def bits(self) -> bytes:
        """The state to the last bit: pose and velocity as the engine holds them."""


class Engine(Protocol):
    """A physics library behind its one door."""

    @property
    def name(self) -> str:
        """The word it is chosen by."""

    def available(self) -> bool:
        """Whether the library can be imported here."""

    def world(
        self,
        ground: Ground,
        moving: Moving,
        pose: Pose,
        *,
        friction: float,
        settings: Settings,
        window: bool = False,
    ) -> World:
        """The body at rest at `pose`; nothing has moved yet. `window` opens one where the engine can."""
