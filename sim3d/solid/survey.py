"""What a surface is like, counted: corners that are one, edges that are open, parts, winding. No judgement, no change.

An edge is *open* where one triangle uses it, *crowded* where more than two do. A surface is *closed* when every edge is
used an even number of times (then it has no border), and *wound* when every shared edge is used as often one way as
the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim3d.solid.counted import first_seen, shared
from sim3d.solid.joined import joined
from sim3d.space import SAME_VERTEX_MM, Bools, Floats, Ints

MANY = 200_000  # corners or triangles: they are counted in compiled passes, which takes a sixth of the time
SEAM_MOST = 1_000_000  # corners on open edges: more is no seam either, but triangles that never met
CROWD = 8  # neighbours per corner on average, that near: more is no seam, but a heap of points


@dataclass(frozen=True, slots=True)
class Edges:
    """Every edge once: its ends (lower index first), how many triangles use it, how many of them from low to high."""

    ends: Ints
    uses: Ints
    forward: Ints
    of_half: Ints  # for the half-edges 0-1 of all triangles, then 1-2, then 2-0: which edge it lies on

    @property
    def open(self) -> Ints:
        """The edges used by one triangle."""
        return np.flatnonzero(self.uses == 1)

    @property
    def crowded(self) -> Ints:
        """The edges used by more than two triangles."""
        return np.flatnonzero(self.uses > 2)

    @property
    def closed(self) -> bool:
        """No border anywhere."""
        return not np.any(self.uses % 2)

    @property
    def miswound(self) -> Ints:
        """The edges whose triangles do not agree which side is outside."""
        return np.flatnonzero((self.uses % 2 == 0) & (self.forward * 2 != self.uses))


def edges_of(faces: Ints, corners: int) -> Edges:
    """The edges of triangles (m, 3) over so many corners.

    >>> edges = edges_of(np.array([[0, 1, 2], [2, 1, 3]]), 4)
    >>> len(edges.open), len(edges.crowded), edges.closed, len(edges.miswound)
    (4, 0, False, 0)
    """
    if len(faces) > MANY:
        return Edges(*shared(np.ascontiguousarray(faces), corners))
    a = faces.T.ravel()  # half-edges 0-1 of all faces, then 1-2, then 2-0
    b = faces[:, (1, 2, 0)].T.ravel()
    key = np.minimum(a, b) * corners + np.maximum(a, b)
    order = np.argsort(key)
    ranked = key[order]
    first = np.ones(len(ranked), dtype=bool)
    first[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(first)
    of_half = np.empty(len(key), dtype=np.int64)
    of_half[order] = np.cumsum(first) - 1
    uses = np.diff(np.append(starts, len(ranked)))
    forward = np.bincount(of_half, weights=a < b, minlength=len(starts)).astype(np.int64)
    low, high = np.divmod(ranked[starts], max(corners, 1))
    return Edges(np.column_stack([low, high]), uses, forward, of_half)


def same_corners(vertices: Floats) -> tuple[Ints, Ints]:
    """Corners at bit-identical places are one: which to keep (in file order), and for each corner which it became.

    >>> same_corners(np.array([[1.0, 0, 0], [2, 0, 0], [1, 0, 0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    if not len(vertices):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if len(vertices) > MANY:
        keep, became = first_seen(np.ascontiguousarray(vertices).view(np.uint64))
        if len(keep):
            return keep, became
    mixed = _mixed(vertices)
    order = np.argsort(mixed, kind="stable")
    keep, became = _grouped(order, mixed[order][1:] != mixed[order][:-1])
    if not np.array_equal(vertices[keep][became], vertices):  # two places with one mix: sort by all three, more slowly
        order = np.lexsort(vertices.T)
        keep, became = _grouped(order, np.any(vertices[order][1:] != vertices[order][:-1], axis=1))
    rank = np.argsort(keep)  # back into the order of the file
    place = np.empty(len(keep), np.int64)
    place[rank] = np.arange(len(keep))
    return keep[rank], place[became]


def _mixed(vertices: Floats) -> NDArray[np.uint64]:
    """A 64-bit number of all three coordinates: equal for equal places, and hardly ever for others."""
    bits = np.ascontiguousarray(vertices).view(np.uint64)
    mixed = np.zeros(len(vertices), np.uint64)
    for axis in range(3):
        mixed = (mixed ^ bits[:, axis]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _grouped(order: Ints, differs: Bools) -> tuple[Ints, Ints]:
    """The first of every group of equal neighbours in a stable order, and the group of each."""
    fresh = np.concatenate([[True], differs])
    became = np.empty(len(order), np.int64)
    became[order] = np.cumsum(fresh) - 1
    return order[fresh], became


def near_corners(vertices: Floats, some: Ints, near_mm: float = SAME_VERTEX_MM) -> Ints | None:
    """For every corner which it becomes when those of `some` that are as near as that are one; None when none are.

    >>> near_corners(np.array([[0.0, 0, 0], [1, 0, 0], [1 + 1e-6, 0, 0]]), np.arange(3)).tolist()
    [0, 1, 1]
    """
    if len(some) > SEAM_MOST:
        return None
    from scipy.spatial import cKDTree  # not before a surface is open

    tree = cKDTree(vertices[some])
    if tree.count_neighbors(tree, near_mm) > CROWD * len(some):
        return None
    pairs = tree.query_pairs(near_mm, output_type="ndarray")
    if not len(pairs):
        return None
    count, label = joined(len(some), pairs[:, 0], pairs[:, 1])
    lowest = np.full(count, len(vertices), np.int64)
    np.minimum.at(lowest, label, some)
    became = np.arange(len(vertices))
    became[some] = lowest[label]
    return became


def parts_by_corner(faces: Ints, corners: int) -> tuple[int, Ints]:
    """Loose parts: how many groups of triangles hang together by at least a corner, and the group of each triangle."""
    a, b, c = faces.T
    _, label = joined(corners, np.concatenate([a, b]), np.concatenate([b, c]))
    groups, of_face = np.unique(label[a], return_inverse=True)
    return len(groups), of_face


def cross_of(vertices: Floats, faces: Ints) -> Floats:
    """Twice the area of each triangle as a vector along its normal."""
    a = vertices[faces[:, 0]]
    return np.cross(vertices[faces[:, 1]] - a, vertices[faces[:, 2]] - a)


def heights_of(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Each triangle's area in mm², and its height over its longest side: a sliver has none."""
    double = np.linalg.norm(cross_of(vertices, faces), axis=1)
    longest = np.zeros(len(faces))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        side = vertices[faces[:, i]] - vertices[faces[:, j]]
        np.maximum(longest, np.einsum("ij,ij->i", side, side), out=longest)
    longest = np.sqrt(longest)
    height = np.divide(double, longest, out=np.zeros_like(double), where=longest > 0)
    return double / 2, height


def duplicates(faces: Ints) -> Ints:
    """Triangles that repeat an earlier one: the same corners wound the same way (a back face is none).

    >>> duplicates(np.array([[0, 1, 2], [1, 2, 0], [2, 1, 0]])).tolist()
    [1]
    """
    turn = np.argmin(faces, axis=1)
    rows = np.arange(len(faces))
    turned = np.column_stack([faces[rows, turn], faces[rows, (turn + 1) % 3], faces[rows, (turn + 2) % 3]])
    order = np.lexsort(turned.T[::-1])
    ranked = turned[order]
    again = np.zeros(len(faces), dtype=bool)
    again[order[1:]] = np.all(ranked[1:] == ranked[:-1], axis=1)
    return np.flatnonzero(again)
