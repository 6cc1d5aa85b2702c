"""The twelve movement traits: a small function for each clause, called by its name where the clause bites or waives.

`CLAUSES` says which function carries a clause out, and what it would answer if the clause were not written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sim3d.rules.hexes.board import Unit
from sim3d.rules.hexes.grid import Hex
from sim3d.rules.hexes.ruleset import Ruleset

F = TypeVar("F", bound=Callable[..., Any])
TRODDEN = ("infantry", "swarm")  # kinds of units that a Trample passes through


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the ledger: the function that carries it out, and its answer if there were no such clause."""

    id: str
    function: str
    idle: Any


CLAUSES: dict[str, Clause] = {}


def clause(rule: str, *, idle: Any) -> Callable[[F], F]:
    """Declare what carries a clause out."""

    def declared(function: F) -> F:
        CLAUSES[rule] = Clause(rule, function.__name__, idle)
        return function

    return declared


# --- leaving an enemy's zone ------------------------------------------------------------------------------------------


@clause("HX01a", idle=False)
def breakaway_leaves(unit: Unit) -> bool:
    """A unit that began Engaged may take its normal Move Action all the same (HX01a)."""
    return unit.has("breakaway")


@clause("HX01b", idle=False)
def breakaway_ends(owners: Sequence[Unit], left: Sequence[Unit], ruleset: Ruleset) -> bool:
    """Whether entering these enemies' zones ends a Breakaway (HX01b)."""
    exempt = [e.name for e in left] if ruleset.options.breakaway_same_enemy_exempt else []
    return any(e.name not in exempt for e in owners)


@clause("HX12a", idle=False)
def unstoppable_leaves(unit: Unit) -> bool:
    """A unit that began Engaged may take a Move Action (HX12a)."""
    return unit.has("unstoppable")


@clause("HX06a", idle=False)
def locks(engager: Unit) -> bool:
    """Whether an enemy that this unit engages cannot take a Move Action (HX06a)."""
    return engager.has("lockdown")


@clause("HX06c", idle=False)
def trample_slips(unit: Unit, occupant: Unit | None, ruleset: Ruleset) -> bool:
    """Whether a locked unit may go all the same, since its first hex is one that it tramples (HX06c)."""
    return ruleset.options.lockdown_trample_exception and occupant is not None and tramples(unit, occupant)


# --- passing zones ----------------------------------------------------------------------------------------------------


@clause("HX12b", idle=False)
def unstoppable_passes(unit: Unit, owners: Sequence[Unit], ruleset: Ruleset) -> bool:
    """Whether a unit goes on through these enemies' zones (HX12b)."""
    stopped = ruleset.options.lockdown_stops_unstoppable and any(e.has("lockdown") for e in owners)
    return unit.has("unstoppable") and not stopped


@clause("HX07a", idle=False)
def nimble_passes(unit: Unit) -> bool:
    """Whether a unit need not stop in enemy zones (HX07a); Harass is an older name of the same."""
    return unit.has("nimble") or unit.has("harass")


@clause("HX07d", idle=False)
def nimble_is_off(began_engaged: bool) -> bool:
    """Nimble does nothing in an activation that began Engaged (HX07d)."""
    return began_engaged


@clause("HX07c", idle=False)
def lock_negates_nimble(unit: Unit, owners: Sequence[Unit]) -> bool:
    """In the zone of a Lockdown unit Nimble is no help (HX07c)."""
    return unit.has("nimble") and any(e.has("lockdown") for e in owners)


@clause("HX06b", idle=False)
def lock_cancels_harass(unit: Unit, owners: Sequence[Unit]) -> bool:
    """In the zone of a Lockdown unit Harass is no help (HX06b)."""
    return unit.has("harass") and any(e.has("lockdown") for e in owners)


@clause("HX07b", idle=False)
def nimble_costs_melee(passed: bool) -> bool:
    """Whoever left a zone that it had entered without stopping makes no melee attack (HX07b)."""
    return passed


