"""Bells: over which height a surface with a border has an inside, as a hill without a bottom has one over its foot.

Whatever closes the rim from below, over it the surface goes all round. Cracks are passed over, holes through which no
miniature gets, and what stands out of a rim by no more than that. A tent that is open up to its ridge has no inside,
nor has a bowl, whose rim is on top.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.solid.insides import NONE, Parts, inner_walls
from sim3d.solid.survey import Edges, edges_of, near_corners
from sim3d.space import Bools, Floats, Ints

SEAM_MM = 0.01  # two halves of a hill that lie as near to each other are one
ENTRY_MM2, ENTRY_SHARE = 240.0, 0.05  # 20 mm wide and 12 high: by less, and less of its surface, nobody gets in
ROUND_MM = 1e-6  # heights are rounded: what reaches no higher over a rim than this has nothing over it


def bordered(faces: Ints, shell: Ints) -> Bools:
    """Which triangles are left to look for bells: of all that bounds no shell one copy each.

    Nothing is inside of a shell of triangles that are all drawn on both sides: it is a sheet, which has a border.
    """
    if not len(faces):
        return np.zeros(0, np.bool_)
    same = _same(np.sort(faces, axis=1))
    _, own, copies = np.unique(
        same * (int(shell.max()) + 2) + shell + 1, return_inverse=True, return_counts=True
    )  # one number for a triangle and its shell
    single = np.bincount(shell + 1, copies[own.ravel()] == 1, int(shell.max()) + 2) > 0
    solid = (shell != NONE) & single[shell + 1]
    bounds = np.bincount(same, solid) > 0
    first = np.zeros(len(faces), np.bool_)
    first[np.unique(same, return_index=True)[1]] = True
    left: Bools = first & ~bounds[same]
    return left


def _same(rows: Ints) -> Ints:
    """The group of each row, of rows that are alike."""
    order = np.lexsort(rows.T)
    fresh = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    group = np.empty(len(rows), np.int64)
    group[order] = np.concatenate([[0], np.cumsum(fresh)])
    return group


def bells_of(vertices: Floats, faces: Ints) -> tuple[Ints, Floats]:
    """Of each triangle the bell that it is part of, and how high that one's rim is; inf where it has no inside.

    Every part is one by itself; but parts that meet, as two halves of a hill do, are one where that is closed lower.
    """
    edges = edges_of(faces, len(vertices))
    inner = inner_walls(vertices, faces, edges)
    if inner.any():
        bells, rims = np.zeros(len(faces), np.int64), np.full(len(faces), math.inf)
        bells[~inner], rims[~inner] = bells_of(vertices, faces[~inner])
        return bells, rims
    parts = Parts.of(vertices, faces, edges)
    rims = _rims(parts, faces)[parts.part]
    on_border = np.zeros(len(vertices), np.bool_)
    on_border[parts.edges.ends[parts.border]] = True
    became = near_corners(vertices, np.flatnonzero(on_border), SEAM_MM)
    if became is None:
        return parts.part, rims
    faces = became[faces]
    met = Parts.of(vertices, faces, edges_of(faces, len(vertices)))
    least = np.full(met.many, math.inf)
    np.minimum.at(least, met.part, rims)
    met_rims = _rims(met, faces)
    lower = (met_rims < least)[met.part]
    return np.where(lower, parts.many + met.part, parts.part), np.where(lower, met_rims[met.part], rims)


def _rims(parts: Parts, faces: Ints) -> Floats:
    """How high the rim of each part is: over the lowest height of a corner of its border over which it is shut."""
    heights, edges = parts.vertices[:, 2], parts.edges
    corners, ends = np.unique(edges.ends[parts.border], return_inverse=True)
    ends = ends.reshape(-1, 2)  # the border by itself: it is looked at again and again
    alone = Edges(ends, edges.uses[parts.border], edges.forward[parts.border], np.zeros(0, np.int64))
    owner, every = parts.of_edge[parts.border], np.arange(len(ends))
    borders = parts._replace(vertices=parts.vertices[corners], edges=alone, of_edge=owner, border=every)
    tops = heights[corners][ends].max(axis=1)
    steps = _steps(np.repeat(owner, 2), heights[corners][ends].ravel())
    low = np.searchsorted(steps[:, 0], np.arange(parts.many))
    high = np.searchsorted(steps[:, 0], np.arange(parts.many), side="right") - 1  # over the last there is no border
    whole = borders.shut(every, ENTRY_MM2, ENTRY_SHARE)
    high[whole] = low[whole]
    while (low < high).any():
        middle = (low + high) // 2
        asked = (low < high)[owner] & (tops > steps[middle[owner], 1])
        shut = borders.shut(every[asked], ENTRY_MM2, ENTRY_SHARE)
        low, high = np.where(shut | (low >= high), low, middle + 1), np.where(shut & (low < high), middle, high)
    rims = np.full(parts.many, -math.inf)
    rims[~whole] = steps[high[~whole], 1]
    reach = np.full(parts.many, -math.inf)
    np.maximum.at(reach, parts.part, heights[faces].max(axis=1))
    return np.where(rims < reach - ROUND_MM, rims, math.inf)


def _steps(owner: Ints, heights: Floats) -> Floats:
    """The heights of each owner, from low to high, each once: rows (owner, height)."""
    order = np.lexsort((heights, owner))
    rows = np.column_stack([owner, heights])[order]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]
