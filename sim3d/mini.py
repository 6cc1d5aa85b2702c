"""What is set down: `Base` (outline, notches, thickness), `Mini` (base, body, mass, centre of mass), the catalogue.

A base's own frame: its underside's middle at the origin, its front towards +x, z up. Nothing here knows a game.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim3d.finding import Finding, Hit, Refused, Severity, check, run
from sim3d.plane import Notch, Outline, axes_deg, difference_mm, pockets, shadow, triangles_of
from sim3d.solid import Solid, read_solid
from sim3d.space import CHORD_MM, Floats, Ints, Pose

THICKNESS_MM = 3.2  # a plain round base of most makers; a number nobody's verdict hangs on, it only lifts the body
NOTCHED_THICKNESS_MM = 4.8  # notched bases are taller: 0.19 inch
NOTCH_WIDTH_MM = 15.2  # takes a tool tip 15 mm wide with a little air
NOTCH_DEPTH_MM = 3.0  # each end; two derivations agree
BODY_SHARE = 0.75  # of the base's width: the cylinder that stands for a figure that is not given as a mesh
COM_SHARE = 0.4  # of the height: a standing figure alone has it near 0.55, its base pulls it down; higher is careful
HEIGHT_SHARE = 1.5  # height of a mini of unknown height, in base widths: 40 mm on 27
MASS_G = 10.0  # a resin figure; only engines see it, a verdict depends on ratios alone
SAME_BASE_MM = 0.3  # a mesh this near a catalogue base is one: print shrinkage and a bevel; 28 and 28.5 stay apart
UNDERSIDE_MM = 0.02  # faces this near the lowest point, and level, are the underside: under a print layer


@dataclass(frozen=True, slots=True)
class Base:
    """What a miniature stands on: a flat underside of exact outline, straight walls, `thickness_mm` tall.

    >>> round(Base.named("50n").outline.length_mm, 3), Base.named("27").outline.width_mm
    (47.634, 27.0)
    """

    name: str
    outline: Outline
    thickness_mm: float = THICKNESS_MM

    def __post_init__(self) -> None:
        if not (math.isfinite(self.thickness_mm) and self.thickness_mm > 0):
            raise ValueError(f"base {self.name}: thickness must be over 0 mm, got {self.thickness_mm}")

    @staticmethod
    def named(name: str) -> Base:
        """By its catalogue name: "27", "60x35", "50n", "100x175n", "hex40", "rect50x25".

        >>> Base.named("hex40").outline.width_mm > 40
        True
        """
        made = _from_name(name)
        if made is None:
            raise ValueError(f"no base is called {name!r}; known: {', '.join(CATALOGUE)}, hexN, rectLxW")
        return made

    @staticmethod
    def round(diameter_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM) -> Base:
        """A round base; notches among "front", "rear", "left", "right"."""
        size = _sizes(diameter_mm)
        return _base(
            f"{size}{'n' if notches else ''}", Outline.ellipse(diameter_mm, diameter_mm), notches, thickness_mm
        )

    @staticmethod
    def ellipse(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """An oval base, its length towards the front."""
        return _base(_sizes(length_mm, width_mm), Outline.ellipse(length_mm, width_mm), notches, thickness_mm)

    @staticmethod
    def stadium(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """Straight sides and half-round ends, its length towards the front."""
        outline = Outline.stadium(length_mm, width_mm)
        return _base(f"stadium{_sizes(length_mm, width_mm)}", outline, notches, thickness_mm)

    @staticmethod
    def rectangle(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """A rectangular base, its length towards the front."""
        outline = Outline.rectangle(length_mm, width_mm)
        return _base(f"rect{_sizes(length_mm, width_mm)}", outline, notches, thickness_mm)

    @staticmethod
    def hexagon(across_flats_mm: float, *, thickness_mm: float = THICKNESS_MM) -> Base:
        """A hexagonal base, a flat towards the front."""
        return _base(f"hex{_sizes(across_flats_mm)}", Outline.hexagon(across_flats_mm), (), thickness_mm)

    def mesh(self, *, chord_mm: float = CHORD_MM) -> tuple[Floats, Ints]:
        """Vertices and faces of the base as a closed prism, its walls straying at most `chord_mm` from the outline."""
        ring = self.outline.polygon(chord_mm)
        n = len(ring)
        low = np.column_stack([ring, np.zeros(n)])
        high = np.column_stack([ring, np.full(n, self.thickness_mm)])
        vertices = np.vstack([low, high])
        i = np.arange(n)
        j = (i + 1) % n
        top = triangles_of(ring)
        faces = np.vstack(
            [
                top[:, ::-1],
                top + n,
                np.column_stack([i, j, j + n]),
                np.column_stack([i, j + n, i + n]),
            ]
        )
        return vertices, faces.astype(np.int64)


_NOTCH_SIDES = {"front": 0, "rear": 180, "left": 90, "right": 270}


def _base(name: str, outline: Outline, notches: Sequence[str], thickness_mm: float) -> Base:
    for side in notches:
        if side not in _NOTCH_SIDES:
            raise ValueError(f"a notch is at the front, rear, left or right, not {side!r}")
    cuts = (Notch(_NOTCH_SIDES[side], NOTCH_WIDTH_MM, NOTCH_DEPTH_MM) for side in notches)
    return Base(name, outline.notched(*cuts), thickness_mm)


def _sizes(*sizes_mm: float) -> str:
    for size in sizes_mm:
        if not (math.isfinite(size) and 1.0 <= size <= 1000.0):
            raise ValueError(f"a base measures 1 to 1000 mm, got {size}")
    return "x".join(f"{size:g}" for size in sizes_mm)


# --- the catalogue: every base by its name ----------------------------------------------------------------------------

ROUNDS = (25, 27, 28.5, 30, 32, 40, 50, 60, 65, 70, 80, 90, 100, 120, 130, 150, 160)  # diameters in mm
ELLIPSES = ((60, 35), (75, 42), (90, 52), (105, 70), (120, 92), (170, 109))  # length and width in mm
NOTCHED_ROUNDS = (50, 70, 100, 120, 150)  # front and rear notch
NOTCHED_STADIUMS = ((100, 175), (100, 200))  # width and length in mm, as players name them; front and rear notch
HEXAGONS = (40,)  # across flats; any other by its name

CATALOGUE: tuple[str, ...] = (
    *(f"{d:g}" for d in ROUNDS),
    *(f"{a}x{b}" for a, b in ELLIPSES),
    *(f"{d}n" for d in NOTCHED_ROUNDS),
    *(f"{w}x{le}n" for w, le in NOTCHED_STADIUMS),
    *(f"hex{d}" for d in HEXAGONS),
)


def _from_name(name: str) -> Base | None:
    number = r"(\d+(?:\.\d+)?)"
    if name in {f"{d:g}" for d in ROUNDS}:
        return Base.round(float(name))
    if name in {f"{d}n" for d in NOTCHED_ROUNDS}:
        return Base.round(float(name[:-1]), notches=("front", "rear"), thickness_mm=NOTCHED_THICKNESS_MM)
    for width, length in NOTCHED_STADIUMS:
        if name == f"{width}x{length}n":
            made = Base.stadium(length, width, notches=("front", "rear"), thickness_mm=NOTCHED_THICKNESS_MM)
            return replace(made, name=name)
    for length, width in ELLIPSES:
        if name == f"{length}x{width}":
            return Base.ellipse(length, width)
    if match := re.fullmatch(f"hex{number}", name):
        return Base.hexagon(float(match[1]))
    if match := re.fullmatch(f"rect{number}x{number}", name):
        return Base.rectangle(float(match[1]), float(match[2]))
    return None


# --- a base from a mesh -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BaseReading:
    """A base found in a mesh: its outline and notches as measured, the nearest catalogue base and the difference."""

    base: Base
    nearest: str
    difference_mm: float
    notches: tuple[str, ...]
    thickness_mm: float
    turned_deg: float  # how far the mesh's front is turned from +x
    centre: tuple[float, float]  # where the base's middle lies in the mesh
    findings: tuple[Finding, ...] = ()


@check("BASE_NOT_FLAT", Severity.ERROR, "the underside is flat over {flat_mm2:.0f} of {needed_mm2:.0f} mm² needed")
def base_not_flat(flat_mm2: float, whole_mm2: float) -> Iterable[Hit]:
    """A mesh that should be a base has no flat underside.

    Why: everything said about standing is for a flat underside. Example: a base with a hollow or rounded underside, or
    one that lies on its side. Do: turn it so that the underside faces down, or fill the hollow.
    """
    if flat_mm2 < 0.5 * whole_mm2:
        yield Hit(flat_mm2=flat_mm2, needed_mm2=0.5 * whole_mm2)


@check("BASE_UNKNOWN_SIZE", Severity.INFO, "nearest catalogue base is {nearest}, {difference_mm:.2f} mm off")
def base_unknown_size(nearest: str, difference_mm: float) -> Iterable[Hit]:
    """A base read from a mesh is none of the catalogue.

    Why: a rule that names a base size needs to know which one this is. Example: a 33 mm base between 32 and 40.
    Do: nothing, if it is meant; else check the unit and the scale of the mesh.
    """
    if difference_mm > SAME_BASE_MM:
        yield Hit(nearest=nearest, difference_mm=difference_mm)


def read_base(path: str | Path, *, unit: str | None = None, up: str | None = None) -> BaseReading:
    """The base in a mesh file, from its underside; `Refused` when it has no flat one."""
    return base_of(read_solid(path, unit=unit, up=up), file=str(path))


def base_of(solid: Solid, *, file: str = "") -> BaseReading:
    """The base that a solid is: outline, notches and thickness from its underside."""
    vertices, faces = solid.vertices, solid.faces
    lowest, highest = float(vertices[:, 2].min()), float(vertices[:, 2].max())
    down = (vertices[faces][:, :, 2] <= lowest + UNDERSIDE_MM).all(axis=1)
    corners = vertices[faces[down]]
    a, b = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    flat_mm2 = float(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2)
    size = vertices.max(axis=0) - vertices.min(axis=0)
    refusal = run((base_not_flat,), flat_mm2, float(size[0] * size[1]), file=file)
    if not refusal.ok:
        raise Refused(*refusal)
    ring = shadow(vertices[:, :2], faces[down])
    axes = tuple(direction for direction, _, _ in pockets(ring)[:1]) or axes_deg(ring)
    centre = (ring.max(axis=0) + ring.min(axis=0)) / 2
    best = min(
        (_matched(name, ring - centre, a + quarter) for name in CATALOGUE for a in axes for quarter in (0.0, 90.0)),
        key=lambda m: m[0],
    )
    difference, nearest, turned = best
    straight = _turned(ring - centre, -turned)
    thickness = highest - lowest
    measured = Outline.polygon_of([(float(x), float(y)) for x, y in straight])
    return BaseReading(
        base=Base(solid.name, measured, thickness),
        nearest=nearest,
        difference_mm=difference,
        notches=_notches_of(straight),
        thickness_mm=thickness,
        turned_deg=turned,
        centre=(float(centre[0]), float(centre[1])),
        findings=base_unknown_size(nearest, difference, file=file),
    )


def _matched(name: str, ring: Floats, turn: float) -> tuple[float, str, float]:
    """(difference, name, turn) of one catalogue base laid over the ring at one facing."""
    outline = Base.named(name).outline
    turn = round(turn % 180.0, 6) % 180.0
    size = ring.max(axis=0) - ring.min(axis=0)
    if abs(math.hypot(*size) - math.hypot(outline.length_mm, outline.width_mm)) > 0.5 * math.hypot(*size):
        return math.inf, name, turn  # far too large or small: spare the exact comparison
    return difference_mm(ring, _turned(outline.polygon(0.02), turn)), name, turn


def _turned(ring: Floats, deg: float) -> Floats:
    return Pose.at(0, 0, turn=deg).apply(np.column_stack([ring, np.zeros(len(ring))]))[:, :2]


def _notches_of(ring: Floats) -> tuple[str, ...]:
    """The sides on which the ring falls back like a notch: at least 1 mm deep and 5 mm wide."""
    found = []
    for direction, width, depth in pockets(ring):
        for side, facing in _NOTCH_SIDES.items():
            if abs((direction - facing + 180) % 360 - 180) < 10 and depth >= 1.0 and width >= 5.0:
                found.append(side)
    return tuple(side for side in _NOTCH_SIDES if side in found)


# --- the miniature ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Body:
    """What stands on a base: an upright cylinder, or a mesh in the base's frame. It blocks, it never carries."""

    diameter_mm: float
    height_mm: float  # over the underside of the base
    mesh: tuple[Floats, Ints] | None = None


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
        base = Base.named(base) if isinstance(base, str) else base
        width = min(base.outline.length_mm, base.outline.width_mm)
        if body is None:
            height = HEIGHT_SHARE * width if height is None else float(height)
            body = Body(diameter_mm=BODY_SHARE * width, height_mm=height)
        elif height is not None:
            raise ValueError("give a body or a height, not both")
        if com is None:
            centre = (0.0, 0.0, COM_SHARE * body.height_mm)
        elif isinstance(com, (int, float)):
            centre = (0.0, 0.0, float(com))
        else:
            if len(com) != 3:
                raise ValueError(f"a centre of mass is a height or three numbers, got {len(com)}")
            centre = (float(com[0]), float(com[1]), float(com[2]))
        _sound(base, body, mass_g, centre)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "mass_g", float(mass_g))
        object.__setattr__(self, "com", centre)

    @property
    def height_mm(self) -> float:
        """From the base's underside to the top."""
        return self.body.height_mm

    @staticmethod
    def of_solid(base: Base | str, solid: Solid, *, hollow: bool = False, mass_g: float = MASS_G) -> Mini:
        """From the whole miniature's mesh, base included, its underside at z 0 about the origin.

        Solid: the centre of mass of everything its parts cover together. Hollow: of a thin even skin.
        """
        if hollow:
            corners = solid.vertices[solid.faces]
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            area = np.linalg.norm(normals, axis=1) / 2
            centre = (corners.mean(axis=1) * area[:, None]).sum(axis=0) / area.sum()
        else:
            whole = solid.centre_of_mass
            if whole is None:
                raise ValueError(
                    f"{solid.name}: not a closed solid, so its centre of mass is unknown; give com=, or hollow=True"
                )
            centre = np.asarray(whole)
        width = float(2 * np.hypot(solid.vertices[:, 0], solid.vertices[:, 1]).max())
        body = Body(width, float(solid.vertices[:, 2].max()), (solid.vertices, solid.faces))
        return Mini(base, com=[float(c) for c in centre], mass_g=mass_g, body=body)


