"""`judge` says every reason why a move is not legal, empty means legal; `play` makes it and says what happened.

Order is fixed: findings come in the order of the ruleset's checks, minis in the order of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sim3d.finding import Finding, Hit, Refused, Severity, check, counted, run, told_apart
from sim3d.rules.legion.actions import BAIL_OUT, CLAMBER, KINDS, NO_ACTION, STANDARD
from sim3d.rules.legion.battle import Battle
from sim3d.rules.legion.compulsory import compel, compulsory_move, compulsory_partial, compulsory_shifted
from sim3d.rules.legion.displacement import displaced_suppressed, minis_displaced, suppressed
from sim3d.rules.legion.ending import leaves
from sim3d.rules.legion.making import Made, make, stood
from sim3d.rules.legion.move import Move, move_unsound, sound
from sim3d.rules.legion.movement import extra_of
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing, exact
from sim3d.rules.legion.transport import passengers_hurt, wreck_wounds
from sim3d.rules.legion.unit import Unit

AFTER_MOVE = "after a move action"  # what a move sets off
Roll = Callable[[int], tuple[str, ...]]  # so many white dice; the faces that come up


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a move: the battle after it, and what happened; an illegal move changes nothing."""

    edition: str
    findings: tuple[Finding, ...]
    events: tuple[Finding, ...]
    battle: Battle
    made: Made
    wounds: int = 0
    suppression: int = 0
    defeated: bool = False
    displaced: tuple[str, ...] = ()
    suppressed: tuple[str, ...] = ()  # the units that gain a suppression
    faces: tuple[str, ...] = ()  # the dice that were rolled

    @property
    def triggers(self) -> tuple[str, ...]:
        """What it sets off: whatever happens after a move action, after a compulsory move, too (CM01)."""
        moved = self.legal and not self.defeated and self.made.move.kind in KINDS
        return (AFTER_MOVE,) if moved else ()

    @property
    def legal(self) -> bool:
        """Nothing speaks against it."""
        return not self.findings

    @property
    def rules(self) -> tuple[str, ...]:
        """The rows that speak against it or had an effect, sorted."""
        return rules_of((*self.findings, *self.events))


def rules_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The rows that findings name, each once, sorted."""
    return tuple(sorted({rule for f in findings for rule in str(dict(f.numbers).get("rules", "")).split()}))


@check(
    "UNIT_LEFT_TABLE",
    Severity.INFO,
    "{leader}'s base is {off} mm off the battlefield: {unit} is defeated",
)
def unit_left_table(made: Made) -> Iterable[Hit]:
    """A leader's base leaves the battlefield on its way or at its end (MV11, CM05).

    Why: the whole unit is defeated. Example: 0.1 mm over the edge at the hinge. Do: bend the tool away from the edge.
    """
    if leaves(made):
        rows = "CM05 MV11" if made.compelled is not None else "MV11"
        off, _ = told_apart(made.outside_mm, 0.0)
        yield Hit(rules=rows, leader=made.leader.name, off=off, outside_mm=made.outside_mm, unit=made.unit.name)


@check("CLAMBER_WOUNDS", Severity.INFO, "{failed} of {dice} {fail}: {unit} suffers {hurt}")
def clamber_wounds(made: Made, faces: tuple[str, ...]) -> Iterable[Hit]:
    """Dice of a clamber fail (CL02).

    Why: one white die for each mini, a wound for each failure. Example: a blank. Do: climb for two actions instead.
    """
    failed = failures(faces, made.unit, made.ruleset)
    if failed:
        dice, fail = counted(len(faces), "die", "dice"), "fails" if failed == 1 else "fail"
        hurt = counted(failed, "wound")
        yield Hit(rules="CL02", failed=failed, rolled=len(faces), unit=made.unit.name, dice=dice, fail=fail, hurt=hurt)


def failures(faces: Iterable[str], unit: Unit, ruleset: Ruleset) -> int:
    """How many of a clamber's dice fail (CL02): blanks, and surges where nothing turns them into blocks."""
    holds = unit.has("surge to block") or ruleset.options.surge_clamber == "holds"
    return sum(face == "blank" or (face == "surge" and not holds) for face in faces)


EVENTS = (  # in order
    compulsory_move,
    compulsory_shifted,
    compulsory_partial,
    minis_displaced,
    displaced_suppressed,
    passengers_hurt,
)


def judge(move: Move, battle: Battle, ruleset: Ruleset, *, standing: Standing = exact) -> tuple[Finding, ...]:
    """Every reason why a move is not legal, at once; `Refused` where it cannot be judged at all."""
    return judged(asked_again(worked(move, battle, ruleset), standing))


