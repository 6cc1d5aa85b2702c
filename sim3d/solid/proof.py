"""From triangles to a proven surface: every fault at once, nothing altered silently.

What cannot be trusted is an error: corners that are no numbers, indices out of range, a mesh so far out that its
detail is
lost. What can be used is used: copies and slivers are left out and counted, seams are joined and said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim3d.finding import Finding, Hit, Place, Report, Severity, check, run
from sim3d.solid.soup import NOWHERE, as_written
from sim3d.solid.survey import Edges, duplicates, edges_of, heights_of, near_corners, same_corners
from sim3d.space import SAME_VERTEX_MM, Floats, Ints

WORLD_MM = 1e6  # a kilometre: no table is that large, and a corner beyond is a broken number
DETAIL_MM = 0.01  # a tenth of a print layer: the coarsest step of float32 that loses no terrain
FINE_MM = 2.0**16  # within this float32 keeps steps of less than that
SMALLEST_MM, LARGEST_MM = 3.0, 3000.0  # the longest side of a piece of terrain or a base, a whole board included
FLAT_MM = SAME_VERTEX_MM  # thinner than this is a sheet


@dataclass(frozen=True, slots=True)
class Proven:
    """A surface without faults: `slivers` have no area and are no surface, but close it."""

    vertices: Floats
    faces: Ints
    slivers: Ints
    edges: Edges  # of faces and slivers together
    left_out: dict[str, int]
    degenerate: int
    duplicate: int
    findings: tuple[Finding, ...]


@check(
    "MESH_NOT_FINITE",
    Severity.ERROR,
    "{count} of {corners} corners [is no number|are not numbers]: {nans} NaN, {infs} infinite",
)
def not_finite(vertices: Floats, faces: Ints, single: bool) -> Iterator[Hit]:
    """Corners have NaN or infinite coordinates.

    Why: such triangles vanish or reach everywhere; the terrain has holes that nobody sees.
    Example: an exporter that divided by zero. Do: repair the mesh in the program it came from, and export it again.
    """
    if np.isfinite(vertices).all():
        return
    wrong = ~np.isfinite(vertices).all(axis=1)
    if wrong.any():
        nans = int(np.isnan(vertices).any(axis=1).sum())
        first = int(np.flatnonzero(wrong)[0])
        yield Hit(count=int(wrong.sum()), corners=len(vertices), nans=nans, infs=int(wrong.sum()) - nans, first=first)


@check(
    "MESH_INDEX_RANGE",
    Severity.ERROR,
    "{count} [triangle uses|triangles use] corners that do not exist: {worst}, of {corners}",
)
def index_range(vertices: Floats, faces: Ints, single: bool) -> Iterator[Hit]:
    """Triangles refer to corners outside the list of corners.

    Why: physics engines take such a mesh without a word, and it collides with nothing.
    Example: an OBJ with four corners and a face "1 2 9". Do: export the mesh again, from another program.
    """
    if not len(faces) or (faces.min() >= 0 and faces.max() < len(vertices)):
        return
    wrong = ((faces < 0) | (faces >= len(vertices))).any(axis=1)
    if wrong.any():
        high, low = int(faces.max()), int(faces.min())
        number = as_written(high if high >= len(vertices) else low)
        worst = f"index {number}, counted from 0"  # as PLY, OFF, glTF and 3MF count; an OBJ tells its own
        if abs(number) >= NOWHERE - 1:  # larger ones were made as large as this
            worst = "a number of nineteen digits or more"
        yield Hit(count=int(wrong.sum()), worst=worst, corners=len(vertices))


@check(
    "MESH_OUTLIER",
    Severity.ERROR,
    "{count} [corner lies|corners lie] more than a kilometre out (the farthest {far_mm:.3g} mm), the others do not",
)
def outlier(vertices: Floats, faces: Ints, single: bool) -> Iterator[Hit]:
    """A few corners are absurdly far away from the rest.

    Why: they are broken numbers, and their triangles cross the whole table. Example: one corner at 1e30.
    Do: delete those corners in the program it came from, and export it again.
    """
    if _all_within(vertices, WORLD_MM):
        return
    reach = _reach(vertices)
    vertices = vertices[np.isfinite(vertices).all(axis=1)]
    out = np.flatnonzero(reach > WORLD_MM)
    if len(out) and _middle(reach) <= WORLD_MM:
        places = [_place(vertices[i], float(reach[i])) for i in out[np.argsort(-reach[out])][:5]]
        yield Hit(count=len(out), far_mm=float(reach[out].max()), places=places)


@check(
    "MESH_FAR_OFF",
    Severity.ERROR,
    "{reach_mm:.6g} mm from the origin: {why}; move it to the origin and export it again",
)
def far_off(vertices: Floats, faces: Ints, single: bool) -> Iterator[Hit]:
    """The whole mesh lies so far from the origin that its detail is lost, or that its numbers cannot be meant.

    Why: most files keep seven digits; 5 km out, steps are half a millimetre and flat ledges become stairs.
    Example: terrain exported in map coordinates. Do: centre the model at the origin before exporting; check the unit.
    """
    if _all_within(vertices, FINE_MM if single else WORLD_MM):
        return
    reach = _reach(vertices)
    if not len(reach):
        return
    far = _middle(reach)
    step = float(np.spacing(np.float32(min(far, 1e30))))
    if single and step > DETAIL_MM:
        yield Hit(reach_mm=far, why=f"there float32 keeps steps of {step:.3g} mm only", step_mm=step)
    elif far > WORLD_MM:
        yield Hit(reach_mm=far, why="more than a kilometre")


def _all_within(vertices: Floats, far_mm: float) -> bool:
    """No corner is farther out, and all are numbers: the quick answer for almost every mesh."""
    return not len(vertices) or bool(vertices.max() <= far_mm and vertices.min() >= -far_mm)


def _reach(vertices: Floats) -> Floats:
    """How far out each corner is, along its farthest axis; corners that are no numbers are left aside."""
    x, y, z = (np.abs(vertices[:, k]) for k in range(3))  # columns: several times as fast as rows
    reach: Floats = np.maximum(np.maximum(x, y), z)  # of what is no number it makes none
    return reach[np.isfinite(reach)]


def _middle(reach: Floats) -> float:
    return float(np.median(reach)) if len(reach) else 0.0


@check("MESH_EMPTY", Severity.ERROR, "no triangle {why}")
def no_triangle(faces: Ints, left_out: dict[str, int]) -> Iterator[Hit]:
    """No usable triangle is in the file.

    Why: a mini would fall through it. Example: an export of an empty selection, or of points and lines only.
    Do: look at the model in the program it came from, select it, and export it again.
    """
    if not len(faces):
        why = ", ".join(f"{n} {reason}" for reason, n in left_out.items() if n)
        yield Hit(why=f"is usable: {why} left out" if why else "in the file")


@check(
    "MESH_DEGENERATE",
    Severity.INFO,
    "{count} [triangle without area was|triangles without area were] left out of the surface",
)
def degenerate(proven: Proven) -> Iterator[Hit]:
    """Triangles whose corners lie on one line, or coincide.

    Why: they have no area and no normal, so nothing can rest on them; the surface is the same without.
    Example: the thin triangles that a decimation leaves behind. Do: nothing, or clean the mesh.
    """
    if proven.degenerate:
        yield Hit(count=proven.degenerate)


@check("MESH_DUPLICATE", Severity.INFO, "{count} [triangle is a copy|triangles are copies]; left out: {left_out}")
def duplicate(proven: Proven) -> Iterator[Hit]:
    """Triangles that repeat another one exactly.

    Why: the surface is the same without them. Example: a part that was pasted twice at the same place.
    Do: nothing, or remove doubles in the program it came from.
    """
    if proven.duplicate:
        yield Hit(count=proven.duplicate, left_out=proven.left_out.get("duplicate", 0))


@check("MESH_OPEN", Severity.INFO, "{count} open [edge|edges], {length_mm:.1f} mm in all: the surface has a border")
def open_edges(proven: Proven) -> Iterator[Hit]:
    """The surface has edges that only one triangle uses: holes, or a sheet without thickness.

    Why: it can be stood upon all the same, but it has no inside, so no volume or centre of mass.
    Example: a hill without a bottom. Do: nothing for terrain that stays put; close the holes to have its mass computed.
    """
    which = proven.edges.open
    if len(which):
        ends = proven.vertices[proven.edges.ends[which]]
        length = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        yield Hit(count=len(which), length_mm=float(length.sum()), places=_places(ends, length))


@check("MESH_NONMANIFOLD", Severity.INFO, "{count} [edge is|edges are] used by more than two triangles")
def crowded_edges(proven: Proven) -> Iterator[Hit]:
    """Edges where more than two triangles meet.

    Why: two parts touch along an edge there, or a wall has no thickness; the surface can be used, slicers may complain.
    Example: two boxes that share an edge. Do: nothing, or let the parts overlap a little.
    """
    which = proven.edges.crowded
    if len(which):
        ends = proven.vertices[proven.edges.ends[which]]
        yield Hit(count=len(which), places=_places(ends, np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)))


@check(
    "MESH_WINDING_MIXED",
    Severity.WARNING,
    "{count} [edge|edges] where neighbouring triangles disagree which side is outside",
)
def mixed_winding(proven: Proven) -> Iterator[Hit]:
    """Neighbouring triangles are wound in opposite ways.

    Why: which side is outside cannot be told there, so there is no volume, and one-sided engines let things through.
    Example: a face flipped by hand. Do: recalculate the normals outside in the program it came from.
    """
    which = proven.edges.miswound
    if len(which):
        ends = proven.vertices[proven.edges.ends[which]]
        yield Hit(count=len(which), places=_places(ends, np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)))


def _place(point: Floats, size: float) -> Place:
    return Place(float(point[0]), float(point[1]), float(point[2]), size)


def _places(ends: Floats, length: Floats) -> list[Place]:
    longest = np.argsort(-length, kind="stable")[:5]
    return [_place(ends[i].mean(axis=0), float(length[i])) for i in longest]


@check("MESH_FLAT", Severity.WARNING, "all corners lie in one plane {which}: a sheet without thickness")
def flat(proven: Proven) -> Iterator[Hit]:
    """The whole mesh is flat.

    Why: a mini can stand on a level sheet, but a terrain that was meant to be a body has lost its height.
    Example: an export with the height scaled to zero. Do: if it is no mat or floor, export it again.
    """
    low, high = proven.vertices.min(axis=0), proven.vertices.max(axis=0)
    if (high - low).min() <= FLAT_MM:
        yield Hit(which=f"across {'xyz'[int((high - low).argmin())]}")
        return
    apart = proven.vertices - (low + high) / 2
    _, across = np.linalg.eigh(apart.T @ apart)  # the way in which they spread least
    spread = apart @ across[:, 0]
    # A tilted sheet in float32 is not quite flat.
    rounding = 4 * float(np.spacing(np.float32(np.abs([low, high]).max())))
    if np.ptp(spread) <= max(FLAT_MM, rounding):
        x, y, z = (round(float(v), 3) + 0.0 for v in across[:, 0] * (1 if across[2, 0] >= 0 else -1))
        yield Hit(which=f"with normal ({x:g}, {y:g}, {z:g})")


@check("MESH_TINY", Severity.WARNING, "its longest side is {longest_mm:.3g} mm: the file is probably in {likely}")
def tiny(proven: Proven) -> Iterator[Hit]:
    """Far too small for terrain or a base: probably another unit than was read.

    Why: most formats state no unit, and a wrong one makes a mini stand on a crumb. Example: a 2 m table read as 2 mm.
    Do: say the unit when reading, or export in millimetres. Nothing was rescaled.
    """
    longest = float(np.ptp(proven.vertices, axis=0).max())
    if longest < SMALLEST_MM:
        likely = "metres" if longest * 25.4 < SMALLEST_MM * 5 else "inches or metres"
        yield Hit(longest_mm=longest, likely=likely)


@check("MESH_HUGE", Severity.WARNING, "its longest side is {longest_mm:.6g} mm: the file is probably in {likely}")
def huge(proven: Proven) -> Iterator[Hit]:
    """Far too large for a table: probably another unit than was read.

    Why: a wrong unit makes every ledge a plain. Example: a 60 mm hill in a glTF that was exported without scaling,
    read as 60 m.
    Do: say the unit when reading, or export in the unit of the format. Nothing was rescaled.
    """
    longest = float(np.ptp(proven.vertices, axis=0).max())
    if longest > LARGEST_MM:
        yield Hit(
            longest_mm=longest, likely="a smaller unit: micrometres, or millimetres that were read as metres or inches"
        )


@check(
    "MESH_SEAMS_JOINED",
    Severity.INFO,
    "{count} [corner|corners] within {within_mm} mm of another [was|were] taken for the same corner",
)
def seams_joined(count: int) -> Iterator[Hit]:
    """Corners that differ by rounding only were taken for one.

    Why: a text file rounds its numbers, and the surface would have cracks too thin to see.
    Example: an ASCII STL with seven digits. Do: nothing; the corners moved by less than a hundred-thousandth of a
    millimetre.
    """
    if count:
        yield Hit(count=count, within_mm=SAME_VERTEX_MM)


@check(
    "MESH_UNUSED_CORNERS",
    Severity.INFO,
    "{count} [corner belongs to no triangle and was|corners belong to no triangle and were] left out",
)
def unused_corners(count: int) -> Iterator[Hit]:
    """The file lists corners that no triangle uses.

    Why: they are no surface. Example: the points of a deleted part. Do: nothing.
    """
    if count:
        yield Hit(count=count)


TRUST = (not_finite, index_range, outlier, far_off)  # what makes a mesh unusable
LOOK = (degenerate, duplicate, open_edges, crowded_edges, mixed_winding, flat, tiny, huge)  # what is worth knowing


def distrust(vertices: Floats, faces: Ints, *, single: bool, file: str = "") -> Report:
    """Every reason not to trust these triangles; empty is yes."""
    return run(TRUST, vertices, faces, single, file=file)


def prove(vertices: Floats, faces: Ints, *, left_out: dict[str, int], file: str = "") -> Proven:
    """The surface of trusted triangles, in the order of the file."""
    keep, became = same_corners(vertices)
    vertices, faces = vertices[keep], became[faces]
    sound = _without_points(faces)
    edges = edges_of(sound, len(vertices))
    joined = 0
    border = np.zeros(len(vertices), dtype=bool)
    border[edges.ends[edges.open]] = True
    seams = near_corners(vertices, np.flatnonzero(border)) if border.any() else None
    if seams is not None:
        tried = _without_points(seams[faces])
        better = edges_of(tried, len(vertices))
        if len(better.open) < len(edges.open):
            joined = int((seams != np.arange(len(seams))).sum())
            sound, edges = tried, better
    points = len(faces) - len(sound)
    sound, edges, copies, dropped = _without_copies(sound, edges, len(vertices))
    _, height = heights_of(vertices, sound)
    thin = height < SAME_VERTEX_MM
    surface, slivers = sound[~thin], sound[thin]
    lost = {"degenerate": points + len(slivers), "duplicate": dropped}
    if len(slivers):
        edges, slivers = _with_slivers(surface, slivers, len(vertices))
    vertices, (surface, slivers), edges, unused = _without_unused(vertices, surface, slivers, edges)
    left_out = left_out | {reason: n for reason, n in lost.items() if n}
    findings = seams_joined(joined, file=file) + unused_corners(unused - joined, file=file)
    proven = Proven(vertices, surface, slivers, edges, left_out, lost["degenerate"], copies, findings)
    empty = no_triangle(surface, left_out, file=file)
    looked = empty or run(LOOK, proven, file=file).findings
    return Proven(vertices, surface, slivers, edges, left_out, lost["degenerate"], copies, findings + tuple(looked))


def _without_points(faces: Ints) -> Ints:
    """Without triangles that use a corner twice; no edge is lost with them, for they use it both ways."""
    a, b, c = faces.T
    kept: Ints = faces[(a != b) & (b != c) & (c != a)]
    return kept


def _without_copies(faces: Ints, edges: Edges, corners: int) -> tuple[Ints, Edges, int, int]:
    """Without repeated triangles, unless that would open the surface: two parts may share a face and need it each."""
    again = duplicates(faces)
    if not len(again):
        return faces, edges, 0, 0
    single = np.delete(faces, again, axis=0)
    after = edges_of(single, corners)
    if np.count_nonzero(after.uses % 2) > np.count_nonzero(edges.uses % 2):
        return faces, edges, len(again), 0
    return single, after, len(again), len(again)


def _with_slivers(surface: Ints, slivers: Ints, corners: int) -> tuple[Edges, Ints]:
    """The edges with the slivers that close the surface; or without them, where they only lie about."""
    without = edges_of(surface, corners)
    with_them = edges_of(np.concatenate([surface, slivers]), corners)
    if np.count_nonzero(with_them.uses % 2) < np.count_nonzero(without.uses % 2):
        return with_them, slivers
    return without, slivers[:0]


def _without_unused(
    vertices: Floats, surface: Ints, slivers: Ints, edges: Edges
) -> tuple[Floats, tuple[Ints, Ints], Edges, int]:
    used = np.zeros(len(vertices), dtype=bool)
    used[surface] = True
    used[slivers] = True
    unused = int(len(vertices) - used.sum())
    if not unused:
        return vertices, (surface, slivers), edges, 0
    place = np.cumsum(used) - 1
    edges = Edges(place[edges.ends], edges.uses, edges.forward, edges.of_half)
    return vertices[used], (place[surface], place[slivers]), edges, unused