def _sound(base: Base, body: Body, mass_g: float, com: tuple[float, float, float]) -> None:
    """Refuse a miniature that cannot exist, naming every reason."""
    wrong = []
    if not all(math.isfinite(c) for c in com):
        wrong.append(f"centre of mass {com} is not a number of mm")
    else:
        if com[2] <= 0:
            wrong.append(f"the centre of mass lies {-com[2]:g} mm under the underside; it must be above it")
        if com[2] > body.height_mm:
            wrong.append(f"the centre of mass, {com[2]:g} mm up, is over the top of the mini at {body.height_mm:g} mm")
        if not base.outline.contains(np.array([com[:2]]))[0]:
            wrong.append(
                f"the centre of mass ({com[0]:g}, {com[1]:g}) is outside the base: it cannot stand on flat ground"
            )
    for what, value in (("height", body.height_mm), ("body diameter", body.diameter_mm), ("mass", mass_g)):
        if not (math.isfinite(value) and value > 0):
            wrong.append(f"{what} must be over 0, got {value}")
    if not wrong and body.height_mm < base.thickness_mm:
        wrong.append(f"a mini {body.height_mm:g} mm tall is lower than its base, {base.thickness_mm:g} mm")
    if wrong:
        raise ValueError("; ".join(wrong))
