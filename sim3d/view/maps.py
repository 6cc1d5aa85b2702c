"""Standing maps as layers to be seen: a name for each storey, and the cells that nobody gets to on foot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim3d.atlas import Atlas
from sim3d.mini import Mini
from sim3d.pack.ground import SAME_MM, ground_over, reached
from sim3d.pack.manifest import UseForm
from sim3d.pack.roofed import with_roofed
from sim3d.space import Bools
from sim3d.stand import WORDS
from sim3d.table import Table
from sim3d.view.scene import Map

MOST_CELLS = 10_000  # of a map that nobody gave a pitch for: about a minute on rough ground
PITCHES_MM = (1.0, 2.0, 2.5, 4.0, 5.0, 8.0, 10.0, 15.0, 20.0)
OUTLINE_MM = 0.1  # how far a base's outline may stray where it is shown
STANDABLE = ("stable", "precarious")


def usual_pitch(table: Table) -> float:
    """A pitch at which a map of the table has not too many cells.

    >>> usual_pitch(Table(size_mm=(900.0, 900.0)))
    10.0
    """
    if table.size_mm is not None:
        wide, long = table.size_mm
    elif table.pieces:
        corners = np.concatenate([p.vertices() for p in table.pieces])
        wide, long = np.ptp(corners[:, :2], axis=0).tolist()
    else:
        return PITCHES_MM[0]
    fine = (pitch for pitch in PITCHES_MM if wide * long / pitch**2 <= MOST_CELLS)
    return next(fine, PITCHES_MM[-1])


def maps_of(table: Table, atlases: Sequence[Atlas], minis: Sequence[Mini]) -> Iterator[Map]:
    """Every layer of every map; a map's mini says how high it climbs and how wide it is."""
    for atlas, mini in zip(atlases, minis, strict=True):
        for turn in dict.fromkeys(layer.turn for layer in atlas.layers):
            numbers = [k for k, layer in enumerate(atlas.layers) if layer.turn == turn]
            cells = unreachable(table, atlas, mini, numbers) if table.floor_mm is not None else [None] * len(numbers)
            for k, shut in zip(numbers, cells, strict=True):
                level = atlas.layers[k].level
                name = "set down from above" if level is None else f"below {level:g} mm"
                yield Map(name, atlas, k, mini.base.outline.polygon(OUTLINE_MM), shut)


def unreachable(table: Table, atlas: Atlas, mini: Mini, numbers: Sequence[int]) -> list[Bools]:
    """For each of these layers the cells where the base stands but does not get to from the floor, however it goes."""
    corners, faces, count = [], [], 0
    for piece in table.pieces:
        corners.append(piece.vertices())
        faces.append(piece.solid.faces + count)
        count += len(corners[-1])
    one = Atlas(atlas.base, atlas.pitch_mm, atlas.first, tuple(atlas.layers[k] for k in numbers))
    width = min(mini.base.outline.length_mm, mini.base.outline.width_mm)
    floor = table.floor_mm or 0.0
    vertices = np.concatenate([np.zeros((0, 3)), *corners])
    ground = ground_over(one, vertices, np.concatenate([np.zeros((0, 3), np.int64), *faces]), floor, width)
    ground = with_roofed(ground, one, table, mini)
    there = reached(ground, max(mini.height_mm, UseForm().climb))
    height = np.where(there, ground.height, np.nan)
    found = []
    for layer in one.layers:
        stands = np.isin(layer.words, [WORDS.index(word) for word in STANDABLE])
        near = np.abs(height - (layer.numbers[:, :, 0] - floor)) < SAME_MM  # NaN is near nothing
        found.append(stands & ~near.any(axis=0))
    return found
