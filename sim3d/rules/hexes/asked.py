"""Hex boards and moves as scenario files say them: strict forms, the values they describe, what a step expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim3d.expect import Expected, Judged, Wrong, numbers_expected, unknown_words
from sim3d.finding import CODES, Finding, Refused, counted
from sim3d.form import Written, form_bad_value, line_of
from sim3d.form.where import pointer_of
from sim3d.mini import Base, Mini
from sim3d.rules.hexes.bake import HexField, bake, board_of, board_with, digest_of
from sim3d.rules.hexes.board import PHASES, ROUND_BEGINS, Board, Cell, Unit, Wall
from sim3d.rules.hexes.book import RULES
from sim3d.rules.hexes.edition import EDITIONS
from sim3d.rules.hexes.forms import (
    COUNTS,
    LISTS,
    NEXT_ROUND,
    BakeForm,
    HexesForm,
    HexExpectForm,
    HexStepForm,
    HexUnitForm,
)
from sim3d.rules.hexes.grid import Hex, Layout, disc, missing_from, neighbour, rectangle
from sim3d.rules.hexes.judge import Outcome, play
from sim3d.rules.hexes.move import KINDS, Move, hex_move_unsound
from sim3d.rules.hexes.ruleset import KEYWORDS, Ruleset
from sim3d.rules.hexes.saved import read_field
from sim3d.stand import Physics
from sim3d.table import CLASS_KINDS, MATERIALS, ON_HEXES, Table, known


@dataclass(frozen=True, slots=True)
class HexStep:
    """One move of a scenario."""

    move: Move
    expected: tuple[Expected, ...]
    about: str = ""
    line: int | None = None
    phase: str | None = None  # of the sequence, where the game goes on to another one first

    @property
    def mini(self) -> str:
        """Whom it is about."""
        return self.move.unit


@dataclass(frozen=True, slots=True)
class Plan:
    """A board as a file describes it, before its terrain is baked."""

    ruleset: Ruleset
    layout: Layout
    hexes: tuple[Hex, ...]
    units: tuple[Unit, ...]
    mini: Mini | None = None  # the base by which it is baked; None: an even board
    material: str = "grip"
    saved: Path | None = None
    told: str = ""  # the file and line that name it
    cells: Mapping[Hex, tuple[str, ...]] = field(default_factory=dict)
    unsound: frozenset[Hex] = frozenset()  # hexes where no base stands, as the author says
    walls: Mapping[tuple[Hex, Hex], Wall] = field(default_factory=dict)
    first: str = ""
    phase: str = "activations"

    def baked(self, table: Table, *, physics: Physics = "never", engine: str | None = None) -> HexField | None:
        """Its terrain, from the saved field or anew; None of an even board."""
        if self.mini is None:
            return None
        steep = self.ruleset.numbers.wall_deg
        how: Any = {"steep_deg": steep, "material": self.material, "physics": physics, "engine": engine}
        if self.saved is not None:
            return self._read(self.saved, digest_of(table, self.layout, self.hexes, self.mini, **how))
        return bake(table, self.layout, self.hexes, self.mini, **how)

    def _read(self, saved: Path, digest: str) -> HexField:
        """The saved field; `Refused` with its name, and where that is written."""
        try:
            return read_field(saved, digest)
        except Refused as refused:
            where = f"{saved.as_posix()}, the field that {self.told} names: " if self.told else f"{saved.as_posix()}: "
            raise Refused(*(replace(f, message=where + f.message) for f in refused.report)) from None

    def board(self, table: Table, *, physics: Physics = "never", engine: str | None = None) -> Board:
        """The board with everything on it; `Refused` where it cannot be."""
        terrain = self.baked(table, physics=physics, engine=engine)
        told: Any = {"named": self.cells, "walls": self.walls, "first": self.first, "phase": self.phase}
        if terrain is None:
            cells = {at: Cell((), at not in self.unsound) for at in self.hexes}
            return board_with(cells, self.ruleset, self.units, **told)
        return board_of(terrain, self.ruleset, self.units, **told)


# --- reading ----------------------------------------------------------------------------------------------------------


def plan_of(written: Written[Any], folder: Path) -> tuple[Plan | None, list[Finding]]:
    """The board that a file describes, and what is wrong with it; none without `[hexes]`."""
    form: HexesForm | None = written.form.hexes
    faults: list[Finding] = []

    def wrong(key: str, reason: str) -> None:
        faults.append(
            written.fault(form_bad_value, f"/hexes/{key}", key=f"hexes.{key}".replace("/", "."), reason=reason)
        )

    if form is None:
        return None, []
    if form.edition not in EDITIONS:
        wrong("edition", f"{form.edition!r} is no edition; there are: {', '.join(EDITIONS)}")
    if (form.radius is None) == (form.columns is None) or (form.columns is None) != (form.rows is None):
        wrong("radius", "give a radius, or columns and rows")
    if faults:
        return None, faults
    faults += _tags(written, EDITIONS[form.edition])
    sides = dict.fromkeys(u.side for u in form.unit)
    if form.first and form.first not in sides:
        wrong("first", f"no side is called {form.first!r}; there are: {', '.join(sides) or 'none'}")
    materials = (*MATERIALS, *written.form.material)
    if form.bake is not None and form.bake.material not in materials:
        wrong("bake/material", f"no material is called {form.bake.material!r}; there are: {known(materials)}")
    ruleset = _ruleset(form)
    hexes = disc(Hex(0, 0), form.radius) if form.radius is not None else rectangle(form.columns or 1, form.rows or 1)
    plan = Plan(
        ruleset=ruleset,
        layout=Layout(form.size, form.turn, form.origin),
        hexes=hexes,
        units=tuple(_unit(u) for u in form.unit),
        mini=None if form.bake is None else _mini(form.bake, wrong),
        material="grip" if form.bake is None else form.bake.material,
        saved=folder / form.bake.field if form.bake is not None and form.bake.field else None,
        told=_told_at(written, "/hexes/bake/field"),
        cells=dict(_cells(form, ruleset, hexes, wrong)),
        unsound=frozenset(Hex(*c.at) for c in form.cell if not c.standable),
        walls=dict(_walls(form, hexes, wrong)),
        first=form.first,
        phase=form.phase,
    )
    if not faults:
        faults += [_placed(f, written) for f in _unsound(plan)]
    return (None if faults else plan), faults


def _tags(written: Written[Any], ruleset: Ruleset) -> Iterator[Finding]:
    """What pieces say of themselves in a word that nobody knows: it would have no effect, or only on some hexes."""
    for i, piece in enumerate(written.form.piece):
        for kind, word in piece.classes.items():
            reason = ""
            if kind not in CLASS_KINDS:
                reason = f"{kind!r} is nobody that a class is for; there are: {', '.join(CLASS_KINDS)}"
            elif kind == ON_HEXES and word not in ruleset.terrain:
                reason = f"{word!r} is no terrain; there are: {', '.join(ruleset.terrain)}"
            if reason:
                told = {"key": f"piece.{i}.class.{kind}", "reason": reason}
                yield written.fault(form_bad_value, pointer_of(("piece", i, "class", kind)), **told)


def _unsound(plan: Plan) -> tuple[Finding, ...]:
    """What is wrong with a board whatever its terrain; whether a hex has a level is seen when it is baked."""
    flat = {at[:2] for at in plan.hexes}
    named = (*(u.at for u in plan.units), *(at for pair in plan.walls for at in pair))
    cells = dict.fromkeys((*plan.hexes, *(at for at in named if at[:2] in flat and plan.mini)), Cell())
    try:
        Board(cells, plan.walls, plan.units, first=plan.first, phase=plan.phase)
    except Refused as refused:
        return refused.report.findings
    return ()


def _placed(f: Finding, written: Written[Any]) -> Finding:
    """A fault of the board, told at its place in the file."""
    pointer = f"/hexes{f.pointer}"
    return replace(f, file=written.name, pointer=pointer, line=line_of(pointer, written.lines))


def _told_at(written: Written[Any], pointer: str) -> str:
    """A place in a file, as findings name it."""
    line = line_of(pointer, written.lines)
    return written.name if line is None else f"{written.name}:{line}"


def _ruleset(form: HexesForm) -> Ruleset:
    ruleset = EDITIONS[form.edition]
    given = {name: value for name, value in form.options.model_dump().items() if value is not None}
    return replace(ruleset, options=replace(ruleset.options, **given))


def _unit(form: HexUnitForm) -> Unit:
    return Unit(**{**form.model_dump(), "at": Hex(*form.at)})


def _mini(form: BakeForm, wrong: Wrong) -> Mini | None:
    try:
        return Mini(Base.named(form.base), height=form.height, com=form.com)
    except ValueError as error:
        wrong("bake", str(error))
        return None


def _on_board(at: Hex, form: HexesForm, hexes: Sequence[Hex], key: str, wrong: Wrong) -> bool:
    """Whether a place is on the board; of one that is baked, its levels are told when it is."""
    on = Hex(*at[:2]) in hexes and (at.level == 0 or form.bake is not None)
    if not on:
        wrong(key, missing_from(hexes, at))
    return on


def _cells(
    form: HexesForm, ruleset: Ruleset, hexes: Sequence[Hex], wrong: Wrong
) -> Iterator[tuple[Hex, tuple[str, ...]]]:
    told: set[Hex] = set()
    for i, cell in enumerate(form.cell):
        _on_board(Hex(*cell.at), form, hexes, f"cell/{i}/at", wrong)
        if Hex(*cell.at) in told:
            wrong(f"cell/{i}/at", f"another cell is at {Hex(*cell.at)}: say all of a hex in one")
        told.add(Hex(*cell.at))
        words = list(cell.keywords)
        if cell.terrain is not None and cell.terrain not in ruleset.terrain:
            wrong(f"cell/{i}/terrain", f"{cell.terrain!r} is no terrain; there are: {', '.join(ruleset.terrain)}")
        elif cell.terrain is not None:
            words += ruleset.terrain[cell.terrain]
        for word in cell.keywords:
            if word not in KEYWORDS:
                wrong(f"cell/{i}/keywords", f"{word!r} is no keyword of terrain; there are: {', '.join(KEYWORDS)}")
        if form.bake is not None and not cell.standable:
            wrong(f"cell/{i}/standable", "on a baked board the terrain says where a base stands")
        yield Hex(*cell.at), tuple(word for word in words if word in KEYWORDS)


def _walls(form: HexesForm, hexes: Sequence[Hex], wrong: Wrong) -> Iterator[tuple[tuple[Hex, Hex], Wall]]:
    told: set[tuple[Hex, Hex]] = set()
    for i, one in enumerate(form.wall):
        start = Hex(*one.at)
        end = neighbour(start, one.side)._replace(level=one.to_level)
        if not _on_board(start, form, hexes, f"wall/{i}/at", wrong):
            continue
        if Hex(*end[:2]) not in hexes:
            wrong(f"wall/{i}/side", f"side {one.side} of {start} leads off the board, and no wall is needed there")
            continue
        if not _on_board(end, form, hexes, f"wall/{i}/to_level", wrong):
            continue
        if (start, end) in told:
            wrong(f"wall/{i}/side", f"another wall is between {start} and {end}: say all of a hexside in one")
        told |= {(start, end), (end, start)}
        wall = Wall(one.up_mm, one.down_mm)
        yield (start, end), wall
        yield (end, start), wall.back


def step_of(written: Written[Any], form: HexStepForm, pointer: str, faults: list[Finding]) -> HexStep:
    """The move that a step describes; a word that means nothing is a fault."""

    def wrong(key: str, reason: str) -> None:
        faults.append(written.fault(form_bad_value, f"{pointer}/{key}", key=key.replace("/", "."), reason=reason))

    board: HexesForm | None = written.form.hexes
    names = [] if board is None else [u.name for u in board.unit]
    if board is None:
        wrong("hexes", "the file has no board: write [hexes]")
    elif form.unit not in names:
        wrong("unit", f"no unit is called {form.unit!r}; there are: {', '.join(names) or 'none'}")
    if form.hexes not in KINDS:
        wrong("hexes", f"{form.hexes!r} is no move; there are: {', '.join(KINDS)}")
    move = Move(
        unit=form.unit,
        kind=form.hexes,
        path=tuple(Hex(*at) for at in form.path),
        to=None if form.to is None else Hex(*form.to),
        facing=form.facing,
        by=form.by,
        reach=form.reach,
        strike=form.strike,
        dice=form.dice,
        rerolls=form.rerolls,
    )
    if form.phase not in (None, *PHASES, NEXT_ROUND):
        wrong("phase", f"{form.phase!r} is no step of the sequence; there are: {', '.join((*PHASES, NEXT_ROUND))}")
    for key, reason in _never(form.expect, names):
        wrong(f"expect/{key}", reason)
    expected, line = tuple(_expected(form.expect, wrong)), line_of(pointer, written.lines)
    return HexStep(move, expected, form.about, line, form.phase)


def _never(form: HexExpectForm, units: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Words that can never come out, whatever the move; each with its key."""
    there: dict[str, tuple[Iterable[str], str, str]] = {
        "rules": (RULES, "clause", "docs/rulebook-hexes.md lists them all"),
        "codes": (CODES, "code", "`sim3d explain` lists them all"),
        "stopped_by": (units, "unit", f"there are: {known(units)}"),
        "keywords": (KEYWORDS, "keyword of terrain", f"there are: {', '.join(KEYWORDS)}"),
    }
    for key, (words, what, else_see) in there.items():
        for reason in unknown_words(getattr(form, key) or (), tuple(words), what=what, else_see=else_see):
            yield key, reason


