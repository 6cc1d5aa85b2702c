"""A base from a mesh: outline, notches and thickness as measured, and the nearest base of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, cast

import numpy as np

from sim3d.finding import Finding, Hit, Refused, Severity, check, plain, run
from sim3d.mini.base import CATALOGUE, SIDES, THICKNESS_MM, Base, MeshSource
from sim3d.plane import (
    Outline,
    area_of,
    axes_deg,
    circle_around,
    coverage,
    difference_mm,
    pockets,
    shadows,
    spread_along,
)
from sim3d.solid import Solid, read_solid
from sim3d.space import Floats, Pose

SAME_BASE_MM = 0.3  # of a length or a width: printers and moulds keep 0.2; a 28 stays apart from a 28.5, half a mm off
UNDERSIDE_MM = 0.02  # faces this near the lowest point, and level, are the underside: under a print layer
LEAST_FLAT_MM2 = 1.0  # of an underside: a smaller one is a point, an edge, or nothing
STRAY_MM2 = 1.0  # a second underside this small is a crumb of the print
NOTCH_LIKE_MM = (5.0, 1.0)  # width and depth from which a hollow of the outline is a notch, half of a usual one or less
NOTCH_AIM_DEG = 10.0  # how far off its side a notch may point
ROUND_SHARE = (
    0.97  # of its circle that the hull of a round outline fills; two usual notches take 0.03 from a 50 mm base
)
ALIKE_MM = 0.02  # turns and names that differ less are as good: the likeliest is taken, a notch's before an axis
CHORD_MM = 2e-3  # of a catalogue outline that is laid over a measured one
RIM_SHARE = 0.5  # of the rim that must stand above the underside's for a height to be within the base
BEVEL_MM = 1.0  # how far a wall may lean or be rounded in, at once,
LEAN = 1.0  # and for every mm of height: bases are narrower on top, by up to 45 degrees,
MOST_LEAN_MM = 4.0  # but not more in all: farther in stands the figure
RIM_STEP_MM = 0.25  # between the heights at which the wall is looked for, before its top is bracketed
RIM_EXACT_MM = 1e-6
RIM_PLACES = 256  # along the rim, at which a wall is looked for
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class BaseReading:
    """A base found in a mesh: its outline and notches as measured, the nearest catalogue base and the difference.

    `difference_mm` is how much length or width differ, or the outline strays, whichever is more. A turn of a shape that
    looks alike after it is not told apart: the front is where the notches come first in the order front, rear, left,
    right. So a sole notch of a round base is its front; the length of an oval is its front, whatever its notches.
    """

    base: Base
    nearest: str
    difference_mm: float
    notches: tuple[str, ...]
    thickness_mm: float | None  # None where no wall rises from the rim; the base then has the usual thickness
    turned_deg: float  # how far its front is turned from +x; under 180 where front and rear look alike, 0 of a disc
    centre: tuple[float, float]  # where the base's middle lies in the mesh
    findings: tuple[Finding, ...] = ()


@check(
    "BASE_NOT_FLAT",
    Severity.ERROR,
    "the underside is flat over {flat_mm2:.3g} of {needed_mm2:.3g} mm² needed; it was read as {size} mm, z up",
)
def base_not_flat(flat_mm2: float, whole_mm2: float, size_mm: Floats) -> Iterable[Hit]:
    """A mesh that should be a base has no flat underside.

    Why: everything said about standing is for a flat underside. Example: a base with a hollow or rounded underside, one
    that lies on its side, or one in inches that was read as millimetres. Do: say its axis and unit (`up`, `unit`), turn
    it so that the underside faces down, or fill the hollow.
    """
    needed = _flat_needed(whole_mm2)
    if flat_mm2 < needed:
        yield Hit(flat_mm2=flat_mm2, needed_mm2=needed, size=" x ".join(f"{v:.3g}" for v in size_mm))


@check("BASE_NO_THICKNESS", Severity.ERROR, "the mesh is {height_mm:g} mm high: a sheet, not a base")
def base_no_thickness(height_mm: float) -> Iterable[Hit]:
    """A mesh that should be a base has an underside and nothing above it.

    Why: a base is a body with walls. Example: the outline of a base as a flat sheet.
    Do: give it its height in the program it came from, or use a base of the catalogue.
    """
    if height_mm <= UNDERSIDE_MM:
        yield Hit(height_mm=height_mm)


@check(
    "BASE_NOT_ALONE", Severity.ERROR, "the underside is {areas} separate areas; the smaller have {other_mm2:.0f} mm²"
)
def base_not_alone(areas_mm2: list[float]) -> Iterable[Hit]:
    """A mesh that should be one base has several undersides side by side.

    Why: it cannot be told which of them is meant, and a miniature stands on one. Example: a print plate of two bases.
    Do: save each base as a mesh of its own.
    """
    other = sum(areas_mm2[1:])
    if other > STRAY_MM2:
        yield Hit(areas=len(areas_mm2), other_mm2=other)


@check("BASE_UNKNOWN_SIZE", Severity.INFO, "nearest catalogue base is {nearest}, {difference_mm:.2f} mm off")
def base_unknown_size(nearest: str, difference_mm: float) -> Iterable[Hit]:
    """A base read from a mesh is none of the catalogue.

    Why: a rule that names a base size needs to know which one this is. Example: a 33 mm base between 32 and 40.
    Do: nothing, if it is meant; else check the unit and the scale of the mesh.
    """
    if difference_mm > SAME_BASE_MM:
        yield Hit(nearest=nearest, difference_mm=difference_mm)


@check(
    "BASE_THICKNESS_UNKNOWN", Severity.WARNING, "no wall rises from the rim; {usual_mm:g} mm are taken for thickness"
)
def base_thickness_unknown(thickness_mm: float | None) -> Iterable[Hit]:
    """The walls of a base read from a mesh do not rise from the rim of its underside.

    Why: how thick the base is cannot be seen, and that is how high the figure on it stands. Example: a figure on a thin
    foot under which the base flares out by more than its height. Do: nothing, if the usual thickness will do; else
    give the base as a mesh of its own, without the figure.
    """
    if thickness_mm is None:
        yield Hit(usual_mm=THICKNESS_MM)


@check("BASE_HOLLOW", Severity.WARNING, "{hollow_mm2:.0f} mm² of the underside are hollow or a hole, and taken as flat")
def base_hollow(hollow_mm2: float) -> Iterable[Hit]:
    """The underside of a base read from a mesh has hollows, or holes that go through it, inside its rim.

    Why: what is narrow enough to stand in one carries nothing, and is told as carrying the base. Example: a ring, or a
    base with a well for a magnet. Do: nothing on ground without posts; else close the hollow in the mesh.
    """
    if hollow_mm2 > STRAY_MM2:
        yield Hit(hollow_mm2=hollow_mm2)


def read_base(path: str | Path, *, unit: str | None = None, up: str | None = None) -> BaseReading:
    """The base in a mesh file, named after the file, from its underside; `Refused` when it has no flat one.

    >>> found = read_base("meshes/bases/50n.stl")
    >>> found.nearest, found.notches, found.difference_mm < 0.05
    ('50n', ('front', 'rear'), True)
    """
    path = Path(path)
    solid = read_solid(path, unit=unit, up=up)
    reading = base_of(solid, file=path.as_posix())
    source = MeshSource(path, unit, cast(Literal["y", "z"] | None, up))
    found = (*solid.findings, *reading.findings)
    return replace(reading, base=replace(reading.base, name=plain(path.name), source=source, findings=found))


def base_of(solid: Solid, *, file: str = "") -> BaseReading:
    """The base that a solid is, a figure on it or not: outline, notches and thickness from its underside and walls."""
    ring, flat_mm2 = _underside(solid, file)
    middle, filled = circle_around(ring)
    axes = [direction for direction, _, _ in _notch_like(ring, middle)]
    nearest, difference, turned = _nearest(ring, [*axes, *axes_deg(ring)])
    straight = _turned(ring, -turned)
    round_one = filled > ROUND_SHARE
    here = circle_around(straight)[0] if round_one else _box_middle(straight)
    centre = _turned(np.array([here]), turned)[0]
    straight = straight - np.array(here)
    size = straight.max(axis=0) - straight.min(axis=0)
    alike = (0.0, 180.0, 90.0, 270.0) if round_one or abs(size[0] - size[1]) <= SAME_BASE_MM else (0.0, 180.0)
    hollows = [direction for direction, _, _ in _notch_like(straight, (0.0, 0.0))]
    named = [(_notches_of(hollows, extra), extra) for extra in alike]
    notches, extra = min(named, key=lambda n: (-len(n[0]), [list(SIDES).index(side) for side in n[0]]))
    straight = _turned(straight, -extra)
    turned = (turned + extra) % 360.0
    if set(notches) in (set(), {"front", "rear"}, {"left", "right"}, set(SIDES)):
        turned %= 180.0
    if round_one and not notches:
        straight, turned = _turned(straight, turned), 0.0
    thickness = _thickness(solid, ring)
    measured = Outline.polygon_of([(float(x), float(y)) for x, y in straight])
    told = base_unknown_size(nearest, difference, file=file) + base_thickness_unknown(thickness, file=file)
    told += base_hollow(area_of(ring) - flat_mm2, file=file)
    return BaseReading(
        base=Base(solid.name, measured, THICKNESS_MM if thickness is None else thickness),
        nearest=nearest,
        difference_mm=difference,
        notches=notches,
        thickness_mm=thickness,
        turned_deg=turned,
        centre=(float(centre[0]) + 0.0, float(centre[1]) + 0.0),  # no -0
        findings=told,
    )


# --- its outline ------------------------------------------------------------------------------------------------------


def _underside(solid: Solid, file: str) -> tuple[Floats, float]:
    """The one outer ring (n, 2) of the level faces at the bottom, and their area; `Refused`: there is none, or more."""
    vertices, faces = solid.vertices, solid.faces
    lowest, highest = float(vertices[:, 2].min()), float(vertices[:, 2].max())
    down = (vertices[faces][:, :, 2] <= lowest + UNDERSIDE_MM).all(axis=1)
    corners = vertices[faces[down]]
    a, b = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    flat_mm2 = float(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2)
    size = vertices.max(axis=0) - vertices.min(axis=0)
    whole_mm2 = float(size[0] * size[1])  # the box covers what a shadow does, and is known at once
    if flat_mm2 < _flat_needed(whole_mm2):
        whole_mm2 = _shadow_mm2(vertices[faces], lowest + MOST_LEAN_MM)
    refusal = run((base_not_flat,), flat_mm2, whole_mm2, size, file=file)
    if refusal.ok:
        rings = shadows(vertices[:, :2], faces[down])
        refusal += run((base_not_alone,), [area_of(ring) for ring in rings], file=file)
        refusal += run((base_no_thickness,), highest - lowest, file=file)
    if not refusal.ok:
        raise Refused(*refusal)
    return rings[0], flat_mm2


def _flat_needed(whole_mm2: float) -> float:
    """How much of what stands low over an underside that has to cover, mm²: half of it."""
    return max(0.5 * whole_mm2, LEAST_FLAT_MM2)


def _shadow_mm2(corners: Floats, z: float) -> float:
    """The area over which triangles (m, 3, 3) stand lower than z; wings higher up are no part of it."""
    heights = corners[:, :, 2]
    under, across = corners[(heights <= z).all(axis=1)], corners[(heights <= z).any(axis=1) & (heights > z).any(axis=1)]
    lone, left, right = _lone_first(across, z)
    ends = _cut(across, z)
    alone = lone[:, 2] <= z
    tips = np.stack([lone[:, :2], ends[:, 0], ends[:, 1]], axis=1)[alone]
    feet = np.stack([left[:, :2], right[:, :2], ends[:, 1], ends[:, 0]], axis=1)[~alone]
    flat: Floats = np.concatenate([under[:, :, :2], tips, feet[:, [0, 1, 2]], feet[:, [0, 2, 3]]]).reshape(-1, 2)
    return sum(area_of(ring) for ring in shadows(flat, np.arange(len(flat)).reshape(-1, 3)))


def _nearest(ring: Floats, axes: list[float]) -> tuple[str, float, float]:
    """(name, difference, turn) of the catalogue base that differs least, laid over the ring at the likely turns."""
    tries: list[tuple[float, int, str, float, Floats]] = []
    for axis in axes:
        for quarter in (0.0, 90.0):
            turn = round((axis + quarter) % 180.0, 6) % 180.0
            straight = _turned(ring, -turn)
            size = straight.max(axis=0) - straight.min(axis=0)
            for name in CATALOGUE:
                outline = _laid(name)
                off = np.abs(size - (outline.max(axis=0) - outline.min(axis=0))).max()
                tries.append((float(off), len(tries), name, turn, straight))
    seen: list[tuple[float, int, str, float]] = []
    least = math.inf
    for off, order, name, turn, straight in sorted(tries, key=lambda t: t[:2]):
        if off > least + ALIKE_MM:
            break  # sizes alone differ by more than the best in all
        middle, filled = circle_around(straight)
        here = np.array(middle if filled > ROUND_SHARE else _box_middle(straight))
        difference = max(off, difference_mm(straight - here, _laid(name)))
        least = min(least, difference)
        seen.append((difference, order, name, turn))
    best = min((one for one in seen if one[0] <= least + ALIKE_MM), key=lambda one: one[1])
    return best[2], best[0], best[3]


@cache
def _laid(name: str) -> Floats:
    ring = Base.named(name).outline.polygon(CHORD_MM)
    ring.flags.writeable = False
    return ring


def _box_middle(ring: Floats) -> tuple[float, float]:
    x, y = (ring.max(axis=0) + ring.min(axis=0)) / 2
    return float(x), float(y)


def _turned(ring: Floats, deg: float) -> Floats:
    return Pose.at(0, 0, turn=deg).apply(np.column_stack([ring, np.zeros(len(ring))]))[:, :2]


def _notch_like(ring: Floats, about: tuple[float, float]) -> list[tuple[float, float, float]]:
    wide, deep = NOTCH_LIKE_MM
    return [found for found in pockets(ring, about=about) if found[1] >= wide and found[2] >= deep]


def _notches_of(hollows: list[float], turned: float) -> tuple[str, ...]:
    """The sides, in the order of their names, on which an outline falls back like a notch, its front turned so far."""
    return tuple(
        side
        for side, facing in SIDES.items()
        if any(abs((direction - turned - facing + 180) % 360 - 180) < NOTCH_AIM_DEG for direction in hollows)
    )


# --- its thickness ----------------------------------------------------------------------------------------------------


def _thickness(solid: Solid, ring: Floats) -> float | None:
    """How high the walls follow the rim of the underside, whatever stands on the base; None where they do not at all.

    At each height the mesh is cut; as long as half of the rim has a cut near it, the height is within the base.
    """
    corners = solid.vertices[solid.faces]
    lowest, highest = float(corners[:, :, 2].min()), float(corners[:, :, 2].max())
    rim = ring[np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1) > 0]
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)

    places = spread_along(rim, RIM_PLACES)

    def within(z: float) -> bool:
        cut = _cut(corners[(low <= lowest + z) & (high > lowest + z)], lowest + z)
        return coverage(places, cut, within_mm=min(BEVEL_MM + LEAN * z, MOST_LEAN_MM)) >= RIM_SHARE

    step = max(RIM_STEP_MM, (highest - lowest) / MOST_STEPS)
    inside, outside = 0.0, min(UNDERSIDE_MM, (highest - lowest) / 2)
    if not within(outside):
        return None
    while outside < highest - lowest and within(outside):
        inside, outside = outside, outside + step
    outside = min(outside, highest - lowest)
    if inside < outside and within(outside):
        return outside
    tops = np.unique(corners[:, :, 2]) - lowest + RIM_EXACT_MM / 2  # mostly it ends where corners are
    tops = tops[(tops > inside) & (tops < outside)]
    while len(tops) and outside - inside > RIM_EXACT_MM:
        middle = len(tops) // 2
        if within(float(tops[middle])):
            inside, tops = float(tops[middle]), tops[middle + 1 :]
        else:
            outside, tops = float(tops[middle]), tops[:middle]
    if outside - RIM_EXACT_MM > inside and within(outside - RIM_EXACT_MM):
        return outside
    while outside - inside > RIM_EXACT_MM:
        middle_mm = (inside + outside) / 2
        inside, outside = (middle_mm, outside) if within(middle_mm) else (inside, middle_mm)
    return outside


def _cut(corners: Floats, z: float) -> Floats:
    """The segments (m, 2, 2) in which triangles (m, 3, 3) that reach from z or below to above it meet the level z."""
    tip, left, right = _lone_first(corners, z)
    ends = []
    for other in (left, right):
        share = (z - tip[:, 2]) / (other[:, 2] - tip[:, 2])
        ends.append(tip[:, :2] + share[:, None] * (other[:, :2] - tip[:, :2]))
    cut: Floats = np.stack(ends, axis=1)
    return cut


def _lone_first(corners: Floats, z: float) -> tuple[Floats, Floats, Floats]:
    """The corners of triangles that the level z parts: first the one that is alone on its side, the others in turn."""
    below = corners[:, :, 2] <= z
    lone = np.where(below.sum(axis=1) == 1, np.argmax(below, axis=1), np.argmin(below, axis=1))
    rows = np.arange(len(corners))
    return corners[rows, lone], corners[rows, (lone + 1) % 3], corners[rows, (lone + 2) % 3]
