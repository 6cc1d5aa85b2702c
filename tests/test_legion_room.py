"""Room to stand, over a model and under it: ceilings as high as the model, walls that are narrower than its base."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sim3d.rules.legion import RRG2, Move, play
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.table import Piece
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
