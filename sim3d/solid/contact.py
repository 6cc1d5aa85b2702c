"""Which triangles of a surface meet beside the corners and edges they share: all pairs, by a tree of boxes.

A closed surface none of whose triangles meet so encloses every place at most once. A pair that comes very near without
meeting counts as well: nothing is missed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled, lean
from sim3d.solid.survey import heights_of
from sim3d.space import SAME_VERTEX_MM, Floats, Ints

LOOKS_MOST = 200_000_000  # pairs of boxes compared: some seconds
LOOKS_EACH = 150  # for each triangle, where that is more: of a smooth surface one takes about 45
MIXED_MOST = 10_000_000  # pairs of near triangles of different shells: uniting more could take minutes
CONTACTS_MOST = 200_000  # pairs of triangles that meet
LEAF = 4  # triangles in one leaf of the tree
NEAR_MM = 1e-8  # triangles this near count as meeting: ten times what float64 blurs on a table
EMPTY = (np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf)
SLACK = 1e-12  # of an angle's size: below this float64 cannot tell


@dataclass(frozen=True, slots=True)
class Contacts:
    """Pairs of triangles of one shell that meet; `near` counts those of two shells that might."""

    pairs: Ints
    near: int
    gave_up: str = ""  # why there may be more


def contacts(vertices: Floats, faces: Ints, shell: Ints) -> Contacts:
    """All pairs of triangles of the same shell that meet elsewhere than in a corner or an edge both have.

    >>> corners = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0], [2, 2, -1], [2, 2, 5], [2, 9, 5]])
    >>> contacts(corners, np.array([[0, 1, 2], [3, 4, 5]]), np.zeros(2, np.int64)).pairs.tolist()
    [[0, 1]]
    """
    order = np.argsort(_codes(vertices, faces), kind="stable")
    boxes = _boxes(vertices, faces)[order]
    leaves = 1 << max(0, (len(faces) - 1) // LEAF).bit_length()
    pairs = np.empty((CONTACTS_MOST, 2), np.int64)
    most = max(LOOKS_MOST, LOOKS_EACH * len(faces))
    found, near, looks = _met(vertices, faces, shell, order, boxes, _tree(boxes, leaves), pairs, most)
    why = ""
    if found == CONTACTS_MOST:
        why = f"it touches itself or passes through itself in more than {CONTACTS_MOST} places"
    elif near > MIXED_MOST:
        why = f"its parts lie too densely to be united: more than {MIXED_MOST} pairs of triangles are near each other"
    elif looks > most:
        why = "its triangles lie too densely to look at every pair of them"
    return Contacts(pairs[:found].copy(), int(near), why)


def _codes(vertices: Floats, faces: Ints) -> Ints:
    """A number for each triangle: near places have near numbers. (Ten bits of each axis, by turns.)"""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    scale = 1023.0 / 3 / max(float((high - low).max()), 1e-300)
    codes = np.zeros(len(faces), np.int64)
    for k in range(3):
        column = vertices[:, k] - low[k]
        n = ((column[faces[:, 0]] + column[faces[:, 1]] + column[faces[:, 2]]) * scale).astype(np.int64)
        for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
            n = (n | (n << shift)) & mask
        codes |= n << k
    return codes


def _boxes(vertices: Floats, faces: Ints) -> Floats:
    """The box of every triangle: low x y z, high x y z; empty for a sliver, which has no inside."""
    _, height = heights_of(vertices, faces)
    made = np.empty((len(faces), 6))
    for k in range(3):
        a, b, c = (vertices[faces[:, i], k] for i in range(3))
        made[:, k] = np.minimum(np.minimum(a, b), c) - NEAR_MM
        made[:, 3 + k] = np.maximum(np.maximum(a, b), c) + NEAR_MM
    made[height < SAME_VERTEX_MM] = EMPTY
    return made


def _tree(boxes: Floats, leaves: int) -> Floats:
    """The boxes of a full binary tree: node i over nodes 2i and 2i+1, the leaves from number `leaves` on."""
    tree = np.empty((2 * leaves, 6))
    padded = np.full((leaves * LEAF, 6), EMPTY)
    padded[: len(boxes)] = boxes
    _lift(padded, LEAF, tree[leaves:])
    while leaves > 1:
        _lift(tree[leaves : 2 * leaves], 2, tree[leaves // 2 : leaves])
        leaves //= 2
    return tree


def _lift(boxes: Floats, many: int, above: Floats) -> None:
    above[:] = boxes[::many]
    for i in range(1, many):
        np.minimum(above[:, :3], boxes[i::many, :3], out=above[:, :3])
        np.maximum(above[:, 3:], boxes[i::many, 3:], out=above[:, 3:])


@lean
def _near(a: Floats, i: int, b: Floats, j: int) -> bool:
    return not (
        (a[i, 0] > b[j, 3]) | (a[i, 1] > b[j, 4]) | (a[i, 2] > b[j, 5])
        | (a[i, 3] < b[j, 0]) | (a[i, 4] < b[j, 1]) | (a[i, 5] < b[j, 2])
    )  # fmt: skip


@compiled
def _met(
    vertices: Floats, faces: Ints, shell: Ints, order: Ints, boxes: Floats, tree: Floats, pairs: Ints, most: int
) -> tuple[int, int, int]:
    leaves = len(tree) // 2
    stack = np.empty(128, np.int64)
    p, q = np.empty((3, 3)), np.empty((3, 3))
    found, near, looks = 0, 0, 0
    for leaf in range((len(order) + LEAF - 1) // LEAF):
        start, stop = leaf * LEAF, min(leaf * LEAF + LEAF, len(order))
        stack[0] = 1
        size = 1
        while size:
            size -= 1
            node = stack[size]
            looks += 1
            if not _near(tree, leaves + leaf, tree, node):
                continue
            if node < leaves:
                low, high = 2 * node, 2 * node + 1
                stack[size] = high
                size += 1
                last = low
                while last < leaves:
                    last = 2 * last + 1
                if last - leaves >= leaf:  # every pair of leaves once
                    stack[size] = low
                    size += 1
                continue
            other = node - leaves
            for i in range(start, stop):
                if not _near(boxes, i, tree, node):
                    continue
                for j in range(max(i + 1, other * LEAF), min(other * LEAF + LEAF, len(order))):
                    looks += 1
                    if not _near(boxes, i, boxes, j):
                        continue
                    a, b = order[i], order[j]
                    if shell[a] != shell[b]:
                        near += 1
                    elif _meet(vertices, faces, a, b, p, q):
                        pairs[found, 0], pairs[found, 1] = min(a, b), max(a, b)
                        found += 1
                        if found == len(pairs):
                            return found, near, looks
            if near > MIXED_MOST or looks > most:
                return found, near, looks
    return found, near, looks


@lean
def _meet(vertices: Floats, faces: Ints, a: int, b: int, p: Floats, q: Floats) -> bool:
    """Whether two triangles meet beside what they share; shared corners are moved to the front of both."""
    shared = 0
    used_a, used_b = 0, 0
    for i in range(3):
        for j in range(3):
            if faces[a, i] == faces[b, j]:
                for k in range(3):
                    p[shared, k] = vertices[faces[a, i], k]
                    q[shared, k] = vertices[faces[b, j], k]
                used_a |= 1 << i
                used_b |= 1 << j
                shared += 1
    if shared == 3:
        return True
    at, bt = shared, shared
    for i in range(3):
        if not used_a & (1 << i):
            for k in range(3):
                p[at, k] = vertices[faces[a, i], k]
            at += 1
        if not used_b & (1 << i):
            for k in range(3):
                q[bt, k] = vertices[faces[b, i], k]
            bt += 1
    x, y, z = p[0, 0], p[0, 1], p[0, 2]
    for i in range(3):  # about a corner of the first, so that places far out lose nothing
        p[i, 0] -= x
        p[i, 1] -= y
        p[i, 2] -= z
        q[i, 0] -= x
        q[i, 1] -= y
        q[i, 2] -= z
    if shared == 0:
        return not _apart(p, q)
    n, m = _normal(p), _normal(q)
    if shared == 1:
        return _fans_meet(p, q, n, m)
    return along(n, m) > 0.0 and _flat(p, q, n, m)  # folded onto one another


Vector = tuple[float, float, float]


@lean
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@lean
def along(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@lean
def length(a: Vector) -> float:
    """The length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@lean
