"""A scene in a window: the table and its minis as meshes, and every mark that explains why a mini stands or does not.

What is already there in the same place is left alone, so that only what changes is sent. A mini that is asked about is
seen through, with its contacts, forces, support and centre of mass; marks cast no shadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from sim3d.atlas import Atlas
from sim3d.space import Floats, Ints, Pose
from sim3d.table import Table
from sim3d.view.hexmarks import marks_of, washes_of
from sim3d.view.picture import BASE, STONE, Colour, Shape, bounds_of
from sim3d.view.plainer import plainer
from sim3d.view.props import Mesh, arrow, bead, draped, flat, joined, plate, rod, shaded
from sim3d.view.scene import Area, Figure, Line, Map, Point3, Scene
from sim3d.view.standing_map import colours_of
from sim3d.view.tableau import COLOURS, ground_of

Rgba = tuple[float, float, float, float]

MARK = 0.99  # a mark is all but opaque: what is opaque casts a shadow
GHOST = 0.42  # a mini that is asked about: its marks are seen through it
FORCE: Colour = (0.86, 0.22, 0.20)  # a push of the terrain
WEIGHT: Colour = (0.16, 0.32, 0.68)  # the centre of mass, and the point below it
SUPPORT: Colour = (0.10, 0.52, 0.40)  # the hull of what carries
STUDIO: Colour = (0.93, 0.94, 0.95)  # the floor that everything lies on, as light as the sky behind
STUDIO_SHARE = 8.0  # of the width of all there is: the studio's floor
UNDER_MM = 0.3  # it lies so much under the lowest of it
OVER_MM = 0.35  # marks lie this much over what they mark
SHADES = 6  # of green in a standing map: each is a mesh of its own
LAMP = (0.45, -0.75, 1.15)  # where the lamp hangs, in widths of what there is
MOST_LAMP_MM = 1500.0  # Bullet's shadows reach twice as far


class Drawing(Protocol):
    """What a stage needs of a window: things by name, in mm."""

    def mesh(self, name: str, corners: Floats, faces: Ints, normals: Floats, colour: Rgba, pose: Pose = ...) -> None:
        """A mesh under a name, instead of what had it."""

    def move(self, name: str, pose: Pose) -> None:
        """Elsewhere."""

    def paint(self, name: str, colour: Rgba) -> None:
        """In another colour."""

    def drop(self, name: str) -> None:
        """Away, if it is there."""

    def light(self, place: Point3, wide_mm: float) -> None:
        """The lamp, and how wide its shadows reach."""


class Stage:
    """What is drawn of a scene, and how to change it."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.pieces: object = None  # of the table that is drawn
        self.terrain = np.zeros((0, 3, 3))
        self.bounds = np.array([[-50.0, -50.0, 0.0], [50.0, 50.0, 50.0]])
        self.figures: dict[str, Figure] = {}
        self.marks: dict[str, set[str]] = {}  # names of meshes by the layer they belong to

    def clear(self) -> None:
        """Nothing is drawn any more, except that the next table draws itself."""
        for layer in list(self.marks):
            self.unmark(layer)
        for name in list(self.figures):
            self._without(name)
        self.pieces = None

    # --- the table ----------------------------------------------------------------------------------------------------

    def table(self, scene: Scene) -> None:
        """Terrain and ground, if they are not there yet; dense meshes simplified, as on the page."""
        table = scene.table
        if self.pieces is table.pieces:
            return
        self.unmark("table")
        ground = ground_of(scene)
        shapes = [*_plain(table), *([] if ground is None else [ground])]
        self.pieces = table.pieces
        soups = [shape.vertices[shape.faces] for shape in shapes]
        self.terrain = np.concatenate([np.zeros((0, 3, 3)), *soups])
        if shapes:
            self.bounds = bounds_of(shapes)
        for number, (colour, same) in enumerate(_by_colour(shapes)):
            self._mesh("table", f"{number}", joined(same), (*colour, 1.0), smooth=True)
        low, high = self.bounds
        wide = float((high - low)[:2].max())
        x, y = ((low + high) / 2)[:2].tolist()
        half, z = STUDIO_SHARE * wide, float(low[2]) - UNDER_MM
        if table.size_mm is None and table.floor_mm is not None:  # a floor without an end: what falls off lands on it
            z = table.floor_mm - UNDER_MM
        ring = np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])
        self._mesh("table", "studio", flat([ring], z), (*STUDIO, 1.0))
        reach = min(wide, MOST_LAMP_MM)
        a, b, c = LAMP
        self.drawing.light((x + a * reach, y + b * reach, z + c * reach), 1.3 * wide)

    def everything(self) -> Floats:
        """The lowest and the highest corner of all that is drawn: a table may be no more than its minis."""
        known = [f.pose.apply(shape.vertices) for f in self.figures.values() for shape in f.shapes()]
        there = [self.bounds] if len(self.terrain) or not known else []
        points = np.concatenate([*there, *known])
        return np.array([points.min(axis=0), points.max(axis=0)])

    # --- minis --------------------------------------------------------------------------------------------------------

    def scene(self, scene: Scene) -> None:
        """The table and its minis; those that are gone go."""
        self.table(scene)
        for name in self.figures.keys() - {figure.name for figure in scene.figures}:
            self._without(name)
        for figure in scene.figures:
            self.figure(figure)

    def figure(self, figure: Figure, *, clear: bool = False) -> None:
        """One mini where it is; with `clear`, seen through."""
        old = self.figures.get(figure.name)
        names = (f"{figure.name}/base", f"{figure.name}/body")
        paints = (_rgba(BASE, clear), _rgba(figure.colour, clear or not figure.rests))
        if old is not None and old.mini is figure.mini:
            for name, paint in zip(names, paints, strict=True):
                self.drawing.move(name, figure.pose)
                self.drawing.paint(name, paint)
        else:
            for name, shape, paint in zip(names, figure.shapes(), paints, strict=True):
                self.drawing.mesh(name, *shaded(shape.vertices, shape.faces), paint, figure.pose)
        self.figures[figure.name] = figure

    def solid(self, name: str) -> None:
        """A mini that is seen through no more, and casts its shadow."""
        self.figure(self.figures[name])

    def pose(self, name: str, pose: Pose) -> None:
        """A mini on its way."""
        for part in ("base", "body"):
            self.drawing.move(f"{name}/{part}", pose)

    def _without(self, name: str) -> None:
        for part in ("base", "body"):
            self.drawing.drop(f"{name}/{part}")
        self.figures.pop(name, None)

    # --- marks --------------------------------------------------------------------------------------------------------

    def unmark(self, layer: str) -> None:
        """Away with a layer of marks."""
        for name in self.marks.pop(layer, ()):
            self.drawing.drop(name)

    def forces(self, figure: Figure) -> None:
        """Why it stands: contacts with their pushes, the support, the centre of mass and the point below it."""
        self.unmark("forces")
        if figure.stand is None:
            return
        thick = max(0.7, figure.mini.base.outline.reach_mm() / 16)
        arrows = [arrow(force.place, force.tip, thick) for force in figure.forces]
        beads = [bead(force.place, 0.8 * thick) for force in figure.forces]
        self._mesh("forces", "pushes", joined([*arrows, *beads]), (*FORCE, MARK))
        com, below = figure.com, figure.ground_point
        line = joined([bead(com, 1.6 * thick), rod((com, below), 0.4 * thick), bead(below, 1.1 * thick)])
        self._mesh("forces", "weight", line, (*WEIGHT, MARK))
        if len(figure.support) > 2:
            self._mesh("forces", "support", plate(_lifted(figure.support, -0.05)), (*SUPPORT, 0.45))
            ring = (*figure.support, figure.support[0])
            self._mesh("forces", "border", rod(ring, 0.5 * thick), (*SUPPORT, MARK))

    def overlay(self, layer: str, scene: Scene) -> None:
        """All that a scene has in a layer: areas, lines, hexes, maps."""
        self.unmark(layer)
        alike: dict[Rgba, list[Mesh]] = {}
        for area in scene.areas:
            if area.layer == layer:
                alike.setdefault((*area.colour, area.alpha), []).append(self._area(area))
        for number, (paint, meshes) in enumerate(alike.items()):
            self._mesh(layer, f"areas {number}", joined(meshes), paint)
        for number, line in enumerate(one for one in scene.lines if one.layer == layer):
            self._line(layer, f"line {number}", line)
        if layer == "hexes":
            for name, mesh, colour in marks_of(scene.hexes):
                self._mesh(layer, name, mesh, (*colour, MARK))
            for number, (mesh, colour) in enumerate(washes_of(scene.hexes)):
                self._mesh(layer, f"wash {number}", mesh, (*colour, 0.35))
        if layer == "map" and scene.maps:
            for number, (colour, mesh) in enumerate(_cells(scene.maps[0])):
                self._mesh(layer, f"cells {number}", mesh, (*colour, 0.72))

    def _area(self, area: Area) -> Mesh:
        if area.height_mm is not None:
            return flat(area.rings, area.height_mm)
        return draped(area.rings, self.terrain, OVER_MM)

    def _line(self, layer: str, name: str, line: Line) -> None:
        self._mesh(layer, name, rod(line.points, 1.6), (*line.colour, MARK))
        self._mesh(layer, f"{name} end", bead(line.points[-1], 2.4), (*line.colour, MARK))

    def _mesh(self, layer: str, name: str, mesh: Mesh, colour: Rgba, *, smooth: bool = True) -> None:
        whole = f"{layer}: {name}"
        if len(mesh[1]):
            self.drawing.mesh(whole, *shaded(*mesh, smooth=smooth), colour)
            self.marks.setdefault(layer, set()).add(whole)


