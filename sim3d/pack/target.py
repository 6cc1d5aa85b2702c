"""What the programs ask for in which a pack is to be used: formats, units, and how many corners they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim3d.finding import Hit, Severity, check
from sim3d.pack.shape import Subject
from sim3d.solid.boolean import NotManifold, hull


@dataclass(frozen=True, slots=True)
class Limit:
    """What one program takes; 0: no limit is known."""

    called: str
    formats: tuple[str, ...]
    vertices: int = 0
    hull_polygons: int = 0  # of a collider
    unit: str = ""  # of a format without one


TARGETS = {
    "tts": Limit("Tabletop Simulator", ("obj",), vertices=25_000),
    "tabletopia": Limit("Tabletopia", ("obj",), vertices=30_000, hull_polygons=255, unit="cm"),
    "foundry": Limit("Foundry VTT", ("glb", "gltf")),
}
FOUNDRY_FILE = "module.json"


@check("TARGET_FORMAT", Severity.WARNING, "{target} does not take {kind}; it takes {formats}")
def target_format(s: Subject, target: Limit) -> Iterator[Hit]:
    """The piece is in a format that the program does not load.

    Why: players cannot load it. Example: an STL for Tabletop Simulator, which takes OBJ.
    Do: export the piece in a format that the message names.
    """
    kind = s.solid.source.format.split()[0]
    if kind not in target.formats:
        yield Hit(target=target.called, kind=kind.upper(), formats=" or ".join(f.upper() for f in target.formats))


@check("TARGET_VERTICES", Severity.WARNING, "{found} corners; {target} takes {limit} at most")
def target_vertices(s: Subject, target: Limit) -> Iterator[Hit]:
    """The mesh has more corners than the program takes.

    Why: it is cut off, refused or slow. Example: a sculpted hill of 50,000 corners.
    Do: decimate the mesh, or split the piece.
    """
    found = len(s.solid.vertices)
    if target.vertices and found > target.vertices:
        yield Hit(found=found, target=target.called, limit=target.vertices)


@check(
    "TARGET_UNIT", Severity.WARNING, "{target} reads one unit as 1 {unit}: the piece comes out {times:g} times as large"
)
def target_unit(s: Subject, target: Limit) -> Iterator[Hit]:
    """The program takes the numbers of the mesh for another unit than the pack does.

    Why: the piece is ten times too large there. Example: an OBJ in millimetres for Tabletopia, where 1 is 1 cm.
    Do: export the pieces for this program in its unit, and declare it.
    """
    kind, unit = s.solid.source.format.split()[0], s.solid.source.unit
    if target.unit and kind in target.formats and unit != target.unit:
        from sim3d.solid.soup import MM_PER

        yield Hit(target=target.called, unit=target.unit, times=MM_PER[target.unit] / MM_PER[unit])


@check("TARGET_COLLIDER", Severity.WARNING, "its hull has {found} polygons; {target} takes fewer than {limit}")
def target_collider(s: Subject, target: Limit) -> Iterator[Hit]:
    """A collider has a hull of more polygons than the program takes.

    Why: the program refuses it or takes a box instead. Example: a ball of 2,000 triangles as a collider.
    Do: give the piece a simpler collider.
    """
    if s.role != "collider" or not target.hull_polygons:
        return
    try:
        found = len(hull(s.solid.vertices)[1])
    except NotManifold:
        return  # a flat sheet has no hull
    if found >= target.hull_polygons:
        yield Hit(found=found, target=target.called, limit=target.hull_polygons)


@check("TARGET_MODULE_FILE", Severity.WARNING, "{target} needs a {file} in the pack's folder")
def target_module_file(there: bool, target: Limit) -> Iterator[Hit]:
    """A file that the program needs beside the pieces is not there.

    Why: the pack cannot be installed. Example: a module for Foundry without its module.json.
    Do: write the file, as the program's own documentation says.
    """
    if not there:
        yield Hit(target=target.called, file=FOUNDRY_FILE)


TARGETED = (target_format, target_vertices, target_unit, target_collider)
