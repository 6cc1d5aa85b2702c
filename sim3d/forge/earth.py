"""Ground and stone from noise, at printing resolution: a hill, a pile of rocks, a field of craters."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sim3d.forge.noise import between, fbm
from sim3d.forge.shapes import finished, snapped
from sim3d.solid.boolean import Mesh, union
from sim3d.space import Floats

HILL_PITCH_MM = 0.85
CRATER_PITCH_MM = 1.0
BELOW_MM = 3.0  # how far a height field reaches under the table before it is cut off at z = 0


def hill() -> Mesh:
    """A hill 242 x 186 x 45: a level crown, a walkable flank to the right, terraces and cliffs to the left."""
    return finished(_field(_hill_height, 124, 99, HILL_PITCH_MM))


def craters() -> Mesh:
    """Churned ground 181 x 150 with three craters, rims to walk on, bowls to hide in."""
    return finished(_field(_crater_height, 96, 76, CRATER_PITCH_MM))


def rocks() -> Mesh:
    """Six boulders leaning together, up to 62 mm high, two with tops to stand on."""
    plan = (
        ((-24, 6), (34, 27, 62), 36, 1),
        ((22, -8), (31, 26, 41), 32, 2),
        ((4, 30), (22, 19, 30), 24, 3),
        ((-8, -29), (21, 17, 21), 22, 4),
        ((45, 22), (15, 13, 17), 18, 5),
        ((-54, -14), (13, 12, 14), 16, 6),
    )
    return finished(union([_boulder(at, size, cells, seed) for at, size, cells, seed in plan]))


def _smooth(value: Floats, low: float, high: float) -> Floats:
    """0 below low, 1 above high, an S between."""
    share = np.clip((value - low) / (high - low), 0.0, 1.0)
    curve: Floats = share * share * (3.0 - 2.0 * share)
    return curve


def _hill_height(x: Floats, y: Floats) -> Floats:
    flat = np.column_stack([x, y, np.zeros(len(x))])
    warp_x, warp_y = 9 * fbm(flat, size=60, octaves=3, seed=3), 9 * fbm(flat, size=60, octaves=3, seed=4)
    outline = np.hypot((x + warp_x) / 119, (y + warp_y) / 94)
    left = np.hypot((x + warp_x + 18) / 84, (y + warp_y - 4) / 66)
    mound = 1 - _smooth(outline, 0.22, 0.99)
    gentle = 42.0 * mound**1.15
    # terraces: the left flank climbs in three risers with level treads between
    rough = fbm(flat, size=26, octaves=4, seed=8)
    steps = sum(_smooth(left + 0.10 * rough, edge + 0.055, edge - 0.02) for edge in (0.97, 0.74, 0.48))
    cliff = 14.2 * np.asarray(steps)
    where = _smooth(x + warp_x * 2 + 0.25 * y, 6.0, -34.0)
    height = gentle * (1 - where) + cliff * where
    height = np.minimum(height, 42.6 + 0.35 * rough)
    stony = fbm(flat, size=7, octaves=3, seed=12)
    grass = 0.16 * fbm(flat, size=2.4, octaves=2, seed=15) + 0.9 * fbm(flat, size=30, octaves=2, seed=16)
    height = height + grass + where * 0.8 * np.abs(stony) * _smooth(outline, 1.0, 0.9)
    return np.asarray(height + 4.0 * _smooth(outline, 1.03, 0.99) - 3.4 + 1.4 * (outline < 1.01))


def _crater_height(x: Floats, y: Floats) -> Floats:
    flat = np.column_stack([x, y, np.zeros(len(x))])
    warp = 7 * fbm(flat, size=40, octaves=3, seed=33)
    outline = np.hypot((x + warp) / 92, (y - warp) / 72)
    height = 4.2 + 2.0 * fbm(flat, size=45, octaves=3, seed=36)
    for k, (cx, cy, radius, deep) in enumerate(((-32, 8, 36, 8.0), (38, -20, 25, 6.5), (34, 36, 15, 5.0))):
        away = np.hypot(x - cx, y - cy) / radius + 0.08 * fbm(flat, size=14, octaves=3, seed=40 + k)
        bowl = -deep * (1 - _smooth(away, 0.12, 0.92))
        rim = 0.72 * deep * np.exp(-(((away - 1.0) / 0.24) ** 2))
        height = height + bowl * (away < 1) + rim
    clods = fbm(flat, size=5.5, octaves=3, seed=50)
    height = np.maximum(height, 1.0) + 0.30 * clods + 1.5 * np.maximum(clods - 0.34, 0.0) * 2
    return np.asarray(height * _smooth(outline, 1.02, 0.80) - 2.0 * _smooth(outline, 0.995, 1.03))


def _field(height: Callable[[Floats, Floats], Floats], half_x: float, half_y: float, pitch: float) -> Mesh:
    """A closed block under a height over a grid; outside the outline the height is negative and is cut off later."""
    nx, ny = math.ceil(2 * half_x / pitch) + 3, math.ceil(2 * half_y / pitch) + 3
    xs, ys = (np.arange(nx) - (nx - 1) / 2) * pitch, (np.arange(ny) - (ny - 1) / 2) * pitch
    grid_x, grid_y = (g.reshape(-1) for g in np.meshgrid(xs, ys, indexing="ij"))
    top = np.maximum(height(grid_x, grid_y), -BELOW_MM * 0.6)
    edge = np.zeros((nx, ny), dtype=bool)
    edge[0], edge[-1], edge[:, 0], edge[:, -1] = True, True, True, True
    top[edge.reshape(-1)] = -BELOW_MM * 0.6
    index = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = (index[i : nx - 1 + i, j : ny - 1 + j].reshape(-1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    # the diagonal that follows the ground: the flatter of the two
    bend = np.abs(top[a] - top[c]) <= np.abs(top[b] - top[d])
    one = np.where(bend[:, None], np.column_stack([a, b, c]), np.column_stack([a, b, d]))
    two = np.where(bend[:, None], np.column_stack([a, c, d]), np.column_stack([b, c, d]))
    rim = np.concatenate([index[:, 0], index[-1, 1:], index[-2::-1, -1], index[0, -2:0:-1]])
    n, count = nx * ny, len(rim)
    low = np.column_stack([grid_x[rim], grid_y[rim], np.full(count, -BELOW_MM)])
    here, after = np.arange(count), (np.arange(count) + 1) % count
    skirt = np.concatenate(
        [np.column_stack([n + here, n + after, rim[after]]), np.column_stack([n + here, rim[after], rim[here]])]
    )
    middle = n + count
    floor = np.column_stack([n + after, n + here, np.full(count, middle)])
    corners = np.concatenate([np.column_stack([grid_x, grid_y, top]), low, [[0.0, 0.0, -BELOW_MM]]])
    return snapped(corners), np.concatenate([one, two, skirt, floor])


def _boulder(at: tuple[float, float], size: tuple[float, float, float], cells: int, seed: int) -> Mesh:
    """A ball cut by planes into facets, roughened by noise of three sizes, its foot below the table."""
    directions, faces = _cube_ball(cells * 2)
    reach = np.full(len(directions), 1.18)
    for k in range(15):
        turn, up = between(0, 2 * math.pi, seed, k, 1), between(-0.35, 0.95, seed, k, 2)
        flat = math.sqrt(max(0.0, 1 - up * up))
        normal = np.array([flat * math.cos(turn), flat * math.sin(turn), up])
        facing = directions @ normal
        cut = between(0.74, 0.98, seed, k, 3) / np.maximum(facing, 1e-3)
        reach = np.where(facing > 0.05, np.minimum(reach, cut), reach)
    # a level cap: somewhere to stand
    top = between(0.74, 0.84, seed, 99) / np.maximum(directions[:, 2] + 0.06 * directions[:, 0], 1e-3)
    reach = np.where(directions[:, 2] > 0.05, np.minimum(reach, top), reach)
    half = np.array([size[0], size[1], size[2] * 0.72])
    points = directions * reach[:, None] * half
    grain = fbm(points, size=16, octaves=4, seed=seed + 60)
    strata = fbm(points * np.array([0.12, 0.12, 1.0]), size=5.0, octaves=2, seed=seed + 80)
    points = points * (1 + 0.075 * grain + 0.035 * strata)[:, None]
    return snapped(points + np.array([at[0], at[1], size[2] * 0.42])), faces


def _cube_ball(cells: int) -> Mesh:
    """Directions on the unit ball, evenly enough: a cube's faces in cells, pushed out."""
    steps = np.tan(np.linspace(-math.pi / 4, math.pi / 4, cells + 1))
    u, v = (g.reshape(-1) for g in np.meshgrid(steps, steps, indexing="ij"))
    one = np.ones(len(u))
    sides = [(u, v, one), (v, u, -one), (one, u, v), (-one, v, u), (v, one, u), (u, -one, v)]
    points = np.concatenate([np.column_stack(s) for s in sides])
    index = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = (index[i : cells + i, j : cells + j].reshape(-1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    quads = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    faces = np.concatenate([quads + k * len(u) for k in range(6)])
    rounded = np.round(points / np.sqrt((points**2).sum(axis=1, keepdims=True)), 9) + 0.0
    _, first, where = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    used, renumbered = np.unique(first[where.reshape(-1)][faces], return_inverse=True)
    return rounded[used], renumbered.reshape(-1, 3).astype(np.int64)
