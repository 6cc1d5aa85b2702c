"""Every code of the rules fires where it should, and is silent on the near miss beside it."""

from __future__ import annotations

import pytest

from sim3d.finding import Refused
from sim3d.rules.legion import RRG2, Battle, Follower, Move, State, play
from tests.codes import fires, silent
from tests.legion import battle, judged, notched, piece, said, trooper, unit


def refused(move: Move, on: Battle) -> Refused:
    with pytest.raises(Refused) as caught:
        play(move, on, RRG2)
    return caught.value


def test_speed_and_tool() -> None:
    fires("MOVE_TOOL_TOO_FAST", said("mv01-bites", 1))
    fires("MOVE_TOOL_TOO_FAST", said("cl04-bites", 1))
    silent("MOVE_TOOL_TOO_FAST", said("mv01-spares", 1))
    fires("MOVE_NO_SPEED", said("mv01-bites", 2))
    silent("MOVE_NO_SPEED", said("mv01-spares", 3))
    fires("MOVE_NOT_FROM_NOTCH", said("mv02-bites", 1))
    silent("MOVE_NOT_FROM_NOTCH", said("mv02-spares", 1))
    fires("MOVE_BEND_TOO_FAR", said("mv03-bites", 1))
    silent("MOVE_BEND_TOO_FAR", said("mv03-spares", 1))
    fires("MOVE_BEYOND_TOOL", said("mv04-bites", 1))
    silent("MOVE_BEYOND_TOOL", said("mv04-spares", 1))
    fires("MOVE_OFF_PATH", said("mv04-bites", 2))
    fires("MOVE_OFF_PATH", said("mv05-bites", 1))
    silent("MOVE_OFF_PATH", said("mv05-spares", 1))
    fires("MOVE_WRONG_FACING", said("mv05-bites", 2))
    silent("MOVE_WRONG_FACING", said("mv05-spares", 3))


def test_the_way() -> None:
    fires("MOVE_TERRAIN_IN_THE_WAY", said("mv08-bites", 1))
    silent("MOVE_TERRAIN_IN_THE_WAY", said("mv08-spares", 1))
    fires("MOVE_MINI_IN_THE_WAY", said("mv08-bites", 2))
    silent("MOVE_MINI_IN_THE_WAY", said("mv08-spares", 2))
    fires("MOVE_DROP_TOO_DEEP", said("cl05-bites", 3))
    silent("MOVE_DROP_TOO_DEEP", said("mv19-spares", 1))
    fires("MOVE_THROUGH_IMPASSABLE", said("cl04-bites", 2))
    silent("MOVE_THROUGH_IMPASSABLE", said("cl04-spares", 2))
    fires("MOVE_WAY_NOT_FREE", said("mv18-bites", 1))
    silent("MOVE_WAY_NOT_FREE", said("mv18-spares", 1))


def test_who_moves() -> None:
    fires("MOVE_NOT_FOR_UNIT", said("mv17-bites", 1))
    silent("MOVE_NOT_FOR_UNIT", said("mv17-spares", 2))
    fires("MOVE_PIVOT_TOO_FAR", said("mv17-bites", 2))
    silent("MOVE_PIVOT_TOO_FAR", said("mv17-spares", 1))
    fires("MOVE_NOT_STANDARD", said("mv16-bites", 1))
    silent("MOVE_NOT_STANDARD", said("mv16-spares", 1))
    fires("MOVE_ACTION_REPEATED", said("mv07-bites", 1))
    silent("MOVE_ACTION_REPEATED", said("mv07-spares", 2))
    fires("MOVE_ACTIONS_SPENT", said("mv07-bites", 2))
    silent("MOVE_ACTIONS_SPENT", said("mv07-spares", 1))


def test_a_plodding_unit_makes_one_standard_move() -> None:
    for done, word in (((), silent), (("standard",), fires)):
        state = State(done=done)
        on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("plodding",), state=state))
        word("MOVE_NOT_FOR_UNIT", judged(Move("Wardens", tool=1), on))


