"""Which edges and corners of terrain are none: those within a plane, and corners on a straight edge.

How a face is cut into triangles is its maker's choice: what lies flat between two of them stops no base, and carries
none that its neighbours do not carry. Compiled. Where it is not sure (three faces on an edge, a sliver without a plane
of its own, a mesh that ends) an edge is one and a corner is one: that costs time, and is never wrong.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean, scratch
from sim3d.space import Floats, Ints

# bits of a triangle's traits, each shifted by the corner, or by that where an edge begins: it speaks for that corner;
# what is no edge; what is no corner
SPEAKS, NO_EDGE, NO_CORNER = 1, 8, 64
ALL_SPEAK = 7 * SPEAKS
FLAT_MM = 1e-9  # what lies as near to a plane or a line lies in it
NOBODY, SEVERAL = -1, -2  # as the far end of an edge at a corner


@compiled
def traits_of(vertices: Floats, faces: Ints) -> Ints:
    """Of every triangle, as bits: corners that no triangle before has, edges that are none, corners that are none.

    Nobody speaks for a corner that is none.
    """
    many = faces.shape[0]
    starts, members = around(vertices.shape[0], faces)
    traits = np.zeros(many, np.int64)
    ends = np.full((vertices.shape[0], 2), NOBODY)  # of each corner the far ends of its edges, if they are two at most
    for t in range(many):
        for i in range(3):
            a, b = faces[t, i], faces[t, (i + 1) % 3]
            if is_flat(vertices, faces, starts, members, t, i):
                traits[t] |= NO_EDGE << i
            else:
                noted(ends, a, b)
                noted(ends, b, a)
    plain, spoken = np.empty(vertices.shape[0], np.bool_), np.zeros(vertices.shape[0], np.bool_)
    for v in range(vertices.shape[0]):
        one, other = ends[v, 0], ends[v, 1]
        plain[v] = one == NOBODY or (one >= 0 and other >= 0 and in_line(vertices[one], vertices[v], vertices[other]))
    for t in range(many):
        for i in range(3):
            v = faces[t, i]
            if plain[v]:
                traits[t] |= NO_CORNER << i
            elif not spoken[v]:
                spoken[v] = True
                traits[t] |= SPEAKS << i
    return traits


@lean
def under_a_cut(traits: int, ends: bool) -> int:
    """The traits of a whole triangle under a cut, which drops faces: all that they spoke for, others speak for now.

    What lies in one plane with ground goes on to the cut; with a wall, or with ground that comes up to the cut, it may
    be dropped: there the ground `ends`.
    """
    return ALL_SPEAK if ends else traits | (ALL_SPEAK & ~(traits >> 6))


@compiled
def around(many: int, faces: Ints) -> tuple[Ints, Ints]:
    """The triangles at each of so many corners, one list after the other, and where each begins."""
    starts = np.zeros(many + 1, np.int64)
    for t in range(faces.shape[0]):
        for i in range(3):
            starts[faces[t, i] + 1] += 1
    for v in range(many):
        starts[v + 1] += starts[v]
    members, filled = np.empty(3 * faces.shape[0], np.int64), starts[:-1].copy()
    for t in range(faces.shape[0]):
        for i in range(3):
            v = faces[t, i]
            members[filled[v]] = t
            filled[v] += 1
    return starts, members


@lean
def noted(ends: Ints, corner: int, far: int) -> None:
    """Note down the far end of an edge at a corner; more than two are several."""
    if ends[corner, 0] == NOBODY:
        ends[corner, 0] = far
    elif ends[corner, 0] != SEVERAL and ends[corner, 0] != far:
        if ends[corner, 1] == NOBODY:
            ends[corner, 1] = far
        elif ends[corner, 1] != far:
            ends[corner, 0] = SEVERAL


@lean
def is_flat(vertices: Floats, faces: Ints, starts: Ints, members: Ints, t: int, i: int) -> bool:
    """Whether all triangles at an edge of one lie in a plane, on both sides of it."""
    a, b = faces[t, i], faces[t, (i + 1) % 3]
    v = a if starts[a + 1] - starts[a] <= starts[b + 1] - starts[b] else b  # a corner of a fan has thousands
    beyond, far = False, vertices[faces[t, (i + 2) % 3]]
    for k in range(starts[v], starts[v + 1]):
        u = members[k]
        apex, shared = -1, 0
        for j in range(3):
            if faces[u, j] == a or faces[u, j] == b:
                shared += 1
            else:
                apex = faces[u, j]
        if u == t or shared != 2 or apex < 0:
            continue
        if not in_plane(vertices[a], vertices[b], far, vertices[apex]):
            return False
        beyond = beyond or on_other_sides(vertices[a], vertices[b], far, vertices[apex])
    return beyond


@lean
def in_plane(a: Floats, b: Floats, one: Floats, other: Floats) -> bool:
    """Whether two triangles on one edge lie in a plane: the corner of each in that of the other."""
    n, m = scratch(3), scratch(3)
    return normal_to(a, b, one, n) and normal_to(a, b, other, m) and near_to(a, other, n) and near_to(a, one, m)


@lean
def normal_to(a: Floats, b: Floats, c: Floats, out: Floats) -> bool:
    """The unit normal of a triangle, written; whether it has one."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not size > 0.0:
        return False
    out[0], out[1], out[2] = nx / size, ny / size, nz / size
    return True


@lean
def near_to(a: Floats, point: Floats, normal: Floats) -> bool:
    """Whether a point lies in the plane through another."""
    off = (point[0] - a[0]) * normal[0] + (point[1] - a[1]) * normal[1] + (point[2] - a[2]) * normal[2]
    return abs(off) <= FLAT_MM


@lean
def on_other_sides(a: Floats, b: Floats, one: Floats, other: Floats) -> bool:
    """Whether two points in a plane with an edge lie on either side of it."""
    along = before = after = 0.0
    for k in range(3):
        e = b[k] - a[k]
        along, before, after = along + e * e, before + e * (one[k] - a[k]), after + e * (other[k] - a[k])
    across = 0.0
    for k in range(3):
        e = b[k] - a[k]
        across += (one[k] - a[k] - e * before / along) * (other[k] - a[k] - e * after / along)
    return across < 0.0


@lean
def in_line(one: Floats, middle: Floats, other: Floats) -> bool:
    """Whether a point lies on the straight way from one to another."""
    square = along = gone = 0.0
    for k in range(3):
        way, to = other[k] - one[k], middle[k] - one[k]
        square, along, gone = square + way * way, along + way * to, gone + to * to
    if not (square > 0.0 and 0.0 < along < square):
        return False
    off = 0.0
    for k in range(3):
        e = middle[k] - one[k] - (other[k] - one[k]) * along / square
        off += e * e
    return off <= FLAT_MM * FLAT_MM
