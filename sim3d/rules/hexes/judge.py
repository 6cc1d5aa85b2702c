"""`judge` says every reason why a move is not legal, empty means legal; `play` makes it and says what came of it.

Dice are given: faces as rolled, or a source of them (`seeded`, `scripted`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sim3d.finding import Finding, Hit, Refused, Severity, check, counted, run
from sim3d.rules.hexes import traits
from sim3d.rules.hexes.board import Board, Unit
from sim3d.rules.hexes.grid import Hex
from sim3d.rules.hexes.move import Made, Move, hex_move_unsound, make
from sim3d.rules.hexes.ruleset import Ruleset

Roll = Callable[[int], tuple[int, ...]]  # so many dice; the faces that come up


def _dice(count: int) -> str:
    """So many dice in words."""
    return counted(count, "die", "dice")


def seeded(seed: int, ruleset: Ruleset) -> Roll:
    """Dice of a seed: the same rolls in the same order."""
    source = random.Random(seed)
    return lambda count: tuple(source.randint(1, ruleset.numbers.die) for _ in range(count))


def scripted(faces: Iterable[int]) -> Roll:
    """Dice that come up as written down, in order; `ValueError` when they run out."""
    left = iter(faces)

    def roll(count: int) -> tuple[int, ...]:
        rolled = tuple(face for face, _ in zip(left, range(count), strict=False))
        if len(rolled) < count:
            raise ValueError(f"the roll takes {_dice(count)}, the script has {len(rolled)} left")
        return rolled

    return roll


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a move: the board after it, and what happened; an illegal move changes nothing."""

    edition: str
    findings: tuple[Finding, ...]
    events: tuple[Finding, ...]
    board: Board
    made: Made
    dice_needed: int = 0
    wounds: tuple[tuple[str, int], ...] = ()
    morale: int = 0

    @property
    def legal(self) -> bool:
        """Nothing speaks against it."""
        return not self.findings

    @property
    def reason(self) -> str:
        """The first thing that speaks against it; "" where nothing does."""
        return self.findings[0].message if self.findings else ""

    @property
    def end(self) -> Hex:
        """Where the unit is afterwards."""
        return self.made.end if self.legal else self.made.unit.at

    @property
    def melee(self) -> bool:
        """Whether it may still make a melee attack in this activation."""
        return self.made.melee

    @property
    def rules(self) -> tuple[str, ...]:
        """The clauses that speak against it; of a legal move, those that had an effect. Sorted."""
        told = self.findings if self.findings else self.events
        named = {rule for f in told for rule in str(dict(f.numbers).get("rules", "")).split()}
        return tuple(sorted(named | (set() if self.findings else set(self.made.used))))


@check("HEX_TRAMPLED", Severity.INFO, "{unit} tramples {who} at {at}: a {face}, {hurt}{gone}")
def hex_trampled(unit: str, who: str, at: str, face: int, wounds: int, gone: str) -> Iterable[Hit]:
    """A die of a Trample was rolled (HX11b).

    Why: one attack die for each enemy hex passed, at the end of the action; 3 or more is a wound. Example: a 3 on
    the die. Do: take the wound; who has no health left is removed.
    """
    hurt = counted(wounds, "wound")
    yield Hit(rules="HX11b", unit=unit, who=who, at=at, face=face, wounds=wounds, gone=gone, hurt=hurt)


@check("HEX_STRIKE_VOID", Severity.INFO, "{unit} strikes nobody: its Trample has removed {who}")
def hex_strike_void(unit: str, who: str) -> Iterable[Hit]:
    """The unit that was to be attacked is removed by the Trample before (HX11b).

    Why: its dice are rolled at the end of the action, and the attack comes after it. Example: a 6 for a unit with one
    health left. Do: nothing; where another target could be meant, say that one.
    """
    yield Hit(rules="HX11b", unit=unit, who=who)


@check("HEX_PUSH_HELD", Severity.INFO, "{unit} is not moved by the push: {morale} morale")
def hex_push_held(unit: str, morale: int) -> Iterable[Hit]:
    """A pushed unit stays where it is.

    Why: its player chose so, or no hex behind it is free and carries it. Example: a cliff there. Do: note the morale.
    """
    yield Hit(rules="", unit=unit, morale=morale)


