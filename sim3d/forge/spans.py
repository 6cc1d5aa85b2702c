"""Ways up and over: a stone bridge with room under it, and a flight of stairs to the same height of 60 mm."""

from __future__ import annotations

import math

from sim3d.forge.masonry import brick_wall, rubble
from sim3d.forge.noise import between, chance
from sim3d.forge.shapes import along_x, along_y, block, box, finished, moved
from sim3d.solid.boolean import Mesh, difference, union

DECK_MM = 60.0
DECK_HALF = 120.0  # half the bridge's length
DECK_WIDE = 76.0
CROWN_MM = 51.0  # the arch's height at its crown
SPAN_HALF = 64.0


def bridge() -> Mesh:
    """An arched bridge: flagged deck at z = 60, parapets broken on one side, 51 mm of room under its crown."""
    half = DECK_WIDE / 2
    section = [(DECK_HALF, 0.0), (DECK_HALF, 59.4), (-DECK_HALF, 59.4), (-DECK_HALF, 0.0), *_arch(0.0)]
    body = along_y(section, -half, half)
    parts = [body, *_voussoirs(half), *_flags(half)]
    parts += [along_y([(-DECK_HALF, 55.2), (DECK_HALF, 55.2), (DECK_HALF, 57.6), (-DECK_HALF, 57.6)], s * half - 1.6,
                      s * half + 1.6) for s in (-1, 1)]  # fmt: skip
    for side, gap in ((-1, (-6, 54)), (1, (0, 0))):
        y = side * (half - 4)
        for x0, x1 in ((-DECK_HALF + 6, gap[0]), (gap[1], DECK_HALF - 6)):
            if x1 - x0 > 6:
                parts += _parapet(x0, x1, y, broken=gap != (0, 0), seed=31 + side)
    for sx in (-1, 1):
        for sy in (-1, 1):
            x, y = sx * (DECK_HALF - 6), sy * (half - 4)
            parts.append(block((13, 12, 84), (x, y, 0), bevel=0.9))
            parts.append(block((16, 15, 5), (x, y, 82), bevel=1.4))
            parts.append(block((16, 15, 8), (x, y, 0), bevel=1.2))
        for s in (-1, 1):
            front = brick_wall([54.0] * 8, thick=2.0, seed=60 + sx + 3 * s, bare=-0.12)
            parts += [moved(p, (sx * 92 - 24, s * (half - 0.6), 0)) for p in front]
    parts += rubble(14, centre=(70, -half - 3), reach=(15, 6), z=0, size=9, seed=67)
    for x in (-DECK_HALF + 16, DECK_HALF - 16):
        parts.append(box((x - 16, -half - 1, 0), (x + 16, half + 1, 4)))
    return finished(union(parts))


