"""Meshes for looking at: simplified until they are few enough, by as little as that takes, and it says by how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from sim3d.solid import Solid
from sim3d.solid.boolean import NotManifold, simplifier
from sim3d.space import Floats, Ints

MOST_FACES = 80_000  # of a whole page: what a telephone draws without a stutter
STEPS_MM = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0)  # off the true surface
Mesh = tuple[Floats, Ints]


def plainer(
    solids: Sequence[Solid], most: int = MOST_FACES, *, times: Sequence[int] | None = None
) -> tuple[list[Mesh], float]:
    """A mesh for each solid, together at most so many triangles if that can be; how far off they are at most, mm.

    `times` says how often each is shown; without it, once.
    """
    many = times or [1] * len(solids)
    meshes: list[Mesh] = [(s.vertices, s.faces) for s in solids]
    off, simpler = 0.0, cache(plain_of)
    for within in STEPS_MM:
        if sum(n * len(faces) for n, (_, faces) in zip(many, meshes, strict=True)) <= most:
            return meshes, off
        fewer = most / 4 / max(1, sum(many))  # what is small stays as it is
        meshes = [simpler(s)(within) if len(mesh[1]) > fewer else mesh for mesh, s in zip(meshes, solids, strict=True)]
        off = within
    return meshes, off


def plain_of(solid: Solid) -> Callable[[float], Mesh]:
    """What makes a mesh of it, no farther off than told; where it has no inside, by putting corners together."""
    whole = (solid.vertices, solid.faces)
    try:
        simpler = simplifier(whole)
    except NotManifold:
        return partial(clustered, whole)

    def plain(within_mm: float) -> Mesh:
        try:
            return simpler(within_mm)
        except NotManifold:
            return clustered(whole, within_mm)

    return plain


def clustered(mesh: Mesh, within_mm: float) -> Mesh:
    """Corners in one cell of a grid become the first of them; triangles that lose a corner go.

    >>> corners = np.array([[0.0, 0, 0], [0.1, 0, 0], [5, 0, 0], [0, 5, 0]])
    >>> clustered((corners, np.array([[0, 1, 2], [1, 2, 3]])), 1.0)[1].tolist()
    [[0, 1, 2]]
    """
    vertices, faces = mesh
    cells = np.floor(vertices / (within_mm / np.sqrt(3))).astype(np.int64)  # the diagonal of a cell is what is allowed
    _, first, same = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    faces = first[same.ravel()[faces]]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if not len(faces):
        return mesh  # it is smaller than a cell
    used, numbers = np.unique(faces, return_inverse=True)
    return vertices[used], numbers.reshape(-1, 3).astype(np.int64)
