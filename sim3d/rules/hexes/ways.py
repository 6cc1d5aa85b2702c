"""How steep the way is from hex to hex: along several lanes between their middles, the easiest of them counts (HX13).

A wall is the largest rise over ground steeper than a slope one walks, and the largest drop, as one walks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from sim3d.rules.hexes.board import FLAT, Wall
from sim3d.rules.hexes.grid import ROOT3, SIDES, WAYS, Hex, neighbour, way_to
from sim3d.rules.hexes.samples import DIGITS, DIVISIONS, Samples

LANES = (-4, -2, 0, 2, 4)  # sideways, in steps of the lattice across the way: 15 mm either side at the usual size
NO_WAY = Wall(math.inf, math.inf)
DROP_MM = 1e-9  # a drop that is steeper than one walks by less than this, a rounding, is none
Profile = list[tuple[float, float]]  # along the way, height


def walls_between(
    samples: Samples, levels: Mapping[tuple[int, int], Sequence[float]], *, steep_deg: float, gap_mm: float
) -> dict[tuple[Hex, Hex], Wall]:
    """The wall from each place to each in the hexes around it, by levels' heights; nothing is said where it is flat.

    Levels that no lane joins have no way between them. Holes and cracks up to `gap_mm` wide are stepped over, however
    deep: a seam between two tiles is no wall.
    """
    found: dict[tuple[Hex, Hex], Wall] = {}
    for (q, r), here in levels.items():
        for way in range(SIDES // 2):  # each pair of neighbours once
            beside = neighbour(Hex(q, r), way)
            there = levels.get((beside.q, beside.r))
            if there is None:
                continue
            best = _easiest(samples, Hex(q, r), here, beside, there, math.tan(math.radians(steep_deg)), gap_mm)
            for i in range(len(here)):
                for j in range(len(there)):
                    wall = best.get((i, j), NO_WAY)
                    start, end = Hex(q, r, i), Hex(beside.q, beside.r, j)
                    if wall != FLAT:
                        found[start, end], found[end, start] = wall, wall.back
    return found


def _easiest(
    samples: Samples,
    start: Hex,
    here: Sequence[float],
    end: Hex,
    there: Sequence[float],
    steep: float,
    gap_mm: float,
) -> dict[tuple[int, int], Wall]:
    """Of each pair of levels that a lane joins, walked from either end, the easiest wall."""
    best: dict[tuple[int, int], Wall] = {}

    def offer(i: int, j: int, wall: Wall) -> None:
        old = best.get((i, j))
        if old is None or (max(wall), sum(wall)) < (max(old), sum(old)):
            best[i, j] = wall

    for lane in LANES:
        line = _line(samples, start, end, lane)
        for i, height in enumerate(here):
            profile = _followed(line, height, gap_mm, steep)
            if profile is not None:
                offer(i, _nearest(there, profile[-1][1]), _wall(profile, steep))
        back = [(line[-1][0] - s, layers) for s, layers in reversed(line)]
        for j, height in enumerate(there):
            profile = _followed(back, height, gap_mm, steep)
            if profile is not None:
                offer(_nearest(here, profile[-1][1]), j, _wall(profile, steep).back)
    return best


def _line(samples: Samples, start: Hex, end: Hex, lane: int) -> list[tuple[float, list[float]]]:
    """The surfaces along a lane: from the middle sideways, along, and back to the other middle."""
    way = way_to(start, end)
    assert way is not None  # only neighbours are asked
    along = WAYS[way]
    left = (np.array(WAYS[(way + 1) % SIDES]) + np.array(WAYS[(way + 2) % SIDES])) * (1 if lane > 0 else -1)
    sideways = [(int(left[0]), int(left[1]))] * abs(lane)
    back = [(-a, -b) for a, b in sideways]
    step_mm = ROOT3 * samples.layout.size_mm / DIVISIONS
    a, b = samples.middle(start)
    at, line = 0.0, [(0.0, _layers(samples, a, b))]
    for da, db in (*sideways, *([along] * DIVISIONS), *back):
        a, b = a + da, b + db
        at += step_mm if (da, db) == along else ROOT3 * step_mm
        line.append((at, _layers(samples, a, b)))
    return line


def _layers(samples: Samples, a: int, b: int) -> list[float]:
    column, row = samples.index(a, b)
    return [z for z in samples.heights[column, row].tolist() if not math.isnan(z)]


def _followed(line: Sequence[tuple[float, list[float]]], height: float, gap_mm: float, steep: float) -> Profile | None:
    """The heights that one walks over from a level on, always on to the nearest surface; None at too wide a hole.

    What drops by more than one walks is stepped over, as a hole is, where the ground comes back within its width.
    """
    profile: Profile = []
    at, last, over = height, 0.0, 0
    for k, (s, layers) in enumerate(line):
        if k < over or not layers:
            if s - last > gap_mm:
                return None
            continue
        nearest = _nearest_to(layers, at)
        if profile and nearest < at - steep * (s - last) - DROP_MM:
            over = _beyond_crack(line, k, at, last, gap_mm, steep)
            if over > k:
                continue
        at, last = nearest, s
        profile.append((s, at))
    return profile or None


def _beyond_crack(
    line: Sequence[tuple[float, list[float]]], first: int, at: float, last: float, gap_mm: float, steep: float
) -> int:
    """Where on a line, after a drop, ground rises again to no deeper than one walks; the drop where it does not."""
    before, deep = line[first]
    low = _nearest_to(deep, at)
    for k in range(first + 1, len(line)):
        s, layers = line[k]
        if s - last > gap_mm:
            break
        if not layers:
            continue
        z = _nearest_to(layers, at)
        if z >= at - steep * (s - last) - DROP_MM and z > low + steep * (s - before) + DROP_MM:
            return k
        before, low = s, z
    return first


def _nearest_to(layers: Sequence[float], height: float) -> float:
    return min(layers, key=lambda z: (abs(z - height), z))


def _nearest(levels: Sequence[float], height: float) -> int:
    return min(range(len(levels)), key=lambda i: (abs(levels[i] - height), i))


def _wall(profile: Profile, steep: float) -> Wall:
    """The largest rise and the largest drop over a run of ground steeper than the slope."""
    most = [0.0, 0.0]
    run = [0.0, 0.0]
    for (s, z), (t, y) in pairwise(profile):
        for k, rise in enumerate((y - z, z - y)):
            run[k] = run[k] + rise if rise > steep * (t - s) + 1e-9 else 0.0
            most[k] = max(most[k], run[k])
    return Wall(*(round(high, DIGITS) for high in most))
