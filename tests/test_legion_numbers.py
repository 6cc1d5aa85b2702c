"""Numbers of a move: where it is stopped, what cannot be used, and how they are said."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from sim3d.finding import Refused, told_apart
from sim3d.rules.legion import RRG2, Battle, Follower, Move, State, judge, play
from sim3d.scenario import play_scenario, read_scenario
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.table import Piece
from tests.legion import battle, block, judged, notched, trooper, unit

TOUCH_MM = 0.05  # bases this deep in each other only touch
STOP_MM = 0.005  # how exactly a stop is found


def told(move: Move, on: Battle, code: str) -> dict[str, object]:
    """What the one finding of a code says, its numbers and its message."""
    (found,) = [f for f in judged(move, on) if f.code == code]
    return {**dict(found.numbers), "message": found.message}


def wall(x: float, high: float = 100.0) -> Piece:
    return Piece("wall", Solid.of(*box((x, -200.0, 0.0), (x + 20.0, 200.0, high))), Pose.at(0, 0))


# --- where it is stopped ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [37.6, 36.0, 12.34, 1.0, 0.0])
def test_a_mini_stops_a_base_where_it_touches_it(gap: float) -> None:
    # radii of 13.5 and 50: in contact at gap, deeper than touching at gap + 0.05
    walker = notched("Grinder", 63.5 + gap, 0, base="100n", height=60)
    on = battle(trooper("Oda", 0, 0), walker, unit("Wardens", "Oda"), unit("Grinders", "Grinder", type="ground"))
    seen = told(Move("Wardens"), on, "MOVE_MINI_IN_THE_WAY")
    stop = float(str(seen["stop_mm"]))
    assert gap + TOUCH_MM - STOP_MM <= stop <= gap + TOUCH_MM + 1e-9
    said = float(str(seen["message"]).split(" after ")[1].split()[0])
    assert said == pytest.approx(stop, abs=0.01)
    for legal in (stop, said, gap):
        assert play(Move("Wardens", travel_mm=legal), on, RRG2).legal
    assert not play(Move("Wardens", travel_mm=gap + TOUCH_MM + 0.01), on, RRG2).legal


def test_a_place_that_is_told_for_a_wall_is_legal_too() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), wall(60.0))
    said = str(told(Move("Wardens"), on, "MOVE_TERRAIN_IN_THE_WAY")["message"])
    assert play(Move("Wardens", travel_mm=float(said.split(" after ")[1].split()[0])), on, RRG2).legal


def test_whom_a_walker_would_meet_beyond_the_edge_is_not_pushed_aside() -> None:
    # the edge is at 151, a walker of radius 50 leaves at 101; who is in contact at 101.6 is met in the same stride
    riders = unit("Riders", "Brann", type="ground")
    for x, pushed in ((101.6 + 63.5, ()), (100.6 + 63.5, ("Dorn",))):
        minis = (notched("Brann", 0, 0, base="100n", height=60), trooper("Dorn", x, 0))
        on = battle(*minis, riders, unit("Watch", "Dorn", side="blue"), size=(302.0, 900.0))
        assert play(Move("Riders"), on, RRG2).displaced == pushed


def test_a_pivot_is_stopped_after_degrees() -> None:
    # a stadium of radius 50 about two points 37.5 from its middle: turned by a from facing left along the wall it
    # reaches 50 + 37.5 sin a to it, and is deeper than touching where that is 60.05
    turned = math.degrees(math.asin(10.05 / 37.5))
    crawler = notched("Brann", 0, 0, base="100x175n", turn=90.0, height=60)
    on = battle(crawler, unit("Crawlers", "Brann", type="ground"), wall(60.0))
    seen = told(Move("Crawlers", "pivot", turn_deg=-90.0), on, "MOVE_TERRAIN_IN_THE_WAY")
    assert seen["stop_deg"] == pytest.approx(-turned, abs=0.01)
    assert f"after {math.floor(turned * 100) / 100:.2f} degrees:" in str(seen["message"])
    # a base of radius 25 at 90 on the same side: the far end's middle is 75.05 from it where they are deeper than
    # touching: 37.5² + 90² - 2 37.5 90 sin a = 74.95²
    turned = math.degrees(math.asin((37.5**2 + 90**2 - 74.95**2) / (2 * 37.5 * 90)))
    post = notched("Post", 90, 0, base="50n", height=50)
    on = battle(crawler, post, unit("Crawlers", "Brann", type="ground"), unit("Posts", "Post", type="ground"))
    seen = told(Move("Crawlers", "pivot", turn_deg=-90.0), on, "MOVE_MINI_IN_THE_WAY")
    assert seen["stop_deg"] == pytest.approx(-turned, abs=0.02)
    assert "degrees" in str(seen["message"])
    assert "mm" not in str(seen["message"])


# --- what cannot be used ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"end_at": (math.nan, 0.0)}, "end_at is (nan, 0.0)"),
        ({"kind": "climb", "to": (math.inf, 0.0)}, "to is (inf, 0.0)"),
        ({"kind": "deploy", "begin": (0.0, -math.inf)}, "begin is (0.0, -inf)"),
        ({"begin": (0.0,)}, "begin is (0.0,)"),
        ({"followers": (Follower("Fenn", (math.nan, 0.0)),)}, "'Fenn' is put at (nan, 0.0)"),
        ({"followers": (Follower("Fenn", (0.0, 0.0), math.inf),)}, "'Fenn' is turned to inf"),
        ({"followers": (Follower("Fenn", (0.0, 0.0), 0.0, math.nan),)}, "'Fenn' is put below nan"),
        ({"displaced": (Follower("Dorn", (math.nan, 0.0)),)}, "'Dorn' is put at (nan, 0.0)"),
        ({"seed": -1, "gather": True}, "seed is -1"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"tool": 1.5}, "a tool has speed 1 to 3, not 1.5"),
        ({"speed_x": 2.5}, "a speed-x effect has speed 1 to 3, not 2.5"),
        ({"bend_deg": "a"}, "bend_deg is 'a'"),
        ({"travel_mm": "far"}, "travel_mm is 'far'"),
        ({"tool": None, "end_turn": math.nan}, "end_turn is nan"),
    ],
)
def test_what_is_no_number_or_no_place_is_refused_by_name(wrong: dict[str, object], named: str) -> None:
    on = battle(trooper("Oda", 0, 0), trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    with pytest.raises(Refused) as refused:
        play(Move("Wardens", **wrong), on, RRG2)  # type: ignore[arg-type]
    (found,) = refused.value.report.findings
    assert found.code == "MOVE_UNSOUND"
    assert found.message.startswith(named)


def test_everything_that_cannot_be_used_is_told_at_once() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    move = Move("Wardens", tool=1.5, bend_deg="a", seed=-1, end_at=(math.nan, 0.0), melee="Nobody")  # type: ignore[arg-type]
    with pytest.raises(Refused) as refused:
        play(move, on, RRG2)
    assert len(refused.value.report) == 5


def test_a_cut_at_infinity_is_none() -> None:
    on = battle(trooper("Oda", 0, 0), trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    move = Move("Wardens", tool=1, followers=(Follower("Fenn", (72.0, 0.0), 0.0, math.inf),))
    assert play(move, on, RRG2).legal


# --- how it is said ---------------------------------------------------------------------------------------------------


def said(move: Move, on: Battle, code: str) -> str:
    return str(told(move, on, code)["message"])


def test_two_numbers_that_differ_are_told_as_two() -> None:
    assert told_apart(152.41, 152.4) == ("152.41", "152.40")
    assert told_apart(2e-6, 0.0) == ("0.000002", "0.000000")
    tower = Piece("tower", Solid.of(*box((13.5, -60.0, 0.0), (133.5, 60.0, 152.41))), Pose.at(0, 0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), tower)
    assert said(Move("Wardens", "climb"), on, "CLIMB_TOO_HIGH") == "it is 152.41 mm, a climb goes at most 152.40"
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), size=(230.9, 900.0))
    assert "is 0.05 mm off" in said(Move("Wardens", tool=1), on, "UNIT_LEFT_TABLE")
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), wall(60.0, 40.02))
    assert said(Move("Wardens"), on, "MOVE_TERRAIN_IN_THE_WAY").endswith(": 40.02 mm up, its step is 40.00")
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    assert said(Move("Wardens", bend_deg=-90.01), on, "MOVE_BEND_TOO_FAR").startswith("the tool is bent by -90.01")


def test_without_a_wall_nobody_is_told_how_far_it_is() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    seen = said(Move("Wardens", "climb"), on, "CLIMB_NO_CONTACT")
    assert seen == "Oda has no wall to climb within 60 mm of its base; a climb begins in contact"
    assert "edge to climb down from" in said(Move("Wardens", "climb", up=False), on, "CLIMB_NO_CONTACT")
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), wall(14.0))
    assert "is 0.5 mm from the wall to climb" in said(Move("Wardens", "climb"), on, "CLIMB_NO_CONTACT")


def test_a_scenario_is_told_every_reason_on_a_line(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'about = "Two minis, no dice, no wall."\n[table]\nsize = [900, 900]\n'
        '[[mini]]\nname = "Oda"\nbase = "27"\nat = [0, 0]\n'
        '[[unit]]\nname = "Wardens"\nside = "red"\ntype = "trooper"\nspeed = 2\nleader = "Oda"\n'
        '[[step]]\nmove = "clamber"\nunit = "Wardens"\n',
        encoding="utf-8",
    )
    (played,) = play_scenario(read_scenario(file), physics="never").played
    assert played.error.split("; ")[0] == "MOVE_UNSOUND: a clamber rolls 1 die: say which faces come up (dice)"
    for code in ("CLIMB_NO_CONTACT", "CLIMB_NO_ROOM"):
        assert f"; {code}: " in played.error
    assert played.error.isprintable()


@pytest.mark.parametrize(
    ("kind", "speed", "tool", "state", "why"),
    [
        ("standard", 2, 2, State(immobilized=1), "Riders moves at most at 1, held down by 1 immobilize token"),
        ("standard", 3, 2, State(immobilized=2), "Riders moves at most at 1, held down by 2 immobilize tokens"),
        ("standard", 2, 2, State(), "Riders moves at most at 1, slowed by mud"),
        ("standard", 1, 2, State(), "Riders moves at most at 1"),  # mud takes nobody's last speed
        ("reverse", 3, 3, State(), "Riders moves at most at 1 in a reverse, slowed by mud"),
        ("reverse", 2, 2, State(), "Riders moves at most at 1 in a reverse"),
    ],
)
def test_who_is_told_of_a_slower_tool_hears_everything_that_slows_it(
    kind: str, speed: int, tool: int, state: State, why: str
) -> None:
    mud = replace(block("mud", (-300, -60, -1), (300, 60, 2)), classes={"ground": "difficult"})
    terrain = () if state.immobilized else (mud,)
    on = battle(*terrain, notched("Brann", 0, 0), unit("Riders", "Brann", type="ground", speed=speed, state=state))
    (told,) = judge(Move("Riders", kind=kind, tool=tool), on, RRG2)
    assert told.message == f"a tool of speed {tool} is too fast: {why}"
