"""Where can it go: every place that is said to be reached has a legal move, no other has, and each no has its rule."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from sim3d.atlas import atlas
from sim3d.ground.fans import SURE
from sim3d.rules.legion import RRG2, Battle, Move, Unit, judge, judged
from sim3d.rules.legion.chart import chart_of
from sim3d.rules.legion.making import make
from sim3d.rules.legion.reach import Reach, _charted, furthest, moves_to, reach
from sim3d.rules.legion.standing import nowhere
from sim3d.space import Pose
from sim3d.table import Piece, Placed
from tests.legion import battle, mesh, notched, piece, trooper, unit
from tests.planted import SQUAD, board
from tests.reached import fault_inside, fault_outside, outside


def walled() -> Battle:
    """A trooper of 25 mm before a crate of 30: it has to go around."""
    return battle(
        trooper("Oda", 0, 0, height=25),
        unit("Wardens", "Oda"),
        piece("crate", 75, 0),
        trooper("Dorn", -60, 60),
        unit("Watch", "Dorn", side="blue"),
    )


def test_the_region_is_what_judge_calls_legal_and_nothing_else() -> None:
    on = walled()
    bends = tuple(float(b) for b in range(-90, 91, 15))
    seen = reach(on, "Wardens", RRG2, pitch_mm=32.0, bends_deg=bends)
    assert len(seen.region) > 30
    for place in seen.region:
        assert place.move is not None
        assert judge(place.move, on, RRG2) == ()
    dice = random.Random(5)
    for place in dice.sample([p for p in seen.places if not p.legal], 4):
        for move in moves_to(on, RRG2, "Wardens", "standard", bends, (place.x, place.y)):
            assert judge(move, on, RRG2) != ()
        assert seen.why(place.x, place.y) != ()
    assert seen.why(300.0, 0.0) == ("MV04",)
    assert seen.why(75.0, 0.0) == ("CL05", "MV08")
    assert seen.why(-60.0, 60.0) == ("MV10", "MV12")
    assert len(seen.levels(25.0)) == 1


def test_the_moves_of_a_notched_base_can_be_made() -> None:
    on = battle(notched("Beast", 0, 0), unit("Pack", "Beast", type="creature", speed=1))
    seen = reach(on, "Pack", RRG2, pitch_mm=40.0)
    assert seen.region
    for place in seen.region:
        assert place.move is not None
        assert judge(place.move, on, RRG2) == ()


def faults(seen: Reach, count: int, moves: int) -> list[str]:
    """Random places of a region that no legal move ends at, and moves of so many that end 2 mm beside it, in words."""
    dice = np.random.default_rng(5)
    found = [fault_inside(seen, int(k)) for k in dice.permutation(np.flatnonzero(seen.words == SURE))[:count]]
    found += [fault_outside(seen, spot, dice, moves) for spot in outside(seen, dice, count)]
    return [fault for fault in found if fault]


def test_a_region_holds_and_nothing_2_mm_beside_it_is_reached() -> None:
    on = walled()
    slow = Battle(on.table, (replace(on.units[0], speed=1), on.units[1]))
    seen = reach(slow, "Wardens", RRG2, pitch_mm=2.0)
    assert len(seen.region) > 5000
    assert faults(seen, 30, 8) == []


def test_the_furthest_bends_and_the_very_end_of_a_tool_are_reached() -> None:
    # found on a grid of moves: between two headings that the region tries, at nearly a right angle, at full length
    oda = Unit("Wardens", "red", "trooper", 2, "Oda", ("Oda",))
    on = Battle(replace(board(), minis=(Placed("Oda", SQUAD, (200.0, 0.0)),)), (oda,))
    seen = reach(on, "Wardens", RRG2, pitch_mm=40.0)
    for start, bend, travel in ((68.5, 89.5, 137.5), (234.5, -68.5, 151.5), (329.0, 0.0, 152.0)):
        move = Move("Wardens", tool=2, start_deg=start, bend_deg=bend, travel_mm=travel)
        assert judge(move, on, RRG2) == ()
        end = make(on, move, RRG2, standing=nowhere).end.at
        place = seen.at(*end)
        assert place.move is not None
        assert judge(place.move, on, RRG2) == ()
        assert make(on, place.move, RRG2, standing=nowhere).end.at == pytest.approx(end, abs=1e-9)
    assert not seen.at(200.0 + 152.0 + 1e-6, 0.0).legal


def test_nobody_comes_up_through_the_deck_of_an_arched_bridge() -> None:
    # under it the ground rises by no step; the arch comes down to 40 mm, and the deck is at 60
    oda = Unit("Wardens", "red", "trooper", 2, "Oda", ("Oda",))
    on = Battle(replace(board(), minis=(Placed("Oda", SQUAD, (0.0, -30.0)),)), (oda,))
    seen = reach(on, "Wardens", RRG2, pitch_mm=5.0)
    for spot, start, bend, travel in (((-35.0, 25.0), 128.0, -24.334, 66.243), ((25.0, 45.0), 68.0, 59.429, 81.71)):
        move = Move("Wardens", tool=1 if travel < 76.0 else 2, start_deg=start, bend_deg=bend, travel_mm=travel)
        assert [f.code for f in judge(move, on, RRG2)] == ["MOVE_TERRAIN_IN_THE_WAY"]
        assert not seen.at(*spot).legal
    under = [p for p in seen.region if abs(p.x) < 60.0 and 0.0 < p.y < 60.0]
    assert len(under) > 30
    assert all(p.z is not None and p.z < 1.0 for p in under)


def test_what_is_told_for_many_places_at_once_is_what_judge_says() -> None:
    # beside the bridge, where the deck could hang over it but does not; past walls that it steps over or not, as its
    # strides fall: those of a path, leg by leg
    oda = Unit("Wardens", "red", "trooper", 2, "Oda", ("Oda",))
    on = Battle(replace(board(), minis=(Placed("Oda", SQUAD, (0.0, -30.0)),)), (oda,))
    spots = np.array([(-24.0, -38.0), (44.0, -78.0), (78.0, -94.0)])
    spots = np.concatenate([spots, np.array((0.0, -30.0)) + np.random.default_rng(1).uniform(-100, 100, (60, 2))])
    n = len(spots)
    blank = reach(on, "Wardens", RRG2, pitch_mm=100.0)
    blank = replace(
        blank, points=spots, words=np.zeros(n, np.int64), heights=np.zeros(n), laid=np.zeros((n, 4)), findings={}
    )
    told = _charted(blank, None)
    assert np.count_nonzero(told.words == SURE) > 30
    for k in np.flatnonzero(told.words == SURE).tolist():
        assert fault_inside(told, k) == ""
    for k in np.flatnonzero(told.words != SURE)[:8].tolist():
        assert not told.at(*spots[k].tolist()).legal


def test_a_place_whose_way_ends_at_another_height_than_the_cells_tell_is_walked() -> None:
    # up a broken tower of which parts hang over the steps: the cells say 59.71 mm and more, the way comes to 59.68
    oda = Unit("Wardens", "red", "trooper", 2, "Oda", ("Oda",))
    on = Battle(replace(board(), minis=(Placed("Oda", SQUAD, (200.0, 0.0), level=15.0),)), (oda,))
    blank = reach(on, "Wardens", RRG2, pitch_mm=100.0)
    spot = np.array([(335.0, -45.0)])
    none, findings = np.zeros(1, np.int64), {}
    told = _charted(
        replace(blank, points=spot, words=none, heights=none * 0.0, laid=np.zeros((1, 4)), findings=findings), None
    )
    assert (told.words[0] == SURE) == told.at(335.0, -45.0).legal


@pytest.mark.slow
def test_a_region_of_the_sample_board_holds() -> None:  # whole: benchmarks/reach.py
    oda = Unit("Wardens", "red", "trooper", 1, "Oda", ("Oda",))
    on = Battle(replace(board(), minis=(Placed("Oda", SQUAD, (0.0, -30.0)),)), (oda,))
    assert faults(reach(on, "Wardens", RRG2, pitch_mm=2.0), 25, 40) == []


def test_what_is_denied_and_allowed_is_noticed() -> None:
    # a region that says yes everywhere, or no, is found out
    seen = reach(walled(), "Wardens", RRG2, pitch_mm=32.0)
    (wrong,) = np.flatnonzero((np.abs(seen.points - [64.0, 0.0]) < 1e-9).all(axis=1))  # on the crate
    words, laid = seen.words.copy(), seen.laid.copy()
    words[wrong], laid[wrong] = SURE, (2.0, 0.0, 0.0, 64.0)
    assert "MOVE_TERRAIN_IN_THE_WAY" in fault_inside(replace(seen, words=words, laid=laid), int(wrong))
    deaf = replace(seen, chart=None, bends_deg=(90.0,))  # knows hardly a way
    spot = (100.0, 58.0)
    assert not deaf.at(*spot).legal
    assert "about (100.0, 58.0)" in fault_outside(deaf, spot, np.random.default_rng(1))


def test_a_map_takes_the_place_of_statics() -> None:
    on = walled()
    asked = reach(on, "Wardens", RRG2, pitch_mm=8.0)
    chart = atlas(replace(on.table, minis=()), on.table.mini("Oda").mini, pitch=8.0, area=(-160, -160, 160, 160))
    mapped = reach(on, "Wardens", RRG2, atlas=chart)
    assert (mapped.pitch_mm, len(mapped.region)) == (8.0, len(asked.region))
    assert (mapped.words == asked.words).all()
    with pytest.raises(ValueError, match="the map is for a base 27"):
        reach(battle(notched("Brann", 0, 0), unit("Wardens", "Brann", type="ground")), "Wardens", RRG2, atlas=chart)


def test_what_a_chart_is_sure_of_is_so_when_it_is_walked() -> None:
    # among a crate, rubble that slows, a pillar and a walker in the way; where it is not sure it says so
    on = battle(
        trooper("Oda", 0.3, 0.2, height=28),
        unit("Wardens", "Oda"),
        piece("crate", 81.7, 33.3),
        piece("tile", -140.1, -20.7, trooper="difficult"),
        piece("pillar", 10.5, -61.3),
        notched("Grinder", -60.6, 70.3, base="70n"),
        unit("Grinders", "Grinder", type="ground", speed=1),
    )
    chart, _ = chart_of(on, on.unit("Wardens"), RRG2)
    assert chart is not None
    dice = np.random.default_rng(3)
    spots = np.array([0.3, 0.2]) + dice.uniform(-150, 150, (400, 2))
    ways = chart.ways(spots, np.empty((len(spots), 0, 2)))
    assert np.bincount(ways.states, minlength=3)[[0, 2]].min() > 100
    assert np.count_nonzero(ways.states == 1) < 4
    way_codes = ("MOVE_TERRAIN_IN_THE_WAY", "MOVE_DROP_TOO_DEEP", "MOVE_MINI_IN_THE_WAY", "MOVE_TOOL_TOO_FAST")
    for k in np.flatnonzero(ways.states == 2)[:120]:
        made = make(on, chart.move(ways.laid[k]), RRG2, standing=nowhere)
        assert made.end.at == pytest.approx(tuple(spots[k]), abs=1e-9)
        assert not [f for f in judged(made) if f.code in way_codes]
        assert ways.heights[k, 0] - 1e-3 <= made.track.heights[-1] <= ways.heights[k, 1] + 1e-3  # type: ignore[union-attr]
    for k in np.flatnonzero((ways.states == 0) & (np.hypot(*(spots - [0.3, 0.2]).T) < 150))[:25]:
        for move in moves_to(on, RRG2, "Wardens", "standard", (-70.0, -20.0, 30.0, 80.0), tuple(spots[k])):
            assert [f for f in judged(make(on, move, RRG2, standing=nowhere)) if f.code in way_codes], (spots[k], move)


def test_over_a_gap_between_roofs_a_chart_and_a_walk_agree() -> None:
    # as wide as the base: some strides lead over it, some end wholly over it; narrower, with the far roof higher: its
    # rim is carried up there while its middle hangs
    wide, _, high = mesh("crate").bounds[1]
    edge = 3.0 * wide
    for gap, scale in ((27.3, 3.0), (27.9, 3.0), (28.8, 3.0), (15.0, 3.3), (24.0, 3.1), (31.0, 3.0)):
        beyond = Piece("beyond", mesh("crate"), Pose.at(edge + gap + wide * scale, 5.0), scale)
        on = battle(
            trooper("Oda", edge - 25.0, 0.0, height=25), unit("Wardens", "Oda"), piece("crate", 0, 0, scale=3.0), beyond
        )
        chart, still = chart_of(on, on.unit("Wardens"), RRG2)
        assert chart is not None
        assert still.feet == pytest.approx(3.0 * high)
        dice = np.random.default_rng(int(10 * gap))
        spots = np.column_stack([dice.uniform(edge, edge + gap + 40.0, 60), dice.uniform(-30.0, 30.0, 60)])
        ways = chart.ways(spots, np.empty((len(spots), 0, 2)))
        for spot, state, laid in zip(spots, ways.states, ways.laid, strict=True):
            over = [chart.move(laid)] if state == SURE else moves_to(on, RRG2, "Wardens", "standard", (), tuple(spot))
            codes = [{f.code for f in judged(make(on, move, RRG2, standing=nowhere))} for move in over]
            stopped = [bool(c & {"MOVE_DROP_TOO_DEEP", "MOVE_TERRAIN_IN_THE_WAY", "MOVE_TOOL_TOO_FAST"}) for c in codes]
            assert not any(stopped) if state == SURE else state == 1 or all(stopped), (gap, tuple(spot), state, codes)
        assert np.count_nonzero(ways.states == 1) < 3


def test_a_chart_is_kept_for_the_same_battle_and_no_other() -> None:
    on = walled()
    first = chart_of(on, on.unit("Wardens"), RRG2)[0]
    again = Battle(replace(on.table), on.units)
    assert chart_of(again, again.unit("Wardens"), RRG2)[0] is first
    moved = replace(on.table.mini("Dorn"), at=(-60.0, 61.0))
    other = Battle(replace(on.table, minis=(on.table.mini("Oda"), moved)), on.units)
    assert chart_of(other, other.unit("Wardens"), RRG2)[0] is not first
    slower = other.with_unit(replace(other.unit("Wardens"), speed=1))
    assert len(chart_of(slower, slower.unit("Wardens"), RRG2)[0].fans) == 1  # type: ignore[union-attr]


def test_a_bend_reaches_behind_a_corner_that_no_straight_tool_passes() -> None:
    on = walled()
    behind = (100.0, 58.0)
    straight = reach(on, "Wardens", RRG2, pitch_mm=200.0, bends_deg=())
    bent = reach(on, "Wardens", RRG2, pitch_mm=200.0, bends_deg=tuple(float(b) for b in range(-90, 91, 5)))
    assert not straight.at(*behind).legal
    assert bent.at(*behind).legal


def test_moves_to_a_place_end_exactly_there() -> None:
    from sim3d.rules.legion import make

    round_one, with_notch = walled(), battle(notched("Brann", 0, 0), unit("Wardens", "Brann", type="ground", speed=3))
    for on, at in ((round_one, (40.0, -90.0)), (round_one, (-20.0, 5.0)), (with_notch, (150.0, 40.0))):
        moves = list(moves_to(on, RRG2, "Wardens", "standard", (-60.0, 30.0, 90.0), at))
        assert moves
        for move in moves:
            assert make(on, move, RRG2).end.at == pytest.approx(at, abs=1e-9)
    assert not list(moves_to(with_notch, RRG2, "Wardens", "standard", (), (-50.0, 0.0)))
    for bend in (-42.54, -41.08, -33.05, 61.9):  # the very end of a tool, which rounding puts a hair beyond it
        whole = Move("Wardens", tool=3, bend_deg=bend)
        end = make(with_notch, whole, RRG2, standing=nowhere).end.at
        (there,) = (m for m in moves_to(with_notch, RRG2, "Wardens", "standard", (), end) if m.tool == 3)
        assert make(with_notch, there, RRG2, standing=nowhere).end.at == pytest.approx(end, abs=1e-6)


def test_the_furthest_place_along_a_tool() -> None:
    on = walled()
    # the face of the crate is at 35 mm, the rim 13.5 before the middle; 0.05 mm of touch are allowed
    assert furthest(on, Move("Wardens", tool=2), RRG2) == pytest.approx(21.55, abs=0.01)
    assert furthest(on, Move("Wardens", tool=2, start_deg=180), RRG2) == pytest.approx(152.0)
    # over an edge, down to the last tenth that stands: 15 tan 5° = 1.31 mm inside
    up = battle(trooper("Oda", 0, 0, height=25), unit("Wardens", "Oda"), piece("crate", 0, 0))
    assert furthest(up, Move("Wardens", tool=2), RRG2) == pytest.approx(38.6, abs=1e-9)
    assert furthest(up, Move("Wardens", tool=3), RRG2) is None
    with pytest.raises(ValueError, match="lays no tool"):
        furthest(up, Move("Wardens", "climb"), RRG2)
