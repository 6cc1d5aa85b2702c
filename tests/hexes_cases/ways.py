"""Cases of what a way leads over and where it ends: terrain, minis, ledges, flights."""

from __future__ import annotations

from sim3d.rules.hexes import SEED
from sim3d.rules.hexes.board import engagers
from tests.hexes import (
    MUD,
    E,
    P,
    Place,
    W,
    board,
    case,
    fly,
    foe,
    friend,
    go,
    guard,
    mara,
    no,
    spear,
    yes,
)

# --- Flying -----------------------------------------------------------------------------------------------------------

WALLED = dict.fromkeys([(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)], ("impassable",))


@case("FL1")
def _() -> None:
    yes(fly(board(mara("flying"), cells=WALLED), (3, 0)), (3, 0))
    no(fly(board(mara(), cells=WALLED), (3, 0)), "HEX_FLIGHT_BARRED")


@case("FL2")
def _() -> None:
    no(fly(board(mara("flying")), (4, 0)), "HEX_FLIGHT_TOO_FAR")
    yes(fly(board(mara("flying", fast=1)), (4, 0)), (4, 0))  # as its tokens leave its speed
    no(fly(board(mara("flying", slow=1)), (3, 0)), "HEX_FLIGHT_TOO_FAR")


@case("FL3")
def _() -> None:
    engaged = board(mara("flying"), spear())
    no(fly(engaged, (-3, 0)), "HEX_FLIGHT_BARRED")
    no(fly(board(mara("flying", "unstoppable"), spear()), (-3, 0)), "HEX_FLIGHT_BARRED")
    yes(go(engaged, (-1, 0)), (-1, 0), melee=False)


@case("FL4")
def _() -> None:
    outcome = fly(board(mara("flying"), foe("Spear", (4, 0), W)), (3, 0))
    yes(outcome, (3, 0))
    assert [e.name for e in engagers(outcome.board, outcome.board.unit("Mara"), SEED)] == ["Spear"]


@case("FL5")
def _() -> None:
    no(fly(board(mara("flying"), friend("Oda", (3, 0))), (3, 0)), "HEX_END_OCCUPIED")


@case("FL6")
def _() -> None:
    no(fly(board(mara("flying"), bad=((3, 0),)), (3, 0)), "HEX_END_UNSTANDABLE")


@case("FL7")
def _() -> None:
    mud = dict.fromkeys(P, ("difficult",))
    outcome = fly(board(mara("flying"), cells=mud), (3, 0))
    yes(outcome, (3, 0))
    assert outcome.made.spent == 3


# --- Ignore Difficult -------------------------------------------------------------------------------------------------

SURE = "ignore difficult"


@case("ID1")
def _() -> None:
    no(go(board(mara(speed=2), cells=MUD), *P[:2]), "HEX_TOO_FAR")
    outcome = go(board(mara(SURE, speed=2), cells=MUD), *P[:2])
    yes(outcome, (2, 0))
    assert outcome.made.spent == 2


def charge(place: Place, keyword: str, *traits: str) -> bool | None:
    """Whether a unit that goes to (2, 0) charges the enemy at (3, 0), with a keyword somewhere."""
    outcome = go(board(mara(*traits), foe("Mark", (3, 0), E), cells={place: (keyword,)}), *P[:2], strike="Mark")
    yes(outcome, (2, 0))
    return outcome.made.charge


@case("ID2")
def _() -> None:
    assert charge((3, 0), "no charge in") is False
    assert charge((3, 0), "no charge in", SURE) is True


@case("ID3")
def _() -> None:
    assert charge((2, 0), "no charge out") is False
    assert charge((2, 0), "no charge out", SURE) is True


@case("ID4")
def _() -> None:
    no(go(board(mara(SURE), cells={(1, 0): ("impassable", "difficult")}), *P[:2]), "HEX_IMPASSABLE")


@case("ID5")
def _() -> None:
    assert charge((2, 0), "no charge in") is True
    assert charge((3, 0), "no charge out") is True


@case("ID6")
def _() -> None:
    for traits in ((), (SURE,)):
        yes(go(board(mara(*traits, speed=1), cells=MUD), (1, 0)), (1, 0))


# --- Skirmish ---------------------------------------------------------------------------------------------------------


@case("SK1")
def _() -> None:
    yes(go(board(mara("skirmish"), friend("Oda", (1, 0))), *P[:2]), (2, 0))


@case("SK2")
def _() -> None:
    yes(go(board(mara(), friend("Oda", (1, 0), "skirmish")), *P[:2]), (2, 0))


@case("SK3")
def _() -> None:
    no(go(board(mara(), friend("Oda", (1, 0))), *P[:2]), "HEX_OCCUPIED")


