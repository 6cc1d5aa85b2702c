"""The few nouns every engine speaks: `Rock`, `Moving`, `Settings`, `Touch`, and the two protocols `World`, `Engine`.

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

from sim3d.space import TOUCH_MM, Bools, Floats, Ints, Pose

STANDARD_GRAVITY_M_S2 = 9.80665  # what a table stands in; a pull is given in these units
FAR_MM = 1e5  # coordinates beyond 100 m are a mistake, and float32 engines lose a hundredth of a mm there


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine is run: every number with its unit and its reason; measured in general, never tuned to a case.

    Engine seconds are longer than a table's, because the engine pulls with a tenth of its gravity: no verdict depends
    on the pull, and the same motion drawn out over more steps is computed 3.2 times more finely.
    """

    unit_mm: float = 10.0  # one engine unit: engines carry absolute tolerances meant for bodies about one unit wide
    gravity_m_s2: float = (
        0.980665  # a tenth of the table's: at 240 Hz a free fall gains 0.017 mm a step, under contact_mm
    )
    steps_hz: int = 240  # steps an engine second: about 35 in the time in which a 27 mm mini falls over
    contact_mm: float = (
        0.02  # Bullet keeps contacts up to this gap: 0.05 leaves a fifth of bases on 2 mm triangles jittering
    )
    iterations: int = 50  # of Bullet's solver a step, its default; 20 and 200 changed no verdict
    foresight_mm: float = 0.2  # Rapier looks this far for contacts; less lets a base sink before they are found
    slop_mm: float = 1e-3  # Rapier leaves penetration up to this; its default would be 0.05 mm
    substeps: int = 4  # of Rapier's solver a step, its default; 16 was three times slower and no better
    rounds: int = 4  # of Rapier's solver over all contacts a substep; its 1 leaves bases on rims of grooves walking
    recycle_mm: float = 0.02  # Rapier reuses contacts until shapes move this far; its default, 0.5 mm, misjudges ledges
    damping_hz: float = 1.0  # share of speed and of turning lost an engine second; settle sets it by the mini
    cells: int = 1  # of ground across a base's width in Bullet, each a body of its own: it has four contacts with each
    largest_mesh: int = 100_000  # triangles in one engine mesh; pybullet takes 524,288 indices and 131,072 corners

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0 and (value > 0 or name == "damping_hz")):
                raise ValueError(f"settings: {name} must be over 0, got {value}")


@dataclass(frozen=True, slots=True, init=False)
class Rock:
    """Terrain as an engine takes it: proven triangles (mm), no degenerate and no duplicate ones; it may be empty.

    >>> Rock([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 0], [0, 1, 1]]).faces.tolist()
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
            far = f"a corner of the terrain lies {np.abs(corners).max():g} mm out; at most {FAR_MM:g}"
            raise ValueError(f"{far}: move it to the origin")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(corners)):
            raise ValueError(
                f"a triangle names corner {int(triangles.max() if triangles.min() >= 0 else triangles.min())} "
                f"of {len(corners)}"
            )
        corners, triangles = _welded(corners, triangles)
        object.__setattr__(self, "vertices", corners)
        object.__setattr__(self, "faces", triangles)

    def only(self, keep: Bools) -> Rock:
        """The triangles marked, as proven as before."""
        return self.with_faces(self.faces[keep])

    def with_faces(self, faces: Ints) -> Rock:
        """Other triangles over the same corners, by someone who knows what is proven; unused corners are dropped."""
        used, flat = np.unique(faces, return_inverse=True)
        made = object.__new__(Rock)
        object.__setattr__(made, "vertices", self.vertices[used])
        object.__setattr__(made, "faces", flat.reshape(-1, 3).astype(np.int64))
        return made

    def seen_from(self, frame: Pose) -> Rock:
        """The same ground in the coordinates of a pose, as proven as before."""
        made = object.__new__(Rock)
        object.__setattr__(made, "vertices", (self.vertices - np.array(frame.place)) @ frame.rotation())
        object.__setattr__(made, "faces", self.faces)
        return made

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
    used, flat = np.unique(triangles[np.sort(first)], return_inverse=True)
    return corners[used], flat.reshape(-1, 3).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Moving:
    """What is released: convex parts (each (k, 3) points, mm) in the base's own frame, com, mass, inertia.

    `inertia_g_mm2` is about the centre of mass along the frame's axes. Where the first part stands for a round base,
    that is a cylinder of radius `round_mm` about the middle; an engine may take it for one. Within `ring` (k, 2) the
    underside, of all parts together, has no gap.
    """

    parts: tuple[Floats, ...]
    com: tuple[float, float, float]
    mass_g: float
    inertia_g_mm2: tuple[float, float, float]
    round_mm: float | None = None
    ring: Floats | None = None

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
        if self.round_mm is not None:
            out = np.hypot(self.parts[0][:, 0], self.parts[0][:, 1])
            if not (math.isfinite(self.round_mm) and np.abs(out - self.round_mm).max() <= TOUCH_MM):
                raise ValueError(
                    f"the corners of a round base lie {self.round_mm} mm out, got {out.min()} to {out.max()}"
                )

    def reach_mm(self) -> float:
        """The farthest point from the base's middle."""
        return max(float(np.linalg.norm(part, axis=1).max()) for part in self.parts)

    def width_mm(self) -> float:
        """Its smallest side seen from above."""
        points = np.vstack(self.parts)[:, :2]
        return float((points.max(axis=0) - points.min(axis=0)).min())

    def gyration_mm(self) -> float:
        """The largest radius of gyration about the centre of mass."""
        return math.sqrt(max(self.inertia_g_mm2) / self.mass_g)


@dataclass(frozen=True, slots=True)
class Touch:
    """One contact as the engine sees it: where (mm), which way terrain pushes, gap (mm, negative inside), newtons."""

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
        ground: Rock,
        moving: Moving,
        pose: Pose,
        *,
        friction: float,
        settings: Settings,
    ) -> World:
        """The body at rest at `pose`; nothing has moved yet."""