def _expected(form: HexExpectForm, wrong: Wrong) -> Iterator[Expected]:
    for key in COUNTS:
        value = getattr(form, key)
        if value is not None:
            yield Expected(key, (str(value).lower(),), bare=True)
    for key in LISTS:
        value = getattr(form, key)
        if value is not None:
            yield Expected(key, tuple(value))
    if form.end is not None:
        yield Expected("end", (_place(Hex(*form.end)),), bare=True)
    if form.why == ():
        wrong("expect/why", "an empty list expects nothing")
    elif form.why is not None:
        yield Expected("why", (form.why,) if isinstance(form.why, str) else tuple(form.why))
    yield from numbers_expected({"height_mm": form.height_mm}, lambda k, r: wrong(f"expect/{k}", r))


def _place(at: Hex) -> str:
    """A hex as a file writes it."""
    return str(list(at if at.level else at[:2]))


# --- playing ----------------------------------------------------------------------------------------------------------


def played(step: HexStep, board: Board, ruleset: Ruleset) -> Outcome:
    """The outcome of a step."""
    return play(step.move, board if step.phase is None else _gone_on(board, step.phase), ruleset)


def _gone_on(board: Board, phase: str) -> Board:
    """The board once the game has come to a step of its sequence; `Refused` where it never does any more."""
    if phase == NEXT_ROUND:
        board, phase = board.advanced(), PHASES[ROUND_BEGINS]
    elif PHASES.index(phase) < min(PHASES.index(board.phase), ROUND_BEGINS):
        raise Refused(hex_move_unsound.hit(reason=f"the game is at {board.phase}, and {phase} does not come again"))
    while board.phase != phase:
        board = board.advanced()
    return board


