"""A domed house of the desert: thick rounded walls, a room inside, a flat roof behind a parapet, two domes."""

from __future__ import annotations

import math

import numpy as np

from sim3d.forge.masonry import rubble
from sim3d.forge.noise import between
from sim3d.forge.shapes import (
    Outline,
    along_x,
    along_y,
    beam,
    block,
    box,
    circle,
    dome,
    drum,
    finished,
    lathe,
    moved,
    prism,
    ring_of,
    snapped,
)
from sim3d.solid.boolean import Mesh, difference, hull, union

ROOF_MM = 60.0
ROOM_MM = 54.0  # the ceiling; the floor is at 3
FLOOR_MM = 3.0


def domed_house() -> Mesh:
    """A house 132 x 104 on a round plot: room from z = 3 to 54, roof at 60 behind a parapet, two domes, outer steps."""
    outer = _shell(66, 52, 16, 0.0, 67.0, shrink=4.0)
    inner = _shell(58, 44, 10, FLOOR_MM, ROOM_MM, shrink=2.0)
    above = _shell(57, 43, 12, ROOF_MM, 80.0, shrink=0.0)
    body = difference(outer, inner, above)
    porch = along_y(_door(23, 49), -64, -40)
    walls = union([body, porch, *_domes(), *_steps()])
    cuts = [along_y(_door(16, 44), -70, -36), along_x(_window(-26, 26, 30), 50, 80)]
    cuts += [along_x(_window(-20, 26, 30), -80, -50), along_y(_window(42, 27, 31), -60, -40)]
    cuts += [along_y(_window(-42, 27, 31), -60, -40), along_y(_window(20, 30, 34), 40, 60)]
    cuts += [box((-70, y - 4, 61.2), (70, y + 4, 63.4)) for y in (-24, 20)]
    cuts.append(box((-12, 40, ROOF_MM), (14, 60, 80)))  # where the steps reach the roof
    walls = difference(walls, *cuts)
    trims = [difference(along_y(_door(20, 47), -65.2, -62), along_y(_door(16, 44), -70, -60))]
    ground = prism([(92 * x, 78 * y) for x, y in circle(1, 40)], 0, FLOOR_MM)
    parts = [walls, ground, *trims, *_fittings(), *_patches()]
    parts += rubble(8, centre=(70, -48), reach=(10, 8), z=FLOOR_MM, size=7, seed=5)
    return finished(union(parts))


def _shell(x: float, y: float, corner: float, z0: float, z1: float, *, shrink: float) -> Mesh:
    """A block with rounded corners that narrows by `shrink` at each side from z0 to z1."""
    points: list[tuple[float, float, float]] = []
    for z, less in ((z0, 0.0), (z1, shrink)):
        for sx in (-1, 1):
            for sy in (-1, 1):
                middle = (sx * (x - corner - less), sy * (y - corner - less))
                points += [(px, py, z) for px, py in circle(corner, 24, centre=middle)]
    return hull(snapped(np.array(points)))


def _door(wide: float, high: float) -> Outline:
    """An opening with a round head, in (x, z)."""
    spring = high - wide
    turns = [math.pi * k / 20 for k in range(21)]
    return [(-wide, 0.0), (wide, 0.0), *((wide * math.cos(a), FLOOR_MM + spring + wide * math.sin(a)) for a in turns)]


def _window(at: float, z0: float, z1: float) -> Outline:
    """A slit with round ends."""
    radius, middle = (z1 - z0) / 2, (z0 + z1) / 2
    right = [(at + 6 + radius * math.cos(a), middle + radius * math.sin(a))
             for a in (math.pi * (k / 8 - 0.5) for k in range(9))]  # fmt: skip
    left = [(at - 6 + radius * math.cos(a), middle + radius * math.sin(a))
            for a in (math.pi * (k / 8 + 0.5) for k in range(9))]  # fmt: skip
    return right + left


