"""What of a mesh carries nothing under a cut: walls that go on over it, and the undersides of what has an inside.

A wall is all that is steeper than 70 degrees and hangs together, from corner to corner: how it is cut into triangles is
its maker's choice, so a part of it that ends below the cut carries no more than one that runs through. Its top does,
where that is no wall itself. Under the underside of something closed is air, and over it what it is made of; a part
that looks the other way than the largest may be hollow, or turned inside out: of that every face may carry. What only
repeats a triangle, as the back of a wall that is drawn on both sides, carries where that does.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.space import Bools, Floats, Ints

WALL_COS = 0.342  # cosine of 70 degrees


def ends_of(vertices: Floats, faces: Ints, sided: Bools) -> Floats:
    """Of each triangle the height that a cut must not be under for it to carry.

    Of a wall its top, of an underside infinity (no cut at all), of everything else minus infinity. `sided`: which of
    them belong to something that has an inside, and agree on which side that is; copies of such do not.

    >>> box = np.array([[x, y, z] for z in (0.0, 9) for y in (0, 5) for x in (0, 5)])
    >>> wall, top, under = [0, 1, 5], [4, 5, 7], [0, 2, 3]
    >>> ends_of(box, np.array([wall, top, under]), np.zeros(3, bool)).tolist()
    [9.0, -inf, -inf]
    """
    ends = np.full(len(faces), -math.inf)
    if not len(faces):
        return ends
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if sided.any():
        parts = _together(faces, len(vertices))[faces[:, 0]]
        volumes = np.bincount(parts, sided * ((corners[:, 0] - corners[0, 0]) * normals).sum(axis=1))
        largest = volumes[np.where(np.isin(np.arange(len(volumes)), parts[sided]), np.abs(volumes), -1.0).argmax()]
        under = sided & (normals[:, 2] * largest < 0.0) & (volumes[parts] * largest > 0.0)
        ends[under] = math.inf
        ends[_repeats(faces, under, sided)] = math.inf
    wall = normals[:, 2] ** 2 < WALL_COS**2 * (normals**2).sum(axis=1)
    steep = faces[wall]
    if len(steep):
        which = _together(steep, len(vertices))
        tops = np.full(len(vertices), -math.inf)
        np.maximum.at(tops, which[steep].ravel(), vertices[steep, 2].ravel())
        ends[wall] = tops[which[steep[:, 0]]]
    return ends


def _repeats(faces: Ints, under: Bools, sided: Bools) -> Bools:
    """Which triangles only repeat undersides: they have the corners of one, and what is under there is more than is up.

    Two parts, one on the other, may share a face: that is as much up as under.
    """
    repeats = np.zeros(len(faces), np.bool_)
    near = np.zeros(faces.max() + 1, np.bool_)
    near[faces[under]] = True
    others = ~under & near[faces].all(axis=1)
    near[:] = False
    near[faces[others]] = True
    some = np.flatnonzero((others | under) & near[faces].all(axis=1))
    if others.any():
        which = np.unique(np.sort(faces[some], axis=1), axis=0, return_inverse=True)[1].ravel()
        more = np.bincount(which, np.where(under[some], 1, np.where(sided[some], -1, 0)))
        repeats[some] = (more > 0)[which]
    return repeats


def _together(faces: Ints, many: int) -> Ints:
    """Of each of so many corners the number of the part to which it belongs: what hangs together, corner to corner."""
    from scipy.sparse import coo_array  # not before it is needed: it takes as long to load as a small mesh to read
    from scipy.sparse.csgraph import connected_components

    ways = (np.concatenate([faces[:, 0], faces[:, 1]]), np.concatenate([faces[:, 1], faces[:, 2]]))
    graph = coo_array((np.ones(len(ways[0]), np.int8), ways), shape=(many, many))
    parts: Ints = connected_components(graph, directed=False)[1].astype(np.int64)
    return parts
