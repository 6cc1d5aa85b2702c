"""`floors_of()`: the heights of a mesh that are floors: level ground in one piece on which a mini has room.

A tread, a sill or a beam is level, too, but narrower than the base: nobody calls it a level of the house.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim3d.atlas.regions import free_around
from sim3d.mini import Mini
from sim3d.pack.ground import over
from sim3d.solid import Solid
from sim3d.solid.survey import cross_of
from sim3d.space import Bools, Floats, Ints

SAME_MM = 1.0  # heights this near to each other are one floor: planks are uneven
TOP_SHARE = 0.1  # of a floor: so much carries a base, which lies on flags and not in their joints; less are rivets
LEVEL_COS = 0.999  # 2.5 degrees: what looks level
GROUND_MM = 5.0  # lower is the piece's own foot
JOINT_MM = 3.0  # between planks and flags: a base does not notice
FINE_MM = 0.5  # of the plan of a floor: its width is known to a millimetre
MOST_CELLS = 2000  # along a side of the plan
MOST_FLOORS = 12
MOST_TRIED = 40  # heights with level faces: rubble has hundreds, and none of the small ones is a floor


def floors_of(solid: Solid, mini: Mini) -> list[tuple[float, float]]:
    """Heights over the lowest point of the largest floors on which the mini's base fits, and their mm²; upwards.

    >>> from sim3d.solid.boolean import box
    >>> table = Solid.of(*box((-40, -40, 0), (40, 40, 30)))
    >>> floors_of(table, Mini(base="27")), floors_of(table, Mini(base="100"))
    ([(30.0, 6400.0)], [])
    """
    found: list[tuple[float, float]] = []
    for area, height, faces in sorted(_level(solid), key=lambda one: (-one[0], one[1]))[:MOST_TRIED]:
        if len(found) < MOST_FLOORS and _has_room(solid, faces, height, mini):
            found.append((round(height - solid.bounds[0][2], 1), area))
    return sorted(found)


def _level(solid: Solid) -> Iterator[tuple[float, float, Ints]]:
    """Level faces by height: their area, how high a base on them lies, and their numbers."""
    double = cross_of(solid.vertices, solid.outward)
    size = np.linalg.norm(double, axis=1)
    height = solid.vertices[solid.faces][:, :, 2].mean(axis=1)
    level = (double[:, 2] > LEVEL_COS * size) & (height > solid.bounds[0][2] + GROUND_MM)
    order = np.flatnonzero(level)[np.argsort(height[level], kind="stable")]
    for some in np.split(order, np.flatnonzero(np.diff(height[order]) > SAME_MM) + 1):
        if len(some):
            above = np.cumsum(size[some][::-1])  # from the highest down
            top = some[::-1][np.searchsorted(above, TOP_SHARE * above[-1])]
            yield float(above[-1]) / 2, float(height[top]), some


def _has_room(solid: Solid, faces: Ints, height: float, mini: Mini) -> bool:
    """Whether a circle as wide as the base fits into the faces, with nothing above it lower than the mini."""
    outline = mini.base.outline
    radius = min(outline.length_mm, outline.width_mm) / 2
    corners = solid.vertices[solid.faces[faces]].reshape(-1, 3)[:, :2]
    low, span = corners.min(axis=0), np.ptp(corners, axis=0)
    if span.min() < 2 * radius - FINE_MM:
        return False
    pitch = max(FINE_MM, float(span.max()) / MOST_CELLS)
    joint = int(np.ceil(JOINT_MM / 2 / pitch))
    first = low - (2 * joint + 1) * pitch
    nx, ny = (int(n) for n in np.ceil(span / pitch) + 4 * joint + 3)
    plan = (float(first[0]), float(first[1])), pitch, (ny, nx)
    floor = _closed(_covered(solid.vertices, solid.faces[faces], -np.inf, np.inf, *plan), joint)
    z = solid.vertices[solid.faces][:, :, 2]
    ceiling = height + mini.height_mm
    in_the_way = (z.max(axis=1) > height + SAME_MM) & (z.min(axis=1) < ceiling)
    floor &= ~_covered(solid.vertices, solid.faces[in_the_way], height + SAME_MM, ceiling, *plan)
    return float(free_around(floor).max()) * pitch >= radius - pitch / 2


def _covered(
    vertices: Floats,
    faces: Ints,
    low: float,
    high: float,
    first: tuple[float, float],
    pitch: float,
    shape: tuple[int, int],
) -> Bools:
    """The cells over whose middle a triangle lies between two heights."""
    found = np.zeros(shape, dtype=bool)
    for j, i, z in over(vertices, faces, pitch, first, shape):
        between = (z > low) & (z < high)
        found[j[between], i[between]] = True
    return found


def _closed(floor: Bools, joint: int) -> Bools:
    """A floor with the joints in it filled, so many cells from either side; it ends that far from the plan's border."""
    inner = (slice(joint, -joint),) * 2
    grown = np.zeros_like(floor)
    grown[inner] = (free_around(~floor) <= joint)[inner]
    filled: Bools = free_around(grown) > joint
    return filled | floor
