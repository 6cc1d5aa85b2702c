"""Cases of enemies' zones: who is engaged, who is stopped, who gets away."""

from __future__ import annotations

from dataclasses import replace

from sim3d.rules.hexes import CURRENT, SEED, Options
from sim3d.rules.hexes.board import engagers
from tests.hexes import (
    BACK,
    NE,
    E,
    P,
    W,
    board,
    case,
    fly,
    foe,
    go,
    guard,
    mara,
    no,
    spear,
    yes,
)

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

SEED_EXEMPT = replace(SEED, options=Options(breakaway_same_enemy_exempt=True))
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