def _side(p: Floats, i: int, j: int) -> Vector:
    return p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]


@lean
def _normal(p: Floats) -> Vector:
    return cross(_side(p, 0, 1), _side(p, 0, 2))


@lean
def _gap(p: Floats, q: Floats, axis: Vector) -> bool:
    """Whether a plane across this axis has one triangle on either side, and some room between them."""
    x, y, z = axis
    a, d = p[0, 0] * x + p[0, 1] * y + p[0, 2] * z, q[0, 0] * x + q[0, 1] * y + q[0, 2] * z
    b, e = p[1, 0] * x + p[1, 1] * y + p[1, 2] * z, q[1, 0] * x + q[1, 1] * y + q[1, 2] * z
    c, f = p[2, 0] * x + p[2, 1] * y + p[2, 2] * z, q[2, 0] * x + q[2, 1] * y + q[2, 2] * z
    room = NEAR_MM * length(axis)
    return bool(min(a, b, c) - max(d, e, f) > room or min(d, e, f) - max(a, b, c) > room)


@lean
def _apart(p: Floats, q: Floats) -> bool:
    """Whether two triangles without a common corner have a plane between them: across a normal, or along two edges."""
    n, m = _normal(p), _normal(q)
    if _gap(p, q, n) or _gap(p, q, m):
        return True
    for i in range(3):  # upright on one of them, along a side of it: this parts neighbours in one plane
        if _gap(p, q, cross(n, _side(p, i, (i + 1) % 3))) or _gap(p, q, cross(m, _side(q, i, (i + 1) % 3))):
            return True
    for i in range(3):
        for j in range(3):
            if _gap(p, q, cross(_side(p, i, (i + 1) % 3), _side(q, j, (j + 1) % 3))):
                return True
    return False


