"""Walls that look built and broken: plaster with patches of brick, stepped tops, framed openings, rubble."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim3d.forge.noise import between, chance, fbm
from sim3d.forge.shapes import Outline, along_y, block, box, moved, shaken
from sim3d.solid.boolean import Mesh, difference, union

COURSE_MM = 6.0  # height of a course of bricks; wall tops break in these steps, so each break is a small level ledge
BRICK_MM = 12.0
MORTAR_MM = 0.7
HALF_BRICK_MM = BRICK_MM / 2


@dataclass(frozen=True, slots=True)
class Opening:
    """A door or window: from x0 to x1 and z0 to z1 of its wall, with or without a frame and a round head."""

    x0: float
    x1: float
    z0: float
    z1: float
    framed: bool = True
    arched: bool = False

    def outline(self, grow: float = 0.0) -> Outline:
        """Seen from the front, in (x, z), `grow` mm larger at the sides and top; counter-clockwise."""
        x0, x1, z0, z1 = self.x0 - grow, self.x1 + grow, self.z0 - (grow if self.z0 > 8 else 0.0), self.z1 + grow
        if not self.arched:
            return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
        radius, middle = (x1 - x0) / 2, (x0 + x1) / 2
        turns = [math.pi * k / 16 for k in range(17)]
        spring = z1 - radius
        return [(x0, z0), (x1, z0), *((middle + radius * math.cos(a), spring + radius * math.sin(a)) for a in turns)]

    def covers(self, x0: float, x1: float, z0: float, z1: float, *, room: float) -> bool:
        """Whether a brick there would come within `room` of the opening."""
        return x1 > self.x0 - room and x0 < self.x1 + room and z1 > self.z0 - room and z0 < self.z1 + room


def broken_top(length: float, *, low: float, high: float, seed: int, size: float = 50.0) -> list[float]:
    """Heights for each half brick along a wall, in whole courses between low and high, broken as noise has it."""
    count = round(length / HALF_BRICK_MM)
    places = np.array([[k * HALF_BRICK_MM, 0.5, 0.5] for k in range(count)])
    rough = fbm(places, size=size, octaves=3, seed=seed, fade=0.6)
    share = np.clip(0.5 + 0.9 * rough, 0.0, 1.0)
    return [round((low + (high - low) * s) / COURSE_MM) * COURSE_MM for s in share.tolist()]


def falling(tops: Sequence[float], *, start: float, end: float) -> list[float]:
    """The same top cut by a line from `start` to `end` mm of height, in whole courses: a wall that crumbles away."""
    span = max(1, len(tops) - 1)
    line = [start + (end - start) * k / span for k in range(len(tops))]
    return [min(t, round(cut / COURSE_MM) * COURSE_MM) for t, cut in zip(tops, line, strict=True)]


def brick_wall(
    tops: Sequence[float],
    *,
    thick: float,
    seed: int,
    openings: Sequence[Opening] = (),
    foot: float = 0.0,
    bare: float = 0.12,
) -> list[Mesh]:
    """A wall along x from 0, centred on y = 0, as high as `tops` above z = 0; parts for a union.

    `bare` sets how much brick shows through the plaster: -1 all, 1 none.
    """
    section: list[tuple[float, float]] = [(0.0, foot), (len(tops) * HALF_BRICK_MM, foot)]
    for k in range(len(tops) - 1, -1, -1):
        right, left = (k + 1) * HALF_BRICK_MM, k * HALF_BRICK_MM
        if k == len(tops) - 1 or tops[k] != tops[k + 1]:
            section.append((right, tops[k]))
        if k == 0 or tops[k] != tops[k - 1]:
            section.append((left, tops[k]))
    core = along_y(section, -thick / 2, thick / 2)
    holes = [along_y(o.outline(), -thick, thick) for o in openings]
    made = [difference(core, *holes)]
    for opening in openings:
        if opening.framed and opening.z1 + 3 <= _lowest(tops, opening.x0 - 3, opening.x1 + 3):
            made.append(_frame(opening, thick))
    return made + _bricks(tops, thick, seed, openings, foot, bare)


def _lowest(tops: Sequence[float], x0: float, x1: float) -> float:
    first, last = int(x0 // HALF_BRICK_MM), int((x1 - 1e-9) // HALF_BRICK_MM)
    return min(tops[max(0, first) : last + 1], default=0.0)


def _frame(opening: Opening, thick: float) -> Mesh:
    deep = thick / 2 + 1.1
    outer, inner = along_y(opening.outline(3.0), -deep, deep), along_y(opening.outline(), -2 * deep, 2 * deep)
    if opening.z0 <= 8:
        return difference(outer, inner)
    sill = box((opening.x0 - 5, -deep - 1.4, opening.z0 - 3.4), (opening.x1 + 5, deep + 1.4, opening.z0))
    return union([difference(outer, inner), sill])


def _bricks(
    tops: Sequence[float], thick: float, seed: int, openings: Sequence[Opening], foot: float, bare: float
) -> list[Mesh]:
    made = []
    length, gap = len(tops) * HALF_BRICK_MM, MORTAR_MM / 2
    for side in (-1, 1):
        for course in range(int(max(tops) // COURSE_MM)):
            z0 = course * COURSE_MM
            shift = HALF_BRICK_MM if course % 2 else 0.0
            for k in range(-1, int(length // BRICK_MM) + 1):
                x0, x1 = max(0.0, k * BRICK_MM + shift), min(length, (k + 1) * BRICK_MM + shift)
                if x1 - x0 < HALF_BRICK_MM or z0 + COURSE_MM > _lowest(tops, x0, x1) or z0 < foot:
                    continue
                if any(o.covers(x0, x1, z0, z0 + COURSE_MM, room=3.2 if o.framed else 0.2) for o in openings):
                    continue
                place = np.array([[(x0 + x1) / 2 + 500.0 * side, z0, 3.0]])
                near_top = 0.35 * (z0 + 2 * COURSE_MM > _lowest(tops, x0, x1))
                if float(fbm(place, size=34.0, octaves=2, seed=seed)[0]) + near_top < bare:
                    continue
                out = between(0.35, 0.85, seed, side, course, k)
                y = sorted((side * (thick / 2 - 0.5), side * (thick / 2 + out)))
                made.append(box((x0 + gap, y[0], z0 + gap), (x1 - gap, y[1], z0 + COURSE_MM - gap)))
    return made


def stone(size: float, seed: int) -> Mesh:
    """A broken stone about `size` mm across, its underside's middle near the origin."""
    shape = (size, size * between(0.6, 0.95, seed, 1), size * between(0.4, 0.7, seed, 2))
    return shaken(block(shape, (0, 0, 0)), size * 0.16, seed)


