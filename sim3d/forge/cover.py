"""Things to hide behind: two barricades of 70 by 27 by 30 mm, and a stack of containers and crates."""

from __future__ import annotations

import math

import numpy as np

from sim3d.forge.noise import between
from sim3d.forge.shapes import (
    along_x,
    along_y,
    beam,
    block,
    box,
    chamfered,
    drum,
    finished,
    moved,
    prism,
    rectangle,
    rivet,
)
from sim3d.solid.boolean import Mesh, difference, hull, intersection, union
from sim3d.solid.write import Colours

STEEL, YELLOW, RUST = (126, 134, 140, 255), (214, 170, 60, 255), (120, 96, 78, 255)


def barricade_bags() -> Mesh:
    """Sandbags in four courses on a strip of ground."""
    parts = [prism([(-34, -13), (34, -13.5), (35, 12), (30, 13.5), (-33, 13), (-35, 3)], 0, 1.6)]
    for course, (count, rows) in enumerate(((3, 2), (3, 2), (3, 1), (2, 1))):
        for row in range(rows):
            for k in range(count):
                x = (k - (count - 1) / 2) * 21.6 + (2.6 if course % 2 else -2.2) * (count == 3) + 0.6 * row
                y = 0.0 if rows == 1 else (row - 0.5) * 12.4
                turn = between(-5, 5, course, row, k) + (6 if row else 0)
                bag = _bag(course * 10 + row * 5 + k)
                parts.append(moved(bag, (x, y, 0.8 + 7.1 * course), turn=turn, lean=(0, between(-2, 2, k, course, 3))))
    return finished(intersection(union(parts), box((-35, -13.5, 0), (35, 13.5, 30))))


def _bag(seed: int) -> Mesh:
    """A filled bag 22 x 13 x 8 mm: full in the middle, pinched at its ends."""
    points = []
    for ring, (x, wide, high) in enumerate(
        ((-11, 3.9, 1.5), (-9.8, 5.6, 2.9), (-5, 6.5, 4.0), (5, 6.5, 4.0), (9.8, 5.6, 2.9), (11, 3.9, 1.5))
    ):
        for k in range(14):
            a = 2 * math.pi * k / 14
            swell = between(0.93, 1.04, seed, ring, k)
            flat = math.copysign(math.sqrt(abs(math.sin(a))), math.sin(a))
            points.append((x, wide * math.cos(a) * swell, 4 + high * flat * swell))
    return hull(np.round(np.array(points), 3))


def barricade_plates() -> Mesh:
    """An armoured barrier: sloping front, hazard panels, handles, rivets."""
    face = [(6.0, 29.5), (-4.0, 29.5), (-8.0, 22.0), (-13.5, 6.0)]
    section = [(-13.5, 0.0), (13.5, 0.0), (13.5, 4.0), (6.0, 24.0), *face]
    body = along_x(section, -35, 35)
    cuts = [along_x([(-30, 6.2), (-8.5, 22), (-30, 24)], x - 0.5, x + 0.5) for x in (-11.7, 11.7)]
    back = [(14, 3), (14, 26), (4.4, 26), (12.2, 3)]
    cuts += [along_x(back, x - 0.4, x + 0.4) for x in (-23.4, -11.7, 0, 11.7, 23.4)]
    cuts += [box((-35.5 + 70 * e, -9, 8), (-34 + 69.5 * e, 5, 20)) for e in (0, 1)]
    cuts += [box((-12, -20, -1), (12, -9, 4)), box((-40, 8.5, -1), (-28, 20, 2)), box((28, 8.5, -1), (40, 20, 2))]
    body = difference(body, *cuts)
    tilt = math.degrees(math.atan2(16, 5.5))
    panels = [moved(chamfered((19, 12.5, 1.4), bevel=0.5), (x, -10.2, 12.9), lean=(tilt, 0)) for x in (-23.4, 0, 23.4)]
    heads = [rivet((x, y, 29.5), radius=1.1) for x in (-32, -20, -8, 8, 20, 32) for y in (-1.6, 3.6)]
    slots = [along_y(rectangle(x - 4, 25.2, x + 4, 27.4), -5, -1.2) for x in (-20, 20)]
    return finished(difference(union([body, *panels, *heads]), *slots))