@lean
def _within(p: Floats, n: Vector, ray: Vector) -> bool:
    """Whether a ray from the first corner, in the plane of the triangle, runs between its two sides."""
    a, b = _side(p, 0, 1), _side(p, 0, 2)
    room = -SLACK * length(n) * length(ray)
    return along(cross(a, ray), n) >= room * length(a) and along(cross(ray, b), n) >= room * length(b)


@lean
def _flat(p: Floats, q: Floats, n: Vector, m: Vector) -> bool:
    """Whether two triangles with a common corner lie so nearly in one plane that they stay near each other."""
    size = max(length(_side(p, 0, 1)), length(_side(p, 0, 2)), length(_side(q, 0, 1)), length(_side(q, 0, 2)))
    return length(cross(n, m)) * size <= NEAR_MM * length(n) * length(m)


@lean
def _one_side(q: Floats, n: Vector) -> bool:
    """Whether both other corners lie on one side of a plane through the common corner."""
    s, t = along(n, _side(q, 0, 1)), along(n, _side(q, 0, 2))
    room = NEAR_MM * length(n)
    return (s > room and t > room) or (s < -room and t < -room)


@lean
def _fans_meet(p: Floats, q: Floats, n: Vector, m: Vector) -> bool:
    """Whether two triangles with one common corner meet beyond it."""
    if _one_side(q, n) or _one_side(p, m):
        return False
    if not _flat(p, q, n, m):
        ray = cross(n, m)
        back = (-ray[0], -ray[1], -ray[2])
        return (_within(p, n, ray) and _within(q, m, ray)) or (_within(p, n, back) and _within(q, m, back))
    return (
        _within(p, n, _side(q, 0, 1))
        or _within(p, n, _side(q, 0, 2))
        or _within(q, m, _side(p, 0, 1))
        or _within(q, m, _side(p, 0, 2))
    )


def crowded_triangles(edges_of_half: Ints, uses: Ints, shell: Ints) -> NDArray[np.bool_]:
    """The triangles at edges that more than two triangles of one shell use: there it touches or crosses itself."""
    count = len(shell)
    half = np.flatnonzero(uses[edges_of_half] > 2)
    marked = np.zeros(count, dtype=bool)
    if len(half):
        key = np.column_stack([edges_of_half[half], shell[half % count]])
        _, group, size = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        marked[half[size[group.ravel()] > 2] % count] = True
    return marked
