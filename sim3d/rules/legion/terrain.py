"""Terrain as a unit meets it: open, difficult or impassable per unit type (CL04), the step limit (CL05), what a
keyword ignores (CL06), where players agreed that nobody ends (MV19); and heights in bands of the range ruler.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sim3d.finding import Finding, Hit, Severity, check
from sim3d.ground.way import TOUCH_MM, Walk
from sim3d.mini import Mini
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.unit import HEIGHT_KEYWORDS, VEHICLES, Unit
from sim3d.table import CLASS_KINDS, ON_HEXES, Piece, Table

CLASSES = ("open", "difficult", "impassable")
NO_END = "no end"
KINDS = tuple(kind for kind in CLASS_KINDS if kind != ON_HEXES)  # that one the other game sees to


@dataclass(frozen=True, slots=True)
class Footing:
    """What a piece of terrain is to a unit."""

    word: str = "open"
    no_end: bool = False


def footing(piece: Piece, unit: Unit) -> Footing:
    """What a piece is to a unit: the nearest key counts, "emplacement" before "trooper" before "all" (CL04, MV19)."""
    general = "vehicle" if unit.type in VEHICLES else "trooper"
    for kind in dict.fromkeys((unit.type, general, "all")):
        if kind in piece.classes:
            words = [w.strip() for w in piece.classes[kind].split(",")]
            return Footing(next((w for w in words if w in CLASSES), "open"), NO_END in words)
    return Footing()


@check("TERRAIN_CLASS_UNKNOWN", Severity.ERROR, "piece {piece!r}: {reason}")
def terrain_class_unknown(piece: str, reason: str) -> Iterable[Hit]:
    """A piece's terrain class is no word of the game.

    Why: a misspelt class would count as open in silence. Example: `class = { trooper = "dificult" }`.
    Do: write open, difficult or impassable, with ", no end" behind it where players agreed so.
    """
    yield Hit(piece=piece, reason=reason)


def class_faults(table: Table) -> Iterable[Finding]:
    """Every class of a table that means nothing."""
    for i, piece in enumerate(table.pieces):
        for kind, text in piece.classes.items():
            if kind == ON_HEXES:
                continue
            pointer = f"/piece/{i}/class/{kind}"
            if kind not in KINDS:
                reason = f"{kind!r} is no kind of unit; there are: {', '.join(KINDS)}"
                yield terrain_class_unknown.hit(piece=piece.name, reason=reason, pointer=pointer)
            words = [w.strip() for w in text.split(",")]
            if any(w not in (*CLASSES, NO_END) for w in words) or sum(w in CLASSES for w in words) > 1:
                reason = f"{text!r} is no class; there are: {', '.join(CLASSES)}, and {NO_END}"
                yield terrain_class_unknown.hit(piece=piece.name, reason=reason, pointer=pointer)


def step_mm(unit: Unit, mini: Mini, ruleset: Ruleset) -> float:
    """The highest rise that an ordinary move steps over: a share of the model's height by unit type (CL05)."""
    n = ruleset.numbers
    share = {"ground": n.ground_step, "repulsor": n.repulsor_step}.get(unit.type, n.trooper_step)
    return share * mini.height_mm


def room_mm(mini: Mini) -> float:
    """How much room a model needs over its feet: what it is not deeper in than touching does not overlap it."""
    return mini.height_mm - TOUCH_MM


def ignored_mm(unit: Unit, ruleset: Ruleset, *, jumping: bool = False) -> float:
    """How high terrain a unit's keyword ignores, over where it starts; 0 without one (CL06). A jump is announced."""
    words = [k for k in HEIGHT_KEYWORDS if k != "jump" or jumping]
    return max((unit.height_of(k) for k in words), default=0) * ruleset.numbers.height_1_mm


def walk_of(unit: Unit, mini: Mini, start_mm: float, ruleset: Ruleset, *, jumping: bool = False) -> Walk:
    """How a unit's leader is carried over terrain."""
    ignored = ignored_mm(unit, ruleset, jumping=jumping)
    over = start_mm + ignored if ignored > 0 else -math.inf
    return Walk(step_mm(unit, mini, ruleset), room_mm(mini), ruleset.numbers.slope_deg, over)