def paint_plates(mesh: Mesh) -> Colours:
    """Steel, with hazard yellow where the panels stand out and rust near the ground."""
    x, y, z = mesh[0].T
    colours = np.tile(np.array(STEEL, dtype=np.uint8), (len(x), 1))
    colours[(z < 5)] = RUST
    proud = ((y + 13.5) * -16 + (z - 6) * 5.5) / math.hypot(16, 5.5)  # mm in front of the sloping face
    colours[(proud > 0.2) & (z > 6) & (z < 21) & (np.abs(x) > 12)] = YELLOW
    return colours


def containers() -> Mesh:
    """Two ribbed containers crossed (tops at z = 32 and 64), crates of 20 mm around them, barrels."""
    parts = [moved(_container(), (-6, 0, 0), turn=4), moved(_container(), (4, 2, 32), turn=17)]
    parts += [moved(_crate(20), (-40, 33, 0), turn=12), moved(_crate(20), (-17, 34, 0), turn=-5)]
    parts += [moved(_crate(16), (-30, 33, 20), turn=31), moved(_crate(16), (46, 10, 0), turn=-20)]
    parts += [moved(_crate(14), (44, 29, 0), turn=8)]
    for k, (x, y) in enumerate(((18, 32), (32, 38), (5, 36))):
        parts.append(moved(_barrel(), (x, y, 0), turn=40.0 * k))
    parts.append(prism([(-54, -24), (54, -24), (58, 10), (54, 46), (-50, 48), (-58, 20)], 0, 1.2))
    return finished(moved(union(parts), (0, -9, 0)))


def _container() -> Mesh:
    """90 x 38 x 32 mm, ribbed sides, doors at one end, a framed lid with a lip of 0.8 mm."""
    body = block((90, 38, 32), (0, 0, 0), bevel=1.0)
    cuts = [box((x, s * 19.6 - 1.5, 4), (x + 5, s * 19.6 + 1.5, 27))
            for x in range(-40, 36, 8) for s in (-1, 1)]  # fmt: skip
    cuts.append(box((-42, -16, 31.2), (42, 16, 40)))
    cuts += [box((44, -16, 4), (46, -1, 28)), box((44, 1, 4), (46, 16, 28))]
    body = difference(body, *cuts)
    ribs = [box((x, -16.5, 30), (x + 3, 16.5, 32)) for x in (-22.0, -1.5, 19.0)]
    bars = [beam((44.6, y, 5), (44.6, y, 27), width=1.6, sides=8) for y in (-4, 4, -12, 12)]
    corners = [block((7, 7, 33), (sx * 42.4, sy * 16.4, 0), bevel=1.0) for sx in (-1, 1) for sy in (-1, 1)]
    return union([body, *ribs, *bars, *corners])


def _crate(size: float) -> Mesh:
    """A cube with a frame on each face and a board across it."""
    h, w = size / 2, size * 0.14
    core = box((-h + 0.9, -h + 0.9, 0.5), (h - 0.9, h - 0.9, size - 0.9))
    bars = []
    for z in (0.0, size - w):
        bars += [box((-h, s * h - (w if s > 0 else 0), z), (h, s * h + (0 if s > 0 else w), z + w)) for s in (-1, 1)]
        bars += [box((s * h - (w if s > 0 else 0), -h, z), (s * h + (0 if s > 0 else w), h, z + w)) for s in (-1, 1)]
    for sx in (-1, 1):
        for sy in (-1, 1):
            x, y = sorted((sx * h, sx * (h - w))), sorted((sy * h, sy * (h - w)))
            bars.append(box((x[0], y[0], 0), (x[1], y[1], size)))
    for turn in (0, 90, 180, 270):
        bars.append(
            moved(beam((-h + w, -h + 1.0, w), (h - w, -h + 1.0, size - w), width=w * 0.8), (0, 0, 0), turn=turn)
        )
    return union([core, *bars])


def _barrel() -> Mesh:
    """A drum 13 mm wide and 20 tall with two hoops."""
    hoops = [drum(6.9, z, z + 1.4, sides=28) for z in (0.0, 6.2, 12.6, 18.8)]
    lid = difference(drum(6.2, 0, 20.2, sides=28), drum(5.5, 19.6, 21, sides=28))
    return union([lid, *hoops, moved(drum(1.2, 19, 20.4, sides=10), (3.2, 0, 0))])
