"""Engines behind the protocol: what they are given is proven, what they print is nothing, what they do repeats."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import shapely

from sim3d.engine import (
    ENGINES,
    STANDARD_GRAVITY_M_S2,
    Engine,
    Moving,
    Rock,
    Settings,
    default_engine,
    engine_named,
    merged,
    moving_of,
    parts_of,
)
from sim3d.engine.rapier import finer
from sim3d.mini import Base, Mini
from sim3d.space import Floats, Ints, Pose
from tests.quiet import quiet

FLOOR = ([[-200.0, -200, 0], [200, -200, 0], [200, 200, 0], [-200, 200, 0]], [[0, 1, 2], [0, 2, 3]])


@pytest.fixture(params=[e.name for e in ENGINES])
def engine(request: pytest.FixtureRequest) -> Engine:
    chosen = next(e for e in ENGINES if e.name == request.param)
    if not chosen.available():
        pytest.skip(f"{chosen.name} is not installed here")
    return chosen


def area(vertices: Floats, faces: Ints) -> float:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def grid(count: int, pitch: float) -> tuple[Floats, Ints]:
    x, y = np.meshgrid(np.arange(count + 1) * pitch, np.arange(count + 1) * pitch, indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).ravel()
    b, c, d = a + count + 1, a + count + 2, a + 1
    return corners, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


# --- what an engine is given --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vertices", "faces", "complaint"),
    [
        ([[0, 0, math.nan], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], "not numbers"),
        ([[0, 0, math.inf], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], "not numbers"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]], "names corner 3 of 3"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, -1]], "names corner -1 of 3"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.0, 1.0, 2.0]], "whole numbers"),
        ([[0, 0, 0], [1e6, 0, 0], [0, 1, 0]], [[0, 1, 2]], "lies 1e\\+06 mm out"),
    ],
)
def test_nothing_unproven_reaches_an_engine(vertices: object, faces: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Rock(vertices, faces)


def test_ground_drops_only_what_carries_nothing() -> None:
    # a triangle, itself turned over, itself with corners written twice, a needle of no width, and a corner unused
    corners = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, -0.0], [18, 0, 0], [5, 5, 5]]
    ground = Rock(corners, [[0, 1, 2], [2, 1, 0], [3, 1, 2], [0, 1, 4]])
    assert ground.faces.tolist() == [[0, 1, 2]]
    assert len(ground.vertices) == 3


def test_an_empty_ground_is_ground() -> None:
    assert len(Rock(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)).faces) == 0
    assert len(Rock([], []).faces) == 0


@pytest.mark.parametrize("friction", [-0.1, math.nan, math.inf, 10.5])
def test_friction_is_a_number_from_0_to_10(engine: Engine, friction: float) -> None:
    with pytest.raises(ValueError, match="friction is a number"):
        engine.world(Rock(*FLOOR), moving_of(Mini("27")), Pose(), friction=friction, settings=Settings())


@pytest.mark.parametrize("wrong", [{"steps_hz": 0}, {"unit_mm": -1.0}, {"contact_mm": math.nan}])
def test_settings_are_sane(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="settings"):
        Settings(**wrong)  # type: ignore[arg-type]


def test_a_body_is_solid_and_heavy() -> None:
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(ValueError, match="flat"):
        Moving((flat,), (0, 0, 1), 1.0, (1, 1, 1))
    with pytest.raises(ValueError, match="over 0"):
        Moving((flat + np.eye(4, 3) * 5,), (0, 0, 1), 0.0, (1, 1, 1))
    with pytest.raises(ValueError, match="at least one"):
        Moving((), (0, 0, 1), 1.0, (1, 1, 1))


def test_engines_have_names() -> None:
    assert default_engine().available()
    with pytest.raises(ValueError, match="known: bullet, rapier"):
        engine_named("havok")


# --- parts and flats ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["27", "60x35", "50n", "100x175n", "hex40", "rect50x25"])
def test_parts_cover_the_base_and_leave_its_notches_open(name: str) -> None:
    base = Base.named(name)
    rings = []
    for part in parts_of(base):
        ring = part[part[:, 2] == 0][:, :2]
        after = np.roll(ring, -1, axis=0)
        u, v = after - ring, np.roll(after, -1, axis=0) - after
        bend = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        assert bend.min() > -1e-6  # convex
        assert np.ptp(ring, axis=0).max() <= 50.2  # an engine looks at all that is in the box about a part
        rings.append(shapely.Polygon(ring))
    area_mm2 = float(shapely.union_all(rings).area)
    # a chord of sagitta s loses two thirds of s along its length; straight walls lose nothing
    around = 2 * (base.outline.length_mm + base.outline.width_mm)
    assert -1e-6 <= base.outline.area_mm2() - area_mm2 <= 2 / 3 * 0.03 * around


def test_four_notches_come_apart() -> None:
    base = Base.round(50, notches=("front", "rear", "left", "right"))
    assert len(parts_of(base)) >= 5


def test_a_flat_is_told_in_few_triangles() -> None:
    corners, faces = grid(20, 2.0)
    turned = Pose.turned((3, 1, 2), 40).apply(corners)
    assert len(merged(Rock(turned, faces)).faces) == 2
    hole = faces[[k for k in range(len(faces)) if k % 400 != 210]]
    ground = Rock(turned, hole)
    fewer = merged(ground)
    assert len(fewer.faces) < 20
    assert area(fewer.vertices, fewer.faces) == pytest.approx(area(ground.vertices, ground.faces), rel=1e-9)


def test_curved_ground_is_left_alone() -> None:
    corners, faces = grid(12, 2.0)
    corners[:, 2] = 0.05 * np.sin(corners[:, 0]) + 0.05 * np.cos(corners[:, 1])
    assert len(merged(Rock(corners, faces)).faces) == len(faces)


def test_finer_triangles_are_the_same_surface() -> None:
    ground = Rock(*FLOOR)
    corners, faces = finer(ground.vertices, ground.faces, 30.0)
    sides = np.linalg.norm(corners[faces] - corners[np.roll(faces, 1, axis=1)], axis=2)
    assert sides.max() <= 30.0
    assert area(corners, faces) == pytest.approx(160_000.0, rel=1e-12)
    ends = np.sort(np.column_stack([faces.ravel(), np.roll(faces, 1, axis=1).ravel()]), axis=1)
    _, count = np.unique(ends, axis=0, return_counts=True)
    assert (count == 1).sum() < 100  # the rim alone: every middle is shared by both its triangles


# --- a world ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["27", "50n"])
@pytest.mark.parametrize("flip", [False, True])
def test_it_lies_on_the_ground_whichever_way_triangles_face(engine: Engine, base: str, flip: bool) -> None:
    faces = [f[::-1] for f in FLOOR[1]] if flip else FLOOR[1]
    mini = Mini(base, height=40, com=(1.0, -2.0, 15.0), mass_g=20)
    start = Pose.at(7.0, -3.0, 0.002, turn=30)
    with engine.world(
        Rock(FLOOR[0], faces), moving_of(mini), start, friction=1.0, settings=Settings(damping_hz=5.0)
    ) as world:
        assert world.pose().place == pytest.approx(start.place, abs=1e-5)  # the base's middle, not the centre of mass
        assert world.pose().spin == pytest.approx(start.spin, abs=1e-6)
        world.step(200)
        assert world.pose().place == pytest.approx((7.0, -3.0, 0.0), abs=0.002)
        speed, turning = world.velocity()
        assert math.hypot(*speed) < 0.1
        assert math.hypot(*turning) < 1.0
        touches = world.contacts()
        assert len(touches) >= 3
        assert all(t.normal[2] > 0.999 and abs(t.place[2]) < 0.15 for t in touches)
        # what carries it carries its weight
        assert sum(t.force_n for t in touches) == pytest.approx(20e-3 * STANDARD_GRAVITY_M_S2, rel=0.05)


@pytest.mark.parametrize("turn", [0.0, 1.5, 40.0])
def test_a_round_base_is_round(turn: float) -> None:
    bullet = engine_named("bullet")
    if not bullet.available():
        pytest.skip("bullet is not installed here; rapier takes a base for what it is between its corners")
    moving, a = moving_of(Mini("100", height=3.2, com=1.6)), math.radians(turn) / 2
    assert moving.round_mm == 50.0
    c, k = math.cos(a) / math.sqrt(2.0), math.sin(a) / math.sqrt(2.0)
    coin = Pose((0.0, 0.0, 50.001), (c, c, -k, k))  # on edge, and rolled by so much
    with bullet.world(Rock(*FLOOR), moving, coin, friction=1.0, settings=Settings()) as world:
        world.step(40)  # on its rim, between two corners of a polygon or on one
        assert world.pose().place[2] == pytest.approx(50.0, abs=0.002)  # with 120 corners from 49.988 to 50.010


def test_what_is_called_round_is_round() -> None:
    hexagon = moving_of(Mini("hex50"))
    assert hexagon.round_mm is None
    assert moving_of(Mini("50n")).round_mm is None
    with pytest.raises(ValueError, match=r"corners of a round base lie 25.0 mm out"):
        Moving(hexagon.parts, hexagon.com, hexagon.mass_g, hexagon.inertia_g_mm2, 25.0)


def test_nothing_under_it_and_it_falls_as_it_should(engine: Engine) -> None:
    nothing = Rock([], [])
    settings = Settings(damping_hz=0.0, steps_hz=1000)
    with engine.world(nothing, moving_of(Mini("27")), Pose(), friction=1.0, settings=settings) as world:
        world.step(500)
        # g t²/2 with a tenth of g: 122.58 mm, and half a step's worth of g t dt more or less
        assert world.pose().place[2] == pytest.approx(-122.58, abs=0.3)
        world.pull((0.0, 0.0, 0.0))
        before = world.velocity()[0][2]
        world.step(100)
        assert world.velocity()[0][2] == pytest.approx(before, rel=1e-6)


def test_ground_in_cells_is_the_same_ground_with_more_contacts() -> None:
    bullet = engine_named("bullet")
    if not bullet.available():
        pytest.skip("bullet is not installed here; rapier keeps contacts by the triangle")
    corners, faces = grid(30, 2.0)
    moving, start = moving_of(Mini("27")), Pose.at(30, 30, 0.002)
    places = []
    for cells in (1, 4):
        rules = Settings(cells=cells)
        with bullet.world(Rock(corners, faces), moving, start, friction=1.0, settings=rules) as world:
            world.step(100)
            assert world.pose().place == pytest.approx((30.0, 30.0, 0.0), abs=0.003)
            places.append({tuple(np.floor(np.array(t.place[:2]) / 7)) for t in world.contacts()})
            assert len(world.contacts()) <= 4 or cells == 4
    assert len(places[0]) <= 4 < len(places[1])


def test_more_triangles_than_one_mesh_holds_are_several(engine: Engine) -> None:
    corners, faces = grid(30, 2.0)
    settings = Settings(largest_mesh=500)
    with engine.world(
        Rock(corners, faces), moving_of(Mini("27")), Pose.at(30, 30, 0.002), friction=1.0, settings=settings
    ) as world:
        world.step(100)
        assert world.pose().place == pytest.approx((30.0, 30.0, 0.0), abs=0.003)


def test_importing_and_running_an_engine_prints_nothing(engine: Engine) -> None:
    code = (
        "from sim3d.engine import *\n"
        f"e = engine_named({engine.name!r})\n"
        "g = Rock([[-50, -50, 0], [50, -50, 0], [0, 50, 0]], [[0, 1, 2]])\n"
        "from sim3d.mini import Mini\n"
        "from sim3d.space import Pose\n"
        "print('{')\n"
        "with e.world(g, moving_of(Mini('27')), Pose(), friction=1.0, settings=Settings()) as w: w.step(3)\n"
        "print('}')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "{\n}\n"
    assert quiet(done.stderr) == ""


def test_worlds_leave_no_memory_behind(engine: Engine) -> None:
    # the libraries are known to keep lists they are given: 0.2 MB a world of this size
    ground, moving = Rock(*grid(24, 2.5)), moving_of(Mini("50n"))

    def worlds(count: int) -> None:
        for _ in range(count):
            with engine.world(ground, moving, Pose.at(30, 30, 0.002), friction=1.0, settings=Settings()) as world:
                world.step(1)

    worlds(3)
    tracemalloc.start()
    worlds(5)
    before = tracemalloc.get_traced_memory()[0]
    worlds(20)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000


def test_one_bullet_world_at_a_time() -> None:
    bullet = ENGINES[0]
    if not bullet.available():
        pytest.skip("bullet is not installed here")
    ground, moving = Rock(*FLOOR), moving_of(Mini("27"))
    with (
        bullet.world(ground, moving, Pose(), friction=1.0, settings=Settings()),
        pytest.raises(RuntimeError, match="one at a time"),
    ):
        bullet.world(ground, moving, Pose(), friction=1.0, settings=Settings())
    with bullet.world(ground, moving, Pose(), friction=1.0, settings=Settings()) as world:
        world.step(1)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_bullet_is_loaded_where_an_output_is_closed(tmp_path, closed):
    said = tmp_path / "said"
    code = (
        "import os, sys; from sim3d.engine.bullet import _library; _library()\n"
        "def shut(n):\n  try: os.fstat(n)\n  except OSError: return True\n  return False\n"
        f"both = str([shut(1), shut(2)])\nopen({str(said)!r}, 'w').write(both)"
    )
    command = ["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, code]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    assert said.read_text() == str([" >&-" in f" {closed}", "2>&-" in closed])
