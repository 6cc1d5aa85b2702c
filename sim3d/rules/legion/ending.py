"""Checks of where a move ends: standing, other bases, tokens, agreements, enemies; who follows is in cohesion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.rules.legion.battle import near, overlap_mm, tokens_under, touching
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.passage import OFF_MM
from sim3d.stand import Stand
from sim3d.table import Placed


def leaves(made: Made) -> bool:
    """Whether the leader's base leaves the battlefield on the way or at the end: the unit is defeated (MV11)."""
    return made.outside_mm > OFF_MM


def _answers(made: Made, *words: str) -> Iterator[tuple[Placed, Stand]]:
    """The minis put down whose answer is one of these; a unit that is defeated on the way is put down nowhere."""
    if not leaves(made):
        by_name = {m.name: m for m in made.ends}
        yield from ((by_name[n], s) for n, s in zip(made.put, made.stands, strict=True) if s.answer in words)


@check("END_PRECARIOUS", Severity.ERROR, "{mini} is precarious there: {why}")
def end_precarious(made: Made) -> Iterable[Hit]:
    """A mini ends where a nudge takes it over (MV14, CO07).

    Why: a base may overhang a ledge only as long as it stands firmly. Example: its centre of mass 1 mm inside an
    edge. Do: put it farther in.
    """
    for mini, stand in _answers(made, "precarious"):
        rows = "MV14" if mini.name == made.unit.leader else "CO07 MV14"
        yield Hit(rules=rows, mini=mini.name, why=stand.why)


@check("END_DOES_NOT_STAND", Severity.ERROR, "{mini} does not stand there, it {answer}: {why}")
def end_does_not_stand(made: Made) -> Iterable[Hit]:
    """A mini ends where it does not stay (MV15).

    Why: a move ends at rest. Example: half off a roof. Do: end where it stands.
    """
    for mini, stand in _answers(made, "topples", "slides", "falls"):
        yield Hit(rules="MV15", mini=mini.name, answer=stand.answer, why=stand.why)


@check("END_TOO_STEEP", Severity.ERROR, "{mini} leans {tilt} degrees there, {limit_deg:g} is the limit")
def end_too_steep(made: Made) -> Iterable[Hit]:
    """A mini ends with its base over 45 degrees (MV15).

    Why: nobody ends a move on a slope that steep, even where it would hold. Example: a slope of 45.1 degrees.
    Do: end where it is flatter.
    """
    for mini, stand in _answers(made, "too-steep"):
        leans, limit = stand.tilt_deg or 0.0, made.ruleset.numbers.slope_deg
        tilt, _ = told_apart(leans, limit, 2)
        yield Hit(rules="MV15", mini=mini.name, tilt=tilt, tilt_deg=leans, limit_deg=limit)


@check("END_BLOCKED", Severity.ERROR, "{mini} does not fit there: {why}")
def end_blocked(made: Made) -> Iterable[Hit]:
    """A mini ends inside terrain, or under too low a ceiling (MV15).

    Why: it has to be placed, as flat as possible, where there is room for it. Example: half in a wall.
    Do: end where base and model fit.
    """
    for mini, stand in _answers(made, "blocked", "off-table"):
        yield Hit(rules="MV15", mini=mini.name, why=stand.why)


@check("STAND_UNDECIDED", Severity.ERROR, "whether {mini} stands there cannot be told: {why}")
def stand_undecided(made: Made) -> Iterable[Hit]:
    """A mini ends so near to a limit that nobody can tell whether it stands (MV15).

    Why: doubt is never passed off as standing; it is no plain no, either. Example: exactly 45 degrees.
    Do: put it a tenth of a millimetre aside, or agree with the other player.
    """
    for mini, stand in _answers(made, "undecided"):
        yield Hit(rules="MV15", mini=mini.name, why=stand.why)


@check("END_AGREED_AGAINST", Severity.ERROR, "players agreed that nobody ends on {pieces}")
def end_agreed_against(made: Made) -> Iterable[Hit]:
    """A mini ends on terrain where players agreed that its type does not end (MV19).

    Why: an agreement before play comes before what would stand. Example: on a lamp-post with `no end`.
    Do: end beside it.
    """
    if made.no_end and not leaves(made):
        yield Hit(rules="MV19", pieces=" and ".join(made.no_end))


