"""`Mini`: a base, a body, a mass and a centre of mass; what cannot exist is refused with every reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from sim3d.asked import checked_kind
from sim3d.mini.base import Base
from sim3d.mini.reading import UNDERSIDE_MM, BaseReading
from sim3d.plane import Outline, hull
from sim3d.solid import Solid
from sim3d.space import Floats, Ints

BODY_SHARE = 0.75  # of the base's width: the cylinder that stands for a figure that is not given as a mesh
COM_SHARE = 0.4  # of the height: a standing figure alone has it near 0.55, its base pulls it down; higher is careful
HEIGHT_SHARE = 1.5  # height of a mini of unknown height, in base widths: 40 mm on 27
MASS_G = 10.0  # a resin figure; only engines see it, a verdict depends on ratios alone


class Unsound(ValueError):
    """A miniature that cannot exist; `wrong` holds every reason with the argument it is about."""

    def __init__(self, *wrong: tuple[str, str]) -> None:
        self.wrong = wrong
        super().__init__("; ".join(reason for _, reason in wrong))


@dataclass(frozen=True, slots=True)
class Body:
    """What stands on a base: an upright cylinder, or a mesh in the base's frame. It blocks, it never carries."""

    diameter_mm: float
    height_mm: float  # over the underside of the base
    mesh: tuple[Floats, Ints] | None = field(default=None, compare=False, repr=False)
    _digest: str = field(default="", init=False, repr=False)  # two bodies are one where their meshes are

    def __post_init__(self) -> None:
        if self.mesh is not None:
            vertices, faces = self.mesh
            of_all = np.ascontiguousarray(vertices).tobytes() + np.ascontiguousarray(faces).tobytes()
            object.__setattr__(self, "_digest", sha256(of_all).hexdigest())
        object.__setattr__(self, "diameter_mm", float(self.diameter_mm))
        object.__setattr__(self, "height_mm", float(self.height_mm))


@dataclass(frozen=True, slots=True, init=False)
class Mini:
    """A miniature: base, body, mass and centre of mass; every length in mm, heights over the base's underside.

    >>> Mini(base="27", height=40).com
    (0.0, 0.0, 16.0)
    """

    base: Base
    body: Body
    mass_g: float
    com: tuple[float, float, float]

    def __init__(
        self,
        base: Base | str = "27",
        *,
        height: float | None = None,
        com: float | Sequence[float] | None = None,
        mass_g: float = MASS_G,
        body: Body | None = None,
    ) -> None:
        if isinstance(base, BaseReading):
            raise ValueError("a base read from a file comes with what was found out about it: give its .base alone")
        base = base if isinstance(base, Base) else Base.named(base)
        texts = [("height", height), ("com", com), ("mass_g", mass_g)]
        if wrong := [(key, f"{key} is a number, got text, {value!r}") for key, value in texts if _is_text(value)]:
            raise Unsound(*wrong)
        if body is None:
            body = Mini.usual_body(base, None if height is None else float(height))
        elif height is not None:
            raise Unsound(("height", "give a body or a height, not both"))
        if com is None:
            centre = (0.0, 0.0, COM_SHARE * body.height_mm)
        elif np.ndim(com) == 0:
            centre = (0.0, 0.0, float(com))  # type: ignore[arg-type]  # a number, numpy's too
        else:
            numbers = [float(c) for c in com]  # type: ignore[union-attr]
            if len(numbers) != 3:
                raise Unsound(("com", f"a centre of mass is a height or three numbers, got {len(numbers)}"))
            centre = (numbers[0], numbers[1], numbers[2])
        _sound(base, body, mass_g, centre, told=com is not None)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "mass_g", float(mass_g))
        object.__setattr__(self, "com", centre)

    @staticmethod
    def usual_body(base: Base, height_mm: float | None = None) -> Body:
        """The cylinder that stands for a figure nobody described: three quarters of the base's width."""
        width = min(base.outline.length_mm, base.outline.width_mm)
        return Body(BODY_SHARE * width, HEIGHT_SHARE * width if height_mm is None else height_mm)

    @property
    def height_mm(self) -> float:
        """From the base's underside to the top."""
        return self.body.height_mm

    @staticmethod
    def of_solid(base: Base | str, solid: Solid, *, hollow: bool = False, mass_g: float = MASS_G) -> Mini:
        """From the whole miniature's mesh, base included, its underside at z 0 about the origin; else `ValueError`.

        Solid: the centre of mass of everything its parts cover together. Hollow: of a thin even skin.
        """
        checked_kind("the whole miniature", solid, Solid, "read_solid(path) reads a file")
        lowest, highest = solid.bounds[0][2], solid.bounds[1][2]
        if abs(lowest) > UNDERSIDE_MM:
            reason = f"{solid.name or 'the mesh'}: its lowest point is at z {lowest:g}, but the underside lies at z 0"
            raise Unsound(("body", f"{reason}; move it with solid.moved(Pose.at(0, 0, {-lowest:g}))"))
        if hollow:
            corners = solid.vertices[solid.faces]
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            area = np.linalg.norm(normals, axis=1) / 2
            centre = (corners.mean(axis=1) * area[:, None]).sum(axis=0) / area.sum()
        else:
            whole = solid.centre_of_mass
            if whole is None:
                raise ValueError(
                    f"{solid.name or 'the mesh'}: not a closed solid, so its centre of mass is unknown; "
                    "say hollow=True, or describe it: Mini(base, height=, com=)"
                )
            centre = np.asarray(whole)
        width = float(2 * np.hypot(solid.vertices[:, 0], solid.vertices[:, 1]).max())
        body = Body(width, highest, (solid.vertices, solid.faces))
        return Mini(base, com=[float(c) for c in centre], mass_g=mass_g, body=body)


