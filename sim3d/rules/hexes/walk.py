"""A Move Action hex by hex: what is settled before its first step, what each step costs, what ends it, what it leaves.

`judge` walks a path that somebody gives, `reachable` every path there is; both by `enter`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sim3d.rules.hexes import traits
from sim3d.rules.hexes.board import Board, Unit, closed, engagers, zone
from sim3d.rules.hexes.grid import Hex, way_to
from sim3d.rules.hexes.ruleset import Ruleset


class Fault(NamedTuple):
    """Something that speaks against a move: the code that tells it, and its numbers."""

    code: str
    numbers: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Start:
    """What is settled before the first hex: who engages whom, and by which right the unit moves at all."""

    board: Board
    unit: Unit
    ruleset: Ruleset
    engagers: tuple[Unit, ...]  # of the unit, now
    began: bool  # its activation began Engaged
    lockers: tuple[Unit, ...]
    leaves_by: str  # "plain", "breakaway", "unstoppable", or "one hex": all that an Engaged unit has
    zones: Mapping[Hex, tuple[Unit, ...]]  # the enemies whose zone a hex is in
    occupants: Mapping[Hex, Unit]

    @property
    def full(self) -> bool:
        """Whether it has its normal Move Action."""
        return self.leaves_by != "one hex"


class At(NamedTuple):
    """Where a Move Action is: what was spent, whether it has ended, which zone waiver is in use or was used."""

    hex: Hex
    steps: int = 0
    spent: int = 0
    stopped: bool = False
    lingers: str = ""  # the trait by which it did not stop in the zone it is in
    passed: str = ""  # the trait by which it left a zone that it had entered


class Entered(NamedTuple):
    """One step: where it leads, what speaks against it, the clauses that had an effect."""

    at: At
    faults: tuple[Fault, ...]
    used: tuple[str, ...]


def start_of(board: Board, unit: Unit, ruleset: Ruleset, *, scouting: bool = False) -> Start:
    """What a unit's Move Action begins with; a scout's is no activation, so it did not begin Engaged."""
    zones: dict[Hex, tuple[Unit, ...]] = {}
    for enemy in board.enemies(unit):
        for there in zone(board, enemy, ruleset):
            zones[there] = (*zones.get(there, ()), enemy)
    holding = engagers(board, unit, ruleset)
    began = bool(holding) if unit.began_engaged is None else unit.began_engaged
    leaves_by = "plain"
    if began and not scouting:
        leaves_by = "one hex"
        if traits.unstoppable_leaves(unit):
            leaves_by = "unstoppable"
        if traits.breakaway_leaves(unit):  # the better right: it costs no melee
            leaves_by = "breakaway"
    return Start(
        board=board,
        unit=unit,
        ruleset=ruleset,
        engagers=holding,
        began=began and not scouting,
        lockers=tuple(e for e in holding if traits.locks(e)),
        leaves_by=leaves_by,
        zones=zones,
        occupants={u.at: u for u in board.units if u.name != unit.name},
    )


LEAVING = {"breakaway": ("HX01a",), "unstoppable": ("HX12a",)}


def enter(start: Start, at: At, to: Hex, *, last: bool = False) -> Entered:
    """One step into a hex. Faults do not stop the walk, so that all of a path are heard; `last`: the path ends here."""
    cell = start.board.hexes.get(to)
    faults: list[Fault] = []
    if cell is None:  # nobody's zone reaches there: what stopped it is told once
        if at.stopped:
            faults.append(_past(start, at.hex, to))
        faults.append(Fault("HEX_OFF_BOARD", {"at": str(to)}))
        return Entered(at._replace(hex=to, steps=at.steps + 1, stopped=False), tuple(faults), ())
    used: list[str] = []
    if at.steps == 0:
        used += LEAVING.get(start.leaves_by, ())
        faults += _lock(start, to, used)
    occupant = start.occupants.get(to)
    faults += _way(start, at, to)
    if occupant is not None:
        rule = _through(start.unit, occupant)
        used += [rule] if rule else []
        if not rule and not last:
            told = {"at": str(to), "who": occupant.name, "unit": start.unit.name}
            faults.append(Fault("HEX_OCCUPIED", told))
    cost = _cost(start, to, used)
    faults += _points(start, at, cost, to)
    if at.stopped:
        faults.append(_past(start, at.hex, to))
    stops, lingers, rules = _zone(start, to, occupant)
    used += rules
    passed = at.passed or at.lingers
    return Entered(At(to, at.steps + 1, at.spent + cost, stops, lingers, passed), tuple(faults), tuple(used))


def _lock(start: Start, to: Hex, used: list[str]) -> list[Fault]:
    """What Lockdown says to leaving; a Trample may slip out."""
    if not start.lockers:
        return []
    if traits.trample_slips(start.unit, start.occupants.get(to), start.ruleset):
        used.append("HX06c")
        return []
    return [lock_fault(start)]


def lock_fault(start: Start) -> Fault:
    """That a unit is locked, and by whom."""
    who = ", ".join(e.name for e in start.lockers)
    return Fault("HEX_LOCKED", {"rules": "HX06a", "unit": start.unit.name, "who": who})


def _way(start: Start, at: At, to: Hex) -> list[Fault]:
    """What the board says to a step from one hex to the next."""
    if way_to(at.hex, to) is None:
        return [Fault("HEX_NOT_ADJACENT", {"at": str(to), "before": str(at.hex)})]
    faults = []
    if start.board.hexes[to].is_("impassable"):
        faults.append(Fault("HEX_IMPASSABLE", {"at": str(to)}))
    high = closed(start.board, at.hex, to, start.ruleset)
    if high is not None:
        faults.append(wall_fault(at.hex, to, high, start.ruleset))
    return faults


def wall_fault(before: Hex, to: Hex, high: float, ruleset: Ruleset) -> Fault:
    """That a wall is between two hexes."""
    step = ruleset.numbers.step_mm
    told = {"rules": "HX13", "at": str(to), "before": str(before), "step_mm": step}
    if math.isinf(high):
        return Fault("HEX_WALL", {**told, "wall": "no way: nothing joins them that a base could walk over"})
    wall = f"a wall of {high:.1f} mm, over the step of {step:g} mm"
    return Fault("HEX_WALL", {**told, "wall": wall, "high_mm": high})


def _through(unit: Unit, occupant: Unit) -> str:
    """The clause by which a unit passes through an occupied hex; "" where none does."""
    if traits.skirmish_passes(unit, occupant):
        return "HX09a"
    return "HX11a" if traits.tramples(unit, occupant) else ""


def _cost(start: Start, to: Hex, used: list[str]) -> int:
    numbers = start.ruleset.numbers
    if not start.full or not start.board.hexes[to].is_("difficult"):
        return numbers.plain_cost
    if traits.crosses_difficult(start.unit):
        used.append("HX04a")
        return numbers.plain_cost
    return numbers.difficult_cost


def _points(start: Start, at: At, cost: int, to: Hex) -> list[Fault]:
    """The first hex is always there to be had; the rest must be paid."""
    numbers = start.ruleset.numbers
    if not start.full:
        if at.steps < numbers.engaged_hexes:
            return []
        who = ", ".join(e.name for e in start.engagers) or "an enemy"
        return [Fault("HEX_ONE_HEX", {"unit": start.unit.name, "who": who, "at": str(to)})]
    if at.steps < numbers.least_hexes or at.spent + cost <= start.unit.points:
        return []
    told = {"unit": start.unit.name, "at": str(to), "points": at.spent + cost, "has": start.unit.points}
    return [Fault("HEX_TOO_FAR", told)]


def _past(start: Start, ended: Hex, to: Hex) -> Fault:
    owners = start.zones[ended]
    rules = " ".join(_stopping(start, owners)[1])
    who = ", ".join(e.name for e in owners)
    return Fault("HEX_PAST_ZONE", {"rules": rules, "at": str(ended), "to": str(to), "who": who})


def _zone(start: Start, to: Hex, occupant: Unit | None) -> tuple[bool, str, tuple[str, ...]]:
    """Whether entering a hex ends the move, or the trait by which it does not; and the clauses that say so.

    Only an empty hex ends a move: nobody stops on top of another unit.
    """
    owners = start.zones.get(to, ())
    if not owners or occupant is not None:
        return False, "", ()
    waived, rules = _stopping(start, owners)
    if waived == "breakaway":
        return False, "", rules
    return not waived, waived, rules


def _stopping(start: Start, owners: tuple[Unit, ...]) -> tuple[str, tuple[str, ...]]:
    """The trait by which a unit does not stop in these enemies' zones, or ""; and the clauses that decided."""
    unit, ruleset = start.unit, start.ruleset
    if traits.unstoppable_passes(unit, owners, ruleset):
        return "unstoppable", ("HX12b",)
    rules: list[str] = []
    if traits.nimble_passes(unit):
        off = traits.nimble_is_off(start.began)
        negated, cancelled = traits.lock_negates_nimble(unit, owners), traits.lock_cancels_harass(unit, owners)
        if not (off or negated or cancelled):
            return "nimble", ("HX07a",)
        rules += ["HX07d"] * off + ["HX07c"] * negated + ["HX06b"] * cancelled
    if start.leaves_by == "breakaway":
        if not traits.breakaway_ends(owners, start.engagers, ruleset):
            return "breakaway", tuple(rules)
        rules.append("HX01b")
    return "", tuple(rules)


def melee_after(start: Start, at: At, *, turned: bool = False) -> tuple[bool, tuple[str, ...]]:
    """Whether a melee attack is left after a Move Action that ended here, and the clauses that took it."""
    moved = at.steps > 0
    if not start.full:  # the one hex of an Engaged unit, or its pivot, is paid for with the attack
        return not (moved or turned), ()
    rules = []
    if traits.nimble_costs_melee(at.passed == "nimble"):
        rules.append("HX07b")
    if start.unit.has("unstoppable"):
        left = moved and start.leaves_by == "unstoppable"
        if traits.unstoppable_costs_melee(left, at.passed == "unstoppable", moved, start.ruleset):
            rules.append("HX12c")
    return not rules, tuple(rules)
