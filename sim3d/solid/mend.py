"""Repairs that change no shape: triangles turned to agree with their neighbours, overlapping parts made one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim3d.solid.boolean import Mesh, NotManifold
from sim3d.solid.joined import joined
from sim3d.solid.solid import Solid
from sim3d.solid.survey import cross_of, edges_of, parts_by_corner
from sim3d.solid.volume import as_one, outward
from sim3d.space import Bools, Floats, Ints

HOLE_SHARE = 0.25  # of a part's surface: with less to close it has an inside for all who look; a sheet has none


def wound(vertices: Floats, faces: Ints) -> tuple[Ints, int]:
    """The same triangles, neighbours agreeing which side is outside, closed parts outside out; how many were turned.

    Of a part that does not agree the fewer are turned; one that cannot agree with itself (a Möbius strip) stays as it
    is. What is inside out as a whole is turned with the hollows in it.

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
    for own in _each(part):
        if sheet[own[0]] == sheet[own[0] + count]:
            continue  # it cannot agree with itself
        flip = sheet[own] != sheet[own[0]]
        turn[own] = flip if 2 * flip.sum() <= len(own) else ~flip
    agreed = np.where(turn[:, None], faces[:, ::-1], faces)
    inwards = outward(vertices, agreed, edges_of(agreed, len(vertices)))[0] < 0
    return np.where(inwards[:, None], agreed[:, ::-1], agreed), int((turn != inwards).sum())


def _each(part: Ints) -> list[Ints]:
    """The numbers of what belongs to each part, rising."""
    return np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1])


def agreeing(solid: Solid) -> Solid:
    """The same solid, its neighbours agreeing which side is outside, and what is all but closed looking outwards.

    >>> from sim3d.solid.boolean import box
    >>> vertices, faces = box((0, 0, 0), (9, 9, 9))
    >>> lidless = Solid.of(vertices, faces[1:, ::-1])  # inside out, and a triangle is missing
    >>> bool((agreeing(lidless).outward == faces[1:]).all())
    True
    """
    if solid.closed and solid.wound:
        return solid
    many = len(solid.faces)
    faces = np.concatenate([solid.faces, solid.slivers])
    if not solid.wound:
        faces, _ = wound(solid.vertices, faces)
    inwards = all_but_closed(solid.vertices, faces) < 0
    faces = np.where(inwards[:, None], faces[:, ::-1], faces)
    return replace(solid, faces=faces[:many], slivers=faces[many:], _edges=None, _known={})


def all_but_closed(vertices: Floats, faces: Ints) -> Ints:
    """Of each triangle 1 where its part has but small holes, which a cone over their rims would close, and looks
    outwards; -1 where it looks inwards; 0 for all others, closed ones too."""
    edges, (many, part) = edges_of(faces, len(vertices)), parts_by_corner(faces, len(vertices))
    half = np.flatnonzero(edges.uses[edges.of_half] == 1)
    of = part[half % len(faces)]
    starts, ends = faces.T.ravel()[half], faces[:, (1, 2, 0)].T.ravel()[half]
    rims = np.bincount(of, minlength=many).clip(1)
    tips = np.stack([np.bincount(of, vertices[starts, k], many) / rims for k in range(3)], axis=1)
    cone = np.cross(vertices[ends] - tips[of], vertices[starts] - tips[of])
    own = vertices[faces] - tips[part][:, None]  # from its tip a cone has no volume
    volume = np.bincount(part, np.einsum("ij,ij->i", own[:, 0], np.cross(own[:, 1], own[:, 2])), many)
    area = np.bincount(part, np.linalg.norm(cross_of(vertices, faces), axis=1), many)
    hole = np.bincount(of, np.linalg.norm(cone, axis=1), many)
    found: Ints = np.where((hole > 0) & (hole < HOLE_SHARE * area), np.sign(volume), 0).astype(np.int64)[part]
    return found


def united(solid: Solid) -> Mesh | None:
    """One solid out of closed parts that share space, their hollows kept; None where they do not bound solids."""
    try:
        return as_one(solid.vertices, np.concatenate([solid.faces, solid.slivers]), solid.edges)
    except NotManifold:
        return None
