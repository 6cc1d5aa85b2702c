"""Cases of who moves at another time or is moved by others: pushes of the gods, scouts, what is immovable."""

from __future__ import annotations

from dataclasses import replace

from sim3d.rules.hexes import SEED, Board, Options, Outcome, Unit
from sim3d.rules.hexes.board import engagers
from tests.hexes import (
    BACK,
    SCOUT,
    SE,
    E,
    P,
    Place,
    board,
    case,
    fly,
    foe,
    friend,
    go,
    guard,
    mara,
    no,
    pushed,
    shove,
    spear,
    yes,
)

# --- Combat Shift -----------------------------------------------------------------------------------------------------


@case("CS1")
def _() -> None:
    yes(pushed(shove(mara("combat shift"), spear())), (-1, 0))


@case("CS2")
def _() -> None:
    no(pushed(shove(mara(), spear())), "HEX_NOT_ELIGIBLE")


@case("CS3")
def _() -> None:
    no(pushed(shove(mara("combat shift", activated=True), spear())), "HEX_NOT_ELIGIBLE")


@case("CS4")
def _() -> None:
    yes(pushed(shove(mara("combat shift"), spear("lockdown"))), (-1, 0))


@case("CS5")
def _() -> None:
    both = mara("combat shift", "tireless", activated=True)
    no(pushed(shove(both, spear())), "HEX_NOT_ELIGIBLE")


@case("CS6")
def _() -> None:
    yes(pushed(shove(mara())), (-1, 0))


# --- Immovable --------------------------------------------------------------------------------------------------------


def moved_by(kind: str, by: str, *traits: str, to: Place = (-1, 0)) -> Outcome:
    """Mara, facing east towards the enemy at (1, 0), is moved by somebody."""
    at = board(mara(*traits), foe("Ram", (1, 0), E), friend("Oda", (0, 2)))
    if kind == "teleport":
        return fly(at, to, kind=kind, by=by, reach=3)
    return go(at, to, kind=kind, by=by)


@case("IM1")
def _() -> None:
    barred = moved_by("push", "Ram", "immovable")
    no(barred, "HEX_IMMOVABLE")
    assert barred.morale == 0  # it is no push that was held


@case("IM2")
def _() -> None:
    no(moved_by("displace", "blue", "immovable"), "HEX_IMMOVABLE")
    yes(moved_by("displace", "blue"), (-1, 0))


@case("IM3")
def _() -> None:
    no(moved_by("teleport", "Ram", "immovable", to=(-3, 0)), "HEX_IMMOVABLE")
    yes(moved_by("teleport", "Ram", to=(-3, 0)), (-3, 0))


@case("IM4")
def _() -> None:
    yes(moved_by("displace", "Oda", "immovable"), (-1, 0))


@case("IM5")
def _() -> None:
    yes(go(board(mara("immovable")), *P), (3, 0))


@case("IM6")
def _() -> None:
    yes(moved_by("push", "Ram"), (-1, 0))
    taken = board(mara(), foe("Ram", (1, 0), E), friend("Pell", (-1, 0)))
    no(go(taken, (-1, 0), kind="push", by="Ram"), "HEX_END_OCCUPIED")


@case("IM7")
def _() -> None:
    yes(pushed(shove(mara("immovable"))), (-1, 0))


# --- Scout Deploy -----------------------------------------------------------------------------------------------------


def scouting(*units: Unit) -> Board:
    return board(*units, phase="scout a")


@case("SD0")
def _() -> None:
    no(go(scouting(mara()), *P, kind="scout"), "HEX_SCOUT_BARRED")


@case("SD1")
def _() -> None:
    yes(go(scouting(mara(SCOUT)), *P, kind="scout"), (3, 0))


@case("SD2")
def _() -> None:
    no(go(scouting(mara(SCOUT), guard()), (1, 0), kind="scout"), "HEX_SCOUT_ENGAGED")


@case("SD3")
def _() -> None:
    yes(go(scouting(mara(SCOUT), foe("Mark", (3, 0), E)), *P[:2], kind="scout"), (2, 0))


@case("SD4")
def _() -> None:
    no(go(scouting(mara(SCOUT), guard()), *P, kind="scout"), "HEX_PAST_ZONE")
    yes(go(scouting(mara(SCOUT, "nimble"), guard()), *P, kind="scout"), (3, 0), melee=False)


@case("SD5")
def _() -> None:
    flyer = scouting(mara(SCOUT, "flying"), guard())
    yes(fly(flyer, (3, 0), kind="scout"), (3, 0))
    no(fly(flyer, (2, 0), kind="scout"), "HEX_SCOUT_ENGAGED")


@case("SD6")
def _() -> None:
    mine, theirs = mara(SCOUT), foe("Vale", (0, -4), SE, SCOUT)
    begins = board(mine, theirs, phase="scout b")
    no(go(begins, *P, kind="scout"), "HEX_SCOUT_BARRED")
    after = go(begins, (1, -4), who="Vale", kind="scout")
    yes(after, (1, -4))
    no(go(after.board, (2, -4), who="Vale", kind="scout"), "HEX_SCOUT_BARRED")
    first = after.board.advanced()
    no(go(first, (2, -4), who="Vale", kind="scout"), "HEX_SCOUT_BARRED")
    scouted = go(first, *P, kind="scout")
    yes(scouted, (3, 0))
    round_1 = scouted.board.advanced()
    assert (round_1.phase, round_1.unit("Mara").activated) == ("activations", False)
    yes(go(round_1, (4, 0)), (4, 0))


# --- Tireless ---------------------------------------------------------------------------------------------------------

TIRED = mara("tireless", activated=True)


@case("TI1")
def _() -> None:
    yes(pushed(shove(TIRED)), (-1, 0))


@case("TI2")
def _() -> None:
    no(pushed(shove(mara(activated=True))), "HEX_NOT_ELIGIBLE")


@case("TI3")
def _() -> None:
    no(pushed(shove(TIRED, spear())), "HEX_NOT_ELIGIBLE")


@case("TI4")
def _() -> None:
    no(pushed(shove(TIRED), *BACK[:2]), "HEX_SHOVED_TOO_FAR")


@case("TI5")
def _() -> None:
    no(pushed(shove(TIRED, friend("Oda", (-1, 0)))), "HEX_END_OCCUPIED")
    no(pushed(shove(TIRED, cells={(-1, 0): ("impassable",)})), "HEX_IMPASSABLE")
    no(pushed(shove(TIRED, bad=((-1, 0),))), "HEX_END_UNSTANDABLE")


@case("TI6")
def _() -> None:
    slow = mara("tireless", activated=True, speed=1)
    yes(pushed(shove(slow, cells={(-1, 0): ("difficult",)})), (-1, 0))


@case("TI7")
def _() -> None:
    outcome = pushed(shove(TIRED, foe("Far", (-2, 0), E)))
    yes(outcome, (-1, 0))
    after = outcome.board
    assert [e.name for e in engagers(after, after.unit("Mara"), SEED)] == ["Far"]


@case("TI8")
def _() -> None:
    two = shove(TIRED, friend("Oda", (0, 2)))
    first = pushed(two)
    yes(first, (-1, 0))
    after = first.board
    no(pushed(after, (0, 3), who="Oda"), "HEX_PUSH_LIMIT")
    pair = replace(SEED, options=Options(push_limit=2))
    second = pushed(after, (0, 3), who="Oda", ruleset=pair)
    yes(second, (0, 3))
    assert second.board.unit("Oda").activated is False
    no(pushed(after, (-2, 0), ruleset=pair), "HEX_PUSH_LIMIT")
