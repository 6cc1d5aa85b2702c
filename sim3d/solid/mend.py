"""Repairs that change no shape: triangles turned to agree with their neighbours, overlapping parts made one."""

from __future__ import annotations

import numpy as np

from sim3d.solid.boolean import Mesh, NotManifold, union, volume_and_centre
from sim3d.solid.joined import joined
from sim3d.solid.solid import Solid
from sim3d.solid.survey import edges_of, parts_by_corner
from sim3d.solid.wrapped import winding
from sim3d.space import Bools, Floats, Ints


def wound(vertices: Floats, faces: Ints) -> tuple[Ints, int]:
    """The same triangles, neighbours agreeing which side is outside, closed parts outside out; how many were turned.

    A part that cannot agree with itself (a Möbius strip) stays as it is.

    >>> from sim3d.solid.boolean import box
    >>> vertices, faces = box((0, 0, 0), (1, 1, 1))
    >>> turned = faces.copy()
    >>> turned[3] = turned[3, ::-1]
    >>> wound(vertices, turned)[1], wound(vertices, faces[:, ::-1].copy())[1]
    (1, 12)
    """
    edges = edges_of(faces, len(vertices))
    count = len(faces)
    order = np.argsort(edges.of_half, kind="stable")
    first = (np.cumsum(edges.uses) - edges.uses)[edges.uses == 2]
    one, other = order[first], order[first + 1]
    ends = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    against = ends[one, 0] == ends[other, 0]  # both run the same way: one of the two is turned
    a, b = one % count, other % count
    # Two copies of every triangle, as it is and turned; what agrees is joined.
    rows = np.concatenate([a, a + count])
    columns = np.concatenate([np.where(against, b + count, b), np.where(against, b, b + count)])
    _, sheet = joined(2 * count, rows, columns)
    _, part = joined(count, a, b)
    turn: Bools = np.zeros(count, dtype=bool)
    whole = np.bincount(edges.of_half, minlength=len(edges.uses)) == 2
    for k in range(part.max() + 1):
        own = np.flatnonzero(part == k)
        if sheet[own[0]] == sheet[own[0] + count]:
            continue  # it cannot agree with itself
        flip = sheet[own] != sheet[own[0]]
        closed = bool(whole[edges.of_half[np.concatenate([own, own + count, own + 2 * count])]].all())
        turn[own] = _outwards(vertices, faces, own, flip) if closed else flip if 2 * flip.sum() <= len(own) else ~flip
    return np.where(turn[:, None], faces[:, ::-1], faces), int(turn.sum())


def _outwards(vertices: Floats, faces: Ints, own: Ints, flip: Bools) -> Bools:
    """Which triangles of a closed part to turn so that it looks outwards; one within another part stays a cavity."""
    made = np.where(flip[:, None], faces[own][:, ::-1], faces[own])
    volume, _ = volume_and_centre(vertices, made)
    if not flip.any() and volume < 0:
        rest = np.delete(faces, own, axis=0)
        if len(rest) and winding((vertices, rest), vertices[faces[own[0], 0]]) > 0.5:
            return flip  # a cavity
    return ~flip if volume < 0 else flip


def united(solid: Solid) -> Mesh | None:
    """One solid out of closed parts that share space; None where they do not bound solids."""
    _, part = parts_by_corner(solid.faces, len(solid.vertices))
    meshes = []
    for k in range(part.max() + 1):
        used, renumbered = np.unique(solid.faces[part == k], return_inverse=True)
        meshes.append((solid.vertices[used], renumbered.reshape(-1, 3).astype(np.int64)))
    try:
        return union(meshes)
    except NotManifold:
        return None
