"""Every code of the rules fires where it should, and is silent on the near miss beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim3d.finding import Finding, Refused
from sim3d.rules.legion import RRG2, Battle, Follower, Move, State, judge, play
from sim3d.scenario import parse_scenario
from sim3d.table import Token
from tests.codes import both, codes_of, fires, silent
from tests.legion import MOVEMENT, battle, judged, notched, piece, said, trooper, unit


def refused(move: Move, on: Battle) -> Refused:
    with pytest.raises(Refused) as caught:
        play(move, on, RRG2)
    return caught.value


# each code, a step of a scenario that hears it, and the near miss that does not
PAIRS = (
    both("MOVE_TOOL_TOO_FAST", ("mv01-bites", 1), ("mv01-spares", 1)),
    both("MOVE_TOOL_TOO_FAST", ("cl04-bites", 1), ("mv01-spares", 1)),
    both("MOVE_NO_SPEED", ("mv01-bites", 2), ("mv01-spares", 3)),
    both("MOVE_NOT_FROM_NOTCH", ("mv02-bites", 1), ("mv02-spares", 1)),
    both("MOVE_BEND_TOO_FAR", ("mv03-bites", 1), ("mv03-spares", 1)),
    both("MOVE_BEYOND_TOOL", ("mv04-bites", 1), ("mv04-spares", 1)),
    both("MOVE_OFF_PATH", ("mv04-bites", 2), ("mv05-spares", 1)),
    both("MOVE_OFF_PATH", ("mv05-bites", 1), ("mv05-spares", 1)),
    both("MOVE_WRONG_FACING", ("mv05-bites", 2), ("mv05-spares", 3)),
    both("MOVE_TERRAIN_IN_THE_WAY", ("mv08-bites", 1), ("mv08-spares", 1)),
    both("MOVE_MINI_IN_THE_WAY", ("mv08-bites", 2), ("mv08-spares", 2)),
    both("MOVE_DROP_TOO_DEEP", ("cl05-bites", 3), ("mv19-spares", 1)),
    both("MOVE_THROUGH_IMPASSABLE", ("cl04-bites", 2), ("cl04-spares", 2)),
    both("MOVE_WAY_NOT_FREE", ("mv18-bites", 1), ("mv18-spares", 1)),
    both("MOVE_NOT_FOR_UNIT", ("mv17-bites", 1), ("mv17-spares", 2)),
    both("MOVE_PIVOT_TOO_FAR", ("mv17-bites", 2), ("mv17-spares", 1)),
    both("MOVE_NOT_STANDARD", ("mv16-bites", 1), ("mv16-spares", 1)),
    both("MOVE_ACTION_REPEATED", ("mv07-bites", 1), ("mv07-spares", 2)),
    both("MOVE_ACTIONS_SPENT", ("mv07-bites", 2), ("mv07-spares", 1)),
    both("END_PRECARIOUS", ("mv14-bites", 1), ("mv14-spares", 1)),
    both("END_DOES_NOT_STAND", ("mv15-bites", 2), ("mv14-spares", 1)),
    both("END_TOO_STEEP", ("mv15-bites", 1), ("mv15-spares", 1)),
    both("END_AGREED_AGAINST", ("mv19-bites", 1), ("mv19-spares", 1)),
    both("END_ON_MINI", ("mv12-bites", 1), ("mv12-spares", 1)),
    both("END_ON_MINI", ("mv12-bites-roof", 1), ("mv12-spares-roof", 1)),
    both("END_ON_TOKEN", ("mv13-bites", 1), ("mv13-spares", 1)),
    both("END_TOUCHES_ENEMY", ("mv10-bites", 1), ("mv10-spares", 1)),
    both("END_TOUCHES_ENEMY", ("co04-bites-ahead", 1), ("co04-spares", 2)),
    both("FOLLOWER_NO_PLACE", ("mv06-bites-aboard", 1), ("mv06-bites-aboard", 2)),
    both("FOLLOWER_TOO_FAR", ("mv06-bites", 1), ("mv06-spares", 1)),
    both("FOLLOWER_WRONG_FACING", ("mv06-bites", 3), ("mv06-spares", 2)),
    both("UNIT_LEFT_TABLE", ("mv11-bites", 1), ("mv11-spares", 1)),
    both("CLIMB_NOT_FOR_UNIT", ("cl03-bites", 1), ("cl03-spares", 1)),
    both("CLIMB_NO_CONTACT", ("cl01-bites-gap", 1), ("cl01-spares", 1)),
    both("CLIMB_TOO_HIGH", ("cl01-bites", 1), ("cl01-spares", 1)),
    both("CLIMB_OFF_EDGE", ("cl01-bites", 2), ("cl01-spares", 1)),
    both("CLIMB_NO_ROOM", ("cl03-bites", 2), ("cl03-spares", 2)),
    both("CLAMBER_WOUNDS", ("cl02-bites", 1), ("cl02-spares", 1)),
    both("FOLLOWER_NO_WAY", ("co08-bites", 1), ("co08-spares", 1)),
    both("FOLLOWER_OTHER_LEVEL", ("co15-bites", 1), ("co15-spares", 1)),
    both("FOLLOWER_OTHER_LEVEL", ("co14-bites", 1), ("co14-spares", 1)),
    both("FOLLOWER_OTHER_LEVEL", ("co16-bites", 1), ("co16-spares", 1)),
    both("FOLLOWER_CLIMB_TOO_HIGH", ("co11-bites", 1), ("co11-spares", 1)),
    both("FOLLOWER_OFF_TERRAIN", ("co12-bites", 1), ("co12-spares", 1)),
    both("FOLLOWER_NOT_NEAREST", ("co13-bites", 1), ("co13-spares", 1)),
    both("DISPLACED_BY_WRONG_PLAYER", ("dp07-bites", 1), ("dp07-spares", 1)),
    both("DISPLACED_WITHOUT_NEED", ("dp07-bites", 3), ("dp07-spares", 1)),
    both("DISPLACED_OUT_OF_COHESION", ("dp07-bites", 2), ("dp07-spares", 1)),
    both("DISPLACED_LEADER_TOO_FAR", ("dp08-bites", 1), ("dp08-spares", 1)),
    both("DISPLACED_TOUCHES_ENEMY", ("dp09-bites", 1), ("dp09-spares", 1)),
    both("DISPLACED_OFF_ELEVATION", ("dp10-bites", 1), ("dp10-spares", 1)),
    both("DISPLACED_WRONG_PLACE", ("co06-bites", 1), ("co06-spares", 1)),
    both("MINIS_DISPLACED", ("dp01-bites", 1), ("dp01-spares", 1)),
    both("DISPLACED_SUPPRESSED", ("dp11-bites", 1), ("dp11-spares", 1)),
    both("COMPULSORY_NOT_AS_FAR", ("cm03-bites", 2), ("cm03-spares", 2)),
    both("COMPULSORY_NOT_AS_FAR", ("cm11-bites", 1), ("cm11-spares", 1)),
    both("COMPULSORY_NOT_NOW", ("cm01-bites", 1), ("cm01-spares", 1)),
    both("COMPULSORY_NOT_NOW", ("cm01-bites", 2), ("cm01-spares", 2)),
    both("AI_NEEDS_A_MOVE", ("cm13-bites", 1), ("cm13-spares", 1)),
    both("COMPULSORY_MOVE", ("cm02-bites", 1), ("cm01-spares", 2)),
    both("COMPULSORY_SHIFTED", ("cm08-bites", 1), ("cm08-spares", 1)),
    both("COMPULSORY_PARTIAL", ("cm12-bites", 1), ("cm12-spares", 1)),
)


@pytest.mark.parametrize(("code", "bites", "spares"), PAIRS)
def test_a_code_fires_in_its_scenario_and_is_silent_in_the_near_miss(
    code: str, bites: tuple[str, int], spares: tuple[str, int]
) -> None:
    assert code in codes_of(said(*bites))
    assert code not in codes_of(said(*spares))


def test_a_plodding_unit_makes_one_standard_move() -> None:
    def after(*done: str) -> tuple[Finding, ...]:
        state = State(done=done)
        on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("plodding",), state=state))
        return judged(Move("Wardens", tool=1), on)

    assert silent("MOVE_NOT_FOR_UNIT", after())
    assert fires("MOVE_NOT_FOR_UNIT", after("standard"))
    told = next(f for f in after("standard") if f.code == "MOVE_NOT_FOR_UNIT")
    assert told.message == "Wardens (trooper) makes no standard move twice: it plods"


def test_a_stationary_unit_without_a_speed_pivots_and_does_nothing_else() -> None:
    def heard(move: Move, **more: object) -> tuple[str, ...]:
        gun = unit("Guns", "Dorn", type="emplacement", **{"speed": 0, "keywords": ("stationary",), **more})
        return codes_of(judge(move, battle(notched("Dorn", 0, 0), gun), RRG2))

    pivot = Move("Guns", "pivot", turn_deg=90.0)
    assert heard(pivot) == ()
    assert heard(Move("Guns")) == ("MOVE_NOT_FOR_UNIT", "MOVE_NO_SPEED")
    assert heard(pivot, speed=1, state=State(immobilized=1)) == ("MOVE_NO_SPEED",)
    assert heard(pivot, keywords=()) == ("MOVE_NO_SPEED",)


def test_engaged_units_withdraw() -> None:
    on = battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        trooper("Dorn", 27, 0),
        unit("Watch", "Dorn", side="blue"),
    )
    assert fires("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180), on))
    assert silent("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180, withdraw=True), on))
    apart = battle(*on.table.minis[:1], trooper("Dorn", 27.1, 0), *on.units)
    assert silent("MOVE_ENGAGED", judged(Move("Wardens", tool=1, start_deg=180), apart))


def test_under_a_ceiling_and_on_a_limit() -> None:
    # a deck of 45 mm: a mini of 44.7 passes under it, one of 45.3 has no room; 0.2 mm are print tolerance
    on = battle(trooper("Oda", 0, 60, height=45.3), unit("Wardens", "Oda"), piece("bridge", 0, 0))
    assert fires("END_BLOCKED", judged(Move("Wardens", tool=1, start_deg=270, travel_mm=60, level=20), on))
    low = battle(trooper("Oda", 0, 60, height=44.7), unit("Wardens", "Oda"), piece("bridge", 0, 0))
    assert silent("END_BLOCKED", judged(Move("Wardens", tool=1, start_deg=270, travel_mm=60, level=20), low))
    # the middle exactly over the edge: nobody can say
    crate = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), piece("crate", 0, 0))
    assert fires("STAND_UNDECIDED", judged(Move("Wardens", tool=1, travel_mm=40.0), crate))
    assert silent("STAND_UNDECIDED", judged(Move("Wardens", tool=1, travel_mm=38.5), crate))


def riders(gap: float, *, cargo: str = "transport") -> Battle:
    return battle(
        trooper("Oda", 0, 0),
        unit("Wardens", "Oda"),
        notched("Hauler", 102 + 13.5 + 50 + gap, 0, base="100n"),
        unit("Haulers", "Hauler", type="ground", speed=1, keywords=(cargo,)),
    )


def test_embarking_and_disembarking() -> None:
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    assert fires("EMBARK_NOT_IN_CONTACT", judged(board, riders(0.1)))
    assert silent("EMBARK_NOT_IN_CONTACT", judged(board, riders(0.0)))
    assert fires("EMBARK_NOT_FOR_UNIT", judged(board, riders(0.0, cargo="plodding")))
    assert silent("EMBARK_NOT_FOR_UNIT", judged(board, riders(0.0)))
    aboard = play(board, riders(0.0), RRG2).battle
    assert [m.name for m in aboard.table.minis] == ["Hauler"]
    leave = Move("Wardens", "disembark", tool=1, begin=(165.5 - 63.5, 0.0), start_deg=180)
    out = play(leave, aboard, RRG2)
    assert (out.legal, out.battle.table.mini("Oda").at) == (True, (0.0, pytest.approx(0.0)))
    assert out.battle.unit("Wardens").state.aboard == ""
    assert fires(
        "EMBARK_NOT_IN_CONTACT", judged(Move("Wardens", "disembark", begin=(101.9, 0.0), start_deg=180), aboard)
    )


def squad_aboard(*, defeated: bool = False) -> Battle:
    two = unit("Wardens", "Oda", minis=("Oda", "Fenn", "Pell"))
    hauler = unit("Haulers", "Hauler", type="ground", speed=1, keywords=("transport",))
    minis = (trooper("Oda", 0, 0), trooper("Fenn", -60, 0), trooper("Pell", 88.5, 0))
    on = battle(*minis, notched("Hauler", 165.5, 0, base="100n"), two, hauler)
    seen = play(Move("Wardens", "embark", tool=1, vehicle="Haulers"), on, RRG2)
    assert seen.legal, codes_of(seen.findings)  # Fenn is 162 mm behind, and Pell stands where its leader ends
    assert [m.name for m in seen.battle.table.minis] == ["Hauler"]
    aboard = seen.battle
    return aboard.with_unit(aboard.unit("Haulers").after(defeated=defeated))


def test_who_embarks_leaves_the_table_from_where_it_stands() -> None:
    squad_aboard()
    on = battle(*riders(0.0).table.minis, trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")),
                riders(0.0).units[1])  # fmt: skip
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers", followers=(Follower("Fenn", (70.0, 0.0)),))
    assert "place nobody on the table" in str(refused(board, on))


@pytest.mark.parametrize("kind", ["disembark", "bail out"])
def test_whoever_leaves_a_vehicle_is_set_down_with_everybody(kind: str) -> None:
    on = squad_aboard(defeated=kind == "bail out")
    leave = Move("Wardens", kind, begin=(102.0, 0.0), start_deg=180 if kind == "disembark" else None)
    (told,) = play(leave, on, RRG2).findings
    assert told.code == "FOLLOWER_NO_PLACE"
    assert told.message.startswith("no place was told for Fenn and Pell: ")
    seen = play(replace(leave, gather=True), on, RRG2)
    assert seen.legal, codes_of(seen.findings)
    assert [m.name for m in seen.battle.table.minis] == ["Hauler", "Oda", "Fenn", "Pell"]
    assert seen.battle.unit("Wardens").carried == ()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Move("Wardens", displaced=(Follower("Fen", (0, 0)),)), "displace: no mini is called 'Fen'; there are: Oda"),
        (Move("Wardens", to=(50, 0)), "to means nothing for 'standard'; it belongs to: climb, clamber"),
        (Move("Wardens", vehicle="Wardens"), "vehicle means nothing for 'standard'; it belongs to: embark, disembark"),
        (Move("Wardens", begin=(0, 0)), "begin means nothing for 'standard'; it belongs to: disembark, bail out"),
        (Move("Wardens", turn_deg=30.0), "without a pivot: say when it is made (reposition)"),
        (Move("Wardens", "climb", turn_deg=30.0), "turn_deg means nothing for 'climb'; it belongs to: pivot"),
        (Move("Wardens", dice=("block",)), "dice means nothing for 'standard'; it belongs to: clamber"),
        (Move("Wardens", "climb", dice=("block",)), "dice means nothing for 'climb'; it belongs to: clamber"),
        (Move("Wardens", up=False), "way means nothing for 'standard'; it belongs to: climb, clamber"),
        (Move("Wardens", "pivot", tool=1), "tool means nothing for 'pivot'; it belongs to: standard, reverse"),
        (
            Move("Wardens", "climb", start_deg=9.0),
            "start_deg means nothing for 'climb'; it belongs to: standard, reverse, strafe left, strafe right, embark, "
            "disembark. Of 'climb': it takes way, to, level, end_turn, place, gather, seed, melee, end_at, "
            "displacer, free",
        ),
        (Move("Wardens", "aim", to=(9.0, 0.0)), "it belongs to: climb, clamber. Of 'aim': it takes free"),
        (Move("Wardens", "deploy", bend_deg=9.0), "bend_deg means nothing for 'deploy'"),
        (Move("Wardens", "climb", travel_mm=9.0), "travel_mm means nothing for 'climb'"),
        (Move("Wardens", "pivot", direct=True), "direct means nothing for 'pivot'"),
        (Move("Wardens", end_turn=1e6), "end_turn is 1000000.0; it takes -3600 to 3600 degrees"),
        (Move("Wardens", "pivot", turn_deg=-3601.0), "turn_deg is -3601.0; it takes -3600 to 3600 degrees"),
        (Move("Wardens", "pivot", turn_deg=9.0, end_turn=9.0), "end_turn means nothing for a pivot of 'Oda'"),
        (Move("Wardens", "deploy", displacer="red"), "displacer means nothing for 'deploy'"),
        (Move("Wardens", "deploy", free=True), "free means nothing for 'deploy'"),
        (Move("Wardens", "aim", level=9.0), "level means nothing for 'aim'"),
        (Move("Wardens", "aim", gather=True, seed=1), "seed means nothing for 'aim'"),
        (Move("Wardens", "aim", melee="Wardens"), "melee means nothing for 'aim'"),
        (Move("Wardens", "embark", gather=True, vehicle="Wardens"), "place nobody on the table"),
    ],
)
def test_what_means_nothing_for_a_move_is_refused(wrong: Move, words: str) -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    assert words in str(refused(wrong, on))


def test_who_rolls_no_dice_is_told_none() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("expert climber",)), piece("crate", 53.5, 0))
    assert play(Move("Wardens", "clamber"), on, RRG2).legal
    assert "an expert climber rolls none" in str(refused(Move("Wardens", "clamber", dice=("block",)), on))


def test_a_unit_has_pushed_units_that_there_are() -> None:
    text = (MOVEMENT / "mv12-bites.toml").read_text(encoding="utf-8")
    pushed = text.replace('leader = "Oda"', 'leader = "Oda"\nstate = { pushed = ["Watch"] }')
    with pytest.raises(Refused, match="no unit is called 'Watch'; there are: Wardens, Scouts"):
        parse_scenario(pushed)


def test_a_mini_is_named_once_in_its_unit() -> None:
    with pytest.raises(Refused, match="'Oda' is named twice among its minis"):
        battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", minis=("Oda", "Oda")))


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
        assert fires("MOVE_UNSOUND", refused(wrong, on))
    assert silent("MOVE_UNSOUND", judged(Move("Wardens", tool=2), on))
    both = refused(Move("Wardens", tool=4, bend_deg=200, dice=("six",)), on)
    assert [f.code for f in both.report] == ["MOVE_UNSOUND"] * 4  # the speed, the bend, the face, that it rolls none


def test_a_unit_that_cannot_be() -> None:
    with pytest.raises(Refused) as caught:
        battle(unit("Wardens", "Oda", speed=4, keywords=("flies",)))
    assert fires("UNIT_UNSOUND", caught.value)
    assert len(caught.value.report) == 3  # the speed, the mini that is not on the table, the keyword
    assert silent(
        "UNIT_UNSOUND", judged(Move("Wardens"), battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", speed=3)))
    )
    with pytest.raises(Refused):
        battle(trooper("Oda", 0, 0), unit("A", "Oda"), unit("B", "Oda"))


def test_a_class_of_terrain_that_means_nothing() -> None:
    with pytest.raises(Refused) as caught:
        battle(piece("tile", 0, 0, trooper="dificult", walker="open"))
    assert fires("TERRAIN_CLASS_UNKNOWN", caught.value)
    assert len(caught.value.report) == 2
    on = battle(
        piece("tile", 0, 0, all="difficult, no end", hexes="swamp"), trooper("Oda", 0, 0), unit("Wardens", "Oda")
    )
    assert silent("TERRAIN_CLASS_UNKNOWN", judged(Move("Wardens"), on))


def test_a_battle_has_two_sides() -> None:
    minis = (trooper("Oda", 0, 0), trooper("Fenn", 60, 0), trooper("Bo", 120, 0))
    sides = {"Oda": "red", "Fenn": "rde", "Bo": "blue"}
    with pytest.raises(Refused) as caught:
        battle(*minis, *(unit(f"{name}s", name, side=side) for name, side in sides.items()))
    assert fires("UNIT_UNSOUND", caught.value)
    (fault,) = caught.value.report
    assert fault.message == "unit 'Bos': its side 'blue' is one too many beside red, rde: two players play"
    assert fault.pointer == "/unit/2/side"
    sides["Fenn"] = "red"
    assert battle(*minis, *(unit(f"{name}s", name, side=side) for name, side in sides.items())).units


def test_a_kind_of_token_that_means_nothing() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))

    def marked(kind: str) -> Battle:
        return replace(on, table=replace(on.table, tokens=(Token("relic", (60.0, 0.0), 25.0, kind),)))

    for kind in ("objectve", "Objective", "crate"):
        with pytest.raises(Refused) as caught:
            marked(kind)
        assert fires("TOKEN_KIND_UNKNOWN", caught.value)
        assert "objective, condition" in caught.value.report.findings[0].message
    end = Move("Wardens", tool=1, start_deg=0, travel_mm=60.0)
    kept_clear, free = ("objective", "condition", "asset", "poi", ""), ("order", "charge", "observation", "other")
    for kind, kept in ((kind, kind in kept_clear) for kind in (*kept_clear, *free)):
        told = judged(end, marked(kind))
        assert silent("TOKEN_KIND_UNKNOWN", told)
        assert fires("END_ON_TOKEN", told) if kept else silent("END_ON_TOKEN", told)


def test_a_done_action_is_remembered_and_a_free_one_is_not() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", state=State(done=("aim",))))
    assert play(Move("Wardens", tool=1), on, RRG2).battle.unit("Wardens").state.done == ("aim", "standard")
    assert play(Move("Wardens", tool=1, free=True), on, RRG2).battle.unit("Wardens").state.done == ("aim",)


# --- withdrawing, repositioning, transports ---------------------------------------------------------------------------


def test_a_withdrawal_is_all_that_a_unit_does() -> None:
    def engaged(**state: object) -> Battle:
        return battle(
            trooper("Oda", 0, 0),
            unit("Wardens", "Oda", keywords=("jump 1",), state=State(**state)),  # type: ignore[arg-type]
            trooper("Dorn", 27, 0),
            unit("Watch", "Dorn", side="blue"),
        )

    away = Move("Wardens", tool=1, start_deg=180, withdraw=True)
    assert silent("MOVE_WITHDRAWAL_NOT_ALONE", judged(away, engaged()))
    assert fires("MOVE_WITHDRAWAL_NOT_ALONE", judged(away, engaged(done=("aim",))))
    assert fires("MOVE_WITHDRAWAL_NOT_ALONE", judged(replace(away, free=True), engaged()))
    assert fires("MOVE_WITHDRAWAL_NOT_ALONE", judged(replace(away, jump=True), engaged()))
    after = play(away, engaged(), RRG2).battle
    for more in (Move("Wardens", "dodge"), Move("Wardens", tool=1, start_deg=180, free=True)):
        assert fires("MOVE_WITHDRAWAL_NOT_ALONE", judged(more, after))
    assert silent("MOVE_WITHDRAWAL_NOT_ALONE", judged(Move("Wardens", "deploy"), after))


def repositioning(*keywords: str, base: str = "50n") -> Battle:
    return battle(notched("Brann", 0, 0, base=base), unit("Riders", "Brann", type="ground", keywords=keywords))


def test_a_free_pivot_goes_before_or_after_a_standard_move() -> None:
    turns, plain = repositioning("reposition"), repositioning()
    before = Move("Riders", tool=1, reposition="before", turn_deg=90.0)
    out = play(before, turns, RRG2)
    assert silent("MOVE_REPOSITION", out.findings)
    assert (out.legal, out.made.end.turn) == (True, 90.0)
    assert out.made.end.at == (pytest.approx(0.0, abs=1e-9), pytest.approx(119.0))  # straight from the turned notch
    assert out.battle.unit("Riders").state.done == ("standard",)  # the pivot took no action
    after = play(replace(before, reposition="after"), turns, RRG2)
    assert (after.legal, after.made.end.at, after.made.end.turn) == (True, (pytest.approx(119.0), 0.0), 90.0)
    told = replace(before, reposition="after", end_turn=90.0)
    assert silent("MOVE_WRONG_FACING", judged(told, turns))
    assert fires("MOVE_WRONG_FACING", judged(replace(told, end_turn=0.0), turns))
    assert fires("MOVE_REPOSITION", judged(before, plain))
    assert fires("MOVE_REPOSITION", judged(replace(before, kind="reverse"), turns))
    assert fires("MOVE_REPOSITION", judged(before, repositioning("reposition", base="50")))
    assert fires("MOVE_PIVOT_TOO_FAR", judged(replace(before, turn_deg=90.1), turns))
    assert silent("MOVE_PIVOT_TOO_FAR", judged(before, turns))


def test_a_pivot_with_a_move_sweeps_what_a_pivot_sweeps() -> None:
    # a long base whose nose turns into a walker beside it
    on = battle(
        notched("Brann", 0, 0, base="100x175n"),
        unit("Riders", "Brann", type="ground", keywords=("reposition",)),
        notched("Grinder", 0, 100, base="70n"),
        unit("Grinders", "Grinder", type="ground", side="blue"),
    )
    assert silent("MOVE_MINI_IN_THE_WAY", judged(Move("Riders", tool=1), on))
    assert fires("MOVE_MINI_IN_THE_WAY", judged(Move("Riders", tool=1, reposition="before", turn_deg=-60.0), on))


def test_boarding_a_closed_transport_takes_both_actions() -> None:
    on = riders(0.0, cargo="closed transport")
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    assert silent("MOVE_ACTIONS_SPENT", judged(board, on))
    aimed = on.with_unit(on.unit("Wardens").after(done=("aim",)))
    assert fires("MOVE_ACTIONS_SPENT", judged(board, aimed))
    opened = riders(0.0).with_unit(riders(0.0).unit("Wardens").after(done=("aim",)))
    assert silent("MOVE_ACTIONS_SPENT", judged(board, opened))
    aboard = play(board, on, RRG2).battle
    assert aboard.unit("Wardens").state.extra == 1
    leave = Move("Wardens", "disembark", tool=1, begin=(165.5 - 63.5, 0.0), start_deg=180)
    assert fires("MOVE_ACTIONS_SPENT", judged(leave, aboard))
    assert fires("MOVE_UNSOUND", refused(Move("Wardens", "aim"), aboard))  # who is aboard does nothing there


def test_leaving_a_transport_that_has_gone_far_takes_both_actions() -> None:
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    aboard = play(board, riders(0.0), RRG2).battle
    aboard = aboard.with_unit(aboard.unit("Wardens").after(done=("aim",)))
    leave = Move("Wardens", "disembark", tool=1, begin=(165.5 - 63.5, 0.0), start_deg=180)
    for done, spent in ((("standard", "pivot"), False), (("standard", "reverse"), True)):
        gone = aboard.with_unit(aboard.unit("Haulers").after(done=done))
        assert ("MOVE_ACTIONS_SPENT" in codes_of(judged(leave, gone))) is spent
    fresh = aboard.with_unit(aboard.unit("Wardens").after(done=()))
    gone = fresh.with_unit(fresh.unit("Haulers").after(done=("standard", "reverse")))
    out = play(leave, gone, RRG2)
    assert out.legal
    assert fires("MOVE_ACTIONS_SPENT", judged(Move("Wardens", "aim"), out.battle))


def test_a_light_transport_carries_one_small_base() -> None:
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    assert silent("EMBARK_NOT_FOR_UNIT", judged(board, riders(0.0, cargo="light transport")))
    on = riders(0.0, cargo="light transport")
    two = battle(*on.table.minis, trooper("Fenn", 0, 40), unit("Wardens", "Oda", minis=("Oda", "Fenn")), on.units[1])
    assert fires("EMBARK_NOT_FOR_UNIT", judged(board, two))
    other = play(board, riders(0.0), RRG2).battle
    full = battle(*other.table.minis, trooper("Fenn", 0, 0), *other.units, unit("Scouts", "Fenn"))
    assert fires("EMBARK_NOT_FOR_UNIT", judged(replace(board, unit="Scouts"), full))


def test_who_gets_out_of_a_wreck_is_hurt() -> None:
    board = Move("Wardens", "embark", tool=1, vehicle="Haulers")
    out = Move("Wardens", "bail out", begin=(102.0, 0.0))
    for cargo, wounds in (("transport", 2), ("closed transport", 1), ("light transport", 1)):
        whole = play(board, riders(0.0, cargo=cargo), RRG2).battle
        assert fires("EMBARK_NOT_FOR_UNIT", judged(out, whole))  # it is not destroyed
        wreck = whole.with_unit(whole.unit("Haulers").after(defeated=True))
        hurt = play(out, wreck, RRG2)
        assert fires("PASSENGERS_HURT", hurt.events)
        assert (hurt.legal, hurt.wounds, hurt.suppressed) == (True, wounds, ("Wardens",))
        state = hurt.battle.unit("Wardens").state
        assert (state.aboard, state.wounds, state.suppression, state.done) == ("", wounds, 1, ("embark",))
        assert fires("EMBARK_NOT_IN_CONTACT", judged(replace(out, begin=(101.9, 0.0)), wreck))
    assert silent("PASSENGERS_HURT", play(board, riders(0.0), RRG2).events)
    assert fires("MOVE_UNSOUND", refused(out, riders(0.0)))  # aboard of nothing
