"""Steel: a landing pad with a ramp and steps, and the boarding ramp of a shuttle."""

from __future__ import annotations

import math

from sim3d.forge.shapes import (
    along_x,
    along_y,
    beam,
    block,
    box,
    circle,
    drum,
    finished,
    lathe,
    moved,
    prism,
    rectangle,
    ring_of,
    rivet,
    wedge,
)
from sim3d.solid.boolean import Mesh, difference, union

PAD_MM = 30.0
PAD_RADIUS = 104.0  # over the corners of its eight sides
LINE_MM = 0.9  # panel lines: as wide as a printer shows, as deep as a base does not notice
LINE_DEEP_MM = 0.6
RAMP_DEG = 27.0


def landing_pad() -> Mesh:
    """An octagonal pad, deck at z = 30, on a ribbed drum; a ramp on one side, steps on another, lamps, a tank."""
    deck = lathe([(0, 22), (PAD_RADIUS - 5, 22), (PAD_RADIUS, 25), (PAD_RADIUS, 28.6), (PAD_RADIUS - 1.6, PAD_MM),
                  (0, PAD_MM)], 8, start_deg=22.5)  # fmt: skip
    lines = [
        difference(_disc(r + LINE_MM, LINE_DEEP_MM, sides), _disc(r, 3, sides)) for r, sides in ((30, 48), (62, 64))
    ]
    lines += [
        difference(
            prism(circle(92 + LINE_MM, 8, start_deg=22.5), PAD_MM - LINE_DEEP_MM, 32),
            prism(circle(92, 8, start_deg=22.5), 20, 40),
        )
    ]
    lines += [moved(box((30.4, -LINE_MM / 2, PAD_MM - LINE_DEEP_MM), (92, LINE_MM / 2, 32)), (0, 0, 0), turn=45.0 * k)
              for k in range(8)]  # fmt: skip
    lines += [moved(box((62.4, -LINE_MM / 2, PAD_MM - LINE_DEEP_MM), (92, LINE_MM / 2, 32)), (0, 0, 0),
                    turn=45.0 * k + 22.5) for k in range(8)]  # fmt: skip
    vents = [moved(box((70 + 5.0 * j, -9, PAD_MM - 1.6), (72.2 + 5.0 * j, 9, 32)), (0, 0, 0), turn=turn)
             for turn in (112.5, 292.5) for j in range(4)]  # fmt: skip
    raised: list[Mesh] = [ring_of(16, 20, PAD_MM - 1, PAD_MM + 0.4, sides=48)]
    raised += [moved(prism(_chevron(), PAD_MM - 1, PAD_MM + 0.4), (0, 0, 0), turn=90.0 * k) for k in range(4)]
    heads = [moved(rivet((84.5, y, PAD_MM), radius=1.2), (0, 0, 0), turn=45.0 * k)
             for k in range(8) for y in (-24, -12, 12, 24)]  # fmt: skip
    drumlike = lathe([(0, 0), (92, 0), (92, 5), (84, 9), (84, 23), (0, 23)], 32)
    rib = along_y([(80, 0), (95, 0), (95, 6), (89, 12), (97, 23), (80, 23)], -4, 4)
    ribs = [moved(rib, (0, 0, 0), turn=45.0 * k + 22.5) for k in range(8)]
    pipes = [ring_of(84, 86.5, z, z + 2.2, sides=48) for z in (12.5, 16.5)]
    lamps = [moved(_lamp(), (97 * math.cos(math.radians(a)), 97 * math.sin(math.radians(a)), PAD_MM - 0.5))
             for a in (22.5 + 45.0 * k for k in range(8))]  # fmt: skip
    body = difference(union([deck, *raised]), *lines, *vents)
    parts = [body, drumlike, *ribs, *pipes, *lamps, *heads, *_way_up(), *_steps(), *_tank()]
    return finished(union(parts))


def _disc(radius: float, deep: float, sides: int) -> Mesh:
    return drum(radius, PAD_MM - deep, PAD_MM + 3, sides=sides)


def _chevron() -> list[tuple[float, float]]:
    return [(44.0, -8.0), (56.0, 0.0), (44.0, 8.0), (44.0, 4.2), (50.2, 0.0), (44.0, -4.2)]


def _lamp() -> Mesh:
    return lathe([(0, 0), (3.4, 0), (3.4, 3), (2.4, 4), (2.4, 6.5), (1.4, 8), (0, 8)], 12)


def _way_up() -> list[Mesh]:
    """A ramp of about 23 degrees towards -y, with cleats and kerbs."""
    edge = PAD_RADIUS * math.cos(math.pi / 8) - 1
    run = 70.0
    slope = moved(wedge(edge + run, edge - 4, -30, 30, low=0, high=PAD_MM * (1 + 4 / run)), (0, 0, 0), turn=-90)
    flat = box((-40, -edge - 2, PAD_MM), (40, -edge + 10, PAD_MM + 9))
    slope = difference(slope, flat)
    angle = math.degrees(math.atan2(PAD_MM, run))
    made = [slope]
    for k in range(6):
        out = 8.0 + 10 * k
        bar = box((-24, -0.8, -1.5), (24, 0.8, 0.6))
        made.append(moved(bar, (0, -edge - out, PAD_MM * (1 - out / run)), lean=(angle, 0)))
    for s in (-1, 1):
        kerb = moved(
            wedge(edge + run + 2, edge + 1, s * 31 - 2.5, s * 31 + 2.5, low=2.4, high=PAD_MM + 2.2), (0, 0, 0), turn=-90
        )
        made.append(kerb)
    return made


