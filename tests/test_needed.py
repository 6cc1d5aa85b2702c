"""What an engine is given of dense ground: far less of it, and nothing that could be felt is missing."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import shapely

from sim3d.engine import Rock, moving_of, needed
from sim3d.mini import Mini
from sim3d.settle import settle
from sim3d.space import TOUCH_MM, Floats, Pose

ZONES = ((0.1, 0.5), (1.5, 3.0))  # mm and degrees, as settles go


def grating(pitch_mm: float, edge_mm: float = 40.0) -> Rock:
    """Posts of 0.4 mm, 2 mm high, all over 80 by 80 mm up to an edge in x; their tops are level but for a rounding."""
    axis = np.arange(-40.0, 40.0, pitch_mm)
    dice = np.random.default_rng(4)
    corners, faces = [], []
    for x in axis[axis < edge_mm]:
        for y in axis:
            top = dice.uniform(-1e-5, 0.0)
            n = len(corners)
            corners += [(x + a, y + b, z) for z in (-2.0, top) for a, b in ((0, 0), (0.4, 0), (0.4, 0.4), (0, 0.4))]
            faces += [(n + 4, n + 5, n + 6), (n + 4, n + 6, n + 7)]
            for k in range(4):
                m = (k + 1) % 4
                faces += [(n + k, n + m, n + 4 + m), (n + k, n + 4 + m, n + 4 + k)]
    return Rock(corners, faces)


def rubble() -> Rock:
    """Rough ground of 0.7 mm triangles."""
    n = 100
    x, y = np.meshgrid(np.linspace(-35, 35, n), np.linspace(-35, 35, n), indexing="ij")
    z = np.random.default_rng(5).uniform(-0.6, 0.0, (n, n))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij"))
    a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return Rock(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), faces)


def felt_mm(corners: Floats, normal: Floats, x: float, y: float) -> float:
    """How high along a normal corners reach that lie under a base of 50 mm with its middle there."""
    under = corners[np.hypot(corners[:, 0] - x, corners[:, 1] - y) < 25.0]
    return float((under @ normal).max())


@pytest.mark.parametrize(
    ("ground", "zone"),
    [
        (grating(1.5), ZONES[0]),
        pytest.param(grating(1.5), ZONES[1], marks=pytest.mark.slow),
        *((rubble(), zone) for zone in ZONES),
    ],
    ids=["grating-near", "grating-far", "rubble-near", "rubble-far"],
)
def test_dense_ground_is_felt_the_same_with_far_less_of_it(ground: Rock, zone: tuple[float, float]) -> None:
    moving, (far_mm, far_deg) = moving_of(Mini("50")), zone
    less = needed(ground, moving, Pose(), far_mm, far_deg)
    assert len(less.faces) < 0.4 * len(ground.faces)
    dice = np.random.default_rng(6)
    corners, fewer = (rock.vertices[np.unique(rock.faces)] for rock in (ground, less))
    for _ in range(300):
        tilt, towards = np.radians(dice.uniform(0.0, far_deg)), dice.uniform(0.0, 2 * np.pi)
        normal = np.array([np.sin(tilt) * np.cos(towards), np.sin(tilt) * np.sin(towards), np.cos(tilt)])
        x, y = far_mm / 1.5 * dice.uniform(-1.0, 1.0, 2)
        assert felt_mm(fewer, normal, x, y) == pytest.approx(felt_mm(corners, normal, x, y), abs=TOUCH_MM)


def test_all_that_the_rim_may_meet_is_left() -> None:
    ground, moving = grating(1.0), moving_of(Mini("50"))
    less = needed(ground, moving, Pose(), *ZONES[0])
    left = {tuple(sorted(map(tuple, t))) for t in less.vertices[less.faces].round(6).tolist()}
    for tri in ground.vertices[ground.faces].round(6):
        far = np.hypot(tri[:, 0], tri[:, 1])
        if far.max() > 24.95 and far.min() < 25.05:
            assert tuple(sorted(map(tuple, tri.tolist()))) in left


@pytest.mark.parametrize("base", ["50n", "60x35"])
def test_of_a_notched_or_oval_base_all_that_its_walls_may_meet_is_left(base: str) -> None:
    ground, moving = grating(1.0), moving_of(Mini(base))
    less = needed(ground, moving, Pose(), *ZONES[0])
    assert len(less.faces) < 0.6 * len(ground.faces)
    left = {tuple(sorted(map(tuple, t))) for t in less.vertices[less.faces].round(6).tolist()}
    corners = ground.vertices[ground.faces].round(6)
    flat = shapely.convex_hull(shapely.multipoints(corners[:, :, :2]))
    near = shapely.distance(shapely.linearrings(moving.ring), flat) < 0.05
    assert near.sum() > 100
    for tri in corners[near]:
        assert tuple(sorted(map(tuple, tri.tolist()))) in left


def test_little_ground_is_left_as_it_is() -> None:
    ground = Rock([[-30, -30, 0], [30, -30, 0], [30, 30, 0], [-30, 30, 0]], [[0, 1, 2], [0, 2, 3]])
    assert needed(ground, moving_of(Mini("27")), Pose(), 0.1, 0.5) is ground


@pytest.mark.parametrize("engine", ["bullet", "rapier"])
def test_a_base_on_a_grating_is_seen_as_on_a_plate(engine: str) -> None:
    if engine == "bullet":
        pytest.importorskip("pybullet")
    ground, mini = grating(1.2), Mini("27")
    for edge_mm, stays, nudged in ((40.0, True, True), (-2.0, False, None)):
        seen = settle(grating(1.2, edge_mm), mini, Pose(), friction=1.25, engine=engine)
        assert (seen.stays, seen.nudged) == (stays, nudged), (edge_mm, seen.why)
    watched: Any = importlib.import_module("sim3d.settle")
    run = watched._Run(None, ground, moving_of(mini), Pose(), 1.25, 5.0, 0.0, 2.0, watched.Settings())
    assert len(run._within(watched.TIGHT).faces) < 0.1 * len(ground.faces)
