"""Flat ground in few triangles: the same surface, but no engine need fight over hundreds of coplanar ones.

Engines keep four contacts a body or a triangle. On a flat of 1 mm triangles Bullet takes a hundred times as long and
jitters, and in Rapier a sliding base catches on edges that are not there. Merged, a flat is the few triangles it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled
from sim3d.engine.protocol import Rock
from sim3d.solid.boolean import triangulate
from sim3d.space import TOUCH_MM, Floats, Ints

FEWEST = 4  # triangles worth merging
SAME_AREA = 1e-6  # share by which a merged flat may differ in area; more and it is left as it was


def merged(ground: Rock) -> Rock:
    """The same surface, each flat (all corners within 0.0002 mm of one plane) cut into as few triangles as it takes.

    >>> grid = [[x, y, 0] for x in range(4) for y in range(4)]
    >>> quads = [(4 * x + y, 4 * x + y + 4, 4 * x + y + 5, 4 * x + y + 1) for x in range(3) for y in range(3)]
    >>> len(merged(Rock(grid, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])).faces)
    2
    """
    corners, faces = ground.vertices, ground.faces
    if len(faces) < FEWEST:
        return ground
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    region = _regions(corners, faces, normals, _neighbours(faces, len(corners)), TOUCH_MM)
    count = np.bincount(region)
    kept = [faces[count[region] < FEWEST]]
    order = np.argsort(region, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)])
    for i in np.flatnonzero(count >= FEWEST):
        members = order[starts[i] : starts[i + 1]]
        fewer = _retold(corners, faces[members], normals[members[0]])
        kept.append(faces[members] if fewer is None else fewer)
    return ground.with_faces(np.vstack(kept))


def _neighbours(faces: Ints, corners: int) -> Ints:
    """For each triangle and each of its sides (the one opposite corner 0, 1, 2) the triangle beyond, or -1."""
    u, v = faces[:, [1, 2, 0]].ravel(), faces[:, [2, 0, 1]].ravel()
    key = np.minimum(u, v) * corners + np.maximum(u, v)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.ones(len(key), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    run = np.cumsum(first) - 1
    two = np.bincount(run)[run] == 2
    beyond = np.full(len(key), -1, dtype=np.int64)
    pairs = order[two].reshape(-1, 2)
    beyond[pairs[:, 0]] = pairs[:, 1] // 3
    beyond[pairs[:, 1]] = pairs[:, 0] // 3
    return beyond.reshape(-1, 3)


@compiled
def _regions(corners: Floats, faces: Ints, normals: Floats, beyond: Ints, near: float) -> Ints:
    """A number for each triangle: those that hang together and lie in the plane of the first of them share one."""
    n = len(faces)
    region = np.full(n, -1, dtype=np.int64)
    stack = np.empty(n, dtype=np.int64)
    count = 0
    for seed in range(n):
        if region[seed] >= 0:
            continue
        region[seed] = count
        stack[0] = seed
        depth = 1
        nx, ny, nz = normals[seed]
        ox, oy, oz = corners[faces[seed, 0]]
        while depth > 0:
            depth -= 1
            here = stack[depth]
            for side in range(3):
                other = beyond[here, side]
                if other < 0 or region[other] >= 0:
                    continue
                flat = True
                for k in range(3):
                    x, y, z = corners[faces[other, k]]
                    if abs((x - ox) * nx + (y - oy) * ny + (z - oz) * nz) > near:
                        flat = False
                upright = abs(normals[other, 0] * nx + normals[other, 1] * ny + normals[other, 2] * nz)
                if flat and upright > 0.99:
                    region[other] = count
                    stack[depth] = other
                    depth += 1
        count += 1
    return region


def _retold(corners: Floats, faces: Ints, normal: Floats) -> Ints | None:
    """One flat from its outline alone; None where that is not the same surface (it folds back, or meets in a point)."""
    axis = int(np.argmin(np.abs(normal)))
    east = np.cross(np.eye(3)[axis], normal)
    east /= np.linalg.norm(east)
    plane = np.column_stack([east, np.cross(normal, east)])
    flat = corners @ plane if len(corners) < 4 * len(faces) else None
    used, local = np.unique(faces, return_inverse=True)
    points = corners[used] @ plane if flat is None else flat[used]
    local = local.reshape(-1, 3)
    a, b, c = (points[local[:, i]] for i in range(3))
    twice = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    local = np.where((twice < 0)[:, None], local[:, ::-1], local)
    loops = _outline(local, len(used))
    if loops is None:
        return None
    loops = [_straightened(points, loop) for loop in loops]
    if any(len(loop) < 3 for loop in loops):
        return None
    made = triangulate([points[loop] for loop in loops])
    if len(made) >= len(faces):
        return None
    names = np.concatenate(loops)[made]
    a, b, c = (points[names[:, i]] for i in range(3))
    again = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    before = float(np.abs(twice).sum())
    if abs(float(np.abs(again).sum()) - before) > SAME_AREA * before:
        return None
    fewer: Ints = used[names][again != 0]
    return fewer


def _outline(local: Ints, count: int) -> list[NDArray[np.int64]] | None:
    """The closed loops of sides that belong to one triangle only."""
    u, v = local.ravel(), local[:, [1, 2, 0]].ravel()
    lonely = ~np.isin(u * count + v, v * count + u)
    u, v = u[lonely], v[lonely]
    if len(np.unique(u)) != len(u) or len(np.unique(v)) != len(v):
        return None
    onward = dict(zip(u.tolist(), v.tolist(), strict=True))
    loops = []
    while onward:
        start, here = onward.popitem()
        loop = [start]
        while here != start:
            loop.append(here)
            following = onward.pop(here, None)
            if following is None:
                return None
            here = following
        loops.append(np.array(loop, dtype=np.int64))
    return loops


def _straightened(points: Floats, loop: NDArray[np.int64]) -> NDArray[np.int64]:
    """Without corners on a straight side; the first corner is where it starts, so it too is looked at."""
    ring = points[loop]
    before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    reach = np.maximum(np.hypot(before[:, 0], before[:, 1]), np.hypot(after[:, 0], after[:, 1]))
    turns_back = (before * after).sum(axis=1) <= 0
    straight: NDArray[np.int64] = loop[(bend > 1e-9 * reach) | turns_back]
    return straight
