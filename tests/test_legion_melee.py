"""Melees: who enters one, by whom and with what, and who joins it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim3d.finding import Refused
from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Move, play
from sim3d.rules.legion.battle import engaged_with, touching
from sim3d.table import Placed
from tests.codes import fires, silent
from tests.legion import battle, judged, notched, trooper, unit


def test_without_a_melee_weapon_nobody_touches_another_mini_of_that_unit() -> None:
    things = (notched("Tank", 0, 0), trooper("Ann", -38.5, 0), trooper("Bo", 97.5, 0))
    squad = unit("Squad", "Ann", side="blue", minis=("Ann", "Bo"))
    bare, armed = (unit("Walkers", "Tank", type="ground", melee=melee) for melee in (False, True))
    into, short = (Move("Walkers", tool=1, travel_mm=travel) for travel in (59.0, 58.9))
    assert fires("END_TOUCHES_ENEMY", judged(into, battle(*things, squad, bare)))
    assert play(short, battle(*things, squad, bare), RRG2).legal
    assert play(into, battle(*things, squad, armed), RRG2).legal
    turn = Move("Walkers", kind="pivot", turn_deg=20)  # still in contact with whom it touched
    assert play(turn, battle(*things, squad, bare), RRG2).legal


def test_nobody_enters_a_melee_with_its_own_side() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), trooper("Pell", 90, 0), unit("Scouts", "Pell"))
    with pytest.raises(Refused, match="'Scouts' is on the side of 'Wardens'"):
        judged(Move("Wardens", tool=1, melee="Scouts"), on)


def test_who_says_that_it_enters_a_melee_gets_there() -> None:
    on = battle(trooper("Oda", 0, 0), trooper("Bo", 87, 0), unit("Wardens", "Oda", melee=True),
                unit("Squad", "Bo", side="blue"))  # fmt: skip
    into = Move("Wardens", tool=1, start_deg=0, travel_mm=60.0, melee="Squad")
    assert play(into, on, RRG2).legal
    short = judged(replace(into, travel_mm=59.9), on)
    assert fires("MELEE_NOT_REACHED", short)
    assert short[0].message == "Wardens enters no melee with Squad: none of its minis comes into contact"
    assert play(replace(into, travel_mm=59.9, melee=""), on, RRG2).legal
    bare = on.with_unit(unit("Wardens", "Oda"))  # without a melee weapon it does not even get there
    assert fires("END_TOUCHES_ENEMY", judged(into, bare))
    assert silent("MELEE_NOT_REACHED", judged(into, bare))
    (told,) = judged(replace(into, melee=""), on)
    assert told.message == "Oda comes into contact with Bo of Squad, whose melee its unit does not enter"
    held = battle(*on.table.minis, trooper("Cy", -27, 0), *on.units, unit("Guard", "Cy", side="blue"))
    (told,) = judged(replace(into, withdraw=True), held)
    assert told.message == "Oda comes into contact with Bo of Squad, and who withdraws enters no melee"
    bike = battle(notched("Bike", 0, 0), unit("Riders", "Bike", type="repulsor", speed=1, keywords=("speeder 1",)),
                  trooper("Bo", 300, 0), unit("Squad", "Bo", side="blue"))  # fmt: skip
    assert play(Move("Riders", compulsory=True, melee="Squad"), bike, RRG2).legal


@pytest.mark.parametrize("base", ["27", "60x35"])
def test_whoever_has_a_place_found_joins_the_melee_that_its_leader_enters(base: str) -> None:
    squad = [trooper("Oda", 0, 0)] + [Placed(f"Fenn {i}", Mini("27"), (-30.0, 30.0 * i)) for i in range(3)]
    on = battle(*squad, Placed("Bo", Mini(base), (60 + 13.53 + Mini(base).base.outline.length_mm / 2, 0)),
                unit("Wardens", "Oda", minis=tuple(m.name for m in squad), melee=True),
                unit("Squad", "Bo", side="blue"))  # fmt: skip
    into = Move("Wardens", tool=1, start_deg=0, travel_mm=60.0, gather=True)

    def fighting(move: Move) -> int:
        seen = play(move, on, RRG2)
        assert seen.legal, seen.findings
        there = seen.battle.table
        return sum(touching(there, there.mini(m.name), there.mini("Bo"), RRG2) for m in squad)

    assert fighting(replace(into, melee="Squad")) == 4
    assert fighting(replace(into, travel_mm=59.0)) == 0


@pytest.mark.parametrize("turn", [0.0, 45.0, 90.0])
def test_who_has_a_notched_base_joins_a_melee_however_it_was_turned(turn: float) -> None:
    # 175 mm long, 100 wide: where it touches hangs on how it is put down, which is as its leader faces
    minis = (notched("Oda", 0, 0, base="100x175n"), notched("Fenn", -60, 195, base="100x175n", turn=turn))
    on = battle(*minis, trooper("Bo", 60 + 87.53 + 13.5, 0), unit("Squad", "Bo", side="blue"),
                unit("Beasts", "Oda", minis=("Oda", "Fenn"), type="creature", melee=True))  # fmt: skip
    seen = play(Move("Beasts", tool=1, start_deg=0, travel_mm=60.0, gather=True, melee="Squad"), on, RRG2)
    assert seen.legal, seen.findings
    there = seen.battle.table
    assert touching(there, there.mini("Fenn"), there.mini("Bo"), RRG2)


# --- withdrawing, and what is left of a unit --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["reverse", "pivot", "climb", "clamber"])
def test_a_withdrawal_is_a_standard_move(kind: str) -> None:
    things = (notched("Beast", 0, 0), trooper("Foe", 38.5, 0), unit("Foes", "Foe", side="blue"))
    on = battle(*things, unit("Beasts", "Beast", type="creature"))
    dice = ("block",) if kind == "clamber" else ()
    away = Move("Beasts", kind=kind, turn_deg=45 if kind == "pivot" else 0, withdraw=True, dice=dice)
    assert fires("MOVE_NOT_STANDARD", judged(away, on))
    assert silent("MOVE_NOT_STANDARD", judged(Move("Beasts", tool=1, withdraw=True), on))


def test_a_withdrawal_leaves_whom_it_touches() -> None:
    foe = (trooper("Foe", 27, 0), unit("Foes", "Foe", side="blue"))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), *foe)
    stays, goes = (Move("Wardens", tool=1, start_deg=180, travel_mm=mm, withdraw=True) for mm in (0.03, 0.1))
    heard = judged(stays, on)
    assert "from which it withdraws" in heard[0].message
    assert silent("END_TOUCHES_ENEMY", judged(goes, on))
    alone = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    assert fires("MOVE_WITHDRAWAL_NOT_ALONE", judged(goes, alone))
    assert silent("MOVE_WITHDRAWAL_NOT_ALONE", judged(goes, on))


def test_what_is_left_of_a_defeated_unit_is_in_the_way_and_no_enemy() -> None:
    on = battle(trooper("Oda", 0, 0), trooper("Bo", 27, 0), unit("Wardens", "Oda", melee=True),
                unit("Squad", "Bo", side="blue"))  # fmt: skip
    gone = on.with_unit(on.unit("Squad").after(defeated=True))
    assert engaged_with(on, on.unit("Wardens"), RRG2) == ("Squad",)
    assert engaged_with(gone, gone.unit("Wardens"), RRG2) == ()
    away = Move("Wardens", tool=1, start_deg=180)
    assert fires("MOVE_ENGAGED", judged(away, on))
    assert play(away, gone, RRG2).legal
    assert fires("MOVE_MINI_IN_THE_WAY", judged(replace(away, start_deg=0), gone))
    apart = battle(trooper("Oda", 0, 0), trooper("Bo", 47, 0), *on.units)
    touch = Move("Wardens", tool=1, start_deg=0, travel_mm=20.0)
    assert fires("END_TOUCHES_ENEMY", judged(touch, apart))
    apart = apart.with_unit(gone.unit("Squad"))
    assert play(touch, apart, RRG2).legal
    with pytest.raises(Refused, match="is defeated; there is no melee to enter"):
        play(replace(touch, melee="Squad"), apart, RRG2)
