"""Checks of embarking and disembarking: speed-1 moves to and from a vehicle that carries troopers (MV17)."""

from __future__ import annotations

from collections.abc import Iterable

from sim3d.finding import Hit, Severity, check, counted
from sim3d.rules.legion.actions import BAIL_OUT
from sim3d.rules.legion.battle import near, overlap_mm, touching
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.unit import VEHICLES, Unit


def vehicle_of(made: Made) -> Unit:
    """The vehicle that is boarded or left."""
    return made.battle.unit(made.unit.state.aboard or made.move.vehicle)


@check("EMBARK_NOT_FOR_UNIT", Severity.ERROR, "{unit} cannot {kind}: {why}")
def embark_not_for_unit(made: Made) -> Iterable[Hit]:
    """A unit boards or leaves a vehicle that cannot carry it (MV17).

    Why: friendly vehicles with room carry troopers; creatures, stationary units and whoever holds an objective walk.
    Nobody boards what is destroyed, and whoever is in it bails out. Example: a creature that embarks.
    Do: move on foot, or bail out.
    """
    if made.move.kind not in ("embark", "disembark", BAIL_OUT):
        return
    unit, vehicle = made.unit, vehicle_of(made)
    reasons = []
    if not vehicle.transport:
        reasons.append(f"{vehicle.name} carries nobody")
    if vehicle.side != unit.side:
        reasons.append(f"{vehicle.name} is not on its side")
    if unit.type == "creature" or not unit.trooper:
        reasons.append(f"it is a {unit.type}{' vehicle' if unit.type in VEHICLES else ''}")
    if unit.has("stationary") and made.move.kind != BAIL_OUT:
        reasons.append("it is stationary")
    if unit.state.objective:
        reasons.append("it holds an objective")
    if made.move.kind == BAIL_OUT and not vehicle.state.defeated:
        reasons.append(f"{vehicle.name} is not destroyed")
    if made.move.kind != BAIL_OUT and vehicle.state.defeated:
        reasons.append(f"{vehicle.name} is destroyed")
    if made.move.kind == "embark":
        reasons += _no_room(made, vehicle)
    if reasons:
        yield Hit(rules="MV17", unit=unit.name, kind=made.move.kind, why=" and ".join(reasons))


def _no_room(made: Made, vehicle: Unit) -> Iterable[str]:
    """Why there is no room aboard."""
    width = made.ruleset.numbers.light_mm
    if vehicle.transport == "light transport":
        x0, y0, x1, y1 = made.leader.mini.base.outline.bounds()
        if len(made.unit.minis) > 1 or max(x1 - x0, y1 - y0) > width + 1e-6:
            yield f"{vehicle.name} carries one mini on a base of at most {width:g} mm"
    for other in made.battle.units:
        if other.state.aboard == vehicle.name and other.name != made.unit.name:
            yield f"{other.name} is aboard already"


@check("EMBARK_NOT_IN_CONTACT", Severity.ERROR, "{leader} is not in contact with {vehicle} {when}")
def embark_not_in_contact(made: Made) -> Iterable[Hit]:
    """A leader boards or leaves a vehicle without touching it (MV17).

    Why: who embarks ends in contact with the vehicle, who disembarks begins there; where it is destroyed everybody
    ends there. Example: 0.1 mm beside it. Do: end or begin flush with its base.
    """
    if made.move.kind not in ("embark", "disembark", BAIL_OUT):
        return
    begins = made.move.kind == "disembark"
    table = made.battle.table
    minis = [m for m in table.minis if m.name in vehicle_of(made).minis]
    for where in (made.leader,) if begins else (made.end,) if made.move.kind == "embark" else made.ends:
        if not any(touching(table, where, mini, made.ruleset) for mini in minis):
            when = "at first" if begins else "at the end"
            yield Hit(rules="MV17", leader=where.name, vehicle=vehicle_of(made).name, when=when)


@check("DISEMBARK_ON_MINI", Severity.ERROR, "{leader} is set down {deep_mm:.1f} mm deep in {other}'s base")
def disembark_on_mini(made: Made) -> Iterable[Hit]:
    """Who disembarks is first set down on another mini's base (MV12, MV17).

    Why: its move begins beside the vehicle, in contact, where nobody stands: a place in the vehicle's own base would
    give away a part of the way, or win one. Example: 0.1 mm of overlap. Do: begin flush with the vehicle's base.
    """
    if made.move.kind != "disembark":
        return
    table = made.battle.table
    for other in (m for m in table.minis if m.name not in made.unit.minis and near(made.leader, m)):
        deep = overlap_mm(table, made.leader, other)
        if deep > made.ruleset.numbers.contact_mm:
            yield Hit(rules="MV12 MV17", leader=made.leader.name, other=other.name, deep_mm=deep)


def wreck_wounds(made: Made) -> int:
    """The wounds of a unit that gets out of a vehicle that is destroyed; 0 for any other move."""
    if made.move.kind != BAIL_OUT:
        return 0
    n = made.ruleset.numbers
    return n.wreck_wounds + (n.open_wounds if vehicle_of(made).transport == "transport" else 0)


@check("PASSENGERS_HURT", Severity.INFO, "{unit} gets out of what is left of {vehicle}: {hurt}, a suppression")
def passengers_hurt(made: Made) -> Iterable[Hit]:
    """A unit gets out of a vehicle that is destroyed (MV17).

    Why: it is set down in contact, suffers a wound, another one from an open transport, and gains a suppression.
    Example: two wounds out of an open one. Do: nothing.
    """
    if made.move.kind == BAIL_OUT:
        wounds = wreck_wounds(made)
        hurt = counted(wounds, "wound")
        yield Hit(rules="MV17", unit=made.unit.name, vehicle=vehicle_of(made).name, wounds=wounds, hurt=hurt)