def rubble(
    count: int, *, centre: tuple[float, float], reach: tuple[float, float], z: float, size: float, seed: int
) -> list[Mesh]:
    """Stones strewn around a centre, thickest and highest in its middle, sunk a little into what lies below."""
    made = []
    for k in range(count):
        angle, out = between(0, 2 * math.pi, seed, k, 1), between(0.02, 1.0, seed, k, 2) ** 0.8
        big = round(size * between(0.45, 1.15, seed, k, 3) * (1.1 - 0.45 * out), 2)
        x, y = centre[0] + reach[0] * out * math.cos(angle), centre[1] + reach[1] * out * math.sin(angle)
        lift = z - 0.12 * big + 0.35 * size * (1 - out) * chance(seed, k, 4)
        lean = (between(-14, 14, seed, k, 5), between(-14, 14, seed, k, 6))
        made.append(moved(stone(big, seed * 1000 + k), (x, y, lift), turn=between(0, 360, seed, k, 7), lean=lean))
    return made


def tiles(
    outline: tuple[float, float, float, float], *, z: float, pitch: float, width: float = 0.8, deep: float = 0.5
) -> list[Mesh]:
    """Grooves that draw a grid of tiles into a floor at z; to be taken away from it."""
    x0, y0, x1, y1 = outline
    xs = np.arange(math.ceil(x0 / pitch) * pitch, x1, pitch).tolist()
    ys = np.arange(math.ceil(y0 / pitch) * pitch, y1, pitch).tolist()
    cuts = [box((x - width / 2, y0, z - deep), (x + width / 2, y1, z + 1)) for x in xs]
    return cuts + [box((x0, y - width / 2, z - deep), (x1, y + width / 2, z + 1)) for y in ys]


def ragged(outline: Outline, *, step: float, rough: float, seed: int) -> Outline:
    """An outline walked in steps and pushed in and out by up to `rough` mm: the edge of a broken slab."""
    sides = zip(outline, [*outline[1:], outline[0]], strict=True)
    edges = [ragged_edge(a, b, step=step, rough=rough, seed=seed, side=k) for k, (a, b) in enumerate(sides)]
    return [point for edge in edges for point in edge]


def ragged_edge(
    start: tuple[float, float], end: tuple[float, float], *, step: float, rough: float, seed: int, side: int = 0
) -> Outline:
    """One such edge, from its start (which stays where it is) to just before its end."""
    length = math.dist(start, end)
    across = ((end[1] - start[1]) / length, (start[0] - end[0]) / length)
    pieces = max(1, round(length / step))
    out: list[tuple[float, float]] = [start]
    for j in range(1, pieces):
        share, push = j / pieces, between(-rough, rough, seed, side, j)
        x, y = (start[k] + (end[k] - start[k]) * share + across[k] * push for k in (0, 1))
        out.append((x, y))
    return out
