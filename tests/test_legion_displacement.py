"""Displacement driven by two players, step by step, and what one activation costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from sim3d.finding import Refused
from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Follower, Move, Unit, feet_mm, judge, play
from sim3d.rules.legion.putback import put_back, set_aside
from sim3d.rules.legion.standing import exact
from sim3d.table import Piece, Placed, Token
from tests.codes import codes_of, fires, silent
from tests.legion import battle, block, judged, notched, trooper, unit


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


def test_who_stays_while_its_leader_is_set_aside_is_an_enemy_still() -> None:
    on = battle(
        notched("Ram", 0, 0), unit("Rams", "Ram", type="creature", speed=1),
        trooper("Oda", 43, 71), unit("Wardens", "Oda"),
        trooper("Dorn", 42, 16), trooper("Mott", 21, 91), unit("Watch", "Dorn", side="blue", minis=("Dorn", "Mott")),
    )  # fmt: skip
    seen = play(Move("Rams", bend_deg=83.0), on, RRG2)
    assert (seen.displaced, [f.message for f in seen.findings]) == (("Oda", "Dorn"), [])  # not put against Mott
    mott = on.without(("Dorn",)).unit_of("Mott")
    assert mott is not None
    assert (mott.name, mott.side, mott.minis) == ("Watch", "blue", ("Mott",))


def test_who_stays_while_its_leader_is_set_aside_bars_no_way_of_cohesion() -> None:
    on = battle(
        notched("Ram", 0, 0), notched("Ewe", -60, 0),
        unit("Rams", "Ram", type="creature", speed=1, minis=("Ram", "Ewe")),
        trooper("Dorn", 60, 0), trooper("Mott", 119, 48), unit("Watch", "Dorn", side="blue", minis=("Dorn", "Mott")),
    )  # fmt: skip
    seen = play(Move("Rams", followers=(Follower("Ewe", (119.0, 100.0)),)), on, RRG2)
    assert (seen.displaced, [f.message for f in seen.findings]) == (("Dorn",), [])  # Mott is a plain trooper


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


# --- where they are put back by themselves ----------------------------------------------------------------------------


def squad(*names: str) -> Unit:
    return unit("Watch", names[0], side="blue", minis=names)


GRINDERS = unit("Grinders", "Grinder", type="ground", speed=2)


def test_a_leader_is_not_put_onto_its_own_mini_that_stays() -> None:
    # the nearest place to its mark that the walker leaves free is half on Mott, who was not displaced
    on = battle(
        notched("Grinder", -120, 0, height=80), GRINDERS, trooper("Dorn", -10, 0), trooper("Mott", 17.5, 0),
        squad("Dorn", "Mott"),
    )  # fmt: skip
    seen = play(Move("Grinders", tool=1, travel_mm=76), on, RRG2)
    assert (seen.displaced, codes_of(seen.findings)) == (("Dorn",), ())
    assert seen.battle.table.mini("Mott").at == (17.5, 0.0)
    told = Move("Grinders", tool=1, travel_mm=76, displaced=(Follower("Dorn", (-5.4, 0.0)),))
    assert fires("DISPLACED_WRONG_PLACE", play(told, on, RRG2).findings)


def test_a_leader_is_not_put_where_one_of_its_own_is_said_to_go() -> None:
    on = battle(
        notched("Grinder", -120, 0, height=80), GRINDERS, trooper("Dorn", -10, 0), trooper("Mott", -10, 27),
        squad("Dorn", "Mott"),
    )  # fmt: skip
    move = Move("Grinders", tool=1, travel_mm=86)
    alone = play(move, on, RRG2)
    assert set(alone.displaced) == {"Dorn", "Mott"}
    taken = alone.battle.table.mini("Dorn").at
    seen = judge(replace(move, displaced=(Follower("Mott", taken),)), on, RRG2)
    assert silent("DISPLACED_WRONG_PLACE", seen)


def beam() -> Piece:
    """A low beam that is as wide as half a base, and as long as holds two of them and a walker's nose."""
    return block("beam", (-60.0, -8.0, 0.0), (33.5, 8.0, 30.0))


def test_a_leaders_elevation_has_no_room_where_its_own_mini_stands() -> None:
    on = battle(
        beam(), notched("Grinder", -150, 0, height=80), GRINDERS, trooper("Dorn", -20, 0), trooper("Mott", 20, 0),
        squad("Dorn", "Mott"),
    )  # fmt: skip
    move = Move("Grinders", travel_mm=107)
    assert silent("DISPLACED_OFF_ELEVATION", judge(move, on, RRG2))
    down = replace(move, displaced=(Follower("Dorn", (0.0, 60.0)),))
    assert silent("DISPLACED_OFF_ELEVATION", judge(down, on, RRG2))
    alone = Battle(on.table.without("Mott"), (GRINDERS, squad("Dorn")))
    assert fires("DISPLACED_OFF_ELEVATION", judge(down, alone, RRG2))  # there it has room


def test_each_mini_stays_on_its_own_elevation() -> None:
    pad = block("pad", (-90.0, -30.0, 0.0), (-30.0, 30.0, 30.0))
    for order in (("Dorn", "Mott", "Knox"), ("Dorn", "Knox", "Mott")):
        on = battle(
            pad, notched("Grinder", -210, 0, height=80), GRINDERS,
            trooper("Dorn", -90, 75), trooper("Mott", -60, 10), trooper("Knox", -120, 0), squad(*order),
        )  # fmt: skip
        seen = play(Move("Grinders"), on, RRG2)
        assert (set(seen.displaced), codes_of(seen.findings)) == ({"Mott", "Knox"}, ())
        feet = [feet_mm(seen.battle.table, seen.battle.table.mini(name)) for name in ("Mott", "Knox")]
        assert feet == [30.0, 0.0]