def worked(move: Move, battle: Battle, ruleset: Ruleset) -> Made:
    """A move worked out by exact statics: a compulsory one as far as it has to go, any other as it is told."""
    sound(move, battle, ruleset)
    if move.compulsory and move.kind == STANDARD:
        return compel(battle, move, ruleset, standing=exact)
    return make(battle, move, ruleset, standing=exact)


def asked_again(made: Made, standing: Standing) -> Made:
    """The same move, its ends asked of somebody else: places are sought by statics, in the end both witnesses look."""
    if standing is exact and made.compelled is None:
        return made
    made = stood(made, standing)
    if made.displacement is None:
        return made
    answers = standing(replace(made.battle.table, minis=()), made.displacement.places)
    backs = tuple(replace(b, stand=s) for b, s in zip(made.displacement.backs, answers, strict=True))
    return replace(made, displacement=replace(made.displacement, backs=backs))


def judged(made: Made) -> tuple[Finding, ...]:
    """The same for a move that is worked out already."""
    return run(made.ruleset.checks, made).findings


def play(
    move: Move, battle: Battle, ruleset: Ruleset, *, standing: Standing = exact, roll: Roll | None = None
) -> Outcome:
    """Make a move. Dice come with the move, or else from `roll`; a clamber without either is `Refused`."""
    made = asked_again(worked(move, battle, ruleset), standing)
    findings = judged(made)
    faces: tuple[str, ...] = ()
    if move.kind == CLAMBER and not made.unit.has("expert climber"):
        count = len(made.unit.minis)
        faces = move.dice or (roll(count) if roll is not None else ())
        if len(faces) != count:  # with everything else that is wrong
            reason = f"a clamber rolls {counted(count, 'die', 'dice')}: say which faces come up (dice)"
            raise Refused(move_unsound.hit(reason=reason), *findings)
    if findings:
        return Outcome(ruleset.edition, findings, (), battle, made)
    events = run((unit_left_table, *EVENTS), made).findings + clamber_wounds(made, faces)
    wounds = failures(faces, made.unit, ruleset) + wreck_wounds(made)
    wounds += made.compelled.wounds if made.compelled is not None else 0
    gained = _gained(made)
    if leaves(made):
        after = _defeated(made)
        return Outcome(ruleset.edition, (), events, after, made, wounds, len(gained), True, made.displaced, gained)
    after = _after(made, wounds)
    return Outcome(ruleset.edition, (), events, after, made, wounds, len(gained), False, made.displaced, gained, faces)


def _gained(made: Made) -> tuple[str, ...]:
    """The units that gain a suppression."""
    return (*suppressed(made), *((made.unit.name,) if made.move.kind == BAIL_OUT else ()))


def _defeated(made: Made) -> Battle:
    """Without the unit's minis; whom it pushed aside before it left is put back."""
    table = made.after()
    left = replace(table, minis=tuple(m for m in table.minis if m.name not in made.unit.minis))
    gone, gained = made.unit.after(defeated=True), _gained(made)
    units = [gone if u.name == gone.name else u for u in made.battle.units]
    return Battle(left, tuple(u.after(suppression=u.state.suppression + 1) if u.name in gained else u for u in units))


def _after(made: Made, wounds: int) -> Battle:
    """With the unit where it ends, and what it did written down."""
    unit, move = made.unit, made.move
    counts = not move.free and move.kind not in NO_ACTION
    done = (*unit.state.done, move.kind) if counts else unit.state.done
    extra = unit.state.extra + (extra_of(made) if counts else 0)
    withdrawn, jumped = unit.state.withdrawn or move.withdraw, unit.state.jumped or move.jump
    unit = unit.after(done=done, wounds=unit.state.wounds + wounds, extra=extra, withdrawn=withdrawn, jumped=jumped)
    if move.compulsory:
        unit = unit.after(compulsory="end" if unit.state.done else "start")
    table = made.after() if made.put else made.battle.table
    if move.kind in ("disembark", BAIL_OUT):
        unit = unit.after(aboard="")
    if move.kind == "embark":
        mine = tuple(m for m in table.minis if m.name in unit.minis)
        unit = replace(unit.after(aboard=move.vehicle), carried=mine)
        table = replace(table, minis=tuple(m for m in table.minis if m.name not in unit.minis))
    gained = _gained(made)
    pushed = made.displacement.aside.units if made.displacement is not None else ()
    unit = unit.after(pushed=tuple(dict.fromkeys((*unit.state.pushed, *(u.name for u in pushed)))))
    units = [unit if u.name == unit.name else u for u in made.battle.units]
    units = [u.after(suppression=u.state.suppression + 1) if u.name in gained else u for u in units]
    return Battle(table, tuple(units))