def _steps() -> list[Mesh]:
    """Four steps of 6 mm towards +x and the deck's edge as the fifth."""
    edge = PAD_RADIUS * math.cos(math.pi / 8)
    made = [block((edge - 60 + 13.0 * (4 - k), 44, 6.0 * (k + 1)), ((60 + edge + 13.0 * (4 - k)) / 2, 0, 0), bevel=0.7)
            for k in range(4)]  # fmt: skip
    return made + [block((30, 3.4, 21), (edge + 12, s * 23.4, 0), bevel=0.8) for s in (-1, 1)]


def _tank() -> list[Mesh]:
    """A fuel tank, its pump and a hose at the foot of the pad, standing on the ground at the back left."""
    tank = moved(drum(11, 0, 34, sides=28, bevel=2.5), (-76, 76, 0))
    hoops = [moved(drum(11.8, z, z + 2, sides=28), (-76, 76, 0)) for z in (5, 26)]
    pump = block((16, 12, 24), (-88, 56, 0), bevel=1.2, turn=35)
    hose = [
        beam((-80, 66, 28), (-66, 52, 27), width=3.4, sides=10),
        beam((-88, 56, 12), (-76, 70, 12), width=3, sides=10),
    ]
    foot = prism(circle(24, 10, centre=(-80, 66)), 0, 2)
    return [tank, *hoops, pump, *hose, foot]


def shuttle_ramp() -> Mesh:
    """A boarding ramp of 27 degrees to a sill at z = 60, cleats every 9 mm, pistons, a door frame to stand in."""
    run = 60 / math.tan(math.radians(RAMP_DEG))
    x0, x1 = -run / 2 - 20, run / 2 - 20
    slab = along_y([(x0, 0), (x0 + 10, 0), (x1, 53), (x1, 60)], -32, 32)
    sill = box((x1 - 1, -40, 50), (x1 + 42, 40, 60))
    panel = difference(sill, *(box((x, -36, 59.5), (x + 0.9, 36, 61)) for x in (x1 + 8, x1 + 24)),
                       *(box((x1 + 8, y, 59.5), (x1 + 60, y + 0.9, 61)) for y in (-20, 19)))  # fmt: skip
    parts = [panel, slab]
    up = math.radians(RAMP_DEG)
    for k in range(13):
        along = 12.0 + 9.0 * k
        bar = box((-0.9, -26, -1.2), (0.9, 26, 0.6))
        parts.append(moved(bar, (x0 + along * math.cos(up), 0, along * math.sin(up)), lean=(0, -RAMP_DEG)))
    for s in (-1, 1):
        kerb = along_y([(x0 + 6, 0), (x0 + 16, 0), (x1, 51), (x1, 63.5), (x0 + 6, 4.6)], s * 32 - 2, s * 32 + 2)
        parts.append(kerb)
        piston = [beam((x1 + 8, s * 28, 2), (x0 + 62, s * 28, 26), width=5, sides=12),
                  beam((x1 + 8, s * 28, 2), (x0 + 48, s * 28, 20), width=3, sides=10)]  # fmt: skip
        parts += [*piston, block((16, 12, 6), (x1 + 10, s * 28, 0), bevel=1)]
        parts.append(along_x(_cheek(s), x1 + 6, x1 + 42))
        parts += [rivet((x1 + 4, s * y, 60), radius=1.1) for y in (10, 25, 36)]
    parts.append(box((x1 + 14, -34, 0), (x1 + 42, 34, 51)))
    parts += [box((x1 + 11, y - 2, 0), (x1 + 20, y + 2, 51)) for y in (-24, -8, 8, 24)]
    hood = along_x([(-40, 106), (40, 106), (40, 112), (30, 120), (-30, 120), (-40, 112)], x1 + 18, x1 + 42)
    lintel = difference(hood, along_x(rectangle(-12, 108.5, 12, 111.5), x1 + 17, x1 + 19.5))
    return finished(union([*parts, lintel, prism(rectangle(x1 - 4, -42, x1 + 42, 42), 0, 1.6)]))


def _cheek(side: int) -> list[tuple[float, float]]:
    """One side of the door frame, in (y, z), counter-clockwise."""
    shape = [(33.0, 40.0), (43.0, 46.0), (43.0, 100.0), (38.0, 112.0), (33.0, 112.0), (31.0, 100.0), (31.0, 66.0),
             (33.0, 60.0)]  # fmt: skip
    return shape if side > 0 else [(-y, z) for y, z in shape[::-1]]
