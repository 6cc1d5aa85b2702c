"""Rickety ground: pegs, cones and loose planks, on which bases rock, and rock on to other rests. Whatever is said of
one is proven by code that shares nothing with the solver; the pinned places were told "stable" and are not."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sim3d.atlas import atlas
from sim3d.check import CheckFailed, check
from sim3d.mini import Mini
from sim3d.solid import Solid, read_solid
from sim3d.solid.boolean import Mesh, box, hull
from sim3d.space import Pose
from sim3d.stand import stand
from sim3d.table import Table

DATA = Path(__file__).parent / "data"
BASES = ("27", "40", "50n", "hex32.5", "rect50x25", "rect30x20", "stadium100x50-left-right")


def pegs(seed: int) -> Table:
    """Eighty posts and cones, as they fall, on a plate 110 mm wide."""
    rng = np.random.default_rng(seed)
    parts = [box((-55, -55, -1), (55, 55, 1))]
    for _ in range(80):
        sharp, sides = rng.random() < 0.4, int(rng.integers(5, 30))
        radius, tall = rng.uniform(2, 8) if sharp else rng.uniform(0.6, 5), rng.uniform(5, 9)
        angles = 2 * math.pi * np.arange(sides) / sides
        ring = radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
        top = np.array([[0.0, 0.0, tall]]) if sharp else ring + np.array([0.0, 0.0, tall])
        x, y = rng.uniform(-48, 48, 2)
        parts.append(hull(np.vstack([ring, top]) + np.array([x, y, 1.0])))
    return on_table(parts)


def planks(seed: int) -> Table:
    """Thirteen planks side by side with gaps, each leaning by up to 4 degrees, no two at one height."""
    rng = np.random.default_rng(seed)
    parts = []
    for k in range(-6, 7):
        half = rng.uniform(2, 4.5)
        lean = Pose.turned((0, 1, 0), rng.uniform(-4.5, 4.5)) @ Pose.turned((1, 0, 0), rng.uniform(-4.5, 4.5))
        corners, faces = box((-half, -50, -1.5), (half, 50, 1.5))
        parts.append((lean.apply(corners) + np.array([9.0 * k, 0.0, 10 + rng.uniform(-1, 1)]), faces))
    return on_table(parts)


def slabs(seed: int) -> Table:
    """A plane of crooked facets some 8 mm wide, 5 mm up and down: bases rock on it on two facets, rim over edges."""
    rng, many, wide = np.random.default_rng(seed), 16, 8.0
    along = (np.arange(many) - (many - 1) / 2) * wide
    x, y = np.meshgrid(along, along, indexing="ij")
    crooked = rng.uniform(-0.3, 0.3, (2, many, many)) * wide
    corners = np.stack([x + crooked[0], y + crooked[1], rng.uniform(0, 5, (many, many))], -1).reshape(-1, 3)
    faces = []
    for i in range(many - 1):
        for j in range(many - 1):
            a, b, c, d = i * many + j, (i + 1) * many + j, (i + 1) * many + j + 1, i * many + j + 1
            faces += [(a, b, c), (a, c, d)] if rng.random() < 0.5 else [(a, b, d), (b, c, d)]
    return Table.of(Solid.of(corners, np.array(faces)))


def on_table(parts: list[Mesh]) -> Table:
    """All of them as one piece."""
    before = np.cumsum([0, *(len(corners) for corners, _ in parts)])
    corners = np.vstack([corners for corners, _ in parts])
    return Table.of(Solid.of(corners, np.vstack([faces + n for (_, faces), n in zip(parts, before, strict=False)])))


def wrong(table: Table, base: str, at: tuple[float, float], turn: float) -> str:
    """What is wrong with what is said of one placement; nothing where it is proven, or not called standing."""
    verdict = stand(table, Mini(base), at=at, turn=turn, physics="never")
    if verdict.answer in ("stable", "precarious"):
        try:
            check(verdict, table)
        except CheckFailed as fault:
            return f"{base} at {at}, turned by {turn}: {fault}"
    return ""


def at_random(ground: Callable[[int], Table], seed: int, many: int) -> list[str]:
    """What is wrong with so many placements on one ground."""
    table, rng, found = ground(seed), np.random.default_rng(seed), []
    for _ in range(many):
        base = BASES[int(rng.integers(len(BASES)))]
        x, y, turn = (round(float(v), 4) for v in rng.uniform((-50, -50, 0), (50, 50, 360)))
        found.append(wrong(table, base, (x, y), turn))
    return [fault for fault in found if fault]


@pytest.mark.parametrize("ground", [pegs, planks, slabs])
def test_random_placements_on_it_are_proven(ground: Callable[[int], Table]) -> None:
    assert at_random(ground, 1, 15) == []


def test_where_the_rim_crosses_an_edge_that_says_how_it_pushes() -> None:
    """A place of the rim 0.04 mm farther on nearly touches the plank's face, but the rim goes up that."""
    assert wrong(planks(5), "40", (-8.2346, 10.157), 353.171) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("ground", [pegs, planks, slabs])
