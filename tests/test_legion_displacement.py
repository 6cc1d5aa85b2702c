"""Displacement driven by two players, step by step, and what one activation costs."""

from __future__ import annotations

import math
from dataclasses import replace

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Follower, Move, judge, play
from sim3d.rules.legion.displacement import put_back, set_aside
from sim3d.rules.legion.standing import exact
from sim3d.table import Placed
from tests.codes import codes_of, fires, silent
from tests.legion import battle, notched, trooper, unit


def crossed() -> Battle:
    """A walker before a leader with one mini beside it, and a mini of its own side."""
    return battle(
        notched("Grinder", 0, 0, base="100n", height=80),
        unit("Grinders", "Grinder", type="ground", speed=1),
        trooper("Dorn", 110, 0),
        trooper("Mott", 110, 90),
        unit("Watch", "Dorn", side="blue", minis=("Dorn", "Mott")),
        trooper("Oda", 130, -40),
        unit("Wardens", "Oda"),
    )


def test_two_players_drive_the_steps() -> None:
    on = crossed()
    aside = set_aside(on, ("Dorn", "Oda"), on.unit("Grinders"))
    assert [m.name for m in aside.minis] == ["Dorn", "Oda"]
    assert [u.name for u in aside.units] == ["Watch", "Wardens"]
    assert aside.by == ("blue",)
    between = on.without(("Dorn", "Oda"))
    between = replace(between, table=between.table.moved("Grinder", at=(169.0, 0.0)))
    back = put_back(between, aside, (Follower("Dorn", (90.0, 80.0)),), RRG2, exact)
    places = {b.mini.name: b for b in back.backs}
    assert places["Dorn"].mini.at == (90.0, 80.0)
    assert places["Dorn"].from_mark_mm < 0
    assert places["Dorn"].on == ("Mott",)  # the choice overlaps: told, not corrected
    assert places["Oda"].set_aside
    assert places["Oda"].on == places["Oda"].touches == ()
    assert places["Oda"].stand.answer == "stable"


def test_a_unit_displaced_twice_in_one_activation_gains_one_suppression() -> None:
    on = crossed()
    first = play(Move("Grinders", displaced=(Follower("Dorn", (60.0, 80.0)),)), on, RRG2)
    assert (first.legal, first.suppressed) == (True, ("Watch", "Wardens"))
    again = play(Move("Grinders", "reverse", travel_mm=160), first.battle, RRG2)
    pushed = set(again.displaced)
    assert again.legal
    assert again.suppressed == ()
    assert [u.state.suppression for u in again.battle.units] == [0, 1, 1]
    fresh = again.battle.with_unit(again.battle.unit("Grinders").after(done=(), pushed=()))
    third = play(Move("Grinders"), fresh, RRG2)  # the next activation
    assert set(third.suppressed) <= {"Watch", "Wardens"}
    assert bool(third.suppressed) == bool(third.displaced)
    assert pushed or third.displaced


def test_who_is_put_back_is_put_back_the_same_way_twice() -> None:
    on = crossed()
    once, twice = (play(Move("Grinders"), on, RRG2) for _ in range(2))
    assert once.battle.table.minis == twice.battle.table.minis
    assert once.displaced == ("Dorn", "Oda")
    for name in once.displaced:
        assert once.battle.table.mini(name).at != on.table.mini(name).at


def crowd(keep_off: list[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """Places of 27 mm bases within 130 mm of the middle, so close that no other fits between them."""
    x0, y0, _ = keep_off[0]
    grid = [(3.0 * i, 3.0 * j) for i in range(-44, 45) for j in range(-44, 45) if math.hypot(3 * i, 3 * j) < 130]
    taken: list[tuple[float, float]] = []
    for at in sorted(grid, key=lambda p: math.dist(p, (x0, y0))):
        if all(math.dist(at, (x, y)) >= r for x, y, r in keep_off) and all(math.dist(at, t) >= 27.02 for t in taken):
            taken.append(at)
    return taken


def test_without_room_the_unit_is_named_and_nothing_is_played() -> None:
    # Mott stands in the last gap about its leader, and the walker, which moves 14 mm, takes that
    places = crowd([(30, 25, 27.02), (0, 0, 27.02), (90, 0, 63.6), (76, 0, 63.6)])
    on = battle(
        trooper("Dorn", 0, 0),
        trooper("Mott", 30, 25),
        unit("Watch", "Dorn", side="blue", minis=("Dorn", "Mott")),
        *(trooper(f"Knox-{i}", *at) for i, at in enumerate(places)),
        Placed("Grinder", Mini("100n", height=80), (90.0, 0.0), 180.0),
        unit("Grinders", "Grinder", type="ground", speed=1),
    )
    move = Move("Grinders", travel_mm=14)
    seen = play(move, on, RRG2)
    assert fires("DISPLACED_NO_ROOM", seen.findings)
    assert seen.battle == on
    empty = Battle(replace(on.table, minis=tuple(m for m in on.table.minis if "Knox" not in m.name)), on.units)
    assert silent("DISPLACED_NO_ROOM", play(move, empty, RRG2).findings)


def test_choices_are_judged_like_any_place() -> None:
    on = crossed()
    near = Move("Grinders", displaced=(Follower("Dorn", (169.0, 63.6)),))
    assert "DISPLACED_TOUCHES_ENEMY" not in codes_of(judge(near, on, RRG2))
    flush = Move("Grinders", displaced=(Follower("Dorn", (169.0, 63.5)),))
    assert "DISPLACED_TOUCHES_ENEMY" in codes_of(judge(flush, on, RRG2))
    other = Move("Grinders", displaced=(Follower("Mott", (110.0, 120.0)),))
    assert "DISPLACED_WITHOUT_NEED" in codes_of(judge(other, on, RRG2))