def stairs() -> Mesh:
    """Eight stone steps of rise 7.5 and tread 16 to a landing at z = 60, stepped walls at the sides."""
    rise, tread, count, half = 7.5, 16.0, 8, 31.0
    parts = []
    start = -85.0
    for k in range(count):
        x, top = start + k * tread, (k + 1) * rise
        worn = 0.0 if k == count - 1 else between(0.0, 0.45, 3, k)
        parts.append(_stepped(x, start + count * tread + 44, half, top - worn, k))
    for side in (-1, 1):
        y = side * (half + 4)
        for k in range(count // 2):
            x, top = start + (2 * k + 1) * tread + 1, 15 + 2 * rise * (k + 1)
            parts.append(block((tread * 2 + 4, 8, top), (x, y, 0), bevel=0.6))
            parts.append(block((tread * 2 + 5, 10, 2), (x, y, top - 2), bevel=0.5))
        parts.append(block((44, 8, 64), (start + count * tread + 22, y, 0), bevel=0.6))
        rows = [6.0 * ((26 + 15 * (k // 5)) // 6) for k in range(20)]
        flight = brick_wall(rows, thick=2.0, seed=90 + side, bare=-0.1)
        parts += [moved(p, (start + 3, side * (half + 7.4), 0)) for p in flight]
        front = brick_wall([60.0] * 7, thick=2.0, seed=80 + side, bare=-0.1)
        parts += [moved(p, (start + count * tread + 1, side * (half + 7.6), 0)) for p in front]
    cuts = [box((start + count * tread + 2, -half, 59.5), (start + count * tread + 2.8, half, 61)),
            *(box((start + count * tread, y - 0.4, 59.5), (start + count * tread + 60, y + 0.4, 61))
              for y in (-10.4, 10.4)),
            box((start + count * tread + 22.6, -half, 59.5), (start + count * tread + 23.4, half, 61))]  # fmt: skip
    door = along_x([(-15, -1), (15, -1), (15, 28), *_head(15, 28), (-15, 28)], start + count * tread + 14, 120)
    return finished(difference(union(parts), *cuts, door))


def _stepped(x0: float, x1: float, half: float, top: float, k: int) -> Mesh:
    """One step and all below it, its nose broken by a small bevel, here and there a chip."""
    section = [(x0, 0.0), (x1, 0.0), (x1, top), (x0 + 0.8, top), (x0, top - 0.8)]
    made = along_y(section, -half - 2, half + 2)
    if chance(17, k) < 0.6:
        y = between(-half + 6, half - 6, 18, k)
        chip = moved(box((-2.2, -4, -2), (2.2, 4, 2)), (x0, y, top + 1.0), lean=(0, 38), turn=between(-20, 20, 19, k))
        made = difference(made, chip)
    return made


def _head(half: float, spring: float) -> list[tuple[float, float]]:
    return [(half * math.cos(math.pi * k / 16), spring + half * math.sin(math.pi * k / 16)) for k in range(1, 16)]


def _arch(grow: float) -> list[tuple[float, float]]:
    """The opening's outline from left to right, `grow` mm larger."""
    turns = [math.pi * (1 - k / 36) for k in range(37)]
    wide, high = SPAN_HALF + grow, CROWN_MM + grow
    return [(wide * math.cos(a), high * math.sin(a) if 0 < a < math.pi else 0.0) for a in turns]


def _voussoirs(half: float) -> list[Mesh]:
    """The stones of the arch, standing out of the front and back by a hair each their own."""
    made, count = [], 19
    for k in range(count):
        a0, a1 = math.pi * (k + 0.06) / count, math.pi * (k + 0.94) / count
        deep = 7.2 if k % 2 else 8.4
        corners = [
            ((SPAN_HALF + d) * math.cos(a), (CROWN_MM + d) * math.sin(a))
            for a, d in ((a0, 0.4), (a0, deep), (a1, deep), (a1, 0.4))
        ]
        out = between(0.6, 1.3, 44, k)
        made.append(along_y(corners, -half - out, half + out))
    return made


def _flags(half: float) -> list[Mesh]:
    """Flagstones, each a little higher or lower than the next: up to 0.4 mm under z = 60."""
    made = []
    for row in range(4):
        y0, y1 = -half + 8 + row * 15.0, -half + 8 + (row + 1) * 15.0
        x = -DECK_HALF + 1.0 - (8.0 if row % 2 else 0.0)
        k = 0
        while x < DECK_HALF - 1:
            long = between(15, 24, 51, row, k)
            low, high = max(x, -DECK_HALF + 1), min(x + long, DECK_HALF - 1)
            top = DECK_MM - between(0.0, 0.4, 52, row, k)
            if high - low > 3:
                made.append(box((low + 0.35, y0 + 0.35, 58), (high - 0.35, y1 - 0.35, top)))
            x += long
            k += 1
    return made


def _parapet(x0: float, x1: float, y: float, *, broken: bool, seed: int) -> list[Mesh]:
    """A low wall of blocks with a cap; broken, it loses the cap and stones near the gap."""
    made = []
    count = max(1, round((x1 - x0) / 12))
    pitch = (x1 - x0) / count
    for k in range(count):
        left = x0 + k * pitch
        near = broken and (abs(left + pitch - -6) < 20 or abs(left - 54) < 14)
        top = 66.0 + (between(-3, 4, seed, k) if near else 8.0)
        out = between(0.0, 0.5, seed, k, 2)
        made.append(box((left + 0.3, y - 3.4 - out, 58), (left + pitch - 0.3, y + 3.4 + out, top)))
        made.append(box((left - 0.1, y - 3.0, 58), (left + pitch + 0.1, y + 3.0, top - 0.6)))
        if not near:
            made.append(box((left + 0.2, y - 4.4, 73.6), (left + pitch - 0.2, y + 4.4, 76)))
    return made
