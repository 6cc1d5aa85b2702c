"""A board of hexes as marks over the terrain, for whoever draws meshes, and what their colours mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim3d.view.hexboard import DARK, HEIGHTS, WATER, ZONE
from sim3d.view.picture import BAD, INK, PAPER, Colour
from sim3d.view.props import Mesh, joined, plate, rod
from sim3d.view.scene import HexCell

LIFT_MM = 0.9
INNER = 0.84  # of a hex: where its zone is ringed
SAID: dict[Colour, str] = {HEIGHTS: "elevated", WATER: "difficult", DARK: "impassable"}


def marks_of(cells: Sequence[HexCell]) -> Iterator[tuple[str, Mesh, Colour]]:
    """Outlines, walls, zones and what no base stands on, each as one mesh."""
    grid, bad, zones, walls = [], [], [], []
    for cell in cells:
        ring = _ring(cell)
        middle = np.mean(ring, axis=0)
        inner = [_point(middle + (INNER, INNER, 1.0) * (np.array(c) - middle) + (0.0, 0.0, 0.3)) for c in ring]
        grid.append(rod((*ring, ring[0]), 0.8))
        walls += [rod((ring[side - 1], ring[side]), 2.4) for side in cell.walls]
        if cell.zones:
            zones.append(rod((*inner, inner[0]), 1.4))
        if not cell.standable:
            bad += [rod((inner[0], inner[3]), 1.2), rod((inner[1], inner[4]), 1.2)]
    yield "grid", joined(grid), PAPER
    yield "walls", joined(walls), INK
    yield "zones", joined(zones), ZONE
    yield "nowhere", joined(bad), BAD


def washes_of(
    cells: Sequence[HexCell], *, plain: Colour | None = None, band: float = 1.0
) -> Iterator[tuple[Mesh, Colour]]:
    """The hexes that are more than plain ground, a mesh for every colour; plain ones, too, if they have one.

    A `band` is the outer share of a hex that is washed: where a wash hides what is under it, its rim says enough.
    """
    washes: dict[Colour, list[Mesh]] = {}
    for cell in cells:
        colour = cell.colour if cell.colour is not None or cell.height_mm is None else plain
        if colour is not None:
            washes.setdefault(colour, []).append(_wash(_ring(cell), band))
    for colour, plates in washes.items():
        yield joined(plates), colour


def _wash(ring: list[tuple[float, float, float]], band: float) -> Mesh:
    if band >= 1.0:
        return plate(ring)
    middle = np.mean(ring, axis=0)
    inner = [_point(middle + (1.0 - band) * (np.array(c) - middle)) for c in ring]
    return joined([plate([ring[k - 1], ring[k], inner[k], inner[k - 1]]) for k in range(len(ring))])


def entries_of(cells: Sequence[HexCell]) -> list[tuple[Colour, str]]:
    """What a legend says of the marks that occur."""
    entries = [(colour, said) for colour, said in SAID.items() if any(cell.colour == colour for cell in cells)]
    entries += [(INK, "wall")] if any(cell.walls for cell in cells) else []
    entries += [(ZONE, "zone")] if any(cell.zones for cell in cells) else []
    entries += [(BAD, "no base stands")] if any(not cell.standable for cell in cells) else []
    return entries


def _ring(cell: HexCell) -> list[tuple[float, float, float]]:
    return [(x, y, (cell.height_mm or 0.0) + LIFT_MM) for x, y in cell.corners]


def _point(p: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float, float]:
    return float(p[0]), float(p[1]), float(p[2])
