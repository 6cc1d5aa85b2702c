"""Moves at the edges of what rules say: marshes that one tool reaches, rims, low parts of high pieces, who is met."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim3d.finding import Refused
from sim3d.mini import Mini
from sim3d.report.moving import outcome_data
from sim3d.rules.legion import RRG2, Battle, Follower, Move, Outcome, State, Unit, bare, judge, play
from sim3d.rules.legion.battle import engaged_with, feet_mm
from sim3d.rules.legion.reach import reach
from sim3d.rules.legion.standing import exact, searching, words
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.stand import Stand, stand
from sim3d.table import Piece, Placed, Table, Token
from tests.codes import codes_of, fires, silent
from tests.legion import battle, block, judged, mesh, notched, piece, trooper, unit

Corners = tuple[tuple[float, float, float], tuple[float, float, float]]


def skimmer(*things: object, speed: int = 1, x: float = 0.0, **more: object) -> Battle:
    mini = Placed("Skim", Mini("100n", height=60, com=24), (x, 0.0))
    told: dict[str, object] = {"minis": ("Skim",), **more}
    return battle(*things, mini, Unit("Skimmers", "red", "repulsor", speed, "Skim", **told), size=(900.0, 900.0))  # type: ignore[arg-type]


def compelled(on: Battle, **told: object) -> Outcome:
    return play(Move("Skimmers", compulsory=True, **told), on, RRG2)  # type: ignore[arg-type]


# --- compulsory moves -------------------------------------------------------------------------------------------------


def test_a_marsh_that_only_the_faster_tool_reaches_makes_the_slower_one_due() -> None:
    # a full move at speed 2 ends at 219 with its rim at 269; at speed 1 the rim comes to 219
    on = skimmer(piece("tile", 340, 0, all="difficult"), speed=2)
    for told in ({}, {"tool": 1}):
        seen = compelled(on, **told)
        assert seen.legal, codes_of(seen.findings)
        assert seen.made.end.at[0] == pytest.approx(169, abs=0.01)
        assert seen.wounds == 0
        assert "CM02" in seen.rules
    assert codes_of(compelled(on, tool=2).findings) == ("MOVE_TOOL_TOO_FAST",)


def test_a_slower_tool_than_is_due_is_refused() -> None:
    assert "COMPULSORY_NOT_AS_FAR" in codes_of(compelled(skimmer(speed=2), tool=1).findings)


@pytest.mark.parametrize("rim", [100.7, 101.3, 101.9])
def test_it_goes_to_the_rim_of_impassable_ground(rim: float) -> None:
    on = skimmer(piece("tile", rim + 50 + 100, 0, all="impassable"))
    seen = compelled(on)
    assert seen.legal, codes_of(seen.findings)
    assert seen.made.end.at[0] == pytest.approx(rim, abs=0.1)
    assert seen.wounds == 1
    for told, fine in ((rim, True), (rim - 0.06, True), (rim - 0.3, False)):
        assert compelled(on, travel_mm=told).legal == fine


def test_what_stops_it_before_the_edge_is_the_reason() -> None:
    seen = compelled(skimmer(piece("crate", 660, 0, scale=6.5), x=300))  # its wall at 400, the table's edge at 450
    assert seen.legal, codes_of(seen.findings)
    assert seen.made.end.at[0] == pytest.approx(350, abs=0.1)
    assert seen.rules == ("CM01", "CM03", "CM04", "CM09")
    assert "(crate stops it)" in seen.events[-1].message


def test_wounds_count_the_speed_that_spurring_gives() -> None:
    spurred = skimmer(piece("crate", 460, 0, scale=8.0), speed=2, state=State(spurred=True))
    assert compelled(spurred).wounds == 3
    slowed = skimmer(piece("crate", 460, 0, scale=8.0), speed=2, state=State(spurred=True, immobilized=1))
    assert compelled(slowed).wounds == 3  # lowered, it still counts as a move at maximum speed


@pytest.mark.parametrize("kind", ["reverse", "pivot", "aim"])
def test_a_compulsory_move_is_a_standard_one(kind: str) -> None:
    turned = {"turn_deg": 30.0} if kind == "pivot" else {}
    seen = compelled(skimmer(keywords=("hover ground",)), kind=kind, **turned)
    assert fires("MOVE_NOT_STANDARD", seen.findings)
    assert seen.rules == ("CM01", "MV16")


# --- a piece is as high as the part that is moved to ------------------------------------------------------------------


def joined(name: str, *boxes: Corners, **classes: str) -> Piece:
    """One piece of terrain of several blocks, each from a corner to the opposite one."""
    meshes = [box(*corners) for corners in boxes]
    counts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    points = np.concatenate([points for points, _ in meshes])
    faces = np.concatenate([faces + n for (_, faces), n in zip(meshes, counts, strict=False)])
    return Piece(name, Solid.of(points, faces), Pose.at(0, 0), classes=classes)


LOW_ROOF = ((180.0, -200.0, 0.0), (300.0, 200.0, 140.0))
TOWER = ((300.0, -200.0, 0.0), (400.0, 200.0, 300.0))
SLAB = ((80.0, -100.0, 0.0), (250.0, 400.0, 20.0))


def test_it_shifts_from_a_low_roof_with_a_tower_far_behind() -> None:
    seen = compelled(skimmer(joined("house", LOW_ROOF, TOWER), keywords=("speeder 1",)))
    assert seen.legal, codes_of(seen.findings)
    assert seen.made.end.at[0] == pytest.approx(130, abs=0.1)
    assert seen.wounds == 0
    assert "CM08" in seen.rules


@pytest.mark.parametrize(("off", "passes"), [(150.0, True), (50.1, True), (49.0, False)])
def test_a_slab_is_passed_over_where_its_mast_is_not_in_the_way(off: float, passes: bool) -> None:
    mast = ((150.0, off, 0.0), (160.0, off + 10, 300.0))
    on = skimmer(joined("slab", SLAB, mast, all="impassable"), speed=2, keywords=("speeder 1",))
    seen = play(Move("Skimmers", tool=2), on, RRG2)
    assert seen.legal == passes, codes_of(seen.findings)
    assert (compelled(on).wounds == 0) == passes
    flat = skimmer(joined("slab", SLAB, mast, all="impassable"), speed=2)
    assert "CL04" in play(Move("Skimmers", tool=2), flat, RRG2).rules  # nothing lets it ignore the slab


def test_a_low_part_of_a_marsh_slows_nobody_who_ignores_it() -> None:
    mast = ((150.0, 150.0, 0.0), (160.0, 160.0, 300.0))
    on = skimmer(joined("marsh", SLAB, mast, all="difficult"), speed=2, keywords=("speeder 1",))
    assert play(Move("Skimmers", tool=2), on, RRG2).legal


def test_a_mini_follows_over_the_low_part() -> None:
    wall = joined("wall", ((100.0, -100.0, 0.0), (110.0, 100.0, 20.0)), ((100.0, 300.0, 0.0), (110.0, 310.0, 300.0)),
                  all="impassable")  # fmt: skip
    things = (wall, notched("Skim", 0, 0), notched("Swift", -60, 0))
    fleet = unit("Fleet", "Skim", type="repulsor", minis=("Skim", "Swift"), keywords=("speeder 1",))
    behind = Move("Fleet", tool=1, travel_mm=65, followers=(Follower("Swift", (145.0, 0.0)),))
    seen = play(behind, battle(*things, fleet), RRG2)
    assert seen.legal, [f.message for f in seen.findings]


def test_reach_agrees_with_moves_over_a_low_part() -> None:
    mast = ((150.0, 150.0, 0.0), (160.0, 160.0, 300.0))
    disc = Placed("Disc", Mini("50", height=45, com=15), (0.0, 0.0))
    fleet = unit("Fleet", "Disc", type="repulsor", keywords=("speeder 1",))
    on = battle(joined("slab", SLAB, mast, all="impassable"), disc, fleet)
    seen = reach(on, "Fleet", RRG2, pitch_mm=60.0)
    there = {(p.x, p.y) for p in seen.region}
    assert {(120.0, 0.0), (120.0, -60.0)} <= there


# --- minis that are gathered ------------------------------------------------------------------------------------------


def hemmed(word: str) -> Battle:
    """A leader goes to 143, three skiffs about its end; beyond it, from 158 on, such ground."""
    skiffs = [notched(f"Skiff-{k}", x, y) for k, (x, y) in enumerate(((129, 45), (129, -45), (100, 0)))]
    crews = [unit(f"Crew-{k}", skiff.name, type="repulsor") for k, skiff in enumerate(skiffs)]
    wardens = (trooper("Oda", 0, 0), trooper("Fenn", 30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    return battle(piece("tile", 258, 0, all=word), *skiffs, *crews, *wardens)


@pytest.mark.parametrize("word", ["open,_no_end", "difficult"])
def test_gathered_minis_keep_off_ground_that_forbids_the_move(word: str) -> None:
    on = hemmed(word)
    go = Move("Wardens", tool=2, travel_mm=143, start_deg=0)
    seen = play(replace(go, gather=True), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    again = replace(go, followers=(Follower.of(seen.made.ends[1]),))
    assert play(again, on, RRG2).legal  # written down, it is the same move
    there = replace(go, followers=(Follower("Fenn", (172.0, 0.0)),))
    assert not play(there, on, RRG2).legal


def test_whoever_is_gathered_does_not_end_where_it_was() -> None:
    on = battle(
        piece("tile", 0, -160, trooper="open,_no_end"), trooper("Oda", 0, 0), trooper("Fenn", 0, -75),
        unit("Wardens", "Oda", minis=("Oda", "Fenn")),
    )  # fmt: skip
    seen = play(Move("Wardens", tool=2, start_deg=0, gather=True), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]


def test_a_compulsory_move_ends_where_its_minis_may() -> None:
    def corridor(word: str) -> Outcome:
        lake = joined("lake", ((24.5, -100.0, 0.0), (260.0, 100.0, 3.0)), all=word)
        minis = [notched(name, x, 0) for name, x in (("Skim", -170), ("Swift", -222), ("East", -60), ("West", -115))]
        skimmers = Unit("Skimmers", "red", "repulsor", 2, "Skim", ("Skim", "Swift"))
        guns = Unit("Guns", "blue", "emplacement", 1, "East", ("East", "West"))
        on = battle(lake, *minis, skimmers, guns, size=(520.0, 52.0))
        return compelled(on)

    free, agreed, slow = corridor("open"), corridor("open, no end"), corridor("difficult")
    assert (free.legal, free.wounds) == (True, 0)
    assert (agreed.legal, agreed.wounds) == (True, 2)
    assert slow.legal, [f.message for f in slow.findings]


def test_a_search_that_finds_nothing_says_so() -> None:
    mates = [trooper(f"W-{k}", -90 - 28 * k, 0) for k in range(20)]
    wardens = unit("Wardens", "Oda", minis=("Oda", *(mate.name for mate in mates)))
    on = battle(piece("crate", 0, 0), trooper("Oda", -53.5, 0), *mates, wardens, size=(210.0, 40.0))
    seen = play(Move("Wardens", tool=1, start_deg=180, travel_mm=20, gather=True), on, RRG2)
    assert codes_of(seen.findings) == ("FOLLOWER_NO_PLACE",)
    assert fires("FOLLOWER_NO_PLACE", seen.findings)
    assert set(seen.rules) == {"CO01", "MV06"}
    alone = play(Move("Wardens", tool=1, start_deg=180, travel_mm=20), on, RRG2)
    assert silent("FOLLOWER_NO_PLACE", alone.findings)


# --- contact, levels, the edge ----------------------------------------------------------------------------------------


def test_no_way_of_cohesion_leads_through_an_enemy_vehicle() -> None:
    things = (trooper("Oda", -20, 0), trooper("Fenn", -60, 0), notched("Tank", 38.5, 0))
    on = battle(*things, unit("Wardens", "Oda", minis=("Oda", "Fenn"), melee=True),
                unit("Walkers", "Tank", side="blue", type="ground"))  # fmt: skip
    go = Move("Wardens", tool=1, start_deg=0, travel_mm=20, melee="Walkers")
    behind, beside = Follower("Fenn", (78.0, 0.0)), Follower("Fenn", (0.0, 30.0))
    assert fires("FOLLOWER_NO_WAY", judged(replace(go, followers=(behind,)), on))
    assert play(replace(go, followers=(beside,)), on, RRG2).legal


def test_what_is_plainly_bare_is_told_without_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    tufts = (((6.0 * k, 6.0 * j, 0.0), (6.0 * k + 5.0, 6.0 * j + 5.0, 1.0)) for k in range(30) for j in range(-3, 3))
    marsh = joined("marsh", *tufts, all="difficult")
    deck, oda = block("deck", (25.0, -60.0, 10.0), (300.0, 60.0, 12.0)), trooper("Oda", -40, 0)
    on = battle(marsh, deck, oda, unit("Wardens", "Oda"))

    def asked(ring: object, plans: object, *, deeper_mm: float) -> None:
        raise AssertionError("shapes were made")

    slow = Move("Wardens", tool=2, travel_mm=58.0)
    assert fires("MOVE_TOOL_TOO_FAST", judged(slow, on))
    monkeypatch.setattr(bare, "meeting", asked)
    assert fires("MOVE_TOOL_TOO_FAST", judged(slow, on))
    with pytest.raises(AssertionError, match="shapes were made"):  # the deck is near: it has to be looked at closely
        judged(Move("Wardens", tool=1, travel_mm=0.0), battle(marsh, deck, trooper("Oda", 150, 0), *on.units))


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


def test_a_compulsory_move_says_what_it_ends_at() -> None:
    bike, riders = notched("Bike", 0, 0), unit("Riders", "Bike", type="ground", speed=1)
    wall = block("wall", (80.0, -60.0, 0.0), (90.0, 60.0, 60.0))
    lake = joined("lake", ((60.0, -60.0, 0.0), (200.0, 60.0, 1.0)), all="impassable")
    pier = block("pier", (-60.0, -60.0, 0.0), (60.0, 60.0, 60.0))
    tank = (notched("Tank", 119, 0), unit("Walkers", "Tank", side="blue", type="ground"))
    for things, why in (((wall,), "wall stops it"), ((lake,), "lake is impassable"), ((pier,), "a drop stops it"),
                        (tank, "Tank stops it"), ((lake, *tank), "lake is impassable")):  # fmt: skip
        told = judged(Move("Riders", compulsory=True), battle(bike, riders, *things))
        assert told[-1].message == f"it cannot be completed ({why}): Riders suffers 1 wound"
    skims = unit("Riders", "Bike", type="repulsor", speed=1, keywords=("speeder 1",))
    guard = (trooper("Bo", 157.5, 0), unit("Squad", "Bo", side="blue"))  # in contact with a full move's end
    told = judged(Move("Riders", compulsory=True), battle(bike, skims, *guard))
    assert "118.95 of 119.00 mm" in told[0].message


def test_where_nothing_stands_nobody_looks_for_ways() -> None:
    xs = np.arange(13.0, 300.0, 30.0)
    heights = np.where(np.arange(len(xs)) % 2, 35.0, 0.5)
    corners = np.array([(x, y, z) for x, z in zip(xs, heights, strict=True) for y in (-40.0, 40.0)])
    faces = [(k, k + 2, k + 3) for k in range(0, len(corners) - 2, 2)]
    faces += [(k, k + 3, k + 1) for k in range(0, len(corners) - 2, 2)]
    ridges = Piece("ridges", Solid.of(corners, np.array(faces)), Pose.at(0, 0))
    minis = (trooper("Oda", 0, 0), trooper("Fenn", -30, 0))
    on = battle(ridges, block("pad", (110.0, -14.0, 0.0), (140.0, 14.0, 20.0)), *minis,
                unit("Wardens", "Oda", minis=("Oda", "Fenn")), size=(900.0, 64.0))  # fmt: skip
    seen = play(Move("Wardens", travel_mm=125.0, gather=True), on, RRG2)
    assert seen.made.arranged is not None
    assert [row for row, _ in seen.made.arranged.why] == ["MV15"]  # with bent ways between them it took twice as long


@pytest.mark.parametrize("turned", [0.0, 90.0, 180.0, 270.0, 37.0])
def test_of_two_edges_as_near_a_leader_climbs_the_one_ahead_however_the_table_is_turned(turned: float) -> None:
    a = math.radians(turned)

    def at(x: float, y: float) -> tuple[float, float]:
        return x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)

    crates = [
        Piece(name, mesh("crate"), Pose.at(*at(x, y), turn=turned))
        for name, (x, y) in {"east": (53.5, 0.0), "north": (0.0, 53.5)}.items()
    ]
    for facing, end in ((0.0, (27.0, 0.0)), (90.0, (0.0, 27.0)), (45.0, (0.0, 27.0)), (46.0, (0.0, 27.0))):
        oda = replace(trooper("Oda", 0, 0), turn=turned + facing)
        for pieces in (crates, crates[::-1]):
            seen = play(Move("Wardens", "climb"), battle(*pieces, oda, unit("Wardens", "Oda")), RRG2)
            assert seen.legal
            assert math.dist(seen.made.end.at, at(*end)) < 0.01
    far = replace(trooper("Oda", 0, 0), at=at(-45.0, -90.0))  # 63.5 mm from the corner
    none = play(Move("Wardens", "climb"), battle(crates[0], far, unit("Wardens", "Oda")), RRG2)
    assert "no wall to climb within 60 mm" in none.findings[0].message


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


def test_minis_follow_onto_the_impassable_roof_that_their_leader_climbed() -> None:
    wardens = (trooper("Oda", 0, 0), trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    on = battle(piece("crate", 113.5, 0, scale=2.5, trooper="impassable"), *wardens)
    up = Move("Wardens", kind="climb", followers=(Follower("Fenn", (56.0, 0.0)),))
    for move in (up, replace(up, followers=(), gather=True)):
        seen = play(move, on, RRG2)
        assert seen.legal, [f.message for f in seen.findings]
    below = battle(piece("tile", 160, 0, trooper="impassable"), *on.table.minis, *on.units)
    beyond = Move("Wardens", tool=1, start_deg=0, travel_mm=40, followers=(Follower("Fenn", (75.0, 0.0)),))
    assert fires("FOLLOWER_NO_WAY", judged(beyond, below))


def test_who_is_pushed_aside_before_the_mover_leaves_the_table_is_put_back() -> None:
    tank = notched("Tank", 300, 0, base="70n", height=80)
    walkers, squad = unit("Walkers", "Tank", type="ground", speed=3), unit("Squad", "Ann", side="blue")
    seen = play(Move("Walkers", tool=3), battle(tank, trooper("Ann", 350, 0), walkers, squad), RRG2)
    assert (seen.legal, seen.defeated, seen.displaced, seen.suppressed) == (True, True, ("Ann",), ("Squad",))
    assert seen.rules == ("DP01", "DP06", "DP11", "MV11")
    assert seen.battle.unit("Squad").state.suppression == 1
    assert [m.name for m in seen.battle.table.minis] == ["Ann"]
    bent = Move("Walkers", tool=3, start_deg=0, bend_deg=90)  # off the table at the hinge, before it comes to her
    beyond = play(bent, battle(tank, trooper("Ann", 425, 120), walkers, squad), RRG2)
    assert (beyond.defeated, beyond.displaced, beyond.suppressed) == (True, (), ())


# --- withdrawing, speed-x ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["reverse", "pivot", "climb", "clamber"])
def test_a_withdrawal_is_a_standard_move(kind: str) -> None:
    things = (notched("Beast", 0, 0), trooper("Foe", 38.5, 0), unit("Foes", "Foe", side="blue"))
    on = battle(*things, unit("Beasts", "Beast", type="creature"))
    dice = ("block",) if kind == "clamber" else ()
    away = Move("Beasts", kind=kind, turn_deg=45 if kind == "pivot" else 0, withdraw=True, dice=dice)
    assert fires("MOVE_NOT_STANDARD", judged(away, on))
    assert silent("MOVE_NOT_STANDARD", judged(Move("Beasts", tool=1, withdraw=True), on))


def test_a_speed_x_move_takes_the_tool_that_it_allows() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    seen = play(Move("Wardens", speed_x=1), on, RRG2)
    assert seen.legal, codes_of(seen.findings)
    assert seen.made.tool is not None
    assert seen.made.tool.speed == 1


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


# --- jumps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tall", "passes"), [(60.0, True), (152.4, True), (152.5, False)])
def test_a_jump_passes_minis_as_high_as_it_goes(tall: float, passes: bool) -> None:
    walkers = (notched("Tank", 76, 0, height=tall), unit("Walkers", "Tank", side="blue", type="ground"))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("jump 1",)), *walkers)
    over = Move("Wardens", tool=2, start_deg=0, jump=True)
    assert play(over, on, RRG2).legal == passes
    assert fires("MOVE_MINI_IN_THE_WAY", judged(replace(over, jump=False), on))
    assert fires("END_ON_MINI", judged(replace(over, travel_mm=70.0), on))  # it passes them, it does not end on them


def test_a_jump_is_made_once_in_an_activation() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda", keywords=("jump 1",)))
    jump = Move("Wardens", tool=1, start_deg=0, jump=True)
    once = play(jump, on, RRG2)
    assert once.legal
    assert fires("MOVE_ACTION_REPEATED", judged(jump, once.battle))
    assert play(replace(jump, jump=False), once.battle, RRG2).legal


# --- what is told -----------------------------------------------------------------------------------------------------


def walker_over(*minis: object, **told: object) -> tuple[Battle, Move]:
    tank = (notched("Tank", 0, 0), unit("Walkers", "Tank", type="ground"))
    return battle(*tank, *minis), Move("Walkers", tool=1, travel_mm=60.0, **told)  # type: ignore[arg-type]


def test_a_displaced_mini_on_a_token_hears_of_tokens() -> None:
    on, move = walker_over(trooper("Ann", 60, 20), unit("Squad", "Ann", side="blue"))
    marked = replace(on, table=replace(on.table, tokens=(Token("relic", (60.0, 60.0), 25.0, "objective"),)))
    put = replace(move, displaced=(Follower("Ann", (60.0, 60.0)),))
    assert play(put, marked, RRG2).rules == ("DP07", "MV13")
    assert play(put, on, RRG2).legal


def test_a_displaced_mini_that_faces_another_way_hears_of_facing() -> None:
    two = (notched("Ann", 200, 60, turn=90), notched("Bo", 120, 0, turn=90))
    on, move = walker_over(*two, unit("Squad", "Ann", side="blue", minis=("Ann", "Bo")))
    over = replace(move, travel_mm=119.0)
    turned = (Follower("Bo", (200.0, 130.0), 0.0),)
    assert play(replace(over, displaced=turned), on, RRG2).rules == ("CO03", "DP07")


def test_a_side_that_nobody_plays_displaces_nobody() -> None:
    on, move = walker_over(trooper("Ann", 60, 20), unit("Squad", "Ann", side="blue"))
    assert fires("DISPLACED_BY_WRONG_PLAYER", judged(replace(move, displacer="red"), on))
    assert play(replace(move, displacer="blue"), on, RRG2).legal
    with pytest.raises(Refused, match="no side is called 'green'"):
        play(replace(move, displacer="green"), on, RRG2)


def test_a_clamber_without_dice_hears_what_else_is_wrong() -> None:
    def heard(x: float) -> Refused:
        on = battle(piece("crate", x, 0, scale=2.0), trooper("Oda", 0, 0), unit("Wardens", "Oda"))
        with pytest.raises(Refused, match="rolls 1 die") as caught:
            play(Move("Wardens", kind="clamber"), on, RRG2)
        return caught.value

    assert fires("CLIMB_NO_CONTACT", heard(94.5))
    assert silent("CLIMB_NO_CONTACT", heard(93.5))


# --- over gaps --------------------------------------------------------------------------------------------------------


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
    def heard(kind: str = "standard", at: float = 0.0, **told: object) -> list[str]:
        on = battle(block("roof", (-60, -60, 0), (60, 60, 60)), trooper("Oda", at, 0), trooper("Fenn", -30, 0), wardens)
        bare = Battle(replace(on.table, floor_mm=None), on.units)
        seen = play(Move("Wardens", kind=kind, **told), bare, RRG2)  # type: ignore[arg-type]
        json.dumps(outcome_data(seen), allow_nan=False)
        return [f"{f.code}: {f.message}" for f in seen.findings]

    wardens = unit("Wardens", "Oda", minis=("Oda", "Fenn"))
    off = (Follower("Fenn", (80.0, 0.0)),)
    assert "MOVE_DROP_TOO_DEEP: it goes where there is nothing below it, 40.0 is its step" in heard(start_deg=0)
    assert "FOLLOWER_OTHER_LEVEL: Fenn is on no level: nothing is under it" in heard(travel_mm=10.0, followers=off)
    assert "CLIMB_NO_ROOM: there is no room to stand below" in heard("climb", at=46.5, up=False)
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


@pytest.mark.parametrize(
    ("told", "why"), [({"tool": []}, "tool"), ({"travel_mm": "x"}, "travel_mm"), ({"unit": None}, "None")]
)
def test_a_compulsory_move_of_the_wrong_kind_is_refused_in_words(told: dict[str, object], why: str) -> None:
    on = skimmer(keywords=("speeder 1",))
    with pytest.raises(Refused, match=why):
        judge(Move(**{"unit": "Skimmers", "compulsory": True, **told}), on, RRG2)  # type: ignore[arg-type]


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


# --- over heads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tall", "passes"), [(59.9, True), (60.0, True), (60.2, False)])
def test_over_a_head_that_is_as_high_as_the_roof_there_is_a_way(tall: float, passes: bool) -> None:
    # along the edge of a roof of 60 mm, 9 mm over a walker that stands at its wall
    walker = (notched("Tank", -25.1, 0, turn=90, height=tall), unit("Walkers", "Tank", side="red", type="ground"))
    on = battle(piece("crate", 80, 0, scale=2.0), trooper("Oda", 4.5, -60), unit("Wardens", "Oda", speed=1), *walker)
    seen = play(Move("Wardens", start_deg=90, travel_mm=100), on, RRG2)
    assert (silent if passes else fires)("MOVE_MINI_IN_THE_WAY", seen.findings)


# --- what lies under what it is carried over --------------------------------------------------------------------------


def stream(word: str) -> Piece:
    return joined("stream", ((50.0, -200.0, 0.0), (110.0, 200.0, 1.0)), all=word)


WORDS = pytest.mark.parametrize(
    ("word", "code"), [("impassable", "MOVE_THROUGH_IMPASSABLE"), ("difficult", "MOVE_TOOL_TOO_FAST")]
)


@WORDS
@pytest.mark.parametrize("low", [0.0, 2.0])  # a causeway, and a deck over the water
@pytest.mark.parametrize(("half", "over"), [(13.5, True), (13.3, False)])  # the base's own width, and 0.2 mm less
def test_a_stream_under_a_causeway_is_not_moved_through(
    word: str, code: str, low: float, half: float, over: bool
) -> None:
    way = block("way", (20.0, -half, low), (200.0, half, 6.0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), stream(word), way)
    seen = codes_of(judge(Move("Wardens", tool=2, travel_mm=150.0), on, RRG2))
    assert seen == (() if over else (code,))


@WORDS
def test_what_is_as_high_as_its_cover_or_beside_it_is_met(word: str, code: str) -> None:
    for way in (
        block("way", (20.0, -40.0, 0.0), (200.0, 40.0, 1.0)),  # flush: nobody can say which is on top
        block("way", (20.0, -40.0, 0.0), (90.0, 40.0, 6.0)),  # it ends in the stream
        block("way", (20.0, -40.0, 45.0), (200.0, 40.0, 50.0)),  # it is passed under
    ):
        on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), stream(word), way)
        assert code in codes_of(judge(Move("Wardens", tool=2, travel_mm=150.0), on, RRG2))


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("impassable", "MOVE_THROUGH_IMPASSABLE"),
        ("difficult", "MOVE_TOOL_TOO_FAST"),
        ("no end", "END_AGREED_AGAINST"),
    ],
)
def test_who_is_put_under_a_shelf_is_not_covered_by_it(word: str, code: str) -> None:
    mat = joined("mat", ((90.0, -200.0, 0.0), (110.0, 200.0, 0.5)), all=word)
    shelf = block("shelf", (89.9, -40.0, 8.0), (200.0, 40.0, 8.02))  # over the rim, and no higher than a step
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), mat, shelf)
    assert code in codes_of(judge(Move("Wardens", tool=2, travel_mm=78.0, level=6.0), on, RRG2))


def bumpy(name: str, z: float, **classes: str) -> Piece:
    """A field of 20000 triangles, half a millimetre up and down."""
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(-150, 150, 101), np.linspace(-150, 150, 101)))
    a = (np.arange(100)[:, None] * 101 + np.arange(100)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + 102], axis=1), np.stack([a, a + 102, a + 101], axis=1)])
    corners = np.stack([x, y, z + 0.5 * np.sin(x) * np.sin(y)], axis=1)
    return Piece(name, Solid.of(corners, faces), Pose.at(0, 0), classes=classes)


@pytest.mark.parametrize(("over", "codes"), [(0.2, ("MOVE_TOOL_TOO_FAST",)), (2.0, ())])
def test_a_fine_mesh_is_covered_by_another_one_that_is_over_it_everywhere(over: float, codes: tuple[str, ...]) -> None:
    low = bumpy("moor", 0.0, all="difficult")
    high = replace(bumpy("planks", over), pose=Pose.at(1.5, 0))  # where one is low the other is high
    on = battle(trooper("Oda", -60, 0), unit("Wardens", "Oda"), low, high)
    begun = time.perf_counter()
    seen = codes_of(judge(Move("Wardens", tool=2, travel_mm=100.0), on, RRG2))
    assert tuple(c for c in seen if not c.startswith("END_")) == codes
    assert time.perf_counter() - begun < 15.0


def test_nobody_is_kept_off_a_crate_by_what_it_stands_on() -> None:
    mat = joined("mat", ((20.0, -100.0, 0.0), (200.0, 100.0, 1.0)), all="no end")
    on = battle(trooper("Oda", 0, 0), trooper("Fenn", 0, 40), unit("Wardens", "Oda", minis=("Oda", "Fenn")), mat,
                block("stage", (60.0, -80.0, 1.0), (180.0, 80.0, 20.0)))  # fmt: skip
    there = Move("Wardens", tool=2, travel_mm=120.0)
    assert judge(replace(there, gather=True), on, RRG2) == ()
    assert judge(replace(there, followers=(Follower("Fenn", (120.0, 40.0)),)), on, RRG2) == ()
    beside = replace(there, followers=(Follower("Fenn", (120.0, 66.6)),))  # its rim hangs 0.1 mm over the stage's edge
    assert codes_of(judge(beside, on, RRG2)) == ("END_AGREED_AGAINST",)


def test_who_has_to_goes_along_a_causeway_and_stops_where_it_ends() -> None:
    on = skimmer(stream("impassable"), block("way", (30.0, -60.0, 0.0), (90.0, 60.0, 6.0)), speed=1, keywords=())
    seen = compelled(on)
    assert seen.made.travel_mm == pytest.approx(90.0 - 50.0, abs=0.1)  # its rim is at the far edge
    whole = skimmer(stream("impassable"), block("way", (20.0, -60.0, 0.0), (240.0, 60.0, 6.0)), speed=1, keywords=())
    assert compelled(whole).made.full


def test_reach_goes_over_a_causeway() -> None:
    way = block("way", (20.0, -40.0, 0.0), (200.0, 40.0, 6.0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), stream("impassable"), way)
    there = {(p.x, p.y) for p in reach(on, "Wardens", RRG2, pitch_mm=60.0).region}
    assert (120.0, 0.0) in there
    assert (60.0, 60.0) not in there


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


def test_whom_nobody_has_placed_yet_keeps_no_leader_from_a_place() -> None:
    mat = joined("mat", ((-150.0, -150.0, 0.0), (150.0, 150.0, 1.0)), all="difficult")
    on = battle(trooper("Oda", 0, 0), trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")), mat)
    crate = block("crate", (300.0, -40.0, 0.0), (400.0, 40.0, 15.0))  # over none of the mat: a chart is drawn
    deck = block("deck", (140.0, -40.0, 5.0), (240.0, 40.0, 15.0))  # over a part of it: every place is walked to
    plain, walked = (
        reach(Battle(replace(on.table, pieces=(mat, more)), on.units), "Wardens", RRG2, pitch_mm=60.0)
        for more in (crate, deck)
    )
    assert (plain.chart is None, walked.chart is None) == (False, True)
    assert {(p.x, p.y) for p in walked.region} == {(p.x, p.y) for p in plain.region} != set()
    for place in plain.region:
        assert plain.why(place.x, place.y) == ()


@pytest.mark.parametrize(("half", "charted"), [(10.0, True), (14.0, False)])
def test_a_crate_on_a_marsh_that_nobody_has_room_on_needs_no_walk_to_every_place(half: float, charted: bool) -> None:
    mat = joined("mat", ((-150.0, -150.0, 0.0), (150.0, 150.0, 1.0)), all="difficult")
    crate = block("crate", (80.0 - half, -half, 1.0), (80.0 + half, half, 15.0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), mat, crate)
    seen = reach(on, "Wardens", RRG2, pitch_mm=40.0)
    assert (seen.chart is not None) is charted
    assert {(p.x, p.y) for p in seen.region if not seen.at(p.x, p.y).legal} == set()


@pytest.mark.parametrize(("off", "charted"), [(0.0, False), (400.0, True)])
def test_covered_ground_that_nobody_comes_to_needs_no_walk_to_every_place(off: float, charted: bool) -> None:
    mat = joined("mat", ((off + 40.0, -150.0, 0.0), (off + 300.0, 150.0, 1.0)), all="difficult")
    deck = block("deck", (off + 60.0, -40.0, 5.0), (off + 160.0, 40.0, 15.0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), mat, deck)
    assert (reach(on, "Wardens", RRG2, pitch_mm=60.0).chart is not None) is charted
