"""Walls of very many small triangles: the same answers as of a few, and after about as many questions."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d.ground import ground_of
from sim3d.ground import walls as seen_from_above
from sim3d.ground.walls import faces_near
from sim3d.mini import Mini
from sim3d.plane import foot_on, gaps_mm
from sim3d.rules.legion import RRG2, Follower, Move, Outcome, Ruleset, cohesion, play, site, wallside
from sim3d.rules.legion import ways as ways_of
from sim3d.rules.legion.battle import ring_of
from sim3d.rules.legion.site import Placing, site_of
from sim3d.rules.legion.ways import way_to
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.space import Floats, Pose
from sim3d.table import Piece, Placed, Table
from tests.legion import battle, trooper, unit
from tests.test_walls import split


def tower(times: int, side: float = 36.0, tall: float = 90.0) -> Piece:
    """A block with room for one base on its top, its triangles cut in four so often."""
    mesh = box((13.5, -side / 2, 0.0), (13.5 + side, side / 2, tall))
    return Piece("tower", Solid.of(*split(mesh, times)), Pose.at(0, 0))


def climbed(times: int) -> Outcome:
    """A pair whose leader climbs a tower: the other stays at its foot, in contact (CO12, CO13)."""
    squad = [trooper("Oda", 0, 0), trooper("Pim", -30, 0)]
    on = battle(tower(times), *squad, unit("Wardens", "Oda", minis=("Oda", "Pim")))
    return play(Move("Wardens", kind="climb", gather=True), on, RRG2)


def test_who_stays_below_is_placed_alike_however_fine_the_wall_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Placed] = []
    plain = cohesion.feet_mm

    def counted(table: Table, mini: Placed) -> float:
        asked.append(mini)
        return plain(table, mini)

    for module in (cohesion, site, wallside):
        monkeypatch.setattr(module, "feet_mm", counted)
    coarse, few = climbed(0), len(asked)
    fine, many = climbed(3), len(asked) - few
    assert coarse.legal
    assert fine.legal
    assert many <= 2 * few  # not once for each triangle of the wall, of which there are 64 times as many
    for one, other in zip(coarse.made.ends, fine.made.ends, strict=True):
        assert np.allclose(one.at, other.at, atol=1.5)  # places are a millimetre apart, and as near is 1 mm (CO13)


def test_whoever_stays_below_stands_where_the_judge_wants_it() -> None:
    outcome = climbed(2)
    assert outcome.made.arranged is not None
    told = outcome.made.arranged.followers
    again = play(Move("Wardens", kind="climb", followers=told), outcome.made.battle, RRG2)
    assert again.legal, [f.message for f in again.findings]


def outline(tri: Floats, low: float, high: float) -> set[tuple[float, ...]]:
    """The sides of the part of a triangle between two heights, one cut after the other, seen from above."""
    ring = list(tri)
    for sign, limit in ((1.0, low), (-1.0, high)):
        kept = []
        for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True):
            u, v = sign * (a[2] - limit), sign * (b[2] - limit)
            kept += [a] if u >= 0 else []
            kept += [a + u / (u - v) * (b - a)] if (u >= 0) != (v >= 0) else []
        ring = kept
    sides = zip(ring, [*ring[1:], *ring[:1]], strict=True)
    return {tuple(np.round(sorted([tuple(a[:2]), tuple(b[:2])]), 6).ravel() + 0.0) for a, b in sides if (a != b).any()}


@pytest.mark.parametrize("seed", range(40))
def test_the_part_of_a_triangle_between_two_heights_is_what_two_cuts_leave(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tri = rng.uniform(-40, 40, (3, 3))
    if seed % 3 == 0:
        tri[:, 2] = rng.choice([-10.0, 0.0, 10.0], 3)  # corners and sides on the limits
    ends, rows = seen_from_above._between(tri[None], -10.0, 10.0)
    assert {tuple(np.round(sorted([tuple(a), tuple(b)]), 6).ravel() + 0.0) for a, b in ends} == outline(tri, -10, 10)
    assert not rows.any()


def test_walls_know_their_piece() -> None:
    low, high = tower(0), Piece("far", tower(0).solid, Pose.at(60, 0))
    ends, owners = faces_near(ground_of(Table(pieces=(low, high))), 45.0, 0.0, 90.0, 1.0, 80.0, 45.0)
    assert set(owners.tolist()) == {0, 1}
    assert ends[owners == 0][:, :, 0].max() <= 49.5
    assert ends[owners == 1][:, :, 0].min() >= 73.5


@pytest.mark.parametrize("base", ["27", "60x35", "100x175n", "hex32.5"])
def test_the_nearest_of_many_walls_is_the_one_that_is_measured(base: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(30):
        mini = Placed("Oda", Mini(base, height=40), (5.0, -3.0), float(rng.uniform(0, 360)))
        ends = rng.uniform(-150, 150, (60, 1, 2)) + rng.uniform(-20, 20, (60, 2, 2))
        assert wallside.from_walls_mm(mini, ends) == gaps_mm(ring_of(mini), ends).min()


def test_who_could_be_nearer_round_a_corner_of_the_wall_is_told() -> None:
    """Of three at a tower one climbs, one stays at its face; the third has room at the face's end, round the corner."""
    squad = [trooper("Oda", 0, 0), trooper("Pim", -30, 0), trooper("Rik", -30, 30)]
    on = battle(tower(0), *squad, unit("Wardens", "Oda", minis=("Oda", "Pim", "Rik")))

    def told(x: float, y: float) -> Outcome:
        followers = (Follower("Pim", (-0.025, 0.0)), Follower("Rik", (x, y)))
        return play(Move("Wardens", kind="climb", followers=followers), on, RRG2)

    near, far = told(3.4, 27.02), told(13.5, 31.525)
    assert near.legal, [f.message for f in near.findings]
    assert [f.code for f in far.findings] == ["FOLLOWER_NOT_NEAREST"]