def judged_step(expected: Expected, outcome: Outcome) -> Judged:
    """One expectation against an outcome."""
    key = expected.key
    findings = (*outcome.findings, *outcome.events)
    cell = outcome.made.board.hexes.get(outcome.made.end)
    if key in COUNTS or key == "end":
        count = _place(outcome.end) if key == "end" else _count(key, outcome, cell)
        if count is None:  # there was no strike, or no roll
            return Judged(expected, None, False)
        word = str(count).lower()
        return Judged(expected, word, (word,) == expected.words)
    if key == "why":
        text = " ".join(f.message for f in findings)
        return Judged(expected, text, all(word in text for word in expected.words))
    if key == "height_mm":
        if cell is None or cell.height_mm is None:
            return Judged(expected, None, False)
        return Judged(expected, cell.height_mm, expected.holds(cell.height_mm), expected.beyond(cell.height_mm))
    named: dict[str, Sequence[str]] = {
        "rules": outcome.rules,
        "codes": tuple(dict.fromkeys(f.code for f in findings)),
        "stopped_by": outcome.made.stopped_by,
        "keywords": () if cell is None else cell.keywords,
    }
    return Judged(expected, tuple(named[key]), sorted(named[key]) == sorted(expected.words))


def _count(key: str, outcome: Outcome, cell: Cell | None) -> Any:
    if key == "standable":
        return cell is not None and cell.standable
    if key == "wounds":
        return sum(wounds for _, wounds in outcome.wounds)
    if key == "dice":
        return outcome.dice_needed
    return getattr(outcome if key in ("legal", "morale", "melee") else outcome.made, key)


