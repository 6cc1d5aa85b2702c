"""How slippery what a base touches is, where that is made of several things: which of them bears how much nobody can
tell, so the slipperiest counts.
"""

from __future__ import annotations

import numpy as np

from sim3d.ground.patch import FLOOR, Patch
from sim3d.space import TOUCH_MM, Floats, Ints
from sim3d.statics.touch import PX, PZ, TRIANGLE

SHARED_MM = 5e-7  # corners and edges of two pieces that differ by less are one; beside a base its rim is farther off


def least_friction(patch: Patch, touch: Floats, frame: Floats, pieces: Ints, of_piece: Floats) -> float:
    """The smallest coefficient of all that is touched; `of_piece` holds that of each piece, last that of the floor.

    A contact in a place that several pieces share is told of one of them, as on the seam between two: all count.
    """
    owners = np.where(patch.numbers == FLOOR, len(of_piece) - 1, pieces[patch.numbers] if len(pieces) else 0)
    each = of_piece[owners]
    least = float(each[touch[:, TRIANGLE].astype(np.int64)].min())
    slicker = each < least
    places = touch[:, PX : PZ + 1]
    low, high = places.min(axis=0) - SHARED_MM, places.max(axis=0) + SHARED_MM  # the box around all that is touched
    some = patch.tris[slicker]
    near = ((some.min(axis=1) <= high) & (some.max(axis=1) >= low)).all(axis=1)
    slicker[slicker] = near & (((some - frame[0]) @ frame[3]) >= -TOUCH_MM).any(axis=1)
    for t in np.flatnonzero(slicker)[np.argsort(each[slicker], kind="stable")]:
        if each[t] >= least:
            break
        if on_triangle(patch.tris[t], places):
            least = float(each[t])
    return least


def on_triangle(tri: Floats, places: Floats) -> bool:
    """Whether any of some places lies on a triangle; on one without an area, in the box around it."""
    near = ((places >= tri.min(axis=0) - SHARED_MM) & (places <= tri.max(axis=0) + SHARED_MM)).all(axis=1)
    sides = np.roll(tri, -1, axis=0) - tri
    normal = np.cross(sides[0], sides[1])
    size = float(np.linalg.norm(normal))
    if size <= SHARED_MM * float(np.linalg.norm(sides, axis=1).max()):
        return bool(near.any())
    here = places[near][:, None] - tri
    away = np.abs(here[:, 0] @ normal) / size
    inside = np.einsum("ijk,jk->ij", here, np.cross(normal / size, sides)) / np.linalg.norm(sides, axis=1)
    return bool(((away <= SHARED_MM) & (inside >= -SHARED_MM).all(axis=1)).any())
