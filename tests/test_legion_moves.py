"""Moves on terrain: limits a tenth either side, several faults at once, laws that hold for every table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim3d.finding import Refused
from sim3d.mini import Base, Mini
from sim3d.plane import Outline
from sim3d.rules.legion import RRG2, Battle, Follower, Move, Options, asking, judge, play
from sim3d.rules.legion.reach import furthest
from sim3d.solid import Solid
from sim3d.space import Pose
from sim3d.table import Piece, Placed
from tests.codes import codes_of, fires, silent
from tests.legion import battle, joined, judged, mesh, notched, piece, trooper, unit


def leaning(deg: float, x: float, y: float) -> Piece:
    """The 45-degree ramp, leaned to another slope; its toe is on the floor, 80 mm before its middle."""
    up = 80.0 * math.sin(math.radians(45.0 - deg))
    return Piece("ramp", mesh("ramp-45"), Pose.at(x, y, -up) @ Pose.turned((0, 1, 0), 45.0 - deg))


@pytest.mark.parametrize(
    ("slope", "com", "codes"),
    [
        (44.9, 11.0, ()),
        (45.1, 11.0, ("END_TOO_STEEP",)),
        # com 15 over 13.5 mm of rim: it goes over at atan(13.5 / 15) = 42 degrees, is precarious from 37 on
        (40.0, 15.0, ("END_PRECARIOUS",)),
        (36.5, 15.0, ()),
        (44.9, 15.0, ("END_DOES_NOT_STAND",)),
    ],
)
def test_partly_up_a_slope(slope: float, com: float, codes: tuple[str, ...]) -> None:
    on = battle(trooper("Oda", 0, 0, com=com), unit("Wardens", "Oda"), leaning(slope, 100, 0))
    assert codes_of(judge(Move("Wardens", tool=2, travel_mm=33.0), on, RRG2)) == codes


@pytest.mark.parametrize(
    ("inside", "codes"),
    [(1.4123, ()), (1.2123, ("END_PRECARIOUS",)), (0.1, ("END_PRECARIOUS",)), (-0.1, ("END_DOES_NOT_STAND",))],
)
def test_over_a_ledge(inside: float, codes: tuple[str, ...]) -> None:
    # h tan 5° = 15 * 0.08749 = 1.3123 mm
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"), piece("crate", 0, 0))
    move = Move("Wardens", tool=2, travel_mm=40.0 - inside)
    assert codes_of(judge(move, on, RRG2)) == codes
    assert codes_of(judge(move, on, RRG2, standing=asking("always"))) == codes


def test_a_notched_base_ends_at_an_angle() -> None:
    for slope, codes in ((20.0, ()), (30.0, ("END_PRECARIOUS",))):
        # com 40 over 23.8 mm of rim towards the notch's corners: tips at 30 degrees across
        mini = Placed("Brann", Mini("50n", height=60, com=40), (0, 0))
        on = battle(mini, unit("Riders", "Brann", type="ground", speed=2), leaning(slope, 130, 0))
        seen = play(Move("Riders", tool=1, travel_mm=100.0), on, RRG2)
        assert codes_of(seen.findings)[:1] in (codes, ("END_DOES_NOT_STAND",) if codes else ())
        if not codes:
            assert seen.made.stands[0].tilt_deg == pytest.approx(slope, abs=0.01)


def test_every_fault_of_a_move_is_told_at_once() -> None:
    on = battle(
        trooper("Oda", 0, 0, height=25),
        trooper("Fenn", -30, 0),
        unit("Wardens", "Oda", minis=("Oda", "Fenn")),
        trooper("Dorn", 202, 0),
        unit("Watch", "Dorn", side="blue"),
        piece("crate", 90, 0, all="impassable"),
    )
    seen = judge(Move("Wardens", tool=3, travel_mm=202.1), on, RRG2)
    assert codes_of(seen) == (
        "MOVE_TOOL_TOO_FAST",
        "MOVE_BEYOND_TOOL",
        "MOVE_TERRAIN_IN_THE_WAY",
        "MOVE_THROUGH_IMPASSABLE",
        "END_ON_MINI",
        "END_TOUCHES_ENEMY",
        "FOLLOWER_TOO_FAR",
    )
    assert len({f.message for f in seen}) == len(seen)


def test_stairs_are_walked_up_though_they_are_higher_than_a_step() -> None:
    # six steps of 6 mm, each within the step of a ground vehicle of 13 mm; together they are not
    low = Placed("Brann", Mini("27", height=13, com=5), (-60, 0))
    on = battle(low, unit("Riders", "Brann", type="ground", speed=2), piece("stairs", 0, 0))
    assert codes_of(judge(Move("Riders", tool=2, travel_mm=91.0), on, RRG2)) in ((), ("END_PRECARIOUS",))
    lower = Placed("Brann", Mini("27", height=11.9, com=5), (-60, 0))
    on = battle(lower, unit("Riders", "Brann", type="ground", speed=2), piece("stairs", 0, 0))
    assert "MOVE_TERRAIN_IN_THE_WAY" in codes_of(judge(Move("Riders", tool=2, travel_mm=91.0), on, RRG2))


def test_a_low_long_vehicle_drives_up_a_slope_though_its_nose_is_over_its_step() -> None:
    # 40 mm tall steps over 20; at 30 degrees the middle half of its 175 mm rises by 25 before its middle does
    crawler = Placed("Brann", Mini("100x175n", height=40, com=10), (0, 0))
    on = battle(crawler, unit("Crawlers", "Brann", type="ground", speed=3), leaning(30.0, 180, 0), size=(2000, 900))
    seen = play(Move("Crawlers", tool=1, travel_mm=195.0), on, RRG2)
    assert seen.legal, [f.message for f in seen.findings]
    assert seen.made.end.level is None
    assert seen.made.stands[0].tilt_deg == pytest.approx(30.0, abs=0.01)


def test_flush_with_a_pier_under_a_bridge() -> None:
    # the pier's face is at x = 50, the rim 13.5 beside the middle; the deck hangs 45 over it
    for x, codes in ((36.5, ()), (36.6, ("MOVE_TERRAIN_IN_THE_WAY",))):
        on = battle(trooper("Oda", 0, 60), unit("Wardens", "Oda"), piece("bridge", 0, 0))
        way = Move("Wardens", tool=1, start_deg=math.degrees(math.atan2(-60, x)), travel_mm=math.hypot(60, x))
        assert codes_of(judge(way, on, RRG2)) == codes


def test_under_a_bridge_and_over_it() -> None:
    # the deck's underside is at 45, its top at 50: a mini of 44 goes under, one of 46 meets its edge, a jump goes over
    for height, codes in ((44.0, ()), (46.0, ("MOVE_TERRAIN_IN_THE_WAY",))):
        on = battle(trooper("Oda", 0, 76, height=height), unit("Wardens", "Oda"), piece("bridge", 0, 0))
        seen = judge(Move("Wardens", tool=2, start_deg=270), on, RRG2)
        assert codes_of(seen) == codes
    on = battle(trooper("Oda", 0, 76, height=46), unit("Wardens", "Oda", keywords=("jump 1",)), piece("bridge", 0, 0))
    jump = play(Move("Wardens", tool=2, start_deg=270, jump=True, travel_mm=76), on, RRG2)
    assert (jump.legal, jump.made.stands[0].pose.place[2]) == (True, pytest.approx(50.0))  # type: ignore[union-attr]


def test_a_mini_ends_below_what_hangs_over_it() -> None:
    on = battle(trooper("Oda", 0, 76), unit("Wardens", "Oda"), piece("bridge", 0, 0))
    seen = play(Move("Wardens", tool=2, start_deg=270, travel_mm=76), on, RRG2)
    assert (seen.legal, seen.made.stands[0].pose.place[2]) == (True, pytest.approx(0.0))  # type: ignore[union-attr]
    assert seen.battle.table.mini("Oda").level is not None


def test_who_passes_whom() -> None:
    def codes(mover: str, other: str, *, engaged: bool = False) -> tuple[str, ...]:
        more = (trooper("Held", 0, 127), unit("Held", "Held", side="red")) if engaged else ()
        on = battle(
            notched("Oda", -100, 100),
            unit("Wardens", "Oda", type=mover, speed=3),
            trooper("Dorn", 0, 100),
            unit("Watch", "Dorn", side="blue", type=other),
            *more,
        )
        return codes_of(judge(Move("Wardens", tool=3), on, RRG2))

    blocked = ("MOVE_MINI_IN_THE_WAY",)
    assert codes("trooper", "trooper") == codes("trooper", "repulsor") == codes("repulsor", "ground") == ()
    assert codes("trooper", "ground") == codes("trooper", "creature") == codes("trooper", "emplacement") == blocked
    assert codes("ground", "trooper") == codes("creature", "trooper") == ()
    assert codes("ground", "emplacement") == codes("ground", "ground") == codes("creature", "repulsor") == blocked
    assert codes("ground", "trooper", engaged=True) == blocked


def test_options_are_read_where_texts_are_silent() -> None:
    on = battle(trooper("Oda", 0, 0, height=29), unit("Wardens", "Oda"), piece("crate", 0, 0))
    move = Move("Wardens", tool=2)
    assert codes_of(judge(move, on, RRG2)) == ("MOVE_DROP_TOO_DEEP",)
    free = replace(RRG2, options=Options(deep_drop="free"))
    assert judge(move, on, free) == ()


# --- laws -------------------------------------------------------------------------------------------------------------


def turned(on: Battle, deg: float) -> Battle:
    """The whole table about its middle; it has no edge."""
    spin = Pose.at(0, 0, turn=deg)

    def at(p: tuple[float, float]) -> tuple[float, float]:
        x, y, _ = spin.apply([[*p, 0.0]])[0]
        return float(x), float(y)

    pieces = tuple(replace(p, pose=spin @ p.pose) for p in on.table.pieces)
    minis = tuple(replace(m, at=at(m.at), turn=m.turn + deg) for m in on.table.minis)
    return Battle(replace(on.table, pieces=pieces, minis=minis), on.units)


def mirrored(on: Battle) -> Battle:
    """The whole table across the x axis; every piece of these tables is its own mirror image."""
    pieces = tuple(
        replace(p, pose=Pose((p.pose.place[0], -p.pose.place[1], p.pose.place[2]), p.pose.spin))
        for p in on.table.pieces
    )
    minis = tuple(replace(m, at=(m.at[0], -m.at[1]), turn=-m.turn) for m in on.table.minis)
    return Battle(replace(on.table, pieces=pieces, minis=minis), on.units)


MOVES = st.builds(
    Move,
    st.just("Wardens"),
    tool=st.sampled_from([1, 2, 3]),
    start_deg=st.integers(0, 359).map(float),
    bend_deg=st.integers(-95, 95).map(float),
    travel_mm=st.one_of(st.none(), st.integers(0, 180).map(float)),
)


def crowded() -> Battle:
    return battle(
        trooper("Oda", 0.3, 0.2, height=28),
        unit("Wardens", "Oda"),
        piece("crate", 81.7, 33.3),
        piece("tile", -140.1, -20.7, trooper="difficult"),
        piece("pillar", 10.5, -61.3),
        trooper("Dorn", -30.2, 97.4),
        unit("Watch", "Dorn", side="blue"),
        notched("Grinder", 60.6, -98.3, base="70n"),
        unit("Grinders", "Grinder", type="ground", speed=1),
        size=None,
    )


@settings(max_examples=25, deadline=None)
@given(move=MOVES, deg=st.integers(1, 359))
def test_turning_and_mirroring_the_table_changes_no_judgement(move: Move, deg: int) -> None:
    on = crowded()
    plain = codes_of(judge(move, on, RRG2))
    start = move.start_deg or 0.0
    assert codes_of(judge(replace(move, start_deg=start + deg), turned(on, float(deg)), RRG2)) == plain
    other = replace(move, start_deg=-start, bend_deg=-move.bend_deg)
    assert codes_of(judge(other, mirrored(on), RRG2)) == plain


@settings(max_examples=25, deadline=None)
@given(start=st.integers(0, 359), travel=st.floats(0, 102))
def test_a_faster_straight_tool_makes_nothing_illegal_that_a_slower_one_allowed(start: int, travel: float) -> None:
    # both within the unit's own speed, and no difficult terrain that would take that from it
    on = crowded()
    clear = Battle(replace(on.table, pieces=tuple(p for p in on.table.pieces if p.name != "tile")), on.units)
    slow = judge(Move("Wardens", tool=1, start_deg=float(start), travel_mm=travel), clear, RRG2)
    fast = judge(Move("Wardens", tool=2, start_deg=float(start), travel_mm=travel), clear, RRG2)
    assert codes_of(slow) == codes_of(fast)


@settings(max_examples=15, deadline=None)
@given(move=MOVES)
def test_the_same_move_is_judged_the_same_twice_and_put_straight_it_is_judged_as_if_slid(move: Move) -> None:
    on = crowded()
    assert judge(move, on, RRG2) == judge(move, on, RRG2)
    straight = codes_of(judge(replace(move, direct=True), on, RRG2))
    assert tuple(c for c in straight if c != "MOVE_WAY_NOT_FREE") == codes_of(judge(move, on, RRG2))


def test_a_follower_is_judged_where_it_is_put() -> None:
    on = battle(trooper("Oda", 0, 0), trooper("Fenn", 0, 40), unit("Wardens", "Oda", minis=("Oda", "Fenn")),
                piece("crate", 152, 90))  # fmt: skip
    put = Move("Wardens", tool=2, followers=(Follower("Fenn", (152.0, 50.1)),))
    assert codes_of(judge(put, on, RRG2)) == ("END_PRECARIOUS",)
    farther = replace(put, followers=(Follower("Fenn", (152.0, 55.0)),))
    assert play(farther, on, RRG2).battle.table.mini("Fenn").at == (152.0, 55.0)


def test_an_outline_of_1200_corners_walks_and_stands_as_the_round_one() -> None:
    # corners on the circle: between two the ring is 13.5 (1 - cos(pi / 1200)) = 0.05 micron inside it
    corners = [(13.5 * math.cos(a), 13.5 * math.sin(a)) for a in np.arange(1200) * math.pi / 600]
    many = Mini(Base("ring", Outline.polygon_of(corners)), height=25.0, com=15.0)
    ends = []
    for mini in (many, Mini("27", height=25.0, com=15.0)):
        on = battle(Placed("Oda", mini, (0.0, 0.0)), unit("Wardens", "Oda"), piece("crate", 75, 0))
        ends.append(furthest(on, Move("Wardens", tool=2), RRG2))
        assert judge(Move("Wardens", tool=2, start_deg=90.0), on, RRG2) == ()
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("ground", "Watch is a ground vehicle"),
        ("repulsor", "Watch is a repulsor"),
        ("creature", "Watch is a creature"),
        ("emplacement", "Watch is an emplacement"),
        ("trooper", "Watch is engaged, nobody pushes it aside"),
        ("", "it belongs to no unit that plays"),
    ],
)
def test_who_is_stopped_by_a_mini_hears_why_it_neither_passes_nor_pushes(kind: str, why: str) -> None:
    walker = (notched("Tank", 0, 0, height=60), unit("Walkers", "Tank", type="ground"))
    watch = (unit("Watch", "Dorn", side="blue", type=kind),) if kind else ()
    foe = (trooper("Oda", 70, 27), unit("Wardens", "Oda")) if kind == "trooper" else ()
    on = battle(*walker, trooper("Dorn", 70, 0), *watch, *foe)
    told = [f.message for f in judge(Move("Walkers", tool=1), on, RRG2) if f.code == "MOVE_MINI_IN_THE_WAY"]
    # 70 - 25 - 13.5, and 0.05 of touch
    assert told[0] == f"Dorn stops it after 31.55 mm: {why}"


# --- speed-x, jumps, climbs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deg", [0.0, 33.0, 200.0])
@pytest.mark.parametrize(("eave", "room"), [(0.2, True), (5.0, True), (12.0, True), (13.6, False), (30.0, False)])
def test_an_eave_is_climbed_around_unless_it_is_over_the_middle_of_the_base(
    eave: float, room: bool, deg: float
) -> None:
    # the leader's middle is 13.5 mm before the wall; the roof goes out over it, its top is 60 mm high
    house = joined("house", ((0, -40, 0), (100, 40, 50)), ((-eave, -40, 50), (100, 40, 60)))
    below = replace(trooper("Oda", -13.5, 0), level=45.0)
    up = play(Move("Wardens", "climb"), turned(battle(house, below, unit("Wardens", "Oda"), size=None), deg), RRG2)
    assert codes_of(up.findings) == (() if room else ("CLIMB_NO_ROOM",))
    if room:
        a = math.radians(deg)
        assert up.made.end.at == pytest.approx(((13.5 - eave) * math.cos(a), (13.5 - eave) * math.sin(a)), abs=0.02)
        (stand,) = up.made.stands
        assert stand.pose is not None
        assert stand.pose.place[2] == pytest.approx(60.0)


def battered(inset: float) -> Piece:
    """A house 100 mm high whose front wall leans back by so much."""
    low, high = [(0, -80), (150, -80), (150, 80), (0, 80)], [(inset, -80), (150, -80), (150, 80), (inset, 80)]
    corners = [(*p, 0) for p in low] + [(*p, 100) for p in high]
    sides = [(k, (k + 1) % 4, (k + 1) % 4 + 4) for k in range(4)] + [(k, (k + 1) % 4 + 4, k + 4) for k in range(4)]
    return Piece("house", Solid.of(corners, [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), *sides]), Pose.at(0, 0))


@pytest.mark.parametrize("deg", [0.0, 61.0])
@pytest.mark.parametrize("inset", [5.0, 13.0, 13.5, 14.0, 17.6, 40.0, 57.0, 62.0, 99.0])
def test_who_climbed_up_a_wall_that_leans_climbs_down_to_its_foot(inset: float, deg: float) -> None:
    # the middle of a base of radius 13.5 is 13.5 mm before the foot, and as much behind the edge
    on = battle(battered(inset), trooper("Oda", -13.5, 0), unit("Wardens", "Oda"), size=None)
    up = play(Move("Wardens", "climb", free=True), turned(on, deg), RRG2)
    down = play(Move("Wardens", "climb", up=False), up.battle, RRG2)
    assert (codes_of(up.findings), codes_of(down.findings)) == ((), ())
    a = math.radians(deg)
    along = [math.cos(a) * x + math.sin(a) * y for x, y in (up.made.end.at, down.made.end.at)]
    assert along[0] == pytest.approx(13.5 + inset, abs=0.02)
    assert along[1] == pytest.approx(-13.5, abs=0.55)  # the foot is told to half a millimetre


@pytest.mark.parametrize(("roof", "end"), [(80.0, 13.5), (130.0, 13.5)])
def test_a_sill_that_carries_nobody_is_climbed_past_to_where_there_is_room(roof: float, end: float) -> None:
    # 6 mm wide, 47 mm high; as a part of the mesh it goes on within the wall, where nobody stands
    house = joined("house", ((0, -40, 0), (100, 40, roof)), ((-6, -40, 45), (20, 40, 47)))
    on = battle(house, replace(trooper("Oda", -13.5, 0), level=43.0), unit("Wardens", "Oda"))
    up = play(Move("Wardens", "climb"), on, RRG2)
    assert codes_of(up.findings) == ()
    assert up.made.end.at == (pytest.approx(end, abs=0.02), pytest.approx(0.0, abs=0.02))
    (stand,) = up.made.stands
    assert stand.pose is not None
    assert stand.pose.place[2] == pytest.approx(roof)


def test_a_speed_x_move_takes_the_tool_that_it_allows() -> None:
    on = battle(trooper("Oda", 0, 0), unit("Wardens", "Oda"))
    seen = play(Move("Wardens", speed_x=1), on, RRG2)
    assert seen.legal, codes_of(seen.findings)
    assert seen.made.tool is not None
    assert seen.made.tool.speed == 1


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


def test_a_clamber_without_dice_hears_what_else_is_wrong() -> None:
    def heard(x: float) -> Refused:
        on = battle(piece("crate", x, 0, scale=2.0), trooper("Oda", 0, 0), unit("Wardens", "Oda"))
        with pytest.raises(Refused, match="rolls 1 die") as caught:
            play(Move("Wardens", kind="clamber"), on, RRG2)
        return caught.value

    assert fires("CLIMB_NO_CONTACT", heard(94.5))
    assert silent("CLIMB_NO_CONTACT", heard(93.5))