def test_engaged_units_withdraw() -> None:
    on = battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        trooper("Dorn", 27, 0),
        unit("Watch", "Dorn", side="blue"),
    )
    fires("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180), on))
    silent("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180, withdraw=True), on))
    apart = battle(*on.table.minis[:1], trooper("Dorn", 27.1, 0), *on.units)
    silent("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180), apart))


def test_the_end() -> None:
    fires("END_PRECARIOUS", said("mv14-bites", 1))
    silent("END_PRECARIOUS", said("mv14-spares", 1))
    fires("END_DOES_NOT_STAND", said("mv15-bites", 2))
    silent("END_DOES_NOT_STAND", said("mv14-spares", 1))
    fires("END_TOO_STEEP", said("mv15-bites", 1))
    silent("END_TOO_STEEP", said("mv15-spares", 1))
    fires("END_AGREED_AGAINST", said("mv19-bites", 1))
    silent("END_AGREED_AGAINST", said("mv19-spares", 1))
    fires("END_ON_MINI", said("mv12-bites", 1))
    silent("END_ON_MINI", said("mv12-spares", 1))
    fires("END_ON_TOKEN", said("mv13-bites", 1))
    silent("END_ON_TOKEN", said("mv13-spares", 1))
    fires("END_TOUCHES_ENEMY", said("mv10-bites", 1))
    silent("END_TOUCHES_ENEMY", said("mv10-spares", 1))
    fires("FOLLOWER_TOO_FAR", said("mv06-bites", 1))
    silent("FOLLOWER_TOO_FAR", said("mv06-spares", 1))
    fires("FOLLOWER_WRONG_FACING", said("mv06-bites", 3))
    silent("FOLLOWER_WRONG_FACING", said("mv06-spares", 2))
    fires("UNIT_LEFT_TABLE", said("mv11-bites", 1))
    silent("UNIT_LEFT_TABLE", said("mv11-spares", 1))


def test_under_a_ceiling_and_on_a_limit() -> None:
    # a deck of 45 mm: a mini of 44.7 passes under it, one of 45.3 has no room; 0.2 mm are print tolerance
    on = battle(trooper("Oda", 0, 60, height=45.3), unit("Wardens", "Oda"), piece("bridge", 0, 0))
    fires("END_BLOCKED", judged(Move("Wardens", tool=1, start_deg=270, travel_mm=60, level=20), on))
    low = battle(trooper("Oda", 0, 60, height=44.7), unit("Wardens", "Oda"), piece("bridge", 0, 0))
    silent("END_BLOCKED", judged(Move("Wardens", tool=1, start_deg=270, travel_mm=60, level=20), low))
    # the middle exactly over the edge: nobody can say
    crate = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), piece("crate", 0, 0))
    fires("STAND_UNDECIDED", judged(Move("Wardens", tool=1, travel_mm=40.0), crate))
    silent("STAND_UNDECIDED", judged(Move("Wardens", tool=1, travel_mm=38.5), crate))


def test_climbing() -> None:
    fires("CLIMB_NOT_FOR_UNIT", said("cl03-bites", 1))
    silent("CLIMB_NOT_FOR_UNIT", said("cl03-spares", 1))
    fires("CLIMB_NO_CONTACT", said("cl01-bites-gap", 1))
    silent("CLIMB_NO_CONTACT", said("cl01-spares", 1))
    fires("CLIMB_TOO_HIGH", said("cl01-bites", 1))
    silent("CLIMB_TOO_HIGH", said("cl01-spares", 1))
    fires("CLIMB_OFF_EDGE", said("cl01-bites", 2))
    silent("CLIMB_OFF_EDGE", said("cl01-spares", 1))
    fires("CLIMB_NO_ROOM", said("cl03-bites", 2))
    silent("CLIMB_NO_ROOM", said("cl03-spares", 2))
    fires("CLAMBER_WOUNDS", said("cl02-bites", 1))
    silent("CLAMBER_WOUNDS", said("cl02-spares", 1))


def riders(gap: float, *, cargo: str = "transport") -> Battle:
    return battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        notched("Hauler", 102 + 13.5 + 50 + gap, 0, base="100n"),
        unit("Haulers", "Hauler", type="ground", speed=1, keywords=(cargo,)),
    )


def test_embarking_and_disembarking() -> None:
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    fires("EMBARK_NOT_IN_CONTACT", judged(board, riders(0.1)))
    silent("EMBARK_NOT_IN_CONTACT", judged(board, riders(0.0)))
    fires("EMBARK_NOT_FOR_UNIT", judged(board, riders(0.0, cargo="plodding")))
    silent("EMBARK_NOT_FOR_UNIT", judged(board, riders(0.0)))
    aboard = play(board, riders(0.0), RRG2).battle
    assert [m.name for m in aboard.table.minis] == ["Hauler"]
    leave = Move("Wardens", "disembark", tool=1, begin=(165.5 - 63.5, 0.0), start_deg=180)
    out = play(leave, aboard, RRG2)
    assert (out.legal, out.battle.table.mini("Oda").at) == (True, (0.0, pytest.approx(0.0)))
    assert out.battle.unit("Wardens").state.aboard == ""
    fires("EMBARK_NOT_IN_CONTACT", judged(Move("Wardens", "disembark", begin=(101.9, 0.0), start_deg=180), aboard))


def test_what_makes_no_sense_is_refused_with_every_reason() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    for wrong in (
        Move("Wardns"),
        Move("Wardens", tool=4),
        Move("Wardens", bend_deg=181),
        Move("Wardens", "fly"),
        Move("Wardens", followers=(Follower("Fenn", (0, 0)),)),
        Move("Wardens", "clamber"),
        Move("Wardens", travel_mm=float("nan")),
    ):
        fires("MOVE_UNSOUND", refused(wrong, on))
    silent("MOVE_UNSOUND", judged(Move("Wardens", tool=2), on))
    both = refused(Move("Wardens", tool=4, bend_deg=200, dice=("six",)), on)
    assert [f.code for f in both.report] == ["MOVE_UNSOUND"] * 3


def test_a_unit_that_cannot_be() -> None:
    with pytest.raises(Refused) as caught:
        battle(unit("Wardens", "Oda", speed=4, keywords=("flies",)))
    fires("UNIT_UNSOUND", caught.value)
    assert len(caught.value.report) == 3  # the speed, the mini that is not on the table, the keyword
    silent("UNIT_UNSOUND", judged(Move("Wardens"), battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", speed=3))))
    with pytest.raises(Refused):
        battle(trooper("Oda", 0, 0), unit("A", "Oda"), unit("B", "Oda"))


def test_a_class_of_terrain_that_means_nothing() -> None:
    with pytest.raises(Refused) as caught:
        battle(piece("tile", 0, 0, trooper="dificult", walker="open"))
    fires("TERRAIN_CLASS_UNKNOWN", caught.value)
    assert len(caught.value.report) == 2
    on = battle(piece("tile", 0, 0, all="difficult, no end"), trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    silent("TERRAIN_CLASS_UNKNOWN", judged(Move("Wardens"), on))


def test_a_done_action_is_remembered_and_a_free_one_is_not() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", state=State(done=("aim",))))
    assert play(Move("Wardens", tool=1), on, RRG2).battle.unit("Wardens").state.done == ("aim", "standard")
    assert play(Move("Wardens", tool=1, free=True), on, RRG2).battle.unit("Wardens").state.done == ("aim",)