def layers_of(scene: Scene) -> tuple[str, ...]:
    """The layers a scene has something in, besides forces."""
    found = [a.layer for a in scene.areas] + [line.layer for line in scene.lines]
    found += ["hexes"] if scene.hexes else []
    found += ["map"] if scene.maps else []
    return tuple(dict.fromkeys(found))


def _plain(table: Table) -> Iterator[Shape]:
    """The terrain by its materials; a solid that stands there twice is simplified once."""
    solids = list({id(piece.solid): piece.solid for piece in table.pieces}.values())
    meshes, _ = plainer(solids)
    found = {id(solid): mesh for solid, mesh in zip(solids, meshes, strict=True)}
    for piece in table.pieces:
        corners, faces = found[id(piece.solid)]
        yield Shape(piece.pose.apply(corners * piece.scale), faces, colour=COLOURS.get(piece.material, STONE))


def _by_colour(shapes: Sequence[Shape]) -> Iterator[tuple[Colour, list[Mesh]]]:
    """Shapes of one colour together: a window counts its meshes, not their triangles."""
    same: dict[Colour, list[Mesh]] = {}
    for shape in shapes:
        same.setdefault(shape.colour, []).append((shape.vertices, shape.faces.astype(np.int64)))
    yield from same.items()


def _rgba(colour: Colour, clear: bool) -> Rgba:
    return (*colour, GHOST if clear else 1.0)


