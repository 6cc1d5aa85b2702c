"""Which floor: cuts and decks, rims and gaps, and where nothing is below."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sim3d.finding import Refused
from sim3d.mini import Mini
from sim3d.report.moving import outcome_data
from sim3d.rules.legion import RRG2, Battle, Follower, Move, judge, play
from sim3d.rules.legion.battle import feet_mm
from sim3d.rules.legion.standing import exact, searching, words
from sim3d.stand import Stand, stand
from sim3d.table import Piece, Table
from tests.codes import codes_of, fires, silent
from tests.legion import battle, block, joined, judged, notched, piece, trooper, unit

# --- cuts -------------------------------------------------------------------------------------------------------------


def test_a_cut_takes_nobody_through_a_deck() -> None:
    oda, lake = trooper("Oda", 0, 0), joined("lake", ((60.0, -100.0, 0.0), (300.0, 100.0, 1.0)), all="impassable")
    bridge, pier = block("bridge", (60.0, -60.0, 50.0), (300.0, 60.0, 52.0)), block("pier", (-60, -60, 0), (60, 60, 20))
    walks, below = Move("Wardens", tool=1), replace(Move("Wardens", tool=1), level=45.0)
    on = battle(bridge, oda, unit("Wardens", "Oda"))
    assert play(walks, on, RRG2).legal  # under it
    assert play(below, on, RRG2).legal
    for onto in (replace(walks, level=1000.0), Move("Wardens", level=1000.0, compulsory=True)):
        (told,) = judged(onto, on)[:1]
        assert told.code == "MOVE_OTHER_FLOOR"
        assert told.message == "it is put on a floor 52.0 mm high, and its way leads to one at 0.0"
    on = battle(bridge, pier, lake, oda, unit("Wardens", "Oda"))
    assert play(walks, on, RRG2).legal  # up onto it, over the lake
    assert codes_of(judged(below, on)) == ("MOVE_OTHER_FLOOR", "MOVE_THROUGH_IMPASSABLE")


def test_who_goes_over_terrain_keeps_below_a_deck_but_comes_through_no_roof() -> None:
    bike, riders = notched("Bike", 0, 0), unit("Riders", "Bike", type="repulsor", speed=1, keywords=("speeder 1",))
    deck, walls = ((60.0, -60.0, 90.0), (250.0, 60.0, 92.0)), ((60.0, -60.0, 0.0), (62.0, 60.0, 90.0))
    on, under = Move("Riders"), Move("Riders", level=89.0)
    for boxes, legal in (((deck,), True), ((deck, walls), False)):
        house = battle(joined("house", *boxes), bike, riders)
        assert play(on, house, RRG2).legal  # onto it
        told = judged(under, house)
        assert silent("MOVE_OTHER_FLOOR", told) if legal else fires("MOVE_OTHER_FLOOR", told)
        assert play(under, house, RRG2).legal is legal


def test_every_cut_between_two_floors_says_the_same() -> None:
    oda, jumpers = trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("jump 1",))
    jump = Move("Wardens", tool=2, jump=True)
    for wall, deck, cuts, told in (
        (60.0, (70.0, 130.0), (10.0, 59.0, 61.0, 129.0), ()),  # over a wall, and down in front of a deck
        (140.0, (84.0, 130.0), (10.0, 129.0), ()),  # from higher than the deck
        (140.0, (60.0, 130.0), (10.0, 129.0), ("MOVE_OTHER_FLOOR",)),  # a base has no room to come down
        (60.0, (70.0, 200.0), (10.0, 199.0), ()),
        (60.0, (70.0, 200.0), (203.0, 1000.0), ("MOVE_OTHER_FLOOR",)),  # higher than it jumps
    ):
        boxes = ((40.0, -60.0, 0.0), (44.0, 60.0, wall)), ((deck[0], -60.0, deck[1]), (300.0, 60.0, deck[1] + 2))
        on = battle(joined("house", *boxes), oda, jumpers)
        for cut in cuts:
            assert codes_of(judged(replace(jump, level=cut), on)) == told, (wall, deck, cut)


def test_a_cut_that_takes_nobody_elsewhere_is_as_none() -> None:
    oda, walks = trooper("Oda", 0, 0), Move("Wardens", tool=2)
    on = battle(block("roof", (-100.0, -60.0, 0.0), (60.0, 60.0, 60.0)), oda, unit("Wardens", "Oda"))
    for cut in (None, 61.0, 1000.0):
        assert codes_of(judged(replace(walks, travel_mm=70.0, level=cut), on)) == ("END_DOES_NOT_STAND",)
    on = battle(piece("ramp-20", 75.0, 0.0), oda, unit("Wardens", "Oda"))
    end = play(replace(walks, travel_mm=75.0), on, RRG2)
    (stand,) = end.made.stands
    assert end.legal
    assert stand.pose is not None
    assert play(replace(walks, travel_mm=75.0, level=stand.pose.place[2]), on, RRG2).legal  # through what carries it


# --- over edges and gaps ----------------------------------------------------------------------------------------------


def test_a_notch_over_an_edge_carries_nobody_down_from_it() -> None:
    roof, walker = block("roof", (-100.0, -60.0, 0.0), (100.0, 60.0, 60.0)), notched("Bike", 60, 0)
    on = battle(roof, walker, unit("Riders", "Bike", type="ground"))
    for off in (0.1, 1.1):  # beside the notch its rim is 1.15 mm farther in than it goes between
        (told,) = judged(Move("Riders", travel_mm=65.0 - off), on)
        assert told.code == "MOVE_DROP_TOO_DEEP"
        assert told.message == "it goes 60.0 mm down at once, 22.5 is its step"
    assert codes_of(judged(Move("Riders", travel_mm=63.7), on)) == ("STAND_UNDECIDED",)  # its rim would lean there
    step = block("step", (-100.0, -60.0, 0.0), (100.0, 60.0, 22.5))
    low = battle(step, walker, unit("Riders", "Bike", type="ground"))
    assert play(Move("Riders", travel_mm=64.9), low, RRG2).legal
    end = play(Move("Riders", compulsory=True), on, RRG2)
    assert end.legal
    assert end.made.stands[0].pose is not None
    assert end.made.stands[0].pose.place[2] == pytest.approx(60.0, abs=0.01)


def test_whoever_stands_over_a_gap_is_asked_about_once_and_anew_on_other_terrain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def counted(table: Table, mini: Mini, **told: Any) -> Stand:
        asked.append(max(p.vertices()[:, 2].max() for p in table.pieces))
        return stand(table, mini, **told)

    monkeypatch.setattr("sim3d.rules.legion.standing.stand", counted)
    for high in (30.0, 20.0):
        sides = [block(name, (x, -50, 0), (x + 60, 50, high)) for name, x in (("west", -68.0), ("east", 8.0))]
        table = battle(*sides, trooper("Oda", 0, 0)).table
        assert [feet_mm(table, table.mini("Oda")) for _ in range(3)] == [pytest.approx(high)] * 3
        (told,) = searching(exact)(replace(table, minis=()), table.minis)  # whether it stands is known by then
        assert told.answer == "stable"
    assert asked == [30.0, 20.0]


def test_what_is_recalled_is_of_that_table_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    # the same pieces, and a table that ends beside the mini: 20 mm in all directions from its middle, then 10
    sides = [block(name, (x, -50, 0), (x + 60, 50, 30)) for name, x in (("west", -68.0), ("east", 8.0))]
    table = replace(battle(*sides, trooper("Oda", 0, 0)).table, minis=())
    oda = trooper("Oda", 0, 0)
    for side, word in ((40.0, "stable"), (20.0, "off-table"), (40.0, "stable")):
        assert [s.answer for s in words(replace(table, size_mm=(side, side)), [oda, oda])] == [word, word]


# --- where nothing is below -------------------------------------------------------------------------------------------


def test_where_a_table_has_no_floor_nobody_hears_of_infinities() -> None:
    # a roof 60 mm high, 120 wide, and nothing around it; data for programs take no infinite number
    def heard(kind: str = "standard", at: float = 0.0, *more: Piece, **told: object) -> list[str]:
        roof = block("roof", (-60, -60, 0), (60, 60, 60))
        on = battle(roof, *more, trooper("Oda", at, 0), trooper("Fenn", -30, 0), wardens)
        bare = Battle(replace(on.table, floor_mm=None), on.units)
        seen = play(Move("Wardens", kind=kind, **told), bare, RRG2)  # type: ignore[arg-type]
        json.dumps(outcome_data(seen), allow_nan=False)
        return [f"{f.code}: {f.message}" for f in seen.findings]

    wardens = unit("Wardens", "Oda", minis=("Oda", "Fenn"))
    off = (Follower("Fenn", (80.0, 0.0)),)
    assert "MOVE_DROP_TOO_DEEP: it goes where there is nothing below it, 40.0 is its step" in heard(start_deg=0)
    assert "FOLLOWER_OTHER_LEVEL: Fenn is on no level: nothing is under it" in heard(travel_mm=10.0, followers=off)
    for shade in ((), (block("shade", (60, -60, 120), (120, 60, 125)),)):  # something hangs over where nothing is
        assert "CLIMB_NO_ROOM: there is no room to stand below" in heard("climb", 46.5, *shade, up=False)
    for kind in ("standard", "pivot", "climb"):
        with pytest.raises(Refused, match="nothing that could carry 'Oda' is under its base"):
            heard(kind, at=200.0)
    assert heard("aim", at=200.0) == []


def test_a_cut_below_the_floor_is_told_in_words() -> None:
    alone, two = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda")), unit("Wardens", "Oda", minis=("Oda", "Fenn"))
    for on in (alone, battle(trooper("Oda", 0, 0), trooper("Fenn", -30, 0), two)):
        said = judge(Move("Wardens", start_deg=0, level=-1.0), on, RRG2)
        assert "Oda does not stand there, it falls: there is nothing under its base." in [f.message for f in said]
        assert "inf" not in " ".join(f.message for f in said)
    sunk = battle(replace(trooper("Oda", 0, 0), level=-1.0), unit("Wardens", "Oda"))
    with pytest.raises(Refused, match="nothing that could carry 'Oda' is under its base"):
        judge(Move("Wardens", start_deg=0), sunk, RRG2)


# --- over heads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tall", "passes"), [(59.9, True), (60.0, True), (60.2, False)])
def test_over_a_head_that_is_as_high_as_the_roof_there_is_a_way(tall: float, passes: bool) -> None:
    # along the edge of a roof of 60 mm, 9 mm over a walker that stands at its wall
    walker = (notched("Tank", -25.1, 0, turn=90, height=tall), unit("Walkers", "Tank", side="red", type="ground"))
    on = battle(piece("crate", 80, 0, scale=2.0), trooper("Oda", 4.5, -60), unit("Wardens", "Oda", speed=1), *walker)
    seen = play(Move("Wardens", start_deg=90, travel_mm=100), on, RRG2)
    assert (silent if passes else fires)("MOVE_MINI_IN_THE_WAY", seen.findings)
