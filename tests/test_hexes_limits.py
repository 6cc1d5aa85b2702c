"""Baked hexes at limits and at ties: what meshes keep of a number, and what comes first, decide nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.rules.hexes import SEED, Board, Hex, Layout, Move, Unit, disc, play, reachable
from sim3d.rules.hexes import bake as baking
from sim3d.rules.hexes.bake import HexField, bake, board_of
from sim3d.rules.hexes.board import FLAT, closed, zone
from sim3d.rules.hexes.grid import turned
from sim3d.rules.hexes.ways import _nearest, _nearest_to
from sim3d.solid import Solid
from sim3d.space import Pose
from sim3d.table import Piece, Table
from tests.test_hexes_bake import MINI, SMALL, STEEP, block, fresh, gallows, mesh, ramp

NEAR = disc(Hex(0, 0), 1)


def terrace(low: float, high: float, mini: Mini = MINI, *, floor_mm: float | None = None) -> HexField:
    """Two levels whose edge is the hexside between (0, 0) and (1, 0), of numbers as STL and GLB keep them."""
    side = SMALL.size_mm * math.sqrt(3) / 2
    both = (block(400, 600, float(np.float32(low)), at=(side - 200, 0)),)
    both += (block(400, 600, float(np.float32(high)), name="high", at=(side + 200, 0)),)
    baking._RECENT.clear()
    return bake(Table(both, floor_mm=floor_mm), SMALL, NEAR, mini, steep_deg=STEEP)


@pytest.mark.parametrize("low", [10.0, 12.7, 33.3, 52.7])
def test_a_step_of_10_mm_is_one_whatever_its_height_in_a_mesh(low: float) -> None:
    field = terrace(low, low + 10)
    assert field.walls[Hex(0, 0), Hex(1, 0)].up_mm == pytest.approx(10, abs=1e-5)  # 10.000001 from 12.7 to 22.7
    on = board_of(field, SEED, (Unit("Mara", "red", Hex(0, 0)),))
    assert play(Move("Mara", path=(Hex(1, 0),)), on, SEED).legal
    assert closed(board_of(terrace(low, low + 10.01), SEED), Hex(0, 0), Hex(1, 0), SEED) is not None


@pytest.mark.parametrize("low", [0.3, 10.7, 50.6])
def test_a_level_of_25_mm_is_elevated_whatever_its_height_in_a_mesh(low: float) -> None:
    field = terrace(low, low + 25)
    assert field.spots[Hex(1, 0)].height_mm == pytest.approx(low + 25, abs=1e-5)  # 25.299999 over 0.3
    assert board_of(field, SEED).hexes[Hex(1, 0)].is_("elevated")
    assert not board_of(terrace(low, low + 24.99), SEED).hexes[Hex(1, 0)].is_("elevated")


@pytest.mark.parametrize("low", [0.3, 10.7, 50.6])
def test_a_zone_ends_at_a_wall_as_high_as_the_unit_whatever_its_height_in_a_mesh(low: float) -> None:
    def reach(wall_mm: float) -> bool:
        guard = Unit("Guard", "red", Hex(0, 0), 0, height_mm=25.0)
        return Hex(1, 0) in zone(board_of(terrace(low, low + wall_mm), SEED, (guard,)), guard, SEED)

    assert (reach(25.0), reach(24.99)) == (False, True)


@pytest.mark.parametrize("turn", [0.0, 7.3, 60.0, 33.0])
@pytest.mark.parametrize("foot", [0.0, 0.3])
def test_a_slope_of_45_degrees_is_no_wall_however_it_is_turned(turn: float, foot: float) -> None:
    slope = ramp(45).solid
    kept = np.float32(slope.vertices + np.array([0, 0, foot])).astype(float)
    laid = Piece("ramp", Solid.of(kept, slope.faces), Pose.at(0, 0, turn=turn))
    assert not fresh(Table((laid,), floor_mm=None), NEAR).walls


@pytest.mark.parametrize("turn", [0.0, 60.0, 120.0, 240.0])
def test_a_crack_just_half_as_wide_as_the_base_is_stepped_over_however_it_is_turned(turn: float) -> None:
    wide = min(MINI.base.outline.width_mm, MINI.base.outline.length_mm) / 2
    side = SMALL.size_mm * math.sqrt(3) / 2
    for more, open_way in ((0.0, True), (0.1, False)):
        far = (wide + more) / 2 + 150
        parts = [(block(300, 600, 40, name=f"{s}"), side + s * far) for s in (-1, 1)]
        pieces = tuple(Piece(p.name, p.solid, Pose.at(0, 0, turn=turn) @ Pose.at(x, 0)) for p, x in parts)
        on = board_of(fresh(Table(pieces), NEAR), SEED)
        way = turned(Hex(1, 0), round(turn / 60))
        assert (closed(on, Hex(0, 0), way, SEED) is None) == open_way, more


def test_room_just_as_high_as_the_mini_is_room_whatever_its_height_in_a_mesh() -> None:
    for floor_mm, deck_mm in ((12.7, 52.7), (0.3, 40.3), (10.7, 50.7)):
        vertices, faces = block(160, 160, 10).solid.vertices, block(160, 160, 10).solid.faces
        deck = Piece("deck", Solid.of(np.float32(vertices + np.array([0, 0, deck_mm])).astype(float), faces))
        ground = block(400, 400, float(np.float32(floor_mm)), name="ground")
        assert Hex(0, 0, 1) in fresh(Table((ground, deck)), NEAR).spots, deck_mm


# --- what comes first -------------------------------------------------------------------------------------------------


def asked(piece: Piece, mini: Mini, layout: Layout, radius: int = 2) -> HexField:
    baking._RECENT.clear()
    return bake(Table((piece,)), layout, disc(Hex(0, 0), radius), mini, steep_deg=STEEP)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_word_is_that_of_the_best_facing_not_of_the_first(k: int) -> None:
    """A crate beside whose edge an oval topples in one facing, and is only precarious in another."""
    oval = Mini("60x35", height=40, com=20)
    layout = Layout(61.7)
    crate = mesh("crate.stl")
    place = Pose.at(0, 61.7, turn=48.49)
    here = asked(Piece("crate", crate, place), oval, layout)
    there = asked(Piece("crate", crate, Pose.at(0, 0, turn=60.0 * k) @ place), oval, layout)
    assert {turned(at, k): s.answer for at, s in here.spots.items()} == {at: s.answer for at, s in there.spots.items()}


def test_of_two_lanes_as_easy_each_way_has_the_one_with_the_lower_rise() -> None:
    """Over a pad's kerb, 0.4 mm up or 0.4 mm down: turned, the lanes come in another order."""
    mini, layout = Mini("32", height=30, com=15), Layout(50.0, 30.0)
    place = Pose.at(50.0 * math.sqrt(3) / 2, 0, turn=30.0)
    pad = mesh("landing-pad.stl", "pack")
    here = asked(Piece("pad", pad, place), mini, layout, 3)
    there = asked(Piece("pad", pad, Pose.at(0, 0, turn=120.0) @ place), mini, layout, 3)
    for (a, b), wall in here.walls.items():
        assert there.walls.get((turned(a, 2), turned(b, 2)), FLAT) == pytest.approx(wall, abs=0.002), (a, b)
    assert len(there.walls) == len(here.walls)


