"""Compulsory moves: shift limits, pockets that a search must not skip, the answer of a plain scan, what is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sim3d.finding import Refused
from sim3d.rules.legion import RRG2, Battle, Follower, Move, Outcome, State, Unit, judge, play, rules_of
from sim3d.rules.legion.compulsory import _Done, compel
from sim3d.rules.legion.making import make
from sim3d.rules.legion.scan import FINE_MM, Look, farthest
from sim3d.rules.legion.standing import exact, searching
from sim3d.space import Pose
from sim3d.stand import Stand
from sim3d.table import Piece, Placed, Table, Token
from tests.codes import codes_of, fires
from tests.compelled import outcome_of, scanned, situation
from tests.legion import battle, block, compelled, joined, judged, notched, piece, skimmer, trooper, unit


def speeder(base: str, *things: Piece | Placed | Unit, keywords: tuple[str, ...] = ("speeder 1",)) -> Battle:
    return skimmer(*things, base=base, size=(1600.0, 900.0), keywords=keywords)


def travels(on: Battle) -> tuple[float, bool, int]:
    seen = play(Move("Skimmers", compulsory=True), on, RRG2)
    assert seen.made.compelled is not None
    assert seen.legal, codes_of(seen.findings)
    return seen.made.compelled.travel_mm, seen.made.compelled.shifted, seen.wounds


@pytest.mark.parametrize(
    ("beyond", "shifted", "wounds"),
    [(49.9, True, 0), (50.0, True, 0), (50.1, False, 1)],
)
def test_a_shift_goes_back_half_the_diameter_and_no_farther(beyond: float, shifted: bool, wounds: int) -> None:
    # a roof of 150 mm, so high that a base of 100 mm cannot lean against it; a full move ends `beyond` too far
    full = 75 + 100 + 2 * (13.5 - math.sqrt(13.5**2 - 7.5**2) - (50 - math.sqrt(50**2 - 7.5**2)))
    face = full + 50 - beyond
    travel, was, cost = travels(speeder("100", piece("crate", face + 200, 0, scale=5.0)))
    assert (was, cost) == (shifted, wounds)
    assert travel == pytest.approx(face - 50, abs=0.1)


def test_it_stands_on_the_far_part_of_a_roof_and_not_on_the_near_one() -> None:
    # h tan 5° = 2.1 mm: 3 mm over the roof's edge it stands, 1 mm over it goes all the way back
    for inside, back in ((3.0, 0.0), (1.0, 51.0)):
        travel, shifted, wounds = travels(speeder("100n", piece("crate", 169 - inside + 200, 0, scale=5.0)))
        if back:
            assert (shifted, wounds) == (False, 1)  # 51 is more than half of 100
            assert travel == pytest.approx(169 - back, abs=0.1)
        else:
            assert (travel, shifted, wounds) == (169.0, False, 0)


def test_terrain_that_is_not_ignored_lets_nobody_shift() -> None:
    for keywords, shifts in (((), False), (("speeder 1",), True)):
        on = speeder("100n", piece("crate", 190 + 200, 0, scale=5.0), keywords=keywords)
        travel, shifted, wounds = travels(on)
        assert (shifted, wounds) == (shifts, 0 if shifts else 1)
        assert travel == pytest.approx(140.0, abs=0.1)


@pytest.mark.parametrize(("gap", "whole"), [(0.04, True), (0.049, True), (0.02, False)])
def test_what_ends_where_a_full_move_does_costs_no_wounds(gap: float, whole: bool) -> None:
    # an enemy so far beyond the end of a full move, at 169 mm; nearer than 0.05 mm would touch it
    foe = (trooper("Dorn", 169 + 50 + 13.5 + gap, 0), unit("Watch", "Dorn", side="blue"))
    seen = play(Move("Skimmers", compulsory=True), speeder("100n", *foe), RRG2)
    done = seen.made.compelled
    assert seen.legal
    assert done is not None
    assert (done.complete, done.why) == (whole, () if whole else ("END_TOUCHES_ENEMY",))
    assert seen.wounds == (0 if whole else 1)
    assert ("COMPULSORY_PARTIAL" in codes_of(seen.events)) is not whole


@pytest.mark.parametrize("turn", [0.0, 143.1])
@pytest.mark.parametrize(("edge", "whole"), [(195.1, True), (195.4, False)])
def test_what_it_flew_over_may_reach_into_its_rear_notch(edge: float, whole: bool, turn: float) -> None:
    # a full move ends at 219 mm; the corners of its notch, 15.2 mm wide, are at 219 - sqrt(25^2 - 7.6^2) = 195.18
    crate = block("crate", (115, -60, 0), (edge, 60, 150))  # too high to lean against
    riders = unit("Skimmers", "Skim", type="repulsor", speed=3, keywords=("speeder 1",))
    bike = notched("Skim", 0, 0, turn=turn, height=60)
    on = battle(replace(crate, pose=Pose.at(0, 0, turn=turn)), bike, riders)
    seen = compelled(on)
    assert seen.legal
    assert seen.wounds == (0 if whole else 3)
    assert (math.hypot(*seen.made.end.at) == pytest.approx(219, abs=0.01)) is whole
    assert play(Move("Skimmers"), on, RRG2).legal is whole  # the same answer as to a plain move


def corridor(*things: object) -> Battle:
    """Two speeders in a dead end, 52 mm wide and walled at 145 mm: without a place beside its leader at 119 mm.

    The second one only fits behind it, and tokens lie about there: it needs the leader at 118.5 mm or before.
    """
    walls = ((-60, 26, 200, 60), (-60, -60, 200, -26), (-200, -26, -60, 26), (145, -26, 160, 26))
    tokens = tuple(Token(f"Crystal-{x}", (x, 0.0), 20.0) for x in (34.5, 50.5, 66.5))
    lead, second = notched("Skim", 0, 0, height=60), notched("Swallow", -52, 0, height=60)
    squad = unit("Skimmers", "Skim", type="repulsor", speed=1, minis=("Skim", "Swallow"))
    on = battle(lead, second, squad, *(t for t in things if isinstance(t, Piece)), size=(1600.0, 900.0))
    pieces = tuple(block(f"wall {k}", (x, y, 0), (u, v, 300)) for k, (x, y, u, v) in enumerate(walls))
    more = tuple(t for t in things if isinstance(t, Token))
    return replace(on, table=replace(on.table, pieces=(*on.table.pieces, *pieces), tokens=(*tokens, *more)))


LOW = block("slab", (80, -26, 0), (145, 26, 20))  # a repulsor of 60 mm steps over it


@pytest.mark.parametrize(
    ("things", "rules"),
    [
        ((LOW,), "CM03 CM04 CM07"),  # it may end where a full move does, so there is nothing to shift from
        ((LOW, Token("Crystal", (153.7, 0.0), 20.0)), "CM03 CM04 CM07 CM12"),  # it would shift to 118.75 mm
    ],
)
def test_nobody_shifts_back_to_make_room_for_who_follows(
    things: tuple[object, ...], rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Done, "_gathered", lambda _, travel: travel <= 118.45)  # to find no place takes seconds
    assert_it_is_partial(things, rules)


@pytest.mark.slow
def test_nobody_shifts_back_to_make_room_for_who_finds_none() -> None:
    assert_it_is_partial((LOW,), "CM03 CM04 CM07")


def assert_it_is_partial(things: tuple[object, ...], rules: str) -> None:
    seen = play(Move("Skimmers", compulsory=True), corridor(*things), RRG2)
    done = seen.made.compelled
    assert seen.legal, codes_of(seen.findings)
    assert done is not None
    assert (done.shifted, done.complete, done.why, seen.wounds) == (False, False, ("FOLLOWER_NO_WAY",), 1)
    assert done.travel_mm == pytest.approx(118.5, abs=0.1)
    assert rules_of([f for f in seen.events if f.code == "COMPULSORY_PARTIAL"]) == tuple(rules.split())


def test_whoever_shifts_for_its_own_base_takes_the_others_along() -> None:
    on = corridor(LOW, Token("Crystal", (145.0, 0.0), 20.0))  # 9 mm over it at the end: it stands at 110 mm
    seen = play(Move("Skimmers", compulsory=True), on, RRG2)
    done = seen.made.compelled
    assert seen.legal, codes_of(seen.findings)
    assert done is not None
    assert (done.shifted, seen.wounds) == (True, 0)
    assert done.travel_mm == pytest.approx(110.0, abs=0.1)


# --- the search -------------------------------------------------------------------------------------------------------


def pocket(low: float, high: float, *, trace: float = 0.0) -> object:
    """Answers along a line: legal only from `low` to `high`; `trace` mm about that looks another way."""

    def look(travel: float) -> Look:
        if low <= travel <= high:
            return Look(True, ("stable",))
        side = "after" if travel > high + trace else "before" if travel < low - trace else "near"
        return Look(False, ("topples", side), codes=("END_DOES_NOT_STAND",))

    return look


@pytest.mark.parametrize("width", [0.03, 0.1, 1.0, 7.0])
def test_a_pocket_between_two_reasons_is_found_however_narrow(width: float) -> None:
    for low in (3.0, 41.37, 80.011):
        found = farthest(0.0, 100.0, pocket(low, low + width), 20.0)  # type: ignore[arg-type]
        assert found == pytest.approx(low + width, abs=0.021)


def test_where_nothing_is_legal_nothing_is_found() -> None:
    assert farthest(0.0, 50.0, pocket(60.0, 70.0), 20.0) is None  # type: ignore[arg-type]


def test_what_is_deep_in_the_way_is_jumped_over_and_nothing_else() -> None:
    asked = []

    def look(travel: float) -> Look:
        asked.append(travel)
        deep = 40.0 - abs(travel - 60.0)  # a base of 40 mm about 60
        return Look(False, ("minis",), deep) if deep > 0 else Look(travel < 60, ("stable",))

    assert farthest(0.0, 95.0, look, 20.0) == pytest.approx(20.0, abs=0.021)
    assert len(asked) < 80


@pytest.mark.parametrize("deep", [0.5, 3.7, 40.0])
@pytest.mark.parametrize("low", [3.0, 41.37, 80.011])
def test_stretches_looked_at_side_by_side_give_the_same_place(deep: float, low: float) -> None:
    elsewhere = pocket(low, low + 0.3)

    def look(travel: float) -> Look:
        into = deep - abs(travel - 60.0)
        return Look(False, ("minis",), into) if into > 0 else elsewhere(travel)  # type: ignore[operator,no-any-return]

    alone = farthest(0.0, 95.0, look, 20.0)
    assert (alone is None) == (abs(low - 60.0) < deep)
    assert farthest(0.0, 95.0, look, 20.0, hands=3) == alone


def test_what_goes_wrong_while_looking_ahead_is_told() -> None:
    def look(travel: float) -> Look:
        if travel < 50.0:
            raise ZeroDivisionError
        return Look(False, ("minis",))

    with pytest.raises(ZeroDivisionError):
        farthest(0.0, 95.0, look, 20.0, hands=3)


@pytest.mark.parametrize(
    ("number", "scanned_mm"),
    [
        (89, 99.34),  # on a roof, behind minis on the ground that are deep in the way
        pytest.param(106, 74.04, marks=pytest.mark.slow),
        (59, 144.13),  # between two places in a wall, of which another height is cut off
        (276, 115.06),  # where it topples on either side, and leans on the ground under a lower cut
        pytest.param(331, 112.19, marks=pytest.mark.slow),
        (125, 30.37),  # where it leans against a ruin or goes over, by turns
        # a tenth of a millimetre wide, where the way is cut otherwise than beside it
        pytest.param(12, 102.73, marks=pytest.mark.slow),
        (409, 122.42),  # as wide, where other contacts carry it than on either side
    ],
)
def test_it_misses_no_pocket_that_a_scan_found_on_the_sample_board(number: int, scanned_mm: float) -> None:
    case = situation(number)
    assert case is not None
    done = compel(*case, RRG2, standing=exact).compelled
    assert done is not None
    assert done.travel_mm == pytest.approx(scanned_mm, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 5, 11, 13])
def test_it_agrees_with_a_scan_on_the_sample_board(number: int) -> None:
    case = situation(number)
    if case is None:
        pytest.skip("a speeder cannot start there")
    assert agree(*case)


def agree(on: Battle, move: Move) -> bool:
    """The search ends where a scan does, shifted or not as there."""
    done = compel(on, move, RRG2, standing=exact).compelled
    assert done is not None
    travel, shifted, _ = scanned(on, move)
    assert outcome_of(done)[0] == pytest.approx(travel, abs=0.1)
    assert outcome_of(done)[1] is shifted
    return True


@pytest.mark.slow
def test_it_agrees_with_a_scan_in_200_situations() -> None:
    seen = number = 0
    while seen < 200:
        case = situation(number)
        number += 1
        if case is not None:
            seen += 1
            assert agree(*case)


# --- where it ends ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [213.0, 215.0, 217.0])
def test_a_base_that_leans_ends_where_a_wall_is_that_it_would_touch_if_it_lay_flat(off: float) -> None:
    # it leans on a roof of 40 mm by 33 degrees: its front is 50 cos 33 = 42 mm ahead of its middle, not 50
    roof, wall = block("roof", (189, -150, 0), (400, 150, 40)), block("wall", (off, -150, 40), (400, 150, 150))
    skim = notched("Skim", 0, 0, base="100n", height=60)
    on = battle(skim, unit("Skimmers", "Skim", type="repulsor", speed=1, keywords=("speeder 1",)), roof, wall)
    done = play(Move("Skimmers", compulsory=True), on, RRG2)
    assert done.made.compelled is not None
    assert (done.made.compelled.travel_mm, done.wounds) == (pytest.approx(169.0), 0)
    (stand,) = done.made.stands
    assert stand.tilt_deg == pytest.approx(33.08, abs=0.01)
    assert 169 + 50 * math.cos(math.radians(33.08)) < off


@pytest.mark.parametrize("doubted", [(118.0, 120.0), (115.5, 120.0)])
def test_nobody_ends_where_the_word_was_a_yes_and_the_numbers_are_in_doubt(
    doubted: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubting(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
        low, high = doubted
        told = zip(places, exact(table, places), strict=True)
        return [replace(s, answer="undecided") if low < p.at[0] <= high else s for p, s in told]

    for module in ("standing", "compulsory"):
        monkeypatch.setattr(f"sim3d.rules.legion.{module}.exact", doubting)
    on = battle(notched("Skim", 0, 0), unit("Skimmers", "Skim", type="repulsor", speed=1, keywords=("speeder 1",)))
    done = compel(on, Move("Skimmers", compulsory=True), RRG2, standing=doubting).compelled
    assert done is not None
    assert done.travel_mm == pytest.approx(doubted[0], abs=FINE_MM)
    assert (done.wounds, done.shifted) == (1, False)


# --- what it says, and other rules' limits ----------------------------------------------------------------------------


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
    slow = compelled(skimmer(speed=2), tool=1).findings
    told = [f.message for f in slow if f.code == "COMPULSORY_NOT_AS_FAR"]
    assert told[0].startswith("it has to go at speed 2, with a tool of")


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


@pytest.mark.parametrize(
    ("told", "why"), [({"tool": []}, "tool"), ({"travel_mm": "x"}, "travel_mm"), ({"unit": None}, "None")]
)
def test_a_compulsory_move_of_the_wrong_kind_is_refused_in_words(told: dict[str, object], why: str) -> None:
    on = skimmer(keywords=("speeder 1",))
    with pytest.raises(Refused, match=why):
        judge(Move(**{"unit": "Skimmers", "compulsory": True, **told}), on, RRG2)  # type: ignore[arg-type]


def test_who_follows_may_push_troopers_aside_where_there_is_no_other_room() -> None:
    # a table 52 mm wide: behind the leader a token bars the place that it left, two troopers fill what is left
    two = unit("Skimmers", "Skim", type="repulsor", speed=1, minis=("Skim", "Skee"))
    minis = (notched("Skim", -62, 0), notched("Skee", -262, 0), trooper("Dorn", -23, 0), trooper("Mott", 4.5, 0))
    units = (two, unit("Watch", "Dorn", side="blue"), unit("Guard", "Mott", side="blue"))
    on = battle(*minis, *units, size=(176.0, 52.0))
    on = Battle(replace(on.table, tokens=(Token("crate", (-62.0, 0.0), 25.0, "objective"),)), on.units)
    end = Move("Skimmers", compulsory=True, gather=True, travel_mm=119.0)
    made = make(on, end, RRG2, standing=searching(exact))
    assert made.arranged is not None
    assert made.arranged.whole
    (skim, skee) = made.ends
    assert skim.at == pytest.approx((57.0, 0.0))
    assert -62.0 + 37.45 <= skee.at[0] <= 57.0 - 50.0 + 0.05
    assert made.displaced == ("Dorn", "Mott")
    alone = make(on, replace(end, compulsory=False), RRG2, standing=searching(exact))
    assert alone.lost == ("Skee",)


def test_who_is_engaged_is_pushed_aside_by_nobody_who_follows() -> None:
    two = unit("Skimmers", "Skim", type="repulsor", speed=1, minis=("Skim", "Skee"))
    minis = (notched("Skim", 0, 0), notched("Skee", 0, -70), trooper("Dorn", 119, -70), trooper("Fenn", 119, -97))
    on = battle(*minis, two, unit("Watch", "Dorn", side="blue"), unit("Wardens", "Fenn"))
    seen = compelled(on, followers=(Follower("Skee", (119.0, -76.0)),))
    assert seen.displaced == ()
    assert "MV12" in rules_of(seen.findings)
