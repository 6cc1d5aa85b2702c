"""Building blocks: closed meshes in mm, z up, that `union` and `difference` put together.

Every corner is rounded to a ten-thousandth of a millimetre before it meets a boolean operation, so that the last bit
of a machine's sine cannot change a single triangle of what is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim3d.forge.noise import between
from sim3d.solid.boolean import Mesh, box, hull, intersection, parts, simplified, triangulate, volume_and_centre
from sim3d.space import Floats, Ints, Pose

DIGITS = 4  # of a millimetre: below any printer's step, above float32's at a metre
SLIVER_MM = 2e-3  # what matters less than this is left out of a finished piece: invisible, and trouble for readers
CRUMB_MM3 = 300.0  # a stone of 9 x 8 x 4 mm
HUGE_MM = 2000.0  # more than any piece
Outline = Sequence[tuple[float, float]]

__all__ = [
    "Outline",
    "along_x",
    "along_y",
    "beam",
    "block",
    "box",
    "chamfered",
    "circle",
    "cone",
    "dome",
    "drum",
    "finished",
    "is_clean",
    "lathe",
    "moved",
    "prism",
    "rectangle",
    "ring_of",
    "rivet",
    "shaken",
    "snapped",
    "wedge",
    "welded",
]


def snapped(points: Floats) -> Floats:
    """Points on the generator's grid of a ten-thousandth of a millimetre."""
    on_grid: Floats = np.round(points, DIGITS) + 0.0
    return on_grid


def finished(mesh: Mesh) -> Mesh:
    """A piece as it is written: one part with its middle over the origin, cut off at z = 0, no slivers, in float32.

    A crumb that touches nothing is left out; a loose part that somebody would miss is a bug in the recipe, and raises.
    """
    if mesh[0][:, 2].min() < 0.0:
        mesh = intersection(mesh, box((-HUGE_MM, -HUGE_MM, 0), (HUGE_MM, HUGE_MM, HUGE_MM)))
    shells = sorted(parts(simplified(mesh, SLIVER_MM)), key=lambda m: -volume_and_centre(*m)[0])
    corners, triangles = shells[0]
    for loose in shells[1:]:
        if volume_and_centre(*loose)[0] > CRUMB_MM3:
            raise ValueError(f"a loose part at {loose[0].mean(axis=0).round(1).tolist()}")
    middle = np.round((corners.min(axis=0) + corners.max(axis=0)) / 2, 1)
    corners = corners - middle * np.array([1.0, 1.0, 0.0])
    return welded(snapped(corners), triangles)


def welded(corners: Floats, triangles: Ints) -> Mesh:
    """Corners that float32 cannot tell apart made one, in order of first use; triangles that vanish left out."""
    coarse = (corners.astype(np.float32) + np.float32(0.0)).astype(np.float64)
    _, first, where = np.unique(coarse, axis=0, return_index=True, return_inverse=True)
    faces = first[where.reshape(-1)][triangles]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[whole]
    used, renumbered = np.unique(faces, return_inverse=True)
    return coarse[used], renumbered.reshape(-1, 3).astype(np.int64)


def circle(radius: float, sides: int, *, start_deg: float = 0.0, centre: tuple[float, float] = (0, 0)) -> Outline:
    """A regular polygon whose corners lie on the radius, counter-clockwise."""
    angles = [math.radians(start_deg + 360.0 * k / sides) for k in range(sides)]
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def rectangle(x0: float, y0: float, x1: float, y1: float) -> Outline:
    """An outline from two corners, counter-clockwise."""
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def prism(outline: Outline, z0: float, z1: float, *, top: float = 1.0, holes: Sequence[Outline] = ()) -> Mesh:
    """An outline (counter-clockwise, any simple polygon) pulled up from z0 to z1, the top scaled about the origin.

    >>> round(volume_and_centre(*prism(rectangle(0, 0, 2, 3), 0, 5))[0], 9)
    30.0
    """
    loops = [np.array(outline, dtype=np.float64), *(np.array(h, dtype=np.float64)[::-1] for h in holes)]
    plan = np.concatenate(loops)
    cap = triangulate(loops)
    n = len(plan)
    low = np.column_stack([plan, np.full(n, z0)])
    high = np.column_stack([plan * top, np.full(n, z1)])
    sides, start = [], 0
    for loop in loops:
        here = start + np.arange(len(loop))
        after = start + (np.arange(len(loop)) + 1) % len(loop)
        sides += [np.column_stack([here, after, after + n]), np.column_stack([here, after + n, here + n])]
        start += len(loop)
    return snapped(np.concatenate([low, high])), np.concatenate([cap[:, ::-1], cap + n, *sides])


