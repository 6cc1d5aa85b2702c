"""Numbers that are the least or the most of many: no direction, height or part of the rim says otherwise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import trimesh

import sim3d
from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.stand import _by_statics
from sim3d.statics.limit import com_limit, stood
from sim3d.statics.ramp import nudges
from sim3d.statics.rest import Rest, case_of, rest
from sim3d.statics.touch import in_rising_order
from sim3d.statics.ways import NUDGE
from sim3d.table import Piece, Table
from tests.cut import Soup, in_four, in_three
from tests.test_laws import PACK

GALLERY = PACK.parent / "gallery"
AROUND = 180  # directions
ASKED_DEG = 60.0
NEEDLE = ((-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05), (0.0, 0.0))


@cache
def rubble() -> Table:
    """Blocks of all heights under 12 mm, on a grid of 9 mm, each turned and leaning its own way."""
    rng = np.random.default_rng(4)
    pieces = []
    for k, (x, y) in enumerate((x, y) for x in range(-40, 41, 9) for y in range(-40, 41, 9)):
        size, high = rng.uniform(3, 9, 2), rng.uniform(2, 12)
        solid = sim3d.Solid.of(*box((-size[0] / 2, -size[1] / 2, -9), (size[0] / 2, size[1] / 2, high)))
        lean = rng.normal(0, 0.12, 3)
        spin = np.array([1.0, *lean]) / math.hypot(1.0, *lean)
        pieces.append(Piece(f"block-{k}", solid, Pose((float(x), float(y), 0.0), tuple(map(float, spin)))))
    return Table(tuple(pieces))


def needles(tips: list[tuple[float, float, float]]) -> Table:
    """Pyramids a tenth of a millimetre wide."""
    corners = [(x + u, y + v, 0.0) if u or v else (x, y, z) for x, y, z in tips for u, v in NEEDLE]
    faces = [
        [5 * k + n for n in face] for k in range(len(tips)) for face in ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
    ]
    return Table((Piece("needles", sim3d.Solid.of(np.array(corners), np.array(faces))),), floor_mm=None)


def least_deg(table: Table, mini: Mini, at: tuple[float, float], around: int = AROUND) -> float:
    """The least tilt that takes it over in any of many directions, each rolled by itself."""
    case = case_of(ground_of(table), mini, at=at, turn=0.0, level=None)
    _, c, gx, gy = case.lowest()
    return math.degrees(nudges(case.footing(case.frame(c, gx, gy)), around, math.radians(ASKED_DEG), False)[0])


def resting(count: int, seed: int) -> list[tuple[Mini, tuple[float, float]]]:
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        height = float(rng.uniform(8, 30))
        mini = Mini(str(rng.choice(["27", "40"])), height=3 * height, com=height)
        at = (float(rng.uniform(-25, 25)), float(rng.uniform(-25, 25)))
        if sim3d.stand(rubble(), mini, at=at, physics="never").answer == "stable":
            found.append((mini, at))
    return found


def test_no_direction_over_a_dome_is_easier_than_the_tip_that_is_told() -> None:
    table, mini = Table.of(sim3d.read_solid(GALLERY / "dome-medium.stl")), Mini("27", height=24, com=8)
    told = rest(table, mini, at=(0.3, 0.1)).tip_deg
    assert told is not None
    assert told < least_deg(table, mini, (0.3, 0.1), 720) + 0.05 < 8.0  # over an edge of its contacts it would be 43


def test_no_direction_on_rubble_is_easier_than_the_tip_that_is_told() -> None:
    wrong = []
    for mini, at in resting(30, 1):
        told = rest(rubble(), mini, at=at).tip_deg
        assert told is not None
        if told > least_deg(rubble(), mini, at) + 0.3:
            wrong.append((at, told))
    assert wrong == []


@pytest.mark.parametrize("deg", [0.0, 120.0, 288.16])
@pytest.mark.parametrize(
    ("base", "turn", "edge", "drop", "com", "past"),
    [
        ("50", 273.06, 6.722, 13.98, 6.837, True),
        ("50", 193.22, 6.301, 17.678, 12.24, True),
        ("60x35", 164.3, 12.751, 4.855, 8.517, False),
        ("60x35", 291.7, 6.606, 19.479, 11.586, True),
        ("rect40x40", 225.72, 13.376, 6.461, 4.583, False),
        ("rect50x25", 198.04, 8.111, 9.973, 4.494, False),
        ("hex40", 157.62, 6.965, 8.491, 4.123, False),
    ],
)
def test_what_gravity_draws_off_its_own_plane_is_held_by_no_ground_below(
    base: str, turn: float, edge: float, drop: float, com: float, past: bool, deg: float
) -> None:
    # over the edge it comes down on the ground, but leans by more than a right angle then from gravity as that leans
    step, ground = box((-60, -60, -drop), (60, edge, 0)), box((-200, -200, -drop - 5), (200, 200, -drop))
    spin = Pose.at(0.0, 0.0, turn=deg)
    pieces = [Piece(n, sim3d.Solid.of(*mesh), spin) for n, mesh in (("step", step), ("ground", ground))]
    mini = Mini(base, height=40, com=com)
    told = sim3d.stand(Table(tuple(pieces), floor_mm=None), mini, at=(0, 0), turn=turn + deg, physics="never")
    assert told.tip_deg == pytest.approx(math.degrees(math.atan2(edge, com)), abs=1e-4)
    over_the_edge = math.hypot(edge, com) - com
    assert told.barrier_mm is not None
    if past:  # its centre of mass lies beyond the ground that it comes down on
        assert told.barrier_mm == pytest.approx(over_the_edge, abs=1e-4)
    else:  # it rises yet over that
        assert told.barrier_mm > over_the_edge + 0.1


def test_it_stands_with_a_centre_of_mass_below_the_limit_and_not_above() -> None:
    wrong = []
    for mini, at in resting(30, 2):
        limit = rest(rubble(), mini, at=at).com_limit_mm
        assert limit is not None
        if limit < 300 and limit > mini.com[2]:
            beside = (0.97, ["stable"]), (0.9999, ["stable", "undecided"]), (1.002, ["precarious", "undecided"])
            for share, allowed in beside:
                high = Mini(mini.base, height=1000, com=share * limit)
                word = sim3d.stand(Table(rubble().pieces), high, at=at, physics="never").answer
                wrong += [(at, limit, share, word)] if word not in allowed else []
            for share, stands in ((1 - 2e-6, True), (1 + 2e-6, False)):
                tip_deg = rest(rubble(), Mini(mini.base, height=1000, com=share * limit), at=at).tip_deg
                wrong += [(at, limit, share, tip_deg)] if ((tip_deg or 0.0) >= 5.0) != stands else []
    assert wrong == []


@pytest.mark.parametrize("soup", [in_three, in_four])
@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("watch-tower", (21.394, 45.633)),
        ("bridge", (13.565, -21.226)),
        ("landing-pad", (-68.697, 104.069)),
        ("containers", (-34.399, -18.556)),
    ],
)
def test_where_it_rocks_first_the_limit_of_its_centre_of_mass_does_not_hang_on_how_faces_are_cut(
    name: str, at: tuple[float, float], soup: Callable[..., Soup]
) -> None:
    solid = sim3d.read_solid(PACK / f"{name}.stl")
    cut = sim3d.Solid.of(*soup(solid.vertices, solid.faces))
    one, other = (rest(Table.of(s), Mini("27"), at=at).com_limit_mm for s in (solid, cut))
    assert other == pytest.approx(one, rel=1e-6)


@pytest.mark.parametrize("com", [28.0, 30.0, 40.5, 45.5])
def test_a_limit_counts_a_base_that_is_held_where_no_pose_was_found_from_level(com: float) -> None:
    """A seesaw at rest, 24 wide, whose side a base reaches over: with one height of some twenty the program ends beside
    its pose, and what holds it is found on its way.

    Its centre of mass is 4.75 inside of that side, and there it goes over: by the nudge, a base that leans 8 degrees
    across it leans sin a = sin 5 / cos 8 over its own side.
    """
    points = [(x, y, z) for x in (-60.0, 60.0) for y in (-12.0, 12.0) for z in (-1.5, 1.5)]
    plank = Pose.turned((0, 1, 0), 8.0).apply(points) + np.array([0.0, 0.0, 12.0])
    ridge = [(x, y, z) for y in (-15.0, 15.0) for x, z in ((-4.0, 0.0), (4.0, 0.0), (0.0, 10.4))]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3), (8, 9, 10), (13, 12, 11), (8, 11, 12), (12, 9, 8), (13, 11, 8),
             (8, 10, 13), (9, 12, 13), (13, 10, 9)]  # fmt: skip
    there = Pose.at(137.3, -251.7, 3.1, turn=33.7)
    corners = there.apply(np.vstack([plank, ridge]))
    table = Table((Piece("seesaw", sim3d.Solid.of(corners, faces)),), floor_mm=3.1)
    at = there.apply([[8.5, 7.25, 0.0]])[0]
    limit = rest(table, Mini("25", height=60, com=com), at=(at[0], at[1]), turn=70.7).com_limit_mm
    lean = math.asin(math.sin(math.radians(5.0)) / math.cos(math.radians(8.0)))
    assert limit == pytest.approx(4.75 / math.tan(lean), rel=1e-6)


def test_terrain_beside_a_base_carries_none_of_its_underside() -> None:
    ledge = sim3d.Solid.of(*box((-100, -100, 0), (0, 100, 20)))
    beside = sim3d.Solid.of(*box((10.6, -100, 0), (40, 100, 20)))
    mini = Mini("27", height=40, com=10)
    for pieces in ((Piece("ledge", ledge),), (Piece("ledge", ledge), Piece("beside", beside))):
        seen = rest(Table(pieces), mini, at=(-3.0, 0.0))
        assert seen.overhang_mm == pytest.approx(10.5, abs=1e-6)


@pytest.mark.parametrize("base", ["60x35", "100x175n"])
def test_an_overhang_is_measured_along_the_underside_whatever_the_triangles(base: str) -> None:
    mini = Mini(base, height=60, com=10)
    half = mini.base.outline.length_mm / 2
    seen = []
    for far in (200.0, 3000.0):  # one triangle or another lies over the rim at the side
        ledge = sim3d.Solid.of(*box((-far, -far, 0), (0, far, 20)))
        seen.append(rest(Table.of(ledge), mini, at=(-3.0, 0.0)).overhang_mm)
    assert seen == pytest.approx([half - 3.0] * 2, abs=1e-6)


def test_a_slab_of_three_millimetres_hangs_over_nothing_wherever_it_lies() -> None:
    seen = []
    for k in range(120):  # the floor is 3 mm under it, but for rounding: on one side or the other of the limit
        low = round(0.7 * k - 20.0, 1)
        slab = sim3d.Solid.of(*box((-40, -40, low), (0, 40, low + 3))).moved(Pose.at(0, 0, turn=3.1 * k))
        (x, y, _), *_ = Pose.at(0, 0, turn=3.1 * k).apply([[-1.0 - 0.04 * k, 0.3 * k - 18.0, 0.0]])
        found = rest(Table(Table.of(slab).pieces, floor_mm=low), Mini("27"), at=(float(x), float(y)))
        seen.append((found.overhang_mm, found.overhang_share))
    assert seen == [(0.0, 0.0)] * 120


@pytest.mark.parametrize("base", ["27", "50n", "60x35", "100x175n"])
def test_what_hangs_over_is_the_rest_of_the_underside(base: str) -> None:
    post, beam = box((-5, -4, 0), (5, 4, 20)), box((-1, -6, 0), (3, 5, 20))  # they overlap, and cross each other
    mini = Mini(base, height=60, com=10)
    outline = mini.base.outline
    for turn in (0.0, 33.0):
        one = rest(Table.of(sim3d.Solid.of(*post)), mini, at=(0.0, 0.0), turn=turn)
        assert one.overhang_share == pytest.approx(1.0 - 80.0 / outline.area_mm2(), abs=1e-6)
        both = rest(
            Table((Piece("post", sim3d.Solid.of(*post)), Piece("beam", sim3d.Solid.of(*beam)))), mini, at=(0.0, 0.0)
        )
        assert both.overhang_share == pytest.approx(1.0 - (80.0 + 44.0 - 32.0) / outline.area_mm2(), abs=1e-6)


def test_the_farthest_point_of_the_outline_is_found_between_those_that_are_tried() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):  # between two corners of what carries it, as far from one as from the other
        angles = np.sort(rng.uniform(0, 2 * math.pi, 3))
        if np.diff(np.append(angles, angles[0] + 2 * math.pi)).max() > 0.9 * math.pi:
            continue
        corners = 9.0 * np.column_stack([np.cos(angles), np.sin(angles)])
        prism = np.vstack([np.column_stack([corners, np.full(3, z)]) for z in (0.0, 20.0)])
        faces = np.array([[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])
        seen = rest(Table.of(sim3d.Solid.of(prism, faces)), Mini("27", height=40, com=10), at=(0.0, 0.0))
        ways = np.linspace(0, 2 * math.pi, 200_001)
        rim = 13.5 * np.column_stack([np.cos(ways), np.sin(ways)])
        near = np.full(len(rim), np.inf)
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            along = np.clip((rim - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
            near = np.minimum(near, np.hypot(*(rim - a - along[:, None] * (b - a)).T))
        assert seen.overhang_mm == pytest.approx(near.max(), abs=1e-6)


def test_what_is_set_down_on_needles_does_not_fall() -> None:
    # the search for a pose stepped far past every one, to where nothing lies under so steep a base
    tips = [
        (-1.56, -0.46, 10.49), (-3.73, -1.11, 11.41), (-0.52, 1.12, 10.49), (-5.11, -0.8, 11.18), (-0.12, 4.98, 10.27),
        (1.05, 2.04, 10.73), (-0.66, -0.07, 10.57), (5.31, -0.93, 10.41), (5.43, 1.2, 10.36), (4.58, 0.84, 11.45),
        (3.54, 3.54, 11.0),
    ]  # fmt: skip
    table, mini = needles(tips), Mini("round10", height=9, com=(0.11, 0.31, 3.0))
    seen = sim3d.stand(table, mini, at=(0, 0), turn=243.66, friction=9, physics="never")
    assert seen.answer != "falls"
    sim3d.check(seen, table)


def test_a_barrier_that_is_only_bounded_says_so() -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=80.0)
    ball.apply_transform(trimesh.transformations.rotation_matrix(0.3, (1, 2, 0.5)))
    table = Table((Piece("ball", sim3d.Solid.of(ball.vertices, ball.faces)),), floor_mm=None)
    seen = sim3d.stand(table, Mini("27", height=24, com=8), at=(0.0, 0.0), physics="never")
    over = 80.0 * math.cos(13.5 / 80.0) + math.hypot(13.5, 8.0) - 88.0  # rolled to its rim, then over that
    assert seen.barrier_mm is not None
    assert seen.barrier_is_least
    assert seen.barrier_mm <= over
    assert seen.as_dict()["barrier_is_least"]


def test_a_pose_whose_contacts_do_not_hold_its_weight_is_undecided() -> None:
    table, mini = Table(), Mini("27")
    found, told = rest(table, mini, at=(0, 0)), sim3d.stand(table, mini, at=(0, 0), physics="never")
    assert _by_statics(told, found, 1.0)[0] == "stable"
    assert _by_statics(told, replace(found, margin_mm=-10.7, friction_needed=math.inf), 1.0)[0] == "undecided"


@pytest.mark.parametrize("many", [0, 1, 2, 23, 24, 25, 100, 361])
def test_keys_are_told_as_they_rise_and_equal_ones_in_their_order(many: int) -> None:
    rng = np.random.default_rng(many)
    bows = np.cos(np.linspace(0.3, 0.3 + 2 * math.pi, many))  # up and down, in two runs
    for keys in (rng.normal(size=many), np.round(rng.normal(size=many), 1), bows, -bows, np.zeros(many)):
        assert np.array_equal(in_rising_order(keys), np.argsort(keys, kind="stable"))


FACES = [[0, 2, 6], [6, 4, 0], [0, 4, 5], [5, 1, 0], [4, 6, 5], [5, 6, 7], [3, 2, 0], [0, 1, 3], [3, 6, 2], [7, 6, 3]]
FACES += [[1, 5, 3], [3, 5, 7]]
ROOF = ((-13.697, 22.292, 2.191), (0.675, 15.756, 2.191), (-42.589, -41.238, 3.591), (-28.218, -47.774, 3.591))
SLAB = ((-3.652, -6.932, 3.436), (31.239, -3.285, 3.436), (-0.255, -39.445, 3.805), (34.637, -35.799, 3.805))


@pytest.mark.parametrize("mirrored", [1, -1])
def test_a_limit_is_where_it_first_goes_over_though_it_stands_again_with_more(mirrored: int) -> None:
    """Over 26.7 mm it takes less than the nudge, over about 90 it rests on something else: it was told 95.59."""
    solids = []
    for top in (ROOF, SLAB):
        corners = [(x, mirrored * y, z) for x, y, high in top for z in (0.0, high)]
        solids.append(sim3d.Solid.of(corners, [face[::mirrored] for face in FACES]))
    table = Table(pieces=Table.of(*solids).pieces, floor_mm=0.0)

    def found(com: float) -> Rest:
        mini = Mini("50n", height=120, com=com)
        return rest(table, mini, at=(-21.8226, -3.65061 * mirrored), turn=227.21867 * mirrored)

    limit = found(6.6835).com_limit_mm
    assert limit == pytest.approx(26.6936, abs=1e-3)
    for com, least, most in ((limit - 0.05, 5.0, 90.0), (limit + 0.05, 0.0, 5.0), (48.0, 0.0, 5.0), (94.0, 5.0, 90.0)):
        tip = found(com).tip_deg
        assert tip is not None
        assert least <= tip < most


@pytest.mark.slow
def test_a_limit_at_which_two_ways_are_as_easy_is_asked_about_a_few_heights() -> None:
    """Each way led it on by a hair, and the rest by halves: some forty questions, 20 s for a table of nine boxes."""
    steps = [box((5.606 * k, -60, 0), (5.606 * k + 120, 60, 8.8944 * (k + 4))) for k in range(-3, 5)]
    corners = np.concatenate([v for v, _ in steps])
    faces = np.concatenate([f + 8 * k for k, (_, f) in enumerate(steps)])
    table, mini = Table.of(sim3d.Solid.of(corners, faces)), Mini("105x70", com=21, height=70)
    case = case_of(ground_of(table), mini, at=(-32.62, -29.84), turn=99.2, level=None)
    on = case.footing(case.frame(*case.lowest()[1:]))
    lumps = case.patch.lumps
    plain = case_of(ground_of(Table.of(sim3d.Solid.of(*steps[0]))), mini, at=(40.0, 0.0), turn=0.0, level=None)
    easy = plain.footing(plain.frame(*plain.lowest()[1:]))
    com_limit(easy, plain.patch.lumps, 0.0, True, 63.5722, 3.79)  # so that it is compiled
    begun = time.process_time()
    height = com_limit(on, lumps, case.turn, True, 63.5722, 3.79)
    told = time.process_time()
    stood(on, lumps, height, case.turn)
    assert told - begun < 25 * (time.process_time() - told)
    below, above = (stood(on, lumps, height + aside, case.turn).tilt for aside in (-1e-4, 1e-4))
    assert below >= NUDGE > above
