"""What is said of a move and of a unit is looked at: who boards what, where a leader was put, what makes no sense."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sim3d.finding import Refused
from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Follower, Move, State, Unit, play
from tests.codes import codes_of, fires, silent
from tests.legion import battle, judged, notched, piece, trooper, unit

LEAVE = Move("Wardens", "disembark", begin=(63.5, 0.0), start_deg=0, travel_mm=50)


def refusal(move: Move, on: Battle) -> str:
    with pytest.raises(Refused) as caught:
        play(move, on, RRG2)
    return str(caught.value)


def aboard(*things: object, **state: object) -> Battle:
    """A squad of one aboard of a hauler in the middle of the table, the hauler in some state."""
    oda = trooper("Oda", 0, 0)
    return battle(
        notched("Hauler", 0, 0, base="100n", height=60),
        unit("Haulers", "Hauler", type="ground", speed=1, keywords=("transport",), state=State(**state)),  # type: ignore[arg-type]
        unit("Wardens", "Oda", state=State(aboard="Haulers"), carried=(oda,)),
        *things,  # type: ignore[arg-type]
    )


# --- boarding and leaving ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["disembark", "bail out"])
def test_nobody_leaves_a_vehicle_that_is_not_on_the_table(kind: str) -> None:
    on = aboard(defeated=True)
    gone = Battle(replace(on.table, minis=()), on.units)
    assert "'Haulers' is not on the table" in refusal(Move("Wardens", kind, begin=(63.5, 0.0)), gone)


def test_nobody_boards_a_vehicle_that_is_aboard_itself() -> None:
    hauler = notched("Hauler", 165.5, 0, base="100n")
    on = battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        unit("Haulers", "Hauler", type="ground", keywords=("transport",), state=State(aboard="Barges"),
             carried=(hauler,)),
        notched("Barge", 0, 200, base="100n"),
        unit("Barges", "Barge", type="repulsor", keywords=("transport",)),
    )  # fmt: skip
    assert "'Haulers' is not on the table" in refusal(Move("Wardens", "embark", vehicle="Haulers"), on)


def test_only_who_is_aboard_leaves_and_only_its_own_vehicle() -> None:
    on = aboard(trooper("Fenn", 63.5, 35), unit("Scouts", "Fenn"), notched("Barge", 300, 0, base="100n"),
                unit("Barges", "Barge", type="repulsor", keywords=("transport",)))  # fmt: skip
    assert "'Scouts' is aboard of nothing" in refusal(replace(LEAVE, unit="Scouts", vehicle="Haulers"), on)
    assert "is aboard of 'Haulers', not of 'Barges'" in refusal(replace(LEAVE, vehicle="Barges"), on)
    assert not play(replace(LEAVE, vehicle="Haulers"), on, RRG2).findings


def test_who_disembarks_begins_beside_the_vehicle_and_on_nobody() -> None:
    on = aboard()
    for x in (63.4, 40.0, 0.0):
        assert fires("DISEMBARK_ON_MINI", judged(replace(LEAVE, begin=(x, 0.0)), on))
    assert silent("DISEMBARK_ON_MINI", judged(LEAVE, on))
    friend = (trooper("Fenn", 70, 0), unit("Scouts", "Fenn"))
    assert fires("DISEMBARK_ON_MINI", judged(LEAVE, aboard(*friend)))
    beside = (trooper("Fenn", 63.5, 27), unit("Scouts", "Fenn"))
    assert silent("DISEMBARK_ON_MINI", judged(LEAVE, aboard(*beside)))


def test_a_vehicle_that_is_destroyed_is_bailed_out_of_and_boarded_by_nobody() -> None:
    (told,) = judged(LEAVE, aboard(defeated=True))
    assert (told.code, "Haulers is destroyed" in told.message) == ("EMBARK_NOT_FOR_UNIT", True)
    on = battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        notched("Hauler", 165.5, 0, base="100n"),
        unit("Haulers", "Hauler", type="ground", keywords=("transport",)),
    )
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    assert not judged(board, on)
    assert fires("EMBARK_NOT_FOR_UNIT", judged(board, on.with_unit(on.unit("Haulers").after(defeated=True))))


def test_a_vehicle_with_somebody_aboard_leaves_the_table_over_somebody() -> None:
    on = aboard(trooper("Dorn", 85, 0), unit("Watch", "Dorn", side="blue"))
    edge = replace(on, table=replace(on.table, size_mm=(300.0, 900.0)))
    seen = play(Move("Haulers"), edge, RRG2)
    assert (seen.legal, seen.defeated, seen.displaced) == (True, True, ("Dorn",))
    assert seen.battle.unit("Wardens").state.aboard == "Haulers"


# --- jumps and claims -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["climb", "clamber", "disembark", "aim", "deploy"])
def test_a_jump_is_a_standard_move(kind: str) -> None:
    jumper = unit("Wardens", "Oda", keywords=("jump 1",))
    on = battle(trooper("Oda", 200 - 40 - 13.52, 0), jumper, piece("crate", 200, 0))
    move = Move("Wardens", kind, jump=True, dice=("block",) if kind == "clamber" else ())
    if kind == "disembark":
        on, move = (
            aboard().with_unit(replace(aboard().unit("Wardens"), keywords=("jump 1",))),
            replace(LEAVE, jump=True),
        )
    (told,) = judged(move, on)
    article = "an" if kind == "aim" else "a"
    assert (told.code, told.message) == ("MOVE_NOT_STANDARD", f"a jump is a standard move, not {article} {kind}")
    assert not judged(replace(move, jump=False), on)
    assert silent("MOVE_NOT_STANDARD", judged(Move("Wardens", jump=True), on if kind != "disembark" else battle(
        trooper("Oda", 0, 0), jumper)))  # fmt: skip


def test_where_a_climb_and_a_pivot_end_is_looked_at() -> None:
    on = battle(trooper("Oda", 200 - 40 - 13.52, 0), unit("Wardens", "Oda"), piece("crate", 200, 0))
    x, y = play(Move("Wardens", "climb"), on, RRG2).made.end.at
    assert silent("MOVE_OFF_PATH", judged(Move("Wardens", "climb", end_at=(x, y)), on))
    (told,) = judged(Move("Wardens", "climb", end_at=(x, y + 0.1)), on)
    assert (told.code, dict(told.numbers)["rules"]) == ("MOVE_OFF_PATH", "CL01")
    walker = battle(notched("Grinder", 0, 0), unit("Grinders", "Grinder", type="ground"))
    turn = Move("Grinders", "pivot", turn_deg=10)
    assert not judged(replace(turn, end_at=(0.0, 0.0), end_turn=10.0), walker)
    assert codes_of(judged(replace(turn, end_at=(0.1, 0.0)), walker)) == ("MOVE_OFF_PATH",)
    assert codes_of(judged(replace(turn, end_turn=10.1), walker)) == ("MOVE_WRONG_FACING",)


def test_a_round_base_faces_as_its_player_says() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), piece("crate", 150, 0))

    def facing(move: Move) -> float:
        outcome = play(replace(move, unit="Wardens"), on, RRG2)
        assert outcome.legal, [str(f) for f in outcome.findings]
        return outcome.battle.table.mini("Oda").turn

    told = [facing(Move("", travel_mm=40, end_turn=end)) for end in (None, 77.0)]
    assert told == [0.0, 77.0]
    assert facing(Move("", compulsory=True, end_turn=77.0)) == 77.0  # as far as the crate
    oval = battle(replace(trooper("Oda", 0, 0), mini=Mini("60x35")), unit("Wardens", "Oda"))
    assert "neither round nor notched" in refusal(Move("Wardens", travel_mm=40, end_turn=77.0), oval)


def test_a_deployed_leader_is_put_where_it_begins() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    assert "end_at means nothing for 'deploy'" in refusal(Move("Wardens", "deploy", begin=(9, 9), end_at=(0, 0)), on)
    assert "end_turn means nothing for 'aim'" in refusal(Move("Wardens", "aim", end_turn=5.0), on)


# --- what makes no sense ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tool": True}, "a tool has speed 1 to 3, not True"),
        ({"speed_x": True}, "a speed-x effect has speed 1 to 3, not True"),
        ({"seed": True}, "seed is True"),
        ({"bend_deg": None}, "bend_deg is None, not a number that can be used"),
        ({"kind": "pivot", "turn_deg": None}, "turn_deg is None, not a number that can be used"),
        ({"dice": None}, "dice is None; it takes the faces that came up"),
        ({"dice": "block"}, "dice is 'block'; it takes the faces that came up"),
        ({"followers": None}, "followers is None; it takes places of minis"),
        ({"followers": ("Fenn",)}, "followers is ('Fenn',); it takes places of minis"),
        ({"displaced": (Follower(["Oda"], (0, 0)),)}, "it takes places of minis"),  # type: ignore[arg-type]
        ({"melee": None}, "melee is None; it takes a name"),
        ({"free": "no"}, "free is 'no'; it takes true or false"),
        ({"displaced": (Follower("Oda", (0, 0)), Follower("Oda", (9, 9)))}, "displace: 'Oda' is put back twice"),
    ],
)
def test_a_move_that_nobody_can_read_is_refused_in_words(wrong: dict[str, object], words: str) -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    assert words in refusal(Move(unit="Wardens", **wrong), on)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"speed": 1.5}, "a unit's speed is 0 to 3, not 1.5"),
        ({"speed": math.nan}, "a unit's speed is 0 to 3, not nan"),
        ({"state": State(immobilized=-1)}, "immobilized is -1; it is a whole number, 0 or more"),
        ({"state": State(suppression=0.5)}, "suppression is 0.5"),  # type: ignore[arg-type]
        ({"state": State(extra=math.nan)}, "extra is nan"),  # type: ignore[arg-type]
        ({"state": State(done=("fly",))}, "done: 'fly' is no action; there are: standard, "),
        ({"state": State(done="aim")}, "done is 'aim'; it takes the names of actions"),  # type: ignore[arg-type]
        ({"state": State(compulsory="middle")}, "at the start or the end, or not yet, not 'middle'"),
        ({"state": State(spurred=2)}, "spurred is 2; it is true or false"),  # type: ignore[arg-type]
        ({"state": State(aboard="Wardens")}, "it is aboard of itself"),
        ({"name": ""}, "it has no name"),
    ],
)
def test_a_unit_that_cannot_be_is_refused_in_words(wrong: dict[str, object], words: str) -> None:
    good: Unit = unit("Wardens", "Oda")
    with pytest.raises(Refused) as caught:
        battle(trooper("Oda", 0, 0), replace(good, **wrong))  # type: ignore[arg-type]
    assert fires("UNIT_UNSOUND", caught.value)
    (told,) = caught.value.report
    assert words in told.message
    done = State(done=("standard", "aim"), immobilized=1, extra=1, compulsory="start", spurred=True)
    assert battle(trooper("Oda", 0, 0), replace(good, state=done)).unit("Wardens").state == done


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"minis": None}, "minis is None; it takes names"),
        ({"keywords": "jump 1"}, "keywords is 'jump 1'; it takes names"),
        ({"side": []}, r"side is \[\]; it takes a word"),
        ({"state": None}, "state is None; it takes a State"),
        ({"carried": "Oda"}, "carried is 'Oda'; it takes placed minis"),
    ],
)
def test_a_unit_of_the_wrong_kind_is_refused_in_words(told: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", **told))
