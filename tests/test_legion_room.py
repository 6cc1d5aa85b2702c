"""Room to stand, over a model and under it: ceilings as high as the model, walls that are narrower than its base."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Move, play, standing
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.stand import Stand, stand
from sim3d.table import Piece, Placed
from tests.codes import codes_of
from tests.legion import battle, notched, trooper, unit

Corners = tuple[tuple[float, float, float], tuple[float, float, float]]
ROOF_MM = 80.0
NUDGE_MM = 15.0 * math.tan(math.radians(5.0))  # how far inside an edge a centre of mass 15 mm up is not precarious


def built(name: str, *blocks: Corners) -> Piece:
    """One piece of several blocks that do not overlap, each from a corner to the opposite one."""
    meshes = [box(*corners) for corners in blocks]
    counts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    points = np.concatenate([points for points, _ in meshes])
    return Piece(
        name,
        Solid.of(points, np.concatenate([f + n for (_, f), n in zip(meshes, counts, strict=False)])),
        Pose.at(0, 0),
    )


def storey(ceiling: float) -> Piece:
    """A roof of 80 mm beside the leader, and a thick slab over it."""
    return built("roof", ((13.5, -150, 0), (313.5, 150, ROOF_MM)), ((13.5, -150, ceiling), (313.5, 150, ceiling + 100)))


# --- over it ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ceiling", [120.0, 119.96, 120.001, 121.0])
def test_a_climb_ends_under_a_ceiling_that_its_model_only_touches(ceiling: float) -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), storey(ceiling))
    seen = play(Move("Wardens", "climb"), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    assert seen.made.stands[0].pose is not None
    assert seen.made.stands[0].pose.place[2] == pytest.approx(ROOF_MM)


def test_nobody_climbs_under_a_ceiling_that_its_model_overlaps() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), storey(119.9))
    assert not play(Move("Wardens", "climb"), on, RRG2).legal


@pytest.mark.parametrize(("high", "codes"), [(60.0, ()), (59.96, ()), (59.9, ("MOVE_TERRAIN_IN_THE_WAY",))])
def test_a_vehicle_passes_under_what_is_as_high_as_it(high: float, codes: tuple[str, ...]) -> None:
    slab = built("slab", ((60, -150, high), (160, 150, high + 20)))
    on = battle(notched("Brann", -40, 0, height=60), unit("Riders", "Brann", type="ground"), slab)
    seen = play(Move("Riders", tool=2), on, RRG2)
    assert codes_of(seen.findings)[: len(codes) or None] == codes
    if not codes:
        assert seen.made.stands[0].pose is not None
        assert seen.made.stands[0].pose.place[2] == pytest.approx(0.0)


@pytest.mark.parametrize("high", [40.0, 39.99, 39.96, 39.0])
def test_a_trooper_does_not_step_through_a_slab_that_hangs_as_high_as_its_step(high: float) -> None:
    slab = built("slab", ((60, -150, high), (160, 150, high + 20)))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), slab)
    seen = play(Move("Wardens", travel_mm=110.0), on, RRG2)
    assert not seen.legal or (seen.made.stands[0].pose is not None and seen.made.stands[0].pose.place[2] < 1.0)


@pytest.mark.parametrize(("high", "codes"), [(40.0, ()), (39.96, ()), (39.9, ("MOVE_TERRAIN_IN_THE_WAY",))])
def test_whoever_steps_as_high_as_it_is_passes_under_what_is_as_high(high: float, codes: tuple[str, ...]) -> None:
    slab = built("slab", ((60, -150, high), (160, 150, high + 20)))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), slab)
    seen = play(Move("Wardens", travel_mm=110.0), on, RRG2)
    assert codes_of(seen.findings)[:1] == codes
    if not codes:
        assert seen.made.stands[0].pose is not None
        assert seen.made.stands[0].pose.place[2] == pytest.approx(0.0)


LEANS_AT = 200.0


def lean_to(deg: float, thick: float, *, closed: bool = True) -> Piece:
    """A plate that leans over the leader: its underside comes down to the floor at `LEANS_AT`, at so many degrees."""
    t = math.radians(deg)
    along, up = np.array([-math.cos(t), 0.0, math.sin(t)]), np.array([math.sin(t), 0.0, math.cos(t)])
    points, faces = box((0, -150, 0), (300, 150, thick))
    placed = np.array([LEANS_AT, 0.0, 0.0]) + points[:, :1] * along + points[:, 1:2] * (0, 1, 0) + points[:, 2:] * up
    return Piece("lean-to", Solid.of(placed, faces[:, ::-1] if closed else faces), Pose.at(0, 0))


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("thick", [2.0, 20.0])
@pytest.mark.parametrize("deg", [10.0, 20.0, 30.0, 40.0])
def test_under_a_plate_that_leans_a_model_goes_as_far_as_its_head_fits(deg: float, thick: float, turned: bool) -> None:
    """Its rim is 13.5 mm ahead of its middle, and 40 mm over it is its head: there the plate comes down to it."""
    far = LEANS_AT - 13.5 - 40.0 / math.tan(math.radians(deg))
    at = far - 60.0  # there it is set down, on the floor
    on = battle(replace(trooper("Oda", at, 0), level=30.0), unit("Wardens", "Oda"), lean_to(deg, thick, closed=turned))
    legal, stopped = (play(Move("Wardens", travel_mm=60.0 + by), on, RRG2) for by in (-0.5, 0.5))
    assert legal.legal, [f.message for f in legal.findings]
    assert legal.made.stands[0].pose is not None
    assert legal.made.stands[0].pose.place[2] == pytest.approx(0.0)
    assert codes_of(stopped.findings)[:1] == ("MOVE_TERRAIN_IN_THE_WAY",)
    stops = dict(stopped.findings[0].numbers)
    touches = 0.05 + 0.05 / math.tan(math.radians(deg))  # so deep in each other they only touch
    assert stops["stop_mm"] == pytest.approx(60.0 + touches, abs=0.01)


@pytest.mark.parametrize("thick", [2.0, 20.0])
def test_a_long_base_drives_up_a_plate_though_the_underside_ahead_is_over_its_step(thick: float) -> None:
    # 40 mm tall steps over 20; at 30 degrees the plate rises by 50 under the half of its 175 mm that is ahead
    t = math.radians(30.0)
    points, faces = box((0, -150, -thick), (400, 150, 0))
    placed = np.column_stack(
        (100 + points[:, 0] * math.cos(t) - points[:, 2] * math.sin(t), points[:, 1], points[:, 0] * math.sin(t))
    )
    placed[:, 2] += points[:, 2] * math.cos(t)
    plate = Piece("plate", Solid.of(placed, faces), Pose.at(0, 0))
    crawler = Placed("Brann", Mini("100x175n", height=40, com=10), (0, 0))
    on = battle(crawler, unit("Crawlers", "Brann", type="ground", speed=3), plate, size=(2000, 900))
    seen = play(Move("Crawlers", tool=1, travel_mm=195.0), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    assert seen.made.stands[0].tilt_deg == pytest.approx(30.0, abs=0.01)


@pytest.mark.parametrize(
    ("keywords", "jump"), [(("speeder 1",), False), (("hover air 1",), False), (("jump 1",), True)]
)
def test_who_passes_over_low_terrain_passes_under_what_is_higher_and_hangs(
    keywords: tuple[str, ...], jump: bool
) -> None:
    """A lintel from 100 to 200 mm is passed under. One that stands on the table stops it."""
    for low, codes in ((100.0, ()), (0.0, ("MOVE_TERRAIN_IN_THE_WAY",))):
        lintel = built("lintel", ((70, -150, low), (190, 150, 200)))
        on = battle(
            notched("Skim", 0, 0), unit("Skims", "Skim", type="repulsor", keywords=keywords), lintel, size=(1200, 900)
        )
        seen = play(Move("Skims", tool=2, travel_mm=130.0, jump=jump), on, RRG2)
        assert codes_of(seen.findings)[:1] == codes
        if not codes:
            assert seen.made.stands[0].pose is not None
            assert seen.made.stands[0].pose.place[2] == pytest.approx(0.0)


def test_under_a_deck_that_is_ignored_a_unit_holds_together_on_the_table() -> None:
    deck = built("deck", ((-250, -70, 80), (250, 70, 92)))
    minis = [replace(notched(name, x, 0), level=70.0) for name, x in (("A", 0.0), ("B", -80.0))]
    for keywords in ((), ("speeder 1",)):
        on = battle(
            *minis, unit("Bikes", "A", type="repulsor", speed=1, minis=("A", "B"), keywords=keywords), deck,
            size=(1200, 900),
        )  # fmt: skip
        seen = play(Move("Bikes", "pivot", turn_deg=10.0, level=70.0), on, RRG2)
        assert seen.legal, [f.message for f in seen.findings]


# --- under it ---------------------------------------------------------------------------------------------------------


def thin(wide: float) -> Piece:
    return built("wall", ((13.5, -150, 0), (13.5 + wide, 150, ROOF_MM)))


@pytest.mark.parametrize("wide", [2 * NUDGE_MM + 0.1, 3.0, 5.0, 6.7, 6.9, 8.0])
def test_a_leader_climbs_onto_a_wall_on_which_it_stands(wide: float) -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), thin(wide))
    for to in (None, (13.5 + wide / 2, 0.0)):
        seen = play(Move("Wardens", "climb", to=to), on, RRG2)
        assert seen.legal, [f.message for f in seen.findings]
        # its centre of mass is over the wall, and far enough in from both of its edges
        assert 13.5 + NUDGE_MM <= seen.made.end.at[0] <= 13.5 + wide - NUDGE_MM
        assert seen.made.stands[0].pose is not None
        assert seen.made.stands[0].pose.place[2] == pytest.approx(ROOF_MM)


@pytest.mark.parametrize("wide", [1.0, 2 * NUDGE_MM - 0.1])
def test_on_a_thinner_wall_nobody_has_room(wide: float) -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), thin(wide))
    for to in (None, (13.5 + wide / 2, 0.0)):
        assert "CLIMB_NO_ROOM" in codes_of(play(Move("Wardens", "climb", to=to), on, RRG2).findings)


def test_behind_a_parapet_a_leader_climbs_onto_the_floor_unless_it_is_put_on_top() -> None:
    # a parapet of 3 mm, 15 mm over the floor behind it
    house = built("house", ((13.5, -150, 0), (16.5, 150, ROOF_MM)), ((16.5, -150, 0), (313.5, 150, ROOF_MM - 15)))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), house)
    floor, top = play(Move("Wardens", "climb"), on, RRG2), play(Move("Wardens", "climb", to=(15.0, 0.0)), on, RRG2)
    for seen, height in ((floor, ROOF_MM - 15), (top, ROOF_MM)):
        assert seen.legal, [f.message for f in seen.findings]
        assert seen.made.stands[0].pose is not None
        assert seen.made.stands[0].pose.place[2] == pytest.approx(height)


@pytest.mark.parametrize("turn", [0.0, 33.3])
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("short", [1.5, 1.2, 0.5, 0.0])
def test_at_a_corner_a_leader_climbs_a_little_aside(short: float, side: int, turn: float) -> None:
    # straight over its place of contact its centre of mass would be `short` of the corner: precarious below 1.31 mm
    turned = Pose.at(0, 0, turn=turn)
    house = replace(built("house", ((13.5, -150, 0), (313.5, 150, ROOF_MM))), pose=turned)
    at = turned.apply([[0.0, side * (150 - short), 0.0]])[0]
    on = battle(trooper("Oda", *at[:2]), unit("Wardens", "Oda"), house)
    seen = play(Move("Wardens", "climb"), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    x, y, _ = turned.inverse().apply([[*seen.made.end.at, 0.0]])[0]
    assert x == pytest.approx(27.0, abs=0.01)
    aside = max(0.0, NUDGE_MM - short)  # in steps of half a millimetre
    assert aside - 0.01 <= (150 - short) - side * y < aside + 0.51


@pytest.mark.parametrize(("reach", "legal"), [(2.0, True), (5.0, True), (7.0, False)])
def test_beside_what_stands_at_a_walls_foot_a_leader_climbs_down_a_little_aside(reach: float, legal: bool) -> None:
    # 5.29 mm aside the base is 1 mm from the foot of the wall below it: sqrt(13.5^2 + 5.29^2) - 13.5
    house = built("house", ((13.5, -150, 0), (313.5, 150, ROOF_MM)))
    pillar = built("pillar", ((-40, 13.5 - reach, 0), (13, 60, 2 * ROOF_MM)))
    on = battle(trooper("Oda", 27, 0), unit("Wardens", "Oda"), house, pillar)
    seen = play(Move("Wardens", "climb", up=False), on, RRG2)
    assert seen.legal is legal, [f.message for f in seen.findings]
    if legal:
        assert seen.made.end.at[1] <= -reach + 0.05
    else:
        assert "CLIMB_NO_ROOM" in codes_of(seen.findings)


def test_a_climb_asks_for_all_of_a_verdict_only_where_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # of a broad base that leans on a dense mesh each full verdict takes half a second: a climb took 45
    asked = []

    def counted(*args: Any, brief: bool, **told: Any) -> Stand:
        asked.append(brief)
        return stand(*args, brief=brief, **told)

    monkeypatch.setattr(standing, "stand", counted)
    house = built("house", ((13.5, -151, 0), (313.5, 150, ROOF_MM)))
    pillar = built("pillar", ((-40, 8.5, 0), (13, 60, 2 * ROOF_MM)))
    on = battle(trooper("Oda", 27, 0), unit("Wardens", "Oda"), house, pillar)
    assert play(Move("Wardens", "climb", up=False), on, RRG2).legal
    assert asked.count(True) > 20  # half a millimetre farther aside each time
    assert asked.count(False) == 1


# --- in the way -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [-60.0, -40.0, 0.0, 40.0, 80.0])
@pytest.mark.parametrize("high", [30.5, 60.0, 200.0])
def test_what_is_in_the_way_is_as_high_as_it_is_wherever_its_triangles_are_cut(y: float, high: float) -> None:
    wall = built("wall", ((60, -100, 0), (80, 100, high)))
    on = battle(notched("Brann", 0, y), unit("Riders", "Brann", type="ground"), wall)
    seen = play(Move("Riders"), on, RRG2)
    assert codes_of(seen.findings) == ("MOVE_TERRAIN_IN_THE_WAY",)
    assert dict(seen.findings[0].numbers)["over_mm"] == pytest.approx(high)


def test_what_hangs_over_a_model_by_a_step_is_not_stepped_on_to() -> None:
    roof = built("roof", ((-200, -150, 0), (400, 150, ROOF_MM)), ((-200, -150, 120), (400, 150, 140)))
    on = battle(replace(trooper("Oda", 0, 0), level=100.0), unit("Wardens", "Oda"), roof)
    seen = play(Move("Wardens"), on, RRG2)
    assert seen.made.stands[0].pose is not None
    assert seen.made.stands[0].pose.place[2] == pytest.approx(ROOF_MM)