def test_many_placements_on_it_are_proven(ground: Callable[[int], Table], seed: int) -> None:
    assert at_random(ground, seed, 300) == []


@pytest.mark.parametrize(
    ("file", "base", "at", "turn", "tip_deg"),
    [
        ("planks", "hex32.5", (-28.977272, 18.424764), 346.976802, 2.05),  # rocks to a rest three degrees away
        ("pegs", "rect30x20", (37.95254, 48.2627), 8.1424, 4.22),  # to one five degrees away
        # about the tip of a cone to one ten away; Bullet sees it come back from 3.3 and not from 3.5
        ("cones", "50n", (-52.70679, -49.1777), 228.5055, 3.79),
    ],
)
def test_what_rocks_to_another_rest_does_not_stand(
    file: str, base: str, at: tuple[float, float], turn: float, tip_deg: float
) -> None:
    table = Table.of(read_solid(DATA / f"rickety-{file}.stl"))
    verdict = stand(table, Mini(base), at=at, turn=turn, physics="never")
    assert verdict.answer == "precarious", verdict.why
    assert verdict.tip_deg == pytest.approx(tip_deg, abs=0.01)
    check(verdict, table)


@pytest.mark.parametrize(
    ("seed", "at", "tip_deg"), [(0, (12.0, -32.0), 2.33), (1, (-20.0, -20.0), 2.89), (5, (-20.0, -38.0), 4.50)]
)
def test_a_rest_between_two_steps_of_the_way_home_is_not_passed_over(
    seed: int, at: tuple[float, float], tip_deg: float
) -> None:
    """Its rim comes to an edge of the terrain within a step, and lies there on what it touched before and after it."""
    table, mini = slabs(seed), Mini("27")
    for words_only in (True, False):
        cell = atlas(table, mini, pitch=2.0, area=(*at, *at), words_only=words_only, threads=1)
        assert cell.at(*at).answer == "precarious"
    verdict = stand(table, mini, at=at, physics="never")
    assert verdict.answer == "precarious", verdict.why
    assert verdict.tip_deg == pytest.approx(tip_deg, abs=0.01)
    check(verdict, table)


def test_such_a_rest_on_the_sample_hill() -> None:
    hill = Table.of(read_solid(Path(__file__).parents[1] / "meshes" / "pack" / "hill.ply"))
    at = (90.0, -40.0)
    assert atlas(hill, Mini("27"), pitch=10.0, area=(*at, *at), words_only=True).at(*at).answer == "precarious"
    assert stand(hill, Mini("27"), at=at, physics="never").tip_deg == pytest.approx(1.61, abs=0.01)


def test_where_a_nudge_leaves_it_rolling_on_its_rim_the_pose_that_holds_it_is_found() -> None:
    table, at = planks(95), (-31.633611803059996, 10.764360996438327)
    seen = stand(table, Mini("27"), at=at, turn=71.53258213148764, physics="never")
    assert seen.answer == "stable", seen.why  # it was "undecided": what carries it where a nudge leads was not known
    check(seen, table)


def test_what_rises_beside_it_does_not_prop_it_up() -> None:
    verdict = stand(planks(4), Mini("stadium100x50-left-right"), at=(15.2049, 47.406), turn=51.6142, physics="never")
    assert verdict.answer == "precarious", verdict.why  # a plank's edge goes up beside what it turns about
    assert verdict.tip_deg == pytest.approx(3.78, abs=0.01)


# of cobbles the stones, and of a roof the tiles, that a base touches on its way over; their floors
COBBLES = [
    [(9.85, -12.49, 1.41), (5.4, -8.54, 1.69), (-11.71, -16.1, 3.26)],
    [(9.93, 8.14, 2.97), (10.63, -6.41, 2.51), (22.99, -8.23, 2.77)],
    [(13.62, 8.75, 3.09), (10.01, 8.25, 2.98), (22.99, -8.23, 2.77)],
    [(22.99, -8.23, 2.77), (10.01, 8.25, 2.98), (9.93, 8.14, 2.97)],
    [(7.41, -5.86, 2.77), (6.71, 8.7, 2.93), (-4.85, 0.01, 3.68)],
]
TILES = [
    [(17.133, -1.768, 17.643), (17.864, 22.172, 7.416), (17.13, -1.1, 18.986)],
    [(16.418, -38.313, 44.728), (-0.398, -62.285, 57.412), (18.067, -61.31, 56.745)],
]


