"""Solids joined, cut and measured: the one door to manifold3d, on plain meshes of corners and triangles.

A `Mesh` is (corners float64 (n, 3), triangles int64 (m, 3)). Everything here is float64 in and out and deterministic:
the same meshes in the same order give the same mesh.

>>> import numpy as np
>>> a, b = box((0, 0, 0), (2, 2, 2)), box((1, 0, 0), (3, 2, 2))
>>> volume_and_centre(*union([a, b]))
(12.0, (1.5, 1.0, 1.0))
>>> status(a[0], a[1][1:])
'NotManifold'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import manifold3d
import numpy as np
from numpy.typing import NDArray

from sim3d.space import Floats, Ints

Mesh = tuple[Floats, Ints]
Point = tuple[float, float, float]
Contour = Sequence[Sequence[float]] | Floats

SOUND = "NoError"  # manifold's word for a mesh it accepts
BOX_TRIANGLES = (
    *((0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4)),
    *((1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)),
)


SAID = {
    "NotManifold": "triangles do not meet in pairs along every edge, one each way",
    "NonFiniteVertex": "a corner is not a number",
    "VertexOutOfBounds": "a triangle has a corner that is not there",
    "PropertiesWrongLength": "corners or triangles are not given by threes",
}  # manifold's words in ours


class NotManifold(ValueError):
    """The mesh does not bound a solid; `status` is manifold's word for what is wrong with it."""

    def __init__(self, status: str, index: int = 0) -> None:
        self.status = status
        self.index = index  # which of the meshes handed over
        super().__init__(f"mesh {index} does not bound a solid: {status}")

    @property
    def why(self) -> str:
        """What is wrong with it, for people."""
        return SAID.get(self.status, self.status)


def status(vertices: Floats, faces: Ints) -> str:
    """Manifold's word on a mesh without raising: "NoError" when it bounds a solid, else what is wrong.

    >>> import numpy as np
    >>> status(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    'NoError'
    """
    fault = _fault(vertices, faces)
    return fault or str(_taken(vertices, faces).status().name)


def is_manifold(vertices: Floats, faces: Ints) -> bool:
    """Whether the boolean operations accept this mesh."""
    return status(vertices, faces) == SOUND


def union(meshes: Sequence[Mesh]) -> Mesh:
    """Everything that is in any of them, as one mesh; none at all is an empty mesh."""
    return _boolean(list(meshes), manifold3d.OpType.Add)


def difference(a: Mesh, *others: Mesh) -> Mesh:
    """What is in `a` and in none of the others.

    >>> volume_and_centre(*difference(box((0, 0, 0), (2, 2, 2)), box((1, -1, -1), (3, 3, 3))))
    (4.0, (0.5, 1.0, 1.0))
    """
    return _boolean([a, *others], manifold3d.OpType.Subtract)


def intersection(a: Mesh, b: Mesh) -> Mesh:
    """What is in both.

    >>> len(intersection(box((0, 0, 0), (1, 1, 1)), box((5, 5, 5), (6, 6, 6)))[1])
    0
    """
    return _boolean([a, b], manifold3d.OpType.Intersect)


def gap(a: Mesh, b: Mesh, most: float) -> float:
    """How far two solids are from one another; 0 where they meet, `most` where they are farther apart than that.

    >>> gap(box((0, 0, 0), (1, 1, 1)), box((0, 0, 1.25), (1, 1, 2)), 1.0)
    0.25
    """
    return float(_solid(a, 0).min_gap(_solid(b, 1), most))


def volume_and_centre(vertices: Floats, faces: Ints) -> tuple[float, Point]:
    """The volume in mm³ and its centre, by the divergence theorem; negative volume: the faces look inwards.

    The mesh is shifted to its own middle first, so that a solid far from the origin loses no digits.

    >>> far = box((1e6, 0, 0), (1e6 + 2, 2, 2))
    >>> volume_and_centre(*far)
    (8.0, (1000001.0, 1.0, 1.0))
    """
    if len(faces) == 0:
        return 0.0, (0.0, 0.0, 0.0)
    middle = [_middle(vertices[:, k], faces) for k in range(3)]
    # Columns, not rows: several times as fast for a million triangles.
    a, b, c = ([vertices[faces[:, i], k] - middle[k] for k in range(3)] for i in range(3))
    sixths = a[0] * (b[1] * c[2] - b[2] * c[1])
    sixths += a[1] * (b[2] * c[0] - b[0] * c[2])
    sixths += a[2] * (b[0] * c[1] - b[1] * c[0])
    six_volumes = math.fsum(sixths.tolist())
    if six_volumes == 0.0:
        return 0.0, (middle[0], middle[1], middle[2])
    moments = (sixths * (a[k] + b[k] + c[k]) for k in range(3))
    x, y, z = (middle[k] + math.fsum(m.tolist()) / 4 / six_volumes for k, m in enumerate(moments))
    return six_volumes / 6, (x, y, z)


