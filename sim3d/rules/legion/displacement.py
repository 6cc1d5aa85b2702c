"""Displacement: what is wrong about how minis were pushed aside and put back, and that their units are suppressed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sim3d.finding import Hit, Severity, check
from sim3d.rules.legion.putback import Back
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.site import Kept

if TYPE_CHECKING:
    from sim3d.rules.legion.making import Made


def _backs(made: Made) -> tuple[Back, ...]:
    return made.displacement.backs if made.displacement is not None else ()


@check("DISPLACED_BY_WRONG_PLAYER", Severity.ERROR, "{by} moved, so {others} puts the displaced minis back")
def displaced_by_wrong_player(made: Made) -> Iterable[Hit]:
    """The player who moved puts the displaced minis back (DP07).

    Why: the other one places them all, friend and foe. Example: the walker's player sets the squad down again.
    Do: let the other player choose.
    """
    by = made.move.displacer
    if made.displacement is not None and by and by == made.unit.side:
        yield Hit(rules="DP07", by=by, others=" or ".join(made.displacement.aside.by) or "the other player")


@check("DISPLACED_NO_ROOM", Severity.ERROR, "no room was found for the displaced minis of {unit}")
def displaced_no_room(made: Made) -> Iterable[Hit]:
    """No legal places were found for the minis of a displaced unit (DP07).

    Why: each has to be put back in cohesion. Example: a squad pushed into a corner full of others.
    Do: say where they are put (`displace`), or stop earlier.
    """
    for unit in made.displacement.homeless if made.displacement is not None else ():
        yield Hit(rules="DP07", unit=unit)


@check("DISPLACED_WITHOUT_NEED", Severity.ERROR, "{mini} was put elsewhere, but it was not displaced")
def displaced_without_need(made: Made) -> Iterable[Hit]:
    """A mini is placed that was neither set aside nor left out of cohesion (DP07, DP08).

    Why: the other player places displaced minis and those who lost their leader, nobody else. Example: a mini of the
    unit that still is in cohesion. Do: leave it where it is.
    """
    needless = list(made.displacement.needless) if made.displacement is not None else []
    if made.displacement is None:
        needless = [f.mini for f in made.move.displaced]
    for mini in needless:
        yield Hit(rules="DP07 DP08", mini=mini)


@check("DISPLACED_LEADER_TOO_FAR", Severity.ERROR, "{mini} is {beyond_mm:.1f} mm farther from its mark than speed 1")
def displaced_leader_too_far(made: Made) -> Iterable[Hit]:
    """A displaced leader is put back farther than a tool of speed 1 from where it stood (DP08).

    Why: its mark is where it was set aside from. Example: 75.1 mm from base to base. Do: put it nearer.
    """
    for back in _backs(made):
        if back.leader and back.from_mark_mm > made.ruleset.numbers.contact_mm:
            yield Hit(rules="DP08", mini=back.mini.name, beyond_mm=back.from_mark_mm)


@check("DISPLACED_OUT_OF_COHESION", Severity.ERROR, "{mini} is not put in cohesion with its leader: {why}")
def displaced_out_of_cohesion(made: Made) -> Iterable[Hit]:
    """A displaced mini is not put back in cohesion, or one that lost its leader is left out of it (DP07, DP08).

    Why: each mini goes to its leader. Example: 75.1 mm from it. Do: put it nearer, or where there is a way.
    """
    needless = made.displacement.needless if made.displacement is not None else ()
    for back in _backs(made):
        if back.kept is not None and back.mini.name not in needless and not back.kept.whole(made.ruleset):
            row, why = _lacks(back.kept, made.ruleset)
            own = "DP07" if back.set_aside else "DP08"
            yield Hit(rules=f"{row} {own}", mini=back.mini.name, why=why)


def _lacks(one: Kept, ruleset: Ruleset) -> tuple[str, str]:
    """The row by which a mini is not in cohesion, and why."""
    if one.beyond_mm > ruleset.numbers.contact_mm:
        return "CO02", f"{one.beyond_mm:.1f} mm too far"
    if one.off_deg > ruleset.numbers.flush_deg:
        return "CO03", f"it faces {one.off_deg:.1f} degrees beside it"
    return one.level_rule or "CO08", "no legal way leads there"


@check("DISPLACED_TOUCHES_ENEMY", Severity.ERROR, "{mini} is put back in contact with {others}")
def displaced_touches_enemy(made: Made) -> Iterable[Hit]:
    """A displaced mini is put back in contact with an enemy (DP09).

    Why: nobody is pushed into a melee. Example: flush with an enemy's base. Do: leave a gap.
    """
    for back in _backs(made):
        if back.touches:
            yield Hit(rules="DP09", mini=back.mini.name, others=" and ".join(back.touches))


@check("DISPLACED_OFF_ELEVATION", Severity.ERROR, "{mini} leaves its elevation{rise}, which has room")
def displaced_off_elevation(made: Made) -> Iterable[Hit]:
    """A displaced mini is put on another elevation although there was room on its own (DP10).

    Why: it stays where it was, if that is possible. Example: off a landing pad that is half empty.
    Do: put it back on the pad.
    """
    for back in _backs(made):
        if back.rise_mm and back.could_stay:
            if math.isfinite(back.rise_mm):
                rise = f" ({back.rise_mm:+.1f} mm)"
                yield Hit(rules="DP10", mini=back.mini.name, rise=rise, rise_mm=back.rise_mm)
            else:
                yield Hit(rules="DP10", mini=back.mini.name, rise="")


@check("DISPLACED_WRONG_PLACE", Severity.ERROR, "{mini} cannot be put there: {why}")
def displaced_wrong_place(made: Made) -> Iterable[Hit]:
    """A displaced mini is put on a base, on a token, or where it does not stand (DP07).

    Why: it is placed as legally as any other. Example: on the mover's base. Do: put it beside it.
    """
    for back in _backs(made):
        why = [f"{name} is in the way" for name in back.on]
        why += [] if back.stand.answer == "stable" else [back.stand.why]
        if why:
            tokens = {t.name for t in made.battle.table.tokens}
            own = {"MV13" if name in tokens else "MV12" for name in back.on} or {"MV15"}
            rows = " ".join(sorted({"DP07", *own}))
            yield Hit(rules=rows, mini=back.mini.name, why="; ".join(why))


@check("MINIS_DISPLACED", Severity.INFO, "{minis} of {unit} {are} set aside{marked}; {by} puts {them} back")
def minis_displaced(made: Made) -> Iterable[Hit]:
    """Minis are displaced: by a way over them (DP01), by where a compulsory move ends (DP02, CM06), by a withdrawal
    (DP05); they are set aside and a leader's place is marked (DP06).

    Why: the mover goes on as if they were not there. Example: a walker through a squad. Do: nothing.
    """
    if made.displacement is None:
        return
    for unit in made.displacement.aside.units:
        minis = [m.name for m in made.displacement.aside.minis if m.name in unit.minis]
        row = "CM06 DP02" if made.move.compulsory and made.unit.type == "repulsor" else "DP01"
        if made.move.withdraw and unit.name in made.engaged:
            row = "DP05"
        marked = f", its leader's place is marked ({unit.leader})" if unit.leader in minis else ""
        by = " or ".join(made.displacement.aside.by) or "the other player"
        are, them = ("is", "it") if len(minis) == 1 else ("are", "them")
        names = " and ".join(minis)
        yield Hit(rules=f"{row} DP06", minis=names, unit=unit.name, marked=marked, by=by, are=are, them=them)


@check("DISPLACED_SUPPRESSED", Severity.INFO, "{unit} was displaced and gains a suppression")
def displaced_suppressed(made: Made) -> Iterable[Hit]:
    """A displaced unit gains one suppression, at most once in an activation (DP11).

    Why: that is what it costs. Example: a squad that a walker crosses twice gains one. Do: nothing.
    """
    for name in suppressed(made):
        yield Hit(rules="DP11", unit=name)


def suppressed(made: Made) -> tuple[str, ...]:
    """The units that gain a suppression: displaced, and not yet in this activation (DP11)."""
    pushed = made.displacement.aside.units if made.displacement is not None else ()
    return tuple(u.name for u in pushed if u.name not in made.unit.state.pushed)