def test_points_round_a_corner_are_as_far_from_all_walls_there() -> None:
    square = np.array([[(0, 0), (4, 0)], [(4, 0), (4, 4)], [(4, 4), (0, 4)], [(0, 4), (0, 0)]], dtype=float)
    for turn in np.radians([0.0, 20.0, 200.0]):
        walls = square @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        ways = (walls[:, 1] - walls[:, 0]) / 4.0
        spots = wallside._round_corners(walls, ways, 10.0)
        assert len(spots) == 4 * 15  # a quarter of a round of 10 mm at each of the four
        for spot in spots:
            away = np.hypot(*(foot_on((spot[0], spot[1]), walls) - spot).T)
            assert away.min() == pytest.approx(10.0, abs=1e-6)
    sheet = np.array([[(0.0, 0.0), (4.0, 0.0)]])
    assert len(wallside._round_corners(sheet, np.array([[1.0, 0.0]]), 10.0)) == 2 * 31
    bend = np.array([[(0.0, 0.0), (4.0, 0.0)], [(4.0, 0.0), (8.0, 0.0)]])  # no corner where they meet
    assert len(wallside._round_corners(bend, np.array([[1.0, 0.0]] * 2), 10.0)) == 2 * 31


@pytest.mark.parametrize(("minis", "above"), [(2, 0), (3, 0), (3, 2)])
def test_who_finds_no_room_on_a_narrow_tower_is_gathered_at_its_foot(minis: int, above: int) -> None:
    # 30 mm have room for the leader alone, who covers the middle; 40 mm for two more behind it, half over the corners
    names = ("Oda", *(f"Mini-{k}" for k in range(minis)))
    squad = [trooper("Oda", 0, 0), *(trooper(name, -200.0 + 30.0 * k, 0) for k, name in enumerate(names[1:]))]
    on = battle(tower(0, side=40.0 if above else 30.0, tall=80.0), *squad, unit("Wardens", "Oda", minis=names))
    outcome = play(Move("Wardens", kind="climb", gather=True), on, RRG2)
    assert outcome.legal, [f.message for f in outcome.findings]
    assert outcome.made.site is not None
    low = [m for m in outcome.made.ends[1:] if m.level is not None]
    assert len(low) == minis - above
    assert min(m.at[0] for m in low) == pytest.approx(0.0, abs=0.1)  # one is where its leader was


def test_what_ends_on_a_wall_that_goes_on_is_no_corner() -> None:
    wall = np.array([[(0.0, 0.0), (0.0, 8.0)], [(0.0, 3.0), (0.0, 0.0)], [(0.0, 8.0), (0.0, 3.0004)]])
    ways = np.diff(wall, axis=1)[:, 0] / np.hypot(*np.diff(wall, axis=1)[:, 0].T)[:, None]
    spots = wallside._round_corners(wall, ways, 10.0)
    assert len(spots) == 2 * 31  # half a round of 10 mm at either end
    assert (np.hypot(*(foot_on((0.0, 3.0), np.array([[s, s] for s in spots])) - (0.0, 3.0)).T) > 10.2).all()


def test_the_halves_of_bent_ways_are_worked_out_once_for_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    plain = ways_of.tool_mm

    def counted(leader: Placed, mini: Placed, heading: float, other: float, ruleset: Ruleset) -> tuple[float, float]:
        asked.append(heading)
        return plain(leader, mini, heading, other, ruleset)

    monkeypatch.setattr(ways_of, "tool_mm", counted)
    on = battle(tower(0), trooper("Oda", 31.5, 0), unit("Wardens", "Oda"))
    at = site_of(on, on.unit("Wardens"), RRG2, Placing())
    for k in range(40):
        assert not way_to(at.ways, trooper("Pim", -20.0 - 0.5 * k, 10.0), 0.0).found
    assert len(asked) == len(set(asked))