def along_x(outline: Outline, x0: float, x1: float, *, holes: Sequence[Outline] = ()) -> Mesh:
    """An outline in (y, z) pulled along x: a wall or a section seen from the front."""
    corners, faces = prism(outline, x0, x1, holes=holes)
    return np.ascontiguousarray(corners[:, [2, 0, 1]]), faces


def along_y(outline: Outline, y0: float, y1: float, *, holes: Sequence[Outline] = ()) -> Mesh:
    """An outline in (x, z) pulled along y."""
    corners, faces = prism(outline, y0, y1, holes=holes)
    return np.ascontiguousarray(corners[:, [0, 2, 1]]), faces[:, ::-1]


def lathe(profile: Outline, sides: int, *, start_deg: float = 0.0) -> Mesh:
    """A profile of (radius, z), counter-clockwise in that plane, turned about z; radius 0 is one corner on the axis.

    >>> 4.0 < volume_and_centre(*lathe([(0, 0), (2, 0), (0, 1)], 64))[0] < 4.19
    True
    """
    corners: list[tuple[float, float, float]] = []
    rows: list[list[int]] = []
    for radius, z in profile:
        if radius == 0.0:
            rows.append([len(corners)] * sides)
            corners.append((0.0, 0.0, z))
        else:
            rows.append(list(range(len(corners), len(corners) + sides)))
            corners += [(x, y, z) for x, y in circle(radius, sides, start_deg=start_deg)]
    faces = []
    for here, there in zip(rows, rows[1:] + rows[:1], strict=True):
        for k in range(sides):
            a, b, c, d = here[k], here[(k + 1) % sides], there[(k + 1) % sides], there[k]
            faces += [t for t in ((a, b, c), (a, c, d)) if len(set(t)) == 3]
    return snapped(np.array(corners, dtype=np.float64)), np.array(faces, dtype=np.int64)


def drum(radius: float, z0: float, z1: float, *, sides: int = 32, top: float | None = None, bevel: float = 0.0) -> Mesh:
    """An upright cylinder or cone frustum; `top` is its upper radius, `bevel` breaks its upper edge."""
    upper = radius if top is None else top
    rim = [(upper, z1)] if bevel == 0.0 else [(upper, z1 - bevel), (upper - bevel, z1)]
    return lathe([(0.0, z0), (radius, z0), *rim, (0.0, z1)], sides)


def cone(radius: float, z0: float, z1: float, *, sides: int = 64) -> Mesh:
    """An upright cone with a sharp tip."""
    return lathe([(0.0, z0), (radius, z0), (0.0, z1)], sides)


def dome(radius: float, *, sides: int, rings: int, z: float = 0.0, squash: float = 1.0) -> Mesh:
    """A half ball standing on z; its corners lie on the ball."""
    steps = [math.pi / 2 * k / rings for k in range(rings)]
    rise = [(radius * math.cos(a), z + squash * radius * math.sin(a)) for a in steps]
    return lathe([(0.0, z), *rise, (0.0, z + squash * radius)], sides)


def ring_of(inner: float, outer: float, z0: float, z1: float, *, sides: int = 48) -> Mesh:
    """An upright ring."""
    return lathe([(inner, z0), (outer, z0), (outer, z1), (inner, z1)], sides)