def told(outcome: Outcome) -> list[str]:
    """The judgement and the outcome in a player's words, a line each; the first names the edition."""
    lines = [f"{'legal' if outcome.legal else 'not legal'} ({outcome.edition})"]
    for f in (*outcome.findings, *outcome.events):
        lines.append(f"  {'/'.join(str(dict(f.numbers).get('rules', '')).split())}  {f.code}: {f.message}")
    if outcome.legal:
        made = outcome.made
        melee = "" if outcome.melee else ", without a melee attack"
        lines.append(f"  {made.unit.name} ends on {outcome.end} for {counted(made.spent, 'point')}{melee}")
        lines += [f"  by {', '.join(outcome.rules)}"] if outcome.rules else []
        lines += [f"  stopped by {', '.join(made.stopped_by)}"] if made.stopped_by else []
        lines += [f"  morale: {outcome.morale}"] if outcome.morale else []
    return lines


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Plain data for JSON."""
    made = outcome.made
    return {
        "edition": outcome.edition,
        "legal": outcome.legal,
        "rules": list(outcome.rules),
        "findings": [f.as_dict() for f in outcome.findings],
        "events": [f.as_dict() for f in outcome.events],
        "end": list(outcome.end),
        "spent": made.spent,
        "stopped_by": list(made.stopped_by),
        "melee": outcome.melee,
        "charge": made.charge,
        "trodden": [list(at) for at in made.trodden],
        "dice": outcome.dice_needed,
        "wounds": [{"unit": unit, "wounds": wounds} for unit, wounds in outcome.wounds],
        "morale": outcome.morale,
    }