@pytest.mark.parametrize(
    ("faces", "floor_mm", "mini", "turn", "tip_deg"),
    [
        (COBBLES, -2.0, Mini("27", com=27.0, height=45), 242.03542549597913, 5.027),
        (TILES, 5.0, Mini("105x70", com=21.0, height=35), 117.75442691405428, 12.78),
    ],
)
def test_a_nudge_that_its_rim_holds_in_the_middle_of_a_step_does_not_take_it_over(
    faces: list[list[tuple[float, float, float]]], floor_mm: float, mini: Mini, turn: float, tip_deg: float
) -> None:
    """The pose that holds it was sought to a hundred-thousandth of a radian: its foot lay off the contacts by then, and
    it was let go on from there, over the top of its way: "undecided", a nudge of exactly 5 degrees."""
    pieces = Table.of(Solid.of(np.array(faces).reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))).pieces
    table = Table(pieces=pieces, floor_mm=floor_mm)
    verdict = stand(table, mini, at=(0.0, 0.0), turn=turn, physics="never")
    assert verdict.answer == "stable", verdict.why
    assert verdict.tip_deg == pytest.approx(tip_deg, abs=0.02)
    check(verdict, table)
    made = atlas(table, mini, pitch=1.0, area=(0.0, 0.0, 0.0, 0.0), turns=(turn,), threads=1)
    assert made.at(0.0, 0.0).answer == "stable"


@pytest.mark.parametrize(
    ("name", "base", "at"),
    [
        ("landing-pad.stl", "40", (-71.152, 120.351)),  # rocked by 1.4e-4 degrees
        ("shuttle-ramp.stl", "40", (33.286, 11.403)),
        ("hill.ply", "27", (47.13, 41.265)),
        ("craters.ply", "27", (21.645, -40.021)),  # by 3e-3: its centre of mass moves by 0.0009 mm
    ],
)
def test_a_balance_that_rocks_by_less_than_a_word_can_tell_is_one(
    name: str, base: str, at: tuple[float, float]
) -> None:
    """Gravity as it is takes it over, one way; the other way it came to rest by rounding: that was "precarious"."""
    table, mini = Table.of(read_solid(Path(__file__).parents[1] / "meshes" / "pack" / name)), Mini(base)
    whole, brief = (stand(table, mini, at=at, physics="never", brief=brief) for brief in (False, True))
    assert whole.answer in ("topples", "undecided")
    assert brief.answer == whole.answer
    made = atlas(table, mini, pitch=0.001, area=(*at, *at), threads=1)
    assert made.at(*at).answer == whole.answer


def test_where_a_nudged_base_may_as_well_stay_no_proof_says_that_it_comes_home() -> None:
    """Leaning on a bag it swings round the bag's top, 6 degrees for a nudge. Its nearest contacts let it swing back, by
    0.03 mm; what is 2e-4 mm under its plane would carry it there. It was "stable", and its proof did not hold."""
    bag = Table.of(read_solid(DATA / "rickety-bag.stl")).pieces
    table, mini = Table(pieces=bag, floor_mm=-0.1075), Mini("40", com=12.0, height=19)
    verdict = stand(table, mini, at=(0.0, 0.0), turn=146.13056, physics="never", brief=True)
    assert verdict.answer == "undecided"
    assert "could not be proven" in verdict.why
    for words_only in (False, True):  # maps, too, said "stable"
        made = atlas(table, mini, pitch=0.001, area=(0.0, 0.0, 0.0, 0.0), turns=(146.13056,), words_only=words_only)
        assert made.at(0.0, 0.0).answer == "undecided"


@pytest.mark.slow
def test_with_all_its_numbers_it_is_not_known_to_come_home_either() -> None:
    """Eight seconds, most of them for its highest centre of mass."""
    bag = Table.of(read_solid(DATA / "rickety-bag.stl")).pieces
    table, mini = Table(pieces=bag, floor_mm=-0.1075), Mini("40", com=12.0, height=19)
    verdict = stand(table, mini, at=(0.0, 0.0), turn=146.13056, physics="never")
    assert verdict.answer == "undecided"
    assert "could not be proven" in verdict.why


