"""Polygons into triangles: convex ones as a fan, concave ones by their own shape, in the order of the file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim3d.solid.boolean import triangulate
from sim3d.solid.guard import bad
from sim3d.space import Floats, Ints

CONCAVE_MOST = 100_000  # concave polygons with more than four corners, cut one by one
CONCAVE_CORNERS_MOST = 20_000  # of one polygon; a larger one is cut as a fan


def triangulated(vertices: Floats, sizes: Ints, corners: Ints) -> Ints:
    """The triangles of polygons with `sizes` corners each, listed one after another; fewer than three make none.

    >>> arrow = np.array([[0.0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])      # concave at its third corner
    >>> triangulated(arrow, np.array([4]), np.array([1, 2, 3, 0])).tolist()
    [[2, 3, 0], [2, 0, 1]]
    """
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    if np.all(sizes == 3):
        return corners.reshape(-1, 3)
    made: list[Ints] = []
    owner: list[Ints] = []
    for size in np.unique(sizes[sizes >= 3]):
        which = np.flatnonzero(sizes == size)
        polygons = corners[starts[which][:, None] + np.arange(size)]
        triangles = _of_one_size(vertices, polygons)
        made.append(triangles.reshape(-1, 3))
        owner.append(np.repeat(which, size - 2))
    if not made:
        return np.empty((0, 3), np.int64)
    order = np.argsort(np.concatenate(owner), kind="stable")
    return np.concatenate(made)[order]


def _of_one_size(vertices: Floats, polygons: Ints) -> Ints:
    """Triangles (count, size - 2, 3) of polygons (count, size)."""
    count, size = polygons.shape
    i = np.arange(1, size - 1)
    fan = np.stack([np.broadcast_to(polygons[:, :1], (count, size - 2)), polygons[:, i], polygons[:, i + 1]], axis=2)
    known: NDArray[np.bool_] = np.all((polygons >= 0) & (polygons < len(vertices)), axis=1)
    if size == 3 or not known.any():
        return fan
    bent: NDArray[np.bool_]
    with np.errstate(invalid="ignore", over="ignore"):
        safe = vertices[np.where(known.reshape(-1, 1, 1), fan, 0)]
        normals = np.cross(safe[:, :, 1] - safe[:, :, 0], safe[:, :, 2] - safe[:, :, 0])
        whole = normals.sum(axis=1)  # the normal of the polygon, by its area
        bent = known & (np.einsum("ijk,ik->ij", normals, whole) < 0).any(axis=1) & np.isfinite(whole).all(axis=1)
    if size == 4:  # of the two diagonals of a concave quadrangle exactly one lies inside
        fan[bent] = polygons[bent][:, [[1, 2, 3], [1, 3, 0]]]
        return fan
    if int(bent.sum()) > CONCAVE_MOST:
        raise bad("mesh", f"{int(bent.sum())} concave polygons, at most {CONCAVE_MOST} are cut; triangulate it before")
    for k in np.flatnonzero(bent):
        fan[k] = _concave(vertices, polygons[k], whole[k], fan[k])
    return fan


def _concave(vertices: Floats, polygon: Ints, normal: Floats, fan: Ints) -> Ints:
    points = vertices[polygon]
    length = float(np.linalg.norm(normal))
    if len(polygon) > CONCAVE_CORNERS_MOST or not 0 < length < np.inf:
        return fan
    up = normal / length
    aside = np.eye(3)[int(np.abs(up).argmin())]
    x = np.cross(aside, up)
    x /= np.linalg.norm(x)
    cut = triangulate([np.column_stack([points @ x, points @ np.cross(up, x)])])
    return polygon[cut] if len(cut) == len(polygon) - 2 else fan
