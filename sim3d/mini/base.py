"""`Base`: what a miniature stands on, by its catalogue name, by a name that says its shape, or from measures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from sim3d.finding import Finding
from sim3d.plane import Notch, Outline, triangles_of
from sim3d.space import CHORD_MM, Floats, Ints

THICKNESS_MM = 3.2  # a plain round base of most makers; a number nobody's verdict hangs on, it only lifts the body
NOTCHED_THICKNESS_MM = 4.8  # notched bases are taller: 0.19 inch
NOTCH_WIDTH_MM = 15.2  # takes a tool tip 15 mm wide with a little air
NOTCH_DEPTH_MM = 3.0  # each end; two derivations agree
SMALLEST_MM, LARGEST_MM = 1.0, 1000.0  # a base's measures: beyond them a unit was mistaken

SIDES = {"front": 0, "rear": 180, "left": 90, "right": 270}  # where a notch can be, in the order they are named


@dataclass(frozen=True, slots=True)
class MeshSource:
    """Where a mesh was read from, and what was declared about it."""

    path: Path
    unit: str | None = None
    up: Literal["y", "z"] | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """What a miniature stands on: a flat underside of exact outline, straight walls, `thickness_mm` tall.

    Made from measures it is named after them, so that equal names are equal bases and `Base.named` makes it again.

    >>> round(Base.named("50n").outline.length_mm, 3), Base.named("27").outline.width_mm
    (47.634, 27.0)
    >>> Base.round(27).name, Base.round(33, thickness_mm=6).name, Base.round(50, notches=["front"]).name
    ('27', 'round33-thick6', 'round50-front')
    """

    name: str
    outline: Outline
    thickness_mm: float = THICKNESS_MM
    source: MeshSource | None = field(default=None, compare=False)  # the file it came from, if it did
    findings: tuple[Finding, ...] = field(default=(), compare=False)  # what was found when it was read from there

    def __hash__(self) -> int:
        """Its name and thickness tell: outlines have many corners, and bases are looked up thousands of times."""
        return hash((self.name, self.thickness_mm))

    def __post_init__(self) -> None:
        object.__setattr__(self, "thickness_mm", float(self.thickness_mm))
        if not (math.isfinite(self.thickness_mm) and self.thickness_mm > 0):
            raise ValueError(f"base {self.name}: thickness must be over 0 mm, got {self.thickness_mm}")

    @staticmethod
    def named(name: str) -> Base:
        """By its catalogue name ("27", "60x35", "50n", "100x175n", "hex40") or one that says its shape.

        "round33", "ellipse90x52-front", "stadium100x50-left-right", "rect50x25", "hex32.5", any with "-thick6".

        >>> Base.named("hex40").outline.width_mm > 40
        True
        """
        if not isinstance(name, str):
            raise ValueError(f"a base's name is text, as in Base.named('27'); got {name!r}")
        if name in _CATALOGUE:
            return _CATALOGUE[name]
        match = _NAME.fullmatch(name)
        if match is None or (match["shape"] in ("round", "hex")) != (match["width"] is None):
            near = ""
            if name.removesuffix("mm").strip() in _CATALOGUE:
                near = f"; did you mean {name.removesuffix('mm').strip()!r}?"
            elif _NUMBER_ALONE.fullmatch(name) and float(name) > 0:
                near = f"; round{name} is one of your own"
            elif _MESH_FILE.fullmatch(name):
                near = f"; it is a mesh file's name: in Python its base is read_base({name!r}).base"
            raise ValueError(f"no base is called {name!r}{near}; known: {', '.join(CATALOGUE)}, {_GRAMMAR}")
        notches = [side for side in match["notches"].split("-") if side]
        length = float(match["length"])
        thick = THICKNESS_MM if match["thick"] is None else float(match["thick"])
        return _base(match["shape"], length, float(match["width"] or length), notches, thick)

    @staticmethod
    def round(diameter_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM) -> Base:
        """A round base; notches among "front", "rear", "left", "right"."""
        return _base("round", diameter_mm, diameter_mm, notches, thickness_mm)

    @staticmethod
    def ellipse(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """An oval base, its length towards the front."""
        return _base("ellipse", length_mm, width_mm, notches, thickness_mm)

    @staticmethod
    def stadium(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """Straight sides and half-round ends, its length towards the front."""
        return _base("stadium", length_mm, width_mm, notches, thickness_mm)

    @staticmethod
    def rectangle(
        length_mm: float, width_mm: float, *, notches: Sequence[str] = (), thickness_mm: float = THICKNESS_MM
    ) -> Base:
        """A rectangular base, its length towards the front."""
        return _base("rect", length_mm, width_mm, notches, thickness_mm)

    @staticmethod
    def hexagon(across_flats_mm: float, *, thickness_mm: float = THICKNESS_MM) -> Base:
        """A hexagonal base, a flat towards the front."""
        return _base("hex", across_flats_mm, across_flats_mm, (), thickness_mm)

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


# --- names: one per shape, and one shape per name ---------------------------------------------------------------------

_SIZE = r"[0-9]+(?:\.[0-9]+)?"
_NUMBER_ALONE = re.compile(_SIZE)
_MESH_FILE = re.compile(r".+\.(stl|obj|ply|off|glb|gltf|3mf)", re.IGNORECASE)  # a name that is none, but a file's
_NAME = re.compile(
    rf"(?P<shape>round|ellipse|stadium|rect|hex)(?P<length>{_SIZE})(?:x(?P<width>{_SIZE}))?"
    rf"(?P<notches>(?:-(?:{'|'.join(SIDES)}))*)(?:-thick(?P<thick>{_SIZE}(?:e-?[0-9]+)?))?"
)
_GRAMMAR = "hexN, rectLxW, roundN, ellipseLxW, stadiumLxW, with -front -rear -left -right for notches, -thickN"


def _base(shape: str, length_mm: float, width_mm: float, notches: Iterable[str], thickness_mm: float) -> Base:
    """The base of these measures, under its catalogue name where it is in the catalogue."""
    length, width, thick = float(length_mm), float(width_mm), float(thickness_mm)
    for size in (length, width):
        if not (math.isfinite(size) and SMALLEST_MM <= size <= LARGEST_MM):
            raise ValueError(f"a base measures 1 to 1000 mm, got {size}")
    if not (math.isfinite(thick) and 0 < thick <= LARGEST_MM):
        raise ValueError(f"a base is over 0 and at most 1000 mm thick, got {thick}")
    named = tuple(notches)
    for side in named:
        if side not in SIDES:
            raise ValueError(f"a notch is at the front, rear, left or right, not {side!r}")
    if shape == "hex" and named:
        raise ValueError("a hexagonal base has no notches")
    if length == width and shape in ("ellipse", "stadium"):
        shape = "round"
    sides = tuple(side for side in SIDES if side in named)
    if known := _BY_MEASURES.get((shape, length, width, sides, thick)):
        return _CATALOGUE[known]
    sizes = _said(length) if shape in ("round", "hex") else f"{_said(length)}x{_said(width)}"
    thickness = "" if thick == THICKNESS_MM else f"-thick{_said(thick)}"
    name = shape + sizes + "".join(f"-{side}" for side in sides) + thickness
    return Base(name, _outline(shape, length, width, sides), thick)


def _outline(shape: str, length: float, width: float, sides: Iterable[str]) -> Outline:
    if shape == "hex":
        return Outline.hexagon(length)
    plain = {"stadium": Outline.stadium, "rect": Outline.rectangle}.get(shape, Outline.ellipse)(length, width)
    return plain.notched(*(Notch(SIDES[side], NOTCH_WIDTH_MM, NOTCH_DEPTH_MM) for side in sides))


def _said(number: float) -> str:
    """The shortest text that reads back as the same number: 27, 28.5."""
    return f"{number:.0f}" if number == round(number) else repr(number)


# --- the catalogue: every base by its name ----------------------------------------------------------------------------

ROUNDS = (25, 27, 28.5, 30, 32, 40, 50, 60, 65, 70, 80, 90, 100, 120, 130, 150, 160)  # diameters in mm
ELLIPSES = ((60, 35), (75, 42), (90, 52), (105, 70), (120, 92), (170, 109))  # length and width in mm
NOTCHED_ROUNDS = (50, 70, 100, 120, 150)  # front and rear notch
NOTCHED_STADIUMS = ((100, 175), (100, 200))  # width and length in mm, as players name them; front and rear notch
HEXAGONS = (40,)  # across flats; any other by its name

Measures = tuple[str, float, float, tuple[str, ...], float]
_ENDS = ("front", "rear")
_MEASURES: dict[str, Measures] = {
    **{f"{d:g}": ("round", d, d, (), THICKNESS_MM) for d in ROUNDS},
    **{f"{a}x{b}": ("ellipse", a, b, (), THICKNESS_MM) for a, b in ELLIPSES},
    **{f"{d}n": ("round", d, d, _ENDS, NOTCHED_THICKNESS_MM) for d in NOTCHED_ROUNDS},
    **{f"{w}x{le}n": ("stadium", le, w, _ENDS, NOTCHED_THICKNESS_MM) for w, le in NOTCHED_STADIUMS},
    **{f"hex{d}": ("hex", d, d, (), THICKNESS_MM) for d in HEXAGONS},
}
_BY_MEASURES = {measures: name for name, measures in _MEASURES.items()}
_CATALOGUE = {
    name: Base(name, _outline(shape, float(length), float(width), sides), thick)
    for name, (shape, length, width, sides, thick) in _MEASURES.items()
}

CATALOGUE: tuple[str, ...] = tuple(_MEASURES)