def test_an_edge_on_a_ray_is_no_ground_however_the_sum_ends() -> None:
    """Under a ramp, a row of rays lies just on the edge of a beam: it was ground or none by the last digit."""
    solid, mini, layout = mesh("shuttle-ramp.stl", "pack"), Mini("hex40", height=40, com=15), Layout(40.0)
    low, high = (np.array(b) for b in solid.bounds)
    x, y = -(low + high)[:2] / 2 + np.array([0, 40.0])
    here = asked(Piece("ramp", solid, Pose.at(x, y)), mini, layout)
    dx, dy = layout.vector(2)
    baking._RECENT.clear()
    hexes = [Hex(at.q, at.r - 1) for at in disc(Hex(0, 0), 2)]
    there = bake(Table((Piece("ramp", solid, Pose.at(x + dx, y + dy)),)), layout, hexes, mini, steep_deg=STEEP)
    for at, spot in here.spots.items():
        moved = there.spots[Hex(at.q, at.r - 1, at.level)]
        assert (moved.rough_mm, moved.slope_deg) == pytest.approx((spot.rough_mm, spot.slope_deg), abs=1e-4), at


@pytest.mark.parametrize("off", [-2e-6, 0.0, 2e-6])
def test_of_two_floors_as_near_the_lower_is_walked_to(off: float) -> None:
    """From 60 mm, floors at 10 and at 110: what a mesh loses of a number does not choose between them."""
    assert _nearest_to([110.0, 10.0 + off], 60.0) == 10.0 + off
    assert _nearest([110.0, 10.0 + off], 60.0) == 0  # of levels, the upper one comes first


# --- levels of one hex ------------------------------------------------------------------------------------------------


def test_who_flies_may_go_to_another_level_of_its_own_hex() -> None:
    flier = Unit("Mara", "red", Hex(0, 0), speed=1, traits=("flying",))
    on: Board = board_of(fresh(gallows()), SEED, (flier,))
    under = Hex(0, 0, 1)
    outcome = play(Move("Mara", to=under), on, SEED)
    assert (outcome.legal, outcome.end, outcome.made.spent) == (True, under, 0)
    there = [r for r in reachable(on, "Mara", SEED) if r.hex == under]
    assert [(r.flown, r.spent) for r in there] == [(True, 0)]
    assert [r.spent for r in reachable(on, "Mara", SEED) if r.hex == Hex(0, 0)] == [0]  # where it is, it stays
    grounded = board_of(fresh(gallows()), SEED, (Unit("Mara", "red", Hex(0, 0), speed=1),))
    assert under not in {r.hex for r in reachable(grounded, "Mara", SEED)}
