"""Every code of the second game fires where it should, and is silent on the near miss beside it; what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from sim3d.finding import Refused
from sim3d.rules.hexes import SEED, Board, Cell, Hex, Move, Options, Wall, judge, play, scripted, seeded
from tests.codes import codes_of, fires, silent
from tests.hexes import BACK, MUD, NE, SCOUT, SE, E, P, W, board, fly, foe, friend, go, guard, mara, said, spear


def test_who_engages_whom() -> None:
    assert fires("HEX_LOCKED", said(go(board(mara(), spear("lockdown")), (-1, 0))))
    assert silent("HEX_LOCKED", said(go(board(mara(), foe("Lock", (1, 0), E, "lockdown")), (-1, 0))))
    assert fires("HEX_ONE_HEX", said(go(board(mara(), spear()), *BACK[:2])))
    assert silent("HEX_ONE_HEX", said(go(board(mara(), spear()), *BACK[:1])))
    assert fires("HEX_PAST_ZONE", said(go(board(mara(), guard()), *P[:2])))
    assert silent("HEX_PAST_ZONE", said(go(board(mara(), guard()), *P[:1])))


def test_the_way() -> None:
    assert fires("HEX_NOT_ADJACENT", said(go(board(mara()), (2, 0))))
    assert silent("HEX_NOT_ADJACENT", said(go(board(mara()), (1, 0))))
    assert fires("HEX_OFF_BOARD", said(go(board(mara(), radius=1), *P[:2])))
    assert silent("HEX_OFF_BOARD", said(go(board(mara(), radius=2), *P[:2])))
    assert fires("HEX_OFF_BOARD", said(fly(board(mara("flying"), radius=1), (2, 0))))
    cliff = {(1, 0): ("impassable",)}
    assert fires("HEX_IMPASSABLE", said(go(board(mara(), cells=cliff), (1, 0))))
    assert fires("HEX_IMPASSABLE", said(fly(board(mara("flying"), cells=cliff), (1, 0))))
    assert silent("HEX_IMPASSABLE", said(fly(board(mara("flying"), cells=cliff), (2, 0))))
    assert fires("HEX_WALL", said(go(board(mara(), walls={((0, 0), E): 10.1}), (1, 0))))
    assert silent("HEX_WALL", said(go(board(mara(), walls={((0, 0), E): 10.0}), (1, 0))))
    assert fires("HEX_OCCUPIED", said(go(board(mara(), friend("Oda", (1, 0))), *P[:2])))
    assert silent("HEX_OCCUPIED", said(go(board(mara("skirmish"), friend("Oda", (1, 0))), *P[:2])))
    assert fires("HEX_TOO_FAR", said(go(board(mara(speed=2), cells=MUD), *P[:2])))
    assert silent("HEX_TOO_FAR", said(go(board(mara(speed=3), cells=MUD), *P[:2])))


def test_the_end() -> None:
    assert fires("HEX_END_OCCUPIED", said(go(board(mara("skirmish"), friend("Oda", (1, 0))), (1, 0))))
    assert silent("HEX_END_OCCUPIED", said(go(board(mara("skirmish"), friend("Oda", (1, 0))), *P[:2])))
    assert fires("HEX_END_UNSTANDABLE", said(go(board(mara(), bad=((1, 0),)), (1, 0))))
    assert silent("HEX_END_UNSTANDABLE", said(go(board(mara(), bad=((1, 0),)), *P[:2])))


def test_flight() -> None:
    assert fires("HEX_FLIGHT_BARRED", said(fly(board(mara()), (1, 0))))
    assert fires("HEX_FLIGHT_BARRED", said(fly(board(mara("flying"), spear()), (-1, 0))))
    assert fires("HEX_FLIGHT_BARRED", said(fly(board(mara("flying", began_engaged=True)), (-1, 0))))
    assert silent("HEX_FLIGHT_BARRED", said(fly(board(mara("flying"), foe("Spear", (1, 0), E)), (-1, 0))))
    assert fires("HEX_FLIGHT_TOO_FAR", said(fly(board(mara("flying", slow=1)), (3, 0))))
    assert silent("HEX_FLIGHT_TOO_FAR", said(fly(board(mara("flying")), (3, 0))))


def test_the_sequence() -> None:
    scout = board(mara(SCOUT), guard(), phase="scout a")
    assert fires("HEX_SCOUT_BARRED", said(go(scout, (1, 0), kind="scout", who="Guard")))
    assert silent("HEX_SCOUT_BARRED", said(go(scout, (0, 1), kind="scout")))
    assert fires("HEX_SCOUT_ENGAGED", said(go(scout, (1, 0), kind="scout")))
    assert silent("HEX_SCOUT_ENGAGED", said(go(scout, (0, 1), kind="scout")))
    assert fires("HEX_WRONG_STEP", said(go(scout, (0, 1))))
    assert fires("HEX_WRONG_STEP", said(go(board(mara(activated=True)), (0, 1))))
    assert fires("HEX_WRONG_STEP", said(go(board(mara()), (0, 1), kind="gods push")))
    assert silent("HEX_WRONG_STEP", said(go(board(mara(), phase="push a"), (0, 1), kind="gods push")))
    any_time = replace(SEED, options=Options(push_timing="any"))
    assert silent("HEX_WRONG_STEP", said(go(board(mara()), (0, 1), kind="gods push", ruleset=any_time)))


def test_the_gods_push() -> None:
    assert fires("HEX_NOT_ELIGIBLE", said(go(board(mara(activated=True), phase="push a"), (0, 1), kind="gods push")))
    assert silent("HEX_NOT_ELIGIBLE", said(go(board(mara(), phase="push a"), (0, 1), kind="gods push")))
    two = board(mara(), friend("Oda", (0, 2), "tireless", activated=True), phase="push a")
    once = go(two, (0, 1), kind="gods push")
    assert silent("HEX_PUSH_LIMIT", said(once))
    assert fires("HEX_PUSH_LIMIT", said(go(once.board, (0, 3), who="Oda", kind="gods push")))
    extra = replace(SEED, options=Options(tireless_is_extra=True))
    assert silent("HEX_PUSH_LIMIT", said(go(once.board, (0, 3), who="Oda", kind="gods push", ruleset=extra)))
    assert silent("HEX_NO_PIVOT", said(go(two, (0, 1), kind="gods push", facing=W)))
    (turned,) = go(two, kind="gods push", facing=W).findings
    assert turned.message == "a God's Push does not turn Mara, whom it does not move"
    assert go(two, kind="gods push").legal  # nobody has to be moved
    still = replace(SEED, options=Options(push_pivots=False))
    assert fires("HEX_NO_PIVOT", said(go(two, (0, 1), kind="gods push", facing=W, ruleset=still)))
    assert fires("HEX_SHOVED_TOO_FAR", said(go(two, *P[:2], kind="gods push")))
    assert silent("HEX_SHOVED_TOO_FAR", said(go(two, *P[:1], kind="gods push")))
    back = go(two, P[0], (0, 0), kind="gods push")
    assert back.findings[0].message == "a God's Push moves Mara at most 1 hex, not 2"


def test_pushed_by_others() -> None:
    ram = foe("Ram", (1, 0), E)
    assert fires("HEX_IMMOVABLE", said(go(board(mara("immovable"), ram), (-1, 0), kind="push", by="Ram")))
    assert silent("HEX_IMMOVABLE", said(go(board(mara("immovable"), ram), (-1, 0), kind="displace", by="red")))
    assert fires("HEX_NOT_RETREAT", said(go(board(mara(), ram), (0, 1), kind="push", by="Ram")))
    for to in ((0, -1), (-1, 0), (-1, 1)):  # facing east: NW, W, SW
        assert silent("HEX_NOT_RETREAT", said(go(board(mara(), ram), to, kind="push", by="Ram")))
    assert fires("HEX_PUSH_HELD", said(go(board(mara(), ram), kind="push", by="Ram")))
    assert silent("HEX_PUSH_HELD", said(go(board(mara(), ram), (-1, 0), kind="push", by="Ram")))
    assert fires("HEX_NO_PIVOT", said(go(board(mara(), ram), (-1, 0), kind="push", by="Ram", facing=W)))
    far = board(mara(), ram)
    assert fires("HEX_SHOVED_TOO_FAR", said(fly(far, (-4, 0), kind="teleport", by="Ram", reach=3)))
    assert silent("HEX_SHOVED_TOO_FAR", said(fly(far, (-3, 0), kind="teleport", by="Ram", reach=3)))
    (held,) = go(board(mara("immovable"), ram), (-1, 0), kind="displace", by="Ram").findings
    assert held.message == "Mara is Immovable: no displacement by Ram"
    free = replace(SEED, options=Options(held_push="nothing"))
    assert go(far, kind="push", by="Ram", ruleset=free).morale == 0
    assert fires("HEX_WALL", said(go(board(mara(), ram, walls={((0, 0), W): 11.0}), (-1, 0), kind="push", by="Ram")))


def test_trample_and_melee() -> None:
    foot = board(mara("trample"), foe("Foot", (1, 0), E))
    assert fires("HEX_TRAMPLED", said(go(foot, *P[:2], faces=(3,))))
    assert silent("HEX_TRAMPLED", said(go(foot, (0, 1))))
    assert fires("HEX_TRAMPLE_REROLLED", said(go(foot, *P[:2], dice=(2,), rerolls=(4,))))
    assert silent("HEX_TRAMPLE_REROLLED", said(go(foot, *P[:2], dice=(2,))))
    thin = board(mara("trample"), foe("Foot", (1, 0), E, health=1))
    gone, there = (go(thin, *P[:2], faces=(face,), strike="Foot") for face in (6, 2))
    assert gone.legal
    assert fires("HEX_STRIKE_VOID", said(gone))
    assert silent("HEX_STRIKE_VOID", said(there))
    assert (gone.made.charge, there.made.charge) == (None, True)
    mark = foe("Mark", (4, 0), E)
    assert fires("HEX_MELEE_LOST", said(go(board(mara("nimble"), guard(), mark), *P, strike="Mark")))
    assert silent("HEX_MELEE_LOST", said(go(board(mara(), mark), *P, strike="Mark")))
    assert fires("HEX_MELEE_LOST", said(go(board(mara(), spear()), (0, 1), strike="Spear")))
    scout = board(mara(SCOUT), foe("Mark", (1, 0), E), phase="scout a")
    assert fires("HEX_MELEE_LOST", said(go(scout, kind="scout", strike="Mark")))
    assert fires("HEX_STRIKE_OUT_OF_REACH", said(go(board(mara(), mark), *P[:2], strike="Mark")))
    assert silent("HEX_STRIKE_OUT_OF_REACH", said(go(board(mara(), mark), *P, strike="Mark")))
    high = board(mara(), foe("Mark", (1, 0), E), walls={((0, 0), E): 40.0})
    assert fires("HEX_STRIKE_OUT_OF_REACH", said(go(high, strike="Mark")))
    low = board(mara(), foe("Mark", (1, 0), E), walls={((0, 0), E): 39.9})
    assert silent("HEX_STRIKE_OUT_OF_REACH", said(go(low, strike="Mark")))
    # the attacker turns to its target
    assert go(board(mara(), foe("Mark", (0, 1), E)), strike="Mark").board.unit("Mara").facing == SE


def test_a_way_off_the_board_and_back_past_a_zone_hears_every_reason() -> None:
    on = board(mara(at=(1, 0)), foe("Guard", (1, 1), NE), radius=2)
    assert codes_of(go(on, (2, 0), (3, 0), (2, 0)).findings) == ("HEX_OFF_BOARD", "HEX_ONE_HEX", "HEX_PAST_ZONE")


def test_a_flight_to_its_own_hex_is_no_charge() -> None:
    on = board(mara("flying"), foe("Mark", (1, 0), E))
    assert fly(on, (0, 0), strike="Mark").made.charge is False
    assert fly(on, (0, 1), strike="Mark").made.charge is True


def test_every_reason_at_once() -> None:
    tangle = board(mara(speed=2, activated=True), friend("Oda", (1, 0)), guard(), bad=((3, 0),))
    found = go(tangle, *P)
    assert codes_of(found.findings) == (
        "HEX_OCCUPIED",
        "HEX_TOO_FAR",
        "HEX_PAST_ZONE",
        "HEX_END_UNSTANDABLE",
        "HEX_WRONG_STEP",
    )
    assert (found.legal, found.board, found.end, found.reason) == (False, tangle, Hex(0, 0), found.findings[0].message)
    assert judge(Move("Mara", path=tuple(Hex(*p) for p in P)), tangle, SEED) == found.findings


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Move("Marla"), "no unit is called 'Marla'"),
        (Move("Mara", "walk"), "no kind of move"),
        (Move("Mara", facing=6), "hexsides 0 to 5"),
        (Move("Mara", facing=2.5), "facing is told in whole numbers, not 2.5"),  # type: ignore[arg-type]
        (Move("Mara", path=(Hex(0.5, 0),)), "path is a tuple of hexes"),  # type: ignore[arg-type]
        (Move("Mara", path=None), "path is a tuple of hexes"),  # type: ignore[arg-type]
        (Move("Mara", to=(1, 0)), "path is a tuple of hexes"),  # type: ignore[arg-type]
        (Move("Mara", path=(Hex(1, 0),), to=Hex(2, 0)), "not both"),
        (Move("Mara", "push", path=(Hex(-1, 0),)), "comes from a unit or a side"),
        (
            Move("Mara", "displace", path=(Hex(-1, 0),), by="green"),
            "a displacement comes from a unit or a side; 'green' is none; there are: red, blue, Mara, Foot",
        ),
        (Move("Mara", "gods push", to=Hex(-1, 0)), "a God's Push goes to a neighbour: give its path"),
        (Move("Mara", by="Foot"), "by and reach belong"),
        (Move("Mara", "teleport", to=Hex(1, 0), by="red", reach=-1), "a teleport in hexes, is 0 or more, not -1"),
        (Move("Mara", "gods push", to=Hex(1, 0)), "give its path"),
        (Move("Mara", "push", path=(Hex(-1, 0),), by="blue", reach=3), "reach is the range of a teleport; a push goes"),
        (Move("Mara", "displace", by="blue"), "a displacement goes to a neighbour: give its path"),
        (Move("Mara", "teleport", by="red"), "has an end"),
        (Move("Mara", "displace", path=(Hex(-1, 0),), by="red", strike="Foot"), "belong to a Move Action"),
        (Move("Mara", strike="Nobody"), "no unit is called 'Nobody'"),
        (Move("Mara", path=(Hex(1, 0), Hex(2, 0)), dice=(7,)), "a die shows 1 to 6"),
        (Move("Mara", path=(Hex(1, 0), Hex(2, 0)), dice=(3, 3)), "it rolls 1 die"),
        (Move("Mara", path=(Hex(1, 0), Hex(2, 0))), "it rolls 1 die"),
        (Move("Mara", path=(Hex(0, 1),), rerolls=(3,)), "it rolls 0 dice"),
    ],
)
def test_what_makes_no_sense_is_refused(move: Move, reason: str) -> None:
    on = board(mara("trample"), foe("Foot", (1, 0), E))
    with pytest.raises(Refused) as caught:
        play(move, on, SEED)
    assert fires("HEX_MOVE_UNSOUND", caught.value)
    assert reason in str(caught.value)
    assert silent("HEX_MOVE_UNSOUND", said(go(on, *P[:2], faces=(3,))))


def test_a_board_that_cannot_be() -> None:
    with pytest.raises(Refused) as caught:
        Board(
            {Hex(0, 0): Cell()},
            {(Hex(0, 0), Hex(2, 0)): (1.0, 1.0)},
            (
                replace(mara("nimbel"), facing=7),
                foe("Mara", (0, 0), W, kind="dragon", speed=-1),
                replace(foe("Third", (1, 0), W), side="green"),
            ),
            phase="lunch",
        )
    assert fires("HEX_BOARD_UNSOUND", caught.value)
    said_of = str(caught.value)
    for words in (
        "'nimbel' is unknown",
        "faces one of the hexsides",
        "'dragon' is unknown",
        "speed is 0 or more",
        "two units are called 'Mara'",
        "both on (0, 0)",
        "(1, 0) is not on the board",
        "two sides, not 3",
        "'lunch' is no step",
        "a wall is between neighbours",
    ):
        assert words in said_of, words
    assert silent("HEX_BOARD_UNSOUND", said(go(board(mara()), (1, 0))))
    with pytest.raises(ValueError, match="'muddy' is no keyword of terrain"):
        Cell(("muddy",))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"facing": 1.5}, "facing is 1.5; it takes a whole number"),
        ({"speed": math.nan}, "speed is nan; it takes a whole number"),
        ({"speed": "3"}, "speed is '3'; it takes a whole number"),
        ({"slow": True}, "slow is True; it takes a whole number"),
        ({"at": (0, 0)}, "at is (0, 0); it takes a hex"),
        ({"name": ""}, "name is ''; it takes a word"),
        ({"side": None}, "side is None; it takes a word"),
        ({"traits": "nimble"}, "traits is 'nimble'; it takes names, each by itself"),
        ({"height_mm": math.nan}, "height_mm is nan; it takes a number over 0"),
        ({"health": 0}, "health is 0; it takes a whole number over 0, or None"),
        ({"health": 2, "wounds": 2}, "2 wounds of 2 health: it was removed"),
        ({"health": 1, "wounds": 3}, "3 wounds of 1 health: it was removed"),
        ({"circular": 1}, "circular is 1; it takes true or false"),
    ],
)
def test_a_unit_on_hexes_that_cannot_be_is_refused_in_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as caught:
        board(replace(mara(), **wrong))
    assert fires("HEX_BOARD_UNSOUND", caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("high", [math.nan, -1.0, "10"])
def test_a_wall_that_is_no_height_leaves_no_way_open(high: Any) -> None:
    both = {Hex(0, 0): Cell(), Hex(1, 0): Cell()}
    with pytest.raises(Refused, match=r"the wall between \(0, 0\) and \(1, 0\) is .*each 0 or more"):
        Board(both, {(Hex(0, 0), Hex(1, 0)): Wall(high, 0.0)}, (mara(),))
    with pytest.raises(Refused, match="a board has hexes"):
        Board({(0, 0): Cell()})  # type: ignore[dict-item]
    endless = Board(both, {(Hex(0, 0), Hex(1, 0)): Wall(math.inf, math.inf)}, (mara(),))
    assert fires("HEX_WALL", said(go(endless, (1, 0))))


def test_dice_are_injected() -> None:
    rank = board(mara("trample", speed=4), foe("Foot", (1, 0), E), foe("More", (2, 0), E))
    move = Move("Mara", path=tuple(Hex(*p) for p in P))
    first = [play(move, rank, SEED, roll=seeded(7, SEED)).events for _ in range(2)]
    assert first[0] == first[1]
    faces = {f.numbers for seed in range(40) for f in play(move, rank, SEED, roll=seeded(seed, SEED)).events}
    assert {dict(n)["face"] for n in faces} == {1, 2, 3, 4, 5, 6}
    with pytest.raises(ValueError, match="the roll takes 2 dice, the script has 1 left"):
        play(move, rank, SEED, roll=scripted([3]))


def test_a_hex_trampled_twice_is_one_die() -> None:
    loop = board(mara("trample", "skirmish", speed=5), foe("Foot", (1, 0), NE))
    outcome = go(loop, (1, 0), (1, 1), (1, 0), (2, 0), faces=(3,))
    assert (outcome.legal, outcome.dice_needed, outcome.made.trodden) == (True, 1, (Hex(1, 0), Hex(1, 0)))