def chamfered(size: Sequence[float], *, bevel: float) -> Mesh:
    """A box about the middle of its underside with all edges broken by `bevel`."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    points = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            for up in (0, 1):
                lift = bevel if up == 0 else z - bevel
                points += [(sx * (x - bevel), sy * (y - bevel), z * up)]
                points += [(sx * x, sy * (y - bevel), lift), (sx * (x - bevel), sy * y, lift)]
    return hull(snapped(np.array(points)))


def block(
    size: Sequence[float], at: Sequence[float], *, turn: float = 0.0, bevel: float = 0.0, lean: Sequence[float] = ()
) -> Mesh:
    """A box of `size` whose underside's middle is `at`, edges broken by `bevel`, turned about z, leaning (x, y) deg."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    made = chamfered(size, bevel=bevel) if bevel else box((-x, -y, 0), (x, y, z))
    return moved(made, at, turn=turn, lean=lean)


def moved(mesh: Mesh, at: Sequence[float], *, turn: float = 0.0, lean: Sequence[float] = ()) -> Mesh:
    """The mesh turned about z (after leaning `lean` degrees about x and y), then shifted to `at`."""
    pose = Pose.at(at[0], at[1], at[2], turn=turn)
    if lean:
        pose = pose @ Pose.turned((1, 0, 0), lean[0]) @ Pose.turned((0, 1, 0), lean[1])
    return snapped(pose.apply(mesh[0])), mesh[1]


def beam(start: Sequence[float], end: Sequence[float], *, width: float, sides: int = 0) -> Mesh:
    """A bar of square section (or round, with `sides`) from one point to another."""
    a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
    length = math.sqrt(float(((b - a) ** 2).sum()))
    ahead = (b - a) / length
    aside = np.cross(ahead, (0.0, 0.0, 1.0) if abs(ahead[2]) < 0.9 else (1.0, 0.0, 0.0))
    aside /= math.sqrt(float((aside**2).sum()))
    over = np.cross(aside, ahead)
    plan = circle(width / 2, sides) if sides else rectangle(-width / 2, -width / 2, width / 2, width / 2)
    corners, faces = prism(plan, 0.0, length)
    turned = corners[:, :1] * aside - corners[:, 1:2] * over + corners[:, 2:] * ahead
    return snapped(turned + a), faces


def wedge(x0: float, x1: float, y0: float, y1: float, *, low: float, high: float, base: float = 0.0) -> Mesh:
    """A ramp along x over y0..y1: its top is `low` at x0 and `high` at x1, its underside flat at `base`."""
    section = [(x0, base), (x1, base), (x1, high), (x0, low)]
    if low == base:
        section = section[:3]
    return along_y(section if x1 > x0 else section[::-1], y0, y1)


def rivet(at: Sequence[float], *, radius: float = 0.9, height: float = 0.5) -> Mesh:
    """A small round head on a level surface, sunk a little so that it joins."""
    profile = [(0.0, -0.5), (radius, -0.5), (radius, height * 0.4), (radius * 0.55, height), (0.0, height)]
    return moved(lathe(profile, 8, start_deg=22.5), at)


def shaken(mesh: Mesh, amount: float, seed: int) -> Mesh:
    """The mesh with each corner moved by up to `amount` along each axis: for stones, whose faces are triangles."""
    shift = [[between(-amount, amount, seed, k, axis) for axis in range(3)] for k in range(len(mesh[0]))]
    return hull(snapped(mesh[0] + np.array(shift)))


def is_clean(mesh: Mesh) -> bool:
    """Whether every edge joins two triangles that run it opposite ways, and the whole has positive volume."""
    corners, faces = mesh
    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = pairs[:, 0] * len(corners) + pairs[:, 1]
    back = pairs[:, 1] * len(corners) + pairs[:, 0]
    once = len(np.unique(there)) == len(there)
    return once and bool(np.isin(there, back).all()) and volume_and_centre(corners, faces)[0] > 0.0