def _middle(column: NDArray[np.float64], faces: Ints) -> float:
    used = column[faces.ravel()]
    return float((used.min() + used.max()) / 2)


def box(low: Sequence[float], high: Sequence[float]) -> Mesh:
    """An axis-aligned box from one corner to the opposite one."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    plan = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    corners = [(x, y, z) for z in (z0, z1) for x, y in plan]
    return np.array(corners, dtype=np.float64), np.array(BOX_TRIANGLES, dtype=np.int64)


def triangulate(contours: Sequence[Contour]) -> Ints:
    """Triangles of a flat polygon: outer contours counter-clockwise, holes clockwise; indices run through all contours.

    >>> triangulate([[(0, 0), (1, 0), (0, 1)]]).tolist()
    [[0, 1, 2]]
    """
    flat = [np.ascontiguousarray(c, dtype=np.float64) for c in contours]
    return np.asarray(manifold3d.triangulate(flat), dtype=np.int64).reshape(-1, 3)


def hull(points: Sequence[Sequence[float]] | Floats) -> Mesh:
    """The convex hull of points (n, 3).

    >>> round(volume_and_centre(*hull([(0, 0, 0), (6, 0, 0), (0, 1, 0), (0, 0, 1)]))[0], 12)
    1.0
    """
    made = manifold3d.Manifold.hull_points(np.ascontiguousarray(points, dtype=np.float64))
    return _given(made)


def simplifier(mesh: Mesh) -> Callable[[float], Mesh]:
    """What gives a solid without corners and slivers that matter less than so many mm; its surface moves by less.

    A solid is taken in once, however often it is simplified: that costs as much as to simplify it.
    """
    solid = _solid(mesh, 0)
    return lambda tolerance_mm: _given(solid.simplify(tolerance_mm))


def simplified(mesh: Mesh, tolerance_mm: float) -> Mesh:
    """The same for once."""
    return simplifier(mesh)(tolerance_mm)


def parts(mesh: Mesh) -> tuple[Mesh, ...]:
    """The separate closed shells of a mesh.

    >>> len(parts(union([box((0, 0, 0), (1, 1, 1)), box((5, 0, 0), (6, 1, 1))])))
    2
    """
    return tuple(_given(part) for part in _solid(mesh, 0).decompose())


def _boolean(meshes: list[Mesh], operation: manifold3d.OpType) -> Mesh:
    solids = [_solid(mesh, index) for index, mesh in enumerate(meshes)]
    return _given(manifold3d.Manifold.batch_boolean(solids, operation))


def _solid(mesh: Mesh, index: int) -> manifold3d.Manifold:
    fault = _fault(*mesh)
    if fault:
        raise NotManifold(fault, index)
    solid = _taken(*mesh)
    if solid.status() != manifold3d.Error.NoError:
        raise NotManifold(str(solid.status().name), index)
    return solid


def _fault(vertices: Floats, faces: Ints) -> str:
    """What manifold would not survive being handed: wrong shapes, indices outside the corners."""
    if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        return "PropertiesWrongLength"
    if len(faces) and (int(faces.min()) < 0 or int(faces.max()) >= len(vertices)):
        return "VertexOutOfBounds"
    return "" if np.isfinite(vertices).all() else "NonFiniteVertex"


def _taken(vertices: Floats, faces: Ints) -> manifold3d.Manifold:
    corners: NDArray[np.float64] = np.array(vertices, dtype=np.float64, order="C")  # a copy: it takes no frozen array
    return manifold3d.Manifold(manifold3d.Mesh64(corners, np.ascontiguousarray(faces, dtype=np.uint64)))


def _given(solid: manifold3d.Manifold) -> Mesh:
    if solid.status() != manifold3d.Error.NoError:
        raise NotManifold(str(solid.status().name))
    mesh = solid.to_mesh64()
    corners = np.array(mesh.vert_properties, dtype=np.float64)[:, :3].reshape(-1, 3)
    return corners, np.array(mesh.tri_verts, dtype=np.int64).reshape(-1, 3)