@clause("HX12c", idle=False)
def unstoppable_costs_melee(left: bool, passed: bool, moved: bool, ruleset: Ruleset) -> bool:
    """Whether the trait took the melee attack away: it was needed to leave, or to pass (HX12c)."""
    return moved if ruleset.options.unstoppable_melee == "any_move" else left or passed


# --- the way ----------------------------------------------------------------------------------------------------------


@clause("HX04a", idle=False)
def crosses_difficult(unit: Unit) -> bool:
    """Difficult hexes cost no more than others (HX04a)."""
    return unit.has("ignore difficult")


@clause("HX04b", idle=False)
def charges_anyway(unit: Unit) -> bool:
    """No Charge made by terrain does not touch its melee attacks (HX04b)."""
    return unit.has("ignore difficult")


@clause("HX09a", idle=False)
def skirmish_passes(mover: Unit, occupant: Unit) -> bool:
    """Friends pass through each other's hexes if either has the trait (HX09a)."""
    return mover.side == occupant.side and (mover.has("skirmish") or occupant.has("skirmish"))


@clause("HX09b", idle=True)
def may_stay(occupant: Unit | None) -> bool:
    """A Move Action ends in no occupied hex (HX09b)."""
    return occupant is None


@clause("HX11a", idle=False)
def tramples(mover: Unit, occupant: Unit) -> bool:
    """Whether a unit passes through this one, friend or enemy (HX11a)."""
    return mover.has("trample") and occupant.kind in TRODDEN


@clause("HX11b", idle=0)
def trample_dice(trodden: Sequence[Hex]) -> int:
    """The attack dice at the end of the action: one for each enemy hex passed, however often (HX11b)."""
    return len(set(trodden))


@clause("HX11c", idle=True)
def may_reroll() -> bool:
    """Whether dice of a Trample may be rolled again (HX11c)."""
    return False


@clause("HX03a", idle=False)
def flies(unit: Unit) -> bool:
    """Its Move Action may be a teleport of up to its speed (HX03a)."""
    return unit.has("flying")


@clause("HX03b", idle=True)
def flight_is_free(engagers: Sequence[Unit]) -> bool:
    """Nobody takes off while Engaged (HX03b)."""
    return not engagers


# --- other moves ------------------------------------------------------------------------------------------------------


@clause("HX08a", idle=False)
def scouts(unit: Unit) -> bool:
    """It has one free Move Action before the game, in its owner's step (HX08a)."""
    return unit.has("scout deploy")


@clause("HX08b", idle=True)
def scout_may_end(engagers: Sequence[Unit]) -> bool:
    """That move does not end where an enemy would engage it (HX08b)."""
    return not engagers


@clause("HX02a", idle=False)
def combat_shift_frees(unit: Unit) -> bool:
    """An Engaged unit is eligible in the God's Push (HX02a)."""
    return unit.has("combat shift")


@clause("HX02b", idle=True)
def combat_shift_in_time(unit: Unit) -> bool:
    """But only if it was not activated this round (HX02b)."""
    return not unit.activated


@clause("HX10", idle=False)
def tireless_moves(unit: Unit) -> bool:
    """A unit that was activated this round is eligible in the God's Push (HX10)."""
    return unit.has("tireless")


@clause("HX05a", idle=False)
def unpushed(unit: Unit, by_enemy: bool) -> bool:
    """An enemy cannot push it (HX05a)."""
    return by_enemy and unit.has("immovable")


@clause("HX05b", idle=False)
def undisplaced(unit: Unit, by_enemy: bool) -> bool:
    """An enemy cannot displace it (HX05b)."""
    return by_enemy and unit.has("immovable")


@clause("HX05c", idle=False)
def unteleported(unit: Unit, by_enemy: bool) -> bool:
    """An enemy cannot teleport it (HX05c)."""
    return by_enemy and unit.has("immovable")
