"""A table as shapes: terrain by material, bases and bodies, the ground to its edge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim3d.space import Pose
from sim3d.table import Placed, Table
from sim3d.view.picture import (
    BASE,
    BONE,
    EARTH,
    FELT,
    METAL,
    RUST,
    SAND,
    STONE,
    WOOD,
    Shape,
    bounds_of,
)
from sim3d.view.scene import Scene, cylinder_of

COLOURS = {
    "grip": STONE,
    "resin": STONE,
    "pla": SAND,
    "mdf": WOOD,
    "felt": FELT,
    "foam": EARTH,
    "metal": METAL,
    "rust": RUST,
}
GROUND_MM = 12.0  # the ground is drawn as a slab, so that it has an edge
GROUND_SHARE = 0.25  # of its width at most: under the smallest things a slab, not a pillar
AROUND = 0.15  # ground drawn around terrain that stands on no table, as a share of its size


def shapes_of(table: Table) -> list[Shape]:
    """Everything on the table, ground first; minis stand upright where they are put, at the height of the ground."""
    shapes = [shape for _, shape in shapes_of_pieces(table)]
    for placed in table.minis:
        shapes += mini_shapes(placed, Pose.at(*placed.at, table.floor_mm or 0.0, turn=placed.turn))
    ground = _ground(table, shapes)
    return shapes if ground is None else [ground, *shapes]


def shapes_of_pieces(table: Table) -> list[tuple[str, Shape]]:
    """The terrain alone, each piece under its name."""
    return [
        (p.name, Shape(p.vertices(), p.solid.faces, colour=COLOURS.get(p.material, STONE), grain=0.10))
        for p in table.pieces
    ]


def ground_of(scene: Scene) -> Shape | None:
    """The slab that everything stands on, as far as a board of hexes goes; None where a table has no floor."""
    table = scene.table
    if table.size_mm is None and scene.hexes:
        far = 1.05 * np.abs([corner for cell in scene.hexes for corner in cell.corners]).max(axis=0)
        table = replace(table, size_mm=(2 * float(far[0]), 2 * float(far[1])))
    return _ground(table, shapes_of(replace(table, floor_mm=None)))


def mini_shapes(placed: Placed, pose: Pose) -> list[Shape]:
    """The base and the body of one mini at a pose."""
    vertices, faces = placed.mini.base.mesh(chord_mm=0.05)
    body_v, body_f = placed.mini.body.mesh or cylinder_of(placed.mini)
    return [Shape(pose.apply(vertices), faces, colour=BASE), Shape(pose.apply(body_v), body_f, colour=BONE)]


def _ground(table: Table, shapes: list[Shape]) -> Shape | None:
    if table.floor_mm is None:
        return None
    if table.size_mm is not None:
        x, y = (s / 2 for s in table.size_mm)
        low, high = np.array([-x, -y]), np.array([x, y])
    elif shapes:
        bounds = bounds_of(shapes)
        room = AROUND * float((bounds[1] - bounds[0])[:2].max())
        low, high = bounds[0][:2] - room, bounds[1][:2] + room
    else:
        return None
    thick = min(GROUND_MM, GROUND_SHARE * float((high - low).max()))
    z0, z1 = table.floor_mm - thick, table.floor_mm - min(0.01, thick / 2)  # a hair lower, so that flat tiles on it win
    vertices = np.array(
        [[x, y, z] for z in (z0, z1) for x, y in ((low[0], low[1]), (high[0], low[1]), tuple(high), (low[0], high[1]))]
    )
    faces = np.array(
        [
            [0, 2, 1],
            [0, 3, 2],
            [4, 5, 6],
            [4, 6, 7],
            [0, 1, 5],
            [0, 5, 4],
            [1, 2, 6],
            [1, 6, 5],
            [2, 3, 7],
            [2, 7, 6],
            [3, 0, 4],
            [3, 4, 7],
        ]
    )
    return Shape(vertices, faces.astype(np.int64), colour=COLOURS.get(table.floor_material, FELT), grain=0.2)