def judge(move: Move, board: Board, ruleset: Ruleset) -> tuple[Finding, ...]:
    """Every reason why a move is not legal, at once; `Refused` where it makes no sense."""
    return judged(make(board, move, ruleset))


def judged(made: Made) -> tuple[Finding, ...]:
    """The same for a move that is worked out already."""
    return run(made.ruleset.checks, made).findings


def play(move: Move, board: Board, ruleset: Ruleset, *, roll: Roll | None = None) -> Outcome:
    """Make a move. Dice come with the move, or else from `roll`; a legal Trample without either is `Refused`."""
    made = make(board, move, ruleset)
    count = traits.trample_dice(made.trodden)
    if (move.rerolls and not count) or len(move.rerolls) > count or (move.dice and len(move.dice) != count):
        raise Refused(hex_move_unsound.hit(reason=f"it rolls {_dice(count)}: give as many faces, or none"))
    findings = judged(made)
    if findings:
        return Outcome(ruleset.edition, findings, (), board, made, count)
    if count and not move.dice and roll is None:
        raise Refused(hex_move_unsound.hit(reason=f"it rolls {_dice(count)}: give their faces (dice), or roll="))
    faces = move.dice or (roll(count) if roll is not None and count else ())
    if move.kind == "push" and not move.path:
        return _held(made)
    after = board.changed(_moved(made))
    if move.kind == "scout":
        after = replace(after, scouted=(*after.scouted, made.unit.name))
    if move.kind == "gods push":
        after = replace(after, pushed=(*after.pushed, made.unit.name))
    return _trampled(Outcome(ruleset.edition, (), (), after, made, count), _rerolled(faces, made))


def _moved(made: Made) -> Unit:
    """The unit where it ends; a Move Action of the round is its activation."""
    unit = replace(made.unit, at=made.end, facing=made.facing)
    return replace(unit, activated=True, began_engaged=None) if made.move.kind == "move" else unit


def _held(made: Made) -> Outcome:
    """A push that moves nobody."""
    options, numbers = made.ruleset.options, made.ruleset.numbers
    morale = -numbers.lost_morale if options.held_push == "morale" else 0
    events = hex_push_held(made.unit.name, morale)
    return Outcome(made.ruleset.edition, (), events, made.board, made, 0, (), morale)


def _rerolled(faces: tuple[int, ...], made: Made) -> tuple[int, ...]:
    """The faces that count: failures replaced in order, should anything allow that."""
    again = list(made.move.rerolls) if traits.may_reroll() else []
    fails = made.ruleset.numbers.success
    return tuple(again.pop(0) if again and face < fails else face for face in faces)


def _trampled(outcome: Outcome, faces: tuple[int, ...]) -> Outcome:
    """With the wounds of a Trample, and who is removed by them: after the action, so their zones held during it."""
    made, board = outcome.made, outcome.board
    numbers = made.ruleset.numbers
    events: list[Finding] = []
    wounds: list[tuple[str, int]] = []
    for at, face in zip(dict.fromkeys(made.trodden), faces, strict=False):
        victim = made.board.occupant(at)
        assert victim is not None  # a trodden hex is one that an enemy holds
        hurt = numbers.hit_wounds if face >= numbers.success else 0
        hit = replace(victim, wounds=victim.wounds + hurt)
        gone = hit.health is not None and hit.wounds >= hit.health
        board = board.without(hit.name) if gone else board.changed(hit)
        told = (made.unit.name, victim.name, str(at), face, hurt, ", and it is removed" if gone else "")
        events += hex_trampled(*told)
        wounds += [(victim.name, hurt)] if hurt else []
    if made.move.strike and made.move.strike not in [u.name for u in board.units]:
        events += hex_strike_void(made.unit.name, made.move.strike)
        made = replace(made, charge=None, used=tuple(rule for rule in made.used if rule != "HX04b"))
    return replace(outcome, board=board, made=made, events=tuple(events), wounds=tuple(wounds))