def _is_text(value: object) -> bool:
    """Text where numbers are meant: `float` would read it, and nobody else's does."""
    texts = (str, bytes)
    return isinstance(value, texts) or (isinstance(value, (list, tuple)) and any(isinstance(v, texts) for v in value))


def _over_its_hull(outline: Outline, place: tuple[float, float]) -> bool:
    """Whether level ground carries a base with its centre of mass there; a notch is no hole in the hull."""
    if outline.contains(np.array([place]))[0]:
        return True
    ring = hull(outline.polygon())
    sides, ways = np.roll(ring, -1, axis=0) - ring, np.array(place) - ring
    return bool((sides[:, 0] * ways[:, 1] - sides[:, 1] * ways[:, 0] > 0.0).all())


def _sound(base: Base, body: Body, mass_g: float, com: tuple[float, float, float], *, told: bool) -> None:
    """Refuse a miniature that cannot exist, naming every reason; `told`: the centre of mass is not our share of it."""
    wrong = []
    tall = math.isfinite(body.height_mm) and body.height_mm > 0  # else nothing is measured by it
    asked = told or tall  # else its height is what is wrong
    if asked and not all(math.isfinite(c) for c in com):
        wrong.append(("com", f"centre of mass {com} is not a number of mm"))
    elif asked:
        if com[2] <= 0:
            where = f"{-com[2]:g} mm under the underside" if com[2] < 0 else "in the underside"
            wrong.append(("com", f"the centre of mass lies {where}; it must be above it"))
        if tall and com[2] > body.height_mm:
            reason = f"the centre of mass, {com[2]:g} mm up, is over the top of the mini at {body.height_mm:g} mm"
            wrong.append(("com", reason))
        if not _over_its_hull(base.outline, com[:2]):
            reason = f"the centre of mass ({com[0]:g}, {com[1]:g}) is outside the base: it cannot stand on flat ground"
            wrong.append(("com", reason))
    for key, what, value in (
        ("height", "height", body.height_mm),
        ("body", "body diameter", body.diameter_mm),
        ("mass_g", "mass", mass_g),
    ):
        if not (math.isfinite(value) and value > 0):
            wrong.append((key, f"{what} must be over 0, got {value}"))
    if not wrong and body.height_mm < base.thickness_mm:
        reason = f"a mini {body.height_mm:g} mm tall is lower than its base, {base.thickness_mm:g} mm"
        wrong.append(("height", reason))
    if wrong:
        raise Unsound(*wrong)
