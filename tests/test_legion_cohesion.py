"""Cohesion: planted arrangements are found, what is offered is legal, a seed gives the same places; who is gathered."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Follower, Move, feet_mm, judge, play
from sim3d.rules.legion.arranging import Arranged, cohere, places
from sim3d.rules.legion.site import Placing, site_of
from sim3d.rules.legion.standing import exact
from sim3d.rules.legion.ways import way_to
from sim3d.solid import Solid
from sim3d.space import Pose
from sim3d.stand import Stand
from sim3d.table import Piece, Placed, Table, Token
from tests.codes import codes_of, fires, silent
from tests.legion import battle, block, judged, mesh, notched, piece, trooper, unit
from tests.planted import NAMES, Planted, planted, site, small_board

SQUAD = [trooper(name, 0.0, 0.0) for name in NAMES[1:]]


def deployed(on: Battle, name: str, arranged: Arranged) -> tuple[str, ...]:
    """What the judge says to an arrangement, asked by itself."""
    leader = on.leader(on.unit(name)).at
    return codes_of(judge(Move(name, "deploy", begin=leader, followers=arranged.followers), on, RRG2))


def found(case: Planted) -> Arranged:
    followers = [case.battle.table.mini(name) for name in case.unit.followers]
    return cohere(site(case.battle, case.unit), followers)


@pytest.mark.parametrize("number", range(8))
def test_a_planted_arrangement_is_found_and_passes_the_judge(number: int) -> None:
    case = planted(number, small_board())
    if case is None:
        pytest.skip("no arrangement could be planted about this leader")
    arranged = found(case)
    assert arranged.whole
    assert deployed(case.battle, "Wardens", arranged) == ()


@pytest.mark.slow
def test_of_300_planted_on_the_sample_board_nearly_all_are_found() -> None:
    cases = wholes = number = 0
    times = []
    while cases < 300:
        case = planted(number)
        number += 1
        if case is None:
            continue
        cases += 1
        began = time.process_time()
        arranged = found(case)
        times.append(time.process_time() - began)
        wholes += arranged.whole and deployed(case.battle, "Wardens", arranged) == ()
    assert wholes >= 0.99 * cases
    assert statistics.median(times) < 1.0


def around_a_crate() -> Battle:
    """A squad beside a crate that it cannot step onto, an enemy on its other side."""
    squad = [replace(m, mini=trooper("x", 0, 0, height=25).mini) for m in SQUAD]
    leader = trooper(NAMES[0], -60, 0, height=25)
    others = [piece("crate", 0, 0), trooper("Dorn", -120, 0), unit("Watch", "Dorn", side="blue")]
    return battle(leader, *squad, unit("Wardens", NAMES[0], minis=NAMES), *others)


def test_the_region_of_one_mini_is_what_the_judge_lets_it_take() -> None:
    on = around_a_crate()
    own = replace(on.unit("Wardens"), minis=NAMES[:2])
    on = Battle(on.table, (own, on.unit("Watch")))
    at = site_of(on, own, RRG2, Placing())
    spots = places(at, on.table.mini(NAMES[1]), pitch_mm=17.0)
    assert sum(s.place is not None for s in spots) > 20
    for spot in spots[::3]:
        put = Follower(NAMES[1], (spot.x, spot.y)) if spot.place is None else Follower.of(spot.place)
        said = judge(Move("Wardens", "deploy", begin=(-60.0, 0.0), followers=(put,)), on, RRG2)
        assert (said == ()) == (spot.place is not None), (spot, codes_of(said))


def test_the_same_seed_gives_the_same_places_and_another_one_others() -> None:
    on = around_a_crate()
    at = site_of(on, on.unit("Wardens"), RRG2, Placing())
    minis = [on.table.mini(name) for name in NAMES[1:]]
    first, again, other = (cohere(at, minis, seed=seed) for seed in (0, 0, 5))
    assert first == again
    assert other.whole
    assert other.followers != first.followers
    assert deployed(on, "Wardens", other) == ()


@pytest.mark.parametrize(  # four have room beside the leader; none has
    ("scale", "minis"), [(5.0, 5), pytest.param(3.0, 3, marks=pytest.mark.slow)]
)
def test_without_room_nobody_is_placed_and_the_rows_say_why(scale: float, minis: int) -> None:
    # a leader alone on a pillar of 50 by 50 mm, 100 high, or of 30 by 30, 60 high
    on = battle(piece("pillar", 0, 0, scale=scale), trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    at = site_of(on, on.unit("Wardens"), RRG2, Placing())
    full = cohere(at, [Placed(f"Mini-{i}", SQUAD[0].mini, (0, 0)) for i in range(minis)])
    assert not full.whole
    assert full.followers == ()
    assert {rule for rule, _ in full.why} >= {"CO15"}


def test_a_bent_way_is_found_in_the_narrow_window_that_geometry_leaves() -> None:
    # the wall's end is at y = 20; a base at y0 either side of it, 36 mm off: its hinge has to lie over (0, y0 + 36),
    # at 45 degrees a base of 13.5 passes the corner (-3, 20) where (13 + y0) / sqrt 2 >= 13.5: y0 >= 6.1
    for y0, free in ((6.3, True), (5.5, False)):
        wall = Piece("wall", mesh("wall"), Pose.at(0, -40, turn=90))
        on = battle(wall, trooper("Oda", -36, y0), unit("Wardens", "Oda"))
        ways = site_of(on, on.unit("Wardens"), RRG2, Placing()).ways
        assert way_to(ways, trooper("Fenn", 36, y0), 0.0).found is free


def test_gathered_minis_are_part_of_the_move() -> None:
    on = around_a_crate()
    seen = play(Move("Wardens", tool=1, start_deg=90, gather=True), on, RRG2)
    assert (seen.legal, seen.made.put) == (True, NAMES)
    again = play(Move("Wardens", tool=1, start_deg=90, followers=tuple(map(Follower.of, seen.made.ends[1:]))), on, RRG2)
    assert again.battle.table.minis == seen.battle.table.minis


def beside_a_wall(*more: Piece) -> Battle:
    """A leader 100 mm before a wall, on a lane that is 5 mm lower than its banks and full of tokens behind it."""
    banks = (block("bank", (-200, 20, 0), (113, 200, 5)), block("shore", (-200, -200, 0), (113, -20, 5)))
    on = battle(
        trooper("Oda", 0, 0), trooper("Fenn", -30, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")),
        block("wall", (113.5, -200, 0), (130, 200, 80)), *banks, *more,
    )  # fmt: skip
    tokens = tuple(Token(f"token {k}", (60.0 - 26.0 * k, 0.0)) for k in range(7))
    return Battle(replace(on.table, tokens=tokens), on.units)


@pytest.mark.parametrize("travel", [99.9, 100.0])
def test_a_leader_that_touches_a_wall_leaves_its_minis_the_ground_beside_it(travel: float) -> None:
    move = Move("Wardens", tool=1, travel_mm=travel, gather=True)
    seen = play(move, beside_a_wall(), RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    assert feet_mm(seen.battle.table, seen.battle.table.mini("Fenn")) == 5.0


def test_under_a_deck_who_follows_a_leader_at_a_wall_stays_under_it() -> None:
    deck = block("deck", (-200, -200, 60), (113, 200, 70))
    on = beside_a_wall(deck)
    low = replace(on.table, minis=tuple(replace(m, level=50.0) for m in on.table.minis))
    seen = play(Move("Wardens", tool=1, travel_mm=100.0, gather=True), Battle(low, on.units), RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    assert feet_mm(low, seen.battle.table.mini("Fenn")) == 5.0


def test_who_stands_nowhere_on_bare_floor_is_not_looked_for_all_over_it() -> None:
    asked: list[Placed] = []

    def counted(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
        asked.extend(places)
        return exact(table, places)

    oda, fenn = trooper("Oda", 0, 0), trooper("Fenn", 40, 0, height=1000, com=500)
    wardens = unit("Wardens", "Oda", minis=("Oda", "Fenn"))
    for things, few in (((), True), ((piece("crate", 60, 0),), False)):
        asked.clear()
        on = battle(oda, fenn, wardens, *things)
        arranged = cohere(site_of(on, wardens, RRG2, Placing()), (fenn,), standing=counted)
        assert not arranged.whole
        assert (len(asked) == 1) is few
        assert "MV15" in dict(arranged.why)


@pytest.mark.parametrize(
    ("base", "gate", "legal"), [("40", 400, True), ("40", 31, False), ("40", 41, True), ("27", 31, True)]
)
def test_beside_a_wall_a_leader_is_followed_on_a_wider_base(base: str, gate: float, legal: bool) -> None:
    # the leader, 13.5 mm round, is flush with a wall; the other, 20 mm, would reach 6.5 mm into it in its place
    terrain = [block("wall", (13.5, -200, 0), (60, 200, 100))]
    terrain += [block(name, (-52, y - 100, 0), (-44, y + 100, 100)) for name, y in gate_posts(gate)]
    follower = Placed("Fenn", Mini(base, height=40), (-200.0, 0.0))
    on = battle(*terrain, trooper("Oda", 0, 0), follower, unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    said = judge(Move("Wardens", travel_mm=0.0, followers=(Follower("Fenn", (-80.0, 0.0)),)), on, RRG2)
    assert codes_of(said) == (() if legal else ("FOLLOWER_NO_WAY",))


def gate_posts(width: float) -> list[tuple[str, float]]:
    """The two walls of a gate so wide, by name: where their middles are."""
    return [("left", width / 2 + 100), ("right", -width / 2 - 100)]


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


def test_for_a_leader_that_does_not_come_there_nobody_is_gathered() -> None:
    """Its move would end on a block that it cannot step onto. Every place for its minis was tried there, for 5 s."""
    on = battle(
        block("block", (100.0, -30.0, 0.0), (160.0, 30.0, 114.0)),
        notched("Nark", 0.0, 0.0),
        notched("Ruk", -60.0, 0.0),
        unit("Herd", "Nark", type="creature", minis=("Nark", "Ruk")),
    )
    seen = play(Move("Herd", tool=1, gather=True), on, RRG2)
    assert "MOVE_TERRAIN_IN_THE_WAY" in codes_of(seen.findings)
    assert silent("FOLLOWER_NO_PLACE", seen.findings)
    assert seen.made.arranged is None


def test_for_a_leader_that_a_mini_stops_nobody_is_gathered() -> None:
    """No place was told for whoever follows it, and that in 3 s, where the walker on its way is all that is wrong."""
    walker = (notched("Grinder", 110, 0, base="100n"), unit("Grinders", "Grinder", type="ground"))
    squad = (trooper("Oda", -40, 0), trooper("Fenn", -70, 0), unit("Wardens", "Oda", minis=("Oda", "Fenn")))
    seen = play(Move("Wardens", tool=2, travel_mm=100.0, gather=True), battle(*squad, *walker), RRG2)
    assert codes_of(seen.findings) == ("MOVE_MINI_IN_THE_WAY", "END_ON_MINI")
    assert seen.made.arranged is None


def test_a_search_that_finds_nothing_says_so() -> None:
    mates = [trooper(f"W-{k}", -90 - 28 * k, 0) for k in range(20)]
    wardens = unit("Wardens", "Oda", minis=("Oda", *(mate.name for mate in mates)))
    on = battle(piece("crate", 0, 0), trooper("Oda", -53.5, 0), *mates, wardens, size=(210.0, 40.0))
    seen = play(Move("Wardens", tool=1, start_deg=180, travel_mm=20, gather=True), on, RRG2)
    assert codes_of(seen.findings) == ("FOLLOWER_NO_PLACE",)
    assert fires("FOLLOWER_NO_PLACE", seen.findings)
    assert "are taken, or touch an enemy (MV12)" in seen.findings[0].message
    assert set(seen.rules) == {"CO01", "MV06"}
    alone = play(Move("Wardens", tool=1, start_deg=180, travel_mm=20), on, RRG2)
    assert silent("FOLLOWER_NO_PLACE", alone.findings)


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


# --- where a leader went ----------------------------------------------------------------------------------------------


def test_no_way_of_cohesion_leads_through_an_enemy_vehicle() -> None:
    things = (trooper("Oda", -20, 0), trooper("Fenn", -60, 0), notched("Tank", 38.5, 0))
    on = battle(*things, unit("Wardens", "Oda", minis=("Oda", "Fenn"), melee=True),
                unit("Walkers", "Tank", side="blue", type="ground"))  # fmt: skip
    go = Move("Wardens", tool=1, start_deg=0, travel_mm=20, melee="Walkers")
    behind, beside = Follower("Fenn", (78.0, 0.0)), Follower("Fenn", (0.0, 30.0))
    assert fires("FOLLOWER_NO_WAY", judged(replace(go, followers=(behind,)), on))
    assert play(replace(go, followers=(beside,)), on, RRG2).legal


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


@pytest.mark.parametrize("turned", [23.0, 90.0, 211.0])
def test_who_is_gathered_goes_to_the_same_places_however_the_table_is_turned_and_moved(turned: float) -> None:
    # nobody stands askew: places lie flush with the leader, and a crate cuts through them
    whole = Pose.at(412.3, -77.7, turn=turned)

    def ended(by: Pose, deg: float) -> list[tuple[float, ...]]:
        oda, *squad = (trooper(name, *by.apply([[0.0, 0.0, 0.0]])[0][:2]) for name in NAMES)
        crate = replace(piece("crate", 0, 0), pose=by @ Pose.at(70, 12, turn=8))
        leader = replace(oda, turn=40.0 + deg)
        on = battle(leader, *squad, unit("Wardens", NAMES[0], minis=NAMES), crate, size=None)
        seen = play(Move("Wardens", start_deg=15.0 + deg, travel_mm=10.0, gather=True), on, RRG2)
        assert seen.legal
        return [seen.battle.table.mini(name).at for name in NAMES]

    for at, usual in zip(ended(whole, turned), ended(Pose.at(0, 0), 0.0), strict=True):
        assert at == pytest.approx(tuple(whole.apply([[*usual, 0.0]])[0][:2]), abs=1e-3)


def test_who_is_deployed_with_a_leader_that_stands_there_already_is_gathered_about_it() -> None:
    squad = [trooper(name, 400.0, -400.0 + 40.0 * i) for i, name in enumerate(NAMES[1:])]
    on = battle(trooper(NAMES[0], 0, 0), *squad, unit("Wardens", NAMES[0], minis=NAMES))
    assert fires("FOLLOWER_TOO_FAR", judged(Move("Wardens", "deploy"), on))  # as it stands
    here, there = (play(Move("Wardens", "deploy", gather=True, begin=at), on, RRG2) for at in (None, (0.0, 0.0)))
    assert here.legal
    assert here.battle == there.battle
    assert all(here.battle.table.mini(name).at != on.table.mini(name).at for name in NAMES[1:])
