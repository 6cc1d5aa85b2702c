"""What lies between two points of a lane: it is cut with the triangles themselves, so that no fence is too thin.

Only where something there is steeper than one walks is anything told; all other ground is what its points say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sim3d.rules.hexes.grid import WAYS, Layout
from sim3d.rules.hexes.samples import (
    EDGE,
    Hits,
    Skin,
    cut_along,
    in_groups,
    layers_of,
    met,
    run,
    steps_of,
    together,
)
from sim3d.space import Bools, Floats, Ints

BESIDE_MM = 1e-4  # a lane looks this far before and behind every edge that it crosses: there the ground may jump
LEAST_MM = 1e-3  # what rises or drops by less than this more than one walks is even ground
KEYS = 2**30  # of a step: places nearer to each other than this part of it are one
TWICE = 2 * KEYS  # keys of a cell: the share at its end has one as well
Step = tuple[int, int]  # of the lattice
Between = Mapping[tuple[int, int, int, int], list[tuple[float, list[float]]]]  # point and step: share of it, surfaces


def between(
    skin: Skin, layout: Layout, step: Step, starts: Ints, room_mm: float, steep: float
) -> dict[tuple[int, int, int, int], list[tuple[float, list[float]]]]:
    """What is steep between points (n, 2) of the lattice and those a step on: where on the step, every surface there.

    Of each surface the largest rise and the largest drop over what one walks, both ends; where surfaces begin or end,
    every place at which they do, or are steep.
    """
    if not len(starts):
        return {}
    beside = next(np.array(w) for w in WAYS if abs(w[0] * step[1] - w[1] * step[0]) == 1)
    frame = np.array([beside, step])  # rows of the lattice along the step
    basis = frame @ steps_of(layout)
    origin = np.array(layout.origin)
    cells = np.unique(np.rint(starts @ np.linalg.inv(frame)).astype(np.int64), axis=0)
    step_mm = float(np.hypot(*basis[1]))
    lattice: Floats = (skin.corners[:, :, :2] - origin) @ np.linalg.inv(basis)
    triangles, lines, low, high = _cuts(skin, lattice, cells)
    which, share = _places(cells, lines, low, high, BESIDE_MM / step_mm)
    at = cells[which].astype(np.float64)
    at[:, 1] += share
    hits = _hits(skin, lattice, at, (triangles, lines, low, high))
    bare = np.flatnonzero(skin.on_table(at @ basis + origin))
    held = np.isin(hits[0], bare)
    where, z, _, _, rank = layers_of(skin, (hits[0][held], hits[1][held], hits[2][held]), bare, room_mm)
    heights = np.full((len(at), int(rank.max(initial=-1)) + 1), np.nan)
    heights[where, rank] = z
    found = {}
    for first, last in _steep(which, share * step_mm, heights, steep):
        kept = [k for k in _kept(share[first:last] * step_mm, heights[first:last], steep) if 0 < k < last - first - 1]
        if kept:
            a, b = cells[which[first]] @ frame
            told = ((float(share[first + k]), heights[first + k]) for k in kept)
            found[int(a), int(b), *step] = [(s, z[~np.isnan(z)].tolist()) for s, z in told]
    return found


def _cuts(skin: Skin, lattice: Floats, cells: Ints) -> tuple[Ints, Ints, Floats, Floats]:
    """Where triangles are cut by the rows that the cells are in: triangle, row, from where to where along it."""
    rows = np.unique(cells[:, 0])
    (left, low), (right, high) = _bounds(lattice)
    first = np.searchsorted(rows, left - EDGE)
    many = np.searchsorted(rows, right + EDGE, side="right") - first
    many[(high < cells[:, 1].min()) | (low > cells[:, 1].max() + 1) | ~skin.level] = 0
    found = []
    for group in in_groups(np.flatnonzero(many), many):
        t, row = run(group, first[group], many[group])
        low, high = cut_along(lattice[t], rows[row])
        met_it = low <= high
        found.append((t[met_it], rows[row][met_it], low[met_it], high[met_it]))
    none = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    t, line, low, high = (np.concatenate(part) for part in zip(none, *found, strict=True))
    return t, line, low, high


def _bounds(lattice: Floats) -> tuple[Floats, Floats]:
    """Of triangles (m, 3, 2) the least and the most (2, m), thrice as fast as along an axis."""
    a, b, c = (lattice[:, i].T for i in range(3))
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _places(cells: Ints, lines: Ints, low: Floats, high: Floats, beside: float) -> tuple[Ints, Floats]:
    """Where in cells anything may change, and both ends of every such cell: the cell, the share of it; in order."""
    looks = (low - beside, low + beside, high - beside, high + beside)
    at = np.concatenate(looks)
    cell = np.floor(at).astype(np.int64)
    which = _found(cells, np.column_stack([np.tile(lines, len(looks)), cell]))
    share = np.rint((at - cell) * KEYS).astype(np.int64)
    keys = which[which >= 0] * TWICE + share[which >= 0]
    starts = np.unique(keys // TWICE) * TWICE
    keys = np.unique(np.concatenate([keys, starts, starts + KEYS]))
    return keys // TWICE, keys % TWICE / KEYS


def _found(cells: Ints, asked: Ints) -> Ints:
    """The number of each cell that is asked for, in their order; -1 where it is none of them."""
    low = cells.min(axis=0)
    wide = int(cells[:, 1].max() - low[1]) + 1
    known = (cells[:, 0] - low[0]) * wide + cells[:, 1] - low[1]
    keys = (asked[:, 0] - low[0]) * wide + asked[:, 1] - low[1]
    number = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    inside = (asked[:, 1] >= low[1]) & (asked[:, 1] < low[1] + wide)
    return np.where(inside & (known[number] == keys), number, -1)


def _hits(skin: Skin, lattice: Floats, at: Floats, cuts: tuple[Ints, Ints, Floats, Floats]) -> Hits:
    """Where rays at places in rows, in order, meet triangles that are cut along these rows."""
    triangles, lines, low, high = cuts
    if not len(at):
        return together(())
    left = at[:, 1].min() - 2
    wide = at[:, 1].max() + 2 - left
    place = at[:, 0] * wide + at[:, 1] - left
    ends = np.clip(np.column_stack([low - 2 * EDGE, high + 2 * EDGE]) - left, 0, wide)
    first = np.searchsorted(place, lines * wide + ends[:, 0])
    many = np.searchsorted(place, lines * wide + ends[:, 1], side="right") - first
    found = []
    for group in in_groups(np.flatnonzero(many), many):
        cut, number = run(group, first[group], many[group])
        t = triangles[cut]
        inside, z = met(lattice[t], skin.corners[t, :, 2], at[number, 0], at[number, 1])
        found.append((number[inside], z[inside], t[inside]))
    return together(found)


def _steep(which: Ints, along: Floats, heights: Floats, steep: float) -> Iterator[tuple[int, int]]:
    """The cells, from place to place, in which anything is steeper than one walks, or surfaces begin or end."""
    if len(which) < 2 or not heights.shape[1]:
        return
    same = np.diff(which) == 0
    rise = np.abs(np.diff(heights, axis=0))
    bare = np.isnan(heights)
    odd = (rise > steep * np.diff(along)[:, None] + LEAST_MM).any(axis=1) | (bare[1:] != bare[:-1]).any(axis=1)
    starts = np.flatnonzero(np.r_[True, ~same])
    ends = np.r_[starts[1:], len(which)]
    for cell in np.unique(np.cumsum(np.r_[True, ~same])[:-1][same & odd]) - 1:
        yield int(starts[cell]), int(ends[cell])


def _kept(along: Floats, heights: Floats, steep: float) -> list[int]:
    """Which places of a cell are told."""
    bare: Bools = np.isnan(heights)
    odd = (bare[1:] != bare[:-1]).any(axis=1)
    if odd.any():
        odd |= (np.abs(np.diff(heights, axis=0)) > steep * np.diff(along)[:, None] + LEAST_MM).any(axis=1)
        return np.flatnonzero(np.r_[odd, False] | np.r_[False, odd]).tolist()
    kept: set[int] = set()
    for z in heights[:, ~bare[0]].T:
        for up in (z, -z):
            over = up - steep * along
            ends = over - np.minimum.accumulate(over)  # how much is risen from before to each place, at most
            begins = np.maximum.accumulate(over[::-1])[::-1] - over  # and from each place on
            most = float(ends.max())
            if most > LEAST_MM:  # of several as large all are told, so that walked from either end they are the same
                kept |= {*np.flatnonzero(np.maximum(ends, begins) > most - LEAST_MM).tolist()}
    return sorted(kept)