@case("SK4")
def _() -> None:
    no(go(board(mara("skirmish"), friend("Oda", (1, 0))), (1, 0)), "HEX_END_OCCUPIED")


@case("SK5")
def _() -> None:
    no(go(board(mara("skirmish"), foe("Mark", (1, 0), E, "skirmish")), *P[:2]), "HEX_OCCUPIED")


@case("SK6")
def _() -> None:
    held = board(mara("skirmish"), friend("Oda", (1, 0)), guard())
    yes(go(held, (1, 0), (1, 1)), (1, 1))
    no(go(held, *P), "HEX_PAST_ZONE")
    yes(go(held, *P[:2]), (2, 0), stopped=("Guard",))


@case("SK7")
def _() -> None:
    row = (friend("Oda", (1, 0)), friend("Pell", (2, 0)))
    yes(go(board(mara("skirmish"), *row), *P), (3, 0))
    no(go(board(mara("skirmish", speed=2), *row), *P), "HEX_TOO_FAR")


# --- Trample ----------------------------------------------------------------------------------------------------------


@case("TR1")
def _() -> None:
    foot = board(mara("trample"), foe("Foot", (1, 0), E))
    for face, wounds in ((3, 1), (2, 0)):
        outcome = go(foot, *P[:2], faces=(face,))
        yes(outcome, (2, 0), stopped=("Foot",))
        assert (outcome.dice_needed, outcome.board.unit("Foot").wounds) == (1, wounds)
    no(go(foot, *P[:2], dice=(2,), rerolls=(5,)), "HEX_TRAMPLE_REROLLED")
    frail = board(mara("trample"), foe("Foot", (1, 0), E, health=1))
    outcome = go(frail, *P[:2], faces=(3,))
    yes(outcome, (2, 0), stopped=("Foot",))
    assert [u.name for u in outcome.board.units] == ["Mara"]


@case("TR2")
def _() -> None:
    no(go(board(mara("trample"), foe("Horse", (1, 0), E, kind="cavalry")), *P[:2]), "HEX_OCCUPIED")


@case("TR3")
def _() -> None:
    outcome = go(board(mara("trample"), friend("Oda", (1, 0))), *P[:2])
    yes(outcome, (2, 0))
    assert outcome.dice_needed == 0


@case("TR4")
def _() -> None:
    rank = board(mara("trample"), foe("Foot", (1, 0), E), foe("More", (2, 0), E, kind="swarm"))
    outcome = go(rank, *P, faces=(6, 3))
    yes(outcome, (3, 0), stopped=("More",))
    assert (outcome.dice_needed, outcome.wounds) == (2, (("Foot", 1), ("More", 1)))


@case("TR5")
def _() -> None:
    no(go(board(mara("trample"), foe("Foot", (1, 0), E)), (1, 0)), "HEX_END_OCCUPIED")


@case("TR6")
def _() -> None:
    facing = foe("Foot", (2, 0), W)
    no(go(board(mara("trample"), facing), *P), "HEX_PAST_ZONE")
    outcome = go(board(mara("trample", "unstoppable"), facing), *P, faces=(4,))
    yes(outcome, (3, 0), melee=False)
    assert outcome.dice_needed == 1


@case("TR7")
def _() -> None:
    mire = board(mara("trample"), foe("Foot", (1, 0), E), cells=MUD)
    outcome = go(mire, *P[:2], faces=(1,))
    yes(outcome, (2, 0), stopped=("Foot",))
    assert outcome.made.spent == 3


@case("TR8")
def _() -> None:
    no(go(board(mara("trample"), spear()), *P[:2]), "HEX_ONE_HEX")


# --- where physics meets it -------------------------------------------------------------------------------------------

LIP = ((1, 0),)


@case("PH1")
def _() -> None:
    yes(go(board(mara(), bad=LIP), *P[:2]), (2, 0))


@case("PH2")
def _() -> None:
    no(go(board(mara(), bad=LIP), (1, 0)), "HEX_END_UNSTANDABLE")


@case("PH3")
def _() -> None:
    no(go(board(mara(), guard(), bad=LIP), (1, 0), (1, 1)), "HEX_PAST_ZONE")
    no(go(board(mara(), guard(), bad=LIP), (1, 0)), "HEX_END_UNSTANDABLE")


@case("PH4")
def _() -> None:
    yes(go(board(mara("nimble"), guard(), bad=LIP), (1, 0), (1, 1)), (1, 1), melee=False)


@case("PH5")
def _() -> None:
    lip = board(mara(at=(2, 0)), foe("Ram", (3, 0), W), bad=LIP)
    no(go(lip, (1, 0), kind="push", by="Ram"), "HEX_END_UNSTANDABLE")
    held = go(lip, kind="push", by="Ram")
    yes(held, (2, 0))
    assert held.morale == -1