# two bricks askew, one that the base leans on and one beside it
LEANT_ON = [(-2.59, 0.89, 0.05), (-2.8, 1.04, 2.24), (-4.38, 0.02, -0.07), (-4.59, 0.17, 2.12)]
LEANT_ON += [(-3.22, 2.24, -0.11), (-3.43, 2.39, 2.08), (-5.02, 1.37, -0.22), (-5.23, 1.52, 1.97)]
BESIDE_IT = [(7.44, 2.87), (6.6, 4.15), (9.69, 4.35), (8.85, 5.63)]


def test_who_is_nudged_against_what_stands_beside_it_is_not_known_to_come_home() -> None:
    """It swings round on its end till its long side runs into a brick: what carries it there, nobody can tell. `stand`
    said so, and maps said "stable"."""
    standing = [(x, y, z) for x, y in BESIDE_IT for z in (0.01, 1.09)]
    pieces = on_table([hull(np.array(LEANT_ON)), hull(np.array(standing))]).pieces
    table, mini, turn = Table(pieces=pieces), Mini("stadium30x9", com=6.1977307769325165, height=12.5), 345.7
    verdict = stand(table, mini, at=(0.0, 0.0), turn=turn, physics="never", brief=True)
    assert verdict.answer == "undecided"
    assert "could not be proven" in verdict.why
    for words_only in (False, True):
        made = atlas(table, mini, pitch=1.0, area=(0.0, 0.0, 0.0, 0.0), turns=(turn,), words_only=words_only)
        assert made.at(0.0, 0.0).answer == "undecided"


def test_a_base_that_is_rolled_round_and_has_turned_is_not_over() -> None:
    """On a bar that ends under it, its rim on the floor, it can be rolled round for a lift of 1.0 mm, and lies there as
    before, turned by 4 degrees: it was told 1.016, 1.025 or 3.506, as the table was turned. With its middle kept where
    it is the lowest pass between all gradients, on a grid of 90,000, is at 3.505."""
    bars = ((-76.1783, -73.8217), (-67.0555, -63.6831), (-46.1711, -42.4119), (-30.679, -25.8245))
    parts = [box((low, -75, 15.7), (high, 75, 19.7)) for low, high in bars]
    parts += [box((-77, y - 1.5, 14), (77, y + 1.5, 17)) for y in (-74.0, 0.0, 74.0)]
    mini, lifts = Mini("70", com=70.0, height=112.0), []
    for azimuth in (0.0, 118.7, 184.26, 187.62, 301.3):
        pose = Pose.at(0, 0, turn=azimuth)
        table = on_table([(pose.apply(corners), faces) for corners, faces in parts])
        (x, y, _), *_ = pose.apply([[-76.26, 71.61, 0.0]])
        seen = stand(table, mini, at=(float(x), float(y)), physics="never")
        assert not seen.barrier_is_least
        lifts.append(seen.barrier_mm)
    assert lifts == [pytest.approx(3.5058, abs=1e-4)] * len(lifts)


@pytest.mark.parametrize(("com", "lift"), [((-2.7, 3.9, 6.2), 0.5137), (6.0, 0.8038)])
def test_an_oval_that_has_turned_is_in_another_pose(com: float | tuple[float, float, float], lift: float) -> None:
    """Leaning on a coarse dome an oval base rolls on and turns: poses that differ by that were one, whichever was seen
    first. It was told 2.674, 1.302 or 1.943 as the table was turned, and 1.878, though having turned it goes over for
    less."""
    rings, around = np.linspace(0.0, math.pi / 2, 6)[1:, None], np.arange(36) * math.pi / 18
    spots = 45.0 * np.stack(
        [np.sin(rings) * np.cos(around), np.sin(rings) * np.sin(around), np.cos(rings + 0 * around)], -1
    )
    corners = np.vstack([[(0.0, 0.0, 45.0)], spots.reshape(-1, 3)])
    faces = [(0, 1 + i, 1 + (i + 1) % 36) for i in range(36)]
    for low in range(1, 145):
        after = low + 1 - 36 * (low % 36 == 0)
        faces += [(low, low + 36, after + 36), (low, after + 36, after)]
    for azimuth in (0.0, 17.0, 40.0):
        pose = Pose.at(0, 0, turn=azimuth)
        ((x, y, _),) = pose.apply([[-3.4, 8.7, 0.0]])
        table = Table.of(Solid.of(np.asarray(pose.apply(corners)), np.array(faces)))
        seen = stand(
            table, Mini("60x35", com=com, height=40.0), at=(float(x), float(y)), turn=350.0 + azimuth, physics="never"
        )
        assert seen.barrier_mm == pytest.approx(lift, abs=1e-3)
        assert not seen.barrier_is_least
