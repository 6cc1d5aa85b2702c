"""How steep the way is from hex to hex: along several lanes between their middles, the easiest of them counts (HX13).

A wall is the largest rise over ground steeper than a slope one walks, and the largest drop, as one walks. A lane goes
from point to point of the lattice, and over everything steep that lies between two of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

import numpy as np

from sim3d.rules.hexes.board import FLAT, Wall
from sim3d.rules.hexes.grid import EVEN_MM, ROOT3, SIDES, WAYS, Hex, neighbour, way_to
from sim3d.rules.hexes.lanes import Between, Step, between
from sim3d.rules.hexes.samples import DIGITS, DIVISIONS, Samples, Skin
from sim3d.space import Ints

LANES = (-4, -2, 0, 2, 4)  # sideways, in steps of the lattice across the way: 15 mm either side at the usual size
NO_WAY = Wall(math.inf, math.inf)
DROP_MM = 1e-9  # a drop that is steeper than one walks by less than this, a rounding, is none
Point = tuple[float, list[float], bool]  # of a lane: along it, the surfaces there, whether it is one of the lattice
Surfaces = Callable[[int, int], list[float]]  # the heights of the surfaces at a point of the lattice
Profile = list[tuple[float, float, bool]]  # along the way, height, whether it is a point of the lattice


def walls_between(
    skin: Skin,
    samples: Samples,
    levels: Mapping[tuple[int, int], Sequence[float]],
    *,
    room_mm: float,
    steep_deg: float,
    gap_mm: float,
) -> dict[tuple[Hex, Hex], Wall]:
    """The wall from each place to each in the hexes around it, by levels' heights; nothing is said where it is flat.

    Levels that no lane joins have no way between them. Holes and cracks up to `gap_mm` wide are stepped over, however
    deep: a seam between two tiles is no wall.
    """
    found: dict[tuple[Hex, Hex], Wall] = {}
    steep = math.tan(math.radians(steep_deg))
    inside: dict[tuple[int, int, int, int], list[tuple[float, list[float]]]] = {}
    surfaces = cache(partial(_surfaces, samples))
    for step, starts in _steps(samples, levels):
        inside |= between(skin, samples.layout, step, starts, room_mm, steep)
    for (q, r), here in levels.items():
        for way in range(SIDES // 2):  # each pair of neighbours once
            beside = neighbour(Hex(q, r), way)
            there = levels.get((beside.q, beside.r))
            if there is None:
                continue
            lanes = _walked(samples, surfaces, inside, Hex(q, r), here, beside, there, steep, gap_mm)
            for i in range(len(here)):
                for j in range(len(there)):
                    walls = lanes.get((i, j), [NO_WAY])
                    if FLAT not in walls:
                        start, end = Hex(q, r, i), Hex(beside.q, beside.r, j)
                        found[start, end] = min(walls, key=_ease)
                        found[end, start] = min((wall.back for wall in walls), key=_ease)
    return found


def _steps(samples: Samples, levels: Mapping[tuple[int, int], Sequence[float]]) -> Iterator[tuple[Step, Ints]]:
    """Every step that lanes take between places, of each kind where it may begin."""
    for way in range(SIDES // 2):
        along, across = np.array(WAYS[way]), np.array(_across(way))
        pairs = [(at, beside[:2]) for at in levels if (beside := neighbour(Hex(*at), way))[:2] in levels]
        if not pairs:
            continue
        starts = np.array([samples.middle(Hex(*at)) for at, _ in pairs])
        ends = np.array([samples.middle(Hex(*beside)) for _, beside in pairs])
        yield WAYS[way], _spread(starts, (across, LANES), (along, range(DIVISIONS)))
        yield _across(way), _spread(np.concatenate([starts, ends]), (across, range(min(LANES), max(LANES))))


def _across(way: int) -> Step:
    """The step of the lattice straight to the left of a direction."""
    (a, b), (c, d) = WAYS[(way + 1) % SIDES], WAYS[(way + 2) % SIDES]
    return a + c, b + d


def _spread(points: Ints, *by: tuple[Ints, Sequence[int]]) -> Ints:
    """Points, and all that are so many times a step from them."""
    for step, times in by:
        points = np.concatenate([points + many * step for many in times])
    return points


def _walked(
    samples: Samples,
    surfaces: Surfaces,
    inside: Between,
    start: Hex,
    here: Sequence[float],
    end: Hex,
    there: Sequence[float],
    steep: float,
    gap_mm: float,
) -> dict[tuple[int, int], list[Wall]]:
    """Of each pair of levels that lanes join, walked from either end, the wall on each of them."""
    found: dict[tuple[int, int], list[Wall]] = {}
    for lane in LANES:
        line = _line(samples, surfaces, inside, start, end, lane)
        for i, height in enumerate(here):
            profile = _followed(line, height, gap_mm, steep)
            if profile is not None:
                found.setdefault((i, _nearest(there, profile[-1][1])), []).append(_wall(profile, steep))
        back = [(line[-1][0] - s, layers, point) for s, layers, point in reversed(line)]
        for j, height in enumerate(there):
            profile = _followed(back, height, gap_mm, steep)
            if profile is not None:
                found.setdefault((_nearest(here, profile[-1][1]), j), []).append(_wall(profile, steep).back)
    return found


def _ease(wall: Wall) -> tuple[float, float, Wall]:
    """What makes a wall easier than another: first its worse way; of two as bad the flatter one, then the lower rise.

    So that each way has its own where two lanes are as easy, and no order of lanes decides.
    """
    return _even(max(wall)), _even(sum(wall)), wall


def _even(high: float) -> float:
    """A height in whole steps of what is told apart."""
    return high if math.isinf(high) else round(high / EVEN_MM)


def _line(samples: Samples, surfaces: Surfaces, inside: Between, start: Hex, end: Hex, lane: int) -> list[Point]:
    """The surfaces along a lane: from the middle sideways, along, and back to the other middle."""
    way = way_to(start, end)
    assert way is not None  # only neighbours are asked
    along, (left, up) = WAYS[way], _across(way)
    sideways = [(left, up) if lane > 0 else (-left, -up)] * abs(lane)
    back = [(-a, -b) for a, b in sideways]
    step_mm = ROOT3 * samples.layout.size_mm / DIVISIONS
    a, b = samples.middle(start)
    at, line = 0.0, [(0.0, surfaces(a, b), True)]
    for da, db in (*sideways, *([along] * DIVISIONS), *back):
        far = step_mm if (da, db) == along else ROOT3 * step_mm
        line += [(at + share * far, layers, False) for share, layers in inside.get((a, b, da, db), ())]
        a, b = a + da, b + db
        over = inside.get((a, b, -da, -db), ())
        line += [(at + (1 - share) * far, layers, False) for share, layers in reversed(over)]
        at += far
        line.append((at, surfaces(a, b), True))
    return line


def _surfaces(samples: Samples, a: int, b: int) -> list[float]:
    column, row = samples.index(a, b)
    return [z for z in samples.heights[column, row].tolist() if not math.isnan(z)]


def _followed(line: Sequence[Point], height: float, gap_mm: float, steep: float) -> Profile | None:
    """The heights that one walks over from a level on, always on to the nearest surface; None at too wide a hole.

    What drops by more than one walks is stepped over, as a hole is, where the ground comes back within its width.
    """
    profile: Profile = []
    at, last, over = height, 0.0, 0
    for k, (s, layers, point) in enumerate(line):
        if k < over or not layers:
            if s - last > gap_mm + EVEN_MM:
                return None
            continue
        nearest = layers[0] if len(layers) == 1 else _nearest_to(layers, at)
        if profile and nearest < at - steep * (s - last) - DROP_MM:
            over = _beyond_crack(line, k, at, last, gap_mm, steep)
            if over > k:
                continue
        at, last = nearest, s
        profile.append((s, at, point))
    return profile or None


def _beyond_crack(line: Sequence[Point], first: int, at: float, last: float, gap_mm: float, steep: float) -> int:
    """Where on a line, after a drop, ground rises again to no deeper than one walks; the drop where it does not.

    It is a crack only where it is as deep under its lower side as the other is over that: else it is a step with a
    groove before it.
    """
    before, deep, _ = line[first]
    low = bottom = _nearest_to(deep, at)
    for k in range(first + 1, len(line)):
        s, layers, _ = line[k]
        if s - last > gap_mm + EVEN_MM:
            break
        if not layers:
            continue
        z = _nearest_to(layers, at)
        rises = z >= at - steep * (s - last) - DROP_MM and z > low + steep * (s - before) + DROP_MM
        if rises and min(at, z) - bottom >= abs(at - z) - EVEN_MM:
            return k
        before, low, bottom = s, z, min(bottom, z)
    return first


def _nearest_to(layers: Sequence[float], height: float) -> float:
    return min(layers, key=lambda z: (_even(abs(z - height)), z))


def _nearest(levels: Sequence[float], height: float) -> int:
    return min(range(len(levels)), key=lambda i: (_even(abs(levels[i] - height)), i))


def _wall(profile: Profile, steep: float) -> Wall:
    """The largest rise and the largest drop over a run of ground steeper than the slope.

    By the lattice's points alone as well: a ledge between two of them does not part a cliff.
    """
    points = [p for p in profile if p[2]]
    rise, drop = _steepest(profile, steep)
    if len(points) < len(profile) and points:
        again = _steepest(points, steep)
        rise, drop = max(rise, again[0]), max(drop, again[1])
    return Wall(round(rise, DIGITS), round(drop, DIGITS))


def _steepest(profile: Profile, steep: float) -> tuple[float, float]:
    up = down = highest = deepest = 0.0
    s, z, _ = profile[0]
    for t, y, _ in profile:
        rise, walked = y - z, steep * (t - s) + EVEN_MM
        up = up + rise if rise > walked else 0.0
        down = down - rise if -rise > walked else 0.0
        if up > highest:
            highest = up
        if down > deepest:
            deepest = down
        s, z = t, y
    return highest, deepest
