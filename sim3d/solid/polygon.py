"""Polygons into triangles: convex ones as a fan, concave ones by their own shape, in the order of the file.

What is too large to be cut by its own shape is refused, never cut as a fan all the same; and where no cut is right, for
an outline crosses itself, that is told.
"""

from __future__ import annotations

import numpy as np

from sim3d.finding import Finding, Refused, Severity, check
from sim3d.solid.boolean import triangulate
from sim3d.space import Bools, Floats, Ints

CONCAVE_MOST = 200_000  # concave polygons with more than four corners, cut one by one
CONCAVE_CORNERS_MOST = 20_000  # of one polygon
WORK_MOST = 1_000_000_000  # squares of their corners, together: some seconds, where all of an outline crosses itself
CANCELLED = 1e-9  # of a polygon's area: less than that is left of it where halves of a bow tie cancel out
FOLDED_MOST = 1e-4  # of a polygon's area: how much of its triangles may lie over others of them and be rounding


@check("MESH_POLYGON_UNCUT", Severity.ERROR, "polygon {number} of the file has {corners} corners: {reason}")
def uncut(*_: object) -> None:
    """A concave polygon is too large to be cut into triangles, or there are too many of them.

    Why: to cut one takes time by the square of its corners, and to cut it any quicker way would put a surface where
    there is none. Example: the outline of an island as one face with 30000 corners.
    Do: triangulate the mesh in the program it comes from, and export it again.
    """


@check(
    "MESH_POLYGON_CROSSED",
    Severity.WARNING,
    "{count} [polygon crosses itself|polygons cross themselves]: polygon {number} is the first",
)
def crossed(*_: object) -> None:
    """The outline of a face with four or more corners crosses itself, or is bent back over itself.

    Why: no cut into triangles is right: some of them lie over others, and a mini could stand on a surface that you do
    not see. Example: a quad whose corners are listed in the order of a bow tie.
    Do: look at the face, mend it or triangulate it, and export again.
    """


def triangulated(vertices: Floats, sizes: Ints, corners: Ints) -> tuple[Ints, tuple[Finding, ...]]:
    """The triangles of polygons with `sizes` corners each, listed one after another, and what is wrong with them; fewer
    than three corners make none.

    >>> arrow = np.array([[0.0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])      # concave at its third corner
    >>> triangulated(arrow, np.array([4]), np.array([1, 2, 3, 0]))[0].tolist()
    [[2, 3, 0], [2, 0, 1]]
    """
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    if np.all(sizes == 3):
        return corners.reshape(-1, 3), ()
    made: list[Ints] = []
    owner: list[Ints] = []
    folded: list[Ints] = []
    count, work = 0, 0
    for size in np.unique(sizes[sizes >= 3]):
        which = np.flatnonzero(sizes == size)
        polygons = corners[starts[which][:, None] + np.arange(size)]
        triangles, bent, wrong = _of_one_size(vertices, polygons)
        if size > 4 and len(bent):
            count, work = count + len(bent), work + len(bent) * int(size) ** 2
            _allowed(int(size), count, work, int(which[bent[0]]) + 1)
            triangles[bent] = _concave(vertices, polygons[bent], triangles[bent])
            wrong = bent[_folded(vertices, triangles[bent])]
        made.append(triangles.reshape(-1, 3))
        owner.append(np.repeat(which, size - 2))
        folded.append(which[wrong])
    if not made:
        return np.empty((0, 3), np.int64), ()
    order = np.argsort(np.concatenate(owner), kind="stable")
    over = np.concatenate(folded)
    found = (crossed.hit(count=len(over), number=int(over.min()) + 1),) if len(over) else ()
    return np.concatenate(made)[order], found


def _allowed(size: int, count: int, work: int, number: int) -> None:
    reason = ""
    if size > CONCAVE_CORNERS_MOST:
        reason = f"a concave one is cut up to {CONCAVE_CORNERS_MOST}"
    elif count > CONCAVE_MOST:
        reason = f"so far {count} are concave, at most {CONCAVE_MOST} are cut"
    elif work > WORK_MOST:
        reason = f"the squares of the concave ones' corners add up to {work}, at most {WORK_MOST} is cut"
    if reason:
        reason += "; triangulate the mesh before exporting it"
        raise Refused(uncut.hit(number=number, corners=size, reason=reason))


def _of_one_size(vertices: Floats, polygons: Ints) -> tuple[Ints, Ints, Ints]:
    """Triangles (count, size - 2, 3) of polygons (count, size), as fans; which of them are concave, and which cross
    themselves. Concave quadrangles are cut at once."""
    count, size = polygons.shape
    i = np.arange(1, size - 1)
    none = np.empty(0, np.int64)
    fan = np.stack([np.broadcast_to(polygons[:, :1], (count, size - 2)), polygons[:, i], polygons[:, i + 1]], axis=2)
    known: Bools = np.all((polygons >= 0) & (polygons < len(vertices)), axis=1)
    if size == 3 or not known.any():
        return fan, none, none
    normals = _normals(vertices, np.where(known.reshape(-1, 1, 1), fan, 0))
    with np.errstate(invalid="ignore", over="ignore"):
        along = np.einsum("ijk,ik->ij", normals, _up(normals))
        bent = np.flatnonzero(known & (along < 0).any(axis=1))
    if size == 4:  # of the two diagonals of a concave quadrangle exactly one lies inside
        fan[bent] = polygons[bent][:, [[1, 2, 3], [1, 3, 0]]]
        return fan, bent, bent[_folded(vertices, fan[bent])]
    return fan, bent, none


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    """Twice the area of each triangle, along its normal."""
    with np.errstate(invalid="ignore", over="ignore"):
        a, b, c = (vertices[triangles[..., k]] for k in range(3))
        return np.cross(b - a, c - a)


def _up(normals: Floats) -> Floats:
    """Which way each polygon looks, by the normals of its triangles (count, triangles, 3): the normal by its area, or,
    of a bow tie whose halves cancel out, its largest triangle's. Not a number where it has no area at all."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        whole, areas = normals.sum(axis=1), np.linalg.norm(normals, axis=2)
        cancels = np.linalg.norm(whole, axis=1) <= CANCELLED * areas.sum(axis=1)
        if cancels.any():
            whole[cancels] = normals[cancels, areas[cancels].argmax(axis=1)]
        return whole / np.linalg.norm(whole, axis=1, keepdims=True)  # type: ignore[no-any-return]


def _folded(vertices: Floats, triangles: Ints) -> Bools:
    """Whether some triangles of a polygon lie over others of it, as it looks: its outline crosses itself."""
    normals = _normals(vertices, triangles)
    with np.errstate(invalid="ignore", over="ignore"):
        along = np.einsum("ijk,ik->ij", normals, _up(normals))
        over: Bools = -along.clip(max=0).sum(axis=1) > FOLDED_MOST * np.abs(along).sum(axis=1)
    return over


def _concave(vertices: Floats, polygons: Ints, fans: Ints) -> Ints:
    """The triangles (count, size - 2, 3) of polygons (count, size), each by its own shape, as seen along its normal."""
    up = _up(_normals(vertices, fans))
    x = np.cross(np.eye(3)[np.abs(up).argmin(axis=1)], up)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    points = vertices[polygons]
    flat = np.einsum("ijk,imk->ijm", points, np.stack([x, np.cross(up, x)], axis=1))
    made = fans.copy()
    for k, polygon in enumerate(polygons):
        cut = triangulate([flat[k]])
        if len(cut) == len(polygon) - 2:
            made[k] = polygon[cut]
    return made
