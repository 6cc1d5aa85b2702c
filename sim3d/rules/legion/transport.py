"""Checks of embarking and disembarking: speed-1 moves to and from a vehicle that carries troopers (MV17)."""

from __future__ import annotations

from collections.abc import Iterable

from sim3d.finding import Hit, Severity, check
from sim3d.rules.legion.battle import touching
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.unit import Unit


def vehicle_of(made: Made) -> Unit:
    """The vehicle that is boarded or left."""
    return made.battle.unit(made.unit.state.aboard or made.move.vehicle)


@check("EMBARK_NOT_FOR_UNIT", Severity.ERROR, "{unit} cannot {kind}: {why}")
def embark_not_for_unit(made: Made) -> Iterable[Hit]:
    """A unit boards or leaves a vehicle that cannot carry it (MV17).

    Why: friendly vehicles with room carry troopers; creatures, stationary units and whoever holds an objective walk.
    Example: a creature that embarks. Do: move on foot.
    """
    if made.move.kind not in ("embark", "disembark"):
        return
    unit, vehicle = made.unit, vehicle_of(made)
    reasons = []
    if not vehicle.has("transport"):
        reasons.append(f"{vehicle.name} carries nobody")
    if vehicle.side != unit.side:
        reasons.append(f"{vehicle.name} is not on its side")
    if unit.type == "creature" or not unit.trooper:
        reasons.append(f"it is {unit.type}")
    if unit.has("stationary"):
        reasons.append("it is stationary")
    if unit.state.objective:
        reasons.append("it holds an objective")
    if reasons:
        yield Hit(rules="MV17", unit=unit.name, kind=made.move.kind, why=" and ".join(reasons))


@check("EMBARK_NOT_IN_CONTACT", Severity.ERROR, "{leader} is not in contact with {vehicle} {when}")
def embark_not_in_contact(made: Made) -> Iterable[Hit]:
    """A leader boards or leaves a vehicle without touching it (MV17).

    Why: who embarks ends in contact with the vehicle, who disembarks begins there. Example: 0.1 mm beside it.
    Do: end or begin flush with its base.
    """
    if made.move.kind not in ("embark", "disembark"):
        return
    boards = made.move.kind == "embark"
    where = made.end if boards else made.leader
    minis = [made.battle.table.mini(name) for name in vehicle_of(made).minis]
    if not any(touching(made.battle.table, where, mini, made.ruleset) for mini in minis):
        when = "at the end" if boards else "at first"
        yield Hit(rules="MV17", leader=made.leader.name, vehicle=vehicle_of(made).name, when=when)