def _lifted(points: Sequence[Point3], by_mm: float) -> list[Point3]:
    return [(x, y, z + by_mm) for x, y, z in points]


def _cells(shown: Map) -> Iterator[tuple[Colour, Mesh]]:
    """The cells of a standing map on the ground, a mesh for every colour."""
    atlas: Atlas = shown.atlas
    layer = atlas.layers[shown.layer]
    z = layer.numbers[:, :, 7]
    x, y = np.meshgrid(atlas.xs(), atlas.ys())
    painted = colours_of(layer).astype(np.int64)
    stable = painted // (256 // SHADES) * (256 // SHADES)
    known = np.isfinite(z)
    half = 0.48 * atlas.pitch_mm
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    for colour in np.unique(stable[known], axis=0):
        mine = known & (stable == colour).all(axis=2)
        middles = np.column_stack([x[mine], y[mine]])
        corners = (middles[:, None] + square).reshape(-1, 2)
        high = np.repeat(z[mine] + OVER_MM, 4)
        first = 4 * np.arange(len(middles))[:, None]
        faces = np.vstack([first + np.array(corner) for corner in ((0, 1, 2), (0, 2, 3))]).astype(np.int64)
        r, g, b = (painted[mine].mean(axis=0) / 255).tolist()
        yield (r, g, b), (np.column_stack([corners, high]), faces)