@check("END_ON_MINI", Severity.ERROR, "{mini}'s base overlaps {other}'s by {deep_mm:.1f} mm")
def end_on_mini(made: Made) -> Iterable[Hit]:
    """A mini ends with its base on another's (MV12).

    Why: nobody shares a place, unless the mover displaces the other. Example: 0.1 mm of overlap. Do: stop before it.
    """
    if leaves(made):
        return
    table = made.after()
    gone = made.displaced
    for i, mini in enumerate(made.there):
        for other in table.minis:
            mates = [*made.lost, *made.boarding, *(m.name for m in made.there[: i + 1])]
            if other.name in gone or other.name in mates:
                continue
            deep = overlap_mm(table, mini, other) if near(mini, other) else -1.0
            if deep > made.ruleset.numbers.contact_mm:
                yield Hit(rules="MV12", mini=mini.name, other=other.name, deep_mm=deep)


@check("END_ON_TOKEN", Severity.ERROR, "{mini}'s base lies {deep_mm:.1f} mm over the token {token}")
def end_on_token(made: Made) -> Iterable[Hit]:
    """A mini ends on an objective or condition token (MV13).

    Why: they stay uncovered. Example: 0.1 mm over its rim. Do: stop beside it.
    """
    if leaves(made):
        return
    for mini in made.there:
        for token, deep in tokens_under(made.battle.table, mini, made.ruleset):
            yield Hit(rules="MV13", mini=mini.name, token=token, deep_mm=deep)


@check("END_TOUCHES_ENEMY", Severity.ERROR, "{mini} comes into contact with {other} of {foe}{why}")
def end_touches_enemy(made: Made) -> Iterable[Hit]:
    """A mini comes into base contact with an enemy without entering that unit's melee (MV10, CO04).

    Why: contact is for units with a melee weapon that enter a melee with that unit, their leader first. Example: to
    stop against an enemy on the way past. Do: keep a gap, or enter the melee (`melee = "…"`) with the leader.
    """
    if leaves(made):
        return
    for mini in made.there:
        for other in made.battle.table.minis:
            foe = made.battle.unit_of(other.name)
            if foe is None or foe.side == made.unit.side or other.name in made.displaced:
                continue
            met = near(mini, other) and touching(made.battle.table, mini, other, made.ruleset)
            if not met or made.may_touch(mini, other):
                continue
            why = ", whose melee its unit does not enter" if made.unit.melee else ", and has no melee weapon"
            if made.enters and foe.name == made.move.melee:
                why = f", and {made.end.name}, its leader, does not"
            if made.move.withdraw and made.unit.melee:
                why = ", and who withdraws enters no melee"
            rows = "MV10" if mini.name == made.unit.leader else "CO04 MV10"
            if made.move.withdraw and foe.name in made.touched:
                why, rows = ", from which it withdraws", f"{rows} MV17"
            yield Hit(rules=rows, mini=mini.name, other=other.name, foe=foe.name, why=why)


@check("MELEE_NOT_REACHED", Severity.ERROR, "{unit} enters no melee with {foe}: none of its minis comes into contact")
def melee_not_reached(made: Made) -> Iterable[Hit]:
    """A move says that it enters a unit's melee, and ends away from all of its minis (MV10).

    Why: a melee is entered by contact, and a player's word is judged as the place is. A compulsory move goes as far as
    it has to, and need not get there. Example: to stop 0.1 mm short. Do: end in contact, or leave `melee` out.
    """
    move = made.move
    if not move.melee or move.compulsory or leaves(made):
        return
    table = made.after()
    theirs = [m for m in table.minis if m.name in made.battle.unit(move.melee).minis and m.name not in made.displaced]
    if not any(touching(table, mini, other, made.ruleset) for mini in made.there for other in theirs):
        yield Hit(rules="MV10", unit=made.unit.name, foe=move.melee)
