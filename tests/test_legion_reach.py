"""Where can it go: every place that is said to be reached has a legal move, no other has, and each no has its rule."""

from __future__ import annotations

import math
import random

import pytest

from sim3d.rules.legion import RRG2, Battle, Move, judge
from sim3d.rules.legion.levels import Spot, apart_in_heights, same_level
from sim3d.rules.legion.reach import furthest, moves_to, reach
from sim3d.rules.legion.terrain import walk_of
from tests.legion import battle, notched, piece, trooper, unit


def walled() -> Battle:
    """A trooper of 25 mm before a crate of 30: it has to go around."""
    return battle(
        trooper("Oda", 0, 0, height=25),
        unit("Wardens", "Oda"),
        piece("crate", 75, 0),
        trooper("Dorn", -60, 60),
        unit("Watch", "Dorn", side="blue"),
    )


def test_the_region_is_what_judge_calls_legal_and_nothing_else() -> None:
    on = walled()
    bends = tuple(float(b) for b in range(-90, 91, 15))
    seen = reach(on, "Wardens", RRG2, pitch_mm=32.0, bends_deg=bends)
    assert len(seen.region) > 30
    for place in seen.region:
        assert place.move is not None
        assert judge(place.move, on, RRG2) == ()
    dice = random.Random(5)
    for place in dice.sample([p for p in seen.places if not p.legal], 4):
        for move in moves_to(on, RRG2, "Wardens", "standard", bends, (place.x, place.y)):
            assert judge(move, on, RRG2) != ()
        assert seen.why(place.x, place.y) != ()
    assert seen.why(300.0, 0.0) == ("MV04",)
    assert seen.why(75.0, 0.0) == ("CL05", "MV08")
    assert seen.why(-60.0, 60.0) == ("MV10", "MV12")
    assert len(seen.levels(25.0)) == 1


def test_a_bend_reaches_behind_a_corner_that_no_straight_tool_passes() -> None:
    on = walled()
    behind = (100.0, 58.0)
    straight = reach(on, "Wardens", RRG2, pitch_mm=200.0, bends_deg=())
    bent = reach(on, "Wardens", RRG2, pitch_mm=200.0, bends_deg=tuple(float(b) for b in range(-90, 91, 5)))
    assert not straight.at(*behind).legal
    assert bent.at(*behind).legal


def test_moves_to_a_place_end_exactly_there() -> None:
    from sim3d.rules.legion import make

    round_one, with_notch = walled(), battle(notched("Brann", 0, 0), unit("Wardens", "Brann", type="ground", speed=3))
    for on, at in ((round_one, (40.0, -90.0)), (round_one, (-20.0, 5.0)), (with_notch, (150.0, 40.0))):
        moves = list(moves_to(on, RRG2, "Wardens", "standard", (-60.0, 30.0, 90.0), at))
        assert moves
        for move in moves:
            assert make(on, move, RRG2).end.at == pytest.approx(at, abs=1e-9)
    assert not list(moves_to(with_notch, RRG2, "Wardens", "standard", (), (-50.0, 0.0)))


def test_the_furthest_place_along_a_tool() -> None:
    on = walled()
    # the face of the crate is at 35 mm, the rim 13.5 before the middle; 0.05 mm of touch are allowed
    assert furthest(on, Move("Wardens", tool=2), RRG2) == pytest.approx(21.55, abs=0.01)
    assert furthest(on, Move("Wardens", tool=2, start_deg=180), RRG2) == pytest.approx(152.0)
    # over an edge, down to the last tenth that stands: 15 tan 5° = 1.31 mm inside
    up = battle(trooper("Oda", 0, 0, height=25), unit("Wardens", "Oda"), piece("crate", 0, 0))
    assert furthest(up, Move("Wardens", tool=2), RRG2) == pytest.approx(38.6, abs=1e-9)
    assert furthest(up, Move("Wardens", tool=3), RRG2) is None
    with pytest.raises(ValueError, match="lays no tool"):
        furthest(up, Move("Wardens", "climb"), RRG2)


def test_levels_are_what_a_way_without_a_climb_joins() -> None:
    on = battle(trooper("Oda", -100, 0, height=25), unit("Wardens", "Oda"), piece("crate", 0, 0))
    leader = on.table.mini("Oda")
    walk = walk_of(on.unit("Wardens"), leader.mini, 0.0, RRG2)
    here, beyond, above = Spot(-100, 0, 0), Spot(100, 0, 0), Spot(0, 0, 30)
    assert same_level(on.table, leader, walk, here, beyond)  # around it
    assert not same_level(on.table, leader, walk, Spot(-60, 0, 0), above)
    assert apart_in_heights(here, above, RRG2) == 1
    with_stairs = battle(*on.table.minis, *on.units, piece("crate", 0, 0), piece("tile", -140, 0, scale=1.0))
    tall = walk_of(on.unit("Wardens"), trooper("x", 0, 0, height=30.0).mini, 0.0, RRG2)
    assert same_level(with_stairs.table, leader, tall, Spot(-60, 0, 0), above)
    assert math.isclose(tall.step_mm, 30.0)
