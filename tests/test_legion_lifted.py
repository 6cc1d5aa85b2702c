"""A long base that is lifted round at the hinge sweeps its two legs and nothing between; what a gathered climb asks."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest

from sim3d.mini import Base
from sim3d.plane import apart_mm, filled, placed
from sim3d.rules.legion import RRG2, Battle, Follower, Move, feet_mm, make, play
from sim3d.rules.legion.passage import lifts_of, rings_along
from sim3d.space import Pose
from sim3d.table import Piece
from tests.codes import codes_of
from tests.legion import battle, block, notched, trooper, unit

BENT = Move("Haulers", tool=1, bend_deg=90)
TURNING = replace(RRG2, options=replace(RRG2.options, hinge="turning"))
CRUISER = notched("Hauler", 0, 0, base="100x175n", height=60)
HAULERS = unit("Haulers", "Hauler", type="ground")


def swept(*things: object) -> Battle:
    return battle(CRUISER, HAULERS, *things, size=(1800.0, 1800.0))  # type: ignore[arg-type]


def test_a_lift_is_two_poses_and_a_circle_is_not_lifted() -> None:
    made = make(swept(), BENT, RRG2)
    (lift,) = lifts_of(CRUISER.mini.base, made.poses)
    assert made.poses[lift, 2] - made.poses[lift - 1, 2] == 90.0
    assert made.poses[lift, 3] == made.poses[lift - 1, 3]
    assert lifts_of(Base.named("100n"), made.poses) == []
    assert lifts_of(CRUISER.mini.base, make(swept(), BENT, TURNING).poses) == []
    # the legs' rings hold every pose, and none reaches the corner that a hull of both facings would cover
    ring = filled(CRUISER.mini.base.outline)
    rings = rings_along(CRUISER.mini.base, made.poses)
    assert len(rings) == 2
    for pose in made.poses:
        assert min(apart_mm(placed(ring, *pose[:3]), leg) for leg in rings) <= 0
    corner = np.array([[183.0, -61.0], [183.001, -61.0], [183.0, -60.999]])
    assert min(apart_mm(leg, corner) for leg in rings) > 15.0


def test_who_stands_beside_both_legs_is_not_displaced() -> None:
    squad = (trooper("Dorn", 183, -61), unit("Watch", "Dorn", side="blue"))  # 1.87 mm from both
    seen = play(BENT, swept(*squad), RRG2)
    assert (seen.displaced, codes_of(seen.findings)) == ((), ())
    assert play(BENT, swept(*squad), TURNING).displaced == ()  # turning leaves out that side, too
    nearer = (trooper("Dorn", 181, -59), squad[1])
    assert play(BENT, swept(*nearer), RRG2).displaced == ("Dorn",)


@pytest.mark.parametrize(("off", "free"), [(0.0, True), (-6.0, False)])
def test_a_post_beside_both_legs_stops_nobody(off: float, free: bool) -> None:
    post = block("post", (173.5 + off, -56.5 - off, 0.0), (178.5 + off, -51.5 - off, 200.0))  # 3.4 mm from both
    for ruleset in (RRG2, TURNING):
        seen = play(BENT, swept(post), ruleset)
        assert ("MOVE_TERRAIN_IN_THE_WAY" not in codes_of(seen.findings)) is free


def test_where_it_is_set_down_at_the_hinge_it_is_kept_off_walls() -> None:
    # the base comes to the hinge beside the wall and would be turned into it
    wall = block("wall", (110.0, 62.0, 0.0), (134.0, 70.0, 200.0))
    seen = play(BENT, swept(wall), RRG2)
    (told,) = (f for f in seen.findings if f.code == "MOVE_TERRAIN_IN_THE_WAY")
    assert seen.made.path is not None
    assert dict(told.numbers)["stop_mm"] == pytest.approx(seen.made.path.legs_mm[0])
    straight = play(replace(BENT, bend_deg=0), swept(wall), RRG2)
    assert codes_of(straight.findings) == ()
    for deep, free in ((1.0, False), (-0.1, True)):  # behind it, where only the base that is set down reaches
        post = block("post", (119.0, -120.0, 0.0), (125.0, -87.5 + deep, 200.0))
        assert ("MOVE_TERRAIN_IN_THE_WAY" not in codes_of(play(BENT, swept(post), RRG2).findings)) is free


@pytest.mark.parametrize(("top", "tall"), [(20.0, 60.0), (29.0, 60.0), (50.0, 120.0)])
def test_heights_go_on_where_it_was_lifted(top: float, tall: float) -> None:
    # only the turned base has its middle over the floor, which is no higher than half of the model
    floor = block("floor", (110.0, 30.0, 0.0), (190.0, 400.0, top))
    tower = replace(CRUISER, mini=replace(CRUISER.mini, body=replace(CRUISER.mini.body, height_mm=tall)))
    on = Battle(replace(swept(floor).table, minis=(tower,)), swept(floor).units)
    track = make(on, BENT, RRG2).track
    assert track is not None
    assert (track.stopped, track.dropped) == (-1, -1)
    assert len(track.heights) == len(track.overhead) == len(make(on, BENT, RRG2).poses)
    assert (track.heights[0], track.heights[-1]) == (0.0, top)
    assert track.met.tolist()[0] > 0


def test_who_is_stopped_before_the_hinge_never_gets_there() -> None:
    made = make(swept(block("wall", (100.0, -200.0, 0.0), (110.0, 0.0, 200.0))), BENT, RRG2)
    assert made.track is not None
    assert made.stop_mm == pytest.approx(100 - 87.5 + 0.05, abs=0.01)
    assert len(made.track.heights) == len(made.track.overhead) == len(made.poses)


# --- gathered climbs --------------------------------------------------------------------------------------------------


def pillar(turn: float) -> Piece:
    straight = block("pillar", (-14.0, -14.0, 0.0), (14.0, 14.0, 100.0))
    return replace(straight, pose=Pose.at(200, 0, turn=turn))


@pytest.mark.parametrize("turn", [0.0, 5.0, 30.0])
def test_who_follows_a_climber_is_put_beside_the_wall(turn: float) -> None:
    a = math.radians(turn)
    out = 14 + 13.52
    on = battle(
        pillar(turn), trooper("Oda", 200 - out * math.cos(a), -out * math.sin(a)), trooper("Fenn", 120, -30),
        trooper("Pell", 120, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn", "Pell")),
    )  # fmt: skip
    seen = play(Move("Wardens", "climb", gather=True), on, RRG2)
    assert codes_of(seen.findings) == ()
    for mini in seen.made.ends[1:]:
        dx, dy = mini.at[0] - 200, mini.at[1]
        x, y = abs(dx * math.cos(a) + dy * math.sin(a)), abs(dy * math.cos(a) - dx * math.sin(a))
        assert math.hypot(max(x - 14, 0), max(y - 14, 0)) >= 13.5 - 0.05


def test_nobody_is_looked_for_who_would_follow_a_climb_that_is_none() -> None:
    on = battle(
        block("tower", (60.0, -200.0, 0.0), (300.0, 200.0, 160.0)), trooper("Oda", 20, 0), trooper("Fenn", -20, 0),
        trooper("Pell", -20, 40), unit("Wardens", "Oda", minis=("Oda", "Fenn", "Pell")),
    )  # fmt: skip
    begun = time.process_time()
    seen = play(Move("Wardens", "climb", gather=True), on, RRG2)
    assert codes_of(seen.findings) == ("CLIMB_NO_CONTACT", "CLIMB_TOO_HIGH")
    assert (seen.made.arranged, seen.made.lost) == (None, ("Fenn", "Pell"))
    assert time.process_time() - begun < 5.0


def test_below_a_wall_that_was_climbed_down_minis_go_where_they_are_put() -> None:
    # the leader touches the wall's foot; a place without a cut is what is there, on a bank or back at the edge above
    on = battle(
        block("tower", (13.5, -80, 0), (160, 80, 100)), block("bank", (-100, 20, 0), (-14, 100, 3)),
        trooper("Oda", 27, 0), trooper("Fenn", 60, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")),
    )  # fmt: skip
    for place, height in (((-40.0, 40.0), 3.0), ((27.0, 0.0), 100.0), ((-40.0, 0.0), 0.0)):
        seen = play(Move("Wardens", "climb", up=False, followers=(Follower("Fenn", place),)), on, RRG2)
        assert codes_of(seen.findings) == ()
        assert feet_mm(seen.battle.table, seen.battle.table.mini("Fenn")) == height
