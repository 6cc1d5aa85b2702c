"""The test cases of the traits, one function each, by id: test_hexes_cases.py runs them, others break them."""

from __future__ import annotations

from dataclasses import replace

from sim3d.rules.hexes import CURRENT, SEED, Board, Options, Outcome, Unit
from sim3d.rules.hexes.board import engagers
from tests.hexes import NE, SE, SW, E, Place, W, board, case, fly, foe, friend, go, mara, no, yes

P: tuple[Place, ...] = ((1, 0), (2, 0), (3, 0))
BACK: tuple[Place, ...] = ((-1, 0), (-2, 0), (-3, 0))
SEED_EXEMPT = replace(SEED, options=Options(breakaway_same_enemy_exempt=True))


def spear(*traits: str, **more: object) -> Unit:
    """An enemy at (1, 0) facing west: it engages whoever is at (0, 0)."""
    return foe("Spear", (1, 0), W, *traits, **more)


def guard(*traits: str) -> Unit:
    """An enemy beside the way: its zone holds (1, 0), (2, 0) and (1, -1)."""
    return foe("Guard", (2, -1), SW, *traits)


# --- base rules -------------------------------------------------------------------------------------------------------


@case("B1")
def _() -> None:
    wall = foe("Wall", (3, 0), W)
    yes(go(board(mara(), wall), *P[:2]), (2, 0), stopped=("Wall",))
    no(go(board(mara(), wall), *P[:2], (2, 1)), "HEX_PAST_ZONE")


@case("B2")
def _() -> None:
    yes(go(board(mara(), spear()), (-1, 0)), (-1, 0), melee=False)
    no(go(board(mara(), spear()), *BACK[:2]), "HEX_ONE_HEX")


@case("B3")
def _() -> None:
    slow = board(mara(speed=2, slow=1), cells={(1, 0): ("difficult",)})
    yes(go(slow, (1, 0)), (1, 0))
    no(go(slow, *P[:2]), "HEX_TOO_FAR")


@case("B4")
def _() -> None:
    away = board(mara(), foe("Spear", (1, 0), E))
    assert engagers(away, away.unit("Mara"), SEED) == ()
    yes(go(away, *BACK), (-3, 0))


# --- Breakaway --------------------------------------------------------------------------------------------------------

FAR = foe("Far", (-3, 0), E)


@case("BW1")
def _() -> None:
    yes(go(board(mara("breakaway"), spear()), *BACK), (-3, 0))


@case("BW2")
def _() -> None:
    both = board(mara("breakaway"), spear(), FAR)
    yes(go(both, *BACK[:2]), (-2, 0), stopped=("Far",))
    no(go(both, *BACK[:2], (-2, 1)), "HEX_PAST_ZONE")


@case("BW3")
def _() -> None:
    slide = board(mara("breakaway"), spear())
    yes(go(slide, (0, 1)), (0, 1), stopped=("Spear",))
    no(go(slide, (0, 1), (-1, 1)), "HEX_PAST_ZONE")
    yes(go(slide, (0, 1), (-1, 1), ruleset=SEED_EXEMPT), (-1, 1))


@case("BW4")
def _() -> None:
    no(go(board(mara("breakaway"), spear("lockdown")), *BACK), "HEX_LOCKED")


@case("BW5")
def _() -> None:
    outcome = go(board(mara("breakaway"), foe("Spear", (1, 0), E)), *BACK)
    yes(outcome, (-3, 0))
    assert outcome.rules == ()


@case("BW6")
def _() -> None:
    no(go(board(mara("breakaway", "nimble"), spear(), FAR), *BACK[:2], (-2, 1)), "HEX_PAST_ZONE")


# --- Combat Shift -----------------------------------------------------------------------------------------------------


def shove(*units: Unit, **more: object) -> Board:
    return board(*units, phase="push a", **more)


def pushed(at: Board, *path: Place, **more: object) -> Outcome:
    return go(at, *(path or ((-1, 0),)), kind="gods push", **more)


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

MUD = {(1, 0): ("difficult",)}
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


# --- Lockdown ---------------------------------------------------------------------------------------------------------


@case("LK1")
def _() -> None:
    no(go(board(mara(), spear("lockdown")), (-1, 0)), "HEX_LOCKED")
    no(go(board(mara(), spear("lockdown")), facing=W), "HEX_LOCKED")
    turning = replace(SEED, options=Options(lockdown_allows_pivot=True))
    assert go(board(mara(), spear("lockdown")), facing=W, ruleset=turning).legal


@case("LK2")
def _() -> None:
    yes(go(board(mara(), foe("Lock", (1, 0), E, "lockdown")), *BACK), (-3, 0))


@case("LK3")
def _() -> None:
    both = board(mara("unstoppable"), foe("Plain", (0, 1), NE + 1), spear("lockdown"))
    assert len(engagers(both, both.unit("Mara"), SEED)) == 2
    no(go(both, (-1, 0)), "HEX_LOCKED")


