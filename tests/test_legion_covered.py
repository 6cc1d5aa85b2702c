"""Ground in parts: a piece is as high as the part that is moved to; what lies under another is not moved through."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Follower, Move, bare, judge, play
from sim3d.rules.legion.reach import reach
from sim3d.solid import Solid
from sim3d.space import Pose
from sim3d.table import Piece, Placed
from tests.codes import codes_of, fires
from tests.legion import battle, block, compelled, joined, judged, notched, skimmer, trooper, unit

# --- a piece is as high as the part that is moved to ------------------------------------------------------------------


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
    begun = time.process_time()
    seen = codes_of(judge(Move("Wardens", tool=2, travel_mm=100.0), on, RRG2))
    assert tuple(c for c in seen if not c.startswith("END_")) == codes
    assert time.process_time() - begun < 15.0


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


def test_what_is_plainly_bare_is_told_without_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    tufts = (((6.0 * k, 6.0 * j, 0.0), (6.0 * k + 5.0, 6.0 * j + 5.0, 1.0)) for k in range(30) for j in range(-3, 3))
    marsh = joined("marsh", *tufts, all="difficult")
    deck, oda = block("deck", (25.0, -60.0, 10.0), (300.0, 60.0, 12.0)), trooper("Oda", -40, 0)
    on = battle(marsh, deck, oda, unit("Wardens", "Oda"))

    def asked(ring: object, plans: object, *, deeper_mm: float) -> None:
        raise AssertionError("shapes were made")

    slow = Move("Wardens", tool=2, travel_mm=58.0)
    assert fires("MOVE_TOOL_TOO_FAST", judged(slow, on))
    monkeypatch.setattr(bare, "Within", asked)
    assert fires("MOVE_TOOL_TOO_FAST", judged(slow, on))
    with pytest.raises(AssertionError, match="shapes were made"):  # the deck is near: it has to be looked at closely
        judged(Move("Wardens", tool=1, travel_mm=0.0), battle(marsh, deck, trooper("Oda", 150, 0), *on.units))


def test_what_covers_fine_ground_is_asked_of_all_of_it_together(monkeypatch: pytest.MonkeyPatch) -> None:
    tufts = (
        ((6.0 * k, 6.0 * j, 0.0), (6.0 * k + 5.0, 6.0 * j + 5.0, 1.0)) for k in range(20, 30) for j in range(-3, 3)
    )
    marsh = joined("marsh", *tufts, all="difficult")
    deck = joined("deck", ((25.0, -60.0, 10.0), (300.0, 2.0, 12.0)), ((25.0, 2.0, 10.0), (300.0, 60.0, 12.0)))
    on = battle(marsh, deck, trooper("Oda", 150, 0), unit("Wardens", "Oda"))

    def one_by_one(*asked: object, **how: object) -> None:
        raise AssertionError("one triangle was asked about")

    monkeypatch.setattr(bare, "left_bare", one_by_one)  # with a hill under a pad that took a minute
    assert judged(Move("Wardens", tool=2, travel_mm=6.0), on) == ()


# --- where it can be reached ------------------------------------------------------------------------------------------


def test_reach_goes_over_a_causeway() -> None:
    way = block("way", (20.0, -40.0, 0.0), (200.0, 40.0, 6.0))
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), stream("impassable"), way)
    there = {(p.x, p.y) for p in reach(on, "Wardens", RRG2, pitch_mm=60.0).region}
    assert (120.0, 0.0) in there
    assert (60.0, 60.0) not in there


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
