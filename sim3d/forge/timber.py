"""What is built of wood: planked decks and a watch tower with platforms at z = 60 and 120 and a sloping roof."""

from __future__ import annotations

from collections.abc import Sequence

from sim3d.forge.noise import between, chance
from sim3d.forge.shapes import beam, block, box, finished, moved, prism
from sim3d.solid.boolean import Mesh, union

PLANK_MM = 9.0
GAP_MM = 0.6
UNEVEN_MM = 0.5  # how far planks differ in height: what a real printed deck does to a base


def planks(
    x0: float,
    x1: float,
    y0: float,
    y1: float,
    *,
    top: float,
    thick: float,
    seed: int,
    holes: Sequence[int] = (),
    jointed: bool = True,
) -> list[Mesh]:
    """Planks along y from x0 to x1, tops at most `top`, ends uneven; leaves `holes` out; some `jointed` of two."""
    made = []
    count = round((x1 - x0) / PLANK_MM)
    pitch = (x1 - x0) / count
    for k in range(count):
        if k in holes:
            continue
        over = top - between(0.0, UNEVEN_MM, seed, k, 1)
        ends = (y0 - between(0, 1.8, seed, k, 2), y1 + between(0, 1.8, seed, k, 3))
        left, right = x0 + k * pitch + GAP_MM / 2, x0 + (k + 1) * pitch - GAP_MM / 2
        cut = round(ends[0] + (ends[1] - ends[0]) * between(0.3, 0.7, seed, k, 4), 2)
        if jointed and chance(seed, k, 5) < 0.45:  # a plank of two lengths: the joint shows
            made.append(box((left, ends[0], over - thick), (right, cut - GAP_MM / 2, over)))
            made.append(box((left, cut + GAP_MM / 2, over - thick), (right, ends[1], over - 0.15)))
        else:
            made.append(box((left, ends[0], over - thick), (right, ends[1], over)))
    return made


def watch_tower() -> Mesh:
    """A tower on four legs: a half deck at z = 60, a deck at 120, a shed roof over it, a ladder all the way."""
    foot, head, crown = 46.0, 38.0, 192.0
    parts: list[Mesh] = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            top = crown - 9 if sx < 0 else crown - 25
            lean = (head - foot) / 120
            x, y = sx * foot, sy * foot
            parts.append(beam((x, y, 2), (x + sx * lean * 118, y + sy * lean * 118, 120), width=8))
            parts.append(beam((sx * head, sy * head, 116), (sx * head, sy * head, top), width=7))
            parts.append(block((17, 17, 7), (x, y, 0), bevel=1.5, turn=3.0 * sx * sy))
            parts.append(block((13, 13, 11), (x, y, 0), bevel=1.2, turn=-4.0 * sx))
    parts += _braces(foot, head)
    for z, reach in ((60.0, 48.0), (120.0, 54.0)):
        for s in (-1, 1):
            at = s * (reach - 11)
            parts.append(box((at - 3, -reach, z - 9), (at + 3, reach, z - 2.6)))
            parts.append(box((-reach + 2, at - 3, z - 10.5), (reach - 2, at + 3, z - 2.8)))
        parts.append(box((-3, -reach, z - 9), (3, reach if z > 100 else 20, z - 2.6)))
        parts.append(box((-reach + 2, 3, z - 10), (reach - 2, 9, z - 2.8)))
    parts += planks(-54, 0, -50, 50, top=60, thick=3.4, seed=4)
    parts += planks(0, 54, -50, 14, top=60, thick=3.4, seed=5, holes=(4,))
    parts += planks(-60, 30, -60, 60, top=120, thick=3.4, seed=6)
    parts += planks(30, 60, -60, 30, top=120, thick=3.4, seed=7)
    parts += _rails()
    parts += _ladder()
    for k, (y0, y1) in enumerate(((-50, -14), (-14, 18), (18, 50))):
        roof = planks(-54, 54, y0, y1 - 1.5, top=0, thick=2.2, seed=20 + k, jointed=False)
        parts += [moved(p, (0, 0, crown - 12 + 0.25 * k), lean=(0, 9)) for p in roof]
    for y in (-38.0, 0.0, 38.0):
        parts.append(moved(box((-52, y - 3, -7), (52, y + 3, -1.4)), (0, 0, crown - 12), lean=(0, 9)))
    return finished(union(parts))


def _braces(foot: float, head: float) -> list[Mesh]:
    made = []
    for side in range(4):
        for z0, z1 in ((8.0, 48.0), (64.0, 108.0)):
            if side == 1 and z0 < 60:
                continue  # the way in stays open
            a, b = (foot - (foot - head) * z / 120 for z in (z0, z1))
            one = beam((-a, -a, z0), (b, -b, z1), width=4)
            two = beam((a, -a + 1.2, z0), (-b, -b + 1.2, z1), width=4)
            made += [moved(one, (0, 0, 0), turn=90.0 * side), moved(two, (0, 0, 0), turn=90.0 * side)]
    return made


def _rails() -> list[Mesh]:
    """A handrail round the upper deck, open where the ladder comes up, with shields of planks on two sides."""
    made = []
    edge = 56.0
    posts = [(-edge, y) for y in (-56, 0, 56)] + [(x, -edge) for x in (0, 56)] + [(edge, y) for y in (0, 24)]
    posts += [(x, edge) for x in (-28, 0, 26)]
    for x, y in posts:
        made.append(box((x - 2, y - 2, 116), (x + 2, y + 2, 138)))
    made.append(box((-58, -58.5, 132), (-54, 57, 135)))
    made.append(box((-58, -58, 132.5), (58, -54, 135.5)))
    made.append(box((54, -57, 132), (58, 26, 135)))
    made.append(box((-57, 54, 132), (28, 58, 135)))
    for k in range(10):
        lift = between(0, 5, 9, k)
        high = 137 + between(0, 4, 8, k)
        made.append(box((-58.5 + 0.1 * (k % 2), -50 + 10 * k, 112 - lift), (-55.5, -41 + 10 * k, high)))
        if k < 6:
            made.append(box((-50 + 10 * k, -58.8, 113 - lift), (-41 + 10 * k, -55.4, 138 + between(0, 4, 7, k))))
    return made


def _ladder() -> list[Mesh]:
    """At the back right corner, from the ground through the gap in both decks."""
    made = [beam((x, 52, 0.5), (x, 40, 134), width=3) for x in (36.0, 50.0)]
    for k in range(16):
        z = 8.0 + 8 * k
        made.append(beam((35, 52 - 12 * (z / 134), z), (51, 52 - 12 * (z / 134), z), width=2, sides=6))
    made.append(prism([(32, 34), (54, 34), (54, 56), (32, 56)], 0, 1.6))
    return made