def test_who_was_not_displaced_stays_where_its_leader_stays() -> None:
    # the walker ends between the leader and Knox, whom it cuts off: that displaces only who was under it
    on = battle(
        notched("Grinder", -119, 0, height=80), GRINDERS, trooper("Dorn", 0, 48), trooper("Mott", 0, 0),
        trooper("Knox", 0, -48), squad("Dorn", "Mott", "Knox"),
    )  # fmt: skip
    move = Move("Grinders", tool=1)
    seen = play(move, on, RRG2)
    assert (seen.displaced, codes_of(seen.findings)) == (("Mott",), ())
    assert seen.battle.table.mini("Knox").at == (0.0, -48.0)
    moved = replace(move, displaced=(Follower("Knox", (27.0, 60.0)),))
    assert codes_of(judge(moved, on, RRG2)) == ("DISPLACED_WITHOUT_NEED",)
    stays = replace(move, displaced=(Follower("Knox", (0.0, -48.0)),))  # cut off, but that is asked of nobody
    assert codes_of(judge(stays, on, RRG2)) == ("DISPLACED_WITHOUT_NEED",)
    led = Battle(on.table, (GRINDERS, squad("Mott", "Dorn", "Knox")))  # who is pushed aside leads: now both follow
    back = play(move, led, RRG2)
    assert codes_of(back.findings) == ()
    assert {m.name for m in back.battle.table.minis if m.at != on.table.mini(m.name).at} >= {"Mott", "Knox"}


def test_a_place_without_a_cut_is_below_its_leaders() -> None:
    deck = block("deck", (-150.0, -100.0, 100.0), (350.0, 100.0, 112.0))

    def under(mini: Placed) -> Placed:
        return replace(mini, level=90.0)

    on = battle(
        deck, under(notched("Grinder", -119, 0, height=80)), GRINDERS, under(trooper("Dorn", 0, 0)),
        under(trooper("Mott", 30, 0)), squad("Dorn", "Mott"),
    )  # fmt: skip
    move = Move("Grinders", tool=1, displaced=(Follower("Dorn", (0.0, 50.0)), Follower("Mott", (40.0, 50.0))))
    seen = play(move, on, RRG2)
    assert (set(seen.displaced), codes_of(seen.findings)) == ({"Dorn", "Mott"}, ())
    assert [feet_mm(seen.battle.table, seen.battle.table.mini(n)) for n in ("Dorn", "Mott")] == [0.0, 0.0]
    above = replace(move, displaced=(Follower("Dorn", (0.0, 50.0), level=math.inf), move.displaced[1]))
    assert "DISPLACED_OFF_ELEVATION" in codes_of(judge(above, on, RRG2))


def test_a_leader_that_is_put_back_at_a_wall_leaves_its_minis_the_ground_beside_it() -> None:
    on = battle(
        notched("Grinder", -119, 0, height=80), GRINDERS, trooper("Dorn", 0, 0), trooper("Mott", 0, 30),
        squad("Dorn", "Mott"), block("wall", (80, -150, 0), (90, 150, 80)), block("bank", (20, 30, 0), (79, 150, 5)),
    )  # fmt: skip
    for x in (66.4, 66.5):  # 0.1 mm from the wall, and flush with it
        move = Move("Grinders", tool=1, displaced=(Follower("Dorn", (x, 0.0)), Follower("Mott", (50.0, 60.0))))
        seen = play(move, on, RRG2)
        assert codes_of(seen.findings) == ()
        assert feet_mm(seen.battle.table, seen.battle.table.mini("Mott")) == 5.0


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


def test_who_has_no_unit_on_the_table_puts_back_what_the_other_sides_walker_pushed_aside() -> None:
    on = battle(
        notched("Grinder", 0, 0, base="100n", height=80),
        unit("Grinders", "Grinder", type="ground", speed=1),
        trooper("Oda", 110, 0),
        unit("Wardens", "Oda"),
    )
    assert play(Move("Grinders", displacer="blue"), on, RRG2).legal
    assert fires("DISPLACED_BY_WRONG_PLAYER", judged(Move("Grinders", displacer="red"), on))


@pytest.mark.parametrize("turned", [23.0, 90.0, 211.0])
def test_who_is_pushed_aside_goes_to_the_same_places_however_the_table_is_turned_and_moved(turned: float) -> None:
    names = ("Dorn", "Mott", "Fenn", "Ilse")
    spots = ((110.0, 3.0), (96.0, -30.0), (120.0, 34.0), (141.0, -21.0))
    c, s = math.cos(math.radians(turned)), math.sin(math.radians(turned))

    def there(x: float, y: float) -> tuple[float, float]:
        return x * c - y * s + 412.3, x * s + y * c - 77.7

    def ended(way: Callable[[float, float], tuple[float, float]], deg: float) -> list[tuple[float, float]]:
        walker = notched("Grinder", *way(0.0, 0.0), base="100n", turn=deg, height=80)
        squad = [replace(trooper(n, *way(*at)), turn=10.0 + deg) for n, at in zip(names, spots, strict=True)]
        units = unit("Grinders", "Grinder", type="ground", speed=1), unit("Watch", "Dorn", side="blue", minis=names)
        seen = play(Move("Grinders", bend_deg=20.0), battle(walker, *squad, *units, size=None), RRG2)
        assert seen.legal
        assert len(seen.displaced) > 1
        return [seen.battle.table.mini(name).at for name in names]

    for at, usual in zip(ended(there, turned), ended(lambda x, y: (x, y), 0.0), strict=True):
        assert at == pytest.approx(there(*usual), abs=1e-3)