@case("LK4")
def _() -> None:
    no(go(board(mara("nimble"), guard("lockdown")), *P), "HEX_PAST_ZONE")
    yes(go(board(mara("nimble"), guard("lockdown")), (1, 0)), (1, 0), stopped=("Guard",))


@case("LK5")
def _() -> None:
    locked = board(mara(), spear("lockdown"))
    yes(go(locked, (-1, 0), kind="displace", by="red"), (-1, 0))
    yes(fly(locked, (-3, 0), kind="teleport", by="red", reach=3), (-3, 0))


@case("LK6")
def _() -> None:
    locked = board(mara("trample", "unstoppable"), spear("lockdown", kind="infantry"))
    outcome = go(locked, *P[:2], faces=(1,))
    yes(outcome, (2, 0), melee=False)
    assert outcome.dice_needed == 1
    no(go(locked, (-1, 0)), "HEX_LOCKED")
    no(go(locked, *P[:2], ruleset=CURRENT), "HEX_LOCKED")


@case("LK7")
def _() -> None:
    locked = board(mara("trample"), spear("lockdown", kind="infantry"))
    no(go(locked, *P[:2], faces=(1,)), "HEX_ONE_HEX")
    no(go(locked, (-1, 0)), "HEX_LOCKED")


@case("LK8")
def _() -> None:
    no(go(board(mara("harass"), guard("lockdown")), *P), "HEX_PAST_ZONE")
    yes(go(board(mara("harass"), guard("lockdown")), (1, 0)), (1, 0), stopped=("Guard",))
    yes(go(board(mara("harass"), guard()), *P), (3, 0), melee=False)


# --- Nimble -----------------------------------------------------------------------------------------------------------


@case("NI1")
def _() -> None:
    yes(go(board(mara("nimble"), guard()), *P), (3, 0), melee=False)


@case("NI2")
def _() -> None:
    yes(go(board(mara("nimble"), guard()), (1, 0)), (1, 0))


@case("NI3")
def _() -> None:
    engaged = board(mara("nimble"), spear())
    no(go(engaged, *BACK[:2]), "HEX_ONE_HEX")
    yes(go(engaged, (-1, 0)), (-1, 0), melee=False)
    # it began Engaged and was displaced: no normal Move Action, and Nimble stays off where Breakaway gives one
    freed = board(mara("nimble", "breakaway", began_engaged=True), guard())
    no(go(freed, *P), "HEX_PAST_ZONE")


@case("NI4")
def _() -> None:
    no(go(board(mara(), guard()), *P), "HEX_PAST_ZONE")
    yes(go(board(mara(), guard()), (1, 0)), (1, 0), stopped=("Guard",))


@case("NI5")
def _() -> None:
    yes(go(board(mara("nimble"), foe("Guard", (2, -1), NE)), *P), (3, 0))


@case("NI6")
def _() -> None:
    both = board(mara("nimble"), guard(), foe("Lock", (1, 1), NE + 1, "lockdown"))
    no(go(both, *P), "HEX_PAST_ZONE")
    yes(go(both, (1, 0)), (1, 0), stopped=("Guard", "Lock"))


@case("NI7")
def _() -> None:
    chain = board(mara("nimble", speed=4), guard(), foe("Lock", (4, 0), W, "lockdown"))
    yes(go(chain, *P), (3, 0), melee=False, stopped=("Lock",))
    no(go(chain, *P, (3, 1)), "HEX_PAST_ZONE")


# --- Scout Deploy -----------------------------------------------------------------------------------------------------


def scouting(*units: Unit) -> Board:
    return board(*units, phase="scout a")


SCOUT = "scout deploy"


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


# --- Unstoppable ------------------------------------------------------------------------------------------------------


@case("UN1")
def _() -> None:
    yes(go(board(mara("unstoppable"), spear()), *BACK), (-3, 0), melee=False)


@case("UN2")
def _() -> None:
    yes(go(board(mara("unstoppable"), guard()), *P), (3, 0), melee=False)


@case("UN3")
def _() -> None:
    yes(go(board(mara("unstoppable")), *P), (3, 0))
    harsh = replace(SEED, options=Options(unstoppable_melee="any_move"))
    yes(go(board(mara("unstoppable")), *P, ruleset=harsh), (3, 0), melee=False)


@case("UN4")
def _() -> None:
    yes(go(board(mara("unstoppable"), foe("Wall", (3, 0), W)), *P[:2]), (2, 0))


@case("UN5")
def _() -> None:
    no(go(board(mara("unstoppable"), spear("lockdown")), (-1, 0)), "HEX_LOCKED")


@case("UN6")
def _() -> None:
    lock = board(mara("unstoppable"), guard("lockdown"))
    yes(go(lock, *P), (3, 0), melee=False)
    no(go(lock, *P, ruleset=CURRENT), "HEX_PAST_ZONE")


@case("UN7")
def _() -> None:
    outcome = go(board(mara("unstoppable"), spear()), strike="Spear")
    yes(outcome, (0, 0))


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