def _domes() -> list[Mesh]:
    ball = moved(dome(29, sides=56, rings=14, squash=0.86), (-26, 4, 62))
    big = union([moved(ring_of(20, 31.2, 53, 61.5, sides=56), (-26, 4, 0)), ball])
    ribs = [moved(_rib(29.6, 0.86), (-26, 4, 62), turn=45.0 * k) for k in range(8)]
    knob = moved(lathe([(0, -2), (5, -2), (5, 1.5), (2.4, 3), (1.4, 8), (0, 9)], 16), (-26, 4, 62 + 29 * 0.86))
    annex = union([moved(drum(27, 0, 34, sides=48, top=25.5), (68, 22, 0)),
                   moved(dome(25, sides=48, rings=12, squash=0.8), (68, 22, 33.5)),
                   moved(ring_of(12, 27.4, 30.5, 34.5, sides=48), (68, 22, 0))])  # fmt: skip
    hatch = moved(drum(4.5, 0, 4, sides=20, bevel=1), (68, 22, 33.5 + 19))
    return [moved(drum(30.4, 52, 64, sides=56, bevel=1.2), (-26, 4, 0)), big, *ribs, knob, annex, hatch]


def _rib(radius: float, squash: float) -> Mesh:
    """A raised band over a dome, from its foot to near its top."""
    turns = [math.radians(6 + 7 * k) for k in range(11)]
    arc = [(radius * math.cos(a), squash * radius * math.sin(a)) for a in turns]
    return along_y([*arc, *((x * 0.93, z * 0.93) for x, z in arc[::-1])], -1.3, 1.3)


def _steps() -> list[Mesh]:
    """Eight steps of 7.5 mm up the back wall to a gap in the parapet."""
    made = []
    for k in range(8):
        made.append(box((-62 + 8.6 * k, 46, 0), (14, 66, 7.5 * (k + 1) - between(0, 0.3, 6, k))))
    return made


def _fittings() -> list[Mesh]:
    """On the roof a vent and a hatch; a mast, a pipe and a bench outside."""
    vent = [block((17, 14, 8), (34, 26, ROOF_MM - 1), bevel=1.2), block((13, 10, 2), (34, 26, 66.4), bevel=0.5)]
    slats = [box((27.5, 20 + 3 * k, 66), (40.5, 21.2 + 3 * k, 69.2)) for k in range(5)]
    hatch = [block((20, 20, 2.4), (38, -20, ROOF_MM - 0.8), bevel=0.6)]
    hatch.append(block((14, 14, 1.2), (38, -20, 61.2), bevel=0.4))
    mast = [beam((-52, -40, 58), (-52, -40, 112), width=2.6, sides=10), moved(drum(5, 0, 3, sides=16), (-52, -40, 84))]
    mast += [
        beam((-52 - w, -40, z), (-52 + w, -40, z + 2), width=1.8, sides=8) for w, z in ((9, 92), (6, 98), (3, 104))
    ]
    mast.append(moved(drum(3.4, 0, 8, sides=14), (-52, -40, 59)))
    pipe = [beam((-67, -14, 2), (-64.4, -14, 50), width=4, sides=12)]
    pipe.append(beam((-66, -14, 48), (-52, -14, 48), width=4, sides=12))
    pipe += [moved(drum(3, 0, 3, sides=14), (-67 + 0.054 * z, -14, z)) for z in (10, 30)]
    bench = [box((40, -58, 2), (44, -50, 9)), box((58, -58, 2), (62, -50, 9))]
    bench.append(block((26, 9, 2.4), (51, -54.5, 8.6), bevel=0.6))
    return [*vent, *slats, *hatch, *mast, *pipe, *bench]


def _patches() -> list[Mesh]:
    """Where plaster has come off: small stones showing in the walls."""
    made = []
    for k, (x, z) in enumerate(((-30, 8), (-38, 14), (-31, 14), (52, 44), (44, 44), (48, 50), (-46, 8))):
        y = -52 + 4 * z / 67 + 0.2
        made.append(block((6.4, 3, 4.4), (x, y + 1.0 - between(0, 0.3, 9, k), z), bevel=0.5))
    return made
