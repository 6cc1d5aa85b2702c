"""Ruins: a house of two storeys with half its floors gone, and a corner of broken walls."""

from __future__ import annotations

from sim3d.forge.masonry import Opening, brick_wall, broken_top, falling, ragged, ragged_edge, rubble, tiles
from sim3d.forge.shapes import Outline, beam, block, box, finished, moved, prism, rectangle
from sim3d.solid.boolean import Mesh, difference, union

STOREY_MM = 60.0  # from floor to floor, the same in the whole pack, so that decks and roofs meet
SLAB_MM = 5.0
GROUND_MM = 3.0
THICK = 7.0
LONG, WIDE = 210.0, 150.0  # the house, over the middles of its walls


def ruin() -> Mesh:
    """A two-storey house: back and left walls stand, front and right have crumbled, floors at z = 3, 60 and 120."""
    x, y = LONG / 2, WIDE / 2
    window = (Opening(28, 54, 24, 50), Opening(88, 114, 24, 50), Opening(150, 176, 24, 50))
    upper = (Opening(28, 54, 80, 108), Opening(88, 114, 80, 108, arched=True), Opening(150, 176, 80, 108))
    back = falling(broken_top(LONG, low=114, high=150, seed=11), start=190, end=96)
    left = falling(broken_top(WIDE, low=108, high=150, seed=23), start=96, end=190)
    front = falling(broken_top(LONG, low=48, high=96, seed=37), start=125, end=8)
    right = falling(broken_top(WIDE, low=42, high=110, seed=41), start=6, end=118)
    side = (Opening(24, 54, 3, 48), Opening(94, 120, 24, 50), Opening(60, 86, 80, 108, arched=True))
    door = (Opening(86, 118, 3, 50, arched=True), Opening(24, 50, 24, 50))
    parts: list[Mesh] = [_ground(), *_floors()]
    parts += _placed(brick_wall(back, thick=THICK, seed=3, openings=window + upper), (-x, y), 0)
    parts += _placed(brick_wall(left, thick=THICK, seed=5, openings=side), (-x, -y), 90)
    parts += _placed(brick_wall(front, thick=THICK, seed=7, openings=door), (-x, -y), 0)
    parts += _placed(brick_wall(right, thick=THICK, seed=9, openings=(Opening(92, 118, 24, 50),)), (x, -y), 90)
    for px, py, top in ((-x, y, 156), (-x, -y, 102), (x, y, 108), (x, -y, 18)):
        parts.append(block((13, 13, top), (px, py, 0), bevel=1.2))
        parts.append(block((16, 16, 9), (px, py, 0), bevel=1.2))
    parts += [block((15, 15, 4), (px, py, z), bevel=0.8) for px, py in ((-x, y), (-x, -y)) for z in (58, 92)]
    parts += _joists()
    parts += rubble(46, centre=(62, -38), reach=(42, 34), z=GROUND_MM, size=13, seed=71)
    parts += rubble(12, centre=(-20, 55), reach=(60, 12), z=GROUND_MM, size=8, seed=73)
    parts += rubble(14, centre=(40, 58), reach=(40, 12), z=STOREY_MM, size=8, seed=79)
    parts += rubble(6, centre=(-88, -40), reach=(10, 24), z=STOREY_MM, size=6, seed=83)
    parts.append(moved(_fallen(), (28, -22, 14), turn=24, lean=(16, -24)))
    return finished(union(parts))


def broken_walls() -> Mesh:
    """A corner of two broken walls with a window and rubble at its foot."""
    one = falling(broken_top(132, low=24, high=66, seed=5, size=36), start=70, end=20)
    two = falling(broken_top(90, low=18, high=60, seed=8, size=30), start=66, end=10)
    plate = ragged([(-62, -52), (82, -52), (84, -24), (-2, -16), (-16, 46), (-62, 52)], step=9, rough=1.6, seed=3)
    parts = [prism(plate, 0, 2.4)]
    parts += _placed(brick_wall(one, thick=THICK, seed=13, openings=(Opening(30, 54, 18, 40),)), (-54, -40), 0)
    parts += _placed(brick_wall(two, thick=THICK, seed=17, openings=(Opening(42, 60, 18, 36, framed=False),)),
                     (-54, -43), 90)  # fmt: skip
    parts.append(block((13, 13, 66), (-54, -40, 0), bevel=1.2))
    parts += rubble(26, centre=(-26, -14), reach=(26, 22), z=2.4, size=10, seed=19)
    parts += rubble(12, centre=(48, -32), reach=(18, 12), z=2.4, size=8, seed=29)
    return finished(union(parts))


def _placed(parts: list[Mesh], at: tuple[float, float], turn: float) -> list[Mesh]:
    return [moved(part, (at[0], at[1], 0.0), turn=turn) for part in parts]


def _ground() -> Mesh:
    x, y = LONG / 2 + 9, WIDE / 2 + 9
    plate = prism(ragged(rectangle(-x, -y, x, y), step=11, rough=1.4, seed=2), 0, GROUND_MM)
    return difference(plate, *tiles((-LONG / 2, -WIDE / 2, LONG / 2, WIDE / 2), z=GROUND_MM, pitch=20))


def _floors() -> list[Mesh]:
    x, y = LONG / 2, WIDE / 2
    first: Outline = [(-x, -y), (-30, -y), (-22, -22), (12, 6), (62, 16), (x, 22), (x, y), (-x, y)]
    slab = prism(_torn(first, seed=31), STOREY_MM - SLAB_MM, STOREY_MM)
    slab = difference(slab, *tiles((-x, -y, x, y), z=STOREY_MM, pitch=20))
    attic: Outline = [(-x, 14), (-62, 20), (-38, 44), (-26, y), (-x, y)]
    nest = prism(_torn(attic, seed=43), 2 * STOREY_MM - SLAB_MM, 2 * STOREY_MM)
    rods = []
    for k in range(4):
        start, end = (-28 + 10.0 * k, -12 + 9.0 * k, 57.5), (-18 + 9.0 * k, -36 + 8.0 * k, 56.5 - k % 2)
        rods.append(beam(start, end, width=1.3, sides=6))
    return [slab, nest, *rods]


def _torn(outline: Outline, *, seed: int) -> Outline:
    """The slab's broken edges made ragged; those inside walls stay straight."""
    torn: list[tuple[float, float]] = []
    walls = (LONG / 2, WIDE / 2)
    for k, (here, there) in enumerate(zip(outline, [*outline[1:], outline[0]], strict=True)):
        inside = any(abs(here[a]) == walls[a] and here[a] == there[a] for a in (0, 1))
        torn += [here] if inside else ragged_edge(here, there, step=6.5, rough=2.4, seed=seed + k)
    return torn


def _joists() -> list[Mesh]:
    """Beams under the first floor; what is left of them sticks out of its broken edge."""
    low = STOREY_MM - SLAB_MM - 4
    south = (-73.0, -73.0, -32.0, 8.0, -6.0, 20.0)  # where each breaks off
    return [box((34.0 * k - 90.5, y, low), (34.0 * k - 85.5, 73, low + 4.5)) for k, y in enumerate(south)]


def _fallen() -> Mesh:
    """A piece of the upper floor that has come down."""
    plate = prism(ragged([(-34, -24), (30, -28), (36, 14), (-6, 26), (-36, 18)], step=7, rough=2, seed=47), 0, SLAB_MM)
    return difference(plate, *tiles((-40, -30, 40, 30), z=SLAB_MM, pitch=20))
